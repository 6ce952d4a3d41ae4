/* First-order spreads of products, quotients and functions of complex numbers that the compiler
 * leaves to a library.
 *
 * In: the marks and the numbers of the parts of one operand z or two, z and w, and the parts of the
 * result. Out: marks for both parts of the result. The functions are differentiable as functions of
 * complex numbers, so one derivative f' by z tells all: d re / d Re z = Re f', d re / d Im z =
 * -Im f', and the imaginary part turns with it. A node has room for two operands with derivatives
 * of full precision, so with two complex numbers each part of the result is three nodes.
 *
 * The spread: parts of products are sums of two products, either of which may enter unrounded;
 * quotients are taken to err by a unit in the last place of the whole number, since the algorithms
 * that are used lose the smaller part in the larger one; functions by a unit of each part. */
#include "bound/runtime/slow.h"
#include "bound/runtime/tape.h"
#include <accord/bound.h>
#include <math.h>

typedef struct number {
    double re, im;
} number;

/* ---- arithmetic that needs no care for infinities ---- */

static number times(number x, number y)
{
    return (number){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

static number over(number x, number y)
{
    double scale = fmax(fabs(y.re), fabs(y.im)), a = y.re / scale, b = y.im / scale;
    number q = times(x, (number){a, -b});
    double size = (a * a + b * b) * scale;
    return (number){q.re / size, q.im / size};
}

static number scaled(number x, double factor)
{
    return (number){factor * x.re, factor * x.im};
}

/* ---- derivatives ---- */

/* f(x) g(y) + i f'(x) g'(y): what all of these functions are. */
static number of_cos(number z)
{
    return (number){cos(z.re) * cosh(z.im), -sin(z.re) * sinh(z.im)};
}
static number of_sin(number z)
{
    return (number){sin(z.re) * cosh(z.im), cos(z.re) * sinh(z.im)};
}
static number of_cosh(number z)
{
    return (number){cosh(z.re) * cos(z.im), sinh(z.re) * sin(z.im)};
}
static number of_sinh(number z)
{
    return (number){sinh(z.re) * cos(z.im), cosh(z.re) * sin(z.im)};
}

static number logarithm(number z)
{
    return (number){log(hypot(z.re, z.im)), atan2(z.im, z.re)};
}

/* By z and by w. */
static void derive(uint32_t what, number z, number w, number r, number out[2])
{
    const number one = {1, 0};
    out[1] = (number){0, 0};
    switch ((enum accordi_complex_function)what) {
    case ACCORDI_COMPLEX_MULTIPLY:
        out[0] = w;
        out[1] = z;
        break;
    case ACCORDI_COMPLEX_DIVIDE:
        out[0] = over(one, w);
        out[1] = scaled(over(r, w), -1);
        break;
    case ACCORDI_COMPLEX_POW:
        out[0] = over(times(r, w), z);
        out[1] = times(r, logarithm(z));
        break;
    case ACCORDI_COMPLEX_PROJECTION:
        out[0] = one;
        break;
    case ACCORDI_COMPLEX_ARGUMENT: /* the imaginary part of the logarithm, turned to the real one */
        out[0] = over((number){0, -1}, z);
        break;
    case ACCORDI_COMPLEX_EXP:
        out[0] = r;
        break;
    case ACCORDI_COMPLEX_LOG:
        out[0] = over(one, z);
        break;
    case ACCORDI_COMPLEX_SQRT:
        out[0] = over(one, scaled(r, 2));
        break;
    case ACCORDI_COMPLEX_SIN:
        out[0] = of_cos(z);
        break;
    case ACCORDI_COMPLEX_COS:
        out[0] = scaled(of_sin(z), -1);
        break;
    case ACCORDI_COMPLEX_SINH:
        out[0] = of_cosh(z);
        break;
    case ACCORDI_COMPLEX_COSH:
        out[0] = of_sinh(z);
        break;
    }
}

/* ---- spreads ---- */

static double unit(double x, bool narrow)
{
    return accordi_tape_function_spread(ACCORD_BOUND_EXP, x, narrow);
}

/* How far x y + z t, whose value is r, moves if one of the products enters unrounded. */
static double fused(double x, double y, double z, double t, double r, bool narrow)
{
    if (!(accordi_model & (ACCORD_BOUND_CONTRACT | ACCORD_BOUND_CONTRACT_EXPR | ACCORD_BOUND_PAREN |
                           ACCORD_BOUND_PERM)))
        return 0;
    if (narrow) {
        double p = (double)(float)(x * y), q = (double)(float)(z * t);
        return fmax(fabs((double)(float)(x * y + q) - r), fabs((double)(float)(p + z * t) - r));
    }
    return fmax(fabs(fma(x, y, z * t) - r), fabs(fma(z, t, x * y) - r));
}

static void spread_of(uint32_t what, number z, number w, number r, uint32_t width, double out[2])
{
    bool narrow = width == ACCORDI_FLOAT;
    out[0] = out[1] = 0;
    if (what == ACCORDI_COMPLEX_PROJECTION)
        return;
    if (what == ACCORDI_COMPLEX_MULTIPLY) {
        if (width == ACCORDI_LONG) /* nothing is fused there */
            return;
        out[0] = fused(z.re, w.re, -z.im, w.im, r.re, narrow);
        out[1] = fused(z.re, w.im, z.im, w.re, r.im, narrow);
        for (int i = 0; i < 2; i++)
            out[i] = accordi_tape_looser(out[i], i ? r.im : r.re, z.re, w.re, narrow);
        return;
    }
    double both = fabs(r.re) + fabs(r.im);
    bool divides = what == ACCORDI_COMPLEX_DIVIDE;
    out[0] = unit(divides ? both : r.re, narrow);
    out[1] = unit(divides ? both : r.im, narrow);
    for (int i = 0; width == ACCORDI_LONG && i < 2; i++)
        out[i] *= 0x1p-11;
}

/* ---- nodes ---- */

static const accordi_mark none = {0, 0};

static uint32_t operand_of(const accordi_mark *a)
{
    uint64_t node = a->node, before = accordi_tape.before;
    if (node > before)
        return (uint32_t)(node - before);
    return node == 0 ? 0 : accordi_tape_old(node);
}

static void record(accordi_mark *out, const accordi_mark *a, const accordi_mark *b,
                   double partial_a, double partial_b, double spread, uint32_t site)
{
    union {
        double x;
        uint64_t bits;
    } u = {spread};
    if ((a->node | b->node) == 0 && spread == 0) {
        *out = none;
        return;
    }
    if (accordi_tape.next >= accordi_tape.end)
        accordi_tape_full();
    uint32_t i = operand_of(a), j = operand_of(b);
    accordi_tape_node *n = accordi_tape.next++;
    *n = (accordi_tape_node){.partial = {a->node ? partial_a : 0, b->node ? partial_b : 0},
                             .operand = {i, j, 0},
                             .spread = (uint32_t)(u.bits >> 32),
                             .site = site};
    *out = (accordi_mark){accordi_tape.before + (uint64_t)(n - accordi_tape.node), 0};
}

/* The real part, or the imaginary one, of f'(z) dz + f'(w) dw. */
static void record_part(accordi_mark *out, const accordi_mark *const of[4], const number f[2],
                        bool imaginary, double spread, uint32_t site)
{
    accordi_mark by[2];
    const number first = imaginary ? (number){f[0].im, f[0].re} : (number){f[0].re, -f[0].im};
    const number second = imaginary ? (number){f[1].im, f[1].re} : (number){f[1].re, -f[1].im};
    if ((of[2]->node | of[3]->node) == 0) {
        record(out, of[0], of[1], first.re, first.im, spread, site);
        return;
    }
    record(&by[0], of[0], of[1], first.re, first.im, 0, site);
    record(&by[1], of[2], of[3], second.re, second.im, 0, site);
    record(out, &by[0], &by[1], 1, 1, spread, site);
}

void accordi_tape_complex(accordi_mark *re, accordi_mark *im, const accordi_mark *a,
                          const accordi_mark *b, const accordi_mark *c, const accordi_mark *d,
                          double z_re, double z_im, double w_re, double w_im, double r_re,
                          double r_im, uint32_t what, uint32_t site, uint32_t width)
{
    const number z = {z_re, z_im}, w = {w_re, w_im}, r = {r_re, r_im};
    const accordi_mark given[4] = {*a, *b, *c, *d};
    const accordi_mark *of[4] = {&given[0], &given[1], &given[2], &given[3]};
    number f[2];
    double spread[2];
    if (!(what == ACCORDI_COMPLEX_MULTIPLY || what == ACCORDI_COMPLEX_DIVIDE ||
          what == ACCORDI_COMPLEX_POW))
        of[2] = of[3] = &none;
    derive(what, z, w, r, f);
    spread_of(what, z, w, r, width, spread);
    record_part(re, of, f, false, spread[0], site);
    record_part(im, of, f, true, what == ACCORDI_COMPLEX_ARGUMENT ? 0 : spread[1], site);
}
