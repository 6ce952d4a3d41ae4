/* Bins for values that are discrete, and the normal distribution with the same moments.
 *
 * Results of one format lie on a grid whose step is a unit in the last place. A bin that holds
 * another number of steps than its neighbor shows waves that are not there. So every bin holds the
 * same number of steps, a power of two, counted from the least value. */
#include "base/base.h"
#include <accord/vary.h>
#include <math.h>

enum { BINS = 64 };
static const double pi = 0x1.921fb54442d18p+1;

/* The place of a value on the grid: steps above the least value, not rounded where they are few. */
static double place_of(const accord_vary_histogram *h, double value)
{
    return value / h->unit - h->least / h->unit;
}

static size_t bin_of(const accord_vary_histogram *h, double value)
{
    return (size_t)floor((place_of(h, value) + .5) / h->steps);
}

enum accord_status accord_vary_histogram_make(const accord_vary_summary *s, size_t most,
                                              accord_vary_histogram **out, accord_error *error)
{
    if (!s->finite)
        return accordi_fail(error, ACCORD_UNABLE, "no result is finite; there is no histogram");
    if (!isfinite(s->spread))
        return accordi_fail(error, ACCORD_UNABLE,
                            "the values lie too many units apart; there is no histogram");
    accord_vary_histogram *h = accordi_calloc(1, sizeof *h);
    if (!h)
        return accordi_nomem(error);
    *h = (accord_vary_histogram){
        .least = s->least, .unit = s->unit, .steps = 1, .samples = s->finite};
    double top = place_of(h, s->greatest) + .5;
    most = most ? most : BINS;
    while (top / h->steps >= (double)most)
        h->steps *= 2;
    h->bins = bin_of(h, s->greatest) + 1;
    h->count = accordi_calloc(h->bins, sizeof *h->count);
    if (!h->count) {
        free(h);
        return accordi_nomem(error);
    }
    for (size_t i = 0; i < s->distinct; i++)
        if (isfinite(s->value[i].value))
            h->count[bin_of(h, s->value[i].value)] += s->value[i].count;
    *out = h;
    return ACCORD_OK;
}

void accord_vary_histogram_free(accord_vary_histogram *histogram)
{
    if (!histogram)
        return;
    free(histogram->count);
    free(histogram);
}

double accord_vary_histogram_place(const accord_vary_histogram *h, size_t bin)
{
    return (double)bin * h->steps + (h->steps - 1) / 2;
}

/* The density is constant in each bin: its variance is that of the centers, and that of one bin. */
static double variance_of(const accord_vary_histogram *h)
{
    double sum = 0, squares = 0, samples = (double)h->samples;
    for (size_t i = 0; i < h->bins; i++)
        sum += (double)h->count[i] * (double)i;
    double mean = sum / samples;
    for (size_t i = 0; i < h->bins; i++)
        squares += (double)h->count[i] * ((double)i - mean) * ((double)i - mean);
    return (squares / samples + 1. / 12) * h->steps * h->steps;
}

double accord_vary_normal_divergence(const accord_vary_histogram *h)
{
    double entropy = 0;
    for (size_t i = 0; i < h->bins; i++) {
        double share = (double)h->count[i] / (double)h->samples;
        entropy -= h->count[i] ? share * log(share / h->steps) : 0;
    }
    return (log(2 * pi) + 1) / 2 + log(variance_of(h)) / 2 - entropy;
}

double accord_vary_normal_density(double x, double mean, double deviation)
{
    double z = (x - mean) / deviation;
    return exp(-z * z / 2) / (deviation * sqrt(2 * pi));
}
