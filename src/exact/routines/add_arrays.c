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

ADD_ARRAY(exact_add_array_f64, accord_exact, double, f64, accordi_exact_of)
ADD_ARRAY(exact_add_array_f32, accord_exact, float, f32, accordi_exact_of)
ADD_ARRAY(exact_add_array_f16, accord_exact, uint16_t, f16, accordi_exact_of)
ADD_ARRAY(exact_add_array_bf16, accord_exact, uint16_t, bf16, accordi_exact_of)
ADD_ARRAY(exact_wide_add_array_f64, accord_exact_wide, double, f64, accordi_exact_of_wide)
ADD_PRODUCTS(exact_add_products_f32, accord_exact, float, f32, accordi_exact_of)
ADD_PRODUCTS(exact_wide_add_products_f64, accord_exact_wide, double, f64, accordi_exact_of_wide)
