/* Long runs: the tape holds one segment of the run at a time.
 *
 * When the tape is full, a process is forked that waits at the start of the next segment, and the
 * tape is used anew. At the end the last segment is swept. Then each waiting process, the last one
 * first, repeats its segment with a tape of its own, sweeps it with what the later segments left,
 * and leaves what belongs to earlier ones. The first segment is short, so that most programs are
 * never forked, and is kept. Memory: one tape with its adjoints, the numbers that pass between
 * segments, and the pages that the program changed between forks.
 *
 * A process that repeats a segment can write nowhere (repeat.c). That it does the same as the run
 * did is not assumed: the sums over both tapes are compared, and where they differ nothing is
 * known. */
#include "bound/runtime/records.h"
#include "bound/runtime/repeat.h"
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_SEGMENTS = 1024, FIRST_PART = 16, DONE = 77 };

/* Seen by all processes. */
typedef struct shared {
    uint32_t turn; /* of the process that goes on; 0: none */
    uint32_t in;   /* which file is read */
    uint64_t batches, outputs;
    uint64_t sum[MOST_SEGMENTS + 1]; /* over the tape of each segment */
} shared;

static shared *common;
static pid_t process[MOST_SEGMENTS + 1]; /* that waits at the start of segment i */
static uint64_t count;                   /* segments after the first one */
static uint64_t repeats; /* the segment that this process repeats; 0: it is the run */
static uint64_t nodes_of_first;
static accordi_tape_node *first, *later;
static uint64_t room_for_first, room_for_later;
static accordi_stream streams[3]; /* two that change places, and shares */
static int total_file = -1;

uint64_t accordi_segments(void)
{
    return count > 1 ? count + 1 : 1; /* two parts need nothing to be repeated */
}

/* ---- memory ---- */

static void *map(size_t bytes, int flags)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* The tape of later segments is for all processes: only one at a time uses it, and what it holds at
 * first does not matter. So its pages need not be cleared for each of them. */
static accordi_tape_node *new_tape(uint64_t nodes, bool for_all)
{
    size_t bytes = (size_t)nodes * sizeof(accordi_tape_node);
    accordi_tape_node *p = map(bytes, MAP_NORESERVE | (for_all ? MAP_SHARED : MAP_PRIVATE));
    if (p) {
        madvise(p, bytes, MADV_DONTFORK); /* a child of the program gets no tape */
        madvise(p, bytes, MADV_HUGEPAGE);
    }
    return p;
}

static void use_tape(accordi_tape_node *node, uint64_t nodes)
{
    accordi_tape.node = node;
    accordi_tape.next = node + 1;
    accordi_tape.end = node + nodes - ACCORDI_TAPE_ROOM;
}

void accordi_segment_start(uint64_t nodes)
{
    room_for_first = nodes / FIRST_PART + 2 * ACCORDI_TAPE_ROOM;
    room_for_later = nodes;
    first = new_tape(room_for_first, false);
    if (first)
        use_tape(first, room_for_first);
    else
        accordi_tape_stop("there is no memory for the tape");
}

static uint64_t tape_sum(void)
{
    const uint64_t *word = (const uint64_t *)(const void *)(accordi_tape.node + 1);
    const uint64_t *end = (const uint64_t *)(const void *)accordi_tape.next;
    uint64_t a = 1, b = 2, c = 3, d = 4, e = 5;
    _Static_assert(sizeof(accordi_tape_node) == 5 * sizeof *word, "five words");
    for (; word < end; word += 5) {
        a = (a ^ word[0]) * UINT64_C(0x9e3779b97f4a7c15);
        b = (b ^ word[1]) * UINT64_C(0xbf58476d1ce4e5b9);
        c = (c ^ word[2]) * UINT64_C(0x94d049bb133111eb);
        d = (d ^ word[3]) * UINT64_C(0xd6e8feb86659fd93);
        e = (e ^ word[4]) * UINT64_C(0xff51afd7ed558ccd);
        a ^= a >> 29;
        b ^= b >> 31;
        c ^= c >> 30;
        d ^= d >> 28;
        e ^= e >> 32;
    }
    return a ^ b * 3 ^ c * 5 ^ d * 7 ^ e * 11 ^ (uint64_t)(accordi_tape.next - accordi_tape.node);
}

/* ---- files ---- */

static int new_file(void)
{
    int file = memfd_create("accord-tape", MFD_CLOEXEC);
    int high = file < 0 ? -1 : accordi_repeat_keep(file);
    if (high >= 0 && high != file)
        close(file);
    return high;
}

static bool have_files(void)
{
    bool good = true;
    if (total_file >= 0)
        return true;
    for (int i = 0; i < 3; i++) {
        streams[i].file = new_file();
        good &= streams[i].file >= 0;
    }
    total_file = new_file();
    return good && total_file >= 0;
}

static double *map_total(uint64_t outputs)
{
    void *p =
        mmap(NULL, (size_t)(outputs + 1) * 8, PROT_READ | PROT_WRITE, MAP_SHARED, total_file, 0);
    return p == MAP_FAILED ? NULL : p;
}

bool accordi_segment_files_new(accordi_segment_files *f, uint64_t outputs)
{
    if (!have_files() || ftruncate(total_file, (off_t)(outputs + 1) * 8) != 0)
        return false;
    *f = (accordi_segment_files){&streams[0], &streams[1], &streams[2], map_total(outputs)};
    if (common)
        common->outputs = outputs;
    return f->total;
}

/* ---- a process that waits, and then repeats ---- */

static double *total;

static size_t bytes_of_later(void)
{
    return (size_t)room_for_later * sizeof *later;
}

static void wait_for_turn(uint64_t segment)
{
    uint32_t now;
    while ((now = __atomic_load_n(&common->turn, __ATOMIC_ACQUIRE)) != segment)
        syscall(SYS_futex, &common->turn, FUTEX_WAIT, now, NULL, NULL, 0);
}

/* Returns where the segment starts. */
static void wait_and_repeat(uint64_t segment, const sigset_t *mask)
{
    repeats = segment;
    accordi_mute();
    wait_for_turn(segment);
#ifdef MADV_POPULATE_WRITE /* all pages at once, which were written before */
    madvise(later, bytes_of_later(), MADV_POPULATE_WRITE);
#endif
    if (!(total = map_total(common->outputs)) || !accordi_repeat_safely(3600))
        _exit(1);
    use_tape(later, room_for_later);
    sigprocmask(SIG_SETMASK, mask, NULL);
}

_Noreturn static void conclude_repeat(void)
{
    accordi_stream *in = &streams[common->in], *out = &streams[!common->in];
    accordi_segment_files f = {in, out, &streams[2], total};
    if (tape_sum() != common->sum[repeats])
        _exit(1);
    uint64_t done = accordi_segment_sweep(&f, common->batches, UINT64_MAX);
    accordi_stream_flush(out);
    accordi_stream_flush(f.shares);
    _exit(done == common->batches && !out->failed && !f.shares->failed ? DONE : 1);
}

/* ---- the run ---- */

static const char *begin(void)
{
    const char *why = accordi_repeat_possible();
    if (why)
        return why;
    common = map(sizeof *common, MAP_SHARED);
    later = new_tape(room_for_later, true);
    return common && later && have_files() ? NULL : "there is no memory for segments of the tape";
}

/* Like fork, but the program does not see the process when it waits for its own. */
static void leave_process(void)
{
    sigset_t all, mask;
    pid_t parent = getpid();
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &mask);
    accordi_repeat_remember();
    madvise(later, bytes_of_later(), MADV_DOFORK);
    pid_t p = (pid_t)syscall(SYS_clone, 0UL, NULL, NULL, NULL, 0UL);
    madvise(later, bytes_of_later(), MADV_DONTFORK);
    if (p == 0) {
        accordi_repeat_die_with(parent);
        wait_and_repeat(count + 1, &mask);
        return;
    }
    sigprocmask(SIG_SETMASK, &mask, NULL);
    if (p < 0)
        accordi_tape_stop("no process could be started for a segment of the tape");
    else
        process[++count] = p;
}

void accordi_segment_cut(void)
{
    uint64_t nodes = (uint64_t)(accordi_tape.next - accordi_tape.node) - 1;
    if (repeats)
        conclude_repeat();
    const char *why = count == 0 ? begin() : count == MOST_SEGMENTS ? "the run is too long" : NULL;
    if (why) {
        accordi_tape_stop(why);
        return;
    }
    if (count == 0)
        nodes_of_first = nodes;
    else
        common->sum[count] = tape_sum();
    accordi_tape.before += nodes;
    use_tape(later, room_for_later);
    leave_process();
}

void accordi_segment_ended(void)
{
    if (repeats)
        _exit(1);
}

static void end_process(uint64_t i)
{
    if (process[i] <= 0)
        return;
    kill(process[i], SIGKILL);
    waitpid(process[i], NULL, __WCLONE);
    process[i] = 0;
}

/* Lets the process repeat its segment. */
static bool repeat(uint64_t i)
{
    int status = 0;
    __atomic_store_n(&common->turn, (uint32_t)i, __ATOMIC_RELEASE);
    syscall(SYS_futex, &common->turn, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    pid_t p = waitpid(process[i], &status, __WCLONE);
    process[i] = 0;
    return p > 0 && WIFEXITED(status) && WEXITSTATUS(status) == DONE;
}

static void turn(accordi_segment_files *f)
{
    accordi_stream_flush(f->shares);
    accordi_stream_turn(f);
    common->in = f->in == &streams[1];
}

const char *accordi_segments_before(accordi_segment_files *f, uint64_t batches)
{
    if (count == 0)
        return NULL;
    bool good = true;
    common->batches = batches;
    end_process(count); /* its segment is on the tape, and was swept */
    for (uint64_t i = count - 1; i > 0; i--) {
        turn(f);
        good = good && !f->in->failed && repeat(i);
        end_process(i);
    }
    if (!good)
        return "a part of the run could not be repeated exactly";
    turn(f);
    accordi_tape.before = 0;
    accordi_tape.node = first;
    accordi_tape.next = first + 1 + nodes_of_first;
    good = accordi_segment_sweep(f, batches, UINT64_MAX) == batches;
    return good ? NULL : "there is no memory for the sweeps";
}
