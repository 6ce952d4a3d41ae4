/* Numbers and intervals as they are written on the command line. */
#include "cli/bounds/intervals.h"
#include "cli/numbers/written.h"
#include <math.h>
#include <string.h>

/* A number, for a point rounded to nearest, else outward; text[length] must be there. False: it is
 * none. What an f64 cannot hold is cut off to odd, which tells on which side it lies. */
static bool read_end(enum accord_format format, char *text, size_t length, int side, double *x)
{
    double nearest = 0, odd = 0;
    if (cli_written(text, length, false, &nearest) == CLI_WRITTEN_NONE || isnan(nearest) ||
        cli_written(text, length, true, &odd) == CLI_WRITTEN_NONE)
        return false;
    uint64_t bits;
    memcpy(&bits, &odd, sizeof bits);
    *x = format == ACCORD_F64 ? nearest : odd;
    if (format != ACCORD_F64 || side == 0 || !(bits & 1) || isinf(nearest))
        return true;
    double step = nextafter(odd, side < 0 ? -INFINITY : INFINITY);
    *x = nearest == odd ? step : side < 0 ? fmin(nearest, odd) : fmax(nearest, odd);
    return true;
}

static void trim(char **at, size_t *length)
{
    while (*length && strchr(" \t", **at)) {
        ++*at;
        --*length;
    }
    while (*length && strchr(" \t", (*at)[*length - 1]))
        --*length;
}

bool cli_read_interval(enum accord_format format, char *text, double *low_end, double *high_end)
{
    size_t length = strlen(text);
    char *comma = strchr(text, ',');
    if (text[0] != '[')
        return read_end(format, text, length, 0, low_end) && (*high_end = *low_end, true);
    if (!comma || length < 2 || text[length - 1] != ']')
        return false;
    char *low = text + 1, *high = comma + 1;
    size_t low_length = (size_t)(comma - low), high_length = (size_t)(text + length - 1 - high);
    trim(&low, &low_length);
    trim(&high, &high_length);
    bool point = low_length == high_length && memcmp(low, high, low_length) == 0;
    return read_end(format, low, low_length, point ? 0 : -1, low_end) &&
           read_end(format, high, high_length, point ? 0 : 1, high_end);
}
