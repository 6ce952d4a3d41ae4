/* Pictures of samples: what is drawn stays inside, whatever the numbers are. With a path as its
 * argument the program writes a picture there, to be looked at. */
#include "cli/vary/plot.h"
#include "trials.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

void *cli_need(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

enum { SAMPLES = 3, SIZE = 3000, LENGTHS = 5 };

static void draw(accordi_buffer *out)
{
    static double value[SAMPLES][SIZE];
    static const char *const names[SAMPLES] = {"AO", "SPA", "a <method> & \"more\""};
    const double n[LENGTHS] = {10, 100, 1000, 1e4, 1e5};
    double y[SAMPLES][LENGTHS];
    cli_sample sample[SAMPLES];
    cli_growth growth[SAMPLES];
    accordi_rng rng;
    accordi_rng_init(&rng, 5);
    for (size_t i = 0; i < SAMPLES; i++) {
        for (size_t k = 0; k < SIZE; k++) {
            double two = i == 2 && accordi_rng_next(&rng) >> 63 ? 60 : 0; /* two humps */
            value[i][k] = 0x1p-52 * rint(two + accordi_rng_normal(&rng) * (i ? 6 : 18));
        }
        for (size_t k = 0; k < LENGTHS; k++)
            y[i][k] = k == 0 && i == 1 ? 0 : 2e-16 * sqrt(n[k]) * (1 + (double)((k + i) % 3) / 3);
        sample[i] = (cli_sample){names[i], value[i], SIZE};
        growth[i] = (cli_growth){names[i], n, y[i], LENGTHS, i, i == 2};
    }
    cli_plot_begin(out, 2);
    const cli_mark marks[] = {{-12, 12, "predicted deviation"}, {0, NAN, "exact sum"}};
    const cli_samples samples = {
        "Scalar variability", "a <note>", "Vs / 2^-52", sample, SAMPLES, marks, 2};
    cli_plot_samples(out, &samples, 0x1p-52, 0);
    cli_plot_growth(out, "Growth", "max |Vs|", growth, SAMPLES, 1);
    cli_plot_end(out);
}

static size_t count_of(const char *text, const char *word)
{
    size_t count = 0;
    for (; (text = strstr(text, word)) != NULL; text++)
        count++;
    return count;
}

static void test_pictures(void **state)
{
    (void)state;
    accordi_buffer out = {0};
    draw(&out);
    assert_false(out.failed);
    assert_null(strstr(out.data, "nan"));
    assert_null(strstr(out.data, "inf"));
    assert_int_equal(count_of(out.data, "class=\"bars"), SAMPLES);
    assert_int_equal(count_of(out.data, "class=\"line"), 2 * SAMPLES);
    assert_int_equal(count_of(out.data, "<circle"), 2 * LENGTHS - 1); /* no logarithm of 0 */
    assert_int_equal(count_of(out.data, "a &lt;method&gt; &amp; &quot;more&quot;"), 2);
    assert_null(strstr(out.data, "<method>"));
    assert_int_equal(count_of(out.data, "<g"), count_of(out.data, "</g>"));
    accordi_buffer_clear(&out);
}

static void test_special(void **state)
{
    (void)state;
    static const double values[][3] = {{0, 0, 0},          {NAN, NAN, NAN},   {1, INFINITY, NAN},
                                       {1e300, -1e300, 0}, {0x1p-1074, 0, 1}, {-0.0, 0, 0}};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        accordi_buffer out = {0};
        const cli_sample sample = {"one", values[i], 3};
        const cli_growth growth = {"one", values[i], values[i], 3, 0, false};
        const cli_samples one = {.title = "title", .x = "x", .sample = &sample, .count = 1};
        const cli_samples none = {.title = "title", .x = "x", .sample = &sample};
        cli_plot_begin(&out, 3);
        cli_plot_samples(&out, &one, 0x1p-52, 0);
        cli_plot_samples(&out, &none, 0x1p-52, 0);
        cli_plot_distances(&out, &one, 1);
        cli_plot_growth(&out, "title", "y", &growth, 1, 2);
        cli_plot_end(&out);
        assert_false(out.failed);
        if (strstr(out.data, "nan") || strstr(out.data, "inf"))
            fail_msg("row %zu: %.300s", i, out.data + 1200);
        accordi_buffer_clear(&out);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pictures),
                                       cmocka_unit_test(test_special)};
    if (argc > 1) {
        accordi_buffer out = {0};
        FILE *file = fopen(argv[1], "w");
        draw(&out);
        bool fine = file && fwrite(out.data, 1, out.length, file) == out.length;
        accordi_buffer_clear(&out);
        return file && fclose(file) == 0 && fine ? 0 : 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
