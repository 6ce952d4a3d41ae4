/* Where the bytes of numbers come from. Memory is constant: a window of a block, which grows only
 * for a line that is longer. Regular files are read by pread, or mapped 4 MiB at a time, so that
 * several threads can work on parts of one file; a mapped file that somebody cuts short meanwhile
 * ends in SIGBUS, which talk.c answers. */
#include "cli/numbers/source.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1 << 20, MAP = 1 << 22 };

static enum accord_status cannot_read(const cli_source *s, int cause, accord_error *error)
{
    if (cli_signal())
        return accordi_fail(error, ACCORD_IO, "interrupted before the end");
    return accordi_fail(error, cause == ENOMEM ? ACCORD_NOMEM : ACCORD_IO,
                        "cannot read %s: %s; give a file of numbers, or - for standard input",
                        s->name, strerror(cause));
}

/* A file that says it is empty may be one of /proc: only reading tells. */
static void look_at_file(cli_source *s)
{
    struct stat st;
    off_t at = lseek(s->fd, 0, SEEK_CUR);
    s->regular = fstat(s->fd, &st) == 0 && S_ISREG(st.st_mode) && at >= 0 && st.st_size > at;
    if (s->regular) {
        s->start = (uint64_t)at;
        s->size = (uint64_t)(st.st_size - at);
        posix_fadvise(s->fd, at, 0, POSIX_FADV_SEQUENTIAL);
        return;
    }
#ifdef F_SETPIPE_SZ
    fcntl(s->fd, F_SETPIPE_SZ, BLOCK); /* fewer turns; most pipes hold 64 KiB */
#endif
}

enum accord_status cli_source_open(cli_source *source, const char *path, accord_error *error)
{
    bool standard = strcmp(path, "-") == 0;
    *source = (cli_source){.name = standard ? "standard input" : path, .size = CLI_UNKNOWN};
    source->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    source->borrowed = standard;
    if (source->fd < 0)
        return cannot_read(source, errno, error);
    look_at_file(source);
    return ACCORD_OK;
}

void cli_source_memory(cli_source *source, const char *name, const void *data, size_t size)
{
    *source = (cli_source){
        .name = name, .fd = -1, .borrowed = true, .memory = data, .regular = true, .size = size};
}

void cli_source_at(const cli_source *source, uint64_t offset, cli_source *part)
{
    *part = *source;
    part->data = part->map = NULL;
    part->head = part->length = part->capacity = part->mapped = 0;
    part->offset = part->line = offset;
    part->lines = part->taken = part->counted = 0;
    part->ended = false;
    part->borrowed = true;
}

static void unmap(cli_source *s)
{
    if (s->map)
        munmap(s->map, s->mapped);
    s->map = NULL;
}

void cli_source_close(cli_source *source)
{
    unmap(source);
    free(source->data);
    if (source->fd >= 0 && !source->borrowed)
        close(source->fd);
    *source = (cli_source){.fd = -1};
}

static ssize_t read_some(cli_source *s, char *room, size_t most)
{
    uint64_t at = s->offset + s->length;
    if (s->memory) {
        size_t left = at < s->size ? (size_t)(s->size - at) : 0;
        size_t got = left < most ? left : most;
        if (got)
            memcpy(room, s->memory + at, got);
        return (ssize_t)got;
    }
    ssize_t got;
    do
        got =
            s->regular ? pread(s->fd, room, most, (off_t)(s->start + at)) : read(s->fd, room, most);
    while (got < 0 && errno == EINTR && !cli_signal());
    return got;
}

static void count_lines(cli_source *s)
{
    const char *last = memrchr(s->data, '\n', s->head);
    if (!last)
        return;
    size_t lines = 0, used = (size_t)(last - s->data) + 1;
    for (size_t i = 0; i < used; i++)
        lines += s->data[i] == '\n';
    s->lines += lines;
    s->line = s->offset + used;
}

static void discard_read_bytes(cli_source *s)
{
    if (s->head == 0)
        return;
    if (s->counts)
        count_lines(s);
    memmove(s->data, s->data + s->head, s->length - s->head);
    s->offset += s->head;
    s->length -= s->head;
    s->head = 0;
}

static enum accord_status reserve_window(cli_source *s, accord_error *error)
{
    if (s->length < s->capacity)
        return ACCORD_OK;
    if (s->capacity >= CLI_WINDOW)
        return accordi_fail(error, ACCORD_PARSE,
                            "%s: line %llu is longer than %d bytes; use shorter lines, and check "
                            "for a quote that is not closed",
                            s->name, (unsigned long long)s->lines + 1, CLI_WINDOW);
    size_t larger = s->capacity ? 2 * s->capacity : s->block ? s->block : BLOCK;
    char *data = realloc(s->data, larger + 1);
    if (!data)
        return accordi_fail(error, ACCORD_NOMEM, "out of memory for the numbers of %s", s->name);
    s->data = data;
    s->capacity = larger;
    return ACCORD_OK;
}

enum cli_more cli_source_more(cli_source *source, accord_error *error)
{
    cli_source *s = source;
    if (s->head)
        discard_read_bytes(s);
    if (s->ended)
        return CLI_NO_MORE;
    if (reserve_window(s, error) != ACCORD_OK)
        return CLI_MORE_FAILED;
    size_t before = s->length;
    while (s->length < s->capacity && !s->ended) {
        ssize_t got =
            cli_signal() ? -1 : read_some(s, s->data + s->length, s->capacity - s->length);
        if (got < 0) {
            cannot_read(s, errno, error);
            return CLI_MORE_FAILED;
        }
        s->ended = got == 0;
        s->length += (size_t)got;
    }
    s->data[s->length] = '\0';
    s->taken += s->length - before;
    return s->length > before ? CLI_MORE : CLI_NO_MORE;
}

enum cli_more cli_source_need(cli_source *source, size_t bytes, accord_error *error)
{
    while (source->length - source->head < bytes) {
        enum cli_more more = cli_source_more(source, error);
        if (more != CLI_MORE)
            return more;
    }
    return CLI_MORE;
}

const char *cli_source_map(cli_source *source, uint64_t offset, uint64_t bytes, size_t *length)
{
    cli_source *s = source;
    unmap(s);
    if (!s->regular || s->memory)
        return NULL;
    uint64_t at = s->start + offset, page = (uint64_t)sysconf(_SC_PAGESIZE);
    size_t before = (size_t)(at % page), most = bytes < MAP ? (size_t)bytes : MAP;
    int flags = MAP_SHARED;
#ifdef MAP_POPULATE
    flags |= MAP_POPULATE; /* one call rather than a fault for every few pages */
#endif
    void *map = mmap(NULL, before + most, PROT_READ, flags, s->fd, (off_t)(at - before));
    if (map == MAP_FAILED)
        return NULL;
    s->map = map;
    s->mapped = before + most;
    posix_fadvise(s->fd, (off_t)(at + most), MAP, POSIX_FADV_WILLNEED); /* while this is added */
    s->taken += most;
    *length = most;
    return s->map + before;
}

uint64_t cli_source_taken(cli_source *source)
{
    uint64_t more = source->taken - source->counted;
    source->counted = source->taken;
    return more;
}
