/* Template, for walk_lanes.h with one lane: chains of a single row. Before including it define
 * CHAIN (a suffix) and NEXT(acc, leaf), the sum after one more leaf. Internal.
 *
 * A chain is a node of two leaves (or any node) and, right behind it in post-order, nodes that add
 * a leaf each to the one before: the sum stays in a register. Lanes are chains of one length with
 * few other nodes between them: WIDE of them go side by side, for one addition waits for the one
 * before it, not for those of other chains, and neighbors among the terms are read together. That
 * they are chains is seen while they are summed, so the tree is read once; sums of what turns out
 * to be none are thrown away. */

#ifndef ACCORDI_WIDE_CHAINS
#define ACCORDI_WIDE_CHAINS 8
#endif
#define WIDE ACCORDI_WIDE_CHAINS

/* Goes on from node k as long as there is a chain; returns the first node that is none of it. */
TARGET static uint32_t PASTE(NAME, PASTE(_chain, CHAIN))(const accord_tree *tree,
                                                         const uint8_t *code, uint32_t k,
                                                         const TYPE *x, const TYPE *y, TYPE *sum)
{
    const uint32_t n = tree->leaves, inner = tree->inner, *child = tree->child;
    const uint8_t kind = code ? code[k] : 0;
    TYPE acc = *sum;
    (void)y;
    for (; k < inner && child[2 * (size_t)k] == n + k - 1 && child[2 * (size_t)k + 1] < n &&
           (!code || code[k] == kind);
         k++)
        acc = NEXT(acc, child[2 * (size_t)k + 1]);
    *sum = acc;
    return k;
}

/* WIDE chains of `length` nodes, whose first nodes are start[w] with the values sum[w]. False if
 * they are none. */
TARGET static bool PASTE(NAME, PASTE(_chains, CHAIN))(const accord_tree *tree, const uint8_t *code,
                                                      const uint32_t start[WIDE], uint32_t length,
                                                      const TYPE *x, const TYPE *y, TYPE sum[WIDE])
{
    const uint32_t n = tree->leaves;
    const uint32_t *child[WIDE];
    uint32_t wrong = 0;
    TYPE acc[WIDE];
    (void)y;
    memcpy(acc, sum, sizeof acc);
    for (uint32_t w = 0; w < WIDE; w++)
        child[w] = tree->child + 2 * (size_t)start[w];
    for (uint32_t j = 1; j < length; j++)
        for (uint32_t w = 0; w < WIDE; w++) {
            const uint32_t *pair = child[w] + 2 * (size_t)j;
            uint32_t leaf = pair[1] < n ? pair[1] : 0;
            wrong |= (pair[0] ^ (n + start[w] + j - 1)) | (pair[1] ^ leaf);
            acc[w] = NEXT(acc[w], leaf);
        }
    for (uint32_t w = 0; code && w < WIDE; w++)
        for (uint32_t j = 0; j < length; j++)
            wrong |= code[start[w] + j] ^ code[start[0]];
    memcpy(sum, acc, sizeof acc);
    return wrong == 0;
}

#undef WIDE
#undef CHAIN
#undef NEXT
