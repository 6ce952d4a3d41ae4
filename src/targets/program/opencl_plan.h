/* What the notation of an opencl: target says. Internal; shared with the program that runs it. */
#ifndef ACCORDI_OPENCL_PLAN_H
#define ACCORDI_OPENCL_PLAN_H

#include "base/base.h"

enum { ACCORDI_OPENCL_ARGUMENTS = 16 };

/* What an argument of the kernel is to the sum. */
enum accordi_opencl_place {
    ACCORDI_OPENCL_X,      /* the n terms */
    ACCORDI_OPENCL_ONES,   /* n ones, the second factors of a dot product */
    ACCORDI_OPENCL_N,      /* n as uint or int */
    ACCORDI_OPENCL_N_LONG, /* n as ulong or long */
    ACCORDI_OPENCL_OUT,    /* `parts` results */
    ACCORDI_OPENCL_SCRATCH /* local memory: a number for each work-item of a group */
};

typedef struct accordi_opencl_plan {
    char file[1024], kernel[128];
    char device[120]; /* "": the first with doubles */
    char build[512];  /* options of the compiler */
    char then[128];   /* the kernel that adds the parts; "": the host, from left to right */
    size_t local, global, parts;
    enum accordi_opencl_place argument[ACCORDI_OPENCL_ARGUMENTS];
    size_t arguments;
} accordi_opencl_plan;

/* Reads "FILE.cl:KERNEL[,SETTING=VALUE...]"; settings are in the table of opencl_plan.c.
 * ACCORD_ARG, with what would have been right. Opens nothing. */
enum accord_status accordi_opencl_plan_read(const char *text, accordi_opencl_plan *out,
                                            accord_error *error);
bool accordi_opencl_plan_has(const accordi_opencl_plan *plan, enum accordi_opencl_place place);

#endif
