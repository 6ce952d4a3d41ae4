/* Requests, which are questions about disjoint sets of terms, and their packing into probes.
 *
 * A request is one question about a set of terms that is a complete clade of the tree (all terms
 * of a domain). Requests of different domains touch disjoint clades, so they can share a probe:
 * their masks cancel inside their own clades, and their units are added in disjoint bit fields.
 * Requests of one domain never share a probe. */
#ifndef ACCORDI_PACK_H
#define ACCORDI_PACK_H

#include "reveal/probes/ask.h"

enum accordi_request_kind {
    ACCORDI_COUNT, /* +M at a, -M at b, a unit on every other term of set: how many survive? */
    ACCORDI_READ,  /* +M at a, -M at b (or masks that only cancel together on all of `set`), a
                      bit on every one of items: which survive? */
    ACCORDI_TEST,  /* masks on all of items that only cancel together, a unit at a: survives? */
    ACCORDI_RAW    /* +M at a, -M at b (if b is a term), `amount` on items but a and b: raw */
};

typedef struct accordi_request {
    enum accordi_request_kind kind;
    uint32_t domain;
    uint32_t a, b;
    const uint32_t *items; /* COUNT: the set */
    uint32_t count;
    const uint32_t *set; /* READ: NULL, or the terms that carry masks */
    uint32_t set_count;
    double amount; /* RAW: on items and on `extra` (if it is a term) */
    double mask;   /* RAW: the mask at a */
    uint32_t extra;
    uint32_t *answer; /* COUNT: leaves under LCA(a, b), an estimate if the set is too large;
                         TEST: 0 or 1; READ: one per term of the target: 0 inside, 1 outside */
    double *raw;      /* RAW */
    uint32_t done;    /* READ: items already placed */
} accordi_request;

typedef struct accordi_requests {
    accordi_request *item;
    size_t count, capacity;
} accordi_requests;

accordi_request *accordi_requests_add(accordi_asker *asker, accordi_requests *requests);
void accordi_requests_clear(accordi_requests *requests);

/* Are COUNTs of a set of that many terms exact? */
bool accordi_count_is_exact(const accordi_asker *asker, uint32_t terms);

/* Asks them all, in as few probes as first fit finds, and fills the answers. Requests of one
 * domain must be neighbors in the list. */
enum accord_status accordi_requests_ask(accordi_asker *asker, accordi_requests *requests);

#endif
