/* Accumulators over the ranks, by their bytes. */
#include "mpi/message.h"
#include "parts.h"

static void test_allreduce(void)
{
    for (size_t t = 0, wanted = trials(5); t < wanted; t++) {
        draw_sums();
        CHECK(!accord_mpi_exact_allreduce(held, SUMS, MPI_COMM_WORLD, NULL), "status");
        CHECK(!memcmp(held, whole, sizeof held), "other bytes");
        CHECK(!accord_mpi_exact_wide_allreduce(wide_held, SUMS, MPI_COMM_WORLD, NULL), "status");
        CHECK(!memcmp(wide_held, wide_whole, sizeof wide_held), "other bytes");
    }
    CHECK(!accord_mpi_exact_allreduce(NULL, 0, MPI_COMM_WORLD, NULL), "no sums at all");
}

static void test_reduce(void)
{
    for (int root = 0; root < ranks; root++) {
        draw_sums();
        CHECK(!accord_mpi_exact_reduce(held, SUMS, root, MPI_COMM_WORLD, NULL), "status");
        CHECK(!memcmp(held, rank == root ? whole : before, sizeof held), "other bytes");
        CHECK(!accord_mpi_exact_wide_reduce(wide_held, SUMS, root, MPI_COMM_WORLD, NULL), "status");
        CHECK(!memcmp(wide_held, rank == root ? wide_whole : wide_before, sizeof wide_held),
              "other bytes");
    }
}

/* Sums that MPI takes in several calls because they have too many words. */
static void test_long_messages(void)
{
    static const size_t most[] = {77, 78, 200, 77 * SUMS - 1, 77 * SUMS};
    static const int calls[] = {11, 11, 5, 2, 1};
    for (int t = 0; t < 5; t++) {
        draw_sums();
        accord_exact twice[2 * SUMS];
        memcpy(twice, held, sizeof held);
        accordi_mpi_message message = {.kind = &accordi_mpi_small,
                                       .words = (int64_t *)(void *)twice,
                                       .count = SUMS,
                                       .comm = MPI_COMM_WORLD,
                                       .most = most[t]};
        spy.calls = 0;
        CHECK(!accordi_mpi_combine(&message, ACCORD_OK, NULL) && message.here, "status");
        CHECK(spy.calls == calls[t], "%d messages", spy.calls);
        CHECK(!memcmp(twice, whole, sizeof whole), "other bytes");
    }
}

static const ranks_test tests[] = {
    {"accumulators to all", test_allreduce},
    {"accumulators to a root", test_reduce},
    {"messages in parts", test_long_messages},
};
RANKS_FILE(sums)
