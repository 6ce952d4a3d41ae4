/* Fuzzer of the reader of maps: what reads writes in every form and as C, and its JSON reads back
 * to the same JSON; what does not read says why and leaves the map as it was. Seeds:
 * tests/seeds/map. */
#include "base/base.h"
#include "map/map.h"
#include <accord/map.h>

enum { MOST_WRITTEN = 1 << 16 }; /* elements; a short file may tell of 2^28 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool collect(void *context, const char *text, size_t length)
{
    accordi_buffer_append(context, text, length);
    return true;
}

static void insist(bool true_of_all, const char *what)
{
    if (true_of_all)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static accordi_buffer write_as(const accord_map *map, const accord_map_writer *writer)
{
    accordi_buffer text = {0};
    insist(accord_map_write(map, writer, NULL, collect, &text, NULL) == ACCORD_OK, writer->name);
    return text;
}

static void write_all(const accord_map *map)
{
    const accord_map_writer *writer;
    accordi_buffer text = {0};
    accord_error error = {0};
    for (size_t i = 0; (writer = accord_map_writer_at(i)); i++) {
        text = write_as(map, writer);
        accordi_buffer_clear(&text);
    }
    enum accord_status status = accord_map_emit_c(map, "f", collect, &text, &error);
    insist(status == ACCORD_OK || error.text[0], "not emitted, without a reason");
    accordi_buffer_clear(&text);
}

static void check_classes(const accord_map *map)
{
    for (size_t i = 0; i < map->classes; i++) {
        const accord_class *c = &map->each[i];
        insist(c->row < map->rows && c->column < map->columns, "first member outside");
        insist(c->certified <= c->members && c->members > 0, "counts of members");
        insist(map->class_of[(size_t)c->row * map->columns + c->column] == i, "not its member");
    }
}

static void read_back(const accord_map *map)
{
    const accord_map_writer *json = accord_map_writer_by_name("json");
    accord_map second;
    accord_error error = {0};
    accordi_map_init(&second);
    accordi_buffer text = write_as(map, json);
    insist(accord_map_read(text.data, text.length, &second, &error) == ACCORD_OK, error.text);
    accordi_buffer again = write_as(&second, json);
    insist(text.length == again.length && memcmp(text.data, again.data, text.length) == 0,
           "read back different");
    accordi_buffer_clear(&text);
    accordi_buffer_clear(&again);
    accord_map_clear(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    accord_map map;
    accord_error error = {0};
    accordi_map_init(&map);
    enum accord_status status = accord_map_read((const char *)data, size, &map, &error);
    if (status != ACCORD_OK) {
        insist(status == ACCORD_PARSE && !map.each && !map.class_of && error.text[0] &&
                   !strchr(error.text, '\n'),
               "refused without a reason");
        return 0;
    }
    check_classes(&map);
    if ((uint64_t)map.rows * map.columns <= MOST_WRITTEN) {
        write_all(&map);
        read_back(&map);
    }
    accord_map_clear(&map);
    return 0;
}
