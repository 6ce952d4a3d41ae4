/* The certificate: the tests that confirm a revealed tree. Internal; see certificate.c. */
#ifndef ACCORDI_CERTIFY_H
#define ACCORDI_CERTIFY_H

#include "reveal/answers.h"
#include "reveal/arithmetic/node_arithmetic.h"
#include "reveal/arithmetic/rivals.h"
#include "reveal/inputs/replays.h"
#include "reveal/probes/ask.h"
#include "reveal/prove/node_rounds.h"

typedef struct accordi_certificate {
    uint32_t nodes, confirmed; /* inner nodes; those whose every pair of children was probed */
    uint32_t sampled;          /* nodes of very many children, of which only some pairs were */
    size_t exchanged;  /* inputs whose products were exchanged to find the steps of a machine */
    bool exact_steps;  /* whose steps lose nothing in almost all of these inputs */
    size_t blocks;     /* that share scales, whose order was asked for by masks of these */
    bool exact_blocks; /* and whose products are added exactly */
    size_t repeats, repeats_agreed;
    size_t replays, replays_agreed;
    size_t exact, exact_of; /* of the plain replays, those that gave the correctly rounded sum */
    accord_arithmetic *arithmetic; /* the one that agrees most often; owned */
    bool other_zero;               /* some sums that are zero have not the model's sign */
    bool no_number; /* some sums that are too large are NaN, and infinite by the model */
    bool far;       /* replays agree, but products far below others count otherwise */
    bool too_large; /* replays agree, but sums that are too large are other than the model says */
    bool explained; /* all replays agree in it; else: */
    accordi_disagreement disagreement;
    uint64_t kinds; /* of the inputs that were replayed, as a set */
    accordi_findings findings;
    accordi_rivals rivals;                            /* models that differ in one parameter */
    char odd_node[sizeof((accord_error *)0)->text];   /* what some nodes do otherwise than most */
    char no_machine[sizeof((accord_error *)0)->text]; /* why fused sums are no machine's */
    char changed[160];                                /* what is done to each term first */
    accordi_rounds rounds;                            /* of nodes that were not asked one by one */
    uint64_t arithmetic_calls;
    int accumulator_bits; /* precision measured at one node; 0 unknown */
    uint8_t *wide;        /* per inner node: its sum enters the next unrounded (two_widths.c) … */
    int wide_precision;   /* … to so many bits; 0: no node's does */
    accord_answers answers;
    double replay_seconds; /* of random inputs, those of the answers included */
    char *orders;  /* those that hold for terms of different sizes, as the record has them */
    bool far_only; /* the order was not asked for near 1: the formats have no room for masks */
} accordi_certificate;
void accordi_certificate_clear(accordi_certificate *certificate);

/* Confirms every inner node of the tree by probes. A probe that contradicts the tree leaves
 * *holds false (that is no error). */
enum accord_status accordi_prove(accordi_asker *asker, const accord_tree *tree,
                                 accordi_certificate *out, bool *holds);

/* How many random inputs are replayed by default. */
size_t accordi_replays_due(size_t n);

/* The arithmetic at the nodes, random replays of it, the answers, and the width of one node. */
enum accord_status accordi_replay(accordi_asker *asker, const accord_tree *tree,
                                  accordi_certificate *out);

/* Whether the target gives what `how` gives at the edges of the range: where sums of products are
 * too large (NaN for infinity is no contradiction, as of complex numbers), or rounded to zero. */
typedef struct accordi_edges {
    bool large, small;
    bool no_number; /* some that are too large are NaN, not infinite */
} accordi_edges;
/* The target has no factors. */
enum accord_status accordi_edges_agree(accordi_asker *asker, const accord_tree *tree,
                                       const accord_arithmetic *how, accordi_edges *out);

/* The same for products that lie far below others, cancel, or are zero times a great number: there
 * steps of a machine part from additions. The target has no factors, and terms are products. */
enum accord_status accordi_far_agree(accordi_asker *asker, const accord_tree *tree,
                                     const accord_arithmetic *how, bool *agree);

/* Does the order depend on the values? Asked where a tree has fused nodes that replays do not
 * explain: beside a lone mask of either sign, terms below the quantum must vanish. */
enum accord_status accordi_sorts(accordi_asker *asker, bool *yes);

/* What is done to each term before it is added, that no model says: in words, "" if nothing is
 * found. Asked where a proven binary order does not replay with `how`, the best model. */
enum accord_status accordi_changed_terms(accordi_asker *asker, const accord_tree *tree,
                                         const accord_arithmetic *how, char *words, size_t size);

/* Is there another order where masks are near 1? Asked where a proven order does not replay. *other
 * (the caller's to free) is proven for masks of 2^*exponent, and is not `tree`; else NULL. *places:
 * how many sizes of masks the formats have room for. */
enum accord_status accordi_elsewhere(accordi_asker *asker, const accord_tree *tree,
                                     accord_tree **other, int *exponent, size_t *places);

/* Whether a unit comes through below so many masks, each of which covers the next one, 2^step times
 * smaller, and cancels: an exact sum keeps it, and one that carries a few errors along does not.
 * *yes where there is no room to tell. */
enum accord_status accordi_keeps_stairs(accordi_asker *asker, size_t *count, int *step, bool *yes);
/* Do ordinary numbers bear out that sums are exact (or independent of the order), or compensated?
 * *yes where it cannot be told. */
enum accord_status accordi_borne_out(accordi_asker *asker, enum accord_reason reason, bool *yes);

/* Are rounding errors carried along? Asked where a proven order does not replay, and its sums do
 * not keep more bits than sums in f64 seem to, if they are compensated too. */
enum { ACCORDI_LONGEST = 55 };
enum accord_status accordi_compensates(accordi_asker *asker, const accord_tree *tree,
                                       const accordi_certificate *certificate, bool *yes);

/* Are blocks of terms added plainly, and the errors of their sums carried along? Asked there too.
 * *blocks: how many there are; 0: no. */
enum accord_status accordi_carries(accordi_asker *asker, const accord_tree *tree, size_t *blocks);

#endif
