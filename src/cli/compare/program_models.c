/* The program with bounds, once for each model that the flags of a build name.
 *
 * If one model is not available (a program of threads, a model that programs do not have), the
 * others are not affected: the reason is kept, and builds of that model are reported as not
 * compared. */
#include "cli/compare/program_sweep.h"
#include <unistd.h>

/* A run with bounds takes longer than the slowest build; without --timeout it is stopped at this
 * many times that. */
static const double patience = 200, least_limit = 60;

static double limit_of_runs(const cli_program_sweep *s)
{
    double given = cli_real(s->args, CLI_TIMEOUT, 0), slowest = 0;
    if (given > 0)
        return given;
    for (size_t i = 0; i < s->builds.count; i++)
        if (s->group_of[i] != CLI_NO_GROUP && s->builds.list[i].seconds > slowest)
            slowest = s->builds.list[i].seconds;
    return patience * slowest > least_limit ? patience * slowest : least_limit;
}

static size_t model_number(cli_program_sweep *s, const char *name)
{
    for (size_t k = 0; k < s->models; k++)
        if (strcmp(s->model[k].name, name) == 0)
            return k;
    s->model[s->models].name = name;
    return s->models++;
}

/* The models that builds name, in the order of the builds. */
static void list_models(cli_program_sweep *s)
{
    s->model = cli_need(accordi_calloc(s->builds.count + 1, sizeof *s->model));
    s->containment = cli_need(accordi_calloc(s->builds.count + 1, sizeof *s->containment));
    for (size_t i = 0; i < s->builds.count; i++) {
        const cli_build *b = &s->builds.list[i];
        if (s->group_of[i] != CLI_NO_GROUP)
            s->containment[i].model = model_number(s, b->set->model[b->compiler->family]);
    }
}

/* ---- one run ---- */

static int wait_for_run(cli_program_model *m, cli_job *job)
{
    while (!cli_job_ended(job)) {
        accordi_child_wait(&job->child, .02);
        if (!cli_signal())
            continue;
        accordi_child_kill(&job->child);
        cli_error("interrupted before the end");
        return CLI_FAILED;
    }
    if (job->timed_out || job->child.signal) {
        char fate[120];
        cli_job_fate(job, fate, sizeof fate);
        snprintf(m->why, sizeof m->why, "the program with these bounds %s%s", fate,
                 job->timed_out ? "; give it more time with --timeout" : "");
    }
    return CLI_YES;
}

static void read_bounds(cli_program_model *m, const char *path)
{
    accord_error error;
    if (cli_raw_read(path, &m->raw, &error) != ACCORD_OK)
        snprintf(m->why, sizeof m->why, "%.390s", error.text);
    else if (m->raw.end && strcmp(m->raw.end, "refused") == 0)
        snprintf(m->why, sizeof m->why, "%s",
                 m->raw.losts ? m->raw.lost[m->raw.losts - 1].what : "the program was refused");
    else
        m->ran = true;
}

static int run_with_bounds(cli_program_sweep *s, cli_program_model *m, const char *program)
{
    cli_words words = {0};
    accord_error error;
    cli_job job;
    char *path = cli_scratch_path(&s->scratch, "raw");
    const cli_setting settings[] = {{"ACCORD_BOUND_RAW", path}, {NULL, NULL}};
    int status = CLI_YES;
    unlink(path);
    cli_words_add(&words, program);
    for (size_t i = 0; i < s->args->runs; i++)
        cli_words_add(&words, s->args->run[i]);
    if (cli_job_start(&job, words.word, cli_input_of_runs(), NULL, NULL, settings, limit_of_runs(s),
                      &error) != ACCORD_OK)
        snprintf(m->why, sizeof m->why, "%.390s", error.text);
    else
        status = wait_for_run(m, &job);
    if (status == CLI_YES && !m->why[0])
        read_bounds(m, path);
    cli_words_clear(&words);
    free(path);
    return status;
}

static int bound_model(cli_program_sweep *s, const cli_instrumenter *tools, cli_program_model *m)
{
    char *program = NULL;
    int status =
        cli_instrumented_build(tools, s->args, &s->scratch, m->name, &program, m->why, true);
    if (status == CLI_YES) {
        m->why[0] = 0; /* what the tools said of what they made */
        status = run_with_bounds(s, m, program);
        unlink(program);
    }
    free(program);
    return status == CLI_FAILED ? status : CLI_YES;
}

/* ---- all models ---- */

static int bound_models(cli_program_sweep *s, cli_instrumenter *tools, cli_bar *bar)
{
    char why[400];
    int status = cli_instrumented_compile(tools, s->args, &s->scratch, why, true);
    if (status == CLI_USAGE)
        for (size_t k = 0; k < s->models; k++)
            snprintf(s->model[k].why, sizeof s->model[k].why, "%s", why);
    for (size_t k = 0; status == CLI_YES && k < s->models; k++) {
        cli_bar_step(bar, "running with bounds", k, s->models);
        status = bound_model(s, tools, &s->model[k]);
    }
    return status == CLI_USAGE ? CLI_YES : status;
}

int cli_program_models(cli_program_sweep *s, cli_bar *bar)
{
    cli_instrumenter tools;
    list_models(s);
    cli_set_unset(s->args);
    if (cli_instrumenter_find(&tools, &s->scratch, true) != CLI_YES) {
        for (size_t k = 0; k < s->models; k++)
            snprintf(s->model[k].why, sizeof s->model[k].why,
                     "there is no instrumenter, or no clang of its version");
        return CLI_YES;
    }
    int status = bound_models(s, &tools, bar);
    cli_instrumenter_clear(&tools);
    return status;
}

void cli_program_models_clear(cli_program_sweep *s)
{
    for (size_t k = 0; k < s->models; k++)
        cli_raw_clear(&s->model[k].raw);
    free(s->model);
    free(s->containment);
}
