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

bool accordi_stream_write(void *context, const char *text, size_t length)
{
    accordi_stream *stream = context;
    accordi_stream_put(stream, text, length);
    return !stream->refused;
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

static void put_sign(accordi_stream *stream, bool negative)
{
    if (negative)
        accordi_stream_char(stream, '-');
}

static void put_hundredths(accordi_stream *stream, int64_t value)
{
    uint64_t size = (uint64_t)(value < 0 ? -value : value), rest = size % 100;
    put_sign(stream, value < 0);
    accordi_stream_number(stream, size / 100);
    if (rest == 0)
        return;
    accordi_stream_char(stream, '.');
    accordi_stream_char(stream, (char)('0' + rest / 10));
    if (rest % 10 != 0)
        accordi_stream_char(stream, (char)('0' + rest % 10));
}

static void put_int(accordi_stream *stream, int64_t value)
{
    put_sign(stream, value < 0);
    accordi_stream_number(stream, (uint64_t)(value < 0 ? -value : value));
}

void accordi_stream_printf(accordi_stream *stream, const char *format, ...)
{
    va_list given;
    va_start(given, format);
    for (const char *at; (at = strchr(format, '%')); format = at + 1) {
        accordi_stream_put(stream, format, (size_t)(at - format));
        switch (*++at) {
        case 's':
            accordi_stream_puts(stream, va_arg(given, const char *));
            break;
        case 'c':
            accordi_stream_char(stream, (char)va_arg(given, int));
            break;
        case 'd':
            put_int(stream, va_arg(given, int));
            break;
        case 'u':
            accordi_stream_number(stream, va_arg(given, unsigned));
            break;
        case 'z': /* and u */
            accordi_stream_number(stream, va_arg(given, size_t));
            at++;
            break;
        case 'f':
            put_hundredths(stream, llround(100 * va_arg(given, double)));
            break;
        default:
            accordi_stream_char(stream, *at);
        }
    }
    accordi_stream_puts(stream, format);
    va_end(given);
}

void accordi_stream_real(accordi_stream *stream, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    for (char *c = text; *c; c++)
        *c = *c == ',' ? '.' : *c;
    accordi_stream_puts(stream, text);
}

void accordi_stream_escape(accordi_stream *stream, const char *text)
{
    for (; *text; text++)
        if (*text == '&')
            accordi_stream_puts(stream, "&amp;");
        else if (*text == '<')
            accordi_stream_puts(stream, "&lt;");
        else if (*text == '>')
            accordi_stream_puts(stream, "&gt;");
        else
            accordi_stream_char(stream, *text);
}
