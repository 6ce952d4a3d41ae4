/* Public functions that take one array to one number, by a recipe. `out_` is their parameter:
 * *out or, for a complex number, out[2]. Internal. */
#ifndef ACCORDI_EXACT_REDUCE_H
#define ACCORDI_EXACT_REDUCE_H

#include "exact/routines/routines.h"

#define REDUCE(name_, suffix_, number_, out_, recipe_, form_)                                      \
    enum accord_status accord_##name_##_##suffix_(size_t n, const number_ *x, ptrdiff_t stride,    \
                                                  const accord_exact_options *options,             \
                                                  number_ out_, accord_error *error)               \
    {                                                                                              \
        return accordi_exact_reduce(&recipe_, &accordi_exact_##suffix_, form_, n, x, stride, NULL, \
                                    0, options, out, error);                                       \
    }

#endif
