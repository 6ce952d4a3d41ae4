/* What accord sweep --program says about bounds: for people, in tables, in JSON. */
#include "cli/compare/program_sweep.h"
#include <jansson.h>
#include <math.h>

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* ---- models ---- */

/* The builds of a model, added up. */
typedef struct tally {
    size_t builds, inside, outside, infinite, unknown, later;
} tally;

static tally add_up(const cli_program_sweep *s, size_t model)
{
    tally t = {0};
    for (size_t i = 0; i < s->builds.count; i++) {
        const cli_containment *c = &s->containment[i];
        if (s->group_of[i] == CLI_NO_GROUP || !c->compared || c->model != model)
            continue;
        t.builds++;
        t.inside += c->inside;
        t.outside += c->outside;
        t.infinite += c->infinite;
        t.unknown += c->unknown;
        t.later += c->later;
    }
    return t;
}

/* Why a number may be outside although nothing is wrong. */
static const char *why_later(const cli_raw *raw)
{
    return cli_kept(raw) ? "outside, perhaps because of memory that was not set"
                         : "outside after an unstable decision";
}

static void put_model(accordi_buffer *out, const cli_program_sweep *s, size_t model)
{
    const cli_program_model *m = &s->model[model];
    tally t = add_up(s, model);
    const struct {
        size_t count;
        const char *what;
    } parts[] = {{t.outside, "outside"},
                 {t.later, why_later(&m->raw)},
                 {t.infinite, "with infinite bounds"},
                 {t.unknown, "with unknown bounds"}};
    accordi_buffer_printf(out, "  bounds    %s: ", m->name);
    if (!m->ran) {
        accordi_buffer_printf(out, "not compared: %s\n", m->why);
        return;
    }
    accordi_buffer_printf(out, "%zu build%s, %zu number%s inside", t.builds, plural(t.builds),
                          t.inside, plural(t.inside));
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i].count)
            accordi_buffer_printf(out, ", %zu %s", parts[i].count, parts[i].what);
    if (cli_kept(&m->raw))
        accordi_buffer_printf(out, "; the bounds rest on %zu place%s where memory was not set",
                              cli_kept(&m->raw), plural(cli_kept(&m->raw)));
    accordi_buffer_puts(out, "\n");
}

/* ---- builds ---- */

static void put_number(accordi_buffer *out, double x, bool single)
{
    char text[ACCORDI_DECIMAL];
    if (isfinite(x))
        accordi_put_decimal(text, x, 1, single);
    else
        snprintf(text, sizeof text, "%g", isnan(x) ? (double)NAN : x);
    accordi_buffer_puts(out, text);
}

static void put_first(accordi_buffer *out, const cli_containment *c, const cli_raw *raw)
{
    const cli_bounded *o = &raw->output[c->first];
    accordi_buffer_printf(out, "; number %zu (", c->first + 1);
    cli_put_place(out, raw, o->site);
    accordi_buffer_puts(out, ") is ");
    put_number(out, c->value, o->single);
    accordi_buffer_puts(out, ", not in [");
    put_number(out, o->low, o->single);
    accordi_buffer_puts(out, ", ");
    put_number(out, o->high, o->single);
    accordi_buffer_puts(out, "]\n");
}

static void put_build(accordi_buffer *out, const cli_program_sweep *s, size_t i)
{
    const cli_build *b = &s->builds.list[i];
    const cli_containment *c = &s->containment[i];
    const cli_program_model *m = &s->model[c->model];
    if (m->ran && !c->compared)
        accordi_buffer_printf(out, "  apart     %s %s: not compared: %s\n", b->compiler->name,
                              b->set->flags, c->why);
    if (!c->compared || c->outside + c->later == 0)
        return;
    accordi_buffer_printf(out, "  %s %s %s: ", c->outside ? "OUTSIDE  " : "later    ",
                          b->compiler->name, b->set->flags);
    accordi_buffer_printf(out, "%zu number%s outside %s%s", c->outside + c->later,
                          plural(c->outside + c->later), m->name,
                          c->outside ? "" : why_later(&m->raw) + strlen("outside"));
    put_first(out, c, &m->raw);
}

void cli_put_containment(accordi_buffer *out, const cli_program_sweep *s)
{
    size_t outside = cli_program_outside(s);
    for (size_t k = 0; k < s->models; k++)
        put_model(out, s, k);
    for (size_t i = 0; s->containment && i < s->builds.count; i++)
        if (s->group_of[i] != CLI_NO_GROUP)
            put_build(out, s, i);
    if (outside)
        accordi_buffer_printf(out,
                              "\n%zu number%s outside the bounds of the model that the flags of "
                              "the build name: either\nthe model or the compiler is wrong. "
                              "Please report it.\n",
                              outside, outside == 1 ? " is" : "s are");
}

void cli_put_outside(cli_table *table, const cli_program_sweep *s, size_t build)
{
    const cli_containment *c = s->containment ? &s->containment[build] : NULL;
    char text[24] = "-";
    if (c && c->compared)
        snprintf(text, sizeof text, "%zu", c->outside);
    cli_table_put(table, text);
}

/* ---- JSON ---- */

json_t *cli_json_models(const cli_program_sweep *s)
{
    json_t *list = json_array();
    for (size_t k = 0; k < s->models; k++) {
        const cli_program_model *m = &s->model[k];
        json_array_append_new(
            list, json_pack("{s:s, s:b, s:o, s:I, s:I, s:I, s:I}", "model", m->name, "compared",
                            m->ran, "error", m->ran ? json_null() : cli_json_text(m->why),
                            "outputs", (json_int_t)m->raw.outputs, "unknown",
                            (json_int_t)cli_unknown_outputs(&m->raw), "unstable_decisions",
                            (json_int_t)m->raw.decisions, "kept", (json_int_t)cli_kept(&m->raw)));
    }
    return list;
}

static json_t *json_first(const cli_containment *c, const cli_raw *raw)
{
    if (c->outside + c->later == 0)
        return json_null();
    const cli_bounded *o = &raw->output[c->first];
    const cli_site *site = o->site < raw->sites ? &raw->site[o->site] : NULL;
    return json_pack("{s:I, s:o, s:i, s:o, s:o, s:o}", "output", (json_int_t)c->first, "file",
                     site && site->file ? cli_json_text(site->file) : json_null(), "line",
                     site ? (int)site->line : 0, "value", cli_json_hexadecimal(c->value), "low",
                     cli_json_hexadecimal(o->low), "high", cli_json_hexadecimal(o->high));
}

json_t *cli_json_containment(const cli_program_sweep *s, size_t build)
{
    if (!s->containment || s->group_of[build] == CLI_NO_GROUP)
        return json_null();
    const cli_containment *c = &s->containment[build];
    const cli_program_model *m = &s->model[c->model];
    const char *why = !m->ran ? m->why : c->why;
    if (!c->compared)
        return json_pack("{s:b, s:o}", "compared", 0, "error", cli_json_text(why));
    return json_pack("{s:b, s:I, s:I, s:I, s:I, s:I, s:o}", "compared", 1, "inside",
                     (json_int_t)c->inside, "outside", (json_int_t)c->outside, "later",
                     (json_int_t)c->later, "infinite", (json_int_t)c->infinite, "unknown",
                     (json_int_t)c->unknown, "first", json_first(c, &m->raw));
}
