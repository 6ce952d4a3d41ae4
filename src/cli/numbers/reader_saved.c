/* Recognizes saved accumulators among the files of numbers; they do not hold a list of numbers. */
#include "cli/numbers/reader.h"

static bool is_saved(const cli_reader *r)
{
    return r->source.length >= 8 && memcmp(r->source.data, "accordEX", 8) == 0;
}

static bool open_saved(cli_reader *r)
{
    if (!r->options->type)
        return true;
    return cli_reader_refuse(r, ACCORD_ARG, "%s is a saved sum, not raw numbers; leave --type out",
                             r->source.name);
}

static bool no_numbers(cli_reader *r, cli_block *block)
{
    (void)block;
    return cli_reader_refuse(
        r, ACCORD_PARSE,
        "%s is a saved sum, not a file of numbers; accord sum and accord dot --merge take "
        "those",
        r->source.name);
}

static bool is_groups(const cli_reader *r)
{
    return r->source.length >= 8 && memcmp(r->source.data, "accordGS", 8) == 0;
}

static bool no_groups(cli_reader *r, cli_block *block)
{
    (void)block;
    return cli_reader_refuse(
        r, ACCORD_PARSE, "%s holds sums by key, not a file of numbers; accord sum --merge takes it",
        r->source.name);
}

const cli_form cli_form_groups = {
    .name = "saved by key", .is = is_groups, .open = open_saved, .next = no_groups};
const cli_form cli_form_saved = {
    .name = "saved", .is = is_saved, .open = open_saved, .next = no_numbers};
