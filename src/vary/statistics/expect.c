/* What one sum must give, may give, and is likely to give. */
#include "base/base.h"
#include <accord/exact.h>
#include <accord/vary.h>
#include <math.h>

/* Two roundings beside the additions: of the product and of a factor such as alpha. */
enum { BESIDE = 2, ORDERS = 16, WORK = 1 << 24 };

static double term_of(const double *x, const double *y, size_t i)
{
    return y ? x[i] * y[i] : x[i];
}

static double gamma_of(double k, double u)
{
    return k * u < 1 ? k * u / (1 - k * u) : INFINITY;
}

/* Roundings of this function's own, all relative and at most 2^-52 each. */
static double raise(double bound, size_t n)
{
    return bound * (1 + ((double)n + 16) * 0x1p-52);
}

static double bound_of(const accord_vary_expectation *e, size_t n, bool products,
                       enum accord_format output)
{
    const accord_format_info *inside = accord_format_get(e->inside);
    double u = ldexp(1, -inside->precision), factor = gamma_of((double)n + BESIDE, u);
    /* Products may lose part of the least subnormal number; sums of subnormal numbers are exact. */
    double least = products ? ldexp(1, inside->min_exponent - inside->precision + 1) : 0;
    double magnitude = raise(e->magnitude, n), within = factor * magnitude + (double)n * least;
    double most = fabs(e->exact) + within;
    if (!(magnitude + within <= inside->greatest) || !(most <= accord_format_get(output)->greatest))
        return INFINITY;
    return raise(within + accord_vary_unit(output, most) / 2, n);
}

/* The sum of ulp(S_k)^2 / 12 along one order, in squares of `scale`. */
static double variance_of(const double *term, size_t n, enum accord_format inside, double scale)
{
    double sum = n ? term[0] : 0, variance = 0;
    for (size_t i = 1; i < n; i++) {
        sum = accord_format_round(inside, ACCORD_NEAREST_EVEN, sum + term[i]);
        double unit = accord_vary_unit(inside, sum) / scale;
        variance += unit * unit / 12;
    }
    return variance;
}

static void shuffle(accordi_rng *rng, double *term, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t other = accordi_rng_below(rng, i);
        double kept = term[other];
        term[other] = term[i - 1];
        term[i - 1] = kept;
    }
}

static bool predict(const double *x, const double *y, size_t n, accord_vary_expectation *e)
{
    accordi_rng rng;
    double *term = accordi_alloc(n, sizeof *term), sum = 0;
    double scale = accord_vary_unit(e->inside, e->magnitude);
    size_t orders = n < WORK / ORDERS ? ORDERS : n < WORK ? WORK / n : 1;
    if (!term)
        return false;
    for (size_t i = 0; i < n; i++)
        term[i] = term_of(x, y, i);
    accordi_rng_init(&rng, 0);
    for (size_t k = 0; k < orders; k++) {
        shuffle(&rng, term, n);
        sum += variance_of(term, n, e->inside, scale);
    }
    e->predicted = sqrt(sum / (double)orders) * scale;
    free(term);
    return true;
}

enum accord_status accord_vary_expect(const double *x, const double *y, size_t n,
                                      enum accord_format inside, enum accord_format output,
                                      accord_vary_expectation *out, accord_error *error)
{
    accord_exact_wide sum;
    accord_vary_expectation e = {.inside = inside};
    accord_exact_wide_init(&sum);
    for (size_t i = 0; i < n; i++) {
        accord_exact_wide_add_product_f64(&sum, x[i], y ? y[i] : 1);
        e.magnitude += fabs(term_of(x, y, i));
    }
    e.exact = accord_exact_wide_f64(&sum, ACCORD_EXACT_NEAREST_EVEN);
    if (isfinite(e.exact)) {
        accord_exact_wide_subtract_f64(&sum, e.exact);
        e.rest = accord_exact_wide_f64(&sum, ACCORD_EXACT_NEAREST_EVEN);
    }
    e.bound = isfinite(e.magnitude) ? bound_of(&e, n, y != NULL, output) : INFINITY;
    if (!predict(x, y, n, &e))
        return accordi_nomem(error);
    *out = e;
    return ACCORD_OK;
}

enum accord_status accord_vary_expect_reduction(const accord_reduction *reduction, const double *x,
                                                const accord_vary_expectation *terms,
                                                double *predicted, accord_error *error)
{
    accord_vary_expectation sum;
    size_t parts;
    enum accord_status status = accord_reduction_parts(reduction, &parts, error);
    if (status)
        return status;
    bool atomic = reduction->method->last == ACCORD_LAST_ATOMIC;
    if (!atomic || !reduction->method->blocks) {
        *predicted = atomic ? terms->predicted : 0;
        return ACCORD_OK;
    }
    double *part = accordi_alloc(parts, sizeof *part);
    if (!part)
        return accordi_nomem(error);
    status = accord_reduction_blocks(reduction, x, part, error);
    if (!status)
        status = accord_vary_expect(part, NULL, parts, ACCORD_F64, ACCORD_F64, &sum, error);
    if (!status)
        *predicted = sum.predicted;
    free(part);
    return status;
}
