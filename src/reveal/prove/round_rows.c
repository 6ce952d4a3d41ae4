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

/* A random leaf under a node becomes `value`; of a product a little more or less. */
static void put_round_term(accordi_round *r, size_t row, uint32_t node, double value, bool whole)
{
    accordi_drawer *d = &r->drawer[row];
    const uint32_t *under = r->at.reduced.under;
    uint32_t leaf = accordi_layout_draw(&d->rng, &r->layout, under ? under[node] : node);
    double x = value, y = 1;
    bool start = r->asker->target->has_start && leaf == r->asker->n - 1;
    if (r->asker->term == ACCORD_TERM_PRODUCT && !whole && !start) {
        const double *factor = r->factor[accordi_round_coin(d)];
        x = value * factor[0];
        y = factor[1];
    }
    accordi_dense_put(&r->dense, row, leaf, x, y);
    if (under)
        keep_term(r, row, node, x, y, leaf);
}

static double draw_half(accordi_drawer *d, double unit, int bits)
{
    double even = 4.0 * (double)accordi_rng_below(&d->rng, (uint64_t)1 << bits);
    return (accordi_round_coin(d) ? 1 : -1) * (even + 1) / 2 * unit;
}

/* Node k, at which a path ends, and where its mask cancels if this is the top of the path, too. */
static void put_end(accordi_round *r, size_t row, uint32_t k, double mask, int bits)
{
    accordi_drawer *d = &r->drawer[row];
    const uint32_t *child = r->at.tree->child + r->at.tree->first[k];
    bool down = accordi_round_coin(d), last = r->at.tree->leaves + k == r->top;
    double m = r->sign[child[down]] * mask;
    put_round_term(r, row, child[down], m, true);
    put_round_term(r, row, child[!down], last ? -m : draw_half(d, r->unit, bits), last);
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

/* Sides that are terms themselves, from side[i] on, in a whole row: half a unit of either sign.
 * Most sides of the first level are such terms. Returns the first side that is none of them. */
#define PUT_TERMS(name, T)                                                                         \
    static uint32_t name(accordi_round *r, size_t row, uint32_t done)                              \
    {                                                                                              \
        bool products = r->asker->term == ACCORD_TERM_PRODUCT;                                     \
        const double half = r->unit / 2, (*factor)[2] = r->factor;                                 \
        const T one = (T)half, more = (T)(half * factor[0][0]), less = (T)(half * factor[1][0]);   \
        const T x[4] = {products ? -more : -one, products ? more : one, -less, less};              \
        const T y[4] = {(T)factor[0][1], (T)factor[0][1], (T)factor[1][1], (T)factor[1][1]};       \
        T *first = accordi_dense_first(&r->dense, row),                                            \
          *second = accordi_dense_second(&r->dense, row);                                          \
        const unsigned among = products ? 3 : 1;                                                   \
        const uint32_t *side = r->side, terms = r->terms;                                          \
        accordi_drawer *d = &r->drawer[row];                                                       \
        for (uint32_t i = 0; i < terms;) {                                                         \
            uint64_t coins = accordi_rng_next(&d->rng);                                            \
            uint32_t end = terms - i < 32 ? terms : i + 32;                                        \
            for (; i < end; i++, coins >>= 2) {                                                    \
                unsigned which = (unsigned)coins & among;                                          \
                if (side[i] == done)                                                               \
                    continue;                                                                      \
                first[side[i]] = x[which];                                                         \
                if (products)                                                                      \
                    second[side[i]] = y[which];                                                    \
            }                                                                                      \
        }                                                                                          \
        return terms;                                                                              \
    }
PUT_TERMS(put_terms_f32, float)
PUT_TERMS(put_terms_f64, double)

void accordi_round_fill_row(void *context, size_t row, int worker)
{
    accordi_round *r = context;
    accordi_drawer *d = &r->drawer[row];
    int bits = accordi_round_coin(d) ? r->odd_bits : 0;
    (void)worker;
    if (!r->at.reduced.under)
        accordi_dense_fill(&r->dense, row, 0);
    double mask = accordi_round_coin(d) ? r->mask : -r->mask;
    for (uint32_t i = 0; i < r->paths; i++)
        put_end(r, row, r->node[i], mask, bits);
    uint32_t done = put_top(r, row, mask);
    const double half[2] = {-r->unit / 2, r->unit / 2};
    uint32_t i = 0;
    if (!r->at.reduced.under && !r->asker->target->has_start)
        i = r->dense.f32 ? put_terms_f32(r, row, done) : put_terms_f64(r, row, done);
    for (; i < r->sides; i++)
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
