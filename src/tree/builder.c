/* Memory and steps of the tree under construction. */
#include "tree/builder.h"

enum accord_status accordi_builder_init(accordi_builder *b, size_t leaves, accord_error *error)
{
    b->capacity = (uint32_t)(2 * leaves);
    b->parent = accordi_alloc(b->capacity, sizeof *b->parent);
    if (!b->parent)
        return accordi_nomem(error);
    for (size_t i = 0; i < leaves; i++)
        b->parent[i] = ACCORD_TREE_NO_NODE;
    b->leaves = b->nodes = (uint32_t)leaves;
    return ACCORD_OK;
}

uint32_t accordi_builder_node(accordi_builder *b)
{
    size_t capacity = b->capacity;
    if (!accordi_grow((void **)&b->parent, &capacity, (size_t)b->nodes + 1, sizeof *b->parent))
        return ACCORD_TREE_NO_NODE;
    b->capacity = (uint32_t)capacity;
    b->parent[b->nodes] = ACCORD_TREE_NO_NODE;
    return b->nodes++;
}

uint32_t accordi_builder_join(accordi_builder *b, uint32_t x, uint32_t y)
{
    uint32_t node = accordi_builder_node(b);
    b->parent[node] = b->parent[x];
    b->parent[x] = b->parent[y] = node;
    return node;
}

uint32_t accordi_builder_join_all(accordi_builder *b, const uint32_t *nodes, size_t count)
{
    if (count == 1)
        return nodes[0];
    uint32_t node = accordi_builder_node(b);
    for (size_t i = 0; i < count; i++)
        b->parent[nodes[i]] = node;
    return node;
}

uint32_t accordi_builder_chain(accordi_builder *b, const uint32_t *nodes, size_t count)
{
    uint32_t sum = nodes[0];
    for (size_t i = 1; i < count; i++)
        sum = accordi_builder_join(b, sum, nodes[i]);
    return sum;
}

uint32_t accordi_builder_copy(accordi_builder *b, const accord_tree *tree, uint32_t at)
{
    uint32_t base = b->nodes, m = tree->leaves;
    for (uint32_t k = 0; k < tree->inner; k++) {
        uint32_t node = accordi_builder_node(b);
        for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++) {
            uint32_t child = tree->child[c];
            b->parent[child < m ? at + child : child - m + base] = node;
        }
    }
    return tree->inner ? b->nodes - 1 : at;
}

/* Nodes that were given up have no leaf left below them. number[v] = children of inner node v that
 * have; then the new number of nodes with at least two, ACCORD_TREE_NO_NODE for the others. */
static uint32_t number_nodes(const accordi_builder *b, uint32_t *number)
{
    const uint32_t *parent = b->parent;
    uint32_t next = b->leaves;
    for (uint32_t leaf = 0; leaf < b->leaves; leaf++)
        for (uint32_t v = parent[leaf]; v != ACCORD_TREE_NO_NODE && number[v]++ == 0;)
            v = parent[v];
    for (uint32_t v = b->leaves; v < b->nodes; v++)
        number[v] = number[v] > 1 ? next++ : ACCORD_TREE_NO_NODE;
    return next;
}

/* Skips nodes with one child, halving the paths it walks. */
static uint32_t kept_parent(accordi_builder *b, const uint32_t *number, uint32_t v)
{
    uint32_t *parent = b->parent;
    uint32_t steps = 0;
    while (parent[v] != ACCORD_TREE_NO_NODE && number[parent[v]] == ACCORD_TREE_NO_NODE &&
           steps++ < b->nodes)
        parent[v] = parent[parent[v]];
    return parent[v] == ACCORD_TREE_NO_NODE ? ACCORD_TREE_NO_NODE : number[parent[v]];
}

enum accord_status accordi_builder_finish(accordi_builder *b, accord_tree **out,
                                          accord_error *error)
{
    uint32_t *number = accordi_calloc(b->nodes, sizeof *number);
    uint32_t *parent = accordi_alloc(b->nodes, sizeof *parent);
    enum accord_status status = number && parent ? ACCORD_OK : accordi_nomem(error);
    if (!status) {
        uint32_t count = number_nodes(b, number);
        for (uint32_t v = 0; v < b->nodes; v++)
            if (v < b->leaves || number[v] != ACCORD_TREE_NO_NODE)
                parent[v < b->leaves ? v : number[v]] = kept_parent(b, number, v);
        status = accord_tree_from_parents(b->leaves, count - b->leaves, parent, out, error);
        if (status == ACCORD_ARG)
            status = accordi_unable(error, ACCORD_REASON_NOT_A_TREE,
                                    "the results contradict every tree of additions");
    }
    free(number);
    free(parent);
    free(b->parent);
    b->parent = NULL;
    return status;
}
