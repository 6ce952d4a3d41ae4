/* A witness is an input on which two orders really give different bits. */
#include "mutants.h"
#include "trials.h"
#include <accord/reveal.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* The sum as a synthetic target makes it. */
static double sum_of(const accord_tree *tree, enum accord_format format, const double *x)
{
    accord_target *target = NULL;
    double sum = 0;
    assert_int_equal(accordi_synthetic_from_tree(tree, format, format, &target, NULL), ACCORD_OK);
    float *single = accordi_alloc(tree->leaves, sizeof *single);
    for (uint32_t i = 0; i < tree->leaves; i++)
        single[i] = (float)x[i];
    const accord_batch batch = {.probes = 1,
                                .dense = target->storage_f32 ? (const void *)single : x};
    assert_int_equal(accord_target_run(target, &batch, &sum, NULL), ACCORD_OK);
    free(single);
    accord_target_close(target);
    return sum;
}

static bool told_apart(const accord_tree *a, const accord_tree *b, enum accord_format format)
{
    double *x = accordi_calloc(a->leaves, sizeof *x), sum_a = 0, sum_b = 0;
    accord_error error = {.status = ACCORD_OK};
    bool good = accord_witness(a, b, format, x, &sum_a, &sum_b, &error) == ACCORD_OK;
    uint32_t terms = 0;
    for (uint32_t i = 0; i < a->leaves; i++) {
        terms += x[i] != 0;
        good = good && accord_format_round(format, ACCORD_NEAREST_EVEN, x[i]) == x[i];
    }
    good = good && terms <= 3 && sum_a != sum_b && sum_of(a, format, x) == sum_a &&
           sum_of(b, format, x) == sum_b;
    if (!good)
        printf("# n %u %s: %u terms, %g and %g; %s\n", a->leaves, accord_format_get(format)->name,
               terms, sum_a, sum_b, error.text);
    free(x);
    return good;
}

/* Any two trees, and a tree with what is almost the same. */
static void test_different_trees(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    size_t wrong = 0, pairs = 0;
    for (size_t t = 0; t < trials(4000); t++) {
        enum accord_format format = (enum accord_format)(t % ACCORD_FORMAT_COUNT);
        size_t n = 3 + accordi_rng_below(&rng, t % 2 ? 6 : 150);
        accord_tree *tree = any_tree(&rng, n);
        accord_tree *others[] = {any_tree(&rng, n), swapped(&rng, tree), contracted(&rng, tree)};
        for (int i = 0; i < 3; i++) {
            if (others[i] && !accord_tree_equal(tree, others[i])) {
                wrong += !told_apart(tree, others[i], format);
                pairs++;
            }
            accord_tree_free(others[i]);
        }
        accord_tree_free(tree);
    }
    assert_int_equal(wrong, 0);
    assert_true(pairs > trials(4000));
}

static void test_no_witness(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (size_t n = 1; n < 40; n++) {
        accord_tree *tree = any_tree(&rng, n), *longer = any_tree(&rng, n + 1);
        double x[40] = {-1}, a = -1, b = -1;
        accord_error error;
        assert_int_equal(accord_witness(tree, tree, ACCORD_F32, x, &a, &b, &error), ACCORD_UNABLE);
        assert_int_equal(accord_witness(tree, longer, ACCORD_F32, x, &a, &b, &error), ACCORD_ARG);
        assert_int_equal(accord_witness(tree, tree, ACCORD_FORMAT_COUNT, x, &a, &b, NULL),
                         ACCORD_ARG);
        assert_true(x[0] == -1 && a == -1 && b == -1);
        accord_tree_free(tree);
        accord_tree_free(longer);
    }
}

/* ---- models ---- */

/* A synthetic target with its truth; NULL where it has none. */
typedef struct known {
    accord_target *target;
    accord_tree *tree;
    accord_arithmetic *arithmetic;
} known;

static bool know(const char *notation, enum accord_format format, size_t n, uint64_t seed,
                 known *out)
{
    accord_target_options options;
    accord_error error;
    accord_target_options_init(&options);
    options.n = n;
    options.has_format = true;
    options.format = format;
    options.seed = seed;
    *out = (known){0};
    if (accord_target_open(notation, &options, &out->target, &error) ||
        accord_synthetic_tree(out->target, &out->tree, &error) ||
        accord_synthetic_arithmetic(out->target, &out->arithmetic, &error)) {
        printf("# %s n %zu: %s\n", notation, n, error.text);
        return false;
    }
    return true;
}

static void forget(known *k)
{
    accord_tree_free(k->tree);
    accord_arithmetic_free(k->arithmetic);
    accord_target_close(k->target);
}

static bool same_bits(double a, double b)
{
    return (a != a && b != b) || memcmp(&a, &b, sizeof a) == 0;
}

/* What the target, which knows nothing of replays, gives. */
static double answer_of(known *k, const double *x, const double *y)
{
    size_t n = k->tree->leaves;
    float *single = accordi_alloc(2 * n, sizeof *single);
    bool narrow = k->target->storage_f32, products = k->target->term == ACCORD_TERM_PRODUCT;
    for (size_t i = 0; i < n; i++) {
        single[i] = (float)x[i];
        single[n + i] = (float)y[i];
    }
    accord_batch batch = {.probes = 1, .dense = narrow ? (const void *)single : x};
    if (products)
        batch.dense_second = narrow ? (const void *)(single + n) : y;
    double sum = 0;
    assert_int_equal(accord_target_run(k->target, &batch, &sum, NULL), ACCORD_OK);
    free(single);
    return sum;
}

/* UINT32_MAX where none is found, else its terms. */
static uint32_t witness_of(known *a, known *b, size_t *wrong)
{
    size_t n = a->tree->leaves;
    const accord_model one = {a->tree, a->arithmetic}, two = {b->tree, b->arithmetic};
    accord_witness_input w = {accordi_calloc(n, sizeof(double)), accordi_calloc(n, sizeof(double)),
                              0, 0, 0};
    accord_error error = {.status = ACCORD_OK};
    uint32_t terms = UINT32_MAX;
    if (accord_witness_models(&one, &two, &w, &error) == ACCORD_OK) {
        uint32_t counted = 0;
        bool good = !same_bits(w.result_a, w.result_b);
        for (size_t i = 0; i < n; i++) {
            counted += w.x[i] != 0 || w.y[i] != 1;
            good = good &&
                   same_bits(accord_format_round(a->arithmetic->input, ACCORD_NEAREST_EVEN, w.x[i]),
                             w.x[i]);
        }
        good = good && counted == w.terms && same_bits(answer_of(a, w.x, w.y), w.result_a) &&
               same_bits(answer_of(b, w.x, w.y), w.result_b);
        if (!good)
            printf("# %s and %s, n %zu: %u terms (%u), %a and %a, the targets %a and %a\n",
                   a->target->notation, b->target->notation, n, w.terms, counted, w.result_a,
                   w.result_b, answer_of(a, w.x, w.y), answer_of(b, w.x, w.y));
        *wrong += !good;
        terms = w.terms;
    } else if (error.status != ACCORD_UNABLE) {
        printf("# %s and %s, n %zu: %s\n", a->target->notation, b->target->notation, n, error.text);
        ++*wrong;
    }
    free(w.x);
    free(w.y);
    return terms;
}

/* Two plain binary orders: always three terms. */
static void test_plain_orders(void **state)
{
    (void)state;
    static const char *const orders[] = {"synthetic:sequential", "synthetic:pairwise",
                                         "synthetic:lanes:4",    "synthetic:yule",
                                         "synthetic:uniform",    "synthetic:reverse"};
    static const enum accord_format formats[] = {ACCORD_F32, ACCORD_F64, ACCORD_F16, ACCORD_BF16};
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    size_t wrong = 0, pairs = 0;
    for (size_t t = 0; t < trials(300); t++) {
        known a, b;
        char one[64], two[64];
        const char *with = t % 3 ? "" : ",products";
        size_t n = 3 + accordi_rng_below(&rng, t % 4 ? 12 : 600);
        snprintf(one, sizeof one, "%s%s", orders[accordi_rng_below(&rng, 6)], with);
        snprintf(two, sizeof two, "%s%s", orders[accordi_rng_below(&rng, 6)], with);
        assert_true(know(one, formats[t / 3 % 4], n, t, &a));
        assert_true(know(two, formats[t / 3 % 4], n, t + 1, &b));
        bool equal = accord_tree_equal(a.tree, b.tree);
        uint32_t terms = witness_of(&a, &b, &wrong);
        if (terms != (equal ? UINT32_MAX : 3)) {
            printf("# %s and %s, n %zu, %s: %u terms\n", one, two, n,
                   accord_format_get(formats[t / 3 % 4])->name, terms);
            wrong++;
        }
        pairs += !equal;
        forget(&a);
        forget(&b);
    }
    assert_int_equal(wrong, 0);
    assert_true(pairs > trials(300) / 2);
}

/* Other arithmetic on the same order: as few terms as it shows on. */
static void test_arithmetics(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        enum accord_format format;
        uint32_t most; /* terms, known by hand */
        size_t least;  /* n where it can show */
    } rows[] = {
        {"sequential,products", "sequential,fma", ACCORD_F32, 2, 4},
        {"pairwise,products", "pairwise,fma", ACCORD_F32, 2, 4},
        {"pairwise,fma=first", "pairwise,fma=last", ACCORD_F32, 2, 4},
        {"sequential,fma=inner", "sequential,fma=last", ACCORD_F32, 2, 4},
        {"sequential,products", "sequential,fma", ACCORD_F64, 2, 4},
        {"sequential", "sequential,rounding=up", ACCORD_F32, 2, 4},
        {"sequential", "sequential,rounding=zero", ACCORD_F32, 2, 4},
        {"lanes:4", "lanes:4,rounding=down", ACCORD_F64, 2, 4},
        {"sequential", "sequential,start=zero", ACCORD_F32, 0, 4},
        {"sequential", "sequential,flush=input", ACCORD_F32, 1, 4},
        {"sequential", "sequential,flush=output", ACCORD_F32, 2, 4},
        {"sequential,products,start=zero", "sequential,products,start=zero,skips-zero", ACCORD_F32,
         1, 4},
        {"sequential", "sequential,acc=f64,out=f32", ACCORD_F32, 3, 4},
        {"sequential,acc=f32,out=f32", "sequential,acc=f32,out=f16", ACCORD_F16, 2, 4},
        {"sequential", "sequential,tail=f64", ACCORD_F32, 3, 4},
        {"sequential,products", "sequential,products,tail=f64", ACCORD_F32, 3, 4},
        {"turing-f16", "turing-f16-f16", ACCORD_F16, 1, 4},
        {"ampere-bf16", "hopper-bf16", ACCORD_BF16, 3, 4},
        {"volta-f16", "turing-f16", ACCORD_F16, 3, 13},
        {"volta-f16", "cdna3-f16", ACCORD_F16, 3, 4},
        {"ada-e4m3", "hopper-e4m3", ACCORD_E4M3, 3, 40},
    };
    size_t wrong = 0;
    uint64_t seed = trials_seed();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t n = rows[i].least; n < 300; n = n * 3 + 1) {
            if (!trial_runs(300 * i + n, seed))
                continue;
            known a, b;
            char one[80], two[80];
            snprintf(one, sizeof one, "synthetic:%s", rows[i].a);
            snprintf(two, sizeof two, "synthetic:%s", rows[i].b);
            bool both = know(one, rows[i].format, n, 1, &a);
            both = know(two, rows[i].format, n, 1, &b) && both;
            uint32_t terms = both ? witness_of(&a, &b, &wrong) : 0;
            if (both && terms > rows[i].most) {
                printf("# %s and %s, n %zu: %u terms, not %u\n", one, two, n, terms, rows[i].most);
                wrong++;
            }
            forget(&a);
            forget(&b);
        }
    assert_int_equal(wrong, 0);
}

/* Formats and fusion drawn at random for each node, on the same tree and on others. */
static void test_mixed_models(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    size_t wrong = 0, none = 0, few = 0, pairs = trials(60);
    for (size_t t = 0; t < pairs; t++) {
        known a, b;
        size_t n = 2 + accordi_rng_below(&rng, t % 2 ? 9 : 200);
        const char *order =
            t % 3 ? "synthetic:sequential,mixed,products" : "synthetic:yule,mixed,products";
        assert_true(know(order, ACCORD_F32, n, t, &a));
        assert_true(know(order, ACCORD_F32, n, t + 1000, &b));
        uint32_t terms = witness_of(&a, &b, &wrong);
        none += terms == UINT32_MAX;
        few += terms <= 3;
        forget(&a);
        forget(&b);
    }
    printf("# of %zu pairs %zu with at most three terms, %zu without a witness\n", pairs, few,
           none);
    assert_int_equal(wrong, 0);
    assert_true(few + none == pairs && none < pairs / 4 + 2); /* of few pairs two may have none */
}

/* ---- all inputs of few terms ---- */

/* Far from the ends of the range. */
static bool is_ordinary(enum accord_format format, double x)
{
    const accord_format_info *in = accord_format_get(format);
    return fabs(x) >= ldexp(1, in->min_exponent / 2) && fabs(x) <= ldexp(1, in->max_exponent - 1);
}

/* Does the input show it with ordinary numbers? */
static bool shows_plainly(enum accord_format format, const double *x, size_t n, double one,
                          double two)
{
    bool plain = isfinite(one) && isfinite(two) && one != two;
    for (size_t i = 0; i < n; i++)
        plain = plain && (is_ordinary(format, x[i]) || (x[i] == 0 && !signbit(x[i])));
    return plain;
}

/* Do the models part on an input of at most `most` terms that are not zero? The least, else
 * UINT32_MAX: every value of an 8-bit format at every place. `plain`: with ordinary numbers. */
static uint32_t least_terms(const accord_model *a, const accord_model *b, uint32_t most, bool plain)
{
    enum { ROWS = 256 };
    enum accord_format format = a->arithmetic->input;
    uint32_t n = a->tree->leaves, least = UINT32_MAX;
    double x[ROWS][4] = {{0}}, one[ROWS], two[ROWS];
    const void *row[ROWS];
    for (size_t r = 0; r < ROWS; r++)
        row[r] = x[r];
    const accord_rows rows = {.rows = ROWS, .x = row};
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i; j < n; j++)
            for (uint64_t v = 0; v < (j > i && most > 1 ? 256 : 1); v++) {
                memset(x, 0, sizeof x);
                for (uint64_t r = 0; r < ROWS; r++) {
                    x[r][j] = j > i ? accord_format_decode(format, v) : 0;
                    x[r][i] = accord_format_decode(format, r);
                }
                assert_int_equal(accord_model_replay(a, &rows, one, NULL), ACCORD_OK);
                assert_int_equal(accord_model_replay(b, &rows, two, NULL), ACCORD_OK);
                for (size_t r = 0; r < ROWS; r++) {
                    uint32_t terms = (x[r][i] != 0) + (x[r][j] != 0 && j > i);
                    if (terms < least && !same_bits(one[r], two[r]) &&
                        (!plain || shows_plainly(format, x[r], n, one[r], two[r])))
                        least = terms;
                }
            }
    return least;
}

static accord_arithmetic *drawn_arithmetic(accordi_rng *rng, const accord_tree *tree,
                                           enum accord_format input)
{
    static const enum accord_format formats[] = {ACCORD_E4M3, ACCORD_E5M2, ACCORD_F16, ACCORD_BF16,
                                                 ACCORD_F32};
    accord_arithmetic *plain = NULL, *out = NULL;
    enum accord_format output = formats[accordi_rng_below(rng, 5)];
    assert_int_equal(
        accord_arithmetic_plain(ACCORD_TERM_VALUE, input, ACCORD_F32, output, &plain, NULL),
        ACCORD_OK);
    assert_int_equal(accord_arithmetic_copy(plain, tree->inner, &out, NULL), ACCORD_OK);
    accord_arithmetic_free(plain);
    free(out->operation);
    out->operations = 3;
    out->operation = accordi_calloc(3, sizeof *out->operation);
    for (size_t i = 0; i < 3; i++) {
        enum accord_format format = formats[accordi_rng_below(rng, 5)];
        enum accord_rounding rounding = accordi_rng_below(rng, 4)
                                            ? ACCORD_NEAREST_EVEN
                                            : (enum accord_rounding)accordi_rng_below(rng, 4);
        out->operation[i] =
            (accord_operation){format, rounding, format, -1, ACCORD_F64, 0, ACCORD_ZERO_NONE};
    }
    for (uint32_t k = 0; k < tree->inner; k++)
        out->of_node[k] = (uint8_t)accordi_rng_below(rng, 3);
    out->negative_zero = accordi_rng_below(rng, 2);
    return out;
}

static void test_least_terms(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    size_t wrong = 0, ordinary = 0, counts[4] = {0};
    for (size_t t = 0; t < trials(40); t++) {
        size_t n = 2 + accordi_rng_below(&rng, 3);
        enum accord_format input = t % 2 ? ACCORD_E4M3 : ACCORD_E5M2;
        accord_tree *one = binary_tree(&rng, n);
        accord_tree *two = t % 4 ? binary_tree(&rng, n) : NULL;
        const accord_model a = {one, drawn_arithmetic(&rng, one, input)};
        const accord_model b = {two ? two : one, drawn_arithmetic(&rng, two ? two : one, input)};
        double x[4], y[4];
        accord_witness_input w = {x, y, 4, 0, 0};
        uint32_t least = least_terms(&a, &b, 2, false), plain = least_terms(&a, &b, 2, true);
        enum accord_status status = accord_witness_models(&a, &b, &w, NULL);
        bool is_plain = !status && shows_plainly(input, x, n, w.result_a, w.result_b);
        if (status ? least != UINT32_MAX
                   : w.terms > (is_plain ? plain : least) || (!is_plain && plain != UINT32_MAX)) {
            printf("# n %zu: %u terms%s, not %u (plain: %u)\n", n, w.terms,
                   status ? " (none found)" : "", least, plain);
            wrong++;
        }
        ordinary += is_plain;
        counts[status ? 3 : w.terms < 3 ? w.terms : 3]++;
        accord_arithmetic_free((accord_arithmetic *)a.arithmetic);
        accord_arithmetic_free((accord_arithmetic *)b.arithmetic);
        accord_tree_free(one);
        accord_tree_free(two);
    }
    printf("# none: %zu, one: %zu, two: %zu, more: %zu; of ordinary numbers: %zu\n", counts[0],
           counts[1], counts[2], counts[3], ordinary);
    assert_int_equal(wrong, 0);
}

static void test_bad_models(void **state)
{
    (void)state;
    known a, b;
    assert_true(know("synthetic:sequential", ACCORD_F32, 4, 0, &a));
    assert_true(know("synthetic:sequential", ACCORD_F32, 5, 0, &b));
    const accord_model one = {a.tree, a.arithmetic}, two = {b.tree, b.arithmetic};
    const accord_model bare = {a.tree, NULL};
    double x[5] = {7, 7, 7, 7, 7}, y[5] = {7, 7, 7, 7, 7};
    accord_witness_input w = {x, y, 9, 9, 9};
    assert_int_equal(accord_witness_models(&one, &two, &w, NULL), ACCORD_ARG);
    assert_int_equal(accord_witness_models(&one, &bare, &w, NULL), ACCORD_ARG);
    assert_int_equal(accord_witness_models(&one, NULL, &w, NULL), ACCORD_ARG);
    assert_int_equal(accord_witness_models(&one, &one, &w, NULL), ACCORD_UNABLE);
    a.arithmetic->beta = 1;
    b.arithmetic->beta = 0;
    const accord_model started = {a.tree, a.arithmetic};
    known c;
    assert_true(know("synthetic:sequential", ACCORD_F32, 4, 0, &c));
    const accord_model other = {c.tree, c.arithmetic};
    assert_int_equal(accord_witness_models(&started, &other, &w, NULL), ACCORD_ARG);
    for (int i = 0; i < 5; i++)
        assert_true(x[i] == 7 && y[i] == 7);
    assert_true(w.terms == 9 && w.result_a == 9 && w.result_b == 9);
    forget(&a);
    forget(&b);
    forget(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_different_trees), cmocka_unit_test(test_no_witness),
        cmocka_unit_test(test_plain_orders),    cmocka_unit_test(test_arithmetics),
        cmocka_unit_test(test_mixed_models),    cmocka_unit_test(test_least_terms),
        cmocka_unit_test(test_bad_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
