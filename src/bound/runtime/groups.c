/* Sums and products that PAREN and PERM may parenthesize anew, on any shadows.
 *
 * In: the shadows of the terms (factors) of one expression of the program. Out: what the library
 * gives for it (bound/splits.c). */
#include "bound/runtime/groups.h"
#include "bound/runtime/values.h"
#include <accord/bound.h>
#include <math.h>
#include <stdlib.h>

enum { FEW = 32 };

static double width(const accordi_value *v)
{
    return accordi_value_is_finite(v) && !accordi_value_empty(v) ? v->high - v->low : 0;
}

/* The sum from left to right, with products fused or not: what is wider than that, order does. */
static double width_as_written(const accordi_value *term, uint32_t n, bool fuses)
{
    accordi_value out = term[0];
    out.product &= fuses;
    for (uint32_t i = 1; i < n; i++) {
        accordi_value next = term[i];
        next.product &= fuses;
        out = accordi_value_add(accordi_settings(), &out, &next);
    }
    return width(&out);
}

static void blame_sum(uint32_t site, const accordi_value *term, uint32_t n,
                      const accordi_value *out)
{
    double plain = width_as_written(term, n, false), fused = width_as_written(term, n, true);
    accordi_states[site].fusion += fmax(0, fused - plain);
    accordi_states[site].order += fmax(0, width(out) - fused);
}

/* False: a shadow is lost, and so is the result. */
static bool take(accordi_shadow *out, const accordi_shadow *from, accordi_value *v, uint32_t n,
                 bool narrow, bool *finite)
{
    *finite = true;
    for (uint32_t i = 0; i < n; i++) {
        if (accordi_shadow_is_lost(&from[i])) {
            *out = from[i];
            return false;
        }
        v[i] = accordi_shadow_value(&from[i], narrow ? ACCORD_F32 : ACCORD_F64);
        accordi_value_finish(accordi_settings(), &v[i]);
        *finite &= accordi_value_is_finite(&v[i]);
    }
    return true;
}

static void operate(accordi_shadow *out, const accordi_shadow *from, const double *power,
                    uint32_t n, uint32_t site, bool narrow)
{
    accordi_value few[FEW], *v = n > FEW ? malloc(n * sizeof *v) : few;
    bool finite;
    if (!v) {
        accordi_lose(out, site, "no memory was left");
        return;
    }
    if (take(out, from, v, n, narrow, &finite)) {
        accordi_bounds *b = accordi_settings();
        accordi_value result =
            power ? accordi_group_product(b, power, v, n) : accordi_group_sum(b, v, n);
        accordi_value_finish(b, &result);
        if (!power)
            blame_sum(site, v, n, &result);
        if (finite && !accordi_value_is_finite(&result))
            accordi_becomes_infinite(site);
        *out = accordi_value_shadow(&result);
        if (b->ways.failed)
            accordi_lose(out, site, "no memory was left");
        b->ways.failed = false;
    }
    if (v != few)
        free(v);
}

void accordi_regroup_sum(accordi_shadow *out, const accordi_shadow *term, uint32_t n, uint32_t site,
                         bool narrow)
{
    operate(out, term, NULL, n, site, narrow);
}

void accordi_regroup_product(accordi_shadow *out, const accordi_shadow *factor, const double *power,
                             uint32_t n, uint32_t site, bool narrow)
{
    operate(out, factor, power, n, site, narrow);
}
