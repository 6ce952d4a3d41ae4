/* Discovers an order and proves it, in several attempts: if the order is refuted, it is discovered
 * anew, with terms of the other sign, as a sum of terms that are never negative, or as one of two
 * widths. */
#include "reveal/discover/guess.h"
#include "reveal/discover/mend.h"
#include "reveal/discover/rooted.h"
#include "reveal/nonnegative/nonnegative.h"
#include "reveal/work.h"
#include "targets/target.h"
#include <math.h>

/* One term: nothing to order, but the target must answer. */
static enum accord_status discover_leaf(accordi_asker *asker, accord_tree **out)
{
    const uint32_t parent = ACCORD_TREE_NO_NODE;
    accordi_ask_begin(asker, 0);
    for (int i = 0; i < 2; i++) {
        accordi_ask_own(asker, 0, i ? accordi_whole_term(asker) : 1);
        accordi_ask_end(asker);
    }
    if (accordi_ask_run(asker))
        return asker->status;
    double one = asker->result[0];
    if (!accordi_is_whole(asker, asker->result[1], one) && accordi_find_kept(asker))
        return asker->status;
    if (!isfinite(one))
        return accordi_ask_unable(asker, ACCORD_REASON_NOT_FINITE,
                                  "the sum of the single term 1 is %g", one);
    if (one == 0)
        return accordi_ask_unable(asker, ACCORD_REASON_TERM_LOST,
                                  "term 0 is lost: the sum of the single term 1 is 0");
    asker->mask = asker->unit = 1;
    asker->bits = 1;
    asker->scale = one;
    return asker->status = accord_tree_from_parents(1, 0, &parent, out, asker->error);
}

static enum accord_status discover_pair(accordi_asker *asker, accord_tree **out)
{
    const uint32_t parent[] = {2, 2, ACCORD_TREE_NO_NODE};
    return asker->status = accord_tree_from_parents(2, 1, parent, out, asker->error);
}

void accordi_close_account(accordi_work *w, int64_t *calls, double *seconds)
{
    double now = accordi_now();
    *calls += (int64_t)(w->asker.target->calls - w->calls);
    *seconds += now - w->seconds;
    w->calls = w->asker.target->calls;
    w->seconds = now;
}

static enum accord_status discover_tree(accordi_work *w)
{
    accordi_asker *asker = &w->asker;
    accord_tree_free(w->record.tree);
    w->record.tree = NULL;
    w->proved = w->tried = false;
    if (asker->n == 1) {
        discover_leaf(asker, &w->record.tree);
    } else if (w->positive) {
        asker->stage = "discovering";
        if (asker->n == 2)
            discover_pair(asker, &w->record.tree);
        else
            accordi_positive(asker, w->how->again ? accordi_guess_positive : NULL, &w->record.tree);
    } else if (!accordi_calibrate(asker)) {
        asker->stage = "discovering";
        asker->status = asker->n == 2    ? discover_pair(asker, &w->record.tree)
                        : asker->attempt ? w->how->again(asker, &w->record.tree)
                                         : w->how->discover(asker, &w->record.tree);
    }
    accordi_ask_release(asker);
    accordi_close_account(w, &w->record.discovery_calls, &w->record.discovery_seconds);
    return asker->status;
}

/* Is the whole order to be proven at once? Plans that. */
static bool prefers_rounds(accordi_work *w)
{
    /* Rows are written anew, those of paths in more than twice as long; those of nodes change in
     * two terms. */
    enum { CHEAPER = 16, CHEAPER_PATHS = 40 };
    const accord_reveal_options *options = w->options;
    bool named = options->proof && !strcmp(options->proof, "probability");
    if (w->positive || w->asker.n < 3 || (options->proof && !named))
        return false;
    accordi_order_plan(&w->asker, w->record.tree,
                       options->proof_error > 0 ? options->proof_error : 1e-9, &w->rounds);
    uint64_t by_nodes = w->asker.n * (1 + w->asker.n / accordi_ask_capacity(&w->asker));
    uint64_t paths = w->rounds.paths, splits = w->rounds.calls - paths;
    return !w->asker.status && !w->rounds.unsuited &&
           (named || by_nodes > CHEAPER * splits + CHEAPER_PATHS * paths);
}

enum accord_status accordi_prove_by_nodes(accordi_work *w)
{
    w->by_rounds = false;
    if (w->asker.n > 1 && w->positive)
        accordi_positive_prove(&w->asker, w->record.tree, &w->certificate, &w->proven);
    else if (accordi_rooted_pays(&w->asker) && w->record.tree->inner + 1 == w->record.tree->leaves)
        accordi_rooted_prove(&w->asker, w->record.tree, &w->certificate, &w->proven);
    else if (w->asker.n > 1)
        accordi_prove(&w->asker, w->record.tree, &w->certificate, &w->proven);
    return w->asker.status;
}

/* Mends an order that was refuted. False where that cannot be done. */
static bool mends(accordi_work *w)
{
    enum { MENDINGS = 8 };
    accord_tree *mended = NULL;
    if (w->asker.status || w->proven || w->positive || !w->how->again || w->mendings == MENDINGS)
        return false;
    w->mendings++;
    accordi_close_account(w, &w->record.certificate_calls, &w->record.certificate_seconds);
    accordi_mend(&w->asker, w->record.tree, &mended);
    accordi_close_account(w, &w->record.discovery_calls, &w->record.discovery_seconds);
    if (!mended)
        return false;
    accord_tree_free(w->record.tree);
    w->record.tree = mended;
    return true;
}

/* What rounds refute may be another order, or this one with another rounding: the proof by nodes
 * tells. */
static enum accord_status prove_tree(accordi_work *w)
{
    w->proven = w->asker.n == 1;
    w->tried = true;
    do {
        w->by_rounds = !w->options->no_certificate && prefers_rounds(w);
        if (w->by_rounds)
            accordi_order_prove(&w->asker, w->record.tree, &w->rounds, &w->proven);
        else
            accordi_prove_by_nodes(w);
    } while (mends(w));
    if (w->by_rounds && w->proven)
        w->certificate.nodes = w->certificate.confirmed = w->record.tree->inner;
    else if (w->by_rounds && !w->asker.status)
        accordi_prove_by_nodes(w);
    accordi_close_account(w, &w->record.certificate_calls, &w->record.certificate_seconds);
    w->proved = w->proven && !w->asker.status && !w->options->no_certificate;
    return w->asker.status;
}

/* Contradictions can come from calibration: in narrow formats a few terms that swallow less than
 * all others may not have been met. So all is done again, from there, with other random choices and
 * with more care. */
static bool try_again(accordi_work *w)
{
    enum { ATTEMPTS = 3 };
    int attempt = ++w->asker.attempt;
    enum accord_status status = w->asker.status;
    bool contradicted =
        status == ACCORD_UNABLE && w->asker.error->reason == ACCORD_REASON_NOT_A_TREE;
    return w->how->again && attempt < ATTEMPTS && (contradicted || accordi_is_refuted(w));
}

/* Terms that cannot be negative look like no sum at all: that is asked when nothing else fits. */
static bool turns_out_positive(accordi_work *w)
{
    accordi_asker *asker = &w->asker;
    accord_error *error = asker->error, ignored;
    bool needed = false;
    enum accord_status status = asker->status;
    /* Two terms of one sign may pass for any; only the proof of their one node tells. */
    if (w->positive || (status != ACCORD_UNABLE && !accordi_is_refuted(w) && asker->n > 1))
        return false;
    asker->error = &ignored;
    asker->status = ACCORD_OK;
    accordi_positive_needed(asker, &needed, &asker->term);
    asker->error = error;
    asker->status = status;
    asker->attempt = needed ? 0 : asker->attempt;
    return w->positive = needed;
}

/* Where a term and its negative gave the same, that is asked at once. If terms are negative after
 * all, the same is asked again. */
static bool turns_positive_at_once(accordi_work *w)
{
    accordi_asker *asker = &w->asker;
    bool mirrored = asker->mirrored && asker->status == ACCORD_UNABLE;
    asker->mirrored = asker->may_be_positive = false;
    return mirrored && (turns_out_positive(w) || asker->status == ACCORD_UNABLE);
}

/* Where sums, or aligned terms, are rounded up, a small positive term beside a mask is neither
 * kept nor lost, but a negative one is lost. So what is no tree is asked with the other sign, once;
 * where that does no better, the first reason stands. */
static bool turns_over(accordi_work *w)
{
    accordi_asker *asker = &w->asker;
    bool unable = asker->status == ACCORD_UNABLE;
    if (asker->sign < 0) {
        asker->sign = unable ? 1 : -1;
        if (unable) {
            *asker->error = w->upright;
            asker->blamed = w->upright_blamed;
        }
        return false;
    }
    if (!unable || w->positive || asker->n < 3 || asker->error->reason == ACCORD_REASON_NOT_FINITE)
        return false;
    w->upright = *asker->error;
    w->upright_blamed = asker->blamed;
    asker->sign = -1;
    return true;
}

/* Products may reach further than the factors: where the range is too narrow for terms that are
 * factors times 1, terms are split, and after that into normal factors alone. Where that does no
 * better, the first reason stands. */
static bool turns_split(accordi_work *w)
{
    accordi_asker *asker = &w->asker;
    bool unable = asker->status == ACCORD_UNABLE;
    bool refuted = accordi_is_refuted(w);
    bool suits = unable && !w->positive && asker->error->reason == ACCORD_REASON_OUT_OF_RANGE &&
                 accordi_two_factors_suit(asker->target);
    if (asker->factors == ACCORDI_ONE_FACTOR && suits)
        w->whole = *asker->error;
    if (asker->factors < ACCORDI_NORMAL_FACTORS &&
        (suits || (asker->factors && (unable || refuted)))) {
        asker->factors++;
        asker->sign = 1;
        asker->attempt = 0;
        return true;
    }
    if (asker->factors && (unable || refuted)) {
        *asker->error = w->whole;
        asker->status = ACCORD_UNABLE;
        asker->factors = ACCORDI_ONE_FACTOR;
    }
    return false;
}

/* Sums of two widths that were guessed, and wrongly: all is done again, and that is not guessed. */
static bool turns_narrow(accordi_work *w)
{
    accordi_asker *asker = &w->asker;
    bool guessed = asker->two_widths && !w->widened;
    if (!guessed || (asker->status != ACCORD_UNABLE && !accordi_is_refuted(w)))
        return false;
    asker->two_widths = false;
    asker->attempt = 1;
    return true;
}

/* Terms that cannot be negative, and that no sums of one width explain: perhaps some are wider than
 * the result. Where that does no better, the first reason stands. */
static bool turns_wider(accordi_work *w)
{
    accordi_asker *asker = &w->asker;
    bool unable = asker->status == ACCORD_UNABLE;
    bool refuted = accordi_is_refuted(w);
    if (asker->two_widths) {
        if (unable || refuted) {
            *asker->error = w->upright;
            asker->blamed = w->upright_blamed;
            asker->status = ACCORD_UNABLE;
        }
        return false;
    }
    if (!unable || !w->positive || asker->error->reason != ACCORD_REASON_OUT_OF_RANGE ||
        !accordi_positive_may_widen(asker))
        return false;
    w->upright = *asker->error;
    w->upright_blamed = asker->blamed;
    return w->widened = asker->two_widths = true;
}

static bool is_no_tree(const accordi_asker *asker)
{
    return asker->status == ACCORD_UNABLE && asker->error->reason == ACCORD_REASON_NOT_A_TREE;
}

/* Where neither sign shows a tree, and masks of both signs were moved, the moves are counted. */
static bool turns_to_moves(accordi_work *w)
{
    accordi_asker *asker = &w->asker;
    bool refuted = accordi_is_refuted(w);
    if (asker->moves != ACCORDI_MOVES_SEEN || w->positive || !(refuted || is_no_tree(asker)))
        return false;
    asker->moves = ACCORDI_MOVES_COUNTED;
    asker->attempt = 0;
    return true;
}

/* What cannot be read then contradicts no tree. */
static void say_toward_zero(accordi_asker *asker)
{
    if (asker->moves == ACCORDI_MOVES_COUNTED && is_no_tree(asker))
        accordi_ask_unable(asker, ACCORD_REASON_OUT_OF_RANGE,
                           "small terms move masks of the other sign, as where sums are rounded "
                           "toward zero, and %s has no room to count these moves beside the terms",
                           accord_format_get(asker->target->output)->name);
}

/* Where a narrow format left little room to calibrate, a wrong tree may explain every answer: there
 * what was discovered is put to the proof even if no certificate was asked for. */
static bool needs_proof(const accordi_work *w)
{
    return !w->options->no_certificate || (w->asker.narrow && w->how->again && w->asker.n > 1);
}

enum accord_status accordi_find_and_prove(accordi_work *w)
{
    do {
        w->asker.status = ACCORD_OK;
        if (!discover_tree(w) && needs_proof(w))
            prove_tree(w);
    } while (turns_positive_at_once(w) || turns_narrow(w) || try_again(w) || turns_over(w) ||
             turns_to_moves(w) || turns_split(w) || turns_out_positive(w) || turns_wider(w));
    say_toward_zero(&w->asker);
    return w->asker.status;
}
