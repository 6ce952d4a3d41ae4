/* The parameters of a machine (accord/fused.h) as a table: what files, fingerprints, comparisons
 * and the search for features go by. Internal. */
#ifndef ACCORDI_PARAMETERS_H
#define ACCORDI_PARAMETERS_H

#include <accord/fused.h>
#include <stdbool.h>
#include <stddef.h>

/* A parameter of a machine that may be left out of files where it has its default. */
enum accordi_parameter_kind {
    ACCORDI_NUMBER,
    ACCORDI_FLAG,
    ACCORDI_FORMAT_OF,
    ACCORDI_ROUNDING_OF,
    ACCORDI_SCHEME_OF,
    ACCORDI_OVERFLOW_OF
};
/* In the order of files and of fingerprints. */
enum accordi_parameter_id {
    ACCORDI_PARAMETER_INPUT,
    ACCORDI_PARAMETER_OUTPUT,
    ACCORDI_PARAMETER_SCHEME,
    ACCORDI_PARAMETER_TERMS,
    ACCORDI_PARAMETER_BLOCK,
    ACCORDI_PARAMETER_SCALE_BLOCK,
    ACCORDI_PARAMETER_FRACTION,
    ACCORDI_PARAMETER_ALIGNMENT,
    ACCORDI_PARAMETER_LEAST_EXPONENT,
    ACCORDI_PARAMETER_NORMALISED,
    ACCORDI_PARAMETER_LEADING,
    ACCORDI_PARAMETER_C_LEADING,
    ACCORDI_PARAMETER_ZEROS,
    ACCORDI_PARAMETER_HALVES,
    ACCORDI_PARAMETER_SUM_FRACTION,
    ACCORDI_PARAMETER_C_FRACTION,
    ACCORDI_PARAMETER_C_REACH,
    ACCORDI_PARAMETER_JOIN,
    ACCORDI_PARAMETER_ROUNDING,
    ACCORDI_PARAMETER_OVERFLOW,
    ACCORDI_PARAMETER_POSITIVE_ZERO,
    ACCORDI_PARAMETER_OUTPUT_FRACTION,
    ACCORDI_PARAMETER_FLUSH,
    ACCORDI_PARAMETER_FLUSH_TINY,
    ACCORDI_PARAMETER_INFINITE_PRODUCTS,
    ACCORDI_PARAMETER_SCALE,
    ACCORDI_PARAMETERS
};
typedef struct accordi_parameter {
    const char *name;
    enum accordi_parameter_kind kind;
    size_t offset;
    int least, most; /* of numbers */
    bool later;      /* left out of fingerprints where it is 0 */
} accordi_parameter;
extern const accordi_parameter accordi_parameters[ACCORDI_PARAMETERS];
int accordi_parameter_get(const accord_fused *machine, const accordi_parameter *parameter);
void accordi_parameter_set(accord_fused *machine, const accordi_parameter *parameter, int value);
/* What a value is called in files, and by people; NULL where it is a number or a flag. */
const char *accordi_parameter_word(const accordi_parameter *parameter, int value);
const char *accordi_parameter_title(const accordi_parameter *parameter, int value);
/* The row of the table that has all these parameters; NULL when there is none. The row named as
 * the machine is, if that is one of them. */
const accord_fused *accordi_known_machine(const accord_fused *machine);

#endif
