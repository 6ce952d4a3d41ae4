/* At which nodes of a model the factor alpha of BLAS multiplies operands or values.
 *
 * Every way to say it comes down to a cut of the tree: a set of nodes, of which exactly one lies on
 * the way from each product to the root, and for each of them whether alpha multiplies an operand,
 * or the value, rounded or not. A loop over blocks of a vector with a tail, for example, multiplies
 * the sum of each block and the operands of the tail. */
#include "model/scaling.h"
#include "model/operation.h"
#include "model/words.h"
#include <math.h>
#include <stdlib.h>

static bool has_start(const accord_arithmetic *a)
{
    return a->beta != 0;
}

/* alpha multiplies alpha_node and what hangs off the path from it to the root. */
static void scale_path(const accord_model *model, uint8_t *of)
{
    const accord_tree *tree = model->tree;
    const accord_arithmetic *a = model->arithmetic;
    uint32_t n = tree->leaves, node = a->alpha_node, start = has_start(a) ? n - 1 : UINT32_MAX;
    if (node == n + tree->inner - 1 && node != start)
        of[node] = a->alpha_fused ? ACCORD_SCALED_FUSED : ACCORD_SCALED_ROUNDED;
    for (uint32_t k = 0; k < tree->inner; k++) {
        const uint32_t *child = tree->child + tree->first[k];
        uint32_t count = tree->first[k + 1] - tree->first[k], scaled = 0;
        bool on_path = false;
        for (uint32_t i = 0; i < count; i++)
            on_path = on_path || child[i] == node;
        if (!on_path)
            continue;
        int fused = count == 2 ? accordi_operation_of(a, k)->fused : -1;
        for (uint32_t i = 0; i < count; i++) {
            if (child[i] == start || (child[i] == node && node != a->alpha_node))
                continue;
            of[child[i]] =
                a->alpha_fused || fused == (int)i ? ACCORD_SCALED_FUSED : ACCORD_SCALED_ROUNDED;
            scaled++;
        }
        /* A fused multiply-add has one product. */
        if (count == 2 && scaled == 2 && node == a->alpha_node)
            of[node] = ACCORD_SCALED_ROUNDED;
        node = n + k;
    }
}

static void scale(const accord_model *model, uint8_t *of)
{
    const accord_arithmetic *a = model->arithmetic;
    uint32_t terms = model->tree->leaves - has_start(a);
    size_t nodes = (size_t)model->tree->leaves + model->tree->inner;
    memset(of, ACCORD_SCALED_NOT, nodes);
    if (a->alpha_at == ACCORD_ALPHA_NODES)
        memcpy(of, a->alpha_of, nodes);
    else if (a->alpha_at == ACCORD_ALPHA_SUM)
        scale_path(model, of);
    else if (a->alpha_at != ACCORD_ALPHA_ONE)
        memset(of, a->alpha_at == ACCORD_ALPHA_X ? ACCORD_SCALED_X : ACCORD_SCALED_Y, terms);
}

enum accord_status accordi_scaling(const accord_model *model, uint8_t **out, accord_error *error)
{
    uint8_t *of = accordi_alloc((size_t)model->tree->leaves + model->tree->inner, 1);
    if (!of)
        return accordi_nomem(error);
    scale(model, of);
    *out = of;
    return ACCORD_OK;
}

enum accord_scaling accordi_scaling_root(const accord_model *model)
{
    const accord_arithmetic *a = model->arithmetic;
    uint32_t root = model->tree->leaves + model->tree->inner - 1;
    bool only_start = has_start(a) && model->tree->leaves == 1;
    if (a->alpha_at == ACCORD_ALPHA_NODES)
        return (enum accord_scaling)a->alpha_of[root];
    if (a->alpha_at != ACCORD_ALPHA_SUM || a->alpha_node != root || only_start)
        return ACCORD_SCALED_NOT;
    return a->alpha_fused ? ACCORD_SCALED_FUSED : ACCORD_SCALED_ROUNDED;
}

/* In f64 before it is rounded: of two numbers of 24 bits that rounds as once. */
static double over_alpha(const accord_arithmetic *a)
{
    return accord_format_round(a->output, ACCORD_NEAREST_EVEN, a->beta / a->alpha);
}

bool accordi_alpha_divides(const accord_arithmetic *a)
{
    return isfinite(over_alpha(a));
}

double accordi_inverse_alpha(const accord_arithmetic *a)
{
    return accord_format_round(a->output, ACCORD_NEAREST_EVEN, 1 / a->alpha);
}

double accordi_start_factor(const accord_model *model)
{
    const accord_arithmetic *a = model->arithmetic;
    bool whole = accordi_scaling_root(model) >= ACCORD_SCALED_ROUNDED;
    return whole && has_start(a) && accordi_alpha_divides(a) ? over_alpha(a) : a->beta;
}

/* ---- the simplest way to say it ---- */

/* From the root downward, the last node that alpha does not multiply itself: if it is a sum, one of
 * its first two children is where a path would begin, else it is the start. Returns how many nodes
 * there are to try. */
static size_t path_ends(const accord_model *model, const uint8_t *of, uint32_t end[2])
{
    const accord_tree *tree = model->tree;
    uint32_t n = tree->leaves, node = n + tree->inner - 1;
    while (node >= n && !of[node]) {
        const uint32_t *child = tree->child + tree->first[node - n];
        uint32_t count = tree->first[node - n + 1] - tree->first[node - n], next = UINT32_MAX;
        for (uint32_t i = 0; i < count; i++)
            next = of[child[i]] ? next : child[i];
        if (next == UINT32_MAX) {
            end[0] = child[0];
            end[1] = child[1];
            return 2;
        }
        node = next;
    }
    end[0] = node;
    return 1;
}

enum accord_status accordi_scaling_simplest(const accord_model *model, accord_arithmetic *out,
                                            accord_error *error)
{
    size_t nodes = (size_t)model->tree->leaves + model->tree->inner;
    *out = *model->arithmetic;
    if (out->alpha_at == ACCORD_ALPHA_ONE)
        return ACCORD_OK;
    uint8_t *is = accordi_alloc(nodes, 1), *of = accordi_alloc(nodes, 1);
    if (!is || !of) {
        free(is);
        free(of);
        return accordi_nomem(error);
    }
    scale(model, is);
    uint32_t end[2];
    size_t ends = path_ends(model, is, end);
    accord_arithmetic simple = *out;
    const accord_model way = {model->tree, &simple};
    simple.alpha_of = NULL;
    simple.alpha_nodes = 0;
    for (size_t i = 0; i < 2 + 2 * ends; i++) {
        simple.alpha_at = i == 0 ? ACCORD_ALPHA_X : i == 1 ? ACCORD_ALPHA_Y : ACCORD_ALPHA_SUM;
        simple.alpha_node = i < 2 ? 0 : end[(i - 2) / 2];
        simple.alpha_fused = i >= 2 && i % 2;
        scale(&way, of);
        if (memcmp(of, is, nodes) == 0) {
            *out = simple;
            break;
        }
    }
    free(is);
    free(of);
    return ACCORD_OK;
}

/* ---- does it fit? ---- */

static bool is_scaled(uint8_t own)
{
    return own != ACCORD_SCALED_NOT && own != ACCORD_SCALED_RETAKEN;
}

static const char *wrong_node(const accord_model *model, const uint8_t *above, uint32_t node)
{
    const accord_arithmetic *a = model->arithmetic;
    uint32_t n = model->tree->leaves;
    uint8_t own = a->alpha_of[node];
    bool start = has_start(a) && node == n - 1;
    if (!accordi_scaling_name(own))
        return "is multiplied by alpha in a way that does not exist";
    if (node >= n && (own == ACCORD_SCALED_X || own == ACCORD_SCALED_Y))
        return "is a sum: it has no operands that alpha could multiply";
    if (own == ACCORD_SCALED_RETAKEN)
        return node < n       ? "is a term, but only sums can be multiplied by 1 / alpha"
               : !above[node] ? "is multiplied by 1 / alpha, but alpha multiplies no sum above it"
               : !isfinite(accordi_inverse_alpha(a))
                   ? "is multiplied by 1 / alpha, which is infinite"
                   : NULL;
    if (own && above[node])
        return "is multiplied by alpha, and so is a sum that it enters";
    bool whole = accordi_scaling_root(model) != ACCORD_SCALED_NOT && accordi_alpha_divides(a);
    if (start && (own || (above[node] && !whole)))
        return "is the start value, which alpha does not multiply";
    if (!start && node < n && !own && !above[node])
        return "is not multiplied by alpha anywhere";
    return NULL;
}

/* alpha cannot multiply single products in a step of the machine. */
static const char *wrong_step(const accord_model *model, uint32_t k)
{
    const accord_tree *tree = model->tree;
    for (uint32_t c = tree->first[k]; c < tree->first[k + 1] && accordi_is_step(model, k); c++) {
        uint8_t own = model->arithmetic->alpha_of[tree->child[c]];
        if (tree->child[c] < tree->leaves && own >= ACCORD_SCALED_ROUNDED)
            return "has products that alpha multiplies, in a step of the machine";
        if (own == ACCORD_SCALED_RETAKEN)
            return "multiplies a sum by 1 / alpha in a step of the machine";
    }
    return NULL;
}

enum accord_status accordi_scaling_check(const accord_model *model, accord_error *error)
{
    const accord_tree *tree = model->tree;
    const accord_arithmetic *a = model->arithmetic;
    size_t nodes = (size_t)tree->leaves + tree->inner;
    if (!a->alpha_of || a->alpha_nodes != nodes)
        return accordi_fail(
            error, ACCORD_ARG,
            "alpha enters node by node: the model must say how for %zu nodes, not for %zu", nodes,
            a->alpha_of ? a->alpha_nodes : 0);
    uint8_t *above = accordi_calloc(nodes, 1); /* something above is multiplied */
    if (!above)
        return accordi_nomem(error);
    const char *wrong = NULL;
    uint32_t node = (uint32_t)nodes;
    while (!wrong && node-- > 0) {
        wrong = wrong_node(model, above, node);
        if (wrong || node < tree->leaves)
            continue;
        uint32_t k = node - tree->leaves;
        wrong = wrong_step(model, k);
        for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++)
            above[tree->child[c]] = above[node] || is_scaled(a->alpha_of[node]);
    }
    free(above);
    return wrong ? accordi_fail(error, ACCORD_ARG, "node %u %s", node, wrong) : ACCORD_OK;
}
