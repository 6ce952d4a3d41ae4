/* The identity of questions: whether two records answer the same one, whether a record answers at
 * all, and the key of the machines on which an answer holds. */
#include "survey/survey.h"

bool accordi_same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static int64_t alignment_of(const accord_record *record)
{
    return record->alignment > 0 ? record->alignment : 0;
}

bool accord_record_same_question(const accord_record *a, const accord_record *b)
{
    return a->n == b->n && a->alpha == b->alpha && a->beta == b->beta &&
           alignment_of(a) == alignment_of(b) && accordi_same_text(a->target, b->target) &&
           accordi_same_text(a->format, b->format) && accordi_same_text(a->shape, b->shape) &&
           accordi_same_text(a->element, b->element) &&
           accordi_same_text(a->transpose, b->transpose) &&
           accordi_same_text(a->strides, b->strides) &&
           accordi_same_text(a->signature, b->signature);
}

bool accordi_has_reason(const accord_record *record, enum accord_reason reason)
{
    return record->reason && strcmp(record->reason, accord_reason_name(reason)) == 0;
}

bool accord_record_has_answer(const accord_record *record)
{
    bool silent =
        accordi_has_reason(record, ACCORD_REASON_OUT_OF_RANGE) && !record->answers.generator;
    return record->tree || (record->reason && !silent);
}

enum accord_status accord_record_key(const accord_record *record, char key[ACCORD_KEY_SIZE],
                                     accord_error *error)
{
    /* As a file would give them back. */
    char *features = accordi_utf8(record->cpu_features ? record->cpu_features : "", false);
    char *version = accordi_utf8(record->library_version ? record->library_version : "", false);
    bool good = features && version;
    char hex[65];
    if (good) {
        accordi_sha256 sha;
        accordi_sha256_init(&sha);
        accordi_sha256_add(&sha, features, strlen(features));
        accordi_sha256_add(&sha, "\n", 1);
        accordi_sha256_add(&sha, version, strlen(version));
        accordi_sha256_hex(&sha, hex);
        snprintf(key, ACCORD_KEY_SIZE, "%.*s", ACCORD_KEY_SIZE - 1, hex);
    }
    free(features);
    free(version);
    return good ? ACCORD_OK : accordi_nomem(error);
}
