/* What C can say of a model, and what it cannot: sums in float and double to nearest, products
 * rounded or fused, no step of a machine. What is left out is refused with the reason. */
#include "model/emit/emit.h"
#include "model/scaling.h"
#include "model/words.h"
#include <math.h>

uint8_t accordi_emit_input(const accord_arithmetic *arithmetic)
{
    return (uint8_t)(arithmetic->operand != ACCORD_F64 ? ACCORD_F32 : arithmetic->input);
}

static bool is_plain_format(enum accord_format format)
{
    return format == ACCORD_F32 || format == ACCORD_F64;
}

enum accord_status accordi_emit_refuse(accord_error *error, const char *what)
{
    return accordi_fail(error, ACCORD_UNSUPPORTED,
                        "accord cannot write C for %s; use accord replay instead", what);
}

static enum accord_status check_operation(const accord_arithmetic *how, const accord_operation *op,
                                          accord_error *error)
{
    bool product = how->term == ACCORD_TERM_PRODUCT || how->term == ACCORD_TERM_SQUARE;
    if (!is_plain_format(op->format) || !is_plain_format(op->product))
        return accordi_emit_refuse(error, "sums in formats other than f32 and f64");
    if (how->alpha_at >= ACCORD_ALPHA_SUM && op->product != op->format)
        return accordi_emit_refuse(error, "alpha times sums whose products have another format");
    if (op->fused == ACCORD_STEP)
        return accordi_emit_refuse(error, "steps of a machine");
    if (op->rounding != ACCORD_NEAREST_EVEN)
        return accordi_emit_refuse(error, "a rounding other than to nearest");
    uint8_t input = accordi_emit_input(how);
    if (product && input == ACCORD_F64 && op->product == ACCORD_F32)
        return accordi_emit_refuse(error, "products of f64 rounded directly to f32");
    if (op->fused >= 0 && input == ACCORD_F64 && op->format == ACCORD_F32)
        return accordi_emit_refuse(error, "products of f64 fused into a sum in f32");
    return ACCORD_OK;
}

static bool holds(const accord_arithmetic *how, double x)
{
    return isfinite(x) && (how->input == ACCORD_F64 || (double)(float)x == x);
}

/* The inverse of alpha is a constant of the output's format. */
static bool retakes_otherwise(const accord_arithmetic *how)
{
    bool retakes = false, otherwise = false;
    for (size_t i = 0; i < how->alpha_nodes; i++)
        retakes = retakes || how->alpha_of[i] == ACCORD_SCALED_RETAKEN;
    for (size_t i = 0; i < how->operations; i++)
        otherwise = otherwise || how->operation[i].format != how->output;
    return retakes && otherwise;
}

static enum accord_status check_rest(const accord_arithmetic *how, accord_error *error)
{
    if (how->extended)
        return accordi_emit_refuse(error, "sums in x87's format");
    if (!is_plain_format(how->input) || !is_plain_format(how->output))
        return accordi_emit_refuse(error, "operands or results in formats other than f32 and f64");
    bool directed = how->operand_rounding == ACCORD_DOWN || how->operand_rounding == ACCORD_UP;
    if (how->output_rounding != ACCORD_NEAREST_EVEN || (how->operand != ACCORD_F64 && directed))
        return accordi_emit_refuse(error, "a rounding other than to nearest");
    bool factors = how->beta != 0 || how->alpha_at != ACCORD_ALPHA_ONE;
    if (how->operand != ACCORD_F64 && how->input != ACCORD_F32 && factors)
        return accordi_emit_refuse(
            error, "an alpha or a beta in another format than the rounded operands");
    if (how->operand != ACCORD_F64 &&
        (how->alpha_at == ACCORD_ALPHA_X || how->alpha_at == ACCORD_ALPHA_Y))
        return accordi_emit_refuse(error, "rounded operands times alpha");
    if (how->flush)
        return accordi_emit_refuse(error, "subnormals that count as zero");
    if (how->skips_zero)
        return accordi_emit_refuse(error, "sums that skip products with zeros");
    if (!holds(how, how->alpha) || !holds(how, how->beta))
        return accordi_emit_refuse(
            error, "an alpha or a beta that the format of the operands cannot represent");
    if (retakes_otherwise(how))
        return accordi_emit_refuse(error,
                                   "sums in another format than the one in which they are stored");
    if (how->beta != 0 && how->input != how->output)
        return accordi_emit_refuse(error, "a start value in another format than the operands");
    return ACCORD_OK;
}

/* Alpha times the root is rounded into the root's format, unless it goes to the output at once. */
static enum accord_status check_root(const accord_model *model, accord_error *error)
{
    const accord_arithmetic *how = model->arithmetic;
    const accord_tree *tree = model->tree;
    enum accord_format format = how->operations ? how->operation[0].format : how->output;
    if (tree->inner && how->of_node)
        format = how->operation[how->of_node[tree->inner - 1]].format;
    enum accord_scaling way = accordi_scaling_root(model);
    bool scaled = how->alpha != 1 && way != ACCORD_SCALED_NOT;
    if (scaled && way == ACCORD_SCALED_FUSED && format != how->output)
        return accordi_emit_refuse(error, "a sum in f64 times alpha rounded directly to f32");
    if (accordi_takes_root(how->finish) && !is_plain_format(how->radicand))
        return accordi_emit_refuse(
            error, "a root of a sum that is rounded to a format other than f32 and f64");
    bool factor = accordi_multiplies(how->finish) || accordi_divides(how->finish);
    if (factor && (!isfinite(how->factor) ||
                   (format == ACCORD_F32 && (double)(float)how->factor != how->factor)))
        return accordi_emit_refuse(error, "a factor that the format of the sum cannot represent");
    bool narrows =
        accordi_emit_input(how) == ACCORD_F64 && format == ACCORD_F32 && how->output == ACCORD_F64;
    if (tree->inner == 0 && how->operations && how->operation[0].stored != ACCORD_F64)
        return accordi_emit_refuse(error, "a single term that is stored in a narrower format");
    if (tree->inner == 0 && narrows)
        return accordi_emit_refuse(error, "a single f64 that is first rounded to f32");
    if (tree->inner == 0 && scaled && how->beta != 0)
        return accordi_emit_refuse(error, "alpha without a product");
    return ACCORD_OK;
}

enum accord_status accordi_emit_check(const accord_model *model, accord_error *error)
{
    const accord_tree *tree = model->tree;
    const accord_arithmetic *how = model->arithmetic;
    if (tree->inner > 0 && tree->inner + 1 < tree->leaves)
        return accordi_emit_refuse(error, "fused sums of more than two values");
    enum accord_status status = accord_model_check(model, error);
    if (status == ACCORD_OK)
        status = check_rest(how, error);
    for (size_t i = 0; status == ACCORD_OK && i < how->operations; i++)
        status = check_operation(how, &how->operation[i], error);
    return status == ACCORD_OK ? check_root(model, error) : status;
}
