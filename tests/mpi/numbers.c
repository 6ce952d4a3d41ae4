/* Numbers of all ranks to results: the bits are those of a single process. */
#include "mpi/message.h"
#include "parts.h"
#include <fenv.h>

static void test_sums(void)
{
    for (size_t t = 0, wanted = trials(3 * FILLS); t < wanted; t++) {
        size_t f = t % FILLS, n = any_length(MOST);
        fills[f].fill(numbers, n);
        accord_exact_options options = drawn_options();
        size_t count = take_part(n, numbers, numbers);
        double out = 0, expected;
        CHECK(!accord_mpi_sum_f64(count, mine, 1, &options, MPI_COMM_WORLD, &out, NULL), "status");
        accord_sum_exact_f64(n, numbers, 1, &options, &expected, NULL);
        same(out, expected, fills[f].name);
    }
}

static void test_dots(void)
{
    for (size_t t = 0, wanted = trials(2 * FILLS); t < wanted; t++) {
        size_t f = t % FILLS, n = any_length(MOST / 4);
        fills[f].fill(numbers, n);
        fills[below(FILLS)].fill(others, n);
        accord_exact_options options = drawn_options();
        size_t count = take_part(n, numbers, others);
        double out = 0, expected;
        CHECK(
            !accord_mpi_dot_f64(count, mine, 1, mine_too, 1, &options, MPI_COMM_WORLD, &out, NULL),
            "status");
        accord_dot_exact_f64(n, numbers, 1, others, 1, &options, &expected, NULL);
        same(out, expected, fills[f].name);
    }
}

/* Every rank takes each ranks-th element, from behind: strides, and f32. */
static void test_strides(void)
{
    static float narrow[MOST];
    for (size_t t = 0, wanted = trials(20); t < wanted; t++) {
        size_t n = (size_t)ranks * any_length(500);
        fills[below(FILLS)].fill(numbers, n);
        for (size_t i = 0; i < n; i++)
            narrow[i] = (float)numbers[i];
        size_t part = n / (size_t)ranks, last = n ? n - 1 - (size_t)rank : 0;
        double out = 0, expected;
        float small = 0, expected_small;
        CHECK(!accord_mpi_sum_f64(part, numbers + last, -ranks, NULL, MPI_COMM_WORLD, &out, NULL),
              "status");
        accord_sum_exact_f64(n, numbers, 1, NULL, &expected, NULL);
        same(out, expected, "f64");
        CHECK(!accord_mpi_sum_f32(part, narrow + last, -ranks, NULL, MPI_COMM_WORLD, &small, NULL),
              "status");
        accord_sum_exact_f32(n, narrow, 1, NULL, &expected_small, NULL);
        same((double)small, (double)expected_small, "f32");
        CHECK(!accord_mpi_dot_f32(part, narrow + last, -ranks, narrow + last, -ranks, NULL,
                                  MPI_COMM_WORLD, &small, NULL),
              "status");
        accord_dot_exact_f32(n, narrow, 1, narrow, 1, NULL, &expected_small, NULL);
        same((double)small, (double)expected_small, "dot of f32");
    }
}

/* Many fields, one message. Fields lie interleaved or one after the other. */
static void many(size_t sums, size_t n, bool interleaved)
{
    static double out[64];
    ptrdiff_t step = interleaved ? 1 : (ptrdiff_t)n, stride = interleaved ? (ptrdiff_t)sums : 1;
    size_t from = n * (size_t)rank / (size_t)ranks, end = n * (size_t)(rank + 1) / (size_t)ranks;
    const double *part = numbers + (ptrdiff_t)from * stride;
    fills[below(FILLS)].fill(numbers, sums * n);
    fills[below(FILLS)].fill(others, n);
    accord_exact_options options = drawn_options();
    spy.calls = 0;
    CHECK(!accord_mpi_many_sums_f64(sums, step, end - from, part, stride, &options, MPI_COMM_WORLD,
                                    out, NULL),
          "status");
    CHECK(spy.calls == (sums != 0) && (!sums || spy.words == (int)(77 * sums)),
          "%zu sums: %d messages of %d words", sums, spy.calls, spy.words);
    for (size_t s = 0; s < sums; s++) {
        double expected;
        accord_sum_exact_f64(n, numbers + (ptrdiff_t)s * step, stride, &options, &expected, NULL);
        same(out[s], expected, "one of many sums");
    }
    spy.calls = 0;
    CHECK(!accord_mpi_many_dots_f64(sums, end - from, part, step, stride, others + from, 0, 1,
                                    &options, MPI_COMM_WORLD, out, NULL),
          "status");
    CHECK(spy.calls == (sums != 0) && (!sums || spy.words == (int)(143 * sums)),
          "%zu dots: %d messages of %d words", sums, spy.calls, spy.words);
    for (size_t s = 0; s < sums; s++) {
        double expected;
        accord_dot_exact_f64(n, numbers + (ptrdiff_t)s * step, stride, others, 1, &options,
                             &expected, NULL);
        same(out[s], expected, "one of many dots");
    }
}

static void test_many(void)
{
    static const size_t sums[] = {0, 1, 2, ACCORDI_MPI_FEW, ACCORDI_MPI_FEW + 1, 50};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        many(sums[i], 100, false);
        many(sums[i], any_length(150), true);
    }
}

static void test_many_f32(void)
{
    static float field[3][40], weight[40];
    float out[3], expected[3];
    for (int i = 0; i < 40; i++) {
        weight[i] = (float)accordi_rng_unit(&rng);
        for (int f = 0; f < 3; f++)
            field[f][i] = (float)(sign() * ldexp(accordi_rng_unit(&rng), below(60)));
    }
    size_t from = 40 * (size_t)rank / (size_t)ranks, end = 40 * (size_t)(rank + 1) / (size_t)ranks;
    CHECK(!accord_mpi_many_sums_f32(3, 40, end - from, field[0] + from, 1, NULL, MPI_COMM_WORLD,
                                    out, NULL),
          "status");
    for (int f = 0; f < 3; f++) {
        accord_sum_exact_f32(40, field[f], 1, NULL, expected + f, NULL);
        same((double)out[f], (double)expected[f], "sum of a field");
    }
    CHECK(!accord_mpi_many_dots_f32(3, end - from, field[0] + from, 40, 1, weight + from, 0, 1,
                                    NULL, MPI_COMM_WORLD, out, NULL),
          "status");
    for (int f = 0; f < 3; f++) {
        accord_dot_exact_f32(40, field[f], 1, weight, 1, NULL, expected + f, NULL);
        same((double)out[f], (double)expected[f], "weighted sum of a field");
    }
}

/* Special values, each on a rank of its own as far as there are ranks. */
static void test_special(void)
{
    static const struct {
        double x[3];
        size_t n;
        double expected;
    } cases[] = {
        {{0}, 0, -0.0},
        {{-0.0, -0.0, -0.0}, 3, -0.0},
        {{0.0, 0.0, 0.0}, 3, 0.0},
        {{-0.0, 0.0, -0.0}, 3, 0.0},
        {{1, -1}, 2, 0.0},
        {{1, NAN, 2}, 3, NAN},
        {{INFINITY, 1, INFINITY}, 3, INFINITY},
        {{-INFINITY, DBL_MAX, DBL_MAX}, 3, -INFINITY},
        {{INFINITY, -INFINITY, 1}, 3, NAN},
        {{DBL_MAX, DBL_MAX, -DBL_MAX}, 3, DBL_MAX},
        {{DBL_MAX, DBL_MAX, 1}, 3, INFINITY},
        {{1, 0x1p-53, 0x1p-1074}, 3, 1 + 0x1p-52},
        {{1, 0x1p-53}, 2, 1},
        {{0x1p-1074, 0x1p-1074, 0x1p-1074}, 3, 0x3p-1074},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        size_t count = 0;
        double one = 1, out = 0;
        for (size_t i = 0; i < cases[c].n; i++)
            if ((int)i % ranks == rank)
                mine[count++] = cases[c].x[i];
        CHECK(!accord_mpi_sum_f64(count, mine, 1, NULL, MPI_COMM_WORLD, &out, NULL), "status");
        same(out, cases[c].expected, "special sum");
        CHECK(!accord_mpi_dot_f64(count, mine, 1, &one, 0, NULL, MPI_COMM_WORLD, &out, NULL),
              "status");
        same(out, cases[c].expected, "special dot");
    }
}

/* A rank in another rounding mode changes nothing, and keeps its mode. */
static void test_environment(void)
{
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};
    for (int t = 0; t < 4; t++) {
        size_t n = 3000;
        fills[t].fill(numbers, n);
        size_t count = take_part(n, numbers, numbers);
        double out = 0, expected;
        int mode = modes[(rank + t) % 4];
        accord_sum_exact_f64(n, numbers, 1, NULL, &expected, NULL);
        fesetround(mode);
        enum accord_status status =
            accord_mpi_sum_f64(count, mine, 1, NULL, MPI_COMM_WORLD, &out, NULL);
        CHECK(fegetround() == mode, "another rounding mode");
        fesetround(FE_TONEAREST);
        CHECK(!status, "status");
        same(out, expected, fills[t].name);
    }
}

static const ranks_test tests[] = {
    {"sums", test_sums},
    {"dots", test_dots},
    {"strides and f32", test_strides},
    {"many sums in one message", test_many},
    {"many sums of f32", test_many_f32},
    {"special values", test_special},
    {"rounding modes", test_environment},
};
RANKS_FILE(numbers)
