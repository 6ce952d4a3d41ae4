/* Surveys: one question asked under several settings, and which of the answers agree.
 *
 * Answers of as many terms belong to one group if they are the same by accord_record_compare.
 * Answers that vary from run to run share a group that says so, since they cannot be compared. Only
 * the first answer of a group is kept, so that a survey of a thousand settings needs no more memory
 * than its groups. Whether two groups differ does not depend on which came first: both ways are
 * asked. */
#include "survey/survey.h"

struct accord_survey {
    accord_group **group;
    size_t groups, capacity;
};

accord_survey *accord_survey_new(void)
{
    return accordi_calloc(1, sizeof(accord_survey));
}

void accord_survey_free(accord_survey *survey)
{
    if (!survey)
        return;
    for (size_t g = 0; g < survey->groups; g++)
        free(survey->group[g]);
    free(survey->group);
    free(survey);
}

const accord_group *accord_survey_group(const accord_survey *survey, size_t i)
{
    return i < survey->groups ? survey->group[i] : NULL;
}

/* ---- to which group an answer belongs ---- */

/* Failures are the same if they say the same. */
static enum accord_sameness compare_failures(const accord_group *a, const accord_group *b,
                                             accord_comparison *why)
{
    bool same = !a->record && !b->record && a->error.status == b->error.status &&
                strcmp(a->error.text, b->error.text) == 0;
    *why = (accord_comparison){.sameness = same ? ACCORD_SAME : ACCORD_DIFFERS};
    snprintf(why->text, sizeof why->text, "the target fails: %.300s",
             (a->record ? b : a)->error.text);
    return why->sameness;
}

static enum accord_sameness compare(const accord_group *a, const accord_group *b,
                                    accord_comparison *why)
{
    return a->record && b->record
               ? accord_record_compare(a->record, b->record, ACCORD_COMPARE_TERMS, why)
               : compare_failures(a, b, why);
}

/* Of two that have a group in common though nothing can be told of them. */
static bool alike(const accord_group *a, const accord_group *b, const accord_comparison *why)
{
    return why->sameness == ACCORD_CANNOT_TELL && a->error.status == b->error.status &&
           a->error.reason == b->error.reason &&
           (why->ground == ACCORD_GROUND_NOT_RECORDED || (why->varies_a && why->varies_b));
}

static bool belongs(accord_group *group, const accord_group *answer)
{
    accord_comparison why;
    if (group->terms != answer->terms)
        return false;
    enum accord_sameness sameness = compare(group, answer, &why);
    bool open = alike(group, answer, &why);
    if (sameness == ACCORD_SAME_ON_INPUTS)
        group->inputs = why.inputs;
    group->open = group->open || open;
    return open || sameness == ACCORD_SAME || sameness == ACCORD_SAME_ON_INPUTS;
}

/* 0 is A, 25 is Z, 26 is AA, as spreadsheets count. */
static void name_group(char *letter, size_t size, size_t number)
{
    char text[16];
    size_t at = sizeof text;
    text[--at] = 0;
    for (size_t k = number + 1; k > 0; k = (k - 1) / 26)
        text[--at] = (char)('A' + (k - 1) % 26);
    snprintf(letter, size, "%s", text + at);
}

/* A failure, and answers that are neither explained nor recorded or that varied, agree with
 * nothing, not even with themselves. */
static bool new_group(accord_survey *survey, const accord_group *answer)
{
    void *list = survey->group;
    accord_group *group = accordi_calloc(1, sizeof *group);
    bool good =
        group && accordi_grow(&list, &survey->capacity, survey->groups + 1, sizeof *survey->group);
    survey->group = list;
    if (!good) {
        free(group);
        return false;
    }
    *group = *answer;
    const accord_record *record = group->record;
    bool unexplained = record && !record->arithmetic;
    group->inputs = unexplained ? record->answers.inputs : 0;
    group->open =
        !record || record->answers.varied > 0 || (unexplained && !record->answers.generator);
    name_group(group->letter, sizeof group->letter, survey->groups);
    if (record && accord_record_fingerprint(record, group->fingerprint, NULL) != ACCORD_OK)
        group->fingerprint[0] = 0;
    survey->group[survey->groups++] = group;
    return true;
}

enum accord_status accord_survey_add(accord_survey *survey, size_t terms,
                                     const accord_record *record, const accord_error *why,
                                     size_t *group, accord_error *error)
{
    if (!record && !why)
        return accordi_fail(error, ACCORD_ARG, "pass an answer, or the error in its place");
    accord_group answer = {.terms = terms, .record = record};
    if (why)
        answer.error = *why;
    size_t g = 0;
    while (g < survey->groups && !belongs(survey->group[g], &answer))
        g++;
    if (g == survey->groups && !new_group(survey, &answer))
        return accordi_nomem(error);
    survey->group[g]->members++;
    *group = g;
    return ACCORD_OK;
}

/* ---- the verdict ---- */

/* Why the members of a group cannot be told to be the same. */
static void tell_doubt(const accord_group *group, accord_survey_verdict *out)
{
    const accord_record *record = group->record;
    if (group->error.text[0])
        snprintf(out->text, sizeof out->text, "%s", group->error.text);
    else if (record && record->answers.varied > 0)
        snprintf(out->text, sizeof out->text,
                 "%lld of %lld inputs gave other results when they were asked again",
                 (long long)record->answers.varied, (long long)record->answers.inputs);
    else
        snprintf(out->text, sizeof out->text, "%sno answers are recorded",
                 record && record->tree ? "an order is not proven, and " : "");
}

static void worsen(accord_survey_verdict *out, enum accord_sameness sameness, const char *text)
{
    if (sameness <= out->sameness)
        return;
    out->sameness = sameness;
    snprintf(out->text, sizeof out->text, "%s", text);
}

/* What the group says of its own members. */
static void judge_group(const accord_group *group, accord_survey_verdict *out)
{
    accord_survey_verdict doubt = {.sameness = ACCORD_CANNOT_TELL};
    char inputs[80];
    tell_doubt(group, &doubt);
    snprintf(inputs, sizeof inputs, "the answers are the same on %lld inputs",
             (long long)group->inputs);
    if (group->inputs > 0 && (!out->inputs || group->inputs < out->inputs))
        out->inputs = group->inputs;
    if (group->open)
        worsen(out, ACCORD_CANNOT_TELL, doubt.text);
    else if (group->inputs > 0)
        worsen(out, ACCORD_SAME_ON_INPUTS, inputs);
}

/* Of different groups nothing is the same: they differ, or it cannot be told. */
static void judge_pair(const accord_group *a, const accord_group *b, accord_survey_verdict *out,
                       accord_comparison *differ)
{
    accord_comparison why;
    if (compare(a, b, &why) != ACCORD_DIFFERS)
        worsen(out, ACCORD_CANNOT_TELL, why.text);
    else
        *differ = why;
}

void accord_survey_judge(const accord_survey *survey, accord_survey_verdict *out)
{
    accord_comparison differ = {.sameness = ACCORD_SAME};
    bool answered = !survey->groups;
    memset(out, 0, sizeof *out);
    for (size_t a = 0; a < survey->groups; a++) {
        judge_group(survey->group[a], out);
        answered = answered || survey->group[a]->record;
    }
    for (size_t a = 0; a < survey->groups; a++)
        for (size_t b = 0; b < survey->groups && differ.sameness != ACCORD_DIFFERS; b++)
            if (a != b && survey->group[a]->terms == survey->group[b]->terms)
                judge_pair(survey->group[a], survey->group[b], out, &differ);
    if (differ.sameness == ACCORD_DIFFERS) {
        out->sameness = ACCORD_DIFFERS;
        snprintf(out->text, sizeof out->text, "%s", differ.text);
    }
    if (!answered) {
        out->failure = survey->group[0]->error.status;
        tell_doubt(survey->group[0], out);
    }
}
