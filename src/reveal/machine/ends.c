/* First guesses about the ends of a machine's range: subnormal operands, zeros, overflow.
 *
 * Each is the answer to one or two questions. Later stages compare it with everything that was
 * asked. */
#include "reveal/machine/candidates.h"
#include <math.h>

static void put_factors(accordi_space *space, accordi_question *q, size_t slot, double a, double b)
{
    size_t terms = space->steps->terms, place = space->test * terms + slot % space->places;
    if (slot >= space->places) /* no room: in the step before */
        place -= terms;
    if (place < space->steps->n)
        accordi_question_insert(q, (accordi_entry){(uint32_t)place, a, b});
}

static bool can_hold(const accordi_space *space, size_t terms)
{
    return terms <= space->places || space->has_c;
}

/* The answer to the question asked last; NaN when it could not be asked. */
static double last_answer(accordi_space *space)
{
    if (accordi_space_ask(space) != ACCORD_OK)
        return (double)NAN;
    return space->question[space->questions - 1].answer;
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

bool accordi_measure_zeros(accordi_space *space, int floor)
{
    const accord_format_info *row = accord_format_get(space->asker->target->format);
    double a, b, alone = 0;
    split_power(space, floor, &a, &b);
    for (int beside = 0; beside < 2; beside++) {
        bool can = space->products && space->places > 1;
        accordi_question *q = can ? accordi_question_new(space) : NULL;
        if (!q)
            return false;
        if (beside)
            put_factors(space, q, 0, ldexp(1, row->max_exponent), 0);
        put_factors(space, q, 1, a, b);
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
    double a, b;
    accordi_question *q = small >= floor && can_hold(space, 3) ? accordi_question_new(space) : NULL;
    if (!q || space->places < 2)
        return false;
    split_power(space, small, &a, &b);
    put_factors(space, q, 0, ldexp(1, first), ldexp(1, second));
    put_factors(space, q, space->places > 4 ? 4 : 1, a, b);
    put_factors(space, q, 2, -ldexp(1, first), ldexp(1, second));
    return last_answer(space) == a * b;
}

bool accordi_measure_positive_zero(accordi_space *space)
{
    const accord_format_info *out = accord_format_get(space->result);
    int tiny = out->min_exponent - (out->precision - 1) - 3;
    double a, b;
    accordi_question *q = tiny >= space->grain ? accordi_question_new(space) : NULL;
    if (!q)
        return false;
    split_power(space, tiny, &a, &b); /* in the last step: any other makes +0 of it */
    accordi_question_insert(q, (accordi_entry){(uint32_t)space->steps->n - 1, -a, b});
    double zero = last_answer(space);
    return zero == 0 && !signbit(zero);
}

void accordi_measure_overflow(accordi_space *space, double seen[2])
{
    int most = accord_format_get(space->result)->max_exponent;
    seen[0] = (double)INFINITY;
    seen[1] = -(double)INFINITY;
    for (int sign = 0; sign < 2 && space->top >= most && space->places > 1; sign++) {
        double a, b;
        accordi_question *q = accordi_question_new(space);
        if (!q)
            return;
        split_power(space, most, &a, &b);
        put_factors(space, q, 0, sign ? -a : a, b);
        put_factors(space, q, 1, sign ? -a : a, b);
        seen[sign] = last_answer(space);
    }
}

bool accordi_measure_infinite_products(accordi_space *space)
{
    double a, b;
    accordi_question *q =
        space->top >= 128 && can_hold(space, 2) ? accordi_question_new(space) : NULL;
    if (!q || space->places < 2)
        return false;
    split_power(space, 128, &a, &b);
    put_factors(space, q, 0, a, b);
    put_factors(space, q, 1, -a, b);
    return last_answer(space) != 0;
}
