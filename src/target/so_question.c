/* The question that a function in a shared object is asked, from the options; pure. */
#include "target/foreign.h"

static const char *const signatures[] = {[ACCORDI_SUM] = "sum",
                                         [ACCORDI_PRODUCTS] = "dot",
                                         [ACCORDI_ROWS] = "rows",
                                         [ACCORDI_COLUMNS] = "columns"};

const char *accordi_signature(enum accordi_family family)
{
    return family < sizeof signatures / sizeof signatures[0] ? signatures[family] : "";
}

static enum accord_status read_signature(const accord_target_options *o, accordi_question *q,
                                         accord_error *error)
{
    const char *signature = o->signature ? o->signature : "sum";
    for (size_t i = 0; i < sizeof signatures / sizeof signatures[0]; i++)
        if (strcmp(signature, signatures[i]) == 0) {
            q->family = (enum accordi_family)i;
            return ACCORD_OK;
        }
    return accordi_fail(error, ACCORD_ARG,
                        "the signature '%.40s' is neither sum, dot, rows nor columns", signature);
}

/* Sums along an axis have a shape and elements like a GEMV; all else is for BLAS. */
static enum accord_status read_axis(const accord_target_options *o, accordi_question *q,
                                    accord_error *error)
{
    accord_target_options others = *o;
    if (accordi_family_is_grid(q->family))
        others.shape = others.element = NULL;
    enum accord_status status =
        accordi_refuse_blas_options(&others, "a function in a shared object", error);
    if (status != ACCORD_OK || !accordi_family_is_grid(q->family))
        return status;
    if (q->k > INT32_MAX)
        return accordi_fail(error, ACCORD_ARG, "a row or column has at most %d terms: give fewer",
                            INT32_MAX);
    status = accordi_read_shape(q, o->shape, error);
    return status == ACCORD_OK ? accordi_read_element(q, o->element, error) : status;
}

enum accord_status accordi_so_question(const accordi_notation *notation,
                                       const accord_target_options *o, accordi_question *q,
                                       accord_error *error)
{
    enum accord_format format = o->has_format ? o->format : ACCORD_F32;
    enum accord_status status = read_signature(o, q, error);
    if (status != ACCORD_OK)
        return status;
    if (format != ACCORD_F32 && format != ACCORD_F64)
        return accordi_fail(error, ACCORD_UNSUPPORTED,
                            "a function in a shared object takes float or double: choose f32 or "
                            "f64, or wrap it in a command: target");
    if (strlen(notation->head) >= sizeof q->library || strlen(notation->tail) >= sizeof q->symbol)
        return accordi_fail(error, ACCORD_ARG,
                            "the path or the name of the function is too long (%zu and %zu)",
                            sizeof q->library - 1, sizeof q->symbol - 1);
    q->storage = q->output = format == ACCORD_F32 ? ACCORDI_F32 : ACCORDI_F64;
    q->m = q->n = 1;
    q->alpha = 1;
    q->k = q->terms = (int64_t)o->n;
    strcpy(q->library, notation->head);
    strcpy(q->symbol, notation->tail);
    status = read_axis(o, q, error);
    return status == ACCORD_OK
               ? accordi_read_alignment(o, (int64_t)accordi_storage_size(q->storage), &q->alignment,
                                        error)
               : status;
}
