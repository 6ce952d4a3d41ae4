/* The correctly rounded sum of a few doubles: in one 128-bit integer when their exponents lie
 * close together, as those of ordinary data do, and in an accumulator otherwise. */
#include "exact/accumulator/exact.h"
#include "format/format.h"
#include <math.h>

/* Exponents of the nonzero ones; `least` is that of the last bit. */
typedef struct extent {
    int least, most;
    bool finite, zero;
    bool some_negative, all_negative; /* signs */
} extent;

static extent extent_of(const double *x, size_t count)
{
    extent e = {4096, -4096, true, true, false, count > 0};
    for (size_t i = 0; i < count; i++) {
        accordi_parts parts = accordi_split(x[i]);
        e.finite = e.finite && parts.exponent < 1024;
        e.some_negative = e.some_negative || signbit(x[i]);
        e.all_negative = e.all_negative && signbit(x[i]);
        if (parts.significand == 0)
            continue;
        e.zero = false;
        e.least = parts.exponent < e.least ? parts.exponent : e.least;
        e.most = parts.exponent > e.most ? parts.exponent : e.most;
    }
    return e;
}

static double sum_of_infinite(const double *x, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += isfinite(x[i]) ? 0 : x[i];
    return sum;
}

/* 53 bits each, shifted by most - least at most, count of them. */
static double sum_close(enum accord_format format, enum accord_rounding rounding, const double *x,
                        size_t count, int least)
{
    int128 sum = 0;
    for (size_t i = 0; i < count; i++) {
        accordi_parts parts = accordi_split(x[i]);
        if (parts.significand == 0)
            continue;
        int128 term = (int128)parts.significand << (parts.exponent - least);
        sum += signbit(x[i]) ? -term : term;
    }
    bool negative = sum < 0 || (sum == 0 && rounding == ACCORD_DOWN);
    return accordi_round_wide(format, rounding, negative, (uint128)(sum < 0 ? -sum : sum),
                              least - 52, false);
}

static double sum_far(enum accord_format format, enum accord_rounding rounding, const double *x,
                      size_t count)
{
    accord_exact sum;
    accord_exact_init(&sum);
    accordi_exact_view view = accordi_exact_of(&sum);
    accordi_exact_terms_f64(view, count, x, 1);
    return accordi_exact_value(view, format, rounding);
}

double accordi_exact_sum(enum accord_format format, enum accord_rounding rounding, const double *x,
                         size_t count)
{
    extent e = extent_of(x, count);
    if (!e.finite)
        return accord_format_round(format, rounding, sum_of_infinite(x, count));
    if (e.zero) /* downward, -0 wins over +0 (IEEE 754-2019, 6.3) */
        return rounding == ACCORD_DOWN ? (e.some_negative ? -0.0 : 0.0)
                                       : (e.all_negative ? -0.0 : 0.0);
    if (count < 256 && e.most - e.least < 64)
        return sum_close(format, rounding, x, count, e.least);
    return sum_far(format, rounding, x, count);
}
