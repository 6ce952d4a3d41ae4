/* Pictures with two axes. */
#include "cli/vary/plot.h"
#include <math.h>

#define LEFT 70.0
#define RIGHT 20.0
#define TOP 62.0
#define BOTTOM 52.0
enum { COLORS = 8, TICKS = 7, ROW = 17, LABEL = 16 };

/* Classes, not variables of CSS: not every program that shows SVG knows these. */
#define COLOR(number_, color_)                                                                     \
    ".plot .f" number_ " { fill: " color_ "; } .plot .s" number_ " { stroke: " color_ "; }\n"

const char cli_plot_style[] =
    ".plot { font: 12px system-ui, sans-serif; }\n"
    ".plot .back { fill: #fff; } .plot text { fill: #1b1f24; } .plot .faint { fill: #667; }\n"
    ".plot .title { font-size: 14px; font-weight: 600; }\n"
    ".plot .grid { stroke: #e3e6eb; } .plot .axis { stroke: #667; fill: none; }\n"
    ".plot .mark { stroke: #1b1f24; stroke-width: 1.2; stroke-dasharray: 2 3; }\n"
    ".plot .band { fill: #667; opacity: .14; }\n"
    ".plot .bars { fill-opacity: .45; } .plot .points { fill-opacity: .75; }\n"
    /* names are read above lines and bars, too */
    ".plot .name { paint-order: stroke; stroke: #fff; stroke-width: 3; stroke-opacity: .8; }\n"
    ".plot .line { fill: none; stroke-width: 1.8; } .plot .dashes { stroke-dasharray: 6 4; "
    "}\n" COLOR("0", "#0072b2") COLOR("1", "#d55e00") COLOR("2", "#009e73") COLOR("3", "#cc79a7")
        COLOR("4", "#e69f00") COLOR("5", "#56b4e9") COLOR("6", "#806000")
            COLOR("7", "#777") "@media (prefers-color-scheme: dark) {\n"
                               ".plot .back { fill: #14171c; } .plot text { fill: #e4e7ec; } .plot "
                               ".faint { fill: #99a1b0; }\n"
                               ".plot .grid { stroke: #343a46; } .plot .axis { stroke: #99a1b0; }\n"
                               ".plot .mark { stroke: #e4e7ec; } .plot .name { stroke: #14171c; } "
                               ".plot .band { fill: #99a1b0; }\n" COLOR("0", "#4aa8e8")
                                   COLOR("1", "#ff8a3d") COLOR("2", "#2fc79b") "}\n";

void cli_plot_text(accordi_buffer *out, const char *text)
{
    char *plain = cli_need(accordi_utf8(text, true));
    for (const char *c = plain; *c; c++) {
        const char *name = *c == '&'   ? "&amp;"
                           : *c == '<' ? "&lt;"
                           : *c == '>' ? "&gt;"
                           : *c == '"' ? "&quot;"
                                       : NULL;
        if (name)
            accordi_buffer_puts(out, name);
        else
            accordi_buffer_write(out, c, 1);
    }
    free(plain);
}

/* ---- names ---- */

static double width_of_name(const cli_series *s)
{
    return 36 + 6.6 * (double)accordi_columns(s->name, strlen(s->name));
}

static bool is_line(const cli_series *s)
{
    return s->kind == CLI_LINE || s->kind == CLI_DASHES;
}

/* Of a series and the lines that belong to it, which follow: they stand in one row if they fit. */
static double width_of_names(const cli_plot *p, size_t first)
{
    double wide = width_of_name(&p->series[first]);
    for (size_t i = first + 1; i < p->count && is_line(&p->series[i]); i++)
        wide += p->series[i].name ? width_of_name(&p->series[i]) : 0;
    return wide > CLI_PLOT_WIDTH - RIGHT - LEFT || is_line(&p->series[first])
               ? width_of_name(&p->series[first])
               : wide;
}

/* Lays out the names of series in rows; draws them unless out is NULL. How many rows there are. */
static size_t put_legend(accordi_buffer *out, const cli_plot *p)
{
    double at = LEFT;
    size_t row = p->note != NULL;
    for (size_t i = 0; i < p->count; i++) {
        const cli_series *s = &p->series[i];
        if (!s->name)
            continue;
        bool line = is_line(s);
        double wide = width_of_name(s);
        if (at + width_of_names(p, i) > CLI_PLOT_WIDTH - RIGHT && at > LEFT) {
            at = LEFT;
            row++;
        }
        if (out) {
            double top = 38 + LABEL * (double)row;
            if (line)
                accordi_buffer_printf(out, "<path d=\"M%.1f,%.1fh14\" class=\"s%zu line%s\"/>", at,
                                      top + 6.5, s->color % COLORS,
                                      s->kind == CLI_DASHES ? " dashes" : "");
            else
                accordi_buffer_printf(out,
                                      "<rect x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"11\" "
                                      "class=\"f%zu\"/>",
                                      at, top, s->color % COLORS);
            accordi_buffer_printf(out, "<text x=\"%.1f\" y=\"%.1f\">", at + 19, top + 10);
            cli_plot_text(out, s->name);
            accordi_buffer_puts(out, "</text>\n");
        }
        at += wide;
    }
    return row + 1;
}

/* ---- axes ---- */

/* Values from low to high lie on pixels from begin to end. */
typedef struct axis {
    double low, high, begin, end;
    bool log;
} axis;

static bool can_show(const axis *a, double value)
{
    return isfinite(value) && (!a->log || (value > 1e-300 && value < 1e300));
}

static double place(const axis *a, double value)
{
    double low = a->log ? log10(a->low) : a->low, high = a->log ? log10(a->high) : a->high;
    double at = ((a->log ? log10(value) : value) - low) / (high - low);
    at = at < -1 ? -1 : at > 2 ? 2 : at; /* what lies far outside is clipped anyway */
    return a->begin + at * (a->end - a->begin);
}

static void include(axis *a, double value)
{
    if (!can_show(a, value))
        return;
    a->low = value < a->low ? value : a->low;
    a->high = value > a->high ? value : a->high;
}

/* Room beside the outermost values; and an axis for none, or one value alone. */
static void finish_axis(axis *a, double margin)
{
    if (!(a->low <= a->high))
        a->low = a->high = a->log ? 1 : 0;
    if (a->log) {
        a->low = pow(10, floor(log10(a->low) - .02));
        a->high = pow(10, ceil(log10(a->high) + .02));
        return;
    }
    double wide = a->high - a->low;
    wide = wide > 0 ? wide : fabs(a->high) > 0 ? fabs(a->high) : 1;
    a->low -= margin * wide;
    a->high += margin * wide;
}

static axis x_axis_of(const cli_plot *p)
{
    axis a = {.low = INFINITY, .high = -INFINITY, .log = p->log_x};
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < p->series[i].count; k++) {
            double half = p->series[i].kind == CLI_BARS ? p->series[i].width / 2 : 0;
            include(&a, p->series[i].x[k] - half);
            include(&a, p->series[i].x[k] + half);
        }
    for (size_t i = 0; i < p->marks; i++) {
        include(&a, p->mark[i].x);
        include(&a, p->mark[i].to);
    }
    finish_axis(&a, .04);
    if (p->least_x < p->most_x) {
        a.low = p->least_x;
        a.high = p->most_x;
    }
    a.begin = LEFT;
    a.end = CLI_PLOT_WIDTH - RIGHT;
    return a;
}

/* The names of marks stand above the series, each on a line of its own. */
static double room_of_names(const cli_plot *p)
{
    size_t names = 0;
    for (size_t i = 0; i < p->marks; i++)
        names += p->mark[i].name != NULL;
    return LABEL * (double)(names < 5 ? names : 5);
}

static axis y_axis_of(const cli_plot *p)
{
    axis a = {.low = INFINITY, .high = -INFINITY, .log = p->log_y};
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < p->series[i].count; k++)
            include(&a, p->series[i].y[k]);
    if (p->whole_y && !a.log)
        include(&a, 0);
    finish_axis(&a, p->whole_y ? 0 : .08);
    if (p->whole_y && !a.log)
        a.high += .06 * (a.high - a.low);
    if (p->least_y < p->most_y) {
        a.low = p->least_y;
        a.high = p->most_y;
    }
    a.begin = CLI_PLOT_HEIGHT - BOTTOM;
    a.end = TOP + LABEL * (double)(put_legend(NULL, p) - 1);
    if (!a.log)
        a.high += (a.high - a.low) * room_of_names(p) / (a.begin - a.end - room_of_names(p));
    return a;
}

/* 1, 2 or 5 times a power of ten. */
static double step_of(const axis *a)
{
    double raw = (a->high - a->low) / TICKS, power = pow(10, floor(log10(raw)));
    return power * (raw / power < 1.5 ? 1 : raw / power < 3.5 ? 2 : raw / power < 7.5 ? 5 : 10);
}

static size_t ticks_of(const axis *a, double *tick, size_t most)
{
    size_t count = 0;
    if (a->log) {
        double low = log10(a->low), high = log10(a->high), step = ceil((high - low) / TICKS);
        for (double e = ceil(low); e <= high + .001 && count < most; e += step)
            tick[count++] = pow(10, e);
        return count;
    }
    double step = step_of(a);
    for (double i = ceil(a->low / step); i * step <= a->high && count < most; i++)
        tick[count++] = i * step + 0.; /* no -0 */
    return count;
}

/* 1e5 and not 1e+05. */
static void put_tick(accordi_buffer *out, double tick)
{
    char text[32], *exponent;
    snprintf(text, sizeof text, fabs(tick) >= 1e4 && fabs(tick) < 1e5 ? "%.0f" : "%.4g", tick);
    exponent = strchr(text, 'e');
    if (exponent)
        snprintf(exponent + 1, sizeof text - (size_t)(exponent + 1 - text), "%d",
                 atoi(exponent + 1));
    accordi_buffer_printf(out, "%s</text>\n", text);
}

static void put_ticks(accordi_buffer *out, const axis *x, const axis *y, bool numbers)
{
    double tick[64];
    size_t count = ticks_of(x, tick, 64);
    for (size_t i = 0; i < count; i++) {
        double at = place(x, tick[i]);
        accordi_buffer_printf(
            out,
            "<line class=\"axis\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>"
            "<text class=\"faint\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
            at, y->begin, at, y->begin + 5, at, y->begin + 19);
        put_tick(out, tick[i]);
    }
    count = numbers ? ticks_of(y, tick, 64) : 0;
    for (size_t i = 0; i < count; i++) {
        double at = place(y, tick[i]);
        accordi_buffer_printf(
            out,
            "<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>"
            "<text class=\"faint\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">",
            x->begin, at, x->end, at, x->begin - 7, at + 4);
        put_tick(out, tick[i]);
    }
    accordi_buffer_printf(out, "<path class=\"axis\" d=\"M%.1f %.1fV%.1fH%.1f\"/>\n", x->begin,
                          y->end, y->begin, x->end);
}

/* ---- what lies between them ---- */

static void put_bars(accordi_buffer *out, const cli_series *s, const axis *x, const axis *y)
{
    double zero = place(y, y->log ? y->low : 0);
    accordi_buffer_printf(out, "<path class=\"bars f%zu\" d=\"", s->color % COLORS);
    for (size_t i = 0; i < s->count; i++) {
        if (!can_show(x, s->x[i]) || !can_show(y, s->y[i]) || s->y[i] <= 0)
            continue;
        double left = place(x, s->x[i] - s->width / 2), right = place(x, s->x[i] + s->width / 2);
        accordi_buffer_printf(out, "M%.2f %.2fV%.2fH%.2fV%.2fz", left, zero, place(y, s->y[i]),
                              right - left > 3 ? right - .6 : right, zero);
    }
    accordi_buffer_puts(out, "\"/>\n");
}

static void put_line(accordi_buffer *out, const cli_series *s, const axis *x, const axis *y)
{
    bool drawn = false;
    accordi_buffer_printf(out, "<path class=\"line%s s%zu\" d=\"",
                          s->kind == CLI_DASHES ? " dashes" : "", s->color % COLORS);
    for (size_t i = 0; i < s->count; i++) {
        bool shown = can_show(x, s->x[i]) && can_show(y, s->y[i]);
        if (shown)
            accordi_buffer_printf(out, "%c%.2f %.2f", drawn ? 'L' : 'M', place(x, s->x[i]),
                                  place(y, s->y[i]));
        drawn = shown;
    }
    accordi_buffer_puts(out, "\"/>\n");
}

static void put_points(accordi_buffer *out, const cli_series *s, const axis *x, const axis *y)
{
    accordi_buffer_printf(out, "<g class=\"points f%zu\">", s->color % COLORS);
    for (size_t i = 0; i < s->count; i++)
        if (can_show(x, s->x[i]) && can_show(y, s->y[i]))
            accordi_buffer_printf(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%s\"/>",
                                  place(x, s->x[i]), place(y, s->y[i]),
                                  s->count > 200 ? "2" : "3.5");
    accordi_buffer_puts(out, "</g>\n");
}

static void put_marks(accordi_buffer *out, const cli_plot *p, const axis *x, const axis *y)
{
    for (size_t i = 0; i < p->marks; i++) {
        const cli_mark *m = &p->mark[i];
        if (!can_show(x, m->x))
            continue;
        double at = place(x, m->x), to = can_show(x, m->to) ? place(x, m->to) : at;
        if (to > at)
            accordi_buffer_printf(out,
                                  "<rect class=\"band\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" "
                                  "height=\"%.2f\"/>\n",
                                  at, y->end, to - at, y->begin - y->end);
        else
            accordi_buffer_printf(out,
                                  "<line class=\"mark\" x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" "
                                  "y2=\"%.2f\"/>\n",
                                  at, y->begin, at, y->end);
    }
}

/* The names of marks stand beside them, each on a line of its own. */
static void put_mark_names(accordi_buffer *out, const cli_plot *p, const axis *x, const axis *y)
{
    for (size_t i = 0; i < p->marks; i++) {
        const cli_mark *m = &p->mark[i];
        if (!m->name || !can_show(x, m->x))
            continue;
        double at = place(x, m->x);
        bool before = at > x->begin + .6 * (x->end - x->begin);
        accordi_buffer_printf(out, "<text class=\"faint name\" x=\"%.1f\" y=\"%.1f\"%s>",
                              at + (before ? -5 : 5), y->end + 12 + LABEL * (double)i,
                              before ? " text-anchor=\"end\"" : "");
        cli_plot_text(out, m->name);
        accordi_buffer_puts(out, "</text>\n");
    }
}

static void put_titles(accordi_buffer *out, const cli_plot *p, const axis *x, const axis *y)
{
    accordi_buffer_printf(out, "<text class=\"title\" x=\"%.1f\" y=\"24\">", LEFT);
    cli_plot_text(out, p->title);
    accordi_buffer_printf(out, "</text>\n<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
                          (x->begin + x->end) / 2, y->begin + 40);
    cli_plot_text(out, p->x);
    accordi_buffer_puts(out, "</text>\n");
    if (p->note) {
        accordi_buffer_printf(out, "<text class=\"faint\" x=\"%.1f\" y=\"47\">", LEFT);
        cli_plot_text(out, p->note);
        accordi_buffer_puts(out, "</text>\n");
    }
    if (!p->y)
        return;
    double middle = (y->begin + y->end) / 2;
    accordi_buffer_printf(
        out, "<text x=\"16\" y=\"%.1f\" text-anchor=\"middle\" transform=\"rotate(-90 16 %.1f)\">",
        middle, middle);
    cli_plot_text(out, p->y);
    accordi_buffer_puts(out, "</text>\n");
}

void cli_plot_put(accordi_buffer *out, const cli_plot *p, size_t at)
{
    axis x = x_axis_of(p), y = y_axis_of(p);
    static void (*const put[])(accordi_buffer *, const cli_series *, const axis *, const axis *) = {
        [CLI_BARS] = put_bars,
        [CLI_LINE] = put_line,
        [CLI_DASHES] = put_line,
        [CLI_POINTS] = put_points,
    };
    accordi_buffer_printf(out, "<g transform=\"translate(0 %zu)\">\n", at * CLI_PLOT_HEIGHT);
    put_ticks(out, &x, &y, p->y != NULL);
    accordi_buffer_printf(out,
                          "<svg x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
                          "viewBox=\"%.1f %.1f %.1f %.1f\">\n",
                          x.begin, y.end, x.end - x.begin, y.begin - y.end, x.begin, y.end,
                          x.end - x.begin, y.begin - y.end); /* clips */
    put_marks(out, p, &x, &y);
    for (size_t i = 0; i < p->count; i++)
        put[p->series[i].kind](out, &p->series[i], &x, &y);
    accordi_buffer_puts(out, "</svg>\n");
    put_mark_names(out, p, &x, &y);
    put_legend(out, p);
    put_titles(out, p, &x, &y);
    accordi_buffer_puts(out, "</g>\n");
}

void cli_plot_begin(accordi_buffer *out, size_t plots)
{
    size_t height = (plots ? plots : 1) * CLI_PLOT_HEIGHT;
    accordi_buffer_printf(
        out,
        "<svg class=\"plot\" xmlns=\"http://www.w3.org/2000/svg\" "
        "viewBox=\"0 0 %d %zu\" width=\"%d\" height=\"%zu\">\n<style>\n%s</style>\n"
        "<rect width=\"100%%\" height=\"100%%\" class=\"back\"/>\n",
        CLI_PLOT_WIDTH, height, CLI_PLOT_WIDTH, height, cli_plot_style);
}

void cli_plot_end(accordi_buffer *out)
{
    accordi_buffer_puts(out, "</svg>\n");
}
