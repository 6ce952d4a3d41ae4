/* The operations of the kernel templates, spelled out for any machine. Every isa_SET.h defines the
 * same names for vectors of doubles (vec, with LANES lanes) and of 64-bit integers (words):
 *   LANES, REGISTERS, FUSES (whether v_fma is one operation, and not a call), ISA (the name of the
 * set), ISA_OP and ISA_FUNCTION (attributes of functions);
 *   v_minus: a - b, by a multiply-add unit where there is one, so that the adders stay free;
 *   v_fma: a b + c; v_fms: a b - c; each is rounded once;
 *   v_total: the sum of all lanes, in any order;
 *   v_absmax: a number with the exponent of max(|m|, |a|) for m >= 0; a NaN in either may be lost;
 * w_absmax_f32: the same of two f32 a word; w_most_f32: the same of sizes, without signs, and no
 * NaN is lost; w_least_f32: min(m, a), where m is no NaN, and has no sign; a may have one, or be
 * NaN, which is m; w_add_f32, w_sub_f32: on such; w_load_some, v_load_some_f32: the first n lanes,
 * fewer than all, and zeros; w_opaque: the same, which compilers do not know; w_shr: logical shift
 * to the right; w_shl_each, w_shr_each: each lane by as much as its lane of `by` says, less than
 * 64; w_or_xor: r | (a ^ b); w_zero: all bits are set where a word is 0; w_any: whether any bit is
 * set; w_signs: the upper bits of all lanes, that of the first as the lowest bit; w_add_pairs: adds
 * {a, b} of lane i to the two integers at table[places[i]], lane by lane; v_add_fours: adds {a, b,
 * c, d} of lane i to the four doubles at table[places[i]], lane by lane, unless there is ISA_RING
 * and, in its stead, v_put_fours: writes these four of each lane, and its place, side by side, all
 * lanes in any one order; and v_add_four: adds four doubles that need no rounding; w_add32,
 * w_max32, w_min32: on the two halves of each word, unsigned; w_max_top, w_min_top: the upper 16
 * bits are those of the greater or lesser word. Loads and stores need no alignment. This file has 8
 * lanes, like AVX-512, so that the logic of the AVX-512 kernels is tested on all machines, or
 * GENERIC_LANES. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define ISA generic
#define ISA_TARGET __attribute__((always_inline))
#define ISA_FUNCTION
#define ISA_OP static inline ISA_TARGET
#ifndef GENERIC_LANES
#define GENERIC_LANES 8
#endif
#define ISA_RING
enum { LANES = GENERIC_LANES, REGISTERS = 32, FUSES = 1 };
typedef struct vec {
    double lane[LANES];
} vec;
typedef struct words {
    uint64_t lane[LANES];
} words;

#define GENERIC(type_, name_, parameters_, expression_)                                            \
    ISA_OP type_ name_ parameters_                                                                 \
    {                                                                                              \
        type_ r;                                                                                   \
        for (int i = 0; i < LANES; i++)                                                            \
            r.lane[i] = expression_;                                                               \
        return r;                                                                                  \
    }
ISA_OP words w_of(vec a)
{
    words r;
    memcpy(&r, &a, sizeof r);
    return r;
}
ISA_OP vec v_of(words a)
{
    vec r;
    memcpy(&r, &a, sizeof r);
    return r;
}
ISA_OP vec v_load(const double *at)
{
    vec r;
    memcpy(&r, at, sizeof r);
    return r;
}
ISA_OP vec v_load_some_f32(const float *at, size_t n)
{
    float narrow[LANES] = {0};
    vec r;
    memcpy(narrow, at, n * sizeof *narrow);
    for (int i = 0; i < LANES; i++)
        r.lane[i] = (double)narrow[i];
    return r;
}
ISA_OP vec v_load_f32(const float *at)
{
    return v_load_some_f32(at, LANES);
}
ISA_OP void v_store(double *at, vec a)
{
    memcpy(at, &a, sizeof a);
}
GENERIC(vec, v_splat, (double a), a)
GENERIC(vec, v_add, (vec a, vec b), a.lane[i] + b.lane[i])
GENERIC(vec, v_sub, (vec a, vec b), a.lane[i] - b.lane[i])
GENERIC(vec, v_minus, (vec a, vec b), a.lane[i] - b.lane[i])
GENERIC(vec, v_mul, (vec a, vec b), a.lane[i] * b.lane[i])
GENERIC(vec, v_fma, (vec a, vec b, vec c), fma(a.lane[i], b.lane[i], c.lane[i]))
GENERIC(vec, v_fms, (vec a, vec b, vec c), fma(a.lane[i], b.lane[i], -c.lane[i]))
GENERIC(vec, v_absmax, (vec m, vec a), fmax(m.lane[i], fabs(a.lane[i])))
ISA_OP words w_load(const void *at)
{
    words r;
    memcpy(&r, at, sizeof r);
    return r;
}
ISA_OP words w_load_some(const void *at, size_t n)
{
    words r = {{0}};
    memcpy(&r, at, n * sizeof r.lane[0]);
    return r;
}
ISA_OP words w_opaque(words a)
{
    return a;
}
ISA_OP void w_store(void *at, words a)
{
    memcpy(at, &a, sizeof a);
}
GENERIC(words, w_splat, (int64_t a), (uint64_t)a)
GENERIC(words, w_add, (words a, words b), a.lane[i] + b.lane[i])
GENERIC(words, w_sub, (words a, words b), a.lane[i] - b.lane[i])
ISA_OP words w_add32(words a, words b)
{
    uint32_t half[2 * LANES], other[2 * LANES];
    memcpy(half, &a, sizeof half);
    memcpy(other, &b, sizeof other);
    for (int i = 0; i < 2 * LANES; i++)
        half[i] += other[i];
    memcpy(&a, half, sizeof half);
    return a;
}
ISA_OP words w_max32(words a, words b)
{
    uint32_t half[2 * LANES], other[2 * LANES];
    memcpy(half, &a, sizeof half);
    memcpy(other, &b, sizeof other);
    for (int i = 0; i < 2 * LANES; i++)
        half[i] = half[i] > other[i] ? half[i] : other[i];
    memcpy(&a, half, sizeof half);
    return a;
}
ISA_OP words w_min32(words a, words b)
{
    uint32_t half[2 * LANES], other[2 * LANES];
    memcpy(half, &a, sizeof half);
    memcpy(other, &b, sizeof other);
    for (int i = 0; i < 2 * LANES; i++)
        half[i] = half[i] < other[i] ? half[i] : other[i];
    memcpy(&a, half, sizeof half);
    return a;
}
ISA_OP words w_least_f32(words m, words a)
{
    return w_min32(m, a);
}
ISA_OP words w_max_top(words a, words b)
{
    return w_max32(a, b);
}
ISA_OP words w_min_top(words a, words b)
{
    return w_min32(a, b);
}
ISA_OP words w_most_f32(words m, words a)
{
    return w_max32(m, a);
}
/* Loses what AVX-512 loses, so that tests see on all machines whether that matters. */
ISA_OP words w_absmax_f32(words m, words a)
{
    uint32_t half[2 * LANES], other[2 * LANES];
    memcpy(half, &m, sizeof half);
    memcpy(other, &a, sizeof other);
    for (int i = 0; i < 2 * LANES; i++) {
        const uint32_t size = other[i] & 0x7fffffff, infinity = 0x7f800000;
        if (size <= infinity && (size > half[i] || half[i] > infinity))
            half[i] = size;
    }
    memcpy(&a, half, sizeof half);
    return a;
}
#define GENERIC_F32(name_, operator_)                                                              \
    ISA_OP words name_(words a, words b)                                                           \
    {                                                                                              \
        float x[2 * LANES], y[2 * LANES];                                                          \
        memcpy(x, &a, sizeof x);                                                                   \
        memcpy(y, &b, sizeof y);                                                                   \
        for (int i = 0; i < 2 * LANES; i++)                                                        \
            x[i] = x[i] operator_ y[i];                                                            \
        memcpy(&a, x, sizeof x);                                                                   \
        return a;                                                                                  \
    }
GENERIC_F32(w_add_f32, +)
GENERIC_F32(w_sub_f32, -)
GENERIC(words, w_and, (words a, words b), a.lane[i] & b.lane[i])
GENERIC(words, w_or, (words a, words b), a.lane[i] | b.lane[i])
GENERIC(words, w_xor, (words a, words b), a.lane[i] ^ b.lane[i])
GENERIC(words, w_or_xor, (words r_, words a, words b), r_.lane[i] | (a.lane[i] ^ b.lane[i]))
GENERIC(words, w_shr, (words a, int by), a.lane[i] >> by)
GENERIC(words, w_shl, (words a, int by), a.lane[i] << by)
GENERIC(words, w_shr_each, (words a, words by), a.lane[i] >> by.lane[i])
GENERIC(words, w_shl_each, (words a, words by), a.lane[i] << by.lane[i])
GENERIC(words, w_zero, (words a), a.lane[i] ? 0 : UINT64_MAX)
ISA_OP bool w_any(words a)
{
    uint64_t any = 0;
    for (int i = 0; i < LANES; i++)
        any |= a.lane[i];
    return any != 0;
}
ISA_OP unsigned w_signs(words a)
{
    unsigned signs = 0;
    for (int i = 0; i < LANES; i++)
        signs |= (unsigned)(a.lane[i] >> 63) << i;
    return signs;
}
ISA_OP double v_total(vec a)
{
    double sum = 0;
    for (int i = 0; i < LANES; i++)
        sum += a.lane[i];
    return sum;
}
ISA_OP void w_add_pairs(int64_t *table, words places, words a, words b)
{
    for (int i = 0; i < LANES; i++) {
        int64_t *at = table + (int64_t)places.lane[i];
        at[0] += (int64_t)a.lane[i];
        at[1] += (int64_t)b.lane[i];
    }
}
ISA_OP void v_add_four(double *to, const double *four)
{
    for (int i = 0; i < 4; i++)
        to[i] += four[i];
}
ISA_OP void v_put_fours(double *fours, int64_t *to, words places, vec a, vec b, vec c, vec d)
{
    for (int i = 0; i < LANES; i++) {
        const double four[] = {a.lane[i], b.lane[i], c.lane[i], d.lane[i]};
        memcpy(fours + 4 * i, four, sizeof four);
        to[i] = (int64_t)places.lane[i];
    }
}
