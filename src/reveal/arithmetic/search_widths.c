/* Tries which nodes keep their sums in a wider format than the result has.
 *
 * Used where terms cannot be negative: the proof shows which nodes keep a wider sum, no probes at
 * single nodes can ask for the rest, and what remains is tried. A node whose sum is rounded adds in
 * the wide format if one of its children is wide; if none is, it may add in either, and so where no
 * sum is kept wide: s += (double)x * x with a float s. Squares may be rounded before they are
 * added, or enter unrounded: in wide nodes they are exact then, and in narrow ones they are fused.
 */
#include "reveal/arithmetic/node_arithmetic.h"
#include "reveal/arithmetic/search_tries.h"

typedef struct ways {
    enum accord_format wide, narrow;
    enum accord_format product; /* of squares in wide nodes */
    bool all;                   /* narrow sums are added in the wide format too, and stored */
    bool fuses;                 /* squares in narrow nodes; of two leaves, … */
    int fused;                  /* … the one in this place (-1: none) */
    bool last;                  /* the last sum is stored as well, before a root is taken of it */
} ways;

/* Whether the node adds in the wide format. */
static bool adds_wide(const accordi_search *s, const ways *w, uint32_t k)
{
    const accord_tree *tree = s->tree;
    bool wide = w->all || s->e->wide[k];
    for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++)
        wide =
            wide || (tree->child[c] >= tree->leaves && s->e->wide[tree->child[c] - tree->leaves]);
    return wide;
}

static void write_operations(const accordi_search *s, const ways *w, accord_operation *of_node)
{
    const accord_tree *tree = s->tree;
    uint32_t root = tree->inner - 1;
    for (uint32_t k = 0; k < tree->inner; k++) {
        bool wide = adds_wide(s, w, k), fuses = w->fuses && !wide;
        of_node[k] =
            (accord_operation){.format = wide ? w->wide : w->narrow,
                               .rounding = ACCORD_NEAREST_EVEN,
                               .product = wide ? w->product : w->narrow,
                               .fused = fuses ? accordi_leaf_to_fuse(tree, k, w->fused) : -1,
                               .stored = ACCORD_F64};
        if (k == root && w->last)
            of_node[k].stored = w->narrow;
        for (uint32_t c = tree->first[k]; wide && c < tree->first[k + 1]; c++)
            if (tree->child[c] >= tree->leaves) {
                uint32_t below = tree->child[c] - tree->leaves;
                if (of_node[below].format == w->wide && !s->e->wide[below])
                    of_node[below].stored = w->narrow;
            }
    }
}

/* `asks`: of each node whether it fuses, too. */
static enum accord_status try_ways(accordi_search *s, const ways *w, bool asks,
                                   accord_operation *of_node)
{
    accordi_asker *asker = s->asker;
    accord_arithmetic *made = NULL;
    if (asker->status || s->e->agreed == s->replays->rows ||
        accordi_search_plain(s, asker->term, w->narrow, &made))
        return asker->status;
    write_operations(s, w, of_node);
    accordi_set_factors(asker, s->e, made);
    if (!accordi_arithmetic_tabulate(asker, s->tree, of_node, made) && asks)
        accordi_try_asked_squares(s, made);
    else if (!asker->status)
        accordi_try_finishes(s, *made, false);
    accord_arithmetic_free(made);
    return asker->status;
}

enum accord_status accordi_try_widths(accordi_search *s)
{
    accordi_asker *asker = s->asker;
    bool square = asker->term == ACCORD_TERM_SQUARE;
    ways w = {.wide = s->e->wide_precision == 24 ? ACCORD_F32 : ACCORD_F64,
              .narrow = asker->target->output};
    if (w.wide == w.narrow)
        return asker->status;
    accord_operation *of_node = accordi_ask_alloc(asker, s->tree->inner + 1, sizeof *of_node);
    for (int way = 0; way < (square ? 20 : 2) && !asker->status; way++) {
        w.all = way % 5 == 1;
        w.fuses = way % 5 > 1;
        w.fused = way % 5 - 3;
        w.product = way / 5 % 2 ? w.narrow : w.wide;
        w.last = way / 10;
        try_ways(s, &w, false, of_node);
    }
    w.all = w.fuses = w.last = false;
    for (int rounded = 0; rounded < 2 && square && !asker->status; rounded++) {
        w.product = rounded ? w.narrow : w.wide;
        try_ways(s, &w, true, of_node);
    }
    free(of_node);
    return asker->status;
}
