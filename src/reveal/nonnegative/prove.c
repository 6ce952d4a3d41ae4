/* Proof of an order of terms that cannot be negative.
 *
 * In: the tree that was found. Out: whether all of its nodes are the target's.
 *
 * Idea: for every inner node but the root, two probes show the triple ab|c of leaves a and b of its
 * children and c of its sibling: the mask at c is exceeded, and the mask at a is not (where three
 * terms are added at once, both would be, or neither). A tree that has all these triples is this
 * one; doc/theory.md, "Terms that cannot be negative", has the argument. Where nodes have two
 * widths both are exceeded above a wide one, and further questions show the triple (two_widths.c).
 *
 * Bound: 2 (n - 2) probes. Assumes that the target adds along one fixed tree. */
#include "reveal/nonnegative/nonnegative.h"
#include "reveal/probes/leaf_order.h"

/* Two questions for each of `count` nodes. */
static void draw_questions(accordi_asker *asker, const accordi_layout *l, uint32_t first,
                           uint32_t count, accordi_rooted *questions)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t sibling = accordi_layout_sibling(l, l->tree->leaves + first + i);
        const uint32_t *child = l->tree->child + l->tree->first[first + i];
        int flip = (int)(accordi_rng_next(&asker->rng) >> 63);
        uint32_t a = accordi_layout_leaf(asker, l, child[flip]);
        uint32_t b = accordi_layout_leaf(asker, l, child[1 - flip]);
        uint32_t c = accordi_layout_leaf(asker, l, sibling);
        questions[2 * i] = (accordi_rooted){.a = a, .b = b, .c = c};
        questions[2 * i + 1] = (accordi_rooted){.a = b, .b = c, .c = a};
    }
}

/* Three terms that do not meet as the tree has it: as another tree would have it, or as none. */
static enum accord_status look_into(accordi_positive_asker *p, const accordi_rooted *wrong)
{
    const uint32_t a = wrong->a, b = wrong->b, c = wrong->c;
    accordi_rooted turns[3] = {
        {.a = a, .b = b, .c = c}, {.a = b, .b = c, .c = a}, {.a = c, .b = a, .c = b}};
    int meet = 0;
    if (accordi_positive_ask(p, turns, 3))
        return p->asker->status;
    for (int i = 0; i < 3; i++)
        meet += turns[i].meet;
    return meet == 1 ? ACCORD_OK : accordi_positive_not_binary(p, false);
}

/* One node by its two questions. */
static enum accord_status judge_node(accordi_positive_asker *p, const accordi_rooted *asked,
                                     uint8_t *wide, uint32_t *confirmed)
{
    bool widths = p->asker->two_widths, holds = asked[0].meet && !asked[1].meet;
    if (!holds && !widths)
        return look_into(p, asked);
    if (!holds && asked[0].meet) {
        accordi_positive_confirm_wide(p, asked, &holds);
        *wide = holds;
    }
    *confirmed += holds;
    return p->asker->status;
}

/* Counts the nodes that are the target's, up to the first batch with one that is not. */
static enum accord_status prove_nodes(accordi_positive_asker *p, const accord_tree *tree,
                                      uint8_t *wide, uint32_t *confirmed)
{
    enum { NODES_A_BATCH = 4096 };
    accordi_asker *asker = p->asker;
    accordi_layout l;
    accordi_rooted *questions = accordi_ask_alloc(asker, 2 * NODES_A_BATCH, sizeof *questions);
    uint32_t before = *confirmed;
    accordi_layout_init(asker, tree, &l);
    for (uint32_t at = 0; at + 1 < tree->inner && !asker->status && *confirmed == before + at;
         at += NODES_A_BATCH) {
        uint32_t left = tree->inner - 1 - at, count = left < NODES_A_BATCH ? left : NODES_A_BATCH;
        draw_questions(asker, &l, at, count, questions);
        accordi_positive_ask(p, questions, 2 * (size_t)count);
        for (uint32_t i = 0; i < count && !asker->status; i++)
            judge_node(p, &questions[2 * i], &wide[at + i], confirmed);
    }
    accordi_layout_clear(&l);
    free(questions);
    return asker->status;
}

enum accord_status accordi_positive_verify(accordi_positive_asker *p, const accord_tree *tree,
                                           bool *holds)
{
    uint32_t confirmed = 1;
    uint8_t *wide = accordi_ask_calloc(p->asker, tree->inner + 1, 1);
    *holds = wide && !prove_nodes(p, tree, wide, &confirmed) && confirmed == tree->inner;
    free(wide);
    return p->asker->status;
}

enum accord_status accordi_positive_prove(accordi_asker *asker, const accord_tree *tree,
                                          accordi_certificate *out, bool *holds)
{
    accordi_positive_asker p;
    uint32_t confirmed = tree->inner > 0; /* the root, by the others */
    bool binary = tree->inner + 1 == tree->leaves;
    if (accordi_positive_calibrate(asker, false, &p))
        return asker->status;
    asker->stage = "proving";
    free(out->wide);
    if (!(out->wide = accordi_ask_calloc(asker, tree->inner + 1, 1)))
        return asker->status;
    if (binary && tree->leaves > 2 && prove_nodes(&p, tree, out->wide, &confirmed))
        return asker->status;
    out->wide_precision = p.wide.width;
    *holds = binary && confirmed == tree->inner;
    out->nodes = tree->inner;
    out->confirmed = *holds ? tree->inner : 0;
    out->sampled = 0;
    out->accumulator_bits = tree->leaves > 2 ? p.operands.width : 0;
    return ACCORD_OK;
}
