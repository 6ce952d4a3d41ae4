/* What a replay needs to know about a model: in which lanes it runs and how each node is computed.
 *
 * Lanes of float serve where every value is one that f32 holds and every sum and product is an f32
 * one to nearest. Lanes of double hold every value of every model; nodes in f32 or f64 to nearest
 * are computed with vectors there too, all others lane by lane. */
#include "model/replay/plan.h"
#include "model/operation.h"
#include "model/replay/replay.h"
#include "model/replay/scalar.h"
#include "model/scaling.h"
#include "model/words.h"

static bool is_native(const accord_operation *op, enum accord_format format)
{
    return op->format == format && op->product == format && op->rounding == ACCORD_NEAREST_EVEN &&
           op->fused != ACCORD_STEP && (op->stored == ACCORD_F64 || op->stored == format);
}

/* Zeros are added to sums and to terms that are products; the start value is none. */
static enum accord_zero zero_of(const accord_arithmetic *a, const accord_operation *op)
{
    bool products = a->term == ACCORD_TERM_PRODUCT || a->term == ACCORD_TERM_SQUARE;
    return products || op->zero == ACCORD_ZERO_ADDED ? op->zero : ACCORD_ZERO_NONE;
}

static bool adds_to_terms(enum accord_zero zero)
{
    return zero == ACCORD_ZERO_ROUNDED || zero == ACCORD_ZERO_FUSED;
}

/* The start and its factor are of the formats of the other terms, so to speak. */
static bool start_is_narrow(const accord_arithmetic *a)
{
    return !accordi_has_start(a) || (a->output != ACCORD_F64 && accordi_holds(ACCORD_F32, a->beta));
}

static bool needs_products(const accord_arithmetic *a)
{
    return a->term == ACCORD_TERM_PRODUCT || a->term == ACCORD_TERM_SQUARE || accordi_has_start(a);
}

/* What lanes do not do. */
static bool flushes(const accord_arithmetic *a)
{
    return a->flush & (ACCORD_FLUSH_PRODUCTS | ACCORD_FLUSH_SUMS | ACCORD_FLUSH_TINY_AFTER |
                       ACCORD_FLUSH_TINY_BEFORE);
}

static bool all_f32(const accord_arithmetic *a)
{
    bool all = a->input != ACCORD_F64 && !flushes(a) && a->alpha_at < ACCORD_ALPHA_SUM &&
               start_is_narrow(a) && !(a->has_machine && a->machine.output == ACCORD_F64);
    for (size_t i = 0; all && i < a->operations; i++)
        all = is_native(&a->operation[i], ACCORD_F32) &&
              !(accordi_has_start(a) && adds_to_terms(zero_of(a, &a->operation[i])));
    return all;
}

/* Whether f32 holds all factors of terms. One that alpha multiplies is of the input's format. */
static bool operands_are_narrow(const accord_arithmetic *a)
{
    bool scaled = a->alpha_at != ACCORD_ALPHA_ONE && a->alpha_at != ACCORD_ALPHA_SUM;
    return (scaled ? a->input : accordi_operand_format(a)) != ACCORD_F64;
}

static accordi_step step_of(const accord_arithmetic *a, const accord_operation *op)
{
    bool narrow = operands_are_narrow(a);
    bool fused = op->fused >= 0 && needs_products(a);
    accordi_step step = {.kind = ACCORDI_SCALAR,
                         .fused = op->fused == 0 ? 0 : 1,
                         .product32 = op->product == ACCORD_F32,
                         .stored32 = op->stored == ACCORD_F32,
                         .starts_fused = op->product == op->format,
                         .zero = (uint8_t)zero_of(a, op),
                         .terms_zero = adds_to_terms(zero_of(a, op))};
    bool near = op->rounding == ACCORD_NEAREST_EVEN && op->fused != ACCORD_STEP;
    if (!near || flushes(a))
        return step;
    bool kept = op->stored == ACCORD_F64 || step.stored32;
    if (op->format == ACCORD_F64 && kept &&
        (op->product == ACCORD_F64 || (step.product32 && narrow)))
        step.kind = fused ? ACCORDI_FMA64 : ACCORDI_ADD64;
    else if (is_native(op, ACCORD_F32) && narrow)
        step.kind = fused ? ACCORDI_FMA32 : ACCORDI_ADD32;
    return step;
}

/* Whether the node's value may need more than f32 holds. */
static bool needs_more_than_f32(const accordi_plan *plan, uint32_t k)
{
    const accord_arithmetic *a = plan->arithmetic;
    return accordi_operation_of(a, k)->format == ACCORD_F64 ||
           (a->has_machine && a->machine.output == ACCORD_F64);
}

static uint8_t code_of(const accordi_plan *plan, uint32_t k)
{
    const accord_arithmetic *a = plan->arithmetic;
    const accord_tree *tree = plan->tree;
    uint8_t code = a->of_node ? a->of_node[k] : 0;
    bool f32 = plan->step[code].kind == ACCORDI_ADD32 || plan->step[code].kind == ACCORDI_FMA32;
    bool special = false;
    for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++) {
        uint32_t child = tree->child[c];
        special = special || accordi_scales(plan, child);
        if (child >= tree->leaves)
            special = special || (f32 && needs_more_than_f32(plan, child - tree->leaves));
        else if (accordi_has_start(a) && child == tree->leaves - 1)
            special = special || (plan->step[code].product32 && !start_is_narrow(a)) ||
                      plan->step[code].terms_zero;
    }
    return special ? ACCORDI_OTHER : code;
}

/* Does no node have an operand that its vectors do not hold? */
static bool none_is_special(const accordi_plan *plan)
{
    const accord_arithmetic *a = plan->arithmetic;
    bool narrow = false, wide = false;
    for (size_t i = 0; i < a->operations; i++) {
        narrow = narrow || is_native(&a->operation[i], ACCORD_F32);
        wide = wide || a->operation[i].format == ACCORD_F64;
    }
    return !plan->scaled && !accordi_has_start(a) && !a->has_machine && !(narrow && wide);
}

/* Lanes of double: each node on its own, unless none is special. */
static enum accord_status make_codes(accordi_plan *plan, accord_error *error)
{
    const accord_arithmetic *a = plan->arithmetic;
    if (plan->tree->inner == 0)
        return ACCORD_OK;
    if (none_is_special(plan)) {
        plan->code = a->operations > 1 ? a->of_node : NULL;
        return ACCORD_OK;
    }
    plan->own = accordi_alloc(plan->tree->inner, 1);
    if (!plan->own)
        return accordi_nomem(error);
    for (uint32_t k = 0; k < plan->tree->inner; k++)
        plan->own[k] = code_of(plan, k);
    plan->code = plan->own;
    return ACCORD_OK;
}

/* Products can be taken while rows are turned when all are rounded alike and none is fused, with a
 * sum or with +0. */
static bool can_fold(const accordi_plan *plan)
{
    const accord_arithmetic *a = plan->arithmetic;
    bool fold = a->operations > 0 && plan->tree->inner > 0 && start_is_narrow(a) &&
                plan->tree->inner + 1 == plan->tree->leaves;
    for (size_t i = 0; fold && i < a->operations; i++)
        fold = (plan->step[i].kind == ACCORDI_ADD32 || plan->step[i].kind == ACCORDI_ADD64) &&
               plan->step[i].product32 == plan->step[0].product32 &&
               plan->step[i].zero != ACCORD_ZERO_FUSED;
    for (uint32_t k = 0; fold && plan->code && k < plan->tree->inner; k++)
        fold = plan->code[k] != ACCORDI_OTHER;
    return fold;
}

static void make_steps(accordi_plan *plan)
{
    const accord_arithmetic *a = plan->arithmetic;
    plan->step[ACCORDI_OTHER].kind = ACCORDI_SCALAR;
    for (size_t i = 0; i < a->operations; i++) {
        accordi_step *step = &plan->step[i];
        *step = step_of(a, &a->operation[i]);
        if (plan->has_y || step->kind < ACCORDI_FMA32)
            continue;
        /* Without second factors nothing is fused, but for the zero that the other term gets. */
        step->kind = step->terms_zero              ? ACCORDI_SCALAR
                     : step->kind == ACCORDI_FMA32 ? ACCORDI_ADD32
                                                   : ACCORDI_ADD64;
    }
}

/* For a single row of a binary tree memory for the deepest stack costs less than a look at the
 * whole tree: what is not touched is not there. */
static accordi_needs needs_of(const accord_tree *tree, bool single)
{
    if (single && tree->inner + 1 == tree->leaves)
        return (accordi_needs){(size_t)tree->inner + 1, 2};
    return accordi_tree_needs(tree);
}

static void fill_plan(accordi_plan *plan, bool has_y, bool single)
{
    const accord_arithmetic *a = plan->arithmetic;
    accordi_needs needs = needs_of(plan->tree, single);
    has_y = has_y || a->alpha_at == ACCORD_ALPHA_Y || a->alpha_at == ACCORD_ALPHA_NODES;
    plan->has_y = accordi_has_start(a) || a->term == ACCORD_TERM_SQUARE ||
                  (a->term == ACCORD_TERM_PRODUCT && has_y);
    plan->f32 = all_f32(a);
    plan->zero = a->negative_zero ? -0.0 : 0.0;
    plan->depth = needs.depth;
    plan->most = needs.children;
    make_steps(plan);
}

static bool keeps(const accord_operation *op)
{
    return op->keeps;
}

static bool rounds_down(const accord_operation *op)
{
    return op->rounding == ACCORD_DOWN;
}

/* Leaves of nodes whose operation is of a kind; *out stays NULL if there are none. */
static enum accord_status mark(const accordi_plan *plan, bool (*is)(const accord_operation *),
                               bool **out, accord_error *error)
{
    const accord_arithmetic *a = plan->arithmetic;
    const accord_tree *tree = plan->tree;
    const accord_model model = {tree, a};
    bool some = false;
    for (size_t i = 0; i < a->operations; i++)
        some = some || is(&a->operation[i]);
    if (!some)
        return ACCORD_OK;
    bool *leaf = accordi_calloc(tree->leaves, sizeof *leaf);
    if (!leaf)
        return accordi_nomem(error);
    leaf[0] = tree->inner == 0 && is(&a->operation[0]);
    for (uint32_t k = 0; k < tree->inner; k++) {
        const accord_operation op = accordi_effective(&model, k);
        for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++)
            if (tree->child[c] < tree->leaves)
                leaf[tree->child[c]] = is(&op);
    }
    *out = leaf;
    return ACCORD_OK;
}

enum accord_status accordi_plan_make(const accord_model *model, bool has_y, bool single,
                                     accordi_plan *plan, accord_error *error)
{
    const accord_arithmetic *a = model->arithmetic;
    enum accord_status status = ACCORD_OK;
    *plan = (accordi_plan){.tree = model->tree, .arithmetic = a};
    fill_plan(plan, has_y, single);
    if (plan->f32)
        plan->code = a->operations > 1 ? a->of_node : NULL;
    else if (a->alpha_at >= ACCORD_ALPHA_SUM)
        status = accordi_scaling(model, &plan->scaled, error);
    if (status == ACCORD_OK && a->flush)
        status = mark(plan, keeps, &plan->kept, error);
    if (status == ACCORD_OK && a->skips_zero)
        status = mark(plan, rounds_down, &plan->down, error);
    if (status == ACCORD_OK && !plan->f32)
        status = make_codes(plan, error);
    if (status == ACCORD_OK)
        plan->folded = plan->has_y && !single && can_fold(plan);
    else
        accordi_plan_clear(plan);
    return status;
}

void accordi_plan_clear(accordi_plan *plan)
{
    free(plan->own);
    free(plan->scaled);
    free(plan->kept);
    free(plan->down);
    plan->own = plan->scaled = NULL;
    plan->kept = plan->down = NULL;
    plan->code = NULL;
}
