/* Which terms a tree is wrong about, where a sum shows that it is.
 *
 * The sums are those of mend_rounds.c: masks at the ends of paths that cancel at the top of their
 * clade, and beside these small terms of whole and half units, so that nearly every addition is a
 * tie and shows in the last place what was added before. What is due is the sum along the tree in
 * the arithmetic of the result. If a result is not what is due, then that is so for some of its
 * terms alone, too: with the others 0, ever fewer terms are asked about by halving, until none can
 * be left out. These are a handful, since three terms suffice to tell two binary trees from each
 * other. */
#include "reveal/discover/mend.h"

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

double accordi_mend_due(const accordi_mending *m, const double *x)
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
    return result != accordi_mend_due(m, x);
}

/* ---- fewer terms ---- */

/* Items that are kept are number 0. Not more than so many are kept together. */
enum { KEPT = 0, MOST_ITEMS = 24 };

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
