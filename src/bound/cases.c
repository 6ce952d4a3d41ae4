/* Values that are used more than once: one case for each number that they can be.
 *
 * In: an expression, and a model that fuses operations but keeps their order. Out: bounds in which
 * all uses of a node see one value, where it is one of a few.
 *
 * Idea: beside its interval, a node whose operands are sets has the set of its values: of a sum,
 * the plain one and those with a fused product, for all pairs of elements. Where a node is used
 * again and has from 2 to 64 values, the walk over the nodes forks: it goes on with each value in
 * turn, and the intervals of the result are joined. Nothing is lost, for every evaluation belongs
 * to one case. A set that would be larger, or that is not certain to be complete, is left out: its
 * node stays an interval. The sizes of the sets of one path multiply to MOST at most, and so there
 * are no more cases than that. */
#include "bound/arithmetic.h"
#include "bound/bound.h"

enum { ELEMENTS = 64, MOST = 4096, MOST_VISITS = 400000 };

/* Elements are values of one number each; none: the set is not known. */
typedef struct set {
    accordi_value *element;
    size_t count, capacity;
} set;

typedef struct choice {
    uint32_t node;
    size_t at, most; /* the element now; the product of all sizes up to here */
    set values;
} choice;

typedef struct cases {
    accordi_bounds *b;
    uint32_t last, shared; /* the last node that is used more than once, and may fork */
    set *sets;
    choice *path;
    size_t depth, capacity, limit;
} cases;

static bool same_product(const accordi_value *v, const accordi_value *w)
{
    return v->product == w->product &&
           (!v->product || (v->least.x == w->least.x && v->least.y == w->least.y));
}

/* Is the product, if any, one exact product? Then a sum has two values for it, not more. */
static bool is_single(const accordi_bounds *b, const accordi_value *v)
{
    return accordi_value_point(v) && !v->nan &&
           (!v->product ||
            accordi_do_compare(b, v->least.x, v->least.y, v->greatest.x, v->greatest.y) == 0);
}

/* False: the set is too large, or the value is not one number. */
static bool put(cases *c, set *s, const accordi_value *v)
{
    if (!is_single(c->b, v))
        return false;
    for (size_t i = 0; i < s->count; i++)
        if (s->element[i].low == v->low && same_product(&s->element[i], v))
            return true;
    if (s->count == ELEMENTS)
        return false;
    bool room = accordi_grow((void **)&s->element, &s->capacity, s->count + 1, sizeof *s->element);
    c->b->ways.failed |= !room;
    if (room)
        s->element[s->count++] = *v;
    return room;
}

static void clear(set *s)
{
    free(s->element);
    *s = (set){0};
}

/* A sum with no fused product, and with either one: both of its ends are values. */
static bool put_sum(cases *c, set *s, accordi_value v, accordi_value w)
{
    const bool fuses[2] = {v.product, w.product};
    for (int turn = 0; turn < 3; turn++) {
        v.product = turn == 1 && fuses[0];
        w.product = turn == 2 && fuses[1];
        accordi_value sum = accordi_value_add(c->b, &v, &w), end = sum;
        end.high = sum.low;
        end.high_way = sum.low_way;
        if (sum.nan || !put(c, s, &end))
            return false;
        end = sum;
        end.low = sum.high;
        end.low_way = sum.high_way;
        if (!put(c, s, &end))
            return false;
    }
    return true;
}

static bool put_result(cases *c, set *s, const accordi_node *n, const accordi_value v[3])
{
    if (n->operation == ACCORD_BOUND_ADD)
        return put_sum(c, s, v[0], v[1]);
    if (n->operation == ACCORD_BOUND_SUBTRACT)
        return put_sum(c, s, v[0], accordi_value_negate(c->b, &v[1]));
    accordi_value out = accordi_value_operate(c->b, n, v);
    return put(c, s, &out);
}

/* The set of a node from those of its operands; two operands that are one node have one value. */
static void find_set(cases *c, uint32_t node)
{
    const accordi_node *n = &c->b->expression->node[node];
    unsigned operands = accordi_bound_operands(n->operation);
    const set *from[3] = {NULL, NULL, NULL};
    size_t at[3] = {0};
    set out = {0};
    bool good = true;
    for (unsigned k = 0; k < operands; k++) {
        from[k] = &c->sets[n->operand[k]];
        good &= from[k]->count > 0;
    }
    while (good) {
        accordi_value v[3];
        bool apart = false;
        for (unsigned k = 0; k < operands; k++) {
            v[k] = from[k]->element[at[k]];
            for (unsigned j = 0; j < k; j++)
                apart |= n->operand[j] == n->operand[k] && at[j] != at[k];
        }
        good = apart || put_result(c, &out, n, v);
        unsigned k = 0;
        while (k < operands && ++at[k] == from[k]->count)
            at[k++] = 0;
        if (k == operands)
            break;
    }
    if (!good)
        clear(&out);
    c->sets[node] = out;
}

static void visit(cases *c, uint32_t node)
{
    accordi_bounds *b = c->b;
    const accordi_node *n = &b->expression->node[node];
    if (c->shared < node) {
        b->value[node] = n->operation == ACCORD_BOUND_VALUE ? accordi_value_leaf(b, node)
                                                            : accordi_value_apply(b, n);
        return;
    }
    clear(&c->sets[node]);
    if (n->operation != ACCORD_BOUND_VALUE) {
        b->value[node] = accordi_value_apply(b, n);
        find_set(c, node);
    } else {
        b->value[node] = accordi_value_leaf(b, node);
        put(c, &c->sets[node], &b->value[node]);
    }
}

/* The node is one element of its set from here on. */
static void pin(cases *c, const choice *made)
{
    set *s = &c->sets[made->node];
    clear(s);
    put(c, s, &made->values.element[made->at]);
    c->b->value[made->node] = made->values.element[made->at];
}

static void fork_at(cases *c, uint32_t node)
{
    set *s = &c->sets[node];
    size_t most = c->depth ? c->path[c->depth - 1].most : 1;
    bool shared = c->b->expression->node[node].uses > 1;
    if (!shared || s->count < 2 || most * s->count > c->limit || node == c->last)
        return;
    if (!accordi_grow((void **)&c->path, &c->capacity, c->depth + 1, sizeof *c->path)) {
        c->b->ways.failed = true;
        return;
    }
    choice *made = &c->path[c->depth++];
    *made = (choice){node, 0, most * s->count, *s};
    *s = (set){0};
    pin(c, made);
    accordi_bound_used(c->b, ACCORDI_SETS);
}

/* The next case; where to go on, or `last` + 1 after all of them. */
static uint32_t next_case(cases *c)
{
    while (c->depth) {
        choice *top = &c->path[c->depth - 1];
        if (++top->at < top->values.count) {
            pin(c, top);
            return top->node + 1;
        }
        clear(&top->values);
        c->depth--;
    }
    return c->last + 1;
}

/* 0: there is none. */
static uint32_t last_shared(const accordi_bounds *b, uint32_t last)
{
    const accordi_node *all = b->expression->node;
    uint32_t i = last;
    while (i > 0 && !(all[i].uses > 1 && all[i].operation != ACCORD_BOUND_VALUE && i < last))
        i--;
    return i;
}

bool accordi_bound_has_cases(const accordi_bounds *b, uint32_t last)
{
    return !(b->splits || b->reorder || b->outward || b->flushes) && last < MOST_VISITS / 16 &&
           last_shared(b, last) > 0;
}

accordi_value accordi_bound_cases(accordi_bounds *b, uint32_t last)
{
    size_t limit = MOST_VISITS / ((size_t)last + 1);
    cases c = {
        .b = b, .last = last, .shared = last_shared(b, last), .limit = limit < MOST ? limit : MOST};
    accordi_value out = accordi_value_nan(b->expression->node[last].format);
    out.nan = false;
    c.sets = accordi_calloc((size_t)last + 1, sizeof *c.sets);
    b->ways.failed |= !c.sets;
    for (uint32_t i = 0; i <= last && !b->ways.failed; i = next_case(&c)) {
        for (; i <= last && !b->ways.failed; i++) {
            visit(&c, i);
            fork_at(&c, i);
        }
        accordi_value_join(&out, &b->value[last]);
    }
    for (uint32_t i = 0; c.sets && i <= last; i++)
        clear(&c.sets[i]);
    for (size_t i = 0; i < c.depth; i++)
        clear(&c.path[i].values);
    free(c.sets);
    free(c.path);
    return out;
}
