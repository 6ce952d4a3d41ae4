/* Rivals of the machine that was found: those that explain everything that was asked, and yet may
 * be told from it by an input that is rare.
 *
 * A rival differs in one parameter, or in two that make up for each other (a bit more, cut in
 * another direction). Random inputs need not meet what tells them apart; so for each rival inputs
 * are drawn until the two machines differ on one, and the target is asked exactly those. The
 * drawing costs no question. */
#include "reveal/machine/candidates.h"

enum {
    CHANGES = 640,
    RIVALS = 512,
    DRAWS = 40000,
    LEAST_DRAWS = 400,
    MOST_DRAWS = 2000,
    FEW = 3,
    SMALL = 2
};

typedef struct change {
    enum accordi_feature feature;
    int value;
} change;

/* Values near that of the machine; there are too many exponents to try each. That alignment stops
 * nowhere is tried, too: subnormal operands may make up for it. */
static accordi_domain near_domain(const accordi_space *space, const accord_fused *machine,
                                  enum accordi_feature feature)
{
    accordi_domain domain = accordi_feature_domain(space, machine, feature);
    int value = accordi_feature_value(machine, feature);
    if (feature == ACCORDI_FEATURE_LEAST_EXPONENT) {
        domain.least = domain.least < value - FEW ? value - FEW : domain.least;
        domain.most = domain.most > value + FEW ? value + FEW : domain.most;
    }
    return domain;
}

/* The changes of one parameter that the answers contradict, and of those that they do not, of
 * numbers small ones. */
static size_t list_changes(accordi_space *space, const accord_fused *machine, change *out)
{
    size_t count = 0;
    for (int f = 0; f < ACCORDI_FEATURES; f++) {
        enum accordi_feature feature = (enum accordi_feature)f;
        accordi_domain domain = near_domain(space, machine, feature);
        bool number = accordi_feature_get(feature)->parameter->kind == ACCORDI_NUMBER;
        int near = number ? SMALL : domain.most;
        if (!accordi_feature_applies(machine, feature))
            continue;
        for (int v = domain.least; v <= domain.most && count < CHANGES; v++) {
            accord_fused other = *machine;
            accordi_feature_set(&other, feature, v);
            int by = abs(v - accordi_feature_value(machine, feature));
            if (by > 0 && (by <= near || !accordi_space_explains(space, &other)))
                out[count++] = (change){feature, v};
        }
        if (feature == ACCORDI_FEATURE_LEAST_EXPONENT && count < CHANGES)
            out[count++] = (change){feature, accordi_feature_domain(space, machine, feature).least};
    }
    return count;
}

/* Adds those that differ in two parameters which make up for each other, or of which neither has
 * been told. */
static void add_coupled(accordi_space *space)
{
    change changes[CHANGES];
    const accord_fused machine = space->machine[0];
    size_t count = list_changes(space, &machine, changes);
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count && space->machines < RIVALS; k++) {
            accord_fused other = machine;
            accordi_feature_set(&other, changes[i].feature, changes[i].value);
            accordi_feature_set(&other, changes[k].feature, changes[k].value);
            if (changes[i].feature != changes[k].feature && accordi_space_sound(&other) &&
                accordi_space_explains(space, &other) && !accordi_space_add(space, &other))
                return;
        }
}

/* Dense inputs, inputs of every kind, those about the exponents where alignment stops, and those
 * about ties. */
static accordi_regime choose_regime(const accordi_space *space, size_t rival, size_t draw)
{
    int one = space->machine[0].least_exponent, other = space->machine[rival].least_exponent;
    int least = one > other ? one : other;
    accordi_regime dense = {.dense = true};
    accordi_regime near = {.low = least - 6, .high = least + space->kept + 6, .c = true};
    accordi_regime joint = {.joint = true, .safe_c = true};
    switch (draw % 5) {
    case 0:
        return dense;
    case 1:
        return near;
    case 2:
        return joint;
    default:
        return accordi_regime_any(space, draw / 2);
    }
}

/* Draws inputs until the first machine and the rival differ on FEW, which become questions. */
static bool seek(accordi_space *space, size_t rival, size_t draws)
{
    accordi_question drawn;
    int found = 0;
    for (size_t i = 0; i < draws && found < FEW; i++) {
        accordi_regime regime = choose_regime(space, rival, i);
        accordi_question_draw(space, &regime, &drawn);
        double first = accordi_space_simulate(space, &space->machine[0], &drawn);
        double other = accordi_space_simulate(space, &space->machine[rival], &drawn);
        if (accordi_same(space, first, other))
            continue;
        accordi_question *question = accordi_question_new(space);
        if (!question)
            return false;
        *question = drawn;
        found++;
    }
    return true;
}

/* Machines from `alone` on count only where no other is left. */
static void drop_contradicted(accordi_space *space, size_t from, size_t alone)
{
    accord_fused *all = space->machine;
    size_t count = space->machines;
    space->machines = alone;
    accordi_space_filter(space, from);
    if (space->machines > 0)
        return;
    memmove(all, all + alone, (count - alone) * sizeof *all);
    space->machines = count - alone;
    accordi_space_filter(space, from);
}

enum accord_status accordi_space_part_rivals(accordi_space *space)
{
    size_t from = space->questions, alone = space->machines;
    add_coupled(space);
    size_t draws = DRAWS / space->machines;
    draws = draws < LEAST_DRAWS ? LEAST_DRAWS : draws > MOST_DRAWS ? MOST_DRAWS : draws;
    for (size_t i = 1; i < space->machines && !space->asker->status; i++)
        if (!seek(space, i, draws))
            return space->asker->status;
    if (!space->asker->status && accordi_space_ask(space) == ACCORD_OK)
        drop_contradicted(space, from, alone);
    return space->asker->status;
}
