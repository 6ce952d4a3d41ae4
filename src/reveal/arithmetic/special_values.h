/* What a sum does with zeros, subnormal numbers, infinities and NaN, found by probes. Internal. */
#ifndef ACCORDI_SPECIALS_H
#define ACCORDI_SPECIALS_H

#include "reveal/probes/ask.h"

enum accordi_special {
    ACCORDI_SPECIAL_NEGATIVE_ZERO,    /* -0 and nothing else gives -0 */
    ACCORDI_SPECIAL_FLUSH_X,          /* subnormal operands count as zero */
    ACCORDI_SPECIAL_FLUSH_Y,          /* subnormal second factors do */
    ACCORDI_SPECIAL_FLUSH_PRODUCTS,   /* subnormal products become zero */
    ACCORDI_SPECIAL_FLUSH_SUMS,       /* subnormal sums do on which another addition follows */
    ACCORDI_SPECIAL_FLUSH_RESULT,     /* a subnormal result does */
    ACCORDI_SPECIAL_SKIPS_ZERO_X,     /* 0 * infinity is left out, the first factor being 0 */
    ACCORDI_SPECIAL_SKIPS_ZERO_Y,     /* the second one */
    ACCORDI_SPECIAL_INFINITY,         /* an infinite term gives that infinity */
    ACCORDI_SPECIAL_NAN,              /* a term that is NaN gives NaN */
    ACCORDI_SPECIAL_INFINITIES_CLASH, /* infinity and -infinity give NaN */
    ACCORDI_SPECIAL_OVERFLOW,         /* a sum that overflows on the way is infinite in the end */
    ACCORDI_SPECIALS
};

enum accordi_seen { ACCORDI_UNSEEN, ACCORDI_NO, ACCORDI_YES, ACCORDI_SOME, ACCORDI_SEEN };

typedef struct accordi_specials_report {
    enum accordi_seen seen[ACCORDI_SPECIALS];
    size_t probes;
} accordi_specials_report;

/* A name and a few words; what was seen in words; static storage. */
const char *accordi_special_name(enum accordi_special special, const char **about);
const char *accordi_seen_words(enum accordi_seen seen);

/* Asks. What is flushed is asked of every node of a binary tree; where that is so at some nodes and
 * not at others, ACCORDI_SOME. ACCORD_TARGET, ACCORD_NOMEM. */
enum accord_status accordi_specials_find(accordi_asker *asker, const accord_tree *tree,
                                         accordi_specials_report *report);

#endif
