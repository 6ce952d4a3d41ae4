/* What the files of room survey share. Internal.
 *
 * In: records, and errors of targets that failed. Out: whether they describe the same sums, and
 * what that rests on. Read compare.c first, which everything else asks; then circumstances.c (a
 * record beside today's answer), folder.c (where records lie) and survey.c (groups of many
 * answers). */
#ifndef ACCORDI_SURVEY_H
#define ACCORDI_SURVEY_H

#include "base/base.h"
#include "record/record.h"
#include <accord/survey.h>

/* Both NULL, or both the same text. */
bool accordi_same_text(const char *a, const char *b);
bool accordi_has_reason(const accord_record *record, enum accord_reason reason);

#endif
