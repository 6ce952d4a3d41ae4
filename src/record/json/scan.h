/* Finding a place in JSON text without building the document. Internal. */
#ifndef ACCORDI_JSON_SCAN_H
#define ACCORDI_JSON_SCAN_H

#include "base/base.h"

/* White space of JSON and of brackets; the first place from `at` on that is none. */
bool accordi_is_space(char c);
size_t accordi_skip_space(const char *text, size_t length, size_t at);

/* The offset of the value of member `name` of the object that is member `section` of the outermost
 * object (section NULL: of the outermost object itself). False when there is none. The text need
 * not be valid: a place found in a malformed text is only a guess. */
bool accordi_json_find(const char *text, size_t length, const char *section, const char *name,
                       size_t *offset);

/* The array of unsigned integers below 2^32 - 1 whose '[' stands at *at: appended to `numbers` as
 * uint32_t, and *at moves past the ']'. Numbers in plain decimal only; ACCORD_PARSE with line and
 * column otherwise. */
enum accord_status accordi_json_numbers(const char *text, size_t length, size_t *at,
                                        accordi_buffer *numbers, accord_error *error);

/* A text that is being read, for errors. */
typedef struct accordi_json_text {
    const char *text;
    size_t length;
    accord_error *error;
} accordi_json_text;

/* ACCORD_PARSE about a member: at its value if that can be found in the text, else at that of its
 * section (which may be NULL). */
enum accord_status accordi_json_fail(const accordi_json_text *text, const char *section,
                                     const char *name, const char *problem);

#endif
