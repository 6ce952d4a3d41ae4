/* Compares orders with counts of some pairs of terms, before they are verified: which costs few
 * calls, and no tree where an order is one that the number of terms determines. */
#include "reveal/discover/glance.h"

enum { PAIRS = ACCORDI_GLANCE_PAIRS };

/* Terms under the least common ancestor; children have smaller numbers than parents. */
static uint32_t leaves_under(const accord_tree *tree, const uint32_t *parent, const uint32_t *size,
                             uint32_t i, uint32_t j)
{
    while (i != j)
        if (i < j)
            i = parent[i];
        else
            j = parent[j];
    return size[i - tree->leaves];
}

/* Most pairs drawn at random meet near the root, where orders are alike; so distances are powers of
 * two from 1 to half the terms. */
static uint32_t distance_of(size_t n, int pair)
{
    int levels = 0;
    while (n >> (levels + 1))
        levels++;
    return 1u << (levels - 1) * pair / (PAIRS - 1);
}

enum accord_status accordi_glance_take(accordi_asker *asker, accordi_glance *g)
{
    accordi_ask_begin(asker, asker->unit);
    for (int p = 0; p < PAIRS; p++) {
        uint32_t distance = distance_of(asker->n, p);
        g->pair[p][0] = (uint32_t)accordi_rng_below(&asker->rng, asker->n - distance);
        g->pair[p][1] = g->pair[p][0] + distance;
        accordi_ask_masks(asker, g->pair[p][0], g->pair[p][1]);
    }
    accordi_ask_run(asker);
    for (int p = 0; p < PAIRS && !asker->status; p++)
        accordi_ask_decode(asker, asker->result[p], &g->units[p]);
    return asker->status;
}

/* How many terms are under the least node above both terms of each pair. */
static enum accord_status count_in_tree(accordi_asker *asker, const accord_tree *tree,
                                        const uint32_t pair[][2], size_t pairs, uint32_t *under)
{
    uint32_t *parent = accordi_ask_alloc(asker, tree->leaves + tree->inner, sizeof *parent);
    uint32_t *size = accordi_ask_alloc(asker, tree->inner, sizeof *size);
    if (!asker->status) {
        accord_tree_parents(tree, parent);
        accord_tree_sizes(tree, size);
    }
    for (size_t p = 0; p < pairs && !asker->status; p++)
        under[p] = leaves_under(tree, parent, size, pair[p][0], pair[p][1]);
    free(parent);
    free(size);
    return asker->status;
}

static uint32_t count_in_plain(accordi_asker *asker, const accordi_plain_order *plain, uint32_t a,
                               uint32_t b)
{
    size_t from, count;
    accordi_order_parting(plain->cut, asker->n, a, b, &from, &count);
    uint32_t under = (uint32_t)count, pair[1][2] = {{a - (uint32_t)from, b - (uint32_t)from}};
    accord_tree *piece = NULL;
    if (plain->cut(NULL, count))
        return under;
    asker->status = accordi_order_make(plain->make, count, 0, NULL, NULL, &piece, asker->error);
    if (!asker->status)
        count_in_tree(asker, piece, pair, 1, &under);
    accord_tree_free(piece);
    return under;
}

/* Is it as was counted? Or nearly: but for so many terms, and but for one pair, a term of which may
 * be displaced. */
static bool agrees(accordi_asker *asker, accordi_candidate c, const accordi_glance *g, bool nearly,
                   uint32_t but_for)
{
    uint32_t under[PAIRS], strays = 0;
    if (c.tree && count_in_tree(asker, c.tree, g->pair, PAIRS, under))
        return false;
    for (int p = 0; p < PAIRS && strays <= nearly && !asker->status; p++) {
        if (c.plain)
            under[p] = count_in_plain(asker, c.plain, g->pair[p][0], g->pair[p][1]);
        uint64_t units = g->units[p], due = asker->n - under[p];
        strays += (due < units ? units - due : due - units) > but_for;
    }
    return strays <= nearly && !asker->status;
}

/* The same of other pairs: which tells orders from each other that are alike. */
bool accordi_glance_again(accordi_asker *asker, accordi_candidate c, uint32_t but_for)
{
    enum { GLANCES_MORE = 5 };
    bool agreeing = true;
    for (int i = 0; i < GLANCES_MORE && agreeing; i++) {
        accordi_glance more;
        agreeing = !accordi_glance_take(asker, &more) && agrees(asker, c, &more, true, but_for);
    }
    return agreeing;
}

uint32_t accordi_terms_elsewhere(const accordi_asker *asker, enum accordi_nearness near)
{
    enum { SOME = 64, TERMS_OF_SOME = 64 };
    return near < ACCORDI_SOME_ELSEWHERE ? near : SOME + (uint32_t)asker->n / TERMS_OF_SOME;
}

bool accordi_glance_near(accordi_asker *asker, accordi_candidate c, const accordi_glance *g,
                         enum accordi_nearness near)
{
    uint32_t but_for = accordi_terms_elsewhere(asker, near);
    return agrees(asker, c, g, near > ACCORDI_THE_SAME, but_for) &&
           (near == ACCORDI_THE_SAME || accordi_glance_again(asker, c, but_for));
}
