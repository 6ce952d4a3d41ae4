/* Sums and dots in one call: a table of methods, each of which adds arrays to an accumulator. */
#include "exact/exact.h"

#define SUPERACCUMULATOR                                                                           \
    accord_exact_add_array_f64, accord_exact_add_array_f32, accord_exact_wide_add_products_f64,    \
        accord_exact_add_products_f32

static const accordi_exact_method methods[ACCORD_EXACT_METHOD_COUNT] = {
    [ACCORD_EXACT_AUTO] = {"auto", SUPERACCUMULATOR},
    [ACCORD_EXACT_SUPERACCUMULATOR] = {"superaccumulator", SUPERACCUMULATOR},
};

const char *accord_exact_method_name(enum accord_exact_method method)
{
    return (unsigned)method < ACCORD_EXACT_METHOD_COUNT ? methods[method].name : NULL;
}

void accord_exact_options_init(accord_exact_options *options)
{
    *options = (accord_exact_options){ACCORD_EXACT_AUTO, ACCORD_EXACT_NEAREST_EVEN};
}

/* Fills *how from the options, and says whether the call can be served. */
static enum accord_status prepare(bool arrays, const void *out, const accord_exact_options *options,
                                  accord_exact_options *how, accord_error *error)
{
    accord_exact_options_init(how);
    if (options)
        *how = *options;
    if (!arrays || !out)
        return accordi_fail(error, ACCORD_ARG, "no %s; give it", arrays ? "result" : "numbers");
    if ((unsigned)how->method >= ACCORD_EXACT_METHOD_COUNT)
        return accordi_fail(error, ACCORD_ARG, "no method %d; ACCORD_EXACT_AUTO serves all",
                            (int)how->method);
    if ((unsigned)how->rounding >= ACCORD_EXACT_ROUNDING_COUNT)
        return accordi_fail(error, ACCORD_ARG, "no rounding %d; see enum accord_exact_rounding",
                            (int)how->rounding);
    return ACCORD_OK;
}

#define SUM(suffix_, number_)                                                                      \
    enum accord_status accord_sum_exact_##suffix_(size_t n, const number_ *x, ptrdiff_t stride,    \
                                                  const accord_exact_options *options,             \
                                                  number_ *out, accord_error *error)               \
    {                                                                                              \
        accord_exact_options how;                                                                  \
        enum accord_status status = prepare(x || !n, out, options, &how, error);                   \
        if (status)                                                                                \
            return status;                                                                         \
        accord_exact sum;                                                                          \
        accord_exact_init(&sum);                                                                   \
        methods[how.method].sum_##suffix_(&sum, n, x, stride);                                     \
        *out = accord_exact_##suffix_(&sum, how.rounding);                                         \
        return ACCORD_OK;                                                                          \
    }

#define DOT(suffix_, number_, type_)                                                               \
    enum accord_status accord_dot_exact_##suffix_(                                                 \
        size_t n, const number_ *x, ptrdiff_t stride_x, const number_ *y, ptrdiff_t stride_y,      \
        const accord_exact_options *options, number_ *out, accord_error *error)                    \
    {                                                                                              \
        accord_exact_options how;                                                                  \
        enum accord_status status = prepare((x && y) || !n, out, options, &how, error);            \
        if (status)                                                                                \
            return status;                                                                         \
        type_ sum;                                                                                 \
        type_##_init(&sum);                                                                        \
        methods[how.method].dot_##suffix_(&sum, n, x, stride_x, y, stride_y);                      \
        *out = type_##_##suffix_(&sum, how.rounding);                                              \
        return ACCORD_OK;                                                                          \
    }

SUM(f64, double)
SUM(f32, float)
DOT(f64, double, accord_exact_wide)
DOT(f32, float, accord_exact)
