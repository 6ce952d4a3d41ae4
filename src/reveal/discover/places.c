/* Finds where the next term goes, of sums that cannot be negative: by elimination. Of some random
 * questions that one is asked whose answers differ most between the places that are left. */
#include "reveal/discover/excesses.h"

enum { PAIRS = ACCORDI_PLACE_PAIRS, MOST_QUESTIONS = 64, ENOUGH = 8, DRAWS = 8 };
enum { MANY_LEFT = 4, FEWER = 4 };
static const uint32_t NONE = UINT32_MAX; /* no place */

/* May both give the same answer? */
static bool are_alike(const accordi_guesser *q, accordi_excess a, accordi_excess b)
{
    if (!q->counted) {
        a = (accordi_excess){a.low > 0, a.high > 0};
        b = (accordi_excess){b.low > 0, b.high > 0};
    }
    return a.low <= b.high && b.low <= a.high;
}

/* A term under a place that is left for the next one. */
static uint32_t draw_near(accordi_extension *e)
{
    const accordi_guesser *q = e->context;
    return q->x.node[q->left[accordi_rng_below(&e->asker->rng, q->lefts)]] / 2;
}

/* Random pairs of the places that are left, by which all questions of a choice are compared. */
static void draw_pairs(accordi_extension *e)
{
    accordi_guesser *q = e->context;
    for (uint32_t k = 0; k < PAIRS; k++) {
        uint64_t i = accordi_rng_below(&e->asker->rng, q->lefts);
        uint64_t j = accordi_rng_below(&e->asker->rng, q->lefts - 1);
        q->pair[k][0] = q->left[i];
        q->pair[k][1] = q->left[j + (j >= i)];
    }
}

/* How many pairs of places a question cannot tell apart: `likely` and every other, if it is a
 * place; else those that were drawn. */
static uint32_t alike_pairs(const accordi_guesser *q, uint32_t likely)
{
    const accordi_excess *at = q->x.at;
    uint32_t alike = 0;
    for (uint32_t k = 0; likely != NONE && k < q->lefts; k++)
        alike += are_alike(q, at[likely], at[q->left[k]]);
    for (uint32_t k = 0; likely == NONE && k < PAIRS; k++)
        alike += are_alike(q, at[q->pair[k][0]], at[q->pair[k][1]]);
    return alike;
}

/* Of random questions the one that tells most about where the next term goes. The mask is there, or
 * at a term near a place that is left, and near ones have units. False if none tells anything,
 * though it should. */
static bool choose_question(accordi_extension *e, uint32_t likely, accordi_rounding *best)
{
    accordi_guesser *q = e->context;
    uint32_t next = e->g->count, tries = accordi_excess_tries(next), fewest = 0;
    uint32_t pairs = likely != NONE ? q->lefts : PAIRS;
    bool one = q->lefts == 1;
    tries = one ? 1 : q->lefts <= MANY_LEFT ? tries / FEWER : tries;
    if (!one && likely == NONE)
        draw_pairs(e);
    for (uint32_t t = 0; t < tries; t++) {
        uint32_t near = draw_near(e), turn = tries > 1 ? t : q->turn++;
        accordi_rounding drawn = accordi_excess_draw(e, turn % 2 ? near : next);
        drawn.also[0] = turn % 2 ? next : near;
        drawn.also[1] = turn % 4 < 2 ? draw_near(e) : drawn.mask;
        accordi_expected_places(&q->x, &drawn);
        uint32_t alike = one ? 0 : alike_pairs(q, likely);
        if (t == 0 || alike < fewest) {
            *best = drawn;
            fewest = alike;
        }
    }
    accordi_expected_places(&q->x, best);
    return fewest < pairs;
}

/* Leaves the places that the answer fits. */
static void sift_places(accordi_guesser *q, uint32_t excess)
{
    uint32_t left = 0;
    for (uint32_t k = 0; k < q->lefts; k++)
        if (accordi_excess_fits(q, q->x.at[q->left[k]], excess))
            q->left[left++] = q->left[k];
    q->lefts = left;
}

/* Asks where the next term goes, so often at least, until one place is left, or not the one that is
 * expected, if any is. Returns it, or ACCORDI_NOWHERE. That which is expected need not be the only
 * one left if enough answers fit it: of very many places, some are hardly told apart. */
uint32_t accordi_guesser_place(accordi_extension *e, uint32_t expected, uint32_t calls)
{
    accordi_guesser *q = e->context;
    uint32_t call = 0;
    accordi_expected_read(&q->x);
    for (q->lefts = 0; q->lefts < q->x.count; q->lefts++)
        q->left[q->lefts] = q->lefts;
    uint32_t likely = expected != ACCORDI_NOWHERE ? q->x.place[expected] : NONE;
    uint32_t most = likely != NONE ? ENOUGH : MOST_QUESTIONS, draws = most * DRAWS;
    for (uint32_t tries = 0; q->lefts > 0 && call < most && tries < draws; tries++) {
        accordi_answered a = {.terms = e->g->count + 1};
        if (q->lefts == 1 && call >= calls)
            return q->x.node[q->left[0]];
        if (!choose_question(e, likely, &a.question))
            continue;
        if (!accordi_excess_ask(e, &a))
            return ACCORDI_NOWHERE;
        call++;
        accordi_guesser_keep(e, &a);
        if (likely != NONE && !accordi_excess_fits(q, q->x.at[likely], a.excess)) {
            accordi_guesser_note_wrong(e, &a);
            return ACCORDI_NOWHERE;
        }
        sift_places(q, a.excess);
    }
    return likely != NONE ? expected : ACCORDI_NOWHERE;
}
