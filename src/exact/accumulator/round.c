/* Rounds limbs to a bit pattern or a value: the counts decide special results (NaN, infinities,
 * zeros), and the one rounding (format/wide.h) gives all others. */
#include "exact/direct/round.h"
#include "exact/accumulator/exact.h"

_Static_assert((int)ACCORD_EXACT_NEAREST_EVEN == (int)ACCORD_NEAREST_EVEN &&
                   (int)ACCORD_EXACT_TOWARD_ZERO == (int)ACCORD_TOWARD_ZERO &&
                   (int)ACCORD_EXACT_DOWN == (int)ACCORD_DOWN &&
                   (int)ACCORD_EXACT_UP == (int)ACCORD_UP &&
                   (int)ACCORD_EXACT_NEAREST_AWAY == (int)ACCORD_NEAREST_AWAY,
               "both lists of roundings are in the order of one table");

static uint64_t infinity_of(const accord_format_info *row)
{
    uint64_t fields = ((uint64_t)1 << (row->bits - row->precision)) - 1;
    return fields << (row->precision - 1);
}

static uint64_t sign_of(const accord_format_info *row, bool negative)
{
    return negative ? (uint64_t)1 << (row->bits - 1) : 0;
}

uint64_t accordi_exact_round_lead(accordi_lead x, enum accord_format format,
                                  enum accord_exact_rounding rounding)
{
    unsigned known = (unsigned)rounding < ACCORD_EXACT_ROUNDING_COUNT ? rounding : 0;
    return accordi_lead_pattern(accord_format_get(format), known, x);
}

double accordi_exact_value(accordi_exact_view sum, enum accord_format format,
                           enum accord_rounding rounding)
{
    accordi_exact_magnitude m;
    accordi_exact_measure(sum, &m);
    if (m.highest < 0)
        return rounding == ACCORD_DOWN ? -0.0 : 0.0;
    return accordi_lead_value(accord_format_get(format), rounding,
                              accordi_exact_lead_of(&m, sum.unit), false);
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
INLINE bool round_top(accordi_exact_view sum, int used, layout l,
                      enum accord_exact_rounding rounding, uint64_t *out)
{
    int from = used > 4 ? used - 4 : 0;
    const int64_t *at = sum.limb + from;
    int128 top = ((int128)at[3] * 4294967296 + at[2]) * 4294967296 + at[1] + (at[0] >> 32);
    interval w = {top - 1, 3, sum.unit + 32 * (from + 1)};
    return round_interval(l, w, rounding, out);
}

uint64_t accordi_exact_round(accordi_exact_view sum, enum accord_format format,
                             enum accord_exact_rounding rounding)
{
    if ((unsigned)rounding >= ACCORD_EXACT_ROUNDING_COUNT)
        rounding = ACCORD_EXACT_NEAREST_EVEN;
    const int64_t *count = sum.count;
    accordi_exact_magnitude m;
    uint64_t pattern;
    if (sum.limbs >= 4 && !(count[ACCORD_EXACT_NANS] | count[ACCORD_EXACT_PLUS_INFINITIES] |
                            count[ACCORD_EXACT_MINUS_INFINITIES])) {
        int used = accordi_exact_used(sum);
        if (!used)
            return sign_of(accord_format_get(format), zero_is_negative(count, rounding));
        if ((format == ACCORD_F64 && round_top(sum, used, f64, rounding, &pattern)) ||
            (format == ACCORD_F32 && round_top(sum, used, f32, rounding, &pattern)))
            return pattern;
    }
    if (accordi_exact_is_odd(sum, format, rounding, &m, &pattern))
        return pattern;
    return accordi_exact_round_lead(accordi_exact_lead_of(&m, sum.unit), format, rounding);
}
