/* Dots of f16, bf16 and the formats of 8 bits: numbers are widened to f32 block by block, which is
 * exact, and products of f32 have kernels. A product of two zeros keeps the sign that it has in the
 * narrow format. */
#include "exact/routines/reduce.h"
#include "exact/routines/widen.h"

enum { BLOCK = 1024 };
static const accord_exact_options plain = {.method = ACCORD_EXACT_AUTO};

/* The functions of a format, and its sums where it has no kernels. */
#define NARROW(suffix_, number_)                                                                   \
    static void widen_##suffix_(float *to, size_t n, const char *x, ptrdiff_t step)                \
    {                                                                                              \
        for (size_t i = 0; i < n; i++)                                                             \
            to[i] = accordi_widen_##suffix_(LOAD(number_, x + (ptrdiff_t)i * step));               \
    }                                                                                              \
    static void dot_##suffix_(const accord_exact_options *how, accordi_exact_view sum, size_t n,   \
                              const void *x, ptrdiff_t stride_x, const void *y,                    \
                              ptrdiff_t stride_y)                                                  \
    {                                                                                              \
        ptrdiff_t step_x = stride_x * (ptrdiff_t)sizeof(number_),                                  \
                  step_y = stride_y * (ptrdiff_t)sizeof(number_);                                  \
        float a[BLOCK], b[BLOCK];                                                                  \
        const char *at_x = x, *at_y = y;                                                           \
        for (size_t count; n; n -= count) {                                                        \
            count = n < BLOCK ? n : BLOCK;                                                         \
            widen_##suffix_(a, count, at_x, step_x);                                               \
            widen_##suffix_(b, count, at_y, step_y);                                               \
            accordi_exact_dot_f32(how, sum, count, a, 1, b, 1);                                    \
            at_x += (ptrdiff_t)count * step_x;                                                     \
            at_y += (ptrdiff_t)count * step_y;                                                     \
        }                                                                                          \
    }                                                                                              \
    void accord_exact_add_products_##suffix_(accord_exact *sum, size_t n, const number_ *x,        \
                                             ptrdiff_t stride_x, const number_ *y,                 \
                                             ptrdiff_t stride_y)                                   \
    {                                                                                              \
        dot_##suffix_(&plain, accordi_exact_of(sum), n, x, stride_x, y, stride_y);                 \
    }                                                                                              \
    static const accordi_exact_kind kind_##suffix_ = {                                             \
        .format = ACCORD_F32, .size = sizeof(number_), .dot = dot_##suffix_};                      \
    enum accord_status accord_dot_exact_##suffix_(                                                 \
        size_t n, const number_ *x, ptrdiff_t stride_x, const number_ *y, ptrdiff_t stride_y,      \
        const accord_exact_options *options, float *out, accord_error *error)                      \
    {                                                                                              \
        return accordi_exact_reduce(&dot, &kind_##suffix_, ACCORDI_EXACT_REAL, n, x, stride_x, y,  \
                                    stride_y, options, out, error);                                \
    }
#define NARROW_SUM(suffix_, number_)                                                               \
    void accord_exact_add_array_##suffix_(accord_exact *sum, size_t n, const number_ *x,           \
                                          ptrdiff_t stride)                                        \
    {                                                                                              \
        float a[BLOCK];                                                                            \
        const char *at = (const char *)x;                                                          \
        for (size_t count; n; n -= count) {                                                        \
            count = n < BLOCK ? n : BLOCK;                                                         \
            widen_##suffix_(a, count, at, stride);                                                 \
            accordi_exact_sum_f32(&plain, accordi_exact_of(sum), count, a, 1);                     \
            at += (ptrdiff_t)count * stride;                                                       \
        }                                                                                          \
    }

static void add_products(const void *context, size_t tile, size_t from, size_t to,
                         accordi_exact_bank bank, void *scratch)
{
    (void)tile, (void)scratch;
    const accordi_exact_reduction *r = context;
    r->kind->dot(&r->how, accordi_exact_of_bank(bank, 0), to - from,
                 accordi_exact_at(r->kind, r->x, (ptrdiff_t)from * r->stride_x), r->stride_x,
                 accordi_exact_at(r->kind, r->y, (ptrdiff_t)from * r->stride_y), r->stride_y);
}

/* The factors have another size than the result. */
static void finish(const void *context, size_t tile, accordi_exact_bank bank)
{
    (void)tile;
    const accordi_exact_reduction *r = context;
    accordi_exact_store_sum(&accordi_exact_f32, r->out, 0, accordi_exact_of_bank(bank, 0),
                            r->how.rounding);
}

static const accordi_exact_recipe dot = {
    .products = true, .two_arrays = true, .sums = {1}, .add = add_products, .finish = finish};

NARROW(f16, uint16_t)
NARROW(bf16, uint16_t)
NARROW(e4m3, uint8_t)
NARROW(e5m2, uint8_t)
NARROW_SUM(e4m3, uint8_t)
NARROW_SUM(e5m2, uint8_t)
