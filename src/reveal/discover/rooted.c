/* Orders by rooted triples of terms.
 *
 * In: a target whose counts cannot be read, as the mean of 1000 terms of f16, which distinguishes
 * only 15 units beside a mask. Out: a binary tree, or its proof.
 *
 * Idea: with M at a, -M at b and a small term at c, the result is the small term if and only if c
 * is outside the least clade of a and b: the triple ab|c. A tree grows by such questions
 * (nonnegative.c); for the proof one triple for each inner node is enough (doc/theory.md, "Where
 * counts cannot be read").
 *
 * Bound: 1.4 to 2.1 n log2 n questions to grow a tree, n - 2 to prove it. Assumes that the target
 * adds along one fixed tree, whatever the values. */
#include "reveal/discover/rooted.h"
#include "reveal/probes/leaf_order.h"
#include <math.h>

enum { PROBES_A_BATCH = 8192 };

bool accordi_rooted_pays(const accordi_asker *asker)
{
    double n = (double)asker->n, capacity = (double)accordi_ask_capacity(asker);
    bool scaled = asker->scale != 1; /* else counts are few as well, and tell fused nodes too */
    return scaled && asker->proof_follows && asker->n > 2 && n > capacity * log2(n) / 2;
}

static enum accord_status ask_some(accordi_asker *asker, accordi_rooted *rooted, size_t count)
{
    double small = ldexp(asker->unit, asker->bits - 1), due = small * asker->scale;
    accordi_ask_begin(asker, 0);
    for (size_t i = 0; i < count; i++)
        accordi_ask_triple(asker, rooted[i].a, rooted[i].b, rooted[i].c, small);
    if (accordi_ask_run(asker))
        return asker->status;
    for (size_t i = 0; i < count; i++) {
        double got = asker->result[i] / due;
        if (!(got == 0 || (got > 0.5 && got < 2)))
            return accordi_ask_unable(
                asker, isfinite(got) ? ACCORD_REASON_NOT_A_TREE : ACCORD_REASON_NOT_FINITE,
                "beside two large terms that cancel, a small term is neither kept nor lost: %g "
                "became %g",
                small, asker->result[i] / asker->scale);
        rooted[i].meet = got != 0;
    }
    return ACCORD_OK;
}

static enum accord_status ask_triples(void *context, accordi_rooted *rooted, size_t count)
{
    accordi_asker *asker = context;
    for (size_t at = 0; at < count && !asker->status; at += PROBES_A_BATCH)
        ask_some(asker, rooted + at, count - at < PROBES_A_BATCH ? count - at : PROBES_A_BATCH);
    return asker->status;
}

enum accord_status accordi_rooted_discover(accordi_asker *asker, accord_tree **out)
{
    return accordi_rooted_grow(asker, ask_triples, asker, out);
}

static accordi_rooted draw_triple(accordi_asker *asker, const accordi_layout *l, uint32_t k)
{
    const uint32_t *child = l->tree->child + l->tree->first[k];
    uint32_t sibling = accordi_layout_sibling(l, l->tree->leaves + k);
    return (accordi_rooted){.a = accordi_layout_leaf(asker, l, child[0]),
                            .b = accordi_layout_leaf(asker, l, child[1]),
                            .c = accordi_layout_leaf(asker, l, sibling)};
}

enum accord_status accordi_rooted_glance(accordi_asker *asker, const accord_tree *tree, bool *holds)
{
    enum { NODES = 8 };
    accordi_layout l;
    accordi_rooted questions[NODES];
    *holds = false;
    if (accordi_layout_init(asker, tree, &l) == ACCORD_OK) {
        for (int i = 0; i < NODES; i++)
            questions[i] =
                draw_triple(asker, &l, (uint32_t)accordi_rng_below(&asker->rng, tree->inner - 1));
        *holds = !ask_triples(asker, questions, NODES);
    }
    for (int i = 0; i < NODES && *holds; i++)
        *holds = questions[i].meet;
    accordi_layout_clear(&l);
    return asker->status;
}

enum accord_status accordi_rooted_prove(accordi_asker *asker, const accord_tree *tree,
                                        accordi_certificate *out, bool *holds)
{
    accordi_layout l;
    accordi_rooted *questions = accordi_ask_alloc(asker, tree->inner, sizeof *questions);
    bool binary = tree->inner + 1 == tree->leaves;
    asker->stage = "proving";
    accordi_layout_init(asker, tree, &l);
    for (uint32_t k = 0; binary && k + 1 < tree->inner && !asker->status; k++)
        questions[k] = draw_triple(asker, &l, k);
    *holds = binary && !asker->status && !ask_triples(asker, questions, tree->inner - 1);
    for (uint32_t k = 0; *holds && k + 1 < tree->inner; k++)
        *holds = questions[k].meet;
    out->nodes = tree->inner;
    out->confirmed = *holds ? tree->inner : 0;
    out->sampled = 0;
    accordi_layout_clear(&l);
    free(questions);
    return asker->status;
}
