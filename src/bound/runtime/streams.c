/* Files in memory that are written by one process and read by another, one after the other. */
#include "bound/runtime/first_order.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

void accordi_stream_flush(accordi_stream *s)
{
    for (size_t done = 0; done < s->used && !s->failed;) {
        ssize_t n = write(s->file, s->buffer + done, s->used - done);
        if (n < 0 && errno == EINTR)
            continue;
        s->failed = n <= 0;
        done += n > 0 ? (size_t)n : 0;
    }
    s->used = 0;
}

void accordi_stream_put(accordi_stream *s, const void *from, size_t bytes)
{
    if (s->used + bytes > sizeof s->buffer)
        accordi_stream_flush(s);
    memcpy(s->buffer + s->used, from, bytes);
    s->used += bytes;
}

static bool fill(accordi_stream *s)
{
    size_t kept = s->used - s->at;
    memmove(s->buffer, s->buffer + s->at, kept);
    ssize_t n;
    do
        n = read(s->file, s->buffer + kept, sizeof s->buffer - kept);
    while (n < 0 && errno == EINTR);
    s->at = 0;
    s->used = kept + (n > 0 ? (size_t)n : 0);
    return n > 0;
}

bool accordi_stream_get(accordi_stream *s, void *to, size_t bytes)
{
    while (s->used - s->at < bytes)
        if (!fill(s))
            return false;
    memcpy(to, s->buffer + s->at, bytes);
    s->at += bytes;
    return true;
}

void accordi_stream_rewind(accordi_stream *s)
{
    accordi_stream_flush(s);
    s->at = 0;
    s->failed |= lseek(s->file, 0, SEEK_SET) != 0;
}

void accordi_stream_turn(accordi_segment_files *f)
{
    accordi_stream *read = f->out;
    accordi_stream_rewind(read);
    f->out = f->in;
    f->in = read;
    f->out->used = f->out->at = 0;
    f->out->failed |= ftruncate(f->out->file, 0) != 0 || lseek(f->out->file, 0, SEEK_SET) != 0;
}
