/* Sums that are ties: which show that a tree is wrong, and which terms they are wrong about.
 *
 * The sums are those of the proof of the whole order (prove/order_rounds.c), here of the rest of a
 * tree alone: masks at the ends of paths that cancel at the top of their clade, and beside these
 * small terms of whole and half units, so that nearly every addition is a tie and shows in the
 * last place what was added before. What is due is the sum along the tree in the arithmetic of the
 * result. If a result is not what is due, then that is so for some of its terms alone, too: with
 * the others 0, ever fewer terms are asked about by halving, until none can be left out. These are
 * a handful, since three terms suffice to tell two binary trees from each other. */
#include "reveal/discover/mend.h"
#include "reveal/prove/order_levels.h"

bool accordi_mend_suits(accordi_mending *m)
{
    const accordi_asker *asker = m->asker;
    int precision = accord_format_get(asker->target->output)->precision, unit;
    bool plain = (asker->term == ACCORD_TERM_VALUE || asker->term == ACCORD_TERM_PRODUCT) &&
                 asker->sign == 1 && asker->scale == 1 && !asker->terms && !asker->factors;
    if (!plain || accord_format_get(asker->format)->precision < precision ||
        !accordi_ask_tie_unit(asker, precision, &unit))
        return false;
    m->unit = ldexp(1, unit);
    m->mask = ldexp(3, precision - 2 + unit);
    return true;
}

/* ---- a sum ---- */

/* The sum along the tree of the rest, with those of its inner nodes at `sum`. */
#define DUE(name, T, ADD)                                                                          \
    static double name(const accordi_mending *m, const double *x, T *sum)                          \
    {                                                                                              \
        const accord_tree *tree = m->rest;                                                         \
        uint32_t n = tree->leaves;                                                                 \
        for (uint32_t k = 0; k < tree->inner; k++) {                                               \
            const uint32_t *child = tree->child + tree->first[k];                                  \
            T a = child[0] < n ? (T)x[child[0]] : sum[child[0] - n];                               \
            T b = child[1] < n ? (T)x[child[1]] : sum[child[1] - n];                               \
            sum[k] = ADD;                                                                          \
        }                                                                                          \
        return sum[tree->inner - 1];                                                               \
    }
DUE(due_f32, float, a + b)
DUE(due_f64, double, a + b)
DUE(due_other, double, accord_format_add(m->asker->target->output, ACCORD_NEAREST_EVEN, a, b))

static double due(const accordi_mending *m, const double *x)
{
    enum accord_format format = m->asker->target->output;
    return format == ACCORD_F32   ? due_f32(m, x, (float *)(void *)m->sum)
           : format == ACCORD_F64 ? due_f64(m, x, m->sum)
                                  : due_other(m, x, m->sum);
}

static bool is_wrong(accordi_mending *m, const double *x)
{
    accordi_asker *asker = m->asker;
    double result = 0;
    accordi_ask_begin(asker, 0);
    accordi_ask_nonzero(asker, m->terms, x, m->rest->leaves);
    accordi_ask_end(asker);
    if (asker->status || !accordi_ask_goes_on(asker, 1) || accordi_ask_once(asker, &result))
        return false;
    return result != due(m, x);
}

/* ---- a round ---- */

#define TOP_BIT ((uint64_t)1 << 63)

static void put_term(accordi_mending *m, uint32_t leaf, double value, uint32_t clade)
{
    m->x[leaf] = value;
    m->place[m->places] = leaf;
    m->item[m->places] = clade;
    m->places += value != 0;
}

/* The clades of a level are items 1, 2, … */
static void draw_level(accordi_mending *m, const accordi_order_levels *l, uint32_t level)
{
    const double half = m->unit / 2, odd[4] = {0, 0, m->unit, -m->unit};
    const double noise[8] = {0, 0, half, half, -half, -half, m->unit, -m->unit};
    accordi_rng *rng = &m->asker->rng;
    uint64_t bits = 1;
    memset(m->x, 0, m->rest->leaves * sizeof *m->x);
    m->places = 0;
    for (uint32_t i = l->arm_of[level]; i < l->arm_of[level + 1]; i++) {
        const accordi_arm *arm = &l->arm[i];
        uint32_t clade = 1 + (i - l->arm_of[level]) / 2;
        double mask = i % 2 ? -m->mask : m->mask;
        put_term(m, arm->bottom, mask + odd[accordi_rng_below(rng, 4)], clade);
        for (uint32_t j = arm->first; j < arm->first + arm->blocks; j++)
            for (uint32_t k = 0; k < l->block[j].size; k++, bits >>= 3) {
                bits = bits < 8 ? accordi_rng_next(rng) | TOP_BIT : bits;
                put_term(m, l->layout->leaf[l->block[j].at + k], noise[bits & 7], clade);
            }
        m->items = clade;
    }
}

/* Not fewer rounds than that, however many levels each has. */
enum { LEAST_ROUNDS = 8 };
/* Kept together. */
enum { MOST_ITEMS = 24 };

enum accord_status accordi_mend_test(accordi_mending *m, uint32_t rows, bool *wrong)
{
    accordi_layout layout;
    accordi_order_levels levels;
    *wrong = false;
    if (m->rest->leaves < 3 || accordi_layout_plain(m->asker, m->rest, &layout))
        return m->asker->status;
    const uint32_t root = m->rest->leaves + m->rest->inner - 1;
    if (!accordi_order_levels_init(m->asker, &layout, &root, 1, &levels)) {
        uint32_t rounds = 1 + rows / levels.levels;
        rounds = rounds < LEAST_ROUNDS ? LEAST_ROUNDS : rounds;
        for (uint32_t round = 0; round < rounds && !*wrong; round++)
            for (uint32_t level = 0; level < levels.levels && !*wrong && !m->asker->status;
                 level++) {
                draw_level(m, &levels, level);
                *wrong = is_wrong(m, m->x);
            }
        accordi_order_levels_clear(&levels);
    }
    accordi_layout_clear(&layout);
    return m->asker->status;
}

/* ---- fewer terms ---- */

enum { KEPT = 0 };

/* Is the sum wrong of what is kept and the first `count` items? */
static bool is_wrong_of(accordi_mending *m, uint32_t count)
{
    memset(m->kept, 0, m->rest->leaves * sizeof *m->kept);
    for (uint32_t i = 0; i < m->places; i++)
        if (m->item[i] <= count)
            m->kept[m->place[i]] = m->x[m->place[i]];
    return is_wrong(m, m->kept);
}

/* Keeps a few of the items, each time the last of as few as possible, so that the sum of what is
 * kept is wrong. False if it would have to be many. */
static bool keep_few(accordi_mending *m)
{
    uint32_t found = 0, count = m->items;
    while (count > 0 && !is_wrong_of(m, KEPT)) {
        uint32_t low = 0, high = count; /* of so few items the sum is right, of so many wrong */
        if (found++ == MOST_ITEMS || m->asker->status)
            return false;
        while (low + 1 < high && !m->asker->status) {
            uint32_t middle = low + (high - low) / 2;
            *(is_wrong_of(m, middle) ? &high : &low) = middle;
        }
        for (uint32_t i = 0; i < m->places; i++)
            m->item[i] = m->item[i] == high ? KEPT : m->item[i];
        count = high - 1;
    }
    return !m->asker->status;
}

/* What is not kept goes; of the rest each term but the masks becomes an item. */
static void take_terms(accordi_mending *m)
{
    uint32_t places = 0;
    m->items = 0;
    for (uint32_t i = 0; i < m->places; i++) {
        if (m->item[i] != KEPT)
            continue;
        bool mask = fabs(m->x[m->place[i]]) > m->mask / 2;
        m->item[places] = mask ? KEPT : ++m->items;
        m->place[places++] = m->place[i];
    }
    m->places = places;
}

static int by_leaf(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

uint32_t accordi_mend_shrink(accordi_mending *m, uint32_t suspect[ACCORDI_SUSPECTS])
{
    uint32_t found = 0;
    if (!keep_few(m)) /* clades */
        return 0;
    take_terms(m);
    if (!keep_few(m))
        return 0;
    for (uint32_t i = 0; i < m->places; i++) {
        if (m->item[i] != KEPT)
            continue;
        if (found == ACCORDI_SUSPECTS)
            return 0;
        suspect[found++] = m->place[i];
    }
    qsort(suspect, found, sizeof *suspect, by_leaf);
    return found;
}
