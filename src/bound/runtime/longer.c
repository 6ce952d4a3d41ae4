/* Numbers of x87's 80 bits, which are long double on x86: memory, conversions, operations.
 *
 * A shadow of one is an interval of doubles that holds it. Every double is a number of the 80 bits
 * too, and rounding to them is monotone, so an operation on real numbers, rounded outward to
 * doubles, holds what any rounding gives: that to 80 bits, a wider one or none. No compiler fuses
 * here, for the processor cannot. Where sums may be reordered there are no such shadows (the
 * instrumenter sees to that). What overflows to a double keeps its largest finite number as one
 * end. */
#include "bound/runtime/records.h"
#include "bound/runtime/values.h"
#include <float.h>
#include <string.h>

/* ---- points ---- */

void accordi_point_long(accordi_shadow *out, long double x)
{
    double near = (double)x;
    accordi_input(out, near);
    if ((long double)near == x || isnan(x))
        return;
    out->end[0] = -((long double)near < x ? near : nextafter(near, -INFINITY));
    out->end[1] = (long double)near > x ? near : nextafter(near, INFINITY);
}

/* ---- memory ---- */

enum { BYTES = 10 };

/* In the exponent of a slot: so that those of other formats are told apart without a look at the
 * memory, which may end there. */
#define TAG UINT32_C(0x8d690000)

static accordi_slot80 slot_of(const void *p, const accordi_shadow *a)
{
    accordi_slot80 s = {0, 0, (uint32_t)a->kind, a->end};
    uint16_t exponent;
    memcpy(&s.bits, p, sizeof s.bits);
    memcpy(&exponent, (const char *)p + sizeof s.bits, sizeof exponent);
    s.bits ^= ACCORDI_MARK80;
    s.exponent = exponent | TAG;
    return s;
}

bool accordi_find_long(const void *p, accordi_shadow *out)
{
    char *chunk = accordi_chunks[accordi_chunk_number(p)];
    if (!chunk)
        return false;
    const accordi_slot80 s = *(accordi_slot80 *)accordi_slot(chunk, p);
    if ((s.exponent & 0xffff0000) != TAG || s.kind == ACCORDI_NOTHING)
        return false;
    const accordi_slot80 now = slot_of(p, out);
    if (s.bits != now.bits || s.exponent != now.exponent)
        return false;
    *out =
        (accordi_shadow){s.end, accordi_factors(chunk, p)->x, accordi_factors(chunk, p)->y, s.kind};
    return true;
}

bool accordi_counts_long(const void *p)
{
    accordi_shadow a = {.kind = ACCORDI_NOTHING};
    return accordi_find_long(p, &a);
}

bool accordi_any_long;

void accordi_store_long(const void *p, const accordi_shadow *a)
{
    accordi_any_long = true;
    char *chunk = accordi_map_chunk(p);
    *(accordi_slot80 *)accordi_slot(chunk, p) = slot_of(p, a);
    accordi_factors(chunk, p)->x = a->x;
    accordi_factors(chunk, p)->y = a->y;
    accordi_set((const char *)p + sizeof(uint64_t), BYTES - sizeof(uint64_t));
}

void accordi_load_long(accordi_shadow *out, const void *p, long double x, uint32_t site)
{
    accordi_shadow a = {.kind = ACCORDI_NOTHING};
    if (accordi_find_long(p, &a)) {
        *out = a;
    } else if (accordi_escaped) {
        accordi_load_unknown(out, p, 0, false, site);
    } else if (accordi_is_unset(p, BYTES) && !accordi_keeps_unset(site)) {
        accordi_lose(out, site, accordi_unset_text);
    } else if (accordi_any_volatile(p, BYTES)) {
        accordi_lose(out, 0, "bytes of a number in another format");
    } else {
        accordi_point_long(out, x);
        accordi_store_long(p, out);
    }
}

/* ---- operations ---- */

static accordi_bounds *outward(void)
{
    accordi_bounds *b = accordi_settings();
    b->outward = true;
    b->fuses = b->through = b->splits = b->permutes = b->reorder = b->flushes = false;
    return b;
}

/* A product that is not rounded yet lies within a unit of where it is rounded to. */
static accordi_value whole_of(const accordi_shadow *a, bool narrow)
{
    accordi_value v = accordi_shadow_value(a, narrow ? ACCORD_F32 : ACCORD_F64);
    if (v.product && narrow)
        accordi_value_set(&v, (double)nextafterf((float)v.low, -INFINITY),
                          (double)nextafterf((float)v.high, INFINITY));
    else if (v.product)
        accordi_value_set(&v, nextafter(v.low, -INFINITY), nextafter(v.high, INFINITY));
    v.product = false;
    return v;
}

void accordi_to_long(accordi_shadow *out, const accordi_shadow *a, bool narrow)
{
    if (accordi_shadow_is_lost(a)) {
        *out = *a;
        return;
    }
    accordi_value v = whole_of(a, narrow);
    accordi_value_finish(accordi_settings(), &v); /* it may have been flushed */
    v.format = ACCORD_F64;
    *out = accordi_value_shadow(&v);
}

void accordi_from_long(accordi_shadow *out, const accordi_shadow *a, uint32_t site, bool narrow)
{
    if (narrow) {
        accordi_slow(out, ACCORDI_GIVE(a), ACCORDI_GIVE(a), ACCORDI_DO_NARROW, site, true);
    } else if (accordi_shadow_is_lost(a)) {
        *out = *a;
    } else {
        accordi_value v = accordi_value_of(a, false);
        accordi_value_give(out, &v);
    }
}

static accordi_value apply(accordi_bounds *b, const accordi_value v[3], uint32_t operation)
{
    static const enum accord_bound_operation others[] = {
        [ACCORDI_DO_ADD] = ACCORD_BOUND_ADD,         [ACCORDI_DO_MULTIPLY] = ACCORD_BOUND_MULTIPLY,
        [ACCORDI_DO_DIVIDE] = ACCORD_BOUND_DIVIDE,   [ACCORDI_DO_FMA] = ACCORD_BOUND_FMA,
        [ACCORDI_DO_SQRT] = ACCORD_BOUND_SQRT,       [ACCORDI_DO_ABS] = ACCORD_BOUND_ABS,
        [ACCORDI_DO_MINIMUM] = ACCORD_BOUND_MINIMUM, [ACCORDI_DO_MAXIMUM] = ACCORD_BOUND_MAXIMUM};
    if (operation == ACCORDI_DO_SQUARE)
        return accordi_value_multiply(b, &v[0], &v[1], true);
    if (operation < ACCORDI_DO_FUNCTION)
        return accordi_value_operation(b, others[operation], ACCORD_F64, v);
    const accordi_node node = {.operation = operation - ACCORDI_DO_FUNCTION, .format = ACCORD_F64};
    return accordi_value_function(b, &node, v);
}

/* What is too large for a double need not be infinite in 80 bits. */
static void hold_large(accordi_value *v)
{
    if (v->low == INFINITY)
        v->low = DBL_MAX;
    if (v->high == -INFINITY)
        v->high = -DBL_MAX;
}

void accordi_operate_long(accordi_shadow *out, const accordi_shadow *a, const accordi_shadow *b,
                          const accordi_shadow *c, uint32_t operation, uint32_t site)
{
    const accordi_shadow *operand[3] = {a, b, c};
    bool finite = true;
    accordi_value v[3];
    for (int i = 0; i < 3; i++) {
        if (accordi_shadow_is_lost(operand[i])) {
            *out = *operand[i];
            return;
        }
        v[i] = accordi_value_of(operand[i], false);
        finite = finite && accordi_value_is_finite(&v[i]);
    }
    accordi_value r = apply(outward(), v, operation);
    r.product = false;
    hold_large(&r);
    accordi_value_finish(outward(), &r);
    if (finite && !accordi_value_is_finite(&r))
        accordi_becomes_infinite(site);
    *out = accordi_value_shadow(&r);
}

/* ---- what comes in as text ---- */

void accordi_read_long(accordi_shadow *out, long double x, uint32_t site)
{
    accordi_read(out, (double)x, site);
    if (!accordi_shadow_is_lost(out))
        accordi_point_long(out, x);
}
