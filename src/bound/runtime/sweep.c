/* One sweep over the tape, from a few outputs back to the beginning.
 *
 * In: nodes, each after its operands, and adjoints at some of them: how far the outputs move with
 * the number there. Out: for each output the sum of |adjoint| * spread over all nodes, and the same
 * for each site. Eight outputs are served at a time. Two levels of bits say which nodes are
 * pending, so that only those are visited that an output depends on. Invariant: operands have
 * smaller numbers, so the highest pending node is complete. */
#include "bound/runtime/tape.h"
#include <math.h>
#include <string.h>
#include <sys/mman.h>

static void *room(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

bool accordi_sweep_new(accordi_sweep *s, size_t count)
{
    *s = (accordi_sweep){.node = accordi_tape.node, .count = count};
    s->adjoint = room((count + 1) * sizeof *s->adjoint);
    s->pending = room((count / 64 + 2) * 8);
    s->summary = room((count / 4096 + 2) * 8);
    s->share = room(((size_t)accordi_site_count + 1) * sizeof *s->share);
    return s->adjoint && s->pending && s->summary && s->share;
}

static void mark_pending(accordi_sweep *s, size_t node)
{
    s->pending[node >> 6] |= UINT64_C(1) << (node & 63);
    s->summary[node >> 12] |= UINT64_C(1) << (node >> 6 & 63);
}

void accordi_sweep_seed(accordi_sweep *s, size_t node, const accordi_lanes *adjoint)
{
    s->adjoint[node] += *adjoint;
    mark_pending(s, node);
    s->top = node > s->top ? node : s->top;
}

/* The highest pending node not above `top`, which is no longer pending; 0: there is none. */
static size_t take_highest(accordi_sweep *s)
{
    for (size_t block = s->top >> 12;; block--) {
        while (s->summary[block]) {
            size_t word = block << 6 | (63 - (size_t)__builtin_clzll(s->summary[block]));
            if (s->pending[word]) {
                size_t bit = 63 - (size_t)__builtin_clzll(s->pending[word]);
                s->pending[word] &= ~(UINT64_C(1) << bit);
                return s->top = word << 6 | bit;
            }
            s->summary[block] &= ~(UINT64_C(1) << (word & 63));
        }
        if (block == 0)
            return 0;
    }
}

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

static void add_times(accordi_lanes *to, const accordi_lanes *adjoint, double partial)
{
    if (isfinite(partial))
        *to += *adjoint * partial;
    else
        add_infinite(to, adjoint, partial);
}

static void pass_on(accordi_sweep *s, const accordi_lanes *adjoint, uint32_t operand,
                    double partial)
{
    if (operand == 0 || partial == 0)
        return;
    add_times(&s->adjoint[operand], adjoint, partial);
    mark_pending(s, operand);
}

static void count_spread(accordi_sweep *s, const accordi_lanes *adjoint, const accordi_tape_node *n)
{
    accordi_lanes size = *adjoint;
    for (int i = 0; i < ACCORDI_LANES; i++)
        size[i] = fabs(size[i]);
    add_times(&s->share[n->site], &size, spread_of(n));
}

void accordi_sweep_run(accordi_sweep *s)
{
    static const accordi_lanes zero;
    for (size_t i; (i = take_highest(s));) {
        const accordi_tape_node *n = &s->node[i];
        accordi_lanes adjoint = s->adjoint[i];
        s->adjoint[i] = zero;
        s->visits++;
        if (n->site == ACCORDI_OLD_NODE) {
            uint64_t old;
            memcpy(&old, &n->partial[0], sizeof old);
            s->carry(old, &adjoint);
            continue;
        }
        if (n->spread)
            count_spread(s, &adjoint, n);
        pass_on(s, &adjoint, n->operand[0], n->partial[0]);
        pass_on(s, &adjoint, n->operand[1], n->partial[1]);
    }
    s->top = 0;
}
