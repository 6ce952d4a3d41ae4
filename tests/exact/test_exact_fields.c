/* Cumulative sums, sums by key, many sums at once: every result against MPFR. */
#include "exact_calls.h"
#include "trials.h"

enum { SUMS = 40 };

static char room_x[ROOM], room_out[ROOM], wanted[ROOM];
static double x[MOST];
static size_t key[MOST];

static const char *name_of(int format)
{
    return accord_format_get((enum accord_format)format)->name;
}

static void same(int format, uint64_t found, uint64_t expected, const char *what, size_t place)
{
    if (found != expected)
        fail_msg("%s of %s, place %zu: found %" PRIx64 ", expected %" PRIx64, what, name_of(format),
                 place, found, expected);
}

/* Cumulative sums. */

static void check_cumsum(int format, size_t n, const char *found, ptrdiff_t stride, int rounding)
{
    tally t;
    mpfr_t value, term;
    tally_init(&t);
    mpfr_init2(value, LONG);
    mpfr_init2(term, 53);
    for (size_t i = 0; i < n; i++) {
        mpfr_set_d(term, x[i], MPFR_RNDN);
        tally_add(&t, term);
        tally_value(&t, rounding, value);
        same(format, get_pattern(format, found + (ptrdiff_t)i * stride * size_of_format(format)),
             value_pattern(value, format, rounding), "cumulative sum", i);
    }
    mpfr_clears(value, term, t.sum, (mpfr_ptr)0);
}

/* Sums that change their sign with every term, at places of all words, and come back to zero. */
static void fill_swinging(double *to, size_t n)
{
    double last = 0;
    for (size_t i = 0; i < n; i++) {
        int e = below(2090) - 1070;
        double size = ldexp(below(2) ? 1 + accordi_rng_unit(&rng) : 1, e < 1000 ? e : 1000);
        to[i] = below(3) ? -last : sign() * size;
        last = to[i];
    }
}

static enum accord_status call_cumsum(int format, size_t n, const void *from, ptrdiff_t stride,
                                      const accord_exact_options *o, void *out,
                                      ptrdiff_t stride_out, accord_error *error)
{
    return format == ACCORD_F64
               ? accord_cumsum_exact_f64(n, from, stride, o, out, stride_out, error)
               : accord_cumsum_exact_f32(n, from, stride, o, out, stride_out, error);
}

static void test_cumsum(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(300); t++) {
        int format = below(2);
        accord_exact_options o = any_options();
        size_t n = any_length(below(10) ? 100 : 1000);
        ptrdiff_t stride = any_stride(), stride_out = any_stride();
        draw_numbers(format, x, n);
        if (!below(3)) {
            fill_swinging(x, n);
            for (size_t i = 0; i < n; i++)
                x[i] = squeeze(format, x[i]);
        }
        char *from = lay(room_x, format, x, n, 1, stride), *out = from;
        bool in_place = !below(3);
        if (in_place)
            stride_out = stride;
        else
            out = place_in(room_out, format, n, 1, stride_out);
        accord_error error;
        environment e = enter_any_environment();
        enum accord_status status =
            call_cumsum(format, n, from, stride, &o, out, stride_out, &error);
        leave_environment(&e);
        if (status)
            fail_msg("%s", error.text);
        check_cumsum(format, n, out, stride_out, (int)o.rounding);
    }
}

/* Two's complement by hand: sums of -1 unit, of minus powers of two at the borders of words, and
 * just above and below those. */
static void test_borders(void **state)
{
    (void)state;
    for (int e = -1074; e < 1000; e++) {
        static const double around[] = {0, 1, -1};
        double terms[4] = {-ldexp(1, e), 0, ldexp(1, e), ldexp(1, e)}, sums[4], total = terms[0];
        for (int a = 0; a < 3; a++) {
            terms[1] = around[a] * 0x1p-1074;
            for (int r = 0; r < ROUNDINGS; r++) {
                accord_exact_options o;
                accord_exact_options_init(&o);
                o.rounding = (enum accord_exact_rounding)r;
                assert_int_equal(accord_cumsum_exact_f64(4, terms, 1, &o, sums, 1, NULL),
                                 ACCORD_OK);
                for (size_t i = 0; i < 4; i++) {
                    assert_int_equal(accord_sum_exact_f64(i + 1, terms, 1, &o, &total, NULL),
                                     ACCORD_OK);
                    if (bits_of(total) != bits_of(sums[i]))
                        fail_msg("2^%d, around %g, rounding %d, sum %zu: found %a, expected %a", e,
                                 around[a], r, i, sums[i], total);
                }
            }
        }
    }
}

/* Groups. */

static enum accord_status call_groups(int format, size_t n, const void *from, ptrdiff_t stride,
                                      size_t groups, const accord_exact_options *o, void *out,
                                      accord_error *error)
{
    return format == ACCORD_F64
               ? accord_group_sum_exact_f64(n, from, stride, key, groups, o, out, error)
               : accord_group_sum_exact_f32(n, from, stride, key, groups, o, out, error);
}

static void check_groups(int format, size_t n, size_t groups, int rounding)
{
    static tally group[2000];
    memcpy(wanted, room_out, sizeof wanted);
    for (size_t g = 0; g < groups; g++)
        tally_init(group + g);
    for (size_t i = 0; i < n; i++)
        tally_add_product(group + key[i], 1, 1, x[i]);
    for (size_t g = 0; g < groups; g++) {
        char *out = room_out + (ptrdiff_t)g * size_of_format(format);
        same(format, get_pattern(format, out), tally_pattern(group + g, format, rounding), "group",
             g);
        memset(out, 0x5a, (size_t)size_of_format(format));
    }
    for (size_t i = 0; i < sizeof room_out; i++)
        assert_int_equal(room_out[i], 0x5a);
}

static void test_groups(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(200); t++) {
        int format = below(2);
        accord_exact_options o = any_options();
        size_t n = any_length(2000);
        size_t groups = below(4) ? 1 + any_length(50) : 500 + (size_t)below(1500);
        ptrdiff_t stride = any_stride();
        bool skewed = below(2);
        draw_numbers(format, x, n);
        for (size_t i = 0; i < n; i++) {
            key[i] = (size_t)accordi_rng_below(&rng, groups);
            if (skewed && below(3))
                key[i] /= 1 + (size_t)below(40);
        }
        const void *from = lay(room_x, format, x, n, 1, stride);
        memset(room_out, 0x5a, sizeof room_out);
        accord_error error;
        environment e = enter_any_environment();
        enum accord_status status =
            call_groups(format, n, from, stride, groups, &o, room_out, &error);
        leave_environment(&e);
        if (status)
            fail_msg("%s", error.text);
        check_groups(format, n, groups, (int)o.rounding);
    }
}

/* Many sums. */

static enum accord_status call_many(int format, size_t sums, ptrdiff_t step, size_t n,
                                    const void *from, ptrdiff_t stride,
                                    const accord_exact_options *o, void *out, accord_error *error)
{
    return format == ACCORD_F64
               ? accord_many_sums_exact_f64(sums, step, n, from, stride, o, out, error)
               : accord_many_sums_exact_f32(sums, step, n, from, stride, o, out, error);
}

static void test_many(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(400); t++) {
        int format = below(2);
        accord_exact_options o = any_options();
        bool by_row = below(2), overlap = !below(8);
        size_t sums = any_length(SUMS), n = any_length(below(8) ? 40 : 4000 / (sums + 1));
        size_t inner = by_row ? n : sums, outer = by_row ? sums : n;
        ptrdiff_t near = 1 + below(2), far = overlap ? 1 : near * (ptrdiff_t)inner + below(3);
        draw_numbers(format, x, MOST);
        static double stored[2 * MOST];
        for (size_t i = 0; i < MOST; i++)
            stored[i] = x[i];
        assert_true((size_t)far * (outer + 1) + (size_t)near * inner < 2 * MOST);
        for (size_t i = MOST; i < 2 * MOST; i++)
            stored[i] = 1;
        const char *from = lay(room_x, format, stored, 2 * MOST, 1, 1);
        ptrdiff_t step = by_row ? far : near, stride = by_row ? near : far, first = 0;
        if (!below(4) && sums) {
            first += step * ((ptrdiff_t)sums - 1);
            step = -step;
        }
        if (!below(4) && n) {
            first += stride * ((ptrdiff_t)n - 1);
            stride = -stride;
        }
        memset(room_out, 0x5a, sizeof room_out);
        accord_error error;
        environment e = enter_any_environment();
        enum accord_status status =
            call_many(format, sums, step, n, from + first * size_of_format(format), stride, &o,
                      room_out, &error);
        leave_environment(&e);
        if (status)
            fail_msg("%s", error.text);
        for (size_t s = 0; s < sums; s++) {
            tally sum;
            tally_init(&sum);
            for (size_t i = 0; i < n; i++)
                tally_add_product(&sum, 1, 1,
                                  stored[first + (ptrdiff_t)s * step + (ptrdiff_t)i * stride]);
            same(format, get_pattern(format, room_out + (ptrdiff_t)s * size_of_format(format)),
                 tally_pattern(&sum, format, (int)o.rounding), "one of many", s);
        }
        for (size_t i = sums * (size_t)size_of_format(format); i < sizeof room_out; i++)
            assert_int_equal(room_out[i], 0x5a);
    }
}

static void check_long_cumsum(size_t length, const double *from, double *one, double *many)
{
    for (int threads = 1; threads <= 8; threads++) {
        accord_exact_options o;
        accord_exact_options_init(&o);
        o.threads = threads;
        size_t n = length - 7 * (size_t)threads;
        double last;
        assert_int_equal(accord_cumsum_exact_f64(n, from, 1, &o, many, 1, NULL), ACCORD_OK);
        if (threads == 1)
            memcpy(one, many, n * sizeof *one);
        assert_memory_equal(one, many, n * sizeof *one);
        assert_int_equal(accord_sum_exact_f64(n, from, 1, NULL, &last, NULL), ACCORD_OK);
        assert_true(bits_of(last) == bits_of(many[n - 1]));
    }
}

/* Against accumulators, whose own tests have the oracle. */
static void check_long_groups(size_t n, const double *from, const size_t *keys, size_t groups,
                              const double *found)
{
    accord_exact *sum = calloc(groups, sizeof *sum);
    assert_non_null(sum);
    for (size_t i = 0; i < n; i++)
        accord_exact_add_f64(sum + keys[i], from[i]);
    for (size_t g = 0; g < groups; g++)
        same(ACCORD_F64, bits_of(found[g]), pattern_of(sum + g, ACCORD_F64, 0), "long group", g);
    free(sum);
}

/* Long ones: the same bits on any number of threads. */
static void test_threads(void **state)
{
    (void)state;
    enum { LENGTH = 1200000, GROUPS = 3000 };
    static double from[LENGTH], kept[LENGTH], one[LENGTH], many[LENGTH];
    static size_t keys[LENGTH];
    for (size_t i = 0; i < LENGTH; i += MOST)
        fills[below(FILLS)].fill(from + i, MOST);
    check_long_cumsum(LENGTH, from, one, many);
    memcpy(kept, from, sizeof kept);
    from[0] = 0x1p-300; /* now each second sum is a tie and this trace */
    from[1] = 1;
    for (size_t i = 2; i < LENGTH; i++)
        from[i] = i % 2 ? -0x1p-53 : 0x1p-53;
    check_long_cumsum(LENGTH, from, one, many);
    memcpy(from, kept, sizeof kept);
    static const size_t shapes[][2] = {{2, 600000}, {17, 70000}, {3000, 400}, {400, 3000}};
    for (size_t s = 0; s < 8; s++)
        for (int threads = 1; threads <= 8; threads++) {
            size_t sums = shapes[s / 2][0], n = shapes[s / 2][1];
            accord_exact_options o;
            accord_exact_options_init(&o);
            o.threads = threads;
            ptrdiff_t step = s % 2 ? 1 : (ptrdiff_t)n, stride = s % 2 ? (ptrdiff_t)sums : 1;
            assert_int_equal(
                accord_many_sums_exact_f64(sums, step, n, from, stride, &o, many, NULL), ACCORD_OK);
            for (size_t i = 0; threads == 1 && i < sums; i++)
                assert_int_equal(accord_sum_exact_f64(n, from + (ptrdiff_t)i * step, stride, NULL,
                                                      one + i, NULL),
                                 ACCORD_OK);
            assert_memory_equal(one, many, sums * sizeof *one);
        }
    for (size_t groups = 20; groups <= GROUPS; groups *= 150)
        for (int threads = 1; threads <= 8; threads++) {
            accord_exact_options o;
            accord_exact_options_init(&o);
            o.threads = threads;
            for (size_t i = 0; i < LENGTH; i++)
                keys[i] = i * 2654435761u % groups;
            assert_int_equal(
                accord_group_sum_exact_f64(LENGTH, from, 1, keys, groups, &o, many, NULL),
                ACCORD_OK);
            if (threads == 1) {
                memcpy(one, many, groups * sizeof *one);
                check_long_groups(LENGTH, from, keys, groups, one);
            }
            assert_memory_equal(one, many, groups * sizeof *one);
        }
}

static void refused(enum accord_status status, accord_error *error, const char *word)
{
    assert_int_equal(status, ACCORD_ARG);
    assert_int_equal(error->status, ACCORD_ARG);
    if (!strstr(error->text, word))
        fail_msg("no %s in: %s", word, error->text);
}

static void test_arguments(void **state)
{
    (void)state;
    double in[3] = {1, 2, 4}, out[3] = {7, 7, 7};
    float narrow[3] = {1, 2, 4}, narrow_out[3] = {7, 7, 7};
    size_t keys[3] = {1, 0, 1};
    accord_error e;
    accord_exact_options bad;
    accord_exact_options_init(&bad);
    bad.threads = -3;
    refused(accord_cumsum_exact_f64(3, NULL, 1, NULL, out, 1, &e), &e, "array");
    refused(accord_cumsum_exact_f32(3, narrow, 1, NULL, NULL, 1, &e), &e, "result");
    refused(accord_cumsum_exact_f64(3, in, 1, &bad, out, 1, &e), &e, "threads");
    refused(accord_many_sums_exact_f64(1, 1, 3, NULL, 1, NULL, out, &e), &e, "array");
    refused(accord_many_sums_exact_f32(1, 1, 3, narrow, 1, NULL, NULL, &e), &e, "result");
    refused(accord_many_sums_exact_f64(1, 1, 3, in, 1, &bad, out, &e), &e, "threads");
    refused(accord_group_sum_exact_f64(3, NULL, 1, keys, 2, NULL, out, &e), &e, "array");
    refused(accord_group_sum_exact_f64(3, in, 1, NULL, 2, NULL, out, &e), &e, "array");
    refused(accord_group_sum_exact_f32(3, narrow, 1, keys, 2, NULL, NULL, &e), &e, "result");
    refused(accord_group_sum_exact_f64(3, in, 1, keys, 2, &bad, out, &e), &e, "threads");
    refused(accord_group_sum_exact_f64(3, in, 1, keys, 1, NULL, out, &e), &e, "key[0] is 1");
    keys[2] = SIZE_MAX;
    refused(accord_group_sum_exact_f32(3, narrow, 1, keys, 1000, NULL, narrow_out, &e), &e,
            "key[2] is");
    refused(accord_group_sum_exact_f64(3, in, 1, keys, 0, NULL, NULL, &e), &e, "key[0]");
    keys[2] = 1;
    assert_int_equal(accord_group_sum_exact_f64(3, in, 1, keys, SIZE_MAX / 4, NULL, out, &e),
                     ACCORD_NOMEM);
    for (int i = 0; i < 3; i++)
        assert_true(out[i] == 7 && narrow_out[i] == 7);
    /* Of nothing. */
    assert_int_equal(accord_cumsum_exact_f64(0, NULL, 1, NULL, NULL, 1, &e), ACCORD_OK);
    assert_int_equal(accord_many_sums_exact_f64(0, 1, 3, NULL, 1, NULL, NULL, &e), ACCORD_OK);
    assert_int_equal(accord_many_sums_exact_f64(2, 1, 0, NULL, 1, NULL, out, &e), ACCORD_OK);
    assert_true(bits_of(out[0]) == bits_of(-0.0) && bits_of(out[1]) == bits_of(-0.0));
    assert_true(out[2] == 7);
    assert_int_equal(accord_group_sum_exact_f64(0, NULL, 1, NULL, 0, NULL, NULL, &e), ACCORD_OK);
    assert_int_equal(accord_group_sum_exact_f32(0, NULL, 1, NULL, 2, NULL, narrow_out, &e),
                     ACCORD_OK);
    assert_true(narrow_out[1] == 0 && signbit(narrow_out[1]) && narrow_out[2] == 7);
}

int main(void)
{
    accordi_rng_init(&rng, trials_seed());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cumsum),  cmocka_unit_test(test_borders),
        cmocka_unit_test(test_groups),  cmocka_unit_test(test_many),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
