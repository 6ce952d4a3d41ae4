/* The two edges of the range: sums that are too large, and, of products, negative sums that are
 * rounded to zero. Random inputs reach neither. Here a sum that saturates differs from one that
 * overflows, and a step of a machine with two products, which looks like one addition, may differ
 * from an addition: it may stop at the greatest number, or give +0. */
#include "reveal/prove/certificate.h"
#include <math.h>

enum { ROWS = 9, TERM_ROWS = 4 };

/* The first rows are of great terms, whose sums are too large; the next ones of products that are
 * too large by themselves, in turn or one among zeros; the last ones of products below half the
 * least. */
enum pattern {
    PLUS,
    MINUS,
    HALVES,
    TURNS,
    INFINITE_TURNS,
    FIRST_ALONE,
    LAST_ALONE,
    SMALL_PLUS,
    SMALL_MINUS
};

static double weight(enum pattern pattern, size_t k, size_t n)
{
    switch (pattern) {
    case PLUS:
    case SMALL_PLUS:
        return 1;
    case MINUS:
    case SMALL_MINUS:
        return -1;
    case HALVES:
        return 2 * k >= n ? -1 : 1;
    case TURNS:
    case INFINITE_TURNS:
        return k % 2 ? -1 : 1;
    case FIRST_ALONE:
        return k == 0 ? 1 : 0;
    case LAST_ALONE:
        return k == n - 1 ? -1 : 0;
    }
    return 0;
}

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

static size_t fill_products(const accordi_asker *asker, char *x, char *y, size_t size)
{
    const accord_format_info *in = accord_format_get(asker->target->format);
    const accord_format_info *out = accord_format_get(asker->target->output);
    int length = 0;
    frexp((double)asker->n, &length);
    int small = out->min_exponent - (out->precision - 1) - 2 - length;
    size_t rows = 0;
    for (enum pattern pattern = PLUS; pattern <= SMALL_MINUS; pattern++) {
        int exponent = pattern >= SMALL_PLUS       ? small
                       : pattern >= INFINITE_TURNS ? out->max_exponent + 1
                                                   : out->max_exponent;
        double a, b;
        if (!factor(in, exponent, &a, &b))
            continue;
        for (size_t k = 0; k < asker->n; k++) {
            double w = weight(pattern, k, asker->n);
            put(asker, x + rows * size, k, w * a);
            put(asker, y + rows * size, k, w != 0 ? b : 0);
        }
        rows++;
    }
    return rows;
}

static size_t fill_terms(const accordi_asker *asker, char *x, size_t size)
{
    int exponent = accord_format_get(asker->target->format)->max_exponent;
    double great = ldexp(1, asker->term == ACCORD_TERM_SQUARE ? exponent / 2 + 1 : exponent);
    for (size_t i = 0; i < TERM_ROWS; i++)
        for (size_t k = 0; k < asker->n; k++)
            put(asker, x + i * size, k, great * weight((enum pattern)i, k, asker->n));
    return TERM_ROWS;
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
    bool products = asker->term == ACCORD_TERM_PRODUCT;
    size_t rows = products ? fill_products(asker, x, y, size) : fill_terms(asker, x, size);
    for (size_t i = 0; i < rows; i++) {
        row[i] = x + i * size;
        row[ROWS + i] = y + i * size;
    }
    const accord_rows all = {.rows = rows,
                             .x = row,
                             .y = products ? row + ROWS : NULL,
                             .is_f32 = asker->target->storage_f32};
    const accord_batch batch = {.probes = rows, .dense = x, .dense_second = products ? y : NULL};
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
