/* Functions of n numbers that are no sums, and are easily taken for one. A row of the table each;
 * a target is such a function if it gives its value in all rows of ordinary numbers. */
#include "reveal/reasons/ordinary_sums.h"
#include <math.h>

/* *size: how large the numbers are that are rounded on the way to the value. */
typedef double function(const double *x, size_t n, double *size);

static double greatest(const double *x, size_t n, double *size)
{
    double most = x[0];
    (void)size;
    for (size_t i = 1; i < n; i++)
        most = x[i] > most ? x[i] : most;
    return most;
}

static double least(const double *x, size_t n, double *size)
{
    double most = x[0];
    (void)size;
    for (size_t i = 1; i < n; i++)
        most = x[i] < most ? x[i] : most;
    return most;
}

static double spread(const double *x, size_t n, double *size)
{
    return greatest(x, n, size) - least(x, n, size);
}

static double greatest_magnitude(const double *x, size_t n, double *size)
{
    double up = greatest(x, n, size), down = -least(x, n, size);
    return up > down ? up : down;
}

static double least_magnitude(const double *x, size_t n, double *size)
{
    double most = fabs(x[0]);
    (void)size;
    for (size_t i = 1; i < n; i++)
        most = fabs(x[i]) < most ? fabs(x[i]) : most;
    return most;
}

static double product(const double *x, size_t n, double *size)
{
    double all = 1;
    (void)size;
    for (size_t i = 0; i < n; i++)
        all *= x[i];
    return all;
}

/* Ordinary numbers are few different ones: counting them sorts them. */
static double ranked(const double *x, size_t n, size_t rank)
{
    enum { WIDE = 8 };
    size_t count[2 * WIDE + 1] = {0};
    for (size_t i = 0; i < n; i++)
        count[(int)x[i] + WIDE]++;
    int v = 0;
    for (size_t below = 0; (below += count[v]) <= rank; v++)
        ;
    return v - WIDE;
}

static double median(const double *x, size_t n, double *size)
{
    (void)size;
    return (ranked(x, n, (n - 1) / 2) + ranked(x, n, n / 2)) / 2;
}

static double lower_median(const double *x, size_t n, double *size)
{
    (void)size;
    return ranked(x, n, (n - 1) / 2);
}

static double upper_median(const double *x, size_t n, double *size)
{
    (void)size;
    return ranked(x, n, n / 2);
}

static double nonzeros(const double *x, size_t n, double *size)
{
    double count = 0;
    (void)size;
    for (size_t i = 0; i < n; i++)
        count += x[i] != 0;
    return count;
}

static double positives(const double *x, size_t n, double *size)
{
    double count = 0;
    (void)size;
    for (size_t i = 0; i < n; i++)
        count += x[i] > 0;
    return count;
}

static double any_nonzero(const double *x, size_t n, double *size)
{
    return nonzeros(x, n, size) > 0;
}

static double all_nonzero(const double *x, size_t n, double *size)
{
    return nonzeros(x, n, size) == (double)n;
}

static double any_positive(const double *x, size_t n, double *size)
{
    return positives(x, n, size) > 0;
}

static double all_positive(const double *x, size_t n, double *size)
{
    return positives(x, n, size) == (double)n;
}

static double place_of_greatest(const double *x, size_t n, double *size)
{
    size_t at = 0;
    (void)size;
    for (size_t i = 1; i < n; i++)
        at = x[i] > x[at] ? i : at;
    return (double)at;
}

static double power_sum(const double *x, size_t n, double power)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += pow(fabs(x[i]), power);
    return sum;
}

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

static double variance(const double *x, size_t n, double *size)
{
    double sum = deviations(x, n, size);
    *size /= (double)n;
    return sum / (double)n;
}

static double sample_variance(const double *x, size_t n, double *size)
{
    double sum = deviations(x, n, size);
    *size /= (double)n - 1;
    return sum / ((double)n - 1);
}

/* Where little is left of large squares a root says nothing. */
static double root(double square, double *size)
{
    double value = sqrt(square);
    *size = value > 0 ? *size / value : INFINITY;
    return value;
}

static double deviation(const double *x, size_t n, double *size)
{
    return root(variance(x, n, size), size);
}

static double sample_deviation(const double *x, size_t n, double *size)
{
    return root(sample_variance(x, n, size), size);
}

static double norm_of_deviations(const double *x, size_t n, double *size)
{
    return root(deviations(x, n, size), size);
}

static double exponentials(const double *x, size_t n, double *size)
{
    double sum = 0;
    (void)size;
    for (size_t i = 0; i < n; i++)
        sum += exp(x[i]);
    return sum;
}

static double shifted_exponentials(const double *x, size_t n, double *size)
{
    return exponentials(x, n, size) * exp(-greatest(x, n, size));
}

static double log_of_exponentials(const double *x, size_t n, double *size)
{
    *size = 1;
    return log(exponentials(x, n, size));
}

static double first_share(const double *x, size_t n, double *size)
{
    return exp(x[0]) / exponentials(x, n, size);
}

static double last_share(const double *x, size_t n, double *size)
{
    return exp(x[n - 1]) / exponentials(x, n, size);
}

static double norm_3(const double *x, size_t n, double *size)
{
    (void)size;
    return cbrt(power_sum(x, n, 3));
}

static double norm_4(const double *x, size_t n, double *size)
{
    (void)size;
    return sqrt(sqrt(power_sum(x, n, 4)));
}

static double norm_half(const double *x, size_t n, double *size)
{
    double sum = power_sum(x, n, 0.5);
    (void)size;
    return sum * sum;
}

static double geometric_mean(const double *x, size_t n, double *size)
{
    double sum = 0;
    *size = 1;
    for (size_t i = 0; i < n; i++)
        sum += log(x[i]);
    return exp(sum / (double)n);
}

static double harmonic_mean(const double *x, size_t n, double *size)
{
    double sum = 0;
    (void)size;
    for (size_t i = 0; i < n; i++)
        sum += x[i] > 0 ? 1 / x[i] : NAN;
    return (double)n / sum;
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

/* Functions that rounding keeps from being told apart are all named, if the reason is the same. */
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
        if (agrees(o, functions[i].value, functions[i].rounds, x, &rows))
            good = add_name(o, i, rows, &first, names, sizeof names);
        if (first < FUNCTIONS && !functions[first].rounds)
            break;
    }
    free(x);
    return good && first < FUNCTIONS;
}
