/* Tests whether the sums of blocks carry their rounding errors along.
 *
 * A proven order comes in whose replays do not agree; out goes how many blocks there are, or 0. The
 * blocks themselves are added plainly, so what plain additions lose is not kept in every order, as
 * it is by sums that are compensated throughout (after_proof.c). JAX adds columns so.
 *
 * Idea: the hypothesis is Kahan's summation (1965) of what the last additions join: of the second
 * children of the nodes from the root down along first children, for every number of these nodes.
 * It is confirmed if it gives the target's bits for all of the inputs drawn here, and plain
 * additions do not for some of them.
 *
 * Bound: 256 sums for each likely format, and as many additions for each as there are terms and
 * pairs of nodes tried. */
#include "reveal/prove/certificate.h"
#include <math.h>

enum { INPUTS = 256, TOLD = 3, MOST_TERMS = 1 << 14, MOST_BLOCKS = 256 };

typedef struct carrier {
    accordi_asker *asker;
    const accord_tree *tree;
    enum accord_format format;
    uint32_t spine[MOST_BLOCKS]; /* from the root down */
    size_t nodes;
    double *value;             /* per node, added plainly */
    size_t agree[MOST_BLOCKS]; /* with the errors of so many nodes and one carried along */
    size_t plain;
} carrier;

static double add(const carrier *c, double a, double b)
{
    return accord_format_add(c->format, ACCORD_NEAREST_EVEN, a, b);
}

static void find_spine(carrier *c)
{
    const accord_tree *tree = c->tree;
    for (uint32_t v = tree->leaves + tree->inner - 1;
         v >= tree->leaves && c->nodes < MOST_BLOCKS;) {
        c->spine[c->nodes++] = v - tree->leaves;
        v = tree->child[tree->first[v - tree->leaves]];
    }
}

/* The last `nodes` nodes of the spine's, with their errors carried along. */
static double carried_sum(const carrier *c, size_t nodes)
{
    const accord_tree *tree = c->tree;
    double lost = 0, sum = c->value[tree->child[tree->first[c->spine[nodes - 1]]]];
    for (size_t i = nodes; i-- > 0;) {
        double next = c->value[tree->child[tree->first[c->spine[i]] + 1]];
        double whole = add(c, next, -lost), total = add(c, sum, whole);
        lost = add(c, add(c, total, -sum), -whole);
        sum = total;
    }
    return sum;
}

static void count_input(carrier *c, double result)
{
    const accord_tree *tree = c->tree;
    enum accord_format output = c->asker->target->output;
    for (uint32_t k = 0; k < tree->inner; k++) {
        const uint32_t *child = tree->child + tree->first[k];
        c->value[tree->leaves + k] = add(c, c->value[child[0]], c->value[child[1]]);
    }
    double root = c->value[tree->leaves + tree->inner - 1];
    c->plain += accord_format_round(output, ACCORD_NEAREST_EVEN, root) == result;
    for (size_t i = 0; i < c->nodes; i++) {
        double sum = carried_sum(c, i + 1);
        c->agree[i] += accord_format_round(output, ACCORD_NEAREST_EVEN, sum) == result;
    }
}

/* Of ordinary size; every other time in pairs that cancel, whose sum is what was lost: that shows
 * in narrow results too. */
static void draw_input(carrier *c, bool cancels)
{
    accordi_asker *asker = c->asker;
    uint32_t n = c->tree->leaves;
    for (uint32_t k = 0; k < n; k++) {
        double x = accordi_rng_normal(&asker->rng);
        x = cancels ? ldexp(x, 6 - (int)accordi_rng_below(&asker->rng, 14)) : x;
        x = accord_format_round(asker->format, ACCORD_NEAREST_EVEN, x);
        c->value[k] = cancels && k >= (n + 1) / 2 ? -c->value[n - 1 - k] : x;
        accordi_ask_own(asker, k, c->value[k]);
    }
    accordi_ask_end(asker);
}

static enum accord_status ask_inputs(carrier *c)
{
    accordi_asker *asker = c->asker;
    for (int i = 0; i < INPUTS && !asker->status; i++) {
        accordi_ask_begin(asker, 0);
        draw_input(c, i % 2);
        if (!accordi_ask_run(asker))
            count_input(c, asker->result[0]);
    }
    return asker->status;
}

/* In one format; inputs are drawn anew. */
static enum accord_status try_format(carrier *c, enum accord_format format, size_t *blocks)
{
    c->format = format;
    c->plain = 0;
    memset(c->agree, 0, sizeof c->agree);
    if (ask_inputs(c))
        return c->asker->status;
    for (size_t i = 0; i < c->nodes && !*blocks; i++)
        if (c->agree[i] == INPUTS && c->plain + TOLD <= INPUTS)
            *blocks = i + 2;
    return ACCORD_OK;
}

enum accord_status accordi_carries(accordi_asker *asker, const accord_tree *tree, size_t *blocks)
{
    carrier c = {.asker = asker, .tree = tree};
    enum accord_format likely[ACCORDI_ACCUMULATORS];
    size_t formats = accordi_accumulators(asker, likely);
    *blocks = 0;
    if (asker->term != ACCORD_TERM_VALUE || asker->scale != 1 || tree->leaves > MOST_TERMS ||
        tree->inner < 2 || tree->inner + 1 != tree->leaves)
        return ACCORD_OK;
    c.value = accordi_alloc((size_t)tree->leaves + tree->inner, sizeof *c.value);
    if (!c.value)
        return asker->status = accordi_nomem(asker->error);
    find_spine(&c);
    for (size_t i = 0; i < formats && !*blocks && !asker->status; i++)
        try_format(&c, likely[i], blocks);
    free(c.value);
    return asker->status;
}
