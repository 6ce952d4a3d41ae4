/* Expressions: nodes in a growing array, operands before the nodes that use them. */
#include "bound/bound.h"
#include <math.h>

typedef struct operation_row {
    const char *name;
    unsigned operands;
} operation_row;

static const operation_row rows[ACCORD_BOUND_OPERATIONS] = {
    [ACCORD_BOUND_VALUE] = {"", 0},           [ACCORD_BOUND_ADD] = {"+", 2},
    [ACCORD_BOUND_SUBTRACT] = {"-", 2},       [ACCORD_BOUND_MULTIPLY] = {"*", 2},
    [ACCORD_BOUND_DIVIDE] = {"/", 2},         [ACCORD_BOUND_NEGATE] = {"-", 1},
    [ACCORD_BOUND_PARENTHESES] = {"", 1},     [ACCORD_BOUND_ASSIGN] = {"=", 1},
    [ACCORD_BOUND_CONVERT] = {"", 1},         [ACCORD_BOUND_LESS] = {"<", 2},
    [ACCORD_BOUND_LESS_EQUAL] = {"<=", 2},    [ACCORD_BOUND_GREATER] = {">", 2},
    [ACCORD_BOUND_GREATER_EQUAL] = {">=", 2}, [ACCORD_BOUND_EQUAL] = {"==", 2},
    [ACCORD_BOUND_NOT_EQUAL] = {"!=", 2},     [ACCORD_BOUND_FMA] = {"fma", 3},
    [ACCORD_BOUND_SQRT] = {"sqrt", 1},        [ACCORD_BOUND_ABS] = {"fabs", 1},
    [ACCORD_BOUND_MINIMUM] = {"fmin", 2},     [ACCORD_BOUND_MAXIMUM] = {"fmax", 2},
    [ACCORD_BOUND_EXP] = {"exp", 1},          [ACCORD_BOUND_EXP2] = {"exp2", 1},
    [ACCORD_BOUND_EXPM1] = {"expm1", 1},      [ACCORD_BOUND_LOG] = {"log", 1},
    [ACCORD_BOUND_LOG2] = {"log2", 1},        [ACCORD_BOUND_LOG10] = {"log10", 1},
    [ACCORD_BOUND_LOG1P] = {"log1p", 1},      [ACCORD_BOUND_CBRT] = {"cbrt", 1},
    [ACCORD_BOUND_SINH] = {"sinh", 1},        [ACCORD_BOUND_TANH] = {"tanh", 1},
    [ACCORD_BOUND_ASINH] = {"asinh", 1},      [ACCORD_BOUND_ATAN] = {"atan", 1},
    [ACCORD_BOUND_ASIN] = {"asin", 1},        [ACCORD_BOUND_ACOS] = {"acos", 1},
    [ACCORD_BOUND_ERF] = {"erf", 1},          [ACCORD_BOUND_SIN] = {"sin", 1},
    [ACCORD_BOUND_COS] = {"cos", 1},          [ACCORD_BOUND_POW] = {"pow", 2},
    [ACCORD_BOUND_TAN] = {"tan", 1},          [ACCORD_BOUND_COSH] = {"cosh", 1},
    [ACCORD_BOUND_HYPOT] = {"hypot", 2},      [ACCORD_BOUND_ATAN2] = {"atan2", 2},
    [ACCORD_BOUND_ACOSH] = {"acosh", 1},      [ACCORD_BOUND_ATANH] = {"atanh", 1},
    [ACCORD_BOUND_ERFC] = {"erfc", 1},        [ACCORD_BOUND_EXP10] = {"exp10", 1},
    [ACCORD_BOUND_LGAMMA] = {"lgamma", 1},    [ACCORD_BOUND_TGAMMA] = {"tgamma", 1},
    [ACCORD_BOUND_FLOOR] = {"floor", 1},      [ACCORD_BOUND_CEIL] = {"ceil", 1},
    [ACCORD_BOUND_TRUNC] = {"trunc", 1},      [ACCORD_BOUND_ROUND] = {"round", 1},
    [ACCORD_BOUND_RINT] = {"rint", 1},        [ACCORD_BOUND_SELECT] = {"?:", 3},
};

unsigned accordi_bound_operands(enum accord_bound_operation operation)
{
    return rows[operation].operands;
}

const char *accordi_bound_name(enum accord_bound_operation operation)
{
    return rows[operation].name;
}

double (*accordi_integer_function(enum accord_bound_operation operation))(double)
{
    static double (*const calls[ACCORD_BOUND_OPERATIONS])(double) = {
        [ACCORD_BOUND_FLOOR] = floor, [ACCORD_BOUND_CEIL] = ceil, [ACCORD_BOUND_TRUNC] = trunc,
        [ACCORD_BOUND_ROUND] = round, [ACCORD_BOUND_RINT] = rint,
    };
    return calls[operation];
}

static bool is_called(const char *name, size_t length, const char *row)
{
    size_t whole = strlen(row);
    return (length == whole || (length == whole + 1 && name[whole] == 'f')) &&
           memcmp(name, row, whole) == 0;
}

bool accordi_bound_by_name(const char *name, size_t length, enum accord_bound_operation *out)
{
    static const struct {
        const char *name;
        enum accord_bound_operation operation;
    } others[] = {{"min", ACCORD_BOUND_MINIMUM},
                  {"max", ACCORD_BOUND_MAXIMUM},
                  {"abs", ACCORD_BOUND_ABS},
                  {"nearbyint", ACCORD_BOUND_RINT}};
    for (unsigned i = ACCORD_BOUND_FMA; i < ACCORD_BOUND_OPERATIONS; i++)
        if (is_called(name, length, rows[i].name)) {
            *out = (enum accord_bound_operation)i;
            return true;
        }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strlen(others[i].name) == length && memcmp(name, others[i].name, length) == 0) {
            *out = others[i].operation;
            return true;
        }
    return false;
}

/* ---- nodes ---- */

static bool has_format(enum accord_format format)
{
    return format == ACCORD_F64 || format == ACCORD_F32 || format == ACCORD_F16 ||
           format == ACCORD_BF16;
}

static enum accord_status bad_format(accord_error *error)
{
    return accordi_fail(error, ACCORD_ARG, "bounds have no such format; use f64, f32, f16 or bf16");
}

enum accord_status accord_bound_expression_new(enum accord_format format,
                                               accord_bound_expression **out, accord_error *error)
{
    if (!has_format(format))
        return bad_format(error);
    accord_bound_expression *e = accordi_calloc(1, sizeof *e);
    if (!e)
        return accordi_nomem(error);
    e->format = format;
    *out = e;
    return ACCORD_OK;
}

void accord_bound_expression_free(accord_bound_expression *expression)
{
    if (!expression)
        return;
    for (size_t i = 0; i < expression->count; i++)
        free(expression->node[i].name);
    free(expression->node);
    free(expression);
}

static enum accord_status append(accord_bound_expression *e, const accordi_node *made,
                                 uint32_t *node, accord_error *error)
{
    if (e->count == UINT32_MAX - 1 ||
        !accordi_grow((void **)&e->node, &e->capacity, e->count + 1, sizeof *e->node))
        return accordi_nomem(error);
    for (unsigned i = 0; i < accordi_bound_operands(made->operation); i++)
        e->node[made->operand[i]].uses++;
    *node = (uint32_t)e->count;
    e->node[e->count++] = *made;
    return ACCORD_OK;
}

enum accord_status accord_bound_value(accord_bound_expression *expression, const char *name,
                                      double low, double high, uint32_t *node, accord_error *error)
{
    accordi_node made = {.operation = ACCORD_BOUND_VALUE, .format = expression->format};
    bool point = low == high;
    if (!(low <= high))
        return accordi_fail(error, ACCORD_ARG,
                            "an interval needs two ends that are numbers, the lower one first");
    made.low = accord_format_round(made.format, point ? ACCORD_NEAREST_EVEN : ACCORD_DOWN, low);
    made.high = accord_format_round(made.format, point ? ACCORD_NEAREST_EVEN : ACCORD_UP, high);
    made.wide_low = name ? made.low : accord_format_round(made.format, ACCORD_DOWN, low);
    made.wide_high = name ? made.high : accord_format_round(made.format, ACCORD_UP, high);
    made.name = name ? accordi_strdup(name) : NULL;
    enum accord_status status =
        name && !made.name ? accordi_nomem(error) : append(expression, &made, node, error);
    if (status != ACCORD_OK)
        free(made.name);
    return status;
}

/* The format that holds both; false for f16 and bf16. */
static bool common_format(enum accord_format a, enum accord_format b, enum accord_format *out)
{
    if (a != b && accord_format_get(a)->bits == accord_format_get(b)->bits)
        return false;
    *out = accord_format_get(a)->bits < accord_format_get(b)->bits ? b : a;
    return true;
}

/* In C the result of a comparison is an integer, which takes any format. */
bool accordi_bound_is_truth(const accord_bound_expression *expression, uint32_t node)
{
    const accordi_node *n = &expression->node[node];
    while (n->operation == ACCORD_BOUND_PARENTHESES)
        n = &expression->node[n->operand[0]];
    return n->operation >= ACCORD_BOUND_LESS && n->operation <= ACCORD_BOUND_NOT_EQUAL;
}

/* The widest format of the operands that have a say; false: f16 meets bf16. */
static bool result_format(const accord_bound_expression *e, enum accord_bound_operation operation,
                          const uint32_t *operand, unsigned operands, enum accord_format *out)
{
    bool any = false;
    *out = e->node[operand[0]].format;
    for (unsigned i = operation == ACCORD_BOUND_SELECT; i < operands; i++) {
        enum accord_format format = e->node[operand[i]].format;
        if (accordi_bound_is_truth(e, operand[i]) && operands > 1)
            continue;
        if (!common_format(any ? *out : format, format, out))
            return false;
        any = true;
    }
    *out = any ? *out : e->format;
    return true;
}

enum accord_status accord_bound_apply(accord_bound_expression *expression,
                                      enum accord_bound_operation operation,
                                      const uint32_t operand[3], uint32_t *node,
                                      accord_error *error)
{
    accordi_node made = {.operation = operation};
    if ((unsigned)operation >= ACCORD_BOUND_OPERATIONS || operation == ACCORD_BOUND_VALUE ||
        operation == ACCORD_BOUND_CONVERT)
        return accordi_fail(error, ACCORD_ARG, "there is no operation %d", (int)operation);
    for (unsigned i = 0; i < accordi_bound_operands(operation); i++) {
        made.operand[i] = operand[i];
        if (operand[i] >= expression->count)
            return accordi_fail(error, ACCORD_ARG, "operand %u is node %u, which does not exist", i,
                                operand[i]);
    }
    if (!result_format(expression, operation, operand, accordi_bound_operands(operation),
                       &made.format))
        return accordi_fail(error, ACCORD_ARG,
                            "f16 and bf16 have no common format; convert one of them");
    return append(expression, &made, node, error);
}

enum accord_status accord_bound_convert(accord_bound_expression *expression,
                                        enum accord_format format, uint32_t operand, uint32_t *node,
                                        accord_error *error)
{
    accordi_node made = {.operation = ACCORD_BOUND_CONVERT, .format = format, .operand = {operand}};
    if (!has_format(format))
        return bad_format(error);
    if (operand >= expression->count)
        return accordi_fail(error, ACCORD_ARG, "node %u does not exist", operand);
    return append(expression, &made, node, error);
}
