/* Calibrate, discover, prove, replay, and say in words what was found. */
#include "reveal/answers.h"
#include "reveal/arithmetic/size_classes.h"
#include "reveal/discover/auto.h"
#include "reveal/discover/paper/paper.h"
#include "reveal/discover/rooted.h"
#include "reveal/nonnegative/nonnegative.h"
#include "reveal/progress.h"
#include "reveal/prove/certificate.h"
#include "reveal/reasons/ordinary_sums.h"
#include "reveal/verdict.h"
#include "targets/target.h"
#include <accord/pattern.h>
#include <math.h>

typedef struct algorithm {
    accord_algorithm public;
    enum accord_status (*discover)(accordi_asker *asker, accord_tree **out);
    /* Tried when what `discover` found is refuted. */
    enum accord_status (*again)(accordi_asker *asker, accord_tree **out);
} algorithm;

static const algorithm algorithms[] = {
    {{"auto",
      "guess the order and verify it, otherwise split paths; fewest calls; finds fused nodes"},
     accordi_auto,
     accordi_auto_split},
    {{"wide", "ask all probes of a round together; fewest rounds; finds fused nodes"},
     accordi_auto_wide,
     accordi_auto_split},
    {{"fprev", "FPRev, Algorithm 4: n-1 to n(n-1)/2 calls; finds fused nodes"},
     accordi_fprev,
     NULL},
    {{"refined", "FPRev, Algorithm 3: the same for binary orders"}, accordi_refined, NULL},
    {{"modified", "FPRev, Algorithm 5, corrected: for low precision; more calls"},
     accordi_modified,
     NULL},
    {{"basic", "FPRev, Algorithm 2: n(n-1)/2 calls; binary orders"}, accordi_basic, NULL},
    {{"naive", "try every binary order on random inputs; up to 9 terms"}, accordi_naive, NULL},
};
enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms };

const accord_algorithm *accord_algorithm_at(size_t i)
{
    return i < ALGORITHMS ? &algorithms[i].public : NULL;
}

const accord_algorithm *accord_algorithm_by_name(const char *name)
{
    for (size_t i = 0; name && i < ALGORITHMS; i++)
        if (!strcmp(algorithms[i].public.name, name))
            return &algorithms[i].public;
    return NULL;
}

void accord_reveal_options_init(accord_reveal_options *options)
{
    memset(options, 0, sizeof *options);
}

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
        return asker->status = accordi_unable(asker->error, ACCORD_REASON_NOT_FINITE,
                                              "the sum of the single term 1 is %g", one);
    if (one == 0)
        return asker->status = accordi_unable(asker->error, ACCORD_REASON_TERM_LOST,
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

typedef struct work {
    accordi_asker asker;
    const algorithm *how;
    const accord_reveal_options *options;
    accord_record record;
    accordi_certificate certificate;
    bool proven;
    bool proved;          /* the proof was made, and nothing contradicts it */
    bool positive;        /* terms are never negative */
    bool borne_out;       /* the reason, by ordinary numbers */
    accord_error upright; /* why terms of their own sign gave no order */
    uint64_t calls;
    double seconds;
} work;

static void close_account(work *w, int64_t *calls, double *seconds)
{
    double now = accordi_now();
    *calls += (int64_t)(w->asker.target->calls - w->calls);
    *seconds += now - w->seconds;
    w->calls = w->asker.target->calls;
    w->seconds = now;
}

static enum accord_status discover(work *w, bool again)
{
    accordi_asker *asker = &w->asker;
    accord_tree_free(w->record.tree);
    w->record.tree = NULL;
    w->proved = false;
    if (asker->n == 1) {
        discover_leaf(asker, &w->record.tree);
    } else if (w->positive) {
        asker->stage = "discovering";
        if (asker->n == 2)
            discover_pair(asker, &w->record.tree);
        else
            accordi_positive(asker, &w->record.tree);
    } else if (!accordi_calibrate(asker)) {
        asker->stage = "discovering";
        asker->status = asker->n == 2 ? discover_pair(asker, &w->record.tree)
                        : again       ? w->how->again(asker, &w->record.tree)
                                      : w->how->discover(asker, &w->record.tree);
    }
    close_account(w, &w->record.discovery_calls, &w->record.discovery_seconds);
    return asker->status;
}

static enum accord_status prove(work *w)
{
    w->proven = w->asker.n == 1;
    if (w->asker.n > 1 && w->positive)
        accordi_positive_prove(&w->asker, w->record.tree, &w->certificate, &w->proven);
    else if (accordi_rooted_pays(&w->asker) && w->record.tree->inner + 1 == w->record.tree->leaves)
        accordi_rooted_prove(&w->asker, w->record.tree, &w->certificate, &w->proven);
    else if (w->asker.n > 1)
        accordi_prove(&w->asker, w->record.tree, &w->certificate, &w->proven);
    close_account(w, &w->record.certificate_calls, &w->record.certificate_seconds);
    w->proved = w->proven && !w->asker.status;
    return w->asker.status;
}

/* An order that random inputs do not bear out is an answer to those who ask for it. */
static enum accord_status judge_plainness(work *w)
{
    const accordi_certificate *c = &w->certificate;
    const char *why = *c->odd_node ? c->odd_node : c->no_machine;
    if (w->options->loose)
        return ACCORD_OK;
    if (c->replays_agreed == c->replays && c->rounds.other == 0)
        return w->asker.status = accordi_unable(
                   w->asker.error, ACCORD_REASON_NOT_PLAIN,
                   "probes show an order and %zu random inputs replay with it, but %s%s%s",
                   c->replays,
                   *c->odd_node ? c->odd_node
                   : c->rivals.refuted
                       ? "inputs that were chosen to distinguish similar models give other results"
                   : c->far ? "products that are far smaller than others or that cancel give other "
                              "results"
                            : "sums that overflow give other results",
                   *c->odd_node || !*c->no_machine ? "" : "; ", *c->odd_node ? "" : c->no_machine);
    return w->asker.status = accordi_unable(
               w->asker.error, ACCORD_REASON_NOT_PLAIN,
               "probes show an order, but only %zu of %zu random inputs replay with it%s%s",
               c->replays_agreed, c->replays, *why ? "; " : "", why);
}

static bool add_text(void *buffer, const char *text, size_t length)
{
    accordi_buffer_append(buffer, text, length);
    return true;
}

/* Both orders, a line each. */
static enum accord_status keep_orders(work *w, const accord_tree *other, int exponent)
{
    accordi_buffer lines = {0};
    accordi_asker *asker = &w->asker;
    accordi_buffer_printf(&lines, "2^%d ", asker->mask_exponent);
    accord_tree_write_brackets(w->record.tree, add_text, &lines, NULL);
    accordi_buffer_printf(&lines, "\n2^%d ", exponent);
    accord_tree_write_brackets(other, add_text, &lines, NULL);
    if (lines.failed)
        asker->status = accordi_nomem(asker->error);
    else
        asker->status = accord_record_set(&w->certificate.orders, lines.data, asker->error);
    accordi_buffer_clear(&lines);
    return asker->status;
}

/* Two orders, each proven with masks of one size. */
static enum accord_status judge_magnitudes(work *w)
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
        asker->status =
            accordi_unable(asker->error, ACCORD_REASON_DATA_DEPENDENT,
                           "the order depends on the values: with terms as large as 2^%d it is %s, "
                           "but with terms as large as 2^%d it is %s",
                           asker->mask_exponent, here, exponent, there);
    }
    accord_tree_free(other);
    return asker->status;
}

/* A norm that nothing explains. */
static enum accord_status judge_sizes(work *w)
{
    accordi_asker *asker = &w->asker;
    int exponent = 0;
    bool yes = false;
    if (asker->term != ACCORD_TERM_SQUARE || accordi_apart(asker, &yes, &exponent) || !yes)
        return asker->status ? asker->status : judge_plainness(w);
    return asker->status =
               accordi_unable(asker->error, ACCORD_REASON_DATA_DEPENDENT,
                              "the order depends on the values: terms that vanish one by one "
                              "beside another do count when all terms are multiplied by 2^%d, so "
                              "squares of terms of different sizes have accumulators of their own",
                              exponent);
}

/* What the replays say about the order: nothing, or that it is none. */
enum { LONGEST = 55 }; /* bits that a sum in f64 seems to keep, if it is compensated too */
static enum accord_status judge(work *w)
{
    accordi_asker *asker = &w->asker;
    const accordi_certificate *c = &w->certificate;
    bool yes = false;
    if (c->repeats_agreed < c->repeats)
        return asker->status = accordi_unable(
                   asker->error, ACCORD_REASON_NONDETERMINISTIC,
                   "random inputs that were repeated gave identical results only %zu of %zu times",
                   c->repeats_agreed, c->repeats);
    if (c->explained)
        return ACCORD_OK;
    if (w->positive)
        return judge_sizes(w);
    bool long_one = c->accumulator_bits > LONGEST; /* keeps more bits, and carries no errors */
    if (!long_one && accordi_compensates(asker, w->record.tree, c, &yes))
        return asker->status;
    if (yes && accordi_borne_out(asker, ACCORD_REASON_COMPENSATED, &yes))
        return asker->status;
    w->borne_out = yes;
    if (yes)
        return asker->status =
                   accordi_unable(asker->error, ACCORD_REASON_COMPENSATED,
                                  "the sum is compensated: it keeps what plain additions lose in "
                                  "every order (%zu of %zu random sums are correctly rounded)",
                                  c->exact, c->exact_of);
    if (w->record.tree->inner == 1 && accordi_sorts(asker, &yes))
        return asker->status;
    if (yes)
        return asker->status =
                   accordi_unable(asker->error, ACCORD_REASON_DATA_DEPENDENT,
                                  "the order depends on the values: terms that vanish beside a "
                                  "mask one by one do not vanish together");
    return judge_magnitudes(w) ? asker->status : judge_plainness(w);
}

/* Contradictions can come from calibration: in narrow formats a few terms that swallow less than
 * all others may not have been met. So all is done again, from there, with other random choices. */
static bool try_again(const work *w, int attempt)
{
    enum { ATTEMPTS = 3 };
    enum accord_status status = w->asker.status;
    bool contradicted =
        status == ACCORD_UNABLE && w->asker.error->reason == ACCORD_REASON_NOT_A_TREE;
    bool refuted = status == ACCORD_OK && !w->proven && !w->options->no_certificate;
    return w->how->again && attempt < ATTEMPTS && (contradicted || refuted);
}

/* Terms that cannot be negative look like no sum at all: that is asked when nothing else fits. */
static bool turns_out_positive(work *w)
{
    accordi_asker *asker = &w->asker;
    accord_error *error = asker->error, ignored;
    bool needed = false;
    enum accord_status status = asker->status;
    /* Two terms of one sign may pass for any; only the proof of their one node tells. */
    bool refuted = status == ACCORD_OK && !w->proven && !w->options->no_certificate;
    if (w->positive || (status != ACCORD_UNABLE && !refuted && asker->n > 1))
        return false;
    asker->error = &ignored;
    asker->status = ACCORD_OK;
    accordi_positive_needed(asker, &needed, &asker->term);
    asker->error = error;
    asker->status = status;
    return w->positive = needed;
}

/* Where sums, or aligned terms, are rounded up, a small positive term beside a mask is neither
 * kept nor lost, but a negative one is lost. So what is no tree is asked with the other sign, once;
 * where that does no better, the first reason stands. */
static bool turns_over(work *w)
{
    accordi_asker *asker = &w->asker;
    bool unable = asker->status == ACCORD_UNABLE;
    if (asker->sign < 0) {
        asker->sign = unable ? 1 : -1;
        if (unable)
            *asker->error = w->upright;
        return false;
    }
    if (!unable || w->positive || asker->n < 3 || asker->error->reason == ACCORD_REASON_NOT_FINITE)
        return false;
    w->upright = *asker->error;
    asker->sign = -1;
    return true;
}

static enum accord_status find_and_prove(work *w)
{
    int attempt = 0;
    do {
        w->asker.status = ACCORD_OK;
        if (!discover(w, attempt > 0) && !w->options->no_certificate)
            prove(w);
    } while (try_again(w, ++attempt) || turns_over(w) || turns_out_positive(w));
    return w->asker.status;
}

static enum accord_status work_out(work *w)
{
    w->positive = w->asker.term == ACCORD_TERM_ABSOLUTE || w->asker.term == ACCORD_TERM_SQUARE;
    find_and_prove(w);
    if (w->asker.status || w->options->no_certificate)
        return w->asker.status;
    if (!w->proven)
        return w->asker.status = accordi_unable(
                   w->asker.error, ACCORD_REASON_NOT_A_TREE,
                   "probes contradict the order that algorithm %s found%s", w->how->public.name,
                   w->how->again ? "" : "; use --algorithm auto");
    w->asker.sign = 1;
    if (!accordi_replay(&w->asker, w->record.tree, &w->certificate))
        judge(w);
    close_account(w, &w->record.certificate_calls, &w->record.certificate_seconds);
    return w->asker.status;
}

/* What masks and units look like may not be so of ordinary numbers. */
static void bear_out(work *w, accord_error *error)
{
    accordi_asker *asker = &w->asker;
    accord_error trouble = {.status = ACCORD_OK};
    bool exact = error->reason == ACCORD_REASON_EXACT, yes = true;
    if (asker->status != ACCORD_UNABLE || w->borne_out || w->options->no_certificate ||
        (!exact && error->reason != ACCORD_REASON_COMPENSATED))
        return;
    asker->error = &trouble;
    asker->status = ACCORD_OK;
    asker->stage = "asking for ordinary numbers";
    accordi_borne_out(asker, error->reason, &yes);
    asker->error = error;
    if (asker->status) {
        *error = trouble;
        return;
    }
    asker->status = ACCORD_UNABLE;
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
static void settle_budget(work *w, accord_error *error)
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

static bool is_beside(enum accord_reason reason)
{
    return reason == ACCORD_REASON_READS_OUTSIDE || reason == ACCORD_REASON_WRITES_OUTSIDE ||
           reason == ACCORD_REASON_WRITES_INPUT || reason == ACCORD_REASON_READS_OTHERS;
}

/* Answers are kept of every target that gives any, whatever was found of it; one that fails here,
 * after other questions were answered, has none. What varies from run to run explains every strange
 * answer before. */
static void take_answers(work *w, accord_error *error)
{
    accordi_asker *asker = &w->asker;
    enum accord_status found = asker->status;
    accord_answers *answers = &w->certificate.answers;
    if (w->options->no_certificate || asker->spent ||
        (found != ACCORD_OK && found != ACCORD_UNABLE))
        return;
    if (!answers->generator) {
        accord_error trouble = {.status = ACCORD_OK};
        asker->error = &trouble;
        asker->status = ACCORD_OK;
        asker->stage = "recording answers";
        accordi_answers_ask(asker, answers);
        asker->error = error;
        close_account(w, &w->record.certificate_calls, &w->record.certificate_seconds);
        if (asker->stopped || asker->status == ACCORD_NOMEM) { /* not where the budget was spent */
            *error = trouble;
            return;
        }
        asker->status = found;
    }
    if (found == ACCORD_UNABLE && answers->varied > 0 &&
        error->reason != ACCORD_REASON_KEEPS_STATE && !is_beside(error->reason))
        accordi_unable(error, ACCORD_REASON_NONDETERMINISTIC,
                       "%lld of %lld random inputs gave different results when they were repeated",
                       (long long)answers->varied, (long long)answers->inputs);
}

static bool is_unexplained(const work *w)
{
    return w->asker.status == ACCORD_OK && w->asker.n > 1 && !w->options->no_certificate &&
           !w->certificate.explained;
}

/* What was not done that is done by default. */
static accordi_extent extent_of(const work *w)
{
    const accordi_certificate *c = &w->certificate;
    return (accordi_extent){.no_certificate = w->options->no_certificate,
                            .spent = w->asker.spent,
                            .proved = w->proved,
                            .answers = c->answers.generator != 0,
                            .replays_due = accordi_replays_due(w->asker.n),
                            .asker = &w->asker};
}

static enum accord_status fill_record(work *w, const accord_error *error)
{
    accord_record *record = &w->record;
    accordi_asker *asker = &w->asker;
    enum accord_status found = asker->status;
    accordi_certificate *c = &w->certificate;
    bool keeps_tree = found == ACCORD_OK || error->reason == ACCORD_REASON_NOT_PLAIN;
    if (!keeps_tree) {
        accord_tree_free(record->tree);
        record->tree = NULL;
    }
    accord_error ignored;
    accordi_ask_factors(asker, true);
    const accordi_extent extent = extent_of(w);
    enum accord_status status = accord_target_describe(asker->target, record, &ignored);
    record->seed = (int64_t)w->options->seed;
    record->scale = asker->scale;
    record->mask = asker->mask;
    record->unit = asker->unit;
    record->target_seconds = asker->target->seconds;
    record->nodes = keeps_tree ? c->nodes : 0;
    record->nodes_confirmed = keeps_tree && w->proved ? c->confirmed : 0;
    record->repeats = (int64_t)c->repeats;
    record->repeats_agreed = (int64_t)c->repeats_agreed;
    record->replays = (int64_t)c->replays;
    record->replays_agreed = (int64_t)c->replays_agreed;
    record->accumulator_bits = c->accumulator_bits;
    record->arithmetic_calls = (int64_t)c->arithmetic_calls;
    record->nodes_probed = keeps_tree ? c->findings.probed : 0;
    record->nodes_tested = keeps_tree ? c->rounds.tested : 0;
    record->node_rounds = keeps_tree ? (int64_t)c->rounds.rows : 0;
    record->node_miss = record->nodes_tested ? c->rounds.miss : 0;
    if (!status)
        status = accordi_verdict(record, w->how->public.name, found, error, c, &extent);
    record->proven =
        w->proven && found == ACCORD_OK && c->sampled == 0 && c->explained && !record->left_out;
    if (keeps_tree && c->explained) {
        record->arithmetic = c->arithmetic;
        c->arithmetic = NULL;
        memcpy(record->alternatives, c->rivals.open, sizeof record->alternatives);
        memset(&c->rivals, 0, sizeof c->rivals);
    }
    if (found && error->reason == ACCORD_REASON_DATA_DEPENDENT) {
        record->orders = c->orders;
        c->orders = NULL;
    }
    record->answers = c->answers;
    memset(&c->answers, 0, sizeof c->answers);
    if (!accordi_list_warnings(asker, &record->warnings))
        status = ACCORD_NOMEM;
    return status;
}

static const char *algorithm_name(const void *list, size_t i)
{
    (void)list;
    return i < ALGORITHMS ? algorithms[i].public.name : NULL;
}

static enum accord_status no_algorithm(const char *name, accord_error *error)
{
    const char *near = accordi_nearest(name, algorithm_name, NULL);
    return accordi_fail(error, ACCORD_ARG,
                        "there is no algorithm '%.40s'; %s%s%s`accord info` lists them", name,
                        near ? "did you mean " : "", near ? near : "", near ? "? " : "");
}

/* An order, or the reason why there is none. */
static void look(work *w)
{
    if (!accordi_check_memory(&w->asker) && !accordi_glance_at_history(&w->asker))
        work_out(w);
    if ((w->asker.status == ACCORD_UNABLE && !is_beside(w->asker.error->reason)) ||
        is_unexplained(w))
        accordi_diagnose(&w->asker, w->asker.error);
}

/* Tree, probes, layouts of the proof, rows of replays and a model of them, as measured from 2 10^5
 * to 4 10^5 terms, which take 660 to 750; with the process in which foreign code runs up to 950. */
enum { BYTES_A_TERM = 700, WORKER_BYTES_A_TERM = 250 };

enum accord_status accord_reveal(accord_target *target, const accord_reveal_options *options,
                                 accord_record *record, accord_error *error)
{
    accord_reveal_options defaults;
    accord_error local = {.status = ACCORD_OK};
    accord_reveal_options_init(&defaults);
    options = options ? options : &defaults;
    const accord_algorithm *named =
        options->algorithm ? accord_algorithm_by_name(options->algorithm) : accord_algorithm_at(0);
    if (!target || !record)
        return accordi_fail(error, ACCORD_ARG, "a target and a record are needed");
    if (!named)
        return no_algorithm(options->algorithm, error);
    enum accord_status fits = accordi_check_count(target->n, error);
    if (fits)
        return fits;
    if (!(options->budget_seconds >= 0))
        return accordi_fail(error, ACCORD_ARG,
                            "the budget must be a number of seconds, at least 0");
    double bytes = BYTES_A_TERM + (target->kind->arena ? WORKER_BYTES_A_TERM : 0);
    fits = accordi_memory_check(bytes * (double)target->n, "an order with this number of terms",
                                error);
    if (fits)
        return fits;
    work w = {.options = options,
              .how = (const algorithm *)named,
              .calls = target->calls,
              .seconds = accordi_now()};
    accord_record_init(&w.record);
    accordi_ask_init(&w.asker, target, options->seed ^ 0x6163636F7264u, &local);
    w.asker.proof_follows = !options->no_certificate;
    w.asker.ahead = accordi_ahead;
    w.asker.progress = options->progress;
    w.asker.progress_context = options->progress_context;
    w.asker.replays = options->replays;
    w.asker.budget_calls = options->budget_calls;
    w.asker.budget_seconds = options->budget_seconds;
    w.asker.began = w.seconds;
    w.asker.status = accordi_check_alpha(w.asker.alpha, target->has_start, &local);
    if (!w.asker.status)
        look(&w);
    bear_out(&w, &local);
    settle_budget(&w, &local);
    close_account(&w, &w.record.certificate_calls, &w.record.certificate_seconds);
    take_answers(&w, &local);
    enum accord_status found = w.asker.status;
    if (found == ACCORD_OK || found == ACCORD_UNABLE) {
        enum accord_status status = fill_record(&w, &local);
        if (status) {
            found = status;
            accordi_fail(&local, status, "out of memory while writing the verdict");
        } else {
            accord_record_clear(record);
            *record = w.record;
            accord_record_init(&w.record);
        }
    }
    accord_record_clear(&w.record);
    accordi_certificate_clear(&w.certificate);
    accordi_ask_clear(&w.asker);
    if (found && error)
        *error = local;
    return found;
}
