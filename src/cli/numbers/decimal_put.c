/* Decimal sums as text, and rounded.
 *
 * To round the sum S > 0, whatever the format and direction: let low be S cut off to an f64, by
 * strtod, and u its last place. Every number on which a rounding could turn is a multiple of u / 2
 * (those of narrower formats are multiples of u). So low, low + u/4, low + u/2 or low + 3u/4 rounds
 * like S where S is low, below, at or above low + u/2, which the sign of 2 S - 2 low - u tells. */
#include "cli/numbers/decimal.h"
#include "cli/numbers/numbers.h"
#include <fenv.h>

enum { DIGITS = CLI_DECIMAL_DIGITS, PLAIN_ZEROS = 40 };

static void negate_limbs(cli_decimal *sum)
{
    for (int i = 0; i < sum->limbs; i++)
        sum->limb[i] = -sum->limb[i];
    cli_decimal_sign(sum); /* carries */
}

/* The digits of a positive number, highest first. */
typedef struct digits {
    accordi_buffer text;
    int highest, lowest; /* places of the outermost digits that are not 0 */
} digits;

static char digit_at(const digits *d, int place)
{
    return place > d->highest || place < d->lowest ? '0' : d->text.data[d->highest - place];
}

static void list_digits(const cli_decimal *sum, digits *d)
{
    *d = (digits){.highest = DIGITS * (sum->low + sum->limbs) - 1 + DIGITS,
                  .lowest = DIGITS * sum->low};
    for (int i = sum->limbs - 1; i >= 0; i--) /* the highest may have more than nine */
        accordi_buffer_printf(&d->text, i == sum->limbs - 1 ? "%018lld" : "%09lld",
                              (long long)sum->limb[i]);
    if (d->text.failed)
        return;
    size_t zeros = strspn(d->text.data, "0");
    memmove(d->text.data, d->text.data + zeros, d->text.length - zeros + 1);
    d->text.length -= zeros;
    d->highest -= (int)zeros;
    for (; d->text.data[d->text.length - 1] == '0'; d->text.length--)
        d->lowest++;
}

static void put_digits(const digits *d, int from, int to, accordi_buffer *out)
{
    char *at = accordi_buffer_reserve(out, (size_t)(from - to + 1));
    for (int place = from; at && place >= to; place--) {
        *at++ = digit_at(d, place);
        out->length++;
    }
    accordi_buffer_puts(out, "");
}

static void put_positive(const digits *d, int decimals, accordi_buffer *out)
{
    int behind = d->lowest < 0 ? -d->lowest : 0;
    decimals = decimals > behind ? decimals : behind;
    if (d->lowest <= PLAIN_ZEROS && d->highest >= -PLAIN_ZEROS &&
        decimals - behind <= PLAIN_ZEROS) {
        put_digits(d, d->highest > 0 ? d->highest : 0, 0, out);
        accordi_buffer_puts(out, decimals ? "." : "");
        put_digits(d, -1, -decimals, out);
        return;
    }
    put_digits(d, d->highest, d->highest, out);
    accordi_buffer_puts(out, d->highest > d->lowest ? "." : "");
    put_digits(d, d->highest - 1, d->lowest, out);
    accordi_buffer_printf(out, "e%+d", d->highest);
}

static void put_zero(int decimals, accordi_buffer *out)
{
    const digits none = {.highest = -1};
    accordi_buffer_puts(out, decimals && decimals <= PLAIN_ZEROS ? "0." : "0");
    put_digits(&none, -1, decimals <= PLAIN_ZEROS ? -decimals : 0, out);
}

void cli_decimal_put(cli_decimal *sum, accordi_buffer *out)
{
    int sign = cli_decimal_sign(sum);
    if (sign == 0) {
        put_zero(sum->decimals, out);
        return;
    }
    if (sign < 0) {
        accordi_buffer_puts(out, "-");
        negate_limbs(sum);
    }
    digits d;
    list_digits(sum, &d);
    if (d.text.failed)
        out->failed = true;
    else
        put_positive(&d, sum->decimals, out);
    accordi_buffer_clear(&d.text);
    if (sign < 0)
        negate_limbs(sum);
}

/* ---- rounding ---- */

static double toward_zero(const char *text)
{
    int mode = fegetround();
    fesetround(FE_TOWARDZERO);
    double x = strtod(text, NULL);
    fesetround(mode);
    return x;
}

/* How many quarters of u beyond low stand for the sum, which is positive: 0 … 3; -1: no memory. */
static int quarters(const cli_decimal *sum, double low, double u)
{
    cli_decimal rest = {0};
    bool good = cli_decimal_merge(&rest, sum) && cli_decimal_add_f64(&rest, low, true);
    int above = cli_decimal_sign(&rest);
    good = good && cli_decimal_merge(&rest, sum) && cli_decimal_add_f64(&rest, low, true) &&
           cli_decimal_add_f64(&rest, u, true);
    int side = cli_decimal_sign(&rest);
    cli_decimal_clear(&rest);
    return !good ? -1 : above == 0 ? 0 : 2 + side;
}

bool cli_decimal_round(cli_decimal *sum, accord_exact_wide *out)
{
    accordi_buffer text = {0};
    int sign = cli_decimal_sign(sum);
    accord_exact_wide_init(out);
    if (sign == 0) {
        accord_exact_wide_add_f64(out, 0);
        return true;
    }
    if (sign < 0)
        negate_limbs(sum);
    cli_decimal_put(sum, &text);
    double low = text.failed ? 0 : toward_zero(text.data), u = cli_last_place(ACCORD_F64, low);
    int more = text.failed ? -1 : quarters(sum, low, u);
    accord_exact_wide_add_f64(out, sign * low);
    accord_exact_wide_add_product_f64(out, sign * u, 0.25 * more);
    if (sign < 0)
        negate_limbs(sum);
    accordi_buffer_clear(&text);
    return more >= 0;
}
