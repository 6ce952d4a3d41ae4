/* The tree against second opinions: sets of leaves as bit strings (which nodes there are, which
 * of them another tree has, what is left when leaves go), and arrays that are wrong in one place.
 */
#include "trees.h"
#include "trials.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static accordi_rng rng;

static enum tree_kind some_kind(void)
{
    return (enum tree_kind)accordi_rng_below(&rng, TREE_KINDS);
}

/* ---- sets of leaves ---- */

enum { WORDS = 5 }; /* 320 leaves */
typedef struct set {
    uint64_t w[WORDS];
} set;

static bool same_set(const set *a, const set *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static uint32_t set_size(const set *s)
{
    int count = 0;
    for (int i = 0; i < WORDS; i++)
        count += __builtin_popcountll(s->w[i]);
    return (uint32_t)count;
}

static bool set_holds(const set *s, const set *part)
{
    for (int i = 0; i < WORDS; i++)
        if (part->w[i] & ~s->w[i])
            return false;
    return true;
}

static uint32_t set_smallest(const set *s)
{
    for (uint32_t i = 0; i < 64 * WORDS; i++)
        if (s->w[i / 64] >> (i % 64) & 1)
            return i;
    return UINT32_MAX;
}

/* The leaves under each inner node, by climbing from every leaf. */
static set *sets_of_parents(const uint32_t *parent, uint32_t n, uint32_t m)
{
    set *sets = accordi_calloc(m, sizeof *sets);
    for (uint32_t leaf = 0; leaf < n; leaf++)
        for (uint32_t v = parent[leaf]; v != ACCORD_TREE_NO_NODE; v = parent[v])
            sets[v - n].w[leaf / 64] |= UINT64_C(1) << (leaf % 64);
    return sets;
}

static set *sets_of_tree(const accord_tree *tree)
{
    uint32_t *parent = accordi_alloc((size_t)tree->leaves + tree->inner, sizeof *parent);
    accord_tree_parents(tree, parent);
    set *sets = sets_of_parents(parent, tree->leaves, tree->inner);
    free(parent);
    return sets;
}

static bool among(const set *sets, uint32_t count, const set *wanted)
{
    for (uint32_t i = 0; i < count; i++)
        if (same_set(&sets[i], wanted))
            return true;
    return false;
}

/* ---- canonical form ---- */

static void test_canonical(void **state)
{
    (void)state;
    for (size_t trial = trials(2000); trial-- > 0;) {
        drawn d = draw_tree(&rng, some_kind(), draw_size(&rng));
        accord_tree *tree = drawn_tree(&d);
        accord_error error;
        assert_non_null(tree);
        if (accord_tree_check(tree, &error) != ACCORD_OK)
            fail_msg("%s", error.text);
        set *before = sets_of_parents(d.parent, d.leaves, d.inner), *after = sets_of_tree(tree);
        assert_int_equal(tree->inner, d.inner);
        for (uint32_t k = 0; k < d.inner; k++)
            assert_true(among(after, d.inner, &before[k]));
        uint32_t *size = accordi_alloc(d.inner, sizeof *size);
        accord_tree_sizes(tree, size);
        for (uint32_t k = 0; k < d.inner; k++)
            assert_int_equal(size[k], set_size(&after[k]));
        drawn_renumber(&d, &rng);
        accord_tree *again = drawn_tree(&d);
        assert_true(accord_tree_equal(tree, again));
        accord_tree_free(again);
        accord_tree_free(tree);
        free(size);
        free(before);
        free(after);
        free(d.parent);
    }
}

static void test_parents_round_trip(void **state)
{
    (void)state;
    for (size_t trial = trials(1000); trial-- > 0;) {
        accord_tree *tree = random_tree(&rng, some_kind(), draw_size(&rng));
        drawn d = {tree->leaves, tree->inner, NULL};
        d.parent = accordi_alloc((size_t)d.leaves + d.inner, sizeof *d.parent);
        accord_tree_parents(tree, d.parent);
        for (uint32_t v = 0; v + 1 < d.leaves + d.inner; v++)
            assert_true(d.parent[v] > v && d.parent[v] < d.leaves + d.inner);
        accord_tree *again = drawn_tree(&d);
        assert_true(accord_tree_equal(tree, again));
        accord_tree_free(again);
        accord_tree_free(tree);
        free(d.parent);
    }
}

static void refuse_parents(size_t n, size_t m, const uint32_t *parent, const char *word)
{
    accord_tree *tree = (accord_tree *)(uintptr_t)1;
    accord_error error = {0};
    assert_int_equal(accord_tree_from_parents(n, m, parent, &tree, &error), ACCORD_ARG);
    assert_ptr_equal(tree, (accord_tree *)(uintptr_t)1);
    if (!strstr(error.text, word))
        fail_msg("'%s' does not speak of '%s'", error.text, word);
    assert_int_equal(accord_tree_from_parents(n, m, parent, &tree, NULL), ACCORD_ARG);
}

static void test_parents_that_are_no_tree(void **state)
{
    (void)state;
    const uint32_t none = ACCORD_TREE_NO_NODE;
    refuse_parents(0, 0, (uint32_t[]){none}, "leaves");
    refuse_parents(ACCORD_TREE_MAX_LEAVES + (size_t)1, 1, (uint32_t[]){none}, "leaves");
    refuse_parents(3, 3, (uint32_t[]){3, 3, 4, 4, 5, none}, "inner nodes");
    refuse_parents(3, 0, (uint32_t[]){none, none, none}, "inner nodes");
    refuse_parents(1, 0, (uint32_t[]){0}, "leaf");
    refuse_parents(2, 1, (uint32_t[]){2, 2, 2}, "no root");
    refuse_parents(3, 2, (uint32_t[]){3, 3, 4, none, none}, "two roots: nodes 3 and 4");
    refuse_parents(3, 2, (uint32_t[]){3, 3, none, 4, 4}, "leaf 2");
    refuse_parents(3, 2, (uint32_t[]){3, 0, 4, 4, none}, "node 1 is 0");
    refuse_parents(3, 2, (uint32_t[]){3, 3, 5, 4, none}, "node 2 is 5");
    refuse_parents(3, 2, (uint32_t[]){3, 4, 4, 4, none}, "node 3 has 1");
    refuse_parents(3, 2, (uint32_t[]){4, 4, 4, 4, none}, "node 3 has 0");
    refuse_parents(6, 4, (uint32_t[]){6, 6, 7, 7, 8, 9, none, 8, 9, 8}, "cycle");
    refuse_parents(3, 2, (uint32_t[]){3, 3, 4, 3, none}, "children");
}

/* A random entry changed: refused, or else a tree by the brute-force climb too. */
static void test_parents_changed(void **state)
{
    (void)state;
    for (size_t trial = trials(3000); trial-- > 0;) {
        uint32_t n = 2 + (uint32_t)accordi_rng_below(&rng, 8);
        drawn d = draw_tree(&rng, some_kind(), n);
        uint32_t total = n + d.inner;
        for (int change = 0; change < 2; change++) {
            uint32_t to = (uint32_t)accordi_rng_below(&rng, total + 2);
            d.parent[accordi_rng_below(&rng, total)] = to == total ? ACCORD_TREE_NO_NODE : to;
        }
        bool fine = true;
        uint32_t roots = 0, *children = accordi_calloc(total, sizeof *children);
        for (uint32_t v = 0; v < total; v++) {
            uint32_t steps = 0, p = v;
            while (p < total && steps++ <= total)
                p = d.parent[p];
            fine = fine && p == ACCORD_TREE_NO_NODE;
            roots += d.parent[v] == ACCORD_TREE_NO_NODE;
            if (d.parent[v] < total)
                children[d.parent[v]]++;
        }
        for (uint32_t v = 0; v < total; v++)
            fine = fine && (v < n ? children[v] == 0 : children[v] >= 2);
        accord_tree *tree = NULL;
        enum accord_status status = accord_tree_from_parents(n, d.inner, d.parent, &tree, NULL);
        assert_int_equal(status, fine && roots == 1 ? ACCORD_OK : ACCORD_ARG);
        accord_tree_free(tree);
        free(children);
        free(d.parent);
    }
}

/* ---- check ---- */

/* The canonical form is unique: arrays that pass the check are what from_parents makes of them. */
static bool is_canonical(const accord_tree *tree)
{
    drawn d = {tree->leaves, tree->inner, NULL};
    d.parent = accordi_alloc((size_t)d.leaves + d.inner, sizeof *d.parent);
    accord_tree_parents(tree, d.parent);
    accord_tree *again = drawn_tree(&d);
    bool same = again && accord_tree_equal(tree, again);
    accord_tree_free(again);
    free(d.parent);
    return same;
}

/* A copy with one number changed is refused; but where a node's children end may move so that it
 * gives another canonical tree. */
static void test_check_refuses(void **state)
{
    (void)state;
    for (size_t trial = trials(3000); trial-- > 0;) {
        accord_tree *tree = random_tree(&rng, some_kind(), 1 + draw_size(&rng));
        size_t children = (size_t)tree->leaves + tree->inner - 1;
        uint32_t *first = accordi_alloc(tree->inner + 1, sizeof *first);
        uint32_t *child = accordi_alloc(children, sizeof *child);
        memcpy(first, tree->first, (tree->inner + 1) * sizeof *first);
        memcpy(child, tree->child, children * sizeof *child);
        accord_tree changed = {tree->leaves, tree->inner, first, child};
        assert_int_equal(accord_tree_check(&changed, NULL), ACCORD_OK);
        uint32_t *at = accordi_rng_below(&rng, 2) ? &first[accordi_rng_below(&rng, tree->inner + 1)]
                                                  : &child[accordi_rng_below(&rng, children)];
        uint32_t old = *at;
        while (*at == old)
            *at = accordi_rng_below(&rng, 20) ? (uint32_t)accordi_rng_below(&rng, children + 3)
                                              : UINT32_MAX;
        accord_error error = {0};
        if (accord_tree_check(&changed, &error) == ACCORD_OK)
            assert_true(at > first && at < first + tree->inner && is_canonical(&changed));
        else
            assert_true(error.status == ACCORD_ARG && error.text[0] != '\0');
        accord_tree_free(tree);
        free(first);
        free(child);
    }
}

static void refuse_arrays(uint32_t n, uint32_t m, const uint32_t *first, const uint32_t *child,
                          const char *word)
{
    accord_tree tree = {n, m, first, child};
    accord_error error = {0};
    assert_int_equal(accord_tree_check(&tree, &error), ACCORD_ARG);
    if (!strstr(error.text, word))
        fail_msg("'%s' does not speak of '%s'", error.text, word);
}

static void test_check_names(void **state)
{
    (void)state;
    uint32_t two[] = {0, 2, 4}, three[] = {0, 2, 4, 6};
    refuse_arrays(0, 0, two, two, "leaves");
    refuse_arrays(3, 0, two, two, "inner");
    refuse_arrays(3, 3, three, three, "inner");
    refuse_arrays(3, 2, NULL, two, "no arrays");
    refuse_arrays(3, 2, (uint32_t[]){1, 2, 4}, (uint32_t[]){0, 1, 3, 2}, "begin at 1");
    refuse_arrays(3, 2, (uint32_t[]){0, 1, 4}, (uint32_t[]){0, 1, 3, 2}, "fewer than two");
    refuse_arrays(3, 2, (uint32_t[]){0, 2, UINT32_MAX}, (uint32_t[]){0, 1, 3, 2}, "fewer");
    refuse_arrays(4, 2, (uint32_t[]){0, 2, 4}, (uint32_t[]){0, 1, 4, 2}, "children are listed");
    refuse_arrays(3, 2, two, (uint32_t[]){0, 1, 3, 1}, "leaf 1");
    refuse_arrays(3, 2, two, (uint32_t[]){1, 0, 3, 2}, "order of their smallest leaves");
    refuse_arrays(3, 2, two, (uint32_t[]){1, 2, 3, 0}, "order of their smallest leaves");
    refuse_arrays(3, 2, two, (uint32_t[]){0, 3, 1, 2}, "post-order");
    refuse_arrays(3, 2, two, (uint32_t[]){0, 9, 3, 2}, "post-order");
    refuse_arrays(4, 3, three, (uint32_t[]){2, 3, 0, 1, 5, 4}, "post-order");
    refuse_arrays(4, 3, three, (uint32_t[]){0, 1, 2, 3, 4, 4}, "post-order");
    uint32_t fine[] = {0, 1, 2, 3, 4, 5};
    accord_tree tree = {4, 3, three, fine};
    assert_int_equal(accord_tree_check(&tree, NULL), ACCORD_OK);
}

/* ---- restrict ---- */

static void test_restrict(void **state)
{
    (void)state;
    for (size_t trial = trials(1000); trial-- > 0;) {
        uint32_t n = draw_size(&rng), count = 0, kept[300];
        accord_tree *tree = random_tree(&rng, some_kind(), n), *part = NULL;
        uint64_t chance = 1 + accordi_rng_below(&rng, 100);
        for (uint32_t leaf = 0; leaf < n; leaf++)
            if (accordi_rng_below(&rng, 100) < chance || (leaf == n - 1 && count == 0))
                kept[count++] = leaf;
        assert_int_equal(accord_tree_restrict(tree, count, kept, &part, NULL), ACCORD_OK);
        assert_int_equal(accord_tree_check(part, NULL), ACCORD_OK);
        assert_int_equal(part->leaves, count);
        set *whole = sets_of_tree(tree), *left = sets_of_tree(part);
        set *expected = accordi_calloc(tree->inner, sizeof *expected);
        uint32_t different = 0;
        for (uint32_t k = 0; k < tree->inner; k++) {
            set cut = {{0}};
            for (uint32_t i = 0; i < count; i++)
                cut.w[i / 64] |= (whole[k].w[kept[i] / 64] >> (kept[i] % 64) & 1) << (i % 64);
            if (set_size(&cut) >= 2 && !among(expected, different, &cut))
                expected[different++] = cut;
        }
        assert_int_equal(part->inner, different);
        for (uint32_t k = 0; k < different; k++)
            assert_true(among(left, part->inner, &expected[k]));
        free(whole);
        free(left);
        free(expected);
        accord_tree_free(part);
        accord_tree_free(tree);
    }
}

static void test_restrict_refuses(void **state)
{
    (void)state;
    accord_tree *tree = random_tree(&rng, BINARY, 5), *part = NULL;
    assert_int_equal(accord_tree_restrict(tree, 0, NULL, &part, NULL), ACCORD_ARG);
    assert_int_equal(accord_tree_restrict(tree, 1, (uint32_t[]){5}, &part, NULL), ACCORD_ARG);
    assert_int_equal(accord_tree_restrict(tree, 2, (uint32_t[]){1, 1}, &part, NULL), ACCORD_ARG);
    assert_int_equal(accord_tree_restrict(tree, 2, (uint32_t[]){2, 1}, &part, NULL), ACCORD_ARG);
    assert_null(part);
    accord_tree_free(tree);
}

/* ---- diff ---- */

static bool brute_diff(const accord_tree *a, const accord_tree *b, accord_tree_difference *out)
{
    set *sa = sets_of_tree(a), *sb = sets_of_tree(b);
    bool found = false;
    for (uint32_t k = 0; k < a->inner && !found; k++) {
        found = !among(sb, b->inner, &sa[k]);
        if (!found)
            continue;
        *out = (accord_tree_difference){a->leaves + k, set_size(&sa[k]), set_smallest(&sa[k]), 0};
        uint32_t least = UINT32_MAX;
        for (uint32_t j = 0; j < b->inner; j++)
            if (set_holds(&sb[j], &sa[k]) && set_size(&sb[j]) < least) {
                least = set_size(&sb[j]);
                out->other = b->leaves + j;
            }
    }
    free(sa);
    free(sb);
    return found;
}

/* A tree near the given one: some inner nodes dissolved into their parents, so that it is coarser.
 */
static accord_tree *coarser(const accord_tree *tree, uint64_t chance)
{
    uint32_t n = tree->leaves, m = tree->inner, made = 0;
    drawn d = {n, 0, accordi_alloc((size_t)n + m, sizeof(uint32_t))};
    uint32_t *parent = accordi_alloc((size_t)n + m, sizeof *parent);
    uint32_t *number = accordi_alloc((size_t)n + m, sizeof *number);
    accord_tree_parents(tree, parent);
    for (uint32_t k = m; k-- > 0;) { /* from the root: a dissolved node has its parent's number */
        bool dissolve = k + 1 < m && accordi_rng_below(&rng, 100) < chance;
        number[n + k] = dissolve ? number[parent[n + k]] : n + made++;
        if (!dissolve)
            d.parent[number[n + k]] = k + 1 == m ? ACCORD_TREE_NO_NODE : number[parent[n + k]];
    }
    for (uint32_t leaf = 0; leaf < n; leaf++)
        d.parent[leaf] = m == 0 ? ACCORD_TREE_NO_NODE : number[parent[leaf]];
    d.inner = made;
    accord_tree *out = drawn_tree(&d);
    free(parent);
    free(number);
    free(d.parent);
    return out;
}

static void test_diff(void **state)
{
    (void)state;
    size_t all = trials(3000), differing = 0, swaps = 0;
    for (size_t trial = 0; trial < all; trial++) {
        uint32_t n = draw_size(&rng);
        accord_tree *a = random_tree(&rng, some_kind(), n);
        accord_tree *b = accordi_rng_below(&rng, 3) ? coarser(a, accordi_rng_below(&rng, 60))
                                                    : random_tree(&rng, some_kind(), n);
        if (accordi_rng_below(&rng, 2)) {
            accord_tree *t = a;
            a = b;
            b = t;
        }
        accord_tree_difference expected = {0, 0, 0, 0}, found = {0, 0, 0, 0};
        bool turned = false, differ = false, swapped = false;
        bool different = brute_diff(a, b, &expected);
        if (!different)
            different = turned = brute_diff(b, a, &expected);
        assert_int_equal(accord_tree_diff(a, b, &differ, &swapped, &found, NULL), ACCORD_OK);
        assert_int_equal(differ, different);
        assert_int_equal(differ, !accord_tree_equal(a, b));
        assert_int_equal(swapped, turned);
        assert_memory_equal(&found, &expected, sizeof found);
        differing += different;
        swaps += turned;
        accord_tree_free(a);
        accord_tree_free(b);
    }
    assert_true(30 * differing > all && 30 * swaps > all);
    accord_tree *a = random_tree(&rng, BINARY, 5), *b = random_tree(&rng, BINARY, 6);
    bool differ = true, swapped = true;
    assert_int_equal(accord_tree_diff(a, b, &differ, &swapped, NULL, NULL), ACCORD_OK);
    assert_false(differ);
    accord_tree_free(a);
    accord_tree_free(b);
}

/* ---- brackets and fingerprint ---- */

static bool collect(void *context, const char *text, size_t length)
{
    accordi_buffer_append(context, text, length);
    return true;
}

static bool refuse(void *context, const char *text, size_t length)
{
    (void)text;
    (void)length;
    return --*(int *)context > 0;
}

static void expect_text(const uint32_t *parent, size_t n, size_t m, const char *text,
                        const char *fingerprint)
{
    accord_tree *tree = NULL;
    accordi_buffer out = {0};
    char found[ACCORD_FINGERPRINT_SIZE];
    assert_int_equal(accord_tree_from_parents(n, m, parent, &tree, NULL), ACCORD_OK);
    assert_int_equal(accord_tree_write_brackets(tree, collect, &out, NULL), ACCORD_OK);
    assert_string_equal(out.data, text);
    assert_int_equal(accord_tree_fingerprint(tree, found, NULL), ACCORD_OK);
    assert_string_equal(found, fingerprint);
    accordi_buffer_clear(&out);
    accord_tree_free(tree);
}

/* The fingerprints are what `printf '%s\n' TEXT | sha256sum | cut -c 1-32` prints. */
static void test_known_fingerprints(void **state)
{
    (void)state;
    const uint32_t none = ACCORD_TREE_NO_NODE;
    expect_text((uint32_t[]){none}, 1, 0, "0", "9a271f2a916b0b6ee6cecb2426f0b320");
    expect_text((uint32_t[]){2, 2, none}, 2, 1, "(0+1)", "925226a4670e3a8ad3d9dfeeb00ae1c6");
    expect_text((uint32_t[]){4, 4, 5, 5, 6, 6, none}, 4, 3, "((0+1)+(2+3))",
                "ef02d594918dc60448c5655261a533be");
    expect_text((uint32_t[]){6, 6, 5, 5, none, 4, 4}, 4, 3, "((0+1)+(2+3))",
                "ef02d594918dc60448c5655261a533be");
    expect_text((uint32_t[]){4, 4, 4, 4, none}, 4, 1, "(0+1+2+3)",
                "c587db7ec140d3628413fe7f3406d480");
    expect_text((uint32_t[]){6, 5, 4, 4, 5, 6, none}, 4, 3, "(0+(1+(2+3)))",
                "e064920f58f8ff96e10f863a845e8c28");
}

static void test_sink_that_refuses(void **state)
{
    (void)state;
    accord_tree *tree = random_tree(&rng, BINARY, 100000);
    for (int pieces = 1; pieces < 5; pieces++) {
        int left = pieces;
        accord_error error = {0};
        assert_int_equal(accord_tree_write_brackets(tree, refuse, &left, &error), ACCORD_IO);
        assert_int_equal(left, 0); /* and is not asked again */
        assert_true(error.text[0] != '\0');
    }
    accord_tree_free(tree);
}

/* 10^6 leaves in all shapes: nothing recurses, nothing overflows. */
static void test_large(void **state)
{
    (void)state;
    static const struct {
        enum tree_kind kind;
        uint32_t n;
    } cases[] = {{BINARY, 100000},      {MULTIWAY, 100000},     {LANES, 100000},
                 {CATERPILLAR, 100000}, {CATERPILLAR, 1000000}, {SHUFFLED_CATERPILLAR, 1000000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        accord_tree *a = random_tree(&rng, cases[i].kind, cases[i].n), *half = NULL;
        accord_tree *b = coarser(a, 1);
        uint32_t *kept = accordi_alloc(cases[i].n / 2, sizeof *kept);
        char fingerprint[ACCORD_FINGERPRINT_SIZE];
        bool differ = false, swapped = false;
        accord_tree_difference where;
        assert_int_equal(accord_tree_check(a, NULL), ACCORD_OK);
        assert_int_equal(accord_tree_diff(a, b, &differ, &swapped, &where, NULL), ACCORD_OK);
        assert_true(differ && !swapped);
        assert_int_equal(accord_tree_diff(b, a, &differ, &swapped, &where, NULL), ACCORD_OK);
        assert_true(differ && swapped);
        for (uint32_t k = 0; k < cases[i].n / 2; k++)
            kept[k] = 2 * k + 1;
        assert_int_equal(accord_tree_restrict(a, cases[i].n / 2, kept, &half, NULL), ACCORD_OK);
        assert_int_equal(accord_tree_check(half, NULL), ACCORD_OK);
        assert_int_equal(accord_tree_fingerprint(a, fingerprint, NULL), ACCORD_OK);
        assert_int_equal(strlen(fingerprint), 32);
        accord_tree_free(a);
        accord_tree_free(b);
        accord_tree_free(half);
        free(kept);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_canonical),
        cmocka_unit_test(test_parents_round_trip),
        cmocka_unit_test(test_parents_that_are_no_tree),
        cmocka_unit_test(test_parents_changed),
        cmocka_unit_test(test_check_refuses),
        cmocka_unit_test(test_check_names),
        cmocka_unit_test(test_restrict),
        cmocka_unit_test(test_restrict_refuses),
        cmocka_unit_test(test_diff),
        cmocka_unit_test(test_known_fingerprints),
        cmocka_unit_test(test_sink_that_refuses),
        cmocka_unit_test(test_large),
    };
    accordi_rng_init(&rng, trials_seed());
    return cmocka_run_group_tests(tests, NULL, NULL);
}
