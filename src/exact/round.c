/* The one rounding, from limbs to a bit pattern.
 *
 * Around the sum, with 2^e its leading bit, the format is a grid of step 2^q, q = max(e, emin) -
 * (p - 1). The bits from q upwards are the significand; the bit below says half, all bits below
 * that say whether anything is left. Read as an integer the pattern of a magnitude counts the
 * values below it: exponent and significand add up, subnormals included, and one step up is + 1,
 * into the next binade and at last into infinity. */
#include "exact/exact.h"

typedef struct remainder {
    bool odd, half, more; /* of the significand; of what is cut off */
} remainder;

static bool even(remainder r, bool negative)
{
    (void)negative;
    return r.half && (r.more || r.odd);
}

static bool never(remainder r, bool negative)
{
    (void)r, (void)negative;
    return false;
}

static bool down(remainder r, bool negative)
{
    return negative && (r.half || r.more);
}

static bool up(remainder r, bool negative)
{
    return !negative && (r.half || r.more);
}

static bool away(remainder r, bool negative)
{
    (void)negative;
    return r.half;
}

/* Whether to take one step away from zero. */
static bool (*const steps[ACCORD_EXACT_ROUNDING_COUNT])(remainder r, bool negative) = {
    [ACCORD_EXACT_NEAREST_EVEN] = even, [ACCORD_EXACT_TOWARD_ZERO] = never,
    [ACCORD_EXACT_DOWN] = down,         [ACCORD_EXACT_UP] = up,
    [ACCORD_EXACT_NEAREST_AWAY] = away,
};

static uint64_t infinity_of(const accord_format_info *row)
{
    uint64_t fields = ((uint64_t)1 << (row->bits - row->precision)) - 1;
    return fields << (row->precision - 1);
}

/* The pattern of a magnitude that is not zero. What is past the range rounds like a number with
 * more than half a step to go. */
static uint64_t round_magnitude(const accordi_exact_magnitude *m, int unit,
                                const accord_format_info *row,
                                bool (*step)(remainder r, bool negative))
{
    int e = m->highest + unit, p = row->precision;
    if (e > row->max_exponent)
        return infinity_of(row) - !step((remainder){true, true, true}, m->negative);
    int least = e < row->min_exponent ? row->min_exponent : e;
    int cut = least - (p - 1) - unit;
    uint64_t significand = accordi_exact_bits(m, cut);
    significand |= (uint64_t)accordi_exact_bits(m, cut + 32) << 32;
    remainder r = {significand & 1, accordi_exact_bits(m, cut - 1) & 1, m->lowest < cut - 1};
    uint64_t pattern = (uint64_t)(least - row->min_exponent) << (p - 1);
    return pattern + significand + step(r, m->negative);
}

static bool zero_is_negative(const int64_t *count, enum accord_exact_rounding rounding)
{
    if (count[ACCORD_EXACT_MINUS_ZEROS] == count[ACCORD_EXACT_TERMS])
        return true;
    return rounding == ACCORD_EXACT_DOWN &&
           count[ACCORD_EXACT_PLUS_ZEROS] != count[ACCORD_EXACT_TERMS];
}

uint64_t accordi_exact_round(accordi_exact_view sum, enum accord_format format,
                             enum accord_exact_rounding rounding)
{
    const accord_format_info *row = accord_format_get(format);
    if ((unsigned)rounding >= ACCORD_EXACT_ROUNDING_COUNT)
        rounding = ACCORD_EXACT_NEAREST_EVEN;
    uint64_t sign = (uint64_t)1 << (row->bits - 1), infinity = infinity_of(row);
    const int64_t *count = sum.count;
    bool plus = count[ACCORD_EXACT_PLUS_INFINITIES], minus = count[ACCORD_EXACT_MINUS_INFINITIES];
    if (count[ACCORD_EXACT_NANS] || (plus && minus))
        return infinity | (uint64_t)1 << (row->precision - 2);
    if (plus || minus)
        return minus ? sign | infinity : infinity;
    accordi_exact_magnitude m;
    accordi_exact_measure(sum, &m);
    if (m.highest < 0)
        return zero_is_negative(count, rounding) ? sign : 0;
    return (m.negative ? sign : 0) | round_magnitude(&m, sum.unit, row, steps[rounding]);
}
