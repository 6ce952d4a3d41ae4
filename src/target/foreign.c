/* A foreign function with its operands in place: what a batch of probes calls. */
#include "target/foreign.h"
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- functions of the user's own ---- */

typedef float sum_f32(const float *x, size_t n);
typedef double sum_f64(const double *x, size_t n);
typedef float products_f32(size_t n, const float *x, const float *y);
typedef double products_f64(size_t n, const double *x, const double *y);

static double call_sum_f32(void *context)
{
    accordi_foreign *f = context;
    return (double)((sum_f32 *)f->function)(f->a, f->cells.n);
}

static double call_sum_f64(void *context)
{
    accordi_foreign *f = context;
    return ((sum_f64 *)f->function)(f->a, f->cells.n);
}

static double call_products_f32(void *context)
{
    accordi_foreign *f = context;
    return (double)((products_f32 *)f->function)(f->cells.n, f->a, f->b);
}

static double call_products_f64(void *context)
{
    accordi_foreign *f = context;
    return ((products_f64 *)f->function)(f->cells.n, f->a, f->b);
}

static enum accord_status bind_function(accordi_foreign *f, char *entry, accord_error *error)
{
    static accordi_call *const calls[2][2] = {{call_sum_f64, call_sum_f32},
                                              {call_products_f64, call_products_f32}};
    const accordi_question *q = &f->question;
    void *address = dlsym(f->handle, q->symbol);
    if (!address)
        return accordi_fail(error, ACCORD_TARGET,
                            "%.200s has no function %.100s: list what it has with nm -D",
                            q->library, q->symbol);
    memcpy(&f->function, &address, sizeof address);
    f->call = calls[q->family == ACCORDI_PRODUCTS][q->f32];
    snprintf(entry, 64, "%.63s", q->symbol);
    return ACCORD_OK;
}

/* ---- operands ---- */

static int64_t spread(int64_t count, int64_t stride)
{
    return 1 + (count - 1) * (stride < 0 ? -stride : stride);
}

/* Elements of the operands a, b, c. Nothing overflows: sizes and strides are ints of BLAS. */
static void sizes(const accordi_question *q, int64_t count[3])
{
    count[0] = q->k;
    count[1] = count[2] = 0;
    if (q->family == ACCORDI_PRODUCTS)
        count[1] = q->k;
    if (q->family == ACCORDI_DOT) {
        count[0] = spread(q->k, q->incx);
        count[1] = spread(q->k, q->incy);
    }
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

static void fill_ones(void *operand, int64_t count, bool f32)
{
    for (int64_t i = 0; i < count; i++)
        if (f32)
            ((float *)operand)[i] = 1;
        else
            ((double *)operand)[i] = 1;
}

static enum accord_status allocate(accordi_foreign *f, accord_error *error)
{
    const accordi_question *q = &f->question;
    size_t size = q->f32 ? sizeof(float) : sizeof(double);
    void **const operands[3] = {&f->a, &f->b, &f->c};
    int64_t count[3];
    sizes(q, count);
    double needed = (double)size * ((double)count[0] + (double)count[1] + (double)count[2]);
    double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (needed > memory)
        return accordi_fail(error, ACCORD_ARG,
                            "the operands need %.3g GB and this machine has %.3g GB: give fewer "
                            "terms or a smaller --shape",
                            needed / 1e9, memory / 1e9);
    for (size_t i = 0; i < 3; i++) {
        if (count[i] == 0)
            continue;
        *operands[i] =
            accordi_aligned((size_t)count[i] * size, i ? 0 : (size_t)q->alignment, &f->blocks[i]);
        if (!*operands[i])
            return accordi_nomem(error);
        fill_ones(*operands[i], count[i], q->f32);
    }
    return ACCORD_OK;
}

/* Where the terms and the answer lie. A vector with a negative stride starts at its far end. */
static void place(accordi_foreign *f)
{
    const accordi_question *q = &f->question;
    ptrdiff_t first = 0, stride = 1;
    if (q->family == ACCORDI_DOT) {
        stride = q->incx;
        first = stride < 0 ? -stride * (ptrdiff_t)(q->k - 1) : 0;
    } else if (q->family == ACCORDI_GEMV || q->family == ACCORDI_GEMM) {
        bool straight = q->transpose[0] == 'N';
        stride = straight ? 1 : q->lda;
        first = straight ? q->row * q->lda : q->row;
    }
    if (q->family == ACCORDI_GEMV)
        f->answer = (size_t)(q->incy > 0 ? q->row * q->incy : (q->row + 1 - q->m) * q->incy);
    if (q->family == ACCORDI_GEMM)
        f->answer = (size_t)(q->row * q->ldc + q->column);
    f->cells = (accordi_cells){.base = (char *)f->a + first * (ptrdiff_t)(q->f32 ? 4 : 8),
                               .n = (size_t)q->k,
                               .stride = stride,
                               .f32 = q->f32};
}

/* ---- life ---- */

enum accord_status accordi_foreign_open(accordi_foreign *foreign, const accordi_question *question,
                                        accordi_facts *facts, accord_error *error)
{
    accordi_foreign f = {.question = *question};
    char entry[64] = "";
    bool blas = question->family >= ACCORDI_DOT;
    f.handle = accordi_library_open(question->library, blas, error);
    if (!f.handle)
        return ACCORD_TARGET;
    enum accord_status status =
        blas ? accordi_blas_bind(&f, entry, error) : bind_function(&f, entry, error);
    if (status == ACCORD_OK)
        status = allocate(&f, error);
    if (status != ACCORD_OK) {
        accordi_foreign_close(&f);
        return status;
    }
    place(&f);
    void *address;
    memcpy(&address, &f.function, sizeof address);
    accordi_library_facts(f.handle, address, entry, facts);
    *foreign = f;
    return ACCORD_OK;
}

enum accord_status accordi_foreign_run(accordi_foreign *foreign, const accord_batch *batch,
                                       double *result, _Atomic uint32_t *done, double *seconds,
                                       accord_error *error)
{
    double from = accordi_now();
    enum accord_status status =
        accordi_cells_run(&foreign->cells, batch, foreign->call, foreign, result, done, error);
    *seconds = accordi_now() - from;
    return status;
}

void accordi_foreign_close(accordi_foreign *foreign)
{
    accordi_cells_clear(&foreign->cells);
    for (size_t i = 0; i < 3; i++)
        free(foreign->blocks[i]);
    if (foreign->handle)
        dlclose(foreign->handle);
    memset(foreign, 0, sizeof *foreign);
}
