/* NumPy's .npy: a magic string, the length of a header, the header (a Python dictionary in text:
 * {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }), then the numbers. Those of
 * ml_dtypes.bfloat16 are saved as V2, two bytes of no meaning: --type has to tell it. Otherwise the
 * header says what the numbers are, and an option that says something else is refused. */
#include "cli/numbers/reader.h"

static const char magic[] = "\x93NUMPY";
enum { MOST_HEADER = 1 << 20, MOST_DIMENSIONS = 64 };

typedef struct header {
    const char *text;
    size_t length;
} header;

static bool is_npy(const cli_reader *r)
{
    const cli_source *s = &r->source;
    bool saved = s->length >= 6 && memcmp(s->data, magic, 6) == 0;
    return saved || (!r->options->type && cli_ends_in(r->path, ".npy"));
}

static bool bad(cli_reader *r, const char *problem)
{
    return cli_reader_refuse(r, ACCORD_PARSE, "%s: not a .npy file that can be read: %s",
                             r->source.name, problem);
}

/* Leaves the head of the source behind the header, which stays in the window. */
static bool find_header(cli_reader *r, header *h)
{
    cli_source *s = &r->source;
    size_t start = 10;
    if (cli_source_need(s, 12, &r->error) == CLI_MORE_FAILED)
        return false;
    const unsigned char *b = (const unsigned char *)s->data;
    bool good = s->length >= 10 && memcmp(b, magic, 6) == 0 && b[6] >= 1 && b[6] <= 3;
    if (good) {
        h->length = b[8] | (size_t)b[9] << 8;
        if (b[6] > 1 && s->length >= 12) {
            h->length |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
            start = 12;
        }
        good = h->length <= MOST_HEADER && (b[6] == 1 || start == 12);
    }
    enum cli_more more = good ? cli_source_need(s, start + h->length, &r->error) : CLI_NO_MORE;
    if (more == CLI_MORE_FAILED)
        return false;
    if (more == CLI_NO_MORE)
        return bad(r, "the header is missing or cut short; save it again with numpy.save");
    h->text = s->data + start;
    s->head = start + h->length;
    return true;
}

/* What stands behind 'key': in the header, up to its end; NULL if nothing does. */
static const char *find_header_value(const header *h, const char *key)
{
    size_t size = strlen(key);
    for (size_t i = 0; i + size + 3 < h->length; i++) {
        const char *at = h->text + i;
        if ((*at != '\'' && *at != '"') || memcmp(at + 1, key, size) != 0 || at[size + 1] != *at)
            continue;
        for (i += size + 2; i < h->length && (h->text[i] == ' ' || h->text[i] == ':'); i++) {
        }
        return i < h->length ? h->text + i : NULL;
    }
    return NULL;
}

static bool read_type(cli_reader *r, const header *h)
{
    const char *at = find_header_value(h, "descr"), *end = h->text + h->length;
    if (!at || end - at < 5 || (*at != '\'' && *at != '"') || at[4] != *at ||
        !memchr("<>=|", at[1], 4))
        return false;
    const char *type = r->options->type;
    if (at[2] == 'V' && at[3] == '2' && type && strcmp(type, "bf16") == 0)
        r->format = ACCORD_BF16;
    else if (at[2] == 'f' && memchr("248", at[3], 3))
        r->format = at[3] == '8' ? ACCORD_F64 : at[3] == '4' ? ACCORD_F32 : ACCORD_F16;
    else
        return false;
    r->swapped = at[1] == (CLI_BIG_ENDIAN_MACHINE ? '<' : '>');
    return true;
}

/* Do the options ask for numbers that the header denies? */
static bool contradicted(cli_reader *r)
{
    const char *type = r->options->type, *name = accord_format_get(r->format)->name;
    bool big = CLI_BIG_ENDIAN_MACHINE != r->swapped;
    if (type && strcmp(type, name) != 0)
        accordi_fail(&r->error, ACCORD_ARG, "%s holds %s, as its header says; leave --type %s out",
                     r->source.name, name, type);
    else if (r->options->big_endian && !big)
        accordi_fail(&r->error, ACCORD_ARG,
                     "%s has the lowest byte of each number first, as its header says; leave "
                     "--big-endian out",
                     r->source.name);
    return r->error.status != ACCORD_OK;
}

static bool read_order(cli_reader *r, const header *h)
{
    const char *at = find_header_value(h, "fortran_order"), *end = h->text + h->length;
    if (!at || end - at < 5)
        return false;
    r->fortran = *at == 'T';
    return memcmp(at, "True", 4) == 0 || memcmp(at, "False", 5) == 0;
}

/* "(3, 4)", "(3,)" or "()"; the last of many sides counts the columns. */
static bool read_shape(cli_reader *r, const header *h)
{
    const char *at = find_header_value(h, "shape"), *end = h->text + h->length;
    const uint64_t most = UINT64_MAX / 64;
    uint64_t count = 1, last = 1;
    if (!at || *at != '(')
        return false;
    for (at++; at < end && *at != ')'; r->dimensions++) {
        uint64_t value = 0, digits = 0;
        for (; at < end && *at >= '0' && *at <= '9' && value < most / 10; at++, digits++)
            value = 10 * value + (uint64_t)(*at - '0');
        if (!digits || r->dimensions == MOST_DIMENSIONS || (at < end && *at >= '0' && *at <= '9') ||
            (count && value > most / count))
            return false;
        count *= value;
        last = value;
        for (; at < end && (*at == ',' || *at == ' ' || *at == 'L'); at++) {
        }
    }
    r->left = count;
    r->columns = (size_t)last;
    r->rows = last ? (size_t)(count / last) : 0;
    return at < end;
}

static bool promises(cli_reader *r, uint64_t count, uint64_t bytes)
{
    return cli_reader_refuse(
        r, ACCORD_PARSE,
        "%s: its header announces %llu numbers of %zu bytes, but %llu bytes follow; save it again",
        r->source.name, (unsigned long long)count, r->width, (unsigned long long)bytes);
}

/* ---- one column of an array with two dimensions ---- */

static bool choose_column(cli_reader *r)
{
    const char *text = r->options->column;
    if (text[strspn(text, "0123456789")])
        return cli_reader_refuse(r, ACCORD_ARG,
                                 "%s is a .npy file, whose columns have no names; give --column a "
                                 "number from 1",
                                 r->source.name);
    if (r->dimensions != 2)
        return cli_reader_refuse(
            r, ACCORD_ARG,
            "%s has %zu dimension%s; --column takes arrays with two, so leave it out",
            r->source.name, r->dimensions, r->dimensions == 1 ? "" : "s");
    r->column = (size_t)strtoull(text, NULL, 10);
    if (r->column <= r->columns)
        return true;
    return cli_reader_refuse(r, ACCORD_ARG, "%s has %zu columns, so there is no column %s",
                             r->source.name, r->columns, text);
}

/* In Fortran order a column is one piece of the file. */
static bool go_to_column(cli_reader *r)
{
    uint64_t before = (r->column - 1) * (uint64_t)r->rows;
    if (!r->options->column || !r->fortran)
        return true;
    r->left -= before;
    while (!r->mapped && before) { /* pipes, and files that are read */
        cli_block block;
        uint64_t left = r->left;
        r->left = before;
        if (!cli_raw_next(r, &block))
            return false;
        before = r->left;
        r->left = left;
    }
    r->at += before * r->width;
    r->left = r->rows;
    return true;
}

static void pick(cli_reader *r, const cli_block *all, cli_block *block)
{
    char *out = r->picked.data;
    size_t first = (size_t)((r->column - 1 + r->columns - r->place) % r->columns), count = 0;
    for (size_t i = first; i < all->count; i += r->columns, count++)
        memcpy(out + count * r->width, (const char *)all->data + i * r->width, r->width);
    r->place = (r->place + all->count) % r->columns;
    *block = (cli_block){all->format, out, count};
}

static bool next_npy(cli_reader *r, cli_block *block)
{
    cli_block all;
    if (!cli_reader_picks(r))
        return cli_raw_next(r, block);
    do {
        if (!cli_raw_next(r, &all))
            return false;
        r->picked.length = 0;
        if (!accordi_buffer_reserve(&r->picked, (all.count / r->columns + 1) * r->width)) {
            accordi_nomem(&r->error);
            return false;
        }
        pick(r, &all, block);
    } while (!block->count);
    return true;
}

static bool part_npy(const cli_reader *whole, size_t i, size_t parts, cli_reader *part)
{
    uint64_t each = whole->left / parts, more = whole->left % parts;
    if (cli_reader_picks(whole))
        part->place = (i * each + (i < more ? i : more)) % whole->columns;
    return cli_raw_part(whole, i, parts, part);
}

static bool open_npy(cli_reader *r)
{
    header h;
    if (!find_header(r, &h))
        return false;
    if (!read_type(r, &h))
        return bad(r, "its type is none of f2, f4, f8; convert it with astype, or use --type bf16 "
                      "if its type is V2");
    if (contradicted(r))
        return false;
    if (!read_order(r, &h))
        return bad(
            r, "the header has no fortran_order of True or False; save it again with numpy.save");
    if (!read_shape(r, &h))
        return bad(r, "its shape cannot be understood; save it again with numpy.save");
    if (r->options->column && !choose_column(r))
        return false;
    r->counted = true;
    const cli_source *s = &r->source;
    uint64_t count = r->left, bytes = s->size - s->offset - s->head;
    return cli_raw_begin(r) &&
           (!s->regular || bytes == count * r->width || promises(r, count, bytes)) &&
           go_to_column(r);
}

const cli_form cli_form_npy = {.name = ".npy",
                               .columns = true,
                               .is = is_npy,
                               .open = open_npy,
                               .next = next_npy,
                               .part = part_npy};
