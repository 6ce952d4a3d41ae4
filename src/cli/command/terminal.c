/* Standard error, colors, the progress bar and signals. */
#include "cli/command/cli.h"
#include <langinfo.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <unistd.h>

static char doomed[4096]; /* a temporary file; "" for none */

static bool misread;

bool cli_misread(void)
{
    return misread;
}

void cli_error(const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    misread = strstr(text, "the notation is wrong at character") != NULL;
    fprintf(stderr, "accord: %s\n", text);
}

void *cli_need(void *memory)
{
    if (memory)
        return memory;
    cli_error("out of memory");
    if (doomed[0])
        unlink(doomed);
    exit(CLI_UNABLE);
}

void cli_grow(void **array, size_t *capacity, size_t needed, size_t size)
{
    if (!accordi_grow(array, capacity, needed, size))
        cli_need(NULL);
}

int cli_exit_of(enum accord_status status)
{
    switch (status) {
    case ACCORD_OK:
        return CLI_YES;
    case ACCORD_ARG:
    case ACCORD_PARSE:
    case ACCORD_IO:
        return CLI_USAGE;
    case ACCORD_NOMEM:
    case ACCORD_UNSUPPORTED:
    case ACCORD_UNABLE:
        return CLI_UNABLE;
    case ACCORD_TARGET:
        return CLI_FAILED;
    }
    return CLI_UNABLE;
}

int cli_fail(const accord_error *error)
{
    bool known = strncmp(error->text, "interrupted: ", 13) == 0;
    if (cli_signal() && !known)
        cli_error("interrupted before the end");
    else
        cli_error("%s", error->text);
    return cli_exit_of(error->status);
}

/* ---- signals ----
 *
 * The first asks for an end, which the progress callback passes on. A target that is silent calls
 * nothing back, so after half a second, and twice the longest time for which the callback was not
 * called before, or at the second signal, the process ends at once; what it started dies with it,
 * and the temporary file goes. A signal that follows at once is the same one: timeout(1) sends it
 * to the process and to its group, and a parent may pass on what the terminal has sent to both. */

static volatile sig_atomic_t caught, waits, sent, silence; /* the latter in milliseconds */
static volatile double caught_at;

static void end_now(void)
{
    static const char last_words[] = "accord: interrupted before the end\n";
    if (doomed[0])
        unlink(doomed);
    if (write(STDERR_FILENO, last_words, sizeof last_words - 1) < 0)
        _exit(128 + caught);
    _exit(128 + caught);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    long patience = 500 + 2 * (long)silence;
    const struct itimerval grace = {
        .it_value = {.tv_sec = patience / 1000, .tv_usec = patience % 1000 * 1000}};
    bool again = caught && accordi_now() - caught_at < 0.1 && number != SIGALRM;
    bool at_once = caught || number == SIGALRM;
    (void)context;
    if (again)
        return;
    if (waits) {
        caught = number;
        sent = info->si_code == SI_USER || info->si_code == SI_QUEUE;
        return;
    }
    caught_at = caught ? caught_at : accordi_now(); /* first: another signal may come between */
    caught = caught ? caught : number;
    if (at_once)
        end_now();
    setitimer(ITIMER_REAL, &grace, NULL);
}

/* The write that fails reports what cannot be written: a closed pipe, a file beyond the limit of
 * sizes. A handler, not SIG_IGN: an ignored signal stays ignored in the programs of targets. */
static void on_write(int number)
{
    (void)number;
}

void cli_catch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    struct sigaction old;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        sigaction(numbers[i], NULL, &old);
        if (old.sa_handler != SIG_IGN) /* nohup stays nohup */
            sigaction(numbers[i], &action, NULL);
    }
    action.sa_handler = on_write;
    action.sa_flags = SA_RESTART;
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL);
}

static void on_bus(int number)
{
    static const char last_words[] = "accord: a file became shorter while it was read, or its disk "
                                     "failed; do not change it during the run\n";
    (void)number;
    if (doomed[0])
        unlink(doomed);
    _exit(write(STDERR_FILENO, last_words, sizeof last_words - 1) < 0 ? CLI_UNABLE : CLI_USAGE);
}

void cli_catch_bus(void)
{
    struct sigaction action = {.sa_handler = on_bus};
    sigaction(SIGBUS, &action, NULL);
}

void cli_signals_wait(bool on)
{
    waits = on;
}

bool cli_signal_sent(void)
{
    return sent;
}

int cli_signal(void)
{
    return caught;
}

void cli_unlink_on_signal(const char *path)
{
    doomed[0] = 0;
    if (path && strlen(path) < sizeof doomed) {
        memcpy(doomed + 1, path + 1, strlen(path));
        doomed[0] = path[0]; /* last: the handler sees a whole name or none */
    }
}

/* ---- what the terminal can show ---- */

static bool has_colors(bool terminal)
{
    const char *no = getenv("NO_COLOR"), *force = getenv("CLICOLOR_FORCE"), *kind = getenv("TERM");
    if (no && *no)
        return false;
    if (force && *force && strcmp(force, "0") != 0)
        return true;
    return terminal && kind && strcmp(kind, "dumb") != 0;
}

void cli_write_options(const cli_args *args, accord_write_options *options, bool terminal)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    accord_write_options_init(options);
    options->color = has_colors(terminal);
    options->expand = args->text[CLI_EXPAND] != NULL;
    options->ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
    if (columns && atoi(columns) >= 20)
        options->columns = atoi(columns);
    else if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
        options->columns = size.ws_col;
}

/* ---- the bar: on a terminal, after half a second, gone at the end ---- */

enum { BAR_WIDTH = 20 };
static const double patience = 0.5, frame = 0.1;

void cli_bar_start(cli_bar *bar, const char *title, bool quiet)
{
    const char *kind = getenv("TERM");
    *bar = (cli_bar){.title = title, .start = accordi_now()};
    bar->called = bar->start;
    bar->terminal = !quiet && isatty(STDERR_FILENO) && kind && strcmp(kind, "dumb") != 0;
}

/* ", about 40 s left", by how fast it went since the count began; "" where nothing can be said. */
static const char *time_left(cli_bar *bar, double now, uint64_t done, uint64_t total)
{
    double spent = now - bar->counted_from;
    uint64_t steps = done - bar->counted;
    if (done >= total || steps == 0 || spent < patience)
        return "";
    double left = spent / (double)steps * (double)(total - done);
    const char *unit = left < 100 ? "s" : left < 6000 ? "min" : "h";
    left = left < 100 ? left : left < 6000 ? left / 60 : left / 3600;
    snprintf(bar->left, sizeof bar->left, ", about %.0f %s left", left < 1 ? 1 : left, unit);
    return bar->left;
}

/* Some work counts each of its stages from 0. */
static void count_from(cli_bar *bar, double now, uint64_t done)
{
    if (bar->counting && done >= bar->done) {
        bar->done = done;
        return;
    }
    bar->counting = true;
    bar->counted_from = now;
    bar->counted = bar->done = done;
}

/* The longest time between two calls, up to ten seconds. */
static void measure_silence(cli_bar *bar, double now)
{
    const double most = 10;
    double gap = now - bar->called < most ? now - bar->called : most;
    silence = 1000 * gap > silence ? (sig_atomic_t)(1000 * gap) : silence;
    bar->called = now;
}

/* What does not fit into a line of the terminal is left out: a second line would stay. */
static void draw_line(const char *line)
{
    struct winsize size;
    int columns =
        ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20 ? size.ws_col : 200;
    fprintf(stderr, "\r\033[K%.*s", columns - 1, line);
    fflush(stderr);
}

static void draw_bar(cli_bar *bar, double now, const char *stage, uint64_t done, uint64_t total)
{
    char line[200], cells[BAR_WIDTH + 1];
    double part = done < total ? (double)done / (double)(total ? total : 1) : 1;
    memset(cells, ' ', BAR_WIDTH);
    memset(cells, '#', (size_t)(part * BAR_WIDTH));
    cells[BAR_WIDTH] = 0;
    if (total == 0)
        snprintf(line, sizeof line, "%.30s: %.24s %llu", bar->title, stage,
                 (unsigned long long)done);
    else
        snprintf(line, sizeof line, "%.30s: %.24s [%s] %3.0f %%%s, %llu of %llu", bar->title, stage,
                 cells, 100 * part, time_left(bar, now, done, total), (unsigned long long)done,
                 (unsigned long long)total);
    draw_line(line);
}

/* The signal has been heard: what is left is to say what is known, which on a busy machine may take
 * longer than a target is waited for. */
static void give_time(void)
{
    static const struct itimerval enough = {.it_value = {.tv_sec = 10}};
    static bool given;
    if (!given)
        setitimer(ITIMER_REAL, &enough, NULL);
    given = true;
}

bool cli_bar_step(void *context, const char *stage, uint64_t done, uint64_t total)
{
    cli_bar *bar = context;
    if (cli_signal()) {
        give_time();
        return false;
    }
    double now = accordi_now();
    measure_silence(bar, now);
    count_from(bar, now, done);
    if (!bar->terminal || now - bar->start < patience || now - bar->last < frame)
        return true;
    bar->last = now;
    bar->shown = true;
    draw_bar(bar, now, stage, done, total);
    return true;
}

void cli_bar_end(cli_bar *bar)
{
    if (bar->shown)
        fputs("\r\033[K", stderr);
    bar->shown = false;
}
