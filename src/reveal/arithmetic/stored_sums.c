/* Finds, by probes, partial sums that are stored times alpha and read back.
 *
 * A long sum may be made in blocks, each of which ends in a result: the sum so far is multiplied by
 * alpha and stored, and the next block multiplies it by 1 / alpha before it goes on (ATLAS does so
 * where alpha is above 1 in size). Each of the two products rounds, so most values v come back as
 * R(v) != v.
 *
 * A node is asked with such a v below it, and -v below its sibling. What comes back is 0, unless
 * the node's sum is stored: then it is a multiple of R(v) - v. Other sums that are stored between v
 * and the node would take its place, so v enters as near to the node as there is a leaf. Random
 * inputs decide whether what was found is right. */
#include "model/operation.h"
#include "model/replay/scalar.h"
#include "model/scaling.h"
#include "reveal/arithmetic/alphas.h"

enum { MOST_TERMS = 1 << 14, DRAWS = 1000 };

typedef struct seeker {
    accordi_asker *asker;
    const accord_tree *tree;
    const accord_arithmetic *found;
    uint32_t *near;  /* by node: the leaf nearest below, never the start */
    uint32_t *depth; /* how far it is */
    uint32_t *asked; /* the node that each probe is about */
} seeker;

static void find_near(seeker *s)
{
    const accord_tree *tree = s->tree;
    uint32_t n = tree->leaves;
    for (uint32_t i = 0; i < n; i++) {
        bool start = s->asker->target->has_start && i == n - 1;
        s->near[i] = start ? ACCORD_TREE_NO_NODE : i;
        s->depth[i] = start ? UINT32_MAX - n : 0;
    }
    for (uint32_t k = 0; k < tree->inner; k++) {
        const uint32_t *child = tree->child + 2 * (size_t)k;
        uint32_t nearer = child[s->depth[child[1]] < s->depth[child[0]]];
        s->near[n + k] = s->near[nearer];
        s->depth[n + k] = s->depth[nearer] + 1;
    }
}

/* v times alpha, and times 1 / alpha. */
static double taken_up(const seeker *s, const accord_operation *op, double v)
{
    accord_arithmetic how = {.output = s->asker->target->output, .alpha = s->asker->alpha};
    double stored = accordi_round_product(op->format, op->rounding, v, how.alpha);
    return accordi_round_product(op->format, op->rounding, stored, accordi_inverse_alpha(&how));
}

/* A value that does not come back; 0 where there is hardly one. */
static double draw_changing_value(const seeker *s, const accord_operation *op)
{
    for (int i = 0; i < DRAWS; i++) {
        double v = accord_format_round(s->asker->format, ACCORD_NEAREST_EVEN,
                                       1 + accordi_rng_unit(&s->asker->rng));
        if (taken_up(s, op, v) != v)
            return v;
    }
    return 0;
}

/* Of the children of node k: how many probes were written. */
static uint32_t ask_children(seeker *s, uint32_t k, uint32_t asked)
{
    const accord_arithmetic *a = s->found;
    const accord_operation *op = accordi_operation_of(a, k);
    const uint32_t *child = s->tree->child + 2 * (size_t)k;
    uint32_t before = asked;
    for (int i = 0; i < 2; i++) {
        uint32_t leaf = s->near[child[i]], beside = s->near[child[!i]];
        double v = child[i] < s->tree->leaves || beside == ACCORD_TREE_NO_NODE
                       ? 0
                       : draw_changing_value(s, op);
        if (v == 0)
            continue;
        accordi_ask_own(s->asker, leaf, v);
        accordi_ask_own(s->asker, beside, -v);
        accordi_ask_end(s->asker);
        s->asked[asked++] = child[i];
    }
    return asked - before;
}

static enum accord_status ask_stored_sums(seeker *s, uint8_t *alpha_of, bool *some)
{
    accordi_asker *asker = s->asker;
    uint32_t asked = 0;
    find_near(s);
    accordi_ask_begin(asker, 0);
    for (uint32_t k = 0; k < s->tree->inner; k++)
        asked += ask_children(s, k, asked);
    accordi_ask_run(asker);
    for (uint32_t i = 0; i < asked && !asker->status; i++)
        if (asker->result[i] != 0) {
            alpha_of[s->asked[i]] = ACCORD_SCALED_RETAKEN;
            *some = true;
        }
    return asker->status;
}

static enum accord_status retake_arithmetic(seeker *s, uint8_t *alpha_of, accord_arithmetic **out)
{
    accord_arithmetic how = *s->found;
    uint32_t root = s->tree->leaves + s->tree->inner - 1;
    alpha_of[root] = ACCORD_SCALED_ROUNDED;
    how.alpha = s->asker->alpha;
    how.beta = s->asker->beta;
    how.alpha_at = ACCORD_ALPHA_NODES;
    how.alpha_of = alpha_of;
    how.alpha_nodes = (size_t)root + 1;
    return s->asker->status =
               accord_arithmetic_copy(&how, how.of_node ? s->tree->inner : 0, out, s->asker->error);
}

enum accord_status accordi_retaken(accordi_asker *asker, const accord_tree *tree,
                                   const accord_arithmetic *found, accord_arithmetic **out)
{
    seeker s = {.asker = asker, .tree = tree, .found = found};
    size_t nodes = (size_t)tree->leaves + tree->inner;
    bool some = false;
    *out = NULL;
    if (asker->status || tree->inner < 2 || tree->inner + 1 != tree->leaves ||
        tree->leaves > MOST_TERMS)
        return asker->status;
    s.near = accordi_ask_alloc(asker, nodes, sizeof *s.near);
    s.depth = accordi_ask_alloc(asker, nodes, sizeof *s.depth);
    s.asked = accordi_ask_alloc(asker, nodes, sizeof *s.asked);
    uint8_t *alpha_of = accordi_ask_calloc(asker, nodes, 1);
    if (!asker->status && !ask_stored_sums(&s, alpha_of, &some) && some)
        retake_arithmetic(&s, alpha_of, out);
    free(s.near);
    free(s.depth);
    free(s.asked);
    free(alpha_of);
    return asker->status;
}
