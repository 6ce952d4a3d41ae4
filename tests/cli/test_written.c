/* Written numbers: every decimal is read as strtod reads it, whatever way it takes; decimal sums
 * against integers of GMP, and their roundings in all formats and directions against MPFR. */
#include "../exact/exact_sums.h"
#include "cli/numbers/decimal.h"
#include "cli/numbers/numbers.h"
#include "cli/numbers/written.h"
#include "trials.h"
#include <gmp.h>

/* What the files of the command under test need of it. */
int cli_signal(void)
{
    return 0;
}

static enum cli_written_as read_word(const char *text, double *x)
{
    char copy[2200];
    size_t length = strlen(text);
    assert_true(length < sizeof copy);
    memcpy(copy, text, length + 1);
    copy[length] = '7'; /* what stands behind does not matter */
    enum cli_written_as as = cli_written(copy, length, false, x);
    assert_int_equal(copy[length], '7');
    return as;
}

static void as_strtod(const char *text)
{
    double found, wanted = strtod(text, NULL);
    enum cli_written_as as = read_word(text, &found);
    if (as != (isfinite(wanted) ? CLI_WRITTEN_NUMBER : CLI_WRITTEN_BEYOND) ||
        bits_of(found) != bits_of(wanted))
        fail_msg("%s: found %a, strtod gives %a", text, found, wanted);
}

/* ---- reading ---- */

static void put_digits(char *text, int digits)
{
    size_t at = strlen(text);
    for (int i = 0; i < digits; i++)
        text[at++] = (char)('0' + (below(3) ? below(10) : below(2) * 9));
    text[at] = '\0';
}

/* Signs, zeros in front and behind, points anywhere, exponents or none. */
static void any_decimal(char *text, int most_digits, int most_exponent)
{
    int whole = below(most_digits + 1), behind = below(most_digits + 1);
    strcpy(text, below(2) ? "-" : below(4) ? "" : "+");
    strncat(text, "000", (size_t)(below(4) ? 0 : below(4)));
    put_digits(text, whole + (whole + behind == 0));
    if (behind || below(2))
        strcat(text, ".");
    strncat(text, "00000", behind && below(3) == 0 ? (size_t)below(6) : 0);
    put_digits(text, behind);
    strncat(text, "000", behind && below(3) == 0 ? (size_t)below(4) : 0);
    if (below(2))
        sprintf(text + strlen(text), "%c%s%d", below(2) ? 'e' : 'E', below(3) ? "" : "+",
                below(most_exponent + 1));
    else if (below(2))
        sprintf(text + strlen(text), "e-%d", below(most_exponent + 1));
}

static void random_decimals(void **state)
{
    (void)state;
    char text[400];
    for (size_t i = trials(200000); i > 0; i--) {
        any_decimal(text, 12, 30);
        as_strtod(text);
        any_decimal(text, 25, below(2) ? 345 : 50);
        as_strtod(text);
    }
}

/* Values of f64 as other programs print them. */
static void printed_values(void **state)
{
    (void)state;
    char text[400];
    for (size_t i = trials(50000); i > 0; i--) {
        double x = from_bits(accordi_rng_next(&rng));
        if (!isfinite(x))
            continue;
        double near = sign() * ldexp(1 + accordi_rng_unit(&rng), below(160) - 80);
        for (int digits = 15; digits <= 19; digits += 2) {
            sprintf(text, "%.*g", digits, below(2) ? x : near);
            as_strtod(text);
            sprintf(text, "%.*f", digits, near);
            as_strtod(text);
        }
    }
}

/* Halfway between two neighbors, cut or rounded to what the fast way takes, and beside it. */
static void halfway(void **state)
{
    (void)state;
    char text[400];
    for (size_t i = trials(50000); i > 0; i--) {
        int e = below(116) - 60;
        uint64_t odd = (accordi_rng_next(&rng) >> 11 << 1) | 1; /* 54 bits */
        mpfr_t tie;
        mpfr_init2(tie, 64);
        mpfr_set_ui_2exp(tie, odd, e, MPFR_RNDN);
        mpfr_snprintf(text, sizeof text, "%.*Rg", 17 + below(4), tie);
        as_strtod(text);
        size_t last = strcspn(text, "e") - 1;
        text[last] = (char)('0' + below(10));
        if (text[0] != '.')
            as_strtod(text);
        mpfr_clear(tie);
    }
    for (uint64_t tie = ((uint64_t)1 << 53) + 1; tie < (uint64_t)1 << 63; tie = 2 * tie - 1)
        for (int off = -1; off <= 1; off++)
            for (int e = -30; e <= 30; e += 1 + below(5)) {
                sprintf(text, "%" PRIu64 "e%d", tie + (uint64_t)off, e);
                as_strtod(text);
            }
}

static void edges(void **state)
{
    (void)state;
    static const char *const words[] = {"0",
                                        "-0",
                                        "-0.000e99999999999999999999",
                                        "0e-99999999999",
                                        "00000000000000000000000000000000000001",
                                        "0.00000000000000000000000000000000000000000001",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "9999999999999999999",
                                        "9999999999999999999e27",
                                        "9999999999999999999e-27",
                                        "10000000000000000000e27",
                                        "1e-27",
                                        "1e-28",
                                        "1e27",
                                        "1e28",
                                        "1.",
                                        ".5",
                                        "+.5e+1",
                                        "5e-324",
                                        "2.4703282292062327e-324",
                                        "2.4703282292062328e-324",
                                        "1e-400",
                                        "1.7976931348623157e308",
                                        "1.7976931348623158e308",
                                        "1.7976931348623159e308",
                                        "-1e400",
                                        "1e99999999999999999999",
                                        "9007199254740993",
                                        "9007199254740993.00000000000000000000000000001",
                                        "0x1p-1074",
                                        "0X.8P+3",
                                        "-0x1.fffffffffffff8p0",
                                        "0x1p99999"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        as_strtod(words[i]);
    double x;
    char zeros[2000] = "0.";
    memset(zeros + 2, '0', 1500);
    as_strtod(strcat(zeros, "1e1500"));
    assert_int_equal(read_word("-InFiNiTy", &x), CLI_WRITTEN_NUMBER);
    assert_true(x == (double)-INFINITY);
    assert_int_equal(read_word("+nan", &x), CLI_WRITTEN_NUMBER);
    assert_true(isnan(x));
}

static void no_numbers(void **state)
{
    (void)state;
    static const char *const words[] = {"",
                                        "-",
                                        "+",
                                        ".",
                                        "-.",
                                        "e5",
                                        "1e",
                                        "1e+",
                                        ".e1",
                                        "1..2",
                                        "1.2.3",
                                        "1-2",
                                        "--1",
                                        "+-1",
                                        " 1",
                                        "1 ",
                                        "0x",
                                        "0x1p",
                                        "0xg",
                                        "1e5.0",
                                        "1f",
                                        "1,5",
                                        "1_000",
                                        "infinit",
                                        "in",
                                        "nan()",
                                        "nan(1)",
                                        "infx",
                                        "1.0e--",
                                        "12 3",
                                        "\t1",
                                        "0b1",
                                        "1e5e5",
                                        "\xff",
                                        "1\x01",
                                        "NaN1",
                                        "12345678901234567890123456789x",
                                        "0.1234567890123456789012345x",
                                        "1e10000000000x"};
    double x = 42;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (read_word(words[i], &x) != CLI_WRITTEN_NONE || x != 42)
            fail_msg("\"%s\" was taken for %a", words[i], x);
    char zero[] = {'1', '\0', '2', ' '};
    assert_int_equal(cli_written(zero, 3, false, &x), CLI_WRITTEN_NONE);
}

/* Rounding the odd value is rounding what is written: strtof's word. */
static void to_odd(void **state)
{
    (void)state;
    char text[400];
    for (size_t i = trials(50000); i > 0; i--) {
        double x, off = below(3) ? 1 : 1 + sign() * ldexp(1, -below(70));
        float tie = (float)(sign() * ldexp(1 + accordi_rng_unit(&rng), below(60) - 30));
        sprintf(text, "%.30g", ((double)tie + (double)nextafterf(tie, 0)) / 2 * off);
        size_t length = strlen(text);
        assert_int_equal(cli_written(text, length, true, &x), CLI_WRITTEN_NUMBER);
        if ((float)x != strtof(text, NULL))
            fail_msg("%s: found %a, strtof gives %a", text, x, (double)strtof(text, NULL));
    }
}

/* ---- decimal sums ---- */

enum { SCALE = 420 }; /* of the integers that the oracle adds, in decimal digits */

/* text * 10^SCALE, which is an integer. */
static void integer_of(mpz_t out, const char *text)
{
    char digits[1200] = "";
    size_t count = 0;
    long exponent = SCALE;
    const char *c = text + (*text == '-' || *text == '+');
    bool behind = false;
    for (; *c && *c != 'e' && *c != 'E'; c++) {
        behind |= *c == '.';
        if (*c == '.')
            continue;
        digits[count++] = *c;
        exponent -= behind;
    }
    digits[count] = '\0';
    exponent += *c ? strtol(c + 1, NULL, 10) : 0;
    assert_true(exponent >= 0);
    mpz_t power;
    mpz_init(power);
    mpz_ui_pow_ui(power, 10, (unsigned long)exponent);
    assert_int_equal(mpz_set_str(out, digits, 10), 0);
    mpz_mul(out, out, power);
    if (*text == '-')
        mpz_neg(out, out);
    mpz_clear(power);
}

static void prints_as(cli_decimal *sum, const mpz_t wanted)
{
    accordi_buffer text = {0};
    mpz_t found;
    mpz_init(found);
    cli_decimal_put(sum, &text);
    assert_false(text.failed);
    integer_of(found, text.data);
    if (mpz_cmp(found, wanted))
        fail_msg("another sum: %s", text.data);
    assert_int_equal(cli_decimal_sign(sum), mpz_sgn(wanted));
    mpz_clear(found);
    accordi_buffer_clear(&text);
}

/* wanted / 10^SCALE with all its bits, and one for those that follow. */
static void to_binary(mpfr_t out, const mpz_t wanted)
{
    mpz_t power;
    mpfr_t divisor;
    mpz_init(power);
    mpz_ui_pow_ui(power, 10, SCALE);
    mpfr_init2(divisor, 2000);
    assert_int_equal(mpfr_set_z(divisor, power, MPFR_RNDN), 0);
    assert_int_equal(mpfr_set_z(out, wanted, MPFR_RNDN), 0);
    if (mpfr_div(out, out, divisor, MPFR_RNDZ)) {
        if (mpz_sgn(wanted) > 0)
            mpfr_nextabove(out);
        else
            mpfr_nextbelow(out);
    }
    mpfr_clear(divisor);
    mpz_clear(power);
}

static void rounds_as(cli_decimal *sum, const mpz_t wanted)
{
    accord_exact_wide near;
    mpfr_t exact;
    mpfr_init2(exact, BITS);
    to_binary(exact, wanted);
    assert_true(cli_decimal_round(sum, &near));
    judge_wide(&near, exact, false, false, "decimal", 0);
    mpfr_clear(exact);
}

static int written_decimals(const char *text)
{
    const char *point = strchr(text, '.');
    size_t behind = point ? strcspn(point + 1, "eE") : 0;
    const char *e = strpbrk(text, "eE");
    long decimals = (long)behind - (e ? strtol(e + 1, NULL, 10) : 0);
    return decimals > 0 ? (int)decimals : 0;
}

typedef struct oracle {
    cli_decimal sum;
    mpz_t exact;
    int decimals;
} oracle;

static void add_both(oracle *o, const char *text, bool negate)
{
    mpz_t term;
    mpz_init(term);
    integer_of(term, text);
    (negate ? mpz_sub : mpz_add)(o->exact, o->exact, term);
    mpz_clear(term);
    if (written_decimals(text) > o->decimals)
        o->decimals = written_decimals(text);
    assert_int_equal(cli_decimal_add(&o->sum, text, strlen(text), negate), CLI_DECIMAL_ADDED);
}

static void start(oracle *o)
{
    *o = (oracle){0};
    mpz_init(o->exact);
}

static void finish(oracle *o)
{
    assert_int_equal(o->sum.decimals, o->decimals);
    prints_as(&o->sum, o->exact);
    rounds_as(&o->sum, o->exact);
    prints_as(&o->sum, o->exact); /* looking changes nothing */
    cli_decimal_clear(&o->sum);
    mpz_clear(o->exact);
}

static void decimal_sums(void **state)
{
    (void)state;
    char text[20][400];
    for (size_t i = trials(500); i > 0; i--) {
        oracle o;
        int n = below(20), wide = below(3);
        start(&o);
        for (int t = 0; t < n; t++) {
            any_decimal(text[t], wide ? 25 : 4, wide == 2 ? 345 : wide ? 20 : 2);
            add_both(&o, text[t], below(4) == 0);
            if (t && below(4) == 0)
                add_both(&o, text[below(t)], below(2));
        }
        finish(&o);
    }
}

/* Halves of the last place of f64 and of the other formats, and a trace off them. */
static void decimal_ties(void **state)
{
    (void)state;
    static const int precisions[] = {53, 24, 11, 8};
    char text[400];
    for (size_t i = trials(500); i > 0; i--) {
        int p = precisions[below(4)], e = below(60) - 30;
        uint64_t odd = ((accordi_rng_next(&rng) >> 1 | (uint64_t)1 << 62) >> (62 - p)) | 1;
        mpfr_t tie;
        oracle o;
        start(&o);
        mpfr_init2(tie, 64);
        mpfr_set_ui_2exp(tie, odd, e - p, MPFR_RNDN);
        mpfr_snprintf(text, sizeof text, "%s%.120Rf", below(2) ? "-" : "", tie);
        add_both(&o, text, false);
        if (below(2))
            add_both(&o, "1e-400", below(2));
        finish(&o);
        mpfr_clear(tie);
    }
}

/* The greatest numbers of the formats and halves of the next step beyond, less a trace or not. */
static void decimal_limits(void **state)
{
    (void)state;
    for (int f = 0; f < FORMATS; f++) {
        const accord_format_info *row = accord_format_get((enum accord_format)f);
        char text[400];
        mpfr_t edge;
        mpfr_init2(edge, 64);
        for (int halves = 0; halves < 3; halves++)
            for (int trace = 0; trace < 6; trace++) {
                oracle o;
                start(&o);
                mpfr_set_d(edge, row->greatest, MPFR_RNDN);
                mpfr_snprintf(text, sizeof text, "%.0Rf", edge);
                add_both(&o, text, trace & 1);
                mpfr_set_ui_2exp(edge, (unsigned long)halves, row->max_exponent - row->precision,
                                 MPFR_RNDN);
                mpfr_snprintf(text, sizeof text, "%.100Rf", edge);
                add_both(&o, text, trace & 1);
                if (trace / 2)
                    add_both(&o, "1e-410", trace / 2 == 1);
                finish(&o);
            }
        mpfr_clear(edge);
    }
}

static void decimal_puts(void **state)
{
    (void)state;
    static const struct {
        const char *terms, *wanted;
    } rows[] = {{"", "0"},
                {"0.10 0.20", "0.30"},
                {"0.10 -0.1", "0.00"},
                {"-0.01", "-0.01"},
                {"999999999 1", "1000000000"},
                {"1e9 -1e-9", "999999999.999999999"},
                {"1e2", "100"},
                {"1.50e1", "15.0"},
                {"100.", "100"},
                {"-5 2.50", "-2.50"},
                {"1e40", "10000000000000000000000000000000000000000"},
                {"1e41", "1e+41"},
                {"-125e60", "-1.25e+62"},
                {"1e-41", "1e-41"},
                {"1e-41 1", "1.00000000000000000000000000000000000000001"},
                {"1e-41 1 -1e-41", "1e+0"},
                {"1e-41 -1e-41", "0"},
                {"1e99999", "1e+99999"},
                {"1e-100000", "1e-100000"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cli_decimal sum = {0};
        accordi_buffer text = {0};
        for (const char *at = rows[i].terms; *at; at += strspn(at, " ")) {
            assert_int_equal(cli_decimal_add(&sum, at, strcspn(at, " "), false), CLI_DECIMAL_ADDED);
            at += strcspn(at, " ");
        }
        cli_decimal_put(&sum, &text);
        assert_string_equal(text.data, rows[i].wanted);
        accordi_buffer_clear(&text);
        cli_decimal_clear(&sum);
    }
}

static void decimal_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum cli_decimal_added wanted;
    } rows[] = {{"", CLI_DECIMAL_NONE},
                {"-", CLI_DECIMAL_NONE},
                {".", CLI_DECIMAL_NONE},
                {"1e", CLI_DECIMAL_NONE},
                {"1e+", CLI_DECIMAL_NONE},
                {"1,5", CLI_DECIMAL_NONE},
                {"0x1p3", CLI_DECIMAL_NONE},
                {"inf", CLI_DECIMAL_NONE},
                {"1.2.3", CLI_DECIMAL_NONE},
                {"1e100000", CLI_DECIMAL_BEYOND},
                {"10e99999", CLI_DECIMAL_BEYOND},
                {"1e-100001", CLI_DECIMAL_BEYOND},
                {"1e99999999999999999999999", CLI_DECIMAL_BEYOND},
                {"1e-99999999999999999999999", CLI_DECIMAL_BEYOND},
                {"0e99999999999999999999999", CLI_DECIMAL_ADDED},
                {"1000e-100003", CLI_DECIMAL_ADDED},
                {"0.0001e100003", CLI_DECIMAL_ADDED}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cli_decimal sum = {0};
        assert_int_equal(cli_decimal_add(&sum, rows[i].text, strlen(rows[i].text), false),
                         rows[i].wanted);
        cli_decimal_clear(&sum);
    }
}

/* In any order and any parts. */
static void decimal_parts(void **state)
{
    (void)state;
    char text[400];
    for (size_t i = trials(200); i > 0; i--) {
        cli_decimal whole = {0}, parts[3] = {{0}, {0}, {0}};
        accordi_buffer a = {0}, b = {0};
        for (int n = below(200); n > 0; n--) {
            any_decimal(text, 25, 100);
            assert_int_equal(cli_decimal_add(&whole, text, strlen(text), false), 0);
            assert_int_equal(cli_decimal_add(&parts[below(3)], text, strlen(text), false), 0);
        }
        for (int p = 1; p < 3; p++)
            assert_true(cli_decimal_merge(&parts[0], &parts[p]));
        cli_decimal_put(&whole, &a);
        cli_decimal_put(&parts[0], &b);
        assert_string_equal(a.data, b.data);
        accordi_buffer_clear(&a);
        accordi_buffer_clear(&b);
        for (int p = 0; p < 3; p++)
            cli_decimal_clear(&parts[p]);
        cli_decimal_clear(&whole);
    }
}

/* Every bit of an f64 is a decimal: taking it away leaves nothing. */
static void decimal_f64(void **state)
{
    (void)state;
    for (size_t i = trials(2000); i > 0; i--) {
        double x = from_bits(accordi_rng_next(&rng));
        if (!isfinite(x))
            continue;
        cli_decimal sum = {0};
        accord_exact_wide near;
        assert_true(cli_decimal_add_f64(&sum, x, false));
        assert_true(cli_decimal_round(&sum, &near));
        for (int r = 0; r < ROUNDINGS; r++)
            assert_true(bits_of(accord_exact_wide_f64(&near, (enum accord_exact_rounding)r)) ==
                            bits_of(x) ||
                        x == 0);
        assert_true(cli_decimal_add_f64(&sum, x, true));
        assert_int_equal(cli_decimal_sign(&sum), 0);
        assert_int_equal(sum.decimals, 0);
        cli_decimal_clear(&sum);
    }
}

/* ---- the shortest decimals ---- */

static int digits_of(const char *text)
{
    int digits = 0, last = 0;
    for (const char *c = text; *c && *c != 'e'; c++)
        if (*c >= '0' && *c <= '9' && (digits || *c != '0')) {
            digits++;
            last = *c == '0' ? last : digits;
        }
    return last;
}

/* Reads back in one rounding from the decimal; no decimal of fewer digits does: neither of the two
 * next to x. */
static void is_shortest(enum accord_format format, double x)
{
    char text[64], *past;
    accordi_buffer out = {0};
    double read;
    cli_put_number(&out, format, x);
    assert_false(out.failed);
    assert_int_equal(cli_written(out.data, out.length, format != ACCORD_F64, &read),
                     CLI_WRITTEN_NUMBER);
    read = accord_format_round(format, ACCORD_NEAREST_EVEN, read);
    if (bits_of(read) != bits_of(x))
        fail_msg("%a is printed as %s, which is read as %a", x, out.data, read);
    int fewer = digits_of(out.data) - 1;
    for (int up = 0; fewer > 0 && up < 2; up++) {
        snprintf(text, sizeof text, "%.*e", fewer - 1, fabs(x));
        long exponent = strtol(strchr(text, 'e') + 1, &past, 10);
        *strchr(text, 'e') = 0;
        double lead = strtod(text, NULL) + (up ? pow(10, 1 - fewer) : 0);
        snprintf(text, sizeof text, "%.*fe%ld", fewer - 1, lead, exponent);
        cli_written(text, strlen(text), format != ACCORD_F64, &read);
        if (accord_format_round(format, ACCORD_NEAREST_EVEN, read) == fabs(x))
            fail_msg("%a is printed as %s, though %s is shorter", x, out.data, text);
    }
    accordi_buffer_clear(&out);
}

static void shortest(void **state)
{
    (void)state;
    static const enum accord_format narrow[] = {ACCORD_F16, ACCORD_BF16};
    for (int f = 0; f < 2; f++)
        for (uint64_t pattern = 0; pattern < 1 << 16; pattern++) {
            double x = accord_format_decode(narrow[f], pattern);
            if (isfinite(x))
                is_shortest(narrow[f], x);
        }
    for (int exponent = -1074; exponent < 1024; exponent++) {
        is_shortest(ACCORD_F64, ldexp(1, exponent));
        if (exponent >= -149 && exponent < 128)
            is_shortest(ACCORD_F32, ldexp(1, exponent));
    }
    for (size_t i = trials(20000); i; i--) {
        double x = accord_format_decode(ACCORD_F32, accordi_rng_below(&rng, 0x7f800000));
        uint64_t bits = accordi_rng_below(&rng, 0x7ff0000000000000);
        is_shortest(ACCORD_F32, x);
        memcpy(&x, &bits, sizeof x);
        is_shortest(ACCORD_F64, x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_decimals),  cmocka_unit_test(printed_values),
        cmocka_unit_test(halfway),          cmocka_unit_test(edges),
        cmocka_unit_test(no_numbers),       cmocka_unit_test(to_odd),
        cmocka_unit_test(decimal_sums),     cmocka_unit_test(decimal_ties),
        cmocka_unit_test(decimal_limits),   cmocka_unit_test(decimal_puts),
        cmocka_unit_test(decimal_refusals), cmocka_unit_test(decimal_parts),
        cmocka_unit_test(decimal_f64),      cmocka_unit_test(shortest)};
    accordi_rng_init(&rng, trials_seed());
    return cmocka_run_group_tests(tests, NULL, NULL);
}
