/* The table of formats, for the files of this room. Internal. */
#ifndef ACCORDI_FORMAT_H
#define ACCORDI_FORMAT_H

#include "base/base.h"
#include <accord/format.h>
#include <math.h>

extern const accord_format_info accordi_formats[ACCORD_ALL_FORMATS];

/* What an overflow that is not cut gives. */
static inline double accordi_beyond(const accord_format_info *row)
{
    return row->has_infinity ? (double)INFINITY : row->has_nan ? (double)NAN : row->greatest;
}

/* |x| = significand * 2^(exponent - 52), for finite x. A subnormal double keeps the exponent of
 * the least normal one and has no hidden bit. */
typedef struct accordi_parts {
    uint64_t significand;
    int exponent;
} accordi_parts;

static inline uint64_t accordi_bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double accordi_from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* 2^exponent, a normal double. */
static inline double accordi_power_of_two(int exponent)
{
    return accordi_from_bits((uint64_t)(exponent + 1023) << 52);
}

static inline accordi_parts accordi_split(double x)
{
    uint64_t bits = accordi_bits_of(x);
    int field = (int)(bits >> 52 & 0x7ff);
    uint64_t fraction = bits & 0xfffffffffffff;
    if (field == 0)
        return (accordi_parts){fraction, -1022};
    return (accordi_parts){fraction | (uint64_t)1 << 52, field - 1023};
}

/* Each of them rounded to nearest, as accord_format_round does. */
void accordi_round_each(enum accord_format format, double *x, size_t count);
void accordi_round_each_f32(enum accord_format format, float *x, size_t count);

#endif
