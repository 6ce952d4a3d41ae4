/* Tolerances for tests that compare sums: how far right implementations may be apart.
 *
 * A pair of tolerances is meant for the rule of numpy.testing.assert_allclose and
 * torch.testing.assert_close:  |actual - desired| <= atol + rtol * |desired|  for every element of
 * an array. `desired` is either the exact result (rounded to f64 at most), or the result of another
 * right implementation in the format of the result. The exact result rounded to that format is such
 * an implementation.
 *
 * Two pairs answer two questions.
 *   proven: no right implementation breaks it, for any inputs within the limits. It follows from
 *     the envelope of accord/explain.h: any order, fused products or not, an accumulator at least
 *     as wide as the one named, and a result that is rounded to nearest.
 *   statistical: over random inputs within the limits, at most a fraction `level` of all arrays
 *     break it with any of the reference orders (src/explain/references.c), or with any two of
 *     them. The largest deviation of all orders on each input is simulated; the tolerance is its
 *     quantile of level / elements, since an array breaks if one element does (the union bound).
 *     Where fewer than 30 samples lie above this quantile, it is extrapolated: beyond the largest
 *     1/64 of the samples, x, its root or its logarithm, the first of them that fits, is taken to
 *     be distributed exponentially (peaks over a threshold; Coles, An Introduction to Statistical
 *     Modeling of Extreme Values, section 4.3). For tails that fall faster, such as that of the
 *     normal distribution, the quantile is too large rather than too small. If it exceeds the
 *     proven bound, the statistical pair is the proven one.
 * Both include the rounding of the comparison itself. Values are rounded up to three digits. */
#ifndef ACCORD_TOLERANCE_H
#define ACCORD_TOLERANCE_H

#include <accord/reveal.h>

#ifdef __cplusplus
extern "C" {
#endif

enum accord_tolerance_against {
    ACCORD_AGAINST_EXACT,          /* `desired` is the exact result, in f64 */
    ACCORD_AGAINST_IMPLEMENTATION, /* `desired` comes from a right implementation, too */
    ACCORD_AGAINST_COUNT
};

enum accord_tolerance_distribution {
    ACCORD_TOLERANCE_UNIFORM, /* in the limits */
    ACCORD_TOLERANCE_NORMAL   /* with standard deviation max / 6, cut at the limits */
};

/* Where a statistical pair comes from. */
enum accord_tail {
    ACCORD_TAIL_SAMPLES,     /* read from the samples */
    ACCORD_TAIL_EXPONENTIAL, /* extrapolated: the probability falls like exp(-x / m), */
    ACCORD_TAIL_STRETCHED,   /* like exp(-sqrt(x) / m), */
    ACCORD_TAIL_POWER,       /* or like x^(-1 / m) */
    ACCORD_TAIL_PROVEN,      /* the proven pair stands for it, because it is not larger */
    ACCORD_TAIL_COUNT
};
/* "samples", "exponential", "stretched", "power", "proven"; never NULL. */
ACCORD_API const char *accord_tail_name(enum accord_tail tail);

typedef struct accord_tolerance_options {
    size_t size;   /* see accord/base.h */
    uint64_t seed; /* of simulated inputs and orders */
    /* The inputs are all those with |x| <= a_max, |y| <= b_max (second factors) and start values
     * of at most c_max; 0 means 1. */
    double a_max, b_max, c_max;
    bool nonnegative; /* no operand is negative, so that nothing cancels */
    enum accord_tolerance_distribution distribution;
    /* Or else they are these rows, if rows > 0: x, and with products y, are rows x terms, row by
     * row; y NULL: all 1. start: a start value for each row where the target has one; NULL: all 0.
     * They are rounded to the format of the terms first. Every row is an element of the array; the
     * statistical pair is over random permutations of the terms of each row, and covers the order
     * as given. */
    const double *x, *y, *start;
    size_t rows;
    uint64_t elements; /* of an array; 0: as many as the target gives at once, or `rows` */
    double level;      /* the fraction of arrays that may break the statistical pair; 0: 1e-6 */
    uint64_t samples;  /* simulated for each reference order; 0: 16384, or fewer with many terms */
    const char *accumulator; /* as in accord_explain_options */
    /* The target only states the question: it is not asked, and its order is not looked for. */
    bool question_only;
    uint64_t budget_calls; /* for the search for the order, as in accord_explain_options */
    double budget_seconds;
    accord_progress *progress;
    void *progress_context;
} accord_tolerance_options;
static inline void accord_tolerance_options_init(accord_tolerance_options *options)
{
    ACCORD_INIT(options);
}

typedef struct accord_tolerance_pair {
    double atol, rtol;
} accord_tolerance_pair;

typedef struct accord_tolerance {
    size_t n;             /* terms */
    char accumulator[80]; /* in what a right implementation may accumulate */
    accord_tolerance_pair proven[ACCORD_AGAINST_COUNT], statistical[ACCORD_AGAINST_COUNT];
    uint64_t elements;
    double level;
    uint64_t samples;                            /* simulated for each reference order */
    size_t orders;                               /* reference orders */
    enum accord_tail tail[ACCORD_AGAINST_COUNT]; /* where the statistical pairs come from */
    char worst[40];   /* the order that has the largest error most often */
    char reason[400]; /* what rtol covers, in a sentence */
} accord_tolerance;

/* Finds the tolerances for sums like those of the target.
 *   ACCORD_OK: *out is filled in.
 *   ACCORD_ARG: an option is malformed, or a number is not finite or outside the format.
 *   ACCORD_UNABLE: there is no tolerance, because sums may overflow, or because there are too many
 *   terms for this accumulator.
 *   ACCORD_UNSUPPORTED: terms are squares, or the machine does not fit.
 *   ACCORD_TARGET, ACCORD_NOMEM.
 * Takes about a second, beside the search for the order. One thread at a time may use a target. */
ACCORD_API enum accord_status accord_tolerance_find(accord_target *target,
                                                    const accord_tolerance_options *options,
                                                    accord_tolerance *out, accord_error *error);

#ifdef __cplusplus
}
#endif
#endif
