/* All elements of a target with many results, or of a matrix that the caller gives.
 *
 * Grids of normal inputs are asked, and elements all over the result are rows of a further kind of
 * inputs, for which the envelope and all statistics are those of the others. Every grid is asked
 * twice. All elements of the first one, as far as time allows, are compared with the envelope, and
 * the place of those outside is put into words (places.c). Operands of the caller are the only
 * grid, whose results may have been computed before. */
#include "explain/explain.h"
#include <math.h>

/* Elements that a grid gives to the statistics; and how many are compared with the envelope: so
 * many terms at most, but in any case some. */
enum { EACH = 250, CHECKED_TERMS = 1 << 26, CHECKED_GIVEN = 1 << 28, CHECKED = 4096 };

struct accordi_elements {
    const accordi_sums *sums;
    const accord_explain_inputs *given;    /* NULL: grids are drawn */
    const accord_explain_results *results; /* of what is given; NULL: the target is asked */
    uint64_t seed;
    size_t rows, columns, inner;
    size_t each, asked; /* rows that a grid gives; grids asked so far */
    accordi_chunk left, right;
    void *a, *b, *c;
    double *result, *again;
};

void accordi_elements_free(accordi_elements *in)
{
    if (!in)
        return;
    accordi_chunk_free(&in->left);
    accordi_chunk_free(&in->right);
    free(in->a);
    free(in->b);
    free(in->c);
    free(in->result);
    free(in->again);
    free(in);
}

static void pack(const accordi_sums *sums, const void *from, size_t rows, size_t inner, void *to)
{
    size_t width = accordi_width_of(sums);
    for (size_t r = 0; r < rows; r++)
        memcpy((char *)to + r * inner * width, (const char *)from + r * sums->n * width,
               inner * width);
}

enum accord_status accordi_elements_new(const accordi_sums *sums,
                                        const accord_explain_options *options, size_t most,
                                        accordi_elements **out, accord_error *error)
{
    size_t width = accordi_width_of(sums);
    const accord_explain_inputs *given = options->given;
    size_t rows = given ? given->rows : sums->target->rows;
    size_t columns = given ? given->columns : sums->target->columns, elements = rows * columns;
    most = given ? most : EACH;
    accordi_elements *made = accordi_calloc(1, sizeof *made);
    if (!made)
        return accordi_nomem(error);
    *made = (accordi_elements){.sums = sums,
                               .given = given,
                               .results = accordi_results_of(sums->target),
                               .seed = options->seed,
                               .rows = rows,
                               .columns = columns,
                               .inner = sums->factors,
                               .each = elements < most ? elements : most};
    enum accord_status status = ACCORD_OK;
    if (!given)
        status = accordi_chunk_new(sums, made->rows, &made->left, error);
    if (!status && !given)
        status = accordi_chunk_new(sums, made->columns, &made->right, error);
    made->a = accordi_alloc(made->rows * made->inner, width);
    made->b = accordi_alloc(made->columns * made->inner, width);
    made->c = accordi_calloc(elements, width);
    made->result = accordi_alloc(elements, sizeof *made->result);
    made->again = accordi_alloc(elements, sizeof *made->again);
    if (!status && (!made->a || !made->b || !made->c || !made->result || !made->again))
        status = accordi_nomem(error);
    if (status)
        accordi_elements_free(made);
    else
        *out = made;
    return status;
}

static void draw_grid(accordi_elements *in, size_t number)
{
    const accordi_sums *sums = in->sums;
    int kind = accordi_kind_by_name("normal", 6);
    accordi_draw_chunk(sums, in->seed + 2 * number, kind, in->rows, 0, &in->left);
    accordi_draw_chunk(sums, in->seed + 2 * number + 1, kind, in->columns, 0, &in->right);
    pack(sums, in->left.x, in->rows, in->inner, in->a);
    if (sums->products)
        pack(sums, in->right.y, in->columns, in->inner, in->b);
    for (size_t i = 0; i < in->rows * in->columns && sums->has_start; i++)
        accordi_set_number(in->c, sums->is_f32, i,
                           accordi_get_number(in->left.x, sums->is_f32, i % (in->rows * sums->n)));
}

static void take_grid(accordi_elements *in)
{
    const accordi_sums *sums = in->sums;
    for (size_t i = 0; i < in->rows * in->inner; i++)
        accordi_set_number(in->a, sums->is_f32, i, in->given->x[i]);
    for (size_t i = 0; i < in->columns * in->inner && sums->products; i++)
        accordi_set_number(in->b, sums->is_f32, i, in->given->y[i]);
    for (size_t i = 0; i < in->rows * in->columns && sums->has_start; i++)
        accordi_set_number(in->c, sums->is_f32, i, in->given->start[i]);
}

static enum accord_status ask_grid(accordi_elements *in, size_t number, accord_error *error)
{
    const accordi_sums *sums = in->sums;
    size_t bytes = in->rows * in->columns * sizeof *in->result;
    if (in->given)
        take_grid(in);
    else
        draw_grid(in, number);
    in->asked = number + 1;
    if (in->results) {
        memcpy(in->result, in->results->result, bytes);
        memcpy(in->again, in->results->result, bytes);
        return ACCORD_OK;
    }
    const accord_grid grid = {.size = sizeof grid,
                              .a = in->a,
                              .b = sums->products ? in->b : NULL,
                              .c = sums->has_start ? in->c : NULL};
    enum accord_status status = accord_target_run_grid(sums->target, &grid, in->result, error);
    return status ? status : accord_target_run_grid(sums->target, &grid, in->again, error);
}

/* Element i of the grid at hand as a row of a chunk. */
static void put_element(const accordi_elements *in, size_t i, const accordi_chunk *chunk,
                        size_t row)
{
    const accordi_sums *sums = in->sums;
    size_t width = accordi_width_of(sums), bytes = in->inner * width, at = row * sums->n * width;
    size_t r = i / in->columns, c = i % in->columns;
    memcpy((char *)chunk->x + at, (const char *)in->a + r * bytes, bytes);
    if (sums->products)
        memcpy((char *)chunk->y + at, (const char *)in->b + c * bytes, bytes);
    if (sums->has_start)
        accordi_set_number(chunk->x, sums->is_f32, row * sums->n + sums->factors,
                           accordi_get_number(in->c, sums->is_f32, i));
}

/* The elements of a grid are cut into stretches of one length, and each gives one at random, so
 * that all rows and columns have their share. */
static size_t one_of(const accordi_elements *in, size_t stretch, size_t stretches, uint64_t number)
{
    size_t elements = in->rows * in->columns;
    size_t from = stretch * elements / stretches, end = (stretch + 1) * elements / stretches;
    accordi_rng rng;
    accordi_rng_init(&rng, in->seed + number);
    return from + (size_t)accordi_rng_below(&rng, end - from);
}

size_t accordi_element_at(const accordi_elements *in, size_t number)
{
    return one_of(in, number % in->each, in->each, number);
}

bool accordi_element_bands(const accordi_elements *in, size_t asked, accordi_axis axis,
                           accordi_bands *out)
{
    enum { LEAST = 64 };
    size_t lines = axis == ACCORDI_ROWS ? in->rows : in->columns, most = asked / LEAST;
    size_t size = most ? (lines + most - 1) / most : lines;
    *out = (accordi_bands){lines, size, (lines + size - 1) / size};
    return out->count > 1;
}

size_t accordi_element_line(const accordi_elements *in, size_t number, accordi_axis axis)
{
    size_t i = accordi_element_at(in, number);
    return axis == ACCORDI_ROWS ? i / in->columns : i % in->columns;
}

enum accord_status accordi_elements_chunk(accordi_elements *in, size_t first,
                                          const accordi_chunk *chunk, double *result, double *again,
                                          accord_error *error)
{
    enum accord_status status = ACCORD_OK;
    for (size_t row = 0; row < chunk->rows && !status; row++) {
        size_t grid = (first + row) / in->each, i = accordi_element_at(in, first + row);
        if (in->asked != grid + 1)
            status = ask_grid(in, grid, error);
        put_element(in, i, chunk, row);
        result[row] = in->result[i];
        again[row] = in->again[i];
    }
    return status;
}

/* ---- where elements are wrong ---- */

enum accord_status accordi_elements_check(accordi_elements *in,
                                          const accordi_accumulator *accumulator,
                                          accord_explain_side *side, char *text, size_t size,
                                          bool *place, accord_error *error)
{
    size_t elements = in->rows * in->columns, most;
    most = (in->given ? CHECKED_GIVEN : CHECKED_TERMS) / in->sums->n;
    accordi_chunk one;
    accordi_input input;
    accordi_places found = {0};
    enum accord_status status = accordi_chunk_new(in->sums, 1, &one, error);
    if (status)
        return status;
    status = in->asked == 1 ? ACCORD_OK : ask_grid(in, 0, error);
    most = most < CHECKED ? CHECKED : most;
    most = most < elements ? most : elements;
    for (size_t stretch = 0; stretch < most && !status; stretch++) {
        size_t i = one_of(in, stretch, most, stretch);
        put_element(in, i, &one, 0);
        accordi_measure(in->sums, accumulator, &one, 0, &input);
        if (!isfinite(input.envelope))
            continue;
        found.checked++;
        double ratio = fabs(accordi_error_of(&input, in->result[i])) / input.envelope;
        if (ratio <= 1)
            continue;
        if (!found.count) {
            side->fault_row = (int64_t)(i / in->columns);
            side->fault_column = (int64_t)(i % in->columns);
        }
        side->worst = isnan(ratio) ? INFINITY : fmax(side->worst, ratio);
        accordi_places_add(&found, i / in->columns, i % in->columns);
    }
    accordi_chunk_free(&one);
    if (found.count)
        *place = accordi_places_words(&found, in->rows, in->columns, text, size);
    return status;
}
