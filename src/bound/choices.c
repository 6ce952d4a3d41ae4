/* Comparisons, and what depends on one.
 *
 * In: intervals. Out: of a comparison 0 or 1, or either; of a ? b : c what is left of b and c. */
#include "bound/arithmetic.h"
#include "bound/bound.h"

/* A comparison that v <= w makes truer the greater w is: LESS and LESS_EQUAL. */
static void compare_order(accordi_bounds *b, const accordi_value *v, const accordi_value *w,
                          enum accord_bound_operation operation, accordi_value *out)
{
    bool strict = operation == ACCORD_BOUND_LESS || operation == ACCORD_BOUND_GREATER;
    bool turned = operation == ACCORD_BOUND_GREATER || operation == ACCORD_BOUND_GREATER_EQUAL;
    const accordi_value *small = turned ? w : v, *great = turned ? v : w;
    bool may = strict ? small->low < great->high : small->low <= great->high;
    bool must = strict ? small->high < great->low : small->high <= great->low;
    bool nan = v->nan || w->nan;
    accordi_value_lower(out, must && !nan,
                        nan ? ACCORDI_NO_WAY
                            : accordi_way_apply(b, operation, out->format,
                                                turned ? v->low_way : v->high_way,
                                                turned ? w->high_way : w->low_way, 0));
    accordi_value_raise(out, may,
                        accordi_way_apply(b, operation, out->format,
                                          turned ? v->high_way : v->low_way,
                                          turned ? w->low_way : w->high_way, 0));
}

accordi_value accordi_value_compare(accordi_bounds *b, const accordi_value *v,
                                    const accordi_value *w, enum accord_bound_operation operation)
{
    accordi_value out = accordi_value_nan(accordi_value_wider(v, w));
    bool unequal = operation == ACCORD_BOUND_NOT_EQUAL;
    bool none = accordi_value_empty(v) || accordi_value_empty(w);
    out.nan = false;
    if (operation != ACCORD_BOUND_EQUAL && !unequal && !none) {
        compare_order(b, v, w, operation, &out);
        return out;
    }
    bool apart = none || v->high < w->low || w->high < v->low;
    bool same = !apart && accordi_value_point(v) && accordi_value_point(w) && !v->nan && !w->nan;
    accordi_way way = apart || same
                          ? accordi_way_apply(b, operation, out.format, v->low_way, w->low_way, 0)
                          : ACCORDI_NO_WAY;
    accordi_value_lower(&out, unequal ? apart && !same : same, way);
    accordi_value_raise(&out, unequal ? !same : !apart, way);
    return out;
}

accordi_value accordi_value_select(accordi_bounds *b, enum accord_format f,
                                   const accordi_value v[3])
{
    accordi_value one = accordi_value_widen(b, v[1], f), two = accordi_value_widen(b, v[2], f);
    bool none = accordi_value_empty(&v[0]);
    bool yes = v[0].nan || (!none && (v[0].low != 0 || v[0].high != 0));
    bool no = !none && v[0].low <= 0 && v[0].high >= 0;
    one.product = one.product && b->through;
    two.product = two.product && b->through;
    accordi_value out = yes && no ? accordi_value_either(b, &one, &two) : yes ? one : two;
    out.correlated |= yes && no; /* the choice and what is chosen may share their inputs */
    return out;
}
