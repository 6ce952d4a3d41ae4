/* Short sums in integers of 128 bits, one for each block of 64 exponents (kernels/direct_blocks.h),
 * term by term: exact for all finite numbers and products, on any machine, in any floating-point
 * environment. Inlined once for each layout of numbers. Internal.
 *
 * A number m * 2^e, m < 2^53, is one piece; the product of two significands is cut into two pieces
 * of 53 bits, unless it has no more. A piece, moved to the place that it has in its block, has at
 * most 116 bits. */
#ifndef ACCORDI_EXACT_DIRECT_PIECES_H
#define ACCORDI_EXACT_DIRECT_PIECES_H

#include "exact/direct/digits.h"

enum { PIECE_BITS = 53 };

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

INLINE uint64_t significand_of(layout l, uint64_t bits)
{
    uint64_t hidden = (uint64_t)1 << l.fraction, m = bits & (hidden - 1);
    return m | (field_of(l, bits) ? hidden : 0);
}

INLINE bool sign_of(layout l, uint64_t bits)
{
    return bits >> (l.fraction + l.exponent) & 1;
}

/* As accord/exact.h says of sums that are zero; terms that cancel have both signs. */
static __attribute__((noinline)) bool zero_is_negative(source s,
                                                       enum accord_exact_rounding rounding)
{
    bool plus = false, minus = false;
    const char *x = s.x, *y = s.y;
    for (size_t i = 0; i < s.n; i++, x += s.step_x, y += s.step_y) {
        bool negative = sign_of(s.l, load(s.l, x)) ^ (s.product && sign_of(s.l, load(s.l, y)));
        plus |= !negative;
        minus |= negative;
    }
    return plus && minus ? rounding == ACCORD_EXACT_DOWN : !plus;
}

static inline __attribute__((always_inline)) void add_to_block(uint64_t *half, uint64_t low,
                                                               uint64_t high)
{
#if defined __x86_64__ && defined __GNUC__ /* from C, gcc would load, add and store each half */
    __asm__("addq %2, %0\n\tadcq %3, %1"
            : "+m"(half[0]), "+m"(half[1])
            : "r"(low), "r"(high)
            : "cc");
#else
    uint128 sum = ((uint128)half[1] << 64 | half[0]) + ((uint128)high << 64 | low);
    half[0] = (uint64_t)sum;
    half[1] = (uint64_t)(sum >> 64);
#endif
}

/* Blocks, and a bit for each that terms other than zeros went to; those below the least number are
 * cleared once there are products for them. */
typedef struct pieces {
    accordi_exact_integer *sum;
    uint64_t used;
    bool deep;
} pieces;

/* Constants, once inlined. */
INLINE void clear_blocks(accordi_exact_integer *sum, int first, int last)
{
    typedef uint64_t pair __attribute__((vector_size(16)));
    pair zero = {0, 0};
#ifdef __x86_64__
    __asm__("" : "+x"(zero)); /* or gcc would clear by rep stos, which starts slowly */
#endif
#if defined __GNUC__ && !defined __clang__
#pragma GCC unroll 16
#endif
    for (int i = first; i <= last; i++)
        *(pair *)(void *)(sum + i) = zero;
}

static __attribute__((noinline)) void clear_lower_blocks(accordi_exact_integer *sum)
{
    for (int i = 0; i < ACCORDI_EXACT_BLOCKS_BELOW; i++)
        sum[i][0] = sum[i][1] = 0;
}

/* m * 2^place units of the least block; sign: 0, or all ones; any: whether it is of a term other
 * than zero. */
INLINE void add_piece(pieces *p, uint64_t m, int place, uint64_t sign, bool any)
{
    int shift = place & 63, number = place >> 6;
    uint64_t low = (m << shift ^ sign) - sign, carry = sign & (low == 0); /* by halves: faster */
    add_to_block(p->sum[number], low, (m >> 1 >> (shift ^ 63) ^ sign) + carry);
    p->used |= (uint64_t)any << number;
}

/* A number, or the product of two; false where one is infinite or NaN, or the product lies above
 * all blocks. */
INLINE bool add_bits(pieces *p, layout l, bool product, uint64_t a, uint64_t b)
{
    const int infinite = (1 << l.exponent) - 1, unit = bias_of(l) + l.fraction;
    int e = field_of(l, a), f = product ? field_of(l, b) : 0;
    if (__builtin_expect(e == infinite || f == infinite, 0))
        return false;
    uint64_t sign = -(uint64_t)(sign_of(l, a) ^ (product && sign_of(l, b)));
    int place = (e ? e : 1) - unit - ACCORDI_EXACT_BLOCKS_UNIT;
    uint64_t m = significand_of(l, a);
    if (!product) {
        add_piece(p, m, place, sign, m != 0);
        return true;
    }
    place += (f ? f : 1) - unit;
    uint128 both = (uint128)m * significand_of(l, b);
    if (2 * l.fraction + 2 <= PIECE_BITS) {
        add_piece(p, (uint64_t)both, place, sign, both != 0);
        return true;
    }
    if (__builtin_expect(!both, 0))
        return true;
    if (__builtin_expect((place + PIECE_BITS) >> 6 >= ACCORDI_EXACT_BLOCKS, 0))
        return false;
    if (__builtin_expect(place < 64 * ACCORDI_EXACT_BLOCKS_BELOW && !p->deep, 0)) {
        clear_lower_blocks(p->sum);
        p->deep = true;
    }
    add_piece(p, (uint64_t)both & (((uint64_t)1 << PIECE_BITS) - 1), place, sign, true);
    add_piece(p, (uint64_t)(both >> PIECE_BITS), place + PIECE_BITS, sign, true);
    return true;
}

/* v, or -v where the sign is all ones. */
INLINE uint128 with_sign(uint128 v, uint64_t sign)
{
    const uint128 both = (uint128)sign << 64 | sign;
    return (v ^ both) - both;
}

/* The same as add_bits for a product of f64: m < 2^106, moved to its place, is a word for a block
 * and the rest for the next. Both have the sign, so that blocks of terms that cancel are zeros.
 * Others than products of normal numbers are left to add_bits. */
INLINE bool add_product(pieces *p, uint64_t a, uint64_t b)
{
    const uint64_t hidden = (uint64_t)1 << f64.fraction;
    const int e = field_of(f64, a), f = field_of(f64, b), unit = bias_of(f64) + f64.fraction;
    int place = e + f - 2 * unit - ACCORDI_EXACT_BLOCKS_UNIT, number = place >> 6,
        shift = place & 63;
    if (__builtin_expect(e - 1u > 2045 || f - 1u > 2045 || number + 1 >= ACCORDI_EXACT_BLOCKS ||
                             (number < ACCORDI_EXACT_BLOCKS_BELOW && !p->deep),
                         0))
        return add_bits(p, f64, true, a, b);
    uint128 m = (uint128)((a & (hidden - 1)) | hidden) * ((b & (hidden - 1)) | hidden);
    uint64_t sign = -((a ^ b) >> 63), low = (uint64_t)m, high = (uint64_t)(m >> 64);
    uint128 upper =
        (uint128)(high >> 1 >> (shift ^ 63)) << 64 | (high << shift | low >> 1 >> (shift ^ 63));
    uint128 lower = with_sign(low << shift, sign);
    upper = with_sign(upper, sign);
    add_to_block(p->sum[number], (uint64_t)lower, (uint64_t)(lower >> 64));
    add_to_block(p->sum[number + 1], (uint64_t)upper, (uint64_t)(upper >> 64));
    p->used |= (uint64_t)3 << number;
    return true;
}

/* What terms of both signs come to, in blocks: table[i], and what lies `half` further on is taken
 * from it. `hit` has a bit for each place in the table that is used. */
INLINE uint64_t join_signs(const accordi_exact_integer *table, uint64_t hit, int half, int place,
                           accordi_exact_integer *sum)
{
    uint64_t left = (hit | hit >> half) & (((uint64_t)1 << half) - 1), used = left << (place >> 6);
    for (; left; left &= left - 1) {
        const int i = __builtin_ctzll(left);
        const uint64_t *plus = table[i], *minus = table[i + half];
        uint128 all = ((uint128)plus[1] << 64 | plus[0]) - ((uint128)minus[1] << 64 | minus[0]);
        all <<= place & 63;
        sum[i + (place >> 6)][0] = (uint64_t)all;
        sum[i + (place >> 6)][1] = (uint64_t)(all >> 64);
    }
    return used;
}

/* Numbers of formats with so many exponents that six of their bits are a place in a block: sign and
 * upper bits of the exponent are one in a table of blocks, whatever their unit. So a number takes
 * no more than two shifts and an addition. */
INLINE bool add_numbers(source s, accordi_exact_integer *sum, uint64_t *used)
{
    enum { MOST = 64 };
    _Alignas(16) accordi_exact_integer table[MOST];
    const int half = 1 << (s.l.exponent - 6);
    const uint64_t hidden = (uint64_t)1 << s.l.fraction;
    const unsigned odd = (1u << s.l.exponent) - 2; /* none of these bits in an exponent, and 1 */
    uint64_t hit = 0;
    clear_blocks(table, 0, 2 * half - 1);
    const char *x = s.x;
    for (size_t i = 0; i < s.n; i++, x += s.step_x) {
        uint64_t bits = load(s.l, x), m = bits & (hidden - 1);
        unsigned at = (unsigned)(bits >> s.l.fraction), number = at >> 6;
        if (__builtin_expect(!((at + 1) & odd), 0)) {
            if (at & odd)
                return false;
            if (!m)
                continue;
            at |= 1;
        } else {
            m |= hidden;
        }
        add_to_block(table[number], m << (at & 63), m >> 1 >> (~at & 63));
        hit |= (uint64_t)1 << number;
    }
    *used =
        join_signs(table, hit, half, -bias_of(s.l) - s.l.fraction - ACCORDI_EXACT_BLOCKS_UNIT, sum);
    return true;
}

/* At most ACCORDI_EXACT_BLOCKS_TERMS terms, half of it for products of f64, into blocks; false as
 * above. */
INLINE bool add_pieces(source s, accordi_exact_integer *sum, uint64_t *used)
{
    if (!s.product && s.l.exponent > 6)
        return add_numbers(s, sum, used);
    pieces p = {sum, 0, false};
    const int factors = s.product ? 2 : 1, unit = bias_of(s.l) + s.l.fraction;
    const int least = (1 - unit) * factors - ACCORDI_EXACT_BLOCKS_UNIT,
              most = least + ((1 << s.l.exponent) - 3) * factors;
    const int first = least >> 6, last = most >> 6;
    clear_blocks(sum, first < ACCORDI_EXACT_BLOCKS_BELOW ? ACCORDI_EXACT_BLOCKS_BELOW : first,
                 last < ACCORDI_EXACT_BLOCKS ? last : ACCORDI_EXACT_BLOCKS - 1);
    const char *x = s.x, *y = s.y;
    for (size_t i = 0; i < s.n; i++, x += s.step_x, y += s.step_y) {
        uint64_t a = load(s.l, x), b = s.product ? load(s.l, y) : 0;
        if (!(s.product && s.l.format == ACCORD_F64 ? add_product(&p, a, b)
                                                    : add_bits(&p, s.l, s.product, a, b)))
            return false;
    }
    *used = p.used;
    return true;
}

INLINE bool by_pieces(source s, enum accord_exact_rounding rounding, uint64_t *out)
{
    _Alignas(16) accordi_exact_integer sum[ACCORDI_EXACT_BLOCKS];
    uint64_t used;
    if (!add_pieces(s, sum, &used))
        return false;
    if (used)
        *out = round_blocks(s.l, sum, used, rounding);
    else
        *out = (uint64_t)zero_is_negative(s, rounding) << (s.l.fraction + s.l.exponent);
    return true;
}

#endif
