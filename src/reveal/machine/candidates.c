/* Candidates: the machines that explain all answers so far.
 *
 * Each answer drops those that predicted another
 * one; questions are chosen on which the remaining ones differ. Machines that remain when no such
 * question is found cannot be distinguished through the target. */
#include "reveal/machine/candidates.h"

/* Far more than any machine needs; each takes 100 bytes, and a look at every answer. */
enum { MOST_MACHINES = 1 << 21 };

/* Blocks are of several products, products that share scales are whole blocks, and steps can be
 * simulated. */
static bool sound_block(const accord_fused *machine)
{
    int block = machine->block;
    return block == 0 || (block > 1 && machine->scale_block % block == 0 &&
                          machine->fraction <= ACCORDI_FUSED_BLOCK_FRACTION);
}

bool accordi_space_add(accordi_space *space, const accord_fused *machine)
{
    if (!sound_block(machine))
        return true;
    if (space->machines >= MOST_MACHINES) {
        accordi_ask_unable(space->asker, ACCORD_REASON_NOT_PLAIN,
                           "more than %d sets of parameters of a fused sum explain what was asked "
                           "of this target, too many to tell apart",
                           MOST_MACHINES);
        return false;
    }
    if (!accordi_ask_grow(space->asker, (void **)&space->machine, &space->machine_capacity,
                          space->machines + 1, sizeof *space->machine))
        return false;
    space->machine[space->machines++] = *machine;
    return true;
}

static bool explains_one(accordi_space *space, const accord_fused *machine, size_t q)
{
    const accordi_question *question = &space->question[q];
    return accordi_same(space, accordi_space_simulate(space, machine, question), question->answer);
}

/* Like machines are tried in turn, so what refuted the one before comes first. */
static bool explains_from(accordi_space *space, const accord_fused *machine, size_t from)
{
    size_t likely = space->refuter;
    if (likely >= from && likely < space->answered && !explains_one(space, machine, likely))
        return false;
    for (size_t q = space->answered; q-- > from;) /* the last ones tell most */
        if (!explains_one(space, machine, q)) {
            space->refuter = q;
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

enum { COMPARED = 8, MOST_COMPARED = 128, SHARE = 32, AT_ONCE = 16 };

/* Whether one of some machines all over the list answers otherwise than the first; others each
 * turn. */
static bool differs(accordi_space *space, const accordi_question *question, size_t turn)
{
    double first = accordi_space_simulate(space, &space->machine[0], question);
    size_t all = space->machines, count = all / SHARE;
    count = count < COMPARED ? COMPARED : count > MOST_COMPARED ? MOST_COMPARED : count;
    count = count < all ? count : all;
    for (size_t i = 0; i < count; i++) {
        const accord_fused *other = &space->machine[(turn + i * (all / count)) % all];
        if (!accordi_same(space, first, accordi_space_simulate(space, other, question)))
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

int accordi_compare_machines(const accord_fused *a, const accord_fused *b)
{
    int order = 0;
    for (int f = 0; f < ACCORDI_FEATURES && order == 0; f++)
        order = accordi_feature_value(a, (enum accordi_feature)f) -
                accordi_feature_value(b, (enum accordi_feature)f);
    return order;
}

static bool known(const accordi_space *space, const accord_fused *machine)
{
    for (size_t i = 0; i < space->machines; i++)
        if (accordi_compare_machines(&space->machine[i], machine) == 0)
            return true;
    return false;
}

int accordi_space_farthest(accordi_space *space, accord_fused machine, enum accordi_feature feature,
                           int to)
{
    int good = accordi_feature_value(&machine, feature), bad = to;
    accordi_feature_set(&machine, feature, to);
    if (accordi_space_explains(space, &machine))
        return to;
    while (abs(good - bad) > 1) {
        int middle = bad + (good - bad) / 2;
        accordi_feature_set(&machine, feature, middle);
        if (accordi_space_explains(space, &machine))
            good = middle;
        else
            bad = middle;
    }
    return good;
}

/* Adds a machine with another value if it is new and explains everything. */
static void try_value(accordi_space *space, accord_fused machine, enum accordi_feature feature,
                      int value, size_t *added)
{
    accordi_feature_set(&machine, feature, value);
    if (!sound_block(&machine) || known(space, &machine) ||
        !accordi_space_explains(space, &machine))
        return;
    *added += accordi_space_add(space, &machine);
}

enum accord_status accordi_space_widen(accordi_space *space, size_t *added)
{
    accord_fused base = space->machine[0];
    *added = 0;
    for (int f = 0; f < ACCORDI_FEATURES; f++) {
        enum accordi_feature feature = (enum accordi_feature)f;
        accordi_domain domain = accordi_feature_domain(space, &base, feature);
        if (!accordi_feature_applies(&base, feature))
            continue;
        if (feature == ACCORDI_FEATURE_LEAST_EXPONENT) {
            int ends[] = {domain.least, domain.most};
            for (int i = 0; i < 2; i++)
                try_value(space, base, feature,
                          accordi_space_farthest(space, base, feature, ends[i]), added);
            continue;
        }
        for (int v = domain.least; v <= domain.most; v++)
            try_value(space, base, feature, v, added);
    }
    return space->asker->status;
}

bool accordi_space_sound(const accord_fused *machine)
{
    return sound_block(machine) &&
           (machine->scheme != ACCORD_FUSED_THEN_C ||
            (machine->c_fraction >= 1 && machine->c_fraction <= machine->sum_fraction));
}

static void try_second(accordi_space *space, const accord_fused *base, int first)
{
    for (int f = first + 1; f < ACCORDI_FEATURES; f++) {
        enum accordi_feature feature = (enum accordi_feature)f;
        accordi_domain domain = accordi_feature_domain(space, base, feature);
        for (int v = domain.least; v <= domain.most; v++) {
            accord_fused other = *base;
            accordi_feature_set(&other, feature, v);
            if (accordi_feature_applies(base, feature) && accordi_space_sound(&other) &&
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
