/* The functions that emitted code calls: roundings into narrow formats, a sign. */
#include "model/emit/emit.h"

/* A function that rounds into a format: on a grid of 2^q a magnitude is a whole number of steps.
 * All that is called is exact. */
static void put_rounding(accordi_writer *w, const char *name, enum accord_format from,
                         enum accord_format into, enum accord_rounding rounding)
{
    static const char *const steps[ACCORD_ROUNDING_COUNT] = {[ACCORD_NEAREST_EVEN] = "rint",
                                                             [ACCORD_TOWARD_ZERO] = "floor",
                                                             [ACCORD_NEAREST_AWAY] = "round"};
    static const char body[] = "    const double most = %.17g;\n"
                               "    double size = fabs((double)x);\n"
                               "    int e;\n"
                               "    if (!(size <= %s))\n"
                               "        return %s;\n"
                               "    frexp(size, &e);\n"
                               "    e = (e < %d ? %d : e) - %d;\n"
                               "    size = ldexp(%s(ldexp(size, -e)), e);\n"
                               "    return (float)copysign(size > most ? %s : size, (double)x);\n"
                               "}\n\n";
    const accord_format_info *row = accord_format_get(into);
    bool inward = rounding == ACCORD_TOWARD_ZERO;
    const char *past = inward ? "most" : row->has_infinity ? "HUGE_VAL" : "(double)NAN";
    const char *type = accordi_type((uint8_t)from), *toward = inward ? " toward zero" : "";
    accordi_buffer_printf(w->out, "/* x as the nearest %s has it%s. */\n", row->name, toward);
    accordi_buffer_printf(w->out, "static float %s_%s(%s x)\n{\n", w->name, name, type);
    accordi_buffer_printf(w->out, body, row->greatest, from == ACCORD_F32 ? "FLT_MAX" : "DBL_MAX",
                          row->has_infinity ? "(float)x" : "NAN", row->min_exponent + 1,
                          row->min_exponent + 1, row->precision, steps[rounding], past);
}

static bool calls(const accordi_writer *w, const char *what, const accordi_buffer *function,
                  const accordi_buffer *parts)
{
    char called[96];
    snprintf(called, sizeof called, "%s_%s(", w->name, what);
    return (function->data && strstr(function->data, called)) ||
           (parts->data && strstr(parts->data, called));
}

/* -x. Of -fma(a, b, c) gcc 12 makes one instruction, and a zero of it has the other sign. */
static void put_negated(accordi_writer *w)
{
    accordi_buffer_printf(
        w->out,
        "/* -x: gcc 12 turns -fma(a, b, c) into one instruction, in which a zero gets the\n"
        " * other sign. */\n"
        "static double %s_negated(double x)\n"
        "{\n"
        "    return copysign(x, signbit(x) ? 1.0 : -1.0);\n"
        "}\n\n",
        w->name);
}

/* Those that the function and its parts call. */
void accordi_put_helpers(accordi_writer *w, const accordi_buffer *function,
                         const accordi_buffer *parts)
{
    const accord_arithmetic *how = w->model->arithmetic;
    if (how->operand != ACCORD_F64)
        put_rounding(w, "rounded", how->input, how->operand, how->operand_rounding);
    for (int f = 0; f < ACCORD_FORMAT_COUNT; f++) {
        const char *name = accord_format_get((enum accord_format)f)->name;
        if (calls(w, name, function, parts))
            put_rounding(w, name, ACCORD_F64, (enum accord_format)f, ACCORD_NEAREST_EVEN);
    }
    if (calls(w, "negated", function, parts))
        put_negated(w);
}
