/* Orders that are trees: each maker links the n leaves into inner nodes, in any numbering; the
 * canonical form is made at the end. Nothing recurs: ranges wait on a stack of their own. */
#include "pattern/orders.h"

/* from, from + step, … : count leaves added one after the other. */
static uint32_t stride(accordi_order *order, size_t from, size_t step, size_t count)
{
    uint32_t sum = (uint32_t)from;
    for (size_t i = 1; i < count; i++)
        sum = accordi_builder_join(&order->tree, sum, (uint32_t)(from + i * step));
    return sum;
}

/* Neighbors are joined, level by level; an odd one at the end waits for the next level. */
static uint32_t neighbors(accordi_order *order, uint32_t *nodes, size_t count)
{
    while (count > 1) {
        size_t half = count / 2;
        for (size_t i = 0; i < half; i++)
            nodes[i] = accordi_builder_join(&order->tree, nodes[2 * i], nodes[2 * i + 1]);
        if (count % 2)
            nodes[half] = nodes[count - 1];
        count -= half;
    }
    return nodes[0];
}

/* The upper half is added onto the lower one: i and i + ceil(count/2). */
static uint32_t halves(accordi_order *order, uint32_t *nodes, size_t count)
{
    while (count > 1) {
        size_t half = count - count / 2;
        for (size_t i = 0; i + half < count; i++)
            nodes[i] = accordi_builder_join(&order->tree, nodes[i], nodes[i + half]);
        count = half;
    }
    return nodes[0];
}

void accordi_order_adjacent(accordi_order *order)
{
    for (size_t i = 0; i < order->n; i++)
        order->scratch[i] = (uint32_t)i;
    neighbors(order, order->scratch, order->n);
}

void accordi_order_lanes(accordi_order *order)
{
    size_t n = order->n;
    size_t lanes = order->parameter < n ? order->parameter : n;
    uint32_t *lane = order->scratch;
    for (size_t l = 0; l < lanes; l++)
        lane[l] = stride(order, l, lanes, (n - l + lanes - 1) / lanes);
    if (strcmp(order->fold, "sequential") == 0)
        accordi_builder_chain(&order->tree, lane, lanes);
    else if (strcmp(order->fold, "pairwise") == 0)
        neighbors(order, lane, lanes);
    else
        halves(order, lane, lanes);
}

void accordi_order_blocks(accordi_order *order)
{
    size_t n = order->n, size = order->parameter, blocks = 0;
    for (size_t from = 0; from < n; from += size)
        order->scratch[blocks++] = stride(order, from, 1, n - from < size ? n - from : size);
    accordi_builder_chain(&order->tree, order->scratch, blocks);
}

/* A range of leaves (or of places in a permutation) whose node still lacks its parts. */
typedef struct range {
    size_t from, count;
    uint32_t above; /* the node that its root hangs from */
} range;

/* The greater part waits while the smaller one is cut on: what is cut on is halved at least each
 * time something comes to wait, so that 64 places are enough whatever the cuts are. */
void accordi_order_divide(accordi_order *order, accordi_order_cut *where,
                          accordi_order_piece *build)
{
    range stack[72];
    size_t waiting = 0;
    range now = {0, order->n, ACCORD_TREE_NO_NODE};
    for (;;) {
        size_t first = where(order, now.count);
        if (first == 0) {
            order->tree.parent[build(order, now.from, now.count)] = now.above;
            if (waiting == 0)
                return;
            now = stack[--waiting];
            continue;
        }
        uint32_t node = accordi_builder_node(&order->tree);
        order->tree.parent[node] = now.above;
        range a = {now.from, first, node}, b = {now.from + first, now.count - first, node};
        stack[waiting++] = a.count < b.count ? b : a;
        now = a.count < b.count ? a : b;
    }
}

size_t accordi_order_cut_halves(accordi_order *order, size_t count)
{
    (void)order;
    return count / 2;
}

size_t accordi_order_cut_halves_up(accordi_order *order, size_t count)
{
    (void)order;
    return count > 1 ? count - count / 2 : 0;
}

size_t accordi_order_cut_last(accordi_order *order, size_t count)
{
    (void)order;
    return count - 1;
}

size_t accordi_order_cut_first(accordi_order *order, size_t count)
{
    (void)order;
    return count > 1;
}

size_t accordi_order_cut_numpy(accordi_order *order, size_t count)
{
    (void)order;
    return count > 128 ? count / 2 - count / 2 % 8 : 0;
}

void accordi_order_parting(accordi_order_cut *where, size_t n, size_t a, size_t b, size_t *from,
                           size_t *count)
{
    *from = 0;
    *count = n;
    for (size_t first; (first = where(NULL, *count)) > 0;) {
        size_t border = *from + first;
        if ((a < border) != (b < border))
            return;
        *count = a < border ? first : *count - first;
        *from = a < border ? *from : border;
    }
}

static uint32_t leaf(accordi_order *order, size_t from, size_t count)
{
    (void)order;
    (void)count;
    return (uint32_t)from;
}

void accordi_order_sequential(accordi_order *order)
{
    accordi_order_divide(order, accordi_order_cut_last, leaf);
}

void accordi_order_reverse(accordi_order *order)
{
    accordi_order_divide(order, accordi_order_cut_first, leaf);
}

void accordi_order_pairwise(accordi_order *order)
{
    accordi_order_divide(order, accordi_order_cut_halves, leaf);
}

void accordi_order_pairwise_up(accordi_order *order)
{
    accordi_order_divide(order, accordi_order_cut_halves_up, leaf);
}

/* Eight lanes over the whole eights, folded by neighbors, then the rest one by one. */
static uint32_t block_numpy(accordi_order *order, size_t from, size_t count)
{
    if (count < 8)
        return stride(order, from, 1, count);
    uint32_t lane[8];
    for (size_t l = 0; l < 8; l++)
        lane[l] = stride(order, from + l, 8, count / 8);
    uint32_t sum = neighbors(order, lane, 8);
    for (size_t i = count - count % 8; i < count; i++)
        sum = accordi_builder_join(&order->tree, sum, (uint32_t)(from + i));
    return sum;
}

void accordi_order_numpy(accordi_order *order)
{
    accordi_order_divide(order, accordi_order_cut_numpy, block_numpy);
}

void accordi_order_star(accordi_order *order)
{
    for (size_t i = 0; i < order->n; i++)
        order->scratch[i] = (uint32_t)i;
    accordi_builder_join_all(&order->tree, order->scratch, order->n);
}

/* The sum so far and `parameter` terms more make one node; the first has no sum so far. */
void accordi_order_fused(accordi_order *order)
{
    uint32_t *part = order->scratch;
    size_t held = 0;
    for (size_t i = 0; i < order->n;) {
        size_t take = order->n - i < order->parameter ? order->n - i : order->parameter;
        for (size_t k = 0; k < take; k++)
            part[held++] = (uint32_t)i++;
        part[0] = accordi_builder_join_all(&order->tree, part, held);
        held = 1;
    }
}

enum accord_status accordi_order_build(accordi_order *order, accordi_order_maker *maker,
                                       accord_tree **out, accord_error *error)
{
    size_t n = order->n;
    enum accord_status status = accordi_builder_init(&order->tree, n, error);
    order->scratch = accordi_alloc(4 * n, sizeof *order->scratch);
    if (!status && !order->scratch)
        status = accordi_nomem(error);
    if (!status) {
        maker(order);
        status = accordi_builder_finish(&order->tree, out, error);
    }
    free(order->tree.parent);
    free(order->scratch);
    return status;
}

enum accord_status accordi_order_make(accordi_order_maker *maker, size_t n, size_t parameter,
                                      const char *fold, accordi_rng *rng, accord_tree **out,
                                      accord_error *error)
{
    accordi_order order = {
        .n = n, .parameter = parameter, .fold = fold ? fold : "halves", .rng = rng};
    return accordi_order_build(&order, maker, out, error);
}
