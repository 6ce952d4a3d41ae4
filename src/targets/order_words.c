/* Orders in words: the command and the Python package call an order by the same name. Names are
 * those of synthetic orders, which are compared tree by tree. */
#include "targets/target.h"
#include <accord/target.h>

enum { GREATEST_NAMED = 1 << 20 }; /* terms of orders that are looked for among the known ones */

/* Orders that have a name, of the table of synthetic ones. */
static const struct known {
    const char *notation, *words;
} known[] = {
    {"sequential", "sequential"},
    {"reverse", "sequential from the last term"},
    {"pairwise", "pairwise by halves"},
    {"adjacent", "pairwise by neighbours"},
    {"lanes:2", "2 lanes"},
    {"lanes:4,fold=halves", "4 lanes, folded by halves"},
    {"lanes:4,fold=pairwise", "4 lanes, folded by neighbours"},
    {"lanes:4,fold=sequential", "4 lanes, folded one by one"},
    {"lanes:8,fold=halves", "8 lanes, folded by halves"},
    {"lanes:8,fold=pairwise", "8 lanes, folded by neighbours"},
    {"lanes:8,fold=sequential", "8 lanes, folded one by one"},
    {"lanes:16,fold=halves", "16 lanes, folded by halves"},
    {"lanes:16,fold=pairwise", "16 lanes, folded by neighbours"},
    {"lanes:16,fold=sequential", "16 lanes, folded one by one"},
    {"lanes:32,fold=halves", "32 lanes, folded by halves"},
    {"lanes:32,fold=pairwise", "32 lanes, folded by neighbours"},
    {"lanes:64,fold=halves", "64 lanes, folded by halves"},
    {"numpy", "as NumPy's pairwise sum"},
    {"star", "one fused sum"},
};

static bool is_known(const accord_tree *tree, const struct known *row)
{
    char notation[64];
    accord_target_options options;
    accord_target *target = NULL;
    accord_tree *other = NULL;
    bool same = false;
    accord_target_options_init(&options);
    options.n = tree->leaves;
    snprintf(notation, sizeof notation, "synthetic:%s", row->notation);
    if (accord_target_open(notation, &options, &target, NULL) == ACCORD_OK &&
        accord_synthetic_tree(target, &other, NULL) == ACCORD_OK)
        same = accord_tree_equal(tree, other);
    accord_tree_free(other);
    accord_target_close(target);
    return same;
}

static uint32_t depth_of(const accord_tree *tree)
{
    uint32_t *depth = accordi_calloc((size_t)tree->leaves + tree->inner, sizeof *depth);
    uint32_t greatest = 0;
    for (uint32_t k = 0; depth && k < tree->inner; k++) {
        for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++)
            if (depth[tree->child[c]] > depth[tree->leaves + k])
                depth[tree->leaves + k] = depth[tree->child[c]];
        greatest = ++depth[tree->leaves + k];
    }
    free(depth);
    return greatest;
}

void accordi_order_words(const accord_tree *tree, char *text, size_t size)
{
    bool binary = tree->inner + 1 == tree->leaves;
    if (tree->inner <= 1)
        snprintf(text, size, "%s",
                 tree->inner == 0 ? "one term"
                 : binary         ? "one addition"
                                  : "one fused sum");
    else
        snprintf(text, size, "%u %s, %u deep", tree->inner,
                 binary ? "additions" : "sums, some fused", depth_of(tree));
    if (tree->inner <= 1 || tree->leaves > GREATEST_NAMED)
        return;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (is_known(tree, &known[i])) {
            snprintf(text, size, "%s", known[i].words);
            return;
        }
}
