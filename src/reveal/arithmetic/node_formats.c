/* In which format a node rounds its sum, and how, found by probes.
 *
 * With A = 1.5 * 2^(p-1), whose last place is 1, and B = 0.75, 0.25, -0.25 or 0.5, a node of
 * precision p rounds the sum, and the results show how; a node of greater precision returns B
 * itself. In f64 a little more than a half takes the place of the negative quarter: a node that
 * rounds to 64 bits first, as x87 does where each sum is stored, loses that little. (Compare 2^k
 * + 1.75 - 2^k in Fasi et al., Numerical behavior of NVIDIA tensor cores, 2021.) */
#include "reveal/arithmetic/node_probes.h"
#include <math.h>

/* Formats by precision; of those with 11 bits the one that fits the target: terms of 8 bits are
 * added in f16, if not in f32. */
static const int precisions[] = {53, 24, 11, 8, 4, 3};
enum { PRECISIONS = sizeof precisions / sizeof *precisions };

static enum accord_format format_of(const accordi_asker *asker, int precision)
{
    const accord_target *target = asker->target;
    bool narrow = asker->format != target->format; /* then results of 11 bits are likely so too */
    bool bytes = accord_format_get(target->format)->bytes == 1;
    const enum accord_format likely[] = {narrow ? asker->format : target->output,
                                         target->output,
                                         asker->format,
                                         ACCORD_F64,
                                         ACCORD_F32,
                                         bytes ? ACCORD_F16 : ACCORD_TF32,
                                         ACCORD_BF16,
                                         ACCORD_E4M3,
                                         ACCORD_E5M2};
    for (size_t i = 0; i < sizeof likely / sizeof *likely; i++)
        if (accord_format_get(likely[i])->precision == precision)
            return likely[i];
    return ACCORD_F64;
}

/* A, B and -A at one spot. */
static void put_question(accordi_node_finder *f, const accordi_probed_node *s, int at, double a,
                         double b)
{
    accordi_ask_own(f->asker, s->leaf[at], a);
    accordi_ask_own(f->asker, s->leaf[!at], b);
    if (s->beside != ACCORDI_NO_LEAF)
        accordi_ask_own(f->asker, s->beside, -a);
    accordi_ask_end(f->asker);
}

double accordi_node_reading(const accordi_node_finder *f, const accordi_probed_node *s,
                            size_t probe, double a)
{
    double raw = f->asker->result[probe];
    return s->beside == ACCORDI_NO_LEAF ? raw - a : raw;
}

/* How a sum of A and each of these was rounded, in units of the last place of A. */
static const double added[] = {0.75, 0.25, -0.25, 0.5};
enum { ADDED = sizeof added / sizeof *added };
static const struct {
    double seen[ADDED], fine; /* the latter with little more than -0.5 for -0.25 */
    enum accord_rounding rounding;
} roundings[] = {
    {{1, 0, 0, 0}, -1, ACCORD_NEAREST_EVEN},
    {{0, 0, -1, 0}, -1, ACCORD_DOWN},
    {{1, 1, 0, 1}, 0, ACCORD_UP},
    {{1, 0, 0, 1}, -1, ACCORD_NEAREST_AWAY},
    {{1, 0, 0, 0}, 0, ACCORD_NEAREST_EVEN}, /* twice */
};
enum { NEGATIVE = 2, TWICE = sizeof roundings / sizeof *roundings - 1 };
/* Of positive A, toward zero looks like down: -A tells. */

static bool same_readings(const double *seen, size_t r, bool fine)
{
    for (int i = 0; i < ADDED; i++)
        if (seen[i] != (fine && i == NEGATIVE ? roundings[r].fine : roundings[r].seen[i]))
            return false;
    return true;
}

/* The exponent by which A and B are moved to fit the input's format; false when it has no room. */
static bool find_shift(const accordi_asker *asker, int precision, int *shift)
{
    const accord_format_info *info = accord_format_get(asker->format);
    const accord_format_info *out = accord_format_get(asker->target->output);
    accordi_exponents range = accordi_ask_exponents(asker, asker->format);
    int subnormal = info->min_exponent - (info->precision - 1);
    *shift = precision + 1 > range.most ? range.most - precision - 1 : 0;
    if (*shift - 2 >= range.least)
        return true;
    return *shift - 2 >= subnormal && *shift - 2 >= out->min_exponent - (out->precision - 1);
}

/* Ties that go up are no more than that: they go away from zero if those of odd numbers and of
 * negative ones do, too. */
static enum accord_status check_ties_away(accordi_node_finder *f, double a, double unit)
{
    accordi_asker *asker = f->asker;
    size_t probe = 0;
    accordi_ask_begin(asker, 0);
    for (uint32_t i = 0; i < f->spots; i++)
        if (f->spot[i].known && f->spot[i].operation.rounding == ACCORD_NEAREST_AWAY) {
            put_question(f, &f->spot[i], 0, a + unit, 0.5 * unit);
            put_question(f, &f->spot[i], 0, -a, -0.5 * unit);
        }
    if (accordi_ask_run(asker))
        return asker->status;
    for (uint32_t i = 0; i < f->spots; i++) {
        accordi_probed_node *s = &f->spot[i];
        if (!s->known || s->operation.rounding != ACCORD_NEAREST_AWAY)
            continue;
        double up = accordi_node_reading(f, s, probe++, a + unit);
        double down = accordi_node_reading(f, s, probe++, -a);
        s->known = up == unit && down == -unit;
    }
    return ACCORD_OK;
}

/* Asks all spots that are not known yet for one precision. */
static enum accord_status ask_precision(accordi_node_finder *f, int precision)
{
    accordi_asker *asker = f->asker;
    int shift = 0;
    if (!find_shift(asker, precision, &shift))
        return ACCORD_OK;
    double a = ldexp(1.5, precision - 1 + shift), unit = ldexp(1, shift);
    bool fine = precision == 53 && accord_format_get(asker->format)->precision >= 24;
    double negative = fine ? -0.5 - 0x1p-13 : added[NEGATIVE];
    accordi_ask_begin(asker, 0);
    for (uint32_t i = 0; i < f->spots; i++) {
        if (f->spot[i].known)
            continue;
        for (int t = 0; t < ADDED; t++)
            put_question(f, &f->spot[i], 0, a, (t == NEGATIVE ? negative : added[t]) * unit);
        put_question(f, &f->spot[i], 0, -a, 0.25 * unit);
    }
    if (accordi_ask_run(asker))
        return asker->status;
    size_t probe = 0;
    bool away = false;
    for (uint32_t i = 0; i < f->spots; i++) {
        accordi_probed_node *s = &f->spot[i];
        if (s->known)
            continue;
        double seen[ADDED];
        for (int t = 0; t < ADDED; t++)
            seen[t] = accordi_node_reading(f, s, probe++, a) / unit;
        double mirrored = accordi_node_reading(f, s, probe++, -a) / unit;
        for (size_t r = 0; r <= TWICE && !s->known; r++)
            if (same_readings(seen, r, fine)) {
                s->known = true;
                s->twice = r == TWICE;
                s->operation.rounding = roundings[r].rounding;
                s->operation.format = format_of(asker, precision);
            }
        if (s->known && s->operation.rounding == ACCORD_DOWN && mirrored == 1)
            s->operation.rounding = ACCORD_TOWARD_ZERO;
        away = away || (s->known && s->operation.rounding == ACCORD_NEAREST_AWAY);
    }
    bool odd = accord_format_get(asker->format)->precision >= precision; /* holds odd numbers */
    return away && odd ? check_ties_away(f, a, unit) : ACCORD_OK;
}

enum accord_status accordi_node_formats(accordi_node_finder *f)
{
    int first = accord_format_get(f->asker->target->output)->precision;
    ask_precision(f, first);
    for (size_t i = 0; i < PRECISIONS && !f->asker->status; i++)
        if (precisions[i] != first)
            ask_precision(f, precisions[i]);
    for (uint32_t i = 0; i < f->spots; i++)
        f->spot[i].odd = !f->spot[i].known;
    return f->asker->status;
}

/* Terms come through in a narrow format because they are rounded into it first, or because a sum on
 * the way is. Then 1 + u beside -1 in one node leaves u, the last place of the format of the
 * target. */
enum accord_status accordi_node_operands(accordi_node_finder *f)
{
    enum { MOST = 16 };
    accordi_asker *asker = f->asker;
    enum accord_format whole = asker->target->format;
    int p = accord_format_get(whole)->precision, asked = 0;
    if (f->format == whole || asker->target->has_start)
        return ACCORD_OK;
    accordi_ask_begin(asker, 0);
    for (uint32_t i = 0; i < f->spots && asked < MOST; i++) {
        const accordi_probed_node *s = &f->spot[i];
        int at = s->leaf_child[1];
        if (!s->leaf_child[at])
            continue;
        accordi_ask_own(asker, s->leaf[at], 1 + ldexp(1, 1 - p));
        accordi_ask_own(asker, s->leaf[!at], -1);
        accordi_ask_end(asker);
        asked++;
    }
    if (asked == 0 || accordi_ask_run(asker))
        return asker->status;
    for (int i = 0; i < asked; i++)
        if (asker->result[i] == ldexp(1, 1 - p))
            f->format = whole;
    f->product_precision = accord_format_get(f->format)->precision;
    return ACCORD_OK;
}
