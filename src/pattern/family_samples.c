/* What a family holds: the orders that were asked, and its rules. */
#include "pattern/family.h"

void accordi_sample_clear(accordi_sample *s)
{
    free(s->parent);
    free(s->children);
    free(s->why);
    free(s->steps);
}

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
    enum accord_status status = accord_notation_write(tree, NULL, &notation, &s->regular, error);
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
    accordi_sample s = {.n = n, .serial = f->samples};
    void *samples = f->sample;
    if (n < f->from || n > f->to || (tree && tree->leaves != n) || accordi_family_sample(f, n))
        return accordi_fail(error, ACCORD_ARG,
                            "the order of %u terms cannot be added to a family of n from %u to %u: "
                            "it is outside, or there already",
                            n, f->from, f->to);
    bool room = accordi_grow(&samples, &f->sample_room, f->samples + 1, sizeof *f->sample);
    f->sample = samples;
    enum accord_status status = room ? fill_sample(f, &s, tree, why, error) : accordi_nomem(error);
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
