/* Tables: a line each for records, whose fields stand between separators and may be quoted as in
 * RFC 4180 (.csv, .tsv, --separator), or between white space.
 *
 * All lines have as many fields as the first: one that was cut otherwise than its writer meant it
 * (a decimal comma, a quote left out, a column left blank) is an error, not a wrong sum. */
#include "cli/numbers/fields.h"

/* ---- opening ---- */

static bool is_table(const cli_reader *r)
{
    const cli_reader_options *o = r->options;
    return o->separator || o->column || o->key || cli_ends_in(r->path, ".csv") ||
           cli_ends_in(r->path, ".tsv");
}

/* Which of "\t;," the first line has outside of quotes, as bits; -1: the line is not whole. */
static int separators_in(const cli_source *s)
{
    bool quoted = false;
    int seen = 0;
    for (size_t i = s->head; i < s->length; i++) {
        char c = s->data[i];
        quoted ^= c == '"';
        if (c == '\n' && !quoted)
            return seen;
        if (!quoted)
            seen |= (c == '\t') | (c == ';') << 1 | (c == ',') << 2;
    }
    return s->ended ? seen : -1;
}

/* Of .csv: the first of tab, semicolon, comma; there the comma may be that of decimals. */
static bool find_separator(cli_reader *r)
{
    r->separator = r->options->separator;
    if (!r->separator && cli_ends_in(r->path, ".tsv"))
        r->separator = '\t';
    if (r->separator || !cli_ends_in(r->path, ".csv"))
        return true;
    int seen;
    while ((seen = separators_in(&r->source)) < 0)
        if (cli_source_more(&r->source, &r->error) == CLI_MORE_FAILED)
            return false;
    r->separator = seen & 1 ? '\t' : seen & 2 ? ';' : ',';
    return true;
}

/* ---- lines ---- */

enum found { FOUND, FOUND_NONE, FOUND_END };

/* Passes one line that is blank, a comment, or to be left out; FOUND_NONE: more is to be read. */
static enum found pass_line(cli_reader *r)
{
    cli_source *s = &r->source;
    char *at = s->data + s->head, *end = s->data + s->length;
    bool whole = !r->skips;
    while (whole && at < end && cli_is_blank(*at) && *at != r->separator)
        at++;
    if (whole && at < end && s->offset + s->head >= r->end)
        return FOUND_END;
    r->comment = r->comment || (whole && at < end && *at == '#' && !r->separator);
    if (whole && at < end && *at != '\n' && !r->comment) {
        s->head = r->separator ? s->head : (size_t)(at - s->data);
        return FOUND;
    }
    if ((r->skips || r->comment) && !cli_text_skip(r, &at))
        return FOUND_END;
    if (at < end || r->skips)
        s->head = (size_t)(at - s->data) + (at < end);
    return FOUND_NONE;
}

/* To the beginning of a line that is not blank; false at the end. */
static bool find_line(cli_reader *r)
{
    const cli_source *s = &r->source;
    for (;;) {
        size_t before = s->head;
        enum found found = pass_line(r);
        if (found != FOUND_NONE)
            return found == FOUND;
        if ((s->head == before || s->head == s->length) &&
            cli_source_more(&r->source, &r->error) != CLI_MORE)
            return false;
    }
}

typedef struct line {
    cli_field value, key;
    size_t fields;
    char *past;
} line;

static enum cli_cut cut_line(cli_reader *r, line *l)
{
    enum cli_cut cut;
    cli_field f;
    *l = (line){.past = r->source.data + r->source.head};
    do {
        cut = cli_cut_field(r, &l->past, &f);
        l->fields++;
        if (l->fields == r->column)
            l->value = f;
        if (l->fields == r->key)
            l->key = f;
    } while (cut == CLI_CUT && !f.last);
    return cut;
}

/* The fields of the line at the head of the window, which is there. */
static bool read_line(cli_reader *r, line *l)
{
    for (;;) {
        enum cli_cut cut = cut_line(r, l);
        if (cut != CLI_CUT_SHORT)
            return cut == CLI_CUT;
        if (cli_source_more(&r->source, &r->error) == CLI_MORE_FAILED)
            return false;
    }
}

static bool right_count(cli_reader *r, const char *at, size_t fields)
{
    char problem[120];
    size_t wanted = r->column > r->key ? r->column : r->key;
    if (r->fields && r->fields != fields)
        snprintf(problem, sizeof problem,
                 "the number of columns is %zu here but %zu in the first line", fields, r->fields);
    else if (fields < wanted)
        snprintf(problem, sizeof problem,
                 "the number of columns is %zu here, so there is no column %zu", fields, wanted);
    else {
        r->fields = fields;
        return true;
    }
    return cli_reader_bad(r, at, 0, problem,
                          r->options->uneven ? r->options->uneven
                          : r->separator
                              ? "put fields that contain the separator in quotes, or set "
                                "the separator with --separator"
                              : "set the separator between columns with --separator");
}

/* False if the field is empty and may be. */
static bool has_value(cli_reader *r, cli_field *f)
{
    cli_trim(f);
    if (f->length)
        return true;
    if (r->options->skip_empty)
        r->skipped++;
    else
        cli_reader_bad(r, f->at, 0, "an empty field", r->options->empty);
    return false;
}

static bool next_line(cli_reader *r, cli_entry *entry)
{
    line l;
    while (find_line(r) && read_line(r, &l)) {
        cli_source *s = &r->source;
        if (!right_count(r, s->data + s->head, l.fields))
            return false;
        s->head = (size_t)(l.past - s->data);
        if (has_value(r, &l.value)) {
            *entry = (cli_entry){.value = l.value.at, .length = l.value.length};
            return !r->key || cli_field_text(r, &l.key, &entry->key, &entry->key_length);
        }
        if (r->error.status != ACCORD_OK)
            return false;
    }
    return false;
}

/* All fields of all lines, one by one. */
static bool next_field(cli_reader *r, cli_entry *entry)
{
    cli_source *s = &r->source;
    cli_field f;
    while (r->index || find_line(r)) {
        char *at = s->data + s->head;
        enum cli_cut cut = cli_cut_field(r, &at, &f);
        if (cut == CLI_CUT_FAILED)
            return false;
        if (cut == CLI_CUT_SHORT) {
            if (cli_source_more(s, &r->error) == CLI_MORE_FAILED)
                return false;
            continue;
        }
        r->breaks += r->index == 0;
        r->index++;
        if (f.last && !right_count(r, f.at, r->index))
            return false;
        r->index = f.last ? 0 : r->index;
        s->head = (size_t)(at - s->data);
        if (has_value(r, &f)) {
            *entry = (cli_entry){.value = f.at, .length = f.length};
            return true;
        }
        if (r->error.status != ACCORD_OK)
            return false;
    }
    return false;
}

static bool next_entry(cli_reader *r, cli_entry *entry)
{
    return r->column ? next_line(r, entry) : next_field(r, entry);
}

/* ---- the first line ---- */

static bool no_such_column(cli_reader *r, const char *name, const accordi_buffer *names)
{
    return cli_reader_refuse(
        r, ACCORD_PARSE, "%s has no column \"%s\"; its first line has: %.200s%s", r->source.name,
        name, names->data ? names->data : "nothing",
        r->separator ? "" : " (set the separator between columns with --separator)");
}

/* The place of the column of that name. */
static bool find_name(cli_reader *r, const char *name, size_t *place)
{
    accordi_buffer names = {0};
    enum cli_cut cut;
    cli_field f;
    size_t i = 0, found = 0;
    char *at = r->source.data + r->source.head;
    do {
        const char *text;
        size_t length;
        cut = cli_cut_field(r, &at, &f);
        if (cut != CLI_CUT || !cli_field_text(r, &f, &text, &length))
            break;
        i++;
        accordi_buffer_printf(&names, "%s%.*s", i > 1 ? ", " : "", (int)length, text);
        if (length == strlen(name) && memcmp(text, name, length) == 0 && found++ == 0)
            *place = i;
    } while (!f.last);
    if (found == 0 && r->error.status == ACCORD_OK)
        no_such_column(r, name, &names);
    if (found > 1)
        accordi_fail(&r->error, ACCORD_PARSE,
                     "%s has %zu columns \"%s\"; give the number of one, counted from 1",
                     r->source.name, found, name);
    accordi_buffer_clear(&names);
    return r->error.status == ACCORD_OK;
}

static bool is_number(const char *text)
{
    return text[strspn(text, "0123456789")] == '\0';
}

static bool find_column(cli_reader *r, const char *text, size_t *place)
{
    if (!text)
        return true;
    if (!is_number(text))
        return find_name(r, text, place);
    *place = (size_t)strtoull(text, NULL, 10);
    return true;
}

static bool no_names(cli_reader *r)
{
    if (r->error.status == ACCORD_OK)
        accordi_fail(&r->error, ACCORD_PARSE,
                     "%s is empty; a first line with the names of columns was expected",
                     r->source.name);
    return false;
}

/* Looks at the first line also where it holds no names: its columns are those of all. */
static bool open_table(cli_reader *r)
{
    const cli_reader_options *o = r->options;
    bool names =
        o->header || (o->column && !is_number(o->column)) || (o->key && !is_number(o->key));
    line l;
    cli_text_begin(r);
    if (!find_separator(r))
        return false;
    if (!find_line(r))
        return names ? no_names(r) : r->error.status == ACCORD_OK;
    if (!read_line(r, &l) || !find_column(r, o->column, &r->column) ||
        !find_column(r, o->key, &r->key) ||
        !right_count(r, r->source.data + r->source.head, l.fields))
        return false;
    if (names)
        r->source.head = (size_t)(l.past - r->source.data);
    return true;
}

const cli_form cli_form_table = {.name = "table",
                                 .advice = "numbers are decimal or hexadecimal",
                                 .columns = true,
                                 .is = is_table,
                                 .open = open_table,
                                 .entry = next_entry,
                                 .part = cli_text_part};
