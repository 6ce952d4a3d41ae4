/* A large order as a picture of few items: what repeats is drawn once. Internal. */
#ifndef ACCORDI_OUTLINE_H
#define ACCORDI_OUTLINE_H

#include "record/pictures/kinds.h"
#include <accord/pattern.h>

/* Trees up to so many terms are drawn whole: their numbers can be read. Larger ones are outlined if
 * that makes less of them, or if there are more terms than anybody can look at: as many as a page
 * draws, too (page.js). */
enum { ACCORDI_DRAWN_WHOLE = 256, ACCORDI_LEAST_SHARING = 8, ACCORDI_MOST_DRAWN = 2000 };

/* Equal neighbors among the parts of a shape: `count` of them, `gap` apart. */
typedef struct accordi_group {
    uint32_t shape, shift, count, gap;
} accordi_group;

/* The group of parts that begins with part number *at, which moves on; false past the last part.
 * What a run starts from is a group of its own. */
bool accordi_next_group(const accord_pattern *pattern, uint32_t id, uint32_t *at,
                        accordi_group *group);

enum accordi_outline_kind {
    ACCORDI_OUTLINE_TERM,
    ACCORDI_OUTLINE_NODE,  /* one addition, or one fused sum */
    ACCORDI_OUTLINE_CHAIN, /* `steps` of them, each with the sum so far */
    ACCORDI_OUTLINE_FOLD,  /* `steps` levels of them over equal parts */
    ACCORDI_OUTLINE_BOX,   /* a part that is not drawn */
    ACCORDI_OUTLINE_REST   /* further parts of the node above, `leaves` terms in all */
};

typedef struct accordi_outline_item {
    enum accordi_outline_kind kind;
    uint32_t shape;
    uint32_t low;      /* smallest term of the first copy */
    uint64_t times;    /* copies beneath one copy of the parent */
    int64_t gap;       /* from copy to copy; 0: they are not at one distance */
    uint32_t steps;    /* additions of a chain, levels of a fold */
    uint32_t operands; /* of a node, or of each node of a chain or a fold */
    uint32_t leaves;   /* under one copy */
    uint32_t label;    /* of its nodes; 0: the arithmetic is not known */
    uint32_t parent;   /* item; its own number for the root */
    uint64_t hidden;   /* terms of one copy, in boxes that neither name them nor refer */
    uint32_t like;     /* item of the same shape that is drawn; its own number if there is none */
    char letter;       /* by which others refer to it; 0: none does */
} accordi_outline_item;

typedef struct accordi_outline {
    const accord_pattern *pattern; /* borrowed */
    accordi_outline_item *item;    /* parents before children, children in order */
    uint32_t count;
    size_t room;
} accordi_outline;

/* Whether this order is outlined rather than drawn whole. */
bool accordi_is_outlined(const accord_tree *tree, const accord_pattern *pattern);

/* Opens the largest parts first, as long as there are at most about `most` items. NOMEM; nothing is
 * left to clear then. */
enum accord_status accordi_outline_make(const accord_pattern *pattern, uint32_t most,
                                        accordi_outline *outline, accord_error *error);
void accordi_outline_clear(accordi_outline *outline);

#endif
