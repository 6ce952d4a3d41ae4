/* Exact sums against the limit, the baselines and the peers. */
#include "bench.h"
#include "numbers.h"
#include <math.h>

/* ---- numbers ---- */

typedef struct range {
    const char *name;
    double decades; /* as bench_fill takes them */
} range;

static const range ranges[] = {{"uniform", -1}, {"same exponent", 0}, {"1e15", 15},
                               {"1e30", 30},    {"1e90", 90},         {"1e300", 300}};
enum { RANGES = sizeof ranges / sizeof *ranges };
enum { CACHE = 100000, MEMORY = 30000000, PAIRS = 15 };

/* ---- the library, on some threads ---- */

static int threads = 1;

static double exact_sum(size_t n, const double *x)
{
    accord_exact_options options;
    accord_exact_options_init(&options);
    options.threads = threads;
    double sum = 0;
    accord_sum_exact_f64(n, x, 1, &options, &sum, NULL);
    return sum;
}

static double exact_dot(size_t n, const double *x, const double *y)
{
    accord_exact_options options;
    accord_exact_options_init(&options);
    options.threads = threads;
    double sum = 0;
    accord_dot_exact_f64(n, x, 1, y, 1, &options, &sum, NULL);
    return sum;
}

static float exact_sum_f32(size_t n, const float *x)
{
    float sum = 0;
    accord_sum_exact_f32(n, x, 1, NULL, &sum, NULL);
    return sum;
}

static float exact_dot_f32(size_t n, const float *x, const float *y)
{
    float sum = 0;
    accord_dot_exact_f32(n, x, 1, y, 1, NULL, &sum, NULL);
    return sum;
}

static double naive_sum(size_t n, const double *x)
{
    return threads > 1 ? bench_naive_sum_threads(n, x, threads) : bench_baselines[0].sum(n, x);
}

static double naive_dot(size_t n, const double *x, const double *y)
{
    return threads > 1 ? bench_naive_dot_threads(n, x, y, threads) : bench_naive_dot(n, x, y);
}

/* ---- the table of goals ---- */

static const struct {
    const char *name;
    int range;
    bool dot, cancel;
    double goal[3]; /* in cache, memory, memory with two threads; 0: none set */
} rows[] = {
    {"sum, uniform", 0, false, false, {.65, .95, .95}},
    {"sum, same exponent", 1, false, false, {.65, .95, .95}},
    {"sum, 1e15", 2, false, false, {.50, .92, .95}},
    {"sum, 1e30", 3, false, false, {.38, .80, .80}},
    {"sum, 1e90", 4, false, false, {.38, .80, .80}},
    {"sum, 1e300", 5, false, false, {.38, .80, .80}},
    {"sum, 1e15, to 0", 2, false, true, {.50, .92, .95}},
    {"sum, 1e30, to 0", 3, false, true, {.38, .80, .80}},
    {"sum, 1e90, to 0", 4, false, true, {.38, .80, .80}},
    {"sum, 1e300, to 0", 5, false, true, {.38, .80, .80}},
    {"dot, uniform", 0, true, false, {.50, .92, .95}},
    {"dot, 1e30", 3, true, false, {.25, .55, .65}},
};

static void put_cell(double ratio, double took, size_t n, double goal)
{
    printf(" %.2f", ratio);
    if (goal > 0)
        printf(" (≥ %.2f%s)", goal, ratio < goal ? ", **missed**" : "");
    printf(", %.2f |", (double)n / took * 1e-9);
    fflush(stdout);
}

static void put_row(const char *name, bench_job naive, bench_job ours, const double goal[3])
{
    printf("| %s |", name);
    for (int c = 0; c < 3; c++) {
        double took;
        naive.n = ours.n = c ? MEMORY : CACHE;
        threads = c == 2 ? 2 : 1;
        double found = bench_ratio(&naive, &ours, PAIRS, &took);
        put_cell(found, took, ours.n, goal[c]);
    }
    threads = 1;
    puts("");
}

void bench_exact(void)
{
    double *x = bench_reserve(MEMORY, sizeof *x), *y = bench_reserve(MEMORY, sizeof *y);
    printf("### Exact sums and dots, kernels: %s\n\nRatio to the naive sum (dot) of eight AVX2 "
           "accumulators, on as many threads, in the same run (median of %d pairs; goal in "
           "brackets), then Gelem/s. Numbers signed and log-uniform over the range but for "
           "uniform in [0, 1); \"to 0\": half are the others negated, so that nothing is "
           "left.\n\n| | n "
           "= 1e5 | n = 3e7 | n = 3e7, 2 threads |\n|---|--:|--:|--:|\n",
           accord_exact_kernels(), PAIRS);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bench_fill(x, MEMORY, ranges[rows[i].range].decades, 1);
        if (rows[i].cancel)
            bench_cancel(x, MEMORY, CACHE, 5);
        bench_job naive = {.arrays = 1, .x = x, .y = y}, ours = naive;
        if (rows[i].dot) {
            bench_fill(y, MEMORY, ranges[rows[i].range].decades, 2);
            naive.dot = naive_dot;
            ours.dot = exact_dot;
        } else {
            naive.sum = naive_sum;
            ours.sum = exact_sum;
        }
        put_row(rows[i].name, naive, ours, rows[i].goal);
    }
    puts("\n| f32 | n = 1e5 | n = 6e7 |\n|---|--:|--:|");
    float *a = (float *)(void *)x, *b = (float *)(void *)y;
    accordi_rng rng;
    accordi_rng_init(&rng, 3);
    for (size_t i = 0; i < 2 * MEMORY; i++) {
        a[i] = (float)accordi_rng_unit(&rng) - 0.5f;
        b[i] = (float)accordi_rng_unit(&rng) - 0.5f;
    }
    for (int dot = 0; dot < 2; dot++) {
        bench_job naive = {.arrays = 1, .x = x, .y = y}, ours = naive;
        naive.sum_f32 = dot ? NULL : bench_naive_sum_f32;
        ours.sum_f32 = dot ? NULL : exact_sum_f32;
        naive.dot_f32 = bench_naive_dot_f32;
        ours.dot_f32 = exact_dot_f32;
        printf("| %s, uniform |", dot ? "dot" : "sum");
        for (int c = 0; c < 2; c++) {
            double took;
            naive.n = ours.n = c ? 2 * MEMORY : CACHE;
            double found = bench_ratio(&naive, &ours, PAIRS, &took);
            put_cell(found, took, ours.n, c && !dot ? .90 : 0);
        }
        puts("");
    }
    puts("");
    free(x);
    free(y);
}

/* ---- peers ---- */

static const size_t lengths[] = {4, 16, 64, 256, 1000, CACHE, MEMORY};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static bench_job job_of(const bench_sum *s, size_t n, const double *x)
{
    return (bench_job){.n = n, .arrays = s->keeps ? 1 : bench_places(n), .x = x, .sum = s->sum};
}

/* Nanoseconds a call below 1e5, Gelem/s from there on. */
static void put_speed(double took, size_t n)
{
    if (n < CACHE)
        printf(" %.0f |", took * 1e9);
    else
        printf(" %.2f |", (double)n / took * 1e-9);
    fflush(stdout);
}

static void put_peers(const bench_sum *all, size_t count, const range *r, double *x)
{
    printf("#### %s\n\n| n |", r->name);
    for (size_t i = 0; i < count; i++)
        printf(" %s |", all[i].name);
    printf(" best exact peer / accord | best other peer with the same bits / accord |\n|--:|");
    for (size_t i = 0; i < count + 2; i++)
        printf("--:|");
    puts("");
    for (size_t l = 0; l < LENGTHS; l++) {
        size_t n = lengths[l];
        double best[3] = {INFINITY, INFINITY, INFINITY};
        bench_job ours = job_of(all, n, x);
        bench_whole("| ", (double)n, " |");
        for (size_t i = 0; i < count; i++) {
            bench_job peer = job_of(all + i, n, x);
            double took, slow = bench_ratio(&peer, &ours, n > CACHE ? 5 : PAIRS, &took);
            put_speed(slow * took, n);
            if (i && slow < best[all[i].promise])
                best[all[i].promise] = slow;
        }
        for (int p = BENCH_EXACT; p >= BENCH_SAME_BITS; p--)
            if (best[p] < INFINITY)
                printf(" %.2f |", best[p]);
            else
                printf(" – |");
        puts("");
        fflush(stdout);
    }
    puts("");
}

void bench_peers_table(void)
{
    enum { MOST = 48 };
    bench_sum all[MOST] = {bench_methods[0]};
    size_t count = 1;
    for (const bench_sum *s = bench_baselines; s->name; s++)
        all[count++] = *s;
    for (const bench_sum *s = bench_peers(); s->name && count < MOST; s++)
        all[count++] = *s;
    double *x = bench_reserve(MEMORY, sizeof *x);
    printf(
        "### Beside baselines and peers, one thread, kernels: %s\n\nNanoseconds a call below n = "
        "1e5, Gelem/s from there on; medians of pairs with accord, run in turn. Last columns: "
        "time of the fastest peer by accord's. Peers come from ACCORD_PEERS.\n\n",
        accord_exact_kernels());
    for (size_t r = 0; r < RANGES; r++) {
        bench_fill(x, MEMORY, ranges[r].decades, 7);
        put_peers(all, count, ranges + r, x);
    }
    free(x);
}

/* ---- curves: as Figure 5 of Collange, Defour, Graillat, Iakymchuk 2015 ---- */

static void put_curve_head(const char *what, const bench_sum *all, size_t count)
{
    printf("| %s |", what);
    for (size_t i = 0; i < count; i++)
        printf(" %s |", all[i].name);
    printf("\n|--:|");
    for (size_t i = 0; i < count; i++)
        printf("--:|");
    puts("");
}

static void put_curve_row(const bench_sum *all, size_t count, size_t n, const double *x)
{
    for (size_t i = 0; i < count; i++) {
        bench_job j = job_of(all + i, n, x);
        double took[5];
        size_t times = bench_times(&j);
        for (int t = 0; t < 5; t++)
            took[t] = bench_seconds(&j, times);
        printf(" %.4f |", (double)n / bench_median(took, 5) * 1e-9);
    }
    puts("");
    fflush(stdout);
}

static size_t all_of_them(bench_sum *all, size_t most)
{
    const bench_sum *const tables[] = {bench_methods, bench_baselines, bench_peers()};
    size_t count = 0;
    for (size_t t = 0; t < 3; t++)
        for (const bench_sum *s = tables[t]; s->name && count < most; s++)
            all[count++] = *s;
    return count;
}

void bench_exact_lengths(void)
{
    enum { MOST = 48 };
    bench_sum all[MOST];
    size_t count = all_of_them(all, MOST);
    double *x = bench_reserve(MEMORY, sizeof *x);
    bench_fill(x, MEMORY, ranges[0].decades, 7);
    puts("### Throughput by length, uniform in [0, 1), Gelem/s\n");
    put_curve_head("n", all, count);
    for (double n = 10; n <= MEMORY; n *= sqrt(10)) {
        printf("| %.0f |", floor(n));
        put_curve_row(all, count, (size_t)n, x);
    }
    puts("");
    free(x);
}

void bench_exact_ranges(void)
{
    enum { MOST = 48 };
    bench_sum all[MOST];
    size_t count = all_of_them(all, MOST);
    const size_t numbers = CACHE * bench_places(CACHE);
    double *x = bench_reserve(numbers, sizeof *x);
    puts("### Throughput by dynamic range, n = 1e5, Gelem/s\n");
    put_curve_head("decades", all, count);
    for (int decades = 0; decades <= 600; decades += decades < 30 ? 5 : decades < 120 ? 15 : 60) {
        bench_fill(x, numbers, decades, 7);
        printf("| %d |", decades);
        put_curve_row(all, count, CACHE, x);
    }
    puts("");
    free(x);
}
