/* Variances and covariances of accumulators.
 *
 * Of n pairs with the sums Sx and Sy and the sum P of products, the sum of (x - mean x)(y - mean y)
 * is P - Sx Sy / n; so the covariance is (n P - Sx Sy) / (n (n - less)), a quotient of integers,
 * whatever cancels.
 *
 * Room: P is below 2^2266 with all terms, n below 2^63, so n P stays below 2^2329; Sx Sy is below
 * 2^2328 or so. The least bit of each is 2^-2148. 204 limbs reach 2^4380. A limb collects at most
 * 2 * 71 + 3 numbers below 2^32. */
#include "exact/routines/finish.h"

enum { LIMBS = 204, UNIT = -2148 };

static void add_product(int64_t *limb, const accordi_exact_magnitude *a,
                        const accordi_exact_magnitude *b, bool negative)
{
    int64_t sign = negative ? -1 : 0;
    for (int i = a->first; i < a->end; i++)
        for (int j = b->first; j < b->end; j++) {
            uint64_t product = (uint64_t)a->word[i] * b->word[j];
            limb[i + j] += ((int64_t)(uint32_t)product ^ sign) - sign;
            limb[i + j + 1] += ((int64_t)(product >> 32) ^ sign) - sign;
        }
}

/* The numerator of the quotient; false: it is zero. */
static bool numerator(accordi_exact_view x, accordi_exact_view y, accordi_exact_view products,
                      accordi_exact_magnitude *out)
{
    int64_t limb[LIMBS] = {0}, pending = 0;
    accordi_exact_magnitude a, b, n;
    accordi_exact_measure(products, &a);
    accordi_exact_magnitude_of((uint64_t)x.count[ACCORD_EXACT_TERMS], &n);
    if (a.highest >= 0)
        add_product(limb, &a, &n, a.negative);
    accordi_exact_measure(x, &a);
    accordi_exact_measure(y, &b);
    if (a.highest >= 0 && b.highest >= 0)
        add_product(limb, &a, &b, a.negative == b.negative);
    accordi_exact_measure((accordi_exact_view){limb, NULL, &pending, LIMBS, UNIT}, out);
    return out->highest >= 0;
}

static bool is_finite(accordi_exact_view sum)
{
    return !(sum.count[ACCORD_EXACT_NANS] | sum.count[ACCORD_EXACT_PLUS_INFINITIES] |
             sum.count[ACCORD_EXACT_MINUS_INFINITIES]);
}

static void multiply(uint64_t a, uint64_t b, accordi_exact_magnitude *out)
{
    int64_t limb[6] = {0}, pending = 0;
    accordi_exact_magnitude x, y;
    accordi_exact_magnitude_of(a, &x);
    accordi_exact_magnitude_of(b, &y);
    add_product(limb, &x, &y, false);
    accordi_exact_measure((accordi_exact_view){limb, NULL, &pending, 6, 0}, out);
}

static uint64_t covariance(const accordi_exact_kind *kind, accordi_exact_view x,
                           accordi_exact_view y, accordi_exact_view products, int64_t less,
                           bool root, enum accord_exact_rounding rounding)
{
    accordi_exact_magnitude n, d;
    int64_t terms = x.count[ACCORD_EXACT_TERMS];
    bool divisible = terms > 0 && less < terms;
    if (!is_finite(x) || !is_finite(y) || !is_finite(products) || !divisible)
        return accordi_exact_odd(kind, ACCORD_EXACT_NANS);
    if (!numerator(x, y, products, &n))
        return accordi_exact_odd(kind, ACCORD_EXACT_PLUS_ZEROS);
    if (root && n.negative)
        return accordi_exact_odd(kind, ACCORD_EXACT_NANS);
    multiply((uint64_t)terms, (uint64_t)terms - (uint64_t)less, &d);
    accordi_exact_ratio ratio = accordi_exact_divide_long(&n, UNIT, &d, 0);
    accordi_lead lead =
        root ? accordi_exact_ratio_root(ratio) : accordi_exact_ratio_lead(ratio, n.negative);
    return accordi_exact_round_lead(lead, kind->format, rounding);
}

static enum accord_status finish(const accordi_exact_kind *kind, const accord_exact *x,
                                 const accord_exact *y, const accord_exact_wide *products,
                                 int64_t less, bool root, enum accord_exact_rounding rounding,
                                 void *out, accord_error *error)
{
    int64_t terms = x->count[ACCORD_EXACT_TERMS];
    if (!out)
        return accordi_fail(error, ACCORD_ARG, "the result is NULL: pass the address of a number");
    if (y->count[ACCORD_EXACT_TERMS] != terms || products->count[ACCORD_EXACT_TERMS] != terms)
        return accordi_fail(error, ACCORD_ARG,
                            "the accumulators count %lld, %lld and %lld terms: add equally many "
                            "numbers and products",
                            (long long)terms, (long long)y->count[ACCORD_EXACT_TERMS],
                            (long long)products->count[ACCORD_EXACT_TERMS]);
    accordi_exact_store(kind, out, 0,
                        covariance(kind, accordi_exact_of(x), accordi_exact_of(y),
                                   accordi_exact_of_wide(products), less, root, rounding));
    return ACCORD_OK;
}

#define VARIANCE(name_, suffix_, number_, root_)                                                   \
    enum accord_status accord_exact_##name_##_##suffix_(                                           \
        const accord_exact *sum, const accord_exact_wide *squares, int64_t less,                   \
        enum accord_exact_rounding rounding, number_ *out, accord_error *error)                    \
    {                                                                                              \
        return finish(&accordi_exact_##suffix_, sum, sum, squares, less, root_, rounding, out,     \
                      error);                                                                      \
    }
#define COVARIANCE(suffix_, number_)                                                               \
    enum accord_status accord_exact_covariance_##suffix_(                                          \
        const accord_exact *sum_x, const accord_exact *sum_y, const accord_exact_wide *products,   \
        int64_t less, enum accord_exact_rounding rounding, number_ *out, accord_error *error)      \
    {                                                                                              \
        return finish(&accordi_exact_##suffix_, sum_x, sum_y, products, less, false, rounding,     \
                      out, error);                                                                 \
    }

#define SPREADS(suffix_, number_)                                                                  \
    VARIANCE(variance, suffix_, number_, false)                                                    \
    VARIANCE(deviation, suffix_, number_, true)                                                    \
    COVARIANCE(suffix_, number_)
SPREADS(f64, double)
SPREADS(f32, float)
SPREADS(f16, uint16_t)
SPREADS(bf16, uint16_t)
