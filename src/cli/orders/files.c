/* Bytes and orders from files. */
#include "cli/command/cli.h"
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <unistd.h>

static const size_t greatest_file = (size_t)1 << 30;

static bool slurp(int fd, size_t most, accordi_buffer *text)
{
    for (;;) {
        char *room = accordi_buffer_reserve(text, 1 << 16);
        if (!room || text->length > most) {
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

bool cli_read_bytes(const char *path, size_t most, const char *instead, accordi_buffer *text)
{
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    bool good = fd >= 0 && slurp(fd, most, text);
    int cause = errno;
    if (fd >= 0 && !standard)
        close(fd);
    if (good)
        accordi_buffer_append(text, "", 0);
    else if (cli_signal())
        cli_error("interrupted before the end");
    else
        cli_error("cannot read %s: %s; give %s", standard ? "standard input" : path,
                  strerror(cause), instead);
    return good;
}

static const char *kind_name(const void *list, size_t i)
{
    (void)list;
    const accord_target_kind *kind = accord_target_kind_at(i);
    return kind ? kind->name : NULL;
}

/* Not a file, but a target whose kind is misspelt? Prints so. */
static bool is_misspelt_target(const char *path)
{
    char word[24];
    size_t length = strcspn(path, ":/");
    if (path[length] != ':' || length >= sizeof word || access(path, F_OK) == 0)
        return false;
    memcpy(word, path, length);
    word[length] = '\0';
    const char *near = accordi_nearest(word, kind_name, NULL);
    if (near)
        cli_error("there is no file %s, and no kind of target \"%s\"; did you mean %s%s?", path,
                  word, near, path + length);
    return near;
}

bool cli_read_file(const char *path, accordi_buffer *text)
{
    if (is_misspelt_target(path))
        return false;
    return cli_read_bytes(path, greatest_file,
                          "the file of an order made with accord reveal -o FILE", text);
}

static int bad_file(const char *path, const accord_error *error)
{
    cli_error("%s: %s", path, error->text);
    return error->status == ACCORD_NOMEM ? CLI_UNABLE : CLI_USAGE;
}

static int add(const char *path, const char *text, size_t length, cli_order *order)
{
    accord_record_init(&order->record);
    order->name = accordi_strdup(path);
    order->status = accord_record_read(text, length, &order->record, &order->error);
    return order->status == ACCORD_OK ? CLI_YES : bad_file(path, &order->error);
}

static int add_each(const char *path, const json_t *array, cli_order *orders, size_t *count)
{
    int status = CLI_YES;
    for (size_t i = 0; status == CLI_YES && i < json_array_size(array); i++) {
        char *text = json_dumps(json_array_get(array, i), JSON_COMPACT | JSON_ENCODE_ANY);
        if (!text) {
            cli_error("out of memory");
            return CLI_UNABLE;
        }
        status = add(path, text, strlen(text), &orders[i]);
        *count = i + 1;
        free(text);
    }
    return status;
}

static int load_array(const char *path, const accordi_buffer *text, cli_order **orders,
                      size_t *count)
{
    json_error_t where;
    json_t *array = json_loadb(text->data, text->length, JSON_REJECT_DUPLICATES, &where);
    if (!array || json_array_size(array) == 0) {
        cli_error("%s: line %d, column %d: %s; give a file that accord wrote", path,
                  array ? 1 : where.line, array ? 1 : where.column,
                  array ? "the array holds no order" : where.text);
        json_decref(array);
        return CLI_USAGE;
    }
    int status = CLI_UNABLE;
    *orders = accordi_calloc(json_array_size(array), sizeof **orders);
    if (*orders)
        status = add_each(path, array, *orders, count);
    else
        cli_error("out of memory");
    json_decref(array);
    return status;
}

static int load_one(const char *path, const accordi_buffer *text, cli_order **orders, size_t *count)
{
    *orders = accordi_calloc(1, sizeof **orders);
    if (!*orders) {
        cli_error("out of memory");
        return CLI_UNABLE;
    }
    *count = 1;
    return add(path, text->data, text->length, *orders);
}

int cli_load(const char *path, cli_order **orders, size_t *count)
{
    accordi_buffer text = {0};
    int status = CLI_USAGE;
    *orders = NULL;
    *count = 0;
    if (cli_read_file(path, &text)) {
        size_t blank = strspn(text.data, " \t\r\n");
        status = text.data[blank] == '[' ? load_array(path, &text, orders, count)
                                         : load_one(path, &text, orders, count);
    }
    accordi_buffer_clear(&text);
    if (status != CLI_YES) {
        cli_orders_free(*orders, *count);
        *orders = NULL;
        *count = 0;
    }
    return status;
}

int cli_load_one(const char *path, const char *verb, cli_order *order)
{
    cli_order *orders;
    size_t count;
    int status = cli_load(path, &orders, &count);
    if (status == CLI_YES && count > 1) {
        cli_error("%s holds %zu orders; %s takes files of one order each", path, count, verb);
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
    cli_error("%s holds no order%s%s", order->name, order->record.verdict ? ": " : "",
              order->record.verdict ? order->record.verdict
                                    : "; give a file that accord reveal wrote");
    return CLI_UNABLE;
}
