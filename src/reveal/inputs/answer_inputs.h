/* The inputs that every record of a question has in common. Internal; see answer_inputs.c. */
#ifndef ACCORDI_ANSWER_INPUTS_H
#define ACCORDI_ANSWER_INPUTS_H

#include "reveal/inputs/random_inputs.h"

/* How many inputs a target of n terms is asked. */
size_t accordi_answers_count(size_t n);

/* Input number `input` (and the second factors), as n, format, type and products of `like` say. */
void accordi_answers_draw(const accordi_draw *like, size_t input, void *x, void *y);
enum accordi_draw_kind accordi_answers_kind_of(const accordi_draw *like, size_t input);

/* The numbers of the first `count` inputs, kind by kind. */
void accordi_answers_order(size_t count, uint32_t *input);

#endif
