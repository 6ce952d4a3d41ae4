/* Creates, copies and frees arithmetics. */
#include "base/base.h"
#include <accord/model.h>

enum accord_status accord_arithmetic_plain(enum accord_term term, enum accord_format input,
                                           enum accord_format accumulator,
                                           enum accord_format output, accord_arithmetic **out,
                                           accord_error *error)
{
    accord_arithmetic *made = accordi_calloc(1, sizeof *made);
    accord_operation *operation = accordi_calloc(1, sizeof *operation);
    if (!made || !operation) {
        free(made);
        free(operation);
        return accordi_nomem(error);
    }
    *operation = (accord_operation){.format = accumulator, .product = accumulator, .fused = -1};
    *made = (accord_arithmetic){.term = term,
                                .input = input,
                                .output = output,
                                .operations = 1,
                                .operation = operation,
                                .alpha = 1,
                                .factor = 1,
                                .radicand = ACCORD_F64};
    *out = made;
    return ACCORD_OK;
}

enum accord_status accord_arithmetic_copy(const accord_arithmetic *arithmetic, size_t nodes,
                                          accord_arithmetic **out, accord_error *error)
{
    accord_arithmetic *made = accordi_alloc(1, sizeof *made);
    size_t count = arithmetic->operations;
    accord_operation *operation = accordi_alloc(count ? count : 1, sizeof *operation);
    uint8_t *of_node = nodes ? accordi_calloc(nodes, 1) : NULL;
    uint8_t *alpha_of = arithmetic->alpha_of ? accordi_alloc(arithmetic->alpha_nodes, 1) : NULL;
    if (!made || !operation || (nodes && !of_node) || (arithmetic->alpha_of && !alpha_of)) {
        free(made);
        free(operation);
        free(of_node);
        free(alpha_of);
        return accordi_nomem(error);
    }
    *made = *arithmetic;
    if (count)
        memcpy(operation, arithmetic->operation, count * sizeof *operation);
    if (of_node && arithmetic->of_node)
        memcpy(of_node, arithmetic->of_node, nodes);
    if (alpha_of)
        memcpy(alpha_of, arithmetic->alpha_of, arithmetic->alpha_nodes);
    made->operation = operation;
    made->of_node = of_node;
    made->alpha_of = alpha_of;
    *out = made;
    return ACCORD_OK;
}

void accord_arithmetic_free(accord_arithmetic *arithmetic)
{
    if (!arithmetic)
        return;
    free(arithmetic->operation);
    free(arithmetic->of_node);
    free(arithmetic->alpha_of);
    free(arithmetic);
}
