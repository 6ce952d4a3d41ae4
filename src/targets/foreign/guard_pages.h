/* Detects access beyond the operands of foreign functions, in the worker process. Internal; see
 * guard_pages.c. */
#ifndef ACCORDI_GUARD_H
#define ACCORDI_GUARD_H

#include "targets/foreign/foreign.h"
#include <stdatomic.h>

/* Adds to `out` what is touched where the operands end and begin at memory that must not be. The
 * operands hold no probe afterwards. Not for many operands of more than 64 MiB. */
void accordi_guard_examine(accordi_foreign *foreign, _Atomic uint32_t *done,
                           accord_outside_access *out);

#endif
