/* Which squares enter sums unrounded, asked node by node: norms are never negative, so no masks
 * show it.
 *
 * Two terms that are not zero meet in one node, and all other additions are of zeros. So of two
 * terms the result tells how that node adds them: with both squares rounded, or with that of one
 * leaf as it is. Inputs are drawn on which these differ; they depend on the format of the node, and
 * on which of its children are leaves. */
#include "model/operation.h"
#include "reveal/arithmetic/search_tries.h"
#include "reveal/probes/leaf_order.h"

enum {
    WAYS = 3,
    ROWS = 6,
    DRAWS = 4000,
    SIDES = 4,
    MOST_OPERATIONS = 8,
    MOST_TERMS = 4096,
    NODES_A_BATCH = 256
};

/* Two terms, and the results where neither square is fused, the first, or the second. */
typedef struct question {
    double term[2], due[WAYS];
} question;

typedef struct asking {
    accordi_search *s;
    const accord_arithmetic *base;
    accord_tree *pair; /* of two leaves */
    accordi_layout layout;
    question row[MOST_OPERATIONS * SIDES][ROWS]; /* by kind of node */
    bool asked[MOST_OPERATIONS * SIDES];         /* kinds that rows tell anything of */
} asking;

/* The number of its operation, and which children are leaves. */
static unsigned kind_of(const asking *a, uint32_t k)
{
    const accord_tree *tree = a->s->tree;
    const uint32_t *child = tree->child + tree->first[k];
    unsigned operation = a->base->of_node ? a->base->of_node[k] : 0;
    return SIDES * operation + (child[0] < tree->leaves) + 2u * (child[1] < tree->leaves);
}

/* Whether nodes of this kind may fuse so: way 0 not at all, 1 and 2 the first or the second leaf.
 */
static bool may_fuse(unsigned kind, int way)
{
    return way == 0 || kind % SIDES >> (way - 1) & 1;
}

static bool has_leaves(unsigned kind)
{
    return kind % SIDES != 0;
}

/* What the pair gives each way. */
static enum accord_status predict(asking *a, unsigned kind, question *q)
{
    accord_arithmetic how = *a->base;
    accord_operation op = how.operation[kind / SIDES];
    const void *row = q->term;
    const accord_rows rows = {.rows = 1, .x = &row};
    const accord_model model = {a->pair, &how};
    accordi_asker *asker = a->s->asker;
    how.operation = &op;
    how.operations = 1;
    how.of_node = NULL;
    for (int way = 0; way < WAYS && !asker->status; way++) {
        op.fused = way - 1;
        asker->status = accord_model_replay(&model, &rows, &q->due[way], asker->error);
    }
    return asker->status;
}

/* Rows that tell each two ways apart in turn; false where there are none, as where the format holds
 * all squares. */
static bool draw_rows(asking *a, unsigned kind)
{
    static const int apart[][2] = {{0, 1}, {0, 2}, {1, 2}};
    accordi_asker *asker = a->s->asker;
    enum accord_format format = asker->target->format;
    size_t rows = 0, pair = 0;
    for (int i = 0; i < DRAWS && rows < ROWS && !asker->status; i++) {
        question *q = &a->row[kind][rows];
        while (!may_fuse(kind, apart[pair][0]) || !may_fuse(kind, apart[pair][1]))
            pair = (pair + 1) % WAYS;
        for (int t = 0; t < 2; t++)
            q->term[t] = accord_format_round(format, ACCORD_NEAREST_EVEN,
                                             1 + 3 * accordi_rng_unit(&asker->rng));
        if (predict(a, kind, q) || q->due[apart[pair][0]] == q->due[apart[pair][1]])
            continue;
        rows++;
        pair = (pair + 1) % WAYS;
    }
    return rows == ROWS;
}

static void ask_node(asking *a, uint32_t k, unsigned kind)
{
    accordi_asker *asker = a->s->asker;
    const uint32_t *child = a->s->tree->child + a->s->tree->first[k];
    for (int r = 0; r < ROWS; r++) {
        for (int t = 0; t < 2; t++)
            accordi_ask_own(asker, accordi_layout_leaf(asker, &a->layout, child[t]),
                            a->row[kind][r].term[t]);
        accordi_ask_end(asker);
    }
}

/* The way that explains all rows of a node: -1 for none. */
static int way_of(const asking *a, unsigned kind, const double *seen)
{
    for (int way = 0; way < WAYS; way++) {
        bool all = may_fuse(kind, way);
        for (int r = 0; r < ROWS; r++)
            all = all && a->row[kind][r].due[way] == seen[r];
        if (all)
            return way;
    }
    return -1;
}

/* Nodes from `first` on; false where one adds in no such way. */
static bool ask_some(asking *a, uint32_t first, uint32_t end, accord_operation *of_node)
{
    accordi_asker *asker = a->s->asker;
    size_t probe = 0;
    accordi_ask_begin(asker, 0);
    for (uint32_t k = first; k < end; k++)
        if (a->asked[kind_of(a, k)])
            ask_node(a, k, kind_of(a, k));
    if (accordi_ask_run(asker))
        return false;
    for (uint32_t k = first; k < end; k++) {
        unsigned kind = kind_of(a, k);
        int way = a->asked[kind] ? way_of(a, kind, asker->result + probe) : 0;
        if (way < 0)
            return false;
        of_node[k].fused = way - 1;
        probe += a->asked[kind] ? ROWS : 0;
    }
    return true;
}

static bool ask_all(asking *a, accord_operation *of_node)
{
    const accord_tree *tree = a->s->tree;
    bool known[MOST_OPERATIONS * SIDES] = {false}, any = false;
    for (uint32_t k = 0; k < tree->inner; k++) {
        unsigned kind = kind_of(a, k);
        if (!known[kind])
            a->asked[kind] = has_leaves(kind) && draw_rows(a, kind);
        known[kind] = true;
        any = any || a->asked[kind];
    }
    if (!any)
        return false;
    for (uint32_t k = 0; k < tree->inner; k += NODES_A_BATCH) {
        uint32_t end = tree->inner - k < NODES_A_BATCH ? tree->inner : k + NODES_A_BATCH;
        if (!ask_some(a, k, end, of_node))
            return false;
    }
    return true;
}

enum accord_status accordi_try_asked_squares(accordi_search *s, const accord_arithmetic *base)
{
    static const uint32_t parents[] = {2, 2, ACCORD_TREE_NO_NODE};
    accordi_asker *asker = s->asker;
    const accord_tree *tree = s->tree;
    asking a = {.s = s, .base = base};
    accord_arithmetic *made = NULL;
    if (s->e->agreed == s->replays->rows || tree->inner < 2 || tree->inner + 1 != tree->leaves ||
        tree->leaves > MOST_TERMS || base->operations > MOST_OPERATIONS)
        return asker->status;
    accord_operation *of_node = accordi_search_operations(s, base);
    if (!asker->status)
        asker->status = accord_tree_from_parents(2, 1, parents, &a.pair, asker->error);
    if (!asker->status && !accordi_layout_plain(asker, tree, &a.layout) && ask_all(&a, of_node) &&
        !accordi_search_with(s, base, of_node, &made))
        accordi_try(s, made, false);
    accordi_layout_clear(&a.layout);
    accord_arithmetic_free(made);
    accord_tree_free(a.pair);
    free(of_node);
    return asker->status;
}
