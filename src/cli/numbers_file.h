/* Between the readers of numbers. */
#ifndef ACCORD_CLI_NUMBERS_FILE_H
#define ACCORD_CLI_NUMBERS_FILE_H

#include "cli/numbers.h"

typedef struct cli_file {
    const char *name;
    accordi_buffer bytes;
} cli_file;

/* A value of 2, 4 or 8 bytes. */
double cli_decode(const unsigned char *bytes, size_t size, bool big_endian);

bool cli_is_npy(const cli_file *file);
int cli_read_npy(const cli_file *file, cli_numbers *numbers);

#endif
