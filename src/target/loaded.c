/* The kinds "so" and "blas": foreign code, in a worker process or, when asked, in this one. */
#include "target/foreign.h"

typedef struct loaded {
    accordi_question question;
    accordi_facts facts;
    accordi_remote *remote;  /* else: */
    accordi_foreign foreign; /* in this process */
} loaded;

static enum accord_status run(accord_target *target, const accord_batch *batch, double *result,
                              accord_error *error)
{
    loaded *l = target->state;
    double seconds = 0;
    enum accord_status status =
        l->remote ? accordi_remote_run(l->remote, batch, result, &seconds, error)
                  : accordi_foreign_run(&l->foreign, batch, result, NULL, &seconds, error);
    target->seconds += seconds;
    return status;
}

static void *arena(accord_target *target, size_t bytes)
{
    loaded *l = target->state;
    return l->remote ? accordi_remote_arena(l->remote, bytes) : NULL;
}

static void close_loaded(accord_target *target)
{
    loaded *l = target->state;
    if (l->remote)
        accordi_remote_close(l->remote);
    else
        accordi_foreign_close(&l->foreign);
    free(l);
}

static void write_shape(const accordi_question *q, char shape[64], char element[48])
{
    long long m = q->m, n = q->n, k = q->k, row = q->row, column = q->column;
    if (q->family == ACCORDI_GEMM) {
        snprintf(shape, 64, "%lldx%lldx%lld", m, n, k);
        snprintf(element, 48, "%lld,%lld", row, column);
    } else if (q->family == ACCORDI_GEMV) {
        snprintf(shape, 64, "%lldx%lld", m, k);
        snprintf(element, 48, "%lld", row);
    }
}

static void write_strides(const accordi_question *q, char strides[160])
{
    const struct {
        const char *name;
        int64_t value;
    } all[] = {
        {"incx", q->incx}, {"incy", q->incy}, {"lda", q->lda}, {"ldb", q->ldb}, {"ldc", q->ldc}};
    size_t used = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].value)
            used += (size_t)snprintf(strides + used, 160 - used, "%s%s=%lld", used ? " " : "",
                                     all[i].name, (long long)all[i].value);
}

static enum accord_status describe(accord_target *target, accord_record *record,
                                   accord_error *error)
{
    const loaded *l = target->state;
    const accordi_question *q = &l->question;
    char shape[64] = "", element[48] = "", strides[160] = "";
    write_shape(q, shape, element);
    write_strides(q, strides);
    const char *signature = q->family == ACCORDI_SUM        ? "sum"
                            : q->family == ACCORDI_PRODUCTS ? "dot"
                                                            : "";
    const struct {
        char **field;
        const char *text;
    } texts[] = {
        {&record->library, l->facts.library},
        {&record->library_version, l->facts.version},
        {&record->library_build, l->facts.build},
        {&record->shape, shape},
        {&record->element, element},
        {&record->transpose, q->transpose},
        {&record->strides, strides},
        {&record->signature, signature},
    };
    record->alignment = q->alignment;
    record->threads = l->facts.threads;
    enum accord_status status = ACCORD_OK;
    for (size_t i = 0; status == ACCORD_OK && i < sizeof texts / sizeof texts[0]; i++)
        status = accord_record_set(texts[i].field, *texts[i].text ? texts[i].text : NULL, error);
    return status;
}

const accord_target_kind accordi_so_kind = {
    .name = "so",
    .notation = "so:PATH:SYMBOL",
    .about = "a function in a shared object: T f(const T *x, size_t n), or with the signature dot "
             "T f(size_t n, const T *x, const T *y)",
    .run = run,
    .describe = describe,
    .arena = arena,
    .close = close_loaded,
};

const accord_target_kind accordi_blas_kind = {
    .name = "blas",
    .notation = "blas:ROUTINE[@LIBRARY]",
    .about = "sdot, ddot, sgemv, dgemv, sgemm or dgemm of any BLAS, by path, soname or name "
             "(openblas, blis, atlas, reference, gsl, mkl)",
    .run = run,
    .describe = describe,
    .arena = arena,
    .close = close_loaded,
};

static enum accord_status load(accord_target *target, const accord_target_kind *kind,
                               const accordi_question *question,
                               const accord_target_options *options, accord_error *error)
{
    loaded *l = accordi_calloc(1, sizeof *l);
    if (!l)
        return accordi_nomem(error);
    l->question = *question;
    enum accord_status status =
        options->no_fork
            ? accordi_foreign_open(&l->foreign, question, &l->facts, error)
            : accordi_remote_open(question, options->timeout, &l->remote, &l->facts, error);
    if (status != ACCORD_OK) {
        free(l);
        return status;
    }
    target->kind = kind;
    target->state = l;
    target->storage_f32 = question->f32;
    target->format = target->output = question->f32 ? ACCORD_F32 : ACCORD_F64;
    return ACCORD_OK;
}

enum accord_status accordi_blas_open(accord_target *target, const accordi_notation *notation,
                                     const accord_target_options *options, accord_error *error)
{
    accordi_question question;
    enum accord_status status =
        accordi_blas_question(notation->head, notation->tail, options, &question, error);
    return status == ACCORD_OK ? load(target, &accordi_blas_kind, &question, options, error)
                               : status;
}

static enum accord_status so_question(const accordi_notation *notation,
                                      const accord_target_options *o, accordi_question *q,
                                      accord_error *error)
{
    const char *signature = o->signature ? o->signature : "sum";
    bool products = strcmp(signature, "dot") == 0;
    enum accord_format format = o->has_format ? o->format : ACCORD_F32;
    if (!products && strcmp(signature, "sum") != 0)
        return accordi_fail(error, ACCORD_ARG, "the signature '%.40s' is neither sum nor dot",
                            signature);
    if (format != ACCORD_F32 && format != ACCORD_F64)
        return accordi_fail(error, ACCORD_UNSUPPORTED,
                            "a function in a shared object takes float or double: choose f32 or "
                            "f64, or wrap it in a command: target");
    if (strlen(notation->head) >= sizeof q->library || strlen(notation->tail) >= sizeof q->symbol)
        return accordi_fail(error, ACCORD_ARG,
                            "the path or the name of the function is too long (%zu and %zu)",
                            sizeof q->library - 1, sizeof q->symbol - 1);
    enum accord_status status =
        accordi_refuse_blas_options(o, "a function in a shared object", error);
    if (status != ACCORD_OK)
        return status;
    q->family = products ? ACCORDI_PRODUCTS : ACCORDI_SUM;
    q->f32 = format == ACCORD_F32;
    q->m = q->n = 1;
    q->k = (int64_t)o->n;
    strcpy(q->library, notation->head);
    strcpy(q->symbol, notation->tail);
    return accordi_read_alignment(o, q->f32 ? 4 : 8, &q->alignment, error);
}

enum accord_status accordi_so_open(accord_target *target, const accordi_notation *notation,
                                   const accord_target_options *options, accord_error *error)
{
    accordi_question question = {0};
    enum accord_status status = so_question(notation, options, &question, error);
    return status == ACCORD_OK ? load(target, &accordi_so_kind, &question, options, error) : status;
}
