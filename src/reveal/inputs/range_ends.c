/* Random inputs at the ends of the range of a narrow format.
 *
 * Random inputs of one size show nothing about overflow, subnormal numbers and ties in a format
 * that is much narrower than that of the interface, and for means they do not show in which format
 * the sum may overflow. The inputs here do: the terms of each row lie more or less close together,
 * at any place of the narrow range and a little beyond, often at one of its ends; some terms are
 * ties of the narrow format, or infinite; in every other row all but a few are 0. None is NaN:
 * verdicts are about finite terms, and functions that leave NaN out are not to be refused. Of terms
 * that are squared every other row has the squares, not the operands, at the ends of the
 * interface's format. Of terms of one sign nothing else asks whether subnormal ones, sums and
 * results are kept. */
#include "reveal/inputs/range_ends.h"
#include <math.h>

enum { MOST_ROWS = 256, LEAST_ROWS = 16, BEYOND = 3 };

size_t accordi_ends_rows(size_t n)
{
    size_t rows = ((size_t)1 << 20) / n;
    return rows > MOST_ROWS ? MOST_ROWS : rows < LEAST_ROWS ? LEAST_ROWS : rows;
}

static int clamp(int x, int least, int most)
{
    return x < least ? least : x > most ? most : x;
}

/* A number of the interface with a random significand, or one half way between two neighbors of
 * the narrow format, normal or subnormal. */
static double drawn_value(accordi_rng *rng, const accord_format_info *kept, int exponent)
{
    double x = ldexp(1 + accordi_rng_unit(rng), exponent);
    if (accordi_rng_below(rng, 4))
        return x;
    int least = exponent < kept->min_exponent ? kept->min_exponent : exponent;
    double last = ldexp(1, least - kept->precision + 1);
    return (floor(x / last) + 0.5) * last;
}

static double odd_value(accordi_rng *rng, const accord_format_info *given)
{
    const double all[] = {(double)INFINITY, given->greatest, given->least};
    return all[accordi_rng_below(rng, sizeof all / sizeof *all)];
}

/* Where a row lies: anywhere, or at the upper end, or below the least normal number, or where sums
 * of n terms are normal and their mean is not. */
static int place(const accord_format_info *kept, int low, int high, int apart, size_t n,
                 accordi_rng *rng)
{
    int spread = 2 * BEYOND;
    for (; n > 1; n /= 2)
        spread++;
    switch (accordi_rng_below(rng, 8)) {
    case 0:
    case 1:
        return high + BEYOND + 1 - apart;
    case 2:
        return low + (int)accordi_rng_below(rng, (uint64_t)(kept->precision + 2 * BEYOND));
    case 3:
    case 4:
        return clamp(kept->min_exponent - BEYOND + (int)accordi_rng_below(rng, (uint64_t)spread),
                     low, high);
    default:
        return low + (int)accordi_rng_below(rng, (uint64_t)(high - low + 1));
    }
}

static void fill(const accordi_draw *draw, const accord_format_info *kept, bool roots,
                 accordi_rng *rng, void *row)
{
    const accord_format_info *given = accord_format_get(draw->format);
    int low = clamp(kept->min_exponent - kept->precision - BEYOND,
                    given->min_exponent - given->precision + 1, given->max_exponent);
    int high = clamp(kept->max_exponent + 1 + BEYOND, low + 1, given->max_exponent - BEYOND);
    static const int near[] = {1, BEYOND + 1, 4 * BEYOND};
    int apart = near[accordi_rng_below(rng, sizeof near / sizeof *near)];
    int at = place(kept, low, high, apart, draw->n, rng);
    at = roots ? (at - apart) / 2 : at;
    bool odd = accordi_rng_below(rng, 8) == 0, sparse = accordi_rng_below(rng, 2);
    for (size_t i = 0; i < draw->n; i++) {
        double x = drawn_value(rng, kept, at + (int)accordi_rng_below(rng, (uint64_t)apart));
        if (odd && accordi_rng_below(rng, draw->n) == 0)
            x = odd_value(rng, given);
        if (sparse && accordi_rng_below(rng, draw->n) > 2)
            x = 0;
        x = accord_format_round(draw->format, ACCORD_TOWARD_ZERO, x);
        x = accordi_rng_below(rng, 2) ? -x : x;
        accordi_set_number(row, draw->is_f32, i, x);
    }
}

void accordi_ends_draw(const accordi_draw *draw, enum accord_format kept, bool squares, size_t row,
                       void *x, void *y)
{
    bool roots = squares && row % 2;
    const accord_format_info *info = accord_format_get(roots ? draw->format : kept);
    accordi_rng rng;
    accordi_rng_init(&rng, (draw->seed ^ 0x656E6473u) + row);
    fill(draw, info, roots, &rng, x);
    if (draw->products)
        fill(draw, info, false, &rng, y);
}
