/* Arrays into accumulators, by the method that is fastest for their length. */
#include "exact/routines/methods.h"

static const accord_exact_options plain = {.method = ACCORD_EXACT_AUTO};

#define ADD_ARRAY(name_, type_, number_, layout_, view_)                                           \
    void accord_##name_(type_ *sum, size_t n, const number_ *x, ptrdiff_t stride)                  \
    {                                                                                              \
        accordi_exact_sum_##layout_(&plain, view_(sum), n, x, stride);                             \
    }
#define ADD_PRODUCTS(name_, type_, number_, layout_, view_)                                        \
    void accord_##name_(type_ *sum, size_t n, const number_ *x, ptrdiff_t stride_x,                \
                        const number_ *y, ptrdiff_t stride_y)                                      \
    {                                                                                              \
        accordi_exact_dot_##layout_(&plain, view_(sum), n, x, stride_x, y, stride_y);              \
    }

/* Terms are added aside, and their sum is taken away. */
#define SUBTRACT_ARRAY(name_, type_, number_, layout_, view_)                                      \
    void accord_##name_(type_ *sum, size_t n, const number_ *x, ptrdiff_t stride)                  \
    {                                                                                              \
        type_ terms = {0};                                                                         \
        accordi_exact_sum_##layout_(&plain, view_(&terms), n, x, stride);                          \
        accordi_exact_take_away(view_(sum), view_(&terms));                                        \
    }
#define SUBTRACT_PRODUCTS(name_, type_, number_, layout_, view_)                                   \
    void accord_##name_(type_ *sum, size_t n, const number_ *x, ptrdiff_t stride_x,                \
                        const number_ *y, ptrdiff_t stride_y)                                      \
    {                                                                                              \
        type_ terms = {0};                                                                         \
        accordi_exact_dot_##layout_(&plain, view_(&terms), n, x, stride_x, y, stride_y);           \
        accordi_exact_take_away(view_(sum), view_(&terms));                                        \
    }
/* A part has twice the stride of its pairs. */
#define ADD_COMPLEX(name_, type_, number_, layout_, view_)                                         \
    void accord_##name_(type_ sum[2], size_t n, const number_ *x, ptrdiff_t stride)                \
    {                                                                                              \
        for (int part = 0; n && part < 2; part++)                                                  \
            accordi_exact_sum_##layout_(&plain, view_(sum + part), n, x + part, 2 * stride);       \
    }
/* (a + ib)(c + id) = ac - bd + i(ad + bc); of the conjugate of the first the signs of b change. */
#define ADD_PRODUCTS_COMPLEX(name_, type_, number_, layout_, view_)                                \
    void accord_##name_(type_ sum[2], bool conjugate, size_t n, const number_ *x,                  \
                        ptrdiff_t stride_x, const number_ *y, ptrdiff_t stride_y)                  \
    {                                                                                              \
        stride_x *= 2;                                                                             \
        stride_y *= 2;                                                                             \
        for (int part = 0; n && part < 2; part++) {                                                \
            type_ terms = {0};                                                                     \
            accordi_exact_view to = view_(sum + part), other = view_(&terms);                      \
            bool negate = conjugate == (part == 1);                                                \
            accordi_exact_dot_##layout_(&plain, to, n, x, stride_x, y + part, stride_y);           \
            accordi_exact_dot_##layout_(&plain, negate ? other : to, n, x + 1, stride_x,           \
                                        y + (1 - part), stride_y);                                 \
            if (negate)                                                                            \
                accordi_exact_take_away(to, other);                                                \
        }                                                                                          \
    }

ADD_ARRAY(exact_add_array_f64, accord_exact, double, f64, accordi_exact_of)
ADD_ARRAY(exact_add_array_f32, accord_exact, float, f32, accordi_exact_of)
ADD_ARRAY(exact_add_array_f16, accord_exact, uint16_t, f16, accordi_exact_of)
ADD_ARRAY(exact_add_array_bf16, accord_exact, uint16_t, bf16, accordi_exact_of)
ADD_ARRAY(exact_wide_add_array_f64, accord_exact_wide, double, f64, accordi_exact_of_wide)
ADD_PRODUCTS(exact_add_products_f32, accord_exact, float, f32, accordi_exact_of)
ADD_PRODUCTS(exact_wide_add_products_f64, accord_exact_wide, double, f64, accordi_exact_of_wide)
ADD_ARRAY(exact_wide_add_array_f32, accord_exact_wide, float, f32, accordi_exact_of_wide)
ADD_ARRAY(exact_wide_add_array_f16, accord_exact_wide, uint16_t, f16, accordi_exact_of_wide)
ADD_ARRAY(exact_wide_add_array_bf16, accord_exact_wide, uint16_t, bf16, accordi_exact_of_wide)
SUBTRACT_ARRAY(exact_subtract_array_f64, accord_exact, double, f64, accordi_exact_of)
SUBTRACT_ARRAY(exact_subtract_array_f32, accord_exact, float, f32, accordi_exact_of)
SUBTRACT_ARRAY(exact_subtract_array_f16, accord_exact, uint16_t, f16, accordi_exact_of)
SUBTRACT_ARRAY(exact_subtract_array_bf16, accord_exact, uint16_t, bf16, accordi_exact_of)
SUBTRACT_ARRAY(exact_wide_subtract_array_f64, accord_exact_wide, double, f64, accordi_exact_of_wide)
SUBTRACT_ARRAY(exact_wide_subtract_array_f32, accord_exact_wide, float, f32, accordi_exact_of_wide)
SUBTRACT_ARRAY(exact_wide_subtract_array_f16, accord_exact_wide, uint16_t, f16,
               accordi_exact_of_wide)
SUBTRACT_ARRAY(exact_wide_subtract_array_bf16, accord_exact_wide, uint16_t, bf16,
               accordi_exact_of_wide)
SUBTRACT_PRODUCTS(exact_subtract_products_f32, accord_exact, float, f32, accordi_exact_of)
SUBTRACT_PRODUCTS(exact_wide_subtract_products_f64, accord_exact_wide, double, f64,
                  accordi_exact_of_wide)
ADD_COMPLEX(exact_add_array_complex_f64, accord_exact, double, f64, accordi_exact_of)
ADD_COMPLEX(exact_add_array_complex_f32, accord_exact, float, f32, accordi_exact_of)
ADD_COMPLEX(exact_wide_add_array_complex_f64, accord_exact_wide, double, f64, accordi_exact_of_wide)
ADD_COMPLEX(exact_wide_add_array_complex_f32, accord_exact_wide, float, f32, accordi_exact_of_wide)
ADD_PRODUCTS_COMPLEX(exact_add_products_complex_f32, accord_exact, float, f32, accordi_exact_of)
ADD_PRODUCTS_COMPLEX(exact_wide_add_products_complex_f64, accord_exact_wide, double, f64,
                     accordi_exact_of_wide)
