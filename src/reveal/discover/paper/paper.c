/* Algorithms 2 to 5 of the paper, with stacks of frames in place of recursion.
 *
 * All rest on l(i, j), the leaves under the least common ancestor of i and j, found by a probe
 * with M at i, -M at j and units elsewhere: what survives is outside. The probes of one pivot are
 * independent and travel as one batch. Naive search is in naive.c. */
#include "reveal/discover/paper/paper.h"
#include "reveal/discover/levels.h"
#include "tree/builder.h"
#include <math.h>

typedef struct frame {
    uint32_t lo, hi;    /* the set I: items[lo … hi), ascending, the pivot first */
    uint32_t extra;     /* a term that counts but is not in I (Algorithm 5) */
    uint32_t at, class; /* Algorithms 3, 4: the next class; the end of the one under way */
    uint32_t root, top; /* of what is built so far; max L_i */
    int stage;
} frame;

typedef struct builder {
    accordi_asker *asker;
    accordi_builder forest;
    accordi_levels levels;
    frame *stack;
    size_t depth, capacity;
    uint32_t root, top; /* what the last finished frame returned */
    bool fused;         /* Algorithm 4: the root may be the parent of the pivot's side */
} builder;

static enum accord_status enough_bits(accordi_asker *asker)
{
    if (asker->n - 2 <= accordi_ask_capacity(asker))
        return ACCORD_OK;
    return accordi_ask_unable(asker, ACCORD_REASON_OUT_OF_RANGE,
                              "this algorithm counts up to %zu units but only %llu can be counted "
                              "exactly; use --algorithm auto or modified",
                              asker->n - 2, (unsigned long long)accordi_ask_capacity(asker));
}

/* Algorithm 5 does not count exactly, but its greatest mask must swallow the units of all terms,
 * with something to spare for sums that are rounded up. */
static enum accord_status enough_range(accordi_asker *asker)
{
    double units = (double)(asker->n - 2), most = ldexp(asker->headroom, asker->bits);
    if (asker->n - 2 <= accordi_ask_capacity(asker) || 2 * units <= most)
        return ACCORD_OK;
    return accordi_ask_unable(asker, ACCORD_REASON_OUT_OF_RANGE,
                              "this algorithm needs masks that swallow %zu units but the range of "
                              "%s has room for %.0f; use --algorithm auto",
                              asker->n - 2, accord_format_get(asker->format)->name, most);
}

/* The levels of items[lo+1 … hi), all terms carrying units. */
static enum accord_status count_all(builder *b, uint32_t lo, uint32_t hi)
{
    accordi_asker *asker = b->asker;
    size_t probe = 0;
    accordi_ask_begin(asker, asker->unit);
    accordi_levels_put(&b->levels, lo, hi);
    return accordi_ask_run(asker) ? asker->status : accordi_levels_read(&b->levels, lo, hi, &probe);
}

/* The same with units on I and the extra term alone, which may be more than can be counted: their
 * sums may be rounded, and the mask is the greatest there is (Algorithm 5). */
static enum accord_status count_some(builder *b, const frame *f)
{
    accordi_asker *asker = b->asker;
    double mask = asker->mask * asker->headroom;
    uint32_t all = f->hi - f->lo + (f->extra != ACCORD_TREE_NO_NODE);
    accordi_ask_begin(asker, 0);
    for (uint32_t i = f->lo; i < f->hi; i++)
        accordi_ask_stay(asker, b->levels.items[i], asker->unit);
    if (f->extra != ACCORD_TREE_NO_NODE)
        accordi_ask_stay(asker, f->extra, asker->unit);
    for (uint32_t i = f->lo + 1; i < f->hi; i++) {
        accordi_ask_own(asker, b->levels.items[f->lo], mask);
        accordi_ask_own(asker, b->levels.items[i], -mask);
        accordi_ask_end(asker);
    }
    if (accordi_ask_run(asker))
        return asker->status;
    for (uint32_t i = f->lo + 1; i < f->hi; i++) {
        double raw = asker->result[i - f->lo - 1];
        double units = rint(raw / (asker->unit * asker->scale));
        if (!isfinite(raw) || units < 0 || units > 2.0 * all)
            return accordi_levels_contradict(asker);
        b->levels.level[b->levels.items[i]] = units > all ? 0 : all - (uint32_t)units;
    }
    return ACCORD_OK;
}

static enum accord_status push_frame(builder *b, uint32_t lo, uint32_t hi, uint32_t extra)
{
    if (!accordi_ask_grow(b->asker, (void **)&b->stack, &b->capacity, b->depth + 1,
                          sizeof *b->stack))
        return b->asker->status;
    b->stack[b->depth++] = (frame){.lo = lo, .hi = hi, .extra = extra, .at = lo + 1};
    return ACCORD_OK;
}

/* Hangs the pivot's side and the subtree just built together; the new root of the side. */
static enum accord_status join_sides(builder *b, uint32_t *root, bool complete)
{
    accordi_builder *forest = &b->forest;
    if (!complete) { /* the subtree's root is the parent of the pivot's side */
        if (b->root < forest->leaves)
            return accordi_levels_contradict(b->asker);
        forest->parent[*root] = b->root;
        *root = b->root;
        return ACCORD_OK;
    }
    uint32_t node = accordi_builder_node(forest);
    if (node == ACCORD_TREE_NO_NODE)
        return b->asker->status = accordi_nomem(b->asker->error);
    forest->parent[*root] = forest->parent[b->root] = node;
    *root = node;
    return ACCORD_OK;
}

static enum accord_status pop_frame(builder *b, uint32_t root, uint32_t top)
{
    b->root = root;
    b->top = top;
    b->depth--;
    return ACCORD_OK;
}

/* One move of Algorithm 3 or 4 on the top frame. */
static enum accord_status build_by_classes(builder *b)
{
    frame *f = &b->stack[b->depth - 1];
    if (f->hi - f->lo == 1)
        return pop_frame(b, b->levels.items[f->lo], 1);
    enum accord_status status;
    if (f->stage == 0) {
        if ((status = count_all(b, f->lo, f->hi)))
            return status;
        accordi_levels_sort(&b->levels, f->lo + 1, f->hi);
        f->root = b->levels.items[f->lo];
        f->top = b->levels.level[b->levels.items[f->hi - 1]];
        f->stage = 1;
    } else {
        bool complete = !b->fused || f->class - f->at == b->top;
        if ((status = join_sides(b, &f->root, complete)))
            return status;
        f->at = f->class;
    }
    if (f->at == f->hi)
        return pop_frame(b, f->root, f->top);
    f->class = f->at + 1;
    uint32_t level = b->levels.level[b->levels.items[f->at]];
    while (f->class < f->hi && b->levels.level[b->levels.items[f->class]] == level)
        f->class ++;
    return push_frame(b, f->at, f->class, ACCORD_TREE_NO_NODE);
}

/* One move of Algorithm 5, mended. J is items[at … hi) once it is known. */
static enum accord_status build_from_top(builder *b)
{
    frame *f = &b->stack[b->depth - 1];
    if (f->hi - f->lo == 1)
        return pop_frame(b, b->levels.items[f->lo], 1);
    enum accord_status status;
    switch (f->stage++) {
    case 0:
        if ((status = count_some(b, f)))
            return status;
        accordi_levels_sort(&b->levels, f->lo + 1, f->hi);
        f->top = b->levels.level[b->levels.items[f->hi - 1]];
        f->at = f->hi - 1;
        while (f->at > f->lo + 1 && b->levels.level[b->levels.items[f->at - 1]] == f->top)
            f->at--;
        return push_frame(b, f->lo, f->at, ACCORD_TREE_NO_NODE);
    case 1:
        f->root = b->root;
        return push_frame(b, f->at, f->hi, b->levels.items[f->lo]);
    default:
        if ((status = join_sides(b, &f->root, f->hi - f->at == b->top)))
            return status;
        return pop_frame(b, f->root, f->top);
    }
}

/* In Algorithm 5 the rest I - J must be ascending again: its pivot is the least term. */
static void sort_rest(builder *b, frame *f)
{
    for (uint32_t i = f->lo; i < f->hi; i++)
        b->levels.level[b->levels.items[i]] = 0;
    accordi_levels_sort(&b->levels, f->lo, f->hi);
}

static enum accord_status build_tree(accordi_asker *asker, bool fused, bool from_top,
                                     accord_tree **out)
{
    builder b = {.asker = asker, .fused = fused};
    if (from_top ? enough_range(asker) : enough_bits(asker))
        return asker->status;
    asker->status = accordi_builder_init(&b.forest, asker->n, asker->error);
    accordi_levels_init(&b.levels, asker);
    if (!asker->status)
        push_frame(&b, 0, (uint32_t)asker->n, ACCORD_TREE_NO_NODE);
    while (!asker->status && b.depth) {
        if (from_top && b.stack[b.depth - 1].stage == 0)
            sort_rest(&b, &b.stack[b.depth - 1]);
        (from_top ? build_from_top : build_by_classes)(&b);
    }
    accordi_levels_clear(&b.levels);
    free(b.stack);
    if (!asker->status)
        asker->status = accordi_builder_finish(&b.forest, out, asker->error);
    free(b.forest.parent);
    return asker->status;
}

enum accord_status accordi_refined(accordi_asker *asker, accord_tree **out)
{
    return build_tree(asker, false, false, out);
}

enum accord_status accordi_fprev(accordi_asker *asker, accord_tree **out)
{
    return build_tree(asker, true, false, out);
}

enum accord_status accordi_modified(accordi_asker *asker, accord_tree **out)
{
    return build_tree(asker, true, true, out);
}

typedef struct pair {
    uint32_t level, i, j;
} pair;

static int by_level(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    return x->level < y->level ? -1 : x->level > y->level;
}

static uint32_t find_root(uint32_t *set, uint32_t i)
{
    while (set[i] != i)
        i = set[i] = set[set[i]];
    return i;
}

/* GenerateTree of Algorithm 2: join by ascending l. */
static enum accord_status join_by_level(accordi_asker *asker, pair *pairs, size_t count,
                                        accordi_builder *forest)
{
    qsort(pairs, count, sizeof *pairs, by_level);
    uint32_t *set = accordi_ask_alloc(asker, asker->n, sizeof *set);
    uint32_t *root = accordi_ask_alloc(asker, asker->n, sizeof *root);
    for (uint32_t i = 0; i < asker->n && !asker->status; i++)
        set[i] = root[i] = i;
    for (size_t p = 0; p < count && !asker->status; p++) {
        uint32_t i = find_root(set, pairs[p].i), j = find_root(set, pairs[p].j);
        if (i == j)
            continue;
        uint32_t node = accordi_builder_node(forest);
        if (node == ACCORD_TREE_NO_NODE) {
            asker->status = accordi_nomem(asker->error);
            break;
        }
        forest->parent[root[i]] = forest->parent[root[j]] = node;
        set[j] = i;
        root[i] = node;
    }
    free(set);
    free(root);
    return asker->status;
}

enum accord_status accordi_basic(accordi_asker *asker, accord_tree **out)
{
    size_t n = asker->n, count = 0;
    if (enough_bits(asker))
        return asker->status;
    builder b = {.asker = asker};
    pair *pairs = accordi_ask_alloc(asker, n * (n - 1) / 2, sizeof *pairs);
    accordi_levels_init(&b.levels, asker);
    for (uint32_t i = 0; i < n && !asker->status; i++) {
        if (count_all(&b, i, (uint32_t)n))
            break;
        for (uint32_t j = i + 1; j < n; j++)
            pairs[count++] = (pair){b.levels.level[j], i, j};
    }
    if (!asker->status && !(asker->status = accordi_builder_init(&b.forest, n, asker->error))) {
        if (!join_by_level(asker, pairs, count, &b.forest))
            asker->status = accordi_builder_finish(&b.forest, out, asker->error);
        free(b.forest.parent);
    }
    free(pairs);
    accordi_levels_clear(&b.levels);
    return asker->status;
}
