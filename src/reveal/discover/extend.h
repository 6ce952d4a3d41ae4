/* Extending the order of the first terms to all. Internal; see extend.c. */
#ifndef ACCORDI_EXTEND_H
#define ACCORDI_EXTEND_H

#include "pattern/growth.h"
#include "reveal/probes/ask.h"

/* Extends the order of one term or more in `g` as far as it is regular; complete if it then has all
 * of the target's terms. `backwards`: its terms are numbered from the target's last one. */
enum accord_status accordi_extend(accordi_asker *asker, accordi_growth *g, bool backwards);

#endif
