/* The two edges of the range: sums that are too large, and negative sums that are rounded to zero.
 * Random inputs meet neither, and there a step of a machine of two products, which looks like one
 * addition, parts from it: it may stop at the greatest number, or give +0. */
#include "reveal/certify.h"
#include <math.h>

enum { ROWS = 4 };

/* 2^exponent as two factors of the format; false if it has none. */
static bool factor(const accord_format_info *row, int exponent, double *a, double *b)
{
    int least = row->min_exponent - (row->precision - 1), first = exponent / 2;
    first = first < row->min_exponent ? row->min_exponent : first;
    int second = exponent - first;
    *a = ldexp(1, first);
    *b = ldexp(1, second);
    return first <= row->max_exponent && second <= row->max_exponent && second >= least;
}

static void put(const accordi_asker *asker, void *row, size_t i, double x)
{
    if (asker->target->storage_f32)
        ((float *)row)[i] = (float)x;
    else
        ((double *)row)[i] = x;
}

/* Rows of like products, positive and negative: above the greatest result, below half the least. */
static size_t fill(const accordi_asker *asker, char *x, char *y, size_t size)
{
    const accord_format_info *in = accord_format_get(asker->target->format);
    const accord_format_info *out = accord_format_get(asker->target->output);
    int length = 0;
    frexp((double)asker->n, &length);
    int exponents[] = {out->max_exponent, out->min_exponent - (out->precision - 1) - 2 - length};
    size_t rows = 0;
    for (int i = 0; i < ROWS; i++) {
        double a, b;
        if (!factor(in, exponents[i / 2], &a, &b))
            continue;
        for (size_t k = 0; k < asker->n; k++) {
            put(asker, x + rows * size, k, i % 2 ? -a : a);
            put(asker, y + rows * size, k, b);
        }
        rows++;
    }
    return rows;
}

enum accord_status accordi_edges_agree(accordi_asker *asker, const accord_tree *tree,
                                       const accord_arithmetic *how, accordi_edges *out)
{
    size_t size = asker->n * (asker->target->storage_f32 ? sizeof(float) : sizeof(double));
    char *x = accordi_alloc(2 * ROWS, size), *y = x ? x + ROWS * size : NULL;
    const void *row[2 * ROWS];
    double due[ROWS], seen[ROWS];
    *out = (accordi_edges){.large = true, .small = true};
    if (!x)
        return asker->status = accordi_nomem(asker->error);
    const accord_model model = {tree, how};
    size_t rows = fill(asker, x, y, size);
    for (size_t i = 0; i < rows; i++) {
        row[i] = x + i * size;
        row[ROWS + i] = y + i * size;
    }
    const accord_rows all = {
        .rows = rows, .x = row, .y = row + ROWS, .is_f32 = asker->target->storage_f32};
    const accord_batch batch = {.probes = rows, .dense = x, .dense_second = y};
    if (rows > 0)
        asker->status = accord_model_replay(&model, &all, due, asker->error);
    if (rows > 0 && !asker->status && accordi_ask_goes_on(asker, rows))
        asker->status = accord_target_run(asker->target, &batch, seen, asker->error);
    for (size_t i = 0; i < rows && !asker->status; i++) {
        bool is_large = fabs(due[i]) > 1 || fabs(seen[i]) > 1, no_number = seen[i] != seen[i];
        bool agree = accordi_same_bits(due[i], seen[i] * asker->result_factor);
        out->no_number = out->no_number || (no_number && !agree);
        out->large = out->large && (agree || !is_large || no_number);
        out->small = out->small && (agree || is_large);
    }
    free(x);
    return asker->status;
}
