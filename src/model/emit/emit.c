/* A function of C that computes what a model does: the value of the root, and what is done with
 * it. */
#include "model/emit/emit.h"
#include "model/scaling.h"
#include "model/words.h"

/* alpha, where it multiplies the whole; an argument of fma where it is fused with a last +0. */
static void scale_root(accordi_writer *w, accordi_value *value)
{
    const accord_arithmetic *how = w->model->arithmetic;
    enum accord_scaling way = accordi_scaling_root(w->model);
    bool fused = way == ACCORD_SCALED_FUSED && how->zero_last && how->finish == ACCORD_FINISH_NONE;
    if (how->alpha != 1 && way >= ACCORD_SCALED_ROUNDED)
        *value = accordi_times_alpha(w, fused ? ACCORDI_SCALED_FUSED : ACCORDI_SCALED,
                                     value->format, value);
}

static void finish_root(accordi_writer *w, accordi_value *value)
{
    const accord_arithmetic *how = w->model->arithmetic;
    const char *f = value->format == ACCORD_F32 ? "f" : "";
    bool over = accordi_divides(how->finish), times = accordi_multiplies(how->finish);
    if (over || times) {
        accordi_value made = {.format = value->format, .level = 1};
        accordi_buffer_printf(&made.text, value->level ? "(%s) %c " : "%s %c ",
                              accordi_text(w, value), over ? '/' : '*');
        accordi_put_constant(value->format, how->factor, &made.text);
        accordi_value_clear(value);
        *value = made;
    }
    if (accordi_takes_root(how->finish)) {
        accordi_value made = {.format = value->format, .level = 1};
        bool narrow = value->format == ACCORD_F64 && how->radicand == ACCORD_F32;
        accordi_buffer_printf(&made.text, narrow ? "sqrt%s((float)(%s))" : "sqrt%s(%s)", f,
                              accordi_text(w, value));
        accordi_value_clear(value);
        *value = made;
    }
}

static void add_zero(accordi_writer *w, accordi_value *value)
{
    accordi_value zero =
        accordi_named(value->format, "0.0%s", value->format == ACCORD_F32 ? "f" : "");
    *value = accordi_sum(w, value->format, value, &zero);
}

/* The result of the root's value: a zero made +0, alpha, the finish, and rounded. */
static void put_return(accordi_writer *w, accordi_value *value)
{
    const accord_arithmetic *how = w->model->arithmetic;
    bool plus = !how->negative_zero && !w->shapes->firsts && !value->no_minus;
    bool finishes = how->finish != ACCORD_FINISH_NONE;
    if (plus)
        add_zero(w, value);
    const accordi_shape *root = &w->shapes->shape[w->shapes->root];
    if (root->stored) /* what follows is done in the format of the sum */
        *value = accordi_converted(root->sum, value);
    scale_root(w, value);
    if (how->zero_last && !finishes)
        add_zero(w, value);
    finish_root(w, value);
    bool narrow = value->format == ACCORD_F64 && how->output == ACCORD_F32;
    if (how->zero_last && finishes) {
        if (narrow) {
            accordi_value made = {.format = ACCORD_F32, .level = 1};
            accordi_buffer_printf(&made.text, "(float)(%s)", accordi_text(w, value));
            accordi_value_clear(value);
            *value = made;
            narrow = false;
        }
        add_zero(w, value);
    }
    const char *form = !narrow        ? "return %s;%s"
                       : value->level ? "return (float)(%s);%s"
                                      : "return (float)%s;%s";
    accordi_line(w, form, accordi_text(w, value),
                 plus || how->zero_last ? " /* a zero is +0 */" : "");
    accordi_value_clear(value);
}

static enum accord_status put_function(accordi_writer *w, const accordi_emission *emission,
                                       bool regular, accord_error *error)
{
    accordi_buffer parameters = {0};
    const accord_arithmetic *how = w->model->arithmetic;
    accordi_value value = {0};
    enum accord_status status = ACCORD_OK;
    accordi_put_parameters(w, &parameters);
    if (w->operands->start)
        accordi_buffer_printf(&parameters, ", %s %s", accordi_type((uint8_t)how->input),
                              w->operands->start);
    accordi_line(w, "%s%s %s(%s)", emission->is_static ? "static " : "",
                 accordi_type((uint8_t)how->output), emission->name,
                 parameters.data ? parameters.data : "");
    w->out->failed |= parameters.failed;
    accordi_buffer_clear(&parameters);
    accordi_line(w, "{");
    w->indent++;
    if (regular)
        value = accordi_put_root(w);
    else
        status = accordi_put_table(w, &value, error);
    if (status == ACCORD_OK)
        put_return(w, &value);
    w->indent--;
    accordi_line(w, "}");
    return status;
}

/* Helpers, parts, the function. */
static enum accord_status put_all(accordi_writer *w, const accordi_emission *emission, bool regular,
                                  accordi_buffer *out, accord_error *error)
{
    accordi_buffer function = {0}, parts = {0}, helpers = {0};
    w->out = &function;
    if (regular)
        accordi_learn_parts(w);
    enum accord_status status = put_function(w, emission, regular, error);
    w->out = &parts;
    w->indent = 0;
    if (status == ACCORD_OK && regular)
        accordi_put_parts(w);
    w->out = &helpers;
    accordi_put_helpers(w, &function, &parts);
    if (status == ACCORD_OK) {
        accordi_buffer_append(out, helpers.data, helpers.length);
        accordi_buffer_append(out, parts.data, parts.length);
        accordi_buffer_puts(out, emission->comment ? emission->comment : "");
        accordi_buffer_append(out, function.data, function.length);
        if (helpers.failed || parts.failed || function.failed || out->failed)
            status = accordi_nomem(error);
    }
    accordi_buffer_clear(&function);
    accordi_buffer_clear(&parts);
    accordi_buffer_clear(&helpers);
    return status;
}

static enum accord_status emit_shapes(const accord_model *model, const accordi_shapes *shapes,
                                      const accordi_emission *emission, accordi_buffer *out,
                                      accord_error *error)
{
    accordi_emit_plans plans;
    bool regular;
    const accord_arithmetic *how = model->arithmetic;
    enum accord_status status =
        accordi_emit_plans_make(shapes, how->term == ACCORD_TERM_PRODUCT, &plans, &regular, error);
    if (status != ACCORD_OK)
        return status;
    accordi_writer w = {.model = model,
                        .shapes = shapes,
                        .plans = &plans,
                        .operands = &emission->operands,
                        .name = emission->name,
                        .from_zero = !how->negative_zero,
                        .index = model->tree->leaves < 1u << 30 ? "int" : "ptrdiff_t"};
    status = put_all(&w, emission, regular, out, error);
    accordi_emit_plans_clear(shapes, &plans);
    return status;
}

enum accord_status accordi_emit_function(const accord_model *model,
                                         const accordi_emission *emission, accordi_buffer *out,
                                         accord_error *error)
{
    accordi_shapes shapes;
    enum accord_status status = accordi_emit_check(model, error);
    if (status == ACCORD_OK)
        status = accordi_shapes_make(model, &shapes, error);
    if (status != ACCORD_OK)
        return status;
    status = emit_shapes(model, &shapes, emission, out, error);
    accordi_shapes_clear(&shapes);
    return status;
}
