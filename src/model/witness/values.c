/* Values that tell arithmetics apart.
 *
 * Two arithmetics part where one rounds what the other keeps: near the last bit of a precision
 * that one of them has (a small term beside a large one), in the rounding error of a product, or
 * at the ends of a range. So the patterns are built from the precisions in play: those of the
 * formats at the nodes, of operands, products and results, and the fractions of a machine. Random
 * factors come last, for what nobody thought of. */
#include "model/witness/witness.h"
#include <math.h>

enum { DISTANCES = 64, FACTORS = 24, RANDOM = 160 };

typedef struct maker {
    accordi_patterns *out;
    const accord_model *a, *b;
    const accord_format_info *input;
    bool products, plain;
    int distance[DISTANCES]; /* precisions in play, and what lies next to them */
    size_t distances;
    double factor[FACTORS]; /* with errors in their products */
    size_t factors;
    accordi_rng rng;
} maker;

enum accord_format accordi_narrowest_input(const accord_model *a, const accord_model *b)
{
    enum accord_format one = a->arithmetic->input, two = b->arithmetic->input;
    return accord_format_get(one)->precision <= accord_format_get(two)->precision ? one : two;
}

bool accordi_both_hold(const accord_model *a, const accord_model *b, double x)
{
    double one = accord_format_round(a->arithmetic->input, ACCORD_NEAREST_EVEN, x);
    double two = accord_format_round(b->arithmetic->input, ACCORD_NEAREST_EVEN, x);
    return (one == x && two == x) || (isnan(x) && isnan(one) && isnan(two));
}

/* From 2^-40, or half way down to the subnormal numbers in orders of magnitude, to 2^60, or half of
 * the greatest: sums and products of a few stay in range, and masks of f64 still fit. */
bool accordi_is_plain(const accord_model *a, const accord_model *b, double x)
{
    const accord_format_info *in = accord_format_get(accordi_narrowest_input(a, b));
    int least = in->min_exponent / 2, most = in->max_exponent - 1;
    return isfinite(x) && fabs(x) >= ldexp(1, least > -40 ? least : -40) &&
           fabs(x) <= ldexp(1, most < 60 ? most : 60);
}

bool accordi_both_products(const accord_model *a, const accord_model *b)
{
    return a->arithmetic->term == ACCORD_TERM_PRODUCT && b->arithmetic->term == ACCORD_TERM_PRODUCT;
}

void accordi_patterns_clear(accordi_patterns *patterns)
{
    free(patterns->row);
    *patterns = (accordi_patterns){0};
}

/* Adds a row if every factor is one that both models can be given. */
static void push_value_row(maker *m, const accordi_factors *term)
{
    accordi_patterns *out = m->out;
    for (size_t t = 0; t < out->terms; t++)
        if (!accordi_both_hold(m->a, m->b, term[t].x) || (!m->products && term[t].y != 1) ||
            !accordi_both_hold(m->a, m->b, term[t].y) ||
            (m->plain &&
             !(accordi_is_plain(m->a, m->b, term[t].x) && accordi_is_plain(m->a, m->b, term[t].y))))
            return;
    if (!accordi_grow((void **)&out->row, &out->room, out->count + 1,
                      out->terms * sizeof *out->row)) {
        out->failed = true;
        return;
    }
    memcpy(out->row + out->terms * out->count++, term, out->terms * sizeof *term);
}

/* The same for every order of the terms: those of a sum are not alike. */
static void push_all(maker *m, const accordi_factors *term)
{
    static const int order[6][3] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1},
                                    {2, 1, 0}, {1, 2, 0}, {2, 0, 1}};
    static const size_t orders[] = {1, 1, 2, 6};
    size_t terms = m->out->terms;
    for (size_t o = 0; o < orders[terms]; o++) {
        accordi_factors row[3];
        for (size_t t = 0; t < terms; t++)
            row[t] = term[order[o][t]];
        push_value_row(m, row);
    }
}

/* significand * 2^exponent, over two factors where one cannot hold it. */
static accordi_factors number(const maker *m, double significand, int exponent)
{
    double whole = ldexp(significand, exponent);
    if (accordi_both_hold(m->a, m->b, whole) || !m->products)
        return (accordi_factors){whole, 1};
    int half = exponent / 2;
    return (accordi_factors){ldexp(significand, exponent - half), ldexp(1, half)};
}

/* A large number and one that lies `distance` binary places below, as near to 1 as can be. */
static accordi_factors large(const maker *m, double sign, int distance)
{
    int top = m->input->max_exponent - 1;
    return number(m, sign, m->products || distance < top ? distance : top);
}

static accordi_factors small(const maker *m, double significand, int distance)
{
    int top = m->input->max_exponent - 1;
    return number(m, significand, m->products || distance < top ? 0 : top - distance);
}

/* ---- what is in play ---- */

static void add_distance(maker *m, int precision)
{
    static const int around[] = {2, 0, 1, -1};
    for (size_t i = 0; i < sizeof around / sizeof around[0]; i++) {
        bool known = precision + around[i] < 1 || m->distances == DISTANCES;
        for (size_t k = 0; k < m->distances; k++)
            known |= m->distance[k] == precision + around[i];
        if (!known)
            m->distance[m->distances++] = precision + around[i];
    }
}

static void add_precisions(maker *m, const accord_arithmetic *in)
{
    add_distance(m, accord_format_get(in->output)->precision);
    for (size_t i = 0; i < in->operations; i++) {
        add_distance(m, accord_format_get(in->operation[i].format)->precision);
        add_distance(m, accord_format_get(in->operation[i].product)->precision);
    }
    if (!in->has_machine)
        return;
    const int fractions[] = {in->machine.fraction, in->machine.sum_fraction, in->machine.c_fraction,
                             in->machine.c_reach, in->machine.output_fraction};
    for (size_t i = 0; i < sizeof fractions / sizeof fractions[0]; i++)
        if (fractions[i] > 0)
            add_distance(m, fractions[i]);
}

static double random_factor(maker *m)
{
    int bits = m->input->precision;
    double significand =
        1 + ldexp((double)accordi_rng_below(&m->rng, (uint64_t)1 << (bits - 1)), 1 - bits);
    return accordi_rng_below(&m->rng, 2) ? -significand : significand;
}

static void add_factors(maker *m)
{
    int p = m->input->precision;
    double ulp = ldexp(1, 1 - p);
    const double plain[] = {1 + ulp, 2 - ulp, 1 - ulp / 2, 1.5, 1.5 + ulp};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        m->factor[m->factors++] = plain[i];
    for (size_t k = 0; k < m->distances && m->factors < FACTORS - 4; k++) {
        int half = (m->distance[k] + 1) / 2;
        if (half < p && half > 0) {
            m->factor[m->factors++] = 1 + ldexp(1, -half);
            m->factor[m->factors++] = 1 - ldexp(1, -half);
        }
    }
    while (m->factors < FACTORS)
        m->factor[m->factors++] = random_factor(m);
}

/* ---- patterns ---- */

/* What takes the rounded product away again: the rounding error is left, if it was kept. */
static accordi_factors minus_product(const maker *m, accordi_factors f, enum accord_format format)
{
    double product = accord_format_round(format, ACCORD_NEAREST_EVEN, f.x * f.y);
    return (accordi_factors){
        -accord_format_round(accordi_narrowest_input(m->a, m->b), ACCORD_NEAREST_EVEN, product), 1};
}

/* One term: whatever rounds it, and the ends of the range. */
static void single_terms(maker *m)
{
    const accord_format_info *in = m->input;
    double normal = ldexp(1, in->min_exponent);
    const double plain[] = {1,
                            -1,
                            1 + ldexp(1, 1 - in->precision),
                            in->least,
                            -in->least,
                            3 * in->least,
                            normal,
                            1.5 * normal,
                            normal - in->least,
                            in->greatest,
                            -in->greatest};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        push_value_row(m, &(accordi_factors){plain[i], 1});
    for (size_t k = 0; k < m->distances; k++)
        for (int sign = -1; sign <= 1; sign += 2)
            for (int odd = 0; odd < 4; odd++)
                push_value_row(m, &(accordi_factors){sign * (1 + ldexp(odd, -m->distance[k]) +
                                                             ldexp(odd & 1, 1 - in->precision)),
                                                     1});
    for (size_t i = 0; i < m->factors; i++)
        push_value_row(m, &(accordi_factors){m->factor[i], 1});
    for (size_t i = 0; i < m->factors; i++)
        for (size_t k = 0; k <= i; k++)
            push_value_row(m, &(accordi_factors){m->factor[i], m->factor[k]});
    for (size_t i = 0; i < m->factors; i++) {
        push_value_row(m, &(accordi_factors){in->greatest, m->factor[i]});
        push_value_row(m, &(accordi_factors){normal, m->factor[i]});
        push_value_row(m, &(accordi_factors){normal, 0.5 * m->factor[i]});
        push_value_row(m, &(accordi_factors){in->least, 0.5 * m->factor[i]});
    }
    push_value_row(m, &(accordi_factors){in->greatest, in->greatest});
    push_value_row(m, &(accordi_factors){normal, normal});
}

static void infinite_terms(maker *m)
{
    const double odd[] = {INFINITY, -INFINITY, NAN};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        push_value_row(m, &(accordi_factors){odd[i], 1});
        push_value_row(m, &(accordi_factors){odd[i], 0});
        push_value_row(m, &(accordi_factors){0, odd[i]});
    }
}

static void pair_of(maker *m, accordi_factors a, accordi_factors b)
{
    push_all(m, (const accordi_factors[]){a, b});
}

static void pairs(maker *m)
{
    static const double significand[] = {1, -1, 1.5, -1.5, 1.25, 1.75};
    const accord_format_info *in = m->input;
    double normal = ldexp(1, in->min_exponent);
    for (size_t k = 0; k < m->distances; k++)
        for (size_t i = 0; i < sizeof significand / sizeof significand[0]; i++) {
            int d = m->distance[k];
            pair_of(m, large(m, 1, d), small(m, significand[i], d));
            pair_of(m, large(m, -1, d), small(m, significand[i], d));
            pair_of(m, large(m, 1 + ldexp(1, 1 - in->precision), d), small(m, significand[i], d));
        }
    pair_of(m, (accordi_factors){1.5 * normal, 1}, (accordi_factors){-normal, 1});
    pair_of(m, (accordi_factors){in->greatest, 1}, (accordi_factors){in->greatest, 1});
    for (size_t i = 0; m->products && i < m->factors; i++)
        for (size_t k = 0; k <= i; k++) {
            accordi_factors f = {m->factor[i], m->factor[k]};
            for (int format = 0; format < ACCORD_FORMAT_COUNT; format++)
                pair_of(m, f, minus_product(m, f, (enum accord_format)format));
            pair_of(m, f, number(m, 1, 1));
            pair_of(m, f, (accordi_factors){-m->factor[k], m->factor[m->factors - 1 - k]});
        }
}

/* Formats of eight bits: all there are. */
static void all_terms(maker *m)
{
    enum accord_format format = accordi_narrowest_input(m->a, m->b);
    if (m->input->bits > 8)
        return;
    uint64_t codes = (uint64_t)1 << m->input->bits;
    for (uint64_t i = 1; i < (m->out->terms == 1 ? codes : codes * codes); i++) {
        double x = accord_format_decode(format, i % codes);
        double second = accord_format_decode(format, i / codes);
        push_value_row(m, (const accordi_factors[]){{x, 1}, {second, 1}});
    }
}

static void triples(maker *m)
{
    static const double significand[] = {1, -1, 1.5, -1.5};
    for (size_t k = 0; k < m->distances; k++)
        for (size_t i = 0; i < sizeof significand / sizeof significand[0]; i++) {
            accordi_factors plus = large(m, 1, m->distance[k]);
            accordi_factors minus = large(m, -1, m->distance[k]);
            accordi_factors unit = small(m, significand[i], m->distance[k]);
            push_all(m, (const accordi_factors[]){plus, minus, unit});
            push_all(m, (const accordi_factors[]){plus, unit, unit});
            push_all(m, (const accordi_factors[]){minus, unit, unit});
        }
}

/* Random terms; every other row ends with what nearly cancels the rest. */
static void random_rows(maker *m)
{
    size_t terms = m->out->terms;
    for (size_t r = 0; r < RANDOM; r++) {
        accordi_factors row[3];
        double sum = 0;
        for (size_t t = 0; t < terms; t++) {
            int scale = (int)accordi_rng_below(&m->rng, 5) - 2;
            row[t] = (accordi_factors){ldexp(random_factor(m), scale),
                                       m->products ? random_factor(m) : 1};
            sum += t + 1 < terms ? row[t].x * row[t].y : 0;
        }
        if (r % 2 && terms > 1)
            row[terms - 1] = minus_product(m, (accordi_factors){sum, 1}, ACCORD_F64);
        push_all(m, row);
    }
}

void accordi_patterns_fill(accordi_patterns *out, size_t terms, bool plain, const accord_model *a,
                           const accord_model *b)
{
    maker m = {.out = out, .a = a, .b = b, .products = accordi_both_products(a, b), .plain = plain};
    m.input = accord_format_get(accordi_narrowest_input(a, b));
    *out = (accordi_patterns){.terms = terms};
    accordi_rng_init(&m.rng, terms);
    add_precisions(&m, a->arithmetic);
    add_precisions(&m, b->arithmetic);
    add_factors(&m);
    if (terms == 1)
        single_terms(&m);
    else if (terms == 2)
        pairs(&m);
    else
        triples(&m);
    random_rows(&m);
    if (terms == 1)
        infinite_terms(&m);
    if (terms < 3)
        all_terms(&m);
}
