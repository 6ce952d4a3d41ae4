/* Asks questions about sums that cannot be negative: a mask at one term and units at many others
 * (../nonnegative/expect.c). Where the last places of the sum are seen in the result, the answer is
 * by how many of these it exceeds the mask; else, as where the accumulator is wider, only whether
 * it does. A root has two thirds as many last places, so it leaves one or two numbers of them. */
#include "reveal/discover/excesses.h"
#include <math.h>

enum { HELPER_TRIES = 1000 };

static uint32_t term_at(const accordi_extension *e, uint32_t i)
{
    return e->backwards ? e->n - 1 - i : i;
}

/* On terms that have neither the mask nor a unit; false if these are too few. */
static bool put_helpers(accordi_extension *e, const accordi_answered *a)
{
    const accordi_guesser *q = e->context;
    const accordi_operands *o = &q->p->operands;
    uint32_t taken[ACCORDI_HELPERS];
    int put = 0;
    for (int tries = 0; put < o->helpers && tries < HELPER_TRIES; tries++) {
        uint32_t i = (uint32_t)accordi_rng_below(&e->asker->rng, e->n);
        bool free =
            i != a->question.mask && (i >= a->terms || !accordi_rounding_has_unit(&a->question, i));
        for (int k = 0; k < put; k++)
            free = free && taken[k] != i;
        if (!free)
            continue;
        taken[put] = i;
        accordi_ask_own(e->asker, term_at(e, i), o->helper[put++]);
    }
    return put == o->helpers;
}

/* False if the result is that of no such sum. */
bool accordi_excess_ask(accordi_extension *e, accordi_answered *a)
{
    accordi_guesser *q = e->context;
    accordi_asker *asker = e->asker;
    q->densest = a->question.thin == q->least;
    accordi_ask_begin(asker, 0);
    accordi_ask_own(asker, term_at(e, a->question.mask), q->p->operands.mask);
    for (uint32_t i = 0; i < a->terms; i++)
        if (accordi_rounding_has_unit(&a->question, i))
            accordi_ask_own(asker, term_at(e, i), q->unit);
    bool put = put_helpers(e, a);
    accordi_ask_end(asker);
    if (!put || accordi_ask_run(asker))
        return false;
    double excess = asker->result[0] - q->p->base;
    if (!(excess >= 0) || isinf(excess))
        return false;
    double steps = q->counted ? excess / q->step : excess > 0;
    a->steps = steps <= e->n ? (uint32_t)steps : 0;
    return steps == a->steps;
}

bool accordi_excess_fits(const accordi_guesser *q, accordi_excess due, uint32_t steps)
{
    return q->seen[due.low] <= steps && q->seen[due.high] >= steps;
}

/* Random questions to choose from: time grows with the number of terms. */
uint32_t accordi_excess_tries(uint32_t terms)
{
    enum { MOST = 128, LEAST = 4, WORK = 1 << 18 };
    uint32_t tries = WORK / terms;
    return tries > MOST ? MOST : tries < LEAST ? LEAST : tries;
}

/* Where excesses are only seen, few units are as telling as many. Units at all terms tell best how
 * many of them are added together, but not which: so never twice on end. */
accordi_rounding accordi_excess_draw(accordi_extension *e, uint32_t mask, bool sparse,
                                     unsigned apart)
{
    const accordi_guesser *q = e->context;
    unsigned least = q->least + (q->densest || !q->counted), thinnest = q->least + 1;
    while ((sparse || !q->counted) && e->g->count >> (thinnest + apart + 1))
        thinnest++;
    uint64_t thinner = accordi_rng_below(&e->asker->rng, thinnest - least + 1);
    return (accordi_rounding){.mask = mask,
                              .also = {mask, mask},
                              .thin = least + (unsigned)thinner,
                              .apart = apart,
                              .seed = accordi_rng_next(&e->asker->rng)};
}
void accordi_guesser_keep(accordi_extension *e, const accordi_answered *a)
{
    accordi_guesser *q = e->context;
    if (e->knowns < ACCORDI_KNOWN)
        q->known[e->knowns++] = *a;
}

/* Is each excess seen in the result? The mask alone must come back as it is. */
static bool is_counted(const accordi_guesser *q)
{
    const accordi_positive_asker *p = q->p;
    double scale = p->asker->scale, alone = p->operands.mask * scale;
    if (p->operands.helpers > 0 || !accordi_is_power_of_two(scale))
        return false;
    return !p->root || p->base == alone;
}

/* How sums of units are seen; returns what a unit is in last places of a sum with the mask. Too
 * many multiples of 3/8 are ties: it is 49/128, where that is an operand. */
static double choose_unit(accordi_guesser *q)
{
    const accordi_operands *o = &q->p->operands;
    const accord_target *target = q->p->asker->target;
    bool square = q->p->term == ACCORD_TERM_SQUARE, root = q->p->root;
    double mask = square ? o->mask * o->mask : o->mask, finer = o->unit / 48 * 49;
    double last = ldexp(1, ilogb(mask) + 1 - o->width);
    bool held = accord_format_round(target->format, ACCORD_NEAREST_EVEN, finer) == finer;
    int precision = accord_format_get(target->output)->precision;
    double step = root ? ldexp(1, ilogb(o->mask) + 1 - precision) : last;
    q->counted = is_counted(q);
    q->step = step * q->p->asker->scale;
    for (uint32_t k = 0; k <= q->p->asker->n; k++) {
        double sum = mask + k * last, more = root ? k * last / (o->mask + sqrt(sum)) : k * last;
        q->seen[k] = q->counted ? (uint32_t)rint(more / step) : k > 0;
    }
    q->unit = square || !held ? o->unit : finer;
    return (square ? q->unit * q->unit : q->unit) / last;
}

/* So few units that their sums, and those with the mask, are exact. */
static void limit_units(accordi_guesser *q, size_t n)
{
    enum { UNIT_BITS = 7, MOST_THIN = 31 };
    int room = q->p->operands.width - UNIT_BITS;
    size_t most = (size_t)1 << (room < 0 ? 0 : room > MOST_THIN ? MOST_THIN : room);
    for (q->least = 0; n >> q->least > most && q->least < MOST_THIN; q->least++)
        ;
}

accordi_guesser *accordi_guesser_new(accordi_positive_asker *p, const accordi_growth *g)
{
    accordi_asker *asker = p->asker;
    accordi_guesser *q = accordi_ask_calloc(asker, 1, sizeof *q);
    if (!q)
        return NULL;
    q->p = p;
    q->left = accordi_ask_alloc(asker, 2 * asker->n, sizeof *q->left);
    q->seen = accordi_ask_alloc(asker, asker->n + 1, sizeof *q->seen);
    if (!asker->status && !accordi_expected_init(&q->x, g, (uint32_t)asker->n, choose_unit(q)))
        asker->status = accordi_nomem(asker->error);
    limit_units(q, asker->n);
    return q;
}

void accordi_guesser_free(accordi_guesser *q)
{
    if (!q)
        return;
    accordi_expected_clear(&q->x);
    free(q->left);
    free(q->seen);
    free(q);
}
