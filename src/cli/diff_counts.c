/* Why does the order of n terms differ from that of m? Two orders of different counts have the
 * first m terms in common, m the lesser count (and the start value, which is the last leaf of
 * both). What the longer order does with those alone is its tree with all other leaves taken away.
 * The added leaves enter where a subtree of them alone meets common ones: beside a single common
 * term, at a sum of some, or where all common terms have been added. */
#include "cli/diff.h"

/* Under every node of the longer tree: how many common leaves, how many of the added. */
typedef struct census {
    uint32_t *common, *added;
} census;

static bool is_common(const cli_common *counts, uint32_t leaf, uint32_t leaves)
{
    return counts->start ? leaf + 1 < counts->common || leaf + 1 == leaves : leaf < counts->common;
}

static bool census_take(census *c, const accord_tree *tree, const cli_common *counts)
{
    size_t nodes = (size_t)tree->leaves + tree->inner;
    c->common = accordi_calloc(nodes, sizeof *c->common);
    c->added = accordi_calloc(nodes, sizeof *c->added);
    if (!c->common || !c->added)
        return false;
    for (uint32_t v = 0; v < tree->leaves; v++)
        (is_common(counts, v, tree->leaves) ? c->common : c->added)[v] = 1;
    for (uint32_t k = 0; k < tree->inner; k++)
        for (uint32_t i = tree->first[k]; i < tree->first[k + 1]; i++) {
            c->common[tree->leaves + k] += c->common[tree->child[i]];
            c->added[tree->leaves + k] += c->added[tree->child[i]];
        }
    return true;
}

/* A node at which a child of added leaves alone meets one with common leaves. */
static void enter(cli_common *out, const accord_tree *tree, const census *c, uint32_t k)
{
    uint32_t met = 0, entering = 0, all = c->common[tree->leaves + k];
    for (uint32_t i = tree->first[k]; i < tree->first[k + 1]; i++) {
        uint32_t child = tree->child[i];
        met += c->common[child] > 0;
        entering += c->common[child] == 0 ? c->added[child] : 0;
    }
    if (!met || !entering)
        return;
    out->entries++;
    *(all == out->common ? &out->after : all == 1 ? &out->beside_terms : &out->within) += entering;
}

static enum accord_status induce(const accord_tree *longer, cli_common *counts, accord_error *error)
{
    uint32_t *kept = accordi_alloc(counts->common, sizeof *kept), count = 0;
    if (!kept)
        return accordi_nomem(error);
    for (uint32_t i = 0; i < longer->leaves; i++)
        if (is_common(counts, i, longer->leaves))
            kept[count++] = i;
    enum accord_status status = accord_tree_restrict(longer, count, kept, &counts->induced, error);
    free(kept);
    return status;
}

enum accord_status cli_diff_counts(cli_difference *in)
{
    const accord_tree *a = in->a->record.tree, *b = in->b->record.tree;
    const accord_tree *longer = a->leaves > b->leaves ? a : b, *shorter = longer == a ? b : a;
    cli_common *out = &in->counts;
    census c = {NULL, NULL};
    bool start = in->a->record.beta != 0 && in->b->record.beta != 0;
    *out = (cli_common){.common = shorter->leaves, .b_is_longer = longer == b, .start = start};
    enum accord_status status = induce(longer, out, &in->error);
    if (!status && !census_take(&c, longer, out))
        status = accordi_nomem(&in->error);
    for (uint32_t k = 0; !status && k < longer->inner; k++)
        enter(out, longer, &c, k);
    free(c.common);
    free(c.added);
    if (status)
        return status;
    out->same = accord_tree_equal(out->induced, shorter);
    return accord_tree_diff(cli_diff_tree(in, false), cli_diff_tree(in, true), &in->has_node,
                            &in->swapped, &in->node, &in->error);
}

const accord_tree *cli_diff_tree(const cli_difference *in, bool of_b)
{
    bool is_longer = of_b == in->counts.b_is_longer;
    return in->by_counts && is_longer ? in->counts.induced : (of_b ? in->b : in->a)->record.tree;
}

/* ---- in words ---- */

static void put_entries(accordi_buffer *out, const cli_common *c, const char *longer)
{
    const struct {
        uint32_t terms;
        const char *where;
    } rows[] = {{c->after, "after all common terms have been added"},
                {c->within, "at partial sums of some of the common terms"},
                {c->beside_terms, "beside single common terms"}};
    accordi_buffer_printf(out, "What %s adds beyond the common terms enters", longer);
    const char *between = " ";
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].terms) {
            accordi_buffer_printf(out, "%s%s (%u term%s)", between, rows[i].where, rows[i].terms,
                                  rows[i].terms == 1 ? "" : "s");
            between = ", ";
        }
    accordi_buffer_printf(out, "; at %u node%s in all.\n", c->entries, c->entries == 1 ? "" : "s");
}

void cli_diff_counts_report(accordi_buffer *out, const cli_difference *in)
{
    const cli_common *c = &in->counts;
    const accord_record *a = &in->a->record, *b = &in->b->record;
    accordi_buffer_printf(out,
                          "%s on the %u terms that both add%s.\nA is %s, of %lld terms\n"
                          "B is %s, of %lld terms\n\n",
                          c->same ? "Same order" : "Different orders", c->common,
                          c->other_arithmetic ? ", other arithmetic" : "", in->a->name,
                          (long long)a->n, in->b->name, (long long)b->n);
    if (in->has_node)
        cli_diff_put_node(out, in);
    put_entries(out, c, c->b_is_longer ? "B" : "A");
    cli_diff_put_arithmetics(out, in);
}
