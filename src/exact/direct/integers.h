/* Short sums in integers, inlined once for each layout of numbers. Internal.
 *
 * Idea: a window of 128 bits instead of an accumulator, which takes longer to clear and to read
 * than a few terms to add; and most sums are settled by the bits near their greatest term. A first
 * pass finds the greatest exponent; a second adds the terms as integers, shifted so that the
 * greatest has bit WINDOW - 1 on top, and what is shifted out rounds down. If no bit can have been
 * shifted out, that is the sum S; if one can, the sum lies in [S, S + n], and unless these numbers
 * round differently it is settled just as well. Only where it is not, every term is asked whether
 * it lost bits. Bound: |term| < 2^117 and n <= 2^9 keep all sums below 2^126. */
#ifndef ACCORDI_EXACT_SHORT_INTEGERS_H
#define ACCORDI_EXACT_SHORT_INTEGERS_H

#include "exact/direct/round.h"

enum { WINDOW = 117 };

typedef struct source {
    layout l;
    bool product;
    size_t n;
    const char *x, *y;
    ptrdiff_t step_x, step_y; /* bytes */
} source;

/* A sum has no second array: y stays at the first term of x, as a null pointer may not be stepped,
 * not even by nothing. */
INLINE source source_of_sum(layout l, size_t n, const void *x, ptrdiff_t step)
{
    return (source){l, false, n, x, x, step, 0};
}

INLINE int field_of(layout l, uint64_t bits)
{
    return (int)(bits >> l.fraction) & ((1 << l.exponent) - 1);
}

INLINE int exponent_of(layout l, uint64_t bits)
{
    int field = field_of(l, bits);
    return field ? field : 1;
}

INLINE uint64_t significand_of(layout l, uint64_t bits)
{
    uint64_t hidden = (uint64_t)1 << l.fraction, m = bits & (hidden - 1);
    return field_of(l, bits) ? m | hidden : m;
}

INLINE bool sign_of(layout l, uint64_t bits)
{
    return bits >> (l.fraction + l.exponent) & 1;
}

/* Room below a term of the greatest exponent. */
INLINE int room_below(source s)
{
    return WINDOW - (s.l.fraction + 1) * (s.product ? 2 : 1);
}

typedef struct term {
    int128 value; /* |value| < 2^WINDOW */
    int exponent; /* biased, once or twice */
    bool negative;
} term;

INLINE term take(source s, const char *x, const char *y)
{
    uint64_t a = load(s.l, x), b = s.product ? load(s.l, y) : 0;
    bool negative = sign_of(s.l, a ^ b);
    int64_t sign = -(int64_t)negative;
    uint128 m = significand_of(s.l, a);
    if (!s.product) {
        int64_t m_signed = ((int64_t)m ^ sign) - sign;
        return (term){(int128)((uint128)m_signed << room_below(s)), exponent_of(s.l, a), negative};
    }
    m = (m * significand_of(s.l, b) ^ (uint128)(int128)sign) - (uint128)(int128)sign;
    return (term){(int128)(m << room_below(s)), exponent_of(s.l, a) + exponent_of(s.l, b),
                  negative};
}

/* Of the terms that are not zero; a zero among terms that are no products may count as the least.
 * greatest 0: there are none. */
typedef struct range {
    int greatest, least;
    bool finite;
} range;

INLINE range range_of(source s)
{
    range r = {0, INT32_MAX, true};
    int top = 0; /* of all fields */
    const char *x = s.x, *y = s.y;
    for (size_t i = 0; i < s.n; i++, x += s.step_x, y += s.step_y) {
        uint64_t a = load(s.l, x), b = s.product ? load(s.l, y) : 0;
        int e = field_of(s.l, a), f = field_of(s.l, b);
        top = e > top ? e : top;
        if (s.product) {
            top = f > top ? f : top;
            if (__builtin_expect(!e || !f, 0)) {
                if (!significand_of(s.l, a) || !significand_of(s.l, b))
                    continue;
                e = exponent_of(s.l, a);
                f = exponent_of(s.l, b);
            }
            e += f;
            r.greatest = e > r.greatest ? e : r.greatest;
        }
        r.least = e < r.least ? e : r.least;
    }
    if (!s.product)
        r.greatest = top > 0 ? top : 1;
    r.finite = top < (1 << s.l.exponent) - 1;
    return r;
}

/* By 0 … 127. Not v >> by, for which compilers take shrd, six steps on some processors. */
INLINE int128 shift_right(int128 v, int by)
{
    uint64_t low = (uint64_t)v;
    int64_t high = (int64_t)(v >> 64), moved = high >> (by & 63);
    uint64_t joined = low >> (by & 63) | (uint64_t)high << 1 << (~by & 63);
    bool far = by & 64;
    low = far ? (uint64_t)moved : joined;
    high = far ? high >> 63 : moved;
    return (int128)((uint128)(uint64_t)high << 64 | low);
}

INLINE int128 add_up(source s, int greatest)
{
    int128 sum = 0;
    const char *x = s.x, *y = s.y;
    for (size_t i = 0; i < s.n; i++, x += s.step_x, y += s.step_y) {
        term t = take(s, x, y);
        int down = greatest - t.exponent; /* less than 0 for a zero times something great */
        sum += shift_right(t.value, down < 127 ? down & 127 : 127);
    }
    return sum;
}

/* The rest is rare, and once for all layouts. */

/* No slack, and no zero. */
static __attribute__((noinline)) uint64_t round_exact(layout l, window w,
                                                      enum accord_exact_rounding rounding)
{
    uint128 size = w.least < 0 ? -(uint128)w.least : (uint128)w.least;
    accordi_lead lead = accordi_lead_of(w.least < 0, size, w.unit, false);
    return accordi_exact_round_lead(lead, l.format, rounding);
}

static int trailing_zeros(int128 v)
{
    uint64_t low = (uint64_t)v, high = (uint64_t)((uint128)v >> 64);
    return low ? __builtin_ctzll(low) : high ? 64 + __builtin_ctzll(high) : INT32_MAX;
}

static bool loses_nothing(source s, int greatest)
{
    const char *x = s.x, *y = s.y;
    for (size_t i = 0; i < s.n; i++, x += s.step_x, y += s.step_y) {
        term t = take(s, x, y);
        if (greatest - t.exponent > trailing_zeros(t.value))
            return false;
    }
    return true;
}

/* As accord/exact.h says of sums that are zero; terms that cancel have both signs. */
static bool zero_is_negative(source s, enum accord_exact_rounding rounding)
{
    bool plus = false, minus = false;
    const char *x = s.x, *y = s.y;
    for (size_t i = 0; i < s.n; i++, x += s.step_x, y += s.step_y) {
        term t = take(s, x, y);
        plus |= !t.negative;
        minus |= t.negative;
    }
    return plus && minus ? rounding == ACCORD_EXACT_DOWN : !plus;
}

static __attribute__((noinline)) bool settle(source s, window w, int greatest,
                                             enum accord_exact_rounding rounding, uint64_t *out)
{
    if (w.slack && !loses_nothing(s, greatest))
        return false;
    if (w.least)
        *out = round_exact(s.l, w, rounding);
    else
        *out = (uint64_t)zero_is_negative(s, rounding) << (s.l.fraction + s.l.exponent);
    return true;
}

INLINE bool by_integers(source s, enum accord_exact_rounding rounding, uint64_t *out)
{
    range r = range_of(s);
    if (!r.finite)
        return false;
    int room = room_below(s), zero = bias_of(s.l) + s.l.fraction;
    window w = {.least = add_up(s, r.greatest),
                .slack = r.greatest - r.least <= room ? 0 : s.n,
                .unit = r.greatest - room - (s.product ? 2 : 1) * zero};
    return round_window(s.l, w, rounding, out) || settle(s, w, r.greatest, rounding, out);
}

#endif
