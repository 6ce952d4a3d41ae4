/* What accord vary TARGET found, as one page without scripts and network: the report and the
 * pictures. */
#include "cli/vary/plot.h"
#include "cli/vary/vary.h"

void cli_vary_page(accordi_buffer *out, const char *title, accordi_buffer *report,
                   accordi_buffer *pictures)
{
    accordi_buffer_puts(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'\">\n<style>\n:root { color-scheme: light dark; }\n"
        "body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 64rem; padding: "
        "1rem 1.5rem 4rem; }\nh1 { font-size: 1.4rem; }\n"
        "pre { font: 13px/1.45 ui-monospace, monospace; overflow-x: auto; "
        "white-space: pre-wrap; }\nsvg.plot { max-width: 100%; height: auto; }\n"
        "@media (prefers-color-scheme: dark) { body { background: #14171c; color: #e4e7ec; } }\n"
        "</style>\n<title>");
    cli_plot_text(out, title);
    accordi_buffer_puts(out, "</title>\n</head>\n<body>\n<h1>");
    cli_plot_text(out, title);
    accordi_buffer_puts(out, "</h1>\n<pre>");
    for (char *line = report->data, *next; line && *line; line = next) {
        size_t length = strcspn(line, "\n");
        next = line + length + (line[length] == '\n');
        line[length] = '\0';
        cli_plot_text(out, line);
        accordi_buffer_puts(out, "\n");
    }
    accordi_buffer_puts(out, "</pre>\n");
    accordi_buffer_append(out, pictures->data, pictures->length);
    accordi_buffer_puts(out, "</body>\n</html>\n");
    accordi_buffer_clear(report);
    accordi_buffer_clear(pictures);
}

void cli_vary_html(accordi_buffer *out, const accord_variation *in)
{
    accordi_buffer report = {0}, pictures = {0}, title = {0};
    cli_vary_report(&report, in);
    cli_vary_svg(&pictures, in);
    accordi_buffer_printf(&title, "Variability of %s", in->target);
    out->failed |= report.failed || pictures.failed || title.failed;
    cli_vary_page(out, title.data ? title.data : "", &report, &pictures);
    accordi_buffer_clear(&title);
}
