/* Writes products with chosen exponents into a question to a machine. */
#include "reveal/machine/candidates.h"
#include <math.h>

bool accordi_same(const accordi_space *space, double a, double b)
{
    bool aligned = space->steps->scheme == ACCORD_FUSED_THEN_C;
    return a == b ? !aligned || signbit(a) == signbit(b) : isnan(a) && isnan(b);
}

/* A significand in [1, 2): often near an end, often of many bits. */
static double draw_significand(accordi_space *space)
{
    if (accordi_chance(space, 30))
        return 2 - ldexp(1, -accordi_drawn(space, 1, 11));
    if (accordi_chance(space, 30))
        return 1 + ldexp(1, -accordi_drawn(space, 1, 23));
    return 1 + accordi_rng_unit(&space->asker->rng);
}

static double draw_question_operand(accordi_space *space, int exponent, bool rough)
{
    enum accord_format format = space->asker->target->format;
    double x = ldexp(rough ? draw_significand(space) : 1, exponent);
    return accord_format_round(format, ACCORD_TOWARD_ZERO, x);
}

static int clamp_exponent(int x, int least, int most)
{
    return x < least ? least : x > most ? most : x;
}

/* The exponent that the first of two factors takes. Subnormal ones, which have fewer bits, only
 * where there is no other way, or at random where that is wanted. */
static int share_of_exponent(accordi_space *space, int exponent)
{
    const accord_format_info *row = accord_format_get(space->asker->target->format);
    int low = row->min_exponent, high = row->max_exponent;
    if (exponent < 2 * low)
        return clamp_exponent(exponent - low, low - (row->precision - 1), low);
    int tiny = low - accordi_drawn(space, 1, row->precision - 1);
    if (space->subnormals > 0 && exponent - tiny <= high && exponent - tiny >= low &&
        accordi_chance(space, space->subnormals))
        return tiny;
    int half = exponent / 2 + accordi_drawn(space, -3, 3);
    return clamp_exponent(half, exponent - high > low ? exponent - high : low,
                          exponent - low < high ? exponent - low : high);
}

void accordi_question_insert(accordi_question *question, accordi_entry entry)
{
    size_t i = question->entries++;
    for (; i > 0 && question->entry[i - 1].place > entry.place; i--)
        question->entry[i] = question->entry[i - 1];
    question->entry[i] = entry;
}

bool accordi_question_is_free(const accordi_question *question, uint32_t place)
{
    for (size_t i = 0; i < question->entries; i++)
        if (question->entry[i].place == place)
            return false;
    return true;
}

bool accordi_question_repeat(const accordi_space *space, accordi_question *question,
                             accordi_entry entry, uint32_t place, double sign)
{
    if (question->entries == ACCORDI_ENTRIES || !accordi_question_is_free(question, place))
        return false;
    size_t from = space->share ? accordi_question_block(space, entry.place) : 0;
    size_t to = space->share ? accordi_question_block(space, place) : 0;
    if (from != to && question->scale[0][to] != 0 &&
        (question->scale[0][from] != question->scale[0][to] ||
         question->scale[1][from] != question->scale[1][to]))
        return false;
    for (int i = 0; i < 2 && from != to; i++)
        question->scale[i][to] = question->scale[i][from];
    entry.place = place;
    entry.a *= sign;
    accordi_question_insert(question, entry);
    return true;
}

bool accordi_question_put(accordi_space *space, accordi_question *question, size_t step,
                          size_t slot, int exponent, bool rough, bool negative)
{
    size_t place = step * space->steps->terms + slot;
    if (question->entries == ACCORDI_ENTRIES || place >= space->steps->n ||
        slot >= space->steps->terms || !accordi_question_is_free(question, (uint32_t)place))
        return false;
    accordi_entry entry = {.place = (uint32_t)place, .b = 1};
    if (space->products) {
        exponent = accordi_question_unscale(
            space, question, place, clamp_exponent(exponent, space->grain, space->top), rough);
        int first = share_of_exponent(space, exponent);
        entry.a = draw_question_operand(space, first, rough);
        entry.b =
            draw_question_operand(space, exponent - first, rough && accordi_chance(space, 70));
    } else {
        entry.a =
            draw_question_operand(space, clamp_exponent(exponent, space->grain, space->top), rough);
    }
    entry.a = negative ? -entry.a : entry.a;
    accordi_question_insert(question, entry);
    return true;
}

static size_t places_of(const accordi_space *space, size_t step)
{
    size_t left = space->steps->n - step * space->steps->terms;
    return left < space->steps->terms ? left : space->steps->terms;
}

/* A place of a step, mostly one of the first eight; where steps have one, of any step. */
uint32_t accordi_question_place(accordi_space *space, size_t step)
{
    accordi_rng *rng = &space->asker->rng;
    if (space->steps->terms == 1)
        return (uint32_t)(space->first + accordi_rng_below(rng, space->steps->n - space->first));
    size_t places = places_of(space, step), block = 0;
    if (space->share) {
        block = accordi_rng_below(rng, (places + space->share - 1) / space->share) * space->share;
        places = places - block < space->share ? places - block : space->share;
    }
    if (places > 8 && accordi_chance(space, 75))
        places = 8;
    return (uint32_t)(step * space->steps->terms + block + accordi_rng_below(rng, places));
}

bool accordi_question_put_in(accordi_space *space, accordi_question *question, size_t step,
                             int exponent, bool rough, bool negative)
{
    enum { TRIES = 6, CHOOSY = 4 };
    for (int tries = 0; tries < TRIES; tries++) {
        size_t place = accordi_question_place(space, step), terms = space->steps->terms;
        if (tries < CHOOSY && !accordi_question_reaches(space, question, place, exponent))
            continue;
        if (accordi_question_put(space, question, place / terms, place % terms, exponent, rough,
                                 negative))
            return true;
    }
    return false;
}
