/* From an expression and a model to bounds: one walk over the nodes.
 *
 * In: nodes, operands first. Out: an interval for the last of them. Each node gets a value, except
 * where a model may parenthesize anew: there sums and products that touch are one group, and only
 * its outermost node has a value (group.c). The walk keeps, beside each end, an evaluation that is
 * thought to reach it; the bounds are called exact only if both evaluations, done, give the ends.
 */
#include "bound/bound.h"
#include <math.h>

static const accord_bound_model_info models[] = {
    {"written", "every operation as written", ACCORD_BOUND_WRITTEN},
    {"contract-expr", "fused products inside an expression (clang's default)",
     ACCORD_BOUND_CONTRACT_EXPR},
    {"contract", "fused products through variables, calls and memory (gcc's and nvcc's default)",
     ACCORD_BOUND_CONTRACT},
    {"paren", "any parenthesization between written parentheses, and fused products",
     ACCORD_BOUND_PAREN},
    {"perm", "any order of terms and factors too", ACCORD_BOUND_PERM},
    {"loop", "sums in any order, products as written (vectorized reductions)", ACCORD_BOUND_LOOP},
    {"fast", "what -ffast-math allows, products not expanded", ACCORD_BOUND_FAST},
    {"fast-expand", "what -ffast-math allows, products of sums expanded", ACCORD_BOUND_FAST_EXPAND},
    {"excess", "wider intermediate results (x87)", ACCORD_BOUND_EXCESS},
    {"ftz", "subnormal numbers flushed to zero", ACCORD_BOUND_FTZ},
};

const accord_bound_model_info *accord_bound_model_at(size_t i)
{
    return i < sizeof models / sizeof *models ? &models[i] : NULL;
}

static void understand(accordi_bounds *b)
{
    accord_bound_options *o = &b->options;
    unsigned m = o->model = o->model ? o->model : ACCORD_BOUND_CONTRACT;
    o->function_ulp = o->function_ulp == 0 ? 1 : o->function_ulp;
    o->reciprocal_ulp = o->reciprocal_ulp == 0 ? 2 : o->reciprocal_ulp;
    b->outward = m & ACCORD_BOUND_EXCESS;
    b->flushes = m & ACCORD_BOUND_FTZ;
    b->through = m & ACCORD_BOUND_CONTRACT;
    b->splits = m & (ACCORD_BOUND_PAREN | ACCORD_BOUND_PERM);
    b->permutes = m & ACCORD_BOUND_PERM;
    b->reorder = m & (ACCORD_BOUND_PERM | ACCORD_BOUND_LOOP);
    b->fuses = b->through || b->splits || b->reorder || m & ACCORD_BOUND_CONTRACT_EXPR;
}

/* Excess precision and flushing let two uses of a node see two values: affine forms do not hold. */
static accordi_affine *make_affine(accordi_bounds *b, uint32_t last)
{
    if (b->options.symbols == 0 || b->outward || b->flushes)
        return NULL;
    accordi_affine *affine = accordi_affine_new((size_t)last + 1, b->options.symbols);
    b->ways.failed |= !affine;
    accordi_bound_used(b, ACCORDI_AFFINE);
    return affine;
}

static void walk(accordi_bounds *b, uint32_t last)
{
    accordi_affine *affine = make_affine(b, last);
    bool *inside = accordi_calloc((size_t)last + 1, sizeof *inside);
    b->ways.failed |= !inside;
    if (inside)
        accordi_group_mark(b, last, inside);
    for (uint32_t i = 0; i <= last && !b->ways.failed; i++) {
        const accordi_node *n = &b->expression->node[i];
        if (inside[i] && i < last)
            continue;
        if (n->operation == ACCORD_BOUND_VALUE)
            b->value[i] = accordi_value_leaf(b, i);
        else if (accordi_group_is(b, i))
            b->value[i] = accordi_group_value(b, i);
        else
            b->value[i] = accordi_value_apply(b, n);
        if (affine)
            accordi_affine_visit(affine, b, i, accordi_group_is(b, i));
    }
    free(inside);
    accordi_affine_free(affine);
}

/* By cases too, where a node is used more than once; what both give holds. */
static accordi_value walk_by_cases(accordi_bounds *b, uint32_t last)
{
    accordi_value v = accordi_bound_cases(b, last);
    if (b->options.symbols == 0 || b->ways.failed)
        return v;
    walk(b, last);
    const accordi_value *w = &b->value[last];
    if (w->low > v.low) {
        v.low = w->low;
        v.low_way = w->low_way;
    }
    if (w->high < v.high) {
        v.high = w->high;
        v.high_way = w->high_way;
    }
    return v;
}

static bool write_witnesses(const accordi_bounds *b, const accordi_value *v, accord_bound *out)
{
    return accordi_way_text(b, v->low_way, &out->low_witness) &&
           accordi_way_text(b, v->high_way, &out->high_witness) &&
           accordi_way_model(b, v->low_way, &out->low_tree, &out->low_arithmetic, &out->low_x,
                             &out->low_y) &&
           accordi_way_model(b, v->high_way, &out->high_tree, &out->high_arithmetic, &out->high_x,
                             &out->high_y);
}

static void fill(const accordi_bounds *b, const accordi_value *v, accord_bound *out)
{
    static const char *const methods[] = {
        "operations", "sets", "affine forms", "parenthesizations", "subsets", "long sums", "mass"};
    bool empty = accordi_value_empty(v);
    out->low = empty ? (double)NAN : v->low + 0.0; /* no -0 */
    out->high = empty ? (double)NAN : v->high + 0.0;
    out->may_be_nan = v->nan;
    out->format = v->format;
    out->method = methods[b->method];
    out->exact = !v->correlated && accordi_way_reaches(b, v->low_way, v->low) &&
                 accordi_way_reaches(b, v->high_way, v->high);
}

static enum accord_status conclude(const accordi_bounds *b, const accordi_value *v,
                                   accord_bound **out, accord_error *error)
{
    accord_bound *bound = accordi_calloc(1, sizeof *bound);
    if (!bound)
        return accordi_nomem(error);
    fill(b, v, bound);
    if (bound->exact && !b->options.ends_only && !write_witnesses(b, v, bound)) {
        accord_bound_free(bound);
        return accordi_nomem(error);
    }
    *out = bound;
    return ACCORD_OK;
}

static bool has_operations(const accord_bound_expression *e, uint32_t last,
                           const accord_bound_arithmetic *arithmetic)
{
    bool good = true;
    for (uint32_t i = 0; arithmetic && good && i <= last; i++)
        good = (arithmetic->quotient || e->node[i].operation != ACCORD_BOUND_DIVIDE) &&
               (arithmetic->root || e->node[i].operation != ACCORD_BOUND_SQRT);
    return good;
}

static enum accord_status check(const accord_bound_expression *expression, uint32_t *node,
                                const accord_bound_options *options, accord_error *error)
{
    if (*node == UINT32_MAX)
        *node = (uint32_t)expression->count - 1;
    if (expression->count == 0 || *node >= expression->count)
        return accordi_fail(error, ACCORD_ARG, "the expression has no node %u", *node);
    if (options->model & ~(unsigned)ACCORD_BOUND_ALL)
        return accordi_fail(error, ACCORD_ARG, "there is no model with flags 0x%x", options->model);
    if (!has_operations(expression, *node, options->arithmetic))
        return accordi_fail(error, ACCORD_UNSUPPORTED,
                            "this arithmetic has no quotients or roots; use another one");
    if (!(options->function_ulp >= 0) || !(options->reciprocal_ulp >= 0))
        return accordi_fail(error, ACCORD_ARG, "errors in ulp are numbers from 0 on");
    return ACCORD_OK;
}

enum accord_status accord_bound_evaluate(const accord_bound_expression *expression, uint32_t node,
                                         const accord_bound_options *options, accord_bound **out,
                                         accord_error *error)
{
    accordi_bounds b = {.expression = expression};
    enum accord_status status =
        ACCORDI_TAKE(accord_bound_options, reciprocal_ulp, &b.options, options, error);
    if (status == ACCORD_OK)
        status = check(expression, &node, &b.options, error);
    if (status != ACCORD_OK)
        return status;
    understand(&b);
    b.value = accordi_calloc((size_t)node + 1, sizeof *b.value);
    if (b.value && b.options.model & (ACCORD_BOUND_FAST | ACCORD_BOUND_FAST_EXPAND))
        b.value[node] = accordi_mass_value(&b, node);
    else if (b.value && accordi_bound_has_cases(&b, node))
        b.value[node] = walk_by_cases(&b, node);
    else if (b.value)
        walk(&b, node);
    status =
        b.value && !b.ways.failed ? conclude(&b, &b.value[node], out, error) : accordi_nomem(error);
    free(b.value);
    free(b.ways.step);
    return status;
}

void accord_bound_free(accord_bound *bound)
{
    if (!bound)
        return;
    free(bound->low_witness);
    free(bound->high_witness);
    accord_tree_free(bound->low_tree);
    accord_tree_free(bound->high_tree);
    accord_arithmetic_free(bound->low_arithmetic);
    accord_arithmetic_free(bound->high_arithmetic);
    free(bound->low_x);
    free(bound->low_y);
    free(bound->high_x);
    free(bound->high_y);
    free(bound);
}
