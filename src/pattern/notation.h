/* What the files of the notation share (accord/notation.h): the steps. Internal. */
#ifndef ACCORDI_NOTATION_H
#define ACCORDI_NOTATION_H

#include "tree/builder.h"
#include <accord/notation.h>
#include <accord/pattern.h>

enum accordi_step_kind {
    ACCORDI_STEP_CHAIN, /* the folds, which make one sum of a list */
    ACCORDI_STEP_BACK,
    ACCORDI_STEP_PAIRS,
    ACCORDI_STEP_HALVES,
    ACCORDI_STEP_FUSE,
    ACCORDI_STEP_FUSES, /* number: of terms */
    ACCORDI_STEP_ADD,   /* number: of terms */
    ACCORDI_STEP_DOUBLING,
    ACCORDI_STEP_HALVING,
    ACCORDI_STEP_COUNTER,
    ACCORDI_STEP_HEAP,        /* number: of children */
    ACCORDI_STEP_HEAP_ACROSS, /* number: of children */
    ACCORDI_STEP_POSTORDER,
    ACCORDI_STEP_INORDER,
    ACCORDI_STEP_INORDER_BACK,
    ACCORDI_STEP_LANES, /* number; multiple: of items in a row, if they are more than the lanes;
                         * body: of each lane; none: a chain */
    ACCORDI_STEP_ROWS,  /* the same for whole rows alone, as many as there are */
    ACCORDI_STEP_SPLIT, /* number: the cut-off; multiple; body: of each piece */
    ACCORDI_STEP_SPLIT_UP,
    ACCORDI_STEP_ONTO, /* number: of the item before them that they are added onto */
    ACCORDI_STEP_NEXT, /* the same for the next `reach` items, onto as many, or in blocks */
    ACCORDI_STEP_TURN, /* number: of items that go to the end */
    ACCORDI_STEP_REVERSE,
    ACCORDI_STEP_TERMS, /* gives labels to terms */
    ACCORDI_STEP_TREE,  /* brackets, for one sum or several */
    ACCORDI_STEP_GROUP, /* body */
    ACCORDI_STEP_KINDS
};

/* Which items of the list a step works on. */
enum accordi_reach {
    ACCORDI_REACH_ALL,
    ACCORDI_REACH_AT,       /* `reach` items from number `at` on */
    ACCORDI_REACH_LAST,     /* the last `reach` items */
    ACCORDI_REACH_MULTIPLE, /* the first items, as many as are a multiple of `reach` */
    ACCORDI_REACH_REST,     /* the items behind those that the step before worked on */
    ACCORDI_REACH_NEXT      /* the first `reach` of these */
};

/* Brackets, as a list of tokens. */
enum { ACCORDI_TOKEN_OPEN, ACCORDI_TOKEN_CLOSE, ACCORDI_TOKEN_ITEM };
typedef struct accordi_token {
    uint32_t kind;
    uint32_t value; /* the number of the item, the label of a node that is closed */
} accordi_token;

typedef struct accordi_step accordi_step;
struct accordi_step {
    enum accordi_step_kind kind;
    uint32_t number, multiple, label;
    uint32_t block, parts; /* 0: the items are one list; else lists of `block` items, or `parts` */
    bool short_first;      /* of blocks the first one may be shorter, not the last one */
    enum accordi_reach to;
    uint32_t reach, at;
    size_t place;         /* in the text */
    accordi_token *token; /* of a tree */
    size_t tokens, token_room;
    accordi_step *body, *next;
};

/* A step without any members; NULL without memory. */
accordi_step *accordi_step_new(enum accordi_step_kind kind);
accordi_step *accordi_steps_copy(const accordi_step *steps);
/* The step and all that follow it; NULL is fine. */
void accordi_steps_free(accordi_step *steps);
/* The last one of a list that is not empty. */
accordi_step *accordi_steps_last(accordi_step *steps);
bool accordi_step_token(accordi_step *step, uint32_t kind, uint32_t value);

/* How deep groups may stand in each other. */
enum { ACCORDI_NOTATION_DEEPEST = 12 };

/* Words of the notation, one row for each kind of step. */
typedef struct accordi_word {
    const char *word, *second; /* "chain", "back"; second may be NULL */
    enum { ACCORDI_NUMBER_NONE, ACCORDI_NUMBER_ALWAYS, ACCORDI_NUMBER_ITEM } number;
    enum { ACCORDI_BODY_NONE, ACCORDI_BODY_MAYBE } body;
    bool labels; /* whether the step makes nodes, or labels terms */
} accordi_word;
extern const accordi_word accordi_words[ACCORDI_STEP_KINDS];

/* Reads the steps of a notation; *leaves becomes the number of terms. */
enum accord_status accordi_steps_parse(const char *text, uint32_t *leaves, accordi_step **steps,
                                       size_t *place, accord_error *error);
/* Where a token of a step of brackets stands in the text that was parsed. */
size_t accordi_token_place(const char *text, const accordi_step *tree, size_t token);
/* Writes the brackets of a step. */
void accordi_brackets_write(accordi_buffer *out, const accordi_step *tree);
/* Whether all steps, and those inside them, say how the order goes on; brackets do only where they
 * are those of each block. */
bool accordi_steps_regular(const accordi_step *steps);
/* Writes the steps, as after the number of terms. */
void accordi_steps_write(accordi_buffer *out, const accordi_step *steps);

/* From here to accordi_notation_let_go, this thread looks only once for the notation of a tree,
 * which may take seconds; the tree is borrowed. False, and nothing is to be let go: one is held
 * already, or `tree` is NULL. */
bool accordi_notation_hold(const accord_tree *tree);
void accordi_notation_let_go(void);

/* The steps in plain English: "in 64 lanes, then by neighbors". */
void accordi_steps_sentence(accordi_buffer *out, const accordi_step *steps);
/* The order in plain English. False, and nothing is written, if
 * its notation has brackets for the whole list, or the sentence has no room. */
bool accordi_write_sentence(const accord_tree *tree, char text[ACCORD_ORDER_WORDS_SIZE]);

/* The labels of the tree's leaves and nodes, which were made with these parents and labels,
 * children before their parents; NULL without memory. */
uint32_t *accordi_labels_in(const accord_tree *tree, const uint32_t *parent, const uint32_t *label);

/* What a step does with its items: `join` makes, or finds, the node over them. */
typedef struct accordi_run accordi_run;
struct accordi_run {
    /* The node over the items, which has this label, or ACCORD_TREE_NO_NODE if there is none. */
    uint32_t (*join)(accordi_run *run, const uint32_t *item, size_t count, uint32_t label);
    /* Whether the item is a term that may have the label. */
    bool (*mark)(accordi_run *run, uint32_t item, uint32_t label);
    void *context;
    const accordi_step *failed; /* the step that could not be done … */
    const char *why;            /* … and why; NULL: join failed */
    size_t token;               /* of its brackets, the one that is wrong, from 1 on; 0: no one */
    bool nomem;
};

/* How many items stand in a row of lanes. */
static inline size_t accordi_lanes_row(const accordi_step *lanes)
{
    return lanes->multiple > lanes->number ? lanes->multiple : lanes->number;
}

/* Of `count` items that a split works on: how many are the first part; 0: they are one piece. */
size_t accordi_split_first(const accordi_step *split, size_t count);
/* Where the items of a step begin among `count`, and how many they are; `behind` is where those of
 * the step before end. False if there are not so many. */
bool accordi_step_items(const accordi_step *step, size_t count, size_t behind, size_t *from,
                        size_t *reach);
/* Whether what a step adds onto stands before its items, `reach` of them from `from` on. */
bool accordi_onto_stands(const accordi_step *onto, size_t from, size_t reach);
/* Does the steps to the list, which becomes shorter. */
bool accordi_steps_run(accordi_run *run, const accordi_step *steps, uint32_t *item, size_t *count);
/* The same, behind other steps: *behind is where the items of the last step end. */
bool accordi_steps_go_on(accordi_run *run, const accordi_step *steps, uint32_t *item, size_t *count,
                         size_t *behind);
/* Whether that can be done to any *count items, which becomes how many are left. Labels of terms
 * are not looked at. */
bool accordi_steps_count(const accordi_step *steps, size_t *count);

#endif
