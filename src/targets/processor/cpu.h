/* Instructions of this processor as targets. Internal. */
#ifndef ACCORDI_CPU_TARGET_H
#define ACCORDI_CPU_TARGET_H

#include "targets/target.h"

extern const accord_target_kind accordi_cpu_kind;
enum accord_status accordi_cpu_open(accord_target *target, const accordi_notation *notation,
                                    const accord_target_options *options, accord_error *error);

#endif
