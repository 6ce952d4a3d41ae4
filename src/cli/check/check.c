/* accord check: tests whether a target still adds in the recorded order. */
#include "cli/check/check.h"
#include <jansson.h>
#include <sys/stat.h>

/* ---- asking ---- */

/* *answered: there is something to report, whatever the status. */
static int check_one(const cli_args *args, const char *notation, cli_order *then,
                     accordi_buffer *out, bool *answered)
{
    accord_target_options options;
    cli_order now;
    cli_question(args, then->record, &options);
    if (options.n == 0 && then->record->tree)
        options.n = then->record->tree->leaves;
    cli_ask(args, notation, &options, &now);
    cli_verdict v = {.then = then, .now = &now};
    cli_verdict_judge(&v);
    int status = v.found.same ? CLI_YES : v.found.open ? CLI_UNABLE : CLI_DIFFERS;
    *answered = true;
    if ((!accord_record_has_answer(now.record) && !v.found.same) || cli_signal()) {
        status =
            then->record->target ? cli_check_fail(&now.error, then->name) : cli_fail(&now.error);
        status = now.status == ACCORD_UNSUPPORTED ? CLI_FAILED : status;
        *answered = false;
    } else if (cli_wants_json(args)) {
        cli_put_json_value(out, cli_verdict_json(&v));
    } else {
        cli_verdict_report(out, &v);
        if (status == CLI_DIFFERS && now.record->tree)
            json_decref(cli_put_change(out, then, &now));
    }
    cli_order_clear(&now);
    return status;
}

/* A difference goes before what cannot be told; a failure ends it. */
static int worse(int a, int b)
{
    return a == CLI_DIFFERS || b == CLI_DIFFERS ? CLI_DIFFERS : a > b ? a : b;
}

static int check_all(const cli_args *args, const char *named, cli_order *orders, size_t count)
{
    accordi_buffer text = {0};
    bool array = count > 1 && cli_wants_json(args), answered = true;
    int worst = CLI_YES, status = CLI_YES;
    for (size_t i = 0; i < count && answered; i++) {
        if (cli_wants_json(args))
            accordi_buffer_puts(&text, i ? ",\n" : array ? "[\n" : "");
        const char *notation = named ? named : orders[i].record->target;
        answered = notation != NULL;
        if (notation) {
            status = check_one(args, notation, &orders[i], &text, &answered);
        } else {
            cli_error("%s names no target; give one: accord check TARGET %s", orders[i].name,
                      orders[i].name);
            status = CLI_USAGE;
        }
        worst = worse(worst, status);
    }
    if (!answered) {
        accordi_buffer_clear(&text);
        return status;
    }
    if (cli_wants_json(args))
        accordi_buffer_puts(&text, array ? "\n]\n" : "\n");
    status = cli_output_text(args, &text);
    if (status == CLI_YES && worst == CLI_UNABLE)
        cli_error("it cannot be determined whether %s; see the report",
                  args->text[CLI_EXPECT] ? "the target adds in the order expected"
                                         : "the record still holds");
    return status == CLI_YES ? worst : status;
}

static int check_file(const cli_args *args)
{
    bool trust = args->text[CLI_FROM_FILE] != NULL;
    const char *expected = args->text[CLI_EXPECT];
    const char *path = expected ? expected : args->operand[args->operands - 1];
    cli_order *orders;
    size_t count;
    if (!expected && cli_is_family(path))
        return cli_check_family(args, trust ? NULL : args->operand[0], path);
    int status =
        expected ? cli_load_line(expected, &orders, &count) : cli_load(path, &orders, &count);
    if (status == CLI_YES)
        status = check_all(args, trust ? NULL : args->operand[0], orders, count);
    cli_orders_free(orders, count);
    return status;
}

/* Options that say nothing to TARGET FILE. */
static const char *of_folders(const cli_args *args)
{
    static const enum cli_option_id ids[] = {CLI_UPDATE, CLI_ALLOW_MISSING, CLI_JUNIT, CLI_SARIF,
                                             CLI_GITHUB, CLI_RECORD_NAME,   CLI_COUNT};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        if (args->text[ids[i]])
            return cli_options[ids[i]].name ? cli_options[ids[i]].name : "n";
    return NULL;
}

static int run_check(const cli_args *args)
{
    struct stat st;
    bool folder = args->operands == 1 && stat(args->operand[0], &st) == 0 && S_ISDIR(st.st_mode);
    if (args->operands == 1 && *args->operand[0] && (folder || args->text[CLI_RECORD]))
        return cli_check_folder(args);
    const char *foreign = args->text[CLI_RECORD] ? "record" : of_folders(args);
    bool trust = args->text[CLI_FROM_FILE] != NULL, expects = args->text[CLI_EXPECT] != NULL;
    size_t wanted = trust || expects ? 1 : 2;
    if (trust && expects)
        return cli_misuse(
            "--expect gives an order without a target: give TARGET, and no --from-file");
    if (expects && !cli_begins_notation(args->text[CLI_EXPECT]))
        return cli_misuse("--expect takes an order in one line, which begins with the number of "
                          "terms, e.g. \"1000: lanes 8; halves\"; see doc/notation.md");
    if (args->operands == wanted && !foreign)
        return check_file(args);
    if (foreign && expects && !strcmp(foreign, "n"))
        cli_error("the order behind --expect says how many terms there are: leave out -n");
    else if (foreign)
        cli_error("%s%s is for a folder of records, accord check FOLDER; see accord help check",
                  foreign[1] ? "--" : "-", foreign);
    else
        cli_error("check needs %s; see accord help check", expects ? "TARGET with --expect"
                                                           : wanted == 1
                                                               ? "FILE"
                                                               : "TARGET FILE, or FOLDER");
    return CLI_USAGE;
}

const cli_verb cli_check = {
    .name = "check",
    .operands = "TARGET FILE",
    .about = "check whether targets still add as recorded in FILE or FOLDER",
    .text =
        "Asks TARGET the question that FILE records (count, shape, element, transposes, strides, "
        "format, alignment, seed), unless options say otherwise, and compares the order, the "
        "arithmetic and the answers (the results on random inputs). Where no model explains the "
        "arithmetic, the answers decide. The exit status is 0 if everything is the same, 1 if "
        "something changed, and 3 if this cannot be determined. If the record was made on another "
        "CPU, with another version of the library or with other settings, the report lists these "
        "differences and the JSON says \"changed-elsewhere\" instead of \"changed\". With "
        "--expect, the order is given on the command line in one line (doc/notation.md), and FILE "
        "is left out. With --from-file, leave TARGET out: the target named in FILE is run, so use "
        "it only with files that you trust. With only a FOLDER, every record in it is compared "
        "with its target; since these targets are run, use only a folder that you trust. The "
        "records are in FOLDER/NAME/KEY.json, where KEY stands for the CPU features and the "
        "version of the library, so each machine is compared with others of its kind. --record "
        "TARGET adds a record; --update records for this machine whatever is missing or has "
        "changed. The exit status for a folder is 4 if a target failed; otherwise 1 if an order "
        "changed; otherwise 3 if an order is not recorded for this machine or cannot be compared; "
        "and otherwise 0. FILE may also hold a family (accord family --json): then TARGET is asked "
        "at --checks numbers of terms, at both ends of each rule, at one n of each residue modulo "
        "128, and at others drawn from the rules, and the report names the first one at which it "
        "differs; --budget then limits all of them together. If the budget is spent before "
        "anything can be said, the exit status is 3. See doc/ci.md.",
    .least = 1,
    .most = 2,
    .options = {CLI_FROM_FILE, CLI_EXPECT,        CLI_RECORD,      CLI_RECORD_NAME, CLI_COUNT,
                CLI_UPDATE,    CLI_ALLOW_MISSING, CLI_JUNIT,       CLI_SARIF,       CLI_GITHUB,
                CLI_CHECKS,    CLI_OUTPUT,        CLI_JSON,        CLI_TO,          CLI_ALGORITHM,
                CLI_FORMAT,    CLI_SEED,          CLI_BUDGET,      CLI_TIMEOUT,     CLI_PYTHON,
                CLI_NO_FORK,   CLI_SIGNATURE,     CLI_SCALE_BLOCK, CLI_SCALE,       CLI_RESULT,
                CLI_OPERANDS,  CLI_QUIET,         CLI_HELP,        CLI_OPTIONS},
    .examples = {{"accord check blas:sdot sdot.json", "in a test: status 0 or 1"},
                 {"accord check blas:sdot --expect \"100: lanes 32; pairs\"",
                  "test against an order that was written by hand"},
                 {"accord check --from-file sdot.json", "run the target named in the file"},
                 {"accord check orders --record blas:sdot -n 8,100,1000", "add to a folder"},
                 {"accord check orders --junit accord.xml --github",
                  "check the whole folder in CI"},
                 {"accord check orders --update",
                  "record what is missing or has changed on this machine"}},
    .run = run_check,
};
