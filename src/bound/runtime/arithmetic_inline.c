/* Arithmetic on shadows: sums, products, quotients, roots, conversions. Compiled to bitcode.
 *
 * Each function gets the shadows of the operands and writes that of the result. The ends of a
 * result stand in `end` as {-low, high}, so that one vector operation gives both. */
#include "bound/runtime/inline.h"

/* What fusing adds to the width is the line's own. */
static inline ACCORDI_INLINE void blame(uint32_t site, accordi_ends end, accordi_ends plain)
{
    accordi_ends more = end - plain;
    accordi_states[site].fusion += more[0] + more[1];
}

static inline ACCORDI_INLINE void add(accordi_shadow *out, const accordi_shadow *a,
                                      const accordi_shadow *b, uint32_t site, bool narrow)
{
    accordi_ends plain = add_ends(a->end, b->end, narrow), end = plain;
    bool scaled = narrow && (a->kind == ACCORDI_SCALED || b->kind == ACCORDI_SCALED);
    bool first = fuses() && a->kind == ACCORDI_PRODUCT,
         second = fuses() && b->kind == ACCORDI_PRODUCT;
    if (first)
        end = outer(fuse(a, b->end, narrow), end);
    if (second)
        end = outer(fuse(b, a->end, narrow), end);
    bool with_zero = through() && ((first && b->end[1] == 0) || (second && a->end[1] == 0));
    if (!likely(simple() && !scaled && !with_zero && finite_ends(end))) {
        go_slow(out, a, b, ACCORDI_DO_ADD, site, narrow);
        return;
    }
    if (first || second)
        blame(site, end, plain);
    out->end = end;
    out->kind = ACCORDI_PLAIN;
}

static inline ACCORDI_INLINE void negate(accordi_shadow *out, const accordi_shadow *a)
{
    accordi_shadow r = {swap(a->end), swap(a->x), a->kind == ACCORDI_SPECIAL ? a->y : swap(a->y),
                        a->kind};
    *out = r;
}

/* Both ends of a float, {-low, high}, as one word: signs are bits of it, and swapping turns it. */
typedef union ends_of_float {
    accordi_floats end;
    uint64_t word;
} ends_of_float;
#define LOW_SIGN (UINT64_C(1) << 31)
#define HIGH_SIGN (UINT64_C(1) << 63)

static inline ACCORDI_INLINE uint64_t turn(uint64_t ends, uint64_t other)
{
    uint64_t turned = (ends << 32 | ends >> 32) ^ (LOW_SIGN | HIGH_SIGN);
    return other & HIGH_SIGN ? turned : ends;
}

/* As `multiply` below; false: not quick. Ends so far apart that a float cannot hold their distance
 * are not quick either. */
static inline ACCORDI_INLINE bool multiply_floats(accordi_shadow *out, accordi_ends a_end,
                                                  accordi_ends b_end)
{
    ends_of_float a = {shorten(a_end)}, b = {shorten(b_end)}, x, y;
    x.word = turn(a.word, b.word);
    y.word = turn(b.word, a.word) ^ LOW_SIGN;
    accordi_floats end = x.end * y.end;
    uint64_t signs = (a.word ^ a.word << 32) & (b.word ^ b.word << 32);
    if (!likely(signs & HIGH_SIGN && __builtin_fabsf(end[0] + end[1]) < __builtin_inff()))
        return false;
    out->end = widen(end);
    out->x = widen(x.end);
    out->y = widen(y.end);
    out->kind = fuses() ? ACCORDI_PRODUCT : ACCORDI_PLAIN;
    return true;
}

/* The factors of the extreme products, by the signs: least = (b >= 0 ? low_a : high_a) *
 * (a >= 0 ? low_b : high_b), greatest the other way round. */
static inline ACCORDI_INLINE void multiply(accordi_shadow *out, const accordi_shadow *a,
                                           const accordi_shadow *b, uint32_t site, bool narrow)
{
    bool floats = narrow && simple() && !through();
    if (floats) {
        accordi_shadow r;
        if (likely(multiply_floats(&r, a->end, b->end)))
            *out = r;
        else
            go_slow(out, a, b, ACCORDI_DO_MULTIPLY, site, narrow);
        return;
    }
    accordi_ends x = negative(b->end[1]) ? -swap(a->end) : a->end;
    accordi_ends y = negative(a->end[1]) ? -swap(b->end) : b->end;
    y[0] = -y[0];
    accordi_ends end = multiply_ends(x, y, narrow);
    bool kept = keeps_product(a, b) || keeps_product(b, a);
    if (!likely(simple() && !kept && one_sign(a->end) && one_sign(b->end) && finite_ends(end))) {
        go_slow(out, a, b, ACCORDI_DO_MULTIPLY, site, narrow);
        return;
    }
    out->end = end;
    out->x = x;
    out->y = y;
    out->kind = fuses() ? ACCORDI_PRODUCT : ACCORDI_PLAIN;
}

/* A quotient by 2^k is a product; what it gives is exact, unless it is subnormal. */
static inline ACCORDI_INLINE bool is_product(double divisor, accordi_ends end, bool narrow)
{
    double least = narrow ? 0x1p-126 : 0x1p-1022;
    union {
        double x;
        uint64_t bits;
    } u = {divisor};
    return through() && u.bits << 12 == 0 &&
           (__builtin_fabs(end[0]) < least || __builtin_fabs(end[1]) < least);
}

/* The extreme quotients: n is {-u, v}, where u gives the low end and v the high one, and each meets
 * the end of b that takes it further out. */
static inline ACCORDI_INLINE void divide(accordi_shadow *out, const accordi_shadow *a,
                                         const accordi_shadow *b, uint32_t site, bool narrow)
{
    double low = -b->end[0], high = b->end[1];
    accordi_ends n = high < 0 ? -swap(a->end) : a->end;
    accordi_ends d = {-n[0] >= 0 ? high : low, n[1] >= 0 ? low : high};
    accordi_ends end = round_ends(n / d, narrow);
    bool kept = keeps_product(a, b) || is_product(high, end, narrow);
    if (!likely(simple() && !kept && (low > 0 || high < 0) && finite_ends(end))) {
        go_slow(out, a, b, ACCORDI_DO_DIVIDE, site, narrow);
        return;
    }
    out->end = end;
    out->kind = ACCORDI_PLAIN;
}

static inline ACCORDI_INLINE void square_root(accordi_shadow *out, const accordi_shadow *a,
                                              uint32_t site, bool narrow)
{
    double low = -a->end[0], high = a->end[1];
    if (!likely(simple() && low >= 0 && high < infinite)) {
        go_slow(out, a, a, ACCORDI_DO_SQRT, site, narrow);
        return;
    }
    out->end = round_ends((accordi_ends){-__builtin_sqrt(low), __builtin_sqrt(high)}, narrow);
    out->kind = ACCORDI_PLAIN;
}

#define BINARY(name, function)                                                                     \
    ACCORDI_INLINE void accordi_##name##_f64(accordi_shadow *out, const accordi_shadow *a,         \
                                             const accordi_shadow *b, uint32_t site)               \
    {                                                                                              \
        function(out, a, b, site, false);                                                          \
    }                                                                                              \
    ACCORDI_INLINE void accordi_##name##_f32(accordi_shadow *out, const accordi_shadow *a,         \
                                             const accordi_shadow *b, uint32_t site)               \
    {                                                                                              \
        function(out, a, b, site, true);                                                           \
    }

static inline ACCORDI_INLINE void subtract(accordi_shadow *out, const accordi_shadow *a,
                                           const accordi_shadow *b, uint32_t site, bool narrow)
{
    accordi_shadow other;
    negate(&other, b);
    add(out, a, &other, site, narrow);
}

/* One number times itself. */
static inline ACCORDI_INLINE void square(accordi_shadow *out, const accordi_shadow *a,
                                         const accordi_shadow *b, uint32_t site, bool narrow)
{
    if (likely(one_sign(a->end)))
        multiply(out, a, b, site, narrow);
    else
        go_slow(out, a, b, ACCORDI_DO_SQUARE, site, narrow);
}

BINARY(add, add)
BINARY(subtract, subtract)
BINARY(multiply, multiply)
BINARY(square, square)
BINARY(divide, divide)

ACCORDI_INLINE void accordi_negate(accordi_shadow *out, const accordi_shadow *a)
{
    negate(out, a);
}

/* Factors 2^k or -2^k that are written in the source, or 0: products are scaled by them, and
 * a quotient by one is a product. */
static inline ACCORDI_INLINE void scale(accordi_shadow *out, const accordi_shadow *a,
                                        const accordi_shadow *b, double scale_a, double scale_b,
                                        bool by, uint32_t site, bool narrow)
{
    bool plain_a = a->kind == ACCORDI_PLAIN, plain_b = b->kind == ACCORDI_PLAIN;
    if (!by && likely(!through() || ((plain_a || scale_b == 0) && (plain_b || scale_a == 0)))) {
        multiply(out, a, b, site, narrow);
        return;
    }
    accordi_ends end = round_ends(a->end / b->end[1], narrow);
    if (by && likely(simple() && plain_a && scale_b > 0 && finite_ends(end))) {
        double power = 1 / scale_b;
        out->end = end;
        out->x = a->end;
        out->y = (accordi_ends){power, power};
        out->kind = through() ? ACCORDI_PRODUCT : ACCORDI_PLAIN;
        return;
    }
    accordi_shadow r;
    accordi_less_fast_scale(&r, ACCORDI_GIVE(a), ACCORDI_GIVE(b), scale_a, scale_b, by, site,
                            narrow);
    *out = r;
}

#define SCALE(name, by)                                                                            \
    ACCORDI_INLINE void accordi_##name##_f64(accordi_shadow *out, const accordi_shadow *a,         \
                                             const accordi_shadow *b, double scale_a,              \
                                             double scale_b, uint32_t site)                        \
    {                                                                                              \
        scale(out, a, b, scale_a, scale_b, by, site, false);                                       \
    }                                                                                              \
    ACCORDI_INLINE void accordi_##name##_f32(accordi_shadow *out, const accordi_shadow *a,         \
                                             const accordi_shadow *b, double scale_a,              \
                                             double scale_b, uint32_t site)                        \
    {                                                                                              \
        scale(out, a, b, scale_a, scale_b, by, site, true);                                        \
    }
SCALE(scale, false)
SCALE(scale_down, true)

#define UNARY(name, function)                                                                      \
    ACCORDI_INLINE void accordi_##name##_f64(accordi_shadow *out, const accordi_shadow *a,         \
                                             uint32_t site)                                        \
    {                                                                                              \
        function(out, a, site, false);                                                             \
    }                                                                                              \
    ACCORDI_INLINE void accordi_##name##_f32(accordi_shadow *out, const accordi_shadow *a,         \
                                             uint32_t site)                                        \
    {                                                                                              \
        function(out, a, site, true);                                                              \
    }

static inline ACCORDI_INLINE void absolute(accordi_shadow *out, const accordi_shadow *a,
                                           uint32_t site, bool narrow)
{
    if (!likely(simple() && one_sign(a->end) && finite_ends(a->end))) {
        go_slow(out, a, a, ACCORDI_DO_ABS, site, narrow);
        return;
    }
    bool product = through() && a->kind > ACCORDI_PLAIN;
    if (negative(a->end[1]))
        negate(out, a);
    else
        *out = *a;
    out->kind = product ? a->kind : (uint64_t)ACCORDI_PLAIN;
}

/* May it lie midway between two floats? */
static inline ACCORDI_INLINE bool is_midway(double x)
{
    union {
        double x;
        uint64_t bits;
    } u = {x};
    return (u.bits & 0x1fffffff) == 0x10000000 || (__builtin_fabs(x) < 0x1p-126 && x != 0);
}

static inline ACCORDI_INLINE void narrow_down(accordi_shadow *out, const accordi_shadow *a,
                                              uint32_t site, bool narrow)
{
    accordi_ends end = round_ends(a->end, true);
    bool kept =
        through() && (a->kind > ACCORDI_PLAIN || is_midway(a->end[0]) || is_midway(a->end[1]));
    (void)narrow;
    if (!likely(simple() && !kept && finite_ends(end))) {
        go_slow(out, a, a, ACCORDI_DO_NARROW, site, true);
        return;
    }
    out->end = end;
    out->kind = ACCORDI_PLAIN;
}

UNARY(sqrt, square_root)
UNARY(abs, absolute)
UNARY(narrow, narrow_down)

/* The end of a float that may be flushed to 0, where that is further out. */
static inline ACCORDI_INLINE double flushed(double end)
{
    return end < 0 && end > -0x1p-126 ? 0 : end;
}

ACCORDI_INLINE void accordi_widen(accordi_shadow *out, const accordi_shadow *a)
{
    uint64_t kind = a->kind;
    if (kind == ACCORDI_SCALED)
        kind = ACCORDI_PRODUCT;
    if (kind == ACCORDI_PRODUCT && !through())
        kind = ACCORDI_PLAIN;
    *out = *a;
    out->kind = kind;
    if (accordi_model & ACCORD_BOUND_FTZ)
        out->end = (accordi_ends){flushed(a->end[0]), flushed(a->end[1])};
}

#define EXTREME(name, operation, first)                                                            \
    static inline ACCORDI_INLINE void name(accordi_shadow *out, const accordi_shadow *a,           \
                                           const accordi_shadow *b, uint32_t site, bool narrow)    \
    {                                                                                              \
        double low = -a->end[0] first - b->end[0] ? -a->end[0] : -b->end[0];                       \
        double high = a->end[1] first b->end[1] ? a->end[1] : b->end[1];                           \
        bool product = through() && (a->kind > ACCORDI_PLAIN || b->kind > ACCORDI_PLAIN);          \
        if (!likely(!product && finite_ends(a->end) && finite_ends(b->end))) {                     \
            go_slow(out, a, b, operation, site, narrow);                                           \
            return;                                                                                \
        }                                                                                          \
        out->end = (accordi_ends){-low, high};                                                     \
        out->kind = ACCORDI_PLAIN;                                                                 \
    }
EXTREME(minimum, ACCORDI_DO_MINIMUM, <)
EXTREME(maximum, ACCORDI_DO_MAXIMUM, >)
BINARY(minimum, minimum)
BINARY(maximum, maximum)

#define TERNARY(suffix, narrow)                                                                    \
    ACCORDI_INLINE void accordi_fma_##suffix(accordi_shadow *out, const accordi_shadow *a,         \
                                             const accordi_shadow *b, const accordi_shadow *c,     \
                                             uint32_t site)                                        \
    {                                                                                              \
        accordi_shadow z = *c, r;                                                                  \
        accordi_slow_fma(&r, ACCORDI_GIVE(a), ACCORDI_GIVE(b), &z, site, narrow);                  \
        *out = r;                                                                                  \
    }
TERNARY(f64, false)
TERNARY(f32, true)

#define FUNCTION(suffix, narrow)                                                                   \
    ACCORDI_INLINE void accordi_function_##suffix(accordi_shadow *out, const accordi_shadow *a,    \
                                                  const accordi_shadow *b, uint32_t function,      \
                                                  uint32_t site)                                   \
    {                                                                                              \
        go_slow(out, a, b, ACCORDI_DO_FUNCTION + function, site, narrow);                          \
    }
FUNCTION(f64, false)
FUNCTION(f32, true)
