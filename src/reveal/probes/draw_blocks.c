#include "reveal/probes/draw_blocks.h"
#include <math.h>

double accordi_draw_element(accordi_rng *rng, enum accord_format format)
{
    double x;
    do
        x = accord_format_decode(format, accordi_rng_next(rng));
    while (!isfinite(x));
    return x;
}

void accordi_draw_scales(accordi_rng *rng, enum accord_format format, int exponent, double pair[2])
{
    double least = ldexp(1, accord_format_get(format)->min_exponent);
    int first = exponent / 2 - 2 + (int)accordi_rng_below(rng, 5);
    for (int i = 0; i < 2; i++) {
        double x = ldexp(1 + accordi_rng_unit(rng), i ? exponent - first : first);
        pair[i] = x < least ? least : accord_format_round(format, ACCORD_TOWARD_ZERO, x);
    }
}
