/* Inputs of a program: what --input gives, and what the run made of it.
 *
 * In: NAME=VALUE, where VALUE is a number, an interval, a distribution, or a list of numbers. Out:
 * names for the instrumenter, and a file of values for the runtime (src/bound/runtime/inputs.c),
 * which is written anew for each run of a search. */
#include "cli/bounds/intervals.h"
#include "cli/bounds/program.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_INPUTS = 1000 };

/* A normal distribution ends here, in standard deviations. */
static const double most_deviations = 4;

/* ---- values ---- */

/* Twice: for doubles, and for floats. */
static bool read_ends(const char *text, double low[2], double high[2])
{
    static const enum accord_format format[2] = {ACCORD_F64, ACCORD_F32};
    for (int i = 0; i < 2; i++) {
        char *copy = cli_need(accordi_strdup(text));
        bool good = cli_read_interval(format[i], copy, &low[i], &high[i]);
        free(copy);
        if (!good)
            return false;
    }
    return true;
}

static bool add_value(cli_input *in, const char *text)
{
    double low[2], high[2];
    if (text[0] == '[' || !read_ends(text, low, high))
        return false;
    cli_grow((void **)&in->value, &in->room, in->values + 1, sizeof *in->value);
    in->value[in->values++] = (cli_input_value){low[0], low[1]};
    return true;
}

/* "{1, 2, 3}" */
static bool read_list(cli_input *in, const char *text)
{
    char *copy = cli_need(accordi_strdup(text + 1)), *at = copy, *next;
    size_t length = strlen(copy);
    bool good = length > 0 && copy[length - 1] == '}';
    copy[length ? length - 1 : 0] = 0;
    for (; good && at; at = next) {
        next = strchr(at, ',');
        if (next)
            *next++ = 0;
        at += strspn(at, " \t");
        at[strcspn(at, " \t")] = 0;
        good = add_value(in, at);
    }
    free(copy);
    return good;
}

static bool read_range(cli_input *in, const char *text)
{
    double low[2], high[2];
    if (!read_ends(text, low, high) || !(low[0] <= high[0]) || isinf(low[0]) || isinf(high[0]))
        return false;
    in->low = (cli_input_value){low[0], low[1]};
    in->high = (cli_input_value){high[0], high[1]};
    return true;
}

/* "uniform(a, b)" is the interval, "normal(m, s)" the numbers m and s. */
static bool read_distribution(cli_input *in, const char *text)
{
    const char *open = strchr(text, '(');
    size_t length = strlen(text);
    char *ends = cli_need(accordi_strdup(open));
    bool normal = in->kind == CLI_INPUT_NORMAL, good = text[length - 1] == ')';
    ends[0] = '[';
    ends[strlen(ends) - 1] = ']';
    if (good && !normal)
        good = read_range(in, ends);
    else if (good) {
        ends[0] = '{';
        ends[strlen(ends) - 1] = '}';
        good = read_list(in, ends) && in->values == 2 && isfinite(in->value[0].wide) &&
               in->value[1].wide >= 0 && isfinite(in->value[1].wide);
    }
    if (good && normal) {
        in->mean = in->value[0].wide;
        in->deviation = in->value[1].wide;
        in->low.wide = in->low.narrow = in->mean - most_deviations * in->deviation;
        in->high.wide = in->high.narrow = in->mean + most_deviations * in->deviation;
        good = isfinite(in->low.wide) && isfinite(in->high.wide);
    }
    free(ends);
    return good;
}

static bool read_value(cli_input *in, const char *text)
{
    if (strncmp(text, "uniform(", 8) == 0 || strncmp(text, "normal(", 7) == 0) {
        in->kind = text[0] == 'u' ? CLI_INPUT_UNIFORM : CLI_INPUT_NORMAL;
        return read_distribution(in, text);
    }
    in->kind = text[0] == '[' ? CLI_INPUT_RANGE : CLI_INPUT_LIST;
    return in->kind == CLI_INPUT_RANGE ? read_range(in, text)
           : text[0] == '{'            ? read_list(in, text)
                                       : add_value(in, text);
}

/* ---- the options ---- */

static bool add_input(cli_inputs *all, const char *text)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return cli_refuse("--input %s: give a name and its value, as in x=1.5, x=[1,2] or "
                          "x=normal(0,1)",
                          text);
    if (all->count == MOST_INPUTS)
        return cli_refuse("--input %s: there may be %d inputs at most; name arrays as a whole, as "
                          "in a[*]=[0,1]",
                          text, MOST_INPUTS);
    cli_grow((void **)&all->input, &all->room, all->count + 1, sizeof *all->input);
    cli_input *in = &all->input[all->count++];
    *in = (cli_input){.name = cli_need(accordi_strdup(text)), .said = equals + 1};
    in->name[equals - text] = 0;
    for (size_t i = 0; i + 1 < all->count; i++)
        if (strcmp(all->input[i].name, in->name) == 0)
            return cli_refuse("--input %s: %s has a value already; give one value for each name",
                              text, in->name);
    return read_value(in, equals + 1) ||
           cli_refuse("--input %s: the value is neither a number, a finite interval such as "
                      "[1,2], uniform(a,b), normal(mean,deviation), nor a list such as {1,2}",
                      text);
}

bool cli_inputs_read(const cli_args *args, cli_inputs *all)
{
    *all = (cli_inputs){.seed = (uint64_t)cli_integer(args, CLI_SEED, 1)};
    for (size_t i = 0; i < args->saids; i++)
        if (args->said[i].id == CLI_INPUT_OF_PROGRAM && !add_input(all, args->said[i].text))
            return false;
    return true;
}

void cli_inputs_clear(cli_inputs *all)
{
    for (size_t i = 0; i < all->count; i++) {
        free(all->input[i].name);
        free(all->input[i].value);
    }
    free(all->input);
    *all = (cli_inputs){0};
}

bool cli_input_is_range(const cli_input *in)
{
    return in->kind != CLI_INPUT_LIST;
}

bool cli_inputs_have_range(const cli_inputs *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (cli_input_is_range(&all->input[i]))
            return true;
    return false;
}

/* ---- for the instrumenter and the runtime ---- */

void cli_inputs_add_words(const cli_inputs *all, cli_words *words)
{
    for (size_t i = 0; i < all->count; i++) {
        bool several = cli_input_is_range(&all->input[i]) || all->input[i].values > 1;
        cli_words_add(words, several ? "--input-range" : "--input");
        cli_words_add(words, all->input[i].name);
    }
}

static void put_input(const cli_input *in, accordi_buffer *out)
{
    static const char *const names[] = {"list", "range", "uniform", "normal"};
    accordi_buffer_puts(out, names[in->kind]);
    for (size_t i = 0; in->kind == CLI_INPUT_LIST && i < in->values; i++)
        accordi_buffer_printf(out, " %a %a", in->value[i].wide, in->value[i].narrow);
    if (in->kind != CLI_INPUT_LIST)
        accordi_buffer_printf(out, " %a %a %a %a %a %a", in->low.wide, in->high.wide,
                              in->low.narrow, in->high.narrow, in->mean, in->deviation);
    accordi_buffer_puts(out, "\n");
}

bool cli_inputs_write(const cli_inputs *all, const char *path)
{
    accordi_buffer text = {0};
    accordi_buffer_printf(&text, "%llu\n", (unsigned long long)all->seed);
    for (size_t i = 0; i < all->count; i++)
        put_input(&all->input[i], &text);
    FILE *file = fopen(path, "we");
    bool good = file && fwrite(text.data, 1, text.length, file) == text.length;
    good = (!file || fclose(file) == 0) && good;
    accordi_buffer_clear(&text);
    return good || cli_refuse("the values of the inputs cannot be written to %s", path);
}

/* ---- what the run says of them ---- */

size_t cli_input_of_site(const cli_raw *raw, unsigned site)
{
    const cli_site *s = site < raw->sites ? &raw->site[site] : NULL;
    return s && s->kind && strncmp(s->kind, "input ", 6) == 0 ? strtoull(s->kind + 6, NULL, 10)
                                                              : SIZE_MAX;
}

void cli_note_moved(cli_raw *raw)
{
    for (size_t i = 0; i < raw->outputs; i++)
        raw->output[i].from_inputs = isnan(raw->output[i].first_order) ? (double)NAN : 0;
    for (size_t i = 0; i < raw->shares; i++)
        if (cli_input_of_site(raw, raw->share[i].site) != SIZE_MAX)
            raw->output[raw->share[i].output].from_inputs += raw->share[i].spread;
    for (size_t i = 0; i < raw->outputs; i++)
        if (!isfinite(raw->output[i].from_inputs))
            raw->output[i].from_inputs = NAN;
}

double *cli_shares_of_inputs(const cli_raw *raw, size_t inputs)
{
    double all = 0, *share = cli_need(accordi_calloc(inputs + 1, sizeof *share));
    for (size_t i = 0; i < raw->shares; i++) {
        size_t k = cli_input_of_site(raw, raw->share[i].site);
        double of = raw->output[raw->share[i].output].from_inputs;
        double part = k < inputs && of > 0 ? raw->share[i].spread / of : 0;
        all += part;
        share[k < inputs ? k : inputs] += part;
    }
    for (size_t i = 0; all > 0 && i < inputs; i++)
        share[i] /= all;
    return share;
}

bool cli_inputs_are_own(const cli_raw *raw)
{
    for (size_t i = 0; i < raw->inputs; i++)
        if (raw->input[i].own < raw->input[i].set)
            return false;
    return true;
}
