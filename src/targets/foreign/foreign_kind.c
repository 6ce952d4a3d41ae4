/* The kinds "so" and "blas": foreign code, in a worker process or, when asked, in this one. */
#include "targets/foreign/foreign.h"

typedef struct loaded {
    accordi_question question;
    accordi_facts facts;
    double timeout;
    accordi_remote *remote;  /* else: */
    accordi_foreign foreign; /* in this process */
} loaded;

static void scale(const accord_target *target)
{
    loaded *l = target->state;
    l->foreign.question.alpha = target->alpha;
    l->foreign.question.beta = target->beta;
    if (l->remote)
        accordi_remote_scale(l->remote, target->alpha, target->beta);
}

static enum accord_status run_foreign_batch(accord_target *target, const accord_batch *batch,
                                            double *result, accord_error *error)
{
    loaded *l = target->state;
    double seconds = 0;
    scale(target);
    enum accord_status status =
        l->remote ? accordi_remote_run(l->remote, batch, result, &seconds, error)
                  : accordi_foreign_run(&l->foreign, batch, result, NULL, &seconds, error);
    target->seconds += seconds;
    return status;
}

static enum accord_status run_grid(accord_target *target, const accord_grid *grid, double *result,
                                   accord_error *error)
{
    loaded *l = target->state;
    double seconds = 0;
    scale(target);
    enum accord_status status =
        l->remote ? accordi_remote_grid(l->remote, grid, result, &seconds, error)
                  : accordi_foreign_grid(&l->foreign, grid, result, NULL, &seconds, error);
    target->seconds += seconds;
    return status;
}

static enum accord_status examine_foreign(accord_target *target, accord_outside_access *out,
                                          accord_error *error)
{
    loaded *l = target->state;
    scale(target);
    if (l->remote)
        return accordi_remote_examine(l->remote, out, error);
    accordi_foreign_examine(&l->foreign, NULL, out);
    return ACCORD_OK;
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
    if (accordi_family_has_columns(q->family)) {
        snprintf(shape, 64, "%lldx%lldx%lld", m, n, k);
        snprintf(element, 48, "%lld,%lld", row, column);
    } else if (accordi_family_is_grid(q->family)) {
        snprintf(shape, 64, "%lldx%lld", m, k);
        snprintf(element, 48, "%lld", row);
    } else if (accordi_has_complex_result(q)) {
        snprintf(element, 48, "%s", q->imaginary ? "im" : "re");
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

static enum accord_status describe_foreign(accord_target *target, accord_record *record,
                                           accord_error *error)
{
    const loaded *l = target->state;
    const accordi_question *q = &l->question;
    char shape[64] = "", element[48] = "", strides[160] = "";
    write_shape(q, shape, element);
    write_strides(q, strides);
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
        {&record->signature, accordi_signature(q)},
    };
    record->alignment = q->alignment;
    record->threads = l->facts.threads;
    enum accord_status status = ACCORD_OK;
    for (size_t i = 0; status == ACCORD_OK && i < sizeof texts / sizeof texts[0]; i++)
        status = accord_record_set(texts[i].field, *texts[i].text ? texts[i].text : NULL, error);
    return status;
}

/* Of each kind there is one with many results, and one without run_grid. ANY_FORMAT: terms and
 * results may have formats that no BLAS has. */
#define KIND(GRID, ANY_FORMAT, NAME, NOTATION, ABOUT)                                              \
    {                                                                                              \
        .name = NAME, .notation = NOTATION, .about = ABOUT, .run = run_foreign_batch,              \
        .run_grid = GRID, .describe = describe_foreign, .arena = arena, .close = close_loaded,     \
        .examine = examine_foreign, .takes_result = ANY_FORMAT, .takes_scales = ANY_FORMAT,        \
    }
#define SO(GRID)                                                                                   \
    KIND(                                                                                          \
        GRID, true, "so", "so:PATH:SYMBOL",                                                        \
        "a function in a shared object, with the signature that --signature names: "               \
        "sum is R f(const T *x, size_t n); dot is R f(size_t n, const T *x, const T *y); "         \
        "rows is void f(size_t m, size_t n, const T *x, R *result), with m sums of n terms "       \
        "x[r*n+k]; columns is void f(size_t n, size_t m, const T *x, R *result), with m sums of "  \
        "n terms x[k*m+c]; scaled-dot is R f(size_t n, const T *x, const S *scale_x, const T *y, " \
        "const S *scale_y), with a scale of each operand for each --scale-block products, of the " \
        "format --scale. T and R are double for f64, and otherwise float, which holds the "        \
        "values of narrower formats, and so is S. With :encoded (dot:encoded) T is uint16_t for "  \
        "f16 and bf16, and uint8_t for narrower formats, one element a byte, and S is uint8_t")
#define BLAS(GRID)                                                                                 \
    KIND(GRID, false, "blas", "blas:ROUTINE[@LIBRARY]",                                            \
         "a routine of a BLAS library. LIBRARY is a path, a soname or a name (openblas, blis, "    \
         "atlas, reference, gsl, mkl). ROUTINE is sdot, dsdot, zdotc, scasum, dnrm2, sgemv, "      \
         "dgemm or a similar one; sgbmv or dgbmv, with all diagonals; or, for bf16, "              \
         "sbdot, sbgemv, sbgemm or gemm_bf16bf16f32")

const accord_target_kind accordi_so_kind = SO(NULL), accordi_blas_kind = BLAS(NULL);
static const accord_target_kind so_grid_kind = SO(run_grid), blas_grid_kind = BLAS(run_grid);

static void fill_target(accord_target *target, const accordi_question *q)
{
    bool grid = accordi_family_is_grid(q->family);
    bool blas = accordi_family_is_blas(q->family);
    target->kind = blas ? (grid ? &blas_grid_kind : &accordi_blas_kind)
                        : (grid ? &so_grid_kind : &accordi_so_kind);
    target->storage_f32 = q->storage != ACCORDI_F64;
    target->format = !blas                       ? q->format
                     : q->storage == ACCORDI_F64 ? ACCORD_F64
                     : q->storage == ACCORDI_F32 ? ACCORD_F32
                                                 : ACCORD_BF16;
    target->output = !blas ? q->result : q->output == ACCORDI_F32 ? ACCORD_F32 : ACCORD_F64;
    target->term = accordi_families[q->family].term;
    target->rows = (size_t)q->m;
    target->columns = (size_t)q->n;
    target->row = grid ? (size_t)q->row : 0;
    target->column = grid ? (size_t)q->column : 0;
    target->alpha = q->alpha;
    target->beta = q->beta;
    target->has_start = q->has_start;
    target->scale_block = (size_t)q->scale_block;
    target->scale = q->scale_block ? q->scale : ACCORD_F64;
}

static enum accord_status load_function(accord_target *target, const accordi_question *question,
                                        double timeout, bool no_fork, const accordi_remote *like,
                                        accord_error *error)
{
    loaded *l = accordi_calloc(1, sizeof *l);
    if (!l)
        return accordi_nomem(error);
    l->question = *question;
    l->timeout = timeout;
    enum accord_status status =
        no_fork ? accordi_foreign_open(&l->foreign, question, &l->facts, error)
                : accordi_remote_open(question, timeout, like, &l->remote, &l->facts, error);
    if (status != ACCORD_OK) {
        free(l);
        return status;
    }
    target->state = l;
    fill_target(target, question);
    return ACCORD_OK;
}

static enum accord_status reload_here(loaded *l, const accordi_question *question,
                                      accord_error *error)
{
    accordi_foreign next = {0};
    enum accord_status status = accordi_foreign_open(&next, question, &l->facts, error);
    if (status == ACCORD_OK) {
        accordi_foreign_close(&l->foreign);
        l->foreign = next;
    }
    return status;
}

static enum accord_status reload_function(accord_target *target, const accordi_question *question,
                                          accord_error *error)
{
    loaded *l = target->state;
    enum accord_status status = l->remote
                                    ? accordi_remote_reopen(l->remote, question, &l->facts, error)
                                    : reload_here(l, question, error);
    if (status == ACCORD_OK) {
        l->question = *question;
        fill_target(target, question);
    }
    return status;
}

enum accord_status accordi_blas_open(accord_target *target, const accordi_notation *notation,
                                     const accord_target_options *options, accord_error *error)
{
    accordi_question question;
    enum accord_status status =
        accordi_blas_question(notation->head, notation->tail, options, &question, error);
    return status == ACCORD_OK
               ? load_function(target, &question, options->timeout, options->no_fork, NULL, error)
               : status;
}

enum accord_status accordi_so_open(accord_target *target, const accordi_notation *notation,
                                   const accord_target_options *options, accord_error *error)
{
    accordi_question question = {0};
    enum accord_status status = accordi_so_question(notation, options, &question, error);
    return status == ACCORD_OK
               ? load_function(target, &question, options->timeout, options->no_fork, NULL, error)
               : status;
}

enum accord_status accordi_blas_resize(accord_target *target, const accordi_notation *notation,
                                       const accord_target_options *options, accord_error *error)
{
    accordi_question question;
    enum accord_status status =
        accordi_blas_question(notation->head, notation->tail, options, &question, error);
    return status == ACCORD_OK ? reload_function(target, &question, error) : status;
}

enum accord_status accordi_so_resize(accord_target *target, const accordi_notation *notation,
                                     const accord_target_options *options, accord_error *error)
{
    accordi_question question = {0};
    enum accord_status status = accordi_so_question(notation, options, &question, error);
    return status == ACCORD_OK ? reload_function(target, &question, error) : status;
}

/* ---- other circumstances ---- */

/* Kernels may peel terms by the address of a buffer that they allocate. Chunks of the heap lie at
 * multiples of 16 bytes, and with what malloc adds to them these gaps, for which no smaller chunk
 * serves, move what lies behind by 16, 32, 48 and 0 bytes modulo 64. The processes are new, too:
 * code may add otherwise in its first calls, after some number of them, or by the time at which it
 * was loaded. Libraries of BLAS take long to load, and align their buffers: of these there is one
 * process. */
bool accordi_foreign_elsewhere(const accord_target *target, const accordi_notation *notation,
                               size_t i, accordi_circumstance *out)
{
    enum { SUMS = 16 };
    static const size_t gaps[] = {4104, 4120, 4136, 4152};
    const loaded *l = target->state;
    size_t processes = accordi_family_is_blas(l->question.family) ? 1 : sizeof gaps / sizeof *gaps;
    (void)notation;
    if (!l->remote || i >= processes)
        return false;
    *out = (accordi_circumstance){
        .sums = SUMS,
        .when = "in a new process, where memory is allocated at other addresses",
        .depends = "the order depends on the process",
        .expected = true,
        .heap = gaps[i]};
    return true;
}

enum accord_status accordi_foreign_open_elsewhere(const accord_target *target,
                                                  const accordi_circumstance *how,
                                                  accord_target *out, accord_error *error)
{
    const loaded *l = target->state;
    accordi_question question = l->question;
    question.heap = (int64_t)how->heap;
    enum accord_status status = load_function(out, &question, l->timeout, false, l->remote, error);
    out->alpha = target->alpha;
    out->beta = target->beta;
    return status;
}
