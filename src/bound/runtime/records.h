/* The raw report, and what the runtime does with memory for the functions of libc. Internal. */
#ifndef ACCORDI_RECORDS_H
#define ACCORDI_RECORDS_H

#include "bound/runtime/slow.h"

/* ---- memory.c ---- */

/* Does a number that is no point stand in these bytes? */
bool accordi_any_volatile(const void *from, size_t bytes);
/* The shadow of a number that comes from outside. */
void accordi_input(accordi_shadow *out, double x);
/* The shadow of the number that starts at p, with `left` bytes to the end; false: there is none. */
bool accordi_find(const void *p, size_t left, bool *narrow, accordi_shadow *out);

/* ---- records.c ---- */

/* A number left the program. */
void accordi_output(uint32_t site, double x, const accordi_shadow *a, bool narrow);
/* Writes what is known so far. */
void accordi_flush(void);
/* The raw report ends here, once. */
void accordi_end(const char *status);
/* The program cannot be followed: says why, and exits with status 3. */
_Noreturn void accordi_give_up(const char *why);

#endif
