/* Views of arrays of every format with their strides, and the helpers of routines.h. */
#include "exact/routines/routines.h"
#include "exact/direct/direct.h"

#define SUMS(suffix_)                                                                              \
    static bool short_sum_##suffix_(size_t n, const void *x, ptrdiff_t stride,                     \
                                    const accord_exact_options *how, void *out)                    \
    {                                                                                              \
        return accordi_exact_short_sum_##suffix_(n, x, stride, how, out);                          \
    }                                                                                              \
    static void sum_##suffix_(const accord_exact_options *how, accordi_exact_view sum, size_t n,   \
                              const void *x, ptrdiff_t stride)                                     \
    {                                                                                              \
        accordi_exact_sum_##suffix_(how, sum, n, x, stride);                                       \
    }                                                                                              \
    static void terms_##suffix_(accordi_exact_view sum, size_t n, const void *x, ptrdiff_t stride) \
    {                                                                                              \
        accordi_exact_terms_##suffix_(sum, n, x, stride);                                          \
    }
#define DOTS(suffix_)                                                                              \
    static bool short_dot_##suffix_(size_t n, const void *x, ptrdiff_t stride_x, const void *y,    \
                                    ptrdiff_t stride_y, const accord_exact_options *how,           \
                                    void *out)                                                     \
    {                                                                                              \
        return accordi_exact_short_dot_##suffix_(n, x, stride_x, y, stride_y, how, out);           \
    }                                                                                              \
    static void dot_##suffix_(const accord_exact_options *how, accordi_exact_view sum, size_t n,   \
                              const void *x, ptrdiff_t stride_x, const void *y,                    \
                              ptrdiff_t stride_y)                                                  \
    {                                                                                              \
        accordi_exact_dot_##suffix_(how, sum, n, x, stride_x, y, stride_y);                        \
    }                                                                                              \
    static void products_##suffix_(accordi_exact_view sum, size_t n, const void *x,                \
                                   ptrdiff_t stride_x, const void *y, ptrdiff_t stride_y)          \
    {                                                                                              \
        accordi_exact_products_##suffix_(sum, n, x, stride_x, y, stride_y);                        \
    }
SUMS(f64)
SUMS(f32)
SUMS(f16)
SUMS(bf16)
DOTS(f64)
DOTS(f32)

#define ROW(suffix_, format_, size_, wide_, dot_, short_dot_, products_)                           \
    const accordi_exact_kind accordi_exact_##suffix_ = {                                           \
        .format = format_,                                                                         \
        .size = size_,                                                                             \
        .wide = wide_,                                                                             \
        .sum = sum_##suffix_,                                                                      \
        .dot = dot_,                                                                               \
        .short_sum = short_sum_##suffix_,                                                          \
        .short_dot = short_dot_,                                                                   \
        .terms = terms_##suffix_,                                                                  \
        .products = products_,                                                                     \
    };
ROW(f64, ACCORD_F64, 8, true, dot_f64, short_dot_f64, products_f64)
ROW(f32, ACCORD_F32, 4, false, dot_f32, short_dot_f32, products_f32)
ROW(f16, ACCORD_F16, 2, false, NULL, NULL, NULL)
ROW(bf16, ACCORD_BF16, 2, false, NULL, NULL, NULL)

void accordi_exact_store(const accordi_exact_kind *kind, void *x, ptrdiff_t place, uint64_t pattern)
{
    char *at = (char *)x + place * kind->size;
    uint32_t word = (uint32_t)pattern;
    uint16_t half = (uint16_t)pattern;
    if (kind->size == 8)
        memcpy(at, &pattern, 8);
    else if (kind->size == 4)
        memcpy(at, &word, 4);
    else
        memcpy(at, &half, 2);
}

accordi_exact_number accordi_exact_take(const accordi_exact_kind *kind, const void *x)
{
    const accord_format_info *row = accord_format_get(kind->format);
    int fraction = row->precision - 1;
    uint64_t bits, hidden = (uint64_t)1 << fraction;
    uint32_t word;
    uint16_t half;
    if (kind->size == 8) {
        memcpy(&bits, x, 8);
    } else if (kind->size == 4) {
        memcpy(&word, x, 4);
        bits = word;
    } else {
        memcpy(&half, x, 2);
        bits = half;
    }
    uint64_t fields = ((uint64_t)1 << (row->bits - row->precision)) - 1;
    uint64_t field = bits >> fraction & fields, m = bits & (hidden - 1);
    bool finite = field != fields;
    return (accordi_exact_number){
        .m = !finite ? 0
             : field ? m | hidden
                     : m,
        .exponent = (int)(field ? field - 1 : 0) + row->min_exponent - fraction,
        .negative = bits >> (row->bits - 1),
        .zero = !field && !m,
        .infinite = !finite && !m,
        .nan = !finite && m,
    };
}

uint64_t accordi_exact_odd(const accordi_exact_kind *kind, enum accord_exact_count which)
{
    int64_t limb[1] = {0}, pending = 0, count[ACCORD_EXACT_COUNTS] = {[ACCORD_EXACT_TERMS] = 1};
    count[which]++;
    accordi_exact_view sum = {limb, count, &pending, 1, 0};
    return accordi_exact_round(sum, kind->format, ACCORD_EXACT_NEAREST_EVEN);
}

/* The side that lies closer together runs in the inner loop. */
#define PACK(name_, word_)                                                                         \
    static void name_(word_ *to, size_t rows, size_t columns, const char *from, ptrdiff_t down,    \
                      ptrdiff_t across)                                                            \
    {                                                                                              \
        for (size_t c = 0; c < columns; c++)                                                       \
            for (size_t r = 0; r < rows; r++)                                                      \
                memcpy(to + r * columns + c, from + (ptrdiff_t)c * across + (ptrdiff_t)r * down,   \
                       sizeof *to);                                                                \
    }                                                                                              \
    static void name_##_by_row(word_ *to, size_t rows, size_t columns, const char *from,           \
                               ptrdiff_t down, ptrdiff_t across)                                   \
    {                                                                                              \
        for (size_t r = 0; r < rows; r++, from += down, to += columns)                             \
            for (size_t c = 0; c < columns; c++)                                                   \
                memcpy(to + c, from + (ptrdiff_t)c * across, sizeof *to);                          \
    }
PACK(pack_8, uint64_t)
PACK(pack_4, uint32_t)

void accordi_exact_pack(int size, void *to, size_t rows, size_t columns, const void *from,
                        ptrdiff_t row_stride, ptrdiff_t column_stride)
{
    ptrdiff_t down = row_stride * size, across = column_stride * size;
    bool by_row = rows == 1 || (across < 0 ? -across : across) < (down < 0 ? -down : down);
    if (across == size)
        for (size_t r = 0; r < rows; r++)
            memcpy((char *)to + r * columns * (size_t)size,
                   (const char *)from + (ptrdiff_t)r * down, columns * (size_t)size);
    else if (size == 8)
        (by_row ? pack_8_by_row : pack_8)(to, rows, columns, from, down, across);
    else
        (by_row ? pack_4_by_row : pack_4)(to, rows, columns, from, down, across);
}

enum accord_status accordi_exact_prepare(bool numbers, bool result,
                                         const accord_exact_options *options,
                                         accord_exact_options *how, accord_error *error)
{
    enum accord_status status =
        ACCORDI_TAKE(accord_exact_options, no_early_exit, how, options, error);
    if (status)
        return status;
    how->expansion = how->expansion ? how->expansion : ACCORDI_EXACT_EXPANSION;
    how->threads = how->threads ? how->threads : 1;
    if (!numbers || !result)
        return accordi_fail(error, ACCORD_ARG, "%s NULL; pass the %s",
                            numbers ? "the result is" : "an array is",
                            numbers ? "place of the result" : "address of its first element");
    if ((unsigned)how->method >= ACCORD_EXACT_METHOD_COUNT)
        return accordi_fail(error, ACCORD_ARG, "there is no method %d; use ACCORD_EXACT_AUTO",
                            (int)how->method);
    if ((unsigned)how->rounding >= ACCORD_EXACT_ROUNDING_COUNT)
        return accordi_fail(error, ACCORD_ARG,
                            "there is no rounding %d; see enum accord_exact_rounding",
                            (int)how->rounding);
    if (how->expansion < 2 || how->expansion > 8)
        return accordi_fail(error, ACCORD_ARG, "an expansion cannot have %d terms; choose 2 to 8",
                            how->expansion);
    if (how->threads < 0)
        return accordi_fail(
            error, ACCORD_ARG,
            "%d is not a number of threads; give 1 or more, or ACCORD_EXACT_EACH_PROCESSOR",
            how->threads);
    return ACCORD_OK;
}
