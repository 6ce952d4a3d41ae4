/* Discovery by splitting paths; see split.c for the idea. Internal. */
#ifndef ACCORDI_SPLIT_H
#define ACCORDI_SPLIT_H

#include "reveal/probes/requests.h"
#include "tree/builder.h"

/* Finds the tree of two terms or more. ACCORD_UNABLE (NOT_A_TREE) when answers contradict. */
enum accord_status accordi_split(accordi_asker *asker, accord_tree **out);

/* The rest is shared by split.c, classes.c, fused_children.c and fused_leaves.c only. */

enum group_state {
    GROUP_DECIDE,
    GROUP_COUNTING,
    GROUP_READING,
    GROUP_TESTING,
    GROUP_SPANNING,  /* do the terms known to be at the top form a clade without the pivot? */
    GROUP_GATHERING, /* they do: who else is in that clade? */
    GROUP_COMPLETE,  /* one class, and a complete clade: the sibling of what lies below */
    GROUP_LAST,      /* a peeling wants to know no more of it */
    GROUP_FUSED,     /* this and the following: terms of several children of one node */
    GROUP_QUANTUM,
    GROUP_FINER,
    GROUP_GLANCE,
    GROUP_STAR,
    GROUP_REST,
    GROUP_QUESTIONING, /* many children: is it a fused sum? */
    GROUP_CHOOSING,
    GROUP_SINKING,
    GROUP_PEELING,
    GROUP_COMPARING,
    GROUP_PEELED /* done */
};

enum { ACCORDI_MANY_PARTS = 32 };
enum { QUANTUM_STEP = 8, QUANTUM_STEPS = 8, STAR_TERMS = 3 };

/* Some neighboring classes of a task: a range of run->items. */
typedef struct group {
    struct group *next; /* the next higher one */
    uint32_t lo, hi;
    uint32_t base; /* terms of the task below, the pivot among them */
    enum group_state state;
    bool tested;  /* and found not to be a complete clade */
    bool fresh;   /* never counted */
    bool walking; /* hardly any two terms in one class: all are counted */
    bool doubted; /* taken for a star and found none: more terms have been counted */
    uint32_t pivot;
    uint32_t span; /* items[lo … lo+span) are those of GROUP_SPANNING */
    /* fused groups: */
    uint32_t node, rest; /* items[rest … hi) are still to be peeled */
    uint32_t *part;      /* where the range of each part found begins */
    uint32_t parts;
    size_t capacity;
    uint32_t *pair, *together; /* parts compared two by two, and the answers */
    double raw[QUANTUM_STEPS];
    double quantum; /* as known when its star test began */
    int drop;
    uint32_t couple[2 * STAR_TERMS], coupled[STAR_TERMS]; /* pairs of terms; their tests */
    uint32_t four[4];                                     /* terms of fused_by_value.c */
    bool questioned;
} group;

/* A complete clade whose tree is still unknown. */
typedef struct piece {
    struct piece *next;
    uint32_t lo, hi, up;
} piece;

enum { PICKS = 6, PICK_FROM = 128 };

enum task_kind {
    TASK_CLADE,
    TASK_PEEL /* finds who shares a child of a fused node with the pivot; not its order */
};

/* A set of terms, items[lo … hi), and the path from its pivot items[lo] to its root. */
typedef struct task {
    uint32_t lo, hi, up, domain;
    group *groups;
    piece *pieces;      /* clades found here, to be revealed when this task is done */
    struct task *owner; /* of a peeling, with the group that it serves */
    group *served;
    enum task_kind kind;
    bool picking, exact;
    uint32_t pick[PICKS][2], pick_level[PICKS];
} task;

typedef struct run {
    accordi_asker *asker;
    accordi_builder *forest;
    uint32_t *items;
    uint32_t *level; /* per term: leaves under LCA(pivot, term) in its task; 0 unknown */
    uint32_t *side;  /* per term: answer of the last READ or TEST */
    task **tasks;
    size_t task_count, task_capacity;
    uint32_t domains, quantum_tries;
    bool measuring; /* some group measures the quantum; others wait for it */
    accordi_requests requests;
    accordi_request waste; /* what a request writes to when memory is out */
} run;

void accordi_split_fail(run *r, const char *why);
/* A new request about `count` items, with `a` as requests.h says. */
accordi_request *accordi_split_request(run *r, const task *t, enum accordi_request_kind kind,
                                       uint32_t a, const uint32_t *items, uint32_t count);
void accordi_split_spawn(run *r, task task);
/* A clade goes under `up`: a term at once, more as a piece, to be revealed later. */
void accordi_split_attach(run *r, task *t, uint32_t lo, uint32_t hi, uint32_t up);
/* A new inner node; ACCORD_TREE_NO_NODE where memory is out. */
uint32_t accordi_split_node(run *r);
void accordi_swap_items(run *r, uint32_t i, uint32_t j);
group *accordi_group_new(run *r, uint32_t lo, uint32_t hi, uint32_t base);
void accordi_group_step(run *r, task *t, group *g);
/* Asks whether items[lo … hi) form a clade without `sentinel`; the answer is read afterwards. */
void accordi_test_ask(run *r, const task *t, uint32_t lo, uint32_t hi, uint32_t sentinel);
bool accordi_test_passed(const run *r, uint32_t lo, uint32_t hi);
/* Counts up to `most` terms of unknown level. */
void accordi_group_count(run *r, task *t, group *g, uint32_t most);
/* Do two terms form, with others, a clade without `sentinel`? */
void accordi_test_pair(run *r, task *t, const uint32_t *two, uint32_t sentinel, uint32_t *answer);
/* Begins the star test (fused_leaves.c); false if the group cannot be a star, or was found to be
 * none. */
bool accordi_star_start(run *r, task *t, group *g);
enum accordi_star { ACCORDI_STAR_ASKED, ACCORDI_STAR, ACCORDI_NO_STAR };
enum accordi_star accordi_star_step(run *r, task *t, group *g);
/* Of a group with many parts, once: asks whether its order depends on the values
 * (fused_by_value.c); false if not. Then: ends the run with ACCORD_UNABLE if it does. */
bool accordi_by_value_start(run *r, task *t, group *g);
bool accordi_by_value_fails(run *r, const group *g);
/* A class of a fused node: begins to find its children (fused_children.c). */
void accordi_peel_start(run *r, task *t, group *g);
void accordi_peel_step(run *r, task *t, group *g);
/* Tells a fused group that a peeling found a part, and where the rest begins. */
void accordi_peel_took(run *r, group *g, uint32_t rest);

#endif
