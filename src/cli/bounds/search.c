/* Inputs for which a program is most volatile, or a decision is unstable.
 *
 * The program runs with single values out of the intervals of its inputs, so that what moves its
 * numbers is the evaluation alone. There is a target for the widest number in relation to its size,
 * and one for each comparison of numbers: how near it comes to a tie. They take turns. The first
 * third of the runs is random. After that, if a comparison went one way in one run and the other
 * way in another, the next run lies halfway between the two nearest; otherwise it is the best run
 * so far, changed at random in steps that double after a success and shrink by 2^(1/4) after a
 * failure (the (1+1) evolution strategy with the rule of one success in five: Rechenberg,
 * Evolutionsstrategie, 1973). Each run counts for all targets. */
#include "cli/bounds/program.h"
#include <math.h>
#include <stdlib.h>

enum { MOST_TARGETS = 64 };

typedef struct target {
    unsigned site;         /* of a comparison; of the widest number there is none */
    bool solved;           /* the decision is unstable with `best` */
    double score, step;    /* score: the smaller the better */
    double *best, *beyond; /* beyond: went the other way */
    double across;         /* its score */
} target;

typedef struct searching {
    cli_search *found;
    const cli_bound_report *r;
    const char *program, *raw_path, *inputs_path;
    double limit;
    accordi_rng rng;
    size_t n; /* numbers that are searched for */
    double *low, *high, *point;
    bool *single;
    size_t *owner; /* the input of each */
    target target[MOST_TARGETS];
    size_t targets;
    cli_bar bar;
} searching;

/* ---- points ---- */

static double *new_point(const searching *s)
{
    return cli_need(accordi_calloc(s->n + 1, sizeof(double)));
}

static void copy_point(const searching *s, double **to, const double *from)
{
    if (!*to)
        *to = new_point(s);
    memcpy(*to, from, s->n * sizeof **to);
}

/* What the run with intervals set, of all inputs that are intervals. */
static void find_numbers(searching *s)
{
    const cli_raw *raw = &s->r->raw;
    size_t total = 0;
    for (size_t i = 0; i < raw->inputs; i++)
        total += raw->input[i].values;
    s->n = total;
    s->low = new_point(s);
    s->high = new_point(s);
    s->point = new_point(s);
    s->single = cli_need(accordi_calloc(total + 1, sizeof *s->single));
    s->owner = cli_need(accordi_calloc(total + 1, sizeof *s->owner));
    s->n = 0;
    for (size_t i = 0; i < raw->inputs; i++) {
        const cli_input *in = &s->r->inputs->input[i];
        for (size_t k = 0; cli_input_is_range(in) && k < raw->input[i].values; k++, s->n++) {
            s->low[s->n] = in->low.wide;
            s->high[s->n] = in->high.wide;
            s->single[s->n] = raw->input[i].single;
            s->point[s->n] = raw->input[i].value[k];
            s->owner[s->n] = i;
        }
    }
}

static double rounded(const searching *s, size_t i, double x)
{
    x = fmin(fmax(x, s->low[i]), s->high[i]);
    return s->single[i] ? (double)(float)x : x;
}

static void choose_anywhere(searching *s)
{
    for (size_t i = 0; i < s->n; i++)
        s->point[i] =
            rounded(s, i, s->low[i] + accordi_rng_unit(&s->rng) * (s->high[i] - s->low[i]));
}

static void choose_near(searching *s, const target *t)
{
    size_t one = (size_t)accordi_rng_below(&s->rng, s->n);
    bool all = accordi_rng_below(&s->rng, 2);
    for (size_t i = 0; i < s->n; i++) {
        double step = t->step * (s->high[i] - s->low[i]) * accordi_rng_normal(&s->rng);
        s->point[i] = rounded(s, i, t->best[i] + (all || i == one ? step : 0));
    }
}

static void choose_between(searching *s, const target *t)
{
    for (size_t i = 0; i < s->n; i++)
        s->point[i] = rounded(s, i, t->best[i] / 2 + t->beyond[i] / 2);
}

/* ---- one run ---- */

/* False: there was no run, or a signal came. */
static bool run_point(searching *s, cli_raw *raw)
{
    accord_error error;
    cli_job job;
    cli_inputs given = *s->r->inputs;
    given.input = cli_need(accordi_alloc(given.count, sizeof *given.input));
    cli_input_value *value = cli_need(accordi_alloc(s->n, sizeof *value));
    memcpy(given.input, s->r->inputs->input, given.count * sizeof *given.input);
    for (size_t i = 0; i < s->n; i++) {
        cli_input *in = &given.input[s->owner[i]];
        value[i] = (cli_input_value){s->point[i], s->point[i]};
        if (in->kind != CLI_INPUT_LIST) {
            in->kind = CLI_INPUT_LIST;
            in->value = &value[i];
            in->values = 0;
        }
        in->values++;
    }
    bool good =
        cli_inputs_write(&given, s->inputs_path) &&
        cli_start_again(s->r->args, s->program, s->raw_path, s->limit, &job, &error) == ACCORD_OK;
    while (good && !cli_job_ended(&job) && !cli_signal())
        accordi_child_wait(&job.child, .02);
    if (good)
        accordi_child_kill(&job.child);
    free(value);
    free(given.input);
    return good && !cli_signal() && cli_raw_read(s->raw_path, raw, &error) == ACCORD_OK;
}

/* ---- what it shows ---- */

static double relative_width(const cli_bounded *o)
{
    double width = cli_output_width(o), size = fmax(fabs(o->low), fabs(o->high));
    return o->unknown || width == 0 ? 0 : isinf(width) ? (double)INFINITY : width / size;
}

static void note_widest(searching *s, const cli_raw *raw, target *t)
{
    for (size_t i = 0; i < raw->outputs; i++) {
        double relative = relative_width(&raw->output[i]);
        if (!(-relative < t->score))
            continue;
        t->score = -relative;
        copy_point(s, &t->best, s->point);
        s->found->number = i + 1;
        s->found->relative = relative;
        s->found->width = cli_output_width(&raw->output[i]);
    }
}

static target *target_of(searching *s, unsigned site)
{
    for (size_t i = 1; i < s->targets; i++)
        if (s->target[i].site == site)
            return &s->target[i];
    if (s->targets == MOST_TARGETS)
        return NULL;
    s->target[s->targets] = (target){.site = site, .score = (double)INFINITY, .step = .25};
    return &s->target[s->targets++];
}

static void note_unstable(searching *s, const cli_raw *raw, const cli_decision *d)
{
    cli_search *found = s->found;
    target *t = target_of(s, d->site);
    for (size_t i = 0; i < found->decisions; i++)
        if (found->decision[i].site == d->site)
            return;
    if (t)
        t->solved = true;
    cli_grow((void **)&found->decision, &found->room, found->decisions + 1,
             sizeof *found->decision);
    const cli_site *place = &raw->site[d->site];
    cli_unstable *u = &found->decision[found->decisions++];
    *u = (cli_unstable){.site = d->site, .line = place->line};
    u->file = cli_need(accordi_strdup(place->file));
    u->what = cli_need(accordi_strdup(d->what));
    copy_point(s, &u->point, s->point);
}

/* m: the distance to a tie; its sign says which operand was greater. */
static void note_margin(searching *s, unsigned site, double m)
{
    target *t = target_of(s, site);
    if (!t || t->solved || isnan(m))
        return;
    if (!t->best || fabs(m) < fabs(t->score)) {
        if (t->best && signbit(m) != signbit(t->score)) {
            copy_point(s, &t->beyond, t->best);
            t->across = t->score;
        }
        copy_point(s, &t->best, s->point);
        t->score = m;
    } else if (signbit(m) != signbit(t->score) && (!t->beyond || fabs(m) < fabs(t->across))) {
        copy_point(s, &t->beyond, s->point);
        t->across = m;
    }
}

static void note_run(searching *s, const cli_raw *raw)
{
    note_widest(s, raw, &s->target[0]);
    for (size_t i = 0; i < raw->decisions; i++)
        note_unstable(s, raw, &raw->decision[i]);
    for (size_t i = 0; i < raw->margins; i++)
        note_margin(s, raw->margin[i].site, raw->margin[i].distance);
}

/* ---- the search ---- */

static target *next_target(searching *s, size_t run)
{
    for (size_t i = 0; i < s->targets; i++) {
        target *t = &s->target[(run + i) % s->targets];
        if (!t->solved && t->best)
            return t;
    }
    return NULL;
}

static void search_once(searching *s, size_t run)
{
    cli_raw raw = {0};
    target *t = run <= s->found->asked / 3 ? NULL : next_target(s, run);
    bool between = t && t->beyond;
    double before = t ? fabs(t->score) : 0;
    if (between)
        choose_between(s, t);
    else if (t)
        choose_near(s, t);
    else if (run > 0)
        choose_anywhere(s);
    if (!run_point(s, &raw))
        return;
    s->found->runs++;
    note_run(s, &raw);
    if (t && !between) {
        bool better = t->site ? fabs(t->score) < before : fabs(t->score) > before;
        t->step = better ? fmin(2 * t->step, 1) : fmax(t->step * 0x1.ae89f995ad3adp-1, 0x1p-60);
    }
    cli_raw_clear(&raw);
}

static void clear(searching *s)
{
    for (size_t i = 0; i < s->targets; i++) {
        free(s->target[i].best);
        free(s->target[i].beyond);
    }
    free(s->low);
    free(s->high);
    free(s->point);
    free(s->single);
    free(s->owner);
}

int cli_search_run(cli_bound_report *r, const cli_scratch *scratch, cli_instrumenter *tools)
{
    cli_search *found = &r->search;
    char *program = NULL, why[400], *raw = cli_scratch_path(scratch, "raw-of-search");
    char *inputs = cli_scratch_path(scratch, "inputs");
    searching s = {.found = found, .r = r, .raw_path = raw, .inputs_path = inputs, .targets = 1};
    s.limit =
        r->args->text[CLI_TIMEOUT] ? cli_real(r->args, CLI_TIMEOUT, 0) : 10 * r->job.seconds + 10;
    s.target[0] = (target){.score = 0, .step = .25};
    accordi_rng_init(&s.rng, r->inputs->seed);
    tools->tape = tools->both = false; /* the bounds are what counts */
    tools->margins = true;
    found->asked = (size_t)cli_integer(r->args, CLI_SEARCH, 0);
    int status = cli_instrumented_build(tools, r->args, scratch, r->models, &program, why, false);
    s.program = program;
    find_numbers(&s);
    cli_bar_start(&s.bar, r->args->operand[0], false);
    cli_signals_wait(true);
    for (size_t i = 0; status == CLI_YES && s.n && i < found->asked && !cli_signal(); i++) {
        cli_bar_step(&s.bar, "search", i + 1, found->asked);
        search_once(&s, i);
    }
    cli_signals_wait(false);
    cli_bar_end(&s.bar);
    found->interrupted = cli_signal() != 0;
    found->numbers = s.n;
    if (s.target[0].best)
        copy_point(&s, &found->widest, s.target[0].best);
    clear(&s);
    free(program);
    free(raw);
    free(inputs);
    return status;
}

void cli_search_clear(cli_search *found)
{
    for (size_t i = 0; i < found->decisions; i++) {
        free(found->decision[i].file);
        free(found->decision[i].what);
        free(found->decision[i].point);
    }
    free(found->decision);
    free(found->widest);
    *found = (cli_search){0};
}

/* ---- what was found, to be given back ---- */

bool cli_put_found(const cli_bound_report *r, size_t i, const double *point, accordi_buffer *out)
{
    const cli_input *in = &r->inputs->input[i];
    const cli_set_input *set = &r->raw.input[i];
    size_t at = 0;
    if (!cli_input_is_range(in) || !set->values)
        return false;
    for (size_t k = 0; k < i; k++)
        at += cli_input_is_range(&r->inputs->input[k]) ? r->raw.input[k].values : 0;
    accordi_buffer_printf(out, set->values > 1 ? "%s={" : "%s=", in->name);
    for (size_t k = 0; k < set->values; k++) {
        char text[ACCORDI_DECIMAL];
        accordi_put_decimal(text, point[at + k], 1, set->single);
        accordi_buffer_printf(out, "%s%s", k ? "," : "", text);
    }
    accordi_buffer_puts(out, set->values > 1 ? "}" : "");
    return true;
}
