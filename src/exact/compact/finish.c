/* What is read from compact accumulators: each result is rounded once, from its exact value. */
#include "exact/compact/compact.h"
#include "exact/routines/quotient.h"
#include "format/format.h"
#include <accord/exact_finish.h>
#include <math.h>

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

/* Most sums have up to three limbs, which are an integer of 128 bits. Zeros are left to others. */
static bool has_few_limbs(const accordi_compact *sum, accordi_lead *out)
{
    int first = 0, last = sum->limbs - 1;
    while (last > 0 && !sum->word[last])
        last--;
    while (first < last && !sum->word[first])
        first++;
    if (sum->odd || last - first > 2)
        return false;
    int128 value = 0;
    for (int i = last; i >= first; i--)
        value = value * ((int128)1 << 32) + sum->word[i];
    if (value == 0)
        return false;
    uint128 magnitude = value < 0 ? -(uint128)value : (uint128)value;
    int unit = (sum->products ? -2148 : -1074) + 32 * (sum->first + first);
    *out = accordi_lead_of(value < 0, magnitude, unit, false);
    return true;
}

double accordi_compact_sum_f64(const accordi_compact *sum)
{
    int64_t count[ACCORD_EXACT_COUNTS];
    accordi_exact_view view = accordi_compact_view(sum, count);
    accordi_lead lead;
    if (is_empty(sum))
        return (double)NAN;
    if (has_few_limbs(sum, &lead))
        return accordi_from_bits(
            accordi_exact_round_lead(lead, ACCORD_F64, ACCORD_EXACT_NEAREST_EVEN));
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

static void widen(const accordi_compact *sum, accordi_exact_view to)
{
    accordi_exact_view from = accordi_compact_view(sum, to.count);
    int first = (from.unit - to.unit) / 32;
    memcpy(to.limb + first, from.limb, (size_t)from.limbs * sizeof *to.limb);
    *to.pending = sum->pending;
}

double accordi_compact_variance(const accordi_compact *values, const accordi_compact *squares,
                                bool population)
{
    accord_exact sum;
    accord_exact_wide products;
    double variance;
    if (is_empty(values) || values->terms != squares->terms || values->products ||
        !squares->products)
        return (double)NAN;
    accord_exact_init(&sum);
    accord_exact_wide_init(&products);
    widen(values, accordi_exact_of(&sum));
    widen(squares, accordi_exact_of_wide(&products));
    if (accord_exact_variance_f64(&sum, &products, !population, ACCORD_EXACT_NEAREST_EVEN,
                                  &variance, NULL))
        return (double)NAN;
    return variance;
}
