/* What the files of room map share. Internal.
 *
 * A grid gives every element of the result one answer. It is used in three ways. *Uniform*: all
 * rows of A hold the same and all columns of B: every element gets the same terms, so elements
 * with other answers add in another way (sort.c), and each element is tested against its order
 * (certify.c). *Spread*: another probe in each row, to learn of one class as many answers as it
 * has rows or columns (member.c). *Random*: to replay each element by itself (replays.c). */
#ifndef ACCORDI_MAP_H
#define ACCORDI_MAP_H

#include "base/base.h"
#include <accord/map.h>

enum { ACCORDI_MOST_CLASSES = 65535 };

/* ---- slate.c: rows of an operand that mostly hold the same ---- */

typedef struct accordi_change {
    uint32_t index;
    double value;
} accordi_change;

/* Rows are brought up to date by what has changed since they were last used. Failures to grow
 * stick in `failed`. */
typedef struct accordi_slate {
    void *cell; /* rows x inner; borrowed */
    size_t rows, inner, n;
    bool f32;
    double *start;          /* per row: term n-1, where n > inner */
    double *base;           /* n: what rows hold but for writes of their own */
    void *image;            /* the same as cells have it */
    double fill;            /* what base was filled with last */
    accordi_change *change; /* changes of the base; rows know how many of them they have */
    size_t changes, change_capacity, filled; /* filled: those before the last fill */
    size_t *seen;                            /* per row; SIZE_MAX: nothing of it is known */
    struct {
        uint32_t row, index;
    } * own;
    size_t owns, own_capacity;
    bool failed;
} accordi_slate;

bool accordi_slate_init(accordi_slate *slate, void *cell, size_t rows, size_t inner, size_t n,
                        bool f32);
void accordi_slate_clear(accordi_slate *slate);
/* Changes of the base. */
void accordi_slate_fill(accordi_slate *slate, double value);
void accordi_slate_stay(accordi_slate *slate, uint32_t index, double value);
void accordi_slate_set(accordi_slate *slate, const double *values);
/* Brings a row, or all, up to the base. */
void accordi_slate_row(accordi_slate *slate, size_t row);
void accordi_slate_all(accordi_slate *slate);
/* Writes into a row that is up to date; undo takes back all of them. */
void accordi_slate_own(accordi_slate *slate, size_t row, uint32_t index, double value);
void accordi_slate_undo(accordi_slate *slate);
/* n values, as cells have them; the row is nothing like the base afterwards. */
void accordi_slate_whole(accordi_slate *slate, size_t row, const void *values);

/* ---- mapper.c: the work in progress ---- */

/* An empty map in memory of the room's own; accord_map_clear ends it. */
void accordi_map_init(accord_map *map);

typedef struct accordi_mapper {
    accord_target *target;
    const accord_reveal_options *options;
    accord_error *error;
    accordi_rng rng;
    size_t rows, columns, elements, n, inner;
    bool has_b;
    accordi_slate a, b;
    void *c; /* start values, as cells have them; NULL: none */
    void *block;
    double *result, *again; /* per element; again is for questions asked twice */

    /* The partition. Class ids are kept while classes are split: the new parts get new ones. */
    uint16_t *class_of;
    size_t classes, capacity;
    accord_class *each;      /* the classes */
    bool *done;              /* per class: revealed and, if wanted, certified */
    uint32_t *order, *begin; /* the elements class by class; begin: capacity + 1 entries */
    bool indexed;            /* order and begin are those of class_of */
    size_t replayed, agreed; /* elements of random grids */
    uint64_t replay_calls;   /* random grids, and those of answers at the end */
    size_t answer_inputs;    /* on which every element was compared with its class */
    uint64_t sorting_calls;  /* uniform grids */
    double sorting_seconds, replay_seconds;
    const char *stage;
    uint64_t first_calls; /* the target's before this map */
    double began;
} accordi_mapper;

enum accord_status accordi_mapper_init(accordi_mapper *m, accord_target *target,
                                       const accord_reveal_options *options, accord_error *error);
void accordi_mapper_clear(accordi_mapper *m);
/* Asks for the grid that a, b and c hold. */
enum accord_status accordi_mapper_run(accordi_mapper *m, double *result);
/* Progress; ACCORD_TARGET when the caller wants to stop, ACCORD_UNABLE (BUDGET) when the budget is
 * spent. */
enum accord_status accordi_mapper_goes_on(accordi_mapper *m, uint64_t done, uint64_t total);
/* What is left of the budget, for a class that is asked as a target of `at_once` sums a call. */
void accordi_mapper_rest(const accordi_mapper *m, size_t at_once, accord_reveal_options *options);
enum accord_status accordi_mapper_spent(const accordi_mapper *m);
/* Puts the start value of element `at`. */
void accordi_mapper_start(accordi_mapper *m, size_t at, double value);
/* Brings order and begin up to date. */
void accordi_mapper_index(accordi_mapper *m);
size_t accordi_mapper_members(const accordi_mapper *m, size_t id);
/* Says in a record which element it is about: "3,5", or "3" where there is one column. */
enum accord_status accordi_mapper_name(const accordi_mapper *m, size_t at, accord_record *record,
                                       accord_error *error);

/* ---- sort.c ---- */

/* Splits classes whose elements have different answers in m->result. *split tells whether any was;
 * parts of classes that were done are not done. The part of class `follow` (SIZE_MAX: none) that
 * has most members keeps its id, of others the first. */
enum accord_status accordi_refine(accordi_mapper *m, size_t follow, bool *split);
/* Asks the uniform grid that a, b, c hold, and refines. When classes are split, it is asked again:
 * ACCORD_UNABLE (NONDETERMINISTIC) when the answers differ. */
enum accord_status accordi_uniform(accordi_mapper *m, size_t follow, bool *split);
/* Random uniform grids until `quiet` in a row have split nothing; so many hold every style. */
enum { ACCORDI_QUIET_GRIDS = 8 };
enum accord_status accordi_sort(accordi_mapper *m, size_t quiet);

/* All rows hold x, all columns y; all elements start with the last of x. */
void accordi_put_terms(accordi_mapper *m, const double *x, const double *y);

/* ---- answers.c ---- */

/* Uniform grids of inputs of the answers, all of them or as many as there is time for. */
enum accord_status accordi_sort_answers(accordi_mapper *m);
/* The first few, at most ACCORD_ANSWERS_KEPT, which count as replays; bits[0 … *count-1] is what
 * element `at` gives. */
enum accord_status accordi_sort_few_answers(accordi_mapper *m, size_t at, uint64_t *bits,
                                            size_t *count);
/* Holds every element against the answers of its class, where that has some; classes of elements
 * that give others are given up. */
enum accord_status accordi_map_answers(accordi_mapper *m);

/* ---- member.c: one class as a target ---- */

typedef struct accordi_member {
    accord_target target; /* its state is this */
    accordi_mapper *mapper;
    size_t id;      /* of the class */
    bool single;    /* ask the first member alone */
    bool uniform;   /* every probe of all elements; answers are those of the class */
    uint32_t *line; /* elements, at most one of each row (or column), that answer for the class */
    size_t lines;
    bool by_columns;
    uint32_t *pair; /* elements, at most one of each row and column; NULL: not looked for yet */
    size_t pairs;
    uint64_t asked; /* grids */
} accordi_member;

enum accord_status accordi_member_init(accordi_member *member, accordi_mapper *m, size_t id,
                                       bool single);
void accordi_member_clear(accordi_member *member);

/* ---- reveal.c ---- */

/* What a map cannot be made of, or by. */
enum accord_status accordi_map_check(const accord_target *target,
                                     const accord_reveal_options *options, accord_error *error);
/* Reads and writes beside the operands: ACCORD_UNABLE. */
enum accord_status accordi_map_check_memory(accordi_mapper *m);
/* Takes the order out of the record of a class: the verdict says why. */
enum accord_status accordi_map_give_up(accordi_mapper *m, size_t id, enum accord_reason reason,
                                       const char *verdict);

/* ---- certify.c, replays.c ---- */

/* Holds every member of a class against the order in its record; members that answer otherwise are
 * split off. *holds: those that are left answer as the order says. Counts into the record. */
enum accord_status accordi_map_certify(accordi_mapper *m, size_t id, bool *holds);
/* Random grids, each element replayed by the model of its class. */
enum accord_status accordi_map_replay(accordi_mapper *m);

/* ---- arrival.c ---- */

/* Of each class without an order: replaces its reason where arrival decides. */
enum accord_status accordi_map_arrivals(accordi_mapper *m);
/* The same for a map that was refused as a whole, and its error. */
void accordi_map_name_arrival(accordi_mapper *m);

/* ---- elsewhere.c ---- */

/* Asks under the other circumstances that the kind of the target has, if any. The record of each
 * class says under which of them its elements gave the same bits, and warns of the others; a class
 * whose results turn out to depend on chance is given up. */
enum accord_status accordi_map_elsewhere(accordi_mapper *m);

#endif
