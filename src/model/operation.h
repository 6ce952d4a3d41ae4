/* What a model says about one node: its format, rounding and fused products. Internal. */
#ifndef ACCORDI_OPERATION_H
#define ACCORDI_OPERATION_H

#include <accord/model.h>

/* Of inner node number k, from 0. The arithmetic has operations. */
static inline const accord_operation *accordi_operation_of(const accord_arithmetic *a, uint32_t k)
{
    return &a->operation[a->of_node ? a->of_node[k] : 0];
}

#endif
