/* For tests of exact sums: random numbers, the oracle of MPFR (exact_oracle.h), numbers that others
 * have got wrong (exact_fills.h). More for whoever digs: exact_integers.h is a second oracle,
 * exact_attacks.h and exact_pairs.h aim at kernels, exact_ways.h calls them. */
#ifndef EXACT_SUMS_H
#define EXACT_SUMS_H

#include "exact_draw.h"
#include <accord/exact_blas.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <mpfr.h>

enum { BITS = 4700, ROUNDINGS = ACCORD_EXACT_ROUNDING_COUNT };

#include "exact_fills.h"
#include "exact_oracle.h"

#endif
