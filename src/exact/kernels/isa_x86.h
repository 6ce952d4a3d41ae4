/* What AVX2 and AVX-512 have in common: operations that differ only in the width of the registers.
 * Included by isa_avx2.h and isa_avx512.h, which say what MM, MM_FLOAT (an operation of floating
 * point), MM_WORDS and ISA_REGISTER are. What the operations mean: isa_generic.h. */
#include "exact/kernels/isa_row.h"
#include "exact/kernels/unroll.h"

ISA_OP vec v_load(const double *at)
{
    vec a = MM(loadu_pd)(at);
    __asm__("" : ISA_REGISTER(a)); /* once: gcc would load it for each use */
    return a;
}
ISA_OP void v_store(double *at, vec a)
{
    MM(storeu_pd)(at, a);
}
ISA_ROW(vec, v_splat, (double a), MM(set1_pd)(a))
ISA_ROW(vec, v_add, (vec a, vec b), MM_FLOAT(add, a, b))
ISA_ROW(vec, v_sub, (vec a, vec b), MM_FLOAT(sub, a, b))
ISA_ROW(vec, v_minus, (vec a, vec b), MM_FLOAT(fnmadd, b, MM(set1_pd)(1), a))
ISA_ROW(vec, v_mul, (vec a, vec b), MM_FLOAT(mul, a, b))
ISA_ROW(vec, v_fma, (vec a, vec b, vec c), MM_FLOAT(fmadd, a, b, c))
ISA_ROW(vec, v_fms, (vec a, vec b, vec c), MM_FLOAT(fmsub, a, b, c))
ISA_ROW(words, w_load, (const void *at), MM_WORDS(loadu)(at))
/* What compilers know nothing of. */
ISA_OP words w_opaque(words a)
{
    __asm__("" : ISA_REGISTER(a));
    return a;
}
ISA_OP void w_store(void *at, words a)
{
    MM_WORDS(storeu)(at, a);
}
ISA_ROW(words, w_add, (words a, words b), MM(add_epi64)(a, b))
ISA_ROW(words, w_sub, (words a, words b), MM(sub_epi64)(a, b))
ISA_ROW(words, w_add32, (words a, words b), MM(add_epi32)(a, b))
/* Opaque, or gcc 12 would store and load what is kept from one step of a loop to the next. */
ISA_ROW(words, w_max32, (words a, words b), w_opaque(MM(max_epu32)(a, b)))
ISA_ROW(words, w_min32, (words a, words b), w_opaque(MM(min_epu32)(a, b)))
ISA_ROW(words, w_most_f32, (words m, words a), w_max32(m, a))
ISA_ROW(words, w_least_f32, (words m, words a), w_min32(m, a))
ISA_ROW(words, w_max_top, (words a, words b), w_max32(a, b))
ISA_ROW(words, w_min_top, (words a, words b), w_min32(a, b))
ISA_ROW(words, w_and, (words a, words b), MM_WORDS (and)(a, b))
ISA_ROW(words, w_or, (words a, words b), MM_WORDS(or)(a, b))
ISA_ROW(words, w_xor, (words a, words b), MM_WORDS (xor)(a, b))
ISA_ROW(words, w_shr_each, (words a, words by), MM(srlv_epi64)(a, by))
ISA_ROW(words, w_shl_each, (words a, words by), MM(sllv_epi64)(a, by))
#define w_shr(a_, by_) MM(srli_epi64)(a_, by_)
#define w_shl(a_, by_) MM(slli_epi64)(a_, by_)
/* Results that are subnormal numbers become zeros, until the state is restored. */
#define ISA_FLUSH
ISA_OP unsigned isa_flush(void)
{
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | _MM_FLUSH_ZERO_ON);
    return before;
}
ISA_OP void isa_restore(unsigned before)
{
    _mm_setcsr(before);
}
ISA_OP void add_pair(int64_t *at, __m128i pair)
{
    __m128i *to = (__m128i *)(void *)at;
    _mm_storeu_si128(to, _mm_add_epi64(_mm_loadu_si128(to), pair));
}
