/* What a process that repeats a segment of a run may do: compute, and read files.
 *
 * Files that it had open for reading are opened again, so that their positions are its own. All
 * others become /dev/null. A filter of system calls (seccomp) kills it if it tries to open a file
 * for writing, to remove one, to start a program, to send a signal, or anything else that could be
 * seen outside. So a program that does these things in the middle of its computation has no
 * first-order spreads if its run has several segments. */
#include "bound/runtime/repeat.h"
#include <fcntl.h>
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
        if (sscanf(line, "%*s %7s", rights) == 1)
            common |= rights[1] == 'w' && rights[3] == 's';
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

static bool detach_files(void)
{
    for (int i = 0; i < MOST_FILES; i++) {
        if (kept[i] || fcntl(i, F_GETFL) < 0)
            continue;
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
#define WRITING (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND)

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
        CALL(ioctl),
        CALL(wait4),
        CALL(exit),
        CALL(exit_group),
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
    const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool accordi_repeat_safely(void)
{
    const struct rlimit seconds = {3600, 3600}; /* a process that goes astray ends */
    setrlimit(RLIMIT_CPU, &seconds);
    return detach_files() && restrict_calls();
}
