/* accord vary --method: how far the results of a reduction spread. */
#include "cli/vary/methods.h"
#include <math.h>

static void need_room(cli_reductions *all)
{
    all->reference = cli_need(accordi_calloc(all->rows * all->arrays, sizeof(double)));
    all->expected = cli_need(accordi_calloc(all->rows * all->arrays, sizeof *all->expected));
    all->predicted = cli_need(accordi_calloc(all->rows * all->arrays, sizeof(double)));
    for (size_t i = 0; i < all->rows; i++)
        all->row[i].result = cli_need(accordi_alloc(all->samples, sizeof(double)));
}

/* What the samples of one array say. */
static enum accord_status take_samples(cli_reduction *row, const double *result, size_t runs,
                                       double reference, accord_error *error)
{
    accord_vary_summary *summary;
    enum accord_status status = accord_vary_summarize(result, runs, ACCORD_F64, &summary, error);
    if (status)
        return status;
    row->distinct = summary->distinct > row->distinct ? summary->distinct : row->distinct;
    row->spread = fmax(row->spread, summary->spread);
    row->deviation = fmax(row->deviation, summary->deviation);
    accord_vary_summary_free(summary);
    for (size_t i = 0; i < runs; i++) {
        double vs = accord_vary_vs(result[i], reference);
        row->undefined += isnan(vs);
        row->max_vs = fmax(row->max_vs, fabs(vs));
    }
    return ACCORD_OK;
}

/* One array on both devices. */
static enum accord_status compare(const cli_reductions *all, cli_reduction *row, const double *x,
                                  const accord_sampling *sampling, const double *result,
                                  accord_error *error)
{
    accord_vary_summary *here = NULL, *there = NULL;
    double *other = row->other = cli_need(accordi_alloc(sampling->samples, sizeof *other));
    accord_sampling there_too = *sampling;
    there_too.which = all->which_against;
    enum accord_status status =
        all->against->run(&row->reduction, x, &there_too, other, NULL, error);
    if (!status)
        status = accord_vary_summarize(result, sampling->samples, ACCORD_F64, &here, error);
    if (!status)
        status = accord_vary_summarize(other, sampling->samples, ACCORD_F64, &there, error);
    if (!status) {
        row->other_distinct = there->distinct;
        status = accord_vary_compare(here, there, all->seed, &row->comparison, error);
    }
    accord_vary_summary_free(here);
    accord_vary_summary_free(there);
    return status;
}

/* What is known without a run. What does not depend on the method is computed once for a length. */
static enum accord_status expect(cli_reductions *all, size_t r, size_t a, const double *x,
                                 accord_error *error)
{
    const cli_reduction *row = &all->row[r];
    accord_vary_expectation *here = &all->expected[r * all->arrays + a];
    size_t same = 0;
    while (same < r && all->row[same].reduction.n != row->reduction.n)
        same++;
    enum accord_status status = ACCORD_OK;
    if (same < r)
        *here = all->expected[same * all->arrays + a];
    else
        status = accord_vary_expect(x, NULL, row->reduction.n, ACCORD_F64, ACCORD_F64, here, error);
    return status ? status
                  : accord_vary_expect_reduction(&row->reduction, x, here,
                                                 &all->predicted[r * all->arrays + a], error);
}

static enum accord_status sample_row(cli_reductions *all, size_t r, size_t a, const double *x,
                                     double *result, accord_error *error)
{
    cli_reduction *row = &all->row[r];
    size_t runs = cli_reductions_runs(all, a);
    accord_reduction reference = row->reduction;
    accord_sampling sampling;
    ACCORD_INIT(&sampling);
    sampling.samples = runs;
    sampling.seed = (uint64_t)a << 32 | all->seed;
    sampling.schedule = all->schedule;
    sampling.threads = (int)row->threads;
    sampling.which = all->which;
    reference.method = accord_method_by_name("SPTR");
    enum accord_status status = expect(all, r, a, x, error);
    if (!status)
        status =
            accord_reduction_sum(&reference, x, NULL, &all->reference[r * all->arrays + a], error);
    if (!status)
        status = all->device->run(&row->reduction, x, &sampling, result, NULL, error);
    if (!status)
        status = take_samples(row, result, runs, all->reference[r * all->arrays + a], error);
    if (!status && all->against && a == 0)
        status = compare(all, row, x, &sampling, result, error);
    for (size_t i = 0; !status && i < runs; i++)
        row->result[i * all->arrays + a] = result[i];
    return status;
}

static int sample_all(cli_reductions *all)
{
    accord_mt19937 generator;
    accord_error error;
    cli_bar bar;
    enum accord_status status = ACCORD_OK;
    bool asked = true;
    double *x = cli_need(accordi_alloc(all->longest, sizeof *x));
    double *result = cli_need(accordi_alloc(all->samples, sizeof *result));
    need_room(all);
    accord_mt19937_init(&generator, all->seed);
    cli_bar_start(&bar, "sampling", all->args->text[CLI_QUIET] != NULL);
    for (size_t a = 0; a < all->arrays && !status && asked; a++) {
        cli_reductions_draw(all, &generator, a, x);
        for (size_t r = 0; r < all->rows && !status && asked; r++) {
            status = sample_row(all, r, a, x, result, &error);
            asked = cli_bar_step(&bar, "sums", a * all->rows + r + 1, all->arrays * all->rows);
        }
    }
    cli_bar_end(&bar);
    free(x);
    free(result);
    if (status)
        return cli_fail(&error);
    return asked ? CLI_YES : CLI_FAILED;
}

static int write_answer(const cli_reductions *all)
{
    static const struct {
        const char *form;
        void (*put)(accordi_buffer *out, const cli_reductions *all);
    } writers[] = {{"report", cli_methods_report},
                   {"json", cli_methods_json},
                   {"svg", cli_methods_svg},
                   {"html", cli_methods_html}};
    accordi_buffer text = {0};
    const char *form = cli_output_form(all->args);
    if (strcmp(form, "csv") == 0 && !cli_methods_csv(&text, all))
        return CLI_USAGE;
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++)
        if (strcmp(form, writers[i].form) == 0)
            writers[i].put(&text, all);
    int status = cli_output_text(all->args, &text);
    for (size_t i = 0; i < all->rows; i++)
        if (status == CLI_YES && all->row[i].distinct > 1)
            status = CLI_DIFFERS;
    return status;
}

int cli_vary_methods(const cli_args *args)
{
    static const cli_reduction_defaults defaults = {.methods = "SPA",
                                                    .lengths = "10..100000*10",
                                                    .blocks = "64",
                                                    .device = "simulation",
                                                    .samples = 1000,
                                                    .arrays = 1};
    cli_reductions all;
    int status = cli_reductions_read(args, &defaults, &all);
    if (status == CLI_YES)
        status = cli_output_try("-o", args->text[CLI_TO]);
    if (status == CLI_YES)
        status = sample_all(&all);
    if (status == CLI_YES)
        status = write_answer(&all);
    cli_reductions_clear(&all);
    return status;
}
