/* Detects foreign functions that touch memory outside their operands without using what is there.
 *
 * Each operand is laid so that it ends where memory that must not be touched begins, and then so
 * that it begins where such memory ends. A function that reads there would crash a program whose
 * data lie at the end of its memory. Here the fault handler only records the access and makes the
 * memory accessible, so that the call goes on, in whichever thread it was. Further calls then show
 * whether the result depends on what is there, and whether it was written. If an alignment was
 * asked for, it is kept, and up to 63 bytes lie between the end of an operand and the memory behind
 * it; otherwise there are none. A function that crashes at such an address is called with one that
 * is aligned to 64 bytes. All of this happens in the worker, a process with one caller, so static
 * state is safe. */
#include "targets/foreign/guard_pages.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GUARD = 1 << 16, LINE = 64, OPERANDS = 5, GUARDS = 2 * OPERANDS, MOST_BYTES = 1 << 26 };

/* Memory that may be used between two guards. */
typedef struct field {
    char *map;
    size_t room, bytes; /* of the operand */
    void **operand;     /* where the function finds its address */
    void *usual;
    size_t past;
    int64_t count;
    enum accordi_storage storage;
} field;

static struct {
    char *guard[GUARDS];
    volatile sig_atomic_t hit[GUARDS];
    int guards;
    pthread_t caller;
    sigjmp_buf away;
} watch;

static const int signals[] = {SIGSEGV, SIGBUS};

/* What hits no guard is a crash of another kind: in the calling thread the call is given up, in
 * another the process crashes as it would have. */
static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    uintptr_t at = (uintptr_t)info->si_addr;
    for (int i = 0; i < watch.guards; i++)
        if (at - (uintptr_t)watch.guard[i] < GUARD &&
            mprotect(watch.guard[i], GUARD, PROT_READ | PROT_WRITE) == 0) {
            watch.hit[i] = 1;
            return;
        }
    if (pthread_equal(pthread_self(), watch.caller))
        siglongjmp(watch.away, 1);
    signal(number, SIG_DFL);
}

static size_t round_up_bytes(size_t bytes, size_t to)
{
    return (bytes + to - 1) / to * to;
}

/* The operands, then the scales of the first two; 0: there is none. */
static int64_t count_of(const accordi_foreign *foreign, size_t i)
{
    const accordi_question *q = &foreign->question;
    return i < 3 ? foreign->extent[i].count : q->scale_block ? (int64_t)accordi_scale_count(q) : 0;
}

static bool make_field(field *f, accordi_foreign *foreign, size_t i)
{
    const accordi_question *q = &foreign->question;
    void **const operands[] = {&foreign->a, &foreign->b, &foreign->c, &foreign->scale[0],
                               &foreign->scale[1]};
    enum accordi_storage storage = i < 2 ? q->storage : i < 3 ? q->output : q->scale_storage;
    int64_t count = count_of(foreign, i);
    size_t bytes = (size_t)count * accordi_storage_size(storage);
    size_t room = round_up_bytes(bytes + 2 * LINE, (size_t)sysconf(_SC_PAGESIZE));
    char *map =
        mmap(NULL, room + 2 * GUARD, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return false;
    *f = (field){.map = map,
                 .room = room,
                 .bytes = bytes,
                 .operand = operands[i],
                 .usual = *operands[i],
                 .past = i ? 0 : (size_t)q->alignment % LINE,
                 .count = count,
                 .storage = storage};
    watch.guard[watch.guards++] = map;
    watch.guard[watch.guards++] = map + GUARD + room;
    return true;
}

static void place_operand(const field *f, bool at_end, bool exact)
{
    uintptr_t from = (uintptr_t)f->map + GUARD, start = from + f->past;
    if (at_end && exact)
        start = from + f->room - f->bytes;
    else if (at_end)
        start = (from + f->room - f->bytes - f->past) / LINE * LINE + f->past;
    *f->operand = f->map + (start - (uintptr_t)f->map);
    accordi_operands_fill(*f->operand, f->count, f->storage, 1);
}

static double ask_between_guards(accordi_foreign *f, _Atomic uint32_t *done,
                                 accord_outside_access *out)
{
    double answer = f->call(f);
    out->calls++;
    if (done)
        atomic_fetch_add(done, 1);
    return answer;
}

/* False where the function cannot be asked so. */
static bool try_place(accordi_foreign *f, const field *fields, size_t count, bool at_end,
                      bool exact, _Atomic uint32_t *done, accord_outside_access *out)
{
    for (size_t i = 0; i < count; i++)
        place_operand(&fields[i], at_end, exact);
    for (int i = 0; i < watch.guards; i++)
        if (mprotect(watch.guard[i], GUARD, PROT_NONE) != 0)
            return false;
    if (sigsetjmp(watch.away, 1)) {
        accordi_foreign_abandon();
        return false;
    }
    ask_between_guards(f, done, out);
    return true;
}

static bool is_any_hit(void)
{
    bool any = false;
    for (int i = 0; i < watch.guards; i++)
        any = any || watch.hit[i];
    return any;
}

static void paint(int byte)
{
    for (int i = 0; i < watch.guards; i++)
        if (watch.hit[i])
            memset(watch.guard[i], byte, GUARD);
}

static bool is_painted(int guard, int byte)
{
    for (size_t i = 0; i < GUARD; i++)
        if ((unsigned char)watch.guard[guard][i] != byte)
            return false;
    return true;
}

/* Bytes of all formats' NaN, and of large numbers: what follows them is used. */
static void tell(accordi_foreign *f, _Atomic uint32_t *done, accord_outside_access *out)
{
    static const int nan = 0xFF, large = 0x5B;
    unsigned zones = 0;
    double answer[4];
    static const int bytes[] = {0, nan, large, 0};
    if (sigsetjmp(watch.away, 1)) {
        accordi_foreign_abandon();
        return;
    }
    for (int k = 0; k < 4; k++) {
        int open[GUARDS];
        paint(bytes[k]);
        for (int i = 0; i < watch.guards; i++)
            open[i] = watch.hit[i];
        answer[k] = ask_between_guards(f, done, out);
        for (int i = 0; i < watch.guards; i++)
            if (open[i] && !is_painted(i, bytes[k]))
                out->writes |= 1u << (i % 2 ? ACCORD_ZONE_AFTER : ACCORD_ZONE_BEFORE);
    }
    for (int i = 0; i < watch.guards; i++)
        if (watch.hit[i])
            zones |= 1u << (i % 2 ? ACCORD_ZONE_AFTER : ACCORD_ZONE_BEFORE);
    bool used =
        accordi_same_bits(answer[0], answer[3]) &&
        (!accordi_same_bits(answer[0], answer[1]) || !accordi_same_bits(answer[0], answer[2]));
    *(used ? &out->reads : &out->beyond) |= zones;
}

static void examine_fields(accordi_foreign *f, const field *fields, size_t count,
                           _Atomic uint32_t *done, accord_outside_access *out)
{
    struct sigaction old[2], action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    bool exact = f->question.alignment == 0;
    watch.caller = pthread_self();
    for (int s = 0; s < 2; s++)
        sigaction(signals[s], &action, &old[s]);
    for (int at_end = 1; at_end >= 0; at_end--) {
        for (int i = 0; i < watch.guards; i++)
            watch.hit[i] = 0;
        if (!try_place(f, fields, count, at_end, exact, done, out) && exact && at_end)
            try_place(f, fields, count, at_end, false, done, out);
        if (is_any_hit())
            tell(f, done, out);
    }
    for (int s = 0; s < 2; s++)
        sigaction(signals[s], &old[s], NULL);
}

void accordi_guard_examine(accordi_foreign *foreign, _Atomic uint32_t *done,
                           accord_outside_access *out)
{
    field fields[OPERANDS];
    size_t count = 0, bytes = 0;
    bool room = true;
    watch.guards = 0;
    for (size_t i = 0; i < OPERANDS; i++)
        bytes += (size_t)count_of(foreign, i) * sizeof(double);
    for (size_t i = 0; i < OPERANDS && room && bytes <= MOST_BYTES; i++)
        if (count_of(foreign, i) > 0 && (room = make_field(&fields[count], foreign, i)))
            count++;
    if (room && count)
        examine_fields(foreign, fields, count, done, out);
    for (size_t i = 0; i < count; i++) {
        *fields[i].operand = fields[i].usual;
        munmap(fields[i].map, fields[i].room + 2 * GUARD);
    }
    foreign->disturbed = true;
}
