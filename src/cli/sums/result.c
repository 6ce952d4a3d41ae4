/* Rounds the sums of accord sum and accord dot, and computes the errors of naive sums. */
#include "cli/sums/tally.h"
#include <float.h>
#include <math.h>

/* Of accumulators of either width: the rounded sum, and the sum less x, which is finite. */
#define ROUNDED(name_, less_, type_, prefix_)                                                      \
    static double name_(const type_ *sum, const cli_addition *how)                                 \
    {                                                                                              \
        switch (how->format) {                                                                     \
        case ACCORD_F32:                                                                           \
            return prefix_##_f32(sum, how->rounding);                                              \
        case ACCORD_F16:                                                                           \
            return accord_format_decode(ACCORD_F16, prefix_##_f16(sum, how->rounding));            \
        case ACCORD_BF16:                                                                          \
            return accord_format_decode(ACCORD_BF16, prefix_##_bf16(sum, how->rounding));          \
        default:                                                                                   \
            return prefix_##_f64(sum, how->rounding);                                              \
        }                                                                                          \
    }                                                                                              \
    static double less_(const type_ *sum, double x)                                                \
    {                                                                                              \
        type_ rest = *sum;                                                                         \
        prefix_##_subtract_f64(&rest, x);                                                          \
        return prefix_##_f64(&rest, ACCORD_EXACT_NEAREST_EVEN);                                    \
    }
ROUNDED(value_of, less, accord_exact, accord_exact)
ROUNDED(wide_value_of, wide_less, accord_exact_wide, accord_exact_wide)

static bool decimal_less(const cli_decimal *sum, double x, double *out)
{
    cli_decimal rest = {0};
    accord_exact_wide near;
    bool good = cli_decimal_merge(&rest, sum) && cli_decimal_add_f64(&rest, x, true) &&
                cli_decimal_round(&rest, &near);
    if (good)
        *out = accord_exact_wide_f64(&near, ACCORD_EXACT_NEAREST_EVEN);
    cli_decimal_clear(&rest);
    return good;
}

static bool all_finite(const cli_result *r)
{
    return !r->count[ACCORD_EXACT_NANS] && !r->count[ACCORD_EXACT_PLUS_INFINITIES] &&
           !r->count[ACCORD_EXACT_MINUS_INFINITIES];
}

static void begin_result(cli_result *r, const cli_addition *how, const int64_t *count, double naive)
{
    *r = (cli_result){.format = how->format, .naive = how->naive, .naive_sum = naive};
    memcpy(r->count, count, sizeof r->count);
    r->error_known = how->naive && all_finite(r) && isfinite(naive);
}

/* `rest`: the sum less the value; `nearest`: the sum as an f64; `off`: the sum less the naive one.
 */
static void finish_result(cli_result *r, double rest, double nearest, double off)
{
    r->exact = !all_finite(r) || (isfinite(r->value) && rest == 0);
    if (!r->error_known)
        return;
    nearest = fmin(fabs(nearest), DBL_MAX);
    r->error = fabs(off);
    r->relative = r->error == 0 ? 0 : r->error / nearest;
    r->ulps =
        isfinite(r->value) ? r->error / cli_last_place(r->format, r->value) : (double)INFINITY;
}

static void plain_result(const accord_exact *sum, const cli_addition *how, cli_result *r)
{
    r->value = r->count[ACCORD_EXACT_TERMS] ? value_of(sum, how) : 0;
    finish_result(r, isfinite(r->value) ? less(sum, r->value) : 0,
                  accord_exact_f64(sum, ACCORD_EXACT_NEAREST_EVEN),
                  r->error_known ? less(sum, r->naive_sum) : 0);
}

void cli_wide_result(const accord_exact_wide *sum, const cli_addition *how, double naive,
                     cli_result *result)
{
    cli_result *r = result;
    begin_result(r, how, sum->count, naive);
    r->value = r->count[ACCORD_EXACT_TERMS] ? wide_value_of(sum, how) : 0;
    finish_result(r, isfinite(r->value) ? wide_less(sum, r->value) : 0,
                  accord_exact_wide_f64(sum, ACCORD_EXACT_NEAREST_EVEN),
                  r->error_known ? wide_less(sum, naive) : 0);
}

static bool decimal_result(cli_decimal *sum, const cli_addition *how, cli_result *r)
{
    accord_exact_wide near;
    accordi_buffer text = {0};
    double rest = 0, off = 0;
    if (!cli_decimal_round(sum, &near))
        return false;
    r->value = wide_value_of(&near, how);
    if (isfinite(r->value) && !decimal_less(sum, r->value, &rest))
        return false;
    if (r->error_known && !decimal_less(sum, r->naive_sum, &off))
        return false;
    cli_decimal_put(sum, &text);
    if (text.failed)
        return false;
    finish_result(r, rest, accord_exact_wide_f64(&near, ACCORD_EXACT_NEAREST_EVEN), off);
    r->decimal = text.data;
    return true;
}

bool cli_tally_result(cli_tally *tally, const cli_addition *how, cli_result *result)
{
    begin_result(result, how, tally->sum.count, tally->naive);
    result->count[ACCORD_EXACT_TERMS] += tally->decimals;
    if (how->decimal && all_finite(result))
        return decimal_result(&tally->decimal, how, result);
    plain_result(&tally->sum, how, result);
    return true;
}
