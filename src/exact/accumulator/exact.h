/* Accumulators of exact sums: terms come in, limbs (a long fixed-point number) hold their sum, and
 * a correctly rounded number goes out. Internal. Read limbs.c first, then add.c (terms into limbs)
 * and round.c (limbs into a number).
 *
 * Both public accumulators are the same machine with other sizes: the core works on a view of
 * either one. Fast kernels need only two things from here: accordi_exact_put for integers they
 * have summed themselves, and accordi_exact_normalize in time. */
#ifndef ACCORDI_EXACT_H
#define ACCORDI_EXACT_H

#include "base/base.h"
#include "format/wide.h"
#include <accord/exact.h>

typedef struct accordi_exact_view {
    int64_t *limb, *count, *pending;
    int limbs;
    int unit; /* limb[0] counts units of 2^unit */
} accordi_exact_view;

static inline accordi_exact_view accordi_exact_of(const accord_exact *sum)
{
    accord_exact *s = (accord_exact *)sum; /* the functions that read only do not write */
    return (accordi_exact_view){s->limb, s->count, &s->pending, ACCORD_EXACT_LIMBS, -1074};
}

static inline accordi_exact_view accordi_exact_of_wide(const accord_exact_wide *sum)
{
    accord_exact_wide *s = (accord_exact_wide *)sum;
    return (accordi_exact_view){s->limb, s->count, &s->pending, ACCORD_EXACT_WIDE_LIMBS, -2148};
}

/* Between normalizations |limb| <= 2^32 + pending * 2^52 (the last limb apart). */
#define ACCORDI_EXACT_PENDING 1000

/* Terms that an accumulator can count: by merging 2^62, and what was added since then one by one,
 * for less than a year. */
#define ACCORDI_EXACT_MOST_TERMS (((int64_t)1 << 62) + ((int64_t)1 << 56))

/* Zeros count only while there is nothing else (accord/exact.h). */
static inline void accordi_exact_settle_zeros(int64_t *count)
{
    if ((uint64_t)count[ACCORD_EXACT_PLUS_ZEROS] + (uint64_t)count[ACCORD_EXACT_MINUS_ZEROS] !=
        (uint64_t)count[ACCORD_EXACT_TERMS])
        count[ACCORD_EXACT_PLUS_ZEROS] = count[ACCORD_EXACT_MINUS_ZEROS] = 0;
}

/* Whether eight limbs are zero. */
static inline bool accordi_exact_eight_zeros(const int64_t *limb)
{
    typedef int64_t two __attribute__((vector_size(16)));
    two part[4];
    memcpy(part, limb, sizeof part);
    part[0] = (part[0] | part[1]) | (part[2] | part[3]);
    return !(part[0][0] | part[0][1]);
}

/* How many limbs there are up to the last that is not zero. */
static inline int accordi_exact_used(accordi_exact_view view)
{
    int end = view.limbs;
    while (end >= 8 && accordi_exact_eight_zeros(view.limb + end - 8))
        end -= 8;
    while (end > 0 && !view.limb[end - 1])
        end--;
    return end;
}

/* Carries. */
void accordi_exact_normalize(accordi_exact_view view);

/* Makes room for `adds` more calls of accordi_exact_put, at most ACCORDI_EXACT_PENDING. */
static inline void accordi_exact_reserve(accordi_exact_view view, int adds)
{
    if (*view.pending + adds > ACCORDI_EXACT_PENDING)
        accordi_exact_normalize(view);
    *view.pending += adds;
}

/* Adds m * 2^offset units, negated if sign is -1 (0 otherwise); m < 2^53. The upper part is left
 * longer than 32 bits: two limbs are touched, not three. */
static inline void accordi_exact_put(int64_t *limb, uint64_t m, unsigned offset, int64_t sign)
{
    unsigned shift = offset & 31;
    int64_t term = ((int64_t)m ^ sign) - sign, *at = limb + (offset >> 5);
    at[0] += (int64_t)((uint64_t)term << shift & 0xffffffff);
    at[1] += term >> (32 - shift);
}

/* The same with m < 2^106: three parts of 32 bits, the rest below 2^42; four limbs are touched. */
static inline void accordi_exact_put_wide(int64_t *limb, uint128 m, unsigned offset, int64_t sign)
{
    unsigned shift = offset & 31;
    uint64_t low = (uint64_t)(m << shift), top = (uint64_t)(m >> (96 - shift));
    uint64_t part[4] = {low & 0xffffffff, low >> 32, (uint32_t)(m >> (64 - shift)), top};
    int64_t *at = limb + (offset >> 5);
    for (int i = 0; i < 4; i++)
        at[i] += ((int64_t)part[i] ^ sign) - sign;
}

/* The magnitude of a view as 32-bit words, least significant first; those outside first … end - 1
 * are zero, and not set. */
enum { ACCORDI_EXACT_WORDS = 206 }; /* for up to 205 limbs */
typedef struct accordi_exact_magnitude {
    uint32_t word[ACCORDI_EXACT_WORDS];
    int first, end;
    int highest, lowest; /* places of the outermost bits that are set; -1 when zero */
    bool negative;
} accordi_exact_magnitude;
void accordi_exact_measure(accordi_exact_view view, accordi_exact_magnitude *out);
/* The magnitude of an integer. */
void accordi_exact_magnitude_of(uint64_t x, accordi_exact_magnitude *out);
/* Bits from, from + 1, …, from + 31, any of which may lie outside. */
uint32_t accordi_exact_bits(const accordi_exact_magnitude *magnitude, int from);

/* Of a magnitude that is not zero. */
accordi_lead accordi_exact_lead_of(const accordi_exact_magnitude *magnitude, int unit);
/* accordi_lead_pattern; a rounding that does not exist is taken as to nearest, ties to even. */
uint64_t accordi_exact_round_lead(accordi_lead x, enum accord_format format,
                                  enum accord_exact_rounding rounding);
/* A NaN, an infinity or a zero? *pattern is then it; otherwise *magnitude is measured. */
bool accordi_exact_is_odd(accordi_exact_view sum, enum accord_format format,
                          enum accord_exact_rounding rounding, accordi_exact_magnitude *magnitude,
                          uint64_t *pattern);

/* One mechanism behind the functions of either type. */
enum accord_status accordi_exact_merge(accordi_exact_view sum, accordi_exact_view other,
                                       bool negate, accord_error *error);
/* sum -= other, whatever the range: only what was scaled before comes near the end of the limbs,
 * and the last one has room for the difference of any two accumulators. */
void accordi_exact_take_away(accordi_exact_view sum, accordi_exact_view other);
/* *out = the same sum and counts; it always fits. */
void accordi_exact_widen(const accord_exact *narrow, accord_exact_wide *out);
enum accord_status accordi_exact_shift(accordi_exact_view sum, int exponent, accord_error *error);
uint64_t accordi_exact_round(accordi_exact_view sum, enum accord_format format,
                             enum accord_exact_rounding rounding);
/* A sum of finite terms in any format, as a value; rounded down, an exact zero is -0, otherwise +0.
 */
double accordi_exact_value(accordi_exact_view sum, enum accord_format format,
                           enum accord_rounding rounding);
void accordi_exact_write(accordi_exact_view sum, unsigned char *bytes);
enum accord_status accordi_exact_read(accordi_exact_view sum, const void *bytes, size_t length,
                                      accord_error *error);

/* Terms and products straight into limbs, one by one; integers alone, in any environment. */
void accordi_exact_terms_f64(accordi_exact_view sum, size_t n, const double *x, ptrdiff_t stride);
void accordi_exact_terms_f32(accordi_exact_view sum, size_t n, const float *x, ptrdiff_t stride);
void accordi_exact_terms_f16(accordi_exact_view sum, size_t n, const uint16_t *x, ptrdiff_t stride);
void accordi_exact_terms_bf16(accordi_exact_view sum, size_t n, const uint16_t *x,
                              ptrdiff_t stride);
void accordi_exact_products_f64(accordi_exact_view wide, size_t n, const double *x,
                                ptrdiff_t stride_x, const double *y, ptrdiff_t stride_y);
void accordi_exact_products_f32(accordi_exact_view sum, size_t n, const float *x,
                                ptrdiff_t stride_x, const float *y, ptrdiff_t stride_y);

/* The exact sum of count doubles, rounded once into any format. Infinities and NaN as in IEEE 754;
 * a zero has the sign that additions in this direction would give. */
double accordi_exact_sum(enum accord_format format, enum accord_rounding rounding, const double *x,
                         size_t count);

#endif
