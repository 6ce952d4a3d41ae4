/* Multi-term fused sums of matrix accelerators, as one parametrised model.
 *
 * A machine takes `terms` products a[i]*b[i] and the sum so far, c, in one step; a dot product is
 * a chain of steps. Four schemes cover what is known; the parameters of a row say the rest.
 * Sources: MMA-Sim (arXiv:2511.10909 and its published models); Fasi, Higham, Mikaitis, Pranesh,
 * Numerical behavior of NVIDIA tensor cores, 2021; Khattak and Mikaitis (arXiv:2512.07004); FTTN
 * (arXiv:2403.00232). The rows, each with its source: src/fused/machines.c. */
#ifndef ACCORD_FUSED_H
#define ACCORD_FUSED_H

#include <accord/format.h>

#ifdef __cplusplus
extern "C" {
#endif

enum accord_fused_scheme {
    ACCORD_FUSED_CHAIN,    /* term by term: c = round(a*b + c), one rounding (FMA) */
    ACCORD_FUSED_PAIRWISE, /* products rounded, summed by halves with rounding, then c added */
    ACCORD_FUSED_WITH_C,   /* products and c aligned together, cut, summed exactly, rounded */
    ACCORD_FUSED_THEN_C    /* products aligned, cut and summed; that sum and c aligned and cut once
                              more, summed exactly, rounded */
};

/* What a sum becomes that the result cannot hold. */
enum accord_fused_overflow {
    ACCORD_OVERFLOW_INFINITE, /* an infinity, in every direction of rounding (e4m3: NaN) */
    ACCORD_OVERFLOW_ROUNDED,  /* as IEEE 754 rounds: toward zero the greatest finite value … */
    ACCORD_OVERFLOW_GREATEST  /* the greatest finite value, in every direction */
};

/* Alignment. The exponent of a product is exponent(a) + exponent(b), or with `normalised` that of
 * its leading bit; that of a subnormal operand is the least one of its format unless `leading`;
 * zeros take no part unless `zeros`. With E the greatest exponent of those aligned, but at least
 * `least_exponent`, each is rounded by `alignment` to a multiple of 2^(E - fraction). A block is
 * aligned by the exponents of its scales alone, zero or not, and multiplied by their significands.
 */
typedef struct accord_fused {
    const char *name;          /* "hopper-f16": machine, format of a and b, of d unless it is f32 */
    const char *machine;       /* "Hopper" */
    const char *source;        /* where the parameters come from */
    enum accord_format input;  /* of a and b; those of a tf32 row may be f32: they are cut */
    enum accord_format output; /* of c and d */
    enum accord_fused_scheme scheme;
    int terms;       /* products of a step */
    int block;       /* products summed exactly before they are aligned as one; else 0 */
    int scale_block; /* products that share a pair of scales (block-scaled formats); else 0 */

    /* the two aligned schemes */
    int fraction;                   /* F */
    enum accord_rounding alignment; /* ACCORD_TOWARD_ZERO truncates */
    int least_exponent;
    bool normalised;
    bool leading, c_leading; /* subnormal a and b, or c, have the exponent of their leading bit */
    bool zeros; /* a zero has the least exponent of its format (a normalised product: none) */
    /* ACCORD_FUSED_THEN_C: with `halves` even and odd products are aligned and summed apart, then
     * joined at `fraction` bits by `join`. In the second alignment, in which a zero c takes part
     * with the least exponent of its format, the sum of products is cut at sum_fraction bits by
     * `join`, c at c_fraction; a c whose exponent lies more than c_reach below E is dropped (0:
     * never). */
    bool halves;
    int sum_fraction, c_fraction, c_reach;
    enum accord_rounding join;

    /* the result */
    enum accord_rounding rounding;
    enum accord_fused_overflow overflow;
    bool positive_zero;     /* what is rounded, or flushed, to zero is +0, never -0 */
    int output_fraction;    /* fraction bits kept of d; 0: as many as output has */
    bool flush;             /* subnormal a, b, c count as zero, and results become zero */
    bool infinite_products; /* a product past the greatest f32 is an infinity */
} accord_fused;

/* The i-th row, NULL past the end. Static storage. */
ACCORD_API const accord_fused *accord_fused_at(size_t i);
/* NULL when there is none. */
ACCORD_API const accord_fused *accord_fused_by_name(const char *name);

/* One step: *d = the sum of a[i]*b[i], i < count, and c, by the rules of the row.
 *   count <= fused->terms (ACCORD_ARG otherwise): missing products are zero.
 *   a, b: values of fused->input; c: of fused->output.
 *   scale_a, scale_b: a scale for each scale_block products, powers of two or of at most 4
 *     significant bits; NULL: all 1, and the only choice where scale_block is 0 (ACCORD_ARG).
 * NaN and infinities as in IEEE 754; an exact zero is +0 (ACCORD_FUSED_CHAIN and _PAIRWISE: as
 * IEEE additions give it). Thread-safe. */
ACCORD_API enum accord_status accord_fused_step(const accord_fused *fused, size_t count,
                                                const double *a, const double *b,
                                                const double *scale_a, const double *scale_b,
                                                double c, double *d, accord_error *error);

/* A dot product of n terms: a chain of steps of `terms` products each (the last may be short)
 * that starts with c = +0. Scales are 1. */
ACCORD_API enum accord_status accord_fused_dot(const accord_fused *fused, size_t n, const double *a,
                                               const double *b, double *d, accord_error *error);

#ifdef __cplusplus
}
#endif
#endif
