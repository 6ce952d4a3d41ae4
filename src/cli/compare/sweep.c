/* accord sweep: one question under every setting of some axes; which of them give other models?
 *
 * An axis is a list of values in words, whatever it is about: an environment variable, threads, a
 * count, a shape. A setting takes one value of each axis; all of them are asked, the last axis
 * fastest. */
#include "cli/compare/sweep.h"
#include "cli/compare/program_sweep.h"

static int ask_all_settings(cli_sweep_plan *s)
{
    int status = CLI_YES;
    for (size_t k = 0; status == CLI_YES && k < s->settings; k++) {
        size_t index[CLI_MOST_AXES], rest = k;
        for (size_t i = s->axes; i-- > 0; rest /= s->axis[i].values)
            index[i] = rest % s->axis[i].values;
        status = cli_sweep_ask(s, index, k);
    }
    if (status == CLI_YES)
        status = cli_sweep_seek(s);
    s->settings = s->survey.rows;
    return status;
}

static bool goes_with_program(enum cli_option_id id)
{
    static const enum cli_option_id all[] = {CLI_PROGRAM, CLI_OUTPUT, CLI_JSON,  CLI_TO,
                                             CLI_TIMEOUT, CLI_JOBS,   CLI_UNSET, CLI_QUIET};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i] == id)
            return true;
    return false;
}

/* Some options are of targets, others of programs. */
static bool check_kind(const cli_args *args)
{
    for (size_t i = 0; args->text[CLI_PROGRAM] && i < args->saids; i++) {
        const cli_option *option = &cli_options[args->said[i].id];
        if (goes_with_program(args->said[i].id))
            continue;
        return cli_refuse("--program does not go with %s%s; see accord help sweep",
                          option->name ? "--" : "-", option->name ? option->name : "n");
    }
    if (args->text[CLI_PROGRAM] || (args->operands == 1 && !args->flags && !args->text[CLI_RUN] &&
                                    !args->text[CLI_JOBS] && !args->text[CLI_UNSET]))
        return true;
    return cli_refuse("sweep takes one target; for the files of a program, their flags, --run, "
                      "--jobs and --unset, give --program");
}

static int run_sweep(const cli_args *args)
{
    if (!check_kind(args))
        return CLI_USAGE;
    if (args->text[CLI_PROGRAM])
        return cli_run_program_sweep(args);
    cli_sweep_plan *s = cli_need(accordi_calloc(1, sizeof *s));
    int status = CLI_USAGE;
    s->args = args;
    s->target = cli_with_settings(args, args->operand[0], true);
    if (s->target && cli_sweep_axes(s))
        status = ask_all_settings(s);
    if (status == CLI_YES) {
        accord_survey_judge(s->survey.groups, &s->verdict);
        status = cli_sweep_write(s);
    }
    for (size_t i = 0; i < s->axes; i++) {
        for (size_t k = 0; k < s->axis[i].values; k++)
            free(s->axis[i].value[k]);
        free(s->axis[i].value);
        free(s->axis[i].name);
    }
    free(s->index);
    free(s->target);
    cli_survey_clear(&s->survey);
    free(s);
    return status;
}

const cli_verb cli_sweep = {
    .name = "sweep",
    .operands = "TARGET | --program FILE... [-- FLAGS]",
    .about = "test whether the order depends on environment, threads or shape",
    .text =
        "Reveals TARGET under every setting, that is under all combinations of the values given to "
        "--env and --setting (both repeatable), --threads, -n, --shape, --align, --trans, --format "
        "and --build-options, and of collective operations to --length, --operation, --root, "
        "--position, --rank and --mca. Settings with the same order, arithmetic and answers "
        "(results on random inputs) form a group, which is named by a letter; where no model "
        "explains the arithmetic, the answers decide. Only settings with the same number of terms "
        "are compared. A setting under which the target fails or has no order is listed with the "
        "reason; a setting that fails is never called the same as another. --align 0..60 advances "
        "in steps of the element size. In --length, --setting and --env, A..B is a range: accord "
        "asks at A, at B and at the powers of two between them, then between neighbors with "
        "different answers until it knows to the number where the answer changes. Between two "
        "neighbors with the same answer nothing is asked, so an answer that occurs only there is "
        "missed; list further numbers (length=1..1e5,3000) to have them asked, too. At most one "
        "setting may have such ranges; NAME=A..B*F and NAME=A..B+S are lists, as for -n, of the "
        "numbers that are asked. The exit status is 0 if there is one group, 1 if there are more, "
        "3 if this cannot be determined because results vary from run to run or because the target "
        "fails for some number of terms, and 4 if the target failed under all settings. With "
        "--program, accord builds the C program in FILE... with every compiler that it finds (gcc, "
        "clang and tcc in all versions, and compilers for other processors if an emulator can run "
        "their programs) and with many sets of flags, and runs all builds. Builds that pass the "
        "same numbers to printf and fwrite, bit by bit, form a group. If accord can instrument "
        "programs, every number is also compared with the bounds of the model that the flags of "
        "its build name (see accord help bound); a number outside them is shown, and the exit "
        "status is 1. Flags of your own, such as -D and -I, follow --; arguments of the program "
        "follow --run. A program that contains the word ACCORD_OPENCL is also built as a host of "
        "OpenCL kernels. Builds that do not compile are left out. If standard input is a file, "
        "every run reads it. A run may take 60 seconds, and one with bounds 200 times as long as "
        "the slowest build if that is more; --timeout sets another limit for both. With --unset "
        "kept, the bounds take numbers that the program has not set as they were.",
    .least = 1,
    .most = SIZE_MAX,
    .tables = true,
    .options = {CLI_ENV,       CLI_THREADS,       CLI_COUNT,   CLI_SHAPES,   CLI_ALIGNS,
                CLI_TRANSES,   CLI_BUILD_OPTIONS, CLI_SETTING, CLI_OUTPUT,   CLI_JSON,
                CLI_TO,        CLI_ALGORITHM,     CLI_FORMATS, CLI_SEED,     CLI_REPLAYS,
                CLI_PROOF,     CLI_PROOF_ERROR,   CLI_BUDGET,  CLI_TIMEOUT,  CLI_PYTHON,
                CLI_SIGNATURE, CLI_SCALE_BLOCK,   CLI_SCALE,   CLI_RESULT,   CLI_ELEMENT,
                CLI_INCX,      CLI_INCY,          CLI_LDA,     CLI_LDB,      CLI_LDC,
                CLI_ALPHA,     CLI_BETA,          CLI_PROGRAM, CLI_JOBS,     CLI_UNSET,
                CLI_RUN,       CLI_QUIET,         CLI_HELP,    CLI_SETTINGS, CLI_POSITION,
                CLI_RANK,      CLI_MCA,           CLI_OPTIONS},
    .headings = {{CLI_LENGTH, "Settings of collective operations (mpi: targets)",
                  "accord sweep mpi:allreduce -n 2..16 --length 1,10 --type f32,bf16"}},
    .examples = {{"accord sweep blas:sgemv -n 64 --env OPENBLAS_CORETYPE=Haswell,Zen,Prescott",
                  "one library with its code for several CPUs"},
                 {"accord sweep blas:sgemm --shape 64x64x64 --threads 1,2,4",
                  "different numbers of threads; CI can use the exit status"},
                 {"accord sweep opencl:sum.cl:sum -n 64 --build-options ,-cl-fast-relaxed-math",
                  "an OpenCL kernel, built without options and with one"},
                 {"accord sweep mpi:allreduce -n 3 --length 1..100000",
                  "at which lengths does the order change?"},
                 {"accord sweep mpi:allreduce -n 2..8 --length '1..1e6*10'",
                  "at the lengths 1, 10, and so on up to a million, for each number of ranks"},
                 {"accord sweep --program solver.c -- -DSIZE=100 --run input.txt",
                  "does a program's output depend on the compiler?"},
                 {"accord sweep blas:sdot -n 64 --env OPENBLAS_CORETYPE=,Zen -O csv",
                  "the default and Zen, as CSV"}},
    .run = run_sweep,
};
