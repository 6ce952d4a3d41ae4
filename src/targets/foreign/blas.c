/* The question that a BLAS routine is asked, from the options; pure, nothing is loaded. */
#include "targets/foreign/foreign.h"
#include <limits.h>
#include <math.h>
#include <stddef.h>

typedef struct stride {
    const char *name;
    int64_t given;
    size_t step; /* where it stands in a question */
} stride;

/* The least leading dimension; 0: a vector's stride; -1: no operand has it. */
static int64_t least_leading_dimension(const accordi_question *q, size_t step)
{
    const accordi_operand *operand = accordi_families[q->family].operand;
    for (size_t i = 0; i < 3; i++)
        if (operand[i].step == step)
            return operand[i].lie == ACCORDI_VECTOR ? 0 : accordi_operand_extent(q, i).width;
    return -1;
}

static enum accord_status read_stride(accordi_question *q, const stride *s, accord_error *error)
{
    int64_t least = least_leading_dimension(q, s->step), value = s->given    ? s->given
                                                                 : least > 0 ? least
                                                                             : 1;
    if (least < 0 && s->given != 0)
        return accordi_fail(error, ACCORD_ARG, "this routine has no %s: leave it out", s->name);
    if (value > INT_MAX || value < -INT_MAX)
        return accordi_fail(error, ACCORD_ARG, "%s = %lld is larger than a BLAS accepts", s->name,
                            (long long)value);
    if (least > 0 && s->given != 0 && s->given < least)
        return accordi_fail(error, ACCORD_ARG,
                            "%s = %lld is too small: rows here have %lld elements", s->name,
                            (long long)s->given, (long long)least);
    if (least >= 0)
        *(int64_t *)(void *)((char *)q + s->step) = value;
    return ACCORD_OK;
}

static enum accord_status read_strides(accordi_question *q, const accord_target_options *o,
                                       accord_error *error)
{
    const stride strides[] = {
        {"incx", o->incx, offsetof(accordi_question, incx)},
        {"incy", o->incy, offsetof(accordi_question, incy)},
        {"lda", o->lda, offsetof(accordi_question, lda)},
        {"ldb", o->ldb, offsetof(accordi_question, ldb)},
        {"ldc", o->ldc, offsetof(accordi_question, ldc)},
    };
    enum accord_status status = ACCORD_OK;
    for (size_t i = 0; status == ACCORD_OK && i < sizeof strides / sizeof strides[0]; i++)
        status = read_stride(q, &strides[i], error);
    if (status == ACCORD_OK && accordi_families[q->family].positive && q->incx < 0)
        return accordi_fail(
            error, ACCORD_ARG,
            "%s has no negative strides (most libraries answer 0): give incx = %lld", q->symbol,
            (long long)-q->incx);
    return status;
}

/* alpha and beta as the routine takes them, and that the start value is a term. */
static enum accord_status read_scale(accordi_question *q, const accord_target_options *o,
                                     accord_error *error)
{
    bool f32 = q->output == ACCORDI_F32;
    double alpha = accordi_asked_alpha(o);
    q->alpha = f32 ? (double)(float)alpha : alpha;
    q->beta = f32 ? (double)(float)o->beta : o->beta;
    if (!isfinite(q->alpha) || !isfinite(q->beta) || (q->alpha == 0) != (alpha == 0) ||
        (q->beta == 0) != (o->beta == 0))
        return accordi_fail(error, ACCORD_ARG,
                            "alpha = %g and beta = %g are not valid for %.24s: choose finite "
                            "numbers that its format does not round to 0",
                            alpha, o->beta, q->symbol);
    q->has_start = q->beta != 0;
    q->k = q->terms - q->has_start;
    if (q->k < 1)
        return accordi_fail(
            error, ACCORD_ARG,
            "with a beta that is not 0, the last term is the start value: give n = 2 or more");
    return ACCORD_OK;
}

static enum accord_status start_question(accordi_question *q, const accordi_routine *routine,
                                         const char *library, const accord_target_options *o,
                                         accord_error *error)
{
    static const enum accord_format formats[] = {
        [ACCORDI_F64] = ACCORD_F64, [ACCORDI_F32] = ACCORD_F32, [ACCORDI_BF16] = ACCORD_BF16};
    enum accord_format format = formats[routine->storage];
    if (o->has_format && o->format != format)
        return accordi_fail(error, ACCORD_UNSUPPORTED,
                            "%s adds %s: leave the format out or choose another routine",
                            routine->name, accord_format_get(format)->name);
    if (o->signature)
        return accordi_fail(error, ACCORD_ARG,
                            "a signature is only for so: targets; a BLAS routine has its own");
    enum accord_status status = accordi_check_count(o->n, error);
    if (status != ACCORD_OK)
        return status;
    if (strlen(library) >= sizeof q->library)
        return accordi_fail(error, ACCORD_ARG, "the path of a library has at most %zu characters",
                            sizeof q->library - 1);
    q->family = routine->family;
    q->storage = routine->storage;
    q->output = routine->output;
    q->complex = routine->complex;
    q->conjugate = routine->conjugate;
    q->terms = q->k = (int64_t)o->n;
    q->m = q->n = 1;
    q->alpha = 1;
    snprintf(q->library, sizeof q->library, "%s", library);
    snprintf(q->symbol, sizeof q->symbol, "%s", routine->name);
    return accordi_read_alignment(o, (int64_t)accordi_storage_size(q->storage), &q->alignment,
                                  error);
}

/* Which part of a complex result. */
static enum accord_status read_part(accordi_question *q, const char *element, accord_error *error)
{
    q->imaginary = element && strcmp(element, "im") == 0;
    if (!element || q->imaginary || strcmp(element, "re") == 0)
        return ACCORD_OK;
    return accordi_fail(error, ACCORD_ARG,
                        "the element '%.40s' of a complex result is neither re nor im", element);
}

static enum accord_status read_vector(accordi_question *q, const accord_target_options *o,
                                      accord_error *error)
{
    bool parts = accordi_has_complex_result(q);
    if (o->shape || o->transpose || (o->element && !parts))
        return accordi_fail(error, ACCORD_ARG, "%s has no shape%s or transposition: leave them out",
                            q->symbol, parts ? "" : ", element");
    if (q->complex && q->terms % 2 != 0)
        return accordi_fail(
            error, ACCORD_ARG,
            "%s adds two terms for each complex element, but n = %lld is odd: give an even number",
            q->symbol, (long long)q->terms);
    q->k = q->terms / (q->complex ? 2 : 1);
    enum accord_status status = parts ? read_part(q, o->element, error) : ACCORD_OK;
    return status == ACCORD_OK ? accordi_refuse_scale(o, q->symbol, error) : status;
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
        status = accordi_read_transpose(q, o->transpose, error);
    return status;
}

enum accord_status accordi_blas_question(const char *name, const char *library,
                                         const accord_target_options *o, accordi_question *out,
                                         accord_error *error)
{
    accordi_question q = {0};
    const accordi_routine *routine = accordi_routine_find(name, error);
    if (!routine)
        return ACCORD_ARG;
    enum accord_status status =
        start_question(&q, routine, library ? library : "libblas.so.3", o, error);
    if (status == ACCORD_OK)
        status = accordi_family_is_grid(q.family) ? read_matrix(&q, o, error)
                                                  : read_vector(&q, o, error);
    if (status == ACCORD_OK)
        status = read_strides(&q, o, error);
    if (status == ACCORD_OK)
        *out = q;
    return status;
}
