/* Rules for a list that one step makes into a sum: the folds, perhaps of a list that begins
 * elsewhere or has a front of its own, and brackets. */
#include "pattern/find.h"

/* What a fold with this number of terms joins first, as a quick look whether it can be. */
typedef struct first_join {
    size_t a, b;
    uint32_t number;
} first_join;

static first_join glance(const accordi_finder *f, const accordi_list *list,
                         enum accordi_step_kind kind)
{
    size_t k = list->count;
    uint32_t up = f->parent[list->item[0]], width = accordi_children(f, up);
    if (kind == ACCORDI_STEP_BACK)
        return (first_join){k - 2, k - 1, 1};
    if (kind == ACCORDI_STEP_HALVES)
        return (first_join){0, k - k / 2, 1};
    if (kind == ACCORDI_STEP_FUSES)
        return (first_join){0, 1, width};
    return (first_join){0, 1, kind == ACCORDI_STEP_ADD ? width - 1 : 1};
}

static const enum accordi_step_kind kinds[] = {
    ACCORDI_STEP_CHAIN, ACCORDI_STEP_BACK,  ACCORDI_STEP_PAIRS, ACCORDI_STEP_HALVES,
    ACCORDI_STEP_FUSE,  ACCORDI_STEP_FUSES, ACCORDI_STEP_ADD,
};

accordi_step *accordi_find_fold(accordi_finder *f, const accordi_list *list)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        first_join join = glance(f, list, kinds[i]);
        if (f->parent[list->item[join.a]] != f->parent[list->item[join.b]])
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

/* A chain, in one direction or the other, that begins neither with the first item nor with the
 * last one: what joins the goal is where it ends. */
accordi_step *accordi_find_turn(accordi_finder *f, const accordi_list *list)
{
    const uint32_t *child = accordi_child(f, list->goal);
    uint32_t last = f->held[child[0]] == 1 ? child[0] : child[1];
    if (accordi_children(f, list->goal) != 2 || list->item[f->low[last]] != last)
        return NULL;
    for (uint32_t back = 0; back < 2; back++) {
        uint32_t by = (f->low[last] + !back) % (uint32_t)list->count;
        accordi_step *turn = by ? accordi_step_new(ACCORDI_STEP_TURN) : NULL;
        accordi_step *chain = accordi_step_new(back ? ACCORDI_STEP_BACK : ACCORDI_STEP_CHAIN);
        if (turn && chain) {
            turn->number = by;
            turn->next = chain;
            chain->label = accordi_label(f, list->goal);
            if (accordi_find_holds(f, list, turn, true))
                return turn;
            turn->next = NULL;
        }
        f->nomem = f->nomem || (by && !turn) || !chain;
        accordi_steps_free(turn);
        accordi_steps_free(chain);
    }
    return NULL;
}

/* Neighbors at the front are joined, so that a power of two of items is left, which are then
 * folded: so do ranks that double or halve their distances. Blocks of two would go on behind the
 * front. */
accordi_step *accordi_find_power(accordi_finder *f, const accordi_list *list)
{
    static const enum accordi_step_kind folds[] = {ACCORDI_STEP_PAIRS, ACCORDI_STEP_HALVES};
    size_t power = 1;
    while (power <= list->count / 2)
        power *= 2;
    uint32_t front = 2 * (uint32_t)(list->count - power), up = f->parent[list->item[0]];
    if (front == 0 || up != f->parent[list->item[1]])
        return NULL;
    for (size_t i = 0; i < sizeof folds / sizeof *folds && !f->nomem; i++) {
        accordi_step *chain = accordi_step_new(ACCORDI_STEP_CHAIN);
        accordi_step *fold = accordi_step_new(folds[i]);
        f->nomem = !chain || !fold;
        if (!f->nomem) {
            chain->label = accordi_label(f, up);
            chain->block = front > 2 ? 2 : 0;
            chain->to = ACCORDI_REACH_AT;
            chain->reach = front;
            chain->next = fold;
            fold->label = accordi_label(f, list->goal);
            if (accordi_find_holds(f, list, chain, true))
                return chain;
            chain->next = NULL;
        }
        accordi_steps_free(chain);
        accordi_steps_free(fold);
    }
    return NULL;
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
