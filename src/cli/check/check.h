/* What accord check finds (and accord explain, for JUnit and GitHub): one record and its target, or
 * a folder of records. A record and today's answer come in; a finding goes out, which the reports
 * (text, JSON, JUnit, SARIF, GitHub) write.
 */
#ifndef ACCORD_CLI_CHECK_H
#define ACCORD_CLI_CHECK_H

#include "cli/command/cli.h"

struct json_t;

/* ---- verdict.c: a record beside today's answer ---- */

typedef struct cli_verdict {
    const cli_order *then, *now;              /* set by the caller */
    accord_verdict found;                     /* A is what was recorded, B what is given now */
    char arithmetic[ACCORD_DESCRIPTION_SIZE]; /* how it differs where the order is the same; else
                                                 empty */
} cli_verdict;

void cli_verdict_judge(cli_verdict *v);
void cli_verdict_report(accordi_buffer *out, const cli_verdict *v);
struct json_t *cli_verdict_json(const cli_verdict *v);
/* Says why the target cannot be asked what the file records. Returns the exit status. */
int cli_check_fail(const accord_error *error, const char *path);
/* What was recorded, what is now, where the two part and the input on which it shows, in words;
 * returns the document of accord diff, NULL after an error was printed (findings.c). */
struct json_t *cli_put_change(accordi_buffer *out, cli_order *then, cli_order *now);

/* ---- folder.c: folders of records (accord/survey.h), written to the disk ---- */

/* Writes the files that changed, each whole or not at all. CLI_YES, or the exit status after an
 * error was printed. */
int cli_folder_save(const accord_folder *folder, const char *path);

/* ---- findings.c: what was found of one question of a folder ---- */

enum cli_outcome {
    CLI_HOLDS,
    CLI_RECORDED,
    CLI_MISSING,
    CLI_OPEN, /* it cannot be told */
    CLI_CHANGED,
    CLI_BROKEN,
    CLI_OUTCOMES
};

/* All text is UTF-8 without control characters, but for the newlines of `text`. */
typedef struct cli_finding {
    enum cli_outcome outcome;
    int status;       /* of the failure, for CLI_BROKEN */
    bool excused;     /* a missing record that may be missing */
    int64_t inputs;   /* what holds does so on so many inputs, without a model; else 0 */
    double seconds;   /* that it took to ask */
    const char *word; /* for the outcome, static; NULL: that of accord check */
    char *name, *subject;
    char *file;  /* "" where there is none */
    char *path;  /* the file, as the system has it */
    char *title; /* one line */
    char *text;  /* all there is to say; may be empty */
    struct json_t *json;
} cli_finding;

typedef struct cli_findings {
    const char *verb; /* static; NULL: "check" */
    char *folder;
    cli_finding *list;
    size_t count, room, tally[CLI_OUTCOMES];
    double seconds;
} cli_findings;

/* Adds what was found. `then` is NULL where nothing was recorded for this machine. The text is made
 * here. */
void cli_findings_add(cli_findings *all, cli_finding found, const char *name, const char *file,
                      cli_order *then, cli_order *now);
/* The same of one that is described: the texts are copied, and cleaned of what would steer a
 * terminal. found.json becomes that of the list. */
void cli_findings_put(cli_findings *all, cli_finding found, const char *name, const char *file,
                      const char *subject, const char *title, const char *text);
void cli_findings_clear(cli_findings *all);
const char *cli_outcome_name(const cli_finding *found); /* "same", "not-recorded-here", … */
bool cli_finding_fails(const cli_finding *found);
/* 4 if a target failed, else 1 if one differs, else 3 if one is not recorded here or
 * cannot be told, else 0. */
int cli_findings_status(const cli_findings *all);

/* ---- reports of findings, each in a file of its name ---- */

void cli_findings_text(accordi_buffer *out, const cli_findings *all);
void cli_findings_json(accordi_buffer *out, const cli_findings *all);
void cli_findings_junit(accordi_buffer *out, const cli_findings *all);
void cli_findings_sarif(accordi_buffer *out, const cli_findings *all);
void cli_findings_github(accordi_buffer *out, const cli_findings *all);

/* ---- reports.c ---- */

/* Can the files that args name be written? To be asked before anything that takes long. */
int cli_reports_try(const cli_args *args);
/* All that args ask for. */
int cli_reports_write(const cli_args *args, const cli_findings *all);
/* The same with a report of one's own, which is cleared. */
int cli_reports_write_with(const cli_args *args, const cli_findings *all, accordi_buffer *report);

/* ---- check_family.c ---- */

/* Does the file begin as one with a family does? */
bool cli_is_family(const char *path);
/* target: NULL: the one that the file names. */
int cli_check_family(const cli_args *args, const char *target, const char *path);

/* ---- check_folder.c ---- */

int cli_check_folder(const cli_args *args);

#endif
