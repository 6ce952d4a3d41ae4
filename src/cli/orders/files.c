/* Reads files of records for the verbs. */
#include "cli/command/cli.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static const size_t greatest_file = (size_t)1 << 30;

static bool slurp(int fd, accordi_buffer *text)
{
    for (;;) {
        char *room = accordi_buffer_reserve(text, 1 << 16);
        if (!room || text->length > greatest_file) {
            errno = room ? EFBIG : ENOMEM;
            return false;
        }
        ssize_t got = read(fd, room, 1 << 16);
        if (got < 0 && errno == EINTR && !cli_signal())
            continue;
        if (got <= 0)
            return got == 0;
        text->length += (size_t)got;
    }
}

static bool read_bytes(const char *path, accordi_buffer *text)
{
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    bool good = fd >= 0 && slurp(fd, text);
    int cause = errno;
    if (fd >= 0 && !standard)
        close(fd);
    if (good)
        accordi_buffer_append(text, "", 0);
    else if (cli_signal())
        cli_error("interrupted before the end");
    else
        cli_error("cannot read %s: %s; give the file of an order made with accord reveal -o "
                  "FILE.json, or an order in one line, e.g. \"1000: lanes 8; halves\"",
                  standard ? "standard input" : path, strerror(cause));
    return good;
}

static const char *kind_name(const void *list, size_t i)
{
    (void)list;
    const accord_target_kind *kind = accord_target_kind_at(i);
    return kind ? kind->name : NULL;
}

/* Not a file, but a target, perhaps of a misspelled kind? Prints so. */
static bool is_target(const char *path)
{
    char word[24];
    size_t length = strcspn(path, ":/");
    if (path[length] != ':' || length >= sizeof word || access(path, F_OK) == 0)
        return false;
    memcpy(word, path, length);
    word[length] = '\0';
    const char *near = accordi_nearest(word, kind_name, NULL);
    if (near && cli_is_target(path))
        cli_error("%s is a target, but a file is needed here; write one with accord reveal %s -o "
                  "FILE.json",
                  path, path);
    else if (near)
        cli_error("there is neither a file %s nor a kind of target \"%s\"; did you mean %s%s?",
                  path, word, near, path + length);
    return near;
}

/* Not a file, but an order in one line? */
static bool is_notation(const char *path)
{
    return cli_begins_notation(path + strspn(path, " \t\r\n")) && access(path, F_OK) != 0;
}

bool cli_read_file(const char *path, accordi_buffer *text)
{
    if (is_notation(path)) {
        accordi_buffer_puts(text, path);
        return true;
    }
    return !is_target(path) && read_bytes(path, text);
}

/* What reveal, map and others print for people. */
static bool is_report(const accordi_buffer *text)
{
    static const char first[] = "  target ";
    const char *line = text->data + strspn(text->data, "\n");
    return strncmp(line, first, sizeof first - 1) == 0;
}

int cli_bad_file(const char *path, const accordi_buffer *text, const accord_error *error)
{
    if (is_notation(path))
        cli_error("%s", error->text);
    else if (is_report(text))
        cli_error("%s is a report, which cannot be read back; save the order with -o FILE.json",
                  path);
    else
        cli_error("%s: %s", path, error->text);
    if (error->status == ACCORD_PARSE)
        cli_mark_notation(text->data);
    return error->status == ACCORD_NOMEM ? CLI_UNABLE : CLI_USAGE;
}

/* Takes the records over. */
static void wrap(const char *path, accord_records *records, cli_order **orders, size_t *count)
{
    cli_order *list = cli_need(accordi_calloc(records->count, sizeof *list));
    for (size_t i = 0; i < records->count; i++) {
        list[i].name = cli_need(accordi_strdup(path));
        list[i].record = records->list[i];
    }
    *orders = list;
    *count = records->count;
    free(records->list);
    *records = (accord_records){NULL, 0};
}

static int take_orders(const char *path, const accordi_buffer *text, cli_order **orders,
                       size_t *count)
{
    accord_records records = {NULL, 0};
    accord_error error;
    enum accord_status read = accord_records_read(text->data, text->length, &records, &error);
    int status = read == ACCORD_OK ? CLI_YES : cli_bad_file(path, text, &error);
    if (read == ACCORD_OK)
        wrap(path, &records, orders, count);
    accord_records_clear(&records);
    return status;
}

int cli_load(const char *path, cli_order **orders, size_t *count)
{
    accordi_buffer text = {0};
    *orders = NULL;
    *count = 0;
    int status = cli_read_file(path, &text) ? take_orders(path, &text, orders, count) : CLI_USAGE;
    accordi_buffer_clear(&text);
    return status;
}

int cli_load_line(const char *line, cli_order **orders, size_t *count)
{
    accordi_buffer text = {0};
    *orders = NULL;
    *count = 0;
    accordi_buffer_puts(&text, line);
    cli_need(text.data);
    int status = take_orders(line, &text, orders, count);
    accordi_buffer_clear(&text);
    return status;
}

int cli_load_one(const char *path, const char *verb, cli_order *order)
{
    cli_order *orders;
    size_t count;
    int status = cli_load(path, &orders, &count);
    if (status == CLI_YES && count > 1) {
        cli_error("%s contains %zu orders, but %s takes files with one order each", path, count,
                  verb);
        cli_orders_free(orders, count);
        return CLI_USAGE;
    }
    if (status == CLI_YES)
        *order = orders[0];
    free(orders);
    return status;
}

int cli_no_tree(const cli_order *order)
{
    cli_error("%s contains no order%s%s", order->name, order->record->verdict ? ": " : "",
              order->record->verdict ? order->record->verdict
                                     : "; give a file written by accord reveal");
    return CLI_UNABLE;
}
