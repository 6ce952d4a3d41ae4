/* The ways into accumulators that are made of others: narrow formats into wide ones, arrays taken
 * away, complex numbers, narrow accumulators into wide ones, dots of formats of 8 and 16 bits. All
 * must leave the same bytes as the same terms one by one. */
#include "exact_calls.h"
#include "trials.h"

enum { LENGTH = 3000 };

static double x[2 * LENGTH], y[2 * LENGTH];
static char room_x[ROOM], room_y[ROOM];

/* Of these numbers, those of a format: f64, f32, f16 or bf16. */
static void draw_of(int format, double *to, size_t n)
{
    draw_numbers(format, to, n);
}

static size_t length_of(void)
{
    return below(40) ? any_length(100) : any_length(LENGTH);
}

#define BY_FORMAT(format_, name_, ...)                                                             \
    switch (format_) {                                                                             \
    case ACCORD_F64:                                                                               \
        name_##_f64(__VA_ARGS__);                                                                  \
        break;                                                                                     \
    case ACCORD_F32:                                                                               \
        name_##_f32(__VA_ARGS__);                                                                  \
        break;                                                                                     \
    case ACCORD_F16:                                                                               \
        name_##_f16(__VA_ARGS__);                                                                  \
        break;                                                                                     \
    default:                                                                                       \
        name_##_bf16(__VA_ARGS__);                                                                 \
    }

static void test_arrays(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(4000); t++) {
        size_t n = length_of(), first = length_of();
        int format = below(FORMATS);
        ptrdiff_t stride = any_stride();
        accord_exact a = {0}, b;
        accord_exact_wide v = {0}, w;
        draw_of(format, x, n);
        draw_of(ACCORD_F64, y, first);
        accord_exact_add_array_f64(&a, first, y, 1);
        accord_exact_wide_add_array_f64(&v, first, y, 1);
        b = a;
        w = v;
        const void *at = lay(room_x, format, x, n, 1, stride);
        bool add = below(2);
        environment e = enter_any_environment();
        if (add) {
            BY_FORMAT(format, accord_exact_wide_add_array, &v, n, at, stride)
        } else {
            BY_FORMAT(format, accord_exact_subtract_array, &a, n, at, stride)
            BY_FORMAT(format, accord_exact_wide_subtract_array, &v, n, at, stride)
        }
        leave_environment(&e);
        for (size_t i = 0; i < n; i++)
            if (add) {
                accord_exact_wide_add_f64(&w, x[i]);
            } else {
                accord_exact_subtract_f64(&b, x[i]);
                accord_exact_wide_subtract_f64(&w, x[i]);
            }
        same_sum(&a, &b, "array taken away");
        same_wide(&v, &w, add ? "array into wide" : "array taken from wide");
    }
}

static void test_single_terms(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(4000); t++) {
        accord_exact_wide v = {0}, w = {0};
        uint32_t bits = (uint32_t)accordi_rng_next(&rng);
        float single;
        memcpy(&single, &bits, sizeof single);
        accord_exact_wide_add_f32(&v, single);
        accord_exact_wide_add_f16(&v, (uint16_t)bits);
        accord_exact_wide_add_bf16(&v, (uint16_t)(bits >> 16));
        accord_exact_wide_add_f64(&w, accord_format_decode(ACCORD_F32, bits));
        accord_exact_wide_add_f64(&w, accord_format_decode(ACCORD_F16, bits & 0xffff));
        accord_exact_wide_add_f64(&w, accord_format_decode(ACCORD_BF16, bits >> 16));
        same_wide(&v, &w, "one term of each format");
    }
}

static void test_narrow_into_wide(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(4000); t++) {
        size_t n = length_of(), m = length_of();
        accord_exact a = {0};
        accord_exact_wide v = {0}, w, part = {0};
        draw_of(ACCORD_F64, x, n);
        draw_of(ACCORD_F64, y, n > m ? n : m);
        accord_exact_wide_add_products_f64(&v, n, x, 1, y, 1);
        w = v;
        accord_exact_add_array_f64(&a, m, y, 1);
        accord_exact_wide_add_array_f64(&part, m, y, 1);
        if (below(2)) {
            assert_int_equal(accord_exact_wide_add_narrow(&v, &a, NULL), ACCORD_OK);
            assert_int_equal(accord_exact_wide_add(&w, &part, NULL), ACCORD_OK);
        } else {
            assert_int_equal(accord_exact_wide_subtract_narrow(&v, &a, NULL), ACCORD_OK);
            assert_int_equal(accord_exact_wide_subtract(&w, &part, NULL), ACCORD_OK);
        }
        same_wide(&v, &w, "narrow into wide");
    }
}

static void test_products_taken_away(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(4000); t++) {
        size_t n = length_of();
        ptrdiff_t stride_x = any_stride(), stride_y = any_stride();
        accord_exact a = {0}, b = {0};
        accord_exact_wide v = {0}, w = {0};
        bool single = below(2);
        int format = single ? ACCORD_F32 : ACCORD_F64;
        draw_of(format, x, n);
        draw_of(format, y, n);
        const void *at_x = lay(room_x, format, x, n, 1, stride_x);
        const void *at_y = lay(room_y, format, y, n, 1, stride_y);
        environment e = enter_any_environment();
        if (single)
            accord_exact_subtract_products_f32(&a, n, at_x, stride_x, at_y, stride_y);
        else
            accord_exact_wide_subtract_products_f64(&v, n, at_x, stride_x, at_y, stride_y);
        leave_environment(&e);
        for (size_t i = 0; i < n; i++)
            if (single)
                accord_exact_add_product_f32(&b, -(float)x[i], (float)y[i]);
            else
                accord_exact_wide_add_product_f64(&w, -x[i], y[i]);
        same_sum(&a, &b, "products of f32 taken away");
        same_wide(&v, &w, "products of f64 taken away");
    }
}

/* The terms of part 0 or 1 of a product of complex numbers, one by one. */
static void complex_terms(accord_exact_wide sum[2], bool conjugate, const double *a,
                          const double *b)
{
    double imaginary = conjugate ? -a[1] : a[1];
    accord_exact_wide_add_product_f64(sum, a[0], b[0]);
    accord_exact_wide_add_product_f64(sum, -imaginary, b[1]);
    accord_exact_wide_add_product_f64(sum + 1, a[0], b[1]);
    accord_exact_wide_add_product_f64(sum + 1, imaginary, b[0]);
}

static void test_complex(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(3000); t++) {
        size_t n = length_of();
        ptrdiff_t stride_x = any_stride(), stride_y = any_stride();
        bool conjugate = below(2), single = below(2);
        int format = single ? ACCORD_F32 : ACCORD_F64;
        accord_exact a[2], b[2], dots[2];
        accord_exact_wide v[2], w[2], p[2], q[2];
        for (int part = 0; part < 2; part++) {
            a[part] = b[part] = dots[part] = (accord_exact){0};
            v[part] = w[part] = p[part] = q[part] = (accord_exact_wide){0};
        }
        draw_of(format, x, 2 * n);
        draw_of(format, y, 2 * n);
        const void *at_x = lay(room_x, format, x, n, 2, stride_x);
        const void *at_y = lay(room_y, format, y, n, 2, stride_y);
        environment e = enter_any_environment();
        if (single) {
            accord_exact_add_array_complex_f32(a, n, at_x, stride_x);
            accord_exact_wide_add_array_complex_f32(v, n, at_x, stride_x);
            accord_exact_add_products_complex_f32(dots, conjugate, n, at_x, stride_x, at_y,
                                                  stride_y);
        } else {
            accord_exact_add_array_complex_f64(a, n, at_x, stride_x);
            accord_exact_wide_add_array_complex_f64(v, n, at_x, stride_x);
            accord_exact_wide_add_products_complex_f64(p, conjugate, n, at_x, stride_x, at_y,
                                                       stride_y);
        }
        leave_environment(&e);
        for (size_t i = 0; i < n; i++) {
            for (int part = 0; part < 2; part++) {
                accord_exact_add_f64(b + part, x[2 * i + (size_t)part]);
                accord_exact_wide_add_f64(w + part, x[2 * i + (size_t)part]);
            }
            complex_terms(q, conjugate, x + 2 * i, y + 2 * i);
        }
        for (int part = 0; part < 2; part++) {
            same_sum(a + part, b + part, "complex numbers");
            same_wide(v + part, w + part, "complex numbers into wide");
            if (single)
                assert_int_equal(accord_exact_wide_add_narrow(p + part, dots + part, NULL),
                                 ACCORD_OK);
            same_wide(p + part, q + part, "products of complex numbers");
        }
    }
}

/* ---- formats of 8 and 16 bits ---- */

static const int small[] = {ACCORD_F16, ACCORD_BF16, ACCORD_E4M3, ACCORD_E5M2};

static void add_small(int format, accord_exact *sum, size_t n, const void *a, ptrdiff_t stride_a,
                      const void *b, ptrdiff_t stride_b)
{
    switch (format) {
    case ACCORD_F16:
        accord_exact_add_products_f16(sum, n, a, stride_a, b, stride_b);
        break;
    case ACCORD_BF16:
        accord_exact_add_products_bf16(sum, n, a, stride_a, b, stride_b);
        break;
    case ACCORD_E4M3:
        accord_exact_add_products_e4m3(sum, n, a, stride_a, b, stride_b);
        break;
    default:
        accord_exact_add_products_e5m2(sum, n, a, stride_a, b, stride_b);
    }
}

static enum accord_status dot_small(int format, size_t n, const void *a, ptrdiff_t stride_a,
                                    const void *b, ptrdiff_t stride_b,
                                    const accord_exact_options *options, float *out)
{
    switch (format) {
    case ACCORD_F16:
        return accord_dot_exact_f16(n, a, stride_a, b, stride_b, options, out, NULL);
    case ACCORD_BF16:
        return accord_dot_exact_bf16(n, a, stride_a, b, stride_b, options, out, NULL);
    case ACCORD_E4M3:
        return accord_dot_exact_e4m3(n, a, stride_a, b, stride_b, options, out, NULL);
    default:
        return accord_dot_exact_e5m2(n, a, stride_a, b, stride_b, options, out, NULL);
    }
}

/* Random patterns; those of f16 and bf16 as bytes, too. */
static double draw_pattern(int format, bool wild, char *at)
{
    int size = size_of_format(format);
    for (;;) {
        uint16_t bits = (uint16_t)accordi_rng_next(&rng);
        uint8_t byte = (uint8_t)bits;
        double value = accord_format_decode((enum accord_format)format, size == 1 ? byte : bits);
        memcpy(at, size == 1 ? (void *)&byte : (void *)&bits, (size_t)size);
        if (wild || isfinite(value))
            return value;
    }
}

static void test_small_dots(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(4000); t++) {
        size_t n = length_of();
        int format = small[below(4)], size = size_of_format(format);
        ptrdiff_t stride_x = any_stride(), stride_y = any_stride();
        bool wild = !below(4);
        char *at_x = place_in(room_x, format, n, 1, stride_x);
        char *at_y = place_in(room_y, format, n, 1, stride_y);
        accord_exact a = {0}, b = {0};
        for (size_t i = 0; i < n; i++) {
            double v = draw_pattern(format, wild, at_x + (ptrdiff_t)i * stride_x * size);
            double w = draw_pattern(format, wild, at_y + (ptrdiff_t)i * stride_y * size);
            accord_exact_add_product_f32(&b, (float)v, (float)w);
        }
        accord_exact_options options = any_options();
        float once = 7;
        environment e = enter_any_environment();
        add_small(format, &a, n, at_x, stride_x, at_y, stride_y);
        enum accord_status status =
            dot_small(format, n, at_x, stride_x, at_y, stride_y, &options, &once);
        leave_environment(&e);
        assert_int_equal(status, ACCORD_OK);
        same_sum(&a, &b, "dot of a small format");
        uint32_t bits;
        memcpy(&bits, &once, sizeof bits);
        same_pattern(bits, pattern_of(&b, ACCORD_F32, (int)options.rounding), ACCORD_F32,
                     (int)options.rounding, "dot of a small format in one call", n);
    }
}

static void test_small_sums(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(2000); t++) {
        size_t n = length_of();
        int format = small[2 + below(2)];
        ptrdiff_t stride = any_stride();
        bool wild = !below(4);
        char *at = place_in(room_x, format, n, 1, stride);
        accord_exact a = {0}, b = {0};
        for (size_t i = 0; i < n; i++)
            accord_exact_add_f64(&b, draw_pattern(format, wild, at + (ptrdiff_t)i * stride));
        if (format == ACCORD_E4M3)
            accord_exact_add_array_e4m3(&a, n, (const uint8_t *)at, stride);
        else
            accord_exact_add_array_e5m2(&a, n, (const uint8_t *)at, stride);
        same_sum(&a, &b, "sum of 8-bit numbers");
    }
}

/* Every pair of numbers of 8 bits: the product is exact in a double. */
static void test_all_pairs(void **state)
{
    (void)state;
    for (int f = 2; f < 4; f++)
        for (uint32_t pair = 0; pair < 65536; pair++) {
            uint8_t v = (uint8_t)pair, w = (uint8_t)(pair >> 8);
            enum accord_format format = (enum accord_format)small[f];
            float once;
            assert_int_equal(dot_small(small[f], 1, &v, 1, &w, 1, NULL, &once), ACCORD_OK);
            double expected = accord_format_decode(format, v) * accord_format_decode(format, w);
            assert_int_equal(accord_format_encode(ACCORD_F32, (double)once),
                             accord_format_encode(ACCORD_F32, expected));
        }
}

int main(void)
{
    accordi_rng_init(&rng, trials_seed());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrays),           cmocka_unit_test(test_single_terms),
        cmocka_unit_test(test_narrow_into_wide), cmocka_unit_test(test_products_taken_away),
        cmocka_unit_test(test_complex),          cmocka_unit_test(test_small_dots),
        cmocka_unit_test(test_small_sums),       cmocka_unit_test(test_all_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
