/* accord-mpi-worker-openmpi, -mpich: one rank of the collective operations that mpi: targets ask.
 * accord starts as many as there are terms, with the target's notation. Rank 0 speaks the protocol
 * of doc/command-protocol.md over its standard input and output; a request is scattered, its
 * collectives are called one after the other, and what the ranks hold is gathered.
 *
 * Before each call a rank's results, and some room behind them, hold a number that no sum gives: a
 * collective that adds at fewer positions than it was called for, or at more, is found out, and its
 * results do not pass for sums. */
#include "base/serve.h"
#include "mpi/held.h"
#include "mpi/parameters.h"
#include "targets/program/mpi_plan.h"
#include "targets/target.h"
#include <accord/format.h>
#include <mpi.h>
#include <time.h>

/* MPICH's launcher ends the ranks when the pipe to rank 0, of 65536 bytes on Linux, is full. */
enum { WINDOW = 1 << 15 };
enum { LEAST_ROOM = 16, MOST_ROOM = 4096 };

typedef struct ranks {
    accordi_mpi_plan plan;
    size_t n;      /* terms */
    int rank, all; /* all: how many there are */
    enum accord_format format;
    size_t bytes; /* of a number */
    MPI_Datatype type;
    MPI_Op operation;
    size_t rows;         /* positions of a vector that goes in */
    size_t held;         /* positions that come out on one rank */
    char *in, *out;      /* rows and held numbers; in is what the collective gets */
    char *scatter, *own; /* on rank 0, and on each: the terms of a request, by ranks and sums */
    char *results; /* what this rank holds: whether the room behind is whole, and the results */
    size_t room;   /* numbers behind the results */
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

static void end_all(const char *why)
{
    fprintf(stderr, "accord-mpi-worker: %s\n", why);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- numbers ---- */

/* Operations of MPI have no context. */
static const ranks *adding;

/* Each hop rounds to the format of the numbers. */
static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (size_t i = 0; i < (size_t)*count; i++)
        accordi_rank_put(adding->format, inout, i,
                         accord_format_add(adding->format, ACCORD_NEAREST_EVEN,
                                           accordi_rank_get(adding->format, in, i),
                                           accordi_rank_get(adding->format, inout, i)));
}

/* A NaN that no sum gives, in each format: the last bytes of it. */
static const char *none_of(const ranks *r)
{
    static const char none[] = "\xa5\x5a\xa5\x5a\xa5\x5a\xfd\xff";
    return none + sizeof none - 1 - r->bytes;
}

static void put_none(const ranks *r, size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++)
        memcpy(r->out + i * r->bytes, none_of(r), r->bytes);
}

static bool is_none(const ranks *r, const char *number)
{
    return memcmp(number, none_of(r), r->bytes) == 0;
}

/* The room behind the results holds ones; what is added there is 0 or, in place, the number of
 * ranks. */
static bool is_room_whole(const ranks *r)
{
    for (size_t i = 0; i < r->room; i++)
        if (accordi_rank_get(r->format, r->out, r->held + i) != 1)
            return false;
    return true;
}

/* ---- one call ---- */

static int reduce_scatter(const ranks *r, void *from, void *to)
{
    int length = (int)r->plan.length;
    if (!r->plan.collective->own_blocks)
        return MPI_Reduce_scatter_block(from, to, length, r->type, r->operation, MPI_COMM_WORLD);
    int *counts = accordi_calloc((size_t)r->all, sizeof *counts), code = MPI_ERR_NO_MEM;
    for (int k = 0; counts && k < r->all; k++)
        counts[k] = length;
    if (counts)
        code = MPI_Reduce_scatter(from, to, counts, r->type, r->operation, MPI_COMM_WORLD);
    free(counts);
    return code;
}

static int allreduce(const ranks *r, void *from, void *to)
{
    int rows = (int)r->rows;
    MPI_Request request;
    if (!r->plan.collective->at_once)
        return MPI_Allreduce(from, to, rows, r->type, r->operation, MPI_COMM_WORLD);
    MPI_Iallreduce(from, to, rows, r->type, r->operation, MPI_COMM_WORLD, &request);
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static int call_once(const ranks *r)
{
    void *from = r->in;
    int root = (int)r->plan.root, rows = (int)r->rows;
    put_none(r, 0, r->held);
    for (size_t i = 0; i < r->room; i++)
        accordi_rank_put(r->format, r->out, r->held + i, 1);
    if (r->plan.in_place) { /* in a reduction to one rank only there */
        memcpy(r->out, r->in, r->rows * r->bytes);
        if (r->plan.collective->holders != ACCORDI_MPI_ROOT || r->rank == root)
            from = MPI_IN_PLACE;
    }
    switch (r->plan.collective->holders) {
    case ACCORDI_MPI_ROOT:
        return MPI_Reduce(from, r->out, rows, r->type, r->operation, root, MPI_COMM_WORLD);
    case ACCORDI_MPI_OWNER:
        return reduce_scatter(r, from, r->out);
    case ACCORDI_MPI_LAST:
        return (r->plan.collective->excludes ? MPI_Exscan : MPI_Scan)(from, r->out, rows, r->type,
                                                                      r->operation, MPI_COMM_WORLD);
    default:
        return allreduce(r, from, r->out);
    }
}

/* Errors end the ranks by themselves, unless an MPI has been told otherwise. */
static void call(const ranks *r)
{
    char why[MPI_MAX_ERROR_STRING] = "", text[MPI_MAX_ERROR_STRING + 100];
    int code = call_once(r), length = 0;
    if (code == MPI_SUCCESS)
        return;
    MPI_Error_string(code, why, &length);
    snprintf(text, sizeof text, "the collective operation failed on rank %d: %.*s", r->rank, length,
             why);
    end_all(text);
}

static void sleep_for(uint64_t microseconds)
{
    struct timespec pause = {.tv_sec = (time_t)(microseconds / 1000000),
                             .tv_nsec = (long)(microseconds % 1000000) * 1000};
    nanosleep(&pause, NULL);
}

/* One rank, another one each time, comes late. */
static void wait_if_late(ranks *r)
{
    uint64_t late = accordi_rng_below(&r->rng, (uint64_t)r->all);
    uint64_t time = accordi_rng_below(&r->rng, r->plan.delay + 1);
    if (r->plan.delay && late == (uint64_t)r->rank)
        sleep_for(time);
}

/* The ranks come one after the other: upward; the first, and the others downward; downward; upward
 * from the middle. So there are different orders, with the first rank or the last as the first. */
static void wait_for_turn(ranks *r)
{
    int all = r->all, rank = r->rank;
    const int place[ACCORDI_TURNS] = {rank, rank ? all - rank : 0, all - 1 - rank,
                                      (rank + all / 2) % all};
    if (!r->plan.turns)
        return;
    MPI_Barrier(MPI_COMM_WORLD);
    sleep_for((uint64_t)place[r->calls++ % ACCORDI_TURNS] * r->plan.turns);
}

/* Calls before the first that counts, on terms that have other values. All are above 0, so no sum
 * is one of its terms. */
static void warm_up(ranks *r)
{
    for (size_t i = 0; i < r->plan.warm; i++) {
        for (size_t row = 0; row < r->rows; row++)
            accordi_rank_put(r->format, r->in, row, (double)(1 + i + (size_t)r->rank));
        call(r);
        for (size_t at = 0; r->plan.in_place && r->n > 1 && at < r->kept; at++)
            if (memcmp(r->out + at * r->bytes, r->in + at * r->bytes, r->bytes) == 0)
                r->kept = at;
    }
}

/* ---- a request ---- */

static void *make(size_t count, size_t bytes)
{
    void *made = accordi_calloc(count + 1, bytes);
    if (!made)
        end_all("out of memory");
    return made;
}

static bool begin(void *context, size_t sums, bool grid)
{
    ranks *r = context;
    r->sums = sums;
    r->positions = grid ? r->rows : 1;
    r->scatter = make((size_t)r->all * sums * r->positions, r->bytes);
    return true;
}

static bool take(void *context, size_t which, double *result)
{
    ranks *r = context;
    (void)result;
    for (size_t row = 0; row < r->positions; row++)
        for (size_t k = 0; k < r->n; k++) {
            size_t at = row * r->n + k;
            double term = r->format == ACCORD_F64 ? ((double *)r->terms)[at] : r->terms[at];
            accordi_rank_put(r->format, r->scatter, (k * r->sums + which) * r->positions + row,
                             term);
        }
    return true;
}

static void call_all(ranks *r)
{
    for (size_t p = 0; p < r->sums; p++) {
        const char *own = r->own + p * r->positions * r->bytes;
        for (size_t row = 0; row < r->rows; row++)
            memcpy(r->in + row * r->bytes, own + (r->positions > 1 ? row : 0) * r->bytes, r->bytes);
        wait_if_late(r);
        wait_for_turn(r);
        call(r);
        if (!is_room_whole(r))
            memset(r->results, 0, r->bytes);
        if (r->kept < r->held)
            put_none(r, r->kept, 1);
        memcpy(r->results + (1 + p * r->held) * r->bytes, r->out, r->held * r->bytes);
    }
}

/* ---- what the ranks hold ---- */

static size_t holders(const ranks *r)
{
    return r->plan.collective->holders == ACCORDI_MPI_ALL     ? (size_t)r->all
           : r->plan.collective->holders == ACCORDI_MPI_OWNER ? r->n
                                                              : 1;
}

/* The rank that has the part `i` of the results. */
static int holder(const ranks *r, size_t i)
{
    return r->plan.collective->holders == ACCORDI_MPI_ROOT   ? (int)r->plan.root
           : r->plan.collective->holders == ACCORDI_MPI_LAST ? r->all - 1
                                                             : (int)i;
}

/* Rank 0 gets what the ranks hold that have results; by messages, as in `tell`. */
static void gather(ranks *r)
{
    size_t bytes = 0, parts = holders(r);
    for (size_t i = 0; i < parts; i++) {
        int from = holder(r, i), length = 0;
        char *message = NULL;
        if (r->rank == from)
            message = accordi_held_message(r->format, r->results, 1 + r->sums * r->held, &bytes);
        if (r->rank == from && !message)
            end_all("out of memory");
        if (r->rank == from && from != 0) {
            MPI_Send(message, (int)bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
            free(message);
        } else if (r->rank == 0 && from != 0) {
            MPI_Status status;
            MPI_Probe(from, 0, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_BYTE, &length);
            message = make((size_t)length, 1);
            MPI_Recv(message, length, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            bytes = (size_t)length;
        }
        if (r->rank == 0)
            accordi_held_open(&r->gathered[i], r->format, message, bytes);
    }
}

/* Between beginning and end all ranks do this, for sums and positions that all know. */
static void answer(ranks *r)
{
    size_t each = r->sums * r->positions;
    r->own = make(each, r->bytes);
    r->results = make(1 + r->sums * r->held, r->bytes);
    memcpy(r->results, none_of(r), r->bytes);
    if (r->rank == 0)
        r->gathered = make(holders(r), sizeof *r->gathered);
    MPI_Scatter(r->scatter, (int)each, r->type, r->own, (int)each, r->type, 0, MPI_COMM_WORLD);
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
    const char *name = r->plan.collective->name, *many = r->held == 1 ? "" : "s";
    for (size_t i = 0; i < holders(r); i++) {
        accordi_held *h = &r->gathered[i];
        bool whole = is_none(r, h->value);
        accordi_held_pass(h, 1);
        size_t without = accordi_held_find(h, none_of(r));
        if (whole && without == SIZE_MAX)
            continue;
        int used = snprintf(text, sizeof text, "a wrong count: %s was called for %zu position%s, ",
                            name, r->held, many);
        if (!whole)
            snprintf(text + used, sizeof text - (size_t)used,
                     "and wrote beyond them into the memory of rank %d", holder(r, i));
        else
            snprintf(text + used, sizeof text - (size_t)used,
                     "and left position %zu of rank %d without a result", without % r->held,
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
    tell(request, sizeof request, r->rank, r->all);
    answer(r);
    bool good = check_counts(r);
    if (good && r->plan.collective->holders == ACCORDI_MPI_ALL)
        accordi_held_put_positions(r->gathered, holders(r), runs);
    else if (good)
        accordi_held_put_blocks(r->gathered, holders(r), r->sums, r->held, runs);
    for (size_t i = 0; i < holders(r); i++)
        free(r->gathered[i].message);
    free(r->scatter);
    free(r->gathered);
    r->scatter = NULL;
    r->gathered = NULL;
    return good;
}

/* ---- the ranks ---- */

static void open_format(ranks *r, const char *name)
{
    r->format = ACCORD_F32;
    accord_format_by_name(name, &r->format);
    bool wide = r->format == ACCORD_F64, narrow = !wide && r->format != ACCORD_F32;
    r->bytes = wide ? 8 : narrow ? 2 : 4;
    r->type = wide ? MPI_DOUBLE : narrow ? MPI_UINT16_T : MPI_FLOAT;
    r->operation = MPI_SUM;
    adding = r;
    if (narrow || r->plan.operation != ACCORDI_MPI_SUM)
        MPI_Op_create(add, r->plan.operation != ACCORDI_MPI_ORDERED, &r->operation);
}

static void open_ranks(ranks *r)
{
    r->rows = accordi_mpi_rows(&r->plan, r->n);
    r->held = r->plan.collective->holders == ACCORDI_MPI_OWNER ? r->plan.length : r->rows;
    r->room = r->held < MOST_ROOM ? r->held + LEAST_ROOM : MOST_ROOM;
    r->kept = r->held;
    r->in = make(r->rows + r->room, r->bytes); /* which is read, then, too */
    r->out = make(r->rows + r->room, r->bytes);
    accordi_rng_init(&r->rng, 1);
}

static void serve_others(ranks *r)
{
    warm_up(r);
    for (;;) {
        uint64_t request[2];
        tell(request, sizeof request, r->rank, r->all);
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
    snprintf(text + used, size - used, "; %d ranks", r->all);
}

static bool serve_accord(ranks *r)
{
    char text[400], how[120];
    size_t columns = accordi_mpi_columns(&r->plan, r->n);
    accordi_server server = {.n = r->n,
                             .rows = r->rows,
                             .results = r->rows * columns,
                             .window = WINDOW,
                             .f64 = r->format == ACCORD_F64,
                             .context = r,
                             .begin = begin,
                             .take = take,
                             .finish_runs = finish};
    server.terms = r->terms = make(r->rows * r->n, sizeof(double));
    describe(r, text, sizeof text);
    snprintf(how, sizeof how, "2 binary rows=%zu columns=%zu share=%s%s window=%d", r->rows,
             columns, r->rows > 1 ? "rows" : "none", columns > 1 ? " copies=columns" : "", WINDOW);
    accordi_serve_say(how, text);
    warm_up(r); /* which may hang, and then all ranks have begun */
    bool good = accordi_serve(&server);
    uint64_t end[2] = {0, 0};
    tell(end, sizeof end, r->rank, r->all);
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
    if ((size_t)r->all == accordi_mpi_ranks(&r->plan, r->n) && r->plan.root < (size_t)r->all)
        return true;
    if (r->plan.root >= (size_t)r->all)
        snprintf(text, sizeof text, "root=%zu is no rank: there are %d, counted from 0",
                 r->plan.root, r->all);
    else
        snprintf(
            text, sizeof text,
            "%d ranks were started, not the %zu that add %zu terms; see what the launcher does "
            "with -n",
            r->all, accordi_mpi_ranks(&r->plan, r->n), r->n);
    if (r->rank == 0)
        accordi_serve_say("1 refused", text);
    return false;
}

/* Rank 0 alone decides: launchers need not give all ranks the same variables. */
static bool check_parameters(const ranks *r)
{
    char text[300];
    int refused = r->rank == 0 && accordi_refused_parameter(text, sizeof text);
    if (refused)
        accordi_serve_say("1 refused", text);
    tell(&refused, sizeof refused, r->rank, r->all);
    return !refused;
}

int main(int count, char **word)
{
    ranks r = {.n = 0};
    char format[16] = "";
    accord_error error;
    bool good = false;
    MPI_Init(&count, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &r.all);
    r.n = count == 2 ? hear_greeting(r.rank, r.all, format) : 0;
    if (r.n == 0 && r.rank == 0)
        fputs("accord-mpi-worker is started by accord reveal mpi:COLLECTIVE\n", stderr);
    if (r.n && accordi_mpi_plan_read(word[1], &r.plan, &error) == ACCORD_OK && check_ranks(&r) &&
        check_parameters(&r)) {
        open_format(&r, format);
        open_ranks(&r);
        good = true;
        if (r.rank == 0)
            good = serve_accord(&r);
        else
            serve_others(&r);
        free(r.in);
        free(r.out);
    }
    MPI_Finalize();
    return good ? 0 : 1;
}
