/* What a raw report says about places: their names, and lines with the share that begins there. */
#include "cli/bounds/program.h"
#include <math.h>
#include <stdlib.h>

void cli_put_place(accordi_buffer *out, const cli_raw *raw, unsigned site)
{
    if (site < raw->sites && raw->site[site].file && raw->site[site].line)
        accordi_buffer_printf(out, "%s:%u", raw->site[site].file, raw->site[site].line);
    else
        accordi_buffer_puts(out, "?");
}

void cli_put_interval(accordi_buffer *out, double low, double high)
{
    char a[40], b[40];
    int digits = 6;
    double error;
    do {
        snprintf(a, sizeof a, "%.*g", digits, low);
        snprintf(b, sizeof b, "%.*g", digits, high);
        error = fmax(fabs(strtod(a, NULL) - low), fabs(strtod(b, NULL) - high));
    } while (error > (high - low) / 16 && ++digits <= 17);
    accordi_buffer_printf(out, "[%s, %s]", a, b);
}

const cli_site *cli_first_infinite(const cli_raw *raw)
{
    for (size_t i = 0; i < raw->blames; i++)
        if (raw->blame[i].infinite == 1)
            return &raw->site[raw->blame[i].site];
    return NULL;
}

size_t cli_unknown_outputs(const cli_raw *raw)
{
    size_t unknown = 0;
    for (size_t i = 0; i < raw->outputs; i++)
        unknown += raw->output[i].unknown;
    return unknown;
}

/* ---- lines ---- */

static cli_line *line_of(cli_line *list, size_t *count, const cli_site *site)
{
    for (size_t i = 0; i < *count; i++)
        if (list[i].line == site->line && strcmp(list[i].file, site->file) == 0)
            return &list[i];
    list[*count] = (cli_line){.file = site->file, .line = site->line};
    return &list[(*count)++];
}

/* The share in the first-order spread of all outputs, each in relation to its own; false: it is not
 * known. */
static bool share_by_spread(const cli_raw *raw, cli_line *list, size_t *count)
{
    double *total = cli_need(accordi_calloc(raw->outputs + 1, sizeof *total)), all = 0;
    for (size_t i = 0; i < raw->shares; i++)
        if (cli_input_of_site(raw, raw->share[i].site) == SIZE_MAX)
            total[raw->share[i].output] += raw->share[i].spread;
    for (size_t i = 0; i < raw->shares; i++) {
        const cli_share *s = &raw->share[i];
        if (cli_input_of_site(raw, s->site) != SIZE_MAX)
            continue;
        double part =
            total[s->output] > 0 && isfinite(total[s->output]) ? s->spread / total[s->output] : 0;
        line_of(list, count, &raw->site[s->site])->share += part;
        all += part;
    }
    for (size_t i = 0; all > 0 && i < *count; i++)
        list[i].share /= all;
    free(total);
    return all > 0;
}

/* Of the width that the lines add; infinite widths hide the others. */
static void share_by_width(cli_line *list, size_t count)
{
    double all = 0;
    for (size_t i = 0; i < count; i++)
        all += cli_line_width(&list[i]);
    for (size_t i = 0; i < count; i++) {
        double width = cli_line_width(&list[i]);
        list[i].share = isinf(all) ? isinf(width) : all > 0 ? width / all : 0;
    }
}

static int by_share(const void *a, const void *b)
{
    const cli_line *x = a, *y = b;
    if (x->share != y->share)
        return x->share < y->share ? 1 : -1;
    int order = strcmp(x->file, y->file);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

size_t cli_lines(const cli_raw *raw, cli_line **lines)
{
    size_t count = 0;
    cli_line *list = cli_need(accordi_calloc(raw->blames + raw->shares + 1, sizeof *list));
    for (size_t i = 0; i < raw->blames; i++) {
        const cli_blame *b = &raw->blame[i];
        cli_line *line = line_of(list, &count, &raw->site[b->site]);
        line->fusion += b->fusion;
        line->order += b->order;
        line->function += b->function;
        line->infinite |= b->infinite > 0;
    }
    if (!share_by_spread(raw, list, &count))
        share_by_width(list, count);
    qsort(list, count, sizeof *list, by_share);
    *lines = list;
    return count;
}

void cli_put_causes(const cli_line *line, accordi_buffer *out)
{
    const struct {
        const char *name;
        double width;
    } causes[] = {{"fusion", line->fusion}, {"order", line->order}, {"functions", line->function}};
    double width = cli_line_width(line);
    const char *between = ": ";
    if (!(width > 0) || !isfinite(width))
        return;
    accordi_buffer_printf(out, "%.3g", width);
    for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++)
        if (causes[i].width > 0) {
            accordi_buffer_printf(out, "%s%s %.0f %%", between, causes[i].name,
                                  100 * causes[i].width / width);
            between = ", ";
        }
}

void cli_put_lost(accordi_buffer *out, const cli_lost *lost)
{
    accordi_buffer_printf(out, "%s%s", lost->kept ? "" : "bounds were lost: ", lost->what);
}

size_t cli_kept(const cli_raw *raw)
{
    size_t kept = 0;
    for (size_t i = 0; i < raw->losts; i++)
        kept += raw->lost[i].kept;
    return kept;
}
