/* The table of kernels of exact sums: a row per instruction set, a member per template (a new one
 * is a header here, such as narrow.h).
 * Internal. Contiguous terms come in; limbs of an accumulator (accumulator/exact.h) go out. Read
 * sum_f64.h first, which chooses among sum_window.h, sum_scatter.h and sum_pairs.h.
 *
 * A kernel adds contiguous terms in any way that increases the exact sum of the view by their
 * exact sum and keeps the contract of the counts (accord/exact.h). It is called with
 * the floating-point environment of the IEEE 754 default (accordi_environment), unless the row says
 * that it needs none (is_calm), and any n. Each is compiled from a template (the .h files that use
 * the operations of isa_SET.h) once per set. */
#ifndef ACCORDI_EXACT_KERNELS_H
#define ACCORDI_EXACT_KERNELS_H

#include "exact/accumulator/exact.h"
#include "exact/direct/direct.h"
#include <stdatomic.h>

/* What a kernel may use before a term goes straight into limbs. */
enum { ACCORDI_EXACT_WINDOW = 1, ACCORDI_EXACT_SCATTER = 2, ACCORDI_EXACT_ALL = 3 };

typedef struct accordi_exact_kernels {
    const char *name; /* "scalar", "avx2", … */
    void (*sum_f64)(accordi_exact_view sum, size_t n, const double *x, unsigned levels);
    void (*sum_f32)(accordi_exact_view sum, size_t n, const float *x, unsigned levels);
    /* Of contiguous numbers in these formats there is one way only. */
    void (*sum_f16)(accordi_exact_view sum, size_t n, const uint16_t *x);
    void (*sum_bf16)(accordi_exact_view sum, size_t n, const uint16_t *x);
    /* The f64 products go to a wide view, those of f32 to either. */
    void (*dot_f64)(accordi_exact_view sum, size_t n, const double *x, const double *y,
                    unsigned levels);
    void (*dot_f32)(accordi_exact_view sum, size_t n, const float *x, const float *y,
                    unsigned levels);
    /* Expansions of `size` terms, 2 … 8. */
    void (*expansion_f64)(accordi_exact_view sum, size_t n, const double *x, int size,
                          bool early_exit);
    void (*expansion_dot_f64)(accordi_exact_view sum, size_t n, const double *x, const double *y,
                              int size, bool early_exit);
    accordi_exact_short_kernel *short_sum_f64, *short_sum_f32, *short_dot_f64,
        *short_dot_f32;                        /* may be NULL */
    accordi_exact_few_kernel *few[2][2];       /* [product][f32]; may be NULL */
    accordi_exact_blocks_kernel *blocks[2][2]; /* [product][f32]; where short_sum_f64 is */
    size_t blocks_dot_to;                      /* products of f64 that a blocks kernel takes */
    int streamed; /* binades: terms no further apart go through sum_f64 as fast as memory gives them
                   */
    accordi_exact_tops_kernel *tops; /* may be NULL, as the next two */
    accordi_exact_tile_kernel *tile;
    accordi_exact_round_kernel *tile_round;
    int tile_columns;
    /* For arrays from memory, in any environment; may be NULL. */
    accordi_exact_short_kernel *far_sum_f64, *far_dot_f64;
    bool (*is_calm)(void); /* whether kernels need no environment now; NULL: they always do */
    int mixed; /* so many terms of f64, or products of f32, of both signs go into an accumulator at
                * once, since to find out that they cancel takes nearly as long; 0: they do not */
} accordi_exact_kernels;

/* The rows' own files. */
extern const accordi_exact_kernels accordi_exact_kernels_avx2, accordi_exact_kernels_avx512,
    accordi_exact_kernels_neon, accordi_exact_kernels_sse2, accordi_exact_kernels_scalar;
/* For rows without multiply-add. */
void accordi_exact_scalar_dot_f64(accordi_exact_view sum, size_t n, const double *x,
                                  const double *y, unsigned levels);
/* The short kernels of AVX2 in an environment of their own, for rows that have nothing to gain from
 * wider registers where terms come from memory. */
accordi_exact_short_kernel accordi_exact_far_sum_f64_avx2, accordi_exact_far_dot_f64_avx2;
/* Its kernels for few terms; in the environment of kernels, whatever is_calm says. */
accordi_exact_few_kernel accordi_exact_few_sum_f64_avx2, accordi_exact_few_sum_f32_avx2,
    accordi_exact_few_dot_f64_avx2, accordi_exact_few_dot_f32_avx2;
/* Linked into tests alone. */
extern const accordi_exact_kernels accordi_exact_kernels_generic __attribute__((weak));

/* Adds the sum of n <= 2^20 integers times 2^exponent; the exponent is not below the unit's. */
void accordi_exact_put_lanes(accordi_exact_view sum, const int64_t *lanes, int n, int exponent);
/* The same for `folds` rows of n integers: those of row k times 2^(exponent + spacing * (folds - 1
 * - k)), spacing <= 52. */
void accordi_exact_put_folds(accordi_exact_view sum, const int64_t *lanes, int n, int folds,
                             int exponent, int spacing);
/* The same for the sum of (lower[i] + upper[i] * 2^32) * 2^i, n <= 16. */
void accordi_exact_put_steps(accordi_exact_view sum, const int64_t *lower, const int64_t *upper,
                             int n, int exponent);

/* All rows of this build, the fastest first; then "scalar", which every machine can run, and in
 * tests "generic", the portable build of the templates, which is slow. NULL past the end. */
const accordi_exact_kernels *accordi_exact_kernels_at(size_t row);
/* Whether this processor can run a row, and ACCORD_DISABLE names nothing that it needs. */
bool accordi_exact_kernels_usable(const accordi_exact_kernels *row);
/* The first usable row; looked up once a process. */
extern _Atomic(const accordi_exact_kernels *) accordi_exact_known; /* NULL until then */
const accordi_exact_kernels *accordi_exact_find_kernels(void);
static inline const accordi_exact_kernels *accordi_exact_kernels_best(void)
{
    const accordi_exact_kernels *best =
        atomic_load_explicit(&accordi_exact_known, memory_order_relaxed);
    return best ? best : accordi_exact_find_kernels();
}

#endif
