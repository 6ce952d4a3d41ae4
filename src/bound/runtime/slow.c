/* Every operation on any shadow, by the functions of room bound: the inlined operations come here
 * for signs that are mixed, ends that are infinite, NaN, and the models EXCESS and FTZ.
 *
 * A shadow becomes an accordi_value without evaluations, and back; what is lost stays lost. What an
 * operation adds to the width by itself, and where an interval first becomes infinite, is written
 * down for its site. */
#include "bound/runtime/values.h"
#include <math.h>
#include <string.h>

bool accordi_shadow_is_lost(const accordi_shadow *a)
{
    return a->kind == ACCORDI_SPECIAL && (unsigned)a->y[0] & ACCORDI_IS_LOST;
}

accordi_value accordi_shadow_value(const accordi_shadow *a, enum accord_format format)
{
    bool special = a->kind == ACCORDI_SPECIAL;
    accordi_ends end = special ? a->x : a->end;
    accordi_value v = accordi_value_nan(format);
    v.low = -end[0];
    v.high = end[1];
    v.nan = special && (unsigned)a->y[0] & ACCORDI_MAY_BE_NAN;
    v.product = a->kind == ACCORDI_PRODUCT || a->kind == ACCORDI_SCALED;
    v.least = (accordi_pair){-a->x[0], a->y[0], ACCORDI_NO_WAY, ACCORDI_NO_WAY};
    v.greatest = (accordi_pair){a->x[1], a->y[1], ACCORDI_NO_WAY, ACCORDI_NO_WAY};
    return v;
}

static bool is_float(double x)
{
    return (double)(float)x == x;
}

/* The next number beyond an end, of floats or of doubles. */
static double beyond(const accordi_value *v, double end, double limit)
{
    return v->format == ACCORD_F64 ? nextafter(end, limit)
                                   : (double)nextafterf((float)end, (float)limit);
}

/* A product that may be NaN is kept as an interval that holds the exact products, which gives the
 * same where it enters a sum, or more. */
static accordi_ends special_ends(const accordi_value *v)
{
    if (!v->product || accordi_value_empty(v))
        return (accordi_ends){-v->low, v->high};
    return (accordi_ends){-beyond(v, v->low, -INFINITY), beyond(v, v->high, INFINITY)};
}

accordi_shadow accordi_value_shadow(const accordi_value *v)
{
    accordi_shadow out = {{-v->low, v->high}, {0, 0}, {0, 0}, ACCORDI_PLAIN};
    if (v->nan || accordi_value_empty(v)) {
        out.x = special_ends(v);
        out.end = (accordi_ends){NAN, NAN};
        out.y = (accordi_ends){v->nan ? ACCORDI_MAY_BE_NAN : 0, 0};
        out.kind = ACCORDI_SPECIAL;
    } else if (v->product) {
        bool floats = is_float(v->least.x) && is_float(v->least.y) && is_float(v->greatest.x) &&
                      is_float(v->greatest.y);
        out.x = (accordi_ends){-v->least.x, v->greatest.x};
        out.y = (accordi_ends){v->least.y, v->greatest.y};
        out.kind = v->format == ACCORD_F64 || floats ? ACCORDI_PRODUCT : ACCORDI_SCALED;
    }
    return out;
}

accordi_bounds *accordi_settings(void)
{
    static accordi_bounds b;
    static accordi_step step[64];
    static accord_bound_expression none = {.format = ACCORD_F64};
    unsigned m = accordi_model;
    b.expression = &none;
    b.options.function_ulp = 1;
    b.options.reciprocal_ulp = 2;
    b.options.model = m;
    b.outward = m & (ACCORD_BOUND_EXCESS | ACCORD_BOUND_FAST);
    b.flushes = m & ACCORD_BOUND_FTZ;
    b.through = m & (ACCORD_BOUND_CONTRACT | ACCORD_BOUND_LOOP);
    b.splits = m & (ACCORD_BOUND_PAREN | ACCORD_BOUND_PERM);
    b.permutes = m & ACCORD_BOUND_PERM;
    b.reorder = m & ACCORD_BOUND_PERM;
    b.fuses = b.through || b.splits || m & ACCORD_BOUND_CONTRACT_EXPR;
    b.ways.step = step;
    b.ways.count = 0;
    b.ways.capacity = sizeof step / sizeof *step;
    return &b;
}

/* ---- what is written down ---- */

bool accordi_value_is_finite(const accordi_value *v)
{
    return accordi_value_empty(v) || (isfinite(v->low) && isfinite(v->high) && !v->nan);
}

uint32_t accordi_infinite_sites;

static void note_infinite(uint32_t site, const accordi_value *v, const accordi_value *out)
{
    if (!accordi_value_is_finite(out) && accordi_value_is_finite(&v[0]) &&
        accordi_value_is_finite(&v[1]) && accordi_value_is_finite(&v[2]))
        accordi_becomes_infinite(site);
}

static double width(const accordi_value *v)
{
    return accordi_value_is_finite(v) && !accordi_value_empty(v) ? v->high - v->low : 0;
}

/* ---- operations ---- */

static accordi_value add(accordi_bounds *b, accordi_value *v, uint32_t site)
{
    accordi_value out = accordi_value_add(b, &v[0], &v[1]);
    v[0].product = v[1].product = false;
    accordi_value plain = accordi_value_add(b, &v[0], &v[1]);
    accordi_states[site].fusion += fmax(0, width(&out) - width(&plain));
    return out;
}

static accordi_value apply(accordi_bounds *b, accordi_value *v, uint32_t operation, uint32_t site)
{
    static const enum accord_bound_operation others[] = {
        [ACCORDI_DO_FMA] = ACCORD_BOUND_FMA,         [ACCORDI_DO_SQRT] = ACCORD_BOUND_SQRT,
        [ACCORDI_DO_ABS] = ACCORD_BOUND_ABS,         [ACCORDI_DO_MINIMUM] = ACCORD_BOUND_MINIMUM,
        [ACCORDI_DO_MAXIMUM] = ACCORD_BOUND_MAXIMUM, [ACCORDI_DO_NARROW] = ACCORD_BOUND_CONVERT};
    if (operation == ACCORDI_DO_ADD)
        return add(b, v, site);
    if (operation == ACCORDI_DO_MULTIPLY || operation == ACCORDI_DO_SQUARE)
        return accordi_value_scale(b, &v[0], &v[1], 0, 0, operation == ACCORDI_DO_SQUARE);
    if (operation == ACCORDI_DO_DIVIDE)
        return accordi_value_quotient(b, &v[0], &v[1], 0);
    v[0].fused = operation == ACCORDI_DO_NARROW;
    if (operation < ACCORDI_DO_FUNCTION)
        return accordi_value_operation(b, others[operation],
                                       operation == ACCORDI_DO_NARROW ? ACCORD_F32 : v->format, v);
    const accordi_node node = {.operation = operation - ACCORDI_DO_FUNCTION, .format = v->format};
    accordi_value out = accordi_value_function(b, &node, v);
    accordi_states[site].function += fmax(0, width(&out) - width(&v[0]));
    return out;
}

static const accordi_shadow *first_lost(const accordi_shadow *a)
{
    return accordi_shadow_is_lost(&a[0])   ? &a[0]
           : accordi_shadow_is_lost(&a[1]) ? &a[1]
           : accordi_shadow_is_lost(&a[2]) ? &a[2]
                                           : NULL;
}

static void values_of(const accordi_bounds *b, const accordi_shadow *a, accordi_value *v,
                      bool narrow)
{
    for (int i = 0; i < 3; i++) {
        v[i] = accordi_shadow_value(&a[i], narrow ? ACCORD_F32 : ACCORD_F64);
        accordi_value_finish(b, &v[i]);
    }
}

static void conclude(const accordi_bounds *b, accordi_shadow *out, const accordi_value *v,
                     accordi_value *result, uint32_t site)
{
    accordi_value_finish(b, result);
    note_infinite(site, v, result);
    *out = accordi_value_shadow(result);
}

static void operate(accordi_shadow *out, const accordi_shadow *a, uint32_t operation, uint32_t site,
                    bool narrow)
{
    const accordi_shadow *gone = first_lost(a);
    accordi_value v[3], before[3];
    if (gone) {
        *out = *gone;
        return;
    }
    accordi_bounds *b = accordi_settings();
    values_of(b, a, v, narrow && operation != ACCORDI_DO_NARROW);
    memcpy(before, v, sizeof before);
    accordi_value result = apply(b, v, operation, site);
    conclude(b, out, before, &result, site);
}

#define SHADOW(a)                                                                                  \
    {                                                                                              \
        a##_end, a##_x, a##_y, a##_kind                                                            \
    }

void accordi_slow(accordi_shadow *out, ACCORDI_PARTS(a), ACCORDI_PARTS(b), uint32_t operation,
                  uint32_t site, bool narrow)
{
    const accordi_shadow operands[3] = {SHADOW(a), SHADOW(b), SHADOW(a)};
    operate(out, operands, operation, site, narrow);
}

void accordi_slow_fma(accordi_shadow *out, ACCORDI_PARTS(a), ACCORDI_PARTS(b),
                      const accordi_shadow *c, uint32_t site, bool narrow)
{
    const accordi_shadow operands[3] = {SHADOW(a), SHADOW(b), *c};
    operate(out, operands, ACCORDI_DO_FMA, site, narrow);
}

void accordi_slow_scale(accordi_shadow *out, ACCORDI_PARTS(a), ACCORDI_PARTS(b), double scale_a,
                        double scale_b, bool divide, uint32_t site, bool narrow)
{
    const accordi_shadow operands[3] = {SHADOW(a), SHADOW(b), SHADOW(b)},
                         *gone = first_lost(operands);
    accordi_value v[3];
    if (gone) {
        *out = *gone;
        return;
    }
    accordi_bounds *b = accordi_settings();
    values_of(b, operands, v, narrow);
    accordi_value result = divide ? accordi_value_quotient(b, &v[0], &v[1], scale_b)
                                  : accordi_value_scale(b, &v[0], &v[1], scale_a, scale_b, false);
    conclude(b, out, v, &result, site);
}
