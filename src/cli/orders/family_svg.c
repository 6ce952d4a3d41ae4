/* A family of orders as a picture: n to the right, upward the steps that are used. A bar is where a
 * step has something to do: dark at all n, pale at some, as for the tails of loops. */
#include "cli/orders/family.h"
#include <math.h>

enum {
    WIDTH = 980,
    LEFT = 330,
    RIGHT = 20,
    TOP = 86,
    ROW = 20,
    MOST_ROWS = 60,
    STEPS = 64,
    LETTERS = 44 /* of a label */
};

static const char style[] =
    "text { font: 12px system-ui, sans-serif; fill: #1b1f24; } .back { fill: #fff; }\n"
    ".title { font-size: 14px; font-weight: 600; } .faint { fill: #667; }\n"
    ".mono { font-family: ui-monospace, monospace; font-size: 11px; }\n"
    ".line { stroke: #99a1b0; stroke-dasharray: 2 3; } .grid { stroke: #e3e6eb; }\n"
    ".some { fill-opacity: .4; } .asked { stroke: #667; stroke-width: .6; }\n"
    ".c0 { fill: #0072b2; } .c1 { fill: #d55e00; } .c2 { fill: #009e73; } .c3 { fill: #cc79a7; }\n"
    ".c4 { fill: #b98100; } .c5 { fill: #56b4e9; }\n"
    "@media (prefers-color-scheme: dark) { text { fill: #e4e7ec; } .back { fill: #14171c; }\n"
    ".faint { fill: #99a1b0; } .grid { stroke: #343a46; } .asked { stroke: #99a1b0; } }\n";

typedef struct picture {
    accordi_buffer *out;
    const cli_family_forms *all;
    double from, to;
    bool logarithmic;
    size_t rows;
} picture;

static void put_text(accordi_buffer *out, const char *text)
{
    char *plain = cli_need(accordi_utf8(text, true));
    for (const char *c = plain; *c; c++)
        if (*c == '&' || *c == '<' || *c == '>')
            accordi_buffer_puts(out, *c == '&' ? "&amp;" : *c == '<' ? "&lt;" : "&gt;");
        else
            accordi_buffer_append(out, c, 1);
    free(plain);
}

/* Where n begins; n + 1 is where it ends. */
static double at(const picture *p, double n)
{
    double part = p->logarithmic ? log(n / p->from) / log((p->to + 1) / p->from)
                                 : (n - p->from) / (p->to + 1 - p->from);
    return LEFT + part * (WIDTH - LEFT - RIGHT);
}

static double row_at(const picture *p, size_t row)
{
    return TOP + (double)(p->rows - 1 - row) * ROW; /* upward */
}

static void put_bar(const picture *p, size_t row, const accord_family_use *use, size_t color,
                    const char *text)
{
    double x = at(p, use->from), end = at(p, (double)use->to + 1);
    accordi_buffer_printf(p->out,
                          "<rect class=\"c%zu%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                          "height=\"%d\" rx=\"2\"><title>",
                          color % 6, use->always ? "" : " some", x, row_at(p, row) + 3,
                          end - x > 1.5 ? end - x : 1.5, ROW - 6);
    put_text(p->out, text);
    accordi_buffer_printf(p->out, ": n = %u to %u%s</title></rect>\n", use->from, use->to,
                          use->always ? "" : ", at some n");
}

static void put_label(const picture *p, size_t row, const char *letter, const char *text)
{
    accordi_buffer_printf(p->out,
                          "<text x=\"16\" y=\"%.1f\">%s</text><text class=\"mono\" x=\"44\" "
                          "y=\"%.1f\">",
                          row_at(p, row) + 14, letter, row_at(p, row) + 14);
    char cut[LETTERS + 4];
    snprintf(cut, sizeof cut, "%.*s%s", LETTERS - 3, text, strlen(text) > LETTERS - 3 ? "..." : "");
    put_text(p->out, cut);
    accordi_buffer_puts(p->out, "</text>\n");
}

/* The rows of a form: one of each of its steps, from below; one of the form where it has none. */
static size_t rows_of(const char *form)
{
    char text[ACCORD_STEP_SIZE];
    size_t steps = 0;
    while (*form && steps < STEPS && accord_form_step(form, steps, text))
        steps++;
    return steps ? steps : 1;
}

static void put_form(const picture *p, size_t form, size_t row)
{
    const char *text = p->all->form[form];
    char letter[16], step[ACCORD_STEP_SIZE];
    accord_family_use use[STEPS];
    cli_family_letter(form, letter);
    size_t rows = rows_of(text);
    for (size_t k = 0; k < rows; k++)
        put_label(p, row + k, k + 1 == rows ? letter : "",
                  accord_form_step(text, k, step) ? step
                  : *text                         ? text
                                                  : "no order");
    for (size_t i = 0; i < accord_family_rules(p->all->family); i++) {
        accord_family_rule r = accord_family_rule_at(p->all->family, i);
        if (strcmp(r.form, text) != 0)
            continue;
        size_t count = accord_family_uses(p->all->family, i, use);
        accord_family_use whole = {r.from, r.to, r.modulus == 1};
        if (count == 0)
            put_bar(p, row, &whole, form, "no order");
        for (size_t k = 0; k < count; k++) {
            use[k].always = use[k].always && r.modulus == 1;
            if (use[k].from && accord_form_step(text, k, step))
                put_bar(p, row + k, &use[k], form, step);
        }
    }
}

/* Numbers at the axis: powers of two, or ten steps. */
static void put_axis(const picture *p)
{
    double bottom = TOP + (double)p->rows * ROW, step = 1;
    while ((p->to - p->from) / step > 10)
        step *= step / pow(10, floor(log10(step))) > 4
                    ? 2
                    : 2.5 - (log10(step) == floor(log10(step)) ? .5 : 0);
    double n = p->logarithmic ? 1 : ceil(p->from / step) * step;
    for (; n <= p->to; n = p->logarithmic ? 2 * n : n + step)
        if (n >= p->from)
            accordi_buffer_printf(p->out,
                                  "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" "
                                  "y2=\"%.1f\"/><text class=\"faint\" x=\"%.1f\" y=\"%.1f\" "
                                  "text-anchor=\"middle\">%.0f</text>\n",
                                  at(p, n), TOP, at(p, n), bottom + 14, at(p, n), bottom + 28, n);
    accordi_buffer_printf(p->out,
                          "<text class=\"faint\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">n, the "
                          "number of terms</text>\n",
                          WIDTH - RIGHT, bottom + 46);
}

/* Where the pattern changes; names that would touch are left out. */
static void put_changes(const picture *p)
{
    enum { SHOWN = 64 };
    uint32_t n[SHOWN];
    double free_from = 0;
    size_t count = accord_family_changes(p->all->family, n, SHOWN);
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        double x = at(p, n[i]);
        accordi_buffer_printf(p->out,
                              "<line class=\"line\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" "
                              "y2=\"%.1f\"/>\n",
                              x, TOP - 6, x, TOP + (double)p->rows * ROW);
        if (x < free_from)
            continue;
        accordi_buffer_printf(p->out,
                              "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%u</text>\n", x,
                              TOP - 10, n[i]);
        free_from = x + 34;
    }
}

/* A stroke at each n that was asked, as far as they can be told apart. */
static void put_asked(const picture *p)
{
    double y = TOP + (double)p->rows * ROW, last = 0;
    uint32_t n;
    accordi_buffer_puts(p->out, "<path class=\"asked\" d=\"");
    for (size_t i = 0; (n = accord_family_asked(p->all->family, i)) != 0; i++) {
        double x = at(p, n + .5);
        if (x - last < 1)
            continue;
        accordi_buffer_printf(p->out, "M%.1f %.1fv7", x, y + 3);
        last = x;
    }
    accordi_buffer_printf(p->out,
                          "\"/>\n<text class=\"faint\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">"
                          "asked</text>\n",
                          LEFT - 10, y + 12);
}

void cli_family_svg(accordi_buffer *out, const cli_family_forms *all, const char *name,
                    const accord_family_account *a)
{
    picture p = {.out = out,
                 .all = all,
                 .from = accord_family_from(all->family),
                 .to = accord_family_to(all->family)};
    size_t shown = 0, left_out = 0, row = 0;
    p.logarithmic = p.to / p.from >= 32;
    for (size_t i = 0; i < all->forms; i++)
        if (p.rows + rows_of(all->form[i]) <= MOST_ROWS && shown == i) {
            p.rows += rows_of(all->form[i]);
            shown++;
        }
    left_out = all->forms - shown;
    double height = TOP + (double)p.rows * ROW + 60;
    accordi_buffer_printf(out,
                          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
                          "viewBox=\"0 0 %d %.0f\">\n<style>%s</style>\n<rect class=\"back\" "
                          "width=\"100%%\" height=\"100%%\"/>\n<text class=\"title\" x=\"16\" "
                          "y=\"24\">",
                          WIDTH, height, WIDTH, height, style);
    put_text(out, name);
    accordi_buffer_printf(out,
                          ": which steps are used at which n</text>\n<text class=\"faint\" "
                          "x=\"16\" y=\"44\">%llu n asked, %llu predicted, %llu unknown; %llu "
                          "predictions checked. Dark: at all n; pale: at some, such as those with "
                          "a tail.",
                          (unsigned long long)a->asked, (unsigned long long)a->predicted,
                          (unsigned long long)a->unknown, (unsigned long long)a->checks);
    if (left_out)
        accordi_buffer_printf(out, " %zu more orders are left out.", left_out);
    accordi_buffer_puts(out, "</text>\n");
    put_axis(&p);
    put_changes(&p);
    for (size_t i = 0; i < shown; i++) {
        put_form(&p, i, row);
        row += rows_of(all->form[i]);
    }
    put_asked(&p);
    accordi_buffer_puts(out, "</svg>\n");
}
