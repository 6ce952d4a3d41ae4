/* Which of the rows that are drawn anew are drawn again. An order shows in a row if the model gives
 * other bits for other orders of its terms. In most rows of narrow terms, or of narrow results, it
 * does not: they would pass with whatever order a target takes for terms of their kind. The choice
 * costs no call of the target. */
#include "reveal/inputs/replays.h"
#include "reveal/probes/dense_rows.h"

/* Rows at a time, and other orders of each. ENOUGH: more than symmetric trees leave unchanged. */
enum { GROUP = 32, ORDERS = 4, ENOUGH = 3 };
/* Attempts, fewer for longer rows: these show the order in most rows anyway. */
enum { MOST = 24, TERMS = 1 << 13 };

typedef struct choosing {
    accordi_asker *asker;
    accordi_replays *replays;
    const accord_model *model;
    accordi_dense rows, moved;
    uint32_t *order[ORDERS];
    size_t pending[GROUP], count;        /* rows */
    unsigned best[GROUP], differ[GROUP]; /* by the place among the pending */
} choosing;

static void move_terms(choosing *c, size_t r, const uint32_t *order)
{
    const accordi_dense *from = &c->rows;
    for (size_t i = 0; i < c->asker->n; i++) {
        double y = from->y ? accordi_dense_get(from, from->y, r, order[i]) : 1;
        accordi_dense_put(&c->moved, r, i, accordi_dense_get(from, from->x, r, order[i]), y);
    }
}

/* Counts the orders that show in each pending row. */
static enum accord_status count_orders(choosing *c)
{
    double due[GROUP], other[GROUP];
    memset(c->differ, 0, sizeof c->differ);
    accordi_dense_replay_some(&c->rows, 0, c->count, c->model, due);
    for (int k = 0; k < ORDERS && !c->asker->status; k++) {
        for (size_t r = 0; r < c->count; r++)
            move_terms(c, r, c->order[k]);
        accordi_dense_replay_some(&c->moved, 0, c->count, c->model, other);
        for (size_t r = 0; r < c->count && !c->asker->status; r++)
            c->differ[r] += !accordi_same_bits(due[r], other[r]);
    }
    return c->asker->status;
}

/* Of rows first … first + count - 1. */
static enum accord_status choose(choosing *c, size_t first, size_t count, unsigned attempts)
{
    uint8_t *attempt = c->replays->attempt;
    uint8_t chosen[GROUP] = {0};
    c->count = count;
    for (size_t r = 0; r < count; r++) {
        c->pending[r] = first + r;
        c->best[r] = 0;
    }
    for (unsigned a = 0; a < attempts && c->count && !c->asker->status; a++) {
        for (size_t r = 0; r < c->count; r++) {
            attempt[c->pending[r]] = (uint8_t)a;
            accordi_replays_draw(c->replays, c->pending[r], accordi_dense_first(&c->rows, r),
                                 accordi_dense_second(&c->rows, r));
        }
        if (count_orders(c))
            break;
        size_t left = 0;
        for (size_t r = 0; r < c->count; r++) {
            size_t row = c->pending[r];
            unsigned best = c->best[row - first];
            if (c->differ[r] > best) {
                c->best[row - first] = c->differ[r];
                chosen[row - first] = (uint8_t)a;
            }
            if (c->best[row - first] < ENOUGH)
                c->pending[left++] = row;
        }
        c->count = left;
    }
    memcpy(attempt + first, chosen, count);
    return c->asker->status;
}

/* Random ones; a start value stays where it is. */
static enum accord_status draw_orders(choosing *c)
{
    size_t n = c->asker->n, moved = c->replays->products ? c->replays->products : n;
    accordi_rng rng;
    accordi_rng_init(&rng, c->replays->draw.seed);
    c->order[0] = accordi_ask_alloc(c->asker, ORDERS * n, sizeof *c->order[0]);
    for (size_t k = 0; k < ORDERS && c->order[0]; k++) {
        c->order[k] = c->order[0] + k * n;
        for (size_t i = 0; i < n; i++)
            c->order[k][i] = (uint32_t)i;
        accordi_rng_shuffle(&rng, c->order[k], moved);
    }
    return c->asker->status;
}

enum accord_status accordi_replays_choose(accordi_asker *asker, accordi_replays *replays,
                                          const accord_model *model)
{
    size_t n = asker->n, first = ACCORDI_FIRST_KINDS * replays->draw.block;
    size_t attempts = TERMS / n < MOST ? TERMS / n : MOST;
    choosing c = {.asker = asker, .replays = replays, .model = model};
    if (n < 3 || attempts < 2 || first >= replays->fresh)
        return asker->status;
    replays->attempt = accordi_ask_calloc(asker, replays->fresh, sizeof *replays->attempt);
    if (replays->attempt && !accordi_dense_init(&c.rows, asker, GROUP, replays->draw.products) &&
        !accordi_dense_init(&c.moved, asker, GROUP, replays->draw.products) && !draw_orders(&c))
        for (size_t at = first; at < replays->fresh && !asker->status; at += GROUP)
            choose(&c, at, replays->fresh - at < GROUP ? replays->fresh - at : GROUP,
                   (unsigned)attempts);
    accordi_dense_clear(&c.rows);
    accordi_dense_clear(&c.moved);
    free(c.order[0]);
    return asker->status;
}
