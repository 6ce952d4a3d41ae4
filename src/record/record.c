/* Creates, copies and frees records; helpers on text that readers and writers share. */
#include "record/record.h"

void accordi_record_init(accord_record *record)
{
    memset(record, 0, sizeof *record);
    record->alignment = -1;
    record->scale = record->alpha = 1;
}

void accord_record_clear(accord_record *record)
{
    const accord_field *field;
    for (size_t i = 0; (field = accord_field_at(i)); i++)
        if (field->kind <= ACCORD_FIELD_ENVIRONMENT)
            free(*(char **)accordi_field_of(record, field));
    accord_tree_free(record->tree);
    accord_arithmetic_free(record->arithmetic);
    for (size_t i = 0; i < ACCORD_ALTERNATIVES_KEPT; i++)
        accord_arithmetic_free(record->alternatives[i].arithmetic);
    free(record->answers.digest);
    accordi_record_init(record);
}

accord_record *accord_record_new(void)
{
    accord_record *record = accordi_alloc(1, sizeof *record);
    if (record)
        accordi_record_init(record);
    return record;
}

void accord_record_free(accord_record *record)
{
    if (record)
        accord_record_clear(record);
    free(record);
}

enum accord_status accord_record_set(char **field, const char *text, accord_error *error)
{
    char *copy = text ? accordi_strdup(text) : NULL;
    if (text && !copy)
        return accordi_nomem(error);
    free(*field);
    *field = copy;
    return ACCORD_OK;
}

enum accord_status accordi_fail_at(accord_error *error, const char *text, size_t offset,
                                   const char *format, ...)
{
    char words[400];
    size_t line = 1, start = 0;
    for (size_t i = 0; i < offset; i++)
        if (text[i] == '\n') {
            line++;
            start = i + 1;
        }
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    for (char *c = words; *c; c++) /* what is quoted from the file must not steer a terminal */
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    return accordi_fail(error, ACCORD_PARSE, "line %zu, column %zu: %s", line, offset - start + 1,
                        words);
}

enum accord_status accord_record_fingerprint(const accord_record *record,
                                             char out[ACCORD_FINGERPRINT_SIZE], accord_error *error)
{
    const accord_model model = {record->tree, record->arithmetic};
    if (!record->tree)
        return accordi_fail(error, ACCORD_ARG, "a record without an order has no fingerprint");
    return record->arithmetic ? accord_model_fingerprint(&model, out, error)
                              : accord_tree_fingerprint(record->tree, out, error);
}
