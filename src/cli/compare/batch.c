/* accord batch: tests whether the order of an element depends on the number of rows in a batch. */
#include "cli/compare/batch_shape.h"
#include <jansson.h>

/* A question whose rows are replaced by the size of the batch. */
typedef struct batch {
    const cli_args *args;
    char rest[CLI_BATCH_SHAPE];
    bool last; /* the element is in the last row, else as given */
    size_t n, *size, sizes;
    cli_survey survey;
    accord_survey_verdict verdict;
} batch;

/* ---- the question ---- */

static int read_question(batch *b)
{
    const char *element = b->args->text[CLI_ELEMENT], *why;
    if (!cli_counts(b->args->text[CLI_BATCH] ? b->args->text[CLI_BATCH] : "1..64", &b->size,
                    &b->sizes, &why))
        return cli_misuse("--batch: %s", why);
    if (!cli_question_count(b->args, "batch takes one number of terms; give it with -n", &b->n))
        return CLI_USAGE;
    b->last = element && strcmp(element, "last") == 0;
    return cli_batch_shape(b->args, b->n, b->rest);
}

static int ask_all_batches(batch *b)
{
    int status = CLI_YES;
    bool gemm = strchr(b->rest + 1, 'x') != NULL;
    for (size_t k = 0; status == CLI_YES && k < b->sizes; k++) {
        accord_target_options options;
        char shape[80], element[40], title[80];
        cli_question(b->args, NULL, &options);
        snprintf(shape, sizeof shape, "%zu%s", b->size[k], b->rest);
        snprintf(element, sizeof element, "%zu%s", b->size[k] - 1, gemm ? ",0" : "");
        snprintf(title, sizeof title, "batch of %zu", b->size[k]);
        options.n = b->n;
        options.shape = shape;
        options.element = b->last ? element : options.element;
        status = cli_survey_ask(&b->survey, b->args, b->args->operand[0], title, &options);
    }
    return status;
}

/* ---- answers ---- */

/* Sizes of a group, runs of neighbors in the list as "4-64". */
static void put_sizes(accordi_buffer *out, const batch *b, size_t g)
{
    bool first = true;
    for (size_t k = 0; k < b->sizes; k++) {
        if (b->survey.row[k].group != g)
            continue;
        size_t end = k;
        while (end + 1 < b->sizes && b->survey.row[end + 1].group == g &&
               b->size[end + 1] > b->size[end])
            end++;
        accordi_buffer_printf(out, "%s%zu", first ? "" : ",", b->size[k]);
        if (end > k)
            accordi_buffer_printf(
                out, end > k + 1 || b->size[end] == b->size[k] + 1 ? "-%zu" : ",%zu", b->size[end]);
        first = false;
        k = end;
    }
}

static void put_batch_report(accordi_buffer *out, const batch *b)
{
    for (size_t g = 0; g < b->survey.count; g++) {
        const cli_group *group = b->survey.group[g];
        const accord_group *found = group->found;
        put_sizes(out, b, g);
        if (*found->fingerprint)
            accordi_buffer_printf(out, ": order %s, %s; %s; %s\n", found->letter, group->words,
                                  group->arithmetic, found->fingerprint);
        else
            accordi_buffer_printf(out, ": %s, %s\n", found->letter, found->error.text);
    }
    const char *element = b->args->text[CLI_ELEMENT];
    accordi_buffer_printf(out, "\nElement %s of %s, M%s: ", element ? element : "0",
                          b->args->operand[0], b->rest);
    int status = cli_survey_status(&b->verdict);
    if (status == CLI_YES && b->verdict.inputs > 0)
        accordi_buffer_printf(out,
                              "batch-invariant on %lld inputs at these sizes; no model explains "
                              "the results, so nothing is known about other inputs.\n",
                              (long long)b->verdict.inputs);
    else if (status == CLI_YES)
        accordi_buffer_puts(out, "batch-invariant at these sizes; its order and arithmetic do not "
                                 "depend on the number of rows in the batch.\n");
    else if (status == CLI_UNABLE)
        accordi_buffer_puts(out, "it cannot be determined whether it is batch-invariant.\n");
    else if (status == CLI_DIFFERS)
        accordi_buffer_puts(
            out, "not batch-invariant; its result depends on the number of rows in the batch.\n");
    else
        accordi_buffer_puts(out, "no batch size has an answer.\n");
}

static void put_table(accordi_buffer *out, const batch *b, const char *form)
{
    static const char *const heads[] = {"batch", "group",      "fingerprint",
                                        "order", "arithmetic", "seconds"};
    cli_table *table = cli_table_new(6);
    for (size_t i = 0; i < 6; i++)
        cli_table_put(table, heads[i]);
    for (size_t k = 0; k < b->sizes; k++) {
        const cli_row *row = &b->survey.row[k];
        cli_table_printf(table, "%zu", b->size[k]);
        cli_survey_put_row(table, b->survey.group[row->group], row->seconds, true);
    }
    cli_table_write(table, form, out);
    cli_table_free(table);
}

static void put_batch_json(accordi_buffer *out, const batch *b)
{
    json_t *rows = json_array();
    for (size_t k = 0; k < b->sizes; k++) {
        const cli_row *row = &b->survey.row[k];
        json_array_append_new(rows, json_pack("{s:I, s:s, s:f}", "batch", (json_int_t)b->size[k],
                                              "group", b->survey.group[row->group]->found->letter,
                                              "seconds", row->seconds));
    }
    const char *element = b->args->text[CLI_ELEMENT];
    char shape[sizeof b->rest + 1];
    snprintf(shape, sizeof shape, "M%s", b->rest);
    cli_put_json(out,
                 json_pack("{s:i, s:s, s:o, s:o, s:o, s:b, s:s, s:o, s:o}", "accord", CLI_SCHEMA,
                           "verb", "batch", "target", cli_json_text(b->args->operand[0]), "shape",
                           cli_json_text(shape), "element", cli_json_text(element ? element : "0"),
                           "same", cli_survey_status(&b->verdict) == CLI_YES, "verdict",
                           cli_survey_word(&b->verdict), "sizes", rows, "groups",
                           cli_survey_groups_json(&b->survey)));
}

static int write_answer(batch *b)
{
    accord_survey_judge(b->survey.groups, &b->verdict);
    const char *form = cli_output_form(b->args);
    accordi_buffer text = {0};
    if (cli_wants_json(b->args))
        put_batch_json(&text, b);
    else if (strcmp(form, "report") == 0)
        put_batch_report(&text, b);
    else
        put_table(&text, b, form);
    int status = cli_output_text(b->args, &text);
    return status == CLI_YES ? cli_survey_end(&b->verdict) : status;
}

static int run_batch(const cli_args *args)
{
    batch b = {.args = args};
    int status = read_question(&b);
    if (status == CLI_YES)
        status = ask_all_batches(&b);
    if (status == CLI_YES)
        status = write_answer(&b);
    cli_survey_clear(&b.survey);
    free(b.size);
    return status;
}

const cli_verb cli_batch = {
    .name = "batch",
    .operands = "TARGET",
    .about = "test whether the order depends on the number of rows in a batch",
    .text = "Tests the batch invariance of a GEMM, a GEMV or a function of rows: reveals one "
            "element for each number of rows, and says which numbers of rows give the same order, "
            "arithmetic and answers (results on random inputs). The element is in the first row, "
            "unless --element says otherwise; --element last stands for the last row. M of --shape "
            "MxNxK or MxK is replaced by the size of the batch. The exit status is 0 if there is "
            "one group, 1 if there are more, and 3 if this cannot be determined because results "
            "depend on the numbers in other rows or vary from run to run.",
    .least = 1,
    .most = 1,
    .tables = true,
    .options = {CLI_BATCH,     CLI_COUNT,    CLI_OUTPUT,    CLI_JSON,        CLI_TO,
                CLI_ALGORITHM, CLI_FORMAT,   CLI_SEED,      CLI_REPLAYS,     CLI_BUDGET,
                CLI_TIMEOUT,   CLI_NO_FORK,  CLI_SIGNATURE, CLI_SCALE_BLOCK, CLI_SCALE,
                CLI_RESULT,    CLI_OPERANDS, CLI_QUIET,     CLI_HELP,        CLI_OPTIONS},
    .examples = {{"accord batch blas:sgemm --shape 1x16x64", "1 to 64 rows"},
                 {"accord batch blas:sgemv@openblas -n 64 --batch 1..16 --element last",
                  "the last row of a GEMV"},
                 {"accord batch blas:sgemm --shape 1x16x64 --batch '1..1024*2' --json",
                  "for a program to read"}},
    .run = run_batch,
};
