/* Orders that depend on the values: boxes that add in one order or in another, by a statistic of
 * their terms and a threshold that lies within what rows of some kind have. None is called proven,
 * or answered with status OK, unless no row at all shows the difference. */
#include "format/format.h"
#include "reveal/draw.h"
#include "trials.h"
#include <accord/accord.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

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

static double equal_neighbours(const double *v, size_t n)
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
    {"ascents", ascents},       {"equal neighbours", equal_neighbours},
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
};
enum { FIXED = 3, ADDERS = sizeof adders / sizeof *adders };

/* ---- boxes ---- */

typedef struct box {
    size_t n;
    enum accord_format format, sum; /* of the terms, and in which they are added */
    bool products, above;
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
    return adders[other ? b->else_ : b->usually].add(b->sum, v, b->n);
}

static void get_terms(const box *b, const void *x, const void *y, double *v)
{
    bool is_f32 = b->format != ACCORD_F64;
    for (size_t i = 0; i < b->n; i++) {
        double p = is_f32 ? (double)((const float *)x)[i] : ((const double *)x)[i];
        double q = !y ? 1 : is_f32 ? (double)((const float *)y)[i] : ((const double *)y)[i];
        v[i] = accord_format_round(b->sum, ACCORD_NEAREST_EVEN, p * q);
    }
}

static void answer(void *context, const accord_grid *asked, double *results)
{
    const box *b = context;
    double v[MOST];
    get_terms(b, asked->a, b->products ? asked->b : NULL, v);
    results[0] = add_up(b, v);
}

static accord_target *open_box(box *b)
{
    accord_grid_callback how = {.call = answer,
                                .context = b,
                                .rows = 1,
                                .columns = 1,
                                .n = b->n,
                                .term = b->products ? ACCORD_TERM_PRODUCT : ACCORD_TERM_VALUE,
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
                          .products = b->products,
                          .block = 1};
}

/* The quantile of the statistic among rows of a kind. */
static double quantile(const box *b, size_t kind, double share, uint64_t seed)
{
    enum { ROWS = 101 };
    accordi_draw draw = draw_of(b, seed);
    double x[MOST], y[MOST], v[MOST], seen[ROWS];
    for (size_t r = 0; r < ROWS; r++) {
        accordi_draw_rows(&draw, r * ACCORDI_DRAW_KINDS + kind, 1, x, b->products ? y : NULL);
        get_terms(b, x, b->products ? y : NULL, v);
        seen[r] = statistics[b->statistic].of(v, b->n);
    }
    qsort(seen, ROWS, sizeof *seen, by_value);
    return seen[(size_t)(share * (ROWS - 1))];
}

static box draw_box(accordi_rng *rng, size_t n, size_t *kind)
{
    static const struct {
        enum accord_format format, sum;
        bool products;
    } types[] = {{ACCORD_F32, ACCORD_F32, false},  {ACCORD_F64, ACCORD_F64, false},
                 {ACCORD_F32, ACCORD_F32, true},   {ACCORD_F16, ACCORD_F16, false},
                 {ACCORD_BF16, ACCORD_F32, false}, {ACCORD_F64, ACCORD_F64, true}};
    size_t type = accordi_rng_below(rng, sizeof types / sizeof *types);
    box b = {.n = n,
             .format = types[type].format,
             .sum = types[type].sum,
             .products = types[type].products,
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

/* Does the answer hold for rows that were not drawn yet? */
static size_t refuting_rows(const box *b, const accord_record *record, uint64_t seed)
{
    enum { ROUNDS = 40 };
    size_t other = 0;
    accordi_draw draw = draw_of(b, seed);
    const accord_model model = {record->tree, record->arithmetic};
    for (size_t row = 0; row < (size_t)ROUNDS * ACCORDI_DRAW_KINDS; row++) {
        double x[MOST], y[MOST], v[MOST], due = 0;
        const void *px = x, *py = y;
        const accord_rows at = {
            .rows = 1, .x = &px, .y = b->products ? &py : NULL, .is_f32 = b->format != ACCORD_F64};
        accord_error error;
        accordi_draw_rows(&draw, row, 1, x, b->products ? y : NULL);
        get_terms(b, x, b->products ? y : NULL, v);
        assert_int_equal(accord_model_replay(&model, &at, &due, &error), ACCORD_OK);
        double given = add_up(b, v);
        other += given != due && !(isnan(given) && isnan(due));
    }
    return other;
}

static void tell(const box *b, size_t kind, const accord_record *record, size_t rows)
{
    print_message("# n %zu, %s%s, %s %s %.17g (of %s)%s: %s, else %s; %s, %s, %zu rows differ\n",
                  b->n, accord_format_get(b->format)->name, b->products ? " products" : "",
                  statistics[b->statistic].name, b->above ? ">" : "<", b->threshold,
                  accordi_draw_name((enum accordi_draw_kind)kind),
                  b->ordinary ? ", ordinary numbers" : "", adders[b->else_].name,
                  adders[b->usually].name, record->status, record->reason, rows);
}

/* Not caught: status OK, or called proven, though rows of the same kinds refute the answer. */
static bool is_missed(const box *b, enum accord_status status, const accord_record *record,
                      uint64_t seed, size_t kind)
{
    if (status == ACCORD_UNABLE && !record->proven)
        return false;
    assert_int_equal(status, ACCORD_OK);
    assert_non_null(record->arithmetic);
    size_t rows = refuting_rows(b, record, seed);
    if (rows)
        tell(b, kind, record, rows);
    return rows > 0;
}

static size_t count_missed(size_t members, size_t n, uint64_t seed)
{
    accordi_rng rng;
    size_t missed = 0, invisible = 0;
    accordi_rng_init(&rng, seed);
    for (size_t m = 0; m < members; m++) {
        size_t kind;
        box b = draw_box(&rng, n, &kind);
        accord_target *target = open_box(&b);
        accord_reveal_options options = {.seed = accordi_rng_next(&rng) >> 32};
        accord_record record;
        accord_error error;
        accord_record_init(&record);
        enum accord_status status = accord_reveal(target, &options, &record, &error);
        invisible += status == ACCORD_OK;
        missed += is_missed(&b, status, &record, accordi_rng_next(&rng), kind);
        accord_record_clear(&record);
        accord_target_close(target);
    }
    print_message("# n %zu: %zu boxes, %zu invisible, %zu missed\n", n, members, invisible - missed,
                  missed);
    return missed;
}

/* A box whose switch shows in one row of a thousand may be missed, but hardly ever. */
static void test_switches_are_seen(void **state)
{
    (void)state;
    static const struct {
        size_t n, members;
    } sizes[] = {{12, 80}, {40, 50}, {100, 25}, {1000, 3}};
    uint64_t seed = trials_seed();
    size_t members = 0, missed = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        members += trials(sizes[i].members);
        missed += count_missed(trials(sizes[i].members), sizes[i].n, seed + i);
    }
    assert_true(missed <= 1 + members / 200);
}

/* Where probes look and where people do: two orders, both of them told. */
static void test_large_terms_are_added_otherwise(void **state)
{
    (void)state;
    static const size_t sizes[] = {5, 12, 40, 100, 400};
    static const double thresholds[] = {1e18, 1e9, 1e30, 1e25};
    uint64_t seed = trials_seed();
    for (size_t i = 0; i < trials(5) * sizeof sizes / sizeof *sizes; i++) {
        bool is_f64 = i % 3 == 2;
        box b = {.n = sizes[i % (sizeof sizes / sizeof *sizes)],
                 .format = is_f64 ? ACCORD_F64 : ACCORD_F32,
                 .sum = is_f64 ? ACCORD_F64 : ACCORD_F32,
                 .products = i % 4 == 1,
                 .above = true,
                 .statistic = 2, /* max |x| */
                 .threshold = thresholds[i % 4],
                 .usually = i % FIXED,
                 .else_ = (i + 1) % FIXED};
        accord_target *target = open_box(&b);
        accord_reveal_options options = {.seed = seed + i, .loose = i % 2};
        accord_record record;
        accord_error error;
        accord_record_init(&record);
        assert_int_equal(accord_reveal(target, &options, &record, &error), ACCORD_UNABLE);
        assert_int_equal(error.reason, ACCORD_REASON_DATA_DEPENDENT);
        assert_false(record.proven);
        assert_null(record.tree);
        assert_non_null(strstr(record.verdict, "with terms as large as 2^0 it is"));
        accord_record_clear(&record);
        accord_target_close(target);
    }
}

/* Masks alone are sorted, and look exact: ordinary numbers do not. */
static void test_sorts_of_large_terms_are_not_exact(void **state)
{
    (void)state;
    static const size_t sizes[] = {12, 40, 100};
    static const double thresholds[] = {0.9, 100, 1e6};
    uint64_t seed = trials_seed();
    for (size_t i = 0; i < trials(3) * sizeof sizes / sizeof *sizes; i++) {
        box b = {.n = sizes[i % (sizeof sizes / sizeof *sizes)],
                 .format = i % 2 ? ACCORD_F64 : ACCORD_F32,
                 .sum = i % 2 ? ACCORD_F64 : ACCORD_F32,
                 .above = true,
                 .statistic = 2, /* max |x| */
                 .threshold = thresholds[i / 3 % 3],
                 .usually = i % FIXED,
                 .else_ = ADDERS - 1};
        accord_target *target = open_box(&b);
        accord_reveal_options options = {.seed = seed + i};
        accord_record record;
        accord_error error;
        accord_record_init(&record);
        assert_int_equal(accord_reveal(target, &options, &record, &error), ACCORD_UNABLE);
        assert_false(record.proven);
        assert_int_not_equal(error.reason, ACCORD_REASON_EXACT);
        assert_int_not_equal(error.reason, ACCORD_REASON_COMPENSATED);
        accord_record_clear(&record);
        accord_target_close(target);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_switches_are_seen),
        cmocka_unit_test(test_sorts_of_large_terms_are_not_exact),
        cmocka_unit_test(test_large_terms_are_added_otherwise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
