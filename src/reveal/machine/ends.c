/* First guesses about the ends of a machine's range: subnormal operands, zeros, overflow.
 *
 * Each is the answer to one or two questions. Later stages compare it with everything that was
 * asked. */
#include "reveal/machine/candidates.h"
#include <math.h>

/* Their scales are 1, unless they are chosen already. */
static void put_factors(accordi_space *space, accordi_question *q, size_t slot, double a, double b)
{
    size_t terms = space->steps->terms, place = space->test * terms + slot % space->places;
    if (slot >= space->places) /* no room: in the step before */
        place -= terms;
    double *scales[] = {q->scale[0], q->scale[1]};
    for (int i = 0; i < 2 && space->share && place < space->steps->n; i++) {
        double *scale = &scales[i][accordi_question_block(space, place)];
        *scale = *scale != 0 ? *scale : 1;
    }
    if (place < space->steps->n)
        accordi_question_insert(q, (accordi_entry){(uint32_t)place, a, b});
}

static bool can_hold(const accordi_space *space, size_t terms)
{
    return terms <= space->places || space->has_c;
}

/* 2^exponent as an operand and a second factor that the format holds. */
static void split_power(const accordi_space *space, int exponent, double *a, double *b)
{
    const accord_format_info *row = accord_format_get(space->asker->target->format);
    int first = exponent;
    if (space->products && exponent > row->max_exponent)
        first = row->max_exponent;
    if (space->products && exponent < row->min_exponent)
        first = row->min_exponent;
    if (space->products && exponent - first < row->min_exponent) { /* both, or one, subnormal */
        int least = row->min_exponent - (row->precision - 1);
        first = exponent - row->min_exponent;
        first = first < least ? least : first;
    }
    *a = ldexp(1, first);
    *b = ldexp(1, exponent - first);
}

/* By scales that are as great as the product: greater ones may align it so that it is cut. */
static void put_scaled(accordi_space *space, accordi_question *q, size_t step, size_t slot,
                       int exponent, double sign)
{
    space->whole = true;
    accordi_question_put(space, q, step, slot, exponent, false, sign < 0);
    space->whole = false;
}

/* 2^exponent, or its opposite, by factors or by scales. */
static void put_power(accordi_space *space, accordi_question *q, size_t slot, int exponent,
                      double sign)
{
    double a, b;
    if (space->share) {
        put_scaled(space, q, space->test, slot, exponent, sign);
        return;
    }
    split_power(space, exponent, &a, &b);
    put_factors(space, q, slot, sign * a, b);
}

/* The answer to the question asked last; NaN when it could not be asked. */
static double last_answer(accordi_space *space)
{
    if (accordi_space_ask(space) != ACCORD_OK)
        return (double)NAN;
    return space->question[space->questions - 1].answer;
}

bool accordi_measure_flush(accordi_space *space)
{
    const accord_format_info *row = accord_format_get(space->asker->target->format);
    double b = space->products ? ldexp(1, 1 - row->min_exponent) : 1;
    accordi_question *q = accordi_question_new(space);
    if (!q)
        return false;
    put_factors(space, q, 0, ldexp(1, row->min_exponent - 1),
                b > row->greatest ? ldexp(1, row->max_exponent) : b);
    return last_answer(space) == 0;
}

static size_t first_place(const accordi_space *space)
{
    return space->test * space->steps->terms;
}

bool accordi_measure_zeros(accordi_space *space, int floor)
{
    const accord_format_info *row = accord_format_get(space->asker->target->format);
    double alone = 0;
    for (int beside = 0; beside < 2; beside++) {
        bool can = space->products && space->places > 1 &&
                   (!space->share || accordi_space_apart(space, 0) > 0);
        accordi_question *q = can ? accordi_question_new(space) : NULL;
        if (!q)
            return false;
        if (beside && space->share) /* its scales are as great as any */
            accordi_question_set_scales(space, q, accordi_question_block(space, first_place(space)),
                                        space->high, false);
        if (beside)
            put_factors(space, q, 0, ldexp(1, row->max_exponent), 0);
        put_power(space, q, accordi_space_apart(space, 1), floor, 1);
        if (!beside)
            alone = last_answer(space);
    }
    return !accordi_same(space, last_answer(space), alone);
}

bool accordi_measure_leading(accordi_space *space, int floor)
{
    const accord_format_info *row = accord_format_get(space->asker->target->format);
    int below = row->precision - 1 < 8 ? row->precision - 1 : 8;
    int first = row->min_exponent - below, second = space->products ? row->max_exponent : 0;
    int out = accord_format_get(space->result)->max_exponent - 2;
    second = first + second > out ? out - first : second;
    int small = first + second - space->kept;
    accordi_question *q = small >= floor && can_hold(space, 3) ? accordi_question_new(space) : NULL;
    if (!q || space->places < 2)
        return false;
    put_factors(space, q, 0, ldexp(1, first), ldexp(1, second));
    put_power(space, q, accordi_space_apart(space, space->places > 4 ? 4 : 1), small, 1);
    put_factors(space, q, 2, -ldexp(1, first), ldexp(1, second));
    return last_answer(space) == ldexp(1, small);
}

bool accordi_measure_positive_zero(accordi_space *space)
{
    const accord_format_info *out = accord_format_get(space->result);
    int tiny = out->min_exponent - (out->precision - 1) - 3;
    double a, b;
    accordi_question *q = tiny >= space->grain ? accordi_question_new(space) : NULL;
    if (!q)
        return false;
    uint32_t last = (uint32_t)space->steps->n - 1; /* any other step makes +0 of it */
    size_t terms = space->steps->terms;
    split_power(space, tiny, &a, &b);
    if (space->share)
        put_scaled(space, q, last / terms, last % terms, tiny, -1);
    else
        accordi_question_insert(q, (accordi_entry){last, -a, b});
    double zero = last_answer(space);
    return zero == 0 && !signbit(zero);
}

/* Where the second product meets the first before anything else, in some scheme of multiply-adds.
 */
enum accord_status accordi_ask_just_below(accordi_space *space)
{
    static const uint32_t places[][2] = {{0, 1}, {1, 0}, {0, 2}};
    const accord_format_info *out = accord_format_get(space->result);
    int part = out->min_exponent - out->precision - 2;
    size_t from = space->first * space->steps->terms;
    double a, b;
    for (size_t i = 0; i < sizeof places / sizeof *places && part >= space->grain; i++) {
        if (from + 2 >= space->steps->n)
            break;
        accordi_question *q = accordi_question_new(space);
        if (!q)
            break;
        split_power(space, out->min_exponent, &a, &b);
        accordi_question_insert(q, (accordi_entry){(uint32_t)from + places[i][0], a, b});
        split_power(space, part, &a, &b);
        accordi_question_insert(q, (accordi_entry){(uint32_t)from + places[i][1], -3 * a, b});
    }
    return accordi_space_ask(space);
}

void accordi_measure_overflow(accordi_space *space, double seen[2])
{
    int most = accord_format_get(space->result)->max_exponent;
    seen[0] = (double)INFINITY;
    seen[1] = -(double)INFINITY;
    for (int sign = 0; sign < 2 && space->top >= most && space->places > 1; sign++) {
        accordi_question *q = accordi_question_new(space);
        if (!q)
            return;
        put_power(space, q, 0, most, sign ? -1 : 1);
        put_power(space, q, 1, most, sign ? -1 : 1);
        seen[sign] = last_answer(space);
    }
}

bool accordi_measure_infinite_products(accordi_space *space)
{
    accordi_question *q =
        space->top >= 128 && can_hold(space, 2) ? accordi_question_new(space) : NULL;
    if (!q || space->places < 2)
        return false;
    put_power(space, q, 0, 128, 1);
    put_power(space, q, 1, 128, -1);
    return last_answer(space) != 0;
}
