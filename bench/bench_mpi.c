/* accord-bench-MPI: what exact sums over ranks cost, for a table by bench/run. Each line holds the
 * number of sums and microseconds, medians of pairs run in turn: MPI_Allreduce of that many
 * doubles; of that many exact sums; sums of TERMS local numbers each by the plain vector loop and
 * MPI_Allreduce; the same exactly, in one call. */
#include "bench.h"
#include "sums.h"
#include <accord/mpi.h>

enum { PAIRS = 31, MOST = 256, TERMS = 10000 };
static int rank;
static double doubles[MOST], results[MOST], *numbers;
static accord_exact sums[MOST], work[MOST];

static void plain_message(int k)
{
    MPI_Allreduce(doubles, results, k, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

void bench_die(const char *what, const accord_error *error)
{
    fprintf(stderr, "accord-bench: %s: %s\n", what, error ? error->text : "wrong answer");
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The sums would grow from call to call. */
static void exact_message(int k)
{
    accord_error error;
    memcpy(work, sums, (size_t)k * sizeof *sums);
    if (accord_mpi_exact_allreduce(work, (size_t)k, MPI_COMM_WORLD, &error))
        bench_die("accord_mpi_exact_allreduce", &error);
}

static void plain_sums(int k)
{
    for (int s = 0; s < k; s++)
        doubles[s] = bench_baselines[0].sum(TERMS, numbers + s * TERMS);
    plain_message(k);
}

static void exact_sums(int k)
{
    accord_error error;
    if (accord_mpi_many_sums_f64((size_t)k, TERMS, TERMS, numbers, 1, NULL, MPI_COMM_WORLD, results,
                                 &error))
        bench_die("accord_mpi_many_sums_f64", &error);
}

static void (*const ways[])(int k) = {plain_message, exact_message, plain_sums, exact_sums};
enum { WAYS = sizeof ways / sizeof *ways };

/* The slowest rank's time of one call, of `calls` in a row. */
static double measure(void (*way)(int k), int k, int calls)
{
    double most;
    MPI_Barrier(MPI_COMM_WORLD);
    double from = accordi_now();
    for (int c = 0; c < calls; c++)
        way(k);
    double seconds = (accordi_now() - from) / calls;
    MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static void measure_all(int k)
{
    double seconds[WAYS][PAIRS];
    int calls[WAYS];
    for (int w = 0; w < WAYS; w++) { /* a millisecond or so, the same everywhere */
        double once = measure(ways[w], k, 3);
        calls[w] = 1 + (int)(1e-3 / once);
        MPI_Bcast(calls + w, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    for (int p = 0; p < PAIRS; p++)
        for (int w = 0; w < WAYS; w++)
            seconds[w][p] = measure(ways[w], k, calls[w]);
    if (rank)
        return;
    printf("%d", k);
    for (int w = 0; w < WAYS; w++) {
        qsort(seconds[w], PAIRS, sizeof **seconds, ascending);
        printf(" %.3f", 1e6 * seconds[w][PAIRS / 2]);
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    accordi_rng rng;
    accordi_rng_init(&rng, 1 + (uint64_t)rank);
    numbers = accordi_alloc(MOST * TERMS, sizeof *numbers);
    for (size_t i = 0; i < MOST * TERMS; i++)
        numbers[i] = accordi_rng_unit(&rng) - 0.5;
    for (int s = 0; s < MOST; s++) {
        doubles[s] = numbers[s];
        accord_exact_init(sums + s);
        accord_exact_add_array_f64(sums + s, TERMS, numbers + s * TERMS, 1);
    }
    for (int k = 1; k <= MOST; k *= 16)
        measure_all(k);
    free(numbers);
    MPI_Finalize();
    return 0;
}
