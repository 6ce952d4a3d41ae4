/* Level 2 of exact dots: every product into a bin of its exponent, however wide the range. A
 * template: include isa_SET.h first.
 *
 * In: pairs of f64. Out: the exact sum of their products is in the limbs.
 *
 * Idea. A product is p + e as in dot_window.h. p is cut after 27 bits into ph + pl, and e after
 * about as many into eh + el, by adding and subtracting 2^-27 p. One addition of four lanes adds
 * the four parts to the bin of p's exponent E. A bin takes 8 exponents, Eb ... Eb + 7, so that each
 * of its parts is a multiple of a unit and has few bits:
 *
 *     part  multiple of   below
 *     ph    2^(Eb - 26)   2^(Eb + 8)
 *     pl    2^(Eb - 52)   2^(Eb - 19)
 *     eh    2^(Eb - 80)   slightly more than 2^(Eb - 46)
 *     el    2^(Eb - 105)  2^(Eb - 71), or equal to it
 *
 * (2^-27 p + e can lie in the binade below or above that of 2^-27 p, which moves one bit between eh
 * and el.) 2^18 additions stay below 2^53 units, so they are exact. Then the bins are emptied.
 *
 * Consecutive elements use the DOT_WAYS copies of the table in turn, so that equal exponents do not
 * wait for each other.
 *
 * Bound. This holds for exponents -967 to 1000 (fields 56 to 2023), where e is exact and 2^18
 * additions do not overflow. After each block, the bins that were used show whether there were
 * other exponents. If so, those bins (0 to 6 and 253 to 255) are cleared, and the products in them
 * are added straight into limbs. */
#ifndef ACCORDI_EXACT_DOT_SCATTER_H
#define ACCORDI_EXACT_DOT_SCATTER_H

#include "exact/kernels/kernels.h"

enum {
    DOT_WAYS = LANES < 4 ? LANES : 4,
    DOT_BINS = 256,
    DOT_PARTS = 4,
    DOT_BIN = DOT_WAYS * DOT_PARTS, /* doubles */
    DOT_FIRST_BIN = 7,
    DOT_END_BIN = 253,                               /* of those that stay */
    DOT_STAYING = 8 * (DOT_END_BIN - DOT_FIRST_BIN), /* exponents */
    DOT_SCATTER_FLUSH = 1 << 18,                     /* elements */
};

typedef struct dot_scatter {
    bool open;
    size_t count; /* of elements in the bins */
    _Alignas(64) double bin[DOT_BINS * DOT_BIN];
} dot_scatter;

static bool dot_stays(const double *x, const double *y)
{
    double a, b;
    uint64_t bits;
    memcpy(&a, x, sizeof a);
    memcpy(&b, y, sizeof b);
    double p = a * b;
    memcpy(&bits, &p, sizeof bits);
    return (bits >> 52 & 0x7ff) - 8 * DOT_FIRST_BIN < DOT_STAYING;
}

/* n is a multiple of LANES. Whether all stayed. */
ISA_FUNCTION static bool dot_scatter_run(dot_scatter *s, const double *x, const double *y, size_t n)
{
    const words upper = w_splat(~(int64_t)0x3ffffff);
    /* the upper 8 bits of the exponent, times DOT_BIN */
    const words bins = w_splat((DOT_BINS - 1) * DOT_BIN);
    const words first = w_splat(DOT_FIRST_BIN * DOT_BIN), end = w_splat(DOT_END_BIN * DOT_BIN - 1);
    const vec small = v_splat(0x1p-27);
    words least = first, most = first;
    for (size_t i = 0; i < n; i += LANES) {
        vec a = v_load(x + i), b = v_load(y + i), p = v_mul(a, b), e = v_fms(a, b, p);
        words place = w_and(w_shr(w_of(p), DOT_WAYS == 4 ? 51 : 52), bins);
        least = w_min32(least, place);
        most = w_max32(most, place);
        vec ph = v_of(w_and(w_of(p), upper)), eh = v_fnma(p, small, v_fma(p, small, e));
        v_add_quads(s->bin, place, ph, v_sub(p, ph), eh, v_sub(e, eh));
    }
    words below = w_xor(w_min32(least, first), first), above = w_xor(w_max32(most, end), end);
    return !w_any(w_or(below, above));
}

static inline void dot_scatter_open(dot_scatter *s)
{
    memset(s->bin, 0, sizeof s->bin);
    s->count = 0;
    s->open = true;
}

ISA_FUNCTION static void dot_scatter_flush(dot_scatter *s, accordi_exact_view sum)
{
    double part[DOT_BINS * DOT_PARTS];
    size_t parts = 0;
    for (const double *bin = s->bin; bin < s->bin + DOT_BINS * DOT_BIN; bin += DOT_BIN) {
        uint64_t any = 0, pattern[DOT_BIN];
        memcpy(pattern, bin, sizeof pattern);
        for (int k = 0; k < DOT_BIN; k++)
            any |= pattern[k];
        for (int k = 0; k < DOT_PARTS && any; k++) {
            double total = 0;
            for (int way = 0; way < DOT_BIN; way += DOT_PARTS)
                total += bin[way + k];
            if (total != 0)
                part[parts++] = total;
        }
    }
    accordi_exact_terms_f64(sum, parts, part, 1);
    sum.count[ACCORD_EXACT_TERMS] -= (int64_t)parts;
    dot_scatter_open(s);
}

/* Products that did not stay. */
static void dot_scatter_mend(dot_scatter *s, accordi_exact_view sum, const double *x,
                             const double *y, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (dot_stays(x + i, y + i))
            continue;
        sum.count[ACCORD_EXACT_TERMS]--;
        accordi_exact_products_f64(sum, 1, x + i, 1, y + i, 1);
    }
    memset(s->bin, 0, DOT_FIRST_BIN * DOT_BIN * sizeof *s->bin);
    memset(s->bin + DOT_END_BIN * DOT_BIN, 0, (DOT_BINS - DOT_END_BIN) * DOT_BIN * sizeof *s->bin);
}

/* n: a multiple of LANES, at most DOT_SCATTER_FLUSH. */
static void dot_scatter_add(dot_scatter *s, accordi_exact_view sum, const double *x,
                            const double *y, size_t n)
{
    if (!s->open)
        dot_scatter_open(s);
    if (s->count + n > DOT_SCATTER_FLUSH)
        dot_scatter_flush(s, sum);
    sum.count[ACCORD_EXACT_TERMS] += (int64_t)n;
    s->count += n;
    if (!dot_scatter_run(s, x, y, n))
        dot_scatter_mend(s, sum, x, y, n);
}

#endif
