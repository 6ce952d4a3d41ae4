/* Template: sums along a tree for LANES rows side by side. Before including it define NAME, TYPE,
 * LANES and ADD(out, a, b), which adds LANES values. No include guard. Internal. */

/* Where a child's values are: a leaf's at home, an inner node's on the stack. */
#define AT(c) ((c) < tree->leaves ? leaf + (size_t)(c)*LANES : stack + --depth * LANES)

void NAME(const accord_tree *tree, const TYPE *leaf, TYPE *stack, accordi_fuser *fuse,
          const void *context, double *scratch)
{
    size_t depth = 0; /* in groups of LANES values */
    for (uint32_t k = 0; k < tree->inner; k++) {
        const uint32_t *child = tree->child + tree->first[k];
        uint32_t count = tree->first[k + 1] - tree->first[k];
        if (count == 2) {
            const TYPE *b = AT(child[1]);
            const TYPE *a = AT(child[0]);
            ADD((stack + depth * LANES), a, b);
        } else {
            for (uint32_t i = count; i-- > 0;) {
                const TYPE *a = AT(child[i]);
                for (size_t l = 0; l < LANES; l++)
                    scratch[l * count + i] = (double)a[l];
            }
            for (size_t l = 0; l < LANES; l++)
                stack[depth * LANES + l] = (TYPE)fuse(context, scratch + l * count, count);
        }
        depth++;
    }
}

#undef AT
#undef NAME
#undef TYPE
#undef LANES
#undef ADD
