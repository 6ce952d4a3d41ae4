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
    size_t n, row;
    bool is_f32, narrow; /* narrow: no f64 and no f32 */
    bool lone;           /* one term is to be unlike all others */
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
}

double accordi_operand_largest(const accordi_operand *o, const void *x);

/* One of the n places: the first or the last in half of all cases, of lone terms in three of four.
 */
size_t accordi_operand_place(accordi_operand *o);

/* Changes what stands at the places of a pattern that is drawn. */
void accordi_change_places(accordi_operand *o);

/* Divides all terms but one by a power of two that leaves some of their bits in a sum with it. */
void accordi_shrink_others(accordi_operand *o, size_t place);

/* Divides one term by any power of two that leaves it a normal number. */
void accordi_shrink_one(accordi_operand *o, size_t place);

#endif
