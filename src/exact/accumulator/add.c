/* Adds terms to limbs by their bit patterns, with integer arithmetic alone, so that neither the
 * rounding mode nor the flush-to-zero flags of the caller have an effect.
 *
 * A pattern with F bits of fraction and the exponent field E is m * 2^(max(E, 1) - 1 + least),
 * m with its hidden bit unless E is 0, and `least` the exponent of the format's least value. */
#include "exact/accumulator/exact.h"
#include "exact/direct/round.h"

typedef struct term {
    uint64_t m;
    unsigned shift; /* m * 2^(shift + least) */
    int64_t sign;   /* 0 or -1 */
    bool odd;       /* zero, infinite or NaN */
    bool finite, nan;
} term;

/* The exponent of the least value. */
static inline int least_of(layout l)
{
    return 1 - bias_of(l) - l.fraction;
}

static inline term decode_term(layout l, uint64_t bits)
{
    uint64_t fields = ((uint64_t)1 << l.exponent) - 1, hidden = (uint64_t)1 << l.fraction;
    uint64_t field = bits >> l.fraction & fields, m = bits & (hidden - 1);
    bool normal = field != 0;
    term t = {.sign = -(int64_t)(bits >> (l.fraction + l.exponent) & 1)};
    t.finite = field != fields;
    t.nan = !t.finite && m;
    t.m = normal ? m | hidden : m;
    t.odd = !t.finite || !t.m;
    t.shift = (unsigned)(field - normal);
    return t;
}

static enum accord_exact_count special_count(bool nan, bool finite, int64_t sign)
{
    if (nan)
        return ACCORD_EXACT_NANS;
    if (finite)
        return sign ? ACCORD_EXACT_MINUS_ZEROS : ACCORD_EXACT_PLUS_ZEROS;
    return sign ? ACCORD_EXACT_MINUS_INFINITIES : ACCORD_EXACT_PLUS_INFINITIES;
}

static inline void add_one(accordi_exact_view v, layout l, uint64_t bits)
{
    term t = decode_term(l, bits);
    if (__builtin_expect(t.odd, 0)) {
        v.count[special_count(t.nan, t.finite, t.sign)]++;
        return;
    }
    accordi_exact_put(v.limb, t.m, t.shift + (unsigned)(least_of(l) - v.unit), t.sign);
}

static inline void add_product(accordi_exact_view v, layout l, uint64_t x, uint64_t y)
{
    term a = decode_term(l, x), b = decode_term(l, y);
    int64_t sign = a.sign ^ b.sign;
    if (__builtin_expect(a.odd || b.odd, 0)) {
        bool zero = !a.m || !b.m, finite = a.finite && b.finite;
        /* an infinity has m != 0: its hidden bit */
        v.count[special_count(a.nan || b.nan || (zero && !finite), finite, sign)]++;
        return;
    }
    unsigned offset = a.shift + b.shift + (unsigned)(2 * least_of(l) - v.unit);
    if (l.fraction < 26)
        accordi_exact_put(v.limb, a.m * b.m, offset, sign);
    else
        accordi_exact_put_wide(v.limb, (uint128)a.m * b.m, offset, sign);
}

/* Inlined with a constant layout. */
static inline __attribute__((always_inline)) void
add_array(accordi_exact_view v, layout l, size_t n, const void *x, ptrdiff_t stride)
{
    const char *at = x;
    ptrdiff_t step = stride * size_of(l);
    v.count[ACCORD_EXACT_TERMS] += (int64_t)n;
    while (n) {
        int block = n < ACCORDI_EXACT_PENDING ? (int)n : ACCORDI_EXACT_PENDING;
        accordi_exact_reserve(v, block);
        for (int i = 0; i < block; i++, at += step)
            add_one(v, l, load(l, at));
        n -= (size_t)block;
    }
}

static inline __attribute__((always_inline)) void add_products(accordi_exact_view v, layout l,
                                                               size_t n, const void *x,
                                                               ptrdiff_t stride_x, const void *y,
                                                               ptrdiff_t stride_y)
{
    const char *at = x, *other = y;
    ptrdiff_t step = stride_x * size_of(l), other_step = stride_y * size_of(l);
    v.count[ACCORD_EXACT_TERMS] += (int64_t)n;
    while (n) {
        int block = n < ACCORDI_EXACT_PENDING ? (int)n : ACCORDI_EXACT_PENDING;
        accordi_exact_reserve(v, block);
        for (int i = 0; i < block; i++, at += step, other += other_step)
            add_product(v, l, load(l, at), load(l, other));
        n -= (size_t)block;
    }
}

#define TERMS(suffix_, number_)                                                                    \
    void accordi_exact_terms_##suffix_(accordi_exact_view sum, size_t n, const number_ *x,         \
                                       ptrdiff_t stride)                                           \
    {                                                                                              \
        add_array(sum, suffix_, n, x, stride);                                                     \
    }
#define PRODUCTS(suffix_, number_)                                                                 \
    void accordi_exact_products_##suffix_(accordi_exact_view sum, size_t n, const number_ *x,      \
                                          ptrdiff_t stride_x, const number_ *y,                    \
                                          ptrdiff_t stride_y)                                      \
    {                                                                                              \
        add_products(sum, suffix_, n, x, stride_x, y, stride_y);                                   \
    }
TERMS(f64, double)
TERMS(f32, float)
TERMS(f16, uint16_t)
TERMS(bf16, uint16_t)
PRODUCTS(f64, double)
PRODUCTS(f32, float)

#define ADD(name_, type_, number_, layout_, view_)                                                 \
    void accord_##name_(type_ *sum, number_ x)                                                     \
    {                                                                                              \
        add_array(view_(sum), layout_, 1, &x, 1);                                                  \
    }
#define ADD_PRODUCT(name_, type_, number_, layout_, view_)                                         \
    void accord_##name_(type_ *sum, number_ x, number_ y)                                          \
    {                                                                                              \
        add_products(view_(sum), layout_, 1, &x, 1, &y, 1);                                        \
    }
/* The sign is a bit: to change it is no arithmetic. */
#define SUBTRACT(name_, type_, number_, word_, layout_, view_)                                     \
    void accord_##name_(type_ *sum, number_ x)                                                     \
    {                                                                                              \
        word_ bits;                                                                                \
        memcpy(&bits, &x, sizeof bits);                                                            \
        bits ^= (word_)1 << (8 * sizeof bits - 1);                                                 \
        add_array(view_(sum), layout_, 1, &bits, 1);                                               \
    }

ADD(exact_add_f64, accord_exact, double, f64, accordi_exact_of)
ADD(exact_add_f32, accord_exact, float, f32, accordi_exact_of)
ADD(exact_add_f16, accord_exact, uint16_t, f16, accordi_exact_of)
ADD(exact_add_bf16, accord_exact, uint16_t, bf16, accordi_exact_of)
ADD(exact_wide_add_f64, accord_exact_wide, double, f64, accordi_exact_of_wide)
ADD(exact_wide_add_f32, accord_exact_wide, float, f32, accordi_exact_of_wide)
ADD(exact_wide_add_f16, accord_exact_wide, uint16_t, f16, accordi_exact_of_wide)
ADD(exact_wide_add_bf16, accord_exact_wide, uint16_t, bf16, accordi_exact_of_wide)
SUBTRACT(exact_subtract_f64, accord_exact, double, uint64_t, f64, accordi_exact_of)
SUBTRACT(exact_subtract_f32, accord_exact, float, uint32_t, f32, accordi_exact_of)
SUBTRACT(exact_wide_subtract_f64, accord_exact_wide, double, uint64_t, f64, accordi_exact_of_wide)
ADD_PRODUCT(exact_add_product_f32, accord_exact, float, f32, accordi_exact_of)
ADD_PRODUCT(exact_wide_add_product_f64, accord_exact_wide, double, f64, accordi_exact_of_wide)
