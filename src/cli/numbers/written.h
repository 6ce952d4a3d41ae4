/* Numbers as people write them: to the nearest f64, or as decimals of any length. */
#ifndef ACCORD_CLI_WRITTEN_H
#define ACCORD_CLI_WRITTEN_H

#include "cli/command/cli.h"

enum cli_written_as {
    CLI_WRITTEN_NUMBER,
    CLI_WRITTEN_NONE,  /* not a number */
    CLI_WRITTEN_BEYOND /* a number too large for an f64; *x is the infinity that it rounds to */
};

/* The number in at[0] … at[length - 1]: decimal or hexadecimal as in C, or nan, inf, infinity in
 * any case, with or without a sign. *x is the nearest f64; or, `to_odd`, cut off to an f64 with its
 * last bit set if anything was cut off, so that rounding it to a narrower format is rounding the
 * number as written. at[length] must be there, and is changed for a moment. */
enum cli_written_as cli_written(char *at, size_t length, bool to_odd, double *x);

/* The exponent written in at … end - 1, with or without a sign; of one beyond `most`, something
 * beyond it. False if anything else stands there. */
bool cli_written_exponent(const char *at, const char *end, int64_t most, int64_t *out);
/* nan, inf or infinity. */
bool cli_written_special(const char *at, size_t length, double *x);

#endif
