/* The tree of a method: the same order, over nodes. */
#include "tree/builder.h"
#include "vary/methods/methods.h"

typedef struct nodes {
    accordi_builder *tree;
    const uint32_t *node; /* NULL: terms, which are the first nodes */
} nodes;

static uint32_t join(nodes from, uint32_t a, uint32_t b)
{
    return a == ACCORD_TREE_NO_NODE   ? b
           : b == ACCORD_TREE_NO_NODE ? a
                                      : accordi_builder_join(from.tree, a, b);
}

static uint32_t node_at(nodes from, size_t i)
{
    return from.node ? from.node[i] : (uint32_t)i;
}

#define VALUE uint32_t
#define SOURCE nodes
#define ZERO ACCORD_TREE_NO_NODE
#define TAKE(source, i) node_at(source, i)
#define ADD(source, a, b) join(source, a, b)
#include "vary/methods/order.h"

static void build(const accordi_shape *shape, const uint32_t *arrival, accordi_builder *tree,
                  uint32_t *part)
{
    nodes terms = {tree, NULL}, parts = {tree, part};
    for (size_t b = 0; b < shape->parts; b++)
        part[b] = shape->method->blocks ? order_block(terms, shape->n, shape->block, shape->grid, b)
                                        : (uint32_t)b;
    if (shape->method->last == ACCORD_LAST_PAIRWISE)
        order_block(parts, shape->parts, shape->block, 1, 0);
    else
        order_chain(parts, shape->parts,
                    shape->method->last == ACCORD_LAST_ATOMIC ? arrival : NULL);
}

enum accord_status accord_reduction_tree(const accord_reduction *reduction, const uint32_t *arrival,
                                         accord_tree **out, accord_error *error)
{
    accordi_shape shape;
    enum accord_status status = accordi_shape_of(reduction, &shape, error);
    if (status)
        return status;
    if (shape.method->compensated)
        return accordi_fail(
            error, ACCORD_UNSUPPORTED,
            "the last stage of %s carries rounding errors along, so it is not a tree "
            "of additions; choose a method without -kahan",
            shape.method->name);
    accordi_builder tree;
    uint32_t *part = accordi_alloc(shape.parts, sizeof *part);
    if (!part)
        return accordi_nomem(error);
    status = accordi_builder_init(&tree, shape.n, error);
    if (!status) {
        build(&shape, arrival, &tree, part);
        status = accordi_builder_finish(&tree, out, error);
    }
    free(part);
    return status;
}
