/* Creates, copies and frees maps. */
#include "map/map.h"

void accordi_map_init(accord_map *map)
{
    memset(map, 0, sizeof *map);
}

void accord_map_clear(accord_map *map)
{
    for (size_t i = 0; i < map->classes; i++)
        accord_record_clear(&map->each[i].record);
    free(map->each);
    free(map->class_of);
    accordi_map_init(map);
}

accord_map *accord_map_new(void)
{
    return accordi_calloc(1, sizeof(accord_map));
}

void accord_map_free(accord_map *map)
{
    if (map)
        accord_map_clear(map);
    free(map);
}

bool accord_map_copies_differ(const accord_map *map, size_t *row, size_t *column, size_t *rows)
{
    *rows = 0;
    for (size_t r = 0; map->copies && r < map->rows; r++) {
        const uint16_t *class_of = map->class_of + r * map->columns;
        size_t c = 1;
        while (c < map->columns && class_of[c] == class_of[0])
            c++;
        if (c < map->columns && (*rows)++ == 0) {
            *row = r;
            *column = c;
        }
    }
    return *rows > 0;
}

const accord_class *accord_map_class_at(const accord_map *map, size_t i)
{
    return i < map->classes ? &map->each[i] : NULL;
}
