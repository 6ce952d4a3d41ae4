/* accord check: does a target still add in the recorded order? */
#include "cli/cli.h"
#include <jansson.h>

/* What the order may depend on besides the target: a row each. */
static const struct circumstance {
    const char *name, *words;
    size_t offset;
} circumstances[] = {
    {"cpu", "another CPU", offsetof(accord_record, cpu)},
    {"cpu_features", "other CPU features", offsetof(accord_record, cpu_features)},
    {"library_version", "another version of the library", offsetof(accord_record, library_version)},
    {"library_build", "another build of the library", offsetof(accord_record, library_build)},
    {"environment", "other settings in the environment", offsetof(accord_record, environment)},
};
enum { CIRCUMSTANCES = sizeof circumstances / sizeof circumstances[0] };

typedef struct verdict {
    const cli_order *then;
    const cli_order *now;
    bool same;
    bool moved[CIRCUMSTANCES + 1]; /* the last: another number of threads */
    bool elsewhere;                /* any of them */
    char arithmetic[240];          /* how it differs where the order is the same; else empty */
} verdict;

/* NULL when the record does not tell. That no setting was set is something told, by a record that
 * accord made. */
static const char *field(const accord_record *record, size_t i)
{
    char *const *at = (char *const *)((const char *)record + circumstances[i].offset);
    bool settings = circumstances[i].offset == offsetof(accord_record, environment);
    return !*at && settings && record->accord ? "none" : *at;
}

/* Only what both records tell can differ. */
static void compare_circumstances(verdict *v)
{
    const accord_record *then = &v->then->record, *now = &v->now->record;
    for (size_t i = 0; i < CIRCUMSTANCES; i++) {
        const char *a = field(then, i), *b = field(now, i);
        v->moved[i] = a && b && strcmp(a, b) != 0;
        v->elsewhere |= v->moved[i];
    }
    v->moved[CIRCUMSTANCES] =
        then->threads > 0 && now->threads > 0 && then->threads != now->threads;
    v->elsewhere |= v->moved[CIRCUMSTANCES];
}

static bool same_answer(const accord_record *then, const cli_order *now, verdict *v)
{
    if (then->tree && now->status == ACCORD_OK) {
        bool same = cli_same_model(then, &now->record, v->arithmetic, sizeof v->arithmetic);
        if (!accord_tree_equal(then->tree, now->record.tree))
            v->arithmetic[0] = 0;
        return same;
    }
    return !then->tree && now->status == ACCORD_UNABLE && then->reason &&
           strcmp(then->reason, accord_reason_name(now->error.reason)) == 0;
}

static const char *word(const verdict *v)
{
    return v->same ? "same" : v->elsewhere ? "changed-elsewhere" : "changed";
}

/* ---- in words ---- */

/* Environments hold newlines; a report has one line for each circumstance. */
static void put_flat(accordi_buffer *out, const char *text)
{
    for (; *text; text++)
        accordi_buffer_append(out, *text == '\n' ? " " : text, 1);
}

static void put_circumstances(accordi_buffer *out, const verdict *v)
{
    const accord_record *then = &v->then->record, *now = &v->now->record;
    for (size_t i = 0; i < CIRCUMSTANCES; i++)
        if (v->moved[i]) {
            accordi_buffer_printf(out, "  %s: ", circumstances[i].words);
            put_flat(out, field(then, i));
            accordi_buffer_puts(out, " then, ");
            put_flat(out, field(now, i));
            accordi_buffer_puts(out, " now\n");
        }
    if (v->moved[CIRCUMSTANCES])
        accordi_buffer_printf(out, "  another number of threads: %lld then, %lld now\n",
                              (long long)then->threads, (long long)now->threads);
}

static void put_report(accordi_buffer *out, const verdict *v)
{
    char print[ACCORD_FINGERPRINT_SIZE] = "";
    const accord_record *then = &v->then->record;
    if (then->tree)
        accord_tree_fingerprint(then->tree, print, NULL);
    if (v->same && then->tree)
        accordi_buffer_printf(out, "Same order as recorded: %u terms, fingerprint %s.\n",
                              then->tree->leaves, print);
    else if (v->same)
        accordi_buffer_printf(out, "As recorded, there is no fixed order: %s\n",
                              v->now->error.text);
    else if (v->now->status == ACCORD_UNABLE)
        accordi_buffer_printf(out, "The recorded order of %lld terms is gone: %s\n",
                              (long long)then->n, v->now->error.text);
    else if (v->arithmetic[0])
        accordi_buffer_printf(out,
                              "The %lld terms are added in the same order as recorded, but the "
                              "arithmetic changed (A: recorded, B: now): %s.\n",
                              (long long)then->n, v->arithmetic);
    else
        accordi_buffer_printf(out, "The order of %lld terms changed.\n", (long long)then->n);
    if (v->elsewhere) {
        accordi_buffer_puts(out, v->same ? "It holds although the record was made with:\n"
                                         : "The record was made with:\n");
        put_circumstances(out, v);
    }
    if (!v->same && v->elsewhere)
        accordi_buffer_puts(out, "So this may be the machine or the version, and no fault of "
                                 "the target; record it anew if it is to hold here.\n");
    else if (!v->same)
        accordi_buffer_puts(out, "CPU, library and settings are as recorded (as far as the "
                                 "record tells), so the target itself changed.\n");
    if (!v->same && then->tree && v->now->status == ACCORD_OK)
        accordi_buffer_printf(out, "See accord diff %s %s.\n", v->then->name, v->now->name);
}

/* ---- as JSON ---- */

static json_t *json_print(const accord_record *record)
{
    char print[ACCORD_FINGERPRINT_SIZE];
    if (!record->tree || accord_tree_fingerprint(record->tree, print, NULL) != ACCORD_OK)
        return json_null();
    return json_string(print);
}

static json_t *json_circumstances(const verdict *v)
{
    json_t *all = json_array();
    const accord_record *then = &v->then->record, *now = &v->now->record;
    for (size_t i = 0; i < CIRCUMSTANCES; i++)
        if (v->moved[i])
            json_array_append_new(all, json_pack("{s:s, s:o, s:o}", "what", circumstances[i].name,
                                                 "recorded", cli_json_text(field(then, i)), "now",
                                                 cli_json_text(field(now, i))));
    if (v->moved[CIRCUMSTANCES])
        json_array_append_new(all, json_pack("{s:s, s:I, s:I}", "what", "threads", "recorded",
                                             (json_int_t)then->threads, "now",
                                             (json_int_t)now->threads));
    return all;
}

static json_t *json_verdict(const verdict *v)
{
    return json_pack("{s:i, s:s, s:o, s:o, s:I, s:b, s:s, s:o, s:o, s:s, s:s?, s:o}", "accord",
                     CLI_SCHEMA, "verb", "check", "target", cli_json_text(v->now->name), "file",
                     cli_json_text(v->then->name), "n", (json_int_t)v->then->record.n, "same",
                     v->same, "verdict", word(v), "recorded_fingerprint",
                     json_print(&v->then->record), "fingerprint", json_print(&v->now->record),
                     "reason",
                     accord_reason_name(v->now->status == ACCORD_UNABLE ? v->now->error.reason
                                                                        : ACCORD_REASON_NONE),
                     "arithmetic", v->arithmetic[0] ? v->arithmetic : NULL, "circumstances",
                     json_circumstances(v));
}

static void put_json(accordi_buffer *out, const verdict *v)
{
    json_t *all = json_verdict(v);
    char *text = json_dumps(all, JSON_INDENT(2));
    if (text)
        accordi_buffer_puts(out, text);
    else
        out->failed = true;
    free(text);
    json_decref(all);
}

/* ---- asking ---- */

static int check_one(const cli_args *args, const char *notation, const cli_order *then,
                     accordi_buffer *out)
{
    accord_target_options options;
    cli_order now;
    cli_question(args, &then->record, &options);
    if (options.n == 0 && then->record.tree)
        options.n = then->record.tree->leaves;
    cli_ask(args, notation, &options, &now);
    bool lost = now.status != ACCORD_OK &&
                (now.status != ACCORD_UNABLE || now.error.reason == ACCORD_REASON_OUT_OF_RANGE);
    verdict v = {.then = then, .now = &now};
    v.same = same_answer(&then->record, &now, &v);
    int status = v.same ? CLI_YES : CLI_DIFFERS;
    if ((lost && !v.same) || cli_signal()) {
        status = cli_fail(&now.error);
    } else {
        compare_circumstances(&v);
        (cli_wants_json(args) ? put_json : put_report)(out, &v);
    }
    cli_order_clear(&now);
    return status;
}

static int check_all(const cli_args *args, const char *named, const cli_order *orders, size_t count)
{
    accordi_buffer text = {0};
    bool array = count > 1 && cli_wants_json(args);
    int worst = CLI_YES;
    for (size_t i = 0; i < count && worst <= CLI_DIFFERS; i++) {
        if (cli_wants_json(args))
            accordi_buffer_puts(&text, i ? ",\n" : array ? "[\n" : "");
        const char *notation = named ? named : orders[i].record.target;
        int status = CLI_USAGE;
        if (notation)
            status = check_one(args, notation, &orders[i], &text);
        else
            cli_error("%s names no target; give one: accord check TARGET %s", orders[i].name,
                      orders[i].name);
        worst = status > worst ? status : worst;
    }
    if (worst > CLI_DIFFERS) {
        accordi_buffer_clear(&text);
        return worst;
    }
    if (cli_wants_json(args))
        accordi_buffer_puts(&text, array ? "\n]\n" : "\n");
    int status = cli_output_text(args, &text);
    return status == CLI_YES ? worst : status;
}

static int run(const cli_args *args)
{
    bool trust = args->text[CLI_FROM_FILE] != NULL;
    const char *path = args->operand[args->operands - 1];
    cli_order *orders;
    size_t count;
    int status = cli_load(path, &orders, &count);
    if (status == CLI_YES)
        status = check_all(args, trust ? NULL : args->operand[0], orders, count);
    cli_orders_free(orders, count);
    return status;
}

const cli_verb cli_check = {
    .name = "check",
    .operands = "TARGET FILE",
    .about = "does the target still add as recorded in FILE?",
    .text =
        "Asks TARGET the question that FILE holds (count, shape, element, transposes, strides, "
        "format, alignment, seed), unless options say otherwise, and compares the orders and the "
        "arithmetic. "
        "Status 0: the same, 1: changed. A record made on another CPU, with another version "
        "of the library or other settings is told apart: the report lists what differs, and "
        "the JSON says \"changed-elsewhere\" instead of \"changed\". With --from-file leave "
        "TARGET out: the target named in FILE is run, so do it only with files you trust.",
    .least = 2,
    .most = 2,
    .options = {CLI_FROM_FILE, CLI_OUTPUT, CLI_JSON,    CLI_TO,      CLI_ALGORITHM,
                CLI_FORMAT,    CLI_SEED,   CLI_STRICT,  CLI_TIMEOUT, CLI_NO_FORK,
                CLI_SIGNATURE, CLI_SHAPE,  CLI_ELEMENT, CLI_TRANS,   CLI_INCX,
                CLI_INCY,      CLI_LDA,    CLI_LDB,     CLI_LDC,     CLI_ALPHA,
                CLI_BETA,      CLI_ALIGN,  CLI_QUIET,   CLI_HELP,    CLI_OPTIONS},
    .examples = {{"accord check blas:sdot sdot.json", "in a test: status 0 or 1"},
                 {"accord check blas:sdot sdot.json --json", "what changed, for a program to read"},
                 {"accord check --from-file sdot.json", "run the target named in the file"}},
    .run = run,
};
