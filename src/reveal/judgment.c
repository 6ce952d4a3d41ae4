/* Judges an order that was found: whether the replays confirm it, and if not, for what reason. */
#include "reveal/arithmetic/size_classes.h"
#include "reveal/work.h"
#include <accord/pattern.h>

/* An order that random inputs do not confirm is an answer only if the options ask for it. */
static enum accord_status judge_plainness(accordi_work *w)
{
    const accordi_certificate *c = &w->certificate;
    const char *why = *c->changed ? c->changed : *c->odd_node ? c->odd_node : c->no_machine;
    if (w->options->loose)
        return ACCORD_OK;
    if (c->replays_agreed == c->replays)
        return accordi_ask_unable(
            &w->asker, ACCORD_REASON_NOT_PLAIN,
            "probes show an order, and %zu random inputs were replayed with it bit for bit, but "
            "%s%s%s",
            c->replays,
            *c->odd_node        ? c->odd_node
            : c->rounds.other   ? "sums of ties give other results"
            : c->rivals.at_ends ? "inputs with terms or sums next to the greatest number or the "
                                  "least give other results"
            : c->rivals.refuted
                ? "inputs that were chosen to distinguish similar models give other results"
            : c->far ? "products that are far smaller than others or that cancel give other results"
                     : "sums that overflow give other results",
            *c->odd_node || !*c->no_machine ? "" : "; ", *c->odd_node ? "" : c->no_machine);
    return accordi_ask_unable(
        &w->asker, ACCORD_REASON_NOT_PLAIN,
        "probes show an order, but only %zu of %zu random inputs were replayed with it bit for "
        "bit%s%s%s%s",
        c->replays_agreed, c->replays, *why ? "; " : "",
        *c->odd_node && !*c->changed ? "probes show that " : "", why,
        c->disagreement.outside ? "; results have another format than was said: see --result" : "");
}

/* Both orders, a line each. */
static enum accord_status keep_orders(accordi_work *w, const accord_tree *other, int exponent)
{
    accordi_buffer lines = {0};
    accordi_asker *asker = &w->asker;
    accordi_buffer_printf(&lines, "2^%d ", asker->mask_exponent);
    accord_tree_write_brackets(w->record.tree, accordi_buffer_write, &lines, NULL);
    accordi_buffer_printf(&lines, "\n2^%d ", exponent);
    accord_tree_write_brackets(other, accordi_buffer_write, &lines, NULL);
    if (lines.failed)
        asker->status = accordi_nomem(asker->error);
    else
        asker->status = accord_record_set(&w->certificate.orders, lines.data, asker->error);
    accordi_buffer_clear(&lines);
    return asker->status;
}

/* Two orders, each proven with masks of one size. */
static enum accord_status judge_magnitudes(accordi_work *w)
{
    accordi_asker *asker = &w->asker;
    accord_tree *other = NULL;
    char here[ACCORD_ORDER_WORDS_SIZE], there[ACCORD_ORDER_WORDS_SIZE];
    int exponent = 0;
    size_t places = 0;
    accordi_elsewhere(asker, w->record.tree, &other, &exponent, &places);
    w->certificate.far_only = places == 0;
    if (other && !keep_orders(w, other, exponent)) {
        accord_order_words(w->record.tree, here);
        accord_order_words(other, there);
        accordi_ask_unable(asker, ACCORD_REASON_DATA_DEPENDENT,
                           "the order depends on the values: with terms as large as 2^%d it is %s, "
                           "but with terms as large as 2^%d it is %s",
                           asker->mask_exponent, here, exponent, there);
    }
    accord_tree_free(other);
    return asker->status;
}

/* A norm that nothing explains. */
static enum accord_status judge_sizes(accordi_work *w)
{
    accordi_asker *asker = &w->asker;
    int exponent = 0;
    bool yes = false;
    if (asker->term != ACCORD_TERM_SQUARE || accordi_apart(asker, &yes, &exponent) || !yes)
        return asker->status ? asker->status : judge_plainness(w);
    return accordi_ask_unable(asker, ACCORD_REASON_DATA_DEPENDENT,
                              "the order depends on the values: terms that vanish one by one "
                              "beside another do count when all terms are multiplied by 2^%d, so "
                              "squares of terms of different sizes have accumulators of their own",
                              exponent);
}

/* Compensated in part: blocks are added plainly, and their sums are not. */
static enum accord_status judge_blocks(accordi_work *w)
{
    accordi_asker *asker = &w->asker;
    size_t blocks = 0;
    if (accordi_carries(asker, w->record.tree, &blocks) || blocks == 0)
        return asker->status;
    w->borne_out = true;
    return accordi_ask_unable(
        asker, ACCORD_REASON_COMPENSATED,
        "the sum is compensated in part: the terms are added plainly in %zu blocks, and the sums "
        "of these blocks are added with their rounding errors carried along (Kahan's summation), "
        "which gives the same bits for all random inputs of ordinary size",
        blocks);
}

/* What the replays say about the order: nothing, or that it is none. */
enum accord_status accordi_judge(accordi_work *w)
{
    accordi_asker *asker = &w->asker;
    const accordi_certificate *c = &w->certificate;
    bool yes = false;
    if (c->repeats_agreed < c->repeats)
        return accordi_ask_unable(
            asker, ACCORD_REASON_NONDETERMINISTIC,
            "random inputs that were repeated gave identical results only %zu of %zu times",
            c->repeats_agreed, c->repeats);
    if (c->explained)
        return ACCORD_OK;
    if (w->positive)
        return judge_sizes(w);
    bool long_one =
        c->accumulator_bits > ACCORDI_LONGEST; /* keeps more bits, and carries no errors */
    if (!long_one && accordi_compensates(asker, w->record.tree, c, &yes))
        return asker->status;
    if (yes && accordi_borne_out(asker, ACCORD_REASON_COMPENSATED, &yes))
        return asker->status;
    w->borne_out = yes;
    if (yes)
        return accordi_ask_unable(asker, ACCORD_REASON_COMPENSATED,
                                  "the sum is compensated: it keeps what plain additions lose in "
                                  "every order (%zu of %zu random sums are correctly rounded)",
                                  c->exact, c->exact_of);
    if (judge_blocks(w))
        return asker->status;
    /* a fused sum of products may be cut to fewer bits than its terms, which looks like sorting */
    bool may_sort = w->record.tree->inner == 1 && asker->term != ACCORD_TERM_PRODUCT;
    if (may_sort && accordi_sorts(asker, &yes))
        return asker->status;
    if (yes)
        return accordi_ask_unable(asker, ACCORD_REASON_DATA_DEPENDENT,
                                  "the order depends on the values: terms that vanish beside a "
                                  "mask one by one do not vanish together");
    if (judge_magnitudes(w) ||
        accordi_changed_terms(asker, w->record.tree, c->arithmetic, w->certificate.changed,
                              sizeof w->certificate.changed))
        return asker->status;
    return judge_plainness(w);
}

/* What masks and units look like may not be so of ordinary numbers. */
void accordi_bear_out(accordi_work *w, accord_error *error)
{
    accordi_asker *asker = &w->asker;
    accord_error trouble = {.status = ACCORD_OK};
    bool exact = error->reason == ACCORD_REASON_EXACT, yes = true, all = true;
    size_t masks = 0;
    int step = 0;
    if (asker->status != ACCORD_UNABLE || w->borne_out || w->options->no_certificate ||
        (!exact && error->reason != ACCORD_REASON_COMPENSATED))
        return;
    asker->error = &trouble;
    asker->status = ACCORD_OK;
    asker->stage = "asking for ordinary numbers";
    if (!accordi_borne_out(asker, error->reason, &yes) && exact && yes)
        accordi_keeps_stairs(asker, &masks, &step, &all);
    asker->error = error;
    if (asker->status) {
        *error = trouble;
        return;
    }
    asker->status = ACCORD_UNABLE;
    if (!all)
        accordi_unable(
            error, ACCORD_REASON_COMPENSATED,
            "the sum is compensated more than once: a small term is kept beside one that "
            "cancels, but not beside %zu, each of which is 2^%d times the next",
            masks, step);
    if (!yes)
        accordi_unable(error, ACCORD_REASON_NOT_A_TREE,
                       "the results contradict every fixed tree of additions: probes, whose terms "
                       "are very large or very small, show a sum that is %s, but the results for "
                       "ordinary numbers do not confirm this, so some partial sums may be wider "
                       "than others, or the order may depend on the values",
                       exact ? "exact or independent of the order" : "compensated");
}

/* The budget was spent. Before there was an order there is no answer. After that the order stands,
 * but not proven; a reason against it that could not be looked into is none. */
void accordi_settle_budget(accordi_work *w, accord_error *error)
{
    accordi_asker *asker = &w->asker;
    char budget[64];
    if (!asker->spent ||
        (asker->status == ACCORD_UNABLE && error->reason == ACCORD_REASON_NOT_PLAIN))
        return;
    bool shown = w->record.tree && asker->status != ACCORD_UNABLE;
    asker->status = ACCORD_OK;
    asker->error = error;
    accordi_budget_words(asker, budget, sizeof budget);
    if (!shown)
        asker->status =
            accordi_unable(error, ACCORD_REASON_BUDGET,
                           "%s was spent before an order was found; use a larger budget", budget);
    else if (w->certificate.replays > 0 && !w->certificate.explained)
        judge_plainness(w);
}
