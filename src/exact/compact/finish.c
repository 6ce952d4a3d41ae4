/* What is read from compact accumulators: each result is rounded once, from its exact value.
 *
 * A variance is (n Q - S^2) / (n (n - 1)), with S the sum of n terms and Q that of their squares.
 * The numerator is an integer in the units of products, whatever cancels in it: the limbs of S^2
 * are products of words of S, for units of S are the roots of those of Q. It is below
 * 2^(2 * 1164), which 144 limbs hold. Then it is divided as in quotient.c; more than 2^32 terms
 * need a divisor of more than 64 bits, by which is divided bit by bit. */
#include "exact/compact/compact.h"
#include "exact/routines/quotient.h"
#include "format/format.h"
#include <math.h>

enum { SQUARE_LIMBS = 144 };

accordi_exact_view accordi_compact_view(const accordi_compact *sum,
                                        int64_t count[ACCORD_EXACT_COUNTS])
{
    accordi_compact *s = (accordi_compact *)sum; /* for readers, who do not write */
    int unit = sum->products ? -2148 : -1074;
    int first = sum->first == ACCORDI_COMPACT_NOWHERE ? 0 : sum->first;
    memset(count, 0, sizeof *count * ACCORD_EXACT_COUNTS);
    count[ACCORD_EXACT_TERMS] = sum->terms;
    if (sum->odd)
        memcpy(count + 1, sum->word + sum->limbs, sizeof *count * ACCORDI_COMPACT_ODD);
    return (accordi_exact_view){s->word, count, NULL, sum->limbs, unit + 32 * first};
}

static bool is_empty(const accordi_compact *sum)
{
    return sum->terms <= 0;
}

double accordi_compact_sum_f64(const accordi_compact *sum)
{
    int64_t count[ACCORD_EXACT_COUNTS];
    accordi_exact_view view = accordi_compact_view(sum, count);
    if (is_empty(sum))
        return (double)NAN;
    return accordi_from_bits(accordi_exact_round(view, ACCORD_F64, ACCORD_EXACT_NEAREST_EVEN));
}

float accordi_compact_sum_f32(const accordi_compact *sum)
{
    int64_t count[ACCORD_EXACT_COUNTS];
    accordi_exact_view view = accordi_compact_view(sum, count);
    if (is_empty(sum))
        return NAN;
    uint32_t bits = (uint32_t)accordi_exact_round(view, ACCORD_F32, ACCORD_EXACT_NEAREST_EVEN);
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

double accordi_compact_mean(const accordi_compact *sum)
{
    int64_t count[ACCORD_EXACT_COUNTS];
    accordi_exact_magnitude m;
    uint64_t pattern;
    if (is_empty(sum))
        return (double)NAN;
    accordi_exact_view view = accordi_compact_view(sum, count);
    if (!accordi_exact_is_odd(view, ACCORD_F64, ACCORD_EXACT_NEAREST_EVEN, &m, &pattern))
        pattern =
            accordi_exact_round_lead(accordi_exact_divide(&m, view.unit, (uint64_t)sum->terms, 0),
                                     ACCORD_F64, ACCORD_EXACT_NEAREST_EVEN);
    return accordi_from_bits(pattern);
}

/* limb += sign * a * b * 2^(32 at), a and b of one word each. */
static void put_product(int64_t *limb, int at, uint64_t a, uint64_t b, int sign)
{
    uint64_t product = a * b;
    limb[at] += sign * (int64_t)(product & 0xffffffff);
    limb[at + 1] += sign * (int64_t)(product >> 32);
}

static void subtract_square(int64_t *limb, accordi_exact_view values)
{
    accordi_exact_magnitude m;
    accordi_exact_measure(values, &m);
    int start = 2 * (values.unit + 1074) / 32;
    for (int i = m.first; i < m.end; i++)
        for (int j = m.first; j < m.end; j++)
            put_product(limb, start + i + j, m.word[i], m.word[j], -1);
}

static void add_multiple(int64_t *limb, accordi_exact_view squares, uint64_t n)
{
    accordi_exact_magnitude m;
    accordi_exact_measure(squares, &m);
    int start = (squares.unit + 2148) / 32;
    for (int i = m.first; i < m.end; i++) {
        put_product(limb, start + i, m.word[i], n & 0xffffffff, 1);
        put_product(limb, start + i + 1, m.word[i], n >> 32, 1);
    }
}

/* magnitude * 2^unit / divisor, 2^63 <= divisor < 2^126. */
static accordi_lead divide_by_bits(const accordi_exact_magnitude *m, int unit, uint128 divisor)
{
    uint128 rest = 0;
    uint64_t bits = 0;
    int at = m->highest;
    for (; !(bits >> 63); at--) {
        rest = rest << 1 | (accordi_exact_bits(m, at) & 1);
        bits = bits << 1 | (rest >= divisor);
        rest -= rest >= divisor ? divisor : 0;
    }
    bool more = rest != 0 || m->lowest <= at;
    return (accordi_lead){bits, at + 1 + unit + 63, more, m->negative};
}

static double divided(accordi_exact_view view, uint128 divisor)
{
    accordi_exact_magnitude m;
    accordi_lead lead;
    accordi_exact_measure(view, &m);
    if (m.highest < 0)
        return 0;
    if (divisor >> 63)
        lead = divide_by_bits(&m, view.unit, divisor);
    else
        lead = accordi_exact_divide(&m, view.unit, (uint64_t)divisor, 0);
    return accordi_from_bits(accordi_exact_round_lead(lead, ACCORD_F64, ACCORD_EXACT_NEAREST_EVEN));
}

double accordi_compact_variance(const accordi_compact *values, const accordi_compact *squares,
                                bool population)
{
    int64_t count[ACCORD_EXACT_COUNTS], of_squares[ACCORD_EXACT_COUNTS];
    int64_t limb[SQUARE_LIMBS] = {0}, pending;
    accordi_exact_view v = accordi_compact_view(values, count);
    accordi_exact_view s = accordi_compact_view(squares, of_squares);
    uint64_t n = (uint64_t)values->terms, less = n - !population;
    if (is_empty(values) || !less || values->terms != squares->terms || count[ACCORD_EXACT_NANS] ||
        count[ACCORD_EXACT_PLUS_INFINITIES] || count[ACCORD_EXACT_MINUS_INFINITIES])
        return (double)NAN;
    add_multiple(limb, s, n);
    subtract_square(limb, v);
    accordi_exact_view numerator = {limb, NULL, &pending, SQUARE_LIMBS, -2148};
    accordi_exact_normalize(numerator);
    return divided(numerator, (uint128)n * less);
}
