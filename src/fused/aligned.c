/* One fused sum: aligns the terms to the greatest exponent, cuts them, and adds them exactly.
 *
 * Idea: a term is an integer times a power of two together with the exponent that the hardware
 * aligns it by (which for an unnormalized product is not that of its leading bit). With E the
 * greatest of these, every term becomes an integer count of quanta 2^(E - F) by one shift; the
 * integers are added; the sum is rounded once into the output. Bound: a product is below
 * 2^(E + 2), so a count is below 2^(F + 2) and a sum of 65 of them below 2^(F + 9) <= 2^44. A
 * block of 16 exact products times its scales stays below 2^90. All fit into 128 bits. */
#include "format/format.h"
#include "fused/fused.h"
#include <limits.h>
#include <math.h>

enum { ABSENT = INT_MIN };

/* (-1)^negative * magnitude * 2^least, aligned by `exponent` (ABSENT: takes no part). */
typedef struct term {
    uint128 magnitude;
    int least, exponent;
    bool negative, odd; /* odd: of an odd place in the step */
} term;

/* sum * 2^quantum, aligned by `exponent`. */
typedef struct partial {
    int128 sum;
    int quantum, exponent;
} partial;

static int leading_exponent(double x)
{
    int e;
    frexp(x, &e);
    return e - 1;
}

/* The exponent of a finite value in its format: subnormals have the least one, or their own. */
static int exponent_in(enum accord_format format, bool leading, double x)
{
    int least = accordi_formats[format].min_exponent;
    if (x == 0)
        return least;
    int e = accordi_split(x).exponent;
    if (e > least) /* a subnormal double has the least one of f64 here */
        return e;
    return leading ? leading_exponent(x) : least;
}

static term single(const accord_fused *fused, double c)
{
    accordi_parts parts = accordi_split(c);
    bool absent = c == 0 && !fused->zeros;
    return (term){parts.significand, parts.exponent - 52,
                  absent ? ABSENT : exponent_in(fused->output, fused->c_leading, c),
                  signbit(c) != 0, false};
}

/* A pair of scales, each of at most 4 significant bits: significand * 2^(exponent - 6). */
typedef struct scales {
    unsigned significand; /* 0: a scale is 0 */
    int exponent;
} scales;

static scales pair_of(double a, double b)
{
    if (a == 0 || b == 0)
        return (scales){0, 0};
    accordi_parts p = accordi_split(a), q = accordi_split(b);
    return (scales){(unsigned)(p.significand >> 49) * (unsigned)(q.significand >> 49),
                    p.exponent + q.exponent};
}

static term product_term(const accord_fused *fused, const accordi_product *of, scales by)
{
    double a = of->a, b = of->b;
    accordi_parts p = accordi_split(a), q = accordi_split(b);
    term t = {(uint128)p.significand * q.significand, p.exponent + q.exponent - 104 + by.exponent,
              ABSENT, (signbit(a) != 0) != (signbit(b) != 0), of->place % 2};
    if (by.significand == 0 || (t.magnitude == 0 && (fused->normalised || !fused->zeros)))
        return (term){0, t.least, ABSENT, t.negative, t.odd};
    if (fused->normalised)
        t.exponent = accordi_length(t.magnitude) - 1 + t.least;
    else
        t.exponent = exponent_in(fused->input, fused->leading, a) +
                     exponent_in(fused->input, fused->leading, b) + by.exponent;
    t.magnitude *= by.significand;
    t.least -= 6;
    return t;
}

/* Signed integer of a * b in units of 1 / steps^2. */
static int128 whole_product(double a, double b, double steps)
{
    return a == 0 || b == 0 ? 0 : (int128)(int64_t)(a * steps) * (int64_t)(b * steps);
}

/* A block of exact products: aligned by the exponents of its scales alone, zero or not. */
static term block_sum(const accord_fused *fused, size_t number, const accordi_product *product,
                      size_t count, scales by)
{
    const accord_format_info *row = &accordi_formats[fused->input];
    int unit = row->min_exponent - (row->precision - 1);
    double steps = accordi_power_of_two(-unit);
    int128 sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += whole_product(product[i].a, product[i].b, steps);
    sum *= by.significand;
    return (term){(uint128)(sum < 0 ? -sum : sum), 2 * unit + by.exponent - 6,
                  by.significand ? by.exponent : ABSENT, sum < 0, number % 2};
}

static scales scales_at(const accordi_products *of, size_t k)
{
    return pair_of(of->scale_a ? of->scale_a[k] : 1, of->scale_b ? of->scale_b[k] : 1);
}

/* The products of a step, each for itself or in blocks, as terms; returns how many. */
static size_t make_terms(const accord_fused *fused, const accordi_products *of, term *terms)
{
    const accordi_product *product = of->product, *end = product + of->given;
    size_t share = fused->scale_block ? (size_t)fused->scale_block : of->count;
    size_t size = (size_t)fused->block, made = 0;
    for (size_t from = 0, k = 0; from < of->count && (size || product < end); from += share, k++) {
        size_t to = from + share < of->count ? from + share : of->count;
        if (!size && product->place >= to)
            continue;
        scales by = scales_at(of, k);
        for (; !size && product < end && product->place < to; product++)
            terms[made++] = product_term(fused, product, by);
        for (size_t place = from; size && place < to; place += size) {
            const accordi_product *first = product;
            while (product < end && product->place < place + size)
                product++;
            size_t inside = (size_t)(product - first);
            if (inside || place < from + 2 * size) /* zeros of one exponent: an even, an odd one */
                terms[made++] = block_sum(fused, place / size, first, inside, by);
        }
    }
    return made;
}

static int128 counted(const term *t, int quantum, enum accord_rounding rounding)
{
    int128 quanta =
        (int128)accordi_cut(rounding, t->negative, t->magnitude, quantum - t->least, false);
    return t->negative ? -quanta : quanta;
}

enum places { EVEN, ODD, ALL };

static partial align(const accord_fused *fused, const term *terms, size_t count, enum places places)
{
    partial p = {0, 0, fused->least_exponent};
    for (size_t i = 0; i < count; i++)
        if (terms[i].exponent > p.exponent && (places == ALL || terms[i].odd == (places == ODD)))
            p.exponent = terms[i].exponent;
    p.quantum = p.exponent - fused->fraction;
    for (size_t i = 0; i < count; i++)
        if (terms[i].magnitude && (places == ALL || terms[i].odd == (places == ODD)))
            p.sum += counted(&terms[i], p.quantum, fused->alignment);
    return p;
}

/* The partial sum cut at `fraction` bits below `exponent`, in quanta of those. */
static int128 recut(const partial *p, int exponent, int fraction, enum accord_rounding rounding)
{
    bool negative = p->sum < 0;
    term t = {(uint128)(negative ? -p->sum : p->sum), p->quantum, p->exponent, negative, false};
    return p->sum == 0 ? 0 : counted(&t, exponent - fraction, rounding);
}

static partial join_halves(const accord_fused *fused, const partial *even, const partial *odd)
{
    int e = even->exponent > odd->exponent ? even->exponent : odd->exponent;
    int128 sum =
        recut(even, e, fused->fraction, fused->join) + recut(odd, e, fused->fraction, fused->join);
    return (partial){sum, e - fused->fraction, e};
}

static partial then_c(const accord_fused *fused, const term *terms, size_t count, const term *c)
{
    partial p;
    if (fused->halves) {
        partial even = align(fused, terms, count, EVEN), odd = align(fused, terms, count, ODD);
        p = join_halves(fused, &even, &odd);
    } else {
        p = align(fused, terms, count, ALL);
    }
    int ec = c->exponent == ABSENT ? accordi_formats[fused->output].min_exponent : c->exponent;
    int e = ec > p.exponent ? ec : p.exponent;
    int128 sum = recut(&p, e, fused->sum_fraction, fused->join);
    bool reached = fused->c_reach == 0 || ec >= e - fused->c_reach;
    if (c->magnitude && reached)
        sum += counted(c, e - fused->c_fraction, fused->join) *
               ((int128)1 << (fused->sum_fraction - fused->c_fraction));
    return (partial){sum, e - fused->sum_fraction, e};
}

static double round_partial(const accord_fused *fused, const partial *p)
{
    accord_format_info row = accordi_formats[fused->output];
    if (fused->output_fraction) {
        row.precision = fused->output_fraction + 1;
        row.greatest = ldexp(2 - ldexp(1, -fused->output_fraction), row.max_exponent);
    }
    bool negative = p->sum < 0;
    accordi_lead sum =
        accordi_lead_of(negative, (uint128)(negative ? -p->sum : p->sum), p->quantum, false);
    double d =
        accordi_lead_value(&row, fused->rounding, sum, fused->overflow == ACCORD_OVERFLOW_INFINITE);
    bool stops = fused->overflow == ACCORD_OVERFLOW_GREATEST && !isfinite(d);
    return stops ? copysign(row.greatest, negative ? -1 : 1) : d;
}

double accordi_fused_aligned(const accord_fused *fused, const accordi_products *products, double c)
{
    term terms[ACCORDI_FUSED_MOST + 1];
    size_t made = make_terms(fused, products, terms);
    term of_c = single(fused, c);
    partial p;
    if (fused->scheme == ACCORD_FUSED_WITH_C) {
        terms[made++] = of_c;
        p = align(fused, terms, made, ALL);
    } else {
        p = then_c(fused, terms, made, &of_c);
    }
    return round_partial(fused, &p);
}
