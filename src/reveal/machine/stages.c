/* The stages of the search for a machine: each settles a few of the parameters.
 *
 * Each asks questions on which only a few parameters matter, tries every value of those, and keeps
 * the machines that explain the answers:
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
#include "reveal/machine/candidates.h"

enum {
    SIFT = 96,
    MANY = 300,
    SPREAD = 40,
    MOST_BITS = 64,
    ENDS = 512,
    UNSEEN = 60,
    END_SIMULATIONS = 4000000,
    ALWAYS = 16,
    WIDE = 1000
};

/* Sifts until nothing more is dropped. With many machines each question is dear, and those that
 * are chosen to tell them apart are better. */
static enum accord_status sift_machines(accordi_space *space, const accordi_regime *regime)
{
    size_t before;
    int quiet = 0;
    do {
        before = space->machines;
        bool many = before > MANY;
        size_t draws = before / 32 > SIFT ? before / 32 : SIFT; /* the more is at stake */
        if (many && accordi_space_tell_apart(space, regime, draws) != ACCORD_OK)
            return space->asker->status;
        if (accordi_space_sift(space, regime, many ? SIFT / 4 : SIFT) != ACCORD_OK)
            return space->asker->status;
        quiet = space->machines == before ? quiet + 1 : 0;
    } while (quiet < 2 && space->machines > 0);
    return ACCORD_OK;
}

static void drop_first(accordi_space *space, size_t count)
{
    if (count == 0) /* there may be no array yet */
        return;
    memmove(space->machine, space->machine + count,
            (space->machines - count) * sizeof *space->machine);
    space->machines -= count;
}

enum accord_status accordi_space_vary(accordi_space *space, enum accordi_feature feature, int least,
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

enum accord_status accordi_stage_start(accordi_space *space, const accord_fused *base)
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

enum accord_status accordi_stage_result(accordi_space *space, const accord_fused *base)
{
    int window = space->kept > 1 ? space->kept - 1 : 1;
    /* Where products cannot lie far apart it takes c to reach beyond the last bit of a result. */
    bool narrow = space->share && space->capped;
    int with_c = narrow                        ? space->c_kept - 1
                 : space->c_kept < space->kept ? space->c_kept - 4
                                               : space->kept - 4;
    accordi_regime products = {space->high - 3, space->high, .window = window, .safe_c = true};
    accordi_regime sums = products;
    sums.window = with_c;
    sums.c = true;
    accord_fused first = *base;
    first.fraction = narrow && space->c_kept > base->fraction ? space->c_kept : base->fraction;
    if (first.block && first.fraction > ACCORDI_FUSED_BLOCK_FRACTION)
        first.fraction = ACCORDI_FUSED_BLOCK_FRACTION;
    space->machines = 0;
    if (accordi_stage_start(space, &first) != ACCORD_OK)
        return space->asker->status;
    int most = accord_format_get(space->result)->precision - 2;
    accordi_space_vary(space, ACCORDI_FEATURE_OUTPUT_FRACTION, 0, most);
    accordi_space_vary(space, ACCORDI_FEATURE_ROUNDING, ACCORD_NEAREST_EVEN, ACCORDI_ROUNDINGS - 1);
    if (sift_machines(space, &products) != ACCORD_OK ||
        accordi_space_tell_apart(space, &products, 2000) != ACCORD_OK || with_c < 1 ||
        !space->has_c)
        return space->asker->status;
    return sift_machines(space, &sums);
}

/* The most bits that are worth a try: beyond them a feature makes no difference. */
static int most_bits(const accordi_space *space, const accord_fused *machine,
                     enum accordi_feature feature)
{
    return accordi_feature_domain(space, machine, feature).most;
}

/* The two aligned schemes, products only: what is kept of a product is limited by `fraction` or by
 * sum_fraction, unless by what could be asked. */
static enum accord_status add_schemes(accordi_space *space, const accord_fused *base)
{
    int kept = space->kept, most = most_bits(space, base, ACCORDI_FEATURE_SUM_FRACTION);
    most = most < kept + SPREAD ? most : kept + SPREAD;
    accord_fused machine = *base;
    int capped = space->capped ? most_bits(space, &machine, ACCORDI_FEATURE_FRACTION) : kept;
    if (space->share && space->capped && !space->c_capped && space->c_kept > kept)
        kept = capped = space->c_kept; /* c is cut where products are */
    for (machine.fraction = kept; machine.fraction <= capped; machine.fraction++)
        accordi_space_add(space, &machine);
    machine.scheme = ACCORD_FUSED_THEN_C;
    kept = space->kept;
    capped = space->capped ? most_bits(space, &machine, ACCORDI_FEATURE_FRACTION) : kept;
    for (int one = kept; one <= capped && space->steps->terms > 1; one++)
        for (int other = one; other <= most; other++)
            for (int swap = 0; swap <= (other > one); swap++) {
                machine.fraction = swap ? other : one;
                machine.sum_fraction = swap ? one : other;
                if (space->share && machine.sum_fraction < space->c_kept)
                    continue; /* what is kept of c is no more than of the sum */
                /* a short last step passes sums on */
                machine.c_fraction = space->has_c ? machine.sum_fraction : 1;
                accordi_space_add(space, &machine);
            }
    return space->asker->status;
}

/* Those of the second scheme differ in more. */
static enum accord_status vary_joins(accordi_space *space)
{
    size_t before = space->machines;
    for (size_t i = 0; i < before; i++)
        for (int v = 1;
             v < 2 * ACCORDI_ROUNDINGS && space->machine[i].scheme == ACCORD_FUSED_THEN_C; v++) {
            accord_fused machine = space->machine[i];
            machine.join = (enum accord_rounding)(v % ACCORDI_ROUNDINGS);
            machine.halves = v / ACCORDI_ROUNDINGS;
            if (!accordi_space_add(space, &machine))
                return space->asker->status;
        }
    return ACCORD_OK;
}

/* Whether a machine cuts no product before c is added: those of one block lie too close together.
 * How it would cut them, and in which blocks it adds them, is varied in the end. */
static bool cuts_beside_c_alone(const accordi_space *space, const accord_fused *machine)
{
    return machine->scheme == ACCORD_FUSED_THEN_C && space->capped && space->share >= space->places;
}

static enum accord_status vary_alignments(accordi_space *space)
{
    size_t before = space->machines;
    for (size_t i = 0; i < before; i++)
        for (int v = ACCORD_NEAREST_EVEN; v < ACCORDI_ROUNDINGS; v++) {
            accord_fused machine = space->machine[i];
            machine.alignment = (enum accord_rounding)v;
            bool one = cuts_beside_c_alone(space, &machine);
            if ((!one || v == ACCORD_TOWARD_ZERO) && !accordi_space_add(space, &machine))
                return space->asker->status;
        }
    drop_first(space, before);
    return ACCORD_OK;
}

/* Smaller blocks than those that share scales. */
static enum accord_status vary_blocks(accordi_space *space)
{
    size_t before = space->machines;
    for (size_t i = 0; i < before; i++)
        for (int v = space->machine[i].block / 2;
             v > 1 && !cuts_beside_c_alone(space, &space->machine[i]); v--) {
            accord_fused machine = space->machine[i];
            machine.block = v;
            if (accordi_space_sound(&machine) && !accordi_space_add(space, &machine))
                return space->asker->status;
        }
    return ACCORD_OK;
}

enum accord_status accordi_stage_products(accordi_space *space, const accord_fused *base)
{
    accordi_regime cut = {space->high - 3, space->top - 1, .safe_c = true};
    cut.high = cut.high > 100 ? 100 : cut.high;
    space->machines = 0;
    add_schemes(space, base);
    vary_alignments(space);
    if (base->block == 0)
        accordi_space_vary(space, ACCORDI_FEATURE_NORMALISED, 0, 1);
    if (vary_joins(space) != ACCORD_OK || vary_blocks(space) != ACCORD_OK)
        return space->asker->status;
    return sift_machines(space, &cut);
}

/* Bits beyond those that were seen to be kept were lost in alignment, or else as the result was
 * rounded. */
static enum accord_status add_pairs(accordi_space *space)
{
    size_t before = space->machines;
    int kept = space->kept > 1 ? space->kept : 1;
    for (size_t i = 0; i < before; i++) {
        accord_fused machine = space->machine[i];
        int most = accord_format_get(machine.output)->precision - 2;
        for (int f = kept; f <= MOST_BITS; f++)
            for (int of = 0; of <= most; of++) {
                bool aligned = f == kept && (of == 0 || of >= kept);
                machine.fraction = f;
                machine.output_fraction = of;
                if (aligned || of == kept || space->capped)
                    accordi_space_add(space, &machine);
            }
    }
    drop_first(space, before);
    return space->asker->status;
}

enum accord_status accordi_stage_pair(accordi_space *space, const accord_fused *base)
{
    accordi_regime sums = {space->high - 3, space->high, .c = true, .safe_c = true};
    accordi_regime joint = {.safe_c = true,
                            .joint = true}; /* where alignment stops is asked later */
    space->machines = 0;
    if (accordi_stage_start(space, base) != ACCORD_OK || add_pairs(space) != ACCORD_OK)
        return space->asker->status;
    accordi_space_vary(space, ACCORDI_FEATURE_ROUNDING, ACCORD_NEAREST_EVEN, ACCORDI_ROUNDINGS - 1);
    accordi_space_vary(space, ACCORDI_FEATURE_ALIGNMENT, ACCORD_NEAREST_EVEN,
                       ACCORDI_ROUNDINGS - 1);
    accordi_space_vary(space, ACCORDI_FEATURE_NORMALISED, 0, 1);
    if (space->asker->status || sift_machines(space, &sums) != ACCORD_OK)
        return space->asker->status;
    return accordi_space_tell_apart(space, &joint, 2000);
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
    int reach = most_bits(space, &machine, ACCORDI_FEATURE_C_REACH);
    int seen = kept + space->top - space->high; /* c lies no further below what it was kept below */
    reach = space->c_capped && seen < reach ? seen : reach;
    for (machine.c_reach = kept; machine.c_reach <= reach; machine.c_reach++)
        accordi_space_add(space, &machine);
    for (int f = kept + 1; f <= machine.sum_fraction; f++) {
        machine.c_fraction = f;
        machine.c_reach = kept;
        accordi_space_add(space, &machine);
        machine.c_reach = 0;
        if (space->c_capped)
            accordi_space_add(space, &machine);
    }
    return space->asker->status;
}

/* The same with each exponent where alignment may stop unseen, compared with all answers. */
static enum accord_status try_leasts(accordi_space *space, const accord_fused *products,
                                     size_t count)
{
    size_t good = 0;
    for (size_t i = 0; i < count && good < ENDS; i++) {
        space->machines = good; /* what explains everything comes first */
        if (add_reaches(space, products[i]) != ACCORD_OK)
            return space->asker->status;
        size_t made = space->machines;
        for (size_t k = good; k < made; k++)
            for (int e = space->high; e >= space->high - UNSEEN; e--) {
                accord_fused machine = space->machine[k];
                machine.least_exponent = e;
                if (accordi_space_explains(space, &machine) && !accordi_space_add(space, &machine))
                    return space->asker->status;
            }
        size_t found = space->machines - made;
        memmove(space->machine + good, space->machine + made, found * sizeof *space->machine);
        good += found;
    }
    space->machines = good;
    return space->asker->status;
}

static enum accord_status sift_c(accordi_space *space)
{
    accordi_regime safe = {space->high - 3, space->high, .c = true, .safe_c = true};
    accordi_regime joint = {.safe_c = true, .joint = true};
    if (sift_machines(space, &safe) != ACCORD_OK ||
        accordi_space_tell_apart(space, &safe, 1000) != ACCORD_OK)
        return space->asker->status;
    return accordi_space_tell_apart(space, &joint, 2000);
}

/* A sum so far that no product exceeds, of one bit: how it would be cut makes no difference, but it
 * shows how products are cut beside it, so that fewer machines are left to vary. */
static enum accord_status sift_great_c(accordi_space *space)
{
    accordi_regime great = {.great_c = true, .safe_c = true};
    return sift_machines(space, &great);
}

enum accord_status accordi_stage_c(accordi_space *space)
{
    size_t before = space->machines;
    if (!space->has_c || space->c_kept < 0)
        return ACCORD_OK;
    if (before > MANY && sift_great_c(space) != ACCORD_OK)
        return space->asker->status;
    before = space->machines;
    accord_fused *products = accordi_ask_alloc(space->asker, before, sizeof *products);
    if (!products)
        return space->asker->status;
    memcpy(products, space->machine, before * sizeof *products);
    enum accord_status status = ACCORD_OK;
    for (size_t i = 0; i < before && status == ACCORD_OK; i++)
        status = add_reaches(space, products[i]);
    drop_first(space, before);
    if (status == ACCORD_OK)
        status = sift_c(space);
    if (status == ACCORD_OK && space->machines == 0)
        status = try_leasts(space, products, before);
    if (status == ACCORD_OK && space->machines > 0)
        status = sift_c(space);
    free(products);
    return status;
}

static bool answers_so(accordi_space *space, accord_fused *machine, int least, double answer)
{
    const accordi_question *question = &space->question[space->refuter];
    machine->least_exponent = least;
    return accordi_same(space, answer, accordi_space_simulate(space, machine, question));
}

/* Raises machine->least_exponent to the first value with which the question that refuted the
 * machine has another answer; false if none has, up to `most`. In a wide range (f64's) the answer
 * is taken to change but once. */
static bool raise_least(accordi_space *space, accord_fused *machine, int most)
{
    int same = machine->least_exponent, other = most;
    double wrong = accordi_space_simulate(space, machine, &space->question[space->refuter]);
    if (most - same <= WIDE) {
        for (other = same + 1; other <= most; other++)
            if (!answers_so(space, machine, other, wrong))
                return true;
        return false;
    }
    if (answers_so(space, machine, most, wrong))
        return false;
    while (other - same > 1) {
        int middle = same + (other - same) / 2;
        if (answers_so(space, machine, middle, wrong))
            same = middle;
        else
            other = middle;
    }
    machine->least_exponent = other;
    return true;
}

void accordi_space_add_leasts(accordi_space *space, accord_fused machine)
{
    const enum accordi_feature feature = ACCORDI_FEATURE_LEAST_EXPONENT;
    accordi_domain domain = accordi_feature_domain(space, &machine, feature);
    machine.least_exponent = domain.least;
    while (!accordi_space_explains(space, &machine))
        if (!raise_least(space, &machine, domain.most))
            return;
    int least = machine.least_exponent;
    machine.least_exponent = accordi_space_farthest(space, machine, feature, domain.most);
    if (!accordi_space_add(space, &machine) || machine.least_exponent == least)
        return;
    machine.least_exponent = least;
    accordi_space_add(space, &machine);
}

/* What a few questions at the ends of the range have shown. */
static const struct {
    enum accordi_feature feature;
    int values;
} measured[] = {{ACCORDI_FEATURE_POSITIVE_ZERO, 2}, {ACCORDI_FEATURE_LEADING, 2},
                {ACCORDI_FEATURE_OVERFLOW, 3},      {ACCORDI_FEATURE_INFINITE_PRODUCTS, 2},
                {ACCORDI_FEATURE_ZEROS, 2},         {ACCORDI_FEATURE_FLUSH, 2}};
enum { MEASURED = sizeof measured / sizeof *measured, COMBINATIONS = 2 * 2 * 3 * 2 * 2 * 2 };

/* The combination of these that `code` numbers, 0 being that which was measured. Returns in how
 * many it differs. */
static int change_measured(accord_fused *machine, int code)
{
    int changes = 0;
    for (size_t i = 0; i < MEASURED; i++) {
        int values = measured[i].values, by = code % values;
        int value = accordi_feature_value(machine, measured[i].feature);
        accordi_feature_set(machine, measured[i].feature, (value + by) % values);
        changes += by > 0;
        code /= values;
    }
    return changes;
}

/* What a single question shows can have two causes. So where no machine explains the answers as it
 * was measured, those are tried that differ from it in one respect, then in two, and so on. */
static void add_ends(accordi_space *space, const accord_fused *machine, size_t count)
{
    uint64_t until = space->simulations + END_SIMULATIONS;
    const accord_format_info *out = accord_format_get(machine->output);
    int c_leading = space->has_c && space->grain < out->min_exponent; /* c may be subnormal */
    for (int changes = 0; changes <= (int)MEASURED && space->machines == 0; changes++)
        for (int code = 0; code < COMBINATIONS; code++)
            for (size_t i = 0; i < count && space->machines < ENDS; i++) {
                accord_fused other = machine[i];
                bool tired = changes > 0 && i >= ALWAYS && space->simulations > until;
                if (change_measured(&other, code) != changes || tired)
                    break;
                for (int leading = 0; leading <= c_leading; leading++) {
                    other.c_leading = leading;
                    accordi_space_add_leasts(space, other);
                }
            }
}

enum accord_status accordi_stage_ends(accordi_space *space)
{
    static const size_t order[] = {0, 6, 1, 4, 5, 3, 8, 2};
    size_t before = space->machines;
    accord_fused *candidates = accordi_ask_alloc(space->asker, before, sizeof *candidates);
    if (!candidates)
        return space->asker->status;
    memcpy(candidates, space->machine, before * sizeof *candidates);
    space->machines = 0;
    for (size_t i = 0; i < sizeof order / sizeof *order && !space->asker->status; i++) {
        accordi_regime regime = accordi_regime_any(space, order[i]);
        accordi_space_sift(space, &regime, SIFT);
    }
    if (!space->asker->status && before > 0)
        add_ends(space, candidates, before);
    free(candidates);
    return space->asker->status;
}
