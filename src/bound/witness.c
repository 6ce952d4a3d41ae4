/* Evaluations that reach an end.
 *
 * In: operations, one after the other, on what came before. Out: their values, by the plain
 * arithmetic of the format, and their text in C. The value decides whether an end is reached; it
 * does not depend on the reasoning that found the end. */
#include "bound/arithmetic.h"
#include "bound/bound.h"
#include <math.h>

static double compute(enum accord_bound_operation operation, enum accord_format f, double x,
                      double y, double z)
{
    const enum accord_rounding nearest = ACCORD_NEAREST_EVEN;
    switch (operation) {
    case ACCORD_BOUND_ADD:
        return accord_format_add(f, nearest, x, y);
    case ACCORD_BOUND_MULTIPLY:
        return accordi_round_product(f, nearest, x, y);
    case ACCORD_BOUND_DIVIDE:
        return accordi_round_quotient(f, nearest, x, y);
    case ACCORD_BOUND_FMA:
        return accordi_round_fused(f, nearest, x, y, z);
    case ACCORD_BOUND_SQRT:
        return accordi_round_root(f, nearest, x);
    case ACCORD_BOUND_CONVERT:
        return accord_format_round(f, nearest, x);
    case ACCORD_BOUND_NEGATE:
        return -x;
    case ACCORD_BOUND_ABS:
        return fabs(x);
    case ACCORD_BOUND_MINIMUM:
        return fmin(x, y);
    case ACCORD_BOUND_MAXIMUM:
        return fmax(x, y);
    case ACCORD_BOUND_LESS:
        return x < y;
    case ACCORD_BOUND_LESS_EQUAL:
        return x <= y;
    case ACCORD_BOUND_GREATER:
        return x > y;
    case ACCORD_BOUND_GREATER_EQUAL:
        return x >= y;
    case ACCORD_BOUND_EQUAL:
        return x == y;
    case ACCORD_BOUND_NOT_EQUAL:
        return x != y;
    case ACCORD_BOUND_FLOOR:
    case ACCORD_BOUND_CEIL:
    case ACCORD_BOUND_TRUNC:
    case ACCORD_BOUND_ROUND:
    case ACCORD_BOUND_RINT:
        return accordi_integer_function(operation)(x);
    default: /* of elementary functions no value is known */
        return NAN;
    }
}

static accordi_way append(accordi_bounds *b, const accordi_step *step)
{
    accordi_ways *w = &b->ways;
    if (w->count >= ACCORDI_NO_WAY - 1 ||
        !accordi_grow((void **)&w->step, &w->capacity, w->count + 1, sizeof *w->step)) {
        w->failed = true;
        return ACCORDI_NO_WAY;
    }
    w->step[w->count] = *step;
    return (accordi_way)w->count++;
}

accordi_way accordi_way_value(accordi_bounds *b, uint32_t node, double value)
{
    enum accord_format f =
        node == UINT32_MAX ? b->expression->format : b->expression->node[node].format;
    const accordi_step step = {ACCORD_BOUND_VALUE, f, {0}, node, value};
    return append(b, &step);
}

accordi_way accordi_way_apply(accordi_bounds *b, enum accord_bound_operation operation,
                              enum accord_format format, accordi_way x, accordi_way y,
                              accordi_way z)
{
    accordi_step step = {operation, format, {x, y, z}, 0, 0};
    double v[3] = {0};
    for (unsigned i = 0; i < accordi_bound_operands(operation); i++) {
        if (step.operand[i] == ACCORDI_NO_WAY)
            return ACCORDI_NO_WAY;
        v[i] = b->ways.step[step.operand[i]].value;
    }
    step.value = compute(operation, format, v[0], v[1], v[2]);
    return append(b, &step);
}

bool accordi_way_reaches(const accordi_bounds *b, accordi_way way, double end)
{
    return way != ACCORDI_NO_WAY && b->ways.step[way].value == end;
}

/* ---- as text ---- */

/* What is still to be written: a way, or a text. */
typedef struct item {
    const char *text;
    accordi_way way;
    bool alone; /* no parentheses */
} item;

typedef struct writing {
    const accordi_bounds *b;
    accordi_buffer out, inputs;
    item *stack;
    size_t count, capacity;
    bool *named; /* by node: its value was said */
} writing;

static void push(writing *w, const char *text, accordi_way way, bool alone)
{
    if (!accordi_grow((void **)&w->stack, &w->capacity, w->count + 1, sizeof *w->stack))
        w->out.failed = true;
    else
        w->stack[w->count++] = (item){text, way, alone};
}

static void put_value(writing *w, const accordi_step *step, bool alone)
{
    const accordi_node *node =
        step->node == UINT32_MAX ? NULL : &w->b->expression->node[step->node];
    bool named = node && node->name, chosen = named && node->low != node->high;
    char number[ACCORDI_DECIMAL] = "";
    if (!named || chosen)
        accordi_put_decimal(number, step->value, 1, step->format == ACCORD_F32);
    if (named)
        accordi_buffer_puts(&w->out, node->name);
    else
        accordi_buffer_printf(&w->out, step->value < 0 && !alone ? "(%s)" : "%s", number);
    if (chosen && !w->named[step->node]) {
        w->named[step->node] = true;
        accordi_buffer_printf(&w->inputs, "%s %s = %s", w->inputs.length ? "," : " at", node->name,
                              number);
    }
}

static void push_call(writing *w, const accordi_step *step)
{
    unsigned operands = accordi_bound_operands(step->operation);
    push(w, ")", 0, false);
    for (unsigned i = operands; i > 0; i--) {
        push(w, NULL, step->operand[i - 1], true);
        if (i > 1)
            push(w, ", ", 0, false);
    }
    push(w, "(", 0, false);
    push(w, accordi_bound_name(step->operation), 0, false);
}

static const char *infix(enum accord_bound_operation operation)
{
    static const char *const names[] = {[ACCORD_BOUND_ADD] = " + ",
                                        [ACCORD_BOUND_MULTIPLY] = " * ",
                                        [ACCORD_BOUND_DIVIDE] = " / ",
                                        [ACCORD_BOUND_LESS] = " < ",
                                        [ACCORD_BOUND_LESS_EQUAL] = " <= ",
                                        [ACCORD_BOUND_GREATER] = " > ",
                                        [ACCORD_BOUND_GREATER_EQUAL] = " >= ",
                                        [ACCORD_BOUND_EQUAL] = " == ",
                                        [ACCORD_BOUND_NOT_EQUAL] = " != "};
    return (size_t)operation < sizeof names / sizeof *names ? names[operation] : NULL;
}

/* A constant that is written without a point, which would make a quotient one of integers. */
static bool is_integer_text(const writing *w, const accordi_step *step)
{
    bool named = step->node != UINT32_MAX && w->b->expression->node[step->node].name;
    return step->operation == ACCORD_BOUND_VALUE && !named && step->value == rint(step->value) &&
           step->value >= 0 && step->value < 1e15;
}

static void push_infix(writing *w, const accordi_step *step, bool alone)
{
    const accordi_step *right = &w->b->ways.step[step->operand[1]];
    bool minus = step->operation == ACCORD_BOUND_ADD && right->operation == ACCORD_BOUND_NEGATE;
    if (!alone)
        push(w, ")", 0, false);
    if (step->operation == ACCORD_BOUND_DIVIDE && is_integer_text(w, right))
        push(w, ".0", 0, false);
    push(w, NULL, minus ? right->operand[0] : step->operand[1], false);
    push(w, minus ? " - " : infix(step->operation), 0, false);
    push(w, NULL, step->operand[0], false);
    if (!alone)
        push(w, "(", 0, false);
}

static const char *cast(enum accord_format format)
{
    static const char *const names[ACCORD_FORMAT_COUNT] = {[ACCORD_F64] = "(double)",
                                                           [ACCORD_F32] = "(float)",
                                                           [ACCORD_F16] = "(_Float16)",
                                                           [ACCORD_BF16] = "(__bf16)"};
    return names[format];
}

static void write_step(writing *w, const accordi_step *step, bool alone)
{
    if (step->operation == ACCORD_BOUND_VALUE) {
        put_value(w, step, alone);
    } else if (infix(step->operation)) {
        push_infix(w, step, alone);
    } else if (step->operation == ACCORD_BOUND_NEGATE || step->operation == ACCORD_BOUND_CONVERT) {
        push(w, NULL, step->operand[0], false);
        push(w, step->operation == ACCORD_BOUND_NEGATE ? "-" : cast(step->format), 0, false);
    } else {
        push_call(w, step);
    }
}

bool accordi_way_text(const accordi_bounds *b, accordi_way way, char **text)
{
    writing w = {.b = b, .named = accordi_calloc(b->expression->count, sizeof *w.named)};
    push(&w, NULL, way, true);
    while (w.named && w.count && !w.out.failed) {
        item next = w.stack[--w.count];
        if (next.text)
            accordi_buffer_puts(&w.out, next.text);
        else
            write_step(&w, &b->ways.step[next.way], next.alone);
    }
    if (w.inputs.length)
        accordi_buffer_append(&w.out, w.inputs.data, w.inputs.length);
    bool good = w.named && !w.out.failed && !w.inputs.failed;
    free(w.stack);
    free(w.named);
    accordi_buffer_clear(&w.inputs);
    if (good)
        *text = w.out.data;
    else
        accordi_buffer_clear(&w.out);
    return good;
}
