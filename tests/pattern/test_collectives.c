/* The orders of collective operations, beside trees that MPI libraries, gloo and NCCL's source give
 * (by rank; in canonical brackets, where a sum names its least rank first). */
#include "pattern/orders.h"
#include <accord/notation.h>
#include <accord/pattern.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static accord_tree *made(accordi_order_maker *maker, size_t n, size_t parameter)
{
    accord_tree *tree;
    accord_error error;
    if (accordi_order_make(maker, n, parameter, NULL, NULL, &tree, &error))
        fail_msg("n = %zu: %s", n, error.text);
    return tree;
}

typedef struct text {
    char at[400];
    size_t length;
} text;

static bool append(void *context, const char *part, size_t length)
{
    text *t = context;
    assert_true(t->length + length < sizeof t->at);
    memcpy(t->at + t->length, part, length);
    t->length += length;
    return true;
}

static void test_known_trees(void **state)
{
    (void)state;
    static const struct {
        accordi_order_maker *make;
        size_t n, parameter;
        const char *brackets;
    } rows[] = {
        {accordi_order_recursive_doubling, 5, 0, "(((0+1)+2)+(3+4))"},
        {accordi_order_recursive_doubling, 6, 0, "(((0+1)+(2+3))+(4+5))"},
        {accordi_order_recursive_doubling, 7, 0, "(((0+1)+(2+3))+((4+5)+6))"},
        {accordi_order_recursive_halving, 6, 0, "(((0+1)+4)+((2+3)+5))"},
        {accordi_order_recursive_halving, 8, 0, "(((0+4)+(2+6))+((1+5)+(3+7)))"},
        {accordi_order_reverse, 6, 0, "(0+(1+(2+(3+(4+5)))))"},
        {accordi_order_ring, 4, 2, "((0+(2+3))+1)"},
        {accordi_order_ring, 4, 6, "((0+(2+3))+1)"},
        {accordi_order_ring_down, 4, 0, "(((0+3)+2)+1)"},
        {accordi_order_ring_down, 4, 2, "((0+(1+2))+3)"},
        {accordi_order_chain, 8, 4, "((((0+(1+2))+(3+4))+(5+6))+7)"},
        {accordi_order_chain, 4, 1, "(0+(1+(2+3)))"},
        {accordi_order_chain, 3, 9, "((0+1)+2)"},
        {accordi_order_binary, 6, 0, "((0+((1+3)+5))+(2+4))"},
        {accordi_order_in_order_binary, 7, 0, "((0+(1+2))+((3+(4+5))+6))"},
        {accordi_order_in_order_binary, 8, 0, "(((0+1)+(2+3))+((4+(5+6))+7))"},
        {accordi_order_binomial, 5, 0, "(((0+1)+(2+3))+4)"},
        {accordi_order_binomial, 6, 0, "(((0+1)+(2+3))+(4+5))"},
        {accordi_order_k_nomial, 6, 3, "(((0+1)+2)+((3+4)+5))"},
        {accordi_order_k_nomial, 6, 4, "((((0+1)+2)+3)+(4+5))"},
        {accordi_order_k_nomial, 8, 5, "(((((0+1)+2)+3)+4)+((5+6)+7))"},
        {accordi_order_k_nomial, 11, 3, "(((((0+1)+2)+((3+4)+5))+((6+7)+8))+(9+10))"},
        {accordi_order_k_nomial, 6, 1, "(((0+1)+(2+3))+(4+5))"},
        {accordi_order_k_ary, 8, 4, "((((0+(((1+5)+6)+7))+2)+3)+4)"},
        {accordi_order_k_ary, 8, 2, "((0+((1+(3+7))+4))+((2+5)+6))"},
        {accordi_order_k_ary, 3, 1, "(0+(1+2))"},
        {accordi_order_hierarchical_cyclic, 8, 2, "(((0+2)+(4+6))+((1+3)+(5+7)))"},
        {accordi_order_hierarchical_cyclic, 5, 1, "(((0+1)+2)+(3+4))"},
        {accordi_order_hierarchical, 7, 3, "((((0+1)+2)+((3+4)+5))+6)"},
        {accordi_order_nccl_tree, 2, 0, "(0+1)"},
        {accordi_order_nccl_tree, 3, 0, "(0+(1+2))"},
        {accordi_order_nccl_tree, 6, 0, "(0+((((1+2)+3)+4)+5))"},
        {accordi_order_nccl_tree, 8, 0, "(0+((((1+2)+3)+4)+((5+6)+7)))"},
        {accordi_order_nccl_second_tree, 4, 0, "((0+(1+2))+3)"},
        {accordi_order_nccl_second_tree, 3, 0, "((0+2)+1)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        accord_tree *tree = made(rows[i].make, rows[i].n, rows[i].parameter);
        text t = {.length = 0};
        assert_int_equal(accord_tree_write_brackets(tree, append, &t, NULL), ACCORD_OK);
        t.at[t.length] = 0;
        if (strcmp(t.at, rows[i].brackets) != 0)
            fail_msg("row %zu: %s, expected %s", i, t.at, rows[i].brackets);
        accord_tree_free(tree);
    }
}

/* Whatever the number of ranks: each comes once (or no tree would be made), and on powers of two
 * algorithms that are alike give one tree. */
static void test_any_number_of_ranks(void **state)
{
    (void)state;
    accordi_order_maker *const makers[] = {accordi_order_recursive_doubling,
                                           accordi_order_recursive_halving,
                                           accordi_order_ring,
                                           accordi_order_ring_down,
                                           accordi_order_chain,
                                           accordi_order_binary,
                                           accordi_order_in_order_binary,
                                           accordi_order_binomial,
                                           accordi_order_k_nomial,
                                           accordi_order_k_ary,
                                           accordi_order_hierarchical,
                                           accordi_order_hierarchical_cyclic,
                                           accordi_order_nccl_tree,
                                           accordi_order_nccl_second_tree};
    for (size_t n = 1; n <= 300; n++)
        for (size_t m = 0; m < sizeof makers / sizeof *makers; m++) {
            accord_tree *tree = made(makers[m], n, 1 + n % 5);
            assert_int_equal(tree->leaves, n);
            assert_int_equal(tree->inner, n - 1);
            accord_tree_free(tree);
        }
    for (size_t n = 1; n <= 4096; n *= 2) {
        accord_tree *a = made(accordi_order_recursive_doubling, n, 0),
                    *b = made(accordi_order_binomial, n, 0),
                    *c = made(accordi_order_adjacent, n, 0),
                    *d = made(accordi_order_hierarchical, n, 4);
        assert_true(accord_tree_equal(a, b) && accord_tree_equal(a, c) && accord_tree_equal(a, d));
        accord_tree_free(a);
        accord_tree_free(b);
        accord_tree_free(c);
        accord_tree_free(d);
    }
}

static char *names_of(const accord_tree *tree)
{
    char *names = NULL;
    assert_int_equal(accord_order_names(tree, &names, NULL), ACCORD_OK);
    return names;
}

static bool lists(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = names; (at = strstr(at, name)); at++)
        if ((at == names || at[-1] == '\n') && (at[length] == '\n' || !at[length]))
            return true;
    return false;
}

/* Algorithms with all parameters up to some; the names are what is expected. */
static const struct {
    accordi_order_maker *make;
    size_t least; /* parameter; 0: there is none, or it is a rank */
    const char *name;
} algorithms[] = {
    {accordi_order_sequential, 0, "linear"},
    {accordi_order_reverse, 0, "linear from the last rank"},
    {accordi_order_recursive_doubling, 0, "recursive doubling or Rabenseifner"},
    {accordi_order_recursive_halving, 0, "recursive halving"},
    {accordi_order_ring, 0, "ring upward from rank %zu"},
    {accordi_order_ring_down, 0, "ring downward from rank %zu"},
    {accordi_order_chain, 2, "%zu chains of ranks"},
    {accordi_order_binary, 0, "binary tree"},
    {accordi_order_in_order_binary, 0, "in-order binary tree"},
    {accordi_order_binomial, 0, "binomial tree"},
    {accordi_order_k_nomial, 3, "%zu-nomial tree"},
    {accordi_order_k_ary, 2, "tree of %zu children a rank"},
    {accordi_order_hierarchical, 2, "recursive doubling in nodes of %zu ranks, then over them"},
    {accordi_order_hierarchical_cyclic, 2,
     "recursive doubling in %zu nodes that take ranks in turn, then over them"},
    {accordi_order_nccl_tree, 0, "NCCL's tree"},
    {accordi_order_nccl_second_tree, 0, "NCCL's second tree"},
};
enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms, MOST_TREES = ALGORITHMS * 40 };

typedef struct named {
    accord_tree *tree;
    char name[100], *names;
} named;

static size_t run_all(size_t n, named *out)
{
    size_t count = 0;
    for (size_t i = 0; i < ALGORITHMS; i++) {
        bool has = strstr(algorithms[i].name, "%zu") != NULL;
        for (size_t p = algorithms[i].least; p < (has ? n : 1); p++) {
            named *now = &out[count++];
            now->tree = made(algorithms[i].make, n, p);
            now->names = names_of(now->tree);
            snprintf(now->name, sizeof now->name, algorithms[i].name, p);
        }
    }
    return count;
}

/* A name is listed exactly where the algorithm gives this tree. */
static void test_names(void **state)
{
    (void)state;
    static named all[MOST_TREES];
    for (size_t n = 3; n <= 33; n++) {
        size_t count = run_all(n, all);
        for (size_t i = 0; i < count; i++)
            for (size_t j = 0; j < count; j++)
                if (lists(all[i].names, all[j].name) != accord_tree_equal(all[i].tree, all[j].tree))
                    fail_msg("n = %zu: is %s also called %s? %s", n, all[i].name, all[j].name,
                             all[i].names);
        for (size_t i = 0; i < count; i++) {
            accord_tree_free(all[i].tree);
            accord_notation_free(all[i].names);
        }
    }
}

static void test_no_names(void **state)
{
    (void)state;
    static const struct {
        accordi_order_maker *make;
        size_t n, parameter;
        const char *names;
    } rows[] = {
        {accordi_order_sequential, 1, 0, ""},
        {accordi_order_sequential, 2, 0, ""},
        {accordi_order_star, 3, 0, ""},     /* one fused sum */
        {accordi_order_numpy, 1000, 0, ""}, /* eight lanes */
        {accordi_order_lanes, 24, 8, ""},   /* likewise */
        {accordi_order_binary, 4096, 0, "binary tree"},
        {accordi_order_binary, 4097, 0, ""}, /* too many */
        {accordi_order_k_ary, 4096, 5, "tree of 5 children a rank"},
        {accordi_order_hierarchical, 4096, 12,
         "recursive doubling in nodes of 12 ranks, then over them"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        accord_tree *tree = made(rows[i].make, rows[i].n, rows[i].parameter);
        char *names = names_of(tree);
        assert_string_equal(names, rows[i].names);
        accord_notation_free(names);
        accord_tree_free(tree);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_trees),
        cmocka_unit_test(test_any_number_of_ranks),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_no_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
