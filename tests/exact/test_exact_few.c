/* Sums of one to nine numbers, which are added in ways of their own: against accumulators, with
 * numbers that make ties and near ties, cancel, underflow and overflow, in every environment. */
#include "exact_calls.h"
#include "trials.h"

enum { NUMBERS = 9, STEPS = 3 };

/* The precision of a format, and the ends of its exponents. */
typedef struct range {
    int precision, least, most;
} range;
static const range ranges[] = {[ACCORD_F64] = {53, -1074, 1024}, [ACCORD_F32] = {24, -149, 128}};

static double draw_number(int format, int kind)
{
    range r = ranges[format];
    double unit = ldexp(1, -r.precision), any = sign() * accordi_rng_unit(&rng);
    switch (kind) {
    case 0: /* of any exponent */
        return ldexp(any, r.least + below(r.most - r.least));
    case 1:
        return ldexp(any, below(2 * r.precision) - r.precision);
    case 2: /* powers of two: ties */
        return ldexp(sign(), below(140) - 70);
    case 3: /* and what decides them */
        return ldexp(sign(), -below(4) * r.precision - below(3));
    case 4: /* subnormal */
        return ldexp(below(17) - 8, below(3) * r.precision + r.least);
    case 5:
        return below(2) ? 0.0 : -0.0;
    case 6: /* the greatest */
        return sign() * ldexp(1 - unit * below(3), r.most - below(5));
    case 7:
        return ldexp(any, below(4));
    default: /* odd and even, beside ties */
        return sign() * ldexp(1 + 2 * unit * below(3), (below(3) - 1) * (r.precision + 1));
    }
}

static double of_format(int format, double x)
{
    return format == ACCORD_F64 ? x
                                : fmax(fmin((double)(float)x, (double)FLT_MAX), -(double)FLT_MAX);
}

typedef struct few {
    int format;
    bool product;
    size_t n;
    ptrdiff_t stride;
    char x[NUMBERS * STEPS * sizeof(double)], y[NUMBERS * STEPS * sizeof(double)];
} few;

static few draw_few(void)
{
    enum { KINDS = 9 };
    few f = {.format = below(2) ? ACCORD_F64 : ACCORD_F32, .product = !below(3)};
    f.n = 1 + (size_t)below(NUMBERS);
    f.stride = below(3) ? 1 : 1 + below(STEPS);
    int kind = below(KINDS);
    bool mixed = !below(3), pairs = !below(3);
    double x[NUMBERS], y[NUMBERS];
    for (size_t i = 0; i < f.n; i++) {
        x[i] = draw_number(f.format, mixed ? below(KINDS) : kind);
        y[i] = draw_number(f.format, mixed ? below(KINDS) : kind);
        if (pairs && i % 2) {
            x[i] = -x[i - 1];
            y[i] = y[i - 1];
        }
    }
    for (size_t i = f.n - 1; i > 0; i--) {
        size_t j = (size_t)below((int)i + 1);
        double a = x[i], b = y[i];
        x[i] = x[j];
        y[i] = y[j];
        x[j] = a;
        y[j] = b;
    }
    for (size_t i = 0; i < f.n; i++) {
        ptrdiff_t at = (ptrdiff_t)i * f.stride * size_of_format(f.format);
        put_number(f.format, f.x + at, of_format(f.format, x[i]));
        put_number(f.format, f.y + at, of_format(f.format, y[i]));
    }
    return f;
}

static uint64_t sum_of(const few *f, const accord_exact_options *options)
{
    double wide[1] = {0};
    float single[2] = {0};
    accord_error error;
    enum accord_status status;
    const void *x = f->x, *y = f->y;
    if (f->format == ACCORD_F64)
        status = f->product
                     ? accord_dot_exact_f64(f->n, x, f->stride, y, f->stride, options, wide, &error)
                     : accord_sum_exact_f64(f->n, x, f->stride, options, wide, &error);
    else
        status = f->product ? accord_dot_exact_f32(f->n, x, f->stride, y, f->stride, options,
                                                   single, &error)
                            : accord_sum_exact_f32(f->n, x, f->stride, options, single, &error);
    if (status)
        fail_msg("%s", error.text);
    return f->format == ACCORD_F64 ? get_pattern(ACCORD_F64, wide)
                                   : get_pattern(ACCORD_F32, single);
}

static void test_few(void **state)
{
    (void)state;
    accord_exact_options plain;
    accord_exact_options_init(&plain);
    plain.method = ACCORD_EXACT_SUPERACCUMULATOR;
    for (size_t t = 0; t < trials(200000); t++) {
        few f = draw_few();
        uint64_t expected = sum_of(&f, &plain);
        environment e = enter_any_environment();
        uint64_t found = sum_of(&f, NULL);
        leave_environment(&e);
        if (found == expected)
            continue;
        for (size_t i = 0; i < f.n; i++) {
            ptrdiff_t at = (ptrdiff_t)i * f.stride * size_of_format(f.format);
            print_message("# %" PRIx64 " %" PRIx64 "\n", get_pattern(f.format, f.x + at),
                          get_pattern(f.format, f.y + at));
        }
        fail_msg("%s of %zu, format %d: found %" PRIx64 ", expected %" PRIx64,
                 f.product ? "dot" : "sum", f.n, f.format, found, expected);
    }
}

int main(void)
{
    accordi_rng_init(&rng, trials_seed());
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_few)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
