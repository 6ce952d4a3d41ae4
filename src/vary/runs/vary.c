/* One question, asked again and again, under one setting or several.
 *
 * All results of the first run are kept, but only a digest of the others, so that results may be
 * large matrices and runs many. The figures of elements are found as the runs go by: the lowest and
 * the highest value of each, and every value of the one that is followed. */
#include "vary/runs/runs.h"
#include <math.h>

enum { RUNS = 1000, RUNS_AT_PLACES = 4, MOST_RUNS = 100000000 };

enum accord_status accord_variation_new(const accord_vary_options *options, accord_variation **out,
                                        accord_error *error)
{
    accord_vary_options full;
    enum accord_status status =
        ACCORDI_TAKE(accord_vary_options, progress_context, &full, options, error);
    if (status)
        return status;
    if (full.load > ACCORDI_LOAD)
        return accordi_fail(error, ACCORD_ARG, "at most %d threads of load", (int)ACCORDI_LOAD);
    if (full.runs > MOST_RUNS)
        return accordi_fail(error, ACCORD_ARG, "at most %d runs", (int)MOST_RUNS);
    accordi_variation *v = accordi_calloc(1, sizeof *v);
    if (!v)
        return accordi_nomem(error);
    v->options = full;
    *out = &v->shown;
    return ACCORD_OK;
}

/* ---- the question ---- */

static enum accord_status adopt_question(accordi_variation *v, const accord_target *target,
                                         const accordi_vary_input *in, bool places,
                                         accord_error *error)
{
    size_t elements = accordi_vary_input_results(in, places);
    if (v->options.element >= elements)
        return accordi_fail(error, ACCORD_ARG,
                            "there is no result %zu to follow; a run has %zu, counted from 0",
                            v->options.element, elements);
    v->reference = accordi_alloc(elements, sizeof *v->reference);
    v->low = accordi_alloc(elements, sizeof *v->low);
    v->high = accordi_alloc(elements, sizeof *v->high);
    v->varies = accordi_calloc(elements, sizeof *v->varies);
    v->shown.target = accordi_strdup(target->notation);
    if (!v->reference || !v->low || !v->high || !v->varies || !v->shown.target)
        return accordi_nomem(error);
    v->places = places;
    v->term = target->term;
    v->alpha = target->alpha;
    v->beta = target->beta;
    v->shown.n = target->n;
    v->shown.inputs = in->rows;
    v->shown.elements = elements;
    v->shown.element = v->options.element;
    v->shown.format = target->format;
    v->shown.output = target->output;
    return ACCORD_OK;
}

static enum accord_status check_question(const accordi_variation *v, const accord_target *target,
                                         const accordi_vary_input *in, bool places,
                                         accord_error *error)
{
    const accord_variation *s = &v->shown;
    if (target->n == s->n && target->format == s->format && target->output == s->output &&
        target->term == v->term && target->alpha == v->alpha && target->beta == v->beta &&
        accordi_vary_input_results(in, places) == s->elements && places == v->places)
        return ACCORD_OK;
    return accordi_fail(error, ACCORD_ARG,
                        "%s asks another question than %s: the number of terms or of results, a "
                        "format, alpha or beta differs",
                        target->notation, s->target);
}

/* ---- what a run gave ---- */

static void widen(accordi_variation *v, const double *result)
{
    for (size_t i = 0; i < v->shown.elements; i++) {
        v->varies[i] |= !accordi_same_bits(result[i], v->reference[i]);
        if (!isfinite(result[i]))
            continue;
        v->low[i] = result[i] < v->low[i] || !isfinite(v->low[i]) ? result[i] : v->low[i];
        v->high[i] = result[i] > v->high[i] || !isfinite(v->high[i]) ? result[i] : v->high[i];
    }
}

static bool add_run(accordi_variation *v, accord_vary_setting *s, size_t setting, size_t run,
                    const double *result)
{
    accord_variation *shown = &v->shown;
    size_t bytes = shown->elements * sizeof *result;
    if (!v->outcomes.count) {
        memcpy(v->reference, result, bytes);
        memcpy(v->low, result, bytes);
        memcpy(v->high, result, bytes);
    }
    bool is_new;
    size_t number = accordi_outcomes_number(&v->outcomes, result, shown->elements, &is_new);
    if (number == SIZE_MAX)
        return false;
    accord_vary_outcome *outcome = &v->outcomes.list[number];
    if (is_new) {
        outcome->setting = setting;
        outcome->first = run;
        outcome->value = result[shown->element];
        outcome->vermv = accord_vary_vermv(result, v->reference, shown->elements, NULL);
        outcome->vc = accord_vary_vc(result, v->reference, shown->elements);
        widen(v, result);
    }
    outcome->count++;
    s->outcome[run] = (uint32_t)number;
    s->result[run] = result[shown->element];
    return true;
}

static enum accord_status finish_setting(const accordi_variation *v, accord_vary_setting *s,
                                         size_t each, accord_error *error)
{
    bool *seen = accordi_calloc(v->outcomes.count, sizeof *seen);
    if (!seen)
        return accordi_nomem(error);
    for (size_t run = 0; run < s->runs; run++) {
        s->varies |= s->outcome[run] != s->outcome[run / each * each];
        s->distinct += !seen[s->outcome[run]];
        seen[s->outcome[run]] = true;
    }
    free(seen);
    return ACCORD_OK;
}

static void finish_elements(accordi_variation *v)
{
    accord_variation *s = &v->shown;
    s->varying = 0;
    s->spread = -1;
    for (size_t i = 0; i < s->elements; i++) {
        double unit = accord_vary_unit(s->output, fmax(fabs(v->low[i]), fabs(v->high[i])));
        double spread = v->high[i] / unit - v->low[i] / unit;
        s->varying += v->varies[i];
        if (spread > s->spread) {
            s->spread = spread;
            s->widest = i;
        }
    }
    s->spread = s->spread < 0 ? NAN : s->spread;
}

/* ---- what to expect ---- */

static enum accord_status expect(accordi_variation *v, const accord_target *target,
                                 const accordi_vary_input *in, bool places, accord_error *error)
{
    accord_variation *s = &v->shown;
    enum accord_format inside = s->output;
    const accord_format_info *f32 = accord_format_get(ACCORD_F32);
    if (accord_format_get(inside)->precision < f32->precision)
        inside = ACCORD_F32;
    s->expected = (accord_vary_expectation){.exact = NAN,
                                            .rest = NAN,
                                            .magnitude = NAN,
                                            .bound = INFINITY,
                                            .predicted = NAN,
                                            .inside = inside};
    if (v->term == ACCORD_TERM_SQUARE || v->alpha != 1)
        return ACCORD_OK;
    bool has_y;
    double *x = accordi_alloc(s->n, sizeof *x), *y = accordi_alloc(s->n, sizeof *y);
    enum accord_status status = x && y ? ACCORD_OK : accordi_nomem(error);
    if (!status) {
        accordi_vary_operands(target, in, places, s->element, x, y, &has_y);
        status =
            accord_vary_expect(x, has_y ? y : NULL, s->n, inside, s->output, &s->expected, error);
    }
    free(x);
    free(y);
    return status;
}

/* ---- one setting ---- */

static void free_setting(accord_vary_setting *s)
{
    if (!s)
        return;
    accord_vary_summary_free(s->summary);
    free(s->name);
    free(s->outcome);
    free(s->result);
    free(s);
}

static accord_vary_setting *new_setting(const char *name, size_t places, size_t each)
{
    accord_vary_setting *s = accordi_calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->places = places;
    s->runs = places * each;
    s->name = accordi_strdup(name);
    s->outcome = accordi_alloc(s->runs, sizeof *s->outcome);
    s->result = accordi_alloc(s->runs, sizeof *s->result);
    if (s->name && s->outcome && s->result)
        return s;
    free_setting(s);
    return NULL;
}

static enum accord_status run_all(accordi_variation *v, accord_target *target,
                                  accordi_vary_input *in, accord_vary_setting *s, size_t each,
                                  double *scratch, double *result, accord_error *error)
{
    const accord_vary_options *options = &v->options;
    for (size_t run = 0; run < s->runs; run++) {
        enum accord_status status =
            accordi_vary_run(target, in, v->places, run / each, scratch, result, error);
        if (!status && !add_run(v, s, v->shown.settings, run, result))
            status = accordi_nomem(error);
        if (!status && options->progress &&
            !options->progress(options->progress_context, "runs", run + 1, s->runs))
            status = accordi_fail(error, ACCORD_TARGET, "interrupted");
        if (status)
            return status;
    }
    return ACCORD_OK;
}

static enum accord_status ask_setting(accordi_variation *v, accord_target *target,
                                      accordi_vary_input *in, accord_vary_setting *s, size_t each,
                                      accord_error *error)
{
    double *result = accordi_alloc(v->shown.elements, sizeof *result);
    double *scratch = accordi_alloc(target->rows * target->columns, sizeof *scratch);
    accordi_load *load = NULL;
    enum accord_status status = result && scratch ? ACCORD_OK : accordi_nomem(error);
    if (!status)
        status = accordi_load_start((size_t)v->options.load, &load, error);
    if (!status)
        status = run_all(v, target, in, s, each, scratch, result, error);
    accordi_load_stop(load);
    if (!status)
        status = finish_setting(v, s, each, error);
    if (!status)
        status = accord_vary_summarize(s->result, s->runs, v->shown.output, &s->summary, error);
    if (!status && s->distinct == 1 && !v->options.no_proof)
        status = accordi_vary_prove(v, target, in, v->places, s, result, error);
    free(result);
    free(scratch);
    return status;
}

static enum accord_status append(accord_variation *v, accord_vary_setting *s, accord_error *error)
{
    accord_vary_setting **more =
        realloc(v->setting, (v->settings + 1) * sizeof *more); /* there are few */
    if (!more)
        return accordi_nomem(error);
    v->setting = more;
    v->setting[v->settings++] = s;
    v->runs += s->runs;
    return ACCORD_OK;
}

enum accord_status accord_variation_ask(accord_variation *variation, accord_target *target,
                                        const char *setting, bool places, accord_error *error)
{
    accordi_variation *v = (accordi_variation *)variation;
    accordi_vary_input in = {0};
    accord_vary_setting *s = NULL;
    size_t each = v->options.runs ? v->options.runs : places ? RUNS_AT_PLACES : RUNS;
    size_t all = places ? target->rows : 1;
    bool first = variation->target == NULL;
    enum accord_status status = accordi_vary_input_make(&v->options, target, places, &in, error);
    if (!status)
        status = first ? adopt_question(v, target, &in, places, error)
                       : check_question(v, target, &in, places, error);
    if (!status && first)
        status = expect(v, target, &in, places, error);
    if (!status && (each > MOST_RUNS / all))
        status = accordi_fail(error, ACCORD_ARG, "at most %d runs", (int)MOST_RUNS);
    if (!status && !(s = new_setting(setting, all, each)))
        status = accordi_nomem(error);
    if (!status)
        status = ask_setting(v, target, &in, s, each, error);
    if (!status)
        status = append(variation, s, error);
    accordi_vary_input_clear(&in);
    variation->outcome = v->outcomes.list;
    variation->outcomes = v->outcomes.count;
    if (status) {
        free_setting(s);
        return status;
    }
    finish_elements(v);
    return ACCORD_OK;
}

void accord_variation_report(accord_variation *variation, accord_progress *progress, void *context)
{
    accordi_variation *v = (accordi_variation *)variation;
    v->options.progress = progress;
    v->options.progress_context = context;
}

enum accord_status accord_vary(accord_target *target, const accord_vary_options *options,
                               accord_variation **out, accord_error *error)
{
    accord_variation *made;
    enum accord_status status = accord_variation_new(options, &made, error);
    if (status)
        return status;
    status = accord_variation_ask(made, target, "", false, error);
    if (status)
        accord_variation_free(made);
    else
        *out = made;
    return status;
}

void accord_variation_free(accord_variation *variation)
{
    accordi_variation *v = (accordi_variation *)variation;
    if (!v)
        return;
    for (size_t i = 0; i < variation->settings; i++)
        free_setting(variation->setting[i]);
    free(variation->setting);
    free(variation->target);
    accordi_outcomes_clear(&v->outcomes);
    free(v->reference);
    free(v->low);
    free(v->high);
    free(v->varies);
    free(v);
}
