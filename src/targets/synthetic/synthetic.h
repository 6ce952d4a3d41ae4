/* Synthetic targets: sums whose order is known, for tests and for trying things out. Internal. */
#ifndef ACCORDI_SYNTHETIC_H
#define ACCORDI_SYNTHETIC_H

#include "model/line/line.h"
#include "pattern/orders.h"
#include <accord/fused.h>
#include <accord/target.h>

/* The kind, a row of the table of kinds. */
extern const accord_target_kind accordi_synthetic_kind;

/* Opens what stands after "synthetic:". `target` comes zeroed but for n and notation; kind,
 * state, format, storage_f32, wide_terms and output are filled. `options` may be NULL.
 * ACCORD_ARG for an unknown name or a bad parameter, ACCORD_UNSUPPORTED for a format that the
 * order cannot serve; on failure `target` is as it came. */
enum accord_status accordi_synthetic_open(accord_target *target, const char *name,
                                          const accord_target_options *options,
                                          accord_error *error);

/* A target of its own (accord_target_close) that adds along a copy of `tree`, terms in one format
 * and every node rounded to nearest even into another. Nodes of more than two children are fused
 * like those of `multiway`: see accordi_fuse. */
enum accord_status accordi_synthetic_from_tree(const accord_tree *tree, enum accord_format terms,
                                               enum accord_format accumulator, accord_target **out,
                                               accord_error *error);

enum accordi_tree_kind {
    ACCORDI_TREE_YULE,        /* a random permutation, split at uniformly random places */
    ACCORDI_TREE_UNIFORM,     /* every binary tree with labeled leaves equally likely (Remy) */
    ACCORDI_TREE_CATERPILLAR, /* sequential over a random permutation */
    ACCORDI_TREE_LANES,       /* strided lanes, a random number of them and a random fold */
    ACCORDI_TREE_MULTIWAY,    /* random nodes of 2 to 8 children over a random permutation */
    ACCORDI_TREE_CHAIN,       /* (w+1)-way nodes in a chain, w random in 2 … 16 */
    ACCORDI_TREE_BALANCED,    /* halves, over a random permutation */
    ACCORDI_TREE_KINDS
};

/* A random tree of n >= 1 leaves; the same generator state gives the same tree everywhere. */
enum accord_status accordi_random_tree(accordi_rng *rng, enum accordi_tree_kind kind, size_t n,
                                       accord_tree **out, accord_error *error);

/* ---- between the files of synthetic targets ---- */

/* Makers of random orders, and of those that pattern/orders.h has over a random permutation. */
accordi_order_maker accordi_order_caterpillar, accordi_order_yule, accordi_order_uniform,
    accordi_order_multiway, accordi_order_balanced;

typedef struct accordi_synthetic accordi_synthetic;
typedef struct accordi_lanes accordi_lanes;

/* Sums the n terms in s->x, in the accumulator format. */
typedef double accordi_synthetic_sum(accordi_synthetic *s);
accordi_synthetic_sum accordi_sum_kahan, accordi_sum_neumaier, accordi_sum_exact,
    accordi_sum_sorted, accordi_sum_sorted_magnitude, accordi_sum_shuffled, accordi_sum_lost,
    accordi_sum_twice, accordi_sum_nan, accordi_sum_machine;

struct accordi_synthetic {
    size_t n;
    accord_tree *tree; /* the true order, NULL if there is none */
    /* Of orders with settings beyond acc and out: then sums follow this; else NULL. */
    accord_arithmetic *arithmetic;
    enum accord_format terms, accumulator, output;
    size_t parameter;
    bool mean;                   /* the sum is divided by n */
    accordi_synthetic_sum *sum;  /* NULL: along the tree */
    const accord_fused *machine; /* else NULL */
    accordi_rng rng;             /* for shuffled */
    double *y;                   /* second factors, n entries; NULL where terms are no products */
    bool splits;                 /* machines: there are none, each term is split */
    const double *scale[2];      /* of the probe that is answered; NULL: all are 1 */
    double *x;                   /* the terms that now stand, n entries (or 2n - 1 with a tree) */
    double *scratch;             /* 2n entries, for sums that reorder or split */
    void *lanes;                 /* values of all nodes for many probes side by side */
};

/* The fused sum of count values already in `format`: each is cut, toward zero, to p fraction bits
 * below the exponent of the largest, p the precision of the format; the sum is exact and rounded
 * once to nearest even. Any value that is not finite gives what IEEE additions would. */
double accordi_fuse(enum accord_format format, const double *x, size_t count);

/* The tree of a dot product of n terms on a machine: a chain of steps, each scheme with its own
 * nodes. The first step has no sum so far. */
enum accord_status accordi_machine_tree(const accord_fused *machine, size_t n, accord_tree **out,
                                        accord_error *error);
/* What such a machine flushes, as bits of accord_flush. */
unsigned accordi_machine_flushes(const accord_fused *machine);
/* The operations of that tree's nodes, in place of those that `how` has, for the schemes
 * ACCORD_FUSED_LAST_FIRST and ACCORD_FUSED_EVEN_ODD, whose nodes are not all alike. */
enum accord_status accordi_machine_operations(const accord_fused *machine, const accord_tree *tree,
                                              accord_arithmetic *how, accord_error *error);

/* The sum of the terms (and second factors) that now stand, by s->arithmetic; all but the last
 * step: the result in its format. */
double accordi_synthetic_evaluate(accordi_synthetic *s);

/* Answers a batch, one probe after another. */
enum accord_status accordi_synthetic_run_each(accordi_synthetic *s, bool storage_f32,
                                              const accord_batch *batch, double *result,
                                              accord_error *error);

/* The same for batches of several probes along a tree in float or double; false where that is not
 * the case (nothing is written then). */
bool accordi_synthetic_run_lanes(accordi_synthetic *s, bool storage_f32, const accord_batch *batch,
                                 double *result);
void accordi_lanes_free(accordi_lanes *lanes); /* NULL is fine */

/* A term as the accumulator takes it, and the result that goes with a sum. */
double accordi_synthetic_load(const accordi_synthetic *s, double x);
double accordi_synthetic_finish(const accordi_synthetic *s, double sum);

/* ---- making them ---- */

/* What stands after the colon. */
enum accordi_argument {
    ACCORDI_ARGUMENT_NONE,
    ACCORDI_ARGUMENT_NUMBER, /* a whole number >= least, with a default */
    ACCORDI_ARGUMENT_TERM,   /* an index below n, by default the middle one */
};

/* A row of the table of orders. */
typedef struct accordi_synthetic_row {
    const char *name, *about;
    bool plain;                 /* a fixed tree of additions */
    accordi_order_maker *make;  /* either this, */
    accordi_synthetic_sum *sum; /* or, for what is no tree, this */
    enum accordi_argument kind;
    size_t least, usual; /* of ACCORDI_ARGUMENT_NUMBER */
    bool mean, wider;    /* divided by n; a wider accumulator */
} accordi_synthetic_row;
const accordi_synthetic_row *accordi_synthetic_by_name(const char *name); /* NULL: none */
/* The order or machine that a misspelled name stands for, or NULL. */
const char *accordi_synthetic_nearest(const char *word);

/* What a notation says; the words lie in `text`, which the maker of the wish frees. */
typedef struct accordi_wish {
    char *text;
    const char *name, *parameter, *fold; /* the latter two NULL when not given */
    size_t settings;                     /* how many */
    accordi_settings line;               /* those that models in one line have, too */
    bool mixed, has_tail, has_stored;
    enum accord_format tail, stored;
} accordi_wish;
/* Cuts r->text at its commas and its first colon, and fills the rest. */
enum accord_status accordi_wish_read(accordi_wish *r, accord_error *error);
/* The parameter that a row of n terms takes. */
enum accord_status accordi_wish_parameter(const accordi_synthetic_row *row, const accordi_wish *r,
                                          size_t n, size_t *out, accord_error *error);

/* What nodes without a label do; the formats are known. */
accordi_line_kind accordi_wish_kind(const accordi_synthetic *s, const accordi_wish *r);
/* Sets s->arithmetic where the wish has settings for it, or the order, whose tree is s->tree, has
 * labels (`order` is NULL for one without); formats are known. ACCORD_ARG for settings that
 * contradict each other or the order, ACCORD_UNSUPPORTED for what synthetic orders do not
 * compute. */
enum accord_status accordi_wish_arithmetic(accordi_synthetic *s, const accordi_wish *r,
                                           const accordi_order_line *order, accord_error *error);

/* A state for n terms with its memory; NULL when there is none. */
accordi_synthetic *accordi_synthetic_new(size_t n);
void accordi_synthetic_free(accordi_synthetic *s); /* NULL is fine */
/* Makes `target` one whose state is s, formats and all. */
void accordi_synthetic_settle(accord_target *target, accordi_synthetic *s);

#endif
