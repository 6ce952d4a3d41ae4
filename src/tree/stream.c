/* Writes text to a sink in pieces. */
#include "tree/stream.h"
#include <math.h>

#define PIECE ((size_t)65536)

bool accordi_stream_open(accordi_stream *stream, accord_sink *sink, void *context)
{
    char *piece = malloc(PIECE);
    *stream = (accordi_stream){sink, context, piece, 0, false};
    return piece != NULL;
}

static void flush(accordi_stream *stream)
{
    if (stream->length > 0 && !stream->refused)
        stream->refused = !stream->sink(stream->context, stream->piece, stream->length);
    stream->length = 0;
}

enum accord_status accordi_stream_close(accordi_stream *stream, accord_error *error)
{
    flush(stream);
    free(stream->piece);
    stream->piece = NULL;
    if (stream->refused)
        return accordi_fail(
            error, ACCORD_IO,
            "the output could not be written completely; check whether the disk is full");
    return ACCORD_OK;
}

void accordi_stream_put(accordi_stream *stream, const char *text, size_t length)
{
    while (length > 0) {
        if (stream->length == PIECE)
            flush(stream);
        size_t part = PIECE - stream->length < length ? PIECE - stream->length : length;
        memcpy(stream->piece + stream->length, text, part);
        stream->length += part;
        text += part;
        length -= part;
    }
}

void accordi_stream_puts(accordi_stream *stream, const char *text)
{
    accordi_stream_put(stream, text, strlen(text));
}

void accordi_stream_char(accordi_stream *stream, char c)
{
    if (stream->length == PIECE)
        flush(stream);
    stream->piece[stream->length++] = c;
}

void accordi_stream_repeat(accordi_stream *stream, const char *text, size_t times)
{
    while (times-- > 0)
        accordi_stream_puts(stream, text);
}

void accordi_stream_number(accordi_stream *stream, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    accordi_stream_put(stream, digits + at, sizeof digits - at);
}

void accordi_stream_hundredths(accordi_stream *stream, int64_t value)
{
    if (value < 0)
        accordi_stream_char(stream, '-');
    uint64_t size = (uint64_t)(value < 0 ? -value : value), rest = size % 100;
    accordi_stream_number(stream, size / 100);
    if (rest == 0)
        return;
    accordi_stream_char(stream, '.');
    accordi_stream_char(stream, (char)('0' + rest / 10));
    if (rest % 10 != 0)
        accordi_stream_char(stream, (char)('0' + rest % 10));
}

void accordi_stream_attribute(accordi_stream *stream, const char *name, double value)
{
    accordi_stream_char(stream, ' ');
    accordi_stream_puts(stream, name);
    accordi_stream_puts(stream, "=\"");
    accordi_stream_hundredths(stream, llround(value * 100));
    accordi_stream_char(stream, '"');
}
