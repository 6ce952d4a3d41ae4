/* What the verdict on an order assumes. Internal. */
#ifndef ACCORDI_ASSUMPTIONS_H
#define ACCORDI_ASSUMPTIONS_H

#include "reveal/prove/certificate.h"
#include "reveal/prove/order_rounds.h"

/* Appends the assumptions, an item a line; rounds is NULL where the proof was by nodes. */
void accordi_list_assumptions(const accord_record *record, const accordi_certificate *c,
                              const accordi_order_proof *rounds, accordi_buffer *lines);

#endif
