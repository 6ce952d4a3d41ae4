/* Finds where a result changes as one term grows, in sums of terms that are not negative.
 *
 * What comes after the sum may hide its last bits: a wider accumulator, a mean's factor, a root, a
 * rounding before the root. All of these make the result a function of the sum that never falls as
 * the sum rises. So somewhere two neighboring sums of the accumulator's format, S and S + g, give
 * different results; beside S one more last bit is seen, whatever the function is. S is found by
 * bisection, which asks the target itself: from a mask up, S = mask + t g, and t g is put together
 * from few terms, each a multiple of g, so that all partial sums are exact in any order. Squares
 * are of numbers so short that they are exact too; g is a square itself.
 *
 * The step that is found may need more terms than there are beside the three of a question: then
 * the next one is looked for, and beside other masks. */
#include "reveal/nonnegative/nonnegative.h"
#include <math.h>

enum { MASKS = 4, STEPS = 12, ATTEMPTS = 500, NEAR = 16 };

typedef struct stairs {
    accordi_positive_asker *p;
    accordi_operands o;
    double one;  /* the operand whose term is g */
    int bits;    /* that other operands may have */
    double base; /* the result of the sum at the lower end */
} stairs;

/* The first `bits` bits of k. */
static uint64_t shortened(uint64_t k, int bits, uint64_t *last)
{
    int drop = 0;
    while (k >> drop >= UINT64_C(1) << bits)
        drop++;
    *last = UINT64_C(1) << drop;
    return k >> drop << drop;
}

/* One more part of t: as large as it may be, or a little smaller. */
static uint64_t next_part(const stairs *s, uint64_t t, bool vary)
{
    bool square = s->p->term == ACCORD_TERM_SQUARE;
    uint64_t last, k = square ? (uint64_t)sqrt((double)t) : t;
    k = shortened(k, s->bits, &last);
    uint64_t less = vary ? accordi_rng_below(&s->p->asker->rng, 4) * last : 0;
    return less < k ? k - less : k;
}

/* Operands whose terms add up to t g: at most `most`. */
static bool split_into_operands(const stairs *s, uint64_t t, size_t most, double *operand,
                                int *count)
{
    bool square = s->p->term == ACCORD_TERM_SQUARE;
    most = most < ACCORDI_HELPERS ? most : ACCORDI_HELPERS;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        uint64_t left = t;
        for (*count = 0; left > 0 && (size_t)*count < most; ++*count) {
            uint64_t k = next_part(s, left, attempt > 0);
            operand[*count] = (double)k * s->one;
            left -= square ? k * k : k;
        }
        if (left == 0)
            return true;
    }
    return false;
}

/* The result of the mask and t g. */
static enum accord_status ask_step(stairs *s, uint64_t t, bool *made, double *result)
{
    accordi_asker *asker = s->p->asker;
    double operand[ACCORDI_HELPERS];
    uint32_t term[1 + ACCORDI_HELPERS];
    int count = 0;
    *made = split_into_operands(s, t, asker->n - 1, operand, &count);
    if (!*made)
        return ACCORD_OK;
    accordi_ask_pick(asker, term, 1 + (size_t)count);
    accordi_ask_begin(asker, 0);
    accordi_ask_own(asker, term[0], s->o.mask);
    for (int i = 0; i < count; i++)
        accordi_ask_own(asker, term[1 + i], operand[i]);
    accordi_ask_end(asker);
    if (!accordi_ask_run(asker))
        *result = asker->result[0];
    return asker->status;
}

/* The result at a number of g between low and high, as near the middle as one can be put together:
 * *at; or low where there is none. */
static enum accord_status ask_between(stairs *s, uint64_t low, uint64_t high, uint64_t *at,
                                      double *result)
{
    uint64_t middle = low + (high - low) / 2;
    *at = low;
    for (uint64_t d = 0; d < NEAR; d++)
        for (int side = 0; side < (d ? 2 : 1); side++) {
            uint64_t t = side ? middle - d : middle + d;
            bool made = false;
            if (t <= low || t >= high)
                continue;
            if (ask_step(s, t, &made, result))
                return s->p->asker->status;
            if (made) {
                *at = t;
                return ACCORD_OK;
            }
        }
    return ACCORD_OK;
}

/* From `low` up to `high` the first g at which the result is another. *found: a step is there, and
 * was found; *low is the last g below it. */
static enum accord_status climb_steps(stairs *s, uint64_t *low, uint64_t high, bool *found)
{
    double base = 0, result = 0;
    bool made = false, at_low = false;
    *found = false;
    if (ask_step(s, *low, &at_low, &base) || ask_step(s, high, &made, &result))
        return s->p->asker->status;
    if (!at_low || !made || !(result > base))
        return ACCORD_OK;
    while (high - *low > 1) {
        uint64_t at = *low;
        if (ask_between(s, *low, high, &at, &result) || at == *low)
            return s->p->asker->status;
        if (result > base)
            high = at;
        else
            *low = at;
    }
    *found = true;
    return ACCORD_OK;
}

/* Steps above one mask. */
static enum accord_status try_mask(stairs *s, double mask, int width, bool *found)
{
    const accordi_positive_asker *p = s->p;
    bool square = p->term == ACCORD_TERM_SQUARE;
    int exponent = ilogb(square ? mask * mask : mask), grid = exponent + 1 - width;
    int precision = accord_format_get(p->asker->target->output)->precision;
    int room = width > precision ? width - precision : 0;
    uint64_t reach = UINT64_C(1) << (room + (p->root ? 3 : 2)), low = 0;
    double factor, up = ldexp(ldexp(1, exponent + 1) - (square ? mask * mask : mask), -grid);
    *found = false;
    if (!accordi_positive_plain(p, width, mask, exponent, &s->o, &factor))
        return ACCORD_OK;
    s->one = (square ? ldexp(1, grid / 2) : ldexp(1, grid)) * factor;
    for (int step = 0; step < STEPS && !*found; step++, low++) {
        bool there = false;
        if ((double)(low + reach) >= up || climb_steps(s, &low, low + reach, &there) || !there)
            return p->asker->status;
        *found = split_into_operands(s, low, p->asker->n - 3, s->o.helper, &s->o.helpers);
    }
    return ACCORD_OK;
}

enum accord_status accordi_positive_step(accordi_positive_asker *p, int width,
                                         accordi_operands *out, bool *found)
{
    /* Squares of the first four are below 2, of the others from 2 to 4: g is to be a square. */
    static const double even[MASKS] = {1, 1.125, 1.25, 1.375},
                        odd[MASKS] = {1.5, 1.625, 1.75, 1.875};
    bool square = p->term == ACCORD_TERM_SQUARE;
    int bits = accord_format_get(p->asker->target->format)->precision;
    stairs s = {.p = p, .bits = square ? bits / 2 : bits};
    *found = false;
    for (int i = 0; i < MASKS && !*found && !p->asker->status; i++)
        try_mask(&s, square && width % 2 == 0 ? odd[i] : even[i], width, found);
    *out = s.o;
    return p->asker->status;
}
