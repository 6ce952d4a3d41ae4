/* Sums and products that a model may parenthesize anew.
 *
 * In: a node whose operands are sums (or products) too, with no written parentheses, assignment or
 * conversion between. Out: the value of the whole group, made of that of its terms (or factors),
 * which have values already. A term that is a product keeps its exact form, so it may be fused. */
#include "bound/bound.h"

static bool is_sum(const accordi_bounds *b, const accordi_node *n)
{
    return (n->operation == ACCORD_BOUND_ADD || n->operation == ACCORD_BOUND_SUBTRACT) &&
           (b->splits || b->reorder);
}

static bool is_product(const accordi_bounds *b, const accordi_node *n)
{
    return n->operation == ACCORD_BOUND_MULTIPLY && b->splits;
}

/* Sums of iterations are one sum under LOOP: assignments do not part them. */
static uint32_t past_assignments(const accordi_bounds *b, uint32_t node)
{
    const accordi_node *all = b->expression->node;
    while (b->options.model & ACCORD_BOUND_LOOP && all[node].operation == ACCORD_BOUND_ASSIGN &&
           all[node].uses == 1)
        node = all[node].operand[0];
    return node;
}

static bool belongs(const accordi_bounds *b, const accordi_node *n, uint32_t operand)
{
    const accordi_node *part = &b->expression->node[operand];
    const accordi_node *past = &b->expression->node[past_assignments(b, operand)];
    if (is_sum(b, n))
        return past->uses == 1 && past->format == n->format && is_sum(b, past);
    return part->uses == 1 && part->format == n->format && is_product(b, n) && is_product(b, part);
}

/* An operand that belongs has no value of its own, and neither have assignments before it. */
static void mark(const accordi_bounds *b, uint32_t operand, bool *inside)
{
    uint32_t last = past_assignments(b, operand);
    for (inside[operand] = true; operand != last; inside[operand] = true)
        operand = b->expression->node[operand].operand[0];
}

void accordi_group_mark(const accordi_bounds *b, uint32_t last, bool *inside)
{
    for (uint32_t i = 0; i <= last; i++) {
        const accordi_node *n = &b->expression->node[i];
        for (unsigned k = 0; k < accordi_bound_operands(n->operation); k++)
            if (belongs(b, n, n->operand[k]))
                mark(b, n->operand[k], inside);
    }
}

bool accordi_group_is(const accordi_bounds *b, uint32_t node)
{
    const accordi_node *n = &b->expression->node[node];
    return (is_sum(b, n) || is_product(b, n)) &&
           (belongs(b, n, n->operand[0]) || belongs(b, n, n->operand[1]));
}

/* ---- the parts ---- */

/* A node on the way down; `inner`: a sum or product of the group, else a part of it. */
typedef struct place {
    uint32_t node;
    bool minus, inner;
} place;

static place operand_of(const accordi_bounds *b, const place *at, unsigned k)
{
    const accordi_node *n = &b->expression->node[at->node];
    bool minus = k == 1 && n->operation == ACCORD_BOUND_SUBTRACT;
    bool inner = belongs(b, n, n->operand[k]);
    uint32_t node = inner && is_sum(b, n) ? past_assignments(b, n->operand[k]) : n->operand[k];
    return (place){node, at->minus != minus, inner};
}

/* The parts from left to right; the caller frees. NULL: no memory. */
static place *collect(const accordi_bounds *b, uint32_t node, size_t *count)
{
    place *part = NULL, *stack = NULL;
    size_t room = 0, stack_room = 0, depth = 0;
    bool good = accordi_grow((void **)&stack, &stack_room, 2, sizeof *stack);
    *count = 0;
    if (good)
        stack[depth++] = (place){node, false, true};
    while (good && depth) {
        place at = stack[--depth];
        good = accordi_grow((void **)&stack, &stack_room, depth + 2, sizeof *stack) &&
               accordi_grow((void **)&part, &room, *count + 1, sizeof *part);
        if (good && at.inner) { /* the left one comes to lie on top */
            stack[depth++] = operand_of(b, &at, 1);
            stack[depth++] = operand_of(b, &at, 0);
        } else if (good) {
            part[(*count)++] = at;
        }
    }
    free(stack);
    if (!good)
        free(part);
    return good ? part : NULL;
}

/* ---- their value ---- */

static accordi_value part_value(accordi_bounds *b, const place *part)
{
    accordi_value v = accordi_value_operand(b, part->node);
    return part->minus ? accordi_value_negate(b, &v) : v;
}

static double power_of(const accordi_bounds *b, const double *power, const accordi_value *factor,
                       size_t i)
{
    return power[i] != 0 ? power[i] : accordi_value_unit(b, &factor[i]);
}

/* A power of two may be multiplied into one factor of the product of all the others. */
static void scale_rest(accordi_bounds *b, const double *power, accordi_value *factor, size_t n,
                       accordi_value *out)
{
    for (size_t i = 0; i < n && b->through && n > 2; i++) {
        accordi_value own = factor[i];
        double scale = power_of(b, power, factor, i);
        if (scale == 0 || accordi_value_empty(out))
            continue;
        memmove(&factor[i], &factor[i + 1], (n - 1 - i) * sizeof *factor);
        accordi_value rest = accordi_split_product(b, factor, n - 1);
        memmove(&factor[i + 1], &factor[i], (n - 1 - i) * sizeof *factor);
        factor[i] = own;
        accordi_value_keep_scaled(b, &rest, scale, out);
    }
}

/* Where all other factors are powers of two, one factor that is a product stays one. */
static void scale_one(accordi_bounds *b, const double *power, const accordi_value *factor, size_t n,
                      accordi_value *out)
{
    size_t others = 0, which = 0;
    for (size_t i = 0; i < n; i++)
        if (power_of(b, power, factor, i) == 0) {
            others++;
            which = i;
        }
    if (others != 1 || !b->through || !factor[which].product || accordi_value_empty(out))
        return;
    accordi_value product = factor[which];
    for (size_t i = 0; i < n; i++)
        if (i != which) {
            accordi_value next = accordi_value_multiply(b, &product, &factor[i], false);
            accordi_value_keep_scaled(b, &product, power_of(b, power, factor, i), &next);
            product = next;
        }
    accordi_value_keep_scaled(b, &product, 1, out);
}

accordi_value accordi_group_product(accordi_bounds *b, const double *power, accordi_value *factor,
                                    size_t n)
{
    accordi_value out = accordi_split_product(b, factor, n);
    scale_rest(b, power, factor, n, &out);
    scale_one(b, power, factor, n, &out);
    return out;
}

accordi_value accordi_group_sum(accordi_bounds *b, const accordi_value *term, size_t n)
{
    accordi_value out = accordi_split_sum(b, term, n);
    size_t others = 0, which = 0;
    for (size_t i = 0; i < n; i++)
        if (!accordi_value_is_zero(&term[i])) {
            others++;
            which = i;
        }
    if (others == 1)
        accordi_product_of(b, &term[which], &out);
    return out;
}

accordi_value accordi_group_value(accordi_bounds *b, uint32_t node)
{
    size_t n = 0;
    place *part = collect(b, node, &n);
    accordi_value *v = part ? accordi_calloc(n, sizeof *v) : NULL;
    double *power = v ? accordi_calloc(n, sizeof *power) : NULL;
    accordi_value out = accordi_value_nan(b->expression->node[node].format);
    bool sum = is_sum(b, &b->expression->node[node]), correlated = false;
    b->ways.failed |= !power;
    for (size_t i = 0; power && i < n; i++) {
        power[i] = accordi_bound_power_of_two(b, part[i].node);
        v[i] = accordi_value_widen(b, part_value(b, &part[i]), out.format);
        correlated |= v[i].correlated;
        out.nan |= v[i].nan;
    }
    if (power)
        out = sum ? accordi_group_sum(b, v, n) : accordi_group_product(b, power, v, n);
    out.correlated = correlated;
    free(power);
    free(v);
    free(part);
    return out;
}
