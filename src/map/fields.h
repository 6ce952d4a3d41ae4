/* The numbers of a map and of a class in JSON, a row each. Internal. */
#ifndef ACCORDI_MAP_FIELDS_H
#define ACCORDI_MAP_FIELDS_H

#include "map/map.h"

typedef struct accordi_map_field {
    const char *name;
    size_t offset;
    bool real; /* double, else uint64_t */
} accordi_map_field;

extern const accordi_map_field accordi_map_fields[];
extern const size_t accordi_map_field_count;

#endif
