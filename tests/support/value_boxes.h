/* Boxes that add in one order or in another, by a statistic of their terms and a threshold that
 * lies within what rows of some kind have. */
#ifndef VALUE_BOXES_H
#define VALUE_BOXES_H

#include "format/format.h"
#include "reveal/inputs/random_inputs.h"
#include <accord/accord.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 1000 };

/* ---- what a box looks at ---- */

typedef double statistic(const double *v, size_t n);

static double greatest(const double *v, size_t n)
{
    double found = v[0];
    for (size_t i = 1; i < n; i++)
        found = fmax(found, v[i]);
    return found;
}

static double least(const double *v, size_t n)
{
    double found = v[0];
    for (size_t i = 1; i < n; i++)
        found = fmin(found, v[i]);
    return found;
}

static double greatest_size(const double *v, size_t n)
{
    return fmax(greatest(v, n), -least(v, n));
}

static double mean(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i];
    return sum / (double)n;
}

static double negatives(const double *v, size_t n)
{
    double count = 0;
    for (size_t i = 0; i < n; i++)
        count += signbit(v[i]) != 0;
    return count;
}

static double sign_changes(const double *v, size_t n)
{
    double count = 0;
    for (size_t i = 1; i < n; i++)
        count += (v[i] < 0) != (v[i - 1] < 0);
    return count;
}

static double nonzeros(const double *v, size_t n)
{
    double count = 0;
    for (size_t i = 0; i < n; i++)
        count += v[i] != 0;
    return count;
}

static double share_of_zeros(const double *v, size_t n)
{
    return 1 - nonzeros(v, n) / (double)n;
}

static double ascents(const double *v, size_t n)
{
    double count = 0;
    for (size_t i = 1; i < n; i++)
        count += v[i] >= v[i - 1];
    return count;
}

static double equal_neighbors(const double *v, size_t n)
{
    double count = 0;
    for (size_t i = 1; i < n; i++)
        count += v[i] == v[i - 1];
    return count;
}

static double spread(const double *v, size_t n)
{
    double high = 0, low = INFINITY;
    for (size_t i = 0; i < n; i++) {
        high = fmax(high, fabs(v[i]));
        low = v[i] != 0 ? fmin(low, fabs(v[i])) : low;
    }
    return high > 0 ? log2(high / low) : 0;
}

static double integers(const double *v, size_t n)
{
    double count = 0;
    for (size_t i = 0; i < n; i++)
        count += v[i] == rint(v[i]);
    return count;
}

static const struct {
    const char *name;
    statistic *of;
} statistics[] = {
    {"max", greatest},          {"min", least},
    {"max |x|", greatest_size}, {"mean", mean},
    {"negatives", negatives},   {"sign changes", sign_changes},
    {"nonzeros", nonzeros},     {"share of zeros", share_of_zeros},
    {"ascents", ascents},       {"equal neighbors", equal_neighbors},
    {"max / min", spread},      {"integers", integers},
};
enum { STATISTICS = sizeof statistics / sizeof *statistics };

/* ---- how it adds ---- */

typedef double adder(enum accord_format format, double *v, size_t n); /* may change v */

static double plus(enum accord_format format, double a, double b)
{
    return format == ACCORD_F64   ? a + b
           : format == ACCORD_F32 ? (double)((float)a + (float)b)
                                  : accord_format_add(format, ACCORD_NEAREST_EVEN, a, b);
}

static double sequential(enum accord_format format, double *v, size_t n)
{
    double sum = n ? v[0] : 0;
    for (size_t i = 1; i < n; i++)
        sum = plus(format, sum, v[i]);
    return sum;
}

static double reverse(enum accord_format format, double *v, size_t n)
{
    double sum = v[n - 1];
    for (size_t i = n - 1; i-- > 0;)
        sum = plus(format, sum, v[i]);
    return sum;
}

static double pairwise(enum accord_format format, double *v, size_t n)
{
    for (; n > 1; n = (n + 1) / 2)
        for (size_t i = 0; i < (n + 1) / 2; i++)
            v[i] = 2 * i + 1 < n ? plus(format, v[2 * i], v[2 * i + 1]) : v[2 * i];
    return n ? v[0] : 0;
}

static double four_lanes(enum accord_format format, double *v, size_t n)
{
    for (size_t i = 4; i < n; i++)
        v[i % 4] = plus(format, v[i % 4], v[i]);
    return sequential(format, v, n < 4 ? n : 4);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double sorted(enum accord_format format, double *v, size_t n)
{
    qsort(v, n, sizeof *v, by_value);
    return sequential(format, v, n);
}

/* Zeros are left out, and the others are added by pairs. */
static double compacted(enum accord_format format, double *v, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (v[i] != 0)
            v[kept++] = v[i];
    return pairwise(format, v, kept);
}

static int by_falling_size(const void *a, const void *b)
{
    double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
    return x > y ? -1 : x < y;
}

static double sorted_by_size(enum accord_format format, double *v, size_t n)
{
    qsort(v, n, sizeof *v, by_falling_size);
    return sequential(format, v, n);
}

static int by_size(const void *a, const void *b)
{
    return by_falling_size(b, a);
}

static double sorted_up(enum accord_format format, double *v, size_t n)
{
    qsort(v, n, sizeof *v, by_size);
    return sequential(format, v, n);
}

/* Rounded once, at the end. */
static double in_f64(enum accord_format format, double *v, size_t n)
{
    return accord_format_round(format, ACCORD_NEAREST_EVEN, sequential(ACCORD_F64, v, n));
}

static const struct {
    const char *name;
    adder *add;
} adders[] = {
    {"sequential", sequential},
    {"pairwise", pairwise},
    {"4 lanes", four_lanes},
    {"reverse", reverse},
    {"sorted", sorted},
    {"compacted", compacted},
    {"sorted by falling size", sorted_by_size},
    {"sorted by size", sorted_up},
    {"in f64", in_f64},
};
enum { FIXED = 3, BY_FALLING_SIZE = 6, ADDERS = sizeof adders / sizeof *adders };

/* ---- boxes ---- */

typedef struct box {
    size_t n;
    enum accord_format format, sum; /* of the operands, and in which they are added */
    enum accord_term term;
    bool mean, above;
    size_t statistic, usually, else_;
    double threshold;
    bool ordinary; /* looks at terms only where all are below 1e18, and adds as usual elsewhere */
} box;

/* The terms, products rounded, are in v. */
static double add_up(const box *b, double *v)
{
    double seen = statistics[b->statistic].of(v, b->n);
    bool looks = !b->ordinary || greatest_size(v, b->n) < 1e18;
    bool other = looks && (b->above ? seen > b->threshold : seen < b->threshold);
    double sum = adders[other ? b->else_ : b->usually].add(b->sum, v, b->n);
    return b->mean ? accord_format_round(b->sum, ACCORD_NEAREST_EVEN, sum / (double)b->n) : sum;
}

static bool is_product(const box *b)
{
    return b->term == ACCORD_TERM_PRODUCT;
}

/* y: of products only. */
static void get_terms(const box *b, const void *x, const void *y, double *v)
{
    bool is_f32 = b->format != ACCORD_F64;
    for (size_t i = 0; i < b->n; i++) {
        double p = is_f32 ? (double)((const float *)x)[i] : ((const double *)x)[i];
        double q = b->term == ACCORD_TERM_SQUARE ? p
                   : !is_product(b)              ? 1
                   : is_f32                      ? (double)((const float *)y)[i]
                                                 : ((const double *)y)[i];
        p = accord_format_round(b->sum, ACCORD_NEAREST_EVEN, p * q);
        v[i] = b->term == ACCORD_TERM_ABSOLUTE ? fabs(p) : p;
    }
}

static void answer(void *context, const accord_grid *asked, double *results)
{
    const box *b = context;
    double v[MOST];
    get_terms(b, asked->a, asked->b, v);
    results[0] = add_up(b, v);
}

static accord_target *open_box(box *b)
{
    accord_grid_callback how = {.call = answer,
                                .context = b,
                                .rows = 1,
                                .columns = 1,
                                .n = b->n,
                                .term = b->term,
                                .is_f32 = b->format != ACCORD_F64};
    accord_target *target = NULL;
    accord_error error;
    assert_int_equal(accord_target_from_grid(&how, &target, &error), ACCORD_OK);
    target->format = b->format;
    target->output = b->sum;
    return target;
}

static accordi_draw draw_of(const box *b, uint64_t seed)
{
    return (accordi_draw){.n = b->n,
                          .seed = seed,
                          .format = b->format,
                          .is_f32 = b->format != ACCORD_F64,
                          .products = is_product(b),
                          .block = 1};
}

/* The quantile of the statistic among rows of a kind. */
static double quantile(const box *b, size_t kind, double share, uint64_t seed)
{
    enum { ROWS = 101 };
    accordi_draw draw = draw_of(b, seed);
    double x[MOST], y[MOST], v[MOST], seen[ROWS];
    for (size_t r = 0; r < ROWS; r++) {
        accordi_draw_rows(&draw, r * ACCORDI_DRAW_KINDS + kind, 1, x, is_product(b) ? y : NULL);
        get_terms(b, x, y, v);
        seen[r] = statistics[b->statistic].of(v, b->n);
    }
    qsort(seen, ROWS, sizeof *seen, by_value);
    return seen[(size_t)(share * (ROWS - 1))];
}

static box draw_box(accordi_rng *rng, size_t n, size_t *kind)
{
    static const struct {
        enum accord_format format, sum;
        enum accord_term term;
        bool mean;
    } types[] = {
        {ACCORD_F32, ACCORD_F32, ACCORD_TERM_VALUE, false},
        {ACCORD_F64, ACCORD_F64, ACCORD_TERM_VALUE, false},
        {ACCORD_F32, ACCORD_F32, ACCORD_TERM_PRODUCT, false},
        {ACCORD_F64, ACCORD_F64, ACCORD_TERM_PRODUCT, false},
        {ACCORD_F16, ACCORD_F16, ACCORD_TERM_VALUE, false},
        {ACCORD_F16, ACCORD_F32, ACCORD_TERM_PRODUCT, false},
        {ACCORD_BF16, ACCORD_F32, ACCORD_TERM_VALUE, false},
        {ACCORD_BF16, ACCORD_F32, ACCORD_TERM_PRODUCT, false},
        {ACCORD_BF16, ACCORD_BF16, ACCORD_TERM_VALUE, false},
        {ACCORD_F32, ACCORD_F32, ACCORD_TERM_VALUE, true},
        {ACCORD_F64, ACCORD_F64, ACCORD_TERM_VALUE, true},
        {ACCORD_F32, ACCORD_F32, ACCORD_TERM_ABSOLUTE, false},
        {ACCORD_F32, ACCORD_F32, ACCORD_TERM_SQUARE, false},
    };
    size_t type = accordi_rng_below(rng, sizeof types / sizeof *types);
    box b = {.n = n,
             .format = types[type].format,
             .sum = types[type].sum,
             .term = types[type].term,
             .mean = types[type].mean,
             .above = accordi_rng_below(rng, 2),
             .ordinary = accordi_rng_below(rng, 4) == 0,
             .statistic = accordi_rng_below(rng, STATISTICS),
             .usually = accordi_rng_below(rng, FIXED)};
    do
        b.else_ = accordi_rng_below(rng, ADDERS);
    while (b.else_ == b.usually);
    *kind = accordi_rng_below(rng, ACCORDI_DRAW_KINDS);
    double share = 0.1 + 0.8 * accordi_rng_unit(rng);
    b.threshold = quantile(&b, *kind, share, accordi_rng_next(rng));
    return b;
}

/* A line about a box. */
static void tell_box(const box *b, size_t kind, const char *what)
{
    static const char *const terms[] = {"", " products", " magnitudes", " squares"};
    print_message(
        "# n %zu, %s%s in %s%s, %s %s %.17g (of %s)%s: %s, else %s; %s\n", b->n,
        accord_format_get(b->format)->name, terms[b->term], accord_format_get(b->sum)->name,
        b->mean ? " (mean)" : "", statistics[b->statistic].name, b->above ? ">" : "<", b->threshold,
        accordi_draw_name((enum accordi_draw_kind)kind), b->ordinary ? ", ordinary numbers" : "",
        adders[b->else_].name, adders[b->usually].name, what);
}

#endif
