/* Rules for a list that one step makes into a sum: the folds, perhaps of a list that begins
 * elsewhere or has a front of its own, and brackets. */
#include "pattern/find.h"

/* Items that a fold with this number of terms or children joins, as a quick look whether it can be;
 * none if number is 0. */
typedef struct first_join {
    size_t a, b;
    uint32_t number;
} first_join;

/* The first children in a heap that have none, and how many the first item has. */
static first_join glance_heap(const accordi_finder *f, const accordi_list *list)
{
    size_t from = 0, below = 0, level = 1;
    uint32_t children = 0;
    for (uint32_t v = list->item[0]; v != list->goal; v = f->parent[v])
        children++;
    for (; children > 1 && list->count - below > level; level *= children) {
        from = below;
        below += level;
    }
    return (first_join){from, below, children > 1 ? children : 0};
}

static first_join glance(const accordi_finder *f, const accordi_list *list,
                         enum accordi_step_kind kind)
{
    size_t k = list->count, part = k;
    uint32_t up = f->parent[list->item[0]], width = accordi_children(f, up);
    if (kind == ACCORDI_STEP_BACK)
        return (first_join){k - 2, k - 1, 1};
    if (kind == ACCORDI_STEP_HALVES)
        return (first_join){0, k - k / 2, 1};
    if (kind == ACCORDI_STEP_HEAP || kind == ACCORDI_STEP_HEAP_ACROSS)
        return glance_heap(f, list);
    if (kind == ACCORDI_STEP_INORDER)
        return (first_join){1, 2, k > 2};
    if (kind == ACCORDI_STEP_INORDER_BACK)
        return (first_join){k - 2, k - 3, k > 2};
    while (kind == ACCORDI_STEP_POSTORDER && part > 3)
        part /= 2;
    if (kind == ACCORDI_STEP_POSTORDER)
        return (first_join){part - 2, part - 1, 1};
    if (kind == ACCORDI_STEP_FUSES)
        return (first_join){0, 1, width};
    return (first_join){0, 1, kind == ACCORDI_STEP_ADD ? width - 1 : 1};
}

static const enum accordi_step_kind kinds[] = {
    ACCORDI_STEP_CHAIN,     ACCORDI_STEP_BACK,     ACCORDI_STEP_PAIRS,
    ACCORDI_STEP_HALVES,    ACCORDI_STEP_FUSE,     ACCORDI_STEP_FUSES,
    ACCORDI_STEP_ADD,       ACCORDI_STEP_DOUBLING, ACCORDI_STEP_HALVING,
    ACCORDI_STEP_COUNTER,   ACCORDI_STEP_HEAP,     ACCORDI_STEP_HEAP_ACROSS,
    ACCORDI_STEP_POSTORDER, ACCORDI_STEP_INORDER,  ACCORDI_STEP_INORDER_BACK,
};

accordi_step *accordi_find_fold(accordi_finder *f, const accordi_list *list)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        first_join join = glance(f, list, kinds[i]);
        if (join.number == 0 || f->parent[list->item[join.a]] != f->parent[list->item[join.b]])
            continue;
        accordi_step *step = accordi_step_new(kinds[i]);
        f->nomem = f->nomem || !step;
        if (!step)
            return NULL;
        step->number = join.number;
        step->label = accordi_label(f, list->goal);
        if (accordi_find_holds(f, list, step, true))
            return step;
        accordi_steps_free(step);
    }
    return NULL;
}

/* Items are moved as `move` says, and then there is this fold. */
static accordi_step *try_moved(accordi_finder *f, const accordi_list *list,
                               const accordi_step *move, enum accordi_step_kind kind)
{
    accordi_step *first = accordi_steps_copy(move), *fold = accordi_step_new(kind);
    f->nomem = f->nomem || !first || !fold;
    if (!f->nomem) {
        first->next = fold;
        fold->label = accordi_label(f, list->goal);
        if (accordi_find_holds(f, list, first, true))
            return first;
        first->next = NULL;
    }
    accordi_steps_free(first);
    accordi_steps_free(fold);
    return NULL;
}

/* A chain of blocks that are reversed: its beginning, the first block, ends with its first item. */
static accordi_step *try_reversed(accordi_finder *f, const accordi_list *list)
{
    uint32_t v = f->parent[list->item[0]];
    const accordi_step reverse = {
        .kind = ACCORDI_STEP_REVERSE, .number = 1, .multiple = 1, .block = f->held[v]};
    bool can = f->low[v] == 0 && accordi_side_by_side(f, v);
    return can ? try_moved(f, list, &reverse, ACCORDI_STEP_CHAIN) : NULL;
}

/* Folds of a list that begins elsewhere, or whose items are moved: a chain, in one direction or the
 * other, that begins neither with the first item nor with the last one, where what joins the goal
 * is where it ends; a tree in order, whose root joins the goal; or a chain of reversed blocks. */
accordi_step *accordi_find_moved(accordi_finder *f, const accordi_list *list)
{
    const uint32_t *child = accordi_child(f, list->goal);
    uint32_t last = f->held[child[0]] == 1 ? child[0] : child[1], at = f->low[last];
    if (accordi_children(f, list->goal) != 2 || list->item[at] != last)
        return NULL;
    accordi_step turn = {
        .kind = ACCORDI_STEP_TURN, .number = (at + 1) % (uint32_t)list->count, .multiple = 1};
    accordi_step *steps = NULL;
    if (turn.number)
        steps = try_moved(f, list, &turn, ACCORDI_STEP_CHAIN);
    turn.number = at;
    if (!steps && at)
        steps = try_moved(f, list, &turn, ACCORDI_STEP_BACK);
    if (!steps && at)
        steps = try_moved(f, list, &turn, ACCORDI_STEP_INORDER);
    return steps ? steps : try_reversed(f, list);
}

/* The tokens of the tree over the items, from the goal down: what is still to be written waits on a
 * stack, and a node waits twice, for its brackets. */
static bool put_tokens(const accordi_finder *f, const accordi_list *list, accordi_step *step,
                       uint64_t *stack)
{
    size_t waiting = 0;
    bool good = true;
    stack[waiting++] = (uint64_t)list->goal << 1;
    while (good && waiting) {
        uint32_t v = (uint32_t)(stack[waiting - 1] >> 1);
        bool opened = stack[--waiting] & 1;
        if (opened) {
            good = accordi_step_token(step, ACCORDI_TOKEN_CLOSE, accordi_label(f, v));
        } else if (list->item[f->low[v]] == v) {
            good = accordi_step_token(step, ACCORDI_TOKEN_ITEM, f->low[v]);
        } else {
            good = accordi_step_token(step, ACCORDI_TOKEN_OPEN, 0);
            stack[waiting++] = (uint64_t)v << 1 | 1;
            for (uint32_t c = accordi_children(f, v); c-- > 0;)
                stack[waiting++] = (uint64_t)accordi_child(f, v)[c] << 1;
        }
    }
    return good;
}

accordi_step *accordi_find_tree(accordi_finder *f, const accordi_list *list)
{
    accordi_step *step = accordi_step_new(ACCORDI_STEP_TREE);
    uint64_t *stack = accordi_alloc(2 * list->count + 1, sizeof *stack);
    bool good = step && stack && put_tokens(f, list, step, stack);
    free(stack);
    f->nomem = f->nomem || !good;
    if (good)
        return step;
    accordi_steps_free(step);
    return NULL;
}
