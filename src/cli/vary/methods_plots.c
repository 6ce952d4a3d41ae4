/* What accord vary --method found, as pictures: at the greatest length the distribution of Vs for
 * each row that varies, beside the exact sum and the predicted deviation, and the distances from
 * the exact sum beside the proven bound; and over all lengths how the largest |Vs| grows. Of
 * several arrays the first is shown, since the results of one array have one exact sum. */
#include "cli/vary/methods.h"
#include "cli/vary/plot.h"
#include <math.h>

enum { SHOWN = 8, LABEL = 160 };

static const accord_vary_expectation *expected_of(const cli_reductions *all, size_t row)
{
    return &all->expected[row * all->arrays];
}

static double reference_of(const cli_reductions *all, size_t row)
{
    return all->reference[row * all->arrays];
}

static double result_of(const cli_reductions *all, size_t row, size_t run)
{
    return all->row[row].result[run * all->arrays];
}

/* The method, and what else tells this row from others of the method. */
static void name_row(const cli_reductions *all, size_t row, char name[LABEL])
{
    const cli_reduction *r = &all->row[row];
    bool block = false, grid = false, threads = false;
    for (size_t i = 0; i < all->rows; i++) {
        const cli_reduction *other = &all->row[i];
        bool same = other->reduction.method == r->reduction.method;
        block |= same && other->reduction.block != r->reduction.block;
        grid |= same && other->reduction.grid != r->reduction.grid;
        threads |= same && other->threads != r->threads;
    }
    int length = snprintf(name, LABEL, "%s", r->reduction.method->name);
    if (block)
        length +=
            snprintf(name + length, (size_t)(LABEL - length), ", block %u", r->reduction.block);
    if (grid)
        length += snprintf(name + length, (size_t)(LABEL - length), ", grid %u", r->reduction.grid);
    if (threads)
        snprintf(name + length, (size_t)(LABEL - length), ", %zu threads", r->threads);
}

/* ---- samples of some rows of one length ---- */

typedef struct panel {
    size_t row; /* the first one: it tells the length and the exact sum */
    cli_sample sample[SHOWN];
    size_t samples, left_out;
    char name[SHOWN][LABEL], title[LABEL], note[LABEL];
    double predicted; /* the greatest of the rows, and whose it is */
    const char *predicted_name;
} panel;

static void add_sample(panel *p, const char *name, double *value, size_t count)
{
    snprintf(p->name[p->samples], LABEL, "%s", name);
    p->sample[p->samples] = (cli_sample){p->name[p->samples], value, count};
    p->samples++;
}

static void add_row(const cli_reductions *all, size_t row, panel *p)
{
    char name[LABEL];
    if (p->samples == SHOWN) {
        p->left_out++;
        return;
    }
    size_t runs = cli_reductions_runs(all, 0);
    double *value = cli_need(accordi_alloc(runs, sizeof *value));
    for (size_t i = 0; i < runs; i++)
        value[i] = result_of(all, row, i);
    name_row(all, row, name);
    add_sample(p, name, value, runs);
    if (all->predicted[row * all->arrays] > p->predicted) {
        p->predicted = all->predicted[row * all->arrays];
        p->predicted_name = p->name[p->samples - 1];
    }
}

static void free_panel(panel *p)
{
    for (size_t i = 0; i < p->samples; i++)
        free((void *)(uintptr_t)p->sample[i].value);
    free(p);
}

static panel *panel_of_length(const cli_reductions *all, size_t n)
{
    panel *p = cli_need(accordi_calloc(1, sizeof *p));
    p->row = all->rows;
    for (size_t i = 0; i < all->rows; i++)
        if (all->row[i].reduction.n == n) {
            p->row = p->row < i ? p->row : i;
            add_row(all, i, p);
        }
    return p;
}

static panel *panel_of_row(const cli_reductions *all, size_t row)
{
    panel *p = cli_need(accordi_calloc(1, sizeof *p));
    p->row = row;
    add_row(all, row, p);
    return p;
}

static panel *panel_of_comparison(const cli_reductions *all, size_t row)
{
    panel *p = panel_of_row(all, row);
    size_t runs = cli_reductions_runs(all, 0);
    double *other = cli_need(accordi_alloc(runs, sizeof *other));
    snprintf(p->name[0], LABEL, "%s", all->device->name);
    memcpy(other, all->row[row].other, runs * sizeof *other);
    add_sample(p, all->against->name, other, runs);
    return p;
}

static void put_title(const cli_reductions *all, panel *p, const char *words)
{
    int length = snprintf(p->title, LABEL, "%s, n = %zu", words, all->row[p->row].reduction.n);
    if (all->arrays > 1)
        length += snprintf(p->title + length, (size_t)(LABEL - length), ", the first of %zu arrays",
                           all->arrays);
    if (p->left_out)
        snprintf(p->title + length, (size_t)(LABEL - length), " (%zu rows are not shown)",
                 p->left_out);
}

/* ---- the distribution of Vs ---- */

/* A unit in the last place of the reference; where Vs is not defined, of the greatest result. */
static double unit_of(const panel *p, double reference)
{
    double greatest = fabs(reference);
    bool defined = isfinite(reference) && reference != 0;
    for (size_t i = 0; i < p->samples && !defined; i++)
        for (size_t k = 0; k < p->sample[i].count; k++)
            if (isfinite(p->sample[i].value[k]))
                greatest = fmax(isfinite(greatest) ? greatest : 0, fabs(p->sample[i].value[k]));
    return accord_vary_unit(ACCORD_F64, isfinite(greatest) ? greatest : 0);
}

static void put_distribution(const cli_reductions *all, panel *p, accordi_buffer *out, size_t place)
{
    const accord_vary_expectation *e = expected_of(all, p->row);
    double reference = reference_of(all, p->row), unit = unit_of(p, reference);
    bool defined = isfinite(reference) && reference != 0, known = isfinite(e->exact);
    double from = isfinite(reference) ? fabs(reference) : 0;
    for (size_t i = 0; i < p->samples; i++) {
        double *value = (double *)(uintptr_t)p->sample[i].value;
        for (size_t k = 0; k < p->sample[i].count; k++)
            value[k] = from - fabs(value[k]); /* Vs times |reference|: a multiple of the unit */
    }
    double exact = (from - fabs(e->exact) - (e->exact < 0 ? -e->rest : e->rest)) / unit;
    double predicted = p->predicted / unit;
    const cli_mark marks[] = {{0, NAN, "reference: SPTR"},
                              {exact, NAN, "exact sum"},
                              {exact - predicted, exact + predicted, "predicted deviation"}};
    if (!*p->note && known && isfinite(e->bound))
        snprintf(p->note, LABEL,
                 "Proven: no order is further from the exact sum than %.3g units. Predicted "
                 "deviation: %.3g units.",
                 e->bound / unit, predicted);
    char axis[LABEL] = "|reference| - |result|, in units in the last place; Vs is not defined";
    if (defined)
        snprintf(axis, sizeof axis,
                 "Vs, in units in the last place of the reference (one is a Vs of %.3g)",
                 unit / fabs(reference));
    const cli_samples samples = {.title = p->title,
                                 .note = *p->note ? p->note : NULL,
                                 .x = axis,
                                 .sample = p->sample,
                                 .count = p->samples,
                                 .mark = marks,
                                 .marks = !known          ? 1
                                          : predicted > 0 ? 3
                                                          : 2};
    cli_plot_samples(out, &samples, unit, place);
}

static void put_comparison(const cli_reductions *all, size_t row, accordi_buffer *out, size_t place)
{
    const accord_vary_comparison *c = &all->row[row].comparison;
    char words[2 * LABEL], name[LABEL];
    panel *p = panel_of_comparison(all, row);
    name_row(all, row, name);
    snprintf(words, sizeof words, "%s on %s and %s", name, all->device->name, all->against->name);
    put_title(all, p, words);
    snprintf(p->note, LABEL, "Distance of the distributions %.3f, p = %.2g: %s.", c->distance, c->p,
             cli_methods_verdict(c));
    put_distribution(all, p, out, place);
    free_panel(p);
}

/* ---- distances from the exact sum ---- */

static void put_distances(const cli_reductions *all, size_t n, accordi_buffer *out, size_t place)
{
    panel *p = panel_of_length(all, n);
    const accord_vary_expectation *e = expected_of(all, p->row);
    double unit = accord_vary_unit(ACCORD_F64, e->exact);
    for (size_t i = 0; i < p->samples; i++) {
        double *value = (double *)(uintptr_t)p->sample[i].value;
        for (size_t k = 0; k < p->sample[i].count; k++)
            value[k] = (value[k] - e->exact - e->rest) / unit;
    }
    put_title(all, p, "Distance from the exact sum");
    char whose[LABEL + 32];
    snprintf(whose, sizeof whose, "predicted deviation of %s",
             p->predicted_name ? p->predicted_name : "fixed orders");
    const cli_mark marks[] = {{.5, NAN, "half a unit"},
                              {p->predicted / unit, NAN, whose},
                              {e->bound / unit, NAN, "proven bound of all orders"}};
    const cli_samples samples = {
        .title = p->title,
        .x = "|result - exact sum| in ulp (less than 0.01 is drawn as 0.01)",
        .sample = p->sample,
        .count = p->samples,
        .mark = marks,
        .marks = 3};
    cli_plot_distances(out, &samples, place);
    free_panel(p);
}

/* ---- growth ---- */

static bool same_but_n(const cli_reduction *a, const cli_reduction *b)
{
    return a->reduction.method == b->reduction.method && a->reduction.block == b->reduction.block &&
           a->reduction.grid == b->reduction.grid && a->threads == b->threads;
}

/* The greatest of all arrays, in relation to the reference. */
static double most_of(const cli_reductions *all, size_t row, bool bound)
{
    double most = 0;
    for (size_t a = row * all->arrays; a < (row + 1) * all->arrays; a++) {
        double part = bound ? 2 * all->expected[a].bound : all->predicted[a];
        most = fmax(most, part / fabs(all->reference[a]));
    }
    return most;
}

typedef struct growths {
    cli_growth list[CLI_PLOT_GROWTHS];
    char name[CLI_PLOT_GROWTHS][LABEL];
    size_t count, color;
    double *room; /* for all numbers */
} growths;

enum growth_of { LARGEST_VS, PREDICTED, BOUND };

/* One series: of rows that are like this one but for n. */
static void add_growth(const cli_reductions *all, size_t row, enum growth_of what, growths *g)
{
    cli_growth *one = &g->list[g->count];
    double *n = g->room, *y = n + all->rows, most = 0;
    char *name = g->name[g->count++];
    size_t count = 0;
    for (size_t i = row; i < all->rows; i++) {
        if (!same_but_n(&all->row[i], &all->row[row]))
            continue;
        bool defined = all->row[i].undefined < all->samples;
        n[count] = (double)all->row[i].reduction.n;
        y[count] = what != LARGEST_VS ? most_of(all, i, what == BOUND)
                   : defined          ? all->row[i].max_vs
                                      : NAN;
        most = fmax(most, y[count++]);
    }
    if (what == LARGEST_VS)
        name_row(all, row, name);
    else
        snprintf(name, LABEL, what == BOUND ? "proven for any two orders" : "predicted deviation");
    if (!(most > 0))
        snprintf(name + strlen(name), LABEL - strlen(name), ": 0");
    g->room += 2 * all->rows;
    *one = (cli_growth){name, n, y, count, g->color, what != LARGEST_VS};
}

static void put_growth(const cli_reductions *all, accordi_buffer *out, size_t place)
{
    growths *g = cli_need(accordi_calloc(1, sizeof *g));
    double *room = g->room =
        cli_need(accordi_calloc(2 * all->rows * CLI_PLOT_GROWTHS, sizeof *room));
    for (size_t row = 0; row < all->rows && g->color < SHOWN - 1; row++) {
        bool first = true;
        for (size_t i = 0; i < row; i++)
            first &= !same_but_n(&all->row[i], &all->row[row]);
        if (!first)
            continue;
        add_growth(all, row, LARGEST_VS, g);
        if (all->row[row].reduction.method->last == ACCORD_LAST_ATOMIC)
            add_growth(all, row, PREDICTED, g);
        g->color++;
    }
    g->color = SHOWN - 1;
    add_growth(all, 0, BOUND, g);
    cli_plot_growth(out, "Growth: the largest |Vs| of all runs, and the power law that fits it",
                    "max |Vs|", g->list, g->count, place);
    free(room);
    free(g);
}

/* ---- all of them ---- */

/* The rows with n terms whose distributions are worth a picture: all that are compared, else those
 * that vary. */
static size_t rows_of(const cli_reductions *all, size_t n, size_t row[SHOWN])
{
    size_t count = 0;
    for (size_t i = 0; i < all->rows && count < SHOWN; i++)
        if (all->row[i].reduction.n == n && (all->against || all->row[i].distinct > 1))
            row[count++] = i;
    return count;
}

static void put_row(const cli_reductions *all, size_t row, accordi_buffer *out, size_t place)
{
    char words[2 * LABEL], name[LABEL];
    if (all->against) {
        put_comparison(all, row, out, place);
        return;
    }
    panel *p = panel_of_row(all, row);
    name_row(all, row, name);
    snprintf(words, sizeof words, "Variability of %s", name);
    put_title(all, p, words);
    put_distribution(all, p, out, place);
    free_panel(p);
}

void cli_methods_svg(accordi_buffer *out, const cli_reductions *all)
{
    size_t row[SHOWN], longest = 0, place = 0;
    bool growth = false;
    for (size_t i = 0; i < all->rows; i++) {
        size_t n = all->row[i].reduction.n;
        longest = n > longest ? n : longest;
        growth |= n != all->row[0].reduction.n;
    }
    size_t rows = rows_of(all, longest, row);
    panel *whole = panel_of_length(all, longest);
    bool known = isfinite(expected_of(all, whole->row)->exact);
    cli_plot_begin(out, (rows ? rows : 1) + known + growth);
    for (size_t i = 0; i < rows; i++)
        put_row(all, row[i], out, place++);
    if (!rows) {
        put_title(all, whole, "Variability: there is none");
        put_distribution(all, whole, out, place++);
    }
    free_panel(whole);
    if (known)
        put_distances(all, longest, out, place++);
    if (growth)
        put_growth(all, out, place);
    cli_plot_end(out);
}

void cli_methods_html(accordi_buffer *out, const cli_reductions *all)
{
    accordi_buffer report = {0}, pictures = {0};
    cli_methods_report(&report, all);
    cli_methods_svg(&pictures, all);
    out->failed |= report.failed || pictures.failed;
    cli_vary_page(out, "Variability of methods of reduction", &report, &pictures);
}
