/* The verdict in words. Internal. */
#ifndef ACCORDI_VERDICT_H
#define ACCORDI_VERDICT_H

#include "reveal/certify.h"

/* Fills the text fields of the answer and of the evidence. */
enum accord_status accordi_verdict(accord_record *record, const char *algorithm,
                                   enum accord_status found, const accord_error *error,
                                   const accordi_certificate *certificate, bool unproven);

#endif
