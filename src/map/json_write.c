/* A map as JSON (doc/json.md). The table of classes goes row by row in runs, equal rows together:
 * a tile pattern of a million elements is some hundred numbers. */
#include "map/fields.h"
#include "map/picture.h"
#include <stddef.h>

#define FIELD(name, real)                                                                          \
    {                                                                                              \
#name, offsetof(accord_map, name), real                                                    \
    }

const accordi_map_field accordi_map_fields[] = {
    FIELD(sorting_calls, false),
    FIELD(discovery_calls, false),
    FIELD(certificate_calls, false),
    FIELD(replay_calls, false),
    FIELD(sorting_seconds, true),
    FIELD(discovery_seconds, true),
    FIELD(certificate_seconds, true),
    FIELD(replay_seconds, true),
    FIELD(replays, false),
    FIELD(replays_agreed, false),
    FIELD(answer_inputs, false),
};
const size_t accordi_map_field_count = sizeof accordi_map_fields / sizeof *accordi_map_fields;

static void put_fields(const accord_map *map, accordi_stream *s)
{
    for (size_t i = 0; i < accordi_map_field_count; i++) {
        const void *at = (const char *)map + accordi_map_fields[i].offset;
        accordi_stream_printf(s, ",\n    \"%s\": ", accordi_map_fields[i].name);
        if (accordi_map_fields[i].real)
            accordi_stream_real(s, *(const double *)at);
        else
            accordi_stream_number(s, *(const uint64_t *)at);
    }
}

void accordi_map_rows(const accord_map *map, accordi_stream *s)
{
    const uint16_t *of = map->class_of;
    size_t columns = map->columns;
    for (size_t row = 0, times; row < map->rows; row += times) {
        const uint16_t *here = of + row * columns;
        for (times = 1; row + times < map->rows; times++)
            if (memcmp(here, here + times * columns, columns * sizeof *here) != 0)
                break;
        accordi_stream_printf(s, "%s%zu", row ? ",\n      [" : "\n      [", times);
        for (size_t c = 0, run; c < columns; c += run) {
            for (run = 1; c + run < columns && here[c + run] == here[c];)
                run++;
            accordi_stream_printf(s, ",%zu,%u", run, here[c]);
        }
        accordi_stream_char(s, ']');
    }
}

enum accord_status accordi_map_json(const accord_map *map, const accord_write_options *options,
                                    accordi_stream *s, accord_error *error)
{
    enum accord_status status = ACCORD_OK;
    accordi_stream_printf(
        s, "{\n  \"accord\": 1,\n  \"map\": {\n    \"rows\": %u,\n    \"columns\": %u", map->rows,
        map->columns);
    put_fields(map, s);
    if (map->copies)
        accordi_stream_puts(s, ",\n    \"copies\": true");
    accordi_stream_puts(s, ",\n    \"class_of\": [");
    accordi_map_rows(map, s);
    accordi_stream_puts(s, "\n    ]\n  },\n  \"classes\": [");
    for (size_t i = 0; i < map->classes && !status; i++) {
        const accord_class *class = &map->each[i];
        accordi_stream_printf(s,
                              "%s\n  {\n    \"members\": %zu,\n    \"certified\": %zu,\n"
                              "    \"row\": %u,\n    \"column\": %u,\n    \"record\": ",
                              i ? "," : "", (size_t) class->members, (size_t) class->certified,
                              class->row, class->column);
        status = accord_record_write(&class->record, accord_writer_by_name("json"), options,
                                     accordi_stream_write, s, error);
        accordi_stream_puts(s, "  }");
    }
    accordi_stream_puts(s, "\n  ]\n}\n");
    return status == ACCORD_IO ? ACCORD_OK : status; /* the stream itself reports that */
}
