/* Emitted C: compiled by gcc and clang, it gives the bits of the replay. */
#include "models.h"
#include "trials.h"
#include <accord/model.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "emitted.h"

static accordi_rng rng;

/* ---- models drawn at random ---- */

enum { MOST_OPERATIONS = 64 };

typedef struct drawn_model {
    accord_tree *tree;
    accord_arithmetic *how;
    char name[32];
} drawn_model;

static size_t below(size_t n)
{
    return (size_t)accordi_rng_below(&rng, n);
}

static accord_tree *ordered(accordi_order_maker *maker, size_t n, size_t parameter,
                            const char *fold)
{
    accord_tree *tree = NULL;
    accord_error error;
    assert_int_equal(accordi_order_make(maker, n, parameter, fold, &rng, &tree, &error), ACCORD_OK);
    return tree;
}

/* What OpenBLAS' Haswell kernels do: four accumulators of eight lanes, and a tail. */
static void haswell(accordi_order *order)
{
    uint32_t *lane = order->scratch;
    size_t whole = order->n / 32 * 32, from = 0;
    for (size_t l = 0; l < 32 && whole; l++) {
        lane[l] = (uint32_t)l;
        for (size_t i = l + 32; i < whole; i += 32)
            lane[l] = accordi_builder_join(&order->tree, lane[l], (uint32_t)i);
    }
    for (size_t l = 0; l < 8 && whole; l++) {
        uint32_t a = accordi_builder_join(&order->tree, lane[l], lane[l + 8]);
        lane[l] = accordi_builder_join(
            &order->tree, a, accordi_builder_join(&order->tree, lane[l + 16], lane[l + 24]));
    }
    for (size_t w = 4; w > 0 && whole; w /= 2)
        for (size_t l = 0; l < w; l++)
            lane[l] = accordi_builder_join(&order->tree, lane[l], lane[l + w]);
    uint32_t tail = (uint32_t)whole;
    for (from = whole + 1; from < order->n; from++)
        tail = accordi_builder_join(&order->tree, tail, (uint32_t)from);
    if (whole && whole < order->n)
        accordi_builder_join(&order->tree, lane[0], tail);
}

static accord_tree *draw_tree(void)
{
    static const char *const folds[] = {"halves", "pairwise", "sequential"};
    static const size_t widths[] = {2, 3, 4, 8, 16, 32};
    const char *fold = folds[below(3)];
    size_t n = 1 + below(60), more = below(3) ? 1 + below(400) : 1000;
    size_t width = widths[below(6)];
    switch (below(13)) {
    case 0:
        return ordered(accordi_order_sequential, more, 0, NULL);
    case 1:
        return ordered(accordi_order_reverse, more, 0, NULL);
    case 2:
        return ordered(accordi_order_pairwise, more, 0, NULL);
    case 3:
        return ordered(accordi_order_adjacent, more, 0, NULL);
    case 4:
    case 5:
        return ordered(accordi_order_lanes, more, width, fold);
    case 6:
        return ordered(accordi_order_lanes, width * (1 + below(40)), width, fold);
    case 7:
        return ordered(accordi_order_blocks, more, 2 + below(70), NULL);
    case 8:
        return ordered(accordi_order_numpy, more, 0, NULL);
    case 9:
        return ordered(haswell, more, 0, NULL);
    case 10:
        return ordered(accordi_order_caterpillar, below(2) ? n : more, 0, NULL);
    case 11:
        return ordered(accordi_order_yule, below(2) ? n : more, 0, NULL);
    default:
        return ordered(accordi_order_uniform, n, 0, NULL);
    }
}

static uint8_t number_of(accord_arithmetic *how, accord_operation op)
{
    size_t i = 0;
    while (i < how->operations &&
           (how->operation[i].format != op.format || how->operation[i].product != op.product ||
            how->operation[i].fused != op.fused || how->operation[i].stored != op.stored ||
            how->operation[i].zero != op.zero))
        i++;
    assert_true(i < MOST_OPERATIONS);
    how->operation[i] = op;
    how->operations += i == how->operations;
    return (uint8_t)i;
}

/* 0: as given; 1: the leaf is fused; 2: all is drawn. */
static void draw_nodes(drawn_model *m, int way, enum accord_format format)
{
    static const enum accord_format narrow[] = {ACCORD_F32, ACCORD_F32, ACCORD_BF16, ACCORD_F16};
    size_t one_in = below(3) ? 0 : 1 + below(4), zero_in = below(3) ? 0 : 1 + below(4);
    enum accord_format stored = narrow[below(4)];
    accord_arithmetic *how = m->how;
    const accord_tree *tree = m->tree;
    bool wide = how->input == ACCORD_F64;
    how->operations = tree->inner ? 0 : how->operations;
    for (uint32_t k = 0; k < tree->inner; k++) {
        const uint32_t *child = tree->child + tree->first[k];
        bool leaf[2] = {child[0] < tree->leaves, child[1] < tree->leaves};
        accord_operation op = {.format = format, .product = format, .fused = -1};
        if (way == 2) {
            op.format = wide || below(2) ? ACCORD_F64 : ACCORD_F32;
            op.product = wide || below(2) ? ACCORD_F64 : ACCORD_F32;
        }
        if (one_in && below(one_in) == 0)
            op.stored = stored;
        if (zero_in && below(zero_in) == 0)
            op.zero = (enum accord_zero)below(4);
        int drawn = (int)below(3) - 1;
        if (way == 1)
            op.fused = leaf[1] ? 1 : leaf[0] ? 0 : -1;
        else if (way == 2 && drawn >= 0 && leaf[drawn])
            op.fused = drawn;
        how->of_node[k] = number_of(how, op);
    }
}

static void draw_arithmetic(drawn_model *m)
{
    static const enum accord_term terms[] = {
        ACCORD_TERM_VALUE,   ACCORD_TERM_VALUE,    ACCORD_TERM_PRODUCT, ACCORD_TERM_PRODUCT,
        ACCORD_TERM_PRODUCT, ACCORD_TERM_ABSOLUTE, ACCORD_TERM_SQUARE};
    enum accord_term term = terms[below(7)];
    enum accord_format input = below(2) ? ACCORD_F32 : ACCORD_F64;
    enum accord_format format = input == ACCORD_F64 || below(4) == 0 ? ACCORD_F64 : ACCORD_F32;
    accord_arithmetic *plain, *how;
    accord_error error;
    assert_int_equal(accord_arithmetic_plain(term, input, format, input, &plain, &error),
                     ACCORD_OK);
    assert_int_equal(accord_arithmetic_copy(plain, m->tree->inner, &how, &error), ACCORD_OK);
    accord_arithmetic_free(plain);
    how->operation = realloc(how->operation, MOST_OPERATIONS * sizeof *how->operation);
    assert_non_null(how->operation);
    m->how = how;
    bool products = term == ACCORD_TERM_PRODUCT || term == ACCORD_TERM_SQUARE;
    int way = (int)below(3);
    if (m->tree->inner)
        draw_nodes(m, products ? way : way == 1 ? 0 : way, format);
    how->zero_last = below(4) == 0;
    how->negative_zero = how->zero_last || below(2);
    if (below(4) == 0) {
        how->finish = (enum accord_finish)(1 + below(3));
        how->factor = (double)m->tree->leaves;
        how->radicand = how->output == ACCORD_F32 && below(2) ? ACCORD_F32 : ACCORD_F64;
    }
}

/* The factors of GEMV and GEMM. */
static void draw_factors(drawn_model *m)
{
    accord_arithmetic *how = m->how;
    if (how->term != ACCORD_TERM_PRODUCT || m->tree->inner == 0 || below(2))
        return;
    static const double some[] = {1, -1, 0.75, 3, -0.0625};
    how->alpha = some[below(5)];
    how->alpha_at = how->alpha == 1 ? ACCORD_ALPHA_ONE : (enum accord_alpha)(1 + below(4));
    how->beta = below(2) ? some[below(5)] : 0;
    if (how->alpha_at == ACCORD_ALPHA_NODES)
        models_scalings(&rng, m->tree, how);
    how->alpha_fused = below(2);
    uint32_t leaves = m->tree->leaves, nodes = leaves + m->tree->inner;
    how->alpha_node = below(2) ? nodes - 1 : leaves + (uint32_t)below(m->tree->inner);
    if (how->beta != 0 && how->alpha_node == nodes - 1 && m->tree->inner > 1)
        how->alpha_node = nodes - 2;
}

static drawn_model draw_model(size_t number)
{
    drawn_model m = {.tree = draw_tree()};
    snprintf(m.name, sizeof m.name, "f%zu", number);
    draw_arithmetic(&m);
    draw_factors(&m);
    return m;
}

static void clear_model(drawn_model *m)
{
    accord_tree_free(m->tree);
    accord_arithmetic_free(m->how);
}

static enum accord_status emit(const drawn_model *m, accordi_buffer *out, accord_error *error)
{
    accord_model model = {m->tree, m->how};
    return accord_model_emit_c(&model, m->name, emitted_text, out, error);
}

/* ---- comparing ---- */

typedef struct rows {
    size_t count, terms;
    void **x, **y;
    double *start;
    bool f32;
} rows;

/* Numbers of many kinds: near 1, of any exponent, subnormal, zeros. */
static double draw_number(bool f32, size_t kind)
{
    double x = accordi_rng_normal(&rng);
    int range = f32 ? 149 : 1074;
    switch (kind) {
    case 0:
        break;
    case 1:
        x = ldexp(x, (int)below(40) - 20);
        break;
    case 2:
        x = ldexp(x, (int)below((size_t)range) - range / 2);
        break;
    case 3:
        x = ldexp(x, -(int)below((size_t)range));
        break;
    case 4:
        x = below(3) ? x : below(2) ? 0.0 : -0.0;
        break;
    case 5:
        x = below(2) ? -0.0 : -ldexp(1 + fabs(x), -range / 2 - (int)below(20));
        break;
    case 6:
        x = below(30) ? ldexp(x, range / 2) : ldexp(x, range * 3 / 4);
        break;
    default:
        x = -0.0;
    }
    return f32 ? (double)(float)x : x;
}

static rows draw_rows(const drawn_model *m, size_t count)
{
    bool f32 = m->how->input == ACCORD_F32;
    rows r = {.count = count, .terms = m->tree->leaves - (m->how->beta != 0), .f32 = f32};
    r.x = accordi_alloc(count, sizeof *r.x);
    r.y = accordi_alloc(count, sizeof *r.y);
    r.start = accordi_alloc(count, sizeof *r.start);
    assert_true(r.x && r.y && r.start);
    for (size_t i = 0; i < count; i++) {
        r.x[i] = accordi_alloc(r.terms, 8);
        r.y[i] = accordi_alloc(r.terms, 8);
        assert_true(r.x[i] && r.y[i]);
        r.start[i] = draw_number(f32, i % 8);
        for (size_t k = 0; k < r.terms; k++) {
            double x = draw_number(f32, i % 8), y = draw_number(f32, i / 8 % 8);
            if (f32) {
                ((float *)r.x[i])[k] = (float)x;
                ((float *)r.y[i])[k] = (float)y;
            } else {
                ((double *)r.x[i])[k] = x;
                ((double *)r.y[i])[k] = y;
            }
        }
    }
    return r;
}

static void clear_rows(rows *r)
{
    for (size_t i = 0; i < r->count; i++) {
        free(r->x[i]);
        free(r->y[i]);
    }
    free(r->x);
    free(r->y);
    free(r->start);
}

static double call(void *function, const drawn_model *m, const rows *r, size_t i)
{
    bool product = m->how->term == ACCORD_TERM_PRODUCT, start = m->how->beta != 0;
    void *x = r->x[i], *y = r->y[i];
    if (r->f32) {
        float s = (float)r->start[i];
        return (double)(!product ? ((float (*)(void *))function)(x)
                        : start  ? ((float (*)(void *, void *, float))function)(x, y, s)
                                 : ((float (*)(void *, void *))function)(x, y));
    }
    return !product ? ((double (*)(void *))function)(x)
           : start  ? ((double (*)(void *, void *, double))function)(x, y, r->start[i])
                    : ((double (*)(void *, void *))function)(x, y);
}

static bool same_bits(double a, double b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static void complain(const drawn_model *m, const char *compiler, size_t row, double got,
                     double wanted)
{
    accordi_buffer text = {0};
    accord_error error;
    emit(m, &text, &error);
    for (char *line = strtok(text.data, "\n"); line; line = strtok(NULL, "\n"))
        printf("# %s\n", line);
    fail_msg("%s, row %zu of %u terms: %a, replayed %a", compiler, row, m->tree->leaves, got,
             wanted);
}

static void compare(const drawn_model *m, void *handle, const char *compiler)
{
    enum { ROWS = 64 };
    double wanted[ROWS];
    accord_error error;
    accord_model model = {m->tree, m->how};
    rows r = draw_rows(m, ROWS);
    accord_rows asked = {.rows = ROWS,
                         .x = (const void *const *)r.x,
                         .y = (const void *const *)r.y,
                         .start = r.start,
                         .is_f32 = r.f32};
    assert_int_equal(accord_model_replay(&model, &asked, wanted, &error), ACCORD_OK);
    void *function = dlsym(handle, m->name);
    assert_non_null(function);
    for (size_t i = 0; i < ROWS; i++) {
        double got = call(function, m, &r, i);
        if (!same_bits(got, wanted[i]))
            complain(m, compiler, i, got, wanted[i]);
    }
    clear_rows(&r);
}

static void same_bits_as_the_replay(void **state)
{
    (void)state;
    size_t count = trials(40), emitted = 0;
    drawn_model *models = accordi_calloc(count, sizeof *models);
    accordi_buffer text = {0};
    assert_non_null(models);
    while (emitted < count) {
        accord_error error;
        size_t before = text.length;
        models[emitted] = draw_model(emitted);
        enum accord_status status = emit(&models[emitted], &text, &error);
        if (status == ACCORD_OK) {
            emitted++;
            continue;
        }
        const accord_model model = {models[emitted].tree, models[emitted].how};
        enum accord_status sound = accord_model_check(&model, NULL);
        assert_int_equal(status, sound == ACCORD_OK ? ACCORD_UNSUPPORTED : ACCORD_ARG);
        assert_int_equal(text.length, before);
        clear_model(&models[emitted]);
    }
    for (size_t c = 0; c < EMITTED_COMPILERS; c++) {
        void *handle = emitted_compile(&text, c);
        for (size_t i = 0; handle && i < count; i++)
            compare(&models[i], handle, emitted_compilers[c]);
        if (handle)
            dlclose(handle);
    }
    for (size_t i = 0; i < count; i++)
        clear_model(&models[i]);
    free(models);
    accordi_buffer_clear(&text);
}

/* ---- what it looks like ---- */

static size_t lines_of(const accordi_buffer *text)
{
    size_t lines = 0;
    for (size_t i = 0; i < text->length; i++)
        lines += text->data[i] == '\n';
    return lines;
}

static void lanes_are_short(void **state)
{
    (void)state;
    static const size_t lanes[] = {1, 2, 4, 8, 16, 32, 64};
    static const char *const folds[] = {"halves", "pairwise", "sequential"};
    for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++)
        for (size_t f = 0; f < 3; f++)
            for (int fused = -1; fused < 2; fused += 2) {
                drawn_model m = {.tree = ordered(accordi_order_lanes, 1024, lanes[i], folds[f]),
                                 .name = "lanes"};
                accordi_buffer text = {0};
                accord_error error;
                assert_int_equal(accord_arithmetic_plain(ACCORD_TERM_PRODUCT, ACCORD_F32,
                                                         ACCORD_F32, ACCORD_F32, &m.how, &error),
                                 ACCORD_OK);
                m.how->operation[0].fused = lanes[i] == 1 ? fused : -1;
                assert_int_equal(emit(&m, &text, &error), ACCORD_OK);
                if (lines_of(&text) > 48)
                    fail_msg("%zu lines for %zu lanes:\n%s", lines_of(&text), lanes[i], text.data);
                accordi_buffer_clear(&text);
                clear_model(&m);
            }
}

/* Halves have no loop over all of them, but few parts; a random order is a table. */
static void large_orders_stay_in_bounds(void **state)
{
    (void)state;
    accordi_order_maker *const makers[] = {accordi_order_pairwise, accordi_order_adjacent,
                                           accordi_order_numpy, accordi_order_sequential};
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        drawn_model m = {.tree = ordered(makers[i], 100000 + below(1000), 0, NULL), .name = "f"};
        accordi_buffer text = {0};
        accord_error error;
        assert_int_equal(accord_arithmetic_plain(ACCORD_TERM_VALUE, ACCORD_F64, ACCORD_F64,
                                                 ACCORD_F64, &m.how, &error),
                         ACCORD_OK);
        assert_int_equal(emit(&m, &text, &error), ACCORD_OK);
        if (lines_of(&text) > 400)
            fail_msg("%zu lines for %u terms of order %zu", lines_of(&text), m.tree->leaves, i);
        accordi_buffer_clear(&text);
        clear_model(&m);
    }
}

/* ---- what is refused ---- */

static drawn_model plain_model(enum accord_format format)
{
    drawn_model m = {.tree = ordered(accordi_order_sequential, 5, 0, NULL), .name = "f"};
    accord_error error;
    assert_int_equal(
        accord_arithmetic_plain(ACCORD_TERM_PRODUCT, format, format, format, &m.how, &error),
        ACCORD_OK);
    return m;
}

static void refused(drawn_model *m, enum accord_status wanted)
{
    accordi_buffer text = {0};
    accord_error error = {0};
    assert_int_equal(emit(m, &text, &error), wanted);
    assert_int_equal(text.length, 0);
    assert_true(strlen(error.text) > 0 && !strchr(error.text, '\n'));
    accordi_buffer_clear(&text);
}

static void what_c_cannot_say_is_refused(void **state)
{
    (void)state;
    drawn_model m = plain_model(ACCORD_F16);
    refused(&m, ACCORD_UNSUPPORTED);
    clear_model(&m);
    m = plain_model(ACCORD_F32);
    m.how->operation[0].rounding = ACCORD_UP;
    refused(&m, ACCORD_UNSUPPORTED);
    m.how->operation[0].rounding = ACCORD_NEAREST_EVEN;
    m.how->flush = ACCORD_FLUSH_RESULT;
    refused(&m, ACCORD_UNSUPPORTED);
    m.how->flush = 0;
    m.how->skips_zero = true;
    refused(&m, ACCORD_UNSUPPORTED);
    m.how->skips_zero = false;
    static const char *const names[] = {"", "2x", "a b", "double", "fmaf", "x-y", "main"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(m.name, sizeof m.name, "%s", names[i]);
        refused(&m, ACCORD_ARG);
    }
    clear_model(&m);
    m = plain_model(ACCORD_F32);
    accord_tree_free(m.tree);
    m.tree = ordered(accordi_order_fused, 40, 4, NULL);
    refused(&m, ACCORD_UNSUPPORTED);
    clear_model(&m);
}

static int start(void **state)
{
    accordi_rng_init(&rng, trials_seed());
    return emitted_make_folder(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits_as_the_replay),
        cmocka_unit_test(lanes_are_short),
        cmocka_unit_test(large_orders_stay_in_bounds),
        cmocka_unit_test(what_c_cannot_say_is_refused),
    };
    return cmocka_run_group_tests(tests, start, emitted_remove_folder);
}
