/* Orders of terms that cannot be negative: drawn at random they come back, in few questions; what
 * is no such sum, or does not show its order, has its reason. */
#include "reveal/positive.h"
#include "trees.h"
#include "trials.h"
#include <math.h>
#include <mpfr.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum width { NARROW, DOUBLE, EXTENDED, WIDTHS };

/* What a callback adds, and how. */
typedef struct sum {
    const accord_tree *tree;
    enum accord_term term;
    bool root, is_f32;
    enum width width;
    long double *value; /* per node */
    accordi_rng rng;
    size_t special;
} sum;

static long double rounded(const sum *s, long double x)
{
    if (s->width == EXTENDED)
        return x;
    return s->width == DOUBLE || !s->is_f32 ? (long double)(double)x : (long double)(float)x;
}

/* Double rounding is harmless from 64 to 24 bits, not to 53: plain arithmetic there. */
static long double added(const sum *s, long double a, long double b)
{
    if (s->width == EXTENDED)
        return a + b;
    if (s->width == NARROW && s->is_f32)
        return (float)a + (float)b;
    return (double)a + (double)b;
}

static long double term(const sum *s, const void *x, size_t i)
{
    long double v = s->is_f32 ? ((const float *)x)[i] : ((const double *)x)[i];
    if (s->term == ACCORD_TERM_ABSOLUTE)
        return fabsl(v);
    if (s->width == EXTENDED)
        return v * v;
    return s->width == NARROW && s->is_f32 ? (float)v * (float)v : (double)v * (double)v;
}

static double finish(const sum *s, long double total)
{
    if (s->root && s->width == EXTENDED)
        total = sqrtl(total);
    else if (s->root)
        total = rounded(s, sqrt((double)total));
    return s->is_f32 ? (double)(float)total : (double)total;
}

static double along_tree(void *context, const void *x, size_t n)
{
    sum *s = context;
    const accord_tree *t = s->tree;
    for (size_t i = 0; i < n; i++)
        s->value[i] = term(s, x, i);
    for (uint32_t k = 0; k < t->inner; k++) {
        long double total = s->value[t->child[t->first[k]]];
        for (uint32_t c = t->first[k] + 1; c < t->first[k + 1]; c++)
            total = t->first[k + 1] - t->first[k] == 2 ? added(s, total, s->value[t->child[c]])
                                                       : total + s->value[t->child[c]];
        s->value[n + k] = rounded(s, total);
    }
    return finish(s, s->value[n + t->inner - 1]);
}

typedef struct answer {
    enum accord_status status;
    accord_error error;
    accord_tree *tree;
    bool proven;
    accordi_certificate certificate;
    uint64_t discovery, proof;
    double scale;
} answer;

static answer reveal(accord_sum_callback *callback, sum *s, size_t n, uint64_t seed)
{
    answer a = {.error = {.status = ACCORD_OK}};
    accordi_asker asker;
    accord_target *target = NULL;
    s->value = accordi_alloc(2 * n, sizeof *s->value);
    accordi_rng_init(&s->rng, seed);
    assert_int_equal(accord_target_from_callback(callback, s, n, s->is_f32, &target, NULL),
                     ACCORD_OK);
    accordi_ask_init(&asker, target, seed, &a.error);
    a.status = accordi_positive(&asker, &a.tree);
    a.discovery = target->calls;
    if (!a.status)
        a.status = accordi_positive_prove(&asker, a.tree, &a.certificate, &a.proven);
    a.proof = target->calls - a.discovery;
    a.scale = asker.scale;
    accordi_ask_clear(&asker);
    accord_target_close(target);
    free(s->value);
    return a;
}

static sum any_sum(accordi_rng *rng)
{
    sum s = {.is_f32 = accordi_rng_next(rng) >> 63};
    s.term = accordi_rng_next(rng) >> 63 ? ACCORD_TERM_SQUARE : ACCORD_TERM_ABSOLUTE;
    s.root = s.term == ACCORD_TERM_SQUARE && accordi_rng_next(rng) >> 63;
    return s;
}

static const char *name_of(const sum *s)
{
    static char text[80];
    snprintf(text, sizeof text, "%s%s %s width %d", s->root ? "root of " : "",
             s->term == ACCORD_TERM_SQUARE ? "squares" : "absolutes", s->is_f32 ? "f32" : "f64",
             (int)s->width);
    return text;
}

static accord_tree *binary(accordi_rng *rng, uint32_t n)
{
    static const enum tree_kind kinds[] = {BINARY, CATERPILLAR, LANES, SHUFFLED_CATERPILLAR};
    return random_tree(rng, kinds[accordi_rng_below(rng, 4)], n);
}

/* Discovery and proof of a binary tree in the given width. */
static bool comes_back(sum *s, accordi_rng *rng, uint32_t n)
{
    accord_tree *tree = binary(rng, n);
    s->tree = tree;
    uint64_t seed = accordi_rng_next(rng);
    answer a = reveal(along_tree, s, n, seed);
    bool good = !a.status && accord_tree_equal(a.tree, tree) && a.proven &&
                a.certificate.confirmed == tree->inner;
    if (!good)
        printf("# %s n %u seed %" PRIu64 ": %s\n", name_of(s), n, seed,
               a.status   ? a.error.text
               : a.proven ? "another tree"
                          : "not proven");
    accord_tree_free(a.tree);
    accord_tree_free(tree);
    return good;
}

static void test_trees_come_back(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    size_t wrong = 0;
    for (size_t i = 0; i < trials(1500); i++) {
        sum s = any_sum(&rng);
        wrong += !comes_back(&s, &rng, draw_size(&rng));
    }
    assert_int_equal(wrong, 0);
}

static void test_wider_accumulators(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    size_t wrong = 0;
    for (size_t i = 0; i < trials(800); i++) {
        sum s = any_sum(&rng);
        s.width = accordi_rng_next(&rng) >> 63 ? EXTENDED : DOUBLE;
        wrong += !comes_back(&s, &rng, 3 + draw_size(&rng));
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees_come_back),
        cmocka_unit_test(test_wider_accumulators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
