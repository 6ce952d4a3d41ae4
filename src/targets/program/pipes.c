/* A conversation with a program over two pipes. Both are watched at once, so neither side can
 * block the other, and every way in which a program can go wrong is one clear error. */
#include "targets/program/command.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { piece = 1 << 16, pipe_bytes = 1 << 20 };
/* Seconds between SIGTERM and SIGKILL: launchers of ranks need them to remove what these leave. */
static const double grace = 2;

static enum accord_status open_pipes(int in[2], int out[2], accord_error *error)
{
    if (pipe2(in, O_CLOEXEC) == 0) {
        if (pipe2(out, O_CLOEXEC) == 0) {
            fcntl(in[1], F_SETPIPE_SZ, pipe_bytes); /* it may fail; the pipe then keeps its size */
            fcntl(out[1], F_SETPIPE_SZ, pipe_bytes);
            return ACCORD_OK;
        }
        close(in[0]);
        close(in[1]);
    }
    return accordi_fail(error, ACCORD_IO,
                        "cannot create a pipe to the command: %s; close some files",
                        strerror(errno));
}

enum accord_status accordi_talk_start(accordi_talk *talk, const accordi_program *program,
                                      double timeout, accord_error *error)
{
    int in[2], out[2];
    const char *command = program->line;
    enum accord_status status = open_pipes(in, out, error);
    if (status != ACCORD_OK)
        return status;
    char *copy = accordi_strdup(command);
    char **environment = program->like ? accordi_child_environment(program->like) : NULL;
    accordi_child_files files = {
        .in = in[0], .out = out[1], .tidies = program->tidies, .environment = environment};
    *talk = (accordi_talk){.to = in[1],
                           .from = out[0],
                           .timeout = timeout > 0 ? timeout : 30,
                           .patience = program->tidies ? 5 : 1,
                           .farewell = program->tidies};
    snprintf(talk->name, sizeof talk->name, "%.57s%s", command, strlen(command) > 57 ? "…" : "");
    status = copy ? accordi_child_start(&talk->child,
                                        (char *[]){(char[]){"/bin/sh"}, (char[]){"-c"}, copy, NULL},
                                        &files, error)
                  : accordi_nomem(error);
    free(environment);
    free(copy);
    close(in[0]);
    close(out[1]);
    fcntl(talk->to, F_SETFL, O_NONBLOCK);
    fcntl(talk->from, F_SETFL, O_NONBLOCK);
    if (status != ACCORD_OK)
        accordi_talk_end(talk);
    return status;
}

/* A write to a pipe nobody reads must not raise SIGPIPE in somebody's program. */
static ssize_t write_quietly(int fd, const struct iovec words[2], size_t most)
{
    struct iovec part[2] = {words[0], words[1]};
    part[0].iov_len = part[0].iov_len < most ? part[0].iov_len : most;
    most -= part[0].iov_len;
    part[1].iov_len = part[1].iov_len < most ? part[1].iov_len : most;
    sigset_t broken, old, waiting;
    struct timespec now = {0};
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    sigpending(&waiting);
    pthread_sigmask(SIG_BLOCK, &broken, &old);
    ssize_t written = writev(fd, part, 2);
    int why = errno;
    if (written < 0 && why == EPIPE && !sigismember(&waiting, SIGPIPE))
        while (sigtimedwait(&broken, NULL, &now) < 0 && errno == EINTR)
            ;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    errno = why;
    return written;
}

/* Its output or input is closed: most often because it ended. */
static enum accord_status gone(accordi_talk *talk, const char *what, accord_error *error)
{
    char fate[160];
    if (!accordi_child_wait(&talk->child, 0.5))
        return accordi_fail(error, ACCORD_TARGET,
                            "the command '%s' closed its standard %s before it answered; see "
                            "doc/command-protocol.md",
                            talk->name, what);
    accordi_child_fate(&talk->child, fate, sizeof fate);
    return accordi_fail(error, ACCORD_TARGET,
                        "%s'%s' %s before it answered; see its own messages above%s",
                        talk->died && talk->greeted ? talk->died
                        : talk->hung[1]             ? ""
                                                    : "the command ",
                        talk->name, fate, talk->hung[1] ? "" : ", and doc/command-protocol.md");
}

/* Not the protocol. Launchers of ranks write there, too, how one of them died, and then take a
 * moment to end the others. */
static enum accord_status garbage(accordi_talk *talk, accord_error *error)
{
    char shown[48];
    if (accordi_child_wait(&talk->child, talk->patience / 5) &&
        (talk->child.signal || talk->child.code > 0))
        return gone(talk, "output", error);
    size_t length = talk->in.length < sizeof shown - 1 ? talk->in.length : sizeof shown - 1;
    for (size_t i = 0; i < length; i++) {
        char c = talk->in.data[i];
        shown[i] = c >= ' ' && c <= '~' ? c : '.';
    }
    shown[length] = '\0';
    return accordi_fail(error, ACCORD_TARGET,
                        "%s'%s' answered '%s', which does not follow the protocol: it may write "
                        "only answers to standard output; see doc/command-protocol.md",
                        talk->hung[1] ? "" : "the command ", talk->name, shown);
}

/* Answers to what it cannot have read: a program that does not wait for its questions. */
static enum accord_status early(const accordi_talk *talk, accord_error *error)
{
    return accordi_fail(error, ACCORD_TARGET,
                        "the command '%s' answered before it had read what was asked; see "
                        "doc/command-protocol.md",
                        talk->name);
}

static enum accord_status hung(accordi_talk *talk, accord_error *error)
{
    const char *advice = talk->hung[talk->greeted];
    char what[80] = "did not answer";
    if (talk->in.length)
        snprintf(what, sizeof what, "did not finish its answer, of which %zu bytes came,",
                 talk->in.length);
    accordi_child_end(&talk->child, grace);
    return accordi_fail(
        error, ACCORD_TARGET, "%s'%s' %s within %g s and was ended; %s",
        advice ? "" : "the command ", talk->name, what, talk->timeout,
        advice ? advice
               : "it must flush its output after each answer; raise --timeout if it needs longer");
}

static bool again(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

/* Reads what there is; 0 at the end of file, -1 when there is nothing now. */
static ssize_t hear(accordi_talk *talk)
{
    char *room = accordi_buffer_reserve(&talk->in, piece);
    ssize_t got = room ? read(talk->from, room, piece) : 0;
    if (got > 0) {
        talk->in.length += (size_t)got;
        talk->in.data[talk->in.length] = '\0';
    }
    return got < 0 && !again() ? 0 : got;
}

/* Removes from the front what was written. */
static void drop_written(struct iovec words[2], size_t said)
{
    for (size_t i = 0; i < 2 && said; i++) {
        size_t part = said < words[i].iov_len ? said : words[i].iov_len;
        words[i].iov_base = (char *)words[i].iov_base + part;
        words[i].iov_len -= part;
        said -= part;
    }
}

/* A program that takes its request piece by piece asks for the next one, once it has read all of
 * the last. */
static bool asks_for_more(accordi_talk *talk)
{
    accordi_buffer *in = &talk->in;
    if (in->length == 0 || in->data[0] != '+')
        return false;
    memmove(in->data, in->data + 1, in->length); /* with the final zero */
    in->length--;
    return true;
}

static enum accord_status exchange_with_program(accordi_talk *talk, const struct iovec words[2],
                                                accordi_listener *listener, void *context,
                                                accord_error *error)
{
    struct iovec rest[2] = {words[0], words[1]};
    size_t length = rest[0].iov_len + rest[1].iov_len;
    size_t most = talk->window ? talk->window : SIZE_MAX;
    bool deaf = false;
    double until = accordi_now() + talk->timeout;
    bool unasked = talk->greeted && hear(talk) > 0;
    if (unasked || talk->in.length > 0)
        return garbage(talk, error);
    for (;;) {
        struct pollfd ends[2] = {{.fd = talk->from, .events = POLLIN},
                                 {.fd = length && most ? talk->to : -1, .events = POLLOUT}};
        double left = until - accordi_now();
        if (left <= 0)
            return deaf ? gone(talk, "input", error) : hung(talk, error);
        if (poll(ends, 2, left < 0.05 ? (int)(left * 1000) + 1 : 50) < 0 && errno != EINTR)
            return accordi_fail(error, ACCORD_IO, "poll failed: %s", strerror(errno));
        if (ends[1].revents) {
            ssize_t said = write_quietly(talk->to, rest, most);
            if (said < 0 && !again()) { /* it may still have said why */
                deaf = true;
                length = 0;
                until = accordi_now() + 0.5;
            }
            if (said > 0) {
                drop_written(rest, (size_t)said);
                length -= (size_t)said;
                most -= (size_t)said;
            }
        }
        if (!ends[0].revents)
            continue;
        ssize_t got = hear(talk);
        if (talk->in.failed)
            return accordi_nomem(error);
        if (got == 0)
            return gone(talk, "output", error);
        if (got > 0 && length && !most && asks_for_more(talk))
            most = talk->window;
        enum accordi_heard heard =
            talk->in.length ? listener(context, &talk->in) : ACCORDI_HEARD_MORE;
        if (heard == ACCORDI_HEARD_GARBAGE)
            return garbage(talk, error);
        if (heard == ACCORDI_HEARD_FAILURE)
            return ACCORD_TARGET;
        if (heard == ACCORDI_HEARD_ALL && !deaf && length == 0)
            return ACCORD_OK;
        if (heard == ACCORDI_HEARD_ALL)
            return early(talk, error);
        until = got > 0 && !deaf ? accordi_now() + talk->timeout : until;
    }
}

enum accord_status accordi_talk_exchange(accordi_talk *talk, const struct iovec words[2],
                                         accordi_listener *listener, void *context,
                                         accord_error *error)
{
    enum accord_status status = exchange_with_program(talk, words, listener, context, error);
    talk->failed = status != ACCORD_OK;
    talk->greeted = true;
    return status;
}

/* A request of zeros, which ends accordi_serve. */
static void say_farewell(const accordi_talk *talk)
{
    char zeros[24] = {0};
    const struct iovec words[2] = {{.iov_base = zeros, .iov_len = sizeof zeros}};
    write_quietly(talk->to, words, sizeof zeros);
}

void accordi_talk_end(accordi_talk *talk)
{
    if (talk->to >= 0 && talk->farewell && talk->greeted && !talk->failed)
        say_farewell(talk);
    if (talk->to >= 0)
        close(talk->to);
    if (talk->from >= 0)
        close(talk->from);
    if (talk->child.pid && !talk->failed)
        accordi_child_wait(&talk->child, talk->patience);
    accordi_child_end(&talk->child, grace);
    accordi_buffer_clear(&talk->in);
    talk->to = talk->from = -1;
}
