/* Orders of sums whose terms cannot be negative, such as norms. A target comes in, and a proven
 * tree goes out. Internal; see nonnegative.c. */
#ifndef ACCORDI_POSITIVE_H
#define ACCORDI_POSITIVE_H

#include "reveal/discover/rooted.h"

/* Are the terms of this target never negative? The target says so, or f(-1) = f(1) < f(1, -1).
 * *term: ACCORD_TERM_ABSOLUTE or ACCORD_TERM_SQUARE (with or without a root at the end). */
enum accord_status accordi_positive_needed(accordi_asker *asker, bool *needed,
                                           enum accord_term *term);

/* Calibrates and discovers a binary order; sets mask, unit, bits and scale of the asker (mask and
 * unit are operands, not terms). ACCORD_UNABLE with the reason where the order does not show.
 * `guess` is tried first, of many terms, where a proof follows: *out is NULL where none held. It
 * sets the asker's two_widths where that is what it found. After two orders that were refuted it is
 * not tried. NULL: never. */
typedef struct accordi_positive_asker accordi_positive_asker;
typedef enum accord_status accordi_positive_guess(accordi_positive_asker *p, accord_tree **out);
enum accord_status accordi_positive(accordi_asker *asker, accordi_positive_guess *guess,
                                    accord_tree **out);

/* Calibrates a sum whose terms may be negative, and whose scale is known, to be asked as if they
 * were not: by rounding, and not by masks that cancel. Changes nothing of the asker. */
enum accord_status accordi_positive_as_if(accordi_asker *asker, accordi_positive_asker *p);

/* Whether sums wider than the result could be seen, in which of its nodes they are: where
 * asker->two_widths is set, the two functions here look for that. */
bool accordi_positive_may_widen(const accordi_asker *asker);

/* Calibrates anew and confirms every inner node by two probes. A node that is not the target's, or
 * has more than two children, leaves *holds false; where three terms meet as in no binary tree,
 * ACCORD_UNABLE with the reason. */
enum accord_status accordi_positive_prove(accordi_asker *asker, const accord_tree *tree,
                                          accordi_certificate *out, bool *holds);

/* Confirms every inner node of a binary tree as a proof does, with an asker that is calibrated. */
enum accord_status accordi_positive_verify(accordi_positive_asker *p, const accord_tree *tree,
                                           bool *holds);

/* What follows is shared by the files of this folder alone. */

enum { ACCORDI_HELPERS = 8 };

/* Operands with which an accumulator of `width` bits shows by rounding what meets what. */
typedef struct accordi_operands {
    int width;
    double mask; /* term(mask) swallows term(unit), but not twice that */
    double unit; /* its term is between a quarter and half of the mask's last bit */
    double helper[ACCORDI_HELPERS]; /* on further terms: put the sum where the result rounds up */
    int helpers;
    double beside; /* three terms in all: at a, with the unit at b alone, and what meets is seen by
                      the result that is *not* exceeded; 0: not so */
} accordi_operands;

struct accordi_positive_asker {
    accordi_asker *asker;
    enum accord_term term;
    bool root;        /* the result is the square root of the sum */
    bool brief;       /* as calibrated */
    bool toward_zero; /* sums are rounded so, or down */
    accordi_operands operands;
    double base;           /* what mask and helper alone give */
    size_t like_a_tree;    /* of the threes last asked, those that met as in a tree */
    bool one_or_all;       /* all of these did, or exceeded the mask wherever it stood */
    accordi_operands wide; /* width 0: not known yet; these have an operand `beside` */
    double wide_base;
};

/* How a sum of two terms is rounded, as far as the result shows it (directions.c). */
enum accordi_direction { ACCORDI_TO_NEAREST, ACCORDI_TO_ZERO, ACCORDI_UPWARD };
enum accord_status accordi_positive_direction(accordi_positive_asker *p,
                                              enum accordi_direction *out);

/* Operands for a width; false where the formats hold none, or the target has too few terms. */
bool accordi_positive_operands(const accordi_positive_asker *p, int width, accordi_operands *out);
/* The mask and unit for a width, where a sum of `mask` is in [2^exponent, 2^(exponent + 1)), moved
 * up as far as the formats need: *factor is what both were multiplied by. */
bool accordi_positive_plain(const accordi_positive_asker *p, int width, double mask, int exponent,
                            accordi_operands *out, double *factor);
/* The same with helpers that are found by asking where the result takes a step (steps.c);
 * *found: whether there are any. The target has three terms or more. */
enum accord_status accordi_positive_step(accordi_positive_asker *p, int width,
                                         accordi_operands *out, bool *found);
/* Operands with one `beside`. Of roots there are more variants than 0: some show where the sum is
 * rounded to the result's width before its root is taken. */
enum { ACCORDI_VARIANTS = 16 };
bool accordi_positive_three(const accordi_positive_asker *p, int width, int variant,
                            accordi_operands *out);
/* One probe: the mask at c, units at `units` of the terms a, b; terms[0 … 2] = a, b, c. */
void accordi_positive_probe(const accordi_positive_asker *p, const accordi_operands *operands,
                            const uint32_t terms[3], int units);
/* Asks them all; `meet` as far as that shows: the sum exceeds the mask at c. ACCORD_UNABLE where a
 * result is impossible. */
enum accord_status accordi_positive_ask(accordi_positive_asker *p, accordi_rooted *rooted,
                                        size_t count);
/* For accordi_rooted_grow: the context is an asker of these. */
enum accord_status accordi_positive_triples(void *context, accordi_rooted *rooted, size_t count);
/* The same where nodes have two widths (two_widths.c). */
enum accord_status accordi_positive_ask_widths(accordi_positive_asker *p, accordi_rooted *rooted,
                                               size_t count);
/* The same where all of them meet in wide nodes alone. */
enum accord_status accordi_positive_ask_wide(accordi_positive_asker *p, accordi_rooted *rooted,
                                             size_t count);
/* Of a three that exceeds the mask wherever it stands: *meet where a and b meet before c, and no
 * other tree, of whatever widths, would answer so. */
enum accord_status accordi_positive_confirm_wide(accordi_positive_asker *p,
                                                 const accordi_rooted *three, bool *meet);
/* Finds the operands for the narrow nodes. */
enum accord_status accordi_positive_narrow(accordi_positive_asker *p);
/* Finds all that is in the asker above, or the reason why there is none. `brief`: with fewer of the
 * questions that only look for reasons, where a proof follows, which calibrates again. */
enum accord_status accordi_positive_calibrate(accordi_asker *asker, bool brief,
                                              accordi_positive_asker *p);

/* Finds what a term is, whether a root is taken, and the scale. */
enum accord_status accordi_positive_identify(accordi_positive_asker *p);
/* Does every term count once? Needs all of the above. */
enum accord_status accordi_positive_check_terms(accordi_positive_asker *p);
/* What looks strange may come from a single term: then that is what the error says from now on. */
enum accord_status accordi_positive_blame(accordi_positive_asker *p);
/* Are sums of small whole numbers right? If not, always ACCORD_UNABLE (or worse): terms are scaled,
 * or this is no such sum. */
enum accord_status accordi_positive_check_sums(accordi_positive_asker *p);
/* Says that additions are of several widths, or of more than two terms, or (where that is likely)
 * that the sum is compensated: always ACCORD_UNABLE (or worse). */
enum accord_status accordi_positive_not_binary(accordi_positive_asker *p, bool likely);
/* Three terms exceed the mask wherever it stands: always ACCORD_UNABLE (or worse). */
enum accord_status accordi_positive_all_kept(accordi_positive_asker *p);
/* Sums are rounded in one direction, and their order does not show: always ACCORD_UNABLE (or
 * worse).
 */
enum accord_status accordi_positive_directed(accordi_positive_asker *p,
                                             enum accordi_direction direction);
/* They never do. */
enum accord_status accordi_positive_all_lost(accordi_positive_asker *p);

/* What three random terms do, each of them in turn with the mask. (Where there is an operand
 * `beside`, what is not exceeded counts as exceeded.) */
enum accordi_pattern {
    ACCORDI_NO_OPERANDS,
    ACCORDI_SHOWS,  /* one of three positions of the mask exceeds it, and no single unit does */
    ACCORDI_KEPT,   /* all of them */
    ACCORDI_LOST,   /* none, and no single unit does */
    ACCORDI_MOSTLY, /* at least half of them */
    ACCORDI_MIXED   /* anything else */
};
/* Asks some random threes with these operands. On ACCORDI_SHOWS p->operands and p->base are set. */
enum accord_status accordi_positive_judge(accordi_positive_asker *p,
                                          const accordi_operands *operands,
                                          enum accordi_pattern *out);
/* The same, with the operands for a width. */
enum accord_status accordi_positive_pattern(accordi_positive_asker *p, int width,
                                            enum accordi_pattern *out);

#endif
