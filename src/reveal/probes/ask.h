/* Sends probes to the target: new kinds of probes are written with this, in discover/ or prove/.
 *
 * This is the only place where questions become calls: it sends masks and units and returns what
 * they count. A new probe is added where its answer is used: in discover/, prove/, arithmetic/,
 * machine/ or reasons/. Internal to room reveal.
 *
 * An asker holds the target, the calibration (which mask swallows which units, how many bits a
 * result carries) and the batch under construction. Batches are written with begin, then per
 * probe any `stay`, then any `own`, then `end`; `run` sends the batch and leaves the raw
 * results in `result`. A failure is kept: later calls do nothing and return it. */
#ifndef ACCORDI_ASK_H
#define ACCORDI_ASK_H

#include "base/base.h"
#include "reveal/probes/two_factors.h"
#include <accord/reveal.h>
#include <math.h>

/* More than the bits of any sum that is known. */
enum { ACCORDI_WIDE_DROP = 68 };

/* Of masks, by terms of the other sign, where sums are rounded toward zero: run.c. */
enum accordi_moves { ACCORDI_MOVES_UNSEEN, ACCORDI_MOVES_SEEN, ACCORDI_MOVES_COUNTED };

typedef struct accordi_asker {
    accord_target *target;
    size_t n;
    const uint32_t *terms; /* NULL, or the n terms that are asked about: the others are 0 */
    accordi_rng rng;
    accord_error *error;
    enum accord_status status; /* sticky */

    enum accord_term term; /* the target's word, or what was found */

    enum accord_format format; /* that probes are written in: the target's, or what terms keep of it
                                  where the target computes in a narrower one */
    bool kept_known;           /* that was asked */

    /* Calibration: mask + (less than 2^bits units) = mask; sums below 2^bits units are exact. */
    double mask, unit;
    bool narrow; /* the range left little room: triples of terms showed what a mask swallows */
    int mask_exponent;
    int drop; /* masks swallow terms of 2^-drop of them: where sums may be wide, ACCORDI_WIDE_DROP
               */
    int bits;
    double scale;       /* result = scale * sum */
    double alpha, beta; /* the user's; see accordi_ask_factors */
    double start_factor, result_factor;
    /* -1: all terms are asked for with the other sign, and results are turned back. Beside masks
     * what rounds up keeps every positive term, but loses negative ones. */
    double sign;
    enum accordi_moves moves;
    double headroom;      /* multiples of the mask up to this one are terms too */
    bool toward_zero;     /* terms are not negative, and sums are rounded so */
    bool may_be_positive; /* calibration is to end where a term and its negative give the same, … */
    bool mirrored;        /* … and does */
    bool two_widths;      /* terms are not negative, and some sums are wider than the result */
    int attempt;          /* how often an order was found that probes contradict */
    bool proof_follows;   /* a certificate will be made: a guess need not be verified twice */
    const accord_tree *expected; /* a binary order of all terms that is likely; or NULL */
    double quantum; /* the least value that a fused node keeps beside a mask; 0 unknown */

    /* The batch. */
    double fill, second; /* of the terms, and their second factors; `begin` sets second to
                            0, which means 1 */
    uint32_t *start, *index;
    double *value, *result;
    size_t probes, entries, start_capacity, entry_capacity, result_capacity;
    bool owning;    /* the current probe's own writes have begun */
    bool rows_lent; /* dense rows stand in the target's memory (dense_rows.h) */

    enum accordi_factors_used factors; /* how terms beyond the range of one factor are asked for */

    accord_progress *progress;
    void *progress_context;
    const char *stage;
    uint64_t total;
    double last_progress;
    /* How many calls there will be in all, after so many; NULL: `total` tells. */
    uint64_t (*ahead)(struct accordi_asker *asker, uint64_t done);
    uint64_t first_calls; /* the target's calls before it */
    int rank;             /* of the stage, and how many calls were done when it began */
    uint64_t rank_began;
    bool stopped;    /* the caller wants no more */
    uint32_t blamed; /* a term that was lost, counted twice or weighted; NO_NODE: none was seen */
    unsigned beyond; /* where the target reads beside its operands without using it: accord_zone */

    /* Limits of the caller: budget.c. 0: none. */
    uint64_t replays, budget_calls;
    double budget_seconds, began;
    bool spent; /* what was to be asked next did not fit into the budget */
} accordi_asker;

void accordi_ask_init(accordi_asker *asker, accord_target *target, uint64_t seed,
                      accord_error *error);
void accordi_ask_clear(accordi_asker *asker);
/* Frees the batch and its results, which may be large; the next `begin` starts another one. */
void accordi_ask_release(accordi_asker *asker);

/* Ends the work with ACCORD_UNABLE and a reason, which is then the asker's status. */
enum accord_status accordi_ask_unable(accordi_asker *asker, enum accord_reason reason,
                                      const char *format, ...) ACCORDI_PRINTF(3, 4);
/* accordi_alloc, accordi_calloc and accordi_grow; without memory the status is ACCORD_NOMEM. */
void *accordi_ask_alloc(accordi_asker *asker, size_t count, size_t size);
void *accordi_ask_calloc(accordi_asker *asker, size_t count, size_t size);
bool accordi_ask_grow(accordi_asker *asker, void **array, size_t *capacity, size_t needed,
                      size_t size);

/* From now on questions are about `count` of the target's terms, in ascending order, which are
 * numbered from 0; `terms` is borrowed. NULL: about all of them. */
void accordi_ask_only(accordi_asker *asker, const uint32_t *terms, size_t count);

void accordi_ask_begin(accordi_asker *asker, double fill);
void accordi_ask_stay(accordi_asker *asker, uint32_t index, double value);
/* The same for `count` terms from `first` on, upward or down: units[i] times `unit`. */
void accordi_ask_stay_run(accordi_asker *asker, uint32_t first, bool down, const uint32_t *units,
                          size_t count, double unit);
void accordi_ask_own(accordi_asker *asker, uint32_t index, double value);
/* The same for each value that is not 0. */
void accordi_ask_nonzero(accordi_asker *asker, const uint32_t *index, const double *value,
                         size_t count);
void accordi_ask_end(accordi_asker *asker);
enum accord_status accordi_ask_run(accordi_asker *asker);
/* The same without a second look at the answers: where sums are rounded toward zero, masks may have
 * been moved. */
enum accord_status accordi_ask_once(accordi_asker *asker, double *result);

/* The target's alpha and beta: the user's own, or those that the order is looked for with, because
 * masks must come through exactly: the user's where they are 1 or -1, for which libraries have code
 * of its own, else 1/2 or 2 with the user's sign and on the same side of 1, since libraries also
 * choose by these; written start values and results are scaled to make up for it. From init to
 * clear they are the latter. */
void accordi_ask_factors(accordi_asker *asker, bool own);

/* Before `probes` sums are asked for: tells progress; false, with the sticky status set, when the
 * caller wants to stop, or when they do not fit into the budget (asker->spent). */
bool accordi_ask_goes_on(accordi_asker *asker, size_t probes);

/* Of random inputs that cost `each` calls apiece, how many of `wanted` the budget has room for,
 * leaving a part of it for other questions. */
size_t accordi_budget_room(const accordi_asker *asker, size_t wanted, double each);
/* Whether so many sums fit into it. */
bool accordi_budget_holds(const accordi_asker *asker, size_t probes);
/* "the budget of 500 calls". */
void accordi_budget_words(const accordi_asker *asker, char *text, size_t size);

/* The units in a raw result: an integer in 0 … 2^bits-1, or ACCORD_UNABLE (not finite; not a
 * tree). */
enum accord_status accordi_ask_decode(accordi_asker *asker, double raw, uint64_t *units);

/* The exponents of normal numbers that the result's format and one of terms have in common. */
typedef struct accordi_exponents {
    int least, most;
} accordi_exponents;
accordi_exponents accordi_ask_exponents(const accordi_asker *asker, enum accord_format terms);

/* The exponent of a unit with which masks and halves of p bits are terms, and results; false when
 * there is none. */
bool accordi_ask_tie_unit(const accordi_asker *asker, int p, int *unit);

/* One probe each, of zeros but for a mask at a and its negative at b; and x at c. */
void accordi_ask_masks(accordi_asker *asker, uint32_t a, uint32_t b);
void accordi_ask_triple(accordi_asker *asker, uint32_t a, uint32_t b, uint32_t c, double x);

/* The same number in so many places of dense inputs. */
void accordi_ask_repeat(void *values, size_t count, bool is_f32, double value);

/* Draws `count` different terms; count <= n. */
void accordi_ask_pick(accordi_asker *asker, uint32_t *leaves, size_t count);

/* Finds mask, unit, bits, scale, headroom by asking. ACCORD_UNABLE with the reason when no pair
 * of mask and unit works, a term is lost or counted twice, or results are not repeatable.
 * n >= 2. */
enum accord_status accordi_calibrate(accordi_asker *asker);

/* Which format of the table all terms come through in (kept.c): sets asker->format to the widest
 * that is narrower than the target's, if there is one; asked once. */
enum accord_status accordi_find_kept(accordi_asker *asker);
/* What to add to the name of that format where it is narrower: "" or a clause. */
const char *accordi_kept_words(const accordi_asker *asker);
/* A term that is seen to come through only if none of its bits is lost; whether it did, when `raw`
 * came of x times that and `one` of x. */
double accordi_whole_term(const accordi_asker *asker);
bool accordi_is_whole(const accordi_asker *asker, double raw, double one);

static inline bool accordi_is_power_of_two(double x)
{
    int exponent;
    return frexp(fabs(x), &exponent) == 0.5;
}

/* The largest number of units that one probe can count. */
static inline uint64_t accordi_ask_capacity(const accordi_asker *asker)
{
    return ((uint64_t)1 << asker->bits) - 1;
}

#endif
