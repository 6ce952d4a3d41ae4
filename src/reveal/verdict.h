/* Writes the verdict of a record in sentences. Internal. */
#ifndef ACCORDI_VERDICT_H
#define ACCORDI_VERDICT_H

#include "reveal/prove/certificate.h"
#include "reveal/prove/order_rounds.h"

/* How far a question was gone into. */
typedef struct accordi_extent {
    bool no_certificate, spent;        /* it was not asked for; the budget was spent */
    bool proved, answers;              /* every node was confirmed; answers were recorded */
    size_t replays_due;                /* by default */
    const accordi_asker *asker;        /* for what was asked for instead */
    const accordi_order_proof *rounds; /* NULL: the proof was by nodes */
    const char *not_at_once; /* why, where one by probability was asked for; NULL: it was not */
} accordi_extent;

/* Fills the text fields of the answer and of the evidence; what is not in record->left_out was not
 * left out. */
enum accord_status accordi_verdict(accord_record *record, const char *algorithm,
                                   enum accord_status found, const accord_error *error,
                                   const accordi_certificate *certificate,
                                   const accordi_extent *extent);

#endif
