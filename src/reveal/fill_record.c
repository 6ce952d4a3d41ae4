/* Writes what a reveal has found into its record. */
#include "model/words.h"
#include "reveal/reasons/ordinary_sums.h"
#include "reveal/verdict.h"
#include "reveal/work.h"
#include "targets/target.h"

/* Why a proof by probability that was asked for was not made. */
static const char *not_at_once(const accordi_work *w)
{
    const char *named = w->options->proof;
    if (!named || strcmp(named, "probability") != 0 || w->by_rounds)
        return NULL;
    return w->positive          ? "no term is negative"
           : w->asker.n < 3     ? "there are fewer than 3 terms"
           : w->rounds.unsuited ? w->rounds.unsuited
                                : "not every addition rounds as that proof assumes";
}

/* What was not done that is done by default. */
static accordi_extent extent_of(const accordi_work *w)
{
    const accordi_certificate *c = &w->certificate;
    return (accordi_extent){.no_certificate = w->options->no_certificate,
                            .spent = w->asker.spent,
                            .proved = w->proved,
                            .rounds = w->by_rounds ? &w->rounds : NULL,
                            .not_at_once = not_at_once(w),
                            .answers = c->answers.generator != 0,
                            .replays_due = accordi_replays_due(w->asker.n),
                            .asker = &w->asker};
}

/* What multiplies the sum. Under a root the arithmetic says it: a root is no multiple of a sum. */
static double scale_of(const accordi_work *w)
{
    const accord_arithmetic *best = w->certificate.arithmetic;
    return best && accordi_takes_root(best->finish) ? 1 : w->asker.scale;
}

enum accord_status accordi_fill_record(accordi_work *w, const accord_error *error)
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
    record->scale = scale_of(w);
    record->mask = asker->mask;
    record->unit = asker->unit;
    record->target_seconds = asker->target->seconds;
    record->nodes = keeps_tree ? c->nodes : 0;
    record->nodes_confirmed = keeps_tree && w->proved ? c->confirmed : 0;
    record->proof_calls = keeps_tree && extent.rounds ? (int64_t)w->rounds.asked : 0;
    record->proof_error = keeps_tree && extent.rounds ? w->rounds.error : 0;
    record->repeats = (int64_t)c->repeats;
    record->repeats_agreed = (int64_t)c->repeats_agreed;
    record->replays = (int64_t)c->replays;
    record->replays_agreed = (int64_t)c->replays_agreed;
    record->accumulator_bits = c->accumulator_bits;
    record->replay_seconds = c->replay_seconds;
    record->arithmetic_calls = (int64_t)c->arithmetic_calls;
    record->nodes_probed = keeps_tree ? c->findings.probed : 0;
    record->nodes_tested = keeps_tree ? c->rounds.tested : 0;
    record->node_rounds = keeps_tree ? (int64_t)c->rounds.rows : 0;
    record->node_miss = record->nodes_tested ? c->rounds.miss : 0;
    if (!status && keeps_tree && w->proved)
        status =
            accord_record_set(&record->proof, extent.rounds ? "probability" : "nodes", &ignored);
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
