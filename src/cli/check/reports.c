/* Where the reports of accord check on a folder go: files of their own, and standard output. */
#include "cli/check/check.h"

typedef void put_findings(accordi_buffer *out, const cli_findings *all);
static const struct report {
    enum cli_option_id option;
    const char *said;
    put_findings *put;
} reports[] = {{CLI_JUNIT, "--junit", cli_findings_junit},
               {CLI_SARIF, "--sarif", cli_findings_sarif}};
enum { REPORTS = sizeof reports / sizeof reports[0] };

int cli_reports_try(const cli_args *args)
{
    int status = CLI_YES;
    for (size_t i = 0; i < REPORTS && status == CLI_YES; i++)
        status = cli_output_try(reports[i].said, args->text[reports[i].option]);
    return status;
}

static int write_files(const cli_args *args, const cli_findings *found)
{
    int status = CLI_YES;
    for (size_t i = 0; i < REPORTS && status == CLI_YES; i++) {
        accordi_buffer text = {0};
        if (!args->text[reports[i].option])
            continue;
        reports[i].put(&text, found);
        status = cli_output_buffer(reports[i].said, args->text[reports[i].option], &text);
    }
    return status;
}

/* Annotations are read off standard output, wherever the report goes. */
int cli_reports_write_with(const cli_args *args, const cli_findings *found, accordi_buffer *report)
{
    accordi_buffer notes = {0};
    int status = write_files(args, found);
    if (status != CLI_YES) {
        accordi_buffer_clear(report);
        return status;
    }
    if (args->text[CLI_GITHUB])
        cli_findings_github(args->text[CLI_TO] ? &notes : report, found);
    status = cli_output_text(args, report);
    if (status == CLI_YES && notes.length > 0) {
        cli_args plain = {.verb = args->verb};
        return cli_output_text(&plain, &notes);
    }
    accordi_buffer_clear(&notes);
    return status;
}

int cli_reports_write(const cli_args *args, const cli_findings *found)
{
    accordi_buffer text = {0};
    (cli_wants_json(args) ? cli_findings_json : cli_findings_text)(&text, found);
    return cli_reports_write_with(args, found, &text);
}
