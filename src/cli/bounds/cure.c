/* Lines to pin, so that a number is no wider than asked for, or a decision is stable.
 *
 * A pinned line is computed as written: its products are rounded before anything is added to them,
 * and its sums keep their order. Candidates are the lines where fusion or order adds width; pinning
 * them may show others, which come in as well. Pinning more lines never makes bounds wider, so a
 * line is needed if all the others do not suffice. With few candidates the sets are tried from
 * small to large; with many, lines are left out one by one, the least ones first. Every set that
 * counts is tried: the program is instrumented and run with it. */
#include "cli/bounds/program.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

enum { FEW = 10, MOST = 200 };

/* ---- what is wanted ---- */

static bool read_width(const char *text, cli_cure *cure)
{
    char *end;
    const char *equals = strchr(text, '=');
    cure->width = strtod(equals + 1, &end);
    if (!equals[1] || *end || !(cure->width >= 0) || isinf(cure->width))
        return false;
    cure->all = strncmp(text, "all=", 4) == 0;
    if (cure->all)
        return true;
    cure->number = isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : 0;
    return cure->number && end == equals;
}

static bool read_place(const char *text, cli_cure *cure)
{
    const char *colon = strrchr(text, ':');
    char *end;
    if (!colon || colon == text || !isdigit((unsigned char)colon[1]))
        return false;
    cure->line = (unsigned)strtoul(colon + 1, &end, 10);
    if (*end || !cure->line)
        return false;
    cure->file = cli_need(accordi_strdup(text));
    cure->file[colon - text] = 0;
    return true;
}

bool cli_cure_read(const cli_args *args, cli_cure *cure)
{
    const char *text = args->text[CLI_CURE];
    *cure = (cli_cure){.said = text};
    if (!text)
        return true;
    if (strchr(text, '=') ? read_width(text, cure) : read_place(text, cure))
        return true;
    return cli_refuse("--cure %s: give a number that the program writes and the width that its "
                      "bounds may have, as in 1=1e-9 or all=0, or the line of an unstable "
                      "decision, as in ray.c:8",
                      text);
}

void cli_cure_clear(cli_cure *cure)
{
    for (size_t i = 0; i < cure->pins; i++)
        free(cure->pin[i].file);
    free(cure->pin);
    free(cure->file);
    *cure = (cli_cure){0};
}

void cli_put_cure_target(const cli_cure *cure, accordi_buffer *out)
{
    if (cure->file)
        accordi_buffer_printf(out, "the decision at %s:%u is stable", cure->file, cure->line);
    else if (cure->all)
        accordi_buffer_printf(out, "no number is wider than %g", cure->width);
    else
        accordi_buffer_printf(out, "number %zu is no wider than %g", cure->number, cure->width);
}

static bool is_file(const char *file, const char *said)
{
    size_t n = strlen(file), m = strlen(said);
    return n >= m && strcmp(file + n - m, said) == 0 && (n == m || file[n - m - 1] == '/');
}

static bool has_decision(const cli_cure *cure, const cli_raw *raw)
{
    for (size_t i = 0; i < raw->decisions; i++) {
        const cli_site *s = &raw->site[raw->decision[i].site];
        if (s->line == cure->line && is_file(s->file, cure->file))
            return true;
    }
    return false;
}

static double width_of(const cli_cure *cure, const cli_raw *raw)
{
    double width = 0;
    for (size_t i = cure->all ? 0 : cure->number - 1;
         i < (cure->all ? raw->outputs : cure->number) && i < raw->outputs; i++)
        width = fmax(width, raw->output[i].may_be_nan ? (double)INFINITY
                                                      : cli_output_width(&raw->output[i]));
    return width;
}

static bool is_cured(const cli_cure *cure, const cli_raw *raw)
{
    return cure->file ? !has_decision(cure, raw) : width_of(cure, raw) <= cure->width;
}

/* ---- a try ---- */

typedef struct search {
    cli_cure *cure;
    const cli_raw *raw; /* of the run without pins */
    const cli_args *args;
    const cli_scratch *scratch;
    cli_instrumenter *tools;
    const char *models;
    double limit;
    cli_bar bar;
    cli_site line[MOST]; /* the candidates; files are borrowed or in `raw_of_all` */
    size_t lines;
    int status; /* not CLI_YES: a try went wrong */
} search;

static void pin_lines(search *s, const bool *in)
{
    cli_words_clear(&s->tools->pins);
    for (size_t i = 0; i < s->lines; i++) {
        accordi_buffer text = {0};
        const char *file = s->line[i].file;
        accordi_buffer_printf(&text, "%s%s:%u", file[0] == '/' ? "" : s->raw->here, file,
                              s->line[i].line);
        if (in[i])
            cli_words_add(&s->tools->pins, text.data);
        accordi_buffer_clear(&text);
    }
}

static int run_once(search *s, const char *program, const char *raw)
{
    accord_error error;
    cli_job job;
    if (cli_start_again(s->args, program, raw, s->limit, &job, &error) != ACCORD_OK)
        return cli_fail(&error);
    return cli_wait_for(&job) ? CLI_YES : CLI_FAILED;
}

/* Runs the program with these lines pinned. */
static int run_with(search *s, const bool *in, cli_raw *raw)
{
    char *program = NULL, *path = cli_scratch_path(s->scratch, "raw-of-cure"), why[400];
    accord_error error;
    cli_bar_step(&s->bar, "cure", ++s->cure->tries, 0);
    pin_lines(s, in);
    int status =
        cli_instrumented_build(s->tools, s->args, s->scratch, s->models, &program, why, false);
    if (status == CLI_YES)
        status = run_once(s, program, path);
    if (status == CLI_YES && cli_raw_read(path, raw, &error) != ACCORD_OK)
        status = cli_fail(&error);
    else if (status == CLI_YES)
        cli_join_paths(raw);
    free(program);
    free(path);
    return status;
}

/* Did the program write the same numbers? Else it depends on something else than its input. */
static bool is_same_run(const cli_raw *a, const cli_raw *b)
{
    bool same = a->outputs == b->outputs;
    for (size_t i = 0; same && i < a->outputs; i++)
        same = memcmp(&a->output[i].value, &b->output[i].value, sizeof a->output[i].value) == 0;
    return same;
}

static bool suffices(search *s, const bool *in)
{
    cli_raw raw = {0};
    if (s->status != CLI_YES)
        return false;
    s->status = run_with(s, in, &raw);
    bool same = s->status == CLI_YES && is_same_run(s->raw, &raw);
    if (s->status == CLI_YES && !same)
        s->cure->why = "the program wrote other numbers when it ran again";
    bool cured = same && is_cured(s->cure, &raw);
    if (cured)
        s->cure->after = s->cure->file ? 0 : width_of(s->cure, &raw);
    if (s->status == CLI_YES)
        cli_raw_clear(&raw);
    return cured;
}

/* ---- candidates ---- */

static bool is_candidate(const search *s, const cli_line *line)
{
    for (size_t i = 0; i < s->lines; i++)
        if (s->line[i].line == line->line && strcmp(s->line[i].file, line->file) == 0)
            return true;
    return false;
}

/* True: there is another one. */
static bool add_candidates(search *s, const cli_raw *raw)
{
    cli_line *line;
    size_t count = cli_lines(raw, &line), before = s->lines;
    for (size_t i = 0; i < count && s->lines < MOST; i++)
        if ((line[i].fusion > 0 || line[i].order > 0 || line[i].infinite) && line[i].line &&
            !is_candidate(s, &line[i]))
            s->line[s->lines++] =
                (cli_site){.file = cli_need(accordi_strdup(line[i].file)), .line = line[i].line};
    free(line);
    return s->lines > before;
}

/* Pins all candidates, and those that this shows, until it suffices or there are no more. */
static bool find_enough(search *s)
{
    bool all[MOST];
    memset(all, true, sizeof all);
    for (bool more = add_candidates(s, s->raw); more && s->status == CLI_YES;) {
        cli_raw raw = {0};
        s->status = run_with(s, all, &raw);
        if (s->status != CLI_YES)
            return false;
        bool same = is_same_run(s->raw, &raw), cured = same && is_cured(s->cure, &raw);
        more = same && !cured && add_candidates(s, &raw);
        if (!same)
            s->cure->why = "the program wrote other numbers when it ran again";
        cli_raw_clear(&raw);
        if (cured)
            return true;
    }
    return false;
}

/* ---- the sets ---- */

/* The next set of `size` of n lines in order; false: there is none. */
static bool next_set(size_t *at, size_t size, size_t n)
{
    for (size_t i = size; i-- > 0;)
        if (at[i] < n - size + i) {
            at[i]++;
            for (size_t k = i + 1; k < size; k++)
                at[k] = at[k - 1] + 1;
            return true;
        }
    return false;
}

/* Takes as few as possible of the lines that are not needed in any case. */
static void take_fewest(search *s, bool *in, const size_t *rest, size_t count)
{
    for (size_t size = 0; size <= count && s->status == CLI_YES; size++) {
        size_t at[FEW] = {0};
        for (size_t i = 0; i < size; i++)
            at[i] = i;
        do {
            for (size_t i = 0; i < count; i++)
                in[rest[i]] = false;
            for (size_t i = 0; i < size; i++)
                in[rest[at[i]]] = true;
            if (suffices(s, in) || s->status != CLI_YES)
                return;
        } while (next_set(at, size, count));
    }
}

/* Without any one of the lines that stay, it does not suffice. */
static void leave_out(search *s, bool *in)
{
    for (size_t i = s->lines; i-- > 0 && s->status == CLI_YES;) {
        in[i] = false;
        in[i] = !suffices(s, in);
    }
}

static void find_smallest(search *s, bool *in)
{
    size_t rest[FEW], count = 0;
    bool without[MOST];
    for (size_t i = 0; i < s->lines && s->status == CLI_YES; i++) {
        memset(without, true, sizeof without);
        without[i] = false;
        if (suffices(s, without))
            rest[count++] = i;
    }
    take_fewest(s, in, rest, count);
    s->cure->smallest = true;
}

static void keep(search *s, const bool *in)
{
    cli_cure *cure = s->cure;
    cure->pin = cli_need(accordi_calloc(s->lines + 1, sizeof *cure->pin));
    for (size_t i = 0; i < s->lines; i++)
        if (in[i]) {
            cure->pin[cure->pins++] = s->line[i];
            s->line[i].file = NULL;
        }
}

static void look(search *s)
{
    cli_cure *cure = s->cure;
    bool in[MOST];
    memset(in, true, sizeof in);
    if (find_enough(s)) {
        if (s->lines <= FEW)
            find_smallest(s, in);
        else
            leave_out(s, in);
        cure->found = suffices(s, in); /* the last try is the one that counts */
        if (cure->found)
            keep(s, in);
    }
    if (!cure->found && !cure->why)
        cure->why = "even with all lines pinned where fusion or order adds width, this is not so";
}

int cli_cure_find(cli_cure *cure, const cli_raw *raw, const cli_args *args,
                  const cli_scratch *scratch, cli_instrumenter *tools, const char *models,
                  double seconds)
{
    search s = {.cure = cure, .raw = raw, .args = args, .scratch = scratch, .tools = tools};
    s.models = models;
    s.limit = args->text[CLI_TIMEOUT] ? cli_real(args, CLI_TIMEOUT, 0) : 10 * seconds + 10;
    s.status = CLI_YES;
    cure->before = cure->file ? 0 : width_of(cure, raw);
    if (!cure->file && !cure->all && cure->number > raw->outputs)
        cure->why = "the program writes no such number";
    else if (cure->file && !has_decision(cure, raw))
        cure->why = "no decision is unstable there";
    else if (is_cured(cure, raw))
        cure->why = "this is so already";
    if (cure->why)
        return CLI_YES;
    tools->tape = false; /* the bounds are what counts */
    cli_bar_start(&s.bar, args->operand[0], false);
    look(&s);
    cli_bar_end(&s.bar);
    for (size_t i = 0; i < s.lines; i++)
        free(s.line[i].file);
    return s.status;
}
