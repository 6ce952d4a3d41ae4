/* Inputs that accord did not draw, and results that were computed before: a target that can answer
 * nothing but the comparison on these inputs. */
#include "explain/explain.h"
#include <math.h>

static enum accord_status cannot_ask(accord_target *target, const accord_batch *batch,
                                     double *result, accord_error *error)
{
    (void)batch;
    (void)result;
    return accordi_fail(error, ACCORD_UNSUPPORTED,
                        "%s holds results, which cannot be asked for other inputs; give their "
                        "inputs to accord explain",
                        target->notation);
}

static void close_results(accord_target *target)
{
    accord_explain_results *state = target->state;
    free((void *)(uintptr_t)state->result);
    free(state);
}

static const accord_target_kind results_kind = {.size = sizeof results_kind,
                                                .name = "results",
                                                .notation = "FILE",
                                                .about = "results that were computed before",
                                                .run = cannot_ask,
                                                .close = close_results};

const accord_explain_results *accordi_results_of(const accord_target *target)
{
    return target->kind->run == cannot_ask ? target->state : NULL;
}

enum accord_status accord_target_from_results(const accord_explain_results *results,
                                              accord_target **out, accord_error *error)
{
    accord_explain_results full;
    enum accord_status status =
        ACCORDI_TAKE(accord_explain_results, products, &full, results, error);
    if (status)
        return status;
    if (!full.result || !full.rows || !full.n || !accord_format_adds(full.output))
        return accordi_fail(error, ACCORD_ARG,
                            "results need a number for at least one input of at least one term, "
                            "and the format that they were rounded to");
    accord_explain_results *state = accordi_alloc(1, sizeof *state);
    double *copy = accordi_alloc(full.rows, sizeof *copy);
    status = state && copy
                 ? accord_target_new(&results_kind, state, full.name ? full.name : "results",
                                     full.n, ACCORD_F64, out, error)
                 : accordi_nomem(error);
    if (status) {
        free(state);
        free(copy);
        return status;
    }
    memcpy(copy, full.result, full.rows * sizeof *copy);
    *state = full;
    state->result = copy;
    state->name = NULL; /* the target's notation is a copy */
    (*out)->storage_f32 = false;
    (*out)->output = full.output;
    (*out)->term = full.products ? ACCORD_TERM_PRODUCT : ACCORD_TERM_VALUE;
    (*out)->alpha = full.alpha != 0 ? full.alpha : 1;
    (*out)->beta = full.beta;
    (*out)->has_start = full.beta != 0;
    return ACCORD_OK;
}

enum accord_format accord_results_format(const double *result, size_t rows)
{
    static const enum accord_format narrow[] = {ACCORD_BF16, ACCORD_F16, ACCORD_F32};
    for (size_t f = 0; f < sizeof narrow / sizeof narrow[0]; f++) {
        size_t held = 0;
        while (held < rows &&
               accordi_same_bits(accord_format_round(narrow[f], ACCORD_NEAREST_EVEN, result[held]),
                                 result[held]))
            held++;
        if (held == rows)
            return narrow[f];
    }
    return ACCORD_F64;
}

/* ---- inputs ---- */

/* `width` numbers of each input. */
static enum accord_status check_values(const accordi_sums *sums, const char *what,
                                       const double *values, size_t rows, size_t width,
                                       accord_error *error)
{
    for (size_t i = 0; values && i < rows * width; i++) {
        double x = values[i];
        if (!accordi_same_bits(accord_format_round(sums->input, ACCORD_NEAREST_EVEN, x), x))
            return accordi_fail(error, ACCORD_ARG,
                                "%s %zu of input %zu is %.17g, which is not a number of %s; round "
                                "the inputs first, or give their --format",
                                what, i % width, i / width, x,
                                accord_format_get(sums->input)->name);
    }
    return ACCORD_OK;
}

static enum accord_status check_matrix(const accordi_sums *sums, const accord_explain_inputs *given,
                                       accord_error *error)
{
    const accord_explain_results *results = accordi_results_of(sums->target);
    const accord_target *target = sums->target;
    size_t factors = sums->factors;
    if (!given->start != !sums->has_start)
        return accordi_fail(error, ACCORD_ARG,
                            sums->has_start ? "%s has a beta; give the start values that it "
                                              "multiplies, too"
                                            : "%s takes no start values; give it a beta, or leave "
                                              "them out",
                            target->notation);
    if (results && results->rows != given->rows * given->columns)
        return accordi_fail(error, ACCORD_ARG,
                            "%s holds %zu results, but the matrix has %zu x %zu elements; give one "
                            "for each",
                            target->notation, results->rows, given->rows, given->columns);
    if (!results && (!accordi_has_elements(sums) || target->rows != given->rows ||
                     target->columns != given->columns))
        return accordi_fail(error, ACCORD_ARG,
                            "%s gives %zu x %zu results, but the inputs are those of %zu x %zu; "
                            "give operands of its shape",
                            target->notation, target->rows, target->columns, given->rows,
                            given->columns);
    enum accord_status status = check_values(sums, "term", given->x, given->rows, factors, error);
    if (!status)
        status = check_values(sums, "factor", given->y, given->columns, factors, error);
    if (!status)
        status =
            check_values(sums, "start value", given->start, given->rows, given->columns, error);
    return status;
}

enum accord_status accordi_given_check(const accordi_sums *sums, const accord_explain_inputs *given,
                                       accord_error *error)
{
    const accord_explain_results *results = accordi_results_of(sums->target);
    const char *name = sums->target->notation;
    if (!given)
        return results ? accordi_fail(error, ACCORD_ARG,
                                      "%s holds results; give the inputs that they were computed "
                                      "from, since results alone cannot be judged",
                                      name)
                       : ACCORD_OK;
    if (!given->x || !given->rows)
        return accordi_fail(error, ACCORD_ARG, "the inputs hold no rows; give at least one");
    if (given->n != sums->n)
        return accordi_fail(error, ACCORD_ARG,
                            "the inputs have %zu terms in a row, but %s adds %zu; give rows of "
                            "that many",
                            given->n, name, sums->n);
    if (!given->y != !sums->products)
        return accordi_fail(error, ACCORD_ARG,
                            sums->products ? "%s adds products; give their second factors, too"
                                           : "%s adds no products; give no second factors",
                            name);
    if (given->columns)
        return check_matrix(sums, given, error);
    if (results && results->rows != given->rows)
        return accordi_fail(error, ACCORD_ARG,
                            "%s holds %zu results for %zu rows of inputs; give one for each", name,
                            results->rows, given->rows);
    enum accord_status status = check_values(sums, "term", given->x, given->rows, sums->n, error);
    return status ? status : check_values(sums, "factor", given->y, given->rows, sums->n, error);
}

void accordi_given_chunk(const accordi_sums *sums, const accord_explain_inputs *given, size_t first,
                         accordi_chunk *chunk)
{
    size_t from = first * sums->n;
    for (size_t i = 0; i < chunk->rows * sums->n; i++) {
        accordi_set_number(chunk->x, sums->is_f32, i, given->x[from + i]);
        if (sums->products)
            accordi_set_number(chunk->y, sums->is_f32, i, given->y[from + i]);
    }
}
