/* Checks that an arithmetic is valid and fits its tree, for models from files and callers. */
#include "fused/fused.h"
#include "model/replay/extended.h"
#include "model/scaling.h"
#include "model/words.h"
#include <math.h>

enum {
    TINY = ACCORD_FLUSH_TINY_AFTER | ACCORD_FLUSH_TINY_BEFORE,
    RESULTS = ACCORD_FLUSH_PRODUCTS | ACCORD_FLUSH_SUMS | ACCORD_FLUSH_RESULT
};

static bool is_format(int format)
{
    return format >= 0 && format < ACCORD_FORMAT_COUNT;
}

static enum accord_status check_words(const accord_arithmetic *a, accord_error *error)
{
    const char *wrong = NULL;
    bool operand =
        a->has_machine && a->term == ACCORD_TERM_PRODUCT && accord_format_multiplies(a->input);
    if (!accordi_term_name((int)a->term))
        wrong = "the term must be value, product, absolute or square";
    else if (!(operand || is_format((int)a->input)) || !is_format((int)a->output))
        wrong = "the format of input or output does not exist";
    else if (!is_format((int)a->radicand))
        wrong = "the format of the number whose root is taken does not exist";
    else if (!is_format((int)a->operand) || !accordi_rounding_name((int)a->operand_rounding))
        wrong = "the format or rounding of the operands does not exist";
    else if (!accordi_rounding_name((int)a->output_rounding))
        wrong = "the rounding of the output does not exist";
    else if (!accordi_finish_name((int)a->finish) || !accordi_alpha_name((int)a->alpha_at))
        wrong = "the finish or the place of alpha does not exist";
    else if (a->flush > (ACCORD_FLUSH_ALL | TINY) || (a->flush & TINY) == TINY ||
             (a->flush & TINY && !(a->flush & RESULTS)))
        wrong =
            "only x, y, products, sums and result can be flushed, and with one of the last three "
            "what is tiny after rounding, or before it";
    else if ((unsigned)a->skips > ACCORD_SKIPS_Y)
        wrong = "the factors whose zeros are left out must be either, x or y";
    else if (!isfinite(a->alpha) || !isfinite(a->beta))
        wrong = "alpha and beta have to be finite";
    else if (a->alpha_at == ACCORD_ALPHA_ONE && a->alpha != 1)
        wrong = "alpha is not 1, so the model must state where it enters";
    else if ((a->alpha_at != ACCORD_ALPHA_ONE || a->beta != 0) && a->term != ACCORD_TERM_PRODUCT)
        wrong = "alpha and beta are for sums of products";
    else if (a->finish != ACCORD_FINISH_NONE && (!isfinite(a->factor) || a->factor == 0))
        wrong = "the factor of the finish has to be finite and not 0";
    return wrong ? accordi_fail(error, ACCORD_ARG, "%s", wrong) : ACCORD_OK;
}

static enum accord_status check_operations(const accord_model *model, accord_error *error)
{
    const accord_arithmetic *a = model->arithmetic;
    if (a->operations > 255 || (a->operations == 0 && model->tree->inner > 0) ||
        (a->operations > 0 && !a->operation))
        return accordi_fail(error, ACCORD_ARG, "a model has 1 to 255 operations, not %zu",
                            a->operations);
    for (size_t i = 0; i < a->operations; i++) {
        const accord_operation *op = &a->operation[i];
        if (!is_format((int)op->format) || !is_format((int)op->product) ||
            !is_format((int)op->stored) || !accordi_rounding_name((int)op->rounding))
            return accordi_fail(error, ACCORD_ARG,
                                "operation %zu has a format or rounding that does not exist", i);
        if (op->fused < ACCORD_STEP || op->fused > 1)
            return accordi_fail(error, ACCORD_ARG,
                                "operation %zu: the fused child must be 0 or 1, -1 for none, or %d "
                                "for a step of the machine, but it is %d",
                                i, ACCORD_STEP, op->fused);
        if ((unsigned)op->zero > ACCORD_ZERO_ADDED ||
            (op->zero != ACCORD_ZERO_NONE && op->fused == ACCORD_STEP))
            return accordi_fail(error, ACCORD_ARG,
                                "operation %zu adds a zero in a way that does not exist", i);
        if (op->fused == ACCORD_STEP && !a->has_machine)
            return accordi_fail(error, ACCORD_ARG,
                                "operation %zu is a step of a machine, but there is no machine", i);
    }
    return ACCORD_OK;
}

/* What the integers and doubles of room fused can hold. */
static const char *wrong_machine(const accord_fused *m)
{
    bool aligned = accordi_fused_aligns(m);
    bool small = m->input >= ACCORD_E4M3;
    bool scale = m->scale == ACCORD_E8M0 || m->scale == ACCORD_UE4M3;
    if (!accord_format_multiplies(m->input) || !accord_format_adds(m->output))
        return "the operands of a machine cannot be in a format of scales, nor its sums in one of "
               "scales or of block-scaled elements";
    if ((m->scale_block || m->block) && !aligned)
        return "blocks and scales are for the schemes that align terms";
    if (m->scale_block ? !scale || !small : m->scale != ACCORD_F64)
        return "scales are of e8m0 or ue4m3, for operands of 8 bits or fewer";
    if (m->scale_block && m->scale_block % m->terms && m->terms % m->scale_block)
        return "one of the products of a step and those that share a scale has to be a multiple of "
               "the other";
    if (m->block && m->scale_block % m->block)
        return "the products that share a scale have to be whole blocks";
    bool multiply_adds = !aligned && m->scheme != ACCORD_FUSED_PAIRWISE;
    if (multiply_adds && m->output != ACCORD_F64 && m->output != ACCORD_F32)
        return "a chain of fused multiply-adds has to be in f32 or f64";
    if (m->flush_tiny && !(m->flush && multiply_adds))
        return "flush_tiny is for multiply-adds that flush";
    if (m->scheme == ACCORD_FUSED_PAIRWISE && (m->terms & (m->terms - 1)))
        return "the terms of a pairwise machine have to be a power of two";
    if (!aligned)
        return NULL;
    if (m->block > 0 && (!small || m->fraction > ACCORDI_FUSED_BLOCK_FRACTION))
        return "blocks are for formats of 8 bits";
    if (m->scheme == ACCORD_FUSED_THEN_C && m->sum_fraction < m->c_fraction)
        return "the fraction of c may not exceed that of the sum";
    if (m->output_fraction >= accord_format_get(m->output)->precision)
        return "the output cannot keep so many fraction bits";
    return NULL;
}

static enum accord_status check_machine(const accord_fused *m, accord_error *error)
{
    for (int i = 0; i < ACCORDI_PARAMETERS; i++) {
        const accordi_parameter *p = &accordi_parameters[i];
        int value = accordi_parameter_get(m, p);
        bool counts = p->kind == ACCORDI_NUMBER || p->kind == ACCORDI_FLAG;
        bool fits = counts ? value >= p->least && value <= p->most
                           : accordi_parameter_word(p, value) != NULL;
        if (!fits && p->kind == ACCORDI_NUMBER)
            return accordi_fail(error, ACCORD_ARG, "the machine's %s has to be %d to %d, not %d",
                                p->name, p->least, p->most, value);
        if (!fits)
            return accordi_fail(error, ACCORD_ARG, "the machine's %s does not exist", p->name);
    }
    const char *wrong = wrong_machine(m);
    return wrong ? accordi_fail(error, ACCORD_ARG, "%s", wrong) : ACCORD_OK;
}

static enum accord_status check_step(const accord_model *model, uint32_t k, accord_error *error)
{
    const accord_tree *tree = model->tree;
    uint32_t leaves = 0, count = tree->first[k + 1] - tree->first[k];
    bool has_start = false;
    for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++) {
        leaves += tree->child[c] < tree->leaves;
        has_start = has_start || tree->child[c] == tree->leaves - 1;
    }
    if (has_start && model->arithmetic->beta != 0)
        return accordi_fail(error, ACCORD_ARG,
                            "node %u has the start value as a product in a step of the machine",
                            tree->leaves + k);
    if (count - leaves > 1)
        return accordi_fail(error, ACCORD_ARG,
                            "node %u adds %u sums at once, but a step of a machine takes one",
                            tree->leaves + k, count - leaves);
    if (leaves > accordi_step_most(&model->arithmetic->machine, count - leaves))
        return accordi_fail(error, ACCORD_ARG,
                            "node %u adds %u products, but a step of the machine takes %d",
                            tree->leaves + k, leaves, model->arithmetic->machine.terms);
    return ACCORD_OK;
}

static enum accord_status check_nodes(const accord_model *model, accord_error *error)
{
    const accord_arithmetic *a = model->arithmetic;
    const accord_tree *tree = model->tree;
    for (uint32_t k = 0; k < tree->inner; k++) {
        uint8_t which = a->of_node ? a->of_node[k] : 0;
        if (which >= a->operations)
            return accordi_fail(error, ACCORD_ARG, "node %u has operation %u of %zu",
                                tree->leaves + k, which, a->operations);
        int fused = a->operation[which].fused;
        bool binary = tree->first[k + 1] - tree->first[k] == 2;
        if (binary && fused >= 0 && tree->child[tree->first[k] + (uint32_t)fused] >= tree->leaves)
            return accordi_fail(error, ACCORD_ARG,
                                "node %u fuses its child %d, which is a sum, not a product",
                                tree->leaves + k, fused);
        enum accord_status status =
            accordi_is_step(model, k) ? check_step(model, k, error) : ACCORD_OK;
        if (status != ACCORD_OK)
            return status;
    }
    return ACCORD_OK;
}

/* alpha may not reach the start: its leaf has to be a child of a node on the path. Nor can it
 * multiply single products of a machine's step. */
static enum accord_status check_alpha(const accord_model *model, accord_error *error)
{
    const accord_arithmetic *a = model->arithmetic;
    const accord_tree *tree = model->tree;
    uint32_t node = a->alpha_node, start = tree->leaves - 1;
    bool root = node == tree->leaves + tree->inner - 1 && accordi_alpha_divides(a);
    bool apart = a->beta == 0 || tree->leaves == 1 || root;
    if (node >= tree->leaves + tree->inner)
        return accordi_fail(error, ACCORD_ARG,
                            "alpha multiplies node %u, but there are only %u nodes", node,
                            tree->leaves + tree->inner);
    for (uint32_t k = 0; k < tree->inner; k++) {
        bool on_path = false, has_start = false, has_leaf = false;
        for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++) {
            uint32_t child = tree->child[c];
            on_path = on_path || child == node;
            has_start = has_start || child == start;
            has_leaf = has_leaf || child < tree->leaves;
        }
        if (!on_path)
            continue;
        apart = apart || has_start;
        node = tree->leaves + k;
        if (has_leaf && accordi_is_step(model, k))
            return accordi_fail(error, ACCORD_ARG,
                                "alpha multiplies single products in a step of the machine, node "
                                "%u",
                                node);
    }
    return apart
               ? ACCORD_OK
               : accordi_fail(error, ACCORD_ARG,
                              "alpha at node %u would multiply the start value too", a->alpha_node);
}

enum accord_status accord_model_check(const accord_model *model, accord_error *error)
{
    if (!model->tree || !model->arithmetic)
        return accordi_fail(error, ACCORD_ARG, "a model needs a tree and an arithmetic");
    enum accord_status status = check_words(model->arithmetic, error);
    if (status == ACCORD_OK)
        status = check_operations(model, error);
    if (status == ACCORD_OK && model->arithmetic->has_machine)
        status = check_machine(&model->arithmetic->machine, error);
    if (status == ACCORD_OK)
        status = check_nodes(model, error);
    const char *wrong = model->arithmetic->extended ? accordi_extended_wrong(model) : NULL;
    if (status == ACCORD_OK && wrong)
        status = accordi_fail(error, ACCORD_ARG, "%s", wrong);
    if (status == ACCORD_OK && model->arithmetic->alpha_at == ACCORD_ALPHA_SUM)
        status = check_alpha(model, error);
    if (status == ACCORD_OK && model->arithmetic->alpha_at == ACCORD_ALPHA_NODES)
        status = accordi_scaling_check(model, error);
    return status;
}
