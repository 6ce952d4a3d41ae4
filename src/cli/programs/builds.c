/* One program under every compiler and its flags: compiled by several jobs at a time, then run, one
 * after the other unless --jobs says that runs do not disturb each other.
 *
 * Calls of printf and fwrite go through capture.c, which is linked with each build. Optimizers may
 * not turn one of these functions into another, e.g. fprintf(f, "text") into fwrite. */
#include "capture_text.h"
#include "cli/programs/programs.h"
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FUNCTIONS(row_) row_(printf) row_(fprintf) row_(vprintf) row_(vfprintf) row_(fwrite)

#define KEEP(name_) " -fno-builtin-" #name_
#define WRAP(name_) ",--wrap=" #name_
#define RENAME(name_) " -D" #name_ "=__wrap_" #name_

static const char keep[] =
    "-w -U_FORTIFY_SOURCE -fno-builtin-puts -fno-builtin-fputs" FUNCTIONS(KEEP);
static const char wrap[] = "-Wl" FUNCTIONS(WRAP);
static const char rename_calls[] = "-w" FUNCTIONS(RENAME);

static const double compile_limit = 300, run_limit = 60;

static bool is_32_bit(const cli_flag_set *set)
{
    return strstr(set->flags, "-m32") != NULL;
}

static void fail_build(cli_build *b, const char *format, ...) ACCORDI_PRINTF(2, 3);
static void fail_build(cli_build *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(b->why, sizeof b->why, format, args);
    va_end(args);
    b->state = CLI_BUILD_FAILED;
}

/* ---- commands ---- */

static void capture_words(const cli_builds *s, const cli_build *b, const char *object,
                          cli_words *words)
{
    char *source = cli_scratch_path(s->scratch, "capture.c");
    cli_words_add(words, b->compiler->path);
    cli_words_split(words, "-w -O1 -U_FORTIFY_SOURCE -D_GNU_SOURCE");
    cli_words_split(words, is_32_bit(b->set) ? "-m32" : "");
    cli_words_split(words, b->compiler->family == CLI_TCC      ? "-DACCORD_RENAMED"
                           : b->compiler->family == CLI_OPENCL ? "-DACCORD_KERNELS"
                                                               : "");
    cli_words_split(words, "-c -o");
    cli_words_add(words, object);
    cli_words_add(words, source);
    free(source);
}

static char *capture_object(const cli_builds *s, const cli_build *b)
{
    return cli_scratch_path(s->scratch, "capture-%s%s.o", b->compiler->name,
                            is_32_bit(b->set) ? "-32" : "");
}

/* Of OpenCL the flags are for kernels, and go into the program. */
static void flag_words(const cli_build *b, cli_words *words)
{
    char *macro;
    if (b->compiler->family != CLI_OPENCL) {
        cli_words_split(words, b->set->flags);
        return;
    }
    if (asprintf(&macro, "-DACCORD_OPENCL=\"%s\"", b->set->flags) < 0)
        macro = cli_need(NULL);
    cli_words_split(words, "-O2 -ffp-contract=off");
    cli_words_add(words, macro);
    free(macro);
}

static void compile_words(const cli_builds *s, const cli_build *b, cli_words *words)
{
    char *capture = capture_object(s, b);
    bool tcc = b->compiler->family == CLI_TCC;
    cli_words_add(words, b->compiler->path);
    cli_words_split(words, tcc ? rename_calls : keep);
    cli_words_split(words, b->compiler->emulator ? "-static" : "");
    if (!tcc)
        cli_words_add(words, wrap);
    cli_words_split(words, b->compiler->family == CLI_OPENCL ? "-Wl,--wrap=clBuildProgram" : "");
    cli_program_flags(s->args, words);
    flag_words(b, words); /* after those of the program, so that they hold */
    cli_words_add(words, "-o");
    cli_words_add(words, b->program);
    for (size_t i = 0; s->feed && i < s->feed->flags.count; i++)
        cli_words_add(words, s->feed->flags.word[i]);
    const char *const *source =
        s->feed ? (const char *const *)s->feed->sources.word : s->args->operand;
    size_t sources = s->feed ? s->feed->sources.count : s->args->operands;
    for (size_t i = 0; i < sources; i++)
        cli_words_add(words, source[i]);
    cli_words_add(words, capture);
    cli_words_split(words, b->compiler->family == CLI_OPENCL ? "-l:libOpenCL.so.1" : "");
    cli_program_libraries(s->args, words);
    free(capture);
}

/* ---- one job ---- */

static void start_command(cli_build *b, cli_words *words, const cli_setting *settings,
                          const char *in, const char *err, double limit)
{
    accord_error error;
    if (cli_job_start(&b->job, words->word, in, NULL, err, settings, limit, &error) != ACCORD_OK)
        fail_build(b, "%s", error.text);
    else
        b->state = CLI_BUILD_WORKS;
    cli_words_clear(words);
}

static void start_compile(const cli_builds *s, cli_build *b)
{
    cli_words words = {0};
    const cli_setting settings[] = {{"TMPDIR", s->scratch->path}, {NULL, NULL}};
    compile_words(s, b, &words);
    start_command(b, &words, settings, NULL, b->log, compile_limit);
}

/* Standard input is that of the command if it is a file, which each run reads from its start. */
const char *cli_input_of_runs(void)
{
    struct stat info;
    return fstat(STDIN_FILENO, &info) == 0 && S_ISREG(info.st_mode) ? "/dev/stdin" : NULL;
}

static void start_run(const cli_builds *s, cli_build *b)
{
    cli_words words = {0};
    const cli_setting settings[] = {
        {"ACCORD_NUMBERS", b->numbers},
        {"ACCORD_GIVEN", s->feed ? s->feed->values : NULL},
        {b->compiler->family == CLI_OPENCL ? "POCL_CACHE_DIR" : NULL, s->scratch->path},
        {NULL, NULL}};
    unlink(b->numbers);
    cli_devices_forget(b->numbers);
    if (b->compiler->emulator)
        cli_words_add(&words, b->compiler->emulator);
    cli_words_add(&words, b->program);
    for (size_t i = 0; i < s->args->runs; i++)
        cli_words_add(&words, s->args->run[i]);
    start_command(b, &words, settings, cli_input_of_runs(), NULL,
                  cli_real(s->args, CLI_TIMEOUT, run_limit));
}

/* "does not compile: a.c:3:5: error: …" */
static void end_compile(cli_build *b)
{
    char said[300], fate[80];
    b->compiled = cli_job_good(&b->job);
    b->state = CLI_BUILD_READY;
    if (b->compiled)
        return;
    cli_compiler_said(b->log, said, sizeof said);
    cli_job_fate(&b->job, fate, sizeof fate);
    if (said[0] && !b->job.timed_out)
        fail_build(b, "does not compile: %s", said);
    else
        fail_build(b, "does not compile: the compiler %s", fate);
}

static void end_run(cli_build *b)
{
    char fate[120];
    b->seconds = b->job.seconds;
    b->exit_status = b->job.child.code;
    b->state = CLI_BUILD_READY;
    cli_devices_free(b->device, b->devices);
    b->devices = cli_devices_read(b->numbers, &b->device);
    cli_job_fate(&b->job, fate, sizeof fate);
    if (b->job.timed_out || b->job.child.signal)
        fail_build(b, "%s", fate);
}

/* ---- all of them ---- */

typedef struct stage {
    const char *name;
    void (*start)(const cli_builds *s, cli_build *b);
    void (*end)(cli_build *b);
} stage;
static const stage compile = {"compiling", start_compile, end_compile};
static const stage run = {"running", start_run, end_run};

static void stop_all(cli_builds *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->list[i].state == CLI_BUILD_WORKS)
            accordi_child_kill(&s->list[i].job.child);
}

/* Ends what has ended, and returns how many still work. */
static size_t look_after(cli_builds *s, const stage *what)
{
    size_t working = 0;
    for (size_t i = 0; i < s->count; i++) {
        cli_build *b = &s->list[i];
        if (b->state == CLI_BUILD_WORKS && cli_job_ended(&b->job))
            what->end(b);
        working += b->state == CLI_BUILD_WORKS;
    }
    return working;
}

/* Brings builds from..end-1 that have not failed through a stage. */
static int go_through(cli_builds *s, const stage *what, size_t from, size_t end, size_t jobs)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    size_t next = from, working = 0;
    while (next < end || working > 0) {
        for (; next < end && working < jobs; next++) {
            if (s->list[next].state != CLI_BUILD_FAILED)
                what->start(s, &s->list[next]);
            working += s->list[next].state == CLI_BUILD_WORKS;
        }
        nanosleep(&pause, NULL);
        working = look_after(s, what);
        if (!cli_bar_step(s->bar, what->name, next - from - working, end - from)) {
            stop_all(s);
            cli_error("interrupted before the end");
            return CLI_FAILED;
        }
    }
    return CLI_YES;
}

static size_t number_of_jobs(const cli_builds *s, size_t otherwise)
{
    return (size_t)cli_integer(s->args, CLI_JOBS, (int64_t)otherwise);
}

/* ---- capture.c with each compiler ---- */

static bool write_capture(const cli_scratch *scratch)
{
    char *path = cli_scratch_path(scratch, "capture.c");
    FILE *file = fopen(path, "we");
    bool good = file && fputs(capture_text, file) >= 0;
    good = file && fclose(file) == 0 && good;
    free(path);
    if (!good)
        cli_error("cannot write a temporary file; set TMPDIR to a folder with more space");
    return good;
}

static void start_capture(const cli_builds *s, cli_build *b)
{
    cli_words words = {0};
    char *object = capture_object(s, b);
    const cli_setting settings[] = {{"TMPDIR", s->scratch->path}, {NULL, NULL}};
    capture_words(s, b, object, &words);
    if (access(object, F_OK) == 0) { /* another build of this compiler made it */
        b->state = CLI_BUILD_READY;
        cli_words_clear(&words);
    } else {
        start_command(b, &words, settings, NULL, b->log, compile_limit);
    }
    free(object);
}

static void end_capture(cli_build *b)
{
    char said[300];
    b->state = CLI_BUILD_READY;
    if (cli_job_good(&b->job))
        return;
    cli_compiler_said(b->log, said, sizeof said);
    fail_build(b, "this compiler cannot build programs here: %s", said);
}

static const stage capture = {"compiling", start_capture, end_capture};

/* ---- the plan ---- */

bool cli_build_is_native(const cli_build *b)
{
    return !b->compiler->machine && !is_32_bit(b->set);
}

cli_build *cli_builds_reference(const cli_builds *s)
{
    cli_build *found = NULL;
    for (size_t i = 0; i < s->count; i++) {
        cli_build *b = &s->list[i];
        bool better =
            !found || (found->compiler->family != CLI_CLANG && b->compiler->family == CLI_CLANG);
        if (b->state == CLI_BUILD_READY && cli_build_is_native(b) && better)
            found = b;
    }
    return found;
}

static int plan_builds(cli_builds *s, const char *within)
{
    size_t room = 0;
    const cli_flag_set *set;
    cli_compilers_find(&s->compilers, s->scratch);
    if (cli_program_mentions(s->args, "ACCORD_OPENCL"))
        cli_compilers_add_opencl(&s->compilers);
    for (size_t k = 0; k < s->compilers.count; k++)
        for (size_t i = 0; (set = cli_flag_set_at(i)); i++) {
            const cli_compiler *c = &s->compilers.list[k];
            if (!cli_flag_set_fits(set, c) ||
                (within && !cli_model_within(set->model[c->family], within)))
                continue;
            cli_grow((void **)&s->list, &room, s->count + 1, sizeof *s->list);
            s->list[s->count] = (cli_build){
                .compiler = c,
                .set = set,
                .numbers = cli_scratch_path(s->scratch, "numbers-%zu", s->count),
                .program = cli_scratch_path(s->scratch, "program-%zu", s->count),
                .log = cli_scratch_path(s->scratch, "log-%zu", s->count),
            };
            s->count++;
        }
    if (s->compilers.count == 0)
        cli_error("there is no C compiler on the PATH; install gcc or clang");
    return s->compilers.count ? CLI_YES : CLI_UNABLE;
}

int cli_builds_make(cli_builds *s, const cli_args *args, const cli_scratch *scratch,
                    const cli_feed *feed, const char *within, cli_bar *bar)
{
    *s = (cli_builds){.args = args, .feed = feed, .scratch = scratch, .bar = bar};
    size_t jobs = number_of_jobs(s, (size_t)sysconf(_SC_NPROCESSORS_ONLN));
    int status = write_capture(scratch) ? plan_builds(s, within) : CLI_UNABLE;
    for (size_t i = 0; status == CLI_YES && i < s->count; i++)
        status = go_through(s, &capture, i, i + 1, 1);
    if (status == CLI_YES)
        status = go_through(s, &compile, 0, s->count, jobs);
    if (status == CLI_YES)
        status = go_through(s, &run, 0, s->count, number_of_jobs(s, 1));
    return status;
}

int cli_builds_run_again(cli_builds *s, cli_build *build)
{
    size_t i = (size_t)(build - s->list);
    return go_through(s, &run, i, i + 1, 1);
}

void cli_builds_clear(cli_builds *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->list[i].numbers);
        free(s->list[i].program);
        free(s->list[i].log);
        cli_devices_free(s->list[i].device, s->list[i].devices);
    }
    free(s->list);
    cli_compilers_clear(&s->compilers);
}
