/* Sums of up to some dozen terms, or products, rounded to nearest, ties to even, in vector
 * registers, without a branch that depends on the numbers. A template: include isa_SET.h first.
 *
 * In: a few contiguous terms, or factors. Out: both ends of an interval of doubles that contains
 * the rounded sum.
 *
 * Idea (S. M. Rump, T. Ogita, S. Oishi, Accurate floating-point summation part I, SIAM J. Sci.
 * Comput. 31, 2008). With a center C = 1.5 * 2^e, q = (C + x) - C is the multiple of u = 2^(e - 52)
 * that is nearest to x, and x - q is exact, at most u / 2 in size. N terms of at most 2^(e + 1) / N
 * have q whose sums are all at most 2^53 u, so they can be added in any order without an error.
 * FEW_LEVELS such levels, each for what the one before has left, give as many exact sums; what the
 * last one leaves is nothing, or at most N u / 2. More levels follow while the first of the last
 * three sums is zero, since then the terms cancel. All stays in registers.
 *
 * Bounds, for N = 2^L terms, L > 1, below 2^top: e = top + L - 1 for the first level, and what it
 * leaves is at most 2^(e - 53), so that each next level has e + L - 54. The error of a product is
 * at most 2^(top - 53), and begins with the second level. top <= 1013: no sum overflows. top >=
 * -850: the last unit is not below that of subnormal numbers. A NaN stays in the sum of the first
 * level, and is in both ends; the size of an infinity is out of range. */
#ifndef ACCORDI_EXACT_DIRECT_FEW_H
#define ACCORDI_EXACT_DIRECT_FEW_H

#include "exact/kernels/direct_folds.h"

enum {
    FEW_LEVELS = 3,
    FEW_VECTORS = 8, /* with those of errors */
    FEW_DEEP = 400,  /* binades; terms that cancel over more are less work in blocks … */
    FEW_NEAR = 200,  /* … or, if they are no more than eight, as integers */
    FEW_NARROW = 16  /* terms */
};

ISA_OP vec few_load(bool narrow, const void *x, size_t i, size_t n)
{
    const size_t some = n > i ? n - i : 0;
    return short_load_some(narrow, x, i, some < LANES ? some : LANES);
}

ISA_OP void few_add(vec a, vec b, vec *sum, vec *error)
{
    vec s = v_add(a, b), of_b = v_sub(s, a), of_a = v_sub(s, of_b);
    *sum = s;
    *error = v_add(v_sub(a, of_a), v_sub(b, of_b));
}

ISA_OP vec few_size(vec a)
{
    return v_of(w_and(w_of(a), w_splat(INT64_MAX)));
}

/* Of three numbers, of which the first two are exact, and of what is at most `rest` by two thirds.
 * Without a rest, and where nothing is lost here, both ends are the sum of two numbers. */
ISA_OP void few_enclose(const vec level[FEW_LEVELS], vec rest, accordi_exact_ends *out)
{
    vec sum, lower, all, lost;
    few_add(level[0], level[1], &sum, &lower);
    few_add(lower, level[2], &all, &lost);
    vec open = v_fma(few_size(lost), v_splat(2), rest);
    words known = w_zero(w_of(open));
    vec slack = v_fma(few_size(all), v_splat(0x1p-50), open); /* the two sums below are rounded */
    slack = v_of(w_and(w_of(slack), w_xor(known, w_splat(-1))));
    out->from = v_first(v_add(sum, v_sub(all, slack)));
    out->to = v_first(v_add(sum, v_add(all, slack)));
    out->exact = v_first(v_add(slack, few_size(all))) == 0;
}

/* Returns the sum of what is a multiple of the center's unit u; at most u / 2 of each stays in v.
 */
ISA_OP vec few_level(vec center, vec *v, int count)
{
    vec sum = v_splat(0);
    UNROLL for (int i = 0; i < count; i++)
    {
        vec q = v_sub(v_add(center, v[i]), center);
        v[i] = v_sub(v[i], q);
        sum = i ? v_add(sum, q) : q;
    }
    return v_all(sum);
}

/* Whether anything is left but zeros. */
ISA_OP bool few_left(const vec *v, int count)
{
    words left = w_of(v[0]);
    UNROLL for (int i = 1; i < count; i++)
    {
        left = w_or(left, w_of(v[i]));
    }
    return w_any(w_shl(left, 1));
}

/* Whether something but zeros is below the size of which this is the field. */
ISA_OP bool few_is_below(const vec *v, int count, int field)
{
    const words from = w_splat((int64_t)((uint64_t)(field > 0 ? field : 0) << 52)),
                one = w_splat(1);
    words below = w_splat(0);
    UNROLL for (int i = 0; i < count; i++)
    {
        words size = w_sub(w_and(w_of(v[i]), w_splat(INT64_MAX)), one); /* zeros are negative */
        below = w_or(below, w_sub(w_and(size, w_splat(INT64_MAX)), from));
    }
    return w_any(w_shr(below, 63));
}

/* The errors of products, which follow them; false where one may be lost. */
ISA_OP bool few_errors(vec *v, const vec *a, const vec *b, int count)
{
    words lost = w_splat(0);
    UNROLL for (int i = 0; i < count; i++)
    {
        v[count + i] = v_fms(a[i], b[i], v[i]);
        lost = w_or(lost, w_xor(short_whole(a[i], b[i], v[i]), w_splat(-1)));
    }
    return !w_any(lost);
}

/* As many vectors of numbers, or of products, of which the errors are as many again. */
ISA_OP bool few_run(bool narrow, bool product, int vectors, size_t n, const void *x, const void *y,
                    accordi_exact_ends *out)
{
    const bool errors = product && !narrow;
    const int count = errors ? 2 * vectors : vectors;
    const int bits = 31 - __builtin_clz((unsigned)(count * LANES)), step = 54 - bits;
    vec v[FEW_VECTORS], a[FEW_VECTORS], b[FEW_VECTORS], level[FEW_LEVELS];
    UNROLL for (int i = 0; i < vectors; i++)
    {
        a[i] = few_load(narrow, x, (size_t)i * LANES, n);
        b[i] = product ? few_load(narrow, y, (size_t)i * LANES, n) : a[i];
        v[i] = product ? v_mul(a[i], b[i]) : a[i];
    }
    vec most = few_size(v[0]);
    UNROLL for (int i = 1; i < vectors; i++)
    {
        most = v_absmax(most, v[i]);
    }
    words field = w_and(w_of(v_most(most)), w_splat((int64_t)2047 << 52));
    words center = w_add(field, w_splat((int64_t)bits << 52 | (int64_t)1 << 51));
    const int top = (int)(w_first(field) >> 52) - 1022;
    if (top < SHORT_LEAST || top > SHORT_MOST)
        return false;
    vec rests[FEW_VECTORS];
    UNROLL for (int i = 0; i < vectors; i++)
    {
        rests[i] = v[i];
    }
    level[0] = few_level(v_of(center), rests, vectors);
    const int deep = top + 1023 - (vectors * LANES <= 8 ? FEW_NEAR : FEW_DEEP);
    if ((v_first(level[0]) == 0 && few_is_below(rests, vectors, deep)) ||
        (errors && !few_errors(v, a, b, vectors)))
        return false;
    UNROLL for (int i = vectors; i < count; i++)
    {
        rests[i] = v[i];
    }
    UNROLL for (int k = 1; k < FEW_LEVELS; k++)
    {
        center = w_sub(center, w_splat((int64_t)step << 52));
        level[k] = few_level(v_of(center), rests, count);
    }
    bool left = few_left(rests, count);
    for (int e = (int)(w_first(center) >> 52) - step; left && v_first(level[0]) == 0; e -= step) {
        center = short_center((e > 0 ? e : 1) - 1023);
        level[0] = level[1];
        level[1] = level[2];
        level[2] = few_level(v_of(center), rests, count);
        left = few_left(rests, count);
    }
    /* The center is 1.5 * 2^e, and N u / 2 is 2^(e + bits - 53). */
    vec rest = v_mul(v_of(center), v_splat(1 / (double)((uint64_t)1 << (53 - bits))));
    few_enclose(level, v_of(w_and(w_of(rest), w_splat(-(int64_t)left))), out);
    return true;
}

/* As many vectors as needed, by powers of two. Registers of 512 bits slow down the clock, so those
 * of 256 are faster where no more than four of them are filled. */
#define FEW_CASE(vectors_, narrow_, product_)                                                      \
    if (n <= (vectors_)*LANES)                                                                     \
    return few_run(narrow_, product_, vectors_, n, x, y, out)
#define FEW_KERNEL(name_, narrow_, product_)                                                       \
    ISA_FUNCTION static bool few_##name_(size_t n, const void *x, const void *y,                   \
                                         accordi_exact_ends *out)                                  \
    {                                                                                              \
        const bool errors = (product_) && !(narrow_);                                              \
        if (LANES > 4 && n <= FEW_NARROW)                                                          \
            return accordi_exact_few_##name_##_avx2(n, x, y, out);                                 \
        FEW_CASE(1, narrow_, product_);                                                            \
        FEW_CASE(2, narrow_, product_);                                                            \
        FEW_CASE(4, narrow_, product_);                                                            \
        if (!errors)                                                                               \
            FEW_CASE(FEW_VECTORS, narrow_, product_);                                              \
        return false;                                                                              \
    }
FEW_KERNEL(sum_f64, false, false)
FEW_KERNEL(sum_f32, true, false)
FEW_KERNEL(dot_f64, false, true)
FEW_KERNEL(dot_f32, true, true)

/* For the table (kernels.h). */
#define FEW_MEMBERS .few = {{few_sum_f64, few_sum_f32}, {few_dot_f64, few_dot_f32}},

#endif
