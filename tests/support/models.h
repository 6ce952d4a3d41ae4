/* Models and operands at random, for tests. */
#ifndef MODELS_H
#define MODELS_H

#include "base/base.h"
#include "targets/synthetic/synthetic.h"
#include <accord/accord.h>
#include <math.h>

enum models_kind {
    MODELS_F32,   /* f32 or narrower throughout */
    MODELS_F64,   /* f64 throughout */
    MODELS_MIXED, /* f32 and f64 to nearest */
    MODELS_ANY,   /* any format and rounding at any node */
    MODELS_MACHINE,
    MODELS_KINDS
};

typedef struct models_made {
    accord_tree *tree;
    accord_arithmetic *arithmetic;
    accord_model model;
} models_made;

static inline enum accord_format models_format(accordi_rng *rng, enum models_kind kind)
{
    if (kind == MODELS_F32 || kind == MODELS_F64)
        return kind == MODELS_F32 ? ACCORD_F32 : ACCORD_F64;
    if (kind == MODELS_MIXED)
        return accordi_rng_below(rng, 2) ? ACCORD_F32 : ACCORD_F64;
    return (enum accord_format)accordi_rng_below(rng, ACCORD_FORMAT_COUNT);
}

/* Values that the format holds, many of them special. */
static inline double models_draw(accordi_rng *rng, enum accord_format format, int spread)
{
    const accord_format_info *row = accord_format_get(format);
    double x = accordi_rng_normal(rng), sign = accordi_rng_below(rng, 2) ? -1 : 1;
    switch (accordi_rng_below(rng, 150)) {
    case 0:
    case 1:
    case 2:
        return sign * 0.0;
    case 3:
        return sign * row->least * (double)accordi_rng_below(rng, 5);
    case 4:
        x = sign * row->greatest * (accordi_rng_below(rng, 2) ? 1 : 0.75);
        break;
    case 5:
        return accordi_rng_below(rng, 8) ? sign * row->least : sign * (double)INFINITY;
    case 6:
        x = sign;
        break;
    default:
        x = ldexp(x, (int)accordi_rng_below(rng, (uint64_t)spread) - spread / 2);
    }
    return accord_format_round(format, ACCORD_TOWARD_ZERO, x);
}

/* Fills a row. */
typedef void models_drawer(accordi_rng *rng, enum accord_format format, double *x, size_t n);

/* Zeros of one sign, often with one of the other; or, in their place, least numbers, whose products
 * are too small. What is added to them shows in the sign of the sum. */
static inline void models_draw_zeros(accordi_rng *rng, enum accord_format format, double *x,
                                     size_t n)
{
    double sign = accordi_rng_below(rng, 2) ? -1 : 1;
    uint64_t small = accordi_rng_below(rng, 3); /* none, some, or all of them */
    for (size_t i = 0; i < n; i++)
        x[i] = sign * (accordi_rng_below(rng, 2) < small ? accord_format_get(format)->least : 0.0);
    if (accordi_rng_below(rng, 2))
        x[accordi_rng_below(rng, n)] *= -1;
}

/* A row lies close together, spreads over much of the range, or is all tiny or all zeros. */
static inline void models_draw_row(accordi_rng *rng, enum accord_format format, double *x, size_t n)
{
    const accord_format_info *row = accord_format_get(format);
    uint64_t way = accordi_rng_below(rng, 14);
    if (way >= 10) {
        models_draw_zeros(rng, format, x, n);
        return;
    }
    int spread = way < 6 ? 4 : way < 8 ? row->max_exponent : 2 * row->max_exponent;
    for (size_t i = 0; i < n; i++) {
        x[i] = models_draw(rng, format, spread);
        if (way == 9)
            x[i] = accord_format_round(format, ACCORD_NEAREST_EVEN, ldexp(x[i], row->min_exponent));
        if (way == 0 && accordi_rng_below(rng, 2))
            x[i] = copysign(0, x[i]);
    }
}

static inline bool models_steps(enum models_kind kind, const accord_tree *tree, uint32_t k)
{
    return kind == MODELS_MACHINE && tree->first[k + 1] - tree->first[k] > 2;
}

/* Three operations, each with the child 0, 1 or none fused, and at the end the machine's step. */
static inline void models_operations(accordi_rng *rng, enum models_kind kind, models_made *made)
{
    accord_arithmetic *how = made->arithmetic;
    const accord_tree *tree = made->tree;
    accord_operation *op = accordi_alloc(10, sizeof *op);
    for (int i = 0; i < 9; i++) {
        if (i % 3 == 0) {
            op[i].format = models_format(rng, kind);
            op[i].product = accordi_rng_below(rng, 3) ? op[i].format : models_format(rng, kind);
            op[i].rounding = ACCORD_NEAREST_EVEN;
            op[i].stored = accordi_rng_below(rng, 4) ? ACCORD_F64 : models_format(rng, kind);
            if (kind >= MODELS_ANY && accordi_rng_below(rng, 2))
                op[i].rounding =
                    (enum accord_rounding)accordi_rng_below(rng, ACCORD_ROUNDING_COUNT);
        } else {
            op[i] = op[i - 1];
        }
        op[i].fused = i % 3 - 1;
    }
    for (int i = 0; i < 9; i++) {
        op[i].keeps = accordi_rng_below(rng, 4) == 0;
        op[i].zero = accordi_rng_below(rng, 4) ? ACCORD_ZERO_NONE
                                               : (enum accord_zero)accordi_rng_below(rng, 4);
    }
    op[9] = op[0];
    op[9].fused = ACCORD_STEP;
    op[9].zero = ACCORD_ZERO_NONE;
    free(how->operation);
    how->operation = op;
    how->operations = how->has_machine ? 10 : 9;
    bool same = accordi_rng_below(rng, 3) == 0, unfused = accordi_rng_below(rng, 3) == 0;
    uint64_t base = accordi_rng_below(rng, 3);
    for (uint32_t k = 0; k < tree->inner; k++) {
        const uint32_t *child = tree->child + tree->first[k];
        int fused = unfused ? -1 : (int)accordi_rng_below(rng, same ? 2 : 3) - !same;
        if (fused >= 0 && child[fused] >= tree->leaves)
            fused = same && child[1 - fused] < tree->leaves ? 1 - fused : -1;
        base = same ? base : accordi_rng_below(rng, 3);
        how->of_node[k] = (uint8_t)(3 * base + (uint64_t)(fused + 1));
        bool short_step = child[0] < tree->leaves || child[1] < tree->leaves;
        if (how->has_machine && short_step && tree->first[k + 1] - tree->first[k] == 2 &&
            accordi_rng_below(rng, 2))
            how->of_node[k] = 9;
    }
}

/* A random cut of the tree, above the products and beside the start: how alpha enters there. */
static inline void models_scalings(accordi_rng *rng, const accord_tree *tree,
                                   accord_arithmetic *how)
{
    uint32_t n = tree->leaves, nodes = n + tree->inner;
    uint32_t *parent = accordi_alloc(nodes, sizeof *parent);
    bool *keep = accordi_calloc(nodes, sizeof *keep); /* no cut here: the start lies below */
    bool *above = accordi_calloc(nodes, sizeof *above);
    uint64_t high = 1 + accordi_rng_below(rng, 6);
    accord_tree_parents(tree, parent);
    for (uint32_t at = n - 1; how->beta != 0 && at != ACCORD_TREE_NO_NODE; at = parent[at])
        keep[at] = true;
    how->alpha_at = ACCORD_ALPHA_NODES;
    how->alpha_nodes = nodes;
    how->alpha_of = accordi_calloc(nodes, 1);
    for (uint32_t node = nodes; node-- > 0;) {
        above[node] = parent[node] != ACCORD_TREE_NO_NODE &&
                      (above[parent[node]] || how->alpha_of[parent[node]]);
        bool leaf = node < n, here = !keep[node] && !above[node];
        if (!leaf && above[node] && !how->has_machine && accordi_rng_below(rng, 4) == 0)
            how->alpha_of[node] = ACCORD_SCALED_RETAKEN;
        if (!here || (!leaf && accordi_rng_below(rng, high)))
            continue;
        uint64_t ways = how->has_machine ? 2 : 4;
        how->alpha_of[node] =
            (uint8_t)(leaf ? 1 + accordi_rng_below(rng, ways) : 3 + accordi_rng_below(rng, 2));
    }
    free(parent);
    free(keep);
    free(above);
}

static inline void models_alpha(accordi_rng *rng, models_made *made)
{
    accord_arithmetic *how = made->arithmetic;
    const accord_tree *tree = made->tree;
    if (how->term != ACCORD_TERM_PRODUCT || accordi_rng_below(rng, 2))
        return;
    if (!how->has_machine && accordi_rng_below(rng, 2))
        how->beta = accordi_rng_below(rng, 2) ? 1 : (double)(float)accordi_rng_normal(rng);
    how->alpha_at = (enum accord_alpha)accordi_rng_below(rng, 5);
    if (how->has_machine && how->alpha_at == ACCORD_ALPHA_SUM)
        how->alpha_at = ACCORD_ALPHA_ONE;
    if (how->alpha_at == ACCORD_ALPHA_ONE)
        return;
    how->alpha = accordi_rng_below(rng, 4) ? (double)(float)accordi_rng_normal(rng) : -1;
    if (how->alpha_at == ACCORD_ALPHA_NODES) {
        models_scalings(rng, tree, how);
        return;
    }
    how->alpha_fused = accordi_rng_below(rng, 2) != 0;
    how->alpha_node = tree->leaves - 1;
    if (how->beta == 0)
        how->alpha_node = (uint32_t)accordi_rng_below(rng, tree->leaves + tree->inner);
    for (uint32_t c = 0; how->beta != 0 && accordi_rng_below(rng, 2) && c + 1 < tree->inner; c++)
        if (tree->child[2 * c + 1] == tree->leaves - 1 && tree->first[c + 1] == 2 * c + 2)
            how->alpha_node = tree->child[2 * c]; /* the sibling of the start */
    if (accordi_rng_below(rng, how->alpha == -1 ? 2 : 4) == 0)
        how->alpha_node = tree->leaves + tree->inner - 1;
}

static inline void models_rest(accordi_rng *rng, enum models_kind kind, models_made *made)
{
    accord_arithmetic *how = made->arithmetic;
    how->zero_last = accordi_rng_below(rng, 4) == 0;
    how->negative_zero = accordi_rng_below(rng, 2) != 0;
    how->flush = accordi_rng_below(rng, 3) ? 0 : (unsigned)accordi_rng_below(rng, 32);
    how->skips_zero = accordi_rng_below(rng, 6) == 0;
    how->skips = how->skips_zero ? (enum accord_skips)accordi_rng_below(rng, 3) : 0;
    models_alpha(rng, made);
    if (accordi_rng_below(rng, 4) == 0) {
        how->finish = (enum accord_finish)accordi_rng_below(rng, 6);
        how->factor = accordi_rng_below(rng, 2) ? (double)made->tree->leaves : 0x1.999999999999ap-4;
        if (how->finish >= ACCORD_FINISH_ROOT && accordi_rng_below(rng, 2))
            how->radicand = (enum accord_format)accordi_rng_below(rng, ACCORD_FORMAT_COUNT);
    }
    if (kind >= MODELS_ANY && accordi_rng_below(rng, 2))
        how->output_rounding = (enum accord_rounding)accordi_rng_below(rng, ACCORD_ROUNDING_COUNT);
    if (accordi_rng_below(rng, 3) == 0) {
        static const enum accord_rounding roundings[] = {ACCORD_NEAREST_EVEN, ACCORD_TOWARD_ZERO,
                                                         ACCORD_NEAREST_AWAY};
        how->operand = (enum accord_format)accordi_rng_below(rng, ACCORD_FORMAT_COUNT);
        how->operand_rounding = roundings[accordi_rng_below(rng, 3)];
    }
}

/* Not of elements, which hold no infinities. */
static inline const accord_fused *models_machine(accordi_rng *rng)
{
    const accord_fused *machine;
    size_t count = 0;
    while (accord_fused_at(count))
        count++;
    do
        machine = accord_fused_at(accordi_rng_below(rng, count));
    while (!accord_format_adds(machine->input));
    return machine;
}

/* Trees with at most `most` leaves; those of machines have wide nodes in a chain. */
static inline void models_random(accordi_rng *rng, enum models_kind kind, size_t most,
                                 models_made *made)
{
    enum accordi_tree_kind shape =
        (enum accordi_tree_kind)accordi_rng_below(rng, ACCORDI_TREE_KINDS);
    const accord_fused *machine = models_machine(rng);
    accord_arithmetic *plain = NULL;
    if (kind == MODELS_MACHINE)
        shape = ACCORDI_TREE_CHAIN;
    while (kind == MODELS_MACHINE && machine->terms < 17)
        machine = models_machine(rng);
    accordi_random_tree(rng, shape, 1 + (size_t)accordi_rng_below(rng, most), &made->tree, NULL);
    enum accord_format input = kind == MODELS_F64          ? ACCORD_F64
                               : kind == MODELS_ANY        ? models_format(rng, kind)
                               : kind == MODELS_MACHINE    ? machine->input
                               : accordi_rng_below(rng, 4) ? ACCORD_F32
                                                           : ACCORD_F16;
    enum accord_format output =
        kind == MODELS_F32 && accordi_rng_below(rng, 4)
            ? ACCORD_F32
            : (enum accord_format)accordi_rng_below(rng, ACCORD_FORMAT_COUNT);
    uint64_t term = accordi_rng_below(rng, 6);
    accord_arithmetic_plain(term > 3 ? ACCORD_TERM_PRODUCT : (enum accord_term)term, input,
                            ACCORD_F32, output, &plain, NULL);
    accord_arithmetic_copy(plain, made->tree->inner, &made->arithmetic, NULL);
    accord_arithmetic_free(plain);
    if (kind == MODELS_MACHINE) {
        made->arithmetic->has_machine = true;
        made->arithmetic->machine = *machine;
    }
    models_operations(rng, kind, made);
    models_rest(rng, kind, made);
    made->model = (accord_model){made->tree, made->arithmetic};
}

static inline void models_clear(models_made *made)
{
    accord_tree_free(made->tree);
    accord_arithmetic_free(made->arithmetic);
}

#endif
