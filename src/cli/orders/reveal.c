/* accord reveal: the order in which a target adds. */
#include "cli/command/cli.h"

/* Between the documents of several counts; `after` says that one was written already. */
static void separate(cli_output *out, const accord_writer *writer, bool array, bool after)
{
    if (array)
        cli_output_write(out, after ? ",\n" : "[\n", 2);
    else if (after && strcmp(writer->name, "report") == 0)
        cli_output_write(out, "\n", 1);
}

/* A tree that does not fully explain the target deserves a word where the form of the output has
 * no room for one. */
static void warn(const cli_args *args, const accord_writer *writer, const cli_order *order)
{
    const accord_record *r = order->record;
    if (strcmp(writer->name, "report") == 0 || args->text[CLI_QUIET])
        return;
    if (r->replays_agreed < r->replays)
        cli_error("warning: not proven: only %lld of %lld random inputs were replayed with this "
                  "order bit for bit",
                  (long long)r->replays_agreed, (long long)r->replays);
    else if (r->left_out)
        cli_error("warning: not proven: parts of the proof were left out; see the report");
    else if (!r->proven)
        cli_error("warning: not every node of the order was confirmed; see the report");
}

/* Writes what one question gave. An answer that is no tree goes where a reader expects it: into
 * the report or the JSON; the other forms have no way to say it. A tree that random inputs do not
 * bear out is written in every form. */
static int write_order(const cli_args *args, const accord_writer *writer, const cli_order *order,
                       cli_output *out)
{
    bool report = strcmp(writer->name, "report") == 0;
    if (order->status == ACCORD_UNABLE && !report)
        cli_error("%s", order->error.text);
    if (order->status == ACCORD_OK)
        warn(args, writer, order);
    if (!order->record->tree && writer->needs_tree)
        return CLI_UNABLE;
    int status = cli_output_record(args, out, writer, order->record);
    bool several =
        order->status == ACCORD_UNABLE && (order->error.reason == ACCORD_REASON_POSITION ||
                                           order->error.reason == ACCORD_REASON_COPIES);
    return status != CLI_YES ? status : several ? CLI_DIFFERS : cli_exit_of(order->status);
}

typedef struct series {
    const cli_args *args;
    const char *target; /* with the settings that are options */
    const accord_writer *writer;
    const size_t *counts;
    size_t count;
    size_t written; /* documents in the output so far */
} series;

/* Asks for one count after another; only "unable" lets it go on. */
static int ask_all_counts(series *s, cli_output *out)
{
    accord_target_options options;
    bool array = s->count > 1 && strcmp(s->writer->name, "json") == 0;
    int worst = CLI_YES;
    for (size_t i = 0; i < s->count && !out->failure; i++) {
        cli_order order;
        cli_question(s->args, NULL, &options);
        options.n = s->counts[i];
        cli_ask(s->args, s->target, &options, &order);
        accord_target_close(order.target); /* the report of a long order needs its memory */
        order.target = NULL;
        bool answered = order.status == ACCORD_OK || order.status == ACCORD_UNABLE;
        int status;
        if (!answered || cli_signal()) {
            status = cli_fail(&order.error);
        } else {
            bool shown = order.record->tree || !s->writer->needs_tree;
            if (shown)
                separate(out, s->writer, array, s->written++ > 0);
            status = write_order(s->args, s->writer, &order, out);
        }
        cli_order_clear(&order);
        worst = status > worst ? status : worst;
        if (!answered || cli_signal())
            break;
    }
    if (array && s->written > 0)
        cli_output_write(out, "]\n", 2);
    return worst;
}

static bool check_reveal_options(const accord_writer *writer, size_t count)
{
    if (count < 2 || !cli_shows_one(writer))
        return true;
    return cli_refuse("--output %s can show only one order; give one count with -n", writer->name);
}

static int run_reveal(const cli_args *args)
{
    size_t *counts;
    series s = {.args = args, .writer = cli_writer(args)};
    cli_output out;
    char *target = cli_with_settings(args, args->operand[0], false);
    if (!target || !cli_question_counts(args, NULL, &counts, &s.count)) {
        free(target);
        return CLI_USAGE;
    }
    s.target = target;
    s.counts = counts;
    int status = CLI_USAGE;
    if (check_reveal_options(s.writer, s.count) && cli_output_open(&out, args->text[CLI_TO])) {
        status = ask_all_counts(&s, &out);
        bool answer = status == CLI_UNABLE || status == CLI_DIFFERS;
        bool whole = status == CLI_YES || (answer && s.written > 0);
        if ((whole || !out.path) && !cli_signal()) {
            int end = cli_output_commit(&out);
            status = end == CLI_YES ? status : end;
        } else {
            cli_output_discard(&out);
        }
    }
    free(counts);
    free(target);
    return status;
}

const cli_verb cli_reveal = {
    .name = "reveal",
    .operands = "TARGET",
    .about = "show the order in which a target adds, and prove it",
    .text =
        "Asks TARGET for sums of chosen terms until the order of its additions (a tree) and the "
        "arithmetic of each addition are known, confirms every addition, and checks on random "
        "inputs that the tree gives the same bits as TARGET. TARGET is a notation such as "
        "blas:sdot or so:./sum.so:my_sum; accord "
        "targets lists the kinds. With several counts, the answers are written one after the "
        "other; as JSON they form one array. If there is no fixed order, the report and the JSON "
        "say why, the "
        "other forms write nothing, and the exit status is 3, or 1 if several orders were found: "
        "those "
        "of ranks that disagree, or of sums that are asked for together. The exit status is also 3 "
        "if replays "
        "of "
        "random inputs contradict the order that probes show; that order is written in every "
        "form, but it is not proven (--loose makes the status 0). --budget limits the effort: if "
        "it is spent before an order is found, the exit status is 3 with the reason budget; if it "
        "is spent later, the order is written as not proven, and the record lists what was left "
        "out.",
    .least = 1,
    .most = 1,
    .trees = true,
    .options = {CLI_COUNT,     CLI_OUTPUT,      CLI_JSON,        CLI_TO,       CLI_EXPAND,
                CLI_ALGORITHM, CLI_FORMAT,      CLI_SEED,        CLI_LOOSE,    CLI_REPLAYS,
                CLI_PROOF,     CLI_PROOF_ERROR, CLI_BUDGET,      CLI_TIMEOUT,  CLI_PYTHON,
                CLI_NO_FORK,   CLI_SIGNATURE,   CLI_SCALE_BLOCK, CLI_SCALE,    CLI_RESULT,
                CLI_OPERANDS,  CLI_QUIET,       CLI_HELP,        CLI_SETTINGS, CLI_POSITION,
                CLI_RANK,      CLI_OPTIONS},
    .headings = {{CLI_LENGTH, "Settings of collective operations (mpi: targets)",
                  "accord reveal mpi:allreduce -n 8 --length 100 --rank 3"}},

    .examples = {{"accord reveal blas:sdot -n 32", "the order of the system's BLAS"},
                 {"accord reveal blas:sdot@libblis.so.4 -n 32 -o sdot.json",
                  "save it with everything needed to check it later"},
                 {"accord reveal blas:sgemm --shape 33x33x48 --element 0,5",
                  "one element of a matrix product"},
                 {"accord reveal so:./sum.so:my_sum -n 8,16,32", "a function of your own"},
                 {"accord reveal \"command:python3 sum.py\" -n 100", "a program in any language"},
                 {"accord reveal mpi:allreduce -n 8", "8 ranks of an MPI (doc/collectives.md)"},
                 {"accord reveal synthetic:pairwise -n 8 -O text", "only the brackets"}},
    .run = run_reveal,
};
