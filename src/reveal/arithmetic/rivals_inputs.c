/* Inputs on which models differ that agree on nearly all others: zeros of both signs; a single term
 * that is a small multiple of the least number; products beside ties of a narrower format, which an
 * additional rounding moves; sums with as many bits as the format of the last addition; terms near
 * the greatest number; and ordinary rows of all kinds. */
#include "model/operation.h"
#include "model/words.h"
#include "reveal/arithmetic/rivals.h"
#include <math.h>

typedef struct row {
    const accordi_purpose *purpose;
    const accord_format_info *in, *sums; /* of terms, of some node's sums */
    accordi_rng rng;
    void *x, *y;
    size_t n, terms; /* terms: without the start value */
} row;

/* A value of the format. */
static void store(const row *r, void *to, size_t at, double value)
{
    accordi_set_number(to, r->purpose->draw->is_f32, at, value);
}

static void put(const row *r, void *to, size_t at, double value)
{
    if (to)
        store(r, to, at, accord_format_round(r->purpose->draw->format, ACCORD_NEAREST_EVEN, value));
}

/* The same number in all places. Most of the time that inputs take is spent here. */
static void fill_operand(const row *r, void *to, double value)
{
    value = accord_format_round(r->purpose->draw->format, ACCORD_NEAREST_EVEN, value);
    if (to)
        accordi_ask_repeat(to, r->n, r->purpose->draw->is_f32, value);
}

static void fill(const row *r, double x)
{
    fill_operand(r, r->x, x);
    fill_operand(r, r->y, 1);
}

static int between(row *r, int least, int most)
{
    return most <= least ? least
                         : least + (int)accordi_rng_below(&r->rng, (uint64_t)(most - least + 1));
}

static size_t any(row *r, size_t count)
{
    return (size_t)accordi_rng_below(&r->rng, count);
}

static double either(row *r, double x)
{
    return accordi_rng_below(&r->rng, 2) ? x : -x;
}

/* Two places, the same one at times. */
static void choose(row *r, size_t *at, size_t *beside)
{
    *at = any(r, r->terms);
    *beside = any(r, r->terms);
}

/* An odd number of exactly `bits` bits. */
static double odd(row *r, int bits)
{
    double top = ldexp(1, bits - 1);
    return bits < 2 ? 1 : top + 2 * floor(accordi_rng_unit(&r->rng) * top / 2) + 1;
}

/* ---- signs of zeros ---- */

/* A sum, one of the last few as often as any. */
static size_t any_sum(row *r)
{
    enum { FEW = 8 };
    const accord_tree *tree = r->purpose->tree;
    size_t all = tree->inner, few = all > FEW && any(r, 2) ? FEW : all;
    return all ? tree->leaves + all - few + any(r, few) : 0;
}

/* Nothing but zeros, of one sign below a sum and of any beside it, as where blocks of a loop and
 * its tail part; below a second one turned. */
static void draw_signs(row *r)
{
    const accord_tree *tree = r->purpose->tree;
    size_t nodes = (size_t)tree->leaves + tree->inner, a = any_sum(r), b = any_sum(r);
    bool *minus = accordi_alloc(nodes, sizeof *minus), inside = any(r, 2) == 0;
    bool turned = any(r, 2) ? !inside : inside;
    double factor = either(r, 1);
    bool start = any(r, 2) == 0;
    if (minus)
        memset(minus, start, nodes);
    if (minus && any(r, 2))
        minus[nodes - 1] = !start; /* the root: all that is not below the two */
    for (size_t node = nodes; minus && node-- > tree->leaves;) {
        minus[node] = node == a ? inside : node == b ? turned : minus[node];
        for (uint32_t c = tree->first[node - tree->leaves];
             c < tree->first[node - tree->leaves + 1]; c++)
            minus[tree->child[c]] = minus[node];
    }
    for (size_t i = 0; i < r->n; i++) {
        bool is_minus = minus && i < r->terms ? minus[i] : start;
        store(r, r->x, i, factor * (is_minus ? -0.0 : 0.0));
    }
    fill_operand(r, r->y, factor);
    free(minus);
}

static void draw_zeros(row *r, size_t which)
{
    double least = r->in->least;
    fill(r, which == 1 ? 0.0 : -0.0);
    size_t a = any(r, r->terms), b = any(r, r->terms);
    switch (which) {
    case 2: /* products of +0 that are -0 */
        fill(r, 0.0);
        for (size_t i = 0; i < r->terms; i++)
            put(r, r->y, i, -1);
        break;
    case 3: /* products that are too small, and a start that enters as -0 */
        fill(r, r->y ? -least : -0.0);
        for (size_t i = 0; i < r->n; i++)
            put(r, r->y, i, least);
        if (r->terms < r->n)
            put(r, r->x, r->n - 1, r->purpose->how->beta < 0 ? 0.0 : -0.0);
        break;
    case 4: /* a start value of the other sign, or a last term */
        put(r, r->x, r->n - 1, 0.0);
        break;
    case 5:
        put(r, r->x, 0, 0.0);
        break;
    case 6: /* what is too small once a factor is applied */
        put(r, r->x, a, -least);
        break;
    case 7: /* terms that cancel */
        put(r, r->x, a, 1);
        put(r, r->x, b, a == b ? 1 : -1);
        break;
    case 8:
        for (size_t i = 0; i < r->n; i++)
            put(r, r->x, i, either(r, 0));
        break;
    case 9: /* a product too small among -0 */
        put(r, r->x, a, -least);
        put(r, r->y, a, least);
        break;
    default:
        break;
    }
}

/* ---- ties ---- */

/* A term that is a value, if it is one or a product of one and a power of two. */
static void put_exact(const row *r, size_t at, double value)
{
    int exponent = 0;
    frexp(value, &exponent);
    double factor = r->y ? ldexp(1, exponent / 2) : 1;
    put(r, r->x, at, value / factor);
    put(r, r->y, at, factor);
}

/* A term near a value: of products, two factors whose product rounds to it more often than not, as
 * a rule not exactly. */
static void put_near(row *r, size_t at, double value)
{
    if (!r->y || accordi_rng_below(&r->rng, 4) == 0)
        return put_exact(r, at, value);
    int exponent = 0;
    frexp(value, &exponent);
    double a = ldexp(odd(r, between(r, 2, r->in->precision)), -r->in->precision);
    a = ldexp(a, exponent / 2);
    a = accord_format_round(r->purpose->draw->format, ACCORD_NEAREST_EVEN, a);
    put(r, r->y, at, a);
    put(r, r->x, at, a != 0 ? value / a : value);
}

/* A tie of the format of sums, at the least numbers or anywhere. */
static double tie(row *r, int *exponent)
{
    int low = r->in->min_exponent, least = r->sums->min_exponent - r->sums->precision + 1;
    bool tiny = accordi_rng_below(&r->rng, 2);
    if (r->y && !tiny) /* room for both factors */
        low /= 2;
    int bits = tiny ? between(r, 1, 4) : r->sums->precision;
    *exponent = tiny ? least : between(r, low < -30 ? -30 : low, 8) - bits;
    return ldexp(2 * odd(r, bits) - (accordi_rng_below(&r->rng, 2) ? 1 : 3), *exponent - 1);
}

/* A tie alone, or beside a number whose last place is even or odd. */
static void draw_tie(row *r)
{
    int exponent;
    size_t at, beside;
    choose(r, &at, &beside);
    double value = tie(r, &exponent);
    put_near(r, at, either(r, value));
    if (beside != at && accordi_rng_below(&r->rng, 2))
        put_exact(r, beside, either(r, ldexp(odd(r, between(r, 1, 4)), exponent)));
}

/* Half a unit of a great number, by a product that is about that. */
static void draw_half(row *r)
{
    size_t at, beside;
    choose(r, &at, &beside);
    int exponent = between(r, -4, 4), p = r->sums->precision;
    double great = ldexp(odd(r, p < r->in->precision ? p : r->in->precision), exponent);
    if (at == beside)
        return draw_tie(r);
    put_exact(r, beside, either(r, great));
    put_near(r, at, either(r, ldexp(0.5, exponent)));
}

static uint64_t root_of(uint64_t m)
{
    return (uint64_t)sqrt((double)m);
}

/* Every number is the sum of four squares (Lagrange): of these the greatest come first. */
static void four_squares(uint64_t m, uint64_t part[4])
{
    for (part[0] = root_of(m);; part[0]--) {
        uint64_t rest = m - part[0] * part[0];
        for (part[1] = root_of(rest); 2 * part[1] * part[1] >= rest || part[1] == 0; part[1]--) {
            uint64_t last = rest - part[1] * part[1];
            for (part[2] = root_of(last); 2 * part[2] * part[2] >= last; part[2]--) {
                part[3] = root_of(last - part[2] * part[2]);
                if (part[2] * part[2] + part[3] * part[3] == last)
                    return;
                if (part[2] == 0)
                    break;
            }
            if (part[1] == 0)
                break;
        }
    }
}

/* Squares that add up to a small multiple of half the least result: one, rounded, or four, exact.
 */
static void draw_squares(row *r)
{
    const accord_format_info *out = accord_format_get(r->purpose->how->output);
    int least = out->min_exponent - out->precision + 1;
    int half = least < 0 ? -((1 - least) / 2) : least / 2; /* 2^(2 half) is it, or half of it */
    uint64_t m = 1 + accordi_rng_below(&r->rng, 4096), part[4];
    size_t at = any(r, r->terms);
    if (accordi_rng_below(&r->rng, 2)) {
        put(r, r->x, at, ldexp(sqrt((double)m * ldexp(1, least - 2 * half)), half));
        return;
    }
    four_squares(m, part);
    for (size_t i = 0; i < 4 && i < r->terms; i++)
        put(r, r->x, (at + i) % r->terms, either(r, ldexp((double)part[i], half)));
}

static void draw_lone(row *r)
{
    if (r->purpose->how->term == ACCORD_TERM_SQUARE && any(r, 4))
        return draw_squares(r);
    double x = (double)(1 + accordi_rng_below(&r->rng, 1024)) * r->in->least;
    if (accordi_rng_below(&r->rng, 2)) {
        int most =
            accordi_rng_below(&r->rng, 2) ? r->in->min_exponent + 3 : r->in->max_exponent - 1;
        int exponent = between(r, r->in->min_exponent, most);
        x = ldexp(1 + accordi_rng_unit(&r->rng), exponent);
    }
    put(r, r->x, any(r, r->terms), either(r, x));
    if (r->y && accordi_rng_below(&r->rng, 2))
        put(r, r->y, any(r, r->terms), ldexp(1, -between(r, 0, r->in->precision + 2)));
}

static size_t any_leaf_below(row *r, uint32_t node)
{
    const accord_tree *tree = r->purpose->tree;
    while (node >= tree->leaves) {
        uint32_t first = tree->first[node - tree->leaves];
        node = tree->child[first + any(r, tree->first[node - tree->leaves + 1] - first)];
    }
    return node;
}

/* Terms below two operands of a sum; the first below the one that enters unrounded, if there is
 * one. Whether products of few bits are fused may not be known yet. */
static bool choose_pair(row *r, size_t *at, size_t *beside)
{
    const accord_tree *tree = r->purpose->tree;
    if (!tree->inner)
        return false;
    uint32_t k = (uint32_t)(any_sum(r) - tree->leaves), first = tree->first[k];
    size_t children = tree->first[k + 1] - first;
    int fused = accordi_operation_of(r->purpose->how, k)->fused;
    size_t which = fused < 0 ? any(r, children) : (size_t)fused;
    if (children < 2)
        return false;
    size_t other = (which + 1 + any(r, children - 1)) % children;
    *at = any_leaf_below(r, tree->child[first + which]);
    *beside = any_leaf_below(r, tree->child[first + other]);
    return *at < r->terms && *beside < r->terms;
}

/* Next to the least normal number of the sums, which is flushed or not: a product and its
 * neighbors, or where these are too short for that, a sum that is less by a quarter or three of the
 * last place that a number below has; or a sum of two numbers that lies far below both. */
static void draw_least(row *r)
{
    size_t beside, at;
    bool is_short = 2 * r->in->precision <= r->sums->precision;
    if ((is_short || any(r, 2)) && choose_pair(r, &at, &beside)) {
        double least = either(r, ldexp(1, r->sums->min_exponent));
        double quarters = ldexp(any(r, 2) ? 1 : 3, -r->sums->precision - 2);
        double more = 1 + ldexp(1, -between(r, 1, r->in->precision - 1));
        put_exact(r, beside, least);
        put_exact(r, at, -least * (any(r, 2) ? quarters : more));
        return;
    }
    int bits = r->in->precision - 1, half = r->sums->min_exponent / 2;
    double x = ldexp(1 + accordi_rng_unit(&r->rng), between(r, half - 8, half + 8));
    x = accord_format_round(r->purpose->draw->format, ACCORD_TOWARD_ZERO, x);
    at = any(r, r->terms);
    put(r, r->x, at, either(r, x));
    double y = ldexp(1, r->sums->min_exponent) / x;
    put(r, r->y, at, y + y * ldexp(between(r, -3, 3), -bits - 2)); /* its neighbors too */
}

static void draw_great(row *r)
{
    for (int i = 0; i < 3; i++)
        put(r, r->x, any(r, r->terms), either(r, r->in->greatest * ldexp(1, -between(r, 0, 3))));
}

/* No number, unless the product is left out. */
static void draw_infinite(row *r)
{
    size_t at = any(r, r->terms);
    bool first = accordi_rng_below(&r->rng, 2);
    put(r, r->x, at, first ? (double)INFINITY : 0);
    put(r, r->y, at, first ? 0 : (double)INFINITY);
}

/* ---- sums ---- */

/* A number of the format of sums that the finish takes to a tie of the output, or next to one. */
static double before_tie(row *r)
{
    const accord_arithmetic *how = r->purpose->how;
    const accord_format_info *out = accord_format_get(how->output);
    double by = accordi_divides(how->finish) ? how->factor : rint(1 / how->factor);
    double tie = ldexp(2 * odd(r, out->precision) + 1, -between(r, 0, 40));
    double sum = tie * fabs(by);
    double place = ldexp(1, ilogb(sum) + 1 - (r->sums->precision < 53 ? r->sums->precision : 53));
    return rint(sum / place + (double)between(r, -2, 2)) * place;
}

/* The parts have the precision of terms, one below the other. */
static size_t draw_sum(row *r, double *sum, double part[4])
{
    int p = r->in->precision, bits = r->sums->precision < 53 ? r->sums->precision : 53;
    const accord_arithmetic *how = r->purpose->how;
    const accord_format_info *out = accord_format_get(how->output);
    int least = r->in->min_exponent - p + 1;
    int low = accordi_rng_below(&r->rng, 2) ? least : out->min_exponent - out->precision + 1;
    size_t parts = 0;
    int exponent =
        between(r, low > least ? low : least, accordi_rng_below(&r->rng, 2) ? low + 12 : 0);
    double left = ldexp(odd(r, between(r, 1, bits)), exponent);
    bool scaled = accordi_divides(how->finish) || accordi_multiplies(how->finish);
    if (scaled && out->precision < r->sums->precision && accordi_rng_below(&r->rng, 2))
        left = before_tie(r);
    *sum = 0;
    for (; left > 0 && parts < 4; parts++) {
        part[parts] = accord_format_round(r->purpose->draw->format, ACCORD_TOWARD_ZERO, left);
        *sum += part[parts];
        left -= part[parts];
        if (part[parts] == 0)
            break;
    }
    return parts;
}

static void row_init(row *r, const accordi_purpose *purpose, size_t number, void *x, void *y)
{
    const accord_arithmetic *how = purpose->how;
    const accordi_draw *draw = purpose->draw;
    *r = (row){.purpose = purpose, .in = accord_format_get(draw->format), .x = x, .y = y};
    accordi_rng_init(&r->rng, draw->seed + 0x9e3779b97f4a7c15 * (number + 1));
    r->n = draw->n;
    r->terms = purpose->has_start && draw->n > 1 ? draw->n - 1 : draw->n;
    size_t any_operation = how->operations ? any(r, how->operations) : 0;
    bool out = how->operations == 0 || how->has_machine || accordi_rng_below(&r->rng, 4) == 0;
    r->sums = accord_format_get(out ? how->output : how->operation[any_operation].format);
}

size_t accordi_rival_sum(const accordi_purpose *purpose, size_t number, double *sum, double part[4])
{
    row r;
    row_init(&r, purpose, number, NULL, NULL);
    const accord_arithmetic *how = purpose->how;
    if (how->operations)
        r.sums = accord_format_get(how->operation[how->operations - 1].format);
    size_t parts = draw_sum(&r, sum, part);
    for (size_t i = 0, turned = any(&r, 2); i < parts && turned; i++)
        part[i] = -part[i];
    *sum = parts && part[0] < 0 ? -*sum : *sum;
    return parts;
}

static void draw_parts(row *r)
{
    double sum, part[4];
    size_t parts = draw_sum(r, &sum, part);
    for (size_t i = 0; i < parts; i++)
        put(r, r->x, any(r, r->terms), part[i]);
}

void accordi_rival_input(const accordi_purpose *purpose, size_t number, void *x, void *y)
{
    row r;
    row_init(&r, purpose, number, x, y);
    static void (*const ways[])(row *) = {draw_tie,   draw_lone,     draw_half, draw_parts,
                                          draw_great, draw_infinite, draw_signs};
    enum { WAYS = sizeof ways / sizeof *ways };
    size_t way = number % (WAYS + 3);
    if (number < ACCORDI_RIVAL_ZEROS) {
        draw_zeros(&r, number);
    } else if (number < ACCORDI_RIVAL_ZEROS + ACCORDI_RIVAL_SIGNS) {
        draw_signs(&r);
    } else if (number < ACCORDI_RIVAL_ALWAYS) {
        fill(&r, 0);
        draw_infinite(&r);
    } else if (way == WAYS) {
        accordi_rival_edge(purpose, number, x, y);
    } else if (way > WAYS) {
        accordi_draw_rows(purpose->draw, number, 1, x, y);
    } else {
        fill(&r, accordi_rng_below(&r.rng, 4) ? 0.0 : -0.0);
        ways[way](&r);
    }
}

void accordi_rival_least(const accordi_purpose *purpose, size_t number, void *x, void *y)
{
    row r;
    row_init(&r, purpose, number, x, y);
    fill(&r, 0);
    draw_least(&r);
}
