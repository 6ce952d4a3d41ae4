/* The bounds of a program in JSON: numbers are hexadecimal, as in C. */
#include "cli/bounds/program.h"
#include <jansson.h>
#include <limits.h>
#include <math.h>

/* An object with the file and the line of a site. */
static json_t *place(const cli_raw *raw, unsigned site)
{
    const cli_site *s = site < raw->sites ? &raw->site[site] : NULL;
    if (!s || !s->file)
        return json_pack("{s:n, s:n}", "file", "line");
    return json_pack("{s:o, s:i}", "file", cli_json_text(s->file), "line", (int)s->line);
}

static json_t *json_output(const cli_raw *raw, const cli_bounded *o)
{
    json_t *out = place(raw, o->site);
    json_t *more =
        json_pack("{s:s, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:b}", "format",
                  o->single ? "f32" : "f64", "value", cli_json_hexadecimal(o->value), "low",
                  cli_json_hexadecimal(o->unknown ? -(double)INFINITY : o->low), "high",
                  cli_json_hexadecimal(o->unknown ? (double)INFINITY : o->high), "may_be_nan",
                  o->may_be_nan || o->unknown, "first_order",
                  isnan(o->first_order) ? json_null() : cli_json_hexadecimal(o->first_order),
                  "first_order_inputs",
                  isnan(o->from_inputs) ? json_null() : cli_json_hexadecimal(o->from_inputs),
                  "observed", isnan(o->observed) ? json_null() : cli_json_hexadecimal(o->observed),
                  "unknown", o->unknown);
    json_object_update(out, more);
    json_decref(more);
    if (raw->paths)
        json_object_set_new(out, "paths", json_integer((json_int_t)(o->paths + 1)));
    if (o->unknown)
        json_object_set_new(out, "lost_at", place(raw, o->lost_at));
    return out;
}

static json_t *json_outputs(const cli_raw *raw)
{
    json_t *list = json_array();
    for (size_t i = 0; i < raw->outputs; i++)
        json_array_append_new(list, json_output(raw, &raw->output[i]));
    return list;
}

static json_t *json_lines(const cli_raw *raw)
{
    json_t *list = json_array();
    cli_line *line;
    size_t count = cli_lines(raw, &line);
    for (size_t i = 0; i < count; i++)
        json_array_append_new(
            list, json_pack("{s:o, s:i, s:f, s:o, s:o, s:o, s:b}", "file",
                            cli_json_text(line[i].file), "line", (int)line[i].line, "share",
                            line[i].share, "fusion", cli_json_hexadecimal(line[i].fusion), "order",
                            cli_json_hexadecimal(line[i].order), "functions",
                            cli_json_hexadecimal(line[i].function), "infinite", line[i].infinite));
    free(line);
    return list;
}

static json_t *json_decisions(const cli_raw *raw)
{
    json_t *list = json_array();
    for (size_t i = 0; i < raw->decisions; i++) {
        const cli_decision *d = &raw->decision[i];
        json_t *out = place(raw, d->site);
        json_object_set_new(out, "kind", json_string(d->what));
        json_object_set_new(
            out, "interval",
            json_pack("[o, o]", cli_json_hexadecimal(d->low), cli_json_hexadecimal(d->high)));
        json_object_set_new(out, "count", json_integer((json_int_t)d->count));
        json_array_append_new(list, out);
    }
    return list;
}

static json_t *json_first_infinite(const cli_raw *raw)
{
    const cli_site *site = cli_first_infinite(raw);
    return site
               ? json_pack("{s:o, s:i}", "file", cli_json_text(site->file), "line", (int)site->line)
               : json_null();
}

static json_t *json_lost(const cli_raw *raw, bool kept)
{
    json_t *list = json_array();
    for (size_t i = 0; i < raw->losts; i++) {
        const cli_lost *l = &raw->lost[i];
        if (l->kept != kept)
            continue;
        json_t *out = place(raw, l->site);
        if (!kept)
            json_object_set_new(out, "what", json_string(l->what));
        json_object_set_new(out, "count", json_integer((json_int_t)l->count));
        json_array_append_new(list, out);
    }
    return list;
}

/* null without --both. */
static json_t *json_paths(const cli_raw *raw)
{
    json_t *list = json_array();
    for (size_t i = 0; i < raw->paths; i++) {
        const cli_path *p = &raw->path[i];
        json_t *out = place(raw, p->raw.here ? p->site : UINT_MAX);
        json_object_set_new(out, "from", json_integer((json_int_t)p->from));
        json_object_set_new(out, "followed", json_boolean(p->followed));
        json_object_set_new(out, "other_counts", json_boolean(p->differs));
        json_object_set_new(out, "signal", p->signal ? json_integer(p->signal) : json_null());
        json_array_append_new(list, out);
    }
    json_t *all = json_pack("{s:b, s:I, s:O}", "all", raw->all_paths, "left_open",
                            (json_int_t)cli_left_open(raw), "others", list);
    json_decref(list);
    if (raw->both)
        return all;
    json_decref(all);
    return json_null();
}

/* null without --cure. */
static json_t *json_cure(const cli_cure *cure)
{
    if (!cure->said)
        return json_null();
    json_t *lines = json_array();
    for (size_t i = 0; i < cure->pins; i++)
        json_array_append_new(lines,
                              json_pack("{s:o, s:i}", "file", cli_json_text(cure->pin[i].file),
                                        "line", (int)cure->pin[i].line));
    return json_pack("{s:s, s:b, s:o, s:b, s:I, s:o, s:o, s:s?}", "target", cure->said, "found",
                     cure->found, "lines", lines, "smallest", cure->found && cure->smallest,
                     "tries", (json_int_t)cure->tries, "width_before",
                     cure->file ? json_null() : cli_json_hexadecimal(cure->before), "width",
                     cure->file || !cure->found ? json_null() : cli_json_hexadecimal(cure->after),
                     "reason", cure->found ? NULL : cure->why);
}

/* What each input was given, and what the run made of it. */
/* Numbers that the program assigned anew before it read them. */
static json_t *json_renewed(const cli_raw *raw, const cli_set_input *in)
{
    if (!in->renewed)
        return json_null();
    json_t *out = place(raw, in->renewed_at);
    json_object_set_new(out, "count", json_integer((json_int_t)in->renewed));
    return out;
}

static json_t *json_inputs(const cli_bound_report *r)
{
    json_t *list = json_array();
    double *share = cli_shares_of_inputs(&r->raw, r->inputs->count);
    for (size_t i = 0; i < r->raw.inputs && i < r->inputs->count; i++) {
        const cli_set_input *in = &r->raw.input[i];
        json_t *out = place(&r->raw, in->set ? in->site : UINT_MAX), *values = json_array();
        for (size_t k = 0; k < in->values; k++)
            json_array_append_new(values, cli_json_hexadecimal(in->value[k]));
        json_t *more = json_pack(
            "{s:o, s:o, s:I, s:I, s:f, s:o}", "name", cli_json_text(r->inputs->input[i].name),
            "given", cli_json_text(r->inputs->input[i].said), "set", (json_int_t)in->set, "own",
            (json_int_t)in->own, "share", share[i], "values", values);
        json_object_update(out, more);
        json_decref(more);
        json_object_set_new(out, "renewed", json_renewed(&r->raw, in));
        json_array_append_new(list, out);
    }
    free(share);
    return list;
}

static json_t *json_found(const cli_bound_report *r, const double *point)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->raw.inputs && i < r->inputs->count; i++) {
        accordi_buffer text = {0};
        if (cli_put_found(r, i, point, &text))
            json_array_append_new(list, cli_json_text(text.data));
        accordi_buffer_clear(&text);
    }
    return list;
}

/* null without --search. */
static json_t *json_search(const cli_bound_report *r)
{
    const cli_search *s = &r->search;
    if (!s->asked)
        return json_null();
    json_t *decisions = json_array(), *widest = json_null();
    for (size_t i = 0; i < s->decisions; i++)
        json_array_append_new(
            decisions, json_pack("{s:o, s:i, s:s, s:o}", "file", cli_json_text(s->decision[i].file),
                                 "line", (int)s->decision[i].line, "kind", s->decision[i].what,
                                 "inputs", json_found(r, s->decision[i].point)));
    if (s->widest)
        widest = json_pack("{s:I, s:o, s:o, s:o}", "number", (json_int_t)s->number, "width",
                           cli_json_hexadecimal(s->width), "relative",
                           cli_json_hexadecimal(s->relative), "inputs", json_found(r, s->widest));
    return json_pack("{s:I, s:I, s:I, s:b, s:o, s:o}", "asked", (json_int_t)s->asked, "runs",
                     (json_int_t)s->runs, "seed", (json_int_t)r->inputs->seed, "interrupted",
                     s->interrupted, "widest", widest, "unstable_decisions", decisions);
}

static json_t *json_tape(const cli_tape *t)
{
    if (!t->used)
        return json_null();
    return json_pack("{s:I, s:I, s:I, s:s?}", "nodes", (json_int_t)t->nodes, "bytes",
                     (json_int_t)t->bytes, "segments", (json_int_t)t->segments, "reason",
                     t->reason);
}

static json_t *json_crash(const cli_crash *crash)
{
    return crash->function ? json_pack("{s:s, s:s, s:i}", "function", crash->function, "file",
                                       crash->file, "line", (int)crash->line)
                           : json_null();
}

void cli_put_bound_json(const cli_bound_report *r, accordi_buffer *out)
{
    const cli_args *args = r->args;
    const accordi_child *ran = &r->job.child;
    cli_put_json(
        out,
        json_pack(
            "{s:i, s:s, s:o, s:o, s:o, s:s?, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:b, "
            "s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
            "accord", CLI_SCHEMA, "verb", "bound", "program",
            cli_json_texts(args->operand, args->operands), "flags",
            cli_json_texts((const char *const *)args->flag, args->flags), "run",
            cli_json_texts((const char *const *)args->run, args->runs), "model", r->models,
            "exit_status", ran->signal || r->job.timed_out ? json_null() : json_integer(ran->code),
            "signal", ran->signal ? json_integer(ran->signal) : json_null(), "timed_out",
            r->job.timed_out, "outputs", json_outputs(&r->raw), "lines", json_lines(&r->raw),
            "first_infinite", json_first_infinite(&r->raw), "unstable_decisions",
            json_decisions(&r->raw), "lost", json_lost(&r->raw, false), "kept",
            json_lost(&r->raw, true), "truncated", r->raw.truncated, "observed_builds",
            (json_int_t)r->observed, "tape", json_tape(&r->raw.tape), "paths", json_paths(&r->raw),
            "cure", json_cure(&r->cure), "inputs", json_inputs(r), "search", json_search(r),
            "crash", json_crash(&r->crash), "without_bitcode",
            cli_json_texts((const char *const *)r->without->word, r->without->count)));
}
