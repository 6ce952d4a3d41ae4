/* The superaccumulator: a long fixed-point number in limbs of 32 bits that are kept in 64.
 *
 * Idea: a term m * 2^e, m < 2^53, is cut at the limb boundary above its lowest bit and its two
 * parts, below 2^32 and 2^52, are added to (or taken from) two limbs; carries wait in the upper
 * halves. Invariant: |limb| <= 2^32 + pending * 2^52, so that 1000 adds stay below 2^62; then one
 * pass, 70 or 136 steps, carries everything upwards. Limbs may be negative in between; in the
 * canonical form all but the last lie in [0, 2^32), and the last has the sign.
 *
 * Room: the greatest double reaches bit 2098 of 2240, the greatest product bit 4196 of 4352, so
 * more than 2^62 of either fit. Only scaling could lead past the end: merging and scaling stop
 * while the last limb lies in [-2^30, 2^30), which leaves the rest for plain MPI sums. */
#include "exact/accumulator/exact.h"

void accordi_exact_normalize(accordi_exact_view view)
{
    int64_t carry = 0;
    for (int i = 0; i < view.limbs - 1; i++) {
        int64_t limb = view.limb[i] + carry;
        view.limb[i] = limb & 0xffffffff;
        carry = limb >> 32;
    }
    view.limb[view.limbs - 1] += carry;
    *view.pending = 0;
}

static void find_ends(accordi_exact_magnitude *m)
{
    int high = m->end - 1, low = m->first;
    while (high >= low && !m->word[high])
        high--;
    m->highest = m->lowest = -1;
    if (high < low)
        return;
    while (!m->word[low])
        low++;
    m->highest = 32 * high + 31 - __builtin_clz(m->word[high]);
    m->lowest = 32 * low + __builtin_ctz(m->word[low]);
}

/* Two's complement. */
static void negate(accordi_exact_magnitude *m)
{
    uint64_t add = 1;
    for (int i = m->first; i < m->end; i++) {
        add += ~m->word[i];
        m->word[i] = (uint32_t)add;
        add >>= 32;
    }
}

static bool all_zero(const int64_t four[4])
{
    return !(four[0] | four[1] | four[2] | four[3]);
}

/* Carries on the way, through the limbs in use alone: a short sum has few. What is carried out of
 * the last of them has the sign. */
void accordi_exact_measure(accordi_exact_view view, accordi_exact_magnitude *out)
{
    int first = 0, end = view.limbs;
    while (end >= 4 && all_zero(view.limb + end - 4))
        end -= 4;
    while (end > 0 && !view.limb[end - 1])
        end--;
    while (first + 4 <= end && all_zero(view.limb + first))
        first += 4;
    while (first < end && !view.limb[first])
        first++;
    int64_t carry = 0;
    for (int i = first; i < end; i++) {
        int64_t limb = view.limb[i] + carry;
        out->word[i] = (uint32_t)limb;
        carry = limb >> 32;
    }
    out->word[end] = (uint32_t)carry;
    out->first = first;
    out->end = end + 1;
    out->negative = carry < 0;
    if (out->negative)
        negate(out);
    find_ends(out);
}

static uint64_t word_at(const accordi_exact_magnitude *m, int i)
{
    return i >= m->first && i < m->end ? m->word[i] : 0;
}

uint32_t accordi_exact_bits(const accordi_exact_magnitude *magnitude, int from)
{
    int word = (from >= 0 ? from : from - 31) / 32, shift = from - 32 * word;
    uint64_t two = word_at(magnitude, word) | word_at(magnitude, word + 1) << 32;
    return (uint32_t)(two >> shift);
}

accordi_lead accordi_exact_lead_of(const accordi_exact_magnitude *m, int unit)
{
    uint64_t high = accordi_exact_bits(m, m->highest - 31),
             low = accordi_exact_bits(m, m->highest - 63);
    return (accordi_lead){high << 32 | low, m->highest + unit, m->lowest < m->highest - 63,
                          m->negative};
}

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

/* Both sides are carried aside: `other` is not ours to write, may be `sum`, and nothing may change
 * on failure. */
enum accord_status accordi_exact_merge(accordi_exact_view sum, accordi_exact_view other,
                                       bool negate, accord_error *error)
{
    int64_t limb[ACCORD_EXACT_WIDE_LIMBS], terms[ACCORD_EXACT_WIDE_LIMBS], pending;
    int64_t count[ACCORD_EXACT_COUNTS];
    copy_canonical(sum, limb);
    copy_canonical(other, terms);
    for (int i = 0; i < sum.limbs; i++)
        limb[i] += negate ? -terms[i] : terms[i];
    accordi_exact_normalize((accordi_exact_view){limb, NULL, &pending, sum.limbs, sum.unit});
    if (!in_range(limb[sum.limbs - 1]))
        return too_large(error);
    if (other.count[ACCORD_EXACT_TERMS] > ((int64_t)1 << 62) - sum.count[ACCORD_EXACT_TERMS])
        return accordi_fail(error, ACCORD_ARG,
                            "the sum would have more than 2^62 terms; add fewer accumulators");
    for (int i = 0; i < ACCORD_EXACT_COUNTS; i++)
        count[i] = sum.count[i] + other.count[negate ? negated[i] : i];
    accordi_exact_settle_zeros(count);
    memcpy(sum.limb, limb, sizeof *limb * (size_t)sum.limbs);
    memcpy(sum.count, count, sizeof count);
    *sum.pending = 0;
    return ACCORD_OK;
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
