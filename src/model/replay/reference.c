/* One node, in any arithmetic: the plain statement of what model.h says.
 *
 * Children become exact products one by one, rounded where the model rounds them; the exact sum
 * of the products is rounded once. */
#include "format/format.h"
#include "model/operation.h"
#include "model/replay/plan.h"
#include "model/replay/scalar.h"
#include "model/scaling.h"
#include "model/words.h"
#include <math.h>

enum { MOST = 64 }; /* products of a step of a machine */

static const accord_operation *planned_operation(const accordi_plan *plan, uint32_t k)
{
    return accordi_operation_of(plan->arithmetic, k);
}

static double flushed(const accordi_plan *plan, const accord_operation *op, unsigned what,
                      enum accord_format format, double x)
{
    bool flush = (plan->arithmetic->flush & what) && !(op && op->keeps);
    return flush ? accordi_flushed(format, x) : x;
}

/* The sum of products `f` that was rounded to `x`, or 0 where it was tiny before (model.h). Twice
 * the sum is normal, and rounds as if exponents had no end. */
static double without_tiny(const accordi_plan *plan, const accord_operation *op, unsigned what,
                           enum accord_format format, enum accord_rounding rounding,
                           const accordi_factors *f, size_t count, double x)
{
    enum { TINY = ACCORD_FLUSH_TINY_AFTER | ACCORD_FLUSH_TINY_BEFORE };
    unsigned flush = plan->arithmetic->flush;
    accordi_factors twice[MOST];
    if (!(flush & what) || !(flush & TINY) || (op && op->keeps) || count > MOST)
        return x;
    double least = accordi_power_of_two(accordi_formats[format].min_exponent);
    if (fabs(x) != least)
        return x;
    for (size_t i = 0; i < count; i++)
        twice[i] = (accordi_factors){2 * f[i].a, f[i].b};
    enum accord_rounding way = flush & ACCORD_FLUSH_TINY_BEFORE ? ACCORD_TOWARD_ZERO : rounding;
    bool tiny = fabs(accordi_sum_products(format, way, twice, count)) < 2 * least;
    return tiny ? copysign(0, x) : x;
}

/* `goes`: another operation follows. */
static double round_to_stored(const accordi_plan *plan, const accord_operation *op, bool goes,
                              double sum)
{
    unsigned what = goes ? ACCORD_FLUSH_SUMS : 0, tiny = goes ? what : ACCORD_FLUSH_RESULT;
    sum = flushed(plan, op, what, op->format, sum);
    if (op->stored == ACCORD_F64)
        return sum;
    double narrow = accord_format_round(op->stored, op->rounding, sum);
    narrow = without_tiny(plan, goes ? op : NULL, tiny, op->stored, op->rounding,
                          &(accordi_factors){sum, 1}, 1, narrow);
    return flushed(plan, op, what, op->stored, narrow);
}

static double round_product(const accordi_plan *plan, const accord_operation *op,
                            enum accord_format format, accordi_factors f)
{
    double x = accordi_round_product(format, op->rounding, f.a, f.b);
    x = without_tiny(plan, op, ACCORD_FLUSH_PRODUCTS, format, op->rounding, &f, 1, x);
    return flushed(plan, op, ACCORD_FLUSH_PRODUCTS, format, x);
}

static bool is_start(const accordi_plan *plan, uint32_t leaf)
{
    return accordi_has_start(plan->arithmetic) && leaf == plan->tree->leaves - 1;
}

static bool multiplies_terms(const accord_arithmetic *a)
{
    return a->term == ACCORD_TERM_PRODUCT || a->term == ACCORD_TERM_SQUARE;
}

/* A leaf's term, rounded. A value that is no product is no result that could be flushed. */
static double round_term(const accordi_plan *plan, const accord_operation *op, uint32_t leaf,
                         accordi_factors f)
{
    if (is_start(plan, leaf) || multiplies_terms(plan->arithmetic))
        return round_product(plan, op, op->product, f);
    return accordi_round_product(op->product, op->rounding, f.a, f.b);
}

/* The first term of a sum, when it is -0 and sums start with +0. A product that underflows to -0
 * stays -0 where it was fused with that zero, as the first of two terms may be: of more nothing is
 * rounded before their exact sum is. */
static accordi_factors started(const accordi_plan *plan, const accord_operation *op, bool binary,
                               accordi_factors term, accordi_factors entered)
{
    enum accord_term kind = plan->arithmetic->term;
    bool zero = entered.a == 0 || entered.b == 0; /* one that a sum is flushed to stays -0 */
    if (!plan->arithmetic->negative_zero && !(binary && op->fused >= 0) &&
        kind != ACCORD_TERM_PRODUCT && kind != ACCORD_TERM_SQUARE)
        entered.a = flushed(plan, op, ACCORD_FLUSH_SUMS, op->format, entered.a);
    bool kept = binary && term.a != 0 && term.b != 0 && op->fused >= 0 && op->product == op->format;
    if (plan->arithmetic->negative_zero || op->rounding == ACCORD_DOWN || !zero || kept)
        return entered;
    return (accordi_factors){entered.a * entered.b + 0.0, 1};
}

static uint32_t inner_children(const accord_tree *tree, uint32_t k)
{
    uint32_t count = 0;
    for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++)
        count += tree->child[c] >= tree->leaves;
    return count;
}

/* A product that alpha multiplies beside the start value is a sum of its own, of one product. */
static bool is_sum_of_one(const accordi_plan *plan, uint32_t k, uint32_t i)
{
    const accord_tree *tree = plan->tree;
    const uint32_t *child = tree->child + tree->first[k];
    return accordi_has_start(plan->arithmetic) && tree->first[k + 1] - tree->first[k] == 2 &&
           inner_children(tree, k) == 0 && child[!i] == tree->leaves - 1 &&
           accordi_scales(plan, child[i]);
}

/* Of operations that are not rounded down, +0 turns -0 alone into +0. */
static double with_zero(const accord_operation *op, double x)
{
    return op->rounding == ACCORD_DOWN ? x : x + 0.0;
}

/* Whether a product that is -0 once it is rounded is +0 by the node's zero. */
static bool loses_sign(const accord_operation *op, accordi_factors f)
{
    return op->zero == ACCORD_ZERO_ROUNDED ||
           (op->zero == ACCORD_ZERO_FUSED && (f.a == 0 || f.b == 0));
}

/* Child i as it enters a node of two children, or of more that are summed exactly. */
static accordi_factors entering(const accordi_plan *plan, uint32_t k, uint32_t i, accordi_factors f)
{
    const accord_operation *op = planned_operation(plan, k);
    const accord_tree *tree = plan->tree;
    uint32_t child = tree->child[tree->first[k] + i];
    bool binary = tree->first[k + 1] - tree->first[k] == 2;
    bool scaled = accordi_scales(plan, child);
    bool fused = !binary || op->fused == (int)i;
    if (child < tree->leaves && (scaled || !fused)) {
        accordi_factors rounded = {round_term(plan, op, child, f), 1};
        if (binary && multiplies_terms(plan->arithmetic) && !is_start(plan, child) &&
            loses_sign(op, f))
            rounded.a = with_zero(op, rounded.a);
        f = is_sum_of_one(plan, k, i) ? started(plan, op, binary, f, rounded) : rounded;
    }
    if (binary && (child >= tree->leaves || !fused))
        f.a = accord_format_round(op->format, op->rounding, f.a);
    if (!scaled)
        return f;
    f.b = plan->arithmetic->alpha;
    if (plan->scaled[child] == ACCORD_SCALED_FUSED)
        return f;
    bool zero = binary && child >= tree->leaves && loses_sign(op, f);
    f = (accordi_factors){round_product(plan, op, op->format, f), 1};
    if (zero && plan->scaled[child] == ACCORD_SCALED_ROUNDED)
        f.a = with_zero(op, f.a);
    if (plan->scaled[child] == ACCORD_SCALED_RETAKEN)
        f.a = round_product(plan, op, op->format,
                            (accordi_factors){f.a, accordi_inverse_alpha(plan->arithmetic)});
    return f;
}

/* Operands as a machine may see them. */
static double machine_operand(const accord_fused *machine, double x)
{
    enum accord_format format = machine->input == ACCORD_TF32 ? ACCORD_F32 : machine->input;
    return accord_format_round(format, ACCORD_NEAREST_EVEN, x);
}

static bool is_minus_zero(double a, double b)
{
    double product = a * b; /* NaN, if the other is infinite */
    return (a == 0 || b == 0) && product == 0 && signbit(product);
}

/* The scales of the blocks of products that a step takes; NULL: all are 1. */
static const double *scales_of(const accordi_plan *plan, const double *all, const uint32_t *leaf,
                               uint32_t products, double *out)
{
    uint32_t share = (uint32_t)plan->arithmetic->machine.scale_block;
    for (uint32_t i = 0; all && i < products; i += share)
        out[i / share] = all[leaf[i] / share];
    return all ? out : NULL;
}

/* An exact zero is +0 to a machine (fused.h). Where sums of -0 alone are -0, so is a step of it. */
static double machine_step(const accordi_plan *plan, uint32_t k, const double *x, const double *y)
{
    const accord_fused *machine = &plan->arithmetic->machine;
    const accord_tree *tree = plan->tree;
    double a[MOST], b[MOST], by_x[MOST], by_y[MOST], c = 0, d = NAN;
    uint32_t leaf[MOST];
    bool minus = plan->arithmetic->negative_zero;
    uint32_t count = tree->first[k + 1] - tree->first[k], products = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t child = tree->child[tree->first[k] + i];
        if (child < tree->leaves) {
            a[products] = machine_operand(machine, x[i]);
            b[products] = machine_operand(machine, y[i]);
            minus = minus && is_minus_zero(a[products], b[products]);
            leaf[products++] = child;
            continue;
        }
        c = accordi_scales(plan, child)
                ? accordi_round_product(machine->output, machine->rounding, plan->arithmetic->alpha,
                                        x[i])
                : accord_format_round(machine->output, ACCORD_NEAREST_EVEN, x[i]);
        minus = minus && is_minus_zero(c, 1);
    }
    if (minus)
        return -0.0;
    for (uint32_t i = 0, terms = (uint32_t)machine->terms; i < products; i += terms, c = d) {
        uint32_t taken = products - i < terms ? products - i : terms;
        accord_fused_step(machine, taken, a + i, b + i,
                          scales_of(plan, plan->scale_x, leaf + i, taken, by_x),
                          scales_of(plan, plan->scale_y, leaf + i, taken, by_y), c, &d, NULL);
    }
    return d;
}

static bool takes_step(const accordi_plan *plan, uint32_t k)
{
    const accord_tree *tree = plan->tree;
    const accord_arithmetic *a = plan->arithmetic;
    uint32_t count = tree->first[k + 1] - tree->first[k];
    if (!a->has_machine || (count == 2 && planned_operation(plan, k)->fused != ACCORD_STEP))
        return false;
    uint32_t inner = inner_children(tree, k);
    return inner < 2 && count - inner <= MOST &&
           count - inner <= accordi_step_most(&a->machine, inner);
}

/* Whether something is done with the last value before it becomes the result. That +0 is added to
 * it counts for a sum; a lone term that is added to +0 is the first sum there is. */
static bool goes_on(const accordi_plan *plan)
{
    const accord_arithmetic *a = plan->arithmetic;
    uint32_t root = plan->tree->leaves + plan->tree->inner - 1;
    return a->finish != ACCORD_FINISH_NONE || accordi_scales(plan, root) ||
           (a->zero_last && plan->tree->inner > 0);
}

/* A sum of two, or an exact sum of more. */
static double add_operands(const accordi_plan *plan, uint32_t k, const double *x, const double *y)
{
    const accord_operation *op = planned_operation(plan, k);
    uint32_t count = plan->tree->first[k + 1] - plan->tree->first[k];
    accordi_factors few[MOST], *f = count > MOST ? accordi_alloc(count, sizeof *f) : few;
    if (!f)
        return NAN;
    few[0] = (accordi_factors){0, 0};
    for (uint32_t i = 0; i < count; i++)
        f[i] = entering(plan, k, i, (accordi_factors){x[i], y[i]});
    if (inner_children(plan->tree, k) == 0) {
        uint32_t first = count == 2 && op->fused == 0;
        if (!is_sum_of_one(plan, k, 0) && !is_sum_of_one(plan, k, 1))
            f[first] =
                started(plan, op, count == 2, (accordi_factors){x[first], y[first]}, f[first]);
    }
    bool goes = k + 1 < plan->tree->inner || goes_on(plan);
    double sum = accordi_sum_products(op->format, op->rounding, f, count);
    sum = without_tiny(plan, goes ? op : NULL, goes ? ACCORD_FLUSH_SUMS : ACCORD_FLUSH_RESULT,
                       op->format, op->rounding, f, count, sum);
    if (f != few)
        free(f);
    sum = round_to_stored(plan, op, goes, sum);
    return op->zero == ACCORD_ZERO_ADDED && count == 2 ? with_zero(op, sum) : sum;
}

double accordi_node(const accordi_plan *plan, uint32_t k, const double *x, const double *y)
{
    return takes_step(plan, k) ? machine_step(plan, k, x, y) : add_operands(plan, k, x, y);
}

/* With no operation the term is rounded into the output at once. */
static accord_operation lone_operation(const accordi_plan *plan)
{
    const accord_arithmetic *a = plan->arithmetic;
    if (a->operations > 0)
        return a->operation[0];
    return (accord_operation){.format = a->output,
                              .rounding = a->output_rounding,
                              .product = a->output,
                              .fused = -1,
                              .stored = ACCORD_F64};
}

double accordi_lone(const accordi_plan *plan, double x, double y)
{
    const accord_arithmetic *a = plan->arithmetic;
    accord_operation op = lone_operation(plan);
    if (a->has_machine && op.fused == ACCORD_STEP) {
        double p = machine_operand(&a->machine, x), q = machine_operand(&a->machine, y), d = NAN;
        accord_fused_step(&a->machine, 1, &p, &q, NULL, NULL, 0, &d, NULL);
        return a->negative_zero && is_minus_zero(p, q) ? -0.0 : d;
    }
    double sum = round_term(plan, &op, 0, (accordi_factors){x, y});
    if (!goes_on(plan))
        sum = without_tiny(plan, NULL, ACCORD_FLUSH_RESULT, op.product, op.rounding,
                           &(accordi_factors){x, y}, 1, sum);
    sum =
        round_to_stored(plan, &op, goes_on(plan), accord_format_round(op.format, op.rounding, sum));
    return a->negative_zero || op.rounding == ACCORD_DOWN ? sum : sum + 0.0;
}

/* The operation of the root, in the format and direction that it really has. */
static accord_operation last_operation(const accordi_plan *plan)
{
    uint32_t inner = plan->tree->inner;
    accord_operation op = inner ? *planned_operation(plan, inner - 1) : lone_operation(plan);
    if (inner ? takes_step(plan, inner - 1) : op.fused == ACCORD_STEP) {
        op.format = plan->arithmetic->machine.output;
        op.rounding = plan->arithmetic->machine.rounding;
    }
    return op;
}

double accordi_finish(const accordi_plan *plan, double root)
{
    const accord_arithmetic *a = plan->arithmetic;
    accord_operation op = last_operation(plan);
    uint32_t last = plan->tree->leaves + plan->tree->inner - 1;
    bool at_once = false; /* rounded into the output already */
    bool kept = false;    /* the sign of a product too small for the format */
    if (accordi_scales(plan, last)) {
        bool fused = plan->scaled[last] == ACCORD_SCALED_FUSED;
        at_once = fused && a->finish == ACCORD_FINISH_NONE;
        accordi_factors f = {root, a->alpha};
        kept = at_once && f.a != 0 && f.b != 0;
        root = at_once ? accordi_round_product(a->output, a->output_rounding, f.a, f.b)
                       : round_product(plan, &op, op.format, f);
        root = without_tiny(plan, NULL, ACCORD_FLUSH_RESULT, at_once ? a->output : op.format,
                            at_once ? a->output_rounding : op.rounding, &f, 1, root);
    }
    bool finishes = a->finish != ACCORD_FINISH_NONE;
    if (a->zero_last && !finishes && !kept && op.rounding != ACCORD_DOWN)
        root += 0.0;
    if (accordi_multiplies(a->finish)) {
        const accordi_factors f = {root, a->factor};
        root = accordi_round_product(op.format, op.rounding, f.a, f.b);
        root = without_tiny(plan, NULL, ACCORD_FLUSH_RESULT, op.format, op.rounding, &f, 1, root);
    } else if (accordi_divides(a->finish))
        root = accordi_round_quotient(op.format, op.rounding, root, a->factor);
    if (a->finish == ACCORD_FINISH_ROOT_TIMES || a->finish == ACCORD_FINISH_ROOT_OVER)
        root = flushed(plan, &op, ACCORD_FLUSH_SUMS, op.format, root);
    if (accordi_takes_root(a->finish))
        root = accord_format_round(a->radicand, a->output_rounding, root);
    if (accordi_takes_root(a->finish))
        root = accordi_round_root(op.format, op.rounding, root);
    if (!at_once)
        root = flushed(plan, NULL, ACCORD_FLUSH_RESULT, op.format, root);
    const accordi_factors last_sum = {root, 1};
    root = accord_format_round(a->output, a->output_rounding, root);
    root = without_tiny(plan, NULL, ACCORD_FLUSH_RESULT, a->output, a->output_rounding, &last_sum,
                        1, root);
    root = flushed(plan, NULL, ACCORD_FLUSH_RESULT, a->output, root);
    return a->zero_last && finishes && a->output_rounding != ACCORD_DOWN ? root + 0.0 : root;
}
