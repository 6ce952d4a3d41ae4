/* Whether a target still adds as a family says: asks where rules begin and end, at an n of each
 * residue, and at others of each rule, in ascending order, so that the first n at which it differs
 * is reported. */
#include "survey/family_learner.h"
#include <accord/notation.h>

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Both ends of each rule and what is beside them, then an n of each residue, since a tail may have
 * changed that shows in one residue alone, and then n drawn from each rule in turn. */
static size_t draw_held(accordi_learner *l, uint32_t *n, size_t wanted)
{
    enum { TRIES = 20 };
    accord_family *f = l->family;
    size_t count = 0, rules = accord_family_rules(f);
    uint64_t from = accord_family_from(f), to = accord_family_to(f);
    for (size_t i = 0; i < rules; i++) {
        accord_family_rule r = accord_family_rule_at(f, i);
        const uint64_t ends[] = {r.from, r.to, (uint64_t)r.from + 1, r.to - (uint64_t)1};
        for (size_t k = 0; k < 4 && count < wanted; k++)
            if (accordi_learner_is_fresh(f, ends[k], n, count))
                n[count++] = (uint32_t)ends[k];
    }
    uint64_t first = accordi_rng_below(&l->rng, ACCORDI_LEARNER_RESIDUES);
    for (size_t k = 0; rules && k < ACCORDI_LEARNER_RESIDUES && count < wanted; k++) {
        uint32_t drawn = 0;
        for (int tries = 0; tries < TRIES && !accordi_learner_is_fresh(f, drawn, n, count); tries++)
            drawn = accordi_learner_draw(l, from, to, (first + k) % ACCORDI_LEARNER_RESIDUES);
        if (accordi_learner_is_fresh(f, drawn, n, count))
            n[count++] = drawn;
    }
    for (size_t k = 0; rules && k < 20 * wanted && count < wanted; k++) {
        accord_family_rule r = accord_family_rule_at(f, k % rules);
        uint64_t drawn = r.from + accordi_rng_below(&l->rng, (uint64_t)r.to - r.from + 1);
        if (accordi_learner_is_fresh(f, drawn, n, count))
            n[count++] = (uint32_t)drawn;
    }
    qsort(n, count, sizeof *n, ascending);
    return count;
}

static enum accord_status differ(accordi_learner *l, uint32_t n, const accord_tree *now,
                                 accord_family_holding *out)
{
    char *written = NULL;
    accord_tree *then = NULL; /* none: the family says that there is none, or its form gives none */
    enum accord_status status = accord_family_notation(l->family, n, &written, l->error);
    if (!status)
        status = accord_notation_parse(written, &then, NULL, NULL, l->error);
    if (status == ACCORD_UNABLE || status == ACCORD_PARSE)
        status = ACCORD_OK;
    if (!status && then)
        status = accord_notation_write(then, NULL, &out->then, NULL, l->error);
    if (!status && now)
        status = accord_notation_write(now, NULL, &out->now, NULL, l->error);
    accord_notation_free(written);
    accord_tree_free(then);
    out->holds = false;
    out->n = n;
    return status;
}

static enum accord_status hold_at(accordi_learner *l, uint32_t n, accord_family_holding *out)
{
    accord_tree *tree = NULL;
    accord_error why = {.status = ACCORD_OK};
    size_t rule;
    if (accordi_learner_is_spent(l) && !l->stopped)
        return accordi_unable(l->error, ACCORD_REASON_BUDGET,
                              "the budget was spent after %llu of the checks: raise --budget",
                              (unsigned long long)out->asked);
    enum accord_status status = l->stopped ? ACCORD_OK : accordi_learner_ask(l, n, &tree, &why);
    if (l->stopped || accordi_learner_is_stopped(l, status, &why))
        return accordi_fail(l->error, ACCORD_TARGET,
                            "interrupted: %llu of %llu n were asked, and all of them are as the "
                            "family says",
                            (unsigned long long)out->asked, (unsigned long long)l->total);
    bool none = status == ACCORD_UNABLE && why.reason != ACCORD_REASON_BUDGET;
    accord_family_at(l->family, n, &rule);
    bool no_order = !*accord_family_rule_at(l->family, rule).form;
    none = none || (no_order && (status == ACCORD_ARG || status == ACCORD_UNSUPPORTED));
    if (status && !none)
        return why.reason == ACCORD_REASON_BUDGET
                   ? accordi_unable(l->error, ACCORD_REASON_BUDGET, "%s", why.text)
                   : accordi_learner_fail(l, status, n, why.text);
    status = ACCORD_OK;
    out->asked++;
    l->account->asked++;
    if (none ? !no_order : !accord_family_holds(l->family, tree))
        status = differ(l, n, tree, out);
    accord_tree_free(tree);
    return status;
}

enum accord_status accord_family_check(const accord_family *family,
                                       const accord_family_options *options, accord_family_ask *ask,
                                       void *context, accord_family_holding *out,
                                       accord_error *error)
{
    accord_family_account account = {.asked = 0};
    accord_family_holding own = {.holds = true};
    accord_error none;
    accordi_learner l = {.family = (accord_family *)(uintptr_t)family,
                         .ask = ask,
                         .context = context,
                         .account = &account,
                         .start = accordi_now(),
                         .error = error ? error : &none};
    enum accord_status status =
        ACCORDI_TAKE(accord_family_options, progress_context, &l.options, options, error);
    if (status)
        return status;
    accordi_rng_init(&l.rng, l.options.seed);
    size_t wanted = l.options.checks ? l.options.checks : 200;
    uint32_t *n = accordi_alloc(wanted, sizeof *n);
    size_t count = n ? draw_held(&l, n, wanted) : 0;
    l.total = count;
    if (!n)
        status = accordi_nomem(error);
    for (size_t i = 0; !status && own.holds && i < count; i++)
        if (!(status = hold_at(&l, n[i], &own)))
            accordi_learner_report(&l, "checking the family");
    free(n);
    if (status) {
        accord_notation_free(own.then);
        accord_notation_free(own.now);
        return status;
    }
    *out = own;
    return ACCORD_OK;
}
