/* Inputs at both ends of the range. Ordinary inputs do not show what a target does there: it may
 * scale its terms so that no sum overflows, stop where a sum saturates, or leave out terms that are
 * too small to count; errors of products vanish below the least number, and sums there are rounded
 * to zeros of either sign. Rows lie just below the greatest number of some format of the model,
 * where their sums overflow or do not; about its least number; or where products are normal and the
 * errors of their roundings are not. Significands are random, terms of one size or of several, of
 * one sign or of two, all alike or few among zeros. Some sums are just past the greatest number. A
 * very long row repeats itself, so that it can be kept packed. */
#include "format/format.h"
#include "model/words.h"
#include "reveal/arithmetic/rivals.h"
#include "reveal/probes/packed_rows.h"
#include <math.h>

typedef struct edge {
    const accordi_purpose *purpose;
    const accord_format_info *in; /* of terms */
    accordi_rng rng;
    int at, apart; /* terms are of about 2^at … 2^(at + apart) */
    void *x, *y;
    bool ends, upper; /* some terms are at an end of the format */
    size_t n, terms;  /* terms: without the start value; those that are drawn: */
    size_t drawn;
} edge;

/* Nearly uniform, without the division of accordi_rng_below: there are several a term. */
static uint32_t below(edge *e, uint32_t bound)
{
    return (uint32_t)((accordi_rng_next(&e->rng) >> 32) * bound >> 32);
}

static int between(edge *e, int least, int most)
{
    return most <= least ? least : least + (int)below(e, (uint32_t)(most - least) + 1);
}

static bool chance(edge *e, int percent)
{
    return between(e, 1, 100) <= percent;
}

static int clamp(int x, int least, int most)
{
    return x < least ? least : x > most ? most : x;
}

/* A format that has an end. */
static const accord_format_info *any_format(edge *e)
{
    const accord_arithmetic *how = e->purpose->how;
    const accord_operation *op =
        how->operations ? &how->operation[between(e, 0, (int)how->operations - 1)] : NULL;
    const enum accord_format all[] = {how->output, how->input, op ? op->format : how->output,
                                      op ? op->product : how->output};
    return accord_format_get(all[between(e, 0, 3)]);
}

static int binades(size_t n)
{
    int count = 0;
    for (; n > 1; n /= 2)
        count++;
    return count;
}

static void choose_place(edge *e)
{
    const accord_format_info *end = any_format(e);
    int least = end->min_exponent - end->precision + 1;
    static const int apart[] = {0, 1, 4, 20};
    e->apart = apart[between(e, 0, 3)];
    switch (between(e, 0, 7)) {
    case 0: /* one term may be too large by itself */
        e->at = end->max_exponent - e->apart;
        break;
    case 1: /* all of them together are as large as that */
        e->at = end->max_exponent - e->apart - binades(e->n) + between(e, -1, 1);
        break;
    case 2:
        e->at = least - between(e, 0, 3);
        break;
    case 3:
    case 4:
    case 5:
        e->at = end->min_exponent + between(e, -3, 3);
        break;
    default:
        e->at = between(e, least, end->min_exponent + end->precision);
        break;
    }
    e->apart = e->at < 0 && e->apart > 4 ? 4 : e->apart;
}

static double drawn(edge *e, int exponent)
{
    double x = ldexp(1 + accordi_rng_unit(&e->rng), exponent);
    return chance(e, 80) ? x : ldexp(between(e, 1, 7), exponent - 2);
}

static void put(const edge *e, void *to, size_t at, double value)
{
    value = accord_format_round(e->purpose->draw->format, ACCORD_NEAREST_EVEN, value);
    value = isfinite(value) ? value : copysign(e->in->greatest, value);
    accordi_set_number(to, e->purpose->draw->is_f32, at, value);
}

/* Factors share the exponent at random. */
static void put_term(edge *e, size_t at, double sign)
{
    const accord_arithmetic *how = e->purpose->how;
    int exponent = e->at + between(e, 0, e->apart), other = 0;
    int least = e->in->min_exponent - e->in->precision + 1, most = e->in->max_exponent;
    bool start = at >= e->terms;
    if (start)
        exponent -= ilogb(how->beta);
    else if (how->term == ACCORD_TERM_SQUARE)
        exponent /= 2;
    if (e->y && !start) {
        exponent -= how->alpha != 0 ? ilogb(how->alpha) : 0;
        int low = clamp(exponent - most, least, most), high = clamp(exponent - least, least, most);
        other = chance(e, 50) ? clamp(exponent / 2, low, high) : between(e, low, high);
        put(e, e->y, at, drawn(e, other));
    }
    put(e, e->x, at, sign * drawn(e, exponent - other));
}

static void copy_term(edge *e, size_t at, size_t from, double sign)
{
    bool is_f32 = e->purpose->draw->is_f32;
    accordi_set_number(e->x, is_f32, at, sign * accordi_get_number(e->x, is_f32, from));
    if (e->y && at < e->terms)
        accordi_set_number(e->y, is_f32, at, accordi_get_number(e->y, is_f32, from));
}

/* Terms of as many sizes as sums have bits, from the greatest number down or from the least normal
 * one up, so that additions round. */
static void choose_end(edge *e)
{
    int least = e->in->min_exponent - e->in->precision + 1, most = e->in->max_exponent;
    const accord_operation *op = e->purpose->how->operation;
    e->apart =
        clamp(accord_format_get(op ? op->format : ACCORD_F32)->precision + 4, 1, most - least);
    e->at = e->upper ? most - e->apart : clamp(e->in->min_exponent - 2, least, most - e->apart);
}

/* What code may test for: the greatest number, and those about the least normal one. */
static void put_end(edge *e, size_t at, double sign)
{
    const double normal = ldexp(1, e->in->min_exponent);
    const double ends[] = {normal, normal - e->in->least, e->in->least, e->in->greatest};
    accordi_set_number(e->x, e->purpose->draw->is_f32, at,
                       sign * ends[e->upper ? 3 : between(e, 0, 2)]);
}

/* The negative of the term before, or of a neighbor of its first factor: what is left of the two is
 * far smaller than any operand that is not subnormal. */
static void put_opposite(edge *e, size_t at)
{
    copy_term(e, at, at - 1, -1);
    double x = accordi_get_number(e->x, e->purpose->draw->is_f32, at);
    if (x == 0)
        return;
    int last = ilogb(x) - e->in->precision + 1, least = e->in->min_exponent - e->in->precision + 1;
    put(e, e->x, at, x + between(e, -1, 1) * ldexp(1, last < least ? least : last));
}

/* All terms are of one size, or opposite in pairs, or few among zeros, of one sign or of two. */
typedef struct style {
    bool alike, pairs, sparse, mixed;
    double zero, one;
    size_t kept; /* this term at least is there, of terms that are alike the one that they are */
} style;

static style choose_style(edge *e)
{
    style s = {.alike = chance(e, 25)};
    s.pairs = !s.alike && chance(e, 25);
    s.sparse = !s.pairs && chance(e, 33);
    s.mixed = chance(e, 66);
    s.zero = chance(e, 75) ? 0.0 : -0.0;
    s.one = chance(e, 50) ? 1 : -1;
    s.kept = s.alike ? 0 : below(e, (uint32_t)e->drawn);
    return s;
}

static void draw_term(edge *e, const style *s, size_t i)
{
    double sign = s->mixed && chance(e, 50) ? -s->one : s->one;
    accordi_set_number(e->x, e->purpose->draw->is_f32, i, s->zero);
    if (e->y)
        accordi_set_number(e->y, e->purpose->draw->is_f32, i, 1);
    if (s->sparse && below(e, (uint32_t)e->drawn) > 1 && i != s->kept)
        return;
    if (e->ends && i < e->terms && below(e, (uint32_t)e->drawn) < 2)
        put_end(e, i, sign);
    else if (s->pairs && i % 2 && i < e->terms)
        put_opposite(e, i);
    else if (s->alike && i > 0 && i < e->terms)
        copy_term(e, i, 0, s->mixed ? sign : 1);
    else
        put_term(e, i, sign);
}

/* A sum just above the greatest number of a format, so that it depends on the last bit whether it
 * is too large: that number, and half to one of its last places, among zeros. A sum of a format of
 * the same range and more bits holds it, and comes back into the range where it is scaled. False
 * where terms do not have such numbers. */
static bool pass_greatest(edge *e)
{
    const accord_format_info *end = any_format(e);
    int last = end->max_exponent - end->precision + 1;
    double sign = chance(e, 50) ? 1 : -1;
    double most = sign * end->greatest,
           more = sign * ldexp(1 + accordi_rng_unit(&e->rng), last - 1);
    size_t at = below(e, (uint32_t)e->drawn), other = below(e, (uint32_t)e->drawn);
    bool squares = e->purpose->how->term == ACCORD_TERM_SQUARE;
    if (squares || fabs(most) > e->in->greatest || at == other || e->drawn < e->n ||
        accord_format_round(e->purpose->draw->format, ACCORD_NEAREST_EVEN, most) != most)
        return false;
    more = chance(e, 50) ? sign * ldexp(1, last - 1) : more;
    for (size_t i = 0; i < e->n; i++) {
        put(e, e->x, i, i == at ? most : i == other ? more : 0);
        if (e->y)
            accordi_set_number(e->y, e->purpose->draw->is_f32, i, 1);
    }
    return true;
}

/* What was drawn, again and again. */
static void repeat(const edge *e, void *operand)
{
    size_t size = e->purpose->draw->is_f32 ? sizeof(float) : sizeof(double);
    char *at = operand;
    for (size_t done = e->drawn, more; operand && done < e->n; done += more) {
        more = e->n - done < e->drawn ? e->n - done : e->drawn;
        memcpy(at + done * size, at, more * size);
    }
}

void accordi_rival_edge(const accordi_purpose *purpose, size_t number, void *x, void *y)
{
    enum { ENDS_OF = 4, PAST_OF = 16, PAST = 5 };
    const accordi_draw *draw = purpose->draw;
    edge e = {.purpose = purpose, .x = x, .y = y, .n = draw->n, .terms = draw->n};
    accordi_rng_init(&e.rng, (draw->seed ^ 0x65646765u) + 0x9e3779b97f4a7c15 * (number + 1));
    e.in = accord_format_get(draw->format);
    e.terms -= purpose->has_start && draw->n > 1;
    e.drawn = draw->n > ACCORDI_LONG_ROW ? ACCORDI_LONG_PERIOD : draw->n;
    if (number % PAST_OF == PAST && pass_greatest(&e))
        return;
    choose_place(&e);
    e.ends = number % ENDS_OF == ENDS_OF - 1;
    e.upper = chance(&e, 50);
    if (e.ends)
        choose_end(&e);
    const style s = choose_style(&e);
    for (size_t i = 0; i < e.drawn; i++)
        draw_term(&e, &s, i);
    repeat(&e, x);
    repeat(&e, y);
    if (e.drawn < e.n && e.terms < e.n)
        draw_term(&e, &s, e.terms); /* the start value */
}
