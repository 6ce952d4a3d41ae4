/* The tape behind the inlined operations: derivatives of functions, and spreads under models that
 * change more than products in sums. */
#include "bound/runtime/tape.h"
#include "bound/runtime/slow.h"
#include <accord/bound.h>
#include <float.h>
#include <math.h>

accordi_tape_state accordi_tape;

/* ---- spreads ---- */

static double unit(double x, bool narrow)
{
    double size = fabs(x);
    return narrow ? (double)(nextafterf((float)size, INFINITY) - (float)size)
                  : nextafter(size, INFINITY) - size;
}

static bool subnormal(double x, bool narrow)
{
    return x != 0 && fabs(x) < (narrow ? (double)FLT_MIN : DBL_MIN);
}

double accordi_tape_looser(double spread, double r, double x, double y, bool narrow)
{
    if (accordi_model & ACCORD_BOUND_EXCESS) /* rounded twice */
        spread += unit(r, narrow);
    if (accordi_model & (ACCORDI_WIDE | ACCORD_BOUND_PAREN | ACCORD_BOUND_PERM))
        /* in another order, another rounding takes its place */
        spread += unit(r, narrow);
    if (accordi_model & ACCORD_BOUND_FTZ) {
        double gone = (subnormal(x, narrow) ? fabs(x) : 0) + (subnormal(y, narrow) ? fabs(y) : 0);
        spread += gone > 0 ? gone : subnormal(r, narrow) ? fabs(r) : 0;
    }
    return spread;
}

static bool gives_whole_numbers(uint32_t function)
{
    return function == ACCORD_BOUND_FLOOR || function == ACCORD_BOUND_CEIL ||
           function == ACCORD_BOUND_TRUNC || function == ACCORD_BOUND_ROUND ||
           function == ACCORD_BOUND_RINT;
}

/* Libraries are taken to err by one unit, as in the bounds. */
double accordi_tape_function_spread(uint32_t function, double r, bool narrow)
{
    return gives_whole_numbers(function) || isnan(r) ? 0 : unit(r, narrow);
}

/* ---- derivatives ---- */

static double of_exp(double x, double r)
{
    (void)x;
    return r;
}
static double of_exp2(double x, double r)
{
    (void)x;
    return r * 0x1.62e42fefa39efp-1; /* log(2) */
}
static double of_expm1(double x, double r)
{
    (void)x;
    return r + 1;
}
static double of_log(double x, double r)
{
    (void)r;
    return 1 / x;
}
static double of_log2(double x, double r)
{
    (void)r;
    return 0x1.71547652b82fep+0 / x;
}
static double of_log10(double x, double r)
{
    (void)r;
    return 0x1.bcb7b1526e50ep-2 / x;
}
static double of_log1p(double x, double r)
{
    (void)r;
    return 1 / (1 + x);
}
static double of_cbrt(double x, double r)
{
    (void)x;
    return 1 / (3 * r * r);
}
static double of_sin(double x, double r)
{
    (void)r;
    return cos(x);
}
static double of_cos(double x, double r)
{
    (void)r;
    return -sin(x);
}
static double of_tan(double x, double r)
{
    (void)x;
    return 1 + r * r;
}
static double of_asin(double x, double r)
{
    (void)r;
    return 1 / sqrt((1 - x) * (1 + x));
}
static double of_acos(double x, double r)
{
    return -of_asin(x, r);
}
static double of_atan(double x, double r)
{
    (void)r;
    return 1 / (1 + x * x);
}
static double of_sinh(double x, double r)
{
    (void)r;
    return cosh(x);
}
static double of_cosh(double x, double r)
{
    (void)r;
    return sinh(x);
}
static double of_tanh(double x, double r)
{
    double c = cosh(x);
    (void)r;
    return 1 / (c * c);
}
static double of_asinh(double x, double r)
{
    (void)r;
    return 1 / hypot(x, 1);
}
static double of_erf(double x, double r)
{
    (void)r;
    return 0x1.20dd750429b6dp+0 * exp(-x * x); /* 2 / sqrt(pi) */
}

static double of_erfc(double x, double r)
{
    return -of_erf(x, r);
}
static double of_acosh(double x, double r)
{
    (void)r;
    return 1 / (sqrt(x - 1) * sqrt(x + 1));
}
static double of_atanh(double x, double r)
{
    (void)r;
    return 1 / ((1 - x) * (1 + x));
}
static double of_exp10(double x, double r)
{
    (void)x;
    return r * 0x1.26bb1bbb55516p+1; /* log(10) */
}
/* The derivative of lgamma for x > 0: carried to x >= 10 by digamma(x) = digamma(x + 1) - 1 / x. */
static double of_lgamma(double x, double r)
{
    double sum = 0;
    (void)r;
    if (!(x > 0))
        return NAN;
    for (; x < 10; x++)
        sum -= 1 / x;
    double y = 1 / (x * x);
    return sum + log(x) - 0.5 / x - y * (1. / 12 - y * (1. / 120 - y / 252));
}
static double of_tgamma(double x, double r)
{
    return r * of_lgamma(x, r);
}

static double (*const derivative[ACCORD_BOUND_OPERATIONS])(double x, double r) = {
    [ACCORD_BOUND_EXP] = of_exp,       [ACCORD_BOUND_EXP2] = of_exp2,
    [ACCORD_BOUND_EXPM1] = of_expm1,   [ACCORD_BOUND_LOG] = of_log,
    [ACCORD_BOUND_LOG2] = of_log2,     [ACCORD_BOUND_LOG10] = of_log10,
    [ACCORD_BOUND_LOG1P] = of_log1p,   [ACCORD_BOUND_CBRT] = of_cbrt,
    [ACCORD_BOUND_SIN] = of_sin,       [ACCORD_BOUND_COS] = of_cos,
    [ACCORD_BOUND_TAN] = of_tan,       [ACCORD_BOUND_ASIN] = of_asin,
    [ACCORD_BOUND_ACOS] = of_acos,     [ACCORD_BOUND_ATAN] = of_atan,
    [ACCORD_BOUND_SINH] = of_sinh,     [ACCORD_BOUND_COSH] = of_cosh,
    [ACCORD_BOUND_TANH] = of_tanh,     [ACCORD_BOUND_ASINH] = of_asinh,
    [ACCORD_BOUND_ERF] = of_erf,       [ACCORD_BOUND_ERFC] = of_erfc,
    [ACCORD_BOUND_ACOSH] = of_acosh,   [ACCORD_BOUND_ATANH] = of_atanh,
    [ACCORD_BOUND_EXP10] = of_exp10,   [ACCORD_BOUND_LGAMMA] = of_lgamma,
    [ACCORD_BOUND_TGAMMA] = of_tgamma,
};

static void of_two(uint32_t function, double x, double y, double r, double partial[2])
{
    if (function == ACCORD_BOUND_POW) {
        partial[0] = y == 0 ? 0 : y * pow(x, y - 1);
        partial[1] = x > 0 ? r * log(x) : 0; /* of a negative number only whole powers exist */
    } else if (function == ACCORD_BOUND_HYPOT) {
        partial[0] = r == 0 ? 1 : x / r;
        partial[1] = r == 0 ? 1 : y / r;
    } else { /* atan2(x, y) */
        double square = x * x + y * y;
        partial[0] = y / square;
        partial[1] = -x / square;
    }
}

void accordi_tape_partials(uint32_t function, double x, double y, double r, double partial[2])
{
    partial[0] = partial[1] = 0;
    if (function == ACCORD_BOUND_POW || function == ACCORD_BOUND_HYPOT ||
        function == ACCORD_BOUND_ATAN2)
        of_two(function, x, y, r, partial);
    else if (function < ACCORD_BOUND_OPERATIONS && derivative[function])
        partial[0] = derivative[function](x, r);
    else if (!gives_whole_numbers(function))
        partial[0] = NAN;
}

/* Where these functions are continuous they are linear, or nearly so: r and x have one ratio. */
void accordi_tape_libm_partials(uint32_t what, double x, double y, double r, double partial[2])
{
    bool positive = r > 0;
    partial[0] = partial[1] = 0;
    if (what == ACCORDI_FMOD || what == ACCORDI_REMAINDER) {
        partial[0] = 1;
        partial[1] = (r - x) / y;
    } else if (what == ACCORDI_POSITIVE_DIFFERENCE) {
        partial[0] = positive;
        partial[1] = -(double)positive;
    } else {
        partial[0] = what == ACCORDI_MODF ? 1 : x == 0 ? NAN : r / x;
    }
}
