/* Quotients and roots under FAST, and what fast_inline.c does not do: each number of the program
 * has a mass.
 *
 * In: shadows, with a mass or of one term. Out: the mass that bound/mass.c gives, and the interval
 * of all evaluations, which is what everything else takes: comparisons, functions, conversions, and
 * the report. Assignments, memory and calls do not matter to masses: the compiler sees through
 * them. */
#include "bound/runtime/masses.h"
#include "bound/mass.h"
#include "bound/runtime/values.h"
#include <accord/bound.h>
#include <math.h>

static accordi_mass mass_of(const accordi_wide_shadow *a, const accordi_value *v)
{
    const accordi_shadow *s = &a->base;
    if (s->kind < ACCORDI_WITH_MASS)
        return accordi_mass_of(accordi_settings(), v);
    return (accordi_mass){.p = s->x,
                          .m = s->y[0],
                          .k = s->y[1],
                          .terms = a->more.mass.terms,
                          .apart = s->kind == ACCORDI_WITH_MASS_APART,
                          .factors = a->more.mass.factors,
                          .length = a->more.mass.length,
                          .D = a->more.mass.D,
                          .G = a->more.mass.G,
                          .S = a->more.mass.S};
}

static void keep(accordi_wide_shadow *out, const accordi_mass *m, const accordi_value *v)
{
    out->base = accordi_value_shadow(v);
    if (out->base.kind == ACCORDI_SPECIAL)
        return;
    out->base.kind = m->apart > 0 ? ACCORDI_WITH_MASS_APART : ACCORDI_WITH_MASS;
    out->base.x = m->p;
    out->base.y = (accordi_ends){m->m, m->k};
    out->more.mass.terms = m->terms;
    out->more.mass.factors = m->factors;
    out->more.mass.length = m->length;
    out->more.mass.D = m->D;
    out->more.mass.G = m->G;
    out->more.mass.S = m->S;
}

static accordi_mass apply(uint32_t operation, enum accord_format f, const accordi_value *v,
                          const accordi_mass *m)
{
    const accordi_bounds *b = accordi_settings();
    const accordi_mass_rules rules = accordi_mass_rules_of(b, f), *r = &rules;
    accordi_mass other;
    switch (operation) {
    case ACCORDI_MASS_ADD:
        return accordi_mass_add(r, &m[0], &m[1]);
    case ACCORDI_MASS_SUBTRACT:
        other = accordi_mass_negate(m[1]);
        return accordi_mass_add(r, &m[0], &other);
    case ACCORDI_MASS_MULTIPLY:
        return accordi_mass_multiply(r, &m[0], &m[1]);
    case ACCORDI_MASS_DIVIDE:
        other = accordi_mass_reciprocal(b, &v[1], &m[1]);
        return accordi_mass_multiply(r, &m[0], &other);
    case ACCORDI_MASS_SQRT:
        return accordi_mass_root(b, &v[0], &m[0]);
    default:
        other = accordi_mass_multiply(r, &m[0], &m[1]);
        return accordi_mass_add(r, &other, &m[2]);
    }
}

/* The rounding of this operation, which errs by half a unit of each term, is the line's own. */
static void blame(uint32_t site, const accordi_mass *m, const accordi_value *v, bool narrow)
{
    if (!accordi_value_is_finite(v))
        accordi_becomes_infinite(site);
    else
        accordi_states[site].order += 2 * m->m * (narrow ? 0x1p-24 : 0x1p-53);
}

/* Infinite, or perhaps NaN, but a number: its mass is not known. */
static bool is_unlimited(const accordi_shadow *a)
{
    accordi_ends end = a->kind == ACCORDI_SPECIAL ? a->x : a->end;
    bool number = -end[0] <= end[1];
    return number && (a->kind == ACCORDI_SPECIAL || isinf(end[0]) || isinf(end[1]));
}

/* What follows from a number of which nothing is known: any number, and NaN. Programs whose bounds
 * became infinite early come here for most of their operations. */
static void set_any(accordi_wide_shadow *out)
{
    out->base = (accordi_shadow){.end = {NAN, NAN},
                                 .x = {INFINITY, INFINITY},
                                 .y = {ACCORDI_MAY_BE_NAN, 0},
                                 .kind = ACCORDI_SPECIAL};
}

void accordi_mass_operate(accordi_wide_shadow *out, const accordi_wide_shadow *a,
                          const accordi_wide_shadow *b, const accordi_wide_shadow *c,
                          uint32_t operation, uint32_t site, bool narrow)
{
    const accordi_wide_shadow *operand[3] = {a, b, c};
    enum accord_format f = narrow ? ACCORD_F32 : ACCORD_F64;
    accordi_value v[3];
    accordi_mass m[3];
    bool any = false;
    for (int i = 0; i < 3; i++) {
        if (accordi_shadow_is_lost(&operand[i]->base)) {
            out->base = operand[i]->base;
            return;
        }
        any |= is_unlimited(&operand[i]->base);
    }
    if (any) {
        set_any(out);
        return;
    }
    for (int i = 0; i < 3; i++) {
        v[i] = accordi_shadow_value(&operand[i]->base, f);
        m[i] = mass_of(operand[i], &v[i]);
        accordi_value_finish(accordi_settings(), &v[i]); /* divisors may be flushed */
    }
    accordi_mass result = apply(operation, f, v, m);
    accordi_value all = accordi_mass_interval(accordi_settings(), f, &result);
    blame(site, &result, &all, narrow);
    keep(out, &result, &all);
}
