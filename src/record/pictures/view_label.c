/* What a row of the view is called: "7", "0 + 8 + 16 + … + 1016 (128 terms)", "{0 … 15}",
 * "… 512 terms: 0 … 511". */
#include "record/pictures/view.h"

#define MOST_PARTS 5 /* of a sum that is written out */

/* Terms in the order in which they are added: the first part in one go, then part by part. */
typedef struct parts {
    uint32_t *terms, count; /* all */
    uint32_t head, each;    /* size of the first part, of the others */
} parts;

void accordi_count(accordi_buffer *out, int64_t value)
{
    char text[ACCORDI_GROUPED];
    accordi_put_count(text, value);
    accordi_buffer_puts(out, text);
}

static uint32_t copy_leaves(const accord_tree *tree, uint32_t k, uint32_t *to)
{
    uint32_t count = 0;
    for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++)
        if (tree->child[c] < tree->leaves)
            to[count++] = tree->child[c];
    return count;
}

static uint32_t inner_child(const accord_tree *tree, uint32_t k)
{
    uint32_t inner = ACCORD_TREE_NO_NODE;
    for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++)
        if (tree->child[c] >= tree->leaves)
            inner = tree->child[c];
    return inner;
}

/* The leaves of a run, last addition first, fill the array from its end. */
static void collect_run(const accord_tree *tree, const accordi_item *item, parts *p)
{
    uint32_t n = tree->leaves, at = p->count;
    for (uint32_t v = item->node; v != item->end; v = inner_child(tree, v - n)) {
        uint32_t k = v - n;
        p->each = tree->first[k + 1] - tree->first[k] - 1;
        at -= p->each;
        copy_leaves(tree, k, p->terms + at);
    }
    p->head = p->each;
    if (item->kind == ACCORDI_TURN)
        return;
    p->head = copy_leaves(tree, item->end - n, p->terms);
    if (p->head == 2 && p->each == 1)
        p->head = 1;
}

/* Inner nodes under k are numbered without a gap up to k: all their leaves, sorted if few. */
static void collect_subtree(const accord_tree *tree, uint32_t k, parts *p)
{
    uint32_t at = 0;
    for (uint32_t j = k + 1; at < p->count && j-- > 0;)
        at += copy_leaves(tree, j, p->terms + at);
    p->head = p->count;
    for (uint32_t i = 1; p->count <= 3 && i < p->count; i++)
        for (uint32_t j = i; j > 0 && p->terms[j - 1] > p->terms[j]; j--) {
            uint32_t swap = p->terms[j];
            p->terms[j] = p->terms[j - 1];
            p->terms[j - 1] = swap;
        }
}

/* The distance between neighbors if the terms, in any order, form an arithmetic progression;
 * 0 if not. */
static uint32_t set_step(const uint32_t *terms, uint32_t count, uint32_t *low, uint32_t *high)
{
    *low = *high = terms[0];
    for (uint32_t i = 1; i < count; i++) {
        *low = terms[i] < *low ? terms[i] : *low;
        *high = terms[i] > *high ? terms[i] : *high;
    }
    uint32_t span = *high - *low;
    if (count == 1)
        return 1;
    if (span % (count - 1) != 0)
        return 0;
    uint32_t step = span / (count - 1);
    for (uint32_t i = 0; i < count; i++)
        if ((terms[i] - *low) % step != 0)
            return 0;
    return step;
}

/* "0 … 15", "0, 8, … 1016", "3, 5, 11", "3, 4, … 90". */
static void put_set(accordi_buffer *out, const uint32_t *terms, uint32_t count, const char *dots)
{
    uint32_t low, high, step = set_step(terms, count, &low, &high);
    if (step == 1 && count > 3)
        accordi_buffer_printf(out, "%u %s %u", low, dots, high);
    else if (step > 0 && count > 3)
        accordi_buffer_printf(out, "%u, %u, %s %u", low, low + step, dots, high);
    else if (count > 3)
        accordi_buffer_printf(out, "between %u and %u", low, high);
    else
        for (uint32_t i = 0; i < count; i++)
            accordi_buffer_printf(out, i ? ", %u" : "%u", terms[i]);
}

static void put_part(accordi_buffer *out, const parts *p, uint32_t begin, uint32_t size,
                     const char *dots)
{
    if (size == 1) {
        accordi_buffer_printf(out, "%u", p->terms[begin]);
        return;
    }
    uint32_t low, high;
    accordi_buffer_puts(out, "{");
    if (size > 3 && set_step(p->terms + begin, size, &low, &high) == 0)
        accordi_buffer_printf(out, "%u terms ", size);
    put_set(out, p->terms + begin, size, dots);
    accordi_buffer_puts(out, "}");
}

/* An addition does not order its two terms, so they are exchanged if that makes a progression. */
static void turn_start(parts *p)
{
    if (p->head != 1 || p->each != 1 || p->count < 3)
        return;
    int64_t a = p->terms[0], b = p->terms[1], c = p->terms[2];
    if (c - b != b - a && c - a == a - b) {
        p->terms[0] = (uint32_t)b;
        p->terms[1] = (uint32_t)a;
    }
}

/* Do the parts after the first follow each other at a fixed distance, all alike? */
static bool is_regular(const parts *p)
{
    uint32_t from = p->head == p->each ? 0 : p->head, low, high;
    int64_t distance = 0, before = 0, shape = -1;
    for (uint32_t at = from; at < p->count; at += p->each) {
        uint32_t step = set_step(p->terms + at, p->each, &low, &high);
        if (step == 0 || (shape >= 0 && step != shape))
            return false;
        if (at == from + p->each)
            distance = (int64_t)low - before;
        else if (at > from && (int64_t)low - before != distance)
            return false;
        shape = step;
        before = low;
    }
    return true;
}

static void put_sum_label(accordi_buffer *out, const parts *p, const char *dots)
{
    uint32_t others = (p->count - p->head) / p->each, skipped = 0;
    put_part(out, p, 0, p->head, dots);
    for (uint32_t i = 0; i < others; i++) {
        if (others + 1 > MOST_PARTS && i >= 2 && i < others - 1) {
            if (skipped++ == 0)
                accordi_buffer_printf(out, " + %s", dots);
            continue;
        }
        accordi_buffer_puts(out, " + ");
        put_part(out, p, p->head + i * p->each, p->each, dots);
    }
    if (skipped > 0) {
        accordi_buffer_puts(out, " (");
        accordi_count(out, p->count);
        accordi_buffer_puts(out, is_regular(p) ? " terms)" : " terms, no regular order)");
    }
}

static void put_label(const accordi_item *item, parts *p, const char *dots, accordi_buffer *out)
{
    bool sum = item->kind == ACCORDI_TURN || (item->whole_run && p->head < p->count);
    if (sum) {
        accordi_buffer_puts(out, item->kind == ACCORDI_TURN ? "+ " : "");
        if (item->whole_run)
            turn_start(p);
        put_sum_label(out, p, dots);
    } else if (item->kind == ACCORDI_TERMS || item->whole_run) {
        put_part(out, p, 0, p->count, dots);
    } else {
        accordi_buffer_printf(out, "%s ", dots);
        accordi_count(out, p->count);
        accordi_buffer_puts(out, " terms: ");
        put_set(out, p->terms, p->count, dots);
    }
}

/* ", as 0 … 127": which subtree shows the order of this one. */
static enum accord_status put_like(const accordi_view *view, const accordi_item *model,
                                   const char *dots, accordi_buffer *out, accord_error *error)
{
    parts p = {accordi_alloc(model->size, sizeof(uint32_t)), model->size, model->size, 1};
    if (!p.terms)
        return accordi_nomem(error);
    collect_subtree(view->tree, model->node - view->tree->leaves, &p);
    accordi_buffer_puts(out, ", as ");
    put_set(out, p.terms, p.count, dots);
    free(p.terms);
    return ACCORD_OK;
}

enum accord_status accordi_view_label(const accordi_view *view, const accordi_item *item, bool utf8,
                                      accordi_buffer *out, accord_error *error)
{
    const accord_tree *tree = view->tree;
    if (item->kind == ACCORDI_TERM) {
        accordi_buffer_printf(out, "%u", item->node);
        return out->failed ? accordi_nomem(error) : ACCORD_OK;
    }
    parts p = {accordi_alloc(item->size, sizeof(uint32_t)), item->size, item->size, 1};
    if (!p.terms)
        return accordi_nomem(error);
    if (item->kind == ACCORDI_TERMS)
        copy_leaves(tree, item->node - tree->leaves, p.terms);
    else if (item->kind == ACCORDI_TURN || item->whole_run)
        collect_run(tree, item, &p);
    else
        collect_subtree(tree, item->node - tree->leaves, &p);
    const char *dots = utf8 ? "\xe2\x80\xa6" : "...";
    put_label(item, &p, dots, out);
    free(p.terms);
    const accordi_item *model = accordi_view_item(view, item->like);
    if (model != item && put_like(view, model, dots, out, error) != ACCORD_OK)
        return ACCORD_NOMEM;
    return out->failed ? accordi_nomem(error) : ACCORD_OK;
}
