/* What the notation of an opencl: target says. Internal; shared with the program that runs it. */
#ifndef ACCORDI_OPENCL_PLAN_H
#define ACCORDI_OPENCL_PLAN_H

#include "base/base.h"

enum { ACCORDI_OPENCL_ARGUMENTS = 16 };

/* What an argument of the kernel is to the sums. Counts are uint or int, or ulong or long. */
enum accordi_opencl_place {
    ACCORDI_OPENCL_X,            /* the n terms of each row, row by row */
    ACCORDI_OPENCL_X_TRANSPOSED, /* the first terms of all rows, the second ones of all … */
    ACCORDI_OPENCL_Y,            /* n second factors of products, which are asked for, too */
    ACCORDI_OPENCL_ONES,         /* n ones for each column, the second factors of products */
    ACCORDI_OPENCL_N,
    ACCORDI_OPENCL_N_LONG,
    ACCORDI_OPENCL_ROWS,
    ACCORDI_OPENCL_ROWS_LONG,
    ACCORDI_OPENCL_COLUMNS,
    ACCORDI_OPENCL_COLUMNS_LONG,
    ACCORDI_OPENCL_ONE,            /* the number 1 as a term: alpha */
    ACCORDI_OPENCL_ZERO,           /* the number 0: beta */
    ACCORDI_OPENCL_OUT,            /* `parts` times the results, row by row */
    ACCORDI_OPENCL_OUT_TRANSPOSED, /* the same, column by column */
    ACCORDI_OPENCL_SCRATCH         /* local memory: a number for each work-item of a group */
};

/* Work-items in three directions; 0: not given. */
typedef struct accordi_opencl_size {
    size_t along[3];
} accordi_opencl_size;
size_t accordi_opencl_items(const accordi_opencl_size *size);

typedef struct accordi_opencl_plan {
    char file[1024], kernel[128];
    char device[120]; /* "": the first with doubles */
    char build[512];  /* options of the compiler */
    char then[128];   /* the kernel that adds the parts; "": the host, from left to right */
    accordi_opencl_size local, global, then_local, then_global;
    size_t rows, columns, parts;
    enum accordi_opencl_place argument[ACCORDI_OPENCL_ARGUMENTS];
    size_t arguments;
} accordi_opencl_plan;

/* Reads "FILE.cl:KERNEL[,SETTING=VALUE...]"; settings are in the table of opencl_plan.c.
 * ACCORD_ARG, with what would have been right. Opens nothing. */
enum accord_status accordi_opencl_plan_read(const char *text, accordi_opencl_plan *out,
                                            accord_error *error);
/* How many results a sum has. */
size_t accordi_opencl_results(const accordi_opencl_plan *plan);
bool accordi_opencl_plan_has(const accordi_opencl_plan *plan, enum accordi_opencl_place place);

#endif
