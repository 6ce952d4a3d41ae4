/* Discovery by splitting paths; the idea is told in split.c. Internal. */
#ifndef ACCORDI_SPLIT_H
#define ACCORDI_SPLIT_H

#include "reveal/forest.h"
#include "reveal/pack.h"

/* Reveals the tree that the target induces on `items` (all other terms are 0) and hangs it into
 * the forest under `up`. items is permuted. ACCORD_UNABLE (NOT_A_TREE) when answers contradict. */
enum accord_status accordi_split(accordi_asker *asker, accordi_forest *forest, uint32_t *items,
                                 uint32_t count, uint32_t up);

/* What follows is shared by split.c, group.c and peel.c alone. */

enum group_state {
    GROUP_DECIDE,
    GROUP_COUNTING,
    GROUP_READING,
    GROUP_TESTING,
    GROUP_COMPLETE, /* one class, and a complete clade: the sibling of what lies below */
    GROUP_LAST,     /* the rest that a peeling leaves to its owner */
    GROUP_QUANTUM,  /* from here on: one class, several children of one node; see peel.c */
    GROUP_STAR,
    GROUP_REST,
    GROUP_RESTING,
    GROUP_TOP,
    GROUP_PEELING,
    GROUP_COMPARING,
    GROUP_PEELED /* done */
};

enum { STAR_PAIRS = 3, STAR_PROBES = 2 * STAR_PAIRS + 2, QUANTUM_STEPS = 56 };

/* Some neighbouring classes of a task: a range of run->items. */
typedef struct group {
    struct group *next; /* the next higher one */
    uint32_t lo, hi;
    uint32_t base; /* terms of the task below, the pivot among them */
    enum group_state state;
    bool tested; /* and found not to be a complete clade */
    bool fresh;  /* never counted */
    uint32_t pivot;
    /* fused groups: */
    uint32_t node, rest;         /* items[rest … hi) are still to be peeled */
    uint32_t *child;             /* a term of each child found */
    uint32_t children, capacity; /* of child */
    uint32_t *pair, *apart;      /* children compared two by two, and the answers */
    uint32_t pairs;
    double raw[QUANTUM_STEPS > STAR_PROBES ? QUANTUM_STEPS : STAR_PROBES];
    uint32_t couple[2], coupled[STAR_PAIRS]; /* the pivot with a term; answers of tests */
} group;

/* A complete clade whose tree is still unknown. */
typedef struct piece {
    struct piece *next;
    uint32_t lo, hi, up;
} piece;

enum { PICKS = 6, PICK_FROM = 128 };

/* A set of terms, items[lo … hi), and the path from its pivot items[lo] to its root. */
typedef struct task {
    uint32_t lo, hi, up, domain;
    group *groups;
    piece *pieces;      /* clades found here, to be revealed when this task is done */
    struct task *owner; /* of a peeling, with the group that it peels */
    group *peeled;
    bool picking, exact;
    uint32_t pick[PICKS][2], pick_level[PICKS];
} task;

typedef struct run {
    accordi_asker *asker;
    accordi_forest *forest;
    uint32_t *items;
    uint32_t *level; /* per term: leaves under LCA(pivot, term) in its task; 0 unknown */
    uint32_t *side;  /* per term: answer of the last READ or TEST */
    task **tasks;
    size_t task_count, task_capacity;
    uint32_t domains;
    accordi_requests requests;
    accordi_request waste; /* what a request writes to when memory is out */
    bool careful;          /* count every term before a fused node is believed */
    bool stumbled;         /* a fused node was believed wrongly: start again, carefully */
    enum accord_status status;
} run;

enum accord_status accordi_split_fail(run *r, const char *why);
accordi_request *accordi_split_request(run *r, const task *t, enum accordi_request_kind kind);
void accordi_split_spawn(run *r, uint32_t lo, uint32_t hi, uint32_t up, task *owner, group *peeled);
void accordi_split_attach(run *r, task *t, uint32_t lo, uint32_t hi, uint32_t up);
group *accordi_group_new(run *r, uint32_t lo, uint32_t hi, uint32_t base);
void accordi_group_step(run *r, task *t, group *g);
/* Asks whether items[lo … hi) form a clade without `sentinel`; the answer is read afterwards. */
void accordi_test_ask(run *r, const task *t, uint32_t lo, uint32_t hi, uint32_t sentinel);
bool accordi_test_passed(const run *r, uint32_t lo, uint32_t hi);
void accordi_peel_start(run *r, task *t, group *g);
void accordi_peel_step(run *r, task *t, group *g);
/* Tells a fused group that a peeling found the child that holds `term`; the rest begins at lo. */
void accordi_peel_took(run *r, group *g, uint32_t term, uint32_t lo);

#endif
