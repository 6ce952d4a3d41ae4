/* The tape: how far numbers move to first order, and which lines move them. Internal.
 *
 * Every operation on a number that can move gets a node: its partial derivatives at the values of
 * this run, and its *spread*, the distance to the farthest result that the model allows with these
 * operands. At the end, one sweep from an output back to the beginning adds up |d output / d
 * operation| * spread over all nodes (sweep.c). That is an estimate: roundings further on change
 * too, and decisions are not differentiated. Numbers that cannot move have node 0.
 *
 * A mark (shadow.h) goes with each value: its node and, of a product, what rounding left out. The
 * product as it enters a sum unrounded is the value plus this rest. Marks lie in memory beside the
 * slots of shadows and count where those do.
 *
 * Nodes are numbered through the whole run. The tape holds those of one segment (segments.c):
 * number `before` + i is at node[i]. */
#ifndef ACCORDI_TAPE_H
#define ACCORDI_TAPE_H

#include "bound/runtime/shadow.h"
#include <accord/bound.h>

typedef struct accordi_tape_node {
    double partial[2];
    uint32_t operand[3]; /* in this segment; 0: none */
    float third;         /* the partial derivative by the third operand, 1 or -1 */
    uint32_t spread;     /* the upper half of a double */
    uint32_t site;
} accordi_tape_node;

/* Of a number from an earlier segment, which has no operands: partial[0] holds its bits. */
#define ACCORDI_OLD_NODE UINT32_MAX

/* One operation makes less than this many nodes; `end` leaves room for them. */
enum { ACCORDI_TAPE_ROOM = 16 };

typedef struct accordi_tape_state {
    accordi_tape_node *node, *next, *end;
    uint64_t before;
    uint64_t leaving; /* the node of the number that leaves the program next */
} accordi_tape_state;
extern accordi_tape_state accordi_tape;

/* Behind the factors, and what makes shadows wide. */
static inline accordi_mark *accordi_mark_at(char *chunk, const void *p)
{
    size_t more = accordi_model & ACCORDI_WIDE ? 12 * ACCORDI_CHUNK + 64 : 0;
    return (accordi_mark *)(chunk + 12 * ACCORDI_CHUNK + 128 + more) + accordi_granule(p);
}

/* ---- tape.c ---- */

/* There is no room for the nodes of another operation. */
void accordi_tape_full(void);
/* The node of this segment that stands for one of an earlier segment. */
uint32_t accordi_tape_old(uint64_t node);
/* The spread under models that change more than products in sums; x and y are what the operands
 * add to the result to first order. */
double accordi_tape_looser(double spread, double r, double x, double y, bool narrow);
/* Partial derivatives of an elementary function (accord_bound_operation), NaN if they are not
 * known; and how far libraries may be from its value. */
void accordi_tape_partials(uint32_t function, double x, double y, double r, double partial[2]);
/* The same for an accordi_libm_function. */
void accordi_tape_libm_partials(uint32_t what, double x, double y, double r, double partial[2]);
double accordi_tape_function_spread(uint32_t function, double r, bool narrow);
/* complex_tape.c: what accordi_complex (slow.h) computes, of z and, where it takes two numbers, w.
 */
void accordi_tape_complex(accordi_mark *re, accordi_mark *im, const accordi_mark *a,
                          const accordi_mark *b, const accordi_mark *c, const accordi_mark *d,
                          double z_re, double z_im, double w_re, double w_im, double r_re,
                          double r_im, uint32_t what, uint32_t site, uint32_t width);
/* Output number `output` left the program: notes accordi_tape.leaving. */
void accordi_tape_output(uint64_t output, bool lost);
/* The program ends: sweeps, and writes records. `briefly`: after a signal. */
void accordi_tape_end(bool briefly);
/* The tape is of no use any more. */
void accordi_tape_stop(const char *why);

/* ---- sweep.c ---- */

enum { ACCORDI_LANES = 8 }; /* outputs that one sweep serves */
typedef double accordi_lanes __attribute__((vector_size(8 * ACCORDI_LANES)));

typedef struct accordi_sweep {
    const accordi_tape_node *node;
    size_t count;    /* nodes, with node 0 */
    uint32_t *place; /* of each node, where its adjoint is; 0: nothing has arrived there */
    uint64_t *busy;  /* a bit for each group of nodes, of which some have an adjoint */
    size_t top;      /* no node above it has one */
    accordi_lanes *adjoint;
    uint32_t vacant, used; /* the place to be taken next, and how many were ever taken */
    accordi_lanes *share;  /* what each site adds to the outputs */
    uint64_t visits;
    /* What arrives at a number from an earlier segment. */
    void (*carry)(uint64_t node, const accordi_lanes *adjoint);
} accordi_sweep;
/* False: there is no memory. */
bool accordi_sweep_new(accordi_sweep *s, size_t count);
void accordi_sweep_seed(accordi_sweep *s, size_t node, const accordi_lanes *adjoint);
void accordi_sweep_run(accordi_sweep *s);
/* Bytes for each node, all in all. */
enum { ACCORDI_BYTES_OF_NODE = sizeof(accordi_tape_node) + 4 + sizeof(accordi_lanes) + 1 };

#endif
