/* Text on its way to a sink, in pieces of some ten kilobytes. Internal. */
#ifndef ACCORDI_STREAM_H
#define ACCORDI_STREAM_H

#include "base/base.h"
#include <accord/tree.h>

typedef struct accordi_stream {
    accord_sink *sink;
    void *context;
    char *piece;
    size_t length;
    bool refused; /* by the sink: what follows is dropped */
} accordi_stream;

/* Puts the text into the stream at `context`; false once that was refused. An accord_sink. */
bool accordi_stream_write(void *context, const char *text, size_t length);
/* False when there is no memory. After true, accordi_stream_close has to be called. */
bool accordi_stream_open(accordi_stream *stream, accord_sink *sink, void *context);
/* Hands over the rest. ACCORD_IO if the sink refused at any time. */
enum accord_status accordi_stream_close(accordi_stream *stream, accord_error *error);

void accordi_stream_put(accordi_stream *stream, const char *text, size_t length);
void accordi_stream_puts(accordi_stream *stream, const char *text);
void accordi_stream_char(accordi_stream *stream, char c);
void accordi_stream_repeat(accordi_stream *stream, const char *text, size_t times);
void accordi_stream_number(accordi_stream *stream, uint64_t value);
/* As printf does with %s, %c, %d, %u, %zu, %% and nothing else but %f, which has at most two
 * decimals here and a point whatever the locale says. */
void accordi_stream_printf(accordi_stream *stream, const char *format, ...) ACCORDI_PRINTF(2, 3);
/* All 17 digits, and a point whatever the locale says. */
void accordi_stream_real(accordi_stream *stream, double value);
/* Text of a document in XML: <, > and & as their entities. */
void accordi_stream_escape(accordi_stream *stream, const char *text);

#endif
