/* The naive algorithm: every order is tested on random inputs (NaiveSol in section 3.3 of Xie et
 * al., arXiv:2411.00442). All binary trees over n labeled leaves come from inserting leaf k = 1, 2,
 * … into any edge of a tree of the leaves before it (or above its root): an odometer of digits, the
 * k-th below 2k - 1; (2n-3)!! trees. */
#include "reveal/discover/paper/paper.h"
#include "reveal/inputs/replays.h"

enum { MOST_TERMS = 9, TRIALS = 500, GLANCE = 8 };

/* Node n+k-1 is made with leaf k; digit e < 2k-1 names the node above which it goes. */
static void insert(uint32_t *parent, uint32_t n, uint32_t k, uint32_t e)
{
    uint32_t node = n + k - 1;
    uint32_t below = e < k ? e : n + (e - k); /* leaves 0 … k-1, then nodes n … n+k-2 */
    parent[node] = parent[below];
    parent[below] = parent[k] = node;
}

static enum accord_status tree_of(accordi_asker *asker, const uint32_t *digit, accord_tree **out)
{
    uint32_t n = (uint32_t)asker->n, parent[2 * MOST_TERMS];
    for (uint32_t i = 0; i < 2 * n - 1; i++)
        parent[i] = ACCORD_TREE_NO_NODE;
    for (uint32_t k = 1; k < n; k++)
        insert(parent, n, k, digit[k]);
    return asker->status = accord_tree_from_parents(n, n - 1, parent, out, asker->error);
}

static bool next_order(uint32_t *digit, size_t n)
{
    for (size_t k = 1; k < n; k++) {
        if (++digit[k] < 2 * k - 1)
            return true;
        digit[k] = 0;
    }
    return false;
}

/* Does the tree replay all trials? A glance at a few rows spares most trees the rest. */
static enum accord_status replays_all(accordi_asker *asker, const accordi_replays *replays,
                                      const accord_model *model, bool *all)
{
    size_t agree = 0;
    *all = false;
    if (accordi_replays_agree(asker, replays, model, GLANCE, GLANCE, &agree) || agree < GLANCE)
        return asker->status;
    if (accordi_replays_agree(asker, replays, model, TRIALS, TRIALS, &agree))
        return asker->status;
    *all = agree == TRIALS;
    return ACCORD_OK;
}

static enum accord_status search_orders(accordi_asker *asker, const accordi_replays *replays,
                                        const accord_arithmetic *plain, accord_tree **out)
{
    uint32_t digit[MOST_TERMS] = {0};
    do {
        accord_tree *tree = NULL;
        bool all = false;
        if (tree_of(asker, digit, &tree))
            return asker->status;
        const accord_model model = {tree, plain};
        if (!replays_all(asker, replays, &model, &all) && all) {
            *out = tree;
            return ACCORD_OK;
        }
        accord_tree_free(tree);
        if (asker->status)
            return asker->status;
    } while (next_order(digit, asker->n));
    return ACCORD_OK;
}

static enum accord_status plain_sum(accordi_asker *asker, enum accord_format accumulator,
                                    accord_arithmetic **out)
{
    const accord_target *target = asker->target;
    asker->status = accord_arithmetic_plain(asker->term, target->format, accumulator,
                                            target->output, out, asker->error);
    if (!asker->status && asker->scale != 1) {
        (*out)->finish = ACCORD_FINISH_TIMES;
        (*out)->factor = asker->scale;
    }
    return asker->status;
}

enum accord_status accordi_naive(accordi_asker *asker, accord_tree **out)
{
    if (asker->n > MOST_TERMS)
        return asker->status = accordi_fail(
                   asker->error, ACCORD_UNSUPPORTED,
                   "naive search tries (2n-3)!! orders: at most %d terms, not %zu; use "
                   "--algorithm auto",
                   MOST_TERMS, asker->n);
    accordi_replays replays;
    accord_tree *tree = NULL;
    enum accord_format accumulator[ACCORDI_ACCUMULATORS];
    size_t count = accordi_accumulators(asker, accumulator);
    asker->target->alpha = 1;
    asker->target->beta = asker->target->has_start;
    accordi_replays_ask(asker, TRIALS, TRIALS, true, NULL, &replays, NULL);
    accordi_ask_factors(asker, false);
    for (size_t i = 0; i < count && !tree && !asker->status; i++) {
        accord_arithmetic *plain = NULL;
        if (!plain_sum(asker, accumulator[i], &plain))
            search_orders(asker, &replays, plain, &tree);
        accord_arithmetic_free(plain);
    }
    accordi_replays_clear(&replays);
    if (!asker->status && !tree)
        return accordi_ask_unable(
            asker, ACCORD_REASON_NOT_A_TREE,
            "no order of two-term additions in plain arithmetic gives these results");
    if (!asker->status)
        *out = tree;
    return asker->status;
}
