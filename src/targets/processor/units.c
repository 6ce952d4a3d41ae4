/* Instructions of x86 that add products of narrow numbers, with the loop that a library would have
 * around them: over all products, the accumulator stays in its register. */
#include "targets/processor/units.h"

#if defined(__x86_64__) && defined(__linux__) && (__GNUC__ >= 11 || __clang_major__ >= 12)
#include "base/base.h"
#include <immintrin.h>

#define AMX __attribute__((target("amx-tile,amx-bf16")))
#define AVX512_BF16 __attribute__((target("avx512f,avx512vl,avx512bf16")))

enum { PRODUCTS = 32 }; /* of a tile's row */
/* The tiles; the assembler wants plain numbers. */
#define SUM 0
#define X 1
#define Y 2

static bool has_amx_bf16(void)
{
    return accordi_cpu_has_bit(0, ACCORDI_CPU_EDX, 22) && accordi_cpu_has_tiles();
}

static bool has_amx_f16(void)
{
    return accordi_cpu_has_bit(1, ACCORDI_CPU_EAX, 21) && accordi_cpu_has_tiles();
}

static bool has_avx512_bf16(void)
{
    return __builtin_cpu_supports("avx512vl") && accordi_cpu_has_bit(1, ACCORDI_CPU_EAX, 5);
}

/* A row of `pairs` pairs, times a column of them, into one number. */
AMX static void configure(size_t pairs)
{
    struct {
        uint8_t palette, start, reserved[14];
        uint16_t bytes[16]; /* of a row */
        uint8_t rows[16];
    } tiles = {.palette = 1};
    tiles.rows[SUM] = tiles.rows[X] = 1;
    tiles.bytes[SUM] = tiles.bytes[Y] = 4;
    tiles.bytes[X] = (uint16_t)(4 * pairs);
    tiles.rows[Y] = (uint8_t)pairs;
    _tile_loadconfig(&tiles);
}

/* As many steps as it takes; MULTIPLY adds the products of X and Y to SUM. */
#define DOT(name_, MULTIPLY)                                                                       \
    AMX static float dot_##name_(size_t n, const void *a, const void *b)                           \
    {                                                                                              \
        float sum = 0;                                                                             \
        const uint16_t *x = a, *y = b;                                                             \
        for (size_t k = 0; k < n; k += PRODUCTS) {                                                 \
            configure(n - k < PRODUCTS ? (n - k + 1) / 2 : PRODUCTS / 2);                          \
            _tile_loadd(SUM, &sum, 4);                                                             \
            _tile_loadd(X, x + k, 4);                                                              \
            _tile_loadd(Y, y + k, 4);                                                              \
            MULTIPLY;                                                                              \
            _tile_stored(SUM, &sum, 4);                                                            \
        }                                                                                          \
        _tile_release();                                                                           \
        return sum;                                                                                \
    }

DOT(tdpbf16ps, _tile_dpbf16ps(SUM, X, Y))
/* tdpfp16ps tmm0, tmm1, tmm2: older compilers and assemblers know neither its name nor an
 * intrinsic. */
DOT(tdpfp16ps, __asm__ volatile(".byte 0xc4, 0xe2, 0x6b, 0x5c, 0xc1" ::: "memory"))

AVX512_BF16 static float dot_vdpbf16ps(size_t n, const void *a, const void *b)
{
    __m128 sum = _mm_setzero_ps();
    for (size_t k = 0; k < n; k += 2) {
        int x, y;
        memcpy(&x, (const uint16_t *)a + k, 4);
        memcpy(&y, (const uint16_t *)b + k, 4);
        sum = _mm_dpbf16_ps(sum, (__m128bh)_mm_cvtsi32_si128(x), (__m128bh)_mm_cvtsi32_si128(y));
    }
    return _mm_cvtss_f32(sum);
}
#define HERE(is_here_, dot_) .is_here = (is_here_), .dot = (dot_)
#else
#define HERE(is_here_, dot_) .is_here = NULL
#endif

const accordi_unit accordi_units[] = {
    {.name = "tdpbf16ps",
     .feature = "AMX-BF16",
     .format = ACCORD_BF16,
     .storage = ACCORDI_BF16,
     HERE(has_amx_bf16, dot_tdpbf16ps)},
    {.name = "tdpfp16ps",
     .feature = "AMX-FP16",
     .format = ACCORD_F16,
     .storage = ACCORDI_F16,
     HERE(has_amx_f16, dot_tdpfp16ps)},
    {.name = "vdpbf16ps",
     .feature = "AVX512-BF16",
     .format = ACCORD_BF16,
     .storage = ACCORDI_BF16,
     HERE(has_avx512_bf16, dot_vdpbf16ps)},
};
const size_t accordi_unit_count = sizeof accordi_units / sizeof accordi_units[0];
