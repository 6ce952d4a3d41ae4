/* The superaccumulator: a long fixed-point number in limbs of 32 bits that are kept in 64.
 *
 * Idea: a term m * 2^e, m < 2^53, is cut at the limb boundary above its lowest bit and its two
 * parts, below 2^32 and 2^52, are added to (or taken from) two limbs; carries wait in the upper
 * halves. Invariant: |limb| <= 2^32 + pending * 2^52, so that 1000 adds stay below 2^62; then one
 * pass, 70 or 136 steps, carries everything upwards. Limbs may be negative in between; in the
 * canonical form all but the last lie in [0, 2^32), and the last has the sign.
 *
 * Room: the greatest double reaches bit 2098 of 2240, the greatest product bit 4196 of 4352, so
 * more than 2^62 of either fit. Only scaling could lead past the end: merging and scaling (merge.c)
 * stop while the last limb lies in [-2^30, 2^30), which leaves the rest for plain MPI sums. */
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

void accordi_exact_magnitude_of(uint64_t x, accordi_exact_magnitude *out)
{
    out->word[0] = (uint32_t)x;
    out->word[1] = (uint32_t)(x >> 32);
    out->first = 0;
    out->end = 2;
    out->negative = false;
    find_ends(out);
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

/* Carries on the way, through the limbs in use alone: a short sum has few. What is carried out of
 * the last of them has the sign. */
void accordi_exact_measure(accordi_exact_view view, accordi_exact_magnitude *out)
{
    int first = 0, end = accordi_exact_used(view);
    while (first + 8 <= end && accordi_exact_eight_zeros(view.limb + first))
        first += 8;
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
