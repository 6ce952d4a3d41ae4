/* What accord explain found, as one page without scripts and network: the words, and each statistic
 * in proportion to its limit. */
#include "cli/explain/explain.h"
#include "cli/vary/plot.h"
#include "cli/vary/vary.h"
#include <math.h>

static const char style[] =
    "<style>\n"
    "h2 { font-size: 1.1rem; margin: 1.8rem 0 .4rem; }\n"
    "table { border-collapse: collapse; font-size: 13px; }\n"
    "th, td { padding: .15rem .9rem .15rem 0; text-align: left; white-space: nowrap; }\n"
    "th { font-weight: 600; border-bottom: 1px solid #99a1b0; }\n"
    "td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }\n"
    ".bar { position: relative; width: 14rem; height: .8rem; background: #99a1b040; }\n"
    ".bar i { position: absolute; top: 0; bottom: 0; left: 0; background: #0072b2; }\n"
    ".bar b { position: absolute; top: 0; bottom: 0; width: 2px; background: #667; }\n"
    ".outside .bar i { background: #d55e00; } .outside { font-weight: 600; }\n"
    ".open { color: #778; }\n"
    "@media (prefers-color-scheme: dark) { .bar i { background: #4aa8e8; }\n"
    ".outside .bar i { background: #ff8a3d; } .bar b { background: #e4e7ec; }\n"
    ".open { color: #99a1b0; } }\n"
    "</style>\n";

static void put_text(accordi_buffer *out, const char *text)
{
    accordi_buffer_puts(out, "<td>");
    cli_plot_text(out, text);
    accordi_buffer_puts(out, "</td>");
}

/* The share of the width of the bar, which is the limit. */
static double share(double value, const accord_explain_test *test)
{
    double found = 100 * fabs(value) / test->limit;
    return found < 100 ? found : 100; /* NaN: 100 */
}

static void put_test(accordi_buffer *out, const accord_explain_test *test)
{
    bool draws = test->decides && test->limit > 0 && isfinite(test->limit) && !isnan(test->value);
    accordi_buffer_printf(out, "<tr class=\"%s\">",
                          test->outside    ? "outside"
                          : !test->decides ? "open"
                                           : "inside");
    put_text(out, test->name);
    put_text(out, test->kind);
    accordi_buffer_printf(out,
                          "<td class=\"number\">%.4g</td><td class=\"number\">%.4g</td>"
                          "<td class=\"number\">%.4g</td><td>",
                          test->value, test->reference, test->limit);
    if (draws)
        accordi_buffer_printf(out,
                              "<div class=\"bar\"><i style=\"width: %.1f%%\"></i>"
                              "<b style=\"left: %.1f%%\"></b></div>",
                              share(test->value, test), share(test->reference, test));
    accordi_buffer_puts(out, "</td><td>");
    if (test->outside && test->term >= 0)
        accordi_buffer_printf(out, "outside: term %lld", (long long)test->term);
    else
        accordi_buffer_puts(out, test->outside ? "outside" : test->decides ? "" : "cannot decide");
    accordi_buffer_puts(out, "</td></tr>\n");
}

static void put_tests(accordi_buffer *out, const accord_explanation *in, size_t i)
{
    const accord_explain_side *side = &in->side[i];
    accordi_buffer_puts(out, "<h2>Statistics of ");
    cli_plot_text(out, side->target);
    accordi_buffer_puts(
        out, "</h2>\n<table>\n<tr><th>test</th><th>inputs</th><th class=\"number\">value</th>"
             "<th class=\"number\">references</th><th class=\"number\">limit</th>"
             "<th>value / limit (line: references)</th><th></th></tr>\n");
    for (size_t t = 0; t < side->tests; t++)
        put_test(out, &side->test[t]);
    accordi_buffer_puts(out, "</table>\n");
}

void cli_explain_html(accordi_buffer *out, const accord_explanation *in)
{
    accordi_buffer report = {0}, tables = {0}, title = {0};
    cli_explain_words(&report, in);
    accordi_buffer_puts(&tables, style);
    for (size_t i = 0; i < in->sides; i++)
        if (in->side[i].tests)
            put_tests(&tables, in, i);
    accordi_buffer_printf(&title, "%s%s%s: %s", in->side[0].target, in->sides > 1 ? " and " : "",
                          in->sides > 1 ? in->side[1].target : "",
                          accord_explained_name(in->verdict));
    out->failed |= report.failed || tables.failed || title.failed;
    cli_vary_page(out, title.data ? title.data : "", &report, &tables);
    accordi_buffer_clear(&title);
}
