/* What is refused, and what MPI itself refuses. */
#include "parts.h"

/* One rank is wrong: all hear of it, none waits, nothing is written. */
static void test_one_wrong(void)
{
    int wrong = ranks - 1;
    const char *elsewhere = "1 of";
    accord_exact_options options;
    accord_error error = {0};
    double x[2] = {1, 2}, out = 5;
    accord_exact_options_init(&options);
    ranks_refused(
        accord_mpi_sum_f64(2, rank == wrong ? NULL : x, 1, NULL, MPI_COMM_WORLD, &out, &error),
        &error, rank == wrong ? "numbers is NULL" : elsewhere);
    ranks_refused(accord_mpi_dot_f64(2, x, 1, rank == wrong ? NULL : x, 1, NULL, MPI_COMM_WORLD,
                                     &out, &error),
                  &error, rank == wrong ? "numbers is NULL" : elsewhere);
    ranks_refused(
        accord_mpi_sum_f64(2, x, 1, NULL, MPI_COMM_WORLD, rank == wrong ? NULL : &out, &error),
        &error, rank == wrong ? "results is NULL" : elsewhere);
    options.rounding = (enum accord_exact_rounding)(rank == wrong ? 9 : 0);
    ranks_refused(accord_mpi_sum_f64(2, x, 1, &options, MPI_COMM_WORLD, &out, &error), &error,
                  rank == wrong ? "rounding 9" : elsewhere);
    draw_sums();
    ranks_refused(
        accord_mpi_exact_allreduce(rank == wrong ? NULL : held, SUMS, MPI_COMM_WORLD, &error),
        &error, rank == wrong ? "array of sums is NULL" : elsewhere);
    held[7].count[ACCORD_EXACT_TERMS] = rank == wrong ? ((int64_t)1 << 62) + 1 : 1;
    before[7] = held[7];
    ranks_refused(accord_mpi_exact_allreduce(held, SUMS, MPI_COMM_WORLD, &error), &error,
                  rank == wrong ? "sum 7 would have more than 2^62 terms" : elsewhere);
    CHECK(out == 5 && !memcmp(held, before, sizeof held), "written to");
    CHECK(accord_mpi_sum_f64(2, NULL, 1, NULL, MPI_COMM_WORLD, &out, NULL) == ACCORD_ARG, "status");
}

/* To a root: the wrong rank and the root know. */
static void test_one_wrong_of_reduce(void)
{
    int wrong = ranks - 1;
    draw_sums();
    enum accord_status status =
        accord_mpi_exact_reduce(rank == wrong ? NULL : held, SUMS, 0, MPI_COMM_WORLD, NULL);
    CHECK(status == (rank == wrong || rank == 0 ? ACCORD_ARG : ACCORD_OK), "status %s",
          accord_status_name(status));
    CHECK(!memcmp(held, before, sizeof held), "written to");
}

static void test_outgrown(void)
{
    accord_exact sum, old;
    accord_error error = {0};
    accord_exact_init(&sum);
    accord_exact_add_f64(&sum, 1);
    accord_exact_scale(&sum, 1163, NULL);
    old = sum;
    enum accord_status status = accord_mpi_exact_allreduce(&sum, 1, MPI_COMM_WORLD, &error);
    if (ranks > 1)
        ranks_refused(status, &error, "outgrow its accumulator");
    else
        CHECK(!status, "status");
    CHECK(ranks == 1 || !memcmp(&sum, &old, sizeof sum), "written to");
}

static void test_communicators(void)
{
    accord_error error = {0};
    double x = 1, out = 5;
    draw_sums();
    ranks_refused(accord_mpi_sum_f64(1, &x, 1, NULL, MPI_COMM_NULL, &out, &error), &error,
                  "MPI_COMM_NULL");
    ranks_refused(accord_mpi_exact_allreduce(held, SUMS, MPI_COMM_NULL, &error), &error,
                  "MPI_COMM_NULL");
    ranks_refused(accord_mpi_exact_reduce(held, SUMS, ranks, MPI_COMM_WORLD, &error), &error,
                  "root cannot be rank");
    ranks_refused(accord_mpi_exact_reduce(held, SUMS, -1, MPI_COMM_WORLD, &error), &error,
                  "root cannot be rank -1 of");
    ranks_refused(accord_mpi_exact_init(NULL, &error), &error, "pass one that is not NULL");
    CHECK(out == 5 && !memcmp(held, before, sizeof held), "written to");
    CHECK(!accord_mpi_sum_f64(1, &x, 1, NULL, MPI_COMM_SELF, &out, NULL) && out == 1, "alone");
    if (ranks == 1)
        return;
    MPI_Comm half, between;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &between);
    CHECK(!accord_mpi_sum_f64(1, &x, 1, NULL, half, &out, NULL), "status");
    same(out, (double)((ranks + 1 - rank % 2) / 2), "half of the ranks");
    ranks_refused(accord_mpi_sum_f64(1, &x, 1, NULL, between, &out, &error), &error, "two groups");
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
}

/* What MPI answers on all ranks at once. */
static void test_mpi_fails(void)
{
    static const struct {
        int code;
        enum accord_status status;
    } cases[] = {{MPI_ERR_NO_MEM, ACCORD_NOMEM},
                 {MPI_ERR_COUNT, ACCORD_ARG},
                 {MPI_ERR_COMM, ACCORD_ARG},
                 {MPI_ERR_OTHER, ACCORD_IO},
                 {MPI_ERR_INTERN, ACCORD_IO}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        accord_error error = {0};
        double x = 1, out = 5;
        draw_sums();
        spy.fail = cases[c].code;
        enum accord_status status =
            accord_mpi_sum_f64(1, &x, 1, NULL, MPI_COMM_WORLD, &out, &error);
        CHECK(status == cases[c].status && error.status == status && out == 5, "case %zu: %s", c,
              accord_status_name(status));
        CHECK(strstr(error.text, "MPI_Allreduce: ") && strlen(error.text) > 20, "it says: %s",
              error.text);
        spy.fail = cases[c].code;
        status = accord_mpi_exact_reduce(held, SUMS, 0, MPI_COMM_WORLD, &error);
        CHECK(status == cases[c].status && strstr(error.text, "MPI_Reduce: "), "case %zu: %s", c,
              error.text);
        CHECK(!memcmp(held, before, sizeof held), "written to");
    }
}

static const ranks_test tests[] = {
    {"one rank is wrong", test_one_wrong},
    {"one rank is wrong, to a root", test_one_wrong_of_reduce},
    {"past the limits", test_outgrown},
    {"communicators", test_communicators},
    {"MPI fails", test_mpi_fails},
};
RANKS_FILE(errors)
