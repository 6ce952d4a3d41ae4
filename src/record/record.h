/* Records of a question and its answer; shared by the files of room record. Internal. A record
 * comes in, and text, JSON or a picture goes out, or the reverse. Read json/fields.c first, the
 * table of the fields, then write.c, the table of the forms. */
#ifndef ACCORDI_TREEIO_H
#define ACCORDI_TREEIO_H

#include "base/base.h"
#include "tree/stream.h"
#include <accord/record.h>

/* An empty record in memory of the room's own; accord_record_clear ends it. */
void accordi_record_init(accord_record *record);

/* accord_record_field, for those who fill the record: the rows drive the JSON writer, the JSON
 * reader, _init and _clear. */
void *accordi_field_of(accord_record *record, const accord_field *field);

#define ACCORDI_SCHEMA 1 /* the version of the JSON schema that is written and read */

typedef enum accord_status accordi_write(const accord_record *record,
                                         const accord_write_options *options,
                                         accordi_stream *stream, accord_error *error);
accordi_write accordi_write_report, accordi_write_json, accordi_write_dot, accordi_write_svg,
    accordi_write_html;

enum accord_status accordi_read_json(const char *text, size_t length, accord_record *record,
                                     accord_error *error);

/* Appends the bytes of a file ("-": standard input), with a zero after them. ACCORD_IO with the
 * path; ACCORD_NOMEM. */
enum accord_status accordi_read_bytes(const char *path, accordi_buffer *text, accord_error *error);

/* ACCORD_PARSE with "line L, column C: " (both from 1, columns in bytes) before the text. */
enum accord_status accordi_fail_at(accord_error *error, const char *text, size_t offset,
                                   const char *format, ...) ACCORDI_PRINTF(4, 5);

#endif
