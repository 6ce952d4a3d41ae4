/* Random elements and scales of blocks that share scales. Internal. */
#ifndef ACCORDI_DRAW_BLOCKS_H
#define ACCORDI_DRAW_BLOCKS_H

#include "base/base.h"
#include <accord/format.h>

/* Any finite value of a format, each bit pattern as often as the others. */
double accordi_draw_element(accordi_rng *rng, enum accord_format format);
/* Two normal scales whose product is about 2^exponent, or as near to it as there are any. */
void accordi_draw_scales(accordi_rng *rng, enum accord_format format, int exponent, double pair[2]);

#endif
