/* Finds the format that terms are rounded to before they are added.
 *
 * A target may compute in a narrower format than that of its interface (f32 operands that are
 * rounded to bf16, tf32 or f16; sums in f16 of f32 terms).
 *
 * Idea: probes need a format only so that their terms come through unchanged. So single terms test
 * for which formats of the table this holds, at both ends of the range and with all bits of the
 * significand, and all later probes are written in the widest of these formats. Each of its values
 * is one of the interface's, too. The search for the arithmetic finds which node or which operand
 * is narrow.
 *
 * 1, 1 + u and 1 + 2u, with u the last place of 1, have to come back as three values in that order:
 * of a format with fewer bits, two of them are the same however it rounds. (A scale, as that of a
 * mean, moves neighbors no closer together than the result's format can tell, for none is asked
 * about that has more bits than the result.) */
#include "reveal/probes/ask.h"
#include <math.h>

enum { SIZES = 5 };

static bool narrower(const accord_format_info *a, const accord_format_info *b)
{
    return a->precision <= b->precision && a->max_exponent <= b->max_exponent &&
           a->least >= b->least && a != b;
}

/* Terms that a format holds only if it has all of another's range and precision. */
static void extremes(const accord_format_info *row, double x[SIZES])
{
    double last = ldexp(1, 1 - row->precision);
    const double all[SIZES] = {1, 1 + last, 1 + 2 * last, ldexp(1, row->max_exponent),
                               ldexp(1, row->min_exponent)};
    memcpy(x, all, sizeof all);
}

/* In steps of powers of two that a scale changes by less than a half. */
static bool is_near(double raw, double due)
{
    return raw / due > 0.5 && raw / due < 2;
}

static bool came_through(const accord_format_info *row, const double *raw, double scale)
{
    double greatest = ldexp(1, row->max_exponent), least = ldexp(1, row->min_exponent);
    bool finite = true;
    for (int i = 0; i < SIZES; i++)
        finite = finite && isfinite(raw[i]);
    return finite && fabs(raw[0]) < fabs(raw[1]) && fabs(raw[1]) < fabs(raw[2]) &&
           is_near(raw[3], greatest * scale) && is_near(raw[4], least * scale);
}

/* Better for probes: more bits, then more range. */
static bool better(const accord_format_info *a, const accord_format_info *b)
{
    return a->precision != b->precision ? a->precision > b->precision
                                        : a->max_exponent > b->max_exponent;
}

enum accord_status accordi_find_kept(accordi_asker *asker)
{
    const accord_target *target = asker->target;
    const accord_format_info *whole = accord_format_get(target->format), *best = NULL;
    uint32_t leaf = (uint32_t)accordi_rng_below(&asker->rng, asker->n);
    double x[SIZES];
    accordi_ask_begin(asker, 0);
    for (int f = 0; f < ACCORD_FORMAT_COUNT; f++) {
        const accord_format_info *row = accord_format_get((enum accord_format)f);
        extremes(row, x);
        for (int i = 0; i < SIZES && narrower(row, whole); i++) {
            accordi_ask_own(asker, leaf, x[i]);
            accordi_ask_end(asker);
        }
    }
    asker->kept_known = true;
    if (accordi_ask_run(asker))
        return asker->status;
    const double *raw = asker->result;
    for (int f = 0; f < ACCORD_FORMAT_COUNT; f++) {
        const accord_format_info *row = accord_format_get((enum accord_format)f);
        if (!narrower(row, whole))
            continue;
        if (came_through(row, raw, raw[0]) && (!best || better(row, best))) {
            best = row;
            asker->format = (enum accord_format)f;
        }
        raw += SIZES;
    }
    return ACCORD_OK;
}

bool accordi_is_whole(const accordi_asker *asker, double raw, double one)
{
    bool power = accordi_is_power_of_two(one); /* else a scale rounds */
    return isfinite(raw) && (power ? raw == accordi_whole_term(asker) * one : raw != one);
}

const char *accordi_kept_words(const accordi_asker *asker)
{
    return asker->format == asker->target->format
               ? ""
               : ", the widest format whose numbers come back unchanged,";
}

double accordi_whole_term(const accordi_asker *asker)
{
    int in = accord_format_get(asker->format)->precision;
    int out = accord_format_get(asker->target->output)->precision;
    return 1 + ldexp(1, 1 - (in < out ? in : out));
}
