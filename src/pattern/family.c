/* A family of orders: what was asked, and the rules that say it in few words.
 *
 * Invariant: the samples are in ascending order of n, each n once; the rules are in ascending order
 * of their first n, and no n has two. Whether a rule is right at an n that was not asked is not
 * known here: the caller that asks checks this. */
#include "pattern/family.h"

enum accord_status accord_family_new(uint32_t from, uint32_t to, accord_family **out,
                                     accord_error *error)
{
    if (from < 1 || to < from || to > ACCORD_TREE_MAX_LEAVES)
        return accordi_fail(error, ACCORD_ARG,
                            "a family is of n from 1 to 2147483647, the smaller one first; %u to "
                            "%u is not such a range",
                            from, to);
    accord_family *f = accordi_calloc(1, sizeof *f);
    if (!f)
        return accordi_nomem(error);
    f->from = from;
    f->to = to;
    f->form[0] = accordi_strdup(""); /* of samples without an order */
    f->forms = 1;
    if (!f->form[0]) {
        free(f);
        return accordi_nomem(error);
    }
    *out = f;
    return ACCORD_OK;
}

void accord_family_free(accord_family *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->samples; i++)
        accordi_sample_clear(&f->sample[i]);
    for (size_t i = 0; i < f->kinds; i++)
        free(f->kind[i]);
    for (size_t i = 0; i < f->forms; i++)
        free(f->form[i]);
    for (size_t i = 0; i < f->failures; i++)
        free(f->failure[i].form);
    free(f->failure);
    accordi_family_clear_rules(f);
    free(f->rule);
    free(f->kind);
    free(f->sample);
    free(f);
}

uint32_t accord_family_from(const accord_family *f)
{
    return f->from;
}

uint32_t accord_family_to(const accord_family *f)
{
    return f->to;
}

/* ---- rules ---- */

enum accord_status accord_family_fit(accord_family *f, accord_error *error)
{
    enum accord_status status = accordi_family_find_forms(f, error);
    return status ? status : accordi_family_find_rules(f, error);
}

size_t accord_family_rules(const accord_family *f)
{
    return f->rules;
}

accord_family_rule accord_family_rule_at(const accord_family *f, size_t i)
{
    return f->rule[i].public;
}

static bool is_of(const accord_family_rule *r, uint32_t n)
{
    uint32_t residue = n % r->modulus;
    return r->from <= n && n <= r->to && r->low <= residue && residue <= r->high;
}

/* Whether a form says what is at n: nothing, or some order. */
static bool says(const char *form, uint32_t n)
{
    return !*form || accordi_form_is_order(form, n);
}

enum accord_family_state accord_family_at(const accord_family *f, uint32_t n, size_t *rule)
{
    size_t found = f->rules;
    for (size_t i = 0; i < f->rules && found == f->rules && f->rule[i].public.from <= n; i++)
        if (is_of(&f->rule[i].public, n))
            found = i;
    if (rule)
        *rule = found;
    if (accordi_family_sample(f, n))
        return ACCORD_FAMILY_ASKED;
    return found < f->rules && says(f->rule[found].form, n) ? ACCORD_FAMILY_PREDICTED
                                                            : ACCORD_FAMILY_UNKNOWN;
}

uint32_t accord_family_asked(const accord_family *f, size_t i)
{
    return i < f->samples ? f->sample[i].n : 0;
}

const char *accord_family_why(const accord_family *f, uint32_t n)
{
    const accordi_sample *s = accordi_family_sample(f, n);
    return s ? s->why : NULL;
}

enum accord_status accord_family_notation(const accord_family *f, uint32_t n, char **notation,
                                          accord_error *error)
{
    size_t rule;
    const accordi_sample *s = accordi_family_sample(f, n);
    if (s && s->why)
        return accordi_fail(error, ACCORD_UNABLE, "%u terms have no order: %s", n, s->why);
    accord_family_at(f, n, &rule);
    if (rule == f->rules || !accordi_form_is_order(f->rule[rule].form, n))
        return accordi_fail(error, ACCORD_UNABLE, "the family does not say how %u terms are added",
                            n);
    return accord_form_at(f->rule[rule].form, n, notation, error);
}

/* Of several forms the first one, with which the others mostly agree. */
static const char *some_form(const accord_family *f, uint64_t fits)
{
    return fits ? f->form[__builtin_ctzll(fits)] : "";
}

/* The form of the sample nearest to n of those with the same residue; else of the nearest one. */
static const char *form_nearby(const accord_family *f, uint32_t n)
{
    enum { MODULUS = 64 };
    uint32_t nearest[2] = {UINT32_MAX, UINT32_MAX};
    const char *form[2] = {"", ""};
    for (size_t i = 0; i < f->samples; i++) {
        const accordi_sample *s = &f->sample[i];
        uint32_t by = s->n > n ? s->n - n : n - s->n;
        bool other = by % MODULUS != 0;
        if (by < nearest[other] && s->fits) {
            nearest[other] = by;
            form[other] = some_form(f, s->fits);
        }
    }
    return nearest[0] < UINT32_MAX ? form[0] : form[1];
}

enum accord_status accord_family_expect(const accord_family *f, uint32_t n, accord_tree **tree,
                                        accord_error *error)
{
    size_t rule;
    char *notation = NULL;
    accord_family_at(f, n, &rule);
    const char *form =
        rule < f->rules && *f->rule[rule].form ? f->rule[rule].form : form_nearby(f, n);
    *tree = NULL;
    if (!*form)
        return ACCORD_OK;
    enum accord_status status = accord_form_at(form, n, &notation, error);
    if (!status)
        status = accord_notation_parse(notation, tree, NULL, NULL, error);
    accord_notation_free(notation);
    return status == ACCORD_NOMEM ? status : ACCORD_OK; /* a form may mean nothing at n */
}

bool accord_family_holds(const accord_family *f, const accord_tree *tree)
{
    accordi_sample s = {.n = tree->leaves};
    size_t rule;
    accord_family_at(f, tree->leaves, &rule);
    bool good = rule < f->rules && *f->rule[rule].form && accordi_sample_tree(&s, tree) &&
                accordi_form_fits(f->rule[rule].form, &s);
    accordi_sample_clear(&s);
    return good;
}

enum accord_status accord_family_add_rule(accord_family *f, const accord_family_rule *rule,
                                          accord_error *error)
{
    const accord_family_rule *last = f->rules ? &f->rule[f->rules - 1].public : NULL;
    bool same =
        last && last->from == rule->from && last->to == rule->to && last->modulus == rule->modulus;
    bool behind = !last || rule->from > last->to || (same && rule->low > last->high);
    if (rule->from < f->from || rule->to > f->to || rule->from > rule->to || rule->modulus < 1 ||
        rule->low > rule->high || rule->high >= rule->modulus || !behind)
        return accordi_fail(error, ACCORD_ARG,
                            "the rule for n from %u to %u, n mod %u from %u to %u, is not in the "
                            "range of the family, or does not follow the rule before it",
                            rule->from, rule->to, rule->modulus, rule->low, rule->high);
    accord_family_rule own = *rule;
    char *notation = NULL;
    accord_tree *tree = NULL;
    enum accord_status status = ACCORD_OK;
    uint32_t first = rule->from;
    while (first < rule->to && !is_of(rule, first))
        first++;
    if (*rule->form)
        status = accord_form_at(rule->form, first, &notation, error);
    if (!status && notation)
        status = accord_notation_parse(notation, &tree, NULL, NULL, error);
    accord_notation_free(notation);
    accord_tree_free(tree);
    own.asked = 0;
    own.predicted = accordi_rule_size(rule);
    return status ? status : accordi_family_put_rule(f, &own, rule->from == rule->to, error);
}
