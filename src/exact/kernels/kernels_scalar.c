/* The kernels of exact sums for machines without another row: terms go into limbs, or if there are
 * many into bins, which take integer arithmetic alone. What it does with products of f64 serves
 * other rows, too, if they have no multiply-add. */
#define GENERIC_LANES 1
#include "exact/kernels/isa_generic.h"
#include "exact/kernels/kernels.h"

#include "exact/kernels/expansion_arrays.h"
#include "exact/kernels/f32_scatter.h"

enum {
    BINS_LEAST = 64,     /* terms for which bins may be worth setting up and emptying … */
    BINS_TERMS = 2,      /* … and so many for each exponent that they extend over */
    BINS_ALWAYS = 4096,  /* terms; for more it is not worth looking how far they extend */
    DOT_BINS_FROM = 128, /* products of f64 */
    /* Products of f64, m 2^e with m < 2^106, of NEAR exponents go into one integer of 128 bits,
     * BLOCK of them at a time: with what is carried, less than 2^(106 + 7 + 13 + 1). */
    PRODUCTS_NEAR = 8,
    PRODUCTS_BLOCK = 1 << 13,
    PRODUCTS_BINS = 4096 / PRODUCTS_NEAR,
    PRODUCTS_UNIT = 2 * -1075, /* of exponent fields that add up to 0 */
    PRODUCTS_PART = 48,        /* bits of an integer that are handed over at a time */
};

/* Up to BINS_ALWAYS terms into bins; false where their exponents extend too far for that. Zeros and
 * subnormal numbers have a bin of their own. */
static bool into_some_bins(accordi_exact_view sum, size_t n, const double *x)
{
    const uint64_t one = (uint64_t)1 << 53; /* an exponent, in a pattern without its sign */
    uint64_t most = 0, least_less_one = UINT64_MAX;
    for (size_t i = 0; i < n; i++) {
        uint64_t size = scatter_bits(x + i) << 1, less_one = size - one;
        most = size > most ? size : most;
        least_less_one = less_one < least_less_one ? less_one : least_less_one;
    }
    int last = (int)(most / one), first = last ? (int)(least_less_one / one) + 1 : 1;
    if (BINS_TERMS * (last - first) > (int)n)
        return false;
    scatter s;
    scatter_open_for(&s, sum, first, last);
    for (size_t count; n; n -= count, x += count) {
        count = n < SCATTER_BLOCK ? n : SCATTER_BLOCK;
        scatter_block(&s, count, x);
    }
    scatter_flush(&s);
    return true;
}

static void scalar_sum_f64(accordi_exact_view sum, size_t n, const double *x, unsigned levels)
{
    if (!(levels & ACCORDI_EXACT_SCATTER) || n < BINS_LEAST ||
        (n <= BINS_ALWAYS && !into_some_bins(sum, n, x)))
        accordi_exact_terms_f64(sum, n, x, 1);
    else if (n > BINS_ALWAYS)
        scatter_run(sum, n, x);
}

/* Terms of f32, or products, which are numbers of f64. y is NULL for sums. */
static void add_f32(accordi_exact_view sum, size_t n, const float *x, const float *y)
{
    double wide[BINS_ALWAYS];
    if (n > BINS_ALWAYS) {
        bins_run(sum, x, y, n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        float a, b = 1;
        memcpy(&a, x + i, sizeof a);
        if (y)
            memcpy(&b, y + i, sizeof b);
        wide[i] = (double)a * (double)b;
    }
    scalar_sum_f64(sum, n, wide, ACCORDI_EXACT_SCATTER);
}

static void scalar_sum_f32(accordi_exact_view sum, size_t n, const float *x, unsigned levels)
{
    if (levels & ACCORDI_EXACT_SCATTER && n >= BINS_LEAST)
        add_f32(sum, n, x, NULL);
    else
        accordi_exact_terms_f32(sum, n, x, 1);
}

static void scalar_dot_f32(accordi_exact_view sum, size_t n, const float *x, const float *y,
                           unsigned levels)
{
    if (levels & ACCORDI_EXACT_SCATTER && n >= BINS_LEAST)
        add_f32(sum, n, x, y);
    else
        accordi_exact_products_f32(sum, n, x, 1, y, 1);
}

/* The least exponent fields add up to 2: what lies below that unit is zero. */
static void products_put(accordi_exact_view sum, int128 all, int exponent)
{
    const int64_t part = ((int64_t)1 << PRODUCTS_PART) - 1;
    if (exponent < sum.unit) {
        all >>= sum.unit - exponent;
        exponent = sum.unit;
    }
    const int64_t parts[] = {(int64_t)(all >> 2 * PRODUCTS_PART),
                             (int64_t)(all >> PRODUCTS_PART) & part, (int64_t)all & part};
    accordi_exact_put_folds(sum, parts, 1, 3, exponent, PRODUCTS_PART);
}

/* From the least exponents on: of each bin and the carry from below its PRODUCTS_NEAR lowest bits
 * stay, and the others are the next carry. It is put down where no bin goes on. */
static void products_flush(accordi_exact_view sum, const int128 *bin)
{
    const int group = 4;
    int128 carry = 0;
    for (int i = 0; i < PRODUCTS_BINS; i += group) {
        const int exponent = i * PRODUCTS_NEAR + PRODUCTS_UNIT;
        if (!(bin[i] | bin[i + 1] | bin[i + 2] | bin[i + 3])) {
            if (carry)
                products_put(sum, carry, exponent);
            carry = 0;
            continue;
        }
        int64_t low = 0;
        for (int k = 0; k < group; k++) {
            carry += bin[i + k];
            low |= (int64_t)((uint64_t)carry & ((1 << PRODUCTS_NEAR) - 1)) << k * PRODUCTS_NEAR;
            carry >>= PRODUCTS_NEAR;
        }
        if (exponent < sum.unit) {
            products_put(sum, low, exponent);
            continue;
        }
        accordi_exact_reserve(sum, 1);
        accordi_exact_put(sum.limb, (uint64_t)low, (unsigned)(exponent - sum.unit), 0);
    }
    if (carry)
        products_put(sum, carry, PRODUCTS_BINS * PRODUCTS_NEAR + PRODUCTS_UNIT);
}

/* At most PRODUCTS_BLOCK. Those of zeros, subnormal numbers, infinities and NaN go into limbs. */
static void products_block(accordi_exact_view sum, size_t n, const double *x, const double *y)
{
    const uint64_t hidden = (uint64_t)1 << 52;
    int128 bin[PRODUCTS_BINS] = {0};
    for (size_t i = 0; i < n; i++) {
        uint64_t a = scatter_bits(x + i), b = scatter_bits(y + i);
        uint64_t e = a >> 52 & 2047, f = b >> 52 & 2047;
        if (__builtin_expect(e - 1 > 2045 || f - 1 > 2045, 0)) {
            accordi_exact_products_f64(sum, 1, x + i, 1, y + i, 1);
            sum.count[ACCORD_EXACT_TERMS]--;
            continue;
        }
        int64_t sign = -(int64_t)((a ^ b) >> 63), m = (int64_t)((a & (hidden - 1)) | hidden);
        m = ((m ^ sign) - sign) * ((int64_t)1 << ((e + f) % PRODUCTS_NEAR));
        bin[(e + f) / PRODUCTS_NEAR] += (int128)m * (int64_t)((b & (hidden - 1)) | hidden);
    }
    sum.count[ACCORD_EXACT_TERMS] += (int64_t)n;
    products_flush(sum, bin);
}

void accordi_exact_scalar_dot_f64(accordi_exact_view sum, size_t n, const double *x,
                                  const double *y, unsigned levels)
{
    if (!(levels & ACCORDI_EXACT_SCATTER) || n < DOT_BINS_FROM) {
        accordi_exact_products_f64(sum, n, x, 1, y, 1);
        return;
    }
    for (size_t count; n; n -= count, x += count, y += count) {
        count = n < PRODUCTS_BLOCK ? n : PRODUCTS_BLOCK;
        products_block(sum, count, x, y);
    }
}

static void scalar_sum_f16(accordi_exact_view sum, size_t n, const uint16_t *x)
{
    accordi_exact_terms_f16(sum, n, x, 1);
}

static void scalar_sum_bf16(accordi_exact_view sum, size_t n, const uint16_t *x)
{
    accordi_exact_terms_bf16(sum, n, x, 1);
}

const accordi_exact_kernels accordi_exact_kernels_scalar = {
    .name = "scalar",
    .sum_f64 = scalar_sum_f64,
    .sum_f32 = scalar_sum_f32,
    .sum_f16 = scalar_sum_f16,
    .sum_bf16 = scalar_sum_bf16,
    .dot_f64 = accordi_exact_scalar_dot_f64,
    .dot_f32 = scalar_dot_f32,
    .expansion_f64 = expansion_f64,
    .expansion_dot_f64 = expansion_dot_f64,
};
