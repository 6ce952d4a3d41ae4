/* What a target does to each term before it is added, which no model can express: it multiplies or
 * divides each by one number, or subtracts all terms and turns the sign of the result.
 *
 * Rows of ordinary numbers, of whole numbers that cancel, and of multiples of the least number are
 * asked for. The terms of each are changed here and added along the tree, in each likely format; a
 * way that gives the bits of every answer is named. */
#include "reveal/probes/dense_rows.h"
#include "reveal/prove/certificate.h"
#include <math.h>

enum { ROWS = 96 };

typedef struct changing {
    accordi_asker *asker;
    const accord_tree *tree;
    accordi_dense asked, changed; /* what is asked for, and the terms that it should come to */
    char *words;
    size_t size;
} changing;

enum operand { TERM, FIRST, PRODUCT };

/* Times `by`, or divided by it. */
typedef struct way {
    bool divides;
    double by;
} way;

static double rounded(const changing *c, double value)
{
    return accord_format_round(c->asker->target->format, ACCORD_NEAREST_EVEN, value);
}

enum kind { ORDINARY, CANCELLING, TINY, KINDS };

static double draw_number(changing *c, enum kind kind)
{
    accordi_rng *rng = &c->asker->rng;
    double sign = accordi_rng_below(rng, 2) ? 1 : -1;
    double least = accord_format_get(c->asker->target->format)->least;
    double part = ldexp((double)accordi_rng_below(rng, 1 << 30), -30);
    int exponent = (int)accordi_rng_below(rng, 5) - 2;
    if (kind == CANCELLING)
        return (double)accordi_rng_below(rng, 9) - 4;
    if (kind == TINY)
        return sign * least * (double)accordi_rng_below(rng, 16);
    return rounded(c, sign * ldexp(1 + part, exponent));
}

/* Whole numbers stand beside their negatives. */
static void draw_row(changing *c, size_t row, enum kind kind)
{
    accordi_dense *d = &c->asked;
    double x = 0, y = 1;
    for (size_t i = 0; i < c->asker->n; i++) {
        bool drawn = kind != CANCELLING || i % 2 == 0;
        x = drawn ? draw_number(c, kind) : -x;
        if (d->y && drawn)
            y = draw_number(c, kind == CANCELLING ? CANCELLING : ORDINARY);
        accordi_dense_put(d, row, i, kind == CANCELLING && i + 1 == c->asker->n && drawn ? 0 : x,
                          y);
    }
}

static void draw_rows(changing *c)
{
    accordi_dense *d = &c->asked;
    for (d->rows = 0; d->rows < d->room; d->rows++)
        draw_row(c, d->rows, (enum kind)(d->rows % KINDS));
}

/* ---- each term by one number ---- */

static double changed_term(const changing *c, enum operand operand, way w, double x, double y)
{
    double term = operand == PRODUCT ? rounded(c, x * y) : x;
    term = rounded(c, w.divides ? term / w.by : term * w.by);
    return operand == FIRST ? rounded(c, term * y) : term;
}

static void change_terms(changing *c, enum operand operand, way w)
{
    accordi_dense *from = &c->asked, *to = &c->changed;
    for (to->rows = 0; to->rows < from->rows; to->rows++)
        for (size_t i = 0; i < c->asker->n; i++) {
            double x = accordi_dense_get(from, from->x, to->rows, i);
            double y = from->y ? accordi_dense_get(from, from->y, to->rows, i) : 1;
            accordi_dense_put(to, to->rows, i, changed_term(c, operand, w, x, y), 1);
        }
}

/* The signs of zeros say nothing about factors. */
static bool agrees(const changing *c, const accord_arithmetic *how)
{
    accordi_dense *changed = (accordi_dense *)&c->changed;
    const accord_model model = {c->tree, how};
    bool all = !accordi_dense_replay(changed, &model);
    for (size_t r = 0; r < changed->rows && all; r++)
        all = changed->due[r] == c->asked.seen[r];
    return all;
}

/* Whether plain sums of the changed terms, in a likely format, are what came back. */
static bool adds_plainly(changing *c)
{
    accordi_asker *asker = c->asker;
    enum accord_format likely[ACCORDI_ACCUMULATORS];
    size_t count = accordi_accumulators(asker, likely);
    bool yes = false;
    for (size_t i = 0; i < count && !yes && !asker->status; i++) {
        accord_arithmetic *how = NULL;
        asker->status = accord_arithmetic_plain(ACCORD_TERM_VALUE, asker->target->format, likely[i],
                                                asker->target->output, &how, asker->error);
        yes = !asker->status && agrees(c, how);
        accord_arithmetic_free(how);
    }
    return yes;
}

static bool try_way(changing *c, way w)
{
    static const char *const names[] = {"term", "first factor", "product"};
    bool products = c->asker->term == ACCORD_TERM_PRODUCT, yes = false;
    int last = products ? PRODUCT : TERM;
    for (int operand = products ? FIRST : TERM; operand <= last && !yes; operand++) {
        change_terms(c, (enum operand)operand, w);
        yes = adds_plainly(c);
        if (yes)
            snprintf(c->words, c->size, "each %s is %s by %.9g before it is added", names[operand],
                     w.divides ? "divided" : "multiplied", w.by);
    }
    return yes;
}

static void find_factor(changing *c)
{
    double scale = c->asker->scale, inverse = rint(1 / scale), whole = rint(scale);
    double near = inverse >= 1 ? 1 / inverse : whole;
    const way ways[] = {{true, inverse},
                        {false, whole},
                        {false, scale},
                        {false, near},
                        {false, rounded(c, scale)},
                        {false, rounded(c, near)}};
    bool found = false;
    for (size_t i = 0; i < sizeof ways / sizeof *ways && !found && !c->asker->status; i++)
        if (fabs(ways[i].by) > 0 &&
            fabs((ways[i].divides ? 1 / ways[i].by : ways[i].by) / scale - 1) < 0x1p-6)
            found = try_way(c, ways[i]);
}

/* ---- subtracted, and turned ---- */

/* Are the answers the sums of the terms, which have the other sign by now, turned? Some are zeros
 * that show it. */
static bool is_turned(changing *c, const accord_arithmetic *how)
{
    accordi_dense *d = &c->asked;
    const accord_model model = {c->tree, how};
    bool all = !accordi_dense_replay(d, &model), told = false;
    for (size_t r = 0; r < d->rows && all; r++) {
        all = accordi_same_bits(-d->due[r], d->seen[r]);
        told = told || (d->seen[r] == 0 && signbit(d->seen[r]));
    }
    return all && told;
}

/* Where the sum starts shows in signs of zeros alone, which misled whoever found `best`. */
static void find_turned(changing *c, const accord_arithmetic *best)
{
    enum { ZEROS = 3 };
    accordi_dense *d = &c->asked;
    bool yes = false;
    for (size_t r = 0; r < d->rows; r++)
        for (size_t i = 0; i < c->asker->n; i++)
            accordi_dense_put(d, r, i, -accordi_dense_get(d, d->x, r, i),
                              d->y ? accordi_dense_get(d, d->y, r, i) : 1);
    for (int zeros = 0; zeros < ZEROS && !yes && !c->asker->status; zeros++) {
        accord_arithmetic *how = NULL;
        c->asker->status = accord_arithmetic_copy(best, c->tree->inner, &how, c->asker->error);
        if (c->asker->status)
            break;
        how->negative_zero = zeros > 0;
        how->zero_last = zeros > 1;
        how->skips_zero = false;
        yes = is_turned(c, how);
        accord_arithmetic_free(how);
    }
    if (yes)
        snprintf(c->words, c->size,
                 "the terms are subtracted, and the sign of the result is turned, which gives sums "
                 "that are zero the other sign");
}

enum accord_status accordi_changed_terms(accordi_asker *asker, const accord_tree *tree,
                                         const accord_arithmetic *how, char *words, size_t size)
{
    changing c = {.asker = asker, .tree = tree, .words = words, .size = size};
    bool products = asker->term == ACCORD_TERM_PRODUCT;
    size_t room = accordi_dense_fitting(asker, ROWS, products);
    words[0] = '\0';
    if ((asker->term != ACCORD_TERM_VALUE && !products) || asker->alpha != 1 ||
        asker->target->has_start || tree->inner + 1 != tree->leaves ||
        accordi_dense_init(&c.asked, asker, room, products))
        return asker->status;
    if (!accordi_dense_init(&c.changed, asker, room, false)) {
        draw_rows(&c);
        bool there = !accordi_dense_ask(&c.asked) && !asker->spent;
        if (there && asker->scale != 1)
            find_factor(&c);
        else if (there)
            find_turned(&c, how);
    }
    accordi_dense_clear(&c.asked);
    accordi_dense_clear(&c.changed);
    return asker->status;
}
