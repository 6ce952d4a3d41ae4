/* Empties the integer lanes of the kernels into the limbs of an accumulator. */
#include "exact/kernels/kernels.h"

/* In parts of 32 bits, so that |limb| stays below what as many calls of accordi_exact_put with full
 * terms would leave. */
static void put_integer(accordi_exact_view sum, int128 value, int exponent)
{
    int64_t sign = value < 0 ? -1 : 0;
    uint128 size = value < 0 ? -(uint128)value : (uint128)value;
    accordi_exact_reserve(sum, 4);
    for (unsigned offset = (unsigned)(exponent - sum.unit); size; size >>= 32, offset += 32)
        accordi_exact_put(sum.limb, (uint32_t)size, offset, sign);
}

void accordi_exact_put_lanes(accordi_exact_view sum, const int64_t *lanes, int n, int exponent)
{
    int128 total = 0;
    for (int i = 0; i < n; i++)
        total += lanes[i];
    put_integer(sum, total, exponent);
}

/* Carries on the way, so that a fold but the first takes one put. */
void accordi_exact_put_folds(accordi_exact_view sum, const int64_t *lanes, int n, int folds,
                             int exponent, int spacing)
{
    int128 total = 0;
    accordi_exact_reserve(sum, folds);
    for (int k = folds - 1; k >= 0; k--, exponent += spacing) {
        for (int i = 0; i < n; i++)
            total += lanes[k * n + i];
        if (!k)
            break;
        uint64_t part = (uint64_t)total & (((uint64_t)1 << spacing) - 1);
        accordi_exact_put(sum.limb, part, (unsigned)(exponent - sum.unit), 0);
        total >>= spacing;
    }
    put_integer(sum, total, exponent);
}

void accordi_exact_put_steps(accordi_exact_view sum, const int64_t *lower, const int64_t *upper,
                             int n, int exponent)
{
    int128 total = 0;
    for (int i = 0; i < n; i++)
        total += (lower[i] + upper[i] * ((int128)1 << 32)) * ((int128)1 << i);
    put_integer(sum, total, exponent);
}
