/* How far results spread: the variability of a computation whose order of operations is not fixed.
 *
 * The first part is statistics of samples, wherever they come from; the second asks a target for
 * the same sum many times. Every figure here follows from the samples by operations of IEEE 754
 * alone, so that it is the same to the bit on every machine, except where a logarithm is named:
 * those figures agree to 12 digits. All functions are thread-safe. */
#ifndef ACCORD_VARY_H
#define ACCORD_VARY_H

#include <accord/methods.h>
#include <accord/reveal.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- two results ----
 *
 * The measures of variability are those of "Impacts of floating-point non-associativity on
 * reproducibility for HPC and deep learning applications" (Shanmugavelu et al., 2024). Results are
 * the same if their bits are; zeros of different signs are not the same, and NaN is one value. */

/* Vs, the scalar variability of a result in relation to a reference: 1 - |value / reference|, where
 * the quotient is rounded to double. 0 if they are the same or both are zeros. NaN if the measure
 * is not defined: the reference is 0, infinite or NaN and the value is another, or the value is
 * NaN. A result that has only the other sign has a Vs of 0, by the formula. */
ACCORD_API double accord_vary_vs(double value, double reference);

/* Vermv, the mean relative variability of arrays: the mean of |reference - value| / |reference|.
 * Elements that are the same, or are both zeros, count as 0. Elements for which the quotient is
 * not defined (as for Vs) are left out; *undefined (may be NULL) is their number. NaN if none is
 * left. */
ACCORD_API double accord_vary_vermv(const double *value, const double *reference, size_t count,
                                    size_t *undefined);

/* Vc, the share of elements that are not the same; defined for every reference. NaN if count is 0.
 */
ACCORD_API double accord_vary_vc(const double *value, const double *reference, size_t count);

/* ---- one sample ---- */

/* A value that occurs in a sample. Fixed layout. */
typedef struct accord_vary_value {
    double value;
    size_t count; /* how often */
    size_t first; /* the place of the first one, from 0 */
} accord_vary_value;

/* The library makes it. */
typedef struct accord_vary_summary {
    size_t count;             /* of samples, at least 1 */
    size_t finite, nans;      /* how many are finite, and NaN */
    accord_vary_value *value; /* those that occur, ascending; -0 before 0, NaN last */
    size_t distinct;          /* how many */
    double least, greatest;   /* of the finite values; NaN if there are none */
    double unit;              /* a unit in the last place at the greatest finite magnitude */
    double spread;            /* (greatest - least) / unit; 0 if all are the same */
    double mean;              /* of the finite values, within one unit; NaN if there are none */
    double mean_place;        /* (mean - least) / unit */
    double deviation;         /* sqrt(mean square of (value - mean)) / unit */
    double entropy;           /* -sum p log2 p over all values, in bits; a logarithm */
} accord_vary_summary;

/* Summarizes count >= 1 results of `format`. ACCORD_OK: *out is to be freed with
 * accord_vary_summary_free. ACCORD_ARG: count is 0. ACCORD_NOMEM. */
ACCORD_API enum accord_status accord_vary_summarize(const double *sample, size_t count,
                                                    enum accord_format format,
                                                    accord_vary_summary **out, accord_error *error);
/* The same for values that are multiples of a power of two, such as Vs, of 2^-52 at least where
 * results are near the reference: that is the unit. ACCORD_ARG: it is not positive. */
ACCORD_API enum accord_status accord_vary_summarize_multiples(const double *sample, size_t count,
                                                              double unit,
                                                              accord_vary_summary **out,
                                                              accord_error *error);
/* NULL is fine. */
ACCORD_API void accord_vary_summary_free(accord_vary_summary *summary);

/* The quantile for a share 0 <= q <= 1: the least value such that a share of at least q of the
 * samples that are not NaN is not greater (definition 1 of Hyndman and Fan, Sample quantiles in
 * statistical packages, 1996). So it is a value that occurred. NaN if all are. */
ACCORD_API double accord_vary_quantile(const accord_vary_summary *summary, double q);

/* A unit in the last place of `format` for numbers of this magnitude; that of the least normal
 * number for smaller ones and 0. NaN for infinities and NaN. */
ACCORD_API double accord_vary_unit(enum accord_format format, double magnitude);

/* ---- the distribution of a sample ---- */

/* Results lie on a grid of units in the last place. Every bin holds the same number of steps of
 * this grid, a power of two, so that no bin can hold more values than another by its place alone.
 * Bin i holds the values v with floor(((v - least) / unit + 1/2) / steps) = i. The library makes
 * it. */
typedef struct accord_vary_histogram {
    double least, unit; /* of the sample's finite values */
    double steps;       /* units in a bin */
    size_t samples;     /* finite ones */
    size_t bins, *count;
} accord_vary_histogram;

/* At most `most` bins (0: 64). ACCORD_OK: to be freed with accord_vary_histogram_free.
 * ACCORD_UNABLE: no value is finite, or (with a unit of the caller's) the spread is infinite.
 * ACCORD_NOMEM. */
ACCORD_API enum accord_status accord_vary_histogram_make(const accord_vary_summary *summary,
                                                         size_t most, accord_vary_histogram **out,
                                                         accord_error *error);
/* NULL is fine. */
ACCORD_API void accord_vary_histogram_free(accord_vary_histogram *histogram);
/* The middle of a bin, in units above the least value. */
ACCORD_API double accord_vary_histogram_place(const accord_vary_histogram *histogram, size_t bin);

/* The least Kullback-Leibler divergence, in nats, of the sample from a normal distribution: that
 * from the one with the sample's mean and deviation. It is (log(2 pi) + 1) / 2 + log(sigma) - S,
 * where sigma is the standard deviation of the sample's density and S its entropy. The density is
 * that of the histogram, constant in each bin; so the result is never negative. Takes logarithms.
 */
ACCORD_API double accord_vary_normal_divergence(const accord_vary_histogram *histogram);
/* The density of a normal distribution. Takes an exponential function. */
ACCORD_API double accord_vary_normal_density(double x, double mean, double deviation);

/* ---- two samples ---- */

/* Fixed layout. */
typedef struct accord_vary_comparison {
    size_t shared;   /* values that occur in both */
    double distance; /* the largest difference of the distribution functions: Kolmogorov-Smirnov */
    double p;        /* how often chance gives a distance as large if both have one distribution */
    /* Kullback-Leibler divergences over the values, in nats: of a from b, and of b from a. INFINITY
     * if a value of the first never occurs in the second. Take logarithms. */
    double divergence_ab, divergence_ba;
    double divergence_js; /* that of Jensen and Shannon: symmetric, at most log 2 */
} accord_vary_comparison;

/* Compares two samples of one question. p is computed from random divisions of all results into two
 * parts of these sizes (999 to 9999 of them, from the seed); it is valid for discrete values and
 * for small samples, and the same on every machine. NaN is the largest value. ACCORD_OK,
 * ACCORD_NOMEM. */
ACCORD_API enum accord_status accord_vary_compare(const accord_vary_summary *a,
                                                  const accord_vary_summary *b, uint64_t seed,
                                                  accord_vary_comparison *out, accord_error *error);

/* ---- growth ---- */

/* y = factor * n^exponent, by least squares of log y over log n. Fixed layout. */
typedef struct accord_vary_law {
    size_t points; /* used: those with n > 0 and 0 < y < INFINITY */
    double exponent, factor;
    /* A confidence interval of 95 % for the exponent, by Student's t; infinite with two points. */
    double low, high;
} accord_vary_law;
/* Takes logarithms. ACCORD_UNABLE: fewer than two different n can be used. */
ACCORD_API enum accord_status accord_vary_power_law(const double *n, const double *y, size_t count,
                                                    accord_vary_law *out, accord_error *error);

/* ---- what to expect of a sum ---- */

/* What is known of one sum without asking an implementation. The library makes it. */
typedef struct accord_vary_expectation {
    double exact;     /* the sum without rounding errors, rounded once to double */
    double rest;      /* what that rounding left out: exact + rest is the sum to 2^-105 */
    double magnitude; /* the sum of the magnitudes of the terms, within n 2^-52 of it */
    /* No order of additions, with or without fused products, in `inside` or a wider format gives a
     * result that is further from the exact sum: gamma_k * magnitude + ulp / 2 with k = n + 2 and
     * gamma_k = k u / (1 - k u) (Higham, Accuracy and Stability of Numerical Algorithms, sections
     * 3.1 and 4.2). INFINITY if that says nothing, or if partial sums may overflow. */
    double bound;
    /* The deviation of sums one after another in orders drawn at random, to first order: the root
     * of the mean of sum ulp(S_k)^2 / 12 over the partial sums S_k, in `inside`, of up to 16 such
     * orders. NaN if partial sums are. */
    double predicted;
    enum accord_format inside;
} accord_vary_expectation;

/* For the sum of x[i] * y[i] over i < n (y NULL: of x[i]), which an implementation accumulates in
 * `inside` and returns in `output`. Where a term is not finite, exact is the sum by IEEE 754, and
 * the bound is infinite. ACCORD_OK, ACCORD_NOMEM. */
ACCORD_API enum accord_status accord_vary_expect(const double *x, const double *y, size_t n,
                                                 enum accord_format inside,
                                                 enum accord_format output,
                                                 accord_vary_expectation *out, accord_error *error);

/* The deviation of a reduction whose parts arrive in random orders: that of the sum of its parts,
 * which are fixed; 0 if its last stage has a fixed order. `terms` is the expectation of x.
 * ACCORD_OK, ACCORD_NOMEM, and what accord_reduction_parts refuses. */
ACCORD_API enum accord_status accord_vary_expect_reduction(const accord_reduction *reduction,
                                                           const double *x,
                                                           const accord_vary_expectation *terms,
                                                           double *predicted, accord_error *error);

/* ---- one question, many times ----
 *
 * A run asks a target once for all sums of the input: one or several, and for GEMV and GEMM all
 * elements. What it gives, all these results together, is called an outcome. */

typedef struct accord_vary_options {
    size_t size;       /* see accord/base.h */
    uint64_t runs;     /* under each setting, or at each place of a batch; 0: 1000, or 4 */
    uint64_t seed;     /* of the input */
    const char *kinds; /* of inputs (doc/json.md), separated by commas; NULL: "normal" */
    uint64_t samples;  /* inputs of each kind; 0: 1 */
    /* Inputs of the caller's instead, for targets with one result: `rows` rows of n values of the
     * target's format, and of second factors (NULL: all 1). */
    const double *x, *y;
    size_t rows;
    size_t element;        /* of the results of a run: which one is followed; see `result` below */
    uint64_t load;         /* threads that keep processors busy meanwhile */
    uint64_t no_proof;     /* not 0: do not reveal the orders of deterministic targets */
    uint64_t budget_calls; /* for that, as in accord_reveal_options; with 0 it takes at most 10 s */
    double budget_seconds;
    accord_progress *progress;
    void *progress_context;
} accord_vary_options;
static inline void accord_vary_options_init(accord_vary_options *options)
{
    ACCORD_INIT(options);
}

/* What a run may give. The first one of all is the reference of the others. */
typedef struct accord_vary_outcome {
    size_t count;          /* runs, under all settings */
    size_t setting, first; /* under which setting it came first, and in which run of it, from 0 */
    double value;          /* of the element that is followed */
    double vermv, vc;      /* from the reference */
    unsigned char digest[32]; /* SHA-256 of the bits of all results; for programs to compare */
} accord_vary_outcome;

typedef struct accord_vary_setting {
    char *name;
    size_t runs, places; /* places: of a batch that were asked; else 1 */
    uint32_t *outcome;   /* of each run; with places, all runs at the first of them come first */
    size_t distinct;     /* outcomes */
    bool varies;         /* some place gave several outcomes */
    double *result;      /* of each run: the element that is followed */
    accord_vary_summary *summary; /* of these */
    /* Where all runs had one outcome: did reveal find a model that gives all these bits again, and
     * is it proven? What it found, in words; "" where it was not asked. */
    bool replays, proven;
    char words[240];
    char order[200];
} accord_vary_setting;

/* The library makes it. */
typedef struct accord_variation {
    char *target;               /* the notation of the first one */
    size_t n, inputs, elements; /* elements: results of a run */
    enum accord_format format, output;
    accord_vary_outcome *outcome;
    size_t outcomes;
    accord_vary_setting **setting;
    size_t settings, runs;            /* runs: under all settings */
    size_t element;                   /* the one that is followed */
    size_t varying;                   /* elements that took several values */
    size_t widest;                    /* the one whose finite values lie furthest apart … */
    double spread;                    /* … by so many units in the last place */
    accord_vary_expectation expected; /* of the element that is followed */
} accord_variation;

/* Starts an examination without settings, to be freed with accord_variation_free. Numbers and text
 * of the options must stay until then. ACCORD_ARG, ACCORD_NOMEM. */
ACCORD_API enum accord_status accord_variation_new(const accord_vary_options *options,
                                                   accord_variation **out, accord_error *error);

/* Asks a target and adds what it gave, as a setting of that name. All targets of one examination
 * must have one question: n, formats, the kind of terms and the number of results.
 * With `places`, the target is a batch: the first input stands in each of its rows in turn, between
 * others that are random, and a run gives the results of that row. So batches of all sizes are one
 * question.
 *   ACCORD_ARG: the question differs, there is no such kind of inputs, or an option is too large.
 *   ACCORD_UNSUPPORTED: places of a target with only one result, or squares.
 *   ACCORD_TARGET: it failed, or progress said to stop ("interrupted").
 *   ACCORD_NOMEM.
 * After a failure the examination can only be freed. */
ACCORD_API enum accord_status accord_variation_ask(accord_variation *variation,
                                                   accord_target *target, const char *setting,
                                                   bool places, accord_error *error);

/* From now on progress is reported there. */
ACCORD_API void accord_variation_report(accord_variation *variation, accord_progress *progress,
                                        void *context);

/* Asks one target under a setting without a name. */
ACCORD_API enum accord_status accord_vary(accord_target *target, const accord_vary_options *options,
                                          accord_variation **out, accord_error *error);
/* NULL is fine. */
ACCORD_API void accord_variation_free(accord_variation *variation);

#ifdef __cplusplus
}
#endif
#endif
