/* An input on which an implementation is wrong, made small, and wrong elements of a matrix. */
#include "explain/explain.h"
#include <math.h>

enum { CALLS = 400, ELEMENTS = 4096 };

/* One row, and what is known of it. */
typedef struct single {
    const accordi_sums *sums;
    const accordi_accumulator *accumulator;
    accordi_chunk chunk;
    accordi_input input;
    double result;
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
    enum accord_status status = accordi_ask_chunk(in->sums, &in->chunk, &in->result, error);
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
                                        const accordi_chunk *chunk, size_t row,
                                        accord_explain_side *side, accord_error *error)
{
    single in;
    enum accord_status status = single_new(sums, accumulator, chunk, row, &in, error);
    double *kept = accordi_alloc(sums->n, sizeof *kept);
    if (!status && !kept)
        status = accordi_nomem(error);
    for (size_t size = (sums->n + 1) / 2; size && !status; size = size > 1 ? (size + 1) / 2 : 0)
        for (size_t from = 0; from < sums->n && in.calls < CALLS && !status; from += size)
            status =
                try_without(&in, from, sums->n - from < size ? sums->n : from + size, kept, error);
    if (!status)
        status = keep(&in, side, error);
    accordi_chunk_free(&in.chunk);
    free(kept);
    return status;
}

/* ---- all elements of a matrix ---- */

typedef struct matrix {
    size_t rows, columns, inner;
    accordi_chunk left, right, start;
    void *a, *b, *c;
    double *result;
} matrix;

static void matrix_clear(matrix *in)
{
    accordi_chunk_free(&in->left);
    accordi_chunk_free(&in->right);
    free(in->a);
    free(in->b);
    free(in->c);
    free(in->result);
}

static void pack(const accordi_sums *sums, const void *from, size_t rows, size_t inner, void *to)
{
    size_t width = accordi_width_of(sums);
    for (size_t r = 0; r < rows; r++)
        memcpy((char *)to + r * inner * width, (const char *)from + r * sums->n * width,
               inner * width);
}

static enum accord_status matrix_ask(const accordi_sums *sums, uint64_t seed, matrix *out,
                                     accord_error *error)
{
    size_t width = accordi_width_of(sums);
    const accord_target *target = sums->target;
    *out = (matrix){.rows = target->rows, .columns = target->columns, .inner = sums->factors};
    enum accord_status status = accordi_chunk_new(sums, out->rows, &out->left, error);
    if (!status)
        status = accordi_chunk_new(sums, out->columns, &out->right, error);
    size_t elements = out->rows * out->columns;
    out->a = accordi_alloc(out->rows * out->inner, width);
    out->b = accordi_alloc(out->columns * out->inner, width);
    out->c = accordi_calloc(elements, width);
    out->result = accordi_alloc(elements, sizeof *out->result);
    if (!status && (!out->a || !out->b || !out->c || !out->result))
        status = accordi_nomem(error);
    if (status)
        return status;
    int kind = accordi_kind_by_name("normal", 6);
    accordi_draw_chunk(sums, seed, kind, out->rows, 0, &out->left);
    accordi_draw_chunk(sums, seed + 1, kind, out->columns, 0, &out->right);
    pack(sums, out->left.x, out->rows, out->inner, out->a);
    if (sums->products)
        pack(sums, out->right.y, out->columns, out->inner, out->b);
    for (size_t i = 0; i < elements && sums->has_start; i++)
        accordi_set_number(
            out->c, sums->is_f32, i,
            accordi_get_number(out->left.x, sums->is_f32, i % (out->rows * sums->n)));
    const accord_grid grid = {.size = sizeof grid,
                              .a = out->a,
                              .b = sums->products ? out->b : NULL,
                              .c = sums->has_start ? out->c : NULL};
    return accord_target_run_grid(sums->target, &grid, out->result, error);
}

static void element_of(const accordi_sums *sums, const matrix *in, size_t r, size_t c, single *out)
{
    size_t width = accordi_width_of(sums);
    memcpy(out->chunk.x, (const char *)in->a + r * in->inner * width, in->inner * width);
    if (sums->products)
        memcpy(out->chunk.y, (const char *)in->b + c * in->inner * width, in->inner * width);
    if (sums->has_start)
        accordi_set_number(out->chunk.x, sums->is_f32, sums->factors,
                           accordi_get_number(in->c, sums->is_f32, r * in->columns + c));
    accordi_measure(sums, out->accumulator, &out->chunk, 0, &out->input);
}

enum accord_status accordi_fault_elements(const accordi_sums *sums,
                                          const accordi_accumulator *accumulator, uint64_t seed,
                                          accord_explain_side *side, accord_error *error)
{
    const accord_target *target = sums->target;
    size_t elements = target->rows * target->columns, step = (elements + ELEMENTS - 1) / ELEMENTS;
    side->fault_row = side->fault_column = -1;
    if (elements < 2 || !target->kind->run_grid)
        return ACCORD_OK;
    matrix all;
    single one;
    enum accord_status status = matrix_ask(sums, seed, &all, error);
    enum accord_status made = single_new(sums, accumulator, NULL, 0, &one, error);
    for (size_t i = 0; i < elements && !status && !made && side->fault_row < 0; i += step) {
        size_t r = i / all.columns, c = i % all.columns;
        element_of(sums, &all, r, c, &one);
        double ratio = fabs(accordi_error_of(&one.input, all.result[i])) / one.input.envelope;
        if (isfinite(one.input.envelope) && !(ratio <= side->worst))
            side->worst = isnan(ratio) ? INFINITY : ratio;
        if (is_outside(&one.input, all.result[i])) {
            side->fault_row = (int64_t)r;
            side->fault_column = (int64_t)c;
        }
    }
    accordi_chunk_free(&one.chunk);
    matrix_clear(&all);
    return status ? status : made;
}
