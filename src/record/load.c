/* A record from text or from a file; the first character distinguishes brackets, JSON and
 * models in one line.
 */
#include "record/json/scan.h"
#include "record/record.h"
#include <errno.h>

/* The number 0 is the bracket form of one term; notations begin with another number. Where a colon
 * follows, the error is that of the number. */
static bool is_notation(const char *text, size_t length, size_t at)
{
    size_t end = at;
    while (end < length && text[end] >= '0' && text[end] <= '9')
        end++;
    size_t colon = end;
    while (colon < length && text[colon] == ' ')
        colon++;
    return end > at && (text[at] != '0' || (colon < length && text[colon] == ':'));
}

static enum accord_status read_notation(const char *text, size_t length, size_t at,
                                        accord_tree **tree, accord_arithmetic **arithmetic,
                                        accord_error *error)
{
    accordi_buffer line = {0};
    accord_error why = {0};
    size_t place = 0;
    accordi_buffer_append(&line, text + at, length - at);
    while (line.length && strchr(" \t\r\n", line.data[line.length - 1]))
        line.data[--line.length] = '\0';
    enum accord_status status =
        line.failed ? accordi_nomem(&why)
                    : accord_model_line_parse(line.data, tree, arithmetic, &place, &why);
    if (status == ACCORD_PARSE)
        accordi_fail_at(error, text, at + place, "%s", strstr(why.text, ": ") + 2);
    else if (status && error)
        *error = why;
    accordi_buffer_clear(&line);
    return status;
}

enum accord_status accord_record_read(const char *text, size_t length, accord_record *record,
                                      accord_error *error)
{
    size_t at = accordi_skip_space(text, length, 0);
    if (at < length && text[at] == '{')
        return accordi_read_json(text, length, record, error);
    if (at == length)
        return accordi_fail_at(error, text, length,
                               "the text contains only white space; give brackets or JSON");
    accord_tree *tree = NULL;
    accord_arithmetic *arithmetic = NULL;
    enum accord_status status = is_notation(text, length, at)
                                    ? read_notation(text, length, at, &tree, &arithmetic, error)
                                    : accord_tree_read_brackets(text, length, &tree, error);
    if (status != ACCORD_OK)
        return status;
    accord_record_clear(record);
    record->tree = tree;
    record->arithmetic = arithmetic;
    record->n = tree->leaves;
    return ACCORD_OK;
}

static enum accord_status read_whole_file(FILE *file, const char *name, accordi_buffer *text,
                                          accord_error *error)
{
    size_t got;
    do {
        size_t room = text->length < 65536 ? 65536 : text->length / 4;
        char *to = accordi_buffer_reserve(text, room);
        if (!to)
            return accordi_nomem(error);
        got = fread(to, 1, room, file);
        text->length += got;
    } while (got > 0);
    if (ferror(file))
        return accordi_fail(error, ACCORD_IO, "cannot read %s: %s", name, strerror(errno));
    return ACCORD_OK;
}

enum accord_status accordi_read_bytes(const char *path, accordi_buffer *text, accord_error *error)
{
    bool standard = strcmp(path, "-") == 0;
    const char *name = standard ? "standard input" : path;
    FILE *file = standard ? stdin : fopen(path, "rb");
    if (!file)
        return accordi_fail(error, ACCORD_IO, "cannot open %s: %s", name, strerror(errno));
    enum accord_status status = read_whole_file(file, name, text, error);
    if (!standard)
        fclose(file);
    accordi_buffer_append(text, "", 0);
    return status == ACCORD_OK && text->failed ? accordi_nomem(error) : status;
}

enum accord_status accord_record_load(const char *path, accord_record *record, accord_error *error)
{
    accordi_buffer text = {0};
    accord_error why = {0};
    enum accord_status status = accordi_read_bytes(path, &text, error);
    if (status == ACCORD_OK) {
        status = accord_record_read(text.data, text.length, record, &why);
        if (status != ACCORD_OK)
            accordi_fail(error, status, "%s: %s", strcmp(path, "-") ? path : "standard input",
                         why.text);
    }
    accordi_buffer_clear(&text);
    return status;
}
