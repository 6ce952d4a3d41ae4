/* Random orders: their makers, and random trees of all kinds for tests. */
#include "targets/synthetic/synthetic.h"

static uint32_t *permutation(accordi_order *order)
{
    uint32_t *p = order->scratch + 3 * order->n;
    for (size_t i = 0; i < order->n; i++)
        p[i] = (uint32_t)i;
    accordi_rng_shuffle(order->rng, p, order->n);
    return p;
}

void accordi_order_caterpillar(accordi_order *order)
{
    accordi_builder_chain(&order->tree, permutation(order), order->n);
}

static size_t cut_anywhere(accordi_order *order, size_t count)
{
    return count == 1 ? 0 : 1 + (size_t)accordi_rng_below(order->rng, count - 1);
}

static uint32_t permuted_leaf(accordi_order *order, size_t from, size_t count)
{
    (void)count;
    return order->scratch[3 * order->n + from];
}

void accordi_order_yule(accordi_order *order)
{
    permutation(order);
    accordi_order_divide(order, cut_anywhere, permuted_leaf);
}

void accordi_order_balanced(accordi_order *order)
{
    permutation(order);
    accordi_order_divide(order, accordi_order_cut_halves, permuted_leaf);
}

/* Remy 1985: leaf k joins at a uniformly random one of the 2k - 1 nodes so far, a new node taking
 * that one's place. Every binary tree with labeled leaves comes out equally often. */
void accordi_order_uniform(accordi_order *order)
{
    size_t n = order->n;
    for (size_t k = 1; k < n; k++) {
        size_t at = (size_t)accordi_rng_below(order->rng, 2 * k - 1);
        uint32_t old = (uint32_t)(at < k ? at : n + at - k);
        accordi_builder_join(&order->tree, old, (uint32_t)k);
    }
}

/* A range of two or more becomes a node of 2 … parameter parts; each part takes a random share of
 * what the parts after it can spare. Every range that waits holds a leaf: n places are enough. */
void accordi_order_multiway(accordi_order *order)
{
    uint32_t *place = permutation(order), *stack = order->scratch;
    size_t waiting = 0;
    uint32_t now[3] = {0, (uint32_t)order->n, ACCORD_TREE_NO_NODE}; /* from, count, above */
    for (;;) {
        uint32_t from = now[0], count = now[1];
        if (count == 1) {
            order->tree.parent[place[from]] = now[2];
        } else {
            uint32_t node = accordi_builder_node(&order->tree);
            order->tree.parent[node] = now[2];
            size_t most = order->parameter < count ? order->parameter : count;
            uint32_t parts = 2 + (uint32_t)accordi_rng_below(order->rng, most - 1);
            for (; parts; parts--) {
                uint32_t spare = count - parts + 1;
                uint32_t size =
                    parts == 1 ? count : 1 + (uint32_t)accordi_rng_below(order->rng, spare);
                uint32_t part[3] = {from, size, node};
                memcpy(stack + 3 * waiting++, part, sizeof part);
                from += size;
                count -= size;
            }
        }
        if (waiting == 0)
            return;
        memcpy(now, stack + 3 * --waiting, sizeof now);
    }
}

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
                            "there is no such kind of random tree, or it would have no leaves; "
                            "choose a kind and n >= 1");
    size_t parameter = kind == ACCORDI_TREE_MULTIWAY ? 8 : 2 + accordi_rng_below(rng, 15);
    const char *fold = folds[accordi_rng_below(rng, 3)];
    return accordi_order_make(makers[kind], n, parameter, fold, rng, out, error);
}
