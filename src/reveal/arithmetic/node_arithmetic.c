/* The arithmetic at the nodes, found by probes.
 *
 * A node v of a proven tree is probed alone: a is a leaf under its first child, b a leaf under its
 * second child, and z a leaf outside v (there is none if v is the root). All other terms are 0 and
 * change nothing. With A at a, B at b and -A at z the result is what v made of A + B, minus A. It
 * is small, so that nothing above v hides it. What A and B are stands in node_formats.c,
 * node_products.c and node_widths.c; here is chosen which nodes are asked, and their answers become
 * the operations of all. */
#include "reveal/arithmetic/node_arithmetic.h"
#include "reveal/arithmetic/node_probes.h"

enum { KINDS = 4, NEAR = 32 };

/* ---- where to ask ---- */

static void choose_spot(accordi_node_finder *f, uint32_t k, accordi_probed_node *s)
{
    const accord_tree *tree = f->tree;
    const uint32_t *child = tree->child + tree->first[k];
    uint32_t beside = accordi_layout_sibling(&f->layout, tree->leaves + k);
    *s = (accordi_probed_node){.node = k, .beside = ACCORDI_NO_LEAF};
    for (int i = 0; i < 2; i++) {
        s->child[i] = child[i];
        s->leaf_child[i] = child[i] < tree->leaves;
        s->leaf[i] = accordi_layout_leaf(f->asker, &f->layout, child[i]);
    }
    if (beside != ACCORD_TREE_NO_NODE)
        s->beside = accordi_layout_leaf(f->asker, &f->layout, beside);
}

/* Whether its children are leaves: 0 … 3. */
static unsigned kind_of(const accordi_node_finder *f, uint32_t k)
{
    const uint32_t *child = f->tree->child + f->tree->first[k];
    return 2u * (child[0] < f->tree->leaves) + (child[1] < f->tree->leaves);
}

/* The last nodes of the subtree under node k, which are near to it. */
static void mark_end(bool *near, uint32_t k)
{
    for (uint32_t i = 0; i < NEAR && i <= k; i++)
        near[k - i] = true;
}

/* Marks what is near to the root, where loops over what vectors leave over end; and, `parts`, what
 * is near to the roots of large parts that are joined: each thread has such a loop of its own. */
static enum accord_status mark_near(const accordi_node_finder *f, bool parts, bool *near)
{
    enum { PARTS = 16 };
    const accord_tree *tree = f->tree;
    const uint32_t n = tree->leaves, large = n / PARTS > NEAR ? n / PARTS : NEAR;
    mark_end(near, tree->inner - 1);
    uint32_t *size = parts ? accordi_ask_alloc(f->asker, tree->inner, sizeof *size) : NULL;
    if (!size)
        return f->asker->status;
    accord_tree_sizes(tree, size);
    for (uint32_t k = 0; k < tree->inner; k++) {
        const uint32_t *child = tree->child + tree->first[k];
        bool all = true;
        for (uint32_t i = 0; i < tree->first[k + 1] - tree->first[k]; i++)
            all = all && child[i] >= n && size[child[i] - n] > large;
        for (uint32_t i = 0; all && i < tree->first[k + 1] - tree->first[k]; i++)
            mark_end(near, child[i] - n);
    }
    free(size);
    return f->asker->status;
}

/* Every node if the budget allows, else what is near to the root or parts, and of each kind of node
 * as many drawn at random as a quarter of the budget. */
static enum accord_status choose_spots(accordi_node_finder *f, uint32_t budget, bool parts)
{
    uint32_t inner = f->tree->inner, left[KINDS] = {0}, wanted[KINDS], room = budget;
    bool *near = accordi_ask_calloc(f->asker, inner, sizeof *near);
    f->index = accordi_ask_alloc(f->asker, inner, sizeof *f->index);
    if (f->asker->status || mark_near(f, parts, near)) {
        free(near);
        return f->asker->status;
    }
    for (uint32_t k = 0; k < inner; k++) {
        near[k] = near[k] || inner <= budget;
        room += near[k];
        left[kind_of(f, k)]++;
    }
    f->spot = accordi_ask_alloc(f->asker, room, sizeof *f->spot);
    for (int kind = 0; kind < KINDS; kind++)
        wanted[kind] = left[kind] < budget / KINDS ? left[kind] : budget / KINDS;
    for (uint32_t k = inner; f->spot && k-- > 0;) {
        unsigned kind = kind_of(f, k);
        bool drawn = accordi_rng_below(&f->asker->rng, left[kind]--) < wanted[kind];
        wanted[kind] -= drawn;
        f->index[k] = UINT32_MAX;
        if (drawn || near[k]) {
            f->index[k] = f->spots;
            choose_spot(f, k, &f->spot[f->spots++]);
        }
    }
    free(near);
    return f->asker->status;
}

/* ---- the operations ---- */

/* How products enter: where all are exact in the sum's format, none is called fused. */
static void settle_products(const accordi_node_finder *f, accordi_probed_node *s)
{
    int leaves = s->leaf_child[0] + s->leaf_child[1], whole = s->unrounded[0] + s->unrounded[1];
    bool exact = accordi_node_precision(s) >= 2 * f->product_precision;
    s->operation.fused = -1;
    s->operation.product = s->operation.format;
    if (f->asker->term != ACCORD_TERM_PRODUCT || leaves == 0 || (exact && whole == leaves))
        return;
    s->operation.product = f->format;
    if (whole == 1)
        s->operation.fused = s->unrounded[1];
    s->odd |= whole == 2;
}

/* The commonest operation of the spots of each kind; of a kind without spots, that of the root. */
static void find_rules(const accordi_node_finder *f, const accord_operation *rule[KINDS])
{
    enum { MOST = 16 }; /* different ones that are looked at */
    for (unsigned kind = 0; kind < KINDS; kind++) {
        const accord_operation *seen[MOST];
        uint32_t times[MOST] = {0}, count = 0, best = 0;
        for (uint32_t s = 0; s < f->spots; s++) {
            const accord_operation *op = &f->spot[s].operation;
            uint32_t i = 0;
            if (kind_of(f, f->spot[s].node) != kind)
                continue;
            while (i < count && memcmp(seen[i], op, sizeof *op))
                i++;
            if (i == count && count < MOST)
                seen[count++] = op;
            if (i < count && ++times[i] > times[best])
                best = i;
        }
        rule[kind] = count ? seen[best] : &f->spot[0].operation;
    }
}

int accordi_leaf_to_fuse(const accord_tree *tree, uint32_t k, int of_two)
{
    const uint32_t *child = tree->child + tree->first[k];
    if (tree->first[k + 1] - tree->first[k] != 2)
        return -1;
    bool leaf[2] = {child[0] < tree->leaves, child[1] < tree->leaves};
    return leaf[0] && leaf[1] ? of_two : leaf[0] ? 0 : leaf[1] ? 1 : -1;
}

enum accord_status accordi_arithmetic_tabulate(accordi_asker *asker, const accord_tree *tree,
                                               const accord_operation *of_node,
                                               accord_arithmetic *inout)
{
    enum { MOST = 255 };
    accord_operation table[MOST];
    size_t count = 0;
    uint8_t *index = accordi_ask_alloc(asker, tree->inner + 1, 1);
    for (uint32_t k = 0; index && k < tree->inner; k++) {
        size_t i = 0;
        while (i < count && memcmp(&table[i], &of_node[k], sizeof *table))
            i++;
        if (i == MOST) {
            free(index);
            return asker->status = accordi_fail(asker->error, ACCORD_UNSUPPORTED,
                                                "more than 255 kinds of additions in one sum");
        }
        if (i == count)
            table[count++] = of_node[k];
        index[k] = (uint8_t)i;
    }
    accord_operation *operation = accordi_ask_alloc(asker, count + 1, sizeof *operation);
    if (asker->status) {
        free(index);
        free(operation);
        return asker->status;
    }
    memcpy(operation, table, count * sizeof *operation);
    free(inout->operation);
    free(inout->of_node);
    inout->operation = operation;
    inout->operations = count;
    inout->of_node = index;
    return ACCORD_OK;
}

/* A sum need not be stored in a format into which the node above it, or the result, rounds it. */
static void settle_stored(const accordi_node_finder *f, accord_operation *of_node)
{
    for (uint32_t k = 0; k < f->tree->inner; k++) {
        uint32_t above = f->layout.parent[f->tree->leaves + k];
        enum accord_format next = above == ACCORD_TREE_NO_NODE
                                      ? f->asker->target->output
                                      : of_node[above - f->tree->leaves].format;
        if (of_node[k].stored == next)
            of_node[k].stored = ACCORD_F64;
    }
}

static enum accord_status make_arithmetic(accordi_node_finder *f, accordi_findings *findings,
                                          accord_arithmetic **out)
{
    accordi_asker *asker = f->asker;
    const accord_target *target = asker->target;
    const accord_tree *tree = f->tree;
    accord_operation *of_node = accordi_ask_alloc(asker, tree->inner, sizeof *of_node);
    accord_arithmetic *made = NULL;
    if (!of_node)
        return asker->status;
    for (uint32_t i = 0; i < f->spots; i++) {
        settle_products(f, &f->spot[i]);
        findings->odd += f->spot[i].odd;
        findings->twice += f->spot[i].twice;
    }
    findings->probed = f->spots;
    const accord_operation *rule[KINDS];
    find_rules(f, rule);
    for (uint32_t k = 0; k < tree->inner; k++)
        of_node[k] = *rule[kind_of(f, k)];
    for (uint32_t i = 0; i < f->spots; i++)
        of_node[f->spot[i].node] = f->spot[i].operation;
    settle_stored(f, of_node);
    asker->status = accord_arithmetic_plain(asker->term, target->format, target->output,
                                            target->output, &made, asker->error);
    if (!asker->status)
        made->output_rounding = f->last;
    if (!asker->status && !accordi_arithmetic_tabulate(asker, tree, of_node, made))
        *out = made;
    else
        accord_arithmetic_free(made);
    free(of_node);
    return asker->status;
}

enum accord_status accordi_arithmetic(accordi_asker *asker, const accord_tree *tree,
                                      uint32_t budget, bool parts, accordi_findings *findings,
                                      accord_arithmetic **out)
{
    accordi_node_finder f = {.asker = asker,
                             .tree = tree,
                             .format = asker->format,
                             .product_precision = accord_format_get(asker->format)->precision};
    *findings = (accordi_findings){0};
    *out = NULL;
    bool suits = asker->term == ACCORD_TERM_VALUE || asker->term == ACCORD_TERM_PRODUCT;
    if (!suits || asker->scale != 1 || tree->inner == 0 || tree->inner + 1 != tree->leaves)
        return asker->status;
    if (!accordi_layout_init(asker, tree, &f.layout) && !choose_spots(&f, budget, parts) &&
        !accordi_node_formats(&f) && !accordi_node_operands(&f) &&
        (asker->term != ACCORD_TERM_PRODUCT || !accordi_node_products(&f)) &&
        !accordi_node_widths(&f))
        make_arithmetic(&f, findings, out);
    accordi_layout_clear(&f.layout);
    free(f.spot);
    free(f.index);
    return asker->status;
}
