/* Numbers and intervals as they are written on the command line. */
#ifndef ACCORD_CLI_INTERVALS_H
#define ACCORD_CLI_INTERVALS_H

#include "cli/command/cli.h"

/* Reads "1.5", rounded to nearest, or "[1,2]", rounded outward, in decimal or hexadecimal; the text
 * may be changed. For other formats than f64 the numbers are cut off to odd instead, so that they
 * can be rounded to the format without being rounded twice. False: it is neither. */
bool cli_read_interval(enum accord_format format, char *text, double *low, double *high);

#endif
