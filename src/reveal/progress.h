/* How far a reveal has come. Internal; see progress.c. */
#ifndef ACCORDI_PROGRESS_H
#define ACCORDI_PROGRESS_H

#include "reveal/probes/ask.h"

/* Of a reveal that has done so many calls: how many there will be in all, as far as can be told. */
uint64_t accordi_ahead(accordi_asker *asker, uint64_t done);

#endif
