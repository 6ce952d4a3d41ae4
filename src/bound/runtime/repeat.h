/* What keeps a process that repeats a segment of a run from doing any harm. Internal. */
#ifndef ACCORDI_REPEAT_H
#define ACCORDI_REPEAT_H

#include "bound/runtime/first_order.h"
#include <sys/types.h>

/* Why segments of this program cannot be repeated, as far as can be seen now; NULL: they can. */
const char *accordi_repeat_possible(void);
/* A copy of a file of our own, with a high number, which repeating processes keep; -1 on failure.
 */
int accordi_repeat_keep(int file);
/* A file that they keep as well, and memory of our own that they share. */
void accordi_repeat_keep_open(int file);
void accordi_repeat_own(const void *memory);
/* Notes where files are read from now on. */
void accordi_repeat_remember(void);
/* In the new process: it ends when its parent does. */
void accordi_repeat_die_with(pid_t parent);
/* Files are read where they were then, everything that could be written goes nowhere, and nothing
 * else is allowed: a process that tries is killed, and so is one that reads what can be read only
 * once, or computes for longer than so many seconds. False: that is not possible. */
bool accordi_repeat_safely(unsigned seconds);

#endif
