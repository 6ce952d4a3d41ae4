/* The answers of a record in JSON. Internal. */
#ifndef ACCORDI_JSON_ANSWERS_H
#define ACCORDI_JSON_ANSWERS_H

#include "record/json/scan.h"
#include "record/record.h"
#include <jansson.h>

/* An object; NULL when memory ran out. */
json_t *accordi_answers_json(const accord_answers *answers);

/* Reads the object; `out`, which holds no answers, is untouched on failure. */
enum accord_status accordi_answers_read(const accordi_json_text *text, const json_t *object,
                                        accord_answers *out);

#endif
