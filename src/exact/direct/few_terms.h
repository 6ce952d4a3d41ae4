/* Sums of a few numbers, or products of f32, rounded to nearest, ties to even, as expansions:
 * without a branch that depends on the numbers, which a processor would guess wrong. Internal.
 *
 * TwoSum (D. E. Knuth, The Art of Computer Programming 2, 4.2.2) gives a sum and its error, which
 * are exactly a + b in rounding to nearest, where nothing overflows; where something does, the
 * error is NaN, and so is what comes of it. Terms are added in pairs, the sums again, and so are
 * the errors: each pass leaves a sum, and errors that are far smaller, or zeros where terms cancel
 * (like T. Ogita, S. M. Rump, S. Oishi, SIAM J. Sci. Comput. 26, 2005, but in the order of a tree).
 * If the first sum rounds alike with the errors added up from below and from above, that is the
 * result. */
#ifndef ACCORDI_EXACT_DIRECT_FEW_TERMS_H
#define ACCORDI_EXACT_DIRECT_FEW_TERMS_H

#include "base/environment.h"
#include "exact/direct/pieces.h"
#include <math.h>

enum { FEW_TERMS = 8 };

typedef double two __attribute__((vector_size(16)));
typedef uint64_t two_words __attribute__((vector_size(16)));

INLINE two_words words_of(two x)
{
    two_words words;
    memcpy(&words, &x, sizeof words);
    return words;
}

INLINE two size_of_two(two x)
{
    two_words words = words_of(x) & INT64_MAX;
    memcpy(&x, &words, sizeof x);
    return x;
}

/* Of numbers, or of two of them side by side. */
#define ADD_EXACTLY(type_, a_, b_, sum_, error_)                                                   \
    do {                                                                                           \
        const type_ a1 = (a_), b1 = (b_), sum1 = a1 + b1, of_b = sum1 - a1, of_a = sum1 - of_b;    \
        (sum_) = sum1;                                                                             \
        (error_) = (a1 - of_a) + (b1 - of_b);                                                      \
    } while (0)

/* Both ends of an interval that holds the rounded sum; what was added to one number to have them.
 */
typedef struct enclosure {
    volatile double from, to; /* before the environment changes again */
    double lower, rest;
} enclosure;

/* Of two numbers and of what is at most `rest` in size. Without any rest both ends are the sum of
 * two numbers; else the inner sums are rounded, too. */
INLINE void enclose(double sum, double lower, double rest, enclosure *out)
{
    double slack = rest != 0 ? rest + fabs(lower) * 0x1p-50 : 0;
    out->from = sum + (lower - slack);
    out->to = sum + (lower + slack);
    out->lower = lower;
    out->rest = rest;
}

/* The same of a number and three that are far smaller: what their sum loses is known, and is 0
 * where the sum of all is a tie. */
INLINE void enclose_parts(double sum, double a, double b, double c, double rest, enclosure *out)
{
    double lower, of_lower, all, of_all;
    ADD_EXACTLY(double, b, c, lower, of_lower);
    ADD_EXACTLY(double, a, lower, all, of_all);
    rest = (rest + fabs(of_lower) + fabs(of_all)) * (1 + 0x1p-40);
    enclose(sum, all, rest, out);
}

INLINE void enclose_four(double a, double b, double c, double d, enclosure *out)
{
    double left, right, all, errors, middle, sum, of_left, of_right, of_all, of_errors, of_middle,
        of_sum;
    ADD_EXACTLY(double, a, b, left, of_left);
    ADD_EXACTLY(double, c, d, right, of_right);
    ADD_EXACTLY(double, left, right, all, of_all);
    ADD_EXACTLY(double, of_left, of_right, errors, of_errors);
    ADD_EXACTLY(double, of_all, errors, middle, of_middle);
    ADD_EXACTLY(double, all, middle, sum, of_sum);
    enclose_parts(sum, of_sum, of_middle, of_errors, 0, out);
}

/* One pass over eight terms: returns a sum; the terms become errors. */
INLINE double add_eight(two x[4])
{
    two left, right, all;
    ADD_EXACTLY(two, x[0], x[2], left, x[0]);
    ADD_EXACTLY(two, x[1], x[3], right, x[1]);
    ADD_EXACTLY(two, left, right, all, x[2]);
    double sum, error;
    ADD_EXACTLY(double, all[0], all[1], sum, error);
    x[3] = (two){error, 0};
    return sum;
}

/* The sizes of eight terms; each addition is rounded once. */
INLINE double size_of_eight(const two x[4])
{
    two sum = (size_of_two(x[0]) + size_of_two(x[1])) + (size_of_two(x[2]) + size_of_two(x[3]));
    return sum[0] + sum[1];
}

/* Whether the terms' exponents are in one range of 64, such as 2^-32 ... 2^31: then two passes
 * are enough. To find out afterwards would be a branch that is guessed wrong. */
INLINE bool are_close(const two x[4])
{
    const uint64_t shift = (uint64_t)(64 - (1023 - 32) % 64) << 53; /* 0 begins at 2^-32 */
    two_words any = {0, 0}, all = {UINT64_MAX, UINT64_MAX};
    for (int i = 0; i < 4; i++) {
        two_words exponent = words_of(x[i]) + words_of(x[i]) + shift; /* without the sign */
        any |= exponent;
        all &= exponent;
    }
    return !(((any[0] | any[1]) ^ (all[0] & all[1])) >> 59);
}

INLINE void enclose_eight(two x[4], enclosure *out)
{
    bool close = are_close(x);
    double sum, lower, of_lower, of_sum, second = add_eight(x), third, fourth;
    ADD_EXACTLY(double, second, add_eight(x), sum, lower);
    if (close) {
        enclose(sum, lower, size_of_eight(x) * (1 + 0x1p-40), out);
        if (out->from == out->to)
            return;
    }
    third = add_eight(x);
    ADD_EXACTLY(double, third, add_eight(x), third, fourth);
    ADD_EXACTLY(double, lower, third, lower, of_lower);
    ADD_EXACTLY(double, sum, lower, sum, of_sum);
    enclose_parts(sum, of_sum, of_lower, fourth, size_of_eight(x), out);
}

/* Term i as a double; past the end -0, which changes no sum. */
INLINE double term_of(const source *s, size_t i)
{
    if (i >= s->n)
        return -0.0;
    const char *x = s->x + (ptrdiff_t)i * s->step_x, *y = s->y + (ptrdiff_t)i * s->step_y;
    double wide;
    float a, b = 1;
    if (s->l.format == ACCORD_F64) {
        memcpy(&wide, x, sizeof wide);
        return wide;
    }
    memcpy(&a, x, sizeof a);
    if (s->product)
        memcpy(&b, y, sizeof b);
    return (double)a * (double)b; /* exact */
}

INLINE two two_of(const source *s, size_t i)
{
    return (two){term_of(s, i), term_of(s, i + 1)};
}

/* The sum of zeros alone is -0 where all are; other zeros are +0. */
INLINE uint64_t zero_of(const source *s)
{
    uint64_t all = UINT64_MAX;
    for (size_t i = 0; i < s->n; i++) {
        uint64_t x = load(s->l, s->x + (ptrdiff_t)i * s->step_x), y = 0;
        if (s->product)
            y = load(s->l, s->y + (ptrdiff_t)i * s->step_y);
        all &= x ^ y;
    }
    const int sign = s->l.fraction + s->l.exponent;
    return all >> sign << sign;
}

/* Rounds to f32 what was rounded to f64, which is no subnormal number there: not beside the middle
 * of two numbers of f32, unless it is exact, and none that may overflow. In integers, since
 * processors are slow where a result is subnormal. */
INLINE bool narrow_again(uint64_t wide, bool exact, uint64_t *bits)
{
    enum { CUT = 52 - 23, MOST_CUT = 60, BIAS = 1023 - 127, MOST = 253 };
    int field = field_of(f64, wide) - BIAS, cut = CUT, above = field - 1;
    if (field < 1) {
        cut = CUT + 1 - field < MOST_CUT ? CUT + 1 - field : MOST_CUT;
        above = 0;
    }
    uint64_t m = significand_of(f64, wide), middle = (uint64_t)1 << (cut - 1);
    uint64_t rounded = (m + middle - 1 + (m >> cut & 1)) >> cut;
    *bits = (wide >> 63 << 31) + ((uint64_t)above << 23) + rounded;
    return field <= MOST && (exact || (m & (2 * middle - 1)) != middle);
}

/* Of f32: it is exact in f64. */
INLINE bool by_one_product(const source *s, uint64_t *bits)
{
    accordi_environment before = accordi_environment_enter();
    volatile double product = term_of(s, 0);
    accordi_environment_leave(before);
    double found = product;
    uint64_t wide;
    memcpy(&wide, &found, sizeof wide);
    *bits = wide >> 32;
    return !(wide << 1) || narrow_again(wide, true, bits);
}

/* Whether both ends are the same; then *bits is the sum. As integers: the caller's environment may
 * take subnormal numbers for zeros. */
INLINE bool found_between(const source *s, accordi_exact_ends e, uint64_t *bits)
{
    double ends[2] = {e.from, e.to};
    uint64_t found[2];
    memcpy(found, ends, sizeof found);
    if (found[0] != found[1] || field_of(f64, found[0]) == 2047)
        return false;
    *bits = found[0] << 1 ? found[0] : zero_of(s);
    if (s->l.format == ACCORD_F64 || !(found[0] << 1))
        return true;
    return narrow_again(found[0], e.exact, bits);
}

/* For 3 ... FEW_TERMS terms. False where they are others, or the sum is not known, infinite or NaN.
 */
INLINE bool by_expansion(const source *s, uint64_t *bits)
{
    if (s->n - 3 > FEW_TERMS - 3 || (s->product && s->l.format == ACCORD_F64))
        return false;
    accordi_environment before = accordi_environment_enter();
    enclosure e;
    if (s->n <= 4)
        enclose_four(term_of(s, 0), term_of(s, 1), term_of(s, 2), term_of(s, 3), &e);
    else {
        two pairs[4] = {two_of(s, 0), two_of(s, 2), two_of(s, 4), two_of(s, 6)};
        enclose_eight(pairs, &e);
    }
    accordi_environment_leave(before);
    return found_between(s, (accordi_exact_ends){e.from, e.to, e.lower == 0 && e.rest == 0}, bits);
}

#endif
