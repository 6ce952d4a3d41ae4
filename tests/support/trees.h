/* Trees drawn at random, for tests: parents in a numbering that is anything but canonical. */
#ifndef TREES_H
#define TREES_H

#include "base/base.h"
#include <accord/tree.h>

typedef struct drawn {
    uint32_t leaves, inner;
    uint32_t *parent; /* leaves+inner entries, to be freed */
} drawn;

enum tree_kind { BINARY, MULTIWAY, CATERPILLAR, LANES, SHUFFLED_CATERPILLAR, TREE_KINDS };

static inline uint32_t drawn_join(drawn *d, const uint32_t *nodes, uint32_t count)
{
    uint32_t node = d->leaves + d->inner++;
    for (uint32_t i = 0; i < count; i++)
        d->parent[nodes[i]] = node;
    return node;
}

static inline uint32_t drawn_chain(drawn *d, const uint32_t *leaves, uint32_t count)
{
    uint32_t top = leaves[0];
    for (uint32_t i = 1; i < count; i++) {
        uint32_t pair[2] = {top, leaves[i]};
        top = drawn_join(d, pair, 2);
    }
    return top;
}

/* Joins 2 to `most` random ones of the nodes until one is left. */
static inline uint32_t drawn_merge(drawn *d, accordi_rng *rng, uint32_t *nodes, uint32_t count,
                                   uint32_t most)
{
    while (count > 1) {
        uint32_t picked[8], want = 2 + (uint32_t)accordi_rng_below(rng, most - 1), got = 0;
        while (got < want && count > 0) {
            uint32_t at = (uint32_t)accordi_rng_below(rng, count);
            picked[got++] = nodes[at];
            nodes[at] = nodes[--count];
        }
        nodes[count++] = drawn_join(d, picked, got);
    }
    return nodes[0];
}

static inline uint32_t drawn_lanes(drawn *d, accordi_rng *rng, uint32_t *scratch)
{
    uint32_t n = d->leaves, lanes = 1 + (uint32_t)accordi_rng_below(rng, n < 16 ? n : 16);
    uint32_t tops[16] = {0}, *leaves = scratch;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        uint32_t count = 0;
        for (uint32_t i = lane; i < n; i += lanes)
            leaves[count++] = i;
        tops[lane] = drawn_chain(d, leaves, count);
    }
    return drawn_merge(d, rng, tops, lanes, 2);
}

/* Gives the inner nodes other numbers. */
static inline void drawn_renumber(drawn *d, accordi_rng *rng)
{
    uint32_t n = d->leaves, m = d->inner;
    uint32_t *number = accordi_alloc(m, sizeof *number);
    uint32_t *parent = accordi_alloc((size_t)n + m, sizeof *parent);
    for (uint32_t k = 0; k < m; k++)
        number[k] = n + k;
    accordi_rng_shuffle(rng, number, m);
    for (uint32_t v = 0; v < n + m; v++) {
        uint32_t p = d->parent[v], to = v < n ? v : number[v - n];
        parent[to] = p == ACCORD_TREE_NO_NODE ? p : number[p - n];
    }
    free(number);
    free(d->parent);
    d->parent = parent;
}

static inline drawn draw_tree(accordi_rng *rng, enum tree_kind kind, uint32_t n)
{
    drawn d = {n, 0, accordi_alloc(2 * (size_t)n, sizeof(uint32_t))};
    uint32_t *nodes = accordi_alloc(n, sizeof *nodes), root;
    for (uint32_t i = 0; i < n; i++)
        nodes[i] = i;
    if (kind == SHUFFLED_CATERPILLAR)
        accordi_rng_shuffle(rng, nodes, n);
    if (kind == CATERPILLAR || kind == SHUFFLED_CATERPILLAR)
        root = drawn_chain(&d, nodes, n);
    else if (kind == LANES)
        root = drawn_lanes(&d, rng, nodes);
    else
        root = drawn_merge(&d, rng, nodes, n, kind == BINARY ? 2 : 8);
    d.parent[root] = ACCORD_TREE_NO_NODE;
    free(nodes);
    drawn_renumber(&d, rng);
    return d;
}

/* 1 … 300, small ones more often. */
static inline uint32_t draw_size(accordi_rng *rng)
{
    static const uint32_t most[] = {4, 12, 40, 300};
    return 1 + (uint32_t)accordi_rng_below(rng, most[accordi_rng_below(rng, 4)]);
}

/* NULL (and a line on stdout) when the library refuses. */
static inline accord_tree *drawn_tree(const drawn *d)
{
    accord_tree *tree = NULL;
    accord_error error;
    if (accord_tree_from_parents(d->leaves, d->inner, d->parent, &tree, &error) != ACCORD_OK)
        printf("# refused: %s\n", error.text);
    return tree;
}

static inline accord_tree *random_tree(accordi_rng *rng, enum tree_kind kind, uint32_t n)
{
    drawn d = draw_tree(rng, kind, n);
    accord_tree *tree = drawn_tree(&d);
    free(d.parent);
    return tree;
}

#endif
