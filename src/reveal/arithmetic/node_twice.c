/* How a node rounds that adds in a wide format and then rounds into a narrower one, and whether one
 * does that takes a product unrounded.
 *
 * The directions of the two may differ, as where a function adds with rounding toward zero and its
 * caller converts to f32.
 *
 * Only the second rounding is seen, unless the first decides it. So P, which the wide format holds,
 * is where the second rounding takes a step: a number of the narrow format, for directions, and a
 * tie, for nearest. Beside it is a quarter, or three quarters, of the last place of the wide
 * format, which the first rounding alone can see. What comes out of all signs is compared with what
 * each direction of the first gives. */
#include "reveal/arithmetic/node_probes.h"
#include "reveal/probes/dense_rows.h"
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

/* ---- fused products ---- */

/* A product of two factors that is a tie of `bits`, of which the even neighbor is below. */
static bool find_tie(int bits, int factor_bits, double factor[2])
{
    const double most = ldexp(1, factor_bits), end = ldexp(1, bits + 1);
    for (double tie = ldexp(1, bits) + 1; tie < end; tie += 4)
        for (double first = 3; first < most && first * first <= tie; first += 2)
            if (fmod(tie, first) == 0 && tie / first < most) {
                factor[0] = first;
                factor[1] = tie / first;
                return true;
            }
    return false;
}

static bool holds(enum accord_format format, double value)
{
    return accord_format_round(format, ACCORD_NEAREST_EVEN, value) == value;
}

/* The node takes a product unrounded that is a tie of its format, and more that a sum in f32 loses.
 * It goes down to the even neighbor only if its sum is rounded into f32 first. */
static enum accord_status ask_fused_tie(accordi_node_finder *f, accordi_probed_node *s, int at,
                                        accordi_dense *zeros)
{
    enum { LOST = 26 };
    const accord_format_info *info = accord_format_get(s->operation.format);
    enum accord_format operand = f->asker->format;
    double factor[2] = {0, 0};
    if (!find_tie(info->precision, f->product_precision, factor))
        return ACCORD_OK;
    int low = info->precision - LOST, up = info->min_exponent > low ? info->min_exponent - low : 0;
    double even = ldexp(factor[0] * factor[1] - 1, up), more = ldexp(1, low + up);
    factor[0] = ldexp(factor[0], up);
    if (!holds(operand, factor[0]) || !holds(operand, even / 4) || !holds(operand, more) ||
        !holds(s->operation.format, even) || !holds(s->operation.format, more))
        return ACCORD_OK;
    accordi_dense_put(zeros, 0, s->leaf[at], factor[0], factor[1]);
    accordi_dense_put(zeros, 0, s->leaf[!at], more, 1);
    if (s->beside != ACCORDI_NO_LEAF)
        accordi_dense_put(zeros, 0, s->beside, -even / 4, 4);
    if (accordi_dense_ask(zeros))
        return f->asker->status;
    double seen = zeros->seen[0] * f->asker->result_factor;
    s->twice_fused = seen == (s->beside == ACCORDI_NO_LEAF ? even : 0);
    accordi_dense_fill(zeros, 0, 0);
    return ACCORD_OK;
}

enum accord_status accordi_node_fused_ties(accordi_node_finder *f)
{
    accordi_asker *asker = f->asker;
    accordi_dense zeros = {0};
    if (asker->target->has_start || asker->scale != 1 || accordi_dense_init(&zeros, asker, 1, true))
        return asker->status;
    accordi_dense_fill(&zeros, zeros.rows++, 0);
    for (uint32_t i = 0; i < f->spots && !asker->status; i++) {
        accordi_probed_node *s = &f->spot[i];
        bool one = s->unrounded[0] != s->unrounded[1];
        if (s->known && one && accordi_node_precision(s) < 24 &&
            s->operation.rounding == ACCORD_NEAREST_EVEN)
            ask_fused_tie(f, s, s->unrounded[1], &zeros);
    }
    accordi_dense_clear(&zeros);
    return asker->status;
}
