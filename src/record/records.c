/* Several records in one text: a JSON array, or a text of one record. */
#include "record/json/scan.h"
#include "record/record.h"
#include <jansson.h>

void accord_records_clear(accord_records *records)
{
    for (size_t i = 0; i < records->count; i++)
        accord_record_free(records->list[i]);
    free(records->list);
    *records = (accord_records){NULL, 0};
}

static enum accord_status read_next(accord_records *found, const char *text, size_t length,
                                    accord_error *error)
{
    accord_record *record = accord_record_new();
    if (!record)
        return accordi_nomem(error);
    found->list[found->count++] = record;
    return accord_record_read(text, length, record, error);
}

static enum accord_status read_each(accord_records *found, const json_t *array, accord_error *error)
{
    enum accord_status status = ACCORD_OK;
    for (size_t i = 0; status == ACCORD_OK && i < json_array_size(array); i++) {
        char *text = json_dumps(json_array_get(array, i), JSON_COMPACT | JSON_ENCODE_ANY);
        status = text ? read_next(found, text, strlen(text), error) : accordi_nomem(error);
        free(text);
    }
    return status;
}

static enum accord_status read_array(accord_records *found, const char *text, size_t length,
                                     accord_error *error)
{
    json_error_t where;
    json_t *array = json_loadb(text, length, JSON_REJECT_DUPLICATES, &where);
    enum accord_status status = ACCORD_PARSE;
    if (!array)
        accordi_fail(error, status, "line %d, column %d: %s; give a file that accord wrote",
                     where.line, where.column, where.text);
    else if (json_array_size(array) == 0)
        accordi_fail(
            error, status,
            "line 1, column 1: the array contains no order; give a file that accord wrote");
    else if (!(found->list = accordi_calloc(json_array_size(array), sizeof *found->list)))
        status = accordi_nomem(error);
    else
        status = read_each(found, array, error);
    json_decref(array);
    return status;
}

enum accord_status accord_records_read(const char *text, size_t length, accord_records *out,
                                       accord_error *error)
{
    accord_records found = {NULL, 0};
    enum accord_status status;
    size_t at = accordi_skip_space(text, length, 0);
    if (at < length && text[at] == '[')
        status = read_array(&found, text, length, error);
    else if (!(found.list = accordi_calloc(1, sizeof *found.list)))
        status = accordi_nomem(error);
    else
        status = read_next(&found, text, length, error);
    if (status == ACCORD_OK)
        *out = found;
    else
        accord_records_clear(&found);
    return status;
}

enum accord_status accord_records_write(const accord_records *records, accord_sink *sink,
                                        void *context, accord_error *error)
{
    const accord_writer *json = accord_writer_by_name("json");
    enum accord_status status = ACCORD_OK;
    bool taken = true;
    for (size_t i = 0; i < records->count && status == ACCORD_OK && taken; i++) {
        taken = sink(context, i ? ",\n" : "[\n", 2);
        if (taken)
            status = accord_record_write(records->list[i], json, NULL, sink, context, error);
    }
    if (status == ACCORD_OK && taken)
        taken = sink(context, records->count ? "]\n" : "[]\n", records->count ? 2 : 3);
    if (status == ACCORD_OK && !taken)
        return accordi_fail(error, ACCORD_IO, "the records could not be written");
    return status;
}
