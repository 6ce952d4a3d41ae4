/* The raw report: one record a line, fields separated by tabs, numbers in hexadecimal.
 *
 * It goes to the file named by ACCORD_BOUND_RAW; without it nothing is written. Outputs are written
 * as they come, everything else at the end: at exit, after the program's own exit handlers, or when
 * a signal kills it. A child made by fork writes nothing. The program's descriptors stay as they
 * would be: this file has a high number. */
#include "bound/runtime/records.h"
#include "bound/runtime/first_order.h"
#include "bound/runtime/hexadecimal.h"
#include "bound/runtime/inputs.h"
#include "bound/runtime/paths.h"
#include "bound/runtime/repeat.h"
#include <accord/bound.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

static int file = -1;
static char buffer[1 << 16];
static size_t used;
static bool ended, child;

void accordi_flush(void)
{
    int before = errno;
    for (size_t done = 0; done < used && file >= 0;) {
        ssize_t n = write(file, buffer + done, used - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    used = 0;
    errno = before;
}

__attribute__((format(printf, 1, 2))) static void put(const char *format, ...)
{
    va_list list;
    if (file < 0 || child)
        return;
    if (used > sizeof buffer - 8192)
        accordi_flush();
    va_start(list, format);
    int n = vsnprintf(buffer + used, 8192, format, list);
    va_end(list);
    used += n < 0 ? 0 : n < 8192 ? (size_t)n : 8191;
}

static void name_site(uint32_t site)
{
    const accordi_site *s = &accordi_sites[site];
    if (accordi_states[site].named)
        return;
    accordi_states[site].named = 1;
    put("site\t%u\t%s\t%s\t%u\t%u\n", site, s->kind, s->file, s->line, s->column);
}

static void name_reason(uint32_t site)
{
    accordi_site_state *s = &accordi_states[site];
    name_site(site);
    if (s->losses == 0) {
        s->losses = 1;
        s->lost = s->lost ? s->lost : "a variable without a value";
    }
}

static char *put_text(char *to, const char *text)
{
    size_t n = strlen(text);
    memcpy(to, text, n);
    return to + n;
}

static char *put_integer(char *to, uint64_t x)
{
    char digit[20];
    size_t n = 0;
    do
        digit[n++] = (char)('0' + x % 10);
    while (x /= 10);
    while (n)
        *to++ = digit[--n];
    return to;
}

/* A record of its number with its ends, written without printf, for there may be very many. What is
 * written when a path is killed ends with a whole record: only then it counts as used. */
static void put_output(uint32_t site, accordi_position at, const char *format, const double x[3],
                       bool may_be_nan, int64_t lost)
{
    if (file < 0 || child)
        return;
    if (used > sizeof buffer - 8192)
        accordi_flush();
    char *to = put_integer(put_text(buffer + used, "output\t"), site);
    *to++ = '\t';
    to = put_text(to, format);
    for (int i = 0; i < 3; i++) {
        *to++ = '\t';
        to = accordi_put_hexadecimal(to, x[i]);
    }
    to = put_text(to, may_be_nan ? "\t1\t" : "\t0\t");
    to = lost < 0 ? put_text(to, "-") : put_integer(to, (uint64_t)lost);
    *to++ = '\t';
    if (at.event < 0) {
        *to++ = '-';
    } else {
        to = put_integer(to, (uint64_t)at.event);
        *to++ = '+';
        to = put_integer(to, at.offset);
    }
    *to++ = '\n';
    used = (size_t)(to - buffer);
}

/* Of a program that prints without end, more would fill the disk. */
enum { MOST_OUTPUTS = 1 << 20 };
static uint64_t outputs;

void accordi_output(uint32_t site, accordi_position at, double x, const accordi_shadow *a,
                    bool narrow)
{
    bool special = a->kind == ACCORDI_SPECIAL;
    accordi_ends end = special ? a->x : a->end;
    unsigned flags = special ? (unsigned)a->y[0] : 0;
    bool lost = flags & ACCORDI_IS_LOST, empty = !lost && !(-end[0] <= end[1]);
    bool outside = isnan(x) ? !(flags & ACCORDI_MAY_BE_NAN) : !(-end[0] <= x && x <= end[1]);
    if (file < 0 || outputs > MOST_OUTPUTS)
        return;
    if (outputs++ == MOST_OUTPUTS) {
        put("truncated\n");
        return;
    }
    accordi_tape_output(outputs - 1, lost || outside);
    name_site(site);
    if (!lost && outside) { /* the program's own value is one that every model allows */
        accordi_shadow none;
        accordi_lose(&none, site, "the value of this run is outside its bounds: a fault of accord");
        outputs--;
        accordi_output(site, at, x, &none, narrow);
        return;
    }
    if (lost)
        name_reason((uint32_t)a->y[1]);
    put_output(site, at, narrow ? "f32" : "f64",
               (double[]){x, empty ? (double)NAN : -end[0], empty ? (double)NAN : end[1]},
               (flags & ACCORDI_MAY_BE_NAN) != 0, lost ? (int64_t)a->y[1] : -1);
}

void accordi_decided(void)
{
    static bool before;
    if (!before)
        put("decided\t%llu\n", (unsigned long long)outputs);
    before = true;
}

void accordi_put_first(uint64_t output, double spread)
{
    put("first\t%llu\t%a\n", (unsigned long long)output, spread);
}

void accordi_put_share(uint64_t output, uint32_t site, double spread)
{
    name_site(site);
    put("share\t%llu\t%u\t%a\n", (unsigned long long)output, site, spread);
}

void accordi_put_input(uint32_t input, uint32_t site, uint64_t set, uint64_t own,
                       const char *format, uint64_t renewed, uint32_t renewed_at)
{
    name_site(site);
    if (renewed)
        name_site(renewed_at);
    put("input\t%u\t%u\t%llu\t%llu\t%s\t%llu\t%u\n", input, site, (unsigned long long)set,
        (unsigned long long)own, format, (unsigned long long)renewed, renewed_at);
}

void accordi_name_inputs(void)
{
    for (uint32_t i = 0; i < accordi_site_count; i++)
        if (strncmp(accordi_sites[i].kind, "input ", 6) == 0)
            name_site(i);
}

void accordi_put_input_value(uint32_t input, double x)
{
    put("value\t%u\t%a\n", input, x);
}

void accordi_put_margin(uint32_t site, double distance)
{
    name_site(site);
    put("margin\t%u\t%a\n", site, distance);
}

void accordi_put_tape(uint64_t nodes, uint64_t bytes, uint64_t segments, const char *why)
{
    put("tape\t%llu\t%llu\t%llu\t%s\n", (unsigned long long)nodes, (unsigned long long)bytes,
        (unsigned long long)segments, why ? why : "-");
}

static void put_state(uint32_t site, const accordi_site_state *s)
{
    if (s->fusion > 0 || s->order > 0 || s->function > 0 || s->infinite || s->decisions ||
        s->losses || s->kept)
        name_site(site);
    if (s->fusion > 0 || s->order > 0 || s->function > 0 || s->infinite)
        put("blame\t%u\t%a\t%a\t%u\t%a\n", site, s->fusion, s->order, s->infinite, s->function);
    if (s->decisions)
        put("decision\t%u\t%s\t%a\t%a\t%llu\n", site, s->decision, s->low, s->high,
            (unsigned long long)s->decisions);
    if (s->losses)
        put("lost\t%u\t%s\t%llu\n", site, s->lost, (unsigned long long)s->losses);
    if (s->kept)
        put("kept\t%u\t%llu\n", site, (unsigned long long)s->kept);
}

void accordi_end(const char *status)
{
    accordi_segment_ended();
    if (ended || child || file < 0)
        return;
    ended = true;
    for (uint32_t i = 0; i < accordi_site_count; i++)
        put_state(i, &accordi_states[i]);
    put("events\t%lld\n", (long long)accordi_events);
    accordi_put_inputs();
    accordi_put_margins();
    bool killed = strncmp(status, "signal", 6) == 0;
    if (accordi_taped && accordi_is_first_path()) {
        accordi_flush();
        accordi_tape_end(killed);
    }
    if (accordi_both)
        put("open\t%llu\n", (unsigned long long)accordi_paths_left_open());
    put("end\t%s\n", status);
    accordi_flush();
    if (!killed)
        accordi_paths_follow();
}

/* The records of a path follow those of the one that has ended. */
void accordi_start_path(uint32_t id, uint32_t from, uint32_t site)
{
    used = 0;
    ended = false;
    for (uint32_t i = 0; i < accordi_site_count; i++)
        accordi_states[i].named = 0;
    put("path\t%u\t%u\t%llu\n", id, from, (unsigned long long)outputs);
    name_site(site);
    put("turned\t%u\n", site);
    accordi_flush();
}

void accordi_put_fate(uint32_t id, int signal)
{
    put("fate\t%u\t%d\n", id, signal);
    accordi_flush();
}

bool accordi_is_muted(void)
{
    return child || file < 0;
}

_Noreturn void accordi_give_up(const char *why)
{
    if (file < 0) /* else the report says so */
        fprintf(stderr, "accord bound: %s\n", why);
    put("lost\t0\t%s\t1\n", why);
    accordi_end("refused");
    _exit(3);
}

/* ---- beginning and end ---- */

/* Was the address just below the top of the stack, where a call wanted to go on? */
static bool is_stack_overflow(int number, const siginfo_t *info, const void *context)
{
#ifdef __x86_64__
    const ucontext_t *at = context;
    uintptr_t top = (uintptr_t)at->uc_mcontext.gregs[REG_RSP], p = (uintptr_t)info->si_addr;
    return number == SIGSEGV && info->si_code > 0 && p + (1 << 20) > top && p < top + (1 << 16);
#else
    (void)number, (void)info, (void)context;
    return false;
#endif
}

static uintptr_t interrupted_at(const void *context)
{
    const ucontext_t *at = context;
#if defined __x86_64__
    return (uintptr_t)at->uc_mcontext.gregs[REG_RIP];
#elif defined __aarch64__
    return (uintptr_t)at->uc_mcontext.pc;
#else
    (void)at;
    return 0;
#endif
}

/* Where the program was, from the innermost call outward: places in its file, for addr2line. */
static void put_calls(const void *context)
{
    extern const char __executable_start[], etext[];
    enum { MOST = 48 };
    void *frame[MOST];
    int frames = backtrace(frame, MOST);
    bool moved = ((const ElfW(Ehdr) *)(const void *)__executable_start)->e_type == ET_DYN;
    uintptr_t start = (uintptr_t)__executable_start, end = (uintptr_t)etext;
    put("calls\t");
    for (int i = 0; i < frames; i++) {
        uintptr_t at = (uintptr_t)frame[i];
        at -= at != interrupted_at(context); /* in a call, not behind it */
        if (at >= start && at < end)
            put("%zx ", (size_t)(moved ? at - start : at));
    }
    put("\n");
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    char status[48];
    put_calls(context);
    snprintf(status, sizeof status, "signal %d%s", number,
             is_stack_overflow(number, info, context) ? "\tstack" : "");
    accordi_end(status);
    signal(number, SIG_DFL);
    raise(number);
}

void accordi_mute(void)
{
    child = true;
    used = 0;
}

static void in_child(void)
{
    accordi_mute();
    accordi_tape_stop("a child of the program is not followed");
}

static void put_model(void)
{
    const char *between = "model\t";
    const accord_bound_model_info *row;
    for (size_t i = 0; (row = accord_bound_model_at(i)); i++)
        if (accordi_model & row->flag) {
            put("%s%s", between, row->name);
            between = ",";
        }
    put("\n");
}

static void catch_signals(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE,  SIGILL,  SIGABRT, SIGTERM,
                                  SIGINT,  SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGALRM};
    static char stack[1 << 16];
    void *here;
    backtrace(&here, 1); /* loads what it needs, which a handler must not */
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    const struct sigaction act = {.sa_sigaction = on_signal,
                                  .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND | SA_NODEFER};
    sigaltstack(&other, NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction now;
        if (sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            sigaction(numbers[i], &act, NULL);
    }
}

__attribute__((constructor(101))) static void begin(void)
{
    const char *name = getenv("ACCORD_BOUND_RAW");
    int first = name ? open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
    if (first < 0)
        return;
    file = fcntl(first, F_DUPFD_CLOEXEC, 800);
    if (file < 0)
        file = first;
    else
        close(first);
    accordi_repeat_keep_open(file);
    pthread_atfork(accordi_flush, NULL, in_child);
    catch_signals();
    put("accord-bound-raw 1\n");
    put_model();
}

__attribute__((destructor(101))) static void finish(void)
{
    if (accordi_both)
        fflush(NULL); /* other paths take their time */
    accordi_end("exit");
}
