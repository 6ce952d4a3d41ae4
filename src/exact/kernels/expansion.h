/* Sums by floating-point expansions in vector registers, their overflow into limbs. A template:
 * include isa_SET.h first. Source: Collange, Defour, Graillat, Iakymchuk, Numerical reproducibility
 * for the parallel reduction on multi- and many-core architectures, 2015, Algorithms 1 and 2; some
 * of the additions are done by multiply-add units, as in section 4.1.
 *
 * Idea. An expansion is `size` vectors whose sum, lane by lane, is what was added. A term x passes
 * through them by TwoSum, (a[i], x) = (a[i] + x, its error), and what is not zero after the last
 * vector goes into the limbs. With early exit, a term stops where x is zero in all lanes. Every
 * TwoSum is exact, so the sum is exact for any size; the size affects the speed only.
 *
 * Bound: TwoSum fails only if it overflows. Terms are below 2^1000 (expansion_arrays.h), and at
 * most 2^15 are added per lane before the expansions are emptied, so no partial sum reaches 2^1016.
 */
#ifndef ACCORDI_EXACT_EXPANSION_H
#define ACCORDI_EXACT_EXPANSION_H

#include "exact/kernels/kernels.h"

enum {
    EXPANSION_LEAST = 2,
    EXPANSION_MOST = 8,
    EXPANSION_STEP = 2 * LANES,
    EXPANSION_BLOCK = 512, /* terms; a multiple of the step */
    EXPANSION_STEPS = 1 << 14,
    EXPANSION_AHEAD = 8192 /* bytes to fetch ahead: two blocks */
};

typedef struct expansion expansion;
typedef void expansion_runner(expansion *e, const double *x, size_t n);

struct expansion {
    vec term[2][EXPANSION_MOST];
    int steps;               /* since it was empty */
    accordi_exact_view rest; /* the limbs; what is put there counts as no term */
    int64_t ignored[ACCORD_EXACT_COUNTS];
    expansion_runner *run;
};

ISA_OP void expansion_two_sum(vec *a, vec *x)
{
    vec r = v_add(*a, *x), z = v_sub(r, *a);
    *x = v_add(v_sub(*a, v_minus(r, z)), v_minus(*x, z));
    *a = r;
}

ISA_FUNCTION static __attribute__((noinline)) void expansion_put(expansion *e, vec x)
{
    double lane[LANES];
    v_store(lane, x);
    accordi_exact_terms_f64(e->rest, LANES, lane, 1);
}

/* Two terms side by side: each through an expansion of its own, or both through one where registers
 * are too few for two. A remainder is seldom zero after one step: early exit begins to look after
 * the second. */
ISA_OP void expansion_add(expansion *e, vec (*a)[EXPANSION_MOST], int size, bool early, vec x,
                          vec y)
{
    for (int i = 0; i < size; i++) {
        expansion_two_sum(&a[0][i], &x);
        expansion_two_sum(&a[size <= 4 ? 1 : 0][i], &y);
        if (early && i && !w_any(w_or(w_of(x), w_of(y))))
            return;
    }
    if (!w_any(w_or(w_of(x), w_of(y))))
        return;
    expansion_put(e, x);
    expansion_put(e, y);
}

/* n: a multiple of the step. */
ISA_OP void expansion_run(expansion *e, int size, bool early, const double *x, size_t n)
{
    vec a[2][EXPANSION_MOST];
    for (int chain = 0; chain < (size <= 4 ? 2 : 1); chain++)
        for (int i = 0; i < size; i++)
            a[chain][i] = e->term[chain][i];
    for (size_t i = 0; i < n; i += EXPANSION_STEP) {
        for (size_t line = 0; line < EXPANSION_STEP * sizeof *x; line += 64)
            __builtin_prefetch((const void *)((uintptr_t)(x + i) + EXPANSION_AHEAD + line));
        expansion_add(e, a, size, early, v_load(x + i), v_load(x + i + LANES));
    }
    for (int chain = 0; chain < (size <= 4 ? 2 : 1); chain++)
        for (int i = 0; i < size; i++)
            e->term[chain][i] = a[chain][i];
}

#define EXPANSION_RUN(size_)                                                                       \
    ISA_FUNCTION static void expansion_run_##size_(expansion *e, const double *x, size_t n)        \
    {                                                                                              \
        expansion_run(e, size_, false, x, n);                                                      \
    }                                                                                              \
    ISA_FUNCTION static void expansion_run_early_##size_(expansion *e, const double *x, size_t n)  \
    {                                                                                              \
        expansion_run(e, size_, true, x, n);                                                       \
    }
EXPANSION_RUN(2)
EXPANSION_RUN(3)
EXPANSION_RUN(4)
EXPANSION_RUN(5)
EXPANSION_RUN(6)
EXPANSION_RUN(7)
EXPANSION_RUN(8)

ISA_FUNCTION static void expansion_open(expansion *e, accordi_exact_view sum, int size, bool early)
{
    static expansion_runner *const runs[][2] = {
        {expansion_run_2, expansion_run_early_2}, {expansion_run_3, expansion_run_early_3},
        {expansion_run_4, expansion_run_early_4}, {expansion_run_5, expansion_run_early_5},
        {expansion_run_6, expansion_run_early_6}, {expansion_run_7, expansion_run_early_7},
        {expansion_run_8, expansion_run_early_8},
    };
    for (int chain = 0; chain < 2; chain++)
        for (int i = 0; i < EXPANSION_MOST; i++)
            e->term[chain][i] = v_splat(0);
    e->steps = 0;
    e->rest = sum;
    e->rest.count = e->ignored;
    memset(e->ignored, 0, sizeof e->ignored);
    e->run = runs[size - EXPANSION_LEAST][early];
}

ISA_FUNCTION static void expansion_empty(expansion *e)
{
    for (int chain = 0; chain < 2; chain++)
        for (int i = 0; i < EXPANSION_MOST; i++) {
            expansion_put(e, e->term[chain][i]);
            e->term[chain][i] = v_splat(0);
        }
    e->steps = 0;
}

ISA_FUNCTION static void expansion_add_block(expansion *e, const double *x, size_t n)
{
    e->run(e, x, n);
    e->steps += (int)(n / EXPANSION_STEP);
    if (e->steps > EXPANSION_STEPS)
        expansion_empty(e);
}

/* The same from an array that has room for the zeros that fill the last step. */
ISA_FUNCTION static void expansion_add_padded(expansion *e, double *x, size_t n)
{
    size_t whole = (n + EXPANSION_STEP - 1) / EXPANSION_STEP * EXPANSION_STEP;
    memset(x + n, 0, (whole - n) * sizeof *x);
    expansion_add_block(e, x, whole);
}

#endif
