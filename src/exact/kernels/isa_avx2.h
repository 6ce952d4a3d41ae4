/* AVX2 with FMA: 4 lanes. What the operations mean: isa_generic.h. */
#include "exact/kernels/isa_row.h"
#include <immintrin.h>
#include <stdbool.h>

#define ISA avx2
#define ISA_TARGET __attribute__((target("avx2,fma"), always_inline))
#define ISA_FUNCTION __attribute__((target("avx2,fma")))
#define ISA_OP static inline ISA_TARGET
enum { LANES = 4, REGISTERS = 16 };
typedef __m256d vec;
typedef __m256i words;

ISA_OP vec v_load(const double *at)
{
    vec a = _mm256_loadu_pd(at);
    __asm__("" : "+x"(a)); /* once: gcc would load it for each use */
    return a;
}
ISA_ROW(vec, v_load_f32, (const float *at), _mm256_cvtps_pd(_mm_loadu_ps(at)))
ISA_OP void v_store(double *at, vec a)
{
    _mm256_storeu_pd(at, a);
}
ISA_ROW(vec, v_splat, (double a), _mm256_set1_pd(a))
ISA_ROW(vec, v_add, (vec a, vec b), _mm256_add_pd(a, b))
ISA_ROW(vec, v_sub, (vec a, vec b), _mm256_sub_pd(a, b))
ISA_ROW(vec, v_minus, (vec a, vec b), _mm256_fnmadd_pd(b, _mm256_set1_pd(1), a))
ISA_ROW(vec, v_mul, (vec a, vec b), _mm256_mul_pd(a, b))
ISA_ROW(vec, v_fma, (vec a, vec b, vec c), _mm256_fmadd_pd(a, b, c))
ISA_ROW(vec, v_fms, (vec a, vec b, vec c), _mm256_fmsub_pd(a, b, c))
ISA_ROW(vec, v_fnma, (vec a, vec b, vec c), _mm256_fnmadd_pd(a, b, c))
/* m >= 0. vmaxpd gives its second operand where one is a NaN: a NaN stays only if the callers look
 * for it elsewhere. */
ISA_ROW(vec, v_absmax, (vec m, vec a), _mm256_max_pd(m, _mm256_andnot_pd(_mm256_set1_pd(-0.0), a)))
ISA_ROW(words, w_of, (vec a), _mm256_castpd_si256(a))
ISA_ROW(vec, v_of, (words a), _mm256_castsi256_pd(a))
ISA_ROW(words, w_load, (const void *at), _mm256_loadu_si256(at))
ISA_OP void w_store(void *at, words a)
{
    _mm256_storeu_si256(at, a);
}
ISA_ROW(words, w_splat, (int64_t a), _mm256_set1_epi64x(a))
ISA_ROW(words, w_add, (words a, words b), _mm256_add_epi64(a, b))
ISA_ROW(words, w_sub, (words a, words b), _mm256_sub_epi64(a, b))
ISA_ROW(words, w_add32, (words a, words b), _mm256_add_epi32(a, b))
ISA_ROW(words, w_max32, (words a, words b), _mm256_max_epu32(a, b))
ISA_ROW(words, w_min32, (words a, words b), _mm256_min_epu32(a, b))
ISA_ROW(words, w_and, (words a, words b), _mm256_and_si256(a, b))
ISA_ROW(words, w_or, (words a, words b), _mm256_or_si256(a, b))
ISA_ROW(words, w_xor, (words a, words b), _mm256_xor_si256(a, b))
ISA_ROW(words, w_or_xor, (words r, words a, words b), w_or(r, w_xor(a, b)))
#define w_shr(a_, by_) _mm256_srli_epi64(a_, by_)
#define w_shl(a_, by_) _mm256_slli_epi64(a_, by_)
ISA_ROW(words, w_zero, (words a), _mm256_cmpeq_epi64(a, _mm256_setzero_si256()))
ISA_ROW(bool, w_any, (words a), !_mm256_testz_si256(a, a))
ISA_OP void avx2_add_quad(double *at, __m256d quad)
{
    _mm256_storeu_pd(at, _mm256_add_pd(_mm256_loadu_pd(at), quad));
}
ISA_OP void v_add_quads(double *table, words places, vec a, vec b, vec c, vec d)
{
    int64_t place[LANES];
    w_store(place, places);
    vec ab = _mm256_unpacklo_pd(a, b), cd = _mm256_unpacklo_pd(c, d);
    vec ab_odd = _mm256_unpackhi_pd(a, b), cd_odd = _mm256_unpackhi_pd(c, d);
    avx2_add_quad(table + place[0], _mm256_insertf128_pd(ab, _mm256_castpd256_pd128(cd), 1));
    avx2_add_quad(table + place[1] + 4,
                  _mm256_insertf128_pd(ab_odd, _mm256_castpd256_pd128(cd_odd), 1));
    avx2_add_quad(table + place[2] + 8, _mm256_permute2f128_pd(ab, cd, 0x31));
    avx2_add_quad(table + place[3] + 12, _mm256_permute2f128_pd(ab_odd, cd_odd, 0x31));
}
