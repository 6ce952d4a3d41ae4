/* Fields of tables. A field is cut when its end is in the window; else more is read, and the line
 * is cut again from its beginning. A part of a file cannot know whether a quote opens or closes, so
 * that a quote is an error there, after which the whole is read. */
#include "cli/numbers/fields.h"

bool cli_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static bool is_gap(char c)
{
    return cli_is_blank(c) || c == '\n';
}

/* A field between white space; there is one. *at is left on the next one or on the line's end. */
static enum cli_cut cut_word(cli_reader *r, char **at, cli_field *f)
{
    const cli_source *s = &r->source;
    char *c = *at, *end = s->data + s->length;
    while (c < end && !is_gap(*c))
        c++;
    *f = (cli_field){.at = *at, .length = (size_t)(c - *at)};
    for (; c < end && cli_is_blank(*c); c++)
        if (*c == '\r' && c + 1 < end && c[1] != '\n' && c[1] != '\r') {
            cli_reader_bad(r, c, 0, "a line that ends in a carriage return alone",
                           "end lines in newlines: tr '\\r' '\\n'");
            return CLI_CUT_FAILED;
        }
    if (c == end && !s->ended)
        return CLI_CUT_SHORT;
    f->last = c == end || *c == '\n';
    *at = c + (c < end && f->last);
    return CLI_CUT;
}

/* Behind a field: a separator, the end of the line or of the file. */
static enum cli_cut cut_end(cli_reader *r, char *c, char **at, cli_field *f)
{
    const cli_source *s = &r->source;
    const char *end = s->data + s->length;
    if (f->quoted && c < end && *c == '\r')
        c++;
    if (c == end && !s->ended)
        return CLI_CUT_SHORT;
    f->last = c == end || *c == '\n';
    if (c < end && !f->last && *c != r->separator) {
        cli_reader_bad(r, c, 1, "between a closing quote and the separator stands",
                       "write \"\" for a quote inside quotes");
        return CLI_CUT_FAILED;
    }
    *at = c + (c < end);
    return CLI_CUT;
}

static enum cli_cut cut_quoted(cli_reader *r, char **at, cli_field *f)
{
    const cli_source *s = &r->source;
    char *c = *at + 1, *end = s->data + s->length;
    *f = (cli_field){.at = c, .quoted = true};
    if (r->partial) {
        cli_reader_bad(r, *at, 1, "a quote in a part", "");
        return CLI_CUT_FAILED;
    }
    for (;; c += 2, f->doubled = true) {
        c = memchr(c, '"', (size_t)(end - c));
        if (!c && s->ended) {
            cli_reader_bad(r, *at, (size_t)(end - *at), "a quote that is not closed:", "close it");
            return CLI_CUT_FAILED;
        }
        if (!c || (c + 1 == end && !s->ended))
            return CLI_CUT_SHORT;
        if (c + 1 == end || c[1] != '"')
            break;
    }
    f->length = (size_t)(c - f->at);
    return cut_end(r, c + 1, at, f);
}

enum cli_cut cli_cut_field(cli_reader *r, char **at, cli_field *f)
{
    const cli_source *s = &r->source;
    char *c = *at, *end = s->data + s->length;
    if (!r->separator)
        return cut_word(r, at, f);
    if (c < end && *c == '"')
        return cut_quoted(r, at, f);
    while (c < end && *c != r->separator && *c != '\n')
        c++;
    *f = (cli_field){.at = *at, .length = (size_t)(c - *at)};
    enum cli_cut cut = cut_end(r, c, at, f);
    if (cut == CLI_CUT && f->last && f->length && f->at[f->length - 1] == '\r')
        f->length--;
    return cut;
}

void cli_trim(cli_field *f)
{
    while (f->length && is_gap(*f->at)) {
        f->at++;
        f->length--;
    }
    while (f->length && is_gap(f->at[f->length - 1]))
        f->length--;
}

/* Unquoted fields are without white space around them; "" in quoted ones is ". */
bool cli_field_text(cli_reader *r, cli_field *f, const char **text, size_t *length)
{
    if (!f->quoted)
        cli_trim(f);
    *text = f->at;
    *length = f->length;
    if (memchr(f->at, '\0', f->length))
        return cli_reader_bad(r, f->at, f->length, "a zero byte in a text:", "");
    if (!f->doubled)
        return true;
    r->unquoted.length = 0;
    char *out = accordi_buffer_reserve(&r->unquoted, f->length);
    if (!out) {
        accordi_nomem(&r->error);
        return false;
    }
    size_t used = 0;
    for (size_t i = 0; i < f->length; i++) {
        out[used++] = f->at[i];
        i += f->at[i] == '"';
    }
    *text = out;
    *length = used;
    return true;
}
