/* Models as black boxes: what the library replays of a model is what the target answers. */
#ifndef MODEL_BOX_H
#define MODEL_BOX_H

#include "lay_out.h"
#include "targets/target.h"
#include <accord/model.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct box {
    accord_tree *tree;
    accord_arithmetic *how;
    bool start;
} box;

static inline void replay(const accord_model *model, size_t rows, const double *x, const double *y,
                          double *result)
{
    size_t n = model->tree->leaves;
    const void **row = accordi_alloc(2 * rows, sizeof *row);
    double *start = accordi_alloc(rows, sizeof *start);
    for (size_t r = 0; r < rows; r++) {
        row[r] = x + r * n;
        row[rows + r] = y ? y + r * n : NULL;
        start[r] = x[r * n + n - 1];
    }
    const accord_rows all = {.rows = rows, .x = row, .y = y ? row + rows : NULL, .start = start};
    assert_int_equal(accord_model_replay(model, &all, result, NULL), ACCORD_OK);
    free(row);
    free(start);
}

static inline enum accord_status run(accord_target *target, const accord_batch *batch,
                                     double *result, accord_error *error)
{
    box *b = target->state;
    size_t n = target->n;
    double *x = lay_out(n, batch), *y = NULL;
    (void)error;
    if (b->how->term == ACCORD_TERM_PRODUCT) {
        y = accordi_alloc(batch->probes * n, sizeof *y);
        for (size_t i = 0; i < batch->probes * n; i++)
            y[i] = batch->dense_second  ? ((const double *)batch->dense_second)[i]
                   : batch->second != 0 ? batch->second
                                        : 1;
    }
    b->how->alpha = target->alpha;
    b->how->beta = target->beta;
    const accord_model model = {b->tree, b->how};
    replay(&model, batch->probes, x, y, result);
    free(x);
    free(y);
    return ACCORD_OK;
}

static inline accord_target open_box(box *b)
{
    static const accord_target_kind kind = {.name = "box", .notation = "box", .run = run};
    static char name[] = "box";
    return (accord_target){.kind = &kind,
                           .state = b,
                           .notation = name,
                           .n = b->tree->leaves,
                           .format = b->how->input,
                           .output = b->how->output,
                           .term = b->how->term,
                           .rows = 1,
                           .columns = 1,
                           .alpha = b->how->alpha,
                           .beta = b->how->beta,
                           .has_start = b->how->beta != 0};
}

#endif
