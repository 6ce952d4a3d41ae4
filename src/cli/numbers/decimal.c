/* Exact sums of decimal numbers.
 *
 * They are added in limbs of nine digits, each in 64 bits with its sign, so that 2^30 terms may
 * be added before carries. Between carries limbs are of either sign; after them all but the highest
 * are 0 … 10^9 - 1, and that one bears the sign. */
#include "cli/numbers/decimal.h"
#include "cli/numbers/written.h"
#include <math.h>

enum { DIGITS = CLI_DECIMAL_DIGITS, BASE = 1000000000, PENDING = 1 << 30 };

/* ---- limbs ---- */

static int floor_div(int a, int b)
{
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

/* Room for limbs low … high, and one for carries above them. */
static bool reserve_limbs(cli_decimal *sum, int low, int high)
{
    high++;
    if (sum->limbs && low >= sum->low && high < sum->low + sum->limbs)
        return true;
    if (sum->limbs) {
        low = low < sum->low ? low : sum->low;
        high = high > sum->low + sum->limbs - 1 ? high : sum->low + sum->limbs - 1;
    }
    int64_t *limb = accordi_calloc((size_t)(high - low + 1), sizeof *limb);
    if (!limb)
        return false;
    if (sum->limbs)
        memcpy(limb + (sum->low - low), sum->limb, (size_t)sum->limbs * sizeof *limb);
    free(sum->limb);
    sum->limb = limb;
    sum->low = low;
    sum->limbs = high - low + 1;
    return true;
}

static void carry(cli_decimal *sum)
{
    int64_t over = 0;
    for (int i = 0; i < sum->limbs; i++) {
        int64_t value = sum->limb[i] + over;
        over = 0;
        if (i + 1 < sum->limbs) {
            over = value >= 0 ? value / BASE : -((-value + BASE - 1) / BASE);
            value -= over * BASE;
        }
        sum->limb[i] = value;
    }
    sum->pending = 0;
}

static void count_addition(cli_decimal *sum, int additions)
{
    if (sum->pending > PENDING - additions)
        carry(sum);
    sum->pending += additions;
}

void cli_decimal_clear(cli_decimal *sum)
{
    free(sum->limb);
    *sum = (cli_decimal){0};
}

/* ---- terms ---- */

/* Digits without the zeros on either side; the last one counts units of 10^exponent. A point may
 * stand among them. */
typedef struct written {
    const char *first, *past;
    int64_t exponent, decimals;
    bool negative;
} written;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool take_apart(const char *at, size_t length, written *w)
{
    const int64_t longest = (int64_t)1 << 40; /* more than any memory has digits */
    const char *end = at + length, *point = NULL;
    *w = (written){.negative = length && *at == '-'};
    at += length && (*at == '-' || *at == '+');
    w->first = at;
    for (; at < end && (is_digit(*at) || (*at == '.' && !point)); at++)
        point = *at == '.' ? at : point;
    w->past = at;
    if (at - w->first == (point != NULL))
        return false;
    if (at < end &&
        ((*at != 'e' && *at != 'E') || !cli_written_exponent(at + 1, end, longest, &w->exponent)))
        return false;
    w->exponent -= point ? w->past - point - 1 : 0;
    w->decimals = w->exponent < 0 ? -w->exponent : 0;
    for (; w->first < w->past && (*w->first == '0' || *w->first == '.'); w->first++) {
    }
    for (; w->past > w->first && (w->past[-1] == '0' || w->past[-1] == '.'); w->past--)
        w->exponent += w->past[-1] == '0';
    return true;
}

static bool add_digits(cli_decimal *sum, const written *w, int lowest, int highest, bool negative)
{
    static const int64_t powers[DIGITS] = {1,      10,      100,      1000,     10000,
                                           100000, 1000000, 10000000, 100000000};
    int at = floor_div(lowest, DIGITS), place = lowest - DIGITS * at;
    if (!reserve_limbs(sum, at, floor_div(highest, DIGITS)))
        return false;
    count_addition(sum, 1);
    int64_t *limb = sum->limb + (at - sum->low), value = 0;
    for (const char *c = w->past; c > w->first;) {
        if (*--c == '.')
            continue;
        value += (*c - '0') * powers[place];
        if (++place == DIGITS || c == w->first) {
            *limb++ += negative ? -value : value;
            value = place = 0;
        }
    }
    return true;
}

enum cli_decimal_added cli_decimal_add(cli_decimal *sum, const char *at, size_t length, bool negate)
{
    written w;
    if (!take_apart(at, length, &w))
        return CLI_DECIMAL_NONE;
    if (w.first < w.past) {
        int64_t digits = w.past - w.first;
        digits -= memchr(w.first, '.', (size_t)digits) != NULL;
        int64_t highest = w.exponent + digits - 1;
        if (highest >= CLI_DECIMAL_MOST || w.exponent < -CLI_DECIMAL_MOST)
            return CLI_DECIMAL_BEYOND;
        if (!add_digits(sum, &w, (int)w.exponent, (int)highest, w.negative != negate))
            return CLI_DECIMAL_NOMEM;
    }
    if (w.decimals > sum->decimals)
        sum->decimals = w.decimals < CLI_DECIMAL_MOST ? (int)w.decimals : CLI_DECIMAL_MOST;
    return CLI_DECIMAL_ADDED;
}

/* As many significant digits as the decimal of x has, or some more; at most 767. x is m 2^e with an
 * odd m < 2^bits: for e < 0 its digits are those of m 5^-e. */
static int digits_of(double x)
{
    int e, bits = 53;
    int64_t m = (int64_t)fabs(ldexp(frexp(x, &e), bits));
    if (!m)
        return 1;
    const int zeros = __builtin_ctzll((uint64_t)m);
    e += zeros - bits;
    bits -= zeros;
    /* 0.30103 and 0.69898 are a little more than the logarithms of 2 and 5 */
    return (e < 0 ? bits * 30103 - e * 69898 : (bits + e) * 30103) / 100000 + 1;
}

bool cli_decimal_add_f64(cli_decimal *sum, double x, bool negate)
{
    char text[800];
    int length = snprintf(text, sizeof text, "%.*e", digits_of(x) - 1, x), decimals = sum->decimals;
    bool good = cli_decimal_add(sum, text, (size_t)length, negate) == CLI_DECIMAL_ADDED;
    sum->decimals = decimals;
    return good;
}

bool cli_decimal_merge(cli_decimal *sum, const cli_decimal *other)
{
    if (other->limbs && !reserve_limbs(sum, other->low, other->low + other->limbs - 1))
        return false;
    count_addition(sum, other->pending + 1);
    for (int i = 0, shift = other->low - sum->low; i < other->limbs; i++)
        sum->limb[i + shift] += other->limb[i];
    if (other->decimals > sum->decimals)
        sum->decimals = other->decimals;
    return true;
}

/* ---- the sum ---- */

int cli_decimal_sign(cli_decimal *sum)
{
    carry(sum);
    for (int i = sum->limbs - 1; i >= 0; i--)
        if (sum->limb[i])
            return sum->limb[i] < 0 ? -1 : 1;
    return 0;
}
