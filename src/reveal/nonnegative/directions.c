/* How sums of terms that are never negative are rounded: to nearest, or in one direction.
 *
 * Beside a mask M, a term of a little more than half of M's last place rounds the sum up, unless
 * sums are rounded toward zero, or down; one of a little more than a quarter is lost, unless they
 * are rounded up. A wider sum whose result alone is rounded looks the same; but a result of fewer
 * bits loses more than a last place, too. One of more bits than its format has is not rounded at
 * all. */
#include "reveal/nonnegative/nonnegative.h"

enum { PAIRS = 4 };

/* Is the second a greater number of the result's format? */
static bool is_raised(const accordi_asker *asker, double from, double to)
{
    return to > from && to == accord_format_round(asker->target->output, ACCORD_NEAREST_EVEN, to);
}

enum accord_status accordi_positive_direction(accordi_positive_asker *p,
                                              enum accordi_direction *out)
{
    accordi_asker *asker = p->asker;
    int precision = accord_format_get(asker->target->output)->precision;
    accordi_operands less, more, most;
    accordi_positive_asker doubled = *p;
    doubled.toward_zero = true;
    *out = ACCORDI_TO_NEAREST;
    if (!accordi_positive_operands(p, precision, &less) ||
        !accordi_positive_operands(&doubled, precision, &more) || less.mask != more.mask)
        return ACCORD_OK;
    most = more;
    most.unit *= 2;
    accordi_ask_begin(asker, 0);
    for (int i = 0; i < PAIRS; i++) {
        uint32_t k[3];
        accordi_ask_pick(asker, k, 3);
        accordi_positive_probe(p, &less, k, 0);
        accordi_positive_probe(p, &less, k, 1);
        accordi_positive_probe(p, &more, k, 1);
        accordi_positive_probe(p, &most, k, 1);
    }
    if (accordi_ask_run(asker))
        return asker->status;
    int lost = 0, raised = 0;
    for (int i = 0; i < PAIRS; i++) {
        const double *r = asker->result + 4 * (size_t)i;
        lost += r[1] == r[0] && r[2] == r[0] && r[3] > r[0];
        raised += is_raised(asker, r[0], r[1]) && is_raised(asker, r[0], r[2]);
    }
    *out = lost == PAIRS ? ACCORDI_TO_ZERO : raised == PAIRS ? ACCORDI_UPWARD : ACCORDI_TO_NEAREST;
    return ACCORD_OK;
}
