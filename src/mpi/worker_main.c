/* accord-mpi-worker-openmpi, -mpich: one rank of the collective operations that mpi: targets ask.
 * accord starts as many as there are terms, with the target's notation. Rank 0 speaks the protocol
 * of doc/command-protocol.md over its standard input and output; a request is scattered, its
 * collectives are called one after the other, and what the ranks hold is gathered. */
#include "base/serve.h"
#include "mpi/collective.h"
#include "mpi/parameters.h"
#include "targets/target.h"
#include <time.h>

/* MPICH's launcher ends the ranks when the pipe to rank 0, of 65536 bytes on Linux, is full. */
enum { WINDOW = 1 << 15 };

typedef struct ranks {
    accordi_collective c;
    char *scatter, *own; /* on rank 0, and on each: the terms of a request, by ranks and sums */
    char *results; /* what this rank holds: whether the room behind is whole, and the results */
    size_t calls;  /* for which the ranks came in turn */
    size_t kept;   /* the first position that holds its own term, added in place; held: none */
    accordi_held *gathered; /* on rank 0: what the ranks hold that have results */
    size_t sums, positions; /* of the request; positions with terms of their own */
    float *terms;           /* on rank 0: rows x n, or double */
    accordi_rng rng;        /* the same numbers on all ranks */
} ranks;

/* Rank 0 tells the others, by messages: how many collectives came before may matter. */
static void tell(void *words, int bytes, int rank, int all)
{
    for (int k = 1; k < all && rank == 0; k++)
        MPI_Send(words, bytes, MPI_BYTE, k, 0, MPI_COMM_WORLD);
    if (rank > 0)
        MPI_Recv(words, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* ---- one call ---- */

static void sleep_for(uint64_t microseconds)
{
    struct timespec pause = {.tv_sec = (time_t)(microseconds / 1000000),
                             .tv_nsec = (long)(microseconds % 1000000) * 1000};
    nanosleep(&pause, NULL);
}

/* One rank, another one each time, comes late. */
static void wait_if_late(ranks *r)
{
    uint64_t late = accordi_rng_below(&r->rng, (uint64_t)r->c.all);
    uint64_t time = accordi_rng_below(&r->rng, r->c.plan.delay + 1);
    if (r->c.plan.delay && late == (uint64_t)r->c.rank)
        sleep_for(time);
}

/* The ranks come one after the other: upward; the first, and the others downward; downward; upward
 * from the middle. So there are different orders, with the first rank or the last as the first. */
static void wait_for_turn(ranks *r)
{
    int all = r->c.all, rank = r->c.rank;
    const int place[ACCORDI_TURNS] = {rank, rank ? all - rank : 0, all - 1 - rank,
                                      (rank + all / 2) % all};
    if (!r->c.plan.turns)
        return;
    MPI_Barrier(MPI_COMM_WORLD);
    sleep_for((uint64_t)place[r->calls++ % ACCORDI_TURNS] * r->c.plan.turns);
}

/* Calls before the first that counts, on terms that have other values. All are above 0, so no sum
 * is one of its terms. */
static void warm_up(ranks *r)
{
    for (size_t i = 0; i < r->c.plan.warm; i++) {
        for (size_t row = 0; row < r->c.rows; row++)
            accordi_rank_put(r->c.format, r->c.in, row, (double)(1 + i + (size_t)r->c.rank));
        accordi_collective_call(&r->c);
        for (size_t at = 0; r->c.plan.in_place && r->c.n > 1 && at < r->kept; at++)
            if (memcmp(r->c.out + at * r->c.bytes, r->c.in + at * r->c.bytes, r->c.bytes) == 0)
                r->kept = at;
    }
}

/* ---- a request ---- */

static void *make(size_t count, size_t bytes)
{
    void *made = accordi_calloc(count + 1, bytes);
    if (!made)
        accordi_end_ranks("out of memory");
    return made;
}

static bool begin(void *context, size_t sums, bool grid)
{
    ranks *r = context;
    r->sums = sums;
    r->positions = grid ? r->c.rows : 1;
    r->scatter = make((size_t)r->c.all * sums * r->positions, r->c.bytes);
    return true;
}

static bool take(void *context, size_t which, double *result)
{
    ranks *r = context;
    (void)result;
    for (size_t row = 0; row < r->positions; row++)
        for (size_t k = 0; k < r->c.n; k++) {
            size_t at = row * r->c.n + k;
            double term = r->c.format == ACCORD_F64 ? ((double *)r->terms)[at] : r->terms[at];
            accordi_rank_put(r->c.format, r->scatter, (k * r->sums + which) * r->positions + row,
                             term);
        }
    return true;
}

static void call_all(ranks *r)
{
    for (size_t p = 0; p < r->sums; p++) {
        const char *own = r->own + p * r->positions * r->c.bytes;
        for (size_t row = 0; row < r->c.rows; row++)
            memcpy(r->c.in + row * r->c.bytes, own + (r->positions > 1 ? row : 0) * r->c.bytes,
                   r->c.bytes);
        wait_if_late(r);
        wait_for_turn(r);
        accordi_collective_call(&r->c);
        if (!accordi_collective_is_room_whole(&r->c))
            memset(r->results, 0, r->c.bytes);
        if (r->kept < r->c.held)
            memcpy(r->c.out + r->kept * r->c.bytes, accordi_collective_none(&r->c), r->c.bytes);
        memcpy(r->results + (1 + p * r->c.held) * r->c.bytes, r->c.out, r->c.held * r->c.bytes);
    }
}

/* ---- what the ranks hold ---- */

static size_t holders(const ranks *r)
{
    return r->c.plan.collective->holders == ACCORDI_MPI_ALL     ? (size_t)r->c.all
           : r->c.plan.collective->holders == ACCORDI_MPI_OWNER ? r->c.n
                                                                : 1;
}

/* The rank that has the part `i` of the results. */
static int holder(const ranks *r, size_t i)
{
    return r->c.plan.collective->holders == ACCORDI_MPI_ROOT   ? (int)r->c.plan.root
           : r->c.plan.collective->holders == ACCORDI_MPI_LAST ? r->c.all - 1
                                                               : (int)i;
}

/* Rank 0 gets what the ranks hold that have results; by messages, as in `tell`. */
static void gather(ranks *r)
{
    size_t bytes = 0, parts = holders(r);
    for (size_t i = 0; i < parts; i++) {
        int from = holder(r, i), length = 0;
        char *message = NULL;
        if (r->c.rank == from)
            message =
                accordi_held_message(r->c.format, r->results, 1 + r->sums * r->c.held, &bytes);
        if (r->c.rank == from && !message)
            accordi_end_ranks("out of memory");
        if (r->c.rank == from && from != 0) {
            MPI_Send(message, (int)bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
            free(message);
        } else if (r->c.rank == 0 && from != 0) {
            MPI_Status status;
            MPI_Probe(from, 0, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_BYTE, &length);
            message = make((size_t)length, 1);
            MPI_Recv(message, length, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            bytes = (size_t)length;
        }
        if (r->c.rank == 0)
            accordi_held_open(&r->gathered[i], r->c.format, message, bytes);
    }
}

/* Between beginning and end all ranks do this, for sums and positions that all know. */
static void answer(ranks *r)
{
    size_t each = r->sums * r->positions;
    r->own = make(each, r->c.bytes);
    r->results = make(1 + r->sums * r->c.held, r->c.bytes);
    memcpy(r->results, accordi_collective_none(&r->c), r->c.bytes);
    if (r->c.rank == 0)
        r->gathered = make(holders(r), sizeof *r->gathered);
    MPI_Scatter(r->scatter, (int)each, r->c.type, r->own, (int)each, r->c.type, 0, MPI_COMM_WORLD);
    call_all(r);
    gather(r);
    free(r->own);
    free(r->results);
}

/* Passes the first number of all ranks. Where one holds other results than it was to have, that is
 * said in place of an answer. */
static bool check_counts(const ranks *r)
{
    char text[200];
    const char *name = r->c.plan.collective->name, *many = r->c.held == 1 ? "" : "s";
    for (size_t i = 0; i < holders(r); i++) {
        accordi_held *h = &r->gathered[i];
        bool whole = memcmp(h->value, accordi_collective_none(&r->c), r->c.bytes) == 0;
        accordi_held_pass(h, 1);
        size_t without = accordi_held_find(h, accordi_collective_none(&r->c));
        if (whole && without == SIZE_MAX)
            continue;
        int used = snprintf(text, sizeof text, "a wrong count: %s was called for %zu position%s, ",
                            name, r->c.held, many);
        if (!whole)
            snprintf(text + used, sizeof text - (size_t)used,
                     "and wrote beyond them into the memory of rank %d", holder(r, i));
        else
            snprintf(text + used, sizeof text - (size_t)used,
                     "and left position %zu of rank %d without a result", without % r->c.held,
                     holder(r, i));
        accordi_serve_say_failure(text);
        return false;
    }
    return true;
}

static bool finish(void *context, size_t sums, accordi_runs *runs)
{
    ranks *r = context;
    uint64_t request[2] = {sums, r->positions};
    tell(request, sizeof request, r->c.rank, r->c.all);
    answer(r);
    bool good = check_counts(r);
    if (good && r->c.plan.collective->holders == ACCORDI_MPI_ALL)
        accordi_held_put_positions(r->gathered, holders(r), runs);
    else if (good)
        accordi_held_put_blocks(r->gathered, holders(r), r->sums, r->c.held, runs);
    for (size_t i = 0; i < holders(r); i++)
        free(r->gathered[i].message);
    free(r->scatter);
    free(r->gathered);
    r->scatter = NULL;
    r->gathered = NULL;
    return good;
}

/* ---- the ranks ---- */

static void serve_others(ranks *r)
{
    warm_up(r);
    for (;;) {
        uint64_t request[2];
        tell(request, sizeof request, r->c.rank, r->c.all);
        if (request[0] == 0)
            return;
        r->sums = request[0];
        r->positions = request[1];
        answer(r);
    }
}

/* "Open MPI v4.1.4", "MPICH Version: 4.0.2": the first of what it says, and the ranks. */
static void describe(const ranks *r, char *text, size_t size)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    size_t used = 0;
    MPI_Get_library_version(version, &length);
    for (const char *at = version; *at && !strchr(",\n", *at) && used < 100; at++)
        if (!strchr(" \t", *at) || (used && text[used - 1] != ' '))
            text[used++] = *at == '\t' ? ' ' : *at;
    snprintf(text + used, size - used, "; %d ranks", r->c.all);
}

static bool serve_accord(ranks *r)
{
    char text[400], how[120];
    size_t columns = accordi_mpi_columns(&r->c.plan, r->c.n);
    accordi_server server = {.n = r->c.n,
                             .rows = r->c.rows,
                             .results = r->c.rows * columns,
                             .window = WINDOW,
                             .f64 = r->c.format == ACCORD_F64,
                             .context = r,
                             .begin = begin,
                             .take = take,
                             .finish_runs = finish};
    server.terms = r->terms = make(r->c.rows * r->c.n, sizeof(double));
    describe(r, text, sizeof text);
    snprintf(how, sizeof how, "2 binary rows=%zu columns=%zu share=%s%s window=%d", r->c.rows,
             columns, r->c.rows > 1 ? "rows" : "none", columns > 1 ? " copies=columns" : "",
             WINDOW);
    accordi_serve_say(how, text);
    warm_up(r); /* which may hang, and then all ranks have begun */
    bool good = accordi_serve(&server);
    uint64_t end[2] = {0, 0};
    tell(end, sizeof end, r->c.rank, r->c.all);
    free(r->terms);
    return good;
}

/* Rank 0 hears the greeting, and all hear of it: the number of terms (0: nothing to do) and the
 * format. */
static size_t hear_greeting(int rank, int all, char format[16])
{
    struct {
        size_t n;
        char format[16];
    } said = {.n = 0};
    if (rank == 0 && !accordi_serve_hear_greeting(&said.n, said.format))
        said.n = 0;
    tell(&said, sizeof said, rank, all);
    memcpy(format, said.format, sizeof said.format);
    return said.n;
}

static bool check_ranks(const ranks *r)
{
    char text[200];
    if ((size_t)r->c.all == accordi_mpi_ranks(&r->c.plan, r->c.n) &&
        r->c.plan.root < (size_t)r->c.all)
        return true;
    if (r->c.plan.root >= (size_t)r->c.all)
        snprintf(text, sizeof text, "root=%zu is not a rank: there are %d, counted from 0",
                 r->c.plan.root, r->c.all);
    else
        snprintf(
            text, sizeof text,
            "%d ranks were started, not the %zu that add %zu terms; see what the launcher does "
            "with -n",
            r->c.all, accordi_mpi_ranks(&r->c.plan, r->c.n), r->c.n);
    if (r->c.rank == 0)
        accordi_serve_say("1 refused", text);
    return false;
}

/* Rank 0 alone decides: launchers need not give all ranks the same variables. */
static bool check_parameters(const ranks *r)
{
    char text[300];
    int refused = r->c.rank == 0 && accordi_refused_parameter(text, sizeof text);
    if (refused)
        accordi_serve_say("1 refused", text);
    tell(&refused, sizeof refused, r->c.rank, r->c.all);
    return !refused;
}

int main(int count, char **word)
{
    ranks r = {.sums = 0};
    char format[16] = "";
    accord_error error;
    bool good = false;
    MPI_Init(&count, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &r.c.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &r.c.all);
    r.c.n = count == 2 ? hear_greeting(r.c.rank, r.c.all, format) : 0;
    if (r.c.n == 0 && r.c.rank == 0)
        fputs("accord-mpi-worker is started by accord reveal mpi:COLLECTIVE\n", stderr);
    if (r.c.n && accordi_mpi_plan_read(word[1], &r.c.plan, &error) == ACCORD_OK &&
        check_ranks(&r) && check_parameters(&r)) {
        if (!accordi_collective_open(&r.c, format))
            accordi_end_ranks("out of memory");
        r.kept = r.c.held;
        accordi_rng_init(&r.rng, 1);
        good = true;
        if (r.c.rank == 0)
            good = serve_accord(&r);
        else
            serve_others(&r);
        accordi_collective_close(&r.c);
    }
    MPI_Finalize();
    return good ? 0 : 1;
}
