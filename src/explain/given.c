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
    if (!full.result || !full.rows || !full.n || !accord_format_get(full.output))
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

static enum accord_status check_values(const accordi_sums *sums, const double *values, size_t rows,
                                       accord_error *error)
{
    for (size_t i = 0; i < rows * sums->n; i++) {
        double x = values[i];
        if (!accordi_same_bits(accord_format_round(sums->input, ACCORD_NEAREST_EVEN, x), x))
            return accordi_fail(error, ACCORD_ARG,
                                "term %zu of input %zu is %.17g, which is no number of %s; round "
                                "the inputs first, or give their --format",
                                i % sums->n, i / sums->n, x, accord_format_get(sums->input)->name);
    }
    return ACCORD_OK;
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
    if (results && results->rows != given->rows)
        return accordi_fail(error, ACCORD_ARG,
                            "%s holds %zu results for %zu rows of inputs; give one for each", name,
                            results->rows, given->rows);
    enum accord_status status = check_values(sums, given->x, given->rows, error);
    return status || !sums->products ? status : check_values(sums, given->y, given->rows, error);
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
