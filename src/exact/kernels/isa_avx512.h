/* AVX-512 (F, DQ, VL): 8 lanes. What the operations mean: isa_generic.h. */
#include "exact/kernels/isa_row.h"
#include <immintrin.h>
#include <stdbool.h>

#define ISA avx512
#define ISA_TARGET __attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma"), always_inline))
#define ISA_FUNCTION __attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma")))
#define ISA_OP static inline ISA_TARGET
enum { LANES = 8, REGISTERS = 32 };
typedef __m512d vec;
typedef __m512i words;

ISA_OP vec v_load(const double *at)
{
    vec a = _mm512_loadu_pd(at);
    __asm__("" : "+v"(a)); /* once: gcc would load it for each use */
    return a;
}
ISA_ROW(vec, v_load_f32, (const float *at), _mm512_cvtps_pd(_mm256_loadu_ps(at)))
ISA_OP void v_store(double *at, vec a)
{
    _mm512_storeu_pd(at, a);
}
ISA_ROW(vec, v_splat, (double a), _mm512_set1_pd(a))
ISA_ROW(vec, v_add, (vec a, vec b), _mm512_add_pd(a, b))
ISA_ROW(vec, v_sub, (vec a, vec b), _mm512_sub_pd(a, b))
ISA_ROW(vec, v_minus, (vec a, vec b), _mm512_fnmadd_pd(b, _mm512_set1_pd(1), a))
ISA_ROW(vec, v_mul, (vec a, vec b), _mm512_mul_pd(a, b))
ISA_ROW(vec, v_fma, (vec a, vec b, vec c), _mm512_fmadd_pd(a, b, c))
ISA_ROW(vec, v_fms, (vec a, vec b, vec c), _mm512_fmsub_pd(a, b, c))
ISA_ROW(vec, v_fnma, (vec a, vec b, vec c), _mm512_fnmadd_pd(a, b, c))
/* max(|m|, |a|): one instruction */
ISA_ROW(vec, v_absmax, (vec m, vec a), _mm512_range_pd(m, a, 0xb))
ISA_ROW(words, w_of, (vec a), _mm512_castpd_si512(a))
ISA_ROW(vec, v_of, (words a), _mm512_castsi512_pd(a))
ISA_ROW(words, w_load, (const void *at), _mm512_loadu_si512(at))
ISA_OP void w_store(void *at, words a)
{
    _mm512_storeu_si512(at, a);
}
ISA_ROW(words, w_splat, (int64_t a), _mm512_set1_epi64(a))
ISA_ROW(words, w_add, (words a, words b), _mm512_add_epi64(a, b))
ISA_ROW(words, w_sub, (words a, words b), _mm512_sub_epi64(a, b))
ISA_ROW(words, w_add32, (words a, words b), _mm512_add_epi32(a, b))
ISA_ROW(words, w_max32, (words a, words b), _mm512_max_epu32(a, b))
ISA_ROW(words, w_min32, (words a, words b), _mm512_min_epu32(a, b))
ISA_ROW(words, w_and, (words a, words b), _mm512_and_si512(a, b))
ISA_ROW(words, w_or, (words a, words b), _mm512_or_si512(a, b))
ISA_ROW(words, w_xor, (words a, words b), _mm512_xor_si512(a, b))
ISA_ROW(words, w_or_xor, (words r, words a, words b), _mm512_ternarylogic_epi64(r, a, b, 0xf6))
#define w_shr(a_, by_) _mm512_srli_epi64(a_, by_)
#define w_shl(a_, by_) _mm512_slli_epi64(a_, by_)
ISA_ROW(words, w_zero, (words a), _mm512_movm_epi64(_mm512_testn_epi64_mask(a, a)))
ISA_ROW(bool, w_any, (words a), _mm512_test_epi64_mask(a, a) != 0)
ISA_OP void avx512_add_quad(double *at, __m256d quad)
{
    _mm256_storeu_pd(at, _mm256_add_pd(_mm256_loadu_pd(at), quad));
}
/* {a, b} and {c, d} of lanes 0 and 2, of lanes 1 and 3 */
ISA_OP void avx512_add_four(double *table, const int64_t *place, __m256d ab, __m256d cd,
                            __m256d ab_odd, __m256d cd_odd)
{
    avx512_add_quad(table + place[0], _mm256_insertf128_pd(ab, _mm256_castpd256_pd128(cd), 1));
    avx512_add_quad(table + place[1] + 4,
                    _mm256_insertf128_pd(ab_odd, _mm256_castpd256_pd128(cd_odd), 1));
    avx512_add_quad(table + place[2] + 8, _mm256_permute2f128_pd(ab, cd, 0x31));
    avx512_add_quad(table + place[3] + 12, _mm256_permute2f128_pd(ab_odd, cd_odd, 0x31));
}
#define avx512_lower(a_) _mm512_castpd512_pd256(a_)
#define avx512_upper(a_) _mm512_extractf64x4_pd(a_, 1)
ISA_OP void v_add_quads(double *table, words places, vec a, vec b, vec c, vec d)
{
    int64_t place[LANES];
    w_store(place, places);
    vec ab = _mm512_unpacklo_pd(a, b), cd = _mm512_unpacklo_pd(c, d);
    vec ab_odd = _mm512_unpackhi_pd(a, b), cd_odd = _mm512_unpackhi_pd(c, d);
    avx512_add_four(table, place, avx512_lower(ab), avx512_lower(cd), avx512_lower(ab_odd),
                    avx512_lower(cd_odd));
    avx512_add_four(table, place + 4, avx512_upper(ab), avx512_upper(cd), avx512_upper(ab_odd),
                    avx512_upper(cd_odd));
}
