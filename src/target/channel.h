/* The shared memory between accord and its worker process, and the two doorbells in it.
 *
 * Three memory files: the control block below; the plan (a batch and its answers, written anew by
 * each batch); the arena (dense rows, which stay where the caller put them). The side that waits
 * spins a little, then sleeps on the doorbell, a futex. Internal. */
#ifndef ACCORDI_CHANNEL_H
#define ACCORDI_CHANNEL_H

#include "target/foreign.h"
#include <stdatomic.h>

#define ACCORDI_CHANNEL_MAGIC 0x31434341u /* changes with the layout of the block */

enum { ACCORDI_FD_CONTROL = 3, ACCORDI_FD_PLAN, ACCORDI_FD_ARENA };
enum { ACCORDI_VERB_OPEN = 1, ACCORDI_VERB_RUN };

/* A number that only grows; whoever waits for the next one may be asleep. */
typedef struct accordi_bell {
    _Alignas(64) _Atomic uint32_t count;
    _Atomic uint32_t sleeps;
} accordi_bell;

typedef struct accordi_control {
    uint32_t magic, size; /* size of this struct: both sides must be of one build */
    accordi_bell request, reply;
    _Alignas(64) _Atomic uint32_t done; /* answers so far in this batch */

    _Alignas(64) uint32_t verb;
    bool is_dense, in_arena;
    uint64_t probes, writes, row; /* row: bytes of a dense one */
    uint64_t offset;              /* of the dense rows in the arena */
    uint64_t plan_bytes, arena_bytes;
    double fill;

    enum accord_status status;
    accord_error error;
    double seconds;
    accordi_question question;
    accordi_facts facts;
} accordi_control;

/* Where the parts of a batch lie in the plan; all from the counts in the control block. */
typedef struct accordi_plan {
    size_t start, index, value, dense, result, bytes;
} accordi_plan;
accordi_plan accordi_plan_layout(size_t probes, size_t writes, size_t dense_bytes);

void accordi_bell_ring(accordi_bell *bell);
/* Waits up to `seconds` (awake for the first few tens of microseconds) until the count is no
 * longer `seen`; false when it still is. */
bool accordi_bell_wait(accordi_bell *bell, uint32_t seen, double spin, double seconds);
/* How long to stay awake: nothing on a machine with one processor. */
double accordi_bell_spin(void);

#endif
