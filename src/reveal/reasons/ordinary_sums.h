/* Asks a target for sums of small whole numbers, with which every reason is compared. Internal.
 *
 * A target that was refused is asked for the sums of small whole numbers: zeros, single terms, a
 * few terms among zeros, ones, minus ones or twos. Sums of such numbers are exact in any order and
 * in almost any arithmetic, so any other result is not a rounding error. All hypotheses about
 * what the target is (functions.c, weights.c, shapes.c) are compared with the same answers, which
 * are asked for once; magnitudes.c asks what a single term becomes from the least to the greatest
 * power of two. A hypothesis counts as established only when every answer agrees with it. */
#ifndef ACCORDI_ORDINARY_H
#define ACCORDI_ORDINARY_H

#include "reveal/probes/ask.h"

enum { ACCORDI_FEW_TERMS = 8, ACCORDI_MOST_ROWS = 96, ACCORDI_GREATEST_AMOUNT = 4 };

/* All terms hold `fill`, but for `count` of them. */
typedef struct accordi_row {
    double fill;
    size_t count;
    uint32_t at[ACCORDI_FEW_TERMS];
    double value[ACCORDI_FEW_TERMS];
    double result;
    double sum, magnitude; /* of the terms, and of their magnitudes */
    bool exact;            /* in any order, in the formats of terms and result */
} accordi_row;

typedef struct accordi_ordinary {
    accordi_asker *asker;
    int precision; /* the lesser one of terms and result */
    size_t terms;
    uint32_t term[ACCORDI_FEW_TERMS]; /* ascending; the first two and the last two are neighbors */
    accordi_row row[ACCORDI_MOST_ROWS];
    size_t rows;
    double zeros;                     /* the result where all terms are 0 */
    double single[ACCORDI_FEW_TERMS]; /* 1 at term[i], among zeros */
    /* amount[v + GREATEST_AMOUNT]: v at term[0], among zeros */
    double amount[2 * ACCORDI_GREATEST_AMOUNT + 1];
} accordi_ordinary;

/* Asks; `named` is a term to be among those that vary, ACCORD_TREE_NO_NODE: none. */
enum accord_status accordi_ordinary_ask(accordi_asker *asker, uint32_t named,
                                        accordi_ordinary *out);

/* Bounds what rounding may do to a row, as a share of the magnitudes that are added. */
double accordi_ordinary_slack(const accordi_ordinary *o, const accordi_row *row);

/* The terms of a row, n values. */
void accordi_ordinary_terms(const accordi_ordinary *o, const accordi_row *row, double *x);

/* The hypotheses. Each sets asker->error and returns true when it is established. Errors of asking
 * are left in asker->status. */
typedef bool accordi_hypothesis(const accordi_ordinary *o);
accordi_hypothesis accordi_is_constant, accordi_is_one_term, accordi_is_function, accordi_is_bits,
    accordi_is_weighted, accordi_is_clamped, accordi_is_rectified, accordi_is_of_the_sum,
    accordi_is_of_terms, accordi_is_of_magnitudes;

/* What a hypothesis gives for n terms. */
typedef double accordi_due(const double *x, size_t n, const void *hypothesis);
/* Whole numbers cannot tell "above 0" from "at least 1". Asks again for a quarter of each term in
 * the rows of terms among zeros: is every result the one that is due? */
bool accordi_agrees_in_quarters(const accordi_ordinary *o, accordi_due *due,
                                const void *hypothesis);

/* Is every row the sum of the terms, of their magnitudes or squares, or the root of the latter,
 * times one factor? *value: of the terms themselves. */
bool accordi_is_plain_sum(const accordi_ordinary *o, bool *value);

/* Where ordinary numbers add up: is that so for large and small ones? */
accordi_hypothesis accordi_is_limited;
/* Does the order depend on which terms are 0? */
accordi_hypothesis accordi_leaves_out_zeros;

/* Do equal questions give equal answers? ACCORD_UNABLE with the reason if not. Of small terms, or
 * of large ones (which show when the target holds a large sum). */
enum accord_status accordi_check_history(accordi_asker *asker, bool large);
/* The same at the cost of three questions, for every target before anything else is asked: a state
 * that large terms have driven to infinity no longer shows. */
enum accord_status accordi_glance_at_history(accordi_asker *asker);

/* Does it read or write beside its operands, or write into them? ACCORD_UNABLE with the reason. */
enum accord_status accordi_check_memory(accordi_asker *asker);
/* Does the order depend on the place of a sum in a batch of at most `most`, where the target gets
 * several at once? The same. */
enum accord_status accordi_check_positions(accordi_asker *asker, size_t most);
/* Does the element that is asked for depend on the operands of others? The same. */
enum accord_status accordi_check_other_elements(accordi_asker *asker);
/* Does the order hold under the other circumstances that the kind of the target names? Where it
 * does is said in record->circumstances, where it does not in record->warnings; ACCORD_UNABLE if
 * results depend on the time when terms arrive. */
enum accord_status accordi_check_circumstances(accordi_asker *asker, accord_record *record);
/* Adds what was seen in memory that is no reason to refuse, an item a line; false without memory.
 */
bool accordi_list_warnings(const accordi_asker *asker, char **field);

/* Of a target that was refused: replaces *error where results depend on when the terms arrive. */
void accordi_name_arrival(accord_target *target, uint64_t seed, accord_error *error);
/* Is the reason about something beside the order, e.g. memory that is read outside the operands? */
bool accordi_reason_is_beside(enum accord_reason reason);

/* What a target that was refused is, as far as that can be established: replaces the reason and
 * text of *error where a better one was found, or where the one given is contradicted. */
void accordi_diagnose(accordi_asker *asker, accord_error *error);

#endif
