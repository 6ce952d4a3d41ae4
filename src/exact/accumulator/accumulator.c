/* The functions of the two accumulators, each a line over the common core. */
#include "exact/accumulator/exact.h"
#include "format/format.h"

static float as_f32(uint64_t pattern)
{
    uint32_t bits = (uint32_t)pattern;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#define ROUND(name_, type_, view_, suffix_, number_, format_, as_)                                 \
    number_ name_##_##suffix_(const type_ *sum, enum accord_exact_rounding rounding)               \
    {                                                                                              \
        return as_(accordi_exact_round(view_(sum), format_, rounding));                            \
    }

#define FUNCTIONS(name_, type_, view_, bytes_)                                                     \
    void name_##_init(type_ *sum)                                                                  \
    {                                                                                              \
        memset(sum, 0, sizeof *sum);                                                               \
    }                                                                                              \
    void name_##_canonical(type_ *sum)                                                             \
    {                                                                                              \
        accordi_exact_normalize(view_(sum));                                                       \
        accordi_exact_settle_zeros(sum->count);                                                    \
    }                                                                                              \
    enum accord_status name_##_add(type_ *sum, const type_ *other, accord_error *error)            \
    {                                                                                              \
        return accordi_exact_merge(view_(sum), view_(other), false, error);                        \
    }                                                                                              \
    enum accord_status name_##_subtract(type_ *sum, const type_ *other, accord_error *error)       \
    {                                                                                              \
        return accordi_exact_merge(view_(sum), view_(other), true, error);                         \
    }                                                                                              \
    enum accord_status name_##_scale(type_ *sum, int exponent, accord_error *error)                \
    {                                                                                              \
        return accordi_exact_shift(view_(sum), exponent, error);                                   \
    }                                                                                              \
    void name_##_save(const type_ *sum, unsigned char bytes[bytes_])                               \
    {                                                                                              \
        accordi_exact_write(view_(sum), bytes);                                                    \
    }                                                                                              \
    ROUND(name_, type_, view_, f64, double, ACCORD_F64, accordi_from_bits)                         \
    ROUND(name_, type_, view_, f32, float, ACCORD_F32, as_f32)                                     \
    ROUND(name_, type_, view_, f16, uint16_t, ACCORD_F16, (uint16_t))                              \
    ROUND(name_, type_, view_, bf16, uint16_t, ACCORD_BF16, (uint16_t))

FUNCTIONS(accord_exact, accord_exact, accordi_exact_of, ACCORD_EXACT_BYTES)
FUNCTIONS(accord_exact_wide, accord_exact_wide, accordi_exact_of_wide, ACCORD_EXACT_WIDE_BYTES)

enum accord_status accord_exact_wide_add_narrow(accord_exact_wide *sum, const accord_exact *other,
                                                accord_error *error)
{
    accord_exact_wide wide;
    accordi_exact_widen(other, &wide);
    return accord_exact_wide_add(sum, &wide, error);
}

enum accord_status accord_exact_wide_subtract_narrow(accord_exact_wide *sum,
                                                     const accord_exact *other, accord_error *error)
{
    accord_exact_wide wide;
    accordi_exact_widen(other, &wide);
    return accord_exact_wide_subtract(sum, &wide, error);
}
