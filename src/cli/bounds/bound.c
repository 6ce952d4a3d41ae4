/* accord bound: what contraction and reordering can do to the value of an expression, or to what a
 * program writes (program.c).
 *
 * In: an expression in C, values or intervals for its names, and models. Out: the ends of the
 * interval that every evaluation lies in, and the evaluations that reach them. */
#include "cli/bounds/intervals.h"
#include "cli/bounds/program.h"
#include "cli/bounds/study.h"
#include "cli/numbers/numbers.h"
#include <jansson.h>
#include <math.h>

typedef struct question {
    const cli_args *args;
    enum accord_format format;
    accord_bound_options options;
    accordi_buffer models; /* as the table calls them */
    accord_bound_binding *binding;
    size_t bindings;
    accord_bound *answer;
} question;

/* ---- names and their values ---- */

static bool is_name(const char *text, size_t length)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    return length && strchr(letters, text[0]) &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") >=
               length;
}

static bool bind(question *q, const char *operand)
{
    accord_bound_binding *out = &q->binding[q->bindings];
    const char *equals = strchr(operand, '=');
    char *name = accordi_strdup(operand);
    if (!name)
        return cli_refuse("out of memory");
    out->name = name;
    q->bindings++;
    if (!equals || !is_name(name, (size_t)(equals - operand)))
        return cli_refuse("%s: a name and its value are expected here, as in x=1.5 or x=[1,2]",
                          operand);
    name[equals - operand] = 0;
    for (size_t i = 0; i + 1 < q->bindings; i++)
        if (strcmp(q->binding[i].name, name) == 0)
            return cli_refuse("%s has a value already; give one value for each name", name);
    if (!cli_read_interval(q->format, name + (equals - operand) + 1, &out->low, &out->high))
        return cli_refuse("%s: the value is neither a number nor an interval such as [1,2]",
                          operand);
    if (out->low > out->high)
        cli_error("%s: the lower end of an interval comes first", operand);
    return out->low <= out->high;
}

/* ---- models ---- */

static const char *model_name(const void *list, size_t i)
{
    (void)list;
    const accord_bound_model_info *info = accord_bound_model_at(i);
    return info ? info->name : NULL;
}

static bool add_model(question *q, const char *text, size_t length)
{
    char word[40];
    const accord_bound_model_info *info;
    if (length == 0)
        return cli_refuse("--model %s: a name is missing beside a comma", q->args->text[CLI_MODEL]);
    snprintf(word, sizeof word, "%.*s", (int)(length < 39 ? length : 39), text);
    for (size_t i = 0; (info = accord_bound_model_at(i)); i++)
        if (strcmp(word, info->name) == 0) {
            q->options.model |= info->flag;
            return true;
        }
    const char *near = accordi_nearest(word, model_name, NULL);
    return cli_refuse("--model %s: there is no such model%s%s%s; see accord help bound", word,
                      near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

static bool read_models(question *q)
{
    const char *text = q->args->text[CLI_MODEL] ? q->args->text[CLI_MODEL] : "contract";
    for (;;) {
        size_t length = strcspn(text, ",");
        if (!add_model(q, text, length))
            return false;
        if (text[length] == 0)
            break;
        text += length + 1;
    }
    const accord_bound_model_info *info;
    for (size_t i = 0; (info = accord_bound_model_at(i)); i++)
        if (q->options.model & (unsigned)info->flag)
            accordi_buffer_printf(&q->models, "%s%s", q->models.length ? "," : "", info->name);
    return true;
}

/* ---- the answer ---- */

static void put_end(accordi_buffer *out, const question *q, const char *title, double x)
{
    accordi_buffer_printf(out, "%-8s ", title);
    cli_put_number(out, q->answer->format, x);
    if (isfinite(x))
        accordi_buffer_printf(out, "  %a", x);
    accordi_buffer_puts(out, "\n");
}

static void put_report(const question *q, accordi_buffer *out)
{
    const accord_bound *a = q->answer;
    put_end(out, q, "low", a->low);
    if (a->low_witness)
        accordi_buffer_printf(out, "         %s\n", a->low_witness);
    put_end(out, q, "high", a->high);
    if (a->high_witness)
        accordi_buffer_printf(out, "         %s\n", a->high_witness);
    if (a->may_be_nan)
        accordi_buffer_puts(out, "NaN      is possible too\n");
    accordi_buffer_printf(out, "model    %s\nmethod   %s; %s\n", q->models.data, a->method,
                          a->exact ? "both ends are reached"
                                   : "the ends are bounds that may not be reached");
}

static void put_json(const question *q, accordi_buffer *out)
{
    const accord_bound *a = q->answer;
    json_t *witness = a->exact ? json_pack("{s:o, s:o}", "low", cli_json_text(a->low_witness),
                                           "high", cli_json_text(a->high_witness))
                               : json_null();
    cli_put_json(out, json_pack("{s:i, s:s, s:o, s:s, s:s, s:o, s:o, s:b, s:s, s:b, s:o}", "accord",
                                CLI_SCHEMA, "verb", "bound", "expression",
                                cli_json_text(q->args->text[CLI_EXPRESSION]), "format",
                                accord_format_get(a->format)->name, "model", q->models.data, "low",
                                cli_json_hexadecimal(a->low), "high", cli_json_hexadecimal(a->high),
                                "may_be_nan", a->may_be_nan, "method", a->method, "exact", a->exact,
                                "witness", witness));
}

static int ask(question *q)
{
    accord_bound_expression *expression = NULL;
    accord_error error;
    enum accord_status status = accord_bound_parse(q->args->text[CLI_EXPRESSION], q->format,
                                                   q->bindings, q->binding, &expression, &error);
    if (status == ACCORD_PARSE)
        return cli_misuse("--expr %s: %s", q->args->text[CLI_EXPRESSION], error.text);
    if (status == ACCORD_OK)
        status = accord_bound_evaluate(expression, UINT32_MAX, &q->options, &q->answer, &error);
    accord_bound_expression_free(expression);
    return status == ACCORD_OK ? CLI_YES : cli_fail(&error);
}

/* An error in units; 0, which the library takes for its default, is none. */
static bool read_ulp(const question *q, enum cli_option_id id, double *out)
{
    *out = cli_real(q->args, id, 0);
    return !q->args->text[id] || *out > 0 ||
           cli_refuse("--%s %s: give a number greater than 0", cli_options[id].name,
                      q->args->text[id]);
}

static bool read_options(question *q)
{
    const char *arithmetic = q->args->text[CLI_ARITHMETIC];
    q->options.symbols = (size_t)cli_integer(q->args, CLI_SYMBOLS, 0);
    if (arithmetic && strcmp(arithmetic, "native") != 0) {
        q->options.arithmetic = cli_study_arithmetic(arithmetic);
        if (!q->options.arithmetic)
            return cli_refuse("--arithmetic %s: this accord was built without MPFR and GMP; build "
                              "it where both are installed",
                              arithmetic);
    }
    return read_ulp(q, CLI_FUNCTION_ULP, &q->options.function_ulp) &&
           read_ulp(q, CLI_RECIPROCAL_ULP, &q->options.reciprocal_ulp);
}

static int question_of(question *q)
{
    const cli_args *args = q->args;
    q->format = ACCORD_F64;
    if (args->text[CLI_FORMAT])
        accord_format_by_name(args->text[CLI_FORMAT], &q->format);
    if (!args->text[CLI_EXPRESSION])
        return cli_misuse(
            "neither an expression nor a program was given; use --expr, as in accord bound --expr "
            "'a*b + c' a=.1 b=3 c=-.3, or give C files, as in accord bound solver.c");
    if (args->flags || args->text[CLI_RUN] || args->text[CLI_TIMEOUT] || args->text[CLI_OBSERVE] ||
        args->text[CLI_TAPE] || args->text[CLI_FIRST_ORDER] || args->text[CLI_BOTH] ||
        args->text[CLI_UNSET] || args->text[CLI_CURE] || args->text[CLI_INPUT_OF_PROGRAM] ||
        args->text[CLI_SEARCH] || args->text[CLI_SEED] ||
        strcmp(cli_output_form(args), "sarif") == 0 || strcmp(cli_output_form(args), "html") == 0)
        return cli_misuse("--input, --run, --timeout, --observe, --tape, --first-order, --unset, "
                          "SARIF, HTML and flags "
                          "after -- are for programs, not for --expr; see accord help bound");
    q->binding = accordi_calloc(args->operands, sizeof *q->binding);
    for (size_t i = 0; q->binding && i < args->operands; i++)
        if (!bind(q, args->operand[i]))
            return CLI_USAGE;
    return q->binding && read_models(q) && read_options(q) ? CLI_YES : CLI_USAGE;
}

/* Operands that are no names with values are files. */
static bool is_program(const cli_args *args)
{
    return !args->text[CLI_EXPRESSION] && args->operands && !strchr(args->operand[0], '=');
}

static int run_program(question *q)
{
    if (q->args->text[CLI_FORMAT])
        return cli_misuse("--format is for --expr; the numbers of a program have its own formats");
    if (q->args->text[CLI_SYMBOLS] || q->args->text[CLI_FUNCTION_ULP] ||
        q->args->text[CLI_RECIPROCAL_ULP] || q->args->text[CLI_ARITHMETIC])
        return cli_misuse("--symbols, --function-ulp, --reciprocal-ulp and --arithmetic are for "
                          "--expr, not for programs");
    return read_models(q) ? cli_run_bound_program(q->args, q->models.data) : CLI_USAGE;
}

static int run(const cli_args *args)
{
    question q = {.args = args};
    accordi_buffer text = {0};
    accord_bound_options_init(&q.options);
    bool program = is_program(args);
    int status = program ? run_program(&q) : question_of(&q);
    if (status == CLI_YES && !program)
        status = ask(&q);
    if (status == CLI_YES && !program) {
        (cli_wants_json(args) ? put_json : put_report)(&q, &text);
        status = cli_output_text(args, &text);
    }
    for (size_t i = 0; i < q.bindings; i++)
        free((char *)q.binding[i].name);
    free(q.binding);
    accordi_buffer_clear(&q.models);
    accord_bound_free(q.answer);
    return status;
}

const cli_verb cli_bound = {
    .name = "bound",
    .operands = "--expr EXPRESSION [NAME=VALUE...] | FILE... [-- FLAGS]",
    .about = "bound what contraction and reordering can do to a result",
    .text =
        "Prints bounds for the value of an expression in C, over all ways to evaluate it that a "
        "model of the compiler allows. The bounds are proven. If both ends are reached, the "
        "evaluations that reach them are shown. Give each name a value (x=0.1, rounded to nearest) "
        "or an interval (x=[1,2], rounded outward), in decimal or hexadecimal. The expression "
        "consists of + - * / ?: and parentheses, comparisons, casts, and functions of C such as "
        "sqrt, fma, fabs, fmin, fmax, exp, log, sin and pow; statements may come first, as in t = "
        "a*b; t + c. The models are: written (nothing is changed), contract-expr (a product may be "
        "fused into a sum of the same expression: clang's default), contract (also through "
        "variables: the default of gcc and nvcc, and of this verb), paren (sums and products may "
        "be parenthesized in any way between the written parentheses), perm (like paren, in any "
        "order), loop (the terms of sums may be added in any order), fast (what -ffast-math "
        "allows), fast-expand (like fast, and products of sums may be expanded), excess "
        "(intermediate results may be wider) and ftz (subnormal numbers may be flushed to zero). "
        "Several models are combined with commas. With C files instead of an expression, accord "
        "compiles the program, runs it once, and gives bounds for every floating-point number that "
        "the program passes to printf or fwrite; they are proven for the path of this run. The "
        "report also lists the lines of the source where the width of the bounds begins, and the "
        "branches that depend on the evaluation. Beside the bounds stands the first-order spread, "
        "an estimate of how far the number can move. Flags of the compiler, such as -D and -I, "
        "follow --, and arguments of the program follow --run. The program has the standard input, "
        "output and error of the command; the report comes after its output, or is written to the "
        "file given with -o. --input gives variables of the program other values; with an "
        "interval, the bounds hold for every value in it on the path of the run. --search varies "
        "such inputs. --cure finds lines that must be computed as written so that a number is no "
        "wider than asked for or a branch is stable. With --both N, the other directions of "
        "unstable decisions are followed as well, on up to N other paths, and the bounds of the "
        "numbers are joined. With --output html, the report is a page with the source, each line "
        "colored by its share. Programs have all models but fast-expand. With --observe, the "
        "program is also built with every compiler that accord finds and with all sets of flags "
        "that the model covers; the report gives the largest difference of each number beside its "
        "bounds. For a program, the exit status is 0 if a number has bounds, 2 if the source does "
        "not compile, 3 if the bounds of all numbers are unknown, and 4 if the program crashed or "
        "took longer than --timeout; a report is written in this case, too.",
    .least = 0,
    .most = SIZE_MAX,
    .pages = true,
    .options = {CLI_EXPRESSION,
                CLI_MODEL,
                CLI_FORMAT,
                CLI_SYMBOLS,
                CLI_FUNCTION_ULP,
                CLI_RECIPROCAL_ULP,
                CLI_ARITHMETIC,
                CLI_TAPE,
                CLI_FIRST_ORDER,
                CLI_BOTH,
                CLI_UNSET,
                CLI_CURE,
                CLI_INPUT_OF_PROGRAM,
                CLI_SEARCH,
                CLI_SEED,
                CLI_OBSERVE,
                CLI_OUTPUT,
                CLI_JSON,
                CLI_TO,
                CLI_TIMEOUT,
                CLI_RUN,
                CLI_HELP,
                CLI_OPTIONS},
    .examples = {{"accord bound --expr 'a*b + c' a=.1 b=3 c=-.3", "what a fused product changes"},
                 {"accord bound --expr 'a + b + c' a=1e8 b=-1e8 c=[1,2] --model perm --format f32",
                  "any order, and an interval"},
                 {"accord bound --expr 'b*b - 4*a*c' a=1 b=3 c=2.25 --model paren --json",
                  "in JSON"},
                 {"accord bound solver.c -o report.txt -- -DSIZE=100 --run input.txt",
                  "a program, with the report in a file"},
                 {"accord bound ray.c --cure 1=1e-9", "lines to pin, so that number 1 is narrow"},
                 {"accord bound a.c b.c --model contract-expr --output html -o bounds.html",
                  "another model, as a page"}},
    .run = run,
};
