/* Accumulators of all ranks into one, by integers that MPI adds.
 *
 * Idea: in the canonical form all limbs but the last are below 2^32, and the last lies in
 * [-2^30, 2^30). Added as int64_t over up to 2^30 ranks none can overflow, whatever tree MPI adds
 * along, and carrying once at the end gives the canonical form of the whole: the same bytes on
 * every rank. The counts add up likewise. So MPI_SUM serves, which networks may compute
 * themselves, and no operation of our own is called on the way.
 *
 * A rank whose arguments are wrong must not leave the others waiting: it sends zeros, and 1 in a
 * word that canonical sums leave 0, the pending carries of the first. Where the sum of those is
 * not 0 nobody has a result. */
#include "mpi/message.h"
#include <stdlib.h>
#include <string.h>

static void init_small(void *sum)
{
    accord_exact_init(sum);
}

static void init_wide(void *sum)
{
    accord_exact_wide_init(sum);
}

static void canonical_small(void *sum)
{
    accord_exact_canonical(sum);
}

static void canonical_wide(void *sum)
{
    accord_exact_wide_canonical(sum);
}

#define WORDS(type_) ((int)(sizeof(type_) / sizeof(int64_t)))
const accordi_mpi_kind accordi_mpi_small = {ACCORD_EXACT_LIMBS, WORDS(accord_exact), init_small,
                                            canonical_small};
const accordi_mpi_kind accordi_mpi_wide = {ACCORD_EXACT_WIDE_LIMBS, WORDS(accord_exact_wide),
                                           init_wide, canonical_wide};
_Static_assert(offsetof(accord_exact, pending) == sizeof(accord_exact) - sizeof(int64_t) &&
                   offsetof(accord_exact_wide, pending) ==
                       sizeof(accord_exact_wide) - sizeof(int64_t),
               "the word that carries refusals is the last");

enum accord_status accordi_mpi_room_init(accordi_mpi_room *room, const accordi_mpi_kind *kind,
                                         size_t count, accord_error *error)
{
    size_t size = sizeof(int64_t) * (size_t)kind->words;
    room->allocated = NULL;
    room->at.words = (int64_t *)(void *)&room->few;
    if (count > ACCORDI_MPI_FEW) {
        room->allocated = count <= SIZE_MAX / 2 / size ? malloc(2 * count * size) : NULL;
        room->at.words = room->allocated;
    }
    if (!room->at.words)
        return accordi_mpi_fail(error, ACCORD_NOMEM,
                                "out of memory for %zu sums of %zu bytes; reduce fewer at a time",
                                count, size);
    for (size_t i = 0; i < count; i++)
        kind->init(room->at.words + i * (size_t)kind->words);
    return ACCORD_OK;
}

void accordi_mpi_room_clear(accordi_mpi_room *room)
{
    free(room->allocated);
}

typedef struct place {
    int rank, ranks;
} place;

/* Whether the ranks can be reached at all, and which of them this one is. */
static enum accord_status find_place(const accordi_mpi_message *m, place *here, accord_error *error)
{
    enum accord_status status = accordi_mpi_running(error);
    int between = 0;
    if (status)
        return status;
    if (m->comm == MPI_COMM_NULL)
        return accordi_mpi_fail(
            error, ACCORD_ARG,
            "the communicator is MPI_COMM_NULL; ranks outside a communicator must not call");
    status =
        accordi_mpi_check(MPI_Comm_test_inter(m->comm, &between), "MPI_Comm_test_inter", error);
    if (!status && between)
        return accordi_mpi_fail(
            error, ACCORD_ARG,
            "this is an intercommunicator, which joins two groups; merge them first");
    if (!status)
        status = accordi_mpi_check(MPI_Comm_size(m->comm, &here->ranks), "MPI_Comm_size", error);
    if (!status)
        status = accordi_mpi_check(MPI_Comm_rank(m->comm, &here->rank), "MPI_Comm_rank", error);
    if (status)
        return status;
    if (here->ranks > 1 << 30)
        return accordi_mpi_fail(error, ACCORD_UNSUPPORTED,
                                "%d ranks are more than 2^30; reduce within parts first",
                                here->ranks);
    if (m->to_root && (m->root < 0 || m->root >= here->ranks))
        return accordi_mpi_fail(error, ACCORD_ARG,
                                "the root cannot be rank %d of %d; ranks are counted from 0",
                                m->root, here->ranks);
    return ACCORD_OK;
}

static int64_t *sum_at(const accordi_mpi_message *m, size_t i)
{
    return m->words + i * (size_t)m->kind->words;
}

static int64_t *refusals(const accordi_mpi_message *m)
{
    return m->words + m->kind->words - 1;
}

/* Makes all sums canonical, and looks whether integers suffice for that many ranks of such. */
static enum accord_status check_sums_fit(const accordi_mpi_message *m, int ranks,
                                         accord_error *error)
{
    const int64_t most = (int64_t)1 << 30;
    for (size_t i = 0; i < m->count; i++) {
        int64_t *sum = sum_at(m, i), top, terms;
        m->kind->canonical(sum);
        top = sum[m->kind->limbs - 1];
        terms = sum[m->kind->limbs + ACCORD_EXACT_TERMS];
        if (top < -most || top >= most)
            return accordi_mpi_fail(
                error, ACCORD_ARG, "sum %zu would outgrow its accumulator; scale it down first", i);
        if (terms < 0 || terms > ((int64_t)1 << 62) / ranks)
            return accordi_mpi_fail(error, ACCORD_ARG,
                                    "sum %zu would have more than 2^62 terms; add fewer", i);
    }
    return ACCORD_OK;
}

static void refuse_message(const accordi_mpi_message *m)
{
    memset(m->words, 0, sizeof *m->words * (size_t)m->kind->words * m->count);
    *refusals(m) = 1;
}

/* Never MPI_IN_PLACE: with it MPICH 4.0 and 4.1 crash at a root that is not rank 0
 * (pmodels/mpich#6540), and others have erred (open-mpi/ompi#11473). */
static int call_mpi(const accordi_mpi_message *m, const place *here, size_t from, int words)
{
    const int64_t *at = m->words + from;
    int64_t *result = sum_at(m, m->count) + from;
    if (!m->to_root)
        return MPI_Allreduce(at, result, words, MPI_INT64_T, MPI_SUM, m->comm);
    return MPI_Reduce(at, m->root == here->rank ? result : NULL, words, MPI_INT64_T, MPI_SUM,
                      m->root, m->comm);
}

static enum accord_status exchange_with_ranks(const accordi_mpi_message *m, const place *here,
                                              accord_error *error)
{
    const char *what = m->to_root ? "MPI_Reduce" : "MPI_Allreduce";
    size_t all = m->count * (size_t)m->kind->words;
    for (size_t from = 0; from < all;) {
        size_t words = all - from < m->most ? all - from : m->most;
        enum accord_status status =
            accordi_mpi_check(call_mpi(m, here, from, (int)words), what, error);
        if (status)
            return status;
        from += words;
    }
    if (!m->to_root || m->root == here->rank)
        memcpy(m->words, m->words + all, all * sizeof *m->words);
    return ACCORD_OK;
}

enum accord_status accordi_mpi_combine(accordi_mpi_message *m, enum accord_status refused,
                                       accord_error *error)
{
    place here;
    m->here = false;
    enum accord_status status = find_place(m, &here, error);
    if (status || !m->count)
        return status ? status : refused;
    if (!refused)
        refused = check_sums_fit(m, here.ranks, error);
    if (refused)
        refuse_message(m);
    status = exchange_with_ranks(m, &here, error);
    if (status || refused)
        return status ? status : refused;
    m->here = !m->to_root || m->root == here.rank;
    if (!m->here)
        return ACCORD_OK;
    if (*refusals(m))
        return accordi_mpi_fail(
            error, ACCORD_ARG,
            "%lld of %d ranks passed wrong arguments; the errors on those ranks say which",
            (long long)*refusals(m), here.ranks);
    return check_sums_fit(m, 1, error);
}
