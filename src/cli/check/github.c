/* Findings as annotations that GitHub reads off the log of a job:
 * ::error file=…,line=…,title=…::message, where of a message % and the ends of lines are escaped,
 * and of a property also what ends it. */
#include "cli/check/check.h"

static void put_github_text(accordi_buffer *out, const char *text, const char *escaped)
{
    for (; *text; text++)
        accordi_buffer_printf(out, strchr(escaped, *text) ? "%%%02X" : "%c", (unsigned char)*text);
}

static void put_one(accordi_buffer *out, const cli_finding *found)
{
    const char *const message = "%\r\n", *const property = "%\r\n:,";
    accordi_buffer_puts(out, cli_finding_fails(found) ? "::error " : "::warning ");
    accordi_buffer_puts(out, *found->file ? "file=" : "");
    put_github_text(out, found->file, property);
    accordi_buffer_puts(out, *found->file ? ",line=1,title=" : "title=");
    put_github_text(out, found->subject, property);
    accordi_buffer_puts(out, "::");
    put_github_text(out, found->title, message);
    put_github_text(out, *found->text ? "\n" : "", message);
    put_github_text(out, found->text, message);
    accordi_buffer_puts(out, "\n");
}

void cli_findings_github(accordi_buffer *out, const cli_findings *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->list[i].outcome >= CLI_MISSING)
            put_one(out, &all->list[i]);
}
