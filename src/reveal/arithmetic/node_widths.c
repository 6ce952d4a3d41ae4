/* The arithmetic at the nodes, found by probes.
 *
 * A node v of a proven tree is probed alone: a is a leaf under its first child, b a leaf under its
 * second child, and z a leaf outside v (there is none if v is the root). All other terms are 0 and
 * change nothing. With A at a, B at b and -A at z the result is what v made of A + B, minus A. It
 * is small, so that nothing above v hides it.
 *
 * Sum: A = 1.5 * 2^(p-1), whose last place is 1, and B is 0.75, 0.25, -0.25 or 0.5. A node of
 * precision p rounds the sum, and the results show how; a node of greater precision returns B
 * itself. (Compare 2^k + 1.75 - 2^k in Fasi et al., Numerical behavior of NVIDIA tensor cores,
 * 2021.) Product: with second factors s = 1 + 2^-h and x_b = 1 + 2^-g, g + h = p + 1, the product
 * has a last bit that rounding drops, and x_a = -1 makes the rest small. The bit is in the result
 * if and only if the product enters unrounded. Hidden width: a node that rounds into the format of
 * the result may still add in a wider one. This is visible only if a child is wide or a product
 * enters unrounded: then some sums are ties in the narrow format but not in the wide one. Where it
 * is not visible it does not affect any result. */
#include "reveal/arithmetic/node_arithmetic.h"
#include "reveal/probes/leaf_order.h"
#include <limits.h>
#include <math.h>

enum { NO_LEAF = ACCORD_TREE_NO_NODE, KINDS = 4, NEAR = 32 };

/* Formats by precision; of those with 11 bits the one that fits the target. */
static const int precisions[] = {53, 24, 11, 8, 4, 3};
enum { PRECISIONS = sizeof precisions / sizeof *precisions };

/* A node and where it is asked. */
typedef struct spot {
    uint32_t node; /* k of node n + k */
    uint32_t child[2], leaf[2], beside;
    accord_operation operation;
    bool leaf_child[2], unrounded[2], known, odd;
} spot;

typedef struct finder {
    accordi_asker *asker;
    const accord_tree *tree;
    accordi_layout layout;
    uint32_t *parent;
    spot *spot;
    uint32_t spots;
    uint32_t *index;           /* per inner node: its spot; UINT32_MAX: not asked */
    enum accord_format format; /* what operands are added or multiplied in */
    int product_precision;     /* of it */
} finder;

static enum accord_format format_of(const accordi_asker *asker, int precision)
{
    const accord_target *target = asker->target;
    bool narrow = asker->format != target->format; /* then results of 11 bits are likely so too */
    const enum accord_format likely[] = {narrow ? asker->format : target->output,
                                         target->output,
                                         asker->format,
                                         ACCORD_F64,
                                         ACCORD_F32,
                                         ACCORD_TF32,
                                         ACCORD_BF16,
                                         ACCORD_E4M3,
                                         ACCORD_E5M2};
    for (size_t i = 0; i < sizeof likely / sizeof *likely; i++)
        if (accord_format_get(likely[i])->precision == precision)
            return likely[i];
    return ACCORD_F64;
}

/* ---- where to ask ---- */

static void choose_spot(finder *f, uint32_t k, spot *s)
{
    const accord_tree *tree = f->tree;
    const uint32_t *child = tree->child + tree->first[k];
    uint32_t n = tree->leaves, above = f->parent[n + k];
    *s = (spot){.node = k, .beside = NO_LEAF};
    for (int i = 0; i < 2; i++) {
        s->child[i] = child[i];
        s->leaf_child[i] = child[i] < n;
        s->leaf[i] = accordi_layout_leaf(f->asker, &f->layout, child[i]);
    }
    if (above == ACCORD_TREE_NO_NODE)
        return;
    const uint32_t *pair = tree->child + tree->first[above - n];
    s->beside = accordi_layout_leaf(f->asker, &f->layout, pair[0] == n + k ? pair[1] : pair[0]);
}

/* Whether its children are leaves: 0 … 3. */
static unsigned kind_of(const finder *f, uint32_t k)
{
    const uint32_t *child = f->tree->child + f->tree->first[k];
    return 2u * (child[0] < f->tree->leaves) + (child[1] < f->tree->leaves);
}

/* Every node if the budget allows, else the root and what is near it (loops over what vectors leave
 * over end there), and of each kind of node as many drawn at random as a quarter of the budget. */
static enum accord_status choose_spots(finder *f, uint32_t budget)
{
    uint32_t inner = f->tree->inner, left[KINDS] = {0}, wanted[KINDS];
    uint32_t near = inner <= budget ? inner : NEAR;
    f->spot = accordi_alloc((size_t)budget + near, sizeof *f->spot);
    f->index = accordi_alloc(inner, sizeof *f->index);
    if (!f->spot || !f->index)
        return f->asker->status = accordi_nomem(f->asker->error);
    for (uint32_t k = 0; k < inner; k++)
        left[kind_of(f, k)]++;
    for (int kind = 0; kind < KINDS; kind++)
        wanted[kind] = left[kind] < budget / KINDS ? left[kind] : budget / KINDS;
    for (uint32_t k = inner; k-- > 0;) {
        unsigned kind = kind_of(f, k);
        bool drawn = accordi_rng_below(&f->asker->rng, left[kind]--) < wanted[kind];
        wanted[kind] -= drawn;
        f->index[k] = UINT32_MAX;
        if (drawn || inner - 1 - k < near) {
            f->index[k] = f->spots;
            choose_spot(f, k, &f->spot[f->spots++]);
        }
    }
    return ACCORD_OK;
}

/* ---- asking ---- */

/* A, B and -A at one spot. */
static void put(finder *f, const spot *s, int at, double a, double b)
{
    accordi_ask_own(f->asker, s->leaf[at], a);
    accordi_ask_own(f->asker, s->leaf[!at], b);
    if (s->beside != NO_LEAF)
        accordi_ask_own(f->asker, s->beside, -a);
    accordi_ask_end(f->asker);
}

/* What came of it, less A. */
static double reading(const finder *f, const spot *s, size_t probe, double a)
{
    double raw = f->asker->result[probe];
    return s->beside == NO_LEAF ? raw - a : raw;
}

/* How a sum of A and each of these was rounded, in units of the last place of A. */
static const double added[] = {0.75, 0.25, -0.25, 0.5};
enum { ADDED = sizeof added / sizeof *added };
static const struct {
    double seen[ADDED];
    enum accord_rounding rounding;
} roundings[] = {
    {{1, 0, 0, 0}, ACCORD_NEAREST_EVEN},
    {{0, 0, -1, 0}, ACCORD_DOWN},
    {{1, 1, 0, 1}, ACCORD_UP},
    {{1, 0, 0, 1}, ACCORD_NEAREST_AWAY},
};
/* Of positive A, toward zero looks like down: -A tells. */

static bool equal(const double *a, const double *b)
{
    for (int i = 0; i < ADDED; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

/* The exponent by which A and B are moved to fit the input's format; false when it has no room. */
static bool fits(const accordi_asker *asker, int precision, int *shift)
{
    const accord_format_info *info = accord_format_get(asker->format);
    const accord_format_info *out = accord_format_get(asker->target->output);
    int low = info->min_exponent > out->min_exponent ? info->min_exponent : out->min_exponent;
    int high = info->max_exponent < out->max_exponent ? info->max_exponent : out->max_exponent;
    int subnormal = info->min_exponent - (info->precision - 1);
    *shift = 0;
    if (precision + 1 > high)
        *shift = high - precision - 1;
    if (*shift - 2 >= low)
        return true;
    return *shift - 2 >= subnormal && *shift - 2 >= out->min_exponent - (out->precision - 1);
}

/* Asks all spots that are not known yet for one precision. */
static enum accord_status ask_precision(finder *f, int precision)
{
    accordi_asker *asker = f->asker;
    int shift = 0;
    if (!fits(asker, precision, &shift))
        return ACCORD_OK;
    double a = ldexp(1.5, precision - 1 + shift), unit = ldexp(1, shift);
    accordi_ask_begin(asker, 0);
    for (uint32_t i = 0; i < f->spots; i++) {
        if (f->spot[i].known)
            continue;
        for (int t = 0; t < ADDED; t++)
            put(f, &f->spot[i], 0, a, added[t] * unit);
        put(f, &f->spot[i], 0, -a, 0.25 * unit);
    }
    if (accordi_ask_run(asker))
        return asker->status;
    size_t probe = 0;
    for (uint32_t i = 0; i < f->spots; i++) {
        spot *s = &f->spot[i];
        if (s->known)
            continue;
        double seen[ADDED];
        for (int t = 0; t < ADDED; t++)
            seen[t] = reading(f, s, probe++, a) / unit;
        double mirrored = reading(f, s, probe++, -a) / unit;
        for (size_t r = 0; r < sizeof roundings / sizeof *roundings; r++)
            if (equal(seen, roundings[r].seen)) {
                s->known = true;
                s->operation.rounding = roundings[r].rounding;
                s->operation.format = format_of(asker, precision);
            }
        if (s->known && s->operation.rounding == ACCORD_DOWN && mirrored == 1)
            s->operation.rounding = ACCORD_TOWARD_ZERO;
    }
    return ACCORD_OK;
}

static enum accord_status find_formats(finder *f)
{
    int first = accord_format_get(f->asker->target->output)->precision;
    ask_precision(f, first);
    for (size_t i = 0; i < PRECISIONS && !f->asker->status; i++)
        if (precisions[i] != first)
            ask_precision(f, precisions[i]);
    for (uint32_t i = 0; i < f->spots; i++)
        f->spot[i].odd = !f->spot[i].known;
    return f->asker->status;
}

/* Terms come through in a narrow format because they are rounded into it first, or because a sum on
 * the way is. Then 1 + u beside -1 in one node leaves u, the last place of the format of the
 * target. */
static enum accord_status find_operands(finder *f)
{
    enum { MOST = 16 };
    accordi_asker *asker = f->asker;
    enum accord_format whole = asker->target->format;
    int p = accord_format_get(whole)->precision, asked = 0;
    if (f->format == whole || asker->target->has_start)
        return ACCORD_OK;
    accordi_ask_begin(asker, 0);
    for (uint32_t i = 0; i < f->spots && asked < MOST; i++) {
        const spot *s = &f->spot[i];
        int at = s->leaf_child[1];
        if (!s->leaf_child[at])
            continue;
        accordi_ask_own(asker, s->leaf[at], 1 + ldexp(1, 1 - p));
        accordi_ask_own(asker, s->leaf[!at], -1);
        accordi_ask_end(asker);
        asked++;
    }
    if (asked == 0 || accordi_ask_run(asker))
        return asker->status;
    for (int i = 0; i < asked; i++)
        if (asker->result[i] == ldexp(1, 1 - p))
            f->format = whole;
    f->product_precision = accord_format_get(f->format)->precision;
    return ACCORD_OK;
}

/* ---- products ---- */

/* The fewest bits that a value of each spot's node keeps on its way to the result. */
static enum accord_status find_narrowest(finder *f, int *bits)
{
    const accord_tree *tree = f->tree;
    int *kept = accordi_alloc(tree->inner, sizeof *kept);
    if (!kept)
        return f->asker->status = accordi_nomem(f->asker->error);
    for (uint32_t k = tree->inner; k-- > 0;) {
        uint32_t above = f->parent[tree->leaves + k];
        const spot *s = f->index[k] == UINT32_MAX ? NULL : &f->spot[f->index[k]];
        int own = s && s->known ? accord_format_get(s->operation.format)->precision : INT_MAX;
        kept[k] = above == ACCORD_TREE_NO_NODE
                      ? accord_format_get(f->asker->target->output)->precision
                      : kept[above - tree->leaves];
        kept[k] = own < kept[k] ? own : kept[k];
        if (s)
            bits[f->index[k]] = kept[k];
    }
    free(kept);
    return ACCORD_OK;
}

static void set(const finder *f, void *row, uint32_t at, double value)
{
    if (f->asker->target->storage_f32)
        ((float *)row)[at] = (float)value;
    else
        ((double *)row)[at] = value;
}

/* A narrow sum on the way would round the bit away beside what else is left of the product. Its
 * sibling takes away all else, which needs a second factor of its own: x and y are rows of zeros
 * and ones. */
static enum accord_status ask_lone_bit(finder *f, spot *s, int at, void *x, void *y)
{
    int p = f->product_precision, g = p / 2, h = p + 1 - g;
    double seen, bit = ldexp(1, -p - 1);
    uint32_t leaf = s->leaf[at], other = s->leaf[!at];
    set(f, x, leaf, 1 + ldexp(1, -g));
    set(f, y, leaf, 1 + ldexp(1, -h));
    set(f, x, other, -(1 + ldexp(1, -g) + ldexp(1, -h)));
    accord_batch batch = {.probes = 1, .dense = x, .dense_second = y};
    accordi_asker *asker = f->asker;
    if (!accordi_ask_goes_on(asker, 1))
        return asker->status;
    asker->status = accord_target_run(asker->target, &batch, &seen, asker->error);
    seen *= asker->result_factor;
    s->unrounded[at] = seen == bit;
    s->odd |= seen != bit && seen != 0;
    set(f, x, leaf, 0);
    set(f, y, leaf, 1);
    set(f, x, other, 0);
    return asker->status;
}

/* Not where one of the two is a start value: its factor is one and the same. */
static enum accord_status find_hidden_products(finder *f)
{
    accordi_asker *asker = f->asker;
    size_t size = asker->target->storage_f32 ? sizeof(float) : sizeof(double);
    int needed = (f->product_precision + 1) / 2 + 2;
    int *bits = accordi_alloc(f->spots, sizeof *bits);
    void *x = accordi_calloc(asker->n, size), *y = accordi_alloc(asker->n, size);
    if (!bits || !x || !y)
        asker->status = accordi_nomem(asker->error);
    else
        find_narrowest(f, bits);
    for (size_t i = 0; !asker->status && i < asker->n; i++)
        set(f, y, (uint32_t)i, 1);
    for (uint32_t i = 0; i < f->spots && !asker->status && !asker->target->has_start; i++)
        for (int at = 0; at < 2 && !asker->status; at++)
            if (f->spot[i].leaf_child[at] && bits[i] < needed)
                ask_lone_bit(f, &f->spot[i], at, x, y);
    free(bits);
    free(x);
    free(y);
    return asker->status;
}

static enum accord_status find_products(finder *f)
{
    accordi_asker *asker = f->asker;
    int p = f->product_precision, g = p / 2, h = p + 1 - g;
    double s = 1 + ldexp(1, -h), x = 1 + ldexp(1, -g);
    double rounded = ldexp(1, -g), whole = rounded + ldexp(1, -p - 1);
    accordi_ask_begin(asker, 0);
    asker->second = s;
    asker->target->beta = asker->target->has_start ? s : 0;
    asker->start_factor = asker->target->alpha;
    for (uint32_t i = 0; i < f->spots; i++)
        for (int at = 0; at < 2; at++)
            if (f->spot[i].leaf_child[at]) {
                accordi_ask_own(asker, f->spot[i].leaf[at], x);
                accordi_ask_own(asker, f->spot[i].leaf[!at], -1);
                accordi_ask_end(asker);
            }
    accordi_ask_run(asker);
    accordi_ask_factors(asker, false);
    if (asker->status)
        return asker->status;
    size_t probe = 0;
    for (uint32_t i = 0; i < f->spots; i++)
        for (int at = 0; at < 2; at++)
            if (f->spot[i].leaf_child[at]) {
                double seen = asker->result[probe++];
                f->spot[i].unrounded[at] = seen == whole;
                f->spot[i].odd |= seen != whole && seen != rounded;
            }
    return find_hidden_products(f);
}

/* ---- hidden width ---- */

static const spot *spot_of(const finder *f, uint32_t node)
{
    uint32_t i = node < f->tree->leaves ? UINT32_MAX : f->index[node - f->tree->leaves];
    return i == UINT32_MAX ? NULL : &f->spot[i];
}

static int precision_of(const spot *s)
{
    return accord_format_get(s->operation.format)->precision;
}

/* The format of what a child brings to a spot. */
static enum accord_format brought(const finder *f, const spot *s, int at)
{
    const spot *below = spot_of(f, s->child[at]);
    return s->leaf_child[at]       ? f->format
           : below && below->known ? below->operation.format
                                   : s->operation.format;
}

/* Which child of a spot brings a wider format; -1: none. A stored child is not wide. */
static int wide_child(const finder *f, const spot *s)
{
    for (int i = 0; i < 2; i++) {
        const spot *below = spot_of(f, s->child[i]);
        bool narrowed = below && below->operation.stored != ACCORD_F64;
        if (!narrowed && accord_format_get(brought(f, s, i))->precision > precision_of(s))
            return i;
    }
    return -1;
}

/* A tie of the narrow format and a little more, which only a wide child holds, and a wide sum. */
static enum accord_status try_wide_child(finder *f, const spot *s, int wide, double more,
                                         bool *hidden)
{
    accordi_asker *asker = f->asker;
    const spot *below = spot_of(f, s->child[wide]);
    double a = ldexp(1.5, precision_of(s) - 1);
    accordi_ask_begin(asker, 0);
    accordi_ask_own(asker, below ? below->leaf[0] : s->leaf[wide], below ? 0.5 : 0.5 + more);
    if (below)
        accordi_ask_own(asker, below->leaf[1], more);
    accordi_ask_own(asker, s->leaf[!wide], a);
    if (s->beside != NO_LEAF)
        accordi_ask_own(asker, s->beside, -a);
    accordi_ask_end(asker);
    if (!accordi_ask_run(asker))
        *hidden = reading(f, s, 0, a) == 1;
    return asker->status;
}

/* What was seen is then what the sum is stored in. */
static void widen(spot *s, enum accord_format format)
{
    if (s->operation.format != format)
        s->operation.stored = s->operation.format;
    s->operation.format = format;
    s->operation.rounding = ACCORD_NEAREST_EVEN;
}

/* As wide as its wide child, or wider still, where the sum needs more bits than that has. */
static enum accord_status find_width(finder *f, spot *s)
{
    int wide = s->known ? wide_child(f, s) : -1, narrow = precision_of(s);
    bool hidden = false;
    if (wide < 0 || try_wide_child(f, s, wide, ldexp(1, -narrow - 1), &hidden) || !hidden)
        return f->asker->status;
    enum accord_format format = brought(f, s, wide);
    int bits = accord_format_get(format)->precision, needed = narrow + bits - 1;
    hidden = false;
    if (needed <= 53 && try_wide_child(f, s, wide, ldexp(1, 1 - bits), &hidden))
        return f->asker->status;
    if (hidden)
        format = needed > 24 ? ACCORD_F64 : bits < 24 ? ACCORD_F32 : format;
    widen(s, format);
    return f->asker->status;
}

static bool tells_wide_product(const finder *f, const spot *s, int at)
{
    return s->known && s->unrounded[at] && s->operation.format == ACCORD_F32 &&
           f->product_precision == 24 && !f->asker->target->has_start;
}

/* A tie of f32 and a little more, by the exact product 13325 * 80581 = 2^30 + 1: f64 rounds the
 * little away, then the tie to even; a fused multiply-add in f32 goes up. All in one batch. */
static enum accord_status find_wide_products(finder *f)
{
    accordi_asker *asker = f->asker;
    double a = 80581;
    size_t probe = 0;
    accordi_ask_begin(asker, 0);
    asker->second = 80581;
    for (uint32_t i = 0; i < f->spots; i++)
        for (int at = 0; at < 2; at++) {
            const spot *s = &f->spot[i];
            if (!tells_wide_product(f, s, at))
                continue;
            accordi_ask_own(asker, s->leaf[at], 13325 * ldexp(1, -38));
            accordi_ask_own(asker, s->leaf[!at], 1);
            if (s->beside != NO_LEAF)
                accordi_ask_own(asker, s->beside, -1);
            accordi_ask_end(asker);
        }
    if (accordi_ask_run(asker))
        return asker->status;
    for (uint32_t i = 0; i < f->spots; i++) {
        spot *s = &f->spot[i];
        bool asked[2] = {tells_wide_product(f, s, 0), tells_wide_product(f, s, 1)};
        for (int at = 0; at < 2; at++)
            if (asked[at] && reading(f, s, probe++, a) == 0)
                widen(s, ACCORD_F64);
    }
    return asker->status;
}

/* Of two products that enter a sum unrounded a fused multiply-add takes one: the sum is in a format
 * that holds both, the widest that is seen or the least that does. */
static void find_exact_products(finder *f)
{
    enum accord_format format = 2 * f->product_precision > 24 ? ACCORD_F64 : ACCORD_F32;
    if (2 * f->product_precision > 53)
        return;
    for (uint32_t i = 0; i < f->spots; i++)
        if (f->spot[i].known && precision_of(&f->spot[i]) == 53)
            format = ACCORD_F64;
    for (uint32_t i = 0; i < f->spots; i++) {
        spot *s = &f->spot[i];
        if (s->known && s->unrounded[0] && s->unrounded[1] &&
            precision_of(s) < 2 * f->product_precision)
            widen(s, format);
    }
}

/* Children before parents: a width that is found below may show one above. */
static enum accord_status find_hidden(finder *f)
{
    if (find_wide_products(f))
        return f->asker->status;
    find_exact_products(f);
    for (uint32_t i = f->spots; i-- > 0 && !f->asker->status;)
        find_width(f, &f->spot[i]);
    return f->asker->status;
}

/* ---- the operations ---- */

/* How products enter: where all are exact in the sum's format, none is called fused. */
static void settle(const finder *f, spot *s)
{
    int leaves = s->leaf_child[0] + s->leaf_child[1], whole = s->unrounded[0] + s->unrounded[1];
    bool exact = precision_of(s) >= 2 * f->product_precision;
    s->operation.fused = -1;
    s->operation.product = s->operation.format;
    if (f->asker->term != ACCORD_TERM_PRODUCT || leaves == 0 || (exact && whole == leaves))
        return;
    s->operation.product = f->format;
    if (whole == 1)
        s->operation.fused = s->unrounded[1];
    s->odd |= whole == 2;
}

/* The commonest operation of the spots of each kind; of a kind without spots, that of the root. */
static void find_rules(const finder *f, const accord_operation *rule[KINDS])
{
    enum { MOST = 16 }; /* different ones that are looked at */
    for (unsigned kind = 0; kind < KINDS; kind++) {
        const accord_operation *seen[MOST];
        uint32_t times[MOST] = {0}, count = 0, best = 0;
        for (uint32_t s = 0; s < f->spots; s++) {
            const accord_operation *op = &f->spot[s].operation;
            uint32_t i = 0;
            if (kind_of(f, f->spot[s].node) != kind)
                continue;
            while (i < count && memcmp(seen[i], op, sizeof *op))
                i++;
            if (i == count && count < MOST)
                seen[count++] = op;
            if (i < count && ++times[i] > times[best])
                best = i;
        }
        rule[kind] = count ? seen[best] : &f->spot[0].operation;
    }
}

enum accord_status accordi_arithmetic_tabulate(accordi_asker *asker, const accord_tree *tree,
                                               const accord_operation *of_node,
                                               accord_arithmetic *inout)
{
    enum { MOST = 255 };
    accord_operation table[MOST];
    size_t count = 0;
    uint8_t *index = accordi_alloc(tree->inner + 1, 1);
    for (uint32_t k = 0; index && k < tree->inner; k++) {
        size_t i = 0;
        while (i < count && memcmp(&table[i], &of_node[k], sizeof *table))
            i++;
        if (i == MOST) {
            free(index);
            return asker->status = accordi_fail(asker->error, ACCORD_UNSUPPORTED,
                                                "more than 255 kinds of additions in one sum");
        }
        if (i == count)
            table[count++] = of_node[k];
        index[k] = (uint8_t)i;
    }
    accord_operation *operation = accordi_alloc(count + 1, sizeof *operation);
    if (!index || !operation) {
        free(index);
        free(operation);
        return asker->status = accordi_nomem(asker->error);
    }
    memcpy(operation, table, count * sizeof *operation);
    free(inout->operation);
    free(inout->of_node);
    inout->operation = operation;
    inout->operations = count;
    inout->of_node = index;
    return ACCORD_OK;
}

/* A sum need not be stored in a format into which the node above it, or the result, rounds it. */
static void settle_stored(const finder *f, accord_operation *of_node)
{
    for (uint32_t k = 0; k < f->tree->inner; k++) {
        uint32_t above = f->parent[f->tree->leaves + k];
        enum accord_format next = above == ACCORD_TREE_NO_NODE
                                      ? f->asker->target->output
                                      : of_node[above - f->tree->leaves].format;
        if (of_node[k].stored == next)
            of_node[k].stored = ACCORD_F64;
    }
}

static enum accord_status make(finder *f, accordi_findings *findings, accord_arithmetic **out)
{
    accordi_asker *asker = f->asker;
    const accord_target *target = asker->target;
    const accord_tree *tree = f->tree;
    accord_operation *of_node = accordi_alloc(tree->inner, sizeof *of_node);
    accord_arithmetic *made = NULL;
    if (!of_node)
        return asker->status = accordi_nomem(asker->error);
    for (uint32_t i = 0; i < f->spots; i++) {
        settle(f, &f->spot[i]);
        findings->odd += f->spot[i].odd;
    }
    findings->probed = f->spots;
    const accord_operation *rule[KINDS];
    find_rules(f, rule);
    for (uint32_t k = 0; k < tree->inner; k++)
        of_node[k] = *rule[kind_of(f, k)];
    for (uint32_t i = 0; i < f->spots; i++)
        of_node[f->spot[i].node] = f->spot[i].operation;
    settle_stored(f, of_node);
    asker->status = accord_arithmetic_plain(asker->term, target->format, target->output,
                                            target->output, &made, asker->error);
    if (!asker->status && !accordi_arithmetic_tabulate(asker, tree, of_node, made))
        *out = made;
    else
        accord_arithmetic_free(made);
    free(of_node);
    return asker->status;
}

enum accord_status accordi_arithmetic(accordi_asker *asker, const accord_tree *tree,
                                      uint32_t budget, accordi_findings *findings,
                                      accord_arithmetic **out)
{
    finder f = {.asker = asker,
                .tree = tree,
                .format = asker->format,
                .product_precision = accord_format_get(asker->format)->precision};
    *findings = (accordi_findings){0};
    *out = NULL;
    bool suits = asker->term == ACCORD_TERM_VALUE || asker->term == ACCORD_TERM_PRODUCT;
    if (!suits || asker->scale != 1 || tree->inner == 0 || tree->inner + 1 != tree->leaves)
        return asker->status;
    f.parent = accordi_alloc((size_t)tree->leaves + tree->inner, sizeof *f.parent);
    if (!f.parent)
        return asker->status = accordi_nomem(asker->error);
    accord_tree_parents(tree, f.parent);
    if (!accordi_layout_init(asker, tree, &f.layout) && !choose_spots(&f, budget) &&
        !find_formats(&f) && !find_operands(&f) &&
        (asker->term != ACCORD_TERM_PRODUCT || !find_products(&f)) && !find_hidden(&f))
        make(&f, findings, out);
    accordi_layout_clear(&f.layout);
    free(f.parent);
    free(f.spot);
    free(f.index);
    return asker->status;
}
