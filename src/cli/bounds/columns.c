/* The table of the numbers that a program wrote, as texts, for people: report and page. */
#include "cli/bounds/program.h"
#include <math.h>
#include <stdlib.h>

const char *const cli_columns[CLI_COLUMNS] = {"number",   "at",    "value",       "low",
                                              "high",     "width", "first-order", "from inputs",
                                              "observed", "NaN",   "paths"};

bool cli_has_column(const cli_bound_report *r, int column)
{
    return (column != CLI_COLUMN_OBSERVED || r->observed > 0) &&
           (column != CLI_COLUMN_INPUTS || (r->inputs->count && r->raw.tape.used)) &&
           (column != CLI_COLUMN_PATHS || r->raw.paths > 0);
}

static void put_number(cli_cell *cell, double x, bool single)
{
    if (isfinite(x))
        accordi_put_decimal(cell->text, x, 1, single);
    else
        snprintf(cell->text, sizeof cell->text, "%g", isnan(x) ? (double)NAN : x);
}

/* A distance, or - if it is not known. */
static void put_distance(cli_cell *cell, double x)
{
    snprintf(cell->text, sizeof cell->text, isnan(x) ? "-" : "%.3g", x);
}

void cli_output_cells(const cli_raw *raw, size_t i, cli_cell cell[CLI_COLUMNS])
{
    const cli_bounded *o = &raw->output[i];
    memset(cell, 0, CLI_COLUMNS * sizeof *cell);
    snprintf(cell[CLI_COLUMN_NUMBER].text, sizeof cell->text, "%zu", i + 1);
    put_number(&cell[CLI_COLUMN_VALUE], o->value, o->single);
    put_number(&cell[CLI_COLUMN_LOW], o->low, o->single);
    put_number(&cell[CLI_COLUMN_HIGH], o->high, o->single);
    put_distance(&cell[CLI_COLUMN_WIDTH], o->high == o->low ? 0 : o->high - o->low);
    put_distance(&cell[CLI_COLUMN_FIRST_ORDER], o->first_order);
    put_distance(&cell[CLI_COLUMN_INPUTS], o->from_inputs);
    put_distance(&cell[CLI_COLUMN_OBSERVED], o->observed);
    strcpy(cell[CLI_COLUMN_NAN].text, o->may_be_nan || o->unknown ? "possible" : "-");
    snprintf(cell[CLI_COLUMN_PATHS].text, sizeof cell->text, "%zu of %zu", o->paths + 1,
             raw->paths + 1);
    if (o->unknown) {
        strcpy(cell[CLI_COLUMN_LOW].text, "unknown");
        strcpy(cell[CLI_COLUMN_HIGH].text, "unknown");
        strcpy(cell[CLI_COLUMN_WIDTH].text, "-");
    }
}

/* ---- the widest ---- */

double cli_output_width(const cli_bounded *o)
{
    double width = o->high == o->low ? 0 : o->high - o->low;
    return o->unknown || isnan(width) ? INFINITY : width;
}

static int by_width(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

double cli_least_width(const cli_raw *raw, size_t most)
{
    if (raw->outputs <= most)
        return -1;
    double *width = cli_need(accordi_alloc(raw->outputs, sizeof *width));
    for (size_t i = 0; i < raw->outputs; i++)
        width[i] = cli_output_width(&raw->output[i]);
    qsort(width, raw->outputs, sizeof *width, by_width);
    double least = width[most - 1];
    free(width);
    return least;
}
