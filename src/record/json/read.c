/* A record from JSON. The long arrays (the parents, the operations of nodes) are cut out of the
 * text and read by scan.c; what is left goes through jansson, and then field by field through
 * the table. Members that are not known are passed over: within a version of the schema, members
 * may be added. */
#include "record/json/answers.h"
#include "record/json/arithmetic.h"
#include "record/json/scan.h"
#include "record/record.h"
#include <accord/notation.h>
#include <jansson.h>

/* An array of numbers: text[from] … text[end-1]; equal if there is none. */
typedef struct cut {
    size_t from, end;
    accordi_buffer numbers; /* uint32_t */
} cut;

enum { PARENTS, NODES, CUTS };

typedef struct reader {
    accordi_json_text in;
    cut cuts[CUTS];
    json_t *document;
    accord_record record;
} reader;

/* An error about a member: at its value if it can be found in the text. */
static enum accord_status fail_member(const reader *r, const char *section, const char *name,
                                      const char *problem)
{
    return accordi_json_fail(&r->in, section, name, problem);
}

static enum accord_status cut_array(reader *r, const char *section, const char *name, cut *c)
{
    size_t at;
    if (!accordi_json_find(r->in.text, r->in.length, section, name, &at) || r->in.text[at] != '[')
        return ACCORD_OK;
    c->from = c->end = at;
    return accordi_json_numbers(r->in.text, r->in.length, &c->end, &c->numbers, r->in.error);
}

static enum accord_status cut_arrays(reader *r)
{
    enum accord_status status = cut_array(r, "tree", "parents", &r->cuts[PARENTS]);
    if (status == ACCORD_OK)
        status = cut_array(r, "arithmetic", "of_node", &r->cuts[NODES]);
    return status;
}

/* The cuts in the order of the text. */
static void order_cuts(const reader *r, const cut *ordered[CUTS])
{
    bool swapped = r->cuts[PARENTS].from > r->cuts[NODES].from;
    ordered[0] = &r->cuts[swapped ? NODES : PARENTS];
    ordered[1] = &r->cuts[swapped ? PARENTS : NODES];
}

/* Where a place in the text without the arrays is in the whole text. */
static size_t place_in_text(const reader *r, size_t at)
{
    const cut *ordered[CUTS];
    order_cuts(r, ordered);
    for (int i = 0; i < CUTS; i++) {
        const cut *c = ordered[i];
        if (c->end > c->from && at > c->from)
            at = at < c->from + 4 ? c->from : at - 4 - c->from + c->end;
    }
    return at;
}

/* The text without the arrays, which become nulls. */
static enum accord_status parse_rest(reader *r)
{
    accordi_buffer rest = {0};
    const cut *ordered[CUTS];
    size_t done = 0;
    order_cuts(r, ordered);
    for (int i = 0; i < CUTS; i++) {
        if (ordered[i]->end == ordered[i]->from)
            continue;
        accordi_buffer_append(&rest, r->in.text + done, ordered[i]->from - done);
        accordi_buffer_puts(&rest, "null");
        done = ordered[i]->end;
    }
    accordi_buffer_append(&rest, r->in.text + done, r->in.length - done);
    if (rest.failed) {
        accordi_buffer_clear(&rest);
        return accordi_nomem(r->in.error);
    }
    json_error_t trouble;
    r->document = json_loadb(rest.data, rest.length, JSON_REJECT_DUPLICATES, &trouble);
    accordi_buffer_clear(&rest);
    if (r->document)
        return ACCORD_OK;
    /* jansson tells the end of the token that it did not expect */
    bool at_end = json_error_code(&trouble) == json_error_premature_end_of_input;
    size_t at = place_in_text(r, trouble.position < 1 ? 0 : (size_t)trouble.position - !at_end);
    if (json_error_code(&trouble) == json_error_out_of_memory)
        return accordi_nomem(r->in.error);
    return accordi_fail_at(r->in.error, r->in.text, at < r->in.length ? at : r->in.length,
                           "not JSON: %s", trouble.text);
}

static enum accord_status check_schema(reader *r)
{
    const json_t *version = json_object_get(r->document, "accord");
    if (!json_is_object(r->document))
        return accordi_fail_at(r->in.error, r->in.text, 0, "expected an object");
    if (!version)
        return accordi_fail_at(
            r->in.error, r->in.text, 0,
            "there is no member \"accord\" with a schema version, so this is not a file of accord");
    if (!json_is_integer(version))
        return fail_member(r, NULL, "accord", "has to be the version of the schema, an integer");
    if (json_integer_value(version) == ACCORDI_SCHEMA)
        return ACCORD_OK;
    char words[160];
    snprintf(words, sizeof words,
             "the schema version is %lld, but this program reads version %d; use the accord that "
             "wrote the file or record the order again",
             (long long)json_integer_value(version), ACCORDI_SCHEMA);
    size_t at = 0;
    accordi_json_find(r->in.text, r->in.length, NULL, "accord", &at);
    return accordi_fail_at(r->in.error, r->in.text, at, "%s", words);
}

static bool add_variable(accordi_buffer *lines, const char *name, const json_t *value)
{
    const char *text = json_string_value(value);
    if ((!text && !json_is_null(value)) || name[0] == '\0' || strpbrk(name, "=\n") ||
        (text && strchr(text, '\n')))
        return false;
    if (lines->length > 0)
        accordi_buffer_puts(lines, "\n");
    accordi_buffer_puts(lines, name);
    if (text) {
        accordi_buffer_puts(lines, "=");
        accordi_buffer_puts(lines, text);
    }
    return true;
}

/* The lines become the field, unless there is a problem with them. */
static enum accord_status take_lines(const reader *r, const accord_field *field,
                                     accordi_buffer *lines, const char *problem, char **to)
{
    if (lines->failed || problem) {
        bool nomem = lines->failed;
        accordi_buffer_clear(lines);
        return nomem ? accordi_nomem(r->in.error)
                     : fail_member(r, field->section, field->name, problem);
    }
    free(*to);
    *to = lines->data;
    return ACCORD_OK;
}

static enum accord_status read_environment(reader *r, const accord_field *field, json_t *object,
                                           char **to)
{
    static const char problem[] = "has to be an object whose names do not contain '=' and whose "
                                  "values are one line of text or null";
    accordi_buffer lines = {0};
    const char *name;
    json_t *value;
    bool fine = json_is_object(object);
    accordi_buffer_puts(&lines, "");
    json_object_foreach(object, name, value) fine = fine && add_variable(&lines, name, value);
    return take_lines(r, field, &lines, fine ? NULL : problem, to);
}

/* Text, as older files have it, is a list of one. */
static enum accord_status read_list(reader *r, const accord_field *field, json_t *value, char **to)
{
    accordi_buffer lines = {0};
    bool one = json_is_string(value), fine = one || json_is_array(value);
    size_t count = one ? 1 : json_array_size(value);
    accordi_buffer_puts(&lines, "");
    for (size_t i = 0; i < count && fine; i++) {
        const char *text = json_string_value(one ? value : json_array_get(value, i));
        fine = text && *text && !strchr(text, '\n');
        accordi_buffer_puts(&lines, i ? "\n" : "");
        accordi_buffer_puts(&lines, fine ? text : "");
    }
    return take_lines(r, field, &lines, fine ? NULL : "has to be an array of single lines of text",
                      to);
}

static enum accord_status read_field(reader *r, const accord_field *field, json_t *value)
{
    void *to = accordi_field_of(&r->record, field);
    const char *problem = NULL;
    if (json_is_null(value))
        return ACCORD_OK;
    switch (field->kind) {
    case ACCORD_FIELD_TEXT:
        if (json_is_string(value))
            return accord_record_set(to, json_string_value(value), r->in.error);
        problem = "has to be text or null";
        break;
    case ACCORD_FIELD_LIST:
        return read_list(r, field, value, to);
    case ACCORD_FIELD_ENVIRONMENT:
        return read_environment(r, field, value, to);
    case ACCORD_FIELD_INTEGER:
        if (json_is_integer(value))
            *(int64_t *)to = json_integer_value(value);
        else
            problem = "has to be an integer";
        break;
    case ACCORD_FIELD_REAL:
        if (json_is_number(value))
            *(double *)to = json_number_value(value);
        else
            problem = "has to be a number";
        break;
    case ACCORD_FIELD_BOOL:
        if (json_is_boolean(value))
            *(bool *)to = json_is_true(value);
        else
            problem = "has to be true or false";
        break;
    }
    return problem ? fail_member(r, field->section, field->name, problem) : ACCORD_OK;
}

static enum accord_status read_fields(reader *r)
{
    const accord_field *field;
    for (size_t i = 0; (field = accord_field_at(i)); i++) {
        json_t *section = json_object_get(r->document, field->section);
        if (section && !json_is_object(section))
            return fail_member(r, NULL, field->section, "has to be an object");
        json_t *value = json_object_get(section, field->name);
        enum accord_status status = value ? read_field(r, field, value) : ACCORD_OK;
        if (status != ACCORD_OK)
            return status;
    }
    return ACCORD_OK;
}

static enum accord_status read_tree_count(const reader *r, const json_t *tree, const char *name,
                                          size_t *out)
{
    const json_t *value = json_object_get(tree, name);
    json_int_t count = json_integer_value(value);
    if (!json_is_integer(value) || count < 0 || count > (json_int_t)ACCORD_TREE_MAX_LEAVES)
        return fail_member(r, "tree", name, "has to be a count of nodes");
    *out = (size_t)count;
    return ACCORD_OK;
}

/* The fingerprint in the file, if there is one, against that of the tree. */
static enum accord_status check_fingerprint(const reader *r, const json_t *tree)
{
    const json_t *value = json_object_get(tree, "fingerprint");
    char actual[ACCORD_FINGERPRINT_SIZE], problem[160];
    if (!value)
        return ACCORD_OK;
    enum accord_status status = accord_tree_fingerprint(r->record.tree, actual, r->in.error);
    if (status != ACCORD_OK)
        return status;
    if (json_is_string(value) && strcmp(json_string_value(value), actual) == 0)
        return ACCORD_OK;
    snprintf(problem, sizeof problem,
             "is not that of the tree, which is %s: the file was damaged or changed by hand",
             actual);
    return fail_member(r, "tree", "fingerprint", problem);
}

/* The notation in the file, if there is one, against the tree. */
static enum accord_status check_notation(const reader *r, const json_t *tree)
{
    const json_t *value = json_object_get(tree, "notation");
    accord_tree *other = NULL;
    accord_error why = {0};
    if (!value)
        return ACCORD_OK;
    if (!json_is_string(value))
        return fail_member(r, "tree", "notation", "has to be a text");
    enum accord_status status =
        accord_notation_parse(json_string_value(value), &other, NULL, NULL, &why);
    bool same = !status && accord_tree_equal(other, r->record.tree);
    accord_tree_free(other);
    if (same)
        return ACCORD_OK;
    return fail_member(r, "tree", "notation",
                       status ? why.text
                              : "is another order than the parents: the file was damaged or "
                                "changed by hand");
}

static enum accord_status build_tree(reader *r, size_t leaves, size_t inner)
{
    static const uint32_t root = ACCORD_TREE_NO_NODE;
    accordi_buffer *parents = &r->cuts[PARENTS].numbers;
    if (parents->length / sizeof root != leaves + inner - 1) {
        char problem[120];
        snprintf(problem, sizeof problem,
                 "has %zu entries, but %zu leaves and %zu inner nodes need %zu",
                 parents->length / sizeof root, leaves, inner, leaves + inner - 1);
        return fail_member(r, "tree", "parents", problem);
    }
    accordi_buffer_append(parents, &root, sizeof root);
    if (parents->failed)
        return accordi_nomem(r->in.error);
    accord_error why = {0};
    enum accord_status status = accord_tree_from_parents(
        leaves, inner, (const uint32_t *)(const void *)parents->data, &r->record.tree, &why);
    if (status == ACCORD_ARG)
        return accordi_fail_at(r->in.error, r->in.text, r->cuts[PARENTS].from,
                               "the parents do not form a tree: %s", why.text);
    if (status != ACCORD_OK && r->in.error)
        *r->in.error = why;
    accordi_buffer_clear(parents);
    return status;
}

static enum accord_status read_tree(reader *r)
{
    const json_t *tree = json_object_get(r->document, "tree");
    size_t leaves = 0, inner = 0; /* gcc does not see that read_tree_count sets both */
    if (!tree || json_is_null(tree))
        return ACCORD_OK;
    if (!json_is_object(tree))
        return fail_member(r, NULL, "tree", "has to be an object");
    enum accord_status status = read_tree_count(r, tree, "leaves", &leaves);
    if (status == ACCORD_OK)
        status = read_tree_count(r, tree, "inner", &inner);
    if (status != ACCORD_OK)
        return status;
    if (r->cuts[PARENTS].end == r->cuts[PARENTS].from)
        return fail_member(r, "tree", "parents", "has to be an array of node numbers");
    if (leaves == 0)
        return fail_member(r, "tree", "leaves", "has to be 1 or more");
    status = build_tree(r, leaves, inner);
    if (status == ACCORD_OK)
        status = check_fingerprint(r, tree);
    if (status == ACCORD_OK)
        status = check_notation(r, tree);
    if (status == ACCORD_OK && r->record.n == 0)
        r->record.n = (int64_t)leaves;
    if (status == ACCORD_OK && r->record.n != (int64_t)leaves)
        status = fail_member(r, "question", "n", "is not the number of leaves of the tree");
    return status;
}

static enum accord_status read_arithmetic(reader *r)
{
    const json_t *object = json_object_get(r->document, "arithmetic");
    const accordi_buffer *runs = &r->cuts[NODES].numbers;
    if (!object || json_is_null(object))
        return ACCORD_OK;
    if (!json_is_object(object))
        return fail_member(r, NULL, "arithmetic", "has to be an object");
    if (!r->record.tree)
        return fail_member(r, NULL, "arithmetic", "has no tree that it could belong to");
    return accordi_read_arithmetic(&r->in, "arithmetic", object, r->record.tree,
                                   (const uint32_t *)(const void *)runs->data,
                                   runs->length / sizeof(uint32_t), &r->record.arithmetic);
}

static enum accord_status read_alternatives(reader *r)
{
    const json_t *array = json_object_get(r->document, "alternatives");
    if (!array || json_is_null(array))
        return ACCORD_OK;
    return accordi_read_alternatives(&r->in, array, &r->record);
}

static enum accord_status read_record_answers(reader *r)
{
    const json_t *object = json_object_get(r->document, "answers");
    if (!object || json_is_null(object))
        return ACCORD_OK;
    return accordi_answers_read(&r->in, object, &r->record.answers);
}

static enum accord_status read_members(reader *r)
{
    static enum accord_status (*const steps[])(reader *) = {
        cut_arrays, parse_rest,      check_schema,      read_fields,
        read_tree,  read_arithmetic, read_alternatives, read_record_answers};
    enum accord_status status = ACCORD_OK;
    for (size_t i = 0; status == ACCORD_OK && i < sizeof steps / sizeof *steps; i++)
        status = steps[i](r);
    return status;
}

enum accord_status accordi_read_json(const char *text, size_t length, accord_record *record,
                                     accord_error *error)
{
    reader r = {.in = {text, length, error}};
    accordi_record_init(&r.record);
    enum accord_status status = read_members(&r);
    json_decref(r.document);
    for (int i = 0; i < CUTS; i++)
        accordi_buffer_clear(&r.cuts[i].numbers);
    if (status != ACCORD_OK) {
        accord_record_clear(&r.record);
        return status;
    }
    accord_record_clear(record);
    *record = r.record;
    return ACCORD_OK;
}
