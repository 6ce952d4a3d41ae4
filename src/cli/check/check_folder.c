/* accord check on a folder: every record in it is compared with what its target does now. */
#include "cli/check/check.h"
#include <errno.h>
#include <sys/stat.h>

typedef struct walk {
    const cli_args *args;
    accord_folder *folder;
    cli_findings found;
} walk;

/* ---- one question ---- */

/* A record of the folder as an order, borrowed: not to be cleared. */
static cli_order order_of(const accord_record *record, const accord_folder_file *file)
{
    return (cli_order){.name = file->path, .record = (accord_record *)(uintptr_t)record};
}

/* Keeps today's answer where that is wanted; `found` says what it is. */
static int keep_answer(walk *w, const char *name, const char *key, cli_order *now)
{
    accord_error error;
    enum accord_status status = accord_folder_put(w->folder, name, key, now->record, &error);
    return status == ACCORD_OK ? CLI_YES : cli_fail(&error);
}

/* What is missing has no file; its finding names one of the same question. `then` is NULL where
 * nothing was recorded. */
static int conclude_finding(walk *w, const char *name, const char *key, cli_finding found,
                            cli_order *then, cli_order *now)
{
    const accord_folder_file *other = NULL;
    char *file = cli_need(accord_folder_path(w->folder, name, key));
    if (found.outcome == CLI_MISSING)
        accord_folder_find(w->folder, name, NULL, now->record, &other);
    cli_findings_add(&w->found, found, name, other ? other->path : file, then, now);
    free(file);
    return found.outcome == CLI_RECORDED ? keep_answer(w, name, key, now) : CLI_YES;
}

/* A target that is recorded and cannot be asked has failed, whatever keeps it from answering: it is
 * missing, crashed, or does not know its routine or format here. Sums that say nothing are no
 * failure of that kind. */
static int failure_of(const cli_order *now)
{
    bool unable = now->status == ACCORD_UNABLE || now->status == ACCORD_NOMEM;
    return unable ? CLI_UNABLE : CLI_FAILED;
}

/* `then` is NULL where nothing was recorded for this machine. */
static cli_finding compare_answers(const walk *w, const cli_order *then, const cli_order *now)
{
    cli_finding found = {0};
    bool update = w->args->text[CLI_UPDATE] != NULL;
    accord_verdict v = {.same = false};
    if (then)
        accord_verdict_judge(then->record, now->record, &v);
    if (!accord_record_has_answer(now->record) && !v.same) {
        found.outcome = CLI_BROKEN;
        found.status = failure_of(now);
    } else if (v.same) {
        found.outcome = CLI_HOLDS;
        found.inputs = v.why.sameness == ACCORD_SAME_ON_INPUTS ? v.why.inputs : 0;
    } else if (v.open && (!update || (v.why.varies_a && v.why.varies_b))) {
        found.outcome = CLI_OPEN; /* to record again what varies would change nothing */
    } else if (update) {
        found.outcome = CLI_RECORDED;
    } else {
        found.outcome = then ? CLI_CHANGED : CLI_MISSING;
        found.excused = !then && w->args->text[CLI_ALLOW_MISSING];
    }
    return found;
}

/* `asked` is any record of the question; what counts is the one of this machine's key. With `anew`
 * it is recorded again, whatever it is. */
static int judge_record(walk *w, const char *name, const accord_record *asked, bool anew,
                        double seconds, cli_order *now)
{
    char key[ACCORD_KEY_SIZE];
    const accord_folder_file *file;
    cli_order then;
    accord_error error;
    if (accord_record_key(now->record, key, &error) != ACCORD_OK)
        return cli_fail(&error);
    const accord_record *record = accord_folder_find(w->folder, name, key, asked, &file);
    if (record)
        then = order_of(record, file);
    cli_finding found = {.outcome = CLI_RECORDED};
    if (!anew)
        found = compare_answers(w, record ? &then : NULL, now);
    found.seconds = seconds;
    return conclude_finding(w, name, key, found, record ? &then : NULL, now);
}

/* A target that could not be opened has described nothing: the record says what was asked. */
static int no_target(walk *w, const accord_folder_file *file, const accord_record *asked,
                     cli_order *now)
{
    cli_order then = order_of(asked, file);
    cli_finding found = {.outcome = CLI_BROKEN, .status = failure_of(now)};
    cli_findings_add(&w->found, found, file->name, file->path, &then, now);
    return CLI_YES;
}

static int check_one(walk *w, const accord_folder_file *file, const accord_record *asked)
{
    accord_target_options options;
    cli_order now;
    double start = accordi_now();
    cli_question(w->args, asked, &options);
    cli_ask(w->args, asked->target, &options, &now);
    int status;
    if (cli_signal())
        status = cli_fail(&now.error);
    else if (!now.record->target)
        status = no_target(w, file, asked, &now);
    else
        status = judge_record(w, file->name, asked, false, accordi_now() - start, &now);
    cli_order_clear(&now);
    return status;
}

/* ---- all of them ---- */

/* Each question of the file that no file before it has asked. */
static int check_file(walk *w, const accord_folder_file *file)
{
    int status = CLI_YES;
    for (size_t k = 0; k < file->records.count && status == CLI_YES; k++) {
        const accord_record *asked = file->records.list[k];
        if (accord_folder_find(w->folder, file->name, NULL, asked, NULL) == asked)
            status = check_one(w, file, asked);
    }
    return status;
}

static int check_all(walk *w)
{
    int status = CLI_YES;
    const char *path = w->args->operand[0];
    size_t files = 0; /* --update may add others at the end */
    while (accord_folder_file_at(w->folder, files))
        files++;
    for (size_t i = 0; i < files && status == CLI_YES; i++)
        status = check_file(w, accord_folder_file_at(w->folder, i));
    if (status == CLI_YES && w->found.count == 0) {
        cli_error("%s holds no records; make one: accord check %s --record TARGET -n 8,100", path,
                  path);
        status = CLI_USAGE;
    }
    return status;
}

/* ---- --record ---- */

/* A name for a folder, of a target's notation. */
static char *name_of(const char *notation)
{
    enum { LONGEST = 100 };
    char *name = cli_need(accordi_strdup(notation));
    for (char *c = name; *c; c++)
        if (!(*c >= 'a' && *c <= 'z') && !(*c >= 'A' && *c <= 'Z') && !(*c >= '0' && *c <= '9') &&
            *c != '_' && (*c != '.' || c == name))
            *c = '-';
    if (strlen(name) > LONGEST)
        name[LONGEST] = 0;
    return name;
}

static int record_one(walk *w, const char *notation, const char *name, size_t count)
{
    accord_target_options options;
    cli_order now;
    double start = accordi_now();
    cli_question(w->args, NULL, &options);
    options.n = count;
    cli_ask(w->args, notation, &options, &now);
    int status = CLI_YES;
    if (!accord_record_has_answer(now.record) || cli_signal())
        status = cli_fail(&now.error);
    else
        status = judge_record(w, name, now.record, true, accordi_now() - start, &now);
    cli_order_clear(&now);
    return status;
}

static int record(walk *w)
{
    const char *notation = w->args->text[CLI_RECORD], *wanted = w->args->text[CLI_RECORD_NAME];
    size_t *counts = NULL, count = 0;
    if (!cli_is_target(notation))
        return cli_misuse(
            "--record %s is not a target: write KIND:NAME, e.g. blas:sdot; see accord targets",
            notation);
    if (!w->args->text[CLI_COUNT] && !w->args->text[CLI_SHAPE])
        return cli_misuse("the number of terms is missing; give it with -n, e.g. -n 8,100");
    if (!cli_question_counts(w->args, NULL, &counts, &count))
        return CLI_USAGE;
    char *name = name_of(wanted ? wanted : notation);
    int status = CLI_YES;
    if (wanted && strcmp(name, wanted) != 0)
        status = cli_misuse(
            "--name %s is not a valid name for a folder of records; use letters, digits, - _ and .",
            wanted);
    for (size_t i = 0; i < count && status == CLI_YES; i++)
        status = record_one(w, notation, name, counts[i]);
    free(name);
    free(counts);
    return status;
}

/* ---- the verb ---- */

/* A status of failure comes with a line of error, whatever the reports say. */
static int report_findings(const cli_findings *all)
{
    int status = cli_findings_status(all);
    size_t i = 0;
    while (i < all->count && (all->list[i].outcome != CLI_BROKEN || all->list[i].status != status))
        i++;
    if (status > CLI_DIFFERS && i < all->count)
        cli_error("%zu of %zu targets failed; %s: %s", all->tally[CLI_BROKEN], all->count,
                  all->list[i].subject, all->list[i].title);
    return status;
}

/* What is asked is in the records; only --record asks anew. */
static bool check_folder_options(const cli_args *args)
{
    static const enum cli_option_id of_record[] = {
        CLI_RECORD_NAME, CLI_COUNT, CLI_FORMAT, CLI_SIGNATURE, CLI_SHAPE,
        CLI_ELEMENT,     CLI_TRANS, CLI_INCX,   CLI_INCY,      CLI_LDA,
        CLI_LDB,         CLI_LDC,   CLI_ALPHA,  CLI_BETA,      CLI_ALIGN};
    for (size_t i = 0; !args->text[CLI_RECORD] && i < sizeof of_record / sizeof of_record[0]; i++)
        if (args->text[of_record[i]]) {
            const char *name = cli_options[of_record[i]].name;
            return cli_refuse(
                "%s%s requires --record TARGET: otherwise the records of the folder state "
                "what to ask",
                name ? "--" : "-", name ? name : "n");
        }
    if (args->text[CLI_RECORD] && args->text[CLI_UPDATE])
        cli_error("--record and --update contradict each other; give one of them");
    else if (args->text[CLI_GITHUB] && cli_wants_json(args) && !args->text[CLI_TO])
        cli_error("--github and --json both go to standard output; write the JSON to a file with "
                  "-o");
    else
        return true;
    return false;
}

/* A folder that is not there is an empty one where something is to be recorded. */
static int load_folder(walk *w, const char *path, bool may_lack)
{
    struct stat st;
    accord_error error;
    w->folder = cli_need(accord_folder_new(path));
    w->found.folder = cli_need(accordi_strdup(path));
    if (may_lack && stat(path, &st) != 0 && errno == ENOENT)
        return CLI_YES;
    return accord_folder_read(w->folder, &error) == ACCORD_OK ? CLI_YES : cli_fail(&error);
}

int cli_check_folder(const cli_args *args)
{
    walk w = {.args = args};
    bool recording = args->text[CLI_RECORD] != NULL;
    if (!check_folder_options(args))
        return CLI_USAGE;
    int status = load_folder(&w, args->operand[0], recording);
    if (status == CLI_YES)
        status = cli_reports_try(args);
    if (status == CLI_YES)
        status = recording ? record(&w) : check_all(&w);
    if (status == CLI_YES)
        status = cli_folder_save(w.folder, args->operand[0]);
    if (status == CLI_YES)
        status = cli_reports_write(args, &w.found);
    if (status == CLI_YES)
        status = report_findings(&w.found);
    cli_findings_clear(&w.found);
    accord_folder_free(w.folder);
    return status;
}
