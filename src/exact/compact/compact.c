/* Moving and growing the window of a compact accumulator, and merging two of them.
 *
 * The limbs that matter are found in a copy: carried, then trimmed to the shortest number in two's
 * complement of 32-bit words. The window is then laid around them and around what is to come, in
 * place if it is long enough, else in a longer one: growth is rare, since a window at least
 * doubles. */
#include "exact/compact/compact.h"
#include "exact/compact/trim.h"

size_t accordi_compact_size(size_t limbs, bool odd)
{
    return sizeof(accordi_compact) + 8 * (limbs + (odd ? ACCORDI_COMPACT_ODD : 0));
}

void accordi_compact_start(accordi_compact *sum, int limbs, bool products)
{
    memset(sum, 0, accordi_compact_size((size_t)limbs, false));
    sum->first = ACCORDI_COMPACT_NOWHERE;
    sum->limbs = (uint16_t)limbs;
    sum->products = products;
}

accordi_compact *accordi_compact_new(bool products, const accordi_compact_memory *memory)
{
    size_t bytes = accordi_compact_size(ACCORDI_COMPACT_LIMBS, false);
    accordi_compact *sum = memory->resize(memory->context, NULL, bytes);
    if (sum)
        accordi_compact_start(sum, ACCORDI_COMPACT_LIMBS, products);
    return sum;
}

static int limbs_of_full(const accordi_compact *sum)
{
    return sum->products ? ACCORD_EXACT_WIDE_LIMBS : ACCORD_EXACT_LIMBS;
}

void accordi_compact_trim_limbs(const int64_t *word, int limbs, int start,
                                accordi_compact_trimmed *out)
{
    int64_t *w = out->word, pending;
    int last = limbs;
    memcpy(w, word, sizeof *w * (size_t)limbs);
    accordi_exact_normalize((accordi_exact_view){w, NULL, &pending, limbs, 0});
    w[last] = w[last - 1] >> 32;
    w[last - 1] &= 0xffffffff;
    while (last > 0 && w[last] == -(w[last - 1] >> 31)) {
        w[last - 1] = (int32_t)w[last - 1];
        last--;
    }
    int first = 0;
    while (first <= last && !w[first])
        first++;
    out->count = last + 1 - first;
    out->low = out->count ? start + first : 0;
    memmove(w, w + first, sizeof *w * (size_t)out->count);
}

void accordi_compact_trim(const accordi_compact *sum, accordi_compact_trimmed *out)
{
    accordi_compact_trim_limbs(sum->word, sum->limbs, sum->first, out);
}

/* Another number of limbs, or room for counts; the limbs themselves are set by others. */
static bool resize(accordi_compact **sum, int limbs, bool odd, const accordi_compact_memory *memory)
{
    accordi_compact *old = *sum;
    int64_t counts[ACCORDI_COMPACT_ODD] = {0};
    if (old->odd)
        memcpy(counts, old->word + old->limbs, sizeof counts);
    size_t bytes = accordi_compact_size((size_t)limbs, odd);
    accordi_compact *grown = memory->resize(memory->context, old, bytes);
    if (!grown)
        return false;
    grown->limbs = (uint16_t)limbs;
    grown->odd = odd;
    if (odd)
        memcpy(grown->word + limbs, counts, sizeof counts);
    *sum = grown;
    return true;
}

static int length_for(int needed, int most)
{
    int length = ACCORDI_COMPACT_LIMBS;
    while (length < needed)
        length = 2 * length + 2;
    return length < most ? length : most;
}

/* Where the window begins that has limbs low, low + 1, …, `length` of them, in the middle. */
static int16_t first_around(const accordi_compact *sum, int low, int length)
{
    int first = low - (sum->limbs - length + 1) / 2, last = limbs_of_full(sum) - sum->limbs;
    return (int16_t)(first < 0 ? 0 : first > last ? last : first);
}

/* Makes the limbs low … high part of the window, all limbs that are not zero too, and carries. */
static bool reach(accordi_compact **sum, int low, int high, const accordi_compact_memory *memory)
{
    accordi_compact_trimmed t;
    accordi_compact_trim(*sum, &t);
    int most = limbs_of_full(*sum);
    if (t.count) {
        low = t.low < low ? t.low : low;
        high = t.low + t.count - 1 > high ? t.low + t.count - 1 : high;
    }
    if (high >= most)
        return false;
    int length = high - low + 1;
    if (length > (*sum)->limbs && !resize(sum, length_for(length, most), (*sum)->odd, memory))
        return false;
    accordi_compact *s = *sum;
    int first = s->first;
    if (low < first || high >= first + s->limbs || first + s->limbs > most)
        first = first_around(s, low, length);
    memset(s->word, 0, sizeof *s->word * s->limbs);
    memcpy(s->word + (t.low - first) * (t.count > 0), t.word, sizeof *s->word * (size_t)t.count);
    s->first = (int16_t)first;
    s->pending = 0;
    return true;
}

static bool count_odd(accordi_compact **sum, enum accord_exact_count which, bool remove,
                      const accordi_compact_memory *memory)
{
    if (remove && (!(*sum)->odd || (*sum)->word[(*sum)->limbs + which - 1] <= 0))
        return false;
    if (!(*sum)->odd && !resize(sum, (*sum)->limbs, true, memory))
        return false;
    accordi_compact *s = *sum;
    s->word[s->limbs + which - 1] += remove ? -1 : 1;
    s->terms += remove ? -1 : 1;
    return true;
}

typedef struct number {
    uint64_t m;
    unsigned shift;
    bool negative, finite;
} number;

static number split(uint64_t bits)
{
    uint64_t field = bits >> 52 & 2047, hidden = (uint64_t)1 << 52, m = bits & (hidden - 1);
    bool normal = field != 0;
    return (number){normal ? m | hidden : m, (unsigned)(field - normal), bits >> 63, field != 2047};
}

static bool is_nan(uint64_t bits)
{
    return bits << 1 > (uint64_t)2047 << 53;
}

static enum accord_exact_count kind_of(bool nan, bool finite, bool negative)
{
    if (nan)
        return ACCORD_EXACT_NANS;
    if (finite)
        return negative ? ACCORD_EXACT_MINUS_ZEROS : ACCORD_EXACT_PLUS_ZEROS;
    return negative ? ACCORD_EXACT_MINUS_INFINITIES : ACCORD_EXACT_PLUS_INFINITIES;
}

bool accordi_compact_add_slowly(accordi_compact **sum, uint64_t x, bool remove,
                                const accordi_compact_memory *memory)
{
    number a = split(x);
    if (remove && (*sum)->terms <= 0)
        return false;
    if (!a.finite || !a.m)
        return count_odd(sum, kind_of(is_nan(x), a.finite, a.negative), remove, memory);
    int place = (int)(a.shift >> 5);
    if ((*sum)->first == ACCORDI_COMPACT_NOWHERE)
        (*sum)->first = first_around(*sum, place, 3);
    else if (!reach(sum, place, place + 2, memory))
        return false;
    accordi_compact *s = *sum;
    accordi_exact_put(s->word + (place - s->first), a.m, a.shift & 31,
                      -(int64_t)(a.negative != remove));
    s->pending++;
    s->terms += remove ? -1 : 1;
    return true;
}

bool accordi_compact_multiply_slowly(accordi_compact **sum, uint64_t x, uint64_t y, bool remove,
                                     const accordi_compact_memory *memory)
{
    number a = split(x), b = split(y);
    bool negative = a.negative != b.negative;
    if (remove && (*sum)->terms <= 0)
        return false;
    if (!a.finite || !b.finite || !a.m || !b.m) {
        bool finite = a.finite && b.finite, zero = !a.m || !b.m;
        bool nan = is_nan(x) || is_nan(y) || (zero && !finite);
        return count_odd(sum, kind_of(nan, finite, negative), remove, memory);
    }
    unsigned shift = a.shift + b.shift;
    int place = (int)(shift >> 5);
    if (!reach(sum, place, place + 4, memory))
        return false;
    accordi_compact *s = *sum;
    unsigned offset = (unsigned)(place - s->first) << 5 | (shift & 31);
    accordi_exact_put_wide(s->word, (uint128)a.m * b.m, offset, -(int64_t)(negative != remove));
    s->pending++;
    s->terms += remove ? -1 : 1;
    return true;
}

/* `by` is 1 or -1. */
static void add_trimmed(accordi_compact *sum, const accordi_compact_trimmed *t, int by)
{
    for (int i = 0; i < t->count; i++)
        sum->word[t->low - sum->first + i] += by * t->word[i];
    sum->pending++;
}

/* Still within what a full accumulator takes? */
static bool in_range(const accordi_compact *sum)
{
    accordi_compact_trimmed t;
    accordi_compact_trim(sum, &t);
    int64_t last = t.count ? t.word[t.count - 1] : 0, most = (int64_t)1 << 30;
    return t.low + t.count < limbs_of_full(sum) ||
           (t.low + t.count == limbs_of_full(sum) && last >= -most && last < most);
}

static bool any_odd(const int64_t *count)
{
    bool odd = false;
    for (int i = 1; i < ACCORD_EXACT_COUNTS; i++)
        odd = odd || count[i];
    return odd;
}

bool accordi_compact_put_trimmed(accordi_compact **sum, const accordi_compact_trimmed *t,
                                 const int64_t count[ACCORD_EXACT_COUNTS],
                                 const accordi_compact_memory *memory)
{
    const int64_t most = (int64_t)1 << 62;
    if (count[ACCORD_EXACT_TERMS] > most - (*sum)->terms)
        return false;
    if (any_odd(count) && !(*sum)->odd && !resize(sum, (*sum)->limbs, true, memory))
        return false;
    if (t->count) {
        int top = t->low + t->count, last = limbs_of_full(*sum) - 1;
        if (!reach(sum, t->low, top < last ? top : last, memory))
            return false;
        add_trimmed(*sum, t, 1);
        if (top >= last && !in_range(*sum)) {
            add_trimmed(*sum, t, -1);
            return false;
        }
    }
    (*sum)->terms += count[ACCORD_EXACT_TERMS];
    for (int i = 1; i < ACCORD_EXACT_COUNTS && (*sum)->odd; i++)
        (*sum)->word[(*sum)->limbs + i - 1] += count[i];
    return true;
}

/* Whether there may be zeros: with denormals-are-zero a subnormal number compares as one, too. */
static bool may_have_zeros(size_t n, const double *x)
{
    typedef double pair __attribute__((vector_size(16)));
    typedef int64_t mask __attribute__((vector_size(16)));
    mask found[2] = {{0, 0}, {0, 0}};
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        pair four[2];
        memcpy(four, x + i, sizeof four);
        found[0] |= four[0] == 0;
        found[1] |= four[1] == 0;
    }
    for (; i < n; i++)
        found[0][0] |= x[i] == 0;
    found[0] |= found[1];
    return found[0][0] | found[0][1];
}

/* Zeros of either sign, which the full accumulator forgets beside other numbers. */
static void count_zeros(size_t n, const double *x, int64_t count[ACCORD_EXACT_COUNTS])
{
    int64_t sign[2] = {0, 0};
    for (size_t i = 0, end = may_have_zeros(n, x) ? n : 0; i < end; i++) {
        uint64_t bits = accordi_compact_bits(x[i]);
        sign[bits >> 63] += bits << 1 == 0;
    }
    count[ACCORD_EXACT_PLUS_ZEROS] = sign[0];
    count[ACCORD_EXACT_MINUS_ZEROS] = sign[1];
}

/* The full accumulator has fast ways for arrays, and takes as long to be merged as tens of terms.
 */
static bool add_long(accordi_compact **sum, size_t n, const double *x,
                     const accordi_compact_memory *memory)
{
    accord_exact part;
    accordi_compact_trimmed t;
    accord_exact_init(&part);
    accord_exact_add_array_f64(&part, n, x, 1);
    count_zeros(n, x, part.count);
    accordi_compact_trim_limbs(part.limb, ACCORD_EXACT_LIMBS, 0, &t);
    return accordi_compact_put_trimmed(sum, &t, part.count, memory);
}

bool accordi_compact_add_array(accordi_compact **sum, size_t n, const double *x,
                               const accordi_compact_memory *memory)
{
    enum { LONG = 128 };
    if (n >= LONG)
        return add_long(sum, n, x, memory);
    for (size_t i = 0; i < n; i++)
        if (!accordi_compact_add(sum, x[i], memory))
            return false;
    return true;
}

/* Adds limbs to limbs, where that is all there is to do. False: it is not. */
static bool merge_plain(accordi_compact *sum, const accordi_compact *other)
{
    const int64_t most = (int64_t)1 << 62;
    bool fresh =
        sum->first == ACCORDI_COMPACT_NOWHERE && other->first + sum->limbs <= limbs_of_full(sum);
    int low = 0, end = other->limbs, by = fresh ? 0 : other->first - sum->first;
    if (other->odd || other->terms > most - sum->terms)
        return false;
    while (low < end && !other->word[low])
        low++;
    while (end > low && !other->word[end - 1])
        end--;
    if (low < end && (low + by < 0 || end + by >= sum->limbs ||
                      sum->pending + other->pending >= ACCORDI_EXACT_PENDING))
        return false;
    if (fresh)
        sum->first = other->first;
    for (int i = low; i < end; i++)
        sum->word[i + by] += other->word[i];
    sum->pending = (uint16_t)(sum->pending + (low < end ? other->pending + 1 : 0));
    sum->terms += other->terms;
    return true;
}

bool accordi_compact_merge(accordi_compact **sum, const accordi_compact *other,
                           const accordi_compact_memory *memory)
{
    accordi_compact_trimmed t;
    int64_t count[ACCORD_EXACT_COUNTS];
    if ((*sum)->products != other->products)
        return false;
    if (merge_plain(*sum, other))
        return true;
    accordi_compact_view(other, count);
    accordi_compact_trim(other, &t);
    return accordi_compact_put_trimmed(sum, &t, count, memory);
}
