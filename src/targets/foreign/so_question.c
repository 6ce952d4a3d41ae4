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
                        "the signature '%.40s' is neither sum, dot, rows, columns nor scaled-dot, "
                        "nor one of these with :encoded",
                        signature);
}

/* Values travel as float, or double where that is the format, or as their encodings. */
static enum accord_status read_formats(const accord_target_options *o, bool encoded,
                                       accordi_question *q, accord_error *error)
{
    static const enum accordi_storage encodings[ACCORD_ALL_FORMATS] = {
        [ACCORD_BF16] = ACCORDI_BF16, [ACCORD_F16] = ACCORDI_F16,   [ACCORD_E4M3] = ACCORDI_E4M3,
        [ACCORD_E5M2] = ACCORDI_E5M2, [ACCORD_E3M2] = ACCORDI_E3M2, [ACCORD_E2M3] = ACCORDI_E2M3,
        [ACCORD_E2M1] = ACCORDI_E2M1};
    bool scaled = q->family == ACCORDI_SCALED;
    q->format = o->has_format ? o->format : ACCORD_F32;
    if (o->has_result && !accord_format_adds(o->result))
        return accordi_fail(error, ACCORD_ARG, "there is no number format %d: choose f64, f32, …",
                            (int)o->result);
    q->result = o->has_result ? o->result : scaled ? ACCORD_F32 : q->format;
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

/* Scales, and the elements that have none of their own. */
static enum accord_status read_scales(const accord_target_options *o, bool encoded,
                                      accordi_question *q, accord_error *error)
{
    const char *format = accord_format_get(q->format)->name;
    bool scaled = q->family == ACCORDI_SCALED, small = q->format >= ACCORD_E4M3;
    if (!scaled && !accord_format_adds(q->format))
        return accordi_fail(error, ACCORD_ARG,
                            "terms of %s need scales: choose --signature scaled-dot", format);
    if (!scaled && o->scale_block)
        return accordi_fail(error, ACCORD_ARG,
                            "only functions of the signature scaled-dot take scales: choose it, or "
                            "leave --scale-block out");
    if (!scaled)
        return ACCORD_OK;
    if (!small)
        return accordi_fail(error, ACCORD_ARG,
                            "products of %s share no scales: choose --format e4m3, e5m2, e3m2, "
                            "e2m3 or e2m1",
                            format);
    if (o->scale_block < 2 || o->scale_block > o->n)
        return accordi_fail(error, ACCORD_ARG,
                            "2 to %zu products may share scales, not %zu: give --scale-block, e.g. "
                            "32",
                            o->n, o->scale_block);
    if (o->scale != ACCORD_E8M0 && o->scale != ACCORD_UE4M3)
        return accordi_fail(error, ACCORD_ARG,
                            "scales are of e8m0 or ue4m3: give --scale, e.g. --scale e8m0");
    q->scale_block = (int64_t)o->scale_block;
    q->scale = o->scale;
    q->scale_storage = !encoded                  ? ACCORDI_F32
                       : o->scale == ACCORD_E8M0 ? ACCORDI_E8M0
                                                 : ACCORDI_UE4M3;
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
    if (status == ACCORD_OK)
        status = read_scales(o, encoded, q, error);
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
