/* Memory of summation trees (accord/tree.h), shared by the files of room tree. Internal. Parents of
 * nodes (canonical.c) or steps of a builder (builder.h) come in; a tree in canonical form goes out,
 * which can be compared (diff.c), restricted (restrict.c) and written as brackets (brackets.c). */
#ifndef ACCORDI_TREE_H
#define ACCORDI_TREE_H

#include <accord/tree.h>

/* A tree whose arrays are still to be written: one block of memory, accord_tree_free frees it.
 * NULL when there is no memory. */
typedef struct accordi_tree_parts {
    accord_tree *tree;
    uint32_t *first; /* inner + 1 entries */
    uint32_t *child; /* leaves + inner - 1 entries */
} accordi_tree_parts;
accordi_tree_parts accordi_tree_new(uint32_t leaves, uint32_t inner);
/* NULL when there is no memory. */
accord_tree *accordi_tree_copy(const accord_tree *tree);

/* The lowest node over both, by the parents of a tree in canonical form (accord_tree_parents), in
 * which a node has a greater number than those below it. Time in proportion to the depth. */
static inline uint32_t accordi_tree_common(const uint32_t *parent, uint32_t a, uint32_t b)
{
    while (a != b)
        *(a < b ? &a : &b) = parent[a < b ? a : b];
    return a;
}

#endif
