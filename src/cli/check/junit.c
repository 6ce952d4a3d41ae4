/* Findings as JUnit XML: a test case for each order, or implementation. */
#include "cli/check/check.h"

/* Findings hold no control characters but newlines; of the rest XML 1.0 takes all but U+FFFE and
 * U+FFFF. In attributes a newline would become a space. */
static void put_xml_text(accordi_buffer *out, const char *text)
{
    static const struct {
        const char *from, *to;
    } escapes[] = {{"&", "&amp;"},
                   {"<", "&lt;"},
                   {">", "&gt;"},
                   {"\"", "&quot;"},
                   {"'", "&apos;"},
                   {"\xEF\xBF\xBE", "\xEF\xBF\xBD"},
                   {"\xEF\xBF\xBF", "\xEF\xBF\xBD"}};
    enum { ESCAPES = sizeof escapes / sizeof escapes[0] };
    while (*text) {
        size_t i = 0;
        while (i < ESCAPES && strncmp(text, escapes[i].from, strlen(escapes[i].from)) != 0)
            i++;
        if (i < ESCAPES)
            accordi_buffer_puts(out, escapes[i].to);
        else
            accordi_buffer_append(out, text, 1);
        text += i < ESCAPES ? strlen(escapes[i].from) : 1;
    }
}

static void put_xml_attribute(accordi_buffer *out, const char *name, const char *value)
{
    accordi_buffer_printf(out, " %s=\"", name);
    put_xml_text(out, value);
    accordi_buffer_puts(out, "\"");
}

static void put_case(accordi_buffer *out, const cli_finding *found)
{
    const char *element = found->excused                 ? "skipped"
                          : found->outcome == CLI_BROKEN ? "error"
                          : cli_finding_fails(found)     ? "failure"
                                                         : NULL;
    accordi_buffer_puts(out, "    <testcase");
    put_xml_attribute(out, "classname", found->name);
    put_xml_attribute(out, "name", found->subject);
    if (*found->file)
        put_xml_attribute(out, "file", found->file);
    accordi_buffer_printf(out, " time=\"%.3f\"", found->seconds);
    if (!element) {
        accordi_buffer_puts(out, "/>\n");
        return;
    }
    accordi_buffer_printf(out, ">\n      <%s", element);
    put_xml_attribute(out, "message", found->title);
    if (!found->excused) /* <skipped> has no type */
        put_xml_attribute(out, "type", cli_outcome_name(found));
    accordi_buffer_puts(out, ">");
    put_xml_text(out, found->text);
    accordi_buffer_printf(out, "</%s>\n    </testcase>\n", element);
}

static void put_counts(accordi_buffer *out, const cli_findings *all)
{
    size_t skipped = 0, failures = 0;
    for (size_t i = 0; i < all->count; i++) {
        skipped += all->list[i].excused;
        failures += cli_finding_fails(&all->list[i]) && all->list[i].outcome != CLI_BROKEN;
    }
    accordi_buffer_printf(
        out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.3f\">\n",
        all->count, failures, all->tally[CLI_BROKEN], skipped, all->seconds);
}

void cli_findings_junit(accordi_buffer *out, const cli_findings *all)
{
    accordi_buffer_printf(out,
                          "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                          "<testsuites name=\"accord %s\"",
                          all->verb ? all->verb : "check");
    put_counts(out, all);
    accordi_buffer_puts(out, "  <testsuite");
    put_xml_attribute(out, "name", all->folder);
    put_counts(out, all);
    for (size_t i = 0; i < all->count; i++)
        put_case(out, &all->list[i]);
    accordi_buffer_puts(out, "  </testsuite>\n</testsuites>\n");
}
