/* The shortest decimal that reads back in a format.
 *
 * For a number of digits the decimal nearest to |x| is tried, and then the next one above it:
 * where |x| is a power of two, what rounds to it reaches twice as far above it as below, so that
 * the nearest decimal may fail on the lower side while the next one holds on the upper. Everywhere
 * else the nearest decimal holds if any does. With more digits one of both holds, too, so that the
 * number of digits is found by bisection. Reading back is one rounding from the decimal to the
 * format: to_odd keeps f64, which lies between, from being a second one. */
#include "cli/numbers/numbers.h"
#include "cli/numbers/written.h"
#include <math.h>

enum { MOST = 17, PLAIN = 15 };

/* digit[0].digit[1]… * 10^exponent */
typedef struct decimal {
    char digit[MOST + 1];
    int digits, exponent;
} decimal;

static decimal nearest(double x, int digits)
{
    char text[MOST + 16];
    decimal d = {.digits = digits};
    snprintf(text, sizeof text, "%.*e", digits - 1, x);
    d.digit[0] = text[0];
    memcpy(d.digit + 1, text + 2, (size_t)digits - 1);
    d.exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
    return d;
}

/* One more in the last digit. */
static void step_up(decimal *d)
{
    int i = d->digits - 1;
    for (; i >= 0 && d->digit[i] == '9'; i--)
        d->digit[i] = '0';
    if (i >= 0) {
        d->digit[i]++;
    } else { /* 99 to 100 */
        d->digit[0] = '1';
        d->exponent++;
    }
}

static bool reads_back(const decimal *d, enum accord_format format, double x)
{
    char text[MOST + 16];
    double read;
    int length = snprintf(text, sizeof text, "%se%d", d->digit, d->exponent - d->digits + 1);
    return cli_written(text, (size_t)length, format != ACCORD_F64, &read) == CLI_WRITTEN_NUMBER &&
           accord_format_round(format, ACCORD_NEAREST_EVEN, read) == x;
}

static decimal shortest(enum accord_format format, double x)
{
    decimal best = nearest(x, MOST);
    for (int least = 1, most = MOST; least < most;) {
        int digits = (least + most) / 2;
        decimal d = nearest(x, digits);
        bool found = reads_back(&d, format, x);
        if (!found) {
            step_up(&d);
            found = reads_back(&d, format, x);
        }
        if (found) {
            best = d;
            most = digits;
        } else {
            least = digits + 1;
        }
    }
    return best;
}

/* 0.00012, 12.5, 1200: where few zeros fill the gap to the point. */
static void put_positional(accordi_buffer *out, const decimal *d)
{
    accordi_buffer_puts(out, d->exponent < 0 ? "0." : "");
    for (int i = -1; i > d->exponent; i--)
        accordi_buffer_puts(out, "0");
    int whole = d->exponent < 0 ? 0 : d->exponent + 1;
    for (int i = 0; i < d->digits || i < whole; i++)
        accordi_buffer_printf(out, i == whole && whole ? ".%c" : "%c",
                              i < d->digits ? d->digit[i] : '0');
}

void cli_put_number(accordi_buffer *out, enum accord_format format, double x)
{
    if (isnan(x)) {
        accordi_buffer_puts(out, "nan");
        return;
    }
    accordi_buffer_puts(out, signbit(x) ? "-" : "");
    if (x == 0 || isinf(x)) {
        accordi_buffer_puts(out, x == 0 ? "0" : "inf");
        return;
    }
    decimal d = shortest(format, fabs(x));
    if (d.exponent >= -4 && (d.exponent < d.digits || d.exponent < PLAIN))
        put_positional(out, &d);
    else
        accordi_buffer_printf(out, "%c%s%se%+03d", d.digit[0], d.digit[1] ? "." : "", d.digit + 1,
                              d.exponent);
}

double cli_last_place(enum accord_format format, double x)
{
    const accord_format_info *row = accord_format_get(format);
    int exponent = x == 0 ? row->min_exponent : ilogb(x);
    return ldexp(1, (exponent < row->min_exponent ? row->min_exponent : exponent) -
                        (row->precision - 1));
}
