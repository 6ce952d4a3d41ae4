/* Level 2 of exact dots: products go into bins, however wide the range. A template: include
 * isa_SET.h first.
 *
 * In: pairs of f64. Out: the exact sum of their products is in the limbs.
 *
 * Idea. A product is p + e as in dot_window.h. Each of the two is cut into an upper and a lower
 * half, and these four numbers are added to the four of a bin at once; NEAR exponents of p share a
 * bin. The numbers are so short that no addition is rounded. No branch depends on the data, and
 * there is one load and one store for each product, which is what takes the time. Registers of
 * eight lanes take long to be taken apart: there, all that bins are to gain is written into a ring,
 * and read from it when the ring comes round.
 *
 * Bounds. Let 2^k be the least power of two of a bin: 2^k <= |p| < 2^(k+8), and E >= k the exponent
 * of p. FILL = 2^18 additions are exact if the numbers are multiples of u and below 2^35 u:
 *  - the upper half of p lacks its last 26 bits: it is a multiple of 2^(k-26), below 2^(k+8);
 *  - the lower half is a multiple of 2^(k-52), below 2^(E-26) <= 2^(k-19);
 *  - x y is a multiple of 2^(E-105), and |e| <= 2^(E-53). The upper half of e is rounded to a
 *    multiple of 2^(k-75), and at most 2^(k-46) in size;
 *  - the lower half is a multiple of 2^(k-105), at most 2^(k-76).
 * All of this are normal or subnormal numbers if k >= -969, and sums do not overflow if |p| <
 * 2^(1024-18). The outer bins are not in use: products that lie there, infinities and NaN among
 * them, are looked at again after their block. Zeros are counted, and the others put aside until
 * there are many of them.
 *
 * Of these, products below 2^-960 go into bins of their own: both factors, which then lie below
 * 2^114, are made 2^640 times as great, so that the products lie between 2^-868 and 2^320. What
 * such a bin has at the end is a multiple of 2^-868, and is divided by 2^206 and then multiplied by
 * 2^-1074, the least number, as any product is. The others, very large ones, go straight into
 * limbs. */
#ifndef ACCORDI_EXACT_DOT_SCATTER_H
#define ACCORDI_EXACT_DOT_SCATTER_H

#include "exact/kernels/dot_window.h"
#include "exact/kernels/fetch.h"
#include "exact/kernels/kernels.h"

enum {
    DOT_NEAR = 8,
    DOT_BINS = 2048 / DOT_NEAR,
    DOT_PARTS = 4,
    DOT_FILL = 1 << 18,                  /* products, until the bins are emptied */
    DOT_FIRST = (1023 - 967) / DOT_NEAR, /* bins of the products that are taken … */
    DOT_END = (1023 + 1001) / DOT_NEAR,
    DOT_CUT = 52 - 75, /* the center that cuts errors is 1.5 * 2^(k + this) */
    DOT_ASIDE = 256,   /* products */
    DOT_RING = 16      /* vectors: so many that all stores to it are done when it comes round */
};

#define DOT_GREATER 0x1p640

typedef struct dot_bins {
    _Alignas(64) double bin[DOT_BINS * DOT_PARTS];
    size_t filled; /* products */
#ifdef ISA_RING    /* zeros for the first bin, which is not in use, before there are products */
    _Alignas(64) double fours[DOT_RING][DOT_PARTS * LANES];
    int64_t places[DOT_RING][LANES];
#endif
} dot_bins;

/* Factors of products that have no bin. */
typedef struct dot_factors {
    size_t n;
    double x[DOT_ASIDE], y[DOT_ASIDE];
} dot_factors;

typedef struct dot_scatter {
    dot_bins all, tiny; /* tiny: open once there are such products */
    accordi_exact_view sum;
    bool tiny_open;
    dot_factors aside, tiny_aside;
} dot_scatter;

static inline void dot_bins_open(dot_bins *s)
{
    memset(s->bin, 0, sizeof s->bin);
    s->filled = 0;
#ifdef ISA_RING
    memset(s->fours, 0, sizeof s->fours);
    memset(s->places, 0, sizeof s->places);
#endif
}

static inline void dot_scatter_open(dot_scatter *s, accordi_exact_view sum)
{
    dot_bins_open(&s->all);
    s->sum = sum;
    s->tiny_open = false;
    s->aside.n = s->tiny_aside.n = 0;
}

#ifdef ISA_RING
/* A vector of the ring goes into bins. */
ISA_OP void dot_ring_step(dot_bins *s, size_t at)
{
    UNROLL for (int i = 0; i < LANES; i++)
    {
        v_add_four(s->bin + s->places[at][i], s->fours[at] + DOT_PARTS * i);
    }
}

ISA_FUNCTION static void dot_ring_empty(dot_bins *s)
{
    for (size_t at = 0; at < DOT_RING; at++)
        dot_ring_step(s, at);
    memset(s->places, 0, sizeof s->places);
    memset(s->fours, 0, sizeof s->fours);
}
#endif

/* Those of products that have none. */
static void dot_clear_outer(dot_bins *s)
{
    memset(s->bin, 0, sizeof *s->bin * DOT_PARTS * DOT_FIRST);
    memset(s->bin + DOT_PARTS * DOT_END, 0, sizeof *s->bin * DOT_PARTS * (DOT_BINS - DOT_END));
}

/* Moves the parts that are not zero to the front, and says how many. */
static size_t dot_bins_parts(dot_bins *s)
{
    size_t parts = 0;
#ifdef ISA_RING
    dot_ring_empty(s);
    dot_clear_outer(s);
#endif
    for (size_t i = 0; i < DOT_BINS * DOT_PARTS; i++) {
        double part = s->bin[i];
        s->bin[i] = 0;
        if (part != 0)
            s->bin[parts++] = part;
    }
    s->filled = 0;
    return parts;
}

static void dot_scatter_flush(dot_scatter *s)
{
    size_t parts = dot_bins_parts(&s->all);
    accordi_exact_terms_f64(s->sum, parts, s->all.bin, 1);
    s->sum.count[ACCORD_EXACT_TERMS] -= (int64_t)parts;
    memset(s->all.bin, 0, parts * sizeof *s->all.bin);
}

static void dot_tiny_flush(dot_scatter *s)
{
    static const double least = 0x1p-1074;
    size_t parts = dot_bins_parts(&s->tiny);
    for (size_t i = 0; i < parts; i++)
        s->tiny.bin[i] *= 0x1p-206; /* 2 DOT_GREATER less the exponent of the least */
    accordi_exact_products_f64(s->sum, parts, s->tiny.bin, 1, &least, 0);
    s->sum.count[ACCORD_EXACT_TERMS] -= (int64_t)parts;
    memset(s->tiny.bin, 0, parts * sizeof *s->tiny.bin);
}

/* Adds LANES products, by way of this place of the ring; the sign tells those that have no bin. */
ISA_OP words dot_bins_add(dot_bins *s, size_t at, const double *x, const double *y)
{
    const words group = w_splat((int64_t)(2048 - DOT_NEAR) << 52);
    const words cut = w_splat((int64_t)DOT_CUT * ((int64_t)1 << 52) + ((int64_t)1 << 51));
    const words least = w_splat((int64_t)DOT_FIRST * DOT_NEAR << 52);
    const words most = w_splat(((int64_t)DOT_END * DOT_NEAR << 52) - 1);
    vec a = v_load(x), b = v_load(y), p = v_mul(a, b);
    words first = w_and(w_of(p), group), odd = w_or(w_sub(first, least), w_sub(most, first));
    if (__builtin_expect(w_signs(odd), 0)) { /* or their errors, subnormal numbers, take long */
        words kept = w_sub(w_shr(odd, 63), w_splat(1));
        a = v_of(w_and(w_of(a), kept));
        p = v_of(w_and(w_of(p), kept));
    }
    vec e = v_fms(a, b, p);
    vec high = v_of(w_and(w_of(p), w_splat(-((int64_t)1 << 26))));
    vec center = v_of(w_add(first, cut)), error = v_sub(v_add(e, center), center);
    vec low = v_sub(p, high), least_of_all = v_sub(e, error);
#ifdef ISA_RING
    dot_ring_step(s, at);
    v_put_fours(s->fours[at], s->places[at], w_shr(first, 53), high, low, error, least_of_all);
#else
    (void)at;
    v_add_fours(s->bin, w_shr(first, 53), high, low, error, least_of_all);
#endif
    return odd;
}

/* The products were counted with their blocks. */
static void dot_aside_into_limbs(dot_scatter *s)
{
    dot_factors *a = &s->aside;
    accordi_exact_products_f64(s->sum, a->n, a->x, 1, a->y, 1);
    s->sum.count[ACCORD_EXACT_TERMS] -= (int64_t)a->n;
    a->n = 0;
}

/* Filled up with factors zero: their products go to the first bin, which is not in use. */
ISA_FUNCTION static void dot_aside_into_bins(dot_scatter *s)
{
    dot_factors *a = &s->tiny_aside;
    if (!s->tiny_open)
        dot_bins_open(&s->tiny);
    s->tiny_open = true;
    for (; a->n % LANES; a->n++)
        a->x[a->n] = a->y[a->n] = 0;
    if (s->tiny.filled + a->n > DOT_FILL)
        dot_tiny_flush(s);
    s->tiny.filled += a->n;
    for (size_t i = 0; i < a->n; i += LANES) { /* by vectors: subnormal numbers take long */
        v_store(a->x + i, v_mul(v_load(a->x + i), v_splat(DOT_GREATER)));
        v_store(a->y + i, v_mul(v_load(a->y + i), v_splat(DOT_GREATER)));
    }
    for (size_t i = 0; i < a->n; i += LANES)
        dot_bins_add(&s->tiny, i / LANES % DOT_RING, a->x + i, a->y + i);
    a->n = 0;
}

static void dot_scatter_close(dot_scatter *s)
{
    dot_scatter_flush(s);
    dot_aside_into_limbs(s);
    if (s->tiny_aside.n)
        dot_aside_into_bins(s);
    if (s->tiny_open)
        dot_tiny_flush(s);
}

/* A product without a bin that is not zero. Below 2^-960 in size: that is so if the exponents of
 * the factors, each of which is less than 1 below its logarithm, come to so little. */
static void dot_put_aside(dot_scatter *s, const double *x, const double *y)
{
    enum { FIELDS = 2047, SMALL = 2 * 1022 - 960 };
    uint64_t a, b;
    memcpy(&a, x, sizeof a); /* which need not be aligned */
    memcpy(&b, y, sizeof b);
    bool tiny = (a >> 52 & FIELDS) + (b >> 52 & FIELDS) <= SMALL;
    dot_factors *to = tiny ? &s->tiny_aside : &s->aside;
    if (to->n == DOT_ASIDE)
        (tiny ? dot_aside_into_bins : dot_aside_into_limbs)(s);
    memcpy(to->x + to->n, &a, sizeof a);
    memcpy(to->y + to->n, &b, sizeof b);
    to->n++;
}

/* DOT_STEP products from i on, some of which have no bin. */
typedef struct dot_odd {
    unsigned i, lanes;
} dot_odd;

/* Counts zeros, and puts the others aside. */
ISA_FUNCTION static __attribute__((noinline)) void
dot_look_at_odd(dot_scatter *s, const double *x, const double *y, const dot_odd *odd, size_t n)
{
    words zeros = w_splat(0), minus = zeros;
    for (size_t k = 0; k < n; k++) {
        unsigned left = odd[k].lanes;
        for (size_t i = 0; i < DOT_STEP; i += LANES) {
            vec a = v_load(x + odd[k].i + i), b = v_load(y + odd[k].i + i);
            words p = w_of(v_mul(a, b));
            words zero = w_or(w_zero(w_shl(w_of(a), 1)), w_zero(w_shl(w_of(b), 1)));
            zero = w_and(zero, w_zero(w_shl(p, 1)));
            zeros = w_sub(zeros, zero);
            minus = w_add(minus, w_shr(w_and(p, zero), 63));
            left &= ~(w_signs(zero) << i);
        }
        for (; left; left &= left - 1) {
            size_t i = odd[k].i + (unsigned)__builtin_ctz(left);
            dot_put_aside(s, x + i, y + i);
        }
    }
    int64_t lane[2][LANES], *count = s->sum.count;
    w_store(lane[0], zeros);
    w_store(lane[1], minus);
    for (int i = 0; i < LANES; i++) {
        count[ACCORD_EXACT_PLUS_ZEROS] += lane[0][i] - lane[1][i];
        count[ACCORD_EXACT_MINUS_ZEROS] += lane[1][i];
    }
    dot_clear_outer(&s->all);
}

/* n: a multiple of DOT_STEP, at most DOT_BLOCK. */
ISA_FUNCTION static void dot_scatter_add(dot_scatter *s, const double *x, const double *y, size_t n)
{
    dot_odd odd[DOT_BLOCK / DOT_STEP];
    size_t odds = 0;
    if (s->all.filled + n > DOT_FILL)
        dot_scatter_flush(s);
    s->all.filled += n;
    s->sum.count[ACCORD_EXACT_TERMS] += (int64_t)n;
    for (size_t i = 0, at = 0; i < n; i += DOT_STEP, at = (at + 2) % DOT_RING) {
        fetch_ahead(x + i, DOT_STEP * sizeof *x);
        fetch_ahead(y + i, DOT_STEP * sizeof *y);
        unsigned lower = w_signs(dot_bins_add(&s->all, at, x + i, y + i));
        unsigned upper = w_signs(dot_bins_add(&s->all, at + 1, x + i + LANES, y + i + LANES));
        odd[odds] = (dot_odd){(unsigned)i, lower | upper << LANES};
        odds += odd[odds].lanes != 0;
    }
    if (odds)
        dot_look_at_odd(s, x, y, odd, odds);
}

#endif
