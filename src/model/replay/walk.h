/* A model's tree for a group of rows, or for one. Internal. */
#ifndef ACCORDI_WALK_H
#define ACCORDI_WALK_H

#include "model/replay/plan.h"

/* The root's values come out at the start of the stack. Operands are those of accordi_load.
 *   fast: use AVX2 and FMA, which accordi_cpu_has; stack: plan->depth groups; scratch: room for
 *   2 * plan->most groups. Trees of one leaf are not walked. */
void accordi_walk(const accordi_plan *plan, bool fast, bool single, const void *x, const void *y,
                  void *stack, double *scratch);

/* Operands of rows first … first+count-1 as the model sees them: x[leaf][lane], and y where the
 * plan has second factors, the start among them; products instead where the plan is folded. Lanes
 * past the last row repeat it. A single row has one lane. */
void accordi_load(const accordi_plan *plan, const accord_rows *rows, size_t first, size_t count,
                  bool single, void *x, void *y);

/* Whether single rows need nothing done to them: they can be walked where they are. */
bool accordi_needs_no_load(const accordi_plan *plan, const accord_rows *rows);

#endif
