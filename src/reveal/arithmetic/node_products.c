/* Which products enter a sum unrounded, found by probes.
 *
 * With second factors s = 1 + 2^-h and x_b = 1 + 2^-g, g + h = p + 1, the product has a last bit
 * that rounding drops, and x_a = -1 makes the rest small. The bit is in the result if and only if
 * the product enters unrounded. */
#include "reveal/arithmetic/node_probes.h"
#include "reveal/probes/dense_rows.h"
#include <limits.h>
#include <math.h>

/* The fewest bits that a value of each spot's node keeps on its way to the result. */
static enum accord_status find_narrowest(accordi_node_finder *f, int *bits)
{
    const accord_tree *tree = f->tree;
    int *kept = accordi_ask_alloc(f->asker, tree->inner, sizeof *kept);
    if (!kept)
        return f->asker->status;
    for (uint32_t k = tree->inner; k-- > 0;) {
        uint32_t above = f->layout.parent[tree->leaves + k];
        const accordi_probed_node *s = f->index[k] == UINT32_MAX ? NULL : &f->spot[f->index[k]];
        int own = s && s->known ? accord_format_get(s->operation.format)->precision : INT_MAX;
        kept[k] = above == ACCORD_TREE_NO_NODE
                      ? accord_format_get(f->asker->target->output)->precision
                      : kept[above - tree->leaves];
        kept[k] = own < kept[k] ? own : kept[k];
        if (s)
            bits[f->index[k]] = kept[k];
    }
    free(kept);
    return ACCORD_OK;
}

/* A narrow sum on the way would round the bit away beside what else is left of the product. Its
 * sibling takes away all else, which needs a second factor of its own: the row is zeros times
 * ones. */
static enum accord_status ask_lone_bit(accordi_node_finder *f, accordi_probed_node *s, int at,
                                       accordi_dense *zeros)
{
    int p = f->product_precision, g = p / 2, h = p + 1 - g;
    double bit = ldexp(1, -p - 1), x = 1 + ldexp(1, -g), y = 1 + ldexp(1, -h);
    accordi_dense_put(zeros, 0, s->leaf[at], x, y);
    accordi_dense_put(zeros, 0, s->leaf[!at], -(x + ldexp(1, -h)), 1);
    if (accordi_dense_ask(zeros))
        return f->asker->status;
    double seen = zeros->seen[0] * f->asker->result_factor;
    s->unrounded[at] = seen == bit;
    s->odd |= seen != bit && seen != 0;
    accordi_dense_put(zeros, 0, s->leaf[at], 0, 1);
    accordi_dense_put(zeros, 0, s->leaf[!at], 0, 1);
    return f->asker->status;
}

/* Not where one of the two is a start value: its factor is one and the same. */
static enum accord_status find_hidden_products(accordi_node_finder *f)
{
    accordi_asker *asker = f->asker;
    accordi_dense zeros = {0};
    int needed = (f->product_precision + 1) / 2 + 2;
    int *bits = accordi_ask_alloc(asker, f->spots, sizeof *bits);
    if (bits && !accordi_dense_init(&zeros, asker, 1, true) && !find_narrowest(f, bits))
        accordi_dense_fill(&zeros, zeros.rows++, 0);
    for (uint32_t i = 0; i < f->spots && !asker->status && !asker->target->has_start; i++)
        for (int at = 0; at < 2 && !asker->status; at++)
            if (f->spot[i].leaf_child[at] && bits[i] < needed)
                ask_lone_bit(f, &f->spot[i], at, &zeros);
    free(bits);
    accordi_dense_clear(&zeros);
    return asker->status;
}

enum accord_status accordi_node_products(accordi_node_finder *f)
{
    accordi_asker *asker = f->asker;
    int p = f->product_precision, g = p / 2, h = p + 1 - g;
    double s = 1 + ldexp(1, -h), x = 1 + ldexp(1, -g);
    double rounded = ldexp(1, -g), whole = rounded + ldexp(1, -p - 1);
    accordi_ask_begin(asker, 0);
    asker->second = s;
    asker->target->beta = asker->target->has_start ? s : 0;
    asker->start_factor = asker->target->alpha;
    for (uint32_t i = 0; i < f->spots; i++)
        for (int at = 0; at < 2; at++)
            if (f->spot[i].leaf_child[at]) {
                accordi_ask_own(asker, f->spot[i].leaf[at], x);
                accordi_ask_own(asker, f->spot[i].leaf[!at], -1);
                accordi_ask_end(asker);
            }
    accordi_ask_run(asker);
    accordi_ask_factors(asker, false);
    if (asker->status)
        return asker->status;
    size_t probe = 0;
    for (uint32_t i = 0; i < f->spots; i++)
        for (int at = 0; at < 2; at++)
            if (f->spot[i].leaf_child[at]) {
                double seen = asker->result[probe++];
                f->spot[i].unrounded[at] = seen == whole;
                f->spot[i].odd |= seen != whole && seen != rounded;
            }
    return find_hidden_products(f);
}
