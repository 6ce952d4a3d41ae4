/* SSE2, which every x86-64 has: 2 lanes. What the operations mean: isa_generic.h. There is no
 * multiply-add, so operations that products of f64 alone need are calls, or left out. */
#include "exact/kernels/isa_row.h"
#include <emmintrin.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define ISA sse2
#define ISA_TARGET __attribute__((always_inline))
#define ISA_FUNCTION __attribute__((unused))
#define ISA_OP static inline ISA_TARGET
enum { LANES = 2, REGISTERS = 16, FUSES = 0 };
typedef __m128d vec;
typedef __m128i words;

ISA_OP vec v_load(const double *at)
{
    vec a = _mm_loadu_pd(at);
    __asm__("" : "+x"(a)); /* once: gcc would load it for each use */
    return a;
}
ISA_OP words w_load(const void *at)
{
    return _mm_loadu_si128(at);
}
ISA_OP words w_load_some(const void *at, size_t n) /* n is 1 */
{
    (void)n;
    return _mm_loadl_epi64(at);
}
ISA_OP vec v_load_f32(const float *at)
{
    return _mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(const void *)at)));
}
ISA_OP vec v_load_some_f32(const float *at, size_t n) /* n is 1 */
{
    float one = 0;
    memcpy(&one, at, n * sizeof one);
    return _mm_cvtps_pd(_mm_set_ss(one));
}
ISA_OP void v_store(double *at, vec a)
{
    _mm_storeu_pd(at, a);
}
ISA_OP void w_store(void *at, words a)
{
    _mm_storeu_si128(at, a);
}
/* What compilers know nothing of. */
ISA_OP words w_opaque(words a)
{
    __asm__("" : "+x"(a));
    return a;
}
ISA_ROW(words, w_of, (vec a), _mm_castpd_si128(a))
ISA_ROW(vec, v_of, (words a), _mm_castsi128_pd(a))
ISA_ROW(vec, v_splat, (double a), _mm_set1_pd(a))
ISA_ROW(vec, v_add, (vec a, vec b), _mm_add_pd(a, b))
ISA_ROW(vec, v_sub, (vec a, vec b), _mm_sub_pd(a, b))
ISA_ROW(vec, v_minus, (vec a, vec b), _mm_sub_pd(a, b))
ISA_ROW(vec, v_mul, (vec a, vec b), _mm_mul_pd(a, b))
/* Calls. */
ISA_OP vec v_fma(vec a, vec b, vec c)
{
    double x[LANES], y[LANES], z[LANES];
    v_store(x, a);
    v_store(y, b);
    v_store(z, c);
    for (int i = 0; i < LANES; i++)
        z[i] = fma(x[i], y[i], z[i]);
    return v_load(z);
}
ISA_ROW(vec, v_fms, (vec a, vec b, vec c), v_fma(a, b, _mm_xor_pd(c, _mm_set1_pd(-0.0))))
ISA_ROW(words, w_splat, (int64_t a), _mm_set1_epi64x(a))
ISA_ROW(words, w_add, (words a, words b), _mm_add_epi64(a, b))
ISA_ROW(words, w_sub, (words a, words b), _mm_sub_epi64(a, b))
ISA_ROW(words, w_add32, (words a, words b), _mm_add_epi32(a, b))
ISA_ROW(words, w_and, (words a, words b), _mm_and_si128(a, b))
ISA_ROW(words, w_or, (words a, words b), _mm_or_si128(a, b))
ISA_ROW(words, w_xor, (words a, words b), _mm_xor_si128(a, b))
ISA_ROW(words, w_or_xor, (words r, words a, words b), w_or(r, w_xor(a, b)))
#define w_shr(a_, by_) _mm_srli_epi64(a_, by_)
#define w_shl(a_, by_) _mm_slli_epi64(a_, by_)
/* One lane of each of two: there is one distance for all lanes. */
ISA_ROW(words, w_pick, (words even, words odd), w_of(_mm_shuffle_pd(v_of(even), v_of(odd), 2)))
ISA_ROW(words, w_shl_each, (words a, words by),
        w_pick(_mm_sll_epi64(a, by), _mm_sll_epi64(a, _mm_unpackhi_epi64(by, by))))
ISA_ROW(words, w_shr_each, (words a, words by),
        w_pick(_mm_srl_epi64(a, by), _mm_srl_epi64(a, _mm_unpackhi_epi64(by, by))))
/* All bits are set in the halves of words where a > b, unsigned: only signed ones are compared. */
ISA_OP words w_greater32(words a, words b)
{
    const words sign = _mm_set1_epi32(INT32_MIN);
    return _mm_cmpgt_epi32(w_xor(a, sign), w_xor(b, sign));
}
ISA_ROW(words, w_choose, (words mask, words a, words b),
        w_or(w_and(mask, a), _mm_andnot_si128(mask, b)))
ISA_ROW(words, w_max32, (words a, words b), w_choose(w_greater32(a, b), a, b))
ISA_ROW(words, w_min32, (words a, words b), w_choose(w_greater32(a, b), b, a))
/* By upper halves, or quarters, which are integers: so the adders stay free. */
ISA_ROW(words, w_absmax_f32, (words m, words a),
        _mm_max_epi16(m, w_and(a, _mm_set1_epi32(INT32_MAX))))
ISA_ROW(words, w_most_f32, (words m, words a), _mm_max_epi16(m, a))
/* minps gives its second operand where one is a NaN. */
ISA_ROW(words, w_least_f32, (words m, words a),
        _mm_castps_si128(_mm_min_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(m))))
ISA_ROW(vec, v_absmax, (vec m, vec a),
        v_of(_mm_max_epi16(w_of(m), w_and(w_of(a), w_splat(INT64_MAX)))))
ISA_ROW(words, w_max_top, (words a, words b), _mm_add_epi16(a, _mm_subs_epu16(b, a)))
ISA_ROW(words, w_min_top, (words a, words b), _mm_sub_epi16(a, _mm_subs_epu16(a, b)))
ISA_ROW(words, w_add_f32, (words a, words b),
        _mm_castps_si128(_mm_add_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b))))
ISA_ROW(words, w_sub_f32, (words a, words b),
        _mm_castps_si128(_mm_sub_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b))))
ISA_OP words w_zero(words a)
{
    words zero = _mm_cmpeq_epi32(a, _mm_setzero_si128());
    return w_and(zero, _mm_shuffle_epi32(zero, _MM_SHUFFLE(2, 3, 0, 1)));
}
ISA_ROW(bool, w_any, (words a), _mm_movemask_epi8(_mm_cmpeq_epi8(a, _mm_setzero_si128())) != 0xffff)
ISA_ROW(double, v_total, (vec a), _mm_cvtsd_f64(_mm_add_pd(a, _mm_unpackhi_pd(a, a))))
ISA_OP void w_add_pairs(int64_t *table, words places, words a, words b)
{
    int64_t place[LANES];
    w_store(place, places);
    words *even = (words *)(void *)(table + place[0]), *odd = (words *)(void *)(table + place[1]);
    _mm_storeu_si128(even, w_add(_mm_loadu_si128(even), _mm_unpacklo_epi64(a, b)));
    _mm_storeu_si128(odd, w_add(_mm_loadu_si128(odd), _mm_unpackhi_epi64(a, b)));
}
