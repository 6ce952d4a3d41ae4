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

/* ---- records ---- */

/* The record of a call of fwrite; returns where it ends. */
static const char *read_block(const char *from, const char *end, cli_event *e)
{
    uint64_t head[2];
    if ((size_t)(end - from) < sizeof head)
        return NULL;
    memcpy(head, from, sizeof head);
    from += sizeof head;
    size_t left = (size_t)(end - from);
    *e = (cli_event){CLI_BLOCK, from, left < head[1] ? left : (size_t)head[1], (size_t)head[0]};
    return from + e->bytes;
}

/* One record; returns where it ends, or NULL if a crash cut it off. */
static const char *read_record(const char *at, const char *end, cli_event *e)
{
    static const struct {
        enum cli_number_kind kind;
        size_t bytes;
    } kinds[] = {{CLI_F64, sizeof(double)}, {CLI_LONG_DOUBLE, PARTS * sizeof(double)}};
    for (size_t i = 0; i < 2; i++)
        if (*at == (char)kinds[i].kind && (size_t)(end - at) > kinds[i].bytes) {
            *e = (cli_event){kinds[i].kind, at + 1, kinds[i].bytes, kinds[i].bytes};
            return at + 1 + kinds[i].bytes;
        }
    return *at == CLI_BLOCK ? read_block(at + 1, end, e) : NULL;
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

enum accord_status cli_events_read(const char *path, cli_events *out, accord_error *error)
{
    *out = (cli_events){0};
    enum accord_status status = read_all(path, &out->text, error);
    const char *at = out->text.data, *end = at ? at + out->text.length : at;
    cli_event e;
    while (status == ACCORD_OK && at < end && (at = read_record(at, end, &e))) {
        cli_grow((void **)&out->list, &out->room, out->count + 1, sizeof *out->list);
        out->list[out->count++] = e;
    }
    return status;
}

void cli_events_clear(cli_events *events)
{
    free(events->list);
    accordi_buffer_clear(&events->text);
    *events = (cli_events){0};
}

bool cli_events_alike(const cli_events *a, const cli_events *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->list[i].kind != b->list[i].kind || a->list[i].bytes != b->list[i].bytes ||
            a->list[i].element != b->list[i].element)
            return false;
    return true;
}

static long double sum_of_parts(const char *at)
{
    double part[PARTS];
    memcpy(part, at, sizeof part);
    return (long double)part[0] + ((long double)part[1] + part[2]);
}

bool cli_event_number(const cli_events *events, size_t number, size_t offset, bool single,
                      long double *x)
{
    const cli_event *e = number < events->count ? &events->list[number] : NULL;
    float narrow;
    double wide;
    if (!e || (e->kind != CLI_BLOCK && offset > 0))
        return false;
    if (e->kind == CLI_LONG_DOUBLE) {
        *x = sum_of_parts(e->data);
        return true;
    }
    single = single && e->kind == CLI_BLOCK; /* the arguments of printf are doubles */
    size_t bytes = single ? sizeof narrow : sizeof wide;
    if (e->bytes < bytes || offset > e->bytes - bytes)
        return false;
    memcpy(single ? (void *)&narrow : (void *)&wide, e->data + offset, bytes);
    *x = single ? (long double)narrow : (long double)wide;
    return true;
}

/* ---- numbers ---- */

static void add_event(cli_written_numbers *out, const cli_event *e)
{
    size_t unit = e->element % 8 == 0 ? 8 : 4;
    if (e->kind == CLI_LONG_DOUBLE)
        add_long(out, e->data);
    for (size_t i = 0; e->kind != CLI_LONG_DOUBLE && i + unit <= e->bytes; i += unit)
        (unit == 8 ? add_double : add_float)(out, e->data + i);
}

enum accord_status cli_written_read(const char *path, cli_written_numbers *out, accord_error *error)
{
    cli_events events;
    *out = (cli_written_numbers){0};
    enum accord_status status = cli_events_read(path, &events, error);
    for (size_t i = 0; status == ACCORD_OK && i < events.count; i++)
        add_event(out, &events.list[i]);
    cli_events_clear(&events);
    return status;
}

void cli_written_clear(cli_written_numbers *numbers)
{
    free(numbers->list);
    *numbers = (cli_written_numbers){0};
}
