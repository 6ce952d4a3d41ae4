/* From a tree to its pattern. A tree comes in; a list of shapes goes out, each of which stands
 * there once. Read this file first, then shapes.c (the list) and expand.c (the way back).
 *
 * Idea: go through the nodes in post-order. Subtrees whose parents are still to come wait on a
 * stack. A subtree that waits is not yet entered into the list as a whole if it is a run: its
 * parent may continue the run, and then only a counter changes. What a parent adds to a run, or
 * has as a child otherwise, is entered at that moment. So a chain of any length costs one entry,
 * and the partial sums of a chain none.
 *
 * At each node one child is the sum so far: the one with the most leaves, of several the first.
 * The node continues the run that this child is if its other children have the shapes of what the
 * last step added, all moved by one stride. Two steps are always at one stride; a third one at
 * another stride shows that the first step was what the run starts from. Of two subtrees of equal
 * size at the bottom either can be the start; it is the one that leaves a step like the next one,
 * and, where both do, the one from which all steps are at one stride, as in a chain that runs from
 * the last term to the first. Two steps over three equal shapes that are not in line are no run.
 *
 * Invariant: what is known of a subtree (subtree, below) depends only on its shape, since every
 * decision is made from the children's shapes and the distances between them; and the subtree can
 * be rebuilt from it. Hence equal shapes, and only these, get the same number.
 *
 * Bound: each node of the tree looks at its children once; at most two entries per node of the
 * tree, in regular orders one per distinct shape. Time O(n). */
#include "pattern/pattern.h"

/* A subtree: a leaf (steps = 0), a node (1), or a run that starts with the node `node`, whose
 * smallest leaf is `at`. */
typedef struct subtree {
    uint32_t low; /* its smallest leaf */
    uint32_t top; /* the inner node of the tree that it is */
    uint32_t leaves;
    uint32_t steps;
    uint32_t node;  /* the shape after the first step; of a leaf, the leaf */
    uint32_t at;    /* the smallest leaf of that */
    uint32_t spine; /* which part of that is the sum so far */
    uint32_t last;  /* smallest leaf of the first of the shapes that the last step added */
    int64_t stride; /* of two steps and more */
} subtree;

typedef struct recognizer {
    accord_pattern *pattern;
    const uint32_t *labels; /* NULL: all 0 */
    uint32_t label;         /* of the node that is joined */
    uint32_t *shape;        /* of each inner node; NULL: nobody asks */
    uint32_t leaf;          /* the shape of the last leaf … */
    uint32_t leaf_label;    /* … and its label */
    subtree *stack;
    size_t waiting, room;
    accord_pattern_part *added, *scratch; /* `shift` of what is added: its smallest leaf */
    size_t added_room, scratch_room;
    uint32_t count; /* of what is added */
    bool failed;    /* no memory */
} recognizer;

static bool reserve_parts(accord_pattern_part **list, size_t *room, size_t count)
{
    void *memory = *list;
    bool good = accordi_grow(&memory, room, count, sizeof **list);
    *list = memory;
    return good;
}

static uint32_t enter(recognizer *r, accord_pattern_node key, const accord_pattern_part *part)
{
    uint32_t id = accordi_pattern_enter(r->pattern, key, part);
    r->failed = r->failed || id == ACCORD_TREE_NO_NODE;
    return id;
}

/* Two steps over three equal shapes that are not in line: no stride is seen twice. */
static bool is_no_run(const subtree *s, const accord_pattern_node *node,
                      const accord_pattern_part *part)
{
    int64_t way = (int64_t)part[!s->spine].shift - part[s->spine].shift;
    return s->steps == 2 && node->parts == 2 && part[0].node == part[1].node && way != s->stride;
}

static uint32_t enter_two_nodes(recognizer *r, const subtree *s, const accord_pattern_node *node,
                                uint32_t added)
{
    accord_pattern_part part[2] = {{s->node, s->at - s->low}, {added, s->last - s->low}};
    if (s->last < s->at) {
        part[1] = part[0];
        part[0] = (accord_pattern_part){added, 0};
    }
    return enter(r, (accord_pattern_node){.steps = 1, .label = node->label, .parts = 2}, part);
}

/* The number of a subtree, which is no longer to grow. */
static uint32_t enter_run(recognizer *r, const subtree *s)
{
    const accord_pattern_node *node = accord_pattern_at(r->pattern, s->node);
    const accord_pattern_part *part = accord_pattern_parts(r->pattern, s->node);
    if (is_no_run(s, node, part))
        return enter_two_nodes(r, s, node, part[0].node);
    r->failed = r->failed || !reserve_parts(&r->scratch, &r->scratch_room, node->parts);
    if (r->failed)
        return 0;
    uint32_t to = 1, moved = s->at - s->low;
    for (uint32_t i = 0; i < node->parts; i++) {
        accord_pattern_part *here = &r->scratch[i == s->spine ? 0 : to++];
        *here = (accord_pattern_part){part[i].node, part[i].shift + moved};
    }
    accord_pattern_node key = {
        .steps = s->steps, .stride = s->stride, .label = node->label, .parts = to};
    return enter(r, key, r->scratch);
}

static uint32_t enter_subtree(recognizer *r, const subtree *s)
{
    if (s->steps <= 1)
        return s->node;
    uint32_t id = enter_run(r, s);
    if (r->shape)
        r->shape[s->top] = id;
    return id;
}

/* Makes `s` the node whose children are the shape `start`, with the smallest leaf `at`, and what
 * is added, moved by `moved`. */
static void make_node(recognizer *r, uint32_t start, uint32_t at, int64_t moved, subtree *s)
{
    r->failed = r->failed || !reserve_parts(&r->scratch, &r->scratch_room, (size_t)r->count + 1);
    if (r->failed)
        return;
    uint32_t to = 0, first = (uint32_t)(r->added[0].shift + moved), low = first < at ? first : at;
    s->spine = r->count;
    for (uint32_t i = 0; i < r->count; i++) {
        uint32_t here = (uint32_t)(r->added[i].shift + moved);
        if (to == i && at < here) {
            s->spine = to;
            r->scratch[to++] = (accord_pattern_part){start, at - low};
        }
        r->scratch[to++] = (accord_pattern_part){r->added[i].node, here - low};
    }
    if (to == r->count)
        r->scratch[to++] = (accord_pattern_part){start, at - low};
    s->node =
        enter(r, (accord_pattern_node){.steps = 1, .label = r->label, .parts = to}, r->scratch);
    s->at = low;
    s->last = first;
    s->steps = 1;
}

/* Whether what is added has the shapes of what the steps of `s` added so far. */
static bool adds_the_same(const recognizer *r, const subtree *s)
{
    const accord_pattern_node *node = accord_pattern_at(r->pattern, s->node);
    if (s->steps == 0 || node->parts != r->count + 1 || node->label != r->label)
        return false;
    const accord_pattern_part *part = accord_pattern_parts(r->pattern, s->node);
    const accord_pattern_part *first = &part[s->spine == 0];
    for (uint32_t i = 0; i < r->count; i++) {
        const accord_pattern_part *was = &part[i + (i >= s->spine)];
        if (was->node != r->added[i].node ||
            was->shift - first->shift != r->added[i].shift - r->added[0].shift)
            return false;
    }
    return true;
}

/* At the second step over two subtrees of equal size: the run starts from the other one if only so
 * both steps add one shape, or all three are at one stride. */
static void choose_start(const recognizer *r, subtree *s)
{
    const accord_pattern *p = r->pattern;
    const accord_pattern_part *part = accord_pattern_parts(p, s->node);
    if (r->count != 1 || accord_pattern_at(p, s->node)->parts != 2 ||
        accord_pattern_at(p, part[0].node)->leaves != accord_pattern_at(p, part[1].node)->leaves)
        return;
    int64_t next = r->added[0].shift, start = (int64_t)s->at + part[s->spine].shift;
    bool strides = next - s->last != s->last - start && next - start == start - s->last;
    bool equal = part[0].node == part[1].node;
    if (equal ? strides : r->added[0].node == part[s->spine].node) {
        s->spine = !s->spine;
        s->last = (uint32_t)start;
    }
}

/* Continues the run `s` with what is added; false, and nothing changed, where that is no step of
 * it. */
static bool continue_run(recognizer *r, subtree *s)
{
    if (s->steps == 1)
        choose_start(r, s);
    if (!adds_the_same(r, s))
        return false;
    int64_t stride = (int64_t)r->added[0].shift - s->last;
    if (s->steps > 1 && stride != s->stride) {
        if (s->steps > 2)
            return false;
        make_node(r, s->node, s->at, -stride, s);
    }
    s->steps++;
    s->stride = stride;
    s->last = r->added[0].shift;
    return true;
}

/* Enters all children but the sum so far into the list of what is added. */
static uint32_t collect_added(recognizer *r, const subtree *child, uint32_t children,
                              uint32_t spine)
{
    uint32_t leaves = 0;
    r->count = 0;
    for (uint32_t i = 0; i < children && !r->failed; i++) {
        leaves += child[i].leaves;
        if (i != spine)
            r->added[r->count++] = (accord_pattern_part){enter_subtree(r, &child[i]), child[i].low};
    }
    return leaves;
}

/* Joins the uppermost `children` subtrees of the stack, which stand there in the order of their
 * smallest leaves. */
static void join(recognizer *r, uint32_t children)
{
    subtree *child = r->stack + (r->waiting - children);
    uint32_t spine = 0, low = child[0].low;
    for (uint32_t i = 1; i < children; i++)
        if (child[i].leaves > child[spine].leaves)
            spine = i;
    if (!reserve_parts(&r->added, &r->added_room, children)) {
        r->failed = true;
        return;
    }
    uint32_t leaves = collect_added(r, child, children, spine);
    subtree s = child[spine];
    if (!r->failed && !continue_run(r, &s))
        make_node(r, enter_subtree(r, &s), s.low, 0, &s);
    s.low = low;
    s.leaves = leaves;
    child[0] = s;
    r->waiting -= children - 1;
}

static bool push_subtree(recognizer *r, uint32_t count)
{
    void *stack = r->stack;
    bool good = accordi_grow(&stack, &r->room, r->waiting + count, sizeof *r->stack);
    r->stack = stack;
    r->waiting += good ? count : 0;
    r->failed = r->failed || !good;
    return good;
}

static void enter_leaf(recognizer *r, uint32_t label)
{
    r->leaf = enter(r, (accord_pattern_node){.label = label}, NULL);
    r->leaf_label = label;
}

static void put_leaf(recognizer *r, uint32_t leaf, subtree *out)
{
    if (r->labels && r->labels[leaf] != r->leaf_label)
        enter_leaf(r, r->labels[leaf]);
    *out = (subtree){.low = leaf, .leaves = 1, .node = r->leaf, .at = leaf};
}

/* Puts the children of inner node k on top of the stack: those that are no leaves are there. */
static void push_children(recognizer *r, const accord_tree *tree, uint32_t k)
{
    uint32_t leaves = 0, begin = tree->first[k], end = tree->first[k + 1];
    for (uint32_t c = begin; c < end; c++)
        leaves += tree->child[c] < tree->leaves;
    size_t from = r->waiting;
    if (!push_subtree(r, leaves))
        return;
    for (size_t to = r->waiting; end > begin;) {
        uint32_t node = tree->child[--end];
        if (node < tree->leaves)
            put_leaf(r, node, &r->stack[--to]);
        else
            r->stack[--to] = r->stack[--from];
    }
}

static void recognize(recognizer *r, const accord_tree *tree)
{
    enter_leaf(r, r->labels ? r->labels[0] : 0);
    for (uint32_t k = 0; k < tree->inner && !r->failed; k++) {
        r->label = r->labels ? r->labels[tree->leaves + k] : 0;
        push_children(r, tree, k);
        if (r->failed)
            break;
        join(r, tree->first[k + 1] - tree->first[k]);
        subtree *top = &r->stack[r->waiting - 1];
        top->top = k;
        if (r->shape)
            r->shape[k] = top->steps == 1 ? top->node : ACCORD_TREE_NO_NODE;
    }
    if (tree->inner > 0 && !r->failed)
        enter_subtree(r, &r->stack[0]);
    r->failed = r->failed || !accordi_pattern_finish(r->pattern, r->shape, tree->inner);
    free(r->stack);
    free(r->added);
    free(r->scratch);
}

enum accord_status accord_pattern_of(const accord_tree *tree, const uint32_t *label,
                                     accord_pattern **out, accord_error *error)
{
    return accordi_pattern_of_nodes(tree, label, NULL, out, error);
}

enum accord_status accordi_pattern_of_nodes(const accord_tree *tree, const uint32_t *label,
                                            uint32_t *shape, accord_pattern **out,
                                            accord_error *error)
{
    recognizer r = {
        .pattern = accordi_calloc(1, sizeof *r.pattern), .labels = label, .shape = shape};
    if (r.pattern)
        recognize(&r, tree);
    if (!r.pattern || r.failed) {
        accord_pattern_free(r.pattern);
        return accordi_nomem(error);
    }
    *out = r.pattern;
    return ACCORD_OK;
}
