/* Sums one row along a tree, node by node, as a synthetic target.
 *
 * It shares no code with the replay of src/model, so that tests can compare the two. */
#include "exact/accumulator/exact.h"
#include "format/format.h"
#include "model/operation.h"
#include "targets/synthetic/synthetic.h"
#include <math.h>

/* A term before it is rounded: x * y = high + low exactly, but where the product of two f64 falls
 * below their range. low is 0 unless terms are f64. */
typedef struct product {
    double high, low;
} product;

static bool is_subnormal(enum accord_format format, double x)
{
    return x != 0 && fabs(x) < ldexp(1, accord_format_get(format)->min_exponent);
}

static double flushed(const accord_arithmetic *how, unsigned what, enum accord_format format,
                      double x)
{
    return how->flush & what && is_subnormal(format, x) ? copysign(0, x) : x;
}

/* As it enters a node of this operation. One that is left out is the zero that a sum does not
 * notice. */
static product exact_term(const accordi_synthetic *s, const accord_operation *op, uint32_t leaf)
{
    const accord_arithmetic *how = s->arithmetic;
    double x = flushed(how, ACCORD_FLUSH_X, how->input, s->x[leaf]);
    if (how->term != ACCORD_TERM_PRODUCT)
        return (product){x, 0};
    double y = flushed(how, ACCORD_FLUSH_Y, how->input, s->y[leaf]), high = x * y;
    if (how->skips_zero && (x == 0 || y == 0))
        return (product){op->rounding == ACCORD_DOWN ? 0.0 : -0.0, 0};
    bool exact = how->input != ACCORD_F64 || !isfinite(high);
    return (product){high, exact ? 0 : fma(x, y, -high)};
}

/* A term rounded on its own. The zero that stands for nothing keeps its sign. */
static double round_alone(const accord_arithmetic *how, const accord_operation *op, product p)
{
    bool done = op->product == ACCORD_F64 && op->rounding == ACCORD_NEAREST_EVEN;
    double x = done || p.low == 0 ? accord_format_round(op->product, op->rounding, p.high)
                                  : accord_format_add(op->product, op->rounding, p.high, p.low);
    return how->term == ACCORD_TERM_PRODUCT ? flushed(how, ACCORD_FLUSH_PRODUCTS, op->product, x)
                                            : x;
}

/* a + b in `format`, whatever the formats of a and b: of narrow formats the sum is first rounded
 * to odd, which accord_format_add leaves out when rounding to nearest. */
static double add_rounded(enum accord_format format, enum accord_rounding rounding, double a,
                          double b)
{
    if (rounding != ACCORD_NEAREST_EVEN || format == ACCORD_F64)
        return accord_format_add(format, rounding, a, b);
    if (format == ACCORD_F32 && (double)(float)a == a && (double)(float)b == b)
        return (double)((float)a + (float)b);
    double s = a + b;
    if (!isfinite(s) || s == 0)
        return accord_format_round(format, rounding, s);
    double large = fabs(a) < fabs(b) ? b : a, small = fabs(a) < fabs(b) ? a : b;
    double lack = small - (s - large);
    uint64_t bits = accordi_bits_of(s);
    if (lack != 0 && !(bits & 1))
        s = accordi_from_bits((s > 0) == (lack > 0) ? bits + 1 : bits - 1);
    return accord_format_round(format, rounding, s);
}

/* Whether a term is a zero before it is rounded. */
static bool is_zero(const accordi_synthetic *s, uint32_t leaf)
{
    const accord_arithmetic *how = s->arithmetic;
    bool factors = how->term == ACCORD_TERM_PRODUCT;
    return flushed(how, ACCORD_FLUSH_X, how->input, s->x[leaf]) == 0 ||
           (factors && flushed(how, ACCORD_FLUSH_Y, how->input, s->y[leaf]) == 0);
}

/* The sum of a whole product and another value. */
static double fused(const accordi_synthetic *s, const accord_operation *op, uint32_t leaf,
                    double other)
{
    product p = exact_term(s, op, leaf);
    bool nearest = op->format == ACCORD_F64 && op->rounding == ACCORD_NEAREST_EVEN;
    bool skipped = s->arithmetic->skips_zero && is_zero(s, leaf);
    if (nearest && s->arithmetic->input == ACCORD_F64 && !skipped)
        return fma(flushed(s->arithmetic, ACCORD_FLUSH_X, ACCORD_F64, s->x[leaf]),
                   flushed(s->arithmetic, ACCORD_FLUSH_Y, ACCORD_F64, s->y[leaf]), other);
    if (p.low == 0)
        return add_rounded(op->format, op->rounding, p.high, other);
    return accordi_exact_sum(op->format, op->rounding, (double[]){p.high, p.low, other}, 3);
}

static double child_value(const accordi_synthetic *s, const accord_operation *op, uint32_t child)
{
    double x =
        child < s->n ? round_alone(s->arithmetic, op, exact_term(s, op, child)) : s->x[child];
    return accord_format_round(op->format, op->rounding, x);
}

static double store_sum(const accord_operation *op, double sum)
{
    return op->stored == ACCORD_F64 ? sum : accord_format_round(op->stored, op->rounding, sum);
}

static double node_value(const accordi_synthetic *s, uint32_t k)
{
    const accord_arithmetic *how = s->arithmetic;
    const accord_operation *op = accordi_operation_of(how, k);
    const uint32_t *child = s->tree->child + s->tree->first[k];
    int first = op->fused == 0; /* of those that are not fused */
    double value = child_value(s, op, child[first]), sum;
    bool starts = child[0] < s->n && child[1] < s->n;
    /* A multiply-add of +0 and a product that is too small keeps its sign. */
    bool kept = starts && op->fused >= 0 && op->product == op->format && !is_zero(s, child[first]);
    if (starts && !how->negative_zero && op->rounding != ACCORD_DOWN && !kept)
        value += 0.0; /* -0 becomes +0 */
    if (starts && !how->negative_zero && how->term == ACCORD_TERM_VALUE)
        value = flushed(how, ACCORD_FLUSH_SUMS, op->format, value); /* the sum of +0 and it */
    if (op->fused >= 0)
        sum = fused(s, op, child[op->fused], value);
    else
        sum = add_rounded(op->format, op->rounding, value, child_value(s, op, child[1]));
    bool last = k + 1 == s->tree->inner && how->finish == ACCORD_FINISH_NONE;
    return store_sum(op, last ? sum : flushed(how, ACCORD_FLUSH_SUMS, op->format, sum));
}

double accordi_synthetic_evaluate(accordi_synthetic *s)
{
    const accord_arithmetic *how = s->arithmetic;
    for (uint32_t k = 0; k < s->tree->inner; k++)
        s->x[s->n + k] = node_value(s, k);
    size_t top = s->n + s->tree->inner - 1;
    double sum = s->tree->inner ? s->x[top] : child_value(s, how->operation, (uint32_t)top);
    if (s->tree->inner == 0 && !how->negative_zero && how->output_rounding != ACCORD_DOWN)
        sum += 0.0;
    const accord_operation *root =
        &how->operation[s->tree->inner ? how->of_node[s->tree->inner - 1] : 0];
    if (how->finish == ACCORD_FINISH_OVER)
        sum = accord_format_round(root->format, root->rounding, sum / how->factor);
    sum = flushed(how, ACCORD_FLUSH_RESULT, root->format, sum);
    sum = accord_format_round(how->output, how->output_rounding, sum);
    return flushed(how, ACCORD_FLUSH_RESULT, how->output, sum);
}
