/* The kind of synthetic targets, and targets along given trees. */
#include "targets/synthetic/synthetic.h"
#include "tree/tree.h"

void accordi_synthetic_free(accordi_synthetic *s)
{
    if (!s)
        return;
    accordi_lanes_free(s->lanes);
    accord_tree_free(s->tree);
    accord_arithmetic_free(s->arithmetic);
    free(s->x);
    free(s->y);
    free(s->scratch);
    free(s);
}

/* An empty state for n terms; NULL without memory. */
accordi_synthetic *accordi_synthetic_new(size_t n)
{
    accordi_synthetic *s = accordi_calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->n = n;
    s->x = accordi_calloc(2 * n, sizeof *s->x);
    s->scratch = accordi_alloc(2 * n, sizeof *s->scratch);
    if (s->x && s->scratch)
        return s;
    accordi_synthetic_free(s);
    return NULL;
}

void accordi_synthetic_settle(accord_target *target, accordi_synthetic *s)
{
    target->kind = &accordi_synthetic_kind;
    target->state = s;
    target->format = s->terms;
    target->storage_f32 = s->terms != ACCORD_F64 && !s->machine;
    target->wide_terms = s->machine != NULL;
    target->output = s->output;
    target->rows = target->columns = 1;
    target->alpha = 1;
    target->scale_block = s->machine ? (size_t)s->machine->scale_block : 0;
    target->scale = s->machine ? s->machine->scale : ACCORD_F64;
    bool products = s->arithmetic && s->arithmetic->term == ACCORD_TERM_PRODUCT;
    target->term = s->machine || products ? ACCORD_TERM_PRODUCT : ACCORD_TERM_VALUE;
}

enum accord_status accordi_synthetic_from_tree(const accord_tree *tree, enum accord_format terms,
                                               enum accord_format accumulator, accord_target **out,
                                               accord_error *error)
{
    accord_target *target = accordi_calloc(1, sizeof *target);
    accordi_synthetic *s = accordi_synthetic_new(tree->leaves);
    char *notation = accordi_strdup("synthetic:tree");
    if (s)
        s->tree = accordi_tree_copy(tree);
    if (!target || !notation || !s || !s->tree) {
        accordi_synthetic_free(s);
        free(target);
        free(notation);
        return accordi_nomem(error);
    }
    s->terms = terms;
    s->accumulator = s->output = accumulator;
    target->n = tree->leaves;
    target->notation = notation;
    accordi_synthetic_settle(target, s);
    *out = target;
    return ACCORD_OK;
}

static enum accord_status run_synthetic_batch(accord_target *target, const accord_batch *batch,
                                              double *result, accord_error *error)
{
    if (accordi_synthetic_run_lanes(target->state, target->storage_f32, batch, result))
        return ACCORD_OK;
    return accordi_synthetic_run_each(target->state, target->storage_f32, batch, result, error);
}

static void close_synthetic(accord_target *target)
{
    accordi_synthetic_free(target->state);
}

const accord_target_kind accordi_synthetic_kind = {
    .name = "synthetic",
    .notation = "synthetic:NAME[:PARAMETER][,SETTING]",
    .about = "sums of a known order, computed by accord itself",
    .run = run_synthetic_batch,
    .close = close_synthetic,
    .takes_scales = true,
};

enum accord_status accord_synthetic_tree(accord_target *target, accord_tree **out,
                                         accord_error *error)
{
    const accordi_synthetic *s = target->kind == &accordi_synthetic_kind ? target->state : NULL;
    if (!s || !s->tree)
        return accordi_fail(error, ACCORD_UNSUPPORTED,
                            "'%.200s' has no tree; use a synthetic order that is a plain sum",
                            target->notation ? target->notation : "this target");
    *out = accordi_tree_copy(s->tree);
    return *out ? ACCORD_OK : accordi_nomem(error);
}
