/* The accumulator that a right implementation may have, and how large its error can be.
 *
 * A term of a sum of n meets at most n - 1 additions on its way to the root, whatever the tree, one
 * rounding of its product, and two more where alpha multiplies it. If each rounding has a relative
 * error of at most u, the sum is off by at most ((1 + u)^k - 1) * sum |terms|, and fusing or a
 * wider format only take roundings away.
 *
 * A machine that aligns its products errs by absolute amounts: each of its terms + 1 numbers by at
 * most 2^-fraction of the greatest of them, which is at most the sum of the magnitudes. These
 * amounts add up over the steps, and so do the roundings of the steps' results. */
#include "explain/explain.h"
#include "fused/fused.h"
#include "model/words.h"
#include <math.h>

static double unit_of(enum accord_format format, bool nearest)
{
    return ldexp(1, -accord_format_get(format)->precision + !nearest);
}

/* A relative bound of the errors of one step, in terms of the sum of magnitudes. */
static double step_error(const accord_fused *machine)
{
    bool aligned = accordi_fused_aligns(machine);
    double rounded = unit_of(machine->output, machine->rounding == ACCORD_NEAREST_EVEN ||
                                                  machine->rounding == ACCORD_NEAREST_AWAY);
    if (machine->output_fraction)
        rounded += ldexp(1, -machine->output_fraction);
    if (!aligned)
        return (machine->terms + 1) * rounded;
    /* The exponent of a product that is not normalized may be one less than that of its value. */
    double sum = rounded + (machine->terms + 1) * ldexp(1, -machine->fraction);
    if (machine->scheme == ACCORD_FUSED_THEN_C)
        sum += ldexp(2, -machine->fraction);
    if (machine->sum_fraction)
        sum += ldexp(2, -machine->sum_fraction);
    if (machine->c_fraction)
        sum += ldexp(2, -machine->c_fraction);
    if (machine->c_reach)
        sum += ldexp(2, -machine->c_reach);
    return sum;
}

double accordi_accumulator_error(const accordi_accumulator *in, size_t n, bool scaled)
{
    double roundings = (double)n + (scaled ? 2 : 0), unit = unit_of(in->format, true);
    if (in->machine) {
        size_t terms = (size_t)in->machine->terms;
        roundings = (double)(n / terms + 1) + (scaled ? 2 : 0);
        /* Partial sums of steps may also be joined by ordinary additions. */
        unit = step_error(in->machine) + unit;
    }
    /* (1 + u)^k - 1 <= k u / (1 - k u); the factor covers the roundings of this line. */
    double product = roundings * unit;
    return product < 1 ? product / (1 - product) * (1 + 0x1p-40) : INFINITY;
}

/* Below the least normal number a product loses relative precision, and machines flush. */
double accordi_accumulator_least(const accordi_accumulator *in)
{
    const accord_format_info *info = accord_format_get(in->format);
    if (!in->machine)
        return info->least / 2;
    double floor = 0;
    if (in->machine->least_exponent != 0)
        floor = ldexp(2, in->machine->least_exponent - in->machine->fraction);
    return floor + ldexp(1, info->min_exponent);
}

static void name_it(accordi_accumulator *out)
{
    if (out->machine && !out->machine->name)
        snprintf(out->name, sizeof out->name, "the machine that was found");
    else if (out->machine)
        snprintf(out->name, sizeof out->name, "fused:%s", out->machine->name);
    else
        snprintf(out->name, sizeof out->name, "%s", accord_format_get(out->format)->name);
}

static enum accord_format wider(enum accord_format a, enum accord_format b)
{
    return accordi_contains(a, b) ? a : b;
}

/* The narrowest format that a node of the revealed order rounds into: its sum, also where it is
 * stored, or its products. */
static enum accord_format narrowest(const accord_arithmetic *arithmetic)
{
    enum accord_format found = ACCORD_F64;
    for (size_t i = 0; i < arithmetic->operations; i++) {
        const accord_operation *operation = &arithmetic->operation[i];
        bool products = arithmetic->term == ACCORD_TERM_PRODUCT;
        const enum accord_format each[] = {operation->format, operation->stored,
                                           products ? operation->product : ACCORD_F64};
        for (size_t f = 0; f < 3; f++)
            if (!accordi_contains(each[f], found))
                found = each[f];
    }
    return found;
}

/* Chains of fused multiply-adds and pairwise sums round like ordinary nodes: they may be narrower
 * than f32 and the result only if the caller says so. */
static bool fuses_several(const accord_fused *machine)
{
    return machine->terms > 1 && accordi_fused_aligns(machine);
}

enum accord_status accordi_accumulator_choose(const char *option, const accordi_sums *sums,
                                              const accord_record *record, accordi_accumulator *out,
                                              accord_error *error)
{
    accordi_accumulator found = {.format = wider(ACCORD_F32, sums->output)};
    const accord_arithmetic *arithmetic = record && record->tree ? record->arithmetic : NULL;
    if (option && strncmp(option, "fused:", 6) == 0) {
        found.machine = accord_fused_by_name(option + 6);
        if (!found.machine)
            return accordi_fail(error, ACCORD_ARG,
                                "there is no machine %.60s; accord targets lists them", option + 6);
        if (!sums->products || found.machine->scale_block)
            return accordi_fail(error, ACCORD_UNSUPPORTED,
                                "%.60s adds products%s; the target does not", option,
                                found.machine->scale_block ? " with scales of their own" : "");
        found.format = found.machine->output;
    } else if (option) {
        if (!accord_format_by_name(option, &found.format))
            return accordi_fail(error, ACCORD_ARG,
                                "there is no accumulator %.60s; give a format such as f32, or "
                                "fused: and the name of a machine",
                                option);
    } else if (arithmetic && arithmetic->has_machine &&
               (fuses_several(&arithmetic->machine) ||
                accordi_contains(arithmetic->machine.output, found.format))) {
        found.machine = &arithmetic->machine;
        found.format = arithmetic->machine.output;
    } else if (arithmetic && accordi_contains(narrowest(arithmetic), found.format)) {
        found.format = narrowest(arithmetic);
    }
    name_it(&found);
    *out = found;
    return ACCORD_OK;
}
