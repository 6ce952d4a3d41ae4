/* Sums as exact decimals: the integer part by division, the fraction by multiplication with 10^9,
 * nine digits at a time, until nothing is left of either.
 *
 * Room: a wide sum is below 2^2266 with its carries, so it has at most 683 digits before the point
 * and, since its least bit is 2^-2148, 2148 digits behind it. */
#include "exact/routines/finish.h"

enum { WORDS = 72, BEFORE = 700, DIGITS = BEFORE + 2160, PLAIN_ZEROS = 40, GROUP = 1000000000 };

/* Digit i is that of 10^(BEFORE - 1 - i). */
typedef struct digits {
    char digit[DIGITS];
    int highest, lowest; /* places of the outermost digits that are not 0 */
} digits;

static void write_group(char *at, uint32_t group)
{
    for (int i = 8; i >= 0; i--, group /= 10)
        at[i] = (char)('0' + group % 10);
}

/* word[0 … count-1] /= 10^9; the remainder. */
static uint32_t divide(uint32_t *word, int count)
{
    uint64_t rest = 0;
    for (int i = count - 1; i >= 0; i--) {
        rest = rest << 32 | word[i];
        word[i] = (uint32_t)(rest / GROUP);
        rest %= GROUP;
    }
    return (uint32_t)rest;
}

/* word[0 … count-1] *= 10^9; what is carried out. */
static uint32_t multiply(uint32_t *word, int count)
{
    uint64_t carry = 0;
    for (int i = 0; i < count; i++) {
        carry += (uint64_t)word[i] * GROUP;
        word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return (uint32_t)carry;
}

static void list_digits(const accordi_exact_magnitude *m, int unit, digits *d)
{
    uint32_t word[WORDS];
    memset(d->digit, '0', DIGITS);
    int count = (m->highest + unit) / 32 + 1;
    for (int i = 0; i < count; i++)
        word[i] = accordi_exact_bits(m, 32 * i - unit);
    for (char *at = d->digit + BEFORE; count > 0; count -= !word[count - 1])
        write_group(at -= 9, divide(word, count));
    count = -(m->lowest + unit) > 0 ? (-(m->lowest + unit) - 1) / 32 + 1 : 0;
    for (int i = 0; i < count; i++)
        word[i] = accordi_exact_bits(m, -unit - 32 * (count - i));
    char *at = d->digit + BEFORE;
    for (int first = 0; first < count; first += first < count && !word[first], at += 9)
        write_group(at, multiply(word + first, count - first));
    const char *low = d->digit + DIGITS - 1, *high = d->digit;
    while (*low == '0')
        low--;
    while (*high == '0')
        high++;
    d->highest = BEFORE - 1 - (int)(high - d->digit);
    d->lowest = BEFORE - 1 - (int)(low - d->digit);
}

/* Text that may be longer than its room. */
typedef struct writer {
    char *text;
    size_t room, length;
} writer;

static void put(writer *w, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++, w->length++)
        if (w->length + 1 < w->room)
            w->text[w->length] = text[i];
}

static void put_digits(writer *w, const digits *d, int from, int to)
{
    if (from >= to)
        put(w, d->digit + (BEFORE - 1 - from), (size_t)(from - to + 1));
}

static void put_number(writer *w, const digits *d)
{
    if (d->lowest <= PLAIN_ZEROS && d->highest >= -PLAIN_ZEROS) {
        put_digits(w, d, d->highest > 0 ? d->highest : 0, 0);
        put(w, ".", d->lowest < 0);
        put_digits(w, d, -1, d->lowest);
        return;
    }
    put_digits(w, d, d->highest, d->highest);
    put(w, ".", d->highest > d->lowest);
    put_digits(w, d, d->highest - 1, d->lowest);
    char exponent[16];
    int length = snprintf(exponent, sizeof exponent, "e%+d", d->highest);
    put(w, exponent, (size_t)length);
}

static size_t decimal(accordi_exact_view sum, char *text, size_t room)
{
    accordi_exact_magnitude m;
    digits d;
    writer w = {text, room, 0};
    accordi_exact_number x =
        accordi_exact_judge(&accordi_exact_f64, sum, ACCORD_EXACT_NEAREST_EVEN, &m);
    put(&w, "-", x.negative && !x.nan);
    if (x.m) {
        list_digits(&m, sum.unit, &d);
        put_number(&w, &d);
    } else {
        const char *odd = x.nan ? "nan" : x.infinite ? "inf" : "0";
        put(&w, odd, strlen(odd));
    }
    if (room)
        text[w.length < room ? w.length : room - 1] = '\0';
    return w.length;
}

size_t accord_exact_decimal(const accord_exact *sum, char *text, size_t room)
{
    return decimal(accordi_exact_of(sum), text, room);
}

size_t accord_exact_wide_decimal(const accord_exact_wide *sum, char *text, size_t room)
{
    return decimal(accordi_exact_of_wide(sum), text, room);
}
