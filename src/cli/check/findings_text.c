/* What accord check found in a folder, for people and as JSON. */
#include "cli/check/check.h"
#include <jansson.h>

static const char *const marks[CLI_OUTCOMES] = {"ok",      "recorded", "MISSING",
                                                "UNKNOWN", "CHANGED",  "FAILED"};

/* Marked, so that no line of foreign text is taken for a command by what reads the log. */
static void put_indented(accordi_buffer *out, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        if (length > 0)
            accordi_buffer_printf(out, "    | %.*s", (int)length, text);
        accordi_buffer_puts(out, "\n");
        text += length + (text[length] == '\n');
    }
}

static void put_totals(accordi_buffer *out, const cli_findings *all)
{
    static const char *const words[CLI_OUTCOMES] = {
        "as recorded", "recorded", "not recorded here", "not comparable", "changed", "failed"};
    const char *between = ": ";
    accordi_buffer_printf(out, "\n%zu order%s", all->count, all->count == 1 ? "" : "s");
    for (int i = 0; i < CLI_OUTCOMES; i++)
        if (all->tally[i] > 0) {
            accordi_buffer_printf(out, "%s%zu %s", between, all->tally[i], words[i]);
            between = ", ";
        }
    accordi_buffer_puts(out, ".\n");
    if (all->tally[CLI_MISSING] > 0)
        accordi_buffer_puts(out, "To record what is missing for this machine, run accord check "
                                 "FOLDER --update and keep the files that it writes.\n");
}

void cli_findings_text(accordi_buffer *out, const cli_findings *all)
{
    for (size_t i = 0; i < all->count; i++) {
        const cli_finding *found = &all->list[i];
        accordi_buffer_printf(out, "%-8s  %s: %s: %s\n",
                              found->excused ? "missing" : marks[found->outcome], found->name,
                              found->subject, found->title);
        if (found->outcome != CLI_HOLDS)
            accordi_buffer_printf(out, "    %s\n", found->file);
        put_indented(out, found->text);
    }
    put_totals(out, all);
}

void cli_findings_json(accordi_buffer *out, const cli_findings *all)
{
    json_t *list = json_array();
    for (size_t i = 0; i < all->count; i++)
        json_array_append(list, all->list[i].json);
    cli_put_json(out, json_pack("{s:i, s:s, s:o, s:b, s:i, s:o}", "accord", CLI_SCHEMA, "verb",
                                "check", "folder", cli_json_text(all->folder), "same",
                                cli_findings_status(all) == CLI_YES, "status",
                                cli_findings_status(all), "orders", list));
}
