/* Sorts terms by how soon they meet a chosen term (the pivot) in the tree.
 *
 * With a mask at the pivot, its negative at a term and units elsewhere, what survives is outside
 * their least common ancestor. */
#include "reveal/discover/levels.h"

enum accord_status accordi_levels_init(accordi_levels *l, accordi_asker *asker)
{
    *l = (accordi_levels){.asker = asker,
                          .items = accordi_ask_alloc(asker, asker->n, sizeof *l->items),
                          .level = accordi_ask_calloc(asker, asker->n, sizeof *l->level),
                          .key = accordi_ask_alloc(asker, asker->n, sizeof *l->key)};
    for (size_t i = 0; l->items && i < asker->n; i++)
        l->items[i] = (uint32_t)i;
    return asker->status;
}

void accordi_levels_clear(accordi_levels *l)
{
    free(l->items);
    free(l->level);
    free(l->key);
}

void accordi_levels_put(const accordi_levels *l, uint32_t lo, uint32_t hi)
{
    for (uint32_t i = lo + 1; i < hi; i++)
        accordi_ask_masks(l->asker, l->items[lo], l->items[i]);
}

enum accord_status accordi_levels_read(accordi_levels *l, uint32_t lo, uint32_t hi, size_t *probe)
{
    accordi_asker *asker = l->asker;
    for (uint32_t i = lo + 1; i < hi; i++) {
        uint64_t units = 0;
        if (accordi_ask_decode(asker, asker->result[(*probe)++], &units))
            return asker->status;
        if (units > asker->n - 2)
            return accordi_levels_contradict(asker);
        l->level[l->items[i]] = (uint32_t)(asker->n - units);
    }
    return asker->status;
}

void accordi_levels_sort(accordi_levels *l, uint32_t lo, uint32_t hi)
{
    for (uint32_t i = lo; i < hi; i++)
        l->key[i] = (uint64_t)l->level[l->items[i]] << 32 | l->items[i];
    qsort(l->key + lo, hi - lo, sizeof *l->key, accordi_by_number);
    for (uint32_t i = lo; i < hi; i++)
        l->items[i] = (uint32_t)l->key[i];
}

enum accord_status accordi_levels_contradict(accordi_asker *asker)
{
    return accordi_ask_unable(asker, ACCORD_REASON_NOT_A_TREE,
                              "the results contradict every tree of additions");
}
