/* Inputs: numbers that get a value or an interval from outside. Internal. */
#ifndef ACCORDI_INPUTS_H
#define ACCORDI_INPUTS_H

#include <stdbool.h>
#include <stdint.h>

enum accordi_input_format {
    ACCORDI_INPUT_F64,
    ACCORDI_INPUT_F32,
    ACCORDI_INPUT_I8 /* 16, 32, 64 */
};

/* What the instrumenter adds where a variable gets a number that is to be replaced: `n` numbers
 * from `at` on were assigned, and those of them are set that are among the `count` numbers from
 * `from` + `first` on. */
void accordi_set_input(uint32_t input, char *at, uint64_t n, char *from, uint64_t first,
                       uint64_t count, uint32_t format, uint32_t site);
/* Writes which inputs were set, and to what. */
void accordi_put_inputs(void);

#endif
