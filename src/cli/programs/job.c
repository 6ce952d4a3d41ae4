/* Programs that run beside each other: started without waiting, then asked whether they ended. */
#include "cli/programs/programs.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* ---- the environment ---- */

enum { MOST_SETTINGS = 4 };

/* Gives each variable its value for a while; `old` gets copies of what they were. */
static void put_settings(const cli_setting *settings, char *old[MOST_SETTINGS])
{
    for (size_t i = 0; settings && settings[i].name && i < MOST_SETTINGS; i++) {
        const char *before = getenv(settings[i].name);
        old[i] = before ? accordi_strdup(before) : NULL;
        if (settings[i].value)
            setenv(settings[i].name, settings[i].value, 1);
    }
}

static void take_settings_back(const cli_setting *settings, char *old[MOST_SETTINGS])
{
    for (size_t i = 0; settings && settings[i].name && i < MOST_SETTINGS; i++) {
        if (old[i])
            setenv(settings[i].name, old[i], 1);
        else
            unsetenv(settings[i].name);
        free(old[i]);
    }
}

/* ---- files ---- */

static int open_to_write(const char *path)
{
    return open(path ? path : "/dev/null", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void close_all(const int *fd, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fd[i] >= 0)
            close(fd[i]);
}

enum accord_status cli_job_start(cli_job *job, char *const argv[], const char *in, const char *out,
                                 const char *err, const cli_setting *settings, double limit,
                                 accord_error *error)
{
    char *old[MOST_SETTINGS] = {NULL};
    int fd[3] = {open(in ? in : "/dev/null", O_RDONLY | O_CLOEXEC), open_to_write(out),
                 open_to_write(err)};
    *job = (cli_job){.start = accordi_now(), .limit = limit};
    if (fd[0] < 0 || fd[1] < 0 || fd[2] < 0) {
        int why = errno;
        close_all(fd, 3);
        return accordi_fail(error, ACCORD_IO, "cannot open a temporary file: %s", strerror(why));
    }
    accordi_child_files files = {.in = fd[0], .out = fd[1], .error = fd[2]};
    put_settings(settings, old);
    enum accord_status status = accordi_child_start(&job->child, argv, &files, error);
    take_settings_back(settings, old);
    close_all(fd, 3);
    return status;
}

/* ---- the end ---- */

bool cli_job_ended(cli_job *job)
{
    if (job->seconds > 0)
        return true;
    double seconds = accordi_now() - job->start;
    bool ended = accordi_child_ended(&job->child);
    job->timed_out = !ended && job->limit > 0 && seconds > job->limit;
    if (!ended && !job->timed_out)
        return false;
    job->seconds = seconds > 0 ? seconds : 1e-9;
    accordi_child_kill(&job->child);
    return true;
}

bool cli_job_good(const cli_job *job)
{
    return !job->timed_out && job->child.signal == 0 && job->child.code == 0;
}

void cli_job_fate(const cli_job *job, char *text, size_t size)
{
    if (job->timed_out)
        snprintf(text, size, "took longer than %g s", job->limit);
    else
        accordi_child_fate(&job->child, text, size);
}
