/* The baselines of the benchmarks of exact sums, and the library's methods beside them. */
#include "sums.h"
#include "bench.h"
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#ifdef HAVE_MPFR
#include <mpfr.h>
#endif

#if defined __x86_64__
#define WIDE __attribute__((target("avx2,fma")))
#else
#define WIDE
#endif

/* Four lanes of f64 or eight of f32: an AVX2 register, two of NEON. */
typedef double vector __attribute__((vector_size(32), aligned(8)));
typedef float single __attribute__((vector_size(32), aligned(4)));
typedef int64_t mask __attribute__((vector_size(32)));
enum { ACCUMULATORS = 8, LANES = 4, STEP = ACCUMULATORS * LANES, SINGLE_STEP = 2 * STEP };

WIDE static double naive(size_t n, const double *x)
{
    vector s[ACCUMULATORS] = {{0}};
    size_t i = 0;
    for (; i + STEP <= n; i += STEP)
        for (size_t a = 0; a < ACCUMULATORS; a++)
            s[a] += *(const vector *)(x + i + LANES * a);
    for (size_t a = 1; a < ACCUMULATORS; a++)
        s[0] += s[a];
    double sum = (s[0][0] + s[0][1]) + (s[0][2] + s[0][3]);
    for (; i < n; i++)
        sum += x[i];
    return sum;
}

#if defined __x86_64__
#include <immintrin.h>
WIDE static vector fused(vector a, vector b, vector c)
{
    return _mm256_fmadd_pd(a, b, c);
}
WIDE static single fused_single(single a, single b, single c)
{
    return _mm256_fmadd_ps(a, b, c);
}
#else
static vector fused(vector a, vector b, vector c)
{
    for (int i = 0; i < LANES; i++)
        c[i] = fma(a[i], b[i], c[i]);
    return c;
}
static single fused_single(single a, single b, single c)
{
    for (int i = 0; i < 2 * LANES; i++)
        c[i] = fmaf(a[i], b[i], c[i]);
    return c;
}
#endif

WIDE double bench_naive_dot(size_t n, const double *x, const double *y)
{
    vector s[ACCUMULATORS] = {{0}};
    size_t i = 0;
    for (; i + STEP <= n; i += STEP)
        for (size_t a = 0; a < ACCUMULATORS; a++)
            s[a] = fused(*(const vector *)(x + i + LANES * a), *(const vector *)(y + i + LANES * a),
                         s[a]);
    for (size_t a = 1; a < ACCUMULATORS; a++)
        s[0] += s[a];
    double sum = (s[0][0] + s[0][1]) + (s[0][2] + s[0][3]);
    for (; i < n; i++)
        sum = fma(x[i], y[i], sum);
    return sum;
}

WIDE static float total(single s)
{
    return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

WIDE float bench_naive_sum_f32(size_t n, const float *x)
{
    single s[ACCUMULATORS] = {{0}};
    size_t i = 0;
    for (; i + SINGLE_STEP <= n; i += SINGLE_STEP)
        for (size_t a = 0; a < ACCUMULATORS; a++)
            s[a] += *(const single *)(x + i + 2 * LANES * a);
    for (size_t a = 1; a < ACCUMULATORS; a++)
        s[0] += s[a];
    float sum = total(s[0]);
    for (; i < n; i++)
        sum += x[i];
    return sum;
}

WIDE float bench_naive_dot_f32(size_t n, const float *x, const float *y)
{
    single s[ACCUMULATORS] = {{0}};
    size_t i = 0;
    for (; i + SINGLE_STEP <= n; i += SINGLE_STEP)
        for (size_t a = 0; a < ACCUMULATORS; a++)
            s[a] = fused_single(*(const single *)(x + i + 2 * LANES * a),
                                *(const single *)(y + i + 2 * LANES * a), s[a]);
    for (size_t a = 1; a < ACCUMULATORS; a++)
        s[0] += s[a];
    float sum = total(s[0]);
    for (; i < n; i++)
        sum = fmaf(x[i], y[i], sum);
    return sum;
}

/* ---- threads ---- */

enum { THREADS = 16 };

typedef struct part {
    size_t n;
    const double *x, *y;
    double sum;
} part;

static void *run_part(void *context)
{
    part *p = context;
    p->sum = p->y ? bench_naive_dot(p->n, p->x, p->y) : naive(p->n, p->x);
    return NULL;
}

double bench_naive_dot_threads(size_t n, const double *x, const double *y, int threads)
{
    part parts[THREADS];
    pthread_t ids[THREADS];
    double sum = 0;
    for (int t = 0; t < threads; t++) {
        size_t from = n * (size_t)t / (size_t)threads;
        size_t to = n * ((size_t)t + 1) / (size_t)threads;
        parts[t] = (part){to - from, x + from, y ? y + from : NULL, 0};
        if (t && pthread_create(ids + t, NULL, run_part, parts + t))
            bench_die("threads", NULL);
    }
    run_part(parts);
    for (int t = 0; t < threads; t++) {
        if (t)
            pthread_join(ids[t], NULL);
        sum += parts[t].sum;
    }
    return sum;
}

double bench_naive_sum_threads(size_t n, const double *x, int threads)
{
    return bench_naive_dot_threads(n, x, NULL, threads);
}

/* ---- other baselines ---- */

static double sequential(size_t n, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

/* Demmel and Nguyen, Fast Reproducible Floating-Point Summation, ARITH 2013: one pass for the
 * greatest magnitude, one that cuts each term at K boundaries derived from it and from n; each
 * sum of equally cut parts is exact, so no order changes it. K = 2, as in their measurements. */
WIDE static double demmel_nguyen(size_t n, const double *x)
{
    enum { WAYS = 4 };
    vector most[WAYS] = {{0}}, high[WAYS] = {{0}}, low[WAYS] = {{0}};
    size_t i = 0, step = WAYS * LANES;
    for (; i + step <= n; i += step)
        for (size_t a = 0; a < WAYS; a++) {
            vector v = *(const vector *)(x + i + LANES * a);
            mask size = (mask)v & INT64_MAX, more = size > (mask)most[a];
            most[a] = (vector)((size & more) | ((mask)most[a] & ~more));
        }
    double greatest = 0;
    for (size_t a = 0; a < WAYS; a++)
        for (int l = 0; l < LANES; l++)
            greatest = fmax(greatest, most[a][l]);
    for (size_t j = i; j < n; j++)
        greatest = fmax(greatest, fabs(x[j]));
    int width = 2, exponent;
    while (((size_t)1 << width) < n)
        width++;
    frexp(greatest, &exponent);
    double first = ldexp(1.5, exponent + width + 1);
    double second = ldexp(1.5, exponent + width + 1 - 52 + width);
    vector m1 = {first, first, first, first}, m2 = {second, second, second, second};
    for (i = 0; i + step <= n; i += step)
        for (size_t a = 0; a < WAYS; a++) {
            vector v = *(const vector *)(x + i + LANES * a);
            vector q = (m1 + v) - m1;
            high[a] += q;
            low[a] += (m2 + (v - q)) - m2;
        }
    double top = 0, rest = 0;
    for (size_t a = 0; a < WAYS; a++)
        for (int l = 0; l < LANES; l++)
            top += high[a][l], rest += low[a][l];
    for (; i < n; i++) {
        double q = (first + x[i]) - first;
        top += q;
        rest += (second + (x[i] - q)) - second;
    }
    return top + rest;
}

/* A tree fixed by n alone: blocks of 4096 by the naive kernel, their sums in pairs. */
static double fixed_tree(size_t n, const double *x)
{
    enum { GRAIN = 4096, DEPTH = 64 };
    double sums[DEPTH];
    int depth = 0;
    for (size_t from = 0, block = 1; from < n || block == 1; from += GRAIN, block++) {
        sums[depth++] = naive(n - from < GRAIN ? n - from : GRAIN, x + from);
        for (size_t done = block; !(done & 1); done >>= 1, depth--)
            sums[depth - 2] += sums[depth - 1];
    }
    for (; depth > 1; depth--)
        sums[depth - 2] += sums[depth - 1];
    return sums[0];
}

const bench_sum bench_baselines[] = {
    {"naive, 8 vectors", BENCH_NONE, .sum = naive},
    {"sequential", BENCH_NONE, .sum = sequential},
    {"deterministic tree", BENCH_NONE, .sum = fixed_tree},
    {"Demmel–Nguyen, K = 2", BENCH_SAME_BITS, .sum = demmel_nguyen},
    {0},
};

/* ---- the library ---- */

static double by_method(size_t n, const double *x, enum accord_exact_method method, int expansion,
                        bool early_exit)
{
    accord_exact_options options;
    accord_exact_options_init(&options);
    options.method = method;
    options.expansion = expansion;
    options.no_early_exit = !early_exit;
    double sum = 0;
    accord_sum_exact_f64(n, x, 1, &options, &sum, NULL);
    return sum;
}

#define METHOD(function_, method_, expansion_, early_exit_)                                        \
    static double function_(size_t n, const double *x)                                             \
    {                                                                                              \
        return by_method(n, x, method_, expansion_, early_exit_);                                  \
    }
METHOD(by_auto, ACCORD_EXACT_AUTO, 8, true)
METHOD(by_limbs, ACCORD_EXACT_SUPERACCUMULATOR, 8, true)
METHOD(by_window, ACCORD_EXACT_WINDOW, 8, true)
METHOD(by_scatter, ACCORD_EXACT_SCATTER, 8, true)
METHOD(by_expansion_2, ACCORD_EXACT_EXPANSION, 2, false)
METHOD(by_expansion_4, ACCORD_EXACT_EXPANSION, 4, false)
METHOD(by_expansion_8, ACCORD_EXACT_EXPANSION, 8, true)

const bench_sum bench_methods[] = {
    {"accord", BENCH_EXACT, .sum = by_auto},
    {"accord: window alone", BENCH_EXACT, .sum = by_window},
    {"accord: scatter alone", BENCH_EXACT, .sum = by_scatter},
    {"accord: superaccumulator alone", BENCH_EXACT, .sum = by_limbs},
    {"accord: expansions of 2", BENCH_EXACT, .sum = by_expansion_2},
    {"accord: expansions of 4", BENCH_EXACT, .sum = by_expansion_4},
    {"accord: expansions of 8, early exit", BENCH_EXACT, .sum = by_expansion_8},
    {0},
};

/* ---- peers ---- */

#ifdef HAVE_MPFR
/* MPFR takes pointers to its own numbers; they are made from an array once and kept, so that only
 * the sum itself counts. */
typedef struct kept {
    const double *x;
    size_t n;
    mpfr_t *numbers;
    mpfr_ptr *pointers;
    mp_limb_t *limbs;
} kept;

static mpfr_ptr *numbers_of(kept *k, size_t n, const double *x)
{
    if (k->x == x && k->n == n && mpfr_get_d(k->numbers[0], MPFR_RNDN) == x[0])
        return k->pointers;
    free(k->numbers), free(k->pointers), free(k->limbs);
    *k = (kept){x, n, accordi_alloc(n, sizeof *k->numbers), accordi_alloc(n, sizeof *k->pointers),
                accordi_alloc(n, sizeof *k->limbs)};
    if (!k->numbers || !k->pointers || !k->limbs)
        bench_die("numbers of MPFR", NULL);
    for (size_t i = 0; i < n; i++) {
        mpfr_custom_init_set(k->numbers[i], MPFR_ZERO_KIND, 0, 53, k->limbs + i);
        mpfr_set_d(k->numbers[i], x[i], MPFR_RNDN);
        k->pointers[i] = k->numbers[i];
    }
    return k->pointers;
}

static double by_mpfr(size_t n, const double *x, const double *y)
{
    static kept first, second;
    mpfr_t sum;
    mpfr_init2(sum, 53);
    if (y)
        mpfr_dot(sum, numbers_of(&first, n, x), numbers_of(&second, n, y), n, MPFR_RNDN);
    else
        mpfr_sum(sum, numbers_of(&first, n, x), n, MPFR_RNDN);
    double rounded = mpfr_get_d(sum, MPFR_RNDN);
    mpfr_clear(sum);
    return rounded;
}

static double sum_by_mpfr(size_t n, const double *x)
{
    return by_mpfr(n, x, NULL);
}
#endif

enum { PEERS = 32 };

static size_t add_peers(bench_sum *peers, size_t count, const char *file)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    const bench_sum *found = library ? dlsym(library, "accord_bench_peers") : NULL;
    if (!found) {
        fprintf(stderr, "accord-bench: ACCORD_PEERS: %s\n", dlerror());
        exit(1);
    }
    for (; found->name && count < PEERS; found++)
        peers[count++] = *found;
    return count;
}

const bench_sum *bench_peers(void)
{
    static bench_sum peers[PEERS + 1];
    static bool looked;
    const char *list = getenv("ACCORD_PEERS");
    size_t count = 0;
    if (looked)
        return peers;
    looked = true;
#ifdef HAVE_MPFR
    peers[count++] = (bench_sum){
        .name = "MPFR", .promise = BENCH_EXACT, .sum = sum_by_mpfr, .dot = by_mpfr, .keeps = true};
#endif
    char *files = accordi_strdup(list ? list : ""), *rest = files;
    if (!files)
        bench_die("memory", NULL);
    for (char *file; (file = strsep(&rest, ":"));)
        if (*file)
            count = add_peers(peers, count, file);
    free(files);
    return peers;
}
