/* Finds targets whose order depends on the place in a batch.
 *
 * A program that is asked for many sums at once may pack them into one vector and add that. If the
 * elements of the vector are not all added in one order, as in the blocks of a ring, the answers of
 * a batch mix several orders: probes then show a tree that no element has. Sums that are asked for
 * alone all have one place. So some sums of a batch, the first, the last and others at random
 * places, are asked for once more alone, and must have the same bits. If they do not, both are
 * asked again: sums that vary from run to run are left to other checks. */
#include "reveal/inputs/random_inputs.h"
#include "reveal/probes/dense_rows.h"
#include "reveal/reasons/ordinary_sums.h"
#include "targets/target.h"

enum { ALONE = 16, TURNS = 3 };

typedef struct positions {
    accordi_dense rows;
    uint32_t at[ALONE]; /* of those that are asked alone */
    size_t count;
    double *batch, alone[ALONE];
} positions;

/* Do terms give other bits when they are added forward, backward and, with `all`, in two lanes and
 * by halves? */
static bool tells_orders(const void *x, const accordi_draw *draw, enum accord_format sums, bool all)
{
    enum { FORWARD, BACKWARD, EVEN, ODD, FIRST, SECOND, PARTS };
    double sum[PARTS] = {0};
    for (size_t i = 0; i < draw->n; i++) {
        double term = accordi_get_number(x, draw->is_f32, i);
        double last = accordi_get_number(x, draw->is_f32, draw->n - 1 - i);
        const struct {
            int part;
            double by;
        } more[] = {{FORWARD, term},
                    {BACKWARD, last},
                    {i % 2 ? ODD : EVEN, term},
                    {i < draw->n / 2 ? FIRST : SECOND, term}};
        for (int k = 0; k < 4; k++)
            sum[more[k].part] =
                accord_format_round(sums, ACCORD_NEAREST_EVEN, sum[more[k].part] + more[k].by);
    }
    double lanes = accord_format_round(sums, ACCORD_NEAREST_EVEN, sum[EVEN] + sum[ODD]);
    double halves = accord_format_round(sums, ACCORD_NEAREST_EVEN, sum[FIRST] + sum[SECOND]);
    bool others = sum[FORWARD] != lanes && sum[FORWARD] != halves && sum[BACKWARD] != lanes;
    return sum[FORWARD] != sum[BACKWARD] && (others || !all);
}

/* Of terms that cancel, which show most orders, some that do; or of usual ones, as three terms of
 * which two cancel do not. Many terms hardly ever fail to, and take long to be added up. */
static void draw_telling(positions *p, size_t row, const accordi_draw *draw,
                         enum accord_format sums, uint32_t *draws)
{
    enum { TRIES = 32, MANY_TERMS = 4096 };
    void *x = p->rows.x + row * p->rows.bytes;
    for (int i = 0; i < TRIES; i++) {
        uint32_t kind = i % 2 ? ACCORDI_DRAW_USUAL : ACCORDI_DRAW_CANCELLING;
        accordi_draw_rows(draw, kind + (*draws)++ * ACCORDI_DRAW_KINDS, 1, x, NULL);
        if (draw->n > MANY_TERMS || tells_orders(x, draw, sums, i < TRIES / 2))
            return;
    }
}

/* The first and the last are always among those that are asked alone. */
static void draw_positions(positions *p, uint32_t *order, accordi_asker *asker)
{
    const accord_target *t = asker->target;
    const accordi_draw draw = {.n = asker->n,
                               .seed = accordi_rng_next(&asker->rng),
                               .format = t->format,
                               .is_f32 = t->storage_f32,
                               .block = 1};
    uint32_t rows = (uint32_t)(p->rows.rows = p->rows.room), draws = 0;
    accordi_draw_rows(&draw, 0, rows, p->rows.x, NULL);
    for (uint32_t i = 0; i < rows; i++)
        order[i] = i;
    order[0] = rows - 1;
    order[rows - 1] = 0;
    if (rows > 2)
        accordi_rng_shuffle(&asker->rng, order + 1, rows - 2);
    p->count = rows < ALONE ? rows : ALONE;
    memcpy(p->at, order, p->count * sizeof *order);
    p->at[p->count - 1] = 0;
    for (size_t i = 0; i < p->count; i++)
        draw_telling(p, p->at[i], &draw, t->output, &draws);
}

/* The first that differs; `count`: none. Negative: the target failed. */
static long ask_both(positions *p)
{
    long first = (long)p->count;
    if (accordi_dense_ask_some(&p->rows, 0, p->rows.rows, p->batch))
        return -1;
    for (size_t i = p->count; i-- > 0;) {
        if (accordi_dense_ask_some(&p->rows, p->at[i], 1, &p->alone[i]))
            return -1;
        first = accordi_same_bits(p->alone[i], p->batch[p->at[i]]) ? first : (long)i;
    }
    return first;
}

/* Alone always the same, in a batch another one each time? Some turns begin a sum later, since what
 * is different at every other call may follow the places. */
static bool depends_on_place(positions *p, long *which)
{
    double before[ALONE], unused;
    memcpy(before, p->alone, sizeof before);
    for (int turn = 1; turn < TURNS; turn++) {
        bool later = turn == 1 || accordi_rng_below(&p->rows.asker->rng, 2) == 0;
        if (later && accordi_dense_ask_some(&p->rows, 0, 1, &unused))
            return false;
        *which = ask_both(p);
        bool same = *which >= 0 && *which < (long)p->count;
        for (size_t i = 0; same && i < p->count; i++)
            same = accordi_same_bits(p->alone[i], before[i]);
        if (!same)
            return false;
    }
    return true;
}

static enum accord_status check(positions *p, accordi_asker *asker)
{
    long which = ask_both(p);
    if (which >= 0 && which < (long)p->count && depends_on_place(p, &which))
        accordi_ask_unable(asker, ACCORD_REASON_POSITION,
                           "the result depends on the place of a sum among those that are asked "
                           "for together: the same terms gave %.17g alone and %.17g as number %u "
                           "of %zu; let the program give all sums of a request the same order, or "
                           "compute each of them by itself",
                           p->alone[which], p->batch[p->at[which]], p->at[which] + 1, p->rows.rows);
    return asker->status;
}

enum accord_status accordi_check_positions(accordi_asker *asker, size_t most)
{
    positions p = {.count = 0};
    if (asker->status || !asker->target->together)
        return asker->status;
    size_t rows = accordi_dense_fitting(asker, most, false);
    uint32_t *order = accordi_ask_alloc(asker, rows, sizeof *order);
    p.batch = accordi_ask_alloc(asker, rows, sizeof *p.batch);
    if (!asker->status && !accordi_dense_init(&p.rows, asker, rows, false)) {
        draw_positions(&p, order, asker);
        check(&p, asker);
        accordi_dense_clear(&p.rows);
    }
    free(order);
    free(p.batch);
    return asker->status;
}
