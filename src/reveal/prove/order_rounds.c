/* Proves a whole order at once.
 *
 * In: a binary tree. Out: whether the target gives what the tree gives in every call of many
 * rounds, and a bound on the probability that a target with another tree does so, too.
 *
 * Idea: the nodes of the first levels are split (splits.c), as many levels as were planned. What is
 * left below is proven by paths: if the target's tree is another one there, a round shows it with a
 * probability of at least 1/8, whatever the two trees are, so R rounds miss it with (7/8)^R. The
 * calls of a round, a few a level, are those of order_calls.c; calls that test few blocks show
 * more, and need fewer rounds. This assumes that every addition of the target rounds its operands'
 * sum once, to the nearest number of p bits, or not at all; there may be two or more operands.
 * Targets that do something else are left to the proof by nodes, which does not need this
 * assumption. doc/whole-order.md has the theorems.
 *
 * Rows of terms are written by threads, and those of long sums while the target is asked for
 * others.
 *
 * Bound: 156 rounds for an error of 10^-9, the last of which have fewer calls than the first; in
 * all at most 4 calls a level and round. */
#include "reveal/prove/order_rounds.h"
#include "base/parallel.h"
#include "reveal/probes/dense_rows.h"
#include "reveal/prove/node_rounds.h"
#include "reveal/ties/order_ties.h"
#include <math.h>

/* Rows a batch, of which the first ones have few, since most other orders fail early; and from so
 * many terms on, two threads are worth starting. Of fewer terms, the rows of a batch stay in the
 * cache. */
enum { FIRST_ROWS = 4, MOST_ROWS = 1024, MANY = 1 << 15 };
enum { TERMS_A_BATCH = 1 << 17, TERMS_OF_THREADS = 1 << 22 };

/* ---- asking ---- */

/* Rows of the batch that are written, or asked for. */
typedef struct part {
    size_t first, rows;
} part;

typedef struct prover {
    accordi_asker *asker;
    const accordi_layout *layout;
    accordi_order_levels levels;
    accordi_ties ties;
    uint8_t *noise; /* order_calls.h */
    accordi_dense dense;
    double great, unit; /* the mask, and its last place */
    int threads;
    accordi_order_call call[ACCORDI_MOST_CALLS]; /* of the first round */
    uint64_t rounds_of[ACCORDI_MOST_CALLS];      /* that each of them takes part in */
    uint32_t calls, left;                        /* of the first round, and of the one drawn */
    accordi_order_mask *mask;                    /* of all calls, one after the other … */
    uint32_t masks_of[ACCORDI_MOST_CALLS + 1];   /* … of call i from here on */
    /* Of the rounds that were drawn together, in half units: what is due, and the magnitude beside
     * a mask; 0 where it cannot leave the range. */
    accordi_four_rounds due[ACCORDI_MOST_CALLS], greatest[ACCORDI_MOST_CALLS];
    uint64_t drawn; /* rounds so far … */
    int round;      /* … and the number of the last one among those that were drawn together */
    size_t next;    /* call of that round */
    part write, ask;
    size_t most; /* rows of the next batch */
    double due_of_row[MOST_ROWS];
    accordi_order_proof *proof;
    bool holds;
} prover;

/* The rows in p->ask. */
static void ask_rows(void *context, size_t item, int worker)
{
    prover *p = context;
    accordi_asker *asker = p->asker;
    const part *a = &p->ask;
    (void)item;
    (void)worker;
    if (accordi_dense_ask_some(&p->dense, a->first, a->rows, p->dense.seen))
        return;
    for (size_t i = 0; i < a->rows; i++) {
        p->holds =
            p->holds && p->dense.seen[i] * asker->result_factor == p->due_of_row[a->first + i];
    }
    p->proof->asked += a->rows;
}

static void write_noise(const prover *p, const accordi_order_call *c, size_t row)
{
    enum { BIG = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, BYTE = 8, LAST = ACCORDI_TIES - 1 };
    size_t n = p->asker->n;
    const double half = p->unit / 2;
    const uint8_t *noise = p->noise + c->level * n;
    const signed char(*drawn)[ACCORDI_TIES] = (const signed char(*)[ACCORDI_TIES])p->ties.half;
    const int left = BYTE * (BIG ? p->round : LAST - p->round); /* of the round's byte in a word */
    double *f64 = accordi_dense_first(&p->dense, row);
    float *f32 = (float *)(void *)f64, half_f32 = (float)half;
    for (size_t i = 0; i < n; i++) {
        int32_t word, is_noise = -(noise[i] >> c->call & 1);
        memcpy(&word, drawn[i], sizeof word);
        int32_t number = (int32_t)((uint32_t)word << left) >> (ACCORDI_TIES - 1) * BYTE & is_noise;
        if (p->dense.f32)
            f32[i] = half_f32 * (float)number;
        else
            f64[i] = half * number;
    }
}

/* One call of the rounds: what is due. */
static void work_out_due(void *context, size_t call, int worker)
{
    prover *p = context;
    (void)worker;
    const accordi_four_rounds none = {0};
    accordi_four_rounds *greatest = p->proof->leaves > 0 ? &p->greatest[call] : NULL;
    p->greatest[call] = none;
    p->due[call] = accordi_ties_due(&p->ties, &p->call[call], greatest);
}

static void write_row(void *context, size_t item, int worker)
{
    prover *p = context;
    const accordi_dense *d = &p->dense;
    size_t n = p->asker->n, call = p->next + item, row = p->write.first + p->write.rows + item;
    (void)worker;
    write_noise(p, &p->call[call], row);
    for (uint32_t i = p->masks_of[call]; i < p->masks_of[call + 1]; i++) {
        const accordi_order_mask *m = &p->mask[i];
        int units = accordi_ties_units(&p->ties, &p->call[call], m, p->round);
        accordi_set_number(d->x, d->f32, row * n + m->term,
                           (m->minus ? -p->great : p->great) + units * p->unit);
    }
    if (p->asker->target->has_start)
        accordi_dense_put(d, row, n - 1,
                          accordi_dense_get(d, d->x, row, n - 1) * p->asker->start_factor, 1);
    p->due_of_row[row] = p->due[call][p->round] * p->unit / 2;
}

static bool in_range(const prover *p)
{
    int64_t room = ((int64_t)1 << (p->proof->precision - 1)) - 4; /* in half units */
    bool all = true;
    for (uint32_t i = 0; i < p->left; i++)
        for (int round = 0; round < ACCORDI_TIES; round++)
            all = all && p->greatest[i][round] < room;
    return all;
}

/* The next round, of some that are drawn together: all their sums stay in range. */
static void draw_round(prover *p)
{
    while (p->left > 0 && p->rounds_of[p->left - 1] <= p->drawn)
        p->left--;
    p->round = (int)(p->drawn % ACCORDI_TIES);
    if (p->round == 0)
        do {
            accordi_ties_draw(&p->ties, &p->asker->rng);
            accordi_parallel(p->left, p->threads, work_out_due, p);
        } while (!in_range(p));
    p->drawn++;
    p->next = 0;
}

/* Rows until there is no room or no round is left; draws rounds as they are needed. */
static void write_rows(prover *p, size_t room)
{
    while (p->write.rows < room) {
        if (p->next == p->left && p->drawn == p->proof->rounds)
            return;
        if (p->next == p->left)
            draw_round(p);
        size_t left = p->left - p->next, free_rows = room - p->write.rows;
        size_t count = left < free_rows ? left : free_rows;
        accordi_parallel(count, p->threads, write_row, p);
        p->next += count;
        p->write.rows += count;
    }
}

/* Where a thread pays, one half of the room is asked while the other one is written. */
static size_t rows_together(const prover *p)
{
    return p->threads > 1 ? p->dense.room / 2 : p->dense.room;
}

static void write_beside(void *context, size_t item, int worker)
{
    prover *p = context;
    (void)item;
    (void)worker;
    write_rows(p, p->most);
}

static void ask_all(prover *p)
{
    bool halves = rows_together(p) < p->dense.room;
    p->left = p->calls;
    p->next = p->left;
    p->most = rows_together(p) < FIRST_ROWS ? rows_together(p) : FIRST_ROWS;
    write_rows(p, p->most);
    while (p->write.rows && p->holds && !p->asker->status) {
        p->ask = p->write;
        p->write = (part){halves && p->ask.first == 0 ? rows_together(p) : 0, 0};
        p->most = 2 * p->most < rows_together(p) ? 2 * p->most : rows_together(p);
        if (halves) {
            accordi_both(ask_rows, write_beside, p);
        } else {
            ask_rows(p, 0, 0);
            write_rows(p, p->most);
        }
    }
}

static enum accord_status list_masks(prover *p)
{
    size_t n = p->asker->n, room = 0;
    uint32_t masks = 0;
    for (uint32_t i = 0; i < p->calls; i++) {
        if (!accordi_ask_grow(p->asker, (void **)&p->mask, &room, masks + n, sizeof *p->mask))
            return p->asker->status;
        p->masks_of[i] = masks;
        masks += accordi_order_masks(&p->levels, &p->call[i], p->mask + masks);
    }
    p->masks_of[p->calls] = masks;
    return p->asker->status;
}

static enum accord_status init_prover(prover *p, const uint32_t *clade, uint32_t clades)
{
    accordi_asker *asker = p->asker;
    size_t room = (asker->n < MANY ? TERMS_A_BATCH : TERMS_OF_THREADS) / asker->n;
    bool blocks = false;
    int unit = 0;
    room = room < 2 ? 2 : room > MOST_ROWS ? MOST_ROWS : room;
    p->threads = asker->n < MANY ? 1 : accordi_threads(0);
    accordi_ask_tie_unit(asker, p->proof->precision, &unit);
    p->unit = ldexp(1, unit);
    p->great = ldexp(3, p->proof->precision - 2 + unit);
    if (!accordi_order_levels_init(asker, p->layout, clade, clades, &p->levels)) {
        p->calls = accordi_order_list_calls(&p->levels, p->call);
        blocks = p->call[p->calls - 1].blocks > 0; /* those of paths come first */
    }
    if (!asker->status && !accordi_ties_init(asker, &p->levels, blocks, &p->ties) &&
        (p->noise = accordi_order_noise(asker, &p->levels)) != NULL)
        accordi_dense_share(&p->dense, asker, room, false); /* second factors are 1 */
    if (asker->status)
        return asker->status;
    for (uint32_t i = 0; i < p->calls; i++)
        p->rounds_of[i] = accordi_order_rounds_of(&p->call[i], p->proof);
    return list_masks(p);
}

/* By paths: nodes that are known to be clades of the target's tree. */
static bool paths_hold(accordi_asker *asker, const accordi_layout *layout, const uint32_t *clade,
                       uint32_t clades, accordi_order_proof *proof)
{
    prover p = {.asker = asker, .layout = layout, .proof = proof, .holds = true};
    if (!init_prover(&p, clade, clades))
        ask_all(&p);
    accordi_dense_clear(&p.dense);
    free(p.noise);
    free(p.mask);
    accordi_ties_clear(&p.ties);
    accordi_order_levels_clear(&p.levels);
    return p.holds;
}

enum accord_status accordi_order_prove(accordi_asker *asker, const accord_tree *tree,
                                       accordi_order_proof *proof, bool *holds)
{
    accordi_layout layout = {0};
    accordi_splits splits = {0};
    uint32_t *clade = NULL, clades = 0;
    asker->stage = "proving";
    asker->total = asker->target->calls + proof->calls;
    *holds = true;
    if (!accordi_layout_plain(asker, tree, &layout) &&
        !accordi_splits_init(asker, &layout, &splits) &&
        (clade = accordi_ask_alloc(asker, splits.most, sizeof *clade))) {
        clades = accordi_splits_rest(&splits, proof->splits, clade);
        if (proof->splits)
            accordi_splits_prove(asker, &splits, proof->splits, &proof->weights, &proof->asked,
                                 holds);
    }
    accordi_splits_clear(&splits);
    if (!asker->status && *holds && clades)
        *holds = paths_hold(asker, &layout, clade, clades, proof);
    asker->total = 0;
    free(clade);
    accordi_layout_clear(&layout);
    return asker->status;
}
