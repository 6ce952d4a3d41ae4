/* Statements that compute one value: chains as loops, lanes by vector.c, anything else as what its
 * chain starts with and the items on top.
 *
 * Invariant: put_value leaves the value of one subtree in the text it returns. It recurs on plans,
 * of which there are few. */
#include "model/emit/emit.h"

static accordi_value put_value(accordi_writer *w, uint32_t shape, const accordi_emit_place *place);

static accordi_value new_sum(accordi_writer *w, uint8_t format, accordi_value *start)
{
    char name[32] = "sum";
    if (w->sums++)
        snprintf(name, sizeof name, "sum%d", w->sums);
    *start = accordi_converted(format, start);
    accordi_line(w, "%s %s = %s;", accordi_type(format), name, accordi_text(w, start));
    accordi_value_clear(start);
    accordi_value made = accordi_named(format, "%s", name);
    made.no_minus = start->no_minus;
    made.fresh = true;
    return made;
}

/* One addition: the text of it, or of a variable that goes on. */
static accordi_value put_pair(accordi_writer *w, const accordi_shape *s,
                              const accordi_emit_place *place)
{
    accordi_emit_place start_at = accordi_place_at(place, s->start_at);
    accordi_emit_place item_at = accordi_place_at(place, s->item_at);
    accordi_value a = put_value(w, s->start, &start_at);
    accordi_value b = put_value(w, s->item, &item_at);
    if (!a.fresh || a.format != s->sum || !accordi_shape_plain(s))
        return accordi_added(w, s, s->item_at < s->start_at, &a, &b);
    a.no_minus = a.no_minus || b.no_minus;
    accordi_put_add(w, accordi_text(w, &a), s, &b);
    return a;
}

static accordi_value put_run(accordi_writer *w, uint32_t shape, const accordi_emit_place *place)
{
    const accordi_shape *s = &w->shapes->shape[shape];
    accordi_emit_place start_at = accordi_place_at(place, s->start_at);
    bool zero = accordi_starts_with_zero(w, shape), two = accordi_starts_with_two(w->shapes, s);
    accordi_value sum = zero ? accordi_named(s->format, "0") : put_value(w, s->start, &start_at);
    sum.no_minus = sum.no_minus || zero;
    if (two && !zero)
        sum = accordi_first_added(w, s, place, &sum);
    if (!sum.fresh || sum.format != s->format)
        sum = new_sum(w, s->format, &sum);
    int indent = w->indent;
    accordi_emit_place at = accordi_open_run(w, s, zero ? -1 : two, (int)s->run, place);
    accordi_value item = accordi_operand(w, s->item, &at);
    accordi_put_add(w, accordi_text(w, &sum), s, &item);
    w->indent = indent;
    return sum;
}

/* As put_value, for a shape that may be a function (then its body is meant). */
static accordi_value put_body(accordi_writer *w, uint32_t shape, const accordi_emit_place *place)
{
    const accordi_shape *s = &w->shapes->shape[shape];
    if (accordi_is_small(w->shapes, w->plans, shape))
        return accordi_operand(w, shape, place);
    if (w->plans->of[shape].lanes)
        return accordi_put_lanes(w, w->plans->of[shape].lanes, place);
    return s->run == 1 ? put_pair(w, s, place) : put_run(w, shape, place);
}

static accordi_value put_value(accordi_writer *w, uint32_t shape, const accordi_emit_place *place)
{
    bool operand = accordi_is_small(w->shapes, w->plans, shape) || w->plans->of[shape].function;
    return operand ? accordi_operand(w, shape, place) : put_body(w, shape, place);
}

accordi_value accordi_put_root(accordi_writer *w)
{
    accordi_emit_place origin = {0};
    w->sums = w->lanes = w->folds = 0;
    return put_body(w, w->shapes->root, &origin);
}

static void put_part(accordi_writer *w, uint32_t shape)
{
    accordi_emit_place origin = {0};
    accordi_buffer name = {0}, parameters = {0};
    accordi_put_name(w, shape, &name);
    accordi_put_parameters(w, &parameters);
    accordi_line(w, "static %s %s(%s)", accordi_type(w->shapes->shape[shape].format),
                 name.data ? name.data : "", parameters.data ? parameters.data : "");
    w->out->failed |= name.failed || parameters.failed;
    accordi_buffer_clear(&name);
    accordi_buffer_clear(&parameters);
    accordi_line(w, "{");
    w->indent++;
    w->sums = w->lanes = w->folds = 0;
    accordi_value value = put_body(w, shape, &origin);
    w->plans->of[shape].no_minus = value.no_minus;
    accordi_line(w, "return %s;", accordi_text(w, &value));
    accordi_value_clear(&value);
    w->indent--;
    accordi_line(w, "}\n");
}

void accordi_learn_parts(accordi_writer *w)
{
    accordi_buffer *out = w->out, nowhere = {0};
    w->out = &nowhere;
    for (uint32_t i = 0; i < w->shapes->count; i++)
        if (w->plans->of[i].function && i != w->shapes->root)
            put_part(w, i);
    for (uint32_t i = 0; i < w->shapes->count; i++)
        w->plans->of[i].called = false;
    out->failed |= nowhere.failed;
    accordi_buffer_clear(&nowhere);
    w->out = out;
}

void accordi_put_parts(accordi_writer *w)
{
    accordi_buffer *out = w->out, all = {0};
    for (uint32_t i = w->shapes->root; i-- > 0;) {
        if (!w->plans->of[i].called)
            continue;
        accordi_buffer one = {0};
        w->out = &one;
        put_part(w, i);
        accordi_buffer_append(&one, all.data, all.length); /* what calls it comes after it */
        one.failed |= all.failed;
        accordi_buffer_clear(&all);
        all = one;
    }
    w->out = out;
    accordi_buffer_append(out, all.data, all.length);
    out->failed |= all.failed;
    accordi_buffer_clear(&all);
}
