/* accord vary TARGET: one question, many times, under the settings of the command line. */
#include "base/parallel.h"
#include "cli/compare/batch_shape.h"
#include "cli/compare/sweep.h"
#include "cli/numbers/numbers.h"
#include "cli/vary/vary.h"

typedef struct examination {
    const cli_args *args;
    size_t n;
    size_t *thread, threads, *batch, batches; /* NULL: not given */
    char rest[CLI_BATCH_SHAPE];
    cli_numbers x, y;
    accord_variation *variation;
} examination;

/* ---- the command line ---- */

static bool read_counts(const cli_args *args, enum cli_option_id id, size_t **list, size_t *count)
{
    const char *text = args->text[id], *why;
    if (!text || cli_counts(text, list, count, &why))
        return true;
    return cli_refuse("--%s %s: %s", cli_options[id].name, text, why);
}

static int read_settings(examination *e)
{
    const cli_args *args = e->args;
    if (!args->operands || !cli_is_target(args->operand[0]))
        return cli_misuse("%s%svary asks an implementation, such as blas:sdot@openblas (accord "
                          "targets lists the kinds)",
                          args->operands ? args->operand[0] : "",
                          args->operands ? " is not a target; " : "");
    if (args->text[CLI_THREADS] && args->text[CLI_NO_FORK])
        return cli_misuse("--threads needs a process of its own for each number of threads; leave "
                          "--no-fork out");
    if (args->text[CLI_BATCHES] && args->text[CLI_INPUTS])
        return cli_misuse("rows of batches are drawn; leave --inputs out");
    if (args->text[CLI_SECOND] && !args->text[CLI_INPUTS])
        return cli_misuse("--second gives the second factors of --inputs; give that, too");
    if (!read_counts(args, CLI_THREADS, &e->thread, &e->threads) ||
        !read_counts(args, CLI_BATCHES, &e->batch, &e->batches) ||
        !cli_question_count(args, "vary takes one number of terms; give it with -n", &e->n))
        return CLI_USAGE;
    return e->batch ? cli_batch_shape(args, e->n, e->rest) : CLI_YES;
}

/* ---- numbers of the user's ---- */

static int read_numbers(const examination *e, enum cli_option_id id, const accord_target *target,
                        cli_numbers *out)
{
    const char *path = e->args->text[id];
    const cli_numbers_options options = {e->args->text[CLI_TYPE],
                                         e->args->text[CLI_BIG_ENDIAN] != NULL, target->format};
    size_t rounded = 0;
    if (!path)
        return CLI_YES;
    int status = cli_numbers_read(path, &options, out);
    if (status == CLI_YES && !cli_numbers_shape(out, path, "a sum of this target", target->n))
        status = CLI_USAGE;
    for (size_t i = 0; status == CLI_YES && i < out->rows * out->columns; i++) {
        double *x = &out->value[i], value = *x;
        *x = accord_format_round(target->format, ACCORD_NEAREST_EVEN, value);
        rounded += value == value && *x != value;
    }
    if (rounded && !out->written && !e->args->text[CLI_QUIET])
        cli_error("%zu of the numbers in %s are not %s; they are rounded to nearest first", rounded,
                  path, accord_format_get(target->format)->name);
    return status;
}

/* The number of the element that the target was opened for, among the results of a run. */
static int followed(const examination *e, accord_target *target, size_t *out)
{
    accord_record *record = cli_need(accord_record_new());
    accord_error error;
    size_t row = 0, column = 0;
    enum accord_status status = accord_target_describe(target, record, &error);
    if (status == ACCORD_OK && record->element)
        sscanf(record->element, "%zu,%zu", &row, &column);
    accord_record_free(record);
    *out = e->batch ? column : row * target->columns + column;
    return status == ACCORD_OK ? CLI_YES : cli_fail(&error);
}

static int start(examination *e, accord_target *target, cli_bar *bar)
{
    const cli_args *args = e->args;
    accord_vary_options options;
    accord_reveal_options budget;
    accord_error error;
    accord_vary_options_init(&options);
    accord_reveal_options_init(&budget);
    if (args->text[CLI_BUDGET] &&
        accord_reveal_budget(args->text[CLI_BUDGET], &budget, &error) != ACCORD_OK)
        return cli_fail(&error);
    int status = read_numbers(e, CLI_INPUTS, target, &e->x);
    if (status == CLI_YES)
        status = read_numbers(e, CLI_SECOND, target, &e->y);
    if (status != CLI_YES)
        return status;
    if (e->y.value && e->y.rows != e->x.rows)
        return cli_misuse("%s contains %zu rows, but %s contains %zu; give as many second factors "
                          "as first factors",
                          args->text[CLI_INPUTS], e->x.rows, args->text[CLI_SECOND], e->y.rows);
    if (target->rows * target->columns > 1 && (status = followed(e, target, &options.element)))
        return status;
    options.runs = (uint64_t)cli_integer(args, CLI_RUNS, 0);
    options.seed = (uint64_t)cli_integer(args, CLI_SEED, 0);
    options.kinds = args->text[CLI_KINDS];
    options.x = e->x.value;
    options.y = e->y.value;
    options.rows = e->x.rows;
    options.load = args->text[CLI_LOAD] ? (uint64_t)accordi_threads(0) : 0;
    options.budget_calls = budget.budget_calls;
    options.budget_seconds = budget.budget_seconds;
    options.progress = cli_bar_step;
    options.progress_context = bar;
    enum accord_status made = accord_variation_new(&options, &e->variation, &error);
    return made == ACCORD_OK ? CLI_YES : cli_fail(&error);
}

/* ---- asking ---- */

static void set_threads(const examination *e, size_t which)
{
    char number[24];
    snprintf(number, sizeof number, "%zu", e->thread[which]);
    for (size_t i = 0; i < CLI_THREAD_VARIABLES; i++)
        setenv(cli_thread_variables[i], number, 1);
}

static void name_setting(const examination *e, size_t thread, size_t batch, char *name, size_t size)
{
    char threads[40] = "", rows[40] = "";
    if (e->thread)
        snprintf(threads, sizeof threads, "%zu thread%s", e->thread[thread],
                 e->thread[thread] == 1 ? "" : "s");
    if (e->batch)
        snprintf(rows, sizeof rows, "batch of %zu", e->batch[batch]);
    snprintf(name, size, "%s%s%s", threads, *threads && *rows ? ", " : "", rows);
}

/* One target under one setting; the first one also says how numbers of files are read. */
static int ask_setting(examination *e, size_t thread, size_t batch, cli_bar *bar)
{
    accord_target_options options;
    accord_target *target = NULL;
    accord_error error;
    char name[96], shape[80];
    name_setting(e, thread, batch, name, sizeof name);
    if (e->thread)
        set_threads(e, thread);
    cli_question(e->args, NULL, &options);
    options.n = e->n;
    if (e->batch) {
        snprintf(shape, sizeof shape, "%zu%s", e->batch[batch], e->rest);
        options.shape = shape;
    }
    if (accord_target_open(e->args->operand[0], &options, &target, &error) != ACCORD_OK)
        return cli_fail(&error);
    int status = e->variation ? CLI_YES : start(e, target, bar);
    cli_bar_start(bar, *name ? name : "varying", e->args->text[CLI_QUIET] != NULL);
    enum accord_status asked = status == CLI_YES ? accord_variation_ask(e->variation, target, name,
                                                                        e->batch != NULL, &error)
                                                 : ACCORD_OK;
    cli_bar_end(bar);
    accord_target_close(target);
    return asked == ACCORD_OK ? status : cli_fail(&error);
}

static int ask_all(examination *e)
{
    cli_bar bar;
    int status = CLI_YES;
    size_t threads = e->thread ? e->threads : 1, batches = e->batch ? e->batches : 1;
    for (size_t i = 0; i < threads && status == CLI_YES; i++)
        for (size_t k = 0; k < batches && status == CLI_YES; k++)
            status = ask_setting(e, i, k, &bar);
    return status;
}

static const struct {
    const char *form;
    void (*write)(accordi_buffer *out, const accord_variation *in);
} writers[] = {
    {"report", cli_vary_report}, {"json", cli_vary_json}, {"csv", cli_vary_csv},
    {"svg", cli_vary_svg},       {"html", cli_vary_html},
};

static int write_answer(const examination *e)
{
    accordi_buffer text = {0};
    const char *form = cli_output_form(e->args);
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++)
        if (strcmp(form, writers[i].form) == 0)
            writers[i].write(&text, e->variation);
    int status = cli_output_text(e->args, &text);
    return status == CLI_YES && e->variation->outcomes > 1 ? CLI_DIFFERS : status;
}

int cli_vary_target(const cli_args *args)
{
    examination e = {.args = args};
    int status = read_settings(&e);
    if (status == CLI_YES)
        status = cli_output_try("-o", args->text[CLI_TO]);
    if (status == CLI_YES)
        status = ask_all(&e);
    if (status == CLI_YES)
        status = write_answer(&e);
    accord_variation_free(e.variation);
    free(e.thread);
    free(e.batch);
    free(e.x.value);
    free(e.y.value);
    return status;
}
