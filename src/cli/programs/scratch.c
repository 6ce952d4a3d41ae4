/* A folder for temporary files that goes with this process, however that ends.
 *
 * A guard, a process of its own, holds the reading end of a pipe on which nothing is ever written.
 * When the last writing end is closed, at our close or at our death, even by SIGKILL, it removes
 * the folder. It is in a session of its own, so that a terminal's signals do not reach it. */
#include "cli/programs/programs.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/wait.h>
#include <unistd.h>

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info;
    (void)kind;
    (void)where;
    remove(path);
    return 0;
}

static _Noreturn void guard_folder(const char *path, int lifeline)
{
    sigset_t all;
    char byte;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    setsid();
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        dup2(nothing, fd);
    while (read(lifeline, &byte, 1) < 0 && errno == EINTR)
        ;
    for (int tries = 0; tries < 50 && nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS) == 0 &&
                        access(path, F_OK) == 0;
         tries++) /* while a program that is being killed still writes into it */
        usleep(20000);
    _exit(0);
}

static bool start_guard(cli_scratch *scratch)
{
    int lifeline[2];
    if (pipe2(lifeline, O_CLOEXEC) != 0)
        return false;
    scratch->guard = fork();
    if (scratch->guard == 0) {
        close(lifeline[1]);
        guard_folder(scratch->path, lifeline[0]);
    }
    close(lifeline[0]);
    if (scratch->guard < 0) {
        close(lifeline[1]);
        return false;
    }
    scratch->lifeline = lifeline[1];
    return true;
}

bool cli_scratch_new(cli_scratch *scratch)
{
    const char *folder = getenv("TMPDIR");
    folder = folder && *folder ? folder : "/tmp";
    *scratch = (cli_scratch){.lifeline = -1};
    if (asprintf(&scratch->path, "%s/accord-XXXXXX", folder) < 0)
        scratch->path = cli_need(NULL);
    bool made = mkdtemp(scratch->path);
    if (made && start_guard(scratch))
        return true;
    cli_error(made ? "the system did not allow a new process for %s (%s); end some processes"
                   : "cannot make a temporary folder in %s: %s; set TMPDIR to another folder",
              folder, strerror(errno));
    if (made)
        remove(scratch->path);
    free(scratch->path);
    scratch->path = NULL;
    return false;
}

void cli_scratch_free(cli_scratch *scratch)
{
    if (!scratch->path)
        return;
    close(scratch->lifeline);
    while (waitpid(scratch->guard, NULL, 0) < 0 && errno == EINTR)
        ;
    free(scratch->path);
    scratch->path = NULL;
}

char *cli_scratch_path(const cli_scratch *scratch, const char *format, ...)
{
    char name[64], *path;
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    return asprintf(&path, "%s/%s", scratch->path, name) < 0 ? cli_need(NULL) : path;
}
