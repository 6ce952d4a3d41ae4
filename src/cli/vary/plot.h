/* Pictures with two axes, in SVG: bars, lines, points, and marks at values of x. They use neither
 * scripts nor anything from elsewhere, and follow the reader's choice of light or dark. */
#ifndef ACCORD_CLI_PLOT_H
#define ACCORD_CLI_PLOT_H

#include "cli/command/cli.h"

enum cli_series_kind {
    CLI_BARS,   /* from 0 to y, `width` wide around x */
    CLI_LINE,   /* through the points */
    CLI_DASHES, /* the same, broken */
    CLI_POINTS
};

typedef struct cli_series {
    enum cli_series_kind kind;
    const char *name; /* in the legend; NULL: not listed */
    size_t color;     /* of a palette that repeats */
    size_t count;
    const double *x,
        *y; /* those that are not finite, or <= 0 on a logarithmic axis, are left out */
    double width;
} cli_series;

/* A line across the picture at x, or a band from x to `to`. */
typedef struct cli_mark {
    double x, to; /* to: NaN for a line */
    const char *name;
} cli_mark;

typedef struct cli_plot {
    const char *title, *x, *y; /* y: NULL: no numbers at that axis */
    const char *note;          /* a line below the title; may be NULL */
    bool log_x, log_y;
    double least_x, most_x, least_y, most_y; /* two of 0: by the series and the marks */
    bool whole_y;                            /* y begins at 0 */
    const cli_series *series;
    size_t count;
    const cli_mark *mark;
    size_t marks;
} cli_plot;

enum { CLI_PLOT_WIDTH = 760, CLI_PLOT_HEIGHT = 340 };

/* The colors of pictures, for a style element of an SVG or a page. */
extern const char cli_plot_style[];
/* Begins and ends a document of `plots` pictures, one below the other. */
void cli_plot_begin(accordi_buffer *out, size_t plots);
void cli_plot_end(accordi_buffer *out);
/* The place-th picture of the document. */
void cli_plot_put(accordi_buffer *out, const cli_plot *plot, size_t place);
/* Results of one name. */
typedef struct cli_sample {
    const char *name;
    const double *value;
    size_t count;
} cli_sample;

/* Samples of one quantity for several names: the first eight. */
typedef struct cli_samples {
    const char *title, *note, *x;
    const cli_sample *sample;
    size_t count;
    const cli_mark *mark;
    size_t marks;
} cli_samples;

/* As densities with the nearest normal ones. Values are multiples of `unit`, which the axis and the
 * marks count. */
void cli_plot_samples(accordi_buffer *out, const cli_samples *samples, double unit, size_t place);
/* Distances from an exact value, on a logarithmic axis, a line for each name. Values less than 0.01
 * are drawn there. */
void cli_plot_distances(accordi_buffer *out, const cli_samples *samples, size_t place);

/* y over n on logarithmic axes, with the power law that fits each. */
typedef struct cli_growth {
    const char *name;
    const double *n, *y;
    size_t count, color;
    bool known; /* not measured: a line, and nothing is fitted */
} cli_growth;
enum { CLI_PLOT_GROWTHS = 24 }; /* the first of them are drawn */
void cli_plot_growth(accordi_buffer *out, const char *title, const char *y,
                     const cli_growth *growth, size_t count, size_t place);

/* Text as the content of an element. */
void cli_plot_text(accordi_buffer *out, const char *text);

#endif
