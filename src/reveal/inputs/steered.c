/* Rows that are drawn again because no order shows in them.
 *
 * Sums of terms with few bits are exact in a wide format, whatever the order, unless the terms lie
 * far apart; and a result of few bits hides all that a wider sum rounds, unless the sum lies next
 * to where results change. So the terms of such a row are spread over the range of their format,
 * and are changed until their exact sum is half way between two results, or one of them. What else
 * is special about a row stays: signs, zeros, its largest term, and for the most part which terms
 * are larger than others. */
#include "reveal/inputs/patterns.h"
#include <math.h>

static double factor_of(const accordi_operand *o, size_t i)
{
    return o->twin     ? o->twin_sign * accordi_operand_get(o, i)
           : o->others ? accordi_get_number(o->others, o->is_f32, i)
                       : 1;
}

static double term_of(const accordi_operand *o, size_t i)
{
    return accordi_operand_get(o, i) * factor_of(o, i);
}

/* The least size that a number of o->x may have where it stands: it stays normal, as does its
 * product. */
static double least_at(const accordi_operand *o, size_t i)
{
    double least = ldexp(1, o->info->min_exponent);
    double other = o->others && !o->twin ? fabs(factor_of(o, i)) : 1;
    least = o->twin ? sqrt(least) : least;
    return other > 0 && other < 1 ? least / other : least;
}

/* The room below a number, in binades. */
static int room_below(const accordi_operand *o, size_t i, double size)
{
    double least = least_at(o, i);
    return size > least ? ilogb(size) - ilogb(least) - 1 : 0;
}

size_t accordi_nonzero_place(accordi_operand *o, size_t at)
{
    size_t from = (size_t)accordi_rng_below(&o->rng, o->n);
    for (size_t i = 0; i < o->n; i++) {
        size_t place = from + i < o->n ? from + i : from + i - o->n;
        if (place != at && accordi_operand_get(o, place) != 0)
            return place;
    }
    return at;
}

bool accordi_cancel_terms(accordi_operand *o)
{
    double most = accordi_operand_largest(o, o->x);
    size_t at = 0;
    while (fabs(accordi_operand_get(o, at)) != most)
        at++;
    size_t other = accordi_nonzero_place(o, at);
    double factor = factor_of(o, other), old = accordi_operand_get(o, other);
    if (other == at || factor == 0)
        return false;
    accordi_operand_put(o, other, -term_of(o, at) / factor);
    if (fabs(accordi_operand_get(o, other)) <= most)
        return true;
    accordi_operand_put(o, other, old);
    return false;
}

/* Each as far below the largest as it may be, or several times as far as it was: then what was
 * larger stays so. */
void accordi_spread_terms(accordi_operand *o)
{
    enum { FARTHEST = 48 };
    double most = accordi_operand_largest(o, o->x);
    int times = (int)accordi_rng_below(&o->rng, 4);
    for (size_t i = 0; i < o->n; i++) {
        double old = accordi_operand_get(o, i), size = fabs(old);
        if (size == 0 || size == most)
            continue;
        int room = room_below(o, i, size), apart = ilogb(most) - ilogb(size);
        int by = times * apart;
        room = room < FARTHEST ? room : FARTHEST;
        if (times == 0)
            by = room > 0 ? (int)accordi_rng_below(&o->rng, (uint64_t)room + 1) : 0;
        by = by < room ? by : room;
        if (by > 0)
            accordi_operand_put(o, i, ldexp(old, -by));
    }
}

static double sum_of(const accordi_operand *o)
{
    double sum = 0;
    for (size_t i = 0; i < o->n; i++)
        sum += term_of(o, i);
    return sum;
}

/* Where results change next to this one: half way between two numbers, or, as for sums that are
 * rounded down or up, at one of them; and of the sums that are smaller by many binades, at one. */
static double nearest_change(accordi_operand *o, double sum)
{
    enum { DEEPER = 24 };
    const accord_format_info *output = accord_format_get(o->replays->output);
    uint64_t coins = accordi_rng_next(&o->rng);
    double result = sum * o->replays->scale;
    if ((coins & 3) == 0)
        result = ldexp(result, -(int)(accordi_rng_below(&o->rng, DEEPER)));
    if (result == 0 || !isfinite(result))
        return sum;
    int exponent = ilogb(result) < output->min_exponent ? output->min_exponent : ilogb(result);
    double last = ldexp(1, exponent - output->precision + 1);
    double change = (floor(fabs(result) / last) + (coins & 12 ? 0.5 : 1)) * last;
    return copysign(change, result) / o->replays->scale;
}

/* The size of the number that makes term i another. */
static double size_for(const accordi_operand *o, size_t i, double term)
{
    double factor = factor_of(o, i), old = accordi_operand_get(o, i);
    return o->twin ? sqrt(fmax(0, o->twin_sign * term)) : copysign(1, old) * term / factor;
}

/* Brings term i as near as it goes to what is lacking, and says what it then adds. Its number stays
 * within a factor of two of what it was, and no larger than the largest. */
static double bring_nearer(accordi_operand *o, size_t i, double lacks, double most)
{
    double old = accordi_operand_get(o, i), size = fabs(old), before = term_of(o, i);
    double upper = fmin(2 * size, most);
    double now = fmin(fmax(size_for(o, i, before + lacks), size / 2), upper);
    if (factor_of(o, i) == 0 || isnan(now) || now < least_at(o, i))
        return 0;
    accordi_operand_put(o, i, copysign(now, old));
    if (fabs(accordi_operand_get(o, i)) > upper)
        accordi_operand_put(o, i, old);
    return term_of(o, i) - before;
}

/* Term after term, binade by binade, larger ones first. */
void accordi_steer_terms(accordi_operand *o)
{
    double sum = sum_of(o), most = accordi_operand_largest(o, o->x), last = INFINITY;
    double lacks = nearest_change(o, sum) - sum;
    while (lacks != 0 && isfinite(lacks) && last > 0) {
        double next = 0;
        for (size_t i = 0; i < o->n; i++) {
            double size = fabs(term_of(o, i));
            next = size < last && size > next ? size : next;
        }
        double low = next > 0 ? ldexp(1, ilogb(next)) : 0;
        for (size_t i = 0; next > 0 && i < o->n && lacks != 0; i++) {
            double size = fabs(term_of(o, i));
            if (size >= low && size < last && fabs(accordi_operand_get(o, i)) != most)
                lacks -= bring_nearer(o, i, lacks, most);
        }
        last = low;
    }
}
