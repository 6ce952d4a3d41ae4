/* accord vary --cross-platform: are the sums of a V100 GPU computed here, bit for bit? */
#include "cli/vary/methods.h"
#include <inttypes.h>
#include <jansson.h>

typedef struct crossing {
    const accord_method_device *device;
    const char *which;
    size_t arrays, right;
    uint64_t found[ACCORD_CROSS_PLATFORM_ARRAYS];
} crossing;

static int compute(crossing *c, const cli_args *args)
{
    accord_mt19937 generator;
    accord_draw_options draw;
    accord_reduction reduction;
    accord_sampling sampling;
    accord_error error;
    cli_bar bar;
    enum accord_status status = ACCORD_OK;
    bool asked = true;
    double *x = cli_need(accordi_alloc(ACCORD_CROSS_PLATFORM_TERMS, sizeof *x)), sum = 0;
    ACCORD_INIT(&draw);
    ACCORD_INIT(&reduction);
    ACCORD_INIT(&sampling);
    draw.distribution = ACCORD_DISTRIBUTION_CROSS_PLATFORM;
    reduction.method = accord_method_by_name("TPRC-kahan");
    reduction.n = ACCORD_CROSS_PLATFORM_TERMS;
    reduction.block = ACCORD_CROSS_PLATFORM_BLOCK;
    sampling.samples = 1;
    sampling.which = c->which;
    accord_mt19937_init(&generator, ACCORD_CROSS_PLATFORM_SEED);
    cli_bar_start(&bar, "cross-platform test", args->text[CLI_QUIET] != NULL);
    for (size_t i = 0; i < c->arrays && !status && asked; i++) {
        status = accord_draw(&generator, &draw, reduction.n, x, &error);
        if (!status)
            status = c->device->run(&reduction, x, &sampling, &sum, NULL, &error);
        memcpy(&c->found[i], &sum, sizeof sum);
        c->right += !status && c->found[i] == accord_cross_platform_bits(i);
        asked = cli_bar_step(&bar, "arrays", i + 1, c->arrays);
    }
    cli_bar_end(&bar);
    free(x);
    return status ? cli_fail(&error) : asked ? CLI_YES : CLI_FAILED;
}

static void put_report(accordi_buffer *out, const crossing *c)
{
    for (size_t i = 0; i < c->arrays; i++)
        if (c->found[i] != accord_cross_platform_bits(i))
            accordi_buffer_printf(
                out, "array %zu: 0x%016" PRIx64 " here, 0x%016" PRIx64 " on the V100\n", i,
                c->found[i], accord_cross_platform_bits(i));
    accordi_buffer_printf(out, "%zu of %zu sums on %s have the bits of the V100\n", c->right,
                          c->arrays, c->device->name);
}

static void put_json(accordi_buffer *out, const crossing *c)
{
    json_t *wrong = json_array();
    char here[24], there[24];
    for (size_t i = 0; i < c->arrays; i++) {
        if (c->found[i] == accord_cross_platform_bits(i))
            continue;
        snprintf(here, sizeof here, "0x%016" PRIx64, c->found[i]);
        snprintf(there, sizeof there, "0x%016" PRIx64, accord_cross_platform_bits(i));
        json_array_append_new(wrong, json_pack("{s:I, s:s, s:s}", "array", (json_int_t)i, "bits",
                                               here, "reference", there));
    }
    cli_put_json(out, json_pack("{s:i, s:s, s:s, s:I, s:I, s:o}", "accord", CLI_SCHEMA, "verb",
                                "vary", "device", c->device->name, "arrays", (json_int_t)c->arrays,
                                "equal", (json_int_t)c->right, "mismatches", wrong));
}

int cli_vary_cross_platform(const cli_args *args)
{
    const char *device = args->text[CLI_DEVICE] ? args->text[CLI_DEVICE] : "threads";
    const char *form = cli_output_form(args);
    crossing c = {.arrays = (size_t)cli_integer(args, CLI_ARRAYS, ACCORD_CROSS_PLATFORM_ARRAYS)};
    if (!cli_device_read("device", device, &c.device, &c.which))
        return CLI_USAGE;
    if (args->operands)
        return cli_misuse("%s: the cross-platform test takes no target; leave it out",
                          args->operand[0]);
    if (c.arrays > ACCORD_CROSS_PLATFORM_ARRAYS)
        return cli_misuse("--arrays %zu: there are %d arrays; give no more", c.arrays,
                          ACCORD_CROSS_PLATFORM_ARRAYS);
    if (strcmp(form, "report") != 0 && strcmp(form, "json") != 0)
        return cli_misuse("--output %s: the cross-platform test has a report and JSON; give one of "
                          "them",
                          form);
    int status = cli_output_try("-o", args->text[CLI_TO]);
    if (status == CLI_YES)
        status = compute(&c, args);
    if (status != CLI_YES)
        return status;
    accordi_buffer text = {0};
    (cli_wants_json(args) ? put_json : put_report)(&text, &c);
    status = cli_output_text(args, &text);
    return status == CLI_YES && c.right < c.arrays ? CLI_DIFFERS : status;
}
