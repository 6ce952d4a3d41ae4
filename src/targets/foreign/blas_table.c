/* The table of BLAS routines: a row adds a routine (of a new family: see families.c first). */
#include "targets/foreign/foreign.h"

const accordi_routine accordi_routines[] = {
    /* name, family, storage of operands and results, complex, conjugate */
    {"sdot", ACCORDI_DOT, ACCORDI_F32, ACCORDI_F32, false, false},
    {"ddot", ACCORDI_DOT, ACCORDI_F64, ACCORDI_F64, false, false},
    {"dsdot", ACCORDI_DOT, ACCORDI_F32, ACCORDI_F64, false, false},
    {"sgemv", ACCORDI_GEMV, ACCORDI_F32, ACCORDI_F32, false, false},
    {"dgemv", ACCORDI_GEMV, ACCORDI_F64, ACCORDI_F64, false, false},
    {"sgbmv", ACCORDI_GBMV, ACCORDI_F32, ACCORDI_F32, false, false},
    {"dgbmv", ACCORDI_GBMV, ACCORDI_F64, ACCORDI_F64, false, false},
    {"sgemm", ACCORDI_GEMM, ACCORDI_F32, ACCORDI_F32, false, false},
    {"dgemm", ACCORDI_GEMM, ACCORDI_F64, ACCORDI_F64, false, false},
    {"sasum", ACCORDI_ASUM, ACCORDI_F32, ACCORDI_F32, false, false},
    {"dasum", ACCORDI_ASUM, ACCORDI_F64, ACCORDI_F64, false, false},
    {"scasum", ACCORDI_ASUM, ACCORDI_F32, ACCORDI_F32, true, false},
    {"dzasum", ACCORDI_ASUM, ACCORDI_F64, ACCORDI_F64, true, false},
    {"snrm2", ACCORDI_NORM, ACCORDI_F32, ACCORDI_F32, false, false},
    {"dnrm2", ACCORDI_NORM, ACCORDI_F64, ACCORDI_F64, false, false},
    {"scnrm2", ACCORDI_NORM, ACCORDI_F32, ACCORDI_F32, true, false},
    {"dznrm2", ACCORDI_NORM, ACCORDI_F64, ACCORDI_F64, true, false},
    {"cdotu", ACCORDI_DOT, ACCORDI_F32, ACCORDI_F32, true, false},
    {"cdotc", ACCORDI_DOT, ACCORDI_F32, ACCORDI_F32, true, true},
    {"zdotu", ACCORDI_DOT, ACCORDI_F64, ACCORDI_F64, true, false},
    {"zdotc", ACCORDI_DOT, ACCORDI_F64, ACCORDI_F64, true, true},
    {"sbdot", ACCORDI_DOT, ACCORDI_BF16, ACCORDI_F32, false, false},
    {"sbgemv", ACCORDI_GEMV, ACCORDI_BF16, ACCORDI_F32, false, false},
    {"sbgemm", ACCORDI_GEMM, ACCORDI_BF16, ACCORDI_F32, false, false},
    {"gemm_bf16bf16f32", ACCORDI_GEMM, ACCORDI_BF16, ACCORDI_F32, false, false},
};
const size_t accordi_routine_count = sizeof accordi_routines / sizeof accordi_routines[0];

static const char *routine_name(const void *list, size_t i)
{
    (void)list;
    return i < accordi_routine_count ? accordi_routines[i].name : NULL;
}

const char *accordi_routine_nearest(const char *word)
{
    return accordi_nearest(word, routine_name, NULL);
}

static void unknown(const char *name, accord_error *error)
{
    const char *near = accordi_routine_nearest(name);
    char names[256] = "";
    for (size_t i = 0; i < accordi_routine_count; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", routine_name(NULL, i));
    }
    if (near)
        accordi_fail(error, ACCORD_ARG,
                     "accord does not know the BLAS routine '%.40s'; did you mean %s?", name, near);
    else
        accordi_fail(error, ACCORD_ARG,
                     "accord does not know the BLAS routine '%.40s'; choose one of %s", name,
                     names);
}

const accordi_routine *accordi_routine_find(const char *name, accord_error *error)
{
    for (size_t i = 0; i < accordi_routine_count; i++)
        if (strcmp(name, accordi_routines[i].name) == 0)
            return &accordi_routines[i];
    unknown(name, error);
    return NULL;
}
