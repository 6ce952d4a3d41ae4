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
    ACCORD_FORMAT_COUNT
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
    const char *name;  /* "f64", "f32", "f16", "bf16", "tf32", "e4m3", "e5m2" */
    int bits;          /* of the encoding: 64 32 16 16 19 8 8 */
    int bytes;         /* of storage: 8 4 2 2 4 1 1 (tf32 lives in a 32-bit word) */
    int precision;     /* p, bits of significand with the hidden one: 53 24 11 8 11 4 3 */
    int max_exponent;  /* e of the greatest finite value, 2^e <= greatest < 2^(e+1) */
    int min_exponent;  /* e of the least normal value 2^e */
    double greatest;   /* greatest finite value */
    double least;      /* least positive (subnormal) value */
    bool has_infinity; /* overflow gives an infinity; otherwise NaN */
} accord_format_info;

/* The row of a format; NULL when out of range. Static storage. */
ACCORD_API const accord_format_info *accord_format_get(enum accord_format format);

/* Finds a format by its name; returns false, with *out untouched, if there is none. */
ACCORD_API bool accord_format_by_name(const char *name, enum accord_format *out);

/* Returns x correctly rounded into the format, with overflow, subnormal numbers and signed zeros as
 * in IEEE 754. e4m3 has no infinity: an overflow that would give an infinity gives NaN; one that
 * would give the greatest finite number gives `greatest`. NaN gives NaN. */
ACCORD_API double accord_format_round(enum accord_format format, enum accord_rounding rounding,
                                      double x);

/* Returns the correctly rounded sum of two values of the format. It is rounded once: the error of
 * the sum in double is taken into account. */
ACCORD_API double accord_format_add(enum accord_format format, enum accord_rounding rounding,
                                    double a, double b);

/* encode returns the bit pattern of a value. A value that the format cannot hold is first rounded
 * to nearest even, and NaN becomes the canonical quiet NaN. decode returns the value of a bit
 * pattern; bits beyond the lowest accord_format_info.bits are ignored. */
ACCORD_API uint64_t accord_format_encode(enum accord_format format, double x);
ACCORD_API double accord_format_decode(enum accord_format format, uint64_t bits);

#ifdef __cplusplus
}
#endif
#endif
