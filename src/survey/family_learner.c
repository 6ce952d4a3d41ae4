/* What learning a family and holding a target to one share (family_learner.h). */
#include "survey/family_learner.h"

void accordi_learner_report(accordi_learner *l, const char *stage)
{
    uint64_t asked = l->account->asked;
    l->total = l->total > asked ? l->total : asked;
    if (l->options.progress &&
        !l->options.progress(l->options.progress_context, stage, asked, l->total))
        l->spent = l->stopped = true;
}

bool accordi_learner_is_stopped(accordi_learner *l, enum accord_status status,
                                const accord_error *why)
{
    bool stopped = status == ACCORD_TARGET && strncmp(why->text, "interrupted", 11) == 0;
    l->spent = l->spent || stopped;
    l->stopped = l->stopped || stopped;
    return stopped;
}

bool accordi_learner_is_spent(accordi_learner *l)
{
    double seconds = accordi_now() - l->start;
    l->spent = l->spent || (l->options.budget_seconds > 0 && seconds >= l->options.budget_seconds);
    return l->spent;
}

enum accord_status accordi_learner_ask(accordi_learner *l, uint32_t n, accord_tree **tree,
                                       accord_error *error)
{
    accord_tree *expected = NULL;
    enum accord_status status = accord_family_expect(l->family, n, &expected, error);
    if (!status)
        status = l->ask(l->context, n, expected, tree, error);
    l->surprises += !status && !(expected && accord_tree_equal(*tree, expected));
    accord_tree_free(expected);
    return status;
}

enum accord_status accordi_learner_fail(const accordi_learner *l, enum accord_status status,
                                        uint32_t n, const char *why)
{
    if (l->account->asked == 0)
        return accordi_fail(l->error, status, "%s", why);
    return accordi_fail(l->error, status, "n = %u: %s", n, why);
}

uint32_t accordi_learner_draw(accordi_learner *l, uint64_t from, uint64_t to, uint64_t residue)
{
    const uint64_t step = ACCORDI_LEARNER_RESIDUES;
    uint64_t first = from + (residue + step - from % step) % step;
    if (first > to)
        return 0;
    return (uint32_t)(first + step * accordi_rng_below(&l->rng, (to - first) / step + 1));
}

bool accordi_learner_is_fresh(const accord_family *f, uint64_t n, const uint32_t *drawn,
                              size_t count)
{
    size_t rule;
    if (n < accord_family_from(f) || n > accord_family_to(f) ||
        accord_family_at(f, (uint32_t)n, &rule) == ACCORD_FAMILY_ASKED ||
        rule == accord_family_rules(f))
        return false;
    for (size_t i = 0; i < count; i++)
        if (drawn[i] == n)
            return false;
    return true;
}
