/* The first arithmetic to try, and probes for the signs of zeros. */
#include "reveal/arithmetic/search_tries.h"
#include <math.h>

/* One sum of terms that are all x times y, after a start that enters as -0. (y = 0 means 1.) */
static enum accord_status ask_terms(accordi_asker *asker, double x, double y)
{
    accordi_ask_begin(asker, x);
    asker->second = y;
    if (asker->target->has_start)
        accordi_ask_own(asker, (uint32_t)asker->n - 1, asker->beta < 0 ? 0.0 : -0.0);
    accordi_ask_end(asker);
    return accordi_ask_run(asker);
}

static enum accord_status ask_zero(accordi_asker *asker, bool *negative)
{
    if (!ask_terms(asker, -0.0, 0))
        *negative = signbit(asker->result[0]);
    return asker->status;
}

/* Whether terms that are all x times y give +0. */
static enum accord_status ask_plus_zero(accordi_asker *asker, double x, double y, bool *yes)
{
    if (!ask_terms(asker, x, y))
        *yes = asker->result[0] == 0 && !signbit(asker->result[0]);
    return asker->status;
}

/* A fused multiply-add of a product too small for the format leaves -0 where an addition of +0
 * would not: when that is last, no sum is -0. */
static enum accord_status ask_last(accordi_asker *asker, accordi_explanation *e)
{
    const accord_format_info *info = accord_format_get(asker->format);
    bool fused = false;
    for (size_t i = 0; e->found && i < e->found->operations; i++)
        fused = fused || e->found->operation[i].fused >= 0;
    int scaled = fabs(asker->alpha) > 1 ? ilogb(asker->alpha) + 1 : 0;
    int half = (info->min_exponent - info->precision - 2 - scaled) / 2;
    if (!fused || e->negative_zero || half < info->min_exponent)
        return asker->status;
    return ask_plus_zero(asker, -ldexp(1, half), ldexp(1, half), &e->zero_last);
}

/* If all terms are the least negative number, partial sums are -0 once they are stored in a
 * narrower format, or added in one. If such sums are added to +0, no sum is -0. */
static enum accord_status ask_stored(accordi_asker *asker, accordi_explanation *e)
{
    bool stores = false;
    for (size_t i = 0; e->found && i < e->found->operations; i++)
        stores = stores || e->found->operation[i].stored != ACCORD_F64 ||
                 e->found->operation[i].format != e->found->operation->format;
    if (!stores || e->negative_zero || e->zero_last)
        return asker->status;
    return ask_plus_zero(asker, -accord_format_get(asker->target->format)->least, 0, &e->zero_last);
}

static uint32_t first_leaf(const accord_tree *tree, uint32_t node)
{
    while (node >= tree->leaves)
        node = tree->child[tree->first[node - tree->leaves]];
    return node;
}

/* The least term, negative, is -0 in a mean, unless that is added to 0. Where what is subnormal
 * counts as zero, the least normal term tells; or, where that holds of sums alone, a negative last
 * sum that is flushed. */
static enum accord_status ask_mean(accordi_asker *asker, const accord_tree *tree,
                                   accordi_explanation *e)
{
    const accord_format_info *info = accord_format_get(asker->format);
    double normal = ldexp(1, info->min_exponent);
    if (asker->scale == 1 || e->negative_zero || asker->term != ACCORD_TERM_VALUE)
        return asker->status;
    accordi_ask_begin(asker, 0);
    accordi_ask_own(asker, 0, -info->least);
    accordi_ask_end(asker);
    accordi_ask_own(asker, 0, -normal);
    accordi_ask_end(asker);
    if (tree->inner > 0) {
        const uint32_t *last = tree->child + tree->first[tree->inner - 1];
        accordi_ask_own(asker, first_leaf(tree, last[0]), -1.5 * normal);
        accordi_ask_own(asker, first_leaf(tree, last[1]), normal);
        accordi_ask_end(asker);
    }
    if (accordi_ask_run(asker))
        return asker->status;
    double told = asker->result[0];
    for (size_t i = 1; i < asker->probes; i++)
        told = asker->result[i] == 0 ? asker->result[i] : told;
    e->zero_last = told == 0 && !signbit(told);
    return ACCORD_OK;
}

enum accord_status accordi_explain_first(accordi_asker *asker, const accord_tree *tree,
                                         accordi_explanation *e)
{
    const accord_target *target = asker->target;
    const accord_arithmetic *found = e->found;
    if (ask_zero(asker, &e->negative_zero) || ask_last(asker, e) || ask_stored(asker, e) ||
        ask_mean(asker, tree, e))
        return asker->status;
    asker->status = found ? accord_arithmetic_copy(found, found->of_node ? tree->inner : 0,
                                                   &e->best, asker->error)
                          : accord_arithmetic_plain(asker->term, target->format, target->output,
                                                    target->output, &e->best, asker->error);
    if (asker->status)
        return asker->status;
    e->zero_last = e->zero_last || (e->flushes && e->flushes->zero_last);
    accordi_set_factors(asker, e, e->best);
    if (e->best->alpha_at == ACCORD_ALPHA_SUM)
        e->best->alpha_node = target->has_start ? tree->leaves - 1 : tree->leaves + tree->inner - 1;
    return e->flushes ? accordi_flushes_apply(asker, tree, e->flushes, e->best) : ACCORD_OK;
}
