/* Finds out whether a refused target has no order because results depend on when terms arrive.
 *
 * Collective operations may add whatever comes first. Chance looks the same, so the ranks are made
 * to come one after the other, in one of a few orders by turns (ACCORDI_IN_TURN). Where arrival
 * decides, a sum has the same bits again when the terms come in the same order, and others when
 * they come in another one. Where something else does, both are as frequent. */
#include "reveal/inputs/random_inputs.h"
#include "reveal/reasons/ordinary_sums.h"
#include "targets/target.h"

enum { SUMS = 12, TWICE = 2, EACH = TWICE * ACCORDI_TURNS, ROWS = SUMS * EACH };

/* The terms added one after the other from one on, around. */
static double add_from(const accord_target *t, const void *x, size_t first)
{
    double sum = accordi_get_number(x, t->storage_f32, first);
    for (size_t i = 1; i < t->n; i++)
        sum = accord_format_add(t->format, ACCORD_NEAREST_EVEN, sum,
                                accordi_get_number(x, t->storage_f32, (first + i) % t->n));
    return sum;
}

/* Do the bits tell some orders apart? Those of sums of few terms often do not. */
static bool tells_orders(const accord_target *t, const void *x)
{
    double a = add_from(t, x, 0), b = add_from(t, x, 1), c = add_from(t, x, 2);
    return a != b && b != c && c != a;
}

/* Each sum as often as there are orders, and that twice. */
static void draw_sums(const accord_target *t, uint64_t seed, char *rows)
{
    enum { TRIES = 64 };
    const accordi_draw draw = {
        .n = t->n, .seed = seed, .format = t->format, .is_f32 = t->storage_f32, .block = 1};
    size_t bytes = t->n * (t->storage_f32 ? sizeof(float) : sizeof(double));
    for (size_t sum = 0, drawn = 0; sum < SUMS; sum++) {
        char *row = rows + sum * EACH * bytes;
        size_t last = drawn + TRIES;
        do
            accordi_draw_rows(&draw, ACCORDI_DRAW_CANCELLING + drawn++ * ACCORDI_DRAW_KINDS, 1, row,
                              NULL);
        while (drawn < last && !tells_orders(t, row));
        for (size_t i = 1; i < EACH; i++)
            memcpy(row + i * bytes, row, bytes);
    }
}

/* How often the bits were the same when the order was, and when it was the next one. */
static void count_same(const double *result, size_t *same_order, size_t *other_order)
{
    *same_order = *other_order = 0;
    for (const double *r = result; r < result + ROWS; r += EACH)
        for (size_t k = 0; k < ACCORDI_TURNS; k++) {
            const double *again = r + ACCORDI_TURNS;
            *same_order += accordi_same_bits(r[k], again[k]);
            *other_order += accordi_same_bits(r[k], again[(k + 1) % ACCORDI_TURNS]);
        }
}

/* Asks for all sums; false if that cannot be done. */
static bool ask_in_turn(const accord_target *target, size_t slower, const accord_batch *batch,
                        size_t *same_order, size_t *other_order)
{
    accordi_circumstance turns;
    accord_error why;
    double result[ROWS];
    bool asked = !accordi_target_elsewhere(target, ACCORDI_IN_TURN + slower, &turns, &why) &&
                 turns.target && !accord_target_run(turns.target, batch, result, &why);
    accord_target_close(turns.target);
    if (asked)
        count_same(result, same_order, other_order);
    return asked;
}

/* On a busy machine ranks come late by themselves; where it seems that their order decides, they
 * are asked once more, with more time between them. */
void accordi_name_arrival(accord_target *target, uint64_t seed, accord_error *error)
{
    enum { ALL = SUMS * ACCORDI_TURNS, SHOWN = ALL / 3, SEEMS = ALL / 8 };
    size_t same = 0, other = 0;
    if (target->n < 3 || !accordi_target_has_elsewhere(target))
        return;
    char *rows = accordi_alloc(ROWS * target->n, sizeof(double));
    const accord_batch batch = {.probes = ROWS, .dense = rows};
    if (rows)
        draw_sums(target, seed, rows);
    bool asked = rows && ask_in_turn(target, 0, &batch, &same, &other);
    if (asked && same >= other + SEEMS && same < other + SHOWN)
        asked = ask_in_turn(target, 1, &batch, &same, &other);
    free(rows);
    if (asked && 2 * same >= ALL && same >= other + SHOWN)
        accordi_unable(error, ACCORD_REASON_NONDETERMINISTIC,
                       "the result depends on when the terms arrive: with ranks that come one "
                       "after the other, %zu of %d sums had the same bits again when they came in "
                       "the same order, and %zu when they came in another",
                       same, ALL, other);
}
