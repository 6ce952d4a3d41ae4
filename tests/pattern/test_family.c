/* Families: expressions and forms mean what the notation means, and rules are found from samples of
 * families that were planted, to the n at which they change; what no sample shows stays unknown. */
#include "pattern/family.h"
#include "trials.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* ---- expressions ---- */

static void test_expressions(void **state)
{
    static const struct {
        const char *text;
        uint32_t n;
        int64_t value; /* -1: none */
    } rows[] = {
        {"n", 7, 7},
        {"12", 7, 12},
        {"n - n mod 32", 100, 96},
        {"n mod 100 mod 7", 250, 1},
        {"(n + 7) / 8 * 8", 17, 24},
        {"2 * (n / 3) + 1", 11, 7},
        {" ( n - 1 ) mod 4 ", 10, 1},
        {"n - 8", 7, -1},
        {"n / 0", 7, -1},
        {"n mod (n - n)", 7, -1},
        {"n * n * n * n * n * n * n", 2000000000, -1},
        {"3000000000", 1, -1},
        {"", 1, -1},
        {"n n", 1, -1},
        {"(n", 1, -1},
        {"n +", 1, -1},
        {"m", 1, -1},
        {"((((((((((((((((((((n))))))))))))))))))))", 1, -1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t value = 0;
        bool good = accordi_expression_value(rows[i].text, strlen(rows[i].text), rows[i].n, &value);
        if (good != (rows[i].value >= 0) || (good && value != rows[i].value))
            fail_msg("[%s] at %u is %u (%d), not %lld", rows[i].text, rows[i].n, value, good,
                     (long long)rows[i].value);
    }
}

/* What is guessed means the same when it is written and read. */
static void test_guesses(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (int trial = 0; trial < 2000; trial++) {
        accordi_guess g = {
            .c = (int64_t)accordi_rng_below(&rng, 9),
            .s = (int64_t)accordi_rng_below(&rng, 3),
            .b = 1 + (int64_t)accordi_rng_below(&rng, 40),
            .a = accordi_rng_below(&rng, 2) ? 0 : 2 + (int64_t)accordi_rng_below(&rng, 60)};
        if (g.s && accordi_rng_below(&rng, 8) == 0)
            g = (accordi_guess){.less = true, .s = g.s, .b = g.b, .c = g.c};
        g.e = g.a && accordi_rng_below(&rng, 2) ? g.a - 1 : 0;
        g.blocks = g.a && g.s && accordi_rng_below(&rng, 4) == 0;
        g.d = accordi_rng_below(&rng, 2) ? g.b - 1 : 0;
        g.s = g.s == 2 ? g.b : g.s;
        if (!g.less && accordi_rng_below(&rng, 8) == 0)
            g = (accordi_guess){.s = 2, .b = 1, .a = g.a, .e = g.e, .blocks = g.blocks, .c = g.c};
        g.c += g.less && g.d ? g.b : 0; /* else it may be below 0 */
        uint32_t n = 1 + (uint32_t)accordi_rng_below(&rng, 5000), value;
        accordi_buffer text = {0};
        accordi_guess_write(&text, &g);
        if (text.data[0] == '[')
            assert_true(accordi_expression_value(text.data + 1, text.length - 2, n, &value));
        else
            value = (uint32_t)strtoul(text.data, NULL, 10);
        if (value != accordi_guess_value(&g, n))
            fail_msg("%s at %u is %u, not %lld", text.data, n, value,
                     (long long)accordi_guess_value(&g, n));
        accordi_buffer_clear(&text);
    }
}

/* ---- planted families ---- */

/* Forms by ranges and residues, as a reader would write them. */
typedef struct plant {
    uint32_t from, to, modulus, low, high;
    const char *form;
} plant;

static const char *planted(const plant *p, uint32_t n)
{
    for (; p->form; p++)
        if (p->from <= n && n <= p->to && p->low <= n % p->modulus && n % p->modulus <= p->high)
            return p->form;
    return NULL;
}

static accord_tree *tree_at(const char *form, uint32_t n)
{
    char *notation = NULL;
    accord_tree *tree = NULL;
    accord_error error;
    if (accord_form_at(form, n, &notation, &error) ||
        accord_notation_parse(notation, &tree, NULL, NULL, &error))
        fail_msg("%s at %u: %s", form, n, error.text);
    accord_notation_free(notation);
    return tree;
}

static void add(accord_family *f, const plant *p, uint32_t n)
{
    accord_tree *tree = tree_at(planted(p, n), n);
    assert_int_equal(accord_family_add(f, n, tree, NULL, NULL), ACCORD_OK);
    accord_tree_free(tree);
}

/* Samples every 16th n, drawn, then what is open until nothing is. Returns how many. */
static size_t learn(accord_family *f, const plant *p, uint32_t from, uint32_t to)
{
    accordi_rng rng;
    uint32_t open[64];
    size_t count, asked = 0;
    accordi_rng_init(&rng, trials_seed());
    for (uint32_t n = from; n <= to; n++)
        if (n == from || n == to || accordi_rng_below(&rng, 16) == 0) {
            add(f, p, n);
            asked++;
        }
    assert_int_equal(accord_family_fit(f, NULL), ACCORD_OK);
    while ((count = accord_family_open(f, open, 64)) > 0) {
        for (size_t i = 0; i < count; i++)
            add(f, p, open[i]);
        asked += count;
        assert_in_range(asked, 1, to - from + 1);
        assert_int_equal(accord_family_fit(f, NULL), ACCORD_OK);
    }
    return asked;
}

#define ALL 1, 0, 0
#define END                                                                                        \
    {                                                                                              \
        .form = NULL                                                                               \
    }
static const plant numpy[] = {{1, 4096, ALL, "split to 128 by 8 ((lanes 8; pairs) of 8s; chain)"},
                              END};
static const plant tails[] = {
    {1, 4096, ALL, "(lanes 32; halves) of [n - n mod 32]; chain of last [n mod 32]; chain"}, END};
static const plant odd_threshold[] = {
    {1, 776, ALL, "chain"}, {777, 4096, ALL, "lanes 8; halves"}, END};
static const plant residues[] = {
    {1, 4096, 4, 3, 3, "lanes 4; chain"}, {1, 4096, 4, 0, 2, "chain"}, END};
static const plant blocks[] = {
    {1, 320, ALL, "chain"},
    {321, 639, ALL, "chain in 2 parts; chain"},
    {640, 4096, ALL, "chain in 320s of [n - n mod 320]; chain of last [n mod 320]; chain"},
    END};
static const plant back[] = {{1, 99, ALL, "chain back"}, {100, 4096, ALL, "fuse 5"}, END};

static void check_plant(const plant *p, uint32_t from, uint32_t to, size_t most_asked,
                        size_t most_rules)
{
    accord_family *f = NULL;
    assert_int_equal(accord_family_new(from, to, &f, NULL), ACCORD_OK);
    size_t asked = learn(f, p, from, to);
    for (uint32_t n = from; n <= to; n++) {
        accord_tree *tree = tree_at(planted(p, n), n);
        if (accord_family_at(f, n, NULL) == ACCORD_FAMILY_UNKNOWN || !accord_family_holds(f, tree))
            fail_msg("%s: not so at n = %u", planted(p, n), n);
        accord_tree_free(tree);
    }
    if (asked > most_asked || accord_family_rules(f) > most_rules)
        fail_msg("%s: %zu asked, %zu rules", p->form, asked, accord_family_rules(f));
    accord_family_free(f);
}

static void test_planted(void **state)
{
    (void)state;
    check_plant(numpy, 1, 2000, 400, 1);
    check_plant(tails, 1, 2000, 400, 1);
    check_plant(odd_threshold, 700, 1400, 300, 2);
    check_plant(residues, 1, 1000, 300, 2);
    check_plant(blocks, 1, 2500, 500, 4);
    check_plant(back, 1, 600, 300, 3);
}

/* A single n out of line is a rule of its own, and the others stay as they were. */
static void test_single(void **state)
{
    static const plant single[] = {{501, 501, ALL, "chain back"}, {1, 4096, ALL, "chain"}, END};
    (void)state;
    accord_family *f = NULL;
    assert_int_equal(accord_family_new(1, 1000, &f, NULL), ACCORD_OK);
    add(f, single, 501);
    for (uint32_t n = 1; n <= 1000; n += 9)
        if (n != 501)
            add(f, single, n);
    add(f, single, 500);
    add(f, single, 502);
    add(f, single, 999);
    add(f, single, 998);
    assert_int_equal(accord_family_fit(f, NULL), ACCORD_OK);
    assert_int_equal(accord_family_rules(f), 3);
    accord_family_rule r = accord_family_rule_at(f, 1);
    assert_int_equal(r.from, 501);
    assert_int_equal(r.to, 501);
    assert_string_equal(accord_family_rule_at(f, 0).form, "chain");
    assert_string_equal(accord_family_rule_at(f, 2).form, "chain");
    assert_int_equal(accord_family_at(f, 700, NULL), ACCORD_FAMILY_PREDICTED);
    assert_int_equal(accord_family_at(f, 1000, NULL), ACCORD_FAMILY_ASKED);
    accord_family_free(f);
}

/* Between rules that differ, and between orders that nothing explains, n are unknown. */
static void test_unknown(void **state)
{
    (void)state;
    accord_family *f = NULL;
    char *notation;
    uint32_t open[8];
    assert_int_equal(accord_family_new(1, 1000, &f, NULL), ACCORD_OK);
    assert_int_equal(accord_family_at(f, 5, NULL), ACCORD_FAMILY_UNKNOWN);
    for (uint32_t n = 100; n <= 400; n += 25)
        add(f, odd_threshold, n);
    for (uint32_t n = 800; n <= 1000; n += 25)
        add(f, odd_threshold, n);
    assert_int_equal(accord_family_fit(f, NULL), ACCORD_OK);
    assert_int_equal(accord_family_at(f, 300, NULL), ACCORD_FAMILY_ASKED);
    assert_int_equal(accord_family_at(f, 301, NULL), ACCORD_FAMILY_PREDICTED);
    assert_int_equal(accord_family_at(f, 600, NULL), ACCORD_FAMILY_UNKNOWN);
    assert_int_equal(accord_family_at(f, 50, NULL), ACCORD_FAMILY_UNKNOWN);
    assert_int_equal(accord_family_notation(f, 600, &notation, NULL), ACCORD_UNABLE);
    assert_int_equal(accord_family_open(f, open, 8), 1);
    assert_in_range(open[0], 401, 799);
    assert_int_equal(accord_family_notation(f, 900, &notation, NULL), ACCORD_OK);
    assert_string_equal(notation, "900: lanes 8; halves");
    accord_notation_free(notation);
    accord_family_free(f);
}

/* Where a form gives no order nothing is predicted, and it is asked. */
static void test_form_without_order(void **state)
{
    accord_family *f = NULL;
    char *notation = NULL;
    uint32_t open[8];
    accord_family_rule rule = {
        .from = 12, .to = 40, .modulus = 1, .form = "lanes 2 of [20 - n mod 16]; chain"};
    (void)state;
    assert_int_equal(accord_family_new(12, 40, &f, NULL), ACCORD_OK);
    assert_int_equal(accord_family_add_rule(f, &rule, NULL), ACCORD_OK);
    for (uint32_t n = 12; n <= 40; n++) {
        bool none = n == 16 || n == 17; /* 20 and 19 terms of so few */
        assert_int_equal(accord_family_at(f, n, NULL),
                         none ? ACCORD_FAMILY_UNKNOWN : ACCORD_FAMILY_PREDICTED);
        assert_int_equal(accord_family_notation(f, n, &notation, NULL),
                         none ? ACCORD_UNABLE : ACCORD_OK);
        if (!none)
            accord_notation_free(notation);
    }
    f->rule[0].public.asked = 6;
    f->rule[0].public.predicted = 40 - 12 + 1 - 2 - 6;
    assert_int_equal(accord_family_open(f, open, 8), 1);
    assert_int_equal(open[0], 16);
    accord_family_free(f);
}

/* n without an order are a rule, too. */
static void test_no_order(void **state)
{
    (void)state;
    accord_family *f = NULL;
    size_t rule;
    assert_int_equal(accord_family_new(1, 200, &f, NULL), ACCORD_OK);
    for (uint32_t n = 1; n <= 200; n++)
        if (n % 3 == 0 || n > 190 || n < 10) {
            accord_tree *tree = n % 2 ? NULL : tree_at("chain", n);
            assert_int_equal(accord_family_add(f, n, tree, tree ? NULL : "odd", NULL), ACCORD_OK);
            accord_tree_free(tree);
        }
    assert_int_equal(accord_family_fit(f, NULL), ACCORD_OK);
    assert_int_equal(accord_family_rules(f), 2);
    assert_int_equal(accord_family_at(f, 101, &rule), ACCORD_FAMILY_PREDICTED);
    assert_string_equal(accord_family_rule_at(f, rule).form, "");
    assert_int_equal(accord_family_at(f, 100, &rule), ACCORD_FAMILY_PREDICTED);
    assert_string_equal(accord_family_rule_at(f, rule).form, "chain");
    assert_string_equal(accord_family_why(f, 3), "odd");
    assert_null(accord_family_why(f, 6));
    accord_family_free(f);
}

/* Orders drawn at random have no rule: nothing is predicted. */
static void test_irregular(void **state)
{
    (void)state;
    accord_family *f = NULL;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    assert_int_equal(accord_family_new(1, 300, &f, NULL), ACCORD_OK);
    for (uint32_t n = 40; n <= 300; n += 10) {
        uint32_t parent[600], root[300];
        for (uint32_t i = 0; i < n; i++)
            root[i] = i;
        for (uint32_t k = 0, left = n; left > 1; k++, left--) {
            uint32_t a = (uint32_t)accordi_rng_below(&rng, left);
            parent[root[a]] = n + k;
            root[a] = root[left - 1];
            uint32_t b = (uint32_t)accordi_rng_below(&rng, left - 1);
            parent[root[b]] = n + k;
            root[b] = n + k;
        }
        parent[2 * n - 2] = ACCORD_TREE_NO_NODE;
        accord_tree *tree = NULL;
        assert_int_equal(accord_tree_from_parents(n, n - 1, parent, &tree, NULL), ACCORD_OK);
        assert_int_equal(accord_family_add(f, n, tree, NULL, NULL), ACCORD_OK);
        accord_tree_free(tree);
    }
    assert_int_equal(accord_family_fit(f, NULL), ACCORD_OK);
    for (uint32_t n = 1; n <= 300; n++)
        assert_int_not_equal(accord_family_at(f, n, NULL), ACCORD_FAMILY_PREDICTED);
    accord_family_free(f);
}

/* ---- forms ---- */

static void test_words(void **state)
{
    (void)state;
    char words[ACCORD_FORM_WORDS_SIZE], step[ACCORD_STEP_SIZE];
    accord_form_words(tails[0].form, words);
    assert_string_equal(words, "the first n - n mod 32 (in 32 lanes, then folded by halves), then "
                               "the last n mod 32 one after the other, then one after the other");
    assert_true(accord_form_step(tails[0].form, 2, step));
    assert_string_equal(step, "chain of last [n mod 32]");
    assert_false(accord_form_step(tails[0].form, 4, step));
    assert_int_equal(accord_form_uses(tails[0].form, 31), 4);
    assert_int_equal(accord_form_uses(tails[0].form, 32), 2);
    assert_int_equal(accord_form_uses(tails[0].form, 66), 15);
    assert_int_equal(accord_form_uses("chain of [n - 5]", 3), 0);
    accord_form_words("tree (0+1)", words);
    assert_string_equal(words, "tree (0+1)");
    accord_form_words("tree 1 (0+2) in 3s of [n - n mod 3]; chain", words);
    assert_string_equal(words,
                        "the first n - n mod 3 in blocks of 3 as in 1 (0+2), then one after the "
                        "other");
    assert_true(accord_form_step("tree 1 (0+2){7} in 3s of [n - n mod 3]; chain", 0, step));
    assert_string_equal(step, "tree 1 (0+2) in 3s of [n - n mod 3]");
    accord_form_words("terms{4} of [n / 2]; chain", words);
    assert_string_equal(words, "the first n / 2 labelled, then one after the other");
}

static void test_uses(void **state)
{
    (void)state;
    accord_family *f = NULL;
    accord_family_use use[64];
    uint32_t n[8];
    assert_int_equal(accord_family_new(1, 2000, &f, NULL), ACCORD_OK);
    accord_family_rule rule = {1, 2000, ALL, 0, 0, numpy[0].form};
    assert_int_equal(accord_family_add_rule(f, &rule, NULL), ACCORD_OK);
    assert_int_equal(accord_family_uses(f, 0, use), 4);
    assert_int_equal(use[0].from, 129); /* split */
    assert_int_equal(use[1].from, 16);  /* lanes */
    assert_int_equal(use[2].from, 8);   /* pairs */
    assert_int_equal(use[3].from, 2);   /* chain: of what is left */
    assert_true(use[0].always);
    assert_false(use[3].always);
    assert_int_equal(accord_family_changes(f, n, 8), 3);
    assert_int_equal(n[0], 8);
    assert_int_equal(n[2], 129);
    accord_family_free(f);

    /* The same where every n was asked. */
    assert_int_equal(accord_family_new(1, 40, &f, NULL), ACCORD_OK);
    for (uint32_t terms = 1; terms <= 40; terms++)
        add(f, numpy, terms);
    assert_int_equal(accord_family_fit(f, NULL), ACCORD_OK);
    assert_int_equal(accord_family_rule_at(f, 0).predicted, 0);
    assert_int_equal(accord_family_changes(f, n, 8), 2);
    assert_int_equal(n[0], 8);
    assert_int_equal(n[1], 16);
    accord_family_free(f);
}

/* Rules that were written down are checked. */
static void test_rules_read(void **state)
{
    (void)state;
    accord_family *f = NULL;
    assert_int_equal(accord_family_new(1, 100, &f, NULL), ACCORD_OK);
    const accord_family_rule good = {1, 50, 2, 0, 0, 0, 0, "chain"};
    const accord_family_rule bad[] = {
        {1, 50, 2, 0, 1, 0, 0, "chain"},   {1, 50, 2, 2, 2, 0, 0, "chain"},
        {60, 101, 1, 0, 0, 0, 0, "chain"}, {60, 59, 1, 0, 0, 0, 0, "chain"},
        {0, 9, 1, 0, 0, 0, 0, "chain"},    {60, 70, 1, 0, 0, 0, 0, "chains"},
        {60, 70, 1, 0, 0, 0, 0, "[n"},     {60, 70, 1, 0, 0, 0, 0, "chain of [n / 2]"},
        {60, 70, 0, 0, 0, 0, 0, "chain"},
    };
    assert_int_equal(accord_family_add_rule(f, &good, NULL), ACCORD_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_not_equal(accord_family_add_rule(f, &bad[i], NULL), ACCORD_OK);
    assert_int_equal(accord_family_rules(f), 1);
    accord_tree *even = tree_at("chain", 10), *odd = tree_at("chain", 11);
    assert_true(accord_family_holds(f, even));
    assert_false(accord_family_holds(f, odd));
    accord_tree_free(even);
    accord_tree_free(odd);
    accord_family_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expressions), cmocka_unit_test(test_guesses),
        cmocka_unit_test(test_planted),     cmocka_unit_test(test_single),
        cmocka_unit_test(test_unknown),     cmocka_unit_test(test_form_without_order),
        cmocka_unit_test(test_no_order),    cmocka_unit_test(test_irregular),
        cmocka_unit_test(test_words),       cmocka_unit_test(test_uses),
        cmocka_unit_test(test_rules_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
