/* Reasons for "not a sum", as a table of functions (max, median, ...): a row adds a reason.
 *
 * These functions of n numbers are not sums, but easily taken for one. A target is such a function
 * if it gives its value in all rows of ordinary numbers. */
#include "reveal/reasons/ordinary_sums.h"
#include <math.h>

/* *size: how large the numbers are that are rounded on the way to the value. */
typedef double function(const double *x, size_t n, double *size);

/* A value that is found by one expression of the running value v and the term t = x[i]. */
#define FOLD(name_, first_, step_)                                                                 \
    static double name_(const double *x, size_t n, double *size)                                   \
    {                                                                                              \
        double v = (first_);                                                                       \
        (void)size;                                                                                \
        for (size_t i = 0; i < n; i++) {                                                           \
            double t = x[i];                                                                       \
            v = (step_);                                                                           \
        }                                                                                          \
        return v;                                                                                  \
    }
/* One that other functions give. */
#define GIVES(name_, value_)                                                                       \
    static double name_(const double *x, size_t n, double *size)                                   \
    {                                                                                              \
        (void)size;                                                                                \
        return value_;                                                                             \
    }

FOLD(greatest, x[0], t > v ? t : v)
FOLD(least, x[0], t < v ? t : v)
GIVES(spread, greatest(x, n, size) - least(x, n, size))
FOLD(greatest_magnitude, 0, fabs(t) > v ? fabs(t) : v)
FOLD(least_magnitude, INFINITY, fabs(t) < v ? fabs(t) : v)
FOLD(product, 1, v *t)
FOLD(nonzeros, 0, v + (t != 0))
FOLD(positives, 0, v + (t > 0))
FOLD(any_nonzero, 0, v != 0 || t != 0)
FOLD(all_nonzero, 1, v != 0 && t != 0)
FOLD(any_positive, 0, v != 0 || t > 0)
FOLD(all_positive, 1, v != 0 && t > 0)
FOLD(place_of_greatest, 0, t > x[(size_t)v] ? (double)i : v)

/* Ordinary numbers, and quarters of them, are few different ones: counting them sorts them. */
static double ranked(const double *x, size_t n, size_t rank)
{
    enum { WIDE = 32 };
    size_t count[2 * WIDE + 1] = {0};
    for (size_t i = 0; i < n; i++)
        count[(int)(4 * x[i]) + WIDE]++;
    int v = 0;
    for (size_t below = 0; (below += count[v]) <= rank; v++)
        ;
    return (v - WIDE) / 4.0;
}

GIVES(lower_median, ranked(x, n, (n - 1) / 2))
GIVES(upper_median, ranked(x, n, n / 2))
GIVES(median, (lower_median(x, n, size) + upper_median(x, n, size)) / 2)

static double power_sum(const double *x, size_t n, double power)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += pow(fabs(x[i]), power);
    return sum;
}

GIVES(norm_3, cbrt(power_sum(x, n, 3)))
GIVES(norm_4, sqrt(sqrt(power_sum(x, n, 4))))
GIVES(norm_half, power_sum(x, n, 0.5) * power_sum(x, n, 0.5))

/* The squares of the distances from the mean. */
static double deviations(const double *x, size_t n, double *size)
{
    double mean = 0, sum = 0;
    for (size_t i = 0; i < n; i++)
        mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        sum += (x[i] - mean) * (x[i] - mean);
    *size = power_sum(x, n, 2);
    return sum;
}

static double divided(double value, double by, double *size)
{
    *size /= by;
    return value / by;
}

/* Where little is left of large squares a root says nothing. */
static double root(double square, double *size)
{
    double value = sqrt(square);
    *size = value > 0 ? *size / value : INFINITY;
    return value;
}

GIVES(variance, divided(deviations(x, n, size), (double)n, size))
GIVES(sample_variance, divided(deviations(x, n, size), (double)n - 1, size))
GIVES(deviation, root(variance(x, n, size), size))
GIVES(sample_deviation, root(sample_variance(x, n, size), size))
GIVES(norm_of_deviations, root(deviations(x, n, size), size))

FOLD(exponentials, 0, v + exp(t))
GIVES(shifted_exponentials, exponentials(x, n, size) * exp(-greatest(x, n, size)))
GIVES(first_share, exp(x[0]) / exponentials(x, n, size))
GIVES(last_share, exp(x[n - 1]) / exponentials(x, n, size))

static double log_of_exponentials(const double *x, size_t n, double *size)
{
    *size = 1;
    return log(exponentials(x, n, size));
}

FOLD(logs, 0, v + log(t))
FOLD(inverses, 0, v + (t > 0 ? 1 / t : NAN))
GIVES(harmonic_mean, (double)n / inverses(x, n, size))

static double geometric_mean(const double *x, size_t n, double *size)
{
    *size = 1;
    return exp(logs(x, n, size) / (double)n);
}

static const struct {
    function *value;
    bool rounds; /* else the value is one of the terms, or a small whole number */
    enum accord_reason reason;
    const char *is;
} functions[] = {
    {greatest, false, ACCORD_REASON_MAXIMUM, "the greatest term"},
    {least, false, ACCORD_REASON_MINIMUM, "the least term"},
    {greatest_magnitude, false, ACCORD_REASON_MAGNITUDE, "the greatest magnitude of a term"},
    {least_magnitude, false, ACCORD_REASON_MAGNITUDE, "the least magnitude of a term"},
    {spread, false, ACCORD_REASON_RANGE, "the greatest term minus the least"},
    {product, true, ACCORD_REASON_PRODUCT, "the product of the terms"},
    {median, false, ACCORD_REASON_MEDIAN, "the median of the terms"},
    {lower_median, false, ACCORD_REASON_MEDIAN, "the lower median of the terms"},
    {upper_median, false, ACCORD_REASON_MEDIAN, "the upper median of the terms"},
    {nonzeros, false, ACCORD_REASON_COUNT_OF, "the number of terms that are not 0"},
    {positives, false, ACCORD_REASON_COUNT_OF, "the number of terms above 0"},
    {any_nonzero, false, ACCORD_REASON_LOGICAL, "1 if any term is not 0 (otherwise 0)"},
    {all_nonzero, false, ACCORD_REASON_LOGICAL, "1 if no term is 0 (otherwise 0)"},
    {any_positive, false, ACCORD_REASON_LOGICAL, "1 if any term is above 0 (otherwise 0)"},
    {all_positive, false, ACCORD_REASON_LOGICAL, "1 if each term is above 0 (otherwise 0)"},
    {place_of_greatest, false, ACCORD_REASON_INDEX, "the position of the greatest term"},
    {variance, true, ACCORD_REASON_VARIANCE, "the variance of the terms (divided by n)"},
    {sample_variance, true, ACCORD_REASON_VARIANCE, "the variance of the terms (divided by n - 1)"},
    {deviations, true, ACCORD_REASON_VARIANCE,
     "the sum of the squared distances from the mean of the terms"},
    {deviation, true, ACCORD_REASON_DEVIATION, "the standard deviation (divided by n)"},
    {sample_deviation, true, ACCORD_REASON_DEVIATION, "the standard deviation (divided by n - 1)"},
    {norm_of_deviations, true, ACCORD_REASON_DEVIATION,
     "the square root of the summed squares of the distances from the mean"},
    {exponentials, true, ACCORD_REASON_EXPONENTIALS, "the sum of the exponentials of the terms"},
    {shifted_exponentials, true, ACCORD_REASON_EXPONENTIALS,
     "the sum of the exponentials of the terms, after subtracting the greatest term from each"},
    {log_of_exponentials, true, ACCORD_REASON_LOGSUMEXP,
     "the logarithm of the sum of the exponentials"},
    {first_share, true, ACCORD_REASON_SOFTMAX, "the softmax of the first term"},
    {last_share, true, ACCORD_REASON_SOFTMAX, "the softmax of the last term"},
    {norm_3, true, ACCORD_REASON_NORM, "the 3-norm of the terms"},
    {norm_4, true, ACCORD_REASON_NORM, "the 4-norm of the terms"},
    {norm_half, true, ACCORD_REASON_NORM, "the 1/2-norm of the terms"},
    {geometric_mean, true, ACCORD_REASON_MEAN, "the geometric mean of the terms"},
    {harmonic_mean, true, ACCORD_REASON_MEAN, "the harmonic mean of the terms"},
};
#undef FOLD
#undef GIVES

enum { LEAST_ROWS = 5 };

/* Rows whose value the result cannot hold, or that tell nothing, are left out. */
static bool agrees(const accordi_ordinary *o, function *value, bool rounds, double *x, size_t *rows)
{
    const accord_format_info *out = accord_format_get(o->asker->target->output);
    double n = (double)o->asker->n, first = 0;
    double slack = rounds ? (n + 4) * ldexp(1, 1 - o->precision) : ldexp(1, -o->precision);
    bool varies = false;
    *rows = 0;
    for (size_t r = 0; r < o->rows; r++) {
        double size = 0;
        accordi_ordinary_terms(o, &o->row[r], x);
        double due = value(x, o->asker->n, &size);
        double most = slack * (fabs(due) + size);
        if (!(fabs(due) < ldexp(1, out->max_exponent)) || !isfinite(size) ||
            (rounds && due != 0 && fabs(due) < ldexp(1, out->min_exponent)))
            continue;
        if (!(fabs(o->row[r].result - due) <= most))
            return false;
        if (rounds && due != 0 && most > 0.125 * fabs(due))
            continue; /* agrees, and says little */
        varies = varies || (*rows > 0 && fabs(due - first) > 0.125 * (fabs(due) + fabs(first)));
        first = *rows ? first : due;
        ++*rows;
    }
    return *rows >= LEAST_ROWS && varies;
}

static double value_of(const double *x, size_t n, const void *row)
{
    double size = 0;
    return functions[*(const size_t *)row].value(x, n, &size);
}

/* Functions that round are already told apart by small integers. */
static bool is_row(const accordi_ordinary *o, size_t i, double *x, size_t *rows)
{
    return agrees(o, functions[i].value, functions[i].rounds, x, rows) &&
           (functions[i].rounds || accordi_agrees_in_quarters(o, value_of, &i));
}

/* If rounding hides the difference between functions, all are named, if the reason is the same. */
static bool add_name(const accordi_ordinary *o, size_t i, size_t rows, size_t *first, char *names,
                     size_t size)
{
    if (*first == sizeof functions / sizeof *functions) {
        *first = i;
        snprintf(names, size, "%s", functions[i].is);
    } else if (functions[i].reason != functions[*first].reason) {
        return false;
    } else {
        size_t used = strlen(names);
        snprintf(names + used, size - used, ", or %s", functions[i].is);
    }
    accordi_unable(
        o->asker->error, functions[i].reason,
        "this is not a sum: the result is %s for all %zu inputs of small integers that were tested",
        names, rows);
    return true;
}

bool accordi_is_function(const accordi_ordinary *o)
{
    enum { FUNCTIONS = sizeof functions / sizeof *functions };
    double *x = accordi_alloc(o->asker->n, sizeof *x);
    char names[300];
    size_t first = FUNCTIONS, rows = 0;
    bool good = x != NULL;
    for (size_t i = 0; i < FUNCTIONS && good; i++) {
        if (is_row(o, i, x, &rows))
            good = add_name(o, i, rows, &first, names, sizeof names);
        if (first < FUNCTIONS && !functions[first].rounds)
            break;
    }
    free(x);
    return good && first < FUNCTIONS;
}
