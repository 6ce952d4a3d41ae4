/* A target that is asked for the orders of many numbers of terms. What takes long is to start a
 * process and to load a library, so that is done once where the kind of target can do so.
 *
 * Most orders are only discovered. What is no plain sum, such as a compensated one, can look like
 * one to the probes, so one order of some is proven; after one that is no order all are, until one
 * is an order again. */
#include "survey/survey.h"
#include <accord/reveal.h>
#include <accord/target.h>

struct accord_family_target {
    char *notation;
    accord_target_options question;
    accord_family_options limits;
    accord_target *target;
    accord_record *about;
    uint64_t calls; /* of targets that were closed */
    double start;
    uint64_t asked, proven;
    bool doubt; /* the last order that was to be proven was none */
};

enum accord_status accord_family_target_new(const char *notation,
                                            const accord_target_options *options,
                                            const accord_family_options *limits,
                                            accord_family_target **out, accord_error *error)
{
    accord_family_target own = {.start = accordi_now()}, *t = NULL;
    enum accord_status status =
        ACCORDI_TAKE(accord_target_options, alignment, &own.question, options, error);
    if (!status)
        status = ACCORDI_TAKE(accord_family_options, progress_context, &own.limits, limits, error);
    if (status)
        return status;
    own.notation = accordi_strdup(notation);
    own.about = accord_record_new();
    if (own.notation && own.about && (t = accordi_alloc(1, sizeof *t))) {
        *t = own;
        *out = t;
        return ACCORD_OK;
    }
    free(own.notation);
    accord_record_free(own.about);
    return accordi_nomem(error);
}

static void close_target(accord_family_target *t)
{
    t->calls += t->target ? t->target->calls : 0;
    accord_target_close(t->target);
    t->target = NULL;
}

void accord_family_target_free(accord_family_target *t)
{
    if (!t)
        return;
    close_target(t);
    accord_record_free(t->about);
    free(t->notation);
    free(t);
}

const accord_record *accord_family_target_about(const accord_family_target *t)
{
    return t->about;
}

uint64_t accord_family_target_proven(const accord_family_target *t)
{
    return t->proven;
}

uint64_t accord_family_target_calls(const accord_family_target *t)
{
    return t->calls + (t->target ? t->target->calls : 0);
}

static enum accord_status open_at(accord_family_target *t, uint32_t n, accord_error *error)
{
    t->question.n = n;
    if (t->target) {
        enum accord_status status = accord_target_resize(t->target, &t->question, error);
        if (!status)
            return status;
        close_target(t);
        if (status != ACCORD_UNSUPPORTED)
            return status;
    }
    return accord_target_open(t->notation, &t->question, &t->target, error);
}

static bool set_limits(accord_family_target *t, accord_reveal_options *o)
{
    double left = t->limits.budget_seconds - (accordi_now() - t->start);
    uint64_t calls = accord_family_target_calls(t);
    accord_reveal_options_init(o);
    o->seed = t->question.seed;
    o->budget_seconds = t->limits.budget_seconds > 0 ? left : 0;
    o->budget_calls = t->limits.budget_calls > calls ? t->limits.budget_calls - calls : 0;
    o->progress = t->limits.progress;
    o->progress_context = t->limits.progress_context;
    return !(t->limits.budget_seconds > 0 && left <= 0) &&
           !(t->limits.budget_calls > 0 && t->limits.budget_calls <= calls);
}

/* Terms of one sign take ever more calls, but few where a proof follows: then orders are guessed.
 */
static bool is_guessed_before_proof(const accord_target *target)
{
    enum { MANY = 512 };
    return target->n >= MANY &&
           (target->term == ACCORD_TERM_ABSOLUTE || target->term == ACCORD_TERM_SQUARE);
}

enum accord_status accord_family_target_ask(void *context, uint32_t n, accord_tree **tree,
                                            accord_error *error)
{
    enum { TRIVIAL = 2, ONE_OF = 32 };
    accord_family_target *t = context;
    accord_reveal_options options;
    if (!set_limits(t, &options))
        return accordi_unable(error, ACCORD_REASON_BUDGET, "the budget is spent");
    bool proves = n > TRIVIAL && (t->doubt || t->asked++ % ONE_OF == 0);
    options.loose = true;
    accord_record *record = accord_record_new();
    enum accord_status status = record ? open_at(t, n, error) : accordi_nomem(error);
    if (!status) {
        options.no_certificate = !proves && !is_guessed_before_proof(t->target);
        options.replays = proves ? 0 : 1;
        status = accord_reveal(t->target, &options, record, error);
    }
    if (proves && (status == ACCORD_OK || status == ACCORD_UNABLE))
        t->doubt = status == ACCORD_UNABLE;
    t->proven += !status && proves && record->proven;
    if (status) {
        accord_record_free(record);
        return status;
    }
    *tree = record->tree;
    record->tree = NULL;
    accord_record_free(t->about);
    t->about = record;
    return ACCORD_OK;
}
