/* Terms of a kind of their own at the places of a pattern: one, every second, pairs, a part at an
 * end or inside, or all but these. The kinds of random inputs draw their terms alike, so that
 * hardly any row has zeros at all even places, one positive number among negative ones, or one term
 * that is unlike all others; real data have such rows, and a target may treat them in a special
 * way. */
#include "reveal/inputs/patterns.h"
#include <math.h>

double accordi_operand_largest(const accordi_operand *o, const void *x)
{
    double most = 0;
    for (size_t i = 0; i < o->n; i++) {
        double size = fabs(accordi_get_number(x, o->is_f32, i));
        most = size > most ? size : most;
    }
    return most;
}

size_t accordi_operand_place(accordi_operand *o)
{
    uint64_t coins = accordi_rng_next(&o->rng), inside = o->lone ? 5 : 1;
    return (coins & inside) == inside ? (size_t)accordi_rng_below(&o->rng, o->n)
           : coins & 2                ? 0
                                      : o->n - 1;
}

/* Place i is one of them if the run in which it stands is the first of a period. */
typedef struct places {
    size_t run, period, offset;
    bool others; /* all but these */
} places;

static bool has_place(const places *p, size_t i)
{
    return ((i + p->offset) / p->run % p->period == 0) != p->others;
}

static size_t below(accordi_operand *o, size_t count)
{
    return (size_t)accordi_rng_below(&o->rng, count);
}

/* Parts come twice as often as others. */
enum shape { ONE, PART, PART_TOO, SECONDS, REPEATED, SHAPES };

static bool is_part(enum shape shape)
{
    return shape == PART || shape == PART_TOO;
}

static places draw_places(accordi_operand *o, enum shape shape)
{
    uint64_t coins = accordi_rng_next(&o->rng);
    places p = {.run = 1, .period = 2, .others = coins & 1};
    if (shape == ONE) {
        p.period = o->n;
        p.offset = o->n - accordi_operand_place(o);
    } else if (is_part(shape)) {
        size_t round = o->n / (coins & 4 ? 2 : 4);
        p.run = coins & 2 && round ? round : 1 + below(o, o->n);
        p.offset = coins & 24 ? 0 : below(o, p.run);
    } else if (shape == REPEATED) {
        p.run = coins & 2 ? 1 : 2;
        p.period = coins & 4 ? 2 + below(o, 3) : 3;
        p.offset = coins & 8 ? 0 : below(o, p.run * p.period);
    }
    return p;
}

/* Numbers that are to become smaller by 2^-by stay far from subnormal ones, as do products with
 * them: where they vanish, the signs of zeros depend on more than the order. */
static bool can_shrink(const accordi_operand *o, const places *p, int by)
{
    double least = ldexp(1, o->info->min_exponent + by);
    for (size_t i = 0; i < o->n; i++) {
        double size = fabs(accordi_operand_get(o, i));
        if (o->others && has_place(p, i))
            size *= fmin(1, fabs(accordi_get_number(o->others, o->is_f32, i)));
        if (has_place(p, i) && size != 0 && size < least)
            return false;
    }
    return true;
}

/* Has the sum room if any number of terms are this one? */
static bool can_repeat(const accordi_operand *o, double value)
{
    double size = o->replays->squares ? value * value : fabs(value);
    size *= o->others ? accordi_operand_largest(o, o->others) : 1;
    return size * (double)o->n <= o->replays->greatest / 4;
}

enum change { ZERO, SIGN, SMALLER, SAME, CHANGES };

/* Of sums, for the most part. */
static int bits_of(const accordi_operand *o)
{
    enum { SINGLE = 24 };
    return o->narrow ? SINGLE : o->info->precision;
}

/* Vectors are often filled up with zeros; rows of equal terms tell little about orders. */
static enum change draw_change(accordi_operand *o, enum shape shape)
{
    static const enum change all[] = {ZERO, ZERO, ZERO, SIGN, SIGN, SIGN, SMALLER, SAME};
    bool padded = accordi_rng_next(&o->rng) >> 63 && is_part(shape);
    return padded ? ZERO : all[below(o, sizeof all / sizeof *all)];
}

/* SMALLER: by 2^-by, in two steps, since one may be beyond the format. */
static void change_at(accordi_operand *o, const places *p, enum change change, int by)
{
    double first = ldexp(1, -(by / 2)), second = ldexp(1, by / 2 - by);
    double same = accordi_operand_get(o, accordi_operand_place(o));
    uint64_t coins = accordi_rng_next(&o->rng);
    if (coins & 1)
        same = coins & 2 ? 1 : -1;
    if ((change == SMALLER && !can_shrink(o, p, by)) || (change == SAME && !can_repeat(o, same)))
        return;
    for (size_t i = 0; i < o->n; i++) {
        double old = accordi_operand_get(o, i);
        bool chosen = has_place(p, i);
        const double value[CHANGES] = {0, 0, old * first * second, same};
        if (change == SIGN)
            accordi_operand_put(o, i, copysign(old, chosen ? -1 : 1));
        else if (chosen)
            accordi_operand_put(o, i, value[change]);
    }
}

void accordi_change_places(accordi_operand *o)
{
    enum shape shape = (enum shape)below(o, SHAPES);
    const places p = draw_places(o, shape);
    enum change change = draw_change(o, shape);
    change_at(o, &p, change, 1 + (int)below(o, (size_t)bits_of(o)));
}

/* The further they lie below it, the more thresholds lie between; the order shows as often, until
 * hardly any bits of theirs are kept beside it. Narrow formats have room for few of these sizes. */
void accordi_shrink_others(accordi_operand *o, size_t place)
{
    const places p = {.run = 1, .period = o->n, .offset = o->n - place, .others = true};
    int bits = bits_of(o), most = bits - 2;
    int least = o->info->max_exponent < ACCORDI_FAR ? 1 : bits * 5 / 8;
    change_at(o, &p, SMALLER, least + (int)below(o, (size_t)(most - least) + 1));
}

void accordi_shrink_one(accordi_operand *o, size_t place)
{
    double size = fabs(accordi_operand_get(o, place));
    if (o->others)
        size *= fmin(1, fabs(accordi_get_number(o->others, o->is_f32, place)));
    int room = size == 0 ? 0 : ilogb(size) - o->info->min_exponent;
    const places p = {.run = 1, .period = o->n, .offset = o->n - place};
    if (room > 0)
        change_at(o, &p, SMALLER, 1 + (int)below(o, (size_t)room));
}

void accordi_repeat_terms(accordi_operand *o, size_t which)
{
    static const uint8_t periods[ACCORDI_PERIODS] = {2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 32};
    size_t period = periods[which];
    for (size_t i = period; i < o->n; i++)
        accordi_operand_put(o, i, accordi_operand_get(o, i - period));
}

/* Shares of 1 or of 100, or a vector of length 1, as numbers that are their own factors are always.
 * The largest number may be 1 instead, and one of them 0. */
void accordi_normalize_terms(accordi_operand *o, size_t which)
{
    enum { SHARES, OF_A_HUNDRED, BY_LARGEST, LENGTH };
    size_t way = o->twin ? LENGTH : which;
    double most = accordi_operand_largest(o, o->x), sum = 0;
    for (size_t i = 0; i < o->n; i++) {
        double share = most > 0 ? fabs(accordi_operand_get(o, i)) / most : 0;
        sum += way == LENGTH ? share * share : share;
    }
    const double all[ACCORDI_NORMS] = {most * sum, most * sum / 100, most, most * sqrt(sum)};
    double greatest = o->replays->greatest / 4;
    greatest /= o->others && !o->twin ? accordi_operand_largest(o, o->others) : 1;
    if (!(all[way] > 0) || isinf(all[way]) || fmax(100, (double)o->n) > greatest)
        return;
    for (size_t i = 0; i < o->n; i++) {
        double old = accordi_operand_get(o, i);
        accordi_operand_put(o, i, (way == LENGTH ? old : fabs(old)) / all[way]);
    }
    if (way == BY_LARGEST)
        accordi_operand_put(o, accordi_operand_place(o), 0);
}

/* Temperatures, percentages, pressures, years, days since 1900, seconds and milliseconds since
 * 1970, and the like. */
void accordi_make_readings(accordi_operand *o, size_t which)
{
    static const double usual[ACCORDI_READINGS] = {
        5, 20, 37, 70, 100, 170, 293, 500, 1000, 1013, 2000, 10000, 45000, 1e6, 1.6e9, 1.7e12};
    enum { SPREADS = 4 };
    double middle = usual[which], most = accordi_operand_largest(o, o->x);
    int close = (o->usual ? 2 + SPREADS : 2) + (int)below(o, SPREADS);
    double spread = ldexp(middle, -close), greatest = o->replays->greatest / (4 * (double)o->n);
    greatest /= o->others ? fmax(1, accordi_operand_largest(o, o->others)) : 1;
    if (middle > greatest || middle * 2 > o->info->greatest || most == 0)
        return;
    for (size_t i = 0; i < o->n; i++)
        accordi_operand_put(o, i, middle + spread * (accordi_operand_get(o, i) / most));
}
