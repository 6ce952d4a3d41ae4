/* Finds how wide the accumulator is of sums of terms that cannot be negative, by asking for random
 * triples: a mask and two units. */
#include "reveal/nonnegative/nonnegative.h"
#include <math.h>

enum { THREES = 6, FEW_THREES = 2, A_THREE = 9 };

/* The results of random threes: for each of its terms in turn the mask alone, with a unit, with
 * two. */
static enum accordi_pattern judge(accordi_positive_asker *p, const double *result, size_t threes,
                                  bool reverse)
{
    size_t kept = 0, shown = 0, lost = 0, single = 0, all = 0;
    p->like_a_tree = 0;
    p->one_or_all = false;
    for (size_t t = 0; t < threes; t++) {
        const double *r = result + t * A_THREE;
        size_t exceed = 0;
        for (int turn = 0; turn < 3; turn++) {
            if (r[3 * turn] != result[0] || r[3 * turn + 1] < result[0] ||
                r[3 * turn + 2] < result[0])
                return ACCORDI_MIXED;
            single += r[3 * turn + 1] != result[0];
            exceed += (r[3 * turn + 2] != result[0]) != reverse;
        }
        kept += exceed == 3;
        shown += exceed == 1;
        lost += exceed == 0;
        all += exceed;
    }
    p->like_a_tree = shown;
    p->one_or_all = kept + shown == threes && single == 0;
    return kept == threes                   ? ACCORDI_KEPT
           : shown == threes && single == 0 ? ACCORDI_SHOWS
           : lost == threes && single == 0  ? ACCORDI_LOST
           : 2 * all >= 3 * threes          ? ACCORDI_MOSTLY
                                            : ACCORDI_MIXED;
}

enum accord_status accordi_positive_judge(accordi_positive_asker *p,
                                          const accordi_operands *operands,
                                          enum accordi_pattern *out)
{
    accordi_asker *asker = p->asker;
    size_t threes = p->brief ? FEW_THREES : THREES;
    accordi_ask_begin(asker, 0);
    for (size_t t = 0; t < threes; t++) {
        uint32_t k[3];
        accordi_ask_pick(asker, k, 3);
        for (int turn = 0; turn < 3; turn++) {
            const uint32_t terms[3] = {k[turn], k[(turn + 1) % 3], k[(turn + 2) % 3]};
            for (int units = 0; units <= 2; units++)
                accordi_positive_probe(p, operands, terms, units);
        }
    }
    if (accordi_ask_run(asker))
        return asker->status;
    for (size_t i = 0; i < asker->probes; i++)
        if (!isfinite(asker->result[i]))
            return accordi_ask_unable(asker, ACCORD_REASON_NOT_FINITE,
                                      "terms of at most %g gave %g", operands->mask,
                                      asker->result[i]);
    *out = judge(p, asker->result, threes, operands->beside != 0);
    if (*out == ACCORDI_SHOWS) {
        p->operands = *operands;
        p->base = asker->result[0];
    }
    return ACCORD_OK;
}

enum accord_status accordi_positive_pattern(accordi_positive_asker *p, int width,
                                            enum accordi_pattern *out)
{
    accordi_operands operands;
    *out = ACCORDI_NO_OPERANDS;
    return accordi_positive_operands(p, width, &operands)
               ? accordi_positive_judge(p, &operands, out)
               : ACCORD_OK;
}
