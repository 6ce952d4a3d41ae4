/* Vs, Vermv and Vc: how far one result is from another. */
#include "base/base.h"
#include <accord/vary.h>
#include <math.h>

static bool equal(double a, double b)
{
    return a == b || accordi_same_bits(a, b);
}

/* |value / reference|; NaN where no relation is defined. */
static double relation(double value, double reference)
{
    return reference == 0 || !isfinite(reference) ? NAN : fabs(value / reference);
}

double accord_vary_vs(double value, double reference)
{
    return equal(value, reference) ? 0 : 1 - relation(value, reference);
}

double accord_vary_vermv(const double *value, const double *reference, size_t count,
                         size_t *undefined)
{
    size_t left_out = 0;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double v =
            equal(value[i], reference[i]) ? 0 : relation(reference[i] - value[i], reference[i]);
        left_out += isnan(v);
        sum += isnan(v) ? 0 : v;
    }
    if (undefined)
        *undefined = left_out;
    return left_out == count ? NAN : sum / (double)(count - left_out);
}

double accord_vary_vc(const double *value, const double *reference, size_t count)
{
    size_t differ = 0;
    for (size_t i = 0; i < count; i++)
        differ += !accordi_same_bits(value[i], reference[i]);
    return count ? (double)differ / (double)count : NAN;
}
