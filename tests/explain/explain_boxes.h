/* Dot products with one fault each, and right ones, as boxes. */
#ifndef EXPLAIN_BOXES_H
#define EXPLAIN_BOXES_H

#include <accord/accord.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "trials.h"

typedef struct box box;
/* The result for n terms x * y, before it is rounded into the output. */
typedef double box_sum(const box *b, const double *x, const double *y, size_t n);
struct box {
    const char *name;
    box_sum *sum;
    enum accord_format input, output, inside; /* inside: of partial sums */
    size_t parameter;
    double number;
    bool truncates; /* the result */
    double beta;    /* not 0: the last term is a start value, which beta multiplies */
    accordi_rng *rng;
};

static inline double rounded(enum accord_format format, double x)
{
    return format == ACCORD_F32   ? (double)(float)x
           : format == ACCORD_F64 ? x
                                  : accord_format_round(format, ACCORD_NEAREST_EVEN, x);
}

static inline double add_in(const box *b, double s, double p)
{
    return b->inside == ACCORD_F32 ? (double)((float)s + (float)p) : s + p;
}

/* Terms from, from + step, ... below end. */
static inline double stretch(const box *b, const double *x, const double *y, size_t from,
                             size_t end, size_t step)
{
    double s = rounded(b->inside, x[from] * y[from]);
    for (size_t k = from + step; k < end; k += step)
        s = add_in(b, s, rounded(b->inside, x[k] * y[k]));
    return s;
}

/* ---- right ones ---- */

static inline double in_order(const box *b, const double *x, const double *y, size_t n)
{
    return stretch(b, x, y, 0, n, 1);
}

static inline double in_lanes(const box *b, const double *x, const double *y, size_t n)
{
    size_t lanes = b->parameter < n ? b->parameter : n;
    double s = stretch(b, x, y, 0, n, lanes);
    for (size_t l = 1; l < lanes; l++)
        s = add_in(b, s, stretch(b, x, y, l, n, lanes));
    return s;
}

static inline double in_parts(const box *b, const double *x, const double *y, size_t n)
{
    size_t size = (n + b->parameter - 1) / b->parameter;
    double s = stretch(b, x, y, 0, size < n ? size : n, 1);
    for (size_t from = size; from < n; from += size)
        s = add_in(b, s, stretch(b, x, y, from, from + size < n ? from + size : n, 1));
    return s;
}

/* An order for each input: negative products first. No fixed order replays it. */
static inline double by_sign(const box *b, const double *x, const double *y, size_t n)
{
    double sum[2] = {0, 0};
    for (size_t k = 0; k < n; k++) {
        double p = rounded(b->inside, x[k] * y[k]);
        sum[p < 0] = add_in(b, sum[p < 0], p);
    }
    return add_in(b, sum[0], sum[1]);
}

static inline double compensated(const box *b, const double *x, const double *y, size_t n)
{
    double s = 0, c = 0;
    for (size_t k = 0; k < n; k++) {
        double p = rounded(b->inside, x[k] * y[k]), t = add_in(b, s, p);
        c = add_in(b, c,
                   fabs(s) >= fabs(p) ? add_in(b, add_in(b, s, -t), p)
                                      : add_in(b, add_in(b, p, -t), s));
        s = t;
    }
    return add_in(b, s, c);
}

static inline double wide(const box *b, const double *x, const double *y, size_t n)
{
    (void)b;
    double s = 0;
    for (size_t k = 0; k < n; k++)
        s += x[k] * y[k];
    return s;
}

/* ---- faults ---- */

static inline double without_last(const box *b, const double *x, const double *y, size_t n)
{
    return by_sign(b, x, y, n - 1);
}

static inline double without_tile(const box *b, const double *x, const double *y, size_t n)
{
    return by_sign(b, x, y, n - b->parameter);
}

static inline double without_one(const box *b, const double *x, const double *y, size_t n)
{
    double s = 0;
    for (size_t k = 0; k < n; k++)
        if (k != b->parameter)
            s = add_in(b, s, rounded(b->inside, x[k] * y[k]));
    return s;
}

static inline double one_twice(const box *b, const double *x, const double *y, size_t n)
{
    return add_in(b, by_sign(b, x, y, n), rounded(b->inside, x[b->parameter] * y[b->parameter]));
}

static inline double wrong_row(const box *b, const double *x, const double *y, size_t n)
{
    double s = 0;
    for (size_t k = 0; k < n; k++)
        s = add_in(b, s, rounded(b->inside, x[k] * y[(k + 1) % n]));
    return s;
}

static inline double stale(const box *b, const double *x, const double *y, size_t n)
{
    return add_in(b, by_sign(b, x, y, n), b->number);
}

static inline double scaled(const box *b, const double *x, const double *y, size_t n)
{
    return by_sign(b, x, y, n) * b->number;
}

/* Partial sums of 32 terms are stored in the format `parameter`. */
static inline double stored(const box *b, const double *x, const double *y, size_t n)
{
    double s = 0;
    for (size_t from = 0; from < n; from += 32) {
        size_t end = from + 32 < n ? from + 32 : n;
        s = rounded((enum accord_format)b->parameter, add_in(b, s, stretch(b, x, y, from, end, 1)));
    }
    return s;
}

/* Each partial sum is: a chain of fused multiply-adds in that format, as products are exact in f32.
 */
static inline double narrow_chain(const box *b, const double *x, const double *y, size_t n)
{
    double s = 0;
    for (size_t k = 0; k < n; k++)
        s = rounded((enum accord_format)b->parameter, (double)((float)s + (float)(x[k] * y[k])));
    return s;
}

static inline double cut(const box *b, const double *x, const double *y, size_t n)
{
    double s = 0;
    for (size_t k = 0; k < n; k++) {
        double u = rounded((enum accord_format)b->parameter, x[k]);
        double v = rounded((enum accord_format)b->parameter, y[k]);
        s = add_in(b, s, rounded(b->inside, u * v));
    }
    return s;
}

/* Off by an amount that grows with the cube of the number of terms that are not zero. With `n` of
 * them it is no larger than what sequential sums are off by. */
static inline double growing(const box *b, const double *x, const double *y, size_t n)
{
    double s = 0, mass = 0, terms = 0;
    for (size_t k = 0; k < n; k++) {
        s += x[k] * y[k];
        mass += fabs(x[k] * y[k]);
        terms += x[k] != 0;
    }
    double share = terms / (double)n, sign = fmod(floor(1024 * s), 2) == 0 ? 1 : -1;
    return s + sign * b->number * mass * share * share * share;
}

/* A mask that begins at term 1. */
static inline double masked(const box *b, const double *x, const double *y, size_t n)
{
    return by_sign(b, x + 1, y + 1, n - 1);
}

/* The last term in place of the one before it, too. */
static inline double last_read_twice(const box *b, const double *x, const double *y, size_t n)
{
    double last = rounded(b->inside, x[n - 1] * y[n - 1]);
    return add_in(b, add_in(b, by_sign(b, x, y, n - 2), last), last);
}

/* Wrong where the product is negative. */
static inline double one_absolute(const box *b, const double *x, const double *y, size_t n)
{
    double one = rounded(b->inside, x[b->parameter] * y[b->parameter]);
    return add_in(b, without_one(b, x, y, n), fabs(one));
}

/* Wrong where the first factor is near 0, as it hardly ever is. */
static inline double rarely_one_twice(const box *b, const double *x, const double *y, size_t n)
{
    double s = by_sign(b, x, y, n);
    return fabs(x[0]) < .01 ? add_in(b, s, rounded(b->inside, x[1] * y[1])) : s;
}

static inline double zero(const box *b, const double *x, const double *y, size_t n)
{
    (void)b;
    (void)x;
    (void)y;
    (void)n;
    return 0;
}

/* ---- a box as a target ---- */

static inline double box_result(const box *b, const double *x, const double *y, size_t n)
{
    double s = b->sum(b, x, y, n);
    return accord_format_round(b->output, b->truncates ? ACCORD_TOWARD_ZERO : ACCORD_NEAREST_EVEN,
                               s);
}

static inline enum accord_status box_run(accord_target *target, const accord_batch *batch,
                                         double *result, accord_error *error)
{
    (void)error;
    const box *b = target->state;
    size_t n = target->n;
    double *x = accordi_alloc(2 * n, sizeof *x), *y = x + n;
    double *lasting = accordi_alloc(n, sizeof *lasting);
    for (size_t k = 0; k < n; k++)
        lasting[k] = batch->fill;
    for (size_t p = 0; p < batch->probes; p++) {
        for (size_t k = 0; k < n && batch->dense; k++) {
            x[k] = accordi_get_number(batch->dense, target->storage_f32, p * n + k);
            y[k] = batch->dense_second
                       ? accordi_get_number(batch->dense_second, target->storage_f32, p * n + k)
                       : 1;
        }
        if (!batch->dense) {
            for (uint32_t w = batch->start[2 * p]; w < batch->start[2 * p + 1]; w++)
                lasting[batch->index[w]] = batch->value[w];
            memcpy(x, lasting, n * sizeof *x);
            for (uint32_t w = batch->start[2 * p + 1]; w < batch->start[2 * p + 2]; w++)
                x[batch->index[w]] = batch->value[w];
            for (size_t k = 0; k < n; k++)
                y[k] = batch->second != 0 ? batch->second : 1;
        }
        if (target->has_start)
            y[n - 1] = target->beta;
        result[p] = box_result(b, x, y, n);
    }
    free(x);
    free(lasting);
    return ACCORD_OK;
}

static inline accord_target *box_target(box *b, size_t n)
{
    static const accord_target_kind kind = {
        .size = sizeof kind, .name = "box", .notation = "box", .about = "a box", .run = box_run};
    accord_target *target;
    accord_error error;
    if (accord_target_new(&kind, b, b->name, n, b->input, &target, &error) != ACCORD_OK)
        fail_msg("%s", error.text);
    target->term = ACCORD_TERM_PRODUCT;
    target->output = b->output;
    target->storage_f32 = b->input != ACCORD_F64;
    target->has_start = b->beta != 0;
    target->beta = b->beta;
    return target;
}

#endif
