/* Writes batches as the bytes of the protocol of programs (doc/command-protocol.md), and reads
 * their answers.
 *
 * A batch is asked in steps, so that a slow program answers now and then and a quick one need not
 * wait. To make it easy for the program, a binary step has one list of writes for each probe, and
 * all writes stay: the list also undoes the writes of the probe before. Dense rows are not copied,
 * but sent from where they lie. */
#include "targets/program/command.h"
#include <math.h>

enum { shortest = 1, longest = 1 << 16, most_values = 1 << 16, most_bytes = 1 << 20 };

bool accordi_speech_init(accordi_speech *s, size_t n, bool text, bool f32, size_t results)
{
    double *standing = accordi_alloc(n, sizeof *standing);
    *s = (accordi_speech){.n = n,
                          .text = text,
                          .f32 = f32,
                          .results = results,
                          .standing = standing,
                          .step = shortest};
    return standing != NULL;
}

void accordi_speech_clear(accordi_speech *s)
{
    free(s->standing);
    accordi_buffer_clear(&s->out);
    s->standing = NULL;
}

void accordi_speech_begin(accordi_speech *s, const accord_batch *batch)
{
    if (!batch->dense)
        for (size_t k = 0; k < s->n; k++)
            s->standing[k] = batch->fill;
}

void accordi_speech_pace(accordi_speech *s, double seconds)
{
    if (seconds < 0.025 && s->step < longest)
        s->step *= 4;
    else if (seconds > 0.2 && s->step > shortest)
        s->step /= 2;
}

/* ---- little endian, whatever the machine ---- */

static void put_little_endian(char **at, uint64_t bits, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        *(*at)++ = (char)(bits >> (8 * i));
}

static void put_double(char **at, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_little_endian(at, bits, sizeof bits);
}

enum { head_bytes = 24, form_writes = 0, form_rows = 1, form_grid = 2 };

static void put_batch_head(char **at, size_t probes, size_t writes, int form, double fill)
{
    memcpy(*at, "accq", 4);
    *at += 4;
    put_little_endian(at, probes, 4);
    put_little_endian(at, writes, 4);
    put_little_endian(at, (uint64_t)form, 4);
    put_double(at, fill);
}

/* ---- binary ---- */

/* Three lists under construction; the values come first so that they lie aligned. */
typedef struct lists {
    char *value, *index, *start;
    uint32_t count;
} lists;

static void list_write(lists *l, uint32_t index, double value)
{
    put_double(&l->value, value);
    put_little_endian(&l->index, index, 4);
    l->count++;
}

/* A step begins at the fill, so what stays from earlier steps is written anew. */
static void list_standing(const accordi_speech *s, const accord_batch *batch, size_t first,
                          lists *l)
{
    for (size_t p = 0; p < first; p++)
        for (uint32_t w = batch->start[2 * p]; w < batch->start[2 * p + 1]; w++)
            list_write(l, batch->index[w], s->standing[batch->index[w]]);
}

static void list_probe(accordi_speech *s, const accord_batch *batch, size_t p, bool undo, lists *l)
{
    const uint32_t *start = batch->start + 2 * p, *index = batch->index;
    if (undo)
        for (uint32_t w = start[-1]; w < start[0]; w++)
            list_write(l, index[w], s->standing[index[w]]);
    for (uint32_t w = start[0]; w < start[1]; w++) {
        s->standing[index[w]] = batch->value[w];
        list_write(l, index[w], batch->value[w]);
    }
    for (uint32_t w = start[1]; w < start[2]; w++)
        list_write(l, index[w], batch->value[w]);
}

static size_t count_writes(const accord_batch *batch, size_t first, size_t count)
{
    size_t writes = 0;
    for (size_t p = 0; p < first; p++)
        writes += batch->start[2 * p + 1] - batch->start[2 * p];
    for (size_t p = first; p < first + count; p++) {
        writes += batch->start[2 * p + 2] - batch->start[2 * p];
        if (p > first)
            writes += batch->start[2 * p] - batch->start[2 * p - 1];
    }
    return writes;
}

static bool say_writes(accordi_speech *s, const accord_batch *batch, size_t first, size_t count)
{
    size_t writes = count_writes(batch, first, count);
    size_t length = head_bytes + 12 * writes + 4 * (count + 1);
    char *at = accordi_buffer_reserve(&s->out, length);
    if (!at || writes > UINT32_MAX)
        return false;
    put_batch_head(&at, count, writes, form_writes, batch->fill);
    lists l = {.value = at, .index = at + 8 * writes, .start = at + 12 * writes};
    put_little_endian(&l.start, 0, 4);
    list_standing(s, batch, first, &l);
    for (size_t p = first; p < first + count; p++) {
        list_probe(s, batch, p, p > first, &l);
        put_little_endian(&l.start, l.count, 4);
    }
    s->out.length += length;
    return true;
}

/* Where the machine is not little endian, rows need another copy after all. */
static bool turn_rows(accordi_speech *s)
{
    size_t size = s->f32 ? 4 : 8, length = s->words[1].iov_len;
    const char *from = s->words[1].iov_base;
    char *at = accordi_buffer_reserve(&s->out, length);
    if (!at)
        return false;
    for (size_t i = 0; i < length; i++)
        at[i] = from[i - i % size + size - 1 - i % size];
    s->out.length += length;
    s->words[1].iov_len = 0;
    return true;
}

/* `sums` of them, or of a grid one sum with terms of its own in each row. */
static bool say_rows(accordi_speech *s, const void *terms, size_t rows, size_t sums, int form)
{
    const uint16_t one = 1;
    char *at = accordi_buffer_reserve(&s->out, head_bytes);
    if (!at)
        return false;
    put_batch_head(&at, sums, 0, form, 0);
    s->out.length = head_bytes;
    s->words[1] = (struct iovec){.iov_base = (char *)(uintptr_t)terms,
                                 .iov_len = rows * s->n * (s->f32 ? 4 : 8)};
    return *(const unsigned char *)&one == 1 || turn_rows(s);
}

/* ---- text ---- */

static void say_number(accordi_speech *s, double value, char after)
{
    if (value == 0 || value == 1)
        accordi_buffer_printf(&s->out, "%s%c",
                              value == 1       ? "1"
                              : signbit(value) ? "-0"
                                               : "0",
                              after);
    else
        accordi_buffer_printf(&s->out, "%.17g%c", value, after);
}

static void say_line(accordi_speech *s, const accord_batch *batch, size_t p)
{
    for (size_t k = 0; k < s->n; k++)
        say_number(s,
                   batch->dense ? accordi_get_number(batch->dense, s->f32, p * s->n + k)
                                : s->standing[k],
                   k + 1 < s->n ? ' ' : '\n');
}

/* The writes of the probe alone are swapped with what stood there, and back in reverse. */
static bool sparse_line(accordi_speech *s, const accord_batch *batch, size_t p)
{
    const uint32_t *start = batch->start + 2 * p, *index = batch->index;
    for (uint32_t w = start[0]; w < start[1]; w++)
        s->standing[index[w]] = batch->value[w];
    double *saved = accordi_alloc(start[2] - start[1], sizeof *saved);
    if (!saved)
        return false;
    for (uint32_t w = start[1]; w < start[2]; w++) {
        saved[w - start[1]] = s->standing[index[w]];
        s->standing[index[w]] = batch->value[w];
    }
    say_line(s, batch, p);
    for (uint32_t w = start[2]; w > start[1]; w--)
        s->standing[index[w - 1]] = saved[w - 1 - start[1]];
    free(saved);
    return true;
}

static bool lines(accordi_speech *s, const accord_batch *batch, size_t first, size_t count)
{
    for (size_t p = first; p < first + count; p++)
        if (batch->dense)
            say_line(s, batch, p);
        else if (!sparse_line(s, batch, p))
            return false;
    return !s->out.failed;
}

/* ---- both ---- */

static size_t fitting(const accordi_speech *s, const accord_batch *batch, size_t first)
{
    size_t count = batch->probes - first < s->step ? batch->probes - first : s->step;
    size_t most = s->text ? most_values / s->n : most_bytes / (s->n * (s->f32 ? 4 : 8));
    size_t fit = most_values / s->results;
    if (s->results > 1)
        count = count < fit ? count : fit ? fit : 1;
    if (s->text || batch->dense)
        count = count < most ? count : most;
    else
        while (count > 1 &&
               batch->start[2 * (first + count)] - batch->start[2 * first] > most_values)
            count /= 2;
    return count ? count : 1;
}

size_t accordi_speech_encode(accordi_speech *s, const accord_batch *batch, size_t first)
{
    size_t count = fitting(s, batch, first);
    size_t row = s->n * (s->f32 ? 4 : 8);
    s->out.length = 0;
    s->words[1].iov_len = 0;
    bool said = s->text ? lines(s, batch, first, count)
                : batch->dense
                    ? say_rows(s, (const char *)batch->dense + first * row, count, count, form_rows)
                    : say_writes(s, batch, first, count);
    s->words[0] = (struct iovec){.iov_base = s->out.data, .iov_len = s->out.length};
    return said ? count : 0;
}

size_t accordi_speech_most(const accordi_speech *s, size_t probes)
{
    size_t fit = most_values / s->results;
    return (probes < fit ? probes : fit ? fit : 1) * s->results;
}

bool accordi_speech_encode_grid(accordi_speech *s, const void *terms, size_t rows)
{
    s->out.length = 0;
    s->words[1].iov_len = 0;
    bool said = say_rows(s, terms, rows, 1, form_grid);
    s->words[0] = (struct iovec){.iov_base = s->out.data, .iov_len = s->out.length};
    return said;
}

/* ---- answers ---- */

static void drop_front(accordi_buffer *in, size_t length)
{
    memmove(in->data, in->data + length, in->length - length);
    in->length -= length;
    in->data[in->length] = '\0';
}

static double get_double(const char *from)
{
    uint64_t bits = 0;
    double value;
    for (size_t i = 0; i < 8; i++)
        bits |= (uint64_t)(unsigned char)from[i] << (8 * i);
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t get_word(const char *from)
{
    uint32_t word = 0;
    for (size_t i = 0; i < 4; i++)
        word |= (uint32_t)(unsigned char)from[i] << (8 * i);
    return word;
}

/* Lengths and values of runs, which have to be all that is wanted, and no more. */
static bool spread_runs(accordi_answers *a, const char *length, size_t runs)
{
    const char *value = length + 4 * runs;
    for (size_t i = 0; i < runs; i++) {
        uint32_t count = get_word(length + 4 * i);
        double all = get_double(value + 8 * i);
        if (count == 0 || count > a->wanted - a->heard)
            return false;
        for (; count > 0; count--)
            a->result[a->heard++] = all;
    }
    return a->heard == a->wanted;
}

/* Nothing may follow the answer. */
static enum accordi_heard take_whole(accordi_answers *a, accordi_buffer *in, size_t length)
{
    if (in->length > length) {
        snprintf(a->wrong, sizeof a->wrong,
                 "wrote more than the answer for %zu numbers: %zu bytes more", a->wanted,
                 in->length - length);
        return ACCORDI_HEARD_GARBAGE;
    }
    drop_front(in, length);
    return ACCORDI_HEARD_ALL;
}

/* "accr": numbers that are equal and follow each other come as one. */
static enum accordi_heard hear_runs(accordi_answers *a, accordi_buffer *in)
{
    enum { head = 12, each = 12 };
    if (in->length < head)
        return ACCORDI_HEARD_MORE;
    size_t runs = get_word(in->data + 8), length = head + each * runs;
    if (runs > a->wanted) {
        snprintf(a->wrong, sizeof a->wrong, "answered with %zu runs of the %zu numbers asked for",
                 runs, a->wanted);
        return ACCORDI_HEARD_GARBAGE;
    }
    if (in->length < length)
        return ACCORDI_HEARD_MORE;
    a->heard = 0;
    if (!spread_runs(a, in->data + head, runs)) {
        snprintf(a->wrong, sizeof a->wrong,
                 "answered with runs that are not the %zu numbers asked for", a->wanted);
        return ACCORDI_HEARD_GARBAGE;
    }
    return take_whole(a, in, length);
}

/* "acce": why there is no answer, a length and so many bytes of text. */
static enum accordi_heard hear_failure(accordi_answers *a, const accordi_buffer *in)
{
    enum { head = 8 };
    if (in->length < head)
        return ACCORDI_HEARD_MORE;
    size_t length = get_word(in->data + 4);
    if (length == 0 || length >= sizeof a->why) {
        snprintf(a->wrong, sizeof a->wrong,
                 "gave a reason of %zu bytes for not answering; it has 1 to %zu", length,
                 sizeof a->why - 1);
        return ACCORDI_HEARD_GARBAGE;
    }
    if (in->length < head + length)
        return ACCORDI_HEARD_MORE;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)in->data[head + i];
        a->why[i] = (char)(c < ' ' || c == 127 ? ' ' : c);
    }
    a->why[length] = '\0';
    return ACCORDI_HEARD_FAILURE;
}

static enum accordi_heard hear_bytes(accordi_answers *a, accordi_buffer *in)
{
    bool runs = in->length >= 4 && memcmp(in->data, "accr", 4) == 0;
    if (in->length >= 4 && memcmp(in->data, "acce", 4) == 0)
        return hear_failure(a, in);
    char head[8], *at = head;
    memcpy(at, runs ? "accr" : "acca", 4);
    at += 4;
    put_little_endian(&at, a->sums, 4);
    size_t seen = in->length < sizeof head ? in->length : sizeof head;
    if (memcmp(in->data, head, seen < 4 ? seen : 4) != 0)
        return ACCORDI_HEARD_GARBAGE;
    if (seen == sizeof head && memcmp(in->data, head, seen) != 0) {
        snprintf(a->wrong, sizeof a->wrong, "answered for %u sums and was asked for %zu",
                 get_word(in->data + 4), a->sums);
        return ACCORDI_HEARD_GARBAGE;
    }
    if (runs)
        return hear_runs(a, in);
    size_t length = sizeof head + 8 * a->wanted;
    if (in->length < length)
        return ACCORDI_HEARD_MORE;
    for (size_t i = 0; i < a->wanted; i++)
        a->result[i] = get_double(in->data + sizeof head + 8 * i);
    a->heard = a->wanted;
    return take_whole(a, in, length);
}

/* A number with no more digits than tell all numbers of a format apart is one of that format, as
 * from `%.9g` of a float: it is rounded, as whoever reads it as a float does. */
static double as_written(enum accord_format format, double value)
{
    char text[320];
    int digits = 2 + accord_format_get(format)->precision * 30103 / 100000;
    double rounded = accord_format_round(format, ACCORD_NEAREST_EVEN, value);
    if (rounded == value || !isfinite(rounded))
        return value;
    snprintf(text, sizeof text, "%.*g", digits, value);
    return strtod(text, NULL) == value ? rounded : value;
}

static enum accordi_heard hear_lines(accordi_answers *a, accordi_buffer *in)
{
    size_t from = 0;
    enum accordi_heard heard = ACCORDI_HEARD_MORE;
    const char *end;
    while (a->heard < a->wanted &&
           (end = memchr(in->data + from, '\n', in->length - from)) != NULL) {
        char *stop;
        double value = strtod(in->data + from, &stop);
        bool empty = stop == in->data + from;
        stop += strspn(stop, " \t\r");
        if (empty || stop != end) {
            heard = ACCORDI_HEARD_GARBAGE;
            break;
        }
        a->result[a->heard++] = as_written(a->output, value);
        from = (size_t)(end - in->data) + 1;
    }
    drop_front(in, from);
    if (heard == ACCORDI_HEARD_GARBAGE)
        return heard;
    if (a->heard < a->wanted)
        return in->length > 4096 ? ACCORDI_HEARD_GARBAGE : ACCORDI_HEARD_MORE;
    return in->length ? ACCORDI_HEARD_GARBAGE : ACCORDI_HEARD_ALL;
}

enum accordi_heard accordi_hear_answers(void *context, accordi_buffer *in)
{
    accordi_answers *a = context;
    return a->text ? hear_lines(a, in) : hear_bytes(a, in);
}
