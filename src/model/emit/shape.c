/* Finds subtrees that are the same but for a shift of their terms, to write them as loops.
 *
 * Idea: number the subtrees from the leaves up so that two get the same number exactly if one is
 * the other shifted, with the same arithmetic: a node is then three numbers (the shapes of its
 * children and how far apart they lie), found in a hash table. A regular order of n terms has
 * O(n / lanes + log n) shapes. What a leaf is at its node (rounded there, or unrounded) is part of
 * the leaf's shape, so that operations need not be compared afterwards. */
#include "model/emit/emit.h"
#include "model/scaling.h"

static uint32_t hash_of(const accordi_shape *s)
{
    const uint32_t word[] = {s->kind,      s->format,    s->sum,      s->stored,   s->first,
                             s->scaled[0], s->scaled[1], s->child[0], s->child[1], s->offset};
    uint64_t h = 1469598103934665603u;
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        h = (h ^ word[i]) * 1099511628211u;
    return (uint32_t)(h ^ h >> 32);
}

static bool same(const accordi_shape *a, const accordi_shape *b)
{
    return a->kind == b->kind && a->format == b->format && a->sum == b->sum &&
           a->stored == b->stored && a->first == b->first && a->scaled[0] == b->scaled[0] &&
           a->scaled[1] == b->scaled[1] && a->child[0] == b->child[0] &&
           a->child[1] == b->child[1] && a->offset == b->offset;
}

/* The chain on top goes down the child that has more leaves; a chain that changes its stride
 * begins anew at the last two items. */
static int chain_child(const accordi_shapes *all, const accordi_shape *s)
{
    const accordi_shape *a = &all->shape[s->child[0]], *b = &all->shape[s->child[1]];
    bool exact = a->kind == ACCORDI_EXACT || a->kind == ACCORDI_START_EXACT;
    return b->leaves > a->leaves || (exact && b->leaves == 1);
}

/* Of two equal leaves at the bottom of a chain either can be the start: the second one in a chain
 * that goes downward. */
static bool turned(const accordi_shape *s, const accordi_shape *below, int64_t below_at)
{
    return below->leaves == 2 && below->child[0] == below->child[1] &&
           s->last_at - below_at == -(int64_t)below->offset;
}

static void find_run(const accordi_shapes *all, accordi_shape *s)
{
    int into = chain_child(all, s);
    const accordi_shape *below = &all->shape[s->child[into]];
    int64_t below_at = into ? s->offset : 0;
    s->run = 1;
    s->item = s->child[!into];
    s->last_at = into ? 0 : s->offset;
    s->start = s->child[into];
    s->start_at = below_at;
    s->stride = s->last_at - below_at;
    bool plain = !s->scaled[0] && !s->scaled[1] && !s->stored;
    if (!plain || below->stored || below->kind != ACCORDI_NODE || below->format != s->format ||
        below->item != s->item || below->scaled[0] || below->scaled[1])
        return;
    int64_t stride = s->last_at - (below_at + below->last_at);
    if (turned(s, below, below_at)) {
        s->run = 2;
        s->stride = -(int64_t)below->offset;
        s->start = below->start;
        s->start_at = below_at + below->offset;
        return;
    }
    bool goes_on = below->run == 1 || below->stride == stride;
    s->run = goes_on ? below->run + 1 : 2;
    s->stride = stride;
    s->start = below->start;
    s->start_at = below_at + below->start_at;
    if (goes_on)
        return;
    int top = chain_child(all, below);
    s->start = below->child[top];
    s->start_at = below_at + (top ? below->offset : 0);
}

static bool grow(accordi_shapes *all)
{
    uint32_t slots = all->slots ? all->slots * 2 : 256;
    uint32_t *table = accordi_calloc(slots, sizeof *table);
    accordi_shape *shape = realloc(all->shape, slots / 2 * sizeof *shape);
    all->shape = shape ? shape : all->shape;
    if (!table || !shape) {
        free(table);
        return false;
    }
    free(all->table);
    all->table = table;
    all->slots = slots;
    for (uint32_t i = 0; i < all->count; i++) {
        uint32_t at = hash_of(&shape[i]) & (slots - 1);
        while (table[at])
            at = (at + 1) & (slots - 1);
        table[at] = i + 1;
    }
    return true;
}

/* The number of a shape whose key is filled; ACCORD_TREE_NO_NODE without memory. */
static uint32_t number(accordi_shapes *all, accordi_shape *key)
{
    if (all->count + 1 > all->slots / 2 && !grow(all))
        return ACCORD_TREE_NO_NODE;
    uint32_t at = hash_of(key) & (all->slots - 1);
    for (; all->table[at]; at = (at + 1) & (all->slots - 1))
        if (same(&all->shape[all->table[at] - 1], key))
            return all->table[at] - 1;
    key->leaves = key->span = 1;
    if (key->kind == ACCORDI_NODE) {
        const accordi_shape *a = &all->shape[key->child[0]], *b = &all->shape[key->child[1]];
        key->leaves = a->leaves + b->leaves;
        key->span = a->span > key->offset + b->span ? a->span : key->offset + b->span;
        find_run(all, key);
    }
    all->shape[all->count] = *key;
    all->table[at] = ++all->count;
    return all->count - 1;
}

/* How the zero that a sum starts with enters its first term, which is not the fused one. */
static uint8_t first_of(const accord_arithmetic *how, const accord_operation *op, int side,
                        uint8_t kind)
{
    if (side != (op->fused == 0))
        return 0;
    if (kind == ACCORDI_VALUE)
        return ACCORDI_FIRST_SUM;
    bool wide =
        accordi_emit_input(how) == ACCORD_F32 && op->format == ACCORD_F64; /* no product vanishes */
    bool fused = op->fused >= 0 && op->product == op->format && !wide;
    return fused ? ACCORDI_FIRST_FMA : ACCORDI_FIRST_SUM;
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

/* How alpha enters each node; NULL: nowhere. */
static enum accord_status find_scaled(const accord_model *model, uint8_t **out, accord_error *error)
{
    *out = NULL;
    return model->arithmetic->alpha == 1 ? ACCORD_OK : accordi_scaling(model, out, error);
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

/* The shapes of all nodes, from the leaves up; false without memory. */
static bool number_all(const accord_model *model, const uint8_t *scaled, uint32_t *of,
                       uint32_t *base, accordi_shapes *all)
{
    const accord_tree *tree = model->tree;
    const accord_arithmetic *how = model->arithmetic;
    for (uint32_t k = 0; k < tree->inner; k++) {
        const accord_operation *op = &how->operation[how->of_node ? how->of_node[k] : 0];
        const uint32_t *child = tree->child + tree->first[k];
        bool narrowed = op->stored != ACCORD_F64 && op->stored != op->format;
        accordi_shape key = {.kind = ACCORDI_NODE,
                             .format = (uint8_t)(narrowed ? ACCORD_F32 : op->format),
                             .sum = (uint8_t)op->format,
                             .stored = (uint8_t)(narrowed ? op->stored : ACCORD_F64)};
        uint32_t at[2];
        bool bottom = child[0] < tree->leaves && child[1] < tree->leaves;
        for (int i = 0; i < 2; i++) {
            bool leaf = child[i] < tree->leaves;
            bool start = how->beta != 0 && child[i] == tree->leaves - 1;
            enum accord_scaling way = scaled ? scaled[child[i]] : ACCORD_SCALED_NOT;
            key.scaled[i] = scaled_child(way);
            accordi_shape own = leaf_shape(how, op, key.scaled[i] ? 2 : i, start);
            scale_operands(way, &own);
            own.first = all->firsts && bottom ? first_of(how, op, i, own.kind) : 0;
            bool beside = how->beta != 0 && child[!i] == tree->leaves - 1;
            if (own.first && key.scaled[i] && !beside) {
                own.first = 0;
                key.first = (uint8_t)(1 + i);
            }
            key.child[i] = leaf ? number(all, &own) : of[child[i] - tree->leaves];
            at[i] = leaf ? child[i] : base[child[i] - tree->leaves];
            if (key.child[i] == ACCORD_TREE_NO_NODE)
                return false;
        }
        base[k] = at[0];
        key.offset = at[1] - at[0];
        of[k] = number(all, &key);
        if (of[k] == ACCORD_TREE_NO_NODE)
            return false;
    }
    all->root = tree->inner ? of[tree->inner - 1] : 0;
    return true;
}

/* A tree of one leaf: it is rounded by the first operation, or into the output. */
static bool number_single(const accord_model *model, const uint8_t *scaled, accordi_shapes *all)
{
    const accord_arithmetic *how = model->arithmetic;
    accord_operation op = {.format = how->output, .product = how->output, .fused = -1};
    if (how->operations)
        op = how->operation[0];
    op.fused = -1;
    accordi_shape leaf = leaf_shape(how, &op, 0, how->beta != 0);
    scale_operands(scaled ? scaled[0] : ACCORD_SCALED_NOT, &leaf);
    all->root = number(all, &leaf);
    return all->root != ACCORD_TREE_NO_NODE;
}

enum accord_status accordi_shapes_make(const accord_model *model, accordi_shapes *out,
                                       accord_error *error)
{
    accordi_shapes all = {0};
    uint8_t *scaled;
    const accord_arithmetic *how = model->arithmetic;
    uint32_t inner = model->tree->inner;
    bool fused = how->alpha_at >= ACCORD_ALPHA_SUM && how->alpha != 1;
    for (size_t i = 0; i < how->operations; i++)
        fused = fused || how->operation[i].fused >= 0 || how->operation[i].stored != ACCORD_F64;
    all.firsts = !how->negative_zero && inner > 0 && fused;
    enum accord_status status = find_scaled(model, &scaled, error);
    if (status != ACCORD_OK)
        return status;
    uint32_t *base = accordi_alloc(inner, sizeof *base);
    all.of = accordi_alloc(inner, sizeof *all.of);
    bool good = all.of && base &&
                (inner ? number_all(model, scaled, all.of, base, &all)
                       : number_single(model, scaled, &all));
    free(base);
    free(scaled);
    if (!good) {
        accordi_shapes_clear(&all);
        return accordi_nomem(error);
    }
    *out = all;
    return ACCORD_OK;
}

void accordi_shapes_clear(accordi_shapes *shapes)
{
    free(shapes->shape);
    free(shapes->table);
    free(shapes->of);
    *shapes = (accordi_shapes){0};
}

bool accordi_shape_uniform(const accordi_shapes *s, uint32_t shape)
{
    const accordi_shape *a = &s->shape[shape];
    if (a->kind != ACCORDI_NODE)
        return true;
    return s->shape[a->item].kind != ACCORDI_NODE && s->shape[a->start].kind != ACCORDI_NODE &&
           !a->scaled[0] && !a->scaled[1] && !a->stored &&
           a->start_at == a->last_at - (int64_t)a->run * a->stride;
}

bool accordi_shape_alike(const accordi_shapes *s, uint32_t a, uint32_t b)
{
    if (a == b)
        return true;
    if (!accordi_shape_uniform(s, a) || !accordi_shape_uniform(s, b))
        return false;
    const accordi_shape *p = &s->shape[a], *q = &s->shape[b];
    if (p->kind != ACCORDI_NODE && q->kind != ACCORDI_NODE)
        return false; /* a == b was asked above */
    if (p->kind != ACCORDI_NODE)
        return q->start == a && s->shape[a].format == q->format;
    if (q->kind != ACCORDI_NODE)
        return p->start == b && s->shape[b].format == p->format;
    return p->format == q->format && p->item == q->item && p->start == q->start &&
           p->stride == q->stride;
}

uint8_t accordi_emit_input(const accord_arithmetic *arithmetic)
{
    return (uint8_t)(arithmetic->operand != ACCORD_F64 ? ACCORD_F32 : arithmetic->input);
}
