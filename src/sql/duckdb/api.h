/* The part of DuckDB's C API for extensions that is used here, written from its documentation:
 * version v1.2.0 of the API, which DuckDB 1.2 and later offer. DuckDB gives an extension a struct
 * of pointers to functions whose order is fixed for each version of the API; here it is an array,
 * and an enum says where each function lies. */
#ifndef ACCORD_DUCKDB_API_H
#define ACCORD_DUCKDB_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef void *duckdb_handle; /* databases, connections, types, vectors, chunks, functions */

/* What an extension gets when it is loaded. */
struct duckdb_extension_access {
    void (*set_error)(duckdb_handle info, const char *error);
    duckdb_handle *(*get_database)(duckdb_handle info);
    const void *(*get_api)(duckdb_handle info, const char *version);
};

enum { DUCKDB_TYPE_DOUBLE = 11, DUCKDB_TYPE_BLOB = 18 };

/* Text or bytes in a vector: up to 12 bytes lie in the struct itself; of longer ones `at` holds the
 * first 4, and then where they all are. */
typedef struct duckdb_bytes {
    uint32_t length;
    char at[12];
} duckdb_bytes;

static inline const char *duckdb_bytes_of(const duckdb_bytes *b)
{
    const char *elsewhere;
    if (b->length <= sizeof b->at)
        return b->at;
    memcpy(&elsewhere, b->at + 4, sizeof elsewhere);
    return elsewhere;
}

typedef void duckdb_function(void); /* any, before it is cast to its own type */

/* ROW(name, place, result, parameters) */
#define DUCKDB_FUNCTIONS(ROW)                                                                      \
    ROW(connect, 3, int, (duckdb_handle database, duckdb_handle * connection))                     \
    ROW(disconnect, 6, void, (duckdb_handle * connection))                                         \
    ROW(create_logical_type, 156, duckdb_handle, (int type))                                       \
    ROW(destroy_logical_type, 184, void, (duckdb_handle * type))                                   \
    ROW(data_chunk_get_vector, 190, duckdb_handle, (duckdb_handle chunk, uint64_t column))         \
    ROW(data_chunk_get_size, 191, uint64_t, (duckdb_handle chunk))                                 \
    ROW(vector_get_data, 194, void *, (duckdb_handle vector))                                      \
    ROW(vector_get_validity, 195, uint64_t *, (duckdb_handle vector))                              \
    ROW(vector_ensure_validity_writable, 196, void, (duckdb_handle vector))                        \
    ROW(vector_assign_string_element_len, 198, void,                                               \
        (duckdb_handle vector, uint64_t row, const char *bytes, uint64_t length))                  \
    ROW(validity_set_row_invalid, 207, void, (uint64_t * validity, uint64_t row))                  \
    ROW(create_aggregate_function, 226, duckdb_handle, (void))                                     \
    ROW(destroy_aggregate_function, 227, void, (duckdb_handle * function))                         \
    ROW(aggregate_function_set_name, 228, void, (duckdb_handle function, const char *name))        \
    ROW(aggregate_function_add_parameter, 229, void, (duckdb_handle function, duckdb_handle type)) \
    ROW(aggregate_function_set_return_type, 230, void,                                             \
        (duckdb_handle function, duckdb_handle type))                                              \
    ROW(aggregate_function_set_functions, 231, void,                                               \
        (duckdb_handle function, uint64_t(*size)(duckdb_handle info),                              \
         void (*init)(duckdb_handle info, void *state),                                            \
         void (*update)(duckdb_handle info, duckdb_handle chunk, void **states),                   \
         void (*combine)(duckdb_handle info, void **from, void **to, uint64_t count),              \
         void (*finish)(duckdb_handle info, void **states, duckdb_handle result, uint64_t count,   \
                        uint64_t offset)))                                                         \
    ROW(aggregate_function_set_destructor, 232, void,                                              \
        (duckdb_handle function, void (*destroy)(void **states, uint64_t count)))                  \
    ROW(register_aggregate_function, 233, int, (duckdb_handle connection, duckdb_handle function)) \
    ROW(aggregate_function_set_error, 237, void, (duckdb_handle info, const char *error))

#endif
