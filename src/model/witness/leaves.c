/* Leaves where the difference between two models is likely to show: those that tell the trees
 * apart, those under nodes that compute otherwise, those of a fused step, and the ends. */
#include "model/witness/witness.h"

enum { NONE = UINT32_MAX };

static void add_leaf(accordi_pool *pool, uint32_t leaf)
{
    bool known = leaf == NONE || pool->count == ACCORDI_POOL;
    for (size_t i = 0; i < pool->count; i++)
        known |= pool->leaf[i] == leaf;
    if (!known)
        pool->leaf[pool->count++] = leaf;
}

/* Facts of one model's tree. */
typedef struct shape {
    const accord_model *model;
    uint32_t *lowest; /* the smallest leaf under each node */
    uint32_t *parent;
} shape;

static bool shape_init(shape *s, const accord_model *model)
{
    const accord_tree *tree = model->tree;
    size_t nodes = (size_t)tree->leaves + tree->inner;
    *s = (shape){model, accordi_alloc(nodes, sizeof(uint32_t)),
                 accordi_alloc(nodes, sizeof(uint32_t))};
    if (!s->lowest || !s->parent)
        return false;
    accord_tree_parents(tree, s->parent);
    for (uint32_t v = 0; v < tree->leaves; v++)
        s->lowest[v] = v;
    for (uint32_t k = 0; k < tree->inner; k++) /* children are ordered by it */
        s->lowest[tree->leaves + k] = s->lowest[tree->child[tree->first[k]]];
    return true;
}

static void shape_clear(shape *s)
{
    free(s->lowest);
    free(s->parent);
}

static const accord_operation *model_operation(const accord_model *model, uint32_t k)
{
    const accord_arithmetic *in = model->arithmetic;
    return in->operations ? &in->operation[in->of_node ? in->of_node[k] : 0] : NULL;
}

static bool alike(const accord_operation *a, const accord_operation *b)
{
    return a == b || (a && b && a->format == b->format && a->rounding == b->rounding &&
                      a->product == b->product && a->fused == b->fused);
}

/* A leaf of each of the first children of a node, and one outside it. */
static void add_node(accordi_pool *pool, const shape *s, uint32_t k)
{
    const accord_tree *tree = s->model->tree;
    uint32_t node = tree->leaves + k, above = s->parent[node];
    for (uint32_t c = tree->first[k]; c < tree->first[k + 1] && c < tree->first[k] + 4; c++)
        add_leaf(pool, s->lowest[tree->child[c]]);
    for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++)
        if (tree->child[c] >= tree->leaves && tree->first[k + 1] - tree->first[k] > 2)
            add_leaf(pool, s->lowest[tree->child[c]]);
    if (above == ACCORD_TREE_NO_NODE)
        return;
    for (uint32_t c = tree->first[above - tree->leaves]; c < tree->first[above - tree->leaves + 1];
         c++)
        if (tree->child[c] != node) {
            add_leaf(pool, s->lowest[tree->child[c]]);
            break;
        }
}

/* The first and the last node that compute otherwise in equal trees. */
static void add_odd_nodes(accordi_pool *pool, const shape *a, const shape *b)
{
    uint32_t first = NONE, last = NONE;
    for (uint32_t k = 0; k < a->model->tree->inner; k++)
        if (!alike(model_operation(a->model, k), model_operation(b->model, k))) {
            first = first == NONE ? k : first;
            last = k;
        }
    if (first != NONE) {
        add_node(pool, a, first);
        add_node(pool, a, last);
    }
}

/* Is this child the one that enters unrounded? */
static bool is_fused(const shape *s, uint32_t leaf)
{
    const accord_tree *tree = s->model->tree;
    uint32_t k = s->parent[leaf] - tree->leaves;
    int fused = model_operation(s->model, k) ? model_operation(s->model, k)->fused : -1;
    return fused >= 0 && tree->child[tree->first[k] + (uint32_t)fused] == leaf;
}

/* In different trees: the first leaf that enters otherwise, and its siblings. */
static void add_odd_leaf(accordi_pool *pool, const shape *a, const shape *b)
{
    uint32_t n = a->model->tree->leaves;
    for (uint32_t leaf = 0; leaf < n; leaf++) {
        uint32_t j = a->parent[leaf] - n, k = b->parent[leaf] - n;
        if (is_fused(a, leaf) == is_fused(b, leaf) &&
            alike(model_operation(a->model, j), model_operation(b->model, k)))
            continue;
        add_leaf(pool, leaf);
        add_node(pool, a, j);
        add_node(pool, b, k);
        return;
    }
}

/* The first node of more than two children. */
static void add_step(accordi_pool *pool, const shape *s)
{
    const accord_tree *tree = s->model->tree;
    for (uint32_t k = 0; k < tree->inner; k++)
        if (tree->first[k + 1] - tree->first[k] > 2) {
            add_node(pool, s, k);
            return;
        }
}

static void fill_pool(accordi_pool *pool, const shape *a, const shape *b, accordi_triple t)
{
    uint32_t n = a->model->tree->leaves;
    if (n <= ACCORDI_POOL) {
        for (uint32_t leaf = 0; leaf < n; leaf++)
            add_leaf(pool, leaf);
        return;
    }
    add_leaf(pool, t.i);
    add_leaf(pool, t.j);
    add_leaf(pool, t.k);
    if (t.i == NONE)
        add_odd_nodes(pool, a, b);
    else
        add_odd_leaf(pool, a, b);
    add_step(pool, a);
    add_step(pool, b);
    const uint32_t ends[] = {0, n - 1, 1, n - 2, n / 2};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        add_leaf(pool, ends[i]);
}

enum accord_status accordi_witness_pool(const accord_model *a, const accord_model *b,
                                        accordi_pool *out, accord_error *error)
{
    shape one = {0}, two = {0};
    accordi_triple triple;
    enum accord_status status = accordi_witness_triple(a->tree, b->tree, &triple, error);
    if (!status && shape_init(&one, a) && shape_init(&two, b)) {
        *out = (accordi_pool){.count = 0};
        fill_pool(out, &one, &two, triple);
    } else if (!status) {
        status = accordi_nomem(error);
    }
    shape_clear(&one);
    shape_clear(&two);
    return status;
}
