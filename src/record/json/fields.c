/* The record, field by field: one row adds one field to files of either direction. */
#include "record/record.h"

#define ROW(section, kind, name)                                                                   \
    {                                                                                              \
        section, #name, kind, offsetof(accord_record, name)                                        \
    }
#define Q(kind, name) ROW("question", kind, name)
#define A(kind, name) ROW("answer", kind, name)
#define E(kind, name) ROW("evidence", kind, name)

const accordi_field accordi_fields[] = {
    Q(ACCORDI_TEXT, target),
    Q(ACCORDI_TEXT, library),
    Q(ACCORDI_TEXT, library_version),
    Q(ACCORDI_TEXT, library_build),
    Q(ACCORDI_TEXT, cpu),
    Q(ACCORDI_TEXT, cpu_features),
    Q(ACCORDI_ENVIRONMENT, environment),
    Q(ACCORDI_TEXT, shape),
    Q(ACCORDI_TEXT, element),
    Q(ACCORDI_TEXT, transpose),
    Q(ACCORDI_TEXT, strides),
    Q(ACCORDI_TEXT, signature),
    Q(ACCORDI_TEXT, format),
    Q(ACCORDI_TEXT, output),
    Q(ACCORDI_TEXT, term),
    Q(ACCORDI_INTEGER, n),
    Q(ACCORDI_INTEGER, alignment),
    Q(ACCORDI_INTEGER, threads),
    Q(ACCORDI_INTEGER, seed),
    Q(ACCORDI_REAL, alpha),
    Q(ACCORDI_REAL, beta),
    A(ACCORDI_TEXT, accord),
    A(ACCORDI_TEXT, algorithm),
    A(ACCORDI_TEXT, status),
    A(ACCORDI_TEXT, reason),
    A(ACCORDI_TEXT, verdict),
    A(ACCORDI_TEXT, accumulator),
    A(ACCORDI_INTEGER, accumulator_bits),
    A(ACCORDI_REAL, scale),
    A(ACCORDI_BOOL, proven),
    A(ACCORDI_LIST, orders),
    E(ACCORDI_INTEGER, discovery_calls),
    E(ACCORDI_INTEGER, certificate_calls),
    E(ACCORDI_REAL, discovery_seconds),
    E(ACCORDI_REAL, certificate_seconds),
    E(ACCORDI_REAL, target_seconds),
    E(ACCORDI_INTEGER, nodes_confirmed),
    E(ACCORDI_INTEGER, nodes),
    E(ACCORDI_INTEGER, repeats),
    E(ACCORDI_INTEGER, repeats_agreed),
    E(ACCORDI_INTEGER, replays),
    E(ACCORDI_INTEGER, replays_agreed),
    E(ACCORDI_INTEGER, arithmetic_calls),
    E(ACCORDI_INTEGER, nodes_probed),
    E(ACCORDI_INTEGER, nodes_tested),
    E(ACCORDI_INTEGER, node_rounds),
    E(ACCORDI_REAL, node_miss),
    E(ACCORDI_REAL, mask),
    E(ACCORDI_REAL, unit),
    E(ACCORDI_LIST, inputs),
    E(ACCORDI_LIST, inputs_refuting),
    E(ACCORDI_LIST, assumes),
    E(ACCORDI_LIST, left_out),
    E(ACCORDI_LIST, warnings),
};
const size_t accordi_field_count = sizeof accordi_fields / sizeof *accordi_fields;

void *accordi_field_of(const accord_record *record, const accordi_field *field)
{
    return (char *)(uintptr_t)record + field->offset;
}
