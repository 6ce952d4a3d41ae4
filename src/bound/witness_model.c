/* An evaluation as a model: the tree of its additions, and which products are fused.
 *
 * In: an evaluation. Out: a tree with its arithmetic and its operands, which room model replays; or
 * nothing, where it is more than a sum of values and of products of two values. Terms keep the
 * order of the expression. */
#include "bound/bound.h"

typedef struct leaf {
    double x, y;
    uint32_t node; /* of the expression, where it begins */
    uint32_t parent;
    bool fused;
} leaf;

typedef struct order {
    const accordi_bounds *b;
    enum accord_format format;
    leaf *leaf;
    uint32_t *inner; /* the parent of each addition */
    struct {
        accordi_way way;
        uint32_t parent;
    } * stack;
    size_t leaves, leaf_room, inners, inner_room, depth, room;
    bool good;
} order;

static const accordi_step *step_of(const order *o, accordi_way way)
{
    return &o->b->ways.step[way];
}

/* A value, or one with the sign turned. */
static bool is_value(const order *o, accordi_way way)
{
    const accordi_step *s = step_of(o, way);
    if (s->operation == ACCORD_BOUND_NEGATE)
        s = step_of(o, s->operand[0]);
    return s->operation == ACCORD_BOUND_VALUE && s->format == o->format;
}

static uint32_t node_of(const order *o, accordi_way way)
{
    const accordi_step *s = step_of(o, way);
    return s->operation == ACCORD_BOUND_NEGATE ? step_of(o, s->operand[0])->node : s->node;
}

static void put_leaf(order *o, const leaf *made)
{
    o->good = accordi_grow((void **)&o->leaf, &o->leaf_room, o->leaves + 1, sizeof *o->leaf);
    if (o->good)
        o->leaf[o->leaves++] = *made;
}

static void put_product(order *o, accordi_way x, accordi_way y, double sign, uint32_t parent,
                        bool fused)
{
    o->good = is_value(o, x) && is_value(o, y);
    if (!o->good)
        return;
    uint32_t first = node_of(o, x), second = node_of(o, y);
    const leaf made = {sign * step_of(o, x)->value, step_of(o, y)->value,
                       first < second ? first : second, parent, fused};
    put_leaf(o, &made);
}

static void put_value(order *o, accordi_way way, uint32_t parent)
{
    const leaf made = {step_of(o, way)->value, 1, node_of(o, way), parent, false};
    put_leaf(o, &made);
}

static void push(order *o, accordi_way way, uint32_t parent)
{
    o->good = o->good && accordi_grow((void **)&o->stack, &o->room, o->depth + 1, sizeof *o->stack);
    if (!o->good)
        return;
    o->stack[o->depth].way = way;
    o->stack[o->depth++].parent = parent;
}

static uint32_t put_addition(order *o, uint32_t parent)
{
    o->good = accordi_grow((void **)&o->inner, &o->inner_room, o->inners + 1, sizeof *o->inner);
    if (o->good)
        o->inner[o->inners] = parent;
    return (uint32_t)o->inners++;
}

static void visit(order *o, accordi_way way, uint32_t parent)
{
    const accordi_step *s = step_of(o, way);
    bool minus = s->operation == ACCORD_BOUND_NEGATE;
    const accordi_step *inside = minus ? step_of(o, s->operand[0]) : s;
    o->good = s->format == o->format;
    if (o->good && is_value(o, way)) {
        put_value(o, way, parent);
    } else if (o->good && inside->operation == ACCORD_BOUND_MULTIPLY) {
        put_product(o, inside->operand[0], inside->operand[1], minus ? -1 : 1, parent, false);
    } else if (o->good && s->operation == ACCORD_BOUND_FMA) {
        uint32_t node = put_addition(o, parent);
        put_product(o, s->operand[0], s->operand[1], 1, node, true);
        push(o, s->operand[2], node);
    } else if (o->good && s->operation == ACCORD_BOUND_ADD) {
        uint32_t node = put_addition(o, parent);
        push(o, s->operand[0], node);
        push(o, s->operand[1], node);
    } else {
        o->good = false;
    }
}

static int compare_leaves(const void *a, const void *b)
{
    const leaf *x = a, *y = b;
    return (x->node > y->node) - (x->node < y->node);
}

static bool make_tree(const order *o, accord_tree **tree)
{
    size_t n = o->leaves;
    uint32_t *parent = accordi_alloc(n + o->inners, sizeof *parent);
    for (size_t i = 0; parent && i < n; i++)
        parent[i] = (uint32_t)n + o->leaf[i].parent;
    for (size_t i = 0; parent && i < o->inners; i++)
        parent[n + i] =
            o->inner[i] == ACCORD_TREE_NO_NODE ? ACCORD_TREE_NO_NODE : (uint32_t)n + o->inner[i];
    bool good = parent && accord_tree_from_parents(n, o->inners, parent, tree, NULL) == ACCORD_OK;
    free(parent);
    return good;
}

/* Operation 0 fuses nothing, 1 and 2 fuse the first and the second child. */
static bool make_arithmetic(const order *o, const accord_tree *tree, accord_arithmetic **out)
{
    accord_arithmetic *plain = NULL, *a = NULL;
    uint32_t *parent = accordi_alloc((size_t)tree->leaves + tree->inner, sizeof *parent);
    bool good = parent &&
                accord_arithmetic_plain(ACCORD_TERM_PRODUCT, o->format, o->format, o->format,
                                        &plain, NULL) == ACCORD_OK &&
                accord_arithmetic_copy(plain, tree->inner, &a, NULL) == ACCORD_OK;
    accord_operation *operation = good ? accordi_alloc(3, sizeof *operation) : NULL;
    good = good && operation;
    for (int i = 0; good && i < 3; i++) {
        operation[i] = a->operation[0];
        operation[i].fused = i - 1;
    }
    if (good) {
        accord_tree_parents(tree, parent);
        free(a->operation);
        a->operation = operation;
        a->operations = 3;
        a->negative_zero = true;
    }
    for (size_t i = 0; good && i < o->leaves; i++) {
        uint32_t node = parent[i] - tree->leaves;
        if (o->leaf[i].fused)
            a->of_node[node] = tree->child[tree->first[node]] == i ? 1 : 2;
    }
    if (good)
        *out = a;
    else
        accord_arithmetic_free(a);
    accord_arithmetic_free(plain);
    free(parent);
    return good;
}

static bool make_model(const order *o, accord_tree **tree, accord_arithmetic **arithmetic,
                       double **x, double **y)
{
    *x = accordi_alloc(o->leaves, sizeof **x);
    *y = accordi_alloc(o->leaves, sizeof **y);
    for (size_t i = 0; *x && *y && i < o->leaves; i++) {
        (*x)[i] = o->leaf[i].x;
        (*y)[i] = o->leaf[i].y;
    }
    return *x && *y && make_tree(o, tree) && make_arithmetic(o, *tree, arithmetic);
}

bool accordi_way_model(const accordi_bounds *b, accordi_way way, accord_tree **tree,
                       accord_arithmetic **arithmetic, double **x, double **y)
{
    order o = {.b = b, .format = b->ways.step[way].format, .good = true};
    push(&o, way, ACCORD_TREE_NO_NODE);
    while (o.good && o.depth) {
        o.depth--;
        visit(&o, o.stack[o.depth].way, o.stack[o.depth].parent);
    }
    bool good = true;
    if (o.good && o.inners) {
        qsort(o.leaf, o.leaves, sizeof *o.leaf, compare_leaves);
        good = make_model(&o, tree, arithmetic, x, y);
    }
    free(o.leaf);
    free(o.inner);
    free(o.stack);
    return good;
}
