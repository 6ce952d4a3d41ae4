/* Exact sums and dots of f32, f16 and bf16: the same as those of the same values as doubles,
 * special ones too. */
#include "exact_sums.h"
#include "trials.h"

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void test_narrow_sums(void **state)
{
    (void)state;
    static float single[2 * MOST];
    static uint16_t half[MOST];
    for (size_t t = 0; t < trials(300); t++) {
        size_t n = any_length(MOST);
        bool wild = !below(3);
        enum accord_format f = below(2) ? ACCORD_F16 : ACCORD_BF16;
        accord_exact a, b, c, d;
        accord_exact_init(&a);
        accord_exact_init(&b);
        accord_exact_init(&c);
        accord_exact_init(&d);
        for (size_t i = 0; i < n; i++) {
            uint32_t bits = (uint32_t)accordi_rng_next(&rng);
            single[2 * i] = float_of(wild ? bits : bits & 0xbfffffff);
            half[i] = (uint16_t)(wild ? bits >> 16 : bits >> 16 & 0xbfff);
            accord_exact_add_f64(&b, (double)single[2 * i]);
            accord_exact_add_f64(&d, accord_format_decode(f, half[i]));
        }
        accord_exact_add_array_f32(&a, n, single, 2);
        (f == ACCORD_F16 ? accord_exact_add_array_f16 : accord_exact_add_array_bf16)(&c, n, half,
                                                                                     1);
        same_sum(&a, &b, "f32");
        same_sum(&c, &d, "f16 or bf16");
        float once;
        assert_int_equal(accord_sum_exact_f32(n, single, 2, NULL, &once, NULL), ACCORD_OK);
        uint32_t bits;
        memcpy(&bits, &once, sizeof bits);
        same_pattern(bits, pattern_of(&b, ACCORD_F32, 0), ACCORD_F32, 0, "f32", n);
    }
}

static void test_each_half(void **state)
{
    (void)state;
    for (int f = ACCORD_F16; f <= ACCORD_BF16; f++)
        for (uint32_t bits = 0; bits < 65536; bits++) {
            accord_exact a, b;
            accord_exact_init(&a);
            accord_exact_init(&b);
            (f == ACCORD_F16 ? accord_exact_add_f16 : accord_exact_add_bf16)(&a, (uint16_t)bits);
            double value = accord_format_decode((enum accord_format)f, bits);
            accord_exact_add_f64(&b, value);
            same_sum(&a, &b, "one pattern");
            same_pattern(pattern_of(&a, f, (int)(bits % ROUNDINGS)),
                         isnan(value) ? accord_format_encode((enum accord_format)f, NAN) : bits, f,
                         (int)(bits % ROUNDINGS), "one pattern", 1);
        }
}

static void test_single_dots(void **state)
{
    (void)state;
    static float x[MOST], y[MOST];
    for (size_t t = 0; t < trials(300); t++) {
        size_t n = any_length(MOST);
        bool wild = !below(3);
        accord_exact_wide wide;
        accord_exact sum, one;
        accord_exact_wide_init(&wide);
        accord_exact_init(&sum);
        accord_exact_init(&one);
        for (size_t i = 0; i < n; i++) {
            uint64_t bits = accordi_rng_next(&rng) & (wild ? ~0u : 0xbfffffffbfffffff);
            x[i] = float_of((uint32_t)bits);
            y[i] = below(9) ? float_of((uint32_t)(bits >> 32)) : 0;
            accord_exact_wide_add_product_f64(&wide, (double)x[i], (double)y[i]);
            accord_exact_add_product_f32(&one, y[i], x[i]);
        }
        accord_exact_add_products_f32(&sum, n, x, 1, y, 1);
        same_sum(&sum, &one, "one at a time");
        for (int f = 0; f < FORMATS; f++)
            for (int r = 0; r < ROUNDINGS; r++)
                same_pattern(pattern_of(&sum, f, r), wide_pattern_of(&wide, f, r), f, r, "f32 dot",
                             n);
        float once;
        assert_int_equal(accord_dot_exact_f32(n, x, 1, y, 1, NULL, &once, NULL), ACCORD_OK);
        uint32_t bits;
        memcpy(&bits, &once, sizeof bits);
        same_pattern(bits, pattern_of(&sum, ACCORD_F32, 0), ACCORD_F32, 0, "f32 dot", n);
    }
}

int main(void)
{
    accordi_rng_init(&rng, trials_seed());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_narrow_sums),
        cmocka_unit_test(test_each_half),
        cmocka_unit_test(test_single_dots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
