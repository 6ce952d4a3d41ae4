/* The order of products of narrow elements, whose scales are the masks.
 *
 * Idea: accord asks about one product of every block that shares a pair of scales, 1 * 1, while the
 * others are 0. Then a block is one term, as great as its scales can be, and the order of the
 * blocks is found and proven like that of any sum. The product that stands for its block is drawn,
 * twice. No mask shows how the products of one block are added: the steps of a machine that the
 * order of the blocks allows are assumed, and its parameters, found with scales (machine/), have to
 * explain every answer. So the whole order is replayed, but not called proven.
 *
 * Masks fail where scales reach no further than a machine keeps bits, or where it does not lose
 * what lies below a mask, but rounds it up. Then blocks that change places show where steps end
 * (machine/exchanges.c). */
#include "reveal/discover/auto.h"
#include "reveal/exact_blocks.h"
#include "reveal/machine/candidates.h"
#include "reveal/work.h"
#include "targets/synthetic/synthetic.h"
#include "targets/target.h"
#include <math.h>

enum { DRAWS = 2, READINGS = 8 };

/* A target whose terms are the blocks of another. */
typedef struct blocks {
    accord_target *inside;
    size_t count;
    uint32_t *chosen; /* of each block: the product that stands for it */
    void *row;        /* the products, as the target takes them */
    double *scale;    /* the two of each block */
    accordi_cells cells;
    enum accord_status status; /* of the last call that failed */
    accord_error *error;
} blocks;

/* A term as a product of two scales; the first has its significand, and is normal where it can be.
 */
static void split_into_scales(enum accord_format format, double x, double *first, double *second)
{
    const accord_format_info *row = accord_format_get(format);
    int e = ilogb(x), half = e / 2, low = row->min_exponent, least = low - (row->precision - 1);
    half = half > row->max_exponent ? row->max_exponent : half;
    half = e - half < low ? e - low : half;
    half = half < least ? least : half;
    *first = ldexp(fabs(x), -half);
    *second = ldexp(1, half);
}

static double ask_blocks(void *context)
{
    blocks *b = context;
    size_t n = b->inside->n;
    const double *term = b->cells.base;
    double *first = b->scale, *second = first + b->count, result = NAN;
    bool f32 = b->inside->storage_f32;
    memset(b->row, 0, n * (f32 ? sizeof(float) : sizeof(double)));
    for (size_t k = 0; k < b->count; k++) {
        first[k] = second[k] = ldexp(1, accord_format_get(b->inside->scale)->min_exponent);
        double unit = signbit(term[k]) ? -1 : 1;
        if (term[k] != 0)
            split_into_scales(b->inside->scale, term[k], &first[k], &second[k]);
        accordi_set_number(b->row, f32, b->chosen[k], term[k] != 0 ? unit : term[k]);
    }
    const accord_batch batch = {
        .probes = 1, .dense = b->row, .second = 1, .scale_first = first, .scale_second = second};
    enum accord_status status = accord_target_run(b->inside, &batch, &result, b->error);
    b->status = status ? status : b->status;
    return result;
}

static enum accord_status run_blocks(accord_target *target, const accord_batch *batch,
                                     double *result, accord_error *error)
{
    blocks *b = target->state;
    b->error = error;
    b->status = ACCORD_OK;
    enum accord_status status =
        accordi_cells_run(&b->cells, NULL, batch, ask_blocks, b, result, NULL, error);
    return status ? status : b->status;
}

static const accord_target_kind kind = {.name = "blocks", .notation = "blocks", .run = run_blocks};

static void draw_chosen(accordi_asker *asker, blocks *b)
{
    size_t share = b->inside->scale_block;
    for (size_t k = 0; k < b->count; k++) {
        size_t left = b->inside->n - k * share;
        b->chosen[k] =
            (uint32_t)(k * share + accordi_rng_below(&asker->rng, left < share ? left : share));
    }
}

/* The order of the blocks, proven; NULL where there is none. */
static accord_tree *find_order(accordi_asker *outer, accord_target *target)
{
    accordi_asker asker;
    accordi_certificate proof = {.nodes = 0};
    accord_tree *tree = NULL;
    bool holds = false;
    accordi_ask_init(&asker, target, accordi_rng_below(&outer->rng, UINT32_MAX), outer->error);
    if (target->n < 3) {
        const uint32_t one[] = {ACCORD_TREE_NO_NODE}, two[] = {2, 2, ACCORD_TREE_NO_NODE};
        asker.status = accord_tree_from_parents(target->n, target->n - 1,
                                                target->n == 1 ? one : two, &tree, outer->error);
    } else if (!accordi_calibrate(&asker) && !accordi_auto(&asker, &tree)) {
        accordi_prove(&asker, tree, &proof, &holds);
        if (!asker.status && !holds)
            accordi_ask_unable(&asker, ACCORD_REASON_NOT_A_TREE,
                               "probes contradict the order that was found of blocks of %zu "
                               "products that share scales",
                               ((blocks *)target->state)->inside->scale_block);
    }
    outer->status = asker.status;
    accordi_certificate_clear(&proof);
    accordi_ask_clear(&asker);
    if (outer->status) {
        accord_tree_free(tree);
        tree = NULL;
    }
    return tree;
}

/* The same whichever products stand for their blocks. */
static accord_tree *find_orders(accordi_asker *asker, blocks *b, accord_target *target)
{
    accord_tree *tree = NULL;
    for (int i = 0; i < DRAWS && !asker->status; i++) {
        draw_chosen(asker, b);
        accord_tree *found = find_order(asker, target);
        if (found && tree && !accord_tree_equal(found, tree))
            accordi_ask_unable(asker, ACCORD_REASON_NOT_A_TREE,
                               "products of one block that share scales are added in different "
                               "places of the order");
        if (tree)
            accord_tree_free(found);
        else
            tree = found;
    }
    return tree;
}

static enum accord_status find_blocks(accordi_asker *asker, accord_tree **out)
{
    accord_target *inside = asker->target;
    size_t n = inside->n, count = (n + inside->scale_block - 1) / inside->scale_block;
    static char name[] = "blocks";
    blocks b = {.inside = inside, .count = count};
    b.chosen = accordi_ask_alloc(asker, count, sizeof *b.chosen);
    b.row = accordi_ask_alloc(asker, n, sizeof(double));
    b.scale = accordi_ask_alloc(asker, 2 * count, sizeof *b.scale);
    double *terms = accordi_ask_calloc(asker, count, sizeof *terms);
    b.cells = (accordi_cells){.base = terms, .n = count, .stride = 1, .storage = ACCORDI_F64};
    accord_target target = {.kind = &kind,
                            .state = &b,
                            .notation = name,
                            .n = count,
                            .format = inside->scale,
                            .wide_terms = true,
                            .output = inside->output,
                            .rows = 1,
                            .columns = 1,
                            .alpha = 1};
    *out = asker->status ? NULL : find_orders(asker, &b, &target);
    if (asker->status) {
        accord_tree_free(*out);
        *out = NULL;
    }
    accordi_cells_clear(&b.cells);
    free(terms);
    free(b.row);
    free(b.scale);
    free(b.chosen);
    return asker->status;
}

/* Whether products come in steps of whole blocks, one after the other. */
static bool takes_whole_blocks(const accordi_steps *steps, size_t share)
{
    bool fits = steps->scheme == ACCORD_FUSED_THEN_C && !steps->joined &&
                steps->terms * share <= ACCORDI_FUSED_MOST;
    for (size_t l = 0; l < steps->n && fits; l++)
        fits = steps->leaf[l] == l;
    return fits;
}

/* How many products a step may take, as this order of blocks allows it, fewest first; 0 in the
 * end. */
static enum accord_status read_terms(accordi_asker *asker, const accord_tree *order,
                                     size_t terms[READINGS + 1])
{
    size_t share = asker->target->scale_block, count = 0;
    accordi_steps steps = {0};
    if (order->leaves == 1 && share <= ACCORDI_FUSED_MOST)
        terms[count++] = share;
    for (size_t k = 0; count < READINGS && accordi_steps_read(order, k, &steps); k++) {
        if (!steps.leaf)
            return asker->status = accordi_nomem(asker->error);
        bool fits = takes_whole_blocks(&steps, share);
        free(steps.leaf);
        if (!fits)
            continue;
        size_t at = count++;
        for (; at > 0 && terms[at - 1] > steps.terms * share; at--)
            terms[at] = terms[at - 1];
        terms[at] = steps.terms * share;
    }
    terms[count] = 0;
    return ACCORD_OK;
}

static void take_machine(accordi_work *w, accord_tree *tree, accord_arithmetic *how,
                         const accordi_features_report *report, size_t of_blocks)
{
    accordi_certificate *c = &w->certificate;
    w->record.tree = tree;
    c->arithmetic = how;
    c->explained = true;
    c->replays = report->replays;
    c->replays_agreed = report->agreed;
    c->nodes = tree->inner; /* of which none is confirmed */
    c->blocks = of_blocks;
}

/* Steps of so many products, if parameters of a machine explain the answers then. */
static bool try_terms(accordi_work *w, size_t terms, size_t of_blocks)
{
    accordi_asker *asker = &w->asker;
    const accord_fused machine = {.scheme = ACCORD_FUSED_WITH_C, .terms = (int)terms};
    accordi_features_report report;
    accord_arithmetic *how = NULL;
    accord_tree *tree = NULL;
    asker->status = accordi_machine_tree(&machine, asker->n, &tree, asker->error);
    if (asker->status)
        return false;
    enum accord_status status = accordi_features_find(asker, tree, &how, &report);
    if (status == ACCORD_OK) {
        take_machine(w, tree, how, &report, of_blocks);
        return true;
    }
    accord_tree_free(tree);
    asker->status = status == ACCORD_UNABLE || status == ACCORD_UNSUPPORTED ? ACCORD_OK : status;
    return false;
}

/* Blocks that are exact sums, added in ordinary arithmetic. */
static bool try_exact_blocks(accordi_work *w, const accord_tree *order)
{
    accordi_features_report report;
    accord_arithmetic *how = NULL;
    accord_tree *tree = NULL;
    if (!accordi_find_exact_blocks(&w->asker, order, &tree, &how, &report))
        return false;
    take_machine(w, tree, how, &report, order->leaves);
    w->certificate.exact_blocks = true;
    return true;
}

enum accord_status accordi_check_scales(const accord_target *target,
                                        const accord_reveal_options *options, accord_error *error)
{
    size_t share = target->scale_block;
    if (share > 0 && target->n % share != 0 && !accord_format_adds(target->format))
        return accordi_fail(error, ACCORD_ARG,
                            "-n %zu: blocks of %zu products share scales, and this number does not "
                            "fill them; give a multiple of %zu",
                            target->n, share, share);
    bool usual = accordi_usual_options(options);
    if (accord_format_adds(target->format) || (usual && target->scale_block > 0))
        return ACCORD_OK;
    return accordi_fail(
        error, ACCORD_UNSUPPORTED,
        "the order of products of %s, whose range has no room for masks, can only be "
        "asked for by scales that they share, and without options for algorithm, "
        "proof, replays and budget; leave these out",
        accord_format_get(target->format)->name);
}

/* Where masks showed nothing; the reason for that stays if this does not succeed either. */
static void try_exchanges(accordi_work *w)
{
    accordi_asker *asker = &w->asker;
    const accord_error why = *asker->error;
    size_t terms = 0, inputs = 0;
    if (!accordi_may_be_machine(w))
        return;
    asker->status = ACCORD_OK;
    if (accordi_exchanges_ask(asker, &terms, &inputs))
        return;
    if (terms > 0 && try_terms(w, terms, 0)) {
        w->certificate.exchanged = inputs;
    } else if (!asker->status) {
        asker->status = ACCORD_UNABLE;
        *asker->error = why;
    }
}

void accordi_by_scales(accordi_work *w)
{
    accordi_asker *asker = &w->asker;
    accord_tree *order = NULL;
    size_t terms[READINGS + 1] = {0};
    bool found = false;
    asker->stage = "discovering";
    if (find_blocks(asker, &order)) {
        try_exchanges(w);
        return;
    }
    found = try_exact_blocks(w, order);
    if (!found)
        read_terms(asker, order, terms);
    for (size_t i = 0; terms[i] && !asker->status && !found; i++)
        found = try_terms(w, terms[i], order->leaves);
    if (!asker->status && !found && !terms[0])
        accordi_ask_unable(asker, ACCORD_REASON_NOT_PLAIN,
                           "the %u blocks of %zu products that share scales are added in one fixed "
                           "order, but not in steps of whole blocks, as machines do, and how the "
                           "products of one block are added cannot be asked for",
                           order->leaves, asker->target->scale_block);
    else if (!asker->status && !found)
        asker->status = ACCORD_UNABLE; /* for the reason that the search gave */
    accord_tree_free(order);
}
