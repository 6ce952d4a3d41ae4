/* What was found of the questions of a folder, in words that the reports share. */
#include "cli/check/check.h"
#include "cli/compare/diff.h"
#include <jansson.h>

/* Foreign text steers no terminal and breaks no file: valid UTF-8, and of control characters only
 * newlines. */
static char *clean(const char *text)
{
    char *out = cli_need(accordi_utf8(text, false));
    for (char *c = out; *c; c++)
        if (((unsigned char)*c < ' ' && *c != '\n') || *c == 0x7f)
            *c = ' ';
    for (size_t end = strlen(out); end > 0 && out[end - 1] == '\n'; end--)
        out[end - 1] = 0;
    return out;
}

static char *clean_line(const char *text)
{
    char *out = clean(text);
    for (char *c = out; *c; c++)
        if (*c == '\n')
            *c = ' ';
    return out;
}

/* ---- words ---- */

/* "blas:sgemm@openblas, 48 terms of f32, 33x33x48, element 0,5" */
static void put_subject(accordi_buffer *out, const accord_record *asked)
{
    accordi_buffer_printf(out, "%s, %lld term%s", asked->target, (long long)asked->n,
                          asked->n == 1 ? "" : "s");
    if (asked->format)
        accordi_buffer_printf(out, " of %s", asked->format);
    if (asked->shape)
        accordi_buffer_printf(out, ", %s", asked->shape);
    if (asked->transpose)
        accordi_buffer_printf(out, " %s", asked->transpose);
    if (asked->element)
        accordi_buffer_printf(out, ", element %s", asked->element);
}

static void put_order(accordi_buffer *out, const accord_record *record)
{
    char order[ACCORD_ORDER_WORDS_SIZE], arithmetic[ACCORD_DESCRIPTION_SIZE];
    if (!record->tree) {
        accordi_buffer_printf(out, "no fixed order: %s", record->reason ? record->reason : "?");
        return;
    }
    accord_order_words(record->tree, order);
    accordi_buffer_puts(out, order);
    if (!record->target && !record->arithmetic) /* an order that was written by hand */
        return;
    cli_arithmetic_words(record, arithmetic, sizeof arithmetic);
    accordi_buffer_printf(out, "; %s", arithmetic);
}

static void put_finding_title(accordi_buffer *out, const cli_finding *found, const cli_order *then,
                              const cli_order *now)
{
    switch (found->outcome) {
    case CLI_BROKEN:
        accordi_buffer_puts(out, now->error.text);
        return;
    case CLI_MISSING:
        accordi_buffer_puts(out, "not recorded here; now ");
        break;
    case CLI_RECORDED:
        accordi_buffer_puts(out, then ? "recorded anew: " : "recorded: ");
        break;
    case CLI_CHANGED:
        accordi_buffer_puts(out, "was ");
        put_order(out, then->record);
        accordi_buffer_puts(out, ", is ");
        break;
    case CLI_OPEN:
        accordi_buffer_puts(out, "it cannot be determined whether it changed; now ");
        break;
    case CLI_HOLDS:
    case CLI_OUTCOMES:
        break;
    }
    put_order(out, now->record);
    if (found->inputs > 0)
        accordi_buffer_printf(out, "; the same on %lld inputs", (long long)found->inputs);
}

static void put_machine_name(accordi_buffer *out, const accord_record *record)
{
    char key[ACCORD_KEY_SIZE] = "";
    accord_record_key(record, key, NULL);
    accordi_buffer_printf(out, "Key of this machine: %s\n  library       %s\n  CPU features  %s\n",
                          key, record->library_version ? record->library_version : "unknown",
                          record->cpu_features ? record->cpu_features : "unknown");
}

/* ---- the difference ---- */

/* The order itself: in the notation, where it is regular, and of few terms in brackets. */
static void put_tree(accordi_buffer *out, const accord_record *record)
{
    enum { SHOWN = 16 };
    char *notation = NULL;
    bool regular = false;
    if (!record->tree)
        return;
    if (accord_notation_write(record->tree, NULL, &notation, &regular, NULL) == ACCORD_OK &&
        regular)
        accordi_buffer_printf(out, "\n          %s", notation);
    accord_notation_free(notation);
    if (record->tree->leaves <= SHOWN) {
        accordi_buffer_puts(out, "\n          ");
        accord_tree_write_brackets(record->tree, accordi_buffer_write, out, NULL);
    }
}

struct json_t *cli_put_change(accordi_buffer *out, cli_order *then, cli_order *now)
{
    cli_difference in = {.a = then, .b = now};
    json_t *document = NULL;
    accordi_buffer_puts(out, then->record->target ? "recorded: " : "expected: ");
    put_order(out, then->record);
    put_tree(out, then->record);
    accordi_buffer_puts(out, "\nnow:      ");
    put_order(out, now->record);
    put_tree(out, now->record);
    accordi_buffer_puts(out, "\n");
    if (cli_diff_compare(&in) == CLI_YES) {
        accordi_buffer_puts(out, "\n");
        cli_diff_report(out, &in);
        document = cli_diff_document(&in);
    }
    cli_diff_clear(&in);
    return document;
}

static void describe_difference(cli_finding *found, accordi_buffer *text, cli_order *then,
                                cli_order *now)
{
    cli_verdict v = {.then = then, .now = now};
    bool changed = found->outcome == CLI_CHANGED;
    if (then && accord_record_has_answer(now->record)) {
        cli_verdict_judge(&v);
        json_decref(found->json);
        found->json = cli_need(cli_verdict_json(&v));
    }
    if (found->outcome == CLI_OPEN)
        cli_verdict_report(text, &v);
    if (changed) {
        cli_verdict_report(text, &v);
        json_t *diff = cli_put_change(text, then, now);
        if (diff && then->record->n == now->record->n)
            json_object_set(found->json, "diff", diff);
        json_decref(diff);
    }
    if (found->outcome == CLI_MISSING)
        put_machine_name(text, now->record);
}

void cli_findings_put(cli_findings *all, cli_finding found, const char *name, const char *file,
                      const char *subject, const char *title, const char *text)
{
    cli_grow((void **)&all->list, &all->room, all->count + 1, sizeof *all->list);
    found.name = clean_line(name);
    found.file = clean_line(file);
    found.path = cli_need(accordi_strdup(file));
    found.subject = clean_line(subject);
    found.title = clean_line(title);
    found.text = clean(text);
    json_object_set_new(found.json, "name", json_string(found.name));
    json_object_set_new(found.json, "subject", json_string(found.subject));
    json_object_set_new(found.json, "file", json_string(found.file));
    json_object_set_new(found.json, "outcome", json_string(cli_outcome_name(&found)));
    json_object_set_new(found.json, "words", json_string(found.title));
    json_object_set_new(found.json, "seconds", json_real(found.seconds));
    all->list[all->count++] = found;
    all->tally[found.outcome]++;
    all->seconds += found.seconds;
}

void cli_findings_add(cli_findings *all, cli_finding found, const char *name, const char *file,
                      cli_order *then, cli_order *now)
{
    accordi_buffer title = {0}, text = {0}, subject = {0};
    found.json = cli_need(json_object());
    put_subject(&subject, now->record->target ? now->record : then->record);
    put_finding_title(&title, &found, then, now);
    describe_difference(&found, &text, then, now);
    if (subject.failed || title.failed || text.failed)
        cli_need(NULL);
    cli_findings_put(all, found, name, file, subject.data, title.data, text.data ? text.data : "");
    accordi_buffer_clear(&title);
    accordi_buffer_clear(&text);
    accordi_buffer_clear(&subject);
}

void cli_findings_clear(cli_findings *all)
{
    for (size_t i = 0; i < all->count; i++) {
        cli_finding *found = &all->list[i];
        free(found->name);
        free(found->subject);
        free(found->file);
        free(found->path);
        free(found->title);
        free(found->text);
        json_decref(found->json);
    }
    free(all->list);
    free(all->folder);
    *all = (cli_findings){0};
}

/* ---- outcomes ---- */

const char *cli_outcome_name(const cli_finding *found)
{
    static const char *const names[CLI_OUTCOMES] = {"same",        "recorded", "not-recorded-here",
                                                    "cannot-tell", "changed",  "failed"};
    return found->word ? found->word : names[found->outcome];
}

bool cli_finding_fails(const cli_finding *found)
{
    return found->outcome >= CLI_MISSING && !found->excused;
}

int cli_findings_status(const cli_findings *all)
{
    int missing = CLI_YES, changed = CLI_YES, failed = CLI_YES;
    for (size_t i = 0; i < all->count; i++) {
        const cli_finding *found = &all->list[i];
        if (found->outcome == CLI_BROKEN)
            failed = found->status > failed ? found->status : failed;
        else if (found->outcome == CLI_CHANGED)
            changed = CLI_DIFFERS;
        else if (cli_finding_fails(found))
            missing = CLI_UNABLE;
    }
    if (failed == CLI_FAILED)
        return failed;
    return changed ? changed : failed ? failed : missing;
}
