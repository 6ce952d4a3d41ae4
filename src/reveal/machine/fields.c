/* The values worth trying for each parameter of a machine (their names: model/parameters.c). */
#include "reveal/machine/candidates.h"

enum {
    CHAIN = 1 << ACCORD_FUSED_CHAIN,
    PAIRWISE = 1 << ACCORD_FUSED_PAIRWISE,
    WITH_C = 1 << ACCORD_FUSED_WITH_C,
    THEN_C = 1 << ACCORD_FUSED_THEN_C,
    LAST_FIRST = 1 << ACCORD_FUSED_LAST_FIRST,
    EVEN_ODD = 1 << ACCORD_FUSED_EVEN_ODD,
    ALIGNED = WITH_C | THEN_C,
    FUSED = CHAIN | LAST_FIRST | EVEN_ODD,
    ALL = FUSED | PAIRWISE | ALIGNED
};

#define ROW(name, about, how, schemes)                                                             \
    [ACCORDI_FEATURE_##name] = {&accordi_parameters[ACCORDI_PARAMETER_##name], about, how, schemes}

static const accordi_feature_info features[ACCORDI_FEATURES] = {
    ROW(SCHEME, "how the terms of a step are added", "shape of the tree, sums with and without c",
        ALL),
    ROW(TERMS, "products in a step", "shape of the tree", ALL),
    ROW(INPUT, "format of the operands", "low bits of operands", ALL),
    ROW(FRACTION, "bits kept below the greatest exponent",
        "small products beside large ones that cancel", ALIGNED),
    ROW(ALIGNMENT, "rounding of the aligned terms",
        "products of both signs just below the last bit kept", ALIGNED),
    ROW(LEAST_EXPONENT, "least exponent to which terms are aligned", "sums of tiny products",
        ALIGNED),
    ROW(NORMALISED, "products are aligned by their leading bit",
        "products of 2 and more beside smaller ones", ALIGNED),
    ROW(LEADING, "subnormal operands are aligned by their leading bit",
        "products of subnormal operands that cancel", ALIGNED),
    ROW(C_LEADING, "a subnormal c is aligned by its leading bit",
        "tiny products beside a subnormal c", ALIGNED),
    ROW(ZEROS, "zeros take part in the alignment",
        "small products beside a large number times zero", ALIGNED),
    ROW(HALVES, "products at even and odd places are aligned separately",
        "large products at even places, small ones at odd places", THEN_C),
    ROW(SUM_FRACTION, "bits of the sum of products that are kept when c is added",
        "small sums beside a large c", THEN_C),
    ROW(C_FRACTION, "bits of c that are kept when it is added", "a small c beside large products",
        THEN_C),
    ROW(C_REACH, "c is dropped if it lies this many bits lower; 0: never",
        "a small c beside large products", THEN_C),
    ROW(JOIN, "rounding of partial sums and c",
        "partial sums of both signs just below the last bit kept", THEN_C),
    ROW(OUTPUT, "format of c and of the result", "range and precision of sums", ALL),
    ROW(ROUNDING, "rounding of the result", "sums with more bits than the result", ALIGNED),
    ROW(OUTPUT_FRACTION, "fraction bits of the result; 0: all",
        "sums with more bits than the result", ALIGNED),
    ROW(OVERFLOW, "result of sums that are too large", "sums of huge products", ALIGNED),
    ROW(POSITIVE_ZERO, "a sum that is rounded to zero becomes +0", "tiny negative sums", ALIGNED),
    ROW(FLUSH, "subnormal numbers count as zero", "subnormal operands and results", ALL),
    ROW(FLUSH_TINY, "sums that only few bits round up to a normal number count as subnormal",
        "sums just below the least normal number", FUSED),
    ROW(INFINITE_PRODUCTS, "products of 2^128 and more are infinite", "huge products that cancel",
        ALIGNED),
    ROW(SCALE, "format of the scales", "the target says so", ALIGNED),
    ROW(SCALE_BLOCK, "products that share a pair of scales", "the target says so", ALIGNED),
    ROW(BLOCK, "products added exactly, then aligned by their scales' exponents; 0: none",
        "small products of a block beside great ones of another", ALIGNED),
};

const accordi_feature_info *accordi_feature_get(enum accordi_feature feature)
{
    return &features[feature];
}

int accordi_feature_value(const accord_fused *machine, enum accordi_feature feature)
{
    return accordi_parameter_get(machine, features[feature].parameter);
}

void accordi_feature_set(accord_fused *machine, enum accordi_feature feature, int value)
{
    accordi_parameter_set(machine, features[feature].parameter, value);
}

bool accordi_feature_applies(const accord_fused *machine, enum accordi_feature feature)
{
    bool of_scales = feature == ACCORDI_FEATURE_SCALE || feature == ACCORDI_FEATURE_SCALE_BLOCK ||
                     feature == ACCORDI_FEATURE_BLOCK;
    bool of_flushing = feature == ACCORDI_FEATURE_FLUSH_TINY;
    bool of_products = feature == ACCORDI_FEATURE_NORMALISED || feature == ACCORDI_FEATURE_LEADING;
    return features[feature].schemes >> machine->scheme & 1 &&
           (machine->scale_block > 0 || !of_scales) && (machine->block == 0 || !of_products) &&
           (machine->flush || !of_flushing);
}

static accordi_domain from_to(int least, int most)
{
    return (accordi_domain){least, most, false, false};
}

/* Stopping the alignment at an exponent up to this one cuts nothing that is not cut anyway. */
static int least_that_matters(const accordi_space *space, const accord_fused *machine)
{
    int bits = machine->fraction;
    if (machine->scheme != ACCORD_FUSED_THEN_C) {
        bool deep = machine->normalised || machine->leading;
        int bottom = deep ? space->grain : space->bottom;
        return space->grain + bits > bottom ? space->grain + bits : bottom;
    }
    bits = machine->sum_fraction < bits ? machine->sum_fraction : bits;
    bits = machine->c_fraction < bits ? machine->c_fraction : bits;
    bits = machine->c_reach && machine->c_reach < bits ? machine->c_reach : bits;
    return space->grain + bits;
}

/* What is done to c shows only where there is one. */
static bool is_of_c(enum accordi_feature feature)
{
    return feature == ACCORDI_FEATURE_C_FRACTION || feature == ACCORDI_FEATURE_C_REACH ||
           feature == ACCORDI_FEATURE_C_LEADING;
}

/* Cutting matters only where it can reach the finest bit of a product (or of c, which is a sum of
 * products, rounded). Sums are at most 7 bits greater than their terms. */
accordi_domain accordi_feature_domain(const accordi_space *space, const accord_fused *machine,
                                      enum accordi_feature feature)
{
    const accord_format_info *out = accord_format_get(machine->output);
    int reach = space->top + 1 - space->grain, c_reach = reach + 8;
    if (space->share >= space->places && machine->scheme == ACCORD_FUSED_THEN_C)
        reach =
            (machine->block ? 1 : space->element_top + 1) - space->element_grain; /* in a block */
    reach = reach > 64 ? 64 : reach;
    c_reach = c_reach > 64 ? 64 : c_reach;
    int floor = least_that_matters(space, machine);
    /* Of sums below half the least result, to nearest or toward zero, only the sign can be seen. */
    bool hides = machine->positive_zero && machine->rounding != ACCORD_DOWN &&
                 machine->rounding != ACCORD_UP;
    int seen = out->min_exponent - (out->precision - 1) - 10;
    floor = hides && floor < seen ? seen : floor;
    bool aligns_c = machine->scheme == ACCORD_FUSED_WITH_C && space->has_c;
    int value = accordi_feature_value(machine, feature);
    if (is_of_c(feature) && !space->has_c)
        return (accordi_domain){value, value, true, true};
    switch (feature) {
    case ACCORDI_FEATURE_FRACTION:
        return (accordi_domain){1, aligns_c ? c_reach : reach, false, true};
    case ACCORDI_FEATURE_LEAST_EXPONENT:
        return (accordi_domain){floor, floor > space->high ? floor : space->high, true, false};
    case ACCORDI_FEATURE_SUM_FRACTION:
        return (accordi_domain){machine->c_fraction, c_reach, false, true};
    case ACCORDI_FEATURE_C_FRACTION:
        return from_to(1, machine->sum_fraction);
    case ACCORDI_FEATURE_C_REACH:
        return from_to(0, c_reach);
    case ACCORDI_FEATURE_ALIGNMENT:
    case ACCORDI_FEATURE_JOIN:
    case ACCORDI_FEATURE_ROUNDING:
        return from_to(ACCORD_NEAREST_EVEN, ACCORDI_ROUNDINGS - 1);
    case ACCORDI_FEATURE_OVERFLOW:
        return from_to(ACCORD_OVERFLOW_INFINITE, ACCORD_OVERFLOW_GREATEST);
    case ACCORDI_FEATURE_OUTPUT_FRACTION:
        return from_to(0, out->precision - 2);
    case ACCORDI_FEATURE_BLOCK:
        return from_to(0, machine->scale_block);
    case ACCORDI_FEATURE_NORMALISED:
    case ACCORDI_FEATURE_LEADING:
    case ACCORDI_FEATURE_C_LEADING:
    case ACCORDI_FEATURE_ZEROS:
    case ACCORDI_FEATURE_POSITIVE_ZERO:
    case ACCORDI_FEATURE_HALVES:
    case ACCORDI_FEATURE_FLUSH:
    case ACCORDI_FEATURE_FLUSH_TINY:
    case ACCORDI_FEATURE_INFINITE_PRODUCTS:
        return from_to(0, 1);
    default: /* told by the shape of the tree, or tried in other ways */
        return from_to(value, value);
    }
}
