/* The operands of a question: drawn from a seed, or the caller's; and one run with them. */
#include "reveal/inputs/random_inputs.h"
#include "vary/runs/runs.h"

/* Rows of random numbers have numbers of their own: so many for each input; columns take those
 * from the middle on, and the line that is followed the last. */
enum { STRIDE = 1 << 22, COLUMNS = STRIDE / 2, FOLLOWED = STRIDE - 1, MOST_ROWS = 10000 };

/* ---- kinds ---- */

static int kind_by_name(const char *text, size_t length)
{
    for (int kind = 0; kind < ACCORDI_DRAW_KINDS; kind++) {
        const char *name = accordi_draw_name((enum accordi_draw_kind)kind);
        if (strlen(name) == length && strncmp(name, text, length) == 0)
            return kind;
    }
    return -1;
}

/* The names between commas: how many, and of which kind the i-th is. */
static enum accord_status read_kinds(const char *text, size_t *count, int kind[ACCORDI_DRAW_KINDS],
                                     accord_error *error)
{
    *count = 0;
    for (;; text++) {
        size_t length = strcspn(text, ",");
        int found = kind_by_name(text, length);
        if (found < 0 || *count == ACCORDI_DRAW_KINDS)
            return accordi_fail(error, ACCORD_ARG,
                                "there is no kind of inputs %.*s; give a list such as "
                                "normal,positive,cancelling (doc/json.md has all of them)",
                                (int)length, text);
        kind[(*count)++] = found;
        text += length;
        if (!*text)
            return ACCORD_OK;
    }
}

/* ---- drawing ---- */

static size_t width_of(const accordi_vary_input *in)
{
    return in->is_f32 ? sizeof(float) : sizeof(double);
}

typedef struct drawing {
    accordi_draw draw;
    size_t first; /* the number of the first row of this input */
    char *x, *y;  /* a row */
} drawing;

static void draw_line(drawing *d, const accordi_vary_input *in, size_t number, void *x, void *y)
{
    accordi_draw_rows(&d->draw, d->first + number, 1, d->x, d->y);
    if (x)
        memcpy(x, d->x, in->inner * width_of(in));
    if (y)
        memcpy(y, d->y, in->inner * width_of(in));
}

static void draw_grid(drawing *d, accordi_vary_input *in, size_t row, bool places)
{
    size_t line = in->inner * width_of(in);
    char *x = (char *)in->x + row * in->lines * line;
    for (size_t i = 0; i < in->lines; i++)
        draw_line(d, in, places && i + 1 == in->lines ? FOLLOWED : i, x + i * line, NULL);
    for (size_t i = 0; in->y && i < in->columns; i++)
        draw_line(d, in, COLUMNS + i, NULL, (char *)in->y + (row * in->columns + i) * line);
    /* The start value of a line in a column is the last term of the line's row and the column's. */
    for (size_t i = 0; in->start && i < in->lines; i++)
        for (size_t k = 0; k < in->columns; k++) {
            size_t number = places && i + 1 == in->lines ? FOLLOWED : i;
            draw_line(d, in, (number + k) % STRIDE, NULL, NULL);
            memcpy((char *)in->start + ((row * in->lines + i) * in->columns + k) * width_of(in),
                   d->x + line, width_of(in));
        }
}

static void draw_all(drawing *d, accordi_vary_input *in, size_t kinds, const int *kind, bool places)
{
    size_t each = in->rows / kinds;
    d->draw.block = each * STRIDE;
    for (size_t row = 0; row < in->rows; row++) {
        size_t line = in->inner * width_of(in);
        d->first = ((size_t)kind[row / each] * each + row % each) * STRIDE;
        if (in->grid)
            draw_grid(d, in, row, places);
        else
            draw_line(d, in, 0, (char *)in->x + row * line,
                      in->y ? (char *)in->y + row * line : NULL);
    }
}

static enum accord_status draw_input(const accord_vary_options *options,
                                     const accord_target *target, bool places, const int *kind,
                                     size_t kinds, accordi_vary_input *in, accord_error *error)
{
    drawing d = {.draw = {.n = target->n,
                          .seed = options->seed,
                          .format = target->format,
                          .is_f32 = in->is_f32,
                          .products = in->products}};
    d.x = accordi_alloc(target->n, width_of(in));
    d.y = accordi_alloc(target->n, width_of(in));
    enum accord_status status = d.x && d.y ? ACCORD_OK : accordi_nomem(error);
    if (!in->products) {
        free(d.y);
        d.y = NULL;
    }
    if (!status)
        draw_all(&d, in, kinds, kind, places);
    free(d.x);
    free(d.y);
    return status;
}

/* ---- the caller's ---- */

static enum accord_status copy_numbers(const accord_target *target, const double *from,
                                       const accordi_vary_input *in, void *to, accord_error *error)
{
    for (size_t i = 0; from && i < in->rows * in->inner; i++) {
        if (accord_format_round(target->format, ACCORD_NEAREST_EVEN, from[i]) != from[i] &&
            from[i] == from[i])
            return accordi_fail(error, ACCORD_ARG,
                                "%.17g, number %zu of the input, is not a number of %s; round the "
                                "input first",
                                from[i], i, accord_format_get(target->format)->name);
        accordi_set_number(to, in->is_f32, i, from[i]);
    }
    for (size_t i = 0; !from && to && i < in->rows * in->inner; i++)
        accordi_set_number(to, in->is_f32, i, 1);
    return ACCORD_OK;
}

static enum accord_status check_own(const accord_vary_options *options, const accord_target *target,
                                    const accordi_vary_input *in, accord_error *error)
{
    if (in->grid)
        return accordi_fail(error, ACCORD_ARG,
                            "%s has many results, for which inputs are drawn; leave the numbers "
                            "out, or give a target with one result",
                            target->notation);
    if (options->y && !in->products)
        return accordi_fail(error, ACCORD_ARG,
                            "%s does not add products; leave the second factors out",
                            target->notation);
    return ACCORD_OK;
}

/* ---- both ---- */

static enum accord_status allocate(accordi_vary_input *in, bool start, accord_error *error)
{
    size_t x = in->rows * in->lines * in->inner, y = in->rows * in->columns * in->inner;
    size_t starts = start ? in->rows * in->lines * in->columns : 0;
    enum accord_status status = accordi_memory_check(
        ((double)in->rows * ((double)in->lines + (double)in->columns) * (double)in->inner +
         (double)starts) *
            (double)width_of(in),
        "the input", error);
    if (status)
        return status;
    in->x = accordi_alloc(x, width_of(in));
    in->y = in->products ? accordi_alloc(y, width_of(in)) : NULL;
    in->start = start ? accordi_alloc(starts, width_of(in)) : NULL;
    if (in->x && (in->y || !in->products) && (in->start || !start))
        return ACCORD_OK;
    accordi_vary_input_clear(in);
    return accordi_nomem(error);
}

enum accord_status accordi_vary_input_make(const accord_vary_options *options,
                                           const accord_target *target, bool places,
                                           accordi_vary_input *out, accord_error *error)
{
    int kind[ACCORDI_DRAW_KINDS];
    size_t kinds, samples = options->samples ? options->samples : 1;
    accordi_vary_input in = {.grid = target->kind->run_grid &&
                                     (places || target->rows > 1 || target->columns > 1),
                             .is_f32 = target->storage_f32,
                             .products = target->term == ACCORD_TERM_PRODUCT,
                             .lines = 1,
                             .columns = 1,
                             .inner = target->n};
    if (places && !in.grid)
        return accordi_fail(error, ACCORD_UNSUPPORTED,
                            "%s has no batch: give a GEMM, a GEMV or a function of rows",
                            target->notation);
    enum accord_status status =
        read_kinds(options->kinds ? options->kinds : "normal", &kinds, kind, error);
    if (status)
        return status;
    if (samples > MOST_ROWS || options->rows > MOST_ROWS)
        return accordi_fail(error, ACCORD_ARG, "at most %d inputs of each kind", (int)MOST_ROWS);
    in.rows = options->x ? options->rows : kinds * samples;
    if (in.grid) {
        in.lines = target->rows + places;
        in.columns = target->columns;
        in.inner = target->n - target->has_start;
        if (in.lines >= COLUMNS || in.columns >= COLUMNS - 1)
            return accordi_fail(error, ACCORD_ARG, "%s has too many results", target->notation);
    }
    status = options->x ? check_own(options, target, &in, error) : ACCORD_OK;
    if (!status)
        status = allocate(&in, in.grid && target->has_start, error);
    if (status)
        return status;
    if (options->x) {
        status = copy_numbers(target, options->x, &in, in.x, error);
        if (!status)
            status = copy_numbers(target, options->y, &in, in.y, error);
    } else {
        status = draw_input(options, target, places, kind, kinds, &in, error);
    }
    if (status)
        accordi_vary_input_clear(&in);
    else
        *out = in;
    return status;
}

void accordi_vary_input_clear(accordi_vary_input *input)
{
    free(input->x);
    free(input->y);
    free(input->start);
    input->x = input->y = input->start = NULL;
}

size_t accordi_vary_input_results(const accordi_vary_input *in, bool places)
{
    return in->rows * (places ? 1 : in->lines) * in->columns;
}
