/* What compilers do to the numbers of a program, beside their bounds.
 *
 * The program is built and run as accord sweep --program does it, with all flags whose model lies
 * within that of the bounds. Numbers are matched by their position (numbers.c). The difference is
 * that to the run with bounds, which computes every operation as written. */
#include "cli/bounds/program.h"
#include <math.h>

static double difference(double a, double b)
{
    double d = fabs(a - b);
    return a == b || (isnan(a) && isnan(b)) ? 0 : isnan(d) ? (double)INFINITY : d;
}

/* Every output of a build, or none if they do not match. */
static bool note_numbers(cli_raw *raw, const cli_events *events)
{
    long double x = 0;
    for (size_t i = 0; i < raw->outputs; i++) {
        const cli_bounded *o = &raw->output[i];
        if (o->event != CLI_NO_EVENT && !o->unknown &&
            !cli_event_number(events, o->event, o->offset, o->single, &x))
            return false;
    }
    for (size_t i = 0; i < raw->outputs; i++) {
        cli_bounded *o = &raw->output[i];
        if (o->event != CLI_NO_EVENT &&
            cli_event_number(events, o->event, o->offset, o->single, &x))
            o->observed = fmax(o->observed, difference((double)x, o->value));
    }
    return true;
}

/* ---- builds ---- */

static int read_events(const cli_build *b, cli_events *events)
{
    accord_error error;
    return cli_events_read(b->numbers, events, &error) == ACCORD_OK ? CLI_YES : cli_fail(&error);
}

/* `native`: what a build with the types of this machine wrote. */
static int note_build(cli_bound_report *r, const cli_build *b, const cli_events *native)
{
    cli_events events = {0};
    int status = read_events(b, &events);
    if (status == CLI_YES && cli_events_alike(&events, native) && note_numbers(&r->raw, &events))
        r->observed++;
    cli_events_clear(&events);
    return status;
}

static bool same_bytes(const cli_events *a, const cli_events *b)
{
    return a->text.length == b->text.length &&
           (a->text.length == 0 || memcmp(a->text.data, b->text.data, a->text.length) == 0);
}

/* Runs it twice; `why` says why nothing can be compared with it. */
static int read_native(cli_builds *s, cli_build *b, const cli_raw *raw, cli_events *native,
                       const char **why)
{
    cli_events again = {0};
    int status = read_events(b, native);
    if (status == CLI_YES)
        status = cli_builds_run_again(s, b);
    if (status == CLI_YES)
        status = read_events(b, &again);
    if (status == CLI_YES && (b->state != CLI_BUILD_READY || !same_bytes(native, &again)))
        *why = "the numbers vary from run to run";
    else if (native->count != raw->events)
        *why = "without bounds, the program writes another count of numbers";
    cli_events_clear(&again);
    return status;
}

/* Whether a build that computes as written wrote what the run with bounds wrote. */
static bool wrote_the_same(const cli_raw *raw, const cli_events *events)
{
    for (size_t i = 0; i < raw->outputs; i++) {
        const cli_bounded *o = &raw->output[i];
        long double x = 0;
        if (o->event != CLI_NO_EVENT && !o->unknown &&
            (!cli_event_number(events, o->event, o->offset, o->single, &x) ||
             difference((double)x, o->value) != 0))
            return false;
    }
    return true;
}

static const char no_inputs[] = "builds by compilers cannot be given these inputs; those of global "
                                "variables, of parameters and "
                                "of plain assignments in one line can be given";

static int note_builds(cli_bound_report *r, cli_builds *s)
{
    cli_events native = {0};
    cli_build *first = cli_builds_reference(s);
    const char *why = first ? NULL : s->feed ? no_inputs : "no build of the program ran to its end";
    int status = first ? read_native(s, first, &r->raw, &native, &why) : CLI_YES;
    if (status == CLI_YES && !why && s->feed && !wrote_the_same(&r->raw, &native))
        why = no_inputs;
    for (size_t i = 0; status == CLI_YES && !why && i < s->count; i++)
        if (s->list[i].state == CLI_BUILD_READY)
            status = note_build(r, &s->list[i], &native);
    snprintf(r->unobserved, sizeof r->unobserved, "%s", why ? why : "");
    cli_events_clear(&native);
    return status;
}

int cli_observe(cli_bound_report *r, const cli_scratch *scratch, const char *models)
{
    cli_builds builds;
    cli_bar bar;
    cli_feed given = {.values = NULL};
    bool others = !cli_inputs_are_own(&r->raw);
    if (others && !cli_feed_new(&given, &r->raw, r->args, scratch)) {
        snprintf(r->unobserved, sizeof r->unobserved, "%s", no_inputs);
        cli_feed_clear(&given);
        return CLI_YES;
    }
    cli_bar_start(&bar, r->args->operand[0], false);
    int status = cli_builds_make(&builds, r->args, scratch, others ? &given : NULL, models, &bar);
    if (status == CLI_YES)
        status = note_builds(r, &builds);
    cli_bar_end(&bar);
    cli_builds_clear(&builds);
    cli_feed_clear(&given);
    return status;
}
