/* Asks the target for sums of small integers. See ordinary_sums.h. */
#include "reveal/reasons/ordinary_sums.h"
#include <math.h>

/* Sums of larger numbers may be out of the reach of narrow arithmetic, or of bounds. */
enum { MIXED_ROWS = 32, LEAST_BITS = 6 };

static const struct {
    double fill, least, most;
    size_t rows;
} filled[] = {{1, -2, 3, 9}, {-1, -3, -1, 5}, {2, 2, 4, 5}};

/* The first three terms, the last three, two in the middle, each once, ascending; a named one takes
 * the place of one in the middle. */
static void choose_terms(accordi_ordinary *o, uint32_t named)
{
    uint32_t n = (uint32_t)o->asker->n,
             wanted[ACCORDI_FEW_TERMS] = {0, 1, 2, n / 2, n / 2 + 1, n - 3, n - 2, n - 1};
    if (named < n)
        wanted[4] = named;
    for (size_t i = 0; i < ACCORDI_FEW_TERMS; i++) {
        bool there = wanted[i] >= n;
        for (size_t j = 0; j < o->terms && !there; j++)
            there = o->term[j] == wanted[i];
        size_t at = o->terms;
        for (; !there && at > 0 && o->term[at - 1] > wanted[i]; at--)
            o->term[at] = o->term[at - 1];
        if (!there)
            o->term[at] = wanted[i];
        o->terms += !there;
    }
}

static accordi_row *add_row(accordi_ordinary *o, double fill)
{
    accordi_row *row = &o->row[o->rows++];
    *row = (accordi_row){.fill = fill};
    return row;
}

static void put_integer(const accordi_ordinary *o, accordi_row *row, size_t i, double value)
{
    row->at[row->count] = o->term[i];
    row->value[row->count++] = value;
}

static double draw_integer(const accordi_ordinary *o, double least, double most)
{
    return least + (double)accordi_rng_below(&o->asker->rng, (uint64_t)(most - least) + 1);
}

/* Two terms of sums from -1 to 3, each sum in three ways; the greatest sums of either sign. */
static void make_pairs(accordi_ordinary *o)
{
    static const int pairs[][2] = {{1, -1}, {-2, 2}, {2, -1}, {-2, 3}, {1, 1},
                                   {4, -2}, {1, 2},  {4, -1}, {1, -2}, {-4, 3}};
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs && o->terms > 1; p++) {
        accordi_row *row = add_row(o, 0);
        put_integer(o, row, p % (o->terms - 1), pairs[p][0]);
        put_integer(o, row, o->terms - 1, pairs[p][1]);
    }
    for (int sign = -1; sign <= 1; sign += 2) {
        accordi_row *row = add_row(o, 0);
        for (size_t i = 0; i < o->terms; i++)
            put_integer(o, row, i, sign * ACCORDI_GREATEST_AMOUNT);
    }
}

static void make_rows(accordi_ordinary *o)
{
    add_row(o, 0);
    for (size_t i = 0; i < o->terms; i++)
        put_integer(o, add_row(o, 0), i, 1);
    for (int v = -ACCORDI_GREATEST_AMOUNT; v <= ACCORDI_GREATEST_AMOUNT; v++)
        put_integer(o, add_row(o, 0), 0, v);
    make_pairs(o);
    for (int r = 0; r < MIXED_ROWS; r++) {
        accordi_row *row = add_row(o, 0);
        for (size_t i = 0; i < o->terms; i++)
            put_integer(o, row, i,
                        draw_integer(o, -ACCORDI_GREATEST_AMOUNT, ACCORDI_GREATEST_AMOUNT));
    }
    for (size_t k = 0; k < sizeof filled / sizeof *filled; k++)
        for (size_t r = 0; r < filled[k].rows; r++) {
            accordi_row *row = add_row(o, filled[k].fill);
            for (size_t i = 0; i < o->terms && r > 0; i++)
                put_integer(o, row, i, draw_integer(o, filled[k].least, filled[k].most));
        }
    for (size_t r = 0; r < o->rows; r++) {
        accordi_row *row = &o->row[r];
        double others = (double)(o->asker->n - row->count);
        row->sum = others * row->fill;
        row->magnitude = fabs(row->sum);
        for (size_t i = 0; i < row->count; i++) {
            row->sum += row->value[i];
            row->magnitude += fabs(row->value[i]);
        }
        row->exact =
            row->magnitude <= ldexp(1, o->precision < LEAST_BITS ? o->precision : LEAST_BITS);
    }
}

/* A batch for each value that fills. */
static enum accord_status ask_integer_rows(accordi_ordinary *o)
{
    accordi_asker *asker = o->asker;
    for (size_t from = 0, to; from < o->rows; from = to) {
        accordi_ask_begin(asker, o->row[from].fill);
        for (to = from; to < o->rows && o->row[to].fill == o->row[from].fill; to++) {
            for (size_t i = 0; i < o->row[to].count; i++)
                accordi_ask_own(asker, o->row[to].at[i], o->row[to].value[i]);
            accordi_ask_end(asker);
        }
        if (accordi_ask_run(asker))
            return asker->status;
        for (size_t r = from; r < to; r++)
            o->row[r].result = asker->result[r - from];
    }
    return ACCORD_OK;
}

enum accord_status accordi_ordinary_ask(accordi_asker *asker, uint32_t named, accordi_ordinary *o)
{
    int terms = accord_format_get(asker->target->format)->precision;
    int result = accord_format_get(asker->target->output)->precision;
    *o = (accordi_ordinary){.asker = asker, .precision = terms < result ? terms : result};
    choose_terms(o, named);
    make_rows(o);
    if (ask_integer_rows(o))
        return asker->status;
    o->zeros = o->row[0].result;
    for (size_t i = 0; i < o->terms; i++)
        o->single[i] = o->row[1 + i].result;
    for (size_t v = 0; v <= 2 * ACCORDI_GREATEST_AMOUNT; v++)
        o->amount[v] = o->row[1 + o->terms + v].result;
    return ACCORD_OK;
}

double accordi_ordinary_slack(const accordi_ordinary *o, const accordi_row *row)
{
    double terms = row->fill != 0 ? (double)o->asker->n : (double)row->count;
    return ldexp(terms + 4, 1 - o->precision);
}

void accordi_ordinary_terms(const accordi_ordinary *o, const accordi_row *row, double *x)
{
    for (size_t i = 0; i < o->asker->n; i++)
        x[i] = row->fill;
    for (size_t i = 0; i < row->count; i++)
        x[row->at[i]] = row->value[i];
}

static void ask_quarters(const accordi_ordinary *o)
{
    accordi_asker *asker = o->asker;
    accordi_ask_begin(asker, 0);
    for (size_t r = 0; r < o->rows; r++) {
        const accordi_row *row = &o->row[r];
        if (row->fill != 0)
            continue;
        for (size_t i = 0; i < row->count; i++)
            accordi_ask_own(asker, row->at[i], row->value[i] / 4);
        accordi_ask_end(asker);
    }
}

bool accordi_agrees_in_quarters(const accordi_ordinary *o, accordi_due *due, const void *hypothesis)
{
    size_t n = o->asker->n, probe = 0;
    double *x = accordi_alloc(n, sizeof *x);
    ask_quarters(o);
    bool agrees = x && !accordi_ask_run(o->asker);
    for (size_t r = 0; r < o->rows && agrees; r++) {
        if (o->row[r].fill != 0)
            continue;
        accordi_ordinary_terms(o, &o->row[r], x);
        for (size_t i = 0; i < n; i++)
            x[i] /= 4;
        double value = due(x, n, hypothesis);
        agrees = fabs(o->asker->result[probe++] - value) <= ldexp(fabs(value), -o->precision);
    }
    free(x);
    return agrees;
}
