/* Shapes whose first number is the size of a batch. */
#ifndef ACCORD_CLI_BATCH_SHAPE_H
#define ACCORD_CLI_BATCH_SHAPE_H

#include "cli/command/cli.h"

enum { CLI_BATCH_SHAPE = 48 };

/* What follows M in the shape of the target that args name, "xNxK" or "xK": by --shape, or else by
 * the shape that a sum of n terms has. CLI_YES, or the exit status after an error was printed. */
int cli_batch_shape(const cli_args *args, size_t n, char rest[CLI_BATCH_SHAPE]);

#endif
