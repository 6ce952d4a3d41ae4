/* What comparisons under other circumstances found, in the words of the record. Internal. */
#ifndef ACCORDI_FINDINGS_H
#define ACCORDI_FINDINGS_H

#include "reveal/probes/ask.h"
#include "targets/target.h"
#include <accord/record.h>

/* A line for each circumstance: under which the order holds, and what is to be warned of. */
typedef struct accordi_findings {
    accordi_buffer held, warned;
} accordi_findings;

/* Adds the line of a circumstance under which `differ` of `sums` had other bits. True where the
 * circumstance gives a reason for that: then there is no order, and `reason` says why. */
enum { ACCORDI_REASON_SIZE = 300 };
bool accordi_findings_add(accordi_findings *findings, const accordi_circumstance *other,
                          uint64_t differ, uint64_t sums, char reason[ACCORDI_REASON_SIZE]);
/* Adds that nothing could be asked under the circumstance: what was found stands. */
void accordi_findings_untold(accordi_findings *findings, const accordi_circumstance *other,
                             const char *why);
/* ACCORD_NOMEM. */
enum accord_status accordi_findings_record(const accordi_findings *findings, accord_record *record,
                                           accord_error *error);
void accordi_findings_clear(accordi_findings *findings);

/* ---- arrival.c ---- */

/* How often all elements of a class had the same bits again: where the terms came in the same
 * order, and where they came in another one. */
typedef struct accordi_arrival {
    size_t same, other;
} accordi_arrival;
/* Counts arrivals for each class; class_of has the class of each element (NULL: there is only the
 * element that is asked for). False if the target cannot be asked. */
bool accordi_count_arrivals(const accord_target *target, uint64_t seed, const uint16_t *class_of,
                            size_t classes, accordi_arrival *out);
/* Does arrival decide? Then in words. */
bool accordi_arrival_decides(const accordi_arrival *found, char reason[ACCORDI_REASON_SIZE]);

/* Does the chosen element add in the same order while other elements have other terms? Adds a line
 * for programs; ACCORD_UNABLE with the reason if not. (among_others.c) */
enum accord_status accordi_check_among_others(accordi_asker *asker, accordi_findings *findings);

#endif
