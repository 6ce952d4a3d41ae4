/* A tree as the rows of a terminal: some rows stand for many terms. Internal. */
#ifndef ACCORDI_VIEW_H
#define ACCORDI_VIEW_H

#include "base/base.h"
#include <accord/pattern.h>

enum accordi_item_kind {
    ACCORDI_TERM,   /* a leaf */
    ACCORDI_TERMS,  /* the leaves that are children of `node`, together */
    ACCORDI_TURN,   /* the leaves that a run adds, from above `end` up to `node` */
    ACCORDI_SUBTREE /* all that is under `node` */
};

/* A run is a chain of nodes, each with one inner child and the same number of leaves: from `node`
 * (its last addition) down to the child of its first addition, `end`. */
typedef struct accordi_item {
    enum accordi_item_kind kind;
    uint32_t node, end, steps;  /* steps: nodes of the run, 0 when there is none */
    uint32_t size;              /* terms */
    uint32_t parent;            /* item; its own number for the root */
    bool open;                  /* drawn as a node with children; else it is a row */
    bool whole_run;             /* a SUBTREE whose `end` has leaves alone: one row says it all */
    bool fused;                 /* more than two children */
    uint32_t like;              /* item whose terms are added alike, but for a shift; its own
                                   number when there is none */
    uint32_t height, row, rows; /* rows row … row+rows-1; its line leaves from the last of them */
} accordi_item;

typedef struct accordi_view {
    const accord_tree *tree;
    uint32_t *size;  /* of the inner nodes of the tree */
    uint32_t *shape; /* of each inner node, in the pattern */
    accord_pattern *pattern;
    accordi_buffer items;
    uint32_t count, rows;
    bool full; /* every leaf has a row */
} accordi_view;

accordi_item *accordi_view_item(const accordi_view *view, uint32_t i);

/* Opens as many nodes, the largest first and those of one size together, as rows allow; of those
 * that only differ by a shift of their leaves only one. With `full` all. An item stands before its
 * children. On failure the view still has to be cleared. NOMEM. */
enum accord_status accordi_view_build(accordi_view *view, const accord_tree *tree, bool full,
                                      uint32_t most_rows, accord_error *error);
void accordi_view_clear(accordi_view *view);

/* Appends what the row of a closed item is called. */
enum accord_status accordi_view_label(const accordi_view *view, const accordi_item *item, bool utf8,
                                      accordi_buffer *out, accord_error *error);

/* Appends `value` with separators of thousands. */
void accordi_count(accordi_buffer *out, int64_t value);

#endif
