/* Options that accord sum and accord dot share. */
#include "cli/sums/work.h"

static enum accord_format format_named(const char *name)
{
    enum accord_format format = ACCORD_F64;
    if (name)
        accord_format_by_name(name, &format);
    return format;
}

void cli_addition_options(const cli_args *args, cli_addition *how)
{
    const char *rounding = args->text[CLI_ROUNDING];
    *how = (cli_addition){.decimal = args->text[CLI_DECIMAL],
                          .naive = args->text[CLI_NAIVE],
                          .format = format_named(args->text[CLI_RESULT])};
    for (int i = 0; rounding && cli_roundings[i]; i++)
        if (strcmp(cli_roundings[i], rounding) == 0)
            how->rounding = (enum accord_exact_rounding)i;
}

/* 0: no separator. */
static char separator_named(const char *text)
{
    static const char never[] = "\"+-.0123456789\r\n";
    if (strcmp(text, "tab") == 0 || strcmp(text, "\\t") == 0)
        return '\t';
    if (strcmp(text, "space") == 0)
        return ' ';
    return text[1] || strchr(never, *text) ? 0 : *text;
}

static bool check_column(const cli_args *args, enum cli_option_id id)
{
    const char *text = args->text[id];
    if (!text || strspn(text, "0") < strlen(text))
        return true;
    return cli_refuse("--%s %s: columns are counted from 1", cli_options[id].name, text);
}

bool cli_read_options(const cli_args *args, cli_reader_options *options)
{
    const char *separator = args->text[CLI_SEPARATOR];
    *options = (cli_reader_options){.type = args->text[CLI_TYPE],
                                    .big_endian = args->text[CLI_BIG_ENDIAN],
                                    .beyond = "too large for an f64:",
                                    .column = args->text[CLI_COLUMN],
                                    .key = args->text[CLI_GROUP_BY],
                                    .separator = separator ? separator_named(separator) : 0,
                                    .header = args->text[CLI_HEADER],
                                    .skip_empty = args->text[CLI_SKIP_EMPTY],
                                    .empty = cli_takes(args->verb, CLI_SKIP_EMPTY)
                                                 ? "--skip-empty leaves those out"
                                                 : "write a number there"};
    if (separator && !options->separator)
        cli_error(
            "--separator %s: give one character that does not occur in numbers, or tab, or space",
            separator);
    return (!separator || options->separator) && check_column(args, CLI_COLUMN) &&
           check_column(args, CLI_SECOND_COLUMN) && check_column(args, CLI_GROUP_BY);
}

bool cli_once(const cli_args *args)
{
    size_t standard = 0;
    for (size_t i = 0; i < args->operands; i++)
        standard += strcmp(args->operand[i], "-") == 0;
    if (standard > 1)
        cli_error("standard input can be read only once; give files for the others");
    return standard < 2;
}
