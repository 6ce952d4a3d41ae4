/* A foreign function with its operands in place: what a batch of probes calls. */
#include "targets/foreign/foreign.h"
#include <dlfcn.h>
#include <math.h>

/* ---- functions of the user's own ---- */

/* What a pointer points to makes no difference to the call; the type of the result does. */
#define CALLS(R, SUFFIX)                                                                           \
    typedef R sum_##SUFFIX(const void *x, size_t n);                                               \
    typedef R products_##SUFFIX(size_t n, const void *x, const void *y);                           \
    typedef R scaled_##SUFFIX(size_t n, const void *x, const void *scale_x, const void *y,         \
                              const void *scale_y);                                                \
                                                                                                   \
    static double call_sum_##SUFFIX(void *context)                                                 \
    {                                                                                              \
        accordi_foreign *f = context;                                                              \
        accordi_foreign_enter();                                                                   \
        R result = ((sum_##SUFFIX *)f->function)(f->a, f->cells.n);                                \
        accordi_foreign_leave();                                                                   \
        return (double)result;                                                                     \
    }                                                                                              \
                                                                                                   \
    static double call_products_##SUFFIX(void *context)                                            \
    {                                                                                              \
        accordi_foreign *f = context;                                                              \
        accordi_foreign_enter();                                                                   \
        R result = ((products_##SUFFIX *)f->function)(f->cells.n, f->a, f->b);                     \
        accordi_foreign_leave();                                                                   \
        return (double)result;                                                                     \
    }                                                                                              \
                                                                                                   \
    static double call_scaled_##SUFFIX(void *context)                                              \
    {                                                                                              \
        accordi_foreign *f = context;                                                              \
        accordi_foreign_enter();                                                                   \
        R result =                                                                                 \
            ((scaled_##SUFFIX *)f->function)(f->cells.n, f->a, f->scale[0], f->b, f->scale[1]);    \
        accordi_foreign_leave();                                                                   \
        return (double)result;                                                                     \
    }

CALLS(float, f32)
CALLS(double, f64)

typedef void axis(size_t first, size_t second, const void *x, void *result);

static void rows(accordi_foreign *f)
{
    ((axis *)f->function)((size_t)f->question.m, (size_t)f->question.k, f->a, f->c);
}

static void columns(accordi_foreign *f)
{
    ((axis *)f->function)((size_t)f->question.k, (size_t)f->question.m, f->a, f->c);
}

static enum accord_status bind_function(accordi_foreign *f, char *entry, accord_error *error)
{
    static const struct {
        accordi_call *call;
        accordi_product *product;
    } calls[][2] = {
        [ACCORDI_SUM] = {{call_sum_f64, NULL}, {call_sum_f32, NULL}},
        [ACCORDI_PRODUCTS] = {{call_products_f64, NULL}, {call_products_f32, NULL}},
        [ACCORDI_SCALED] = {{call_scaled_f64, NULL}, {call_scaled_f32, NULL}},
        [ACCORDI_ROWS] = {{NULL, rows}, {NULL, rows}},
        [ACCORDI_COLUMNS] = {{NULL, columns}, {NULL, columns}},
    };
    const accordi_question *q = &f->question;
    void *address = dlsym(f->handle, q->symbol);
    if (!address)
        return accordi_fail(error, ACCORD_TARGET,
                            "%.200s has no function %.100s: list what it has with nm -D",
                            q->library, q->symbol);
    memcpy(&f->function, &address, sizeof address);
    f->call = calls[q->family][q->output == ACCORDI_F32].call;
    f->product = calls[q->family][q->output == ACCORDI_F32].product;
    snprintf(entry, 64, "%.63s", q->symbol);
    return ACCORD_OK;
}

void accordi_foreign_product(accordi_foreign *f)
{
    accordi_foreign_enter();
    f->product(f);
    accordi_foreign_leave();
}

/* Writes the elements of the result only: the gaps between them are watched for changes. */
static void fill_starts(accordi_foreign *f)
{
    const accordi_question *q = &f->question;
    const accordi_extent *c = &f->extent[2];
    for (int64_t at = 0; at < c->count; at += c->apart)
        accordi_operands_fill((char *)f->c + at * (int64_t)accordi_storage_size(q->output),
                              c->width < c->count - at ? c->width : c->count - at, q->output, 1);
}

/* One of many results. Its place holds NaN before each call: a routine that only complains leaves
 * it there. Start values are written anew, for the call before has put results in their place. */
static double call_element(void *context)
{
    accordi_foreign *f = context;
    const accordi_question *q = &f->question;
    if (q->has_start)
        fill_starts(f);
    double before = q->has_start ? f->cells.tail : (double)NAN;
    accordi_set_number(f->c, q->output == ACCORDI_F32, f->answer, before);
    accordi_foreign_product(f);
    return accordi_get_number(f->c, q->output == ACCORDI_F32, f->answer);
}

/* ---- life ---- */

enum accord_status accordi_foreign_open(accordi_foreign *foreign, const accordi_question *question,
                                        accordi_facts *facts, accord_error *error)
{
    accordi_foreign f = {.question = *question};
    char entry[64] = "";
    bool blas = accordi_family_is_blas(question->family);
    f.handle = accordi_library_open(question->library, blas, error);
    if (!f.handle)
        return ACCORD_TARGET;
    enum accord_status status =
        blas ? accordi_blas_bind(&f, entry, error) : bind_function(&f, entry, error);
    if (!f.call)
        f.call = call_element;
    if (status == ACCORD_OK)
        status = accordi_operands_open(&f, error);
    if (status != ACCORD_OK) {
        accordi_foreign_close(&f);
        return status;
    }
    void *address;
    memcpy(&address, &f.function, sizeof address);
    accordi_library_facts(f.handle, address, entry, facts);
    *foreign = f;
    return ACCORD_OK;
}

/* The scales of a probe; NULL: all are 1. */
static void load_scales(accordi_foreign *f, size_t which, const double *scale)
{
    const accordi_question *q = &f->question;
    if (!scale)
        accordi_operands_fill(f->scale[which], (int64_t)accordi_scale_count(q), q->scale_storage,
                              1);
    for (size_t k = 0; scale && k < accordi_scale_count(q); k++)
        if (q->scale_storage == ACCORDI_F32)
            ((float *)f->scale[which])[k] = (float)scale[k];
        else
            accordi_encoded_put(q->scale_storage, f->scale[which], (ptrdiff_t)k, scale[k]);
}

/* A call whose probe has scales of its own. */
typedef struct scaled_call {
    accordi_foreign *foreign;
    const accord_batch *batch;
    size_t probe;
} scaled_call;

static double call_scaled(void *context)
{
    scaled_call *s = context;
    const double *const scale[2] = {s->batch->scale_first, s->batch->scale_second};
    size_t from = s->probe++ * accordi_scale_count(&s->foreign->question);
    for (size_t i = 0; i < 2; i++)
        load_scales(s->foreign, i, scale[i] ? scale[i] + from : NULL);
    return s->foreign->call(s->foreign);
}

enum accord_status accordi_foreign_run(accordi_foreign *foreign, const accord_batch *batch,
                                       double *result, _Atomic uint32_t *done, double *seconds,
                                       accord_error *error)
{
    double from = accordi_now();
    const accordi_question *q = &foreign->question;
    if (foreign->disturbed) {
        accordi_operands_fill(foreign->a, foreign->extent[0].count, q->storage, 1);
        accordi_operands_fill(foreign->b, foreign->extent[1].count, q->storage, 1);
        foreign->cells.clean = foreign->second.clean = foreign->disturbed = false;
    }
    accordi_cells *second = foreign->second.base ? &foreign->second : NULL;
    scaled_call scaled = {foreign, batch, 0};
    bool has_scales = q->scale_block > 0;
    enum accord_status status =
        accordi_cells_run(&foreign->cells, second, batch, has_scales ? call_scaled : foreign->call,
                          has_scales ? (void *)&scaled : foreign, result, done, error);
    *seconds = accordi_now() - from;
    return status;
}

void accordi_foreign_close(accordi_foreign *foreign)
{
    accordi_cells_clear(&foreign->cells);
    accordi_cells_clear(&foreign->second);
    for (size_t i = 0; i < 3; i++)
        free(foreign->blocks[i]);
    for (size_t i = 0; i < 2; i++)
        free(foreign->scale_memory[i]);
    if (foreign->handle)
        dlclose(foreign->handle);
    memset(foreign, 0, sizeof *foreign);
}
