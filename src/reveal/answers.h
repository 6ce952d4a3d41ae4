/* Answers: the bits of the target's results on inputs that every record of a question has in
 * common. Internal; see answers.c. */
#ifndef ACCORDI_ANSWERS_H
#define ACCORDI_ANSWERS_H

#include "reveal/inputs/replays.h"

/* How many inputs a target of n terms is asked. */
size_t accordi_answers_count(size_t n);

/* Input number `input` (and the second factors), as n, format, type and products of `like` say. */
void accordi_answers_draw(const accordi_draw *like, size_t input, void *x, void *y);
enum accordi_draw_kind accordi_answers_kind_of(const accordi_draw *like, size_t input);

/* The numbers of the first `count` inputs, kind by kind. */
void accordi_answers_order(size_t count, uint32_t *input);

/* A result as records keep it. */
uint64_t accordi_answer_bits(double result);

/* The answers among replays that were asked; all of them are asked again, in another order. The
 * factors of the target are the user's (ask.h). `out` holds no answers. */
enum accord_status accordi_answers_take(accordi_asker *asker, const accordi_replays *replays,
                                        accord_answers *out);
/* The same where nothing was asked before. */
enum accord_status accordi_answers_ask(accordi_asker *asker, accord_answers *out);
void accordi_answers_clear(accord_answers *answers);

#endif
