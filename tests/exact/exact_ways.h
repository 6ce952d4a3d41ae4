/* All ways to an exact sum or dot, as tables: kinds of numbers, and for each kind the kernels of
 * every instruction set, the table of methods, the accumulators' functions, and one call. */
#ifndef EXACT_WAYS_H
#define EXACT_WAYS_H

#include "base/environment.h"
#include "exact/routines/methods.h"
#include "exact_sums.h"

typedef struct accumulator {
    bool is_wide;
    accord_exact small;
    accord_exact_wide wide;
} accumulator;

static inline void accumulator_init(accumulator *sum, bool wide)
{
    sum->is_wide = wide;
    accord_exact_init(&sum->small);
    accord_exact_wide_init(&sum->wide);
}

static inline accordi_exact_view view_of(accumulator *sum)
{
    return sum->is_wide ? accordi_exact_of_wide(&sum->wide) : accordi_exact_of(&sum->small);
}

typedef struct strided {
    const void *at;
    ptrdiff_t stride;
} strided;

typedef struct kind {
    const char *name;
    enum accord_format format;
    size_t size;
    bool dot, needs_wide;
    /* A kernel itself; false where the row has none for this. NULL: none at all. */
    bool (*direct)(const accordi_exact_kernels *row, const accord_exact_options *how,
                   accordi_exact_view sum, size_t n, const void *x, const void *y);
    void (*routed)(const accord_exact_options *how, accordi_exact_view sum, size_t n, strided x,
                   strided y);
    /* The accumulators' own functions; false where there is none of this size. */
    bool (*added)(accumulator *sum, size_t n, strided x, strided y);
    uint64_t (*once)(const accord_exact_options *how, size_t n, strided x, strided y);
} kind;

static const unsigned levels_of[ACCORD_EXACT_METHOD_COUNT] = {
    [ACCORD_EXACT_AUTO] = ACCORDI_EXACT_ALL,
    [ACCORD_EXACT_WINDOW] = ACCORDI_EXACT_WINDOW,
    [ACCORD_EXACT_SCATTER] = ACCORDI_EXACT_SCATTER,
};

static inline bool direct_f64(const accordi_exact_kernels *row, const accord_exact_options *how,
                              accordi_exact_view sum, size_t n, const void *x, const void *y)
{
    (void)y;
    if (how->method == ACCORD_EXACT_EXPANSION)
        row->expansion_f64(sum, n, x, how->expansion, !how->no_early_exit);
    else
        row->sum_f64(sum, n, x, levels_of[how->method]);
    return true;
}

static inline bool direct_dot_f64(const accordi_exact_kernels *row, const accord_exact_options *how,
                                  accordi_exact_view sum, size_t n, const void *x, const void *y)
{
    if (how->method == ACCORD_EXACT_EXPANSION)
        row->expansion_dot_f64(sum, n, x, y, how->expansion, !how->no_early_exit);
    else
        row->dot_f64(sum, n, x, y, levels_of[how->method]);
    return true;
}

static inline bool direct_f32(const accordi_exact_kernels *row, const accord_exact_options *how,
                              accordi_exact_view sum, size_t n, const void *x, const void *y)
{
    (void)y;
    if (how->method != ACCORD_EXACT_EXPANSION)
        row->sum_f32(sum, n, x, levels_of[how->method]);
    return how->method != ACCORD_EXACT_EXPANSION;
}

static inline bool direct_dot_f32(const accordi_exact_kernels *row, const accord_exact_options *how,
                                  accordi_exact_view sum, size_t n, const void *x, const void *y)
{
    if (how->method != ACCORD_EXACT_EXPANSION)
        row->dot_f32(sum, n, x, y, levels_of[how->method]);
    return how->method != ACCORD_EXACT_EXPANSION;
}

#define DIRECT_NARROW(suffix_)                                                                     \
    static inline bool direct_##suffix_(const accordi_exact_kernels *row,                          \
                                        const accord_exact_options *how, accordi_exact_view sum,   \
                                        size_t n, const void *x, const void *y)                    \
    {                                                                                              \
        (void)y;                                                                                   \
        if (levels_of[how->method] & ACCORDI_EXACT_WINDOW)                                         \
            row->sum_##suffix_(sum, n, x);                                                         \
        return levels_of[how->method] & ACCORDI_EXACT_WINDOW;                                      \
    }
DIRECT_NARROW(f16)
DIRECT_NARROW(bf16)

#define SUM_WAYS(suffix_, number_)                                                                 \
    static inline void routed_##suffix_(const accord_exact_options *how, accordi_exact_view sum,   \
                                        size_t n, strided x, strided y)                            \
    {                                                                                              \
        (void)y;                                                                                   \
        accordi_exact_sum_##suffix_(how, sum, n, x.at, x.stride);                                  \
    }                                                                                              \
    static inline uint64_t once_##suffix_(const accord_exact_options *how, size_t n, strided x,    \
                                          strided y)                                               \
    {                                                                                              \
        number_ out;                                                                               \
        uint64_t pattern = 0;                                                                      \
        (void)y;                                                                                   \
        assert_int_equal(accord_sum_exact_##suffix_(n, x.at, x.stride, how, &out, NULL),           \
                         ACCORD_OK);                                                               \
        memcpy(&pattern, &out, sizeof out); /* little-endian */                                    \
        return pattern;                                                                            \
    }                                                                                              \
    static inline bool added_##suffix_(accumulator *sum, size_t n, strided x, strided y)           \
    {                                                                                              \
        (void)y;                                                                                   \
        if (!sum->is_wide)                                                                         \
            accord_exact_add_array_##suffix_(&sum->small, n, x.at, x.stride);                      \
        return !sum->is_wide;                                                                      \
    }

#define DOT_WAYS(suffix_, number_)                                                                 \
    static inline void routed_dot_##suffix_(                                                       \
        const accord_exact_options *how, accordi_exact_view sum, size_t n, strided x, strided y)   \
    {                                                                                              \
        accordi_exact_dot_##suffix_(how, sum, n, x.at, x.stride, y.at, y.stride);                  \
    }                                                                                              \
    static inline uint64_t once_dot_##suffix_(const accord_exact_options *how, size_t n,           \
                                              strided x, strided y)                                \
    {                                                                                              \
        number_ out;                                                                               \
        uint64_t pattern = 0;                                                                      \
        assert_int_equal(                                                                          \
            accord_dot_exact_##suffix_(n, x.at, x.stride, y.at, y.stride, how, &out, NULL),        \
            ACCORD_OK);                                                                            \
        memcpy(&pattern, &out, sizeof out);                                                        \
        return pattern;                                                                            \
    }

SUM_WAYS(f64, double)
SUM_WAYS(f32, float)
SUM_WAYS(f16, uint16_t)
SUM_WAYS(bf16, uint16_t)
DOT_WAYS(f64, double)
DOT_WAYS(f32, float)

static inline bool added_either_f64(accumulator *sum, size_t n, strided x, strided y)
{
    if (sum->is_wide)
        accord_exact_wide_add_array_f64(&sum->wide, n, x.at, x.stride);
    return sum->is_wide || added_f64(sum, n, x, y);
}

static inline bool added_dot_f64(accumulator *sum, size_t n, strided x, strided y)
{
    accord_exact_wide_add_products_f64(&sum->wide, n, x.at, x.stride, y.at, y.stride);
    return true;
}

static inline bool added_dot_f32(accumulator *sum, size_t n, strided x, strided y)
{
    if (!sum->is_wide)
        accord_exact_add_products_f32(&sum->small, n, x.at, x.stride, y.at, y.stride);
    return !sum->is_wide;
}

static const kind all_kinds[] = {
    {"f64 sum", ACCORD_F64, 8, false, false, direct_f64, routed_f64, added_either_f64, once_f64},
    {"f64 dot", ACCORD_F64, 8, true, true, direct_dot_f64, routed_dot_f64, added_dot_f64,
     once_dot_f64},
    {"f32 sum", ACCORD_F32, 4, false, false, direct_f32, routed_f32, added_f32, once_f32},
    {"f32 dot", ACCORD_F32, 4, true, false, direct_dot_f32, routed_dot_f32, added_dot_f32,
     once_dot_f32},
    {"f16 sum", ACCORD_F16, 2, false, false, direct_f16, routed_f16, added_f16, once_f16},
    {"bf16 sum", ACCORD_BF16, 2, false, false, direct_bf16, routed_bf16, added_bf16, once_bf16},
};
enum { KINDS = sizeof all_kinds / sizeof *all_kinds };

/* Usable rows of kernels; NULL past the end. */
static inline const accordi_exact_kernels *usable_row(size_t which)
{
    const accordi_exact_kernels *row;
    for (size_t i = 0; (row = accordi_exact_kernels_at(i)); i++)
        if (accordi_exact_kernels_usable(row) && !which--)
            return row;
    return NULL;
}

static inline int usable_rows(void)
{
    int rows = 0;
    while (usable_row((size_t)rows))
        rows++;
    return rows;
}

static inline accord_exact_options any_options(void)
{
    accord_exact_options how;
    accord_exact_options_init(&how);
    how.method = (enum accord_exact_method)below(ACCORD_EXACT_METHOD_COUNT);
    how.rounding = (enum accord_exact_rounding)below(ROUNDINGS);
    how.threads = below(9);
    how.expansion = 2 + below(7);
    how.no_early_exit = below(2);
    return how;
}

#endif
