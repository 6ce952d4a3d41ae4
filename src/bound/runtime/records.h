/* The raw report, and what the runtime does with memory for the functions of libc. Internal. */
#ifndef ACCORDI_RECORDS_H
#define ACCORDI_RECORDS_H

#include "bound/runtime/slow.h"

/* ---- memory.c ---- */

/* Does a number that is no point stand in these bytes? */
bool accordi_any_volatile(const void *from, size_t bytes);
/* The shadow of a number that comes from outside. */
void accordi_input(accordi_shadow *out, double x);
/* Gives the number at p a plain or special shadow. */
void accordi_keep(const void *p, const accordi_shadow *a, bool narrow);
/* The shadow of the number that starts at p, with `left` bytes to the end; false: there is none. */
bool accordi_find(const void *p, size_t left, bool *narrow, accordi_shadow *out);
/* The same for long double; *out is left as it is if there is none. */
bool accordi_find_long(const void *p, accordi_shadow *out);

bool accordi_is_volatile_float(const void *p);

/* ---- parts.c ---- */

/* Is a part of a number that is no point, or numbers of another size, where a number is loaded that
 * has no shadow? */
bool accordi_is_part(const void *p, size_t bytes);
/* Is this address within a double that is no point and that starts before; and one that goes on? */
bool accordi_begins_inside(const void *p);
bool accordi_ends_inside(const void *end);
/* The word at `to`, which gets the bits of the word at `from`, is unknown. */
void accordi_lose_word(const void *to, const void *from);
extern const char accordi_part_text[];

/* ---- unset.c ---- */

/* From here on these bytes count as not set; and do any of them? */
void accordi_unset(const void *p, size_t bytes);
bool accordi_is_unset(const void *p, size_t bytes);
/* Whether bytes are set, of those that are about to be copied. Slots that are not such marks stay
 * as they are. */
void accordi_move_unset(const char *to, const char *from, size_t bytes);
extern const char accordi_unset_text[];
/* Is it to be taken as it is? Counts that at the site. */
bool accordi_keeps_unset(uint32_t site);
static inline bool accordi_marks_unset(const void *slot)
{
    return ((const accordi_slot_unset *)slot)->mark == ACCORDI_UNSET;
}

/* ---- memory.c, continued ---- */

/* The mark of a number that has a shadow in memory. */
accordi_mark accordi_tape_mark(const void *p);

/* ---- records.c ---- */

/* Where a number stands among what the program wrote: which argument of printf or call of fwrite it
 * was, counted as src/cli/programs/capture.c records them, and the byte in it. event -1: such a
 * record is not made for it. */
typedef struct accordi_position {
    int64_t event;
    size_t offset;
} accordi_position;
/* How many there were. */
extern int64_t accordi_events;
/* The position of the next argument of printf. */
accordi_position accordi_next_position(uint32_t site);
/* A number left the program. */
void accordi_output(uint32_t site, accordi_position at, double x, const accordi_shadow *a,
                    bool narrow);
/* A decision is unstable: the outputs until now depend on none. */
void accordi_decided(void);
/* First-order spread of an output, and the part of it that comes from a site. NaN: not known. */
void accordi_put_first(uint64_t output, double spread);
void accordi_put_share(uint64_t output, uint32_t site, double spread);
/* An input was set so many times, at last at this site, and had its own value in `own` of them.
 * `renewed` numbers were assigned anew before they were read, first at another site. */
void accordi_put_input(uint32_t input, uint32_t site, uint64_t set, uint64_t own,
                       const char *format, uint64_t renewed, uint32_t renewed_at);
/* Writes all places where inputs are set. */
void accordi_name_inputs(void);
void accordi_put_margin(uint32_t site, double distance);
void accordi_put_input_value(uint32_t input, double x);
/* What the tape took, and why some numbers have no first-order spread; NULL: all have. */
void accordi_put_tape(uint64_t nodes, uint64_t bytes, uint64_t segments, const char *why);
/* Writes what is known so far. */
void accordi_flush(void);
/* This process writes nothing any more. */
void accordi_mute(void);
bool accordi_is_muted(void);
/* Another path goes on in this process, from a decision at `site` on path `from`; and how a path
 * ended: the signal, or 0. */
void accordi_start_path(uint32_t id, uint32_t from, uint32_t site);
void accordi_put_fate(uint32_t id, int signal);
/* The raw report ends here, once. */
void accordi_end(const char *status);
/* The program cannot be followed: says why, and exits with status 3. */
_Noreturn void accordi_give_up(const char *why);

#endif
