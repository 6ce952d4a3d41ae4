/* What learning a family and holding a target to one share: asking, drawing n. Internal. */
#ifndef ACCORDI_FAMILY_LEARNER_H
#define ACCORDI_FAMILY_LEARNER_H

#include "survey/survey.h"
#include <accord/family.h>

typedef struct accordi_learner {
    accord_family *family;
    accord_family_options options;
    accord_family_ask *ask;
    void *context;
    accord_family_account *account;
    accordi_rng rng;
    double start;
    uint64_t total;                /* estimate of the orders to ask */
    unsigned failures;             /* rounds of checks in which a prediction was wrong */
    uint64_t fitted;               /* n that were asked before the last fit */
    uint64_t surprises;            /* orders since the last fit that others did not let expect */
    bool spent, stopped, answered; /* stopped: by the caller, which ends it like a spent budget */
    accord_error reason;           /* of the first n without an order */
    accord_error *error;
} accordi_learner;

/* Tells the caller what goes on, who may stop it. */
void accordi_learner_report(accordi_learner *l, const char *stage);
/* Whether the caller stopped what went on within an order. */
bool accordi_learner_is_stopped(accordi_learner *l, enum accord_status status,
                                const accord_error *why);
/* Whether the time is over. */
bool accordi_learner_is_spent(accordi_learner *l);

/* Asks for the order at n, of which the family may let expect something. */
enum accord_status accordi_learner_ask(accordi_learner *l, uint32_t n, accord_tree **tree,
                                       accord_error *error);
/* Fails for this reason. If others had answers, it is because of n. */
enum accord_status accordi_learner_fail(const accordi_learner *l, enum accord_status status,
                                        uint32_t n, const char *why);

/* Tails depend on n modulo a power of two. */
enum { ACCORDI_LEARNER_RESIDUES = 128 };
/* An n from `from` to `to` with this residue; 0 where there is none. */
uint32_t accordi_learner_draw(accordi_learner *l, uint64_t from, uint64_t to, uint64_t residue);
/* Whether n has a rule, though it may give no order there, but was not asked, and is not among the
 * `count` that are drawn already. */
bool accordi_learner_is_fresh(const accord_family *f, uint64_t n, const uint32_t *drawn,
                              size_t count);

#endif
