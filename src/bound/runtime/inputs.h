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

/* What the instrumenter adds. The numbers that are wanted of input number `input` are described by
 * `shape`: bytes from where its variable begins, `from`, the count of dimensions, and for each, the
 * largest stride first, how many there are (UINT64_MAX: any number) and the stride in bytes. Only
 * those are concerned that lie in the `bytes` from `at` on; UINT64_MAX: all. */

/* They were assigned and are to be replaced. */
void accordi_set_input(uint32_t input, char *at, uint64_t bytes, char *from, const uint64_t *shape,
                       uint32_t format, uint32_t site);
/* They are read, or may be from now on; the program assigns them anew. */
void accordi_input_read(uint32_t input, char *at, uint64_t bytes, char *from, const uint64_t *shape,
                        uint32_t format, uint32_t site);
void accordi_input_assigned(uint32_t input, char *at, uint64_t bytes, char *from,
                            const uint64_t *shape, uint32_t format, uint32_t site);
/* Writes which inputs were set, and to what. */
void accordi_put_inputs(void);

#endif
