/* The orders in which collective operations add what the ranks of a program have: term i is that of
 * rank i. The algorithms are those of MPI libraries (Thakur, Rabenseifner, Gropp, Optimization of
 * collective communication operations in MPICH, 2005; Open MPI's coll/base; MPICH's release-gather
 * trees) and of NCCL. */
#include "pattern/orders.h"

static size_t power_up_to(size_t n)
{
    size_t power = 1;
    while (power <= n / 2)
        power *= 2;
    return power;
}

/* The first ranks meet in pairs, so that a power of two of them is left. Returns how many. */
static size_t fold_to_power(accordi_order *order, uint32_t *nodes, size_t count)
{
    size_t left = power_up_to(count), pairs = count - left;
    for (size_t i = 0; i < pairs; i++)
        nodes[i] = accordi_builder_join(&order->tree, nodes[2 * i], nodes[2 * i + 1]);
    for (size_t i = pairs; i < left; i++)
        nodes[i] = nodes[i + pairs];
    return left;
}

/* Each rank meets the one at distance 1, then 2, 4, … */
static uint32_t double_distances(accordi_order *order, uint32_t *nodes, size_t count)
{
    for (size_t left = fold_to_power(order, nodes, count); left > 1; left /= 2)
        for (size_t i = 0; i < left / 2; i++)
            nodes[i] = accordi_builder_join(&order->tree, nodes[2 * i], nodes[2 * i + 1]);
    return nodes[0];
}

static uint32_t *all_ranks(accordi_order *order)
{
    for (size_t i = 0; i < order->n; i++)
        order->scratch[i] = (uint32_t)i;
    return order->scratch;
}

void accordi_order_recursive_doubling(accordi_order *order)
{
    double_distances(order, all_ranks(order), order->n);
}

/* The greatest distance first. */
void accordi_order_recursive_halving(accordi_order *order)
{
    uint32_t *nodes = all_ranks(order);
    for (size_t half = fold_to_power(order, nodes, order->n) / 2; half; half /= 2)
        for (size_t i = 0; i < half; i++)
            nodes[i] = accordi_builder_join(&order->tree, nodes[i], nodes[i + half]);
}

/* From rank `parameter` on, upward or downward, once around. */
static void around(accordi_order *order, size_t step)
{
    size_t n = order->n, rank = order->parameter % n;
    uint32_t sum = (uint32_t)rank;
    for (size_t i = 1; i < n; i++) {
        rank = (rank + step) % n;
        sum = accordi_builder_join(&order->tree, sum, (uint32_t)rank);
    }
}

void accordi_order_ring(accordi_order *order)
{
    around(order, 1);
}

void accordi_order_ring_down(accordi_order *order)
{
    around(order, order->n - 1);
}

/* from + (from + 1 + ( … )) */
static uint32_t pass_down(accordi_order *order, size_t from, size_t count)
{
    uint32_t sum = (uint32_t)(from + count - 1);
    for (size_t i = count - 1; i-- > 0;)
        sum = accordi_builder_join(&order->tree, (uint32_t)(from + i), sum);
    return sum;
}

/* Rank 0 takes from the heads of `parameter` chains of the others, the longer ones first. */
void accordi_order_chain(accordi_order *order)
{
    size_t others = order->n - 1, chains = order->parameter < others ? order->parameter : others;
    uint32_t sum = 0;
    for (size_t c = 0, from = 1; c < chains; c++) {
        size_t count = others / chains + (c < others % chains);
        sum = accordi_builder_join(&order->tree, sum, pass_down(order, from, count));
        from += count;
    }
}

/* A rank adds to its own what its children have, in their order. Children have greater numbers. */
typedef size_t child_of(const accordi_order *order, size_t rank, size_t i); /* n or more: none */

static void up_the_tree(accordi_order *order, child_of *child)
{
    uint32_t *nodes = all_ranks(order);
    for (size_t rank = order->n; rank-- > 0;)
        for (size_t i = 0, c; (c = child(order, rank, i)) < order->n; i++)
            nodes[rank] = accordi_builder_join(&order->tree, nodes[rank], nodes[c]);
}

static size_t child_of_binary(const accordi_order *order, size_t rank, size_t i)
{
    return i < 2 ? rank + (power_up_to(rank + 1) << i) : order->n;
}

/* With k = `parameter`, rank 0 takes from ranks 1 to k - 1, then from k, 2 k, … to k (k - 1), and
 * so on; a rank below does likewise inside the ranks that it stands for. */
static size_t child_of_k_nomial(const accordi_order *order, size_t rank, size_t i)
{
    size_t radix = order->parameter > 2 ? order->parameter : 2, distance = 1;
    for (; i >= radix - 1 && distance < order->n; i -= radix - 1)
        distance *= radix;
    bool divides = distance < order->n && rank % (radix * distance) == 0;
    return divides ? rank + (i + 1) * distance : order->n;
}

static size_t child_of_k_ary(const accordi_order *order, size_t rank, size_t i)
{
    return i < order->parameter ? order->parameter * rank + i + 1 : order->n;
}

void accordi_order_binary(accordi_order *order)
{
    up_the_tree(order, child_of_binary);
}

void accordi_order_k_nomial(accordi_order *order)
{
    up_the_tree(order, child_of_k_nomial);
}

void accordi_order_binomial(accordi_order *order)
{
    order->parameter = 2;
    accordi_order_k_nomial(order);
}

void accordi_order_k_ary(accordi_order *order)
{
    up_the_tree(order, child_of_k_ary);
}

/* The last rank has two halves below it, and stays in order: the lower half, and the upper one with
 * its own. Calls itself log2 of count times deep. */
static uint32_t in_order(accordi_order *order, size_t from, size_t count)
{
    size_t lower = count > 2 ? count / 2 : 0, upper = count - lower - 1;
    uint32_t sum = (uint32_t)(from + count - 1);
    if (upper)
        sum = accordi_builder_join(&order->tree, in_order(order, from + lower, upper), sum);
    if (lower)
        sum = accordi_builder_join(&order->tree, in_order(order, from, lower), sum);
    return sum;
}

void accordi_order_in_order_binary(accordi_order *order)
{
    in_order(order, 0, order->n);
}

/* Recursive doubling inside each node of a cluster, then over the nodes. The ranks of a node are
 * `step` apart. */
static uint32_t in_node(accordi_order *order, size_t first, size_t step, size_t count)
{
    uint32_t *inside = order->scratch;
    for (size_t i = 0; i < count; i++)
        inside[i] = (uint32_t)(first + i * step);
    return double_distances(order, inside, count);
}

void accordi_order_hierarchical(accordi_order *order)
{
    size_t n = order->n, each = order->parameter, nodes = 0;
    uint32_t *over = order->scratch + n;
    for (size_t first = 0; first < n; first += each)
        over[nodes++] = in_node(order, first, 1, n - first < each ? n - first : each);
    double_distances(order, over, nodes);
}

void accordi_order_hierarchical_cyclic(accordi_order *order)
{
    size_t n = order->n, nodes = order->parameter < n ? order->parameter : n;
    uint32_t *over = order->scratch + n;
    for (size_t node = 0; node < nodes; node++)
        over[node] = in_node(order, node, nodes, (n - node + nodes - 1) / nodes);
    double_distances(order, over, nodes);
}

/* NCCL's tree over nodes with one rank each. Place p > 0 whose lowest bit is b has b / 2 below and
 * above it, or above it the next smaller distance that exists; place 0 has the middle. A rank adds
 * the lower child's first. */
static void nccl_tree(accordi_order *order, size_t (*rank_at)(size_t place, size_t n))
{
    size_t n = order->n, top = 1;
    uint32_t *nodes = order->scratch;
    for (size_t place = 0; place < n; place++)
        nodes[place] = (uint32_t)rank_at(place, n);
    for (size_t bit = 2; bit < n; bit *= 2)
        for (size_t place = bit; place < n; place += 2 * bit) {
            size_t above = bit / 2;
            nodes[place] = accordi_builder_join(&order->tree, nodes[place], nodes[place - bit / 2]);
            while (above && place + above >= n)
                above /= 2;
            if (above)
                nodes[place] =
                    accordi_builder_join(&order->tree, nodes[place], nodes[place + above]);
        }
    while (top < n)
        top *= 2;
    if (n > 1)
        accordi_builder_join(&order->tree, nodes[0], nodes[top / 2]);
}

static size_t same_rank(size_t place, size_t n)
{
    (void)n;
    return place;
}

static size_t other_rank(size_t place, size_t n)
{
    return n % 2 ? (place + 1) % n : n - 1 - place;
}

void accordi_order_nccl_tree(accordi_order *order)
{
    nccl_tree(order, same_rank);
}

void accordi_order_nccl_second_tree(accordi_order *order)
{
    nccl_tree(order, other_rank);
}
