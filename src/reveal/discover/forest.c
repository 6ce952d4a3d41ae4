#include "reveal/discover/forest.h"

enum accord_status accordi_forest_init(accordi_forest *forest, size_t leaves, accord_error *error)
{
    forest->capacity = (uint32_t)(2 * leaves);
    forest->parent = accordi_alloc(forest->capacity, sizeof *forest->parent);
    if (!forest->parent)
        return accordi_nomem(error);
    for (size_t i = 0; i < leaves; i++)
        forest->parent[i] = ACCORD_TREE_NO_NODE;
    forest->leaves = forest->nodes = (uint32_t)leaves;
    return ACCORD_OK;
}

uint32_t accordi_forest_node(accordi_forest *forest)
{
    if (forest->nodes == forest->capacity) {
        uint32_t capacity = forest->capacity + forest->capacity / 2 + 16;
        uint32_t *grown = realloc(forest->parent, capacity * sizeof *grown);
        if (!grown)
            return ACCORD_TREE_NO_NODE;
        forest->parent = grown;
        forest->capacity = capacity;
    }
    forest->parent[forest->nodes] = ACCORD_TREE_NO_NODE;
    return forest->nodes++;
}

/* Nodes that were given up have no leaf left below them. number[v] = children of inner node v that
 * have; then the new number of nodes with at least two, ACCORD_TREE_NO_NODE for the others. */
static uint32_t number_nodes(const accordi_forest *forest, uint32_t *number)
{
    const uint32_t *parent = forest->parent;
    uint32_t next = forest->leaves;
    for (uint32_t leaf = 0; leaf < forest->leaves; leaf++)
        for (uint32_t v = parent[leaf]; v != ACCORD_TREE_NO_NODE && number[v]++ == 0;)
            v = parent[v];
    for (uint32_t v = forest->leaves; v < forest->nodes; v++)
        number[v] = number[v] > 1 ? next++ : ACCORD_TREE_NO_NODE;
    return next;
}

/* Skips nodes with one child, halving the paths it walks. */
static uint32_t kept_parent(accordi_forest *forest, const uint32_t *number, uint32_t v)
{
    uint32_t *parent = forest->parent;
    uint32_t steps = 0;
    while (parent[v] != ACCORD_TREE_NO_NODE && number[parent[v]] == ACCORD_TREE_NO_NODE &&
           steps++ < forest->nodes)
        parent[v] = parent[parent[v]];
    return parent[v] == ACCORD_TREE_NO_NODE ? ACCORD_TREE_NO_NODE : number[parent[v]];
}

enum accord_status accordi_forest_tree(accordi_forest *forest, accord_tree **out,
                                       accord_error *error)
{
    uint32_t *number = accordi_calloc(forest->nodes, sizeof *number);
    uint32_t *parent = accordi_alloc(forest->nodes, sizeof *parent);
    enum accord_status status = number && parent ? ACCORD_OK : accordi_nomem(error);
    if (!status) {
        uint32_t count = number_nodes(forest, number);
        for (uint32_t v = 0; v < forest->nodes; v++)
            if (v < forest->leaves || number[v] != ACCORD_TREE_NO_NODE)
                parent[v < forest->leaves ? v : number[v]] = kept_parent(forest, number, v);
        status =
            accord_tree_from_parents(forest->leaves, count - forest->leaves, parent, out, error);
        if (status == ACCORD_ARG)
            status = accordi_unable(error, ACCORD_REASON_NOT_A_TREE,
                                    "the results contradict every tree of additions");
    }
    free(number);
    free(parent);
    free(forest->parent);
    forest->parent = NULL;
    return status;
}
