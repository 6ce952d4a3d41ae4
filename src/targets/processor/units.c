/* Instructions of x86 that add products of narrow numbers, with the loop that a library would have
 * around them: over all products, the accumulator stays in its register. */
#include "targets/processor/units.h"

#if defined(__x86_64__) && defined(__linux__) && (__GNUC__ >= 11 || __clang_major__ >= 12)
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#define AMX __attribute__((target("amx-tile,amx-bf16")))
#define AVX512_BF16 __attribute__((target("avx512f,avx512vl,avx512bf16")))

enum { PRODUCTS = 32 }; /* of a tile's row */
/* The tiles; the assembler wants plain numbers. */
#define SUM 0
#define X 1
#define Y 2

/* Linux gives a process the tiles when it asks for them. */
static bool has_amx(void)
{
    enum { ASK_FOR = 0x1023, TILE_DATA = 18 }; /* ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA */
    unsigned a, b, c, d = 0;
    bool known = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d >> 22 & 1) && (d >> 24 & 1);
    return known && syscall(SYS_arch_prctl, ASK_FOR, TILE_DATA) == 0;
}

static bool has_avx512_bf16(void)
{
    unsigned a = 0, b, c, d;
    return __builtin_cpu_supports("avx512vl") && __get_cpuid_count(7, 1, &a, &b, &c, &d) &&
           (a >> 5 & 1);
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

AMX static float dot_tdpbf16ps(size_t n, const void *a, const void *b)
{
    float sum = 0;
    const uint16_t *x = a, *y = b;
    for (size_t k = 0; k < n; k += PRODUCTS) {
        configure(n - k < PRODUCTS ? (n - k + 1) / 2 : PRODUCTS / 2);
        _tile_loadd(SUM, &sum, 4);
        _tile_loadd(X, x + k, 4);
        _tile_loadd(Y, y + k, 4);
        _tile_dpbf16ps(SUM, X, Y);
        _tile_stored(SUM, &sum, 4);
    }
    _tile_release();
    return sum;
}

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
     HERE(has_amx, dot_tdpbf16ps)},
    {.name = "vdpbf16ps",
     .feature = "AVX512-BF16",
     .format = ACCORD_BF16,
     .storage = ACCORDI_BF16,
     HERE(has_avx512_bf16, dot_vdpbf16ps)},
};
const size_t accordi_unit_count = sizeof accordi_units / sizeof accordi_units[0];
