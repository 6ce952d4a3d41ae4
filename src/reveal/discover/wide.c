/* Discovers an order in few rounds of many probes, for targets that answer many at once, such as
 * the grids of room map.
 *
 * In a set of terms that hang under one node, take a random pivot and count the leaves under its
 * least common ancestor with every other term (as Algorithm 4 does). The terms of one count are all
 * that hang at one node of the pivot's path: a set of the same kind. All sets of a generation are
 * counted in one batch, of fewer than n probes since they are disjoint; of a chain of n terms there
 * are about ln n generations, of a balanced tree log2 n. Terms whose count is that of the node
 * above are its further children (a fused node): they are a set under the same node again.
 * Invariant: a set is all of the leaves under some children of its node `up`, which has `size`. */
#include "reveal/discover/auto.h"
#include "reveal/discover/levels.h"
#include "tree/builder.h"

enum { MOST_CHILDREN = 64 }; /* of a fused node, which come one a round */

typedef struct set {
    uint32_t lo, hi;   /* items[lo … hi) */
    uint32_t up, size; /* the node above and the leaves under it; of all terms: none */
    uint32_t child;    /* children of `up` that were found before */
} set;

typedef struct sets {
    set *item;
    size_t count, capacity;
} sets;

typedef struct wide {
    accordi_asker *asker;
    accordi_builder forest;
    accordi_levels levels;
    sets now, next;
    bool too_fused;
} wide;

static void add_set(wide *w, set s)
{
    sets *to = &w->next;
    if (s.hi - s.lo == 1) {
        w->forest.parent[w->levels.items[s.lo]] = s.up;
        return;
    }
    if (accordi_ask_grow(w->asker, (void **)&to->item, &to->capacity, to->count + 1,
                         sizeof *to->item))
        to->item[to->count++] = s;
}

/* The levels of all sets, each from a random pivot. */
static void count_all(wide *w)
{
    accordi_asker *asker = w->asker;
    uint32_t *items = w->levels.items;
    size_t probe = 0;
    accordi_ask_begin(asker, asker->unit);
    for (size_t i = 0; i < w->now.count; i++) {
        const set *s = &w->now.item[i];
        uint32_t pick = s->lo + (uint32_t)accordi_rng_below(&asker->rng, s->hi - s->lo);
        uint32_t pivot = items[pick];
        items[pick] = items[s->lo];
        items[s->lo] = pivot;
        accordi_levels_put(&w->levels, s->lo, s->hi);
    }
    accordi_ask_run(asker);
    for (size_t i = 0; i < w->now.count && !asker->status; i++)
        accordi_levels_read(&w->levels, w->now.item[i].lo, w->now.item[i].hi, &probe);
}

/* The path from the pivot up to its set's node, and what hangs from it. */
static void build_path(wide *w, const set *s)
{
    accordi_asker *asker = w->asker;
    const uint32_t *items = w->levels.items, *level_of = w->levels.level;
    uint32_t node = items[s->lo], below = 1, from = s->lo + 1;
    accordi_levels_sort(&w->levels, from, s->hi);
    while (from < s->hi && !asker->status) {
        uint32_t level = level_of[items[from]], to = from;
        while (to < s->hi && level_of[items[to]] == level)
            to++;
        if (level == s->size && s->up != ACCORD_TREE_NO_NODE) {
            add_set(w, (set){from, to, s->up, s->size, s->child + 1});
            w->too_fused = w->too_fused || s->child + 1 > MOST_CHILDREN;
            from = to;
            break;
        }
        uint32_t above = accordi_builder_node(&w->forest);
        if (above == ACCORD_TREE_NO_NODE || level != below + (to - from)) {
            if (above == ACCORD_TREE_NO_NODE)
                asker->status = accordi_nomem(asker->error);
            else
                accordi_levels_contradict(asker);
            return;
        }
        w->forest.parent[node] = above;
        add_set(w, (set){from, to, above, level, 1});
        node = above;
        below = level;
        from = to;
    }
    w->forest.parent[node] = s->up;
    if (from < s->hi)
        accordi_levels_contradict(asker);
}

static void count_generations(wide *w)
{
    accordi_asker *asker = w->asker;
    uint32_t n = (uint32_t)asker->n;
    add_set(w, (set){0, n, ACCORD_TREE_NO_NODE, n, 0});
    while (w->next.count && !asker->status && !w->too_fused) {
        sets swap = w->now;
        w->now = w->next;
        w->next = swap;
        w->next.count = 0;
        count_all(w);
        for (size_t i = 0; i < w->now.count && !asker->status; i++)
            build_path(w, &w->now.item[i]);
    }
}

enum accord_status accordi_auto_wide(accordi_asker *asker, accord_tree **out)
{
    wide w = {.asker = asker};
    if (asker->n - 2 > accordi_ask_capacity(asker))
        return accordi_auto_split(asker, out);
    asker->stage = "discovering";
    asker->status = accordi_builder_init(&w.forest, asker->n, asker->error);
    if (!asker->status && !accordi_levels_init(&w.levels, asker))
        count_generations(&w);
    if (!asker->status && !w.too_fused)
        asker->status = accordi_builder_finish(&w.forest, out, asker->error);
    free(w.forest.parent);
    accordi_levels_clear(&w.levels);
    free(w.now.item);
    free(w.next.item);
    return w.too_fused && !asker->status ? accordi_auto_split(asker, out) : asker->status;
}
