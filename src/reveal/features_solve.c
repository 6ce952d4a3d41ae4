/* From no knowledge to the machines that explain a target, in stages: each asks questions on which
 * only a few parameters matter, tries every value of those, and keeps what explains the answers.
 *
 *   measure   how many bits of a product, and of c, are kept beside larger terms that cancel;
 *             whether subnormal operands count; from where on the alignment stops
 *   result    sums that need no alignment: rounding, fraction and format of the result
 *   products  sums that are cut, without c: alignment, normalised, halves
 *   c         the same with c: scheme, the fractions, reach
 *   ends      tiny and huge sums: least exponent, infinite products
 *
 * Then each parameter is varied once more, alone, against all that was asked, and questions are
 * sought on which the machines that are left differ. */
#include "reveal/features_space.h"
#include <math.h>

enum {
    UNKNOWN = 40,
    SIFT = 96,
    SPREAD = 40,
    MOST_BITS = 64,
    STARTS = 12,
    ENDS = 64,
    BASES = 4,
    ROUNDS = 12
};

/* ---- measure ---- */

/* P and -P, and x far below them: one question for each distance and sign. */
static void ask_distance(accordi_space *space, int anchor, int below, bool of_c)
{
    for (int sign = 0; sign < 2; sign++) {
        accordi_question *q = accordi_question_new(space);
        if (!q)
            return;
        size_t test = space->test, third = space->steps->terms > 2 ? 2 : 1;
        bool two = space->steps->terms > 2 || of_c;
        accordi_question_put(space, q, test, 0, anchor, false, true);
        if (two)
            accordi_question_put(space, q, test, third, anchor, false, false);
        else
            accordi_question_put(space, q, test - 1, 0, anchor, false, false);
        size_t slot = of_c ? 0 : space->steps->terms > 4 ? 4 : 1;
        accordi_question_put(space, q, of_c ? test - 1 : test, slot, anchor - below, false,
                             sign == 1);
    }
}

/* The least exponent of a product that operands and results hold. */
static int floor_of(const accordi_space *space, bool flush)
{
    const accord_format_info *out = accord_format_get(space->result);
    int least = flush ? out->min_exponent : out->min_exponent - (out->precision - 1);
    int grain = flush ? space->bottom : space->grain;
    return grain > least ? grain : least;
}

/* The bits that are kept, or -1 where this cannot be asked. */
static int measure_kept(accordi_space *space, bool of_c, bool flush, bool *capped)
{
    size_t terms = space->steps->terms;
    int anchor = space->high, floor = floor_of(space, flush);
    bool can = terms > 2 || (terms == 2 && space->has_c);
    if (!can || (of_c && !space->has_c))
        return -1;
    size_t from = space->questions;
    for (int k = 1; anchor - k >= floor; k++)
        ask_distance(space, anchor, k, of_c);
    if (accordi_space_ask(space) != ACCORD_OK)
        return -1;
    int kept = 0;
    for (size_t q = from; q + 1 < space->questions; q += 2, kept++) {
        double due = ldexp(1, anchor - (kept + 1));
        if (space->question[q].answer != due || space->question[q + 1].answer != -due)
            break;
    }
    *capped = anchor - (kept + 1) < floor;
    return kept;
}

static bool measure_flush(accordi_space *space)
{
    const accord_format_info *row = accord_format_get(space->asker->target->format);
    accordi_question *q = accordi_question_new(space);
    if (!q)
        return false;
    accordi_question_put(space, q, space->test, 0, 0, false, false);
    q->entry[0].a = ldexp(1, row->min_exponent - 1);
    q->entry[0].b = space->products ? ldexp(1, 1 - row->min_exponent) : 1;
    if (q->entry[0].b > row->greatest)
        q->entry[0].b = ldexp(1, row->max_exponent);
    if (accordi_space_ask(space) != ACCORD_OK)
        return false;
    return space->question[space->questions - 1].answer == 0;
}

/* The exponent from which on alignment goes down no further, as far as results show it directly;
 * else one that makes no difference. */
static int measure_least(accordi_space *space, bool flush)
{
    int floor = floor_of(space, flush) + space->kept;
    if (space->steps->terms < 3 || space->kept < 1)
        return space->grain;
    size_t from = space->questions;
    for (int anchor = space->high; anchor >= floor; anchor--)
        ask_distance(space, anchor, space->kept, false);
    if (accordi_space_ask(space) != ACCORD_OK)
        return space->grain;
    int anchor = space->high;
    for (size_t q = from; q + 1 < space->questions; q += 2, anchor--) {
        double due = ldexp(1, anchor - space->kept);
        if (space->question[q].answer != due || space->question[q + 1].answer != -due)
            return anchor + 1;
    }
    return space->grain;
}

/* ---- stages ---- */

/* Sifts until nothing more is dropped. */
static enum accord_status sift(accordi_space *space, const accordi_regime *regime)
{
    size_t before;
    int quiet = 0;
    do {
        before = space->machines;
        if (accordi_space_sift(space, regime, SIFT) != ACCORD_OK)
            return space->asker->status;
        quiet = space->machines == before ? quiet + 1 : 0;
    } while (quiet < 2 && space->machines > 0);
    return ACCORD_OK;
}

static void drop_first(accordi_space *space, size_t count)
{
    memmove(space->machine, space->machine + count,
            (space->machines - count) * sizeof *space->machine);
    space->machines -= count;
}

/* Replaces the machines by all that come from them by giving a feature each of its values. */
static enum accord_status vary(accordi_space *space, enum accordi_feature feature, int least,
                               int most)
{
    size_t before = space->machines;
    for (size_t i = 0; i < before; i++)
        for (int v = least; v <= most; v++) {
            accord_fused machine = space->machine[i];
            accordi_feature_set(&machine, feature, v);
            if (!accordi_space_add(space, &machine))
                return space->asker->status;
        }
    drop_first(space, before);
    return ACCORD_OK;
}

static accord_fused blank(const accordi_space *space)
{
    return (accord_fused){
        .input = space->asker->target->format,
        .output = space->result,
        .scheme = space->steps->scheme,
        .terms = (int)space->steps->terms,
    };
}

/* Formats that the result of a step may have. */
static enum accord_status start(accordi_space *space, const accord_fused *base)
{
    static const enum accord_format others[] = {ACCORD_F32, ACCORD_F16};
    accord_fused machine = *base;
    accordi_space_add(space, &machine);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i] != space->result) {
            machine.output = others[i];
            accordi_space_add(space, &machine);
        }
    size_t count = space->machines;
    for (size_t i = 0; i < count && base->input == ACCORD_F32; i++) {
        machine = space->machine[i];
        machine.input = ACCORD_TF32;
        accordi_space_add(space, &machine);
    }
    return space->asker->status;
}

static enum accord_status stage_result(accordi_space *space, const accord_fused *base)
{
    int window = space->kept > 1 ? space->kept - 1 : 1;
    int with_c = (space->c_kept < space->kept ? space->c_kept : space->kept) - 4;
    accordi_regime products = {space->high - 3, space->high, window, false, true,
                               false,           false,       false};
    accordi_regime sums = {space->high - 3, space->high, with_c, true, true, false, false, false};
    space->machines = 0;
    if (start(space, base) != ACCORD_OK)
        return space->asker->status;
    int most = accord_format_get(space->result)->precision - 2;
    vary(space, ACCORDI_FEATURE_OUTPUT_FRACTION, 0, most);
    vary(space, ACCORDI_FEATURE_ROUNDING, ACCORD_NEAREST_EVEN, ACCORD_UP);
    if (sift(space, &products) != ACCORD_OK || with_c < 1 || !space->has_c)
        return space->asker->status;
    return sift(space, &sums);
}

/* The two aligned schemes, products only: what is kept of a product is limited by `fraction` or by
 * sum_fraction, unless by what could be asked. */
static enum accord_status add_schemes(accordi_space *space, const accord_fused *base)
{
    int kept = base->fraction, most = kept + SPREAD > MOST_BITS ? MOST_BITS : kept + SPREAD;
    int capped = space->capped ? space->top + 1 - space->grain : kept;
    capped = capped > MOST_BITS ? MOST_BITS : capped;
    accord_fused machine = *base;
    for (machine.fraction = kept; machine.fraction <= capped; machine.fraction++)
        accordi_space_add(space, &machine);
    machine.scheme = ACCORD_FUSED_THEN_C;
    machine.c_fraction = 1;
    for (int one = kept; one <= capped && space->steps->terms > 1; one++)
        for (int other = one; other <= most; other++)
            for (int swap = 0; swap <= (other > one); swap++) {
                machine.fraction = swap ? other : one;
                machine.sum_fraction = swap ? one : other;
                accordi_space_add(space, &machine);
            }
    return space->asker->status;
}

/* Those of the second scheme differ in more. */
static enum accord_status vary_joins(accordi_space *space)
{
    size_t before = space->machines;
    for (size_t i = 0; i < before; i++)
        for (int v = 1; v < 8 && space->machine[i].scheme == ACCORD_FUSED_THEN_C; v++) {
            accord_fused machine = space->machine[i];
            machine.join = (enum accord_rounding)(v % 4);
            machine.halves = v / 4;
            if (!accordi_space_add(space, &machine))
                return space->asker->status;
        }
    return ACCORD_OK;
}

static enum accord_status stage_products(accordi_space *space, const accord_fused *base, bool exact)
{
    accordi_regime cut = {space->high - 3, space->top - 1, 0, false, true, false, false, false};
    cut.high = cut.high > 100 ? 100 : cut.high;
    space->machines = 0;
    if (exact)
        add_schemes(space, base);
    else
        for (int f = 1; f <= UNKNOWN; f++) {
            accord_fused machine = *base;
            machine.fraction = f;
            accordi_space_add(space, &machine);
        }
    vary(space, ACCORDI_FEATURE_ALIGNMENT, ACCORD_NEAREST_EVEN, ACCORD_UP);
    vary(space, ACCORDI_FEATURE_NORMALISED, 0, 1);
    if (vary_joins(space) != ACCORD_OK)
        return space->asker->status;
    return sift(space, &cut);
}

/* What is kept of c is limited by c_fraction or by c_reach. */
static enum accord_status add_reaches(accordi_space *space, accord_fused machine)
{
    int kept = space->c_kept;
    bool then = machine.scheme == ACCORD_FUSED_THEN_C;
    if (!then) {
        accordi_space_add(space, &machine);
        return space->asker->status;
    }
    if (kept < 1 || kept > machine.sum_fraction)
        return ACCORD_OK;
    machine.c_fraction = kept;
    accordi_space_add(space, &machine);
    for (machine.c_reach = kept; machine.c_reach <= MOST_BITS; machine.c_reach++)
        accordi_space_add(space, &machine);
    machine.c_reach = kept;
    for (machine.c_fraction++; machine.c_fraction <= machine.sum_fraction; machine.c_fraction++)
        accordi_space_add(space, &machine);
    return space->asker->status;
}

static enum accord_status stage_c(accordi_space *space)
{
    accordi_regime safe = {space->high - 3, space->high, 0, true, true, false, false, false};
    size_t before = space->machines;
    if (!space->has_c || space->c_kept < 0)
        return ACCORD_OK;
    for (size_t i = 0; i < before; i++)
        if (add_reaches(space, space->machine[i]) != ACCORD_OK)
            return space->asker->status;
    drop_first(space, before);
    if (sift(space, &safe) != ACCORD_OK)
        return space->asker->status;
    accordi_regime joint = {.safe_c = true, .joint = true};
    if (accordi_space_tell_apart(space, &safe, 1000) != ACCORD_OK)
        return space->asker->status;
    return accordi_space_tell_apart(space, &joint, 2000);
}

/* Adds those that come from a machine by its behaviour at the ends and explain everything. */
static void add_ends(accordi_space *space, accord_fused machine)
{
    accordi_domain domain = accordi_feature_domain(space, &machine, ACCORDI_FEATURE_LEAST_EXPONENT);
    for (int infinite = 0; infinite <= (space->top >= 127); infinite++)
        for (int e = domain.least; e <= domain.most; e++) {
            machine.least_exponent = e;
            machine.infinite_products = infinite;
            if (accordi_space_explains(space, &machine))
                accordi_space_add(space, &machine);
        }
}

static enum accord_status stage_ends(accordi_space *space)
{
    static const size_t order[] = {0, 6, 1, 4, 5, 3, 2};
    size_t before = space->machines;
    space->machines = 0; /* kept behind the count while questions are asked */
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        accordi_regime regime = accordi_regime_any(space, order[i]);
        if (accordi_space_sift(space, &regime, SIFT) != ACCORD_OK)
            return space->asker->status;
    }
    space->machines = before;
    for (size_t i = 0; i < before && space->machines < before + ENDS; i++)
        add_ends(space, space->machine[i]);
    drop_first(space, before);
    return space->asker->status;
}

/* ---- all together ---- */

/* Questions of all kinds. Where they contradict everything, two parameters were wrong together:
 * machines near the best so far are tried. */
static enum accord_status challenge(accordi_space *space, size_t *dropped)
{
    accord_fused best[BASES];
    size_t bases = space->machines < BASES ? space->machines : BASES, before = space->machines;
    memcpy(best, space->machine, bases * sizeof *best);
    *dropped = 0;
    for (size_t which = 0; which < ACCORDI_REGIMES && space->machines > 0; which++) {
        accordi_regime regime = accordi_regime_any(space, which);
        if (accordi_space_sift(space, &regime, SIFT / 2) != ACCORD_OK)
            return space->asker->status;
    }
    *dropped = before - space->machines;
    for (size_t i = 0; i < bases && space->machines == 0; i++)
        if (accordi_space_repair(space, &best[i]) != ACCORD_OK)
            return space->asker->status;
    return ACCORD_OK;
}

/* Varies every parameter once more and looks for questions that tell the rest apart, until
 * nothing changes twice. */
static enum accord_status finish(accordi_space *space)
{
    int quiet = 0;
    accordi_space_filter(space, 0);
    for (int round = 0; round < ROUNDS && quiet < 2 && space->machines > 0; round++) {
        size_t added = 0, dropped = 0;
        if (accordi_space_tell_apart(space, NULL, 4000) != ACCORD_OK ||
            challenge(space, &dropped) != ACCORD_OK || space->machines == 0 ||
            accordi_space_widen(space, &added) != ACCORD_OK)
            return space->asker->status;
        quiet = added + dropped == 0 ? quiet + 1 : 0;
    }
    return ACCORD_OK;
}

/* The stages after the first, from one way to round results. */
static enum accord_status from_result(accordi_space *space, const accord_fused *base, bool exact,
                                      const char **failed)
{
    static const struct {
        enum accord_status (*run)(accordi_space *space);
        const char *what;
    } stages[] = {{stage_c, "sums with a sum so far"},
                  {stage_ends, "tiny or huge sums"},
                  {finish, "sums of all kinds"}};
    enum accord_status status = stage_products(space, base, exact);
    *failed = "products that are aligned";
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        if (status != ACCORD_OK || space->machines == 0)
            return status;
        *failed = stages[i].what;
        status = stages[i].run(space);
    }
    return status;
}

static enum accord_status solve_aligned(accordi_space *space, const char **failed)
{
    bool c_capped;
    accord_fused base = blank(space);
    base.scheme = ACCORD_FUSED_WITH_C;
    base.flush = measure_flush(space);
    space->kept = measure_kept(space, false, base.flush, &space->capped);
    space->c_kept = measure_kept(space, true, base.flush, &c_capped);
    bool exact = space->kept >= 0;
    base.fraction = space->kept = exact ? space->kept : UNKNOWN / 2;
    base.least_exponent = measure_least(space, base.flush);
    *failed = "sums that need no alignment";
    if (stage_result(space, &base) != ACCORD_OK)
        return space->asker->status;
    accord_fused starts[STARTS];
    size_t count = space->machines < STARTS ? space->machines : STARTS;
    memcpy(starts, space->machine, count * sizeof *starts);
    for (size_t i = 0; i < count; i++) {
        enum accord_status status = from_result(space, &starts[i], exact, failed);
        if (status != ACCORD_OK || space->machines > 0)
            return status;
    }
    return ACCORD_OK;
}

/* Chains of multiply-adds, pairwise sums: no parameters but these. */
static enum accord_status solve_rounded(accordi_space *space, const char **failed)
{
    accord_fused base = blank(space);
    space->kept = space->c_kept = accord_format_get(space->result)->precision;
    *failed = base.scheme == ACCORD_FUSED_CHAIN ? "a chain of multiply-adds" : "pairwise sums";
    if (start(space, &base) != ACCORD_OK || vary(space, ACCORDI_FEATURE_FLUSH, 0, 1) != ACCORD_OK)
        return space->asker->status;
    for (size_t which = 0; which < 2 * ACCORDI_REGIMES && space->machines > 0; which++) {
        accordi_regime regime = accordi_regime_any(space, which);
        if (accordi_space_sift(space, &regime, SIFT) != ACCORD_OK)
            return space->asker->status;
    }
    return space->machines ? finish(space) : ACCORD_OK;
}

/* Puts the machine first that comes first by its features, in their order. */
static void choose(accordi_space *space)
{
    for (size_t i = 1; i < space->machines; i++) {
        accord_fused *best = &space->machine[0], *other = &space->machine[i];
        int order = 0;
        for (int f = 0; f < ACCORDI_FEATURES && order == 0; f++)
            order = accordi_feature_value(other, (enum accordi_feature)f) -
                    accordi_feature_value(best, (enum accordi_feature)f);
        if (order < 0) {
            accord_fused kept = *best;
            *best = *other;
            *other = kept;
        }
    }
}

enum accord_status accordi_space_refine(accordi_space *space)
{
    accord_fused best[BASES];
    size_t bases = space->machines < BASES ? space->machines : BASES;
    memcpy(best, space->machine, bases * sizeof *best);
    accordi_space_filter(space, 0);
    for (size_t i = 0; i < bases && space->machines == 0; i++)
        if (accordi_space_repair(space, &best[i]) != ACCORD_OK)
            return space->asker->status;
    if (space->machines > 0 && finish(space) != ACCORD_OK)
        return space->asker->status;
    if (space->machines == 0) { /* nothing near: as it was, for the record */
        accordi_space_add(space, &best[0]);
        return space->asker->status ? space->asker->status : ACCORD_UNABLE;
    }
    choose(space);
    return ACCORD_OK;
}

enum accord_status accordi_space_solve(accordi_space *space)
{
    const char *failed = "";
    bool aligned = space->steps->scheme == ACCORD_FUSED_THEN_C;
    enum accord_status status = (aligned ? solve_aligned : solve_rounded)(space, &failed);
    if (status != ACCORD_OK)
        return status;
    if (space->machines == 0)
        return space->asker->status =
                   accordi_unable(space->asker->error, ACCORD_REASON_NOT_PLAIN,
                                  "no parameters of %s explain the answers: %s contradict all of "
                                  "them (%zu probes)",
                                  aligned ? "a fused sum with one alignment" : "the scheme", failed,
                                  space->questions);
    choose(space);
    return ACCORD_OK;
}
