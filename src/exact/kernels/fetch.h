/* Prefetching: far ahead into the second-level cache, which has room for many requests, and shortly
 * before use into the first level, since processors fetch lines there too late after the end of
 * each page. */
#ifndef ACCORDI_EXACT_FETCH_H
#define ACCORDI_EXACT_FETCH_H

#include <stdint.h>

enum {
    FETCH_FAR = 8192, /* bytes ahead */
    FETCH_NEAR = 1024,
    FETCH_LINE = 64
};

/* The lines ahead of `bytes` at this place, which may lie behind the array. */
static inline __attribute__((always_inline)) void fetch_ahead(const void *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += FETCH_LINE) {
        __builtin_prefetch((const void *)((uintptr_t)at + FETCH_FAR + i), 0, 2);
        /* 0: used once, and not to displace what is used again */
        __builtin_prefetch((const void *)((uintptr_t)at + FETCH_NEAR + i), 0, 0);
    }
}

#endif
