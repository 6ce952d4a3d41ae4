/* Takes subtrees out of a binary tree and puts them back elsewhere.
 *
 * Invariant: what hangs from the root is a binary tree, and so is each part that was taken out.
 * Bound: a step takes time that grows with the depth of the tree. */
#include "reveal/discover/mend_forest.h"

enum accord_status accordi_forest_init(accordi_asker *asker, const accord_tree *tree,
                                       accordi_forest *out)
{
    uint32_t n = tree->leaves;
    *out = (accordi_forest){.leaves = n, .root = n + tree->inner - 1};
    out->parent = accordi_ask_alloc(asker, (size_t)n + tree->inner, sizeof *out->parent);
    out->child = accordi_ask_alloc(asker, tree->inner, sizeof *out->child);
    out->size = accordi_ask_alloc(asker, tree->inner, sizeof *out->size);
    if (asker->status) {
        accordi_forest_clear(out);
        return asker->status;
    }
    accord_tree_parents(tree, out->parent);
    accord_tree_sizes(tree, out->size);
    for (uint32_t k = 0; k < tree->inner; k++)
        memcpy(out->child[k], tree->child + tree->first[k], sizeof *out->child);
    return ACCORD_OK;
}

void accordi_forest_clear(accordi_forest *f)
{
    free(f->parent);
    free(f->child);
    free(f->size);
    *f = (accordi_forest){0};
}

static uint32_t *children(const accordi_forest *f, uint32_t node)
{
    return f->child[node - f->leaves];
}

uint32_t accordi_forest_sibling(const accordi_forest *f, uint32_t node)
{
    const uint32_t *child = children(f, f->parent[node]);
    return child[child[0] == node];
}

/* Puts a node where another one was. */
static void replace(accordi_forest *f, uint32_t old, uint32_t node)
{
    uint32_t above = f->parent[node] = f->parent[old];
    if (above == ACCORD_TREE_NO_NODE)
        f->root = node;
    else
        children(f, above)[children(f, above)[1] == old] = node;
}

uint32_t accordi_forest_prune(accordi_forest *f, uint32_t node)
{
    uint32_t spare = f->parent[node], size = accordi_forest_size(f, node);
    for (uint32_t v = spare; v != ACCORD_TREE_NO_NODE; v = f->parent[v])
        f->size[v - f->leaves] -= size;
    replace(f, spare, accordi_forest_sibling(f, node));
    f->parent[node] = ACCORD_TREE_NO_NODE;
    return spare;
}

void accordi_forest_graft(accordi_forest *f, uint32_t node, uint32_t spare, uint32_t at)
{
    uint32_t size = accordi_forest_size(f, node);
    f->size[spare - f->leaves] = accordi_forest_size(f, at);
    replace(f, at, spare);
    children(f, spare)[0] = at;
    children(f, spare)[1] = node;
    f->parent[at] = f->parent[node] = spare;
    for (uint32_t v = spare; v != ACCORD_TREE_NO_NODE; v = f->parent[v])
        f->size[v - f->leaves] += size;
}

/* Numbers the nodes under the root anew: leaves in ascending order, then inner nodes. Returns how
 * many leaves there are. */
static uint32_t renumber(const accordi_forest *f, uint32_t *terms, uint32_t *number,
                         uint32_t *stack)
{
    uint32_t count = 0, inner = accordi_forest_size(f, f->root), held = 1;
    memset(number, 0xff, (2 * (size_t)f->leaves - 1) * sizeof *number);
    stack[0] = f->root;
    while (held > 0) {
        uint32_t node = stack[--held];
        number[node] = node < f->leaves ? 0 : inner++;
        for (int i = 0; i < 2 && node >= f->leaves; i++)
            stack[held++] = children(f, node)[i];
    }
    for (uint32_t i = 0; i < f->leaves; i++)
        if (number[i] == 0) {
            terms[count] = i;
            number[i] = count++;
        }
    return count;
}

enum accord_status accordi_forest_tree(accordi_asker *asker, const accordi_forest *f,
                                       uint32_t *terms, accord_tree **out)
{
    size_t nodes = 2 * (size_t)f->leaves - 1;
    uint32_t *number = accordi_ask_alloc(asker, nodes, sizeof *number);
    uint32_t *parent = accordi_ask_alloc(asker, nodes, sizeof *parent); /* first the stack */
    if (!asker->status) {
        uint32_t count = renumber(f, terms, number, parent);
        for (uint32_t v = 0; v < nodes; v++)
            if (number[v] != ACCORD_TREE_NO_NODE)
                parent[number[v]] = f->parent[v] == ACCORD_TREE_NO_NODE ? ACCORD_TREE_NO_NODE
                                                                        : number[f->parent[v]];
        asker->status = accord_tree_from_parents(count, count - 1, parent, out, asker->error);
    }
    free(number);
    free(parent);
    return asker->status;
}
