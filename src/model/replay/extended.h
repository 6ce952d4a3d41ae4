/* Sums in x87's format of 64 bits of significand. Internal. */
#ifndef ACCORDI_EXTENDED_H
#define ACCORDI_EXTENDED_H

#include <accord/model.h>

/* What keeps an arithmetic from being computed so; NULL: nothing. */
const char *accordi_extended_wrong(const accord_model *model);

/* accord_model_replay, where arithmetic->extended. ACCORD_NOMEM. */
enum accord_status accordi_extended_replay(const accord_model *model, const accord_rows *rows,
                                           double *result, accord_error *error);

#endif
