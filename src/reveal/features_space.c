/* The machines that explain what was asked so far. Each answer drops those that foretold another;
 * questions are chosen on which the remaining ones differ. What remains when no such question is
 * found cannot be told apart through the target. */
#include "reveal/features_space.h"
#include <math.h>

static void measure_range(accordi_space *space)
{
    const accord_target *target = space->asker->target;
    const accord_format_info *row = accord_format_get(target->format);
    const accord_format_info *out = accord_format_get(target->output);
    int twice = space->products ? 2 : 1;
    space->top = twice * row->max_exponent;
    space->bottom = twice * row->min_exponent;
    space->grain = twice * (row->min_exponent - (row->precision - 1));
    int high = out->max_exponent - 8;
    space->high = space->top - 1 < high ? space->top - 1 : high;
    space->high = space->high > 100 ? 100 : space->high; /* products stay below 2^128 */
}

enum accord_status accordi_space_init(accordi_space *space, accordi_asker *asker,
                                      const accordi_steps *steps)
{
    *space = (accordi_space){.asker = asker, .steps = steps};
    space->products = asker->target->term == ACCORD_TERM_PRODUCT;
    space->result = asker->target->output;
    measure_range(space);
    size_t used = steps->terms == 1 ? ACCORDI_TAIL : 3, last = steps->count - 1;
    space->first = steps->count > used ? steps->count - used : 0;
    size_t held = steps->n - last * steps->terms;
    bool enough = last == 0 || held == steps->terms || held >= 8;
    space->test = enough ? last : last - 1;
    space->has_c = space->test > 0;
    return asker->status;
}

void accordi_space_clear(accordi_space *space)
{
    free(space->machine);
    free(space->question);
    space->machine = NULL;
    space->question = NULL;
}

accordi_question *accordi_question_new(accordi_space *space)
{
    if (space->questions == space->question_capacity) {
        size_t larger = 2 * space->question_capacity + 64;
        accordi_question *grown = realloc(space->question, larger * sizeof *grown);
        if (!grown) {
            space->asker->status = accordi_nomem(space->asker->error);
            return NULL;
        }
        space->question = grown;
        space->question_capacity = larger;
    }
    accordi_question *question = &space->question[space->questions++];
    question->entries = 0;
    return question;
}

/* Rows of a dense batch, in the storage of the target. */
typedef struct rows {
    void *x, *y;
    bool f32;
} rows;

static void set(void *row, bool f32, size_t at, double x)
{
    if (f32)
        ((float *)row)[at] = (float)x;
    else
        ((double *)row)[at] = x;
}

static void fill_row(const accordi_space *space, const rows *r, size_t row,
                     const accordi_question *question)
{
    size_t n = space->steps->n;
    for (size_t i = 0; i < n; i++) {
        set(r->x, r->f32, row * n + i, 0);
        if (r->y)
            set(r->y, r->f32, row * n + i, 1);
    }
    for (size_t e = 0; e < question->entries; e++) {
        const accordi_entry *entry = &question->entry[e];
        size_t at = row * n + space->steps->leaf[entry->place];
        set(r->x, r->f32, at, entry->a);
        if (r->y)
            set(r->y, r->f32, at, entry->b);
    }
}

static enum accord_status ask_rows(accordi_space *space, const rows *r, size_t count)
{
    accordi_asker *asker = space->asker;
    double result[64];
    for (size_t i = 0; i < count; i++)
        fill_row(space, r, i, &space->question[space->answered + i]);
    accord_batch batch = {.probes = count, .dense = r->x, .dense_second = r->y};
    asker->status = accord_target_run(asker->target, &batch, result, asker->error);
    for (size_t i = 0; i < count && !asker->status; i++)
        space->question[space->answered + i].answer = result[i];
    space->answered += count;
    return asker->status;
}

enum accord_status accordi_space_ask(accordi_space *space)
{
    accordi_asker *asker = space->asker;
    size_t n = space->steps->n, most = ((size_t)1 << 21) / n;
    most = most > 64 ? 64 : most < 1 ? 1 : most;
    rows r = {.f32 = asker->target->storage_f32};
    size_t size = r.f32 ? sizeof(float) : sizeof(double);
    r.x = accordi_alloc(most * n, size);
    r.y = space->products ? accordi_alloc(most * n, size) : NULL;
    if (!r.x || (space->products && !r.y))
        asker->status = accordi_nomem(asker->error);
    while (!asker->status && space->answered < space->questions && accordi_ask_goes_on(asker)) {
        size_t left = space->questions - space->answered;
        ask_rows(space, &r, left < most ? left : most);
    }
    free(r.x);
    free(r.y);
    return asker->status;
}

double accordi_space_simulate(accordi_space *space, const accord_fused *machine,
                              const accordi_question *question)
{
    size_t terms = space->steps->terms, e = 0;
    double a[ACCORDI_FUSED_MOST], b[ACCORDI_FUSED_MOST], c = 0;
    space->simulations++;
    for (size_t step = space->first; step < space->steps->count; step++) {
        size_t count = 0;
        for (; e < question->entries && question->entry[e].place / terms == step; e++) {
            size_t slot = question->entry[e].place % terms;
            for (; count < slot; count++)
                a[count] = b[count] = 0;
            a[count] = question->entry[e].a;
            b[count++] = question->entry[e].b;
        }
        if (count || c != 0)
            accord_fused_step(machine, count, a, b, NULL, NULL, c, &c, NULL);
    }
    return accord_format_round(space->result, ACCORD_NEAREST_EVEN, c);
}

/* ---- machines ---- */

bool accordi_space_add(accordi_space *space, const accord_fused *machine)
{
    if (space->machines == space->machine_capacity) {
        size_t larger = 2 * space->machine_capacity + 256;
        accord_fused *grown = realloc(space->machine, larger * sizeof *grown);
        if (!grown) {
            space->asker->status = accordi_nomem(space->asker->error);
            return false;
        }
        space->machine = grown;
        space->machine_capacity = larger;
    }
    space->machine[space->machines++] = *machine;
    return true;
}

static bool explains_from(accordi_space *space, const accord_fused *machine, size_t from)
{
    for (size_t q = space->answered; q-- > from;) { /* the last ones tell most */
        const accordi_question *question = &space->question[q];
        if (!accordi_same(accordi_space_simulate(space, machine, question), question->answer))
            return false;
    }
    return true;
}

bool accordi_space_explains(accordi_space *space, const accord_fused *machine)
{
    return explains_from(space, machine, 0);
}

void accordi_space_filter(accordi_space *space, size_t from)
{
    size_t kept = 0;
    for (size_t i = 0; i < space->machines; i++)
        if (explains_from(space, &space->machine[i], from))
            space->machine[kept++] = space->machine[i];
    space->machines = kept;
}

enum accord_status accordi_space_sift(accordi_space *space, const accordi_regime *regime,
                                      size_t count)
{
    size_t from = space->questions;
    for (size_t i = 0; i < count; i++) {
        accordi_question *question = accordi_question_new(space);
        if (!question)
            return space->asker->status;
        accordi_question_draw(space, regime, question);
    }
    if (accordi_space_ask(space) == ACCORD_OK)
        accordi_space_filter(space, from);
    return space->asker->status;
}

enum { COMPARED = 8, AT_ONCE = 16 };

/* Whether one of COMPARED machines answers otherwise than the first; others each turn. */
static bool differs(accordi_space *space, const accordi_question *question, size_t turn)
{
    double first = accordi_space_simulate(space, &space->machine[0], question);
    for (size_t i = 0; i < COMPARED && i < space->machines; i++) {
        const accord_fused *other = &space->machine[(turn * COMPARED + i) % space->machines];
        if (!accordi_same(first, accordi_space_simulate(space, other, question)))
            return true;
    }
    return false;
}

enum accord_status accordi_space_tell_apart(accordi_space *space, const accordi_regime *only,
                                            size_t draws)
{
    size_t from = space->questions, waiting = 0;
    for (size_t i = 0; i < draws && space->machines > 1; i++) {
        accordi_regime regime = only ? *only : accordi_regime_any(space, i);
        accordi_question drawn;
        accordi_question_draw(space, &regime, &drawn);
        if (differs(space, &drawn, i / ACCORDI_REGIMES)) {
            accordi_question *question = accordi_question_new(space);
            if (!question)
                return space->asker->status;
            *question = drawn;
            waiting++;
        }
        if (waiting == AT_ONCE || (waiting && i + 1 == draws)) {
            if (accordi_space_ask(space) != ACCORD_OK)
                return space->asker->status;
            accordi_space_filter(space, from);
            from = space->questions;
            waiting = 0;
            i = i < draws / 2 ? i : draws / 2; /* there may be more to find */
        }
    }
    return space->asker->status;
}

static bool known(const accordi_space *space, const accord_fused *machine)
{
    for (size_t i = 0; i < space->machines; i++) {
        bool equal = true;
        for (int f = 0; f < ACCORDI_FEATURES && equal; f++)
            equal = accordi_feature_value(&space->machine[i], (enum accordi_feature)f) ==
                    accordi_feature_value(machine, (enum accordi_feature)f);
        if (equal)
            return true;
    }
    return false;
}

enum accord_status accordi_space_widen(accordi_space *space, size_t *added)
{
    accord_fused base = space->machine[0];
    *added = 0;
    for (int f = 0; f < ACCORDI_FEATURES; f++) {
        enum accordi_feature feature = (enum accordi_feature)f;
        accordi_domain domain = accordi_feature_domain(space, &base, feature);
        for (int v = domain.least; v <= domain.most; v++) {
            accord_fused other = base;
            accordi_feature_set(&other, feature, v);
            if (!accordi_feature_applies(&base, feature) || known(space, &other) ||
                !accordi_space_explains(space, &other))
                continue;
            if (!accordi_space_add(space, &other))
                return space->asker->status;
            ++*added;
        }
    }
    return space->asker->status;
}

/* Whether what is cut later is cut no finer than before, as accord_fused has it. */
static bool sound(const accord_fused *machine)
{
    return machine->scheme != ACCORD_FUSED_THEN_C ||
           (machine->c_fraction >= 1 && machine->c_fraction <= machine->sum_fraction);
}

static void try_second(accordi_space *space, const accord_fused *base, int first)
{
    for (int f = first + 1; f < ACCORDI_FEATURES; f++) {
        enum accordi_feature feature = (enum accordi_feature)f;
        accordi_domain domain = accordi_feature_domain(space, base, feature);
        for (int v = domain.least; v <= domain.most; v++) {
            accord_fused other = *base;
            accordi_feature_set(&other, feature, v);
            if (accordi_feature_applies(base, feature) && sound(&other) &&
                accordi_space_explains(space, &other) && !accordi_space_add(space, &other))
                return;
        }
    }
}

enum accord_status accordi_space_repair(accordi_space *space, const accord_fused *base)
{
    for (int f = 0; f < ACCORDI_FEATURES && !space->asker->status; f++) {
        enum accordi_feature feature = (enum accordi_feature)f;
        accordi_domain domain = accordi_feature_domain(space, base, feature);
        for (int v = domain.least; v <= domain.most && space->machines < 64; v++) {
            accord_fused other = *base;
            accordi_feature_set(&other, feature, v);
            if (accordi_feature_applies(base, feature))
                try_second(space, &other, f);
        }
    }
    return space->asker->status;
}
