/* The bounds of a program for people: the numbers it wrote, and the lines that matter, with their
 * source. Long lists are cut; JSON has all. */
#include "cli/bounds/program.h"
#include <math.h>

enum { SHOWN_OUTPUTS = 24, SHOWN_LINES = 12 };

/* ---- the source ---- */

/* A line of a file without its indentation, or "". */
static void source_line(const char *path, unsigned number, char *text, size_t size)
{
    FILE *file = fopen(path, "re");
    char line[400];
    unsigned at = 1;
    text[0] = 0;
    while (file && at <= number && fgets(line, sizeof line, file)) {
        bool whole = strchr(line, '\n') != NULL;
        if (at == number) {
            line[strcspn(line, "\r\n")] = 0;
            snprintf(text, size, "%.90s", line + strspn(line, " \t"));
            break;
        }
        at += whole;
    }
    if (file)
        fclose(file);
}

static void put_source(accordi_buffer *out, const char *file, unsigned line)
{
    char text[100];
    source_line(file, line, text, sizeof text);
    char *plain = accordi_utf8(text, true);
    if (plain && *plain)
        accordi_buffer_printf(out, "      | %s\n", plain);
    free(plain);
}

/* ---- numbers ---- */

static void put_place_cell(cli_table *table, const cli_raw *raw, unsigned site)
{
    accordi_buffer place = {0};
    cli_put_place(&place, raw, site);
    cli_table_put(table, place.data ? place.data : "?");
    accordi_buffer_clear(&place);
}

static void put_output(cli_table *table, const cli_bound_report *r, size_t i)
{
    cli_cell cell[CLI_COLUMNS];
    cli_output_cells(&r->raw, i, cell);
    for (int k = 0; k < CLI_COLUMNS; k++)
        if (k == CLI_COLUMN_PLACE)
            put_place_cell(table, &r->raw, r->raw.output[i].site);
        else if (cli_has_column(r, k))
            cli_table_put(table, cell[k].text);
}

static void put_outputs(const cli_bound_report *r, accordi_buffer *out)
{
    const cli_raw *raw = &r->raw;
    size_t columns = 0, shown = 0;
    for (int k = 0; k < CLI_COLUMNS; k++)
        columns += cli_has_column(r, k);
    cli_table *table = cli_table_new(columns);
    double least = cli_least_width(raw, SHOWN_OUTPUTS);
    for (int k = 0; k < CLI_COLUMNS; k++)
        if (cli_has_column(r, k))
            cli_table_put(table, cli_columns[k]);
    for (size_t i = 0; i < raw->outputs && shown < SHOWN_OUTPUTS; i++)
        if (cli_output_width(&raw->output[i]) >= least) {
            put_output(table, r, i);
            shown++;
        }
    cli_table_write(table, "report", out);
    cli_table_free(table);
    if (shown < raw->outputs)
        accordi_buffer_printf(out,
                              "  (%zu of %zu numbers, widest first by their bounds; --json "
                              "has all)\n",
                              shown, raw->outputs);
}

/* ---- lines ---- */

static void put_lines(const cli_raw *raw, accordi_buffer *out)
{
    cli_line *line;
    size_t count = cli_lines(raw, &line);
    if (count)
        accordi_buffer_printf(out,
                              "\nLines that add to the spread: share of %s "
                              "(width that the line's operations add)\n",
                              raw->shares ? "the first-order spread" : "the width");
    for (size_t i = 0; i < count && i < SHOWN_LINES; i++) {
        accordi_buffer_printf(out, "  %s:%u  %.3g %%", line[i].file, line[i].line,
                              100 * line[i].share);
        accordi_buffer causes = {0};
        cli_put_causes(&line[i], &causes);
        if (causes.length)
            accordi_buffer_printf(out, " (%s)", causes.data);
        accordi_buffer_clear(&causes);
        accordi_buffer_puts(out, line[i].infinite ? "; bounds become infinite here\n" : "\n");
        put_source(out, line[i].file, line[i].line);
    }
    if (count > SHOWN_LINES)
        accordi_buffer_printf(out, "  and %zu more lines\n", count - SHOWN_LINES);
    free(line);
}

static void put_first_infinite(const cli_raw *raw, accordi_buffer *out)
{
    const cli_site *site = cli_first_infinite(raw);
    if (!site)
        return;
    accordi_buffer_printf(out, "\nBounds first became infinite at %s:%u\n", site->file, site->line);
    put_source(out, site->file, site->line);
}

static void put_count(accordi_buffer *out, unsigned long long count)
{
    accordi_buffer_printf(out, ", %llu time%s\n", count, count == 1 ? "" : "s");
}

static void put_site_source(accordi_buffer *out, const cli_raw *raw, unsigned site)
{
    if (site < raw->sites && raw->site[site].file)
        put_source(out, raw->site[site].file, raw->site[site].line);
}

static void put_decisions(const cli_raw *raw, accordi_buffer *out)
{
    if (raw->decisions)
        accordi_buffer_puts(out, "\nUnstable decisions\n");
    for (size_t i = 0; i < raw->decisions && i < SHOWN_LINES; i++) {
        const cli_decision *d = &raw->decision[i];
        accordi_buffer_puts(out, "  ");
        cli_put_place(out, raw, d->site);
        accordi_buffer_printf(out, "  %s, ", d->what);
        cli_put_interval(out, d->low, d->high);
        put_count(out, d->count);
        put_site_source(out, raw, d->site);
    }
    if (raw->decisions > SHOWN_LINES)
        accordi_buffer_printf(out, "  and %zu more\n", raw->decisions - SHOWN_LINES);
}

static void put_losses(const cli_raw *raw, bool kept, accordi_buffer *out)
{
    size_t count = kept ? cli_kept(raw) : raw->losts - cli_kept(raw), shown = 0;
    if (count)
        accordi_buffer_puts(out, kept ? "\nTaken as it was\n" : "\nBounds were lost\n");
    for (size_t i = 0; i < raw->losts && shown < SHOWN_LINES; i++) {
        if (raw->lost[i].kept != kept)
            continue;
        shown++;
        accordi_buffer_puts(out, "  ");
        cli_put_place(out, raw, raw->lost[i].site);
        accordi_buffer_printf(out, "  %s", raw->lost[i].what);
        put_count(out, raw->lost[i].count);
        put_site_source(out, raw, raw->lost[i].site);
    }
    if (count > SHOWN_LINES)
        accordi_buffer_printf(out, "  and %zu more\n", count - SHOWN_LINES);
}

/* Objects of a program that accord cc did not build. */
static void put_without(const cli_words *without, accordi_buffer *out)
{
    if (without->count)
        accordi_buffer_puts(out, "\nObjects without bitcode, which are not followed\n");
    for (size_t i = 0; i < without->count && i < SHOWN_LINES; i++)
        accordi_buffer_printf(out, "  %s\n", without->word[i]);
    if (without->count > SHOWN_LINES)
        accordi_buffer_printf(out, "  and %zu more\n", without->count - SHOWN_LINES);
}

/* ---- paths ---- */

static void put_paths(const cli_raw *raw, accordi_buffer *out)
{
    if (raw->paths)
        accordi_buffer_puts(out, "\nOther paths\n");
    for (size_t i = 0; i < raw->paths && i < SHOWN_LINES; i++) {
        accordi_buffer_printf(out, "  %zu  ", i + 2);
        cli_put_path(raw, i, out);
        accordi_buffer_puts(out, "\n");
    }
    if (raw->paths > SHOWN_LINES)
        accordi_buffer_printf(out, "  and %zu more\n", raw->paths - SHOWN_LINES);
}

/* ---- inputs ---- */

/* The program assigned numbers anew before it read what they had been set to. */
static void put_renewed(const cli_raw *raw, const cli_set_input *set, const char *name,
                        accordi_buffer *out)
{
    bool one = set->set == 1, all = set->renewed == set->set;
    const char *colon = strrchr(name, ':');
    accordi_buffer_puts(out, "    warning: ");
    if (!all)
        accordi_buffer_printf(out, "%llu of ", set->renewed);
    accordi_buffer_printf(out, "%s no effect: the program assigns %s at ",
                          one ? "this has" : "these have", one ? "it anew" : "them anew, first");
    cli_put_place(out, raw, set->renewed_at);
    accordi_buffer_printf(out,
                          ", before it reads %s; to set %s there, name the line, as in %u:%s\n",
                          one ? "it" : "them", one ? "it" : "them", raw->site[set->renewed_at].line,
                          colon ? colon + 1 : name);
}

static void put_input(const cli_bound_report *r, size_t i, double share, accordi_buffer *out)
{
    const cli_input *in = &r->inputs->input[i];
    const cli_set_input *set = &r->raw.input[i];
    accordi_buffer_printf(out, "  %s = %s", in->name, in->said);
    if (!set->set) {
        accordi_buffer_puts(out, ": the run never came to where it is set\n");
        return;
    }
    accordi_buffer_puts(out, "  at ");
    cli_put_place(out, &r->raw, set->site);
    if (set->set == 1 && set->values) {
        char text[ACCORDI_DECIMAL];
        accordi_put_decimal(text, set->value[0], 1, set->single);
        accordi_buffer_printf(out, ", ran with %s%s", text,
                              set->own ? ", the program's own value" : "");
    } else
        accordi_buffer_printf(out, ", %llu numbers, %llu of them the program's own", set->set,
                              set->own);
    if (cli_input_is_range(in) && r->raw.shares)
        accordi_buffer_printf(out, "; %.3g %% of what comes from inputs", 100 * share);
    accordi_buffer_puts(out, "\n");
    if (set->renewed)
        put_renewed(&r->raw, set, in->name, out);
}

void cli_put_bound_inputs(const cli_bound_report *r, accordi_buffer *out)
{
    double *share = cli_shares_of_inputs(&r->raw, r->inputs->count);
    for (size_t i = 0; i < r->raw.inputs && i < r->inputs->count; i++)
        put_input(r, i, share[i], out);
    free(share);
}

/* ---- search ---- */

static void put_found(const cli_bound_report *r, const double *point, accordi_buffer *out)
{
    for (size_t i = 0; i < r->raw.inputs && i < r->inputs->count; i++) {
        accordi_buffer text = {0};
        if (cli_put_found(r, i, point, &text))
            accordi_buffer_printf(out, "      --input '%s'\n", text.data);
        accordi_buffer_clear(&text);
    }
}

void cli_put_bound_search(const cli_bound_report *r, accordi_buffer *out)
{
    const cli_search *s = &r->search;
    accordi_buffer_printf(out, "%zu run%s with single values of %zu number%s, seed %llu%s\n",
                          s->runs, s->runs == 1 ? "" : "s", s->numbers, s->numbers == 1 ? "" : "s",
                          (unsigned long long)r->inputs->seed,
                          s->interrupted ? " (interrupted)" : "");
    if (s->widest) {
        accordi_buffer_printf(out, "  number %zu is widest, %.3g or %.3g of its size, with\n",
                              s->number, s->width, s->relative);
        put_found(r, s->widest, out);
    } else if (s->runs)
        accordi_buffer_puts(out, "  no number has a width\n");
    for (size_t i = 0; i < s->decisions && i < SHOWN_LINES; i++) {
        accordi_buffer_printf(out, "  the %s at %s:%u is unstable with\n", s->decision[i].what,
                              s->decision[i].file, s->decision[i].line);
        put_found(r, s->decision[i].point, out);
    }
    if (s->runs && !s->decisions)
        accordi_buffer_puts(out, "  no unstable decision was found\n");
    if (s->decisions > SHOWN_LINES)
        accordi_buffer_printf(out, "  and %zu more unstable decisions\n",
                              s->decisions - SHOWN_LINES);
}

/* ---- cure ---- */

static void put_cure(const cli_cure *cure, accordi_buffer *out)
{
    const char *such = cure->smallest ? "no smaller set of lines that add width does"
                                      : "no line of it can be left out";
    if (!cure->said)
        return;
    accordi_buffer_puts(out, "\nCure: so that ");
    cli_put_cure_target(cure, out);
    if (!cure->found) {
        accordi_buffer_printf(out, "\n  none: %s\n", cure->why);
        return;
    }
    accordi_buffer_printf(out, ", pin %zu line%s (%s)\n", cure->pins, cure->pins == 1 ? "" : "s",
                          such);
    for (size_t i = 0; i < cure->pins; i++) {
        accordi_buffer_printf(out, "  %s:%u\n", cure->pin[i].file, cure->pin[i].line);
        put_source(out, cure->pin[i].file, cure->pin[i].line);
    }
    accordi_buffer_printf(out, "  tried: with %s computed as written, ",
                          cure->pins == 1 ? "this line" : "these lines");
    if (cure->file)
        accordi_buffer_puts(out, "the decision is stable\n");
    else
        accordi_buffer_printf(out, "the width is %.3g instead of %.3g\n", cure->after,
                              cure->before);
}

/* ---- all ---- */

static void put_tape(const cli_raw *raw, accordi_buffer *out)
{
    const cli_tape *t = &raw->tape;
    size_t known = 0;
    for (size_t i = 0; i < raw->outputs; i++)
        known += !isnan(raw->output[i].first_order);
    if (!t->used)
        return;
    accordi_buffer_printf(out, "tape     %llu operation%s, %llu MB", t->nodes,
                          t->nodes == 1 ? "" : "s", (t->bytes + 999999) / 1000000);
    if (t->segments > 1)
        accordi_buffer_printf(out, ", %llu segments", t->segments);
    accordi_buffer_printf(out, "; first-order spread of %zu number%s", known,
                          known == 1 ? "" : "s");
    if (t->reason && known < raw->outputs)
        accordi_buffer_printf(out, " (%s)", t->reason);
    accordi_buffer_puts(out, "\n");
}

static void put_summary(const cli_bound_report *r, accordi_buffer *out)
{
    const cli_raw *raw = &r->raw;
    size_t unknown = cli_unknown_outputs(raw), infinite = 0, fixed = 0;
    for (size_t i = 0; i < raw->outputs; i++) {
        const cli_bounded *o = &raw->output[i];
        infinite += !o->unknown && (!isfinite(o->high) || !isfinite(o->low));
        fixed += !o->unknown && o->high == o->low && isfinite(o->low) && !o->may_be_nan;
    }
    accordi_buffer_printf(out, "model    %s\n", r->models);
    accordi_buffer_printf(out,
                          "numbers  %zu: %zu with finite bounds (%zu of them fixed), %zu "
                          "infinite, %zu unknown\n",
                          raw->outputs, raw->outputs - unknown - infinite, fixed, infinite,
                          unknown);
    if (raw->truncated)
        accordi_buffer_puts(out, "         the program wrote more; only the bounds of the first "
                                 "1048576 are kept\n");
    put_tape(raw, out);
    if (!r->job.timed_out && !r->job.child.signal && r->job.child.code)
        accordi_buffer_printf(out, "status   the program exited with status %d\n",
                              r->job.child.code);
    accordi_buffer_puts(out, "\n");
}

void cli_put_bound_claims(const cli_bound_report *r, accordi_buffer *out)
{
    const cli_raw *raw = &r->raw;
    if (!raw->outputs)
        return;
    if (raw->paths && raw->all_paths)
        accordi_buffer_printf(out,
                              "low and high are proven for all %zu paths that the unstable "
                              "decisions allow.\n",
                              raw->paths + 1);
    else if (raw->paths)
        accordi_buffer_puts(out,
                            "low and high are proven for the path of this run, and for as many "
                            "of the other paths as the column paths says.\n");
    else if (raw->decisions)
        accordi_buffer_puts(out, "low and high are proven for the path of this run, provided that "
                                 "the unstable decisions go the same way.\n");
    else
        accordi_buffer_puts(out, "low and high are proven for the path of this run.\n");
    if (raw->losts > cli_kept(raw))
        accordi_buffer_puts(out, "Decisions on what was lost are not seen: they are taken to go "
                                 "the same way.\n");
    if (cli_kept(raw))
        accordi_buffer_puts(out, "They hold if memory that the program uses before it sets it "
                                 "holds what it held in this run.\n");
    if (cli_inputs_have_range(r->inputs))
        accordi_buffer_puts(out, "They hold for all values of the inputs in their intervals.\n");
    if (cli_left_open(raw))
        accordi_buffer_printf(out, "%zu unstable decision%s not followed in every direction.\n",
                              cli_left_open(raw), cli_left_open(raw) == 1 ? " was" : "s were");
    if (raw->tape.used)
        accordi_buffer_puts(out, "first-order is an estimate of how far a number moves, and is not "
                                 "proven.\n");
    if (raw->tape.used && cli_inputs_have_range(r->inputs))
        accordi_buffer_puts(out, "from inputs is the same estimate of what the inputs do, which "
                                 "first-order leaves out.\n");
    if (r->observed)
        accordi_buffer_printf(out, "observed is the largest difference in %zu builds.\n",
                              r->observed);
    else if (r->unobserved[0])
        accordi_buffer_printf(out, "Nothing was observed: %s.\n", r->unobserved);
}

void cli_put_bound_report(const cli_bound_report *r, accordi_buffer *out)
{
    const cli_raw *raw = &r->raw;
    put_summary(r, out);
    if (raw->outputs)
        put_outputs(r, out);
    put_first_infinite(raw, out);
    put_lines(raw, out);
    if (r->raw.inputs)
        accordi_buffer_puts(out, "\nInputs\n");
    cli_put_bound_inputs(r, out);
    put_decisions(raw, out);
    put_paths(raw, out);
    put_losses(raw, false, out);
    put_losses(raw, true, out);
    put_without(r->without, out);
    put_cure(&r->cure, out);
    if (r->search.asked) {
        accordi_buffer_puts(out, "\nSearch: ");
        cli_put_bound_search(r, out);
    }
    accordi_buffer_puts(out, "\n");
    cli_put_bound_claims(r, out);
}
