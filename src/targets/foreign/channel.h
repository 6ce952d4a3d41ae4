/* The shared memory between accord and its worker process, and the two doorbells in it.
 *
 * Three memory files: the control block below; the plan (a batch and its answers, written anew by
 * each batch); the arena (dense rows, which stay where the caller put them). The side that waits
 * spins a little, then sleeps on the doorbell, a futex. Internal. */
#ifndef ACCORDI_CHANNEL_H
#define ACCORDI_CHANNEL_H

#include "targets/foreign/foreign.h"
#include <stdatomic.h>

#define ACCORDI_CHANNEL_MAGIC 0x36434341u /* changes with the layout of the block */

enum { ACCORDI_FD_CONTROL = 3, ACCORDI_FD_PLAN, ACCORDI_FD_ARENA };
enum { ACCORDI_VERB_OPEN = 1, ACCORDI_VERB_RUN, ACCORDI_VERB_GRID, ACCORDI_VERB_EXAMINE };

/* What is asked and answered, wherever it lies. */
enum {
    ACCORDI_AT_INDEX, /* sparse batches */
    ACCORDI_AT_START,
    ACCORDI_AT_VALUE,
    ACCORDI_AT_FIRST,  /* dense rows; a of a grid */
    ACCORDI_AT_SECOND, /* second factors; b of a grid */
    ACCORDI_AT_THIRD,  /* c of a grid */
    ACCORDI_AT_SCALE_FIRST,
    ACCORDI_AT_SCALE_SECOND,
    ACCORDI_AT_RESULT,
    ACCORDI_PLACES
};
typedef struct accordi_place {
    uint64_t offset, bytes; /* no bytes: there is none */
    bool in_arena;          /* else in the plan */
} accordi_place;

/* A counter that only increases. A process that waits for its next value may sleep meanwhile. */
typedef struct accordi_bell {
    _Alignas(64) _Atomic uint32_t count;
    _Atomic uint32_t sleeps;
} accordi_bell;

/* How long one side stays awake when it waits, and what that brought. */
typedef struct accordi_spin {
    double seconds;
    uint32_t missed; /* in vain the last times: 0, 1, 3, 7, ... */
    uint32_t sleeps; /* how often it will still sleep at once */
} accordi_spin;

typedef struct accordi_control {
    uint32_t magic, size; /* size of this struct: both sides must be of one build */
    accordi_bell request, reply;
    _Alignas(64) _Atomic uint32_t done; /* answers so far in this batch */

    _Alignas(64) uint32_t verb;
    uint64_t probes;
    double fill, second;
    accordi_place places[ACCORDI_PLACES];
    uint64_t plan_bytes, arena_bytes;

    enum accord_status status;
    accord_error error;
    double seconds;
    accordi_question question; /* alpha and beta: anew for each run */
    accordi_facts facts;
    accord_outside_access memory;
} accordi_control;

void accordi_bell_ring(accordi_bell *bell);
/* Waits up to `seconds` until the count is no longer `seen`; false if it still is. With `spin`, the
 * caller stays awake for a while first, unless that was in vain the last times; NULL: it sleeps. */
bool accordi_bell_wait(accordi_bell *bell, uint32_t seen, accordi_spin *spin, double seconds);
/* What a side begins with that waits again and again: on one processor it never stays awake. */
void accordi_spin_init(accordi_spin *spin);

#endif
