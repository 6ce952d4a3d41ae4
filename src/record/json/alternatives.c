/* The alternatives of a record in JSON: an array of objects, each with the members of an arithmetic
 * and, beside them, `words` for people and `searched`. */
#include "record/json/arithmetic.h"

void accordi_write_alternatives(const accord_record *record, accordi_stream *s)
{
    size_t count = accord_record_alternatives(record);
    for (size_t i = 0; i < count; i++) {
        const accord_model model = {record->tree, record->alternatives[i].arithmetic};
        char words[ACCORD_DESCRIPTION_SIZE];
        accord_alternative_words(record, i, words, sizeof words);
        accordi_stream_printf(s, "%s\n    \"words\": \"%s\",\n    \"searched\": %zu,",
                              i ? ", {" : ",\n  \"alternatives\": [{", words,
                              (size_t)record->alternatives[i].searched);
        accordi_write_arithmetic(&model, s);
        accordi_stream_puts(s, "\n  }");
    }
    accordi_stream_puts(s, count ? "]" : "");
}

static bool append_runs(const json_t *array, accordi_buffer *runs)
{
    bool fine = !array || json_is_array(array);
    for (size_t i = 0; fine && i < json_array_size(array); i++) {
        const json_t *value = json_array_get(array, i);
        json_int_t number = json_integer_value(value);
        uint32_t run = (uint32_t)number;
        fine = json_is_integer(value) && number >= 0 && number < UINT32_MAX;
        accordi_buffer_append(runs, &run, sizeof run);
    }
    return fine;
}

/* Takes the same operands and gives a result of the same format, by another arithmetic. */
static const char *wrong_with(const accord_record *record, const accord_arithmetic *a)
{
    const accord_arithmetic *told = record->arithmetic;
    const accord_model one = {record->tree, told}, two = {record->tree, a};
    char words[160];
    if (a->term != told->term || a->input != told->input || a->output != told->output ||
        a->beta != told->beta || a->alpha != told->alpha)
        return "has to contain arithmetics with the same terms, formats and factors as "
               "\"arithmetic\"";
    if (!accord_model_differ(&one, &two, words, sizeof words))
        return "has to contain arithmetics that differ from \"arithmetic\"";
    return NULL;
}

static enum accord_status read_one(const accordi_json_text *text, const json_t *object,
                                   const accord_record *record, accord_alternative *out)
{
    static const char section[] = "alternatives";
    accordi_buffer runs = {0};
    const json_t *searched = json_object_get(object, "searched");
    if (!json_is_object(object) || !json_is_integer(searched) || json_integer_value(searched) < 0)
        return accordi_json_fail(text, NULL, section,
                                 "has to be an array of objects with a count \"searched\"");
    if (!append_runs(json_object_get(object, "of_node"), &runs)) {
        accordi_buffer_clear(&runs);
        return accordi_json_fail(
            text, NULL, section,
            "has a member of_node that is not an array of counts and numbers of operations");
    }
    enum accord_status status =
        runs.failed ? accordi_nomem(text->error)
                    : accordi_read_arithmetic(text, section, object, record->tree,
                                              (const uint32_t *)(const void *)runs.data,
                                              runs.length / sizeof(uint32_t), &out->arithmetic);
    accordi_buffer_clear(&runs);
    out->searched = json_integer_value(searched);
    const char *wrong = status ? NULL : wrong_with(record, out->arithmetic);
    return wrong ? accordi_json_fail(text, NULL, section, wrong) : status;
}

enum accord_status accordi_read_alternatives(const accordi_json_text *text, const json_t *array,
                                             accord_record *record)
{
    size_t count = json_array_size(array);
    if (!json_is_array(array) || count > ACCORD_ALTERNATIVES_KEPT)
        return accordi_json_fail(text, NULL, "alternatives",
                                 "has to be an array of at most 4 arithmetics");
    if (count > 0 && !record->arithmetic)
        return accordi_json_fail(text, NULL, "alternatives",
                                 "is given without an \"arithmetic\" that they could replace");
    enum accord_status status = ACCORD_OK;
    for (size_t i = 0; status == ACCORD_OK && i < count; i++)
        status = read_one(text, json_array_get(array, i), record, &record->alternatives[i]);
    return status;
}
