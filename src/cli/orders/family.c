/* accord family: how the order depends on the number of terms. */
#include "cli/orders/family.h"
#include <jansson.h>

/* A signal ends what goes on within one order. */
static bool go_on(void *context, const char *stage, uint64_t done, uint64_t total)
{
    (void)context;
    (void)stage;
    (void)done;
    (void)total;
    return !cli_signal();
}

bool cli_family_open(const cli_args *args, const char *notation, const accord_record *like,
                     cli_family_question *q, int *status)
{
    accord_reveal_options budget;
    accord_family_options each;
    accord_error error;
    *q = (cli_family_question){.target = NULL};
    cli_question(args, like, &q->options);
    const char *last = q->options.shape ? strrchr(q->options.shape, 'x') : NULL;
    if (q->options.shape && strcmp(last ? last : "", "xn") != 0) {
        *status = cli_misuse("--shape %s is that of one number of terms; write n in its place, as "
                             "in 7x9xn: the number behind the last x",
                             q->options.shape);
        return false;
    }
    accord_reveal_options_init(&budget);
    if (args->text[CLI_BUDGET])
        accord_reveal_budget(args->text[CLI_BUDGET], &budget, NULL);
    accord_family_options_init(&q->limits);
    q->limits.seed = q->options.seed;
    q->limits.checks = (uint32_t)cli_integer(args, CLI_CHECKS, 0);
    q->limits.budget_seconds = budget.budget_seconds;
    q->limits.budget_calls = budget.budget_calls;
    each = q->limits;
    each.progress = go_on;
    if (accord_family_target_new(notation, &q->options, &each, &q->target, &error) != ACCORD_OK) {
        *status = cli_fail(&error);
        return false;
    }
    q->limits.progress = cli_bar_step;
    q->limits.progress_context = &q->bar;
    cli_bar_start(&q->bar, notation, args->text[CLI_QUIET] != NULL);
    return true;
}

void cli_family_close(cli_family_question *q)
{
    cli_bar_end(&q->bar);
    accord_family_target_free(q->target);
}

/* -n A..B */
static bool read_range(const cli_args *args, uint32_t *from, uint32_t *to)
{
    const char *text = args->text[CLI_COUNT];
    const char *dots = text ? strstr(text, "..") : NULL;
    int64_t first, last;
    if (!text)
        return cli_refuse("the range of numbers of terms is missing; give it with -n, e.g. "
                          "-n 1..4096");
    if (!dots || !cli_number(text, dots, &first) ||
        !cli_number(dots + 2, text + strlen(text), &last) || first < 1 || last < first ||
        last > ACCORD_TREE_MAX_LEAVES)
        return cli_refuse("-n %s: a family has a range from A to B, with 1 <= A <= B; give e.g. "
                          "-n 1..4096",
                          text);
    *from = (uint32_t)first;
    *to = (uint32_t)last;
    return true;
}

static int write_family(const cli_args *args, const accord_family *family,
                        const accord_record *about, const accord_family_account *account)
{
    const char *form = cli_output_form(args);
    accordi_buffer out = {0};
    if (strcmp(form, "json") == 0) {
        char *text = NULL;
        accord_error error;
        if (accord_family_write(family, about, account, &text, &error) != ACCORD_OK)
            return cli_fail(&error);
        accordi_buffer_puts(&out, text);
        accordi_buffer_puts(&out, "\n");
        free(text);
        return cli_output_text(args, &out);
    }
    cli_family_forms forms;
    accordi_buffer name = {0};
    accordi_buffer_puts(&name, args->operand[0]);
    if (about->shape)
        accordi_buffer_printf(&name, " %s", about->shape);
    cli_family_forms_make(&forms, family);
    (strcmp(form, "svg") == 0 ? cli_family_svg : cli_family_report)(&out, &forms,
                                                                    cli_need(name.data), account);
    cli_family_forms_clear(&forms);
    accordi_buffer_clear(&name);
    return cli_output_text(args, &out);
}

static int say_incomplete(const accord_family *family, const accord_family_account *a)
{
    cli_error("%s: %llu n up to %u were asked, %llu are predicted, %llu are unknown, %llu "
              "predictions were checked%s",
              cli_signal() ? "interrupted" : "the family is not complete",
              (unsigned long long)a->asked, accord_family_asked(family, (size_t)a->asked - 1),
              (unsigned long long)a->predicted, (unsigned long long)a->unknown,
              (unsigned long long)a->checks, cli_signal() ? "" : "; raise --budget");
    return CLI_UNABLE;
}

static int run_family(const cli_args *args)
{
    cli_family_question q;
    accord_family *family = NULL;
    accord_family_account account;
    accord_error error;
    uint32_t from, to;
    int end = CLI_USAGE;
    if (!read_range(args, &from, &to) || !cli_family_open(args, args->operand[0], NULL, &q, &end))
        return end;
    enum accord_status status = accord_family_learn(from, to, &q.limits, accord_family_target_ask,
                                                    q.target, &family, &account, &error);
    cli_bar_end(&q.bar);
    account.calls = accord_family_target_calls(q.target);
    account.proven = accord_family_target_proven(q.target);
    if (status != ACCORD_OK)
        end = cli_fail(&error);
    else if (cli_signal() && args->text[CLI_TO]) /* a file is for what is complete */
        end = CLI_UNABLE;
    else
        end = write_family(args, family, accord_family_target_about(q.target), &account);
    if (status == ACCORD_OK && !account.complete)
        end = end == CLI_USAGE ? end : say_incomplete(family, &account);
    accord_family_free(family);
    cli_family_close(&q);
    return end;
}

const cli_verb cli_family = {
    .name = "family",
    .operands = "TARGET",
    .about = "find the rule by which the order depends on the number of terms",
    .text =
        "Reveals the orders of TARGET at some hundred numbers of terms n in the range that -n "
        "gives: all small ones, and one of every residue modulo 128 between each two powers of "
        "two. From these it finds rules, such as \"(lanes 32; pairs) of [n - n mod 32]; chain\", "
        "and asks for more n until it knows exactly at which n the rules change. Then predictions "
        "are checked at n that were drawn at random and were not asked before; a wrong one changes "
        "the rules, and the checks begin anew. The report says for each n whether it was asked, is "
        "predicted, or is unknown. Of the orders that were asked, the first, every 32nd of the "
        "first 256, and then every 128th are proven, the others are only discovered (accord reveal "
        "proves one); a single exceptional n is found only if it is asked. In --shape, n stands "
        "for the number of terms, as in 7x9xn; without --shape, a GEMM is 16x16xn and a GEMV 16xn. "
        "-O svg draws the family: n to the right, the steps upward. -o FILE.json saves the family, "
        "and "
        "accord check TARGET FILE.json tests a target against it. The exit status is 0 if "
        "all checks passed, and 3 if the budget ended before that. See doc/family.md.",
    .least = 1,
    .most = 1,
    .families = true,
    .options = {CLI_COUNT,       CLI_CHECKS, CLI_OUTPUT,  CLI_JSON,   CLI_TO,      CLI_FORMAT,
                CLI_SEED,        CLI_BUDGET, CLI_TIMEOUT, CLI_PYTHON, CLI_NO_FORK, CLI_SIGNATURE,
                CLI_SCALE_BLOCK, CLI_SCALE,  CLI_RESULT,  CLI_SHAPE,  CLI_ELEMENT, CLI_TRANS,
                CLI_INCX,        CLI_INCY,   CLI_ALPHA,   CLI_BETA,   CLI_ALIGN,   CLI_QUIET,
                CLI_HELP,        CLI_OPTIONS},
    .examples = {{"accord family blas:sdot -n 1..4096", "the rules of a BLAS routine"},
                 {"accord family python:numpy.sum -n 1..4096", "the rules of NumPy's sum"},
                 {"accord family blas:sgemm --shape 7x9xn -n 1..4096",
                  "the rules of an element of a GEMM"},
                 {"accord family blas:sdot -n 1..4096 -o sdot.svg", "as a picture"},
                 {"accord family blas:sdot -n 1..4096 -o sdot-family.json", "save the family"},
                 {"accord check blas:sdot sdot-family.json",
                  "does the target still add like this?"}},
    .run = run_family,
};
