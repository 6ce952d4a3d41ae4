/* Starts programs in a process group of their own, which ends when this process ends.
 *
 * The lifeline is a pipe on which nothing is ever written. The child holds the reading end and has
 * asked the kernel to end its whole group when that end wakes, which it does only when the last
 * writing end is closed: at our close, or at our death, however sudden and from whichever thread.
 * (PR_SET_PDEATHSIG would tie the child to the thread that forked, and spare grandchildren.) */
#include "base/child.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { high = 64 }; /* shells play with the descriptors below 10 */

static bool hold_lifeline(int lifeline, pid_t owner, int signal)
{
    int end = fcntl(lifeline, F_DUPFD, high);
    if (end < 0 || fcntl(end, F_SETOWN, owner) != 0 || fcntl(end, F_SETSIG, signal) != 0 ||
        fcntl(end, F_SETFL, O_ASYNC) != 0)
        return false;
    struct pollfd gone = {.fd = end, .events = POLLIN};
    return poll(&gone, 1, 0) == 0;
}

/* Copies above the numbers in use first, so that no dup2 hits a source. */
static bool place_files(const accordi_child_files *files)
{
    int in = files->in < 0 ? open("/dev/null", O_RDONLY | O_CLOEXEC) : files->in;
    int out = files->out < 0 ? STDERR_FILENO : files->out;
    int from[7] = {in, out, files->error ? files->error : STDERR_FILENO};
    int to[7] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
    for (size_t i = 0; i < files->count; i++) {
        from[3 + i] = files->others[i];
        to[3 + i] = 3 + (int)i;
    }
    for (size_t i = 0; i < 3 + files->count; i++)
        if ((from[i] = fcntl(from[i], F_DUPFD_CLOEXEC, high)) < 0)
            return false;
    for (size_t i = 0; i < 3 + files->count; i++)
        if (dup2(from[i], to[i]) < 0)
            return false;
    return true;
}

/* In the child, between fork and exec: only what is safe after a fork of a program with threads.
 * What goes wrong travels back through `report`. */
static void become(char *const argv[], const accordi_child_files *files, int lifeline, int report)
{
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigset_t none;
    sigemptyset(&none);
    if (!files->together)
        setpgid(0, 0);
    sigaction(SIGPIPE, &plain, NULL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int kept = fcntl(report, F_DUPFD_CLOEXEC, 2 * high);
    if (kept >= 0)
        report = kept;
    if (hold_lifeline(lifeline, files->together ? getpid() : -getpid(),
                      files->tidies ? SIGTERM : SIGKILL) &&
        place_files(files))
        execve(argv[0], argv, files->environment ? files->environment : environ);
    int why = errno;
    ssize_t written = write(report, &why, sizeof why);
    _exit(written == (ssize_t)sizeof why ? 126 : 127);
}

static enum accord_status refused(accord_error *error)
{
    return accordi_fail(
        error, ACCORD_IO, "the system did not allow a new process (%s): %s and try again",
        strerror(errno),
        errno == EMFILE || errno == ENFILE ? "close files or raise their limit (`ulimit -n`)"
                                           : "end some processes");
}

static void close_pair(int pair[2])
{
    close(pair[0]);
    close(pair[1]);
}

enum accord_status accordi_child_start(accordi_child *child, char *const argv[],
                                       const accordi_child_files *files, accord_error *error)
{
    int lifeline[2], report[2], why = 0;
    if (pipe2(lifeline, O_CLOEXEC) != 0)
        return refused(error);
    if (pipe2(report, O_CLOEXEC) != 0) {
        close_pair(lifeline);
        return refused(error);
    }
    pid_t pid = fork();
    if (pid == 0) {
        close(lifeline[1]);
        become(argv, files, lifeline[0], report[1]);
    }
    close(lifeline[0]);
    close(report[1]);
    ssize_t got = 0;
    if (pid > 0) {
        if (!files->together)
            setpgid(pid, pid);
        do
            got = read(report[0], &why, sizeof why);
        while (got < 0 && errno == EINTR);
    }
    close(report[0]);
    if (pid > 0 && got == 0) {
        *child = (accordi_child){.pid = pid, .lifeline = lifeline[1], .together = files->together};
        return ACCORD_OK;
    }
    close(lifeline[1]);
    if (pid < 0)
        return refused(error);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    if (why == EMFILE || why == EINVAL) /* the latter: a limit below the numbers asked for here */
        return accordi_fail(error, ACCORD_IO,
                            "%s cannot be started: the limit on open files is too low; raise it, "
                            "e.g. with `ulimit -n 1024`",
                            argv[0]);
    return accordi_fail(error, ACCORD_TARGET,
                        "%s cannot be started: %s; check that it exists and "
                        "is executable",
                        argv[0], strerror(why));
}

/* Pointers, then the texts to which they point. */
static char **environment_of(const char *texts, size_t bytes)
{
    size_t count = 0, at = 0;
    for (size_t i = 0; i < bytes; i++)
        count += !texts[i];
    char **all = accordi_alloc(bytes + (count + 1) * sizeof *all, 1);
    if (!all)
        return NULL;
    char *copy = (char *)(all + count + 1);
    memcpy(copy, texts, bytes);
    for (size_t i = 0; i < count; i++, at += strlen(copy + at) + 1)
        all[i] = copy + at;
    all[count] = NULL;
    return all;
}

char **accordi_child_environment(const accordi_child *child)
{
    char path[64], part[4096], **all = NULL;
    accordi_buffer texts = {0};
    ssize_t got = -1;
    snprintf(path, sizeof path, "/proc/%ld/environ", (long)child->pid);
    int file = child->pid ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    while (file >= 0 && (got = read(file, part, sizeof part)) > 0)
        accordi_buffer_append(&texts, part, (size_t)got);
    if (got == 0 && !texts.failed && texts.length && texts.data[texts.length - 1] == '\0')
        all = environment_of(texts.data, texts.length);
    if (file >= 0)
        close(file);
    accordi_buffer_clear(&texts);
    return all;
}

bool accordi_child_ended(accordi_child *child)
{
    siginfo_t info = {0};
    if (child->ended || child->pid == 0)
        return true;
    int failed = waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT);
    if (failed && errno == EINTR)
        return false;
    if (failed) { /* reaped by somebody else, e.g. where SIGCHLD is ignored */
        child->code = -1;
        return child->ended = true;
    }
    if (info.si_pid == 0)
        return false;
    if (info.si_code == CLD_EXITED)
        child->code = info.si_status;
    else
        child->signal = info.si_status;
    return child->ended = true;
}

bool accordi_child_wait(accordi_child *child, double seconds)
{
    double until = accordi_now() + seconds;
    struct timespec pause = {.tv_nsec = 200000};
    while (!accordi_child_ended(child)) {
        if (accordi_now() >= until)
            return false;
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 5000000)
            pause.tv_nsec *= 2;
    }
    return true;
}

void accordi_child_kill(accordi_child *child)
{
    if (child->pid == 0)
        return;
    if (!child->ended || child->code >= 0) /* a zombie still guards the number of its group */
        kill(child->together ? child->pid : -child->pid, SIGKILL);
    close(child->lifeline);
    while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    child->pid = 0;
}

void accordi_child_end(accordi_child *child, double seconds)
{
    if (child->pid && !accordi_child_ended(child)) {
        kill(child->together ? child->pid : -child->pid, SIGTERM);
        accordi_child_wait(child, seconds);
    }
    accordi_child_kill(child);
}

void accordi_child_fate(const accordi_child *child, char *text, size_t size)
{
    const char *name = child->signal ? strsignal(child->signal) : "";
    if (child->signal)
        snprintf(text, size, "%s signal %d (%s)",
                 child->signal == SIGTERM || child->signal == SIGKILL ? "was ended by"
                                                                      : "crashed with",
                 child->signal, name);
    else if (child->code < 0)
        snprintf(text, size, "ended for an unknown reason");
    else if (child->code > 128 && child->code < 128 + 32)
        snprintf(text, size, "exited with status %d (signal %d: %s)", child->code,
                 child->code - 128, strsignal(child->code - 128));
    else
        snprintf(text, size, "exited with status %d%s", child->code,
                 child->code == 127 ? " (command not found)" : "");
}
