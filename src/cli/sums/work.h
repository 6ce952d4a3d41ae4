/* The work of accord sum and accord dot on open files: threads, progress, saved accumulators. */
#ifndef ACCORD_CLI_WORK_H
#define ACCORD_CLI_WORK_H

#include "cli/sums/tally.h"
#include <stdatomic.h>

/* Shared by the threads of a command. */
typedef struct cli_progress {
    cli_bar bar;
    uint64_t total; /* bytes; 0: not known */
    _Atomic uint64_t done;
    atomic_bool stop; /* one part failed: the others are of no use */
} cli_progress;

/* Tells how far r has come; `shows`: this thread draws the bar. False, with r->error filled, when
 * the command is to end. */
bool cli_progress_step(cli_progress *progress, cli_reader *r, bool shows);

/* How many threads the options allow; 1 where the order matters. */
size_t cli_threads(const cli_args *args, const cli_addition *how);
/* How many of them a file is worth. */
size_t cli_parts(size_t threads, const cli_reader *r);

/* Where numbers wait for a device: it takes many at once. */
typedef struct cli_device cli_device;
/* *out is NULL without --device. CLI_YES, or an exit status after an error was printed, also
 * where another option contradicts it. */
int cli_device_open(const cli_args *args, bool products, cli_device **out);
void cli_device_close(cli_device *device); /* NULL is fine */
/* False with *error filled. What waits is added at the latest by cli_device_end_… */
bool cli_device_add(cli_device *device, accord_exact *sum, const cli_block *block,
                    accord_error *error);
bool cli_device_multiply(cli_device *device, accord_exact_wide *sum, size_t n, const double *x,
                         const double *y, accord_error *error);
bool cli_device_end_sum(cli_device *device, accord_exact *sum, accord_error *error);
bool cli_device_end_products(cli_device *device, accord_exact_wide *sum, accord_error *error);

typedef struct cli_sums {
    cli_addition how;
    bool grouped;
    cli_tally all;
    cli_groups *groups; /* with `grouped` */
    cli_device *device; /* NULL: this CPU */
    uint64_t skipped;
} cli_sums;

/* Adds what the reader, just opened, has to give; false, with r->error filled, when that fails. */
bool cli_sum_reader(cli_reader *r, cli_sums *sums, size_t threads, cli_progress *progress);
void cli_sums_clear(cli_sums *sums);

typedef struct cli_products {
    cli_addition how;
    accord_exact_wide all;
    double naive;
    cli_device *device; /* NULL: this CPU */
} cli_products;

/* The sum of the products of two readers, just opened; an exit status, after an error was printed
 * where it is not CLI_YES. */
int cli_dot_readers(cli_reader *a, cli_reader *b, cli_products *products, size_t threads,
                    cli_progress *progress);

/* Was it? Else r->error tells what is wrong with the saved sum, and in which file. */
bool cli_saved_is_good(cli_reader *r, enum accord_status status, const accord_error *error);
/* The accumulator in a reader of a saved one; false with r->error filled. */
bool cli_load_sum(cli_reader *r, accord_exact *sum);
bool cli_load_wide(cli_reader *r, accord_exact_wide *sum);
/* Writes the bytes to the file of --save, whole or not at all; CLI_YES, also without --save. */
int cli_save(const cli_args *args, const unsigned char *bytes, size_t length);

/* The same of sums by key: sorted groups are written; those of a file are added. */
int cli_save_groups(const cli_args *args, const cli_groups *groups);
bool cli_load_groups(cli_reader *r, cli_groups *groups, const cli_addition *how);

/* What options say of files and of sums; false after an error was printed. */
bool cli_read_options(const cli_args *args, cli_reader_options *options);
void cli_addition_options(const cli_args *args, cli_addition *how);
/* Standard input at most once. */
bool cli_once(const cli_args *args);

#endif
