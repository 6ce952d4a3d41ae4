/* Where the reports of accord check on a folder go: files of their own, and standard output. */
#include "cli/check/check.h"
#include <sys/stat.h>

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
    for (size_t i = 0; i < REPORTS; i++) {
        cli_output out;
        struct stat st;
        const char *path = args->text[reports[i].option];
        if (!path || (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
            continue; /* to open a pipe would tell its reader something */
        if (!cli_output_open_of(&out, reports[i].said, path))
            return CLI_USAGE;
        cli_output_discard(&out);
    }
    return CLI_YES;
}

static int write_files(const cli_args *args, const cli_findings *found)
{
    int status = CLI_YES;
    for (size_t i = 0; i < REPORTS && status == CLI_YES; i++) {
        cli_output out;
        accordi_buffer text = {0};
        if (!args->text[reports[i].option])
            continue;
        reports[i].put(&text, found);
        if (text.failed) {
            cli_error("out of memory");
            status = CLI_UNABLE;
        } else if (!cli_output_open_of(&out, reports[i].said, args->text[reports[i].option])) {
            status = CLI_USAGE;
        } else {
            cli_output_write(&out, text.data, text.length);
            status = cli_output_commit(&out);
        }
        accordi_buffer_clear(&text);
    }
    return status;
}

/* Annotations are read off standard output, wherever the report goes. */
static int write_text(const cli_args *args, const cli_findings *found)
{
    accordi_buffer text = {0}, notes = {0};
    bool github = args->text[CLI_GITHUB] != NULL;
    (cli_wants_json(args) ? cli_findings_json : cli_findings_text)(&text, found);
    if (github)
        cli_findings_github(args->text[CLI_TO] ? &notes : &text, found);
    int status = cli_output_text(args, &text);
    if (status == CLI_YES && notes.length > 0) {
        cli_args plain = {.verb = args->verb};
        return cli_output_text(&plain, &notes);
    }
    accordi_buffer_clear(&notes);
    return status;
}

int cli_reports_write(const cli_args *args, const cli_findings *found)
{
    int status = write_files(args, found);
    return status == CLI_YES ? write_text(args, found) : status;
}
