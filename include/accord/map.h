/* Which elements of a result share an order: the map of a GEMM or a GEMV, and its classes. */
#ifndef ACCORD_MAP_H
#define ACCORD_MAP_H

#include <accord/reveal.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Elements with the same order, the same arithmetic and the same answers. */
typedef struct accord_class {
    uint64_t members;     /* number of elements */
    uint64_t certified;   /* members that passed every probe of the certificate */
    uint32_t row, column; /* the first member */
    /* Its order, arithmetic and verdict; each of its calls is a call of the whole grid. Where no
     * order was established the status is "unable", with a reason. Every member gave the answers in
     * it on the first inputs, as many as accord_map.answer_inputs says. (It is the last
     * member, since records may get more members.) */
    accord_record record;
} accord_class;

typedef struct accord_map {
    uint32_t rows, columns;
    uint16_t *class_of;     /* rows x columns: the class of each element */
    size_t classes;         /* numbered by their first member, row by row */
    accord_class *each;     /* for the library; programs call accord_map_class_at */
    uint64_t sorting_calls; /* calls of the grid that separated the classes */
    /* Calls of the grid, added up over the classes. */
    uint64_t discovery_calls, certificate_calls, replay_calls;
    double sorting_seconds, discovery_seconds, certificate_seconds, replay_seconds;
    uint64_t replays, replays_agreed; /* elements of random grids, replayed by their class */
    /* Every element was asked for this many inputs, the first of those of the answers
     * (accord/record.h), and gave the answers of its class. */
    uint64_t answer_inputs;
    bool copies; /* the columns are copies of one result, as of the ranks of a collective */
} accord_map;

/* An empty map; NULL if there is no memory. _free accepts NULL. Only the library makes maps. */
ACCORD_API accord_map *accord_map_new(void);
ACCORD_API void accord_map_free(accord_map *map);
/* Frees what the map holds and leaves it as after _new. */
ACCORD_API void accord_map_clear(accord_map *map);
/* The i-th class, NULL past the end. It lives as long as the map. */
ACCORD_API const accord_class *accord_map_class_at(const accord_map *map, size_t i);

/* Of copies: finds the first element whose order differs from that of column 0 in its row, and how
 * many rows have such elements; false if there is none, or if columns are no copies. */
ACCORD_API bool accord_map_copies_differ(const accord_map *map, size_t *row, size_t *column,
                                         size_t *rows);

/* Finds the classes, reveals the order and the arithmetic of each, and certifies every member. If a
 * member, given the same terms, does not give the answers of its class, that class gets no order.
 * Options are those of accord_reveal. Each replay is a replay of the whole result, and a number of
 * `replays` above the default counts as the default. If the budget does not suffice there is no
 * map. `map` is untouched on failure. ACCORD_OK: every element has a class;
 * single classes may lack an order (see their records). ACCORD_UNSUPPORTED: the target has one
 * result only. ACCORD_UNABLE: more than 65535 classes, results that differ from run to run, a
 * target that reads or writes outside its operands, or a budget that was spent. ACCORD_TARGET,
 * ACCORD_NOMEM, ACCORD_ARG. Method and proofs: src/map. */
ACCORD_API enum accord_status accord_map_reveal(accord_target *target,
                                                const accord_reveal_options *options,
                                                accord_map *map, accord_error *error);

/* Reveals the order of one element of a target with many results. It finds what accord_reveal finds
 * but takes few calls: elements that add in the same way answer different probes in the same call,
 * and the result is then checked against all of them. (With a budget the element is asked alone.)
 * Calls and replays in the record are those of whole results. Status as for accord_reveal;
 * ACCORD_UNSUPPORTED: the target has one result only; ACCORD_ARG: there is no such element. */
ACCORD_API enum accord_status accord_map_reveal_element(accord_target *target,
                                                        const accord_reveal_options *options,
                                                        size_t row, size_t column,
                                                        accord_record *record, accord_error *error);

/* One row per writer: "report" (terminal), "json", "svg". */
typedef struct accord_map_writer {
    const char *name, *about;
} accord_map_writer;
ACCORD_API const accord_map_writer *accord_map_writer_at(size_t i);
ACCORD_API const accord_map_writer *accord_map_writer_by_name(const char *name);
ACCORD_API enum accord_status accord_map_write(const accord_map *map,
                                               const accord_map_writer *writer,
                                               const accord_write_options *options,
                                               accord_sink *sink, void *context,
                                               accord_error *error);
/* Writes a C function for the shape of the map, with a static function for each class. doc/emit.md
 * states what that code promises. Its matrices are the ones that are multiplied, after any
 * transposition. Status as for accord_model_emit_c; ACCORD_UNSUPPORTED also if a class lacks its
 * order or arithmetic. */
ACCORD_API enum accord_status accord_map_emit_c(const accord_map *map, const char *name,
                                                accord_sink *sink, void *context,
                                                accord_error *error);

/* Reads the JSON form. */
ACCORD_API enum accord_status accord_map_read(const char *text, size_t length, accord_map *map,
                                              accord_error *error);

#ifdef __cplusplus
}
#endif
#endif
