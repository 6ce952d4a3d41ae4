/* The inputs of a comparison: drawn, asked, and measured against the exact result.
 *
 * The exact result of a row is read from an accumulator as two numbers, high + low, so that the
 * error of any implementation is a difference that is rounded at most once. */
#include "explain/explain.h"
#include "reveal/inputs/random_inputs.h"
#include <accord/exact.h>
#include <math.h>

enum accord_status accordi_sums_of(accord_target *target, accordi_sums *out, accord_error *error)
{
    if (target->term == ACCORD_TERM_SQUARE)
        return accordi_fail(error, ACCORD_UNSUPPORTED,
                            "%s gives a root of a sum of squares; explain takes sums, dot products "
                            "and elements of matrix products",
                            target->notation);
    if (target->alpha == 0)
        return accordi_fail(error, ACCORD_UNSUPPORTED,
                            "%s has alpha = 0: nothing is summed; give another alpha",
                            target->notation);
    *out = (accordi_sums){.target = target,
                          .n = target->n,
                          .factors = target->n - target->has_start,
                          .products = target->term == ACCORD_TERM_PRODUCT,
                          .is_f32 = target->storage_f32,
                          .has_start = target->has_start,
                          .input = target->format,
                          .output = target->output,
                          .alpha = target->alpha,
                          .beta = target->beta};
    return ACCORD_OK;
}

bool accordi_has_elements(const accordi_sums *sums)
{
    const accord_target *target = sums->target;
    return target->rows * target->columns > 1 && target->kind->run_grid;
}

enum accord_status accordi_chunk_new(const accordi_sums *sums, size_t rows, accordi_chunk *out,
                                     accord_error *error)
{
    *out = (accordi_chunk){.rows = rows};
    out->x = accordi_calloc(rows * sums->n, accordi_width_of(sums));
    out->y = sums->products ? accordi_calloc(rows * sums->n, accordi_width_of(sums)) : NULL;
    if (out->x && (out->y || !sums->products))
        return ACCORD_OK;
    accordi_chunk_free(out);
    return accordi_nomem(error);
}

void accordi_chunk_free(accordi_chunk *chunk)
{
    free(chunk->x);
    free(chunk->y);
    chunk->x = chunk->y = NULL;
}

/* ---- kinds ---- */

int accordi_kind_by_name(const char *text, size_t length)
{
    for (int kind = 0; kind < ACCORDI_DRAW_KINDS; kind++)
        if (strlen(accordi_draw_name((enum accordi_draw_kind)kind)) == length &&
            strncmp(accordi_draw_name((enum accordi_draw_kind)kind), text, length) == 0)
            return kind;
    return -1;
}

const char *accordi_kind_name(int kind)
{
    return kind == ACCORDI_GIVEN      ? "given"
           : kind == ACCORDI_ELEMENTS ? "elements"
                                      : accordi_draw_name((enum accordi_draw_kind)kind);
}

/* The statistics over rows compare sums of terms of which none is special. */
bool accordi_kind_is_random(int kind)
{
    switch (kind) {
    case ACCORDI_ELEMENTS:
    case ACCORDI_DRAW_USUAL:
    case ACCORDI_DRAW_WIDE:
    case ACCORDI_DRAW_POSITIVE:
    case ACCORDI_DRAW_NEGATIVE:
    case ACCORDI_DRAW_UNIT:
    case ACCORDI_DRAW_NORMAL:
    case ACCORDI_DRAW_LOG_NORMAL:
        return true;
    default:
        return false;
    }
}

void accordi_draw_chunk(const accordi_sums *sums, uint64_t seed, int kind, size_t most,
                        size_t first, accordi_chunk *chunk)
{
    const accordi_draw draw = {.n = sums->n,
                               .seed = seed,
                               .format = sums->input,
                               .is_f32 = sums->is_f32,
                               .products = sums->products,
                               .block = most};
    accordi_draw_rows(&draw, (size_t)kind * most + first, chunk->rows, chunk->x, chunk->y);
}

enum accord_status accordi_ask_chunk(const accordi_sums *sums, const accordi_chunk *chunk,
                                     double *result, accord_error *error)
{
    const accord_batch batch = {.size = sizeof batch,
                                .probes = chunk->rows,
                                .dense = chunk->x,
                                .second = sums->products ? 1 : 0,
                                .dense_second = chunk->y};
    return accord_target_run(sums->target, &batch, result, error);
}

/* ---- the exact result ---- */

static double operand(const accordi_sums *sums, const void *values, size_t row, size_t k)
{
    return accordi_get_number(values, sums->is_f32, row * sums->n + k);
}

static double second_of(const accordi_sums *sums, const accordi_chunk *chunk, size_t row, size_t k)
{
    if (sums->has_start && k == sums->factors)
        return sums->beta;
    return sums->products ? operand(sums, chunk->y, row, k) : 1;
}

static double first_of(const accordi_sums *sums, const accordi_chunk *chunk, size_t row, size_t k)
{
    double x = operand(sums, chunk->x, row, k);
    return sums->target->term == ACCORD_TERM_ABSOLUTE ? fabs(x) : x;
}

static double scale_of(const accordi_sums *sums, size_t k)
{
    return sums->has_start && k == sums->factors ? 1 : sums->alpha;
}

double accordi_term(const accordi_sums *sums, const accordi_chunk *chunk, size_t row, size_t k)
{
    return scale_of(sums, k) * first_of(sums, chunk, row, k) * second_of(sums, chunk, row, k);
}

/* alpha x is two numbers without error; ordinary operands do not underflow here. */
static void add_term(accord_exact_wide *sum, double alpha, double x, double y)
{
    double high = alpha * x;
    accord_exact_wide_add_product_f64(sum, high, y);
    if (alpha != 1)
        accord_exact_wide_add_product_f64(sum, fma(alpha, x, -high), y);
}

/* A unit in the last place of the result at this magnitude. */
static double ulp_of(enum accord_format format, double magnitude)
{
    const accord_format_info *info = accord_format_get(format);
    int exponent;
    frexp(magnitude, &exponent);
    exponent =
        magnitude == 0 || exponent - 1 < info->min_exponent ? info->min_exponent : exponent - 1;
    return ldexp(1, exponent - info->precision + 1);
}

/* Some machines take subnormal operands for zero, and with them the whole term. */
static bool is_flushed(const accordi_accumulator *accumulator, double x, double y)
{
    if (!accumulator->machine || !accumulator->machine->flush)
        return false;
    double least = ldexp(1, accord_format_get(accumulator->machine->input)->min_exponent);
    return fabs(x) < least || fabs(y) < least;
}

void accordi_measure(const accordi_sums *sums, const accordi_accumulator *accumulator,
                     const accordi_chunk *chunk, size_t row, accordi_input *out)
{
    accord_exact_wide sum;
    double mass = 0, squares = 0, flushed = 0;
    accord_exact_wide_init(&sum);
    for (size_t k = 0; k < sums->n; k++) {
        double x = first_of(sums, chunk, row, k), y = second_of(sums, chunk, row, k);
        add_term(&sum, scale_of(sums, k), x, y);
        double term = accordi_term(sums, chunk, row, k);
        flushed += is_flushed(accumulator, x, y) ? fabs(term) : 0;
        mass += fabs(term);
        squares += term * term;
    }
    out->high = accord_exact_wide_f64(&sum, ACCORD_EXACT_NEAREST_EVEN);
    accord_exact_wide_subtract_f64(&sum, out->high);
    out->low = isfinite(out->high) ? accord_exact_wide_f64(&sum, ACCORD_EXACT_NEAREST_EVEN) : 0;

    /* n additions in double, each off by half a unit at most. */
    mass *= 1 + (double)sums->n * 0x1p-52;
    const accord_format_info *inside = accord_format_get(accumulator->format);
    const accord_format_info *info = accord_format_get(sums->output);
    double within = accordi_accumulator_error(accumulator, sums->n, sums->alpha != 1) * mass +
                    (double)sums->n * accordi_accumulator_least(accumulator) + 2 * flushed;
    double magnitude = fabs(out->high) + within;
    out->mass = mass;
    out->ulp = ulp_of(sums->output, fabs(out->high));
    out->envelope = within + ulp_of(sums->output, magnitude) / 2;
    /* What overflows on the way, or at the end, has no bound. */
    if (!(mass * (1 + accordi_accumulator_error(accumulator, sums->n, sums->alpha != 1)) <=
          inside->greatest) ||
        !(magnitude <= info->greatest))
        out->envelope = INFINITY;
    double noise = .4 * ldexp(1, -inside->precision) * mass;
    /* A result that is small by chance is rounded finely; without the floor a few such inputs would
     * outweigh all others. */
    double rounding = fmax(out->ulp, ulp_of(sums->output, sqrt(squares) / 4));
    out->sigma = sqrt(rounding * rounding / 12 + noise * noise);
}

double accordi_cut_shift(const accordi_sums *sums, const accordi_chunk *chunk, size_t row,
                         enum accord_format format, enum accord_rounding rounding)
{
    double shift = 0;
    for (size_t k = 0; k < sums->factors; k++) {
        double x = first_of(sums, chunk, row, k), y = second_of(sums, chunk, row, k);
        double cut_x = accord_format_round(format, rounding, x);
        double cut_y = sums->products ? accord_format_round(format, rounding, y) : y;
        shift += cut_x * cut_y - x * y;
    }
    /* A format with less range says nothing of such a row. */
    return isfinite(shift) ? shift * sums->alpha : 0;
}
