/* What a target of the kind "command", or of one that is a command underneath, holds. Internal. */
#ifndef ACCORDI_COMMAND_STATE_H
#define ACCORDI_COMMAND_STATE_H

#include "targets/program/command.h"

typedef struct accordi_command {
    accordi_talk talk;
    accordi_speech speech;
    bool products;           /* whose second factors are asked for */
    accordi_records records; /* of these; else empty */
    size_t block;            /* so many share scales; 0: they do not */
    enum accord_format scale;
    char version[320];              /* what the program said of itself */
    char program[4096];             /* its true path; "" where it is not known */
    size_t rows, columns;           /* of the results of each sum */
    bool shares;                    /* rows may have terms of their own in one call */
    bool copies;                    /* columns should be the same */
    size_t element;                 /* that a batch asks for */
    const accord_target_kind *kind; /* that it was started as */
    char *line;                     /* what started it */
    double starting;                /* seconds until it had greeted */
    bool dead;
    accord_error last;
} accordi_command;

/* Passes the status on; a failure, which is c->last, is kept, and the program is not spoken to
 * again: asking.c. */
enum accord_status accordi_command_conclude(accordi_command *c, enum accord_status status,
                                            accord_error *error);

#endif
