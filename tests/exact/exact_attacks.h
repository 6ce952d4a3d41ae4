/* Numbers that aim at the kernels of exact sums: at the edges of windows and of their folds, at
 * bins, at the limits of blocks, at what is thrown away and tried again, at zeros. */
#ifndef EXACT_ATTACKS_H
#define EXACT_ATTACKS_H

#include "exact_zeros.h"

static inline void fill_mosaic(double *x, size_t n)
{
    for (size_t from = 0; from < n;) {
        size_t count = segment(n - from);
        fills[below(FILLS)].fill(x + from, count);
        from += count;
    }
}

/* Like exponents, which move now and then by the width of a fold, of a window, or a little. */
static inline void fill_moving(double *x, size_t n)
{
    static const int steps[] = {1, 2, 3, 8, 36, 37, 38, 44, 45, 46, 52, 53, 81, 82, 83, 300};
    int e = below(400) - 200, width = 1 + below(3) * below(40);
    for (size_t from = 0, i = 0; from < n; from = i) {
        size_t to = from + segment(n - from);
        for (; i < to; i++)
            x[i] = at_exponent(e - below(width));
        e += (below(2) ? 1 : -1) * steps[below(16)];
        e = e < -1074 ? -1074 : e > 1023 ? 1023 : e;
    }
}

/* A staircase of exponents, up, down, or up and down. */
static inline void fill_stairs(double *x, size_t n)
{
    int e = below(200) - 100, rise = below(9) - 4;
    size_t tread = segment(n + 1);
    for (size_t i = 0; i < n; i++) {
        if (i % tread == 0 && i)
            e += rise;
        if (e < -1074 || e > 1023)
            rise = -rise, e += 2 * rise;
        x[i] = at_exponent(e);
    }
}

/* One exponent, and a few numbers that stand out of it by any number of binades. */
static inline void fill_spikes(double *x, size_t n)
{
    int e = below(1600) - 800, rare = 1 + below(3000);
    for (size_t i = 0; i < n; i++)
        x[i] = at_exponent(below(rare) ? e : e + below(below(2) ? 5 : 200) - below(2) * 100);
}

/* Powers of two and their neighbors, where a window may end. */
static inline void fill_edges_of_windows(double *x, size_t n)
{
    int e = below(2000) - 1000, beyond = below(5), rare = 1 + below(2000);
    bool one_sign = below(2);
    for (size_t i = 0; i < n; i++) {
        uint64_t power = bits_of(ldexp(1, below(rare) ? e : e + beyond));
        x[i] = from_bits(power + (uint64_t)below(3) - 1) * (one_sign ? 1 : sign());
    }
}

/* A leading bit, and one more a fixed distance below: all remainders of a fold are alike. */
static inline void fill_lone_tails(double *x, size_t n)
{
    int e = below(1800) - 900, tail = 1 + below(52), signs = below(3);
    for (size_t i = 0; i < n; i++)
        x[i] = (ldexp(1, e) + ldexp(1, e - tail)) * (signs == 2 ? sign() : signs ? -1 : 1);
}

/* As many binades as windows take, or nearly; or any number. */
static inline int any_width(void)
{
    static const int widths[] = {32, 39, 64, 85, 128, 131, 177, 223, 269, 315};
    return below(4) ? widths[below(10)] - below(3) : 20 + below(330);
}

/* The same at the upper end of a window that a few small numbers hold open. */
static inline void fill_tops(double *x, size_t n)
{
    int apart = any_width(), often = 100 + below(900);
    fill_lone_tails(x, n);
    if (below(2))
        fill_heavy(x, n);
    for (size_t i = (size_t)below(often); i < n; i += (size_t)often)
        x[i] = at_exponent(ilogb(x[i]) - apart);
}

/* Odd multiples of one unit: halves wherever a fold ends just above it. */
static inline void fill_odd_multiples(double *x, size_t n)
{
    int unit = below(1800) - 900, bits = 1 + below(53);
    bool one_sign = below(2);
    for (size_t i = 0; i < n; i++) {
        uint64_t m = accordi_rng_next(&rng) >> (64 - bits) | 1;
        x[i] = ldexp((double)m, unit) * (one_sign ? 1 : sign());
    }
}

/* Among like exponents there are numbers far below or above in pairs that cancel, often in one lane
 * of a register, and sometimes one that is left alone. */
static inline void fill_hidden_pairs(double *x, size_t n)
{
    int e = below(1000) - 500, apart = below(2) ? 20 + below(200) : -below(80);
    int lanes = 1 << below(6);
    size_t often = (size_t)50 << below(8);
    for (size_t i = 0; i < n; i++)
        x[i] = at_exponent(e);
    for (size_t k = 0; k < n / often + 1; k++) {
        size_t ahead = (size_t)(1 + below(600 / lanes)) * (size_t)lanes;
        if (ahead >= n)
            continue;
        size_t at = (size_t)accordi_rng_below(&rng, n - ahead);
        x[at] = at_exponent(e - apart);
        x[at + ahead] = -x[at];
    }
    if (n && below(2))
        x[below((int)n)] = at_exponent(e - apart);
}

/* Zeros and numbers of few bits, and a pair or two of giants that pass through one lane and leave
 * it as it was, but for what the first of them pushed out. */
static inline void fill_passing_giants(double *x, size_t n)
{
    int e = below(1400) - 700, bits = 1 + below(20), rare = 2 + below(30);
    for (size_t i = 0; i < n; i++)
        x[i] = below(rare) ? sign() * ldexp((double)(accordi_rng_next(&rng) >> (64 - bits)), e) : 0;
    for (size_t k = n / 8192 + (size_t)below(2) + 1; k > 0; k--) {
        size_t ahead = (size_t)16 << below(5);
        if (ahead >= n)
            continue;
        size_t at = (size_t)accordi_rng_below(&rng, n - ahead);
        x[at] = at_exponent(e + bits + below(110));
        x[at + ahead] = -x[at];
    }
}

static inline void near_exponent(double *x, size_t n, int low, int width)
{
    int from = low + below(width), binades = 1 + below(width);
    for (size_t i = 0; i < n; i++)
        x[i] = at_exponent(from + below(binades));
}

/* About the least normal number, where windows have no room below. */
static inline void fill_low_border(double *x, size_t n)
{
    near_exponent(x, n, -1080, 130);
}

/* Where bins, windows and plain sums overflow. */
static inline void fill_high_border(double *x, size_t n)
{
    near_exponent(x, n, 900, 124);
}

/* Eight binades of one bin, all bits set: its sums grow as fast as they can. */
static inline void fill_one_bin(double *x, size_t n)
{
    uint64_t bin = (uint64_t)below(256), full = below(2) ? ~(uint64_t)0 : ~(uint64_t)0 << 26;
    int top = below(3);
    double s = sign();
    for (size_t i = 0; i < n; i++) {
        uint64_t e = bin << 3 | (uint64_t)(top ? 7 : below(8));
        e = e == 2047 ? 2046 : e;
        x[i] = s * from_bits(e << 52 | (full & 0xfffffffffffff));
    }
}

/* Significands whose halves of 27 and 26 bits are all, nothing or one bit. */
static inline void fill_halves(double *x, size_t n)
{
    static const uint64_t highs[] = {0, 1, 0x3ffffff, 0x2000000},
                          lows[] = {0, 1, 0x3ffffff, 0x2000000};
    int e = below(1000) + 100, width = 1 + below(60);
    for (size_t i = 0; i < n; i++) {
        uint64_t fraction = highs[below(4)] << 26 | lows[below(4)];
        x[i] = sign() * from_bits((uint64_t)(e + below(width)) << 52 | fraction);
    }
}

/* Another exponent in each lane. */
static inline void fill_lanes(double *x, size_t n)
{
    int lanes = 1 << below(6), apart = 1 + below(120), e = below(400) - 200;
    for (size_t i = 0; i < n; i++)
        x[i] = at_exponent(e - (int)(i % (size_t)lanes) * apart);
}

/* Noise that cancels over half a last place of some format, with a trace or none. */
static inline void fill_ties_in_noise(double *x, size_t n)
{
    static const int precisions[] = {53, 24, 11, 8};
    fill_cancelling(x, n);
    for (size_t i = 0; i + 1 < n; i += 2) {
        x[i] = at_exponent(below(60));
        x[i + 1] = -x[i];
    }
    if (n > 4) {
        int e = below(20) - 10, p = precisions[below(4)];
        x[n - 1] = ldexp(1 + below(2) * ldexp(1, 1 - p), e);
        x[n - 2] = ldexp(1, e - p);
        x[n - 3] = below(2) ? at_exponent(-1074 + below(900)) : 0;
        x[n - 4] = n % 2 ? 0 : -0.0;
    }
    shuffle(x, n);
}

/* A tie and a few units of some place far below it, as many as there are terms or about that, then
 * a trace or none: where a sum is known but for that much, its end may lie on the tie. Short sums
 * are, in units of 2^-86 (short_lanes.h). */
static inline void fill_nearly_ties(double *x, size_t n)
{
    static const int precisions[] = {53, 53, 53, 24, 11, 8};
    int e = below(60) - 30, p = precisions[below(6)], place = below(3) ? 84 + below(4) : below(140);
    double units = below(3) ? (double)n + below(3) : below(64);
    if (n < 4) {
        fill_ties(x, n);
        return;
    }
    for (size_t i = 4; i < n; i++)
        x[i] = 0;
    x[0] = ldexp(1 + below(2) * ldexp(1, 1 - p), e);
    x[1] = ldexp(1, e - p);
    x[2] = sign() * ldexp(units, e - place);
    x[3] = below(2) ? ldexp(sign(), e - 200) : 0;
    double s = sign();
    for (int i = 0; i < 4; i++)
        x[i] *= s;
    shuffle(x, n);
}

/* Each block another constant. */
static inline void fill_plateaus(double *x, size_t n)
{
    int e = below(1000) - 500, spread = 1 + below(100);
    for (size_t from = 0, i = 0; from < n; from = i) {
        size_t to = from + segment(n - from);
        double value = at_exponent(e + below(spread));
        for (; i < to; i++)
            x[i] = value;
    }
}

static const struct {
    const char *name;
    void (*fill)(double *x, size_t n);
} attacks[] = {
    {"mosaic", fill_mosaic},
    {"moving", fill_moving},
    {"stairs", fill_stairs},
    {"spikes", fill_spikes},
    {"edges of windows", fill_edges_of_windows},
    {"lone tails", fill_lone_tails},
    {"tops", fill_tops},
    {"odd multiples", fill_odd_multiples},
    {"hidden pairs", fill_hidden_pairs},
    {"passing giants", fill_passing_giants},
    {"sparse", fill_sparse},
    {"nearly zeros", fill_nearly_zeros},
    {"low border", fill_low_border},
    {"high border", fill_high_border},
    {"one bin", fill_one_bin},
    {"halves", fill_halves},
    {"lanes", fill_lanes},
    {"ties in noise", fill_ties_in_noise},
    {"nearly ties", fill_nearly_ties},
    {"plateaus", fill_plateaus},
};
enum { ATTACKS = sizeof attacks / sizeof *attacks };

/* A row of either table; its name. */
static inline const char *fill_any(double *x, size_t n)
{
    int i = below(FILLS + 2 * ATTACKS);
    bool attack = i >= FILLS;
    i = attack ? (i - FILLS) / 2 : i;
    (attack ? attacks[i].fill : fills[i].fill)(x, n);
    return attack ? attacks[i].name : fills[i].name;
}

#endif
