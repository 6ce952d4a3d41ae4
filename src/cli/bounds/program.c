/* accord bound FILE.c...: the bounds of a whole program, for one run of it.
 *
 * The program runs as it would without accord: it has our standard input, output and error, and is
 * in our process group, so that it may read from a terminal and gets the terminal's signals. A
 * signal that was sent to us alone is passed on. The report follows the program's own output, or
 * goes to the file of -o. */
#include "cli/bounds/program.h"
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_PATHS = 1000 };         /* as runtime/paths.c has it */
static const double last_grace = 3; /* seconds, to write the report after the time limit */

/* ---- the tape ---- */

/* "512M": its memory in bytes; 0 for no tape. */
static bool read_tape(const cli_args *args, unsigned long long *bytes)
{
    const char *text = args->text[CLI_TAPE] ? args->text[CLI_TAPE] : "1G";
    static const char units[] = "KMG";
    char *end;
    *bytes = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    bool good = text[0] >= '0' && text[0] <= '9' && (!*end || (unit && !end[1])) &&
                *bytes <= UINT64_MAX >> 20 >> shift;
    *bytes <<= good ? shift : 0;
    return good || cli_refuse("--tape %s: give an amount of memory such as 500M or 4G, or 0", text);
}

void cli_set_unset(const cli_args *args)
{
    if (args->text[CLI_UNSET] && strcmp(args->text[CLI_UNSET], "kept") == 0)
        setenv("ACCORD_BOUND_KEEP_UNSET", "1", 1);
    else
        unsetenv("ACCORD_BOUND_KEEP_UNSET");
}

/* The runtime reads its settings from the environment. */
static void set_number(const char *name, unsigned long long value)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", value);
    setenv(name, text, 1);
}

static bool set_runtime(const cli_args *args, cli_instrumenter *tools)
{
    unsigned long long bytes;
    int64_t both = cli_integer(args, CLI_BOTH, 0), first = cli_integer(args, CLI_FIRST_ORDER, 0);
    if (!read_tape(args, &bytes))
        return false;
    if (both > MOST_PATHS)
        return cli_refuse("--both %s: give an integer of at most %d", args->text[CLI_BOTH],
                          MOST_PATHS);
    tools->tape = bytes > 0;
    tools->both = both > 0;
    cli_set_unset(args);
    set_number("ACCORD_BOUND_TAPE", bytes);
    if (first)
        set_number("ACCORD_BOUND_FIRST_ORDER", (unsigned long long)first);
    if (both)
        set_number("ACCORD_BOUND_BOTH", (unsigned long long)both);
    return true;
}

/* ---- the run ---- */

/* At its limit the program is asked to end, so that its report is whole, and then killed. */
static void wait_for_program(cli_job *job)
{
    int passed = 0;
    while (!accordi_child_wait(&job->child, .05)) {
        double now = accordi_now();
        if (cli_signal() && cli_signal() != passed) {
            passed = cli_signal();
            if (cli_signal_sent())
                kill(job->child.pid, passed);
        }
        if (job->limit > 0 && !job->timed_out && now > job->start + job->limit) {
            job->timed_out = true;
            kill(job->child.pid, SIGTERM);
        }
        if (job->timed_out && now > job->start + job->limit + last_grace)
            break;
    }
    job->seconds = accordi_now() - job->start;
    accordi_child_kill(&job->child);
}

static int run_program(const cli_args *args, const char *program, const char *raw, cli_job *job)
{
    cli_words words = {0};
    accord_error error;
    const accordi_child_files files = {.in = STDIN_FILENO, .out = STDOUT_FILENO, .together = true};
    cli_words_add(&words, program);
    for (size_t i = 0; i < args->runs; i++)
        cli_words_add(&words, args->run[i]);
    *job = (cli_job){.start = accordi_now(), .limit = cli_real(args, CLI_TIMEOUT, 0)};
    cli_signals_wait(true);
    setenv("ACCORD_BOUND_RAW", raw, 1);
    enum accord_status status = accordi_child_start(&job->child, words.word, &files, &error);
    unsetenv("ACCORD_BOUND_RAW");
    if (status == ACCORD_OK)
        wait_for_program(job);
    cli_signals_wait(false);
    cli_words_clear(&words);
    return status == ACCORD_OK ? CLI_YES : cli_fail(&error);
}

/* ---- the answer ---- */

/* The exit status, after an error was printed where it is not CLI_YES. */
static int conclude(const cli_bound_report *r)
{
    const cli_raw *raw = &r->raw;
    char fate[120];
    cli_job_fate(&r->job, fate, sizeof fate);
    if (raw->end && strcmp(raw->end, "refused") == 0) {
        cli_error("the program cannot be followed: %s",
                  raw->losts ? raw->lost[raw->losts - 1].what : "it was refused");
        return CLI_UNABLE;
    }
    /* The run has ended; other paths of it did not. */
    bool ended = raw->both && raw->end && strncmp(raw->end, "signal", 6) != 0;
    if (cli_signal() && r->job.child.signal) {
        cli_error("interrupted; the report says what is known until then");
        return CLI_FAILED;
    }
    if (!ended && (r->job.timed_out || r->job.child.signal)) {
        char place[400] = "";
        if (r->crash.function)
            snprintf(place, sizeof place, "%s in %s (%s:%u)",
                     r->job.timed_out ? "; it was last" : "", r->crash.function, r->crash.file,
                     r->crash.line);
        cli_error("the program %s%s%s; the report says what is known until then", fate, place,
                  raw->stack ? ", because its stack overflowed: its recursion is too deep, or "
                               "local arrays are too large; bounds need more stack than the plain "
                               "program, so raise the limit with ulimit -s"
                             : "");
        return CLI_FAILED;
    }
    if (raw->outputs > cli_unknown_outputs(raw))
        return CLI_YES;
    cli_error(raw->outputs ? "the bounds of all numbers that the program wrote are unknown"
                           : "the program passed no floating-point number to printf or fwrite");
    return CLI_UNABLE;
}

static const struct {
    const char *name;
    void (*put)(const cli_bound_report *r, accordi_buffer *out);
} forms[] = {{"report", cli_put_bound_report},
             {"json", cli_put_bound_json},
             {"sarif", cli_put_bound_sarif},
             {"html", cli_put_bound_html}};

static int report(cli_bound_report *r)
{
    accordi_buffer text = {0};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (strcmp(cli_output_form(r->args), forms[i].name) == 0)
            forms[i].put(r, &text);
    int status = cli_output_text(r->args, &text);
    return status == CLI_YES ? conclude(r) : status;
}

/* A program without floating-point numbers needs no runtime, and writes no report. */
static int read_report(cli_bound_report *r, const char *path)
{
    accord_error error;
    char fate[120];
    bool ended = !r->job.timed_out && !r->job.child.signal;
    enum accord_status status = cli_raw_read(path, &r->raw, &error);
    if (status == ACCORD_OK || (status == ACCORD_IO && ended))
        return CLI_YES;
    cli_job_fate(&r->job, fate, sizeof fate);
    if (status == ACCORD_IO)
        cli_error("the program %s, and left no report", fate);
    else
        cli_error("%s", error.text);
    return ended ? CLI_UNABLE : CLI_FAILED;
}

static int build_and_run(const cli_args *args, const cli_scratch *scratch, cli_instrumenter *tools,
                         const char *models, cli_cure *cure)
{
    cli_bound_report r = {.args = args,
                          .models = models,
                          .cure = *cure,
                          .inputs = tools->inputs,
                          .without = &tools->without};
    char *program = NULL, *raw = cli_scratch_path(scratch, "raw"), why[400];
    int status = cli_instrumented_compile(tools, args, scratch, why, false);
    if (status == CLI_YES)
        status = cli_instrumented_build(tools, args, scratch, models, &program, why, false);
    if (status == CLI_YES)
        status = run_program(args, program, raw, &r.job);
    if (status == CLI_YES)
        status = read_report(&r, raw);
    if (status == CLI_YES && !cli_signal())
        cli_crash_find(&r.raw, program, scratch, &r.crash);
    if (status == CLI_YES) {
        cli_join_paths(&r.raw);
        cli_note_moved(&r.raw);
    }
    if (status == CLI_YES && args->text[CLI_OBSERVE])
        status = cli_observe(&r, scratch, models);
    if (status == CLI_YES && cure->said)
        status = cli_cure_find(&r.cure, &r.raw, args, scratch, tools, models, r.job.seconds);
    if (status == CLI_YES && args->text[CLI_SEARCH] && !cli_signal())
        status = cli_search_run(&r, scratch, tools);
    if (status == CLI_YES)
        status = report(&r);
    cli_search_clear(&r.search);
    cli_crash_clear(&r.crash);
    *cure = r.cure;
    cli_raw_clear(&r.raw);
    free(program);
    free(raw);
    return status;
}

/* The runtime finds the values of the inputs in a file. */
static bool set_inputs(const cli_inputs *inputs, const cli_scratch *scratch,
                       cli_instrumenter *tools)
{
    char *path = cli_scratch_path(scratch, "inputs");
    bool good = inputs->count == 0 || cli_inputs_write(inputs, path);
    if (inputs->count)
        setenv("ACCORD_BOUND_INPUTS", path, 1);
    tools->inputs = inputs;
    free(path);
    return good;
}

static int run_with(const cli_args *args, const char *models, cli_cure *cure,
                    const cli_inputs *inputs)
{
    cli_scratch scratch;
    cli_instrumenter tools;
    if (!cli_program_check(args) || cli_output_try("-o", args->text[CLI_TO]) != CLI_YES ||
        !cli_scratch_new(&scratch))
        return CLI_USAGE;
    int status = cli_instrumenter_find(&tools, &scratch, false);
    if (status == CLI_YES && (!set_runtime(args, &tools) || !set_inputs(inputs, &scratch, &tools)))
        status = CLI_USAGE;
    if (status == CLI_YES)
        status = build_and_run(args, &scratch, &tools, models, cure);
    cli_instrumenter_clear(&tools);
    cli_scratch_free(&scratch);
    return status;
}

int cli_run_bound_program(const cli_args *args, const char *models)
{
    cli_inputs inputs;
    cli_cure cure;
    if (strcmp(cli_output_form(args), "html") == 0 && !args->text[CLI_TO])
        return cli_misuse("a page is a file of its own, since the program writes to standard "
                          "output; name it with -o, as in --output html -o bounds.html");
    if (args->text[CLI_OBSERVE] && cli_is_elf(args->operand[0]))
        return cli_misuse("--observe builds the program with other compilers, so it needs the C "
                          "files; give them instead of %s",
                          args->operand[0]);
    if (args->text[CLI_CURE] && (strstr(models, "fast") || strstr(models, "loop")))
        return cli_misuse("--cure is not for the models fast and loop; choose contract, "
                          "contract-expr, paren or perm");
    bool good = cli_inputs_read(args, &inputs);
    if (good && args->text[CLI_SEARCH] && !cli_inputs_have_range(&inputs))
        good = cli_refuse("--search varies inputs that are intervals or distributions; give one, "
                          "as in --input x=[1,2]");
    good = cli_cure_read(args, &cure) && good;
    int status = good ? run_with(args, models, &cure, &inputs) : CLI_USAGE;
    cli_cure_clear(&cure);
    cli_inputs_clear(&inputs);
    return status;
}
