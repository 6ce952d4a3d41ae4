/* Finds the order of sums of terms that cannot be negative (|x|, x*x) by how they are rounded,
 * since masks cannot cancel here.
 *
 * Let the term at c be M, and those at a and b be u, with u below half of M's last bit and 2u above
 * it; all others are 0. If a and b meet each other before they meet c, the sum of both, 2u, meets M
 * and rounds it up; else each u is lost on its own. So the result exceeds that of M alone exactly
 * if c is outside the least clade of a and b: the rooted triple ab|c. (questions.c has the numbers,
 * and what is done where the accumulator is wider than the result. Where sums are rounded toward
 * zero, u is above half of M's last bit and below it, and 2u is above.)
 *
 * Of three terms of a binary tree exactly one such triple holds, and all of them together are the
 * tree. It grows term by term: each term not yet placed is known to join some edge of the tree so
 * far. A round takes one of the terms of each edge and puts it there, on a new node; all others of
 * that edge join below the new node, above it, or on the way to the new term: at most two questions
 * say which, and those of a round are asked together. The terms are shuffled first, so this is
 * Quicksort: 1.4 to 2.1 n log2 n probes in all at n = 1024, whatever the order, in a few times
 * log2 n rounds. Most orders are regular, and are guessed before that, with far fewer
 * (../discover/guess_positive.c). */
#include "reveal/nonnegative/nonnegative.h"
#include "tree/builder.h"
#include "tree/tree.h"

enum side { ABOVE, BELOW, INSIDE, SIDES };

/* A term that is to find its place beside the one that has just been put on its edge. */
typedef struct job {
    uint32_t term, node; /* node: the new one; its children are below[] of it and the new term */
    enum side side;
} job;

typedef struct grower {
    accordi_asker *asker;
    accordi_rooted_ask *ask;
    void *context;
    uint32_t n;
    accordi_builder tree;
    uint32_t *leaf;          /* per node: a term under it */
    uint32_t *waiting;       /* per node: the first term waiting on the edge above it */
    uint32_t *next;          /* per term: the next one waiting on the same edge */
    uint32_t *below, *added; /* per inner node, less n: its children */
    uint32_t *edges;         /* where terms wait */
    size_t edge_count;
    job *jobs;
    accordi_rooted *questions;
    uint64_t seen[SIDES]; /* how often each answer came: the most frequent is asked for first */
} grower;

static enum accord_status grower_init(grower *g, accordi_asker *asker)
{
    size_t n = asker->n;
    g->n = (uint32_t)n;
    uint32_t **arrays[] = {&g->leaf, &g->waiting, &g->next, &g->below, &g->added, &g->edges};
    asker->status = accordi_builder_init(&g->tree, n, asker->error);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = accordi_ask_alloc(asker, 2 * n, sizeof **arrays[i]);
        for (size_t k = 0; *arrays[i] && k < 2 * n; k++)
            (*arrays[i])[k] = ACCORD_TREE_NO_NODE;
    }
    g->jobs = accordi_ask_alloc(asker, n, sizeof *g->jobs);
    g->questions = accordi_ask_alloc(asker, n, sizeof *g->questions);
    return asker->status;
}

static void grower_clear(grower *g)
{
    uint32_t *arrays[] = {g->leaf, g->waiting, g->next, g->below, g->added, g->edges};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    free(g->tree.parent);
    free(g->jobs);
    free(g->questions);
}

static void wait_at(grower *g, uint32_t edge, uint32_t term)
{
    if (g->waiting[edge] == ACCORD_TREE_NO_NODE)
        g->edges[g->edge_count++] = edge;
    g->next[term] = g->waiting[edge];
    g->waiting[edge] = term;
}

/* All terms wait on the edge above the first of them, in random order. */
static void begin_tree(grower *g)
{
    uint32_t *order = g->below; /* not in use yet */
    for (uint32_t i = 0; i < g->n; i++)
        order[i] = g->leaf[i] = i;
    accordi_rng_shuffle(&g->asker->rng, order, g->n);
    for (uint32_t i = 1; i < g->n; i++)
        wait_at(g, order[0], order[i]);
}

/* Puts the first waiting term on its edge, on a new node, which is returned. */
static uint32_t put_on_edge(grower *g, uint32_t edge)
{
    uint32_t term = g->waiting[edge], up = g->tree.parent[edge];
    uint32_t node = accordi_builder_join(&g->tree, edge, term);
    if (up != ACCORD_TREE_NO_NODE) {
        uint32_t *child = g->below[up - g->n] == edge ? g->below : g->added;
        child[up - g->n] = node;
    }
    g->below[node - g->n] = edge;
    g->added[node - g->n] = term;
    g->leaf[node] = g->leaf[edge];
    return node;
}

/* The triple that says that the term of a job is on that side. */
static accordi_rooted triple_of_job(const grower *g, const job *j, enum side side)
{
    uint32_t r = g->leaf[g->below[j->node - g->n]], x = g->added[j->node - g->n], y = j->term;
    const accordi_rooted all[SIDES] = {
        [ABOVE] = {.a = r, .b = x, .c = y},
        [BELOW] = {.a = r, .b = y, .c = x},
        [INSIDE] = {.a = x, .b = y, .c = r},
    };
    return all[side];
}

/* Asks the jobs whether they are on that side; moves those that are not to the front. */
static size_t sift_jobs(grower *g, size_t count, enum side side)
{
    for (size_t i = 0; i < count; i++)
        g->questions[i] = triple_of_job(g, &g->jobs[i], side);
    if (g->ask(g->context, g->questions, count))
        return 0;
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        job j = g->jobs[i];
        if (g->questions[i].meet) {
            j.side = side;
            g->seen[side]++;
        }
        g->jobs[i] = g->jobs[left];
        g->jobs[g->questions[i].meet ? i : left++] = j;
    }
    return left;
}

/* Two questions tell three sides. */
static void ask_sides(grower *g, size_t count)
{
    enum side order[SIDES] = {ABOVE, BELOW, INSIDE};
    for (int i = 1; i < SIDES; i++)
        for (int k = i; k > 0 && g->seen[order[k]] > g->seen[order[k - 1]]; k--) {
            enum side held = order[k];
            order[k] = order[k - 1];
            order[k - 1] = held;
        }
    size_t left = sift_jobs(g, sift_jobs(g, count, order[0]), order[1]);
    for (size_t i = 0; i < left; i++)
        g->jobs[i].side = order[2];
    g->seen[order[2]] += left;
}

/* One more term on every edge where some wait. */
static enum accord_status grow_tree(grower *g)
{
    size_t count = 0, edges = g->edge_count;
    for (size_t e = 0; e < edges; e++) {
        uint32_t edge = g->edges[e], term = g->waiting[edge];
        uint32_t node = put_on_edge(g, edge);
        for (term = g->next[term]; term != ACCORD_TREE_NO_NODE; term = g->next[term])
            g->jobs[count++] = (job){.term = term, .node = node};
        g->waiting[edge] = ACCORD_TREE_NO_NODE;
    }
    ask_sides(g, count);
    g->edge_count = 0;
    for (size_t i = 0; i < count && !g->asker->status; i++) {
        const job *j = &g->jobs[i];
        const uint32_t edge[SIDES] = {[ABOVE] = j->node,
                                      [BELOW] = g->below[j->node - g->n],
                                      [INSIDE] = g->added[j->node - g->n]};
        wait_at(g, edge[j->side], j->term);
    }
    return g->asker->status;
}

enum accord_status accordi_rooted_grow(accordi_asker *asker, accordi_rooted_ask *ask, void *context,
                                       accord_tree **out)
{
    grower g = {.asker = asker, .ask = ask, .context = context};
    if (!grower_init(&g, asker)) {
        begin_tree(&g);
        while (g.edge_count > 0 && asker->n > 2 && !grow_tree(&g))
            ;
        for (; g.edge_count > 0 && asker->n == 2; g.edge_count--)
            put_on_edge(&g, g.edges[0]);
    }
    if (!asker->status)
        asker->status = accordi_builder_finish(&g.tree, out, asker->error);
    grower_clear(&g);
    return asker->status;
}

enum accord_status accordi_positive_triples(void *context, accordi_rooted *rooted, size_t count)
{
    accordi_positive_asker *p = context;
    return p->asker->two_widths ? accordi_positive_ask_widths(p, rooted, count)
                                : accordi_positive_ask(p, rooted, count);
}

/* Hands a tree out: at once if a proof follows, else if it stands verification. */
static enum accord_status take_verified(accordi_positive_asker *p, accord_tree *tree,
                                        accord_tree **out)
{
    bool holds = p->asker->proof_follows;
    if (!holds)
        accordi_positive_verify(p, tree, &holds);
    if (holds)
        *out = tree;
    else
        accord_tree_free(tree);
    return p->asker->status;
}

static enum accord_status try_guesses(accordi_positive_asker *p, accordi_positive_guess *guess,
                                      accord_tree **out)
{
    accordi_asker *asker = p->asker;
    accord_tree *tree = NULL;
    bool first = asker->attempt == 0 && !asker->two_widths;
    if (asker->expected && first && !asker->terms && asker->n > 2) {
        if (!(tree = accordi_tree_copy(asker->expected)))
            return asker->status = accordi_nomem(asker->error);
        if (take_verified(p, tree, out) || *out)
            return asker->status;
    }
    if (guess && !guess(p, &tree) && tree)
        take_verified(p, tree, out);
    return asker->status;
}

enum accord_status accordi_positive(accordi_asker *asker, accordi_positive_guess *guess,
                                    accord_tree **out)
{
    enum { LEAST_TERMS = 24, ATTEMPTS = 2 };
    accordi_positive_asker p;
    bool guessing = guess && asker->attempt < ATTEMPTS;
    bool many = asker->n >= LEAST_TERMS * (asker->proof_follows ? 1 : 2);
    *out = NULL;
    if (accordi_positive_calibrate(asker, guessing && many && asker->proof_follows, &p) ||
        (guessing && !p.toward_zero && (try_guesses(&p, many ? guess : NULL, out) || *out)))
        return asker->status;
    asker->stage = "discovering";
    return accordi_rooted_grow(asker, accordi_positive_triples, &p, out);
}
