/* The kernels of exact sums for AVX2 with FMA. */
#include "base/environment.h"
#include "exact/kernels/kernels.h"
#if defined __x86_64__ && defined __GNUC__
#include "exact/kernels/isa_avx2.h"

#include "exact/kernels/whole_row.h"

const accordi_exact_kernels accordi_exact_kernels_avx2 = WHOLE_ROW("avx2", 4, NULL, 1 << 22);

#define FAR(name_)                                                                                 \
    bool accordi_exact_far_##name_##_avx2(size_t n, const void *x, const void *y, int folds,       \
                                          accordi_exact_close *out)                                \
    {                                                                                              \
        accordi_environment before = accordi_environment_enter();                                  \
        bool found = short_##name_(n, x, y, folds, out);                                           \
        accordi_environment_leave(before);                                                         \
        return found;                                                                              \
    }
FAR(sum_f64)
FAR(dot_f64)

#define FEW(name_)                                                                                 \
    bool accordi_exact_few_##name_##_avx2(size_t n, const void *x, const void *y,                  \
                                          accordi_exact_ends *out)                                 \
    {                                                                                              \
        return few_##name_(n, x, y, out);                                                          \
    }
FEW(sum_f64)
FEW(sum_f32)
FEW(dot_f64)
FEW(dot_f32)
#endif
