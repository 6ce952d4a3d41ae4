/* Pairs of tolerances from a bound, or a quantile, of the error of the sum.
 *
 * Let s' be the sum as a right implementation has it before it is rounded to the result, and d what
 * it is compared with: the exact sum in f64, or the sum s'' of another one. If
 *     |s' - d| <= w + q |d|
 * and if rounding x to the result changes it by at most u |x| + e (half the least number), then
 *     against the exact sum:  |a - d| <= ((1 + u) w + e) + ((1 + u) q + u) |d|
 *     against b, which is s'' rounded:  |s''| <= (1 + u) |b| + e, so with c = (1 + u) q + u
 *                             |a - b| <= ((1 + u) w + (2 + c) e) + ((1 + u) c + u) |b|.
 * The envelope (accumulator.c) gives w and q: the sum is off by at most g * sum |terms| + w0.
 *   Where terms may cancel, w is g times the greatest sum of magnitudes, and q is 0; two sums are
 *   twice as far apart.
 *   Where sum |terms| <= c |s|, q is g c, and w is w0 alone. Of two sums, with h = g c,
 *   |s' - s''| <= 2 h |s| + 2 w0 and |s| <= (|s''| + w0) / (1 - h).
 *
 * A comparison rounds, too: |a - b|, both tolerances, their product and their sum, each by a
 * relative amount of at most u or by an absolute one. */
#include "explain/tolerance.h"
#include "model/words.h"
#include <math.h>

/* A sum of magnitudes of at most this many times the sum counts as one without cancellation. */
enum { MILD = 4, SAMPLES = 16384, NUMBERS = 1 << 24, LEAST = 256, MOST = 100000000 };

/* |s' - d| <= w + q |d| */
typedef struct deviation {
    double w, q;
} deviation;

/* What is known of the inputs. */
typedef struct limits {
    double mass;      /* the greatest sum of magnitudes */
    double condition; /* the greatest sum of magnitudes over the magnitude of its sum */
} limits;

typedef struct finding {
    const accord_tolerance_options *options;
    accordi_sums sums;
    accordi_accumulator accumulator;
    limits limits;
    double g, w0;       /* of the envelope */
    double unit, least; /* u and e of the result */
    bool relative;      /* no cancellation */
    bool rounds;        /* the result is narrower than the accumulator */
} finding;

static const char *const names[ACCORD_TAIL_COUNT] = {
    [ACCORD_TAIL_SAMPLES] = "samples",     [ACCORD_TAIL_EXPONENTIAL] = "exponential",
    [ACCORD_TAIL_STRETCHED] = "stretched", [ACCORD_TAIL_POWER] = "power",
    [ACCORD_TAIL_PROVEN] = "proven",
};

const char *accord_tail_name(enum accord_tail tail)
{
    return (unsigned)tail < ACCORD_TAIL_COUNT ? names[tail] : "proven";
}

/* ---- options ---- */

static enum accord_status fill(accord_tolerance_options *o, const accordi_sums *sums,
                               accord_error *error)
{
    size_t fit = NUMBERS / sums->n, results = sums->target->rows * sums->target->columns;
    o->a_max = o->a_max == 0 ? 1 : o->a_max;
    o->b_max = o->b_max == 0 ? 1 : o->b_max;
    o->c_max = o->c_max == 0 ? 1 : o->c_max;
    o->level = o->level == 0 ? 1e-6 : o->level;
    if (!(o->a_max > 0 && o->b_max > 0 && o->c_max > 0) || !isfinite(o->a_max) ||
        !isfinite(o->b_max) || !isfinite(o->c_max))
        return accordi_fail(error, ACCORD_ARG,
                            "the greatest magnitudes of inputs have to be positive and finite");
    if (!(o->level > 0 && o->level < 1))
        return accordi_fail(error, ACCORD_ARG,
                            "a level of %g is not a fraction of arrays; give one between 0 and 1",
                            o->level);
    if (o->samples && (o->samples < LEAST || o->samples > MOST))
        return accordi_fail(error, ACCORD_ARG, "give %d to %d samples", LEAST, MOST);
    if (o->rows && o->elements && o->elements != o->rows)
        return accordi_fail(error, ACCORD_ARG,
                            "there are %zu rows of inputs, so the array has as many elements; "
                            "leave the number of elements out",
                            o->rows);
    if (!o->samples)
        o->samples = fit > SAMPLES ? SAMPLES : fit < LEAST ? LEAST : fit;
    if (!o->elements)
        o->elements = o->rows ? o->rows : results > 1 ? results : 1;
    return ACCORD_OK;
}

/* Of the terms or first factors, the second factors, or the start values. */
static enum accord_status no_number(const finding *in, size_t which, size_t row, double x,
                                    accord_error *error)
{
    static const char *const what[] = {"a first factor", "a second factor", "the start value"};
    return accordi_fail(
        error, ACCORD_ARG,
        "input %zu: %s is %g, which is not a finite number of %s; leave this row out", row,
        which == 0 && !in->sums.products ? "a term" : what[which], x,
        accord_format_get(in->sums.input)->name);
}

static enum accord_status check_rows(const finding *in, accord_error *error)
{
    const accord_tolerance_options *o = in->options;
    const double *const each[] = {o->x, in->sums.products ? o->y : NULL,
                                  in->sums.has_start ? o->start : NULL};
    if (!o->x)
        return accordi_fail(error, ACCORD_ARG, "there are rows of inputs, but x is NULL");
    if (o->y && !in->sums.products)
        return accordi_fail(error, ACCORD_ARG,
                            "the terms of %s are not products; leave the second factors out",
                            in->sums.target->notation);
    if (o->start && !in->sums.has_start)
        return accordi_fail(error, ACCORD_ARG, "%s has no start value; leave the start values out",
                            in->sums.target->notation);
    for (size_t f = 0; f < 3; f++)
        for (size_t i = 0; each[f] && i < o->rows * (f == 2 ? 1 : in->sums.factors); i++)
            if (!isfinite(accord_format_round(in->sums.input, ACCORD_NEAREST_EVEN, each[f][i])))
                return no_number(in, f, f == 2 ? i : i / in->sums.factors, each[f][i], error);
    return ACCORD_OK;
}

/* ---- what is known of the inputs ---- */

static enum accord_status limits_of_rows(finding *in, accord_error *error)
{
    accordi_chunk chunk;
    enum accord_status status = accordi_chunk_new(&in->sums, 1, &chunk, error);
    in->limits.condition = 1;
    for (size_t row = 0; row < in->options->rows && !status; row++) {
        accordi_input input;
        status = accordi_take_rows(&in->sums, in->options, row, NULL, &chunk, error);
        if (status)
            break;
        accordi_measure(&in->sums, &in->accumulator, &chunk, 0, &input);
        in->limits.mass = fmax(in->limits.mass, input.mass);
        if (input.mass > 0)
            in->limits.condition = fmax(in->limits.condition, input.mass / fabs(input.high));
    }
    in->limits.condition *= 1 + 0x1p-40;
    accordi_chunk_free(&chunk);
    return status;
}

static void limits_of_box(finding *in)
{
    const accord_tolerance_options *o = in->options;
    const accordi_sums *sums = &in->sums;
    double start = sums->has_start ? fabs(sums->beta) * o->c_max : 0;
    bool one_sign = o->nonnegative && (!sums->has_start || sums->alpha * sums->beta > 0);
    in->limits.mass =
        (double)sums->factors * fabs(sums->alpha) * o->a_max * (sums->products ? o->b_max : 1);
    in->limits.mass = (in->limits.mass + start) * (1 + 0x1p-40);
    bool magnitudes = sums->target->term == ACCORD_TERM_ABSOLUTE && !sums->has_start;
    in->limits.condition = one_sign || magnitudes ? 1 : INFINITY;
}

static enum accord_status find_limits(finding *in, accord_error *error)
{
    const accordi_sums *sums = &in->sums;
    const accord_format_info *result = accord_format_get(sums->output);
    const accord_format_info *inside = accord_format_get(in->accumulator.format);
    bool scaled = sums->alpha != 1;
    enum accord_status status = ACCORD_OK;
    if (in->options->rows)
        status = check_rows(in, error);
    if (!status && in->options->rows)
        status = limits_of_rows(in, error);
    if (!in->options->rows)
        limits_of_box(in);
    if (status)
        return status;
    in->g = accordi_accumulator_error(&in->accumulator, sums->n, scaled);
    in->w0 = (double)(sums->n + 1) * accordi_accumulator_least(&in->accumulator) *
             fmax(1, fmax(fabs(sums->alpha), fabs(sums->beta)));
    in->unit = ldexp(1, -result->precision);
    in->least = result->least / 2;
    in->rounds = !accordi_contains(sums->output, in->accumulator.format);
    in->relative = in->limits.condition <= MILD && in->g * in->limits.condition < .5;
    if (!isfinite(in->g))
        return accordi_fail(error, ACCORD_UNABLE,
                            "%zu terms are too many for %s: an order may lose all digits, so no "
                            "tolerance is right; name a wider --accumulator",
                            sums->n, in->accumulator.name);
    double most = in->limits.mass * (1 + in->g) + in->w0;
    if (!(most <= inside->greatest) || !(most <= result->greatest))
        return accordi_fail(error, ACCORD_UNABLE,
                            "sums of these inputs may be as large as %.3g and overflow %s; give "
                            "smaller inputs",
                            most, most <= result->greatest ? inside->name : result->name);
    return ACCORD_OK;
}

/* ---- pairs ---- */

static deviation proven_deviation(const finding *in, bool both)
{
    double h = in->g * in->limits.condition, f64 = 0x1p-53;
    if (!in->relative) {
        double w = in->g * in->limits.mass + in->w0;
        return both ? (deviation){2 * w, 0} : (deviation){w, f64};
    }
    if (!both)
        return (deviation){in->w0, h * (1 + f64) + f64};
    double q = 2 * h / (1 - h);
    return (deviation){q * in->w0 + 2 * in->w0, q};
}

static accord_tolerance_pair pair_of(deviation d, double unit, double least, bool both)
{
    double c = (1 + unit) * d.q + unit;
    if (!both)
        return (accord_tolerance_pair){(1 + unit) * d.w + least, c};
    return (accord_tolerance_pair){(1 + unit) * d.w + (2 + c) * least, (1 + unit) * c + unit};
}

/* The next decimal of three digits that is not below x. */
static double upward(double x)
{
    char text[40];
    double read = 0;
    for (int i = 0; i < 20; i++) {
        snprintf(text, sizeof text, "%.2e", x * (1 + i * 1e-3));
        read = strtod(text, NULL);
        if (read >= x)
            return read;
    }
    return x;
}

/* With the rounding of the comparison. */
static accord_tolerance_pair finished(const finding *in, accord_tolerance_pair pair, bool both)
{
    const accord_format_info *compared = accord_format_get(both ? in->sums.output : ACCORD_F64);
    double u = ldexp(1, -compared->precision), less = 1 - u;
    double factor = (1 + u) / (less * less * less) * (1 + 0x1p-40);
    pair.atol = upward(factor * pair.atol + 2 * compared->least);
    pair.rtol = upward(factor * pair.rtol);
    return pair;
}

/* Where terms may cancel, rtol covers the rounding of the result alone; if that is little beside
 * the error of the sum, atol covers it, too. */
static void fold(const finding *in, accord_tolerance_pair *pair)
{
    double most = in->limits.mass * (1 + in->g) + in->w0;
    double covered = pair->rtol * (most * (1 + in->unit) + in->least);
    if (in->relative || covered > .1 * pair->atol)
        return;
    *pair = (accord_tolerance_pair){pair->atol + covered, 0};
}

static void put_pairs(const finding *in, const double *quantile, accord_tolerance *out)
{
    for (int i = 0; i < ACCORD_AGAINST_COUNT; i++) {
        bool both = i == ACCORD_AGAINST_IMPLEMENTATION;
        deviation d = proven_deviation(in, both);
        accord_tolerance_pair proven = pair_of(d, in->unit, in->least, both);
        fold(in, &proven);
        out->proven[i] = out->statistical[i] = finished(in, proven, both);
        double *which = in->relative ? &d.q : &d.w;
        if (!(quantile[i] < *which)) {
            out->tail[i] = ACCORD_TAIL_PROVEN;
            continue;
        }
        d.q = 0;
        *which = quantile[i];
        /* The results of reference orders in the accumulator's own format are compared as they are.
         */
        accord_tolerance_pair usual =
            pair_of(d, in->rounds ? in->unit : 0, in->rounds ? in->least : 0, both);
        out->statistical[i] = finished(in, usual, both);
    }
}

static void give_reason(const finding *in, accord_tolerance *out)
{
    const char *result = accord_format_get(in->sums.output)->name;
    char cancels[120] = "terms may cancel";
    if (in->options->rows && isfinite(in->limits.condition))
        snprintf(cancels, sizeof cancels,
                 "terms cancel (the sum of their magnitudes is up to %.3g times their sum)",
                 in->limits.condition);
    if (in->relative)
        snprintf(out->reason, sizeof out->reason,
                 "terms %s, so errors are relative to the result, and rtol covers them; atol "
                 "covers underflow alone",
                 in->limits.condition > 1.001 ? "hardly cancel" : "do not cancel");
    else if (out->proven[0].rtol == 0)
        snprintf(out->reason, sizeof out->reason,
                 "%s, so that a result may be near 0 while its error is not: rtol would be "
                 "useless, and atol covers the errors%s",
                 cancels,
                 out->statistical[0].rtol > 0 ? " (in the statistical pairs rtol covers the "
                                                "rounding of the result)"
                                              : "");
    else
        snprintf(out->reason, sizeof out->reason,
                 "%s, so that a result may be near 0 while the error of its sum is not: atol "
                 "covers that, and rtol the rounding of the result to %s alone",
                 cancels, result);
}

/* ---- all of it ---- */

static enum accord_status choose_accumulator(finding *in, accord_record **record,
                                             accord_error *error)
{
    const accord_tolerance_options *o = in->options;
    accord_explain_options options;
    accord_explain_side side = {0};
    enum accord_status status = ACCORD_OK;
    accord_explain_options_init(&options);
    options.seed = o->seed;
    options.budget_calls = o->budget_calls;
    options.budget_seconds = o->budget_seconds;
    options.progress = o->progress;
    options.progress_context = o->progress_context;
    if (!o->question_only && !o->accumulator)
        status = accordi_explain_reveal(&in->sums, &options, &side, error);
    *record = side.record; /* the accumulator may be a machine in it */
    if (!status)
        status =
            accordi_accumulator_choose(o->accumulator, &in->sums, *record, &in->accumulator, error);
    return status;
}

static enum accord_status find(finding *in, accord_tolerance *out, accord_error *error)
{
    accordi_sums wide = in->sums;
    double quantile[ACCORD_AGAINST_COUNT] = {0};
    wide.output = in->accumulator.format;
    const accordi_deviations_wish wish = {&wide, &in->accumulator, in->options, in->relative};
    enum accord_status status = accordi_deviations(&wish, out, quantile, error);
    if (status)
        return status;
    out->n = in->sums.n;
    out->elements = in->options->elements;
    out->level = in->options->level;
    snprintf(out->accumulator, sizeof out->accumulator, "%s", in->accumulator.name);
    put_pairs(in, quantile, out);
    give_reason(in, out);
    return ACCORD_OK;
}

enum accord_status accord_tolerance_find(accord_target *target,
                                         const accord_tolerance_options *options,
                                         accord_tolerance *out, accord_error *error)
{
    accord_tolerance_options full;
    accord_tolerance made = {0};
    accord_record *record = NULL;
    finding in = {.options = &full};
    enum accord_status status =
        ACCORDI_TAKE(accord_tolerance_options, progress_context, &full, options, error);
    if (!status)
        status = accordi_sums_of(target, &in.sums, error);
    if (!status)
        status = fill(&full, &in.sums, error);
    if (!status)
        status = choose_accumulator(&in, &record, error);
    if (!status)
        status = find_limits(&in, error);
    if (!status)
        status = find(&in, &made, error);
    if (!status)
        *out = made;
    accord_record_free(record);
    return status;
}
