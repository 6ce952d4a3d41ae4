/* Programs run in a process group of their own that dies with this process. Internal. */
#ifndef ACCORDI_CHILD_H
#define ACCORDI_CHILD_H

#include "base/base.h"
#include <sys/types.h>

typedef struct accordi_child {
    pid_t pid;     /* of the leader and of its group; 0 when there is none */
    int lifeline;  /* while this end is open the group may live */
    bool together; /* it is in our process group, and alone in what a kill means */
    bool ended;    /* set by accordi_child_ended */
    int signal;    /* that ended it, 0: it exited */
    int code;      /* with this; -1 when the system could not tell */
} accordi_child;

typedef struct accordi_child_files {
    int in;        /* its standard input; -1: /dev/null */
    int out;       /* its standard output; -1: the same as standard error */
    int others[4]; /* appear as 3, 4, … */
    size_t count;
    int error; /* its standard error; 0: ours */
    /* It stays in our process group, so that it may read from the terminal, and the terminal's
     * signals reach it. */
    bool together;
    /* It starts processes of its own elsewhere, as launchers of ranks do, and tidies up after them:
     * when this process ends it gets SIGTERM, which it heeds, and not SIGKILL. */
    bool tidies;
    char *const *environment; /* NULL: ours */
} accordi_child_files;

/* Starts argv[0] (a path). ACCORD_TARGET when it cannot be executed,
 * ACCORD_IO when the system refuses a process. Safe in programs with threads. */
enum accord_status accordi_child_start(accordi_child *child, char *const argv[],
                                       const accordi_child_files *files, accord_error *error);

/* The environment that it was started with, for accordi_child_files; free() frees it. NULL: the
 * system does not say, or there is no memory. */
char **accordi_child_environment(const accordi_child *child);

/* Whether it has ended, without waiting; fills ended, signal and code. It is not reaped yet. */
bool accordi_child_ended(accordi_child *child);

/* Waits up to `seconds` for its end. */
bool accordi_child_wait(accordi_child *child, double seconds);

/* Kills what is left of the group, or only the leader if it is in ours, and reaps. Fine when there
 * is no child. */
void accordi_child_kill(accordi_child *child);

/* Asks what is left of it to end, with SIGTERM, so that it can tidy up; kills it after so many
 * seconds. */
void accordi_child_end(accordi_child *child, double seconds);

/* "crashed with signal 11 (Segmentation fault)" or "exited with status 3". */
void accordi_child_fate(const accordi_child *child, char *text, size_t size);

#endif
