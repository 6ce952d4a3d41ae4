/* From a black box to a proven order. */
#ifndef ACCORD_REVEAL_H
#define ACCORD_REVEAL_H

#include <accord/target.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A row of the table of algorithms. */
typedef struct accord_algorithm {
    const char *name;  /* "auto", "naive", "basic", "refined", "fprev", "modified" */
    const char *about; /* one line, with the source */
} accord_algorithm;

/* The i-th algorithm, NULL past the end; the first is the default. */
ACCORD_API const accord_algorithm *accord_algorithm_at(size_t i);
ACCORD_API const accord_algorithm *accord_algorithm_by_name(const char *name);

/* Called now and then, in `stage`: `done` of `total` steps are done (total 0: unknown). Of
 * accord_reveal the steps are calls of the target from the beginning to the end: done never falls,
 * and the total is an estimate that gets better, never less than done. Returns false to
 * stop: accord_reveal then gives up with ACCORD_TARGET and "interrupted". */
typedef bool accord_progress(void *context, const char *stage, uint64_t done, uint64_t total);

typedef struct accord_reveal_options {
    const char *algorithm; /* NULL: "auto" */
    uint64_t seed;
    bool no_certificate; /* discovery alone, for measurements: nothing is proven */
    bool loose; /* an order whose replays disagree is ACCORD_OK all the same, though not proven */
    uint64_t replays;      /* random inputs to replay; 0: 2000, fewer of very many terms */
    uint64_t budget_calls; /* no more sums than this are asked for; 0: no limit */
    double budget_seconds; /* nothing is asked for that would take longer; 0: no limit */
    accord_progress *progress;
    void *progress_context;
} accord_reveal_options;
ACCORD_API void accord_reveal_options_init(accord_reveal_options *options);

/* Reads a budget as people write it: "10s" (seconds; "1.5s" too) or "5000calls". ACCORD_ARG for
 * anything else, with what would be right; then the options are untouched. */
ACCORD_API enum accord_status accord_reveal_budget(const char *text, accord_reveal_options *options,
                                                   accord_error *error);

/* Reveals the order in which `target` adds, proves it and fills `record` (initialised by the
 * caller): the question, tree, verdict, evidence.
 *   ACCORD_OK: the tree is the order, under the assumption named in record->assumes;
 *     record->proven and the replays say how far that was confirmed.
 *   ACCORD_UNABLE: no fixed tree of additions; error->reason says why, and the record (which is
 *     filled in this one case too) carries reason and verdict; its tree is NULL, but with NOT_PLAIN
 *     it is what the probes show: whether it is the order for all values is not known. Reason
 *     BUDGET says that the budget was spent before there was an order.
 *   ACCORD_TARGET, ACCORD_NOMEM, ACCORD_ARG, ACCORD_UNSUPPORTED: record untouched.
 * Where the budget is spent after the order was found, or fewer inputs are replayed than by
 * default, the order is ACCORD_OK but not proven, and record->left_out says what is missing.
 * A budget is kept by asking nothing that does not fit into it, as far as the time that calls have
 * taken so far tells; what accord itself computes between two calls is not interrupted.
 * A target is revealed by one thread at a time; different targets may be by several at once.
 * How often the target was asked is in the record.
 * Method and proofs: src/reveal. */
ACCORD_API enum accord_status accord_reveal(accord_target *target,
                                            const accord_reveal_options *options,
                                            accord_record *record, accord_error *error);

/* Input number `row` (from 0) of the answers in `record`, made again from its question: writes n
 * values each to x and y; y is all 1 unless the terms are products. With beta != 0 the last of x is
 * the start value, and that of y means nothing. ACCORD_ARG when there are no answers or no such
 * input, ACCORD_UNSUPPORTED when they are of another generator than this library's. Thread-safe. */
ACCORD_API enum accord_status accord_answers_input(const accord_record *record, int64_t row,
                                                   double *x, double *y, accord_error *error);
/* The name of the kind of that input ("cancelling"), static text; "" where there is none. */
ACCORD_API const char *accord_answers_kind(const accord_record *record, int64_t row);

#ifdef __cplusplus
}
#endif
#endif
