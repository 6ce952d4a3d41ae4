/* The arithmetic of every node, as a number and in words: the labels of a pattern. Internal. */
#ifndef ACCORDI_KINDS_H
#define ACCORDI_KINDS_H

#include "record/pictures/marks.h"

enum { ACCORDI_KINDS = 255 };

typedef struct accordi_kind {
    char words[160];  /* "f32 to nearest, the product fused into the sum" */
    const char *mark; /* as in pictures; NULL: like most */
    uint32_t count;   /* nodes, or terms */
    bool terms;       /* what alpha does to terms */
} accordi_kind;

typedef struct accordi_kinds {
    accordi_marks marks;
    uint32_t *label; /* of the leaves, mostly 0, and of the inner nodes: a kind + 1; NULL where the
                        arithmetic is not known */
    uint32_t count;
    accordi_kind kind[ACCORDI_KINDS];
} accordi_kinds;

/* NOMEM; nothing is left to clear then. */
enum accord_status accordi_kinds_make(const accord_record *record, accordi_kinds *kinds,
                                      accord_error *error);
void accordi_kinds_clear(accordi_kinds *kinds);

#endif
