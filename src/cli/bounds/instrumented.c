/* A program that carries bounds along: compiled to bitcode, instrumented, linked with the runtime.
 *
 * The flags of the first step keep every operation of the source: nothing is fused or folded, and
 * each written parenthesis stands in the bitcode. */
#include "cli/bounds/program.h"
#include <limits.h>
#include <unistd.h>

static const char as_written[] =
    "-w -O0 -g -fno-delete-null-pointer-checks -ffp-contract=off -fassociative-math "
    "-fno-signed-zeros -fno-trapping-math -fprotect-parens -fno-builtin -U_FORTIFY_SOURCE "
    "-Xclang -disable-O0-optnone -emit-llvm -c";

/* The version of LLVM that the instrumenter is built for; it reads the bitcode of this one alone.
 */
#define LLVM "14"

/* ---- tools ---- */

/* FOLDER/NAME, if it is there. */
static bool has_file(const char *folder, const char *name)
{
    char path[PATH_MAX];
    return snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path &&
           access(path, R_OK) == 0;
}

/* By the environment, beside this program (as built, as installed), as configured. */
static char *find_folder(void)
{
    static const char *const tails[] = {".", "src/bound/instrument", "../libexec/accord"};
    const char *named = getenv("ACCORD_INSTRUMENTER");
    char self[PATH_MAX], folder[PATH_MAX + 40];
    if (named && *named)
        return has_file(named, "accord-instrument") ? cli_need(accordi_strdup(named)) : NULL;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length < 0 ? 0 : length] = 0;
    char *slash = strrchr(self, '/');
    for (size_t i = 0; slash && i < sizeof tails / sizeof tails[0]; i++) {
        snprintf(folder, sizeof folder, "%.*s/%s", (int)(slash - self), self, tails[i]);
        if (has_file(folder, "accord-instrument"))
            return cli_need(accordi_strdup(folder));
    }
    return has_file(ACCORD_LIBEXECDIR, "accord-instrument")
               ? cli_need(accordi_strdup(ACCORD_LIBEXECDIR))
               : NULL;
}

bool cli_wait_for(cli_job *job)
{
    while (!cli_job_ended(job)) {
        accordi_child_wait(&job->child, .02);
        if (!cli_signal())
            continue;
        accordi_child_kill(&job->child);
        return cli_refuse("interrupted before the end");
    }
    return true;
}

static bool is_llvm_version(const char *clang, const cli_scratch *scratch)
{
    char *path = cli_scratch_path(scratch, "clang-version"), line[40] = "";
    char *const argv[] = {(char *)clang, (char *)"-dumpversion", NULL};
    cli_job job;
    unlink(path);
    bool good = cli_job_start(&job, argv, NULL, path, NULL, NULL, 20, NULL) == ACCORD_OK &&
                cli_wait_for(&job) && cli_first_line(path, line, sizeof line) &&
                strncmp(line, LLVM ".", strlen(LLVM ".")) == 0;
    free(path);
    return good;
}

static char *find_clang(const cli_scratch *scratch)
{
    static const char *const names[] = {"clang-" LLVM, "clang"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *path = cli_find_program(names[i]);
        if (path && is_llvm_version(path, scratch))
            return path;
        free(path);
    }
    return NULL;
}

int cli_instrumenter_find(cli_instrumenter *tools, const cli_scratch *scratch, bool quiet)
{
    *tools = (cli_instrumenter){.folder = find_folder()};
    tools->clang = tools->folder ? find_clang(scratch) : NULL;
    if (tools->clang)
        return CLI_YES;
    if (!quiet && !tools->folder)
        cli_error("this accord cannot instrument programs (accord-instrument was not found); "
                  "install clang-" LLVM " and llvm-" LLVM
                  "-dev, and build and install accord again");
    else if (!quiet)
        cli_error("bounds of programs need clang " LLVM
                  ", which is not on the PATH; install clang-" LLVM);
    cli_instrumenter_clear(tools);
    return CLI_UNABLE;
}

void cli_instrumenter_clear(cli_instrumenter *tools)
{
    free(tools->clang);
    free(tools->folder);
    cli_words_clear(&tools->pins);
    cli_words_clear(&tools->linked);
    cli_words_clear(&tools->without);
    *tools = (cli_instrumenter){0};
}

/* ---- steps ---- */

int cli_run_tool(const cli_scratch *scratch, cli_words *words, const char *log, int *code)
{
    const cli_setting settings[] = {{"TMPDIR", scratch->path}, {NULL, NULL}};
    accord_error error;
    cli_job job;
    unlink(log);
    enum accord_status status =
        cli_job_start(&job, words->word, NULL, log, log, settings, 0, &error);
    cli_words_clear(words);
    if (status != ACCORD_OK)
        return cli_fail(&error);
    if (!cli_wait_for(&job))
        return CLI_FAILED;
    *code = job.child.code;
    return cli_job_good(&job) ? CLI_YES : CLI_USAGE;
}

static char *bitcode_of(const cli_scratch *scratch, size_t i)
{
    return cli_scratch_path(scratch, "file-%zu.bc", i);
}

void cli_add_as_written(cli_words *words)
{
    cli_words_split(words, as_written);
}

static int compile_file(cli_instrumenter *tools, const cli_args *args, const cli_scratch *scratch,
                        size_t i, char why[400])
{
    cli_words words = {0};
    char *log = cli_scratch_path(scratch, "compile"), *out = bitcode_of(scratch, tools->pieces++),
         said[300];
    cli_words_add(&words, tools->clang);
    cli_program_flags(args, &words);
    cli_add_as_written(&words);
    cli_words_add(&words, args->operand[i]);
    cli_words_add(&words, "-o");
    cli_words_add(&words, out);
    int code, status = cli_run_tool(scratch, &words, log, &code);
    cli_compiler_said(log, said, sizeof said);
    snprintf(why, 400, "%s does not compile: %s", args->operand[i], said);
    free(log);
    free(out);
    return status;
}

int cli_instrumented_compile(cli_instrumenter *tools, const cli_args *args,
                             const cli_scratch *scratch, char why[400], bool quiet)
{
    int status = CLI_YES;
    for (size_t i = 0; status == CLI_YES && i < args->operands; i++)
        status = cli_is_elf(args->operand[i])
                     ? cli_built_take(tools, args->operand[i], scratch, why)
                     : compile_file(tools, args, scratch, i, why);
    if (status == CLI_USAGE && !quiet)
        cli_error("%s", why);
    return status;
}

/* One path below the tools' folder. */
static void add_tool(const cli_instrumenter *tools, const char *name, cli_words *words)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", tools->folder, name);
    cli_words_add(words, path);
}

static int instrument(const cli_instrumenter *tools, const cli_scratch *scratch, const char *models,
                      const char *object, const char *log, int *code)
{
    cli_words words = {0};
    add_tool(tools, "accord-instrument", &words);
    for (size_t i = 0; i < tools->pieces; i++) {
        char *bitcode = bitcode_of(scratch, i);
        cli_words_add(&words, bitcode);
        free(bitcode);
    }
    cli_words_add(&words, "-o");
    cli_words_add(&words, object);
    cli_words_add(&words, "--runtime");
    add_tool(tools, "accord-bound-runtime.bc", &words);
    cli_words_add(&words, "--model");
    cli_words_add(&words, models);
    if (tools->tape)
        cli_words_add(&words, "--tape");
    if (tools->both)
        cli_words_add(&words, "--both");
    if (tools->margins)
        cli_words_add(&words, "--margins");
    if (tools->inputs)
        cli_inputs_add_words(tools->inputs, &words);
    for (size_t i = 0; i < tools->pins.count; i++) {
        cli_words_add(&words, "--pin");
        cli_words_add(&words, tools->pins.word[i]);
    }
    return cli_run_tool(scratch, &words, log, code);
}

static int link_program(const cli_instrumenter *tools, const cli_args *args,
                        const cli_scratch *scratch, const char *object, const char *program,
                        const char *log)
{
    cli_words words = {0};
    cli_words_add(&words, tools->clang);
    cli_words_add(&words, "-w");
    cli_program_flags(args, &words);
    cli_words_add(&words, object);
    for (size_t i = 0; i < tools->linked.count; i++)
        cli_words_add(&words, tools->linked.word[i]);
    cli_program_libraries(args, &words);
    add_tool(tools, "accord-bound-runtime.a", &words);
    cli_words_split(&words, "-lm -lpthread -o");
    cli_words_add(&words, program);
    int code;
    return cli_run_tool(scratch, &words, log, &code);
}

/* What it wrote begins with its name, except where the user asked for what is not there. */
static const char own_name[] = "accord-instrument: ";

int cli_instrumented_build(const cli_instrumenter *tools, const cli_args *args,
                           const cli_scratch *scratch, const char *models, char **program,
                           char why[400], bool quiet)
{
    const char *base = strrchr(args->operand[0], '/');
    base = base ? base + 1 : args->operand[0];
    char *object = cli_scratch_path(scratch, "bounds-%s.o", models);
    char *log = cli_scratch_path(scratch, "log-%s", models);
    char *out = cli_scratch_path(scratch, "%.*s-%s", (int)strcspn(base, "."), base, models);
    int code = 0, status = instrument(tools, scratch, models, object, log, &code);
    bool refused = status == CLI_USAGE, misused = refused && code == 2;
    if (status == CLI_YES)
        status = link_program(tools, args, scratch, object, out, log);
    cli_compiler_said(log, why, 400);
    if (misused && !quiet)
        cli_error("%s", why + (strncmp(why, own_name, strlen(own_name)) ? 0 : strlen(own_name)));
    else if (status == CLI_USAGE && !quiet)
        cli_error(refused ? "the program cannot be instrumented: %s"
                          : "the program cannot be linked: %s",
                  why);
    *program = out;
    free(object);
    free(log);
    return refused && !misused ? CLI_UNABLE : status;
}

enum accord_status cli_start_again(const cli_args *args, const char *program, const char *raw,
                                   double limit, cli_job *job, accord_error *error)
{
    const cli_setting settings[] = {{"ACCORD_BOUND_RAW", raw}, {NULL, NULL}};
    cli_words words = {0};
    cli_words_add(&words, program);
    for (size_t i = 0; i < args->runs; i++)
        cli_words_add(&words, args->run[i]);
    enum accord_status status =
        cli_job_start(job, words.word, cli_input_of_runs(), NULL, NULL, settings, limit, error);
    cli_words_clear(&words);
    return status;
}
