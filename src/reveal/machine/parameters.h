/* The arithmetic of fused sums, found by probes alone. Internal to room reveal and the command.
 *
 * What is looked for are the parameters of accord_fused. The tree says how many terms a step
 * takes and in which order steps follow each other; everything else is asked for. Nothing here
 * knows the table of machines. */
#ifndef ACCORDI_FEATURES_H
#define ACCORDI_FEATURES_H

#include "model/parameters.h"
#include "reveal/probes/ask.h"
#include <accord/model.h>

/* One for each parameter of accord_fused. */
enum accordi_feature {
    ACCORDI_FEATURE_SCHEME,
    ACCORDI_FEATURE_TERMS,
    ACCORDI_FEATURE_INPUT,
    ACCORDI_FEATURE_FRACTION,
    ACCORDI_FEATURE_ALIGNMENT,
    ACCORDI_FEATURE_LEAST_EXPONENT,
    ACCORDI_FEATURE_NORMALISED,
    ACCORDI_FEATURE_LEADING,
    ACCORDI_FEATURE_C_LEADING,
    ACCORDI_FEATURE_ZEROS,
    ACCORDI_FEATURE_HALVES,
    ACCORDI_FEATURE_SUM_FRACTION,
    ACCORDI_FEATURE_C_FRACTION,
    ACCORDI_FEATURE_C_REACH,
    ACCORDI_FEATURE_JOIN,
    ACCORDI_FEATURE_OUTPUT,
    ACCORDI_FEATURE_ROUNDING,
    ACCORDI_FEATURE_OUTPUT_FRACTION,
    ACCORDI_FEATURE_OVERFLOW,
    ACCORDI_FEATURE_POSITIVE_ZERO,
    ACCORDI_FEATURE_FLUSH,
    ACCORDI_FEATURE_FLUSH_TINY,
    ACCORDI_FEATURE_INFINITE_PRODUCTS,
    ACCORDI_FEATURE_SCALE,
    ACCORDI_FEATURE_SCALE_BLOCK,
    ACCORDI_FEATURE_BLOCK,
    ACCORDI_FEATURES
};

typedef struct accordi_feature_info {
    const accordi_parameter *parameter;
    const char *about; /* what it means, a few words */
    const char *how;   /* how it was seen */
    unsigned schemes;  /* bit set of those that have it */
} accordi_feature_info;

/* A row, never NULL for a feature. */
const accordi_feature_info *accordi_feature_get(enum accordi_feature feature);
int accordi_feature_value(const accord_fused *machine, enum accordi_feature feature);
void accordi_feature_set(accord_fused *machine, enum accordi_feature feature, int value);
/* Whether the feature means something in the machine's scheme. */
bool accordi_feature_applies(const accord_fused *machine, enum accordi_feature feature);

/* What was found. Values in least … most cannot be distinguished through the target: then the
 * feature is not (wholly) observable, and the machine holds the one that means least. */
typedef struct accordi_features_report {
    accord_fused machine;
    struct {
        int least, most;
        bool beyond_least, beyond_most; /* values beyond make no difference either */
    } range[ACCORDI_FEATURES];
    size_t probes, replays, agreed;
} accordi_features_report;

/* How many products a step takes, as far as exchanging two of them shows it, or two blocks that
 * share scales, with these: *terms, all of them if there is but one step, and 0 if products are not
 * added in steps of equal lengths, one after the other, or where there are too many to ask.
 * *inputs: how many showed it. The asker need not be calibrated. */
enum accord_status accordi_exchanges_ask(accordi_asker *asker, size_t *terms, size_t *inputs);

/* Of so many inputs that are drawn like those of exchanges, on how many the steps of a machine with
 * aligned terms lose anything before a sum is rounded. Asks the target for nothing. */
enum accord_status accordi_exchanges_lose(accordi_asker *asker, const accord_fused *machine,
                                          size_t inputs, size_t *lossy);

/* Of so many such inputs, in how many the result of a model of several steps changes if a product
 * of one step and a product of another change places. Asks the target for nothing. */
enum accord_status accordi_exchanges_show(accordi_asker *asker, const accord_model *model,
                                          size_t inputs, size_t *showing);

/* Finds the parameters of the fused sums along `tree`: a chain of nodes (the first has `terms`
 * leaves, the others those and the sum so far), a chain of multiply-adds, or pairwise groups that
 * are added one after the other. Confirms them by 2000 replays. The arithmetic has has_machine and
 * an operation for each node. `report` may be NULL. The asker need not be calibrated.
 *   ACCORD_UNSUPPORTED: the tree has none of these shapes.
 *   ACCORD_UNABLE: no parameters explain the answers, with what contradicts them.
 *   ACCORD_TARGET, ACCORD_NOMEM. */
enum accord_status accordi_features_find(accordi_asker *asker, const accord_tree *tree,
                                         accord_arithmetic **out, accordi_features_report *report);

#endif
