/* The one rounding, from limbs, or from what a division or a root left, to a bit pattern.
 *
 * Around the number, with 2^e its leading bit, the format is a grid of step 2^q, q = max(e, emin) -
 * (p - 1). The bits from q upwards are the significand; the bit below says half, all bits below
 * that say whether anything is left. The 64 leading bits and a word on the rest are enough: no
 * format has more than 53. Read as an integer the pattern of a magnitude counts the
 * values below it: exponent and significand add up, subnormals included, and one step up is + 1,
 * into the next binade and at last into infinity. */
#include "exact/direct/round.h"
#include "exact/accumulator/exact.h"

typedef struct remainder {
    bool odd, half, more; /* of the significand; of what is cut off */
} remainder;

static bool even(remainder r, bool negative)
{
    (void)negative;
    return r.half & (r.more | r.odd); /* no branch: it would be a coin toss */
}

static bool never(remainder r, bool negative)
{
    (void)r, (void)negative;
    return false;
}

static bool down(remainder r, bool negative)
{
    return negative & (r.half | r.more);
}

static bool up(remainder r, bool negative)
{
    return (!negative) & (r.half | r.more);
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

static uint64_t sign_of(const accord_format_info *row, bool negative)
{
    return negative ? (uint64_t)1 << (row->bits - 1) : 0;
}

/* What is past the range rounds like a number with more than half a step to go. */
uint64_t accordi_exact_round_lead(accordi_exact_lead x, enum accord_format format,
                                  enum accord_exact_rounding rounding)
{
    const accord_format_info *row = accord_format_get(format);
    bool (*step)(remainder r, bool negative) =
        steps[(unsigned)rounding < ACCORD_EXACT_ROUNDING_COUNT ? rounding : 0];
    uint64_t sign = sign_of(row, x.negative);
    int e = x.exponent, p = row->precision;
    if (e > row->max_exponent)
        return sign | (infinity_of(row) - !step((remainder){true, true, true}, x.negative));
    int least = e < row->min_exponent ? row->min_exponent : e;
    int cut = 64 - p + least - e; /* bits that go */
    uint64_t significand = cut < 64 ? x.bits >> cut : 0;
    uint64_t rest = cut < 65 ? x.bits << (65 - cut) % 64 : x.bits; /* below the half */
    remainder r = {significand & 1, cut < 65 && x.bits >> (cut - 1) & 1, (rest != 0) | x.more};
    uint64_t pattern = (uint64_t)(least - row->min_exponent) << (p - 1);
    return sign | (pattern + significand + step(r, x.negative));
}

static bool zero_is_negative(const int64_t *count, enum accord_exact_rounding rounding)
{
    if (count[ACCORD_EXACT_MINUS_ZEROS] == count[ACCORD_EXACT_TERMS])
        return true;
    return rounding == ACCORD_EXACT_DOWN &&
           count[ACCORD_EXACT_PLUS_ZEROS] != count[ACCORD_EXACT_TERMS];
}

bool accordi_exact_is_odd(accordi_exact_view sum, enum accord_format format,
                          enum accord_exact_rounding rounding, accordi_exact_magnitude *m,
                          uint64_t *pattern)
{
    const accord_format_info *row = accord_format_get(format);
    uint64_t infinity = infinity_of(row);
    const int64_t *count = sum.count;
    bool plus = count[ACCORD_EXACT_PLUS_INFINITIES], minus = count[ACCORD_EXACT_MINUS_INFINITIES];
    if (count[ACCORD_EXACT_NANS] || (plus && minus)) {
        *pattern = infinity | (uint64_t)1 << (row->precision - 2);
        return true;
    }
    if (plus || minus) {
        *pattern = infinity | sign_of(row, minus);
        return true;
    }
    accordi_exact_measure(sum, m);
    *pattern = sign_of(row, zero_is_negative(count, rounding));
    return m->highest < 0;
}

/* Most sums, of four limbs or more, are settled by the three limbs on top and the upper half of the
 * fourth: what is below comes to more than -1 and less than 2 units of the third. */
INLINE bool round_top(accordi_exact_view sum, layout l, enum accord_exact_rounding rounding,
                      uint64_t *out)
{
    const int64_t *at = sum.limb + sum.limbs - 4, *least = sum.limb;
    for (; at - least > 4 && !(at[3] | at[2] | at[1] | at[0]); at -= 4)
        ;
    while (at > least && !at[3])
        at--;
    int128 top = ((int128)at[3] * 4294967296 + at[2]) * 4294967296 + at[1] + (at[0] >> 32);
    window w = {top - 1, 3, sum.unit + 32 * (int)(at + 1 - least)};
    return round_window(l, w, rounding, out);
}

uint64_t accordi_exact_round(accordi_exact_view sum, enum accord_format format,
                             enum accord_exact_rounding rounding)
{
    static const layout f64 = {ACCORD_F64, 52, 11}, f32 = {ACCORD_F32, 23, 8};
    if ((unsigned)rounding >= ACCORD_EXACT_ROUNDING_COUNT)
        rounding = ACCORD_EXACT_NEAREST_EVEN;
    const int64_t *count = sum.count;
    accordi_exact_magnitude m;
    uint64_t pattern;
    if (sum.limbs >= 4 &&
        !(count[ACCORD_EXACT_NANS] | count[ACCORD_EXACT_PLUS_INFINITIES] |
          count[ACCORD_EXACT_MINUS_INFINITIES]) &&
        ((format == ACCORD_F64 && round_top(sum, f64, rounding, &pattern)) ||
         (format == ACCORD_F32 && round_top(sum, f32, rounding, &pattern))))
        return pattern;
    if (accordi_exact_is_odd(sum, format, rounding, &m, &pattern))
        return pattern;
    return accordi_exact_round_lead(accordi_exact_lead_of(&m, sum.unit), format, rounding);
}
