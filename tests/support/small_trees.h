/* All trees of few leaves, for tests that hold them against each other. Needs cmocka. */
#ifndef SMALL_TREES_H
#define SMALL_TREES_H

#include <accord/tree.h>

/* A test that wants larger trees defines how large; there are 2752 of 6 leaves, 39208 of 7. */
#ifndef SMALL_TREES_LEAVES
#define SMALL_TREES_LEAVES 5
#define SMALL_TREES_COUNT 236
#endif
enum { MOST_LEAVES = SMALL_TREES_LEAVES, MOST_TREES = SMALL_TREES_COUNT };

typedef struct shape {
    uint32_t inner, parent[2 * MOST_LEAVES - 1]; /* inner nodes from MOST_LEAVES on */
} shape;

/* The shape with one more leaf, as a child of node v or beside it. */
static inline shape extended(shape s, uint32_t leaf, uint32_t v, bool beside)
{
    uint32_t node = beside ? MOST_LEAVES + s.inner++ : v;
    if (beside) {
        s.parent[node] = s.parent[v];
        s.parent[v] = node;
    }
    s.parent[leaf] = node;
    return s;
}

static inline accord_tree *tree_of(const shape *s, uint32_t leaves)
{
    uint32_t parent[2 * MOST_LEAVES - 1];
    accord_tree *tree = NULL;
    for (uint32_t v = 0; v < leaves + s->inner; v++) {
        uint32_t up = s->parent[v < leaves ? v : v - leaves + MOST_LEAVES];
        parent[v] = up == ACCORD_TREE_NO_NODE ? up : up - MOST_LEAVES + leaves;
    }
    assert_int_equal(accord_tree_from_parents(leaves, s->inner, parent, &tree, NULL), ACCORD_OK);
    return tree;
}

/* Every tree, each once: the next leaf goes beside any node or under any inner one. */
static inline size_t all_trees(uint32_t leaves, accord_tree **out)
{
    static shape list[2][MOST_TREES];
    size_t count = 1, now = 0;
    list[0][0] = (shape){1, {MOST_LEAVES, MOST_LEAVES}};
    list[0][0].parent[MOST_LEAVES] = ACCORD_TREE_NO_NODE;
    for (uint32_t leaf = 2; leaf < leaves; leaf++, now = !now) {
        size_t made = 0;
        for (size_t t = 0; t < count; t++)
            for (uint32_t v = 0; v < MOST_LEAVES + list[now][t].inner; v++) {
                if (v < leaf || v >= MOST_LEAVES)
                    list[!now][made++] = extended(list[now][t], leaf, v, true);
                if (v >= MOST_LEAVES)
                    list[!now][made++] = extended(list[now][t], leaf, v, false);
            }
        count = made;
    }
    for (size_t t = 0; t < count; t++)
        out[t] = tree_of(&list[now][t], leaves);
    return count;
}

static inline bool is_binary(const accord_tree *tree)
{
    return tree->inner + 1 == tree->leaves;
}

#endif
