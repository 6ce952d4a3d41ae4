/* The ways to add arrays to a view, as a table, and what is common to them: short arrays go
 * straight into limbs; strided ones, and those of narrow formats, are gathered into blocks that
 * kernels can take. */
#include "exact/routines/methods.h"
#include "base/environment.h"
#include "exact/routines/widen.h"

enum { SHORT = 48, BLOCK = 2048 };

typedef struct method {
    const char *name;
    unsigned levels; /* for kernels->sum and dot; 0: none */
    bool expansion;
} method;

static const method methods[ACCORD_EXACT_METHOD_COUNT] = {
    [ACCORD_EXACT_AUTO] = {"auto", ACCORDI_EXACT_ALL, false},
    [ACCORD_EXACT_SUPERACCUMULATOR] = {"superaccumulator", 0, false},
    [ACCORD_EXACT_WINDOW] = {"window", ACCORDI_EXACT_WINDOW, false},
    [ACCORD_EXACT_SCATTER] = {"scatter", ACCORDI_EXACT_SCATTER, false},
    [ACCORD_EXACT_EXPANSION] = {"expansion", 0, true},
};

const char *accord_exact_method_name(enum accord_exact_method which)
{
    return (unsigned)which < ACCORD_EXACT_METHOD_COUNT ? methods[which].name : NULL;
}

static bool is_straight(const method *m, size_t n)
{
    return n < SHORT || !(m->levels || m->expansion);
}

/* Contiguous numbers; the environment is that of kernels. */
static void sum_block_f64(const accord_exact_options *how, accordi_exact_view sum, size_t n,
                          const double *x)
{
    const accordi_exact_kernels *k = accordi_exact_kernels_best();
    const method *m = methods + how->method;
    if (m->expansion)
        k->expansion_f64(sum, n, x, how->expansion, !how->no_early_exit);
    else
        k->sum_f64(sum, n, x, m->levels);
}

static void dot_block_f64(const accord_exact_options *how, accordi_exact_view sum, size_t n,
                          const double *x, const double *y)
{
    const accordi_exact_kernels *k = accordi_exact_kernels_best();
    const method *m = methods + how->method;
    if (m->expansion)
        k->expansion_dot_f64(sum, n, x, y, how->expansion, !how->no_early_exit);
    else
        k->dot_f64(sum, n, x, y, m->levels);
}

/* The expansions hold doubles: numbers of f32 are widened, products of two of them are exact. */
static void sum_block_f32(const accord_exact_options *how, accordi_exact_view sum, size_t n,
                          const float *x)
{
    const accordi_exact_kernels *k = accordi_exact_kernels_best();
    const method *m = methods + how->method;
    if (!m->expansion) {
        k->sum_f32(sum, n, x, m->levels);
        return;
    }
    double wide[BLOCK];
    for (size_t from = 0; from < n; from += BLOCK) {
        size_t count = n - from < BLOCK ? n - from : BLOCK;
        for (size_t i = 0; i < count; i++)
            wide[i] = (double)LOAD(float, x + from + i);
        k->expansion_f64(sum, count, wide, how->expansion, !how->no_early_exit);
    }
}

static void dot_block_f32(const accord_exact_options *how, accordi_exact_view sum, size_t n,
                          const float *x, const float *y)
{
    const accordi_exact_kernels *k = accordi_exact_kernels_best();
    const method *m = methods + how->method;
    if (!m->expansion) {
        k->dot_f32(sum, n, x, y, m->levels);
        return;
    }
    double wide[BLOCK];
    for (size_t from = 0; from < n; from += BLOCK) {
        size_t count = n - from < BLOCK ? n - from : BLOCK;
        for (size_t i = 0; i < count; i++)
            wide[i] = (double)LOAD(float, x + from + i) * (double)LOAD(float, y + from + i);
        k->expansion_f64(sum, count, wide, how->expansion, !how->no_early_exit);
    }
}

/* Kernels for these formats take contiguous numbers by the way of windows. */
#define NARROW_BLOCK(suffix_)                                                                      \
    static void sum_block_##suffix_(const accord_exact_options *how, accordi_exact_view sum,       \
                                    size_t n, const uint16_t *x)                                   \
    {                                                                                              \
        if (methods[how->method].levels & ACCORDI_EXACT_WINDOW) {                                  \
            accordi_exact_kernels_best()->sum_##suffix_(sum, n, x);                                \
            return;                                                                                \
        }                                                                                          \
        float wide[BLOCK];                                                                         \
        for (size_t from = 0; from < n; from += BLOCK) {                                           \
            size_t count = n - from < BLOCK ? n - from : BLOCK;                                    \
            for (size_t i = 0; i < count; i++)                                                     \
                wide[i] = accordi_widen_##suffix_(LOAD(uint16_t, x + from + i));                   \
            sum_block_f32(how, sum, count, wide);                                                  \
        }                                                                                          \
    }
NARROW_BLOCK(f16)
NARROW_BLOCK(bf16)

#define ADD_SUM(suffix_, number_)                                                                  \
    static void gather_##suffix_(number_ *to, size_t n, const char *x, ptrdiff_t stride)           \
    {                                                                                              \
        for (size_t i = 0; i < n; i++)                                                             \
            to[i] = LOAD(number_, x + (ptrdiff_t)i * stride * (ptrdiff_t)sizeof(number_));         \
    }                                                                                              \
    void accordi_exact_sum_##suffix_(const accord_exact_options *how, accordi_exact_view sum,      \
                                     size_t n, const number_ *x, ptrdiff_t stride)                 \
    {                                                                                              \
        if (is_straight(methods + how->method, n)) {                                               \
            accordi_exact_terms_##suffix_(sum, n, x, stride);                                      \
            return;                                                                                \
        }                                                                                          \
        accordi_environment before = accordi_environment_enter();                                  \
        if (stride == 1)                                                                           \
            sum_block_##suffix_(how, sum, n, x);                                                   \
        number_ block[BLOCK];                                                                      \
        const char *at = (const char *)x;                                                          \
        for (size_t from = 0; stride != 1 && from < n; from += BLOCK) {                            \
            size_t count = n - from < BLOCK ? n - from : BLOCK;                                    \
            gather_##suffix_(block, count, at, stride);                                            \
            sum_block_##suffix_(how, sum, count, block);                                           \
            at += BLOCK * stride * (ptrdiff_t)sizeof *x;                                           \
        }                                                                                          \
        accordi_environment_leave(before);                                                         \
    }
ADD_SUM(f64, double)
ADD_SUM(f32, float)
ADD_SUM(f16, uint16_t)
ADD_SUM(bf16, uint16_t)

#define ADD_DOT(suffix_, number_)                                                                  \
    void accordi_exact_dot_##suffix_(const accord_exact_options *how, accordi_exact_view sum,      \
                                     size_t n, const number_ *x, ptrdiff_t stride_x,               \
                                     const number_ *y, ptrdiff_t stride_y)                         \
    {                                                                                              \
        if (is_straight(methods + how->method, n)) {                                               \
            accordi_exact_products_##suffix_(sum, n, x, stride_x, y, stride_y);                    \
            return;                                                                                \
        }                                                                                          \
        accordi_environment before = accordi_environment_enter();                                  \
        bool plain = stride_x == 1 && stride_y == 1;                                               \
        if (plain)                                                                                 \
            dot_block_##suffix_(how, sum, n, x, y);                                                \
        number_ block_x[BLOCK], block_y[BLOCK];                                                    \
        const char *at_x = (const char *)x, *at_y = (const char *)y;                               \
        for (size_t from = 0; !plain && from < n; from += BLOCK) {                                 \
            size_t count = n - from < BLOCK ? n - from : BLOCK;                                    \
            gather_##suffix_(block_x, count, at_x, stride_x);                                      \
            gather_##suffix_(block_y, count, at_y, stride_y);                                      \
            dot_block_##suffix_(how, sum, count, block_x, block_y);                                \
            at_x += BLOCK * stride_x * (ptrdiff_t)sizeof *x;                                       \
            at_y += BLOCK * stride_y * (ptrdiff_t)sizeof *y;                                       \
        }                                                                                          \
        accordi_environment_leave(before);                                                         \
    }

ADD_DOT(f64, double)
ADD_DOT(f32, float)
