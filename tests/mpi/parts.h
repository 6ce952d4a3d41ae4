/* Numbers, accumulators, and the part of them that this rank holds. All ranks draw the same numbers
 * and the same split, so that each knows what a single process gets. */
#ifndef PARTS_H
#define PARTS_H

#include "../exact/exact_fills.h"
#include "../support/trials.h"
#include "ranks.h"

__attribute__((unused)) static double mine[MOST], mine_too[MOST];

/* This rank's part of the n numbers: cut at random places, dealt at random, or all to one. The same
 * draws on every rank. */
static inline size_t take_part(size_t n, const double *x, const double *y)
{
    static size_t cut[1 << 12];
    size_t count = 0;
    int way = below(3), lucky = below(ranks);
    for (int r = 0; way == 0 && r < ranks; r++)
        cut[r] = (size_t)accordi_rng_below(&rng, n + 1);
    for (size_t i = 0; i < n; i++) {
        int owner = lucky;
        if (way == 0) {
            owner = 0;
            for (int r = 0; r < ranks - 1; r++)
                owner += cut[r] <= i;
        } else if (way == 1) {
            owner = below(ranks);
        }
        if (owner == rank) {
            mine[count] = x[i];
            mine_too[count++] = y[i];
        }
    }
    return count;
}

static inline accord_exact_options drawn_options(void)
{
    accord_exact_options options;
    accord_exact_options_init(&options);
    options.rounding = (enum accord_exact_rounding)below(ACCORD_EXACT_ROUNDING_COUNT);
    options.threads = 1 + (int)below(3);
    return options;
}

static inline void same(double found, double expected, const char *what)
{
    CHECK(bits_of(found) == bits_of(expected) || (isnan(found) && isnan(expected)),
          "%s: found %a, expected %a", what, found, expected);
}

enum { SUMS = 11 };
__attribute__((unused)) static accord_exact whole[SUMS], held[SUMS], before[SUMS];
__attribute__((unused)) static accord_exact_wide wide_whole[SUMS], wide_held[SUMS],
    wide_before[SUMS];

/* `held`: what this rank holds, not canonical; `whole`: of all ranks, canonical. */
static inline void draw_sums(void)
{
    for (int s = 0; s < SUMS; s++) {
        size_t n = any_length(300);
        fills[below(FILLS)].fill(numbers, n);
        fills[below(FILLS)].fill(others, n);
        size_t count = take_part(n, numbers, others);
        accord_exact_init(whole + s);
        accord_exact_init(held + s);
        accord_exact_add_array_f64(whole + s, n, numbers, 1);
        accord_exact_add_array_f64(held + s, count, mine, 1);
        accord_exact_canonical(whole + s);
        accord_exact_wide_init(wide_whole + s);
        accord_exact_wide_init(wide_held + s);
        accord_exact_wide_add_products_f64(wide_whole + s, n, numbers, 1, others, 1);
        accord_exact_wide_add_products_f64(wide_held + s, count, mine, 1, mine_too, 1);
        accord_exact_wide_canonical(wide_whole + s);
    }
    memcpy(before, held, sizeof held);
    memcpy(wide_before, wide_held, sizeof wide_held);
}

#endif
