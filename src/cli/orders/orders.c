/* Reads from the command line which target to ask for which orders, and reveals them.
 *
 * All verbs on orders use this; each has a file of its own name beside this one. */
#include "cli/command/cli.h"

void cli_order_clear(cli_order *order)
{
    free(order->name);
    accord_record_free(order->record);
    accord_target_close(order->target);
    order->name = NULL;
    order->record = NULL;
    order->target = NULL;
}

void cli_orders_free(cli_order *orders, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cli_order_clear(&orders[i]);
    free(orders);
}

/* The kind of target that a notation names; NULL: it is not a notation. */
static const accord_target_kind *kind_of(const char *text)
{
    const accord_target_kind *kind;
    for (size_t i = 0; (kind = accord_target_kind_at(i)) != NULL; i++) {
        size_t length = strlen(kind->name);
        if (strncmp(text, kind->name, length) == 0 && text[length] == ':')
            break;
    }
    return kind;
}

bool cli_is_target(const char *text)
{
    return kind_of(text) != NULL;
}

bool cli_takes_result(const char *text)
{
    const accord_target_kind *kind = kind_of(text);
    return kind && kind->takes_result;
}

/* ---- questions ---- */

static void like_record(const accord_record *like, accord_target_options *options)
{
    enum accord_format format;
    options->n = like->n > 0 ? (size_t)like->n : 0;
    options->alpha = like->alpha;
    options->beta = like->beta;
    if (like->format && accord_format_operand_by_name(like->format, &format)) {
        options->has_format = true;
        options->format = format;
    }
    options->signature = like->signature;
    bool takes_result = like->target && cli_takes_result(like->target);
    if (takes_result && like->output && accord_format_by_name(like->output, &format)) {
        options->has_result = true;
        options->result = format;
    }
    if (like->arithmetic && like->arithmetic->has_machine) {
        options->scale_block = (size_t)like->arithmetic->machine.scale_block;
        options->scale = like->arithmetic->machine.scale;
    }
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
        int64_t stride = at ? strtoll(at + strlen(names[i]), NULL, 10) : 1;
        if (stride != 1) /* which is what all targets do, also those without strides */
            *strides[i] = stride;
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
        options->has_format =
            accord_format_operand_by_name(args->text[CLI_FORMAT], &options->format);
    if (args->text[CLI_RESULT])
        options->has_result = accord_format_by_name(args->text[CLI_RESULT], &options->result);
    set_text(args, CLI_PYTHON, &options->python);
    set_text(args, CLI_SIGNATURE, &options->signature);
    options->scale_block =
        (size_t)cli_integer(args, CLI_SCALE_BLOCK, (int64_t)options->scale_block);
    if (args->text[CLI_SCALE])
        options->scale = strcmp(args->text[CLI_SCALE], "e8m0") == 0 ? ACCORD_E8M0 : ACCORD_UE4M3;
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
    *counts = cli_need(accordi_alloc(1, sizeof **counts));
    **counts = (size_t)n;
    *count = 1;
    return true;
}

/* The order in one line of a synthetic target among the operands, or NULL. */
static const char *written_order(const cli_args *args)
{
    static const char prefix[] = "synthetic:";
    for (size_t i = 0; i < args->operands; i++) {
        const char *order = args->operand[i] + strlen(prefix);
        if (strncmp(args->operand[i], prefix, strlen(prefix)) == 0 && cli_begins_notation(order))
            return order;
    }
    return NULL;
}

void cli_no_count(const cli_args *args)
{
    const char *order = written_order(args);
    accord_error error;
    accord_tree *tree;
    if (order && accord_notation_terms(order) == 0 &&
        accord_notation_parse(order, &tree, NULL, NULL, &error) == ACCORD_PARSE) {
        cli_fail(&error);
    } else if (args->operands == 1 && !cli_is_target(args->operand[0])) {
        cli_error("\"%s\" is not a target: write KIND:NAME, e.g. blas:sdot; see accord targets",
                  args->operand[0]);
    } else {
        cli_error("the number of terms is missing; give it with -n, e.g. -n 32");
    }
}

bool cli_question_counts(const cli_args *args, const accord_record *like, size_t **counts,
                         size_t *count)
{
    const char *text = args->text[CLI_COUNT], *shape = args->text[CLI_SHAPE], *why;
    int64_t last;
    if (text && cli_counts(text, counts, count, &why))
        return true;
    if (text)
        return cli_refuse("-n %s: %s", text, why);
    if (shape) {
        const char *x = strrchr(shape, 'x');
        bool start = cli_real(args, CLI_BETA, like ? like->beta : 0) != 0; /* a term beside K */
        if (x && cli_number(x + 1, x + strlen(x), &last) && last >= 1)
            return one_count(last + start, counts, count);
        return cli_refuse("--shape %s: give MxNxK for a GEMM or MxK for a GEMV, e.g. 4x4x32",
                          shape);
    }
    if (like && like->n > 0)
        return one_count(like->n, counts, count);
    const char *order = written_order(args);
    if (order && accord_notation_terms(order) > 0)
        return one_count(accord_notation_terms(order), counts, count);
    cli_no_count(args);
    return false;
}

bool cli_question_count(const cli_args *args, const char *several, size_t *n)
{
    size_t *counts, count;
    if (!cli_question_counts(args, NULL, &counts, &count))
        return false;
    *n = counts[0];
    free(counts);
    return count == 1 || cli_refuse("%s", several);
}

/* ---- targets ---- */

void cli_reveal_options(const cli_args *args, const accord_target_options *question, cli_bar *bar,
                        accord_reveal_options *options)
{
    accord_reveal_options_init(options);
    options->algorithm = args->text[CLI_ALGORITHM];
    options->seed = question->seed;
    /* Verbs that compare use the answers if replays do not agree with the order. */
    options->loose = args->text[CLI_LOOSE] || !cli_takes(args->verb, CLI_LOOSE);
    options->replays = (uint64_t)cli_integer(args, CLI_REPLAYS, 0);
    options->proof = args->text[CLI_PROOF];
    options->proof_error = cli_real(args, CLI_PROOF_ERROR, 0);
    if (args->text[CLI_PROOF_ERROR] && options->proof_error == 0)
        options->proof_error = -1; /* 0 would be the default, and no proof by probability has it */
    if (args->text[CLI_BUDGET])
        accord_reveal_budget(args->text[CLI_BUDGET], options, NULL);
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
    order->status = accord_reveal(order->target, &options, order->record, &order->error);
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
    order->record = cli_need(accord_record_new());
    order->name = cli_need(accordi_strdup(notation));
    order->status = accord_target_open(notation, options, &order->target, &order->error);
    if (order->status == ACCORD_OK)
        reveal(args, title, options, order);
}
