/* Inputs and results in files, for accord explain. */
#include "cli/explain/explain.h"
#include <unistd.h>

/* What numbers in decimals stand for is for the user to say: 0.1 is no number of any format. */
static int read_file(const cli_args *args, const char *path, enum cli_option_id id,
                     cli_numbers *numbers)
{
    enum accord_format format = ACCORD_F64;
    const char *name = args->text[id];
    if (name)
        accord_format_by_name(name, &format);
    const cli_numbers_options options = {args->text[CLI_TYPE], args->text[CLI_BIG_ENDIAN] != NULL,
                                         format};
    int status = cli_numbers_read(path, &options, numbers);
    if (status == CLI_YES && numbers->written && !name)
        return cli_misuse("%s holds numbers as text; say with --%s which format they have, such as "
                          "f32, since most decimals are numbers of none",
                          path, cli_options[id].name);
    for (size_t i = 0;
         status == CLI_YES && numbers->written && i < numbers->rows * numbers->columns; i++)
        numbers->value[i] = accord_format_round(format, ACCORD_NEAREST_EVEN, numbers->value[i]);
    return status;
}

static bool exists(const char *path)
{
    return strcmp(path, "-") == 0 || access(path, F_OK) == 0;
}

static int read_results(const cli_args *args, cli_given *given)
{
    int status = CLI_YES;
    for (size_t i = 0; i < args->operands && status == CLI_YES; i++) {
        const char *path = args->operand[i];
        if (cli_is_target(path))
            continue;
        if (!exists(path))
            return cli_misuse(
                "%s is not a target, such as blas:sdot@openblas (accord targets lists "
                "the kinds), and there is no such file of results",
                path);
        if (!args->text[CLI_INPUTS])
            return cli_misuse("%s is a file of results; give the file of their inputs with "
                              "--inputs, and with --second that of second factors, since results "
                              "alone cannot be judged",
                              path);
        status = read_file(args, path, CLI_RESULT, &given->results[i]);
        given->count = given->results[i].rows * given->results[i].columns;
    }
    return status;
}

/* A row of 2 n numbers is n first factors and n second ones. */
static int split_factors(cli_given *given, size_t n)
{
    cli_numbers *x = &given->x, *y = &given->y;
    *y = *x;
    y->value = cli_need(accordi_alloc(x->rows * n, sizeof *y->value));
    for (size_t r = 0; r < x->rows; r++) {
        memcpy(y->value + r * n, x->value + (2 * r + 1) * n, n * sizeof *y->value);
        memmove(x->value + r * n, x->value + 2 * r * n, n * sizeof *x->value);
    }
    x->columns = y->columns = n;
    return CLI_YES;
}

/* Terms in a row: as said, as the file is shaped, or as the results are many. */
static int count_terms(const cli_args *args, cli_given *given, size_t *n)
{
    cli_numbers *x = &given->x;
    const char *path = args->text[CLI_INPUTS];
    if (args->text[CLI_COUNT] || args->text[CLI_SHAPE]) {
        if (!cli_question_count(args, "explain takes one number of terms; give it with -n", n))
            return CLI_USAGE;
        /* --shape counts the start value of a beta, which may be in a file of its own. */
        *n -= args->text[CLI_START] && !args->text[CLI_COUNT] && cli_real(args, CLI_BETA, 0) != 0;
    } else if (x->shaped) {
        *n = x->columns;
    } else if (given->count && x->columns % given->count == 0) {
        *n = x->columns / given->count;
    } else if (given->count && x->lines == given->count) {
        return cli_numbers_split(x, path) ? CLI_YES : CLI_USAGE; /* some line is too short */
    } else if (given->count) {
        return cli_misuse(
            "%s holds %zu numbers, which are not rows of equal length for %zu results; "
            "give as many terms for each",
            path, x->columns, given->count);
    } else {
        cli_no_count(args);
        return CLI_USAGE;
    }
    size_t row = x->shaped ? x->columns : given->count ? x->columns / given->count : *n;
    if (!args->text[CLI_SECOND] && row == 2 * *n)
        return cli_numbers_shape(x, path, "a row of both factors", row) ? split_factors(given, *n)
                                                                        : CLI_USAGE;
    return cli_numbers_shape(x, path, "a sum of this length", *n) ? CLI_YES : CLI_USAGE;
}

static int read_all(const cli_args *args, cli_given *given)
{
    const enum cli_option_id id[] = {CLI_INPUTS, CLI_SECOND, CLI_START};
    cli_numbers *numbers[] = {&given->x, &given->y, &given->start};
    int status = CLI_YES;
    for (size_t i = 0; i < 3 && status == CLI_YES; i++)
        if (args->text[id[i]])
            status = read_file(args, args->text[id[i]], CLI_FORMAT, numbers[i]);
    return status;
}

/* A row for each sum. *n: how many numbers it has. */
static int make_rows(const cli_args *args, cli_given *given, size_t *n)
{
    const char *first = args->text[CLI_INPUTS], *second = args->text[CLI_SECOND];
    int status = count_terms(args, given, n);
    if (status == CLI_YES && second &&
        !cli_numbers_shape(&given->y, second, "a sum of this length", *n))
        status = CLI_USAGE;
    if (status == CLI_YES && second && given->y.rows != given->x.rows)
        status =
            cli_misuse("%s contains %zu rows, but %s contains %zu; give as many second factors "
                       "as first factors%s",
                       first, given->x.rows, second, given->y.rows,
                       args->text[CLI_SHAPE] ? ", or operands of --shape" : "");
    given->inputs.rows = given->x.rows;
    given->inputs.n = *n;
    return status;
}

/* Rows end with their start values. */
static void append_start(cli_given *given)
{
    accord_explain_inputs *in = &given->inputs;
    cli_numbers *each[] = {&given->x, &given->y};
    for (size_t i = 0; i < 2; i++) {
        if (!each[i]->value)
            continue;
        double *longer = cli_need(accordi_alloc(in->rows * (in->n + 1), sizeof *longer));
        for (size_t r = 0; r < in->rows; r++) {
            memcpy(longer + r * (in->n + 1), each[i]->value + r * in->n, in->n * sizeof *longer);
            longer[r * (in->n + 1) + in->n] = i ? 1 : in->start[r];
        }
        free(each[i]->value);
        each[i]->value = longer;
    }
    in->start = NULL;
}

int cli_given_read(const cli_args *args, cli_given *given, size_t *n)
{
    const char *first = args->text[CLI_INPUTS];
    accord_explain_inputs *inputs = &given->inputs;
    if ((args->text[CLI_SECOND] || args->text[CLI_START]) && !first)
        return cli_misuse("--second gives second factors, and --start start values; give the "
                          "first factors with --inputs");
    if (first && (args->text[CLI_KINDS] || args->text[CLI_SAMPLES]))
        return cli_misuse("--kinds and --samples are of inputs that accord draws; leave them out "
                          "with --inputs");
    int status = read_results(args, given);
    if (status != CLI_YES || !first)
        return status;
    status = read_all(args, given);
    if (status == CLI_YES && !cli_given_matrices(args, given))
        status = make_rows(args, given, n);
    if (status == CLI_YES)
        status = cli_given_start(args, given);
    if (status != CLI_YES)
        return status;
    if (inputs->start && !inputs->columns)
        append_start(given);
    *n = inputs->n += args->text[CLI_START] != NULL;
    inputs->size = sizeof *inputs;
    inputs->x = given->x.value;
    inputs->y = given->y.value;
    return CLI_YES;
}

int cli_given_target(const cli_args *args, const cli_given *given, size_t i, size_t n,
                     accord_target **out)
{
    const cli_numbers *held = &given->results[i];
    size_t rows = held->rows * held->columns;
    accord_error error;
    accord_explain_results results = {.size = sizeof results,
                                      .name = args->operand[i],
                                      .result = held->value,
                                      .rows = rows,
                                      .n = n,
                                      .products = given->y.value != NULL};
    results.alpha = cli_real(args, CLI_ALPHA, 1);
    results.beta = cli_real(args, CLI_BETA, 0);
    if (results.alpha == 0)
        return cli_misuse("--alpha 0: nothing is summed; give another alpha");
    results.output = accord_results_format(held->value, rows);
    if (args->text[CLI_RESULT])
        accord_format_by_name(args->text[CLI_RESULT], &results.output);
    return accord_target_from_results(&results, out, &error) == ACCORD_OK ? CLI_YES
                                                                          : cli_fail(&error);
}

void cli_given_clear(cli_given *given)
{
    free(given->x.value);
    free(given->y.value);
    free(given->start.value);
    free(given->results[0].value);
    free(given->results[1].value);
}
