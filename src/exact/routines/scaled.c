/* alpha * sum + beta * y, exactly: a longer accumulator takes the magnitude of the sum word by word
 * times the significand of alpha, and the product beta * y on top.
 *
 * Room: the least bit of a sum of products is 2^-2148, that of alpha 2^-1074; the greatest sum is
 * below 2^2202, alpha below 2^1024. So bits from 2^-3222 to 2^3226 are in use; 204 limbs reach
 * 2^3306. */
#include "exact/routines/product.h"

enum { LIMBS = 204, UNIT = -3222 };

typedef struct longer {
    int64_t limb[LIMBS], count[ACCORD_EXACT_COUNTS], pending;
} longer;

/* 53 by 32 bits make 85: two parts that accordi_exact_put takes. */
static void add_multiple(accordi_exact_view to, const accordi_exact_magnitude *m, int unit,
                         accordi_exact_number alpha)
{
    int64_t sign = m->negative != alpha.negative ? -1 : 0;
    accordi_exact_reserve(to, 2 * (m->end - m->first));
    for (int i = m->first; i < m->end; i++) {
        uint128 product = (uint128)alpha.m * m->word[i];
        unsigned offset = (unsigned)(32 * i + unit + alpha.exponent - to.unit);
        accordi_exact_put(to.limb, (uint64_t)product & 0xffffffffffff, offset, sign);
        accordi_exact_put(to.limb, (uint64_t)(product >> 48), offset + 48, sign);
    }
}

/* Infinities and zeros keep their number, and change their signs with alpha. */
static void copy_counts(int64_t *to, const int64_t *from, bool negate)
{
    static const enum accord_exact_count pairs[][2] = {
        {ACCORD_EXACT_PLUS_INFINITIES, ACCORD_EXACT_MINUS_INFINITIES},
        {ACCORD_EXACT_PLUS_ZEROS, ACCORD_EXACT_MINUS_ZEROS},
    };
    memcpy(to, from, sizeof *to * ACCORD_EXACT_COUNTS);
    for (int i = 0; negate && i < 2; i++) {
        to[pairs[i][0]] = from[pairs[i][1]];
        to[pairs[i][1]] = from[pairs[i][0]];
    }
}

uint64_t accordi_exact_scaled(const accordi_exact_kind *kind, const void *alpha,
                              accordi_exact_view sum, const void *beta, const void *y,
                              enum accord_exact_rounding rounding)
{
    accordi_exact_number factor = accordi_exact_take(kind, alpha);
    longer total = {0};
    accordi_exact_view view = {total.limb, total.count, &total.pending, LIMBS, UNIT};
    accordi_exact_magnitude m;
    copy_counts(total.count, sum.count, factor.negative);
    accordi_exact_measure(sum, &m);
    if (m.highest >= 0)
        add_multiple(view, &m, sum.unit, factor);
    if (beta)
        kind->products(view, 1, beta, 1, y, 1);
    return accordi_exact_round(view, kind->format, rounding);
}
