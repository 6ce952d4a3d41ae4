/* The pattern of a tree: what is regular about it.
 *
 * Two subtrees have one shape if one becomes the other when a constant is added to its leaves. A
 * pattern holds each shape of a tree once, as a node in a list, and a chain as one node however
 * long it is (otherwise each of its partial sums would be a shape of its own). The order of a
 * numerical library over 10^7 terms has some dozens of nodes.
 *
 * The nodes of the tree may have labels: numbers that say what is done at each of them, whose
 * meaning is the caller's. Then two subtrees have one shape only if their labels are the same too.
 *
 * The list is canonical: it is a function of the tree and its labels alone, two subtrees have the
 * same node number if and only if they have the same shape, and accord_pattern_tree gives back the
 * tree that the pattern was made of. So two trees are equal if and only if their patterns are equal
 * node by node.
 *
 * All functions may be called from several threads at once; a pattern never changes. */
#ifndef ACCORD_PATTERN_H
#define ACCORD_PATTERN_H

#include <accord/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where one shape is found within another: `shift` is the smallest leaf of the part minus the
 * smallest leaf of the whole. Fixed layout. */
typedef struct accord_pattern_part {
    uint32_t node; /* the shape: a smaller number than that of the whole */
    uint32_t shift;
} accord_pattern_part;

/* A shape. What it means depends on `steps`:
 *   0   a leaf; no parts;
 *   1   a node: its children are the parts, in the order of their shifts, the first one at 0;
 *   >1  a run, that is, a chain of `steps` nodes with one label. Part 0 is what the chain starts
 *       from. The other parts (one, or more where the nodes are fused sums) are what the first node
 *       adds to it. If a chain of two steps consists of three equal shapes, it is a run only if
 *       these are at equal distances; otherwise it is two nodes.
 * Node number i, counted from 0, adds the same shapes at their shifts plus i * stride. `stride` is
 * negative where the chain runs toward the first term. Which operand of a node comes first follows
 * from the canonical form: the one with the smallest leaf. */
typedef struct accord_pattern_node {
    uint32_t steps;
    uint32_t parts;
    int64_t stride;  /* of a run; else 0 */
    uint32_t label;  /* of the leaf, of the node, of every node of the run */
    uint32_t leaves; /* terms under it */
    uint32_t span;   /* greatest leaf - smallest leaf + 1 */
    uint32_t depth;  /* nodes from the top down to the deepest leaf; 0 for a leaf */
    uint64_t first;  /* where its parts begin in the list of all parts */
} accord_pattern_node;

typedef struct accord_pattern accord_pattern;

/* Makes the pattern of a tree. `label` holds the labels of the leaves and then of the inner nodes;
 * NULL means that all are 0. Time O(n). Memory O(nodes), and a list of the subtrees whose parents
 * have not been reached yet (one entry for most orders in libraries, n in the worst case).
 * ACCORD_NOMEM. */
ACCORD_API enum accord_status accord_pattern_of(const accord_tree *tree, const uint32_t *label,
                                                accord_pattern **out, accord_error *error);
/* NULL is fine. */
ACCORD_API void accord_pattern_free(accord_pattern *pattern);

/* The number of nodes. The last one is the whole tree. */
ACCORD_API uint32_t accord_pattern_nodes(const accord_pattern *pattern);
/* Node `id`, less than the number of nodes, and its parts (NULL for a leaf); they live as long as
 * the pattern. */
ACCORD_API const accord_pattern_node *accord_pattern_at(const accord_pattern *pattern, uint32_t id);
ACCORD_API const accord_pattern_part *accord_pattern_parts(const accord_pattern *pattern,
                                                           uint32_t id);

/* Makes the tree that the pattern was made of, without its labels. The caller frees it with
 * accord_tree_free. ACCORD_NOMEM. */
ACCORD_API enum accord_status accord_pattern_tree(const accord_pattern *pattern, accord_tree **out,
                                                  accord_error *error);

/* The size of an order in numbers. Fixed layout. */
typedef struct accord_order_measures {
    uint32_t additions; /* nodes with two children */
    uint32_t fused;     /* nodes with more than two */
    uint32_t widest;    /* the largest number of children of a node; 0 for a single term */
    uint32_t depth;     /* nodes from the root down to the deepest leaf */
} accord_order_measures;

/* Time O(n). ACCORD_NOMEM. */
ACCORD_API enum accord_status accord_order_measure(const accord_tree *tree,
                                                   accord_order_measures *out, accord_error *error);

/* Writes an order in words: "sequential", "8 lanes, folded by halves" or, where it has no name, the
 * steps of its notation in plain English, such as "the first 992 (in 32 lanes, then by neighbors),
 * then one after the other". If it is irregular, or that is too long, "999 additions, depth 36".
 * Names and steps are exact: two orders of the same number of terms that have the same words are
 * equal. With few terms several names may apply to an order; the choice is always the same. Returns
 * true if the text is a name or names the steps ("one term", "one addition" and "one fused sum" are
 * names). The function cannot fail: without memory the text gives only the number of sums. Time
 * O(n) for each name that may apply. */
#define ACCORD_ORDER_WORDS_SIZE 160
ACCORD_API bool accord_order_words(const accord_tree *tree, char text[ACCORD_ORDER_WORDS_SIZE]);

/* The textbook names of an order: all algorithms of collective operations that add in it, if term i
 * is that of rank i (a linear order, rings, chains, recursive doubling and halving, binary,
 * binomial and k-ary trees, two levels of recursive doubling, NCCL's trees). Few ranks do not tell
 * algorithms apart; a name stands alone only if no other of these fits. *text: the names, one a
 * line, in a fixed order; "" if there is none, if there are fewer than 3 terms or more than 4096,
 * or if sums are fused. The caller's: accord_notation_free. Counts of chains, children and nodes
 * are tried up to 64; above 1024 terms, of those above 16 only powers of two. ACCORD_NOMEM. At most
 * some hundred times O(n). */
ACCORD_API enum accord_status accord_order_names(const accord_tree *tree, char **text,
                                                 accord_error *error);

#ifdef __cplusplus
}
#endif
#endif
