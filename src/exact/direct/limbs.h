/* Sums of f64 whose bits cancel, or lie too far apart for one integer, in limbs of their own.
 * Internal.
 *
 * Idea: what makes an accumulator slow for a few dozen terms is not the terms but clearing it,
 * looking through it, and the calls on the way. The exponents of the terms tell which limbs can be
 * touched; only these exist here, on the stack. Bound: at most ACCORDI_EXACT_PENDING terms, as for
 * any accumulator between carries (accumulator/limbs.c). */
#ifndef ACCORDI_EXACT_DIRECT_LIMBS_H
#define ACCORDI_EXACT_DIRECT_LIMBS_H

#include "exact/direct/integers.h"

enum { LIMBS_LEAST = 4 }; /* that rounding looks at */

/* Finite terms in this range, not all of them zeros; n <= ACCORDI_EXACT_PENDING. */
static __attribute__((noinline)) uint64_t by_limbs(const source *s, range r,
                                                   enum accord_exact_rounding rounding)
{
    int64_t limb[ACCORD_EXACT_LIMBS], count[ACCORD_EXACT_COUNTS], pending = 0;
    int lowest = r.least > 1 ? r.least - 1 : 0, first = lowest >> 5;
    int limbs = ((r.greatest - 1) >> 5) - first + 2;
    limbs = limbs < LIMBS_LEAST ? LIMBS_LEAST : limbs;
    for (int i = 0; i < ACCORD_EXACT_COUNTS; i++)
        count[i] = 0;
    count[ACCORD_EXACT_TERMS] = (int64_t)s->n;
    memset(limb, 0, (size_t)limbs * sizeof *limb);
    accordi_exact_view sum = {limb, count, &pending, limbs, 32 * first - 1074};
    const char *x = s->x;
    unsigned below = 32 * (unsigned)first + 1;
    for (size_t i = 0; i < s->n; i++, x += s->step_x) {
        uint64_t bits = load(f64, x);
        accordi_exact_put(limb, significand_of(f64, bits), (unsigned)exponent_of(f64, bits) - below,
                          -(int64_t)(bits >> 63));
    }
    return accordi_exact_round(sum, ACCORD_F64, rounding);
}

#endif
