/* Inputs of few bits, which distinguish models that round differently. Random significands hardly
 * ever add up to a tie, to a number next to one, or to a number that is a tie only after another
 * rounding. A few powers of two often do, if the distances between them are the precisions in
 * question. Every row is a chain of such terms: each is smaller than an earlier one by about such a
 * distance, or cancels one. The chain begins anywhere in the range, at its ends as often as in its
 * middle, and the other terms are zeros. */
#include "format/format.h"
#include "reveal/arithmetic/rivals.h"
#include <math.h>

enum { LONGEST = 7 };

typedef struct chain {
    const accordi_purpose *purpose;
    const accord_format_info *in, *out; /* of terms; of results, or of some sum */
    accordi_rng rng;
    void *x, *y;
    size_t n, terms; /* terms: without the start value */
} chain;

/* ---- distances ---- */

static void add_gap(accordi_purpose *p, int gap)
{
    bool known = gap <= 1 || p->gaps == ACCORDI_RIVAL_GAPS;
    for (size_t i = 0; i < p->gaps && !known; i++)
        known = p->gap[i] == gap;
    if (!known)
        p->gap[p->gaps++] = gap;
}

static void add_precision(accordi_purpose *p, enum accord_format format)
{
    add_gap(p, accord_format_get(format)->precision);
}

void accordi_rival_gaps(accordi_purpose *p)
{
    const accord_arithmetic *how = p->how;
    const accord_fused *m = &how->machine;
    const int fractions[] = {m->fraction, m->output_fraction, m->sum_fraction, m->c_fraction,
                             m->c_reach};
    p->gaps = 0;
    add_precision(p, how->input);
    add_precision(p, how->output);
    for (size_t i = 0; i < how->operations; i++) {
        add_precision(p, how->operation[i].format);
        add_precision(p, how->operation[i].product);
        add_precision(p, how->operation[i].stored);
    }
    for (size_t i = 0; how->has_machine && i < sizeof fractions / sizeof *fractions; i++)
        add_gap(p, fractions[i] + 1);
}

/* ---- a chain ---- */

/* Below a small bound, without a division: rows are many, and each draws a hundred numbers. */
static size_t below(chain *c, size_t bound)
{
    return (size_t)((accordi_rng_next(&c->rng) >> 32) * bound >> 32);
}

static int between(chain *c, int least, int most)
{
    return most <= least ? least : least + (int)below(c, (size_t)(most - least) + 1);
}

static bool chance(chain *c, int percent)
{
    return between(c, 1, 100) <= percent;
}

/* A format that has an end where sums change. */
static enum accord_format any_format(chain *c)
{
    const accord_arithmetic *how = c->purpose->how;
    if (how->operations == 0 || chance(c, 50))
        return how->output;
    const accord_operation *op = &how->operation[below(c, how->operations)];
    return chance(c, 50) ? op->format : op->stored;
}

static void store(const chain *c, void *to, size_t at, double value)
{
    double near = accord_format_round(c->purpose->draw->format, ACCORD_NEAREST_EVEN, value);
    if (near != value) /* as few are; not beyond the range */
        value = accord_format_round(c->purpose->draw->format, ACCORD_TOWARD_ZERO, value);
    if (to)
        accordi_set_number(to, c->purpose->draw->is_f32, at, value);
}

static double scaled(double x, int exponent)
{
    return exponent > -1000 && exponent < 1000 ? x * accordi_power_of_two(exponent)
                                               : ldexp(x, exponent);
}

/* Next to 1, by a bit of the lower half of its places. */
static double next_to_one(chain *c)
{
    int p = c->in->precision;
    return 1 + scaled(chance(c, 50) ? 1 : -1, -between(c, p / 2, p - 1));
}

/* One bit, a few, as many as the format has, or next to 1. */
static double draw_significand(chain *c)
{
    if (chance(c, 12))
        return next_to_one(c);
    int bits = chance(c, 45) ? 1 : chance(c, 40) ? between(c, 2, 4) : c->in->precision;
    double top = (double)(UINT64_C(1) << (bits - 1));
    return bits == 1 ? 1 : (top + 2 * floor(accordi_rng_unit(&c->rng) * top / 2) + 1) / top;
}

/* A term of about 2^exponent. Factors share it evenly, or one is as small as it may be. */
static void put_term(chain *c, size_t at, int exponent, double sign)
{
    int most = c->in->max_exponent - 1, first = exponent, second = 0;
    if (c->purpose->how->term == ACCORD_TERM_SQUARE)
        first = exponent / 2;
    if (c->y && at < c->terms) {
        first = chance(c, 85) ? exponent / 2 + between(c, -4, 4)
                              : c->in->min_exponent - between(c, 0, c->in->precision - 1);
        second = exponent - first;
        second = second > most ? most : second;
    }
    first = exponent - second < most && c->y ? exponent - second : first;
    double a = draw_significand(c), b = c->y ? draw_significand(c) : 1;
    if (chance(c, 20)) { /* their product is next to a power of two, beyond their bits */
        a = next_to_one(c);
        b = 2 - a;
    }
    store(c, c->x, at, sign * scaled(a, first > most ? most : first));
    if (at < c->terms)
        store(c, c->y, at, scaled(b, second));
}

static void put_opposite(chain *c, size_t at, size_t of)
{
    bool is_f32 = c->purpose->draw->is_f32;
    store(c, c->x, at, -accordi_get_number(c->x, is_f32, of));
    if (c->y)
        store(c, c->y, at, accordi_get_number(c->y, is_f32, of));
}

/* Where the chain begins: near 1, where sums are subnormal, or anywhere. */
static int first_exponent(chain *c)
{
    bool two = c->y || c->purpose->how->term == ACCORD_TERM_SQUARE;
    int low = c->in->min_exponent - c->in->precision, high = c->in->max_exponent;
    int least = c->out->min_exponent - c->out->precision, most = c->out->max_exponent;
    low = two ? 2 * low : low;
    high = two ? 2 * high : high;
    low = low > least ? low : least;
    high = (high < most ? high : most) - 5;
    switch (between(c, 0, 3)) {
    case 0:
        return between(c, low,
                       low + 2 * c->out->precision < high ? low + 2 * c->out->precision : high);
    case 1:
        return between(c, low, high);
    default:
        return between(c, low > -4 ? low : -4, high < 12 ? high : 12);
    }
}

static int draw_gap(chain *c)
{
    const accordi_purpose *p = c->purpose;
    int gap = p->gaps ? p->gap[below(c, p->gaps)] : 0;
    switch (between(c, 0, 5)) {
    case 0:
        return between(c, 0, 4);
    case 1:
        return between(c, 0, 2 * gap);
    case 2:
        return gap + between(c, -2, 2);
    default:
        return gap;
    }
}

/* The places of the chain, each at most once. */
static size_t choose_places(chain *c, size_t place[LONGEST])
{
    size_t wanted = 2 + (size_t)between(c, 0, LONGEST - 2), count = 0;
    wanted = wanted < c->n ? wanted : c->n;
    for (int tries = 0; count < wanted && tries < 64; tries++) {
        size_t at = below(c, c->n), i = 0;
        while (i < count && place[i] != at)
            i++;
        if (i == count)
            place[count++] = at;
    }
    return count;
}

void accordi_rival_hard(const accordi_purpose *purpose, size_t number, void *x, void *y)
{
    const accordi_draw *draw = purpose->draw;
    chain c = {.purpose = purpose, .x = x, .y = y, .n = draw->n, .terms = draw->n};
    int exponent[LONGEST];
    size_t place[LONGEST];
    accordi_rng_init(&c.rng, ~draw->seed + 0x9e3779b97f4a7c15 * (number + 1));
    c.in = accord_format_get(draw->format);
    c.out = accord_format_get(any_format(&c));
    c.terms -= purpose->has_start && draw->n > 1;
    /* Code may look at the signs of terms: in half of the rows they are all alike. */
    bool alike = chance(&c, 50), minus = chance(&c, 50);
    accordi_ask_repeat(x, c.n, draw->is_f32, chance(&c, alike && minus ? 50 : 75) ? 0.0 : -0.0);
    if (y)
        accordi_ask_repeat(y, c.n, draw->is_f32, 1);
    size_t count = choose_places(&c, place);
    for (size_t i = 0; i < count; i++) {
        size_t above = i ? below(&c, i) : 0;
        exponent[i] = i ? exponent[above] - draw_gap(&c) : first_exponent(&c);
        bool negative = alike ? minus : chance(&c, 50);
        if (i && !alike && chance(&c, 15) && place[i] < c.terms && place[above] < c.terms)
            put_opposite(&c, place[i], place[above]);
        else
            put_term(&c, place[i], exponent[i], negative ? -1 : 1);
    }
}
