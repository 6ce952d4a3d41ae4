/* Answers: the bits of the target's results on inputs that every record of a question has in
 * common. Internal; see answers.c. */
#ifndef ACCORDI_ANSWERS_H
#define ACCORDI_ANSWERS_H

#include "reveal/inputs/answer_inputs.h"
#include "reveal/inputs/replays.h"

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
