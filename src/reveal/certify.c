/* Replays, and the width of one node. The proof of the order is in prove.c. */
#include "reveal/certify.h"
#include "reveal/layout.h"
#include <math.h>

/* The precision of the node that joins two children of a child of the root: the least drop at
 * which a mask there swallows a term. */
static enum accord_status measure_width(accordi_asker *asker, const accord_tree *tree, int *bits)
{
    enum { STEPS = 120 };
    accordi_layout l;
    *bits = 0;
    uint32_t root = tree->inner - 1, inside = ACCORD_TREE_NO_NODE, beside = inside;
    for (uint32_t c = tree->first[root]; c < tree->first[root + 1]; c++)
        if (tree->child[c] >= tree->leaves)
            inside = tree->child[c];
    if (inside == ACCORD_TREE_NO_NODE || accordi_layout_init(asker, tree, &l))
        return asker->status;
    for (uint32_t c = tree->first[root]; c < tree->first[root + 1]; c++)
        if (tree->child[c] != inside)
            beside = tree->child[c];
    const uint32_t *child = tree->child + tree->first[inside - tree->leaves];
    uint32_t a = accordi_layout_leaf(asker, &l, child[0]),
             x = accordi_layout_leaf(asker, &l, child[1]);
    uint32_t b = accordi_layout_leaf(asker, &l, beside);
    accordi_ask_begin(asker, 0);
    for (int d = 1; d <= STEPS && ldexp(asker->mask, -d) >= asker->unit; d++) {
        accordi_ask_own(asker, a, asker->mask);
        accordi_ask_own(asker, x, ldexp(asker->mask, -d));
        accordi_ask_own(asker, b, -asker->mask);
        accordi_ask_end(asker);
    }
    if (!accordi_ask_run(asker))
        for (size_t i = asker->probes; i-- > 0 && asker->result[i] == 0;)
            *bits = (int)i + 1;
    accordi_layout_clear(&l);
    return asker->status;
}

/* The sums of the first rows once more. */
static enum accord_status ask_again(accordi_asker *asker, const accordi_replays *replays,
                                    size_t rows, accordi_certificate *out)
{
    double *again = accordi_alloc(rows, sizeof *again);
    if (!again)
        return asker->status = accordi_nomem(asker->error);
    accordi_replays_again(asker, replays, rows, again);
    for (size_t i = 0; i < rows && !asker->status; i++) {
        out->repeats++;
        out->repeats_agreed += memcmp(&again[i], &replays->result[i], sizeof again[i]) == 0;
    }
    free(again);
    return asker->status;
}

enum accord_status accordi_replay(accordi_asker *asker, const accord_tree *tree,
                                  accordi_certificate *out)
{
    size_t n = asker->n, rows = 4000000 / n;
    rows = rows > 1000 ? 1000 : rows < 20 ? 20 : rows;
    asker->stage = "replaying";
    if (tree->inner > 0 && measure_width(asker, tree, &out->accumulator_bits))
        return asker->status;
    accordi_replays replays;
    enum accord_format format[4];
    size_t formats = accordi_accumulators(asker->target, format);
    out->replays_agreed = 0;
    out->accumulator = format[0];
    size_t few = rows < 20 ? rows : 20;
    if (accordi_replays_ask(asker, rows, tree, format[0], &replays, &out->replays_agreed) ||
        ask_again(asker, &replays, few, out) || ask_again(asker, &replays, few, out)) {
        accordi_replays_clear(&replays);
        return asker->status;
    }
    out->replays = rows;
    for (size_t i = 1; i < formats && !asker->status && out->replays_agreed < rows; i++) {
        size_t agree = 0;
        if (accordi_replays_agree(asker, &replays, tree, format[i], 0, rows, &agree))
            break;
        if (agree > out->replays_agreed) {
            out->replays_agreed = agree;
            out->accumulator = format[i];
        }
    }
    out->has_accumulator = out->replays_agreed == rows;
    /* What no arithmetic explains may differ from run to run, if rarely. */
    if (!out->has_accumulator && !asker->status && !ask_again(asker, &replays, rows, out))
        accordi_replays_exact(asker, &replays, &out->exact);
    accordi_replays_clear(&replays);
    return asker->status;
}
