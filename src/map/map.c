/* The life of a map. */
#include "base/base.h"
#include <accord/map.h>

void accord_map_init(accord_map *map)
{
    memset(map, 0, sizeof *map);
}

void accord_map_clear(accord_map *map)
{
    for (size_t i = 0; i < map->classes; i++)
        accord_record_clear(&map->each[i].record);
    free(map->each);
    free(map->class_of);
    accord_map_init(map);
}
