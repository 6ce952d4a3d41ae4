/* A large tree reduced to the rows of a terminal.
 *
 * Three things are drawn as one row although they hold many terms: a run (a chain that adds the
 * same number of terms at each step, the commonest shape of all), a subtree that repeats another
 * one further along, and a subtree for which there is no room. Starting from the root, the
 * largest closed subtrees are opened together, so that equals look equal, until the next step
 * would need too many rows.
 *
 * Which subtrees repeat each other, room pattern knows; a run here may add its terms in any order,
 * for one row says so. Time: O(n) for the pattern; runs are followed once. */
#include "record/pictures/view.h"
#include "pattern/pattern.h"

#define SHORTEST_RUN 3 /* nodes */
#define MOST_SINGLES 4 /* leaves of one fused node with rows of their own */
#define LEAST_REPEAT 8 /* terms: smaller subtrees are drawn rather than referred to */
#define MOST_CLOSED 64 /* subtrees of one size among which repeats are looked for */

accordi_item *accordi_view_item(const accordi_view *view, uint32_t i)
{
    return (accordi_item *)(void *)view->items.data + i;
}

/* Counts the leaves among the children of inner node k; the last inner child goes to *inner. */
static uint32_t leaves_of(const accord_tree *tree, uint32_t k, uint32_t *inner)
{
    uint32_t leaves = 0;
    for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++) {
        if (tree->child[c] < tree->leaves)
            leaves++;
        else
            *inner = tree->child[c];
    }
    return leaves;
}

/* Follows the run whose last addition is item->node. */
static void find_run(const accord_tree *tree, accordi_item *item)
{
    uint32_t n = tree->leaves, v = item->node, steps = 0, each = 0, leaves, children;
    while (true) {
        uint32_t inner = ACCORD_TREE_NO_NODE;
        leaves = leaves_of(tree, v - n, &inner);
        children = tree->first[v - n + 1] - tree->first[v - n];
        if (children - leaves != 1 || (steps > 0 && leaves != each))
            break;
        each = leaves;
        steps++;
        v = inner;
    }
    item->whole_run = leaves == children;
    if (item->whole_run || steps >= SHORTEST_RUN) {
        item->end = v;
        item->steps = steps;
    }
}

static void add_item(accordi_view *view, enum accordi_item_kind kind, uint32_t node, uint32_t end,
                     uint32_t size, uint32_t parent)
{
    accordi_item item = {.kind = kind, .node = node, .end = end, .size = size, .parent = parent};
    item.like = view->count;
    uint32_t n = view->tree->leaves;
    if (kind == ACCORDI_SUBTREE) {
        item.fused = view->tree->first[node - n + 1] - view->tree->first[node - n] > 2;
        if (!view->full)
            find_run(view->tree, &item);
    }
    accordi_buffer_append(&view->items, &item, sizeof item);
    view->count++;
}

static void add_node(accordi_view *view, uint32_t node, uint32_t parent)
{
    uint32_t n = view->tree->leaves;
    if (node < n)
        add_item(view, ACCORDI_TERM, node, node, 1, parent);
    else
        add_item(view, ACCORDI_SUBTREE, node, node, view->size[node - n], parent);
}

static bool can_open(const accordi_view *view, uint32_t i)
{
    const accordi_item *item = accordi_view_item(view, i);
    return item->kind == ACCORDI_SUBTREE && !item->open && !item->whole_run && item->like == i;
}

static uint32_t rows_when_open(const accordi_view *view, const accordi_item *item)
{
    uint32_t k = item->node - view->tree->leaves, inner;
    if (item->steps > 0)
        return 2;
    uint32_t children = view->tree->first[k + 1] - view->tree->first[k];
    uint32_t leaves = leaves_of(view->tree, k, &inner);
    return leaves > MOST_SINGLES && !view->full ? children - leaves + 1 : children;
}

static void open_item(accordi_view *view, uint32_t i)
{
    const accord_tree *tree = view->tree;
    accordi_item item = *accordi_view_item(view, i);
    uint32_t k = item.node - tree->leaves, inner;
    accordi_view_item(view, i)->open = true;
    view->rows += rows_when_open(view, &item) - 1;
    if (item.steps > 0) {
        uint32_t below = view->size[item.end - tree->leaves];
        add_node(view, item.end, i);
        add_item(view, ACCORDI_TURN, item.node, item.end, item.size - below, i);
        return;
    }
    uint32_t leaves = leaves_of(tree, k, &inner), met = 0;
    bool together = leaves > MOST_SINGLES && !view->full;
    for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++) {
        bool is_leaf = tree->child[c] < tree->leaves;
        if (!together || !is_leaf)
            add_node(view, tree->child[c], i);
        else if (met++ == 0)
            add_item(view, ACCORDI_TERMS, item.node, item.node, leaves, i);
    }
}

/* The first child of a node is the one with its smallest leaf. */
static uint32_t smallest_leaf(const accord_tree *tree, uint32_t node)
{
    while (node >= tree->leaves)
        node = tree->child[tree->first[node - tree->leaves]];
    return node;
}

/* Lists the closed subtrees of this size in the order of their smallest leaves. */
static uint32_t list_closed(const accordi_view *view, uint32_t size, uint32_t list[MOST_CLOSED])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < view->count && count < MOST_CLOSED; i++) {
        if (accordi_view_item(view, i)->size != size || !can_open(view, i))
            continue;
        uint32_t leaf = smallest_leaf(view->tree, accordi_view_item(view, i)->node), at = count++;
        for (; at > 0; at--) {
            uint32_t before = accordi_view_item(view, list[at - 1])->node;
            if (smallest_leaf(view->tree, before) < leaf)
                break;
            list[at] = list[at - 1];
        }
        list[at] = i;
    }
    return count;
}

static uint32_t shape_of(const accordi_view *view, uint32_t item)
{
    return view->shape[accordi_view_item(view, item)->node - view->tree->leaves];
}

/* Of the closed subtrees of this size, finds those that repeat an earlier one; only ranges of
 * terms, for others are hard to refer to. */
static void find_repeats(accordi_view *view, uint32_t size)
{
    uint32_t closed[MOST_CLOSED], count = list_closed(view, size, closed);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t shape = shape_of(view, closed[i]), k = 0;
        if (shape == ACCORD_TREE_NO_NODE || accord_pattern_at(view->pattern, shape)->span != size)
            continue;
        while (shape_of(view, closed[k]) != shape)
            k++;
        accordi_view_item(view, closed[i])->like = closed[k];
    }
}

/* Opens all closed subtrees of the greatest size; false when none is left or room is short. */
static bool open_largest(accordi_view *view, uint32_t most_rows)
{
    uint32_t largest = 0, rows = view->rows, count = view->count;
    for (uint32_t i = 0; i < count; i++) {
        const accordi_item *item = accordi_view_item(view, i);
        if (can_open(view, i) && item->size > largest)
            largest = item->size;
    }
    if (!view->full && largest >= LEAST_REPEAT)
        find_repeats(view, largest);
    for (uint32_t i = 0; i < count; i++) {
        const accordi_item *item = accordi_view_item(view, i);
        if (item->size == largest && can_open(view, i)) {
            uint32_t more = rows_when_open(view, item) - 1;
            if (more > most_rows || (rows += more) > most_rows)
                return false;
        }
    }
    for (uint32_t i = 0; i < count && !view->items.failed; i++) {
        const accordi_item *item = accordi_view_item(view, i);
        if (item->size == largest && can_open(view, i))
            open_item(view, i);
    }
    return largest > 0 && !view->items.failed;
}

/* Children stand behind their parents: backwards is bottom up. */
static void place_rows(accordi_view *view)
{
    for (uint32_t i = view->count; i-- > 0;) {
        accordi_item *item = accordi_view_item(view, i);
        accordi_item *parent = accordi_view_item(view, item->parent);
        item->rows = item->open ? item->rows : 1;
        if (i == 0)
            break;
        parent->rows += item->rows;
        if (parent->height < item->height + 1)
            parent->height = item->height + 1;
    }
    /* Forwards: `row` of an open item is where its next child begins, until it is set right. */
    for (uint32_t i = 1; i < view->count; i++) {
        accordi_item *item = accordi_view_item(view, i);
        accordi_item *parent = accordi_view_item(view, item->parent);
        item->row = parent->row;
        parent->row += item->rows;
    }
    for (uint32_t i = 0; i < view->count; i++) {
        accordi_item *item = accordi_view_item(view, i);
        if (item->open)
            item->row -= item->rows;
    }
}

enum accord_status accordi_view_build(accordi_view *view, const accord_tree *tree, bool full,
                                      uint32_t most_rows, accord_error *error)
{
    *view = (accordi_view){.tree = tree, .rows = 1, .full = full};
    view->size = accordi_alloc(tree->inner, sizeof *view->size);
    view->shape = accordi_alloc(tree->inner, sizeof *view->shape);
    if (!view->size || !view->shape)
        return accordi_nomem(error);
    if (!full && accordi_pattern_of_nodes(tree, NULL, view->shape, &view->pattern, error))
        return ACCORD_NOMEM;
    accord_tree_sizes(tree, view->size);
    add_node(view, tree->leaves + tree->inner - 1, 0);
    while (!view->items.failed && open_largest(view, full ? UINT32_MAX : most_rows))
        ;
    if (view->items.failed)
        return accordi_nomem(error);
    place_rows(view);
    return ACCORD_OK;
}

void accordi_view_clear(accordi_view *view)
{
    free(view->size);
    free(view->shape);
    accord_pattern_free(view->pattern);
    accordi_buffer_clear(&view->items);
}
