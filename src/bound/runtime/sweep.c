/* One sweep over the tape, from a few outputs back to the beginning.
 *
 * In: nodes, each after its operands, and adjoints at some of them: how far the outputs move with
 * the number there. Out: for each output the sum of |adjoint| * spread over all nodes, and the same
 * for each site. Eight outputs are served at a time.
 *
 * Only nodes that an output depends on are visited, and only they have an adjoint, from the first
 * that arrives until the visit. Then its place is given to the next that needs one, so the places
 * in use are few, and near each other. Bits say which groups of nodes have any. Invariant: operands
 * have smaller numbers, so the highest node with an adjoint is complete. */
#include "bound/runtime/tape.h"
#include <math.h>
#include <string.h>
#include <sys/mman.h>

enum { GROUP = 16 }; /* nodes to a bit: their places fill a line of the cache */

static void *room(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    madvise(p, bytes, MADV_HUGEPAGE);
    return p;
}

bool accordi_sweep_new(accordi_sweep *s, size_t count)
{
    *s = (accordi_sweep){.node = accordi_tape.node, .count = count};
    s->place = room((count + GROUP) * sizeof *s->place);
    s->busy = room((count / (64 * GROUP) + 1) * sizeof *s->busy);
    s->adjoint = room((count + 1) * sizeof *s->adjoint);
    s->share = room(((size_t)accordi_site_count + 1) * sizeof *s->share);
    return s->place && s->busy && s->adjoint && s->share;
}

/* ---- places ---- */

/* A vacant place holds the number of the one that was vacant before it. */
static inline void give_back(accordi_sweep *s, uint32_t place)
{
    memcpy(&s->adjoint[place], &s->vacant, sizeof s->vacant);
    s->vacant = place;
}

static inline uint32_t take(accordi_sweep *s, size_t node)
{
    uint32_t place = s->vacant;
    if (place)
        memcpy(&s->vacant, &s->adjoint[place], sizeof s->vacant);
    else
        place = ++s->used;
    s->place[node] = place;
    s->busy[node / (64 * GROUP)] |= UINT64_C(1) << (node / GROUP % 64);
    return place;
}

/* ---- adjoints ---- */

static double spread_of(const accordi_tape_node *n)
{
    uint64_t bits = (uint64_t)n->spread << 32;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Where nothing arrives, an infinite derivative changes nothing. */
static __attribute__((noinline)) void add_infinite(accordi_lanes *to, const accordi_lanes *adjoint,
                                                   double partial)
{
    for (int i = 0; i < ACCORDI_LANES; i++)
        if ((*adjoint)[i] != 0)
            (*to)[i] += (*adjoint)[i] * partial;
}

static inline void pass_on(accordi_sweep *s, const accordi_lanes *adjoint, size_t node,
                           double partial)
{
    static const accordi_lanes zero;
    if (node == 0 || partial == 0)
        return;
    uint32_t place = s->place[node];
    accordi_lanes *to = &s->adjoint[place ? place : take(s, node)];
    if (__builtin_expect(!isfinite(partial), 0)) {
        *to = place ? *to : zero;
        add_infinite(to, adjoint, partial);
    } else if (place) {
        *to += *adjoint * partial;
    } else {
        *to = *adjoint * partial;
    }
}

void accordi_sweep_seed(accordi_sweep *s, size_t node, const accordi_lanes *adjoint)
{
    pass_on(s, adjoint, node, 1);
    s->top = node > s->top ? node : s->top;
}

static inline void count_spread(accordi_sweep *s, const accordi_lanes *adjoint,
                                const accordi_tape_node *n)
{
    double spread = spread_of(n);
    accordi_lanes size = *adjoint;
    for (int i = 0; i < ACCORDI_LANES; i++)
        size[i] = fabs(size[i]);
    if (isfinite(spread))
        s->share[n->site] += size * spread;
    else
        add_infinite(&s->share[n->site], &size, spread);
}

static void carry(accordi_sweep *s, const accordi_lanes *adjoint, const accordi_tape_node *n)
{
    uint64_t old;
    memcpy(&old, &n->partial[0], sizeof old);
    s->carry(old, adjoint);
}

static inline void visit(accordi_sweep *s, size_t i)
{
    const accordi_tape_node *n = &s->node[i];
    const uint32_t place = s->place[i];
    const accordi_lanes *adjoint = &s->adjoint[place];
    s->place[i] = 0;
    s->visits++;
    if (n->site == ACCORDI_OLD_NODE) {
        carry(s, adjoint, n);
    } else {
        if (n->spread)
            count_spread(s, adjoint, n);
        pass_on(s, adjoint, n->operand[0], n->partial[0]);
        pass_on(s, adjoint, n->operand[1], n->partial[1]);
        pass_on(s, adjoint, n->operand[2], (double)n->third);
    }
    give_back(s, place);
}

/* ---- the way back ---- */

/* Operands and their adjoints lie anywhere, and most of the time would be spent waiting for them:
 * where one group after the other is visited, memory is asked for them ahead, step by step.
 * (Inlined, or gcc 12 drops them.) */
static inline __attribute__((always_inline)) void ask_for_places(const accordi_sweep *s,
                                                                 size_t group)
{
    for (size_t i = group * GROUP; i < (group + 1) * GROUP; i++)
        for (int k = 0; k < 3; k++)
            __builtin_prefetch(&s->place[s->node[i].operand[k]]);
}

static inline __attribute__((always_inline)) void ask_for_adjoints(const accordi_sweep *s,
                                                                   size_t group)
{
    for (size_t i = group * GROUP; i < (group + 1) * GROUP; i++)
        for (int k = 0; k < 3; k++)
            __builtin_prefetch(&s->adjoint[s->place[s->node[i].operand[k]]]);
}

static inline __attribute__((always_inline)) void ask_for_nodes(const accordi_sweep *s,
                                                                size_t group)
{
    const char *at = (const char *)&s->node[group * GROUP];
    for (size_t i = 0; i < GROUP * sizeof *s->node; i += 64)
        __builtin_prefetch(at + i);
}

enum { NODES_AHEAD = 6, PLACES_AHEAD = 4, ADJOINTS_AHEAD = 2, CLOSE = 4 };

/* Operands lie in the same group, and are visited next, or below it. */
static inline void visit_group(accordi_sweep *s, size_t group)
{
    for (size_t i = (group + 1) * GROUP; i-- > group * GROUP;)
        if (s->place[i])
            visit(s, i);
}

static inline void ask_ahead(const accordi_sweep *s, size_t group)
{
    if (group < NODES_AHEAD)
        return;
    ask_for_nodes(s, group - NODES_AHEAD);
    ask_for_places(s, group - PLACES_AHEAD);
    ask_for_adjoints(s, group - ADJOINTS_AHEAD);
}

#if defined __x86_64__ && defined __GLIBC__
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
void accordi_sweep_run(accordi_sweep *s)
{
    size_t close = 0, last = 0; /* how many groups were neighbors */
    for (size_t word = s->top / (64 * GROUP) + 1; word-- > 0;)
        while (s->busy[word]) {
            size_t bit = 63 - (size_t)__builtin_clzll(s->busy[word]), group = word * 64 + bit;
            close = last == group + 1 ? close + 1 : 0;
            last = group;
            if (close > CLOSE)
                ask_ahead(s, group);
            visit_group(s, group);
            s->busy[word] &= ~(UINT64_C(1) << bit);
        }
    s->top = 0;
}
