/* accord sum: correctly rounded sums of numbers in files. */
#include "cli/sums/work.h"
#include <sys/stat.h>

typedef struct job {
    const cli_args *args;
    cli_reader_options options;
    cli_sums sums;
    size_t threads;
    cli_progress progress;
} job;

/* ---- options ---- */

static bool contradict(const cli_args *args)
{
    static const struct {
        enum cli_option_id a, b;
        const char *why;
    } pairs[] = {{CLI_SAVE, CLI_DECIMAL,
                  "the output of a decimal sum has all digits, so it can be added again"},
                 {CLI_MERGE, CLI_DECIMAL, "a saved sum cannot hold decimals"},
                 {CLI_MERGE, CLI_GROUP_BY,
                  "sums that were saved by key have their keys, and others have none"},
                 {CLI_MERGE, CLI_NAIVE, "a saved sum does not contain its terms"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (args->text[pairs[i].a] && args->text[pairs[i].b]) {
            cli_error("--%s and --%s contradict each other: %s; leave one out",
                      cli_options[pairs[i].a].name, cli_options[pairs[i].b].name, pairs[i].why);
            return true;
        }
    return false;
}

static bool read_job(job *j)
{
    const cli_args *args = j->args;
    if (contradict(args) || !cli_once(args) || !cli_read_options(args, &j->options))
        return false;
    cli_addition_options(args, &j->sums.how);
    j->sums.grouped = args->text[CLI_GROUP_BY];
    j->threads = cli_threads(args, &j->sums.how);
    j->options.beyond = j->sums.how.decimal
                            ? "too large for the f64 of --naive:"
                            : "too large for an f64 (--decimal adds it as it is written):";
    if (j->sums.grouped && !args->text[CLI_COLUMN])
        return cli_refuse("no column was given; use --column with a name or a number");
    return true;
}

/* ---- files ---- */

/* 0 where one of them is no file. */
static uint64_t bytes_of_all(const cli_args *args)
{
    uint64_t all = 0;
    struct stat st;
    for (size_t i = 0; i < args->operands; i++) {
        if (stat(args->operand[i], &st) != 0 || !S_ISREG(st.st_mode))
            return 0;
        all += (uint64_t)st.st_size;
    }
    return all;
}

static bool fail_at_source(cli_reader *r, const char *problem)
{
    return cli_reader_refuse(r, ACCORD_ARG, "%s is %s", r->source.name, problem);
}

static bool add_saved(cli_reader *r, cli_sums *sums)
{
    accord_exact more;
    accord_error error;
    if (sums->grouped || sums->how.decimal || sums->how.naive)
        return fail_at_source(r, "a saved sum, which does not contain its terms; leave --group-by, "
                                 "--decimal and --naive out");
    if (!cli_load_sum(r, &more))
        return false;
    return cli_saved_is_good(r, accord_exact_add(&sums->all.sum, &more, &error), &error);
}

/* Sums by key come alone: with other sums by key. */
static bool add_saved_groups(job *j, cli_reader *r)
{
    cli_sums *sums = &j->sums;
    bool first = !sums->grouped && sums->all.sum.count[ACCORD_EXACT_TERMS] == 0;
    if (sums->how.decimal || sums->how.naive)
        return fail_at_source(r,
                              "saved by key, and does not contain its terms; leave --decimal and "
                              "--naive out");
    if (!sums->groups->shard && (!first || !cli_groups_make(sums->groups)))
        return fail_at_source(r, "saved by key, but files before it are not; add them apart");
    sums->grouped = true;
    return cli_load_groups(r, sums->groups, &sums->how);
}

static bool add_file(job *j, cli_reader *r)
{
    bool saved = r->form == &cli_form_saved;
    if (r->form == &cli_form_groups)
        return add_saved_groups(j, r);
    if (j->sums.grouped && !j->args->text[CLI_GROUP_BY])
        return fail_at_source(r, "not saved by key, but files before it are; add them apart");
    if (saved)
        return add_saved(r, &j->sums);
    if (j->args->text[CLI_MERGE])
        return fail_at_source(r, "not a saved sum; leave --merge out to add its numbers");
    if (j->sums.how.decimal && !r->form->entry)
        return fail_at_source(r, "binary, but --decimal is for decimals in text; leave it out");
    return cli_sum_reader(r, &j->sums, j->threads, &j->progress);
}

static int add_files(job *j)
{
    int status = CLI_YES;
    for (size_t i = 0; status == CLI_YES && i < j->args->operands; i++) {
        cli_reader r;
        if (!cli_reader_open(&r, j->args->operand[i], &j->options) || !add_file(j, &r))
            status = cli_reader_fail(&r);
        cli_reader_close(&r);
    }
    cli_bar_end(&j->progress.bar);
    accord_error error;
    cli_sums *sums = &j->sums;
    bool good = status != CLI_YES || !sums->device ||
                cli_device_end_sum(sums->device, &sums->all.sum, &error);
    return good ? status : cli_fail(&error);
}

/* ---- the answer ---- */

static int out_of_memory(void)
{
    cli_error("out of memory");
    return CLI_UNABLE;
}

/* Millions of groups have a long text, which is written as it is made. */
static int write_results(job *j, cli_results *results)
{
    const cli_args *args = j->args;
    accordi_buffer text = {0};
    cli_output output;
    unsigned char bytes[ACCORD_EXACT_BYTES];
    int64_t skipped = args->text[CLI_SKIP_EMPTY] ? (int64_t)j->sums.skipped : -1;
    accord_exact_save(&j->sums.all.sum, bytes);
    int status =
        results->one ? cli_save(args, bytes, sizeof bytes) : cli_save_groups(args, results->groups);
    if (status != CLI_YES)
        return status;
    if (!cli_output_open(&output, args->text[CLI_TO]))
        return CLI_USAGE;
    results->to = &output;
    cli_put_results(&text, args, results, skipped);
    bool failed = text.failed;
    if (!failed)
        cli_output_write(&output, text.data, text.length);
    accordi_buffer_clear(&text);
    if (failed) {
        cli_output_discard(&output);
        return out_of_memory();
    }
    cli_remark(args, results);
    return cli_output_commit(&output);
}

static int answer_sum(job *j)
{
    cli_sums *sums = &j->sums;
    cli_result one;
    cli_results results = {.how = &sums->how, .groups = sums->groups};
    if (sums->grouped) {
        if (!cli_groups_sort(sums->groups))
            return out_of_memory();
        cli_groups_count(sums->groups, results.count);
        return write_results(j, &results);
    }
    if (!cli_tally_result(&sums->all, &sums->how, &one))
        return out_of_memory();
    results.one = &one;
    memcpy(results.count, one.count, sizeof results.count);
    int status = write_results(j, &results);
    free(one.decimal);
    return status;
}

static int run_sum(const cli_args *args)
{
    cli_groups groups = {0};
    job j = {.args = args, .sums.groups = &groups};
    if (!read_job(&j) || cli_output_try("--save", args->text[CLI_SAVE]) != CLI_YES)
        return CLI_USAGE;
    int status = cli_device_open(args, false, &j.sums.device);
    if (status != CLI_YES)
        return status;
    cli_catch_bus();
    j.progress.total = bytes_of_all(args);
    cli_bar_start(&j.progress.bar, "sum", args->text[CLI_QUIET]);
    status = j.sums.grouped && !cli_groups_make(&groups) ? out_of_memory() : add_files(&j);
    if (status == CLI_YES)
        status = answer_sum(&j);
    cli_sums_clear(&j.sums);
    return status;
}

const cli_verb cli_sum = {
    .name = "sum",
    .operands = "FILE...",
    .about = "compute the correctly rounded sum of numbers, in any order",
    .text =
        "Adds all numbers of all files (- is standard input) without rounding, in constant memory, "
        "and rounds once at the end. The result has the same bits for any order, any split into "
        "files and any number of threads. Prints the shortest decimal that reads back exactly in "
        "the format of --result, and the same number in hexadecimal. If there are no numbers, it "
        "prints 0 and a remark. Files can be text (decimal or hexadecimal numbers, separated by "
        "white space or a comma; # starts a comment), tables (.csv and .tsv with quotes as in RFC "
        "4180; others with --separator or with columns separated by white space), raw (names that "
        "end in .f64, .f32, .f16, .bf16, or .bin for f64; or any name with --type), .npy (f2, f4, "
        "f8 and integers of any shape; with --column and a number, one column of two dimensions, "
        "and with --column and a name, one field of records), or sums written by --save, which are "
        "recognized. In a .csv file the separator is the first of tab, semicolon and comma that "
        "occurs in the first line. All lines of a table must have as many columns as the first. "
        "Decimals are first rounded to the nearest f64, so 0.1 is not exactly a tenth; --decimal "
        "adds them exactly as written, with up to 100000 digits on either side of the point, and "
        "prints the exact sum followed by its roundings. --decimal also adds hexadecimal numbers "
        "exactly; each of their bits must lie in the range of an f64. The words nan, inf and "
        "infinity are numbers, too. Blank lines are skipped; empty fields are skipped only with "
        "--skip-empty. --naive rounds each number to f64 (or --result) and adds in that format "
        "from left to right. --group-by needs memory: for each distinct text at most 200 bytes and "
        "the length of the text, whatever the number of threads; more where the numbers of one "
        "text differ by more than some 30 decades, with --decimal and with --naive, and while "
        "several files are read by several threads. --device adds on an OpenCL device "
        "(doc/opencl.md); a missing device, or one that does not compute as IEEE 754 says, is an "
        "error. For bad input, the error states its position and nothing is printed.",
    .least = 1,
    .most = SIZE_MAX,
    .tables = true,
    .sums = true,
    .options = {CLI_COLUMN,     CLI_GROUP_BY, CLI_SEPARATOR,    CLI_HEADER, CLI_SKIP_EMPTY,
                CLI_DECIMAL,    CLI_NAIVE,    CLI_ROUNDING,     CLI_RESULT, CLI_TYPE,
                CLI_BIG_ENDIAN, CLI_WORKERS,  CLI_EXACT_DEVICE, CLI_SAVE,   CLI_MERGE,
                CLI_OUTPUT,     CLI_JSON,     CLI_TO,           CLI_QUIET,  CLI_HELP,
                CLI_OPTIONS},
    .examples = {{"accord sum x.txt y.npy z.f64 --naive",
                  "all numbers in three files, and the error of a simple loop"},
                 {"seq 10 | accord sum -", "numbers from a pipe"},
                 {"accord sum ledger.csv --column amount --decimal", "cents, exactly"},
                 {"accord sum ledger.csv --column 3 --header --group-by 2 --json",
                  "one sum for each distinct text"},
                 {"accord sum part1.f64 --save part1.sum", "part of the work, on each machine"},
                 {"accord sum --merge part1.sum part2.sum",
                  "the sum of all parts; or sums by key, if they were saved with --group-by"}},
    .run = run_sum,
};
