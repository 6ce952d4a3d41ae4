/* The expansions of the row of kernels that every machine can run: one lane. */
#define GENERIC_LANES 1
#include "exact/kernels/isa_generic.h"

#include "exact/kernels/expansion_arrays.h"

void accordi_exact_scalar_expansion_f64(accordi_exact_view sum, size_t n, const double *x, int size,
                                        bool early_exit)
{
    expansion_f64(sum, n, x, size, early_exit);
}

void accordi_exact_scalar_expansion_dot_f64(accordi_exact_view sum, size_t n, const double *x,
                                            const double *y, int size, bool early_exit)
{
    expansion_dot_f64(sum, n, x, y, size, early_exit);
}
