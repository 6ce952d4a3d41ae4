/* Numbers of narrow formats as f32, which holds all of them. Internal. Zeros keep their signs,
 * infinities stay infinities, and NaNs, signaling ones too, stay NaNs. */
#ifndef ACCORDI_EXACT_WIDEN_H
#define ACCORDI_EXACT_WIDEN_H

#include "base/base.h"

/* memcpy: the caller's numbers need no alignment. */
#define LOAD(type_, at_)                                                                           \
    __extension__({                                                                                \
        type_ loaded_;                                                                             \
        memcpy(&loaded_, at_, sizeof loaded_);                                                     \
        loaded_;                                                                                   \
    })

static inline float accordi_widen_bf16(uint16_t pattern)
{
    uint32_t bits = (uint32_t)pattern << 16;
    return LOAD(float, &bits);
}

/* Of a format with `fraction` bits of fraction whose numbers with the exponent field 0 are
 * multiples of `least`; its fields count from 127 - shift. The product is exact and normal, so no
 * flag of the caller's has a say. */
static inline float accordi_widen(uint32_t sign, uint32_t field, uint32_t m, int fraction,
                                  uint32_t shift, float least, bool special)
{
    uint32_t bits;
    if (!field) {
        float size = (float)m * least;
        bits = LOAD(uint32_t, &size);
    } else {
        bits = (special ? 255 : field + shift) << 23 | m << (23 - fraction);
    }
    bits |= sign;
    return LOAD(float, &bits);
}

static inline float accordi_widen_f16(uint16_t pattern)
{
    uint32_t field = pattern >> 10 & 31;
    return accordi_widen((uint32_t)(pattern & 0x8000) << 16, field, pattern & 1023, 10, 112,
                         0x1p-24f, field == 31);
}

/* The upper half of an f16. */
static inline float accordi_widen_e5m2(uint8_t pattern)
{
    return accordi_widen_f16((uint16_t)(pattern << 8));
}

/* No infinities: the greatest exponent has numbers, and one NaN of either sign. */
static inline float accordi_widen_e4m3(uint8_t pattern)
{
    return accordi_widen((uint32_t)(pattern & 0x80) << 24, pattern >> 3 & 15, pattern & 7, 3, 120,
                         0x1p-9f, (pattern & 0x7f) == 0x7f);
}

#endif
