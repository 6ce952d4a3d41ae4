/* C text of values and additions.
 *
 * All that bits depend on is decided here: which additions are of floats, which of doubles, and
 * which are fma. */
#include "model/emit/emit.h"
#include "model/scaling.h"
#include <math.h>

const char *accordi_type(uint8_t format)
{
    return format == ACCORD_F32 ? "float" : "double";
}

/* ---- values ---- */

void accordi_value_clear(accordi_value *value)
{
    accordi_buffer_clear(&value->text);
    accordi_buffer_clear(&value->second);
}

const char *accordi_text(const accordi_writer *w, const accordi_value *value)
{
    if (value->text.failed || value->second.failed || !value->text.data)
        w->out->failed = true;
    return value->text.data ? value->text.data : "";
}

static const char *second(const accordi_value *value)
{
    return value->second.data ? value->second.data : "";
}

accordi_value accordi_named(uint8_t format, const char *text, ...)
{
    accordi_value made = {.format = format};
    char small[256];
    va_list arguments;
    va_start(arguments, text);
    vsnprintf(small, sizeof small, text, arguments);
    va_end(arguments);
    accordi_buffer_puts(&made.text, small);
    return made;
}

/* A constant of the model, with all its digits. */
void accordi_put_constant(uint8_t format, double value, accordi_buffer *out)
{
    char text[ACCORDI_DECIMAL];
    accordi_put_decimal(text, value, 1, format == ACCORD_F32);
    bool whole = !strpbrk(text, ".e");
    accordi_buffer_printf(out, "%s%s%s", text, whole ? ".0" : "", format == ACCORD_F32 ? "f" : "");
}

static void put_operand(const accordi_writer *w, const accordi_shape *s, bool is_y,
                        const accordi_emit_place *place, accordi_buffer *out)
{
    const accord_arithmetic *how = w->model->arithmetic;
    bool own = is_y && how->term == ACCORD_TERM_PRODUCT, times = s->scaled[is_y];
    if (times) {
        accordi_buffer_puts(out, "(");
        accordi_put_constant((uint8_t)how->input, how->alpha, out);
        accordi_buffer_puts(out, " * ");
    }
    bool rounded = how->operand != ACCORD_F64;
    if (rounded)
        accordi_buffer_printf(out, "%s_rounded(", w->name);
    accordi_buffer_printf(out, "%s[", own ? w->operands->y : w->operands->x);
    accordi_put_index(place, own ? w->operands->y_stride : w->operands->x_stride, out);
    accordi_buffer_puts(out, rounded ? "])" : "]");
    accordi_buffer_puts(out, times ? ")" : "");
}

/* The factors of a product: of a start value they are beta and it. */
static void put_factors(const accordi_writer *w, const accordi_shape *s,
                        const accordi_emit_place *place, accordi_buffer *a, accordi_buffer *b)
{
    if (s->kind == ACCORDI_START || s->kind == ACCORDI_START_EXACT) {
        double factor = accordi_start_factor(w->model);
        accordi_put_constant((uint8_t)w->model->arithmetic->input, factor, a);
        accordi_buffer_puts(b, w->operands->start);
    } else {
        put_operand(w, s, false, place, a);
        put_operand(w, s, true, place, b);
    }
}

static accordi_value product(const accordi_writer *w, const accordi_shape *s,
                             const accordi_emit_place *place)
{
    accordi_value a = {.format = s->format};
    put_factors(w, s, place, &a.text, &a.second);
    if (accordi_is_exact(s)) {
        a.exact = true;
        return a;
    }
    accordi_value made = {.format = s->format, .level = 1};
    bool wide = s->format == ACCORD_F64 && accordi_emit_input(w->model->arithmetic) == ACCORD_F32;
    const char *cast = wide ? "(double)" : "";
    accordi_buffer_printf(&made.text, "%s%s * %s%s", cast, accordi_text(w, &a), cast, second(&a));
    accordi_value_clear(&a);
    return made;
}

static accordi_value plain_leaf(const accordi_writer *w, const accordi_shape *s,
                                const accordi_emit_place *place)
{
    if (s->kind != ACCORDI_VALUE)
        return product(w, s, place);
    const accord_arithmetic *how = w->model->arithmetic;
    accordi_value made = {.format = s->format};
    uint8_t input = accordi_emit_input(how);
    bool absolute = how->term == ACCORD_TERM_ABSOLUTE, f32 = input == ACCORD_F32;
    accordi_buffer_puts(&made.text, s->format == input ? "" : f32 ? "(double)" : "(float)");
    accordi_buffer_puts(&made.text, !absolute ? "" : f32 ? "fabsf(" : "fabs(");
    put_operand(w, s, false, place, &made.text);
    accordi_buffer_puts(&made.text, absolute ? ")" : "");
    return made;
}

/* A leaf, with the zero that a sum starts with where it is one's first. */
accordi_value accordi_leaf(const accordi_writer *w, const accordi_shape *s,
                           const accordi_emit_place *place)
{
    if (!s->first)
        return plain_leaf(w, s, place);
    const char *f = s->format == ACCORD_F32 ? "f" : "";
    accordi_value made = {.format = s->format, .level = 2};
    accordi_shape own = *s;
    if (s->first == ACCORDI_FIRST_FMA)
        own.kind = s->kind == ACCORDI_START ? ACCORDI_START_EXACT : ACCORDI_EXACT;
    accordi_value value = plain_leaf(w, &own, place);
    if (s->first == ACCORDI_FIRST_FMA) {
        made.level = 0;
        accordi_buffer_printf(&made.text, "fma%s(%s, %s, 0.0%s)", f, accordi_text(w, &value),
                              second(&value), f);
    } else {
        accordi_buffer_printf(&made.text, "%s + 0.0%s", accordi_text(w, &value), f);
    }
    accordi_value_clear(&value);
    return made;
}

accordi_value accordi_converted(uint8_t format, accordi_value *a)
{
    if (a->format == format)
        return *a;
    accordi_value made = {.format = format, .no_minus = a->no_minus && format == ACCORD_F64};
    accordi_buffer_printf(&made.text, a->level == 0 ? "(%s)%s" : "(%s)(%s)", accordi_type(format),
                          a->text.data ? a->text.data : "");
    made.text.failed |= a->text.failed;
    accordi_value_clear(a);
    return made;
}

accordi_value accordi_sum(accordi_writer *w, uint8_t format, accordi_value *a, accordi_value *b)
{
    accordi_value made = {.format = format, .no_minus = a->no_minus || b->no_minus};
    accordi_value *exact = a->exact ? a : b->exact ? b : NULL, *other = exact == a ? b : a;
    if (exact) {
        *other = accordi_converted(format, other);
        accordi_buffer_printf(&made.text, "%s(%s, %s, %s)", format == ACCORD_F32 ? "fmaf" : "fma",
                              accordi_text(w, exact), second(exact), accordi_text(w, other));
    } else {
        *a = accordi_converted(format, a);
        *b = accordi_converted(format, b);
        accordi_buffer_printf(&made.text, a->level == 2 ? "(%s) + " : "%s + ", accordi_text(w, a));
        accordi_buffer_printf(&made.text, b->level == 2 ? "(%s)" : "%s", accordi_text(w, b));
        made.level = 2;
    }
    accordi_value_clear(a);
    accordi_value_clear(b);
    return made;
}

/* Times a factor, alpha or its inverse; unrounded if `exact`. */
static accordi_value times(accordi_writer *w, double factor, bool exact, uint8_t format,
                           accordi_value *a)
{
    accordi_value made = {.format = format};
    bool wide = format == ACCORD_F64 && accordi_emit_input(w->model->arithmetic) == ACCORD_F32;
    *a = accordi_converted(format, a);
    made.exact = exact;
    made.level = 1;
    accordi_buffer *out = &made.text;
    if (factor == -1 && !made.exact) {
        made.level = 0;
        accordi_buffer_printf(out, "%s%s_negated(%s)", format == ACCORD_F32 ? "(float)" : "",
                              w->name, accordi_text(w, a));
        accordi_value_clear(a);
        return made;
    }
    accordi_put_constant(wide ? ACCORD_F64 : format, factor, out);
    if (made.exact)
        out = &made.second;
    else
        accordi_buffer_puts(out, " * ");
    accordi_buffer_printf(out, a->level && !made.exact ? "(%s)" : "%s", accordi_text(w, a));
    accordi_value_clear(a);
    return made;
}

/* What a sum that starts with +0 adds to it. Of an unrounded product the other term takes the zero:
 * only a product of 0 can tell. */
static accordi_value from_zero(accordi_writer *w, uint8_t format, accordi_value *a)
{
    accordi_value zero = accordi_named(format, "0.0%s", format == ACCORD_F32 ? "f" : "");
    return accordi_sum(w, format, a, &zero);
}

accordi_value accordi_times_alpha(accordi_writer *w, int scaled, uint8_t format, accordi_value *a)
{
    const accord_arithmetic *how = w->model->arithmetic;
    if (!scaled)
        return *a;
    bool exact = scaled == ACCORDI_SCALED_FUSED || scaled == ACCORDI_SCALED_ZERO;
    accordi_value made = times(w, how->alpha, exact, format, a);
    if (scaled == ACCORDI_SCALED_ZERO || scaled == ACCORDI_SCALED_PLUS)
        return from_zero(w, format, &made);
    if (scaled != ACCORDI_RETAKEN)
        return made;
    return times(w, accordi_inverse_alpha(how), false, format, &made);
}

/* ---- functions of parts ---- */

void accordi_put_name(const accordi_writer *w, uint32_t shape, accordi_buffer *out)
{
    uint32_t leaves = w->shapes->shape[shape].leaves;
    unsigned before = 0;
    for (uint32_t i = 0; i < shape; i++)
        before += w->plans->of[i].function && w->shapes->shape[i].leaves == leaves;
    accordi_buffer_printf(out, "%s_%u", w->name, leaves);
    if (before)
        accordi_buffer_printf(out, "_%u", before + 1);
}

void accordi_put_parameters(const accordi_writer *w, accordi_buffer *out)
{
    const accordi_emit_operands *o = w->operands;
    const char *type = accordi_type((uint8_t)w->model->arithmetic->input);
    accordi_buffer_printf(out, "const %s *%s", type, o->x);
    if (o->x_stride)
        accordi_buffer_printf(out, ", size_t %s", o->x_stride);
    if (w->model->arithmetic->term == ACCORD_TERM_PRODUCT) {
        accordi_buffer_printf(out, ", const %s *%s", type, o->y);
        if (o->y_stride)
            accordi_buffer_printf(out, ", size_t %s", o->y_stride);
    }
}

static void put_argument(const char *name, const char *stride, const accordi_emit_place *place,
                         accordi_buffer *out)
{
    accordi_buffer_puts(out, name);
    if (place->count || place->constant) {
        accordi_buffer_puts(out, " + ");
        accordi_put_index(place, stride, out);
    }
    if (stride)
        accordi_buffer_printf(out, ", %s", stride);
}

static accordi_value call(accordi_writer *w, uint32_t shape, const accordi_emit_place *place)
{
    accordi_value made = {.format = w->shapes->shape[shape].format,
                          .no_minus = w->plans->of[shape].no_minus};
    w->plans->of[shape].called = true;
    accordi_put_name(w, shape, &made.text);
    accordi_buffer_puts(&made.text, "(");
    put_argument(w->operands->x, w->operands->x_stride, place, &made.text);
    if (w->model->arithmetic->term == ACCORD_TERM_PRODUCT) {
        accordi_buffer_puts(&made.text, ", ");
        put_argument(w->operands->y, w->operands->y_stride, place, &made.text);
    }
    accordi_buffer_puts(&made.text, ")");
    return made;
}

static accordi_value stored(accordi_writer *w, uint8_t format, accordi_value *sum)
{
    if (format == ACCORD_F64)
        return *sum;
    if (format == ACCORD_F32)
        return accordi_converted(format, sum);
    accordi_value made = {.format = ACCORD_F32};
    accordi_buffer_printf(&made.text, "%s_%s(%s)", w->name,
                          accord_format_get((enum accord_format)format)->name,
                          accordi_text(w, sum));
    accordi_value_clear(sum);
    return made;
}

accordi_value accordi_node_sum(accordi_writer *w, const accordi_shape *s, accordi_value item[2])
{
    for (int i = 0; i < 2; i++)
        item[i] = accordi_times_alpha(w, s->scaled[i], s->sum, &item[i]);
    int at = (s->first & ~ACCORDI_ZERO_ADDED) - 1;
    if (at >= 0) {
        accordi_value *zero = &item[item[at].exact ? !at : at];
        *zero = accordi_converted(s->sum, zero);
        *zero = from_zero(w, s->sum, zero);
    }
    accordi_value sum = accordi_sum(w, s->sum, &item[0], &item[1]);
    sum = stored(w, s->stored, &sum);
    return s->first & ACCORDI_ZERO_ADDED ? from_zero(w, sum.format, &sum) : sum;
}

accordi_value accordi_added(accordi_writer *w, const accordi_shape *s, bool before,
                            accordi_value *sum, accordi_value *item)
{
    accordi_value child[2] = {before ? *item : *sum, before ? *sum : *item};
    return accordi_node_sum(w, s, child);
}

/* Where alpha enters, the items of a chain of several stand all before its sum, or all after it. */
void accordi_put_add(accordi_writer *w, const char *target, const accordi_shape *s,
                     accordi_value *item)
{
    if (accordi_shape_plain(s) && !item->exact) {
        *item = accordi_converted(s->format, item);
        accordi_line(w, "%s += %s;", target, accordi_text(w, item));
        accordi_value_clear(item);
        return;
    }
    accordi_value sum = accordi_named(s->format, "%s", target);
    sum = accordi_added(w, s, s->uneven == 2, &sum, item);
    accordi_line(w, "%s = %s;", target, accordi_text(w, &sum));
    accordi_value_clear(&sum);
}

/* A short shape, at most 8 leaves deep. */
static accordi_value expression(accordi_writer *w, uint32_t shape, const accordi_emit_place *place)
{
    const accordi_shape *s = &w->shapes->shape[shape];
    if (s->kind != ACCORDI_NODE)
        return accordi_leaf(w, s, place);
    accordi_emit_place at = accordi_place_at(place, s->start_at);
    accordi_value sum = expression(w, s->start, &at);
    int64_t low = s->start_at;
    for (uint32_t i = 0; i < s->run; i++) {
        int64_t here = accordi_item_at(s, i);
        at = accordi_place_at(place, here);
        accordi_value item = expression(w, s->item, &at);
        sum = accordi_added(w, s, here < low, &sum, &item);
        low = here < low ? here : low;
    }
    return sum;
}

accordi_value accordi_operand(accordi_writer *w, uint32_t shape, const accordi_emit_place *place)
{
    bool small = accordi_is_small(w->shapes, w->plans, shape);
    return small ? expression(w, shape, place) : call(w, shape, place);
}

accordi_value accordi_first_added(accordi_writer *w, const accordi_shape *s,
                                  const accordi_emit_place *place, accordi_value *start)
{
    accordi_emit_place at = accordi_place_at(place, s->item_at);
    accordi_value item = accordi_operand(w, s->item, &at);
    return accordi_added(w, s, s->item_at < s->start_at, start, &item);
}
