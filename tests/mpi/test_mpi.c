/* Exact sums over ranks: what all tests share, and the program. A check compares the bits of
 * results, or the bytes of canonical accumulators, with those of a single process. */
#include "../support/trials.h"
#include "base/base.h"
#include "ranks.h"

int rank, ranks;
long complaints;
ranks_spy spy;

static int seen(int words)
{
    int code = spy.fail;
    spy.fail = MPI_SUCCESS;
    spy.calls++;
    spy.words = words;
    return code;
}

int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int code = seen(count);
    return code ? code : PMPI_Allreduce(in, out, count, type, op, comm);
}

int MPI_Reduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm)
{
    int code = seen(count);
    return code ? code : PMPI_Reduce(in, out, count, type, op, root, comm);
}

void ranks_refused(enum accord_status status, const accord_error *error, const char *text)
{
    CHECK(status == ACCORD_ARG && error->status == ACCORD_ARG, "status %s",
          accord_status_name(status));
    CHECK(strstr(error->text, text) && !strchr(error->text, '\n'), "it says: %s", error->text);
}

static void test_not_running(const char *text)
{
    accord_error error = {0};
    accord_mpi_exact exact;
    double x = 1, out = 5;
    ranks_refused(accord_mpi_sum_f64(1, &x, 1, NULL, MPI_COMM_WORLD, &out, &error), &error, text);
    ranks_refused(accord_mpi_exact_init(&exact, &error), &error, text);
    CHECK(out == 5, "written to");
}

static const ranks_file *const files[] = {&ranks_numbers, &ranks_sums, &ranks_operations,
                                          &ranks_errors};
enum { FILES = sizeof files / sizeof *files };

/* Whether all ranks are content. */
static bool run_one(const ranks_test *test, int number)
{
    long all = 0;
    complaints = 0;
    test->run();
    PMPI_Allreduce(&complaints, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%sok %d - %s on %d ranks\n", all ? "not " : "", number, test->name, ranks);
    fflush(stdout);
    return all == 0;
}

static bool run_all(uint64_t seed)
{
    int count = 0, number = 0;
    bool good = true;
    for (int f = 0; f < FILES; f++)
        count += files[f]->count;
    if (rank == 0)
        printf("1..%d\n", count);
    for (int f = 0; f < FILES; f++) {
        files[f]->seed(seed);
        for (int t = 0; t < files[f]->count; t++)
            good = run_one(files[f]->tests + t, ++number) && good;
    }
    return good;
}

int main(int argc, char **argv)
{
    test_not_running("MPI_Init first");
    long early = complaints;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    uint64_t seed = rank ? 0 : trials_seed();
    MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    bool good = run_all(seed);
    accord_mpi_exact kept;
    accord_mpi_exact_init(&kept, NULL);
    accord_mpi_exact given_back = kept;
    accord_mpi_exact_clear(&given_back);
    MPI_Finalize();
    complaints = early;
    accord_mpi_exact_clear(&kept);
    test_not_running("finalized");
    return !good || complaints;
}
