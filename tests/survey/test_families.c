/* Families by asking: what is learned of a planted family is right at every n; of targets, at n
 * that were not asked; what is saved is read back, and a change of the target is seen. */
#include "trials.h"
#include <accord/accord.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* ---- planted families ---- */

typedef struct plant {
    uint32_t from, to, modulus, low, high;
    const char *form; /* "": no order */
} plant;

#define ALL 1, 0, 0
#define END                                                                                        \
    {                                                                                              \
        .form = NULL                                                                               \
    }

static const char *planted(const plant *p, uint32_t n)
{
    for (; p->form; p++)
        if (p->from <= n && n <= p->to && p->low <= n % p->modulus && n % p->modulus <= p->high)
            return p->form;
    return "chain";
}

static enum accord_status ask(void *context, uint32_t n, const accord_tree *expected,
                              accord_tree **tree, accord_error *error)
{
    const char *form = planted(context, n);
    (void)expected;
    char *notation = NULL;
    if (!*form) {
        *error = (accord_error){.status = ACCORD_UNABLE};
        strcpy(error->text, "planted");
        return ACCORD_UNABLE;
    }
    enum accord_status status = accord_form_at(form, n, &notation, error);
    if (!status)
        status = accord_notation_parse(notation, tree, NULL, NULL, error);
    accord_notation_free(notation);
    return status;
}

/* Other n are drawn each time. */
static accord_family *learned(const plant *p, uint32_t to, accord_family_account *account)
{
    static uint64_t times;
    accord_family *f = NULL;
    accord_family_options options;
    accord_error error;
    accord_family_options_init(&options);
    options.seed = trials_seed() + times++;
    if (accord_family_learn(1, to, &options, ask, (void *)(uintptr_t)p, &f, account, &error))
        fail_msg("%s", error.text);
    return f;
}

/* What is written down is read back, rule by rule. */
static void check_file(const accord_family *f)
{
    accord_family *again = NULL;
    accord_error error;
    char *text = NULL;
    assert_int_equal(accord_family_write(f, NULL, NULL, &text, NULL), ACCORD_OK);
    if (accord_family_read(text, strlen(text), &again, NULL, &error))
        fail_msg("%s", error.text);
    assert_int_equal(accord_family_rules(again), accord_family_rules(f));
    free(text);
    accord_family_free(again);
}

/* Returns how many n were asked. */
static uint64_t check_plant(const plant *p, uint32_t to, size_t most_rules)
{
    static size_t plants;
    if (!trial_runs(plants++, trials_seed()))
        return 0;
    accord_family_account account;
    accord_family *f = learned(p, to, &account);
    assert_true(account.complete);
    check_file(f);
    assert_int_equal(account.asked + account.predicted, to);
    for (uint32_t n = 1; n <= to; n++) {
        accord_tree *tree = NULL;
        accord_error error;
        char *notation;
        if (ask((void *)(uintptr_t)p, n, NULL, &tree, &error) == ACCORD_UNABLE)
            assert_int_equal(accord_family_notation(f, n, &notation, NULL), ACCORD_UNABLE);
        else if (!accord_family_holds(f, tree))
            fail_msg("%s: not so at n = %u", p->form, n);
        accord_tree_free(tree);
    }
    if (accord_family_rules(f) > most_rules)
        fail_msg("%s: %zu rules", p->form, accord_family_rules(f));
    accord_family_free(f);
    return account.asked;
}

/* Thresholds at odd n, changes in one residue alone, a tail that only long sums have. */
static void test_planted(void **state)
{
    static const plant threshold[] = {
        {1, 777, ALL, "chain"},
        {778, 9999, ALL, "(lanes 16; pairs) of [n - n mod 16]; chain"},
        END};
    static const plant residue[] = {{1, 9999, 32, 17, 17, "lanes 4; chain"}, END};
    static const plant late_tail[] = {
        {1, 1030, ALL, "lanes 8; halves"},
        {1031, 9999, 8, 5, 5, "(lanes 8; halves) of [n - 5]; chain of last 5; chain"},
        {1031, 9999, ALL, "lanes 8; halves"},
        END};
    static const plant even[] = {{1, 9999, 2, 1, 1, ""}, {1, 9999, ALL, "split"}, END};
    static const plant early[] = {{47, 47, ALL, "chain back"}, END};
    static const plant second[] = {
        {1, 1, ALL, "chain"}, {2, 9999, ALL, "(turn [n / 2]; chain) of [n / 2 + 1]; chain"}, END};
    static const plant doubling[] = {{257, 511, ALL, "chain in 2s of [2 * n - 512]; pairs"},
                                     {513, 1023, ALL, "chain in 2s of [2 * n - 1024]; pairs"},
                                     {1, 9999, ALL, "pairs"},
                                     END};
    (void)state;
    check_plant(threshold, 2048, 2);
    check_plant(doubling, 1000, 5);
    check_plant(residue, 1000, 3);
    check_plant(late_tail, 2048, 5);
    check_plant(even, 700, 3);
    check_plant(early, 600, 3);
    check_plant(second, 300, 2);
}

/* A residue without an order is no n at which anything changes. */
static void test_holes(void **state)
{
    static const plant holes[] = {{1, 9999, 7, 3, 3, ""}, END};
    (void)state;
    accord_family_account account;
    accord_family *f = learned(holes, 300, &account);
    uint32_t change = 0;
    if (accord_family_changes(f, &change, 1) != 0)
        fail_msg("a change at %u", change);
    accord_family_free(f);
}

/* Loops that leave one term at least to the tail, and two kernels of which the second one is for
 * few n: what is alike in both misleads no guess. */
static void test_tails(void **state)
{
    static const plant one_at_least[] = {
        {9, 9999, ALL,
         "(lanes 8; halves) of [8 * ((n + 7) / 8) - 8]; chain of last [n - 8 * ((n + 7) / 8) + 8]; "
         "chain"},
        END};
    static const plant late[] = {{1, 332, ALL, "chain"},
                                 {333, 1776, ALL, "(lanes 8; halves) of [n - n mod 8]; chain"},
                                 {1777, 9999, ALL, "(lanes 32; halves) of [n - n mod 32]; chain"},
                                 END};
    (void)state;
    for (size_t trial = 0; trial < trials(4); trial++) {
        check_plant(one_at_least, 1000, 1);
        check_plant(late, 2000, 3);
    }
}

/* Residues modulo numbers that are no powers of two, or larger than most; and parts of which the
 * last one takes the rest. */
static void test_moduli(void **state)
{
    static const plant thirty_seven[] = {{1, 9999, 37, 1, 1, "pairs"}, END};
    static const plant wide[] = {
        {1, 9999, 192, 0, 6, "lanes 3; chain"}, {1, 9999, ALL, "lanes 4; chain"}, END};
    static const plant two[] = {{1, 9999, 15, 7, 7, "lanes 3; chain"},
                                {1, 9999, 5, 1, 2, "lanes 5; pairs"},
                                {1, 9999, ALL, "lanes 4; chain"},
                                END};
    static const plant parts[] = {
        {1000, 9999, ALL,
         "chain in [n / 3]s of [2 * (n / 3)]; chain of last [n - 2 * (n / 3)]; chain"},
        END};
    (void)state;
    static const plant powers[] = {{1, 9999, 128, 77, 77, "chain back"},
                                   {1, 9999, 8, 3, 3, "lanes 4; halves"},
                                   {1, 9999, ALL, "lanes 8; halves"},
                                   END};
    check_plant(powers, 2048, 40);
    check_plant(thirty_seven, 2048, 3);
    check_plant(wide, 4096, 3);
    check_plant(two, 2048, 10);
    check_plant(parts, 4096, 4);
}

/* What is out of line at a single n may be so at multiples of it. */
static void test_multiples(void **state)
{
    static const plant multiples[] = {
        {100, 100, ALL, "chain back"}, {300, 300, ALL, "chain back"}, {1, 9999, ALL, "pairs"}, END};
    (void)state;
    for (size_t trial = 0; trial < trials_at_least(4); trial++)
        check_plant(multiples, 1000, 5);
}

/* As products of matrices are added: blocks of 320 terms, of which the last two share what is left,
 * the first of them rounded up to whole eights; where that leaves a greater second one, its place
 * among the blocks shows. A single rule for many n is what keeps most of them from being asked. */
static void test_blocks(void **state)
{
    static const plant product[] = {
        {641, 9999, 320, 0, 0, "(lanes 2; chain) in 320s; chain"},
        {641, 9999, 16, 1, 1,
         "(lanes 2; chain) in 320s of [n - n mod 320 - 320]; (chain of [n / 320 - 1]; (lanes 2; "
         "chain) of last [n mod 320 / 2 + 160]; chain) of [n / 320 + n mod 320 / 2 + 159]; (lanes "
         "2; chain) of last [n mod 320 / 2 + 161]; chain"},
        {641, 9999, ALL,
         "(lanes 2; chain) in 320s of [n - n mod 320 - 320]; chain of [n / 320 - 1]; (lanes 2; "
         "chain) in [8 * ((n mod 320 + 14) / 16) + 160]s of last [n mod 320 + 320]; chain"},
        END};
    static const plant tails[] = {{1, 9999, 8, 3, 3, "lanes 3; chain"},
                                  {1, 9999, 8, 5, 5, "lanes 5; chain"},
                                  {1, 9999, 8, 7, 7, "lanes 7; chain"},
                                  {1, 9999, 32, 2, 2, "lanes 4; pairs"},
                                  {1, 9999, 32, 10, 10, "lanes 9; chain"},
                                  {1, 9999, 32, 18, 18, "lanes 10; chain"},
                                  END};
    (void)state;
    assert_true(check_plant(product, 4096, 5) < 1200);
    assert_true(check_plant(tails, 2048, 35) < 1200);
}

/* Orders of which no two have anything in common: everything that was not asked is unknown. */
static enum accord_status ask_random(void *context, uint32_t n, const accord_tree *expected,
                                     accord_tree **tree, accord_error *error)
{
    accord_target_options options;
    accord_target *target = NULL;
    (void)context;
    (void)expected;
    accord_target_options_init(&options);
    options.n = n;
    options.seed = n;
    enum accord_status status = accord_target_open("synthetic:yule", &options, &target, error);
    if (!status)
        status = accord_synthetic_tree(target, tree, error);
    accord_target_close(target);
    return status;
}

static void test_irregular(void **state)
{
    (void)state;
    accord_family *f = NULL;
    accord_family_account account;
    assert_int_equal(accord_family_learn(300, 700, NULL, ask_random, NULL, &f, &account, NULL),
                     ACCORD_OK);
    assert_int_equal(account.predicted, 0);
    assert_int_equal(account.asked + account.unknown, 401);
    assert_true(account.unknown > 0);
    accord_family_free(f);
}

static void test_none(void **state)
{
    static const plant none[] = {{1, 9999, ALL, ""}, END};
    (void)state;
    accord_family *f = NULL;
    accord_error error;
    assert_int_equal(
        accord_family_learn(1, 600, NULL, ask, (void *)(uintptr_t)none, &f, NULL, &error),
        ACCORD_UNABLE);
    assert_non_null(strstr(error.text, "planted"));
    assert_int_equal(
        accord_family_learn(7, 6, NULL, ask, (void *)(uintptr_t)none, &f, NULL, &error),
        ACCORD_ARG);
}

static bool stop(void *context, const char *stage, uint64_t done, uint64_t total)
{
    (void)context;
    (void)stage;
    assert_true(done <= total);
    return done < 5;
}

static void test_limits(void **state)
{
    static const plant plain[] = {END};
    (void)state;
    accord_family *f = NULL;
    accord_family_account account;
    accord_error error;
    accord_family_options options;
    accord_family_options_init(&options);
    options.progress = stop;
    assert_int_equal(
        accord_family_learn(1, 600, &options, ask, (void *)(uintptr_t)plain, &f, &account, &error),
        ACCORD_OK);
    assert_int_equal(account.asked, 5);
    assert_int_equal(account.asked + account.predicted + account.unknown, 600);
    assert_false(account.complete);
    assert_int_equal(accord_family_at(f, 5, NULL), ACCORD_FAMILY_ASKED);
    accord_family_holding held;
    assert_int_equal(accord_family_check(f, &options, ask, (void *)(uintptr_t)plain, &held, &error),
                     ACCORD_OK); /* nothing is predicted */
    accord_family_free(f);
    f = learned(plain, 2000, &account);
    assert_int_equal(accord_family_check(f, &options, ask, (void *)(uintptr_t)plain, &held, &error),
                     ACCORD_TARGET);
    assert_string_equal(error.text,
                        "interrupted: 5 of 200 n were asked, and all of them are as the "
                        "family says");
    accord_family_free(f);

    accord_family_target *target = NULL;
    accord_target_options question;
    accord_target_options_init(&question);
    accord_family_options_init(&options);
    options.budget_calls = 3000;
    assert_int_equal(
        accord_family_target_new("synthetic:pairwise", &question, &options, &target, NULL),
        ACCORD_OK);
    assert_int_equal(
        accord_family_learn(1, 600, &options, accord_family_target_ask, target, &f, &account, NULL),
        ACCORD_OK);
    assert_false(account.complete);
    assert_true(account.unknown > 0 && account.asked > 0);
    assert_in_range(accord_family_target_calls(target), 1, 3000);
    accord_family_free(f);
    accord_family_target_free(target);
}

/* ---- targets ---- */

static enum accord_status learn_target(const char *notation, uint32_t from, uint32_t to,
                                       accord_family_target **target, accord_family **f,
                                       accord_family_account *account, accord_error *error)
{
    accord_target_options question;
    accord_family_options options;
    accord_target_options_init(&question);
    accord_family_options_init(&options);
    options.checks = 60;
    options.seed = trials_seed();
    enum accord_status status = accord_family_target_new(notation, &question, NULL, target, error);
    return status ? status
                  : accord_family_learn(from, to, &options, accord_family_target_ask, *target, f,
                                        account, error);
}

/* What is predicted is what a target that is opened anew reveals. */
static void check_target(const char *notation, uint32_t from, uint32_t to)
{
    accord_family_target *target = NULL;
    accord_family *f = NULL;
    accord_family_account account;
    accord_error error;
    if (learn_target(notation, from, to, &target, &f, &account, &error))
        fail_msg("%s: %s", notation, error.text);
    assert_true(account.complete && account.predicted > 0);
    for (uint32_t n = from, met = 0; n <= to && met < 24; n++) {
        if (accord_family_at(f, n, NULL) != ACCORD_FAMILY_PREDICTED || n % 3)
            continue;
        accord_target_options question;
        accord_reveal_options options;
        accord_target *fresh = NULL;
        accord_record *record = accord_record_new();
        accord_target_options_init(&question);
        accord_reveal_options_init(&options);
        options.no_certificate = true;
        question.n = n;
        assert_int_equal(accord_target_open(notation, &question, &fresh, &error), ACCORD_OK);
        assert_int_equal(accord_reveal(fresh, &options, record, &error), ACCORD_OK);
        if (!accord_family_holds(f, record->tree))
            fail_msg("%s: not so at n = %u", notation, n);
        accord_record_free(record);
        accord_target_close(fresh);
        met++;
    }
    accord_family_free(f);
    accord_family_target_free(target);
}

static void test_targets(void **state)
{
    (void)state;
    check_target("synthetic:numpy", 1, 900);
    check_target("synthetic:lanes:8", 90, 800);
    check_target("blas:sdot@reference", 1, 800);
}

/* ---- files ---- */

static void test_files(void **state)
{
    static const plant before[] = {{1, 99, ALL, "chain"}, {100, 9999, ALL, "lanes 8; halves"}, END};
    static const plant after[] = {{1, 99, ALL, "chain"}, {100, 9999, ALL, "lanes 16; halves"}, END};
    (void)state;
    accord_family_account account;
    accord_family *f = learned(before, 900, &account), *again = NULL;
    accord_record *about = accord_record_new(), *question = NULL;
    accord_family_holding held;
    char *text = NULL;
    accord_record_set(&about->target, "blas:sdot", NULL);
    assert_int_equal(accord_family_write(f, about, &account, &text, NULL), ACCORD_OK);
    assert_int_equal(accord_family_read(text, strlen(text), &again, &question, NULL), ACCORD_OK);
    assert_string_equal(question->target, "blas:sdot");
    assert_int_equal(accord_family_rules(again), accord_family_rules(f));
    for (size_t i = 0; i < accord_family_rules(f); i++) {
        accord_family_rule a = accord_family_rule_at(f, i), b = accord_family_rule_at(again, i);
        assert_true(a.from == b.from && a.to == b.to && a.modulus == b.modulus);
        assert_string_equal(a.form, b.form);
        assert_int_equal(b.asked, 0);
    }
    assert_int_equal(accord_family_check(again, NULL, ask, (void *)(uintptr_t)before, &held, NULL),
                     ACCORD_OK);
    assert_true(held.holds);
    assert_int_equal(held.asked, 200);
    assert_int_equal(accord_family_check(again, NULL, ask, (void *)(uintptr_t)after, &held, NULL),
                     ACCORD_OK);
    assert_false(held.holds);
    assert_int_equal(held.n, 100);
    assert_string_equal(held.then, "100: lanes 8; halves");
    assert_string_equal(held.now, "100: lanes 16; halves");
    accord_notation_free(held.then);
    accord_notation_free(held.now);
    for (size_t length = 0; length < strlen(text); length += 97) /* cut files */
        assert_int_equal(accord_family_read(text, length, &again, NULL, NULL), ACCORD_PARSE);
    free(text);
    accord_record_free(about);
    accord_record_free(question);
    accord_family_free(f);
    accord_family_free(again);
}

/* A target that has changed in one residue alone, whichever it is and whatever the seed. */
static void test_one_residue(void **state)
{
    static const plant before[] = {{1, 9999, ALL, "lanes 8; halves"}, END};
    (void)state;
    accord_family *f = NULL;
    accord_family_options options;
    accord_family_holding held;
    assert_int_equal(accord_family_new(1, 4096, &f, NULL), ACCORD_OK);
    for (uint32_t n = 1; n <= 64; n++) {
        accord_tree *tree = NULL;
        assert_int_equal(ask((void *)(uintptr_t)before, n, NULL, &tree, NULL), ACCORD_OK);
        assert_int_equal(accord_family_add(f, n, tree, NULL, NULL), ACCORD_OK);
        accord_tree_free(tree);
    }
    accord_tree *last = NULL;
    assert_int_equal(ask((void *)(uintptr_t)before, 4096, NULL, &last, NULL), ACCORD_OK);
    assert_int_equal(accord_family_add(f, 4096, last, NULL, NULL), ACCORD_OK);
    accord_tree_free(last);
    assert_int_equal(accord_family_fit(f, NULL), ACCORD_OK);
    accord_family_options_init(&options);
    for (uint32_t residue = 0; residue < 128; residue += 7) {
        plant after[] = {{65, 4095, 128, residue, residue, "chain"}, before[0], END};
        options.seed = trials_seed() + residue;
        assert_int_equal(accord_family_check(f, &options, ask, after, &held, NULL), ACCORD_OK);
        assert_false(held.holds);
        assert_int_equal(held.n % 128, residue);
        accord_notation_free(held.then);
        accord_notation_free(held.now);
    }
    accord_family_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planted),     cmocka_unit_test(test_tails),
        cmocka_unit_test(test_holes),       cmocka_unit_test(test_moduli),
        cmocka_unit_test(test_blocks),      cmocka_unit_test(test_irregular),
        cmocka_unit_test(test_none),        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_targets),     cmocka_unit_test(test_files),
        cmocka_unit_test(test_one_residue), cmocka_unit_test(test_multiples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
