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
#include "reveal/probes/dense_rows.h"

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

static double add(const accordi_mending *m, double a, double b)
{
    enum accord_format format = m->asker->target->output;
    return format == ACCORD_F64   ? a + b
           : format == ACCORD_F32 ? (float)(a + b) /* f64 holds enough of a sum of f32 */
                                  : accord_format_add(format, ACCORD_NEAREST_EVEN, a, b);
}

/* Goes on to the next term, or past it. Nodes are numbered from the leaves up, so clades that meet
 * below the node at which the next term comes are added first. */
static void go_on(accordi_mending *m, accordi_mend_sum *s, const accordi_mend_term *term, bool with)
{
    if (with) {
        if (!accordi_ask_grow(m->asker, (void **)&s->clade, &s->room, s->clades + 1,
                              sizeof *s->clade))
            return;
        s->clade[s->clades++] = (struct accordi_mend_clade){term->value, s->above};
        s->above = 0;
    }
    s->above = term->above > s->above ? term->above : s->above;
    for (; s->clades > 1 && s->clade[s->clades - 1].above < s->above; s->clades--) {
        struct accordi_mend_clade *two = &s->clade[s->clades - 2];
        two[0].sum = add(m, two[0].sum, two[1].sum);
    }
}

static void begin(accordi_mending *m)
{
    m->first = m->begun.above = 0;
    m->begun.clades = 0;
}

/* The terms up to those of an item are summed once and for all: they stay what they are. */
static void begin_with(accordi_mending *m, uint32_t item)
{
    for (; m->first < m->held && m->term[m->first].item <= item; m->first++)
        go_on(m, &m->begun, &m->term[m->first], true);
}

/* Terms that are 0 change no sum along a tree, so those that are held are added alone. */
double accordi_mend_due(accordi_mending *m, uint32_t items)
{
    accordi_mend_sum *s = &m->sum;
    if (!accordi_ask_grow(m->asker, (void **)&s->clade, &s->room, m->begun.clades + 1,
                          sizeof *s->clade))
        return 0;
    if (m->begun.clades > 0)
        memcpy(s->clade, m->begun.clade, m->begun.clades * sizeof *s->clade);
    s->clades = m->begun.clades;
    s->above = m->begun.above;
    for (uint32_t i = m->first; i < m->held; i++)
        go_on(m, s, &m->term[i], m->term[i].item <= items);
    return s->clades ? s->clade[0].sum : 0;
}

static void write_term(const accordi_mending *m, const accordi_dense *row,
                       const accordi_mend_term *term, bool with)
{
    const accordi_asker *asker = m->asker;
    uint32_t i = m->terms[term->leaf];
    bool start = asker->target->has_start && i == asker->n - 1;
    double value = start ? term->value * asker->start_factor : term->value;
    accordi_dense_put(row, 0, i, with ? value : 0, 1);
}

/* Is the sum wrong of what stays and the first so many items? In the row stand those that are
 * summed once and for all, and some of the others, or zeros. */
static bool is_wrong(accordi_mending *m, accordi_dense *row, uint32_t items)
{
    double result = 0;
    for (uint32_t i = m->first; i < m->held; i++)
        write_term(m, row, &m->term[i], m->term[i].item <= items);
    return !accordi_dense_ask_some(row, 0, 1, &result) &&
           result * m->asker->result_factor != accordi_mend_due(m, items) && !m->asker->status;
}

/* ---- fewer terms ---- */

/* Items that are kept are number 0. Not more than so many are kept together. */
enum { KEPT = 0, MOST_ITEMS = 24 };

/* Only what is kept and the first so many items are held any longer. */
static void drop_after(accordi_mending *m, const accordi_dense *row, uint32_t items)
{
    uint32_t held = m->first;
    for (uint32_t i = m->first; i < m->held; i++) {
        const accordi_mend_term term = m->term[i];
        if (term.item <= items) {
            m->term[held++] = term;
            continue;
        }
        write_term(m, row, &term, false);
        if (held > 0 && m->term[held - 1].above < term.above)
            m->term[held - 1].above = term.above;
        if (held == m->first)
            go_on(m, &m->begun, &term, false);
    }
    m->held = held;
    m->items = items;
}

/* The last of as few items as possible whose sum, with what is kept, is wrong: those after it are
 * dropped. The sum of what is kept alone is right, and that of all items is wrong. */
static uint32_t find_last(accordi_mending *m, accordi_dense *row)
{
    uint32_t low = 0; /* of so few items the sum is right */
    while (low + 1 < m->items && !m->asker->status) {
        uint32_t middle = low + (m->items - low) / 2;
        if (is_wrong(m, row, middle))
            drop_after(m, row, middle);
        else
            begin_with(m, low = middle);
    }
    begin(m);
    return m->items;
}

/* Keeps a few of the items, so that the sum of what is kept is wrong. False if it would have to be
 * many. */
static bool keep_few(accordi_mending *m, accordi_dense *row)
{
    uint32_t found = 0;
    while (m->items > 0 && !is_wrong(m, row, KEPT)) {
        if (found++ == MOST_ITEMS || m->asker->status)
            return false;
        uint32_t last = find_last(m, row);
        for (uint32_t i = 0; i < m->held; i++)
            m->term[i].item = m->term[i].item == last ? KEPT : m->term[i].item;
        m->items = last - 1;
    }
    drop_after(m, row, KEPT);
    return !m->asker->status;
}

/* Each term but the masks becomes an item. */
static void take_terms(accordi_mending *m)
{
    for (uint32_t i = 0; i < m->held; i++)
        if (fabs(m->term[i].value) < m->mask / 2)
            m->term[i].item = ++m->items;
}

static int by_leaf(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

uint32_t accordi_mend_shrink(accordi_mending *m, uint32_t suspect[ACCORDI_SUSPECTS])
{
    accordi_dense row;
    uint32_t found = 0;
    if (accordi_dense_share(&row, m->asker, 1, false)) /* second factors are 1 */
        return 0;
    accordi_dense_fill(&row, 0, 0);
    begin(m);
    if (keep_few(m, &row)) { /* clades */
        take_terms(m);
        if (keep_few(m, &row) && m->held <= ACCORDI_SUSPECTS)
            for (; found < m->held; found++)
                suspect[found] = m->term[found].leaf;
    }
    accordi_dense_clear(&row);
    qsort(suspect, found, sizeof *suspect, by_leaf);
    return found;
}
