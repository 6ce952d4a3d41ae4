/* Several lanes at once: arrays that are filled in loops, and folded.
 *
 * Invariant: put_vector leaves the values of all lanes (a place with a variable for each dimension)
 * in the array it was given. The loop over terms stands outside, those over lanes inside, as in the
 * vector code that such orders come from. It recurs on plans, of which there are few. */
#include "model/emit/emit.h"

/* Lanes of lanes: the first dimension varies fastest and comes last in the brackets. */
typedef struct dims {
    int count;
    uint32_t lanes[6];
} dims;

enum { NAME = 32, ELEMENT = NAME + 6 * 3 };

static const char *const lane_name[] = {"l", "j", "i", "h", "g", "f"};

static accordi_value put_lanes(accordi_writer *w, const accordi_lanes_plan *plan,
                               const accordi_emit_place *place, const dims *outer,
                               const char *target);

/* "name[j][l]" */
static const char *element_of(const char *name, const dims *d, char text[ELEMENT])
{
    int length = snprintf(text, ELEMENT, "%s", name);
    for (int i = d->count - 1; i >= 0; i--)
        length += snprintf(text + length, ELEMENT - (size_t)length, "[%s]", lane_name[i]);
    return text;
}

static void open_loops(accordi_writer *w, const dims *d)
{
    for (int i = d->count - 1; i >= 0; i--) {
        const char *l = lane_name[i];
        accordi_line(w, "for (%s %s = 0; %s < %u; %s++)", w->index, l, l, d->lanes[i], l);
        w->indent++;
    }
}

/* "name[l] = value" for all lanes; clears the value. */
static void set_all(accordi_writer *w, const dims *d, const char *name, uint8_t format,
                    accordi_value *value)
{
    char element[ELEMENT];
    open_loops(w, d);
    *value = accordi_converted(format, value);
    accordi_line(w, "%s = %s;", element_of(name, d, element), accordi_text(w, value));
    w->indent -= d->count;
    accordi_value_clear(value);
}

/* "name[l] += item" for all lanes; clears the item. */
static void add_to_all(accordi_writer *w, const dims *d, const char *name, const accordi_shape *s,
                       accordi_value *item)
{
    char element[ELEMENT];
    open_loops(w, d);
    accordi_put_add(w, element_of(name, d, element), s, item);
    w->indent -= d->count;
}

static void declare(accordi_writer *w, uint8_t format, const char *name, const dims *d, bool zero)
{
    char sizes[6 * 11 + 1], open[7] = "{{{{{{", close[7] = "}}}}}}";
    int length = 0;
    for (int i = d->count - 1; i >= 0; i--)
        length += snprintf(sizes + length, sizeof sizes - (size_t)length, "[%u]", d->lanes[i]);
    open[d->count] = close[d->count] = '\0';
    accordi_line(w, zero ? "%s %s%s = %s0%s;" : "%s %s%s;", accordi_type(format), name, sizes, open,
                 close);
}

/* ---- chains ---- */

/* A chain that may as well start with zero: all its terms are alike, and the sign of a zero is
 * settled at the end. */
bool accordi_starts_with_zero(const accordi_writer *w, uint32_t shape)
{
    const accordi_shape *s = &w->shapes->shape[shape];
    if (!w->from_zero || s->run < 3 || !accordi_shape_plain(s) ||
        !accordi_shape_uniform(w->shapes, shape))
        return false;
    const accordi_shape *start = &w->shapes->shape[s->start], *item = &w->shapes->shape[s->item];
    if (start->kind == ACCORDI_START || item->kind == ACCORDI_START)
        return false;
    if (start->first == ACCORDI_FIRST_FMA)
        return item->kind == ACCORDI_EXACT && start->format == s->format;
    return start->kind == item->kind && start->format == item->format;
}

static void put_vector(accordi_writer *w, uint32_t shape, const accordi_emit_place *place,
                       const dims *d, const char *name, uint8_t format, uint32_t cut);

/* The values that a chain starts with; the number of items that this takes. */
static uint32_t put_vector_start(accordi_writer *w, const accordi_shape *s,
                                 const accordi_emit_place *place, const dims *d, const char *name)
{
    accordi_emit_place start_at = accordi_place_at(place, s->start_at);
    if (!accordi_starts_with_two(w->shapes, s)) {
        put_vector(w, s->start, &start_at, d, name, s->format, 0);
        return 0;
    }
    accordi_value sum = accordi_operand(w, s->start, &start_at);
    sum = accordi_first_added(w, s, place, &sum);
    set_all(w, d, name, s->format, &sum);
    return 1;
}

static void put_vector_run(accordi_writer *w, uint32_t shape, const accordi_emit_place *place,
                           const dims *d, const char *name, uint32_t cut)
{
    const accordi_shape *s = &w->shapes->shape[shape];
    int from = accordi_starts_with_zero(w, shape) /* the start is one more item */
                   ? -1
                   : (int)put_vector_start(w, s, place, d, name);
    int to = (int)(s->run - cut), indent = w->indent;
    if (from >= to)
        return;
    accordi_emit_place at = accordi_open_run(w, s, from, to, place);
    accordi_value item = accordi_operand(w, s->item, &at);
    add_to_all(w, d, name, s, &item);
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
            put_vector_run(w, shape, place, d, name, cut);
        else
            put_lanes(w, plan->lanes, place, d, name);
        return;
    }
    accordi_value value = accordi_operand(w, shape, place);
    set_all(w, d, name, format, &value);
}

/* ---- folds ---- */

/* The fold of few lanes, spelled out. */
static accordi_value spell_fold(accordi_writer *w, const accordi_lanes_plan *plan, const char *name,
                                const char *rest)
{
    accordi_value value[ACCORDI_FEW_LANES];
    for (uint32_t i = 0; i < plan->count; i++)
        value[i] = accordi_named(w->shapes->shape[plan->shape].format, "%s[%u]%s", name, i, rest);
    for (uint32_t i = 0; i + 1 < plan->count; i++)
        value[plan->onto[i]] =
            accordi_sum(w, plan->format, &value[plan->onto[i]], &value[plan->from[i]]);
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
                     const dims *outer, const char *rest)
{
    static const char *const onto[] = {"[%s]", "[%s]", "[0]", "[%s]", ""};
    static const char *const from[] = {"[%s + w]", "[%s + w]", "[%s]", "[%s + 1]", ""};
    const char *l = lane_name[outer->count];
    char a[32], b[32];
    int indent = w->indent;
    snprintf(a, sizeof a, onto[p->fold], l);
    snprintf(b, sizeof b, from[p->fold], l);
    open_fold(w, p, l);
    open_loops(w, outer);
    accordi_line(w, "%s%s%s += %s%s%s;", name, a, rest, name, b, rest);
    w->indent = indent;
}

/* The lanes that are one term longer take it at the end. */
static void put_longer(accordi_writer *w, const accordi_lanes_plan *p,
                       const accordi_emit_place *place, const dims *d, const char *name)
{
    const accordi_shape *s = &w->shapes->shape[p->shape];
    dims first = *d;
    first.lanes[d->count - 1] = p->longer;
    accordi_emit_place at = accordi_place_at(place, accordi_item_at(s, s->run - 1));
    accordi_value item = accordi_operand(w, s->item, &at);
    add_to_all(w, &first, name, s, &item);
}

static bool is_spelled(const accordi_writer *w, const accordi_lanes_plan *p)
{
    return p->count <= 4 || p->fold == ACCORDI_FOLD_OTHER ||
           w->shapes->shape[p->shape].format != p->format;
}

/* Whether a loop over lanes fills them by more than an expression. */
static bool is_filled_inside(const accordi_writer *w, const accordi_lanes_plan *p)
{
    return p->interleaved && !accordi_is_small(w->shapes, w->plans, p->shape);
}

/* Fills the lanes; their array is `name`, or, of lanes of lanes, what the fold of these leaves, to
 * which the name is then changed. */
static void put_filled(accordi_writer *w, const accordi_lanes_plan *p,
                       const accordi_emit_place *place, const dims *d, char name[NAME])
{
    const accordi_lanes_plan *inner = w->plans->of[p->shape].lanes;
    bool inside = is_filled_inside(w, p);
    if (inside && inner && !is_spelled(w, inner)) {
        accordi_value value = put_lanes(w, inner, place, d, NULL);
        const char *text = accordi_text(w, &value);
        snprintf(name, NAME, "%.*s", (int)(strcspn(text, "]") + 1), text);
        accordi_value_clear(&value);
        return;
    }
    const accordi_shape *lane = &w->shapes->shape[p->shape];
    declare(w, lane->format, name, d, inside && !inner && accordi_starts_with_zero(w, p->shape));
    if (p->longer > 0 && lane->run > 1 && accordi_is_small(w->shapes, w->plans, p->shape))
        put_vector_run(w, p->shape, place, d, name, 1);
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
    bool nested = is_filled_inside(w, p) && w->plans->of[p->shape].lanes;
    char name[NAME], rest[ELEMENT];
    int number = nested ? ++w->folds : ++w->lanes;
    snprintf(name, sizeof name, number > 1 ? "%s%d" : "%s", nested ? "fold" : "lane", number);
    dims d = *outer;
    accordi_emit_place at = *place;
    accordi_place_add(&at, lane_name[d.count], p->stride);
    d.lanes[d.count++] = p->count;
    put_filled(w, p, &at, &d, name);
    element_of("", outer, rest);
    accordi_value value;
    if (is_spelled(w, p)) {
        value = spell_fold(w, p, name, rest);
    } else {
        put_fold(w, p, name, outer, rest);
        value = accordi_named(p->format, "%s[0]%s", name, rest);
    }
    value.no_minus = p->interleaved && accordi_starts_with_zero(w, p->shape);
    if (target)
        set_all(w, outer, target, p->format, &value);
    return value;
}

accordi_value accordi_put_lanes(accordi_writer *w, const accordi_lanes_plan *plan,
                                const accordi_emit_place *place)
{
    return put_lanes(w, plan, place, &(dims){0}, NULL);
}
