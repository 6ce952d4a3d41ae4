/* Guessing orders whose last sums are wider than the others. Internal; see guess_widths.c. */
#ifndef ACCORDI_GUESS_WIDTHS_H
#define ACCORDI_GUESS_WIDTHS_H

#include "reveal/discover/excesses.h"

/* Both take an extension whose context is a guesser. */

/* Is the last term in wider sums than others? What is known of it tells that of most orders,
 * without a question. */
bool accordi_widths_last(accordi_extension *e);

/* Guesses the order of the terms that the asker asks alone, as one of one width. */
typedef enum accord_status accordi_part_guess(accordi_positive_asker *p, accord_tree **out);
/* Where that is so. *out is NULL where no guess held; else the asker's two_widths is
 * set. */
enum accord_status accordi_guess_widths(accordi_extension *e, accordi_part_guess *guess,
                                        accord_tree **out);

#endif
