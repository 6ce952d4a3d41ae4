/* Finds out whether a refused target has no order because results depend on when terms arrive.
 *
 * Collective operations may add whatever comes first. Chance looks the same, so the ranks are made
 * to come one after the other, in one of a few orders by turns (ACCORDI_IN_TURN). Where arrival
 * decides, a sum has the same bits again when the terms come in the same order, and others when
 * they come in another one. Where something else does, both are as frequent. On a busy machine
 * ranks come late by themselves; where it seems that their order decides, they are asked once more,
 * with more time between them. */
#include "reveal/inputs/random_inputs.h"
#include "reveal/reasons/findings.h"
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

/* The results of all elements of a grid, or of the one that is asked for (`of` is NULL). */
typedef struct elements {
    const uint16_t *of; /* the class of each */
    size_t count, classes;
    void *grid;    /* operands: all rows alike */
    bool *changed; /* per class */
} elements;

/* A sum EACH times. */
static bool ask_sum(accord_target *t, const elements *e, const char *row, double *result)
{
    const accord_batch batch = {.probes = EACH, .dense = row};
    const accord_grid grid = {.a = e->grid};
    accord_error why;
    size_t bytes = t->n * (t->storage_f32 ? sizeof(float) : sizeof(double));
    bool asked = true;
    if (!e->of)
        return !accord_target_run(t, &batch, result, &why);
    for (size_t r = 0; r < t->rows; r++)
        memcpy((char *)e->grid + r * bytes, row, bytes);
    for (size_t i = 0; i < EACH && asked; i++)
        asked = !accord_target_run_grid(t, &grid, result + i * e->count, &why);
    return asked;
}

/* Of each class one more, if all its elements have the same bits in both calls. */
static void compare(const elements *e, const double *a, const double *b, bool in_same_order,
                    accordi_arrival *out)
{
    memset(e->changed, 0, e->classes);
    for (size_t i = 0; i < e->count; i++)
        if (!accordi_same_bits(a[i], b[i]))
            e->changed[e->of ? e->of[i] : 0] = true;
    for (size_t id = 0; id < e->classes; id++)
        *(in_same_order ? &out[id].same : &out[id].other) += !e->changed[id];
}

/* Asks for all sums; false if that cannot be done. */
static bool ask_in_turn(const accord_target *target, size_t slower, const elements *e,
                        const char *rows, double *result, accordi_arrival *out)
{
    accordi_circumstance turns;
    accord_error why;
    size_t bytes = target->n * (target->storage_f32 ? sizeof(float) : sizeof(double));
    accordi_target_elsewhere(target, ACCORDI_IN_TURN + slower, &turns, &why);
    bool asked = turns.target && turns.target->rows == target->rows &&
                 turns.target->columns == target->columns;
    memset(out, 0, e->classes * sizeof *out);
    for (size_t sum = 0; sum < SUMS && asked; sum++) {
        asked = ask_sum(turns.target, e, rows + sum * EACH * bytes, result);
        for (size_t k = 0; k < ACCORDI_TURNS && asked; k++) {
            const double *now = result + k * e->count, *again = result + ACCORDI_TURNS * e->count;
            compare(e, now, again + k * e->count, true, out);
            compare(e, now, again + (k + 1) % ACCORDI_TURNS * e->count, false, out);
        }
    }
    accord_target_close(turns.target);
    return asked;
}

enum { ALL = SUMS * ACCORDI_TURNS, SHOWN = ALL / 3 };

static bool decides(const accordi_arrival *found)
{
    return 2 * found->same >= ALL && found->same >= found->other + SHOWN;
}

/* Bits of some class vary, but why does not show. */
static bool is_unclear(const elements *e, const accordi_arrival *found)
{
    bool any = false;
    for (size_t id = 0; id < e->classes; id++)
        any = any || (found[id].same + found[id].other < 2 * ALL && !decides(&found[id]));
    return any;
}

bool accordi_count_arrivals(const accord_target *target, uint64_t seed, const uint16_t *class_of,
                            size_t classes, accordi_arrival *out)
{
    if (target->n < 3 || !accordi_target_has_elsewhere(target))
        return false;
    size_t each = sizeof(double) * target->n;
    elements e = {.of = class_of,
                  .count = class_of ? target->rows * target->columns : 1,
                  .classes = classes,
                  .changed = accordi_alloc(classes, sizeof(bool)),
                  .grid = class_of ? accordi_alloc(target->rows, each) : NULL};
    char *rows = accordi_alloc(ROWS, each);
    double *result = accordi_alloc(e.count, EACH * sizeof *result);
    bool asked = rows && result && e.changed && (e.grid || !class_of);
    if (asked)
        draw_sums(target, seed, rows);
    asked = asked && ask_in_turn(target, 0, &e, rows, result, out);
    if (asked && is_unclear(&e, out))
        asked = ask_in_turn(target, 1, &e, rows, result, out);
    free(rows);
    free(result);
    free(e.changed);
    free(e.grid);
    return asked;
}

bool accordi_arrival_decides(const accordi_arrival *found, char reason[ACCORDI_REASON_SIZE])
{
    if (decides(found))
        snprintf(reason, ACCORDI_REASON_SIZE,
                 "the result depends on when the terms arrive: with ranks that come one after the "
                 "other, %zu of %d sums had the same bits again when they came in the same order, "
                 "and %zu when they came in another",
                 found->same, ALL, found->other);
    return decides(found);
}

void accordi_name_arrival(accord_target *target, uint64_t seed, accord_error *error)
{
    accordi_arrival found;
    char reason[ACCORDI_REASON_SIZE];
    if (accordi_count_arrivals(target, seed, NULL, 1, &found) &&
        accordi_arrival_decides(&found, reason))
        accordi_unable(error, ACCORD_REASON_NONDETERMINISTIC, "%s", reason);
}
