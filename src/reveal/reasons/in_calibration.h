/* Reasons that are found during calibration, before the search for an order. Internal. All
 * functions set the error and return ACCORD_UNABLE with the reason that they find. */
#ifndef ACCORDI_ODDITIES_H
#define ACCORDI_ODDITIES_H

#include "reveal/probes/ask.h"

/* Does every term count once? Needs mask, unit, bits, scale. */
enum accord_status accordi_check_terms(accordi_asker *asker);
/* Are the results of a batch the same in which each probe is asked so many times in turn? */
enum accord_status accordi_check_same(accordi_asker *asker, size_t times);
/* Do the same inputs give the same results? Needs the unit. */
enum accord_status accordi_check_repeats(accordi_asker *asker);
/* Why is nothing swallowed? */
enum accord_status accordi_exact_or_compensated(accordi_asker *asker, bool narrow);
/* Where sums saturate, masks show no order, and what is asked of many terms to tell why takes long.
 * Of many terms: do the two largest ones give the same result? */
enum accord_status accordi_check_bound(accordi_asker *asker);
/* Why did no single term reach the result? */
enum accord_status accordi_none_counts(accordi_asker *asker);
/* The reason is one term, which is lost or counts twice; remembers it in asker->blamed. */
enum accord_status accordi_blame(accordi_asker *asker, size_t term, bool twice);
/* What looks strange may come from a single term: then that is what the error says from now on.
 * Returns `status`. */
enum accord_status accordi_blame_a_term(accordi_asker *asker, enum accord_status status);

#endif
