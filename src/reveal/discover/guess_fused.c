/* Guesses an order with fused nodes: one term of each fused sum stands for it.
 *
 * Matrix accelerators and vector units with fused sums take the terms in runs of equal length. A
 * run is found by counts: its terms are added in one node, so the least clades of its first term
 * and each of the others are the same. The first run may be shorter or longer than the others, and
 * the last one shorter. Terms that are 0 leave the order of the others as it is, so one term of
 * each run is asked about alone: their order is shorter, most often binary, and found like any
 * other. Then all terms of a run go where its one term is: into a node of their own, or under the
 * node that has a sum so far as well; the counts of some runs tell which.
 *
 * This is a conjecture about every run that was not asked about, and about what is inside a run. A
 * few counts turn most wrong ones away; the proof that follows asks about all pairs of children of
 * each node, and where none follows this is not tried. */
#include "pattern/orders.h"
#include "reveal/discover/guess.h"
#include "reveal/probes/leaf_order.h"

/* More children than MOST_WIDTH and a sum so far are not proven by all pairs. */
enum { LEAST_TERMS = 100, LEAST_WIDTH = 3, MOST_WIDTH = 255, MEASURED = 3, ASKED = 12, PAIRS = 16 };

typedef struct runs {
    uint32_t n, first, width; /* terms of the first run and of each other */
    uint32_t count;
} runs;

static uint32_t start_of(const runs *r, uint32_t k)
{
    return k == 0 ? 0 : r->first + (k - 1) * r->width;
}

static uint32_t end_of(const runs *r, uint32_t k)
{
    uint64_t end = (uint64_t)r->first + (uint64_t)k * r->width;
    return end < r->n ? (uint32_t)end : r->n;
}

/* How many terms the least clades of such pairs have. */
static bool count_pairs(accordi_asker *asker, uint32_t pair[][2], uint32_t count, uint64_t *size)
{
    accordi_ask_begin(asker, asker->unit);
    for (uint32_t k = 0; k < count; k++)
        accordi_ask_masks(asker, pair[k][0], pair[k][1]);
    accordi_ask_run(asker);
    for (uint32_t k = 0; k < count && !asker->status; k++) {
        accordi_ask_decode(asker, asker->result[k], &size[k]);
        size[k] = asker->n - size[k];
    }
    return !asker->status;
}

static bool has_size(accordi_asker *asker, uint32_t a, uint32_t b, uint64_t size)
{
    uint32_t pair[1][2] = {{a, b}};
    uint64_t found = 0;
    return count_pairs(asker, pair, 1, &found) && found == size;
}

static bool may_be_tried(const accordi_asker *asker)
{
    return asker->proof_follows && asker->n >= LEAST_TERMS &&
           asker->n - 2 <= accordi_ask_capacity(asker);
}

/* Of three pairs of terms of a binary order, one has a smaller clade than the others. */
bool accordi_begins_fused(accordi_asker *asker)
{
    uint32_t pair[2][2] = {{0, 1}, {1, 2}};
    uint64_t size[2];
    return may_be_tried(asker) && count_pairs(asker, pair, 2, size) && size[0] == size[1] &&
           has_size(asker, 0, 2, size[0]);
}

/* The terms from `at` on that are added in one node, by doubling and halving; `likely` is tried
 * first. */
static uint32_t measure_run(accordi_asker *asker, uint32_t at, uint32_t likely)
{
    uint32_t pair[1][2] = {{at, at + 1}}, most = (uint32_t)asker->n - at;
    uint64_t size = 0;
    if (most < 2 || !count_pairs(asker, pair, 1, &size))
        return most;
    uint32_t in = 1, out = most < MOST_WIDTH + 1 ? most : MOST_WIDTH + 1; /* offsets */
    if (likely > 2 && likely < out && has_size(asker, at, at + likely - 1, size)) {
        in = likely - 1;
        if (!has_size(asker, at, at + likely, size))
            out = likely;
    }
    for (uint32_t step = in; in + 1 < out && !asker->status; step *= 2) {
        uint32_t next = in + step < out ? in + step : out - 1;
        if (!has_size(asker, at, at + next, size)) {
            out = next;
            break;
        }
        in = next;
    }
    while (in + 1 < out && !asker->status) {
        uint32_t middle = in + (out - in) / 2;
        *(has_size(asker, at, at + middle, size) ? &in : &out) = middle;
    }
    return out;
}

/* The first runs, which tell the length of the others. */
static bool find_runs(accordi_asker *asker, runs *r)
{
    uint32_t at = 0, length[MEASURED] = {0};
    r->n = (uint32_t)asker->n;
    for (uint32_t k = 0; k < MEASURED && at < r->n && !asker->status; k++) {
        length[k] = measure_run(asker, at, k ? length[k - 1] : 0);
        at += length[k];
        if (k == 1 && length[k] < LEAST_WIDTH)
            return false;
    }
    r->first = length[0];
    r->width = length[1];
    bool regular = length[1] && length[0] <= MOST_WIDTH && length[1] <= MOST_WIDTH &&
                   (length[2] == length[1] || at == r->n);
    if (asker->status || !regular)
        return false;
    r->count = 1 + (r->n - r->first + r->width - 1) / r->width;
    return true;
}

/* The order of one term of each run. */
static accord_tree *order_of_runs(accordi_asker *asker, const runs *r, accordi_find *find)
{
    accord_tree *tree = NULL;
    uint32_t *term = accordi_ask_alloc(asker, r->count, sizeof *term);
    for (uint32_t k = 0; k < r->count && !asker->status; k++)
        term[k] = start_of(r, k);
    if (!asker->status) {
        accordi_ask_only(asker, term, r->count);
        if (r->count > 2)
            find(asker, &tree);
        else
            asker->status = accordi_order_make(accordi_order_sequential, r->count, 0, NULL, NULL,
                                               &tree, asker->error);
        accordi_ask_only(asker, NULL, 0);
    }
    free(term);
    return tree;
}

/* Whether runs have nodes of their own: the first one, and the others, of which some are asked.
 * False where these are not of one kind. */
static bool ask_places(accordi_asker *asker, const runs *r, bool own[2])
{
    uint32_t pair[ASKED][2], run[ASKED], count = 0, others = 0;
    uint64_t size[ASKED];
    for (uint32_t k = 0; k < ASKED && k < r->count; k++) {
        uint32_t drawn = 1 + (uint32_t)accordi_rng_below(&asker->rng, r->count - 1);
        run[count] = k < 2 || r->count <= ASKED ? k : drawn;
        uint32_t from = start_of(r, run[count]), terms = end_of(r, run[count]) - from;
        if (terms < 2)
            continue;
        pair[count][0] = from + (uint32_t)accordi_rng_below(&asker->rng, terms - 1);
        pair[count][1] = from + terms - 1;
        count++;
    }
    if (!count_pairs(asker, pair, count, size))
        return false;
    for (uint32_t k = 0; k < count; k++) {
        bool alone = size[k] == end_of(r, run[k]) - start_of(r, run[k]);
        if (run[k] && others++ && alone != own[1])
            return false;
        own[run[k] > 0] = alone;
    }
    return others > 0;
}

/* The order of the runs with all of their terms. */
static accord_tree *put_terms(accordi_asker *asker, const runs *r, const accord_tree *order,
                              const bool own[2])
{
    accordi_builder b;
    accord_tree *tree = NULL;
    uint32_t *parent = accordi_ask_alloc(asker, order->leaves + order->inner, sizeof *parent);
    uint32_t *node = accordi_ask_alloc(asker, order->inner + 1, sizeof *node);
    if (!asker->status && !(asker->status = accordi_builder_init(&b, r->n, asker->error))) {
        accord_tree_parents(order, parent);
        for (uint32_t k = 0; k < order->inner; k++)
            node[k] = accordi_builder_node(&b);
        for (uint32_t k = 0; k < order->inner; k++)
            if (parent[order->leaves + k] != ACCORD_TREE_NO_NODE)
                b.parent[node[k]] = node[parent[order->leaves + k] - order->leaves];
        for (uint32_t k = 0; k < r->count; k++) {
            uint32_t from = start_of(r, k), to = end_of(r, k);
            uint32_t up = order->inner ? node[parent[k] - order->leaves] : ACCORD_TREE_NO_NODE;
            if ((own[k > 0] || !order->inner) && to - from > 1) {
                uint32_t alone = accordi_builder_node(&b);
                b.parent[alone] = up;
                up = alone;
            }
            for (uint32_t i = from; i < to; i++)
                b.parent[i] = up;
        }
        asker->status = accordi_builder_finish(&b, &tree, asker->error);
    }
    free(parent);
    free(node);
    return tree;
}

/* Counts a few nodes: two random children of each, and a random term under each of these. */
static bool stands_glance(accordi_asker *asker, const accord_tree *tree)
{
    uint32_t pair[PAIRS][2];
    uint64_t size[PAIRS], due[PAIRS];
    accordi_layout l;
    if (accordi_layout_init(asker, tree, &l))
        return false;
    for (uint32_t k = 0; k < PAIRS; k++) {
        uint32_t v = k ? (uint32_t)accordi_rng_below(&asker->rng, tree->inner) : tree->inner - 1;
        uint32_t children = tree->first[v + 1] - tree->first[v];
        uint32_t x = (uint32_t)accordi_rng_below(&asker->rng, children);
        uint32_t y = (uint32_t)accordi_rng_below(&asker->rng, children - 1);
        pair[k][0] = accordi_layout_leaf(asker, &l, tree->child[tree->first[v] + x]);
        pair[k][1] = accordi_layout_leaf(asker, &l, tree->child[tree->first[v] + y + (y >= x)]);
        due[k] = l.size[v];
    }
    bool right = count_pairs(asker, pair, PAIRS, size);
    for (uint32_t k = 0; k < PAIRS && right; k++)
        right = size[k] == due[k];
    accordi_layout_clear(&l);
    return right;
}

enum accord_status accordi_guess_fused(accordi_asker *asker, accordi_find *find, accord_tree **out)
{
    runs r;
    bool own[2] = {true, true};
    *out = NULL;
    if (!may_be_tried(asker))
        return asker->status;
    asker->stage = "guessing";
    if (!find_runs(asker, &r) || r.count < 2)
        return asker->status;
    accord_tree *order = ask_places(asker, &r, own) ? order_of_runs(asker, &r, find) : NULL;
    accord_tree *tree = order && !asker->status ? put_terms(asker, &r, order, own) : NULL;
    accord_tree_free(order);
    if (tree && !asker->status && stands_glance(asker, tree))
        *out = tree;
    else
        accord_tree_free(tree);
    return asker->status;
}
