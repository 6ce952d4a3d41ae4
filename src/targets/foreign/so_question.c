/* The question that a function in a shared object is asked, from the options; pure. */
#include "targets/foreign/foreign.h"

const char *accordi_signature(const accordi_question *q)
{
    const char *signature = accordi_families[q->family].signature[accordi_is_encoding(q->storage)];
    return signature ? signature : "";
}

static enum accord_status read_signature(const accord_target_options *o, accordi_question *q,
                                         bool *encoded, accord_error *error)
{
    const char *signature = o->signature ? o->signature : "sum";
    for (size_t i = 0; i < 2 * accordi_family_count; i++)
        if (!accordi_family_is_blas((enum accordi_family)(i / 2)) &&
            strcmp(signature, accordi_families[i / 2].signature[i % 2]) == 0) {
            q->family = (enum accordi_family)(i / 2);
            *encoded = i % 2;
            return ACCORD_OK;
        }
    return accordi_fail(error, ACCORD_ARG,
                        "the signature '%.40s' is neither sum, dot, rows nor columns, nor one of "
                        "these with :encoded",
                        signature);
}

/* Values travel as float, or double where that is the format, or as their encodings. */
static enum accord_status read_formats(const accord_target_options *o, bool encoded,
                                       accordi_question *q, accord_error *error)
{
    static const enum accordi_storage encodings[ACCORD_FORMAT_COUNT] = {
        [ACCORD_BF16] = ACCORDI_BF16,
        [ACCORD_F16] = ACCORDI_F16,
        [ACCORD_E4M3] = ACCORDI_E4M3,
        [ACCORD_E5M2] = ACCORDI_E5M2};
    q->format = o->has_format ? o->format : ACCORD_F32;
    if (o->has_result && !accord_format_adds(o->result))
        return accordi_fail(error, ACCORD_ARG, "there is no number format %d: choose f64, f32, …",
                            (int)o->result);
    q->result = o->has_result ? o->result : q->format;
    q->storage = q->format == ACCORD_F64 ? ACCORDI_F64 : ACCORDI_F32;
    q->output = q->result == ACCORD_F64 ? ACCORDI_F64 : ACCORDI_F32;
    if (!encoded)
        return ACCORD_OK;
    if (!encodings[q->format])
        return accordi_fail(error, ACCORD_ARG,
                            "terms of the format %s have no encoding of 16 or 8 bits: leave "
                            ":encoded out, or choose --format f16, bf16, e4m3 or e5m2",
                            accord_format_get(q->format)->name);
    q->storage = encodings[q->format];
    return ACCORD_OK;
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
    status = accordi_read_shape(q, o->shape, error);
    return status == ACCORD_OK ? accordi_read_element(q, o->element, error) : status;
}

enum accord_status accordi_so_question(const accordi_notation *notation,
                                       const accord_target_options *o, accordi_question *q,
                                       accord_error *error)
{
    bool encoded = false;
    enum accord_status status = read_signature(o, q, &encoded, error);
    if (status == ACCORD_OK)
        status = read_formats(o, encoded, q, error);
    if (status != ACCORD_OK)
        return status;
    if (strlen(notation->head) >= sizeof q->library || strlen(notation->tail) >= sizeof q->symbol)
        return accordi_fail(error, ACCORD_ARG,
                            "the path of the library may have at most %zu characters, and the name "
                            "of the function %zu: use shorter ones",
                            sizeof q->library - 1, sizeof q->symbol - 1);
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
