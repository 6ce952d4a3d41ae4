/* A witness: three non-zero terms on which two orders give different bits.
 *
 * Let v be a node of one tree whose leaves S are no clade of the other, and w the least node of
 * the other that holds S. Leaves i and j of S that lie under two children of w, and k under w but
 * not in S, tell them apart: with M at i, -M at j and a small u at k, the first tree cancels the
 * masks before it meets u, and gives u; in the other, u meets a mask first and is lost. */
#include "model/witness/witness.h"
#include <math.h>

/* Marks the leaves under a node. */
static void mark(const accord_tree *tree, uint32_t node, bool *below)
{
    memset(below, 0, (size_t)(tree->leaves + tree->inner) * sizeof *below);
    below[node] = true;
    for (uint32_t k = tree->inner; k-- > 0;) /* parents before children */
        for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++)
            if (below[tree->leaves + k])
                below[tree->child[c]] = true;
}

/* child[leaf] = which child of w holds it, counted from 1; 0 outside. */
static void number_children(const accord_tree *tree, uint32_t w, uint32_t *child)
{
    memset(child, 0, (size_t)(tree->leaves + tree->inner) * sizeof *child);
    uint32_t row = w - tree->leaves;
    for (uint32_t c = tree->first[row]; c < tree->first[row + 1]; c++)
        child[tree->child[c]] = c - tree->first[row] + 1;
    for (uint32_t k = row; k-- > 0;)
        for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++)
            if (child[tree->leaves + k])
                child[tree->child[c]] = child[tree->leaves + k];
}

static enum accord_status find_triple(const accord_tree *fine, const accord_tree *other,
                                      const accord_tree_difference *d, accordi_triple *out,
                                      accord_error *error)
{
    uint32_t n = fine->leaves;
    bool *inside = accordi_alloc(2 * (size_t)n, sizeof *inside);
    uint32_t *child = accordi_alloc(2 * (size_t)n, sizeof *child);
    accordi_triple found = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    bool memory = inside && child;
    if (memory) {
        mark(fine, d->node, inside);
        number_children(other, d->other, child);
    }
    for (uint32_t leaf = 0; memory && leaf < n; leaf++) {
        if (inside[leaf] && found.i == UINT32_MAX)
            found.i = leaf;
        else if (inside[leaf] && found.j == UINT32_MAX && child[leaf] != child[found.i])
            found.j = leaf;
        else if (!inside[leaf] && child[leaf] && found.k == UINT32_MAX)
            found.k = leaf;
    }
    free(inside);
    free(child);
    if (!memory)
        return accordi_nomem(error);
    *out = found;
    return ACCORD_OK;
}

enum accord_status accordi_witness_triple(const accord_tree *a, const accord_tree *b,
                                          accordi_triple *out, accord_error *error)
{
    accord_tree_difference d;
    bool differ = false, swapped = false;
    enum accord_status status = accord_tree_diff(a, b, &differ, &swapped, &d, error);
    if (status)
        return status;
    if (differ)
        return find_triple(swapped ? b : a, swapped ? a : b, &d, out, error);
    *out = (accordi_triple){UINT32_MAX, UINT32_MAX, UINT32_MAX};
    return ACCORD_OK;
}

/* Adds along a tree: binary nodes round to nearest, fused ones first drop what is below the last
 * bit of the largest term. */
static enum accord_status add_along(const accord_tree *tree, enum accord_format format,
                                    const double *x, double *sum, accord_error *error)
{
    uint32_t n = tree->leaves;
    double *value = accordi_alloc(2 * (size_t)n, sizeof *value);
    if (!value)
        return accordi_nomem(error);
    memcpy(value, x, n * sizeof *value);
    for (uint32_t k = 0; k < tree->inner; k++) {
        const uint32_t *child = tree->child + tree->first[k];
        uint32_t count = tree->first[k + 1] - tree->first[k];
        double largest = 0, total = 0;
        for (uint32_t c = 0; c < count; c++)
            largest = fmax(largest, fabs(value[child[c]]));
        double floor = ldexp(largest, -accord_format_get(format)->precision);
        for (uint32_t c = 0; c < count; c++)
            if (count == 2 || fabs(value[child[c]]) > floor)
                total = accord_format_add(format, ACCORD_NEAREST_EVEN, total, value[child[c]]);
        value[n + k] = total;
    }
    *sum = value[n + tree->inner - 1];
    free(value);
    return ACCORD_OK;
}

enum accord_status accord_witness(const accord_tree *a, const accord_tree *b,
                                  enum accord_format format, double *x, double *sum_a,
                                  double *sum_b, accord_error *error)
{
    const accord_format_info *info = accord_format_get(format);
    accordi_triple t;
    if (!a || !b || !accord_format_adds(format) || a->leaves != b->leaves)
        return accordi_fail(error, ACCORD_ARG,
                            "a witness needs two orders with the same number of terms");
    enum accord_status status = accordi_witness_triple(a, b, &t, error);
    if (status)
        return status;
    if (t.i == UINT32_MAX)
        return accordi_unable(error, ACCORD_REASON_NONE, "the two orders are the same");
    if (t.j == UINT32_MAX || t.k == UINT32_MAX)
        return accordi_unable(error, ACCORD_REASON_NONE, "no witness was found");
    int mask = info->max_exponent - 1;
    int unit = mask - info->precision - 2;
    double *input = accordi_calloc(a->leaves, sizeof *input);
    if (!input)
        return accordi_nomem(error);
    input[t.i] = ldexp(1, mask > 60 ? 60 : mask);
    input[t.j] = -input[t.i];
    input[t.k] = mask > 60 ? 1 : ldexp(1, unit);
    double first = 0, second = 0;
    if (!(status = add_along(a, format, input, &first, error)) &&
        !(status = add_along(b, format, input, &second, error)) && first == second)
        status = accordi_unable(error, ACCORD_REASON_NONE, "no witness was found");
    if (!status) {
        memcpy(x, input, a->leaves * sizeof *input);
        *sum_a = first;
        *sum_b = second;
    }
    free(input);
    return status;
}
