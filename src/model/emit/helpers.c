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
    const accord_format_info *row = accord_format_get(into);
    bool inward = rounding == ACCORD_TOWARD_ZERO;
    const char *past = inward ? "most" : row->has_infinity ? "HUGE_VAL" : "(double)NAN";
    accordi_line(w, "/* x as the nearest %s has it%s. */", row->name, inward ? " toward zero" : "");
    accordi_line(w, "static float %s_%s(%s x)", w->name, name, accordi_type((uint8_t)from));
    accordi_line(w, "{");
    w->indent++;
    accordi_line(w, "const double most = %.17g;", row->greatest);
    accordi_line(w, "double size = fabs((double)x);");
    accordi_line(w, "int e;");
    accordi_line(w, "if (!(size <= %s))", from == ACCORD_F32 ? "FLT_MAX" : "DBL_MAX");
    w->indent++;
    accordi_line(w, row->has_infinity ? "return (float)x;" : "return NAN;");
    w->indent--;
    accordi_line(w, "frexp(size, &e);");
    accordi_line(w, "e = (e < %d ? %d : e) - %d;", row->min_exponent + 1, row->min_exponent + 1,
                 row->precision);
    accordi_line(w, "size = ldexp(%s(ldexp(size, -e)), e);", steps[rounding]);
    accordi_line(w, "return (float)copysign(size > most ? %s : size, (double)x);", past);
    w->indent--;
    accordi_line(w, "}");
    accordi_buffer_puts(w->out, "\n");
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
    accordi_line(w,
                 "/* -x: of -fma(a, b, c) gcc 12 makes one instruction, in which a zero gets the");
    accordi_line(w, " * other sign. */");
    accordi_line(w, "static double %s_negated(double x)", w->name);
    accordi_line(w, "{");
    w->indent++;
    accordi_line(w, "return copysign(x, signbit(x) ? 1.0 : -1.0);");
    w->indent--;
    accordi_line(w, "}");
    accordi_buffer_puts(w->out, "\n");
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
