/* Memory of a tree, and what is read off its arrays in one pass. */
#include "tree/tree.h"
#include "base/base.h"

accordi_tree_parts accordi_tree_new(uint32_t leaves, uint32_t inner)
{
    accordi_tree_parts parts = {NULL, NULL, NULL};
    size_t children = (size_t)leaves + inner - 1;
    char *block = malloc(sizeof(accord_tree) + (inner + 1 + children) * sizeof(uint32_t));
    if (!block)
        return parts;
    parts.tree = (accord_tree *)(void *)block;
    parts.first = (uint32_t *)(void *)(block + sizeof(accord_tree));
    parts.child = parts.first + inner + 1;
    parts.first[0] = 0;
    parts.tree->leaves = leaves;
    parts.tree->inner = inner;
    parts.tree->first = parts.first;
    parts.tree->child = parts.child;
    return parts;
}

accord_tree *accordi_tree_copy(const accord_tree *tree)
{
    size_t children = (size_t)tree->leaves + tree->inner - 1;
    accordi_tree_parts copy = accordi_tree_new(tree->leaves, tree->inner);
    if (!copy.tree)
        return NULL;
    memcpy(copy.first, tree->first, ((size_t)tree->inner + 1) * sizeof *copy.first);
    memcpy(copy.child, tree->child, children * sizeof *copy.child);
    return copy.tree;
}

void accord_tree_free(accord_tree *tree)
{
    free(tree);
}

void accord_tree_parents(const accord_tree *tree, uint32_t *parent)
{
    for (uint32_t k = 0; k < tree->inner; k++)
        for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++)
            parent[tree->child[c]] = tree->leaves + k;
    parent[tree->leaves + tree->inner - 1] = ACCORD_TREE_NO_NODE;
}

void accord_tree_sizes(const accord_tree *tree, uint32_t *size)
{
    for (uint32_t k = 0; k < tree->inner; k++) {
        size[k] = 0;
        for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++) {
            uint32_t node = tree->child[c];
            size[k] += node < tree->leaves ? 1 : size[node - tree->leaves];
        }
    }
}

bool accord_tree_equal(const accord_tree *a, const accord_tree *b)
{
    if (a->leaves != b->leaves || a->inner != b->inner)
        return false;
    size_t children = (size_t)a->leaves + a->inner - 1;
    return memcmp(a->first, b->first, ((size_t)a->inner + 1) * sizeof *a->first) == 0 &&
           (children == 0 || memcmp(a->child, b->child, children * sizeof *a->child) == 0);
}
