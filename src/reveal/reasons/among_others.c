/* Asks for sums of the chosen element while the other rows and columns hold other numbers.
 *
 * Probes and replays give the element its terms, and all other elements the same terms or ones. An
 * implementation whose order depends on whether the elements have the same terms would then be
 * proven to add in an order that no real input sees. So some sums are asked for twice, alone as
 * before and in a grid of which each other line holds the terms of another one of these sums, and
 * the bits have to be the same: of masks at pairs of terms, which determine a tree, and of ordinary
 * numbers that cancel but for rounding errors. */
#include "reveal/inputs/random_inputs.h"
#include "reveal/probes/dense_rows.h"
#include "reveal/reasons/findings.h"
#include "reveal/reasons/ordinary_sums.h"
#include "targets/target.h"

enum { MOST_SUMS = 64, LEAST_SUMS = 4 };
enum { TURNS = 4 };             /* before a difference is attributed to the others */
static const double work = 1e8; /* terms to be added */

typedef struct company {
    accordi_dense rows; /* the sums; seen: what the element gives alone */
    size_t inner;
    void *a, *b, *c; /* of a grid; b and c: NULL where there are none */
    double *result;
} company;

static bool fits(enum accord_format format, double value)
{
    return value != 0 && accord_format_round(format, ACCORD_NEAREST_EVEN, value) == value;
}

static void draw(company *w, accordi_asker *asker)
{
    const accord_target *t = asker->target;
    bool masks = asker->n > 2 && fits(t->format, asker->mask) && fits(t->format, asker->unit);
    const accordi_draw how = {.n = asker->n,
                              .seed = accordi_rng_next(&asker->rng),
                              .format = t->format,
                              .is_f32 = t->storage_f32,
                              .block = 1};
    w->rows.rows = w->rows.room;
    for (size_t i = 0; i < w->rows.rows; i++) {
        accordi_dense_fill(&w->rows, i, masks ? asker->unit : 1);
        if (masks && i % 2 == 0) {
            uint32_t pair[2];
            accordi_ask_pick(asker, pair, 2);
            accordi_dense_put(&w->rows, i, pair[0], asker->mask, 1);
            accordi_dense_put(&w->rows, i, pair[1], -asker->mask, 1);
        } else {
            accordi_draw_rows(&how, ACCORDI_DRAW_CANCELLING + i * ACCORDI_DRAW_KINDS, 1,
                              accordi_dense_first(&w->rows, i), NULL);
        }
    }
}

/* Which sum's terms line `line` of a grid has that asks for sum `which` in line `own`. */
static size_t sum_of(const company *w, size_t which, size_t line, size_t own)
{
    size_t others = w->rows.rows - 1;
    return line == own ? which : (which + 1 + line % others) % w->rows.rows;
}

/* Lines of an operand; the element's own line of second factors holds ones. */
static void put_lines(const company *w, void *to, size_t lines, size_t which, size_t own,
                      bool second)
{
    size_t bytes = w->inner * (w->rows.f32 ? sizeof(float) : sizeof(double));
    for (size_t i = 0; to && i < lines; i++) {
        void *line = (char *)to + i * bytes;
        if (second && i == own)
            accordi_ask_repeat(line, w->inner, w->rows.f32, 1);
        else
            memcpy(line, accordi_dense_first(&w->rows, sum_of(w, which, i, own)), bytes);
    }
}

/* The last term of a sum is the start value, where there is one. */
static void put_starts(const company *w, const accord_target *t, size_t which)
{
    size_t own = t->row * t->columns + t->column;
    for (size_t i = 0; w->c && i < t->rows * t->columns; i++)
        accordi_set_number(
            w->c, w->rows.f32, i,
            accordi_dense_get(&w->rows, w->rows.x, sum_of(w, which, i, own), w->inner));
}

static bool ask_among(company *w, accordi_asker *asker, size_t which, double *result)
{
    accord_target *t = asker->target;
    put_lines(w, w->a, t->rows, which, t->row, false);
    put_lines(w, w->b, t->columns, which, t->column, true);
    put_starts(w, t, which);
    const accord_grid grid = {.a = w->a, .b = w->b, .c = w->c};
    if (!asker->status && accordi_ask_goes_on(asker, 1))
        asker->status = accord_target_run_grid(t, &grid, w->result, asker->error);
    if (asker->status)
        return false;
    *result = w->result[t->row * t->columns + t->column];
    return true;
}

/* Copies agree here, too, wherever there are any. */
static bool check_copies(const company *w, accordi_asker *asker)
{
    const accord_target *t = asker->target;
    for (size_t i = 0; t->copies && i < t->rows * t->columns; i++) {
        size_t first = i - i % t->columns;
        if (accordi_same_bits(w->result[first], w->result[i]))
            continue;
        accordi_ask_unable(asker, ACCORD_REASON_COPIES,
                           "the ranks do not hold the same result where the positions of the "
                           "vector have different terms: at position %zu rank 0 has %.17g and "
                           "rank %zu has %.17g",
                           i / t->columns, w->result[first], i % t->columns, w->result[i]);
        return false;
    }
    return true;
}

/* Does the difference come again each time? What does not is a matter of chance, or of the calls
 * before: which of the two is asked first changes, since what is different at every other call
 * would follow two that take turns. */
static void tell(company *w, accordi_asker *asker, size_t which, double among)
{
    const accord_target *t = asker->target;
    double alone = w->rows.seen[which], again = alone, then = among;
    bool same = true;
    for (int turn = 0; same && turn < TURNS && !asker->status; turn++) {
        bool turned = turn == 0 || accordi_rng_below(&asker->rng, 2) == 0;
        same = (!turned || ask_among(w, asker, which, &then)) &&
               !accordi_dense_ask_some(&w->rows, which, 1, &again) &&
               (turned || ask_among(w, asker, which, &then)) && accordi_same_bits(again, alone) &&
               accordi_same_bits(then, among);
    }
    if (asker->status)
        return;
    if (same)
        accordi_ask_unable(asker, ACCORD_REASON_READS_OTHERS,
                           "the result depends on operands of other elements: the same terms gave "
                           "element %zu,%zu %.17g alone, and %.17g where other rows%s had other "
                           "numbers",
                           t->row, t->column, alone, among, w->b ? " and columns" : "");
    else
        accordi_ask_unable(asker, ACCORD_REASON_NONDETERMINISTIC,
                           "the same terms gave element %zu,%zu %.17g at one time and %.17g at "
                           "another, while other rows%s had other numbers",
                           t->row, t->column, accordi_same_bits(then, among) ? alone : among,
                           accordi_same_bits(then, among) ? again : then,
                           w->b ? " and columns" : "");
}

static void compare(company *w, accordi_asker *asker)
{
    double among;
    draw(w, asker);
    if (accordi_dense_ask(&w->rows))
        return;
    for (size_t i = 0; i < w->rows.rows && ask_among(w, asker, i, &among) && check_copies(w, asker);
         i++)
        if (!accordi_same_bits(w->rows.seen[i], among)) {
            tell(w, asker, i, among);
            return;
        }
}

enum accord_status accordi_check_among_others(accordi_asker *asker, accordi_findings *findings)
{
    accord_target *t = asker->target;
    size_t size = t->storage_f32 ? sizeof(float) : sizeof(double), elements = t->rows * t->columns;
    double most = work / ((double)elements * (double)asker->n);
    size_t sums = most < LEAST_SUMS ? LEAST_SUMS : most > MOST_SUMS ? MOST_SUMS : (size_t)most;
    company w = {.inner = t->n - t->has_start};
    if (asker->status || !t->kind->run_grid || elements < 2 || w.inner == 0 || t->scale_block)
        return asker->status;
    bool products = t->term == ACCORD_TERM_PRODUCT;
    sums = accordi_dense_fitting(asker, sums, products);
    if (accordi_dense_init(&w.rows, asker, sums, products))
        return asker->status;
    w.a = accordi_ask_alloc(asker, t->rows * w.inner, size);
    w.b = products ? accordi_ask_alloc(asker, t->columns * w.inner, size) : NULL;
    w.c = t->has_start ? accordi_ask_alloc(asker, elements, size) : NULL;
    w.result = accordi_ask_alloc(asker, elements, sizeof *w.result);
    if (!asker->status)
        compare(&w, asker);
    const accordi_circumstance others = {.when = "where the other positions have other terms"};
    char reason[ACCORDI_REASON_SIZE];
    if (!asker->status && t->together)
        accordi_findings_add(findings, &others, 0, sums, reason);
    free(w.a);
    free(w.b);
    free(w.c);
    free(w.result);
    accordi_dense_clear(&w.rows);
    return asker->status;
}
