/* Shared by the files of accord vary that run methods of reduction. */
#ifndef ACCORD_CLI_VARY_METHODS_H
#define ACCORD_CLI_VARY_METHODS_H

#include "cli/vary/vary.h"

/* A method with a size on a number of threads, and what was found about it. */
typedef struct cli_reduction {
    accord_reduction reduction;
    size_t threads, parts;
    double *result;   /* of each sample; sample s is of array s % arrays */
    size_t distinct;  /* these three: the most of all arrays */
    double spread;    /* in units in the last place of the result */
    double deviation; /* likewise */
    double max_vs;    /* the greatest |Vs| of all samples where it is defined */
    size_t undefined; /* samples where it is not */
    double mean, std; /* of the times in seconds */
    /* The first array on the other device. */
    double *other; /* its results; NULL where there is none */
    size_t other_distinct;
    accord_vary_comparison comparison;
} cli_reduction;

/* What the command line asks for. */
typedef struct cli_reductions {
    const cli_args *args;
    const accord_method_device *device, *against; /* against: NULL where there is none */
    const char *which, *which_against;            /* of OpenCL's devices; NULL: the first */
    accord_draw_options draw;
    accord_schedule schedule;
    const char *schedule_name;
    uint32_t seed;
    size_t samples, arrays;
    double *given; /* arrays of a file, row by row; NULL: they are drawn */
    size_t columns;
    size_t longest;
    cli_reduction *row;
    size_t rows;
    /* These three: rows x arrays. */
    double *reference; /* by SPTR */
    accord_vary_expectation *expected;
    double *predicted; /* the deviation, if every order of arrival is equally likely */
} cli_reductions;

/* What a mode asks for where the command line says nothing. */
typedef struct cli_reduction_defaults {
    const char *methods, *lengths, *blocks, *grids;
    const char *device;
    size_t samples, arrays;
} cli_reduction_defaults;

/* ---- reductions.c ---- */

/* Reads the name of a device, which option --`option` gave. False after an error was printed. */
bool cli_device_read(const char *option, const char *name, const accord_method_device **device,
                     const char **which);

/* CLI_YES, or the exit status after an error was printed. Clear it in every case. */
int cli_reductions_read(const cli_args *args, const cli_reduction_defaults *defaults,
                        cli_reductions *out);
void cli_reductions_clear(cli_reductions *all);
/* The next array in x, which holds `longest` numbers, from the generator, or array a of the file.
 */
bool cli_reductions_draw(const cli_reductions *all, accord_mt19937 *generator, size_t a, double *x);
/* How often the reduction with this many samples in all is run on array a. */
size_t cli_reductions_runs(const cli_reductions *all, size_t a);

/* ---- methods.c, methods_write.c, methods_plots.c ---- */

int cli_vary_methods(const cli_args *args);
void cli_methods_report(accordi_buffer *out, const cli_reductions *all);
void cli_methods_json(accordi_buffer *out, const cli_reductions *all);
/* false after an error was printed: the rows do not fit the layout. */
bool cli_methods_csv(accordi_buffer *out, const cli_reductions *all);
/* Whether the two devices seem to differ, in words. */
const char *cli_methods_verdict(const accord_vary_comparison *comparison);
void cli_methods_svg(accordi_buffer *out, const cli_reductions *all);
void cli_methods_html(accordi_buffer *out, const cli_reductions *all);
/* The question as members of a JSON object. */
struct json_t *cli_reductions_json(const cli_reductions *all);

/* ---- performance.c, mapping.c, cross_platform.c, sweep_file.c ---- */

int cli_vary_performance(const cli_args *args);
int cli_vary_mapping(const cli_args *args);
int cli_vary_cross_platform(const cli_args *args);
/* The options of --sweep FILE that the command line does not give. CLI_YES, or the exit status
 * after an error was printed. The caller frees *texts, which ends with NULL, and its texts. */
int cli_vary_sweep(const cli_args *args, cli_args *out, char ***texts);

#endif
