/* y = factor * n^exponent: a line through logarithms, with its confidence. */
#include "base/base.h"
#include <accord/vary.h>
#include <math.h>

/* Quantiles of Student's t for a share of 0.975, by degrees of freedom; NIST/SEMATECH e-Handbook of
 * Statistical Methods, 1.3.6.7.2. */
static const double student[] = {0,     12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365,
                                 2.306, 2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
                                 2.120, 2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069,
                                 2.064, 2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
enum { DEGREES = sizeof student / sizeof student[0] - 1 };

static double student_of(size_t degrees)
{
    return degrees == 0 ? INFINITY : student[degrees < DEGREES ? degrees : DEGREES];
}

static bool has_logarithm(double n, double y)
{
    return n > 0 && isfinite(n) && y > 0 && isfinite(y);
}

typedef struct moments {
    double x, y, xx, xy, yy; /* means, then sums of products of what lies beside them */
} moments;

static size_t take_moments(const double *n, const double *y, size_t count, moments *m)
{
    size_t used = 0;
    *m = (moments){0};
    for (size_t i = 0; i < count; i++)
        if (has_logarithm(n[i], y[i])) {
            used++;
            m->x += log(n[i]);
            m->y += log(y[i]);
        }
    m->x /= (double)used;
    m->y /= (double)used;
    for (size_t i = 0; i < count; i++)
        if (has_logarithm(n[i], y[i])) {
            double x = log(n[i]) - m->x, z = log(y[i]) - m->y;
            m->xx += x * x;
            m->xy += x * z;
            m->yy += z * z;
        }
    return used;
}

enum accord_status accord_vary_power_law(const double *n, const double *y, size_t count,
                                         accord_vary_law *out, accord_error *error)
{
    moments m;
    size_t used = take_moments(n, y, count, &m);
    if (used < 2 || !(m.xx > 0))
        return accordi_fail(error, ACCORD_UNABLE,
                            "a power law needs results for two numbers of terms at least whose "
                            "variability is not 0; give more of them");
    double exponent = m.xy / m.xx, rest = m.yy - exponent * m.xy;
    double deviation = used > 2 ? sqrt((rest > 0 ? rest : 0) / (double)(used - 2) / m.xx) : 0;
    double margin = used > 2 ? student_of(used - 2) * deviation : INFINITY;
    *out = (accord_vary_law){.points = used,
                             .exponent = exponent,
                             .factor = exp(m.y - exponent * m.x),
                             .low = exponent - margin,
                             .high = exponent + margin};
    return ACCORD_OK;
}
