/* What the readers of numbers share; which form a file has stands in reader_open.c. */
#include "cli/numbers/reader.h"
#include "cli/numbers/written.h"
#include <strings.h>

enum { VALUES = 1024 };

bool cli_ends_in(const char *path, const char *end)
{
    size_t length = strlen(path), size = strlen(end);
    return length > size && strcasecmp(path + length - size, end) == 0;
}

void cli_reader_close(cli_reader *r)
{
    cli_source_close(&r->source);
    accordi_buffer_clear(&r->unquoted);
    accordi_buffer_clear(&r->picked);
    free(r->values);
    *r = (cli_reader){.source = {.fd = -1}};
}

bool cli_reader_part(const cli_reader *whole, size_t i, size_t parts, cli_reader *part)
{
    if (!whole->source.regular || !whole->form->part)
        return false;
    *part = *whole;
    part->source = (cli_source){.fd = -1};
    part->unquoted = part->picked = (accordi_buffer){0};
    part->values = NULL;
    part->partial = true;
    if (whole->form->part(whole, i, parts, part))
        return true;
    cli_reader_close(part);
    return false;
}

bool cli_reader_entry(cli_reader *r, cli_entry *entry)
{
    return r->form->entry(r, entry);
}

/* Written numbers, as f64. */
static bool next_written(cli_reader *r, cli_block *block)
{
    cli_entry entry;
    size_t count = 0;
    if (!r->values)
        r->values = accordi_alloc(VALUES, sizeof *r->values);
    if (!r->values)
        return cli_reader_refuse(r, ACCORD_NOMEM, "out of memory for the numbers of %s",
                                 r->source.name);
    while (count < VALUES && r->form->entry(r, &entry))
        if (!cli_reader_number(r, &entry, &r->values[count++]))
            return false;
    *block = (cli_block){ACCORD_F64, r->values, count};
    return count > 0 && r->error.status == ACCORD_OK;
}

bool cli_reader_next(cli_reader *r, cli_block *block)
{
    return r->form->next ? r->form->next(r, block) : next_written(r, block);
}

/* Has the window letters that no text has? */
static bool is_binary_data(const cli_source *s)
{
    for (size_t i = 0; i < s->length && i < 256; i++)
        if ((unsigned char)s->data[i] < ' ' && (s->data[i] < '\t' || s->data[i] > '\r'))
            return true;
    return false;
}

/* A name in the place of a number is no misprint: it may be the head of a table. */
const char *cli_reader_advice(const cli_reader *r)
{
    const cli_source *s = &r->source;
    bool table = r->form->columns;
    bool first = s->lines == 0 && !memchr(s->data, '\n', s->head ? s->head - 1 : 0);
    if (is_binary_data(s))
        return "if this is a raw file rather than text, give the type of its numbers with --type";
    if (table && first && !r->options->header)
        return "if the first line holds names, use --header";
    return table && !r->column ? "choose the column with --column" : r->form->advice;
}

bool cli_reader_number(cli_reader *r, const cli_entry *entry, double *x)
{
    switch (cli_written(entry->value, entry->length, r->options->to_odd, x)) {
    case CLI_WRITTEN_NUMBER:
        return true;
    case CLI_WRITTEN_BEYOND:
        if (!r->options->beyond)
            return true;
        return cli_reader_bad(r, entry->value, entry->length, r->options->beyond, "");
    case CLI_WRITTEN_NONE:
        break;
    }
    return cli_reader_bad(r, entry->value, entry->length, "not a number:", cli_reader_advice(r));
}

/* ---- errors ---- */

/* What stands there, for people: 24 letters, and ? for what is no letter. */
static void quote(const char *at, size_t length, char out[32])
{
    size_t n = length < 24 ? length : 24;
    for (size_t i = 0; i < n; i++)
        out[i] = at[i] >= ' ' && at[i] < 0x7f ? at[i] : '?';
    memcpy(out + n, length > n ? "..." : "", length > n ? 4 : 1);
}

bool cli_reader_bad(cli_reader *r, const char *at, size_t length, const char *problem,
                    const char *advice)
{
    const cli_source *s = &r->source;
    uint64_t line = s->lines + 1, column = s->offset - s->line + (uint64_t)(at - s->data) + 1;
    for (const char *c = s->data; c < at; c++)
        if (*c == '\n') {
            line++;
            column = (uint64_t)(at - c);
        }
    char word[32];
    quote(at, length, word);
    return cli_reader_refuse(r, ACCORD_PARSE, "%s: line %llu, column %llu: %s%s%s%s%s%s", s->name,
                             (unsigned long long)line, (unsigned long long)column, problem,
                             length ? " \"" : "", word, length ? "\"" : "", *advice ? "; " : "",
                             advice);
}

int cli_reader_fail(const cli_reader *r)
{
    cli_error("%s", r->error.text);
    return cli_exit_of(r->error.status);
}

/* ---- blocks ---- */

double cli_block_value(const cli_block *block, size_t i)
{
    size_t width = (size_t)accord_format_get(block->format)->bytes;
    const char *at = (const char *)block->data + i * width;
    double x;
    float narrow;
    uint16_t half;
    switch (width) {
    case 8:
        memcpy(&x, at, sizeof x);
        return x;
    case 4:
        memcpy(&narrow, at, sizeof narrow);
        return narrow;
    default:
        memcpy(&half, at, sizeof half);
        return accord_format_decode(block->format, half);
    }
}
