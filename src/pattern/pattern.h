/* What the files of room pattern share. Internal. */
#ifndef ACCORDI_PATTERN_H
#define ACCORDI_PATTERN_H

#include "base/base.h"
#include <accord/pattern.h>

/* Shapes, each once: a hash table finds the one that has the same steps, stride,
 * label and parts. */
struct accord_pattern {
    accord_pattern_node *node;
    accord_pattern_part *part; /* of all nodes, one after the other */
    uint32_t nodes;
    uint64_t parts;
    size_t node_room, part_room;
    uint32_t *slot; /* 0 is free, else a node + 1; NULL once the pattern is finished */
    size_t slots;   /* a power of two */
};

/* The number of the shape with the steps, the stride, the label and the number of parts of `key`,
 * which is entered if it is new. ACCORD_TREE_NO_NODE without memory. */
uint32_t accordi_pattern_enter(accord_pattern *pattern, accord_pattern_node key,
                               const accord_pattern_part *part);
/* Drops what the last node does not reach, and the hash table; the `count` numbers of shapes become
 * new ones, or ACCORD_TREE_NO_NODE. False without memory. */
bool accordi_pattern_finish(accord_pattern *pattern, uint32_t *shape, uint32_t count);

/* As accord_pattern_of; shape[k] becomes the number of the shape of inner node k, or
 * ACCORD_TREE_NO_NODE where it is a partial sum within a run. */
enum accord_status accordi_pattern_of_nodes(const accord_tree *tree, const uint32_t *label,
                                            uint32_t *shape, accord_pattern **out,
                                            accord_error *error);

/* "1,023 additions and 4 fused sums with up to 16 operands, depth 36": the words for the measures
 * of an order, wherever they are shown. */
void accordi_put_measures(char text[ACCORD_ORDER_WORDS_SIZE], const accord_order_measures *m);

#endif
