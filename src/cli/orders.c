/* Orders from files, and orders asked of targets. */
#include "cli/cli.h"
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <sys/stat.h>
#include <unistd.h>

static const size_t greatest_file = (size_t)1 << 30;

void cli_order_clear(cli_order *order)
{
    free(order->name);
    accord_record_clear(&order->record);
    accord_target_close(order->target);
    order->name = NULL;
    order->target = NULL;
}

void cli_orders_free(cli_order *orders, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cli_order_clear(&orders[i]);
    free(orders);
}

bool cli_is_target(const char *text)
{
    const accord_target_kind *kind;
    for (size_t i = 0; (kind = accord_target_kind_at(i)) != NULL; i++) {
        size_t length = strlen(kind->name);
        if (strncmp(text, kind->name, length) == 0 && text[length] == ':')
            return true;
    }
    return false;
}

/* ---- files ---- */

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

bool cli_read_file(const char *path, accordi_buffer *text)
{
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

/* ---- questions ---- */

static void like_record(const accord_record *like, accord_target_options *options)
{
    enum accord_format format;
    options->n = like->n > 0 ? (size_t)like->n : 0;
    options->alpha = like->alpha;
    options->beta = like->beta;
    if (like->format && accord_format_by_name(like->format, &format)) {
        options->has_format = true;
        options->format = format;
    }
    options->signature = like->signature;
    options->shape = like->shape;
    options->element = like->element;
    options->transpose = like->transpose;
    options->alignment = like->alignment > 0 ? like->alignment : 0;
    options->seed = (uint64_t)like->seed;
    static const char *const names[] = {"incx=", "incy=", "lda=", "ldb=", "ldc="};
    int64_t *const strides[] = {&options->incx, &options->incy, &options->lda, &options->ldb,
                                &options->ldc};
    for (size_t i = 0; like->strides && i < sizeof names / sizeof names[0]; i++) {
        const char *at = strstr(like->strides, names[i]);
        if (at)
            *strides[i] = strtoll(at + strlen(names[i]), NULL, 10);
    }
}

static void set_text(const cli_args *args, enum cli_option_id id, const char **field)
{
    if (args->text[id])
        *field = args->text[id];
}

void cli_question(const cli_args *args, const accord_record *like, accord_target_options *options)
{
    accord_target_options_init(options);
    if (like)
        like_record(like, options);
    if (args->text[CLI_FORMAT])
        options->has_format = accord_format_by_name(args->text[CLI_FORMAT], &options->format);
    set_text(args, CLI_SIGNATURE, &options->signature);
    set_text(args, CLI_SHAPE, &options->shape);
    set_text(args, CLI_ELEMENT, &options->element);
    set_text(args, CLI_TRANS, &options->transpose);
    options->seed = (uint64_t)cli_integer(args, CLI_SEED, (int64_t)options->seed);
    options->incx = cli_integer(args, CLI_INCX, options->incx);
    options->incy = cli_integer(args, CLI_INCY, options->incy);
    options->lda = cli_integer(args, CLI_LDA, options->lda);
    options->ldb = cli_integer(args, CLI_LDB, options->ldb);
    options->ldc = cli_integer(args, CLI_LDC, options->ldc);
    options->alignment = cli_integer(args, CLI_ALIGN, options->alignment);
    options->alpha = cli_real(args, CLI_ALPHA, options->alpha);
    options->beta = cli_real(args, CLI_BETA, options->beta);
    if (args->text[CLI_TIMEOUT])
        options->timeout = strtod(args->text[CLI_TIMEOUT], NULL);
    options->no_fork = args->text[CLI_NO_FORK] != NULL;
}

static bool one_count(int64_t n, size_t **counts, size_t *count)
{
    *counts = accordi_alloc(1, sizeof **counts);
    if (!*counts) {
        cli_error("out of memory");
        return false;
    }
    **counts = (size_t)n;
    *count = 1;
    return true;
}

void cli_no_count(const cli_args *args)
{
    if (args->operands == 1 && !cli_is_target(args->operand[0]))
        cli_error("\"%s\" is no target: write KIND:NAME, e.g. blas:sdot; see accord targets",
                  args->operand[0]);
    else
        cli_error("say how many terms to add, e.g. -n 32");
}

bool cli_question_counts(const cli_args *args, const accord_record *like, size_t **counts,
                         size_t *count)
{
    const char *text = args->text[CLI_COUNT], *shape = args->text[CLI_SHAPE], *why;
    int64_t last;
    if (text && cli_counts(text, counts, count, &why))
        return true;
    if (text) {
        cli_error("-n %s: %s", text, why);
        return false;
    }
    if (shape) {
        const char *x = strrchr(shape, 'x');
        bool start = cli_real(args, CLI_BETA, like ? like->beta : 0) != 0; /* a term beside K */
        if (x && cli_number(x + 1, x + strlen(x), &last) && last >= 1)
            return one_count(last + start, counts, count);
        cli_error("--shape %s: give MxNxK for a GEMM or MxK for a GEMV, e.g. 4x4x32", shape);
        return false;
    }
    if (like && like->n > 0)
        return one_count(like->n, counts, count);
    cli_no_count(args);
    return false;
}

/* ---- targets ---- */

void cli_reveal_options(const cli_args *args, const accord_target_options *question, cli_bar *bar,
                        accord_reveal_options *options)
{
    accord_reveal_options_init(options);
    options->algorithm = args->text[CLI_ALGORITHM];
    options->seed = question->seed;
    options->strict = args->text[CLI_STRICT] != NULL;
    options->progress = cli_bar_step;
    options->progress_context = bar;
}

static void reveal(const cli_args *args, const char *title, const accord_target_options *question,
                   cli_order *order)
{
    accord_reveal_options options;
    cli_bar bar;
    cli_reveal_options(args, question, &bar, &options);
    cli_bar_start(&bar, title, args->text[CLI_QUIET] != NULL);
    order->status = accord_reveal(order->target, &options, &order->record, &order->error);
    cli_bar_end(&bar);
}

void cli_ask(const cli_args *args, const char *notation, const accord_target_options *options,
             cli_order *order)
{
    cli_ask_titled(args, notation, notation, options, order);
}

void cli_ask_titled(const cli_args *args, const char *notation, const char *title,
                    const accord_target_options *options, cli_order *order)
{
    memset(order, 0, sizeof *order);
    accord_record_init(&order->record);
    order->name = accordi_strdup(notation);
    if (!order->name)
        order->status = accordi_nomem(&order->error);
    else
        order->status = accord_target_open(notation, options, &order->target, &order->error);
    if (order->status == ACCORD_OK)
        reveal(args, title, options, order);
}
