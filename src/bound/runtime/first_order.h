/* The interface between the sweeps of segments and the code that goes from one segment to the next.
 * Internal. */
#ifndef ACCORDI_FIRST_ORDER_H
#define ACCORDI_FIRST_ORDER_H

#include "bound/runtime/tape.h"

/* A file in memory that several processes share, written and then read in order. */
typedef struct accordi_stream {
    int file;
    bool failed;
    size_t used, at; /* of the buffer */
    char buffer[1 << 16];
} accordi_stream;
void accordi_stream_put(accordi_stream *s, const void *from, size_t bytes);
void accordi_stream_flush(accordi_stream *s);
/* False: that was all. */
bool accordi_stream_get(accordi_stream *s, void *to, size_t bytes);
/* What was written is read from its beginning. */
void accordi_stream_rewind(accordi_stream *s);

/* An adjoint on its way to an earlier segment, and a part of a spread; both by batches of outputs.
 */
typedef struct accordi_carried {
    uint64_t node, batch;
    double adjoint[ACCORDI_LANES];
} accordi_carried;
typedef struct accordi_share {
    uint64_t batch, site;
    double part[ACCORDI_LANES];
} accordi_share;

typedef struct accordi_segment_files {
    accordi_stream *in, *out, *shares;
    double *total; /* by batch and lane */
} accordi_segment_files;
/* What was written to `out` becomes `in`. */
void accordi_stream_turn(accordi_segment_files *f);

/* ---- first_order.c ---- */

/* Sweeps the segment on the tape for batches of outputs, until `work` nodes were visited; how many
 * batches were done. */
uint64_t accordi_segment_sweep(const accordi_segment_files *f, uint64_t batches, uint64_t work);

/* ---- segments.c ---- */

/* The run begins; a tape holds this many nodes. */
void accordi_segment_start(uint64_t nodes);
/* The tape is full: a new segment begins. */
void accordi_segment_cut(void);
/* The program ends; in a process that repeats a segment this does not return. */
void accordi_segment_ended(void);
uint64_t accordi_segments(void);
bool accordi_segment_files_new(accordi_segment_files *f, uint64_t outputs);
/* Sweeps all segments before the last one; the reason if that failed. */
const char *accordi_segments_before(accordi_segment_files *f, uint64_t batches);

#endif
