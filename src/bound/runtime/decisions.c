/* Decisions that the intervals leave open, and shadows that are lost.
 *
 * In: the shadows at a comparison or a conversion to an integer that the inlined check could not
 * settle. Out: a note for the site, if more than one result is possible. */
#include "bound/runtime/paths.h"
#include "bound/runtime/records.h"
#include <math.h>
#include <stdlib.h>

typedef struct range {
    double low, high;
    bool nan, lost;
} range;

static range range_of(const accordi_shadow *a)
{
    bool special = a->kind == ACCORDI_SPECIAL;
    accordi_ends end = special ? a->x : a->end;
    unsigned flags = special ? (unsigned)a->y[0] : 0;
    return (range){-end[0], end[1], flags & ACCORDI_MAY_BE_NAN, flags & ACCORDI_IS_LOST};
}

static bool empty(const range *r)
{
    return !(r->low <= r->high);
}

void accordi_unstable(uint32_t site, const char *what, double low, double high)
{
    accordi_site_state *s = &accordi_states[site];
    accordi_decided();
    accordi_left_open();
    if (s->decisions++ == 0) {
        s->decision = what;
        s->low = low;
        s->high = high;
    }
}

/* Can the relation hold between two numbers, and can it fail? */
static void relate(const range *a, const range *b, uint32_t relation, bool *may, bool *may_not)
{
    bool overlap = a->high >= b->low && b->high >= a->low;
    switch (relation) {
    case ACCORDI_LESS:
        *may = a->low < b->high;
        *may_not = a->high >= b->low;
        break;
    case ACCORDI_LESS_EQUAL:
        *may = a->low <= b->high;
        *may_not = a->high > b->low;
        break;
    case ACCORDI_GREATER:
        *may = a->high > b->low;
        *may_not = a->low <= b->high;
        break;
    case ACCORDI_GREATER_EQUAL:
        *may = a->high >= b->low;
        *may_not = a->low < b->high;
        break;
    default:
        *may = overlap;
        *may_not = !overlap || a->low != a->high || b->low != b->high;
    }
}

static bool open_relation(const range *a, const range *b, uint32_t relation)
{
    bool nan = a->nan || b->nan, none = empty(a) || empty(b), may = false, may_not = false;
    if (a->lost || b->lost)
        return true;
    if (relation == ACCORDI_UNORDERED)
        return nan && !none;
    if (!none)
        relate(a, b, relation, &may, &may_not);
    return may && (may_not || nan);
}

#define SHADOW(a) (&(const accordi_shadow){a##_end, a##_x, a##_y, a##_kind})

void accordi_decide(ACCORDI_PARTS(a), ACCORDI_PARTS(b), uint32_t relation, uint32_t site)
{
    range x = range_of(SHADOW(a)), y = range_of(SHADOW(b));
    if (open_relation(&x, &y, relation)) {
        accordi_unstable(site, "branch", x.low - y.high, x.high - y.low);
        accordi_open_branch(site);
    }
}

void accordi_decide_integer(ACCORDI_PARTS(a), uint32_t site)
{
    range r = range_of(SHADOW(a));
    if (r.lost || (!empty(&r) && (r.nan || trunc(r.low) != trunc(r.high)))) {
        accordi_unstable(site, "conversion", r.low, r.high);
        if (!r.nan) /* which integer a NaN becomes is not defined */
            accordi_open_integers(site, r.low, r.high);
    }
}

void accordi_decide_sign(ACCORDI_PARTS(a), uint32_t site)
{
    range r = range_of(SHADOW(a));
    bool zero = r.low == 0 && r.high == 0;
    if (r.lost || (!empty(&r) && !zero && (r.nan || (r.low < 0) != (r.high < 0))))
        accordi_unstable(site, "branch", r.low, r.high);
}

void accordi_decide_unseen(ACCORDI_PARTS(a), uint32_t site, const char *what)
{
    range r = range_of(SHADOW(a));
    if (r.lost || r.nan || r.low < r.high)
        accordi_unstable(site, what, r.low, r.high);
}

void accordi_compare_bytes(const void *a, const void *b, size_t n, uint32_t site)
{
    if (accordi_any_volatile(a, n) || accordi_any_volatile(b, n))
        accordi_unstable(site, "comparison of bytes", -INFINITY, INFINITY);
}

static bool differs(const range *r, unsigned which)
{
    bool zero_inside = r->low <= 0 && r->high >= 0, infinite = isinf(r->low) || isinf(r->high);
    switch (which) {
    case ACCORDI_TO_EVEN:
        return rint(r->low) != rint(r->high);
    case ACCORDI_TO_AWAY:
        return round(r->low) != round(r->high);
    case ACCORDI_EXPONENT:
        return zero_inside || ilogb(r->low) != ilogb(r->high);
    case ACCORDI_IS_NAN:
        return false;
    case ACCORDI_IS_INFINITE:
        return infinite;
    default: /* zero, subnormal, normal, infinite, and the sign */
        return zero_inside || infinite || fpclassify(r->low) != fpclassify(r->high);
    }
}

void accordi_integer_of(const accordi_shadow *a, unsigned which, uint32_t site)
{
    range r = range_of(a);
    if (r.lost || (!empty(&r) && (r.nan || (r.low != r.high && differs(&r, which)))))
        accordi_unstable(site, "conversion", r.low, r.high);
}

/* ---- how near to a tie ---- */

static double *margin; /* of each site; infinite: there was no comparison */

static double distance_of(const range *a, const range *b)
{
    return a->low > b->high ? a->low - b->high : b->low > a->high ? a->high - b->low : 0;
}

void accordi_margin(const accordi_shadow *a, const accordi_shadow *b, uint32_t site)
{
    range x = range_of(a), y = range_of(b);
    if (!margin) {
        margin = malloc(accordi_site_count * sizeof *margin);
        for (uint32_t i = 0; margin && i < accordi_site_count; i++)
            margin[i] = INFINITY;
    }
    double distance = distance_of(&x, &y);
    if (margin && fabs(distance) < fabs(margin[site]))
        margin[site] = distance;
}

void accordi_put_margins(void)
{
    for (uint32_t i = 0; margin && i < accordi_site_count; i++)
        if (isfinite(margin[i]))
            accordi_put_margin(i, margin[i]);
}

/* ---- lost ---- */

uint32_t accordi_escaped;

static void count_loss(uint32_t site, const char *what)
{
    accordi_states[site].losses++;
    accordi_states[site].lost = what;
}

void accordi_lose(accordi_shadow *out, uint32_t site, const char *what)
{
    count_loss(site, what);
    *out = (accordi_shadow){{NAN, NAN},
                            {INFINITY, INFINITY},
                            {ACCORDI_MAY_BE_NAN | ACCORDI_IS_LOST, site},
                            ACCORDI_SPECIAL};
}

void accordi_escape(uint32_t site, const char *what)
{
    count_loss(site, what);
    if (!accordi_escaped)
        accordi_escaped = site + 1;
}
