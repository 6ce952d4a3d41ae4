/* The operands of foreign functions: where they live, where the terms, their second factors and
 * the answer lie in them. */
#include "targets/foreign/foreign.h"
#include <unistd.h>

bool accordi_family_is_grid(enum accordi_family family)
{
    return family == ACCORDI_ROWS || family == ACCORDI_COLUMNS || family == ACCORDI_GEMV ||
           family == ACCORDI_GEMM;
}

static int64_t spread(int64_t count, int64_t stride)
{
    return 1 + (count - 1) * (stride < 0 ? -stride : stride);
}

/* Numbers in the operands a, b, c. Nothing overflows: sizes and strides are ints of BLAS. */
static void sizes(const accordi_question *q, int64_t count[3])
{
    count[0] = q->k;
    count[1] = count[2] = 0;
    if (q->family == ACCORDI_PRODUCTS)
        count[1] = q->k;
    if (q->family == ACCORDI_ROWS || q->family == ACCORDI_COLUMNS) {
        count[0] = q->m * q->k;
        count[2] = q->m;
    }
    if (q->family == ACCORDI_DOT || q->family == ACCORDI_ASUM || q->family == ACCORDI_NORM)
        count[0] = spread(q->k, q->incx) * (q->complex ? 2 : 1);
    if (q->family == ACCORDI_DOT)
        count[1] = spread(q->k, q->incy) * (q->complex ? 2 : 1);
    if (q->family == ACCORDI_GEMV || q->family == ACCORDI_GEMM)
        count[0] = q->lda * (q->transpose[0] == 'N' ? q->m : q->k);
    if (q->family == ACCORDI_GEMV) {
        count[1] = spread(q->k, q->incx);
        count[2] = spread(q->m, q->incy);
    }
    if (q->family == ACCORDI_GEMM) {
        count[1] = q->ldb * (q->transpose[1] == 'N' ? q->k : q->n);
        count[2] = q->ldc * q->m;
    }
}

static enum accord_status allocate(accordi_foreign *f, accord_error *error)
{
    const accordi_question *q = &f->question;
    void **const operands[3] = {&f->a, &f->b, &f->c};
    double needed = 0, memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    sizes(q, f->count);
    for (size_t i = 0; i < 3; i++)
        needed +=
            (double)accordi_storage_size(i < 2 ? q->storage : q->output) * (double)f->count[i];
    if (needed > memory)
        return accordi_fail(error, ACCORD_ARG,
                            "the operands need %.3g GB, but this machine has only %.3g GB: use "
                            "fewer terms or a smaller --shape",
                            needed / 1e9, memory / 1e9);
    for (size_t i = 0; i < 3; i++) {
        enum accordi_storage storage = i < 2 ? q->storage : q->output;
        if (f->count[i] == 0)
            continue;
        *operands[i] = accordi_aligned((size_t)f->count[i] * accordi_storage_size(storage),
                                       i ? 0 : (size_t)q->alignment, &f->blocks[i]);
        if (!*operands[i])
            return accordi_nomem(error);
        accordi_operands_fill(*operands[i], f->count[i], storage, 1);
    }
    return ACCORD_OK;
}

/* `count` numbers of `operand` from `first` on, `stride` apart. */
static accordi_cells cells_at(const accordi_question *q, void *operand, int64_t first,
                              int64_t stride)
{
    return (accordi_cells){.base =
                               (char *)operand + first * (int64_t)accordi_storage_size(q->storage),
                           .n = (size_t)q->k * (q->complex ? 2 : 1),
                           .stride = stride,
                           .storage = q->storage,
                           .pair = q->complex};
}

/* A vector with a negative stride starts at its far end. */
static accordi_cells vector_at(const accordi_question *q, void *operand, int64_t stride)
{
    int64_t apart = stride * (q->complex ? 2 : 1);
    return cells_at(q, operand, stride < 0 ? -apart * (q->k - 1) : 0, apart);
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

static void place_matrix(accordi_foreign *f)
{
    const accordi_question *q = &f->question;
    bool straight = q->transpose[0] == 'N';
    f->cells = straight ? cells_at(q, f->a, q->row * q->lda, 1) : cells_at(q, f->a, q->row, q->lda);
    if (q->family == ACCORDI_GEMV) {
        f->second = vector_at(q, f->b, q->incx);
        f->answer = (size_t)(q->incy > 0 ? q->row * q->incy : (q->row + 1 - q->m) * q->incy);
    } else {
        f->second = q->transpose[1] == 'N' ? cells_at(q, f->b, q->column, q->ldb)
                                           : cells_at(q, f->b, q->column * q->ldb, 1);
        f->answer = (size_t)(q->row * q->ldc + q->column);
    }
    f->cells.has_tail = f->second.has_tail = q->has_start;
}

enum accord_status accordi_operands_open(accordi_foreign *f, accord_error *error)
{
    const accordi_question *q = &f->question;
    enum accord_status status = allocate(f, error);
    if (status != ACCORD_OK)
        return status;
    f->answer = (size_t)q->row;
    if (q->family == ACCORDI_GEMV || q->family == ACCORDI_GEMM)
        place_matrix(f);
    else if (q->family == ACCORDI_ROWS)
        f->cells = cells_at(q, f->a, q->row * q->k, 1);
    else if (q->family == ACCORDI_COLUMNS)
        f->cells = cells_at(q, f->a, q->row, q->m);
    else
        f->cells = vector_at(q, f->a, q->incx ? q->incx : 1);
    if (q->family == ACCORDI_DOT || q->family == ACCORDI_PRODUCTS)
        f->second = vector_at(q, f->b, q->incy ? q->incy : 1);
    if (q->family == ACCORDI_DOT && q->complex)
        place_complex(f);
    return ACCORD_OK;
}
