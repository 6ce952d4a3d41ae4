/* A map from JSON. The reader trusts nothing in the file: runs have to fill the table, members and
 * first members are counted again, and records go through their own reader. */
#include "map/fields.h"
#include "map/map.h"
#include "record/record.h"
#include <jansson.h>

enum { MOST_ELEMENTS = 1 << 28 };

typedef struct reader {
    json_t *document;
    accord_map map;
    accord_error *error;
} reader;

static enum accord_status fail_to_read(const reader *r, const char *what)
{
    return accordi_fail(r->error, ACCORD_PARSE,
                        "%s: give the file of a map made with accord map --json", what);
}

/* A whole number from `least` to `most`. */
static bool read_count(const json_t *value, uint64_t least, uint64_t most, uint64_t *out)
{
    json_int_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < 0 || (uint64_t)number < least ||
        (uint64_t)number > most)
        return false;
    *out = (uint64_t)number;
    return true;
}

static enum accord_status read_fields(reader *r, const json_t *map)
{
    for (size_t i = 0; i < accordi_map_field_count; i++) {
        const accordi_map_field *field = &accordi_map_fields[i];
        const json_t *value = json_object_get(map, field->name);
        void *to = (char *)&r->map + field->offset;
        char text[100];
        bool good = true;
        if (value && field->real)
            good = json_is_number(value) && (*(double *)to = json_number_value(value)) >= 0;
        else if (value)
            good = read_count(value, 0, INT64_MAX, to);
        snprintf(text, sizeof text, "map.%s has to be a number, 0 or more", field->name);
        if (!good)
            return fail_to_read(r, text);
    }
    return ACCORD_OK;
}

/* One entry of class_of: its rows, from `row` on. */
static bool read_rows(reader *r, const json_t *entry, uint64_t *row)
{
    uint64_t times, run, id, columns = r->map.columns, at = 0;
    if (json_array_size(entry) % 2 != 1 ||
        !read_count(json_array_get(entry, 0), 1, r->map.rows - *row, &times))
        return false;
    uint16_t *to = r->map.class_of + *row * columns;
    for (size_t i = 1; i < json_array_size(entry); i += 2) {
        if (!read_count(json_array_get(entry, i), 1, columns - at, &run) ||
            !read_count(json_array_get(entry, i + 1), 0, r->map.classes - 1, &id))
            return false;
        for (; run > 0; run--)
            to[at++] = (uint16_t)id;
    }
    if (at != columns)
        return false;
    for (uint64_t t = 1; t < times; t++)
        memcpy(to + t * columns, to, columns * sizeof *to);
    *row += times;
    return true;
}

static enum accord_status read_table(reader *r, const json_t *map)
{
    const json_t *table = json_object_get(map, "class_of");
    uint64_t rows = 0, columns = 0, row = 0;
    if (!read_count(json_object_get(map, "rows"), 1, MOST_ELEMENTS, &rows) ||
        !read_count(json_object_get(map, "columns"), 1, MOST_ELEMENTS / rows, &columns))
        return fail_to_read(r,
                            "map.rows and map.columns have to be counts, of at most 2^28 elements");
    if (!json_is_array(table) || json_array_size(table) == 0 || json_array_size(table) > rows)
        return fail_to_read(r, "map.class_of has to be an array of rows");
    r->map.rows = (uint32_t)rows;
    r->map.columns = (uint32_t)columns;
    r->map.copies = json_is_true(json_object_get(map, "copies"));
    r->map.class_of = accordi_calloc(rows * columns, sizeof *r->map.class_of);
    if (!r->map.class_of)
        return accordi_nomem(r->error);
    for (size_t i = 0; i < json_array_size(table); i++)
        if (row == rows || !read_rows(r, json_array_get(table, i), &row))
            return fail_to_read(r,
                                "map.class_of has a row that is not a list of runs that fill it");
    return row == rows ? ACCORD_OK : fail_to_read(r, "map.class_of has too few rows");
}

static enum accord_status read_class(reader *r, const json_t *from, accord_class *to)
{
    uint64_t row, column;
    char *text;
    if (!read_count(json_object_get(from, "members"), 1, MOST_ELEMENTS, &to->members) ||
        !read_count(json_object_get(from, "certified"), 0, to->members, &to->certified) ||
        !read_count(json_object_get(from, "row"), 0, UINT32_MAX, &row) ||
        !read_count(json_object_get(from, "column"), 0, UINT32_MAX, &column))
        return fail_to_read(
            r, "a class lacks members, certified, row or column, or they make no sense");
    to->row = (uint32_t)row;
    to->column = (uint32_t)column;
    const json_t *record = json_object_get(from, "record");
    if (!json_is_object(record))
        return fail_to_read(r, "a class lacks its record");
    text = json_dumps(record, JSON_COMPACT);
    if (!text)
        return accordi_nomem(r->error);
    enum accord_status status = accord_record_read(text, strlen(text), &to->record, r->error);
    free(text);
    return status;
}

static enum accord_status read_classes(reader *r)
{
    const json_t *classes = json_object_get(r->document, "classes");
    size_t count = json_array_size(classes);
    if (!json_is_array(classes) || count < 1 || count > ACCORDI_MOST_CLASSES)
        return fail_to_read(r, "\"classes\" has to be an array of 1 to 65535 classes");
    r->map.each = accordi_calloc(count, sizeof *r->map.each);
    if (!r->map.each)
        return accordi_nomem(r->error);
    r->map.classes = count;
    for (size_t i = 0; i < count; i++)
        accordi_record_init(&r->map.each[i].record);
    enum accord_status status = ACCORD_OK;
    for (size_t i = 0; i < count && !status; i++)
        status = read_class(r, json_array_get(classes, i), &r->map.each[i]);
    return status;
}

/* Do members and first members say what the table says? */
static enum accord_status check_table(reader *r)
{
    accord_map *m = &r->map;
    size_t elements = (size_t)m->rows * m->columns, next = 0;
    uint64_t *members = accordi_calloc(m->classes, sizeof *members);
    bool good = true;
    if (!members)
        return accordi_nomem(r->error);
    for (size_t i = 0; i < elements && good; i++) {
        size_t id = m->class_of[i];
        if (members[id]++ == 0) {
            good = id == next && m->each[id].row == i / m->columns &&
                   m->each[id].column == i % m->columns;
            next++;
        }
    }
    for (size_t id = 0; id < m->classes && good; id++)
        good = members[id] == m->each[id].members;
    free(members);
    return good ? ACCORD_OK : fail_to_read(r, "the classes are not those of map.class_of");
}

static enum accord_status read_all(reader *r)
{
    const json_t *version = json_object_get(r->document, "accord");
    const json_t *map = json_object_get(r->document, "map");
    if (!json_is_integer(version) || !json_is_object(map))
        return fail_to_read(r, "this is not a map: the members \"accord\" and \"map\" are missing");
    if (json_integer_value(version) != 1)
        return accordi_fail(r->error, ACCORD_PARSE,
                            "schema version %lld: this program reads version 1, use the accord "
                            "that wrote the file",
                            (long long)json_integer_value(version));
    enum accord_status status = read_classes(r);
    if (!status)
        status = read_table(r, map);
    if (!status)
        status = check_table(r);
    if (!status)
        status = read_fields(r, map);
    if (!status && r->map.replays_agreed > r->map.replays)
        status = fail_to_read(r, "more replays agreed than there were");
    return status;
}

enum accord_status accord_map_read(const char *text, size_t length, accord_map *map,
                                   accord_error *error)
{
    json_error_t trouble;
    reader r = {.error = error};
    if (!text || !map)
        return accordi_fail(error, ACCORD_ARG, "reading a map needs text and a map");
    accordi_map_init(&r.map);
    r.document = json_loadb(text, length, JSON_REJECT_DUPLICATES, &trouble);
    if (!r.document && json_error_code(&trouble) == json_error_out_of_memory)
        return accordi_nomem(error);
    if (!r.document)
        return accordi_fail(error, ACCORD_PARSE, "line %d, column %d: not JSON: %s", trouble.line,
                            trouble.column, trouble.text);
    enum accord_status status = read_all(&r);
    json_decref(r.document);
    if (status) {
        accord_map_clear(&r.map);
        return status;
    }
    accord_map_clear(map);
    *map = r.map;
    return ACCORD_OK;
}
