/* accord map: which elements of a result share an order. */
#include "cli/command/cli.h"

/* Warns of what only the report says. */
static void warn(const cli_args *args, const accord_map_writer *form, const accord_map *map)
{
    size_t open = 0;
    uint64_t certified = 0, all = (uint64_t)map->rows * map->columns;
    for (size_t i = 0; i < map->classes; i++) {
        open += accord_map_class_at(map, i)->record.tree == NULL;
        certified += accord_map_class_at(map, i)->certified;
    }
    if (args->text[CLI_QUIET] || strcmp(form->name, "report") == 0)
        return;
    if (open)
        cli_error("warning: %zu of %zu classes have no order; see the report", open, map->classes);
    else if (certified < all)
        cli_error("warning: %llu of %llu elements were not certified; see the report",
                  (unsigned long long)(all - certified), (unsigned long long)all);
    else if (map->replays_agreed < map->replays)
        cli_error("warning: %llu of %llu random results were not replayed bit for bit",
                  (unsigned long long)(map->replays - map->replays_agreed),
                  (unsigned long long)map->replays);
}

/* What the target is and why there is no map, as accord reveal writes it. */
static enum accord_status describe_failure(accord_target *target, const accord_reveal_options *how,
                                           const accord_error *why, accord_record *record,
                                           accord_error *error)
{
    enum accord_status status = accord_target_describe(target, record, error);
    accordi_buffer verdict = {0};
    accordi_buffer_printf(&verdict, "No order: %s.", why->text);
    record->seed = (int64_t)how->seed;
    record->discovery_calls = (int64_t)target->calls;
    free(record->element); /* all were asked about */
    record->element = NULL;
    const struct {
        char **field;
        const char *text;
    } texts[] = {{&record->accord, accord_version()},
                 {&record->status, accord_status_name(ACCORD_UNABLE)},
                 {&record->reason, accord_reason_name(why->reason)},
                 {&record->verdict, verdict.failed ? "" : verdict.data}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0] && status == ACCORD_OK; i++)
        status = accord_record_set(texts[i].field, texts[i].text, error);
    accordi_buffer_clear(&verdict);
    return status;
}

/* The report and the JSON say why there is no map; other forms have no way to. */
static int write_failure(const cli_args *args, const accord_record *record,
                         const accord_error *error)
{
    const accord_writer *writer = cli_writer(args);
    bool report = strcmp(cli_output_form(args), "report") == 0;
    cli_output out;
    if (!report)
        cli_fail(error);
    if (!report && !cli_wants_json(args))
        return CLI_UNABLE;
    if (!cli_output_open(&out, args->text[CLI_TO]))
        return CLI_USAGE;
    int status = cli_output_record(args, &out, writer, record);
    if (status == CLI_YES)
        status = cli_output_commit(&out);
    else
        cli_output_discard(&out);
    bool ranks = error->reason == ACCORD_REASON_COPIES;
    return status != CLI_YES ? status : ranks ? CLI_DIFFERS : CLI_UNABLE;
}

static int write_map(const cli_args *args, const accord_map *map)
{
    const accord_map_writer *form = accord_map_writer_by_name(cli_output_form(args));
    accord_write_options options;
    accord_error error;
    cli_output out;
    if (!cli_output_open(&out, args->text[CLI_TO]))
        return CLI_USAGE;
    cli_write_options(args, &options, cli_output_terminal(&out));
    enum accord_status status =
        accord_map_write(map, form, &options, cli_output_write, &out, &error);
    if (status != ACCORD_OK && !out.failure) {
        cli_output_discard(&out);
        return cli_fail(&error);
    }
    warn(args, form, map);
    return cli_output_commit(&out);
}

/* With --loose, an order that random inputs do not bear out counts as an order. */
static bool has_order(const cli_args *args, const accord_record *record)
{
    bool able = !record->status || strcmp(record->status, accord_status_name(ACCORD_OK)) == 0;
    return record->tree && (able || args->text[CLI_LOOSE]);
}

/* CLI_DIFFERS if ranks of a collective disagree, whatever their orders are; CLI_UNABLE if a class
 * has no order; CLI_DIFFERS if, with --uniform, there are several classes. */
static int verdict(const cli_args *args, const accord_map *map)
{
    size_t row, column, rows;
    if (accord_map_copies_differ(map, &row, &column, &rows))
        return CLI_DIFFERS;
    for (size_t i = 0; i < map->classes; i++)
        if (!has_order(args, &accord_map_class_at(map, i)->record))
            return CLI_UNABLE;
    return args->text[CLI_UNIFORM] && map->classes > 1 ? CLI_DIFFERS : CLI_YES;
}

static enum accord_status ask_map(const cli_args *args, const char *notation,
                                  const accord_target_options *question, accord_map *map,
                                  accord_record *failure, accord_error *error)
{
    accord_reveal_options options;
    accord_target *target;
    cli_bar bar;
    enum accord_status status = accord_target_open(notation, question, &target, error);
    if (status != ACCORD_OK)
        return status;
    cli_reveal_options(args, question, &bar, &options);
    cli_bar_start(&bar, notation, args->text[CLI_QUIET] != NULL);
    status = accord_map_reveal(target, &options, map, error);
    cli_bar_end(&bar);
    accord_error ignored;
    if (status == ACCORD_UNABLE &&
        describe_failure(target, &options, error, failure, &ignored) != ACCORD_OK)
        accord_record_clear(failure);
    accord_target_close(target);
    return status;
}

static int run_map(const cli_args *args)
{
    accord_target_options question;
    accord_error error = {0};
    size_t n;
    char *notation = cli_with_settings(args, args->operand[0], false);
    if (!notation || !cli_question_count(args, "a map has one shape; give one count with -n", &n)) {
        free(notation);
        return CLI_USAGE;
    }
    cli_question(args, NULL, &question);
    question.n = n;
    accord_map *map = cli_need(accord_map_new());
    accord_record *failure = cli_need(accord_record_new());
    enum accord_status status = ask_map(args, notation, &question, map, failure, &error);
    int end = cli_signal()          ? cli_fail(&error)
              : failure->verdict    ? write_failure(args, failure, &error)
              : status != ACCORD_OK ? cli_fail(&error)
                                    : write_map(args, map);
    if (end == CLI_YES)
        end = verdict(args, map);
    accord_record_free(failure);
    accord_map_free(map);
    free(notation);
    return end;
}

const cli_verb cli_map = {
    .name = "map",
    .operands = "TARGET",
    .about = "show which elements of a GEMM, GEMV, kernel or collective share an order",
    .text =
        "Sorts the elements of the result of TARGET (a GEMM, a GEMV, sums along an axis, the "
        "results of an OpenCL kernel or of a program, or the vectors that all ranks of a "
        "collective operation hold) into classes with the same order, reveals the order of each "
        "class, checks every element "
        "against that order, and replays random products element by element. The report draws the "
        "result "
        "with a letter or a color for each class. The exit status is 0 even if there are several "
        "classes (but 1 with --uniform); 1 if ranks of a collective hold different sums; and "
        "otherwise 3 if a class has no fixed order, if replays of "
        "random inputs contradict its order (the report says why), or if results differ from run "
        "to run.",
    .least = 1,
    .most = 1,
    .maps = true,
    .options = {CLI_COUNT,  CLI_SHAPE,       CLI_TRANS,       CLI_ALPHA,   CLI_BETA,
                CLI_LDA,    CLI_LDB,         CLI_LDC,         CLI_INCX,    CLI_INCY,
                CLI_ALIGN,  CLI_SIGNATURE,   CLI_SCALE_BLOCK, CLI_SCALE,   CLI_RESULT,
                CLI_OUTPUT, CLI_JSON,        CLI_TO,          CLI_EXPAND,  CLI_UNIFORM,
                CLI_LOOSE,  CLI_ALGORITHM,   CLI_FORMAT,      CLI_SEED,    CLI_REPLAYS,
                CLI_PROOF,  CLI_PROOF_ERROR, CLI_BUDGET,      CLI_TIMEOUT, CLI_NO_FORK,
                CLI_QUIET,  CLI_HELP,        CLI_SETTINGS,    CLI_OPTIONS},
    .headings = {{CLI_LENGTH, "Settings of collective operations (mpi: targets)",
                  "accord map mpi:allreduce -n 8 --length 1000"}},

    .examples = {{"accord map blas:sgemm --shape 1024x1024x1024 -o map.svg",
                  "a large product as a picture"},
                 {"accord map blas:sgemv@openblas --shape 70x64 --trans T", "rows of a GEMV"},
                 {"accord map blas:dgemm --shape 33x33x48 --alpha 1.5 --beta 1 --json",
                  "as your program calls it"},
                 {"accord map mpi:allreduce -n 8 --length 1000",
                  "do all elements and all ranks of an MPI_Allreduce add in the same order?"},
                 {"accord map opencl:gemv.cl:gemv,rows=8,global=8,arguments=x+ones+n+out -n 64",
                  "an OpenCL kernel with 8 results (doc/opencl.md)"},
                 {"accord map blas:sgemm --shape 64x64x64 --uniform -q >/dev/null",
                  "in CI: do all elements add in the same order?"}},
    .run = run_map,
};
