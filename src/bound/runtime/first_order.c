/* First-order spreads: which outputs get a sweep, and the records of what came out.
 *
 * Outputs that cannot move have spread 0. The others are served eight at a time, neighbors
 * together. If there are more than the work allows, batches are taken from all over the run. A
 * sweep of a segment takes what later segments, or the outputs, send to its nodes, and leaves for
 * earlier ones what belongs there; segments.c goes from one to the next. */
#include "bound/runtime/first_order.h"
#include "bound/runtime/records.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST_OUTPUTS = 1 << 20 };
#define LOST UINT64_MAX

static uint64_t *left; /* the node of each output */
static uint64_t outputs;
static const char *stopped;
static uint64_t capacity; /* nodes */

/* ---- recording ---- */

static void *room(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

/* What is recorded from now on is overwritten again and again. */
void accordi_tape_stop(const char *why)
{
    static accordi_tape_node spare[2 * ACCORDI_TAPE_ROOM];
    stopped = stopped ? stopped : why;
    accordi_tape.before = 0;
    accordi_tape.node = spare;
    accordi_tape.next = spare + 1;
    accordi_tape.end = spare + ACCORDI_TAPE_ROOM;
}

void accordi_tape_full(void)
{
    if (stopped || accordi_tape.node) {
        if (!stopped)
            accordi_segment_cut();
        if (stopped)
            accordi_tape.next = accordi_tape.node + 1;
        return;
    }
    uint64_t limit = setting("ACCORD_BOUND_TAPE", UINT64_C(1) << 30);
    capacity = limit / ACCORDI_BYTES_OF_NODE;
    capacity = capacity < 4 * ACCORDI_TAPE_ROOM ? 4 * ACCORDI_TAPE_ROOM
               : capacity > UINT32_MAX - 1      ? UINT32_MAX - 1
                                                : capacity;
    accordi_segment_start(capacity);
}

uint32_t accordi_tape_old(uint64_t node)
{
    accordi_tape_node *n = accordi_tape.next++;
    *n = (accordi_tape_node){.site = ACCORDI_OLD_NODE};
    memcpy(&n->partial[0], &node, sizeof node);
    return stopped ? 0 : (uint32_t)(n - accordi_tape.node);
}

void accordi_tape_output(uint64_t output, bool lost)
{
    if (!accordi_taped || output >= MOST_OUTPUTS)
        return;
    if (!left)
        left = room(MOST_OUTPUTS * sizeof *left);
    if (left) {
        left[output] = lost ? LOST : accordi_tape.leaving;
        outputs = output + 1;
    }
    accordi_tape.leaving = 0;
}

/* ---- batches ---- */

static uint64_t *asked; /* outputs that can move */
static uint64_t asked_count;

static uint64_t batches_of_all(void)
{
    return (asked_count + ACCORDI_LANES - 1) / ACCORDI_LANES;
}

static uint64_t common_factor(uint64_t a, uint64_t b)
{
    for (uint64_t rest; b; b = rest) {
        rest = a % b;
        a = b;
    }
    return a;
}

/* Batch i of the work is this one of the run: a stride without common factors spreads them. */
static uint64_t nth_batch(uint64_t i)
{
    uint64_t n = batches_of_all(), stride = n * 5 / 8 + 1;
    while (common_factor(n, stride) != 1)
        stride++;
    return i * stride % n;
}

static void ask(uint64_t most)
{
    asked = room((outputs + 1) * sizeof *asked);
    for (uint64_t i = 0; asked && i < outputs; i++)
        if (left[i] == 0)
            accordi_put_first(i, 0);
        else if (left[i] != LOST)
            asked[asked_count++] = i;
    asked_count = asked_count > most ? most : asked_count;
}

/* The outputs of a batch are what it starts with. */
static void seed_batches(accordi_stream *out, uint64_t batches)
{
    for (uint64_t b = 0; b < batches; b++)
        for (uint64_t k = 0, at; k < ACCORDI_LANES; k++) {
            at = nth_batch(b) * ACCORDI_LANES + k;
            accordi_carried c = {.batch = b};
            if (at >= asked_count)
                break;
            c.node = left[asked[at]];
            c.adjoint[k] = 1;
            accordi_stream_put(out, &c, sizeof c);
        }
}

/* ---- one segment ---- */

static accordi_stream *carry_to;
static uint64_t carry_batch;

static void carry(uint64_t node, const accordi_lanes *adjoint)
{
    accordi_carried c = {.node = node, .batch = carry_batch};
    memcpy(c.adjoint, adjoint, sizeof c.adjoint);
    accordi_stream_put(carry_to, &c, sizeof c);
}

static void arrive(accordi_sweep *s, const accordi_carried *c)
{
    accordi_lanes adjoint;
    memcpy(&adjoint, c->adjoint, sizeof adjoint);
    if (c->node > accordi_tape.before)
        accordi_sweep_seed(s, (size_t)(c->node - accordi_tape.before), &adjoint);
    else
        carry(c->node, &adjoint);
}

/* What moves because an input does is no rounding: it is not in the totals. */
static bool is_input(uint64_t site)
{
    return strncmp(accordi_sites[site].kind, "input ", 6) == 0;
}

static void put_shares(accordi_sweep *s, uint64_t batch, accordi_stream *out, double *total)
{
    for (uint32_t site = 0; site < accordi_site_count; site++) {
        accordi_share share = {.batch = batch, .site = site};
        bool any = false;
        memcpy(share.part, &s->share[site], sizeof share.part);
        for (unsigned k = 0; k < ACCORDI_LANES; k++) {
            total[batch * ACCORDI_LANES + k] += is_input(site) ? 0 : share.part[k];
            any |= share.part[k] != 0;
        }
        if (any)
            accordi_stream_put(out, &share, sizeof share);
    }
    memset(s->share, 0, accordi_site_count * sizeof *s->share);
}

uint64_t accordi_segment_sweep(const accordi_segment_files *f, uint64_t batches, uint64_t work)
{
    accordi_sweep s;
    accordi_carried c;
    size_t count = (size_t)(accordi_tape.next - accordi_tape.node);
    if (!accordi_sweep_new(&s, count))
        return 0;
    s.carry = carry;
    carry_to = f->out;
    bool more = accordi_stream_get(f->in, &c, sizeof c);
    uint64_t b = 0;
    for (; b < batches && s.visits < work; b++) {
        carry_batch = b;
        for (; more && c.batch == b; more = accordi_stream_get(f->in, &c, sizeof c))
            arrive(&s, &c);
        accordi_sweep_run(&s);
        put_shares(&s, b, f->shares, f->total);
    }
    return b;
}

/* ---- the end ---- */

static void put_records(const accordi_segment_files *f, uint64_t batches)
{
    accordi_share share;
    for (uint64_t b = 0; b < batches; b++)
        for (uint64_t k = 0; k < ACCORDI_LANES; k++) {
            uint64_t at = nth_batch(b) * ACCORDI_LANES + k;
            double total = f->total[b * ACCORDI_LANES + k];
            if (at < asked_count)
                accordi_put_first(asked[at], isfinite(total) ? total : (double)NAN);
        }
    while (accordi_stream_get(f->shares, &share, sizeof share))
        for (uint64_t k = 0; k < ACCORDI_LANES; k++)
            if (share.batch < batches && (share.part[k] > 0 || isnan(share.part[k])) &&
                (isfinite(share.part[k]) || is_input(share.site)))
                accordi_put_share(asked[nth_batch(share.batch) * ACCORDI_LANES + k],
                                  (uint32_t)share.site, share.part[k]);
}

static const char *sweep_all(uint64_t most, uint64_t work)
{
    accordi_segment_files f;
    ask(most);
    uint64_t all = batches_of_all(), batches = all;
    if (!asked || !accordi_segment_files_new(&f, batches * ACCORDI_LANES))
        return "there is no memory for the sweeps";
    bool cut = accordi_tape.before > 0;
    if (cut && work < UINT64_MAX) {
        uint64_t nodes = accordi_tape.before + capacity;
        batches = work / nodes < batches ? work / nodes : batches;
        batches += batches == 0 && all > 0;
    }
    seed_batches(f.out, batches);
    accordi_stream_turn(&f);
    batches = accordi_segment_sweep(&f, batches, cut ? UINT64_MAX : work);
    const char *why = accordi_segments_before(&f, batches);
    if (why)
        return why;
    accordi_stream_rewind(f.shares);
    put_records(&f, batches);
    return batches < all || asked_count == most
               ? "sweeps for all numbers take longer; --first-order N asks for N of them"
               : NULL;
}

static uint64_t nodes_of_run(void)
{
    if (stopped || !accordi_tape.node)
        return 0;
    return accordi_tape.before + (uint64_t)(accordi_tape.next - accordi_tape.node) - 1;
}

void accordi_tape_end(bool briefly)
{
    static const uint64_t brief = 50000000, usual = 200000000; /* nodes to visit */
    uint64_t most = setting("ACCORD_BOUND_FIRST_ORDER", UINT64_MAX), nodes = nodes_of_run();
    uint64_t work = briefly ? brief : most < UINT64_MAX ? UINT64_MAX : usual;
    uint64_t held = nodes < capacity ? nodes : capacity, segments = accordi_segments();
    if (briefly && segments > 1)
        accordi_tape_stop("the program did not end by itself");
    const char *why = stopped;
    if (!stopped && outputs)
        why = sweep_all(most, work);
    accordi_put_tape(nodes, held * ACCORDI_BYTES_OF_NODE, segments, why);
}
