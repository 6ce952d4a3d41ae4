/* What a process that repeats a segment of a run may do: compute, and read files.
 *
 * Files that it had open for reading are opened again, so that their positions are its own. All
 * others become /dev/null. A filter of system calls (seccomp) kills it if it tries to open a file
 * for writing, to remove one, to start a program, to send a signal, or anything else that could be
 * seen outside. So a program that does these things in the middle of its computation has no
 * first-order spreads if its run has several segments. */
#include "bound/runtime/repeat.h"
#include <fcntl.h>
#include <inttypes.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_FILES = 1024, HIGH = 810 };

static off_t position[MOST_FILES];
static bool kept[MOST_FILES];
static const void *own; /* memory that may be shared */

void accordi_repeat_keep_open(int file)
{
    if (file >= 0 && file < MOST_FILES)
        kept[file] = true;
}

void accordi_repeat_own(const void *memory)
{
    own = memory;
}

int accordi_repeat_keep(int file)
{
    int high = fcntl(file, F_DUPFD_CLOEXEC, HIGH);
    if (high < 0 || high >= MOST_FILES)
        return -1;
    kept[high] = true;
    return high;
}

/* Memory that is shared with others would be changed by them or by us. */
const char *accordi_repeat_possible(void)
{
    char line[512];
    bool common = false;
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps)
        return "this machine does not show the memory of a process (/proc)";
    while (fgets(line, sizeof line, maps)) {
        char rights[8] = "";
        uintptr_t start;
        if (sscanf(line, "%" SCNxPTR "-%*s %7s", &start, rights) == 2)
            common |= rights[1] == 'w' && rights[3] == 's' && start != (uintptr_t)own;
    }
    fclose(maps);
    return common ? "the program shares memory with other processes" : NULL;
}

void accordi_repeat_remember(void)
{
    for (int i = 0; i < MOST_FILES; i++)
        position[i] = lseek(i, 0, SEEK_CUR);
}

void accordi_repeat_die_with(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
}

/* ---- files ---- */

static bool only_read(int file)
{
    struct stat s;
    int flags = fcntl(file, F_GETFL);
    return (flags & O_ACCMODE) == O_RDONLY && fstat(file, &s) == 0 && S_ISREG(s.st_mode) &&
           position[file] >= 0;
}

static int again(int file)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    int new = open(path, O_RDONLY | O_CLOEXEC);
    return new >= 0 && lseek(new, position[file], SEEK_SET) == position[file] ? new : -1;
}

enum { MOST_ONCE = 64 };
static int once[MOST_ONCE]; /* files that can be read only once */
static size_t once_count;

/* `known`: this was done before, and what is open now beside files to read is /dev/null. */
static bool detach_files(bool known)
{
    for (int i = 0; i < MOST_FILES; i++) {
        int flags = fcntl(i, F_GETFL);
        if (kept[i] || flags < 0 || (known && !only_read(i)))
            continue;
        if (!only_read(i) && (flags & O_ACCMODE) != O_WRONLY) {
            if (once_count == MOST_ONCE)
                return false;
            once[once_count++] = i;
        }
        int new = only_read(i) ? again(i) : open("/dev/null", O_RDWR | O_CLOEXEC);
        if (new < 0 || dup2(new, i) < 0)
            return false;
        close(new);
    }
    return true;
}

/* ---- system calls ---- */

#define CALL(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), ALLOW
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define KILL BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
#define ARGUMENT(i)                                                                                \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * (i))
/* If bits of argument i are set, the process is killed, else the call is allowed. */
#define CALL_WITHOUT(name, i, bits)                                                                \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 4), ARGUMENT(i),                            \
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1), KILL, ALLOW
/* The call is allowed if argument i is this. */
#define CALL_ONLY(name, i, value)                                                                  \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 4), ARGUMENT(i),                            \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0), KILL, ALLOW
#define WRITING (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND)

static bool install(struct sock_filter *filter, size_t length)
{
    const struct sock_fprog program = {(unsigned short)length, filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* Reading what can be read only once would take it from the program. */
static bool restrict_reading(void)
{
    struct sock_filter filter[5 + 2 * MOST_ONCE];
    size_t n = 0;
    filter[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_read, 1, 0);
    filter[n++] = (struct sock_filter)ALLOW;
    filter[n++] = (struct sock_filter)ARGUMENT(0);
    for (size_t i = 0; i < once_count; i++) {
        filter[n++] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)once[i], 0, 1);
        filter[n++] = (struct sock_filter)KILL;
    }
    filter[n++] = (struct sock_filter)ALLOW;
    return install(filter, n);
}

static bool restrict_calls(void)
{
    static struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        CALL(read),
        CALL(write),
        CALL(pread64),
        CALL(readv),
        CALL(writev),
        CALL(lseek),
        CALL(close),
        CALL(fstat),
        CALL(newfstatat),
        CALL(munmap),
        CALL(mprotect),
        CALL(mremap),
        CALL(madvise),
        CALL(brk),
        CALL(rt_sigaction),
        CALL(rt_sigprocmask),
        CALL(rt_sigreturn),
        CALL(sigaltstack),
        CALL(clock_gettime),
        CALL(clock_getres),
        CALL(gettimeofday),
        CALL(getrusage),
        CALL(times),
        CALL(getpid),
        CALL(gettid),
        CALL(uname),
        CALL(getcwd),
        CALL(getrandom), /* malloc begins with it */
        CALL(ioctl),
        CALL(wait4),
        CALL(exit),
        CALL(exit_group),
        /* for further paths (paths.c), which are processes without a signal at their end */
        CALL(futex),
        CALL(getppid),
        CALL(dup3),
#ifdef SYS_dup2
        CALL(dup2),
#endif
        CALL_ONLY(fcntl, 1, F_GETFL),
        CALL_ONLY(prctl, 0, PR_SET_PDEATHSIG),
        CALL_ONLY(clone, 0, 0),
#ifdef SYS_time
        CALL(time),
#endif
#ifdef SYS_access
        CALL(access),
#endif
#ifdef SYS_open
        CALL_WITHOUT(open, 1, WRITING),
#endif
        CALL_WITHOUT(openat, 2, WRITING),
        CALL_WITHOUT(mmap, 3, MAP_SHARED),
        KILL,
    };
    return install(filter, sizeof filter / sizeof *filter);
}

/* Where this is done already, only files remain. */
bool accordi_repeat_safely(unsigned seconds)
{
    static bool restricted;
    const struct rlimit limit = {seconds, seconds + 1}; /* a process that goes astray ends */
    if (restricted)
        return detach_files(true);
    restricted = true;
    setrlimit(RLIMIT_CPU, &limit);
    return detach_files(false) && restrict_reading() && restrict_calls();
}
