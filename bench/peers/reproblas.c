/* ReproBLAS (github.com/willow-ahrens/ReproBLAS), with its default fold of 3: the same bits in any
 * order, but not correctly rounded. Its dots round each product. */
#include "../sums.h"
#include <reproBLAS.h>

enum { FOLD = 3 };

static double sum(size_t n, const double *x)
{
    return reproBLAS_rdsum(FOLD, (int)n, x, 1);
}

static double dot(size_t n, const double *x, const double *y)
{
    return reproBLAS_rddot(FOLD, (int)n, x, 1, y, 1);
}

static float sum_f32(size_t n, const float *x)
{
    return reproBLAS_rssum(FOLD, (int)n, x, 1);
}

static float dot_f32(size_t n, const float *x, const float *y)
{
    return reproBLAS_rsdot(FOLD, (int)n, x, 1, y, 1);
}

const bench_sum accord_bench_peers[] = {
    {"ReproBLAS", BENCH_SAME_BITS, sum, dot, sum_f32, dot_f32, 0, false},
    {0},
};
