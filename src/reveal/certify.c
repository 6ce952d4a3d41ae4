/* Proof by probes (seed 000, sections 4.4 and 5.2, turned round).
 *
 * For an inner node v of the tree to be confirmed, let i and j be leaves of two of its children:
 * the probe (i, j) must count l(i, j) = |v| leaves under their least common ancestor. If that holds
 * for one pair of leaves at every binary node, the target's tree is this one: by induction over
 * |v|, the children's leaf sets are clades of the target; their least common ancestor holds both
 * and has |v| leaves, so it is their union. At a node of k children all k(k-1)/2 pairs of children
 * must give |v|, else some of them might be joined earlier. The probes do not depend on each
 * other's answers; n-1 of them prove a binary tree.
 *
 * Where exact sums hold fewer than n units, the units are sent in chunks, neighbours in the order
 * of the tree; the counts of the chunks are due one by one.
 *
 * All of this assumes that the target adds along one fixed tree, whatever the values. */
#include "reveal/certify.h"
#include <math.h>

enum { PROBES_A_BATCH = 4096, ALL_PAIRS_UP_TO = 256, RANDOM_PAIRS = 16 };

/* Leaves in the order of the tree: those under node n+k are leaf[start[k]] onwards. */
typedef struct layout {
    uint32_t *leaf, *start, *size;
    const accord_tree *tree;
} layout;

static void layout_clear(layout *l)
{
    free(l->leaf);
    free(l->start);
    free(l->size);
}

static enum accord_status layout_init(accordi_asker *asker, const accord_tree *tree, layout *l)
{
    *l = (layout){.tree = tree};
    l->leaf = accordi_alloc(tree->leaves, sizeof *l->leaf);
    l->start = accordi_calloc(tree->inner + 1, sizeof *l->start);
    l->size = accordi_alloc(tree->inner + 1, sizeof *l->size);
    if (!l->leaf || !l->start || !l->size) {
        layout_clear(l);
        return asker->status = accordi_nomem(asker->error);
    }
    accord_tree_sizes(tree, l->size);
    for (uint32_t k = tree->inner; k-- > 0;) { /* parents before children */
        uint32_t at = l->start[k];
        for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++) {
            uint32_t child = tree->child[c];
            if (child < tree->leaves) {
                l->leaf[at++] = child;
            } else {
                l->start[child - tree->leaves] = at;
                at += l->size[child - tree->leaves];
            }
        }
    }
    return ACCORD_OK;
}

/* A random leaf under a node. */
static uint32_t leaf_under(accordi_asker *asker, const layout *l, uint32_t node)
{
    if (node < l->tree->leaves)
        return node;
    uint32_t k = node - l->tree->leaves;
    return l->leaf[l->start[k] + accordi_rng_below(&asker->rng, l->size[k])];
}

typedef struct prover {
    accordi_asker *asker;
    layout l;
    uint32_t *node; /* which node each probe of the batch is about */
    bool holds;
    uint32_t chunk_lo, chunk_hi; /* positions that carry units */
    uint64_t done, total;
} prover;

/* Units in the chunk outside node k; a and b carry masks, and lie inside. */
static uint64_t due(const prover *p, uint32_t k)
{
    uint32_t lo = p->l.start[k], hi = lo + p->l.size[k];
    uint32_t from = lo > p->chunk_lo ? lo : p->chunk_lo;
    uint32_t to = hi < p->chunk_hi ? hi : p->chunk_hi;
    uint32_t inside = to > from ? to - from : 0;
    return p->chunk_hi - p->chunk_lo - inside;
}

static void begin(prover *p)
{
    accordi_asker *asker = p->asker;
    bool whole = p->chunk_hi - p->chunk_lo == asker->n;
    accordi_ask_begin(asker, whole ? asker->unit : 0);
    for (uint32_t i = p->chunk_lo; !whole && i < p->chunk_hi; i++)
        accordi_ask_stay(asker, p->l.leaf[i], asker->unit);
}

static void flush(prover *p)
{
    accordi_asker *asker = p->asker;
    asker->total = p->total;
    if (accordi_ask_run(asker))
        return;
    for (size_t i = 0; i < asker->probes; i++) {
        double units = asker->result[i] / (asker->unit * asker->scale);
        if (asker->scale != 1)
            units = rint(units);
        p->holds = p->holds && units == (double)due(p, p->node[i]);
    }
    begin(p);
}

static void ask_pair(prover *p, uint32_t k, uint32_t child_a, uint32_t child_b)
{
    accordi_asker *asker = p->asker;
    uint32_t a = leaf_under(asker, &p->l, child_a), b = leaf_under(asker, &p->l, child_b);
    bool flip = accordi_rng_next(&asker->rng) >> 63;
    accordi_ask_own(asker, a, flip ? -asker->mask : asker->mask);
    accordi_ask_own(asker, b, flip ? asker->mask : -asker->mask);
    p->node[asker->probes] = k;
    accordi_ask_end(asker);
    if (asker->probes == PROBES_A_BATCH)
        flush(p);
}

/* All pairs of children; of very many, neighbours and random ones. */
static void ask_node(prover *p, uint32_t k)
{
    const uint32_t *child = p->l.tree->child + p->l.tree->first[k];
    uint32_t count = p->l.tree->first[k + 1] - p->l.tree->first[k];
    if (count <= ALL_PAIRS_UP_TO) {
        for (uint32_t i = 0; i < count && !p->asker->status; i++)
            for (uint32_t j = i + 1; j < count; j++)
                ask_pair(p, k, child[i], child[j]);
        return;
    }
    for (uint32_t i = 0; i < count && !p->asker->status; i++) {
        ask_pair(p, k, child[i], child[(i + 1) % count]);
        for (int r = 0; r < RANDOM_PAIRS; r++) {
            uint32_t j = (uint32_t)accordi_rng_below(&p->asker->rng, count - 1);
            ask_pair(p, k, child[i], child[j + (j >= i)]);
        }
    }
}

/* Units must fit: those of a chunk all survive when the node lies elsewhere. */
static uint32_t chunk_size(const accordi_asker *asker)
{
    uint64_t capacity = accordi_ask_capacity(asker);
    return asker->n <= capacity + 2 ? (uint32_t)asker->n : (uint32_t)capacity;
}

enum accord_status accordi_prove(accordi_asker *asker, const accord_tree *tree,
                                 accordi_certificate *out, bool *holds)
{
    prover p = {.asker = asker, .holds = true};
    asker->stage = "proving";
    if (layout_init(asker, tree, &p.l))
        return asker->status;
    p.node = accordi_alloc(PROBES_A_BATCH, sizeof *p.node);
    if (!p.node)
        asker->status = accordi_nomem(asker->error);
    uint32_t step = chunk_size(asker);
    p.total = asker->target->calls + (uint64_t)tree->inner * ((asker->n + step - 1) / step);
    for (uint32_t lo = 0; lo < asker->n && p.holds && !asker->status; lo += step) {
        p.chunk_lo = lo;
        p.chunk_hi = asker->n - lo < step ? (uint32_t)asker->n : lo + step;
        begin(&p);
        for (uint32_t k = 0; k < tree->inner && p.holds && !asker->status; k++)
            ask_node(&p, k);
        if (!asker->status)
            flush(&p);
    }
    out->nodes = tree->inner;
    out->confirmed = out->sampled = 0;
    for (uint32_t k = 0; k < tree->inner && p.holds; k++)
        if (tree->first[k + 1] - tree->first[k] <= ALL_PAIRS_UP_TO)
            out->confirmed++;
        else
            out->sampled++;
    *holds = p.holds;
    asker->total = 0;
    free(p.node);
    layout_clear(&p.l);
    return asker->status;
}

/* The precision of the node that joins two children of a child of the root: the least drop at
 * which a mask there swallows a term. */
static enum accord_status measure_width(accordi_asker *asker, const accord_tree *tree, int *bits)
{
    enum { STEPS = 120 };
    layout l;
    *bits = 0;
    uint32_t root = tree->inner - 1, inside = ACCORD_TREE_NO_NODE, beside = inside;
    for (uint32_t c = tree->first[root]; c < tree->first[root + 1]; c++)
        if (tree->child[c] >= tree->leaves)
            inside = tree->child[c];
    if (inside == ACCORD_TREE_NO_NODE || layout_init(asker, tree, &l))
        return asker->status;
    for (uint32_t c = tree->first[root]; c < tree->first[root + 1]; c++)
        if (tree->child[c] != inside)
            beside = tree->child[c];
    const uint32_t *child = tree->child + tree->first[inside - tree->leaves];
    uint32_t a = leaf_under(asker, &l, child[0]), x = leaf_under(asker, &l, child[1]);
    uint32_t b = leaf_under(asker, &l, beside);
    accordi_ask_begin(asker, 0);
    for (int d = 1; d <= STEPS && ldexp(asker->mask, -d) >= asker->unit; d++) {
        accordi_ask_own(asker, a, asker->mask);
        accordi_ask_own(asker, x, ldexp(asker->mask, -d));
        accordi_ask_own(asker, b, -asker->mask);
        accordi_ask_end(asker);
    }
    if (!accordi_ask_run(asker))
        for (size_t i = asker->probes; i-- > 0 && asker->result[i] == 0;)
            *bits = (int)i + 1;
    layout_clear(&l);
    return asker->status;
}

static enum accord_status ask_again(accordi_asker *asker, const accordi_replays *replays,
                                    accordi_certificate *out)
{
    size_t rows = replays->rows < 20 ? replays->rows : 20;
    double again[20];
    accord_batch batch = {.probes = rows, .dense = replays->x};
    for (int turn = 0; turn < 2; turn++) {
        asker->status = accord_target_run(asker->target, &batch, again, asker->error);
        for (size_t i = 0; i < rows && !asker->status; i++) {
            out->repeats++;
            out->repeats_agreed += memcmp(&again[i], &replays->result[i], sizeof again[i]) == 0;
        }
    }
    return asker->status;
}

enum accord_status accordi_replay(accordi_asker *asker, const accord_tree *tree,
                                  accordi_certificate *out)
{
    size_t n = asker->n, rows = 4000000 / n;
    rows = rows > 1000 ? 1000 : rows < 20 ? 20 : rows;
    asker->stage = "replaying";
    if (tree->inner > 0 && measure_width(asker, tree, &out->accumulator_bits))
        return asker->status;
    accordi_replays replays;
    enum accord_format format[4];
    size_t formats = accordi_accumulators(asker->target, format);
    out->replays_agreed = 0;
    out->accumulator = format[0];
    if (accordi_replays_ask(asker, rows, &replays) || ask_again(asker, &replays, out)) {
        accordi_replays_clear(&replays);
        return asker->status;
    }
    out->replays = rows;
    for (size_t i = 0; i < formats && !asker->status && out->replays_agreed < rows; i++) {
        size_t agree = 0;
        if (accordi_replays_agree(asker, &replays, tree, format[i], 0, rows, &agree))
            break;
        if (agree > out->replays_agreed) {
            out->replays_agreed = agree;
            out->accumulator = format[i];
        }
    }
    out->has_accumulator = out->replays_agreed == rows;
    out->exact = out->has_accumulator ? 0 : accordi_replays_exact(asker, &replays);
    accordi_replays_clear(&replays);
    return asker->status;
}
