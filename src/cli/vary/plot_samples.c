/* Samples of several names in one picture: how they are distributed, and how they grow with n. */
#include "cli/vary/plot.h"
#include <math.h>

enum { SHOWN = 8, CURVE = 200, LABEL = 120 };

typedef struct density {
    accord_vary_summary *summary;
    accord_vary_histogram *histogram;
    double *x, *y, curve_x[CURVE], curve_y[CURVE];
    char normal[LABEL];
} density;

static bool density_make(const cli_sample *sample, double unit, density *d)
{
    if (accord_vary_summarize_multiples(sample->value, sample->count, unit, &d->summary, NULL) ||
        accord_vary_histogram_make(d->summary, 0, &d->histogram, NULL))
        return false;
    const accord_vary_histogram *h = d->histogram;
    double least = h->least / unit, mean = least + d->summary->mean_place;
    double deviation = d->summary->deviation;
    d->x = cli_need(accordi_alloc(h->bins, sizeof *d->x));
    d->y = cli_need(accordi_alloc(h->bins, sizeof *d->y));
    for (size_t i = 0; i < h->bins; i++) {
        d->x[i] = least + accord_vary_histogram_place(h, i);
        d->y[i] = (double)h->count[i] / (double)h->samples / h->steps;
    }
    for (size_t i = 0; i < CURVE; i++) {
        d->curve_x[i] = mean + deviation * (8. * (double)i / (CURVE - 1) - 4);
        d->curve_y[i] = accord_vary_normal_density(d->curve_x[i], mean, deviation);
    }
    snprintf(d->normal, sizeof d->normal, "normal, KL %.3g", accord_vary_normal_divergence(h));
    return true;
}

static void density_clear(density *d)
{
    accord_vary_summary_free(d->summary);
    accord_vary_histogram_free(d->histogram);
    free(d->x);
    free(d->y);
}

void cli_plot_samples(accordi_buffer *out, const cli_samples *in, double unit, size_t place)
{
    density *all = cli_need(accordi_calloc(SHOWN, sizeof *all));
    cli_series series[2 * SHOWN];
    size_t count = 0;
    for (size_t i = 0; i < in->count && i < SHOWN; i++) {
        density *d = &all[i];
        if (!density_make(&in->sample[i], unit, d))
            continue;
        series[count++] = (cli_series){CLI_BARS, in->sample[i].name, i, d->histogram->bins, d->x,
                                       d->y,     d->histogram->steps};
        if (d->summary->deviation > 0)
            series[count++] =
                (cli_series){CLI_LINE, d->normal, i, CURVE, d->curve_x, d->curve_y, 0};
    }
    const cli_plot plot = {.title = in->title,
                           .note = in->note,
                           .x = in->x,
                           .y = "probability density",
                           .whole_y = true,
                           .series = series,
                           .count = count,
                           .mark = in->mark,
                           .marks = in->marks};
    cli_plot_put(out, &plot, place);
    for (size_t i = 0; i < SHOWN; i++)
        density_clear(&all[i]);
    free(all);
}

/* ---- distances ---- */

void cli_plot_distances(accordi_buffer *out, const cli_samples *in, size_t place)
{
    static const double least = .01;
    cli_series series[SHOWN];
    size_t shown = in->count < SHOWN ? in->count : SHOWN;
    double *x[SHOWN], *y[SHOWN];
    for (size_t i = 0; i < shown; i++) {
        const cli_sample *one = &in->sample[i];
        x[i] = cli_need(accordi_alloc(one->count, sizeof **x));
        y[i] = cli_need(accordi_alloc(one->count, sizeof **y));
        for (size_t k = 0; k < one->count; k++) {
            double distance = fabs(one->value[k]);
            x[i][k] = distance < least ? least : distance;
            y[i][k] = (double)i + 1;
        }
        series[i] = (cli_series){CLI_POINTS, one->name, i, one->count, x[i], y[i], 0};
    }
    const cli_plot plot = {.title = in->title,
                           .note = in->note,
                           .x = in->x,
                           .log_x = true,
                           .least_y = 0,
                           .most_y = (double)shown + 1.5,
                           .series = series,
                           .count = shown,
                           .mark = in->mark,
                           .marks = in->marks};
    cli_plot_put(out, &plot, place);
    for (size_t i = 0; i < shown; i++) {
        free(x[i]);
        free(y[i]);
    }
}

/* ---- growth ---- */

typedef struct fit {
    double x[2], y[2];
    char words[LABEL];
} fit;

static bool fit_make(const cli_growth *growth, fit *f)
{
    accord_vary_law law;
    if (accord_vary_power_law(growth->n, growth->y, growth->count, &law, NULL))
        return false;
    f->x[0] = INFINITY;
    f->x[1] = 0;
    for (size_t i = 0; i < growth->count; i++)
        if (growth->n[i] > 0) {
            f->x[0] = fmin(f->x[0], growth->n[i]);
            f->x[1] = fmax(f->x[1], growth->n[i]);
        }
    for (size_t i = 0; i < 2; i++)
        f->y[i] = law.factor * pow(f->x[i], law.exponent);
    if (isfinite(law.low))
        snprintf(f->words, sizeof f->words, "%.2g n^%.3f (%.2f to %.2f)", law.factor, law.exponent,
                 law.low, law.high);
    else
        snprintf(f->words, sizeof f->words, "%.2g n^%.3f", law.factor, law.exponent);
    return true;
}

void cli_plot_growth(accordi_buffer *out, const char *title, const char *y,
                     const cli_growth *growth, size_t count, size_t place)
{
    fit *fits = cli_need(accordi_calloc(CLI_PLOT_GROWTHS, sizeof *fits));
    cli_series series[2 * CLI_PLOT_GROWTHS];
    size_t all = 0;
    for (size_t i = 0; i < count && i < CLI_PLOT_GROWTHS; i++) {
        const cli_growth *g = &growth[i];
        series[all++] = (cli_series){
            g->known ? CLI_LINE : CLI_POINTS, g->name, g->color, g->count, g->n, g->y, 0};
        if (!g->known && fit_make(g, &fits[i]))
            series[all++] =
                (cli_series){CLI_DASHES, fits[i].words, g->color, 2, fits[i].x, fits[i].y, 0};
    }
    const cli_plot plot = {.title = title,
                           .x = "n",
                           .y = y,
                           .log_x = true,
                           .log_y = true,
                           .series = series,
                           .count = all};
    cli_plot_put(out, &plot, place);
    free(fits);
}
