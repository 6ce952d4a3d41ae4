/* Proves an order node by node with probes.
 *
 * In: the tree that a search has found. Out: which of its nodes are confirmed, and whether all are.
 *
 * Idea: for leaves i and j of two children of an inner node v, the probe (i, j) must count as many
 * leaves as v has. If one pair does at every binary node, and all pairs of children do at every
 * other node, the target's tree is this one; doc/theory.md, "Why the proof of an order is a proof",
 * has the argument, and says how probes share calls: inside clades that one probe has shown to be
 * clades, each with a bit field of the result, or else chunk by chunk of the units.
 *
 * Bound: at most n - 1 probes for a binary tree. All of this assumes that the target adds along one
 * fixed tree, whatever the values. */
#include "reveal/probes/leaf_order.h"
#include "reveal/prove/certificate.h"
#include <math.h>

enum { PROBES_A_BATCH = 4096, ALL_PAIRS_UP_TO = 256, RANDOM_PAIRS = 16, MOST_FIELDS = 32 };

typedef struct prover {
    accordi_asker *asker;
    accordi_layout l;
    uint32_t *nodes; /* per inner node: inner nodes of its subtree, itself included */
    double *due;     /* per probe of the batch: units that must survive */
    bool holds;
    uint32_t chunk_lo, chunk_hi; /* positions that carry units */
    int width, fields;           /* of bit fields; fields 0: no clades are cut */
    uint32_t greatest;           /* leaves of the largest clade that is cut */
} prover;

/* The pairs of children of the nodes first … last, one after the other. */
typedef struct walk {
    uint32_t node, last;
    uint32_t i, j;
} walk;

static uint32_t children(const prover *p, uint32_t k)
{
    return p->l.tree->first[k + 1] - p->l.tree->first[k];
}

/* Of very many children, only neighbors and some random pairs are asked about. */
static uint64_t pairs_of(const prover *p, uint32_t k)
{
    uint64_t count = children(p, k);
    return count <= ALL_PAIRS_UP_TO ? count * (count - 1) / 2 : count * (1 + RANDOM_PAIRS);
}

/* The next pair of children; false at the end. */
static bool next_pair(prover *p, walk *w, uint32_t *k, uint32_t *a, uint32_t *b)
{
    if (w->node > w->last)
        return false;
    uint32_t count = children(p, w->node);
    const uint32_t *child = p->l.tree->child + p->l.tree->first[w->node];
    bool all = count <= ALL_PAIRS_UP_TO;
    uint32_t other = w->j; /* all: the second child; else 0: the neighbor, 1 …: random ones */
    if (!all && w->j == 0) {
        other = (w->i + 1) % count;
    } else if (!all) {
        other = (uint32_t)accordi_rng_below(&p->asker->rng, count - 1);
        other += other >= w->i;
    }
    *k = w->node;
    *a = child[w->i];
    *b = child[other];
    bool row_ends = all ? ++w->j == count : w->j++ == RANDOM_PAIRS;
    if (row_ends && ++w->i + all < count) {
        w->j = all ? w->i + 1 : 0;
    } else if (row_ends) {
        w->node++;
        w->i = 0;
        w->j = w->node <= w->last && children(p, w->node) <= ALL_PAIRS_UP_TO;
    }
    return true;
}

static walk walk_over(const prover *p, uint32_t first, uint32_t last)
{
    return (walk){first, last, 0, children(p, first) <= ALL_PAIRS_UP_TO};
}

static void ask_probe(prover *p)
{
    accordi_asker *asker = p->asker;
    if (accordi_ask_run(asker))
        return;
    for (size_t i = 0; i < asker->probes; i++) {
        double units = asker->result[i] / (asker->unit * asker->scale);
        p->holds = p->holds && (asker->scale == 1 ? units : rint(units)) == p->due[i];
    }
}

static void end_probe(prover *p, double due)
{
    p->due[p->asker->probes] = due;
    accordi_ask_end(p->asker);
}

/* Masks at a leaf under each of two children. */
static void mask_pair(prover *p, uint32_t child_a, uint32_t child_b)
{
    accordi_asker *asker = p->asker;
    double mask = accordi_rng_next(&asker->rng) >> 63 ? -asker->mask : asker->mask;
    accordi_ask_own(asker, accordi_layout_leaf(asker, &p->l, child_a), mask);
    accordi_ask_own(asker, accordi_layout_leaf(asker, &p->l, child_b), -mask);
}

static void mask_clade(prover *p, uint32_t k)
{
    accordi_asker *asker = p->asker;
    const uint32_t *leaf = p->l.leaf + p->l.start[k];
    for (uint32_t i = 0; i + 1 < p->l.size[k]; i++)
        accordi_ask_own(asker, leaf[i], asker->mask);
    accordi_ask_own(asker, leaf[p->l.size[k] - 1], -asker->mask * (double)(p->l.size[k] - 1));
}

/* Units in the chunk outside node k. */
static double units_outside(const prover *p, uint32_t k)
{
    uint32_t lo = p->l.start[k], hi = lo + p->l.size[k];
    uint32_t from = lo > p->chunk_lo ? lo : p->chunk_lo;
    uint32_t to = hi < p->chunk_hi ? hi : p->chunk_hi;
    return p->chunk_hi - p->chunk_lo - (to > from ? to - from : 0);
}

static void begin_chunk(prover *p)
{
    accordi_asker *asker = p->asker;
    bool whole = p->chunk_hi - p->chunk_lo == asker->n;
    accordi_ask_begin(asker, whole ? asker->unit : 0);
    for (uint32_t i = p->chunk_lo; !whole && i < p->chunk_hi; i++)
        accordi_ask_stay(asker, p->l.leaf[i], asker->unit);
}

/* Asks a batch that is full; true then, and the next one is to be begun. */
static bool ask_if_full(prover *p)
{
    bool full = p->asker->probes == PROBES_A_BATCH || p->asker->entries > 1u << 20;
    if (full)
        ask_probe(p);
    return full;
}

static bool is_cut(const prover *p, uint32_t k)
{
    return p->fields && p->l.size[k] > 2 && p->l.size[k] <= p->greatest;
}

/* Nodes from the root down; those that are cut stand for their whole subtree. */
static void prove_top(prover *p)
{
    begin_chunk(p);
    for (uint32_t k = p->l.tree->inner; k > 0 && p->holds && !p->asker->status;) {
        if (is_cut(p, k - 1)) {
            mask_clade(p, k - 1);
            end_probe(p, units_outside(p, k - 1));
            k -= p->nodes[k - 1];
        } else {
            uint32_t node, a, b;
            for (walk w = walk_over(p, k - 1, k - 1); next_pair(p, &w, &node, &a, &b);) {
                mask_pair(p, a, b);
                end_probe(p, units_outside(p, node));
                if (ask_if_full(p))
                    begin_chunk(p);
            }
            k--;
        }
        if (ask_if_full(p))
            begin_chunk(p);
    }
    if (!p->asker->status)
        ask_probe(p);
}

/* Units on the terms of a clade, in field f. */
static void put_units(prover *p, uint32_t k, int f, bool on)
{
    double weight = on ? ldexp(p->asker->unit, f * p->width) : 0;
    for (uint32_t i = 0; i < p->l.size[k]; i++)
        accordi_ask_stay(p->asker, p->l.leaf[p->l.start[k] + i], weight);
}

/* The nodes of a few clades, one of each to a probe. */
static void prove_together(prover *p, const uint32_t *clade, int count)
{
    walk w[MOST_FIELDS];
    for (int f = 0; f < count; f++) {
        put_units(p, clade[f], f, true);
        w[f] = walk_over(p, clade[f] + 1 - p->nodes[clade[f]], clade[f]);
    }
    for (bool any = true; any && !p->asker->status;) {
        double due = 0;
        any = false;
        for (int f = 0; f < count; f++) {
            uint32_t node = 0, a, b, inside = p->l.size[clade[f]];
            if (next_pair(p, &w[f], &node, &a, &b)) {
                mask_pair(p, a, b);
                inside -= p->l.size[node];
                any = true;
            }
            due += ldexp(inside, f * p->width);
        }
        if (any)
            end_probe(p, due);
        if (any && ask_if_full(p)) {
            accordi_ask_begin(p->asker, 0);
            for (int f = 0; f < count; f++)
                put_units(p, clade[f], f, true);
        }
    }
    for (int f = 0; f < count; f++)
        put_units(p, clade[f], f, false);
}

static void prove_clades(prover *p)
{
    uint32_t clade[MOST_FIELDS];
    int count = 0;
    accordi_ask_begin(p->asker, 0);
    for (uint32_t k = p->l.tree->inner; k > 0 && p->holds && !p->asker->status;) {
        if (is_cut(p, k - 1)) {
            clade[count++] = k - 1;
            k -= p->nodes[k - 1];
        } else {
            k--;
        }
        if (count == p->fields || (k == 0 && count)) {
            prove_together(p, clade, count);
            count = 0;
        }
    }
    if (!p->asker->status)
        ask_probe(p);
}

/* Probes needed when clades of up to p->greatest leaves are cut. */
static uint64_t count_probes(const prover *p)
{
    uint64_t alone = 0, together = 0;
    for (uint32_t k = p->l.tree->inner; k > 0;) {
        if (is_cut(p, k - 1)) {
            alone++;
            for (uint32_t i = 0; i < p->nodes[k - 1]; i++)
                together += pairs_of(p, k - 1 - i);
            k -= p->nodes[k - 1];
        } else {
            alone += pairs_of(p, --k);
        }
    }
    return alone + together / (uint64_t)(p->fields ? p->fields : 1);
}

static void choose_width(prover *p)
{
    accordi_asker *asker = p->asker;
    int precision = accord_format_get(asker->format)->precision;
    double most = precision < 24 ? ldexp(1, precision) : 16777216.0;
    most = asker->headroom < most ? asker->headroom : most;
    prover best = *p, trial = *p;
    uint64_t least = count_probes(p);
    for (int width = 2; width <= asker->bits / 2; width++) {
        trial.width = width;
        trial.fields = asker->bits / width < MOST_FIELDS ? asker->bits / width : MOST_FIELDS;
        /* a field holds all units of its clade when that one has no probe left */
        trial.greatest = ((uint32_t)1 << (width < 24 ? width : 24)) - 1;
        if (trial.greatest > most)
            trial.greatest = (uint32_t)most;
        uint64_t needed = count_probes(&trial);
        if (needed < least) {
            least = needed;
            best = trial;
        }
    }
    *p = best;
    asker->total = asker->target->calls + least;
}

static enum accord_status count_nodes(prover *p)
{
    const accord_tree *tree = p->l.tree;
    p->nodes = accordi_ask_alloc(p->asker, tree->inner + 1, sizeof *p->nodes);
    p->due = accordi_ask_alloc(p->asker, PROBES_A_BATCH + 1, sizeof *p->due);
    for (uint32_t k = 0; !p->asker->status && k < tree->inner; k++) {
        p->nodes[k] = 1;
        for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++)
            if (tree->child[c] >= tree->leaves)
                p->nodes[k] += p->nodes[tree->child[c] - tree->leaves];
    }
    return p->asker->status;
}

enum accord_status accordi_prove(accordi_asker *asker, const accord_tree *tree,
                                 accordi_certificate *out, bool *holds)
{
    prover p = {.asker = asker, .holds = true};
    uint64_t capacity = accordi_ask_capacity(asker);
    uint32_t n = (uint32_t)asker->n, step = n - 2 <= capacity ? n : (uint32_t)capacity;
    asker->stage = "proving";
    if (!accordi_layout_plain(asker, tree, &p.l) && !count_nodes(&p)) {
        if (step == n)
            choose_width(&p);
        for (uint32_t lo = 0; lo < n && p.holds && !asker->status; lo += step) {
            p.chunk_lo = lo;
            p.chunk_hi = n - lo < step ? n : lo + step;
            prove_top(&p);
        }
        if (p.fields && p.holds && !asker->status)
            prove_clades(&p);
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
    free(p.nodes);
    free(p.due);
    accordi_layout_clear(&p.l);
    return asker->status;
}
