/* Products that enter sums unrounded, and sums that are stored in a narrower format: what probes at
 * single nodes do not show where products are exact but for their range, is tried. */
#include "model/operation.h"
#include "reveal/arithmetic/node_arithmetic.h"
#include "reveal/arithmetic/search_tries.h"
#include <math.h>

/* A leaf that a sum takes enters unrounded, and of two leaves the one in place `of_two` (-1: none)
 * does. Nodes that fuse stay as they are; the tail does with `no_tail`: the nodes from the root
 * down as long as one of their children is a leaf, which is the loop over what is left of a vector
 * when its body is done. */
static void fuse_leaves(const accord_tree *tree, const accord_arithmetic *a, int of_two,
                        bool no_tail, accord_operation *of_node)
{
    for (uint32_t k = 0; k < tree->inner; k++) {
        const uint32_t *child = tree->child + tree->first[k];
        accord_operation *op = &of_node[k];
        *op = *accordi_operation_of(a, k);
        if (op->fused != -1 || tree->first[k + 1] - tree->first[k] != 2)
            continue;
        bool leaf[2] = {child[0] < tree->leaves, child[1] < tree->leaves};
        op->fused = leaf[0] && leaf[1] ? of_two : leaf[0] ? 0 : leaf[1] ? 1 : -1;
    }
    for (uint32_t k = tree->inner - 1; no_tail;) {
        const uint32_t *child = tree->child + tree->first[k];
        bool first = child[0] < tree->leaves, second = child[1] < tree->leaves;
        if (tree->first[k + 1] - tree->first[k] != 2 || first == second)
            break;
        of_node[k] = *accordi_operation_of(a, k);
        k = child[first] - tree->leaves;
    }
}

/* Does the root add a leaf, and is that not so down to the end? */
static bool has_tail(const accord_tree *tree)
{
    uint32_t k = tree->inner - 1, length = 0;
    for (; tree->inner > 0; length++) {
        const uint32_t *child = tree->child + tree->first[k];
        bool first = child[0] < tree->leaves, second = child[1] < tree->leaves;
        if (tree->first[k + 1] - tree->first[k] != 2 || first == second)
            return length > 0 && !(first && second);
        k = child[first] - tree->leaves;
    }
    return false;
}

/* The other way round: of the nodes from the root down that add a leaf, the last `most` take it
 * unrounded, and no other does: compilers multiply what fills vectors first, and fuse the rest. */
static bool fuse_tail(const accord_tree *tree, const accord_arithmetic *a, uint32_t most,
                      accord_operation *of_node)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < tree->inner; k++)
        of_node[k] = *accordi_operation_of(a, k);
    for (uint32_t k = tree->inner - 1; count < most; count++) {
        const uint32_t *child = tree->child + tree->first[k];
        bool first = child[0] < tree->leaves, second = child[1] < tree->leaves;
        if (tree->first[k + 1] - tree->first[k] != 2 || first == second)
            break;
        of_node[k].fused = first ? 0 : 1;
        k = child[first] - tree->leaves;
    }
    return count == most;
}

static enum accord_status try_fused_tails(accordi_search *s, const accord_arithmetic *base)
{
    enum { LONGEST = 15 };
    accordi_asker *asker = s->asker;
    accord_operation *of_node = accordi_alloc(s->tree->inner + 1, sizeof *of_node);
    if (!of_node)
        return asker->status = accordi_nomem(asker->error);
    for (uint32_t most = 1; most <= LONGEST && s->e->agreed < s->replays->rows; most++) {
        accord_arithmetic *fused = NULL;
        if (asker->status || most >= s->tree->inner || !fuse_tail(s->tree, base, most, of_node))
            break;
        asker->status = accord_arithmetic_copy(base, 0, &fused, asker->error);
        if (!asker->status && !accordi_arithmetic_tabulate(asker, s->tree, of_node, fused))
            accordi_try(s, fused, false);
        accord_arithmetic_free(fused);
    }
    free(of_node);
    return asker->status;
}

static enum accord_status try_fused(accordi_search *s, const accord_arithmetic *base, bool flushed)
{
    accordi_asker *asker = s->asker;
    int ways = has_tail(s->tree) ? 6 : 3;
    accord_operation *of_node = accordi_alloc(s->tree->inner + 1, sizeof *of_node);
    if (!of_node)
        asker->status = accordi_nomem(asker->error);
    for (int way = 0; way < ways && !asker->status; way++) {
        accord_arithmetic *fused = NULL;
        fuse_leaves(s->tree, base, 1 - way % 3, way >= 3, of_node);
        asker->status = accord_arithmetic_copy(base, 0, &fused, asker->error);
        if (!asker->status && !accordi_arithmetic_tabulate(asker, s->tree, of_node, fused)) {
            accordi_try(s, fused, false);
            if (flushed)
                accordi_try_flushed(s, *fused, 1);
        }
        accord_arithmetic_free(fused);
    }
    free(of_node);
    return asker->status;
}

static void set_root(const accordi_asker *asker, accord_arithmetic *a)
{
    double inverse = rint(1 / (asker->scale * asker->scale));
    a->finish = asker->scale == 1 ? ACCORD_FINISH_ROOT : ACCORD_FINISH_ROOT_OVER;
    a->factor = asker->scale == 1 ? 1 : inverse;
}

/* Plain arithmetic with fusion, with a root at the end or without. */
static enum accord_status try_plain_fused(accordi_search *s, enum accord_format format, bool root)
{
    accordi_asker *asker = s->asker;
    accord_arithmetic *plain = NULL;
    if (accordi_search_plain(s, asker->term, format, &plain))
        return asker->status;
    accordi_set_factors(asker, s->e, plain);
    if (root)
        set_root(asker, plain);
    if (!try_fused(s, plain, accordi_nearly_explained(s)) && asker->term == ACCORD_TERM_SQUARE)
        try_fused_tails(s, plain);
    accord_arithmetic_free(plain);
    return asker->status;
}

/* Whether products enter unrounded, probes show where rounding tells. It does not where products
 * are exact but for those that are subnormal; and squares are not asked one by one. */
enum accord_status accordi_try_fusions(accordi_search *s, const enum accord_format *format,
                                       size_t formats)
{
    accordi_asker *asker = s->asker;
    bool square = asker->term == ACCORD_TERM_SQUARE;
    if (!square && !(accordi_nearly_explained(s) && asker->term == ACCORD_TERM_PRODUCT))
        return asker->status;
    for (size_t i = 0; i < formats && !asker->status && s->e->agreed < s->replays->rows; i++)
        if (!try_plain_fused(s, format[i], false) && square)
            try_plain_fused(s, format[i], true);
    if (!accordi_nearly_explained(s))
        return asker->status;
    accord_arithmetic *best = NULL;
    if (!accordi_search_copy(s, s->e->best, &best))
        try_fused(s, best, true);
    accord_arithmetic_free(best);
    return asker->status;
}

/* Every sum in f64, and stored in f32 where it is one in f32 or enters one. */
static void store_in_f32(const accord_tree *tree, const accord_arithmetic *a,
                         accord_operation *of_node)
{
    for (uint32_t k = 0; k < tree->inner; k++)
        of_node[k] = *accordi_operation_of(a, k);
    for (uint32_t k = 0; k < tree->inner; k++) {
        if (accordi_operation_of(a, k)->format != ACCORD_F32)
            continue;
        accord_operation wide = {ACCORD_F64,
                                 of_node[k].rounding,
                                 ACCORD_F64,
                                 -1,
                                 of_node[k].stored ? of_node[k].stored : ACCORD_F32,
                                 of_node[k].keeps};
        of_node[k] = wide;
        for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++)
            if (tree->child[c] >= tree->leaves &&
                of_node[tree->child[c] - tree->leaves].stored == ACCORD_F64)
                of_node[tree->child[c] - tree->leaves].stored = ACCORD_F32;
    }
}

/* Sums in f32 may be sums in f64 that are stored in f32: with products that f32 holds but for the
 * smallest ones, only those tell. */
enum accord_status accordi_try_stored(accordi_search *s, const accord_arithmetic *found)
{
    accord_arithmetic *wide = NULL;
    accordi_asker *asker = s->asker;
    if (!found || !accordi_nearly_explained(s) || asker->target->format == ACCORD_F64)
        return asker->status;
    accord_operation *of_node = accordi_alloc(s->tree->inner + 1, sizeof *of_node);
    if (!of_node)
        return asker->status = accordi_nomem(asker->error);
    store_in_f32(s->tree, found, of_node);
    asker->status = accord_arithmetic_copy(found, 0, &wide, asker->error);
    if (!asker->status && !accordi_arithmetic_tabulate(asker, s->tree, of_node, wide)) {
        accordi_set_factors(asker, s->e, wide);
        accordi_try(s, wide, false);
    }
    free(of_node);
    accord_arithmetic_free(wide);
    return asker->status;
}
