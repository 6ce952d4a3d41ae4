/* NumPy's .npy: a magic string, the length of a header, the header (a Python dictionary in text:
 * {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }), then the numbers. Those of
 * ml_dtypes.bfloat16 are saved as V2, two bytes of no meaning: --type has to tell it. Otherwise the
 * header says what the numbers are, and an option that says something else is refused. Integers,
 * and the fields of records, are unpacked. */
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
        size_t value = i + size + 3;
        if (h->text[value - 1] != ':') /* a field of records with this name */
            continue;
        while (value < h->length && h->text[value] == ' ')
            value++;
        return value < h->length ? h->text + value : NULL;
    }
    return NULL;
}

/* Where the type stands: up to the key behind it, at most. */
static bool read_type(cli_reader *r, const header *h)
{
    const char *at = find_header_value(h, "descr"), *end = h->text + h->length;
    const char *problem = "the header has no descr; save it again with numpy.save";
    cli_npy_type *t = &r->npy;
    if (at)
        problem = cli_npy_read_type(at, (size_t)(end - at), r->options->column, t);
    if (problem)
        return cli_reader_refuse(r, ACCORD_PARSE, "%s: %s", r->source.name, problem);
    bool brain =
        t->kind == 'V' && t->size == 2 && r->options->type && strcmp(r->options->type, "bf16") == 0;
    bool power = t->size == 1 || t->size == 2 || t->size == 4 || t->size == 8;
    if (brain)
        r->format = ACCORD_BF16;
    else if (t->kind == 'f' && power && t->size > 1)
        r->format = t->size == 8 ? ACCORD_F64 : t->size == 4 ? ACCORD_F32 : ACCORD_F16;
    else if ((t->kind == 'i' || t->kind == 'u' || t->kind == 'b') && power)
        r->format = ACCORD_F64;
    else
        return cli_reader_refuse(
            r, ACCORD_PARSE,
            "%s: its numbers are none of f2, f4, f8 and integers; convert them "
            "with astype, or use --type bf16 if their type is V2",
            r->source.name);
    r->unpacked = t->fields || !(brain || t->kind == 'f');
    r->swapped = !r->unpacked && t->big != CLI_BIG_ENDIAN_MACHINE;
    r->width = t->record;
    return true;
}

/* Do the options ask for numbers that the header denies? */
static bool contradicted(cli_reader *r)
{
    const char *type = r->options->type;
    bool floats = r->npy.kind != 'i' && r->npy.kind != 'u' && r->npy.kind != 'b';
    const char *name = floats ? accord_format_get(r->format)->name : "integers";
    bool big = r->npy.big;
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
    if (!r->column || !r->fortran)
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

/* The number of a record that lies in the file, in the machine's order of bytes. */
static bool unpack(cli_reader *r, const char *record, char *out)
{
    const cli_npy_type *t = &r->npy;
    const char *at = record + t->offset;
    double value;
    if (t->kind == 'f') {
        bool reversed = t->big != CLI_BIG_ENDIAN_MACHINE;
        for (size_t i = 0; i < t->size; i++)
            out[i] = at[reversed ? t->size - 1 - i : i];
        return true;
    }
    if (!cli_npy_integer(t, (const unsigned char *)at, &value))
        return cli_reader_refuse(r, ACCORD_PARSE,
                                 "%s holds an integer beyond 2^53, near %.17g, which f64 may not "
                                 "hold exactly; accord.sum of Python adds integers of any size",
                                 r->source.name, value);
    memcpy(out, &value, sizeof value);
    return true;
}

/* Every number of a block, or those of the column. */
static bool gather(cli_reader *r, const cli_block *all, cli_block *block)
{
    size_t size = (size_t)accord_format_get(r->format)->bytes, count = 0;
    size_t step = cli_reader_picks(r) ? r->columns : 1;
    size_t first = step > 1 ? (size_t)((r->column - 1 + step - r->place) % step) : 0;
    char *out = r->picked.data;
    for (size_t i = first; i < all->count; i += step, count++) {
        const char *record = (const char *)all->data + i * r->width;
        if (!r->unpacked)
            memcpy(out + count * size, record, size);
        else if (!unpack(r, record, out + count * size))
            return false;
    }
    r->place = (r->place + all->count) % step;
    *block = (cli_block){r->format, out, count};
    return true;
}

static bool next_npy(cli_reader *r, cli_block *block)
{
    cli_block all;
    if (!cli_reader_picks(r) && !r->unpacked)
        return cli_raw_next(r, block);
    do {
        if (!cli_raw_next(r, &all))
            return false;
        r->picked.length = 0;
        if (!accordi_buffer_reserve(&r->picked, (all.count + 1) * sizeof(double))) {
            accordi_nomem(&r->error);
            return false;
        }
        if (!gather(r, &all, block))
            return false;
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
    if (!read_type(r, &h) || contradicted(r))
        return false;
    if (!read_order(r, &h))
        return bad(
            r, "the header has no fortran_order of True or False; save it again with numpy.save");
    if (!read_shape(r, &h))
        return bad(r, "its shape cannot be understood; save it again with numpy.save");
    if (r->options->column && !r->npy.fields && !choose_column(r))
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
