/* An input on which an implementation is wrong, made small. */
#include "explain/explain.h"
#include <math.h>

enum { CALLS = 400 };

/* One row, and what is known of it. */
typedef struct single {
    const accordi_sums *sums;
    const accordi_accumulator *accumulator;
    accordi_chunk chunk;
    accordi_input input;
    double result;
    bool only; /* the target answers no other input */
    size_t calls;
} single;

static enum accord_status single_new(const accordi_sums *sums,
                                     const accordi_accumulator *accumulator,
                                     const accordi_chunk *chunk, size_t row, single *out,
                                     accord_error *error)
{
    size_t bytes = sums->n * accordi_width_of(sums);
    *out = (single){.sums = sums, .accumulator = accumulator};
    enum accord_status status = accordi_chunk_new(sums, 1, &out->chunk, error);
    if (!status && chunk)
        memcpy(out->chunk.x, (const char *)chunk->x + row * bytes, bytes);
    if (!status && chunk && sums->products)
        memcpy(out->chunk.y, (const char *)chunk->y + row * bytes, bytes);
    return status;
}

static bool is_outside(const accordi_input *input, double result)
{
    return isfinite(input->envelope) && !(fabs(accordi_error_of(input, result)) <= input->envelope);
}

static enum accord_status measure(single *in, bool *outside, accord_error *error)
{
    enum accord_status status =
        in->only ? ACCORD_OK : accordi_ask_chunk(in->sums, &in->chunk, &in->result, error);
    accordi_measure(in->sums, in->accumulator, &in->chunk, 0, &in->input);
    *outside = !status && is_outside(&in->input, in->result);
    in->calls++;
    return status;
}

/* Sets the terms from .. end to zero; back if that brings the error inside. */
static enum accord_status try_without(single *in, size_t from, size_t end, double *kept,
                                      accord_error *error)
{
    const accordi_sums *sums = in->sums;
    bool any = false, outside;
    for (size_t k = from; k < end; k++) {
        kept[k] = accordi_get_number(in->chunk.x, sums->is_f32, k);
        any = any || kept[k] != 0;
        accordi_set_number(in->chunk.x, sums->is_f32, k, 0);
    }
    if (!any)
        return ACCORD_OK;
    enum accord_status status = measure(in, &outside, error);
    for (size_t k = from; k < end && !outside; k++)
        accordi_set_number(in->chunk.x, sums->is_f32, k, kept[k]);
    return status;
}

static enum accord_status keep(single *in, accord_explain_side *side, accord_error *error)
{
    const accordi_sums *sums = in->sums;
    bool outside;
    enum accord_status status = measure(in, &outside, error);
    double *x = accordi_alloc(sums->n, sizeof *x);
    double *y = sums->products ? accordi_alloc(sums->n, sizeof *y) : NULL;
    if (!status && (!x || (sums->products && !y)))
        status = accordi_nomem(error);
    if (status) {
        free(x);
        free(y);
        return status;
    }
    side->fault_terms = 0;
    for (size_t k = 0; k < sums->n; k++) {
        x[k] = accordi_get_number(in->chunk.x, sums->is_f32, k);
        if (y)
            y[k] = accordi_get_number(in->chunk.y, sums->is_f32, k);
        side->fault_terms += x[k] != 0;
    }
    free(side->x);
    free(side->y);
    side->x = x;
    side->y = y;
    side->fault_result = in->result;
    side->fault_exact = in->input.high;
    side->fault_envelope = in->input.envelope;
    return ACCORD_OK;
}

enum accord_status accordi_fault_shrink(const accordi_sums *sums,
                                        const accordi_accumulator *accumulator,
                                        const accordi_chunk *chunk, size_t row, double result,
                                        bool ask, accord_explain_side *side, accord_error *error)
{
    single in;
    enum accord_status status = single_new(sums, accumulator, chunk, row, &in, error);
    in.only = !ask;
    in.result = result;
    double *kept = accordi_alloc(sums->n, sizeof *kept);
    if (!status && !kept)
        status = accordi_nomem(error);
    for (size_t size = (sums->n + 1) / 2; size && !status && !in.only;
         size = size > 1 ? (size + 1) / 2 : 0)
        for (size_t from = 0; from < sums->n && in.calls < CALLS && !status; from += size)
            status =
                try_without(&in, from, sums->n - from < size ? sums->n : from + size, kept, error);
    if (!status)
        status = keep(&in, side, error);
    accordi_chunk_free(&in.chunk);
    free(kept);
    return status;
}
