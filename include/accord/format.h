/* Number formats as rows of one table, and correct rounding into them.
 *
 * A value of every format is held in a double, which contains them all exactly. All functions
 * are pure and thread-safe. They use ordinary double additions, so the caller's rounding mode must
 * be to nearest, the default; in another mode their results may be wrong. */
#ifndef ACCORD_FORMAT_H
#define ACCORD_FORMAT_H

#include <accord/base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum accord_format {
    ACCORD_F64,
    ACCORD_F32,
    ACCORD_F16,
    ACCORD_BF16,
    ACCORD_TF32,
    ACCORD_E4M3, /* OCP 8-bit, no infinity: S.1111.111 is NaN, greatest 448 */
    ACCORD_E5M2, /* OCP 8-bit, IEEE-like */
    /* The formats above are those of terms and sums. Those below are the elements and the scales of
     * block-scaled formats (OCP Microscaling Formats 1.0; NVFP4): operands of machines that take
     * scales may be elements, but no sums. */
    ACCORD_FORMAT_COUNT,
    ACCORD_E3M2 = ACCORD_FORMAT_COUNT, /* elements of 6 bits, greatest 28 */
    ACCORD_E2M3,                       /* elements of 6 bits, greatest 7.5 */
    ACCORD_E2M1,                       /* elements of 4 bits: 0, 0.5, 1, 1.5, 2, 3, 4, 6 */
    ACCORD_E8M0,                       /* scales of MX: 2^(pattern - 127), 255 is NaN */
    ACCORD_UE4M3,                      /* scales of NVFP4: e4m3 whose sign is ignored */
    ACCORD_ALL_FORMATS
};

enum accord_rounding {
    ACCORD_NEAREST_EVEN,
    ACCORD_TOWARD_ZERO,
    ACCORD_DOWN,
    ACCORD_UP,
    ACCORD_NEAREST_AWAY, /* to nearest, ties away from zero */
    ACCORD_ROUNDING_COUNT
};

typedef struct accord_format_info {
    const char *name;  /* "f64", "f32", "f16", "bf16", "tf32", "e4m3", "e5m2", "e3m2", … */
    int bits;          /* of the encoding: 64 32 16 16 19 8 8; 6 6 4; 8 7 */
    int bytes;         /* of storage: 8 4 2 2 4 1 1 (tf32 lives in a 32-bit word); 1 1 1; 1 1 */
    int precision;     /* p, bits of significand with the hidden one: 53 24 11 8 11 4 3; 3 4 2; 1 4
                        */
    int max_exponent;  /* e of the greatest finite value, 2^e <= greatest < 2^(e+1) */
    int min_exponent;  /* e of the least normal value 2^e */
    double greatest;   /* greatest finite value */
    double least;      /* least positive (subnormal) value */
    bool has_infinity; /* overflow gives an infinity; otherwise NaN */
    bool has_nan;      /* otherwise, in e3m2, e2m3 and e2m1, overflow gives the greatest value */
    bool has_sign;     /* not so in e8m0 and ue4m3 */
    bool has_zero;     /* not so in e8m0 */
} accord_format_info;

/* The row of a format; NULL when out of range. Static storage. */
ACCORD_API const accord_format_info *accord_format_get(enum accord_format format);

/* Finds a format of terms and sums (below ACCORD_FORMAT_COUNT) by its name; returns false, with
 * *out untouched, if there is none. */
ACCORD_API bool accord_format_by_name(const char *name, enum accord_format *out);

/* The same among the formats that operands may have (accord_format_multiplies). */
ACCORD_API bool accord_format_operand_by_name(const char *name, enum accord_format *out);

/* Whether terms and sums may have the format. */
static inline bool accord_format_adds(enum accord_format format)
{
    return (unsigned)format < ACCORD_FORMAT_COUNT;
}

/* Whether the operands of a machine may have the format: those of terms and sums, and elements. */
static inline bool accord_format_multiplies(enum accord_format format)
{
    return (unsigned)format < ACCORD_E8M0;
}

/* Returns x correctly rounded into the format, with overflow, subnormal numbers and signed zeros as
 * in IEEE 754. e4m3 has no infinity: an overflow that would give an infinity gives NaN; one that
 * would give the greatest finite number gives `greatest`. NaN gives NaN. In e3m2, e2m3 and e2m1,
 * which have neither, what is too large gives the greatest value, and NaN, which they cannot hold,
 * still gives NaN. Scales are not negative: -0 counts as 0, and other negative numbers give NaN.
 * e8m0 has no zero: what is less than its least value, 0 included, gives that value, and half way
 * between two values the greater one is taken by ACCORD_NEAREST_EVEN. */
ACCORD_API double accord_format_round(enum accord_format format, enum accord_rounding rounding,
                                      double x);

/* Returns the correctly rounded sum of two values of the format. It is rounded once: the error of
 * the sum in double is taken into account. */
ACCORD_API double accord_format_add(enum accord_format format, enum accord_rounding rounding,
                                    double a, double b);

/* encode returns the bit pattern of a value. A value that the format cannot hold is first rounded
 * to nearest even, and NaN becomes the canonical quiet NaN, or in a format without NaN the greatest
 * value. decode returns the value of a bit pattern; bits beyond the lowest accord_format_info.bits
 * are ignored, such as the sign of ue4m3. */
ACCORD_API uint64_t accord_format_encode(enum accord_format format, double x);
ACCORD_API double accord_format_decode(enum accord_format format, uint64_t bits);

#ifdef __cplusplus
}
#endif
#endif
