/* The orders of collective operations, beside trees that MPI libraries, gloo and NCCL's source give
 * (by rank; in canonical brackets, where a sum names its least rank first). */
#include "pattern/orders.h"
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_trees),
        cmocka_unit_test(test_any_number_of_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
