/* Answers that contradict a model but are no reason to refuse it, since records list them as
 * assumptions or describe them.
 */
#include "reveal/arithmetic/contest.h"
#include <math.h>

static bool has_infinity(const accordi_contest *c, size_t input)
{
    const void *x = c->asked.row[input], *y = accordi_dense_second(&c->asked, input);
    bool some = false;
    for (size_t k = 0; k < c->draw.n && !some; k++)
        some = isinf(accordi_get_number(x, c->draw.is_f32, k)) ||
               (y && isinf(accordi_get_number(y, c->draw.is_f32, k)));
    return some;
}

/* Whether the products of terms with the factors of their neighbors overflow, and those that are
 * added do not. Complex products add up the former for the other part of the result, and
 * re + im * I is NaN where im is infinite. */
static bool overflows_beside(const accordi_contest *c, size_t input)
{
    double own = 0, beside = 0,
           bound = ldexp(1, accord_format_get(c->held->output)->max_exponent + 1);
    const void *x = c->asked.row[input], *y = c->asked.row[c->asked.room + input];
    for (size_t k = 0; k < c->draw.n; k++) {
        size_t neighbor = (k ^ 1) < c->draw.n ? k ^ 1 : k;
        own = fmax(own, fabs(accordi_get_number(x, c->draw.is_f32, k) *
                             accordi_get_number(y, c->draw.is_f32, k)));
        beside += fabs(accordi_get_number(x, c->draw.is_f32, k) *
                       accordi_get_number(y, c->draw.is_f32, neighbor));
    }
    return own < bound && beside >= bound;
}

/* Answers that contradict the model, which is kept all the same, say nothing about its rivals. */
static void drop_contradictions(accordi_contest *c)
{
    accordi_dense *in = &c->asked;
    size_t kept = 0;
    for (size_t i = 0; i < in->rows; i++) {
        if (!accordi_same_bits(in->due[i], in->seen[i]))
            continue;
        accordi_dense_move(in, i, kept++);
    }
    in->rows = kept;
    c->score = (accordi_score){kept, kept};
}

/* Code may test whether a sum so far is zero. A lane of one product, fused with +0, keeps the sign
 * of what vanishes, and then the sum of lanes does; a model has words for it only where products
 * are fused into sums of others. Nor has it for a loop whose tail alone leaves out zero factors,
 * which infinite ones beside them show. So where the signs of zeros, or infinite terms, which
 * records assume away, are all that is left, that is no reason to refuse the order; the zeros are
 * told. So is NaN instead of infinity, and where something else that the target computes overflows.
 */
bool accordi_rivals_forgive(accordi_contest *c)
{
    size_t count = c->asked.rows, infinite = 0, beside = 0, large = 0;
    if (c->asker->status || !accordi_contest_doubted(c))
        return false;
    accordi_score score = accordi_contest_score(c, c->held, 0);
    for (size_t i = 0; i < count && !c->asker->status; i++) {
        double due = c->asked.due[i], answer = c->asked.seen[i];
        if (accordi_same_bits(due, answer) || (due == 0 && answer == 0))
            continue;
        accordi_dense_bring(&c->asked, i);
        if (isnan(answer) && isinf(due) && !has_infinity(c, i))
            large++;
        else if (!c->draw.products)
            return false;
        else if (has_infinity(c, i))
            infinite += !c->held->skips_zero;
        else
            beside += isnan(answer) && overflows_beside(c, i);
    }
    if (score.numbers + infinite + large + beside < count || c->asker->status)
        return false;
    drop_contradictions(c);
    c->out->other_zero = c->out->other_zero || score.bits < score.numbers;
    c->out->no_number = c->out->no_number || large > 0;
    c->out->overflows_beside = c->out->overflows_beside || beside > 0;
    return true;
}
