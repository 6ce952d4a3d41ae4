/* Chooses how to round a short sum directly, without an accumulator.
 *
 * A few terms are added as expansions (few_terms.h), in registers (kernels/direct_few.h) or as
 * integers (integers.h, pieces.h). More are faster in floating-point folds
 * (kernels/direct_lanes.h); what is not settled there is added in blocks, which hold all bits, or
 * takes the long way. Sums that are known but for some units can be added like others, once their
 * units are the same: so arrays with a stride are gathered in blocks, and long ones shared out to
 * threads. */
#include "exact/direct/direct.h"
#include "exact/direct/few_terms.h"
#include "exact/direct/integers.h"
#include "exact/direct/lanes.h"
#include "exact/direct/sample.h"
#include "exact/kernels/kernels.h"
#include "exact/routines/methods.h"

enum {
    VECTORS_FROM = 8,    /* terms; below, pieces are faster */
    PRODUCTS_TO = 128,   /* in pieces, where the machine has no kernels */
    INTEGERS_TO = 3,     /* products of f64, which are two pieces each */
    ONE_FOLD_FROM = 256, /* terms of f32; fewer are added as ordinary numbers first */
    BLOCKS_AT_ONCE = 8,  /* terms of f64 at most that begin in blocks; … */
    SIGNED_AT_ONCE = 16, /* … of both signs, which may cancel, some more, unless … */
    BLOCKS_CLOSE = 4,    /* … their exponents share all but so many bits … */
    BLOCKS_LOW = 256,    /* … and lie above this, below which lanes have no place; … */
    BLOCKS_SPAN = 128,   /* … and some more over so many binades, which lanes leave open */
    MULTIPLES_TO = 64,   /* terms that are looked at one by one; blocks are faster for more */
};

/* c += other, where either may be without terms yet: unit INT32_MIN. */
void accordi_exact_join_close(accordi_exact_close *c, accordi_exact_close other)
{
    if (c->unit < other.unit)
        accordi_exact_coarsen(c, other.unit);
    else if (other.unit < c->unit)
        accordi_exact_coarsen(&other, c->unit);
    c->high += other.high;
    c->low += other.low;
    c->slack += other.slack;
}

/* As much of both parts as there is room for. */
INLINE interval interval_of(const accordi_exact_close *c)
{
    if (!c->high)
        return (interval){c->low - c->slack, 2 * c->slack, c->unit};
    int shift = leading_zeros(c->high < 0 ? -c->high : c->high) - 2;
    if (shift > ACCORDI_EXACT_FOLD)
        shift = ACCORDI_EXACT_FOLD;
    int cut = ACCORDI_EXACT_FOLD - shift;
    int128 sum = (int128)((uint128)c->high << shift) + (c->low >> cut);
    uint64_t slack = (c->slack >> cut) + 2 * (cut > 0);
    return (interval){sum - slack, 2 * slack, c->unit + cut};
}

/* An exact zero is of terms that cancel: kernels do not take zeros alone. */
INLINE bool round_close(layout l, const accordi_exact_close *c, enum accord_exact_rounding rounding,
                        uint64_t *out)
{
    interval w = interval_of(c);
    if (round_interval(l, w, rounding, out))
        return true;
    if (w.slack)
        return false;
    if (w.least)
        *out = round_exact(l, w, rounding);
    else
        *out = (uint64_t)(rounding == ACCORD_EXACT_DOWN) << (l.fraction + l.exponent);
    return true;
}

bool accordi_exact_round_close(enum accord_format format, const accordi_exact_close *sum,
                               enum accord_exact_rounding rounding, uint64_t *out)
{
    return format == ACCORD_F64 ? round_close(f64, sum, rounding, out)
                                : round_close(f32, sum, rounding, out);
}

/* Each term leaves less than a unit of the lower fold, and what underflows less than one in all. */
bool accordi_exact_tile_sum(const accordi_exact_tile *t, int row, int column, int64_t upper,
                            int64_t lower, accordi_exact_close *sum)
{
    int64_t top = t->row_top[row] + t->column_top[column];
    if (top < ACCORDI_EXACT_LEAST || top > ACCORDI_EXACT_MOST)
        return false;
    sum->high = 0;
    sum->low = (int128)((uint128)(int128)upper << ACCORDI_EXACT_FOLD) + lower;
    sum->slack = t->n + 1;
    sum->unit = (int)top + ACCORDI_EXACT_ABOVE - ACCORDI_EXACT_FOLD - 52;
    return true;
}

/* Is the sum far from zero, so that another fold will settle it? Where most bits cancel, that is
 * less likely than not. */
static bool is_worth_more(const accordi_exact_close *c)
{
    int128 size = c->low < 0 ? -c->low : c->low;
    return size >> 10 > (int128)c->slack;
}

INLINE enum accord_exact_rounding rounding_of(const accord_exact_options *options)
{
    return options ? options->rounding : ACCORD_EXACT_NEAREST_EVEN;
}

/* Whether that is likely of a sum of few terms, which are quicker in blocks than in folds that do
 * not settle them: not if so many bits are known that it is a tie. */
static bool is_worth_fold(const accordi_exact_close *c)
{
    int128 size = c->low < 0 ? -c->low : c->low;
    return is_worth_more(c) && size >> 58 < (int128)c->slack;
}

/* How many threads share the terms. */
INLINE int threads_of(const source *s, const accord_exact_options *options)
{
    return s->n < 2 * RANGE || !options ? 1 : accordi_exact_threads(options->threads);
}

/* The kernel for arrays from memory; NULL where there is no other than for the rest. */
INLINE accordi_exact_short_kernel *far_kernel(const accordi_exact_kernels *row, const source *s)
{
    return s->l.format != ACCORD_F64 ? NULL : s->product ? row->far_dot_f64 : row->far_sum_f64;
}

/* How many terms blocks hold. */
INLINE size_t blocks_to(const source *s)
{
    return s->product && s->l.format == ACCORD_F64 ? accordi_exact_kernels_best()->blocks_dot_to
                                                   : ACCORDI_EXACT_BLOCKS_TERMS;
}

/* Fewer terms of f64 are added again by one thread, which knows their bound already: to start
 * threads a second time takes longer. */
enum { RANGES_AGAIN = 4 * RANGE };

/* False where the terms are none for lanes (all are zeros, or some are very large or small), or
 * most bits cancel. */
INLINE bool by_lanes(const source *s, layout l, accordi_exact_short_kernel *kernel, int threads,
                     enum accord_exact_rounding rounding, uint64_t *out)
{
    int first = s->n >= LONG ? 3 : l.format == ACCORD_F64 ? 2 : s->n >= ONE_FOLD_FROM ? 1 : 0;
    accordi_exact_close sum = nothing; /* three folds begin with the bound of two */
    for (int folds = first; folds <= 3; folds += folds ? 1 : 2) {
        const bool again = folds > first && l.format == ACCORD_F64 && !s->product && is_plain(s),
                   alone = threads == 1 || (again && s->n < RANGES_AGAIN);
        if (!(alone ? run_short_kernel(s, kernel, folds, &sum)
                    : run_shares(s, kernel, folds, threads, &sum)))
            return false;
        if (round_close(l, &sum, rounding, out))
            return true;
        const bool few = s->n <= blocks_to(s);
        if (few && (l.format != ACCORD_F64 || !is_worth_fold(&sum)))
            return false;
        if (!few && folds && !is_worth_more(&sum))
            return false;
    }
    return false;
}

/* A few contiguous terms, in registers. */
INLINE bool by_few(const source *s, uint64_t *bits)
{
    accordi_exact_few_kernel *kernel =
        accordi_exact_kernels_best()->few[s->product][s->l.format == ACCORD_F32];
    const size_t from = s->product && s->l.format == ACCORD_F64 ? INTEGERS_TO : FEW_TERMS;
    if (!kernel || s->n <= from || s->n > ACCORDI_EXACT_FEW || !is_plain(s))
        return false;
    accordi_exact_ends ends;
    accordi_environment before = accordi_environment_enter(); /* also where the row needs none */
    const bool known = kernel(s->n, s->x, s->y, &ends);
    accordi_environment_leave(before);
    return known && found_between(s, ends, bits);
}

/* Structs of another size than this one go the long way, which makes this one of them. */
static bool is_served(const accord_exact_options *how)
{
    return (!how ||
            ((how->size == 0 || how->size == sizeof *how) && how->method == ACCORD_EXACT_AUTO &&
             (unsigned)how->rounding < ACCORD_EXACT_ROUNDING_COUNT && how->expansion >= 0 &&
             how->expansion != 1 && how->expansion <= 8 && how->threads >= 0));
}

/* NULL where the machine has no such kernel. */
INLINE accordi_exact_blocks_kernel *blocks_of(const source *s)
{
    return accordi_exact_kernels_best()->blocks[s->product][s->l.format == ACCORD_F32];
}

/* Sums of any range, of as many terms as the kernels take. */
INLINE bool into_blocks(const source *s, enum accord_exact_rounding rounding, uint64_t *bits)
{
    accordi_exact_blocks_kernel *kernel = blocks_of(s);
    _Alignas(64) accordi_exact_integer sum[ACCORDI_EXACT_BLOCKS];
    uint64_t used;
    if (!kernel || !kernel(s->n, s->x, s->y, sum, &used))
        return false;
    if (used)
        *bits = round_blocks(s->l, sum, used, rounding);
    else
        *bits = (uint64_t)zero_is_negative(*s, rounding) << (s->l.fraction + s->l.exponent);
    return true;
}

/* Contiguous terms of f64. */
static __attribute__((noinline)) bool
plain_by_blocks(size_t n, const double *x, enum accord_exact_rounding rounding, void *out)
{
    const source s = source_of_sum(f64, n, x, sizeof *x);
    uint64_t bits;
    if (!into_blocks(&s, rounding, &bits))
        return false;
    memcpy(out, &bits, sizeof bits);
    return true;
}

/* One term, or the sum of two numbers, rounded to nearest, ties to even: what processors do. Not
 * where the result is infinite or NaN. */
INLINE bool by_processor(source s, uint64_t *bits)
{
    if (s.n != 1 && (s.n != 2 || s.product))
        return false;
    if (s.product && s.l.format == ACCORD_F32)
        return by_one_product(&s, bits);
    *bits = load(s.l, s.x);
    if (s.n == 2 || s.product) {
        uint64_t other = load(s.l, s.product ? s.y : s.x + s.step_x);
        accordi_environment before = accordi_environment_enter();
        if (size_of(s.l) == 8) {
            double a, b;
            memcpy(&a, bits, sizeof a);
            memcpy(&b, &other, sizeof b);
            volatile double result = s.product ? a * b : a + b; /* before the line below */
            a = result;
            memcpy(bits, &a, sizeof a);
        } else {
            uint32_t of_a = (uint32_t)*bits, of_b = (uint32_t)other;
            float a, b;
            memcpy(&a, &of_a, sizeof a);
            memcpy(&b, &of_b, sizeof b);
            volatile float result = a + b;
            a = result;
            memcpy(&of_a, &a, sizeof a);
            *bits = of_a;
        }
        accordi_environment_leave(before);
    }
    return field_of(s.l, *bits) != (1 << s.l.exponent) - 1;
}

static __attribute__((noinline)) bool
gathered_by_blocks(const source *s, enum accord_exact_rounding rounding, uint64_t *bits)
{
    _Alignas(double) char gathered[2][ACCORDI_EXACT_BLOCKS_TERMS * sizeof(double)];
    source plain = *s;
    plain.x = gather(s, s->x, s->step_x, gathered[0]);
    plain.step_x = size_of(s->l);
    if (s->product) {
        plain.y = gather(s, s->y, s->step_y, gathered[1]);
        plain.step_y = size_of(s->l);
    }
    return into_blocks(&plain, rounding, bits);
}

/* For sums that lanes did not settle. `shown` is s, in which what is constant stays so. */
INLINE bool by_blocks(source s, const source *shown, enum accord_exact_rounding rounding,
                      uint64_t *bits)
{
    if (s.n > blocks_to(shown))
        return false;
    return is_plain(&s) ? into_blocks(&s, rounding, bits)
                        : gathered_by_blocks(shown, rounding, bits);
}

/* Whether all terms are multiples of 2^unit: folds of this unit, or finer ones, have left nothing
 * over. */
static bool are_multiples(size_t n, const double *x, int unit)
{
    const int field = unit + bias_of(f64) + f64.fraction;
    const uint64_t least = field > 1 ? ((uint64_t)field << (f64.fraction + 1)) - 1 : 0;
    for (size_t i = 0; i < n; i++)
        if ((load(f64, (const char *)(x + i)) << 1) - 1 < least) /* not of zeros */
            return false;
    return true;
}

/* A short array without stride: the same as below, with less on the way. *more: whether there are
 * other ways to try. */
static __attribute__((noinline)) bool plain_sum_f64(size_t n, const double *x,
                                                    enum accord_exact_rounding rounding,
                                                    double *out, bool *more)
{
    accordi_exact_short_kernel *kernel = accordi_exact_kernels_best()->short_sum_f64;
    *more = !kernel;
    if (!kernel || n <= BLOCKS_AT_ONCE) /* which blocks have refused */
        return false;
    accordi_exact_close sum;
    uint64_t bits;
    surroundings before = enter_kernels();
    bool close = kernel(n, x, NULL, 2, &sum),
         found = close && round_close(f64, &sum, rounding, &bits);
    if (close && !found && n <= MULTIPLES_TO && are_multiples(n, x, sum.unit)) {
        sum.slack = 0;
        found = round_close(f64, &sum, rounding, &bits);
    }
    if (close && !found && is_worth_fold(&sum))
        found = kernel(n, x, NULL, 3, &sum) && round_close(f64, &sum, rounding, &bits);
    if (found)
        memcpy(out, &bits, sizeof bits);
    else
        found = plain_by_blocks(n, x, rounding, out);
    leave_kernels(before);
    return found;
}

/* Ways to add many numbers of one layout, or their products, in functions of their own, so that the
 * frames of few terms are small. */
typedef bool way(size_t n, const char *x, ptrdiff_t step_x, const char *y, ptrdiff_t step_y,
                 const accord_exact_options *options, uint64_t *bits);

#define VECTORS(name_, layout_, product_)                                                          \
    INLINE bool lanes_##name_(const source *s, const accord_exact_options *options,                \
                              uint64_t *bits)                                                      \
    {                                                                                              \
        const bool sum_f64 = size_of(layout_) == 8 && !(product_);                                 \
        const bool one_bin = sum_f64 || (size_of(layout_) == 4 && (product_)); /* a term */        \
        const accordi_exact_kernels *row = accordi_exact_kernels_best();                           \
        accordi_exact_short_kernel *kernel = row->short_##name_, *far = far_kernel(row, s);        \
        if (!kernel || (sum_f64 && is_streamed(s, row->streamed)) ||                               \
            (one_bin && is_mixed(s, row->mixed)))                                                  \
            return false;                                                                          \
        const int threads = threads_of(s, options);                                                \
        return by_lanes(s, layout_, far && is_far(s, threads) ? far : kernel, threads,             \
                        rounding_of(options), bits);                                               \
    }                                                                                              \
    static __attribute__((noinline)) bool by_vectors_##name_(                                      \
        size_t n, const char *x, ptrdiff_t step_x, const char *y, ptrdiff_t step_y,                \
        const accord_exact_options *options, uint64_t *bits)                                       \
    {                                                                                              \
        const source s = {layout_, product_, n, x, y, step_x, step_y}, shown = s;                  \
        surroundings before = enter_kernels();                                                     \
        bool done = ((n > BLOCKS_AT_ONCE || size_of(layout_) == 4) &&                              \
                     lanes_##name_(&shown, options, bits)) ||                                      \
                    by_blocks(s, &shown, rounding_of(options), bits);                              \
        leave_kernels(before);                                                                     \
        return done;                                                                               \
    }
VECTORS(sum_f64, f64, false)
VECTORS(sum_f32, f32, false)
VECTORS(dot_f64, f64, true)
VECTORS(dot_f32, f32, true)

/* vectors: NULL if there are none for this layout. */
INLINE bool reduce(source s, way *vectors, const accord_exact_options *options, void *out)
{
    if (!is_served(options) || !s.x || (s.product && !s.y) || !out)
        return false;
    const bool wide = size_of(s.l) == 8 && s.product;
    enum accord_exact_rounding rounding = rounding_of(options);
    uint64_t bits;
    bool done = vectors && rounding == ACCORD_EXACT_NEAREST_EVEN &&
                (by_processor(s, &bits) || by_few(&s, &bits) || by_expansion(&s, &bits));
    const bool at_once =
        wide && (s.n <= BLOCKS_AT_ONCE ||
                 (s.n <= SIGNED_AT_ONCE && is_plain(&s) &&
                  sample_of(&s, 4, 1).binades >= BLOCKS_SPAN && has_both_signs(&s)));
    if (!done && vectors && !at_once && s.n >= VECTORS_FROM)
        done = vectors(s.n, s.x, s.step_x, s.y, s.step_y, options, &bits);
    const size_t pieces_to = s.product ? PRODUCTS_TO : ACCORDI_EXACT_BLOCKS_TERMS;
    if (!done &&
        (at_once || s.n <= VECTORS_FROM || (s.n <= pieces_to && !(vectors && blocks_of(&s)))))
        done = (wide && s.n <= INTEGERS_TO && by_integers(s, rounding, &bits)) ||
               by_pieces(s, rounding, &bits);
    if (!done)
        return false;
    uint32_t bits32 = (uint32_t)bits;
    uint16_t bits16 = (uint16_t)bits;
    memcpy(out,
           size_of(s.l) == 8   ? (void *)&bits
           : size_of(s.l) == 4 ? (void *)&bits32
                               : &bits16,
           (size_t)size_of(s.l));
    return true;
}

/* Whether blocks are tried before lanes. */
INLINE bool begins_in_blocks(const source *s)
{
    if (s->n <= BLOCKS_AT_ONCE || s->n > ACCORDI_EXACT_BLOCKS_ANYWHERE)
        return s->n <= BLOCKS_AT_ONCE;
    uint64_t differ = s->n <= SIGNED_AT_ONCE ? differing_bits(s) : 0;
    if (sign_of(f64, differ))
        return differ << 1 >> (64 - f64.exponent + BLOCKS_CLOSE) ||
               field_of(f64, load(f64, s->x)) < BLOCKS_LOW;
    return sample_of(s, 4, 1).binades >= BLOCKS_SPAN;
}

static __attribute__((noinline)) bool any_sum_f64(size_t n, const double *x, ptrdiff_t stride,
                                                  const accord_exact_options *options, double *out);

bool accordi_exact_short_sum_f64(size_t n, const double *x, ptrdiff_t stride,
                                 const accord_exact_options *options, double *out)
{
    bool more = true;
    if (stride == 1 && n - 1 < ACCORDI_EXACT_BLOCKS_TERMS && x && out && is_served(options)) {
        enum accord_exact_rounding rounding =
            options ? options->rounding : ACCORD_EXACT_NEAREST_EVEN;
        const source s = source_of_sum(f64, n, x, sizeof *x);
        uint64_t bits;
        if (rounding == ACCORD_EXACT_NEAREST_EVEN &&
            (by_processor(s, &bits) || by_few(&s, &bits) || by_expansion(&s, &bits))) {
            memcpy(out, &bits, sizeof bits);
            return true;
        }
        if (begins_in_blocks(&s) && plain_by_blocks(n, x, rounding, out))
            return true;
        if (plain_sum_f64(n, x, rounding, out, &more))
            return true;
    }
    return more && any_sum_f64(n, x, stride, options, out);
}

#define SUM(name_, suffix_, number_, vectors_)                                                     \
    bool name_(size_t n, const number_ *x, ptrdiff_t stride, const accord_exact_options *options,  \
               number_ *out)                                                                       \
    {                                                                                              \
        ptrdiff_t step = stride * (ptrdiff_t)sizeof *x;                                            \
        return reduce(source_of_sum(suffix_, n, x, step), vectors_, options, out);                 \
    }
#define DOT(suffix_, number_)                                                                      \
    bool accordi_exact_short_dot_##suffix_(size_t n, const number_ *x, ptrdiff_t stride_x,         \
                                           const number_ *y, ptrdiff_t stride_y,                   \
                                           const accord_exact_options *options, number_ *out)      \
    {                                                                                              \
        ptrdiff_t size = (ptrdiff_t)sizeof *x;                                                     \
        source s = {suffix_,         true,           n, (const char *)x, (const char *)y,          \
                    stride_x * size, stride_y * size};                                             \
        return reduce(s, by_vectors_dot_##suffix_, options, out);                                  \
    }

SUM(any_sum_f64, f64, double, by_vectors_sum_f64)
SUM(accordi_exact_short_sum_f32, f32, float, by_vectors_sum_f32)
SUM(accordi_exact_short_sum_f16, f16, uint16_t, NULL)
SUM(accordi_exact_short_sum_bf16, bf16, uint16_t, NULL)
DOT(f64, double)
DOT(f32, float)
