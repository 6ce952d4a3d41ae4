/* Allocates the operands of foreign functions, and says where the terms, their second factors and
 * the answer lie in them. */
#include "targets/foreign/foreign.h"
#include <unistd.h>

static enum accord_status allocate(accordi_foreign *f, accord_error *error)
{
    const accordi_question *q = &f->question;
    void **const operands[3] = {&f->a, &f->b, &f->c};
    double needed = 0, memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < 3; i++) {
        f->extent[i] = accordi_operand_extent(q, i);
        needed += (double)accordi_storage_size(i < 2 ? q->storage : q->output) *
                  (double)f->extent[i].count;
    }
    if (needed > memory)
        return accordi_fail(error, ACCORD_ARG,
                            "the operands need %.3g GB, but this machine has only %.3g GB: use "
                            "fewer terms or a smaller --shape",
                            needed / 1e9, memory / 1e9);
    for (size_t i = 0; i < 3; i++) {
        enum accordi_storage storage = i < 2 ? q->storage : q->output;
        if (f->extent[i].count == 0)
            continue;
        *operands[i] = accordi_aligned((size_t)f->extent[i].count * accordi_storage_size(storage),
                                       i ? 0 : (size_t)q->alignment, &f->blocks[i]);
        if (!*operands[i])
            return accordi_nomem(error);
        accordi_operands_fill(*operands[i], f->extent[i].count, storage, 1);
    }
    return ACCORD_OK;
}

static enum accord_status allocate_scales(accordi_foreign *f, accord_error *error)
{
    const accordi_question *q = &f->question;
    size_t count = accordi_scale_count(q);
    for (size_t i = 0; i < 2 && count; i++) {
        f->scale[i] =
            accordi_aligned(count * accordi_storage_size(q->scale_storage), 0, &f->scale_memory[i]);
        if (!f->scale[i])
            return accordi_nomem(error);
        accordi_operands_fill(f->scale[i], (int64_t)count, q->scale_storage, 1);
    }
    return ACCORD_OK;
}

/* The numbers of row `row` of an operand. */
static accordi_cells cells_of(const accordi_foreign *f, size_t i, int64_t row)
{
    const accordi_question *q = &f->question;
    const accordi_extent *p = &f->extent[i];
    int64_t first = p->first + row * p->down;
    return (accordi_cells){.base = (char *)(i ? f->b : f->a) +
                                   first * (int64_t)accordi_storage_size(q->storage),
                           .n = (size_t)q->k * (q->complex ? 2 : 1),
                           .stride = p->along,
                           .storage = q->storage,
                           .pair = q->complex,
                           .has_tail = q->has_start};
}

/* x y = (xr yr - xi yi) + i (xr yi + xi yr), and with x conjugated xi changes its sign. So that a
 * term is the product of its factors, xi is kept with the other sign where its product counts
 * less than nothing, and y with its parts swapped for the imaginary part. */
static void place_complex(accordi_foreign *f)
{
    const accordi_question *q = &f->question;
    f->cells.negate = q->imaginary == q->conjugate;
    f->second.swap = q->imaginary;
}

enum accord_status accordi_operands_open(accordi_foreign *f, accord_error *error)
{
    const accordi_question *q = &f->question;
    const accordi_extent *c = &f->extent[2];
    enum accord_status status = allocate(f, error);
    if (status == ACCORD_OK)
        status = allocate_scales(f, error);
    if (status != ACCORD_OK)
        return status;
    f->answer = (size_t)(c->first + q->row * c->down + q->column * c->along);
    f->cells = cells_of(f, 0, q->row);
    if (f->b)
        f->second = cells_of(f, 1, q->column);
    if (accordi_has_complex_result(q))
        place_complex(f);
    return ACCORD_OK;
}
