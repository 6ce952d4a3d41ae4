/* Which nodes add in a wider format than the one that they round into, found by probes.
 *
 * A node that rounds into the format of the result may still add in a wider one. This is visible
 * only if a child is wide or a product enters unrounded: then some sums are ties in the narrow
 * format but not in the wide one. Where it is not visible it does not affect any result. */
#include "reveal/arithmetic/node_probes.h"
#include <math.h>

static const accordi_probed_node *spot_of(const accordi_node_finder *f, uint32_t node)
{
    uint32_t i = node < f->tree->leaves ? UINT32_MAX : f->index[node - f->tree->leaves];
    return i == UINT32_MAX ? NULL : &f->spot[i];
}

/* The format of what a child brings to a spot. */
static enum accord_format format_brought(const accordi_node_finder *f, const accordi_probed_node *s,
                                         int at)
{
    const accordi_probed_node *below = spot_of(f, s->child[at]);
    return s->leaf_child[at]       ? f->format
           : below && below->known ? below->operation.format
                                   : s->operation.format;
}

/* Which child of a spot brings a wider format; -1: none. A stored child is not wide. */
static int wide_child(const accordi_node_finder *f, const accordi_probed_node *s)
{
    for (int i = 0; i < 2; i++) {
        const accordi_probed_node *below = spot_of(f, s->child[i]);
        bool narrowed = below && below->operation.stored != ACCORD_F64;
        if (!narrowed &&
            accord_format_get(format_brought(f, s, i))->precision > accordi_node_precision(s))
            return i;
    }
    return -1;
}

/* Half of the last place that a wide child brings, and another half: they make a whole one, unless
 * each is rounded alone. Shows a wide sum that is not rounded to nearest. */
static enum accord_status try_halves(accordi_node_finder *f, const accordi_probed_node *s, int wide,
                                     bool *hidden)
{
    accordi_asker *asker = f->asker;
    const accordi_probed_node *below = spot_of(f, s->child[wide]);
    double a = ldexp(1.5, accordi_node_precision(s) - 1);
    if (!below)
        return ACCORD_OK;
    accordi_ask_begin(asker, 0);
    accordi_ask_own(asker, below->leaf[0], a);
    accordi_ask_own(asker, below->leaf[1], 0.5);
    accordi_ask_own(asker, s->leaf[!wide], 0.5);
    if (s->beside != ACCORDI_NO_LEAF)
        accordi_ask_own(asker, s->beside, -a);
    accordi_ask_end(asker);
    if (!accordi_ask_run(asker))
        *hidden = accordi_node_reading(f, s, 0, a) == 1;
    return asker->status;
}

static bool is_of(enum accord_format format, double x)
{
    return accord_format_round(format, ACCORD_NEAREST_EVEN, x) == x;
}

/* A tie of the narrow format and a little more, which only a wide child holds, and a wide sum. */
static enum accord_status try_wide_child(accordi_node_finder *f, const accordi_probed_node *s,
                                         int wide, double more, bool *hidden)
{
    accordi_asker *asker = f->asker;
    const accordi_probed_node *below = spot_of(f, s->child[wide]);
    double a = ldexp(1.5, accordi_node_precision(s) - 1), half = below ? 0.5 : 0.5 + more;
    *hidden = false;
    if (!is_of(asker->target->format, half) || !is_of(asker->target->format, more))
        return asker->status;
    accordi_ask_begin(asker, 0);
    accordi_ask_own(asker, below ? below->leaf[0] : s->leaf[wide], half);
    if (below)
        accordi_ask_own(asker, below->leaf[1], more);
    accordi_ask_own(asker, s->leaf[!wide], a);
    if (s->beside != ACCORDI_NO_LEAF)
        accordi_ask_own(asker, s->beside, -a);
    accordi_ask_end(asker);
    if (!accordi_ask_run(asker))
        *hidden = accordi_node_reading(f, s, 0, a) == 1;
    return asker->status;
}

/* What was seen is then what the sum is stored in, or how the result is rounded. */
static void widen_operation(accordi_node_finder *f, accordi_probed_node *s,
                            enum accord_format format)
{
    if (s->operation.format != format)
        s->operation.stored = s->operation.format;
    s->operation.format = format;
    if (s->beside == ACCORDI_NO_LEAF)
        f->last = s->operation.rounding;
}

/* As wide as its wide child, or wider still, where the sum needs more bits than that has. */
static enum accord_status find_width(accordi_node_finder *f, accordi_probed_node *s)
{
    int wide = s->known ? wide_child(f, s) : -1, narrow = accordi_node_precision(s);
    bool hidden = false, nearest = s->operation.rounding == ACCORD_NEAREST_EVEN;
    if (wide < 0)
        return f->asker->status;
    if (!nearest && !try_halves(f, s, wide, &hidden) && hidden)
        widen_operation(f, s, format_brought(f, s, wide));
    if (!nearest || try_wide_child(f, s, wide, ldexp(1, -narrow - 1), &hidden) || !hidden)
        return f->asker->status;
    enum accord_format format = format_brought(f, s, wide);
    int bits = accord_format_get(format)->precision, needed = narrow + bits - 1;
    hidden = false;
    if (needed <= 53 && try_wide_child(f, s, wide, ldexp(1, 1 - bits), &hidden))
        return f->asker->status;
    if (hidden)
        format = needed > 24 ? ACCORD_F64 : bits < 24 ? ACCORD_F32 : format;
    widen_operation(f, s, format);
    return f->asker->status;
}

static bool tells_wide_product(const accordi_node_finder *f, const accordi_probed_node *s, int at)
{
    return s->known && s->unrounded[at] && s->operation.format == ACCORD_F32 &&
           f->product_precision == 24 && !f->asker->target->has_start;
}

/* A tie of f32 beside `second`, and a little more, by the exact product of both: f64, or also x87,
 * rounds the little away, then the tie to even; a fused multiply-add in f32 goes up. */
typedef struct near_tie {
    double first, second;
} near_tie;

static const near_tie beyond_f64 = {13325 * 0x1p-38, 80581};     /* 2^-8 + 2^-38 */
static const near_tie beyond_x87 = {2693665 * 0x1p-46, 1632737}; /* 2^-4 + 2^-46 */

/* lost[2 * i + at]: the product at leaf `at` of spot i is asked about; then, whether the little was
 * lost. All in one batch. */
static enum accord_status ask_near_ties(accordi_node_finder *f, const near_tie *tie, bool *lost)
{
    accordi_asker *asker = f->asker;
    size_t probe = 0;
    accordi_ask_begin(asker, 0);
    asker->second = tie->second;
    for (uint32_t i = 0; i < 2 * f->spots; i++) {
        const accordi_probed_node *s = &f->spot[i / 2];
        if (!lost[i])
            continue;
        accordi_ask_own(asker, s->leaf[i % 2], tie->first);
        accordi_ask_own(asker, s->leaf[i % 2 == 0], 1);
        if (s->beside != ACCORDI_NO_LEAF)
            accordi_ask_own(asker, s->beside, -1);
        accordi_ask_end(asker);
    }
    if (accordi_ask_run(asker))
        return asker->status;
    for (uint32_t i = 0; i < 2 * f->spots; i++)
        if (lost[i])
            lost[i] = accordi_node_reading(f, &f->spot[i / 2], probe++, tie->second) == 0;
    return ACCORD_OK;
}

static enum accord_status find_wide_products(accordi_node_finder *f)
{
    uint32_t count = 2 * f->spots;
    bool *lost = accordi_ask_alloc(f->asker, 2 * count, sizeof *lost), *wide = lost + count;
    if (!lost)
        return f->asker->status;
    for (uint32_t i = 0; i < count; i++)
        lost[i] = tells_wide_product(f, &f->spot[i / 2], i % 2);
    ask_near_ties(f, &beyond_x87, lost);
    memcpy(wide, lost, count * sizeof *lost);
    if (!f->asker->status && memchr(wide, true, count))
        ask_near_ties(f, &beyond_f64, wide);
    for (uint32_t i = 0; i < count && !f->asker->status; i++)
        if (wide[i])
            widen_operation(f, &f->spot[i / 2], ACCORD_F64);
        else if (lost[i])
            f->spot[i / 2].twice = true;
    free(lost);
    return f->asker->status;
}

/* Of two products that enter a sum unrounded a fused multiply-add takes one: the sum is in a format
 * that holds both, the widest that is seen or the least that does. */
static void find_exact_products(accordi_node_finder *f)
{
    enum accord_format format = 2 * f->product_precision > 24 ? ACCORD_F64 : ACCORD_F32;
    if (2 * f->product_precision > 53)
        return;
    for (uint32_t i = 0; i < f->spots; i++)
        if (f->spot[i].known && accordi_node_precision(&f->spot[i]) == 53)
            format = ACCORD_F64;
    for (uint32_t i = 0; i < f->spots; i++) {
        accordi_probed_node *s = &f->spot[i];
        if (s->known && s->unrounded[0] && s->unrounded[1] &&
            accordi_node_precision(s) < 2 * f->product_precision)
            widen_operation(f, s, format);
    }
}

/* Where a wide sum enters a node that rounds into a narrow format, the roundings of the two may go
 * in directions of their own. A model has room for that where the sum is the result. */
static enum accord_status find_direction(accordi_node_finder *f, accordi_probed_node *s)
{
    accordi_twice twice = {.known = false};
    for (int i = 0; i < 2 && s->known && s->operation.stored != ACCORD_F64 && !twice.known; i++) {
        const accordi_probed_node *below = spot_of(f, s->child[i]);
        if (!below || !below->known || below->operation.stored != ACCORD_F64 ||
            accordi_node_precision(below) < accordi_node_precision(s))
            continue;
        if (accordi_node_twice(f, s, below->leaf, s->leaf[!i], &twice))
            return f->asker->status;
    }
    if (twice.known && twice.first != s->operation.rounding) {
        s->operation.rounding = twice.first;
        s->odd |= s->beside != ACCORDI_NO_LEAF;
    }
    return ACCORD_OK;
}

/* Children before parents: a width that is found below may show one above. */
enum accord_status accordi_node_widths(accordi_node_finder *f)
{
    if (find_wide_products(f))
        return f->asker->status;
    if (accordi_node_fused_ties(f))
        return f->asker->status;
    for (uint32_t i = 0; i < f->spots; i++)
        if (f->spot[i].twice_fused)
            widen_operation(f, &f->spot[i], ACCORD_F32);
    find_exact_products(f);
    for (uint32_t i = f->spots; i-- > 0 && !f->asker->status;)
        find_width(f, &f->spot[i]);
    for (uint32_t i = 0; i < f->spots && !f->asker->status; i++)
        find_direction(f, &f->spot[i]);
    return f->asker->status;
}
