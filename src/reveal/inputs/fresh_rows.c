/* Rows that are drawn anew. The kinds of random inputs say what a row is like; this file changes
 * the magnitudes of its terms in the range of their format, and its factors. */
#include "reveal/inputs/patterns.h"
#include <math.h>

/* Which rows are changed in which way: by their number modulo 8. In these of products both factors
 * are the same numbers; in these of narrow terms one is the greatest number. */
enum { SAME_FACTORS = 6, GREATEST_NUMBER = 6 };

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

/* What is done to a row, by its number. */
typedef struct change {
    bool any, same_factors, greatest, extreme;
    bool up, down;           /* it is multiplied or divided by a power of two */
    bool largest;            /* its largest term moves to an end, or elsewhere */
    bool lone, below, usual; /* see lone_share; `usual`: its terms are of the first kind */
    bool regular;            /* it repeats its first terms, or is normalized; nothing else */
} change;

/* A threshold may lie anywhere in the range, and what a target looks at may be one term alone
 * beyond it. So in many rows one term is far above all others, wherever these are, or far below
 * (`below`). Half of them are of usual terms: zeros and small whole numbers show few orders. This
 * says in how many of the rows that are moved, in eighths: in most of f64, whose range is widest.
 */
static size_t lone_share(int max_exponent)
{
    enum { WIDEST = 1000, NARROW = 4, WIDE = 5, MOST = 7 };
    return max_exponent < ACCORDI_FAR ? NARROW : max_exponent < WIDEST ? WIDE : MOST;
}

/* One row in eight, at another place in each eight. */
static bool is_regular(size_t row)
{
    return (row + row / 8) % 8 == 0;
}

static change change_of(const accordi_replays *replays, size_t row)
{
    size_t turn = row % 8, eighth = row / 8 % 8;
    int exponent = accord_format_get(replays->draw.format)->max_exponent;
    bool products = replays->products, wide = exponent >= ACCORDI_FAR;
    change c = {.any = !replays->draw.plain && row >= ACCORDI_FIRST_KINDS * replays->draw.block,
                .same_factors = products && turn == SAME_FACTORS,
                .greatest = !products && !wide && turn == GREATEST_NUMBER,
                .up = turn == 0 || turn == 1 || turn == 3 || (turn == 5 && wide),
                .down = turn == 2 || turn == 7 || (turn == 6 && wide && !products)};
    c.extreme = turn == 4 || c.greatest;
    c.lone = c.any && (c.up || c.down) && eighth < lone_share(exponent);
    c.below = c.lone && eighth == 0;
    c.usual = c.lone && eighth % 2;
    c.largest = c.lone || turn == 5 || c.greatest;
    if (c.any && is_regular(row))
        return (change){
            .any = true, .regular = true, .usual = row / 256 % 2, .same_factors = c.same_factors};
    return c;
}

enum accordi_draw_kind accordi_replays_fresh_kind(const accordi_replays *replays, size_t row)
{
    return change_of(replays, row).usual ? ACCORDI_DRAW_USUAL
                                         : accordi_draw_kind_of(&replays->draw, row);
}

/* The kinds say more about first factors than about second ones, such as where zeros are, and a
 * target may look at either: in every second row that is drawn anew they change places. A start
 * value does not. */
static void draw_factors(const accordi_replays *replays, uint64_t seed, size_t row, bool usual,
                         void *x, void *y)
{
    bool exchanged = replays->products && row % 2;
    accordi_draw draw = replays->draw;
    draw.plain = draw.plain || usual;
    draw.seed = seed;
    accordi_draw_rows(&draw, row, 1, exchanged ? y : x, exchanged ? x : y);
    for (size_t i = replays->products; exchanged && i < replays->draw.n; i++) {
        double start = accordi_get_number(y, replays->draw.is_f32, i);
        accordi_set_number(y, replays->draw.is_f32, i,
                           accordi_get_number(x, replays->draw.is_f32, i));
        accordi_set_number(x, replays->draw.is_f32, i, start);
    }
}

/* Some rows have the same numbers as both factors, as in the square of a norm, or the same but for
 * the sign, where squares have room. */
static void mix_factors(const accordi_replays *replays, size_t row, void *x, void *y)
{
    if (row % 8 == SAME_FACTORS && has_room_for_squares(replays, x))
        for (size_t i = 0; i < replays->products; i++) {
            double value = accordi_get_number(x, replays->draw.is_f32, i);
            accordi_set_number(y, replays->draw.is_f32, i, row % 16 < 8 ? value : -value);
        }
}

/* Of the sum of all terms, or of products of each factor with the greatest of the others: also what
 * stands beside it, as the other part of a complex result, is to have a finite sum. */
static double size_of(const accordi_operand *o)
{
    double sum = 0;
    for (size_t i = 0; i < o->n; i++) {
        double value = fabs(accordi_operand_get(o, i));
        sum += o->replays->squares ? value * value : value;
    }
    return o->others ? sum * accordi_operand_largest(o, o->others) : sum;
}

/* Multiplies by a power of two, in two steps, since one may be beyond the format. */
static void scale(const accordi_operand *o, void *x, int exponent)
{
    double first = ldexp(1, exponent / 2), second = ldexp(1, exponent - exponent / 2);
    for (size_t i = 0; i < o->n; i++) {
        double value = accordi_get_number(x, o->is_f32, i) * first * second;
        if (o->narrow)
            value = accord_format_round(o->replays->draw.format, ACCORD_NEAREST_EVEN, value);
        accordi_set_number(x, o->is_f32, i, value);
    }
}

/* The greatest power of two that leaves all in the format. */
static int room_above(const accordi_operand *o, const void *x)
{
    double most = accordi_operand_largest(o, x);
    int room = most == 0 ? 0 : ilogb(o->info->greatest) - ilogb(most);
    return room - (ldexp(most, room) > o->info->greatest);
}

/* One in four times (of rows with a lone term, one in sixteen, and of rows that are drawn again,
 * every second time) one of the few binades at this end of the range, else any: those of the rows
 * that are changed alike lie apart, so that the rows of a question leave no wide gaps. */
static int draw_power(accordi_operand *o, int range)
{
    enum { FEW = 8, TURNS = 8, ROWS = 128 };
    size_t place = o->row / TURNS + o->row % TURNS * ROWS;
    uint64_t all = (uint64_t)range + 1,
             weyl = o->replays->draw.seed + place * UINT64_C(0x9e3779b97f4a7c15);
    if (range <= 0)
        return 0;
    if (range >= FEW && accordi_rng_below(&o->rng, o->attempt ? 2 : o->lone ? 16 : 4) == 0)
        return range - (int)accordi_rng_below(&o->rng, FEW);
    return (int)((weyl >> 32) * all >> 32);
}

/* Multiplies a row by a power of two, at most one that brings it as near to the greatest number as
 * all sums have room for. */
static void raise(accordi_operand *o)
{
    enum { MARGIN = 2 };
    double size = size_of(o);
    int sums = size == 0 ? 0 : ilogb(o->replays->greatest) - ilogb(size) - MARGIN;
    int terms = room_above(o, o->x);
    sums /= o->replays->squares ? 2 : 1;
    scale(o, o->x, draw_power(o, terms < sums ? terms : sums));
}

/* Divides a row by a power of two, at most one that leaves the largest term just above the least
 * normal number. Factors are divided as far as the others can be multiplied by the same power:
 * products that vanish leave the signs of zeros, which depend on more than the order. */
static void lower(accordi_operand *o, void *others)
{
    double most = accordi_operand_largest(o, o->x);
    int by = most == 0 ? 0 : ilogb(most) - o->info->min_exponent;
    int room = others ? room_above(o, others) : by;
    by = draw_power(o, by < room ? by : room);
    scale(o, o->x, -by);
    if (others)
        scale(o, others, by);
}

/* Brings the largest term somewhere; returns where. */
static size_t move_largest(accordi_operand *o)
{
    size_t from = 0, to = accordi_operand_place(o);
    double most = accordi_operand_largest(o, o->x);
    while (fabs(accordi_operand_get(o, from)) != most)
        from++;
    double largest = accordi_operand_get(o, from);
    accordi_operand_put(o, from, accordi_operand_get(o, to));
    accordi_operand_put(o, to, largest);
    return to;
}

/* The greatest number of a wide format, among terms of the other sign that are as large as their
 * sum has room for: no sum of some of them is too large, in any order. */
static void put_greatest(accordi_operand *o, size_t at, double greatest)
{
    double size = size_of(o);
    if (size == 0 || isinf(size))
        return;
    scale(o, o->x, ilogb(o->info->greatest) - ilogb(size) - 1);
    for (size_t i = 0; i < o->n; i++)
        accordi_operand_put(o, i, copysign(accordi_operand_get(o, i), -greatest));
    accordi_operand_put(o, at, greatest);
}

/* The greatest number of a narrow format, and its negative elsewhere, among terms that neither of
 * them can be raised by: so there is room for their sum in results of that format, too. */
static bool put_opposite(accordi_operand *o, size_t at)
{
    double greatest = accordi_operand_get(o, at), size = 0;
    size_t other = accordi_nonzero_place(o, at);
    if (other == at)
        return false;
    accordi_operand_put(o, at, 0);
    accordi_operand_put(o, other, 0);
    size = size_of(o);
    int by = size == 0 ? 0 : ilogb(size) - o->info->max_exponent + o->info->precision + 1;
    if (by > 0)
        scale(o, o->x, -by);
    accordi_operand_put(o, at, greatest);
    accordi_operand_put(o, other, -greatest);
    return true;
}

/* A number at one end of the range stands among others of its size in what is drawn, where sums of
 * few bits are exact in every order: of a row that is drawn anew some have one among ordinary
 * terms, or a zero, which hardly ever comes alone. A subnormal one is of the greater half, and
 * where its product would be much smaller the row stays as it is, for that may vanish. Beside the
 * greatest number of a wide format all ordinary ones would, so that the others are raised; beside
 * that of a narrow one, some do where they are small. Rows of narrow terms have a turn of their own
 * for the greatest number: for it to tell orders apart, it must stand in the right place among
 * numbers of the right size. */
static void put_extreme(accordi_operand *o, void *others)
{
    const accord_format_info *info = o->info;
    size_t at = accordi_operand_place(o);
    uint64_t half = UINT64_C(1) << (info->precision - 2), coins = accordi_rng_next(&o->rng);
    bool often = o->row % 8 == GREATEST_NUMBER, zero = !often && coins >> 61 == 0;
    bool greatest = !zero && info->max_exponent < ACCORDI_FAR && (often || coins & 1);
    double value = zero       ? 0
                   : greatest ? info->greatest
                              : info->least * (double)(half + accordi_rng_below(&o->rng, half));
    if (greatest && coins & 12)
        lower(o, others);
    bool sums = !others && !o->replays->squares && o->replays->greatest >= info->greatest;
    if (!zero && info->max_exponent >= ACCORDI_FAR && sums && coins & 1) {
        put_greatest(o, at, coins & 2 ? -info->greatest : info->greatest);
        return;
    }
    double old = accordi_operand_get(o, at);
    if (!zero && !greatest && o->others && fabs(accordi_get_number(o->others, o->is_f32, at)) < 0.5)
        return;
    accordi_operand_put(o, at, coins & 2 ? -value : value);
    if (greatest && size_of(o) > o->replays->greatest / 4 && !(sums && put_opposite(o, at)))
        accordi_operand_put(o, at, old);
}

/* Are the factors the same numbers, or the same but for the sign? */
static bool are_twins(accordi_operand *o, const void *others)
{
    bool same = true, opposite = true;
    for (size_t i = 0; i < o->n; i++) {
        double x = accordi_operand_get(o, i), y = accordi_get_number(others, o->is_f32, i);
        same = same && x == y;
        opposite = opposite && x == -y;
    }
    o->twin_sign = opposite ? -1 : 1;
    return same || opposite;
}

/* As shares and unit vectors are, or samples of what comes back, or readings: each in its turn, for
 * a target may look for any of them. Factors of few bits that are divided may leave products that
 * vanish. */
static void make_regular(accordi_operand *o)
{
    enum { REPEATED = ACCORDI_READINGS + ACCORDI_PERIODS };
    size_t turn = o->row / 8 % (REPEATED + ACCORDI_NORMS);
    if (turn < ACCORDI_READINGS && !o->twin)
        accordi_make_readings(o, turn);
    else if (turn < REPEATED || (o->narrow && o->others))
        accordi_repeat_terms(o, turn % ACCORDI_PERIODS);
    else
        accordi_normalize_terms(o, turn - REPEATED);
}

static void change_row(accordi_operand *o, const change *c, void *others)
{
    bool places = !c->same_factors && !c->greatest;
    if (c->same_factors && are_twins(o, others))
        o->twin = others;
    if (c->regular) {
        make_regular(o);
        return;
    }
    accordi_operand other = *o;
    other.x = others;
    other.others = o->x;
    accordi_rng_init(&other.rng, accordi_rng_next(&o->rng));
    if (places && (!c->lone || accordi_rng_below(&o->rng, 4) == 0))
        accordi_change_places(o);
    if (others && !c->same_factors && accordi_rng_next(&o->rng) >> 63)
        accordi_change_places(&other);
    size_t at = c->largest ? move_largest(o) : 0;
    if (c->lone && !c->below)
        accordi_shrink_others(o, at);
    if (c->up)
        raise(o);
    if (c->down)
        lower(o, others);
    if (c->below)
        accordi_shrink_one(o, at);
    if (c->extreme)
        put_extreme(o, others);
}

/* The same numbers as both factors stay the same. What is special about a row may be what hides
 * the order: the last attempts have other patterns. */
static void make_telling(accordi_operand *o, const change *c)
{
    enum { SOME = 10 };
    uint64_t coins = accordi_rng_next(&o->rng);
    if (o->attempt > SOME && coins & 64 && !o->twin && !c->greatest && !c->regular)
        accordi_change_places(o);
    if (o->narrow && !c->greatest && !c->regular && coins & 8)
        raise(o);
    bool cancels = coins & 16 && !o->twin && !c->regular && accordi_cancel_terms(o);
    if ((coins & 1 && !c->regular) || cancels)
        accordi_spread_terms(o);
    if (coins & 6 && o->replays->scale != 0)
        accordi_steer_terms(o);
}

void accordi_replays_draw(const accordi_replays *replays, size_t row, void *x, void *y)
{
    const accordi_draw *draw = &replays->draw;
    bool products = replays->products, second = products && row % 16 < 8;
    unsigned attempt = replays->attempt ? replays->attempt[row] : 0;
    uint64_t seed = draw->seed + attempt * UINT64_C(0xbf58476d1ce4e5b9);
    void *others = !products ? NULL : second ? x : y;
    const change c = change_of(replays, row);
    accordi_operand o = {.replays = replays,
                         .x = second ? y : x,
                         .others = others,
                         .n = products ? replays->products : draw->n,
                         .row = row,
                         .is_f32 = draw->is_f32,
                         .narrow = draw->format != ACCORD_F64 && draw->format != ACCORD_F32,
                         .lone = c.lone,
                         .usual = c.usual,
                         .attempt = attempt,
                         .info = accord_format_get(draw->format)};
    accordi_rng_init(&o.rng, (seed ^ 0x656e64u) + row);
    draw_factors(replays, seed, row, c.usual, x, y);
    if (products)
        mix_factors(replays, row, x, y);
    if (c.any)
        change_row(&o, &c, others);
    if (attempt > 0)
        make_telling(&o, &c);
}
