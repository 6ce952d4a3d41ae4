/* Written numbers without columns: decimal or hexadecimal, white space or one comma between two of
 * them, # and what follows it on the line left out. */
#include "cli/numbers/reader.h"

/* Ends a number. */
static const bool ends[256] = {[' '] = true,  ['\t'] = true, ['\n'] = true, ['\r'] = true,
                               ['\f'] = true, ['\v'] = true, [','] = true,  ['#'] = true};

static bool is_text(const cli_reader *r)
{
    (void)r;
    return true;
}

bool cli_text_begin(cli_reader *r)
{
    cli_source *s = &r->source;
    s->counts = true;
    if (s->length >= 3 && memcmp(s->data, "\xef\xbb\xbf", 3) == 0)
        s->head = s->line = 3; /* a mark of byte order */
    r->column = r->key = 0;
    return true;
}

static bool open_text(cli_reader *r)
{
    cli_text_begin(r);
    r->skips = r->options->header;
    return true;
}

bool cli_text_skip(cli_reader *r, char **at)
{
    char *end = r->source.data + r->source.length;
    char *line = memchr(*at, '\n', (size_t)(end - *at)), *stop = line ? line : end;
    for (char *c = *at; r->comment && c < stop; c++) {
        if (r->cr && *c != '\r')
            return cli_reader_bad(r, c, 0, "a line that ends in a carriage return alone",
                                  "end lines in newlines: tr '\\r' '\\n'");
        r->cr = *c == '\r';
    }
    r->skips = !line;
    if (line)
        r->comment = r->cr = false;
    *at = stop;
    return true;
}

/* A part ends with the line on which the next one begins. */
static bool last_of_part(const cli_reader *r, const char *newline)
{
    return r->source.offset + (uint64_t)(newline - r->source.data) + 1 >= r->end;
}

/* Past gaps, commas and comments, to a number or to the end of the window. False where there is
 * nothing more, or something wrong. */
static bool skip(cli_reader *r)
{
    cli_source *s = &r->source;
    char *at = s->data + s->head, *end = s->data + s->length;
    for (; at < end; at++) {
        r->comment = r->comment || (*at == '#' && !r->skips);
        if (r->comment || r->skips) {
            if (!cli_text_skip(r, &at))
                return false;
            if (at == end)
                break;
        }
        r->breaks += *at == '\n';
        if (*at == '\n' && last_of_part(r, at)) {
            s->head = (size_t)(at - s->data);
            /* what follows the comma, only the whole knows */
            return r->comma ? cli_reader_bad(r, at, 0, "a comma before a part", "") : false;
        }
        if (*at == ',') {
            if (!r->any || r->comma)
                return cli_reader_bad(r, at, 0, "a number is missing before the comma", "");
            r->comma = true;
        } else if (!ends[(unsigned char)*at]) {
            break;
        }
    }
    s->head = (size_t)(at - s->data);
    return true;
}

static bool take_number(cli_reader *r, size_t past, cli_entry *entry)
{
    cli_source *s = &r->source;
    *entry = (cli_entry){.value = s->data + s->head, .length = past - s->head};
    s->head = past;
    r->any = true;
    r->comma = false;
    return true;
}

static bool next_word(cli_reader *r, cli_entry *entry)
{
    cli_source *s = &r->source;
    while (skip(r)) {
        size_t past = s->head;
        while (past < s->length && !ends[(unsigned char)s->data[past]])
            past++;
        if (past < s->length || (s->ended && past > s->head))
            return take_number(r, past, entry);
        enum cli_more more = cli_source_more(s, &r->error);
        if (more == CLI_MORE_FAILED)
            return false;
        if (more == CLI_NO_MORE && s->head == s->length)
            return r->comma ? cli_reader_bad(r, s->data + s->length, 0,
                                             "a number is missing after the comma", "")
                            : false;
    }
    return false;
}

/* Lines of a part begin behind the first newline from the byte before it on. */
bool cli_text_part(const cli_reader *whole, size_t i, size_t parts, cli_reader *part)
{
    uint64_t first = whole->source.offset + whole->source.head;
    uint64_t each = (whole->source.size - first) / parts;
    uint64_t from = first + each * i;
    if (each == 0)
        return false;
    part->end = i + 1 < parts ? from + each : CLI_UNKNOWN;
    cli_source_at(&whole->source, i ? from - 1 : from, &part->source);
    part->skips = i ? true : whole->skips;
    return cli_source_more(&part->source, &part->error) != CLI_MORE_FAILED;
}

const cli_form cli_form_text = {
    .name = "text",
    .advice = "numbers are decimal or hexadecimal, with white space or commas between",
    .is = is_text,
    .open = open_text,
    .entry = next_word,
    .part = cli_text_part};
