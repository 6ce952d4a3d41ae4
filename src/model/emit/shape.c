/* The shapes of a model, for emission: the pattern of its tree with what is done at each node.
 *
 * Room pattern finds subtrees that are the same but for a shift of their terms, and runs; here each
 * of its nodes, of which a regular order has few, is taken for a chain: what it starts with, what
 * is added to that, and where. */
#include "model/emit/emit.h"
#include <accord/pattern.h>

/* A node alone is a chain of one item. It goes on in the child that has more leaves, of two leaves
 * in the one that is a value by itself. */
static bool starts_second(const accordi_shape *a, const accordi_shape *b)
{
    return b->leaves > a->leaves || (accordi_is_exact(a) && b->leaves == 1);
}

static accordi_shape shape_of(const accord_pattern *pattern, const accordi_shape *below,
                              uint32_t id)
{
    const accord_pattern_node *node = accord_pattern_at(pattern, id);
    const accord_pattern_part *part = accord_pattern_parts(pattern, id);
    accordi_shape s = accordi_shape_labeled(node->label);
    if (node->steps == 0)
        return s;
    bool second = node->steps == 1 && starts_second(&below[part[0].node], &below[part[1].node]);
    const accord_pattern_part *start = &part[second], *item = &part[!second];
    s.leaves = node->leaves;
    s.span = node->span;
    s.run = node->steps;
    s.start = start->node;
    s.start_at = start->shift;
    s.item = item->node;
    s.item_at = item->shift;
    s.stride = s.run > 1 ? node->stride : s.item_at - s.start_at;
    return s;
}

enum accord_status accordi_shapes_make(const accord_model *model, accordi_shapes *out,
                                       accord_error *error)
{
    accordi_shapes all = {0};
    accord_pattern *pattern = NULL;
    enum accord_status status = accordi_labels_make(model, &all.label, &all.firsts, error);
    if (status == ACCORD_OK)
        status = accord_pattern_of(model->tree, all.label, &pattern, error);
    all.count = pattern ? accord_pattern_nodes(pattern) : 0;
    all.shape = pattern ? accordi_alloc(all.count, sizeof *all.shape) : NULL;
    if (status == ACCORD_OK && !all.shape)
        status = accordi_nomem(error);
    for (uint32_t i = 0; status == ACCORD_OK && i < all.count; i++)
        all.shape[i] = shape_of(pattern, all.shape, i);
    accord_pattern_free(pattern);
    if (status != ACCORD_OK) {
        accordi_shapes_clear(&all);
        return status;
    }
    all.root = all.count - 1;
    *out = all;
    return ACCORD_OK;
}

void accordi_shapes_clear(accordi_shapes *shapes)
{
    free(shapes->shape);
    free(shapes->label);
    *shapes = (accordi_shapes){0};
}

int64_t accordi_item_at(const accordi_shape *s, uint32_t i)
{
    return s->item_at + (int64_t)i * s->stride;
}

bool accordi_shape_plain(const accordi_shape *s)
{
    return !s->scaled[0] && !s->scaled[1] && !s->stored && !(s->first & ACCORDI_ZERO_ADDED);
}

bool accordi_starts_with_two(const accordi_shapes *all, const accordi_shape *s)
{
    const accordi_shape *start = &all->shape[s->start];
    return accordi_is_exact(start) || (s->stored && start->format != s->format);
}

bool accordi_shape_uniform(const accordi_shapes *s, uint32_t shape)
{
    const accordi_shape *a = &s->shape[shape];
    if (a->kind != ACCORDI_NODE)
        return true;
    return s->shape[a->item].kind != ACCORDI_NODE && s->shape[a->start].kind != ACCORDI_NODE &&
           a->start_at == a->item_at - a->stride;
}

/* Whether a leaf is what the chain starts with. */
static bool begins(const accordi_shapes *s, uint32_t leaf, const accordi_shape *chain)
{
    return chain->start == leaf && s->shape[leaf].format == chain->format &&
           !accordi_is_exact(&s->shape[leaf]);
}

bool accordi_shape_alike(const accordi_shapes *s, uint32_t a, uint32_t b)
{
    if (a == b)
        return true;
    if (!accordi_shape_uniform(s, a) || !accordi_shape_uniform(s, b))
        return false;
    const accordi_shape *p = &s->shape[a], *q = &s->shape[b];
    if (p->run == 0 || q->run == 0)
        return p->run == 0 ? q->run > 0 && begins(s, a, q) : begins(s, b, p);
    return p->label == q->label && p->item == q->item && p->start == q->start &&
           p->stride == q->stride;
}
