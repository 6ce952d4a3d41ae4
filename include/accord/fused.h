/* Multi-term fused sums of matrix accelerators and processors, as one model with parameters.
 *
 * A machine takes `terms` products a[i]*b[i] and the sum so far, c, in one step; a dot product is
 * a chain of steps. There are six schemes, which cover all known machines; the other
 * parameters describe how a machine rounds.
 * Sources: MMA-Sim (arXiv:2511.10909 and its published models); Fasi, Higham, Mikaitis, Pranesh,
 * Numerical behavior of NVIDIA tensor cores, 2021; Khattak and Mikaitis (arXiv:2512.07004); FTTN
 * (arXiv:2403.00232). src/fused/machines.c has the rows, each with its source. */
#ifndef ACCORD_FUSED_H
#define ACCORD_FUSED_H

#include <accord/format.h>

#ifdef __cplusplus
extern "C" {
#endif

enum accord_fused_scheme {
    /* term by term: c = round(a*b + c), one rounding (FMA) */
    ACCORD_FUSED_CHAIN,
    /* products are rounded and summed by halves with rounding; then c is added */
    ACCORD_FUSED_PAIRWISE,
    /* products and c are aligned together, summed exactly and rounded */
    ACCORD_FUSED_WITH_C,
    /* products are aligned and summed exactly; that sum and c are aligned once more, summed exactly
     * and rounded */
    ACCORD_FUSED_THEN_C,
    /* as ACCORD_FUSED_CHAIN, but from the last product of a step to the first */
    ACCORD_FUSED_LAST_FIRST,
    /* the products at even and those at odd places are chains of multiply-adds of their own, from
     * +0 on; their sums are added, and then c is, with rounding */
    ACCORD_FUSED_EVEN_ODD
};

/* The result of a sum that is too large for the format of the result. */
enum accord_fused_overflow {
    ACCORD_OVERFLOW_INFINITE, /* an infinity, in every direction of rounding (e4m3: NaN) */
    /* What IEEE 754 gives in the direction of rounding: toward zero the greatest finite value, … */
    ACCORD_OVERFLOW_ROUNDED,
    ACCORD_OVERFLOW_GREATEST /* the greatest finite value, in every direction */
};

/* The parameters of a machine. Alignment works as follows. The exponent of a product is
 * exponent(a) + exponent(b), or with `normalised` the exponent of the product's leading bit. A
 * subnormal operand has the least exponent of its format, or with `leading` that of its leading
 * bit. Zeros take no part unless `zeros` is set. E is the greatest exponent of the numbers that are
 * aligned, or `least_exponent` if that is greater; to align a number is to round it in the
 * direction `alignment` to a multiple of 2^(E - fraction). Products that share a pair of scales are
 * multiplied by both; the exponent of each is greater by those of the scales, whatever their
 * significands. A block is aligned by the exponents of its scales alone, even if it is zero.
 * Products whose scale is 0 take no part. Fixed layout, since models hold a machine. */
typedef struct accord_fused {
    const char *name;    /* "hopper-f16": machine, format of a and b, format of d if not f32 */
    const char *machine; /* "Hopper" */
    const char *source;  /* where the parameters come from */
    /* The format of a and b. A row for tf32 takes values of f32 too, and truncates them. */
    enum accord_format input;
    enum accord_format output; /* of c and d */
    enum accord_fused_scheme scheme;
    int terms; /* products of a step */
    int block; /* products that are summed exactly and then aligned as one; else 0 */
    /* Products that share a pair of scales (block-scaled formats), of the two aligned schemes; else
     * 0. `block` divides it, and it divides `terms` or is a multiple of it. */
    int scale_block;

    /* the two aligned schemes */
    int fraction;                   /* see above */
    enum accord_rounding alignment; /* ACCORD_TOWARD_ZERO truncates */
    int least_exponent;
    bool normalised;
    bool leading, c_leading; /* subnormal a and b, or c, have the exponent of their leading bit */
    /* A zero has the least exponent of its format; with `normalised` a zero product has none. */
    bool zeros;
    /* ACCORD_FUSED_THEN_C only. With `halves` the even and the odd products are aligned and summed
     * separately, and the two sums are joined at `fraction` bits by `join`. In the second alignment
     * a zero c takes part with the least exponent of its format; `join` rounds the sum of products
     * to sum_fraction bits and c to c_fraction bits. A c whose exponent lies more than c_reach
     * below E is dropped; with c_reach = 0 none is. */
    bool halves;
    int sum_fraction, c_fraction, c_reach;
    enum accord_rounding join;

    /* the result */
    enum accord_rounding rounding;
    enum accord_fused_overflow overflow;
    bool positive_zero;  /* a result that is rounded or flushed to zero is +0, never -0 */
    int output_fraction; /* fraction bits of d that are kept; 0: all that `output` has */
    bool flush;          /* subnormal a, b and c count as zero, and subnormal results become zero */
    /* With `flush`, in the schemes of multiply-adds: so do sums that are less than the least normal
     * number when they are rounded as if the range of exponents were unlimited (x86's FTZ). */
    bool flush_tiny;
    bool infinite_products; /* a product beyond the greatest f32 is an infinity */

    enum accord_format scale; /* of the scales; ACCORD_F64 where there are none */
} accord_fused;

/* The i-th row, NULL past the end. Static storage. */
ACCORD_API const accord_fused *accord_fused_at(size_t i);
/* The row of that name; NULL if there is none. */
ACCORD_API const accord_fused *accord_fused_by_name(const char *name);

/* One step: *d = the sum of c and all a[i]*b[i], i < count, by the rules of the row.
 *   count: at most fused->terms (ACCORD_ARG otherwise); missing products are +0, but those of
 *     ACCORD_FUSED_EVEN_ODD are left out, except the odd one of the last pair.
 *   a, b: values of the format fused->input; c: a value of fused->output.
 *   scale_a, scale_b: one scale for each scale_block products, of fused->scale or any other
 *     number of at most 4 significant bits. NULL means that all are 1, and is required where
 *     scale_block is 0 (ACCORD_ARG otherwise).
 * NaN and infinities behave as in IEEE 754; a scale that is NaN gives NaN. A sum that is exactly
 * zero is +0; in the schemes that do not align, its sign is that of IEEE additions.
 * Thread-safe. */
ACCORD_API enum accord_status accord_fused_step(const accord_fused *fused, size_t count,
                                                const double *a, const double *b,
                                                const double *scale_a, const double *scale_b,
                                                double c, double *d, accord_error *error);

/* A dot product of n terms: a chain of steps of `terms` products each (the last may be short)
 * that starts with c = +0. There is one scale for each scale_block of the n products, as above. */
ACCORD_API enum accord_status accord_fused_dot(const accord_fused *fused, size_t n, const double *a,
                                               const double *b, const double *scale_a,
                                               const double *scale_b, double *d,
                                               accord_error *error);

#ifdef __cplusplus
}
#endif
#endif
