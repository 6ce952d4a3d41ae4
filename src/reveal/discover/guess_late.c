/* Finds terms that come after all others, wherever they stand in the array.
 *
 * The order of the others may be one that the number of terms determines, but it is their number
 * that does, so it has little to do with that of all terms. The units outside of the least clade
 * with two terms that stand far apart are the terms that come later. If these are few, each is
 * found by halving the range of units, in log2 n calls. Where there is none, this costs one batch.
 */
#include "reveal/discover/guess_late.h"

enum { PAIRS = 4 };

/* In each pair one term of the first quarter and one of the last. *pair becomes the one that leaves
 * the fewest units outside. Returns how many. */
static uint64_t count_outside(accordi_asker *asker, uint32_t pair[2])
{
    uint32_t drawn[PAIRS][2], quarter = (uint32_t)asker->n / 4;
    uint64_t least = UINT64_MAX, units = 0;
    accordi_ask_begin(asker, asker->unit);
    for (int p = 0; p < PAIRS; p++) {
        drawn[p][0] = (uint32_t)accordi_rng_below(&asker->rng, quarter);
        drawn[p][1] = (uint32_t)(asker->n - 1 - accordi_rng_below(&asker->rng, quarter));
        accordi_ask_masks(asker, drawn[p][0], drawn[p][1]);
    }
    accordi_ask_run(asker);
    for (int p = 0; p < PAIRS && !asker->status; p++)
        if (!accordi_ask_decode(asker, asker->result[p], &units) && units < least) {
            least = units;
            memcpy(pair, drawn[p], sizeof drawn[p]);
        }
    return least;
}

/* Those outside in a range. */
static uint64_t count_in(accordi_asker *asker, const uint32_t pair[2], uint32_t from, uint32_t to)
{
    uint64_t units = 0;
    accordi_ask_begin(asker, 0);
    for (uint32_t i = from; i < to; i++)
        accordi_ask_stay(asker, i, asker->unit);
    accordi_ask_masks(asker, pair[0], pair[1]);
    if (!accordi_ask_run(asker))
        accordi_ask_decode(asker, asker->result[0], &units);
    return units;
}

/* The `count` terms outside in a range. */
static void find_in(accordi_asker *asker, const uint32_t pair[2], uint32_t from, uint32_t to,
                    uint64_t count, accordi_late *out)
{
    while (count > 0 && to - from > 1 && !asker->status) {
        uint32_t middle = from + (to - from) / 2;
        uint64_t left = count_in(asker, pair, from, middle);
        if (left > count)
            return; /* the target contradicts itself, which is not for us to say */
        if (left > 0 && left < count)
            find_in(asker, pair, from, middle, left, out);
        from = left < count ? middle : from;
        to = left < count ? to : middle;
        count = left < count ? count - left : count;
    }
    if (count == 1 && out->count < ACCORDI_MOST_LATE)
        out->term[out->count++] = from;
}

/* Puts the terms in the order in which they are added. False if they are not added one by one. */
static bool sort_late(accordi_asker *asker, uint32_t first, accordi_late *late)
{
    uint32_t sorted[ACCORDI_MOST_LATE], set = 0, count = late->count;
    accordi_ask_begin(asker, asker->unit);
    for (uint32_t i = 0; i < count; i++)
        accordi_ask_masks(asker, first, late->term[i]);
    accordi_ask_run(asker);
    for (uint32_t i = 0; i < count && !asker->status; i++) {
        uint64_t later = 0;
        if (accordi_ask_decode(asker, asker->result[i], &later) || later >= count)
            return false;
        sorted[count - 1 - later] = late->term[i];
        set |= 1u << later;
    }
    memcpy(late->term, sorted, count * sizeof *sorted);
    return set == (1u << count) - 1;
}

static bool is_late(const accordi_late *late, uint32_t term)
{
    for (uint32_t i = 0; i < late->count; i++)
        if (late->term[i] == term)
            return true;
    return false;
}

static enum accord_status list_others(accordi_asker *asker, accordi_late *late)
{
    uint32_t count = 0;
    late->others = accordi_ask_alloc(asker, asker->n, sizeof *late->others);
    for (uint32_t i = 0; i < asker->n && late->others; i++)
        if (!is_late(late, i))
            late->others[count++] = i;
    return asker->status;
}

enum accord_status accordi_late_find(accordi_asker *asker, bool ends, accordi_late *out)
{
    uint32_t n = (uint32_t)asker->n, pair[2] = {0, 0};
    *out = (accordi_late){0};
    uint64_t outside = count_outside(asker, pair), count = 0;
    if (asker->status || outside == 0 || outside > ACCORDI_MOST_LATE)
        return asker->status;
    if (!ends) {
        count = count_in(asker, pair, (uint32_t)outside, n - (uint32_t)outside);
        if (asker->status || count == 0 || count > outside)
            return asker->status;
    }
    find_in(asker, pair, 0, n, outside, out);
    if (asker->status || out->count != outside || !sort_late(asker, pair[0], out))
        out->count = 0;
    return out->count ? list_others(asker, out) : asker->status;
}

void accordi_late_clear(accordi_late *late)
{
    free(late->others);
    *late = (accordi_late){0};
}

enum accord_status accordi_late_tree(accordi_asker *asker, const accordi_late *late,
                                     const accord_tree *others, accord_tree **out)
{
    uint32_t few = others->leaves, n = few + late->count, nodes = n + others->inner + late->count;
    uint32_t *parent = accordi_ask_alloc(asker, nodes, sizeof *parent);
    uint32_t *above = accordi_ask_alloc(asker, few + others->inner, sizeof *above);
    if (!asker->status) {
        accord_tree_parents(others, above);
        for (uint32_t v = 0; v < few + others->inner - 1; v++)
            parent[v < few ? late->others[v] : v + late->count] = above[v] + late->count;
        uint32_t top = n + others->inner - 1; /* the root of the others */
        for (uint32_t i = 0; i < late->count; i++, top++)
            parent[top] = parent[late->term[i]] = top + 1;
        parent[top] = ACCORD_TREE_NO_NODE;
        asker->status =
            accord_tree_from_parents(n, others->inner + late->count, parent, out, asker->error);
    }
    free(parent);
    free(above);
    return asker->status;
}
