/* The arithmetic at the nodes of a proven order, found by probes. Internal; see
 * node_arithmetic.c. */
#ifndef ACCORDI_ARITHMETIC_H
#define ACCORDI_ARITHMETIC_H

#include "reveal/probes/ask.h"

/* What was asked for an arithmetic. */
typedef struct accordi_findings {
    uint32_t probed; /* inner nodes asked one by one; the others follow the rule of their kind */
    uint32_t odd;    /* of those, nodes that answered like no known arithmetic */
    uint32_t twice;  /* that round to the 64 bits of x87, and then to their format */
} accordi_findings;

/* Finds the operation of every inner node of a binary tree of values or products: of each by
 * probes if there are at most `budget`, else of a sample; with `parts`, also of the nodes with
 * which large parts of the tree end. *out is NULL (no error) where nodes of more than two children,
 * other terms or the range of the format leave nothing to ask. The factors of the target are
 * neutral (ask.h) before and after. */
enum accord_status accordi_arithmetic(accordi_asker *asker, const accord_tree *tree,
                                      uint32_t budget, bool parts, accordi_findings *findings,
                                      accord_arithmetic **out);

/* The leaf of node k that a fused multiply-add can take, 0 or 1: of two leaves the one that
 * `of_two` says; -1 where there is none, or the node has not two children. */
int accordi_leaf_to_fuse(const accord_tree *tree, uint32_t k, int of_two);

/* Takes operations, one a node, into a table of the different ones. ACCORD_UNSUPPORTED when there
 * are more than 255. */
enum accord_status accordi_arithmetic_tabulate(accordi_asker *asker, const accord_tree *tree,
                                               const accord_operation *of_node,
                                               accord_arithmetic *inout);

#endif
