/* The arithmetic of a record in JSON. Internal. */
#ifndef ACCORDI_JSON_ARITHMETIC_H
#define ACCORDI_JSON_ARITHMETIC_H

#include "record/json/scan.h"
#include "record/record.h"
#include <jansson.h>

/* The members of the arithmetic, between the brackets of an object. */
void accordi_write_arithmetic(const accord_model *model, accordi_stream *stream);

/* The object as it was read, without the array "of_node": that is `runs`, pairs of a count of nodes
 * and the number of an operation (`count` numbers, none if there was no array).
 * Errors are about members of `section`. */
enum accord_status accordi_read_arithmetic(const accordi_json_text *text, const char *section,
                                           const json_t *object, const accord_tree *tree,
                                           const uint32_t *runs, size_t count,
                                           accord_arithmetic **out);

/* The member "alternatives", after a comma; nothing where there are none. */
void accordi_write_alternatives(const accord_record *record, accordi_stream *stream);

/* The array of them, of a record whose tree and arithmetic have been read. */
enum accord_status accordi_read_alternatives(const accordi_json_text *text, const json_t *array,
                                             accord_record *record);

#endif
