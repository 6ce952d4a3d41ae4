/* Steps and dot products of the fused model: what is common to all schemes, and those that round at
 * every addition. */
#include "exact/accumulator/exact.h"
#include "format/format.h"
#include "fused/fused.h"
#include <math.h>

static double least_normal(enum accord_format format)
{
    return accordi_power_of_two(accordi_formats[format].min_exponent);
}

static double round_to_format(enum accord_format format, double x)
{
    return accord_format_round(format, ACCORD_NEAREST_EVEN, x);
}

static double flushed(const accord_fused *fused, enum accord_format format, double x)
{
    return fused->flush && fabs(x) < least_normal(format) ? copysign(0, x) : x;
}

static double round_and_flush(const accord_fused *fused, double x)
{
    double kept = flushed(fused, fused->output, round_to_format(fused->output, x));
    return fused->positive_zero && kept == 0 ? 0 : kept;
}

/* The product of two numbers of at most 24 bits is exact in a double; libc's fused multiply-adds
 * are exact by definition. */
static double multiply_add(enum accord_format format, double a, double b, double c)
{
    if (format == ACCORD_F64)
        return fma(a, b, c);
    if (format == ACCORD_F32)
        return (double)fmaf((float)a, (float)b, (float)c);
    return accordi_exact_sum(format, ACCORD_NEAREST_EVEN, (const double[]){a * b, c}, 2);
}

/* Whether a * b + c, which was rounded to the least normal number, is less than that when it is
 * rounded to all bits: that much larger, no number is subnormal, and none is large. */
static bool is_tiny(enum accord_format format, double a, double b, double c)
{
    enum { UP = 60 };
    double sum = multiply_add(format, ldexp(a, UP / 2), ldexp(b, UP / 2), ldexp(c, UP));
    return fabs(sum) < ldexp(least_normal(format), UP);
}

static double add_product(const accord_fused *fused, double a, double b, double c)
{
    double sum = multiply_add(fused->output, a, b, c);
    bool flushes = fused->flush && fused->flush_tiny,
         is_least = fabs(sum) == least_normal(fused->output);
    return flushes && is_least && is_tiny(fused->output, a, b, c) ? copysign(0, sum)
                                                                  : round_and_flush(fused, sum);
}

static double chain(const accord_fused *fused, size_t count, const double *a, const double *b,
                    double c)
{
    for (size_t i = 0; i < count; i++)
        c = add_product(fused, a[i], b[i], c);
    return c;
}

static double last_first(const accord_fused *fused, size_t count, const double *a, const double *b,
                         double c)
{
    for (size_t i = (size_t)fused->terms; i-- > 0;)
        c = i < count ? add_product(fused, a[i], b[i], c) : c + 0.0;
    return c;
}

static double even_odd(const accord_fused *fused, size_t count, const double *a, const double *b,
                       double c)
{
    double sum[2] = {0};
    for (size_t i = 0; i < count; i++)
        sum[i % 2] = add_product(fused, a[i], b[i], sum[i % 2]);
    if (count % 2)
        sum[1] += 0.0; /* the product that fills the last pair */
    return add_product(fused, 1, add_product(fused, 1, sum[0], sum[1]), c);
}

/* (p0+p1)+(p2+p3), then c; terms is a power of two. */
static double pairwise(const accord_fused *fused, size_t count, const double *a, const double *b,
                       double c)
{
    double sum[ACCORDI_FUSED_MOST];
    size_t terms = (size_t)fused->terms;
    for (size_t i = 0; i < terms; i++)
        sum[i] = i < count ? round_and_flush(fused, a[i] * b[i]) + 0.0 : 0.0;
    for (; terms > 1; terms /= 2)
        for (size_t i = 0; i < terms / 2; i++)
            sum[i] = round_and_flush(fused, sum[2 * i] + sum[2 * i + 1]);
    return round_and_flush(fused, c + sum[0]);
}

/* An operand as the machine sees it. */
static double as_seen(const accord_fused *fused, double x)
{
    if (fused->input == ACCORD_TF32)
        x = accord_format_round(ACCORD_TF32, ACCORD_TOWARD_ZERO, x);
    return flushed(fused, fused->input, x);
}

/* What IEEE additions give when something is not finite; the order does not matter then. */
static double not_finite(const accord_fused *fused, const accordi_products *of, double c)
{
    double sum = isfinite(c) ? 0 : c;
    for (size_t i = 0; i < of->given; i++) { /* those of finite factors do not count */
        const accordi_product *p = &of->product[i];
        sum += isfinite(p->a) && isfinite(p->b) ? 0 : p->a * p->b;
    }
    return round_to_format(fused->output, isfinite(sum) ? NAN : sum);
}

static double scaled(const accord_fused *fused, const double *scale, size_t i)
{
    return scale ? scale[i / (size_t)fused->scale_block] : 1;
}

/* The sum of the products that are infinities of their own; 0 if there is none. */
static double infinite_products(const accord_fused *fused, const accordi_products *of)
{
    double sum = 0;
    for (size_t i = 0; fused->infinite_products && i < of->given; i++) {
        const accordi_product *p = &of->product[i];
        double product = p->a * p->b * scaled(fused, of->scale_a, p->place) *
                         scaled(fused, of->scale_b, p->place);
        if (fabs(product) >= 0x1p128)
            sum += copysign(INFINITY, product);
    }
    return sum;
}

/* MMA-Sim: a scale that is NaN makes NaN of the whole step. */
static bool has_nan_scale(const accord_fused *fused, size_t count, const double *scale)
{
    size_t share = (size_t)fused->scale_block;
    for (size_t i = 0; scale && i < count; i += share, scale++)
        if (isnan(*scale))
            return true;
    return false;
}

bool accordi_fused_aligns(const accord_fused *fused)
{
    return fused->scheme == ACCORD_FUSED_WITH_C || fused->scheme == ACCORD_FUSED_THEN_C;
}

bool accordi_fused_leaves_zeros(const accord_fused *fused)
{
    return accordi_fused_aligns(fused) && (!fused->zeros || fused->block);
}

double accordi_fused_sparse(const accord_fused *fused, const accordi_products *products, double c)
{
    accordi_product seen[ACCORDI_FUSED_MOST];
    accordi_products of = *products;
    bool finite = isfinite(c);
    of.product = seen;
    if (has_nan_scale(fused, of.count, of.scale_a) || has_nan_scale(fused, of.count, of.scale_b))
        return (double)NAN;
    for (size_t i = 0; i < of.given; i++) {
        const accordi_product *p = &products->product[i];
        seen[i] = (accordi_product){p->place, as_seen(fused, p->a), as_seen(fused, p->b)};
        finite = finite && isfinite(seen[i].a) && isfinite(seen[i].b);
    }
    c = flushed(fused, fused->output, c);
    if (!finite)
        return not_finite(fused, &of, c);
    double infinite = infinite_products(fused, &of);
    return infinite != 0 ? infinite : round_and_flush(fused, accordi_fused_aligned(fused, &of, c));
}

static bool is_zero(double a, double b)
{
    return (a == 0 || b == 0) && isfinite(a) && isfinite(b);
}

/* With every product, but for those that make no difference. */
static double compute_aligned(const accord_fused *fused, size_t count, const double *a,
                              const double *b, const double *scale_a, const double *scale_b,
                              double c)
{
    accordi_product product[ACCORDI_FUSED_MOST];
    accordi_products all = {product, 0, count, scale_a, scale_b};
    bool leaves = accordi_fused_leaves_zeros(fused);
    for (size_t i = 0; i < count; i++)
        if (!leaves || !is_zero(a[i], b[i]))
            product[all.given++] = (accordi_product){i, a[i], b[i]};
    return accordi_fused_sparse(fused, &all, c);
}

static double compute_step(const accord_fused *fused, size_t count, const double *a,
                           const double *b, const double *scale_a, const double *scale_b, double c)
{
    static double (*const rounding[])(const accord_fused *, size_t, const double *, const double *,
                                      double) = {[ACCORD_FUSED_CHAIN] = chain,
                                                 [ACCORD_FUSED_PAIRWISE] = pairwise,
                                                 [ACCORD_FUSED_LAST_FIRST] = last_first,
                                                 [ACCORD_FUSED_EVEN_ODD] = even_odd};
    double x[ACCORDI_FUSED_MOST], y[ACCORDI_FUSED_MOST];
    if (accordi_fused_aligns(fused))
        return compute_aligned(fused, count, a, b, scale_a, scale_b, c);
    for (size_t i = 0; i < count; i++) {
        x[i] = as_seen(fused, a[i]);
        y[i] = as_seen(fused, b[i]);
    }
    c = flushed(fused, fused->output, c);
    return rounding[fused->scheme](fused, count, x, y, c);
}

static enum accord_status check_scales(const accord_fused *fused, bool given, accord_error *error)
{
    if (!given || (fused->scale_block > 0 && accordi_fused_aligns(fused)))
        return ACCORD_OK;
    return accordi_fail(error, ACCORD_ARG, "%s has no scales; pass NULL for them", fused->name);
}

enum accord_status accord_fused_step(const accord_fused *fused, size_t count, const double *a,
                                     const double *b, const double *scale_a, const double *scale_b,
                                     double c, double *d, accord_error *error)
{
    if (fused->terms > ACCORDI_FUSED_MOST || count > (size_t)fused->terms)
        return accordi_fail(error, ACCORD_ARG, "%s takes at most %d products a step; pass fewer",
                            fused->name, fused->terms);
    enum accord_status status = check_scales(fused, scale_a || scale_b, error);
    if (status != ACCORD_OK)
        return status;
    *d = compute_step(fused, count, a, b, scale_a, scale_b, c);
    return ACCORD_OK;
}

enum accord_status accord_fused_dot(const accord_fused *fused, size_t n, const double *a,
                                    const double *b, const double *scale_a, const double *scale_b,
                                    double *d, accord_error *error)
{
    double c = 0;
    size_t terms = (size_t)fused->terms;
    if (fused->terms < 1 || fused->terms > ACCORDI_FUSED_MOST)
        return accordi_fail(error, ACCORD_ARG,
                            "a step takes 1 to %d products; correct the terms of the machine",
                            ACCORDI_FUSED_MOST);
    enum accord_status status = check_scales(fused, scale_a || scale_b, error);
    if (status != ACCORD_OK)
        return status;
    size_t share = scale_a || scale_b ? (size_t)fused->scale_block : 1;
    if (share % terms && terms % share)
        return accordi_fail(error, ACCORD_ARG,
                            "%s has steps that share scales in part; let one of terms and "
                            "scale_block be a multiple of the other",
                            fused->name);
    for (size_t i = 0; i < n; i += terms)
        c = compute_step(fused, n - i < terms ? n - i : terms, a + i, b + i,
                         scale_a ? scale_a + i / share : NULL, scale_b ? scale_b + i / share : NULL,
                         c);
    *d = c;
    return ACCORD_OK;
}
