/* The parameters of a machine (accord/fused.h) as one table: names, places, kinds, bounds, words.
 * Files, fingerprints, comparisons and the search for features all go by it. */
#include "model/words.h"
#include <stddef.h>

#define ROW(name, kind, least, most)                                                               \
    {                                                                                              \
#name, kind, offsetof(accord_fused, name), least, most, false                              \
    }
/* Left out of fingerprints where it is 0, for it was not known when the first were made. */
#define LATER(name, kind, least, most)                                                             \
    {                                                                                              \
#name, kind, offsetof(accord_fused, name), least, most, true                               \
    }

/* Bounds keep the integers of an aligned sum within 128 bits. */
const accordi_parameter accordi_parameters[ACCORDI_PARAMETERS] = {
    [ACCORDI_PARAMETER_INPUT] = ROW(input, ACCORDI_FORMAT_OF, 0, 0),
    [ACCORDI_PARAMETER_OUTPUT] = ROW(output, ACCORDI_FORMAT_OF, 0, 0),
    [ACCORDI_PARAMETER_SCHEME] = ROW(scheme, ACCORDI_SCHEME_OF, 0, 0),
    [ACCORDI_PARAMETER_TERMS] = ROW(terms, ACCORDI_NUMBER, 1, 64),
    [ACCORDI_PARAMETER_BLOCK] = ROW(block, ACCORDI_NUMBER, 0, 64),
    [ACCORDI_PARAMETER_SCALE_BLOCK] = ROW(scale_block, ACCORDI_NUMBER, 0, 64),
    [ACCORDI_PARAMETER_FRACTION] = ROW(fraction, ACCORDI_NUMBER, 0, 100),
    [ACCORDI_PARAMETER_ALIGNMENT] = ROW(alignment, ACCORDI_ROUNDING_OF, 0, 0),
    [ACCORDI_PARAMETER_LEAST_EXPONENT] = ROW(least_exponent, ACCORDI_NUMBER, -3000, 3000),
    [ACCORDI_PARAMETER_NORMALISED] = ROW(normalised, ACCORDI_FLAG, 0, 1),
    [ACCORDI_PARAMETER_LEADING] = LATER(leading, ACCORDI_FLAG, 0, 1),
    [ACCORDI_PARAMETER_C_LEADING] = LATER(c_leading, ACCORDI_FLAG, 0, 1),
    [ACCORDI_PARAMETER_ZEROS] = LATER(zeros, ACCORDI_FLAG, 0, 1),
    [ACCORDI_PARAMETER_HALVES] = ROW(halves, ACCORDI_FLAG, 0, 1),
    [ACCORDI_PARAMETER_SUM_FRACTION] = ROW(sum_fraction, ACCORDI_NUMBER, 0, 100),
    [ACCORDI_PARAMETER_C_FRACTION] = ROW(c_fraction, ACCORDI_NUMBER, 0, 100),
    [ACCORDI_PARAMETER_C_REACH] = ROW(c_reach, ACCORDI_NUMBER, 0, 3000),
    [ACCORDI_PARAMETER_JOIN] = ROW(join, ACCORDI_ROUNDING_OF, 0, 0),
    [ACCORDI_PARAMETER_ROUNDING] = ROW(rounding, ACCORDI_ROUNDING_OF, 0, 0),
    [ACCORDI_PARAMETER_OVERFLOW] = LATER(overflow, ACCORDI_OVERFLOW_OF, 0, 0),
    [ACCORDI_PARAMETER_POSITIVE_ZERO] = LATER(positive_zero, ACCORDI_FLAG, 0, 1),
    [ACCORDI_PARAMETER_OUTPUT_FRACTION] = ROW(output_fraction, ACCORDI_NUMBER, 0, 52),
    [ACCORDI_PARAMETER_FLUSH] = ROW(flush, ACCORDI_FLAG, 0, 1),
    [ACCORDI_PARAMETER_FLUSH_TINY] = LATER(flush_tiny, ACCORDI_FLAG, 0, 1),
    [ACCORDI_PARAMETER_INFINITE_PRODUCTS] = ROW(infinite_products, ACCORDI_FLAG, 0, 1),
    [ACCORDI_PARAMETER_SCALE] = LATER(scale, ACCORDI_FORMAT_OF, 0, 0),
};

const char *accordi_parameter_word(const accordi_parameter *parameter, int value)
{
    const accord_format_info *format = accord_format_get((enum accord_format)value);
    switch (parameter->kind) {
    case ACCORDI_FORMAT_OF:
        return format ? format->name : NULL;
    case ACCORDI_ROUNDING_OF:
        return accordi_rounding_name(value);
    case ACCORDI_SCHEME_OF:
        return accordi_scheme_name(value);
    case ACCORDI_OVERFLOW_OF:
        return accordi_overflow_name(value);
    default:
        return NULL;
    }
}

const char *accordi_parameter_title(const accordi_parameter *parameter, int value)
{
    switch (parameter->kind) {
    case ACCORDI_ROUNDING_OF:
        return accordi_rounding_title(value);
    case ACCORDI_SCHEME_OF:
        return accordi_scheme_title(value);
    case ACCORDI_OVERFLOW_OF:
        return accordi_overflow_title(value);
    default:
        return accordi_parameter_word(parameter, value);
    }
}

/* Enumerations are read as the unsigned int that compilers keep them in. */
int accordi_parameter_get(const accord_fused *machine, const accordi_parameter *parameter)
{
    const char *at = (const char *)machine + parameter->offset;
    int value;
    bool flag;
    if (parameter->kind == ACCORDI_FLAG) {
        memcpy(&flag, at, sizeof flag);
        return flag;
    }
    memcpy(&value, at, sizeof value);
    return value;
}

void accordi_parameter_set(accord_fused *machine, const accordi_parameter *parameter, int value)
{
    char *at = (char *)machine + parameter->offset;
    bool flag = value != 0;
    if (parameter->kind == ACCORDI_FLAG)
        memcpy(at, &flag, sizeof flag);
    else
        memcpy(at, &value, sizeof value);
}

_Static_assert(sizeof(enum accord_format) == sizeof(int) &&
                   sizeof(enum accord_rounding) == sizeof(int) &&
                   sizeof(enum accord_fused_scheme) == sizeof(int) &&
                   sizeof(enum accord_fused_overflow) == sizeof(int),
               "enumerations are kept as int");

static bool same_machine(const accord_fused *a, const accord_fused *b)
{
    for (int i = 0; i < ACCORDI_PARAMETERS; i++)
        if (accordi_parameter_get(a, &accordi_parameters[i]) !=
            accordi_parameter_get(b, &accordi_parameters[i]))
            return false;
    return true;
}

const accord_fused *accordi_known_machine(const accord_fused *machine)
{
    const accord_fused *row = machine->name ? accord_fused_by_name(machine->name) : NULL;
    if (row && same_machine(row, machine))
        return row;
    for (size_t i = 0; (row = accord_fused_at(i)); i++)
        if (same_machine(row, machine))
            return row;
    return NULL;
}
