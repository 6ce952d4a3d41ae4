/* Two accumulators into one, and one moved by a power of two: limb by limb, in canonical form, so
 * that no carry waits. */
#include "exact/accumulator/exact.h"

static bool in_range(int64_t top)
{
    return top >= -((int64_t)1 << 30) && top < (int64_t)1 << 30;
}

static enum accord_status too_large(accord_error *error)
{
    return accordi_fail(error, ACCORD_ARG,
                        "the sum would outgrow its accumulator; scale it down first");
}

/* What a term counted in place i counts as once it is negated. */
static const int negated[ACCORD_EXACT_COUNTS] = {
    [ACCORD_EXACT_TERMS] = ACCORD_EXACT_TERMS,
    [ACCORD_EXACT_NANS] = ACCORD_EXACT_NANS,
    [ACCORD_EXACT_PLUS_INFINITIES] = ACCORD_EXACT_MINUS_INFINITIES,
    [ACCORD_EXACT_MINUS_INFINITIES] = ACCORD_EXACT_PLUS_INFINITIES,
    [ACCORD_EXACT_PLUS_ZEROS] = ACCORD_EXACT_MINUS_ZEROS,
    [ACCORD_EXACT_MINUS_ZEROS] = ACCORD_EXACT_PLUS_ZEROS,
};

static void copy_canonical(accordi_exact_view from, int64_t *limb)
{
    int64_t pending;
    memcpy(limb, from.limb, sizeof *limb * (size_t)from.limbs);
    accordi_exact_normalize((accordi_exact_view){limb, NULL, &pending, from.limbs, from.unit});
}

/* Both sides are carried aside: `other` is not ours to write, and may be `sum`. The difference of
 * two accumulators needs one bit more than they; the last limb has it. */
static void add_apart(accordi_exact_view sum, accordi_exact_view other, bool negate, int64_t *limb,
                      int64_t *count)
{
    int64_t terms[ACCORD_EXACT_WIDE_LIMBS], pending;
    copy_canonical(sum, limb);
    copy_canonical(other, terms);
    for (int i = 0; i < sum.limbs; i++)
        limb[i] += negate ? -terms[i] : terms[i];
    accordi_exact_normalize((accordi_exact_view){limb, NULL, &pending, sum.limbs, sum.unit});
    for (int i = 0; i < ACCORD_EXACT_COUNTS; i++)
        count[i] =
            (int64_t)((uint64_t)sum.count[i] + (uint64_t)other.count[negate ? negated[i] : i]);
    accordi_exact_settle_zeros(count);
}

/* Nothing may change on failure. */
enum accord_status accordi_exact_merge(accordi_exact_view sum, accordi_exact_view other,
                                       bool negate, accord_error *error)
{
    int64_t limb[ACCORD_EXACT_WIDE_LIMBS], count[ACCORD_EXACT_COUNTS];
    add_apart(sum, other, negate, limb, count);
    if (!in_range(limb[sum.limbs - 1]))
        return too_large(error);
    if (other.count[ACCORD_EXACT_TERMS] > ((int64_t)1 << 62) - sum.count[ACCORD_EXACT_TERMS])
        return accordi_fail(error, ACCORD_ARG,
                            "the sum would have more than 2^62 terms; add fewer accumulators");
    memcpy(sum.limb, limb, sizeof *limb * (size_t)sum.limbs);
    memcpy(sum.count, count, sizeof count);
    *sum.pending = 0;
    return ACCORD_OK;
}

void accordi_exact_take_away(accordi_exact_view sum, accordi_exact_view other)
{
    int64_t limb[ACCORD_EXACT_WIDE_LIMBS], count[ACCORD_EXACT_COUNTS];
    add_apart(sum, other, true, limb, count);
    memcpy(sum.limb, limb, sizeof *limb * (size_t)sum.limbs);
    memcpy(sum.count, count, sizeof count);
    *sum.pending = 0;
}

void accordi_exact_widen(const accord_exact *narrow, accord_exact_wide *out)
{
    accordi_exact_view from = accordi_exact_of(narrow), to = accordi_exact_of_wide(out);
    accordi_exact_magnitude m;
    accordi_exact_measure(from, &m);
    for (int i = 0; i < to.limbs; i++) {
        int64_t word = m.highest < 0 ? 0 : accordi_exact_bits(&m, 32 * i - (from.unit - to.unit));
        to.limb[i] = m.negative ? -word : word;
    }
    memcpy(to.count, from.count, sizeof narrow->count);
    accordi_exact_normalize(to);
}

enum accord_status accordi_exact_shift(accordi_exact_view sum, int exponent, accord_error *error)
{
    accordi_exact_magnitude m;
    accordi_exact_measure(sum, &m);
    if (m.highest < 0)
        return ACCORD_OK;
    if (exponent >= 32 * (sum.limbs - 1) + 30 - m.highest)
        return too_large(error);
    if (exponent < -m.lowest)
        return accordi_fail(error, ACCORD_ARG,
                            "scaling by 2^%d would lose bits below 2^%d; the least exponent that "
                            "loses none is %d",
                            exponent, sum.unit, -m.lowest);
    for (int i = 0; i < sum.limbs; i++) {
        int64_t word = accordi_exact_bits(&m, 32 * i - exponent);
        sum.limb[i] = m.negative ? -word : word;
    }
    accordi_exact_normalize(sum);
    return ACCORD_OK;
}
