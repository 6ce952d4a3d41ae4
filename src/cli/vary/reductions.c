/* Which reductions the command line asks for. */
#include "cli/numbers/numbers.h"
#include "cli/vary/methods.h"
#include <math.h>

typedef struct counts {
    size_t *list, count;
} counts;

typedef struct axes {
    counts n, block, grid, threads;
    const accord_method *method[64];
    size_t methods;
} axes;

static bool read_axis(const cli_args *args, enum cli_option_id id, const char *otherwise,
                      counts *out)
{
    const char *text = args->text[id] ? args->text[id] : otherwise, *why;
    if (!text || cli_counts(text, &out->list, &out->count, &why))
        return true;
    return cli_refuse("--%s %s: %s", cli_options[id].name, text, why);
}

/* test_reduce: the least length, ten times that, and so on, and the greatest. */
static bool read_sizes(const cli_args *args, counts *out)
{
    size_t least = (size_t)cli_integer(args, CLI_MIN_SIZE, 10);
    size_t most = (size_t)cli_integer(args, CLI_MAX_SIZE, 100000);
    if (least > most || most > ACCORD_TREE_MAX_LEAVES)
        return cli_refuse("--min_reduction_size %zu and --max_reduction_size %zu: give lengths of "
                          "which the first is not greater, up to %u",
                          least, most, ACCORD_TREE_MAX_LEAVES);
    out->list = cli_need(accordi_alloc(24, sizeof *out->list));
    for (size_t n = least; n <= most; n *= 10)
        out->list[out->count++] = n;
    if (out->list[out->count - 1] < most)
        out->list[out->count++] = most;
    return true;
}

static bool read_lengths(const cli_args *args, const cli_reduction_defaults *defaults,
                         const cli_reductions *all, counts *out)
{
    char columns[24];
    bool sizes = args->text[CLI_MIN_SIZE] || args->text[CLI_MAX_SIZE];
    if (sizes && args->text[CLI_COUNT])
        return cli_refuse("-n and --min_reduction_size or --max_reduction_size both give lengths; "
                          "leave one of them out");
    snprintf(columns, sizeof columns, "%zu", all->columns);
    if (sizes)
        return read_sizes(args, out);
    return read_axis(args, CLI_COUNT, all->given ? columns : defaults->lengths, out);
}

static const char *method_name(const void *list, size_t i)
{
    (void)list;
    const accord_method *method = accord_method_at(i);
    return method ? method->name : NULL;
}

static bool read_methods(const char *text, axes *out)
{
    char name[48];
    for (size_t length; *text; text += length + (text[length] == ',')) {
        length = strcspn(text, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        const accord_method *method = accord_method_by_name(name);
        if (!method || length >= sizeof name) {
            const char *near = accordi_nearest(name, method_name, NULL);
            accordi_buffer names = {0};
            for (size_t i = 0; method_name(NULL, i); i++)
                accordi_buffer_printf(&names, "%s%s", i ? ", " : "", method_name(NULL, i));
            cli_error("--method %s: %s%s%schoose from %s", name, near ? "did you mean " : "",
                      near ? near : "", near ? "? " : "", names.data);
            accordi_buffer_clear(&names);
            return false;
        }
        if (out->methods < sizeof out->method / sizeof out->method[0])
            out->method[out->methods++] = method;
    }
    return out->methods > 0 || cli_refuse("--method: give the name of a method, such as SPA");
}

/* ---- rows ---- */

static int append(cli_reductions *all, size_t *room, const accord_method *method, size_t n,
                  size_t block, size_t grid, size_t threads)
{
    cli_reduction row = {.threads = threads};
    accord_error error;
    ACCORD_INIT(&row.reduction);
    row.reduction.method = method;
    row.reduction.n = n;
    row.reduction.block = block > UINT32_MAX ? UINT32_MAX : (uint32_t)block;
    row.reduction.grid = grid > UINT32_MAX ? UINT32_MAX : (uint32_t)grid;
    enum accord_status status = accord_reduction_parts(&row.reduction, &row.parts, &error);
    if (status == ACCORD_ARG)
        return cli_misuse("%s", error.text);
    if (status)
        return cli_fail(&error);
    cli_grow((void **)&all->row, room, all->rows + 1, sizeof *all->row);
    all->row[all->rows++] = row;
    all->longest = n > all->longest ? n : all->longest;
    return CLI_YES;
}

/* Methods without blocks have one row for all blocks and grids. */
static int make_rows(cli_reductions *all, const axes *in)
{
    size_t room = 0;
    int status = CLI_YES;
    for (size_t m = 0; m < in->methods; m++)
        for (size_t n = 0; n < in->n.count; n++)
            for (size_t b = 0; b < in->block.count; b++)
                for (size_t g = 0; g < (in->grid.count ? in->grid.count : 1); g++)
                    for (size_t t = 0; t < (in->threads.count ? in->threads.count : 1); t++) {
                        bool again = !in->method[m]->blocks && (b > 0 || g > 0);
                        if (status == CLI_YES && !again)
                            status =
                                append(all, &room, in->method[m], in->n.list[n], in->block.list[b],
                                       in->grid.count ? in->grid.list[g] : 0,
                                       in->threads.count ? in->threads.list[t] : 0);
                    }
    return status;
}

/* ---- inputs ---- */

static int read_file(const cli_args *args, cli_reductions *all)
{
    const char *path = args->text[CLI_INPUTS];
    const cli_numbers_options options = {args->text[CLI_TYPE], args->text[CLI_BIG_ENDIAN] != NULL,
                                         ACCORD_F64};
    cli_numbers numbers = {0};
    int status = cli_numbers_read(path, &options, &numbers);
    if (status != CLI_YES)
        return status;
    all->given = numbers.value;
    if (!cli_numbers_split(&numbers, path))
        return CLI_USAGE;
    all->arrays = numbers.rows;
    all->columns = numbers.columns;
    if (numbers.rows == 0 || numbers.columns == 0)
        return cli_misuse("%s has no numbers; a sum has at least one term", path);
    return CLI_YES;
}

static int read_inputs(const cli_args *args, cli_reductions *all)
{
    const char *kind = args->text[CLI_DISTRIBUTION_TYPE];
    bool file = kind && strcmp(kind, "file") == 0;
    if (file && !args->text[CLI_INPUTS])
        return cli_misuse("--distribution_type file: give the numbers with --inputs FILE");
    if (args->text[CLI_INPUTS] && kind && !file)
        return cli_misuse("--inputs gives the numbers; leave --distribution_type %s out", kind);
    if (args->text[CLI_INPUTS] && args->text[CLI_ARRAYS])
        return cli_misuse("the rows of --inputs are the arrays; leave --arrays out");
    ACCORD_INIT(&all->draw);
    for (int i = 0; kind && !file && i < ACCORD_DISTRIBUTION_COUNT; i++)
        if (strcmp(kind, accord_distribution_name((enum accord_distribution)i)) == 0)
            all->draw.distribution = (enum accord_distribution)i;
    all->draw.amplitude = cli_real(args, CLI_AMPLITUDE, 0);
    all->draw.center = cli_real(args, CLI_CENTER, 0);
    all->draw.deviation = cli_real(args, CLI_DEVIATION, 0);
    if ((args->text[CLI_AMPLITUDE] && all->draw.amplitude == 0) ||
        (args->text[CLI_DEVIATION] && all->draw.deviation == 0))
        return cli_misuse("with an amplitude or a standard deviation of 0 all numbers are equal; "
                          "give another, or the numbers with --inputs");
    accord_mt19937 generator;
    accord_error error;
    accord_mt19937_init(&generator, 0);
    if (accord_draw(&generator, &all->draw, 0, NULL, &error) != ACCORD_OK)
        return cli_misuse("%s", error.text);
    return args->text[CLI_INPUTS] ? read_file(args, all) : CLI_YES;
}

static int read_seed(const cli_args *args, cli_reductions *all)
{
    int64_t seed = cli_integer(args, CLI_SEED, 0xa238abdf);
    if (seed > UINT32_MAX)
        return cli_misuse("--seed %s: the generator takes a seed below 2^32", args->text[CLI_SEED]);
    all->seed = (uint32_t)seed;
    return CLI_YES;
}

static int read_schedule(const cli_args *args, cli_reductions *all)
{
    accord_error error;
    const char *text = args->text[CLI_SCHEDULE];
    if (text && !all->device->seeded && !(all->against && all->against->seeded))
        return cli_misuse("--schedule is for --device simulation; %s has a schedule of its own",
                          all->device->name);
    all->schedule_name = text ? text : "permutation";
    if (accord_schedule_parse(all->schedule_name, &all->schedule, &error) != ACCORD_OK)
        return cli_misuse("--schedule: %s", error.text);
    return CLI_YES;
}

static int read_samples(const cli_args *args, const cli_reduction_defaults *defaults,
                        cli_reductions *all)
{
    if (args->text[CLI_RUNS] && args->text[CLI_NUMBER_OF_SAMPLES])
        return cli_misuse("--runs and --number_of_samples mean the same; leave one of them out");
    all->samples = (size_t)cli_integer(
        args, CLI_RUNS, cli_integer(args, CLI_NUMBER_OF_SAMPLES, (int64_t)defaults->samples));
    all->arrays = (size_t)cli_integer(args, CLI_ARRAYS, (int64_t)defaults->arrays);
    return CLI_YES;
}

static int read_axes(const cli_args *args, const cli_reduction_defaults *defaults,
                     cli_reductions *all, axes *in)
{
    const char *methods = args->text[CLI_METHOD] ? args->text[CLI_METHOD] : defaults->methods;
    if (args->text[CLI_ATOMIC_ONLY] && args->text[CLI_METHOD])
        return cli_misuse("--atomic_only is the same as --method AO; leave one of them out");
    if (!read_methods(args->text[CLI_ATOMIC_ONLY] ? "AO" : methods, in) ||
        !read_lengths(args, defaults, all, &in->n) ||
        !read_axis(args, CLI_BLOCK_SIZE, defaults->blocks, &in->block) ||
        !read_axis(args, CLI_GRID_SIZE, defaults->grids, &in->grid) ||
        !read_axis(args, CLI_THREADS, NULL, &in->threads))
        return CLI_USAGE;
    for (size_t i = 0; all->given && i < in->n.count; i++)
        if (in->n.list[i] > all->columns)
            return cli_misuse("-n %zu: the arrays of %s have %zu numbers; give no more",
                              in->n.list[i], args->text[CLI_INPUTS], all->columns);
    for (size_t i = 0; i < in->threads.count; i++)
        if (in->threads.list[i] > 1024)
            return cli_misuse("--threads %zu: give at most 1024", in->threads.list[i]);
    return make_rows(all, in);
}

bool cli_device_read(const char *option, const char *name, const accord_method_device **device,
                     const char **which)
{
    *device = accord_method_device_by_name(name);
    *which = accord_method_device_which(name);
    return *device || cli_refuse("--%s %s: there is no such device; choose simulation, threads, "
                                 "opencl, or opencl: and the number or a part of the name of an "
                                 "OpenCL device",
                                 option, name);
}

int cli_reductions_read(const cli_args *args, const cli_reduction_defaults *defaults,
                        cli_reductions *out)
{
    axes in = {0};
    const char *device = args->text[CLI_DEVICE] ? args->text[CLI_DEVICE] : defaults->device;
    *out = (cli_reductions){.args = args};
    if (!cli_device_read("device", device, &out->device, &out->which))
        return CLI_USAGE;
    if (args->text[CLI_AGAINST] &&
        !cli_device_read("against", args->text[CLI_AGAINST], &out->against, &out->which_against))
        return CLI_USAGE;
    if (out->against && (args->text[CLI_PERFORMANCE] || args->text[CLI_MAPPING]))
        return cli_misuse("--against compares results; leave it out, or --performance and "
                          "--mapping");
    const char *form = cli_output_form(args);
    bool pictures = strcmp(form, "svg") == 0 || strcmp(form, "html") == 0;
    if (pictures && (args->text[CLI_PERFORMANCE] || args->text[CLI_MAPPING]))
        return cli_misuse("--output %s: times and turns have a report, JSON and CSV; give one of "
                          "them",
                          form);
    if (args->operands)
        return cli_misuse("%s: methods of reduction take no target; leave it out",
                          args->operand[0]);
    int status = read_samples(args, defaults, out);
    if (status == CLI_YES)
        status = read_seed(args, out);
    if (status == CLI_YES)
        status = read_schedule(args, out);
    if (status == CLI_YES)
        status = read_inputs(args, out);
    if (status == CLI_YES)
        status = read_axes(args, defaults, out, &in);
    if (status == CLI_YES && out->samples < out->arrays)
        out->arrays = out->samples;
    free(in.n.list);
    free(in.block.list);
    free(in.grid.list);
    free(in.threads.list);
    return status;
}

void cli_reductions_clear(cli_reductions *all)
{
    for (size_t i = 0; i < all->rows; i++) {
        free(all->row[i].result);
        free(all->row[i].other);
    }
    free(all->row);
    free(all->given);
    free(all->reference);
    free(all->expected);
    free(all->predicted);
    *all = (cli_reductions){0};
}

bool cli_reductions_draw(const cli_reductions *all, accord_mt19937 *generator, size_t a, double *x)
{
    if (!all->given)
        return accord_draw(generator, &all->draw, all->longest, x, NULL) == ACCORD_OK;
    memcpy(x, all->given + a * all->columns, all->longest * sizeof *x);
    return true;
}

size_t cli_reductions_runs(const cli_reductions *all, size_t a)
{
    return all->samples / all->arrays + (a < all->samples % all->arrays);
}
