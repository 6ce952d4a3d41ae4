/* One implementation, step by step. */
#include "explain/judge.h"
#include "explain/statistics.h"
#include <math.h>

enum { INPUTS = 1000, LEAST = 64, NUMBERS = 1 << 26, MOST = 10000000, CHUNK = 1 << 20 };
enum { ELEMENTS = 2048 }; /* of a matrix that is given, at least */

/* ---- what is asked ---- */

static enum accord_status read_kinds(accordi_judging *in, accord_error *error)
{
    const char *text = in->options->kinds ? in->options->kinds : "normal,positive";
    const accord_explain_inputs *given = in->options->given;
    if (given && !given->columns) {
        in->kind[in->kinds++] = ACCORDI_GIVEN;
        return ACCORD_OK;
    }
    if (given)
        text = "";
    while (*text) {
        size_t length = strcspn(text, ",");
        int kind = accordi_kind_by_name(text, length);
        if (kind < 0)
            return accordi_fail(error, ACCORD_ARG,
                                "there is no kind of inputs %.*s; doc/json.md lists them, for "
                                "example normal, positive, log-normal, wide, cancelling",
                                (int)(length < 60 ? length : 60), text);
        if (in->kinds == ACCORDI_KINDS)
            return accordi_fail(error, ACCORD_ARG, "give at most %d kinds of inputs",
                                ACCORDI_KINDS);
        in->kind[in->kinds++] = kind;
        text += length + (text[length] == ',');
    }
    if (in->kinds == 0 && !given)
        return accordi_fail(error, ACCORD_ARG, "give at least one kind of inputs");
    if (!given && !accordi_has_elements(&in->sums))
        return ACCORD_OK;
    in->kind[in->kinds++] = ACCORDI_ELEMENTS; /* the last, since shapes may differ */
    return accordi_elements_new(&in->sums, in->options, in->rows, &in->elements, error);
}

static size_t rows_for(const accordi_judging *in)
{
    size_t fit = NUMBERS / in->sums.n;
    const accord_explain_inputs *given = in->options->given;
    if (given && given->columns) {
        fit = fit < ELEMENTS ? ELEMENTS : fit;
        return given->rows * given->columns < fit ? given->rows * given->columns : fit;
    }
    if (given)
        return given->rows;
    if (in->options->inputs)
        return (size_t)in->options->inputs;
    return fit > INPUTS ? INPUTS : fit < LEAST ? LEAST : fit;
}

static size_t chunk_for(const accordi_judging *in)
{
    size_t fit = CHUNK / in->sums.n;
    fit = fit < 1 ? 1 : fit > 256 ? 256 : fit;
    return fit < in->rows ? fit : in->rows;
}

static bool goes_on(accordi_judging *in, size_t rows)
{
    in->done += rows;
    return !in->options->progress || in->options->progress(in->options->progress_context,
                                                           "inputs compared", in->done, in->total);
}

/* ---- one chunk ---- */

typedef struct work {
    accordi_chunk chunk, sorted[ACCORDI_SORTINGS]; /* sorted[0] is not used */
    accordi_input *input;
    double **result; /* [implementation][row] */
    double *again, *model;
    size_t implementations;
} work;

static void work_free(work *w)
{
    accordi_chunk_free(&w->chunk);
    for (size_t i = 1; i < ACCORDI_SORTINGS; i++)
        accordi_chunk_free(&w->sorted[i]);
    for (size_t i = 0; w->result && i < w->implementations; i++)
        free(w->result[i]);
    free(w->result);
    free(w->input);
    free(w->again);
    free(w->model);
}

static enum accord_status work_new(const accordi_judging *in, work *out, accord_error *error)
{
    size_t rows = chunk_for(in);
    *out = (work){.implementations = 1 + in->references.count};
    enum accord_status status = accordi_chunk_new(&in->sums, rows, &out->chunk, error);
    for (size_t i = 1; i < ACCORDI_SORTINGS && !status && !in->accumulator.machine; i++)
        status = accordi_chunk_new(&in->sums, rows, &out->sorted[i], error);
    out->input = accordi_calloc(rows, sizeof *out->input);
    out->again = accordi_alloc(rows, sizeof *out->again);
    out->model = accordi_alloc(rows, sizeof *out->model);
    out->result = accordi_calloc(out->implementations, sizeof *out->result);
    bool got = out->input && out->again && out->model && out->result;
    for (size_t i = 0; got && i < out->implementations; i++)
        got = (out->result[i] = accordi_alloc(rows, sizeof **out->result)) != NULL;
    if (!status && !got)
        status = accordi_nomem(error);
    if (status)
        work_free(out);
    return status;
}

/* Fills the chunk, and asks for each input twice. */
static enum accord_status ask(const accordi_judging *in, work *w, int kind, size_t first,
                              accord_error *error)
{
    if (kind == ACCORDI_ELEMENTS)
        return accordi_elements_chunk(in->elements, first, &w->chunk, w->result[0], w->again,
                                      error);
    if (kind == ACCORDI_GIVEN)
        accordi_given_chunk(&in->sums, in->options->given, first, &w->chunk);
    else
        accordi_draw_chunk(&in->sums, in->options->seed, kind, in->rows, first, &w->chunk);
    if (in->results) {
        memcpy(w->result[0], in->results->result + first, w->chunk.rows * sizeof *w->again);
        memcpy(w->again, w->result[0], w->chunk.rows * sizeof *w->again);
        return ACCORD_OK;
    }
    enum accord_status status = accordi_ask_chunk(&in->sums, &w->chunk, w->result[0], error);
    return status ? status : accordi_ask_chunk(&in->sums, &w->chunk, w->again, error);
}

/* The bits of the revealed model on the inputs compared. */
static enum accord_status replay(accordi_judging *in, work *w, accord_explain_side *side,
                                 accord_error *error)
{
    if (!side->replays)
        return ACCORD_OK;
    const accord_model model = {side->record->tree, side->record->arithmetic};
    enum accord_status status = accordi_replay_chunk(&in->sums, &model, &w->chunk, w->model, error);
    for (size_t row = 0; row < w->chunk.rows && !status; row++)
        side->replays = side->replays && accordi_same_bits(w->model[row], w->result[0][row]);
    return status;
}

static enum accord_status look_for_fault(accordi_judging *in, work *w, int kind,
                                         accord_explain_side *side, size_t first,
                                         accord_error *error)
{
    size_t worst = SIZE_MAX;
    for (size_t row = 0; row < w->chunk.rows; row++) {
        const accordi_input *input = &w->input[row];
        if (!isfinite(input->envelope))
            continue;
        double ratio = fabs(accordi_error_of(input, w->result[0][row])) / input->envelope;
        side->bounded++;
        if (!(ratio <= side->worst)) {
            side->worst = isnan(ratio) ? INFINITY : ratio;
            side->worst_input = (int64_t)(first + row);
            side->worst_kind = accordi_kind_name(kind);
            worst = row;
        }
    }
    /* The first one outside is made small; a target that varies may then be inside again. */
    if (worst == SIZE_MAX || side->worst <= 1 || (side->x && !in->results))
        return ACCORD_OK;
    if (kind == ACCORDI_ELEMENTS) {
        side->fault_row = (int64_t)accordi_element_line(in->elements, first + worst, ACCORDI_ROWS);
        side->fault_column =
            (int64_t)accordi_element_line(in->elements, first + worst, ACCORDI_COLUMNS);
    }
    bool may_ask = !in->results && kind != ACCORDI_ELEMENTS;
    return accordi_fault_shrink(&in->sums, &in->accumulator, &w->chunk, worst, w->result[0][worst],
                                may_ask, side, error);
}

static enum accord_status run_references(accordi_judging *in, work *w, accord_error *error)
{
    enum accord_status status = ACCORD_OK;
    for (int i = 1; i < ACCORDI_SORTINGS && !status && !in->accumulator.machine; i++) {
        w->sorted[i].rows = w->chunk.rows;
        status =
            accordi_sort_chunk(&in->sums, (enum accordi_sorting)i, &w->chunk, &w->sorted[i], error);
    }
    for (size_t i = 1; i < w->implementations && !status; i++) {
        const accordi_reference *reference = &in->references.list[i - 1];
        const accord_model model = {reference->tree, reference->arithmetic};
        const accordi_chunk *chunk =
            reference->sorting ? &w->sorted[reference->sorting] : &w->chunk;
        status = accordi_replay_chunk(&in->sums, &model, chunk, w->result[i], error);
    }
    return status;
}

/* The same inputs with fewer terms, which take the place of those in the chunk. */
static enum accord_status run_thinned(accordi_judging *in, work *w, size_t which, size_t first,
                                      accord_error *error)
{
    accordi_errors *errors = &in->errors[which];
    if (first >= errors->thinned)
        return ACCORD_OK;
    if (errors->thinned - first < w->chunk.rows)
        w->chunk.rows = errors->thinned - first;
    accordi_thin_terms(&in->sums, in->options->seed + first, &w->chunk);
    enum accord_status status = accordi_ask_chunk(&in->sums, &w->chunk, w->result[0], error);
    if (!status)
        status = run_references(in, w, error);
    for (size_t row = 0; row < w->chunk.rows && !status; row++)
        accordi_measure(&in->sums, &in->accumulator, &w->chunk, row, &w->input[row]);
    if (!status)
        accordi_thin_add(errors, first, &w->chunk, w->input, w->result);
    return status;
}

static enum accord_status run_chunk(accordi_judging *in, work *w, size_t which, size_t first,
                                    accord_explain_side *side, accord_error *error)
{
    accordi_errors *errors = &in->errors[which];
    int kind = in->kind[which];
    enum accord_status status = ask(in, w, kind, first, error);
    if (!status)
        status = run_references(in, w, error);
    /* Other elements may have another order. */
    if (!status && (kind != ACCORDI_ELEMENTS || in->options->given))
        status = replay(in, w, side, error);
    for (size_t row = 0; row < w->chunk.rows && !status; row++) {
        accordi_measure(&in->sums, &in->accumulator, &w->chunk, row, &w->input[row]);
        side->varied += !accordi_same_bits(w->result[0][row], w->again[row]);
        in->result[which * in->rows + first + row] = w->result[0][row];
    }
    if (!status)
        accordi_errors_add(errors, &w->chunk, w->input, w->result);
    if (!status)
        status = look_for_fault(in, w, kind, side, first, error);
    size_t asked = w->chunk.rows;
    side->inputs += (int64_t)asked;
    if (!status)
        status = run_thinned(in, w, which, first, error);
    if (!status && !goes_on(in, asked))
        status = accordi_fail(error, ACCORD_TARGET, "interrupted");
    return status;
}

static enum accord_status run_all(accordi_judging *in, accord_explain_side *side,
                                  accord_error *error)
{
    work w;
    enum accord_status status = work_new(in, &w, error);
    if (status)
        return status;
    size_t most = w.chunk.rows;
    for (size_t which = 0; which < in->kinds && !status; which++)
        for (size_t first = 0; first < in->rows && !status; first += most) {
            w.chunk.rows = in->rows - first < most ? in->rows - first : most;
            status = run_chunk(in, &w, which, first, side, error);
        }
    work_free(&w);
    return status;
}

/* ---- all steps ---- */

static enum accord_status prepare(accordi_judging *in, accord_explain_side *side,
                                  accord_error *error)
{
    enum accord_status status = accordi_given_check(&in->sums, in->options->given, error);
    in->results = accordi_results_of(in->sums.target);
    if (!status && in->options->inputs > MOST)
        status = accordi_fail(error, ACCORD_ARG, "give at most %d inputs of each kind", MOST);
    in->rows = status ? 0 : rows_for(in);
    if (!status)
        status = read_kinds(in, error);
    if (!status)
        status = in->results ? accordi_explain_unrevealed(&in->sums, side, error)
                             : accordi_explain_reveal(&in->sums, in->options, side, error);
    if (!status)
        status = accordi_accumulator_choose(in->options->accumulator, &in->sums, side->record,
                                            &in->accumulator, error);
    if (!status)
        status = accordi_references_make(&in->sums, &in->accumulator, in->options->seed,
                                         &in->references, error);
    if (status)
        return status;
    snprintf(side->accumulator, sizeof side->accumulator, "%s", in->accumulator.name);
    double rounding = accordi_accumulator_error(&in->accumulator, in->sums.n, in->sums.alpha != 1) +
                      ldexp(1, -accord_format_get(in->sums.output)->precision);
    in->total = in->rows * in->kinds;
    in->errors = accordi_calloc(in->kinds, sizeof *in->errors);
    in->result = accordi_alloc(in->kinds * in->rows, sizeof *in->result);
    if (!in->errors || !in->result)
        return accordi_nomem(error);
    for (size_t k = 0; k < in->kinds && !status; k++) {
        status = accordi_errors_new(&in->sums, in->kind[k], in->options->given != NULL, in->rows,
                                    accordi_thin_rows(&in->sums, in->kind[k], in->rows),
                                    1 + in->references.count, &in->errors[k], error);
        in->errors[k].rounding = rounding;
    }
    return status;
}

static enum accord_status test_all(accordi_judging *in, accord_explain_side *side,
                                   accord_error *error)
{
    size_t tests = 0;
    for (size_t k = 0; k < in->kinds; k++)
        tests += accordi_errors_tests(&in->errors[k]) + (in->errors[k].thinned > 0);
    bool bands = in->elements && !in->options->given;
    if (bands)
        tests += accordi_bands_tests(in->elements, in->rows);
    side->level = 1e-6 / (2 * (double)tests); /* two sides */
    enum accord_status status = ACCORD_OK;
    for (size_t k = 0; k < in->kinds && !status; k++) {
        status = accordi_errors_test(&in->errors[k], side->level, side, error);
        if (!status && in->errors[k].thinned)
            status = accordi_thin_test(&in->errors[k], side->level, side, error);
    }
    if (!status && bands)
        status = accordi_bands_test(in->elements, &in->errors[in->kinds - 1], side->level, side,
                                    in->band, sizeof in->band, error);
    return status;
}

enum accord_status accordi_judge_target(accord_target *target,
                                        const accord_explain_options *options,
                                        accord_explain_side *side, double **result, size_t *results,
                                        accord_error *error)
{
    accordi_judging in = {.options = options};
    side->worst_input = -1;
    side->fault_row = side->fault_column = -1;
    side->target = accordi_strdup(target->notation);
    enum accord_status status =
        side->target ? accordi_sums_of(target, &in.sums, error) : accordi_nomem(error);
    side->output = target->output;
    if (!status)
        status = prepare(&in, side, error);
    if (!status) {
        side->replays = side->record->tree && side->record->arithmetic;
        status = run_all(&in, side, error);
    }
    if (!status)
        status = test_all(&in, side, error);
    if (!status && in.elements)
        status = accordi_elements_check(in.elements, &in.accumulator, side, in.where,
                                        sizeof in.where, &in.place, error);
    if (!status)
        status = accordi_explain_verdict(&in, side, error);
    if (!status) {
        *result = in.result;
        *results = (in.kinds - (in.elements && !options->given)) * in.rows;
        in.result = NULL;
    }
    for (size_t k = 0; in.errors && k < in.kinds; k++)
        accordi_errors_clear(&in.errors[k]);
    free(in.errors);
    free(in.result);
    accordi_references_clear(&in.references);
    accordi_elements_free(in.elements);
    return status;
}

void accordi_side_clear(accord_explain_side *side)
{
    free(side->target);
    accord_record_free(side->record);
    free(side->x);
    free(side->y);
    free(side->test);
}
