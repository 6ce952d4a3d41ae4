/* Writes the rows of a round (node_rounds.c): a mask for each path, which ends at a node, halves of
 * a last place beside the paths, and a mask that cancels where a path has its top. */
#include "reveal/prove/round_rows.h"

/* Where few terms are not zero, they are kept beside the row, too. */
static void keep_term(accordi_round *r, size_t row, uint32_t leaf, double x, double y,
                      uint32_t term)
{
    const accordi_stratum *l = &r->at;
    size_t at = row * l->tree->leaves + leaf;
    accordi_set_number(l->x, r->dense.f32, at, x);
    if (l->y)
        accordi_set_number(l->y, r->dense.f32, at, y);
    l->placed[at] = term;
}

/* A number below `bound`, each with the same probability: Lemire, Fast random integer generation in
 * an interval, 2019. */
static uint32_t draw_below(accordi_drawer *d, uint32_t bound)
{
    uint64_t product = (accordi_rng_next(&d->rng) >> 32) * bound;
    if ((uint32_t)product < bound)
        for (uint32_t least = (0 - bound) % bound; (uint32_t)product < least;)
            product = (accordi_rng_next(&d->rng) >> 32) * bound;
    return (uint32_t)(product >> 32);
}

static uint32_t draw_leaf(const accordi_layout *l, accordi_drawer *d, uint32_t node)
{
    if (node < l->tree->leaves)
        return node;
    uint32_t k = node - l->tree->leaves;
    return l->leaf[l->start[k] + draw_below(d, l->size[k])];
}

/* A random leaf under a node becomes `value`; of a product a little more or less. */
static void put_round_term(accordi_round *r, size_t row, uint32_t node, double value, bool whole)
{
    accordi_drawer *d = &r->drawer[row];
    const uint32_t *under = r->at.reduced.under;
    uint32_t leaf = draw_leaf(&r->layout, d, under ? under[node] : node);
    double x = value, y = 1;
    bool start = r->asker->target->has_start && leaf == r->asker->n - 1;
    if (r->asker->term == ACCORD_TERM_PRODUCT && !whole && !start && r->more == 0) {
        const double *factor = r->factor[accordi_round_coin(d)];
        x = value * factor[0];
        y = factor[1];
    }
    accordi_dense_put(&r->dense, row, leaf, x, y);
    if (under)
        keep_term(r, row, node, x, y, leaf);
}

/* With a little more than halves, no sum of a path depends on whether the one before was even: a
 * coin chooses that. */
static double draw_half(const accordi_round *r, accordi_drawer *d, int bits)
{
    double even = bits ? 4.0 * (double)(accordi_rng_next(&d->rng) >> (64 - bits)) : 0;
    if (r->more != 0 && accordi_round_coin(d))
        even += 2;
    return (accordi_round_coin(d) ? 1 : -1) * (even / 2 * r->unit + r->half);
}

/* Node k, at which a path ends, and where its mask cancels if this is the top of the path, too. */
static void put_end(accordi_round *r, size_t row, uint32_t k, double mask, int bits)
{
    accordi_drawer *d = &r->drawer[row];
    const uint32_t *child = r->at.tree->child + r->at.tree->first[k];
    bool down = accordi_round_coin(d), last = r->at.tree->leaves + k == r->top;
    double m = r->sign[child[down]] * mask;
    put_round_term(r, row, child[down], m, true);
    put_round_term(r, row, child[!down], last ? -m : draw_half(r, d, bits), last);
}

/* The child beside the path at its top, where its mask cancels; NO_NODE: there is none. */
static uint32_t put_top(accordi_round *r, size_t row, double mask)
{
    const accord_tree *tree = r->at.tree;
    int down =
        r->top == ACCORD_TREE_NO_NODE ? -1 : accordi_round_way_down(r, r->top - tree->leaves);
    if (down < 0)
        return ACCORD_TREE_NO_NODE;
    const uint32_t *child = tree->child + tree->first[r->top - tree->leaves];
    put_round_term(r, row, child[!down], -r->sign[child[down]] * mask, true);
    return child[!down];
}

/* All terms of a row become what a side is that is a term: half a unit of either sign. Two coins a
 * term choose it, so that eight choose four terms. */
#define DRAW_TERMS(name, T)                                                                        \
    static void name(accordi_round *r, size_t row)                                                 \
    {                                                                                              \
        enum { FOUR = 4 * sizeof(T), EIGHT = 8 };                                                  \
        const size_t n = r->asker->n, whole = n / 4;                                               \
        const accordi_fours *x = r->fours, *y = x + 1;                                             \
        T *first = accordi_dense_first(&r->dense, row),                                            \
          *second = accordi_dense_second(&r->dense, row);                                          \
        uint64_t coins = 0;                                                                        \
        for (size_t i = 0; i <= whole; i++, coins >>= EIGHT) {                                     \
            if (i % EIGHT == 0)                                                                    \
                coins = accordi_rng_next(&r->drawer[row].rng);                                     \
            const T *some = x->T##s[(uint8_t)coins], *others = y->T##s[(uint8_t)coins];            \
            if (i < whole) {                                                                       \
                memcpy(first + 4 * i, some, FOUR);                                                 \
                if (second)                                                                        \
                    memcpy(second + 4 * i, others, FOUR);                                          \
            } else {                                                                               \
                memcpy(first + 4 * i, some, n % 4 * sizeof(T));                                    \
                if (second)                                                                        \
                    memcpy(second + 4 * i, others, n % 4 * sizeof(T));                             \
            }                                                                                      \
        }                                                                                          \
    }
DRAW_TERMS(draw_floats, float)
DRAW_TERMS(draw_doubles, double)

void accordi_round_list_fours(accordi_round *r)
{
    const bool products = r->asker->term == ACCORD_TERM_PRODUCT && r->more == 0;
    const double half = r->half;
    double term[2][4];
    for (unsigned i = 0; i < 4; i++) {
        const double *factor = r->factor[i / 2];
        term[0][i] = (i % 2 ? half : -half) * (products ? factor[0] : 1);
        term[1][i] = products ? factor[1] : 1;
    }
    for (unsigned which = 0; which < 2; which++)
        for (unsigned coins = 0; coins < 256; coins++)
            for (unsigned k = 0; k < 4; k++)
                if (r->dense.f32)
                    r->fours[which].floats[coins][k] = (float)term[which][coins >> 2 * k & 3];
                else
                    r->fours[which].doubles[coins][k] = term[which][coins >> 2 * k & 3];
}

/* The whole row: sides that are terms themselves, as most are on the first level, and zeros. */
static void put_terms(accordi_round *r, size_t row)
{
    const accordi_asker *asker = r->asker;
    uint32_t last = (uint32_t)asker->n - 1;
    if (r->terms == 0) {
        accordi_dense_fill(&r->dense, row, 0);
        return;
    }
    if (r->dense.f32)
        draw_floats(r, row);
    else
        draw_doubles(r, row);
    for (uint32_t i = 0; i < r->blanks; i++)
        accordi_dense_put(&r->dense, row, r->blank[i], 0, 1);
    if (asker->target->has_start && r->side[r->terms - 1] == last)
        put_round_term(r, row, last, accordi_round_coin(&r->drawer[row]) ? r->half : -r->half,
                       false);
}

void accordi_round_fill_row(void *context, size_t row, int worker)
{
    accordi_round *r = context;
    accordi_drawer *d = &r->drawer[row];
    int bits = accordi_round_coin(d) ? r->odd_bits : 0;
    bool whole = !r->at.reduced.under;
    (void)worker;
    if (whole)
        put_terms(r, row);
    double mask = accordi_round_coin(d) ? r->mask : -r->mask;
    for (uint32_t i = 0; i < r->paths; i++)
        put_end(r, row, r->node[i], mask, bits);
    uint32_t done = put_top(r, row, mask);
    const double half[2] = {-r->half, r->half};
    for (uint32_t i = whole ? r->terms : 0; i < r->sides; i++)
        if (r->side[i] != done)
            put_round_term(r, row, r->side[i], half[accordi_round_coin(d)], false);
}

void accordi_round_clear_rows(accordi_round *r)
{
    const accordi_stratum *l = &r->at;
    const accordi_dense *d = &r->dense;
    bool start = r->asker->target->has_start;
    for (size_t row = 0; row < d->rows; row++) {
        for (size_t i = 0; i < l->tree->leaves; i++)
            accordi_dense_put(d, row, l->placed[row * l->tree->leaves + i], 0, 1);
        if (start)
            accordi_dense_put(d, row, r->asker->n - 1, 0, 1);
    }
}
