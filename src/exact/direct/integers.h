/* Sums of a few terms in one integer of 128 bits, inlined once for each layout of numbers.
 * Internal.
 *
 * Idea: most sums are settled by the bits near their greatest term, and a window of 128 bits is
 * faster than blocks (pieces.h), which have to be cleared. A first pass finds the greatest
 * exponent; a second adds the terms as integers, shifted so that the greatest has bit WINDOW - 1 on
 * top, and what is shifted out rounds down. If no bit can have been shifted out, that is the sum S;
 * if one can, the sum lies in [S, S + n]. Terms that may cancel are left to blocks, unless no bit
 * is lost. Bound: |term| < 2^117 and n <= 2^9 keep all sums below 2^126. */
#ifndef ACCORDI_EXACT_DIRECT_INTEGERS_H
#define ACCORDI_EXACT_DIRECT_INTEGERS_H

#include "exact/direct/pieces.h"

enum { WINDOW = 117 };

/* Room below a term of the greatest exponent. */
INLINE int room_below(source s)
{
    return WINDOW - (s.l.fraction + 1) * (s.product ? 2 : 1);
}

/* Of the terms that are not zero; a zero among terms that are no products may count as the least.
 * greatest 0: there are none. */
typedef struct range {
    int greatest, second, least;
    bool finite;
} range;

INLINE range range_of(source s)
{
    range r = {0, 0, INT32_MAX, true};
    const int infinite = (1 << s.l.exponent) - 1;
    const char *x = s.x, *y = s.y;
    for (size_t i = 0; i < s.n; i++, x += s.step_x, y += s.step_y) {
        uint64_t a = load(s.l, x), b = s.product ? load(s.l, y) : 0;
        int e = field_of(s.l, a), f = field_of(s.l, b);
        r.finite = r.finite && e != infinite && f != infinite;
        if (s.product && __builtin_expect(!e || !f, 0)) {
            if (!significand_of(s.l, a) || !significand_of(s.l, b))
                continue;
            e = e ? e : 1;
            f = f ? f : 1;
        }
        e += f;
        int lesser = e < r.greatest ? e : r.greatest;
        r.second = lesser > r.second ? lesser : r.second;
        r.greatest = e > r.greatest ? e : r.greatest;
        r.least = e < r.least ? e : r.least;
    }
    if (!s.product && !r.greatest)
        r.greatest = 1;
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
        uint64_t a = load(s.l, x), b = s.product ? load(s.l, y) : 0;
        int e = field_of(s.l, a), f = field_of(s.l, b);
        uint128 m = (uint128)significand_of(s.l, a) * (s.product ? significand_of(s.l, b) : 1);
        uint128 sign = -(uint128)sign_of(s.l, a ^ b);
        m = (m ^ sign) - sign;
        int down = greatest - (e ? e : 1) - (s.product ? f ? f : 1 : 0);
        down = down < 127 ? down & 127 : 127; /* & for a zero times something great */
        sum += shift_right((int128)(m << room_below(s)), down);
    }
    return sum;
}

/* False where the sum is not settled so. */
INLINE bool by_integers(source s, enum accord_exact_rounding rounding, uint64_t *out)
{
    range r = range_of(s);
    bool whole = r.greatest - r.least <= room_below(s);
    if (!r.finite || !r.greatest || (!whole && r.second >= r.greatest - 1))
        return false;
    int zero = bias_of(s.l) + s.l.fraction;
    interval sum = {.least = add_up(s, r.greatest),
                    .slack = whole ? 0 : s.n,
                    .unit = r.greatest - room_below(s) - (s.product ? 2 : 1) * zero};
    if (whole && !sum.least) {
        *out = (uint64_t)zero_is_negative(s, rounding) << (s.l.fraction + s.l.exponent);
        return true;
    }
    return round_interval(s.l, sum, rounding, out);
}

#endif
