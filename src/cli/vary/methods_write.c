/* What accord vary --method found: as a table, as JSON, and in the layout of test_reduce. */
#include "cli/vary/methods.h"
#include <jansson.h>
#include <math.h>

static json_t *real(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

const char *cli_methods_verdict(const accord_vary_comparison *c)
{
    return c->p < 0.01 ? "the distributions differ" : "no difference is visible";
}

static void put_comparison(accordi_buffer *out, const cli_reductions *all, const cli_reduction *row)
{
    const accord_vary_comparison *c = &row->comparison;
    accordi_buffer_printf(
        out,
        "%s, n = %zu, against %s: %zu distinct results there, %zu in both; distance of the "
        "distributions %.3f, p = %.2g: %s\n",
        row->reduction.method->name, row->reduction.n, all->against->name, row->other_distinct,
        c->shared, c->distance, c->p, cli_methods_verdict(c));
}

void cli_methods_report(accordi_buffer *out, const cli_reductions *all)
{
    bool threads = strcmp(all->device->name, "threads") == 0;
    accordi_buffer_printf(out, "%zu sum%s of %zu array%s, device %s%s%s\n", all->samples,
                          all->samples == 1 ? "" : "s", all->arrays, all->arrays == 1 ? "" : "s",
                          all->device->name, all->device->seeded ? ", schedule " : "",
                          all->device->seeded ? all->schedule_name : "");
    static const char *const head[] = {
        "method", "n", "block", "parts", "threads", "distinct", "spread (ulp)", "max |Vs|", "bits"};
    cli_table *table = cli_table_new(sizeof head / sizeof head[0]);
    for (size_t i = 0; i < sizeof head / sizeof head[0]; i++)
        cli_table_put(table, head[i]);
    for (size_t i = 0; i < all->rows; i++) {
        const cli_reduction *row = &all->row[i];
        const accord_method *method = row->reduction.method;
        cli_table_put(table, method->name);
        cli_table_printf(table, "%zu", row->reduction.n);
        cli_table_printf(table, method->blocks ? "%u" : "-", row->reduction.block);
        cli_table_printf(table, "%zu", row->parts);
        cli_table_printf(table, threads ? "%zu" : "-", row->threads ? row->threads : 64);
        cli_table_printf(table, "%zu", row->distinct);
        cli_table_printf(table, "%.4g", row->spread);
        cli_table_printf(table, row->undefined == all->samples ? "-" : "%.3g", row->max_vs);
        cli_table_put(table, method->last == ACCORD_LAST_ATOMIC ? "depend on the order" : "fixed");
    }
    cli_table_write(table, "report", out);
    cli_table_free(table);
    for (size_t i = 0; all->against && i < all->rows; i++)
        put_comparison(out, all, &all->row[i]);
}

/* ---- JSON ---- */

json_t *cli_reductions_json(const cli_reductions *all)
{
    json_t *question = json_object(), *draw;
    if (all->given)
        draw = json_pack("{s:s, s:o}", "kind", "file", "file",
                         cli_json_text(all->args->text[CLI_INPUTS]));
    else
        draw = json_pack("{s:s, s:o, s:o, s:o}", "kind",
                         accord_distribution_name(all->draw.distribution), "amplitude",
                         json_real(all->draw.amplitude == 0 ? 10 : all->draw.amplitude), "center",
                         json_real(all->draw.center), "standard_deviation",
                         json_real(all->draw.deviation == 0 ? 0.5 : all->draw.deviation));
    json_object_set_new(question, "accord", json_integer(CLI_SCHEMA));
    json_object_set_new(question, "verb", json_string("vary"));
    json_object_set_new(question, "device", json_string(all->device->name));
    if (all->device->seeded)
        json_object_set_new(question, "schedule", json_string(all->schedule_name));
    json_object_set_new(question, "distribution", draw);
    json_object_set_new(question, "seed", json_integer(all->seed));
    json_object_set_new(question, "samples", json_integer((json_int_t)all->samples));
    json_object_set_new(question, "arrays", json_integer((json_int_t)all->arrays));
    return question;
}

static json_t *hexadecimals(const double *x, size_t count)
{
    json_t *all = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(all, cli_json_hexadecimal(x[i]));
    return all;
}

/* exact, bound and predicted: one of each for each array. */
static void put_expectations(json_t *one, const cli_reductions *all, size_t row)
{
    json_t *exact = json_array(), *bound = json_array(), *predicted = json_array();
    for (size_t i = row * all->arrays; i < (row + 1) * all->arrays; i++) {
        json_array_append_new(exact, cli_json_hexadecimal(all->expected[i].exact));
        json_array_append_new(bound, real(all->expected[i].bound));
        json_array_append_new(predicted, real(all->predicted[i]));
    }
    json_object_set_new(one, "exact", exact);
    json_object_set_new(one, "bound", bound);
    json_object_set_new(one, "predicted", predicted);
}

void cli_methods_json(accordi_buffer *out, const cli_reductions *all)
{
    json_t *question = cli_reductions_json(all), *rows = json_array();
    for (size_t i = 0; i < all->rows; i++) {
        const cli_reduction *row = &all->row[i];
        const accord_reduction *r = &row->reduction;
        json_t *one =
            json_pack("{s:s, s:I, s:I, s:I}", "method", r->method->name, "n", (json_int_t)r->n,
                      "parts", (json_int_t)row->parts, "distinct", (json_int_t)row->distinct);
        if (r->method->blocks)
            json_object_set_new(one, "block", json_integer(r->block));
        if (row->threads)
            json_object_set_new(one, "threads", json_integer((json_int_t)row->threads));
        json_object_set_new(one, "spread_ulp", real(row->spread));
        json_object_set_new(one, "deviation_ulp", real(row->deviation));
        json_object_set_new(one, "max_vs",
                            row->undefined == all->samples ? json_null() : real(row->max_vs));
        json_object_set_new(one, "undefined", json_integer((json_int_t)row->undefined));
        if (all->against)
            json_object_set_new(one, "against",
                                json_pack("{s:s, s:I, s:I, s:f, s:f}", "device", all->against->name,
                                          "distinct", (json_int_t)row->other_distinct, "shared",
                                          (json_int_t)row->comparison.shared, "distance",
                                          row->comparison.distance, "p", row->comparison.p));
        json_object_set_new(one, "reference",
                            hexadecimals(all->reference + i * all->arrays, all->arrays));
        put_expectations(one, all, i);
        json_object_set_new(one, "results", hexadecimals(row->result, all->samples));
        json_array_append_new(rows, one);
    }
    json_object_set_new(question, "rows", rows);
    cli_put_json(out, question);
}

/* ---- CSV ---- */

/* A row for each length, or for each number of atomic additions, of one method. The figures are
 * (value - reference) / reference, as that program computes them. */
bool cli_methods_csv(accordi_buffer *out, const cli_reductions *all)
{
    bool lengths = false, counts = false, others = false;
    const cli_reduction *first = &all->row[0];
    for (size_t i = 0; i < all->rows; i++) {
        const cli_reduction *row = &all->row[i];
        lengths |= row->reduction.n != first->reduction.n;
        counts |= row->reduction.block != first->reduction.block ||
                  row->reduction.grid != first->reduction.grid;
        others |=
            row->reduction.method != first->reduction.method || row->threads != first->threads;
    }
    if (others || (lengths && counts))
        return cli_refuse("--output csv holds one method on one number of threads, with a row for "
                          "each length or for each number of blocks; ask for fewer at once, or for "
                          "--json");
    for (size_t i = 0; i < all->rows; i++) {
        const cli_reduction *row = &all->row[i];
        accordi_buffer_printf(out, "%zu", counts ? row->parts : row->reduction.n);
        for (size_t s = 0; s < all->samples; s++) {
            double reference = all->reference[i * all->arrays + s % all->arrays];
            bool same = accordi_same_bits(row->result[s], reference);
            double error = same ? 0 : (row->result[s] - reference) / reference;
            if (isnan(error))
                accordi_buffer_puts(out, ",nan");
            else
                accordi_buffer_printf(out, ",%.16e", error);
        }
        accordi_buffer_puts(out, "\n");
    }
    return true;
}
