/* Blocks that share scales and whose products are added exactly.
 *
 * Software that stands in for a machine, and some hardware, multiplies the exact sum of a block by
 * its scales and adds such sums in ordinary arithmetic. The order of the blocks, in which every
 * node is a plain addition, is known from the masks of their scales (blocks.c); here each block
 * becomes one node over its products, and random inputs with random scales decide whether that
 * explains the target. */
#include "reveal/exact_blocks.h"
#include "fused/fused.h"
#include "reveal/probes/dense_rows.h"
#include "reveal/probes/draw_blocks.h"
#include <math.h>

enum { REPLAYS = 2000, ROWS = 50 };

/* ---- the model ---- */

/* Every leaf of the order is replaced by a node over the products of its block. */
static enum accord_status expand_order(const accord_tree *order, size_t share, accord_tree **out,
                                       accord_error *error)
{
    uint32_t count = order->leaves, of = (uint32_t)share, n = count * of;
    uint32_t *parent = accordi_alloc((size_t)n + count + order->inner, sizeof *parent);
    if (!parent)
        return accordi_nomem(error);
    for (uint32_t i = 0; i < n; i++)
        parent[i] = n + i / of;
    parent[n + count + order->inner - 1] = ACCORD_TREE_NO_NODE;
    for (uint32_t k = 0; k < order->inner; k++)
        for (uint32_t c = order->first[k]; c < order->first[k + 1]; c++)
            parent[n + order->child[c]] = n + count + k;
    enum accord_status status =
        accord_tree_from_parents(n, (size_t)count + order->inner, parent, out, error);
    free(parent);
    return status;
}

/* A block is a step of a machine that never cuts anything and takes no c. */
static accord_fused exact_machine(const accord_target *target, enum accord_format sums)
{
    int share = (int)target->scale_block;
    return (accord_fused){.input = target->format,
                          .output = sums,
                          .scheme = ACCORD_FUSED_WITH_C,
                          .terms = share,
                          .block = share,
                          .scale_block = share,
                          .scale = target->scale,
                          .fraction = ACCORDI_FUSED_BLOCK_FRACTION,
                          .alignment = ACCORD_TOWARD_ZERO,
                          .least_exponent = -3000};
}

static enum accord_status make_model(const accord_target *target, const accord_tree *tree,
                                     enum accord_format sums, accord_arithmetic **out,
                                     accord_error *error)
{
    accord_arithmetic *made = NULL;
    enum accord_status status = accord_arithmetic_plain(ACCORD_TERM_PRODUCT, target->format, sums,
                                                        target->output, &made, error);
    if (status)
        return status;
    accord_operation *both = accordi_calloc(2, sizeof *both);
    uint8_t *of_node = accordi_calloc(tree->inner, 1);
    if (!both || !of_node) {
        free(both);
        free(of_node);
        accord_arithmetic_free(made);
        return accordi_nomem(error);
    }
    both[0] = both[1] = made->operation[0];
    both[0].fused = ACCORD_STEP;
    for (uint32_t k = 0; k < tree->inner; k++)
        of_node[k] = tree->child[tree->first[k]] >= tree->leaves;
    free(made->operation);
    made->operation = both;
    made->operations = 2;
    made->of_node = of_node;
    made->has_machine = true;
    made->machine = exact_machine(target, sums);
    *out = made;
    return ACCORD_OK;
}

/* ---- random inputs ---- */

static int drawn(accordi_rng *rng, int least, int most)
{
    return least + (int)accordi_rng_below(rng, (uint64_t)(most - least) + 1);
}

/* The exponent of a row: mostly in the middle of the range of results, often at an end. */
static int draw_middle(accordi_rng *rng, enum accord_format result)
{
    const accord_format_info *out = accord_format_get(result);
    switch (accordi_rng_below(rng, 5)) {
    case 0:
        return out->min_exponent + drawn(rng, -out->precision, 8);
    case 1:
        return out->max_exponent - drawn(rng, 4, 16);
    case 2:
        return drawn(rng, out->min_exponent, out->max_exponent - 16);
    default:
        return 0;
    }
}

/* A fourth of the blocks cancel an earlier one, but for one product. */
static void repeat_block(accordi_rng *rng, accordi_dense *d, size_t row, size_t k, size_t share)
{
    size_t twin = accordi_rng_below(rng, k), kept = accordi_rng_below(rng, share);
    for (size_t i = 0; i < share; i++)
        if (i != kept)
            accordi_dense_put(d, row, k * share + i,
                              -accordi_dense_get(d, d->x, row, twin * share + i),
                              accordi_dense_get(d, d->y, row, twin * share + i));
    for (size_t i = 0; i < 2; i++)
        *accordi_dense_scale(d, row, i, k) = *accordi_dense_scale(d, row, i, twin);
}

static void draw_row(accordi_asker *asker, accordi_dense *d, size_t row)
{
    static const int spreads[] = {0, 3, 12, 24, 60};
    const accord_target *target = asker->target;
    accordi_rng *rng = &asker->rng;
    int middle = draw_middle(rng, target->output), spread = spreads[accordi_rng_below(rng, 5)];
    size_t share = target->scale_block;
    for (size_t k = 0; k < d->blocks; k++) {
        double pair[2];
        accordi_draw_scales(rng, target->scale, middle - spread / 2 + drawn(rng, 0, spread), pair);
        for (size_t i = 0; i < 2; i++)
            *accordi_dense_scale(d, row, i, k) = pair[i];
        for (size_t i = 0; i < share; i++) {
            double a = accordi_draw_element(rng, target->format);
            double b = accordi_draw_element(rng, target->format);
            accordi_dense_put(d, row, k * share + i, a, b);
        }
        if (k > 0 && accordi_rng_below(rng, 4) == 0)
            repeat_block(rng, d, row, k, share);
    }
}

/* ---- the decision ---- */

/* How many of the random inputs the model replays; it stops at the first that it does not. */
static size_t count_agreeing(accordi_asker *asker, const accord_model *model)
{
    accordi_dense d;
    size_t agreed = 0;
    bool all = !accordi_dense_init(&d, asker, ROWS, true);
    for (size_t done = 0; done < REPLAYS && all; done += ROWS) {
        for (d.rows = 0; d.rows < ROWS; d.rows++)
            draw_row(asker, &d, d.rows);
        all = !accordi_dense_ask(&d) && !accordi_dense_replay(&d, model);
        for (size_t i = 0; i < ROWS && all; i++) {
            all = accordi_dense_agrees(&d, i);
            agreed += all;
        }
    }
    accordi_dense_clear(&d);
    return agreed;
}

static bool is_binary(const accord_tree *tree)
{
    return tree->inner + 1 == tree->leaves;
}

bool accordi_find_exact_blocks(accordi_asker *asker, const accord_tree *order, accord_tree **tree,
                               accord_arithmetic **how, accordi_features_report *report)
{
    static const enum accord_format sums[] = {ACCORD_F32, ACCORD_F16, ACCORD_BF16};
    const accord_target *target = asker->target;
    size_t share = target->scale_block;
    if (asker->status || !is_binary(order) || share > ACCORDI_FUSED_MOST)
        return false;
    asker->status = expand_order(order, share, tree, asker->error);
    for (size_t i = 0; i < 2 * sizeof sums / sizeof *sums && !asker->status; i++) {
        asker->status = make_model(target, *tree, sums[i / 2], how, asker->error);
        if (asker->status)
            break;
        (*how)->negative_zero = i % 2;
        const accord_model model = {*tree, *how};
        *report = (accordi_features_report){.replays = REPLAYS};
        report->agreed = count_agreeing(asker, &model);
        if (report->agreed == REPLAYS)
            return true;
        accord_arithmetic_free(*how);
        *how = NULL;
    }
    accord_tree_free(*tree);
    *tree = NULL;
    return false;
}
