/* Short arrays. What is served without an accumulator must be what an accumulator gives, in every
 * direction, whatever the stride, the alignment and the environment, and most of it must be served;
 * the kernels' intervals must hold the sum, in every row. */
#include "base/environment.h"
#include "exact/kernels/kernels.h"
#include "exact_pairs.h"
#include "exact_sums.h"
#include "trials.h"
#include <fenv.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

enum { LONG = 9000, F64_SUM = 0, F64_DOT, F32_SUM, F32_DOT, F16_SUM, BF16_SUM };
enum { KERNELS = 4, KINDS = 6 };
static double wide_x[LONG], wide_y[LONG];
static float narrow_x[LONG], narrow_y[LONG];
static uint16_t half_x[LONG], brain_x[LONG];
static char spread_x[8 + 3 * LONG * sizeof(double)], spread_y[sizeof spread_x];

static const struct {
    const char *name;
    int format;
    size_t size;
    const void *x, *y;
} kinds_of_numbers[KINDS] = {
    {"f64 sum", ACCORD_F64, 8, wide_x, NULL},   {"f64 dot", ACCORD_F64, 8, wide_x, wide_y},
    {"f32 sum", ACCORD_F32, 4, narrow_x, NULL}, {"f32 dot", ACCORD_F32, 4, narrow_x, narrow_y},
    {"f16 sum", ACCORD_F16, 2, half_x, NULL},   {"bf16 sum", ACCORD_BF16, 2, brain_x, NULL},
};

static void narrow(size_t n)
{
    for (size_t i = 0; i < n; i++) {
        narrow_x[i] = (float)wide_x[i];
        narrow_y[i] = (float)wide_y[i];
        half_x[i] = (uint16_t)accord_format_encode(ACCORD_F16, wide_x[i]);
        brain_x[i] = (uint16_t)accord_format_encode(ACCORD_BF16, wide_x[i]);
    }
}

static void draw(const char **what, size_t n)
{
    int how = below(4);
    if (how == 0) {
        int f = below(FILLS);
        fills[f].fill(wide_x, n);
        fills[below(2) ? f : below(FILLS)].fill(wide_y, n);
        *what = fills[f].name;
    } else if (how == 1) {
        *what = fill_any(wide_x, n);
        fill_any(wide_y, n);
    } else {
        *what = fill_pairs(wide_x, wide_y, n);
    }
    narrow(n);
}

/* Straight into limbs. */
static void add_terms(accord_exact_wide *sum, int kind, size_t n)
{
    accordi_exact_view view = accordi_exact_of_wide(sum);
    accord_exact_wide_init(sum);
    if (kind == F64_SUM)
        accordi_exact_terms_f64(view, n, wide_x, 1);
    else if (kind == F64_DOT)
        accordi_exact_products_f64(view, n, wide_x, 1, wide_y, 1);
    else if (kind == F32_SUM)
        accordi_exact_terms_f32(view, n, narrow_x, 1);
    else if (kind == F32_DOT)
        accordi_exact_products_f32(view, n, narrow_x, 1, narrow_y, 1);
    else if (kind == F16_SUM)
        accordi_exact_terms_f16(view, n, half_x, 1);
    else
        accordi_exact_terms_bf16(view, n, brain_x, 1);
}

/* At a stride, from any byte on; returns the first element in use. */
static const void *place(char *to, const void *from, size_t n, size_t size, ptrdiff_t stride)
{
    size_t step = (size_t)(stride < 0 ? -stride : stride) * size;
    char *start = to + below((int)size);
    char *first = stride < 0 && n ? start + (n - 1) * step : start;
    for (size_t i = 0; i < n; i++)
        memcpy(first + (ptrdiff_t)i * stride * (ptrdiff_t)size, (const char *)from + i * size,
               size);
    return first;
}

static bool serve(int kind, size_t n, ptrdiff_t stride_x, ptrdiff_t stride_y,
                  const accord_exact_options *how, uint64_t *pattern)
{
    size_t size = kinds_of_numbers[kind].size;
    const void *x = place(spread_x, kinds_of_numbers[kind].x, n, size, stride_x), *y = NULL;
    if (kinds_of_numbers[kind].y)
        y = place(spread_y, kinds_of_numbers[kind].y, n, size, stride_y);
    const uint64_t untouched = 0x0123456789abcdef;
    union {
        uint64_t bits;
        double f64;
        float f32;
        uint16_t f16;
    } out = {untouched};
    bool done = false;
    switch (kind) {
    case F64_SUM:
        done = accordi_exact_short_sum_f64(n, x, stride_x, how, &out.f64);
        break;
    case F64_DOT:
        done = accordi_exact_short_dot_f64(n, x, stride_x, y, stride_y, how, &out.f64);
        break;
    case F32_SUM:
        done = accordi_exact_short_sum_f32(n, x, stride_x, how, &out.f32);
        break;
    case F32_DOT:
        done = accordi_exact_short_dot_f32(n, x, stride_x, y, stride_y, how, &out.f32);
        break;
    case F16_SUM:
        done = accordi_exact_short_sum_f16(n, x, stride_x, how, &out.f16);
        break;
    default:
        done = accordi_exact_short_sum_bf16(n, x, stride_x, how, &out.f16);
    }
    if (!done)
        assert_true(out.bits == untouched);
    *pattern = 0;
    memcpy(pattern, &out, size); /* little-endian */
    return done;
}

static size_t served[KINDS], asked[KINDS], taken[KERNELS], known[KERNELS];

static void check(int kind, size_t n, const char *what)
{
    static const int strides[] = {1, 1, 1, 2, 3, -1, -2};
    accord_exact_wide sum;
    add_terms(&sum, kind, n);
    for (int r = 0; r < ROUNDINGS; r++) {
        accord_exact_options how;
        accord_exact_options_init(&how);
        how.rounding = (enum accord_exact_rounding)r;
        how.threads = below(3);
        uint64_t pattern;
        bool done = serve(kind, n, strides[below(7)], strides[below(7)], r ? &how : NULL, &pattern);
        served[kind] += done;
        asked[kind]++;
        char title[200];
        snprintf(title, sizeof title, "%s, %s", kinds_of_numbers[kind].name, what);
        if (done)
            same_pattern(pattern, wide_pattern_of(&sum, kinds_of_numbers[kind].format, r),
                         kinds_of_numbers[kind].format, r, title, n);
    }
}

static void test_any(void **state)
{
    (void)state;
    memset(served, 0, sizeof served);
    memset(asked, 0, sizeof asked);
    for (size_t t = 0; t < trials(20000); t++) {
        size_t n = below(3) ? (size_t)below(70) : any_length(LONG);
        const char *what;
        draw(&what, n);
        for (int k = 0; k < KINDS; k++)
            check(k, n, what);
    }
    for (int k = 0; k < KINDS; k++)
        printf("# %s: %zu of %zu served\n", kinds_of_numbers[k].name, served[k], asked[k]);
}

/* Wide ranges, ties, zeros have no reason to take the long way, and all of them up to 64 terms are
 * served; beyond, an exact zero or a tie may go unserved. */
static void test_served(void **state)
{
    (void)state;
    static const char *const tame[] = {"uniform", "1e15",  "1e30",     "normal",
                                       "money",   "zeros", "integers", "same exponent"};
    enum { TAME = sizeof tame / sizeof *tame };
    bool lanes = accordi_exact_kernels_best()->short_sum_f64;
    size_t missed = 0, tried = 0;
    for (size_t t = 0; t < trials(300); t++)
        for (int f = 0; f < FILLS; f++) {
            size_t row = 0;
            while (row < TAME && strcmp(fills[f].name, tame[row]) != 0)
                row++;
            if (row == TAME)
                continue;
            size_t n = 1 + (size_t)below(lanes && t % 2 ? 500 : 64);
            fills[f].fill(wide_x, n);
            narrow(n);
            for (int k = 0; k <= (row == TAME - 1 ? F64_SUM : F32_SUM); k += F32_SUM) {
                uint64_t pattern;
                bool done = serve(k, n, 1, 1, NULL, &pattern);
                if (!done && n <= 64)
                    fail_msg("%s, %s, n %zu: not served", kinds_of_numbers[k].name, tame[row], n);
                tried++;
                missed += !done && row != 5;
            }
        }
    if (missed > tried / 50)
        fail_msg("%zu of %zu not served", missed, tried);
}

static void test_not_served(void **state)
{
    (void)state;
    const double x[2] = {1, 2};
    double out = 7;
    accord_exact_options how;
    accord_exact_options_init(&how);
    assert_true(accordi_exact_short_sum_f64(2, x, 1, &how, &out) && out == 3);
    assert_true(accordi_exact_short_sum_f64(0, x, 1, NULL, &out) && bits_of(out) == bits_of(-0.0));
    out = 7;
    assert_false(accordi_exact_short_sum_f64(2, NULL, 1, NULL, &out));
    assert_false(accordi_exact_short_dot_f64(2, x, 1, NULL, 1, NULL, &out));
    assert_false(accordi_exact_short_sum_f64(2, x, 1, NULL, NULL));
    for (int i = 0; i < 5; i++) {
        accord_exact_options_init(&how);
        int wrong = i == 0 ? ROUNDINGS : i == 1 ? 1 : 9;
        if (i == 0)
            how.rounding = (enum accord_exact_rounding)wrong;
        else if (i <= 2)
            how.expansion = wrong;
        else if (i == 3)
            how.threads = -1;
        else
            how.method = ACCORD_EXACT_SUPERACCUMULATOR;
        assert_false(accordi_exact_short_sum_f64(2, x, 1, &how, &out));
    }
    assert_true(out == 7);
}

/* Rounding modes, flags that flush, flags that are set or not: of no effect, and left as they are.
 */
static void test_environment(void **state)
{
    (void)state;
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    for (size_t t = 0; t < trials(2000); t++) {
        size_t n = (size_t)below(100);
        const char *what;
        draw(&what, n);
        for (int k = 0; k < KINDS; k++) {
            uint64_t plain = 0, found = 0;
            bool done = serve(k, n, 1, 1, NULL, &plain);
            fenv_t kept;
            fegetenv(&kept);
            fesetround(modes[below(4)]);
            feclearexcept(FE_ALL_EXCEPT);
#ifdef __SSE2__
            unsigned control = (_mm_getcsr() & ~0x3fu) | (below(2) ? 0x8040 : 0);
            _mm_setcsr(control);
#endif
            bool again = serve(k, n, 1, 1, NULL, &found);
#ifdef __SSE2__
            unsigned after = _mm_getcsr();
#else
            int after = fetestexcept(FE_ALL_EXCEPT), control = 0;
#endif
            fesetenv(&kept);
            assert_int_equal(done, again);
            assert_true(plain == found);
            assert_int_equal(after, control);
        }
    }
}

/* The kernels. */

/* value * 2^exponent, in parts of 30 bits */
static void subtract_scaled(accord_exact_wide *sum, int128 value, int exponent)
{
    for (; value; value /= 1 << 30, exponent += 30) {
        accord_exact_wide part;
        accord_exact_wide_init(&part);
        accord_exact_wide_add_f64(&part, (double)(int64_t)(value % (1 << 30)));
        assert_int_equal(accord_exact_wide_scale(&part, exponent, NULL), ACCORD_OK);
        assert_int_equal(accord_exact_wide_subtract(sum, &part, NULL), ACCORD_OK);
    }
}

/* Three folds may begin with nothing, with what two have found, or with a bound that is wrong. */
static bool run_short(accordi_exact_short_kernel *kernel, size_t n, const void *x, const void *y,
                      int folds, accordi_exact_close *out)
{
    const accordi_exact_close nothing = {0, 0, 0, INT32_MIN / 2};
    int how = folds == 3 ? below(3) : 0;
    *out = nothing;
    if (how == 1 && !kernel(n, x, y, 2, out))
        *out = nothing;
    if (how == 2)
        out->unit = below(3000) - 1500;
    return kernel(n, x, y, folds, out);
}

static void check_interval(const accordi_exact_kernels *row, int kind, size_t n, const char *what)
{
    accordi_exact_short_kernel *kernels[KERNELS] = {row->short_sum_f64, row->short_dot_f64,
                                                    row->short_sum_f32, row->short_dot_f32};
    accordi_exact_close f;
    const void *x = kinds_of_numbers[kind].x, *y = kinds_of_numbers[kind].y;
    asked[kind]++;
    int folds = kind >= F32_SUM ? below(4) : 2 + below(2);
    accordi_environment before = accordi_environment_enter();
    bool done = kernels[kind] && run_short(kernels[kind], n, x, y, folds, &f);
    accordi_environment_leave(before);
    if (!done)
        return;
    served[kind]++;
    accord_exact_wide rest;
    add_terms(&rest, kind, n);
    subtract_scaled(&rest, f.high, f.unit + ACCORDI_EXACT_FOLD);
    subtract_scaled(&rest, f.low, f.unit);
    double size = fabs(accord_exact_wide_f64(&rest, ACCORD_EXACT_UP));
    size = fmax(size, fabs(accord_exact_wide_f64(&rest, ACCORD_EXACT_DOWN)));
    if (!(size <= ldexp((double)f.slack, f.unit)))
        fail_msg("%s, %s, %s, n %zu: off by %a, said %" PRIu64 " units of 2^%d", row->name,
                 kinds_of_numbers[kind].name, what, n, size, f.slack, f.unit);
}

static bool is_finite(int kind, size_t i)
{
    switch (kind) {
    case F64_SUM:
        return isfinite(wide_x[i]);
    case F32_SUM:
        return isfinite(narrow_x[i]);
    case F32_DOT:
        return isfinite(narrow_x[i]) && isfinite(narrow_y[i]);
    default:
        return isfinite(wide_x[i]) && isfinite(wide_y[i]);
    }
}

/* Blocks take finite terms. Of products of f64 that overflow they may take some, as integers. */
static bool is_for_blocks(int kind, size_t i)
{
    return is_finite(kind, i) && (kind != F64_DOT || isfinite(wide_x[i] * wide_y[i]));
}

/* The sum of the blocks that a row names must be that of the terms. */
static void check_blocks(const accordi_exact_kernels *row, int kind, size_t n, const char *what)
{
    accordi_exact_integer block[ACCORDI_EXACT_BLOCKS];
    accord_exact_wide rest;
    uint64_t used;
    bool product = kind == F64_DOT || kind == F32_DOT, single = kind == F32_SUM || kind == F32_DOT;
    bool expected = true, finite = true;
    if (!row->blocks[product][single] ||
        n > (kind == F64_DOT ? row->blocks_dot_to : ACCORDI_EXACT_BLOCKS_TERMS))
        return;
    for (size_t i = 0; i < n; i++) {
        expected = expected && is_for_blocks(kind, i);
        finite = finite && is_finite(kind, i);
    }
    bool done = row->blocks[product][single](n, kinds_of_numbers[kind].x, kinds_of_numbers[kind].y,
                                             block, &used);
    /* so many products may be left to windows */
    expected = expected && !(kind == F64_DOT && n > ACCORDI_EXACT_BLOCKS_TERMS / 2);
    if (done ? !finite : expected)
        fail_msg("%s, %s, %s, n %zu: %s", row->name, kinds_of_numbers[kind].name, what, n,
                 done ? "is not for blocks" : "refused");
    if (!done)
        return;
    taken[kind]++;
    add_terms(&rest, kind, n);
    for (int i = 0; i < ACCORDI_EXACT_BLOCKS; i++) {
        if (!(used >> i & 1))
            continue;
        int128 value = (int128)((uint128)block[i][1] << 64 | block[i][0]);
        subtract_scaled(&rest, value, 64 * i + ACCORDI_EXACT_BLOCKS_UNIT);
    }
    if (accord_exact_wide_f64(&rest, ACCORD_EXACT_NEAREST_EVEN) != 0)
        fail_msg("%s, %s, %s, n %zu: blocks are wrong", row->name, kinds_of_numbers[kind].name,
                 what, n);
}

/* The rounded sum lies between both ends, and is the sum itself where the row says so. */
static void check_few(const accordi_exact_kernels *row, int kind, size_t n, const char *what)
{
    const bool product = kind == F64_DOT || kind == F32_DOT;
    accordi_exact_few_kernel *kernel = row->few[product][kind >= F32_SUM];
    accordi_exact_ends ends;
    if (!kernel || !n)
        return;
    accordi_environment before = accordi_environment_enter();
    bool done = kernel(n, kinds_of_numbers[kind].x, kinds_of_numbers[kind].y, &ends);
    accordi_environment_leave(before);
    bool finite = true;
    for (size_t i = 0; i < n; i++)
        finite = finite && is_finite(kind, i);
    if (!done || !finite) {
        assert_true(!done || (isnan(ends.from) && isnan(ends.to)));
        return;
    }
    known[kind] += ends.from == ends.to;
    accord_exact_wide sum;
    add_terms(&sum, kind, n);
    double rounded = accord_exact_wide_f64(&sum, ACCORD_EXACT_NEAREST_EVEN);
    accord_exact_wide_add_f64(&sum, -rounded);
    bool is_sum = accord_exact_wide_f64(&sum, ACCORD_EXACT_UP) == 0;
    if (!(ends.from <= rounded && rounded <= ends.to) || (ends.exact && !is_sum))
        fail_msg("%s, %s, %s, n %zu: %a is not in [%a, %a]%s", row->name,
                 kinds_of_numbers[kind].name, what, n, rounded, ends.from, ends.to,
                 ends.exact ? ", or not the sum" : "");
}

static void test_kernels(void **state)
{
    (void)state;
    memset(served, 0, sizeof served);
    memset(asked, 0, sizeof asked);
    memset(taken, 0, sizeof taken);
    memset(known, 0, sizeof known);
    bool has_few = false;
    const accordi_exact_kernels *row;
    for (size_t t = 0; t < trials(5000); t++) {
        size_t n = below(3) ? (size_t)below(70) : any_length(LONG);
        const char *what;
        draw(&what, n);
        for (size_t r = 0; (row = accordi_exact_kernels_at(r)); r++) {
            for (int k = 0; k < KERNELS && accordi_exact_kernels_usable(row); k++) {
                check_interval(row, k, n, what);
                check_few(row, k, n, what);
                has_few = has_few || row->few[0][0];
                if (n)
                    check_blocks(row, k, n, what);
            }
        }
    }
    for (int k = 0; k < KERNELS; k++) {
        assert_true(served[k] > asked[k] / 10); /* the portable row at least */
        assert_true(taken[k] > trials(5000) / 20);
        assert_true(!has_few || known[k] > trials(5000) / 20);
    }
}

/* Terms of few exponents and mostly one sign, so that bins for them overflow, among some that lie
 * so far from all others that the terms are put into bins; now and then one is not finite. Factors
 * share the distances, so that products are as small as may be. */
static void test_crowded(void **state)
{
    (void)state;
    memset(taken, 0, sizeof taken);
    const accordi_exact_kernels *row;
    for (size_t t = 0; t < trials(2000); t++) {
        size_t n = 40 + (size_t)below(ACCORDI_EXACT_BLOCKS_TERMS - 39);
        int width = 1 + below(9), sides = below(3), bottom = below(2040 - width) - 1022;
        for (size_t i = 0; i < n; i++) {
            double m = 1 + accordi_rng_unit(&rng), factor = 1 + accordi_rng_unit(&rng);
            int e = below(5) ? bottom + below(width) : below(2040) - 1022;
            int half = sides == 2 ? e : sides ? e / 2 : 0;
            wide_x[i] = scalbn(below(50) ? m : -m, e - half);
            wide_y[i] = scalbn(factor, half);
        }
        if (!below(8))
            wide_x[below((int)n)] = below(2) ? INFINITY : NAN;
        narrow(n);
        for (size_t r = 0; (row = accordi_exact_kernels_at(r)); r++)
            for (int k = 0; k < 2 && accordi_exact_kernels_usable(row); k++)
                check_blocks(row, k, n, "crowded");
    }
    assert_true(taken[0] > trials(2000) / 2);
}

/* Sorted by size, so that the first terms lie close together and those that follow do not; or zeros
 * first, which leave no rest either. */
static void test_sorted(void **state)
{
    (void)state;
    memset(served, 0, sizeof served);
    memset(asked, 0, sizeof asked);
    size_t ours = 0;
    for (size_t t = 0; t < trials(200); t++) {
        size_t n = 5000 + (size_t)below(LONG - 5000), zeros = below(2) ? (size_t)below(4500) : 0;
        int range = 1 + below(2040), bottom = below(2046 - range) - 1022;
        bool down = below(2), all_zero = !below(20);
        for (size_t i = 0; i < n; i++) {
            size_t place = down ? n - 1 - i : i;
            double size =
                ldexp(1 + below(1 << 30) * 0x1p-30, bottom + (int)((size_t)range * place / n));
            wide_x[i] = (i < zeros || all_zero ? 0 : size) * (below(2) ? 1 : -1);
            wide_y[i] = below(2) ? 1 : ldexp(1 + below(1 << 30) * 0x1p-30, -below(30));
        }
        narrow(n);
        for (int k = 0; k < KERNELS; k++)
            check(k, n, "sorted");
        ours += !all_zero;
    }
    const accordi_exact_kernels *best = accordi_exact_kernels_best();
    if (best->short_sum_f64 && !(best->mixed && best->mixed < LONG)) /* seven of ten, of many */
        assert_true(3 * served[F64_SUM] > ours * ROUNDINGS);
}

/* Far greater terms late in the array, which cancel in their own lane: folds that were not set for
 * them would come back from where their units are others. */
static void test_growth(void **state)
{
    (void)state;
    const accordi_exact_kernels *row;
    for (size_t t = 0; t < trials(300); t++) {
        size_t n = 3000 + (size_t)below(LONG - 3000), lane = 32, at = 2100 + (size_t)below(800);
        log_uniform(wide_x, n, 10 + below(30));
        log_uniform(wide_y, n, 10);
        for (int i = below(3); i >= 0; i--, at += 1 + (size_t)below(20)) {
            wide_x[at] = ldexp(1 + accordi_rng_unit(&rng), 40 + below(200));
            wide_x[at + lane] = -wide_x[at];
            wide_y[at] = wide_y[at + lane] = 1;
        }
        narrow(n);
        for (int k = 0; k < KERNELS; k++)
            check(k, n, "growth");
        for (size_t r = 0; (row = accordi_exact_kernels_at(r)); r++)
            for (int k = 0; k < KERNELS && accordi_exact_kernels_usable(row); k++)
                check_interval(row, k, n, "growth");
    }
}

/* Like terms whose sum is exact, then greater ones, exact too: not a bit of the first may go unsaid
 * when the units change. And arrays with a stride just longer than a block that is gathered. */
static void test_changes(void **state)
{
    (void)state;
    const accordi_exact_kernels *row;
    for (size_t t = 0; t < trials(100); t++) {
        size_t n = 4500 + (size_t)below(LONG - 4500);
        for (size_t i = 0; i < n; i++) {
            bool late = i > 4200;
            wide_x[i] = sign() * ldexp(1 + below(1 << 20), late ? 20 : -60 - below(20));
            wide_y[i] = 1;
        }
        narrow(n);
        for (int k = 0; k < KERNELS; k++)
            check(k, n, "changes");
        for (size_t r = 0; (row = accordi_exact_kernels_at(r)); r++)
            for (int k = 0; k < KERNELS && accordi_exact_kernels_usable(row); k++)
                check_interval(row, k, n, "changes");
    }
    size_t arrays = 0, gathered = 0;
    for (size_t n = 500; n < 1100; n += n % 512 < 20 ? 1 : 1 + (size_t)below(4)) {
        uint64_t pattern;
        fill_normal(wide_x, n);
        check(F64_SUM, n, "gathered");
        arrays++;
        gathered += serve(F64_SUM, n, 2, 1, NULL, &pattern);
    }
    if (accordi_exact_kernels_best()->short_sum_f64) /* but for sums close to zero or to a tie */
        assert_true(gathered > arrays - arrays / 16);
}

/* A NaN, an infinity or an overflowing product anywhere is noticed. */
static void test_special(void **state)
{
    (void)state;
    const double odd[] = {(double)NAN, -(double)NAN, (double)INFINITY, -(double)INFINITY};
    const accordi_exact_kernels *row;
    accordi_exact_close f;
    for (size_t n = 1; n < 100; n++) {
        fill_uniform(wide_x, n);
        fill_uniform(wide_y, n);
        size_t at = (size_t)below((int)n);
        wide_x[at] = odd[below(4)];
        narrow(n);
        uint64_t pattern;
        for (int k = 0; k < KINDS; k++)
            assert_false(serve(k, n, 1, 1, NULL, &pattern));
        for (size_t r = 0; (row = accordi_exact_kernels_at(r)); r++)
            if (accordi_exact_kernels_usable(row) && row->short_sum_f64) {
                assert_false(run_short(row->short_sum_f64, n, wide_x, NULL, 2 + below(2), &f));
                assert_false(row->short_dot_f64 &&
                             run_short(row->short_dot_f64, n, wide_x, wide_y, 2 + below(2), &f));
                assert_false(run_short(row->short_sum_f32, n, narrow_x, NULL, 2 + below(2), &f));
                assert_false(
                    run_short(row->short_dot_f32, n, narrow_x, narrow_y, 2 + below(2), &f));
            }
    }
}

/* On threads, and in blocks that are gathered. */
static void test_long(void **state)
{
    (void)state;
    enum { MANY = 300000 };
    double *x = malloc(sizeof *x * MANY), *y = malloc(sizeof *y * MANY);
    assert_true(x && y);
    size_t done = 0;
    for (size_t t = 0; t < trials(60); t++) {
        size_t n = 60000 + (size_t)below(240000), step = 1 + (size_t)below(3);
        fill_any(x, n);
        fill_any(y, n);
        n /= step;
        accord_exact_options how;
        accord_exact_options_init(&how);
        how.threads = below(70);
        how.rounding = (enum accord_exact_rounding)below(ROUNDINGS);
        accord_exact_wide sum, dot;
        accord_exact_wide_init(&sum);
        accord_exact_wide_init(&dot);
        accordi_exact_terms_f64(accordi_exact_of_wide(&sum), n, x, (ptrdiff_t)step);
        accordi_exact_products_f64(accordi_exact_of_wide(&dot), n, x, (ptrdiff_t)step, y, 1);
        double out;
        if (accordi_exact_short_sum_f64(n, x, (ptrdiff_t)step, &how, &out))
            same_pattern(bits_of(out), wide_pattern_of(&sum, ACCORD_F64, (int)how.rounding),
                         ACCORD_F64, (int)how.rounding, "long sum", n),
                done++;
        if (accordi_exact_short_dot_f64(n, x, (ptrdiff_t)step, y, 1, &how, &out))
            same_pattern(bits_of(out), wide_pattern_of(&dot, ACCORD_F64, (int)how.rounding),
                         ACCORD_F64, (int)how.rounding, "long dot", n),
                done++;
    }
    printf("# %zu done\n", done);
    assert_true(!accordi_exact_kernels_best()->short_sum_f64 || done);
    free(x);
    free(y);
}

int main(void)
{
    accordi_rng_init(&rng, trials_seed());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any),        cmocka_unit_test(test_served),
        cmocka_unit_test(test_not_served), cmocka_unit_test(test_environment),
        cmocka_unit_test(test_kernels),    cmocka_unit_test(test_sorted),
        cmocka_unit_test(test_growth),     cmocka_unit_test(test_changes),
        cmocka_unit_test(test_special),    cmocka_unit_test(test_long),
        cmocka_unit_test(test_crowded),
    };
    return cmocka_run_group_tests_name("short sums", tests, NULL, NULL);
}
