/* An array or two of any kind, drawn at random, with all that is true of its exact sum. The two
 * oracles, MPFR and integers, must agree before either is believed. */
#ifndef EXACT_SAMPLES_H
#define EXACT_SAMPLES_H

#include "exact_integers.h"
#include "exact_pairs.h"
#include "exact_ways.h"

#ifndef SAMPLE_LONGEST
#define SAMPLE_LONGEST 100000
#endif
enum { LONGEST = SAMPLE_LONGEST };

typedef struct sample {
    const kind *kind;
    const char *fill;
    size_t n;
    char *x, *y; /* not aligned, and nothing behind the last number */
    char *block[2];
    bool constant;
} sample;

typedef struct expected {
    accord_exact small; /* canonical */
    accord_exact_wide wide;
    uint64_t pattern[FORMATS][ROUNDINGS];
} expected;

static double sample_values[2][LONGEST];

/* Into the range of a narrow format: the greatest exponent goes anywhere, the others follow at
 * their distance, or closer together. */
static inline void squeeze(double *x, size_t n, const accord_format_info *row)
{
    int top = -1100, low = 1100, range = row->max_exponent - row->min_exponent + row->precision;
    for (size_t i = 0; i < n; i++)
        if (x[i] != 0) {
            top = ilogb(x[i]) > top ? ilogb(x[i]) : top;
            low = ilogb(x[i]) < low ? ilogb(x[i]) : low;
        }
    int to = row->max_exponent - (below(2) ? below(range) : below(10));
    int width = to - (row->min_exponent - row->precision) + 1;
    bool closer = below(2) && top - low > width;
    for (size_t i = 0; i < n; i++)
        if (x[i] != 0) {
            int e, below_top;
            double m = frexp(x[i], &e);
            below_top = top - (e - 1);
            if (closer)
                below_top = below_top * width / (top - low);
            x[i] = ldexp(m, to + 1 - below_top);
        }
}

static inline void store(const kind *k, char *at, uint64_t pattern)
{
    memcpy(at, &pattern, k->size); /* little-endian */
}

static inline double fetch(const kind *k, const char *at)
{
    uint64_t pattern = 0;
    memcpy(&pattern, at, k->size);
    return k->format == ACCORD_F64 ? from_bits(pattern) : accord_format_decode(k->format, pattern);
}

/* The numbers of `x` in the kind's format, and x becomes what they are there. */
static inline void pack(const kind *k, char *to, double *x, size_t n)
{
    enum accord_rounding rounding = below(2) ? ACCORD_TOWARD_ZERO : ACCORD_NEAREST_EVEN;
    if (k->format != ACCORD_F64)
        squeeze(x, n, accord_format_get(k->format));
    for (size_t i = 0; i < n; i++)
        store(
            k, to + i * k->size,
            k->format == ACCORD_F64
                ? bits_of(x[i])
                : accord_format_encode(k->format, accord_format_round(k->format, rounding, x[i])));
}

static inline void spoil(const kind *k, char *x, size_t n)
{
    const accord_format_info *row = accord_format_get(k->format);
    uint64_t one = any_special(row);
    for (int i = 1 + below(3); i > 0 && n; i--) {
        size_t at = below(3) ? (size_t)accordi_rng_below(&rng, n) : below(2) ? n - 1 : 0;
        store(k, x + at * k->size, below(2) ? one : any_special(row));
    }
}

static inline bool all_equal(const kind *k, const char *x, size_t n)
{
    return n < 2 || !memcmp(x, x + k->size, (n - 1) * k->size);
}

static inline void sample_alloc(sample *s)
{
    for (int i = 0; i < 2; i++) {
        size_t offset = below(2) ? 0 : (size_t)below(16);
        s->block[i] = malloc(offset + s->n * s->kind->size + !s->n);
        assert_non_null(s->block[i]);
        *(i ? &s->y : &s->x) = s->block[i] + offset;
    }
}

static inline void sample_free(sample *s)
{
    free(s->block[0]);
    free(s->block[1]);
}

static inline size_t any_sample_length(void)
{
    size_t n = any_length(LONGEST);
    if (n > 200 && !below(4)) /* about a number of blocks */
        n = (n | (below(2) ? 1023 : 127)) + (size_t)below(5) - 1;
    return n < LONGEST ? n : LONGEST;
}

/* The values as doubles go to sample_values. */
static inline void sample_draw(sample *s, size_t n)
{
    double *x = sample_values[0], *y = sample_values[1];
    *s = (sample){.kind = all_kinds + (below(3) ? below(2) : below(KINDS)), .n = n};
    s->fill = s->kind->dot ? fill_pairs(x, y, s->n) : fill_any(x, s->n);
    if (!below(4))
        sprinkle_zeros(x, s->n);
    if (!below(8) && s->kind->dot)
        sprinkle_zeros(y, s->n);
    if (!below(6)) {
        take_sizes(x, s->n);
        take_sizes(y, s->kind->dot ? s->n : 0);
    }
    sample_alloc(s);
    pack(s->kind, s->x, x, s->n);
    pack(s->kind, s->y, y, s->kind->dot ? s->n : 0);
    if (!below(8))
        spoil(s->kind, s->x, s->n);
    if (!below(16) && s->kind->dot)
        spoil(s->kind, s->y, s->n);
    s->constant =
        all_equal(s->kind, s->x, s->n) && (!s->kind->dot || all_equal(s->kind, s->y, s->n));
    for (size_t i = 0; i < s->n; i++) {
        x[i] = fetch(s->kind, s->x + i * s->kind->size);
        y[i] = s->kind->dot ? fetch(s->kind, s->y + i * s->kind->size) : 0;
    }
}

/* The two oracles have found the same number, and round it alike. */
static inline void oracles_agree(const integer_sum *sum, const mpfr_t exact, kinds k, expected *out)
{
    if (mpfr_number_p(exact)) {
        mpfr_t units;
        mpfr_init2(units, BITS);
        assert_int_equal(mpfr_mul_2si(units, exact, -INTEGER_UNIT, MPFR_RNDN), 0);
        assert_true(mpfr_cmp_z(units, sum->units) == 0);
        mpfr_clear(units);
    }
    for (int f = 0; f < FORMATS; f++)
        for (int r = 0; r < ROUNDINGS; r++) {
            out->pattern[f][r] = expected_pattern(exact, f, r, k.negative_zeros, k.mixed);
            same_pattern(integer_pattern(sum, f, r), out->pattern[f][r], f, r, "the oracles",
                         (size_t)sum->count[ACCORD_EXACT_TERMS]);
        }
}

static inline void sample_expect(const sample *s, expected *out)
{
    const double *x = sample_values[0], *y = s->kind->dot ? sample_values[1] : NULL;
    integer_sum sum;
    mpfr_t exact;
    integer_init(&sum);
    mpfr_init2(exact, BITS);
    if (y)
        integer_products(&sum, x, y, s->n);
    else
        integer_terms(&sum, x, s->n);
    exact_terms(exact, x, y, s->n);
    oracles_agree(&sum, exact, y ? kinds_of_products(x, y, s->n) : kinds_of(x, s->n), out);
    integer_canonical_wide(&out->wide, &sum);
    if (s->kind->needs_wide)
        accord_exact_init(&out->small);
    else
        integer_canonical(&out->small, &sum);
    mpfr_clear(exact);
    integer_clear(&sum);
}

#endif
