/* The datatype and the operation, in the hands of MPI. */
#include "parts.h"

static void test_operation(void)
{
    accord_mpi_exact exact;
    CHECK(!accord_mpi_exact_init(&exact, NULL), "status");
    draw_sums();
    MPI_Allreduce(MPI_IN_PLACE, held, SUMS, exact.type, exact.add, MPI_COMM_WORLD);
    for (int s = 0; s < SUMS; s++)
        accord_exact_canonical(held + s); /* one rank alone adds nothing */
    CHECK(!memcmp(held, whole, sizeof held), "other bytes");
    accord_mpi_exact_clear(&exact);
    CHECK(exact.type == MPI_DATATYPE_NULL && exact.add == MPI_OP_NULL, "handles");
    accord_mpi_exact_clear(&exact);
    accord_mpi_exact_clear(NULL);
}

static void test_wide_operation(void)
{
    accord_mpi_exact exact;
    CHECK(!accord_mpi_exact_wide_init(&exact, NULL), "status");
    draw_sums();
    MPI_Reduce(rank ? wide_held : MPI_IN_PLACE, rank ? NULL : wide_held, SUMS, exact.type,
               exact.add, 0, MPI_COMM_WORLD);
    for (int s = 0; s < SUMS; s++)
        accord_exact_wide_canonical(wide_held + s);
    CHECK(rank || !memcmp(wide_held, wide_whole, sizeof wide_held), "other bytes");
    accord_mpi_exact_clear(&exact);
}

/* Prefix sums over the ranks: rank r gets the sum of what ranks 0 … r hold. */
static void test_scan(void)
{
    accord_mpi_exact exact;
    CHECK(!accord_mpi_exact_init(&exact, NULL), "status");
    for (size_t t = 0, wanted = trials(FILLS / 2); t < wanted; t++) {
        accord_exact own, expected, found;
        accord_exact_init(&own);
        accord_exact_init(&expected);
        for (int r = 0; r < ranks; r++) {
            size_t n = any_length(200);
            fills[t % FILLS].fill(numbers, n);
            if (r <= rank)
                accord_exact_add_array_f64(&expected, n, numbers, 1);
            if (r == rank)
                accord_exact_add_array_f64(&own, n, numbers, 1);
        }
        MPI_Scan(&own, &found, 1, exact.type, exact.add, MPI_COMM_WORLD);
        accord_exact_canonical(&found);
        accord_exact_canonical(&expected);
        CHECK(!memcmp(&found, &expected, sizeof found), "%s: other bytes", fills[t % FILLS].name);
    }
    accord_mpi_exact_clear(&exact);
}

/* Types made of the type: rows of accumulators; and messages of it. */
static void test_types(void)
{
    accord_mpi_exact exact;
    MPI_Datatype row;
    int size = 0;
    CHECK(!accord_mpi_exact_init(&exact, NULL), "status");
    MPI_Type_size(exact.type, &size);
    CHECK(size == (int)sizeof(accord_exact), "%d bytes", size);
    draw_sums();
    MPI_Type_contiguous(SUMS, exact.type, &row);
    MPI_Type_commit(&row);
    MPI_Allreduce(MPI_IN_PLACE, held, 1, row, exact.add, MPI_COMM_WORLD);
    for (int s = 0; s < SUMS; s++)
        accord_exact_canonical(held + s);
    CHECK(!memcmp(held, whole, sizeof held), "other bytes");
    memset(rank ? before : held, 0, sizeof held);
    MPI_Bcast(rank ? before : whole, 1, row, 0, MPI_COMM_WORLD);
    CHECK(!rank || !memcmp(before, whole, sizeof whole), "other bytes");
    MPI_Type_free(&row);
    accord_mpi_exact_clear(&exact);
}

/* An operation has no status: what no accumulator can hold is a NaN, not a number. */
static void test_outgrown_operation(void)
{
    accord_mpi_exact exact;
    accord_exact sum;
    CHECK(!accord_mpi_exact_init(&exact, NULL), "status");
    accord_exact_init(&sum);
    accord_exact_add_f64(&sum, 1);
    accord_exact_scale(&sum, 1163, NULL);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, exact.type, exact.add, MPI_COMM_WORLD);
    double found = accord_exact_f64(&sum, ACCORD_EXACT_NEAREST_EVEN);
    same(found, ranks > 1 ? (double)NAN : (double)INFINITY, "2^1163 of each rank");
    accord_mpi_exact_clear(&exact);
}

static const ranks_test tests[] = {
    {"the operation", test_operation},
    {"the wide operation", test_wide_operation},
    {"MPI_Scan", test_scan},
    {"types made of the type", test_types},
    {"an operation past the limits", test_outgrown_operation},
};
RANKS_FILE(operations)
