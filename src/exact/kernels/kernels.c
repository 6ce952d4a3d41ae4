/* The table of kernels and the choice among its rows. */
#include "exact/kernels/kernels.h"
#include <accord/exact_blas.h>
#include <pthread.h>

static void scalar_sum_f64(accordi_exact_view sum, size_t n, const double *x, unsigned levels)
{
    (void)levels;
    accordi_exact_terms_f64(sum, n, x, 1);
}

void accordi_exact_scalar_sum_f32(accordi_exact_view sum, size_t n, const float *x, unsigned levels)
{
    (void)levels;
    accordi_exact_terms_f32(sum, n, x, 1);
}

void accordi_exact_scalar_dot_f64(accordi_exact_view sum, size_t n, const double *x,
                                  const double *y, unsigned levels)
{
    (void)levels;
    accordi_exact_products_f64(sum, n, x, 1, y, 1);
}

void accordi_exact_scalar_dot_f32(accordi_exact_view sum, size_t n, const float *x, const float *y,
                                  unsigned levels)
{
    (void)levels;
    accordi_exact_products_f32(sum, n, x, 1, y, 1);
}

static const accordi_exact_kernels scalar = {
    "scalar",
    scalar_sum_f64,
    accordi_exact_scalar_sum_f32,
    accordi_exact_scalar_dot_f64,
    accordi_exact_scalar_dot_f32,
    accordi_exact_scalar_expansion_f64,
    accordi_exact_scalar_expansion_dot_f64,
    NULL,
    NULL,
    NULL,
    NULL,
    0,
};

static const accordi_exact_kernels *const rows[] = {
#if defined __x86_64__ && defined __GNUC__
    &accordi_exact_kernels_avx512, &accordi_exact_kernels_avx2,
#elif defined __aarch64__
    &accordi_exact_kernels_neon,
#endif
    &scalar, &accordi_exact_kernels_generic, /* behind a row that any machine can run */
};
enum { ROWS = sizeof rows / sizeof *rows };

/* What the compiler was allowed to use for a row. */
static const struct {
    const char *name, *needs[2];
} needs[] = {
    {"avx512", {"avx512", "fma"}},
    {"avx2", {"avx2", "fma"}},
    {"neon", {"neon", "neon"}},
};

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

const accordi_exact_kernels *accordi_exact_kernels_at(size_t row)
{
    return row < ROWS ? rows[row] : NULL;
}

bool accordi_exact_kernels_usable(const accordi_exact_kernels *row)
{
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (strcmp(row->name, needs[i].name) == 0)
            return accordi_cpu_has(needs[i].needs[0]) && accordi_cpu_has(needs[i].needs[1]);
    return true;
}

static const accordi_exact_kernels *best;

static void find_best(void)
{
    for (size_t i = ROWS; i-- > 0;)
        if (rows[i] && accordi_exact_kernels_usable(rows[i])) /* generic: in tests alone */
            best = rows[i];
}

const accordi_exact_kernels *accordi_exact_kernels_best(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_best);
    return best;
}

const char *accord_exact_kernels(void)
{
    return accordi_exact_kernels_best()->name;
}
