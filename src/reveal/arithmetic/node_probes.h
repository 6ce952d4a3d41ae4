/* What the files share that ask single nodes for their arithmetic. Internal; see node_arithmetic.c.
 */
#ifndef ACCORDI_NODE_PROBES_H
#define ACCORDI_NODE_PROBES_H

#include "reveal/probes/ask.h"
#include "reveal/probes/leaf_order.h"

enum { ACCORDI_NO_LEAF = ACCORD_TREE_NO_NODE };

/* A node and where it is asked. */
typedef struct accordi_probed_node {
    uint32_t node; /* k of node n + k */
    uint32_t child[2], leaf[2];
    uint32_t beside; /* a leaf that is not below it; ACCORDI_NO_LEAF for the root */
    accord_operation operation;
    bool leaf_child[2];
    bool unrounded[2]; /* the product at that child enters the sum unrounded */
    bool twice_fused;  /* a sum that takes such a product is rounded into f32 first */
    bool known;        /* its format and rounding are */
    bool twice;        /* its sum was rounded to 64 bits before */
    bool odd;          /* it answered like no known arithmetic */
} accordi_probed_node;

typedef struct accordi_node_finder {
    accordi_asker *asker;
    const accord_tree *tree;
    accordi_layout layout;
    accordi_probed_node *spot;
    uint32_t spots;
    uint32_t *index;           /* per inner node: its spot; UINT32_MAX: not asked */
    enum accord_format format; /* what operands are added or multiplied in */
    int product_precision;     /* of it */
    enum accord_rounding last; /* how the root's sum is rounded into the result */
} accordi_node_finder;

/* The precision of the format in which a node adds. */
static inline int accordi_node_precision(const accordi_probed_node *s)
{
    return accord_format_get(s->operation.format)->precision;
}

/* What a probe with A and B under a node and -A beside it made of B: the result less A. */
double accordi_node_reading(const accordi_node_finder *f, const accordi_probed_node *s,
                            size_t probe, double a);

/* In which format each node rounds its sum, and how; and in which format operands come. */
enum accord_status accordi_node_formats(accordi_node_finder *f);
enum accord_status accordi_node_operands(accordi_node_finder *f);

/* Which products enter the sums unrounded. */
enum accord_status accordi_node_products(accordi_node_finder *f);

/* Which nodes add in a wider format than the one that they round into. Needs all of the above. */
enum accord_status accordi_node_widths(accordi_node_finder *f);

/* Of a node that adds in a wide format and stores in a narrower one: how it rounds into the wide
 * one, where the formats have room to show it. The operation holds the rounding that was seen.
 * `below`: two leaves whose wide sum a child brings exactly; `other`: one under the other child. */
typedef struct accordi_twice {
    enum accord_rounding first;
    bool known;
} accordi_twice;
enum accord_status accordi_node_twice(accordi_node_finder *f, const accordi_probed_node *s,
                                      const uint32_t below[2], uint32_t other, accordi_twice *out);

/* Which nodes of narrow formats are `twice_fused`. */
enum accord_status accordi_node_fused_ties(accordi_node_finder *f);

#endif
