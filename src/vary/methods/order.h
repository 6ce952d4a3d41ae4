/* The order of the additions of a block, and of the last stages: the one description of all methods
 * whose values are then numbers (sums.c) or nodes of a tree (trees.c). A template: the includer
 * defines
 *   VALUE           the type of a sum
 *   SOURCE          what terms or parts come from
 *   ZERO            the sum of no terms
 *   TAKE(source, i) term or part i
 *   ADD(source, a, b) their sum
 * and gets order_block, order_shuffle and order_chain. */
#ifndef VALUE
#error "define VALUE, SOURCE, ZERO, TAKE and ADD first"
#endif

/* Threads 0 ... count-1 add terms from, from + 1, .... */
static void order_add(SOURCE source, VALUE *thread, size_t from, size_t end, size_t block)
{
    size_t count = from >= end ? 0 : end - from < block ? end - from : block;
    for (size_t t = 0; t < count; t++)
        thread[t] = ADD(source, thread[t], TAKE(source, from + t));
}

/* Threads below `from` add what the threads `offset` further on have. */
static void order_halve(SOURCE source, VALUE *thread, size_t from, size_t least)
{
    for (size_t offset = from / 2; offset >= least; offset /= 2)
        for (size_t t = 0; t < offset; t++)
            thread[t] = ADD(source, thread[t], thread[t + offset]);
}

/* What the threads of block b of `grid` have before they add to each other. */
static void order_threads(SOURCE source, VALUE *thread, size_t n, size_t block, size_t grid,
                          size_t b)
{
    for (size_t t = 0; t < block; t++)
        thread[t] = ZERO;
    for (size_t from = 2 * block * b; from < n; from += 2 * block * grid) {
        order_add(source, thread, from, n, block);
        order_add(source, thread, from + block, n, block);
    }
}

static VALUE order_block(SOURCE source, size_t n, size_t block, size_t grid, size_t b)
{
    VALUE thread[ACCORDI_MOST_BLOCK];
    order_threads(source, thread, n, block, grid, b);
    order_halve(source, thread, block, 1);
    return thread[0];
}

/* One after the other, in the order of arrival, or as they are numbered. */
static VALUE order_chain(SOURCE source, size_t count, const uint32_t *arrival)
{
    VALUE sum = ZERO;
    for (size_t i = 0; i < count; i++)
        sum = ADD(source, sum, TAKE(source, arrival ? arrival[i] : i));
    return sum;
}
