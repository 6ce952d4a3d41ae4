/* Inputs: numbers of a distribution, from the words of a generator, by operations that have the
 * same bits on every machine. */
#include "format/format.h"
#include "vary/methods/methods.h"
#include <math.h>

typedef struct parameters {
    double amplitude, center, deviation;
} parameters;

static void draw_uniform(accord_mt19937 *generator, const parameters *in, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t high = accord_mt19937_next(generator) >> 5;
        uint64_t k = high << 26 | accord_mt19937_next(generator) >> 6;
        x[i] = in->amplitude * ((double)(k + 1) * 0x1p-53 - in->center);
    }
}

static void draw_normal(accord_mt19937 *generator, const parameters *in, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++)
        x[i] = in->center + in->deviation * accordi_exact_normal(generator);
}

/* m = 1 + f / 2^52 is accepted if b / 2^64 < 1 / m for a random b. */
static double draw_octave(accord_mt19937 *generator, int exponent)
{
    for (;;) {
        uint64_t word[2];
        for (int i = 0; i < 2; i++) {
            word[i] = accord_mt19937_next(generator);
            word[i] = word[i] << 32 | accord_mt19937_next(generator);
        }
        uint64_t m = word[0] >> 12 | (uint64_t)1 << 52;
        if ((uint128)word[1] * m >> 116 == 0)
            return (double)m * 0x1p-52 * accordi_power_of_two(exponent);
    }
}

static void draw_log_uniform(accord_mt19937 *generator, const parameters *in, size_t n, double *x)
{
    double least = 1 / in->amplitude;
    int first = accordi_split(least).exponent;
    uint32_t octaves = (uint32_t)(accordi_split(in->amplitude).exponent - first + 1);
    for (size_t i = 0; i < n;) {
        uint32_t word = accord_mt19937_next(generator);
        if (word < (0 - octaves) % octaves)
            continue;
        double value = draw_octave(generator, first + (int)(word % octaves));
        if (value >= least && value <= in->amplitude)
            x[i++] = value;
    }
}

static void draw_cross_platform(accord_mt19937 *generator, const parameters *in, size_t n,
                                double *x)
{
    (void)in;
    for (size_t i = 0; i < n; i++) {
        double low = accord_mt19937_next(generator);
        double unit = (low + accord_mt19937_next(generator) * 0x1p32) * 0x1p-64;
        x[i] = (unit < 1 ? unit : 1 - 0x1p-53) * 10 - 5;
    }
}

static const struct row {
    const char *name;
    void (*draw)(accord_mt19937 *generator, const parameters *in, size_t n, double *x);
} rows[ACCORD_DISTRIBUTION_COUNT] = {
    [ACCORD_DISTRIBUTION_UNIFORM] = {"uniform", draw_uniform},
    [ACCORD_DISTRIBUTION_NORMAL] = {"normal", draw_normal},
    [ACCORD_DISTRIBUTION_LOG_UNIFORM] = {"log-uniform", draw_log_uniform},
    [ACCORD_DISTRIBUTION_CROSS_PLATFORM] = {"cross-platform", draw_cross_platform},
};

const char *accord_distribution_name(enum accord_distribution distribution)
{
    return distribution < ACCORD_DISTRIBUTION_COUNT ? rows[distribution].name : NULL;
}

/* Numbers of the normal distribution are below 32 * 2^32 in magnitude, others below A (1 + |c|). */
static enum accord_status check(const accord_draw_options *full, const parameters *in,
                                accord_error *error)
{
    if (full->distribution >= ACCORD_DISTRIBUTION_COUNT)
        return accordi_fail(error, ACCORD_ARG,
                            "there is no distribution %d; use one of enum "
                            "accord_distribution",
                            (int)full->distribution);
    if (!isfinite(in->amplitude) || !isfinite(in->center) || !isfinite(in->deviation))
        return accordi_fail(error, ACCORD_ARG,
                            "the amplitude, center and deviation of a distribution must be finite; "
                            "give finite numbers");
    if (full->distribution == ACCORD_DISTRIBUTION_UNIFORM &&
        !isfinite(in->amplitude * (1 + fabs(in->center))))
        return accordi_fail(error, ACCORD_ARG,
                            "numbers of this uniform distribution could overflow; give a smaller "
                            "amplitude or center");
    if (full->distribution == ACCORD_DISTRIBUTION_NORMAL &&
        (in->deviation < 0 || !isfinite(fabs(in->center) + in->deviation * 0x1p37)))
        return accordi_fail(error, ACCORD_ARG,
                            "the standard deviation of a normal distribution must be positive and "
                            "below 2^986, and its center finite; %g and %g are not",
                            in->deviation, in->center);
    if (full->distribution == ACCORD_DISTRIBUTION_LOG_UNIFORM &&
        !(in->amplitude >= 2 && in->amplitude <= 0x1p1022))
        return accordi_fail(
            error, ACCORD_ARG,
            "log-uniform numbers lie between 1/A and A; give an amplitude A from 2 to 2^1022");
    return ACCORD_OK;
}

enum accord_status accord_draw(accord_mt19937 *generator, const accord_draw_options *options,
                               size_t n, double *x, accord_error *error)
{
    accord_draw_options full;
    enum accord_status status = ACCORDI_TAKE(accord_draw_options, deviation, &full, options, error);
    if (status)
        return status;
    const parameters in = {full.amplitude == 0 ? 10 : full.amplitude, full.center,
                           full.deviation == 0 ? 0.5 : full.deviation};
    status = check(&full, &in, error);
    if (!status)
        rows[full.distribution].draw(generator, &in, n, x);
    return status;
}
