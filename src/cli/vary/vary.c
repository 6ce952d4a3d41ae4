/* accord vary: how far results spread when nothing but the order may change. */
#include "cli/vary/methods.h"

/* What the verb can do, by the option that asks for it. The first row whose option was given runs;
 * the last one is for targets. */
static const struct {
    enum cli_option_id option; /* CLI_OPTIONS: none is needed */
    int (*run)(const cli_args *args);
} modes[] = {
    {CLI_CROSS_PLATFORM, cli_vary_cross_platform},
    {CLI_PERFORMANCE, cli_vary_performance},
    {CLI_MAPPING, cli_vary_mapping},
    {CLI_METHOD, cli_vary_methods},
    {CLI_ATOMIC_ONLY, cli_vary_methods},
    {CLI_OPTIONS, cli_vary_target},
};

/* Options that have a meaning only with methods, and only with a target. */
static const enum cli_option_id of_methods[] = {
    CLI_DEVICE,    CLI_AGAINST,   CLI_SCHEDULE,          CLI_BLOCK_SIZE,
    CLI_GRID_SIZE, CLI_ARRAYS,    CLI_DISTRIBUTION_TYPE, CLI_AMPLITUDE,
    CLI_CENTER,    CLI_DEVIATION, CLI_NUMBER_OF_SAMPLES, CLI_MIN_SIZE,
    CLI_MAX_SIZE,  CLI_OPTIONS};
static const enum cli_option_id of_targets[] = {
    CLI_BATCHES,     CLI_LOAD,    CLI_FORMAT, CLI_KINDS,    CLI_SECOND,
    CLI_BUDGET,      CLI_TIMEOUT, CLI_PYTHON, CLI_NO_FORK,  CLI_SIGNATURE,
    CLI_SCALE_BLOCK, CLI_SCALE,   CLI_RESULT, CLI_OPERANDS, CLI_OPTIONS};

static const cli_option *first_given(const cli_args *args, const enum cli_option_id *list)
{
    while (*list != CLI_OPTIONS && !args->text[*list])
        list++;
    return *list == CLI_OPTIONS ? NULL : &cli_options[*list];
}

static int run_mode(const cli_args *args)
{
    size_t i = 0;
    while (modes[i].option != CLI_OPTIONS && !args->text[modes[i].option])
        i++;
    bool target = modes[i].option == CLI_OPTIONS;
    const cli_option *strange = first_given(args, target ? of_methods : of_targets);
    if (strange)
        return cli_misuse("--%s is for %s; %s", strange->name,
                          target ? "methods of reduction" : "targets",
                          target ? "give --method, too" : "leave it out");
    return modes[i].run(args);
}

static int run_vary(const cli_args *args)
{
    cli_args all;
    char **texts = NULL;
    if (!args->text[CLI_SWEEP])
        return run_mode(args);
    int status = cli_vary_sweep(args, &all, &texts);
    if (status == CLI_YES)
        status = run_mode(&all);
    for (size_t i = 0; texts && texts[i]; i++)
        free(texts[i]);
    free(texts);
    return status;
}

const cli_verb cli_vary = {
    .name = "vary",
    .operands = "[TARGET]",
    .about = "measure how far results spread from run to run",
    .text =
        "Asks TARGET for the same sum again and again, and shows the distinct results, how often "
        "each occurred and in which run first, how far apart they lie, and how far they are from "
        "the exact sum. The exit status is 0 if all runs gave the same bits, and 1 if there are "
        "several results. With --threads the target is asked with each number of threads, in a "
        "process of its own; the letters of results show which settings share bits. With --batch "
        "one row, between random ones, stands at every place of batches of these sizes, and its "
        "results should always be the same (batch invariance). If all runs under a setting gave "
        "the same bits, the order is also revealed, for at most 10 seconds or within --budget, and "
        "the report says whether it is proven and gives these bits. Results that have many "
        "elements, such as those of a GEMM, are compared as a whole; the one that --element names "
        "is shown. The input is drawn, by --kinds and --seed, or read from --inputs. With "
        "--method, parallel reductions of the literature are run instead of a target: on threads "
        "of this machine, or simulated, with orders of the atomic additions that are drawn from "
        "--seed; --cross-platform compares sums with those of a V100 GPU.",
    .least = 0,
    .most = 1,
    .pictures = true,
    .options = {CLI_RUNS,
                CLI_COUNT,
                CLI_THREADS,
                CLI_SEED,
                CLI_INPUTS,
                CLI_TYPE,
                CLI_BIG_ENDIAN,
                CLI_BATCHES,
                CLI_LOAD,
                CLI_FORMAT,
                CLI_KINDS,
                CLI_SECOND,
                CLI_BUDGET,
                CLI_TIMEOUT,
                CLI_PYTHON,
                CLI_NO_FORK,
                CLI_SIGNATURE,
                CLI_SCALE_BLOCK,
                CLI_SCALE,
                CLI_RESULT,
                CLI_OPERANDS,
                CLI_METHOD,
                CLI_DEVICE,
                CLI_AGAINST,
                CLI_SCHEDULE,
                CLI_BLOCK_SIZE,
                CLI_GRID_SIZE,
                CLI_ARRAYS,
                CLI_DISTRIBUTION_TYPE,
                CLI_AMPLITUDE,
                CLI_CENTER,
                CLI_DEVIATION,
                CLI_NUMBER_OF_SAMPLES,
                CLI_MIN_SIZE,
                CLI_MAX_SIZE,
                CLI_ATOMIC_ONLY,
                CLI_CROSS_PLATFORM,
                CLI_PERFORMANCE,
                CLI_MAPPING,
                CLI_SWEEP,
                CLI_OUTPUT,
                CLI_JSON,
                CLI_TO,
                CLI_QUIET,
                CLI_HELP,
                CLI_OPTIONS},
    .headings = {{CLI_BATCHES, "Options of targets",
                  "accord vary blas:sgemm --shape 1x64x256 --batch 1..64"},
                 {CLI_METHOD, "Options of methods of reduction",
                  "accord vary --method AO,SPA,SPTR -n 1e3..1e5*10 --runs 200"},
                 {CLI_CROSS_PLATFORM, "Other questions about methods of reduction",
                  "accord vary --cross-platform"},
                 {CLI_OUTPUT, "Output", "accord vary --method AO -n 10000 -o page.html"}},
    .examples = {{"accord vary so:./mine.so:my_sum -n 100000 --runs 1000 --load",
                  "a function of your own, a thousand times, on busy processors"},
                 {"accord vary blas:ddot -n 100000 --threads 1,2,4",
                  "which numbers of threads share bits?"},
                 {"accord vary 'command:python3 sum.py' -n 1000 --runs 100 --json",
                  "a program, as JSON"}},
    .run = run_vary,
};
