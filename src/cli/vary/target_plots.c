/* What accord vary TARGET found, as pictures: how results are distributed beside the exact sum, how
 * far they are from it in relation to what is likely and possible, and when each came. */
#include "cli/vary/plot.h"
#include "cli/vary/vary.h"
#include <math.h>

enum { PLOTS = 3, SHOWN = 6, CURVE = 200, POINTS = 1500, LABEL = 120 };

/* Errors in units in the last place of the exact sum. */
static double ulps(const accord_variation *in, double value)
{
    const accord_vary_expectation *e = &in->expected;
    bool known = isfinite(e->exact);
    double from = known ? e->exact : in->outcome[0].value;
    return (value - from - (known ? e->rest : 0)) / accord_vary_unit(in->output, from);
}

static const char *what_x(const accord_variation *in)
{
    return isfinite(in->expected.exact) ? "result - exact sum, in units in the last place (ulp)"
                                        : "result - first result, in units in the last place (ulp)";
}

static const char *name_of(const accord_vary_setting *s)
{
    return *s->name ? s->name : "results";
}

static size_t shown_of(const accord_variation *in)
{
    return in->settings < SHOWN ? in->settings : SHOWN;
}

static void put_plot(accordi_buffer *out, const accord_variation *in, cli_plot *plot, size_t place)
{
    char title[LABEL];
    snprintf(title, sizeof title, "%s (the first %d of %zu settings)", plot->title, SHOWN,
             in->settings);
    if (in->settings > SHOWN)
        plot->title = title;
    cli_plot_put(out, plot, place);
}

/* ---- the distribution ---- */

typedef struct distribution {
    accord_vary_histogram *histogram;
    double *x, *y, curve_x[CURVE], curve_y[CURVE];
    char normal[LABEL];
} distribution;

static bool distribution_make(const accord_variation *in, const accord_vary_setting *s,
                              distribution *d, double *width)
{
    if (accord_vary_histogram_make(s->summary, 0, &d->histogram, NULL) != ACCORD_OK)
        return false;
    const accord_vary_histogram *h = d->histogram;
    double unit =
        h->unit / accord_vary_unit(in->output, isfinite(in->expected.exact) ? in->expected.exact
                                                                            : in->outcome[0].value);
    double least = ulps(in, h->least), mean = least + s->summary->mean_place * unit;
    double deviation = s->summary->deviation * unit;
    *width = h->steps * unit;
    d->x = cli_need(accordi_alloc(h->bins, sizeof *d->x));
    d->y = cli_need(accordi_alloc(h->bins, sizeof *d->y));
    for (size_t i = 0; i < h->bins; i++) {
        d->x[i] = least + accord_vary_histogram_place(h, i) * unit;
        d->y[i] = (double)h->count[i] / (double)h->samples / *width;
    }
    for (size_t i = 0; i < CURVE; i++) {
        d->curve_x[i] = mean + deviation * (8. * (double)i / (CURVE - 1) - 4);
        d->curve_y[i] = accord_vary_normal_density(d->curve_x[i], mean, deviation);
    }
    snprintf(d->normal, sizeof d->normal, "normal, KL %.3g", accord_vary_normal_divergence(h));
    return true;
}

static void put_distribution(accordi_buffer *out, const accord_variation *in, size_t place)
{
    distribution *all = cli_need(accordi_calloc(SHOWN, sizeof *all));
    cli_series series[2 * SHOWN];
    size_t count = 0;
    double width;
    for (size_t i = 0; i < shown_of(in); i++) {
        const accord_vary_setting *s = in->setting[i];
        distribution *d = &all[i];
        if (!distribution_make(in, s, d, &width))
            continue;
        series[count++] =
            (cli_series){CLI_BARS, name_of(s), i, d->histogram->bins, d->x, d->y, width};
        if (s->summary->deviation > 0)
            series[count++] =
                (cli_series){CLI_LINE, d->normal, i, CURVE, d->curve_x, d->curve_y, 0};
    }
    double unit = accord_vary_unit(in->output, in->expected.exact);
    double predicted = in->expected.predicted / unit;
    const cli_mark marks[] = {{-predicted, predicted, "predicted deviation"},
                              {0, NAN, "exact sum"}};
    cli_plot plot = {.title = "Distribution of the results",
                     .x = what_x(in),
                     .y = "probability density (1/ulp)",
                     .whole_y = true,
                     .series = series,
                     .count = count,
                     .mark = marks,
                     .marks = isfinite(in->expected.exact) ? 2 : 0};
    put_plot(out, in, &plot, place);
    for (size_t i = 0; i < SHOWN; i++) {
        accord_vary_histogram_free(all[i].histogram);
        free(all[i].x);
        free(all[i].y);
    }
    free(all);
}

/* ---- errors ---- */

static void put_errors(accordi_buffer *out, const accord_variation *in, size_t place)
{
    cli_sample sample[SHOWN];
    size_t shown = shown_of(in);
    double *error[SHOWN], unit = accord_vary_unit(in->output, in->expected.exact);
    for (size_t i = 0; i < shown; i++) {
        const accord_vary_summary *m = in->setting[i]->summary;
        error[i] = cli_need(accordi_alloc(m->distinct, sizeof **error));
        for (size_t k = 0; k < m->distinct; k++)
            error[i][k] = ulps(in, m->value[k].value);
        sample[i] = (cli_sample){name_of(in->setting[i]), error[i], m->distinct};
    }
    char title[LABEL] = "Distance from the exact sum";
    if (in->settings > SHOWN)
        snprintf(title, sizeof title, "Distance from the exact sum (the first %d of %zu settings)",
                 SHOWN, in->settings);
    const cli_mark marks[] = {
        {.5, NAN, "half a unit"},
        {in->expected.predicted / unit, NAN, "predicted deviation of random orders"},
        {in->expected.bound / unit, NAN, "proven bound of all orders"}};
    const cli_samples samples = {
        .title = title,
        .x = "|result - exact sum| in ulp (less than 0.01 is drawn as 0.01)",
        .sample = sample,
        .count = shown,
        .mark = marks,
        .marks = 3};
    cli_plot_distances(out, &samples, place);
    for (size_t i = 0; i < shown; i++)
        free(error[i]);
}

/* ---- runs ---- */

static void put_runs(accordi_buffer *out, const accord_variation *in, size_t place)
{
    cli_series series[SHOWN];
    double *x[SHOWN], *y[SHOWN];
    size_t shown = shown_of(in);
    for (size_t i = 0; i < shown; i++) {
        const accord_vary_setting *s = in->setting[i];
        size_t step = s->runs / POINTS + 1, count = 0;
        x[i] = cli_need(accordi_alloc(s->runs / step + 1, sizeof **x));
        y[i] = cli_need(accordi_alloc(s->runs / step + 1, sizeof **y));
        for (size_t run = 0; run < s->runs; run += step) {
            x[i][count] = (double)run + 1;
            y[i][count++] = ulps(in, s->result[run]);
        }
        series[i] = (cli_series){CLI_POINTS, name_of(s), i, count, x[i], y[i], 0};
    }
    cli_plot plot = {.title = "Results by run",
                     .x = "run",
                     .y = isfinite(in->expected.exact) ? "result - exact (ulp)"
                                                       : "result - first (ulp)",
                     .series = series,
                     .count = shown};
    put_plot(out, in, &plot, place);
    for (size_t i = 0; i < shown; i++) {
        free(x[i]);
        free(y[i]);
    }
}

void cli_vary_svg(accordi_buffer *out, const accord_variation *in)
{
    bool known = isfinite(in->expected.exact);
    size_t place = 0;
    cli_plot_begin(out, known ? PLOTS : PLOTS - 1);
    put_distribution(out, in, place++);
    if (known)
        put_errors(out, in, place++);
    put_runs(out, in, place);
    cli_plot_end(out);
}
