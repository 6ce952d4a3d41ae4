/* An order that masks do not show: that of a machine whose steps are found by exchanges of products
 * (machine/exchanges.c) and whose parameters then explain every answer.
 *
 * No probe confirms the order node by node, so it is not called proven. */
#include "reveal/machine/parameters.h"
#include "reveal/work.h"
#include "targets/synthetic/synthetic.h"

bool accordi_may_be_machine(const accordi_work *w)
{
    static const enum accord_reason reasons[] = {
        ACCORD_REASON_OUT_OF_RANGE,   ACCORD_REASON_NOT_A_TREE, ACCORD_REASON_NOT_PLAIN,
        ACCORD_REASON_DATA_DEPENDENT, ACCORD_REASON_EXACT,      ACCORD_REASON_COMPENSATED,
        ACCORD_REASON_TERM_LOST,      ACCORD_REASON_TERM_TWICE, ACCORD_REASON_NOT_FINITE};
    const accord_target *target = w->asker.target;
    bool may = false;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        may = may || w->asker.error->reason == reasons[i];
    return may && w->asker.status == ACCORD_UNABLE && target->term == ACCORD_TERM_PRODUCT &&
           target->alpha == 1 && !target->has_start && !w->options->no_certificate;
}

/* What calibration left. */
static void put_masks(accordi_asker *to, const accordi_asker *from)
{
    to->format = from->format;
    to->mask = from->mask;
    to->unit = from->unit;
    to->quantum = from->quantum;
    to->mask_exponent = from->mask_exponent;
    to->bits = from->bits;
    to->scale = from->scale;
    to->sign = from->sign;
    to->headroom = from->headroom;
}

/* Terms are asked for as the target takes them, and nothing is known of masks. */
static void forget_masks(accordi_asker *asker)
{
    const accordi_asker none = {
        .format = asker->target->format, .scale = 1, .sign = 1, .headroom = 1};
    put_masks(asker, &none);
}

static enum accord_status find_steps(accordi_work *w)
{
    accordi_asker *asker = &w->asker;
    accord_fused machine = {.scheme = ACCORD_FUSED_WITH_C};
    size_t terms = 0;
    asker->stage = "discovering";
    if (accordi_exchanges_ask(asker, &terms, &w->certificate.exchanged) || terms == 0)
        return asker->status;
    machine.terms = (int)terms;
    return asker->status = accordi_machine_tree(&machine, asker->n, &w->record.tree, asker->error);
}

static void forget_order(accordi_work *w)
{
    accordi_certificate_clear(&w->certificate);
    accord_tree_free(w->record.tree);
    w->record.tree = NULL;
    w->proven = w->proved = false;
}

/* Products of one step change places without any effect in every order of an accumulator so wide
 * that it loses nothing of them. */
static bool has_exact_steps(accordi_work *w)
{
    enum { LEAST = 8 }; /* inputs that show another order as well as one alignment */
    const accord_arithmetic *how = w->certificate.arithmetic;
    const accord_tree *tree = w->record.tree;
    size_t lossy = 0;
    bool aligned = how->has_machine && (how->machine.scheme == ACCORD_FUSED_WITH_C ||
                                        how->machine.scheme == ACCORD_FUSED_THEN_C);
    if (aligned)
        accordi_exchanges_lose(&w->asker, &how->machine, w->certificate.exchanged, &lossy);
    bool fused = aligned || (!how->has_machine && tree->inner + 1 < tree->leaves);
    return fused && lossy < LEAST;
}

/* Products were put into one step because exchanging them had no effect. That says something only
 * if exchanges have one where a sum is rounded in between. With nearly all machines they have one
 * in 1 of 50 random inputs or more often, in wide accumulators in 1 of 500 or less. */
static bool has_hidden_steps(accordi_work *w)
{
    enum { DRAWN = 512, LEAST = 6 };
    const accord_model model = {w->record.tree, w->certificate.arithmetic};
    size_t showing = 0;
    if (w->record.tree->inner > 1)
        accordi_exchanges_show(&w->asker, &model, DRAWN, &showing);
    return showing < LEAST;
}

void accordi_without_masks(accordi_work *w)
{
    accordi_asker *asker = &w->asker;
    accordi_certificate *c = &w->certificate;
    accord_error *error = asker->error, trouble = {.status = ACCORD_OK};
    const accordi_asker before = *asker;
    if (!accordi_may_be_machine(w))
        return;
    forget_order(w);
    asker->error = &trouble;
    asker->status = ACCORD_OK;
    forget_masks(asker);
    if (!find_steps(w) && w->record.tree)
        accordi_replay(asker, w->record.tree, c);
    asker->error = error;
    bool found = !asker->status && c->explained && c->repeats_agreed == c->repeats;
    size_t length = strlen(error->text);
    c->exact_steps = found && has_exact_steps(w);
    bool hidden = c->exact_steps && has_hidden_steps(w);
    if (found && !hidden && !asker->status) {
        *error = trouble;
        c->nodes = w->record.tree->inner; /* of which none is confirmed */
        return;
    }
    if (hidden)
        snprintf(error->text + length, sizeof error->text - length,
                 "; products of %zu random inputs change places %s, but an exact sum of "
                 "them explains nearly all results, and so does any order of a wide accumulator",
                 c->exchanged,
                 w->record.tree->inner > 1 ? "almost without effect" : "without any effect");
    else if (*c->no_machine)
        snprintf(error->text + length, sizeof error->text - length,
                 "; exchanges of products show %u step%s of fused sums, but %s",
                 w->record.tree->inner, w->record.tree->inner == 1 ? "" : "s", c->no_machine);
    forget_order(w);
    put_masks(asker, &before);
    if (asker->status && asker->status != ACCORD_UNABLE)
        *error = trouble;
    else
        asker->status = ACCORD_UNABLE; /* for the reason before */
}
