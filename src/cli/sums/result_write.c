/* Sums as a report, Markdown and CSV. */
#include "cli/sums/tally.h"
#include <math.h>

/* ---- the report ---- */

static void put_error(accordi_buffer *out, const cli_result *r)
{
    if (!r->error_known)
        accordi_buffer_puts(out, "not finite");
    else
        accordi_buffer_printf(out, "off by %.3g, %.3g times the sum, %.3g ulp", r->error,
                              r->relative, r->ulps);
}

static void put_sum_report(accordi_buffer *out, const cli_result *r)
{
    if (r->decimal)
        accordi_buffer_printf(out, "%s  ", r->decimal);
    cli_put_number(out, r->format, r->value);
    if (isfinite(r->value))
        accordi_buffer_printf(out, "  %a", r->value);
    accordi_buffer_puts(out, "\n");
    if (!r->naive)
        return;
    accordi_buffer_puts(out, "naive  ");
    cli_put_number(out, r->format, r->naive_sum);
    if (isfinite(r->naive_sum))
        accordi_buffer_printf(out, "  %a", r->naive_sum);
    accordi_buffer_puts(out, "  ");
    put_error(out, r);
    accordi_buffer_puts(out, "\n");
}

/* ---- tables ---- */

static void put_key(accordi_buffer *out, const cli_result *r)
{
    accordi_buffer_puts(out, r->key);
}

static void put_decimal(accordi_buffer *out, const cli_result *r)
{
    if (r->decimal)
        accordi_buffer_puts(out, r->decimal);
    else
        cli_put_number(out, r->format, r->value);
}

static void put_sum_line(accordi_buffer *out, const cli_result *r)
{
    cli_put_number(out, r->format, r->value);
}

static void put_sum_hex(accordi_buffer *out, const cli_result *r)
{
    cli_put_hex(out, r->value);
}

static void put_terms(accordi_buffer *out, const cli_result *r)
{
    accordi_buffer_printf(out, "%lld", (long long)r->count[ACCORD_EXACT_TERMS]);
}

static void put_naive(accordi_buffer *out, const cli_result *r)
{
    cli_put_number(out, r->format, r->naive_sum);
}

static void put_ulps(accordi_buffer *out, const cli_result *r)
{
    if (r->error_known)
        accordi_buffer_printf(out, "%.3g", r->ulps);
}

enum { KEY = 1, DECIMAL = 2, NAIVE = 4, REPORT = 8, TABLE = 16 };

/* What each needs, and where it stands. */
static const struct {
    const char *name;
    int needs;
    void (*put)(accordi_buffer *out, const cli_result *r);
} columns[] = {{"key", KEY, put_key},
               {"decimal", DECIMAL, put_decimal},
               {"sum", 0, put_sum_line},
               {"hex", 0, put_sum_hex},
               {"terms", TABLE, put_terms},
               {"naive", NAIVE, put_naive},
               {"off", NAIVE | REPORT, put_error},
               {"ulps", NAIVE | TABLE, put_ulps}};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

/* Letters that would end a line or a column. */
static void flatten(char *text)
{
    for (; text && *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = '?';
}

static void put_result_row(cli_table *table, const cli_result *r, int has, accordi_buffer *out)
{
    for (size_t c = 0; c < COLUMNS; c++) {
        accordi_buffer cell = {0};
        if (columns[c].needs & ~has)
            continue;
        accordi_buffer_puts(&cell, "");
        columns[c].put(&cell, r);
        if (has & REPORT)
            flatten(cell.data);
        out->failed |= cell.failed;
        cli_table_put(table, cell.failed ? "" : cell.data);
        accordi_buffer_clear(&cell);
    }
}

/* A row of cells; false: no memory. */
static bool put_row(cli_table *table, const cli_results *results, size_t i, int has,
                    accordi_buffer *out)
{
    cli_result r;
    if (!results->one && !cli_results_get(results, i, &r))
        return false;
    put_result_row(table, results->one ? results->one : &r, has, out);
    if (!results->one)
        free(r.decimal);
    return !out->failed;
}

/* Row by row: where columns are aligned, each row is made twice, first to be measured. */
static void put_table(accordi_buffer *out, const char *form, const cli_results *results)
{
    bool report = strcmp(form, "report") == 0, good = true;
    const cli_addition *how = results->how;
    int has = (results->one ? 0 : KEY) | (how->decimal ? DECIMAL : 0) | (how->naive ? NAIVE : 0) |
              (report ? REPORT : TABLE);
    size_t width = 0, count = cli_results_count(results);
    for (size_t c = 0; c < COLUMNS; c++)
        width += !(columns[c].needs & ~has);
    cli_table *table = cli_table_new(width);
    for (size_t c = 0; !report && c < COLUMNS; c++)
        if (!(columns[c].needs & ~has))
            cli_table_put(table, columns[c].name);
    for (size_t i = 0; report && good && i < count; i++) {
        good = put_row(table, results, i, has, out);
        cli_table_measure(table);
    }
    cli_table_flush(table, form, out);
    for (size_t i = 0; good && i < count; i++) {
        good = put_row(table, results, i, has, out);
        cli_table_flush(table, form, out);
        cli_results_flow(results, out);
    }
    out->failed |= !good;
    cli_table_free(table);
}

void cli_put_results(accordi_buffer *out, const cli_args *args, const cli_results *results,
                     int64_t skipped)
{
    const char *form = cli_output_form(args);
    accordi_buffer_puts(out, "");
    if (cli_wants_json(args))
        cli_put_results_json(out, args, results, skipped);
    else if (results->one && strcmp(form, "report") == 0)
        put_sum_report(out, results->one);
    else
        put_table(out, form, results);
}

void cli_remark(const cli_args *args, const cli_results *results)
{
    const int64_t *all = results->count;
    if (args->text[CLI_QUIET])
        return;
    if (all[ACCORD_EXACT_TERMS] == 0)
        cli_error("there were no numbers; their sum is printed as 0");
    else if (all[ACCORD_EXACT_NANS] || all[ACCORD_EXACT_PLUS_INFINITIES] ||
             all[ACCORD_EXACT_MINUS_INFINITIES])
        cli_error("not finite: %lld nan, %lld inf, %lld -inf among %lld terms",
                  (long long)all[ACCORD_EXACT_NANS], (long long)all[ACCORD_EXACT_PLUS_INFINITIES],
                  (long long)all[ACCORD_EXACT_MINUS_INFINITIES],
                  (long long)all[ACCORD_EXACT_TERMS]);
}
