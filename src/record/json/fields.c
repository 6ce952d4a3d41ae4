/* The table of the fields of a record in JSON: one row adds one field to reading (read.c) and to
 * writing (write.c). */
#include "record/record.h"

#define ROW(section, kind, name)                                                                   \
    {                                                                                              \
        section, #name, kind, offsetof(accord_record, name)                                        \
    }
#define Q(kind, name) ROW("question", kind, name)
#define A(kind, name) ROW("answer", kind, name)
#define E(kind, name) ROW("evidence", kind, name)

static const accord_field fields[] = {
    Q(ACCORD_FIELD_TEXT, target),
    Q(ACCORD_FIELD_TEXT, library),
    Q(ACCORD_FIELD_TEXT, library_version),
    Q(ACCORD_FIELD_TEXT, library_build),
    Q(ACCORD_FIELD_TEXT, cpu),
    Q(ACCORD_FIELD_TEXT, cpu_features),
    Q(ACCORD_FIELD_ENVIRONMENT, environment),
    Q(ACCORD_FIELD_TEXT, shape),
    Q(ACCORD_FIELD_TEXT, element),
    Q(ACCORD_FIELD_TEXT, transpose),
    Q(ACCORD_FIELD_TEXT, strides),
    Q(ACCORD_FIELD_TEXT, signature),
    Q(ACCORD_FIELD_TEXT, format),
    Q(ACCORD_FIELD_TEXT, output),
    Q(ACCORD_FIELD_TEXT, term),
    Q(ACCORD_FIELD_INTEGER, n),
    Q(ACCORD_FIELD_INTEGER, alignment),
    Q(ACCORD_FIELD_INTEGER, threads),
    Q(ACCORD_FIELD_INTEGER, seed),
    Q(ACCORD_FIELD_REAL, alpha),
    Q(ACCORD_FIELD_REAL, beta),
    A(ACCORD_FIELD_TEXT, accord),
    A(ACCORD_FIELD_TEXT, algorithm),
    A(ACCORD_FIELD_TEXT, status),
    A(ACCORD_FIELD_TEXT, reason),
    A(ACCORD_FIELD_TEXT, verdict),
    A(ACCORD_FIELD_TEXT, accumulator),
    A(ACCORD_FIELD_INTEGER, accumulator_bits),
    A(ACCORD_FIELD_REAL, scale),
    A(ACCORD_FIELD_BOOL, proven),
    A(ACCORD_FIELD_LIST, orders),
    E(ACCORD_FIELD_INTEGER, discovery_calls),
    E(ACCORD_FIELD_INTEGER, certificate_calls),
    E(ACCORD_FIELD_REAL, discovery_seconds),
    E(ACCORD_FIELD_REAL, certificate_seconds),
    E(ACCORD_FIELD_REAL, replay_seconds),
    E(ACCORD_FIELD_REAL, target_seconds),
    E(ACCORD_FIELD_INTEGER, nodes_confirmed),
    E(ACCORD_FIELD_INTEGER, nodes),
    E(ACCORD_FIELD_TEXT, proof),
    E(ACCORD_FIELD_INTEGER, proof_calls),
    E(ACCORD_FIELD_REAL, proof_error),
    E(ACCORD_FIELD_INTEGER, repeats),
    E(ACCORD_FIELD_INTEGER, repeats_agreed),
    E(ACCORD_FIELD_INTEGER, replays),
    E(ACCORD_FIELD_INTEGER, replays_agreed),
    E(ACCORD_FIELD_INTEGER, arithmetic_calls),
    E(ACCORD_FIELD_INTEGER, nodes_probed),
    E(ACCORD_FIELD_INTEGER, nodes_tested),
    E(ACCORD_FIELD_INTEGER, node_rounds),
    E(ACCORD_FIELD_REAL, node_miss),
    E(ACCORD_FIELD_REAL, mask),
    E(ACCORD_FIELD_REAL, unit),
    E(ACCORD_FIELD_LIST, inputs),
    E(ACCORD_FIELD_LIST, inputs_refuting),
    E(ACCORD_FIELD_LIST, assumes),
    E(ACCORD_FIELD_LIST, left_out),
    E(ACCORD_FIELD_LIST, warnings),
    E(ACCORD_FIELD_LIST, circumstances),
};
const accord_field *accord_field_at(size_t i)
{
    return i < sizeof fields / sizeof *fields ? &fields[i] : NULL;
}

void *accordi_field_of(accord_record *record, const accord_field *field)
{
    return (char *)record + field->offset;
}

const void *accord_record_field(const accord_record *record, const accord_field *field)
{
    return (const char *)record + field->offset;
}
