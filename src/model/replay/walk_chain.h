/* Template, for walk_lanes.h with one lane: chains of a single row. Before including it define
 * CHAIN (a suffix) and NEXT(acc, leaf), the sum after one more leaf. Internal.
 *
 * A chain is a node of two leaves (or any node) and, right behind it in post-order, nodes that add
 * a leaf each to the one before: the sum stays in a register. Lanes are chains of one length with
 * few other nodes between them: up to WIDE of them go side by side, for one addition waits for the
 * one before it, not for those of other chains. Neighbors among the terms may belong to lanes that
 * are far from each other in post-order, so all of them go on by STRIP terms before any goes
 * farther: then what one fetched from memory is in a cache when the next one reads it. That they
 * are chains is seen while they are summed, so the tree is read once; sums of what turns out to be
 * none are thrown away. */

#ifndef ACCORDI_MOST_CHAINS
#define ACCORDI_MOST_CHAINS 64 /* a multiple of WIDE */
#endif
#define WIDE 8
#define STRIP 128
#define GO_ON PASTE(NAME, PASTE(_strip, CHAIN))

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

/* Nodes from … to-1 of `wide` chains, whose first nodes are start[w], after which the values are
 * sum[w]. wrong[w] becomes other than 0 where there is no such chain. */
TARGET static inline __attribute__((always_inline)) void
GO_ON(const accord_tree *tree, const uint32_t *start, uint32_t from, uint32_t to, const TYPE *x,
      const TYPE *y, TYPE *sum, uint32_t *wrong, const uint32_t wide)
{
    const uint32_t n = tree->leaves;
    const uint32_t *child[WIDE];
    uint32_t bad[WIDE] = {0};
    TYPE acc[WIDE];
    (void)y;
    memcpy(acc, sum, wide * sizeof *acc);
    for (uint32_t w = 0; w < wide; w++)
        child[w] = tree->child + 2 * (size_t)start[w];
    for (uint32_t j = from; j < to; j++)
#pragma GCC unroll 8
        for (uint32_t w = 0; w < wide; w++) {
            const uint32_t *pair = child[w] + 2 * (size_t)j;
            uint32_t leaf = pair[1] < n ? pair[1] : 0;
            bad[w] |= (pair[0] ^ (n + start[w] + j - 1)) | (pair[1] ^ leaf);
            acc[w] = NEXT(acc[w], leaf);
        }
    memcpy(sum, acc, wide * sizeof *acc);
    for (uint32_t w = 0; w < wide; w++)
        wrong[w] |= bad[w];
}

/* `count` chains of `length` nodes; start and sum have room for a multiple of WIDE. Returns how
 * many of them are chains, before the first that is none. */
TARGET static uint32_t PASTE(NAME, PASTE(_chains, CHAIN))(const accord_tree *tree,
                                                          const uint8_t *code,
                                                          const uint32_t *start, uint32_t count,
                                                          uint32_t length, const TYPE *x,
                                                          const TYPE *y, TYPE *sum)
{
    uint32_t wrong[ACCORDI_MOST_CHAINS] = {0}, right = 0;
    for (uint32_t from = 1; from < length; from += STRIP) {
        uint32_t to = length - from > STRIP ? from + STRIP : length;
        for (uint32_t w = 0; w < count; w += WIDE)
            if (count - w > WIDE / 2)
                GO_ON(tree, start + w, from, to, x, y, sum + w, wrong + w, WIDE);
            else
                GO_ON(tree, start + w, from, to, x, y, sum + w, wrong + w, WIDE / 2);
    }
    for (uint32_t w = 0; code && w < count; w++)
        for (uint32_t j = 0; j < length; j++)
            wrong[w] |= code[start[w] + j] ^ code[start[0]];
    while (right < count && !wrong[right])
        right++;
    return right;
}

#undef GO_ON
#undef STRIP
#undef WIDE
#undef CHAIN
#undef NEXT
