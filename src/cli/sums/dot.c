/* accord dot: correctly rounded dot products of the numbers in two files. */
#include "cli/sums/work.h"

static bool has_numbers(cli_reader *r)
{
    if (r->form != &cli_form_saved)
        return true;
    return cli_reader_refuse(r, ACCORD_ARG,
                             "%s is a saved sum, not a file of numbers; --merge adds saved sums",
                             r->source.name);
}

static int dot(const cli_args *args, cli_products *products)
{
    cli_reader_options options, second;
    cli_reader a, b = {.source.fd = -1};
    cli_progress progress = {0};
    int status;
    if (!cli_read_options(args, &options))
        return CLI_USAGE;
    second = options;
    second.column = args->text[CLI_SECOND_COLUMN] ? args->text[CLI_SECOND_COLUMN] : options.column;
    cli_bar_start(&progress.bar, "dot", args->text[CLI_QUIET]);
    if (!cli_reader_open(&a, args->operand[0], &options) || !has_numbers(&a))
        status = cli_reader_fail(&a);
    else if (!cli_reader_open(&b, args->operand[1], &second) || !has_numbers(&b))
        status = cli_reader_fail(&b);
    else {
        if (a.source.regular && b.source.regular)
            progress.total = a.source.size + b.source.size;
        status = cli_dot_readers(&a, &b, products, cli_threads(args, &products->how), &progress);
    }
    cli_bar_end(&progress.bar);
    accord_error error;
    if (status == CLI_YES && products->device &&
        !cli_device_end_products(products->device, &products->all, &error))
        status = cli_fail(&error);
    cli_reader_close(&a);
    cli_reader_close(&b);
    return status;
}

/* ---- saved sums of products ---- */

static bool merge_file(cli_reader *r, accord_exact_wide *sum)
{
    accord_exact_wide more;
    accord_error error;
    if (r->form != &cli_form_saved)
        return cli_reader_refuse(
            r, ACCORD_ARG,
            "%s is not a saved sum; leave --merge out to multiply two files of numbers",
            r->source.name);
    if (!cli_load_wide(r, &more))
        return false;
    return cli_saved_is_good(r, accord_exact_wide_add(sum, &more, &error), &error);
}

static int merge_saved(const cli_args *args, accord_exact_wide *sum)
{
    const cli_reader_options options = {0};
    int status = CLI_YES;
    for (size_t i = 0; status == CLI_YES && i < args->operands; i++) {
        cli_reader r;
        if (!cli_reader_open(&r, args->operand[i], &options) || !merge_file(&r, sum))
            status = cli_reader_fail(&r);
        cli_reader_close(&r);
    }
    return status;
}

/* ---- the verb ---- */

static bool check_dot_options(const cli_args *args)
{
    bool merges = args->text[CLI_MERGE];
    if (merges && args->text[CLI_NAIVE])
        cli_error("--merge and --naive contradict each other: a saved sum does not contain its "
                  "terms; leave one out");
    else if (!merges && args->operands != 2)
        cli_error("dot needs two files whose numbers are to be multiplied; see accord help dot");
    else
        return cli_once(args) && cli_output_try("--save", args->text[CLI_SAVE]) == CLI_YES;
    return false;
}

static int answer_dot(const cli_args *args, const cli_products *products)
{
    cli_result result;
    accordi_buffer text = {0};
    unsigned char bytes[ACCORD_EXACT_WIDE_BYTES];
    cli_wide_result(&products->all, &products->how, products->naive, &result);
    accord_exact_wide_save(&products->all, bytes);
    int status = cli_save(args, bytes, sizeof bytes);
    if (status != CLI_YES)
        return status;
    cli_results results = {.how = &products->how, .one = &result};
    memcpy(results.count, result.count, sizeof results.count);
    cli_put_results(&text, args, &results, -1);
    cli_remark(args, &results);
    return cli_output_text(args, &text);
}

static int run_dot(const cli_args *args)
{
    cli_products products = {0};
    if (!check_dot_options(args))
        return CLI_USAGE;
    cli_catch_bus();
    cli_addition_options(args, &products.how);
    int status = cli_device_open(args, true, &products.device);
    if (status != CLI_YES)
        return status;
    status = args->text[CLI_MERGE] ? merge_saved(args, &products.all) : dot(args, &products);
    cli_device_close(products.device);
    return status == CLI_YES ? answer_dot(args, &products) : status;
}

const cli_verb cli_dot = {
    .name = "dot",
    .operands = "FILE FILE",
    .about = "compute the correctly rounded dot product of two files",
    .text =
        "Multiplies each number of the first file by the number at the same place in the second, "
        "and adds the products. No product is rounded, overflows or underflows, and the sum is "
        "rounded once. The files must contain equally many numbers. Each can have any of the forms "
        "that accord help sum lists. "
        "Decimals are first rounded to the nearest f64. With --merge, the files are sums "
        "written by --save, and there may be any number of them. --naive adds from left to "
        "right, and rounds the numbers, the products and the sums to f64 (or --result).",
    .least = 1,
    .most = SIZE_MAX,
    .tables = true,
    .sums = true,
    .options = {CLI_COLUMN, CLI_SECOND_COLUMN, CLI_SEPARATOR, CLI_HEADER, CLI_NAIVE, CLI_ROUNDING,
                CLI_RESULT, CLI_TYPE, CLI_BIG_ENDIAN, CLI_WORKERS, CLI_EXACT_DEVICE, CLI_SAVE,
                CLI_MERGE, CLI_OUTPUT, CLI_JSON, CLI_TO, CLI_QUIET, CLI_HELP, CLI_OPTIONS},
    .examples = {{"accord dot x.f64 y.npy", "two files with equally many numbers"},
                 {"accord dot bill.csv bill.csv --column price --second-column count",
                  "two columns of a table"},
                 {"accord dot x.f64 y.f64 --device opencl", "on an OpenCL device"},
                 {"accord dot x1.f32 y1.f32 --save part1.dot", "a part of the work"},
                 {"accord dot --merge part1.dot part2.dot", "the sum of all parts"}},
    .run = run_dot,
};
