/* Reads whole files of numbers into arrays. */
#include "cli/numbers/numbers.h"

static int nothing(const cli_reader *r)
{
    const cli_source *s = &r->source;
    if (r->form == &cli_form_npy)
        cli_error("%s holds no numbers; give a row for each sum", s->name);
    else if (s->offset + s->length == 0)
        cli_error("%s is empty; numbers were expected", s->name);
    else
        cli_error("%s: there are no numbers, only white space; give some", s->name);
    return CLI_USAGE;
}

/* An array in Fortran's order lies column by column. */
static bool transpose_numbers(cli_numbers *numbers)
{
    double *turned = accordi_alloc(numbers->rows * numbers->columns, sizeof *turned);
    if (!turned)
        return false;
    for (size_t r = 0; r < numbers->rows; r++)
        for (size_t c = 0; c < numbers->columns; c++)
            turned[r * numbers->columns + c] = numbers->value[c * numbers->rows + r];
    free(numbers->value);
    numbers->value = turned;
    return true;
}

static bool append_block(accordi_buffer *values, const cli_block *block)
{
    double *to = (double *)(void *)accordi_buffer_reserve(values, block->count * sizeof *to);
    for (size_t i = 0; to && i < block->count; i++)
        to[i] = cli_block_value(block, i);
    values->length += to ? block->count * sizeof *to : 0;
    return to;
}

/* The line that has just ended, or the file. */
static void end_line(cli_numbers *numbers, size_t count, uint64_t line)
{
    if (numbers->lines++ == 0)
        numbers->in_first = count;
    if (count != numbers->in_first && numbers->other_line == 0) {
        numbers->other_line = (size_t)line;
        numbers->in_other = count;
    }
}

/* Written numbers, whose lines are counted. */
static void append_entries(accordi_buffer *values, cli_reader *r, cli_numbers *numbers)
{
    cli_entry entry;
    size_t count = 0;
    uint64_t line = 0;
    double x;
    while (!values->failed && cli_reader_entry(r, &entry) && cli_reader_number(r, &entry, &x)) {
        if (count && r->breaks != line) {
            end_line(numbers, count, line + 1);
            count = 0;
        }
        line = r->breaks;
        count++;
        accordi_buffer_append(values, (const char *)&x, sizeof x);
    }
    if (count)
        end_line(numbers, count, line + 1);
}

static bool shape(const cli_reader *r, cli_numbers *numbers)
{
    numbers->rows = 1;
    numbers->written = r->form->entry;
    numbers->shaped = r->form == &cli_form_npy;
    if (numbers->shaped && r->dimensions == 2) {
        numbers->rows = r->rows;
        numbers->columns = r->columns;
    }
    return !(numbers->shaped && r->fortran && r->dimensions == 2) || transpose_numbers(numbers);
}

int cli_numbers_take(cli_reader *r, cli_numbers *numbers)
{
    accordi_buffer values = {0};
    cli_block block;
    int status = CLI_YES;
    if (r->dimensions > 2)
        return cli_misuse("%s: its array has neither one nor two dimensions; reshape it",
                          r->source.name);
    if (r->form->entry)
        append_entries(&values, r, numbers);
    while (!r->form->entry && cli_reader_next(r, &block) && append_block(&values, &block)) {
    }
    numbers->columns = values.length / sizeof *numbers->value;
    numbers->value = (double *)(void *)values.data;
    if (r->error.status != ACCORD_OK) {
        status = cli_reader_fail(r);
    } else if (values.failed || (numbers->columns && !shape(r, numbers))) {
        cli_error("out of memory for the numbers of %s", r->source.name);
        status = CLI_UNABLE;
    } else if (numbers->columns == 0) {
        status = nothing(r);
    }
    if (status != CLI_YES) {
        free(numbers->value);
        *numbers = (cli_numbers){0};
    }
    return status;
}

int cli_numbers_read(const char *path, const cli_numbers_options *options, cli_numbers *numbers)
{
    const cli_reader_options how = {.type = options->type,
                                    .big_endian = options->big_endian,
                                    .format = options->format,
                                    .to_odd = options->format != ACCORD_F64,
                                    .uneven = "give as many numbers in each row"};
    cli_reader r;
    *numbers = (cli_numbers){0};
    int status =
        cli_reader_open(&r, path, &how) ? cli_numbers_take(&r, numbers) : cli_reader_fail(&r);
    cli_reader_close(&r);
    return status;
}

static bool uneven(const cli_numbers *numbers, const char *name, const char *advice)
{
    return cli_refuse("%s holds %zu number%s in its first line and %zu in line %zu; %s", name,
                      numbers->in_first, numbers->in_first == 1 ? "" : "s", numbers->in_other,
                      numbers->other_line, advice);
}

bool cli_numbers_split(cli_numbers *numbers, const char *path)
{
    if (numbers->lines < 2 || (numbers->other_line == 0 && numbers->in_first == 1))
        return true;
    if (numbers->other_line)
        return uneven(numbers, strcmp(path, "-") ? path : "standard input",
                      "give as many in each line, or all of them in one");
    numbers->rows = numbers->lines;
    numbers->columns = numbers->in_first;
    numbers->shaped = true;
    return true;
}

bool cli_numbers_shape(cli_numbers *numbers, const char *path, const char *what, size_t columns)
{
    const char *name = strcmp(path, "-") ? path : "standard input";
    if (numbers->shaped && numbers->columns == columns)
        return true;
    if (numbers->shaped)
        return cli_refuse("%s has %zu numbers in a row, but %s takes %zu", name, numbers->columns,
                          what, columns);
    size_t count = numbers->columns;
    /* A list may be broken into lines anywhere; rows with a line for each may not. */
    if (numbers->other_line && numbers->lines > 1 && columns &&
        numbers->lines == (count + columns - 1) / columns)
        return uneven(numbers, name, "give as many in each row");
    if (columns == 0 ? count : count % columns)
        return cli_refuse(
            "%s holds %zu numbers, but %s takes %zu, or a multiple of that for several sums", name,
            count, what, columns);
    numbers->rows = columns ? count / columns : 0;
    numbers->columns = columns;
    numbers->shaped = true;
    return true;
}
