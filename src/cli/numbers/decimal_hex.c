/* Hexadecimal numbers in sums of decimals. Every bit of them counts, as every digit of a decimal
 * does: they are added in pieces that an f64 holds. */
#include "cli/numbers/decimal.h"
#include "cli/numbers/written.h"
#include <limits.h>
#include <math.h>

enum { PIECE = 13 }; /* hexadecimal digits, 52 bits */

static int digit_of(char c)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)((at - digits) % 16) : -1;
}

/* What follows the digits: nothing, or p and an exponent of two. */
static bool read_power(const char *at, const char *end, int *power)
{
    const int64_t most = 1 << 24; /* far beyond every f64 */
    int64_t value = 0;
    bool good = at == end ||
                ((*at == 'p' || *at == 'P') && cli_written_exponent(at + 1, end, most, &value));
    *power = (int)value;
    return good;
}

/* piece * 2^power */
static enum cli_decimal_added add_piece(cli_decimal *sum, uint64_t piece, int power, bool negate)
{
    double x = ldexp((double)piece, power);
    if (!isfinite(x) || ldexp(x, -power) != (double)piece)
        return CLI_DECIMAL_BEYOND_F64;
    return cli_decimal_add_f64(sum, x, negate) ? CLI_DECIMAL_ADDED : CLI_DECIMAL_NOMEM;
}

/* The digits from the first that is not 0 on; `power`: of the last of them. */
static enum cli_decimal_added add_pieces(cli_decimal *sum, const char *first, const char *past,
                                         int power, bool negate)
{
    uint64_t piece = 0;
    int held = 0;
    int64_t left = 0;
    for (const char *c = first; c < past; c++)
        left += *c != '.';
    for (const char *c = first; c < past; c++) {
        if (*c == '.')
            continue;
        piece = 16 * piece + (uint64_t)digit_of(*c);
        left--;
        if (++held < PIECE && left)
            continue;
        enum cli_decimal_added added =
            piece ? add_piece(sum, piece, power + 4 * (int)left, negate) : CLI_DECIMAL_ADDED;
        if (added != CLI_DECIMAL_ADDED)
            return added;
        piece = 0;
        held = 0;
    }
    return CLI_DECIMAL_ADDED;
}

enum cli_decimal_added cli_decimal_add_hex(cli_decimal *sum, const char *at, size_t length)
{
    const char *end = at + length, *point = NULL;
    bool negative = length && *at == '-';
    at += length && (*at == '-' || *at == '+');
    if (end - at < 3 || at[0] != '0' || (at[1] != 'x' && at[1] != 'X'))
        return CLI_DECIMAL_NONE;
    const char *first = at += 2, *past;
    for (; at < end && (digit_of(*at) >= 0 || (*at == '.' && !point)); at++)
        point = *at == '.' ? at : point;
    past = at;
    int power = 0;
    if (past - first == (point != NULL) || !read_power(at, end, &power))
        return CLI_DECIMAL_NONE;
    if (past - first > INT_MAX / 64)
        return CLI_DECIMAL_BEYOND_F64;
    for (; first < past && (*first == '0' || *first == '.'); first++) {
    }
    power -= point ? 4 * (int)(past - point - 1) : 0;
    for (; past > first && (past[-1] == '0' || past[-1] == '.'); past--)
        power += past[-1] == '0' ? 4 : 0;
    return add_pieces(sum, first, past, power, negative);
}
