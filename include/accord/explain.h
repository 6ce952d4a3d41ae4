/* Why the results of two implementations of a sum differ: because they add in different orders,
 * because of rounding that any right implementation has, or because one of them is wrong.
 *
 * Each implementation is compared with the exact sum on its own, in steps from the cheapest on; the
 * first step that decides is the last:
 *   1. Order. The order and the arithmetic are revealed. If this model gives the target's bits on
 *      all inputs compared, adds every term once and unaltered, and rounds nowhere into a format
 *      narrower than the accumulator, every difference is explained by the order.
 *   2. Envelope. No order, no fusing of products and no wider accumulator can cause an error above
 *      ((1 + u)^k - 1) * sum |terms|, where u is the greatest relative error of one rounding in the
 *      accumulator and k the number of roundings that a term can meet, plus half a unit in the
 *      last place of the result (Higham, Accuracy and Stability of Numerical Algorithms, section
 *      4.2). A larger error is a bug.
 *   3. Statistics. Errors inside the envelope may still show a fault: a bias, a common factor, a
 *      term that is missing, operands that are cut. Each statistic is compared with its range
 *      over reference orders that are simulated on the same inputs.
 * Errors that pass all steps are noise; the report names the effects that these inputs would have
 * shown. */
#ifndef ACCORD_EXPLAIN_H
#define ACCORD_EXPLAIN_H

#include <accord/reveal.h>

#ifdef __cplusplus
extern "C" {
#endif

enum accord_explained {
    ACCORD_EXPLAINED_ORDER,       /* the order explains every difference */
    ACCORD_EXPLAINED_NOISE,       /* only rounding errors that a right implementation may have */
    ACCORD_EXPLAINED_CANNOT_TELL, /* nothing was found, but too little could be tested */
    ACCORD_EXPLAINED_SUSPECT,     /* inside the envelope, but unlike right implementations */
    ACCORD_EXPLAINED_BUG,         /* outside what any right implementation can give */
    ACCORD_EXPLAINED_COUNT
};
/* "order", "noise", "cannot-tell", "suspect", "bug"; never NULL. */
ACCORD_API const char *accord_explained_name(enum accord_explained verdict);

/* Inputs of the caller, in place of those that accord draws: only the order, the envelope and the
 * tests of terms decide on them. Values must be exact in the format of the terms. Rows with NaN, an
 * infinity, or a sum that may overflow have no envelope and take no part. */
typedef struct accord_explain_inputs {
    size_t size; /* see accord/base.h */
    size_t rows, n;
    const double *x; /* rows x n; a start value is the last of its row */
    const double *y; /* the second factors, rows x n; NULL unless terms are products */
    /* 0: each row is a sum. Else the sums are the elements of a matrix product, rows x columns of
     * them, row by row: x holds the rows of the first operand, y the columns of the second one, one
     * after the other (NULL: sums along an axis, of one column), and `start` the matrix of start
     * values, if there are any; neither x nor y has places for these. As many elements as time
     * allows are tested, spread over the matrix; nearly all are compared with the envelope. */
    size_t columns;
    const double *start;
} accord_explain_inputs;

typedef struct accord_explain_options {
    size_t size;     /* see accord/base.h */
    uint64_t seed;   /* of the inputs */
    uint64_t inputs; /* of each kind, at most 10^7; 0: 1000, or fewer with very many terms */
    /* The kinds of inputs (doc/json.md), separated by commas; NULL: "normal,positive". */
    const char *kinds;
    /* In what a right implementation may accumulate: a format ("f32", "bf16"), or a machine of the
     * table with its rounding and alignment ("fused:hopper-f16"). NULL: the machine that was
     * revealed; else the narrowest format of the revealed order, if it is at least as wide as f32
     * and the result; else the wider of these two. */
    const char *accumulator;
    bool allow_nondeterministic; /* results that vary when an input is asked again are no fault */
    /* Limits for step 1, as in accord_reveal_options; with 0 an order is searched for 30 s. */
    uint64_t budget_calls;
    double budget_seconds;
    accord_progress *progress;
    void *progress_context;
    const accord_explain_inputs *given; /* NULL: inputs are drawn; else `inputs` and `kinds` count
                                           for nothing */
} accord_explain_options;
static inline void accord_explain_options_init(accord_explain_options *options)
{
    ACCORD_INIT(options);
}

/* Results that were computed before, one for each row of the inputs. */
typedef struct accord_explain_results {
    size_t size;          /* see accord/base.h */
    const char *name;     /* in reports; NULL: "results" */
    const double *result; /* copied */
    size_t rows, n;       /* results; terms of each */
    enum accord_format output;
    bool products; /* terms are products; else values */
    /* Of GEMV and GEMM, as in accord_target: with a beta that is not 0 the last of the n terms is a
     * start value. An alpha of 0 counts as 1. */
    double alpha, beta;
} accord_explain_results;

/* Makes a target of results, for accord_explain with `given` inputs; everything else that asks it
 * gets ACCORD_UNSUPPORTED. ACCORD_ARG: there are no results or terms, or no such format. */
ACCORD_API enum accord_status accord_target_from_results(const accord_explain_results *results,
                                                         accord_target **out, accord_error *error);
/* The narrowest of bf16, f16, f32 and f64 that holds all results. If nobody says what results were
 * rounded to, this one never makes a right implementation a wrong one. */
ACCORD_API enum accord_format accord_results_format(const double *result, size_t rows);

/* One statistic of one implementation on the inputs of one kind. */
typedef struct accord_explain_test {
    const char *name;  /* "bias", "truncation", "offset", "size", "growth", "row", "term", … */
    const char *about; /* what `value` is, in words */
    const char *kind;  /* of the inputs */
    double value;      /* of the implementation */
    double reference;  /* the greatest magnitude over the reference orders */
    double limit;      /* a magnitude above this would occur by chance with less than the level */
    bool decides;      /* false: there are too few inputs for this test to exceed its limit */
    bool outside;
    int64_t term;  /* "term": which one has the largest excess; else -1 */
    int64_t terms; /* "term": how many are outside */
} accord_explain_test;

typedef struct accord_explain_side {
    char *target;           /* the notation */
    accord_record *record;  /* what was revealed; NULL if step 1 was not done */
    bool replays;           /* its model gives the target's bits on all inputs compared */
    char order[200];        /* what step 1 found, in words */
    char accumulator[80];   /* in what a right implementation may accumulate */
    int64_t inputs, varied; /* inputs asked; those with other bits when they were asked again */
    int64_t bounded;        /* inputs for which the envelope is finite */
    double worst;           /* the greatest error divided by its envelope */
    int64_t worst_input;    /* where; -1: nowhere */
    const char *worst_kind;
    /* Where worst > 1: an input with few terms that are not zero and an error outside. */
    double *x, *y; /* n values each; y is NULL unless terms are products; else NULL */
    uint32_t fault_terms;
    double fault_result, fault_exact, fault_envelope;
    int64_t fault_row, fault_column; /* the element, of targets with many results */
    accord_explain_test *test;
    size_t tests;
    double level; /* of each test: 10^-6 divided by how many there are */
    enum accord_explained verdict;
    char words[640];
    enum accord_format output; /* what results are rounded to */
} accord_explain_side;

/* The library makes it. */
typedef struct accord_explanation {
    enum accord_explained verdict; /* the graver of the two */
    char words[640];
    accord_explain_side side[2];
    size_t sides;
    int64_t inputs, differ; /* on how many inputs the two results differ */
    double largest_ulp;     /* the largest difference in units in the last place of the result */
    char first_node[240];   /* where the orders part; "" if that is not known */
} accord_explanation;

/* Explains two targets of one question: equal n, format and kind of term, alpha and beta. b may be
 * NULL: a is then judged alone.
 *   ACCORD_OK: *out is the explanation, to be freed with accord_explanation_free.
 *   ACCORD_ARG: the questions differ, an option is malformed, or inputs and results do not fit.
 *   ACCORD_UNSUPPORTED: terms are squares (the result is a root), or the machine does not fit.
 *   ACCORD_TARGET, ACCORD_NOMEM.
 * Takes a second at 1000 terms and half a minute from 10^5 on, beside the search for the orders.
 * One thread at a time may use a target. */
ACCORD_API enum accord_status accord_explain(accord_target *a, accord_target *b,
                                             const accord_explain_options *options,
                                             accord_explanation **out, accord_error *error);
/* NULL is fine. */
ACCORD_API void accord_explanation_free(accord_explanation *explanation);

#ifdef __cplusplus
}
#endif
#endif
