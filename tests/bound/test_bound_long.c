/* Bounds where not all evaluations can be tried: long sums, excess precision and flushing. Random
 * evaluations that the model allows, never outside. */
#include "evaluations.h"

static size_t terms_of(const node *n, bool minus, entry *out)
{
    if (n->kind == '+' || n->kind == '-') {
        size_t count = terms_of(n->a, minus, out);
        return count + terms_of(n->b, minus != (n->kind == '-'), out + count);
    }
    if (n->kind == '*')
        *out = (entry){minus ? -n->a->value : n->a->value, n->b->value, true};
    else
        *out = (entry){flushed(minus ? -n->value : n->value), 1, false};
    return 1;
}

static double any_order(const node *n)
{
    entry e[MOST];
    size_t count = terms_of(n, false, e);
    return sum_of(e, count);
}

static node *random_sum(size_t terms, int spread, bool products)
{
    node *sum = NULL;
    nodes = 0;
    for (size_t i = 0; i < terms; i++) {
        node *x = make('v', number(spread), NULL, NULL);
        if (products && chance(2))
            x = make('*', 0, x, make('v', number(spread), NULL, NULL));
        sum = sum ? make(chance(2) ? '+' : '-', 0, sum, x) : x;
    }
    return sum;
}

static void test_long(void **state)
{
    (void)state;
    keeps_wide = flushes = false;
    for (size_t i = 0; i < trials(300); i++) {
        int spread = chance(3) ? 60 : chance(2) ? 3 : 12;
        node *sum = random_sum(17 + below(chance(4) ? 70 : 12), spread, chance(2));
        if (chance(2))
            sum = cancelled(sum, any_order);
        try_all(sum, chance(2) ? ACCORD_BOUND_PERM : ACCORD_BOUND_LOOP, 60, any_order);
    }
}

static void test_wide_and_flushed(void **state)
{
    (void)state;
    for (size_t i = 0; i < trials(600); i++) {
        unsigned model = ACCORD_BOUND_PERM;
        keeps_wide = chance(2);
        flushes = !keeps_wide || chance(2);
        model |= (keeps_wide ? ACCORD_BOUND_EXCESS : 0) | (flushes ? ACCORD_BOUND_FTZ : 0);
        node *sum = random_sum(chance(3) ? 17 + below(20) : 1 + below(7), 5, true);
        int shift = flushes ? (chance(2) ? -126 : -65) : 0; /* into the subnormal numbers */
        for (size_t k = 0; k < nodes; k++)
            if (pool[k].kind == 'v')
                pool[k].value = (double)(float)ldexp(pool[k].value, shift);
        try_all(sum, model, 60, any_order);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_long),
        cmocka_unit_test(test_wide_and_flushed),
    };
    accordi_rng_init(&rng, trials_seed());
    return cmocka_run_group_tests(tests, NULL, NULL);
}
