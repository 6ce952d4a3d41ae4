/* The machines that explain what was asked so far. Each answer drops those that foretold another;
 * questions are chosen on which the remaining ones differ. What remains when no such question is
 * found cannot be told apart through the target. */
#include "reveal/features_space.h"

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
