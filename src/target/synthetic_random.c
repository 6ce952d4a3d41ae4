/* Random trees for tests: the makers of synthetic orders, with random parameters. */
#include "target/synthetic.h"

enum accord_status accordi_random_tree(accordi_rng *rng, enum accordi_tree_kind kind, size_t n,
                                       accord_tree **out, accord_error *error)
{
    static accordi_order_maker *const makers[ACCORDI_TREE_KINDS] = {
        [ACCORDI_TREE_YULE] = accordi_order_yule,
        [ACCORDI_TREE_UNIFORM] = accordi_order_uniform,
        [ACCORDI_TREE_CATERPILLAR] = accordi_order_caterpillar,
        [ACCORDI_TREE_LANES] = accordi_order_lanes,
        [ACCORDI_TREE_MULTIWAY] = accordi_order_multiway,
        [ACCORDI_TREE_CHAIN] = accordi_order_fused,
        [ACCORDI_TREE_BALANCED] = accordi_order_balanced,
    };
    static const char *const folds[] = {"halves", "pairwise", "sequential"};
    if ((unsigned)kind >= ACCORDI_TREE_KINDS || n == 0)
        return accordi_fail(error, ACCORD_ARG,
                            "no such kind of random tree, or no leaves; choose a kind and n >= 1");
    size_t parameter = kind == ACCORDI_TREE_MULTIWAY ? 8 : 2 + accordi_rng_below(rng, 15);
    const char *fold = folds[accordi_rng_below(rng, 3)];
    return accordi_order_make(makers[kind], n, parameter, fold, rng, out, error);
}
