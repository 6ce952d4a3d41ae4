/* MPICH and its kin share memory through files in /dev/shm, which they remove as soon as all ranks
 * have opened them. Ranks that are killed before that would leave them behind. They make them with
 * mkstemp, and the call passes through here: a process of its own, which nobody kills with the
 * ranks, waits until this rank has ended and removes what is still there. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

__attribute__((visibility("default"))) int mkstemp(char *name);

enum { MOST_FILES = 64 };

typedef struct made {
    char name[128];
    dev_t device;
    ino_t node;
} made;

/* So that launchers see the end of the rank's output, and signals to its group pass by. */
static void part_from_rank(int kept)
{
    enum { MOST_DESCRIPTORS = 65536 };
    long most = sysconf(_SC_OPEN_MAX);
    setsid();
    signal(SIGTERM, SIG_IGN);
    for (int i = 0; i < MOST_DESCRIPTORS && i < most; i++)
        if (i != kept)
            close(i);
}

/* Does not return. */
static void wait_and_remove(int from)
{
    made file[MOST_FILES];
    size_t files = 0;
    part_from_rank(from);
    while (files < MOST_FILES) {
        ssize_t got = read(from, &file[files], sizeof *file);
        if (got == (ssize_t)sizeof *file)
            files++;
        else if (got >= 0 || errno != EINTR)
            break;
    }
    for (size_t i = 0; i < files; i++) {
        struct stat now;
        if (lstat(file[i].name, &now) == 0 && now.st_dev == file[i].device &&
            now.st_ino == file[i].node)
            unlink(file[i].name);
    }
    _exit(0);
}

/* Returns when it has parted from the rank: where to tell it, or -1 without it. */
static int start_remover(void)
{
    int told[2], parted[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, told))
        return -1;
    if (pipe2(parted, O_CLOEXEC)) {
        close(told[0]);
        close(told[1]);
        return -1;
    }
    pid_t child = fork();
    if (child == 0)
        wait_and_remove(told[0]);
    char none;
    close(told[0]);
    close(parted[1]);
    while (child > 0 && read(parted[0], &none, 1) < 0 && errno == EINTR)
        ; /* the end of it comes when the child has closed it */
    close(parted[0]);
    if (child > 0)
        return told[1];
    close(told[1]);
    return -1;
}

static void tell_remover(int to, const char *name, int file)
{
    made this = {.name = ""};
    struct stat now;
    if (to < 0 || file < 0 || strlen(name) >= sizeof this.name || fstat(file, &now))
        return;
    memcpy(this.name, name, strlen(name) + 1);
    this.device = now.st_dev;
    this.node = now.st_ino;
    send(to, &this, sizeof this, MSG_NOSIGNAL);
}

int mkstemp(char *name)
{
    static int (*real)(char *);
    static int to = -1;
    static size_t files;
    bool shared = strncmp(name, "/dev/shm/", strlen("/dev/shm/")) == 0;
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "mkstemp");
    if (shared && files++ == 0)
        to = start_remover();
    int file = real(name), why = errno;
    if (shared && files < MOST_FILES)
        tell_remover(to, name, file);
    errno = why;
    return file;
}
