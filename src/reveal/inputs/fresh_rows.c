/* Rows that are drawn anew. The kinds of random inputs say what a row is like; what is changed here
 * is where its terms stand in the range of their format, and which factors are which. */
#include "reveal/inputs/replays.h"
#include <math.h>

/* Zeros before some place or from there on, as in vectors that are filled up; three terms stay. */
static void pad(const accordi_replays *replays, size_t row, void *y)
{
    enum { STAY = 3 };
    accordi_rng rng;
    size_t n = replays->products;
    if (n <= STAY)
        return;
    accordi_rng_init(&rng, (replays->draw.seed ^ 0x706164u) + row);
    bool before = accordi_rng_next(&rng) >> 63;
    size_t stay = STAY + (size_t)accordi_rng_below(&rng, n - STAY);
    for (size_t i = before ? 0 : stay; i < (before ? n - stay : n); i++)
        accordi_set_number(y, replays->draw.is_f32, i, 0);
}

/* Are the squares of a row far from overflow, and their sum? */
static bool has_room_for_squares(const accordi_replays *replays, const void *x)
{
    double sum = 0;
    for (size_t i = 0; i < replays->products; i++) {
        double term = accordi_get_number(x, replays->draw.is_f32, i);
        sum += term * term;
    }
    return sum < replays->greatest / 2;
}

/* The kinds say more about first factors than about second ones, such as where zeros are, and a
 * target may look at either: in every second row that is drawn anew they change places. A start
 * value does not. */
static void draw_factors(const accordi_replays *replays, size_t row, void *x, void *y)
{
    bool exchanged = replays->products && row % 2;
    accordi_draw_rows(&replays->draw, row, 1, exchanged ? y : x, exchanged ? x : y);
    for (size_t i = replays->products; exchanged && i < replays->draw.n; i++) {
        double start = accordi_get_number(y, replays->draw.is_f32, i);
        accordi_set_number(y, replays->draw.is_f32, i,
                           accordi_get_number(x, replays->draw.is_f32, i));
        accordi_set_number(x, replays->draw.is_f32, i, start);
    }
}

/* Of the other rows some are padded in the second factors, or change signs in turn there, and some
 * have the same numbers as both, as in the square of a norm, or the same but for the sign, where
 * squares have room. */
static void mix_factors(const accordi_replays *replays, size_t row, void *x, void *y)
{
    if (row % 8 == 6 && has_room_for_squares(replays, x))
        for (size_t i = 0; i < replays->products; i++) {
            double value = accordi_get_number(x, replays->draw.is_f32, i);
            accordi_set_number(y, replays->draw.is_f32, i, row % 16 == 6 ? value : -value);
        }
    if (row % 16 == 2)
        pad(replays, row, y);
    for (size_t i = 0; i < replays->products && row % 16 == 10; i++) {
        double value = fabs(accordi_get_number(y, replays->draw.is_f32, i));
        accordi_set_number(y, replays->draw.is_f32, i, i % 2 ? -value : value);
    }
}

enum { FAR = 100 }; /* exponents of a wide format */

/* Some terms of a row, or some factors of them: `others` are the other factors, or NULL. */
typedef struct operand {
    const accordi_replays *replays;
    accordi_rng rng;
    void *x;
    const void *others;
    size_t n;
    bool is_f32;
    const accord_format_info *info;
} operand;

static double get(const operand *o, size_t i)
{
    return accordi_get_number(o->x, o->is_f32, i);
}

static double largest_of(const void *x, size_t n, bool is_f32)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        double size = fabs(accordi_get_number(x, is_f32, i));
        most = size > most ? size : most;
    }
    return most;
}

/* Of the sum of all terms, or of products of each factor with the greatest of the others: also what
 * stands beside it, as the other part of a complex result, is to have a finite sum. */
static double size_of(const operand *o)
{
    double sum = 0;
    for (size_t i = 0; i < o->n; i++) {
        double value = fabs(get(o, i));
        sum += o->replays->squares ? value * value : value;
    }
    return o->others ? sum * largest_of(o->others, o->n, o->is_f32) : sum;
}

/* Multiplies by a power of two, in two steps, since one may be beyond the format. */
static void scale(const operand *o, void *x, int exponent)
{
    bool narrow = o->replays->draw.format != ACCORD_F64 && o->replays->draw.format != ACCORD_F32;
    double first = ldexp(1, exponent / 2), second = ldexp(1, exponent - exponent / 2);
    for (size_t i = 0; i < o->n; i++) {
        double value = accordi_get_number(x, o->is_f32, i) * first * second;
        if (narrow)
            value = accord_format_round(o->replays->draw.format, ACCORD_NEAREST_EVEN, value);
        accordi_set_number(x, o->is_f32, i, value);
    }
}

/* The greatest power of two that leaves all in the format. */
static int room_above(const operand *o, const void *x)
{
    double most = largest_of(x, o->n, o->is_f32);
    int room = most == 0 ? 0 : ilogb(o->info->greatest) - ilogb(most);
    return room - (ldexp(most, room) > o->info->greatest);
}

/* Half of the time one of the few binades at this end of the range, else any. */
static int draw_power(accordi_rng *rng, int range)
{
    enum { FEW = 8 };
    bool near = accordi_rng_next(rng) >> 63 && range >= FEW;
    return range < 0 ? 0 : range - (int)accordi_rng_below(rng, (uint64_t)(near ? FEW : range + 1));
}

/* Multiplies a row by a power of two, at most one that brings it as near to the greatest number as
 * all sums have room for. */
static void raise(operand *o)
{
    enum { MARGIN = 2 };
    double size = size_of(o);
    int sums = size == 0 ? 0 : ilogb(o->replays->greatest) - ilogb(size) - MARGIN;
    int terms = room_above(o, o->x);
    sums /= o->replays->squares ? 2 : 1;
    scale(o, o->x, draw_power(&o->rng, terms < sums ? terms : sums));
}

/* Divides a row by a power of two, at most one that leaves the largest term just above the least
 * normal number. Factors are divided as far as the others can be multiplied by the same power:
 * products that vanish leave the signs of zeros, which depend on more than the order. */
static void lower(operand *o, void *others)
{
    double most = largest_of(o->x, o->n, o->is_f32);
    int by = most == 0 ? 0 : ilogb(most) - o->info->min_exponent;
    int room = others ? room_above(o, others) : by;
    by = draw_power(&o->rng, by < room ? by : room);
    scale(o, o->x, -by);
    if (others)
        scale(o, others, by);
}

/* The first or the last as often as any other. */
static size_t some_place(operand *o)
{
    uint64_t coins = accordi_rng_next(&o->rng);
    return coins & 1 ? (size_t)accordi_rng_below(&o->rng, o->n) : coins & 2 ? 0 : o->n - 1;
}

/* Brings the largest term there. */
static void move_largest(operand *o)
{
    size_t from = 0, to = some_place(o);
    double most = largest_of(o->x, o->n, o->is_f32);
    while (fabs(get(o, from)) != most)
        from++;
    double largest = get(o, from);
    accordi_set_number(o->x, o->is_f32, from, get(o, to));
    accordi_set_number(o->x, o->is_f32, to, largest);
}

/* A number at one end of the range stands among others of its size in what is drawn, where sums of
 * few bits are exact in every order: of a row that is drawn anew some have one among ordinary
 * terms, or a zero, which hardly ever comes alone. A subnormal one is of the greater half, and
 * where its product would be much smaller the row stays as it is, for that may vanish. Beside the
 * greatest number of a wide format all ordinary ones would; beside that of a narrow one, some do
 * where they are small. */
static void put_extreme(operand *o, void *others)
{
    const accord_format_info *info = o->info;
    size_t at = some_place(o);
    uint64_t half = UINT64_C(1) << (info->precision - 2), coins = accordi_rng_next(&o->rng);
    bool zero = coins >> 61 == 0, greatest = !zero && info->max_exponent < FAR && coins & 1;
    double value = zero       ? 0
                   : greatest ? info->greatest
                              : info->least * (double)(half + accordi_rng_below(&o->rng, half));
    if (greatest && coins & 12)
        lower(o, others);
    double old = get(o, at);
    if (!zero && !greatest && o->others && fabs(accordi_get_number(o->others, o->is_f32, at)) < 0.5)
        return;
    accordi_set_number(o->x, o->is_f32, at, coins & 2 ? -value : value);
    if (greatest && size_of(o) > o->replays->greatest / 4)
        accordi_set_number(o->x, o->is_f32, at, old);
}

void accordi_replays_draw(const accordi_replays *replays, size_t row, void *x, void *y)
{
    const accordi_draw *draw = &replays->draw;
    bool products = replays->products, second = products && row % 16 < 8;
    void *others = !products ? NULL : second ? x : y;
    operand o = {.replays = replays,
                 .x = second ? y : x,
                 .others = others,
                 .n = products ? replays->products : draw->n,
                 .is_f32 = draw->is_f32,
                 .info = accord_format_get(draw->format)};
    accordi_rng_init(&o.rng, (draw->seed ^ 0x656e64u) + row);
    draw_factors(replays, row, x, y);
    if (products)
        mix_factors(replays, row, x, y);
    if (draw->plain || row < ACCORDI_FIRST_KINDS * draw->block)
        return;
    if (row % 8 == 0 || (!products && row % 4 == 1))
        raise(&o);
    if (row % 8 == (products ? 1 : 2))
        lower(&o, others);
    if (row % 8 == (products ? 5 : 6))
        move_largest(&o);
    if (row % 8 == 4 || (row % 8 == 6 && !products && o.info->max_exponent < FAR))
        put_extreme(&o, others);
}
