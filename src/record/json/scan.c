/* Finding a place in JSON text without building the document.
 *
 * A JSON library spends tens of bytes on each number, so the one long array of a record is read
 * here and the few kilobytes around it are left to the library. A scan over brackets and strings
 * is enough to find the array: in valid JSON a string followed by a colon is a member's name, and
 * everything else is only counted by depth. In a malformed text the scan may guess wrong, but
 * then the library refuses the text. */
#include "record/json/scan.h"
#include "record/record.h"

bool accordi_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

size_t accordi_skip_space(const char *text, size_t length, size_t at)
{
    while (at < length && accordi_is_space(text[at]))
        at++;
    return at;
}

/* From the opening quote to past the closing one. */
static size_t skip_string(const char *text, size_t length, size_t at)
{
    for (at++; at < length && text[at] != '"'; at++)
        if (text[at] == '\\')
            at++;
    return at < length ? at + 1 : length;
}

static bool is_name(const char *text, size_t begin, size_t end, const char *name)
{
    size_t size = strlen(name);
    return end - begin == size + 2 && memcmp(text + begin + 1, name, size) == 0;
}

bool accordi_json_find(const char *text, size_t length, const char *section, const char *name,
                       size_t *offset)
{
    size_t depth = 0, wanted = section ? 2 : 1, at = 0;
    bool inside = !section;
    while (at < length) {
        char c = text[at];
        if (c == '"') {
            size_t begin = at, end = skip_string(text, length, at);
            at = accordi_skip_space(text, length, end);
            if (at >= length || text[at] != ':')
                continue;
            at = accordi_skip_space(text, length, at + 1);
            if (section && depth == 1)
                inside = is_name(text, begin, end, section);
            if (inside && depth == wanted && is_name(text, begin, end, name)) {
                *offset = at;
                return at < length;
            }
            continue;
        }
        if (c == '{' || c == '[')
            depth++;
        else if ((c == '}' || c == ']') && depth > 0)
            depth--;
        at++;
    }
    return false;
}

static enum accord_status read_number(const char *text, size_t length, size_t *at,
                                      accordi_buffer *numbers, accord_error *error)
{
    size_t start = *at, i = start;
    uint64_t value = 0;
    for (; i < length && text[i] >= '0' && text[i] <= '9' && value < UINT32_MAX; i++)
        value = 10 * value + (uint64_t)(text[i] - '0');
    if (i == start)
        return accordi_fail_at(error, text, start, "expected the number of a node");
    if (i - start > 1 && text[start] == '0')
        return accordi_fail_at(error, text, start, "the number begins with a zero");
    if (value >= UINT32_MAX)
        return accordi_fail_at(error, text, start, "the number of a node is too large");
    uint32_t node = (uint32_t)value;
    accordi_buffer_append(numbers, &node, sizeof node);
    *at = i;
    return numbers->failed ? accordi_nomem(error) : ACCORD_OK;
}

enum accord_status accordi_json_numbers(const char *text, size_t length, size_t *at,
                                        accordi_buffer *numbers, accord_error *error)
{
    size_t i = accordi_skip_space(text, length, *at + 1);
    bool more = i >= length || text[i] != ']';
    while (more) {
        i = accordi_skip_space(text, length, i);
        enum accord_status status = read_number(text, length, &i, numbers, error);
        if (status != ACCORD_OK)
            return status;
        i = accordi_skip_space(text, length, i);
        more = i < length && text[i] == ',';
        if (!more && (i >= length || text[i] != ']'))
            return accordi_fail_at(error, text, i,
                                   i < length ? "expected ',' or ']'"
                                              : "the text ends inside an array");
        i += more;
    }
    *at = i + 1;
    return ACCORD_OK;
}

enum accord_status accordi_json_fail(const accordi_json_text *text, const char *section,
                                     const char *name, const char *problem)
{
    size_t at = 0;
    if (!accordi_json_find(text->text, text->length, section, name, &at) && section)
        accordi_json_find(text->text, text->length, NULL, section, &at);
    return accordi_fail_at(text->error, text->text, at, "%s%s%s %s", section ? section : "",
                           section ? "." : "", name, problem);
}
