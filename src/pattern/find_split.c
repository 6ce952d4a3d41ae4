/* The rules for recursion by halves: the list is cut at half its number, or a multiple near it, and
 * so are its parts, down to pieces of at most a certain size. A list that is cut only once may be
 * something else as well, so that it has a rule of its own, which is tried later. */
#include "pattern/find.h"

/* A range of items that waits to be looked at. */
typedef struct range {
    uint32_t node, low, held;
} range;

/* What was seen of a tree that is cut: the largest node that is no cut of this kind, and the
 * smallest cut that is larger. */
typedef struct cuts {
    uint32_t piece, cut;
} cuts;

/* Whether the node is cut in this way. */
static bool is_cut(const accordi_finder *f, const accordi_list *list, const accordi_step *split,
                   uint32_t node)
{
    if (list->item[f->low[node]] == node || accordi_children(f, node) != 2 ||
        accordi_label(f, node) != split->label)
        return false;
    size_t first = accordi_split_first(split, f->held[node]);
    uint32_t left = accordi_child(f, node)[0];
    return first > 0 && accordi_side_by_side(f, node) && accordi_side_by_side(f, left) &&
           f->held[left] == first && f->low[left] == f->low[node];
}

/* Visits the nodes that are cut, larger than `least`; a path to one is never longer than some
 * dozens, since each cut halves. */
static cuts visit(const accordi_finder *f, const accordi_list *list, const accordi_step *split,
                  uint32_t least)
{
    uint32_t stack[96];
    size_t waiting = 0;
    cuts seen = {0, UINT32_MAX};
    stack[waiting++] = list->goal;
    while (waiting) {
        uint32_t v = stack[--waiting], held = f->held[v];
        if (held > least && waiting + 2 < sizeof stack / sizeof *stack &&
            is_cut(f, list, split, v)) {
            seen.cut = held < seen.cut ? held : seen.cut;
            stack[waiting++] = accordi_child(f, v)[1];
            stack[waiting++] = accordi_child(f, v)[0];
        } else if (held > seen.piece) {
            seen.piece = held;
        }
    }
    return seen;
}

/* The largest piece after which something is left over, as far as pieces differ. */
static range largest_piece(const accordi_finder *f, const accordi_list *list,
                           const accordi_step *split)
{
    uint32_t stack[96];
    size_t waiting = 0;
    range best = {0};
    stack[waiting++] = list->goal;
    while (waiting) {
        uint32_t v = stack[--waiting];
        range now = {v, f->low[v], f->held[v]};
        bool odd = now.held % 8 > 0, was = best.held % 8 > 0;
        if (now.held > split->number && waiting + 2 < sizeof stack / sizeof *stack) {
            stack[waiting++] = accordi_child(f, v)[1];
            stack[waiting++] = accordi_child(f, v)[0];
        } else if (odd != was ? odd : now.held > best.held) {
            best = now;
        }
    }
    return best;
}

/* The power of two that is a cut-off, if there is one, and otherwise the largest piece. */
static uint32_t cut_off(cuts seen)
{
    uint32_t power = 1;
    while (power < seen.piece)
        power *= 2;
    return power < seen.cut ? power : seen.piece;
}

static accordi_step *with_body(accordi_finder *f, const accordi_step *split, accordi_step *body)
{
    accordi_step *copy = accordi_steps_copy(split);
    f->nomem = f->nomem || !copy;
    if (copy)
        copy->body = body;
    else
        accordi_steps_free(body);
    return copy;
}

/* Whether the list is cut only once. */
static bool is_one_cut(const accordi_list *list, const accordi_step *split)
{
    size_t first = accordi_split_first(split, list->count);
    return first <= split->number && list->count - first <= split->number;
}

static accordi_step *try_split(accordi_finder *f, const accordi_list *list, accordi_step *split,
                               bool once)
{
    cuts seen = visit(f, list, split, 0);
    split->number = cut_off(visit(f, list, split, seen.piece));
    if (is_one_cut(list, split) != once)
        return NULL;
    range piece = largest_piece(f, list, split);
    accordi_step *body = accordi_find_inside(f, list, piece.low, piece.held, piece.node);
    bool is_fold = once && body && !body->next && body->kind < ACCORDI_STEP_LANES;
    accordi_step *step = is_fold ? NULL : with_body(f, split, accordi_steps_copy(body));
    for (size_t i = 0; step && !accordi_find_holds(f, list, step, true); i++) {
        accordi_steps_free(step);
        accordi_step *general = body ? accordi_find_general(f, body, i) : NULL;
        step = general ? with_body(f, split, general) : NULL;
    }
    accordi_steps_free(body);
    return step;
}

/* The ways of cutting that are tried: multiples that are powers of two, either half first. */
enum { WAYS = 22 };

/* Tries the way that leaves the smallest pieces first; `once`: only those that cut once. */
static accordi_step *find(accordi_finder *f, const accordi_list *list, bool once)
{
    accordi_step *found = NULL, split[WAYS];
    uint32_t piece[WAYS];
    for (uint32_t i = 0; i < WAYS; i++) {
        split[i] = (accordi_step){.kind = i % 2 ? ACCORDI_STEP_SPLIT_UP : ACCORDI_STEP_SPLIT,
                                  .label = accordi_label(f, list->goal),
                                  .number = 1,
                                  .multiple = 1u << i / 2};
        piece[i] = visit(f, list, &split[i], 0).piece;
    }
    while (!found && !f->nomem) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < WAYS; i++)
            best = piece[i] < piece[best] ? i : best;
        if (piece[best] >= list->count)
            break;
        found = try_split(f, list, &split[best], once);
        piece[best] = UINT32_MAX;
    }
    return found;
}

accordi_step *accordi_find_split(accordi_finder *f, const accordi_list *list)
{
    return find(f, list, false);
}

accordi_step *accordi_find_one_split(accordi_finder *f, const accordi_list *list)
{
    return find(f, list, true);
}
