/* Constants in C text: their value, their type, and whether they are exact.
 *
 * In: text that begins with a digit or a point. Out: the nearest f64 and f32, an interval that
 * holds the number itself, and what C makes of it (an integer, or a float). */
#include "bound/bound.h"
#include <ctype.h>
#include <math.h>

static bool is_hexadecimal(const char *at)
{
    return at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
}

/* Is the constant exactly x? With k digits after the point it is a multiple of 10^-k, and a binary
 * number only if it is one of 2^-k. "No" may be wrong. */
static bool is_exact(const char *at, const char *end, double x)
{
    const char *point = memchr(at, '.', (size_t)(end - at)), *e = strpbrk(at, "eE");
    if (is_hexadecimal(at))
        return end - at <= 15;
    e = e && e < end ? e : end;
    long k = (point ? e - point - 1 : 0) - (e < end ? strtol(e + 1, NULL, 10) : 0);
    if (k <= 0)
        return fabs(x) <= 0x1p53;
    double multiple = k < 60 ? ldexp(x, (int)k) : 0.5;
    return multiple == floor(multiple) && pow(10, (double)-k) > fabs(x) * 0x1p-52;
}

/* Past the digits of an integer; what follows may make it another number. */
static const char *past_digits(const char *at)
{
    bool hexadecimal = is_hexadecimal(at);
    at += hexadecimal ? 2 : 0;
    while (hexadecimal ? isxdigit((unsigned char)*at) : isdigit((unsigned char)*at))
        at++;
    return at;
}

const char *accordi_bound_constant(const char *at, accordi_constant *out)
{
    char *end;
    double x = strtod(at, &end);
    if (end == at)
        return "this is not a number";
    bool exact = is_exact(at, end, x), integer = past_digits(at) == end;
    if (integer && !is_hexadecimal(at) && at[0] == '0' && isdigit((unsigned char)at[1]))
        return "an integer that begins with 0 is octal in C; leave out the 0";
    if (!integer && *end && strchr("lL", *end))
        return "bounds have no format long double; leave out the suffix";
    bool single = !integer && *end && strchr("fF", *end);
    *out = (accordi_constant){.x = x,
                              .narrow = (double)strtof(at, NULL),
                              .low = exact ? x : nextafter(x, -INFINITY),
                              .high = exact ? x : nextafter(x, INFINITY),
                              .integer = integer,
                              .single = single,
                              .end = end + (integer ? strspn(end, "uUlL") : single)};
    return NULL;
}
