/* The features of a target, without its record: machine/ and arithmetic/special_values find them,
 * and this file compares them with the table of machines. */
#include "reveal/arithmetic/special_values.h"
#include "reveal/machine/parameters.h"
#include <accord/features.h>

struct accord_features {
    bool fused;
    char why[sizeof((accord_error *)0)->text];
    size_t count, known;
    accord_feature feature[ACCORDI_FEATURES];
    const accord_fused **machine; /* rows that agree */
    accord_special special[ACCORDI_SPECIALS];
    uint64_t probes, replays, agreed;
};

void accord_features_free(accord_features *features)
{
    if (features)
        free(features->machine);
    free(features);
}

/* ---- one feature ---- */

bool accord_feature_observable(const accord_feature *f)
{
    return f->least == f->most && !f->open_below && !f->open_above;
}

static void put_value(const accord_feature *f, int value, const char *word, char *text, size_t size)
{
    if (f->kind == ACCORD_FEATURE_NUMBER)
        snprintf(text, size, "%d", value);
    else if (f->kind == ACCORD_FEATURE_WORD)
        snprintf(text, size, "%s", word);
    else
        snprintf(text, size, "%s", value ? "yes" : "no");
}

void accord_feature_describe(const accord_feature *f, char *text, size_t size)
{
    char low[60], high[60];
    put_value(f, f->least, f->least_word, low, sizeof low);
    put_value(f, f->most, f->most_word, high, sizeof high);
    if (accord_feature_observable(f))
        snprintf(text, size, "%s", low);
    else if (f->kind != ACCORD_FEATURE_NUMBER)
        snprintf(text, size, "not observable (%s or %s)", low, high);
    else if (f->open_below && f->open_above)
        snprintf(text, size, "not observable");
    else if (f->open_below)
        snprintf(text, size, "not observable (%s or less)", high);
    else if (f->open_above)
        snprintf(text, size, "not observable (%s or more)", low);
    else
        snprintf(text, size, "not observable (%s to %s)", low, high);
}

static accord_feature feature_of(const accordi_features_report *r, enum accordi_feature which)
{
    const accordi_feature_info *info = accordi_feature_get(which);
    const accordi_parameter *parameter = info->parameter;
    int value = accordi_feature_value(&r->machine, which);
    int least = r->range[which].least, most = r->range[which].most;
    enum accord_feature_kind kind = parameter->kind == ACCORDI_NUMBER ? ACCORD_FEATURE_NUMBER
                                    : parameter->kind == ACCORDI_FLAG ? ACCORD_FEATURE_YES_NO
                                                                      : ACCORD_FEATURE_WORD;
    return (accord_feature){.name = parameter->name,
                            .about = info->about,
                            .how = info->how,
                            .kind = kind,
                            .value = value,
                            .least = least,
                            .most = most,
                            .open_below = r->range[which].beyond_least,
                            .open_above = r->range[which].beyond_most,
                            .word = accordi_parameter_title(parameter, value),
                            .least_word = accordi_parameter_title(parameter, least),
                            .most_word = accordi_parameter_title(parameter, most)};
}

/* ---- the table of machines ---- */

static bool may_be(const accordi_features_report *r, enum accordi_feature f, int value)
{
    return (r->range[f].beyond_least || value >= r->range[f].least) &&
           (r->range[f].beyond_most || value <= r->range[f].most);
}

/* Whether a row of the table agrees in all that can be seen. */
static bool agrees(const accordi_features_report *r, const accord_fused *row)
{
    if (row->scheme != r->machine.scheme || row->scale_block != r->machine.scale_block)
        return false;
    for (int i = 0; i < ACCORDI_FEATURES; i++) {
        enum accordi_feature f = (enum accordi_feature)i;
        if (accordi_feature_applies(row, f) && !may_be(r, f, accordi_feature_value(row, f)))
            return false;
    }
    return true;
}

static enum accord_status list_machines(accord_features *out, const accordi_features_report *r,
                                        accord_error *error)
{
    const accord_fused *row;
    size_t rows = 0;
    while (accord_fused_at(rows))
        rows++;
    out->machine = accordi_alloc(rows, sizeof *out->machine);
    if (!out->machine)
        return accordi_nomem(error);
    for (size_t i = 0; (row = accord_fused_at(i)); i++)
        if (agrees(r, row))
            out->machine[out->known++] = row;
    return ACCORD_OK;
}

/* ---- asking ---- */

static enum accord_status take_machine(accord_features *out, const accordi_features_report *r,
                                       accord_error *error)
{
    out->fused = true;
    out->probes = r->probes;
    out->replays = r->replays;
    out->agreed = r->agreed;
    for (int i = 0; i < ACCORDI_FEATURES; i++)
        if (accordi_feature_applies(&r->machine, (enum accordi_feature)i))
            out->feature[out->count++] = feature_of(r, (enum accordi_feature)i);
    return list_machines(out, r, error);
}

static enum accord_status find_machine(accordi_asker *asker, const accord_tree *tree,
                                       accord_features *out)
{
    accordi_features_report report = {.probes = 0};
    accord_arithmetic *arithmetic = NULL;
    enum accord_status status = accordi_features_find(asker, tree, &arithmetic, &report);
    accord_arithmetic_free(arithmetic);
    if (status == ACCORD_OK)
        return take_machine(out, &report, asker->error);
    if (status != ACCORD_UNSUPPORTED && status != ACCORD_UNABLE)
        return status;
    snprintf(out->why, sizeof out->why, "%s", asker->error->text);
    return asker->status = ACCORD_OK;
}

static enum accord_status find_specials(accordi_asker *asker, const accord_tree *tree,
                                        accord_features *out)
{
    accordi_specials_report report;
    enum accord_status status = accordi_specials_find(asker, tree, &report);
    for (int s = 0; status == ACCORD_OK && s < ACCORDI_SPECIALS; s++) {
        accord_special *special = &out->special[s];
        special->name = accordi_special_name((enum accordi_special)s, &special->about);
        special->seen = accordi_seen_words(report.seen[s]);
    }
    return status;
}

enum accord_status accord_features_find(accord_target *target, const accord_tree *tree,
                                        const accord_features_options *options,
                                        accord_features **out, accord_error *error)
{
    accordi_asker asker;
    accord_features_options how;
    accord_error why = {.status = ACCORD_OK};
    enum accord_status status =
        ACCORDI_TAKE(accord_features_options, progress_context, &how, options, error);
    if (status != ACCORD_OK)
        return status;
    if (!tree || tree->leaves != target->n)
        return accordi_fail(error, ACCORD_ARG, "features need the order of the target");
    accord_features *found = accordi_calloc(1, sizeof *found);
    if (!found)
        return accordi_nomem(error);
    accordi_ask_init(&asker, target, how.seed, &why);
    asker.progress = how.progress;
    asker.progress_context = how.progress_context;
    status = find_machine(&asker, tree, found);
    if (status == ACCORD_OK)
        status = find_specials(&asker, tree, found);
    accordi_ask_clear(&asker);
    if (status == ACCORD_OK) {
        *out = found;
        return ACCORD_OK;
    }
    accord_features_free(found);
    if (error)
        *error = why;
    return status;
}

/* ---- telling ---- */

const char *accord_features_why(const accord_features *features)
{
    return features->fused ? NULL : features->why;
}

const accord_feature *accord_features_at(const accord_features *features, size_t i)
{
    return i < features->count ? &features->feature[i] : NULL;
}

const accord_fused *accord_features_machine(const accord_features *features, size_t i)
{
    return i < features->known ? features->machine[i] : NULL;
}

const accord_special *accord_features_special(const accord_features *features, size_t i)
{
    return i < ACCORDI_SPECIALS ? &features->special[i] : NULL;
}

void accord_features_evidence(const accord_features *features, uint64_t *probes, uint64_t *replays,
                              uint64_t *agreed)
{
    *probes = features->probes;
    *replays = features->replays;
    *agreed = features->agreed;
}
