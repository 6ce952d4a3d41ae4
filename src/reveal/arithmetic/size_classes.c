/* Norms that add terms of different sizes in separate accumulators.
 *
 * Norms after Blue (1978), as the reference BLAS computes them, add the squares of small, usual and
 * large terms in separate accumulators, scaled so that the squares neither vanish nor overflow.
 *
 * Idea: one term M, at a random place, and all others so small that the square of each vanishes
 * beside that of M. In a fixed tree the same terms times 2^e give 2^e times the result, whatever e
 * is, as long as nothing leaves the range, and then M alone and a small term alone come back times
 * 2^e as well. Where M is just above a threshold, and the others below it, they are added among
 * themselves first, and count. So a result above 2^e times that of e = 0, where M and a small term
 * alone come back, contradicts every fixed tree. */
#include "reveal/arithmetic/size_classes.h"
#include "model/replay/scalar.h"
#include <math.h>

enum { PLACES = 8, EACH = PLACES + 2 }; /* probes of one e: then M alone, and a small term */

typedef struct sizes {
    uint32_t place[PLACES];
    double most[PLACES], rest[PLACES]; /* M, and what all others are */
} sizes;

/* M, and the others: the square of each is four fifths of what still vanishes beside that of M, but
 * together they show in the root. */
static void draw_one(accordi_asker *asker, double *most, double *rest)
{
    enum { DRAWS = 200 };
    enum accord_format in = asker->target->format, out = asker->target->output;
    int precision = accord_format_get(out)->precision;
    bool shows = false;
    for (int i = 0; i < DRAWS && !shows; i++) {
        *most = accord_format_round(in, ACCORD_NEAREST_EVEN, 1 + accordi_rng_unit(&asker->rng));
        double square = accordi_round_product(out, ACCORD_NEAREST_EVEN, *most, *most);
        double small = ldexp(0.8, ilogb(square) - precision);
        *rest = accord_format_round(in, ACCORD_NEAREST_EVEN, sqrt(small));
        double sum = accord_format_add(
            out, ACCORD_NEAREST_EVEN, square,
            accord_format_round(out, ACCORD_NEAREST_EVEN, (double)(asker->n - 1) * small));
        shows = accordi_round_root(out, ACCORD_NEAREST_EVEN, sum) >
                accordi_round_root(out, ACCORD_NEAREST_EVEN, square);
    }
}

static void draw_sizes(accordi_asker *asker, sizes *s)
{
    for (int i = 0; i < PLACES; i++) {
        s->place[i] = i ? (uint32_t)accordi_rng_below(&asker->rng, asker->n) : 0;
        draw_one(asker, &s->most[i], &s->rest[i]);
    }
}

static void put_sizes(accordi_asker *asker, const sizes *s, int exponent)
{
    for (int i = 0; i < PLACES; i++) {
        for (uint32_t k = 0; k < asker->n; k++)
            accordi_ask_own(asker, k, ldexp(k == s->place[i] ? s->most[i] : s->rest[i], exponent));
        accordi_ask_end(asker);
    }
    for (int small = 0; small < 2; small++) {
        accordi_ask_own(asker, s->place[0], ldexp(small ? s->rest[0] : s->most[0], exponent));
        accordi_ask_end(asker);
    }
}

/* Compares the results with those at e = 0. */
static bool counts_beside(const double *here, const double *there, int exponent)
{
    bool more = false;
    for (int i = PLACES; i < EACH; i++)
        if (here[i] != ldexp(there[i], exponent))
            return false;
    for (int i = 0; i < PLACES; i++)
        more = more || (isfinite(here[i]) && here[i] > ldexp(there[i], exponent));
    return more;
}

enum accord_status accordi_apart(accordi_asker *asker, bool *yes, int *exponent)
{
    enum { MOST_TERMS = 1 << 12 };
    accordi_exponents range = accordi_ask_exponents(asker, asker->target->format);
    int precision = accord_format_get(asker->target->output)->precision, step = precision / 4 + 1;
    double there[EACH];
    sizes s;
    *yes = false;
    if (asker->n < 3 || asker->n > MOST_TERMS)
        return asker->status;
    draw_sizes(asker, &s);
    accordi_ask_begin(asker, 0);
    put_sizes(asker, &s, 0);
    if (accordi_ask_run(asker))
        return asker->status;
    memcpy(there, asker->result, sizeof there);
    for (int e = range.least + 2 * precision; e < range.most - 2 && !*yes; e += step) {
        accordi_ask_begin(asker, 0);
        put_sizes(asker, &s, e);
        if (accordi_ask_run(asker))
            return asker->status;
        *yes = counts_beside(asker->result, there, e);
        *exponent = e;
    }
    return asker->status;
}
