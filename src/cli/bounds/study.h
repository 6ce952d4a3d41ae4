/* Arithmetics for study: single operations by MPFR, and by rational numbers of GMP. */
#ifndef CLI_STUDY_H
#define CLI_STUDY_H

#include <accord/bound.h>

/* "mpfr" or "rational"; NULL: no such one, or this build is without MPFR. */
const accord_bound_arithmetic *cli_study_arithmetic(const char *name);

#endif
