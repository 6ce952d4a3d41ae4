/* Finds results in which one element depends on the operands of other elements.
 *
 * An element of a product, or of sums along an axis, is the sum of its own row and column. A scale
 * taken from the largest number of a whole batch, statistics over it, or an exponent that a block
 * shares breaks that, and then no order of one element says what it gets among others.
 *
 * One grid holds usual numbers. In a second one every other row and column hold numbers of another
 * kind; wherever a row and a column that stayed meet, the result must be the same bits. A third
 * grid does so with the other rows and columns. Of small grids there are more, since few neighbors
 * have few values. Rows that all hold the same are a case of their own, and probes ask for many of
 * those; so are ones, and zeros. In further grids one line stays, and all others hold its numbers,
 * or ones, or zeros. */
#include "reveal/inputs/random_inputs.h"
#include "reveal/reasons/ordinary_sums.h"
#include "targets/target.h"

enum { TURNS = 8 }; /* of two grids, before a difference is attributed to the others */
enum { KINDS = 4, LINES = 64, MOST_ROUNDS = 12 };
/* What lines hold: those of this parity usual numbers and others numbers of another kind, or all
 * of them usual ones; or one line usual numbers, and others the same, or zeros, or ones. */
enum lines { EVEN, ODD, ALL, ALIKE, ZEROS, ONES };
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
    size_t own; /* the line that stays where others hold the same, zeros or ones */
} elements_test;

/* Does line i stay in a grid of which those lines stay? A single one always does. */
static bool line_stays(const elements_test *w, size_t i, size_t lines, enum lines which)
{
    return lines == 1 || which == ALL || (which < ALL ? i % 2 == which : i == w->own % lines);
}

static void draw_lines(const elements_test *w, void *to, size_t lines, size_t length,
                       enum lines which, uint64_t operand)
{
    const accord_target *t = w->target;
    size_t bytes = length * (t->storage_f32 ? sizeof(float) : sizeof(double));
    for (size_t i = 0; to && i < lines; i++) {
        bool stays = line_stays(w, i, lines, which), usual = stays || which == ALIKE;
        if (!stays && which >= ZEROS) {
            accordi_ask_repeat((char *)to + i * bytes, length, t->storage_f32, which - ZEROS);
            continue;
        }
        const accordi_draw draw = {.n = length,
                                   .seed = (usual ? usual_seed : other_seed) + operand,
                                   .format = t->format,
                                   .is_f32 = t->storage_f32,
                                   .plain = usual,
                                   .block = 1};
        size_t kind = kinds[(i / 2 + w->round) % KINDS];
        size_t usual_row = stays ? i : w->own % lines;
        accordi_draw_rows(&draw,
                          usual ? usual_row : (w->round * lines + i) * ACCORDI_DRAW_KINDS + kind, 1,
                          (char *)to + i * bytes, NULL);
    }
}

static bool ask_grid(elements_test *w, enum lines which, double *result)
{
    accord_target *t = w->target;
    draw_lines(w, w->a, t->rows, w->inner, which, 0);
    draw_lines(w, w->b, t->columns, w->inner, which, 1);
    draw_lines(w, w->c, t->rows, t->columns, which, 2);
    const accord_grid grid = {.a = w->a, .b = w->b, .c = w->c};
    w->asker->status = accord_target_run_grid(t, &grid, result, w->asker->error);
    return w->asker->status == ACCORD_OK;
}

/* The first element whose row and column stayed and whose result did not; SIZE_MAX: none. */
static size_t find_change(const elements_test *w, enum lines which)
{
    const accord_target *t = w->target;
    for (size_t r = 0; r < t->rows; r++)
        for (size_t c = 0; line_stays(w, r, t->rows, which) && c < t->columns; c++) {
            size_t at = r * t->columns + c;
            if ((!w->b || line_stays(w, c, t->columns, which)) &&
                !accordi_same_bits(w->before[at], w->after[at]))
                return at;
        }
    return SIZE_MAX;
}

/* Does the element change each time that the others do, and only then? What varies from run to
 * run, or with the questions before, is left to other checks. Which of the two is asked first
 * changes, since what is different at every other call would follow two that take turns. */
static bool follows_others(elements_test *w, enum lines which, size_t at)
{
    double usual = w->before[at], other = w->after[at];
    bool same = true;
    for (int turn = 0; same && turn < TURNS; turn++) {
        bool turned = turn == 0 || accordi_rng_below(&w->asker->rng, 2) == 0;
        same = ask_grid(w, turned ? which : ALL, turned ? w->after : w->before) &&
               ask_grid(w, turned ? ALL : which, turned ? w->before : w->after) &&
               accordi_same_bits(w->before[at], usual) && accordi_same_bits(w->after[at], other);
    }
    return same;
}

/* Do copies of one result differ, in the row that begins there? That says more than what they
 * depend on. */
static bool copies_differ(const elements_test *w, const double *results, size_t first)
{
    const accord_target *t = w->target;
    for (size_t c = 1; t->copies && c < t->columns; c++)
        if (!accordi_same_bits(results[first], results[first + c])) {
            accordi_ask_unable(w->asker, ACCORD_REASON_COPIES,
                               "the ranks do not hold the same result where the positions of the "
                               "vector have different terms: at position %zu rank 0 has %.17g and "
                               "rank %zu has %.17g",
                               first / t->columns, results[first], c, results[first + c]);
            return true;
        }
    return false;
}

/* A function that writes narrower results than are read leaves two of them in the place of one, so
 * that each seems to depend on the other. */
static bool have_other_bits(accordi_asker *asker)
{
    accordi_ordinary o;
    return !accordi_ordinary_ask(asker, UINT32_MAX, &o) && accordi_is_bits(&o);
}

/* True if nothing is left to be asked: an element depends on others, or varies. */
static bool changes(elements_test *w, enum lines which)
{
    const accord_target *t = w->target;
    if (!ask_grid(w, which, w->after))
        return true;
    size_t at = find_change(w, which);
    size_t row = at - at % t->columns;
    if (at != SIZE_MAX && (copies_differ(w, w->before, row) || copies_differ(w, w->after, row)))
        return true;
    if (at == SIZE_MAX || !follows_others(w, which, at))
        return at != SIZE_MAX;
    if (have_other_bits(w->asker))
        w->asker->status = ACCORD_UNABLE;
    else if (!w->asker->status)
        accordi_ask_unable(w->asker, ACCORD_REASON_READS_OTHERS,
                           "the result depends on operands of other elements: element %zu,%zu "
                           "changed when other rows%s were given other numbers",
                           at / t->columns, at % t->columns, w->b ? " and columns" : "");
    return true;
}

static void compare_grids(elements_test *w)
{
    enum { OWN = 3 };
    const accord_target *t = w->target;
    size_t lines = t->rows + t->columns, rounds = LINES / lines;
    rounds = rounds < 1 ? 1 : rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds;
    const size_t own[OWN] = {t->row, 0, t->rows - 1};
    bool ends = !ask_grid(w, ALL, w->before);
    for (size_t turn = 0; turn < 2 * rounds && !ends; turn++) {
        w->round = turn / 2;
        ends = changes(w, turn % 2 ? ODD : EVEN);
    }
    for (size_t i = 0; i < (lines > LINES ? 1 : OWN) && !ends; i++) {
        w->own = own[i];
        ends = changes(w, ALIKE) || changes(w, ZEROS) || changes(w, ONES);
    }
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
