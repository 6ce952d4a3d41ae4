/* Is every number that a build wrote inside the bounds of the model that its flags name?
 *
 * Numbers are matched by their position: the argument of printf or the call of fwrite that
 * capture.c recorded, and the byte in it. A build whose records have other kinds or sizes took
 * another path, or lays structs out in another way, and is not compared. Bounds hold until the
 * first decision that the model leaves open; a number outside that comes later may be that of
 * another path, and is counted apart, as all are if memory that was not set was taken as it was in
 * the run with bounds: builds may find something else there. Infinite bounds never count as inside.
 */
#include "cli/compare/program_sweep.h"
#include <math.h>

static bool is_inside(const cli_bounded *o, long double x)
{
    return isnan(x) ? o->may_be_nan : (long double)o->low <= x && x <= (long double)o->high;
}

static bool is_finite(const cli_bounded *o)
{
    return isfinite(o->low) && isfinite(o->high);
}

/* Output i, of which the build wrote x; `later`: it may be another number for good reasons. */
static void count_number(cli_containment *c, const cli_raw *raw, size_t i, bool later,
                         long double x)
{
    const cli_bounded *o = &raw->output[i];
    bool outside = !o->unknown && !is_inside(o, x);
    if (outside && (later ? c->outside + c->later == 0 : c->outside == 0)) {
        c->first = i;
        c->value = (double)x;
    }
    if (o->unknown)
        c->unknown++;
    else if (outside)
        *(later ? &c->later : &c->outside) += 1;
    else if (is_finite(o))
        c->inside++;
    else
        c->infinite++;
}

static const char *contain(cli_containment *c, const cli_raw *raw, const cli_events *events)
{
    bool kept = cli_kept(raw) > 0;
    for (size_t i = 0; i < raw->outputs; i++) {
        const cli_bounded *o = &raw->output[i];
        long double x = 0;
        if (o->event == CLI_NO_EVENT)
            continue;
        if (!o->unknown && !cli_event_number(events, o->event, o->offset, o->single, &x))
            return "it wrote numbers of other kinds than the program with bounds";
        count_number(c, raw, i, kept || i >= raw->decided, x);
    }
    return NULL;
}

/* `first`: what a native build wrote, whose types have the sizes of the program with bounds. */
static const char *contain_build(cli_containment *c, const cli_program_model *m,
                                 const cli_events *first, const cli_events *events)
{
    if (!m->ran)
        return m->why;
    if (m->raw.events != first->count)
        return "the program with bounds wrote another count of numbers";
    if (!cli_events_alike(first, events))
        return m->raw.decided == SIZE_MAX
                   ? "it took another path, or wrote other kinds or sizes of numbers than the "
                     "program with bounds"
                   : "it took another path than the program with bounds, after an unstable "
                     "decision";
    return contain(c, &m->raw, events);
}

static int read_events(const cli_program_sweep *s, size_t build, cli_events *events)
{
    accord_error error;
    return cli_events_read(s->builds.list[build].numbers, events, &error) == ACCORD_OK
               ? CLI_YES
               : cli_fail(&error);
}

static int contain_all(cli_program_sweep *s, const cli_events *first)
{
    for (size_t i = 0; i < s->builds.count; i++) {
        cli_containment *c = &s->containment[i];
        cli_events events = {0};
        if (s->group_of[i] == CLI_NO_GROUP)
            continue;
        int status = read_events(s, i, &events);
        if (status != CLI_YES)
            return status;
        const char *why = contain_build(c, &s->model[c->model], first, &events);
        c->compared = !why;
        snprintf(c->why, sizeof c->why, "%s", why ? why : "");
        cli_events_clear(&events);
    }
    return CLI_YES;
}

int cli_program_contain(cli_program_sweep *s)
{
    cli_events first = {0};
    const cli_build *reference = cli_builds_reference(&s->builds);
    if (!reference)
        return CLI_YES;
    int status = read_events(s, (size_t)(reference - s->builds.list), &first);
    if (status == CLI_YES)
        status = contain_all(s, &first);
    cli_events_clear(&first);
    return status;
}

size_t cli_program_outside(const cli_program_sweep *s)
{
    size_t outside = 0;
    for (size_t i = 0; s->containment && i < s->builds.count; i++)
        outside += s->containment[i].outside;
    return outside;
}
