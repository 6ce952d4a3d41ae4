/* From written numbers to f64.
 *
 * Nearly all numbers in files have at most 19 digits and a small exponent: w * 10^e with w < 2^64
 * and |e| <= 27, where 5^|e| has 63 bits. The product w * 5^e is an integer of 127 bits, and the
 * quotient w / 5^-e comes from one division of 127 bits by 64 with its remainder: both are rounded
 * once, from all their bits, with integers alone. Their sizes are far from the subnormals and from
 * overflow. Everything else is strtod's. */
#include "cli/numbers/written.h"
#include <fenv.h>
#include <math.h>
#include <strings.h>

enum { MOST_DIGITS = 19, MOST_EXPONENT = 27 };

typedef struct decimal {
    uint64_t digits;
    int exponent;
    bool negative;
} decimal;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *skip_zeros(const char *at, const char *end)
{
    while (at < end && *at == '0')
        at++;
    return at;
}

/* Digits up to the first that is none, or up to the twentieth. */
static const char *take_digits(const char *at, const char *end, int *count, uint64_t *value)
{
    while (at < end && is_digit(*at) && *count < MOST_DIGITS) {
        *value = 10 * *value + (uint64_t)(*at++ - '0');
        ++*count;
    }
    return at;
}

bool cli_written_exponent(const char *at, const char *end, int64_t most, int64_t *out)
{
    bool negative = at < end && *at == '-';
    const char *start = at += at < end && (*at == '-' || *at == '+');
    int64_t value = 0;
    for (; at < end && is_digit(*at); at++)
        value = value < most ? 10 * value + (*at - '0') : value;
    *out = negative ? -value : value;
    return at == end && at > start;
}

/* False also for numbers that are merely long. */
static bool read_decimal(const char *at, const char *end, decimal *out)
{
    out->negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    int count = 0;
    uint64_t value = 0;
    const char *start = at;
    at = take_digits(skip_zeros(at, end), end, &count, &value);
    bool any = at > start;
    out->exponent = 0;
    if (at < end && *at == '.') {
        start = ++at;
        if (count == 0)
            at = skip_zeros(at, end);
        at = take_digits(at, end, &count, &value);
        any = any || at > start;
        if (at - start > 1000)
            return false;
        out->exponent = -(int)(at - start);
    }
    out->digits = value;
    int64_t exponent = 0;
    if (at < end && any && (*at == 'e' || *at == 'E')) {
        any = cli_written_exponent(at + 1, end, 1000, &exponent);
        at = end;
    }
    out->exponent += (int)exponent;
    return any && at == end;
}

static const uint64_t powers_of_5[] = {1,
                                       5,
                                       25,
                                       125,
                                       625,
                                       3125,
                                       15625,
                                       78125,
                                       390625,
                                       1953125,
                                       9765625,
                                       48828125,
                                       244140625,
                                       1220703125,
                                       6103515625,
                                       30517578125,
                                       152587890625,
                                       762939453125,
                                       3814697265625,
                                       19073486328125,
                                       95367431640625,
                                       476837158203125,
                                       2384185791015625,
                                       11920928955078125,
                                       59604644775390625,
                                       298023223876953125,
                                       1490116119384765625,
                                       7450580596923828125};

/* (top + trace) * 2^exponent, 0 <= trace < 1, rounded once; the highest bit of top is set. */
static double assemble(uint64_t top, bool trace, int exponent, bool negative)
{
    uint64_t kept = top >> 11, rest = top & 0x7ff, half = 0x400;
    kept += rest > half || (rest == half && (trace || (kept & 1)));
    /* kept has its 53rd bit, or is 2^53: either way the addition makes the right exponent */
    uint64_t bits = ((uint64_t)(exponent + 63 + 1022) << 52) + kept;
    bits |= (uint64_t)negative << 63;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double from_decimal(const decimal *d)
{
    if (d->digits == 0)
        return d->negative ? -0.0 : 0.0;
    if (d->exponent >= 0) {
        uint128 product = (uint128)d->digits * powers_of_5[d->exponent];
        uint64_t high = (uint64_t)(product >> 64);
        int zeros = high ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)product);
        product <<= zeros;
        return assemble((uint64_t)(product >> 64), (uint64_t)product != 0, d->exponent + 64 - zeros,
                        d->negative);
    }
    uint64_t divisor = powers_of_5[-d->exponent];
    int zeros = __builtin_clzll(d->digits), less = __builtin_clzll(divisor);
    divisor <<= less;
    uint128 dividend = (uint128)(d->digits << zeros) << 63;
    uint64_t quotient = (uint64_t)(dividend / divisor); /* 63 or 64 bits */
    bool trace = dividend % divisor != 0;
    int shift = __builtin_clzll(quotient);
    return assemble(quotient << shift, trace, d->exponent + less - zeros - 63 - shift, d->negative);
}

/* Truncated, with the last bit set if something was cut off. */
static double to_odd_of(const char *text, double nearest)
{
    if (!isfinite(nearest))
        return nearest;
    int mode = fegetround();
    fesetround(FE_DOWNWARD);
    double low = strtod(text, NULL);
    fesetround(FE_UPWARD);
    double high = strtod(text, NULL);
    fesetround(mode);
    if (low == high)
        return nearest;
    uint64_t bits;
    double inner = signbit(nearest) ? high : low; /* the one nearer to zero */
    memcpy(&bits, &inner, sizeof bits);
    bits |= 1;
    memcpy(&inner, &bits, sizeof inner);
    return inner;
}

bool cli_written_special(const char *at, size_t length, double *x)
{
    static const struct {
        const char *name;
        size_t length;
        double value;
    } specials[] = {
        {"nan", 3, (double)NAN}, {"inf", 3, (double)INFINITY}, {"infinity", 8, (double)INFINITY}};
    bool negative = length && *at == '-';
    size_t skip = length && (*at == '-' || *at == '+');
    for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++)
        if (length - skip == specials[i].length &&
            strncasecmp(at + skip, specials[i].name, length - skip) == 0) {
            *x = negative ? -specials[i].value : specials[i].value;
            return true;
        }
    return false;
}

static enum cli_written_as by_strtod(char *at, size_t length, bool to_odd, double *x)
{
    size_t sign = length && (*at == '-' || *at == '+');
    if (length == sign || !(is_digit(at[sign]) || at[sign] == '.'))
        return cli_written_special(at, length, x) ? CLI_WRITTEN_NUMBER : CLI_WRITTEN_NONE;
    char behind = at[length], *past;
    at[length] = '\0';
    double value = strtod(at, &past);
    bool all = past == at + length;
    if (all && to_odd)
        value = to_odd_of(at, value);
    at[length] = behind;
    if (!all)
        return CLI_WRITTEN_NONE;
    *x = value;
    return isfinite(value) ? CLI_WRITTEN_NUMBER : CLI_WRITTEN_BEYOND;
}

enum cli_written_as cli_written(char *at, size_t length, bool to_odd, double *x)
{
    decimal d;
    if (to_odd || !read_decimal(at, at + length, &d) ||
        (d.digits && (d.exponent < -MOST_EXPONENT || d.exponent > MOST_EXPONENT)))
        return by_strtod(at, length, to_odd, x);
    *x = from_decimal(&d);
    return CLI_WRITTEN_NUMBER;
}
