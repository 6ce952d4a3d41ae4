/* A recorded order beside what its target says today: the same, changed, and under which
 * circumstances; in words and as JSON. */
#include "cli/check/check.h"
#include <jansson.h>

/* What the order may depend on besides the target: a row each. */
static const struct circumstance {
    const char *name, *words;
    size_t offset;
} circumstances[] = {
    {"cpu", "another CPU", offsetof(accord_record, cpu)},
    {"cpu_features", "other CPU features", offsetof(accord_record, cpu_features)},
    {"library_version", "another version of the library", offsetof(accord_record, library_version)},
    {"library_build", "another build of the library", offsetof(accord_record, library_build)},
    {"environment", "other settings in the environment", offsetof(accord_record, environment)},
};
enum { CIRCUMSTANCES = sizeof circumstances / sizeof circumstances[0] };

_Static_assert(CIRCUMSTANCES + 1 == CLI_CIRCUMSTANCES, "threads are the last");

/* NULL when the record does not tell. That no setting was set is something told, by a record that
 * accord made. */
static const char *field(const accord_record *record, size_t i)
{
    char *const *at = (char *const *)((const char *)record + circumstances[i].offset);
    bool settings = circumstances[i].offset == offsetof(accord_record, environment);
    return !*at && settings && record->accord ? "none" : *at;
}

/* Only what both records tell can differ. */
static void compare_circumstances(cli_verdict *v)
{
    const accord_record *then = &v->then->record, *now = &v->now->record;
    for (size_t i = 0; i < CIRCUMSTANCES; i++) {
        const char *a = field(then, i), *b = field(now, i);
        v->moved[i] = a && b && strcmp(a, b) != 0;
        v->elsewhere |= v->moved[i];
    }
    v->moved[CIRCUMSTANCES] =
        then->threads > 0 && now->threads > 0 && then->threads != now->threads;
    v->elsewhere |= v->moved[CIRCUMSTANCES];
}

const char *cli_verdict_word(const cli_verdict *v)
{
    if (v->same || v->open)
        return accord_sameness_name(v->why.sameness);
    return v->elsewhere ? "changed-elsewhere" : "changed";
}

void cli_verdict_judge(cli_verdict *v)
{
    enum accord_sameness sameness =
        accord_record_compare(&v->then->record, &v->now->record, 0, &v->why);
    v->same = sameness == ACCORD_SAME || sameness == ACCORD_SAME_ON_INPUTS;
    v->open = sameness == ACCORD_CANNOT_TELL;
    if (v->why.ground == ACCORD_GROUND_ARITHMETIC)
        snprintf(v->arithmetic, sizeof v->arithmetic, "%.*s", (int)sizeof v->arithmetic - 1,
                 v->why.text);
    compare_circumstances(v);
}

bool cli_lost(const cli_order *now)
{
    bool silent = now->error.reason == ACCORD_REASON_OUT_OF_RANGE && !now->record.answers.generator;
    return now->status != ACCORD_OK && (now->status != ACCORD_UNABLE || silent);
}

/* ---- in words ---- */

/* Environments hold newlines; a report has one line for each circumstance. */
static void put_flat(accordi_buffer *out, const char *text)
{
    for (; *text; text++)
        accordi_buffer_append(out, *text == '\n' ? " " : text, 1);
}

static void put_circumstances(accordi_buffer *out, const cli_verdict *v)
{
    const accord_record *then = &v->then->record, *now = &v->now->record;
    for (size_t i = 0; i < CIRCUMSTANCES; i++)
        if (v->moved[i]) {
            accordi_buffer_printf(out, "  %s: ", circumstances[i].words);
            put_flat(out, field(then, i));
            accordi_buffer_puts(out, " then, ");
            put_flat(out, field(now, i));
            accordi_buffer_puts(out, " now\n");
        }
    if (v->moved[CIRCUMSTANCES])
        accordi_buffer_printf(out, "  another number of threads: %lld then, %lld now\n",
                              (long long)then->threads, (long long)now->threads);
}

/* What changed, where the records' own words do not say it. */
static void put_change(accordi_buffer *out, const cli_verdict *v)
{
    long long n = (long long)v->then->record.n;
    if (v->why.ground == ACCORD_GROUND_VARIES)
        accordi_buffer_printf(out,
                              "What was recorded of %lld terms is gone: results are no longer the "
                              "same from run to run: %s\n",
                              n, v->now->error.text);
    else if (!v->now->record.tree && v->then->record.tree)
        accordi_buffer_printf(out, "The recorded order of %lld terms is gone: %s\n", n,
                              v->now->error.text);
    else if (v->arithmetic[0])
        accordi_buffer_printf(out,
                              "The %lld terms are added in the same order as recorded, but the "
                              "arithmetic changed (A: recorded, B: now): %s.\n",
                              n, v->arithmetic);
    else if (v->why.ground == ACCORD_GROUND_ANSWERS)
        accordi_buffer_printf(out, "The results changed (A: recorded, B: now): %s.\n", v->why.text);
    else
        accordi_buffer_printf(out, "The order of %lld terms changed.\n", n);
}

static void put_judgement(accordi_buffer *out, const cli_verdict *v, const char *print)
{
    const accord_record *then = &v->then->record;
    if (v->open)
        accordi_buffer_printf(out,
                              "Whether the target still gives what was recorded cannot be told (A: "
                              "recorded, B: now): %s.\n",
                              v->why.text);
    else if (!v->same)
        put_change(out, v);
    else if (then->tree)
        accordi_buffer_printf(out, "Same order as recorded: %u terms, fingerprint %s.\n",
                              then->tree->leaves, print);
    else
        accordi_buffer_printf(out, "As recorded, there is no fixed order: %s\n",
                              v->now->error.text);
    if (v->why.sameness == ACCORD_SAME_ON_INPUTS)
        accordi_buffer_printf(out,
                              "No model explains the results; they are the same as recorded on "
                              "%lld inputs.\n",
                              (long long)v->why.inputs);
}

void cli_verdict_report(accordi_buffer *out, const cli_verdict *v)
{
    char print[ACCORD_FINGERPRINT_SIZE] = "";
    const accord_record *then = &v->then->record;
    if (then->tree)
        accord_tree_fingerprint(then->tree, print, NULL);
    put_judgement(out, v, print);
    if (v->elsewhere) {
        accordi_buffer_puts(out, v->same ? "It holds although the record was made with:\n"
                                         : "The record was made with:\n");
        put_circumstances(out, v);
    }
    if (v->open)
        return;
    if (!v->same && v->elsewhere)
        accordi_buffer_puts(out, "So this may be the machine or the version, and no fault of "
                                 "the target; record it anew if it is to hold here.\n");
    else if (!v->same)
        accordi_buffer_puts(out, "CPU, library and settings are as recorded (as far as the "
                                 "record tells), so the target itself changed.\n");
}

/* ---- as JSON ---- */

static json_t *json_print(const accord_record *record)
{
    char print[ACCORD_FINGERPRINT_SIZE];
    if (!record->tree || accord_tree_fingerprint(record->tree, print, NULL) != ACCORD_OK)
        return json_null();
    return json_string(print);
}

static json_t *json_circumstances(const cli_verdict *v)
{
    json_t *all = json_array();
    const accord_record *then = &v->then->record, *now = &v->now->record;
    for (size_t i = 0; i < CIRCUMSTANCES; i++)
        if (v->moved[i])
            json_array_append_new(all, json_pack("{s:s, s:o, s:o}", "what", circumstances[i].name,
                                                 "recorded", cli_json_text(field(then, i)), "now",
                                                 cli_json_text(field(now, i))));
    if (v->moved[CIRCUMSTANCES])
        json_array_append_new(all, json_pack("{s:s, s:I, s:I}", "what", "threads", "recorded",
                                             (json_int_t)then->threads, "now",
                                             (json_int_t)now->threads));
    return all;
}

json_t *cli_verdict_json(const cli_verdict *v)
{
    return json_pack("{s:i, s:s, s:o, s:o, s:I, s:b, s:s, s:s, s:I, s:o, s:o, s:s, s:s?, s:o}",
                     "accord", CLI_SCHEMA, "verb", "check", "target", cli_json_text(v->now->name),
                     "file", cli_json_text(v->then->name), "n", (json_int_t)v->then->record.n,
                     "same", v->same, "verdict", cli_verdict_word(v), "because", v->why.text,
                     "inputs", (json_int_t)v->why.inputs, "recorded_fingerprint",
                     json_print(&v->then->record), "fingerprint", json_print(&v->now->record),
                     "reason",
                     accord_reason_name(v->now->status == ACCORD_UNABLE ? v->now->error.reason
                                                                        : ACCORD_REASON_NONE),
                     "arithmetic", v->arithmetic[0] ? v->arithmetic : NULL, "circumstances",
                     json_circumstances(v));
}
