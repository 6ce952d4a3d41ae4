/* One run. */
#include "vary/runs/runs.h"

static size_t width_of(const accordi_vary_input *in)
{
    return in->is_f32 ? sizeof(float) : sizeof(double);
}

static enum accord_status ask_row(accord_target *target, const accordi_vary_input *in, size_t row,
                                  double *result, accord_error *error)
{
    size_t at = row * in->inner * width_of(in);
    const accord_batch batch = {.size = sizeof batch,
                                .probes = 1,
                                .dense = (const char *)in->x + at,
                                .second = in->products ? 1 : 0,
                                .dense_second = in->y ? (const char *)in->y + at : NULL};
    return accord_target_run(target, &batch, result, error);
}

static void exchange(void *a, void *b, size_t bytes)
{
    char *p = a, *q = b;
    for (size_t i = 0; i < bytes; i++) {
        char kept = p[i];
        p[i] = q[i];
        q[i] = kept;
    }
}

/* Exchanges a line of the batch and the one that is followed. */
static void exchange_lines(const accordi_vary_input *in, char *x, char *start, size_t place)
{
    size_t line = in->inner * width_of(in), starts = in->columns * width_of(in);
    exchange(x + place * line, x + (in->lines - 1) * line, line);
    if (start)
        exchange(start + place * starts, start + (in->lines - 1) * starts, starts);
}

static enum accord_status ask_grid(accord_target *target, accordi_vary_input *in, size_t row,
                                   bool places, size_t place, double *scratch, double *result,
                                   accord_error *error)
{
    char *x = (char *)in->x + row * in->lines * in->inner * width_of(in);
    char *start =
        in->start ? (char *)in->start + row * in->lines * in->columns * width_of(in) : NULL;
    const accord_grid grid = {
        .size = sizeof grid,
        .a = x,
        .b = in->y ? (char *)in->y + row * in->columns * in->inner * width_of(in) : NULL,
        .c = start};
    if (!places)
        return accord_target_run_grid(target, &grid, result, error);
    exchange_lines(in, x, start, place);
    enum accord_status status = accord_target_run_grid(target, &grid, scratch, error);
    exchange_lines(in, x, start, place);
    if (!status)
        memcpy(result, scratch + place * in->columns, in->columns * sizeof *result);
    return status;
}

enum accord_status accordi_vary_run(accord_target *target, accordi_vary_input *in, bool places,
                                    size_t place, double *scratch, double *result,
                                    accord_error *error)
{
    enum accord_status status = ACCORD_OK;
    size_t each = accordi_vary_input_results(in, places) / in->rows;
    for (size_t row = 0; row < in->rows && !status; row++)
        status = in->grid
                     ? ask_grid(target, in, row, places, place, scratch, result + row * each, error)
                     : ask_row(target, in, row, result + row, error);
    return status;
}

void accordi_vary_operands(const accord_target *target, const accordi_vary_input *in, bool places,
                           size_t element, double *x, double *y, bool *has_y)
{
    size_t each = accordi_vary_input_results(in, places) / in->rows, row = element / each;
    size_t line = places ? in->lines - 1 : element % each / in->columns;
    size_t column = element % in->columns, width = in->inner;
    *has_y = in->products || target->has_start;
    for (size_t k = 0; k < width; k++) {
        x[k] = accordi_get_number(in->x, in->is_f32, (row * in->lines + line) * width + k);
        y[k] = in->products
                   ? accordi_get_number(in->y, in->is_f32, (row * in->columns + column) * width + k)
                   : 1;
    }
    if (target->term == ACCORD_TERM_ABSOLUTE)
        for (size_t k = 0; k < width; k++)
            x[k] = x[k] < 0 ? -x[k] : x[k];
    if (in->start)
        x[width] = accordi_get_number(in->start, in->is_f32,
                                      (row * in->lines + line) * in->columns + column);
    if (target->has_start)
        y[target->n - 1] = target->beta;
}
