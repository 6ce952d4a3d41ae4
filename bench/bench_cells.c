/* Exact sums against naive ones of the widest vectors, with the bare loop of the same vector
 * operations beside each: what is lost to checks, rounding and calls.
 *
 * Naive: eight vectors, gcc -O3, AVX2 or AVX-512, whichever is faster. The bare loops have two
 * chains of two folds (src/exact/kernels/direct_folds.h), four of f32 (direct_singles.h), without
 * the check that terms are in range, and return what is left of the folds so that no operation is
 * dropped. */
#include "bench.h"
#include "numbers.h"
#include <math.h>

#if defined __x86_64__
#include <immintrin.h>

enum { PAIRS = 15 };

/* ---- naive and bare loops, by the width of vectors ---- */

#define VECTORS(suffix_, target_, lanes_)                                                          \
    typedef double vector_##suffix_ __attribute__((vector_size(8 * lanes_), aligned(8)));          \
    typedef float single_##suffix_ __attribute__((vector_size(8 * lanes_), aligned(4)));           \
    typedef unsigned counts_##suffix_ __attribute__((vector_size(8 * lanes_)));                    \
    __attribute__((target(target_))) static double add_up_##suffix_(vector_##suffix_ s)            \
    {                                                                                              \
        double sum = 0;                                                                            \
        for (int l = 0; l < lanes_; l++)                                                           \
            sum += s[l];                                                                           \
        return sum;                                                                                \
    }                                                                                              \
    __attribute__((target(target_))) static double naive_sum_##suffix_(size_t n, const double *x)  \
    {                                                                                              \
        vector_##suffix_ s[8] = {{0}};                                                             \
        size_t i = 0;                                                                              \
        for (; i + 8 * lanes_ <= n; i += 8 * lanes_)                                               \
            for (size_t a = 0; a < 8; a++)                                                         \
                s[a] += *(const vector_##suffix_ *)(x + i + lanes_ * a);                           \
        for (size_t a = 1; a < 8; a++)                                                             \
            s[0] += s[a];                                                                          \
        double sum = add_up_##suffix_(s[0]);                                                       \
        for (; i < n; i++)                                                                         \
            sum += x[i];                                                                           \
        return sum;                                                                                \
    }                                                                                              \
    __attribute__((target(target_))) static float naive_f32_##suffix_(size_t n, const float *x)    \
    {                                                                                              \
        single_##suffix_ s[8] = {{0}};                                                             \
        size_t i = 0;                                                                              \
        for (; i + 16 * lanes_ <= n; i += 16 * lanes_)                                             \
            for (size_t a = 0; a < 8; a++)                                                         \
                s[a] += *(const single_##suffix_ *)(x + i + 2 * lanes_ * a);                       \
        float sum = 0;                                                                             \
        for (size_t a = 1; a < 8; a++)                                                             \
            s[0] += s[a];                                                                          \
        for (int l = 0; l < 2 * lanes_; l++)                                                       \
            sum += s[0][l];                                                                        \
        for (; i < n; i++)                                                                         \
            sum += x[i];                                                                           \
        return sum;                                                                                \
    }                                                                                              \
    __attribute__((target(target_))) static double naive_dot_##suffix_(size_t n, const double *x,  \
                                                                       const double *y)            \
    {                                                                                              \
        vector_##suffix_ s[8] = {{0}};                                                             \
        size_t i = 0;                                                                              \
        for (; i + 8 * lanes_ <= n; i += 8 * lanes_)                                               \
            for (size_t a = 0; a < 8; a++)                                                         \
                s[a] = fused_##suffix_(*(const vector_##suffix_ *)(x + i + lanes_ * a),            \
                                       *(const vector_##suffix_ *)(y + i + lanes_ * a), s[a]);     \
        for (size_t a = 1; a < 8; a++)                                                             \
            s[0] += s[a];                                                                          \
        double sum = add_up_##suffix_(s[0]);                                                       \
        for (; i < n; i++)                                                                         \
            sum = fma(x[i], y[i], sum);                                                            \
        return sum;                                                                                \
    }                                                                                              \
    __attribute__((target(target_))) static double bare_sum_##suffix_(size_t n, const double *x)   \
    {                                                                                              \
        vector_##suffix_ high[2], low[2];                                                          \
        for (int c = 0; c < 2; c++)                                                                \
            for (int l = 0; l < lanes_; l++)                                                       \
                high[c][l] = 0x1.8p700, low[c][l] = 0x1.8p656;                                     \
        for (size_t i = 0; i + 2 * lanes_ <= n; i += 2 * lanes_)                                   \
            for (size_t c = 0; c < 2; c++) {                                                       \
                vector_##suffix_ p = *(const vector_##suffix_ *)(x + i + lanes_ * c);              \
                vector_##suffix_ b = high[c] + p;                                                  \
                low[c] += p - (b - high[c]);                                                       \
                high[c] = b;                                                                       \
            }                                                                                      \
        return add_up_##suffix_(high[0] + high[1]) + add_up_##suffix_(low[0] + low[1]);            \
    }                                                                                              \
    /* Folds of f32 begin again after eight terms in a lane, and are added up as integers. */      \
    __attribute__((target(target_))) static float bare_f32_##suffix_(size_t n, const float *x)     \
    {                                                                                              \
        single_##suffix_ high[4], low[4], of_high, of_low;                                         \
        counts_##suffix_ total[2] = {{0}};                                                         \
        for (int l = 0; l < 2 * lanes_; l++)                                                       \
            of_high[l] = 0x1.8p10f, of_low[l] = 0x1.8p-10f;                                        \
        for (size_t i = 0; i + 64 * lanes_ <= n; i += 64 * lanes_) {                               \
            for (int c = 0; c < 4; c++)                                                            \
                high[c] = of_high, low[c] = of_low;                                                \
            for (size_t k = 0; k < 32; k += 4)                                                     \
                for (size_t c = 0; c < 4; c++) {                                                   \
                    single_##suffix_ p =                                                           \
                        *(const single_##suffix_ *)(x + i + 2 * lanes_ * (k + c));                 \
                    single_##suffix_ b = high[c] + p;                                              \
                    low[c] += p - (b - high[c]);                                                   \
                    high[c] = b;                                                                   \
                }                                                                                  \
            for (int c = 0; c < 4; c++) {                                                          \
                total[0] += (counts_##suffix_)high[c];                                             \
                total[1] += (counts_##suffix_)low[c];                                              \
            }                                                                                      \
        }                                                                                          \
        unsigned sum = 0;                                                                          \
        for (int l = 0; l < 2 * lanes_; l++)                                                       \
            sum += total[0][l] + total[1][l];                                                      \
        return (float)sum;                                                                         \
    }                                                                                              \
    __attribute__((target(target_))) static double bare_dot_##suffix_(size_t n, const double *x,   \
                                                                      const double *y)             \
    {                                                                                              \
        vector_##suffix_ high[2], low[2], zero = {0};                                              \
        for (int c = 0; c < 2; c++)                                                                \
            for (int l = 0; l < lanes_; l++)                                                       \
                high[c][l] = 0x1.8p700, low[c][l] = 0x1.8p656;                                     \
        for (size_t i = 0; i + 2 * lanes_ <= n; i += 2 * lanes_)                                   \
            for (size_t c = 0; c < 2; c++) {                                                       \
                vector_##suffix_ a = *(const vector_##suffix_ *)(x + i + lanes_ * c);              \
                vector_##suffix_ d = *(const vector_##suffix_ *)(y + i + lanes_ * c);              \
                vector_##suffix_ p = a * d, b = high[c] + p;                                       \
                low[c] += p - (b - high[c]);                                                       \
                low[c] += fused_##suffix_(a, d, zero - p);                                         \
                high[c] = b;                                                                       \
            }                                                                                      \
        return add_up_##suffix_(high[0] + high[1]) + add_up_##suffix_(low[0] + low[1]);            \
    }

typedef double quad __attribute__((vector_size(32), aligned(8)));
typedef double octet __attribute__((vector_size(64), aligned(8)));
__attribute__((target("avx2,fma"))) static inline quad fused_avx2(quad a, quad b, quad c)
{
    return _mm256_fmadd_pd(a, b, c);
}
__attribute__((target("avx512f"))) static inline octet fused_avx512(octet a, octet b, octet c)
{
    return _mm512_fmadd_pd(a, b, c);
}
VECTORS(avx2, "avx2,fma", 4)
VECTORS(avx512, "avx512f,avx2,fma", 8)

/* ---- the library ---- */

static double exact_sum(size_t n, const double *x)
{
    double sum = 0;
    accord_sum_exact_f64(n, x, 1, NULL, &sum, NULL);
    return sum;
}

static double exact_dot(size_t n, const double *x, const double *y)
{
    double sum = 0;
    accord_dot_exact_f64(n, x, 1, y, 1, NULL, &sum, NULL);
    return sum;
}

static float exact_f32(size_t n, const float *x)
{
    float sum = 0;
    accord_sum_exact_f32(n, x, 1, NULL, &sum, NULL);
    return sum;
}

/* Sixty lines that anybody could write: limbs of 32 bits, a term at a time. */
static double scalar_sum(size_t n, const double *x)
{
    enum { LIMBS = 70 };
    int64_t limb[LIMBS] = {0}, carry = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, x + i, sizeof bits);
        int exponent = bits >> 52 & 2047, place = exponent ? exponent - 1 : 0;
        uint64_t m = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)(exponent != 0) << 52;
        int64_t low = (int64_t)(m << (place & 31) & 0xffffffff);
        int64_t high = (int64_t)(m >> (32 - (place & 31)));
        limb[place >> 5] += bits >> 63 ? -low : low;
        limb[(place >> 5) + 1] += bits >> 63 ? -high : high;
        if (i % 1024 == 1023)
            for (int k = 0; k < LIMBS - 1; k++) {
                limb[k + 1] += limb[k] >> 32;
                limb[k] &= 0xffffffff;
            }
    }
    for (int k = 0; k < LIMBS; k++) {
        limb[k] += carry;
        carry = limb[k] >> 32;
        limb[k] &= 0xffffffff;
    }
    bool negative = carry < 0;
    for (int k = 0, one = 1; negative && k < LIMBS; k++) {
        limb[k] = (~limb[k] & 0xffffffff) + one;
        one = (int)(limb[k] >> 32);
        limb[k] &= 0xffffffff;
    }
    int top = LIMBS - 1;
    while (top > 1 && !limb[top])
        top--;
    bool below = false;
    for (int k = 0; k < top - 2; k++)
        below = below || limb[k];
    unsigned __int128 all = (unsigned __int128)limb[top] << 64 | (uint64_t)limb[top - 1] << 32 |
                            (top > 1 ? (uint64_t)limb[top - 2] : 0);
    int shift = 0;
    for (; all >> 64; shift++) {
        below = below || (all & 1);
        all >>= 1;
    }
    double sum = ldexp((double)((uint64_t)all | below), 32 * (top - 2) - 1074 + shift);
    return negative ? -sum : sum;
}

/* ---- the tables ---- */

typedef struct cell {
    const char *name;
    size_t n;
    double decades;
    bool cancel, dot, narrow;
    double goal;
} cell;

static const cell cells[] = {
    {"sum, uniform", 10000, -1, false, false, false, .45},
    {"sum, 1e15", 10000, 15, false, false, false, .45},
    {"sum, 1e300", 10000, 300, false, false, false, .45},
    {"sum, 1e300", 30000000, 300, false, false, false, .92},
    {"sum, 1e300", 1000, 300, false, false, false, .20},
    {"sum, 1e300, to 0", 10000, 300, true, false, false, .08},
    {"sum, 1e300, to 0", 30000000, 300, true, false, false, .70},
    {"dot, 1e15", 10000, 15, false, true, false, .58},
    {"dot, 1e15", 30000000, 15, false, true, false, .95},
    {"f32 sum, uniform", 100000, -1, false, false, true, .42},
};

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f");
}

/* The faster of the two, by its own median. */
static bench_job faster(bench_job a, bench_job b)
{
    double took;
    return has_avx512() && bench_ratio(&a, &b, 5, &took) > 1 ? b : a;
}

static void put_cell(const cell *c, double *x, double *y)
{
    bench_job naive = {.n = c->n, .arrays = 1, .processor_time = true, .x = x, .y = y};
    bench_job wide = naive, bare, ours = naive;
    bench_fill(x, c->n, c->decades, 1);
    if (c->cancel)
        bench_cancel(x, c->n, c->n < 100000 ? c->n : 100000, 5);
    if (c->dot)
        bench_fill(y, c->n, c->decades, 2);
    for (size_t i = 0; c->narrow && i < c->n; i++)
        ((float *)(void *)y)[i] = (float)x[i] - .5f;
    bare = wide;
    bench_job bare_wide = bare;
    if (c->narrow) {
        naive.x = wide.x = ours.x = y;
        naive.sum_f32 = naive_f32_avx2, wide.sum_f32 = naive_f32_avx512, ours.sum_f32 = exact_f32;
        bare.x = bare_wide.x = y;
        bare.sum_f32 = bare_f32_avx2, bare_wide.sum_f32 = bare_f32_avx512;
    } else if (c->dot) {
        naive.dot = naive_dot_avx2, wide.dot = naive_dot_avx512, ours.dot = exact_dot;
        bare.dot = bare_dot_avx2, bare_wide.dot = bare_dot_avx512;
    } else {
        naive.sum = naive_sum_avx2, wide.sum = naive_sum_avx512, ours.sum = exact_sum;
        bare.sum = bare_sum_avx2, bare_wide.sum = bare_sum_avx512;
    }
    size_t pairs = c->n > 1000000 ? 5 : PAIRS;
    double took, loop;
    naive = faster(naive, wide);
    double found = bench_ratio(&naive, &ours, pairs, &took);
    printf("| %s | ", c->name);
    bench_whole("", (double)c->n, " |");
    printf(" %.3f | %.2f |", took * 1e9 / (double)c->n, found);
    if (c->cancel) {
        printf(" – |");
    } else {
        bare = faster(bare, bare_wide);
        printf(" %.2f |", bench_ratio(&naive, &bare, pairs, &loop));
    }
    printf(" %.2f |\n", c->goal);
    fflush(stdout);
}

/* Times as fast as what is to be beaten: the scalar sum, or the fastest exact peer. */
static void put_cancelled(double decades, double *x)
{
    static const size_t lengths[] = {8, 16, 32, 64, 100, 300, 1000, 10000, 100000};
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        size_t n = lengths[l], arrays = bench_places(n);
        bench_fill(x, n * arrays, decades, 3);
        bench_cancel(x, n * arrays, n, 5);
        bench_job ours = {
            .n = n, .arrays = arrays, .processor_time = true, .x = x, .sum = exact_sum};
        bench_job other = ours;
        double took, best = INFINITY, scalar;
        other.sum = scalar_sum;
        scalar = bench_ratio(&other, &ours, PAIRS, &took);
        for (const bench_sum *s = bench_peers(); s->name; s++) {
            double ignored, found;
            other.sum = s->sum;
            other.arrays = s->keeps ? 1 : arrays;
            found = s->promise == BENCH_EXACT ? bench_ratio(&other, &ours, PAIRS, &ignored) : best;
            best = found < best ? found : best;
        }
        printf("| 1e%.0f | ", decades);
        bench_whole("", (double)n, " |");
        printf(" %.0f | %.2f |", took * 1e9, scalar);
        if (best < INFINITY)
            printf(best < 1 ? " **%.2f** |\n" : " %.2f |\n", best);
        else
            printf(" – |\n");
        fflush(stdout);
    }
}

static void put_product(size_t n, double *a, double *b)
{
    double *c = bench_reserve(n * n, sizeof *c), by_dots[PAIRS], by_gemm[PAIRS], ratios[PAIRS];
    accord_exact_options one;
    accord_exact_options_init(&one);
    one.threads = 1;
    for (int p = 0; p < PAIRS; p++) {
        double from = bench_clock(true);
        for (size_t i = 0; i < n * n; i++)
            c[i] = exact_dot(n, a + i / n * n, b + i % n * n); /* b: by columns */
        double between = bench_clock(true);
        accord_gemm_exact_f64(n, n, n, 1, a, (ptrdiff_t)n, 1, b, 1, (ptrdiff_t)n, 0, c,
                              (ptrdiff_t)n, 1, &one, NULL);
        by_gemm[p] = bench_clock(true) - between;
        by_dots[p] = between - from;
        ratios[p] = by_dots[p] / by_gemm[p];
    }
    bench_whole("| ", (double)n, " |");
    printf(" %.3f | %.2f |\n", bench_median(by_gemm, PAIRS) * 1e9 / (double)(n * n * n),
           bench_median(ratios, PAIRS));
    fflush(stdout);
    free(c);
}

void bench_exact_cells(void)
{
    enum { MEMORY = 30000000 };
    double *x = bench_reserve(MEMORY, sizeof *x), *y = bench_reserve(MEMORY, sizeof *y);
    printf(
        "### Exact sums and the loops below them, one thread, kernels: %s\n\nNaive: eight vectors "
        "of AVX2 or AVX-512, the faster. Share of the naive speed: of accord, and of the bare loop "
        "of its vector operations. Medians of %d pairs, processor time of the thread.\n\n"
        "| | n | ns a term | share | bare loop "
        "| goal |\n|---|--:|--:|--:|--:|--:|\n",
        accord_exact_kernels(), PAIRS);
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        put_cell(cells + i, x, y);
    puts("\nSums that cancel to nothing: times as fast as a scalar superaccumulator, and as the "
         "fastest exact peer (ACCORD_PEERS).\n\n| magnitudes over | n | ns | scalar | best peer "
         "|\n|--:|--:|--:|--:|--:|");
    put_cancelled(30, x);
    put_cancelled(120, x);
    put_cancelled(300, x);
    puts("\nProducts of square matrices, uniform: times as fast as a loop of exact dots.\n\n| side "
         "| "
         "ns a product | loop of dots |\n|--:|--:|--:|");
    bench_fill(x, 512 * 512, 0, 8);
    bench_fill(y, 512 * 512, 0, 9);
    put_product(16, x, y);
    put_product(64, x, y);
    put_product(128, x, y);
    put_product(512, x, y);
    puts("");
    free(x);
    free(y);
}
#else
void bench_exact_cells(void)
{
    puts("### Exact sums and the loops below them\n\nOnly on x86-64.\n");
}
#endif
