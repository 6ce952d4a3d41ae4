/* Models that differ from the one that was found in one parameter, and inputs that tell which of
 * them the target follows. Internal; see rivals.c. */
#ifndef ACCORDI_RIVALS_H
#define ACCORDI_RIVALS_H

#include "reveal/inputs/replays.h"

typedef struct accordi_rivals {
    size_t asked;   /* inputs drawn on purpose that were put to the target */
    size_t refuted; /* of them, those on which the model that is left gives other bits */
    bool at_ends;   /* all of these have terms or sums next to the greatest number or the least */
    /* Models that no input of the search tells from the one that is left; owned. */
    accord_alternative open[ACCORD_ALTERNATIVES_KEPT];
    size_t opens;
    /* Others that agree with all replays, and for which there was no room to search or to ask for
     * inputs that tell them from the one that is left. */
    size_t unasked;
    /* Some sums that are zero have the other sign than in any model here. */
    bool other_zero;
    bool no_number; /* some that are too large are NaN, and infinite in any model here */
    /* Some results are NaN where products of terms with factors of their neighbors overflow. */
    bool overflows_beside;
    /* Of some products that are too small for the format of the sum no input shows whether they are
     * fused into it. */
    bool small_products;
    bool zeros_sampled; /* at some nodes nothing was asked about the signs of zeros */
} accordi_rivals;
void accordi_rivals_clear(accordi_rivals *rivals);

/* Puts into *inout, which agrees with all replays, the model among it and its rivals that agrees
 * with the target on inputs that part them. With `refuted` above 0 none of them does. The factors
 * of the target are neutral before and after (ask.h). */
enum accord_status accordi_rivals_part(accordi_asker *asker, const accord_tree *tree,
                                       const accordi_replays *replays, accord_arithmetic **inout,
                                       accordi_rivals *out);

/* ---- one parameter changed: rivals_table.c ---- */

typedef struct accordi_rival {
    accord_arithmetic *how; /* NULL: there are no more */
    bool named;             /* where no input parts it from the base, people should be told */
    bool end;               /* it differs in what is done with the last sum alone */
    bool zeros;             /* it is about zeros: their signs, or products that are left out */
    bool of_zeros;          /* it gives another result only where that of the base is zero */
    bool late; /* no inputs are searched for it, because its replays are slow: it is tried
                  when the base contradicts an answer */
} accordi_rival;

/* Makes the next rival of `base` at or after *at, and moves *at past it. */
enum accord_status accordi_rival_next(accordi_asker *asker, const accord_tree *tree,
                                      const accord_arithmetic *base, size_t *at,
                                      accordi_rival *out);

/* Each node fuses child leaf[k], or none for -1; a step of a machine is left as it is.
 * ACCORD_UNSUPPORTED for too many operations. */
enum accord_status accordi_rival_fuse(const accord_tree *tree, const int8_t *leaf,
                                      accord_arithmetic *inout, accord_error *error);

/* Times a factor that can be reckoned to be the same as a division by a whole number is called
 * that, which is what most write. */
void accordi_rival_settle(accordi_asker *asker, const accord_tree *tree, accord_arithmetic *inout);

/* ---- inputs drawn on purpose: rivals_inputs.c ---- */

/* The first so many inputs are about the signs of zeros; of products, so many more are nothing but
 * zeros, and then so many have a zero times infinity. */
enum {
    ACCORDI_RIVAL_ZEROS = 10,
    ACCORDI_RIVAL_SIGNS = 24,
    ACCORDI_RIVAL_INFINITE = 8,
    ACCORDI_RIVAL_ALWAYS = ACCORDI_RIVAL_ZEROS + ACCORDI_RIVAL_SIGNS + ACCORDI_RIVAL_INFINITE,
    ACCORDI_RIVAL_GAPS = 24
};

/* What an input is about. */
typedef struct accordi_purpose {
    const accordi_draw *draw; /* of ordinary inputs: n, format and type of all inputs */
    const accord_arithmetic *how;
    const accord_tree *tree;
    bool has_start;
    int gap[ACCORDI_RIVAL_GAPS]; /* for inputs of few bits: distances at which something is rounded
                                  */
    size_t gaps;
} accordi_purpose;

/* Fills input number `row` of x, and of y unless that is NULL, n values each. */
void accordi_rival_input(const accordi_purpose *purpose, size_t row, void *x, void *y);

/* The same with a product, or a sum, next to the least normal number. */
void accordi_rival_least(const accordi_purpose *purpose, size_t row, void *x, void *y);

/* The same with an input of few bits, where roundings meet: rivals_hard.c. The distances are listed
 * before, for the purpose's model. */
void accordi_rival_gaps(accordi_purpose *purpose);
void accordi_rival_hard(const accordi_purpose *purpose, size_t row, void *x, void *y);

/* The same with an input in which a narrow result shows the order of wider sums; false, and nothing
 * is filled, where there is none: rivals_hidden.c. */
bool accordi_rival_hidden(const accordi_purpose *purpose, size_t row, void *x, void *y);

/* The same at the ends of the range: rivals_edges.c. */
void accordi_rival_edge(const accordi_purpose *purpose, size_t row, void *x, void *y);

/* A sum that the format of the last addition holds, and its parts, which the format of terms holds
 * and which add up exactly in every order; returns how many (at most 4). */
size_t accordi_rival_sum(const accordi_purpose *purpose, size_t row, double *sum, double part[4]);

#endif
