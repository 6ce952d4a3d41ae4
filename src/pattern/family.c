/* A family of orders: what was asked, and the rules that say it in few words.
 *
 * Invariant: the samples are in ascending order of n, each n once; the rules are in ascending order
 * of their first n, and no n has two. Whether a rule is right at an n that was not asked is not
 * known here: whoever asks checks that. */
#include "pattern/family.h"

enum accord_status accord_family_new(uint32_t from, uint32_t to, accord_family **out,
                                     accord_error *error)
{
    if (from < 1 || to < from || to > ACCORD_TREE_MAX_LEAVES)
        return accordi_fail(error, ACCORD_ARG,
                            "a family is of n from 1 to 2147483647, the smaller one first; %u to "
                            "%u is no such range",
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

void accordi_sample_clear(accordi_sample *s)
{
    free(s->parent);
    free(s->children);
    free(s->why);
    free(s->steps);
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

/* ---- samples ---- */

/* The number of samples whose n is less. */
static size_t place_of(const accord_family *f, uint32_t n)
{
    size_t low = 0, high = f->samples;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (f->sample[middle].n < n)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

accordi_sample *accordi_family_sample(const accord_family *f, uint32_t n)
{
    size_t i = place_of(f, n);
    return i < f->samples && f->sample[i].n == n ? &f->sample[i] : NULL;
}

/* The tree, as the forms look it up. */
bool accordi_sample_tree(accordi_sample *s, const accord_tree *tree)
{
    s->inner = tree->inner;
    s->parent = accordi_alloc((size_t)tree->leaves + tree->inner, sizeof *s->parent);
    if (!s->parent)
        return false;
    accord_tree_parents(tree, s->parent);
    if (tree->inner + 1 == tree->leaves)
        return true;
    s->children = accordi_alloc(tree->inner, sizeof *s->children);
    for (uint32_t k = 0; s->children && k < tree->inner; k++)
        s->children[k] = tree->first[k + 1] - tree->first[k];
    return s->children != NULL;
}

static enum accord_status keep_steps(accordi_sample *s, const accord_tree *tree,
                                     accord_error *error)
{
    char *notation = NULL;
    enum accord_status status =
        accord_notation_write(tree, NULL, &notation, &s->regular, error);
    if (status)
        return status;
    const char *colon = strstr(notation, ": ");
    s->steps = accordi_strdup(colon ? colon + 2 : "chain");
    accord_notation_free(notation);
    return s->steps ? ACCORD_OK : accordi_nomem(error);
}

/* Orders with the same steps, but for their numbers, are of one kind. */
static bool find_kind(accord_family *f, accordi_sample *s)
{
    accordi_buffer text = {0};
    accordi_form_replace(&text, s->steps, NULL);
    void *kinds = f->kind;
    bool good = !text.failed;
    for (s->kind = 0; good && s->kind < f->kinds; s->kind++)
        if (strcmp(f->kind[s->kind], text.data) == 0) {
            accordi_buffer_clear(&text);
            return true;
        }
    good = good && accordi_grow(&kinds, &f->kind_room, f->kinds + 1, sizeof *f->kind);
    f->kind = kinds;
    if (good)
        f->kind[f->kinds++] = text.data;
    else
        accordi_buffer_clear(&text);
    return good;
}

static uint64_t fits_of(const accord_family *f, const accordi_sample *s)
{
    uint64_t fits = 0;
    for (size_t k = 0; k < f->forms; k++)
        if (accordi_form_fits(f->form[k], s))
            fits |= (uint64_t)1 << k;
    return fits;
}

static enum accord_status fill_sample(accord_family *f, accordi_sample *s, const accord_tree *tree,
                                      const char *why, accord_error *error)
{
    if (!tree) {
        s->fits = 1;
        s->why = accordi_strdup(why && *why ? why : "no order");
        return s->why ? ACCORD_OK : accordi_nomem(error);
    }
    enum accord_status status =
        accordi_memory_check(tree->leaves * 80.0, "an order of the family", error);
    if (!status)
        status = keep_steps(s, tree, error);
    if (!status && (!accordi_sample_tree(s, tree) || !find_kind(f, s)))
        status = accordi_nomem(error);
    if (!status)
        s->fits = fits_of(f, s);
    return status;
}

enum accord_status accord_family_add(accord_family *f, uint32_t n, const accord_tree *tree,
                                     const char *why, accord_error *error)
{
    accordi_sample s = {.n = n};
    void *samples = f->sample;
    if (n < f->from || n > f->to || (tree && tree->leaves != n) || accordi_family_sample(f, n))
        return accordi_fail(error, ACCORD_ARG,
                            "the order of %u terms cannot be added to a family of n from %u to %u: "
                            "it is outside, or there already",
                            n, f->from, f->to);
    bool room = accordi_grow(&samples, &f->sample_room, f->samples + 1, sizeof *f->sample);
    f->sample = samples;
    enum accord_status status =
        room ? fill_sample(f, &s, tree, why, error) : accordi_nomem(error);
    if (status) {
        accordi_sample_clear(&s);
        return status;
    }
    size_t at = place_of(f, n);
    memmove(&f->sample[at + 1], &f->sample[at], (f->samples - at) * sizeof s);
    f->sample[at] = s;
    f->samples++;
    return ACCORD_OK;
}

/* ---- rules ---- */

void accordi_family_clear_rules(accord_family *f)
{
    for (size_t i = 0; i < f->rules; i++)
        free(f->rule[i].form);
    f->rules = 0;
}

enum accord_status accordi_family_put_rule(accord_family *f, const accord_family_rule *rule,
                                           bool alone, accord_error *error)
{
    void *rules = f->rule;
    bool good = accordi_grow(&rules, &f->rule_room, f->rules + 1, sizeof *f->rule);
    f->rule = rules;
    char *form = good ? accordi_strdup(rule->form) : NULL;
    if (!form)
        return accordi_nomem(error);
    accordi_rule *put = &f->rule[f->rules++];
    *put = (accordi_rule){.public = *rule, .form = form, .alone = alone};
    put->public.form = form;
    return ACCORD_OK;
}

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
    return found < f->rules ? ACCORD_FAMILY_PREDICTED : ACCORD_FAMILY_UNKNOWN;
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
    if (rule == f->rules || !*f->rule[rule].form)
        return accordi_fail(error, ACCORD_UNABLE, "the family does not say how %u terms are added",
                            n);
    return accord_form_at(f->rule[rule].form, n, notation, error);
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
    bool same = last && last->from == rule->from && last->to == rule->to &&
                last->modulus == rule->modulus;
    bool behind = !last || rule->from > last->to || (same && rule->low > last->high);
    if (rule->from < f->from || rule->to > f->to || rule->from > rule->to || rule->modulus < 1 ||
        rule->low > rule->high || rule->high >= rule->modulus || !behind)
        return accordi_fail(error, ACCORD_ARG,
                            "the rule for n from %u to %u, n mod %u from %u to %u, is not in the "
                            "range of the family, or not behind the rule before",
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
