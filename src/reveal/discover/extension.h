/* What extend.c, extend_ask.c and extend_rule.c share. Internal. */
#ifndef ACCORDI_EXTENSION_H
#define ACCORDI_EXTENSION_H

#include "reveal/discover/extend.h"

/* Terms a and b among the first `terms`: the least clade with both has the weight `size`. */
typedef struct accordi_pair {
    uint32_t terms, a, b, size;
} accordi_pair;

enum { ACCORDI_BASES = 5, ACCORDI_KNOWN = 128, ACCORDI_BEGINNING = 64 };

struct accordi_extension {
    accordi_asker *asker;
    accordi_growth *g;
    accordi_nearly *nearly; /* NULL, or what the rule makes that held for the longest … */
    uint32_t longest;       /* … number of terms */
    const accordi_extend_how *how;
    void *context; /* of `how` */
    bool backwards;
    uint32_t n;
    uint32_t base[ACCORDI_BASES], bases; /* the latest borders */
    uint32_t failed;                     /* the length of the rule that led to the latest; or 0 */
    uint32_t wrong;                      /* the lag that the next term is known not to have; or 0 */
    uint32_t misses;                     /* terms that no rule went on from */
    uint32_t retries;                    /* how often it was gone back */
    uint32_t leapt;                      /* not counted: where a rule last went on from; or 0 */
    accordi_pair known[ACCORDI_KNOWN];   /* answers to tests of rules for the next terms */
    uint32_t knowns;
    bool doubtful;        /* the rule that is tested is hardly more than a possibility */
    bool irregular;       /* in its first terms: a rule was wrong where it was not tested */
    bool begun;           /* these have been split */
    accordi_pair last;    /* counted: answer that was not as the order has it */
    uint32_t hint;        /* a border that it suggests; or 0 */
    uint32_t least, most; /* such answers are about so many terms: at least, and the last one */
    uint32_t *room;       /* n numbers */
};

/* Can the first terms still be split? Not for an order that no rule has gone on from. */
static inline bool accordi_extend_may_begin(const accordi_extension *e)
{
    return e->how->counts && !e->begun && !e->misses && !e->backwards && !e->asker->terms &&
           e->n > ACCORDI_BEGINNING;
}

/* Gives the terms random weights, so that counts, which are sums of these, tell which terms are
 * under a node and not only how many. */
void accordi_extend_weigh(accordi_extension *e);
/* Counts pairs among the first m terms. False if an answer is that of no tree, or there is none. */
bool accordi_extend_count(accordi_extension *e, uint32_t m, accordi_pair *pairs, uint32_t count);

/* The last term up to which a rule seems to hold, the first at which it is known to fail, and a
 * border between them that the answer there suggests; or 0. */
typedef struct accordi_reach {
    uint32_t holds, fails, hint;
    uint32_t checked; /* the last term up to which the order has been checked */
} accordi_reach;

/* How far a rule holds, which says something else than `others` somewhere, and which is known to
 * hold up to term `known`; the order is left as it was. */
accordi_reach accordi_extend_reach(accordi_extension *e, const accordi_rule *rule, uint32_t known,
                                   const accordi_rule *others, uint32_t count);
/* Is nothing new to be learned of a rule, since it says the same as one that has been tested, or
 * something else where that was right? */
bool accordi_extend_knows(accordi_extension *e, const accordi_rule *rule,
                          const accordi_rule *tested, accordi_reach r);
/* Goes on by a rule to the border after which it fails. */
void accordi_extend_to_border(accordi_extension *e, const accordi_rule *rule, accordi_reach r);

#endif
