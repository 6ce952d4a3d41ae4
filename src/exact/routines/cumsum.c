/* Cumulative sums: every prefix rounded from its exact value.
 *
 * Idea: the running sum is one integer in two's complement, 35 words of 64 bits in units of
 * 2^-1074, always carried, so that its leading bits can be read at any time. A term touches two
 * words; the carry mostly ends there. `top` is the highest word that is not all sign, looked for
 * from its last place, so that a term costs its own length, not that of the number, unless the sum
 * changes its sign. Two words from `top` hold at least 64 leading bits; whether anything lies below
 * is asked only of the words down to `low`, the lowest that was touched, and mostly the first says
 * yes.
 *
 * Threads: the sums of the parts come first (fast kernels), then each part begins with the sum of
 * those before it. */
#include "base/environment.h"
#include "base/parallel.h"
#include "exact/routines/routines.h"

enum { WORDS = ACCORD_EXACT_LIMBS / 2, UNIT = -1074 };

typedef struct running {
    uint64_t word[WORDS];
    int top, low;
    int64_t count[ACCORD_EXACT_COUNTS];
    bool special; /* infinite or NaN for good */
} running;

static uint64_t sign_of(const running *r)
{
    return (uint64_t)((int64_t)r->word[WORDS - 1] >> 63);
}

static void find_top(running *r, int from)
{
    uint64_t sign = sign_of(r);
    r->top = from;
    while (r->top > 0 && r->word[r->top] == sign)
        r->top--;
}

static void start_running(running *r, accord_exact *sum)
{
    accord_exact_canonical(sum);
    r->low = WORDS;
    for (int i = WORDS - 1; i >= 0; i--) {
        r->word[i] = (uint64_t)sum->limb[2 * i] | (uint64_t)sum->limb[2 * i + 1] << 32;
        if (r->word[i])
            r->low = i;
    }
    memcpy(r->count, sum->count, sizeof r->count);
    r->special = r->count[ACCORD_EXACT_NANS] || r->count[ACCORD_EXACT_PLUS_INFINITIES] ||
                 r->count[ACCORD_EXACT_MINUS_INFINITIES];
    find_top(r, WORDS - 1);
}

/* Adds m * 2^offset units, or what they are in two's complement, whose further words are all sign:
 * these change nothing once the carry is that of the sign. */
static void add_to_words(running *r, uint64_t m, unsigned offset, bool negative)
{
    int at = (int)(offset / 64), last = at + 1;
    uint64_t sign = -(uint64_t)negative;
    uint128 all = (uint128)sign << 64 | sign;
    uint128 term = ((uint128)m << offset % 64 ^ all) - all;
    uint128 part = (uint128)r->word[at] + (uint64_t)term;
    r->word[at] = (uint64_t)part;
    part = (part >> 64) + r->word[last] + (uint64_t)(term >> 64);
    r->word[last] = (uint64_t)part;
    bool carry = part >> 64;
    while (carry != negative && ++last < WORDS) {
        r->word[last] += sign + carry;
        carry = negative ? r->word[last] != UINT64_MAX : r->word[last] == 0;
    }
    if (at < r->low)
        r->low = at;
    find_top(r, last == WORDS ? WORDS - 1 : last > r->top ? last : r->top);
}

static void add_odd(running *r, bool nan, bool zero, bool negative)
{
    enum accord_exact_count which = nan    ? ACCORD_EXACT_NANS
                                    : zero ? ACCORD_EXACT_PLUS_ZEROS + negative
                                           : ACCORD_EXACT_PLUS_INFINITIES + negative;
    r->count[which]++;
    r->special = r->special || !zero;
}

static void add_number(running *r, uint64_t bits)
{
    unsigned field = (unsigned)(bits >> 52) & 0x7ff;
    uint64_t fraction = bits & 0xfffffffffffff;
    bool negative = bits >> 63;
    r->count[ACCORD_EXACT_TERMS]++;
    if (field == 0x7ff || !(field || fraction))
        add_odd(r, field && fraction, !field, negative);
    else if (field)
        add_to_words(r, fraction | (uint64_t)1 << 52, field - 1, negative);
    else
        add_to_words(r, fraction, 0, negative);
}

static bool any_below(const running *r, int word)
{
    while (word >= r->low)
        if (r->word[word--])
            return true;
    return false;
}

/* The sum is not zero. Of a negative one the complement is taken, and one added to it where there
 * is nothing below to stop the carry; 2^128 comes out as 0. */
static accordi_lead lead_of(const running *r)
{
    uint128 two = (uint128)r->word[r->top] << 64 | (r->top ? r->word[r->top - 1] : 0);
    bool more = any_below(r, r->top - 2), negative = sign_of(r);
    int exponent = UNIT + 64 * (r->top - 1) + 127;
    if (negative)
        two = ~two + !more;
    if (!two)
        return (accordi_lead){(uint64_t)1 << 63, exponent + 1, false, negative};
    uint64_t high = (uint64_t)(two >> 64);
    int zeros = __builtin_clzll(high); /* high is not 0: see `top` */
    two <<= zeros;
    return (accordi_lead){(uint64_t)(two >> 64), exponent - zeros, more || (uint64_t)two, negative};
}

static uint64_t round_prefix(running *r, enum accord_format format,
                             enum accord_exact_rounding rounding)
{
    if (!r->special && (r->top || r->word[0] || sign_of(r)))
        return accordi_exact_round_lead(lead_of(r), format, rounding);
    int64_t none = 0, pending = 0;
    accordi_exact_view sum = {&none, r->count, &pending, 1, UNIT};
    return accordi_exact_round(sum, format, rounding);
}

typedef struct part {
    _Alignas(64) accord_exact before; /* the sum of all earlier parts */
} part;

typedef struct cumulative {
    const accordi_exact_kind *kind;
    accord_exact_options how;
    size_t n, share; /* of a part */
    const void *x;
    void *out;
    ptrdiff_t stride, stride_out;
    part *parts;
} cumulative;

static size_t end_of(const cumulative *c, size_t p)
{
    size_t from = p * c->share;
    return c->n - from < c->share ? c->n : from + c->share;
}

/* Part p counts for the next one. */
static void sum_part(void *context, size_t p, int worker)
{
    (void)worker;
    const cumulative *c = context;
    size_t from = p * c->share;
    c->kind->sum(&c->how, accordi_exact_of(&c->parts[p + 1].before), end_of(c, p) - from,
                 accordi_exact_at(c->kind, c->x, (ptrdiff_t)from * c->stride), c->stride);
}

static uint64_t load_bits(const accordi_exact_kind *kind, const void *at)
{
    double x;
    float narrow;
    uint64_t bits;
    if (kind->size == 4) {
        memcpy(&narrow, at, sizeof narrow);
        x = (double)narrow;
        at = &x;
    }
    memcpy(&bits, at, sizeof bits);
    return bits;
}

static void round_part(void *context, size_t p, int worker)
{
    (void)worker;
    const cumulative *c = context;
    running r;
    accordi_environment before = accordi_environment_enter();
    start_running(&r, &c->parts[p].before);
    for (size_t i = p * c->share, end = end_of(c, p); i < end; i++) {
        add_number(&r,
                   load_bits(c->kind, accordi_exact_at(c->kind, c->x, (ptrdiff_t)i * c->stride)));
        accordi_exact_store(c->kind, c->out, (ptrdiff_t)i * c->stride_out,
                            round_prefix(&r, c->kind->format, c->how.rounding));
    }
    accordi_environment_leave(before);
}

static enum accord_status accumulate(cumulative c, const accord_exact_options *options,
                                     accord_error *error)
{
    enum { SHARES = 4 };
    enum accord_status status =
        accordi_exact_prepare(c.x || !c.n, c.out || !c.n, options, &c.how, error);
    if (status || !c.n)
        return status;
    int threads =
        accordi_exact_workers(accordi_exact_work(ACCORDI_EXACT_PREFIX_COST, c.n, 1), c.how.threads);
    size_t parts = threads == 1 ? 1 : (size_t)threads * SHARES;
    part one, *heap = NULL;
    c.share = (c.n - 1) / parts + 1;
    parts = (c.n - 1) / c.share + 1;
    c.parts = parts == 1 ? &one : (heap = aligned_alloc(64, parts * sizeof one));
    if (!c.parts)
        return accordi_nomem(error);
    memset(c.parts, 0, parts * sizeof one);
    accordi_parallel(parts - 1, threads, sum_part, &c);
    for (size_t p = 2; p < parts; p++)
        accord_exact_add(&c.parts[p].before, &c.parts[p - 1].before, NULL);
    accordi_parallel(parts, threads, round_part, &c);
    free(heap);
    return ACCORD_OK;
}

#define CUMSUM(suffix_, number_)                                                                   \
    enum accord_status accord_cumsum_exact_##suffix_(                                              \
        size_t n, const number_ *x, ptrdiff_t stride, const accord_exact_options *options,         \
        number_ *out, ptrdiff_t stride_out, accord_error *error)                                   \
    {                                                                                              \
        cumulative c = {.kind = &accordi_exact_##suffix_,                                          \
                        .n = n,                                                                    \
                        .x = x,                                                                    \
                        .out = out,                                                                \
                        .stride = stride,                                                          \
                        .stride_out = stride_out};                                                 \
        return accumulate(c, options, error);                                                      \
    }

CUMSUM(f64, double)
CUMSUM(f32, float)
