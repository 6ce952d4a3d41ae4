/* Sums of sizes and of squares, their roots, distances.
 *
 * A size is a number without its sign bit; a sum of squares is a dot of an array with itself; a
 * root is taken of the exact sum, so nothing is rounded but the result. A distance has the exact
 * square sum(x x) + sum(y y) - 2 sum(x y), whatever cancels. */
#include "exact/direct/direct.h"
#include "exact/routines/quotient.h"
#include "exact/routines/reduce.h"

/* Sums of sizes. */

static void clear_signs(int size, void *x, size_t n)
{
    uint64_t *wide = x;
    uint32_t *narrow = x;
    for (size_t i = 0; size == 8 && i < n; i++)
        wide[i] &= UINT64_MAX >> 1;
    for (size_t i = 0; size == 4 && i < n; i++)
        narrow[i] &= UINT32_MAX >> 1;
}

static void add_sizes(const void *context, size_t tile, size_t from, size_t to,
                      accordi_exact_bank bank, void *scratch)
{
    (void)tile;
    const accordi_exact_reduction *r = context;
    size_t parts = r->pairs ? 2 : 1;
    for (size_t count; from < to; from += count) {
        count = accordi_exact_block(from, to);
        const void *x = accordi_exact_at(r->kind, r->x, (ptrdiff_t)from * r->stride_x);
        accordi_exact_pack(r->kind->size, scratch, parts, count, x, 1, r->stride_x);
        clear_signs(r->kind->size, scratch, parts * count);
        r->kind->sum(&r->how, accordi_exact_of_bank(bank, 0), parts * count, scratch, 1);
    }
}

static bool short_sizes(const accordi_exact_reduction *r)
{
    uint64_t block[ACCORDI_EXACT_SHORT];
    size_t parts = r->pairs ? 2 : 1, count = parts * r->n;
    if (r->n > ACCORDI_EXACT_SHORT / parts)
        return false;
    accordi_exact_pack(r->kind->size, block, parts, r->n, r->x, 1, r->stride_x);
    clear_signs(r->kind->size, block, count);
    return r->kind->short_sum(count, block, 1, &r->how, r->out);
}

/* No result here is -0: one +0 among the terms sees to that. */
static void add_zero(const accordi_exact_reduction *r, accordi_exact_view sum)
{
    static const double zero = 0; /* of either size */
    r->kind->terms(sum, 1, &zero, 1);
}

static void finish_size(const void *context, size_t tile, accordi_exact_bank bank)
{
    (void)tile;
    const accordi_exact_reduction *r = context;
    accordi_exact_view sum = accordi_exact_of_bank(bank, 0);
    add_zero(r, sum);
    accordi_exact_store_sum(r->kind, r->out, 0, sum, r->how.rounding);
}

/* Squares. */

static bool short_squares(const accordi_exact_reduction *r)
{
    return r->kind->short_dot(r->n, r->x, r->stride_x, r->x, r->stride_x, &r->how, r->out);
}

static void add_squares(const void *context, size_t tile, size_t from, size_t to,
                        accordi_exact_bank bank, void *scratch)
{
    (void)tile, (void)scratch;
    const accordi_exact_reduction *r = context;
    accordi_exact_view sum = accordi_exact_of_bank(bank, 0);
    size_t count = to - from;
    const void *x = accordi_exact_at(r->kind, r->x, (ptrdiff_t)from * r->stride_x);
    bool dense = r->pairs && r->stride_x == 2;
    if (dense)
        count *= 2;
    ptrdiff_t stride = dense ? 1 : r->stride_x;
    r->kind->dot(&r->how, sum, count, x, stride, x, stride);
    if (r->pairs && !dense) {
        x = accordi_exact_at(r->kind, x, 1);
        r->kind->dot(&r->how, sum, count, x, stride, x, stride);
    }
}

/* What is odd does not depend on the rounding: a difference of zero, rounded down, is squared. */
static void store_root(const accordi_exact_reduction *r, accordi_exact_view sum)
{
    accordi_exact_magnitude m;
    uint64_t pattern;
    add_zero(r, sum);
    if (!accordi_exact_is_odd(sum, r->kind->format, ACCORD_EXACT_NEAREST_EVEN, &m, &pattern))
        pattern = accordi_exact_round_lead(accordi_exact_root(&m, sum.unit), r->kind->format,
                                           r->how.rounding);
    accordi_exact_store(r->kind, r->out, 0, pattern);
}

static void finish_root(const void *context, size_t tile, accordi_exact_bank bank)
{
    (void)tile;
    store_root(context, accordi_exact_of_bank(bank, 0));
}

/* Distances: two sums, of the squares and of the products. */

static void add_distances(const void *context, size_t tile, size_t from, size_t to,
                          accordi_exact_bank bank, void *scratch)
{
    (void)tile, (void)scratch;
    const accordi_exact_reduction *r = context;
    const accordi_exact_kind *k = r->kind;
    accordi_exact_view squares = accordi_exact_of_bank(bank, 0);
    for (size_t count; from < to; from += count) {
        count = accordi_exact_block(from, to);
        const void *x = accordi_exact_at(k, r->x, (ptrdiff_t)from * r->stride_x);
        const void *y = accordi_exact_at(k, r->y, (ptrdiff_t)from * r->stride_y);
        k->dot(&r->how, squares, count, x, r->stride_x, x, r->stride_x);
        k->dot(&r->how, squares, count, y, r->stride_y, y, r->stride_y);
        k->dot(&r->how, accordi_exact_of_bank(bank, 1), count, x, r->stride_x, y, r->stride_y);
    }
}

/* Infinity from infinity is no number, if the signs are equal. */
static bool infinities_meet(const accordi_exact_reduction *r)
{
    for (size_t i = 0; i < r->n; i++) {
        accordi_exact_number x = accordi_exact_take(
            r->kind, accordi_exact_at(r->kind, r->x, (ptrdiff_t)i * r->stride_x));
        accordi_exact_number y = accordi_exact_take(
            r->kind, accordi_exact_at(r->kind, r->y, (ptrdiff_t)i * r->stride_y));
        if (x.infinite && y.infinite && x.negative == y.negative)
            return true;
    }
    return false;
}

/* The squares know every NaN and infinity; the products would make NaNs of finite differences. */
static void finish_distance(const void *context, size_t tile, accordi_exact_bank bank)
{
    (void)tile;
    const accordi_exact_reduction *r = context;
    accordi_exact_view squares = accordi_exact_of_bank(bank, 0);
    accordi_exact_view products = accordi_exact_of_bank(bank, 1);
    if (squares.count[ACCORD_EXACT_PLUS_INFINITIES]) {
        squares.count[ACCORD_EXACT_NANS] += infinities_meet(r);
    } else {
        accordi_exact_merge(squares, products, true, NULL);
        accordi_exact_merge(squares, products, true, NULL);
    }
    store_root(r, squares);
}

static const accordi_exact_recipe asum = {.sums = {1, 1},
                                          .rows = {1, 2},
                                          .at_once = short_sizes,
                                          .add = add_sizes,
                                          .finish = finish_size};
static const accordi_exact_recipe sumsq = {.products = true,
                                           .sums = {1},
                                           .at_once = short_squares,
                                           .add = add_squares,
                                           .finish = finish_size};
static const accordi_exact_recipe nrm2 = {
    .products = true, .sums = {1, 1}, .add = add_squares, .finish = finish_root};
static const accordi_exact_recipe distance = {.products = true,
                                              .two_arrays = true,
                                              .sums = {2},
                                              .add = add_distances,
                                              .finish = finish_distance};

#define DISTANCE(suffix_, number_)                                                                 \
    enum accord_status accord_distance_exact_##suffix_(                                            \
        size_t n, const number_ *x, ptrdiff_t stride_x, const number_ *y, ptrdiff_t stride_y,      \
        const accord_exact_options *options, number_ *out, accord_error *error)                    \
    {                                                                                              \
        return accordi_exact_reduce(&distance, &accordi_exact_##suffix_, ACCORDI_EXACT_REAL, n, x, \
                                    stride_x, y, stride_y, options, out, error);                   \
    }

REDUCE(asum_exact, f64, double, *out, asum, ACCORDI_EXACT_REAL)
REDUCE(asum_exact, f32, float, *out, asum, ACCORDI_EXACT_REAL)
REDUCE(asum_exact_complex, f64, double, *out, asum, ACCORDI_EXACT_COMPLEX)
REDUCE(asum_exact_complex, f32, float, *out, asum, ACCORDI_EXACT_COMPLEX)
REDUCE(sumsq_exact, f64, double, *out, sumsq, ACCORDI_EXACT_REAL)
REDUCE(sumsq_exact, f32, float, *out, sumsq, ACCORDI_EXACT_REAL)
REDUCE(nrm2_exact, f64, double, *out, nrm2, ACCORDI_EXACT_REAL)
REDUCE(nrm2_exact, f32, float, *out, nrm2, ACCORDI_EXACT_REAL)
REDUCE(nrm2_exact_complex, f64, double, *out, nrm2, ACCORDI_EXACT_COMPLEX)
REDUCE(nrm2_exact_complex, f32, float, *out, nrm2, ACCORDI_EXACT_COMPLEX)
DISTANCE(f64, double)
DISTANCE(f32, float)
