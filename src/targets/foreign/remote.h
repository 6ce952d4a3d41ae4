/* This side of the worker process. Internal. */
#ifndef ACCORDI_REMOTE_H
#define ACCORDI_REMOTE_H

#include "base/child.h"
#include "targets/foreign/channel.h"

/* A memory file of both processes. */
typedef struct accordi_memory {
    int fd;
    void *data;
    size_t bytes;
} accordi_memory;

struct accordi_remote {
    accordi_child child;
    accordi_control *control;
    accordi_memory control_memory, plan, arena;
    double timeout;
    accordi_spin spin;
    size_t size; /* of a number in dense rows */
    bool dead;   /* nothing more can be asked: `last` says why */
    accord_error last;
    char name[96];
};

/* Finds a program of accord's own: named by the environment, beside this program or library (as
 * built, as installed), or where installation puts it. false: it is not there. */
bool accordi_find_worker(const char *name, const char *variable, char *path, size_t size);

/* At least so many bytes; what is there stays. */
bool accordi_memory_grow(accordi_memory *m, size_t bytes);
/* Rings and waits for the reply to what stands in the control block. */
enum accord_status accordi_remote_ask(accordi_remote *r, uint32_t verb, accord_error *error);

#endif
