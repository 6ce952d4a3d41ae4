/* accord replay: computes the bits that an implementation gives, without running it. */
#include "cli/numbers/numbers.h"
#include <math.h>

typedef struct question {
    const cli_args *args;
    const char *name;
    accord_model model;
    accord_arithmetic *own;             /* when the file holds none */
    cli_numbers x, y, start, scales[2]; /* of x and of y */
    double *result;
} question;

/* ---- the model ---- */

/* A bare order may stand for plain additions. A record of a target that nothing explains may not:
 * the bits would be others than the target's, and nobody would notice. */
static bool may_assume(const question *q, const accord_record *record)
{
    enum accord_format format;
    bool bare = !record->target && !record->replays;
    bool told = record->accumulator && accord_format_by_name(record->accumulator, &format);
    if (bare || told || q->args->text[CLI_FORMAT])
        return true;
    return cli_refuse(
        "%s contains an order whose arithmetic is not known%s; reveal it again, or give "
        "--format f32 (or f64) for a plain sum, whose bits may differ",
        q->name,
        record->replays_agreed < record->replays
            ? ": plain additions do not give the bits of the target"
            : "");
}

/* Plain arithmetic, as well as an older record tells it. */
static int assume_plain(question *q, const accord_record *record)
{
    const cli_args *args = q->args;
    enum accord_format format = ACCORD_F64, accumulator;
    accord_error error;
    const char *said = args->text[CLI_FORMAT] ? args->text[CLI_FORMAT] : record->format;
    accord_format_by_name(said ? said : "f64", &format);
    accumulator = format;
    if (record->accumulator && !args->text[CLI_FORMAT])
        accord_format_by_name(record->accumulator, &accumulator);
    enum accord_term term = args->text[CLI_SECOND] ? ACCORD_TERM_PRODUCT : ACCORD_TERM_VALUE;
    if (accord_arithmetic_plain(term, format, accumulator, format, &q->own, &error) != ACCORD_OK)
        return cli_fail(&error);
    q->own->negative_zero = true;
    double inverse = rint(1 / record->scale);
    if (record->scale != 1 && record->scale * inverse == 1) {
        q->own->finish = ACCORD_FINISH_OVER;
        q->own->factor = inverse;
    } else if (record->scale != 1) {
        q->own->finish = ACCORD_FINISH_TIMES;
        q->own->factor = record->scale;
    }
    q->model.arithmetic = q->own;
    return CLI_YES;
}

static void warn_of_assumption(const question *q, const accord_record *record)
{
    bool known = record->format || q->args->text[CLI_FORMAT];
    if (q->own && !q->args->text[CLI_QUIET])
        cli_error(
            "%s contains no arithmetic; plain %s to nearest is assumed, so the bits may differ%s",
            q->name, accord_format_get(q->own->operation[0].format)->name,
            known ? "" : " (use --format to choose another format)");
}

static bool check_files(const cli_args *args)
{
    const char *const files[] = {args->operand[0],       args->text[CLI_INPUT],
                                 args->text[CLI_SECOND], args->text[CLI_START],
                                 args->text[CLI_SCALES], args->text[CLI_SECOND_SCALES]};
    int standard = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        standard += files[i] && strcmp(files[i], "-") == 0;
    if (!args->text[CLI_INPUT])
        cli_error("no numbers were given; use --input FILE, or --input - for standard input");
    else if (standard > 1)
        cli_error("standard input can be read only once; give files for the others");
    return args->text[CLI_INPUT] && standard < 2;
}

static bool check_options(const question *q)
{
    const accord_arithmetic *a = q->model.arithmetic;
    if (q->args->text[CLI_SECOND] && a->term != ACCORD_TERM_PRODUCT)
        cli_error("%s does not add products; leave --second out", q->name);
    else if (q->args->text[CLI_START] && a->beta == 0)
        cli_error("%s has no start value (beta is 0); leave --start out", q->name);
    else if ((q->args->text[CLI_SCALES] || q->args->text[CLI_SECOND_SCALES]) &&
             !(a->has_machine && a->machine.scale_block))
        cli_error("the products of %s have no scales; leave --scales and --second-scales out",
                  q->name);
    else if (q->args->text[CLI_FORMAT] && !q->own)
        cli_error("%s states its arithmetic; leave --format out", q->name);
    else
        return true;
    return false;
}

/* ---- operands ---- */

/* Tells of numbers in binary files that the format does not hold. */
static void warn_of_rounding(const question *q, const cli_numbers *numbers, enum cli_option_id id,
                             enum accord_format format)
{
    size_t rounded = 0;
    for (size_t i = 0; numbers->value && i < numbers->rows * numbers->columns; i++) {
        double x = numbers->value[i];
        rounded += x == x && accord_format_round(format, ACCORD_NEAREST_EVEN, x) != x;
    }
    if (rounded && !numbers->written && !q->args->text[CLI_QUIET])
        cli_error("%zu of the numbers in %s are not %s; they are rounded to nearest first", rounded,
                  q->args->text[id], accord_format_get(format)->name);
}

static int read_one(const question *q, enum cli_option_id id, enum accord_format format,
                    const char *what, size_t columns, cli_numbers *out)
{
    const char *path = q->args->text[id];
    const cli_numbers_options options = {q->args->text[CLI_TYPE],
                                         q->args->text[CLI_BIG_ENDIAN] != NULL, format};
    if (!path)
        return CLI_YES;
    int status = cli_numbers_read(path, &options, out);
    if (status != CLI_YES)
        return status;
    if (!cli_numbers_shape(out, path, what, columns))
        return CLI_USAGE;
    return CLI_YES;
}

static int read_operands(question *q)
{
    const accord_arithmetic *a = q->model.arithmetic;
    size_t terms = q->model.tree->leaves - (a->beta != 0);
    int status = read_one(q, CLI_INPUT, a->input, "a sum of this model", terms, &q->x);
    if (status == CLI_YES)
        status = read_one(q, CLI_SECOND, a->input, "a sum of this model", terms, &q->y);
    if (status == CLI_YES && q->y.value && q->y.rows != q->x.rows)
        return cli_misuse(
            "%s contains %zu rows, but %s contains %zu; give as many second factors as first "
            "factors",
            q->args->text[CLI_INPUT], q->x.rows, q->args->text[CLI_SECOND], q->y.rows);
    if (status == CLI_YES && q->args->text[CLI_START]) {
        status = read_one(q, CLI_START, a->output, "each sum", 1, &q->start);
        if (status == CLI_YES && q->start.rows != q->x.rows) {
            cli_error("%s contains %zu start values for %zu sums; give one for each",
                      q->args->text[CLI_START], q->start.rows, q->x.rows);
            status = CLI_USAGE;
        }
    }
    return status;
}

/* A scale for each block of each sum. */
static int read_scales(question *q)
{
    static const enum cli_option_id ids[] = {CLI_SCALES, CLI_SECOND_SCALES};
    const accord_fused *machine = &q->model.arithmetic->machine;
    int status = CLI_YES;
    for (size_t i = 0; i < 2 && status == CLI_YES; i++) {
        if (!q->args->text[ids[i]])
            continue;
        size_t share = (size_t)machine->scale_block;
        size_t blocks = (q->model.tree->leaves + share - 1) / share;
        status = read_one(q, ids[i], machine->scale, "the blocks of a sum of this model", blocks,
                          &q->scales[i]);
        if (status == CLI_YES && q->scales[i].rows != q->x.rows) {
            cli_error(
                "%s contains the scales of %zu sums, but %s contains %zu; give %zu scales for "
                "each sum",
                q->args->text[ids[i]], q->scales[i].rows, q->args->text[CLI_INPUT], q->x.rows,
                blocks);
            status = CLI_USAGE;
        }
    }
    return status;
}

static const double *row_of(const cli_numbers *numbers, size_t row)
{
    return numbers->value ? numbers->value + row * numbers->columns : NULL;
}

static int replay_numbers(question *q)
{
    size_t rows = q->x.rows;
    const void **x = accordi_alloc(rows, sizeof *x), **y = accordi_alloc(rows, sizeof *y);
    const double **scale[2] = {accordi_alloc(rows, sizeof **scale),
                               accordi_alloc(rows, sizeof **scale)};
    accord_error error;
    enum accord_status status = ACCORD_NOMEM;
    q->result = accordi_alloc(rows, sizeof *q->result);
    if (x && y && q->result && scale[0] && scale[1]) {
        for (size_t r = 0; r < rows; r++) {
            x[r] = row_of(&q->x, r);
            y[r] = row_of(&q->y, r);
            scale[0][r] = row_of(&q->scales[0], r);
            scale[1][r] = row_of(&q->scales[1], r);
        }
        const accord_rows all = {.size = sizeof all,
                                 .rows = rows,
                                 .x = x,
                                 .y = q->y.value ? y : NULL,
                                 .start = q->start.value,
                                 .scale_x = q->scales[0].value ? scale[0] : NULL,
                                 .scale_y = q->scales[1].value ? scale[1] : NULL};
        status = accord_model_replay(&q->model, &all, q->result, &error);
    } else {
        accordi_nomem(&error);
    }
    free(x);
    free(y);
    free(scale[0]);
    free(scale[1]);
    return status == ACCORD_OK ? CLI_YES : cli_fail(&error);
}

/* ---- the answer ---- */

static void put_replay_report(accordi_buffer *out, const question *q)
{
    for (size_t r = 0; r < q->x.rows; r++) {
        cli_put_number(out, q->model.arithmetic->output, q->result[r]);
        if (isfinite(q->result[r]))
            accordi_buffer_printf(out, "  %a", q->result[r]);
        accordi_buffer_puts(out, "\n");
    }
}

static void put_replay_json(accordi_buffer *out, const question *q)
{
    char words[ACCORD_DESCRIPTION_SIZE], print[ACCORD_FINGERPRINT_SIZE] = "";
    accord_model_describe(&q->model, words, sizeof words);
    accord_model_fingerprint(&q->model, print, NULL);
    accordi_buffer_printf(out,
                          "{\n  \"accord\": %d,\n  \"verb\": \"replay\",\n  \"n\": %u,\n"
                          "  \"arithmetic\": \"%s\",\n  \"fingerprint\": \"%s\",\n"
                          "  \"assumed\": %s,\n  \"results\": [",
                          CLI_SCHEMA, q->model.tree->leaves, words, print,
                          q->own ? "true" : "false");
    for (size_t r = 0; r < q->x.rows; r++) {
        accordi_buffer_puts(out, r ? ",\n    " : "\n    ");
        if (isfinite(q->result[r]))
            cli_put_number(out, q->model.arithmetic->output, q->result[r]);
        else
            accordi_buffer_puts(out, "null");
    }
    accordi_buffer_puts(out, "\n  ],\n  \"results_hex\": [");
    for (size_t r = 0; r < q->x.rows; r++)
        accordi_buffer_printf(out, "%s\"%a\"", r ? ",\n    " : "\n    ", q->result[r]);
    accordi_buffer_puts(out, "\n  ]\n}\n");
}

static int answer_replay(question *q, const accord_record *record)
{
    q->model = (accord_model){record->tree, record->arithmetic};
    int status = record->arithmetic      ? CLI_YES
                 : may_assume(q, record) ? assume_plain(q, record)
                                         : CLI_UNABLE;
    if (status == CLI_YES && !check_options(q))
        status = CLI_USAGE;
    if (status == CLI_YES)
        status = read_operands(q);
    if (status == CLI_YES)
        status = read_scales(q);
    if (status == CLI_YES)
        status = replay_numbers(q);
    if (status == CLI_YES) {
        accordi_buffer text = {0};
        warn_of_assumption(q, record);
        warn_of_rounding(q, &q->x, CLI_INPUT, q->model.arithmetic->input);
        warn_of_rounding(q, &q->y, CLI_SECOND, q->model.arithmetic->input);
        warn_of_rounding(q, &q->start, CLI_START, q->model.arithmetic->output);
        warn_of_rounding(q, &q->scales[0], CLI_SCALES, q->model.arithmetic->machine.scale);
        warn_of_rounding(q, &q->scales[1], CLI_SECOND_SCALES, q->model.arithmetic->machine.scale);
        accordi_buffer_puts(&text, "");
        (cli_wants_json(q->args) ? put_replay_json : put_replay_report)(&text, q);
        status = cli_output_text(q->args, &text);
    }
    return status;
}

static int run_replay(const cli_args *args)
{
    cli_order order = {0};
    question q = {.args = args, .name = args->operand[0]};
    int status = check_files(args) ? cli_load_one(args->operand[0], "replay", &order) : CLI_USAGE;
    if (status == CLI_YES && !order.record->tree)
        status = cli_no_tree(&order);
    if (status == CLI_YES)
        status = cli_choose(args, order.record);
    if (status == CLI_YES)
        status = answer_replay(&q, order.record);
    free(q.x.value);
    free(q.y.value);
    free(q.start.value);
    free(q.scales[0].value);
    free(q.scales[1].value);
    free(q.result);
    accord_arithmetic_free(q.own);
    cli_order_clear(&order);
    return status;
}

const cli_verb cli_replay = {
    .name = "replay",
    .operands = "MODEL",
    .about = "compute the bits that an implementation gives, without running it",
    .text =
        "Reads a model (an order with its arithmetic, as written by accord reveal --json) and "
        "numbers, and prints what the implementation gives for these numbers, in decimal and "
        "in hexadecimal. Numbers can be text (decimal or hexadecimal, separated by white space "
        "or commas), raw binary (files whose names end in .f32, .f64 or .bin, or any file with "
        "--type), or .npy (f2, f4, f8; each row of a two-dimensional array is one sum). If "
        "there are more numbers than one sum has terms, they are read as several sums, one after "
        "the other. An order without arithmetic (brackets) is replayed with plain additions in the "
        "format given by --format, or f64. A record whose arithmetic is not known is replayed "
        "only with --format; otherwise the exit status is 3. If several kinds of arithmetic "
        "fit and no input was found that distinguishes them (accord show lists them), "
        "--alternative selects one other than the first.",

    .least = 1,
    .most = 1,
    .options = {CLI_INPUT, CLI_SECOND, CLI_START, CLI_SCALES, CLI_SECOND_SCALES, CLI_ALTERNATIVE,
                CLI_TYPE, CLI_BIG_ENDIAN, CLI_FORMAT, CLI_OUTPUT, CLI_JSON, CLI_TO, CLI_QUIET,
                CLI_HELP, CLI_OPTIONS},
    .examples = {{"accord replay sdot.json --input x.f32 --second y.f32", "a dot product"},
                 {"accord replay sum.json --input data.npy", "every row of an array"},
                 {"echo 1 2 3 4 | accord replay sum.json --input -", "numbers from a pipe"},
                 {"accord replay sum.json --input x.txt --json", "as JSON"},
                 {"accord replay mx.json -i a.txt --second b.txt --scales s.txt",
                  "products whose blocks share scales"}},
    .run = run_replay,
};
