/* The exact sums of arrays of f16 and bf16. A template: include isa_SET.h first.
 *
 * f16. Idea: the pattern of a number without its sign, 42 places to the left, is the pattern of the
 * double that is 2^-1008 times the number, since subnormal numbers and hidden bits follow the same
 * rules in both formats. These doubles are multiples of 2^-1032 below 2^-992, so a lane adds up
 * NARROW_STEPS <= 2^13 of them without rounding: it stays below 2^53 multiples. Infinities and NaN
 * have the greatest patterns, so the greatest of a block tells whether it has any; such a block
 * goes straight into limbs, and so does a block of zeros, which must be counted.
 *
 * bf16. A pattern is the upper half of that of an f32.
 *
 * A register of words holds four numbers a lane. In which order they are added does not matter. */
#ifndef ACCORDI_EXACT_NARROW_H
#define ACCORDI_EXACT_NARROW_H

#include "exact/kernels/f32.h"

enum {
    NARROW_STEP = 4 * LANES,
    NARROW_STEPS = 512,
    NARROW_INFINITY = 0x7c00 << (42 - 32), /* in the upper half of a word */
    NARROW_SCALE = 1032,
    NARROW_WIDENED = 8192, /* bf16 written down as f32 at a time; a multiple of every step */
};

typedef struct narrow_lanes {
    vec sum[4];
    words most;
} narrow_lanes;

/* Number k of each lane. */
#define NARROW_ADD(l_, patterns_, k_)                                                              \
    do {                                                                                           \
        words top_ = w_shl(patterns_, 48 - 16 * (k_));                                             \
        words size_ = w_shr(w_and(top_, w_splat((int64_t)0x7fff << 48)), 6);                       \
        words sign_ = w_and(top_, w_splat(INT64_MIN));                                             \
        (l_)->most = w_max32((l_)->most, size_);                                                   \
        (l_)->sum[k_] = v_add((l_)->sum[k_], v_of(w_or(size_, sign_)));                            \
    } while (0)

/* In units of 2^-24. */
ISA_FUNCTION static void narrow_flush(const narrow_lanes *l, accordi_exact_view sum)
{
    int64_t units[NARROW_STEP];
    for (int k = 0; k < 4; k++) {
        double lane[LANES];
        v_store(lane, l->sum[k]);
        for (int i = 0; i < LANES; i++)
            units[k * LANES + i] = (int64_t)(lane[i] * 0x1p1000 * 0x1p32);
    }
    accordi_exact_put_lanes(sum, units, NARROW_STEP, -24);
}

ISA_FUNCTION static bool narrow_is_odd(const narrow_lanes *l)
{
    uint64_t lane[LANES], most = 0;
    w_store(lane, l->most);
    for (int i = 0; i < LANES; i++)
        most = lane[i] > most ? lane[i] : most;
    return most == 0 || most >> 32 >= NARROW_INFINITY;
}

/* n <= NARROW_STEPS * NARROW_STEP, a multiple of NARROW_STEP. */
ISA_FUNCTION static void narrow_block(accordi_exact_view sum, size_t n, const uint16_t *x)
{
    narrow_lanes l = {.most = w_splat(0)};
    for (int k = 0; k < 4; k++)
        l.sum[k] = v_splat(0);
    for (size_t i = 0; i < n; i += NARROW_STEP) {
        words patterns = w_load(x + i);
        NARROW_ADD(&l, patterns, 0);
        NARROW_ADD(&l, patterns, 1);
        NARROW_ADD(&l, patterns, 2);
        NARROW_ADD(&l, patterns, 3);
    }
    if (narrow_is_odd(&l)) {
        accordi_exact_terms_f16(sum, n, x, 1);
        return;
    }
    narrow_flush(&l, sum);
    sum.count[ACCORD_EXACT_TERMS] += (int64_t)n;
}

static void sum_f16(accordi_exact_view sum, size_t n, const uint16_t *x)
{
    for (size_t count; n >= NARROW_STEP; n -= count, x += count) {
        count = n < NARROW_STEPS * NARROW_STEP ? n - n % NARROW_STEP : NARROW_STEPS * NARROW_STEP;
        narrow_block(sum, count, x);
    }
    accordi_exact_terms_f16(sum, n, x, 1);
}

ISA_FUNCTION static void narrow_widen(float *to, size_t n, const uint16_t *x)
{
    const words upper = w_splat((int64_t)0xffff0000ffff0000);
    for (size_t i = 0; i < n; i += NARROW_STEP) {
        words patterns = w_load(x + i);
        w_store(to + i, w_and(patterns, upper));
        w_store(to + i + NARROW_STEP / 2, w_and(w_shl(patterns, 16), upper));
    }
}

static void sum_bf16(accordi_exact_view sum, size_t n, const uint16_t *x)
{
    float wide[NARROW_WIDENED];
    for (size_t count; n >= NARROW_STEP; n -= count, x += count) {
        count = n < NARROW_WIDENED ? n - n % NARROW_STEP : NARROW_WIDENED;
        narrow_widen(wide, count, x);
        sum_f32(sum, count, wide, ACCORDI_EXACT_ALL);
    }
    accordi_exact_terms_bf16(sum, n, x, 1);
}

#endif
