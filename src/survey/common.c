/* Compares two orders of different counts on the terms that both have.
 *
 * Two orders of different counts have the first m terms in common, m the lesser count (and the
 * start value, which is the last leaf of both). What the longer order does with those alone is its
 * tree with all other leaves taken away. The added leaves enter where a subtree of them alone meets
 * common ones: beside a single common term, at a sum of some, or where all common terms have been
 * added. */
#include "survey/survey.h"

/* Under every node of the longer tree: how many common leaves, how many of the added. */
typedef struct census {
    uint32_t *common, *added;
} census;

static bool is_common(const accord_common *in, uint32_t leaf, uint32_t leaves)
{
    return in->start ? leaf + 1 < in->common || leaf + 1 == leaves : leaf < in->common;
}

static bool census_take(census *c, const accord_tree *tree, const accord_common *in)
{
    size_t nodes = (size_t)tree->leaves + tree->inner;
    c->common = accordi_calloc(nodes, sizeof *c->common);
    c->added = accordi_calloc(nodes, sizeof *c->added);
    if (!c->common || !c->added)
        return false;
    for (uint32_t v = 0; v < tree->leaves; v++)
        (is_common(in, v, tree->leaves) ? c->common : c->added)[v] = 1;
    for (uint32_t k = 0; k < tree->inner; k++)
        for (uint32_t i = tree->first[k]; i < tree->first[k + 1]; i++) {
            c->common[tree->leaves + k] += c->common[tree->child[i]];
            c->added[tree->leaves + k] += c->added[tree->child[i]];
        }
    return true;
}

/* A node at which a child of added leaves alone meets one with common leaves. */
static void enter(accord_common *out, const accord_tree *tree, const census *c, uint32_t k)
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

static enum accord_status induce(const accord_tree *longer, accord_common *out, accord_error *error)
{
    uint32_t *kept = accordi_alloc(out->common, sizeof *kept), count = 0;
    if (!kept)
        return accordi_nomem(error);
    for (uint32_t i = 0; i < longer->leaves; i++)
        if (is_common(out, i, longer->leaves))
            kept[count++] = i;
    enum accord_status status = accord_tree_restrict(longer, count, kept, &out->induced, error);
    free(kept);
    return status;
}

static enum accord_status count_entries(const accord_tree *longer, accord_common *out,
                                        accord_error *error)
{
    census c = {NULL, NULL};
    enum accord_status status = census_take(&c, longer, out) ? ACCORD_OK : accordi_nomem(error);
    for (uint32_t k = 0; !status && k < longer->inner; k++)
        enter(out, longer, &c, k);
    free(c.common);
    free(c.added);
    return status;
}

/* ---- the verdict ---- */

/* Orders that somebody wrote down are what they are; those that were asked have to be proven. */
static bool is_sure(const accord_record *record)
{
    return !record->left_out && (record->proven || record->arithmetic || !record->status);
}

/* Nodes of trees of different counts do not correspond: words have to do. */
static bool other_arithmetic(const accord_record *a, const accord_record *b)
{
    const accord_model one = {a->tree, a->arithmetic}, two = {b->tree, b->arithmetic};
    char of_a[ACCORD_DESCRIPTION_SIZE], of_b[ACCORD_DESCRIPTION_SIZE];
    if (!a->arithmetic || !b->arithmetic)
        return false;
    accord_model_describe(&one, of_a, sizeof of_a);
    accord_model_describe(&two, of_b, sizeof of_b);
    return strcmp(of_a, of_b) != 0;
}

static void conclude_common(const accord_record *a, const accord_record *b, accord_common *out)
{
    bool sure_a = is_sure(a), sure_b = is_sure(b);
    out->other_arithmetic = other_arithmetic(a, b);
    out->sameness = !sure_a || !sure_b                          ? ACCORD_CANNOT_TELL
                    : out->same_order && !out->other_arithmetic ? ACCORD_SAME
                                                                : ACCORD_DIFFERS;
    if (!sure_a || !sure_b)
        snprintf(out->text, sizeof out->text, "the order of %s is not proven",
                 sure_a   ? "B"
                 : sure_b ? "A"
                          : "A and B");
    else
        snprintf(out->text, sizeof out->text, "%s on the %u terms in common",
                 !out->same_order        ? "different orders"
                 : out->other_arithmetic ? "the same order, different arithmetic"
                                         : "the same order",
                 out->common);
}

enum accord_status accord_common_compare(const accord_record *a, const accord_record *b,
                                         accord_common *out, accord_error *error)
{
    if (!a || !b || !out || !a->tree || !b->tree)
        return accordi_fail(error, ACCORD_ARG, "pass two records that have orders");
    const accord_tree *one = a->tree, *two = b->tree;
    accord_common found = {.b_is_longer = two->leaves > one->leaves,
                           .start = a->beta != 0 && b->beta != 0};
    const accord_tree *longer = found.b_is_longer ? two : one, *shorter = longer == one ? two : one;
    found.common = shorter->leaves;
    enum accord_status status = induce(longer, &found, error);
    if (!status)
        status = count_entries(longer, &found, error);
    if (!status) {
        const accord_tree *left = longer == one ? found.induced : one;
        const accord_tree *right = longer == one ? two : found.induced;
        found.same_order = accord_tree_equal(found.induced, shorter);
        status = accord_tree_diff(left, right, &found.has_node, &found.swapped, &found.node, error);
    }
    if (status) {
        accord_common_clear(&found);
        return status;
    }
    conclude_common(a, b, &found);
    *out = found;
    return ACCORD_OK;
}

void accord_common_clear(accord_common *common)
{
    accord_tree_free(common->induced);
    memset(common, 0, sizeof *common);
}

void accord_common_describe(const accord_common *common, char *text, size_t size)
{
    const struct {
        uint32_t terms;
        const char *where;
    } rows[] = {{common->after, "after all common terms have been added"},
                {common->within, "at partial sums of some of the common terms"},
                {common->beside_terms, "beside single common terms"}};
    accordi_buffer out = {0};
    accordi_buffer_printf(&out, "The terms that only %s adds enter the sum",
                          common->b_is_longer ? "B" : "A");
    const char *between = " ";
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].terms) {
            accordi_buffer_printf(&out, "%s%s (%u term%s)", between, rows[i].where, rows[i].terms,
                                  rows[i].terms == 1 ? "" : "s");
            between = ", ";
        }
    accordi_buffer_printf(&out, ", at %u node%s in total.", common->entries,
                          common->entries == 1 ? "" : "s");
    snprintf(text, size, "%s", out.data && !out.failed ? out.data : "");
    accordi_buffer_clear(&out);
}
