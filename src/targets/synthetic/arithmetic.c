/* The arithmetic of synthetic targets: what the settings of a notation mean for each node, and
 * the truth about every target, for tests. */
#include "targets/synthetic/synthetic.h"

static bool wanted(const accordi_wish *r, const accordi_order_line *order)
{
    const accordi_settings *l = &r->line;
    return r->mixed || r->has_tail || r->has_stored || l->products || l->absolute || l->squares ||
           l->mean || l->zero_last || l->has_product || l->fma || l->start || l->flush ||
           l->rounding || l->skips || l->machine || (order && order->kinds > 1);
}

static enum accord_status check_wish(const accordi_synthetic *s, const accordi_wish *r,
                                     accord_error *error)
{
    const char *wrong = NULL;
    bool products = r->line.products || r->line.fma;
    if (!s->tree)
        wrong = "only orders that are trees accept settings for their arithmetic";
    else if (s->tree->inner + 1 < s->tree->leaves)
        wrong = "only binary orders accept settings for their arithmetic; for fused sums, use one "
                "of the machines";
    else if (r->mixed && (r->line.fma || r->has_tail || r->line.has_accumulator))
        wrong = "the setting mixed chooses formats and fusion itself; leave out acc, tail and fma";
    else if (r->mixed && s->terms == ACCORD_F64)
        wrong = "the setting mixed is for terms no wider than f32; choose --format f32";
    else if (r->line.skips && !products)
        wrong = "the setting skips-zero is for products; add products or fma";
    return wrong ? accordi_fail(error, ACCORD_ARG, "synthetic:%s: %s", r->name, wrong) : ACCORD_OK;
}

/* Sums along a tree know no more than this; see along.c. */
static enum accord_status check_computed(const accord_arithmetic *how, const accordi_wish *r,
                                         accord_error *error)
{
    bool keeps = false, zeros = false, steps = how->has_machine;
    for (size_t i = 0; i < how->operations; i++) {
        keeps = keeps || how->operation[i].keeps;
        zeros = zeros || how->operation[i].zero != ACCORD_ZERO_NONE;
        steps = steps || how->operation[i].fused == ACCORD_STEP;
    }
    const char *what = how->term > ACCORD_TERM_PRODUCT ? "absolute values and squares"
                       : steps                         ? "steps of a machine at nodes of their own"
                       : keeps                         ? "nodes that keep subnormal numbers"
                       : zeros || how->zero_last       ? "zeros that are added"
                       : how->flush > ACCORD_FLUSH_ALL ? "flushing of what is tiny"
                       : how->skips != ACCORD_SKIPS_EITHER ? "skipping for the zeros of one factor"
                                                           : NULL;
    return what ? accordi_fail(error, ACCORD_UNSUPPORTED,
                               "synthetic:%.60s: synthetic orders do not compute %s; `accord "
                               "replay` does",
                               r->name, what)
                : ACCORD_OK;
}

/* f32 or f64; products of f32 are exact in f64, where fusion therefore means nothing. */
static void draw_random_operation(accordi_synthetic *s, bool products, const uint32_t *child,
                                  accord_operation *op)
{
    op->format = accordi_rng_below(&s->rng, 2) ? ACCORD_F64 : ACCORD_F32;
    op->product = op->format;
    if (!products)
        return;
    if (op->format == ACCORD_F64) {
        op->product = accordi_rng_below(&s->rng, 2) ? ACCORD_F64 : ACCORD_F32;
        return;
    }
    int at = (int)accordi_rng_below(&s->rng, 3) - 1;
    op->fused = at >= 0 && child[at] < s->tree->leaves ? at : -1;
}

/* Marks the sums that are added to a sum. */
static void mark_partial(const accord_tree *tree, bool *partial)
{
    uint32_t n = tree->leaves;
    for (uint32_t k = 0; k < tree->inner; k++) {
        const uint32_t *child = tree->child + tree->first[k];
        for (int i = 0; i < 2 && child[0] >= n && child[1] >= n; i++)
            partial[child[i] - n] = true;
    }
}

/* Marks the nodes from the root down as long as one child is a leaf. */
static void mark_tail(const accord_tree *tree, bool *tail)
{
    uint32_t node = tree->leaves + tree->inner - 1;
    while (node >= tree->leaves) {
        uint32_t k = node - tree->leaves;
        const uint32_t *child = tree->child + tree->first[k];
        if (child[0] >= tree->leaves && child[1] >= tree->leaves)
            return;
        tail[k] = true;
        node = child[0] >= tree->leaves ? child[0] : child[1];
    }
}

/* What the settings do that models in one line do not have. */
static bool change_nodes(accordi_synthetic *s, const accordi_wish *r, const bool *tail,
                         const bool *partial)
{
    accord_arithmetic *how = s->arithmetic;
    for (uint32_t k = 0; k < s->tree->inner; k++) {
        const uint32_t *child = s->tree->child + s->tree->first[k];
        accord_operation op = how->operation[how->of_node[k]];
        if (r->has_tail && tail[k])
            op.format = r->tail;
        if (r->has_stored && partial[k])
            op.stored = r->stored;
        if (r->mixed)
            draw_random_operation(s, how->term == ACCORD_TERM_PRODUCT, child, &op);
        if (!accordi_set_operation(how, k, &op))
            return false;
    }
    if (r->mixed && !r->line.has_output && s->tree->inner)
        s->output = how->output = how->operation[how->of_node[s->tree->inner - 1]].format;
    return true;
}

static enum accord_status make_plain(const accordi_synthetic *s, bool products, size_t nodes,
                                     accord_arithmetic **out, accord_error *error)
{
    enum accord_term term = products ? ACCORD_TERM_PRODUCT : ACCORD_TERM_VALUE;
    accord_arithmetic *plain = NULL;
    enum accord_status status =
        accord_arithmetic_plain(term, s->terms, s->accumulator, s->output, &plain, error);
    if (status == ACCORD_OK)
        status = accord_arithmetic_copy(plain, nodes, out, error);
    accord_arithmetic_free(plain);
    return status;
}

/* With the formats that the wish leaves open. */
static accordi_settings settings_of(const accordi_synthetic *s, const accordi_wish *r)
{
    accordi_settings all = r->line;
    all.has_terms = all.has_accumulator = all.has_output = true;
    all.terms = s->terms;
    all.accumulator = s->accumulator;
    all.output = s->output;
    all.mean = all.mean || s->mean;
    return all;
}

accordi_line_kind accordi_wish_kind(const accordi_synthetic *s, const accordi_wish *r)
{
    accordi_settings all = settings_of(s, r);
    return accordi_settings_kind(&all);
}

static enum accord_status change_all(accordi_synthetic *s, const accordi_wish *r,
                                     accord_error *error)
{
    bool products = s->arithmetic->term == ACCORD_TERM_PRODUCT;
    bool *tail = accordi_calloc(s->tree->leaves, sizeof *tail);
    bool *partial = accordi_calloc(s->tree->leaves, sizeof *partial);
    s->y = products ? accordi_calloc(s->n, sizeof *s->y) : NULL;
    bool enough = tail && partial && (s->y || !products);
    if (enough) {
        mark_tail(s->tree, tail);
        mark_partial(s->tree, partial);
        enough = change_nodes(s, r, tail, partial);
    }
    free(tail);
    free(partial);
    return enough ? ACCORD_OK : accordi_nomem(error);
}

enum accord_status accordi_wish_arithmetic(accordi_synthetic *s, const accordi_wish *r,
                                           const accordi_order_line *order, accord_error *error)
{
    if (!wanted(r, order))
        return ACCORD_OK;
    accordi_settings all = settings_of(s, r);
    accordi_line_kind base = accordi_settings_kind(&all);
    accordi_order_line plain = {.tree = s->tree, .kind = &base, .kinds = 1};
    enum accord_status status = check_wish(s, r, error);
    if (!status)
        status = accordi_line_arithmetic(&all, order ? order : &plain, &s->arithmetic, error);
    if (!status)
        status = check_computed(s->arithmetic, r, error);
    return status ? status : change_all(s, r, error);
}

/* ---- the truth about targets without settings ---- */

/* A node of several inner children has no sum so far. */
static bool is_chain(const accord_tree *tree)
{
    for (uint32_t k = 0; k < tree->inner; k++) {
        uint32_t inner = 0;
        for (uint32_t i = tree->first[k]; i < tree->first[k + 1]; i++)
            inner += tree->child[i] >= tree->leaves;
        if (inner > 1)
            return false;
    }
    return true;
}

/* What accordi_fuse does, as a machine's step; terms are taken times 1. */
static enum accord_status fill_fused(const accordi_synthetic *s, accord_arithmetic *how,
                                     accord_error *error)
{
    if (!is_chain(s->tree) || s->accumulator != s->terms)
        return accordi_fail(error, ACCORD_UNSUPPORTED,
                            "no machine computes the fused sums of this order; use a machine with "
                            "a chain of fused sums, in the format of its terms");
    uint32_t most = 0;
    for (uint32_t k = 0; k < s->tree->inner; k++) {
        uint32_t count = s->tree->first[k + 1] - s->tree->first[k];
        most = count > most ? count : most;
    }
    how->has_machine = true;
    how->machine = (accord_fused){
        .input = s->terms,
        .output = s->accumulator,
        .scheme = ACCORD_FUSED_WITH_C,
        .terms = (int)most,
        .fraction = accord_format_get(s->accumulator)->precision,
        .alignment = ACCORD_TOWARD_ZERO,
        .least_exponent = -1022,
    };
    return ACCORD_OK;
}

/* Chains of FMA take each product unrounded; the first one has none before it. The aligned schemes
 * have binary nodes only where a step is short. */
static enum accord_status fill_machine(const accordi_synthetic *s, accord_arithmetic *how,
                                       accord_error *error)
{
    const accord_fused *machine = s->machine;
    static const int fused[] = {[ACCORD_FUSED_CHAIN] = 1,
                                [ACCORD_FUSED_PAIRWISE] = -1,
                                [ACCORD_FUSED_WITH_C] = ACCORD_STEP,
                                [ACCORD_FUSED_THEN_C] = ACCORD_STEP};
    how->has_machine = true;
    how->machine = *machine;
    how->flush = accordi_machine_flushes(machine);
    how->operation[0].rounding = how->output_rounding = machine->rounding;
    if (machine->scheme == ACCORD_FUSED_LAST_FIRST || machine->scheme == ACCORD_FUSED_EVEN_ODD)
        return accordi_machine_operations(machine, s->tree, how, error);
    how->operation[0].fused = fused[machine->scheme];
    how->negative_zero = false;
    return ACCORD_OK;
}

static enum accord_status truth_of(const accordi_synthetic *s, accord_arithmetic *how,
                                   accord_error *error)
{
    how->negative_zero = true;
    if (s->machine)
        return fill_machine(s, how, error);
    if (s->mean) {
        how->finish = ACCORD_FINISH_OVER;
        how->factor = (double)s->n;
    }
    return s->tree->inner + 1 < s->tree->leaves ? fill_fused(s, how, error) : ACCORD_OK;
}

enum accord_status accord_synthetic_arithmetic(accord_target *target, accord_arithmetic **out,
                                               accord_error *error)
{
    const accordi_synthetic *s = target->kind == &accordi_synthetic_kind ? target->state : NULL;
    if (!s || !s->tree)
        return accordi_fail(
            error, ACCORD_UNSUPPORTED,
            "'%.200s' has no arithmetic at its nodes; use a synthetic order that is a plain sum",
            target->notation ? target->notation : "this target");
    if (s->arithmetic)
        return accord_arithmetic_copy(s->arithmetic, s->tree->inner, out, error);
    accord_arithmetic *how = NULL;
    enum accord_status status = make_plain(s, s->machine != NULL, s->tree->inner, &how, error);
    if (status == ACCORD_OK)
        status = truth_of(s, how, error);
    if (status == ACCORD_OK)
        *out = how;
    else
        accord_arithmetic_free(how);
    return status;
}
