/* What a single term among zeros becomes, over all magnitudes that the formats hold.
 *
 * Where ordinary numbers add up as they should, a refused target may still cut off what is large
 * (clamps, saturation, remainders, refusals) or what is small (fixed point, thresholds). Powers of
 * two find the first magnitude, going away from 1, at which a term does not come back; a few
 * questions beside it tell the kinds apart. */
#include "reveal/reasons/ordinary_sums.h"
#include <math.h>

typedef struct scan {
    accordi_asker *asker;
    const accordi_ordinary *o;
    double scale, slack; /* a term x alone should give scale * x, or nearly so */
    int low, high;       /* exponents of numbers that both formats hold */
    int precision;
} scan;

enum { MANY = 32 };

/* Sums of the first terms: `width` values a probe. */
static enum accord_status ask_sums(scan *s, const double *x, size_t probes, size_t width,
                                   double *out)
{
    accordi_asker *asker = s->asker;
    accordi_ask_begin(asker, 0);
    for (size_t p = 0; p < probes; p++) {
        for (size_t i = 0; i < width; i++)
            accordi_ask_own(asker, s->o->term[i], x[p * width + i]);
        accordi_ask_end(asker);
    }
    if (!accordi_ask_run(asker))
        for (size_t p = 0; p < probes; p++)
            out[p] = asker->result[p] / s->scale;
    return asker->status;
}

static bool comes_back(const scan *s, double x, double got)
{
    return fabs(got - x) <= s->slack * fabs(x);
}

/* The first exponent, from 0 away to `end`, whose power of two does not come back; end + 1 (or - 1)
 * if all do. */
static enum accord_status find_break(scan *s, int end, int *at)
{
    enum { STEPS = 16 };
    int direction = end < 0 ? -1 : 1, far = abs(end), good = 0, bad = far + 1;
    while (bad - good > 1) {
        double x[STEPS], got[STEPS];
        int exponent[STEPS], count = 0, step = (bad - good + STEPS - 1) / STEPS;
        for (int k = good + step; k < bad && count < STEPS; k += step) {
            exponent[count] = k;
            x[count++] = ldexp(1, direction * k);
        }
        if (ask_sums(s, x, (size_t)count, 1, got))
            return s->asker->status;
        for (int i = 0; i < count; i++) {
            if (!comes_back(s, x[i], got[i])) {
                bad = exponent[i];
                break;
            }
            good = exponent[i];
        }
    }
    *at = direction * bad;
    return ACCORD_OK;
}

/* ---- what is large ---- */

static bool say_not_finite(scan *s, int at, double got)
{
    accordi_unable(s->asker->error, ACCORD_REASON_NOT_FINITE,
                   "a single term of 2^%d among zeros gives %g, whereas a term of 2^%d is returned "
                   "unchanged; smaller terms may add up, but probes need large ones",
                   at, got, at - 1);
    return true;
}

/* The same value for all that is larger. Of two such terms the sum is twice that where terms are
 * clamped; of a sum h + h - h that is in range nothing is left off unless each step is. */
static bool say_bound(scan *s, int at, double bound)
{
    double h = ldexp(1, at - 1), large = ldexp(1, at), got[4] = {0};
    const double two[] = {large, large};
    const double three[] = {h, h, -h, h, -h, h, -h, h, h};
    size_t terms = s->o->terms < 3 ? s->o->terms : 3;
    if (ask_sums(s, two, 1, 2, got) || (terms == 3 && ask_sums(s, three, 3, 3, got + 1)))
        return false;
    if (fabs(got[0] - 2 * bound) <= 4 * s->slack * bound) {
        accordi_unable(s->asker->error, ACCORD_REASON_CLAMPED_TERMS,
                       "each term is clamped to at most %.9g: a term of 2^%d counts as that, and "
                       "two such terms give %.9g",
                       bound, at, got[0]);
        return true;
    }
    if (!(fabs(got[0] - bound) <= s->slack * bound))
        return false;
    bool steps = false;
    for (int i = 1; i < 4 && terms == 3; i++)
        steps = steps || !(fabs(got[i] - h) <= 2 * s->slack * h);
    if (steps)
        accordi_unable(s->asker->error, ACCORD_REASON_SATURATING,
                       "the running sum saturates at %.9g: a term of 2^%d gives that, and 2^%d + "
                       "2^%d - 2^%d, in some order, does not give 2^%d",
                       bound, at, at - 1, at - 1, at - 1, at - 1);
    else
        accordi_unable(s->asker->error, ACCORD_REASON_CLAMPED_RESULT,
                       "the result is clamped to at most %.9g: a term of 2^%d gives that, and so "
                       "do two such terms",
                       bound, at);
    return true;
}

/* Is the sum of two terms x reduced, too, where each alone gives `got`? If only the terms are, two
 * of the greatest remainders may exceed the divisor. */
static bool is_sum_reduced(scan *s, double x, double got, double modulus)
{
    const double two[] = {x, x};
    double both;
    return s->o->terms > 1 && !ask_sums(s, two, 1, 2, &both) &&
           (fabs(both) < modulus || fabs(2 * got) < modulus);
}

static bool say_modulo(scan *s, int at, double modulus, double most)
{
    double a = ldexp(1, at);
    const double x[] = {1.25 * a, 1.5 * a, 1.75 * a, 2 * a, 2.5 * a, 3 * a, 3.5 * a, 4 * a};
    enum { INPUTS = sizeof x / sizeof *x };
    double got[INPUTS];
    if (!(modulus > 0 && modulus < 0x1p60) || ask_sums(s, x, INPUTS, 1, got))
        return false;
    bool varies = false;
    int greatest = 0;
    for (int i = 0; i < INPUTS; i++) {
        double times = (x[i] - got[i]) / modulus;
        if (!(fabs(times - rint(times)) <= 16 * s->slack) || !(fabs(got[i]) <= most))
            return false;
        varies = varies || got[i] != got[0];
        greatest = fabs(got[i]) > fabs(got[greatest]) ? i : greatest;
    }
    if (!varies || !is_sum_reduced(s, x[greatest], got[greatest], modulus))
        return false;
    accordi_unable(
        s->asker->error, ACCORD_REASON_MODULO,
        "the result is the remainder of the sum divided by %.9g: the results for single terms of "
        "2^%d and more (%d of them were tested) differ from those terms by multiples of it",
        modulus, at, INPUTS + 1);
    return true;
}

/* Terms of a narrower format overflow so. */
static bool is_overflow(const scan *s, int at, double got)
{
    const accordi_asker *asker = s->asker;
    const accord_format_info *kept = accord_format_get(asker->format);
    double due = accord_format_round(asker->format, ACCORD_NEAREST_EVEN, ldexp(1, at));
    return asker->format != asker->target->format && at == kept->max_exponent + 1 &&
           (due != due ? got != got : due == got);
}

static bool look_above(scan *s, int at)
{
    enum { MORE = 4 };
    double x[MORE], got[MORE];
    for (int i = 0; i < MORE; i++)
        x[i] = ldexp(1 + 0.25 * i, at + i <= s->high ? at + i : s->high);
    if (ask_sums(s, x, MORE, 1, got))
        return false;
    if (is_overflow(s, at, got[0]))
        return false;
    if (!isfinite(got[0]))
        return say_not_finite(s, at, got[0] * s->scale);
    bool same = true;
    for (int i = 1; i < MORE; i++)
        same = same && got[i] == got[0];
    if (same && got[0] >= ldexp(1, at - 1) * (1 - s->slack) && at < s->high)
        return say_bound(s, at, got[0]);
    if (same && got[0] == 0) {
        accordi_unable(s->asker->error, ACCORD_REASON_LIMITED,
                       "terms of 2^%d and more do not count: alone among zeros, such a term gives "
                       "0, whereas a term of 2^%d is returned unchanged",
                       at, at - 1);
        return true;
    }
    return at + 2 <= s->high && say_modulo(s, at, x[0] - got[0], x[0]);
}

/* ---- what is small ---- */

/* Is every result a multiple of q, odd and even, up to as many as the formats distinguish, and none
 * farther from its term than q? */
static bool are_multiples(double q, const double *x, const double *got, size_t count)
{
    size_t odd = 0, moved = 0, even = 0;
    for (size_t i = 0; i < count; i++) {
        double times = got[i] / q;
        if (!(fabs(times - rint(times)) <= 0.2) || !(fabs(got[i] - x[i]) <= 1.05 * q))
            return false;
        moved += fabs(got[i] - x[i]) > 0.1 * q;
        bool far = i >= count / 2;
        odd += far && fmod(fabs(rint(times)), 2) == 1;
        even += far && fmod(fabs(rint(times)), 2) == 0;
    }
    return odd > 1 && even > 1 && moved >= 4;
}

/* Small sums of a machine are multiples of the last bit that is kept at its least exponent. */
static const char *like_what(const scan *s, double q, bool term)
{
    if (s->asker->target->term == ACCORD_TERM_PRODUCT && ldexp(1, ilogb(q)) == q)
        return ", as in fixed-point arithmetic or in a fused sum whose alignment stops at a least "
               "exponent";
    return term ? ", as in fixed-point arithmetic" : "";
}

/* Four tenths of q, and eight, in each of two terms: what is rounded, and how. */
static bool say_rounded(scan *s, double q)
{
    const double two[] = {0.375 * q, 0.375 * q, 0.8125 * q, 0.8125 * q};
    double got[2] = {0};
    if (ask_sums(s, two, 2, 2, got))
        return false;
    int less = (int)rint(got[0] / q), more = (int)rint(got[1] / q);
    bool term = less == 0 && (more == 2 || more == 0);
    bool result = (less == 1 && more == 2) || (less == 0 && more == 1);
    if (!term && !result)
        return false;
    bool cut = more == 0 || (result && more == 1);
    if (q == 1)
        accordi_unable(s->asker->error,
                       term ? ACCORD_REASON_INTEGER_TERMS : ACCORD_REASON_ROUNDED_RESULT,
                       "%s %s to a whole number: two terms of 0.8125 give %d",
                       term ? "each term is" : "the result is", cut ? "cut off" : "rounded", more);
    else
        accordi_unable(
            s->asker->error, term ? ACCORD_REASON_FIXED_POINT : ACCORD_REASON_ROUNDED_RESULT,
            "%s %s to a multiple of %.9g%s: two terms of 0.8125 times that value give %d times it",
            term ? "each term is" : "the result is", cut ? "cut off" : "rounded", q,
            like_what(s, q, term), more);
    return true;
}

static bool look_for_quantum(scan *s, int at)
{
    double x[MANY], got[MANY], q = INFINITY;
    for (int i = 0; i < 16; i++)
        x[i] = ldexp(i % 2 ? 1.5 : 1, at - 6 + i / 2);
    if (ask_sums(s, x, 16, 1, got))
        return false;
    for (int i = 0; i < 16; i++)
        q = got[i] > 0 && got[i] < q ? got[i] : q;
    const accord_target *target = s->asker->target;
    const accord_format_info *in = accord_format_get(target->format),
                             *out = accord_format_get(target->output);
    if (!isfinite(q) || q <= ldexp(1.5, in->min_exponent - in->precision + 1) ||
        q <= ldexp(1.5, out->min_exponent - out->precision + 1))
        return false;
    /* no narrower accumulator counts as far as the formats do; only what is no power of two is
     * known to be no unit of one */
    int far = s->precision - (ldexp(1, ilogb(q)) == q ? 0 : 4);
    for (int i = 0; i < MANY; i++) {
        double least = ldexp(1, far - 1), times = 4 + 4 * accordi_rng_unit(&s->asker->rng);
        if (i >= MANY / 2)
            times = least + i % 2 + /* half of them odd */
                    2 * (double)accordi_rng_below(&s->asker->rng, (uint64_t)least / 2);
        x[i] = accord_format_round(target->format, ACCORD_NEAREST_EVEN, times * q);
    }
    return !ask_sums(s, x, MANY, 1, got) && are_multiples(q, x, got, MANY) && say_rounded(s, q);
}

/* Nothing of what is smaller, all of what is larger, to the last bit. */
static bool look_for_threshold(scan *s, int at)
{
    enum { UP = 8, DOWN = 8 };
    static const int natural[] = {-14, -24, -126, -133, -149, -1022, -1074};
    double x[UP + DOWN], got[UP + DOWN], two[2] = {ldexp(1, at), ldexp(1, at)};
    for (size_t i = 0; i < sizeof natural / sizeof *natural; i++)
        if (at + 1 == natural[i])
            return false;
    for (int i = 0; i < UP; i++)
        x[i] = ldexp(1 + ldexp(2 * i + 1, 1 - s->precision), at + 1 + i % 3);
    for (int i = 0; i < DOWN; i++)
        x[UP + i] = ldexp(1, at - i >= s->low ? at - i : s->low);
    if (ask_sums(s, x, UP + DOWN, 1, got))
        return false;
    for (int i = 0; i < UP + DOWN; i++)
        if (i < UP ? !comes_back(s, x[i], got[i]) : got[i] != 0)
            return false;
    if (ask_sums(s, two, 1, 2, got) || (got[0] != 0 && !comes_back(s, 2 * two[0], got[0])))
        return false;
    accordi_unable(s->asker->error, ACCORD_REASON_THRESHOLD,
                   "%s: a single term of 2^%d gives 0, one of 2^%d is returned unchanged, and two "
                   "terms of 2^%d give %g",
                   got[0] == 0 ? "small terms do not count" : "small results are set to 0", at,
                   at + 1, at, got[0]);
    return true;
}

bool accordi_is_limited(const accordi_ordinary *o)
{
    accordi_asker *asker = o->asker;
    const accord_format_info *in = accord_format_get(asker->target->format),
                             *out = accord_format_get(asker->target->output);
    scan s = {.asker = asker, .o = o, .scale = o->single[0], .precision = o->precision};
    int scale = ilogb(s.scale), above, below;
    s.slack = ldexp(1, scale) == s.scale ? 0 : ldexp(1, 3 - o->precision);
    s.high = (in->max_exponent < out->max_exponent - scale ? in->max_exponent
                                                           : out->max_exponent - scale) -
             1;
    s.low =
        in->min_exponent > out->min_exponent - scale ? in->min_exponent : out->min_exponent - scale;
    if (o->terms < 2 || s.high <= 4 || s.low >= -4 || find_break(&s, s.low, &below))
        return false;
    if (below >= s.low &&
        (look_for_quantum(&s, below) || (!asker->status && look_for_threshold(&s, below))))
        return true;
    return !asker->status && !find_break(&s, s.high, &above) && above <= s.high &&
           look_above(&s, above);
}
