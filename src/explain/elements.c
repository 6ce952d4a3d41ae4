/* All elements of a target with many results.
 *
 * Grids of normal inputs are asked, and elements all over the result are rows of a further kind of
 * inputs, for which the envelope and all statistics are those of the others. Every grid is asked
 * twice. Of the first one all elements (at most 4096 of them) are held against the envelope, and
 * the place of those outside is put into words: a row, a column, a tile. */
#include "explain/explain.h"
#include <math.h>

enum { ELEMENTS = 4096, EACH = 250 };

struct accordi_elements {
    const accordi_sums *sums;
    uint64_t seed;
    size_t rows, columns, inner;
    size_t each, asked; /* rows that a grid gives; grids asked so far */
    accordi_chunk left, right, start;
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

bool accordi_has_elements(const accordi_sums *sums)
{
    const accord_target *target = sums->target;
    return target->rows * target->columns > 1 && target->kind->run_grid;
}

enum accord_status accordi_elements_new(const accordi_sums *sums, uint64_t seed,
                                        accordi_elements **out, accord_error *error)
{
    size_t width = accordi_width_of(sums);
    const accord_target *target = sums->target;
    size_t elements = target->rows * target->columns;
    accordi_elements *made = accordi_calloc(1, sizeof *made);
    if (!made)
        return accordi_nomem(error);
    *made = (accordi_elements){.sums = sums,
                               .seed = seed,
                               .rows = target->rows,
                               .columns = target->columns,
                               .inner = sums->factors,
                               .each = elements < EACH ? elements : EACH};
    enum accord_status status = accordi_chunk_new(sums, made->rows, &made->left, error);
    if (!status)
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

static enum accord_status ask_grid(accordi_elements *in, size_t number, accord_error *error)
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
    const accord_grid grid = {.size = sizeof grid,
                              .a = in->a,
                              .b = sums->products ? in->b : NULL,
                              .c = sums->has_start ? in->c : NULL};
    enum accord_status status = accord_target_run_grid(sums->target, &grid, in->result, error);
    in->asked = number + 1;
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
size_t accordi_element_at(const accordi_elements *in, size_t number)
{
    size_t elements = in->rows * in->columns, i = number % in->each;
    size_t from = i * elements / in->each, end = (i + 1) * elements / in->each;
    accordi_rng rng;
    accordi_rng_init(&rng, in->seed + number);
    return from + (size_t)accordi_rng_below(&rng, end - from);
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

typedef struct wrong {
    size_t count, checked, top, bottom, left, right; /* the least box around them */
} wrong;

static void add_wrong(wrong *found, size_t r, size_t c)
{
    found->top = found->count && found->top < r ? found->top : r;
    found->left = found->count && found->left < c ? found->left : c;
    found->bottom = found->bottom > r ? found->bottom : r;
    found->right = found->right > c ? found->right : c;
    found->count++;
}

static void put_range(accordi_buffer *out, const char *what, size_t from, size_t end)
{
    if (from == end)
        accordi_buffer_printf(out, "%s %zu", what, from);
    else
        accordi_buffer_printf(out, "%ss %zu to %zu", what, from, end);
}

/* A box is named if most of what was checked in it is wrong. */
static void where_words(const accordi_elements *in, const wrong *found, char *text, size_t size)
{
    size_t box = (found->bottom - found->top + 1) * (found->right - found->left + 1);
    double share = (double)found->checked / (double)(in->rows * in->columns);
    bool wide = found->left == 0 && found->right == in->columns - 1;
    bool tall = found->top == 0 && found->bottom == in->rows - 1;
    accordi_buffer words = {0};
    if (found->count == found->checked)
        accordi_buffer_puts(&words, "every element is wrong");
    else if (found->count == 1)
        accordi_buffer_printf(&words, "element %zu,%zu is wrong", found->top, found->left);
    else if ((double)found->count < .8 * share * (double)box)
        accordi_buffer_printf(&words, "%zu of %zu elements are wrong", found->count,
                              found->checked);
    if (!words.length) {
        if (!tall || wide)
            put_range(&words, "row", found->top, found->bottom);
        if (!wide && !tall)
            accordi_buffer_puts(&words, " of ");
        if (!wide)
            put_range(&words, "column", found->left, found->right);
        bool one = (wide && found->top == found->bottom) || (!wide && found->left == found->right);
        accordi_buffer_puts(&words, one ? " is wrong" : " are wrong");
    }
    snprintf(text, size, "%s", words.data ? words.data : "");
    accordi_buffer_clear(&words);
}

enum accord_status accordi_elements_check(accordi_elements *in,
                                          const accordi_accumulator *accumulator,
                                          accord_explain_side *side, char *text, size_t size,
                                          accord_error *error)
{
    size_t elements = in->rows * in->columns, step = (elements + ELEMENTS - 1) / ELEMENTS;
    accordi_chunk one;
    accordi_input input;
    wrong found = {0};
    enum accord_status status = accordi_chunk_new(in->sums, 1, &one, error);
    if (status)
        return status;
    status = ask_grid(in, 0, error);
    for (size_t i = 0; i < elements && !status; i += step) {
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
        add_wrong(&found, i / in->columns, i % in->columns);
    }
    accordi_chunk_free(&one);
    if (found.count)
        where_words(in, &found, text, size);
    return status;
}
