/* The summation tree: which partial sums an implementation forms.
 *
 * A tree is held in flat arrays and has up to 2^31 - 1 leaves; no function uses recursion. Nodes
 * 0 … n-1 are the leaves (the terms), and n … n+m-1 are the inner nodes. A binary node is one
 * addition, and a node of k > 2 children is one fused sum.
 * The canonical form is unique: the children of a node are ordered by the smallest leaf under
 * each, and the inner nodes are numbered in post-order, so children come before parents and the
 * root is the last node. Two trees are equal exactly if their arrays are. Every tree that this
 * library hands out is canonical. */
#ifndef ACCORD_TREE_H
#define ACCORD_TREE_H

#include <accord/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ACCORD_TREE_MAX_LEAVES 2147483647u
#define ACCORD_TREE_NO_NODE UINT32_MAX

/* Fixed layout. */
typedef struct accord_tree {
    uint32_t leaves;       /* n >= 1 */
    uint32_t inner;        /* m; 0 exactly if n = 1, at most n - 1 */
    const uint32_t *first; /* m+1 entries: the children of node n+k are … */
    const uint32_t *child; /* … child[first[k]] to child[first[k+1]-1]; n+m-1 entries (0 if n=1) */
} accord_tree;

/* Builds the canonical tree from the parent of each node, in any numbering of the inner nodes.
 *   leaves, inner: the numbers of nodes of each kind; leaves >= 1.
 *   parent: leaves+inner entries; ACCORD_TREE_NO_NODE for the root, and for no other node. With
 *     leaves = 1, inner is 0 and parent[0] is ACCORD_TREE_NO_NODE.
 * ACCORD_ARG, with the offending node in the text, if the parents are not a tree (cycle, two roots,
 * a leaf as a parent, an inner node with fewer than two children, out of range); ACCORD_NOMEM.
 * Time O(n). The tree is the caller's: accord_tree_free. */
ACCORD_API enum accord_status accord_tree_from_parents(size_t leaves, size_t inner,
                                                       const uint32_t *parent, accord_tree **out,
                                                       accord_error *error);

/* NULL is fine. */
ACCORD_API void accord_tree_free(accord_tree *tree);

/* Writes the parent of each of the leaves+inner nodes (ACCORD_TREE_NO_NODE for the root). */
ACCORD_API void accord_tree_parents(const accord_tree *tree, uint32_t *parent);

/* Writes the number of leaves under each of the `inner` inner nodes. */
ACCORD_API void accord_tree_sizes(const accord_tree *tree, uint32_t *size);

/* Returns ACCORD_OK if every invariant above holds, including the canonical form; otherwise
 * ACCORD_ARG, and the error names the node. This is for trees that were not made by this library
 * (its own trees pass), and for tests. */
ACCORD_API enum accord_status accord_tree_check(const accord_tree *tree, accord_error *error);

/* Makes the tree that remains when only the given leaves are kept (count >= 1, strictly ascending).
 * Leaf kept[i] becomes leaf i, and nodes that have only one child left disappear. */
ACCORD_API enum accord_status accord_tree_restrict(const accord_tree *tree, size_t count,
                                                   const uint32_t *kept, accord_tree **out,
                                                   accord_error *error);

ACCORD_API bool accord_tree_equal(const accord_tree *a, const accord_tree *b);

/* How two trees of the same number of leaves differ. Fixed layout. */
typedef struct accord_tree_difference {
    uint32_t node;     /* the first inner node of a (in a's post-order) that b does not have */
    uint32_t size;     /* leaves under it */
    uint32_t smallest; /* its smallest leaf */
    uint32_t other;    /* the smallest node of b that contains all its leaves */
} accord_tree_difference;

/* Sets *differ to whether the trees differ. Both must have the same number of leaves, so compare
 * a->leaves with b->leaves first: otherwise *differ becomes false and nothing else is written. If
 * all nodes of a are nodes of b (b is finer), the roles are swapped: *swapped is true, and
 * out->node is a node of b. Time O(n). ACCORD_NOMEM. */
ACCORD_API enum accord_status accord_tree_diff(const accord_tree *a, const accord_tree *b,
                                               bool *differ, bool *swapped,
                                               accord_tree_difference *out, accord_error *error);

/* Writes the canonical brackets: leaf i is its number in decimal, an inner node is "(c0+c1+…)", and
 * there are no spaces and no newline. `sink` gets the text in pieces; if it returns false, writing
 * stops with ACCORD_IO. */
typedef bool accord_sink(void *context, const char *text, size_t length);
ACCORD_API enum accord_status accord_tree_write_brackets(const accord_tree *tree, accord_sink *sink,
                                                         void *context, accord_error *error);

#define ACCORD_FINGERPRINT_SIZE 33
/* Writes the fingerprint of an order: the first 32 hexadecimal digits of the SHA-256 of its
 * canonical brackets followed by one newline, and a final zero. It is the same on every machine and
 * in every version; the output of `accord show --output text FILE | sha256sum` begins with it. */
ACCORD_API enum accord_status accord_tree_fingerprint(const accord_tree *tree,
                                                      char out[ACCORD_FINGERPRINT_SIZE],
                                                      accord_error *error);

#ifdef __cplusplus
}
#endif
#endif
