/* accord vary --performance: the time of each method for each block and grid. A figure of a row is
 * the time for the sums of all arrays; its mean and deviation are taken over the repeats. */
#include "cli/vary/methods.h"
#include <jansson.h>
#include <math.h>

/* Adds the times of array a to the repeats of each row. */
static enum accord_status time_array(const cli_reductions *all, const double *x, cli_bar *bar,
                                     uint64_t *done, accord_error *error)
{
    double sum;
    enum accord_status status = ACCORD_OK;
    for (size_t r = 0; r < all->rows && !status; r++) {
        const cli_reduction *row = &all->row[r];
        accord_sampling sampling;
        ACCORD_INIT(&sampling);
        sampling.samples = 1;
        sampling.seed = all->seed;
        sampling.schedule = all->schedule;
        sampling.threads = (int)row->threads;
        sampling.which = all->which;
        for (size_t i = 0; i < all->samples && !status; i++) {
            double start = accordi_now();
            status = all->device->run(&row->reduction, x, &sampling, &sum, NULL, error);
            row->result[i] += accordi_now() - start;
            if (!status &&
                !cli_bar_step(bar, "sums", ++*done, all->arrays * all->rows * all->samples))
                return ACCORD_TARGET;
        }
    }
    return status;
}

static int time_all(cli_reductions *all)
{
    accord_mt19937 generator;
    accord_error error = {.status = ACCORD_TARGET, .text = "interrupted"};
    cli_bar bar;
    enum accord_status status = ACCORD_OK;
    uint64_t done = 0;
    double *x = cli_need(accordi_alloc(all->longest, sizeof *x));
    for (size_t r = 0; r < all->rows; r++)
        all->row[r].result = cli_need(accordi_calloc(all->samples, sizeof(double)));
    accord_mt19937_init(&generator, all->seed);
    cli_bar_start(&bar, "timing", all->args->text[CLI_QUIET] != NULL);
    for (size_t a = 0; a < all->arrays && !status; a++) {
        cli_reductions_draw(all, &generator, a, x);
        status = time_array(all, x, &bar, &done, &error);
    }
    cli_bar_end(&bar);
    free(x);
    return status ? cli_fail(&error) : CLI_YES;
}

/* The standard deviation is that of a sample, and 0 for one repeat. */
static double summarize(cli_reductions *all)
{
    double fastest = INFINITY;
    for (size_t r = 0; r < all->rows; r++) {
        cli_reduction *row = &all->row[r];
        double squares = 0;
        for (size_t i = 0; i < all->samples; i++)
            row->mean += row->result[i] / (double)all->samples;
        for (size_t i = 0; i < all->samples; i++)
            squares += (row->result[i] - row->mean) * (row->result[i] - row->mean);
        row->std = all->samples > 1 ? sqrt(squares / (double)(all->samples - 1)) : 0;
        fastest = fmin(fastest, row->mean);
    }
    return fastest;
}

static double penalty(const cli_reduction *row, double fastest)
{
    return fastest > 0 ? 100 * (row->mean / fastest - 1) : 0;
}

static void put_report(accordi_buffer *out, const cli_reductions *all, double fastest)
{
    static const char *const head[] = {"method",  "n",        "block",     "parts",
                                       "threads", "time (s)", "deviation", "penalty (%)"};
    accordi_buffer_printf(out, "the sums of %zu array%s, %zu times, on %s\n", all->arrays,
                          all->arrays == 1 ? "" : "s", all->samples, all->device->name);
    cli_table *table = cli_table_new(sizeof head / sizeof head[0]);
    for (size_t i = 0; i < sizeof head / sizeof head[0]; i++)
        cli_table_put(table, head[i]);
    for (size_t r = 0; r < all->rows; r++) {
        const cli_reduction *row = &all->row[r];
        cli_table_put(table, row->reduction.method->name);
        cli_table_printf(table, "%zu", row->reduction.n);
        cli_table_printf(table, row->reduction.method->blocks ? "%u" : "-", row->reduction.block);
        cli_table_printf(table, "%zu", row->parts);
        cli_table_printf(table, row->threads ? "%zu" : "default", row->threads);
        cli_table_printf(table, "%.6f", row->mean);
        cli_table_printf(table, "%.6f", row->std);
        cli_table_printf(table, "%.3f", penalty(row, fastest));
    }
    cli_table_write(table, "report", out);
    cli_table_free(table);
}

static void put_json(accordi_buffer *out, const cli_reductions *all, double fastest)
{
    json_t *question = cli_reductions_json(all), *rows = json_array();
    for (size_t r = 0; r < all->rows; r++) {
        const cli_reduction *row = &all->row[r];
        json_t *times = json_array();
        for (size_t i = 0; i < all->samples; i++)
            json_array_append_new(times, json_real(row->result[i]));
        json_array_append_new(
            rows, json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:o}", "method",
                            row->reduction.method->name, "n", (json_int_t)row->reduction.n, "block",
                            (json_int_t)row->reduction.block, "grid",
                            (json_int_t)row->reduction.grid, "parts", (json_int_t)row->parts,
                            "threads", (json_int_t)row->threads, "seconds", row->mean, "deviation",
                            row->std, "penalty_percent", penalty(row, fastest), "times", times));
    }
    json_object_set_new(question, "rows", rows);
    cli_put_json(out, question);
}

static void put_csv(accordi_buffer *out, const cli_reductions *all)
{
    for (size_t r = 0; r < all->rows; r++) {
        const cli_reduction *row = &all->row[r];
        accordi_buffer_printf(
            out, "%s,%u,%u,%.15f,%.15f\n", row->reduction.method->long_name, row->reduction.block,
            row->reduction.grid ? row->reduction.grid : (unsigned)row->parts, row->mean, row->std);
    }
}

int cli_vary_performance(const cli_args *args)
{
    static const cli_reduction_defaults defaults = {.methods = "AO,SPA,SPTR,SPRG,TPRC",
                                                    .lengths = "4194304",
                                                    .blocks = "64..512*2",
                                                    .grids = "64..32768*8",
                                                    .device = "threads",
                                                    .samples = 10,
                                                    .arrays = 1};
    cli_reductions all;
    const char *form = cli_output_form(args);
    int status = cli_reductions_read(args, &defaults, &all);
    if (status == CLI_YES)
        status = cli_output_try("-o", args->text[CLI_TO]);
    if (status == CLI_YES) {
        all.arrays = all.given ? all.arrays : (size_t)cli_integer(args, CLI_ARRAYS, 1);
        status = time_all(&all);
    }
    if (status == CLI_YES) {
        accordi_buffer text = {0};
        double fastest = summarize(&all);
        if (strcmp(form, "csv") == 0)
            put_csv(&text, &all);
        else
            (strcmp(form, "json") == 0 ? put_json : put_report)(&text, &all, fastest);
        status = cli_output_text(args, &text);
    }
    cli_reductions_clear(&all);
    return status;
}
