/* Questions: products of chosen exponents at chosen places, and their answers.
 *
 * What a step does to a term depends on how far its exponent lies below the greatest one, and on
 * where both lie in the range. A random question therefore has an anchor, the greatest exponent,
 * often twice with both signs so that it cancels, and terms at distances below it that are drawn
 * mostly near those where something was seen to happen. */
#include "reveal/features_space.h"
#include <math.h>

bool accordi_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static int drawn(accordi_space *space, int least, int most)
{
    if (most <= least)
        return least;
    return least + (int)accordi_rng_below(&space->asker->rng, (uint64_t)(most - least + 1));
}

static bool chance(accordi_space *space, int percent)
{
    return drawn(space, 1, 100) <= percent;
}

/* A significand in [1, 2): often few bits, often many. */
static double draw_significand(accordi_space *space)
{
    if (chance(space, 30))
        return 2 - ldexp(1, -drawn(space, 1, 11));
    return 1 + accordi_rng_unit(&space->asker->rng);
}

static double operand(accordi_space *space, int exponent, bool rough)
{
    enum accord_format format = space->asker->target->format;
    double x = ldexp(rough ? draw_significand(space) : 1, exponent);
    return accord_format_round(format, ACCORD_TOWARD_ZERO, x);
}

static int between(int x, int least, int most)
{
    return x < least ? least : x > most ? most : x;
}

/* The exponent that the first of two factors takes. Subnormal ones only where there is no other
 * way: they have fewer bits. */
static int share(accordi_space *space, int exponent)
{
    const accord_format_info *row = accord_format_get(space->asker->target->format);
    int low = row->min_exponent, high = row->max_exponent;
    if (exponent < 2 * low)
        return between(exponent - low, low - (row->precision - 1), low);
    int half = exponent / 2 + drawn(space, -3, 3);
    return between(half, exponent - high > low ? exponent - high : low,
                   exponent - low < high ? exponent - low : high);
}

static void insert(accordi_question *question, accordi_entry entry)
{
    size_t i = question->entries++;
    for (; i > 0 && question->entry[i - 1].place > entry.place; i--)
        question->entry[i] = question->entry[i - 1];
    question->entry[i] = entry;
}

static bool is_free(const accordi_question *question, uint32_t place)
{
    for (size_t i = 0; i < question->entries; i++)
        if (question->entry[i].place == place)
            return false;
    return true;
}

bool accordi_question_put(accordi_space *space, accordi_question *question, size_t step,
                          size_t slot, int exponent, bool rough, bool negative)
{
    size_t place = step * space->steps->terms + slot;
    if (question->entries == ACCORDI_ENTRIES || place >= space->steps->n ||
        slot >= space->steps->terms || !is_free(question, (uint32_t)place))
        return false;
    accordi_entry entry = {.place = (uint32_t)place, .b = 1};
    if (space->products) {
        exponent = between(exponent, space->grain, space->top);
        int first = share(space, exponent);
        entry.a = operand(space, first, rough);
        entry.b = operand(space, exponent - first, rough && chance(space, 70));
    } else {
        entry.a = operand(space, between(exponent, space->grain, space->top), rough);
    }
    entry.a = negative ? -entry.a : entry.a;
    insert(question, entry);
    return true;
}

static size_t places_of(const accordi_space *space, size_t step)
{
    size_t left = space->steps->n - step * space->steps->terms;
    return left < space->steps->terms ? left : space->steps->terms;
}

/* A place of a step, mostly one of the first eight; where steps have one, of any step. */
static uint32_t place_in(accordi_space *space, size_t step)
{
    accordi_rng *rng = &space->asker->rng;
    if (space->steps->terms == 1)
        return (uint32_t)(space->first + accordi_rng_below(rng, space->steps->n - space->first));
    size_t places = places_of(space, step);
    if (places > 8 && chance(space, 75))
        places = 8;
    return (uint32_t)(step * space->steps->terms + accordi_rng_below(rng, places));
}

static bool put_somewhere(accordi_space *space, accordi_question *question, size_t step,
                          int exponent, bool rough, bool negative)
{
    for (int tries = 0; tries < 6; tries++) {
        size_t place = place_in(space, step), terms = space->steps->terms;
        if (accordi_question_put(space, question, place / terms, place % terms, exponent, rough,
                                 negative))
            return true;
    }
    return false;
}

/* A distance at which one of the machines that are left does something. */
static int telling_distance(accordi_space *space)
{
    static const enum accordi_feature bits[] = {
        ACCORDI_FEATURE_FRACTION, ACCORDI_FEATURE_SUM_FRACTION, ACCORDI_FEATURE_C_FRACTION,
        ACCORDI_FEATURE_C_REACH, ACCORDI_FEATURE_OUTPUT_FRACTION};
    accordi_rng *rng = &space->asker->rng;
    if (space->machines == 0)
        return space->kept;
    const accord_fused *machine = &space->machine[accordi_rng_below(rng, space->machines)];
    enum accordi_feature feature = bits[accordi_rng_below(rng, sizeof bits / sizeof *bits)];
    int value = accordi_feature_value(machine, feature);
    if (value == 0 || !accordi_feature_applies(machine, feature))
        value = accord_format_get(machine->output)->precision;
    return value;
}

/* How far below the anchor a term lies. */
static int distance(accordi_space *space, const accordi_regime *regime)
{
    if (regime->window)
        return chance(space, 40) ? drawn(space, 0, 2) : drawn(space, 0, regime->window);
    int kind = drawn(space, 0, 9);
    if (kind < 3)
        return telling_distance(space) + drawn(space, -2, 3);
    if (kind < 5) /* of a term that tells beside another that does */
        return abs(telling_distance(space) - telling_distance(space)) + drawn(space, -2, 2);
    if (kind < 6)
        return (chance(space, 50) ? space->kept : space->c_kept) + drawn(space, -3, 5);
    return kind < 8 ? drawn(space, 0, 4) : drawn(space, 0, 48);
}

/* The sum so far: exact and away from the ends of its range, or anything. */
static void put_c(accordi_space *space, const accordi_regime *regime, accordi_question *question,
                  int anchor)
{
    size_t step = space->test - 1;
    int count = drawn(space, 1, 3);
    bool negative = chance(space, 50);
    const accord_format_info *out = accord_format_get(space->result);
    int bits = out->precision < space->kept ? out->precision : space->kept;
    for (int i = 0; i < count; i++) {
        bool small = regime->window || regime->safe_c;
        int window = regime->window ? regime->window : bits - 3;
        int below = i == 0  ? 0
                    : small ? drawn(space, 1, window > 1 ? window : 1)
                            : distance(space, regime);
        put_somewhere(space, question, step, anchor - below, !small && chance(space, 50),
                      i > 0 && chance(space, 50) ? !negative : negative);
    }
}

/* The first two of a question: a product and its opposite. */
static void put_pair(accordi_space *space, accordi_question *question, int anchor)
{
    if (!put_somewhere(space, question, space->test, anchor, chance(space, 40), false))
        return;
    accordi_entry twin = question->entry[0];
    for (int tries = 0; tries < 8; tries++) {
        uint32_t place = place_in(space, space->test);
        if (!is_free(question, place))
            continue;
        twin.place = place;
        twin.a = -twin.a;
        insert(question, twin);
        return;
    }
}

static void draw_anchored(accordi_space *space, const accordi_regime *regime,
                          accordi_question *question)
{
    question->entries = 0;
    int anchor = drawn(space, regime->low, regime->high), of_c = anchor;
    bool c = regime->c && space->has_c && chance(space, 75);
    if (c && !regime->window && chance(space, 70)) {
        int away = distance(space, regime);
        if (chance(space, 50))
            of_c -= away;
        else
            anchor -= away;
    }
    const accord_format_info *out = accord_format_get(space->result);
    int floor = out->min_exponent + 3;
    of_c = regime->safe_c && of_c < floor ? floor : of_c;
    of_c = of_c > space->high ? space->high : of_c;
    if (!regime->window && chance(space, 60))
        put_pair(space, question, anchor);
    else
        put_somewhere(space, question, space->test, anchor, !regime->window && chance(space, 50),
                      chance(space, 50));
    int count = drawn(space, c ? 0 : 1, chance(space, 40) ? 2 : 9);
    bool one_sign = chance(space, 30), negative = chance(space, 50);
    for (int i = 0; i < count; i++)
        put_somewhere(space, question, space->test, anchor - distance(space, regime),
                      !regime->window && chance(space, 50),
                      one_sign ? negative : chance(space, 50));
    if (c)
        put_c(space, regime, question, of_c);
}

/* Around the last bit of the least results: whole and half ones, and terms that are cut there. */
static void draw_edge(accordi_space *space, accordi_question *question)
{
    const accord_format_info *out = accord_format_get(space->result);
    int least = out->min_exponent - (out->precision - 1), cut = least - space->kept;
    if (space->machines > 0) {
        size_t any = (size_t)accordi_rng_below(&space->asker->rng, space->machines);
        cut = space->machine[any].least_exponent - space->machine[any].fraction;
    }
    question->entries = 0;
    int count = drawn(space, 1, 3), tiny = drawn(space, 1, chance(space, 50) ? 2 : 10);
    bool negative = chance(space, 50);
    for (int i = 0; i < count; i++)
        put_somewhere(space, question, space->test, least + drawn(space, -1, 1), chance(space, 20),
                      i == 0 ? negative : chance(space, 50));
    negative = chance(space, 50);
    for (int i = 0; i < tiny; i++)
        put_somewhere(space, question, space->test, cut + drawn(space, -2, 2), chance(space, 50),
                      negative);
}

/* Half a last bit below a great c, and products beside c that are cut at a distance where one of
 * the machines does something; or a small c below a great product. */
static void draw_joint(accordi_space *space, bool high, accordi_question *question)
{
    bool great_c = chance(space, 60);
    size_t great = great_c ? space->test - 1 : space->test;
    size_t small = great_c ? space->test : space->test - 1;
    int low = high || chance(space, 50) ? space->high - 4 : space->grain + 8;
    int most = accord_format_get(space->result)->max_exponent - 1;
    most = most > 100 ? 100 : most > space->top ? space->top : most;
    int anchor = drawn(space, low, chance(space, 40) ? most : space->high);
    int half = accord_format_get(space->result)->precision;
    if (chance(space, 30))
        half = telling_distance(space) + 1;
    bool negative = chance(space, 50);
    question->entries = 0;
    put_somewhere(space, question, great, anchor, false, negative);
    if (chance(space, 70))
        put_somewhere(space, question, space->test, anchor - half, false, chance(space, 50));
    int count = chance(space, 60) ? 1 : 2;
    for (int i = 0; i < count; i++)
        put_somewhere(space, question, small,
                      anchor - telling_distance(space) - drawn(space, -1, 2), chance(space, 20),
                      chance(space, 50));
    if (chance(space, 20))
        put_somewhere(space, question, space->test, anchor, false, !negative);
}

/* All places of the last steps, as a replay has them. */
static void draw_dense(accordi_space *space, accordi_question *question)
{
    const accord_format_info *out = accord_format_get(space->result);
    int middles[] = {0, space->bottom + 6, out->min_exponent - 4, space->high - 4};
    int middle = middles[drawn(space, 0, 3)], spread = drawn(space, 0, 1) ? 4 : 40;
    question->entries = 0;
    size_t terms = space->steps->terms, n = space->steps->n;
    for (size_t at = space->first * terms; at < n && question->entries < ACCORDI_ENTRIES; at++) {
        size_t held = question->entries;
        if (held > 0 && chance(space, 20)) {
            accordi_entry twin = question->entry[accordi_rng_below(&space->asker->rng, held)];
            twin.place = (uint32_t)at;
            twin.a = -twin.a;
            insert(question, twin);
            continue;
        }
        accordi_question_put(space, question, at / terms, at % terms,
                             middle + drawn(space, -spread / 2, spread / 2), true,
                             chance(space, 50));
    }
}

void accordi_question_draw(accordi_space *space, const accordi_regime *regime,
                           accordi_question *question)
{
    if (regime->dense)
        draw_dense(space, question);
    else if (regime->joint && space->has_c)
        draw_joint(space, regime->safe_c, question);
    else if (regime->edge)
        draw_edge(space, question);
    else
        draw_anchored(space, regime, question);
}

accordi_regime accordi_regime_any(const accordi_space *space, size_t which)
{
    const accord_format_info *out = accord_format_get(space->result);
    int least = out->min_exponent - (out->precision - 1);
    accordi_regime regimes[ACCORDI_REGIMES] = {
        {space->high - 4, space->high, 0, true, true, false, false, false},
        {space->high - 40, space->top, 0, true, false, false, false, false},
        {space->bottom - 2, space->bottom + 40, 0, true, false, false, false, false},
        {least - 4, least + 40, 0, true, false, false, false, false},
        {out->max_exponent - 6, out->max_exponent + 2, 0, true, false, false, false, false},
        {.edge = true},
        {.edge = true, .joint = true},
        {.dense = true},
    };
    return regimes[which % ACCORDI_REGIMES];
}
