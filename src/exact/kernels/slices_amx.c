/* Slices on AMX-INT8, which multiplies tiles of 16 x 64 bytes, with AVX-512 (F, DQ, BW, VBMI). */
#include "base/base.h"
#include "exact/direct/direct.h"
#include "exact/kernels/slices.h"
#include <stdatomic.h>

enum { SLICES = ACCORDI_EXACT_SLICES, GROUP = ACCORDI_EXACT_SLICES_GROUP, WEIGHTS = 10 };

/* Each product is below 2^16, the sum of those of slices i and j has the weight 2^(112 - 8 (i +
 * j)).
 */
int64_t accordi_exact_slices_dropped(size_t n, int used_left, int used_right)
{
    int64_t each = 0;
    for (int i = 0; i < used_left; i++)
        for (int j = 0; j < used_right; j++)
            if (i + j >= WEIGHTS)
                each += (int64_t)1 << (16 + 112 - 8 * WEIGHTS - 8 * (i + j - WEIGHTS));
    const int unit = ACCORDI_EXACT_SLICES_LOWER;
    return (int64_t)(((uint128)each * n + (((uint128)1 << unit) - 1)) >> unit);
}

#if defined __x86_64__ && defined __linux__ && (__GNUC__ >= 11 || __clang_major__ >= 12)
#include "exact/kernels/unroll.h"
#include <immintrin.h>

#define TARGET                                                                                     \
    __attribute__((target("amx-tile,amx-int8,avx512f,avx512dq,avx512bw,avx512vl,avx512vbmi")))
#define INLINE                                                                                     \
    static inline __attribute__((                                                                  \
        always_inline, target("amx-tile,amx-int8,avx512f,avx512dq,avx512bw,avx512vl,avx512vbmi")))

enum {
    CHUNK = ACCORDI_EXACT_SLICES_CHUNK,
    BLOCK = ACCORDI_EXACT_SLICES_BLOCK,
    TILE = GROUP * CHUNK
};

static size_t chunks_of(size_t n)
{
    return (n + CHUNK - 1) / CHUNK;
}

/* Word i of vector k becomes word k of vector i. */
INLINE void transpose_words(__m512i v[8])
{
    __m512i pairs[8], fours[8];
    for (int i = 0; i < 8; i += 2) {
        pairs[i] = _mm512_unpacklo_epi64(v[i], v[i + 1]);
        pairs[i + 1] = _mm512_unpackhi_epi64(v[i], v[i + 1]);
    }
    for (int i = 0; i < 8; i += 4)
        for (int odd = 0; odd < 2; odd++) {
            __m512i a = pairs[i + odd], b = pairs[i + odd + 2];
            fours[i + odd] = _mm512_shuffle_i64x2(a, b, 0x88);
            fours[i + odd + 2] = _mm512_shuffle_i64x2(a, b, 0xdd);
        }
    for (int i = 0; i < 4; i++) {
        v[i] = _mm512_shuffle_i64x2(fours[i], fours[i + 4], 0x88);
        v[i + 4] = _mm512_shuffle_i64x2(fours[i], fours[i + 4], 0xdd);
    }
}

/* A tile of 16 lines of 64 terms becomes one of 16 times four terms of 16 lines. */
TARGET static void turn_tile(uint8_t *tile)
{
    __m512i v[GROUP], w[GROUP];
    UNROLL for (int i = 0; i < GROUP; i++) v[i] = _mm512_load_si512(tile + CHUNK * i);
    for (int i = 0; i < GROUP; i += 2) {
        w[i] = _mm512_unpacklo_epi32(v[i], v[i + 1]);
        w[i + 1] = _mm512_unpackhi_epi32(v[i], v[i + 1]);
    }
    for (int i = 0; i < GROUP; i += 4) /* column 4 l + c of four rows in lane l of v[i + c] */
        for (int half = 0; half < 2; half++) {
            v[i + 2 * half] = _mm512_unpacklo_epi64(w[i + half], w[i + half + 2]);
            v[i + 2 * half + 1] = _mm512_unpackhi_epi64(w[i + half], w[i + half + 2]);
        }
    for (int c = 0; c < 4; c++) {
        __m512i even[2], odd[2];
        for (int half = 0; half < 2; half++) {
            __m512i a = v[8 * half + c], b = v[8 * half + 4 + c];
            even[half] = _mm512_shuffle_i32x4(a, b, 0x88);
            odd[half] = _mm512_shuffle_i32x4(a, b, 0xdd);
        }
        w[c] = _mm512_shuffle_i32x4(even[0], even[1], 0x88);
        w[8 + c] = _mm512_shuffle_i32x4(even[0], even[1], 0xdd);
        w[4 + c] = _mm512_shuffle_i32x4(odd[0], odd[1], 0x88);
        w[12 + c] = _mm512_shuffle_i32x4(odd[0], odd[1], 0xdd);
    }
    for (int i = 0; i < GROUP; i++)
        _mm512_store_si512(tile + CHUNK * i, w[i]);
}

/* Eight terms from i on, of n; past the end zeros. */
INLINE __m512d load(const double *x, size_t i, size_t n)
{
    if (i + 8 <= n)
        return _mm512_loadu_pd(x + i);
    return _mm512_maskz_loadu_pd((__mmask8)(i < n ? (1 << (n - i)) - 1 : 0), x + i);
}

INLINE __m512i larger(__m512i most, __m512d x)
{
    const __m512i size = _mm512_set1_epi64(INT64_MAX);
    return _mm512_max_epi64(most, _mm512_and_si512(_mm512_castpd_si512(x), size));
}

/* Lines whose unit is too small are left to others. */
TARGET static int64_t top_of(size_t n, const double *x)
{
    enum { LEAST = -900 };
    __m512i most[2] = {_mm512_setzero_si512(), _mm512_setzero_si512()};
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (int v = 0; v < 2; v++)
            most[v] = larger(most[v], _mm512_loadu_pd(x + i + 8 * v));
    for (int v = 0; v < 2; v++, i += 8)
        most[v] = larger(most[v], load(x, i, n));
    int64_t exponent = _mm512_reduce_max_epi64(_mm512_max_epi64(most[0], most[1])) >> 52;
    return exponent == 2047 || exponent - 1022 < LEAST ? ACCORDI_EXACT_NOWHERE : exponent - 1022;
}

/* What the integers of a line lose, and the bits that they have. */
typedef struct line_sums {
    __m512d lost[2];
    __m512i bits;
} line_sums;

INLINE void take_chunk(size_t n, const double *x, __m512d scale, line_sums *sums, uint8_t *to,
                       size_t slice)
{
    /* Byte 7 - s of word v becomes byte v of word s. */
    const __m512i by_slice = _mm512_set_epi64(
        0x3830282018100800, 0x3931292119110901, 0x3a322a221a120a02, 0x3b332b231b130b03,
        0x3c342c241c140c04, 0x3d352d251d150d05, 0x3e362e261e160e06, 0x3f372f271f170f07);
    __m512i slices[8];
    UNROLL for (int v = 0; v < 8; v++)
    {
        __m512d scaled = _mm512_mul_pd(load(x, 8 * (size_t)v, n), scale);
        __m512i integer = _mm512_cvtpd_epi64(scaled);
        __m512d rest = _mm512_abs_pd(_mm512_reduce_pd(scaled, 0));
        sums->lost[v % 2] = _mm512_add_pd(sums->lost[v % 2], rest);
        sums->bits = _mm512_or_si512(sums->bits, integer);
        slices[v] = _mm512_permutexvar_epi8(by_slice, integer);
    }
    transpose_words(slices);
    UNROLL for (int s = 0; s < SLICES; s++) _mm512_store_si512(to + (size_t)s * slice, slices[s]);
}

/* In lower units: a sum changes by less than what a line loses times 2^63, over 2^40. Numbers that
 * are made smaller may underflow: they lose next to nothing, but not nothing. */
INLINE int64_t lost_of(const line_sums *sums, int64_t top)
{
    double lost = _mm512_reduce_add_pd(_mm512_add_pd(sums->lost[0], sums->lost[1]));
    return (int64_t)(lost * (1 + 0x1p-30) * 0x1p23) + (lost != 0) + (top > 63);
}

/* A line that has no top becomes zeros. */
TARGET static void take_line(size_t n, const double *x, uint8_t *to, int64_t *top, int64_t *lost,
                             __m512i *bits)
{
    size_t chunks = chunks_of(n), slice = chunks * TILE;
    *top = top_of(n, x);
    bool any = *top != ACCORDI_EXACT_NOWHERE;
    __m512d scale = _mm512_castsi512_pd(_mm512_set1_epi64(any ? (63 - *top + 1023) << 52 : 0));
    line_sums sums = {{_mm512_setzero_pd(), _mm512_setzero_pd()}, _mm512_setzero_si512()};
    size_t left = any ? n : 0;
    for (; chunks; chunks--, x += CHUNK, to += TILE)
        if (left >= CHUNK) {
            take_chunk(CHUNK, x, scale, &sums, to, slice);
            left -= CHUNK;
        } else {
            take_chunk(left, x, scale, &sums, to, slice);
            left = 0;
        }
    *lost = lost_of(&sums, *top);
    *bits = _mm512_or_si512(*bits, sums.bits);
}

TARGET static void take(size_t lines, size_t n, const double *from, ptrdiff_t down, bool right,
                        accordi_exact_slices *to)
{
    size_t chunks = chunks_of(n);
    __m512i bits = _mm512_setzero_si512();
    if (lines < GROUP)
        memset(to->bytes, 0, chunks * TILE * SLICES);
    for (size_t l = 0; l < GROUP; l++)
        if (l < lines)
            take_line(n, from + (ptrdiff_t)l * down, to->bytes + l * CHUNK, to->top + l,
                      to->lost + l, &bits);
        else {
            to->top[l] = ACCORDI_EXACT_NOWHERE;
            to->lost[l] = 0;
        }
    uint64_t any = (uint64_t)_mm512_reduce_or_epi64(bits);
    to->used = any ? SLICES - __builtin_ctzll(any) / 8 : 0;
    for (size_t t = 0; right && t < chunks * SLICES; t++)
        turn_tile(to->bytes + t * TILE);
}

/* The tiles: four sums, and two on either side. */
#define MULTIPLY(multiply_)                                                                        \
    for (size_t c = 0; c < chunks; c++, a += TILE, b += TILE) {                                    \
        _tile_loadd(4, a, CHUNK);                                                                  \
        _tile_loadd(6, b, CHUNK);                                                                  \
        _tile_loadd(5, a + lower_half, CHUNK);                                                     \
        _tile_loadd(7, b + right_half, CHUNK);                                                     \
        multiply_(0, 4, 6);                                                                        \
        multiply_(2, 5, 6);                                                                        \
        multiply_(1, 4, 7);                                                                        \
        multiply_(3, 5, 7);                                                                        \
    }

INLINE void multiply_slices(size_t chunks, const accordi_exact_slices left[2],
                            const accordi_exact_slices right[2], int i, int j)
{
    size_t slice = chunks * TILE;
    const uint8_t *a = left->bytes + (size_t)i * slice, *b = right->bytes + (size_t)j * slice;
    ptrdiff_t lower_half = left[1].bytes - left->bytes, right_half = right[1].bytes - right->bytes;
    if (i && j)
        MULTIPLY(_tile_dpbuud)
    else if (i)
        MULTIPLY(_tile_dpbusd)
    else if (j)
        MULTIPLY(_tile_dpbsud)
    else
        MULTIPLY(_tile_dpbssd)
}

typedef int32_t tile_sums[4][GROUP][GROUP];

INLINE void multiply_weight(size_t chunks, const accordi_exact_slices left[2],
                            const accordi_exact_slices right[2], int weight, tile_sums to)
{
    int used_left = left[0].used > left[1].used ? left[0].used : left[1].used;
    int used_right = right[0].used > right[1].used ? right[0].used : right[1].used;
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (int i = 0; i <= weight && i < used_left; i++)
        if (weight - i < used_right)
            multiply_slices(chunks, left, right, i, weight - i);
    _tile_stored(0, to[0], CHUNK);
    _tile_stored(1, to[1], CHUNK);
    _tile_stored(2, to[2], CHUNK);
    _tile_stored(3, to[3], CHUNK);
}

/* Eight sums of all weights, the first times 2^112 and each less by 2^8, as upper ones times 2^88
 * and lower ones times 2^40. */
INLINE void join_weights(tile_sums *weights, int tile, int row, int column, int64_t *upper,
                         int64_t *lower)
{
    __m512i w[WEIGHTS];
    for (int i = 0; i < WEIGHTS; i++)
        w[i] = _mm512_cvtepi32_epi64(
            _mm256_loadu_si256((const __m256i *)&weights[i][tile][row][column]));
    __m512i high = w[0], middle = w[4];
    for (int i = 1; i < 4; i++) {
        high = _mm512_add_epi64(_mm512_slli_epi64(high, 8), w[i]);
        middle = _mm512_add_epi64(_mm512_slli_epi64(middle, 8), w[4 + i]);
    }
    __m512i low = _mm512_add_epi64(_mm512_slli_epi64(w[8], 8), w[9]);
    __m512i rest = _mm512_and_si512(middle, _mm512_set1_epi64(UINT32_MAX));
    _mm512_storeu_si512(upper, _mm512_add_epi64(high, _mm512_srai_epi64(middle, 32)));
    _mm512_storeu_si512(lower, _mm512_add_epi64(low, _mm512_slli_epi64(rest, 16)));
}

TARGET static void multiply(size_t n, const accordi_exact_slices left[2],
                            const accordi_exact_slices right[2], int64_t *upper, int64_t *lower)
{
    struct {
        uint8_t palette, start, reserved[14];
        uint16_t bytes[16]; /* of a row */
        uint8_t rows[16];
    } tiles = {.palette = 1};
    for (int t = 0; t < 8; t++) {
        tiles.bytes[t] = CHUNK;
        tiles.rows[t] = GROUP;
    }
    _Alignas(64) tile_sums weights[WEIGHTS];
    _tile_loadconfig(&tiles);
    for (int w = 0; w < WEIGHTS; w++)
        multiply_weight(chunks_of(n), left, right, w, weights[w]);
    _tile_release();
    for (int r = 0; r < BLOCK; r++)
        for (int c = 0; c < BLOCK; c += 8)
            join_weights(weights, r / GROUP * 2 + c / GROUP, r % GROUP, c % GROUP,
                         upper + BLOCK * r + c, lower + BLOCK * r + c);
}

/* Both ends of the interval that holds a sum are one rounding of two exact numbers. Where they are
 * the same, so is every number between. A sum of 0 may be one of -0 alone. */
TARGET static void round_row(const accordi_exact_slices *left, int row,
                             const accordi_exact_slices *right, int64_t dropped,
                             const int64_t *upper, const int64_t *lower, uint64_t *pattern,
                             bool *known)
{
    const __m512i least = _mm512_set1_epi64(ACCORDI_EXACT_LEAST);
    const __m512i most = _mm512_set1_epi64(ACCORDI_EXACT_SLICES_MOST);
    for (int c = 0; c < GROUP; c += 8) {
        __m512i top =
            _mm512_add_epi64(_mm512_loadu_si512(right->top + c), _mm512_set1_epi64(left->top[row]));
        __mmask8 fit = _mm512_cmpge_epi64_mask(top, least) & _mm512_cmple_epi64_mask(top, most);
        __m512d scale = _mm512_cvtepi64_pd(top);
        __m512i lost = _mm512_add_epi64(_mm512_loadu_si512(right->lost + c),
                                        _mm512_set1_epi64(left->lost[row] + dropped));
        __m512i low = _mm512_loadu_si512(lower + c);
        __m512d high = _mm512_cvtepi64_pd(_mm512_loadu_si512(upper + c));
        __m512d from = _mm512_cvtepi64_pd(_mm512_sub_epi64(low, lost));
        __m512d to = _mm512_cvtepi64_pd(_mm512_add_epi64(low, lost));
        const __m512d unit = _mm512_set1_pd(0x1p-86), step = _mm512_set1_pd(0x1p48);
        scale = _mm512_scalef_pd(unit, scale);
        high = _mm512_mul_pd(high, _mm512_mul_pd(scale, step));
        from = _mm512_fmadd_pd(from, scale, high);
        to = _mm512_fmadd_pd(to, scale, high);
        fit &= _mm512_cmpeq_epi64_mask(_mm512_castpd_si512(from), _mm512_castpd_si512(to)) &
               _mm512_cmp_pd_mask(from, _mm512_setzero_pd(), _CMP_NEQ_UQ);
        _mm512_storeu_pd(pattern + c, from);
        _mm_storel_epi64((__m128i *)(known + c), _mm_maskz_set1_epi8(fit, 1));
    }
}

static const accordi_exact_slices_kernels amx = {take, multiply, round_row};

const accordi_exact_slices_kernels *accordi_exact_slices_best(void)
{
    static _Atomic int usable; /* 0: not known yet */
    int now = atomic_load_explicit(&usable, memory_order_relaxed);
    if (!now) {
        now = accordi_cpu_has("avx512") && accordi_cpu_has("amx") ? 1 : -1;
        atomic_store_explicit(&usable, now, memory_order_relaxed);
    }
    return now > 0 ? &amx : NULL;
}
#else
const accordi_exact_slices_kernels *accordi_exact_slices_best(void)
{
    return NULL;
}
#endif
