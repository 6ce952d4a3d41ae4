/* Tests whether a foreign function uses memory outside its operands (outside_access.c): says which
 * parts of the operands are elements, and which lie between them. */
#include "targets/foreign/foreign.h"
#include "targets/outside_access.h"

void accordi_foreign_examine(accordi_foreign *f, _Atomic uint32_t *done, accord_outside_access *out)
{
    const accordi_question *q = &f->question;
    void *const operands[] = {f->a, f->b, f->c};
    accordi_area area[ACCORDI_AREAS];
    size_t areas = 0;
    for (size_t i = 0; i < 3; i++) {
        const accordi_extent *p = &f->extent[i];
        bool input = i < 2;
        if (p->count > 0)
            area[areas++] = (accordi_area){
                operands[i], p->count, p->apart, p->width, input ? q->storage : q->output, input};
    }
    for (size_t i = 0; i < 2 && q->scale_block; i++) {
        int64_t count = (int64_t)accordi_scale_count(q);
        area[areas++] = (accordi_area){f->scale[i], count, 1, 1, q->scale_storage, true};
        accordi_operands_fill(f->scale[i], count, q->scale_storage, 1);
    }
    accordi_operands_fill(f->a, f->extent[0].count, q->storage, 1);
    accordi_operands_fill(f->b, f->extent[1].count, q->storage, 1);
    f->cells.tail = f->second.tail = 1;
    accordi_memory_examine(area, areas, f->call, f, done, out);
    f->disturbed = true; /* the next run fills the operands anew */
}
