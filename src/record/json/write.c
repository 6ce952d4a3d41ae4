/* The record as JSON: flat, versioned, never nested by depth (doc of the schema: record.h's
 * record, by the rows of fields.c).
 *
 *   { "accord": 1, "question": {…}, "answer": {…}, "evidence": {…}, "answers": {…},
 *     "tree": { "leaves": n, "inner": m, "fingerprint": "…", "notation": "…", "parents": [ … ] },
 *     "arithmetic": { "term": …, "operations": [ … ], "of_node": [ … ], … },
 *     "alternatives": [ … ] }
 *
 * "parents" holds the parent of nodes 0 … n+m-2 in canonical numbering: leaves first, children
 * before parents, the root left out because it has none. jansson writes all but that array, which
 * may have millions of entries and is streamed. */
#include "record/json/answers.h"
#include "record/json/arithmetic.h"
#include "record/record.h"
#include <accord/notation.h>
#include <accord/pattern.h>
#include <jansson.h>
#include <math.h>

/* Steals `value`; false when there is no memory. */
static bool put_member(json_t *object, const char *name, json_t *value)
{
    return value && json_object_set_new(object, name, value) == 0;
}

static json_t *string(const char *text)
{
    char *clean = accordi_utf8(text, false);
    json_t *value = clean ? json_string(clean) : NULL;
    free(clean);
    return value;
}

/* "NAME=VALUE" becomes a member, a line without "=" one of value null (known to be unset). */
static bool put_variable(json_t *object, char *line)
{
    char *equals = strchr(line, '=');
    if (line[0] == '\0' || equals == line)
        return true;
    if (equals)
        *equals = '\0';
    return put_member(object, line, equals ? json_string(equals + 1) : json_null());
}

/* Adds a line of text to a container. */
typedef bool line_adder(json_t *container, char *line);

static bool put_item(json_t *array, char *line)
{
    return line[0] == '\0' || json_array_append_new(array, json_string(line)) == 0;
}

/* Steals the container; NULL when there is no memory. */
static json_t *with_lines(json_t *container, const char *text, line_adder *add)
{
    char *copy = accordi_utf8(text, false), *rest = copy, *line;
    bool fine = container && copy;
    while (fine && (line = strsep(&rest, "\n")))
        fine = add(container, line);
    free(copy);
    if (fine)
        return container;
    json_decref(container);
    return NULL;
}

static json_t *environment(const char *text)
{
    return with_lines(json_object(), text, put_variable);
}

static json_t *list(const char *text)
{
    return with_lines(json_array(), text, put_item);
}

static bool put_field(json_t *section, const accord_record *record, const accord_field *field)
{
    static json_t *(*const json_of[])(const char *text) = {[ACCORD_FIELD_TEXT] = string,
                                                           [ACCORD_FIELD_LIST] = list,
                                                           [ACCORD_FIELD_ENVIRONMENT] =
                                                               environment};
    const void *at = accord_record_field(record, field);
    switch (field->kind) {
    case ACCORD_FIELD_TEXT:
    case ACCORD_FIELD_LIST:
    case ACCORD_FIELD_ENVIRONMENT: {
        const char *text = *(char *const *)at;
        return !text || put_member(section, field->name, json_of[field->kind](text));
    }
    case ACCORD_FIELD_INTEGER:
        return put_member(section, field->name, json_integer(*(const int64_t *)at));
    case ACCORD_FIELD_REAL: {
        double value = *(const double *)at;
        return !isfinite(value) || put_member(section, field->name, json_real(value));
    }
    case ACCORD_FIELD_BOOL:
        return put_member(section, field->name, json_boolean(*(const bool *)at));
    }
    return false;
}

static bool put_fields(json_t *document, const accord_record *record)
{
    const accord_field *field;
    for (size_t i = 0; (field = accord_field_at(i)); i++) {
        json_t *section = json_object_get(document, field->section);
        if (!section) {
            section = json_object();
            if (!put_member(document, field->section, section))
                return false;
        }
        if (!put_field(section, record, field))
            return false;
    }
    return true;
}

/* All but the tree and the last bracket; free() it. */
static char *metadata(const accord_record *record)
{
    json_t *document = json_object();
    char *text = NULL;
    if (document && put_member(document, "accord", json_integer(ACCORDI_SCHEMA)) &&
        put_fields(document, record) &&
        (!record->answers.generator ||
         put_member(document, "answers", accordi_answers_json(&record->answers))))
        text = json_dumps(document, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    json_decref(document);
    if (text)
        text[strlen(text) - 2] = '\0';
    return text;
}

static enum accord_status write_parents(const accord_tree *tree, accordi_stream *s,
                                        accord_error *error)
{
    uint32_t count = tree->leaves + tree->inner - 1;
    uint32_t *parent = accordi_alloc((size_t)count + 1, sizeof *parent);
    if (!parent)
        return accordi_nomem(error);
    accord_tree_parents(tree, parent);
    accordi_stream_puts(s, "    \"parents\": [");
    for (uint32_t v = 0; v < count; v++) {
        if (v > 0)
            accordi_stream_char(s, ',');
        if (v % 16 == 0)
            accordi_stream_puts(s, "\n      ");
        accordi_stream_number(s, parent[v]);
    }
    accordi_stream_puts(s, "\n    ]\n  }");
    free(parent);
    return ACCORD_OK;
}

/* Of a regular order; an irregular one has a notation as long as the parents. */
static enum accord_status write_notation(const accord_tree *tree, accordi_stream *s,
                                         accord_error *error)
{
    char *text = NULL;
    bool regular = false;
    enum accord_status status = accord_notation_write(tree, NULL, &text, &regular, error);
    if (!status && regular)
        accordi_stream_printf(s, "    \"notation\": \"%s\",\n", text);
    accord_notation_free(text);
    return status;
}

static enum accord_status write_names(const accord_tree *tree, accordi_stream *s,
                                      accord_error *error)
{
    char *text = NULL;
    const char *before = "    \"names\": [";
    enum accord_status status = accord_order_names(tree, &text, error);
    bool some = !status && *text;
    for (char *at = some ? text : NULL, *end; at; at = end, before = ", ") {
        if ((end = strchr(at, '\n')))
            *end++ = '\0';
        accordi_stream_printf(s, "%s\"%s\"", before, at);
    }
    accordi_stream_puts(s, some ? "],\n" : "");
    accord_notation_free(text);
    return status;
}

static enum accord_status write_tree(const accord_tree *tree, accordi_stream *s,
                                     accord_error *error)
{
    char fingerprint[ACCORD_FINGERPRINT_SIZE];
    enum accord_status status = accord_tree_fingerprint(tree, fingerprint, error);
    if (status != ACCORD_OK)
        return status;
    accordi_stream_printf(s,
                          ",\n  \"tree\": {\n    \"leaves\": %u,\n    \"inner\": %u,\n"
                          "    \"fingerprint\": \"%s\",\n",
                          tree->leaves, tree->inner, fingerprint);
    status = write_notation(tree, s, error);
    if (!status)
        status = write_names(tree, s, error);
    return status ? status : write_parents(tree, s, error);
}

enum accord_status accordi_write_json(const accord_record *record,
                                      const accord_write_options *options, accordi_stream *stream,
                                      accord_error *error)
{
    (void)options;
    char *text = metadata(record);
    if (!text)
        return accordi_nomem(error);
    accordi_stream_puts(stream, text);
    free(text);
    if (record->tree) {
        enum accord_status status = write_tree(record->tree, stream, error);
        if (status != ACCORD_OK)
            return status;
    }
    if (record->tree && record->arithmetic) {
        const accord_model model = {record->tree, record->arithmetic};
        accordi_stream_puts(stream, ",\n  \"arithmetic\": {");
        accordi_write_arithmetic(&model, stream);
        accordi_stream_puts(stream, "\n  }");
        accordi_write_alternatives(record, stream);
    }
    accordi_stream_puts(stream, "\n}\n");
    return ACCORD_OK;
}
