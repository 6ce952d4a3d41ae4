/* Questions about sums that cannot be negative, and what their answers tell of an order as it
 * grows. Internal; see excesses.c. */
#ifndef ACCORDI_EXCESSES_H
#define ACCORDI_EXCESSES_H

#include "reveal/discover/extension.h"
#include "reveal/nonnegative/expect.h"
#include "reveal/nonnegative/nonnegative.h"

typedef struct accordi_answered {
    accordi_rounding question;
    uint32_t terms; /* it is about the first so many */
    uint32_t steps; /* the excess, as far as the result shows it */
} accordi_answered;

enum { ACCORDI_PLACE_PAIRS = 256 };

typedef struct accordi_guesser {
    accordi_positive_asker *p;
    accordi_expected x;
    bool counted;   /* are excesses counted, or only seen? */
    double step;    /* one last place: of the result where a root is taken, or else of the sum */
    uint32_t *seen; /* so many steps of the result an excess is; 0 or 1 where it is only seen */
    double unit;    /* the operand */
    unsigned least; /* at most one term in 2^least has a unit: sums of these are exact */
    bool densest;   /* had so many in the last question */
    accordi_answered known[ACCORDI_KNOWN];
    uint32_t turn;  /* of the questions that are not chosen among others */
    uint32_t *left; /* the places that the next term may still have … */
    uint32_t lefts;
    uint32_t firsts; /* … first those above the first term, at which loops begin again */
    uint32_t pair[ACCORDI_PLACE_PAIRS][2]; /* of these */
} accordi_guesser;

/* For the order in `g`; the asker has been calibrated. NULL: see the asker's status. */
accordi_guesser *accordi_guesser_new(accordi_positive_asker *p, const accordi_growth *g);
void accordi_guesser_free(accordi_guesser *q);

/* What follows takes an extension whose context is a guesser. */

/* Fills in the steps. False if the result is that of no such sum. */
bool accordi_excess_ask(accordi_extension *e, accordi_answered *a);
/* Are these steps some that are due? */
bool accordi_excess_fits(const accordi_guesser *q, accordi_excess due, uint32_t steps);
/* A random question with the mask at a term, and how many of them to choose from. `sparse`: few
 * units are as likely as many, which tell balanced orders apart, as they are all rounded by
 * themselves there; where excesses are only seen, this is always so. `apart`: as in the question.
 */
accordi_rounding accordi_excess_draw(accordi_extension *e, uint32_t mask, bool sparse,
                                     unsigned apart);
uint32_t accordi_excess_tries(uint32_t terms);
/* Keeps an answer, which tests of later terms may use. */
void accordi_guesser_keep(accordi_extension *e, const accordi_answered *a);

/* No node of a growth. */
enum { ACCORDI_NOWHERE = 1 };
/* Asks where the next term goes, `calls` times at least, until one place is left, or not the one
 * that is expected, if any is (places.c). Returns its node, or ACCORDI_NOWHERE. */
uint32_t accordi_guesser_place(accordi_extension *e, uint32_t expected, uint32_t calls);

#endif
