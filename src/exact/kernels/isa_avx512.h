/* AVX-512 (F, DQ, VL): 8 lanes. What the operations mean: isa_generic.h. Each operation of floating
 * point rounds to nearest and raises no flag, whatever the environment says. */
#include <immintrin.h>
#include <stdbool.h>

#define ISA avx512
#define ISA_TARGET __attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma"), always_inline))
#define ISA_FUNCTION __attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma")))
#define ISA_OP static inline ISA_TARGET
#define ISA_REGISTER "+v"
#define MM(name_) _mm512_##name_
#define AVX512_CALM (_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define MM_FLOAT(name_, ...) _mm512_##name_##_round_pd(__VA_ARGS__, AVX512_CALM)
#define MM_WORDS(name_) _mm512_##name_##_si512
#define ISA_RING
enum { LANES = 8, REGISTERS = 32, FUSES = 1 };
typedef __m512d vec;
typedef __m512i words;

#include "exact/kernels/isa_x86.h"

ISA_ROW(words, w_load_some, (const void *at, size_t n),
        _mm512_maskz_loadu_epi64((__mmask8)((1 << n) - 1), at))
ISA_ROW(vec, v_load_f32, (const float *at),
        _mm512_cvt_roundps_pd(_mm256_loadu_ps(at), _MM_FROUND_NO_EXC))
ISA_ROW(vec, v_load_some_f32, (const float *at, size_t n),
        _mm512_cvt_roundps_pd(_mm256_maskz_loadu_ps((__mmask8)((1 << n) - 1), at),
                              _MM_FROUND_NO_EXC))
/* max(|m|, |a|): one instruction */
ISA_ROW(vec, v_absmax, (vec m, vec a), _mm512_range_round_pd(m, a, 0xb, _MM_FROUND_NO_EXC))
ISA_ROW(words, w_absmax_f32, (words m, words a),
        _mm512_castps_si512(_mm512_range_round_ps(_mm512_castsi512_ps(m), _mm512_castsi512_ps(a),
                                                  0xb, _MM_FROUND_NO_EXC)))
ISA_ROW(words, w_add_f32, (words a, words b),
        _mm512_castps_si512(_mm512_add_round_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b),
                                                AVX512_CALM)))
ISA_ROW(words, w_sub_f32, (words a, words b),
        _mm512_castps_si512(_mm512_sub_round_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b),
                                                AVX512_CALM)))
ISA_ROW(words, w_of, (vec a), _mm512_castpd_si512(a))
ISA_ROW(vec, v_of, (words a), _mm512_castsi512_pd(a))
ISA_ROW(words, w_splat, (int64_t a), _mm512_set1_epi64(a))
ISA_ROW(words, w_or_xor, (words r, words a, words b), _mm512_ternarylogic_epi64(r, a, b, 0xf6))
ISA_ROW(words, w_zero, (words a), _mm512_movm_epi64(_mm512_testn_epi64_mask(a, a)))
ISA_ROW(bool, w_any, (words a), _mm512_test_epi64_mask(a, a) != 0)
ISA_ROW(unsigned, w_signs, (words a), _mm512_movepi64_mask(a))
/* What few bins need (direct_bins.h): words as unsigned integers, the negative of those lanes in
 * which another word has a sign, and (a & mask) | b. */
#define ISA_FEW_BINS
ISA_ROW(words, w_max, (words a, words b), _mm512_max_epu64(a, b))
ISA_ROW(words, w_min, (words a, words b), _mm512_min_epu64(a, b))
ISA_ROW(words, w_with_sign, (words a, words of),
        _mm512_mask_sub_epi64(a, _mm512_movepi64_mask(of), _mm512_setzero_si512(), a))
ISA_ROW(words, w_and_or, (words a, words mask, words b),
        _mm512_ternarylogic_epi64(a, mask, b, 0xea))
#define ISA_FEW
/* The sum of all lanes, and the greatest of sizes, in all of them. */
ISA_OP vec v_all(vec a)
{
    a = v_add(a, _mm512_shuffle_f64x2(a, a, 0x4e));
    a = v_add(a, _mm512_shuffle_f64x2(a, a, 0xb1));
    return v_add(a, _mm512_permute_pd(a, 0x55));
}
ISA_OP vec v_most(vec a)
{
    a = v_absmax(a, _mm512_shuffle_f64x2(a, a, 0x4e));
    a = v_absmax(a, _mm512_shuffle_f64x2(a, a, 0xb1));
    return v_absmax(a, _mm512_permute_pd(a, 0x55));
}
ISA_ROW(double, v_first, (vec a), _mm512_cvtsd_f64(a))
ISA_ROW(uint64_t, w_first, (words a), (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(a)))
ISA_ROW(double, v_total, (vec a), v_first(v_all(a)))
/* Whether subnormal numbers are kept, as operands and as results. They are added to each other,
 * since a subnormal result of normal operands takes some Intel processors a hundred cycles. */
ISA_FUNCTION static bool avx512_is_calm(void)
{
    __m128i least = _mm_cvtsi64_si128(1);
    __asm__ volatile("" : "+v"(least)); /* at every call anew */
    __m128d two = _mm_add_round_sd(_mm_castsi128_pd(least), _mm_castsi128_pd(least), AVX512_CALM);
    return _mm_cvtsi128_si64(_mm_castpd_si128(two)) == 2;
}
ISA_OP void w_add_pairs(int64_t *table, words places, words a, words b)
{
    int64_t place[LANES];
    w_store(place, places);
    words even = _mm512_unpacklo_epi64(a, b), odd = _mm512_unpackhi_epi64(a, b);
    add_pair(table + place[0], _mm512_castsi512_si128(even));
    add_pair(table + place[1], _mm512_castsi512_si128(odd));
    add_pair(table + place[2], _mm512_extracti64x2_epi64(even, 1));
    add_pair(table + place[3], _mm512_extracti64x2_epi64(odd, 1));
    add_pair(table + place[4], _mm512_extracti64x2_epi64(even, 2));
    add_pair(table + place[5], _mm512_extracti64x2_epi64(odd, 2));
    add_pair(table + place[6], _mm512_extracti64x2_epi64(even, 3));
    add_pair(table + place[7], _mm512_extracti64x2_epi64(odd, 3));
}
ISA_OP void v_put_fours(double *fours, int64_t *to, words places, vec a, vec b, vec c, vec d)
{
    const words lower = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const words upper = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    const words order = _mm512_setr_epi64(0, 2, 1, 3, 4, 6, 5, 7);
    vec even = _mm512_unpacklo_pd(a, b), odd = _mm512_unpackhi_pd(a, b);
    vec other_even = _mm512_unpacklo_pd(c, d), other_odd = _mm512_unpackhi_pd(c, d);
    v_store(fours, _mm512_permutex2var_pd(even, lower, other_even));
    v_store(fours + 8, _mm512_permutex2var_pd(odd, lower, other_odd));
    v_store(fours + 16, _mm512_permutex2var_pd(even, upper, other_even));
    v_store(fours + 24, _mm512_permutex2var_pd(odd, upper, other_odd));
    w_store(to, _mm512_permutexvar_epi64(order, places));
}
ISA_OP void v_add_four(double *to, const double *four)
{
    _mm256_storeu_pd(to, _mm256_add_pd(_mm256_loadu_pd(to), _mm256_loadu_pd(four)));
}
