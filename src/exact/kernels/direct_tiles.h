/* Sums of products side by side, as closely as their rounding needs, for products of matrices. A
 * template: include isa_SET.h first.
 *
 * In: TILE_ROWS rows of one factor and LANES columns of the other, and a bound on the products of
 * each pair. Out: the two folds of each of the TILE_ROWS * LANES sums of products.
 *
 * These are the folds of direct_folds.h, with its bounds, but a lane is a sum of its own: so a sum
 * costs no more when it is short, since nothing is combined across lanes. A block is 128 terms,
 * after which the folds are read as integers. */
#ifndef ACCORDI_EXACT_DIRECT_TILES_H
#define ACCORDI_EXACT_DIRECT_TILES_H

#include "exact/kernels/direct_folds.h"

enum { TILE_ROWS = ACCORDI_EXACT_TILE_ROWS, TILE_BLOCK = 128 };

typedef struct tile_state {
    vec fold[TILE_ROWS][2];
    words total[TILE_ROWS][2];
} tile_state;

ISA_OP words tile_center(const accordi_exact_tile *t, int row, int fold)
{
    int64_t exponent = t->row_top[row] + SHORT_ABOVE - fold * ACCORDI_EXACT_FOLD + 1023;
    words top = w_load(t->column_top);
    return w_add(w_shl(top, 52), w_splat((int64_t)((uint64_t)exponent << 52 | (uint64_t)1 << 51)));
}

ISA_OP void tile_add(vec fold[2], vec x, vec y, bool errors)
{
    vec p = v_mul(x, y), rest = short_extract(&fold[0], p);
    fold[1] = v_add(fold[1], rest);
    if (errors)
        fold[1] = v_add(fold[1], v_fms(x, y, p));
}

ISA_OP void tile_block(tile_state *s, size_t n, const double *a, const double *b, bool errors)
{
    for (size_t i = 0; i < n; i++, a += TILE_ROWS, b += LANES) {
        vec y = v_load(b);
        for (int r = 0; r < TILE_ROWS; r++)
            tile_add(s->fold[r], v_splat(a[r]), y, errors);
    }
}

ISA_OP void tile_run(const accordi_exact_tile *t, bool errors, int64_t *totals)
{
    tile_state s;
    for (int r = 0; r < TILE_ROWS; r++)
        s.total[r][0] = s.total[r][1] = w_splat(0);
    for (size_t from = 0, n; from < t->n; from += n) {
        n = t->n - from < TILE_BLOCK ? t->n - from : TILE_BLOCK;
        for (int r = 0; r < TILE_ROWS; r++)
            for (int k = 0; k < 2; k++)
                s.fold[r][k] = v_of(tile_center(t, r, k));
        tile_block(&s, n, t->a + from * TILE_ROWS, t->b + from * LANES, errors);
        for (int r = 0; r < TILE_ROWS; r++)
            for (int k = 0; k < 2; k++)
                s.total[r][k] =
                    w_add(s.total[r][k], w_sub(w_of(s.fold[r][k]), tile_center(t, r, k)));
    }
    for (int r = 0; r < TILE_ROWS; r++)
        for (int k = 0; k < 2; k++, totals += LANES)
            w_store(totals, s.total[r][k]);
}

/* An integer as a double: |v| < 2^51, or the lane of *known is cleared. */
ISA_OP vec tile_double(words v, words *known)
{
    const int64_t magic = 0x4338000000000000; /* 1.5 * 2^52 */
    *known = w_and(*known, w_zero(w_shr(w_add(v, w_splat((int64_t)1 << 51)), 52)));
    return v_sub(v_of(w_add(v, w_splat(magic))), v_of(w_splat(magic)));
}

/* Both ends of the interval that holds a sum are one rounding of two exact numbers. Where they are
 * the same, so is every number between. */
ISA_FUNCTION static void tile_round(const accordi_exact_tile *t, const int64_t *totals,
                                    uint64_t *rounded, int64_t *known)
{
    words top = w_shl(w_load(t->column_top), 52), slack = w_splat((int64_t)t->n + 1);
    for (int r = 0; r < TILE_ROWS; r++, rounded += LANES, known += LANES) {
        int64_t unit = t->row_top[r] + SHORT_ABOVE - 52 + 1023;
        vec upper_unit = v_of(w_add(top, w_splat((int64_t)((uint64_t)unit << 52))));
        unit -= ACCORDI_EXACT_FOLD;
        vec lower_unit = v_of(w_add(top, w_splat((int64_t)((uint64_t)unit << 52))));
        words lower = w_load(totals + (2 * r + 1) * LANES), sure = w_splat(-1);
        vec upper = v_mul(tile_double(w_load(totals + 2 * r * LANES), &sure), upper_unit);
        vec least = v_mul(tile_double(w_sub(lower, slack), &sure), lower_unit);
        vec most = v_mul(tile_double(w_add(lower, slack), &sure), lower_unit);
        words from = w_of(v_add(upper, least)), to = w_of(v_add(upper, most));
        w_store(rounded, from);
        w_store(known, w_and(sure, w_zero(w_xor(from, to))));
    }
}

/* Numbers of several lines in turn, `group` of them, 4 or LANES: upper halves of words tell. */
ISA_FUNCTION static void tile_tops(size_t n, size_t group, const double *at, int64_t *top)
{
    const words size = w_splat(INT64_MAX);
    size_t period = group > LANES ? group : LANES, i = 0;
    words most[2] = {w_splat(0), w_splat(0)};
    for (; i + period <= n * group; i += period)
        for (size_t v = 0; v < period / LANES; v++)
            most[v] = w_max32(most[v], w_and(w_load(at + i + v * LANES), size));
    int64_t all[2 * LANES] = {0};
    w_store(all, most[0]);
    w_store(all + LANES, most[1]);
    for (size_t l = 0; l < group; l++)
        top[l] = 0;
    for (size_t l = 0; l < period; l++)
        top[l % group] = all[l] > top[l % group] ? all[l] : top[l % group];
    for (; i < n * group; i++) {
        int64_t bits;
        memcpy(&bits, at + i, sizeof bits);
        bits &= INT64_MAX;
        top[i % group] = bits > top[i % group] ? bits : top[i % group];
    }
    for (size_t l = 0; l < group; l++)
        top[l] = top[l] >> 52 == 2047 ? ACCORDI_EXACT_NOWHERE : (top[l] >> 52) - 1022;
}

ISA_FUNCTION static void tile_products(const accordi_exact_tile *t, int64_t *totals)
{
    if (t->errors)
        tile_run(t, true, totals);
    else
        tile_run(t, false, totals);
}

#endif
