/* Labels: what is done at each node of the tree, so that equal subtrees compute alike.
 *
 * A label is what a shape says but for its children, packed into a number. What a leaf is at its
 * node (rounded there, or unrounded) is part of the leaf's label, so that operations need not be
 * compared afterwards. */
#include "model/emit/emit.h"
#include "model/scaling.h"

_Static_assert(ACCORD_FORMAT_COUNT <= 16, "a label has 4 bits for a format");

static uint32_t pack(const accordi_shape *s)
{
    const uint8_t field[] = {s->kind,  s->format,    s->sum,       s->stored,
                             s->first, s->scaled[0], s->scaled[1], s->uneven};
    uint32_t label = 0;
    for (size_t i = 0; i < sizeof field; i++)
        label |= (uint32_t)field[i] << 4 * i;
    return label;
}

accordi_shape accordi_shape_labeled(uint32_t label)
{
    uint8_t field[8];
    for (size_t i = 0; i < sizeof field; i++)
        field[i] = label >> 4 * i & 15;
    return (accordi_shape){.label = label,
                           .kind = field[0],
                           .format = field[1],
                           .sum = field[2],
                           .stored = field[3],
                           .first = field[4],
                           .scaled = {field[5], field[6]},
                           .uneven = field[7],
                           .leaves = 1,
                           .span = 1};
}

bool accordi_is_exact(const accordi_shape *s)
{
    return s->kind == ACCORDI_EXACT || s->kind == ACCORDI_START_EXACT;
}

/* Whether no product is too small for the sum. */
static bool is_wide(const accord_arithmetic *how, const accord_operation *op)
{
    return accordi_emit_input(how) == ACCORD_F32 && op->format == ACCORD_F64;
}

/* How the zero that a sum starts with enters its first term, which is not the fused one. */
static uint8_t first_of(const accord_arithmetic *how, const accord_operation *op, int side,
                        uint8_t kind)
{
    if (side != (op->fused == 0))
        return 0;
    if (kind == ACCORDI_VALUE)
        return ACCORDI_FIRST_SUM;
    bool fused = op->fused >= 0 && op->product == op->format && !is_wide(how, op);
    return fused ? ACCORDI_FIRST_FMA : ACCORDI_FIRST_SUM;
}

/* How the zero enters with which each product of the node is fused. */
static uint8_t zero_of(const accord_arithmetic *how, const accord_operation *op, uint8_t kind)
{
    if ((op->zero != ACCORD_ZERO_FUSED && op->zero != ACCORD_ZERO_ROUNDED) ||
        kind != ACCORDI_PRODUCT)
        return 0;
    return is_wide(how, op) || op->zero == ACCORD_ZERO_ROUNDED ? ACCORDI_FIRST_SUM
                                                               : ACCORDI_FIRST_FMA;
}

/* What the leaf is as child `side` of a node with this operation. */
static accordi_shape leaf_shape(const accord_arithmetic *how, const accord_operation *op, int side,
                                bool is_start)
{
    bool product = is_start || how->term == ACCORD_TERM_PRODUCT || how->term == ACCORD_TERM_SQUARE;
    accordi_shape s = {.kind = ACCORDI_VALUE, .format = (uint8_t)op->product};
    bool narrow = accordi_emit_input(how) == ACCORD_F32 && op->format == ACCORD_F32;
    if (narrow || (!product && (accordi_emit_input(how) == ACCORD_F32 || op->format == ACCORD_F32)))
        s.format = ACCORD_F32; /* products of f32 are exact in f64, so that one rounding is left */
    if (!product)
        return s;
    bool exact = op->fused == side;
    s.kind = is_start ? ACCORDI_START : ACCORDI_PRODUCT;
    if (exact && accordi_emit_input(how) == ACCORD_F32 && op->format == ACCORD_F64)
        s.format = ACCORD_F64; /* which holds it */
    else if (exact) {
        s.kind = is_start ? ACCORDI_START_EXACT : ACCORDI_EXACT;
        s.format = (uint8_t)how->input;
    }
    return s;
}

/* How alpha multiplies a child that enters a node, or the operands of a leaf. */
static uint8_t scaled_child(enum accord_scaling way)
{
    return way == ACCORD_SCALED_ROUNDED   ? ACCORDI_SCALED
           : way == ACCORD_SCALED_FUSED   ? ACCORDI_SCALED_FUSED
           : way == ACCORD_SCALED_RETAKEN ? ACCORDI_RETAKEN
                                          : 0;
}

static void scale_operands(enum accord_scaling way, accordi_shape *leaf)
{
    leaf->scaled[0] = way == ACCORD_SCALED_X;
    leaf->scaled[1] = way == ACCORD_SCALED_Y;
}

typedef struct labeling {
    const accord_model *model;
    const uint8_t *scaled; /* how alpha enters each node; NULL: nowhere */
    const uint32_t *size;  /* of each inner node, where alpha enters */
    bool firsts;
    uint32_t *label;
} labeling;

static uint32_t size_of(const labeling *all, uint32_t node)
{
    uint32_t n = all->model->tree->leaves;
    return node < n ? 1 : all->size[node - n];
}

/* A node that alpha enters on one side has the side in its label on which a chain goes on, so that
 * it enters on one side all along a run. */
static uint8_t uneven(const labeling *all, const accordi_shape *key, const uint32_t *child)
{
    if (key->scaled[0] == key->scaled[1])
        return 0;
    uint32_t a = size_of(all, child[0]), b = size_of(all, child[1]);
    return a > b ? 1 : a < b ? 2 : 3;
}

/* Labels inner node k, and the leaves among its children; false where it adds two products
 * unrounded: one fused multiply-add has one. */
static bool label_node(const labeling *all, uint32_t k)
{
    const accord_tree *tree = all->model->tree;
    const accord_arithmetic *how = all->model->arithmetic;
    const accord_operation *op = &how->operation[how->of_node ? how->of_node[k] : 0];
    const uint32_t *child = tree->child + tree->first[k];
    bool narrowed = op->stored != ACCORD_F64 && op->stored != op->format;
    bool exact[2], bottom = child[0] < tree->leaves && child[1] < tree->leaves;
    accordi_shape key = {.kind = ACCORDI_NODE,
                         .format = (uint8_t)(narrowed ? ACCORD_F32 : op->format),
                         .sum = (uint8_t)op->format,
                         .stored = (uint8_t)(narrowed ? op->stored : ACCORD_F64)};
    for (int i = 0; i < 2; i++) {
        bool start = how->beta != 0 && child[i] == tree->leaves - 1;
        bool beside = how->beta != 0 && child[!i] == tree->leaves - 1;
        enum accord_scaling way = all->scaled ? all->scaled[child[i]] : ACCORD_SCALED_NOT;
        key.scaled[i] = scaled_child(way);
        if (way == ACCORD_SCALED_ROUNDED && child[i] >= tree->leaves)
            key.scaled[i] = op->zero == ACCORD_ZERO_FUSED     ? ACCORDI_SCALED_ZERO
                            : op->zero == ACCORD_ZERO_ROUNDED ? ACCORDI_SCALED_PLUS
                                                              : ACCORDI_SCALED;
        exact[i] = key.scaled[i] == ACCORDI_SCALED_FUSED;
        if (child[i] >= tree->leaves)
            continue;
        accordi_shape own = leaf_shape(how, op, key.scaled[i] ? 2 : i, start);
        scale_operands(way, &own);
        exact[i] = exact[i] || accordi_is_exact(&own);
        own.first = all->firsts && bottom ? first_of(how, op, i, own.kind) : 0;
        if (own.first && key.scaled[i] && !beside) {
            own.first = 0;
            key.first = (uint8_t)(1 + i);
        }
        uint8_t zero = zero_of(how, op, own.kind);
        own.first = zero > own.first ? zero : own.first; /* a sum keeps fewer signs than fma */
        all->label[child[i]] = pack(&own);
    }
    if (op->zero == ACCORD_ZERO_ADDED)
        key.first |= ACCORDI_ZERO_ADDED;
    key.uneven = uneven(all, &key, child);
    all->label[tree->leaves + k] = pack(&key);
    return !exact[0] || !exact[1];
}

/* A tree of one leaf: it is rounded by the first operation, or into the output. */
static void label_single(const labeling *all)
{
    const accord_arithmetic *how = all->model->arithmetic;
    accord_operation op = {.format = how->output, .product = how->output};
    if (how->operations)
        op = how->operation[0];
    op.fused = -1;
    accordi_shape leaf = leaf_shape(how, &op, 0, how->beta != 0);
    scale_operands(all->scaled ? all->scaled[0] : ACCORD_SCALED_NOT, &leaf);
    all->label[0] = pack(&leaf);
}

static bool needs_firsts(const accord_model *model)
{
    const accord_arithmetic *how = model->arithmetic;
    bool fused = how->alpha_at >= ACCORD_ALPHA_SUM && how->alpha != 1;
    for (size_t i = 0; i < how->operations; i++)
        fused = fused || how->operation[i].fused >= 0 || how->operation[i].stored != ACCORD_F64;
    return !how->negative_zero && model->tree->inner > 0 && fused;
}

enum accord_status accordi_labels_make(const accord_model *model, uint32_t **out, bool *firsts,
                                       accord_error *error)
{
    const accord_tree *tree = model->tree;
    bool alpha = model->arithmetic->alpha != 1;
    uint8_t *scaled = NULL;
    enum accord_status status = alpha ? accordi_scaling(model, &scaled, error) : ACCORD_OK;
    if (status != ACCORD_OK)
        return status;
    uint32_t *size = alpha ? accordi_alloc(tree->inner, sizeof *size) : NULL;
    uint32_t *label = accordi_alloc((size_t)tree->leaves + tree->inner, sizeof *label);
    const labeling all = {model, scaled, size, *firsts = needs_firsts(model), label};
    if (!label || (alpha && !size)) {
        free(label);
        label = NULL;
        status = accordi_nomem(error);
    } else {
        if (alpha)
            accord_tree_sizes(tree, size);
        if (tree->inner == 0)
            label_single(&all);
        for (uint32_t k = 0; k < tree->inner && status == ACCORD_OK; k++)
            if (!label_node(&all, k))
                status = accordi_emit_refuse(error, "two products that are added unrounded");
    }
    free(scaled);
    free(size);
    *out = label;
    return status;
}
