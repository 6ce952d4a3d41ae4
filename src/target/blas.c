/* The question that a BLAS routine is asked, from the options; pure, nothing is loaded. */
#include "target/foreign.h"
#include <limits.h>
#include <math.h>

const accordi_routine accordi_routines[] = {
    {.name = "sdot", .family = ACCORDI_DOT, .storage = ACCORDI_F32},
    {.name = "ddot", .family = ACCORDI_DOT, .storage = ACCORDI_F64},
    {.name = "sgemv", .family = ACCORDI_GEMV, .storage = ACCORDI_F32},
    {.name = "dgemv", .family = ACCORDI_GEMV, .storage = ACCORDI_F64},
    {.name = "sgemm", .family = ACCORDI_GEMM, .storage = ACCORDI_F32},
    {.name = "dgemm", .family = ACCORDI_GEMM, .storage = ACCORDI_F64},
};
const size_t accordi_routine_count = sizeof accordi_routines / sizeof accordi_routines[0];

static const char *routine_name(size_t i)
{
    return i < accordi_routine_count ? accordi_routines[i].name : NULL;
}

/* Reads count numbers with `separator` between them and nothing else. */
static bool numbers(const char *text, char separator, int64_t *out, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int64_t value = 0;
        if (*text < '0' || *text > '9')
            return false;
        for (; *text >= '0' && *text <= '9'; text++) {
            value = 10 * value + (*text - '0');
            if (value > INT_MAX)
                return false;
        }
        out[i] = value;
        if (i + 1 < count && *text++ != separator)
            return false;
    }
    return *text == '\0';
}

static enum accord_status wrong_inner(const accordi_question *q, const char *shape, int64_t inner,
                                      accord_error *error)
{
    if (q->has_start)
        return accordi_fail(error, ACCORD_ARG,
                            "the shape '%.40s' adds %lld terms and the start value (beta is not "
                            "0), but n is %lld: n must be %lld",
                            shape, (long long)inner, (long long)q->terms, (long long)inner + 1);
    return accordi_fail(error, ACCORD_ARG,
                        "the shape '%.40s' adds %lld terms but n is %lld: K and n must be the "
                        "same",
                        shape, (long long)inner, (long long)q->k);
}

enum accord_status accordi_read_shape(accordi_question *q, const char *shape, accord_error *error)
{
    int64_t size[3];
    bool gemm = q->family == ACCORDI_GEMM;
    const char *form = gemm ? "MxNxK" : "MxK";
    if (!shape) {
        q->m = q->k;
        q->n = gemm ? q->k : 1;
        return ACCORD_OK;
    }
    if (!numbers(shape, 'x', size, gemm ? 3 : 2) || size[0] < 1 || size[1] < 1)
        return accordi_fail(error, ACCORD_ARG, "the shape '%.40s' is not %s: give e.g. %s%lld",
                            shape, form, gemm ? "4x4x" : "4x", (long long)q->k);
    if (size[gemm ? 2 : 1] != q->k)
        return wrong_inner(q, shape, size[gemm ? 2 : 1], error);
    q->m = size[0];
    q->n = gemm ? size[1] : 1;
    return ACCORD_OK;
}

enum accord_status accordi_read_element(accordi_question *q, const char *element,
                                        accord_error *error)
{
    int64_t at[2] = {0, 0};
    bool gemm = q->family == ACCORDI_GEMM;
    if (element && !numbers(element, ',', at, gemm ? 2 : 1))
        return accordi_fail(error, ACCORD_ARG, "the element '%.40s' is not %s", element,
                            gemm ? "i,j: give e.g. 0,0" : "i: give e.g. 0");
    if (at[0] >= q->m || at[1] >= q->n)
        return accordi_fail(error, ACCORD_ARG,
                            "the element '%.40s' lies outside the result of %lld x %lld; both "
                            "count from 0",
                            element ? element : "", (long long)q->m, (long long)q->n);
    q->row = at[0];
    q->column = at[1];
    return ACCORD_OK;
}

static enum accord_status read_transpose(accordi_question *q, const char *transpose,
                                         accord_error *error)
{
    size_t letters = q->family == ACCORDI_GEMM ? 2 : 1;
    const char *text = transpose ? transpose : letters == 2 ? "NN" : "N";
    for (size_t i = 0; i < letters; i++) {
        char upper = text[i] == 'n' ? 'N' : text[i] == 't' ? 'T' : text[i];
        if (upper != 'N' && upper != 'T')
            break;
        q->transpose[i] = upper;
    }
    if (strlen(text) != letters || strlen(q->transpose) != letters)
        return accordi_fail(error, ACCORD_ARG, "the transposition '%.40s' is not %s", text,
                            letters == 2 ? "one of NN, NT, TN, TT" : "N or T");
    return ACCORD_OK;
}

typedef struct stride {
    const char *name;
    int64_t given;
    int64_t least; /* of a leading dimension; 0: a vector's stride; -1: not of this routine */
    int64_t *out;
} stride;

static enum accord_status read_stride(const stride *s, accord_error *error)
{
    if (s->least < 0 && s->given != 0)
        return accordi_fail(error, ACCORD_ARG, "this routine has no %s: leave it out", s->name);
    if (s->given > INT_MAX || s->given < -INT_MAX)
        return accordi_fail(error, ACCORD_ARG, "%s = %lld is more than a BLAS can take", s->name,
                            (long long)s->given);
    if (s->least > 0 && s->given != 0 && s->given < s->least)
        return accordi_fail(error, ACCORD_ARG,
                            "%s = %lld is too small: rows here have %lld elements", s->name,
                            (long long)s->given, (long long)s->least);
    if (s->least >= 0)
        *s->out = s->given ? s->given : s->least ? s->least : 1;
    return ACCORD_OK;
}

static enum accord_status read_strides(accordi_question *q, const accord_target_options *o,
                                       accord_error *error)
{
    bool gemv = q->family == ACCORDI_GEMV, gemm = q->family == ACCORDI_GEMM;
    int64_t a_row = q->transpose[0] == 'T' ? q->m : q->k;
    int64_t b_row = q->transpose[1] == 'T' ? q->k : q->n;
    const stride strides[] = {
        {"incx", o->incx, gemm ? -1 : 0, &q->incx},
        {"incy", o->incy, gemm ? -1 : 0, &q->incy},
        {"lda", o->lda, gemm || gemv ? a_row : -1, &q->lda},
        {"ldb", o->ldb, gemm ? b_row : -1, &q->ldb},
        {"ldc", o->ldc, gemm ? q->n : -1, &q->ldc},
    };
    enum accord_status status = ACCORD_OK;
    for (size_t i = 0; status == ACCORD_OK && i < sizeof strides / sizeof strides[0]; i++)
        status = read_stride(&strides[i], error);
    return status;
}

static enum accord_status unknown(const char *routine, accord_error *error)
{
    int near = accordi_nearest(routine, routine_name);
    if (near >= 0)
        return accordi_fail(error, ACCORD_ARG, "there is no routine '%.40s' here: did you mean %s?",
                            routine, routine_name((size_t)near));
    return accordi_fail(error, ACCORD_ARG,
                        "there is no routine '%.40s' here: choose sdot, ddot, sgemv, dgemv, sgemm "
                        "or dgemm",
                        routine);
}

static const accordi_routine *find(const char *name)
{
    for (size_t i = 0; i < accordi_routine_count; i++)
        if (strcmp(name, accordi_routines[i].name) == 0)
            return &accordi_routines[i];
    return NULL;
}

/* alpha and beta as the routine takes them, and that the start value is a term. */
static enum accord_status read_scale(accordi_question *q, const accord_target_options *o,
                                     accord_error *error)
{
    bool f32 = q->output == ACCORDI_F32;
    double alpha = o->alpha != 0 ? o->alpha : 1;
    q->alpha = f32 ? (double)(float)alpha : alpha;
    q->beta = f32 ? (double)(float)o->beta : o->beta;
    if (!isfinite(q->alpha) || !isfinite(q->beta) || q->alpha == 0 ||
        (q->beta == 0) != (o->beta == 0))
        return accordi_fail(error, ACCORD_ARG,
                            "alpha = %g and beta = %g are not numbers that %.24s takes: choose "
                            "finite ones, and alpha other than 0",
                            o->alpha, o->beta, q->symbol);
    q->has_start = q->beta != 0;
    q->k = q->terms - q->has_start;
    if (q->k < 1)
        return accordi_fail(error, ACCORD_ARG,
                            "with beta the last term is the start value: give n = 2 or more");
    return ACCORD_OK;
}

static enum accord_status start(accordi_question *q, const accordi_routine *routine,
                                const char *library, const accord_target_options *o,
                                accord_error *error)
{
    static const enum accord_format formats[] = {
        [ACCORDI_F64] = ACCORD_F64, [ACCORDI_F32] = ACCORD_F32, [ACCORDI_BF16] = ACCORD_BF16};
    enum accord_format format = formats[routine->storage];
    if (o->has_format && o->format != format)
        return accordi_fail(error, ACCORD_UNSUPPORTED,
                            "%s adds %s: leave the format out or take another routine",
                            routine->name, accord_format_get(format)->name);
    if (o->signature)
        return accordi_fail(error, ACCORD_ARG,
                            "a signature is for so: targets; a BLAS routine has its own");
    if (o->n < 1) /* no leading dimension has a least value then */
        return accordi_fail(error, ACCORD_ARG, "a sum needs at least one term: give n");
    if (o->n > INT_MAX || strlen(library) >= sizeof q->library)
        return accordi_fail(error, ACCORD_ARG,
                            "a BLAS takes at most %d terms, and paths of %zu "
                            "characters",
                            INT_MAX, sizeof q->library - 1);
    q->family = routine->family;
    q->storage = routine->storage;
    q->output = routine->storage == ACCORDI_F64 ? ACCORDI_F64 : ACCORDI_F32;
    q->terms = q->k = (int64_t)o->n;
    q->m = q->n = 1;
    q->alpha = 1;
    snprintf(q->library, sizeof q->library, "%s", library);
    snprintf(q->symbol, sizeof q->symbol, "%s", routine->name);
    return accordi_read_alignment(o, (int64_t)accordi_storage_size(q->storage), &q->alignment,
                                  error);
}

/* What only routines with vectors, and only those with matrices have. */
static enum accord_status read_vector(accordi_question *q, const accord_target_options *o,
                                      accord_error *error)
{
    if (o->shape || o->element || o->transpose)
        return accordi_fail(error, ACCORD_ARG,
                            "%s has no shape, element or transposition: leave them out", q->symbol);
    return accordi_refuse_scale(o, q->symbol, error);
}

static enum accord_status read_matrix(accordi_question *q, const accord_target_options *o,
                                      accord_error *error)
{
    enum accord_status status = read_scale(q, o, error);
    if (status == ACCORD_OK)
        status = accordi_read_shape(q, o->shape, error);
    if (status == ACCORD_OK)
        status = accordi_read_element(q, o->element, error);
    if (status == ACCORD_OK)
        status = read_transpose(q, o->transpose, error);
    return status;
}

enum accord_status accordi_blas_question(const char *name, const char *library,
                                         const accord_target_options *o, accordi_question *out,
                                         accord_error *error)
{
    accordi_question q = {0};
    const accordi_routine *routine = find(name);
    if (!routine)
        return unknown(name, error);
    enum accord_status status = start(&q, routine, library ? library : "libblas.so.3", o, error);
    if (status == ACCORD_OK)
        status = accordi_family_is_grid(q.family) ? read_matrix(&q, o, error)
                                                  : read_vector(&q, o, error);
    if (status == ACCORD_OK)
        status = read_strides(&q, o, error);
    if (status == ACCORD_OK)
        *out = q;
    return status;
}
