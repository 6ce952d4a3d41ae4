/* Divides a tree into the steps of a machine. */
#include "reveal/machine/candidates.h"
#include "targets/synthetic/synthetic.h"

/* The places of a chain, from the root down: each node gives its leaves to the step before. */
typedef struct chain {
    uint32_t *leaf;     /* filled from the end */
    size_t first, last; /* leaves of the first node and of the last */
    size_t nodes;
    bool even; /* all nodes between have as many leaves as each other: `middle` */
    size_t middle;
} chain;

/* From a node with so many leaves below it. False if a node has two inner children. */
static bool follow_chain(const accord_tree *tree, uint32_t node, size_t leaves, chain *c)
{
    size_t at = leaves;
    c->even = true;
    for (c->nodes = 0; node >= tree->leaves; c->nodes++) {
        uint32_t k = node - tree->leaves, inner = 0;
        size_t held = 0;
        node = 0;
        for (uint32_t i = tree->first[k + 1]; i-- > tree->first[k];) {
            uint32_t child = tree->child[i];
            if (child < tree->leaves) {
                c->leaf[--at] = child;
                held++;
            } else {
                node = child;
                inner++;
            }
        }
        if (inner > 1)
            return false;
        if (c->nodes == 0)
            c->last = held;
        else if (inner == 1 && c->nodes > 1)
            c->even = c->even && held == c->middle;
        if (inner == 1 && c->nodes == 1)
            c->middle = held;
        c->first = held;
        if (inner == 0)
            node = 0;
    }
    return true;
}

static void exchange_first(uint32_t *leaf)
{
    uint32_t kept = leaf[0];
    leaf[0] = leaf[1];
    leaf[1] = kept;
}

/* Nodes with w leaves each, the last one perhaps fewer. */
static bool is_aligned(const chain *c)
{
    if (c->nodes == 1)
        return c->first > 1;
    bool middle = c->nodes == 2 || (c->even && c->middle == c->first);
    return middle && c->last <= c->first;
}

/* Each but the first adds one leaf. */
static bool is_single(const chain *c)
{
    if (c->nodes == 1)
        return c->first == 2;
    bool middle = c->nodes == 2 || (c->even && c->middle == 1);
    return c->first == 2 && c->last == 1 && middle;
}

static bool is_made_by(const accord_tree *tree, enum accord_fused_scheme scheme, size_t terms)
{
    accord_fused machine = {.scheme = scheme, .terms = (int)terms};
    accord_tree *due = NULL;
    if (accordi_machine_tree(&machine, tree->leaves, &due, NULL) != ACCORD_OK)
        return false;
    bool equal = accord_tree_equal(tree, due);
    accord_tree_free(due);
    return equal;
}

static bool ascends(const accord_tree *tree, const chain *c)
{
    for (uint32_t i = 1; i < tree->leaves; i++)
        if (c->leaf[i] < c->leaf[i - 1])
            return false;
    return true;
}

/* The greatest number of products of a step to try; a chain turned around as a whole is a chain. */
static size_t most_terms(const accord_tree *tree, enum accord_fused_scheme scheme)
{
    size_t n = tree->leaves, most = scheme == ACCORD_FUSED_PAIRWISE     ? 2 * n - 1
                                    : scheme == ACCORD_FUSED_LAST_FIRST ? n - 1
                                                                        : n;
    return most < ACCORDI_FUSED_MOST ? most : ACCORDI_FUSED_MOST;
}

/* Steps that follow from the whole of a binary tree; `i` counts down over those that fit. */
static bool read_shape(const accord_tree *tree, chain *c, enum accord_fused_scheme scheme,
                       size_t *i, accordi_steps *steps)
{
    bool binary = tree->inner + 1 == tree->leaves;
    size_t most = most_terms(tree, scheme);
    bool doubles = scheme == ACCORD_FUSED_PAIRWISE;
    for (size_t terms = 2; binary && terms <= most; terms = doubles ? 2 * terms : terms + 1)
        if (is_made_by(tree, scheme, terms) && (*i)-- == 0) {
            *steps = (accordi_steps){.scheme = scheme, .terms = terms};
            steps->more_terms = terms >= tree->leaves;
            for (uint32_t k = 0; k < tree->leaves; k++)
                c->leaf[k] = k;
            return true;
        }
    return false;
}

/* The readings, most usual first. `i` counts down over those that fit. */
static bool read_steps(const accord_tree *tree, chain *c, bool linked, size_t i,
                       accordi_steps *steps)
{
    if (linked && !ascends(tree, c) && read_shape(tree, c, ACCORD_FUSED_LAST_FIRST, &i, steps))
        return true;
    for (int swap = 0; swap < 2; swap++)
        if (linked && is_single(c) && i-- == 0) {
            *steps = (accordi_steps){.scheme = ACCORD_FUSED_CHAIN, .terms = 1};
            if (swap)
                exchange_first(c->leaf);
            return true;
        }
    if (linked && is_aligned(c) && c->first <= ACCORDI_FUSED_MOST && i-- == 0) {
        *steps = (accordi_steps){.scheme = ACCORD_FUSED_THEN_C, .terms = c->first};
        steps->more_terms = c->nodes == 1;
        return true;
    }
    if (read_shape(tree, c, ACCORD_FUSED_PAIRWISE, &i, steps) ||
        read_shape(tree, c, ACCORD_FUSED_EVEN_ODD, &i, steps))
        return true;
    if (linked && is_single(c) && i-- == 0) {
        *steps = (accordi_steps){.scheme = ACCORD_FUSED_THEN_C, .terms = 1};
        return true;
    }
    return false;
}

void accordi_find_joins(const accord_tree *tree, uint8_t *joins)
{
    for (uint32_t k = 0; k < tree->inner; k++) {
        uint32_t inner = 0, count = tree->first[k + 1] - tree->first[k];
        bool of_joins = false;
        for (uint32_t i = tree->first[k]; i < tree->first[k + 1]; i++) {
            uint32_t child = tree->child[i];
            inner += child >= tree->leaves;
            of_joins = of_joins || (child >= tree->leaves && joins[child - tree->leaves]);
        }
        joins[k] = count == 2 && (inner == 2 || of_joins);
    }
}

/* Trees whose chains of steps are added up: per inner node, whether it joins, whether nothing but
 * such nodes is above it, and the leaves below it. */
typedef struct joined {
    uint8_t *joins, *is_high;
    uint32_t *below;
} joined;

static bool fill_joined(const accord_tree *tree, joined *j)
{
    j->joins = accordi_alloc(2 * (size_t)tree->inner, 1);
    j->below = accordi_calloc(tree->inner, sizeof *j->below);
    if (!j->joins || !j->below)
        return false;
    j->is_high = j->joins + tree->inner;
    memset(j->is_high, 0, tree->inner);
    j->is_high[tree->inner - 1] = 1;
    accordi_find_joins(tree, j->joins);
    for (uint32_t k = 0; k < tree->inner; k++)
        for (uint32_t i = tree->first[k]; i < tree->first[k + 1]; i++) {
            uint32_t child = tree->child[i];
            j->below[k] += child < tree->leaves ? 1 : j->below[child - tree->leaves];
        }
    for (uint32_t k = tree->inner; k-- > 0;)
        for (uint32_t i = tree->first[k]; i < tree->first[k + 1]; i++)
            if (tree->child[i] >= tree->leaves)
                j->is_high[tree->child[i] - tree->leaves] = j->is_high[k] && j->joins[k];
    return true;
}

/* The last node of the chain that has the most leaves. */
static uint32_t longest_chain(const accord_tree *tree, const joined *j)
{
    uint32_t best = 0, most = 0;
    for (uint32_t k = 0; k < tree->inner; k++)
        if (j->is_high[k] && !j->joins[k] && j->below[k] > most) {
            most = j->below[k];
            best = k;
        }
    return best;
}

/* The chain of a tree that joins several; false without memory, too. */
static bool read_joined(const accord_tree *tree, chain *c, accordi_steps *steps)
{
    joined j = {0};
    bool good = fill_joined(tree, &j) && j.joins[tree->inner - 1];
    uint32_t top = good ? longest_chain(tree, &j) : 0;
    size_t leaves = good ? j.below[top] : 0;
    free(j.joins);
    free(j.below);
    if (!good || !follow_chain(tree, tree->leaves + top, leaves, c) || !is_aligned(c) ||
        c->first < 3 || c->first > ACCORDI_FUSED_MOST)
        return false;
    *steps = (accordi_steps){.scheme = ACCORD_FUSED_THEN_C,
                             .n = leaves,
                             .terms = c->first,
                             .more_terms = c->nodes == 1,
                             .joined = true};
    return true;
}

static bool read_whole(const accord_tree *tree, chain *c, size_t i, accordi_steps *steps)
{
    bool linked = follow_chain(tree, tree->leaves + tree->inner - 1, tree->leaves, c);
    bool read = read_steps(tree, c, linked, i, steps);
    steps->n = tree->leaves;
    return read;
}

bool accordi_steps_read(const accord_tree *tree, size_t i, accordi_steps *steps)
{
    chain c = {.leaf = accordi_alloc(tree->leaves, sizeof *c.leaf)};
    *steps = (accordi_steps){0};
    if (!c.leaf)
        return true;
    bool several = i == 0 && tree->inner > 0 && tree->inner + 1 < tree->leaves;
    if (tree->inner == 0 ||
        !(read_whole(tree, &c, i, steps) || (several && read_joined(tree, &c, steps)))) {
        free(c.leaf);
        return false;
    }
    steps->leaf = c.leaf;
    steps->count = (steps->n + steps->terms - 1) / steps->terms;
    return true;
}
