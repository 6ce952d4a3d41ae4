/* accord vary --mapping: which block takes which turn at the counter of the last stage. */
#include "cli/vary/methods.h"
#include <jansson.h>

static enum accord_status ask(const cli_reductions *all, uint32_t *arrival, accord_error *error)
{
    const cli_reduction *row = &all->row[0];
    accord_mt19937 generator;
    accord_sampling sampling;
    double *x = cli_need(accordi_alloc(all->longest, sizeof *x));
    accord_mt19937_init(&generator, all->seed);
    cli_reductions_draw(all, &generator, 0, x);
    ACCORD_INIT(&sampling);
    sampling.samples = all->samples;
    sampling.seed = all->seed;
    sampling.schedule = all->schedule;
    sampling.threads = (int)row->threads;
    sampling.which = all->which;
    enum accord_status status =
        all->device->run(&row->reduction, x, &sampling, NULL, arrival, error);
    free(x);
    return status;
}

static void put_csv(accordi_buffer *out, const cli_reductions *all, const uint32_t *arrival)
{
    size_t parts = all->row[0].parts;
    for (size_t i = 0; i < all->samples * parts; i++)
        accordi_buffer_printf(out, "%u%s", arrival[i], (i + 1) % parts ? "," : "\n");
}

/* How many turns a block is away from its number, on average. */
static double distance(const uint32_t *arrival, size_t parts)
{
    double sum = 0;
    for (size_t i = 0; i < parts; i++)
        sum += arrival[i] > i ? (double)(arrival[i] - i) : (double)(i - arrival[i]);
    return sum / (double)parts;
}

static void put_report(accordi_buffer *out, const cli_reductions *all, const uint32_t *arrival)
{
    size_t parts = all->row[0].parts;
    double sum = 0, most = 0;
    for (size_t i = 0; i < all->samples; i++) {
        double one = distance(arrival + i * parts, parts);
        sum += one / (double)all->samples;
        most = one > most ? one : most;
    }
    accordi_buffer_printf(out,
                          "%zu runs of %s with %zu parts on %s: a part takes its turn %.4g places "
                          "from its number on average, in one run %.4g; a random permutation has "
                          "%.4g\n",
                          all->samples, all->row[0].reduction.method->name, parts,
                          all->device->name, sum, most, ((double)parts - 1 / (double)parts) / 3);
}

static void put_json(accordi_buffer *out, const cli_reductions *all, const uint32_t *arrival)
{
    json_t *question = cli_reductions_json(all), *runs = json_array();
    size_t parts = all->row[0].parts;
    for (size_t i = 0; i < all->samples; i++) {
        json_t *run = json_array();
        for (size_t turn = 0; turn < parts; turn++)
            json_array_append_new(run, json_integer(arrival[i * parts + turn]));
        json_array_append_new(runs, run);
    }
    json_object_set_new(question, "method", json_string(all->row[0].reduction.method->name));
    json_object_set_new(question, "n", json_integer((json_int_t)all->row[0].reduction.n));
    json_object_set_new(question, "parts", json_integer((json_int_t)parts));
    json_object_set_new(question, "turns", runs);
    cli_put_json(out, question);
}

int cli_vary_mapping(const cli_args *args)
{
    static const cli_reduction_defaults defaults = {.methods = "SPTR",
                                                    .lengths = "1000000",
                                                    .blocks = "64",
                                                    .device = "threads",
                                                    .samples = 100,
                                                    .arrays = 1};
    cli_reductions all;
    accord_error error;
    const char *form = cli_output_form(args);
    int status = cli_reductions_read(args, &defaults, &all);
    if (status == CLI_YES && all.rows > 1)
        status = cli_misuse("--mapping shows one method with one length, block, grid and number of "
                            "threads; give one of each");
    if (status == CLI_YES)
        status = cli_output_try("-o", args->text[CLI_TO]);
    if (status == CLI_YES) {
        accordi_buffer text = {0};
        uint32_t *arrival =
            cli_need(accordi_alloc(all.samples, all.row[0].parts * sizeof *arrival));
        status = ask(&all, arrival, &error) ? cli_fail(&error) : CLI_YES;
        if (status == CLI_YES) {
            (strcmp(form, "csv") == 0    ? put_csv
             : strcmp(form, "json") == 0 ? put_json
                                         : put_report)(&text, &all, arrival);
            status = cli_output_text(args, &text);
        }
        free(arrival);
    }
    cli_reductions_clear(&all);
    return status;
}
