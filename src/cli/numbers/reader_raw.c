/* Raw files: nothing but numbers, f64, f32, f16 or bf16, in either byte order. .npy continues here
 * behind its header. Regular files are mapped, 4 MiB at a time; pipes are read. */
#include "cli/numbers/reader.h"

/* By the ends of names. What .bin holds depends on what it is for. */
static const struct {
    const char *end;
    enum accord_format format;
} names[] = {
    {".f64", ACCORD_F64}, {".f32", ACCORD_F32}, {".f16", ACCORD_F16}, {".bf16", ACCORD_BF16}};
enum { NAMES = sizeof names / sizeof names[0] };

static bool format_of(const cli_reader *r, enum accord_format *format)
{
    if (r->options->type)
        return accord_format_by_name(r->options->type, format);
    for (size_t i = 0; i < NAMES; i++)
        if (cli_ends_in(r->path, names[i].end)) {
            *format = names[i].format;
            return true;
        }
    *format = r->options->format == ACCORD_F32 ? ACCORD_F32 : ACCORD_F64;
    return cli_ends_in(r->path, ".bin");
}

static bool is_raw(const cli_reader *r)
{
    enum accord_format format;
    return format_of(r, &format);
}

static bool odd_size(cli_reader *r, uint64_t bytes)
{
    const char *name = accord_format_get(r->format)->name;
    return cli_reader_refuse(
        r, ACCORD_PARSE,
        "%s has %llu bytes, which is not a whole number of %s values of %zu bytes: %llu "
        "are left over at byte %llu; give the type of its numbers with --type",
        r->source.name, (unsigned long long)bytes, name, r->width,
        (unsigned long long)(bytes % r->width), (unsigned long long)(bytes - bytes % r->width));
}

bool cli_raw_begin(cli_reader *r)
{
    cli_source *s = &r->source;
    if (!r->width)
        r->width = (size_t)accord_format_get(r->format)->bytes;
    r->at = s->offset + s->head;
    r->mapped =
        s->regular && !s->memory && r->counted && !r->swapped && (s->start + r->at) % r->width == 0;
    /* to the front, where they are aligned */
    return s->head == 0 || cli_source_more(s, &r->error) != CLI_MORE_FAILED;
}

static bool open_raw(cli_reader *r)
{
    format_of(r, &r->format);
    size_t width = r->width = (size_t)accord_format_get(r->format)->bytes;
    r->swapped = r->options->big_endian != CLI_BIG_ENDIAN_MACHINE;
    r->counted = r->source.regular;
    r->left = r->counted ? r->source.size / width : 0;
    if (r->counted && r->source.size % width)
        return odd_size(r, r->source.size);
    return cli_raw_begin(r);
}

/* ---- reading ---- */

static bool cut_short(cli_reader *r)
{
    if (r->source.regular)
        accordi_fail(&r->error, ACCORD_IO,
                     "%s became shorter while it was read; do not change it during the run",
                     r->source.name);
    else
        accordi_fail(&r->error, ACCORD_PARSE,
                     "%s ends %llu numbers before its header says; save it again", r->source.name,
                     (unsigned long long)r->left);
    return false;
}

/* Of a pipe whose header has told how many numbers come. */
static bool goes_on(cli_reader *r)
{
    cli_source *s = &r->source;
    bool behind = r->fortran && r->column; /* other columns follow */
    if (!s->regular && !behind && cli_source_need(s, 1, &r->error) == CLI_MORE)
        accordi_fail(&r->error, ACCORD_PARSE,
                     "%s continues after the numbers that its header announces; save it again",
                     r->source.name);
    return false;
}

static bool next_mapped(cli_reader *r, cli_block *block)
{
    size_t length;
    const char *data = cli_source_map(&r->source, r->at, r->left * r->width, &length);
    if (!data)
        return false;
    *block = (cli_block){r->format, data, length / r->width};
    r->at += block->count * r->width;
    r->left -= block->count;
    return block->count > 0;
}

/* From maps to reads: some file systems know no maps. */
static bool unmapped(cli_reader *r)
{
    cli_source whole = r->source;
    cli_source_at(&whole, r->at, &r->source);
    r->source.borrowed = whole.borrowed;
    whole.borrowed = true;
    cli_source_close(&whole);
    r->mapped = false;
    return cli_source_need(&r->source, 1, &r->error) != CLI_MORE_FAILED;
}

static void swap(char *data, size_t count, size_t width)
{
    if (width == 8)
        for (size_t i = 0; i < count; i++) {
            uint64_t word;
            memcpy(&word, data + 8 * i, 8);
            word = __builtin_bswap64(word);
            memcpy(data + 8 * i, &word, 8);
        }
    else if (width == 4)
        for (size_t i = 0; i < count; i++) {
            uint32_t word;
            memcpy(&word, data + 4 * i, 4);
            word = __builtin_bswap32(word);
            memcpy(data + 4 * i, &word, 4);
        }
    else
        for (size_t i = 0; i < count; i++) {
            char c = data[2 * i];
            data[2 * i] = data[2 * i + 1];
            data[2 * i + 1] = c;
        }
}

static bool at_end(cli_reader *r)
{
    const cli_source *s = &r->source;
    if (r->error.status != ACCORD_OK)
        return false;
    if (r->counted && r->left)
        return cut_short(r);
    return s->length == s->head ? false : odd_size(r, s->offset + s->length);
}

bool cli_raw_next(cli_reader *r, cli_block *block)
{
    cli_source *s = &r->source;
    if (r->counted && r->left == 0)
        return goes_on(r);
    if (r->mapped && next_mapped(r, block))
        return true;
    if (r->mapped && !unmapped(r))
        return false;
    if (s->length - s->head < r->width && cli_source_need(s, r->width, &r->error) != CLI_MORE)
        return at_end(r);
    uint64_t count = (s->length - s->head) / r->width;
    count = r->counted && r->left < count ? r->left : count;
    if (r->swapped)
        swap(s->data + s->head, (size_t)count, r->width);
    *block = (cli_block){r->format, s->data + s->head, (size_t)count};
    s->head += (size_t)count * r->width;
    r->left -= r->counted ? count : 0;
    return true;
}

bool cli_raw_part(const cli_reader *whole, size_t i, size_t parts, cli_reader *part)
{
    if (!whole->counted)
        return false;
    uint64_t each = whole->left / parts, more = whole->left % parts;
    uint64_t first = i * each + (i < more ? i : more);
    part->left = each + (i < more);
    part->at = whole->source.offset + whole->source.head + first * whole->width;
    if (whole->mapped)
        part->at = whole->at + first * whole->width;
    cli_source_at(&whole->source, part->at, &part->source);
    return true;
}

const cli_form cli_form_raw = {
    .name = "raw", .is = is_raw, .open = open_raw, .next = cli_raw_next, .part = cli_raw_part};
