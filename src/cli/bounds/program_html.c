/* The bounds of a program as one HTML page: the numbers, the unstable decisions, and the source,
 * each line colored by its share.
 *
 * The page needs no network and runs no script. Everything that comes from elsewhere (the source,
 * names of files, texts of the instrumenter) passes put_text, so none of it is markup. */
#include "cli/bounds/program.h"
#include <math.h>
#include <stdlib.h>

enum { MOST_NUMBERS = 1000, WHOLE_FILE = 2000, AROUND = 10, MOST_COLUMNS = 1000, TAB = 8 };

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" "
    "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<style>\n"
    ":root { color-scheme: light dark; --back: #fff; --text: #1b1f24; --faint: #667; --rule: "
    "#d5d9e0;"
    " --heat: 214, 90, 0; --mark: #a8071a; --tint: #f4f6f9; }\n"
    "@media (prefers-color-scheme: dark) { :root { --back: #14171c; --text: #e4e7ec; "
    "--faint: #99a1b0; --rule: #343a46; --heat: 255, 140, 40; --mark: #ff8f8a; "
    "--tint: #1d222a; } }\n"
    "body { background: var(--back); color: var(--text); font: 15px/1.5 system-ui, sans-serif; "
    "margin: 0 auto; max-width: 72rem; padding: 1rem 1.5rem 4rem; }\n"
    "h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }\n"
    "a { color: inherit; text-decoration-color: var(--faint); }\n"
    "p { max-width: 46rem; } .faint, .n, .share { color: var(--faint); }\n"
    ".wide { overflow-x: auto; border: 1px solid var(--rule); border-radius: 6px; }\n"
    "pre { margin: 0; padding: .5rem .7rem; font: 13px/1.45 ui-monospace, monospace; }\n"
    "table { border-collapse: collapse; font-variant-numeric: tabular-nums; }\n"
    "th, td { padding: .2rem .7rem; text-align: right; white-space: nowrap; }\n"
    "th { border-bottom: 1px solid var(--rule); font-weight: 600; } "
    "tbody tr:nth-child(even) { background: var(--tint); }\n"
    ".source { font: 13px/1.45 ui-monospace, monospace; padding: .5rem 0; }\n"
    ".source > div { min-width: max-content; padding-right: 1rem; white-space: pre; "
    "background: rgba(var(--heat), var(--share, 0)); }\n"
    ".source > div:target { outline: 2px solid var(--faint); }\n"
    ".n, .share { display: inline-block; text-align: right; user-select: none; } "
    ".n { width: 4.5em; } .share { width: 6em; padding-right: 1em; }\n"
    ".source > div[style] > span { color: inherit; }\n"
    ".code { unicode-bidi: isolate; } .note { color: var(--mark); font-family: system-ui, "
    "sans-serif; padding-left: 12em; } .source > div.gap { color: var(--faint); padding-left: "
    "4em; }\n"
    "</style>\n";

/* ---- text ---- */

static void put_text(accordi_buffer *out, const char *text)
{
    char *plain = cli_need(accordi_utf8(text, true));
    for (const char *c = plain; *c; c++)
        switch (*c) {
        case '&':
            accordi_buffer_puts(out, "&amp;");
            break;
        case '<':
            accordi_buffer_puts(out, "&lt;");
            break;
        case '>':
            accordi_buffer_puts(out, "&gt;");
            break;
        case '"':
            accordi_buffer_puts(out, "&quot;");
            break;
        case '\'':
            accordi_buffer_puts(out, "&#39;");
            break;
        default:
            accordi_buffer_write(out, c, 1);
        }
    free(plain);
}

/* A text of the other functions, which write into a buffer. */
static void put_buffer(accordi_buffer *out, accordi_buffer *text)
{
    put_text(out, text->data ? text->data : "");
    accordi_buffer_clear(text);
}

static void put_element(accordi_buffer *out, const char *tag, const char *text)
{
    accordi_buffer_printf(out, "<%s>", tag);
    put_text(out, text);
    accordi_buffer_printf(out, "</%s>", tag);
}

/* ---- files ---- */

/* The files that something is said of, in the order in which they are shown. */
typedef struct files {
    const char **name; /* borrowed */
    size_t *lines;     /* of each; 0: it cannot be read */
    size_t count;
} files;

static size_t count_lines(const char *name)
{
    FILE *file = fopen(name, "re");
    size_t lines = 0;
    int before = '\n';
    for (int c; file && (c = getc(file)) != EOF; before = c)
        lines += before == '\n';
    if (file)
        fclose(file);
    return lines;
}

static size_t file_number(files *f, const char *name)
{
    size_t i = 0;
    while (i < f->count && strcmp(f->name[i], name) != 0)
        i++;
    if (i == f->count) {
        f->lines[i] = count_lines(name);
        f->name[f->count++] = name;
    }
    return i;
}

static void collect_files(files *f, const cli_raw *raw, const cli_line *line, size_t lines)
{
    f->name = cli_need(accordi_calloc(raw->sites + lines + 1, sizeof *f->name));
    f->lines = cli_need(accordi_calloc(raw->sites + lines + 1, sizeof *f->lines));
    for (size_t i = 0; i < lines; i++)
        file_number(f, line[i].file);
    for (size_t i = 0; i < raw->sites; i++)
        if (raw->site[i].file && raw->site[i].line)
            file_number(f, raw->site[i].file);
}

/* The place of a site, as a link to its line. */
static void put_link(accordi_buffer *out, files *f, const cli_raw *raw, unsigned site)
{
    accordi_buffer place = {0};
    const cli_site *s = site < raw->sites ? &raw->site[site] : NULL;
    bool known = s && s->file && s->line;
    size_t file = known ? file_number(f, s->file) : 0;
    if (known && s->line <= f->lines[file])
        accordi_buffer_printf(out, "<a href=\"#f%zul%u\">", file, s->line);
    else if (known)
        accordi_buffer_printf(out, "<a href=\"#f%zu\">", file);
    cli_put_place(&place, raw, site);
    put_buffer(out, &place);
    accordi_buffer_puts(out, known ? "</a>" : "");
}

/* ---- numbers ---- */

static void put_row(accordi_buffer *out, const cli_bound_report *r, files *f, size_t i)
{
    cli_cell cell[CLI_COLUMNS];
    cli_output_cells(&r->raw, i, cell);
    accordi_buffer_puts(out, "<tr>");
    for (int k = 0; k < CLI_COLUMNS; k++) {
        if (!cli_has_column(r, k))
            continue;
        accordi_buffer_puts(out, "<td>");
        if (k == CLI_COLUMN_PLACE)
            put_link(out, f, &r->raw, r->raw.output[i].site);
        else
            put_text(out, cell[k].text);
        accordi_buffer_puts(out, "</td>");
    }
    accordi_buffer_puts(out, "</tr>\n");
}

static void put_numbers(accordi_buffer *out, const cli_bound_report *r, files *f)
{
    const cli_raw *raw = &r->raw;
    double least = cli_least_width(raw, MOST_NUMBERS);
    size_t shown = 0;
    accordi_buffer_puts(out, "<h2>Numbers</h2>\n<div class=\"wide\"><table>\n<thead><tr>");
    for (int k = 0; k < CLI_COLUMNS; k++)
        if (cli_has_column(r, k))
            put_element(out, "th", cli_columns[k]);
    accordi_buffer_puts(out, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < raw->outputs && shown < MOST_NUMBERS; i++)
        if (cli_output_width(&raw->output[i]) >= least) {
            put_row(out, r, f, i);
            shown++;
        }
    accordi_buffer_puts(out, "</tbody></table></div>\n");
    if (shown < raw->outputs)
        accordi_buffer_printf(
            out,
            "<p class=\"faint\">%zu of %zu numbers, widest first by their bounds; "
            "--json has all.</p>\n",
            shown, raw->outputs);
}

/* ---- decisions and losses ---- */

static void decision_words(const cli_decision *d, accordi_buffer *text)
{
    accordi_buffer_printf(text, "%s, ", d->what);
    cli_put_interval(text, d->low, d->high);
    accordi_buffer_printf(text, ", %llu time%s", d->count, d->count == 1 ? "" : "s");
}

static void put_list(accordi_buffer *out, const cli_raw *raw, files *f)
{
    accordi_buffer text = {0};
    const cli_site *first = cli_first_infinite(raw);
    if (raw->decisions || raw->losts || first)
        accordi_buffer_puts(out, "<h2>Places to look at</h2>\n<ul>\n");
    for (size_t i = 0; i < raw->decisions; i++) {
        accordi_buffer_puts(out, "<li>");
        put_link(out, f, raw, raw->decision[i].site);
        accordi_buffer_puts(out, " unstable decision: ");
        decision_words(&raw->decision[i], &text);
        put_buffer(out, &text);
        accordi_buffer_puts(out, "</li>\n");
    }
    if (first) {
        accordi_buffer_puts(out, "<li>");
        put_link(out, f, raw, (unsigned)(first - raw->site));
        accordi_buffer_puts(out, " bounds first became infinite</li>\n");
    }
    for (size_t i = 0; i < raw->losts; i++) {
        accordi_buffer_puts(out, "<li>");
        put_link(out, f, raw, raw->lost[i].site);
        accordi_buffer_puts(out, " ");
        cli_put_lost(&text, &raw->lost[i]);
        put_buffer(out, &text);
        accordi_buffer_puts(out, "</li>\n");
    }
    if (raw->decisions || raw->losts || first)
        accordi_buffer_puts(out, "</ul>\n");
    if (raw->paths)
        accordi_buffer_puts(out, "<h2>Other paths</h2>\n<ul>\n");
    for (size_t i = 0; i < raw->paths; i++) {
        accordi_buffer_printf(&text, "%zu: ", i + 2);
        cli_put_path(raw, i, &text);
        accordi_buffer_puts(out, "<li>");
        put_buffer(out, &text);
        accordi_buffer_puts(out, "</li>\n");
    }
    if (raw->paths)
        accordi_buffer_puts(out, "</ul>\n");
}

static void put_cure(accordi_buffer *out, const cli_cure *cure)
{
    accordi_buffer text = {0};
    if (!cure->said)
        return;
    accordi_buffer_puts(&text, "So that ");
    cli_put_cure_target(cure, &text);
    accordi_buffer_puts(&text, cure->found ? ", pin" : ": none; ");
    for (size_t i = 0; i < cure->pins; i++)
        accordi_buffer_printf(&text, " %s:%u", cure->pin[i].file, cure->pin[i].line);
    accordi_buffer_puts(&text, cure->found ? "." : cure->why);
    accordi_buffer_puts(out, "<h2>Cure</h2>\n<p>");
    put_buffer(out, &text);
    accordi_buffer_puts(out, "</p>\n");
}

/* A part of the report, line by line. */
static void put_part(accordi_buffer *out, const char *title, const cli_bound_report *r,
                     void (*put)(const cli_bound_report *r, accordi_buffer *out))
{
    accordi_buffer text = {0};
    accordi_buffer_printf(out, "<h2>%s</h2>\n<pre class=\"wide\">", title);
    put(r, &text);
    char *rest = text.data;
    for (const char *line; (line = strsep(&rest, "\n")) && (*line || rest);) {
        put_text(out, line);
        accordi_buffer_puts(out, "\n");
    }
    accordi_buffer_clear(&text);
    accordi_buffer_puts(out, "</pre>\n");
}

/* ---- source ---- */

/* What is said of a line. */
typedef struct mark {
    const cli_line *line;
    accordi_buffer note;
    bool near; /* a line that something is said of is near */
} mark;

static void note(mark *m, size_t lines, const cli_raw *raw, unsigned site, const char *file,
                 accordi_buffer *text)
{
    const cli_site *s = site < raw->sites ? &raw->site[site] : NULL;
    if (s && s->file && s->line && s->line <= lines && strcmp(s->file, file) == 0)
        accordi_buffer_printf(&m[s->line].note, "%s%s", m[s->line].note.length ? "; " : "",
                              text->data ? text->data : "");
    accordi_buffer_clear(text);
}

static void mark_lines(mark *m, size_t lines, const cli_raw *raw, const char *file,
                       const cli_line *line, size_t count)
{
    accordi_buffer text = {0};
    for (size_t i = 0; i < count; i++)
        if (strcmp(line[i].file, file) == 0 && line[i].line && line[i].line <= lines)
            m[line[i].line].line = &line[i];
    for (size_t i = 0; i < raw->decisions; i++) {
        accordi_buffer_puts(&text, "unstable ");
        decision_words(&raw->decision[i], &text);
        note(m, lines, raw, raw->decision[i].site, file, &text);
    }
    for (size_t i = 0; i < raw->blames; i++)
        if (raw->blame[i].infinite) {
            accordi_buffer_puts(&text, raw->blame[i].infinite == 1 ? "bounds first became infinite"
                                                                   : "bounds become infinite");
            note(m, lines, raw, raw->blame[i].site, file, &text);
        }
    for (size_t i = 0; i < raw->losts; i++) {
        cli_put_lost(&text, &raw->lost[i]);
        note(m, lines, raw, raw->lost[i].site, file, &text);
    }
    for (size_t i = 0; i < raw->sites; i++) {
        const cli_site *s = &raw->site[i];
        if (!s->file || s->line > lines || strcmp(s->file, file) != 0)
            continue;
        size_t first = s->line > AROUND ? s->line - AROUND : 1;
        for (size_t k = first; k <= s->line + AROUND && k <= lines; k++)
            m[k].near = true;
    }
}

/* A line of the source, with spaces for tabs; what is longer than MOST_COLUMNS is cut. */
static void put_code(accordi_buffer *out, const char *line)
{
    accordi_buffer text = {0};
    size_t column = 0;
    for (; *line && *line != '\n' && *line != '\r' && column < MOST_COLUMNS; line++) {
        size_t n = *line == '\t' ? TAB - column % TAB : 1;
        for (size_t i = 0; i < n && *line == '\t'; i++)
            accordi_buffer_puts(&text, " ");
        if (*line != '\t')
            accordi_buffer_write(&text, line, 1);
        column += n;
    }
    while (((unsigned char)*line & 0xc0) == 0x80) /* not within a character */
        accordi_buffer_write(&text, line++, 1);
    bool cut = *line && *line != '\n' && *line != '\r';
    put_buffer(out, &text);
    accordi_buffer_puts(out, cut ? " …" : "");
}

static void put_line(accordi_buffer *out, const mark *m, size_t file, size_t number,
                     const char *code)
{
    accordi_buffer causes = {0};
    const cli_line *l = m->line;
    accordi_buffer_printf(out, "<div id=\"f%zul%zu\"", file, number);
    if (l) {
        cli_put_causes(l, &causes);
        accordi_buffer_printf(out, " style=\"--share: %.3f\" title=\"", .6 * sqrt(l->share));
        put_buffer(out, &causes);
        accordi_buffer_puts(out, "\"");
    }
    accordi_buffer_printf(out, "><span class=\"n\">%zu</span><span class=\"share\">", number);
    if (l)
        accordi_buffer_printf(out, "%.3g %%", 100 * l->share);
    accordi_buffer_puts(out, "</span><span class=\"code\">");
    put_code(out, code);
    accordi_buffer_puts(out, "</span></div>\n");
    if (m->note.length) {
        accordi_buffer_puts(out, "<div class=\"note\">");
        put_text(out, m->note.data);
        accordi_buffer_puts(out, "</div>\n");
    }
}

static void put_file(accordi_buffer *out, const cli_raw *raw, const files *f, size_t number,
                     const cli_line *line, size_t count)
{
    size_t room = 0, lines = f->lines[number];
    FILE *file = lines ? fopen(f->name[number], "re") : NULL;
    char *text = NULL;
    mark *m = cli_need(accordi_calloc(lines + 1, sizeof *m));
    accordi_buffer_printf(out, "<h2 id=\"f%zu\">", number);
    put_text(out, f->name[number]);
    accordi_buffer_puts(out, "</h2>\n");
    mark_lines(m, lines, raw, f->name[number], line, count);
    accordi_buffer_puts(out, file ? "<div class=\"wide source\">\n"
                                  : "<p class=\"faint\">This file cannot be read.</p>\n");
    for (size_t i = 1; file && i <= lines && getline(&text, &room, file) >= 0; i++)
        if (lines <= WHOLE_FILE || m[i].near)
            put_line(out, &m[i], number, i, text);
        else if (i == 1 || m[i - 1].near)
            accordi_buffer_puts(out, "<div class=\"gap\">⋯</div>\n");
    accordi_buffer_puts(out, file ? "</div>\n" : "");
    for (size_t i = 0; i <= lines; i++)
        accordi_buffer_clear(&m[i].note);
    free(m);
    free(text);
    if (file)
        fclose(file);
}

/* ---- all ---- */

static void put_words(accordi_buffer *out, const cli_bound_report *r)
{
    const cli_args *args = r->args;
    accordi_buffer text = {0};
    for (size_t i = 0; i < args->operands; i++)
        accordi_buffer_printf(&text, "%s%s", i ? " " : "", args->operand[i]);
    accordi_buffer_puts(out, "<title>Bounds of ");
    put_text(out, text.data);
    accordi_buffer_puts(out, "</title>\n</head>\n<body>\n<h1>Bounds of ");
    put_text(out, text.data);
    accordi_buffer_puts(out, "</h1>\n<p>Model ");
    put_text(out, r->models);
    accordi_buffer_puts(out, ". ");
    accordi_buffer_clear(&text);
    cli_put_bound_claims(r, &text);
    put_buffer(out, &text);
    accordi_buffer_puts(out, "</p>\n");
}

void cli_put_bound_html(const cli_bound_report *r, accordi_buffer *out)
{
    const cli_raw *raw = &r->raw;
    cli_line *line;
    size_t count = cli_lines(raw, &line);
    files f = {0};
    collect_files(&f, raw, line, count);
    accordi_buffer_puts(out, head);
    put_words(out, r);
    if (raw->outputs)
        put_numbers(out, r, &f);
    put_list(out, raw, &f);
    if (raw->inputs)
        put_part(out, "Inputs", r, cli_put_bound_inputs);
    if (r->search.asked)
        put_part(out, "Search", r, cli_put_bound_search);
    put_cure(out, &r->cure);
    if (count)
        accordi_buffer_printf(out,
                              "<h2>Source</h2>\n<p>The color and the number beside a line are its "
                              "share of %s.</p>\n",
                              raw->shares ? "the first-order spread" : "the width of the bounds");
    for (size_t i = 0; i < f.count; i++)
        put_file(out, raw, &f, i, line, count);
    accordi_buffer_puts(out, "</body>\n</html>\n");
    free(f.name);
    free(f.lines);
    free(line);
}
