/* Sums and products of many terms, in any order: bounds without trying the orders.
 *
 * In: the values of n terms. Out: an interval that holds every sum of them, whatever the tree and
 * whichever products are fused; it is not known to be reached.
 *
 * Idea, for sums: the result is the exact sum, give or take the rounding errors of n - 1 additions;
 * a product counts with all that lies between its rounded and its unrounded values. An addition of
 * k terms errs by half a unit in the last place of what it computes, which is at most M_k + E, with
 * M_k the sum of the k largest terms of one sign, and E all errors made below it. In any tree at
 * most n - k + 1 additions have k terms or more, so that the errors of a chain, with k = 2 ... n,
 * bound those of every tree. The exact sum is that of room exact; bounds are rounded up. O(n log
 * n), for sorting.
 *
 * For products: as long as no product of some of the factors leaves the normal range, each of the
 * n - 1 roundings is a relative error. */
#include "bound/arithmetic.h"
#include "bound/bound.h"
#include <accord/exact.h>
#include <math.h>

static double add_up(double a, double b)
{
    return accord_format_add(ACCORD_F64, ACCORD_UP, a, b);
}

double accordi_half_unit(enum accord_format format, double size)
{
    const accord_format_info *row = accord_format_get(format);
    int exponent = size > 0 ? ilogb(size) : row->min_exponent;
    exponent = exponent < row->min_exponent ? row->min_exponent : exponent;
    double half = ldexp(1, exponent - row->precision);
    return half > 0 ? half : 0x1p-1074; /* half of the least f64 */
}

/* The most that one rounding of a number of at most this size errs. */
static double rounding_error(const accordi_bounds *b, enum accord_format f, double size)
{
    const accord_format_info *row = accord_format_get(f);
    double error = accordi_half_unit(f, size) * (b->outward ? 2 : 1);
    return b->flushes ? add_up(error, ldexp(1, row->min_exponent)) : error;
}

typedef struct long_sum {
    accord_exact_wide low, high; /* the exact sums of the least and of the greatest terms */
    double *positive, *negative; /* sizes, the largest first */
    double error;                /* of the additions so far */
    bool infinite, nan;
} long_sum;

static int compare_sizes(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x < *y) - (*x > *y);
}

/* What a term is, rounded or not: the extreme pairs of factors. */
static void extremes(const accordi_value *term, accordi_pair *low, accordi_pair *high)
{
    *low = (accordi_pair){term->low, 1, 0, 0};
    *high = (accordi_pair){term->high, 1, 0, 0};
    if (!term->product)
        return;
    if (accordi_compare_products(term->least.x, term->least.y, low->x, 1) < 0)
        *low = term->least;
    if (accordi_compare_products(term->greatest.x, term->greatest.y, high->x, 1) > 0)
        *high = term->greatest;
}

static void take(const accordi_value *term, size_t i, long_sum *s)
{
    accordi_pair low, high;
    extremes(term, &low, &high);
    double down = accordi_round_product(ACCORD_F64, ACCORD_DOWN, low.x, low.y);
    double up = accordi_round_product(ACCORD_F64, ACCORD_UP, high.x, high.y);
    s->nan |= term->nan;
    s->infinite |= !(isfinite(term->low) && isfinite(term->high) && isfinite(down) && isfinite(up));
    s->positive[i] = up > 0 ? up : 0;
    s->negative[i] = down < 0 ? -down : 0;
    if (s->infinite)
        return;
    accord_exact_wide_add_product_f64(&s->low, low.x, low.y);
    accord_exact_wide_add_product_f64(&s->high, high.x, high.y);
}

/* Adds the errors of the additions, and says whether all stays finite. */
static bool add_errors(const accordi_bounds *b, enum accord_format f, size_t n, long_sum *s)
{
    double positive = s->positive[0], negative = s->negative[0], size = 0;
    for (size_t k = 1; k < n; k++) {
        positive = add_up(positive, s->positive[k]);
        negative = add_up(negative, s->negative[k]);
        size = add_up(fmax(positive, negative), s->error);
        if (size > accord_format_get(f)->greatest)
            return false;
        s->error = add_up(s->error, rounding_error(b, f, size));
    }
    return add_up(size, s->error) <= accord_format_get(f)->greatest;
}

/* The result is a number of the format, so the ends are rounded inward. */
static accordi_value enclose(const accordi_bounds *b, enum accord_format f, const long_sum *s)
{
    accordi_value v = accordi_value_nan(f);
    double low = accord_exact_wide_f64(&s->low, ACCORD_EXACT_DOWN);
    double high = accord_exact_wide_f64(&s->high, ACCORD_EXACT_UP);
    low = accord_format_add(ACCORD_F64, ACCORD_DOWN, low, -s->error);
    high = accord_format_add(ACCORD_F64, ACCORD_UP, high, s->error);
    v.nan = s->nan;
    v.low = accord_format_round(f, b->outward ? ACCORD_DOWN : ACCORD_UP, low);
    v.high = accord_format_round(f, b->outward ? ACCORD_UP : ACCORD_DOWN, high);
    accordi_value_finish(b, &v);
    return v;
}

accordi_value accordi_long_sum(accordi_bounds *b, const accordi_value *term, size_t n)
{
    long_sum *s = accordi_calloc(1, sizeof *s);
    enum accord_format f = term->format;
    accordi_value v = accordi_value_any(f, true);
    accordi_bound_used(b, ACCORDI_LONG_SUMS);
    if (s) {
        s->positive = accordi_alloc(n, sizeof *s->positive);
        s->negative = accordi_alloc(n, sizeof *s->negative);
    }
    bool good = s && s->positive && s->negative;
    b->ways.failed |= !good;
    if (good) {
        accord_exact_wide_init(&s->low);
        accord_exact_wide_init(&s->high);
        for (size_t i = 0; i < n; i++)
            take(&term[i], i, s);
        qsort(s->positive, n, sizeof *s->positive, compare_sizes);
        qsort(s->negative, n, sizeof *s->negative, compare_sizes);
        if (!s->infinite && add_errors(b, f, n, s))
            v = enclose(b, f, s);
    }
    if (s) {
        free(s->positive);
        free(s->negative);
    }
    free(s);
    return v;
}

/* ---- products ---- */

typedef struct long_product {
    double least, greatest;   /* the size of the exact product */
    double smallest, largest; /* of the product of some of the factors */
    bool negative, zero, nan; /* zero: a factor may be 0 */
} long_product;

static void take_factor(const accordi_value *v, long_product *p)
{
    const enum accord_format f64 = ACCORD_F64;
    double far = fmax(-v->low, v->high), near = v->low > 0 ? v->low : -v->high;
    p->nan |= v->nan || accordi_value_empty(v);
    p->zero |= v->low <= 0 && v->high >= 0;
    p->negative ^= v->high < 0;
    near = near > 0 ? near : 0;
    p->least = accordi_round_product(f64, ACCORD_DOWN, p->least, near);
    p->greatest = accordi_round_product(f64, ACCORD_UP, p->greatest, far);
    p->smallest = accordi_round_product(f64, ACCORD_DOWN, p->smallest, fmin(1, near));
    p->largest = accordi_round_product(f64, ACCORD_UP, p->largest, fmax(1, far));
}

accordi_value accordi_long_product(accordi_bounds *b, const accordi_value *factor, size_t n)
{
    enum accord_format f = factor->format;
    const accord_format_info *row = accord_format_get(f);
    long_product p = {1, 1, 1, 1, false, false, false};
    accordi_value v = accordi_value_any(f, true);
    double gamma = 1.25 * (double)n * ldexp(1, b->outward - row->precision);
    accordi_bound_used(b, ACCORDI_LONG_SUMS);
    for (size_t i = 0; i < n; i++)
        take_factor(&factor[i], &p);
    p.largest *= 1 + 2 * gamma;
    if (p.nan || !(p.largest < row->greatest) || gamma > 0x1p-4)
        return v;
    double low = accordi_below(p.least * (1 - gamma)),
           high = accordi_above(p.greatest * (1 + gamma));
    if (p.zero || p.smallest < 4 * ldexp(1, row->min_exponent)) {
        high = accordi_above(p.largest); /* what underflows errs by less than 1, and may be 0 */
        low = -high;
    }
    v = accordi_value_nan(f);
    v.nan = false;
    v.least = (accordi_pair){p.negative ? -high : low, 1, ACCORDI_NO_WAY, ACCORDI_NO_WAY};
    v.greatest = (accordi_pair){p.negative ? -low : high, 1, ACCORDI_NO_WAY, ACCORDI_NO_WAY};
    accordi_value_round(b, &v);
    return v;
}
