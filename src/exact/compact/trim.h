/* The limbs of a compact accumulator that say what its number is. Internal to the folder. */
#ifndef ACCORDI_COMPACT_TRIM_H
#define ACCORDI_COMPACT_TRIM_H

#include "exact/compact/compact.h"

/* word[0] … word[count - 1] are limbs low, low + 1, … of the full accumulator: all but the last in
 * [0, 2^32), the last, which carries the sign, in [-2^31, 2^31); the first is not zero, and no
 * fewer would do. The number 0 has none. */
typedef struct accordi_compact_trimmed {
    int64_t word[ACCORD_EXACT_WIDE_LIMBS + 1];
    int low, count;
} accordi_compact_trimmed;

void accordi_compact_trim(const accordi_compact *sum, accordi_compact_trimmed *out);
/* The same of limbs start, start + 1, … of a full accumulator. */
void accordi_compact_trim_limbs(const int64_t *word, int limbs, int start,
                                accordi_compact_trimmed *out);

/* Adds that number, and terms by their counts; see accordi_compact_merge. */
bool accordi_compact_put_trimmed(accordi_compact **sum, const accordi_compact_trimmed *t,
                                 const int64_t count[ACCORD_EXACT_COUNTS],
                                 const accordi_compact_memory *memory);

/* Writes the compact form (accord/exact.h) of such a number, and returns its bytes; reads it, with
 * *t and count, which say what was read only on success, in the range of a full accumulator. */
enum { ACCORDI_COMPACT_MARK = 'A' };
size_t accordi_compact_put_form(unsigned char *bytes, bool products,
                                const accordi_compact_trimmed *t,
                                const int64_t count[ACCORD_EXACT_COUNTS]);
enum accord_status accordi_compact_take_form(const void *bytes, size_t length, bool products,
                                             accordi_compact_trimmed *t,
                                             int64_t count[ACCORD_EXACT_COUNTS],
                                             accord_error *error);

/* The last 8 bytes of the form on the wire, of the bytes before them, whose number is a multiple of
 * 4. Each group of 4 bytes is a step that can be undone, so a change of one group always shows. No
 * secret is in it: it is a guard against damage alone. */
uint64_t accordi_compact_check(const unsigned char *bytes, size_t length);

#endif
