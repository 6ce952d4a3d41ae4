/* Numbers as text in hexadecimal: reports of programs with many outputs consist of them, and printf
 * takes thousands of instructions for one. */
#include "bound/runtime/hexadecimal.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static char *put_text(char *to, const char *text)
{
    size_t n = strlen(text);
    memcpy(to, text, n);
    return to + n;
}

static char *put_exponent(char *to, int exponent)
{
    int size = abs(exponent);
    *to++ = 'p';
    *to++ = exponent < 0 ? '-' : '+';
    for (int unit = 1000; unit > 0; unit /= 10)
        if (size >= unit || unit == 1)
            *to++ = (char)('0' + size / unit % 10);
    return to;
}

char *accordi_put_hexadecimal(char *to, double x)
{
    static const char digits[] = "0123456789abcdef";
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (bits >> 63)
        *to++ = '-';
    if (!isfinite(x))
        return put_text(to, isnan(x) ? "nan" : "inf");
    int exponent = (int)(bits >> 52 & 0x7ff);
    uint64_t rest = bits << 12; /* the next digit stands highest */
    to = put_text(to, exponent ? "0x1" : "0x0");
    if (rest)
        *to++ = '.';
    int scale = exponent ? exponent - 1023 : rest ? -1022 : 0;
    for (; rest; rest <<= 4)
        *to++ = digits[rest >> 60];
    return put_exponent(to, scale);
}
