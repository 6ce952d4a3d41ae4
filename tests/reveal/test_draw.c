/* Random inputs: the same bits everywhere and for ever, values of their formats, and of the kinds
 * that their names say. */
#include "format/format.h"
#include "reveal/inputs/random_inputs.h"
#include "trials.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

typedef struct sample {
    accordi_draw draw;
    double *x, *y;
} sample;

static void sample_init(sample *s, enum accord_format format, size_t n, bool products,
                        uint64_t seed)
{
    s->draw = (accordi_draw){.n = n,
                             .seed = seed,
                             .format = format,
                             .is_f32 = format != ACCORD_F64,
                             .products = products,
                             .block = 1};
    s->x = calloc(n, sizeof *s->x);
    s->y = calloc(n, sizeof *s->y);
    assert_true(s->x && s->y);
}

static void sample_clear(sample *s)
{
    free(s->x);
    free(s->y);
}

/* One row, as doubles. */
static void draw(sample *s, size_t row)
{
    double *operand[] = {s->x, s->y};
    accordi_draw_rows(&s->draw, row, 1, s->x, s->draw.products ? s->y : NULL);
    for (int o = 0; o < 2 && s->draw.is_f32; o++)
        for (size_t i = s->draw.n; i-- > 0;)
            operand[o][i] = (double)((float *)operand[o])[i];
}

/* ---- the same bits everywhere ---- */

static const char *const golden[ACCORD_FORMAT_COUNT] = {
    [ACCORD_F64] = "d8655d082d659968",  [ACCORD_F32] = "a81c0bf4c96e9c56",
    [ACCORD_F16] = "047e653048d2f5fc",  [ACCORD_BF16] = "86a0f743456bd3ee",
    [ACCORD_TF32] = "84fe43544ce986dc", [ACCORD_E4M3] = "58307ab531e53759",
    [ACCORD_E5M2] = "abea9aa9cb05c155",
};

static void add_bits(accordi_sha256 *sha, enum accord_format format, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = accord_format_encode(format, x[i]);
        unsigned char bytes[8];
        for (int b = 0; b < 8; b++)
            bytes[b] = (unsigned char)(bits >> 8 * b);
        accordi_sha256_add(sha, bytes, sizeof bytes);
    }
}

/* The digest of two rows of every kind, with second factors and without, short and long. */
static void test_bits_are_pinned(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 2, 12, 100, 1000};
    for (int f = 0; f < ACCORD_FORMAT_COUNT; f++) {
        accordi_sha256 sha;
        char digest[65];
        accordi_sha256_init(&sha);
        for (size_t c = 0; c < 2 * sizeof counts / sizeof *counts; c++) {
            sample s;
            size_t n = counts[c / 2];
            sample_init(&s, (enum accord_format)f, n, c % 2, 7 + c);
            for (size_t row = 0; row < 2 * ACCORDI_DRAW_KINDS; row++) {
                draw(&s, row);
                add_bits(&sha, s.draw.format, s.x, n);
                if (s.draw.products)
                    add_bits(&sha, s.draw.format, s.y, n);
            }
            sample_clear(&s);
        }
        accordi_sha256_hex(&sha, digest);
        digest[16] = '\0';
        assert_int_equal(ACCORDI_DRAW_VERSION, 2); /* other bits are another version */
        assert_string_equal(digest, golden[f]);
    }
}

/* Rows do not depend on which are drawn together with them. */
static void test_rows_stand_alone(void **state)
{
    (void)state;
    enum { N = 37, ROWS = 4 * ACCORDI_DRAW_KINDS };
    static float x[ROWS][N], y[ROWS][N], one[N], other[N];
    accordi_draw d = {.n = N,
                      .seed = 5,
                      .format = ACCORD_F32,
                      .is_f32 = true,
                      .products = true,
                      .block = accordi_draw_block(ROWS)};
    assert_int_equal(d.block, 4);
    accordi_draw_rows(&d, 0, ROWS, x, y);
    for (size_t row = 0; row < ROWS; row++) {
        accordi_draw_rows(&d, row, 1, one, other);
        assert_int_equal(accordi_draw_kind_of(&d, row), row / 4);
        assert_memory_equal(one, x[row], sizeof one);
        assert_memory_equal(other, y[row], sizeof other);
    }
}

/* Nor on the type that holds them. */
static void test_values_do_not_depend_on_storage(void **state)
{
    (void)state;
    for (int f = 0; f < ACCORD_FORMAT_COUNT; f++)
        for (size_t row = 0; row < 2 * ACCORDI_DRAW_KINDS && f != ACCORD_F64; row++) {
            sample a, b;
            sample_init(&a, (enum accord_format)f, 301, true, 11);
            sample_init(&b, (enum accord_format)f, 301, true, 11);
            b.draw.is_f32 = false;
            draw(&a, row);
            draw(&b, row);
            assert_memory_equal(a.x, b.x, 301 * sizeof *a.x);
            assert_memory_equal(a.y, b.y, 301 * sizeof *a.y);
            sample_clear(&a);
            sample_clear(&b);
        }
}

/* ---- values of the format, and sums in range ---- */

static void test_values_are_of_the_format(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 2, 3, 12, 64, 1000, 70000};
    uint64_t seed = trials_seed();
    for (int f = 0; f < ACCORD_FORMAT_COUNT; f++)
        for (size_t c = 0; c < 2 * sizeof counts / sizeof *counts; c++) {
            sample s;
            size_t n = counts[c / 2], rows = (n > 1000 ? 2 : 20) * ACCORDI_DRAW_KINDS;
            enum accord_format format = (enum accord_format)f;
            const accord_format_info *info = accord_format_get(format);
            sample_init(&s, format, n, c % 2, ++seed);
            for (size_t row = 0; row < rows; row++) {
                double sum = 0, size = 0;
                draw(&s, row);
                for (size_t i = 0; i < n; i++) {
                    double term = s.draw.products ? s.x[i] * s.y[i] : s.x[i];
                    assert_true(isfinite(s.x[i]) && isfinite(s.y[i]));
                    assert_true(accord_format_round(format, ACCORD_NEAREST_EVEN, s.x[i]) == s.x[i]);
                    assert_true(accord_format_round(format, ACCORD_NEAREST_EVEN, s.y[i]) == s.y[i]);
                    sum += term;
                    size = fmax(size, fabs(sum));
                }
                if (info->precision > 4 && !(size < info->greatest))
                    printf("# %s, n = %zu, %s: %g\n", info->name, n,
                           accordi_draw_name(accordi_draw_kind_of(&s.draw, row)), size);
                assert_true(info->precision <= 4 || size < info->greatest);
            }
            sample_clear(&s);
        }
}

/* ---- kinds are what their names say ---- */

static size_t zeros_of(const sample *s)
{
    size_t zeros = 0;
    for (size_t i = 0; i < s->draw.n; i++)
        zeros += s->x[i] == 0;
    return zeros;
}

static bool is_sorted(const sample *s, double sign)
{
    for (size_t i = 1; i < s->draw.n; i++)
        if (sign * s->x[i - 1] > sign * s->x[i])
            return false;
    return true;
}

static double least(const sample *s, bool of_size)
{
    double found = INFINITY;
    for (size_t i = 0; i < s->draw.n; i++)
        found = fmin(found, of_size ? fabs(s->x[i]) : s->x[i]);
    return found;
}

static double greatest(const sample *s)
{
    double found = -INFINITY;
    for (size_t i = 0; i < s->draw.n; i++)
        found = fmax(found, s->x[i]);
    return found;
}

/* From 1/2 up to 1, with the sign of x. */
static double fraction_of(double x)
{
    int exponent;
    return frexp(x, &exponent);
}

/* Exact: the terms are multiples of 2^-31 below 2, or of that times a power of two. */
static double sum_of(const sample *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->draw.n; i++)
        sum += s->x[i];
    return sum;
}

static void check_kind(const sample *s, size_t row)
{
    size_t n = s->draw.n, zeros = zeros_of(s);
    switch (accordi_draw_kind_of(&s->draw, row)) {
    case ACCORDI_DRAW_POSITIVE:
    case ACCORDI_DRAW_LOG_NORMAL:
        assert_true(least(s, false) > 0);
        break;
    case ACCORDI_DRAW_NEGATIVE:
        assert_true(greatest(s) < 0);
        break;
    case ACCORDI_DRAW_UNIT:
        assert_true(least(s, false) >= 0 && greatest(s) < 1);
        break;
    case ACCORDI_DRAW_IMAGE:
        assert_true(least(s, false) >= 0 && greatest(s) <= 255);
        break;
    case ACCORDI_DRAW_OFFSET:
        assert_true(greatest(s) * least(s, false) > 0);
        assert_true(least(s, true) >= fmax(greatest(s), -least(s, false)) / 1.5);
        break;
    case ACCORDI_DRAW_INTEGERS:
        for (size_t i = 0; i < n; i++)
            assert_true(s->x[i] == rint(s->x[i]));
        break;
    case ACCORDI_DRAW_HALF_ZEROS:
        assert_in_range(zeros, n * 40 / 100, n * 60 / 100);
        break;
    case ACCORDI_DRAW_90_ZEROS:
        assert_in_range(zeros, n * 85 / 100, n * 95 / 100);
        break;
    case ACCORDI_DRAW_99_ZEROS:
        assert_in_range(zeros, n * 96 / 100, n - 1);
        break;
    case ACCORDI_DRAW_MIXED_ZEROS:
        assert_in_range(zeros, n * 40 / 100, n * 60 / 100);
        break;
    case ACCORDI_DRAW_ONE_HUGE:
        assert_true(fmax(greatest(s), -least(s, false)) > 1.0 / 16);
        break;
    case ACCORDI_DRAW_EQUAL:
        assert_true(least(s, false) == greatest(s));
        break;
    case ACCORDI_DRAW_SORTED_UP:
        assert_true(is_sorted(s, 1) && fraction_of(greatest(s)) > 0.9);
        break;
    case ACCORDI_DRAW_SORTED_DOWN:
        assert_true(is_sorted(s, -1) && fraction_of(least(s, false)) < -0.9);
        break;
    case ACCORDI_DRAW_RAMP:
        assert_true(is_sorted(s, 1) || is_sorted(s, -1));
        break;
    case ACCORDI_DRAW_ZERO_SUM:
        assert_true(sum_of(s) == 0);
        break;
    case ACCORDI_DRAW_SINE:
        assert_true(fabs(greatest(s)) < ldexp(1.001, 16));
        break;
    case ACCORDI_DRAW_TINY:
        assert_true(greatest(s) < 0x1p-118);
        break;
    default:
        assert_true(zeros < n);
    }
}

/* Half of the rows of a kind lie elsewhere: in wide formats from 2^-16 to 2^16 times as far out. */
static void test_rows_differ_in_size(void **state)
{
    (void)state;
    sample s;
    size_t small = 0, large = 0, rows = 400;
    sample_init(&s, ACCORD_BF16, 100, false, trials_seed());
    for (size_t i = 0; i < rows; i++) {
        draw(&s, i * ACCORDI_DRAW_KINDS + ACCORDI_DRAW_POSITIVE);
        double most = greatest(&s);
        small += most < 0x1p-4;
        large += most > 0x1p6;
        assert_true(most > 0x1p-20 && most <= 0x1p17);
    }
    assert_in_range(small, rows / 10, rows / 3);
    assert_in_range(large, rows / 10, rows / 3);
    sample_clear(&s);
}

static void test_kinds_are_what_they_are_called(void **state)
{
    (void)state;
    sample s;
    sample_init(&s, ACCORD_F32, 1000, false, trials_seed());
    for (size_t row = 0; row < trials(40) * ACCORDI_DRAW_KINDS; row++) {
        draw(&s, row);
        check_kind(&s, row);
    }
    sample_clear(&s);
}

/* Products cancel where terms do. */
static void test_products_sum_to_zero(void **state)
{
    (void)state;
    sample s;
    sample_init(&s, ACCORD_F16, 101, true, trials_seed());
    for (size_t round = 0; round < trials(20); round++) {
        double sum = 0;
        draw(&s, round * ACCORDI_DRAW_KINDS + ACCORDI_DRAW_ZERO_SUM);
        for (size_t i = 0; i < s.draw.n; i++)
            sum += s.x[i] * s.y[i];
        assert_true(sum == 0);
    }
    sample_clear(&s);
}

/* Ties: a term or two stand out, and the others are whole halves of the last place of those. */
static void test_ties_tie(void **state)
{
    (void)state;
    for (int f = 0; f < ACCORD_FORMAT_COUNT; f++) {
        sample s;
        sample_init(&s, (enum accord_format)f, 40, true, trials_seed());
        for (size_t round = 0; round < trials(50); round++) {
            draw(&s, round * ACCORDI_DRAW_KINDS + ACCORDI_DRAW_TIES);
            double mask = 0, half = INFINITY;
            size_t masks = 0;
            for (size_t i = 0; i < s.draw.n; i++) {
                mask = fmax(mask, fabs(s.x[i]));
                half = s.x[i] != 0 ? fmin(half, fabs(s.x[i])) : half;
                assert_true(s.y[i] == 1);
            }
            for (size_t i = 0; i < s.draw.n; i++) {
                masks += fabs(s.x[i]) > mask / 2;
                assert_true(fmod(s.x[i], half) == 0);
            }
            assert_in_range(masks, 1, 2);
        }
        sample_clear(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits_are_pinned),
        cmocka_unit_test(test_rows_stand_alone),
        cmocka_unit_test(test_values_do_not_depend_on_storage),
        cmocka_unit_test(test_values_are_of_the_format),
        cmocka_unit_test(test_rows_differ_in_size),
        cmocka_unit_test(test_kinds_are_what_they_are_called),
        cmocka_unit_test(test_products_sum_to_zero),
        cmocka_unit_test(test_ties_tie),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
