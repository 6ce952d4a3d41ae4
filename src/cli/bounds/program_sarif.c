/* The bounds of a program in SARIF: unstable decisions, lines that add to the width, places where
 * bounds were lost. */
#include "cli/bounds/program.h"
#include <jansson.h>

enum { UNSTABLE, INFINITE, VOLATILE, LOST, KEPT, RENEWED, RULES };
static const struct {
    const char *id, *level, *text;
} rules[RULES] = {
    [UNSTABLE] = {"unstable-decision", "warning",
                  "Which way the program goes here depends on the evaluation."},
    [INFINITE] = {"infinite-bounds", "warning", "The bounds of a value became infinite here."},
    [VOLATILE] = {"volatile-line", "note", "The value of this line depends on the evaluation."},
    [LOST] = {"bounds-lost", "note", "The bounds of a value were lost here."},
    [KEPT] = {"not-set", "note", "Memory that was not set was taken as it was here."},
    [RENEWED] = {"input-replaced", "warning", "An input has no effect: it is assigned anew here."},
};

static void add_result(json_t *list, int rule, const char *file, unsigned line,
                       const accordi_buffer *text)
{
    if (!file || !line)
        return;
    json_array_append_new(list,
                          json_pack("{s:s, s:i, s:s, s:o, s:[{s:{s:{s:o}, s:{s:i}}}]}", "ruleId",
                                    rules[rule].id, "ruleIndex", rule, "level", rules[rule].level,
                                    "message", cli_sarif_message(text->data ? text->data : ""),
                                    "locations", "physicalLocation", "artifactLocation", "uri",
                                    cli_sarif_uri(file), "region", "startLine", (int)line));
}

static void add_decisions(json_t *list, const cli_raw *raw)
{
    for (size_t i = 0; i < raw->decisions; i++) {
        const cli_decision *d = &raw->decision[i];
        const cli_site *site = &raw->site[d->site];
        accordi_buffer text = {0};
        accordi_buffer_printf(&text, "This %s depends on the evaluation: its operand lies in ",
                              d->what);
        cli_put_interval(&text, d->low, d->high);
        accordi_buffer_puts(&text, ".");
        add_result(list, UNSTABLE, site->file, site->line, &text);
        accordi_buffer_clear(&text);
    }
}

static bool is_first_infinite(const cli_raw *raw, const cli_line *line)
{
    const cli_site *site = cli_first_infinite(raw);
    return site && site->line == line->line && strcmp(site->file, line->file) == 0;
}

static void add_lines(json_t *list, const cli_raw *raw)
{
    cli_line *line;
    size_t count = cli_lines(raw, &line);
    for (size_t i = 0; i < count; i++) {
        accordi_buffer text = {0};
        accordi_buffer causes = {0};
        cli_put_causes(&line[i], &causes);
        if (line[i].infinite)
            accordi_buffer_puts(&text, is_first_infinite(raw, &line[i])
                                           ? "The bounds of a value first became infinite here."
                                           : rules[INFINITE].text);
        else
            accordi_buffer_printf(&text, "%.3g %% of the spread begins on this line.",
                                  100 * line[i].share);
        if (causes.length)
            accordi_buffer_printf(&text, " Its operations add a width of %s.", causes.data);
        accordi_buffer_clear(&causes);
        add_result(list, line[i].infinite ? INFINITE : VOLATILE, line[i].file, line[i].line, &text);
        accordi_buffer_clear(&text);
    }
    free(line);
}

static void add_losses(json_t *list, const cli_raw *raw)
{
    for (size_t i = 0; i < raw->losts; i++) {
        const cli_lost *l = &raw->lost[i];
        accordi_buffer text = {0};
        accordi_buffer_printf(
            &text, "%s: %s.",
            l->kept ? "The bounds rest on this" : "The bounds of a value were lost here", l->what);
        if (l->site < raw->sites)
            add_result(list, l->kept ? KEPT : LOST, raw->site[l->site].file,
                       raw->site[l->site].line, &text);
        accordi_buffer_clear(&text);
    }
}

static void add_inputs(json_t *list, const cli_bound_report *r)
{
    for (size_t i = 0; i < r->raw.inputs && i < r->inputs->count; i++) {
        const cli_set_input *in = &r->raw.input[i];
        accordi_buffer text = {0};
        accordi_buffer_printf(
            &text,
            "The input %s = %s has no effect on %llu of %llu numbers: the program "
            "assigns them anew here before it reads them.",
            r->inputs->input[i].name, r->inputs->input[i].said, in->renewed, in->set);
        if (in->renewed)
            add_result(list, RENEWED, r->raw.site[in->renewed_at].file,
                       r->raw.site[in->renewed_at].line, &text);
        accordi_buffer_clear(&text);
    }
}

static void add_search(json_t *list, const cli_bound_report *r)
{
    for (size_t i = 0; i < r->search.decisions; i++) {
        const cli_unstable *d = &r->search.decision[i];
        accordi_buffer text = {0};
        accordi_buffer_printf(&text,
                              "This %s depends on the evaluation with these inputs:", d->what);
        for (size_t k = 0; k < r->raw.inputs && k < r->inputs->count; k++) {
            accordi_buffer found = {0};
            if (cli_put_found(r, k, d->point, &found))
                accordi_buffer_printf(&text, " --input '%s'", found.data);
            accordi_buffer_clear(&found);
        }
        add_result(list, UNSTABLE, d->file, d->line, &text);
        accordi_buffer_clear(&text);
    }
}

void cli_put_bound_sarif(const cli_bound_report *r, accordi_buffer *out)
{
    json_t *results = json_array(), *known = json_array();
    for (int i = 0; i < RULES; i++)
        json_array_append_new(known, cli_sarif_rule(rules[i].id, rules[i].level, rules[i].text));
    add_decisions(results, &r->raw);
    add_lines(results, &r->raw);
    add_losses(results, &r->raw);
    add_inputs(results, r);
    add_search(results, r);
    cli_put_sarif(out, known, results);
}
