/* Products that enter sums unrounded, and sums that are stored in a narrower format: what probes at
 * single nodes do not show where products are exact but for their range, is tried. */
#include "model/operation.h"
#include "reveal/arithmetic/node_arithmetic.h"
#include "reveal/arithmetic/search_tries.h"
#include "reveal/arithmetic/zero_signs.h"
#include <math.h>

/* Goes down a tail from node *k, of whose two children one is a leaf, to the other child; the place
 * of that leaf, or -1 at the end of the tail. */
static int pass_tail_node(const accord_tree *tree, uint32_t *k)
{
    int leaf = accordi_leaf_to_fuse(tree, *k, -1);
    if (leaf >= 0)
        *k = tree->child[tree->first[*k] + !leaf] - tree->leaves;
    return leaf;
}

/* A leaf that a sum takes enters unrounded, and of two leaves the one in place `of_two` (-1: none)
 * does. Nodes that fuse stay as they are; the tail does with `no_tail`: the nodes from the root
 * down as long as one of their children is a leaf, which is the loop over what is left of a vector
 * when its body is done. */
static void fuse_leaves(const accord_tree *tree, const accord_arithmetic *a, int of_two,
                        bool no_tail, accord_operation *of_node)
{
    for (uint32_t k = 0; k < tree->inner; k++) {
        of_node[k] = *accordi_operation_of(a, k);
        if (of_node[k].fused == -1)
            of_node[k].fused = accordi_leaf_to_fuse(tree, k, of_two);
    }
    for (uint32_t k = tree->inner - 1, at = k; no_tail && pass_tail_node(tree, &at) >= 0; k = at)
        of_node[k] = *accordi_operation_of(a, k);
}

/* Does the root add a leaf, and is that not so down to the end? */
static bool has_tail(const accord_tree *tree)
{
    uint32_t k = tree->inner - 1;
    if (tree->inner == 0 || pass_tail_node(tree, &k) < 0)
        return false;
    while (pass_tail_node(tree, &k) >= 0)
        ;
    const uint32_t *child = tree->child + tree->first[k];
    return child[0] >= tree->leaves || child[1] >= tree->leaves;
}

/* The other way round: of the nodes from the root down that add a leaf, the last `most` take it
 * unrounded, and no other does: compilers multiply what fills vectors first, and fuse the rest. */
static bool fuse_tail(const accord_tree *tree, const accord_arithmetic *a, uint32_t most,
                      accord_operation *of_node)
{
    for (uint32_t k = 0; k < tree->inner; k++)
        of_node[k] = *accordi_operation_of(a, k);
    for (uint32_t k = tree->inner - 1, at = k; most > 0; most--, k = at) {
        int leaf = pass_tail_node(tree, &at);
        if (leaf < 0)
            return false;
        of_node[k].fused = leaf;
    }
    return true;
}

/* Where it is known what is flushed, what is left may be the signs of zeros: what sums start from,
 * and where +0 is added, was found for other products. */
static enum accord_status try_zeros(accordi_search *s, const accord_arithmetic *made)
{
    accord_arithmetic *flushed = NULL;
    accordi_zero_answers zeros = {.made = NULL};
    if (!s->e->flushes || !accordi_nearly_explained(s) || accordi_search_copy(s, made, &flushed))
        return s->asker->status;
    if (!accordi_flushes_apply(s->asker, s->tree, s->e->flushes, flushed) &&
        !accordi_zero_signs(s->asker, s->tree, flushed, &zeros) && zeros.made)
        accordi_try(s, zeros.made, false);
    accord_arithmetic_free(zeros.made);
    accord_arithmetic_free(flushed);
    return s->asker->status;
}

/* With these operations at the nodes; if `flushed`, with subnormals as zero too. */
static enum accord_status try_operations(accordi_search *s, const accord_arithmetic *base,
                                         const accord_operation *of_node, bool flushed)
{
    accord_arithmetic *made = NULL;
    if (!accordi_search_with(s, base, of_node, &made)) {
        accordi_try(s, made, false);
        if (flushed)
            accordi_try_flushed(s, *made, 1);
        try_zeros(s, made);
    }
    accord_arithmetic_free(made);
    return s->asker->status;
}

static enum accord_status try_fused_tails(accordi_search *s, const accord_arithmetic *base)
{
    enum { LONGEST = 15 };
    accord_operation *of_node = accordi_search_operations(s, base);
    for (uint32_t most = 1; most <= LONGEST && most < s->tree->inner; most++)
        if (s->asker->status || s->e->agreed == s->replays->rows ||
            !fuse_tail(s->tree, base, most, of_node) || try_operations(s, base, of_node, false))
            break;
    free(of_node);
    return s->asker->status;
}

static enum accord_status try_fused(accordi_search *s, const accord_arithmetic *base, bool flushed)
{
    int ways = has_tail(s->tree) ? 6 : 3;
    accord_operation *of_node = accordi_search_operations(s, base);
    for (int way = 0; way < ways && !s->asker->status; way++) {
        fuse_leaves(s->tree, base, 1 - way % 3, way >= 3, of_node);
        try_operations(s, base, of_node, flushed);
    }
    free(of_node);
    return s->asker->status;
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
    if (!try_fused(s, plain, accordi_nearly_explained(s)) && asker->term == ACCORD_TERM_SQUARE &&
        !try_fused_tails(s, plain))
        accordi_try_asked_squares(s, plain);
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
    for (uint32_t k = 0; k < tree->inner; k++) {
        if (accordi_operation_of(a, k)->format != ACCORD_F32)
            continue;
        accord_operation wide = {ACCORD_F64,
                                 of_node[k].rounding,
                                 ACCORD_F64,
                                 -1,
                                 of_node[k].stored ? of_node[k].stored : ACCORD_F32,
                                 of_node[k].keeps,
                                 of_node[k].zero};
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
    accordi_asker *asker = s->asker;
    if (!found || !accordi_nearly_explained(s) || asker->target->format == ACCORD_F64)
        return asker->status;
    accord_operation *of_node = accordi_search_operations(s, found);
    accord_arithmetic base = *found;
    accordi_set_factors(asker, s->e, &base);
    if (of_node) {
        store_in_f32(s->tree, found, of_node);
        try_operations(s, &base, of_node, false);
    }
    free(of_node);
    return asker->status;
}
