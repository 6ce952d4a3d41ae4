/* Integers wide enough for exact sums, and their one rounding. Internal. */
#ifndef ACCORDI_WIDE_H
#define ACCORDI_WIDE_H

#include "base/base.h"
#include <accord/format.h>

__extension__ typedef __int128 accordi_int128;
__extension__ typedef unsigned __int128 accordi_uint128;

/* Roundings that no model has; here they are told from those that models have. */
enum accordi_odd_rounding {
    ACCORDI_OUTWARD = ACCORD_ROUNDING_COUNT, /* away from zero */
    ACCORDI_TO_ODD,                          /* what is inexact gets an odd last bit */
    ACCORDI_ROUNDINGS
};

/* (-1)^negative * magnitude * 2^exponent, correctly rounded into the format; `sticky` says that a
 * positive amount less than one unit of magnitude is missing. A zero magnitude without sticky
 * gives a zero of that sign. */
double accordi_round_wide(enum accord_format format, enum accord_rounding rounding, bool negative,
                          accordi_uint128 magnitude, int exponent, bool sticky);

/* The bits of an integer, 0 of 0. */
int accordi_length(accordi_uint128 magnitude);

/* magnitude / 2^cut rounded to an integer; any cut, a negative one multiplies. */
accordi_uint128 accordi_cut(enum accord_rounding rounding, bool negative, accordi_uint128 magnitude,
                            int cut);

/* accordi_round_wide into a format that need not be in the table; `infinite`: overflow is an
 * infinity in every direction. */
double accordi_round_row(const accord_format_info *row, enum accord_rounding rounding,
                         bool negative, accordi_uint128 magnitude, int exponent, bool sticky,
                         bool infinite);

/* A fixed-point number that holds every sum of up to 2^31 doubles exactly:
 * limb k counts units of 2^(32k - 1088), carries waiting in the upper half of each. */
#define ACCORDI_WIDE_LIMBS 68
typedef struct accordi_wide {
    int64_t limb[ACCORDI_WIDE_LIMBS];
} accordi_wide;
void accordi_wide_clear(accordi_wide *wide);
/* Adds a finite x. */
void accordi_wide_add(accordi_wide *wide, double x);
/* The sum, rounded once; ends it (the limbs are normalised). An exact zero is +0. */
double accordi_wide_round(accordi_wide *wide, enum accord_format format,
                          enum accord_rounding rounding);

/* The exact sum of count doubles, rounded once. Infinities and NaN as in IEEE 754; a zero has the
 * sign that additions in this direction would give. */
double accordi_exact_sum(enum accord_format format, enum accord_rounding rounding, const double *x,
                         size_t count);

#endif
