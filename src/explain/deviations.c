/* How far reference orders are from the exact result, and from each other, on simulated inputs.
 *
 * A sample is the largest deviation of all orders, or the distance of the two results that are
 * farthest apart, on one input. Only the largest samples are kept, in a heap, so that more samples
 * cost time but no memory. Differences of two orders are multiples of a unit in the last place; a
 * distribution of few values has no tail that could be continued. So a random part of a unit is
 * added before one is extrapolated, which makes samples larger and continuous. */
#include "explain/tolerance.h"
#include <math.h>

enum { CHUNK = 1 << 20, MOST_ROWS = 256 };

typedef struct simulation {
    const accordi_deviations_wish *wish;
    accordi_references references;
    accordi_chunk chunk, sorted[ACCORDI_SORTINGS]; /* sorted[0] is not used */
    accordi_rng rng;
    accordi_input *input;
    double **result; /* [order][row] */
    accordi_tail tail[ACCORD_AGAINST_COUNT];
    double given[ACCORD_AGAINST_COUNT]; /* the largest with the terms of rows as they are given */
    uint64_t *farthest;                 /* [order]: on how many inputs it errs the most */
    size_t orders;
    uint64_t done, total;
    bool smooth; /* samples get a random part of a unit */
} simulation;

/* ---- memory ---- */

static void simulation_free(simulation *in)
{
    accordi_chunk_free(&in->chunk);
    for (size_t i = 1; i < ACCORDI_SORTINGS; i++)
        accordi_chunk_free(&in->sorted[i]);
    for (size_t i = 0; in->result && i < in->orders; i++)
        free(in->result[i]);
    for (int i = 0; i < ACCORD_AGAINST_COUNT; i++)
        accordi_tail_clear(&in->tail[i]);
    free(in->result);
    free(in->farthest);
    free(in->input);
    accordi_references_clear(&in->references);
}

static enum accord_status simulation_new(simulation *in, uint64_t samples, double p,
                                         accord_error *error)
{
    const accordi_sums *sums = in->wish->sums;
    size_t fit = CHUNK / sums->n, rows = fit < 1 ? 1 : fit > MOST_ROWS ? MOST_ROWS : fit;
    in->orders = in->references.count;
    enum accord_status status = accordi_chunk_new(sums, rows, &in->chunk, error);
    for (size_t i = 1; i < ACCORDI_SORTINGS && !status && !in->wish->accumulator->machine; i++)
        status = accordi_chunk_new(sums, rows, &in->sorted[i], error);
    in->input = accordi_calloc(rows, sizeof *in->input);
    in->result = accordi_calloc(in->orders, sizeof *in->result);
    in->farthest = accordi_calloc(in->orders, sizeof *in->farthest);
    bool got = in->input && in->result && in->farthest;
    for (size_t i = 0; got && i < in->orders; i++)
        got = (in->result[i] = accordi_alloc(rows, sizeof **in->result)) != NULL;
    if (!status && !got)
        status = accordi_nomem(error);
    for (int i = 0; i < ACCORD_AGAINST_COUNT && !status; i++)
        status = accordi_tail_new(accordi_tail_size(samples, p), &in->tail[i], error);
    return status;
}

/* ---- inputs ---- */

static double draw(simulation *in, double most)
{
    const accord_tolerance_options *options = in->wish->options;
    bool normal = options->distribution == ACCORD_TOLERANCE_NORMAL;
    double x;
    do
        x = normal ? accordi_rng_normal(&in->rng) / 6 : 2 * accordi_rng_unit(&in->rng) - 1;
    while (fabs(x) > 1);
    x = accord_format_round(in->wish->sums->input, ACCORD_TOWARD_ZERO, most * x);
    return options->nonnegative ? fabs(x) : x;
}

static void draw_chunk(simulation *in)
{
    const accordi_sums *sums = in->wish->sums;
    const accord_tolerance_options *options = in->wish->options;
    for (size_t row = 0; row < in->chunk.rows; row++)
        for (size_t k = 0; k < sums->n; k++) {
            bool start = k >= sums->factors;
            accordi_set_number(in->chunk.x, sums->is_f32, row * sums->n + k,
                               draw(in, start ? options->c_max : options->a_max));
            if (sums->products)
                accordi_set_number(in->chunk.y, sums->is_f32, row * sums->n + k,
                                   start ? sums->beta : draw(in, options->b_max));
        }
}

enum accord_status accordi_take_rows(const accordi_sums *sums,
                                     const accord_tolerance_options *options, size_t first,
                                     accordi_rng *rng, accordi_chunk *chunk, accord_error *error)
{
    size_t n = sums->n, terms = sums->factors;
    uint32_t *from = accordi_alloc(terms, sizeof *from);
    if (!from)
        return accordi_nomem(error);
    for (size_t k = 0; k < terms; k++)
        from[k] = (uint32_t)k;
    for (size_t row = 0; row < chunk->rows; row++) {
        const double *x = options->x + (first + row) * terms;
        const double *y = options->y ? options->y + (first + row) * terms : NULL;
        double start = options->start ? options->start[first + row] : 0;
        if (rng)
            accordi_rng_shuffle(rng, from, terms);
        for (size_t k = 0; k < n; k++) {
            bool last = k >= terms;
            double a = last ? start : x[from[k]], b = last ? sums->beta : y ? y[from[k]] : 1;
            accordi_set_number(chunk->x, sums->is_f32, row * n + k,
                               accord_format_round(sums->input, ACCORD_NEAREST_EVEN, a));
            if (sums->products)
                accordi_set_number(chunk->y, sums->is_f32, row * n + k,
                                   last ? b
                                        : accord_format_round(sums->input, ACCORD_NEAREST_EVEN, b));
        }
    }
    free(from);
    return ACCORD_OK;
}

/* ---- one chunk ---- */

static enum accord_status run_orders(simulation *in, accord_error *error)
{
    const accordi_sums *sums = in->wish->sums;
    enum accord_status status = ACCORD_OK;
    for (int i = 1; i < ACCORDI_SORTINGS && !status && !in->wish->accumulator->machine; i++) {
        in->sorted[i].rows = in->chunk.rows;
        status =
            accordi_sort_chunk(sums, (enum accordi_sorting)i, &in->chunk, &in->sorted[i], error);
    }
    for (size_t i = 0; i < in->orders && !status; i++) {
        const accordi_reference *reference = &in->references.list[i];
        const accord_model model = {reference->tree, reference->arithmetic};
        const accordi_chunk *chunk =
            reference->sorting ? &in->sorted[reference->sorting] : &in->chunk;
        status = accordi_replay_chunk(sums, &model, chunk, in->result[i], error);
    }
    return status;
}

static void enter(simulation *in, enum accord_tolerance_against against, double deviation,
                  double unit, double by, bool given)
{
    if (in->smooth && !given)
        deviation += unit * accordi_rng_unit(&in->rng);
    if (in->wish->relative)
        deviation = deviation == 0 ? 0 : deviation / fabs(by);
    if (!given)
        accordi_tail_add(&in->tail[against], deviation);
    else if (deviation > in->given[against])
        in->given[against] = deviation;
}

static void enter_row(simulation *in, size_t row, bool given)
{
    const accordi_sums *sums = in->wish->sums;
    double exact = in->input[row].high, low = INFINITY, high = -INFINITY, most = -1;
    /* A unit in the last place at the size that a sum of these terms typically has. */
    double size = fmax(fabs(exact), in->input[row].mass / sqrt((double)sums->n));
    double unit = ldexp(size, 1 - accord_format_get(in->wish->accumulator->format)->precision);
    size_t farthest = 0;
    for (size_t i = 0; i < in->orders; i++) {
        double result = in->result[i][row];
        low = fmin(low, result);
        high = fmax(high, result);
        if (fabs(result - exact) > most) {
            most = fabs(result - exact);
            farthest = i;
        }
    }
    in->farthest[farthest]++;
    enter(in, ACCORD_AGAINST_EXACT, most, unit, exact, given);
    enter(in, ACCORD_AGAINST_IMPLEMENTATION, high - low, unit, fmin(fabs(low), fabs(high)), given);
}

static enum accord_status run_chunk(simulation *in, bool given, accord_error *error)
{
    const accordi_deviations_wish *wish = in->wish;
    for (size_t row = 0; row < in->chunk.rows; row++)
        accordi_measure(wish->sums, wish->accumulator, &in->chunk, row, &in->input[row]);
    enum accord_status status = run_orders(in, error);
    for (size_t row = 0; row < in->chunk.rows && !status; row++)
        enter_row(in, row, given);
    in->done += in->chunk.rows;
    const accord_tolerance_options *options = wish->options;
    if (!status && options->progress &&
        !options->progress(options->progress_context, "inputs simulated", in->done, in->total))
        status = accordi_fail(error, ACCORD_TARGET, "interrupted");
    return status;
}

static enum accord_status run_drawn(simulation *in, accord_error *error)
{
    enum accord_status status = ACCORD_OK;
    size_t most = in->chunk.rows;
    while (in->done < in->total && !status) {
        in->chunk.rows = in->total - in->done < most ? (size_t)(in->total - in->done) : most;
        draw_chunk(in);
        status = run_chunk(in, false, error);
    }
    return status;
}

/* All rows as they are, then permuted as often as there are samples. */
static enum accord_status run_rows(simulation *in, accord_error *error)
{
    const accord_tolerance_options *options = in->wish->options;
    enum accord_status status = ACCORD_OK;
    size_t most = in->chunk.rows;
    for (size_t first = 0; in->done < in->total && !status;) {
        size_t left = options->rows - first;
        bool given = in->done < options->rows;
        in->chunk.rows = left < most ? left : most;
        status = accordi_take_rows(in->wish->sums, options, first, given ? NULL : &in->rng,
                                   &in->chunk, error);
        if (!status)
            status = run_chunk(in, given, error);
        first = (first + in->chunk.rows) % options->rows;
    }
    return status;
}

/* ---- the answer ---- */

static void put_answer(const simulation *in, double p, accord_tolerance *out, double *quantile)
{
    size_t worst = 0;
    for (size_t i = 1; i < in->orders; i++)
        if (in->farthest[i] > in->farthest[worst])
            worst = i;
    snprintf(out->worst, sizeof out->worst, "%s", in->references.list[worst].name);
    out->orders = in->orders;
    for (int i = 0; i < ACCORD_AGAINST_COUNT; i++) {
        accordi_quantile found = accordi_tail_quantile(&in->tail[i], out->samples, p);
        quantile[i] = fmax(found.value, in->given[i]);
        out->tail[i] = found.tail;
    }
}

enum accord_status accordi_deviations(const accordi_deviations_wish *wish, accord_tolerance *out,
                                      double *quantile, accord_error *error)
{
    const accord_tolerance_options *options = wish->options;
    simulation in = {.wish = wish};
    uint64_t rounds = options->rows ? (options->samples + options->rows - 1) / options->rows : 0;
    uint64_t samples = options->rows ? rounds * options->rows : options->samples;
    double p = options->level / (double)options->elements;
    accordi_rng_init(&in.rng, options->seed);
    in.total = samples + options->rows;
    in.smooth = accordi_tail_extrapolates(samples, p);
    enum accord_status status = accordi_references_make(wish->sums, wish->accumulator,
                                                        options->seed, &in.references, error);
    if (!status)
        status = simulation_new(&in, samples, p, error);
    if (!status)
        status = options->rows ? run_rows(&in, error) : run_drawn(&in, error);
    if (!status) {
        out->samples = samples;
        put_answer(&in, p, out, quantile);
    }
    simulation_free(&in);
    return status;
}
