/* Finds results in which one element depends on the operands of other elements.
 *
 * An element of a product, or of sums along an axis, is the sum of its own row and column. A scale
 * taken from the largest number of a whole batch, statistics over it, or an exponent that a block
 * shares breaks that, and then no order of one element says what it gets among others.
 *
 * One grid holds usual numbers. In a second one every other row and column hold numbers of another
 * kind; wherever a row and a column that stayed meet, the result must be the same bits. A third
 * grid does so with the other rows and columns. Of small grids there are more, since few neighbors
 * have few values. */
#include "reveal/inputs/random_inputs.h"
#include "reveal/reasons/ordinary_sums.h"
#include "targets/target.h"

enum { TURNS = 8 }; /* of two grids, before a difference is attributed to the others */
enum { KINDS = 4, LINES = 64, MOST_ROUNDS = 12 };
static const enum accordi_draw_kind kinds[KINDS] = {ACCORDI_DRAW_WIDE, ACCORDI_DRAW_ONE_HUGE,
                                                    ACCORDI_DRAW_INTEGERS, ACCORDI_DRAW_LOG_NORMAL};
static const uint64_t usual_seed = 0x636F6D70u, other_seed = 0x616E7921u;

typedef struct elements_test {
    accordi_asker *asker;
    accord_target *target;
    size_t inner;
    void *a, *b, *c;        /* NULL where there are none */
    double *before, *after; /* results */
    size_t round;
} elements_test;

/* Does line i stay in the grid that keeps lines of this parity? A single one always does. */
static bool line_stays(size_t i, size_t lines, size_t parity)
{
    return lines == 1 || i % 2 == parity;
}

/* parity 2: all lines are usual. */
static void draw_lines(const elements_test *w, void *to, size_t lines, size_t length, size_t parity,
                       uint64_t operand)
{
    const accord_target *t = w->target;
    size_t bytes = length * (t->storage_f32 ? sizeof(float) : sizeof(double));
    for (size_t i = 0; to && i < lines; i++) {
        bool usual = parity > 1 || line_stays(i, lines, parity);
        const accordi_draw draw = {.n = length,
                                   .seed = (usual ? usual_seed : other_seed) + operand,
                                   .format = t->format,
                                   .is_f32 = t->storage_f32,
                                   .plain = usual,
                                   .block = 1};
        size_t kind = kinds[(i / 2 + w->round) % KINDS];
        accordi_draw_rows(&draw, usual ? i : (w->round * lines + i) * ACCORDI_DRAW_KINDS + kind, 1,
                          (char *)to + i * bytes, NULL);
    }
}

static bool ask_grid(elements_test *w, size_t parity, double *result)
{
    accord_target *t = w->target;
    draw_lines(w, w->a, t->rows, w->inner, parity, 0);
    draw_lines(w, w->b, t->columns, w->inner, parity, 1);
    draw_lines(w, w->c, t->rows, t->columns, parity, 2);
    const accord_grid grid = {.a = w->a, .b = w->b, .c = w->c};
    w->asker->status = accord_target_run_grid(t, &grid, result, w->asker->error);
    return w->asker->status == ACCORD_OK;
}

/* The first element whose row and column stayed and whose result did not; SIZE_MAX: none. */
static size_t find_change(const elements_test *w, size_t parity)
{
    const accord_target *t = w->target;
    for (size_t r = 0; r < t->rows; r++)
        for (size_t c = 0; line_stays(r, t->rows, parity) && c < t->columns; c++) {
            size_t at = r * t->columns + c;
            if (line_stays(c, t->columns, parity) &&
                !accordi_same_bits(w->before[at], w->after[at]))
                return at;
        }
    return SIZE_MAX;
}

/* Does the element change each time that the others do, and only then? What varies from run to
 * run, or with the questions before, is left to other checks. */
static bool follows_others(elements_test *w, size_t parity, size_t at)
{
    double usual = w->before[at], other = w->after[at];
    bool same = true;
    for (int turn = 0; same && turn < TURNS; turn++)
        same = ask_grid(w, 2, w->before) && ask_grid(w, parity, w->after) &&
               accordi_same_bits(w->before[at], usual) && accordi_same_bits(w->after[at], other);
    return same;
}

static enum accord_status compare_grids(elements_test *w)
{
    accordi_asker *asker = w->asker;
    const accord_target *t = w->target;
    if (!ask_grid(w, 2, w->before))
        return asker->status;
    size_t rounds = LINES / (t->rows + t->columns);
    rounds = rounds < 1 ? 1 : rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds;
    for (size_t turn = 0; turn < 2 * rounds; turn++) {
        size_t parity = turn % 2;
        w->round = turn / 2;
        if (!ask_grid(w, parity, w->after))
            break;
        size_t at = find_change(w, parity);
        if (at != SIZE_MAX && follows_others(w, parity, at))
            return accordi_ask_unable(asker, ACCORD_REASON_READS_OTHERS,
                                      "the result depends on operands of other elements: element "
                                      "%zu,%zu changed when other rows%s were given other numbers",
                                      at / t->columns, at % t->columns, w->b ? " and columns" : "");
        if (at != SIZE_MAX)
            break;
    }
    return asker->status;
}

enum accord_status accordi_check_other_elements(accordi_asker *asker)
{
    accord_target *t = asker->target;
    size_t size = t->storage_f32 ? sizeof(float) : sizeof(double), elements = t->rows * t->columns;
    elements_test w = {.asker = asker, .target = t, .inner = t->n - t->has_start};
    if (!t->kind->run_grid || elements < 2 || w.inner == 0)
        return asker->status;
    w.a = accordi_ask_alloc(asker, t->rows * w.inner, size);
    if (t->term == ACCORD_TERM_PRODUCT)
        w.b = accordi_ask_alloc(asker, t->columns * w.inner, size);
    w.c = t->has_start ? accordi_ask_alloc(asker, elements, size) : NULL;
    w.before = accordi_ask_alloc(asker, elements, sizeof *w.before);
    w.after = accordi_ask_alloc(asker, elements, sizeof *w.after);
    if (!asker->status)
        compare_grids(&w);
    free(w.a);
    free(w.b);
    free(w.c);
    free(w.before);
    free(w.after);
    return asker->status;
}
