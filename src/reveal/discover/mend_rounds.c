/* Tests the rest of a tree by rounds of sums that are ties, as the proof of the whole order does
 * (prove/order_rounds.c), with one call a level: that of its paths.
 *
 * Four rounds are drawn together, since what is due is worked out for four at once. Rows of long
 * sums are written by two threads. */
#include "base/parallel.h"
#include "reveal/discover/mend.h"
#include "reveal/probes/dense_rows.h"
#include "reveal/ties/order_ties.h"

/* Not fewer rounds than that, however many levels each has. */
enum { LEAST_ROUNDS = 8 };
/* Rows a batch, of which the first has few, since most wrong trees are seen early; and from so many
 * terms on, two threads are worth starting. */
enum { FIRST_ROWS = 2, MOST_ROWS = 8, TERMS_A_BATCH = 1 << 22, MANY = 1 << 15 };

/* Which sum a row is: of a level, in one of the rounds that were drawn together. */
typedef struct which {
    uint32_t level, round;
} which;

typedef struct tester {
    accordi_mending *m;
    accordi_layout layout;
    accordi_order_levels levels;
    accordi_ties ties;
    accordi_dense dense;
    accordi_four_rounds due[ACCORDI_MOST_LEVELS], greatest[ACCORDI_MOST_LEVELS]; /* half units */
    which row[MOST_ROWS];
    int threads;
} tester;

static bool init_tester(tester *t)
{
    accordi_asker *asker = t->m->asker;
    const accord_tree *rest = t->m->rest;
    const uint32_t root = rest->leaves + rest->inner - 1;
    size_t room = TERMS_A_BATCH / asker->n;
    room = room < FIRST_ROWS ? FIRST_ROWS : room > MOST_ROWS ? MOST_ROWS : room;
    t->threads = asker->n < MANY ? 1 : accordi_threads(0);
    return !accordi_layout_plain(asker, rest, &t->layout) &&
           !accordi_order_levels_init(asker, &t->layout, &root, 1, &t->levels) &&
           !accordi_ties_init(asker, &t->levels, false, &t->ties) &&
           !accordi_dense_share(&t->dense, asker, room, false); /* second factors are 1 */
}

static void clear_tester(tester *t)
{
    accordi_dense_clear(&t->dense);
    accordi_ties_clear(&t->ties);
    accordi_order_levels_clear(&t->levels);
    accordi_layout_clear(&t->layout);
}

static void work_out_due(void *context, size_t level, int worker)
{
    tester *t = context;
    const accordi_four_rounds none = {0};
    const accordi_order_call call = {.level = (uint32_t)level};
    (void)worker;
    t->greatest[level] = none;
    t->due[level] = accordi_ties_due(&t->ties, &call, &t->greatest[level]);
}

/* What the leaf at the bottom of an arm is, whose masks cancel those of its neighbor. */
static double mask_of(const tester *t, uint32_t arm, uint32_t round)
{
    const accordi_mending *m = t->m;
    return (arm % 2 ? -m->mask : m->mask) + t->ties.odd[arm][round] * m->unit;
}

static void write_row(void *context, size_t row, int worker)
{
    const tester *t = context;
    const accordi_mending *m = t->m;
    const accordi_dense *d = &t->dense;
    const accordi_order_levels *l = &t->levels;
    const which w = t->row[row];
    size_t n = m->asker->n, first = row * n;
    (void)worker;
    accordi_dense_fill(d, row, 0);
    for (uint32_t i = l->arm_of[w.level]; i < l->arm_of[w.level + 1]; i++) {
        const accordi_arm *arm = &l->arm[i];
        accordi_set_number(d->x, d->f32, first + m->terms[arm->bottom], mask_of(t, i, w.round));
        for (uint32_t j = arm->first; j < arm->first + arm->blocks; j++)
            for (uint32_t k = l->block[j].at; k < l->block[j].at + l->block[j].size; k++) {
                uint32_t leaf = t->layout.leaf[k];
                accordi_set_number(d->x, d->f32, first + m->terms[leaf],
                                   t->ties.half[leaf][w.round] * m->unit / 2);
            }
    }
    if (m->asker->target->has_start)
        accordi_dense_put(d, row, n - 1,
                          accordi_dense_get(d, d->x, row, n - 1) * m->asker->start_factor, 1);
}

/* Leaves of the layout that are neighbors meet at a node each, and each node is where two do. */
static void find_meetings(const accordi_layout *l, uint32_t *above)
{
    uint32_t n = l->tree->leaves;
    for (uint32_t k = 0; k < l->tree->inner; k++) {
        uint32_t child = l->tree->child[l->tree->first[k]];
        above[l->start[k] + (child < n ? 1 : l->size[child - n]) - 1] = k;
    }
    above[n - 1] = UINT32_MAX;
}

/* What a leaf is in a row; `clade` is 0 where it is zero. */
typedef struct row_term {
    double value;
    uint32_t clade;
} row_term;

static void list_row(const tester *t, which w, row_term *of_leaf)
{
    const accordi_mending *m = t->m;
    const accordi_order_levels *l = &t->levels;
    for (uint32_t i = l->arm_of[w.level]; i < l->arm_of[w.level + 1]; i++) {
        const accordi_arm *arm = &l->arm[i];
        of_leaf[arm->bottom] = (row_term){mask_of(t, i, w.round), 1 + i / 2};
        for (uint32_t j = arm->first; j < arm->first + arm->blocks; j++)
            for (uint32_t k = l->block[j].at; k < l->block[j].at + l->block[j].size; k++) {
                uint32_t leaf = t->layout.leaf[k];
                double value = t->ties.half[leaf][w.round] * m->unit / 2;
                of_leaf[leaf] = (row_term){value, 1 + i / 2};
            }
    }
}

/* Holds the terms of a row, whose clades are items. */
static bool keep_row(tester *t, which w)
{
    accordi_mending *m = t->m;
    uint32_t n = m->rest->leaves, *above = m->room, clade = 0;
    row_term *of_leaf = accordi_ask_calloc(m->asker, n, sizeof *of_leaf);
    m->held = m->items = 0;
    if (!of_leaf)
        return false;
    list_row(t, w, of_leaf);
    find_meetings(&t->layout, above);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t leaf = t->layout.leaf[i];
        const row_term *of = &of_leaf[leaf];
        if (of->value != 0) {
            m->items += of->clade != clade;
            clade = of->clade;
            m->term[m->held++] = (accordi_mend_term){of->value, leaf, m->items, above[i]};
        } else if (m->held > 0 && m->term[m->held - 1].above < above[i]) {
            m->term[m->held - 1].above = above[i];
        }
    }
    free(of_leaf);
    return true;
}

/* What the tree gives: beside a mask, sums in half units, unless one of them leaves the range. */
static double due_of(tester *t, which w)
{
    accordi_mending *m = t->m;
    int precision = accord_format_get(m->asker->target->output)->precision;
    if (t->greatest[w.level][w.round] < ((int64_t)1 << (precision - 1)) - 4)
        return t->due[w.level][w.round] * m->unit / 2;
    return keep_row(t, w) ? accordi_mend_due(m, m->items) : 0;
}

/* The rows of the batch; true once a result is not what the tree gives, and its terms are held. */
static bool ask_rows(tester *t, size_t rows)
{
    accordi_asker *asker = t->m->asker;
    accordi_parallel(rows, t->threads, write_row, t);
    if (!accordi_ask_goes_on(asker, rows) ||
        accordi_dense_ask_some(&t->dense, 0, rows, t->dense.seen))
        return false;
    for (size_t i = 0; i < rows; i++)
        if (t->dense.seen[i] * asker->result_factor != due_of(t, t->row[i]))
            return keep_row(t, t->row[i]);
    return false;
}

static bool is_wrong_in(tester *t, uint32_t rounds)
{
    const uint32_t levels = t->levels.levels;
    size_t rows = 0, most = FIRST_ROWS;
    for (uint32_t i = 0; i < rounds * levels && !t->m->asker->status; i++) {
        const which next = {i % levels, i / levels % ACCORDI_TIES};
        if (next.round == 0 && next.level == 0) {
            accordi_ties_draw(&t->ties, &t->m->asker->rng);
            accordi_parallel(levels, t->threads, work_out_due, t);
        }
        t->row[rows++] = next;
        bool last = (i + 1) % (ACCORDI_TIES * levels) == 0 || i + 1 == rounds * levels;
        if (rows < most && !last)
            continue;
        if (ask_rows(t, rows))
            return true;
        rows = 0;
        most = 2 * most < t->dense.room ? 2 * most : t->dense.room;
    }
    return false;
}

enum accord_status accordi_mend_test(accordi_mending *m, uint32_t rows, bool *wrong)
{
    tester t = {.m = m};
    *wrong = false;
    if (m->rest->leaves < 3)
        return m->asker->status;
    if (init_tester(&t)) {
        uint32_t rounds = 1 + rows / t.levels.levels;
        *wrong = is_wrong_in(&t, rounds < LEAST_ROUNDS ? LEAST_ROUNDS : rounds);
    }
    clear_tester(&t);
    return m->asker->status;
}
