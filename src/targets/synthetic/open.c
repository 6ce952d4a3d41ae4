/* From a notation to a synthetic target: a row of the table, a machine, or an order in a file. */
#include "record/record.h"
#include "targets/synthetic/synthetic.h"
#include "targets/target.h"

/* The formats of a row: the accumulator is that of the terms, or a wider one, or as asked. */
static enum accord_status choose_formats(accordi_synthetic *s, const accordi_synthetic_row *row,
                                         const accordi_wish *r,
                                         const accord_target_options *options, accord_error *error)
{
    bool asked = options && options->has_format;
    s->terms = asked ? options->format : r->line.has_terms ? r->line.terms : ACCORD_F32;
    if (asked && r->line.has_terms && r->line.terms != options->format)
        return accordi_fail(error, ACCORD_ARG,
                            "synthetic:%.60s has terms of %s, not of %s; leave out --format or the "
                            "setting terms=",
                            r->name, accord_format_get(r->line.terms)->name,
                            accord_format_get(options->format)->name);
    if (row->wider && s->terms == ACCORD_F64 && !r->line.has_accumulator)
        return accordi_fail(error, ACCORD_UNSUPPORTED,
                            "synthetic:wide: no accumulator is wider than f64; choose a narrower "
                            "--format");
    if (!accord_format_adds(s->terms))
        return accordi_fail(error, ACCORD_UNSUPPORTED,
                            "synthetic:%.60s: terms of %s are for machines, such as "
                            "synthetic:blackwell-mxe2m1",
                            r->name, accord_format_get(s->terms)->name);
    enum accord_format wider = s->terms == ACCORD_F32 ? ACCORD_F64 : ACCORD_F32;
    enum accord_format usual = row->wider ? wider : s->terms;
    s->accumulator = r->line.has_accumulator ? r->line.accumulator : usual;
    s->output = r->line.has_output ? r->line.output : row->wider ? s->terms : s->accumulator;
    return ACCORD_OK;
}

static enum accord_status fill_from_table(accordi_synthetic *s, const accordi_synthetic_row *row,
                                          const accordi_wish *r,
                                          const accord_target_options *options, accord_error *error)
{
    enum accord_status status = accordi_wish_parameter(row, r, s->n, &s->parameter, error);
    if (status == ACCORD_OK)
        status = choose_formats(s, row, r, options, error);
    if (status != ACCORD_OK)
        return status;
    s->sum = row->sum;
    s->mean = row->mean;
    accordi_rng_init(&s->rng, options ? options->seed : 0);
    if (row->make)
        status =
            accordi_order_make(row->make, s->n, s->parameter, r->fold, &s->rng, &s->tree, error);
    return status == ACCORD_OK ? accordi_wish_arithmetic(s, r, NULL, error) : status;
}

static const accord_fused *machine_by_name(const accordi_wish *r)
{
    bool prefixed = strcmp(r->name, "machine") == 0 && r->parameter;
    return accord_fused_by_name(prefixed ? r->parameter : r->parameter ? "" : r->name);
}

static enum accord_status fill_machine(accordi_synthetic *s, const accord_fused *machine,
                                       const accordi_wish *r, const accord_target_options *options,
                                       accord_error *error)
{
    if (r->settings)
        return accordi_fail(
            error, ACCORD_ARG,
            "synthetic:%s has its own formats; leave out the settings after the comma",
            machine->name);
    if (options && options->has_format && options->format != machine->input)
        return accordi_fail(error, ACCORD_UNSUPPORTED,
                            "synthetic:%s takes terms of the format %s; choose that format",
                            machine->name, accord_format_get(machine->input)->name);
    s->terms = machine->input;
    s->accumulator = s->output = machine->output;
    s->machine = machine;
    s->sum = accordi_sum_machine;
    s->y = accordi_calloc(s->n, sizeof *s->y);
    if (!s->y)
        return accordi_nomem(error);
    return accordi_machine_tree(machine, s->n, &s->tree, error);
}

/* An order that was made elsewhere: what is left are formats and the seed. */
static enum accord_status prepare(accordi_synthetic *s, const accordi_wish *r,
                                  const accord_target_options *options, accord_error *error)
{
    static const accordi_synthetic_row plain = {.name = "tree", .plain = true};
    accordi_rng_init(&s->rng, options ? options->seed : 0);
    return choose_formats(s, &plain, r, options, error);
}

/* Takes the tree of an order in one line. */
static enum accord_status fill_order(accordi_synthetic *s, accordi_order_line *order,
                                     const accordi_wish *r, accord_error *error)
{
    if (order->tree->leaves != s->n)
        return accordi_fail(
            error, ACCORD_ARG,
            "the notation of this target is one of %u terms, but %zu were asked for; ask "
            "for %u",
            order->tree->leaves, s->n, order->tree->leaves);
    s->tree = order->tree;
    enum accord_status status = accordi_wish_arithmetic(s, r, order, error);
    order->tree = NULL;
    return status;
}

/* An order in one line, which was cut at its colon. */
static enum accord_status fill_notation(accordi_synthetic *s, const accordi_wish *r,
                                        const accord_target_options *options, accord_error *error)
{
    accordi_buffer text = {0};
    accordi_order_line order = {0};
    enum accord_status status = prepare(s, r, options, error);
    if (status)
        return status;
    accordi_line_kind base = accordi_wish_kind(s, r);
    accordi_buffer_printf(&text, "%s%s%s", r->name, r->parameter ? ":" : "",
                          r->parameter ? r->parameter : "");
    status = text.failed ? accordi_nomem(error)
                         : accordi_order_line_read(text.data, &base, &order, NULL, error);
    accordi_buffer_clear(&text);
    if (status == ACCORD_PARSE) {
        status = ACCORD_ARG;
        if (error)
            error->status = status;
    }
    if (!status)
        status = fill_order(s, &order, r, error);
    accordi_order_line_clear(&order);
    return status;
}

/* The order that a file holds, in any form that is read. */
static enum accord_status fill_file(accordi_synthetic *s, const accordi_wish *r,
                                    const accord_target_options *options, accord_error *error)
{
    accord_record record;
    accordi_record_init(&record);
    enum accord_status status = accord_record_load(r->parameter, &record, error);
    if (status == ACCORD_OK && (!record.tree || record.tree->leaves != s->n))
        status =
            accordi_fail(error, ACCORD_ARG,
                         "synthetic:tree:%.200s is not an order of %zu terms; ask for the number "
                         "of its leaves",
                         r->parameter, s->n);
    if (status == ACCORD_OK)
        status = prepare(s, r, options, error);
    if (status == ACCORD_OK) {
        s->tree = record.tree;
        record.tree = NULL;
        status = accordi_wish_arithmetic(s, r, NULL, error);
    }
    accord_record_clear(&record);
    return status;
}

static enum accord_status fill_synthetic(accordi_synthetic *s, const accordi_wish *r,
                                         const accord_target_options *options, accord_error *error)
{
    const accordi_synthetic_row *row = accordi_synthetic_by_name(r->name);
    if (row)
        return fill_from_table(s, row, r, options, error);
    if (strcmp(r->name, "tree") == 0 && r->parameter)
        return fill_file(s, r, options, error);
    if (r->name[0] >= '1' && r->name[0] <= '9')
        return fill_notation(s, r, options, error);
    const accord_fused *machine = machine_by_name(r);
    if (machine)
        return fill_machine(s, machine, r, options, error);
    const char *called = strcmp(r->name, "machine") == 0 && r->parameter ? r->parameter : r->name;
    const char *near = accordi_synthetic_nearest(called);
    return accordi_fail(error, ACCORD_ARG,
                        "there is no synthetic order '%.60s'; %s%s%s`accord targets` lists them",
                        called, near ? "did you mean " : "", near ? near : "", near ? "? " : "");
}

enum accord_status accordi_synthetic_open(accord_target *target, const char *name,
                                          const accord_target_options *options, accord_error *error)
{
    enum { A_TERM = 40 }; /* bytes of a tree, at least */
    enum accord_status fits = accordi_memory_check(
        A_TERM * (double)target->n, "a synthetic order with this number of terms", error);
    if (!fits && options)
        fits = accordi_refuse_scale(options, "a synthetic order", error);
    if (fits)
        return fits;
    accordi_wish r = {.text = accordi_strdup(name)};
    accordi_synthetic *s = r.text ? accordi_synthetic_new(target->n) : NULL;
    enum accord_status status = s ? accordi_wish_read(&r, error) : accordi_nomem(error);
    if (status == ACCORD_OK)
        status = fill_synthetic(s, &r, options, error);
    if (status == ACCORD_OK)
        accordi_synthetic_settle(target, s);
    else
        accordi_synthetic_free(s);
    free(r.text);
    return status;
}
