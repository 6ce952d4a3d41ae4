/* The rule for lanes: items at one distance are joined, over the beginning of the list or all of
 * it, perhaps in blocks. What remains is for later steps: lanes that a narrower loop goes on with,
 * folds, the terms behind. */
#include "pattern/find.h"

/* Lanes from item `at` on, at this distance; `rows` items in the first one, whose top is `top`. */
typedef struct lanes {
    uint32_t at, distance, rows, top;
} lanes;

/* The first node whose children are items at one distance; false if there is none. */
static bool find_first(const accordi_finder *f, const accordi_list *list, lanes *out)
{
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t v = f->parent[list->item[i]], width = accordi_children(f, v);
        if (f->low[v] != i || f->held[v] != width)
            continue;
        const uint32_t *child = accordi_child(f, v);
        uint32_t distance = f->low[child[1]] - i;
        for (uint32_t c = 2; c < width; c++)
            if (f->low[child[c]] != i + c * distance)
                return false;
        *out = (lanes){i, distance, width, v};
        return true;
    }
    return false;
}

/* Whether the items of the node are as many, and reach as far, as those of a lane from item `at`
 * on.
 */
static bool is_lane(const accordi_finder *f, const lanes *l, uint32_t node, uint32_t at)
{
    return f->low[node] == at && (f->high[node] - at) % l->distance == 0 &&
           (f->high[node] - at) / l->distance + 1 == f->held[node];
}

/* Whether the items of a node may be some of the first lane, of which one behind others of it was
 * added to the node below. */
static bool leaps(const accordi_finder *f, const lanes *l, uint32_t node, uint32_t below)
{
    uint32_t reach = f->high[node] - l->at;
    return f->low[node] == l->at && reach % l->distance == 0 &&
           f->held[node] <= reach / l->distance && f->held[node] == f->held[below] + 1;
}

/* The chain of the first lane, as far as it goes on with one item after the other; or, with
 * `whole`, the largest node that has only items of the lane. */
static lanes extend(accordi_finder *f, const accordi_list *list, lanes l, bool whole)
{
    for (uint32_t v = l.top; v != list->goal;) {
        uint32_t below = v;
        v = f->parent[v];
        bool next = f->held[v] == l.rows + 1 && accordi_children(f, v) == 2 &&
                    accordi_label(f, v) == accordi_label(f, l.top);
        bool all = l.distance == 1 && v == list->goal; /* no part of the list */
        bool lane = is_lane(f, &l, v, l.at);
        bool goes_on =
            lane ? whole || next
                 : whole && leaps(f, &l, v, below) && accordi_chooses(f, ACCORDI_CHOOSE_LEAPS);
        if (all || !goes_on)
            break;
        l.top = lane ? v : l.top;
        l.rows = f->held[l.top];
    }
    return l;
}

/* How many lanes have as many rows as the first one. */
static uint32_t count_full(const accordi_finder *f, const accordi_list *list, const lanes *l)
{
    uint32_t full = 0;
    while (full < l->distance) {
        size_t at = l->at + full;
        if (at >= list->count)
            break;
        uint32_t v = list->item[at];
        while (v != list->goal && f->held[v] < l->rows && f->low[v] == at)
            v = f->parent[v];
        if (f->held[v] != l->rows || !is_lane(f, l, v, (uint32_t)at))
            break;
        full++;
    }
    return full;
}

/* The order of a lane; a chain needs no words, if there is more than one lane. NULL where *holds
 * becomes false, too: the node has other items. */
static accordi_step *find_body(accordi_finder *f, const accordi_list *list, const lanes *l,
                               uint32_t *label, bool *holds)
{
    uint32_t *item = accordi_alloc(l->rows, sizeof *item);
    f->nomem = f->nomem || !item;
    for (uint32_t i = 0; item && i < l->rows; i++)
        item[i] = list->item[l->at + (size_t)i * l->distance];
    accordi_list lane = {item, l->rows, l->top};
    *holds = item && accordi_find_is_all(f, &lane);
    accordi_step *body = *holds ? accordi_find_inside(f, &lane, 0, l->rows, l->top) : NULL;
    free(item);
    accordi_find_scan(f, list);
    *label = 0;
    if (body && body->kind == ACCORDI_STEP_CHAIN && !body->next && body->to == ACCORDI_REACH_ALL &&
        !body->block && l->distance > 1) {
        *label = body->label;
        accordi_steps_free(body);
        body = NULL;
    }
    return body;
}

static accordi_step *make_step(accordi_finder *f, const accordi_list *list, const lanes *l,
                               uint32_t count)
{
    uint32_t label;
    bool holds;
    accordi_step *body = find_body(f, list, l, &label, &holds);
    if (!holds)
        return NULL;
    accordi_step *step =
        l->distance == 1 ? accordi_find_group(f, body) : accordi_step_new(ACCORDI_STEP_LANES);
    f->nomem = f->nomem || !step;
    if (!step || f->nomem) {
        accordi_steps_free(body == step ? NULL : body);
        accordi_steps_free(step);
        return NULL;
    }
    if (l->distance > 1) {
        step->number = l->distance;
        step->body = body;
        step->label = label;
    }
    step->to = ACCORDI_REACH_AT;
    step->at = l->at;
    step->reach = count;
    return step;
}

/* As many blocks of the step as follow each other, where each has more items than lanes. */
static void add_blocks(accordi_finder *f, const accordi_list *list, accordi_step *step,
                       uint32_t least)
{
    uint32_t size = step->reach, blocks = 1;
    accordi_step one = *step;
    one.to = ACCORDI_REACH_ALL;
    one.next = NULL;
    size_t at = step->at + size;
    for (bool holds = true; holds && at < list->count; at += holds ? size : 0, blocks += holds) {
        accordi_list block = {list->item + at, size, list->goal};
        block.count = list->count - at < size ? list->count - at : size;
        holds = block.count > least && accordi_find_holds(f, &block, &one, false);
    }
    step->block = blocks > 1 ? size : 0;
    step->reach = blocks * size;
    if (step->reach > list->count - step->at) /* the last block is shorter */
        step->reach = (uint32_t)(list->count - step->at);
}

static bool is_term(const accordi_finder *f, uint32_t item)
{
    return item < f->tree->leaves;
}

/* A last row that not all lanes have, with further items behind it, is no row but something that is
 * added onto the first lanes: without it, if it is a single item in the first lane. */
static lanes whole_rows(accordi_finder *f, const accordi_list *list, lanes l, uint32_t full)
{
    size_t end = (size_t)l.at + (l.rows - 1) * l.distance + full;
    if (full == l.distance || end >= list->count || l.rows < 3 || accordi_children(f, l.top) != 2)
        return l;
    bool between = !is_term(f, list->item[end - 1]) && is_term(f, list->item[end]);
    if (between && accordi_chooses(f, ACCORDI_CHOOSE_APART))
        return l;
    const uint32_t *child = accordi_child(f, l.top);
    if (f->held[child[0]] + 1 == l.rows && f->low[child[1]] == end - full) {
        l.top = child[0];
        l.rows--;
    }
    return l;
}

static accordi_step *try_lanes(accordi_finder *f, const accordi_list *list, const lanes *given)
{
    lanes l = whole_rows(f, list, *given, count_full(f, list, given));
    uint32_t full = count_full(f, list, &l);
    accordi_step *step = make_step(f, list, &l, (l.rows - 1) * l.distance + full);
    if (!step)
        return NULL;
    if (full == l.distance)
        add_blocks(f, list, step, l.distance);
    if (accordi_find_holds(f, list, step, false)) {
        step->to = step->reach == list->count ? ACCORDI_REACH_ALL : step->to;
        return step;
    }
    accordi_steps_free(step);
    return NULL;
}

/* Items behind the first lane, of which each `block`-th one is added onto its first item: how many
 * are, and the block. */
static uint32_t count_onto(accordi_finder *f, const accordi_list *list, const lanes *l,
                           uint32_t *block)
{
    uint32_t count = 0, last = l->at;
    *block = l->distance;
    for (uint32_t v = l->top;; v = f->parent[v]) {
        uint32_t next = f->high[v];
        if (accordi_children(f, v) != 2 || f->held[v] != count + 2 || f->low[v] != l->at ||
            accordi_label(f, v) != accordi_label(f, l->top) || next <= last)
            break;
        if (count == 1)
            *block = next - last;
        if (count > 1 && next - last != *block)
            break;
        bool other = is_term(f, list->item[next]) != is_term(f, list->item[last]);
        if (count > 0 && other && accordi_chooses(f, ACCORDI_CHOOSE_APART))
            break;
        last = next;
        count++;
        if (v == list->goal)
            break;
    }
    return count;
}

/* Items are added, in blocks, onto those from the first one on, from which they stand apart. */
static accordi_step *find_onto(accordi_finder *f, const accordi_list *list, const lanes *l)
{
    uint32_t block, rows = count_onto(f, list, l, &block), first = l->at + l->distance;
    uint64_t reach = (uint64_t)rows * block;
    if (rows < 2 || block >= l->distance || first + reach > list->count)
        return NULL;
    accordi_step *step = accordi_step_new(ACCORDI_STEP_ONTO);
    f->nomem = f->nomem || !step;
    if (!step)
        return NULL;
    step->number = l->at;
    step->label = accordi_label(f, l->top);
    step->block = block > 1 ? block : 0;
    step->to = first + reach == list->count ? ACCORDI_REACH_LAST : ACCORDI_REACH_AT;
    step->reach = (uint32_t)reach;
    step->at = step->to == ACCORDI_REACH_AT ? first : 0;
    if (accordi_find_holds(f, list, step, false))
        return step;
    accordi_steps_free(step);
    return NULL;
}

/* The distance of the first items of two rows of a lane, if rows have more items than there are
 * lanes: the first lane has an item each `distance` items, and then the next row begins sooner. It
 * is 0 if there are no two rows of this kind. *last is the last item of the lane. */
static uint32_t find_row(const accordi_finder *f, const lanes *l, const accordi_list *list,
                         uint32_t *last)
{
    uint32_t row = 0, next = l->at + l->distance, v = l->top;
    bool twice = false;
    for (*last = next; v != list->goal; *last = next) {
        uint32_t in_row = row ? (next - l->at) % row : next - l->at;
        v = f->parent[v];
        if (accordi_children(f, v) != 2 || f->held[v] != f->held[accordi_child(f, v)[0]] + 1 ||
            accordi_label(f, v) != accordi_label(f, l->top))
            break;
        next = f->high[v];
        if (!row && next > *last && next - *last < l->distance)
            row = next - l->at;
        bool ends = row && in_row + l->distance >= row;
        if (next != (ends ? *last - in_row + row : *last + l->distance))
            break;
        twice = twice || (row && next >= l->at + row + l->distance);
    }
    return twice ? row : 0;
}

/* Lanes of rows that have more items than there are lanes. */
static accordi_step *find_rows(accordi_finder *f, const accordi_list *list, const lanes *l)
{
    uint32_t last, row = find_row(f, l, list, &last);
    if (row == 0 || f->held[l->top] != 2)
        return NULL;
    accordi_step *step = accordi_step_new(ACCORDI_STEP_LANES);
    f->nomem = f->nomem || !step;
    if (!step)
        return NULL;
    step->number = l->distance;
    step->multiple = row;
    step->label = accordi_label(f, l->top);
    step->at = l->at;
    step->reach = ((last - l->at) / row + 1) * row;
    step->to = ACCORDI_REACH_AT;
    if (step->reach > list->count - l->at)
        step->reach = (uint32_t)list->count - l->at;
    if (accordi_find_holds(f, list, step, false))
        return step;
    accordi_steps_free(step);
    return NULL;
}

/* Whether the lanes are chains of chains, which two steps without bodies say as well. */
static bool is_two_chains(const accordi_step *step)
{
    const accordi_step *body = step ? step->body : NULL;
    return step && step->kind == ACCORDI_STEP_LANES && body && body->kind == ACCORDI_STEP_CHAIN &&
           body->next && body->next->kind == ACCORDI_STEP_CHAIN && !body->next->next;
}

/* The item before the one at `at` that a node adds to it, if there is one; else `at`. */
static uint32_t partner(const accordi_finder *f, const accordi_list *list, uint32_t at)
{
    uint32_t up = f->parent[list->item[at]];
    bool two = f->held[up] == 2 && accordi_children(f, up) == 2 && f->high[up] == at;
    return two ? f->low[up] : at;
}

/* The first terms that are added onto items before them, each onto the next one. */
static accordi_step *find_tail(accordi_finder *f, const accordi_list *list)
{
    uint32_t at = 0, n = (uint32_t)list->count, size = 1;
    while (at < n && (!is_term(f, list->item[at]) || partner(f, list, at) == at))
        at++;
    if (at == n)
        return NULL;
    uint32_t to = partner(f, list, at), label = accordi_label(f, f->parent[list->item[at]]);
    while (at + size < n && to + size < at && is_term(f, list->item[at + size]) &&
           partner(f, list, at + size) == to + size &&
           accordi_label(f, f->parent[list->item[at + size]]) == label)
        size++;
    accordi_step *step = accordi_step_new(ACCORDI_STEP_ONTO);
    f->nomem = f->nomem || !step;
    if (!step)
        return NULL;
    step->number = to;
    step->label = label;
    step->block = size > 1 ? size : 0;
    step->to = at + size == n ? ACCORDI_REACH_LAST : ACCORDI_REACH_AT;
    step->reach = size;
    step->at = step->to == ACCORDI_REACH_AT ? at : 0;
    return step;
}

accordi_step *accordi_find_stage(accordi_finder *f, const accordi_list *list)
{
    lanes first;
    if (!find_first(f, list, &first))
        return NULL;
    bool sums =
        !is_term(f, list->item[first.at]) && !is_term(f, list->item[first.at + first.distance]);
    accordi_step *more = sums ? find_tail(f, list) : NULL;
    if (more && accordi_chooses(f, ACCORDI_CHOOSE_TAILS))
        return more;
    accordi_steps_free(more);
    more = f->nomem ? NULL : find_rows(f, list, &first);
    if (!more && !f->nomem)
        more = find_onto(f, list, &first);
    if (more || f->nomem)
        return more;
    lanes whole = extend(f, list, first, true), chain = extend(f, list, first, false);
    accordi_step *step = try_lanes(f, list, &whole);
    if (f->nomem || whole.rows == chain.rows || (step && !is_two_chains(step)))
        return step;
    accordi_step *other = try_lanes(f, list, &chain);
    bool better = other && (!step || other->reach == step->reach);
    accordi_steps_free(better ? step : other);
    return better ? other : step;
}
