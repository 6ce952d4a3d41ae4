/* The walks along a model's tree: one template, for lanes of float and double, for a group of rows
 * and for a single one, with and without vectors of 256 bits and fused multiply-adds. All give the
 * same bits: without the instruction fma is libm's. */
#include "model/replay/walk.h"
#include "model/replay/replay.h"
#include <math.h>
#if defined __x86_64__ && defined __GNUC__
#include <immintrin.h>
#endif

/* gcc 12 at -O3 loses roundings from double to float here: its vectorizer of straight-line code
 * merges what two branches do. Lanes are vectors by their types. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

#if defined __x86_64__ && defined __GNUC__
#define HAS_CLONES 1
#define AVX2 __attribute__((target("avx2,fma")))
#else
#define HAS_CLONES 0
#endif

static inline void fuse_f32(const float *a, const float *b, const float *c, float *out,
                            size_t count)
{
    for (size_t l = 0; l < count; l++)
        out[l] = fmaf(a[l], b[l], c[l]);
}

static inline void fuse_f64(const double *a, const double *b, const double *c, double *out,
                            size_t count)
{
    for (size_t l = 0; l < count; l++)
        out[l] = fma(a[l], b[l], c[l]);
}

#if HAS_CLONES
AVX2 static inline void fuse_f32_avx2(const float *a, const float *b, const float *c, float *out,
                                      size_t count)
{
    for (size_t l = 0; l < count; l += 8)
        _mm256_storeu_ps(out + l, _mm256_fmadd_ps(_mm256_loadu_ps(a + l), _mm256_loadu_ps(b + l),
                                                  _mm256_loadu_ps(c + l)));
}

AVX2 static inline void fuse_f64_avx2(const double *a, const double *b, const double *c,
                                      double *out, size_t count)
{
    for (size_t l = 0; l < count; l += 4)
        _mm256_storeu_pd(out + l, _mm256_fmadd_pd(_mm256_loadu_pd(a + l), _mm256_loadu_pd(b + l),
                                                  _mm256_loadu_pd(c + l)));
}

AVX2 static inline void fuse_one_f32(const float *a, const float *b, const float *c, float *out,
                                     size_t count)
{
    (void)count;
    *out = fmaf(*a, *b, *c);
}

AVX2 static inline void fuse_one_f64(const double *a, const double *b, const double *c, double *out,
                                     size_t count)
{
    (void)count;
    *out = fma(*a, *b, *c);
}
#endif

#define NAME group_f32
#define TYPE float
#define LANES ACCORDI_LANES_F32
#define TARGET
#define IS_FLOAT 1
#define FUSE_F32 fuse_f32
#define FUSE_F64 fuse_f64
#include "model/replay/walk_lanes.h"

#define NAME group_f64
#define TYPE double
#define LANES ACCORDI_LANES_F64
#define TARGET
#define IS_FLOAT 0
#define FUSE_F32 fuse_f32
#define FUSE_F64 fuse_f64
#include "model/replay/walk_lanes.h"

#define NAME single_f32
#define TYPE float
#define LANES 1
#define TARGET
#define IS_FLOAT 1
#define FUSE_F32 fuse_f32
#define FUSE_F64 fuse_f64
#include "model/replay/walk_lanes.h"

#define NAME single_f64
#define TYPE double
#define LANES 1
#define TARGET
#define IS_FLOAT 0
#define FUSE_F32 fuse_f32
#define FUSE_F64 fuse_f64
#include "model/replay/walk_lanes.h"

#if HAS_CLONES
#define NAME group_f32_avx2
#define TYPE float
#define LANES ACCORDI_LANES_F32
#define TARGET AVX2
#define IS_FLOAT 1
#define FUSE_F32 fuse_f32_avx2
#define FUSE_F64 fuse_f64_avx2
#include "model/replay/walk_lanes.h"

#define NAME group_f64_avx2
#define TYPE double
#define LANES ACCORDI_LANES_F64
#define TARGET AVX2
#define IS_FLOAT 0
#define FUSE_F32 fuse_f32_avx2
#define FUSE_F64 fuse_f64_avx2
#include "model/replay/walk_lanes.h"

#define NAME single_f32_avx2
#define TYPE float
#define LANES 1
#define TARGET AVX2
#define IS_FLOAT 1
#define FUSE_F32 fuse_one_f32
#define FUSE_F64 fuse_one_f64
#include "model/replay/walk_lanes.h"

#define NAME single_f64_avx2
#define TYPE double
#define LANES 1
#define TARGET AVX2
#define IS_FLOAT 0
#define FUSE_F32 fuse_one_f32
#define FUSE_F64 fuse_one_f64
#include "model/replay/walk_lanes.h"
#endif

typedef void walk_f32(const accordi_plan *plan, const float *x, const float *y, float *stack,
                      double *scratch);
typedef void walk_f64(const accordi_plan *plan, const double *x, const double *y, double *stack,
                      double *scratch);

/* By [fast][single row]. */
#if HAS_CLONES
static walk_f32 *const walks_f32[2][2] = {{group_f32, single_f32},
                                          {group_f32_avx2, single_f32_avx2}};
static walk_f64 *const walks_f64[2][2] = {{group_f64, single_f64},
                                          {group_f64_avx2, single_f64_avx2}};
#else
static walk_f32 *const walks_f32[2][2] = {{group_f32, single_f32}, {group_f32, single_f32}};
static walk_f64 *const walks_f64[2][2] = {{group_f64, single_f64}, {group_f64, single_f64}};
#endif

void accordi_walk(const accordi_plan *plan, bool fast, bool single, const void *x, const void *y,
                  void *stack, double *scratch)
{
    y = plan->folded ? NULL : y;
    if (plan->f32)
        walks_f32[fast][single](plan, x, y, stack, scratch);
    else
        walks_f64[fast][single](plan, x, y, stack, scratch);
}
