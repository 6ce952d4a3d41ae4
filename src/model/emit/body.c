/* Statements: chains as loops, lanes as arrays that are filled in loops and folded.
 *
 * Invariant: put_value leaves the value of one subtree in the text it returns; put_vector leaves
 * those of all lanes (a place with a variable for each dimension) in the array it was given. The
 * loop over terms stands outside, those over lanes inside, as in the vector code that such orders
 * come from. Both recur on plans, of which there are few. */
#include "model/emit/emit.h"

/* Lanes of lanes: the first dimension varies fastest and comes last in the brackets. */
typedef struct dims {
    int count;
    uint32_t lanes[6];
} dims;

static const char *const lane_name[] = {"l", "j", "i", "h", "g", "f"};

static void put_element(const char *name, const dims *d, accordi_buffer *out)
{
    accordi_buffer_puts(out, name);
    for (int i = d->count - 1; i >= 0; i--)
        accordi_buffer_printf(out, "[%s]", lane_name[i]);
}

static void open_loops(accordi_writer *w, const dims *d)
{
    for (int i = d->count - 1; i >= 0; i--) {
        const char *l = lane_name[i];
        accordi_line(w, "for (%s %s = 0; %s < %u; %s++)", w->index, l, l, d->lanes[i], l);
        w->indent++;
    }
}

/* The loop over items number first … last of a chain (from 0); its variable in *place. */
static void open_run(accordi_writer *w, const accordi_shape *s, uint32_t first, uint32_t last,
                     accordi_emit_place *place)
{
    int64_t zeroth = place->constant + s->last_at - (int64_t)(s->run - 1) * s->stride;
    int64_t from = zeroth + (int64_t)first * s->stride, to = zeroth + (int64_t)last * s->stride;
    char step[32] = "k++";
    if (s->stride == -1)
        snprintf(step, sizeof step, "k--");
    else if (s->stride != 1)
        snprintf(step, sizeof step, "k %c= %lld", s->stride < 0 ? '-' : '+',
                 (long long)(s->stride < 0 ? -s->stride : s->stride));
    bool down = s->stride < 0;
    accordi_line(w, "for (%s k = %lld; k %s %lld; %s)", w->index, (long long)from,
                 down ? ">=" : "<", (long long)(down ? to : to + s->stride), step);
    w->indent++;
    place->constant = 0;
    accordi_place_add(place, "k", 1);
}

/* A chain that may as well start with zero: all its terms are alike, and the sign of a zero is
 * settled at the end. */
static bool starts_with_zero(const accordi_writer *w, const accordi_shape *s)
{
    if (!w->from_zero || s->kind != ACCORDI_NODE ||
        !accordi_shape_uniform(w->shapes, (uint32_t)(s - w->shapes->shape)) || s->run < 3)
        return false;
    const accordi_shape *start = &w->shapes->shape[s->start], *item = &w->shapes->shape[s->item];
    if (start->kind == ACCORDI_START || item->kind == ACCORDI_START)
        return false;
    if (start->first == ACCORDI_FIRST_FMA)
        return item->kind == ACCORDI_EXACT && start->format == s->format;
    return start->kind == item->kind && start->format == item->format;
}

/* A start that is no value by itself takes the first item along. */
static bool starts_with_two(const accordi_shapes *all, const accordi_shape *s)
{
    const accordi_shape *start = &all->shape[s->start];
    return start->kind == ACCORDI_EXACT || start->kind == ACCORDI_START_EXACT;
}

static bool is_operand(const accordi_writer *w, uint32_t shape)
{
    return accordi_is_small(w->shapes, w->plans, shape) || w->plans->of[shape].function;
}

static void put_set(accordi_writer *w, const char *target, uint8_t format, accordi_value *value)
{
    *value = accordi_converted(format, value);
    accordi_line(w, "%s = %s;", target, accordi_text(w, value));
    accordi_value_clear(value);
}

/* ---- several lanes at once ---- */

static accordi_value put_lanes(accordi_writer *w, const accordi_lanes_plan *plan,
                               const accordi_emit_place *place, const dims *outer,
                               const char *target);

static void declare(accordi_writer *w, uint8_t format, const char *name, const dims *d, bool zero)
{
    accordi_buffer text = {0};
    for (int i = d->count - 1; i >= 0; i--)
        accordi_buffer_printf(&text, "[%u]", d->lanes[i]);
    if (zero) {
        accordi_buffer_puts(&text, " = ");
        for (int i = 0; i < d->count; i++)
            accordi_buffer_puts(&text, "{");
        accordi_buffer_puts(&text, "0");
        for (int i = 0; i < d->count; i++)
            accordi_buffer_puts(&text, "}");
    }
    accordi_line(w, "%s %s%s;", accordi_type(format), name, text.data ? text.data : "");
    w->out->failed |= text.failed;
    accordi_buffer_clear(&text);
}

static void put_vector(accordi_writer *w, uint32_t shape, const accordi_emit_place *place,
                       const dims *d, const char *name, uint8_t format, uint32_t cut);

/* The values that a chain starts with; the number of items that this takes. */
static uint32_t put_vector_start(accordi_writer *w, const accordi_shape *s,
                                 const accordi_emit_place *place, const dims *d, const char *name)
{
    accordi_emit_place start_at = accordi_place_at(place, s->start_at);
    if (!starts_with_two(w->shapes, s)) {
        put_vector(w, s->start, &start_at, d, name, s->format, 0);
        return 0;
    }
    int indent = w->indent;
    accordi_buffer element = {0};
    accordi_emit_place first =
        accordi_place_at(place, s->last_at - (int64_t)(s->run - 1) * s->stride);
    accordi_value a = accordi_operand(w, s->start, &start_at);
    accordi_value b = accordi_operand(w, s->item, &first);
    a = accordi_sum(w, s->format, &a, &b);
    open_loops(w, d);
    put_element(name, d, &element);
    put_set(w, element.data ? element.data : "", s->format, &a);
    w->out->failed |= element.failed;
    accordi_buffer_clear(&element);
    w->indent = indent;
    return 1;
}

static void put_vector_run(accordi_writer *w, const accordi_shape *s,
                           const accordi_emit_place *place, const dims *d, const char *name,
                           uint32_t cut)
{
    uint32_t first = 0;
    accordi_shape whole = *s;
    if (starts_with_zero(w, s)) { /* the start is one more item */
        whole.run++;
    } else {
        first = put_vector_start(w, s, place, d, name);
    }
    if (first + cut >= whole.run)
        return;
    int indent = w->indent;
    accordi_emit_place at = *place;
    accordi_buffer element = {0};
    if (whole.run - cut - first > 1)
        open_run(w, &whole, first, whole.run - 1 - cut, &at);
    else
        at = accordi_place_at(place, s->last_at - (int64_t)cut * s->stride);
    open_loops(w, d);
    accordi_value item = accordi_operand(w, s->item, &at);
    put_element(name, d, &element);
    accordi_put_add(w, element.data ? element.data : "", s->format, &item);
    w->out->failed |= element.failed;
    accordi_buffer_clear(&element);
    w->indent = indent;
}

/* Fills name[…], which has the given format; `cut` items of the chain on top are left out. */
static void put_vector(accordi_writer *w, uint32_t shape, const accordi_emit_place *place,
                       const dims *d, const char *name, uint8_t format, uint32_t cut)
{
    const accordi_shape *s = &w->shapes->shape[shape];
    const accordi_emit_plan *plan = &w->plans->of[shape];
    bool small = accordi_is_small(w->shapes, w->plans, shape) && cut == 0;
    if (s->kind == ACCORDI_NODE && !small && accordi_is_vector(w->shapes, w->plans, shape)) {
        if (!plan->lanes)
            put_vector_run(w, s, place, d, name, cut);
        else
            put_lanes(w, plan->lanes, place, d, name);
        return;
    }
    int indent = w->indent;
    accordi_buffer element = {0};
    open_loops(w, d);
    accordi_value value = accordi_operand(w, shape, place);
    put_element(name, d, &element);
    put_set(w, element.data ? element.data : "", format, &value);
    w->out->failed |= element.failed;
    accordi_buffer_clear(&element);
    w->indent = indent;
}

/* ---- folds ---- */

/* The fold of few lanes, spelled out. */
static accordi_value spell_fold(accordi_writer *w, const accordi_lanes_plan *plan, const char *name,
                                const dims *outer)
{
    accordi_value value[ACCORDI_FEW_LANES];
    accordi_buffer rest = {0};
    put_element("", outer, &rest);
    for (uint32_t i = 0; i < plan->count; i++)
        value[i] = accordi_named(w->shapes->shape[plan->shape].format, "%s[%u]%s", name, i,
                                 rest.data ? rest.data : "");
    for (uint32_t i = 0; i + 1 < plan->count; i++)
        value[plan->onto[i]] =
            accordi_sum(w, plan->format, &value[plan->onto[i]], &value[plan->from[i]]);
    w->out->failed |= rest.failed;
    accordi_buffer_clear(&rest);
    return value[0];
}

static void open_fold(accordi_writer *w, const accordi_lanes_plan *p, const char *l)
{
    const char *type = w->index;
    uint32_t n = p->count;
    bool power = (n & (n - 1)) == 0;
    if (p->fold == ACCORDI_FOLD_HALVES && power) {
        accordi_line(w, "for (%s w = %u; w > 0; w /= 2)", type, n / 2);
        w->indent++;
        accordi_line(w, "for (%s %s = 0; %s < w; %s++)", type, l, l, l);
    } else if (p->fold == ACCORDI_FOLD_HALVES) {
        accordi_line(w, "for (%s n = %u, w = %u; n > 1; n = w, w = (n + 1) / 2)", type, n,
                     n - n / 2);
        w->indent++;
        accordi_line(w, "for (%s %s = 0; %s + w < n; %s++)", type, l, l, l);
    } else if (p->fold == ACCORDI_FOLD_PAIRS) {
        accordi_line(w, "for (%s w = 1; w < %u; w *= 2)", type, n);
        w->indent++;
        accordi_line(w, "for (%s %s = 0; %s%s < %u; %s += 2 * w)", type, l, l, power ? "" : " + w",
                     n, l);
    } else if (p->fold == ACCORDI_FOLD_SEQUENTIAL) {
        accordi_line(w, "for (%s %s = 1; %s < %u; %s++)", type, l, l, n, l);
    } else {
        accordi_line(w, "for (%s %s = %u; %s >= 0; %s--)", type, l, n - 2, l, l);
    }
    w->indent++;
}

static void put_fold(accordi_writer *w, const accordi_lanes_plan *p, const char *name,
                     const dims *outer)
{
    static const char *const onto[] = {"[%s]", "[%s]", "[0]", "[%s]", ""};
    static const char *const from[] = {"[%s + w]", "[%s + w]", "[%s]", "[%s + 1]", ""};
    const char *l = lane_name[outer->count];
    char a[32], b[32];
    int indent = w->indent;
    accordi_buffer rest = {0};
    snprintf(a, sizeof a, onto[p->fold], l);
    snprintf(b, sizeof b, from[p->fold], l);
    open_fold(w, p, l);
    open_loops(w, outer);
    put_element("", outer, &rest);
    const char *tail = rest.data ? rest.data : "";
    accordi_line(w, "%s%s%s += %s%s%s;", name, a, tail, name, b, tail);
    w->out->failed |= rest.failed;
    accordi_buffer_clear(&rest);
    w->indent = indent;
}

/* The lanes that are one term longer take it at the end. */
static void put_longer(accordi_writer *w, const accordi_lanes_plan *p,
                       const accordi_emit_place *place, const dims *d, const char *name)
{
    const accordi_shape *s = &w->shapes->shape[p->shape];
    dims first = *d;
    int indent = w->indent;
    accordi_buffer element = {0};
    first.lanes[d->count - 1] = p->longer;
    open_loops(w, &first);
    accordi_emit_place at = accordi_place_at(place, s->last_at);
    accordi_value item = accordi_operand(w, s->item, &at);
    put_element(name, d, &element);
    accordi_put_add(w, element.data ? element.data : "", s->format, &item);
    w->out->failed |= element.failed;
    accordi_buffer_clear(&element);
    w->indent = indent;
}

static bool is_spelled(const accordi_writer *w, const accordi_lanes_plan *p)
{
    return p->count <= 4 || p->fold == ACCORDI_FOLD_OTHER ||
           w->shapes->shape[p->shape].format != p->format;
}

/* Fills the lanes; their array is `name`, or, of lanes of lanes, what the fold of these leaves, to
 * which the name is then changed. */
static void put_filled(accordi_writer *w, const accordi_lanes_plan *p,
                       const accordi_emit_place *place, const dims *d, char name[32])
{
    const accordi_lanes_plan *inner = w->plans->of[p->shape].lanes;
    if (p->interleaved && inner && !accordi_is_small(w->shapes, w->plans, p->shape) &&
        !is_spelled(w, inner)) {
        accordi_value value = put_lanes(w, inner, place, d, NULL);
        const char *text = accordi_text(w, &value);
        snprintf(name, 32, "%.*s", (int)(strcspn(text, "]") + 1), text);
        accordi_value_clear(&value);
        return;
    }
    const accordi_shape *lane = &w->shapes->shape[p->shape];
    bool inlined = p->interleaved && lane->kind == ACCORDI_NODE && !w->plans->of[p->shape].lanes &&
                   !accordi_is_small(w->shapes, w->plans, p->shape);
    declare(w, lane->format, name, d, inlined && starts_with_zero(w, lane));
    if (p->longer > 0 && lane->run > 1 && accordi_is_small(w->shapes, w->plans, p->shape))
        put_vector_run(w, lane, place, d, name, 1);
    else
        put_vector(w, p->shape, place, d, name, lane->format, p->longer > 0);
    if (p->longer > 0)
        put_longer(w, p, place, d, name);
}

/* Alone the value comes back as text; among other lanes it goes to target[…]. */
static accordi_value put_lanes(accordi_writer *w, const accordi_lanes_plan *p,
                               const accordi_emit_place *place, const dims *outer,
                               const char *target)
{
    bool nested = p->interleaved && w->plans->of[p->shape].lanes &&
                  !accordi_is_small(w->shapes, w->plans, p->shape);
    char name[32];
    int number = nested ? ++w->folds : ++w->lanes;
    snprintf(name, sizeof name, number > 1 ? "%s%d" : "%s", nested ? "fold" : "lane", number);
    dims d = *outer;
    accordi_emit_place at = *place;
    accordi_place_add(&at, lane_name[d.count], p->stride);
    d.lanes[d.count++] = p->count;
    put_filled(w, p, &at, &d, name);
    bool spelled = is_spelled(w, p);
    accordi_buffer rest = {0};
    put_element("", outer, &rest);
    accordi_value value = {0};
    if (spelled) {
        value = spell_fold(w, p, name, outer);
    } else {
        put_fold(w, p, name, outer);
        value = accordi_named(p->format, "%s[0]%s", name, rest.data ? rest.data : "");
    }
    value.no_minus = p->interleaved && starts_with_zero(w, &w->shapes->shape[p->shape]);
    w->out->failed |= rest.failed;
    accordi_buffer_clear(&rest);
    if (!target)
        return value;
    int indent = w->indent;
    accordi_buffer element = {0};
    open_loops(w, outer);
    put_element(target, outer, &element);
    put_set(w, element.data ? element.data : "", p->format, &value);
    w->out->failed |= element.failed;
    accordi_buffer_clear(&element);
    w->indent = indent;
    return value;
}

/* ---- one value ---- */

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
    int acc = s->start_at != 0; /* the child that the chain goes on in */
    accordi_emit_place start_at = accordi_place_at(place, s->start_at);
    accordi_emit_place item_at = accordi_place_at(place, s->last_at);
    accordi_value a = put_value(w, s->start, &start_at);
    accordi_value b = put_value(w, s->item, &item_at);
    bool plain = !s->scaled[0] && !s->scaled[1] && !s->stored;
    if (!a.fresh || a.format != s->sum || !plain) {
        accordi_value item[2] = {acc ? b : a, acc ? a : b};
        return accordi_node_sum(w, s, item);
    }
    a.no_minus = a.no_minus || b.no_minus;
    accordi_put_add(w, accordi_text(w, &a), s->format, &b);
    return a;
}

static accordi_value put_run(accordi_writer *w, const accordi_shape *s,
                             const accordi_emit_place *place)
{
    accordi_emit_place start_at = accordi_place_at(place, s->start_at), at = *place;
    accordi_shape whole = *s;
    uint32_t first = 0;
    accordi_value sum;
    if (starts_with_zero(w, s)) {
        sum = accordi_named(s->format, "0");
        sum.no_minus = s->run > 0;
        whole.run++;
    } else {
        sum = put_value(w, s->start, &start_at);
    }
    if (starts_with_two(w->shapes, s)) {
        accordi_emit_place one =
            accordi_place_at(place, s->last_at - (int64_t)(s->run - 1) * s->stride);
        accordi_value item = accordi_operand(w, s->item, &one);
        sum = accordi_sum(w, s->format, &sum, &item);
        first = 1;
    }
    if (!sum.fresh || sum.format != s->format)
        sum = new_sum(w, s->format, &sum);
    int indent = w->indent;
    if (whole.run - first > 1)
        open_run(w, &whole, first, whole.run - 1, &at);
    else
        at = accordi_place_at(place, s->last_at);
    accordi_value item = accordi_operand(w, s->item, &at);
    accordi_put_add(w, accordi_text(w, &sum), s->format, &item);
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
        return put_lanes(w, w->plans->of[shape].lanes, place, &(dims){0}, NULL);
    return s->run == 1 ? put_pair(w, s, place) : put_run(w, s, place);
}

static accordi_value put_value(accordi_writer *w, uint32_t shape, const accordi_emit_place *place)
{
    return is_operand(w, shape) ? accordi_operand(w, shape, place) : put_body(w, shape, place);
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
