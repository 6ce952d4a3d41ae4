/* AVX2 with FMA: 4 lanes. What the operations mean: isa_generic.h. */
#include <immintrin.h>
#include <stdbool.h>

#define ISA avx2
#define ISA_TARGET __attribute__((target("avx2,fma"), always_inline))
#define ISA_FUNCTION __attribute__((target("avx2,fma")))
#define ISA_OP static inline ISA_TARGET
#define ISA_REGISTER "+x"
#define MM(name_) _mm256_##name_
#define MM_FLOAT(name_, ...) _mm256_##name_##_pd(__VA_ARGS__)
#define MM_WORDS(name_) _mm256_##name_##_si256
enum { LANES = 4, REGISTERS = 16, FUSES = 1 };
typedef __m256d vec;
typedef __m256i words;

#include "exact/kernels/isa_x86.h"

ISA_OP words w_load_some(const void *at, size_t n)
{
    static const int64_t masks[2 * LANES] = {-1, -1, -1, -1};
    return _mm256_maskload_epi64(at, w_load(masks + LANES - n));
}
ISA_ROW(vec, v_load_f32, (const float *at), _mm256_cvtps_pd(_mm_loadu_ps(at)))
ISA_OP vec v_load_some_f32(const float *at, size_t n)
{
    static const int32_t masks[2 * LANES] = {-1, -1, -1, -1};
    __m128i mask = _mm_loadu_si128((const __m128i *)(const void *)(masks + LANES - n));
    return _mm256_cvtps_pd(_mm_maskload_ps(at, mask));
}
/* m >= 0. vmaxpd gives its second operand where one is a NaN: a NaN stays only if the callers look
 * for it elsewhere. */
ISA_ROW(vec, v_absmax, (vec m, vec a), _mm256_max_pd(m, _mm256_andnot_pd(_mm256_set1_pd(-0.0), a)))
ISA_ROW(words, w_absmax_f32, (words m, words a), w_max32(m, w_and(a, _mm256_set1_epi32(INT32_MAX))))
ISA_ROW(words, w_add_f32, (words a, words b),
        _mm256_castps_si256(_mm256_add_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b))))
ISA_ROW(words, w_sub_f32, (words a, words b),
        _mm256_castps_si256(_mm256_sub_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b))))
ISA_ROW(words, w_of, (vec a), _mm256_castpd_si256(a))
ISA_ROW(vec, v_of, (words a), _mm256_castsi256_pd(a))
ISA_ROW(words, w_splat, (int64_t a), _mm256_set1_epi64x(a))
ISA_ROW(words, w_or_xor, (words r, words a, words b), w_or(r, w_xor(a, b)))
ISA_ROW(words, w_zero, (words a), _mm256_cmpeq_epi64(a, _mm256_setzero_si256()))
ISA_ROW(bool, w_any, (words a), !_mm256_testz_si256(a, a))
ISA_OP unsigned w_signs(words a)
{
    return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(a));
}
#define ISA_FEW
ISA_OP vec v_all(vec a)
{
    a = _mm256_add_pd(a, _mm256_permute2f128_pd(a, a, 1));
    return _mm256_add_pd(a, _mm256_permute_pd(a, 5));
}
ISA_OP vec v_most(vec a)
{
    a = _mm256_max_pd(a, _mm256_permute2f128_pd(a, a, 1));
    return _mm256_max_pd(a, _mm256_permute_pd(a, 5));
}
ISA_ROW(double, v_first, (vec a), _mm256_cvtsd_f64(a))
ISA_ROW(uint64_t, w_first, (words a), (uint64_t)_mm_cvtsi128_si64(_mm256_castsi256_si128(a)))
ISA_OP double v_total(vec a)
{
    __m128d half = _mm_add_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
    return _mm_cvtsd_f64(_mm_add_pd(half, _mm_unpackhi_pd(half, half)));
}
ISA_OP void w_add_pairs(int64_t *table, words places, words a, words b)
{
    int64_t place[LANES];
    w_store(place, places);
    words even = _mm256_unpacklo_epi64(a, b), odd = _mm256_unpackhi_epi64(a, b);
    add_pair(table + place[0], _mm256_castsi256_si128(even));
    add_pair(table + place[1], _mm256_castsi256_si128(odd));
    add_pair(table + place[2], _mm256_extracti128_si256(even, 1));
    add_pair(table + place[3], _mm256_extracti128_si256(odd, 1));
}
ISA_OP void v_add_fours(double *table, words places, vec a, vec b, vec c, vec d)
{
    vec even = _mm256_unpacklo_pd(a, b), odd = _mm256_unpackhi_pd(a, b);
    vec other_even = _mm256_unpacklo_pd(c, d), other_odd = _mm256_unpackhi_pd(c, d);
    const vec four[] = {_mm256_permute2f128_pd(even, other_even, 0x20),
                        _mm256_permute2f128_pd(odd, other_odd, 0x20),
                        _mm256_permute2f128_pd(even, other_even, 0x31),
                        _mm256_permute2f128_pd(odd, other_odd, 0x31)};
    int64_t place[LANES];
    w_store(place, places);
    UNROLL for (int i = 0; i < LANES; i++)
    {
        double *to = table + place[i];
        v_store(to, v_add(_mm256_loadu_pd(to), four[i]));
    }
}
