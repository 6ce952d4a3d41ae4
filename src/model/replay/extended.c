/* Sums in x87's format: 64 bits of significand, and exponents that no double, and no product of
 * two, comes near the ends of. All is done with integers, so that every machine gives the same
 * bits.
 *
 * A finite value other than zero is (-1)^negative * significand * 2^exponent with the highest bit
 * of the significand set. Results are integers of up to 128 bits and a sticky bit for what lies
 * below them, rounded once to 64 bits, ties to even. Infinities and NaN are left to doubles. */
#include "model/replay/extended.h"
#include "format/wide.h"
#include "model/words.h"
#include <math.h>

typedef struct value {
    uint64_t significand; /* 0: `special` is the value, a zero, an infinity or NaN */
    int exponent;
    bool negative;
    double special;
} value;

static value special(double x)
{
    return (value){.negative = signbit(x) != 0, .special = x};
}

static value round_extended(bool negative, uint128 magnitude, int exponent, bool sticky)
{
    int cut = accordi_length(magnitude) - 64;
    if (cut <= 0) /* then nothing is sticky */
        return (value){(uint64_t)(magnitude << -cut), exponent + cut, negative, 0};
    uint64_t kept = (uint64_t)accordi_cut(ACCORD_NEAREST_EVEN, negative, magnitude, cut, sticky);
    if (kept == 0) /* all ones, and one more */
        return (value){(uint64_t)1 << 63, exponent + cut + 1, negative, 0};
    return (value){kept, exponent + cut, negative, 0};
}

static value from_double(double x)
{
    int exponent;
    if (x == 0 || !isfinite(x))
        return special(x);
    double fraction = frexp(fabs(x), &exponent);
    return round_extended(signbit(x) != 0, (uint128)ldexp(fraction, 53), exponent - 53, false);
}

/* A double of the same kind and sign, for what is settled by that alone. */
static double special_like(value a)
{
    return a.significand ? (a.negative ? -1 : 1) : a.special;
}

static value times(value a, value b)
{
    if (!a.significand || !b.significand)
        return special(special_like(a) * special_like(b));
    return round_extended(a.negative != b.negative, (uint128)a.significand * b.significand,
                          a.exponent + b.exponent, false);
}

/* The quotient has 64 or 65 bits, and what is left of the dividend is sticky. */
static value over(value a, value b)
{
    if (!a.significand || !b.significand)
        return special(special_like(a) / special_like(b));
    uint128 dividend = (uint128)a.significand << 64;
    uint128 quotient = dividend / b.significand;
    bool rest = dividend % b.significand != 0;
    return round_extended(a.negative != b.negative, quotient << 1 | rest,
                          a.exponent - b.exponent - 65, rest);
}

static value plus(value a, value b)
{
    if (!a.significand || !b.significand) {
        bool zeros = !a.significand && !b.significand;
        if (zeros || !isfinite(a.special) || !isfinite(b.special))
            return special(special_like(a) + special_like(b));
        return a.significand ? a : b;
    }
    if (a.exponent < b.exponent) {
        value held = a;
        a = b;
        b = held;
    }
    int apart = a.exponent - b.exponent;
    uint128 large = (uint128)a.significand << 62;
    uint128 small = (uint128)b.significand << 62, low = 0;
    if (apart > 0) {
        low = apart < 128 ? small & (((uint128)1 << apart) - 1) : small;
        small = apart < 128 ? small >> apart : 0;
    }
    bool sticky = low != 0;
    if (a.negative == b.negative)
        return round_extended(a.negative, large + small, a.exponent - 62, sticky);
    small += sticky; /* what is taken away is more by less than one, so what is left is less */
    if (large == small && !sticky)
        return special(0);
    return large >= small ? round_extended(a.negative, large - small, a.exponent - 62, sticky)
                          : round_extended(b.negative, small - large, a.exponent - 62, sticky);
}

/* The root of an integer of 127 or 128 bits has 64, and no tie. */
static value root(value a)
{
    if (!a.significand || a.negative)
        return special(sqrt(special_like(a)));
    bool odd = ((a.exponent - 63) & 1) != 0;
    uint128 square = (uint128)a.significand << (odd ? 64 : 63);
    int exponent = a.exponent - (odd ? 64 : 63);
    uint64_t least = accordi_root(square);
    uint128 rest = square - (uint128)least * least;
    return round_extended(false, (uint128)least << 2 | (rest > least ? 2 : 0) | (rest != 0),
                          exponent / 2 - 2, false);
}

static double to_output(const accord_arithmetic *a, value x)
{
    if (!x.significand)
        return accord_format_round(a->output, a->output_rounding, x.special);
    return accordi_round_wide(a->output, a->output_rounding, x.negative, x.significand, x.exponent,
                              false);
}

/* ---- models ---- */

const char *accordi_extended_wrong(const accord_model *model)
{
    const accord_arithmetic *a = model->arithmetic;
    const accord_tree *tree = model->tree;
    bool plain = a->alpha_at == ACCORD_ALPHA_ONE && a->beta == 0 && a->operand == ACCORD_F64 &&
                 !a->has_machine && !a->flush && !a->skips_zero && a->radicand == ACCORD_F64;
    for (size_t i = 0; i < a->operations; i++) {
        const accord_operation *op = &a->operation[i];
        plain = plain && op->format == ACCORD_F64 && op->product == ACCORD_F64 &&
                op->stored == ACCORD_F64 && op->fused == -1 && op->rounding == ACCORD_NEAREST_EVEN;
    }
    if (!plain)
        return "sums in x87's format are modeled in plain f64 only, and without alpha and beta";
    return tree->inner == 0 || tree->inner + 1 == tree->leaves
               ? NULL
               : "sums in x87's format add exactly two values at a time";
}

static value extended_term(const accord_arithmetic *a, const accord_rows *rows, size_t r, size_t i)
{
    double x = accord_format_round(a->input, ACCORD_NEAREST_EVEN,
                                   accordi_get_number(rows->x[r], rows->is_f32, i));
    double y = rows->y ? accordi_get_number(rows->y[r], rows->is_f32, i) : 1;
    y = accord_format_round(a->input, ACCORD_NEAREST_EVEN, y);
    value v = from_double(a->term == ACCORD_TERM_ABSOLUTE ? fabs(x) : x);
    return a->term == ACCORD_TERM_SQUARE    ? times(v, v)
           : a->term == ACCORD_TERM_PRODUCT ? times(v, from_double(y))
                                            : v;
}

static value finished(const accord_arithmetic *a, value sum)
{
    value zero = special(0), factor = from_double(a->factor);
    if (a->zero_last)
        sum = plus(sum, zero);
    if (accordi_multiplies(a->finish))
        sum = times(sum, factor);
    else if (accordi_divides(a->finish))
        sum = over(sum, factor);
    return accordi_takes_root(a->finish) ? root(sum) : sum;
}

/* `node`: one entry per node. */
static double replay_row(const accord_model *model, const accord_rows *rows, size_t r, value *node)
{
    const accord_tree *tree = model->tree;
    const accord_arithmetic *a = model->arithmetic;
    value zero = special(a->negative_zero ? -0.0 : 0.0);
    for (uint32_t i = 0; i < tree->leaves; i++)
        node[i] = extended_term(a, rows, r, i);
    for (uint32_t k = 0; k < tree->inner; k++) {
        const uint32_t *child = tree->child + tree->first[k];
        bool first = child[0] < tree->leaves && child[1] < tree->leaves;
        value one = first ? plus(node[child[0]], zero) : node[child[0]];
        node[tree->leaves + k] = plus(one, node[child[1]]);
    }
    value sum = node[tree->leaves + tree->inner - 1];
    return to_output(a, finished(a, tree->inner ? sum : plus(sum, zero)));
}

enum accord_status accordi_extended_replay(const accord_model *model, const accord_rows *rows,
                                           double *result, accord_error *error)
{
    size_t nodes = (size_t)model->tree->leaves + model->tree->inner;
    value *node = accordi_alloc(nodes, sizeof *node);
    if (!node)
        return accordi_nomem(error);
    for (size_t r = 0; r < rows->rows; r++)
        result[r] = replay_row(model, rows, r, node);
    free(node);
    return ACCORD_OK;
}
