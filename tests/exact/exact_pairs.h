/* Numbers in pairs, for exact dot products: what products add to the attacks on sums is a remainder
 * of their own, underflow and overflow on the way, and ties between the two. */
#ifndef EXACT_PAIRS_H
#define EXACT_PAIRS_H

#include "exact_attacks.h"

static inline void pairs_of_any(double *x, double *y, size_t n)
{
    fill_any(x, n);
    fill_any(y, n);
}

static inline void pairs_of_fills(double *x, double *y, size_t n)
{
    int f = below(FILLS);
    fills[f].fill(x, n);
    fills[below(2) ? f : below(FILLS)].fill(y, n);
}

static inline void pairs_squares(double *x, double *y, size_t n)
{
    double s = sign();
    fill_any(x, n);
    for (size_t i = 0; i < n; i++)
        y[i] = s * x[i];
}

/* x[i + 1] y[i + 1] = -x[i] y[i]; then something small is changed, or nothing. */
static inline void pairs_cancelling(double *x, double *y, size_t n)
{
    pairs_of_any(x, y, n);
    for (size_t i = 0; i + 1 < n; i += 2) {
        x[i + 1] = y[i];
        y[i + 1] = -x[i];
    }
    if (n && below(2))
        x[below((int)n)] = 0x1p-1074;
}

/* One product over and over: its remainders add up, and may be just beyond a tie. */
static inline void pairs_equal(double *x, double *y, size_t n)
{
    int j = 1 + below(52), k = 1 + below(52), d = below(500) - 250, e = below(500) - 250;
    double a = 1 + ldexp(1, -j) + (below(2) ? 0x1p-52 : 0), b = 1 + ldexp(1, -k);
    b += below(2) ? 0x1p-52 : 0;
    if (!below(3)) {
        a = 1 + accordi_rng_unit(&rng);
        b = 1 + accordi_rng_unit(&rng);
    }
    for (size_t i = 0; i < n; i++) {
        x[i] = ldexp(a, d);
        y[i] = ldexp(b, e);
    }
}

/* The same with signs and with a few that differ. */
static inline void pairs_nearly_equal(double *x, double *y, size_t n)
{
    int rare = 1 + below(2000);
    bool one_sign = below(2);
    pairs_equal(x, y, n);
    for (size_t i = 0; i < n; i++) {
        x[i] *= one_sign ? 1 : sign();
        if (!below(rare))
            y[i] *= ldexp(1, below(9) - 4);
    }
}

/* One product over and over at the upper end of a window that a few small ones hold open. */
static inline void pairs_at_the_top(double *x, double *y, size_t n)
{
    int apart = any_width(), often = 100 + below(900);
    pairs_equal(x, y, n);
    for (size_t i = (size_t)below(often); i < n; i += (size_t)often)
        x[i] = ldexp(x[i], -apart);
}

/* Products of the exponents low … low + width - 1, however it is shared out. */
static inline void products_at(double *x, double *y, size_t n, int low, int width)
{
    int share = below(2000) - 1000, vary = below(2) ? 1 : 300;
    for (size_t i = 0; i < n; i++) {
        int e = low + below(width), d = share + below(vary);
        d = d > 1023 ? 1023 : d < -1022 ? -1022 : d;
        d = e - d > 1023 ? e - 1023 : e - d < -1022 ? e + 1022 : d;
        x[i] = at_exponent(d);
        y[i] = at_exponent(e - d);
    }
}

/* The remainders underflow in part or wholly, then the products too. */
static inline void pairs_underflow(double *x, double *y, size_t n)
{
    products_at(x, y, n, -1150 + below(250), 1 + below(100));
}

/* Every product is less than half the least number, and rounds to zero; or most are. */
static inline void pairs_vanishing(double *x, double *y, size_t n)
{
    products_at(x, y, n, -2040, 960);
    int rare = 1 + below(3000);
    for (size_t i = 0; i < n && below(2); i++)
        if (!below(rare))
            y[i] = 1;
}

/* Products that overflow, alone or with others of their size that do not. */
static inline void pairs_overflow(double *x, double *y, size_t n)
{
    products_at(x, y, n, 995 + below(30), 1 + below(40));
    if (below(2)) {
        take_sizes(x, n);
        take_sizes(y, n);
        return;
    }
    for (size_t i = 0; i + 1 < n && below(2); i += 2) {
        x[i + 1] = y[i];
        y[i + 1] = -x[i];
    }
}

/* All of the wide accumulator. */
static inline void pairs_of_all_sizes(double *x, double *y, size_t n)
{
    products_at(x, y, n, -2044, 4090);
}

/* No remainders at all. */
static inline void pairs_with_powers(double *x, double *y, size_t n)
{
    fill_any(x, n);
    fill_powers_of_two(y, n);
    double power = y[0];
    for (size_t i = 0; i < n && below(2); i++)
        y[i] = power;
}

/* Products about 1 whose remainders are all there is to tell them apart. */
static inline void pairs_of_reciprocals(double *x, double *y, size_t n)
{
    fill_1e90(x, n);
    for (size_t i = 0; i < n; i++)
        y[i] = (i % 2 ? -1 : 1) / x[i];
}

static inline void pairs_with_zeros(double *x, double *y, size_t n)
{
    fill_any(x, n);
    fill_sparse(y, n);
}

/* Each factor of few bits: some products are exact, and ties at every place. */
static inline void pairs_of_few_bits(double *x, double *y, size_t n)
{
    int bits = 1 + below(53), more = 1 + below(53), d = below(900) - 450, e = below(900) - 450;
    for (size_t i = 0; i < n; i++) {
        x[i] = sign() * ldexp((double)(accordi_rng_next(&rng) >> (64 - bits) | 1), d);
        y[i] = ldexp((double)(accordi_rng_next(&rng) >> (64 - more) | 1), e);
    }
}

typedef struct pairs {
    const char *name;
    void (*fill)(double *x, double *y, size_t n);
} pairs;
static const pairs pair_fills[] = {
    {"pairs of any", pairs_of_any},
    {"pairs of fills", pairs_of_fills},
    {"squares", pairs_squares},
    {"cancelling products", pairs_cancelling},
    {"equal products", pairs_equal},
    {"nearly equal products", pairs_nearly_equal},
    {"equal products at the top", pairs_at_the_top},
    {"underflow", pairs_underflow},
    {"vanishing products", pairs_vanishing},
    {"overflow of products", pairs_overflow},
    {"all sizes", pairs_of_all_sizes},
    {"powers as factors", pairs_with_powers},
    {"reciprocals", pairs_of_reciprocals},
    {"zeros as factors", pairs_with_zeros},
    {"factors of few bits", pairs_of_few_bits},
};
enum { PAIRS = sizeof pair_fills / sizeof *pair_fills };

/* A row, or a row for each segment. */
static inline const char *fill_pairs(double *x, double *y, size_t n)
{
    int row = below(PAIRS + 2);
    if (row < PAIRS) {
        pair_fills[row].fill(x, y, n);
        return pair_fills[row].name;
    }
    for (size_t from = 0; from < n;) {
        size_t count = segment(n - from);
        pair_fills[below(PAIRS)].fill(x + from, y + from, count);
        from += count;
    }
    return "mosaic of pairs";
}

#endif
