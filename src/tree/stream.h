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

/* False when there is no memory. After true, accordi_stream_close has to be called. */
bool accordi_stream_open(accordi_stream *stream, accord_sink *sink, void *context);
/* Hands over the rest. ACCORD_IO if the sink refused at any time. */
enum accord_status accordi_stream_close(accordi_stream *stream, accord_error *error);

void accordi_stream_put(accordi_stream *stream, const char *text, size_t length);
void accordi_stream_puts(accordi_stream *stream, const char *text);
void accordi_stream_char(accordi_stream *stream, char c);
void accordi_stream_repeat(accordi_stream *stream, const char *text, size_t times);
void accordi_stream_number(accordi_stream *stream, uint64_t value);
/* value / 100 with at most two decimals, a point whatever the locale says. */
void accordi_stream_hundredths(accordi_stream *stream, int64_t value);
/* An attribute of XML, ` name="value"`, with at most two decimals. */
void accordi_stream_attribute(accordi_stream *stream, const char *name, double value);

#endif
