/* Directions: what faults of known kinds add to each result, up to a coefficient. */
#include "explain/statistics.h"
#include <math.h>

static const struct {
    const char *name, *about;
} plain_directions[ACCORDI_CUTS] = {
    {"bias", "mean error in units in the last place of the result"},
    {"truncation", "mean error away from zero, in units in the last place of the result"},
    {"offset", "a constant that is added to every result"},
    {"factor", "relative error that all results have in common"},
};
static const struct cut {
    const char *name, *about, *words;
    enum accord_format format;
    enum accord_rounding rounding;
} cuts[] = {
    {"cut-tf32", "share of the change that operands rounded to tf32 would cause",
     "operands are rounded to tf32", ACCORD_TF32, ACCORD_NEAREST_EVEN},
    {"cut-tf32-toward-zero", "share of the change that operands truncated to tf32 would cause",
     "operands are truncated to tf32", ACCORD_TF32, ACCORD_TOWARD_ZERO},
    {"cut-f16", "share of the change that operands rounded to f16 would cause",
     "operands are rounded to f16", ACCORD_F16, ACCORD_NEAREST_EVEN},
    {"cut-bf16", "share of the change that operands rounded to bf16 would cause",
     "operands are rounded to bf16", ACCORD_BF16, ACCORD_NEAREST_EVEN},
    {"cut-bf16-toward-zero", "share of the change that operands truncated to bf16 would cause",
     "operands are truncated to bf16", ACCORD_BF16, ACCORD_TOWARD_ZERO},
    {"cut-f32", "share of the change that operands rounded to f32 would cause",
     "operands are rounded to f32", ACCORD_F32, ACCORD_NEAREST_EVEN},
};
_Static_assert(ACCORDI_CUTS + sizeof cuts / sizeof cuts[0] == ACCORDI_DIRECTIONS,
               "a row for each cut");

bool accordi_direction_applies(const accordi_sums *sums, size_t direction)
{
    return direction < ACCORDI_CUTS ||
           accord_format_get(cuts[direction - ACCORDI_CUTS].format)->precision <
               accord_format_get(sums->input)->precision;
}

const char *accordi_direction_name(size_t direction)
{
    return direction < ACCORDI_CUTS ? plain_directions[direction].name
                                    : cuts[direction - ACCORDI_CUTS].name;
}

const char *accordi_direction_about(size_t direction)
{
    return direction < ACCORDI_CUTS ? plain_directions[direction].about
                                    : cuts[direction - ACCORDI_CUTS].about;
}

double accordi_direction_of(const accordi_sums *sums, const accordi_chunk *chunk, size_t row,
                            const accordi_input *input, size_t direction)
{
    if (!accordi_direction_applies(sums, direction))
        return 0;
    switch (direction) {
    case ACCORDI_BIAS:
        return input->ulp;
    case ACCORDI_TRUNCATION:
        return copysign(input->ulp, input->high);
    case ACCORDI_OFFSET:
        return 1;
    case ACCORDI_FACTOR:
        return input->high;
    default:
        return accordi_cut_shift(sums, chunk, row, cuts[direction - ACCORDI_CUTS].format,
                                 cuts[direction - ACCORDI_CUTS].rounding);
    }
}

/* A factor near 1 would look like 1. */
void accordi_factor_words(double c, char *text, size_t size)
{
    if (c != 0 && fabs(c) < 1e-4)
        snprintf(text, size, "the results are scaled by 1 %c %.3g", c < 0 ? '-' : '+', fabs(c));
    else
        snprintf(text, size, "the results are scaled by %.6g", 1 + c);
}

/* Other faults have a part along these directions, too: all that is known is the mean. */
void accordi_direction_words(size_t direction, double c, char *text, size_t size)
{
    if (direction == ACCORDI_FACTOR) {
        accordi_factor_words(c, text, size);
        size_t length = strlen(text);
        snprintf(text + length, size - length, " on average");
    } else if (direction == ACCORDI_TRUNCATION && fabs(c + .5) < .15)
        snprintf(text, size, "results are truncated, not rounded");
    else if (direction == ACCORDI_TRUNCATION)
        snprintf(text, size, "results are off by %.3g units in the last place %s zero on average",
                 fabs(c), c < 0 ? "toward" : "away from");
    else if (direction == ACCORDI_BIAS)
        snprintf(text, size, "results are %.3g units in the last place too %s on average", fabs(c),
                 c < 0 ? "small" : "large");
    else if (direction == ACCORDI_OFFSET)
        snprintf(text, size, "%.6g is added to the results on average", c);
    else
        snprintf(text, size, "%s", cuts[direction - ACCORDI_CUTS].words);
}
