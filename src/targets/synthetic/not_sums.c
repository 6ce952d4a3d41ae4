/* Functions that are not plain sums along a fixed tree, which accord_reveal must recognize and
 * name. All work on s->x in the accumulator format. */
#include "exact/accumulator/exact.h"
#include "format/format.h"
#include "targets/synthetic/synthetic.h"
#include <math.h>

static double add_in_format(const accordi_synthetic *s, double a, double b)
{
    return accord_format_add(s->accumulator, ACCORD_NEAREST_EVEN, a, b);
}

static double sequential(const accordi_synthetic *s, const double *x)
{
    double sum = x[0];
    for (size_t i = 1; i < s->n; i++)
        sum = add_in_format(s, sum, x[i]);
    return sum;
}

/* Kahan 1965: the error of each addition is taken off the next term. */
double accordi_sum_kahan(accordi_synthetic *s)
{
    double sum = s->x[0], error = 0;
    for (size_t i = 1; i < s->n; i++) {
        double y = add_in_format(s, s->x[i], -error);
        double t = add_in_format(s, sum, y);
        error = add_in_format(s, add_in_format(s, t, -sum), -y);
        sum = t;
    }
    return sum;
}

/* Neumaier 1974: the errors are summed apart and added at the end. */
double accordi_sum_neumaier(accordi_synthetic *s)
{
    double sum = s->x[0], errors = 0;
    for (size_t i = 1; i < s->n; i++) {
        double x = s->x[i], t = add_in_format(s, sum, x);
        bool larger = fabs(sum) >= fabs(x);
        double large = larger ? sum : x, small = larger ? x : sum;
        errors = add_in_format(s, errors, add_in_format(s, add_in_format(s, large, -t), small));
        sum = t;
    }
    return isfinite(sum) ? add_in_format(s, sum, errors) : sum;
}

double accordi_sum_exact(accordi_synthetic *s)
{
    return accordi_exact_sum(s->accumulator, ACCORD_NEAREST_EVEN, s->x, s->n);
}

static int by_magnitude(const void *a, const void *b)
{
    double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
    return x != y ? (x > y) - (x < y) : accordi_by_value(a, b);
}

static double sorted(accordi_synthetic *s, int (*order)(const void *, const void *))
{
    memcpy(s->scratch, s->x, s->n * sizeof *s->x);
    qsort(s->scratch, s->n, sizeof *s->scratch, order);
    return sequential(s, s->scratch);
}

double accordi_sum_sorted(accordi_synthetic *s)
{
    return sorted(s, accordi_by_value);
}

double accordi_sum_sorted_magnitude(accordi_synthetic *s)
{
    return sorted(s, by_magnitude);
}

/* A new order at each call (Fisher and Yates). */
double accordi_sum_shuffled(accordi_synthetic *s)
{
    double *x = s->scratch;
    memcpy(x, s->x, s->n * sizeof *x);
    for (size_t i = s->n; i > 1; i--) {
        size_t j = (size_t)accordi_rng_below(&s->rng, i);
        double held = x[j];
        x[j] = x[i - 1];
        x[i - 1] = held;
    }
    return sequential(s, x);
}

double accordi_sum_lost(accordi_synthetic *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->n; i++)
        if (i != s->parameter)
            sum = add_in_format(s, sum, s->x[i]);
    return sum;
}

double accordi_sum_twice(accordi_synthetic *s)
{
    return add_in_format(s, sequential(s, s->x), s->x[s->parameter]);
}

double accordi_sum_nan(accordi_synthetic *s)
{
    (void)s;
    return NAN;
}
