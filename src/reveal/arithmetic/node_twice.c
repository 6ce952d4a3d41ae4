/* How a node rounds that adds in a wide format and then rounds into a narrower one: the directions
 * may differ, as where a function adds with rounding toward zero and its caller converts to f32.
 *
 * Only the second rounding is seen, unless the first decides it. So P, which the wide format holds,
 * is where the second rounding takes a step: a number of the narrow format, for directions, and a
 * tie, for nearest. Beside it is a quarter, or three quarters, of the last place of the wide
 * format, which the first rounding alone can see. What comes out of all signs is compared with what
 * each direction of the first gives. */
#include "reveal/arithmetic/node_probes.h"
#include <math.h>

enum { SHARE = 16 };

typedef struct question {
    double point, beside; /* the sum of the wide child; the other child */
} question;

/* `place`: the last one of the wide sums. */
static void list_questions(double most, double place, question q[SHARE])
{
    for (int i = 0; i < SHARE; i++) {
        double sign = i & 1 ? -1 : 1, above = i & 2 ? 1.5 : 1;
        double part = i & 8 ? 0.75 * place : 0.25 * place;
        q[i] = (question){sign * (most + above), i & 4 ? part : -part};
    }
}

/* Whether the answers are those of a sum that is rounded by `first` and then by `second`. */
static bool explains(const question q[SHARE], const double seen[SHARE], double most,
                     enum accord_format wide, enum accord_rounding first, enum accord_format narrow,
                     enum accord_rounding second)
{
    for (int i = 0; i < SHARE; i++) {
        double sum = accord_format_add(wide, first, q[i].point, q[i].beside);
        double due = accord_format_round(narrow, second, sum) - copysign(most, q[i].point);
        if (due != seen[i])
            return false;
    }
    return true;
}

static void put_question(accordi_node_finder *f, const accordi_probed_node *s,
                         const uint32_t below[2], uint32_t other, const question *q, double most)
{
    double large = copysign(most, q->point);
    accordi_ask_own(f->asker, below[0], large);
    accordi_ask_own(f->asker, below[1], q->point - large);
    accordi_ask_own(f->asker, other, q->beside);
    if (s->beside != ACCORDI_NO_LEAF)
        accordi_ask_own(f->asker, s->beside, -large);
    accordi_ask_end(f->asker);
}

enum accord_status accordi_node_twice(accordi_node_finder *f, const accordi_probed_node *s,
                                      const uint32_t below[2], uint32_t other, accordi_twice *out)
{
    static const enum accord_rounding directions[] = {ACCORD_NEAREST_EVEN, ACCORD_TOWARD_ZERO,
                                                      ACCORD_DOWN, ACCORD_UP};
    accordi_asker *asker = f->asker;
    const accord_operation *op = &s->operation;
    int bits = accord_format_get(op->stored)->precision, lost = accordi_node_precision(s) - bits;
    accordi_exponents range = accordi_ask_exponents(asker, asker->format);
    double most = ldexp(1.5, bits - 1), seen[SHARE];
    question q[SHARE];
    *out = (accordi_twice){.first = op->rounding, .known = false};
    if (range.least > -lost - 2 || range.most < bits + 1)
        return ACCORD_OK;
    list_questions(most, ldexp(1, -lost), q);
    accordi_ask_begin(asker, 0);
    for (int i = 0; i < SHARE; i++)
        put_question(f, s, below, other, &q[i], most);
    if (accordi_ask_run(asker))
        return asker->status;
    for (size_t i = 0; i < SHARE; i++)
        seen[i] = accordi_node_reading(f, s, i, copysign(most, q[i].point));
    for (size_t d = 0; d <= sizeof directions / sizeof *directions && !out->known; d++) {
        out->first = d == 0 ? op->rounding : directions[d - 1];
        out->known = explains(q, seen, most, op->format, out->first, op->stored, op->rounding);
    }
    return ACCORD_OK;
}
