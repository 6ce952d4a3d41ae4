/* accord show: a saved order in another form. */
#include "cli/command/cli.h"

static int write_all(const cli_args *args, const accord_writer *writer, const cli_order *orders,
                     size_t count, cli_output *out)
{
    int status = CLI_YES;
    bool array = count > 1 && strcmp(writer->name, "json") == 0;
    bool report = strcmp(writer->name, "report") == 0;
    for (size_t i = 0; i < count && !out->failure && status == CLI_YES; i++) {
        if (array)
            cli_output_write(out, i ? ",\n" : "[\n", 2);
        else if (report && i)
            cli_output_write(out, "\n", 1);
        status = cli_output_record(args, out, writer, orders[i].record);
    }
    if (array && status == CLI_YES)
        cli_output_write(out, "]\n", 2);
    return status;
}

static int run_show(const cli_args *args)
{
    const accord_writer *writer = cli_writer(args);
    cli_order *orders;
    size_t count;
    cli_output out;
    int status = cli_load(args->operand[0], &orders, &count);
    if (status != CLI_YES)
        return status;
    if (count > 1 && cli_shows_one(writer)) {
        cli_error(
            "--output %s can show only one order, but %s contains %zu; use text, json or report",
            writer->name, args->operand[0], count);
        status = CLI_USAGE;
    } else if (!cli_output_open(&out, args->text[CLI_TO])) {
        status = CLI_USAGE;
    } else {
        status = write_all(args, writer, orders, count, &out);
        if (status == CLI_YES)
            status = cli_output_commit(&out);
        else
            cli_output_discard(&out);
    }
    cli_orders_free(orders, count);
    return status;
}

const cli_verb cli_show = {
    .name = "show",
    .operands = "FILE",
    .about = "show a saved order, or one written in one line, in another form",
    .text =
        "Reads an order from FILE (- for standard input), as JSON, as brackets like "
        "((0+1)+(2+3)) or in the notation, which is one line such as \"8: lanes 2; chain\", and "
        "writes it in the form given by --output. A notation may stand in place of FILE; a "
        "file of that name comes first. No target is run. See doc/notation.md.",
    .least = 1,
    .most = 1,
    .trees = true,
    .options = {CLI_OUTPUT, CLI_JSON, CLI_TO, CLI_EXPAND, CLI_HELP, CLI_OPTIONS},
    .examples = {{"accord show sdot.json", "the tree and the verdict"},
                 {"accord show sdot.json -o sdot.svg", "a picture"},
                 {"accord show \"1000: lanes 8; halves\"", "draw an order written in one line"},
                 {"echo \"((0+1)+(2+3))\" | accord show -", "draw an order written by hand"},
                 {"accord show sdot.json -O text | sha256sum",
                  "begins with the fingerprint of the order"}},
    .run = run_show,
};
