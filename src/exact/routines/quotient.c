/* Quotients and square roots of exact sums.
 *
 * Idea: of the magnitude the 128 leading bits N are divided, or their root taken, as an integer;
 * that gives at least 64 bits of the result, and what is left over (a remainder, bits below N) can
 * only say "a little more".
 *
 * Bounds: 2^127 <= N < 2^128 and divisor < 2^64 give a quotient above 2^63. A root needs an even
 * exponent, so N may be a bit shorter, 2^126 <= N; its root has 64 bits exactly. A remainder of
 * zero and no bits below make the result exact, so `more` is the truth, not a guess. */
#include "exact/routines/quotient.h"

/* `count` leading bits, 97 … 128. */
static uint128 leading(const accordi_exact_magnitude *m, int count)
{
    uint128 bits = 0;
    for (int i = 0; i < 4; i++)
        bits = bits << 32 | accordi_exact_bits(m, m->highest - 31 - 32 * i);
    return bits >> (128 - count);
}

static int leading_zeros(uint128 x)
{
    uint64_t high = (uint64_t)(x >> 64);
    return high ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)x);
}

accordi_lead accordi_exact_divide(const accordi_exact_magnitude *magnitude, int unit,
                                  uint64_t divisor, int exponent)
{
    uint128 n = leading(magnitude, 128), quotient = n / divisor;
    int zeros = leading_zeros(quotient), below = magnitude->highest - 127;
    quotient <<= zeros;
    return (accordi_lead){
        .bits = (uint64_t)(quotient >> 64),
        .exponent = below + unit - exponent + 127 - zeros,
        .more = (uint64_t)quotient || n % divisor || magnitude->lowest < below,
        .negative = magnitude->negative,
    };
}

accordi_lead accordi_exact_root(const accordi_exact_magnitude *magnitude, int unit)
{
    int below = magnitude->highest - 127, count = 128;
    if ((below + unit) % 2) {
        below++;
        count--;
    }
    uint128 n = leading(magnitude, count);
    uint64_t root = accordi_root(n);
    return (accordi_lead){
        .bits = root,
        .exponent = (below + unit) / 2 + 63,
        .more = (uint128)root * root != n || magnitude->lowest < below,
        .negative = false,
    };
}

double accordi_exact_root_value(accordi_exact_view sum, enum accord_format format,
                                enum accord_rounding rounding)
{
    accordi_exact_magnitude m;
    accordi_exact_measure(sum, &m);
    if (m.highest < 0)
        return 0;
    accordi_lead root = accordi_exact_root(&m, sum.unit);
    return accordi_lead_value(accord_format_get(format), rounding, root, false);
}
