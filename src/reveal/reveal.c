/* The whole reveal: calibrates, discovers an order, proves it, replays it, and writes the verdict.
 * A target comes in, and a record goes out. */
#include "record/record.h"
#include "reveal/discover/auto.h"
#include "reveal/discover/paper/paper.h"
#include "reveal/reasons/ordinary_sums.h"
#include "reveal/work.h"
#include "targets/target.h"
#include <math.h>

enum { AUTO, WIDE };
static const accordi_algorithm algorithms[] = {
    {{"auto",
      "guesses the order and verifies it, or splits paths; fewest calls; finds fused nodes"},
     accordi_auto,
     accordi_auto_split},
    {{"wide", "asks all probes of a round together; fewest rounds; finds fused nodes"},
     accordi_auto_wide,
     accordi_auto_split},
    {{"fprev", "FPRev, Algorithm 4: n-1 to n(n-1)/2 calls; finds fused nodes"},
     accordi_fprev,
     NULL},
    {{"refined", "FPRev, Algorithm 3: n-1 to n(n-1)/2 calls; binary orders only"},
     accordi_refined,
     NULL},
    {{"modified", "FPRev, Algorithm 5 with a correction, for low precision; takes more calls"},
     accordi_modified,
     NULL},
    {{"basic", "FPRev, Algorithm 2: n(n-1)/2 calls; binary orders only"}, accordi_basic, NULL},
    {{"naive", "tries every binary order on random inputs; up to 9 terms"}, accordi_naive, NULL},
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

/* Does every node round once, as the proof of the whole order takes it to? */
static bool rounds_as_taken(const accordi_work *w)
{
    const accord_arithmetic *how = w->certificate.arithmetic;
    bool plain = w->certificate.explained && !how->has_machine;
    for (size_t i = 0; plain && i < how->operations; i++) {
        const accord_operation *op = &how->operation[i];
        plain = accord_format_get(op->format)->precision == w->rounds.precision &&
                op->rounding == ACCORD_NEAREST_EVEN &&
                (op->stored == ACCORD_F64 || op->stored == op->format);
    }
    return plain;
}

/* Where it is not known how nodes round, the proof by nodes tells whether the order holds; of many
 * terms it takes too long, and the other one is told with what it takes for granted. */
static enum accord_status replay(accordi_work *w)
{
    enum { MANY = 1 << 18 };
    accordi_replay(&w->asker, w->record.tree, &w->certificate);
    if (w->asker.status || !w->by_rounds || w->asker.spent || rounds_as_taken(w) ||
        (w->asker.n > MANY && !w->certificate.explained))
        return w->asker.status;
    if (!accordi_prove_by_nodes(w) && !w->proven)
        return accordi_ask_unable(
            &w->asker, ACCORD_REASON_NOT_A_TREE,
            "probes contradict the order that the sums of its proof agree with");
    return w->asker.status;
}

static enum accord_status work_out(accordi_work *w)
{
    w->positive = w->asker.term == ACCORD_TERM_ABSOLUTE || w->asker.term == ACCORD_TERM_SQUARE;
    if (accordi_find_and_prove(w)) {
        accordi_without_masks(w);
        accordi_close_account(w, &w->record.discovery_calls, &w->record.discovery_seconds);
        return w->asker.status;
    }
    if (w->options->no_certificate && !accordi_is_refuted(w))
        return w->asker.status;
    if (!w->proven)
        return accordi_ask_unable(&w->asker, ACCORD_REASON_NOT_A_TREE,
                                  "probes contradict the order that algorithm %s found%s",
                                  w->how->public.name,
                                  w->how->again ? "" : "; use --algorithm auto");
    w->asker.sign = 1;
    if (!replay(w))
        accordi_judge(w);
    accordi_close_account(w, &w->record.certificate_calls, &w->record.certificate_seconds);
    return w->asker.status;
}

/* Answers are kept of every target that gives any, whatever was found of it; one that fails here,
 * after other questions were answered, has none. What varies from run to run explains every strange
 * answer before. */
static void take_answers(accordi_work *w, accord_error *error)
{
    accordi_asker *asker = &w->asker;
    enum accord_status found = asker->status;
    accord_answers *answers = &w->certificate.answers;
    if (w->options->no_certificate || asker->spent || accordi_needs_scales(asker->target) ||
        (found != ACCORD_OK && found != ACCORD_UNABLE))
        return;
    if (!answers->generator) {
        accord_error trouble = {.status = ACCORD_OK};
        asker->error = &trouble;
        asker->status = ACCORD_OK;
        asker->stage = "recording answers";
        double from = accordi_now();
        accordi_answers_ask(asker, answers);
        w->certificate.replay_seconds += accordi_now() - from;
        asker->error = error;
        accordi_close_account(w, &w->record.certificate_calls, &w->record.certificate_seconds);
        if (asker->stopped || asker->status == ACCORD_NOMEM) { /* not where the budget was spent */
            *error = trouble;
            return;
        }
        asker->status = found;
    }
    if (found == ACCORD_UNABLE && answers->varied > 0 &&
        error->reason != ACCORD_REASON_KEEPS_STATE && !accordi_reason_is_beside(error->reason))
        accordi_unable(error, ACCORD_REASON_NONDETERMINISTIC,
                       "%lld of %lld random inputs gave different results when they were repeated",
                       (long long)answers->varied, (long long)answers->inputs);
}

static bool is_unexplained(const accordi_work *w)
{
    return w->asker.status == ACCORD_OK && w->asker.n > 1 && !w->options->no_certificate &&
           !w->certificate.explained;
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

/* Where a call answers many probes, few rounds are what counts. */
static const accordi_algorithm *choose_algorithm(const accordi_algorithm *named,
                                                 const accord_target *target)
{
    enum { CALLS_A_ROUND = 16 };
    bool few = target->at_once > 0 && target->n <= target->at_once * CALLS_A_ROUND;
    return named == &algorithms[AUTO] && few ? &algorithms[WIDE] : named;
}

/* Programs that pack many sums, but not few: what was found, order or reason, is then an answer
 * about none of the places. */
static void check_many_positions(accordi_work *w)
{
    enum { MANY = 1024 };
    accordi_asker *asker = &w->asker;
    enum accord_status found = asker->status;
    accord_error why = *asker->error;
    if (found != ACCORD_OK && (found != ACCORD_UNABLE || accordi_reason_is_beside(why.reason)))
        return;
    asker->status = ACCORD_OK;
    if (accordi_check_positions(asker, MANY) || found == ACCORD_OK)
        return;
    asker->status = found;
    *asker->error = why;
}

/* Where masks of operands showed no order, those of their scales may: that of whole blocks. */
static void try_scales(accordi_work *w)
{
    accordi_asker *asker = &w->asker;
    size_t share = asker->target->scale_block;
    if (asker->status != ACCORD_UNABLE || !share || asker->n % share != 0 || w->record.tree ||
        accordi_reason_is_beside(asker->error->reason) || !accordi_usual_options(w->options))
        return;
    accord_error why = *asker->error;
    asker->status = ACCORD_OK;
    accordi_by_scales(w);
    accordi_close_account(w, &w->record.discovery_calls, &w->record.discovery_seconds);
    if (asker->status == ACCORD_UNABLE)
        *asker->error = why;
}

/* An order, or the reason why there is none. */
static void look_for_order(accordi_work *w)
{
    enum { FEW = 64 };
    accordi_asker *asker = &w->asker;
    if (accordi_needs_scales(asker->target)) {
        if (!accordi_check_memory(asker))
            accordi_by_scales(w);
        accordi_close_account(w, &w->record.discovery_calls, &w->record.discovery_seconds);
        return;
    }
    if (!accordi_check_memory(asker) && !accordi_glance_at_history(asker) &&
        !accordi_check_positions(asker, FEW)) {
        work_out(w);
        try_scales(w);
        if (!w->options->no_certificate) {
            check_many_positions(w);
            accordi_check_circumstances(asker, &w->record);
        }
    }
    if ((w->asker.status == ACCORD_UNABLE && !accordi_reason_is_beside(w->asker.error->reason)) ||
        is_unexplained(w))
        accordi_diagnose(&w->asker, w->asker.error);
}

/* Tree, probes, layouts of the proof, rows of replays and a model of them, as measured: from 2 10^5
 * to 4 10^5 terms they take 660 to 750 bytes a term, and up to 950 with the process in which
 * foreign code runs. Of more terms, fewer rows stand beside each other: 10^6 take less than
 * 500 MB, and 10^7 less than 1 GB. */
static double bytes_of_order(const accord_target *target)
{
    double n = (double)target->n, bytes = fmin(700 * n, 4e8 + 100 * n);
    return target->kind->arena ? bytes + fmin(250 * n, 1.5e8 + 30 * n) : bytes;
}

/* What cannot be asked, or not by these options; *how is the algorithm. */
static enum accord_status check_question(const accord_target *target,
                                         const accord_reveal_options *options,
                                         const accordi_algorithm **how, accord_error *error)
{
    const accord_algorithm *named =
        options->algorithm ? accord_algorithm_by_name(options->algorithm) : accord_algorithm_at(0);
    if (!named)
        return no_algorithm(options->algorithm, error);
    enum accord_status status = accordi_check_count(target->n, error);
    if (status)
        return status;
    if (!(options->budget_seconds >= 0))
        return accordi_fail(error, ACCORD_ARG,
                            "the budget must be a number of seconds, at least 0");
    if (options->proof && strcmp(options->proof, "nodes") && strcmp(options->proof, "probability"))
        return accordi_fail(error, ACCORD_ARG,
                            "there is no proof '%.40s'; it is by nodes or by probability",
                            options->proof);
    if (!(options->proof_error >= 0 && options->proof_error < 1))
        return accordi_fail(
            error, ACCORD_ARG,
            "the error of a proof must be a probability above 0 and below 1; a proof "
            "by nodes has none");
    if ((status = accordi_check_scales(target, options, error)))
        return status;
    *how = choose_algorithm((const accordi_algorithm *)named, target);
    return accordi_memory_check(bytes_of_order(target), "an order with this number of terms",
                                error);
}

/* What is expected, if it can be verified. */
static const accord_tree *binary_order(const accord_tree *tree, size_t n)
{
    return tree && tree->leaves == n && tree->inner + 1 == n ? tree : NULL;
}

static void begin_asking(accordi_work *w, accord_target *target, accord_error *error)
{
    const accord_reveal_options *options = w->options;
    accordi_ask_init(&w->asker, target, options->seed ^ 0x6163636F7264u, error);
    w->asker.may_be_positive = w->asker.term == ACCORD_TERM_VALUE;
    w->asker.proof_follows = !options->no_certificate;
    w->asker.expected = binary_order(options->expected, w->asker.n);
    w->asker.ahead = accordi_ahead;
    w->asker.progress = options->progress;
    w->asker.progress_context = options->progress_context;
    w->asker.replays = options->replays;
    w->asker.budget_calls = options->budget_calls;
    w->asker.budget_seconds = options->budget_seconds;
    w->asker.began = w->seconds;
    w->asker.status = accordi_check_alpha(w->asker.alpha, target->has_start, error);
}

/* Moves the record to the caller, where there is an answer. */
static enum accord_status hand_over(accordi_work *w, accord_record *record, accord_error *error)
{
    enum accord_status found = w->asker.status;
    if (found != ACCORD_OK && found != ACCORD_UNABLE)
        return found;
    enum accord_status status = accordi_fill_record(w, error);
    if (status)
        return accordi_fail(error, status, "out of memory while writing the verdict");
    accord_record_clear(record);
    *record = w->record;
    accordi_record_init(&w->record);
    return found;
}

/* Writing a large record takes much memory, too. */
static void give_back_rows(accord_target *target)
{
    enum { LARGE = 1 << 20 };
    if (target->n > LARGE && target->kind->arena)
        target->kind->arena(target, 0);
}

enum accord_status accord_reveal(accord_target *target, const accord_reveal_options *options,
                                 accord_record *record, accord_error *error)
{
    accord_reveal_options chosen;
    accord_error local = {.status = ACCORD_OK};
    const accordi_algorithm *how = NULL;
    enum accord_status status =
        ACCORDI_TAKE(accord_reveal_options, progress_context, &chosen, options, error);
    if (status)
        return status;
    if (!target || !record)
        return accordi_fail(error, ACCORD_ARG, "a target and a record are needed");
    if ((status = check_question(target, &chosen, &how, error)) ||
        (status = accordi_check_environment(error)))
        return status;
    accordi_work w = {
        .options = &chosen, .how = how, .calls = target->calls, .seconds = accordi_now()};
    accordi_record_init(&w.record);
    begin_asking(&w, target, &local);
    if (!w.asker.status)
        look_for_order(&w);
    accordi_bear_out(&w, &local);
    accordi_settle_budget(&w, &local);
    accordi_close_account(&w, &w.record.certificate_calls, &w.record.certificate_seconds);
    take_answers(&w, &local);
    if (w.asker.status == ACCORD_UNABLE && !accordi_reason_is_beside(local.reason) &&
        !w.asker.spent && !chosen.no_certificate)
        accordi_name_arrival(target, chosen.seed, &local);
    give_back_rows(target);
    accordi_tell_known(&w, &local);
    status = hand_over(&w, record, &local);
    accord_record_clear(&w.record);
    accordi_certificate_clear(&w.certificate);
    accordi_ask_clear(&w.asker);
    if (status && error)
        *error = local;
    return status;
}
