/* Finds where the next term goes, of sums that cannot be negative: by elimination. Of some random
 * questions that one is asked whose answers differ most between the places that are left. */
#include "reveal/discover/excesses.h"

enum { PAIRS = ACCORDI_PLACE_PAIRS, MOST_QUESTIONS = 64, ENOUGH = 8, DRAWS = 8, MOSTLY = 4 };
enum { MANY_LEFT = 4, FEWER = 4 };
static const uint32_t NONE = UINT32_MAX; /* no place */

/* May both give the same answer? */
static bool are_alike(const accordi_guesser *q, accordi_excess a, accordi_excess b)
{
    return q->seen[a.low] <= q->seen[b.high] && q->seen[b.low] <= q->seen[a.high];
}

/* A term under a place that is left for the next one. Where excesses are counted, they tell most of
 * a rule with masks and units where it began to be used: near the terms since the latest border. */
static uint32_t draw_near(accordi_extension *e, uint32_t likely)
{
    const accordi_guesser *q = e->context;
    uint32_t count = e->g->count, from = e->bases && e->base[0] < count ? e->base[0] : count - 1;
    if (q->counted && likely != NONE && accordi_rng_below(&e->asker->rng, MOSTLY))
        return from + (uint32_t)accordi_rng_below(&e->asker->rng, count - from);
    return q->x.node[q->left[accordi_rng_below(&e->asker->rng, q->lefts)]] / 2;
}

/* Random pairs of the places that are left, by which all questions of a choice are compared: half
 * of them with one of those at which loops begin again. */
static void draw_pairs(accordi_extension *e)
{
    accordi_guesser *q = e->context;
    for (uint32_t k = 0; k < PAIRS; k++) {
        uint32_t of = k % 2 && q->firsts ? q->firsts : q->lefts;
        uint64_t i = accordi_rng_below(&e->asker->rng, of);
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

/* With two units alone the excess is seen in turn 0 unless the next term is added inside the place
 * that is expected, and in turn 1 if it is added there or inside: both together tell all where
 * excesses are not counted. */
static void draw_triple(accordi_extension *e, uint32_t likely, uint32_t turn, accordi_rounding *out)
{
    enum { NO_MORE = 63 };
    const accordi_guesser *q = e->context;
    uint32_t node = q->x.node[likely], next = e->g->count, term = node / 2;
    if (turn == 0 && node & 1)
        *out = (accordi_rounding){
            .mask = next, .also = {term, accordi_growth_other(e->g, term)}, .thin = NO_MORE};
    else if (turn == 1 && likely > 0)
        *out = (accordi_rounding){.mask = q->x.node[accordi_expected_sibling(likely)] / 2,
                                  .also = {next, term},
                                  .thin = NO_MORE};
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
        uint32_t near = draw_near(e, likely), turn = tries > 1 ? t : q->turn++;
        accordi_rounding drawn = accordi_excess_draw(e, turn % 2 ? near : next, false, 0);
        drawn.also[0] = turn % 2 ? next : near;
        drawn.also[1] = turn % 4 < 2 ? draw_near(e, likely) : drawn.mask;
        if (!q->counted && !one && likely != NONE && t < 2)
            draw_triple(e, likely, t, &drawn);
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
static void sift_places(accordi_guesser *q, uint32_t steps)
{
    uint32_t left = 0, firsts = 0;
    for (uint32_t k = 0; k < q->lefts; k++)
        if (accordi_excess_fits(q, q->x.at[q->left[k]], steps)) {
            firsts += k < q->firsts;
            q->left[left++] = q->left[k];
        }
    q->lefts = left;
    q->firsts = firsts;
}

/* All places, those above the first term first. */
static void list_places(accordi_guesser *q)
{
    q->firsts = q->lefts = 0;
    for (uint32_t k = 0; k < q->x.count; k++)
        q->x.met[k] = false;
    for (uint32_t k = q->x.place[0]; !q->x.met[k]; k = q->x.up[k]) {
        q->x.met[k] = true;
        q->left[q->firsts++] = k;
    }
    q->lefts = q->firsts;
    for (uint32_t k = 0; k < q->x.count; k++)
        if (!q->x.met[k])
            q->left[q->lefts++] = k;
}

/* All places, but those that are known not to be the next term's: answers about as many terms say
 * so, whatever order they were asked to test. */
static void begin_places(accordi_extension *e)
{
    accordi_guesser *q = e->context;
    accordi_expected_read(&q->x);
    list_places(q);
    for (uint32_t k = 0; k < e->knowns; k++)
        if (q->known[k].terms == e->g->count + 1) {
            accordi_expected_places(&q->x, &q->known[k].question);
            sift_places(q, q->known[k].steps);
        }
}

/* Asks where the next term goes, so often at least, until one place is left, or not the one that is
 * expected, if any is. Returns it, or ACCORDI_NOWHERE. That which is expected need not be the only
 * one left if enough answers fit it: of very many places, some are hardly told apart. */
uint32_t accordi_guesser_place(accordi_extension *e, uint32_t expected, uint32_t calls)
{
    accordi_guesser *q = e->context;
    uint32_t call = 0;
    begin_places(e);
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
        if (likely != NONE && !accordi_excess_fits(q, q->x.at[likely], a.steps))
            return ACCORDI_NOWHERE;
        sift_places(q, a.steps);
    }
    return likely != NONE ? expected : ACCORDI_NOWHERE;
}
