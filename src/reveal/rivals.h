/* Ways of the end of a sum that random inputs left open. Internal; see rivals.c. */
#ifndef ACCORDI_RIVALS_H
#define ACCORDI_RIVALS_H

#include "reveal/ask.h"

typedef struct accordi_rivals {
    size_t asked;      /* inputs that separate two ways, put to the target */
    char open[160];    /* the ways that no input of the search tells from the model's; "" */
    uint32_t searched; /* inputs on which those were compared */
} accordi_rivals;

/* Of the ways in which a factor at the end may enter (times it, times it as a narrower format has
 * it, divided by its inverse) puts into `inout` the one that the target takes. The factors of the
 * target are neutral (ask.h). */
enum accord_status accordi_rivals_part(accordi_asker *asker, const accord_tree *tree,
                                       accord_arithmetic *inout, accordi_rivals *out);

#endif
