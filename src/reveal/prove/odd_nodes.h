/* Why nothing explains an order: nodes that compute otherwise than the others. Both fill
 * out->odd_node, if it is empty and they find one. Internal. */
#ifndef ACCORDI_ODD_NODES_H
#define ACCORDI_ODD_NODES_H

#include "reveal/arithmetic/flushing.h"
#include "reveal/prove/certificate.h"

/* What is flushed at some nodes but not at others. */
void accordi_name_flushes(const accord_tree *tree, const accordi_flushes *f,
                          accordi_certificate *out);

/* Sums of more bits than models have, nodes that round as no format does (out->findings), or a node
 * that, as probes found, rounds otherwise than most. `found` may be NULL. */
void accordi_name_odd_node(const accord_tree *tree, const accord_arithmetic *found,
                           accordi_certificate *out);

#endif
