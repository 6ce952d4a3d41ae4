/* Lanes: like subtrees at equal distances under one tree, the fold.
 *
 * Idea: if a node is a fold over lanes, then the lane that holds its first term lies on the path
 * from the node down to that term. So each node of the path is tried as a lane: cut the tree at
 * the topmost subtrees like it and see whether they cover everything, lie at equal distances, and
 * are joined by an order with a name. The most lanes win. */
#include "model/emit/emit.h"

typedef struct visit {
    uint32_t shape, part; /* part: the next one; 0 is the start, i + 1 item i */
    int64_t at;
} visit;

typedef struct cut {
    uint32_t count, joins;
    uint32_t shape[ACCORDI_MOST_LANES];
    int64_t at[ACCORDI_MOST_LANES];
    uint16_t onto[ACCORDI_MOST_LANES], from[ACCORDI_MOST_LANES];
    uint16_t value[ACCORDI_MOST_LANES]; /* a stack: the first lane of each sum so far */
    uint32_t values;
} cut;

/* Single terms as lanes are only that; chains may differ in length. */
static bool is_lane(const accordi_shapes *s, uint32_t shape, uint32_t lane)
{
    return s->shape[lane].kind == ACCORDI_NODE ? accordi_shape_alike(s, shape, lane)
                                               : shape == lane;
}

static bool is_addition(const accordi_shape *s, uint8_t format)
{
    return s->kind == ACCORDI_NODE && s->format == format && accordi_shape_plain(s);
}

static bool add_lane(cut *c, uint32_t shape, int64_t at)
{
    if (c->count == ACCORDI_MOST_LANES)
        return false;
    c->shape[c->count] = shape;
    c->at[c->count] = at;
    c->value[c->values++] = (uint16_t)c->count++;
    return true;
}

/* The sum that stands first goes on. */
static void join_two(cut *c)
{
    uint16_t b = c->value[--c->values], *a = &c->value[c->values - 1];
    bool turned = c->at[b] < c->at[*a];
    c->onto[c->joins] = turned ? b : *a;
    c->from[c->joins] = turned ? *a : b;
    *a = c->onto[c->joins++];
}

/* The additions above the lanes, in post-order; false if something else lies there. */
static bool cut_at(const accordi_shapes *s, uint32_t top, uint32_t lane, cut *c)
{
    visit stack[ACCORDI_MOST_LANES];
    uint32_t depth = 1;
    c->count = c->joins = c->values = 0;
    stack[0] = (visit){top, 0, 0};
    if (!is_addition(&s->shape[top], s->shape[top].format))
        return false;
    while (depth > 0) {
        visit *now = &stack[depth - 1];
        const accordi_shape *shape = &s->shape[now->shape];
        uint32_t part = now->part++, next = part > 0 ? shape->item : shape->start;
        int64_t at = now->at + (part > 0 ? accordi_item_at(shape, part - 1) : shape->start_at);
        if (part > 1)
            join_two(c);
        if (part > shape->run) {
            depth--;
        } else if (is_lane(s, next, lane)) {
            if (!add_lane(c, next, at))
                return false;
        } else {
            if (depth == ACCORDI_MOST_LANES || !is_addition(&s->shape[next], s->shape[top].format))
                return false;
            stack[depth++] = (visit){next, 0, at};
        }
    }
    return true;
}

/* Numbers the lanes by place: rank[i] of the i-th found. False unless the places are i * stride. */
static bool rank_lanes(const cut *c, uint16_t *rank, int64_t *stride)
{
    bool taken[ACCORDI_MOST_LANES] = {false};
    *stride = 0;
    for (uint32_t i = 0; i < c->count; i++)
        if (c->at[i] > 0 && (*stride == 0 || c->at[i] < *stride))
            *stride = c->at[i];
    for (uint32_t i = 0; i < c->count; i++) {
        if (*stride == 0 || c->at[i] % *stride || c->at[i] / *stride >= c->count)
            return false;
        rank[i] = (uint16_t)(c->at[i] / *stride);
        if (taken[rank[i]])
            return false;
        taken[rank[i]] = true;
    }
    return true;
}

/* Each lane b > 0 is added once: onto into[b], as the turn[b]-th onto it. Two folds are equal
 * exactly if these are. */
typedef struct folding {
    uint16_t into[ACCORDI_MOST_LANES], turn[ACCORDI_MOST_LANES], have[ACCORDI_MOST_LANES];
} folding;

static void fold_add(folding *f, size_t onto, size_t from)
{
    f->into[from] = (uint16_t)onto;
    f->turn[from] = f->have[onto]++;
}

static void fold_named(enum accordi_fold fold, size_t count, folding *f)
{
    memset(f, 0, sizeof *f);
    if (fold == ACCORDI_FOLD_SEQUENTIAL)
        for (size_t i = 1; i < count; i++)
            fold_add(f, 0, i);
    if (fold == ACCORDI_FOLD_REVERSE)
        for (size_t i = count - 1; i > 0; i--)
            fold_add(f, i - 1, i);
    if (fold == ACCORDI_FOLD_PAIRS)
        for (size_t w = 1; w < count; w *= 2)
            for (size_t i = 0; i + w < count; i += 2 * w)
                fold_add(f, i, i + w);
    size_t half;
    for (size_t left = count; fold == ACCORDI_FOLD_HALVES && left > 1; left = half) {
        half = left - left / 2;
        for (size_t i = 0; i + half < left; i++)
            fold_add(f, i, i + half);
    }
}

static enum accordi_fold name_fold(const accordi_lanes_plan *plan)
{
    folding own, named;
    memset(&own, 0, sizeof own);
    for (uint32_t i = 0; i + 1 < plan->count; i++)
        fold_add(&own, plan->onto[i], plan->from[i]);
    enum accordi_fold fold = ACCORDI_FOLD_HALVES;
    for (; fold < ACCORDI_FOLD_OTHER; fold++) {
        fold_named(fold, plan->count, &named);
        if (memcmp(own.into, named.into, plan->count * sizeof *own.into) == 0 &&
            memcmp(own.turn, named.turn, plan->count * sizeof *own.turn) == 0)
            break;
    }
    return fold;
}

/* How many of the first lanes are one term longer than the others; -1: they differ otherwise. */
static int64_t count_longer(const accordi_shapes *s, const uint32_t *shape, uint32_t count)
{
    uint32_t longer = 0;
    while (longer < count && shape[longer] == shape[0])
        longer++;
    if (longer == count)
        return 0;
    for (uint32_t i = longer; i < count; i++)
        if (shape[i] != shape[longer])
            return -1;
    const accordi_shape *first = &s->shape[shape[0]];
    bool good = accordi_shape_uniform(s, shape[0]) && first->kind == ACCORDI_NODE &&
                first->stride > 0 && first->leaves == s->shape[shape[longer]].leaves + 1;
    return good ? (int64_t)longer : -1;
}

static bool worth_it(const accordi_shapes *s, const accordi_lanes_plan *p)
{
    const accordi_shape *lane = &s->shape[p->shape];
    bool apart = lane->span > p->stride, few = p->count <= ACCORDI_FEW_LANES;
    if (lane->kind != ACCORDI_NODE && lane->kind != ACCORDI_VALUE && lane->kind != ACCORDI_PRODUCT)
        return false;
    if (p->count < 3 && !(apart && accordi_shape_uniform(s, p->shape)))
        return false;
    if ((p->fold == ACCORDI_FOLD_OTHER || lane->format != p->format) && !few)
        return false;
    return apart || p->count <= 64;
}

static bool try_lane(const accordi_shapes *s, uint32_t shape, uint32_t lane, cut *c,
                     accordi_lanes_plan *out)
{
    uint16_t rank[ACCORDI_MOST_LANES];
    uint32_t by_rank[ACCORDI_MOST_LANES];
    if (!cut_at(s, shape, lane, c) || !rank_lanes(c, rank, &out->stride))
        return false;
    for (uint32_t i = 0; i < c->count; i++)
        by_rank[rank[i]] = c->shape[i];
    for (uint32_t i = 0; i < c->joins; i++) {
        out->onto[i] = rank[c->onto[i]];
        out->from[i] = rank[c->from[i]];
    }
    int64_t longer = count_longer(s, by_rank, c->count);
    out->count = c->count;
    out->shape = by_rank[0];
    out->longer = longer > 0 ? (uint32_t)longer : 0;
    out->format = s->shape[shape].format;
    if (longer < 0)
        return false;
    out->fold = name_fold(out);
    return worth_it(s, out);
}

/* Lanes have equally many terms, unless they are chains of terms. */
static bool could_be_lane(const accordi_shapes *s, uint32_t shape, uint32_t lane)
{
    return s->shape[shape].leaves % s->shape[lane].leaves == 0 || accordi_shape_uniform(s, lane);
}

bool accordi_find_lanes(const accordi_shapes *s, uint32_t shape, accordi_lanes_plan *out)
{
    cut c;
    accordi_lanes_plan now;
    bool found = false;
    for (uint32_t lane = shape; s->shape[lane].kind == ACCORDI_NODE;) {
        const accordi_shape *above = &s->shape[lane];
        lane = above->start_at == 0 ? above->start : above->item; /* where its first term is */
        if (s->shape[shape].leaves / s->shape[lane].leaves > ACCORDI_MOST_LANES)
            break;
        if (could_be_lane(s, shape, lane) && try_lane(s, shape, lane, &c, &now) &&
            (!found || now.count > out->count)) {
            *out = now;
            found = true;
        }
    }
    return found;
}
