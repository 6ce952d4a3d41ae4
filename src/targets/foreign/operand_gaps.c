/* Which parts of the operands of foreign functions are elements, and which lie between them. */
#include "targets/foreign/foreign.h"
#include "targets/memory.h"

static int64_t magnitude(int64_t stride)
{
    return stride < 0 ? -stride : stride ? stride : 1;
}

static accordi_area vector_area(const accordi_question *q, void *base, int64_t count,
                                int64_t stride)
{
    int64_t parts = q->complex ? 2 : 1;
    return (accordi_area){base, count, parts * magnitude(stride), parts, q->storage, true};
}

static accordi_area first_area(const accordi_foreign *f)
{
    const accordi_question *q = &f->question;
    bool matrix = q->family == ACCORDI_GEMV || q->family == ACCORDI_GEMM;
    if (!matrix)
        return vector_area(q, f->a, f->count[0], q->family >= ACCORDI_DOT ? q->incx : 1);
    return (accordi_area){f->a,       f->count[0], q->lda, q->transpose[0] == 'N' ? q->k : q->m,
                          q->storage, true};
}

static accordi_area second_area(const accordi_foreign *f)
{
    const accordi_question *q = &f->question;
    if (q->family != ACCORDI_GEMM)
        return vector_area(q, f->b, f->count[1],
                           q->family == ACCORDI_GEMV  ? q->incx
                           : q->family == ACCORDI_DOT ? q->incy
                                                      : 1);
    return (accordi_area){f->b,       f->count[1], q->ldb, q->transpose[1] == 'N' ? q->n : q->k,
                          q->storage, true};
}

static accordi_area third_area(const accordi_foreign *f)
{
    const accordi_question *q = &f->question;
    bool gemm = q->family == ACCORDI_GEMM, gemv = q->family == ACCORDI_GEMV;
    int64_t apart = gemm ? q->ldc : gemv ? magnitude(q->incy) : 1;
    return (accordi_area){f->c, f->count[2], apart, gemm ? q->n : 1, q->output, false};
}

void accordi_foreign_examine(accordi_foreign *f, _Atomic uint32_t *done, accordi_beside *out)
{
    const accordi_question *q = &f->question;
    const accordi_area all[ACCORDI_AREAS] = {first_area(f), second_area(f), third_area(f)};
    accordi_area area[ACCORDI_AREAS];
    size_t areas = 0;
    for (size_t i = 0; i < ACCORDI_AREAS; i++)
        if (f->count[i] > 0)
            area[areas++] = all[i];
    accordi_operands_fill(f->a, f->count[0], q->storage, 1);
    accordi_operands_fill(f->b, f->count[1], q->storage, 1);
    f->cells.tail = f->second.tail = 1;
    accordi_memory_examine(area, areas, f->call, f, done, out);
    f->disturbed = true; /* the next run fills the operands anew */
}
