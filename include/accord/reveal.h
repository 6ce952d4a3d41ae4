/* From a black box to a proven order. */
#ifndef ACCORD_REVEAL_H
#define ACCORD_REVEAL_H

#include <accord/target.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A row of the table of algorithms. */
typedef struct accord_algorithm {
    const char *name;  /* "auto", "wide", "fprev", "refined", "modified", "basic", "naive" */
    const char *about; /* one line, with the source */
} accord_algorithm;

/* The i-th algorithm, NULL past the end; the first is the default. */
ACCORD_API const accord_algorithm *accord_algorithm_at(size_t i);
ACCORD_API const accord_algorithm *accord_algorithm_by_name(const char *name);

/* A callback that is told about progress: in `stage`, `done` of `total` steps are done (total 0:
 * the number is not known). In accord_reveal a step is a call of the target. `done` counts them
 * from the beginning and never decreases; `total` is an estimate that improves and is never less
 * than `done`. The callback returns false to stop; accord_reveal then returns ACCORD_TARGET with
 * a text that begins with "interrupted: " and says what is known until then, as in "an order was
 * found, and 40 of 156 rounds of its proof have passed". */
typedef bool accord_progress(void *context, const char *stage, uint64_t done, uint64_t total);

typedef struct accord_reveal_options {
    size_t size;           /* see accord/base.h */
    const char *algorithm; /* NULL: "auto" */
    uint64_t seed;
    bool no_certificate;   /* find the order and stop, for measurements: nothing is proven */
    bool loose;            /* return ACCORD_OK, not proven, for an order whose replays disagree */
    uint64_t replays;      /* random inputs to replay; 0: 2000, or fewer with very many terms */
    uint64_t budget_calls; /* ask for no more sums than this; 0: no limit */
    double budget_seconds; /* ask for nothing that would take longer than this; 0: no limit */
    accord_progress *progress;
    void *progress_context;
    /* How the order is proven. "nodes": every node by probes. "probability": the whole order at
     * once, in rounds that another order passes with a probability of at most `proof_error`, if
     * additions round once, to the nearest number of the result's format; where that does not suit,
     * by nodes. NULL: the latter if it takes far fewer calls, as with thousands of terms. */
    const char *proof;
    double proof_error; /* above 0 and below 1; 0: 1e-9 */
    /* An order that is likely, which is tried before any other: what it takes to find another one
     * is saved where it is right. Borrowed. NULL, or one of another number of terms: none. */
    const accord_tree *expected;
} accord_reveal_options;
static inline void accord_reveal_options_init(accord_reveal_options *options)
{
    ACCORD_INIT(options);
}

/* Reads a budget from text: seconds, as in "10s" or "1.5s", or calls, as in "5000calls". ACCORD_ARG
 * for anything else; the error says what is accepted, and the options are untouched. */
ACCORD_API enum accord_status accord_reveal_budget(const char *text, accord_reveal_options *options,
                                                   accord_error *error);

/* Reveals the order in which `target` adds, proves it and fills `record` (initialized by the
 * caller): the question, tree, verdict, evidence.
 *   ACCORD_OK: the tree is the order, under the assumption named in record->assumes;
 *     record->proven and the replays say how far that was confirmed.
 *   ACCORD_UNABLE: the target is not known to add along one fixed tree. error->reason says why. The
 *     record is filled in this case, too, with the reason and the verdict, but its tree is NULL.
 *     There are two special reasons. With ACCORD_REASON_NOT_PLAIN the tree is the order that the
 *     probes show; whether it is the order for all values is not known. ACCORD_REASON_BUDGET means
 *     that the budget was spent before an order was found.
 *   ACCORD_TARGET, ACCORD_NOMEM, ACCORD_ARG, ACCORD_UNSUPPORTED: the record is untouched.
 * If the budget is spent after the order was found, or
 * if fewer inputs are replayed than by default, the status is ACCORD_OK, the order is not proven,
 * and record->left_out says what is missing. To keep a budget, accord does not ask for anything
 * that would exceed it, judging by the time that calls have taken so far. Its own computation
 * between two calls is not interrupted. One thread at a time may reveal a target; several threads
 * may reveal different targets at once. The record holds the number of calls of the target. Method
 * and proofs: src/reveal. */
ACCORD_API enum accord_status accord_reveal(accord_target *target,
                                            const accord_reveal_options *options,
                                            accord_record *record, accord_error *error);

/* Makes input number `row` (from 0) of the answers in `record` again. Writes n values each to x and
 * y; y is all 1 unless the terms are products. With beta != 0 the last value of x is the start
 * value, and the last value of y has no meaning. ACCORD_ARG: there are no answers, or no such
 * input. ACCORD_UNSUPPORTED: the answers were made by another version of the generator than this
 * library has. Thread-safe. */
ACCORD_API enum accord_status accord_answers_input(const accord_record *record, int64_t row,
                                                   double *x, double *y, accord_error *error);
/* The name of the kind of that input, such as "cancelling"; "" if there is no such input. Static
 * text. */
ACCORD_API const char *accord_answers_kind(const accord_record *record, int64_t row);

#ifdef __cplusplus
}
#endif
#endif
