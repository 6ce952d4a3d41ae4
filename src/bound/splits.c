/* All ways to parenthesize a sum or a product: the ends by dynamic programming.
 *
 * In: the values of n terms (or factors). Out: the least and the greatest value of any
 * parenthesization, of the terms in their order or, with permutations, in any order.
 *
 * Idea: B[S], the ends of what the terms in S can sum to. The last operation joins two parts of S,
 * each of them evaluated in any way, and rounding is monotone in both, so
 *     B[S] = min over parts (L, R) of B[L] + B[R], and of fma(x, y, B[R]) where L is one product,
 * rounded. In their order the parts are [i, k] and [k + 1, j]: O(n^3); in any order all subsets:
 * O(3^n). By induction both ends are reached, if those of the terms are, for each end of B[S] is
 * one operation on ends of parts that no other part shares. (The recurrence of Bayati et al. leaves
 * out the parts of one term, and is not sound.) Ends that are infinite are as good as others, but
 * NaN is treated separately: a part that has only NaN is empty, [inf, -inf], and stays so in every
 * sum. Of products, all four corners are tried, and the extreme exact products of the last
 * operation are kept; their rounding is monotone too. */
#include "bound/arithmetic.h"
#include "bound/bound.h"
#include <math.h>

enum { MOST_SUBSETS = 16, MOST_ROW = 2000, MOST_FACTORS = 8, MOST_FACTORS_ROW = 64 };

/* A part: the terms from a to b, or the bits of a. */
typedef struct part {
    uint32_t a, b;
} part;

typedef struct table {
    accordi_bounds *bounds;
    const accordi_value *term;
    size_t n;
    bool subsets, wild, nan; /* wild: something is infinite */
    enum accord_format format;
    double *low, *high;               /* by part */
    double *low_turned, *high_turned; /* the same with rows and columns exchanged */
    accordi_value *value;             /* of products */
} table;

static size_t at(const table *t, part p)
{
    return t->subsets ? p.a : p.a * t->n + p.b;
}

static part whole_of(const table *t)
{
    return t->subsets ? (part){((uint32_t)1 << t->n) - 1, 0} : (part){0, (uint32_t)t->n - 1};
}

/* The term, if the part is only one; else n. */
static size_t single(const table *t, part p)
{
    if (t->subsets)
        return p.a & (p.a - 1) ? t->n : (size_t)__builtin_ctz(p.a);
    return p.a == p.b ? p.a : t->n;
}

/* The next way to cut a part in two, at first with *turn = 0; false at the end. Of subsets the left
 * one has the lowest bit. */
static bool next_split(const table *t, part p, uint32_t *turn, part *left, part *right)
{
    if (!t->subsets) {
        uint32_t k = p.a + (*turn)++;
        *left = (part){p.a, k};
        *right = (part){k + 1, p.b};
        return k < p.b;
    }
    uint32_t low = p.a & (~p.a + 1), rest = p.a & ~low;
    if (*turn == UINT32_MAX)
        return false;
    uint32_t sub = ((*turn ? *turn : rest) - 1) & rest;
    *left = (part){low | sub, 0};
    *right = (part){p.a & ~left->a, 0};
    *turn = sub ? sub : UINT32_MAX;
    return true;
}

/* ---- sums ---- */

static void set(table *t, part p, const accordi_value *v)
{
    size_t i = at(t, p);
    t->low[i] = v->low;
    t->high[i] = v->high;
    if (!t->subsets) {
        t->low_turned[p.b * t->n + p.a] = v->low;
        t->high_turned[p.b * t->n + p.a] = v->high;
    }
    t->wild = t->wild || isinf(v->low) || isinf(v->high);
}

static accordi_value get(const table *t, part p)
{
    accordi_value v = accordi_value_nan(t->format);
    v.low = t->low[at(t, p)];
    v.high = t->high[at(t, p)];
    return v;
}

/* One way to join two parts, without a product that is fused. A sum that is NaN is left out. */
static void join(const table *t, part left, part right, accordi_value *out)
{
    const accordi_bounds *b = t->bounds;
    size_t i = at(t, left), k = at(t, right);
    double low = accordi_do_add(b, t->format, accordi_down(b), t->low[i], t->low[k]);
    double high = accordi_do_add(b, t->format, accordi_up(b), t->high[i], t->high[k]);
    out->low = low < out->low ? low : out->low;
    out->high = high > out->high ? high : out->high;
}

static void fuse(const table *t, size_t product, part sum, accordi_value *out)
{
    const accordi_value *p = &t->term[product];
    accordi_value rest = get(t, sum);
    if (!p->product || accordi_value_empty(&rest))
        return;
    double low = accordi_bound_fuse(t->bounds, p, &rest, false);
    double high = accordi_bound_fuse(t->bounds, p, &rest, true);
    out->low = low < out->low ? low : out->low;
    out->high = high > out->high ? high : out->high;
}

/* To nearest the least of all sums is the least before rounding: one rounding does for all. (In the
 * formats narrower than f64 the double sums are rounded twice, which is harmless: format/round.c.)
 */
static double least_sum(const double *x, const double *y, size_t n)
{
    double m[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
    size_t k = 0;
    for (; k + 4 <= n; k += 4)
        for (size_t i = 0; i < 4; i++) {
            double s = x[k + i] + y[k + i];
            m[i] = s < m[i] ? s : m[i];
        }
    for (; k < n; k++) {
        double s = x[k] + y[k];
        m[0] = s < m[0] ? s : m[0];
    }
    m[0] = m[1] < m[0] ? m[1] : m[0];
    m[2] = m[3] < m[2] ? m[3] : m[2];
    return m[2] < m[0] ? m[2] : m[0];
}

static double greatest_sum(const double *x, const double *y, size_t n)
{
    double m[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    size_t k = 0;
    for (; k + 4 <= n; k += 4)
        for (size_t i = 0; i < 4; i++) {
            double s = x[k + i] + y[k + i];
            m[i] = s > m[i] ? s : m[i];
        }
    for (; k < n; k++) {
        double s = x[k] + y[k];
        m[0] = s > m[0] ? s : m[0];
    }
    m[0] = m[1] > m[0] ? m[1] : m[0];
    m[2] = m[3] > m[2] ? m[3] : m[2];
    return m[2] > m[0] ? m[2] : m[0];
}

static void join_row(const table *t, part p, accordi_value *out)
{
    size_t n = t->n, count = p.b - p.a, i = p.a * n + p.a, k = p.b * n + p.a + 1;
    out->low = accord_format_round(t->format, ACCORD_NEAREST_EVEN,
                                   least_sum(t->low + i, t->low_turned + k, count));
    out->high = accord_format_round(t->format, ACCORD_NEAREST_EVEN,
                                    greatest_sum(t->high + i, t->high_turned + k, count));
}

static void join_subsets(const table *t, part p, accordi_value *out)
{
    uint32_t low = p.a & (~p.a + 1), rest = p.a & ~low;
    double least = INFINITY, greatest = -INFINITY;
    for (uint32_t sub = rest; sub;) {
        sub = (sub - 1) & rest;
        double s = t->low[low | sub] + t->low[rest & ~sub];
        double g = t->high[low | sub] + t->high[rest & ~sub];
        least = s < least ? s : least;
        greatest = g > greatest ? g : greatest;
    }
    out->low = accord_format_round(t->format, ACCORD_NEAREST_EVEN, least);
    out->high = accord_format_round(t->format, ACCORD_NEAREST_EVEN, greatest);
}

static void look_for_nan(table *t, part p)
{
    part left, right;
    for (uint32_t turn = 0; !t->nan && next_split(t, p, &turn, &left, &right);) {
        accordi_value v = get(t, left), w = get(t, right);
        t->nan = accordi_value_opposite(&v, &w);
    }
}

static void fuse_all(const table *t, part p, accordi_value *out)
{
    if (!t->subsets) {
        fuse(t, p.a, (part){p.a + 1, p.b}, out);
        fuse(t, p.b, (part){p.a, p.b - 1}, out);
        return;
    }
    for (uint32_t left = p.a; left; left &= left - 1)
        fuse(t, (size_t)__builtin_ctz(left), (part){p.a & ~(left & (~left + 1)), 0}, out);
}

static void fill(table *t, part p)
{
    accordi_value v = accordi_value_nan(t->format);
    part left, right;
    if (single(t, p) < t->n) {
        v = t->term[single(t, p)];
    } else {
        if (t->bounds->outward || t->bounds->options.arithmetic)
            for (uint32_t turn = 0; next_split(t, p, &turn, &left, &right);)
                join(t, left, right, &v);
        else if (t->subsets)
            join_subsets(t, p, &v);
        else
            join_row(t, p, &v);
        fuse_all(t, p, &v);
        if (!accordi_value_empty(&v))
            accordi_value_finish(t->bounds, &v);
        if (t->wild && !t->nan)
            look_for_nan(t, p);
    }
    set(t, p, &v);
}

/* Parts before the larger ones that they belong to. */
static void fill_all(table *t, void each(table *t, part p))
{
    if (t->subsets) {
        for (uint32_t s = 1; s <= whole_of(t).a; s++)
            each(t, (part){s, 0});
        return;
    }
    for (uint32_t length = 0; length < t->n; length++)
        for (uint32_t i = 0; i + length < t->n; i++)
            each(t, (part){i, i + length});
}

/* ---- the evaluation that reaches an end ---- */

/* A part and how it is evaluated: a term, a sum of frames left and right, or with `fused` the
 * product that is term `left` into the frame right. */
typedef struct frame {
    part p;
    bool fused;
    size_t left, right;
    accordi_way way;
} frame;

static double end_of(const table *t, part p, bool high)
{
    return (high ? t->high : t->low)[at(t, p)];
}

/* Which term goes into which part with this end; true if there is one. */
static bool find_fused(const table *t, part p, bool high, part left, part right, frame *f,
                       part *rest)
{
    for (int turn = 0; turn < 2; turn++) {
        size_t term = single(t, turn ? right : left);
        accordi_value sum = get(t, turn ? left : right);
        *rest = turn ? left : right;
        if (term == t->n || !t->term[term].product || accordi_value_empty(&sum))
            continue;
        if (accordi_bound_fuse(t->bounds, &t->term[term], &sum, high) == end_of(t, p, high)) {
            f->fused = true;
            f->left = term;
            return true;
        }
    }
    return false;
}

/* Decides how a frame is evaluated, and appends the frames that it needs. False: it is not found.
 */
static bool decide(const table *t, bool high, frame *all, size_t i, size_t *count)
{
    part p = all[i].p, left, right, rest;
    if (single(t, p) < t->n)
        return true;
    for (uint32_t turn = 0; next_split(t, p, &turn, &left, &right);) {
        double sum = accordi_do_add(t->bounds, t->format, ACCORD_NEAREST_EVEN,
                                    end_of(t, left, high), end_of(t, right, high));
        bool plain = sum == end_of(t, p, high);
        if (!plain && !find_fused(t, p, high, left, right, &all[i], &rest))
            continue;
        if (plain) {
            all[i].left = *count;
            all[(*count)++] = (frame){.p = left};
            rest = right;
        }
        all[i].right = *count;
        all[(*count)++] = (frame){.p = rest};
        return true;
    }
    return false;
}

static accordi_way build(const table *t, bool high, const frame *all, const frame *f)
{
    size_t term = single(t, f->p);
    if (term < t->n)
        return high ? t->term[term].high_way : t->term[term].low_way;
    if (!f->fused)
        return accordi_way_apply(t->bounds, ACCORD_BOUND_ADD, t->format, all[f->left].way,
                                 all[f->right].way, 0);
    const accordi_value *v = &t->term[f->left];
    const accordi_pair *p = high ? &v->greatest : &v->least;
    return accordi_way_apply(t->bounds, ACCORD_BOUND_FMA, t->format, p->way_x, p->way_y,
                             all[f->right].way);
}

static accordi_way find_way(const table *t, bool high)
{
    accordi_way way = ACCORDI_NO_WAY;
    frame *all = accordi_calloc(2 * t->n, sizeof *all);
    size_t count = 1;
    bool good = all && !t->bounds->outward && !t->bounds->flushes;
    if (good)
        all[0].p = whole_of(t);
    for (size_t i = 0; good && i < count; i++)
        good = decide(t, high, all, i, &count);
    for (size_t i = count; good && i-- > 0;)
        all[i].way = build(t, high, all, &all[i]);
    if (good)
        way = all[0].way;
    free(all);
    return way;
}

/* ---- the whole sum ---- */

static bool make_table(table *t)
{
    size_t parts = t->subsets ? (size_t)1 << t->n : t->n * t->n;
    t->low = accordi_alloc(parts, sizeof *t->low);
    t->high = accordi_alloc(parts, sizeof *t->high);
    t->low_turned = accordi_alloc(t->subsets ? 1 : parts, sizeof *t->low);
    t->high_turned = accordi_alloc(t->subsets ? 1 : parts, sizeof *t->high);
    return t->low && t->high && t->low_turned && t->high_turned;
}

static accordi_value solve(table *t)
{
    accordi_value v = accordi_value_nan(t->format);
    for (size_t i = 0; i < t->n; i++)
        t->nan |= t->term[i].nan;
    if (!make_table(t)) {
        t->bounds->ways.failed = true;
    } else {
        fill_all(t, fill);
        v = get(t, whole_of(t));
        v.nan = t->nan;
        v.low_way = accordi_value_empty(&v) ? ACCORDI_NO_WAY : find_way(t, false);
        v.high_way = accordi_value_empty(&v) ? ACCORDI_NO_WAY : find_way(t, true);
        accordi_value_finish(t->bounds, &v);
    }
    free(t->low);
    free(t->high);
    free(t->low_turned);
    free(t->high_turned);
    return v;
}

accordi_value accordi_split_sum(accordi_bounds *b, const accordi_value *term, size_t n)
{
    table t = {.bounds = b, .term = term, .n = n, .subsets = b->reorder, .format = term->format};
    if (n > (b->reorder ? MOST_SUBSETS : MOST_ROW))
        return accordi_long_sum(b, term, n);
    accordi_bound_used(b, b->reorder ? ACCORDI_SUBSETS : ACCORDI_PARENTHESIZATIONS);
    return solve(&t);
}

/* ---- products ---- */

static void fill_product(table *t, part p)
{
    accordi_value *v = &t->value[at(t, p)];
    part left, right;
    bool any = false;
    *v = accordi_value_nan(t->format);
    v->nan = false;
    if (single(t, p) < t->n) {
        *v = t->term[single(t, p)];
        return;
    }
    for (uint32_t turn = 0; next_split(t, p, &turn, &left, &right);) {
        const accordi_value *x = &t->value[at(t, left)], *y = &t->value[at(t, right)];
        accordi_value product = accordi_value_nan(t->format);
        v->nan |= x->nan || y->nan;
        if (accordi_value_empty(x) || accordi_value_empty(y))
            continue;
        bool zero = accordi_value_zero_times_infinity(x, y);
        v->nan |= zero;
        if (zero && accordi_value_point(x) && accordi_value_point(y))
            continue;
        accordi_value_corners(t->bounds, x, y, false, &product.least, &product.greatest);
        if (!any || accordi_do_compare(t->bounds, product.least.x, product.least.y, v->least.x,
                                       v->least.y) < 0)
            v->least = product.least;
        if (!any || accordi_do_compare(t->bounds, product.greatest.x, product.greatest.y,
                                       v->greatest.x, v->greatest.y) > 0)
            v->greatest = product.greatest;
        any = true;
    }
    if (any)
        accordi_value_round(t->bounds, v);
    else
        v->nan = true;
}

accordi_value accordi_split_product(accordi_bounds *b, const accordi_value *factor, size_t n)
{
    table t = {
        .bounds = b, .term = factor, .n = n, .subsets = b->permutes, .format = factor->format};
    accordi_value out = accordi_value_nan(t.format);
    if (n > (b->permutes ? MOST_FACTORS : MOST_FACTORS_ROW))
        return accordi_long_product(b, factor, n);
    t.value = accordi_calloc(t.subsets ? (size_t)1 << n : n * n, sizeof *t.value);
    b->ways.failed |= !t.value;
    if (t.value) {
        fill_all(&t, fill_product);
        out = t.value[at(&t, whole_of(&t))];
    }
    accordi_bound_used(b, b->permutes ? ACCORDI_SUBSETS : ACCORDI_PARENTHESIZATIONS);
    free(t.value);
    return out;
}
