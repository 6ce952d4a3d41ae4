/* A build without MPFR and GMP has no arithmetics for study. */
#include "study.h"

const accord_bound_arithmetic *cli_study_arithmetic(const char *name)
{
    (void)name;
    return NULL;
}
