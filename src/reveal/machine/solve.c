/* Runs the stages that find the parameters of a machine, one after the other. */
#include "reveal/machine/candidates.h"
#include <limits.h>
#include <math.h>

enum { SIFT = 96, STARTS = 64, BASES = 4, ROUNDS = 12, PARTINGS = 8 };

static accord_fused blank_machine(const accordi_space *space)
{
    return (accord_fused){
        .input = space->asker->target->format,
        .output = space->result,
        .scheme = space->steps->scheme,
        .terms = (int)space->steps->terms,
        .scale_block = (int)space->share,
        .scale = space->share ? space->scale : ACCORD_F64,
    };
}

/* `each` questions of so many regimes. */
static enum accord_status sift_regimes(accordi_space *space, size_t regimes, size_t each)
{
    enum accord_status status = space->asker->status;
    for (size_t which = 0; which < regimes && space->machines > 0 && !status; which++) {
        accordi_regime regime = accordi_regime_any(space, which);
        status = accordi_space_sift(space, &regime, each);
    }
    return status;
}

/* Where answers contradict everything, two parameters were wrong together: machines near the best
 * ones are tried. */
static enum accord_status repair_machine(accordi_space *space, const accord_fused *best,
                                         size_t bases)
{
    for (size_t i = 0; i < bases && space->machines == 0 && !space->asker->status; i++)
        accordi_space_repair(space, &best[i]);
    return space->asker->status;
}

static size_t copy_best(const accordi_space *space, accord_fused best[BASES])
{
    size_t bases = space->machines < BASES ? space->machines : BASES;
    memcpy(best, space->machine, bases * sizeof *best);
    return bases;
}

static bool same_but_for_least(accord_fused a, const accord_fused *b)
{
    a.least_exponent = b->least_exponent;
    return accordi_compare_machines(&a, b) == 0;
}

/* Of machines that were dropped only the ends of an interval of least exponents were held: another
 * one may explain the answers yet. */
static void revive_machines(accordi_space *space, const accord_fused *held, size_t count)
{
    for (size_t i = 0; i < count && !space->asker->status; i++) {
        bool there = !accordi_feature_applies(&held[i], ACCORDI_FEATURE_LEAST_EXPONENT);
        for (size_t k = 0; k < space->machines && !there; k++)
            there = same_but_for_least(space->machine[k], &held[i]);
        if (!there)
            accordi_space_add_leasts(space, held[i]);
    }
}

/* Asks what may tell the machines that are left apart. */
static enum accord_status ask_more(accordi_space *space)
{
    size_t count = space->machines;
    accord_fused *held = accordi_ask_alloc(space->asker, count, sizeof *held);
    if (!held)
        return space->asker->status;
    memcpy(held, space->machine, count * sizeof *held);
    if (accordi_space_tell_apart(space, NULL, 4000) == ACCORD_OK &&
        sift_regimes(space, ACCORDI_REGIMES, SIFT / 2) == ACCORD_OK)
        revive_machines(space, held, count);
    free(held);
    return space->asker->status;
}

/* Varies every parameter once more and looks for questions that tell the rest apart, until
 * nothing changes twice. */
static enum accord_status finish_solving(accordi_space *space)
{
    int quiet = 0;
    accordi_space_filter(space, 0);
    for (int round = 0; round < ROUNDS && quiet < 2 && space->machines > 0; round++) {
        accord_fused best[BASES];
        size_t bases = copy_best(space, best), added = 0;
        if (accordi_space_widen(space, &added) != ACCORD_OK)
            return space->asker->status;
        size_t before = space->machines;
        if (ask_more(space) != ACCORD_OK)
            return space->asker->status;
        bool same = added == 0 && space->machines == before;
        if (repair_machine(space, best, bases) != ACCORD_OK)
            return space->asker->status;
        quiet = same ? quiet + 1 : 0;
    }
    return space->asker->status;
}

/* The stages after that of products. */
static enum accord_status from_products(accordi_space *space)
{
    static enum accord_status (*const stages[])(accordi_space *) = {
        accordi_stage_c, accordi_stage_ends, finish_solving};
    enum accord_status status = space->asker->status;
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        if (status == ACCORD_OK && space->machines > 0)
            status = stages[i](space);
    return status;
}

/* What stops at the greatest number on both sides may do so because it rounds toward zero. */
static enum accord_fused_overflow overflow_of(const accord_fused *machine, const double seen[2])
{
    bool stops[] = {isfinite(seen[0]), isfinite(seen[1])};
    if (!stops[0] && !stops[1])
        return ACCORD_OVERFLOW_INFINITE;
    bool one = stops[0] != stops[1], zero = machine->rounding == ACCORD_TOWARD_ZERO;
    return one || zero ? ACCORD_OVERFLOW_ROUNDED : ACCORD_OVERFLOW_GREATEST;
}

/* Of one or two products a step. */
static enum accord_status from_pairs(accordi_space *space, const accord_fused *base)
{
    double seen[2];
    if (accordi_stage_pair(space, base) != ACCORD_OK)
        return space->asker->status;
    accordi_measure_overflow(space, seen);
    for (size_t i = 0; i < space->machines; i++)
        space->machine[i].overflow = overflow_of(&space->machine[i], seen);
    return from_products(space);
}

/* From each way to round results in turn; space->capped may be set though more was seen. */
static enum accord_status from_all(accordi_space *space, const accord_fused *base)
{
    if (accordi_stage_result(space, base) != ACCORD_OK)
        return space->asker->status;
    accord_fused starts[STARTS];
    size_t count = space->machines < STARTS ? space->machines : STARTS;
    memcpy(starts, space->machine, count * sizeof *starts);
    double seen[2];
    accordi_measure_overflow(space, seen);
    for (size_t i = 0; i < count; i++) {
        starts[i].overflow = overflow_of(&starts[i], seen);
        enum accord_status status = accordi_stage_products(space, &starts[i]);
        if (status == ACCORD_OK)
            status = from_products(space);
        if (status != ACCORD_OK || space->machines > 0)
            return status;
    }
    return ACCORD_OK;
}

/* The same with blocks of exact products or without, as it was seen, or else as explains the
 * answers. */
static enum accord_status from_blocks(accordi_space *space, accord_fused base, int floor)
{
    int seen = space->share ? accordi_measure_blocks(space, floor) : 0;
    int kept = space->kept;
    bool leading = base.leading, capped = space->capped;
    enum accord_status status = space->asker->status;
    for (int blocks = 1; blocks >= 0 && status == ACCORD_OK; blocks--) {
        base.block = blocks ? (int)space->share : 0;
        base.leading = leading && !blocks; /* blocks are aligned by their scales alone */
        if (blocks && seen != 0 && space->places <= space->share) {
            /* products of one block, which are added exactly, show nothing beside each other */
            space->kept = accordi_measure_below_scales(space, floor, &space->capped);
            base.fraction = space->kept;
        }
        if (seen < 0 || seen == blocks)
            status = from_all(space, &base);
        if (space->machines > 0)
            break;
        space->kept = base.fraction = kept;
        space->capped = capped;
    }
    return status;
}

/* Where results are subnormal they may have fewer bits than was thought when `kept` was measured:
 * then it only is a least value. */
static enum accord_status solve_aligned(accordi_space *space)
{
    accord_fused base = blank_machine(space);
    base.scheme = ACCORD_FUSED_WITH_C;
    base.flush = accordi_measure_flush(space);
    base.positive_zero = accordi_measure_positive_zero(space);
    base.infinite_products = accordi_measure_infinite_products(space);
    if (space->share && base.flush) {
        space->lowest += space->element_bottom - space->element_grain;
        space->element_grain = space->element_bottom;
    }
    int floor = accordi_measure_floor(space, base.flush);
    base.zeros = accordi_measure_zeros(space, floor);
    space->kept = accordi_measure_kept(space, false, floor, &space->capped);
    bool exact = space->kept >= 0;
    if (!exact)
        space->kept = accordi_measure_pair(space, floor, &space->capped);
    base.fraction = space->kept;
    base.leading = exact && accordi_measure_leading(space, floor);
    base.least_exponent = accordi_measure_least(space, base.flush);
    int cut = base.least_exponent - space->kept; /* a lone product below that never becomes c */
    space->c_kept = accordi_measure_kept(space, true, cut > floor ? cut : floor, &space->c_capped);
    if (!exact)
        return from_pairs(space, &base);
    enum accord_status status = from_blocks(space, base, floor);
    const accord_format_info *out = accord_format_get(space->result);
    if (status != ACCORD_OK || space->machines > 0 || space->capped ||
        space->kept < space->high - out->min_exponent)
        return status;
    space->capped = true;
    return from_blocks(space, base, floor);
}

/* Chains of multiply-adds, pairwise sums: no parameters but these. */
static enum accord_status add_flushing(accordi_space *space)
{
    size_t before = space->machines;
    for (size_t i = 0; i < before; i++) {
        accord_fused machine = space->machine[i];
        machine.flush = true;
        if (!accordi_space_add(space, &machine))
            break;
        machine.flush_tiny = true;
        if (accordi_feature_applies(&machine, ACCORDI_FEATURE_FLUSH_TINY) &&
            !accordi_space_add(space, &machine))
            break;
    }
    return space->asker->status;
}

static enum accord_status solve_rounded(accordi_space *space)
{
    accord_fused base = blank_machine(space);
    space->kept = space->c_kept = accord_format_get(space->result)->precision;
    if (accordi_stage_start(space, &base) != ACCORD_OK || add_flushing(space) != ACCORD_OK ||
        accordi_ask_just_below(space) != ACCORD_OK)
        return space->asker->status;
    if (sift_regimes(space, 2 * ACCORDI_REGIMES, SIFT) != ACCORD_OK)
        return space->asker->status;
    return space->machines ? finish_solving(space) : ACCORD_OK;
}

bool accordi_space_holds(const accord_fused *machine, enum accordi_feature *feature)
{
    static const enum accordi_feature roundings[] = {
        ACCORDI_FEATURE_ALIGNMENT, ACCORDI_FEATURE_JOIN, ACCORDI_FEATURE_ROUNDING};
    for (size_t i = 0; i < sizeof roundings / sizeof *roundings; i++)
        if (accordi_feature_applies(machine, roundings[i]) &&
            accordi_feature_value(machine, roundings[i]) >= ACCORD_ROUNDING_COUNT) {
            *feature = roundings[i];
            return false;
        }
    return true;
}

/* Where machines that models can have explain everything, the others are of no interest. */
static void drop_beyond(accordi_space *space)
{
    enum accordi_feature feature;
    size_t kept = 0;
    for (size_t i = 0; i < space->machines; i++)
        if (accordi_space_holds(&space->machine[i], &feature))
            space->machine[kept++] = space->machine[i];
    space->machines = kept ? kept : space->machines;
}

/* Puts the machine first that comes first by its features, in their order. */
static void choose_first(accordi_space *space)
{
    for (size_t i = 1; i < space->machines; i++) {
        accord_fused *best = &space->machine[0], *other = &space->machine[i];
        if (accordi_compare_machines(other, best) < 0) {
            accord_fused kept = *best;
            *best = *other;
            *other = kept;
        }
    }
}

/* The machine that will be reported, and all possible machines that differ from it in one
 * feature. */
static enum accord_status settle_rivals(accordi_space *space)
{
    size_t added = 1;
    for (int round = 0; round < 4 && added > 0 && !space->asker->status; round++) {
        drop_beyond(space);
        choose_first(space);
        accordi_space_widen(space, &added);
    }
    drop_beyond(space);
    choose_first(space);
    return space->asker->status;
}

/* Settles which machine is reported, and distinguishes it from its rivals, until none is
 * dropped. */
static enum accord_status decide_machine(accordi_space *space)
{
    for (int i = 0; i < PARTINGS && settle_rivals(space) == ACCORD_OK; i++) {
        accord_fused best[BASES];
        size_t bases = copy_best(space, best), asked = space->questions;
        if (accordi_space_part_rivals(space) != ACCORD_OK || space->questions == asked)
            break;
        if (repair_machine(space, best, bases) != ACCORD_OK)
            break;
        if (space->machines == 0) {
            accordi_space_add(space, &best[0]); /* for the record */
            return accordi_unable(
                space->asker->error, ACCORD_REASON_NOT_PLAIN,
                "the parameters that were found do not describe the whole arithmetic: inputs that "
                "distinguish them from other parameters contradict all candidates");
        }
    }
    return space->asker->status;
}

enum accord_status accordi_space_refine(accordi_space *space)
{
    accord_fused best[BASES];
    size_t bases = copy_best(space, best);
    accordi_space_filter(space, 0);
    if (repair_machine(space, best, bases) != ACCORD_OK)
        return space->asker->status;
    if (space->machines > 0 && finish_solving(space) != ACCORD_OK)
        return space->asker->status;
    if (space->machines == 0) { /* nothing near: as it was, for the record */
        accordi_space_add(space, &best[0]);
        return space->asker->status ? space->asker->status : ACCORD_UNABLE;
    }
    return decide_machine(space);
}

/* With an input that contradicts what explained all before it. */
static enum accord_status refuse(accordi_space *space)
{
    static const char *const schemes[] = {
        [ACCORD_FUSED_CHAIN] = "a chain of multiply-adds",
        [ACCORD_FUSED_PAIRWISE] = "pairwise sums",
        [ACCORD_FUSED_WITH_C] = "a fused sum that includes c",
        [ACCORD_FUSED_THEN_C] = "a fused sum with one alignment",
        [ACCORD_FUSED_LAST_FIRST] = "a chain from the last product to the first",
        [ACCORD_FUSED_EVEN_ODD] = "chains of even and of odd products"};
    const accordi_question *q = &space->question[space->refuter];
    int least = INT_MAX, most = INT_MIN; /* exponents: products of f64 may leave its range */
    for (size_t e = 0; e < q->entries; e++) {
        if (q->entry[e].a == 0 || q->entry[e].b == 0)
            continue;
        int exponent = ilogb(q->entry[e].a) + ilogb(q->entry[e].b);
        least = exponent < least ? exponent : least;
        most = exponent > most ? exponent : most;
    }
    return accordi_ask_unable(
        space->asker, ACCORD_REASON_NOT_PLAIN,
        "no parameters of %s explain all results: the last that explained the others were "
        "contradicted by a sum of %zu terms of magnitudes from about 2^%d to 2^%d, which gives "
        "%.9g (%zu probes)",
        schemes[space->steps->scheme], q->entries, least, most, q->answer, space->questions);
}

/* The first step alone was tested, since the second one, which is the last, is short: no c has been
 * asked about yet. */
static enum accord_status decide_c(accordi_space *space)
{
    accord_fused best[BASES];
    size_t bases = copy_best(space, best);
    accordi_space_test(space, space->steps->count - 1);
    space->c_kept = space->kept;
    if (sift_regimes(space, 2 * ACCORDI_REGIMES, SIFT) != ACCORD_OK ||
        repair_machine(space, best, bases) != ACCORD_OK)
        return space->asker->status;
    return space->machines ? decide_machine(space) : refuse(space);
}

enum accord_status accordi_space_solve(accordi_space *space)
{
    bool aligned = space->steps->scheme == ACCORD_FUSED_THEN_C;
    enum accord_status status = (aligned ? solve_aligned : solve_rounded)(space);
    if (status == ACCORD_OK)
        status = space->machines ? decide_machine(space) : refuse(space);
    bool without_c = !space->has_c && space->steps->count > 1;
    return status == ACCORD_OK && without_c ? decide_c(space) : status;
}
