/* Shared by the routines of accord/exact_blas.h: sums, dots, norms and products of matrices in one
 * call. Arrays and options come in, correctly rounded results go out. Internal. Read reduce.c
 * first.
 *
 * A routine is written once, for numbers of a type that a row of functions describes; the public
 * functions give it the row. Everything that is added comes through accordi_exact_run, which keeps
 * the accumulators, the threads and their merging; a routine says how to add a range of terms and
 * what to do with the sums. Numbers are moved as integers, so that the flags of the caller's
 * environment have no effect, and signaling NaNs raise no exception. */
#ifndef ACCORDI_EXACT_ROUTINES_H
#define ACCORDI_EXACT_ROUTINES_H

#include "exact/routines/methods.h"
#include <accord/exact_blas.h>

typedef struct accordi_exact_kind {
    enum accord_format format;
    int size;  /* bytes of a number */
    bool wide; /* products need a wide accumulator */
    void (*sum)(const accord_exact_options *how, accordi_exact_view sum, size_t n, const void *x,
                ptrdiff_t stride);
    void (*dot)(const accord_exact_options *how, accordi_exact_view sum, size_t n, const void *x,
                ptrdiff_t stride_x, const void *y, ptrdiff_t stride_y);
    /* The rounded sum of a short array at once; false: it takes an accumulator (short.h). */
    bool (*short_sum)(size_t n, const void *x, ptrdiff_t stride, const accord_exact_options *how,
                      void *out);
    bool (*short_dot)(size_t n, const void *x, ptrdiff_t stride_x, const void *y,
                      ptrdiff_t stride_y, const accord_exact_options *how, void *out);
    /* A few at a time. */
    void (*terms)(accordi_exact_view sum, size_t n, const void *x, ptrdiff_t stride);
    void (*products)(accordi_exact_view sum, size_t n, const void *x, ptrdiff_t stride_x,
                     const void *y, ptrdiff_t stride_y);
} accordi_exact_kind;
extern const accordi_exact_kind accordi_exact_f64, accordi_exact_f32, accordi_exact_f16,
    accordi_exact_bf16; /* no products of the last two */

static inline const void *accordi_exact_at(const accordi_exact_kind *kind, const void *x,
                                           ptrdiff_t place)
{
    return (const char *)x + place * kind->size;
}

/* Writes the number with these bits to x[place]. */
void accordi_exact_store(const accordi_exact_kind *kind, void *x, ptrdiff_t place,
                         uint64_t pattern);

/* The same of a sum, rounded once. */
static inline void accordi_exact_store_sum(const accordi_exact_kind *kind, void *x, ptrdiff_t place,
                                           accordi_exact_view sum,
                                           enum accord_exact_rounding rounding)
{
    accordi_exact_store(kind, x, place, accordi_exact_round(sum, kind->format, rounding));
}

/* A number taken apart: m * 2^exponent; m is 0 for zeros, infinities and NaNs. */
typedef struct accordi_exact_number {
    uint64_t m;
    int exponent;
    bool negative, zero, infinite, nan;
} accordi_exact_number;
accordi_exact_number accordi_exact_take(const accordi_exact_kind *kind, const void *x);

/* What a sum with one term of this special kind is. */
uint64_t accordi_exact_odd(const accordi_exact_kind *kind, enum accord_exact_count which);

/* to[r * columns + c] = from[r * row_stride + c * column_stride]; numbers of 4 or 8 bytes. */
void accordi_exact_pack(int size, void *to, size_t rows, size_t columns, const void *from,
                        ptrdiff_t row_stride, ptrdiff_t column_stride);

/* Fills *how from the options, no number of them 0, and says whether the call can be served:
 * `numbers` and `result` tell whether those were given. */
enum accord_status accordi_exact_prepare(bool numbers, bool result,
                                         const accord_exact_options *options,
                                         accord_exact_options *how, accord_error *error);

/* Accumulators of one size, side by side. */
typedef struct accordi_exact_bank {
    void *at;
    bool wide;
} accordi_exact_bank;

static inline accordi_exact_view accordi_exact_of_bank(accordi_exact_bank bank, size_t i)
{
    return bank.wide ? accordi_exact_of_wide((accord_exact_wide *)bank.at + i)
                     : accordi_exact_of((accord_exact *)bank.at + i);
}

static inline void accordi_exact_bank_clear(accordi_exact_bank bank, size_t count)
{
    memset(bank.at, 0, count * (bank.wide ? sizeof(accord_exact_wide) : sizeof(accord_exact)));
}

/* A task: `tiles` times `sums` sums of `length` terms (or ranges of terms) each. What `add` and
 * `finish` do with one tile must not touch what they do with another; they may run on any thread.
 * `add` is given a clear bank, or one that holds other ranges of the same tile; `scratch` is its
 * own meanwhile. */
typedef void accordi_exact_add_tile(const void *context, size_t tile, size_t from, size_t to,
                                    accordi_exact_bank bank, void *scratch);
typedef struct accordi_exact_task {
    size_t tiles, sums, length;
    size_t work;    /* of all tiles, in terms of a plain sum */
    bool wide;      /* accumulators */
    bool whole;     /* tiles are not to be cut: `add` is given all terms, once */
    size_t scratch; /* bytes, aligned to 64 */
    accordi_exact_add_tile *add;
    void (*finish)(const void *context, size_t tile, accordi_exact_bank bank); /* or NULL */
} accordi_exact_task;

/* A thread with less work than this is not worth its start: some 50 microseconds. */
enum { ACCORDI_EXACT_GRAIN = 1 << 19 };
/* What terms cost, in those of a plain sum: products; in a matrix; with a key; with a result. */
enum {
    ACCORDI_EXACT_DOT_COST = 2,
    ACCORDI_EXACT_MATRIX_COST = 4,
    ACCORDI_EXACT_KEY_COST = 32,
    ACCORDI_EXACT_PREFIX_COST = 128
};
/* cost * m * n, or SIZE_MAX where it is more. In integers: the caller's traps and flags are not
 * ours to spring. */
size_t accordi_exact_work(size_t cost, size_t m, size_t n);
/* How many threads, at most `wanted`, which counts as those of accord_exact_options. */
int accordi_exact_workers(size_t work, int wanted);

/* ACCORD_NOMEM comes before anything is added or finished. */
enum accord_status accordi_exact_run(const accordi_exact_task *task, const void *context,
                                     int threads, accord_error *error);

/* One or two arrays to one number, or to a complex one: what most routines are. */
typedef struct accordi_exact_reduction {
    const accordi_exact_kind *kind;
    accord_exact_options how;
    size_t n;
    const void *x, *y;
    ptrdiff_t stride_x, stride_y; /* in numbers, of pairs too */
    bool pairs, conjugate;
    void *out;
} accordi_exact_reduction;

/* How: `add` and `finish` are those of a task of one tile whose context is the reduction. */
typedef struct accordi_exact_recipe {
    bool products, two_arrays;
    size_t sums[2], rows[2]; /* accumulators, rows of scratch: of real and of complex numbers */
    bool (*at_once)(const accordi_exact_reduction *r); /* short arrays, not empty; or NULL */
    accordi_exact_add_tile *add;
    void (*finish)(const void *context, size_t tile, accordi_exact_bank bank);
} accordi_exact_recipe;

enum accordi_exact_form { ACCORDI_EXACT_REAL, ACCORDI_EXACT_COMPLEX, ACCORDI_EXACT_CONJUGATE };
enum accord_status accordi_exact_reduce(const accordi_exact_recipe *recipe,
                                        const accordi_exact_kind *kind,
                                        enum accordi_exact_form form, size_t n, const void *x,
                                        ptrdiff_t stride_x, const void *y, ptrdiff_t stride_y,
                                        const accord_exact_options *options, void *out,
                                        accord_error *error);

/* The next block of a range: as many numbers as a row of scratch holds. */
enum { ACCORDI_EXACT_BLOCK = 8192 };
static inline size_t accordi_exact_block(size_t from, size_t to)
{
    return to - from < ACCORDI_EXACT_BLOCK ? to - from : ACCORDI_EXACT_BLOCK;
}

#endif
