/* One reveal while it is being worked out. Internal; see reveal.c. */
#ifndef ACCORDI_WORK_H
#define ACCORDI_WORK_H

#include "reveal/prove/certificate.h"
#include "reveal/prove/order_rounds.h"
#include <accord/reveal.h>

typedef struct accordi_algorithm {
    accord_algorithm public;
    enum accord_status (*discover)(accordi_asker *asker, accord_tree **out);
    /* Tried when what `discover` found is refuted. */
    enum accord_status (*again)(accordi_asker *asker, accord_tree **out);
} accordi_algorithm;

typedef struct accordi_work {
    accordi_asker asker;
    const accordi_algorithm *how;
    const accord_reveal_options *options;
    accord_record record;
    accordi_certificate certificate;
    bool proven;
    bool tried;     /* the tree that was discovered was put to the proof */
    bool proved;    /* the proof was asked for and made, and nothing contradicts it */
    bool by_rounds; /* of the whole order at once, as `rounds` says; else node by node */
    accordi_order_proof rounds;
    int mendings;         /* of orders that were refuted */
    bool positive;        /* terms are never negative */
    bool widened;         /* sums of two widths were looked for, since those of one explain none */
    bool borne_out;       /* the reason, by ordinary numbers */
    accord_error upright; /* why terms of their own sign gave no order */
    uint32_t upright_blamed;
    accord_error whole; /* why terms that are factors times 1 gave no order */
    uint64_t calls;
    double seconds;
} accordi_work;

/* Whether probes contradict the tree at hand. */
static inline bool accordi_is_refuted(const accordi_work *w)
{
    return !w->asker.status && w->tried && !w->proven;
}

/* Calibrates, discovers an order and proves it, until an attempt holds or there are no more; the
 * status is that of the last one (attempts.c). */
enum accord_status accordi_find_and_prove(accordi_work *w);
/* Proves the order at hand by probes of its nodes: w->proven. */
enum accord_status accordi_prove_by_nodes(accordi_work *w);
/* Adds the calls and the time since the last such account. */
void accordi_close_account(accordi_work *w, int64_t *calls, double *seconds);

/* Of a reveal that has done so many calls: how many there will be in all, as far as can be told
 * (progress.c). */
uint64_t accordi_ahead(accordi_asker *asker, uint64_t done);

/* Where the progress callback has stopped it: adds to the error what is known until then. */
void accordi_tell_known(const accordi_work *w, accord_error *error);

/* Whether the reason why there is no order is one that a machine may give masks and units, or
 * ordinary numbers beside them. */
bool accordi_may_be_machine(const accordi_work *w);
/* After probes gave no order: looks for a machine whose steps need no masks to be seen. Where it is
 * found, the status is ACCORD_OK, and the order is replayed but not proven; else all is as it was,
 * unless asking failed (without_masks.c). */
void accordi_without_masks(accordi_work *w);

/* Where operands have no room for masks, but share scales that have: looks for a machine whose
 * steps the masks of scales show, or else exchanges of blocks. The order is replayed but not
 * proven (blocks.c). */
void accordi_by_scales(accordi_work *w);
/* Whether the options leave it to accord how the order is found, proven and replayed. */
static inline bool accordi_usual_options(const accord_reveal_options *options)
{
    return !options->no_certificate && !options->algorithm && !options->proof &&
           !options->replays && !options->budget_calls && options->budget_seconds == 0;
}
static inline bool accordi_needs_scales(const accord_target *target)
{
    return target->scale_block > 0 && !accord_format_adds(target->format);
}
/* ACCORD_UNSUPPORTED for such operands without scales, and for options that mean nothing there;
 * ACCORD_ARG where they do not fill their last block. ACCORD_OK for all others. */
enum accord_status accordi_check_scales(const accord_target *target,
                                        const accord_reveal_options *options, accord_error *error);

/* What the replays say about a proven order: nothing, or the reason why it is none. */
enum accord_status accordi_judge(accordi_work *w);

/* Asks for ordinary numbers whether a sum is exact or compensated, as masks and units show. */
void accordi_bear_out(accordi_work *w, accord_error *error);

/* What an answer is worth after the budget was spent. */
void accordi_settle_budget(accordi_work *w, accord_error *error);

/* Writes what was found into w->record. */
enum accord_status accordi_fill_record(accordi_work *w, const accord_error *error);

#endif
