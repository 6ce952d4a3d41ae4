/* Models that few inputs tell apart: which of them a box follows must be found, or said to be open.
 * The boxes are models drawn at random, asked through the interface of any target; what is revealed
 * of a box must give its bits on inputs of every drawn kind, or the box is refused. */
#include "model_box.h"
#include "models.h"
#include "record/record.h"
#include "reveal/arithmetic/rivals.h"
#include "reveal/verdict.h"
#include "targets/synthetic/synthetic.h"
#include "trials.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Sums of -0 alone are -0 in these fused sums of values, other sums that come to 0 are +0: few
 * inputs of short sums are -0 alone. */
static void test_zeros_of_steps(void **state)
{
    (void)state;
    static const char *const notation[] = {"synthetic:star", "synthetic:fused:4",
                                           "synthetic:hopper-f16"};
    uint64_t seed = trials_seed();
    for (size_t t = 0; t < trials(12); t++) {
        accord_target_options how;
        accord_target *target = NULL;
        accord_record record;
        accord_error error = {.status = ACCORD_OK};
        accord_reveal_options options;
        accord_target_options_init(&how);
        how.n = 3 + t % 6;
        accord_reveal_options_init(&options);
        options.seed = seed + t;
        accordi_record_init(&record);
        assert_int_equal(accord_target_open(notation[t % 3], &how, &target, &error), ACCORD_OK);
        enum accord_status status = accord_reveal(target, &options, &record, &error);
        if (status || !record.proven)
            printf("# %s, n %zu: %s\n", notation[t % 3], how.n, record.verdict);
        assert_int_equal(status, ACCORD_OK);
        assert_true(record.proven);
        assert_int_equal(record.arithmetic->negative_zero, t % 3 != 2);
        accord_record_clear(&record);
        accord_target_close(target);
    }
}

/* ---- models drawn at random, as black boxes ---- */

static size_t any(accordi_rng *rng, size_t count)
{
    return (size_t)accordi_rng_below(rng, count);
}

/* Leaves that are fused into the sum: all that can be, in one of two ways, or those of some nodes.
 */
static void draw_fused(accordi_rng *rng, box *b)
{
    enum { FIRST, SECOND, SOME, WAYS };
    accord_operation *op = accordi_alloc(3, sizeof *op);
    size_t way = any(rng, WAYS);
    for (int f = 0; f < 3; f++) {
        op[f] = b->how->operation[0];
        op[f].fused = f - 1;
    }
    free(b->how->operation);
    b->how->operation = op;
    b->how->operations = 3;
    for (uint32_t k = 0; k < b->tree->inner; k++) {
        const uint32_t *child = b->tree->child + b->tree->first[k];
        bool leaf[2] = {child[0] < b->tree->leaves, child[1] < b->tree->leaves};
        int fused = leaf[0] && leaf[1] ? way == SECOND : leaf[0] ? 0 : leaf[1] ? 1 : -1;
        b->how->of_node[k] = (uint8_t)(way == SOME && any(rng, 4) == 0 ? 0 : fused + 1);
    }
}

static void draw_finish(accordi_rng *rng, accord_arithmetic *how, size_t n)
{
    static const enum accord_format into[] = {ACCORD_F64, ACCORD_F32, ACCORD_F16, ACCORD_BF16};
    double by = any(rng, 3) ? (double)n : (double)(2 + any(rng, 40));
    how->finish = any(rng, 2) ? ACCORD_FINISH_OVER : ACCORD_FINISH_TIMES;
    how->factor = by;
    if (how->finish == ACCORD_FINISH_TIMES)
        how->factor =
            accord_format_round(any(rng, 2) ? how->operation[0].format : into[any(rng, 4)],
                                ACCORD_NEAREST_EVEN, 1 / by);
}

static void draw_factors(accordi_rng *rng, const accord_tree *tree, accord_arithmetic *how)
{
    static const double factors[] = {1.3, -0.7, 0.1, 3, -1.9};
    double alpha = factors[any(rng, 5)];
    bool start = any(rng, 2);
    alpha = accord_format_round(how->output, ACCORD_NEAREST_EVEN, alpha);
    if (start)
        how->beta = any(rng, 2) ? 1
                                : accord_format_round(how->output, ACCORD_NEAREST_EVEN,
                                                      factors[any(rng, 5)]);
    if (start && any(rng, 2))
        return;
    how->alpha = alpha;
    how->alpha_at = any(rng, 2) ? ACCORD_ALPHA_X : ACCORD_ALPHA_Y;
    if (!start && any(rng, 2)) {
        how->alpha_at = ACCORD_ALPHA_SUM;
        how->alpha_node = tree->leaves + tree->inner - 1;
    }
}

static void draw_zeros(accordi_rng *rng, accord_arithmetic *how)
{
    how->zero_last = any(rng, 4) == 0;
    how->negative_zero = how->zero_last || any(rng, 2);
    how->skips_zero = how->term == ACCORD_TERM_PRODUCT && any(rng, 5) == 0;
    how->skips = how->skips_zero ? (enum accord_skips)any(rng, 3) : ACCORD_SKIPS_EITHER;
}

static void draw_flushes(accordi_rng *rng, accord_arithmetic *how)
{
    static const unsigned sets[] = {ACCORD_FLUSH_ALL,
                                    ACCORD_FLUSH_X | ACCORD_FLUSH_Y,
                                    ACCORD_FLUSH_PRODUCTS | ACCORD_FLUSH_SUMS | ACCORD_FLUSH_RESULT,
                                    ACCORD_FLUSH_ALL & ~(unsigned)ACCORD_FLUSH_RESULT,
                                    ACCORD_FLUSH_RESULT,
                                    ACCORD_FLUSH_SUMS};
    how->flush = any(rng, 3) ? 0 : sets[any(rng, 6)];
}

static void draw_box(accordi_rng *rng, box *b)
{
    static const enum accord_format formats[] = {ACCORD_F64, ACCORD_F32, ACCORD_F16, ACCORD_BF16};
    enum accord_format input = formats[any(rng, 4)], wide = input, output = input;
    bool products = any(rng, 2);
    size_t n = 2 + any(rng, 14);
    accord_arithmetic *plain = NULL;
    if (input != ACCORD_F64 && any(rng, 3))
        wide = input == ACCORD_F32 ? ACCORD_F64 : ACCORD_F32;
    if (any(rng, 3) == 0)
        output = wide;
    static const enum accordi_tree_kind kinds[] = {ACCORDI_TREE_YULE, ACCORDI_TREE_UNIFORM,
                                                   ACCORDI_TREE_CATERPILLAR, ACCORDI_TREE_LANES,
                                                   ACCORDI_TREE_BALANCED};
    accordi_random_tree(rng, kinds[any(rng, 5)], n, &b->tree, NULL);
    accord_arithmetic_plain(products ? ACCORD_TERM_PRODUCT : ACCORD_TERM_VALUE, input, wide, output,
                            &plain, NULL);
    accord_arithmetic_copy(plain, b->tree->inner, &b->how, NULL);
    accord_arithmetic_free(plain);
    if (products && any(rng, 2))
        draw_fused(rng, b);
    else if (products && wide != input && any(rng, 2))
        b->how->operation[0].product = input;
    /* Which of its nodes fuse hardly shows through a factor at the end: none or all do there. */
    if (any(rng, 3) == 0 && !(b->how->operations > 1 && input == ACCORD_BF16))
        draw_finish(rng, b->how, n);
    else if (products && any(rng, 3) == 0)
        draw_factors(rng, b->tree, b->how);
    draw_zeros(rng, b->how);
    /* Beside factors, which of operands and results are flushed may show on one row in a thousand.
     */
    if (b->how->alpha == 1 && b->how->beta == 0)
        draw_flushes(rng, b->how);
}

/* ---- what is revealed of them ---- */

/* Rows on which the two models give other bits: drawn on purpose to tell such models, and at
 * random. Where all that differs are signs of zeros, that is told apart. */
static size_t count_different(accordi_rng *rng, const box *b, const accord_arithmetic *found,
                              size_t *zeros)
{
    enum { ROWS = 64, TIMES = 40 };
    size_t n = b->tree->leaves, count = 0;
    double *x = accordi_alloc(2 * ROWS * n, sizeof *x), *y = x + ROWS * n, due[ROWS], given[ROWS];
    const accordi_draw draw = {.n = n,
                               .seed = accordi_rng_next(rng),
                               .format = b->how->input,
                               .products = b->how->term == ACCORD_TERM_PRODUCT,
                               .block = 1};
    const accord_model truth = {b->tree, b->how}, told = {b->tree, found};
    const accordi_purpose purpose = {
        .draw = &draw, .how = b->how, .tree = b->tree, .has_start = b->how->beta != 0};
    *zeros = 0;
    for (size_t t = 0; t < TIMES; t++) {
        for (size_t r = 0; r < ROWS; r++) {
            double *row = x + r * n, *second = draw.products ? y + r * n : NULL;
            if (t % 4) {
                accordi_rival_input(&purpose, t * ROWS + r, row, second);
                continue;
            }
            models_draw_row(rng, draw.format, row, n);
            if (second)
                models_draw_row(rng, draw.format, second, n);
        }
        replay(&truth, ROWS, x, draw.products ? y : NULL, due);
        replay(&told, ROWS, x, draw.products ? y : NULL, given);
        for (size_t r = 0; r < ROWS; r++) {
            bool other = !accordi_same_bits(due[r], given[r]), zero = due[r] == 0 && given[r] == 0;
            count += other && !zero;
            *zeros += other && zero;
        }
    }
    free(x);
    return count;
}

typedef struct tally {
    size_t same, named, alike, refused, wrong;
} tally;

enum { RARE = 26 }; /* of the rows of count_different, one in a hundred */

/* Is the truth what was told, or among what is left open; or does nothing tell them apart? */
static void judge(accordi_rng *rng, const box *b, const accord_record *record, tally *all)
{
    const accord_model truth = {b->tree, b->how}, told = {record->tree, record->arithmetic};
    char words[300] = "";
    size_t zeros = 0, different = 0;
    bool order = accord_tree_equal(b->tree, record->tree);
    if (order && !accord_model_differ(&truth, &told, words, sizeof words)) {
        all->same++;
        return;
    }
    for (size_t i = 0; order && i < accord_record_alternatives(record); i++) {
        const accord_model open = {record->tree, record->alternatives[i].arithmetic};
        char other[300];
        if (!accord_model_differ(&truth, &open, other, sizeof other)) {
            all->named++;
            return;
        }
    }
    if (order)
        different = count_different(rng, b, record->arithmetic, &zeros);
    bool told_of_zeros = record->assumes && strstr(record->assumes, "zero");
    bool told_of_products = record->assumes && strstr(record->assumes, "products too small");
    if (order && (told_of_products ? different < RARE : !different && (!zeros || told_of_zeros))) {
        all->alike++;
        return;
    }
    all->wrong++;
    printf("# %s; %zu rows differ, %zu in the sign of zero: %s\n", order ? words : "other order",
           different, zeros, record->verdict);
}

static void test_combinations(void **state)
{
    (void)state;
    uint64_t base = trials_seed();
    tally all = {0};
    for (size_t t = 0; t < trials(110); t++) {
        accordi_rng rng;
        accord_record record;
        accord_error error = {.status = ACCORD_OK};
        accord_reveal_options options;
        box b = {0};
        accordi_rng_init(&rng, base * 1000 + t);
        draw_box(&rng, &b);
        accord_target target = open_box(&b);
        const double alpha = target.alpha, beta = target.beta;
        accord_reveal_options_init(&options);
        options.seed = base + t;
        accordi_record_init(&record);
        size_t wrong = all.wrong;
        enum accord_status status = accord_reveal(&target, &options, &record, &error);
        b.how->alpha = alpha;
        b.how->beta = beta;
        assert_true(status == ACCORD_OK || status == ACCORD_UNABLE);
        if (status)
            all.refused++;
        else
            judge(&rng, &b, &record, &all);
        if (all.wrong > wrong) {
            const accord_model model = {b.tree, b.how};
            char words[400];
            accord_model_describe(&model, words, sizeof words);
            printf("# trial %zu, n = %u, it is: %s, negative_zero %d, zero_last %d, flush %u, "
                   "alpha %g, beta %g\n",
                   t, b.tree->leaves, words, b.how->negative_zero, b.how->zero_last, b.how->flush,
                   b.how->alpha, b.how->beta);
        }
        accord_record_clear(&record);
        accord_tree_free(b.tree);
        accord_arithmetic_free(b.how);
    }
    printf("# the same %zu, named %zu, alike %zu, refused %zu, wrong %zu\n", all.same, all.named,
           all.alike, all.refused, all.wrong);
    assert_int_equal(all.wrong, 0);
    assert_true(all.same + all.named > all.alike + all.refused || !trials_are_all());
}

/* Squares of bf16 are exact in f32 but for those that are subnormal there and flushed, unless they
 * are fused: what some nodes fuse shows there alone. */
static void test_flushed_squares(void **state)
{
    (void)state;
    enum { ROWS = 400, MOST = 40 };
    size_t refused = 0;
    for (size_t t = 0; t < trials(24); t++) {
        accordi_rng rng;
        accord_record record;
        accord_reveal_options options;
        accord_arithmetic *plain = NULL;
        box b = {0};
        accordi_rng_init(&rng, trials_seed() * 1000 + t);
        size_t n = 3 + any(&rng, MOST - 3);
        accordi_random_tree(&rng, any(&rng, 2) ? ACCORDI_TREE_LANES : ACCORDI_TREE_CATERPILLAR, n,
                            &b.tree, NULL);
        accord_arithmetic_plain(ACCORD_TERM_SQUARE, ACCORD_BF16, ACCORD_F32,
                                any(&rng, 2) ? ACCORD_BF16 : ACCORD_F32, &plain, NULL);
        accord_arithmetic_copy(plain, b.tree->inner, &b.how, NULL);
        accord_arithmetic_free(plain);
        draw_fused(&rng, &b);
        b.how->flush = ACCORD_FLUSH_PRODUCTS | ACCORD_FLUSH_SUMS | ACCORD_FLUSH_RESULT;
        accord_target target = open_box(&b);
        accord_reveal_options_init(&options);
        options.seed = t;
        accordi_record_init(&record);
        enum accord_status status = accord_reveal(&target, &options, &record, NULL);
        refused += status == ACCORD_UNABLE;
        for (size_t r = 0; r < ROWS && !status; r++) {
            float x[MOST];
            double due, given;
            for (size_t i = 0; i < n; i++)
                x[i] = (float)accord_format_round(
                    ACCORD_BF16, ACCORD_NEAREST_EVEN,
                    ldexp(1 + accordi_rng_unit(&rng), (int)any(&rng, 6) - 66));
            const void *row = x;
            const accord_rows rows = {.rows = 1, .x = &row, .is_f32 = true};
            const accord_model truth = {b.tree, b.how}, told = {record.tree, record.arithmetic};
            assert_int_equal(accord_model_replay(&truth, &rows, &due, NULL), ACCORD_OK);
            assert_int_equal(accord_model_replay(&told, &rows, &given, NULL), ACCORD_OK);
            if (due != given)
                print_message("# trial %zu, n = %zu, output %d: %a, not %a: %s\n", t, n,
                              (int)b.how->output, given, due, record.assumes);
            assert_true(due == given);
        }
        accord_record_clear(&record);
        accord_tree_free(b.tree);
        accord_arithmetic_free(b.how);
    }
    assert_true(4 * refused < 3 * trials(24) || !trials_are_all());
}

/* Sums that are rounded twice, and those that are rounded once: inputs of few bits part them. */
static void test_few_bits(void **state)
{
    (void)state;
    static const enum accord_format formats[][2] = {
        {ACCORD_F32, ACCORD_F16}, {ACCORD_F64, ACCORD_F32}, {ACCORD_F32, ACCORD_BF16}};
    enum { ROWS = 1024, N = 4 };
    uint64_t seed = trials_seed();
    accordi_rng rng;
    accordi_rng_init(&rng, seed);
    for (size_t i = 0; i < 2 * sizeof formats / sizeof *formats; i++) {
        static double x[ROWS * N], y[ROWS * N], twice[ROWS], once[ROWS];
        enum accord_format wide = formats[i / 2][0], narrow = formats[i / 2][1];
        bool products = i % 2;
        accord_tree *tree = NULL;
        accord_arithmetic *how = NULL, *other = NULL;
        size_t parted = 0;
        accordi_random_tree(&rng, ACCORDI_TREE_CATERPILLAR, N, &tree, NULL);
        accord_arithmetic_plain(products ? ACCORD_TERM_PRODUCT : ACCORD_TERM_VALUE,
                                products ? narrow : wide, narrow, narrow, &other, NULL);
        accord_arithmetic_plain(other->term, other->input, wide, narrow, &how, NULL);
        how->operation[0].stored = narrow;
        const accordi_draw draw = {
            .n = N, .seed = seed + i, .format = how->input, .products = products, .block = 1};
        const accordi_purpose purpose = {.draw = &draw, .how = other, .tree = tree};
        for (size_t r = 0; r < ROWS; r++)
            accordi_rival_hard(&purpose, r, x + r * N, products ? y + r * N : NULL);
        for (size_t v = 0; v < ROWS * N; v++)
            assert_true(isfinite(x[v]) &&
                        accord_format_round(draw.format, ACCORD_NEAREST_EVEN, x[v]) == x[v]);
        const accord_model first = {tree, how}, second = {tree, other};
        replay(&first, ROWS, x, products ? y : NULL, twice);
        replay(&second, ROWS, x, products ? y : NULL, once);
        for (size_t r = 0; r < ROWS; r++)
            parted += !accordi_same_bits(twice[r], once[r]);
        if (parted == 0)
            fail_msg("pair %zu: no row parts them", i);
        accord_arithmetic_free(how);
        accord_arithmetic_free(other);
        accord_tree_free(tree);
    }
}

/* Products that are too small are -0, fused into sums of -0, before +0 is added; so they are after
 * a start value that enters as -0. */
static void test_zeros_after_a_start(void **state)
{
    (void)state;
    static const double alphas[] = {3, 1.3, -1.9, 1, -0.7}, betas[] = {1.3, -0.7, 1};
    for (size_t t = 0; t < trials(20); t++) {
        accordi_rng rng;
        accord_record record;
        accord_reveal_options options;
        accord_arithmetic *plain = NULL;
        box b = {0};
        accordi_rng_init(&rng, trials_seed() * 1000 + t);
        size_t n = 2 + any(&rng, 14);
        accordi_random_tree(&rng, ACCORDI_TREE_YULE, n, &b.tree, NULL);
        accord_arithmetic_plain(ACCORD_TERM_PRODUCT, ACCORD_F32, ACCORD_F32, ACCORD_F32, &plain,
                                NULL);
        accord_arithmetic_copy(plain, b.tree->inner, &b.how, NULL);
        accord_arithmetic_free(plain);
        draw_fused(&rng, &b);
        b.how->alpha = accord_format_round(ACCORD_F32, ACCORD_NEAREST_EVEN, alphas[any(&rng, 5)]);
        b.how->beta = accord_format_round(ACCORD_F32, ACCORD_NEAREST_EVEN, betas[any(&rng, 3)]);
        b.how->alpha_at = b.how->alpha == 1 ? ACCORD_ALPHA_ONE : ACCORD_ALPHA_Y;
        b.how->zero_last = any(&rng, 2);
        b.how->negative_zero = b.how->zero_last || any(&rng, 2);
        accord_target target = open_box(&b);
        const double alpha = target.alpha, beta = target.beta;
        accord_reveal_options_init(&options);
        options.seed = t;
        accordi_record_init(&record);
        assert_int_equal(accord_reveal(&target, &options, &record, NULL), ACCORD_OK);
        b.how->alpha = alpha;
        b.how->beta = beta;
        double x[2][16], y[2][16], due[2], given[2];
        for (size_t i = 0; i < n; i++) {
            x[0][i] = -ldexp(1, -76), x[1][i] = -0.0;
            y[0][i] = y[1][i] = ldexp(copysign(1, alpha), -76);
        }
        x[0][n - 1] = x[1][n - 1] = beta < 0 ? 0.0 : -0.0;
        const accord_model truth = {b.tree, b.how}, told = {record.tree, record.arithmetic};
        for (int r = 0; r < 2; r++) {
            replay(&truth, 1, x[r], y[r], &due[r]);
            replay(&told, 1, x[r], y[r], &given[r]);
            assert_true(accordi_same_bits(due[r], given[r]) ||
                        (record.assumes && strstr(record.assumes, "zero does not matter")));
        }
        accord_record_clear(&record);
        accord_tree_free(b.tree);
        accord_arithmetic_free(b.how);
    }
}

/* Sums of millions of terms leave no room to ask about all rivals. */
static void test_rivals_without_room(void **state)
{
    (void)state;
    static const char *const lines[] = {
        NULL,
        "\n1 model that differs in one detail from what is described, and agrees with all random "
        "inputs, is not what the target computes: ",
        "\n2 models that differ in one detail from what is described, and agree with all random "
        "inputs, are not what the target computes: "};
    const accordi_asker asker = {.n = 3};
    const accordi_extent extent = {
        .proved = true, .answers = true, .replays_due = 2000, .asker = &asker};
    for (size_t unasked = 0; unasked < sizeof lines / sizeof *lines; unasked++)
        for (int explained = 0; explained < 2; explained++) {
            accord_record record;
            accordi_record_init(&record);
            accordi_certificate c = {
                .replays = 2000, .replays_agreed = 2000, .explained = explained};
            c.rivals.unasked = unasked;
            record.n = 3;
            const uint32_t parent[] = {3, 3, 4, 4, ACCORD_TREE_NO_NODE};
            assert_int_equal(accord_tree_from_parents(3, 2, parent, &record.tree, NULL), ACCORD_OK);
            assert_int_equal(accord_arithmetic_plain(ACCORD_TERM_PRODUCT, ACCORD_F32, ACCORD_F32,
                                                     ACCORD_F32, &c.arithmetic, NULL),
                             ACCORD_OK);
            assert_int_equal(accordi_verdict(&record, "auto", ACCORD_OK, NULL, &c, &extent),
                             ACCORD_OK);
            for (size_t i = 1; i < sizeof lines / sizeof *lines; i++)
                assert_int_equal(strstr(record.assumes, lines[i]) != NULL,
                                 explained && i == unasked);
            accord_arithmetic_free(c.arithmetic);
            accord_record_clear(&record);
        }
}

/* A factor near 1 has no rival that divides by 1, or multiplies by it. */
static void test_factors_near_one(void **state)
{
    (void)state;
    static const double scales[] = {0.9, 0x1.00002p0, 1.3, 0.7};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        accord_target_options question;
        accord_target_options_init(&question);
        question.n = 5;
        accord_target *target = NULL;
        accord_tree *tree = NULL;
        accord_arithmetic *base = NULL;
        accord_error error = {.status = ACCORD_OK};
        accordi_asker asker;
        assert_int_equal(accord_target_open("synthetic:sequential", &question, &target, NULL),
                         ACCORD_OK);
        assert_int_equal(accord_synthetic_tree(target, &tree, NULL), ACCORD_OK);
        assert_int_equal(accord_arithmetic_plain(ACCORD_TERM_VALUE, ACCORD_F32, ACCORD_F32,
                                                 ACCORD_F32, &base, NULL),
                         ACCORD_OK);
        accordi_ask_init(&asker, target, 1, &error);
        asker.scale = base->factor = scales[i];
        base->finish = ACCORD_FINISH_TIMES;
        accordi_rival rival = {0};
        for (size_t at = 0; !accordi_rival_next(&asker, tree, base, &at, &rival) && rival.how;) {
            assert_true(rival.how->finish == ACCORD_FINISH_NONE || rival.how->factor != 1);
            accord_arithmetic_free(rival.how);
        }
        accordi_ask_clear(&asker);
        accord_arithmetic_free(base);
        accord_tree_free(tree);
        accord_target_close(target);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_bits),
        cmocka_unit_test(test_zeros_of_steps),
        cmocka_unit_test(test_zeros_after_a_start),
        cmocka_unit_test(test_combinations),
        cmocka_unit_test(test_flushed_squares),
        cmocka_unit_test(test_rivals_without_room),
        cmocka_unit_test(test_factors_near_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
