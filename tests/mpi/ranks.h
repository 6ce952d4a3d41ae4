/* Tests that run on several ranks at once: one that fails must not leave the others waiting, so a
 * check only counts, and after each test the ranks agree on how it went. Rank 0 writes TAP. */
#ifndef RANKS_H
#define RANKS_H

#include <accord/mpi.h>
#include <stdio.h>

extern int rank, ranks;
extern long complaints; /* of this rank in this test */

/* The first few words of each rank are enough. */
#define CHECK(condition_, ...)                                                                     \
    do {                                                                                           \
        if (!(condition_) && complaints++ < 3) {                                                   \
            fprintf(stderr, "# rank %d of %d, line %d: ", rank, ranks, __LINE__);                  \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
        }                                                                                          \
    } while (0)

typedef struct ranks_test {
    const char *name;
    void (*run)(void);
} ranks_test;

/* The tests of one file; each file draws numbers of its own. */
typedef struct ranks_file {
    const ranks_test *tests;
    int count;
    void (*seed)(uint64_t seed);
} ranks_file;
extern const ranks_file ranks_numbers, ranks_sums, ranks_operations, ranks_errors;

#define RANKS_FILE(name_)                                                                          \
    static void seed_##name_(uint64_t seed)                                                        \
    {                                                                                              \
        accordi_rng_init(&rng, seed);                                                              \
    }                                                                                              \
    const ranks_file ranks_##name_ = {tests, sizeof tests / sizeof *tests, seed_##name_};

/* Calls of MPI_Allreduce and MPI_Reduce are seen on their way, and fail when that is asked. */
typedef struct ranks_spy {
    int fail; /* an error code of MPI, for the next call */
    int calls, words;
} ranks_spy;
extern ranks_spy spy;

/* ACCORD_ARG, and these words in the error. */
void ranks_refused(enum accord_status status, const accord_error *error, const char *text);

#endif
