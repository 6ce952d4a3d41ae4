/* The terms of a row, and changes of those at the places of a pattern. Internal to this folder. */
#ifndef ACCORDI_PATTERNS_H
#define ACCORDI_PATTERNS_H

#include "reveal/inputs/replays.h"

enum { ACCORDI_FAR = 100 }; /* exponents of a wide format */

/* Some terms of a row, or some factors of them: `others` are the other factors, or NULL. */
typedef struct accordi_operand {
    const accordi_replays *replays;
    accordi_rng rng;
    void *x;
    const void *others;
    void *twin; /* NULL; or the others, where they are the same numbers, times twin_sign */
    double twin_sign;
    size_t n, row;
    bool is_f32, narrow; /* narrow: no f64 and no f32 */
    bool lone;           /* one term is to be unlike all others */
    bool usual;          /* terms are of the first kind */
    unsigned attempt;    /* how often the row was drawn before */
    const accord_format_info *info;
} accordi_operand;

static inline double accordi_operand_get(const accordi_operand *o, size_t i)
{
    return accordi_get_number(o->x, o->is_f32, i);
}

static inline void accordi_operand_put(const accordi_operand *o, size_t i, double value)
{
    if (o->narrow)
        value = accord_format_round(o->replays->draw.format, ACCORD_NEAREST_EVEN, value);
    accordi_set_number(o->x, o->is_f32, i, value);
    if (o->twin)
        accordi_set_number(o->twin, o->is_f32, i, o->twin_sign * value);
}

double accordi_operand_largest(const accordi_operand *o, const void *x);

/* One of the n places: the first or the last in half of all cases, of lone terms in three of four.
 */
size_t accordi_operand_place(accordi_operand *o);

/* Changes what stands at the places of a pattern that is drawn. */
void accordi_change_places(accordi_operand *o);

/* Ways in which a row is regular: patterns.c has a table of each. */
enum { ACCORDI_READINGS = 16, ACCORDI_PERIODS = 11, ACCORDI_NORMS = 4 };

/* Repeats the first few terms over and over. */
void accordi_repeat_terms(accordi_operand *o, size_t which);

/* Divides all terms by what their sum is, or their length, or their largest. */
void accordi_normalize_terms(accordi_operand *o, size_t which);

/* All terms lie near a number that people measure or count. */
void accordi_make_readings(accordi_operand *o, size_t which);

/* Divides all terms but one by a power of two that leaves some of their bits in a sum with it. */
void accordi_shrink_others(accordi_operand *o, size_t place);

/* Divides one term by any power of two that leaves it a normal number. */
void accordi_shrink_one(accordi_operand *o, size_t place);

/* A place other than this one with a number that is not 0, if there is any, else this one. */
size_t accordi_nonzero_place(accordi_operand *o, size_t at);

/* Another term takes away what the largest brings. */
bool accordi_cancel_terms(accordi_operand *o);

/* Puts terms further apart, and brings their sum to where results change: steered.c. */
void accordi_spread_terms(accordi_operand *o);
void accordi_steer_terms(accordi_operand *o);

#endif
