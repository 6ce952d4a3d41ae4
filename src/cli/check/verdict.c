/* Prints the result of accord check for one record: has the order changed? (Words and JSON.) */
#include "cli/check/check.h"
#include <jansson.h>

/* Or is the order one that was written down, which nobody asked a target for? */
static bool is_recorded(const cli_verdict *v)
{
    return v->then->record->target != NULL;
}

void cli_verdict_judge(cli_verdict *v)
{
    accord_verdict_judge(v->then->record, v->now->record, &v->found);
    if (v->found.why.ground == ACCORD_GROUND_NOT_RECORDED && !is_recorded(v))
        snprintf(v->found.why.text, sizeof v->found.why.text,
                 "no model explains what the target computes, so it is not certain in which order "
                 "it adds");
    if (v->found.why.ground == ACCORD_GROUND_ARITHMETIC)
        snprintf(v->arithmetic, sizeof v->arithmetic, "%.*s", (int)sizeof v->arithmetic - 1,
                 v->found.why.text);
}

/* ---- in words ---- */

/* Environments hold newlines; a report has one line for each circumstance. */
static void put_flat(accordi_buffer *out, const char *text)
{
    for (; *text; text++)
        accordi_buffer_append(out, *text == '\n' ? " " : text, 1);
}

static void put_circumstances(accordi_buffer *out, const accord_verdict *v)
{
    for (size_t i = 0; i < v->moved; i++) {
        const accord_circumstance *c = &v->circumstance[i];
        accordi_buffer_printf(out, "  %s: ", c->words);
        if (!c->then) {
            accordi_buffer_printf(out, "%lld then, %lld now\n", (long long)c->count_then,
                                  (long long)c->count_now);
            continue;
        }
        put_flat(out, c->then);
        accordi_buffer_puts(out, " then, ");
        put_flat(out, c->now);
        accordi_buffer_puts(out, " now\n");
    }
}

/* What changed, where the records' own words do not say it. */
static void put_change(accordi_buffer *out, const cli_verdict *v)
{
    long long n = (long long)v->then->record->n;
    bool recorded = is_recorded(v);
    if (v->found.why.ground == ACCORD_GROUND_VARIES && recorded)
        accordi_buffer_printf(out,
                              "The recorded behavior for %lld terms is gone: results are no longer "
                              "the same from run to run: %s\n",
                              n, v->now->error.text);
    else if (!v->now->record->tree && v->then->record->tree)
        accordi_buffer_printf(out, "The %s order of %lld terms is %s: %s\n",
                              recorded ? "recorded" : "expected", n,
                              recorded ? "gone" : "not found", v->now->error.text);
    else if (v->arithmetic[0])
        accordi_buffer_printf(out,
                              recorded ? "The %lld terms are added in the same order as recorded, "
                                         "but the arithmetic changed (A: recorded, B: now): %s.\n"
                                       : "The %lld terms are added in the order expected, but the "
                                         "arithmetic is another one (A: expected, B: now): %s.\n",
                              n, v->arithmetic);
    else if (v->found.why.ground == ACCORD_GROUND_ANSWERS)
        accordi_buffer_printf(out, "The results changed (A: recorded, B: now): %s.\n",
                              v->found.why.text);
    else
        accordi_buffer_printf(out, "The order of %lld terms %s.\n", n,
                              recorded ? "changed" : "is not the one expected");
}

static void put_judgment(accordi_buffer *out, const cli_verdict *v, const char *print)
{
    const accord_record *then = v->then->record;
    if (v->found.open)
        accordi_buffer_printf(out, "It cannot be determined whether the target %s: %s.\n",
                              is_recorded(v) ? "still gives what was recorded (A: recorded, B: now)"
                                             : "adds in the order expected (A: expected, B: now)",
                              v->found.why.text);
    else if (!v->found.same)
        put_change(out, v);
    else if (then->tree)
        accordi_buffer_printf(out, "Same order as %s: %u term%s, fingerprint %s.\n",
                              is_recorded(v) ? "recorded" : "expected", then->tree->leaves,
                              then->tree->leaves == 1 ? "" : "s", print);
    else
        accordi_buffer_printf(out, "As recorded, there is no fixed order: %s\n",
                              v->now->error.text);
    if (v->found.why.sameness == ACCORD_SAME_ON_INPUTS)
        accordi_buffer_printf(out,
                              "No model explains the results; they are the same as recorded on "
                              "%lld inputs.\n",
                              (long long)v->found.why.inputs);
}

void cli_verdict_report(accordi_buffer *out, const cli_verdict *v)
{
    char print[ACCORD_FINGERPRINT_SIZE] = "";
    const accord_record *then = v->then->record;
    if (then->tree)
        accord_tree_fingerprint(then->tree, print, NULL);
    put_judgment(out, v, print);
    if (v->found.moved) {
        accordi_buffer_puts(out, v->found.same ? "The record holds, although it was made with:\n"
                                               : "The record was made with:\n");
        put_circumstances(out, &v->found);
    }
    if (v->found.open)
        return;
    if (!v->found.same && v->found.moved)
        accordi_buffer_puts(out,
                            "So the cause may be the machine or the version rather than the "
                            "target. To check this machine from now on, make a new record here.\n");
    else if (!v->found.same && is_recorded(v))
        accordi_buffer_puts(out, "CPU, library and settings are as recorded (as far as the record "
                                 "states them), so the target itself changed.\n");
}

int cli_check_fail(const accord_error *error, const char *path)
{
    int status = cli_fail(error);
    bool refused = error->status == ACCORD_ARG || error->status == ACCORD_UNSUPPORTED;
    if (refused && !cli_signal())
        cli_error("this is asked as %s records it; options such as --format and --shape change it",
                  path);
    return status;
}

/* ---- as JSON ---- */

static json_t *json_print(const accord_record *record)
{
    char print[ACCORD_FINGERPRINT_SIZE];
    if (!record->tree || accord_tree_fingerprint(record->tree, print, NULL) != ACCORD_OK)
        return json_null();
    return json_string(print);
}

static json_t *json_circumstances(const accord_verdict *v)
{
    json_t *all = json_array();
    for (size_t i = 0; i < v->moved; i++) {
        const accord_circumstance *c = &v->circumstance[i];
        json_t *then = c->then ? cli_json_text(c->then) : json_integer(c->count_then);
        json_t *now = c->then ? cli_json_text(c->now) : json_integer(c->count_now);
        json_array_append_new(
            all, json_pack("{s:s, s:o, s:o}", "what", c->name, "recorded", then, "now", now));
    }
    return all;
}

json_t *cli_verdict_json(const cli_verdict *v)
{
    return json_pack("{s:i, s:s, s:o, s:o, s:I, s:b, s:s, s:s, s:I, s:o, s:o, s:s, s:s?, s:o}",
                     "accord", CLI_SCHEMA, "verb", "check", "target", cli_json_text(v->now->name),
                     "file", cli_json_text(v->then->name), "n", (json_int_t)v->then->record->n,
                     "same", v->found.same, "verdict", accord_verdict_name(&v->found), "because",
                     v->found.why.text, "inputs", (json_int_t)v->found.why.inputs,
                     "recorded_fingerprint", json_print(v->then->record), "fingerprint",
                     json_print(v->now->record), "reason",
                     accord_reason_name(v->now->status == ACCORD_UNABLE ? v->now->error.reason
                                                                        : ACCORD_REASON_NONE),
                     "arithmetic", v->arithmetic[0] ? v->arithmetic : NULL, "circumstances",
                     json_circumstances(&v->found));
}
