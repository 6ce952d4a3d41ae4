/* The numbers that a run wrote, from the file of capture.c.
 *
 * fwrite does not say what it writes. Elements whose size is a multiple of 8 bytes are taken for
 * doubles, others whose size is a multiple of 4 for floats; whether two runs agree does not depend
 * on it. */
#include "cli/programs/programs.h"
#include <errno.h>
#include <math.h>

enum { PARTS = 3 }; /* of a long double */

static void add(cli_written_numbers *out, enum cli_number_kind kind, double value, uint64_t bits)
{
    cli_grow((void **)&out->list, &out->room, out->count + 1, sizeof *out->list);
    out->list[out->count++] = (cli_written_number){value, isnan(value) ? UINT64_MAX : bits, kind};
}

static void add_double(cli_written_numbers *out, const char *at)
{
    double x;
    uint64_t bits;
    memcpy(&x, at, sizeof x);
    memcpy(&bits, at, sizeof bits);
    add(out, CLI_F64, x, bits);
}

static void add_float(cli_written_numbers *out, const char *at)
{
    float x;
    uint32_t bits;
    memcpy(&x, at, sizeof x);
    memcpy(&bits, at, sizeof bits);
    add(out, CLI_F32, (double)x, bits);
}

/* Three doubles do not fit into 64 bits; two that differ have the same bits by an accident of one
 * in 2^64. */
static void add_long(cli_written_numbers *out, const char *at)
{
    double part[PARTS];
    uint64_t bits = 0, word;
    memcpy(part, at, sizeof part);
    for (int i = 0; i < PARTS; i++) {
        memcpy(&word, &part[i], sizeof word);
        bits = (bits ^ word) * 0x9e3779b97f4a7c15u;
        bits ^= bits >> 29;
    }
    add(out, CLI_LONG_DOUBLE, part[0], bits);
}

/* What an element of fwrite holds; returns where the record ends. */
static const char *read_block(const char *from, const char *end, cli_written_numbers *out)
{
    uint64_t head[2];
    if ((size_t)(end - from) < sizeof head)
        return end;
    memcpy(head, from, sizeof head);
    from += sizeof head;
    size_t left = (size_t)(end - from), bytes = left < head[1] ? left : (size_t)head[1];
    size_t unit = head[0] % 8 == 0 ? 8 : 4;
    for (size_t i = 0; i + unit <= bytes; i += unit)
        (unit == 8 ? add_double : add_float)(out, from + i);
    return from + bytes;
}

/* The numbers of one record; returns where it ends. One that a crash cut off ends the list. */
static const char *read_record(const char *at, const char *end, cli_written_numbers *out)
{
    static const struct {
        char tag;
        size_t bytes;
        void (*add)(cli_written_numbers *out, const char *at);
    } kinds[] = {{CLI_F64, sizeof(double), add_double},
                 {CLI_LONG_DOUBLE, PARTS * sizeof(double), add_long}};
    for (size_t i = 0; i < 2; i++)
        if (*at == kinds[i].tag && (size_t)(end - at) > kinds[i].bytes) {
            kinds[i].add(out, at + 1);
            return at + 1 + kinds[i].bytes;
        }
    return *at == 'w' ? read_block(at + 1, end, out) : end;
}

static enum accord_status read_all(const char *path, accordi_buffer *text, accord_error *error)
{
    FILE *file = fopen(path, "re");
    if (!file && errno == ENOENT)
        return ACCORD_OK;
    if (!file)
        return accordi_fail(error, ACCORD_IO, "cannot read %s: %s", path, strerror(errno));
    char block[65536];
    size_t got;
    while ((got = fread(block, 1, sizeof block, file)) > 0)
        accordi_buffer_append(text, block, got);
    fclose(file);
    return text->failed ? accordi_nomem(error) : ACCORD_OK;
}

enum accord_status cli_written_read(const char *path, cli_written_numbers *out, accord_error *error)
{
    accordi_buffer text = {0};
    *out = (cli_written_numbers){0};
    enum accord_status status = read_all(path, &text, error);
    const char *at = text.data, *end = at ? at + text.length : at;
    while (status == ACCORD_OK && at < end)
        at = read_record(at, end, out);
    accordi_buffer_clear(&text);
    return status;
}

void cli_written_clear(cli_written_numbers *numbers)
{
    free(numbers->list);
    *numbers = (cli_written_numbers){0};
}
