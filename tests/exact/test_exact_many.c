/* Exact sums of millions of like terms: what kernels keep in lanes, bins and limbs between two
 * carries grows as far as it can. A few numbers repeat, so that integers say what comes out. */
#include "exact_integers.h"
#include "exact_pairs.h"
#include "exact_ways.h"
#include "trials.h"

enum { MANY = (1 << 21) + (1 << 15), LONGEST_PERIOD = 16 };

typedef struct repeated {
    const kind *kind;
    double x[LONGEST_PERIOD], y[LONGEST_PERIOD];
    size_t period, n;
} repeated;

static double room[2][MANY];

/* The numbers themselves, in their format. */
static void spread(const repeated *r)
{
    for (int a = 0; a < 1 + r->kind->dot; a++)
        for (size_t i = 0; i < r->n; i++) {
            double value = (a ? r->y : r->x)[i % r->period];
            if (r->kind->format == ACCORD_F32)
                ((float *)room[a])[i] = (float)value;
            else if (r->kind->size == 2)
                ((uint16_t *)room[a])[i] = (uint16_t)accord_format_encode(r->kind->format, value);
            else
                room[a][i] = value;
        }
}

static void add_period(integer_sum *sum, const repeated *r, size_t n)
{
    if (r->kind->dot)
        integer_products(sum, r->x, r->y, n);
    else
        integer_terms(sum, r->x, n);
}

/* So many periods, and the beginning of one. */
static void expect(const repeated *r, accord_exact *small, accord_exact_wide *wide)
{
    integer_sum whole, rest;
    integer_init(&whole);
    integer_init(&rest);
    add_period(&whole, r, r->period);
    add_period(&rest, r, r->n % r->period);
    mpz_mul_ui(whole.units, whole.units, r->n / r->period);
    mpz_add(whole.units, whole.units, rest.units);
    memset(whole.count, 0, sizeof whole.count);
    whole.count[ACCORD_EXACT_TERMS] = (int64_t)r->n;
    integer_canonical_wide(wide, &whole);
    if (!r->kind->needs_wide)
        integer_canonical(small, &whole);
    integer_clear(&whole);
    integer_clear(&rest);
}

static void check(const repeated *r, const accord_exact *small, const accord_exact_wide *wide,
                  const accordi_exact_kernels *row, const accord_exact_options *how)
{
    accumulator sum;
    accumulator_init(&sum, r->kind->needs_wide || below(2));
    accordi_environment before = accordi_environment_enter();
    bool taken = r->kind->direct(row, how, view_of(&sum), r->n, room[0], room[1]);
    accordi_environment_leave(before);
    accord_exact_canonical(&sum.small);
    accord_exact_wide_canonical(&sum.wide);
    if (taken && (sum.is_wide ? memcmp(&sum.wide, wide, sizeof *wide)
                              : memcmp(&sum.small, small, sizeof *small)))
        fail_msg("%s, n %zu, kernels %s, %s of %d: another sum; period %zu: %a %a, %a %a, …",
                 r->kind->name, r->n, row->name, accord_exact_method_name(how->method),
                 how->expansion, r->period, r->x[0], r->y[0], r->x[1], r->y[1]);
}

static bool is_row(const accordi_exact_kernels *row, const char *name)
{
    return !strcmp(row->name, name);
}

/* By every row and method; but by what is slow only now and then. */
static void check_all(const repeated *r, bool window_only)
{
    accord_exact small;
    accord_exact_wide wide;
    spread(r);
    expect(r, &small, &wide);
    const accordi_exact_kernels *row;
    for (size_t i = 0; (row = usable_row(i)); i++)
        for (int m = 0; m < ACCORD_EXACT_METHOD_COUNT; m++) {
            accord_exact_options how = any_options();
            how.method = (enum accord_exact_method)m;
            if (window_only && (m != ACCORD_EXACT_WINDOW || is_row(row, "scalar") ||
                                (is_row(row, "generic") && below(4))))
                continue;
            if (m == ACCORD_EXACT_SUPERACCUMULATOR || (m == ACCORD_EXACT_EXPANSION && below(3)))
                continue;
            if (is_row(row, "scalar") && m != ACCORD_EXACT_AUTO && m != ACCORD_EXACT_EXPANSION)
                continue;
            check(r, &small, &wide, row, &how);
        }
}

/* A leading bit and one more: at some distance between them every remainder is a half of one sign,
 * and a fold gains as much as it can in each block. In products of f32 two more come in between. */
static void draw_tail(repeated *r, int tail, double s)
{
    int e = below(100) - 50, more = below(2) ? 53 - tail : 1 + below(52);
    r->x[0] = s * (ldexp(1, e) + ldexp(1, e - tail));
    r->y[0] = below(3) ? 1 : 1 + ldexp(1, -more) + (below(2) ? 0x1p-52 : 0);
    if (r->kind->format == ACCORD_F32) {
        int a = tail / 2 - below(tail < 23 ? tail / 2 + 1 : 24 - (tail + 1) / 2);
        r->x[0] = s * (ldexp(1, e) + ldexp(1, e - a));
        r->y[0] = 1 + ldexp(1, a - tail);
    }
}

static void test_tails(void **state)
{
    (void)state;
    static const int row[] = {0, 0, 1, 3}; /* sums both ways, dots, dots of f32 */
    for (size_t t = 0; t < trials(4 * 46); t++) {
        repeated r = {.kind = all_kinds + row[t % 4], .period = 1, .n = MANY};
        draw_tail(&r, 1 + (int)(t / 4 % 46), t % 4 > 1 ? sign() : t % 4 ? -1 : 1);
        check_all(&r, true);
    }
}

static double heaviest(int e)
{
    static const uint64_t fractions[] = {0xfffffffffffff, 0xffffffc000000, 0x3ffffff, 0x4000000};
    return ldexp(from_bits(bits_of(1) | fractions[below(4)]), e);
}

/* All bits set, of one sign, within a few exponents. */
static void draw_heavy(repeated *r)
{
    bool narrow = r->kind->format == ACCORD_F32;
    int e = narrow ? below(200) - 100 : below(1960) - 980, range = 1 + below(2) * below(8);
    double s = sign();
    r->period = (size_t)(1 + below(2) * below(LONGEST_PERIOD));
    for (size_t i = 0; i < r->period; i++) {
        double x = s * heaviest(e + below(range)), y = heaviest(below(range) - (e < 0 ? e : 0));
        r->x[i] = narrow ? accord_format_round(ACCORD_F32, ACCORD_TOWARD_ZERO, x) : x;
        r->y[i] = narrow ? accord_format_round(ACCORD_F32, ACCORD_TOWARD_ZERO, y) : y;
    }
}

/* The greatest of a bin of eight exponents, and now and then the least, which ends in a one. */
static void draw_bin(repeated *r)
{
    bool narrow = r->kind->format == ACCORD_F32;
    int low = 8 * (narrow ? below(20) - 10 : below(200) - 100) + 1, ones = below(2) ? 26 : 52;
    double s = sign(), y = below(2) ? 1 : 1 + ldexp(1, -(1 + below(52)));
    r->period = (size_t)(LONGEST_PERIOD - 1 - 2 * below(3)); /* odd: sums end in any bit */
    for (size_t i = 0; i < r->period; i++) {
        double x = below(4) ? 0x1.7fffffffffffep0 : 1 + ldexp(1, -1) - ldexp(1, -ones);
        r->x[i] = s * ldexp(i % 5 ? x : 1 + ldexp(1, -ones), low + (i % 5 ? 7 : 0));
        r->y[i] = y;
        if (narrow) {
            r->x[i] = accord_format_round(ACCORD_F32, ACCORD_TOWARD_ZERO, r->x[i]);
            r->y[i] = accord_format_round(ACCORD_F32, ACCORD_TOWARD_ZERO, y);
        }
    }
}

/* The greatest numbers of a window that is held open by the least. */
static void draw_span(repeated *r)
{
    bool narrow = r->kind->format == ACCORD_F32;
    int e = below(100) - 20, apart = narrow ? 18 + below(6) + below(2) * 45 : any_width();
    double s = sign(), heavy = narrow ? 0x1.fffffep0 : 0x1.fffffffffffffp0;
    r->period = LONGEST_PERIOD - 1;
    for (size_t i = 0; i < r->period; i++) {
        r->x[i] = s * ldexp(heavy, e - (i == 3 ? apart : 0));
        r->y[i] = below(2) ? 1 : heavy;
    }
}

static void test_heavy(void **state)
{
    (void)state;
    void (*const draw[])(repeated *) = {draw_heavy, draw_bin, draw_span};
    for (size_t t = 0; t < trials(12); t++) {
        repeated r = {.kind = all_kinds + t % 4, .n = MANY - (size_t)below(5000)};
        draw[t / 4 % 3](&r);
        check_all(&r, false);
    }
}

/* The greatest numbers of a format of 16 bits, and a few that end in its last bit. */
static void test_narrow(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(6); t++) {
        repeated r = {.kind = all_kinds + KINDS - 2 + t % 2, .n = MANY - (size_t)below(5000)};
        const accord_format_info *format = accord_format_get(r.kind->format);
        double s = sign(), least = ldexp(1, format->min_exponent - format->precision + 1);
        r.period = (size_t)(LONGEST_PERIOD - 1 - 2 * below(3));
        for (size_t i = 0; i < r.period; i++)
            r.x[i] = s * (i % 5 ? format->greatest : least);
        check_all(&r, false);
    }
}

/* Long enough for all that a driver remembers of blocks before: stretches of like numbers, and of
 * such as fit nowhere. */
static void test_stretches(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(2); t++) {
        integer_sum sum;
        accord_exact small;
        accord_exact_wide wide;
        repeated r = {.kind = all_kinds + t % 2, .n = (1 << 20) - (size_t)below(5000)};
        for (size_t from = 0; from < r.n;) {
            size_t count = (size_t)1 << (6 + below(12));
            count = count < r.n - from ? count : r.n - from;
            void (*const fill[])(double *, size_t) = {fill_1e300,  fill_uniform, fill_1e30,
                                                      fill_moving, fill_mosaic,  fill_sparse};
            fill[below(6)](room[0] + from, count);
            fill[below(6)](room[1] + from, count);
            from += count;
        }
        integer_init(&sum);
        if (r.kind->dot)
            integer_products(&sum, room[0], room[1], r.n);
        else
            integer_terms(&sum, room[0], r.n);
        integer_canonical_wide(&wide, &sum);
        if (!r.kind->dot)
            integer_canonical(&small, &sum);
        integer_clear(&sum);
        const accordi_exact_kernels *row;
        for (size_t i = 0; (row = usable_row(i)); i++) {
            accord_exact_options how = any_options();
            how.method = ACCORD_EXACT_AUTO;
            check(&r, &small, &wide, row, &how);
        }
    }
}

int main(void)
{
    accordi_rng_init(&rng, trials_seed());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tails),
        cmocka_unit_test(test_heavy),
        cmocka_unit_test(test_narrow),
        cmocka_unit_test(test_stretches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
