/* Products of intervals that hold 0, operations with infinite ones and, with excess precision,
 * exact ones, for instrumented programs.
 *
 * These are frequent, so they are compiled to bitcode and do without the library. Infinite
 * intervals stay so for the rest of a computation.
 *
 * "Top" is what an operation gives that could give anything: [-inf, inf], or NaN. */
#include "bound/runtime/inline.h"

typedef struct interval {
    double low, high;
} interval;

static inline ACCORDI_INLINE interval interval_of(const accordi_shadow *a)
{
    return (interval){-a->end[0], a->end[1]};
}

static inline ACCORDI_INLINE bool is_finite(const accordi_shadow *a)
{
    return finite_ends(a->end);
}

static inline ACCORDI_INLINE bool is_top(const accordi_shadow *a)
{
    return a->kind == ACCORDI_SPECIAL && a->x[0] == infinite && a->x[1] == infinite &&
           a->y[0] == ACCORDI_MAY_BE_NAN;
}

/* All numbers, and not NaN. */
static inline ACCORDI_INLINE bool is_full(const accordi_shadow *a)
{
    return a->end[0] == infinite && a->end[1] == infinite;
}

static inline ACCORDI_INLINE bool holds_zero(interval x)
{
    return x.low <= 0 && x.high >= 0;
}

static void set_top(accordi_shadow *out)
{
    double nan = __builtin_nan("");
    *out = (accordi_shadow){
        {nan, nan}, {infinite, infinite}, {ACCORDI_MAY_BE_NAN, 0}, ACCORDI_SPECIAL};
}

static void set_full(accordi_shadow *out)
{
    out->end = (accordi_ends){infinite, infinite};
    out->kind = ACCORDI_PLAIN;
}

/* ---- products of finite intervals, one of them or both with 0 inside ---- */

/* The factors of the least product of two mixed intervals: low_a * high_b or high_a * low_b. False:
 * they round alike, and the exact products decide. */
static bool extreme(double x1, double y1, double x2, double y2, bool least, double *x, double *y)
{
    double one = x1 * y1, two = x2 * y2;
    bool first = least ? one < two : one > two;
    *x = first ? x1 : x2;
    *y = first ? y1 : y2;
    return one != two;
}

static bool mixed_factors(interval a, interval b, accordi_ends *x, accordi_ends *y)
{
    double least_x = 0, least_y = 0, great_x = 0, great_y = 0;
    if (b.low >= 0 || b.high <= 0) {
        double far = b.low >= 0 ? b.high : b.low;
        *x = b.low >= 0 ? (accordi_ends){-a.low, a.high} : (accordi_ends){-a.high, a.low};
        *y = (accordi_ends){far, far};
        return true;
    }
    if (a.low >= 0 || a.high <= 0) {
        double far = a.low >= 0 ? a.high : a.low;
        *x = (accordi_ends){-far, far};
        *y = a.low >= 0 ? (accordi_ends){b.low, b.high} : (accordi_ends){b.high, b.low};
        return true;
    }
    bool certain = extreme(a.low, b.high, a.high, b.low, true, &least_x, &least_y) &&
                   extreme(a.low, b.low, a.high, b.high, false, &great_x, &great_y);
    *x = (accordi_ends){-least_x, great_x};
    *y = (accordi_ends){least_y, great_y};
    return certain;
}

static bool multiply_mixed(accordi_shadow *out, const accordi_shadow *a, const accordi_shadow *b,
                           bool narrow)
{
    interval x = interval_of(a), y = interval_of(b);
    if (((x.low >= 0 || x.high <= 0) && (y.low >= 0 || y.high <= 0)) || keeps_product(a, b) ||
        keeps_product(b, a))
        return false;
    if (!mixed_factors(x, y, &out->x, &out->y))
        return false;
    out->end = round_ends(out->x * out->y, narrow);
    out->kind = fuses() ? ACCORDI_PRODUCT : ACCORDI_PLAIN;
    return finite_ends(out->end);
}

/* ---- sums with 0, which leave a product a product ---- */

static bool is_zero(const accordi_shadow *a)
{
    return a->end[0] == 0 && a->end[1] == 0;
}

static bool add_zero(accordi_shadow *out, const accordi_shadow *a, const accordi_shadow *b,
                     uint32_t site, bool narrow)
{
    const accordi_shadow *other = is_zero(b) ? a : b;
    if (!through() || a->kind > ACCORDI_PRODUCT || b->kind > ACCORDI_PRODUCT ||
        !(is_zero(a) || is_zero(b)))
        return false;
    accordi_ends plain = round_ends(a->end + b->end, narrow), end = plain;
    if (a->kind == ACCORDI_PRODUCT)
        end = outer(fuse(a, b->end, narrow), end);
    if (b->kind == ACCORDI_PRODUCT)
        end = outer(fuse(b, a->end, narrow), end);
    if (!finite_ends(end))
        return false;
    accordi_ends more = end - plain;
    accordi_states[site].fusion += more[0] + more[1];
    *out = (accordi_shadow){end, other->x, other->y, other->kind};
    return true;
}

/* ---- products times a power of two ---- */

/* Nothing in it, scaled by 2^65 at most, overflows or underflows, nor does the difference of a
 * product and its rounded value. */
static bool is_moderate(double x)
{
    return __builtin_fabs(x) > 0x1p-900 && __builtin_fabs(x) < 0x1p900;
}

/* Or the end is 0, and so is the product. */
static bool is_moderate_end(const accordi_shadow *a, int end)
{
    if (a->end[end] == 0)
        return a->x[end] == 0 || a->y[end] == 0;
    return is_moderate(a->end[end]) && is_moderate(a->x[end]) && is_moderate(a->y[end]);
}

/* What enters a sum is the exact product or the rounded one, whichever is further out. */
static bool scale_product(accordi_shadow *out, const accordi_shadow *a, double power)
{
    if (!is_moderate_end(a, 0) || !is_moderate_end(a, 1))
        return false;
    accordi_ends further = accordi_fma_ends(a->x, a->y, -a->end);
    accordi_ends x = {further[0] > 0 ? a->x[0] : a->end[0], further[1] > 0 ? a->x[1] : a->end[1]};
    accordi_ends y = {further[0] > 0 ? a->y[0] : 1, further[1] > 0 ? a->y[1] : 1};
    out->end = power > 0 ? a->end * power : swap(a->end) * -power;
    out->x = power > 0 ? x : -swap(x);
    out->y = power > 0 ? y * power : swap(y) * power;
    out->kind = ACCORDI_PRODUCT;
    return true;
}

/* ---- exact operations, with excess precision ---- */

static bool is_number(const accordi_shadow *a)
{
    return a->kind == ACCORDI_PLAIN && -a->end[0] == a->end[1];
}

/* A sum or product of numbers that is one of the format, and not subnormal, is the same in every
 * wider format, and fused or not. */
static bool exactly(accordi_shadow *out, const accordi_shadow *a, const accordi_shadow *b,
                    uint32_t operation, bool narrow)
{
    bool sum = operation == ACCORDI_DO_ADD;
    if (accordi_model &
            ~(uint32_t)(ACCORD_BOUND_EXCESS | ACCORD_BOUND_CONTRACT | ACCORD_BOUND_CONTRACT_EXPR) ||
        operation > ACCORDI_DO_SQUARE || !is_number(a) || !is_number(b))
        return false;
    double x = a->end[1], y = b->end[1], r = sum ? x + y : x * y, part = r - x;
    double rest = sum ? (x - (r - part)) + (y - part) : __builtin_fma(x, y, -r);
    bool normal = __builtin_fabs(r) >= (narrow ? 0x1p-126 : 0x1p-960);
    if (rest != 0 || (narrow && (double)(float)r != r) ||
        !(normal || (r == 0 && (sum || x == 0 || y == 0))))
        return false;
    set_point(out, r);
    return true;
}

__attribute__((noinline)) void accordi_less_fast_scale(accordi_shadow *out, ACCORDI_PARTS(a),
                                                       ACCORDI_PARTS(b), double scale_a,
                                                       double scale_b, bool divide, uint32_t site,
                                                       bool narrow)
{
    const accordi_shadow a = {a_end, a_x, a_y, a_kind}, b = {b_end, b_x, b_y, b_kind};
    const accordi_shadow *product = scale_b != 0 ? &a : &b;
    double power = divide ? 1 / scale_b : scale_b != 0 ? scale_b : scale_a;
    if (simple() && through() && !narrow && product->kind == ACCORDI_PRODUCT &&
        scale_product(out, product, power))
        return;
    if (!divide && exactly(out, &a, &b, ACCORDI_DO_MULTIPLY, narrow))
        return;
    accordi_slow_scale(out, ACCORDI_GIVE(&a), ACCORDI_GIVE(&b), scale_a, scale_b, divide, site,
                       narrow);
}

/* ---- infinite intervals ---- */

static bool is_empty(const accordi_shadow *a)
{
    return a->kind == ACCORDI_SPECIAL && !(-a->x[0] <= a->x[1]);
}

static bool is_lost(const accordi_shadow *a)
{
    return a->kind == ACCORDI_SPECIAL && a->y[0] >= ACCORDI_IS_LOST;
}

static bool with_top(accordi_shadow *out, const accordi_shadow *a, const accordi_shadow *b,
                     uint32_t operation)
{
    const accordi_shadow *other = is_top(a) ? b : a;
    if (operation > ACCORDI_DO_DIVIDE || !(is_top(a) || is_top(b)) || is_lost(other) ||
        is_empty(other))
        return false;
    if (operation != ACCORDI_DO_ADD &&
        (is_zero(other) || (other->kind == ACCORDI_SPECIAL && !is_top(other))))
        return false;
    set_top(out);
    return true;
}

static bool with_full(accordi_shadow *out, const accordi_shadow *a, const accordi_shadow *b,
                      uint32_t operation)
{
    const accordi_shadow *other = is_full(a) ? b : a;
    if (!(is_full(a) || is_full(b)) || !is_finite(other))
        return false;
    if (operation == ACCORDI_DO_ADD) {
        set_full(out);
        return true;
    }
    if (operation != ACCORDI_DO_MULTIPLY || is_zero(other))
        return false;
    if (holds_zero(interval_of(other)))
        set_top(out);
    else
        set_full(out);
    return true;
}

static bool divide_by_zero(accordi_shadow *out, const accordi_shadow *a, const accordi_shadow *b,
                           uint32_t site)
{
    if (!is_finite(a) || !is_finite(b) || !holds_zero(interval_of(b)))
        return false;
    accordi_becomes_infinite(site);
    if (holds_zero(interval_of(a)))
        set_top(out);
    else
        set_full(out);
    return true;
}

__attribute__((noinline)) void accordi_less_fast(accordi_shadow *out, ACCORDI_PARTS(a),
                                                 ACCORDI_PARTS(b), uint32_t operation,
                                                 uint32_t site, bool narrow)
{
    const accordi_shadow a = {a_end, a_x, a_y, a_kind}, b = {b_end, b_x, b_y, b_kind};
    bool done = false;
    if (simple())
        done = (operation == ACCORDI_DO_ADD && add_zero(out, &a, &b, site, narrow)) ||
               with_top(out, &a, &b, operation) || with_full(out, &a, &b, operation) ||
               (operation == ACCORDI_DO_MULTIPLY && is_finite(&a) && is_finite(&b) &&
                multiply_mixed(out, &a, &b, narrow)) ||
               (operation == ACCORDI_DO_DIVIDE && divide_by_zero(out, &a, &b, site));
    else
        done = exactly(out, &a, &b, operation, narrow);
    if (!done)
        accordi_slow(out, ACCORDI_GIVE(&a), ACCORDI_GIVE(&b), operation, site, narrow);
}
