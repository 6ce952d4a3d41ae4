/* NEON of AArch64: 2 lanes. What the operations mean: isa_generic.h. */
#include "exact/kernels/isa_row.h"
#include <arm_neon.h>
#include <stdbool.h>

#define ISA neon
#define ISA_TARGET __attribute__((always_inline))
#define ISA_FUNCTION
#define ISA_OP static inline ISA_TARGET
enum { LANES = 2, REGISTERS = 32, FUSES = 1 };
typedef float64x2_t vec;
typedef int64x2_t words;

ISA_ROW(vec, v_load, (const double *at), vld1q_f64(at))
ISA_ROW(vec, v_load_f32, (const float *at), vcvt_f64_f32(vld1_f32(at)))
ISA_OP vec v_load_some_f32(const float *at, size_t n) /* n is 1 */
{
    float pair[LANES] = {0};
    memcpy(pair, at, n * sizeof *pair);
    return v_load_f32(pair);
}
ISA_OP void v_store(double *at, vec a)
{
    vst1q_f64(at, a);
}
ISA_ROW(vec, v_splat, (double a), vdupq_n_f64(a))
ISA_ROW(vec, v_add, (vec a, vec b), vaddq_f64(a, b))
ISA_ROW(vec, v_sub, (vec a, vec b), vsubq_f64(a, b))
ISA_ROW(vec, v_minus, (vec a, vec b), vsubq_f64(a, b))
ISA_ROW(vec, v_mul, (vec a, vec b), vmulq_f64(a, b))
ISA_ROW(vec, v_fma, (vec a, vec b, vec c), vfmaq_f64(c, a, b))
ISA_ROW(vec, v_fms, (vec a, vec b, vec c), vnegq_f64(vfmsq_f64(c, a, b)))
ISA_ROW(vec, v_absmax, (vec m, vec a), vmaxq_f64(m, vabsq_f64(a)))
ISA_ROW(words, w_of, (vec a), vreinterpretq_s64_f64(a))
ISA_ROW(vec, v_of, (words a), vreinterpretq_f64_s64(a))
ISA_ROW(words, w_load, (const void *at), vreinterpretq_s64_u8(vld1q_u8(at)))
ISA_OP words w_load_some(const void *at, size_t n) /* n is 1 */
{
    int64_t lane[LANES] = {0};
    memcpy(lane, at, n * sizeof *lane);
    return w_load(lane);
}
ISA_ROW(words, w_opaque, (words a), a)
ISA_OP void w_store(void *at, words a)
{
    vst1q_u8(at, vreinterpretq_u8_s64(a));
}
ISA_ROW(words, w_splat, (int64_t a), vdupq_n_s64(a))
ISA_ROW(words, w_add, (words a, words b), vaddq_s64(a, b))
ISA_ROW(words, w_sub, (words a, words b), vsubq_s64(a, b))
ISA_OP words w_add32(words a, words b)
{
    uint32x4_t r = vaddq_u32(vreinterpretq_u32_s64(a), vreinterpretq_u32_s64(b));
    return vreinterpretq_s64_u32(r);
}
ISA_OP words w_max32(words a, words b)
{
    uint32x4_t r = vmaxq_u32(vreinterpretq_u32_s64(a), vreinterpretq_u32_s64(b));
    return vreinterpretq_s64_u32(r);
}
ISA_OP words w_min32(words a, words b)
{
    uint32x4_t r = vminq_u32(vreinterpretq_u32_s64(a), vreinterpretq_u32_s64(b));
    return vreinterpretq_s64_u32(r);
}
ISA_ROW(words, w_most_f32, (words m, words a), w_max32(m, a))
ISA_ROW(words, w_least_f32, (words m, words a), w_min32(m, a))
ISA_ROW(words, w_max_top, (words a, words b), w_max32(a, b))
ISA_ROW(words, w_min_top, (words a, words b), w_min32(a, b))
ISA_ROW(words, w_and, (words a, words b), vandq_s64(a, b))
ISA_ROW(words, w_add_f32, (words a, words b),
        vreinterpretq_s64_f32(vaddq_f32(vreinterpretq_f32_s64(a), vreinterpretq_f32_s64(b))))
ISA_ROW(words, w_sub_f32, (words a, words b),
        vreinterpretq_s64_f32(vsubq_f32(vreinterpretq_f32_s64(a), vreinterpretq_f32_s64(b))))
ISA_ROW(words, w_absmax_f32, (words m, words a), w_max32(m, w_and(a, w_splat(0x7fffffff7fffffff))))
ISA_ROW(words, w_or, (words a, words b), vorrq_s64(a, b))
ISA_ROW(words, w_xor, (words a, words b), veorq_s64(a, b))
ISA_ROW(words, w_or_xor, (words r, words a, words b), w_or(r, w_xor(a, b)))
#define w_shr(a_, by_) vreinterpretq_s64_u64(vshrq_n_u64(vreinterpretq_u64_s64(a_), by_))
#define w_shl(a_, by_) vshlq_n_s64(a_, by_)
ISA_ROW(words, w_shl_each, (words a, words by), vshlq_s64(a, by))
ISA_ROW(words, w_shr_each, (words a, words by),
        vreinterpretq_s64_u64(vshlq_u64(vreinterpretq_u64_s64(a), vnegq_s64(by))))
ISA_ROW(words, w_zero, (words a), vreinterpretq_s64_u64(vceqzq_s64(a)))
ISA_ROW(bool, w_any, (words a), (vgetq_lane_s64(a, 0) | vgetq_lane_s64(a, 1)) != 0)
ISA_OP unsigned w_signs(words a)
{
    words sign = w_shr(a, 63);
    return (unsigned)(vgetq_lane_s64(sign, 0) | vgetq_lane_s64(sign, 1) << 1);
}
ISA_ROW(double, v_total, (vec a), vaddvq_f64(a))
ISA_OP void w_add_pairs(int64_t *table, words places, words a, words b)
{
    int64_t *at = table + vgetq_lane_s64(places, 0), *next = table + vgetq_lane_s64(places, 1);
    vst1q_s64(at, vaddq_s64(vld1q_s64(at), vzip1q_s64(a, b)));
    vst1q_s64(next, vaddq_s64(vld1q_s64(next), vzip2q_s64(a, b)));
}
ISA_OP void v_add_fours(double *table, words places, vec a, vec b, vec c, vec d)
{
    double *at = table + vgetq_lane_s64(places, 0), *next = table + vgetq_lane_s64(places, 1);
    vst1q_f64(at, vaddq_f64(vld1q_f64(at), vzip1q_f64(a, b)));
    vst1q_f64(at + 2, vaddq_f64(vld1q_f64(at + 2), vzip1q_f64(c, d)));
    vst1q_f64(next, vaddq_f64(vld1q_f64(next), vzip2q_f64(a, b)));
    vst1q_f64(next + 2, vaddq_f64(vld1q_f64(next + 2), vzip2q_f64(c, d)));
}
