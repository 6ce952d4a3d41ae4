/* How the steps of a notation are found for a tree. Internal. Read find.c first. */
#ifndef ACCORDI_FIND_H
#define ACCORDI_FIND_H

#include "pattern/notation.h"

typedef struct accordi_finder accordi_finder;

/* What rules can do in one way or another. No rule can tell which way gives the shorter notation,
 * so the whole notation is found in each way. */
enum accordi_choice {
    ACCORDI_CHOOSE_TAILS = 1,    /* terms are added onto lanes before these are folded */
    ACCORDI_CHOOSE_APART = 2,    /* rows of terms are no further rows of sums */
    ACCORDI_CHOOSE_SIZES = 4,    /* parts that a chain joins may have any size */
    ACCORDI_CHOOSE_LEAPS = 8,    /* lanes may leave items out and add them later */
    ACCORDI_CHOOSE_KERNELS = 16, /* blocks give a chain several sums each */
    ACCORDI_CHOICES = 32
};

/* A list of items, all the items under the node `goal`. */
typedef struct accordi_list {
    uint32_t *item;
    size_t count;
    uint32_t goal;
} accordi_list;

/* A tree, and what is known of its nodes in regard to the list of items that is looked at. */
struct accordi_finder {
    const accord_tree *tree;
    const uint32_t *label; /* NULL: all 0 */
    uint32_t *parent;      /* of each node */
    uint32_t *low, *high;  /* of each node over items: the numbers of its first and last item … */
    uint32_t *held;        /* … and how many it has */
    uint32_t *seen;        /* of each node, while it is counted: children; else 0 */
    accordi_list scanned;  /* of which low, high and held tell; without items, of none */
    unsigned depth;        /* of groups */
    uint64_t looks;        /* at items, with all rules */
    bool nomem;
    bool given_up;    /* nomem is set, too, so that all rules end */
    unsigned choices; /* enum accordi_choice: what rules do … */
    unsigned met;     /* … and those that would have made a difference */
    /* accordi_find_steps, for rules that look inside a part of a list. */
    accordi_step *(*steps)(accordi_finder *f, accordi_list list);
};

static inline uint32_t accordi_children(const accordi_finder *f, uint32_t node)
{
    uint32_t k = node - f->tree->leaves;
    return f->tree->first[k + 1] - f->tree->first[k];
}

static inline const uint32_t *accordi_child(const accordi_finder *f, uint32_t node)
{
    return f->tree->child + f->tree->first[node - f->tree->leaves];
}

/* Whether rules choose this; notes that they could. */
static inline bool accordi_chooses(accordi_finder *f, enum accordi_choice choice)
{
    f->met |= choice;
    return f->choices & choice;
}

static inline uint32_t accordi_label(const accordi_finder *f, uint32_t node)
{
    return f->label ? f->label[node] : 0;
}

/* Whether the items of a node stand side by side in the list. */
static inline bool accordi_side_by_side(const accordi_finder *f, uint32_t node)
{
    return f->high[node] - f->low[node] + 1 == f->held[node];
}

/* Fills low, high and held of all nodes over the items, unless they tell of this list. */
void accordi_find_scan(accordi_finder *f, const accordi_list *list);
/* Whether the items are all that is under the goal; changes low, high and held of nodes. */
bool accordi_find_is_all(accordi_finder *f, const accordi_list *list);
/* The node over exactly the `size` items from number `at` on, or ACCORD_TREE_NO_NODE. */
uint32_t accordi_find_clade(const accordi_finder *f, const accordi_list *list, size_t at,
                            size_t size);
/* Does the steps to items by looking up nodes; false if one is not there. */
bool accordi_find_do(accordi_finder *f, const accordi_step *steps, uint32_t *item, size_t *count);
/* Whether the steps can be done to the list and, with `to_goal`, make its goal. */
bool accordi_find_holds(accordi_finder *f, const accordi_list *list, const accordi_step *steps,
                        bool to_goal);

/* How long the text of the steps is. */
size_t accordi_steps_length(accordi_finder *f, const accordi_step *steps);
/* Rows that are added onto items become the next items, where they stand behind the step before. */
void accordi_find_next(accordi_finder *f, const accordi_list *list, accordi_step *steps);

/* The steps that make the goal of the list, NULL for a list of one item,
 * and without memory. */
accordi_step *accordi_find_steps(accordi_finder *f, accordi_list list);
/* The shortest ones of all choices; of equally long ones those of the first choice. */
accordi_step *accordi_find_shortest(accordi_finder *f, const accordi_list *list);
/* The steps for the `size` items from number `at` on of a list that was scanned; they are all that
 * is under `goal`. */
accordi_step *accordi_find_inside(accordi_finder *f, const accordi_list *list, size_t at,
                                  size_t size, uint32_t goal);
/* The steps as one step without a reach or blocks of its own. */
accordi_step *accordi_find_group(accordi_finder *f, accordi_step *steps);
/* The i-th way in which steps that were found for one number of items may mean others too, as a
 * copy; NULL past the last one. */
accordi_step *accordi_find_general(accordi_finder *f, const accordi_step *steps, size_t i);

/* Rules: each gives steps that hold for the list and make it shorter, or NULL. The list has been
 * scanned. */
typedef accordi_step *accordi_find_rule(accordi_finder *f, const accordi_list *list);
accordi_find_rule accordi_find_fold, accordi_find_moved, accordi_find_blocks, accordi_find_split,
    accordi_find_one_split, accordi_find_kernel, accordi_find_parts, accordi_find_stage,
    accordi_find_tree;

#endif
